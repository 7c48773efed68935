#include "os/cli/gnuplot.h"

#include "os/process/rt_process.h"

#include <stddef.h>

int gnuplot_run(const char *folder, const char *script) {
  char *arguments[] = {(char *)"gnuplot", (char *)script, NULL};
  return process_run(
      &(struct process_start){.program = arguments[0], .arguments = arguments, .folder = folder});
}

int gnuplot_draw(const char *folder, const char *script, const char *shown) {
  const int result = gnuplot_run(folder, script);
  if (result != 0)
    fprintf(stderr, "sagbend: notice: %s: gnuplot %s; only the script is there\n", shown,
            result < 0 || result == 127 ? "cannot be started" : "failed");
  return result == 0;
}

void gnuplot_quoted(FILE *out, const char *text) { // only the quote itself is doubled
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'')
      fputc('\'', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}
