// How cases fill their results. A result that runs out of memory fails.
#pragma once

#include "verify/harness/verify.h"

#if defined(__GNUC__)
#define VERIFY_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define VERIFY_FORMAT(a, b)
#endif

// A row against a number.
VERIFY_FORMAT(7, 8)
void verify_add(struct verify_result *r, enum verify_error kind, const char *unit, double value,
                double reference, double limit, const char *quantity, ...);
// Against a range, with a slack relative to its larger end.
VERIFY_FORMAT(7, 8)
void verify_add_range(struct verify_result *r, const char *unit, double value, double low, double high,
                      double slack, const char *quantity, ...);
// Beside a number, not judged.
VERIFY_FORMAT(5, 6)
void verify_show(struct verify_result *r, const char *unit, double value, double reference,
                 const char *quantity, ...);

struct verify_plot *verify_plot(struct verify_result *r, const char *title, const char *x_label,
                                const char *y_label);
// NULL when the result has failed; verify_point then does nothing.
VERIFY_FORMAT(4, 5)
struct verify_series *verify_series(struct verify_result *r, struct verify_plot *plot,
                                    enum verify_style style, const char *label, ...);
void verify_point(struct verify_result *r, struct verify_series *s, double x, double y);

VERIFY_FORMAT(2, 3)
void verify_fail(struct verify_result *r, const char *format, ...); // the first reason stays
VERIFY_FORMAT(2, 3) void verify_run_with(struct verify_result *r, const char *format, ...);

// Errors against mesh width or step, doubly logarithmic, beside the slope of the expected order; and the row
// of the least-squares order.
void verify_order(struct verify_result *r, const char *title, const char *x_label, const char *what,
                  const double *width, const double *error, int count, double order, double slack);
// The same in a plot that may hold others' errors already; the slope is drawn once.
void verify_order_in(struct verify_result *r, struct verify_plot *p, const char *what, const double *width,
                     const double *error, int count, double order, double slack);
