// The files that a command reads and writes. No two of them may be the same file, whatever the spelling of
// their paths, and while the command runs no other program may write what it writes. All of this is checked
// before the first file is opened for writing. Pipes, terminals and devices are exempt.
#pragma once

#include "os/files/file_target.h"

#include "sagbend/base/status.h"

enum file_use {
  FILE_UNUSED,    // not a file
  FILE_READ,      // an input
  FILE_RESUMED,   // an input that may also be a FILE_KEPT
  FILE_WRITTEN,   // written in place; replaces what is there
  FILE_COMPLETED, // appears when it is complete (output_file_open_atomic); replaces what is there
  FILE_KEPT,      // a checkpoint, replaced again and again
  FILE_LOGGED,    // a log, which replaces nothing unless the user says so
  FILE_PRINTED,   // standard output or standard error
};

struct file_claim {
  enum file_use use;
  char *what, *path; // what: the option or the role of the file, for messages
  char *lock_path;   // of the file that is locked; NULL: none
  int lock;          // its descriptor; -1: not locked
  int created;       // the lock was taken on a new file
  int place_count;
  struct file_place place[3]; // of the file and of those that are written beside it
};

// Zeroed: nothing is claimed.
struct file_claims {
  struct file_claim *list;
  int count;
};

// Adds a file; path NULL or "-": does nothing. STATUS_BAD_INPUT: another file of the list is the same one;
// why names both.
enum status file_claims_add(struct file_claims *claims, enum file_use use, const char *what, const char *path,
                            struct reason *why);

// Takes the locks of all files that the command writes. What is to be written in place now exists, perhaps
// empty; nothing has lost its content. STATUS_BAD_INPUT: another program writes one of them, which why names,
// or a log exists already (replaces_logs 0). Also removes what crashed runs have left beside them.
enum status file_claims_take(struct file_claims *claims, int replaces_logs, struct reason *why);

// Adds a file and takes its lock, while the command runs. After a failure the list is as before.
enum status file_claims_extend(struct file_claims *claims, enum file_use use, const char *what,
                               const char *path, int replaces_logs, struct reason *why);

// Takes the newest file from the list again.
void file_claims_retract(struct file_claims *claims);

// The path of the first file whose file system knows no locks, so that nothing keeps a second program from
// it; NULL: there is none.
const char *file_claims_unlocked(const struct file_claims *claims);

// The descriptor of the lock of a FILE_COMPLETED, for the file that is written; -1: none.
int file_claims_lock_of(const struct file_claims *claims, const char *path);

// The command has begun to write: files that it created stay, even if they are empty.
void file_claims_keep(struct file_claims *claims);

void file_claims_release(struct file_claims *claims);
