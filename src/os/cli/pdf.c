// report.pdf from a page, by WeasyPrint where it is installed: on pages as a browser prints them, with an
// outline and tags.
#include "os/cli/cli.h"

#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PDF_PATH = 4096 };

// Whether PATH leads to a program of this name.
static int is_installed(const char *name) {
  const char *path = getenv("PATH");
  char file[PDF_PATH];
  for (const char *at = path ? path : ""; *at;) {
    size_t size = strcspn(at, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)size, at, name);
    if (access(file, X_OK) == 0)
      return 1;
    at += size + (at[size] == ':');
  }
  return 0;
}

// The PDF appears whole or not at all; what the program prints stands in a file beside it until it succeeds.
static int make(const char *folder, const char *page) {
  char said[PDF_PATH];
  char *arguments[] = {(char *)"weasyprint", (char *)"--quiet",        (char *)"--pdf-variant",
                       (char *)"pdf/ua-1", // with tags, for a reader that speaks
                       (char *)page,         (char *)"report.pdf.new", NULL};
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

int report_pdf(const char *who, const char *folder, const char *page) {
  char path[PDF_PATH], fresh[PDF_PATH];
  snprintf(path, sizeof path, "%s/report.pdf", folder);
  snprintf(fresh, sizeof fresh, "%s/report.pdf.new", folder);
  unlink(path); // that of earlier results
  if (!is_installed("weasyprint")) {
    fprintf(stderr,
            "%s: notice: no report.pdf: the program weasyprint is not installed (Debian: apt install "
            "weasyprint); a browser prints the report on the same pages\n",
            who);
    return 0;
  }
  if (make(folder, page) && rename(fresh, path) == 0)
    return 1;
  unlink(fresh);
  fprintf(stderr, "%s: notice: no report.pdf: weasyprint failed; %s/report.pdf.txt has what it said\n", who,
          shown(folder).text);
  return 0;
}
