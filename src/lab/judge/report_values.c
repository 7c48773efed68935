#include "lab/judge/report_values.h"

#include "sagbend/rig/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int takes_prefix(const char *unit) {
  return *unit == 'N' || *unit == 'W' || *unit == 'J' || *unit == 'P';
}

// Forces and powers of vessels have thousands and millions of their units.
struct value_text value_text_finer(int quantity, double value, int finer) {
  const char *unit = quantity_table[quantity].shown_unit;
  struct value_text out;
  int is_large = takes_prefix(unit) && fabs(value) >= 1e3,
      is_huge = takes_prefix(unit) && fabs(value) >= 9.9995e6;
  if (!isfinite(value)) {
    snprintf(out.text, sizeof out.text, "none");
    return out;
  }
  double scaled = value / (is_huge ? 1e6 : is_large ? 1e3 : 1);
  int is_whole = fabs(scaled - round(scaled)) < 1e-9 * fmax(1, fabs(scaled)),
      decimals = is_whole || fabs(scaled) >= 99.95 ? 0
                 : fabs(scaled) >= 9.995           ? 1
                                                   : 2;
  decimals += finer;
  snprintf(out.text, sizeof out.text, "%.*f%s%s%s", decimals, scaled, *unit ? " " : "",
           is_huge    ? "M"
           : is_large ? "k"
                      : "",
           !strcmp(unit, "deg") ? "\xc2\xb0" : unit);
  if (!strcmp(unit, "deg")) // no space before the sign of degrees
    snprintf(out.text, sizeof out.text, "%.*f\xc2\xb0", decimals, scaled);
  return out;
}

struct value_text value_text(int quantity, double value) {
  return value_text_finer(quantity, value, 0);
}
