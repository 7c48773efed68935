// Worst-case failure design intent: declared, measured in each condition, effects of all single failures.
#include "lab/judge/tally.h"
#include "lab/trials/trials_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 132, LEFT = 42, RIGHT = 104, TOP = 8, BOTTOM = 20 };

static int compare_effect(const void *a, const void *b) {
  const struct judged_run *left = *(const struct judged_run *const *)a,
                          *right = *(const struct judged_run *const *)b;
  return left->seen.offset_m < right->seen.offset_m ? -1 : left->seen.offset_m > right->seen.offset_m;
}

// The single failures of a condition that have a result, the smallest effect first. Returns their number.
static int sorted_runs(const struct judgement *j, int condition, const struct judged_run **out) {
  int count = 0;
  for (int i = 1; i < j->failures->count; i++) {
    const struct judged_run *run = judgement_run(j, condition, i);
    if (run->failure->group == FAILURE_SINGLE && run->seen.is_there && isfinite(run->seen.offset_m))
      out[count++] = run;
  }
  qsort(out, (size_t)count, sizeof *out, compare_effect);
  return count;
}

// The limit of the offset, and its circle; NAN: none.
static const struct trial_limit *offset_limit(const struct trial_plan *p) {
  for (int i = 0; i < p->limit_count; i++)
    if (p->limit[i].quantity == QUANTITY_OFFSET)
      return &p->limit[i];
  return NULL;
}

static double declared_effect(const struct judgement *j, int condition) {
  double largest = NAN;
  for (int i = 0; i < j->plan->worst_case_count; i++)
    largest = fmax(
        largest,
        judgement_run(j, condition, failures_find(j->failures, j->plan->worst_case[i].id))->seen.offset_m);
  return largest;
}

static double height_of(double value, double top) {
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * fmin(value, top) / top;
}

static void put_level(FILE *out, double value, double top, const char *name, const char *colour,
                      const char *dash, double *last_y) {
  double y = height_of(value, top), text_y;
  if (!isfinite(value) || value > top)
    return;
  text_y = fmin(y + 3.5, *last_y - 11); // levels come from below: no text lies on another
  *last_y = text_y;
  fprintf(
      out,
      "<path stroke=\"%s\" stroke-width=\"1.2\" stroke-dasharray=\"%s\" d=\"M%d %.1fH%d\"/><text x=\"%d\" "
      "y=\"%.1f\" fill=\"%s\">%s %.1f m</text>",
      colour, dash, LEFT, y, WIDTH - RIGHT, WIDTH - RIGHT + 5, text_y, colour, name, value);
}

static void put_levels(const struct report *r, int condition, double top) {
  const struct trial_limit *limit = offset_limit(r->j->plan);
  double last_y = HEIGHT, declared = declared_effect(r->j, condition),
         circle = limit ? limit->circle : (double)NAN;
  if (!(declared > circle))
    put_level(r->out, declared, top, "declared", "#1d1f23", "2 2", &last_y);
  put_level(r->out, circle, top, "circle", "#8a5a00", "5 3", &last_y);
  if (declared > circle)
    put_level(r->out, declared, top, "declared", "#1d1f23", "2 2", &last_y);
  put_level(r->out, limit ? limit->range[1] : (double)NAN, top, "limit", "#b3261e", "6 2", &last_y);
}

static void put_chart(const struct report *r, int condition, const struct judged_run **runs, int count) {
  const struct trial_limit *limit = offset_limit(r->j->plan);
  double without = judgement_run(r->j, condition, 0)->seen.offset_m,
         top = fmin(runs[count - 1]->seen.offset_m,
                    limit && isfinite(limit->range[1]) ? 2 * limit->range[1] : 1e9),
         wide = (double)(WIDTH - LEFT - RIGHT) / count;
  double declared = declared_effect(r->j, condition);
  top = fmax(1, 1.05 * fmax(top, fmax(isfinite(declared) ? declared : 0, without)));
  if (limit && isfinite(limit->circle))
    top = fmax(top, 1.1 * limit->circle);
  int is_cut = runs[count - 1]->seen.offset_m > top;
  fprintf(r->out,
          "<figure><svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" font-family=\"DejaVu Sans, "
          "sans-serif\" "
          "font-size=\"9.5\"><title>Largest offset of each single failure, sorted</title>",
          WIDTH, HEIGHT);
  for (int i = 0; i < count; i++) {
    double offset = runs[i]->seen.offset_m, y = height_of(offset, top);
    int is_limit = runs[i]->criterion[CRITERION_LIMITS].result == CRITERION_FAIL,
        is_circle = runs[i]->criterion[CRITERION_CIRCLE].result == CRITERION_FAIL || tally_is_beyond(runs[i]);
    fprintf(r->out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>",
            LEFT + i * wide, y, fmax(0.86 * wide, 0.4), HEIGHT - BOTTOM - y,
            is_limit    ? "#b3261e"
            : is_circle ? "#e09a1c"
                        : "#8fb79f");
  }
  fprintf(r->out,
          "<path fill=\"none\" stroke=\"#555\" d=\"M%d %dV%dH%d\"/><text x=\"%d\" y=\"%d\" "
          "text-anchor=\"end\">%.3g "
          "m</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>",
          LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, LEFT - 4, TOP + 8, top, LEFT - 4, HEIGHT - BOTTOM);
  put_levels(r, condition, top);
  fprintf(r->out, "<text x=\"%d\" y=\"%d\">", LEFT, HEIGHT - 6);
  markup_put(r->out, r->j->plan->condition[condition].id);
  fprintf(r->out,
          ": largest offset of each of the %d single failures, sorted; without a failure %.2f "
          "m%s</text></svg></figure>\n",
          count, without, is_cut ? "; the scale is cut" : "");
}

