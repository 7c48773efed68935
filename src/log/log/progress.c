#include "log/log/progress.h"

#include "os/files/file_target.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 48 }; // bytes of the file

static char *path_of(const char *checkpoint_path) {
  char *target = file_target(checkpoint_path);
  size_t size = target ? strlen(target) + sizeof ".progress" : 0;
  char *path = target ? malloc(size) : NULL;
  if (path)
    snprintf(path, size, "%s.progress", target);
  free(target);
  return path;
}

int progress_open(const char *checkpoint_path) {
  char *path = path_of(checkpoint_path);
  int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666) : -1;
  free(path);
  return file;
}

void progress_write(int file, const struct progress *progress) {
  char line[LINE + 1];
  if (file < 0)
    return;
  snprintf(line, sizeof line, "%-23.23s %23" PRIu64 "\n", progress->session, progress->step);
  if (pwrite(file, line, LINE, 0) != LINE)
    return; // then the number of lost steps is unknown, or smaller
}

int progress_read(const char *checkpoint_path, struct progress *out) {
  char line[LINE + 1] = "";
  char *path = path_of(checkpoint_path);
  int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  ssize_t got = file >= 0 ? read(file, line, LINE) : -1;
  if (file >= 0)
    close(file);
  free(path);
  return got == LINE && sscanf(line, "%23s %" SCNu64, out->session, &out->step) == 2;
}
