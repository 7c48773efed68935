#define _DEFAULT_SOURCE // realpath, scandir
#include "run/serve/file_name.h"

#include "net/messages/messages.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int file_name_is_valid(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  size_t length = strlen(name);
  return length > 0 && length < WIRE_FILE_NAME && strspn(name, letters) == length && !strchr(".-_", name[0]);
}

enum status file_find(const char *folder, const char *name, const char *ending, char *path, size_t size,
                      struct reason *why) {
  char given[PATH_MAX], real[PATH_MAX];
  size_t length = strlen(folder);
  struct stat found;
  if (!file_name_is_valid(name))
    return fail(
        why, STATUS_BAD_INPUT,
        "name: letters, digits and characters of '.-_' expected, the first of them a letter or a digit");
  if (snprintf(given, sizeof given, "%s/%s%s", folder, name, ending) >= (int)sizeof given ||
      !realpath(given, real))
    return fail(why, STATUS_BAD_INPUT, "%s%s: %s", name, ending, strerror(errno));
  if (strncmp(real, folder, length) != 0 || real[length] != '/')
    return fail(why, STATUS_BAD_INPUT, "%s%s: a file inside the folder expected, not a link out of it", name,
                ending);
  if (stat(real, &found) < 0 || !S_ISREG(found.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s%s: a regular file expected", name, ending);
  if (snprintf(path, size, "%s", real) >= (int)size)
    return fail(why, STATUS_BAD_INPUT, "%s%s: its path is too long", name, ending);
  return STATUS_OK;
}

void file_list_free(char **names, int count) {
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

enum status file_list(const char *folder, const char *ending, char ***names, int *count, struct reason *why) {
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
