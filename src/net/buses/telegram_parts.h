// What the files that read telegrams share.
#pragma once

#include "net/buses/telegram.h"

enum { TELEGRAM_FIELDS = 24, TELEGRAM_FIELD = 40 }; // room for a name and its ending

// The fields between $ and *, each with its end.
struct telegram_fields {
  int count;
  char text[TELEGRAM_FIELDS][TELEGRAM_FIELD];
};

// "WHAT expected, got 'FOUND'".
enum status telegram_expected(struct reason *why, const char *what, const char *found);

// The decimal numbers in these fields.
enum status telegram_numbers(const struct telegram_fields *f, const int at[], int count, double out[],
                             struct reason *why);

// Sentences of gyros, motion sensors and wind sensors (sentence_read.c). *is_known is 0 for a sentence that
// says nothing about this kind.
enum status sentence_read(const struct telegram_fields *f, enum instrument kind, struct telegram *out,
                          int *is_known, struct reason *why);
