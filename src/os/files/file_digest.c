#include "os/files/file_digest.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

enum status file_digest(int file, uint64_t offset, uint64_t size, uint8_t digest[FILE_DIGEST],
                        uint64_t *covered, struct reason *why) {
  uint8_t bytes[1 << 14];
  crypto_generichash_state state;
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "libsodium cannot be used");
  crypto_generichash_init(&state, NULL, 0, FILE_DIGEST);
  *covered = 0;
  while (*covered < size) {
    uint64_t left = size - *covered;
    ssize_t got =
        pread(file, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, (off_t)(offset + *covered));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(why, STATUS_IO, "%s", strerror(errno));
    if (got == 0)
      break;
    crypto_generichash_update(&state, bytes, (unsigned long long)got);
    *covered += (uint64_t)got;
  }
  crypto_generichash_final(&state, digest, FILE_DIGEST);
  return STATUS_OK;
}
