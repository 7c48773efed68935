#include "sagbend/base/words.h"

#include <string.h>

int words_next(const char **text, char *word, size_t size) {
  const char *start = *text + strspn(*text, " ");
  size_t length = strcspn(start, " ");
  *text = start + length;
  if (length == 0)
    return 0;
  length = length < size ? length : size - 1;
  memcpy(word, start, length);
  word[length] = '\0';
  return 1;
}

int words_contain(const char *text, const char *wanted) {
  size_t length = strlen(wanted);
  for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
    size_t word = strcspn(at, " ");
    if (word == length && !memcmp(at, wanted, length))
      return 1;
    at += word;
  }
  return 0;
}
