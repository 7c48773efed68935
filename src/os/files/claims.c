#include "os/files/file_claims.h"

#include "os/files/file_lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_read(enum file_use use) {
  return use == FILE_READ || use == FILE_RESUMED;
}

// Whether the same file may have both uses.
static int agree(enum file_use a, enum file_use b) {
  return (is_read(a) && is_read(b)) || (a == FILE_PRINTED && b == FILE_PRINTED) ||
         (a == FILE_RESUMED && b == FILE_KEPT) || (a == FILE_KEPT && b == FILE_RESUMED);
}

static int meet(const struct file_claim *a, const struct file_claim *b) {
  for (int i = 0; i < a->place_count; i++)
    for (int k = 0; k < b->place_count; k++)
      if (file_place_is_same(&a->place[i], &b->place[k]))
        return 1;
  return 0;
}

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
      return fail(why, STATUS_BAD_INPUT, "%s: a file of its own expected, it is the same as %s: %s",
                  claim->what, claims->list[i].what, claim->path);
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
  if (claim->use == FILE_LOGGED && !replaces_logs && !fstat(lock.descriptor, &found) && found.st_size > 0) {
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
