#include "app/key_options.h"

#include <string.h>

enum status key_options_take(int *argc, char **argv, struct client_keys *out, int *given,
                             struct reason *why) {
  const char *key = NULL, *server_key = NULL;
  int kept = 0;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < *argc; i++) {
    int is_key = strcmp(argv[i], "--key") == 0;
    if (!is_key && strcmp(argv[i], "--server-key") != 0) {
      argv[kept++] = argv[i];
    } else if (i + 1 == *argc) {
      return fail(why, STATUS_BAD_INPUT, "a value is missing after %s", argv[i]);
    } else {
      *(is_key ? &key : &server_key) = argv[i + 1];
      i++;
    }
  }
  *argc = kept;
  *given = key && server_key;
  if (*given)
    return client_keys_read(key, server_key, out, why);
  return key || server_key
             ? fail(why, STATUS_BAD_INPUT, "both --key FILE and --server-key KEY expected, or none")
             : STATUS_OK;
}
