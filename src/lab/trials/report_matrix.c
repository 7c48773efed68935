// The matrix of equipment and modes, and all results: one field for each condition, letter and colour.
#include "lab/trials/trials_internal.h"

#include "lab/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Equipment that has modes in common stands in one table. Failures of several pieces of equipment have one of
// their own.
enum { MOST_MODES = 32, WIDE = 14 }; // so many also without a common mode
struct block {
  int first, end; // of the failures
  const char *mode[MOST_MODES];
  int mode_count;
};

static int mode_at(const struct block *b, const char *mode) {
  for (int i = 0; i < b->mode_count; i++)
    if (!strcmp(b->mode[i], mode))
      return i;
  return -1;
}

static int end_of_equipment(const struct failures *all, int first) {
  int end = first + 1;
  while (end < all->count && !strcmp(all->item[end].equipment, all->item[first].equipment) &&
         all->item[end].group == all->item[first].group)
    end++;
  return end;
}

static int belongs(const struct failures *all, const struct block *b, int first, int end) {
  const struct failure *begin = &all->item[b->first], *next = &all->item[first];
  int fits = 0, added = 0;
  if ((begin->group == FAILURE_SINGLE) != (next->group == FAILURE_SINGLE))
    return 0;
  for (int i = first; i < end; i++) {
    fits += mode_at(b, all->item[i].mode) >= 0;
    added += mode_at(b, all->item[i].mode) < 0;
  }
  return fits || b->mode_count + added <= WIDE ? b->mode_count + added <= MOST_MODES : 0;
}

static struct block block_from(const struct failures *all, int first) {
  struct block b = {.first = first, .end = first};
  while (b.end < all->count) {
    int end = end_of_equipment(all, b.end);
    if (b.end > first && !belongs(all, &b, b.end, end))
      break;
    for (; b.end < end; b.end++)
      if (mode_at(&b, all->item[b.end].mode) < 0 && b.mode_count < MOST_MODES)
        b.mode[b.mode_count++] = all->item[b.end].mode;
  }
  return b;
}

// The name of a mode, upright where there is no room: a picture, because not every reader turns text.
static void put_mode(FILE *out, const char *mode, int height) {
  fprintf(out,
          "<th><svg width=\"16\" height=\"%d\" viewBox=\"0 0 16 %d\" font-family=\"DejaVu Sans, sans-serif\" "
          "font-size=\"10\"><text transform=\"translate(11.5 %d) rotate(-90)\">",
          height, height, height - 2);
  markup_put(out, mode);
  fputs("</text></svg></th>", out);
}

static void put_row(const struct report *r, const struct block *b, int first, int end, int from, int to) {
  const struct failures *all = r->j->failures;
  report_put(r->out, HTML_MATRIX_ROW, all->item[first].equipment);
  for (int m = 0; m < b->mode_count; m++) {
    int i = first;
    while (i < end && strcmp(all->item[i].mode, b->mode[m]) != 0)
      i++;
    fputs("<td>", r->out);
    for (int c = from; i < end && c < to; c++)
      report_put_letter(r, judgement_run(r->j, c, i));
    fputs("</td>", r->out);
  }
  fputs("</tr>\n", r->out);
}

static void put_block(const struct report *r, const struct block *b, int from, int to) {
  // Equal columns in all blocks, as wide as their letters need and the page allows.
  double letters_mm = 3.9 * (to - from) + 0.6, room_mm = 140.0 / b->mode_count;
  size_t longest = 0;
  for (int m = 0; m < b->mode_count; m++)
    longest = strlen(b->mode[m]) > longest ? strlen(b->mode[m]) : longest;
  double mode_mm = letters_mm > room_mm ? room_mm : letters_mm < 8.5 ? fmin(8.5, room_mm) : letters_mm;
  fprintf(r->out, "<table class=\"matrix\" style=\"width:%.1fmm\"><colgroup><col style=\"width:38mm\">",
          38 + b->mode_count * mode_mm);
  for (int m = 0; m < b->mode_count; m++)
    fprintf(r->out, "<col style=\"width:%.2fmm\">", mode_mm);
  fputs("</colgroup><thead><tr><th></th>", r->out);
  for (int m = 0; m < b->mode_count; m++)
    put_mode(r->out, b->mode[m], (int)(6.4 * (double)longest) + 8);
  fputs("</tr></thead>\n", r->out);
  for (int i = b->first, end; i < b->end; i = end) {
    end = end_of_equipment(r->j->failures, i);
    put_row(r, b, i, end, from, to);
  }
  fputs("</table>\n", r->out);
}

static void put_names(const struct report *r, int from, int to) {
  for (int c = from; c < to; c++) {
    fputs(c > from ? ", " : "", r->out);
    markup_put(r->out, r->j->plan->condition[c].id);
  }
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}

// The blocks of single failures, or those of the others below their heading. The list has both by equipment.
static void put_blocks(const struct report *r, int is_single, int from, int to) {
  const struct failures *all = r->j->failures;
  int needs_heading = !is_single;
  for (int i = 1; i < all->count;) {
    struct block b = block_from(all, i);
    if ((all->item[i].group == FAILURE_SINGLE) == is_single) {
      if (needs_heading)
        report_put(r->out, HTML_BLOCKS);
      needs_heading = 0;
      put_block(r, &b, from, to);
    }
    i = b.end;
  }
}

