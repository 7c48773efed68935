// Values at equal steps, as the text FIRST:LAST:STEP, or one number.
#pragma once

struct number_range {
  double first, last, step; // last as in the text; a single number is first and last
  int count;
};

// True if the text is a range of at most this many values: finite numbers, step > 0, last not below first.
int number_range_read(const char *text, int most, struct number_range *out);

static inline double number_range_at(const struct number_range *range, int i) {
  return range->first + i * range->step;
}
