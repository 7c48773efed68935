// The plots of the cases and the PDF of the report, made by gnuplot.
#pragma once

#include "verification/report/report.h"

// Writes CASE-K.svg and CASE-K.png for each plot, and report.pdf. Returns 1 if they are written, 0 if gnuplot
// is missing, -1 on failure; both after a line on stderr.
int verify_plots_write(const char *folder, const char *build, const struct verify_outcome *outcomes,
                       int count);
