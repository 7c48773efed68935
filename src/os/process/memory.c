#define _DEFAULT_SOURCE // madvise
#include "os/process/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE // Linux 5.14; the C library of Debian 12 knows them, older ones do not
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SHADOW_MEMORY
#endif
#endif

static const uintptr_t LARGEST_BYTES = (uintptr_t)8
                                       << 30; // of a mapping: beyond it, it is reserved, not used

// Returns errno; 0: done.
static int populate(uintptr_t begin, uintptr_t end, int advice) {
  void *at = (void *)begin; // NOLINT(performance-no-int-to-ptr)
  return madvise(at, end - begin, advice) == 0 ? 0 : errno;
}

// Each line of /proc/self/maps is a mapping: addresses, permissions, offset, device, inode, name. Reading the
// list while populating is safe: that adds no mapping.
enum status memory_populate(struct reason *why) {
  char line[512];
#ifdef HAS_SHADOW_MEMORY
  return fail(why, STATUS_IO, "memory cannot be mapped in advance: a sanitizer has reserved terabytes");
#endif
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps)
    return fail(why, STATUS_IO, "memory cannot be mapped in advance: /proc/self/maps: %s", strerror(errno));

  int unknown = 0;
  while (fgets(line, sizeof line, maps)) {
    uintptr_t begin, end;
    char may[5];
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, may) != 3)
      continue;
    if (may[0] != 'r' || end - begin > LARGEST_BYTES)
      continue;
    int is_own = may[1] == 'w' && may[3] == 'p'; // other mappings are files, which stay as they are
    int error = populate(begin, end, is_own ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    unknown |= is_own && error == EINVAL;
  }
  fclose(maps);
  if (unknown)
    return fail(why, STATUS_IO, "memory cannot be mapped in advance: Linux 5.14 or later expected");
  return STATUS_OK;
}
