// Limit and count of the files and sockets that the process may have open.
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ENOUGH_FOR_ALL = 4096, BLOCK = 256, LOOK_AT_MOST = 1 << 20 };

static rlim_t limit(void) {
  struct rlimit l;
  return getrlimit(RLIMIT_NOFILE, &l) ? 0 : l.rlim_cur;
}

enum status os_ask_for_descriptors(int needed, struct reason *why) {
  struct rlimit l;
  if (getrlimit(RLIMIT_NOFILE, &l))
    return fail(why, STATUS_IO, "the limit of open files cannot be asked for: %s", strerror(errno));
  rlim_t wanted = l.rlim_max < ENOUGH_FOR_ALL ? l.rlim_max : ENOUGH_FOR_ALL;
  if (l.rlim_cur < wanted) {
    rlim_t had = l.rlim_cur;
    l.rlim_cur = wanted;
    if (setrlimit(RLIMIT_NOFILE, &l))
      l.rlim_cur = had;
  }
  if (os_free_descriptors(needed) >= needed)
    return STATUS_OK;
  return fail(
      why, STATUS_IO,
      "room for %d more open files expected, the limit of %llu leaves %d; raise it (ulimit -n, LimitNOFILE=)",
      needed, (unsigned long long)l.rlim_cur, os_free_descriptors(needed));
}

// Counts from the highest number downwards, where descriptors are free as long as there are enough. The query
// itself needs no descriptor.
int os_free_descriptors(int enough) {
  rlim_t end = limit();
  int found = 0;
  for (int top = end < LOOK_AT_MOST ? (int)end : LOOK_AT_MOST; top > 0 && found < enough; top -= BLOCK) {
    struct pollfd look[BLOCK];
    int count = top < BLOCK ? top : BLOCK;
    for (int i = 0; i < count; i++)
      look[i] = (struct pollfd){.fd = top - 1 - i};
    if (poll(look, (nfds_t)count, 0) < 0)
      continue;
    for (int i = 0; i < count; i++)
      found += (look[i].revents & POLLNVAL) != 0;
  }
  return found < enough ? found : enough;
}

void os_spare_take(struct os_spare *s) {
  for (int i = 0; i < 2; i++)
    if (s->descriptor[i] < 0)
      s->descriptor[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void os_spare_give(struct os_spare *s) {
  for (int i = 0; i < 2; i++) {
    if (s->descriptor[i] >= 0)
      close(s->descriptor[i]);
    s->descriptor[i] = -1;
  }
}
