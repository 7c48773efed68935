// Private to os/files: a key file as lines of words.
#pragma once

#include "sagbend/base/base.h"

#include <stdio.h>
#include <sys/types.h>

enum { KEY_WORDS = 4, KEY_LINE = 256 };

struct key_lines {
  const char *path;
  FILE *file;
  mode_t mode;
  int line;              // number of the newest line, from 1
  char text[KEY_LINE];   // of the newest line; cut into words
  int count;             // of words; 0: the end of the file
  char *word[KEY_WORDS]; // a line with more words is refused
};
