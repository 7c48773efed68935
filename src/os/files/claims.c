// Claims on the files of a command: no two uses that exclude each other, no other process at the same file.
#define _DEFAULT_SOURCE // realpath
#include "os/files/files.h"

#include "sagbend/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static int is_read(enum file_use use) {
  return use == FILE_READ || use == FILE_RESUMED;
}

// Whether the same file may have both uses.
static int agree(enum file_use a, enum file_use b) {
  return (is_read(a) && is_read(b)) || (a == FILE_PRINTED && b == FILE_PRINTED) ||
         (a == FILE_RESUMED && b == FILE_KEPT) || (a == FILE_KEPT && b == FILE_RESUMED);
}

static int file_place_is_same(const struct file_place *a, const struct file_place *b);

static int meet(const struct file_claim *a, const struct file_claim *b) {
  for (int i = 0; i < a->place_count; i++)
    for (int k = 0; k < b->place_count; k++)
      if (file_place_is_same(&a->place[i], &b->place[k]))
        return 1;
  return 0;
}

static void file_place_free(struct file_place *place);

static void forget(struct file_claim *claim) {
  for (int i = 0; i < claim->place_count; i++)
    file_place_free(&claim->place[i]);
  if (claim->lock >= 0)
    close(claim->lock);
  free(claim->lock_path);
  free(claim->path);
  free(claim->what);
}

static char *with_suffix(const char *path, const char *suffix) {
  size_t size = strlen(path) + strlen(suffix) + 1;
  char *out = malloc(size);
  if (out)
    snprintf(out, size, "%s%s", path, suffix);
  return out;
}

static int file_place_of(const char *path, struct file_place *out);

static void add_place_beside(struct file_claim *claim, const char *target, const char *suffix) {
  char *path = with_suffix(target, suffix);
  claim->place_count += claim->place_count && path && file_place_of(path, &claim->place[claim->place_count]);
  free(path);
}

