// Test sheets: of the run that goes furthest in each finding A and B, and of the declared worst-case
// failures. Method, expected and observed, plots, and the line on which a witness signs.
#include "lab/trials/trials_internal.h"

#include "lab/judge/judge.h"
#include "sagbend/faults/faults.h"
#include "sagbend/orders/orders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the events of a failure ----

// Copies the text up to one of the ends, without quotes around it, and returns where it stopped.
static const char *take(const char *at, const char *ends, char out[EVENT_TEXT]) {
  size_t size;
  at += strspn(at, " ");
  if (*at == '\'') {
    size = strcspn(++at, "'");
    snprintf(out, EVENT_TEXT, "%.*s", (int)size, at);
    return at + size + (at[size] != '\0');
  }
  size = strcspn(at, ends);
  snprintf(out, EVENT_TEXT, "%.*s", (int)size, at);
  return at + size;
}

static void set(struct report_event *e, const char *key, const char *value) {
  if (!strcmp(key, "name"))
    snprintf(e->name, sizeof e->name, "%s", value);
  else if (!strcmp(key, "fault"))
    snprintf(e->fault, sizeof e->fault, "%s", value);
  else if (!strcmp(key, "target"))
    snprintf(e->target, sizeof e->target, "%s", value);
  else if (!strcmp(key, "at_s"))
    e->at_s = strtod(value, NULL);
  else if (!strcmp(key, "duration_s"))
    e->duration_s = strtod(value, NULL);
  else if (e->more_count < EVENT_PARAMETERS) {
    snprintf(e->more[e->more_count].key, EVENT_TEXT, "%s", key);
    snprintf(e->more[e->more_count++].value, EVENT_TEXT, "%s", value);
  }
}

int report_event_next(const char **events, struct report_event *out) {
  const char *at = strchr(*events, '{');
  char key[EVENT_TEXT], value[EVENT_TEXT];
  *out = (struct report_event){.more_count = 0};
  if (!at)
    return 0;
  for (at++; *at && *at != '}'; at += strspn(at, ", ")) {
    at = take(at, ":}", key);
    at = take(at + (*at == ':'), ",}", value);
    set(out, key, value);
  }
  *events = at;
  return 1;
}

// "a bias that grows with time is added to a channel (rate_per_s 0.099, channel 0), from 120 s to 220 s"
// The equipment is not part of it.
static void report_event_sentence(const struct report_event *e, char *out, size_t size) {
  enum fault_kind fault = fault_by_name(e->fault);
  size_t used = (size_t)snprintf(out, size, "%s", fault == FAULT_COUNT ? e->fault : fault_help(fault));
  for (int i = 0; i < e->more_count && used < size; i++) {
    char *end;
    double value = strtod(e->more[i].value, &end);
    used += (size_t)snprintf(out + used, size - used, "%s%s ", i ? ", " : " (", e->more[i].key);
    if (used < size && !*end)
      used += (size_t)snprintf(out + used, size - used, "%.3g", value);
    else if (used < size)
      used += (size_t)snprintf(out + used, size - used, "%s", e->more[i].value);
  }
  if (used < size)
    snprintf(out + used, size - used, "%s, from %.6g s to %.6g s", e->more_count ? ")" : "", e->at_s,
             e->at_s + e->duration_s);
}

// ---- plots ----
//
// The plots of a test sheet as SVG: four quantities over time on a grid of round numbers, each line named at
// its end, the run without a failure in grey, the time of the failure shaded, the alarms as numbered marks.
// Each drawing has its own style: programs that make PDF do not let the page's style reach into it.

// A sheet with four of them fills most of a page.
enum { WIDTH = 360, HEIGHT = 212, LEFT = 38, RIGHT = 66, TOP = 26, BOTTOM = 20 };
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
static void put_alarm_marks(FILE *out, const struct axes *f, const struct judged_run *run) {
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
  put_alarm_marks(r->out, &f, run);
  put_names(r->out, &f);
  put_quantity(r->out, with->quantity[series], prefix);
  fputs("</svg>", r->out);
}

