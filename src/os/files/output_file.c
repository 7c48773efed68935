// Files that are written: whole or not at all, to the disk, under a lock.
#define _GNU_SOURCE // fopencookie, O_DIRECTORY
#include "os/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double READER_S = 5;
enum { TURN_MS = 50, READER_TURNS = 100, PIPE_BUFFER = 4096 };

// A pipe as an output: its reader may wait as long as it likes, until the run is to end.
struct output_pipe {
  int descriptor;
  int is_given_up; // 1: later output is not tried
  atomic_int is_hurried;
  char buffer[PIPE_BUFFER]; // of the stream: small, so that readers see what there is
};

static enum status cannot_write(const char *path, int error, struct reason *why) {
  if (error == ENXIO)
    return fail(why, STATUS_IO, "%s: cannot be written: a pipe that nobody reads, for %g s", path, READER_S);
  return fail(why, STATUS_IO, "%s: cannot be written: %s", path, strerror(error));
}

static ssize_t write_pipe(void *cookie, const char *bytes, size_t count) {
  struct output_pipe *pipe = cookie;
  size_t written = 0;
  int turns = 0; // without progress, in a hurry
  while (written < count && !pipe->is_given_up) {
    ssize_t taken = write(pipe->descriptor, bytes + written, count - written);
    if (taken > 0) {
      written += (size_t)taken;
      turns = 0;
      continue;
    }
    if (taken < 0 && errno != EAGAIN && errno != EINTR)
      break;
    poll(&(struct pollfd){.fd = pipe->descriptor, .events = POLLOUT}, 1, TURN_MS);
    turns += atomic_load(&pipe->is_hurried) != 0;
    pipe->is_given_up = turns >= READER_TURNS;
  }
  return (ssize_t)written; // less than count: an error of the stream
}

static int close_pipe(void *cookie) {
  struct output_pipe *pipe = cookie;
  int failed = close(pipe->descriptor);
  free(pipe);
  return failed;
}

// To open a pipe waits for its reader, without an end and deaf to signals; so that waits for some seconds
// only, and to write to it as output_file_hurry does.
static FILE *open_stream(const char *path, struct output_pipe **pipe) {
  struct stat about;
  if (stat(path, &about) < 0 || !S_ISFIFO(about.st_mode))
    return fopen(path, "w");
  int descriptor = -1;
  for (int i = 0; i < READER_TURNS && descriptor < 0; i++) {
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno != ENXIO && errno != EINTR)
      return NULL;
    if (descriptor < 0)
      poll(NULL, 0, TURN_MS);
  }
  if (descriptor < 0) {
    errno = ENXIO;
    return NULL;
  }
  const cookie_io_functions_t functions = {.write = write_pipe, .close = close_pipe};
  *pipe = calloc(1, sizeof **pipe);
  FILE *stream = *pipe ? fopencookie(*pipe, "w", functions) : NULL;
  if (stream) {
    (*pipe)->descriptor = descriptor;
    setvbuf(stream, (*pipe)->buffer, _IOFBF, sizeof(*pipe)->buffer);
    return stream;
  }
  close(descriptor);
  free(*pipe);
  *pipe = NULL;
  errno = ENOMEM;
  return NULL;
}

void output_file_hurry(struct output_file *file) {
  if (file->pipe)
    atomic_store(&file->pipe->is_hurried, 1);
}

enum status output_file_open(struct output_file *file, const char *path, struct reason *why) {
  *file = (struct output_file){.path = path};
  if (!path)
    return STATUS_OK;

  file->stream = strcmp(path, "-") ? open_stream(path, &file->pipe) : stdout;
  return file->stream ? STATUS_OK : cannot_write(path, errno, why);
}

static int needs_no_place(const char *path) {
  struct stat existing;
  return !path || !strcmp(path, "-") || (!stat(path, &existing) && !S_ISREG(existing.st_mode));
}

static enum status forget_names(struct output_file *file, enum status status) {
  free(file->temporary_path);
  free(file->target);
  file->temporary_path = file->target = NULL;
  return status;
}

