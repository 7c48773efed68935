// Words of a text, separated by blanks: lists of names in configurations.
#pragma once

#include <stddef.h>

// Copies the next word from *text, cut to size, and moves *text behind it. Returns 0 at the end of the text.
int words_next(const char **text, char *word, size_t size);

// Whether text contains this word.
int words_contain(const char *text, const char *wanted);