// The plots of a run's test sheet beside the run without a failure.
static void report_put_plots(const struct report *r, const struct judged_run *run,
                             const struct run_record *with, const struct run_record *without) {
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

// ---- the sheets ----

enum { ALARMS_SHOWN = 10, RUNS_SHOWN = 10 };

static void put_title(const struct report *r, const struct judged_run *run) {
  const struct finding *f = findings_of(r->findings, (int)(run - r->j->run));
  char letter = report_letter(run);
  fputs("<h3>", r->out);
  if (f)
    fprintf(r->out, "<span class=\"tag g%c\">%s</span> ", letter, f->id);
  else
    fprintf(r->out, "<span class=\"tag g%c\">%s</span> ", letter, run_states[run->state].name);
  report_put(r->out, HTML_SHEETS_TITLE, report_id(r, run).text);
}

// Events that differ in their equipment only are one sentence: "gnss-1, gnss-2: no measurements, from ...".
static void put_failure(const struct report *r, const struct judged_run *run) {
  const char *events = run->failure->events;
  struct report_event e;
  char text[600], last[600] = "";
  report_put(r->out, HTML_SHEETS_METHOD, r->j->plan->condition[run->condition].id);
  for (int count = 0; report_event_next(&events, &e); count++) {
    report_event_sentence(&e, text, sizeof text);
    if (count && strcmp(text, last) == 0) {
      fputs(", ", r->out);
    } else if (count) {
      report_put(r->out, HTML_SHEETS_FAILURE, last);
    }
    markup_put(r->out, *e.target ? e.target : run->failure->equipment);
    memcpy(last, text, sizeof last);
  }
  fputs(*last ? ": " : "none", r->out);
  report_put(r->out, HTML_SHEETS_FAILURE_2, last);
}

static void put_criteria(const struct report *r, const struct judged_run *run) {
  static const struct report_column columns[] = {
      {"Criterion", 24, 0}, {"Expected", 62, 0}, {"Observed", 72, 0}, {"Result", 20, 0}};
  int skipped = 0;
  report_put_head(r->out, columns, 4);
  for (int c = 0; c < CRITERION_COUNT; c++) {
    const struct judged_criterion *criterion = &run->criterion[c];
    if (criterion->result == CRITERION_NOT_APPLICABLE ||
        (c == CRITERION_JUDGED && criterion->result == CRITERION_PASS))
      continue;
    report_put(r->out, HTML_SHEETS_CRITERIA, criteria[c].name, criteria[c].requires, criterion->text);
    if (criterion->result == CRITERION_PASS)
      fputs("<td class=\"w\">holds</td></tr>\n", r->out);
    else
      fprintf(r->out, "<td class=\"w\"><b>FAILS</b> <span class=\"g g%c\">%c</span></td></tr>\n",
              criterion->grade, criterion->grade);
  }
  fputs("</table>\n", r->out);
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (criteria[c].stage != STAGE_RUN && run->criterion[c].result == CRITERION_NOT_APPLICABLE) {
      if (skipped++)
        report_put(r->out, HTML_SHEETS_CRITERIA_MORE, criteria[c].name, run->criterion[c].text);
      else
        report_put(r->out, HTML_SHEETS_CRITERIA_2, criteria[c].name, run->criterion[c].text);
    }
  fputs(skipped ? ".</p>\n" : "", r->out);
}

// What the plan expects of the run, each by its name: those that fail first.
static void put_expected(const struct report *r, const struct judged_run *run) {
  static const struct report_column columns[] = {
      {"Expectation", 46, 0}, {"Value and bound", 112, 0}, {"Result", 20, 0}};
  const struct trial_plan *p = r->j->plan;
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < p->expectation_count && run->seen.is_there; i++) {
      const struct trial_expectation *e = &p->expectation[i];
      const int fails = expectation_margin(e, run->seen.expected[i]) < 0;
      char text[160];
      if (fails == pass || !expectation_is_of(e, run->failure, p->condition[run->condition].id))
        continue;
      if (!count++)
        report_put_head(r->out, columns, 3);
      expectation_text(e, run->seen.expected[i], text, sizeof text);
      report_put(r->out, HTML_SHEETS_EXPECTED, e->name, quantity_shown_name(e->quantity), text,
                 fails ? "FAILS" : "holds");
    }
  fputs(count ? "</table>\n" : "", r->out);
}

