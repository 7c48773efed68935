// The plots of a test sheet as SVG: the quantities of the limits over time, the run without a failure in
// grey, the time of the failure shaded, the alarms as marks. Each drawing has its own style: programs that
// make PDF do not let the page's style reach into it.
#include "io/files/markup.h"
#include "trials/report.h"
#include "trials/run_record.h"

#include <math.h>

enum { WIDTH = 470, HEIGHT = 130, LEFT = 76, RIGHT = 8, TOP = 20, BOTTOM = 20 };

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
    if (!isfinite(value))
      continue;
    f->low = fmin(f->low, value);
    f->high = fmax(f->high, value);
    f->last_s = fmax(f->last_s, r->time_s[i]);
  }
}

static void put_line(FILE *out, const struct axes *f, const struct run_record *r, int series,
                     const char *colour) {
  int is_on = 0;
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", colour);
  for (int i = 0; i < r->rows; i++) {
    double value = r->value[series][i];
    if (isfinite(value))
      fprintf(out, "%c%.1f %.1f", is_on ? 'L' : 'M', x_of(f, r->time_s[i]), y_of(f, value));
    is_on = isfinite(value);
  }
  fputs("\"/>", out);
}

static void put_bound(FILE *out, const struct axes *f, double value) {
  if (value > f->low && value < f->high)
    fprintf(out, "<path stroke=\"#b3261e\" stroke-dasharray=\"5 3\" d=\"M%d %.1fH%d\"/>", LEFT,
            y_of(f, value), WIDTH - RIGHT);
}

static void put_alarms(FILE *out, const struct axes *f, const struct judged_run *run) {
  for (int i = 0; i < run->seen.alarm_count; i++)
    if (run->seen.alarm[i].time_s >= f->first_s && run->seen.alarm[i].time_s <= f->last_s) {
      fprintf(out, "<path fill=\"#8a5a00\" d=\"M%.1f %dl-4 -8h8z\"><title>",
              x_of(f, run->seen.alarm[i].time_s), TOP);
      markup_put(out, run->seen.alarm[i].text);
      fputs("</title></path>", out);
    }
}

static void put_plot(FILE *out, const struct trial_plan *p, const struct judged_run *run,
                     const struct run_record *with, const struct run_record *without, int series) {
  const struct trial_limit *limit = &p->limit[series];
  struct axes f = {0, 1, HUGE_VAL, -HUGE_VAL};
  stretch(&f, with, series);
  stretch(&f, without, series);
  if (!(f.low <= f.high))
    return;
  if (f.high - f.low < 1e-9 * fmax(1, fabs(f.high)))
    f.high = f.low + fmax(1, fabs(f.low));
  double begin = x_of(&f, fmin(p->settle_s, f.last_s)),
         end = x_of(&f, fmin(p->settle_s + p->failure_s, f.last_s));
  fprintf(out,
          "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" font-family=\"sans-serif\" "
          "font-size=\"11\"><title>%s of this run "
          "and of the run without a failure</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
          "fill=\"#f4e7c8\"/>"
          "<path fill=\"none\" stroke=\"#888\" d=\"M%d %dV%dH%d\"/>",
          WIDTH, HEIGHT, WIDTH, quantity_shown_name(limit->quantity), begin, TOP, end - begin,
          HEIGHT - TOP - BOTTOM, LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
  put_line(out, &f, without, series, "#9a9a9a");
  put_line(out, &f, with, series, "#1f4e8c");
  put_bound(out, &f, limit->range[0]);
  put_bound(out, &f, limit->range[1]);
  put_bound(out, &f, limit->circle);
  put_alarms(out, &f, run);
  fprintf(out,
          "<text x=\"%d\" y=\"12\">%s, %s</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text><text "
          "x=\"%d\" y=\"%d\" "
          "text-anchor=\"end\">%.4g</text><text x=\"%d\" y=\"%d\">0 s</text><text x=\"%d\" y=\"%d\" "
          "text-anchor=\"end\">%.4g s</text></svg>\n",
          LEFT, quantity_shown_name(limit->quantity), quantity_table[limit->quantity].shown_unit, LEFT - 4,
          TOP + 8, f.high, LEFT - 4, HEIGHT - BOTTOM, f.low, LEFT, HEIGHT - 6, WIDTH - RIGHT, HEIGHT - 6,
          f.last_s);
}

int report_put_plots(FILE *out, const struct judgement *j, const struct judged_run *run,
                     const struct sweep_folder *folder) {
  struct run_record with, without;
  int none = judgement_run(j, run->condition, 0)->point;
  int ok =
      run_record_read(j->plan, sweep_point_path(folder, run->point, "record.csv").text, &with) == STATUS_OK;
  ok = run_record_read(j->plan, sweep_point_path(folder, none, "record.csv").text, &without) == STATUS_OK &&
       ok;
  for (int i = 0; ok && with.rows && i < j->plan->limit_count; i++)
    put_plot(out, j->plan, run, &with, &without, i);
  run_record_free(&with);
  run_record_free(&without);
  return ok;
}
