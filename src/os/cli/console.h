// Lines on stderr, above one live status line if stderr is a terminal. Where the systemd journal reads stderr
// they become entries with the fields PRIORITY, SAGBEND_SESSION, SAGBEND_STEP and SAGBEND_EVENT.
#pragma once

#include "os/cli/console_writer.h"

struct console {
  int terminal;
  const char *session;           // of the entries in the journal; "": none
  struct console_screen screen;  // while no thread writes
  struct console_writer *writer; // NULL: the caller writes itself, and waits for stderr
  uint64_t lost, lost_reported;  // lines that found no room in its queue; those that a line states
};

void console_init(struct console *c);
// From now on a thread of its own writes, and none of the calls below waits for whoever reads stderr. A full
// queue drops lines and counts them. One thread only may call.
enum status console_start_writer(struct console *c, struct reason *why);
// Waits until all lines are written, at most a second. Stop: ends the thread, too.
void console_settle(struct console *c);
void console_stop_writer(struct console *c);
uint64_t console_lost(const struct console *c); // lines dropped, or still not written
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_line(struct console *c, const char *format, ...); // prints "sagbend: ..."
// Prints "sagbend: t = 1.000 s: name: text". The name gives the priority in the journal.
void console_event(struct console *c, uint64_t step, double time_s, const char *name, const char *text);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_status(struct console *c, const char *format, ...); // has no effect unless stderr is a terminal
// Flushes standard output at the end of a program and returns its exit status: exit_status, or 1 after an
// error line on stderr (prefixed with program) if the output could not be written.
int console_finish_stdout(const char *program, int exit_status);

void console_end(struct console *c); // ends the status line and leaves it visible
