// The plots of a test sheet as SVG: four quantities over time, the run without a failure in grey, the time of
// the failure shaded, the alarms as numbered marks. Each drawing has its own style: programs that make PDF do
// not let the page's style reach into it.
#include "lab/judge/judge.h"
#include "lab/trials/trials_internal.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 360, HEIGHT = 104, LEFT = 46, RIGHT = 8, TOP = 24, BOTTOM = 18 };

struct axes {
  double first_s, last_s, low, high;
};

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

static void put_line(FILE *out, const struct axes *f, const struct run_record *r, int series,
                     const char *colour) {
  int is_on = 0;
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", colour);
  for (int i = 0; i < r->rows; i++) {
    double value = r->value[series][i];
    int is_shown = isfinite(value) && r->time_s[i] >= f->first_s;
    if (is_shown)
      fprintf(out, "%c%.1f %.1f", is_on ? 'L' : 'M', x_of(f, r->time_s[i]), y_of(f, value));
    is_on = is_shown;
  }
  fputs("\"/>", out);
}

static void put_bound(FILE *out, const struct axes *f, double value, const char *colour) {
  if (value > f->low && value < f->high)
    fprintf(out, "<path stroke=\"%s\" stroke-dasharray=\"5 3\" d=\"M%d %.1fH%d\"/>", colour, LEFT,
            y_of(f, value), WIDTH - RIGHT);
}

static void put_bounds(FILE *out, const struct axes *f, const struct trial_plan *p, int quantity) {
  for (int i = 0; i < p->limit_count; i++) {
    const struct trial_limit *limit = &p->limit[i];
    if (limit->quantity != quantity)
      continue;
    put_bound(out, f, limit->range[0], "#b3261e");
    put_bound(out, f, limit->range[1], "#b3261e");
    put_bound(out, f, limit->circle, "#b98500");
    put_bound(out, f, -limit->circle, "#b98500");
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
}

// Forces and powers in thousands or millions; the unit shows it.
static double prefix_of(int quantity, double largest, const char **text) {
  const char *unit = quantity_table[quantity].shown_unit;
  int takes = *unit && strchr("NWJP", *unit) != NULL;
  *text = takes && largest >= 9.9995e6 ? "M" : takes && largest >= 1e3 ? "k" : "";
  return **text == 'M' ? 1e6 : **text == 'k' ? 1e3 : 1;
}

static void put_scale(FILE *out, const struct axes *f, int quantity) {
  const struct quantity_info *q = &quantity_table[quantity];
  const char *prefix;
  double scale = prefix_of(quantity, fmax(fabs(f->high), fabs(f->low)), &prefix);
  size_t unit_at = strlen(q->shown_name); // the name without its unit, which stands beside it
  const char *last = strrchr(q->shown_name, '_');
  if (last && *q->shown_unit)
    unit_at = (size_t)(last - q->shown_name);
  fprintf(out, "<text x=\"%d\" y=\"10\" font-size=\"9.5\">", LEFT);
  for (size_t i = 0; i < unit_at; i++)
    fputc(q->shown_name[i] == '_' ? ' ' : q->shown_name[i], out);
  fprintf(out, "%s%s%s</text>", *q->shown_unit ? ", " : "", prefix, q->shown_unit);
  fprintf(out,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text><text x=\"%d\" y=\"%d\" "
          "text-anchor=\"end\">%.4g</text><text x=\"%d\" y=\"%d\">%.4g</text><text x=\"%d\" y=\"%d\" "
          "text-anchor=\"end\">%.4g s</text>",
          LEFT - 3, TOP + 7, f->high / scale, LEFT - 3, HEIGHT - BOTTOM, f->low / scale, LEFT, HEIGHT - 6,
          f->first_s, WIDTH - RIGHT, HEIGHT - 6, f->last_s);
}

static void put_plot(const struct report *r, const struct judged_run *run, const struct run_record *with,
                     const struct run_record *without, int series) {
  const struct trial_plan *p = r->j->plan;
  struct axes f = {first_of(p), first_of(p) + 1, HUGE_VAL, -HUGE_VAL};
  stretch(&f, with, series);
  stretch(&f, without, series);
  if (!(f.low <= f.high)) {
    fprintf(r->out, "<p class=\"small\">%s: not recorded.</p>", quantity_shown_name(with->quantity[series]));
    return;
  }
  widen(&f, p, with->quantity[series]);
  double begin = x_of(&f, fmin(p->settle_s, f.last_s)),
         end = x_of(&f, fmin(p->settle_s + p->failure_s, f.last_s));
  fprintf(r->out,
          "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" font-family=\"DejaVu Sans, sans-serif\" "
          "font-size=\"8.5\"><title>%s of this run and of the run without a failure</title><rect x=\"%.1f\" "
          "y=\"%d\" "
          "width=\"%.1f\" height=\"%d\" fill=\"#f7edd6\"/><path fill=\"none\" stroke=\"#777\" "
          "stroke-width=\"0.8\" d=\"M%d %dV%dH%d\"/>",
          WIDTH, HEIGHT, quantity_shown_name(with->quantity[series]), begin, TOP, end - begin,
          HEIGHT - TOP - BOTTOM, LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
  put_bounds(r->out, &f, p, with->quantity[series]);
  put_line(r->out, &f, without, series, "#9a9a9a");
  put_line(r->out, &f, with, series, "#1f4e8c");
  put_alarms(r->out, &f, run);
  put_scale(r->out, &f, with->quantity[series]);
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