static void put_declared(const struct report *r) {
  const struct trial_plan *p = r->j->plan;
  if (!p->worst_case_count) {
    report_put(r->out, HTML_DECLARED);
    return;
  }
  report_put(r->out, HTML_DECLARED_2);
  for (int i = 0; i < p->worst_case_count; i++) {
    fputs(!i ? "" : i + 1 < p->worst_case_count ? ", " : " or ", r->out);
    markup_put(r->out, p->worst_case[i].id);
  }
  report_put(r->out, HTML_DECLARED_3);
}

static void put_condition(const struct report *r, int c, const struct judged_run **runs, int count) {
  const struct trial_plan *p = r->j->plan;
  int beyond = 0;
  for (int i = 0; i < count; i++)
    beyond += tally_is_beyond(runs[i]);
  report_put(r->out, HTML_WORST_CASE_CONDITION, p->condition[c].id);
  if (isfinite(r->j->exercise[c].intact))
    report_put(r->out, HTML_WORST_CASE_CONDITION_2, r->j->exercise[c].intact);
  fputs("</td><td>", r->out);
  for (int i = 0; i < p->worst_case_count; i++) {
    const struct judged_run *run = judgement_run(r->j, c, failures_find(r->j->failures, p->worst_case[i].id));
    fputs(i ? "<br>" : "", r->out);
    report_put(r->out, HTML_WORST_CASE_CONDITION_3, p->worst_case[i].id,
               value_text(QUANTITY_OFFSET, run->seen.offset_m).text);
    if (isfinite(r->j->exercise[c].after[i]))
      report_put(r->out, HTML_WORST_CASE_CONDITION_4, r->j->exercise[c].after[i]);
  }
  report_put(r->out, HTML_WORST_CASE_CONDITION_5, value_text(QUANTITY_OFFSET, r->j->worst_case_m[c]).text,
             *r->j->outside[c] ? 0 : count);
  if (*r->j->outside[c])
    report_put(r->out, HTML_WORST_CASE_CONDITION_6);
  else {
    report_put(r->out, HTML_WORST_CASE_CONDITION_7, beyond);
    if (count) {
      report_put(r->out, HTML_WORST_CASE_CONDITION_8, runs[count - 1]->failure->id,
                 value_text(QUANTITY_OFFSET, runs[count - 1]->seen.offset_m).text);
    }
    fputs("</td></tr>\n", r->out);
  }
}

// The sentences of the cover about single failures, then their names.
static void put_statement(const struct report *r) {
  struct statements all;
  int count = 0;
  statements_make(r->j, &all);
  fputs("<p><b>Statement.</b> ", r->out);
  for (int i = 0; i < all.count; i++) {
    markup_put(r->out, all.item[i].text);
    fputs(all.item[i].kind == STATEMENT_HEADLINE ? ". " : " ", r->out);
  }
  for (int i = 0; i < r->j->run_count; i++)
    if (tally_is_beyond(&r->j->run[i]) || tally_is_larger(r->j, &r->j->run[i])) {
      fputs(count++ ? ", " : "</p>\n<p>Beyond a limit, or larger than the declared failures: ", r->out);
      report_put_id(r->out, r, &r->j->run[i]);
    }
  fputs(count ? ".</p>\n" : "</p>\n", r->out);
}

enum status report_put_worst_case(const struct report *r) {
  static const struct report_column columns[] = {
      {"Condition", 20, 0}, {"Effect of the declared failures", 46, 0},
      {"Measure", 20, 1},   {"Single failures", 30, 1},
      {"Beyond", 18, 1},    {"Largest effect", 44, 0}};
  const struct judged_run **runs = malloc(((size_t)r->j->failures->count + 1) * sizeof *runs);
  if (!runs)
    return STATUS_NO_MEMORY;
  report_put(r->out, HTML_WORST_CASE);
  put_declared(r);
  report_put_head(r->out, columns, 6);
  for (int c = 0; c < r->j->plan->condition_count; c++)
    put_condition(r, c, runs, sorted_runs(r->j, c, runs));
  fputs("</table>\n", r->out);
  for (int c = 0; c < r->j->plan->condition_count; c++) {
    int count = sorted_runs(r->j, c, runs);
    if (count)
      put_chart(r, c, runs, count);
  }
  free(runs);
  put_statement(r);
  return STATUS_OK;
}
