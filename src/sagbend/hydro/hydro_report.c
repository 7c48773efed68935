#include "sagbend/hydro/hydro_report.h"

#include <stdarg.h>
#include <stdio.h>

void report_line(struct hydro_report *report, const char *format, ...) {
  va_list arguments;
  size_t room = REPORT_BYTES - report->used;
  va_start(arguments, format);
  int length = vsnprintf(report->text + report->used, room, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length + 2 > room) {
    report->text[report->used] = '\0';
    return;
  }
  report->used += (size_t)length;
  report->text[report->used++] = '\n';
  report->text[report->used] = '\0';
}
