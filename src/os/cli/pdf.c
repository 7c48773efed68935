// report.pdf from a page, by WeasyPrint where it is installed: on pages as a browser prints them, with an
// outline, tags, title and language.
//
// WeasyPrint tags a page only as PDF/UA and then claims PDF/UA-1 in the metadata, whatever the page holds.
// Its tags know no picture and no text in place of one, which ISO 14289-1, 7.3, demands, so the claim is
// taken out.
#define _GNU_SOURCE // memmem
#include "os/cli/cli.h"

#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
                       (char *)"pdf/ua-1", // with tags, for a reader that speaks; see drop_claim
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

// Blanks each mark of PDF/UA in the metadata, plain XML in the file: an attribute or an element of the space
// of names pdfuaid, and its declaration. All bytes keep their places, as the file's table of objects demands.
// `bytes` ends with a zero. Returns 0 if a mark has no end.
static int drop_claim(char *bytes, size_t size) {
  static const char BEGIN[] = "<?xpacket begin", END[] = "<?xpacket end", NAME[] = "pdfuaid";
  char *at = memmem(bytes, size, BEGIN, sizeof BEGIN - 1);
  const char *end = at ? memmem(at, size - (size_t)(at - bytes), END, sizeof END - 1) : NULL;
  while (end && (at = memmem(at, (size_t)(end - at), NAME, sizeof NAME - 1))) {
    while (!strchr(" <\n", at[-1])) // xmlns: or / before it
      at--;
    const int is_element = at[-1] == '<';
    char *last = at + strcspn(at, is_element ? ">" : "\"'");
    if (!is_element && *last)
      last += 1 + strcspn(last + 1, (char[]){*last, 0});
    if (!*last || last >= end)
      return 0;
    memset(at - is_element, ' ', (size_t)(last + 1 - at) + (size_t)is_element);
  }
  return 1;
}

static int claim_nothing(const char *path) {
  struct stat s;
  int file = open(path, O_RDWR | O_CLOEXEC), done = 0;
  char *bytes = file >= 0 && fstat(file, &s) == 0 ? calloc(1, (size_t)s.st_size + 1) : NULL;
  if (bytes)
    done = pread(file, bytes, (size_t)s.st_size, 0) == s.st_size && drop_claim(bytes, (size_t)s.st_size) &&
           pwrite(file, bytes, (size_t)s.st_size, 0) == s.st_size;
  free(bytes);
  if (file >= 0 && close(file))
    done = 0;
  return done;
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
  const int is_made = make(folder, page);
  if (is_made && claim_nothing(fresh) && rename(fresh, path) == 0)
    return 1;
  unlink(fresh);
  if (is_made)
    fprintf(stderr, "%s: notice: no report.pdf: %s/report.pdf.new could not be changed or renamed\n", who,
            shown(folder).text);
  else
    fprintf(stderr, "%s: notice: no report.pdf: weasyprint failed; %s/report.pdf.txt has what it said\n", who,
            shown(folder).text);
  return 0;
}
