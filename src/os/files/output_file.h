// A result file of a program. It is opened before the run starts, so that a bad path fails early.
#pragma once

#include "os/files/file_claims.h"

#include "sagbend/base/status.h"

#include <stdio.h>

struct output_pipe;

struct output_file {
  FILE *stream;             // NULL: this output was not requested, and every call below does nothing
  const char *path;         // as given by the user; borrowed
  char *temporary_path;     // owned; NULL: the file is written in place
  char *target;             // owned: path with links followed, where the temporary file goes
  struct output_pipe *pipe; // belongs to the stream; NULL: the path is no pipe
};

// Both accept path NULL (not requested) and "-" (standard output). why names the path. On failure file needs
// no further call.
//
// In place: lines appear under the path as they are written.
enum status output_file_open(struct output_file *file, const char *path, struct reason *why);
// Atomic: the content appears under the path when the file is closed, complete or not at all; of a link, in
// the place of the file that it names. A path that names a pipe or a device is written in place.
// STATUS_BAD_INPUT: another program writes this file.
enum status output_file_open_atomic(struct output_file *file, const char *path, struct reason *why);
// The same for a file that the command has claimed.
enum status output_file_open_claimed(struct output_file *file, const struct file_claims *claims,
                                     const char *path, struct reason *why);

// What is written to a pipe from now on, also by another thread that waits for its reader already, waits for
// at most 5 s without progress: then it is given up, and output_file_close says so. Before, there is no
// limit.
void output_file_hurry(struct output_file *file);

// Flushes and closes the file, and renames an atomic one to its path. STATUS_IO: the content is not complete
// on the disk; why names the path. A pipe whose reader has closed it is not an error.
enum status output_file_close(struct output_file *file, struct reason *why);

// Closes the file without reporting errors and removes the temporary file.
void output_file_abandon(struct output_file *file);

// Flushes standard output at the end of a program. STATUS_IO: some of it could not be written. A pipe whose
// reader has closed it (as `head` does) is not an error.
enum status output_flush_stdout(struct reason *why);
