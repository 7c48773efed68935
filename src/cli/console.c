#include "cli/console.h"

#include "io/files/output_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void console_init(struct console *c) {
  c->terminal = isatty(STDERR_FILENO);
  c->status_shown = 0;
}

static void clear_status(struct console *c) {
  if (c->status_shown)
    fputs("\r\033[K", stderr);
  c->status_shown = 0;
}

void console_line(struct console *c, const char *format, ...) {
  va_list args;
  clear_status(c);
  fputs("sagbend: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
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
