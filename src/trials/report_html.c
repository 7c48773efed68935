// report.html: the report that class reads, in the order of a proving trial report. One file without scripts.
#include "trials/report.h"

#include "cli/version.h"
#include "io/files/markup.h"
#include "trials/failures_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char STYLE[] =
    "body{font:15px/1.45 sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#1d1f23}\n"
    "h1{font-size:2rem;margin:.2rem 0}h2{margin-top:2.5rem;border-bottom:2px solid "
    "#1d1f23;padding-bottom:.3rem}\n"
    "table{border-collapse:collapse;font-size:13px;width:100%;margin:.5rem 0}\n"
    "th,td{padding:.2rem .5rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\n"
    "td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".verdict{border-left:.6rem solid;padding:.8rem 1rem;margin:1.2rem 0;font-size:1.1rem}\n"
    ".bad{border-color:#b3261e;background:#fbeae9}.good{border-color:#2e6e4e;background:#e9f4ee}\n"
    ".A{background:#b3261e;color:#fff}.B{background:#f2b84b}.C{background:#bcd3ea}.P{background:#d9ecdf}\n"
    ".mode{display:inline-block;min-width:5.2rem;margin:.1rem .2rem .1rem "
    "0}.N{background:#e4e4e4}.A,.B,.C,.P,.N{text-align:center;font-weight:bold}\n"
    "ul.count{display:block;padding:0}ul.count li{display:inline-block;border:1px solid #ccc;padding:.5rem "
    "1rem;"
    "margin:0 .5rem .5rem 0}ul.count b{display:block;font-size:1.5rem}\n"
    "code{font-size:12px;overflow-wrap:anywhere}.sheet{break-inside:avoid;border-top:1px solid "
    "#888;margin-top:1.2rem}\n"
    ".lines td{height:2.2rem}@page{size:A4;margin:18mm}@media "
    "print{h2{break-before:page}h2.first{break-before:auto}}\n";

static char letter(const struct judged_run *run) {
  return run->grade ? run->grade : run->is_outside ? 'N' : 'P';
}

static const char *shown_letter(char c) {
  return c == 'A' ? "A" : c == 'B' ? "B" : c == 'C' ? "C" : c == 'N' ? "&ndash;" : "&middot;";
}

