#define _GNU_SOURCE // RUSAGE_THREAD
#include "os/process/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