static void put_alarms(const struct report *r, const struct judged_run *run) {
  fputs("<p><b>Alarms.</b> ", r->out);
  for (int i = 0; i < run->seen.alarm_count && i < ALARMS_SHOWN; i++) {
    report_put(r->out, HTML_ALARMS, i ? "; " : "", i + 1, run->seen.alarm[i].time_s, run->seen.alarm[i].text);
  }
  if (run->seen.alarm_count > ALARMS_SHOWN)
    report_put(r->out, HTML_ALARMS_2, run->seen.alarm_count - ALARMS_SHOWN);
  fputs(run->seen.alarm_count ? ".</p>\n" : "None.</p>\n", r->out);
}

static void put_others(const struct report *r, const struct judged_run *run) {
  const struct finding *f = findings_of(r->findings, (int)(run - r->j->run));
  int named = 0;
  if (!f || f->run_count < 2)
    return;
  report_put(r->out, HTML_OTHERS);
  for (int k = 0; k < f->run_count; k++) {
    const struct judged_run *other = &r->j->run[f->run[k]];
    if (other == run)
      continue;
    if (named < RUNS_SHOWN) {
      fputs(named ? ", " : "", r->out);
      report_put_id(r->out, r, other);
    }
    named++;
  }
  if (named > RUNS_SHOWN)
    report_put(r->out, HTML_OTHERS_2, named - RUNS_SHOWN);
  fputs(".</p>\n", r->out);
}

static void put_evidence(const struct report *r, const struct judged_run *run) {
  char command[REPORT_COMMAND], path[64];
  const struct observation *log = report_log(run, path, sizeof path);
  report_command(r->j, run, command, sizeof command);
  report_put(r->out, HTML_EVIDENCE, command, *run->seen.state_hash ? run->seen.state_hash : "none",
             run->point);
  if (log) {
    report_put(r->out, HTML_EVIDENCE_2, path, log->log_is_signed ? ", signed" : "", log->log_digest);
  }
  fputs("</p>\n", r->out);
}

// The finding or the state of a run, as a word that is read without the colour.
static void put_outcome(const struct report *r, const struct judged_run *run) {
  const struct finding *f = findings_of(r->findings, (int)(run - r->j->run));
  report_put(r->out, HTML_OUTCOME, report_letter(run), f ? f->id : run_states[run->state].name);
}

static void put_witness(const struct report *r, const struct judged_run *run) {
  report_put(r->out, HTML_WITNESS);
  put_outcome(r, run);
  report_put(r->out, HTML_WITNESS_2);
}

enum { PLOTS = 4 };

static int has(const int *list, int count, int quantity) {
  for (int i = 0; i < count; i++)
    if (list[i] == quantity)
      return 1;
  return 0;
}

// The quantities of the plots: of a limit that the run passes, of the other limits, and what else is most
// telling.
static int plotted(const struct report *r, const struct judged_run *run, int *out) {
  static const int also[] = {QUANTITY_OFFSET, QUANTITY_HEADING_ERROR, QUANTITY_POWER, QUANTITY_SPEED};
  const struct trial_plan *p = r->j->plan;
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < p->limit_count && count < PLOTS; i++)
      if ((pass || judgement_share(&p->limit[i], &run->seen, i) > 1) &&
          !has(out, count, p->limit[i].quantity))
        out[count++] = p->limit[i].quantity;
  for (int i = 0; i < (int)(sizeof also / sizeof *also) && count < PLOTS; i++)
    if (!has(out, count, also[i]))
      out[count++] = also[i];
  return count;
}

// Of the run that is judged: with the operator's stop, if it has one.
static struct sweep_path record_path(const struct report *r, const struct judged_run *run) {
  struct sweep_path path = sweep_point_path(r->folder, run->point, "record.csv"), stopped;
  if (run->stop_point &&
      snprintf(stopped.text, sizeof stopped.text, "%.*s/" TRIALS_INTERVENTION "/points/%06d/record.csv",
               SWEEP_PATH - 80, r->folder->path, run->stop_point) > 0)
    return stopped;
  return path;
}

