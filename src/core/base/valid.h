// Checks of a state that comes from a file, field by field, before any of it is used. Each returns 1, or 0
// with the field, what was expected and the value in why. A room offers ..._state_is_valid beside the state
// that it defines: whoever adds a field there finds the check next to it.
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

int valid_finite(const double *x, size_t count, const char *field,
                 struct reason *why); // count > 1: field[i] is named
int valid_range(double x, double low, double high, const char *field, struct reason *why); // a NaN is outside
int valid_whole(uint64_t x, uint64_t low, uint64_t high, const char *field, struct reason *why);
int valid_index(int64_t x, int64_t low, int64_t high, const char *field,
                struct reason *why);                              // of an int or an enum, too
int valid_flag(int64_t x, const char *field, struct reason *why); // 0 or 1
int valid_unit_quaternion(const double q[4], const char *field, struct reason *why); // to a part in a million

// A name or text that ends within size bytes, of printable ASCII; what is behind its end is not looked at.
int valid_text(const char *text, size_t size, const char *field, struct reason *why);

// What the checks above do not know: says why and returns 0.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int valid_fail(struct reason *why, const char *format, ...);

// Puts the place of what has just been refused in front of why: "thruster[3]." + "pitch: ...". Returns 0.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int valid_fail_in(struct reason *why, const char *format, ...);

// Steps are exact in double precision up to here; no session is longer.
static const uint64_t VALID_MOST_STEPS = UINT64_C(1) << 53;
