// Test sheets: of the run that goes furthest in each finding A and B, and of the declared worst-case
// failures. Method, expected and observed, plots, and the line on which a witness signs.
#include "lab/trials/trials_internal.h"

#include "lab/judge/judge.h"

#include <string.h>

enum { ALARMS_SHOWN = 6, RUNS_SHOWN = 10 };

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
