#include "io/checkpoint/checkpoint.h"

#include "core/base/fnv.h"
#include "io/files/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 2, LARGEST_FILE = 1 << 30 };
static const char MAGIC[8] = {'S', 'A', 'G', 'B', 'C', 'K', 'P', 'T'};

struct head {
  char magic[8];
  uint64_t format;
  uint64_t bytes; // of the whole file
  uint64_t controls_bytes, snapshot_bytes, sensor_suite_bytes;
  uint64_t step, state_hash;
  struct checkpoint_identity identity;
};

size_t checkpoint_size(const struct sim *sim, const struct sensor_suite *suite) {
  return sizeof(struct head) + sizeof(struct closed_loop_state) + sim_snapshot_size(sim) + suite->state_bytes;
}

void checkpoint_fill(void *image, const struct checkpoint_identity *identity, uint64_t step,
                     const struct closed_loop_state *controls, const struct sim *sim,
                     const struct sensor_suite *suite) {
  unsigned char *at = image;
  struct head head = {.format = FORMAT,
                      .bytes = checkpoint_size(sim, suite) + sizeof(uint64_t),
                      .controls_bytes = sizeof *controls,
                      .snapshot_bytes = sim_snapshot_size(sim),
                      .sensor_suite_bytes = suite->state_bytes,
                      .step = step,
                      .state_hash = sim_hash(sim),
                      .identity = *identity};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  memcpy(at, &head, sizeof head);
  memcpy(at + sizeof head, controls, sizeof *controls);
  at += sizeof head + sizeof *controls;
  sim_snapshot(sim, at);
  memcpy(at + head.snapshot_bytes, suite->state, suite->state_bytes);
}

struct checkpoint_parts checkpoint_parts_of(const struct sim *sim, const struct sensor_suite *suite) {
  struct checkpoint_parts p = {.controls = sizeof(struct head)};
  p.snapshot = p.controls + sizeof(struct closed_loop_state);
  p.suite = p.snapshot + sim_snapshot_size(sim);
  p.end = p.suite + suite->state_bytes;
  return p;
}

_Static_assert(sizeof(struct head) == CHECKPOINT_HEAD, "tests find the controls behind it");

uint64_t checkpoint_seal(void *image, size_t size) {
  struct head head;
  memcpy(&head, image, sizeof head);
  const unsigned char *snapshot = (const unsigned char *)image + sizeof head + head.controls_bytes;
  head.step = sim_snapshot_step(snapshot);
  head.state_hash = sim_snapshot_hash(snapshot, (size_t)head.snapshot_bytes);
  memcpy(image, &head, sizeof head);
  return fnv1a(FNV1A_START, image, size);
}

uint64_t checkpoint_step(const void *image) {
  struct head head;
  memcpy(&head, image, sizeof head);
  return head.step;
}

static char *partial_path(const char *path) {
  size_t size = strlen(path) + sizeof ".partial";
  char *partial = malloc(size);
  if (partial)
    snprintf(partial, size, "%s.partial", path);
  return partial;
}

static int write_all(int file, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno != EINTR)
      return -1;
    if (written > 0) {
      at += written;
      size -= (size_t)written;
    }
  }
  return 0;
}

// The rename is on the disk only when the folder is.
static int sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  int result = file < 0 ? -1 : fsync(file);
  if (file >= 0)
    close(file);
  free(folder);
  return result;
}

static int write_image(const char *partial, const void *image, size_t size) {
  uint64_t hash = fnv1a(FNV1A_START, image, size);
  int file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return -1;
  int failed = write_all(file, image, size) || write_all(file, &hash, sizeof hash) || fsync(file);
  int error = errno;
  if (close(file) && !failed)
    return -1;
  errno = error;
  return failed ? -1 : 0;
}

enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why) {
  char *partial = partial_path(path);
  enum status status = STATUS_OK;
  if (!partial)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  if (write_image(partial, image, size) || rename(partial, path)) {
    status = fail(why, STATUS_IO, "%s: the checkpoint cannot be written: %s", path, strerror(errno));
    unlink(partial);
  } else if (sync_folder(path)) {
    status = fail(why, STATUS_IO, "%s: its folder cannot be synced: %s", path, strerror(errno));
  }
  free(partial);
  return status;
}

