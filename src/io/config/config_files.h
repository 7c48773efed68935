// Files that a configuration refers to and that its steps depend on: the configuration it extends, a
// bathymetry. They are part of the session's record, so a log replays where none of them is.
#pragma once

#include "io/yaml/error_list.h"

#include <stddef.h>

enum { MAX_CONFIG_FILES = 16 };

struct config_file {
  char *path; // relative to the main file's folder, or absolute: its name in the record
  char *text; // with a final zero behind size bytes
  size_t size;
};

struct config_files {
  int count;
  struct config_file file[MAX_CONFIG_FILES]; // in the order in which they were first referred to
};

// While a configuration is being read.
struct file_reader {
  const char *main_path; // its folder is what paths are relative to
  int from_record;       // nothing is read from the disk
  struct config_files files;
  struct source sources[MAX_CONFIG_FILES];
};

// The file that is called given in the text at this position: read, or found in the record, or had already.
// Its source is for positions of errors in it. NULL after an error there.
const struct config_file *config_files_take(struct file_reader *r, struct position at, const char *given,
                                            size_t largest, const struct source **source,
                                            struct error_list *errors);

// A whole text file; NULL after an error at this position. Release with free. beside: the source of one that
// a configuration names, which has to be a regular file and is withheld if others may not read it; NULL: the
// user named it.
char *config_files_read(const char *path, size_t largest, size_t *size, struct position at,
                        struct source *beside, struct error_list *errors);

void config_files_free(struct config_files *files);
