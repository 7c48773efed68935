// Checks of a state that comes from a file, field by field, before any of it is used. Each check returns 1 if
// the value is valid; otherwise 0 after writing into why the field, what was expected and the value. A room
// that defines a state offers ..._state_is_valid beside it: extend that check with every field added.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>
#include <stdint.h>

// All count values finite. With count > 1 the message names field[i].
int valid_finite(const double *x, size_t count, const char *field, struct reason *why);

// low <= x <= high; a NaN is outside.
int valid_range(double x, double low, double high, const char *field, struct reason *why);

// low <= x <= high for a count or step number.
int valid_whole(uint64_t x, uint64_t low, uint64_t high, const char *field, struct reason *why);

// low <= x <= high for an index or enumerator.
int valid_index(int64_t x, int64_t low, int64_t high, const char *field, struct reason *why);

// 0 or 1.
int valid_flag(int64_t x, const char *field, struct reason *why);

// Norm 1 to within a millionth.
int valid_unit_quaternion(const double q[4], const char *field, struct reason *why);

// Printable ASCII that ends with a zero within size bytes. Bytes behind the zero are not read.
int valid_text(const char *text, size_t size, const char *field, struct reason *why);

// For conditions that no check above covers: writes the reason (printf format) and returns 0. why may be
// NULL.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int valid_fail(struct reason *why, const char *format, ...);

// After a check has failed: puts the place of the field in front of the reason, as in "thruster[3]." +
// "pitch: ...", and returns 0.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int valid_fail_in(struct reason *why, const char *format, ...);

// Highest step number of a session. Doubles represent every whole number up to here.
static const uint64_t VALID_MOST_STEPS = UINT64_C(1) << 53;
