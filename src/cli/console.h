// Lines on stderr, above one live status line if stderr is a terminal.
#pragma once

struct console {
  int terminal;
  int status_shown;
};

void console_init(struct console *c);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_line(struct console *c, const char *format, ...); // prints "sagbend: ..."
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_status(struct console *c, const char *format, ...); // has no effect unless stderr is a terminal
// Flushes standard output at the end of a program and returns its exit status: exit_status, or 1 after an
// error line on stderr (prefixed with program) if the output could not be written.
int console_finish_stdout(const char *program, int exit_status);

void console_end(struct console *c); // ends the status line and leaves it visible