enum status checkpoint_try_path(const char *path, struct reason *why) {
  char *partial = partial_path(path);
  struct stat existing;
  enum status status = STATUS_OK;
  if (!partial)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  if (!stat(path, &existing) && !S_ISREG(existing.st_mode)) {
    status = fail(why, STATUS_BAD_INPUT, "%s: a file expected, something else is there", path);
  } else {
    int file = open(partial, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
      status = fail(why, STATUS_IO, "%s: the checkpoint cannot be written: %s", path, strerror(errno));
    else
      close(file);
    unlink(partial);
  }
  free(partial);
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

// Whole and unharmed; head is valid then.
static enum status check_bytes(const unsigned char *bytes, size_t size, struct head *head,
                               struct reason *why) {
  uint64_t hash;
  if (size < sizeof MAGIC || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
    return fail(why, STATUS_BAD_INPUT, "not a checkpoint, or its beginning is damaged");
  if (size < sizeof *head + sizeof hash)
    return fail(why, STATUS_BAD_INPUT, "truncated: %zu bytes are too few", size);
  memcpy(head, bytes, sizeof *head);
  if (head->format != FORMAT)
    return fail(why, STATUS_BAD_INPUT, "format %" PRIu64 ", this program reads format %d", head->format,
                FORMAT);
  if (head->bytes != size)
    return fail(why, STATUS_BAD_INPUT, "truncated or damaged: %zu bytes, %" PRIu64 " expected", size,
                head->bytes);
  memcpy(&hash, bytes + size - sizeof hash, sizeof hash);
  uint64_t found = fnv1a(FNV1A_START, bytes, size - sizeof hash);
  if (found != hash)
    return fail(why, STATUS_BAD_INPUT, "damaged: its hash is %016" PRIx64 ", its content's %016" PRIx64, hash,
                found);
  return STATUS_OK;
}

static enum status check_identity(const struct checkpoint_identity *of,
                                  const struct checkpoint_identity *ours, struct reason *why) {
  if (strncmp(of->build, ours->build, sizeof of->build) != 0 || !strcmp(ours->build, "unknown"))
    return fail(why, STATUS_BAD_INPUT,
                "written by another build (version %.*s, build %.*s; this is version %s, build %s): only the "
                "same build goes on with the same bits",
                (int)sizeof of->version, of->version, (int)sizeof of->build, of->build, ours->version,
                ours->build);
  if (of->model_hash != ours->model_hash)
    return fail(why, STATUS_BAD_INPUT,
                "of another configuration (%.*s with hash %016" PRIx64 ", here %s with %016" PRIx64
                "); only mode, duration, thread, endpoints and log may differ, by options",
                (int)sizeof of->config_name, of->config_name, of->model_hash, ours->config_name,
                ours->model_hash);
  if (ours->dp_hash && !of->dp_hash)
    return fail(why, STATUS_BAD_INPUT,
                "holds no state of a controller inside; it was written by a run without");
  if (ours->dp_hash && of->dp_hash != ours->dp_hash)
    return fail(why, STATUS_BAD_INPUT, "of another DP file (hash %016" PRIx64 ", here %016" PRIx64 ")",
                of->dp_hash, ours->dp_hash);
  return STATUS_OK;
}

static int controls_are_valid(const struct closed_loop_rules *rules, const struct closed_loop_state *c,
                              uint64_t step, struct reason *why) {
  if (!command_latch_is_valid(rules->command, &c->latch, step, why))
    return valid_fail_in(why, "latch.");
  if (rules->dp && !dp_state_is_valid(rules->dp, &c->dp, why))
    return valid_fail_in(why, "dp.");
  if (!scenario_is_valid(rules->scenario, rules->command, &c->scenario, step, why))
    return valid_fail_in(why, "scenario.");
  return valid_whole(c->inside_accepted, 0, step + 1, "inside_accepted", why) &&
         valid_whole(c->inside_refused, 0, step + 1, "inside_refused", why);
}

// What lies behind the head of a file whose sizes are right.
struct parts {
  const unsigned char *controls, *snapshot, *suite;
};

static enum status check_parts(const struct head *head, const struct parts *p,
                               const struct closed_loop_rules *rules, const struct sim *sim,
                               const struct sensor_suite *suite, struct closed_loop_state *controls,
                               struct reason *why) {
  enum status status = sim_check_snapshot(sim, p->snapshot, (size_t)head->snapshot_bytes, why);
  if (status != STATUS_OK)
    return status;
  uint64_t step = sim_snapshot_step(p->snapshot);
  if (step != head->step || sim_snapshot_hash(p->snapshot, (size_t)head->snapshot_bytes) != head->state_hash)
    return fail(why, STATUS_BAD_INPUT,
                "its state is not the one that its head names: step %" PRIu64 " expected, got %" PRIu64
                ", or another hash",
                head->step, step);
  memcpy(controls, p->controls, sizeof *controls);
  if (!controls_are_valid(rules, controls, step, why)) {
    valid_fail_in(why, "controls: ");
    return STATUS_BAD_INPUT;
  }
  if (!sensor_suite_is_valid(suite, p->suite, step, why)) {
    valid_fail_in(why, "rig: ");
    return STATUS_BAD_INPUT;
  }
  return STATUS_OK;
}

enum status checkpoint_restore(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                               const struct closed_loop_rules *rules, struct sim *sim,
                               struct sensor_suite *suite, struct closed_loop_state *controls,
                               struct reason *why) {
  struct closed_loop_rules asked = *rules;
  struct closed_loop_state read;
  struct head head;
  enum status status = check_bytes(bytes, size, &head, why);
  if (status == STATUS_OK)
    status = check_identity(&head.identity, identity, why);
  if (status != STATUS_OK)
    return status;
  if (head.controls_bytes != sizeof *controls || head.snapshot_bytes != sim_snapshot_size(sim) ||
      head.sensor_suite_bytes != suite->state_bytes || size != checkpoint_size(sim, suite) + sizeof(uint64_t))
    return fail(why, STATUS_BAD_INPUT, "its parts are not of this program's sizes");
  struct checkpoint_parts at = checkpoint_parts_of(sim, suite);
  const unsigned char *from = bytes;
  struct parts p = {from + at.controls, from + at.snapshot, from + at.suite};
  if (!identity->dp_hash)
    asked.dp = NULL;
  status = check_parts(&head, &p, &asked, sim, suite, &read, why);
  if (status == STATUS_OK)
    status = sim_restore(sim, p.snapshot, (size_t)head.snapshot_bytes, why);
  if (status != STATUS_OK)
    return status;
  if (!asked.dp)
    dp_init(&read.dp);
  *controls = read;
  if (suite->state_bytes)
    memcpy(suite->state, p.suite, suite->state_bytes);
  return STATUS_OK;
}
