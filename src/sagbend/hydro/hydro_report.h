// The report of an import: lines of text that the command prints and the file keeps as comments.
#pragma once

#include <stddef.h>

enum { REPORT_BYTES = 1 << 15 };

struct hydro_report {
  char text[REPORT_BYTES]; // lines, each ends with a newline; a report that is full drops further lines
  size_t used;
};

// Adds a line (printf format, without the newline).
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void report_line(struct hydro_report *report, const char *format, ...);
