// Lines and the status line on the terminal, from any thread; gnuplot.
#include "os/cli/cli.h"

#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };
enum { MIN_TEXT_COLUMNS = 24 }; // of a line of results beside its label; with fewer the text begins below
static const uint64_t SETTLE_NS = 1000000000;

void console_init(struct console *c) {
  *c = (struct console){
      .terminal = isatty(STDERR_FILENO), .session = "", .screen.journal = journal_is_stderr()};
}

static enum status console_writer_start(const struct console_screen *screen, struct console_writer **out,
                                        struct reason *why);

enum status console_start_writer(struct console *c, struct reason *why) {
  return console_writer_start(&c->screen, &c->writer, why);
}

static int console_writer_settle(const struct console_writer *writer, uint64_t wait_ns);

void console_settle(struct console *c) {
  if (c->writer)
    console_writer_settle(c->writer, SETTLE_NS);
}

static void console_writer_stop(struct console_writer *writer, uint64_t wait_ns);

void console_stop_writer(struct console *c) {
  if (c->writer)
    console_writer_stop(c->writer, SETTLE_NS);
  c->writer = NULL;
}

static uint64_t console_writer_waiting(const struct console_writer *writer);

uint64_t console_lost(const struct console *c) {
  return c->lost + (c->writer ? console_writer_waiting(c->writer) : 0);
}

static int console_writer_put(struct console_writer *writer, const struct console_item *head,
                              const char *text);

// The first line that finds room again reports how many did not.
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

static void console_emit(struct console_screen *screen, const struct console_item *item);

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

static int console_writer_is_idle(const struct console_writer *writer);

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

// ------------------------------------------------------------
enum { RING_BYTES = 1 << 16, STACK_BYTES = 256 * 1024 };
static const uint64_t LOOK_NS = 1000000; // between looks whether all is written

struct console_writer {
  struct byte_ring ring;
  struct console_screen screen; // the thread's
  struct os_thread thread;
  sem_t put; // posted for each item, and for the stop
  uint64_t queued;
  atomic_uint_fast64_t written;
  atomic_int stop, done;
};

// A reader that has gone, or a file that takes nothing: the text is lost. One that does not read is waited
// for.
static void write_all(const char *text, size_t size) {
  while (size > 0) {
    ssize_t n = write(STDERR_FILENO, text, size);
    if (n < 0 && errno == EAGAIN)
      poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, -1);
    else if (n < 0 && errno != EINTR)
      return;
    if (n > 0) {
      text += n;
      size -= (size_t)n;
    }
  }
}

