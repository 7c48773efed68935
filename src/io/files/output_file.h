// A file that a run writes. Opened at the start, so that a bad path is known before the run, not after it.
#pragma once

#include <stdio.h>

struct output_file {
  FILE *stream;         // NULL: not asked for
  const char *path;     // as given
  char *temporary_path; // NULL: written in place
};

// Each returns 0, or -1 after a line on stderr. path NULL: nothing to do, and later calls do nothing.
int output_file_open(struct output_file *f, const char *path); // in place, line by line as it comes
int output_file_open_atomic(struct output_file *f,
                            const char *path);   // appears under its name when closed; "-": stdout
int output_file_close(struct output_file *f);    // a disk error shows here at the latest
void output_file_abandon(struct output_file *f); // closes, removes what was temporary

// Standard output at a program's end: the exit status that is left. A reader that has gone, as head does, had
// what it wanted: that is no failure. A disk that takes no more is one, after a line on stderr that begins
// with who.
int output_stdout_end(const char *who, int status);
