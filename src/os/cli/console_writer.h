// Private to the console: what a line consists of, and the thread that writes lines, so that the caller never
// waits for whoever reads standard error.
#pragma once

#include "sagbend/base/status.h"
#include "os/process/journal.h"

#include <stdint.h>

enum console_kind { CONSOLE_LINE, CONSOLE_STATUS, CONSOLE_END }; // status: the live line; end: leaves it

struct console_item {
  enum console_kind kind;
  enum journal_priority priority;
  int is_event;
  uint64_t step; // of an event
  char event[32], session[24];
  char text[]; // without a line break
};

// What stands on the terminal; of the thread that writes.
struct console_screen {
  int journal;
  int status_shown;
};

// Writes the item to the journal or to stderr, however long that takes.
void console_emit(struct console_screen *screen, const struct console_item *item);

struct console_writer;
enum status console_writer_start(const struct console_screen *screen, struct console_writer **out,
                                 struct reason *why);
// Queues an item. Returns 0 if there is no room for it. One thread only.
int console_writer_put(struct console_writer *writer, const struct console_item *head, const char *text);
int console_writer_is_idle(const struct console_writer *writer);
uint64_t console_writer_waiting(const struct console_writer *writer); // items
// Waits until all is written, at most so long. Returns 0 if it is not.
int console_writer_settle(const struct console_writer *writer, uint64_t wait_ns);
// Ends the thread. One that is still blocked then is left behind; it ends with the process.
void console_writer_stop(struct console_writer *writer, uint64_t wait_ns);
