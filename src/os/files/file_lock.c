#include "os/files/file_lock.h"

#include "sagbend/base/shown_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 20 };
static const struct timespec BETWEEN = {.tv_nsec = 5000000};

// The process that holds the lock, by the kernel's list; 0: it is not in it (of another machine or
// container).
static long holder_of(int file) {
  struct stat about;
  char line[256], wanted[64];
  FILE *locks = fopen("/proc/locks", "re");
  long found = 0;
  if (!locks || fstat(file, &about)) {
    if (locks)
      fclose(locks);
    return 0;
  }
  snprintf(wanted, sizeof wanted, "%02x:%02x:%" PRIu64, major(about.st_dev), minor(about.st_dev),
           (uint64_t)about.st_ino);
  while (!found && fgets(line, sizeof line, locks)) {
    char id[64];
    long process;
    if (sscanf(line, "%*s FLOCK %*s %*s %ld %63s", &process, id) == 2 && !strcmp(id, wanted) && process > 0)
      found = process;
  }
  fclose(locks);
  return found;
}

static enum status refuse(int file, struct reason *why) {
  char path[64], command[160] = "", seen[160] = "";
  long process = holder_of(file);
  if (!process)
    return fail(why, STATUS_BAD_INPUT, "another program writes it, on another machine or in a container");
  snprintf(path, sizeof path, "/proc/%ld/cmdline", process);
  FILE *in = fopen(path, "re");
  size_t size = in ? fread(command, 1, sizeof command - 1, in) : 0;
  for (size_t i = 0; i + 1 < size; i++)
    if (!command[i])
      command[i] = ' ';
  if (in)
    fclose(in);
  text_show(command, seen, sizeof seen);
  return fail(why, STATUS_BAD_INPUT, "process %ld writes it%s%.100s", process, *seen ? ": " : "", seen);
}

int file_lock_is_at(int descriptor, const char *path) {
  struct stat ours, found;
  return !fstat(descriptor, &ours) && !stat(path, &found) && ours.st_dev == found.st_dev &&
         ours.st_ino == found.st_ino;
}

static int open_or_create(const char *path, int *is_new) {
  const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int file = open(path, flags | O_CREAT | O_EXCL, 0666);
  *is_new = file >= 0;
  if (file < 0 && errno == EEXIST) // also a link to a file that does not exist
    file = open(path, flags | O_CREAT, 0666);
  if (file < 0 && errno == EACCES) // a file that may be written, not read
    file = open(path, (flags & ~O_ACCMODE) | O_WRONLY | O_CREAT, 0666);
  return file;
}

enum status file_lock_take(const char *path, enum file_lock_mode mode, struct file_lock *out,
                           struct reason *why) {
  *out = (struct file_lock){.descriptor = -1};
  for (int attempt = 0;; attempt++) {
    int is_new, file = open_or_create(path, &is_new);
    if (file < 0)
      return fail(why, STATUS_IO, "cannot be written: %s", strerror(errno));
    int locked = flock(file, LOCK_EX | LOCK_NB) == 0, error = locked ? 0 : errno;
    if (!locked && error == EINTR)
      error = EWOULDBLOCK;
    if ((locked || error != EWOULDBLOCK) && (file_lock_is_at(file, path) || attempt == ATTEMPTS)) {
      *out = (struct file_lock){.descriptor = file, .is_new = is_new, .is_held = locked};
      if (mode == FILE_LOCK_EMPTY && ftruncate(file, 0) < 0 && errno != EINVAL) {
        error = errno;
        close(file);
        out->descriptor = -1;
        return fail(why, STATUS_IO, "cannot be written: %s", strerror(error));
      }
      return STATUS_OK;
    }
    // Held for a moment by who removes what a crash has left, or renamed since: that shows at once.
    enum status status = attempt == ATTEMPTS ? refuse(file, why) : STATUS_OK;
    close(file);
    if (status != STATUS_OK)
      return status;
    nanosleep(&BETWEEN, NULL);
  }
}

static void remove_if_left(int folder, const char *name) {
  struct stat ours, found;
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  if (!fstat(file, &ours) && S_ISREG(ours.st_mode) && ours.st_uid == geteuid() &&
      flock(file, LOCK_EX | LOCK_NB) == 0 && !fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) &&
      found.st_ino == ours.st_ino)
    unlinkat(folder, name, 0);
  close(file);
}

void file_lock_remove_left(const char *path) {
  static const char suffix[] = PARTIAL_SUFFIX;
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  DIR *directory = folder ? opendir(folder) : NULL;
  const struct dirent *entry;
  int at = directory ? dirfd(directory) : -1;
  while (at >= 0 && (entry = readdir(directory))) { // NOLINT(concurrency-mt-unsafe): its own stream
    size_t length = strlen(entry->d_name), end = sizeof suffix - 1;
    if (length > end && !strcmp(entry->d_name + length - end, suffix))
      remove_if_left(at, entry->d_name);
  }
  if (directory)
    closedir(directory);
  free(folder);
}