void report_put_matrix(const struct report *r) {
  int conditions = r->j->plan->condition_count;
  report_put(r->out, HTML_MATRIX);
  for (int s = 0; s < RUN_STATE_COUNT; s++)
    if (*run_states[s].sign)
      fprintf(r->out, "%s: %s. ", run_states[s].sign, run_states[s].name);
  report_put(r->out, HTML_MATRIX_2);
  for (int from = 0; from < conditions; from += REPORT_SIDE_BY_SIDE) {
    int to = smaller(from + REPORT_SIDE_BY_SIDE, conditions);
    fprintf(r->out, "<h3>Condition%s ", to - from > 1 ? "s, from left to right:" : "");
    put_names(r, from, to);
    fputs("</h3>\n", r->out);
    put_blocks(r, 1, from, to);
    put_blocks(r, 0, from, to);
  }
}

static void put_result(const struct report *r, const struct judged_run *run) {
  fputs("<td class=\"w\">", r->out);
  report_put_letter(r, run);
  fputs("</td>", r->out);
  if (!run->seen.is_there) {
    fputs("<td class=\"n\">no result</td><td></td>", r->out);
    return;
  }
  report_put_number(r->out, "%.2f", run->seen.offset_m);
  if (isnan(run->detected_s))
    fputs("<td class=\"n\">none</td>", r->out);
  else
    report_put_number(r->out, "%.1f", run->detected_s);
}

// One row for each failure, so that a plan of many conditions stays readable.
void report_put_results(const struct report *r) {
  int conditions = r->j->plan->condition_count;
  report_put(r->out, HTML_RESULTS);
  for (int from = 0; from < conditions; from += REPORT_SIDE_BY_SIDE) {
    int to = smaller(from + REPORT_SIDE_BY_SIDE, conditions);
    fputs("<table class=\"results\"><colgroup><col style=\"width:61mm\">", r->out);
    for (int c = 0; c < REPORT_SIDE_BY_SIDE; c++) // an empty column keeps the width of fewer conditions
      fputs("<col style=\"width:11mm\"><col style=\"width:14mm\"><col style=\"width:14mm\">", r->out);
    fputs("</colgroup><thead><tr><th>Failure</th>", r->out);
    for (int c = from; c < to; c++) {
      report_put(r->out, HTML_RESULTS_2, r->j->plan->condition[c].id);
    }
    fputs("</tr></thead>\n", r->out);
    for (int i = 0; i < r->j->failures->count; i++) {
      report_put(r->out, HTML_RESULTS_3, i ? r->j->failures->item[i].id : "without a failure");
      for (int c = from; c < to; c++)
        put_result(r, judgement_run(r->j, c, i));
      fputs("</tr>\n", r->out);
    }
    fputs("</table>\n", r->out);
  }
}

// ------------------------------------------------------------
// Worst-case failure design intent: declared, measured in each condition, effects of all single failures.

enum { WIDTH = 640, HEIGHT = 142, LEFT = 42, RIGHT = 104, TOP = 18, BOTTOM = 20 };

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

// Lines and numbers of the offset at round steps, and the axes.
static void put_scale(FILE *out, double top) {
  const double step = report_round_step(top, 4);
  for (double value = 0; value <= top; value += step) {
    const double y = height_of(value, top);
    fprintf(out,
            "<path stroke=\"#555\" stroke-width=\"0.4\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">%.3g</text>",
            LEFT, y, WIDTH - RIGHT, LEFT - 4, y + 3, value);
  }
  fprintf(out,
          "<path fill=\"none\" stroke=\"#555\" d=\"M%d %dV%dH%d\"/><text x=\"%d\" y=\"%d\">position error, "
          "m</text>",
          LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, LEFT, TOP - 5);
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
          "font-size=\"9.5\"><title>Largest position error of each single failure, sorted</title>",
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
  put_scale(r->out, top);
  put_levels(r, condition, top);
  fprintf(r->out, "<text x=\"%d\" y=\"%d\">", LEFT, HEIGHT - 6);
  markup_put(r->out, r->j->plan->condition[condition].id);
  fprintf(r->out,
          ": largest position error of each of the %d single failures, sorted; without a failure %.2f "
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
  statements_make(r->j, &all);
  fputs("<p><b>Statement.</b> ", r->out);
  for (int i = 0; i < all.count; i++) {
    markup_put(r->out, all.item[i].text);
    fputs(all.item[i].kind == STATEMENT_HEADLINE ? ". " : " ", r->out);
  }
  fputs("</p>\n", r->out);
  for (int is_beyond = 1; is_beyond >= 0; is_beyond--) {
    int count = 0;
    for (int i = 0; i < r->j->run_count; i++) {
      const struct judged_run *run = &r->j->run[i];
      if (is_beyond ? !tally_is_beyond(run) : tally_is_beyond(run) || !tally_is_larger(r->j, run))
        continue;
      fputs(count++     ? ", "
            : is_beyond ? "<p>Beyond a limit, or beyond declared failures and watch circle: "
                        : "<p>Larger than the declared failures, within the limits: ",
            r->out);
      report_put_id(r->out, r, run);
    }
    fputs(count ? ".</p>\n" : "", r->out);
  }
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
