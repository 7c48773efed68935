#include "sweep/gnuplot.h"

#include "rt/process.h"

#include <stddef.h>

int gnuplot_run(const char *folder, const char *script) {
  char *arguments[] = {(char *)"gnuplot", (char *)script, NULL};
  return process_run(
      &(struct process_start){.program = arguments[0], .arguments = arguments, .folder = folder});
}

const char *gnuplot_text(int result) {
  return result < 0 || result == 127 ? "cannot be started" : "failed";
}
