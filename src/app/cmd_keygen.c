// sagbend keygen: the keys by which people know what is whose.
#include "app/commands.h"
#include "cli/options.h"

#include "io/log/log_key.h"

#include <stdio.h>

static int make_log_key(const char *path) {
  struct log_public_key key;
  struct reason why = {""};
  char text[LOG_KEY_TEXT];
  enum status status = log_key_make(path, &key, &why);
  if (status != STATUS_OK) {
    fprintf(stderr, "sagbend keygen: %s\n", why.text);
    return status == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
  }
  log_key_text(&key, text);
  printf("%-14s %s: keep it to yourself; 'sagbend run --log FILE --log-key %s' signs with it\n", "secret key",
         path, path);
  printf("%-14s %s.pub: give it to those who check\n", "public key", path);
  printf("%-14s %s\n", "", text);
  return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

int cmd_keygen(int argc, char **argv) {
  struct options options;
  int status = options_read(COMMAND_KEYGEN, argc, argv, &options);
  if (status < 0 && !options.log_path) {
    fprintf(stderr, "sagbend keygen: --log FILE expected; see 'sagbend keygen --help'\n");
    status = EXIT_USAGE;
  }
  if (status < 0)
    status = make_log_key(options.log_path);
  options_free(&options);
  return status;
}
