#include "os/process/wake.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum status wake_open(struct wake *wake, struct reason *why) {
  wake->file = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake->file < 0)
    return fail(why, STATUS_IO, "no eventfd to wake a thread: %s", strerror(errno));
  return STATUS_OK;
}

void wake_close(struct wake *wake) {
  if (wake->file >= 0)
    close(wake->file);
  wake->file = -1;
}

// Fails only if the counter is at its end, and then the file is readable anyway.
void wake_ring(const struct wake *wake) {
  const uint64_t one = 1;
  ssize_t written;
  NONBLOCKING_EXEMPT(written = write(wake->file, &one, sizeof one));
  (void)written;
}

void wake_silence(const struct wake *wake) {
  uint64_t rings;
  ssize_t got = read(wake->file, &rings, sizeof rings);
  (void)got; // nothing to read: nobody has rung
}
