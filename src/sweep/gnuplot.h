// gnuplot, if it is installed.
#pragma once

// Runs a script in its folder; NULL: the working directory. Its exit status; negative: it cannot be started.
int gnuplot_run(const char *folder, const char *script);

// Text for a result other than 0: "cannot be started" or "failed".
const char *gnuplot_text(int result);
