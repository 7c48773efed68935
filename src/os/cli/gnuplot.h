// gnuplot, if it is installed.
#pragma once

#include <stdio.h>

// Runs a script in its folder; NULL: the working directory. Its exit status; negative: it cannot be started.
int gnuplot_run(const char *folder, const char *script);

// The same; returns 1 if it has drawn, else a notice names the script as `shown`.
int gnuplot_draw(const char *folder, const char *script, const char *shown);

// Writes a text in single quotes.
void gnuplot_quoted(FILE *out, const char *text);
