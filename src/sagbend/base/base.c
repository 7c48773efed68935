// Memory in one block, statuses and reasons, steps in a time, checks of the values of a state, words in a
// list.
#include "sagbend/base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 64 };

void arena_init(struct arena *arena, void *block, size_t size) {
  arena->block = block;
  arena->size = size;
  arena->used = 0;
  arena->is_zero = 0;
}

void *arena_take(struct arena *arena, size_t count, size_t item_size) {
  size_t bytes = (count * item_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t start = arena->used;

  arena->used += bytes;
  if (!arena->block || arena->used > arena->size)
    return NULL;
  return arena->is_zero ? arena->block + start : memset(arena->block + start, 0, bytes);
}

int arena_is_overflowed(const struct arena *arena) {
  return arena->block && arena->used > arena->size;
}

// ------------------------------------------------------------
const char *status_text(enum status status) {
  static const char *const texts[] = {
#define X(name, text) text,
      STATUS_TABLE(X)
#undef X
  };
  return (unsigned)status < STATUS_COUNT ? texts[status] : "unknown status";
}

enum status fail(struct reason *why, enum status status, const char *format, ...) {
  if (why) {
    va_list args;
    va_start(args, format);
    char text[sizeof why->text]; // may contain names from outside
    NONBLOCKING_EXEMPT(vsnprintf(text, sizeof text, format, args));
    text_show(text, why->text, sizeof why->text);
    va_end(args);
  }
  return status;
}

// ------------------------------------------------------------
// A number of steps as an integer; NaN counts as too many.
static uint64_t limited(double steps) {
  return steps < (double)STEPS_MOST ? (uint64_t)steps : STEPS_MOST;
}

uint64_t steps_in_period(double period_s, double step_s) {
  double steps = nearbyint(period_s / step_s);
  return steps > 1 ? limited(steps) : 1;
}

uint64_t steps_in_period_or_off(double period_s, double step_s) {
  return period_s > 0 ? steps_in_period(period_s, step_s) : 0;
}

uint64_t steps_nearest_to(double time_s, double step_s) {
  return limited(time_s / step_s + 0.5);
}

uint64_t steps_up(double time_s, double step_s) {
  double steps = time_s / step_s;
  uint64_t whole = limited(steps);
  return whole + (whole < STEPS_MOST && steps - (double)whole > STEPS_TOLERANCE);
}

uint64_t steps_down(double time_s, double step_s) {
  return limited(time_s / step_s);
}

int steps_is_whole(double time_s, double step_s) {
  return fabs(time_s / step_s - (double)steps_nearest_to(time_s, step_s)) <= STEPS_TOLERANCE;
}

// ------------------------------------------------------------
static const double UNIT_TOLERANCE = 1e-6;

int valid_fail(struct reason *why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (why)
    vsnprintf(why->text, sizeof why->text, format, args);
  va_end(args);
  return 0;
}

int valid_finite(const double *x, size_t count, const char *field, struct reason *why) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return count > 1 ? valid_fail(why, "%s[%zu]: a finite number expected, got %g", field, i, x[i])
                       : valid_fail(why, "%s: a finite number expected, got %g", field, x[i]);
  return 1;
}

int valid_range(double x, double low, double high, const char *field, struct reason *why) {
  return x >= low && x <= high
             ? 1
             : valid_fail(why, "%s: a number from %g to %g expected, got %g", field, low, high, x);
}

int valid_whole(uint64_t x, uint64_t low, uint64_t high, const char *field, struct reason *why) {
  return x >= low && x <= high
             ? 1
             : valid_fail(why, "%s: a whole number from %" PRIu64 " to %" PRIu64 " expected, got %" PRIu64,
                          field, low, high, x);
}

int valid_index(int64_t x, int64_t low, int64_t high, const char *field, struct reason *why) {
  return x >= low && x <= high
             ? 1
             : valid_fail(why, "%s: a whole number from %" PRId64 " to %" PRId64 " expected, got %" PRId64,
                          field, low, high, x);
}

int valid_flag(int64_t x, const char *field, struct reason *why) {
  return valid_index(x, 0, 1, field, why);
}

int valid_unit_quaternion(const double q[4], const char *field, struct reason *why) {
  double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return fabs(size - 1) <= UNIT_TOLERANCE
             ? 1
             : valid_fail(why, "%s: a unit quaternion expected, got one of size %.9g", field, size);
}

int valid_text(const char *text, size_t size, const char *field, struct reason *why) {
  const char *end = memchr(text, '\0', size);
  if (!end)
    return valid_fail(why, "%s: a text of at most %zu characters expected, got one without an end", field,
                      size - 1);

  for (const char *at = text; at < end; at++)
    if (*at < 0x20 || *at > 0x7e)
      return valid_fail(why, "%s: printable ASCII expected, got byte 0x%02x", field,
                        (unsigned)(unsigned char)*at);

  return 1;
}

int valid_fail_in(struct reason *why, const char *format, ...) {
  struct reason inner;
  va_list args;
  if (!why)
    return 0;

  inner = *why;
  va_start(args, format);
  int used = vsnprintf(why->text, sizeof why->text, format, args);
  va_end(args);
  if (used >= 0 && (size_t)used < sizeof why->text)
    snprintf(why->text + used, sizeof why->text - (size_t)used, "%.*s",
             (int)(sizeof why->text - (size_t)used - 1), inner.text);

  return 0;
}

// ------------------------------------------------------------
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
