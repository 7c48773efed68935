#include "sagbend/base/number_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { FEWEST_DIGITS = 6, MOST_DIGITS = 17 }; // 17 digits distinguish any two doubles

struct number_text number_text(double x) {
  struct number_text out;
  int digits = FEWEST_DIGITS;

  do {
    NONBLOCKING_EXEMPT(snprintf(out.text, sizeof out.text, "%.*g", digits, x));
  } while (digits++ < MOST_DIGITS && !(strtod(out.text, NULL) == x));
  return out;
}
