// sagbend keygen: makes the pair of keys that signs logs and checks their signatures.
#include "app/commands.h"
#include "cli/exit_status.h"

#include "io/log/log_key.h"

#include <stdio.h>

int cmd_keygen(const struct options *options) {
  const char *path = options->log_path;
  struct log_public_key key;
  struct reason why = {""};
  char text[LOG_KEY_TEXT];
  if (!path) {
    fprintf(stderr, "sagbend keygen: --log FILE expected; see 'sagbend keygen --help'\n");
    return EXIT_USAGE;
  }

  enum status status = log_key_make(path, &key, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend keygen", status, &why);

  log_key_text(&key, text);
  printf("%-14s %s: keep it private; 'sagbend run --log FILE --log-key %s' signs with it\n", "secret key",
         path, path);
  printf("%-14s %s.pub: give it to everyone who checks logs\n", "public key", path);
  printf("%-14s %s\n", "", text);
  return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}
