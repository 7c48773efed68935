// Plots of the cases and the PDF of the report, by gnuplot.
#pragma once

#include "verify/report/verify_report.h"

// Writes CASE-K.svg, CASE-K.png for each plot and report.pdf. 1: done; 0: there is no gnuplot, said in a
// line; -1: failed, said.
int verify_plots_write(const char *folder, const struct verify_outcome *outcomes, int count);
