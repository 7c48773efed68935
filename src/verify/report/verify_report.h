// The report of sagbend verify: index.html with its plots as SVG inside, the plots as PNG beside it, and
// report.pdf. Plots and PDF are made by gnuplot.
#pragma once

#include "verify/harness/verify.h"

struct verify_outcome {
  const struct verify_case *c;
  struct verify_result result;
  int ok;
};

// The folder exists afterwards and can be written to; a line on stderr and -1 otherwise.
int verify_report_open(const char *folder);
// -1 after a line on stderr. Without gnuplot: the page without plots, one line on stderr, 0.
int verify_report_write(const char *folder, const struct verify_outcome *outcomes, int count);

// One line of a row for people: value, reference, error, limit, verdict.
enum { VERIFY_LINE_SIZE = 320 };
void verify_row_line(const struct verify_row *row, char line[VERIFY_LINE_SIZE]);
void verify_reference_text(const struct verify_row *row, char *text, size_t size);
const char *verify_verdict(const struct verify_row *row);
