// Lines on stderr, with one live status line below them when stderr is a terminal.
#pragma once

struct console {
  int terminal;
  int status_shown;
};

void console_init(struct console *c);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_line(struct console *c, const char *format, ...); // "sagbend: ..."
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_status(struct console *c, const char *format, ...); // nothing unless on a terminal
// Flushes standard output at the end of a program and returns its exit status: exit_status, or 1 after an
// error line on stderr (prefixed with program) if the output could not be written.
int console_finish_stdout(const char *program, int exit_status);

void console_end(struct console *c); // leaves the last status line standing
