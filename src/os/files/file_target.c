#define _DEFAULT_SOURCE // realpath
#include "os/files/file_target.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int file_place_of(const char *path, struct file_place *out) {
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

int file_place_is_same(const struct file_place *a, const struct file_place *b) {
  return a->device == b->device && a->inode == b->inode && !a->name == !b->name &&
         (!a->name || !strcmp(a->name, b->name));
}

void file_place_free(struct file_place *place) {
  free(place->name);
  place->name = NULL;
}
