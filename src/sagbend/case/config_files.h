// Files to which a configuration refers and on which its steps depend: the configurations that it extends, a
// bathymetry. They are part of the session's record, so that a log replays without them.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/case/case.h"
#include "sagbend/yaml/error_list.h"

#include <stddef.h>

// Files of one loading.
struct file_reader {
  const char *main_path;          // paths are relative to its folder
  int from_record;                // files come from a session's record, none from the disk
  const struct config_pool *pool; // files are taken from these in place of the disk; NULL: the disk
  const char *pool_path;          // path of the main file among them; NULL: "", the case itself
  struct config_files files;
  struct source sources[MAX_CONFIG_FILES];
};

// Returns the file that the text names at this position: read, found in the record, or one that was taken
// before. *source is for positions of errors in it. Returns NULL after adding an error.
const struct config_file *config_files_take(struct file_reader *r, struct position at, const char *given,
                                            size_t largest, const struct source **source,
                                            struct error_list *errors);

// Reads a whole text file; release with free. Returns NULL after adding an error at this position. beside:
// the source of a file that a configuration names, which must be a regular file and is not quoted if others
// may not read it; NULL: the user named the file.
char *config_files_read(const char *path, size_t largest, size_t *size, struct position at,
                        struct source *beside, struct error_list *errors);

// Path on the disk of such a file; main_path is that of the configuration. The caller frees it.
char *config_file_on_disk(const char *main_path, const struct config_file *file);

// Copies from (NULL: no files) to an empty list. STATUS_NO_MEMORY is the only failure; release in either
// case.
enum status config_files_copy(const struct config_files *from, struct config_files *to);
void config_files_free(struct config_files *files);
