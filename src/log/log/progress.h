// How far a session has come, in a file beside its checkpoint (FILE.progress): after a kill it shows how many
// steps followed the checkpoint. One line of fixed length, "SESSION STEP", which is overwritten in place.
#pragma once

#include <stdint.h>

struct progress {
  char session[24];
  uint64_t step;
};

// Opens the file for writing. -1: it cannot be opened, and progress_write does nothing.
int progress_open(const char *checkpoint_path);
void progress_write(int file, const struct progress *progress);

// Reads it back. Returns 0 if it is not there or not valid.
int progress_read(const char *checkpoint_path, struct progress *out);
