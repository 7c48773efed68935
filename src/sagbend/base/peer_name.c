#include "sagbend/base/peer_name.h"

#include <string.h>

int peer_name_is_valid(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < length; i++)
    if (name[i] < 0x20 || name[i] > 0x7e)
      return 0;
  return length > 0 && name[0] != ' ' && name[length - 1] != ' ';
}

// Not tolower, which depends on the locale.
static char small(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

int peer_name_is_same(const char *a, const char *b) {
  while (*a && small(*a) == small(*b)) {
    a++;
    b++;
  }
  return small(*a) == small(*b);
}
