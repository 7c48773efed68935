#include "os/cli/console_writer.h"

#include "os/process/byte_ring.h"
#include "os/process/process.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void clear_status(struct console_screen *screen) {
  if (screen->status_shown)
    write_all("\r\033[K", 4);
  screen->status_shown = 0;
}

void console_emit(struct console_screen *screen, const struct console_item *item) {
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
  int length = item->kind == CONSOLE_STATUS ? snprintf(line, sizeof line, "%s", item->text)
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

enum status console_writer_start(const struct console_screen *screen, struct console_writer **out,
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

int console_writer_put(struct console_writer *writer, const struct console_item *head, const char *text) {
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

int console_writer_is_idle(const struct console_writer *writer) {
  return console_writer_waiting(writer) == 0;
}

uint64_t console_writer_waiting(const struct console_writer *writer) {
  return writer->queued - atomic_load(&writer->written);
}

int console_writer_settle(const struct console_writer *writer, uint64_t wait_ns) {
  uint64_t begin_ns = os_now_ns();
  while (!console_writer_is_idle(writer) && os_now_ns() - begin_ns < wait_ns)
    os_sleep_until_ns(os_now_ns() + LOOK_NS);
  return console_writer_is_idle(writer);
}

void console_writer_stop(struct console_writer *writer, uint64_t wait_ns) {
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
