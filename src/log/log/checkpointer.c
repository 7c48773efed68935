// Checkpoints: how far a session has come, the thread that writes states, and the file of one.
#include "log/log/log.h"

#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- FILE.progress ----

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

// Opens the file for writing. -1: it cannot be opened, and progress_write does nothing.
static int progress_open(const char *checkpoint_path) {
  char *path = path_of(checkpoint_path);
  int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666) : -1;
  free(path);
  return file;
}

// Opens the file for writing. -1: it cannot be opened, and progress_write does nothing.
static void progress_write(int file, const struct progress *progress) {
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

// ---- the thread ----

enum { SLOTS = 2, STACK_BYTES = 256 * 1024 };
static const uint64_t POLL_NS = 20000000;      // between looks at the ring
static const uint64_t PROGRESS_NS = 100000000; // between writes of the progress

static enum status checkpoint_try_path(const char *path, struct reason *why);

enum status checkpointer_open(struct checkpointer *checkpointer, const char *path, uint64_t every_steps,
                              const struct checkpoint_identity *identity, const struct sim *sim,
                              const struct sensor_suite *suite, struct reason *why) {
  memset(checkpointer, 0, sizeof *checkpointer);
  checkpointer->spare = (struct os_spare){{-1, -1}};
  checkpointer->progress_file = -1;
  pthread_mutex_init(&checkpointer->lock, NULL);
  if (!path)
    return STATUS_OK;

  enum status status = checkpoint_try_path(path, why);
  if (status != STATUS_OK)
    return status;
  checkpointer->image_bytes = checkpoint_size(sim, suite);
  checkpointer->image = malloc(checkpointer->image_bytes);
  void *mem = aligned_alloc(RING_LINE, ring_memsize(SLOTS, checkpointer->image_bytes));
  if (!checkpointer->image || !mem) {
    free(mem);
    return fail(why, STATUS_NO_MEMORY, "out of memory for checkpoints of %zu bytes",
                checkpointer->image_bytes);
  }

  ring_init(&checkpointer->ring, mem, SLOTS, checkpointer->image_bytes);
  checkpointer->every_steps = every_steps;
  checkpointer->identity = *identity;
  checkpointer->path = path;
  checkpointer->progress_file = progress_open(path);
  checkpointer->progress_step = UINT64_MAX;
  os_spare_take(&checkpointer->spare);
  return STATUS_OK;
}

static void write_progress(struct checkpointer *checkpointer, uint64_t step) {
  struct progress progress = {.step = step};
  if (step == checkpointer->progress_step)
    return;
  memcpy(progress.session, checkpointer->identity.session, sizeof progress.session);
  progress_write(checkpointer->progress_file, &progress);
  checkpointer->progress_step = step;
}

static int is_due(const struct checkpointer *checkpointer, const struct closed_loop *loop) {
  const struct sim_output *output = &loop->frame.output;
  return checkpointer->path && !output->fault && output->step % checkpointer->every_steps == 0;
}

static void fill(const struct checkpointer *checkpointer, const struct closed_loop *loop, void *image) {
  checkpoint_fill(image, &checkpointer->identity, loop);
}

static void write_image(struct checkpointer *checkpointer, const void *image) {
  struct reason why = {""};
  uint64_t step = checkpoint_step(image), known = checkpointer->progress_step;
  if (known == UINT64_MAX || step > known)
    write_progress(checkpointer, step); // first: whoever finds the checkpoint finds progress that reaches it
  os_spare_give(&checkpointer->spare);
  enum status status = checkpoint_write(checkpointer->path, image, checkpointer->image_bytes, &why);
  os_spare_take(&checkpointer->spare);

  pthread_mutex_lock(&checkpointer->lock);
  if (status == STATUS_OK) {
    checkpointer->written++;
    checkpointer->last_step = step;
  } else {
    checkpointer->failed++;
    checkpointer->failure = why;
  }
  pthread_mutex_unlock(&checkpointer->lock);
}

static void write_queued(struct checkpointer *checkpointer) {
  const void *image;
  while ((image = ring_front(&checkpointer->ring))) {
    write_image(checkpointer, image);
    ring_release(&checkpointer->ring);
  }
}

static void write_until_stopped(void *context) {
  struct checkpointer *checkpointer = context;
  while (!atomic_load(&checkpointer->stop)) {
    write_queued(checkpointer);
    uint64_t now_ns = os_now_ns();
    if (now_ns - checkpointer->progress_ns >= PROGRESS_NS) {
      write_progress(checkpointer, atomic_load(&checkpointer->step));
      checkpointer->progress_ns = now_ns;
    }
    os_sleep_until_ns(os_now_ns() + POLL_NS);
  }
  write_queued(checkpointer);
}

enum status checkpointer_start_thread(struct checkpointer *checkpointer, struct reason *why) {
  if (!checkpointer->path || checkpointer->has_thread)
    return STATUS_OK;
  enum status status =
      os_thread_start(&checkpointer->thread, STACK_BYTES, write_until_stopped, checkpointer, why);
  checkpointer->has_thread = status == STATUS_OK;
  return status;
}

void checkpointer_offer(struct checkpointer *checkpointer, const struct closed_loop *loop) {
  if (!checkpointer)
    return;
  atomic_store_explicit(&checkpointer->step, loop->frame.output.step, memory_order_relaxed);
  if (!is_due(checkpointer, loop))
    return;
  void *image = ring_claim(&checkpointer->ring);
  if (!image)
    return; // the ring has counted it
  fill(checkpointer, loop, image);
  ring_commit(&checkpointer->ring);
}

static void write_now(struct checkpointer *checkpointer, const struct closed_loop *loop) {
  fill(checkpointer, loop, checkpointer->image);
  write_image(checkpointer, checkpointer->image);
}

void checkpointer_write_if_due(struct checkpointer *checkpointer, const struct closed_loop *loop) {
  uint64_t now_ns = checkpointer->path ? os_now_ns() : 0;
  if (checkpointer->path && now_ns - checkpointer->progress_ns >= PROGRESS_NS) {
    write_progress(checkpointer, loop->frame.output.step);
    checkpointer->progress_ns = now_ns;
  }
  if (is_due(checkpointer, loop))
    write_now(checkpointer, loop);
}

static void stop_thread(struct checkpointer *checkpointer) {
  if (!checkpointer->has_thread)
    return;
  atomic_store(&checkpointer->stop, 1);
  os_thread_join(&checkpointer->thread);
  checkpointer->has_thread = 0;
}

void checkpointer_begin_session(struct checkpointer *checkpointer, const char *session,
                                const struct closed_loop *loop) {
  stop_thread(checkpointer);
  atomic_store(&checkpointer->stop, 0);
  snprintf(checkpointer->identity.session, sizeof checkpointer->identity.session, "%s", session);
  if (!checkpointer->path)
    return;
  atomic_store(&checkpointer->step, loop->frame.output.step);
  write_now(checkpointer, loop);
  checkpointer->progress_step = UINT64_MAX; // of another session
  write_progress(checkpointer, loop->frame.output.step);
}

void checkpointer_finish(struct checkpointer *checkpointer, const struct closed_loop *loop) {
  stop_thread(checkpointer);
  const struct sim_output *output = &loop->frame.output;
  int has_this_step = checkpointer->written && checkpointer->last_step == output->step;
  if (checkpointer->path && !output->fault && !has_this_step)
    write_now(checkpointer, loop);
  if (checkpointer->path)
    write_progress(checkpointer, output->step);
}

void checkpointer_close(struct checkpointer *checkpointer) {
  stop_thread(checkpointer);
  if (checkpointer->path)
    os_spare_give(&checkpointer->spare);
  if (checkpointer->progress_file >= 0)
    close(checkpointer->progress_file);
  checkpointer->progress_file = -1;
  free(checkpointer->image);
  free(checkpointer->ring.items);
  checkpointer->image = checkpointer->ring.items = NULL;
  checkpointer->path = NULL;
}

struct checkpointer_report checkpointer_report(struct checkpointer *checkpointer) {
  struct checkpointer_report report = {0};
  if (!checkpointer->path)
    return report;
  pthread_mutex_lock(&checkpointer->lock);
  report = (struct checkpointer_report){.written = checkpointer->written,
                                        .failed = checkpointer->failed,
                                        .skipped = ring_dropped(&checkpointer->ring),
                                        .last_step = checkpointer->last_step,
                                        .failure = checkpointer->failure};
  pthread_mutex_unlock(&checkpointer->lock);
  return report;
}

// ------------------------------------------------------------
// Writing and reading a checkpoint file.

enum { LARGEST_FILE = 1 << 30 }; // bytes

static char *partial_path(const char *target) {
  size_t size = strlen(target) + sizeof PARTIAL_SUFFIX;
  char *partial = malloc(size);
  if (partial)
    snprintf(partial, size, "%s" PARTIAL_SUFFIX, target);
  return partial;
}

// The three below return 0, or the errno of what failed.

static int write_all(int file, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0) {
      at += written;
      size -= (size_t)written;
    }
  }
  return 0;
}

