// Which file a path names, whatever its spelling.
#pragma once

#include <sys/types.h>

// Path of the file that opening this path would reach: links are followed, also one to a file that does not
// exist yet. Owned by the caller; NULL: out of memory.
char *file_target(const char *path);

// The folder of a path, as the path is written; "." of a name alone. Owned by the caller; NULL: out of
// memory.
char *file_folder(const char *path);

// Identity of a file: of the file itself, or of the folder and the name that it would have.
struct file_place {
  dev_t device;
  ino_t inode;
  char *name; // owned; NULL: the file exists
};

// 0: the path can name no file of its own: a pipe, a terminal, a device, a folder; or out of memory. Release
// with file_place_free.
int file_place_of(const char *path, struct file_place *out);
int file_place_is_same(const struct file_place *a, const struct file_place *b);
void file_place_free(struct file_place *place);
