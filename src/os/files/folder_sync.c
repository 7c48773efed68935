#define _DEFAULT_SOURCE // O_DIRECTORY
#include "os/files/folder_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int folder_sync(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  if (!folder)
    return ENOMEM;
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int error = file < 0 || fsync(file) ? errno : 0;
  if (file >= 0)
    close(file);
  free(folder);
  return error == EINVAL || error == EACCES ? 0 : error;
}