static int write_bytes(int file, const void *image, size_t size) {
  uint64_t hash = fnv1a(FNV1A_START, image, size);
  int error = write_all(file, image, size);
  if (!error)
    error = write_all(file, &hash, sizeof hash);
  if (!error && fsync(file))
    error = errno;
  return error;
}

// Writes the image to partial and renames that to target. The lock lasts until then: who removes what crashed
// runs have left finds it.
static int write_and_rename(int file, const char *partial, const char *target, const void *image,
                            size_t size) {
  int error = write_bytes(file, image, size);
  if (!error && (!file_lock_is_at(file, partial) || rename(partial, target)))
    error = errno;
  if (error)
    unlink(partial);
  if (close(file) && !error)
    error = errno;
  return error;
}

static enum status cannot_write(const char *path, int error, struct reason *why) {
  return fail(why, STATUS_IO, "%s: the checkpoint cannot be written: %s", path, strerror(error));
}

static enum status write_to(const char *path, const char *target, const void *image, size_t size,
                            struct reason *why) {
  char *partial = partial_path(target);
  struct file_lock lock;
  struct reason cause = {""};
  if (!partial)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  enum status status = file_lock_take(partial, FILE_LOCK_EMPTY, &lock, &cause);
  if (status != STATUS_OK) {
    fail(why, status, "%s: the checkpoint cannot be written: %s", path, cause.text);
  } else {
    int error = write_and_rename(lock.descriptor, partial, target, image, size);
    if (error)
      status = cannot_write(path, error, why);
    else if ((error = folder_sync(target)))
      status = fail(why, STATUS_IO, "%s: its folder cannot be synced: %s", path, strerror(error));
  }
  free(partial);
  return status;
}

enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why) {
  char *target = file_target(path);
  enum status status = target ? write_to(path, target, image, size, why)
                              : fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  free(target);
  return status;
}

// Checks that path can be written, before there is an image.
static enum status checkpoint_try_path(const char *path, struct reason *why) {
  struct stat existing;
  struct file_lock lock;
  struct reason cause = {""};
  if (!stat(path, &existing) && !S_ISREG(existing.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s: a file expected, got something else", path);
  char *target = file_target(path), *partial = target ? partial_path(target) : NULL;
  enum status status = partial ? file_lock_take(partial, FILE_LOCK_EMPTY, &lock, &cause)
                               : fail(&cause, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK) {
    unlink(partial);
    close(lock.descriptor);
  } else {
    fail(why, status, "%s: the checkpoint cannot be written: %s", path, cause.text);
  }
  free(partial);
  free(target);
  return status;
}

enum status checkpoint_read(const char *path, void **bytes, size_t *size, struct reason *why) {
  struct regular_file found;
  struct reason what = {""};
  *bytes = NULL;
  if (regular_file_open(path, LARGEST_FILE, &found, &what) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: not a checkpoint: %s", path, what.text);

  FILE *file = fdopen(found.descriptor, "rb");
  *size = (size_t)found.size;
  *bytes = malloc(*size + 1);
  if (!file || !*bytes || fread(*bytes, 1, *size, file) != *size) {
    fail(why, STATUS_BAD_INPUT, "%s: %zu bytes cannot be read", path, *size);
    free(*bytes);
    *bytes = NULL;
  }
  if (file)
    fclose(file);
  else
    close(found.descriptor);
  return *bytes ? STATUS_OK : STATUS_BAD_INPUT;
}
