// Private to io/files: a key file as lines of words.
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

// STATUS_BAD_INPUT: it is no readable file of ordinary size. why names the path, here and below.
enum status key_lines_open(struct key_lines *lines, const char *path, struct reason *why);
// Reads the next line that is no comment. STATUS_BAD_INPUT: it is too long, has too many words or
// is no text.
enum status key_lines_next(struct key_lines *lines, struct reason *why);
// Closes the file and erases the line from memory.
void key_lines_close(struct key_lines *lines);

// "PATH:LINE: " and the text.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum status key_lines_fail(const struct key_lines *lines, struct reason *why, const char *format, ...);
