#include "lab/trials/report_pdf.h"

#include "sagbend/base/shown_text.h"
#include "os/process/rt_process.h"
#include "lab/sweep/point_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether PATH leads to a program of this name.
static int is_installed(const char *name) {
  const char *path = getenv("PATH");
  char file[SWEEP_PATH];
  for (const char *at = path ? path : ""; *at;) {
    size_t size = strcspn(at, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)size, at, name);
    if (access(file, X_OK) == 0)
      return 1;
    at += size + (at[size] == ':');
  }
  return 0;
}

// The PDF appears whole or not at all; what the program says stands in a file beside it until it succeeds.
static int make(const char *folder) {
  char said[SWEEP_PATH];
  char *arguments[] = {(char *)"weasyprint", (char *)"--quiet", (char *)"report.html",
                       (char *)"report.pdf.new", NULL};
  snprintf(said, sizeof said, "%s/report.pdf.txt", folder);
  int output = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (output < 0)
    return 0;
  const struct process_start start = {
      .program = "weasyprint", .arguments = arguments, .folder = folder, .output = output, .is_apart = 1};
  int exit_status = process_run(&start);
  close(output);
  if (exit_status == 0)
    unlink(said);
  return exit_status == 0;
}

void report_write_pdf(const char *folder) {
  char path[SWEEP_PATH], fresh[SWEEP_PATH];
  snprintf(path, sizeof path, "%s/report.pdf", folder);
  snprintf(fresh, sizeof fresh, "%s/report.pdf.new", folder);
  unlink(path); // that of earlier results
  if (!is_installed("weasyprint")) {
    fprintf(
        stderr,
        "sagbend trials: notice: no report.pdf: the program weasyprint is not installed (Debian: apt install "
        "weasyprint); a browser prints report.html on the same pages\n");
  } else if (!make(folder) || rename(fresh, path) != 0) {
    unlink(fresh);
    fprintf(stderr,
            "sagbend trials: notice: no report.pdf: weasyprint failed; %s/report.pdf.txt has what it said\n",
            shown(folder).text);
  } else {
    printf("%-20s %s\n", "", shown(path).text);
  }
}
