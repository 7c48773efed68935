#include "run/serve/cases.h"

#include "net/case/case.h"
#include "run/serve/file_name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  FILE *errors = open_memstream(&text, &size);
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
