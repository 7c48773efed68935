// The plots of a test sheet as SVG: four quantities over time on a grid of round numbers, each line named at
// its end, the run without a failure in grey, the time of the failure shaded, the alarms as numbered marks.
// Each drawing has its own style: programs that make PDF do not let the page's style reach into it.
#include "lab/judge/judge.h"
#include "lab/trials/trials_internal.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 360, HEIGHT = 138, LEFT = 38, RIGHT = 66, TOP = 26, BOTTOM = 20 };
enum { MOST_NAMES = 8, NAME_HEIGHT = 9 }; // at the ends of the lines

struct axes {
  double first_s, last_s, low, high;
  double step_s, step; // of the grid
  double scale;        // of a number that is shown: in thousands or millions
  struct {
    double y;
    const char *colour;
    char text[32];
  } name[MOST_NAMES];
  int name_count;
};

double report_round_step(double span, int most) {
  const double ten = pow(10, floor(log10(span / most)));
  return span / ten <= most       ? ten
         : span / ten <= 2 * most ? 2 * ten
         : span / ten <= 5 * most ? 5 * ten
                                  : 10 * ten;
}

// The names stand in the order of their heights, and none on another.
static void put_name(struct axes *f, double y, const char *colour, const char *text) {
  int at = f->name_count;
  if (at == MOST_NAMES)
    return;
  for (; at > 0 && f->name[at - 1].y > y; at--)
    f->name[at] = f->name[at - 1];
  f->name[at].y = y;
  f->name[at].colour = colour;
  snprintf(f->name[at].text, sizeof f->name[at].text, "%s", text);
  f->name_count++;
}

static void put_names(FILE *out, struct axes *f) {
  double y = TOP;
  for (int i = 0; i < f->name_count; i++)
    y = f->name[i].y = fmax(f->name[i].y + 3, i ? y + NAME_HEIGHT : TOP);
  y = HEIGHT - BOTTOM + 3;
  for (int i = f->name_count - 1; i >= 0; i--, y -= NAME_HEIGHT) {
    y = f->name[i].y = fmin(f->name[i].y, y);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>", WIDTH - RIGHT + 4, y, f->name[i].colour,
            f->name[i].text);
  }
}

static double x_of(const struct axes *f, double time_s) {
  return LEFT + (WIDTH - LEFT - RIGHT) * (time_s - f->first_s) / (f->last_s - f->first_s);
}

static double y_of(const struct axes *f, double value) {
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - f->low) / (f->high - f->low);
}

static void stretch(struct axes *f, const struct run_record *r, int series) {
  for (int i = 0; i < r->rows; i++) {
    double value = r->value[series][i];
    if (!isfinite(value) || r->time_s[i] < f->first_s)
      continue;
    f->low = fmin(f->low, value);
    f->high = fmax(f->high, value);
    f->last_s = fmax(f->last_s, r->time_s[i]);
  }
}

// The failures begin after the settling, which is shown in part only.
static double first_of(const struct trial_plan *p) {
  return fmax(0, p->settle_s - 0.3 * (p->failure_s + p->recover_s));
}

static void put_line(FILE *out, struct axes *f, const struct run_record *r, int series, const char *colour,
                     const char *name) {
  int is_on = 0, last = -1;
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", colour);
  for (int i = 0; i < r->rows; i++) {
    double value = r->value[series][i];
    int is_shown = isfinite(value) && r->time_s[i] >= f->first_s;
    if (is_shown)
      fprintf(out, "%c%.1f %.1f", is_on ? 'L' : 'M', x_of(f, r->time_s[i]), y_of(f, value));
    is_on = is_shown;
    last = is_shown ? i : last;
  }
  fputs("\"/>", out);
  if (last >= 0)
    put_name(f, y_of(f, r->value[series][last]), colour, name);
}

static void put_bound(FILE *out, struct axes *f, double value, const char *colour, const char *kind) {
  char name[32];
  if (!(value >= f->low && value <= f->high))
    return;
  fprintf(out, "<path stroke=\"%s\" stroke-dasharray=\"5 3\" d=\"M%d %.1fH%d\"/>", colour, LEFT,
          y_of(f, value), WIDTH - RIGHT);
  snprintf(name, sizeof name, "%s %.4g", kind, value / f->scale);
  put_name(f, y_of(f, value), colour, name);
}

