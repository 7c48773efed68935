// The verification cases: the list of verification/harness/cases.inc as a table.
#pragma once

#include "verification/harness/harness.h"

int verify_count(void);
const struct verify_case *verify_at(int index);
const char *
verify_subject_at(int index); // title of the subject that begins with this case; NULL: none begins
const struct verify_case *verify_find(const char *name); // NULL: none

// ------------------------------------------------------------
// The papers, row by row: which case judges which figure, table and equation, and with what agreement.

// Prints the page docs/papers.md to standard output.

void papers_print(void);

// ------------------------------------------------------------
// The report of sagbend verify: index.html with its plots as inline SVG, the plots as PNG files, and
// report.pdf. gnuplot makes the plots, WeasyPrint the PDF.

struct verify_outcome {
  const struct verify_case *c;
  struct verify_result result;
  int ok;
};

// Texts of the build of the simulator that the cases are of, and of the one beside this program.
struct verify_builds {
  const char *cases, *beside;
  int is_same;
};

// Creates the directory if it is missing. Returns 0 if it can be written to, otherwise -1 after a line on
// stderr.
int verify_report_open(const char *folder);
// The builds stand in its head. Returns 0, or -1 after a line on stderr. Without gnuplot
// it writes the page without plots and a notice on stderr.
int verify_report_write(const char *folder, const struct verify_builds *builds,
                        const struct verify_outcome *outcomes, int count);

// Formats a row as one line: value, reference, error, limit, verdict.
enum { VERIFY_LINE_SIZE = 320 };
void verify_row_line(const struct verify_row *row, char line[VERIFY_LINE_SIZE]);
