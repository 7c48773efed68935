// Locks that keep a second program from a file. A lock ends with its process, however that ends.
#pragma once

#include "sagbend/base/status.h"

// End of the name under which a file is written before it takes its own name; a crash may leave one.
#define PARTIAL_SUFFIX ".sagbend-part"

enum file_lock_mode {
  FILE_LOCK_EXISTING, // the content stays
  FILE_LOCK_EMPTY,    // the content is discarded, once the lock is taken
};

struct file_lock {
  int descriptor; // of the file, for reading and writing; -1: not open
  int is_new;     // the file did not exist
  int is_held;    // 0: its file system knows no locks
};

// Opens path, creates it if necessary, and locks it. STATUS_BAD_INPUT: another program has the lock; why
// names it. STATUS_IO: the file cannot be opened. why does not begin with the path.
enum status file_lock_take(const char *path, enum file_lock_mode mode, struct file_lock *out,
                           struct reason *why);
// Whether path still names the file that is open as descriptor.
int file_lock_is_at(int descriptor, const char *path);

// Removes the files in the folder of path that a crash has left: those with PARTIAL_SUFFIX that nobody locks.
void file_lock_remove_left(const char *path);
