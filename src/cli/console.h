// Lines on stderr, above one live status line if stderr is a terminal. Where the systemd journal reads stderr
// they become entries with the fields PRIORITY, SAGBEND_SESSION, SAGBEND_STEP and SAGBEND_EVENT.
#pragma once

#include <stdint.h>

struct console {
  int terminal;
  int status_shown;
  int journal;
  const char *session; // of the entries in the journal; "": none
};

void console_init(struct console *c);
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