static void put_bounds(FILE *out, struct axes *f, const struct trial_plan *p, int quantity) {
  for (int i = 0; i < p->limit_count; i++) {
    const struct trial_limit *limit = &p->limit[i];
    if (limit->quantity != quantity)
      continue;
    put_bound(out, f, limit->range[0], "#b3261e", "limit");
    put_bound(out, f, limit->range[1], "#b3261e", "limit");
    put_bound(out, f, limit->circle, "#8a5a00", "circle");
    put_bound(out, f, -limit->circle, "#8a5a00", "circle");
  }
}

// Marks with their numbers above the frame; a number that would lie on the one before is left out.
static void put_alarms(FILE *out, const struct axes *f, const struct judged_run *run) {
  double last = -100;
  for (int i = 0; i < run->seen.alarm_count; i++) {
    double x = x_of(f, run->seen.alarm[i].time_s);
    if (run->seen.alarm[i].time_s < f->first_s || run->seen.alarm[i].time_s > f->last_s)
      continue;
    fprintf(out, "<path fill=\"#8a5a00\" d=\"M%.1f %dl-3 -6h6z\"/>", x, TOP);
    if (x - last >= 9) {
      fprintf(out,
              "<text x=\"%.1f\" y=\"%d\" font-size=\"7.5\" text-anchor=\"middle\" fill=\"#8a5a00\">%d</text>",
              x, TOP - 7, i + 1);
      last = x;
    }
  }
}

// Room above and below the lines, and the limit where it is near.
static void widen(struct axes *f, const struct trial_plan *p, int quantity) {
  double room = 0.06 * (f->high - f->low);
  for (int i = 0; i < p->limit_count; i++) {
    const double bounds[] = {p->limit[i].range[0], p->limit[i].range[1], p->limit[i].circle};
    for (int k = 0; k < 3 && p->limit[i].quantity == quantity; k++)
      if (isfinite(bounds[k]) && bounds[k] > f->low - 8 * room && bounds[k] < f->high + 8 * room) {
        f->low = fmin(f->low, bounds[k]);
        f->high = fmax(f->high, bounds[k]);
      }
  }
  if (!(room > 1e-9 * fmax(1, fabs(f->high))))
    room = fmax(1e-3, 0.05 * fabs(f->high));
  f->low = f->low >= 0 && f->low < 3 * room ? 0 : f->low - room;
  f->high += room;
  f->step = report_round_step(f->high - f->low, 5);
  f->low = f->step * floor(f->low / f->step + 1e-9);
  f->high = f->step * ceil(f->high / f->step - 1e-9);
  f->step_s = report_round_step(f->last_s - f->first_s, 8);
}

// Forces and powers in thousands or millions; the unit shows it.
static double prefix_of(int quantity, double largest, const char **text) {
  const char *unit = quantity_table[quantity].shown_unit;
  int takes = *unit && strchr("NWJP", *unit) != NULL;
  *text = takes && largest >= 9.9995e6 ? "M" : takes && largest >= 1e3 ? "k" : "";
  return **text == 'M' ? 1e6 : **text == 'k' ? 1e3 : 1;
}

// The quantity with its unit, above the frame.
static void put_quantity(FILE *out, int quantity, const char *prefix) {
  const struct quantity_info *q = &quantity_table[quantity];
  size_t unit_at = strlen(q->shown_name); // the name without its unit, which stands beside it
  const char *last = strrchr(q->shown_name, '_');
  if (last && *q->shown_unit)
    unit_at = (size_t)(last - q->shown_name);
  fprintf(out, "<text x=\"%d\" y=\"10\" font-size=\"9.5\">", LEFT);
  for (size_t i = 0; i < unit_at; i++)
    fputc(q->shown_name[i] == '_' ? ' ' : q->shown_name[i], out);
  fprintf(out, "%s%s%s</text>", *q->shown_unit ? ", " : "", prefix, q->shown_unit);
}

