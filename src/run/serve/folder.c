// The folders of a session manager: its cases, and the logs that it hands out.
#define _DEFAULT_SOURCE // realpath, scandir
#include "run/serve/serve_internal.h"

#include "net/case/case.h"
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Letters, digits and characters of ".-_", the first of them a letter or a digit: no path.
static int file_name_is_valid(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  size_t length = strlen(name);
  return length > 0 && length < WIRE_FILE_NAME && strspn(name, letters) == length && !strchr(".-_", name[0]);
}

// Finds the regular file NAME + ending in a folder (a real path) and writes its real path. STATUS_BAD_INPUT:
// the name is not valid, there is no such file, it is no regular file, or a symbolic link leads out of the
// folder.
static enum status file_find(const char *folder, const char *name, const char *ending, char *path,
                             size_t size, struct reason *why) {
  char given[PATH_MAX], real[PATH_MAX];
  size_t length = strlen(folder);
  struct stat found;
  if (!file_name_is_valid(name))
    return fail(
        why, STATUS_BAD_INPUT,
        "name: letters, digits and characters of '.-_', the first of them a letter or a digit, expected");
  if (snprintf(given, sizeof given, "%s/%s%s", folder, name, ending) >= (int)sizeof given ||
      !realpath(given, real))
    return fail(why, STATUS_BAD_INPUT, "%s%s: %s", name, ending, strerror(errno));
  if (strncmp(real, folder, length) != 0 || real[length] != '/')
    return fail(why, STATUS_BAD_INPUT, "%s%s: a file inside the folder expected, got a link out of it", name,
                ending);
  if (stat(real, &found) < 0 || !S_ISREG(found.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s%s: a regular file expected", name, ending);
  if (snprintf(path, size, "%s", real) >= (int)size)
    return fail(why, STATUS_BAD_INPUT, "%s%s: its path is too long", name, ending);
  return STATUS_OK;
}

static void file_list_free(char **names, int count) {
  for (int i = 0; i < count; i++)
    free(names[i]);
  free(names);
}

// Cuts the ending off a name. Returns 0 if it ends otherwise.
static int cut(char *name, const char *ending) {
  size_t length = strlen(name), end = strlen(ending);
  if (name[0] == '.' || length <= end || strcmp(name + length - end, ending) != 0)
    return 0;
  name[length - end] = 0;
  return 1;
}

// The names of all files in a folder that end so, without the ending, in order. Free with file_list_free.
static enum status file_list(const char *folder, const char *ending, char ***names, int *count,
                             struct reason *why) {
  struct dirent **entries;
  int found = scandir(folder, &entries, NULL, alphasort);
  *count = 0;
  if (found < 0)
    return fail(why, STATUS_IO, "%s: %s", folder, strerror(errno));
  *names = calloc((size_t)found + 1, sizeof **names);
  for (int i = 0; i < found; i++) {
    if (*names && cut(entries[i]->d_name, ending)) {
      char *name = strdup(entries[i]->d_name);
      if (name)
        (*names)[(*count)++] = name;
    }
    free(entries[i]);
  }
  free(entries);
  return *names ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for the list of a folder");
}

// ------------------------------------------------------------
// The first line that a loader wrote, without the folder in front.
static void take_first_line(const char *text, const char *folder, struct reason *why) {
  size_t length = strlen(folder);
  if (!strncmp(text, folder, length) && text[length] == '/')
    text += length + 1;
  fail(why, STATUS_BAD_INPUT, "%.*s", (int)strcspn(text, "\n"), text);
}

static enum status check(const char *folder, const char *path, int *has_sockets, struct reason *why) {
  char *text = NULL;
  size_t size = 0;
  FILE *errors = text_stream_open(&text, &size);
  struct config *config = calloc(1, sizeof *config);
  if (!errors || !config) {
    if (errors)
      fclose(errors);
    free(text);
    free(config);
    return fail(why, STATUS_NO_MEMORY, "out of memory for a case");
  }
  enum status status = config_load(path, NULL, 0, config, errors);
  fclose(errors);
  *has_sockets = status == STATUS_OK && config->run.mode != RUN_FAST;
  if (status == STATUS_OK)
    config_free(config);
  else
    take_first_line(text ? text : "", folder, why);
  free(text);
  free(config);
  return status;
}

static int is_dp_file(const char *path) {
  FILE *errors = fopen("/dev/null", "w");
  struct dp_config *dp = calloc(1, sizeof *dp);
  int is = errors && dp && dp_config_load(path, NULL, 0, dp, errors) == STATUS_OK;
  if (errors)
    fclose(errors);
  free(dp);
  return is;
}

enum status cases_find(const char *folder, const char *name, char *path, size_t size, int *has_sockets,
                       struct reason *why) {
  enum status status = file_find(folder, name, ".yaml", path, size, why);
  return status == STATUS_OK ? check(folder, path, has_sockets, why) : status;
}

enum status cases_list(const char *folder, uint32_t first, struct wire_manager *out, struct reason *why) {
  char **names, path[PATH_MAX];
  int count, has_sockets;
  enum status status = file_list(folder, ".yaml", &names, &count, why);
  if (status != STATUS_OK)
    return status;
  out->kind = MANAGER_CASES;
  for (int i = 0; i < count; i++) {
    struct reason cause = {""};
    enum status found = file_find(folder, names[i], ".yaml", path, sizeof path, &cause);
    if (found == STATUS_OK && is_dp_file(path))
      continue;
    if (out->total++ < first || out->count == WIRE_LISTED)
      continue;
    if (found == STATUS_OK)
      check(folder, path, &has_sockets, &cause);
    struct wire_case *to = &out->as.cases[out->count++];
    wire_clean_text(to->name, sizeof to->name, names[i]);
    wire_clean_text(to->error, sizeof to->error, cause.text);
  }
  file_list_free(names, count);
  return STATUS_OK;
}

// ------------------------------------------------------------
_Static_assert((int)FILE_DIGEST == (int)WIRE_DIGEST, "the digest fits");

static const char ENDING[] = ".mcap";

static void describe(const char *name, const struct stat *found, struct wire_log_info *out) {
  struct tm utc;
  snprintf(out->name, sizeof out->name, "%s%s", name, ENDING);
  out->size = (uint64_t)found->st_size;
  strftime(out->changed_at, sizeof out->changed_at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&found->st_mtime, &utc));
}

enum status logs_list(const char *folder, uint32_t first, const char *session, struct wire_manager *out,
                      struct reason *why) {
  char **names = NULL, path[PATH_MAX];
  int count = 0, growing_seen = 0;
  enum status status = file_list(folder, ENDING, &names, &count, why);
  if (status != STATUS_OK)
    return status;
  out->kind = MANAGER_LOGS;
  for (int i = count - 1; i >= 0; i--) { // names begin with the time
    struct stat found;
    if (strlen(names[i]) + sizeof ENDING > WIRE_FILE_NAME ||
        file_find(folder, names[i], ENDING, path, sizeof path, NULL) != STATUS_OK || stat(path, &found) < 0)
      continue;
    int growing = !growing_seen && *session && strstr(names[i], session) != NULL;
    growing_seen |= growing;
    if (out->total++ < first || out->count == WIRE_LISTED)
      continue;
    describe(names[i], &found, &out->as.logs[out->count]);
    out->as.logs[out->count++].growing = growing;
  }
  file_list_free(names, count);
  return STATUS_OK;
}

static enum status read_piece(int file, const struct manager_order *order, struct wire_piece *piece,
                              struct reason *why) {
  struct stat found;
  if (fstat(file, &found) < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", order->name, strerror(errno));
  piece->offset = order->offset;
  piece->size = (uint64_t)found.st_size;
  if (order->offset > piece->size)
    return fail(why, STATUS_BAD_INPUT, "%s: an offset of at most %llu expected, got %llu", order->name,
                (unsigned long long)piece->size, (unsigned long long)order->offset);
  if (order->digest) {
    piece->has_digest = 1;
    return file_digest(file, order->offset, order->size, piece->digest, &piece->covered, why) == STATUS_OK
               ? STATUS_OK
               : STATUS_BAD_INPUT;
  }
  ssize_t got =
      pread(file, piece->data, order->size < WIRE_PIECE ? order->size : WIRE_PIECE, (off_t)order->offset);
  if (got < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", order->name, strerror(errno));
  piece->covered = piece->data_size = (size_t)got;
  return STATUS_OK;
}

enum status logs_piece(const char *folder, const struct manager_order *order, struct wire_manager *out,
                       struct reason *why) {
  char name[WIRE_FILE_NAME], path[PATH_MAX];
  snprintf(name, sizeof name, "%s", order->name);
  size_t length = strlen(name), end = sizeof ENDING - 1;
  if (length <= end || strcmp(name + length - end, ENDING) != 0)
    return fail(why, STATUS_BAD_INPUT, "name: the name of a log expected: 'logs' lists them");
  name[length - end] = 0;
  enum status status = file_find(folder, name, ENDING, path, sizeof path, why);
  if (status != STATUS_OK)
    return status;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", order->name, strerror(errno));
  out->kind = MANAGER_PIECE;
  status = read_piece(file, order, &out->as.piece, why);
  close(file);
  return status;
}
