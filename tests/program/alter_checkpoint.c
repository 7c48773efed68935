// Copies a checkpoint with one field changed and all hashes recomputed: an alteration that --resume must
// find. For tests.
//   alter_checkpoint IN OUT FIELD
#include "forge.h"

int main(int count, char **arguments) {
  struct reason why = {""};
  void *bytes;
  size_t size;
  if (count != 4 || checkpoint_read(arguments[1], &bytes, &size, &why) != STATUS_OK) {
    fprintf(stderr, "usage: alter_checkpoint IN OUT FIELD. %s\n", why.text);
    return 2;
  }
  int done = forge(bytes, size, arguments[3]);
  FILE *out = fopen(arguments[2], "wb");
  done &= out && fwrite(bytes, 1, size, out) == size;
  done &= out && fclose(out) == 0;
  free(bytes);
  return !done;
}