static void put_stop(const struct report *r, const struct judged_run *run) {
  if (run->stop_point)
    report_put(r->out, HTML_STOP, run->stop_s - r->j->plan->settle_s,
               value_text(QUANTITY_OFFSET, run->unstopped.offset_m).text);
}

static enum status put_sheet(const struct report *r, const struct judged_run *run) {
  struct run_record with, without = {.rows = 0};
  const struct judged_run *none = judgement_run(r->j, run->condition, 0);
  int quantity[PLOTS], count = plotted(r, run, quantity);
  enum status status = run_record_read(quantity, count, record_path(r, run).text, &with);
  if (status == STATUS_OK)
    status = run_record_read(quantity, count, sweep_point_path(r->folder, none->point, "record.csv").text,
                             &without);
  fprintf(r->out, "<div class=\"sheet\" id=\"run-%d\">", run->point);
  put_title(r, run);
  put_failure(r, run);
  put_stop(r, run);
  put_criteria(r, run);
  put_expected(r, run);
  report_put_plots(r, run, &with, &without);
  put_alarms(r, run);
  put_others(r, run);
  put_evidence(r, run);
  put_witness(r, run);
  fputs("</div>\n", r->out);
  run_record_free(&with);
  run_record_free(&without);
  return status;
}

// What was observed of the criteria that apply, in one cell: "limits: position 1.2 m of 10 m; alarm: ...".
static void put_observed(const struct report *r, const struct judged_run *run) {
  int count = 0;
  fputs("<td class=\"small\">", r->out);
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (criteria[c].stage != STAGE_RUN && run->criterion[c].result != CRITERION_NOT_APPLICABLE) {
      report_put(r->out, HTML_OBSERVED, count++ ? "; " : "", criteria[c].name);
      if (run->criterion[c].result == CRITERION_FAIL)
        report_put(r->out, HTML_OBSERVED_FAILS, run->criterion[c].grade);
      report_put(r->out, HTML_OBSERVED_2, run->criterion[c].text);
    }
  fputs("</td>", r->out);
}

// One row for each judged run that has no sheet: what was done, what was required and seen, the hash of its
// last state. Its few quantities once a second are in its folder.
static void put_short_sheets(const struct report *r) {
  static const struct report_column columns[] = {
      {"Test", 42, 0}, {"Observed and required", 100, 0}, {"Result", 16, 0}, {"Witness", 20, 0}};
  int count = 0;
  for (int i = 0; i < r->j->run_count; i++) {
    const struct judged_run *run = &r->j->run[i];
    if (report_has_sheet(r, i) || !tally_is_judged(run) || run->failure->group == FAILURE_NONE)
      continue;
    if (!count++) {
      report_put(r->out, HTML_SHORT_SHEETS);
      report_put_head(r->out, columns, 4);
    }
    report_put(r->out, HTML_SHORT_SHEETS_2, report_id(r, run).text, run->point, run->seen.state_hash);
    put_observed(r, run);
    fputs("<td class=\"w\">", r->out);
    put_outcome(r, run);
    fputs("</td><td></td></tr>\n", r->out);
  }
  fputs(count ? "</table></div>\n" : "", r->out);
}

enum status report_put_sheets(const struct report *r) {
  enum status status = STATUS_OK;
  report_put(r->out, HTML_SHEETS);
  for (int i = 0; i < r->findings->count && status == STATUS_OK; i++)
    if (r->findings->item[i].grade != 'C')
      status = put_sheet(r, &r->j->run[r->findings->item[i].worst]);
  for (int i = 0; i < r->j->run_count && status == STATUS_OK; i++) {
    const struct finding *f = findings_of(r->findings, i);
    if (report_has_sheet(r, i) && !(f && f->worst == i && f->grade != 'C'))
      status = put_sheet(r, &r->j->run[i]);
  }
  put_short_sheets(r);
  return status;
}
