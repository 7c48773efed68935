// The report of sagbend verify: index.html with its plots as inline SVG, the plots as PNG files, and
// report.pdf. gnuplot makes the plots and the PDF.
#pragma once

#include "verification/harness/harness.h"

struct verify_outcome {
  const struct verify_case *c;
  struct verify_result result;
  int ok;
};

// Creates the directory if it is missing. Returns 0 if it can be written to, otherwise -1 after a line on
// stderr.
int verify_report_open(const char *folder);
// build: of the simulator that the cases hold for. Returns 0, or -1 after a line on stderr. Without gnuplot
// it writes the page without plots and a notice on stderr.
int verify_report_write(const char *folder, const char *build, const struct verify_outcome *outcomes,
                        int count);

// Formats a row as one line: value, reference, error, limit, verdict.
enum { VERIFY_LINE_SIZE = 320 };
void verify_row_line(const struct verify_row *row, char line[VERIFY_LINE_SIZE]);
void verify_reference_text(const struct verify_row *row, char *text, size_t size);
const char *verify_verdict(const struct verify_row *row);