// Opening such a thing for writing discards nothing.
static int is_exempt(const char *path) {
  struct stat found;
  return !stat(path, &found) && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

// Finds which files the path stands for. 0: out of memory.
static int locate(struct file_claim *claim) {
  char *target = file_target(claim->path);
  if (!target)
    return 0;
  const char *suffix = claim->use == FILE_KEPT        ? ".progress"
                       : claim->use == FILE_COMPLETED ? PARTIAL_SUFFIX
                                                      : "";
  claim->place_count = file_place_of(claim->path, &claim->place[0]);
  int is_locked = !is_read(claim->use) && !is_exempt(claim->path);
  if (is_locked && (claim->use == FILE_KEPT || claim->use == FILE_COMPLETED))
    add_place_beside(claim, target, PARTIAL_SUFFIX);
  if (is_locked && claim->use == FILE_KEPT)
    add_place_beside(claim, target, suffix);
  if (is_locked)
    claim->lock_path = with_suffix(target, suffix);
  free(target);
  return !is_locked || claim->lock_path;
}

// A new claim at the end of the list. NULL: out of memory.
static struct file_claim *append(struct file_claims *claims, enum file_use use, const char *what,
                                 const char *path) {
  struct file_claim *more = realloc(claims->list, (size_t)(claims->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  claims->list = more;
  struct file_claim *claim = &claims->list[claims->count++];
  *claim = (struct file_claim){.use = use, .lock = -1, .what = strdup(what), .path = strdup(path)};
  return claim->what && claim->path ? claim : NULL;
}

// Whether the newest claim is of a file of its own.
static enum status compare(const struct file_claims *claims, struct reason *why) {
  const struct file_claim *claim = &claims->list[claims->count - 1];
  for (int i = 0; i + 1 < claims->count; i++)
    if (meet(&claims->list[i], claim) && !agree(claims->list[i].use, claim->use))
      return fail(why, STATUS_BAD_INPUT, "%s needs a file of its own; it is the same as %s: %s", claim->what,
                  claims->list[i].what, claim->path);
  return STATUS_OK;
}

static enum status add_printed(struct file_claims *claims, int descriptor, const char *what,
                               struct reason *why) {
  struct stat found;
  if (fstat(descriptor, &found) || !S_ISREG(found.st_mode))
    return STATUS_OK;
  struct file_claim *claim = append(claims, FILE_PRINTED, what, "-");
  if (!claim)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the names of files");
  claim->place[0] = (struct file_place){found.st_dev, found.st_ino, NULL};
  claim->place_count = 1;
  return STATUS_OK;
}

static enum status add(struct file_claims *claims, enum file_use use, const char *what, const char *path,
                       struct reason *why) {
  struct file_claim *claim = append(claims, use, what, path);
  if (!claim || !locate(claim))
    return fail(why, STATUS_NO_MEMORY, "out of memory for the names of files");
  return compare(claims, why);
}

enum status file_claims_add(struct file_claims *claims, enum file_use use, const char *what, const char *path,
                            struct reason *why) {
  enum status status = STATUS_OK;
  if (!path || !strcmp(path, "-"))
    return STATUS_OK;
  if (!claims->count)
    status = add_printed(claims, STDOUT_FILENO, "standard output", why);
  if (status == STATUS_OK && claims->count < 2)
    status = add_printed(claims, STDERR_FILENO, "standard error", why);
  int before = claims->count;
  if (status == STATUS_OK)
    status = add(claims, use, what, path, why);
  while (status != STATUS_OK && claims->count > before)
    file_claims_retract(claims);
  return status;
}

static enum status take(struct file_claim *claim, int replaces_logs, struct reason *why) {
  struct file_lock lock;
  struct reason cause = {""};
  struct stat found;
  enum status status = file_lock_take(claim->lock_path, FILE_LOCK_EXISTING, &lock, &cause);
  if (status != STATUS_OK)
    return fail(why, status, "%s: %.100s: %s", claim->what, claim->path, cause.text);
  if (claim->use == FILE_LOGGED && !replaces_logs && lock.descriptor >= 0 &&
      !fstat(lock.descriptor, &found) && found.st_size > 0) {
    close(lock.descriptor);
    return fail(why, STATUS_BAD_INPUT, "%s: %s: it exists already; --overwrite replaces it", claim->what,
                claim->path);
  }
  claim->lock = lock.descriptor;
  claim->created = lock.is_new;
  if (!lock.is_held) {
    close(lock.descriptor);
    claim->lock = -1;
  }
  return STATUS_OK;
}

enum status file_claims_take(struct file_claims *claims, int replaces_logs, struct reason *why) {
  enum status status = STATUS_OK;
  for (int i = 0; i < claims->count && status == STATUS_OK; i++) {
    struct file_claim *claim = &claims->list[i];
    if (!claim->lock_path || claim->lock >= 0)
      continue;
    if (claim->use == FILE_KEPT || claim->use == FILE_COMPLETED) // temporary files stand beside it
      file_lock_remove_left(claim->lock_path);
    status = take(claim, replaces_logs, why);
  }
  return status;
}

void file_claims_retract(struct file_claims *claims) {
  forget(&claims->list[--claims->count]);
}

enum status file_claims_extend(struct file_claims *claims, enum file_use use, const char *what,
                               const char *path, int replaces_logs, struct reason *why) {
  int before = claims->count;
  enum status status = file_claims_add(claims, use, what, path, why);
  if (status == STATUS_OK)
    status = file_claims_take(claims, replaces_logs, why);
  while (status != STATUS_OK && claims->count > before)
    file_claims_retract(claims);
  return status;
}

const char *file_claims_unlocked(const struct file_claims *claims) {
  for (int i = 0; i < claims->count; i++)
    if (claims->list[i].lock_path && claims->list[i].lock < 0)
      return claims->list[i].path;
  return NULL;
}

int file_claims_lock_of(const struct file_claims *claims, const char *path) {
  for (int i = 0; path && i < claims->count; i++)
    if (claims->list[i].use == FILE_COMPLETED && !strcmp(claims->list[i].path, path))
      return claims->list[i].lock;
  return -1;
}

void file_claims_keep(struct file_claims *claims) {
  for (int i = 0; i < claims->count; i++)
    claims->list[i].created = 0;
}

void file_claims_release(struct file_claims *claims) {
  struct stat found;
  for (int i = 0; i < claims->count; i++) {
    struct file_claim *claim = &claims->list[i];
    if (claim->lock >= 0 && claim->created && !fstat(claim->lock, &found) && found.st_size == 0 &&
        file_lock_is_at(claim->lock, claim->lock_path))
      unlink(claim->lock_path);
    forget(claim);
  }
  free(claims->list);
  *claims = (struct file_claims){0};
}

// ------------------------------------------------------------
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

// ------------------------------------------------------------
enum { MOST_LINKS = 40 }; // as the kernel

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The name beside path: in the same folder, unless it is absolute.
static char *beside(const char *path, const char *name) {
  size_t folder = *name == '/' ? 0 : (size_t)(name_in(path) - path), size = folder + strlen(name) + 1;
  char *out = malloc(size);
  if (out)
    snprintf(out, size, "%.*s%s", (int)folder, path, name);
  return out;
}

char *file_folder(const char *path) {
  size_t length = (size_t)(name_in(path) - path);
  return length ? strndup(path, length - (length > 1)) : strdup(".");
}

// Folder of a path, resolved. NULL: there is none.
static char *real_folder(const char *path) {
  char *given = file_folder(path), *real = given ? realpath(given, NULL) : NULL;
  free(given);
  return real;
}

// A path with the target of its last link in the place of the link. NULL: it is no link, or out of memory.
static char *follow(const char *path) {
  char to[PATH_MAX];
  ssize_t size = readlink(path, to, sizeof to - 1);
  if (size < 0)
    return NULL;
  to[size] = '\0';
  return beside(path, to);
}

char *file_target(const char *path) {
  char *real = realpath(path, NULL), *next;
  if (real)
    return real;
  char *at = strdup(path);
  for (int i = 0; at && i < MOST_LINKS && (next = follow(at)); i++) {
    free(at);
    at = next;
  }
  char *folder = at ? real_folder(at) : NULL;
  if (!folder)
    return at; // opening it fails
  size_t size = strlen(folder) + strlen(name_in(at)) + 2;
  char *out = malloc(size);
  if (out)
    snprintf(out, size, "%s/%s", strcmp(folder, "/") ? folder : "", name_in(at));
  free(folder);
  free(at);
  return out;
}

// 0: the path can name no file of its own: a pipe, a terminal, a device, a folder; or out of memory. Release
// with file_place_free.
static int file_place_of(const char *path, struct file_place *out) {
  struct stat found;
  *out = (struct file_place){0};
  if (!stat(path, &found)) {
    *out = (struct file_place){found.st_dev, found.st_ino, NULL};
    return S_ISREG(found.st_mode);
  }
  char *target = file_target(path), *folder = target ? real_folder(target) : NULL;
  if (folder && !stat(folder, &found))
    *out = (struct file_place){found.st_dev, found.st_ino, strdup(name_in(target))};
  free(folder);
  free(target);
  return out->name != NULL;
}

static int file_place_is_same(const struct file_place *a, const struct file_place *b) {
  return a->device == b->device && a->inode == b->inode && !a->name == !b->name &&
         (!a->name || !strcmp(a->name, b->name));
}

static void file_place_free(struct file_place *place) {
  free(place->name);
  place->name = NULL;
}
