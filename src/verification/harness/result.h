// Functions with which a case fills its result. A result that runs out of memory fails.
#pragma once

#include "verification/harness/harness.h"

#if defined(__GNUC__)
#define VERIFY_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define VERIFY_FORMAT(a, b)
#endif

// Adds a row that is judged against a number.
VERIFY_FORMAT(7, 8)
void verify_add(struct verify_result *r, enum verify_error kind, const char *unit, double value,
                double reference, double limit, const char *quantity, ...);
// Adds a row that is judged against a range, with a slack relative to the larger end.
VERIFY_FORMAT(7, 8)
void verify_add_range(struct verify_result *r, const char *unit, double value, double low, double high,
                      double slack, const char *quantity, ...);
// Adds a row that is shown beside a number and not judged.
VERIFY_FORMAT(5, 6)
void verify_show(struct verify_result *r, const char *unit, double value, double reference,
                 const char *quantity, ...);

struct verify_plot *verify_plot(struct verify_result *r, const char *title, const char *x_label,
                                const char *y_label);
// Returns NULL when the result has failed; verify_point then does nothing.
VERIFY_FORMAT(4, 5)
struct verify_series *verify_series(struct verify_result *r, struct verify_plot *plot,
                                    enum verify_style style, const char *label, ...);
void verify_point(struct verify_result *r, struct verify_series *s, double x, double y);

// Plots of an error against the cost of a run. Nothing is judged by cost. Without a clock in the setup there
// is no such plot: the plot and its series are NULL, the clock stands at 0, and verify_point does nothing.
double verify_clock_s(const struct verify_setup *setup);
struct verify_plot *verify_cost_plot(const struct verify_setup *setup, struct verify_result *r,
                                     const char *title, const char *x_label, const char *y_label);
VERIFY_FORMAT(4, 5)
struct verify_series *verify_cost_series(struct verify_result *r, struct verify_plot *cost,
                                         enum verify_style style, const char *label, ...);

VERIFY_FORMAT(2, 3)
void verify_fail(struct verify_result *r, const char *format, ...); // keeps the first reason
VERIFY_FORMAT(2, 3) void verify_run_with(struct verify_result *r, const char *format, ...);

// Plots errors against mesh width or step on logarithmic axes with the slope of the expected order, and adds
// a row that judges the order fitted by least squares.
void verify_order(struct verify_result *r, const char *title, const char *x_label, const char *what,
                  const double *width, const double *error, int count, double order, double slack);
// The same in an existing plot. The first call draws the slope.
void verify_order_in(struct verify_result *r, struct verify_plot *p, const char *what, const double *width,
                     const double *error, int count, double order, double slack);
