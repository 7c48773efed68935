// The nearest known word to one that is not.
#include "sagbend/base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int letter(char c) {
  return c == '-' || c == ' ' ? '_' : tolower((unsigned char)c);
}

static int least(int a, int b) {
  return a < b ? a : b;
}

int nearest_distance(const char *a, const char *b) {
  int rows[3][LONG_WORDS], *before = rows[0], *above = rows[1], *row = rows[2];
  const int length = (int)strlen(b);
  if (length >= LONG_WORDS || strlen(a) >= LONG_WORDS)
    return LONG_WORDS;
  for (int j = 0; j <= length; j++)
    row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int *oldest = before;
    before = above;
    above = row;
    row = oldest;
    row[0] = i;
    for (int j = 1; j <= length; j++) {
      const int is_same = letter(a[i - 1]) == letter(b[j - 1]);
      row[j] = least(above[j - 1] + !is_same, 1 + least(above[j], row[j - 1]));
      if (i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) && letter(a[i - 2]) == letter(b[j - 1]))
        row[j] = least(row[j], before[j - 2] + 1);
    }
  }
  return row[length];
}

// Whether two words differ in digits only: they are items of a list, and no slip of the pen.
static int differ_in_digits(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (letter(*a) != letter(*b) && !(isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))
      return 0;
  return !*a && !*b;
}

struct nearest nearest_to(const char *wanted) {
  return (struct nearest){.wanted = wanted, .distance = LONG_WORDS};
}

// One change, and one more for every four letters; a word is not replaced altogether.
static int most_changes(const char *wanted) {
  const int length = (int)strlen(wanted);
  return least(1 + length / 4, length - 1);
}

void nearest_try(struct nearest *search, const char *word) {
  const size_t length = strlen(search->wanted);
  const int distance = nearest_distance(search->wanted, word);
  if (distance > 0 && differ_in_digits(search->wanted, word))
    return;
  if (distance <= most_changes(search->wanted)) {
    if (!search->word || search->is_beginning || distance < search->distance)
      *search = (struct nearest){search->wanted, word, distance, 0};
  } else if (!search->word && length > 1 && strncmp(word, search->wanted, length) == 0) {
    *search = (struct nearest){search->wanted, word, distance, 1};
  }
}

struct nearest_hint nearest_hint(const struct nearest *search) {
  struct nearest_hint hint = {""};
  if (search->word)
    snprintf(hint.text, sizeof hint.text, ", did you mean %.64s?", search->word);
  return hint;
}