static int columns_of(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

int console_status_columns(void) {
  return columns_of(STDERR_FILENO) - 1;
}

// Characters of a status line that are shown: all, or as many of its parts, which two blanks divide, as fit
// whole.
static int status_length(const char *text) {
  const int columns = console_status_columns(), length = (int)strlen(text);
  if (length <= columns)
    return length;
  int end = columns;
  while (end > 0 && strncmp(text + end, "  ", 2) != 0)
    end--;
  return end > columns / 2 ? end : columns;
}

void print_labelled(int column, const char *label, const char *format, ...) {
  char text[4 * LINE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("%-*s", column, label);
  if (!isatty(STDOUT_FILENO)) {
    puts(text);
    return;
  }
  const int columns = columns_of(STDOUT_FILENO), length = (int)strlen(label);
  int indent = length > column ? length : column;
  if (indent > columns - MIN_TEXT_COLUMNS) {
    indent = columns > 2 * MIN_TEXT_COLUMNS ? columns - MIN_TEXT_COLUMNS : 0;
    printf("\n%*s", indent, "");
  }
  print_wrapped(stdout, text, indent, columns);
}

static void clear_status(struct console_screen *screen) {
  if (screen->status_shown)
    write_all("\r\033[K", 4);
  screen->status_shown = 0;
}

// Writes the item to the journal or to stderr, however long that takes.
static void console_emit(struct console_screen *screen, const struct console_item *item) {
  char line[1100];
  const struct journal_entry entry = {.text = item->text,
                                      .priority = item->priority,
                                      .session = item->session,
                                      .event = item->is_event ? item->event : NULL,
                                      .step = item->step};
  if (item->kind == CONSOLE_END) {
    if (screen->status_shown)
      write_all("\n", 1);
    screen->status_shown = 0;
    return;
  }
  if (item->kind == CONSOLE_LINE && screen->journal && journal_write(&entry))
    return;
  clear_status(screen);
  int length = item->kind == CONSOLE_STATUS
                   ? snprintf(line, sizeof line, "%.*s", status_length(item->text), item->text)
                   : snprintf(line, sizeof line, "sagbend: %s\n", item->text);
  write_all(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
  screen->status_shown = item->kind == CONSOLE_STATUS;
}

static void write_until_stopped(void *context) {
  struct console_writer *writer = context;
  os_name_thread("console");
  for (;;) {
    const struct console_item *item;
    while ((item = byte_ring_front(&writer->ring))) {
      console_emit(&writer->screen, item);
      byte_ring_release(&writer->ring);
      atomic_fetch_add(&writer->written, 1);
    }
    if (atomic_load(&writer->stop))
      break;
    while (sem_wait(&writer->put) && errno == EINTR) {
    }
  }
  atomic_store(&writer->done, 1);
}

static enum status console_writer_start(const struct console_screen *screen, struct console_writer **out,
                                        struct reason *why) {
  struct console_writer *writer =
      aligned_alloc(BYTE_RING_LINE, sizeof *writer); // a multiple of its alignment
  void *mem = aligned_alloc(BYTE_RING_LINE, RING_BYTES);
  enum status status = STATUS_NO_MEMORY;
  *out = NULL;
  if (writer && mem) {
    memset(writer, 0, sizeof *writer);
    byte_ring_init(&writer->ring, mem, RING_BYTES);
    writer->screen = *screen;
    sem_init(&writer->put, 0, 0);
    status = os_thread_start(&writer->thread, STACK_BYTES, write_until_stopped, writer, why);
  } else {
    fail(why, status, "out of memory for the console");
  }
  if (status == STATUS_OK) {
    *out = writer;
    return status;
  }
  free(mem);
  free(writer);
  return status;
}

static int console_writer_put(struct console_writer *writer, const struct console_item *head,
                              const char *text) {
  size_t length = strlen(text);
  struct console_item *item =
      byte_ring_claim(&writer->ring, sizeof *item + length + 1, writer->ring.capacity);
  if (!item)
    return 0;
  *item = *head;
  memcpy(item->text, text, length + 1);
  byte_ring_commit(&writer->ring);
  writer->queued++;
  sem_post(&writer->put);
  return 1;
}

static int console_writer_is_idle(const struct console_writer *writer) {
  return console_writer_waiting(writer) == 0;
}

// Queues an item. Returns 0 if there is no room for it. One thread only.
static uint64_t console_writer_waiting(const struct console_writer *writer) {
  return writer->queued - atomic_load(&writer->written);
}

// Waits until all is written, at most so long. Returns 0 if it is not.
static int console_writer_settle(const struct console_writer *writer, uint64_t wait_ns) {
  uint64_t begin_ns = os_now_ns();
  while (!console_writer_is_idle(writer) && os_now_ns() - begin_ns < wait_ns)
    os_sleep_until_ns(os_now_ns() + LOOK_NS);
  return console_writer_is_idle(writer);
}

// Ends the thread. One that is still blocked then is left behind; it ends with the process.
static void console_writer_stop(struct console_writer *writer, uint64_t wait_ns) {
  uint64_t begin_ns = os_now_ns();
  atomic_store(&writer->stop, 1);
  sem_post(&writer->put);
  while (!atomic_load(&writer->done)) {
    if (os_now_ns() - begin_ns > wait_ns)
      return;
    os_sleep_until_ns(os_now_ns() + LOOK_NS);
  }
  os_thread_join(&writer->thread);
  sem_destroy(&writer->put);
  free(writer->ring.bytes);
  free(writer);
}

// ------------------------------------------------------------
int gnuplot_run(const char *folder, const char *script) {
  char *arguments[] = {(char *)"gnuplot", (char *)script, NULL};
  return process_run(
      &(struct process_start){.program = arguments[0], .arguments = arguments, .folder = folder});
}

int gnuplot_draw(const char *folder, const char *script, const char *shown) {
  const int result = gnuplot_run(folder, script);
  if (result != 0)
    fprintf(stderr, "sagbend: notice: %s: gnuplot %s; only the script is there\n", shown,
            result < 0 || result == 127 ? "cannot be started" : "failed");
  return result == 0;
}

void gnuplot_quoted(FILE *out, const char *text) { // only the quote itself is doubled
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'')
      fputc('\'', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}
