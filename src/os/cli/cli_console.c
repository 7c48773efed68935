#include "os/cli/console.h"

#include "sagbend/base/shown_text.h"

#include "os/files/output_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };
static const uint64_t SETTLE_NS = 1000000000;

void console_init(struct console *c) {
  *c = (struct console){
      .terminal = isatty(STDERR_FILENO), .session = "", .screen.journal = journal_is_stderr()};
}

enum status console_start_writer(struct console *c, struct reason *why) {
  return console_writer_start(&c->screen, &c->writer, why);
}

void console_settle(struct console *c) {
  if (c->writer)
    console_writer_settle(c->writer, SETTLE_NS);
}

void console_stop_writer(struct console *c) {
  if (c->writer)
    console_writer_stop(c->writer, SETTLE_NS);
  c->writer = NULL;
}

uint64_t console_lost(const struct console *c) {
  return c->lost + (c->writer ? console_writer_waiting(c->writer) : 0);
}

// The first line that finds room again says how many did not.
static int put(struct console *c, const struct console_item *head, const char *text) {
  char lost[80];
  struct console_item notice = {.kind = CONSOLE_LINE, .priority = JOURNAL_WARNING};
  if (c->lost > c->lost_reported) {
    snprintf(lost, sizeof lost, "warning: %" PRIu64 " lines are missing here: nobody read them",
             c->lost - c->lost_reported);
    snprintf(notice.session, sizeof notice.session, "%s", c->session);
    if (!console_writer_put(c->writer, &notice, lost))
      return 0;
    c->lost_reported = c->lost;
  }
  return console_writer_put(c->writer, head, text);
}

static void write_item(struct console *c, struct console_item *head, const char *given) {
  char text[LINE_BYTES]; // one line, whatever names it contains
  text_show(given, text, sizeof text);
  snprintf(head->session, sizeof head->session, "%s", c->session);
  if (c->writer) {
    c->lost += !put(c, head, text) && head->kind == CONSOLE_LINE;
    return;
  }
  _Alignas(struct console_item) char room[sizeof(struct console_item) + LINE_BYTES];
  struct console_item *item = (struct console_item *)(void *)room;
  *item = *head;
  snprintf(item->text, LINE_BYTES, "%s", text);
  console_emit(&c->screen, item);
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
  struct console_item item = {.kind = CONSOLE_LINE, .priority = JOURNAL_INFO};
  if (begins_with(text, "failed: "))
    item.priority = JOURNAL_ERROR;
  else if (begins_with(text, "warning: "))
    item.priority = JOURNAL_WARNING;
  else if (begins_with(text, "notice: "))
    item.priority = JOURNAL_NOTICE;
  write_item(c, &item, text);
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
  if (!strncmp(name, "denied_", strlen("denied_")) || !strncmp(name, "refused_", strlen("refused_")))
    return JOURNAL_WARNING;
  const char *last = strrchr(name, '_');
  last = last ? last + 1 : name;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(last, kinds[i].word) == 0)
      return kinds[i].priority;
  return JOURNAL_INFO;
}

void console_event(struct console *c, uint64_t step, double time_s, const char *name, const char *text) {
  char line[LINE_BYTES];
  struct console_item item = {
      .kind = CONSOLE_LINE, .priority = priority_of(name), .is_event = 1, .step = step};
  snprintf(item.event, sizeof item.event, "%s", name);
  snprintf(line, sizeof line, "t = %.3f s: %s: %s", time_s, name, text);
  write_item(c, &item, line);
}

void console_status(struct console *c, const char *format, ...) {
  char text[LINE_BYTES];
  va_list args;
  if (!c->terminal || (c->writer && !console_writer_is_idle(c->writer)))
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  write_item(c, &(struct console_item){.kind = CONSOLE_STATUS, .priority = JOURNAL_INFO}, text);
}

void console_end(struct console *c) {
  write_item(c, &(struct console_item){.kind = CONSOLE_END, .priority = JOURNAL_INFO}, "");
}

int console_finish_stdout(const char *program, int exit_status) {
  struct reason why;
  if (output_flush_stdout(&why) == STATUS_OK)
    return exit_status;
  fprintf(stderr, "%s: %s\n", program, why.text);
  return 1;
}