enum status output_file_open_claimed(struct output_file *file, const struct file_claims *claims,
                                     const char *path, struct reason *why) {
  if (needs_no_place(path))
    return output_file_open(file, path, why); // a pipe or a device cannot be replaced

  *file = (struct output_file){.path = path, .target = file_target(path)};
  size_t bytes = file->target ? strlen(file->target) + sizeof PARTIAL_SUFFIX : 0;
  file->temporary_path = bytes ? malloc(bytes) : NULL;
  if (!file->temporary_path)
    return forget_names(file, fail(why, STATUS_NO_MEMORY, "%s: cannot be written: out of memory", path));
  snprintf(file->temporary_path, bytes, "%s" PARTIAL_SUFFIX, file->target);

  int held = claims ? file_claims_lock_of(claims, path) : -1;
  struct file_lock lock = {.descriptor = held >= 0 ? fcntl(held, F_DUPFD_CLOEXEC, 0) : -1};
  struct reason cause = {""};
  if (held < 0) {
    file_lock_remove_left(file->target);
    enum status status = file_lock_take(file->temporary_path, FILE_LOCK_EMPTY, &lock, &cause);
    if (status != STATUS_OK)
      return forget_names(file, fail(why, status, "%s: %s", path, cause.text));
  }
  int error = held >= 0 && (lock.descriptor < 0 || ftruncate(lock.descriptor, 0)) ? errno : 0;
  file->stream = error ? NULL : fdopen(lock.descriptor, "w");
  if (file->stream)
    return STATUS_OK;
  error = error ? error : errno;
  if (lock.descriptor >= 0)
    close(lock.descriptor);
  return forget_names(file, cannot_write(path, error, why));
}

enum status output_file_open_atomic(struct output_file *file, const char *path, struct reason *why) {
  return output_file_open_claimed(file, NULL, path, why);
}

static int stdout_reader_has_closed(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP));
}

enum status output_flush_stdout(struct reason *why) {
  int failed = fflush(stdout), error = errno;
  if ((!failed && !ferror(stdout)) || stdout_reader_has_closed())
    return STATUS_OK;
  return fail(why, STATUS_IO, "standard output cannot be written%s%s", failed ? ": " : "",
              failed ? strerror(error) : "");
}

// What is left to do on the disk before the stream is closed. Returns the errno of what failed, or 0.
static int settle(const struct output_file *file) {
  struct stat about;
  if (file->stream == stdout || fstat(fileno(file->stream), &about) || !S_ISREG(about.st_mode))
    return 0;
  if (fsync(fileno(file->stream)))
    return errno;
  return file_lock_is_at(fileno(file->stream), file->temporary_path ? file->temporary_path : file->path)
             ? 0
             : ESTALE; // somebody has removed or replaced it
}

static const char *text_of(int error) {
  if (error == ENXIO)
    return "a pipe whose reader does not read";
  return error == ESTALE ? "somebody removed or replaced it while it was written" : strerror(error);
}

enum status output_file_close(struct output_file *file, struct reason *why) {
  if (!file->stream)
    return STATUS_OK;

  int error = 0;
  output_file_hurry(file);
  if ((fflush(file->stream) || ferror(file->stream)) &&
      !(file->stream == stdout && stdout_reader_has_closed()))
    error = errno ? errno : EIO;
  error = error ? error : settle(file);
  const int is_given_up = file->pipe && file->pipe->is_given_up;
  file->pipe = NULL; // it ends with the stream
  if (file->stream != stdout && fclose(file->stream) && !error)
    error = errno;
  error = is_given_up ? ENXIO : error;
  if (!error && file->temporary_path && rename(file->temporary_path, file->target))
    error = errno;
  else if (!error && file->temporary_path)
    error = folder_sync(file->target);
  if (error && file->temporary_path)
    unlink(file->temporary_path);

  file->stream = NULL;
  forget_names(file, STATUS_OK);
  return error ? fail(why, STATUS_IO, "%s: not written completely: %s", file->path, text_of(error))
               : STATUS_OK;
}

void output_file_abandon(struct output_file *file) {
  output_file_hurry(file);
  if (file->stream && file->stream != stdout)
    fclose(file->stream);
  if (file->temporary_path)
    unlink(file->temporary_path);
  forget_names(file, STATUS_OK);
  *file = (struct output_file){0};
}

// ------------------------------------------------------------
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

// ------------------------------------------------------------
enum status file_digest(int file, uint64_t offset, uint64_t size, uint8_t digest[FILE_DIGEST],
                        uint64_t *covered, struct reason *why) {
  uint8_t bytes[1 << 14];
  crypto_generichash_state state;
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "libsodium cannot be used");
  crypto_generichash_init(&state, NULL, 0, FILE_DIGEST);
  *covered = 0;
  while (*covered < size) {
    uint64_t left = size - *covered;
    ssize_t got =
        pread(file, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, (off_t)(offset + *covered));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(why, STATUS_IO, "%s", strerror(errno));
    if (got == 0)
      break;
    crypto_generichash_update(&state, bytes, (unsigned long long)got);
    *covered += (uint64_t)got;
  }
  crypto_generichash_final(&state, digest, FILE_DIGEST);
  return STATUS_OK;
}