static void put_cell(FILE *out, const char *text) {
  fputs("<td>", out);
  markup_put(out, text);
  fputs("</td>", out);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put_number(FILE *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("<td class=\"n\">", out);
  vfprintf(out, format, args);
  fputs("</td>", out);
  va_end(args);
}

static int worst_case_beyond(const struct judgement *j) {
  int count = 0;
  for (int i = 0; i < j->run_count; i++)
    count += j->run[i].criterion[CRITERION_WORST_CASE].result == CRITERION_FAIL ||
             (j->run[i].failure->group == FAILURE_SINGLE &&
              j->run[i].criterion[CRITERION_LIMITS].result == CRITERION_FAIL);
  return count;
}

static void put_cover(FILE *out, const struct judgement *j) {
  int beyond = worst_case_beyond(j), declared = j->plan->worst_case_count > 0;
  fputs("<p>HARDWARE-IN-THE-LOOP TEST REPORT</p>\n<h1>DP FMEA proving trials</h1>\n<p>", out);
  markup_put(out, j->plan->name);
  fputs("</p>\n", out);
  fprintf(out, "<div class=\"verdict %s\">", beyond || j->open || j->outside_count ? "bad" : "good");
  if (j->outside_count)
    fprintf(out,
            "%d runs could not be judged: their condition is outside the envelope of the vessel without a "
            "failure. ",
            j->outside_count);
  if (!declared)
    fprintf(out, "No worst-case failure design intent is declared. %d single failures pass a limit.", beyond);
  else
    fprintf(
        out,
        beyond
            ? "The worst-case failure design intent is not met: %d single failures have a larger effect than "
              "the declared ones, or pass a limit."
            : "The worst-case failure design intent is met by every single failure that was judged (%d "
              "exceptions).",
        beyond);
  fputs("</div>\n<ul class=\"count\">", out);
  fprintf(out,
          "<li><b>%d</b>runs of %d failures<br>in %d conditions</li><li><b>%d</b>passed</li><li><b>%d</b>A, "
          "immediate "
          "attention</li><li><b>%d</b>B, action when convenient</li><li><b>%d</b>C, for "
          "consideration</li><li><b>%d</b>not "
          "judged</li></ul>\n",
          j->run_count, j->failures->count - 1, j->plan->condition_count, j->count[0], j->count[1],
          j->count[2], j->count[3], j->outside_count);
  fputs("<table><tr><th>Plan</th>", out);
  put_cell(out, j->plan->path);
  fputs("</tr><tr><th>Configuration</th>", out);
  put_cell(out, j->plan->base);
  fputs("</tr><tr><th>Test system</th>", out);
  put_cell(out, program_version());
  fputs("</tr><tr><th>Basis</th><td>IMO MSC.1/Circ.1580, IMCA M 190, DNV-RP-D102, "
        "DNV-ST-0373</td></tr></table>\n"
        "<p>What these trials do not prove: failures that the simulator does not model, two independent "
        "failures that are not "
        "listed, errors of the model itself, and anything later than the end of each run.</p>\n",
        out);
}

static void put_conditions(FILE *out, const struct judgement *j) {
  const struct trial_plan *p = j->plan;
  fputs("<h2>1 Conditions, and the run without a "
        "failure</h2>\n<table><tr><th>condition</th><th>overrides</th><th>largest "
        "offset, m</th><th>judged</th></tr>\n",
        out);
  for (int c = 0; c < p->condition_count; c++) {
    fputs("<tr>", out);
    put_cell(out, p->condition[c].id);
    fputs("<td>", out);
    for (int i = 0; i < p->condition[c].settings.count; i++) {
      fputs("<code>", out);
      markup_put(out, p->condition[c].settings.item[i].text);
      fputs("</code><br>", out);
    }
    fputs("</td>", out);
    put_number(out, "%.2f", judgement_run(j, c, 0)->seen.offset_m);
    put_cell(out, *j->outside[c] ? j->outside[c] : "yes");
    fputs("</tr>\n", out);
  }
  fprintf(out,
          "</table>\n<p>Each failure begins at %.6g s, lasts %.6g s and is followed by %.6g s. Every run has "
          "the seeds of "
          "the run without a failure.</p>\n",
          p->settle_s, p->failure_s, p->recover_s);
}

// One row for each piece of equipment, one column for each of its modes, one letter for each condition.
static void put_matrix(FILE *out, const struct judgement *j) {
  const struct failures *all = j->failures;
  fputs("<h2>2 Matrix</h2>\n<p>A, B, C: finding. &middot;: passed. &ndash;: not judged. One field for each "
        "condition: ",
        out);
  for (int c = 0; c < j->plan->condition_count; c++) {
    fputs(c ? ", " : "", out);
    markup_put(out, j->plan->condition[c].id);
  }
  fputs(".</p>\n<table>", out);
  for (int i = 1; i < all->count; i++) {
    if (strcmp(all->item[i].equipment, all->item[i - 1].equipment) != 0) {
      fputs(i > 1 ? "</td></tr>\n<tr><th>" : "\n<tr><th>", out);
      markup_put(out, all->item[i].equipment);
      fputs("</th><td>", out);
    }
    fputs("<span class=\"mode\">", out);
    markup_put(out, all->item[i].mode);
    fputs("<br>", out);
    for (int c = 0; c < j->plan->condition_count; c++) {
      char l = letter(judgement_run(j, c, i));
      fprintf(out, "<span class=\"%c\">&nbsp;%s&nbsp;</span>", l, shown_letter(l));
    }
    fputs("</span> ", out);
  }
  fputs("</td></tr></table>\n", out);
}

static int compare_effect(const void *a, const void *b) {
  const struct judged_run *left = *(const struct judged_run *const *)a,
                          *right = *(const struct judged_run *const *)b;
  return left->seen.offset_m < right->seen.offset_m ? 1 : left->seen.offset_m > right->seen.offset_m ? -1 : 0;
}

static int put_worst_case(FILE *out, const struct judgement *j) {
  enum { SHOWN = 20 };
  const struct judged_run **sorted = malloc(((size_t)j->run_count + 1) * sizeof *sorted);
  int count = 0;
  if (!sorted)
    return 0;
  for (int i = 0; i < j->run_count; i++)
    if (j->run[i].failure->group == FAILURE_SINGLE && j->run[i].seen.is_there)
      sorted[count++] = &j->run[i];
  qsort(sorted, (size_t)count, sizeof(struct judged_run *), compare_effect);
  fputs("<h2>3 Worst-case failure</h2>\n<p>Declared: ", out);
  for (int i = 0; i < j->plan->worst_case_count; i++) {
    fputs(i ? ", " : "", out);
    markup_put(out, j->plan->worst_case[i].id);
  }
  fputs(j->plan->worst_case_count ? ". Effect, or the watch circle if that is larger:" : "none.", out);
  for (int c = 0; c < j->plan->condition_count && j->plan->worst_case_count; c++)
    fprintf(out, " %s %.2f m%s", j->plan->condition[c].id, j->worst_case_m[c],
            c + 1 < j->plan->condition_count ? ";" : ".");
  fputs("</p>\n<table><tr><th>largest effects of single failures</th><th>condition</th><th>offset, "
        "m</th><th>without a "
        "failure</th></tr>\n",
        out);
  for (int i = 0; i < count && i < SHOWN; i++) {
    fputs("<tr>", out);
    put_cell(out, sorted[i]->failure->id);
    put_cell(out, j->plan->condition[sorted[i]->condition].id);
    put_number(out, "%.2f", sorted[i]->seen.offset_m);
    put_number(out, "%.2f", judgement_run(j, sorted[i]->condition, 0)->seen.offset_m);
    fputs("</tr>\n", out);
  }
  fputs("</table>\n", out);
  free(sorted);
  return 1;
}

static void put_register(FILE *out, const struct judgement *j, const struct findings *findings) {
  fputs(
      "<h2>4 Findings</h2>\n<table><tr><th></th><th>equipment</th><th>complaint</th><th>runs</th><th>owner's "
      "response</th></tr>\n",
      out);
  for (int i = 0; i < findings->count; i++) {
    const struct finding *f = &findings->item[i];
    fprintf(out, "<tr><td class=\"%c\">%c</td>", f->grade, f->grade);
    put_cell(out, *f->kind ? f->kind : "no failure");
    put_cell(out, f->complaint);
    fputs("<td>", out);
    for (int k = 0; k < f->run_count; k++) {
      const struct judged_run *run = &j->run[f->run[k]];
      fprintf(out, "%s<a href=\"#run-%d\">", k ? ", " : "", run->point);
      markup_put(out, run->failure->id);
      fputs("</a>@", out);
      markup_put(out, j->plan->condition[run->condition].id);
      if (*run->accepted) {
        fputs(" (accepted: ", out);
        markup_put(out, run->accepted);
        fputc(')', out);
      }
    }
    fputs("</td><td></td></tr>\n", out);
  }
  fputs("</table>\n", out);
}

static int put_sheet(FILE *out, const struct judgement *j, const struct judged_run *run,
                     const struct sweep_folder *folder) {
  static const char *const results[] = {"holds", "fails", "not applicable"};
  fprintf(out, "<div class=\"sheet\" id=\"run-%d\"><h3>", run->point);
  markup_put(out, run->failure->id);
  fprintf(out, "@%s <span class=\"%c\">&nbsp;%s&nbsp;</span></h3>\n<p><code>",
          j->plan->condition[run->condition].id, letter(run), shown_letter(letter(run)));
  markup_put(out, run->failure->events);
  fputs("</code></p>\n<table>", out);
  for (int c = 0; c < CRITERION_COUNT; c++) {
    fputs("<tr>", out);
    put_cell(out, criterion_name((enum criterion)c));
    put_cell(out, results[run->criterion[c].result]);
    put_cell(out, run->criterion[c].text);
    fputs("</tr>\n", out);
  }
  fputs("</table>\n", out);
  int ok = report_put_plots(out, j, run, folder);
  fputs("<p>Alarms: ", out);
  for (int i = 0; i < run->seen.alarm_count; i++) {
    fprintf(out, "%s%.1f s ", i ? "; " : "", run->seen.alarm[i].time_s);
    markup_put(out, run->seen.alarm[i].text);
  }
  fprintf(out, "%s. State hash <code>%s</code>; the command is the first line of <code>",
          run->seen.alarm_count ? "" : "none", *run->seen.state_hash ? run->seen.state_hash : "none");
  markup_put(out, sweep_point_path(folder, run->point, "output.txt").text);
  fputs("</code>.</p></div>\n", out);
  return ok;
}

static int put_sheets(FILE *out, const struct judgement *j, const struct sweep_folder *folder) {
  int ok = 1;
  fputs("<h2>5 Test sheets of findings A and B</h2>\n", out);
  for (int i = 0; i < j->run_count; i++)
    if (j->run[i].grade == 'A' || j->run[i].grade == 'B')
      ok = put_sheet(out, j, &j->run[i], folder) && ok;
  return ok;
}

static void put_results(FILE *out, const struct judgement *j) {
  fputs("<h2>6 All results</h2>\n<table><tr><th>run</th><th></th><th>offset, m</th><th>alarm, "
        "s</th><th>reason</th></tr>\n",
        out);
  for (int i = 0; i < j->run_count; i++) {
    const struct judged_run *run = &j->run[i];
    fputs("<tr><td>", out);
    if (run->grade == 'C')
      fprintf(out, "<span id=\"run-%d\"></span>", run->point);
    markup_put(out, run->failure->id);
    fputc('@', out);
    markup_put(out, j->plan->condition[run->condition].id);
    fprintf(out, "</td><td class=\"%c\">%s</td>", letter(run), shown_letter(letter(run)));
    put_number(out, "%.2f", run->seen.offset_m);
    if (isnan(run->detected_s))
      fputs("<td></td>", out);
    else
      put_number(out, "%.1f", run->detected_s);
    put_cell(out, run->grade ? run->criterion[findings_complaint(run)].text : "");
    fputs("</tr>\n", out);
  }
  fputs("</table>\n<h2>7 Not tested</h2>\n<table>", out);
  for (int i = 0; i < j->failures->excluded_count; i++) {
    fputs("<tr>", out);
    put_cell(out, j->failures->excluded[i].id);
    put_cell(out, j->failures->excluded[i].why);
    fputs("</tr>\n", out);
  }
  fputs("</table>\n", out);
}

int report_write_html(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out) {
  fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>DP FMEA proving trials: ",
        out);
  markup_put(out, j->plan->name);
  fprintf(out, "</title>\n<style>\n%s</style></head><body>\n", STYLE);
  put_cover(out, j);
  put_conditions(out, j);
  put_matrix(out, j);
  int ok = put_worst_case(out, j);
  put_register(out, j, findings);
  ok = put_sheets(out, j, folder) && ok;
  put_results(out, j);
  fputs("<h2>8 Signatures</h2>\n<table class=\"lines\"><tr><th>test "
        "engineer</th><td></td></tr><tr><th>owner</th><td></td></tr>"
        "<tr><th>surveyor</th><td></td></tr></table>\n</body></html>\n",
        out);
  return ok;
}
