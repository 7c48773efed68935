// A finding of plausible.c or plausible_dp.c: its key with its place, unless the configuration marks it as
// meant.
#include "run/setup/setup_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/case/case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Whether the configuration marks it as meant: the key, or a section of it.
static int is_meant(const struct config *c, const char *key) {
  const char *words = c->meant;
  char word[128];
  while (words_next(&words, word, sizeof word)) {
    const size_t size = strlen(word);
    if (!strncmp(key, word, size) && (key[size] == '\0' || key[size] == '.'))
      return 1;
  }
  return 0;
}

void plausible_report(struct plausible *p, enum severity severity, enum where where, const char *key,
                      const char *format, ...) {
  const struct config_place at = config_place_of(where == IN_CASE ? p->places : p->dp_places, key);
  char text[480], line[1400];
  va_list arguments;
  if (severity == MEANT_PERHAPS && is_meant(p->c, key))
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (at.is_withheld)
    snprintf(text, sizeof text, "a value that agrees with the vessel expected");
  snprintf(line, sizeof line, "%s: %s: %s: %s",
           *at.text           ? at.text
           : where == IN_CASE ? p->path
                              : p->c->dp_file,
           severity == NOT_MEANT ? "error" : "notice", key, text);
  p->errors += severity == NOT_MEANT;
  p->say(p->context, line);
}

struct plausible_key plausible_key(const char *format, ...) {
  struct plausible_key out;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out.text, sizeof out.text, format, arguments);
  va_end(arguments);
  return out;
}

int plausible_is_within(double value, double least, double most) {
  return value == 0 || !isfinite(value) || (value >= least && value <= most);
}
