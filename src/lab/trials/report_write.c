// The files of the report, and the first pages of report.html: the cover and the summary.
#define _POSIX_C_SOURCE 200809L
#include "lab/judge/judge.h"

#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "lab/trials/trials_internal.h"
#include "net/case/case.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// The headline, what was shown, and what was not.
static void put_verdict(const struct report *r) {
  static const char *const CLASSES[] = {"bad", "good", "part"};
  struct statements all;
  statements_make(r->j, &all);
  fprintf(r->out, "<div class=\"verdict %s\">", CLASSES[all.grade]);
  for (int i = 0; i < all.count; i++) {
    const struct statement *s = &all.item[i];
    const char *tag = s->kind == STATEMENT_HEADLINE ? "b" : s->kind == STATEMENT_SHOWN ? "span" : "li";
    fputs(i && s->kind == STATEMENT_MISSING && all.item[i - 1].kind != s->kind ? "<ul>" : "", r->out);
    report_put(r->out, HTML_VERDICT, tag, s->text, tag);
  }
  fputs("</ul></div>\n", r->out);
}

static void put_count(const struct report *r, const char *colour, int number, const char *what) {
  fprintf(r->out, "<td style=\"border-top-color:%s\"><b>%d</b>%s</td>", colour, number, what);
}

static int findings_with(const struct report *r, char grade) {
  int count = 0;
  for (int i = 0; i < r->findings->count; i++)
    count += r->findings->item[i].grade == grade;
  return count;
}

static void put_counts(const struct report *r) {
  const struct judgement *j = r->j;
  char runs[96], failed[64];
  snprintf(runs, sizeof runs, "runs: without and with each of %d failures, in %d condition%s",
           j->failures->count - 1, j->plan->condition_count, j->plan->condition_count == 1 ? "" : "s");
  fputs("<table class=\"counts\"><tr>", r->out);
  put_count(r, "#8fb79f", j->run_count, runs);
  snprintf(failed, sizeof failed, "runs passed<br><small>%d failed</small>", j->count[RUN_FAILED]);
  put_count(r, "#8fb79f", j->count[RUN_PASSED], failed);
  put_count(r, "#b3261e", findings_with(r, 'A'), "findings A<br><small>immediate attention</small>");
  put_count(r, "#f0ae35", findings_with(r, 'B'), "findings B<br><small>action when convenient</small>");
  put_count(r, "#7fa6cd", findings_with(r, 'C'), "findings C<br><small>for consideration</small>");
  for (int s = RUN_BROKEN; s < RUN_STATE_COUNT; s++) {
    char what[40];
    snprintf(what, sizeof what, "runs %s", run_states[s].name);
    if (j->count[s])
      put_count(r, "#888", j->count[s], what);
  }
  fputs("</tr></table>\n", r->out);
}

static void put_fact(const struct report *r, const char *name, const char *text, const char *more) {
  report_put(r->out, HTML_FACT, name, text);
  if (*more) {
    report_put(r->out, HTML_FACT_2, more);
  }
  fputs("</td></tr>\n", r->out);
}

