// What a verification case found: rows, plots, orders.
#include "verification/harness/harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void verify_judge(struct verify_row *row) {
  double away = row->value < row->low    ? row->low - row->value
                : row->value > row->high ? row->value - row->high
                                         : 0;
  double size = fmax(fabs(row->low), fabs(row->high));
  row->error = row->kind == VERIFY_RELATIVE ? away / size : away;
  if (!isfinite(row->value) || !isfinite(row->low) || !isfinite(row->high))
    row->error = (double)NAN;
  row->ok = isinf(row->limit) ? 1 : row->error <= row->limit;
}

static void add(struct verify_result *r, struct verify_row row, const char *quantity, va_list args) {
  if (r->row_count == r->row_room) {
    int room = r->row_room ? 2 * r->row_room : 16;
    struct verify_row *rows = realloc(r->rows, (size_t)room * sizeof *rows);
    if (!rows) {
      verify_fail(r, "out of memory");
      return;
    }
    r->rows = rows;
    r->row_room = room;
  }
  vsnprintf(row.quantity, sizeof row.quantity, quantity, args);
  verify_judge(&row);
  r->rows[r->row_count++] = row;
}

static struct verify_row row_of(const char *unit, double value, double low, double high, double limit,
                                enum verify_error kind) {
  struct verify_row row = {.value = value, .low = low, .high = high, .limit = limit, .kind = kind};
  snprintf(row.unit, sizeof row.unit, "%s", unit);
  return row;
}

void verify_add(struct verify_result *r, enum verify_error kind, const char *unit, double value,
                double reference, double limit, const char *quantity, ...) {
  va_list args;
  va_start(args, quantity);
  add(r, row_of(unit, value, reference, reference, limit, kind), quantity, args);
  va_end(args);
}

void verify_add_range(struct verify_result *r, const char *unit, double value, double low, double high,
                      double slack, const char *quantity, ...) {
  va_list args;
  va_start(args, quantity);
  add(r, row_of(unit, value, low, high, slack, VERIFY_RELATIVE), quantity, args);
  va_end(args);
}

void verify_show(struct verify_result *r, const char *unit, double value, double reference,
                 const char *quantity, ...) {
  va_list args;
  va_start(args, quantity);
  add(r, row_of(unit, value, reference, reference, (double)INFINITY, VERIFY_ABSOLUTE), quantity, args);
  va_end(args);
}

struct verify_plot *verify_plot(struct verify_result *r, const char *title, const char *x_label,
                                const char *y_label) {
  if (r->plot_count == VERIFY_PLOTS) {
    verify_fail(r, "more than %d plots", VERIFY_PLOTS);
    return NULL;
  }
  struct verify_plot *p = &r->plots[r->plot_count++];
  snprintf(p->title, sizeof p->title, "%s", title);
  snprintf(p->x_label, sizeof p->x_label, "%s", x_label);
  snprintf(p->y_label, sizeof p->y_label, "%s", y_label);
  return p;
}

static struct verify_series *add_series(struct verify_result *r, struct verify_plot *plot,
                                        enum verify_style style, const char *label, va_list args) {
  if (!plot || plot->series_count == VERIFY_SERIES) {
    verify_fail(r, "more than %d series in a plot", VERIFY_SERIES);
    return NULL;
  }
  struct verify_series *s = &plot->series[plot->series_count++];
  vsnprintf(s->label, sizeof s->label, label, args);
  s->style = style;
  return s;
}

struct verify_series *verify_series(struct verify_result *r, struct verify_plot *plot,
                                    enum verify_style style, const char *label, ...) {
  va_list args;
  va_start(args, label);
  struct verify_series *s = add_series(r, plot, style, label, args);
  va_end(args);
  return s;
}

double verify_clock_s(const struct verify_setup *setup) {
  return setup->now_ns ? 1e-9 * (double)setup->now_ns() : 0;
}

struct verify_plot *verify_cost_plot(const struct verify_setup *setup, struct verify_result *r,
                                     const char *title, const char *x_label, const char *y_label) {
  struct verify_plot *cost = setup->now_ns ? verify_plot(r, title, x_label, y_label) : NULL;
  if (cost)
    cost->log_axes = 1;
  return cost;
}

struct verify_series *verify_cost_series(struct verify_result *r, struct verify_plot *cost,
                                         enum verify_style style, const char *label, ...) {
  va_list args;
  if (!cost)
    return NULL;
  va_start(args, label);
  struct verify_series *s = add_series(r, cost, style, label, args);
  va_end(args);
  return s;
}

void verify_point(struct verify_result *r, struct verify_series *s, double x, double y) {
  if (!s)
    return;
  if (s->count == s->room) {
    int room = s->room ? 2 * s->room : 64;
    double *both = malloc(2 * (size_t)room * sizeof *both);
    if (!both) {
      verify_fail(r, "out of memory");
      return;
    }
    if (s->count > 0) {
      memcpy(both, s->x, (size_t)s->count * sizeof *both);
      memcpy(both + room, s->y, (size_t)s->count * sizeof *both);
    }
    free(s->x);
    s->x = both;
    s->y = both + room;
    s->room = room;
  }
  s->x[s->count] = x;
  s->y[s->count++] = y;
}

void verify_fail(struct verify_result *r, const char *format, ...) {
  va_list args;
  if (*r->failure)
    return;
  va_start(args, format);
  vsnprintf(r->failure, sizeof r->failure, format, args);
  va_end(args);
}

void verify_run_with(struct verify_result *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->run_with, sizeof r->run_with, format, args);
  va_end(args);
}

void verify_order(struct verify_result *r, const char *title, const char *x_label, const char *what,
                  const double *width, const double *error, int count, double order, double slack) {
  verify_order_in(r, verify_plot(r, title, x_label, "error"), what, width, error, count, order, slack);
}

void verify_order_in(struct verify_result *r, struct verify_plot *p, const char *what, const double *width,
                     const double *error, int count, double order, double slack) {
  int first = p && p->series_count == 0;
  struct verify_series *found = verify_series(r, p, VERIFY_POINTS, "%s", what);
  struct verify_series *slope = first ? verify_series(r, p, VERIFY_DASHED, "order %g", order) : NULL;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    double a = log2(width[i]), b = log2(error[i]);
    x += a / count, y += b / count, xx += a * a / count, xy += a * b / count;
    verify_point(r, found, width[i], error[i]);
  }
  for (int i = 0; i < count; i += count - 1) // through the middle of the errors
    verify_point(r, slope, width[i], exp2(y + order * (log2(width[i]) - x)));
  if (p)
    p->log_axes = 1;
  verify_add(r, VERIFY_ABSOLUTE, "", (xy - x * y) / (xx - x * x), order, slack, "order of %s", what);
}

int verify_ok(const struct verify_result *r) {
  int judged = 0, held = 1;
  for (int i = 0; i < r->row_count; i++) {
    judged += !isinf(r->rows[i].limit);
    held &= r->rows[i].ok;
  }
  return !*r->failure && judged > 0 && held;
}

void verify_free(struct verify_result *r) {
  for (int p = 0; p < r->plot_count; p++)
    for (int s = 0; s < r->plots[p].series_count; s++)
      free(r->plots[p].series[s].x);
  free(r->rows);
  memset(r, 0, sizeof *r);
}