// Lines and numbers at each step of both axes.
static void put_grid(FILE *out, const struct axes *f) {
  const int places = (int)fmax(0, -floor(log10(f->step / f->scale) + 1e-9));
  const double first = ceil(f->low / f->step - 1e-6), first_s = ceil(f->first_s / f->step_s - 1e-6);
  fputs("<path stroke=\"#d9d9d9\" stroke-width=\"0.6\" d=\"", out);
  for (double k = first; k * f->step <= f->high + 1e-6 * f->step; k++)
    fprintf(out, "M%d %.1fH%d", LEFT, y_of(f, k * f->step), WIDTH - RIGHT);
  for (double k = first_s; k * f->step_s <= f->last_s; k++)
    fprintf(out, "M%.1f %dV%d", x_of(f, k * f->step_s), TOP, HEIGHT - BOTTOM);
  fputs("\"/>", out);
  for (double k = first; k * f->step <= f->high + 1e-6 * f->step; k++)
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>", LEFT - 3,
            y_of(f, k * f->step) + 3, places, k * f->step / f->scale + 0.0);
  for (double k = first_s; k * f->step_s <= f->last_s; k++)
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>", x_of(f, k * f->step_s),
            HEIGHT - 8, k * f->step_s);
  fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"9.5\">time, s</text>", WIDTH - RIGHT + 12, HEIGHT - 8);
}

static void put_plot(const struct report *r, const struct judged_run *run, const struct run_record *with,
                     const struct run_record *without, int series) {
  const struct trial_plan *p = r->j->plan;
  struct axes f = {.first_s = first_of(p), .last_s = first_of(p) + 1, .low = HUGE_VAL, .high = -HUGE_VAL};
  const char *prefix;
  stretch(&f, with, series);
  stretch(&f, without, series);
  if (!(f.low <= f.high)) {
    fprintf(r->out, "<p class=\"small\">%s: not recorded.</p>", quantity_shown_name(with->quantity[series]));
    return;
  }
  widen(&f, p, with->quantity[series]);
  f.scale = prefix_of(with->quantity[series], fmax(fabs(f.high), fabs(f.low)), &prefix);
  double begin = x_of(&f, fmin(p->settle_s, f.last_s)),
         end = x_of(&f, fmin(p->settle_s + p->failure_s, f.last_s));
  fprintf(r->out,
          "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" font-family=\"DejaVu Sans, sans-serif\" "
          "font-size=\"8.5\"><title>%s of this run and of the run without a failure</title><rect x=\"%.1f\" "
          "y=\"%d\" "
          "width=\"%.1f\" height=\"%d\" fill=\"#f7edd6\"/>",
          WIDTH, HEIGHT, quantity_shown_name(with->quantity[series]), begin, TOP, end - begin,
          HEIGHT - TOP - BOTTOM);
  put_grid(r->out, &f);
  fprintf(r->out, "<path fill=\"none\" stroke=\"#777\" stroke-width=\"0.8\" d=\"M%d %dV%dH%d\"/>", LEFT, TOP,
          HEIGHT - BOTTOM, WIDTH - RIGHT);
  put_bounds(r->out, &f, p, with->quantity[series]);
  put_line(r->out, &f, without, series, "#6a6a6a", "no failure");
  put_line(r->out, &f, with, series, "#1f4e8c", "this run");
  put_alarms(r->out, &f, run);
  put_names(r->out, &f);
  put_quantity(r->out, with->quantity[series], prefix);
  fputs("</svg>", r->out);
}

void report_put_plots(const struct report *r, const struct judged_run *run, const struct run_record *with,
                      const struct run_record *without) {
  if (!with->rows) {
    fputs("<p class=\"small\">No time series: the run has not come to its end.</p>\n", r->out);
    return;
  }
  fputs("<table class=\"plots\">", r->out);
  for (int i = 0; i < with->series; i++) {
    fputs(i % 2 ? "<td>" : "<tr><td>", r->out);
    put_plot(r, run, with, without, i);
    fputs(i % 2 || i + 1 == with->series ? "</td></tr>\n" : "</td>", r->out);
  }
  fputs("</table>\n", r->out);
}