// Its command, or its DP file.
static void name_controller(const struct report *r, char *out, size_t size) {
  const struct plan_controller *own = &r->j->plan->controller;
  const char *file = own->dp_file ? own->dp_file : r->config->dp_file, *slash = strrchr(file, '/');
  size_t used = 0;
  snprintf(out, size, "%s", *file ? (slash ? slash + 1 : file) : "the controller of the configuration");
  for (int i = 0; i < own->argument_count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", own->argument[i]);
}

// The day on which the first run ended, and that of the last, if it is another.
static void name_dates(const struct report *r, char *out, size_t size) {
  time_t first = 0, last = 0;
  struct stat found;
  struct tm local;
  char days[2][32] = {"", ""};
  for (int i = 0; i < r->j->run_count; i++)
    if (stat(sweep_point_path(r->folder, r->j->run[i].point, "point.json").text, &found) == 0) {
      first = !first || found.st_mtime < first ? found.st_mtime : first;
      last = found.st_mtime > last ? found.st_mtime : last;
    }
  if (first && localtime_r(&first, &local))
    strftime(days[0], sizeof days[0], "%e %B %Y", &local);
  if (first && localtime_r(&last, &local))
    strftime(days[1], sizeof days[1], "%e %B %Y", &local);
  const char *from = days[0] + strspn(days[0], " "), *to = days[1] + strspn(days[1], " ");
  snprintf(out, size, "%s%s%s", first ? from : "none", strcmp(from, to) != 0 ? " to " : "",
           strcmp(from, to) != 0 ? to : "");
}

static int has_true_registers(const struct config *c) {
  const struct modbus_def *modbus = &config_run(c)->modbus;
  for (int i = 0; modbus->is_on && i < modbus->register_count; i++)
    if (!strncmp(modbus->registers[i].signal, "quantity.", 9))
      return 1;
  return 0;
}

// Whether the control system could read the truth from a socket.
static void put_truth(const struct report *r) {
  const struct config *c = r->config;
  const char *why = trial_plan_truth(r->j->plan) == TRUTH_OPEN ? "the plan says so"
                    : !c->suite.instruments.count
                        ? "the vessel has no instruments, and Sensors have the exact state"
                    : has_true_registers(c) ? "registers of Modbus have true quantities"
                                            : "";
  char text[128];
  snprintf(text, sizeof text, "NOT withheld from the control system: %s", why);
  put_fact(r, "Truth", *why ? text : "withheld from the control system: no telemetry, no orders, no page",
           "files of a run are not kept from a process of the same user on the same machine");
}

static void put_facts(const struct report *r) {
  const struct trial_plan *p = r->j->plan;
  char text[160], date[64];
  name_dates(r, date, sizeof date);
  fputs("<table class=\"facts\">", r->out);
  snprintf(text, sizeof text, "configuration %s", r->config->name);
  put_fact(r, "Object", report_object(p), text);
  if (*p->report.owner)
    put_fact(r, "Owner", p->report.owner, "");
  char controller[512];
  name_controller(r, controller, sizeof controller);
  put_fact(r, "Control system", controller,
           p->mode == RUN_LOCKSTEP ? r->config->scenario.controllers.count
                                         ? "processes of their own, in lockstep"
                                         : "a process of its own, in lockstep"
                                   : "");
  if (p->mode == RUN_LOCKSTEP)
    put_truth(r);
  snprintf(text, sizeof text, "build %s", program_build_beside("sagbend").text);
  char version[64];
  snprintf(version, sizeof version, "sagbend %s", program_version());
  put_fact(r, "Test system", version, text);
  put_fact(r, "Plan", p->path, p->name);
  put_fact(r, "Runs made", date, "");
  put_fact(r, "Grades", "A, B, C as DP trials use them",
           "by the criteria of the plan; no rule of a class society was checked");
  fputs("</table>\n", r->out);
}

static void report_put_cover(const struct report *r) {
  static const char *const parts[] = {
      "1 Summary",       "2 Vessel and system", "3 Test matrix", "4 Worst-case failure",
      "5 Findings",      "6 Test sheets",       "7 All results", "8 Not tested",
      "9 Seeded faults", "10 Reproduction",     "11 Signatures"};
  const struct trial_plan *p = r->j->plan;
  report_put(r->out, HTML_COVER, *p->report.number ? p->report.number : p->name, report_object(p));
  put_verdict(r);
  put_counts(r);
  put_facts(r);
  fputs("<table class=\"list\">", r->out);
  enum { PARTS = sizeof parts / sizeof *parts, LINES = 3 }; // few, so that they stay on the cover
  for (int i = 0; i < LINES; i++) {
    fputs("<tr>", r->out);
    for (int k = i; k < PARTS; k += LINES)
      fprintf(r->out, "<td><a href=\"#part-%d\">%s</a></td>", k + 1, parts[k]);
    fputs("</tr>\n", r->out);
  }
  fputs("</table>\n", r->out);
}

static const char *const QUESTIONS[QUESTION_COUNT] = {"Performance", "Protection", "Detection", "Recovery"};

static int question_fails(const struct judged_run *run, enum trial_question q) {
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (criteria[c].question == q && run->criterion[c].result == CRITERION_FAIL)
      return 1;
  return 0;
}

static int question_asked(const struct judged_run *run, enum trial_question q) {
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (criteria[c].stage != STAGE_RUN && criteria[c].question == q &&
        run->criterion[c].result != CRITERION_NOT_APPLICABLE)
      return 1;
  return question_fails(run, q);
}

static int compare_numbers(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

// *of: the runs with an alarm that names the equipment.
static double median_detection(const struct judgement *j, int *of) {
  double *times = malloc(((size_t)j->run_count + 1) * sizeof *times), median = NAN;
  int count = 0;
  for (int i = 0; times && i < j->run_count; i++)
    if (isfinite(j->run[i].detected_s))
      times[count++] = j->run[i].detected_s;
  if (count) {
    qsort(times, (size_t)count, sizeof *times, compare_numbers);
    median = 0.5 * (times[count / 2] + times[(count - 1) / 2]);
  }
  free(times);
  *of = count;
  return median;
}

static void put_criterion(const struct report *r, enum trial_question question) {
  const struct trial_plan *p = r->j->plan;
  FILE *out = r->out;
  fputs("<td>", out);
  for (int c = 0, k = 0; c < CRITERION_COUNT; c++)
    if (criteria[c].question == question)
      fprintf(out, "%s%s", k++ ? "; " : "", criteria[c].requires);
  switch (question) {
  case QUESTION_PERFORMANCE:
    for (int i = 0; i < p->limit_count; i++) {
      report_put(out, HTML_CRITERION, p->limit[i].name);
      if (isfinite(p->limit[i].range[0]) && p->limit[i].range[0] != -p->limit[i].range[1])
        fprintf(out, " %s to %s", value_text(p->limit[i].quantity, p->limit[i].range[0]).text,
                value_text(p->limit[i].quantity, p->limit[i].range[1]).text);
      else
        fprintf(out, " within %s", value_text(p->limit[i].quantity, p->limit[i].range[1]).text);
      if (isfinite(p->limit[i].circle))
        fprintf(out, " (circle %s", value_text(p->limit[i].quantity, p->limit[i].circle).text);
      if (p->limit[i].mean_s > 0)
        report_put(out, HTML_CRITERION_2, p->limit[i].mean_s);
      if (isfinite(p->limit[i].circle))
        fputs(")", out);
    }
    fprintf(out, "; added_m %.3g m", p->added_m);
    break;
  case QUESTION_PROTECTION:
    report_put(out, HTML_CRITERION_3, p->power_limited_s);
    break;
  case QUESTION_DETECTION:
    break;
  default:
    report_put(out, HTML_CRITERION_4, p->return_offset_m, p->return_s);
  }
  fputs("</td>", out);
}

static void put_failed(const struct report *r, enum trial_question q) {
  enum { NAMED = 5 };
  int named = 0, total = 0;
  fputs("<td>", r->out);
  for (int i = 0; i < r->j->run_count; i++)
    if (question_fails(&r->j->run[i], q) && total++ < NAMED) {
      fputs(named++ ? ", " : "", r->out);
      report_put_id(r->out, r, &r->j->run[i]);
    }
  if (total > NAMED)
    report_put(r->out, HTML_FAILED, total - NAMED);
  int alarms;
  const double median_s = median_detection(r->j, &alarms);
  if (q == QUESTION_DETECTION && isfinite(median_s))
    report_put(r->out, HTML_FAILED_2, median_s, alarms);
  fputs("</td>", r->out);
}

// Why no run was asked: the reason of the first criterion that does not apply.
static void put_why_not(const struct report *r, enum trial_question q) {
  const char *why = "no run was judged";
  for (int i = 0; i < r->j->run_count; i++)
    for (int c = 0;
         c < CRITERION_COUNT && tally_is_judged(&r->j->run[i]) && r->j->run[i].failure->group != FAILURE_NONE;
         c++)
      if (criteria[c].question == q) {
        report_put_cell(r->out, r->j->run[i].criterion[c].text);
        return;
      }
  report_put_cell(r->out, why);
}

static void put_questions(const struct report *r) {
  static const struct report_column columns[] = {
      {"Question", 24, 0}, {"Criterion", 74, 0}, {"Runs", 13, 1}, {"Failed", 15, 1}, {"What failed", 52, 0}};
  report_put_head(r->out, columns, 5);
  for (enum trial_question q = 0; q < QUESTION_COUNT; q++) {
    int asked = 0, failed = 0;
    for (int i = 0; i < r->j->run_count; i++) {
      asked += question_asked(&r->j->run[i], q);
      failed += question_fails(&r->j->run[i], q);
    }
    fprintf(r->out, "<tr><td><b>%s</b></td>", QUESTIONS[q]);
    put_criterion(r, q);
    report_put_number(r->out, "%d", asked);
    if (asked) {
      report_put_number(r->out, "%d", failed);
      put_failed(r, q);
    } else {
      report_put(r->out, HTML_QUESTIONS);
      put_why_not(r, q);
    }
    fputs("</tr>\n", r->out);
  }
  fputs("</table>\n", r->out);
}

static void put_urgent(const struct report *r) {
  int count = 0;
  report_put(r->out, HTML_URGENT);
  for (int i = 0; i < r->findings->count && r->findings->item[i].grade == 'A'; i++, count++) {
    const struct finding *f = &r->findings->item[i];
    const struct judged_run *worst = &r->j->run[f->worst];
    char modes[200];
    finding_modes(r->j, f, modes, sizeof modes);
    report_put(r->out, HTML_URGENT_2, worst->point, f->id, f->kind);
    fputs(f->group == FAILURE_COMMON      ? ", common cause: "
          : f->group == FAILURE_HIDDEN    ? ", hidden and second: "
          : f->group == FAILURE_OPERATION ? ", operation: "
                                          : ": ",
          r->out);
    report_put(r->out, HTML_URGENT_3, modes, finding_sentence(f), worst->criterion[f->complaint].text,
               report_id(r, worst).text, finding_is_accepted(r->j, f) ? ". The owner accepts it" : "");
  }
  if (!count)
    report_put(r->out, HTML_URGENT_NONE, tally_of(r->j).judged, r->j->run_count);
}

static void report_put_summary(const struct report *r) {
  const struct trial_plan *p = r->j->plan;
  report_put(r->out, HTML_SUMMARY, p->mode == RUN_LOCKSTEP ? " as a process of its own" : "", p->settle_s,
             p->failure_s, p->recover_s, p->hidden_lead_s);
  put_questions(r);
  put_urgent(r);
  report_put(r->out, HTML_SUMMARY_2,
             p->mode == RUN_LOCKSTEP ? ", how long the control system takes (lockstep waits for it)" : "",
             r->config->scenario.controllers.count ? ", the link between the controllers" : "");
}

// ---- report.html: the report that class reads, in the order of a proving trial report. One file without
// scripts ----

static enum status put_body(const struct report *r) {
  report_put_cover(r);
  report_put_summary(r);
  enum status status = report_put_system(r);
  report_put_matrix(r);
  if (status == STATUS_OK)
    status = report_put_worst_case(r);
  report_put_register(r);
  if (status == STATUS_OK)
    status = report_put_sheets(r);
  report_put_results(r);
  report_put_end(r);
  return status;
}

static int report_write_html(const struct judgement *j, const struct findings *findings,
                             const struct sweep_folder *folder, FILE *out) {
  const char *text[PLAN_MAX_SETTINGS];
  struct config *config = malloc(sizeof *config);
  int count = 0;
  for (; count < j->plan->set.count && count < PLAN_MAX_SETTINGS; count++)
    text[count] = j->plan->set.item[count].text;
  if (!config || config_load(j->plan->base_path, text, count, config, NULL) != STATUS_OK) {
    free(config); // the command has read it before: only memory can be short
    return 0;
  }
  const struct report r = {j, findings, folder, config, out};
  report_put(out, HTML_REPORT_WRITE_HTML, report_object(j->plan), HTML_STYLE);
  report_put(out, HTML_PHONE);
  enum status status = put_body(&r);
  fputs("</body></html>\n", out);
  config_free(config);
  free(config);
  return status == STATUS_OK;
}

// ---- the files ----

enum report_file { REPORT_JSON, REPORT_JUNIT, REPORT_HTML };

static int write_kind(enum report_file kind, const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out) {
  switch (kind) {
  case REPORT_JSON:
    return report_write_json(j, findings, folder, out);
  case REPORT_JUNIT:
    return report_write_junit(j, out);
  case REPORT_HTML:
    return report_write_html(j, findings, folder, out);
  }
  return 0;
}

static enum status write_file(enum report_file kind, const char *name, const struct judgement *j,
                              const struct findings *findings, const struct sweep_folder *folder,
                              struct reason *why) {
  char path[SWEEP_PATH + 64];
  struct output_file file;
  snprintf(path, sizeof path, "%s/%s", folder->path, name);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  if (write_kind(kind, j, findings, folder, file.stream))
    return output_file_close(&file, why);
  output_file_abandon(&file);
  return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
}

enum status report_write(const struct judgement *j, const struct sweep_folder *folder, struct reason *why) {
  struct findings findings;
  enum status status = findings_make(j, &findings);
  if (status != STATUS_OK)
    fail(why, status, "out of memory for the findings");
  if (status == STATUS_OK)
    status = write_file(REPORT_JSON, "results.json", j, &findings, folder, why);
  if (status == STATUS_OK)
    status = write_file(REPORT_JUNIT, "junit.xml", j, &findings, folder, why);
  if (status == STATUS_OK)
    status = write_file(REPORT_HTML, "report.html", j, &findings, folder, why);
  findings_free(&findings);
  return status;
}

void report_print(const struct judgement *j, const struct sweep_folder *folder) {
  struct statements all;
  statements_make(j, &all);
  for (int c = 0; c < j->plan->condition_count; c++)
    if (*j->outside[c])
      printf("%-20s %s: %s\n", "not judged", j->plan->condition[c].id, shown(j->outside[c]).text);
  printf("%-20s %d in %d condition%s:", "runs", j->run_count, j->plan->condition_count,
         j->plan->condition_count == 1 ? "" : "s");
  for (int s = 0; s < RUN_STATE_COUNT; s++)
    printf("%s %d %s", s ? "," : "", j->count[s], run_states[s].name);
  printf("\n%-20s %d A and B, of which %d are accepted; %d C\n", "failed runs", j->graded[0] + j->graded[1],
         j->graded[0] + j->graded[1] - j->open, j->graded[2]);
  for (int i = 0; i < all.count; i++)
    if (all.item[i].kind != STATEMENT_SHOWN)
      printf("%-20s %s\n", all.item[i].kind == STATEMENT_HEADLINE ? "verdict" : "missing",
             shown(all.item[i].text).text);
  printf("%-20s %s/report.html\n", "report", shown(folder->path).text);
}

void report_write_pdf(const char *folder) {
  if (report_pdf("sagbend trials", folder, "report.html"))
    printf("%-20s %s/report.pdf\n", "", shown(folder).text);
}
