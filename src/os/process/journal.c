#define SD_JOURNAL_SUPPRESS_LOCATION // entries do not name our source files
#include "os/process/journal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

// JOURNAL_STREAM is "device:inode" of the stream that systemd has connected.
int journal_is_stderr(void) {
  const char *stream = getenv("JOURNAL_STREAM");
  char found[64];
  struct stat s;
  if (!stream || fstat(STDERR_FILENO, &s) != 0)
    return 0;
  snprintf(found, sizeof found, "%ju:%ju", (uintmax_t)s.st_dev, (uintmax_t)s.st_ino);
  return strcmp(stream, found) == 0;
}

enum { MOST_FIELDS = 6, FIELD_BYTES = 1100 };

struct fields {
  char text[MOST_FIELDS][FIELD_BYTES];
  struct iovec list[MOST_FIELDS];
  int count;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void add(struct fields *f, const char *format, ...) {
  char *text = f->text[f->count];
  va_list args;
  va_start(args, format);
  vsnprintf(text, FIELD_BYTES, format, args);
  va_end(args);
  f->list[f->count++] = (struct iovec){text, strlen(text)};
}

int journal_write(const struct journal_entry *entry) {
  struct fields f;
  f.count = 0;
  add(&f, "MESSAGE=%s", entry->text);
  add(&f, "PRIORITY=%d", (int)entry->priority);
  add(&f, "SYSLOG_IDENTIFIER=sagbend");
  if (*entry->session)
    add(&f, "SAGBEND_SESSION=%s", entry->session);
  if (entry->event) {
    add(&f, "SAGBEND_EVENT=%s", entry->event);
    add(&f, "SAGBEND_STEP=%" PRIu64, entry->step);
  }
  return sd_journal_sendv(f.list, f.count) == 0;
}
