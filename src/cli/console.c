#include "cli/console.h"

#include "io/files/output_file.h"
#include "io/service/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

void console_init(struct console *c) {
  c->terminal = isatty(STDERR_FILENO);
  c->status_shown = 0;
  c->journal = journal_is_stderr();
  c->session = "";
}

static void clear_status(struct console *c) {
  if (c->status_shown)
    fputs("\r\033[K", stderr);
  c->status_shown = 0;
}

static void write_line(struct console *c, struct journal_entry *entry) {
  entry->session = c->session;
  if (c->journal && journal_write(entry))
    return;
  clear_status(c);
  fprintf(stderr, "sagbend: %s\n", entry->text);
}

static int begins_with(const char *text, const char *word) {
  return strncmp(text, word, strlen(word)) == 0;
}

void console_line(struct console *c, const char *format, ...) {
  char text[LINE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  struct journal_entry entry = {.text = text, .priority = JOURNAL_INFO};
  if (begins_with(text, "failed: "))
    entry.priority = JOURNAL_ERROR;
  else if (begins_with(text, "warning: "))
    entry.priority = JOURNAL_WARNING;
  else if (begins_with(text, "notice: "))
    entry.priority = JOURNAL_NOTICE;
  write_line(c, &entry);
}

// The last word of an event's name: what kind of event it is.
static enum journal_priority priority_of(const char *name) {
  static const struct {
    const char *word;
    enum journal_priority priority;
  } kinds[] = {
      {"failed", JOURNAL_ERROR},     {"dropped", JOURNAL_ERROR},   {"missing", JOURNAL_ERROR},
      {"stalled", JOURNAL_ERROR},    {"timeout", JOURNAL_ERROR},   {"halted", JOURNAL_ERROR},
      {"lost", JOURNAL_WARNING},     {"miss", JOURNAL_WARNING},    {"skipped", JOURNAL_WARNING},
      {"limited", JOURNAL_WARNING},  {"short", JOURNAL_WARNING},   {"refused", JOURNAL_WARNING},
      {"violated", JOURNAL_WARNING}, {"ignored", JOURNAL_WARNING}, {"unseen", JOURNAL_WARNING},
      {"denied", JOURNAL_WARNING},   {"began", JOURNAL_NOTICE},    {"ended", JOURNAL_NOTICE},
  };
  const char *last = strrchr(name, '_');
  last = last ? last + 1 : name;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(last, kinds[i].word) == 0)
      return kinds[i].priority;
  return JOURNAL_INFO;
}

void console_event(struct console *c, uint64_t step, double time_s, const char *name, const char *text) {
  char line[LINE_BYTES];
  snprintf(line, sizeof line, "t = %.3f s: %s: %s", time_s, name, text);
  write_line(
      c, &(struct journal_entry){.text = line, .priority = priority_of(name), .event = name, .step = step});
}

void console_status(struct console *c, const char *format, ...) {
  va_list args;
  if (!c->terminal)
    return;
  clear_status(c);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fflush(stderr);
  c->status_shown = 1;
}

void console_end(struct console *c) {
  if (c->status_shown)
    fputc('\n', stderr);
  c->status_shown = 0;
}

int console_finish_stdout(const char *program, int exit_status) {
  struct reason why;
  if (output_flush_stdout(&why) == STATUS_OK)
    return exit_status;
  fprintf(stderr, "%s: %s\n", program, why.text);
  return 1;
}
