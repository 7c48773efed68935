// What a thread has used: page faults, waits, interruptions.
#define _GNU_SOURCE // RUSAGE_THREAD, madvise
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct usage usage_now(void) {
  struct rusage r = {0};
  getrusage(RUSAGE_THREAD, &r);
  return (struct usage){.minor_faults = (uint64_t)r.ru_minflt,
                        .major_faults = (uint64_t)r.ru_majflt,
                        .waits = (uint64_t)r.ru_nvcsw,
                        .preemptions = (uint64_t)r.ru_nivcsw};
}

struct usage usage_sum(const struct usage *a, const struct usage *b) {
  return (struct usage){.minor_faults = a->minor_faults + b->minor_faults,
                        .major_faults = a->major_faults + b->major_faults,
                        .waits = a->waits + b->waits,
                        .preemptions = a->preemptions + b->preemptions};
}

struct usage usage_since(const struct usage *now, const struct usage *then) {
  return (struct usage){.minor_faults = now->minor_faults - then->minor_faults,
                        .major_faults = now->major_faults - then->major_faults,
                        .waits = now->waits - then->waits,
                        .preemptions = now->preemptions - then->preemptions};
}

static int open_file(int thread_number, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread_number, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

enum status usage_open(struct usage_reader *reader, int thread_number, struct reason *why) {
  reader->stat = open_file(thread_number, "stat");
  reader->status = open_file(thread_number, "status");
  if (reader->stat >= 0 && reader->status >= 0)
    return STATUS_OK;
  fail(why, STATUS_IO, "/proc/self/task/%d cannot be read: %s", thread_number, strerror(errno));
  usage_close(reader);
  return STATUS_IO;
}

static int read_text(int file, char *text, size_t size) {
  ssize_t got = pread(file, text, size - 1, 0);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

// proc(5): minflt is the 10th field, majflt the 12th. The 2nd, the thread's name, is in parentheses.
static int parse_stat(const char *text, struct usage *out) {
  const char *at = strrchr(text, ')');
  for (int field = 2; at && field < 10; field++)
    at = strchr(at + 1, ' ');
  if (!at)
    return 0;
  char *end;
  out->minor_faults = strtoull(at + 1, &end, 10);
  at = strchr(end + 1, ' ');
  if (!at)
    return 0;
  out->major_faults = strtoull(at + 1, NULL, 10);
  return 1;
}

static int parse_number(const char *text, const char *name, uint64_t *out) {
  const char *at = strstr(text, name);
  if (!at)
    return 0;
  *out = strtoull(at + strlen(name), NULL, 10);
  return 1;
}

int usage_read(const struct usage_reader *reader, struct usage *out) {
  char text[4096];
  if (reader->stat < 0 || !read_text(reader->stat, text, sizeof text) || !parse_stat(text, out))
    return 0;
  return read_text(reader->status, text, sizeof text) &&
         parse_number(text, "\nvoluntary_ctxt_switches:", &out->waits) &&
         parse_number(text, "\nnonvoluntary_ctxt_switches:", &out->preemptions);
}

void usage_close(struct usage_reader *reader) {
  if (reader->stat >= 0)
    close(reader->stat);
  if (reader->status >= 0)
    close(reader->status);
  reader->stat = reader->status = -1;
}

// ------------------------------------------------------------
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
    return fail(why, STATUS_IO, "mapping memory in advance needs Linux 5.14 or later");
  return STATUS_OK;
}
