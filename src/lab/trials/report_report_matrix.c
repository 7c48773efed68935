// The matrix of equipment and modes, and all results: one field for each condition, letter and colour.
#include "lab/trials/trials_internal.h"

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
