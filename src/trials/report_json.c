// results.json and junit.xml.
#include "trials/report.h"

#include "cli/version.h"
#include "io/files/markup.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

static const char *const RESULTS[] = {"pass", "fail", "n/a"};

static void add_number(cJSON *object, const char *key, double value) {
  if (isfinite(value))
    cJSON_AddNumberToObject(object, key, value);
  else
    cJSON_AddNullToObject(object, key);
}

static void add_text(cJSON *object, const char *key, const char *value) {
  cJSON_AddStringToObject(object, key, value);
}

static void add_grade(cJSON *object, const char *key, char grade) {
  const char text[2] = {grade, '\0'};
  if (grade)
    add_text(object, key, text);
  else
    cJSON_AddNullToObject(object, key);
}

static const char *verdict_of(const struct judged_run *run) {
  return run->grade ? "finding" : run->is_outside ? "not judged" : "passed";
}

static void add_alarms(cJSON *object, const struct observation *seen) {
  cJSON *list = cJSON_AddArrayToObject(object, "alarms");
  for (int i = 0; i < seen->alarm_count; i++) {
    cJSON *item = cJSON_CreateArray();
    cJSON_AddItemToArray(item, cJSON_CreateNumber(seen->alarm[i].time_s));
    cJSON_AddItemToArray(item, cJSON_CreateString(seen->alarm[i].text));
    cJSON_AddItemToArray(list, item);
  }
}

static void add_run(cJSON *list, const struct judgement *j, const struct judged_run *run,
                    const struct sweep_folder *folder) {
  const struct trial_plan *p = j->plan;
  cJSON *item = cJSON_CreateObject(), *criteria, *metrics;
  char id[FAILURE_ID + 32];
  snprintf(id, sizeof id, "%s@%s", run->failure->id, p->condition[run->condition].id);
  add_text(item, "id", id);
  cJSON_AddNumberToObject(item, "point", run->point);
  add_text(item, "condition", p->condition[run->condition].id);
  add_text(item, "group", failure_group_name(run->failure->group));
  add_text(item, "equipment", run->failure->equipment);
  add_text(item, "kind", run->failure->kind);
  add_text(item, "mode", run->failure->mode);
  add_text(item, "events", run->failure->events);
  add_text(item, "verdict", verdict_of(run));
  add_grade(item, "finding", run->grade);
  add_text(item, "accepted", run->accepted);
  criteria = cJSON_AddArrayToObject(item, "criteria");
  for (int c = 0; c < CRITERION_COUNT; c++) {
    cJSON *criterion = cJSON_CreateObject();
    add_text(criterion, "name", criterion_name((enum criterion)c));
    add_text(criterion, "result", RESULTS[run->criterion[c].result]);
    add_grade(criterion, "grade", run->criterion[c].grade);
    add_text(criterion, "text", run->criterion[c].text);
    cJSON_AddItemToArray(criteria, criterion);
  }
  metrics = cJSON_AddObjectToObject(item, "metrics");
  add_number(metrics, "offset_m", run->seen.offset_m);
  add_number(metrics, "back_m", run->seen.return_m);
  add_number(metrics, "limited_s", run->seen.limited_s);
  add_number(metrics, "detected_s", run->detected_s);
  for (int i = 0; i < p->limit_count; i++) {
    double range[2] = {run->seen.low[i], run->seen.high[i]};
    cJSON *pair = cJSON_AddArrayToObject(metrics, p->limit[i].name);
    for (int k = 0; k < 2; k++)
      cJSON_AddItemToArray(pair, isfinite(range[k]) ? cJSON_CreateNumber(range[k]) : cJSON_CreateNull());
  }
  add_alarms(item, &run->seen);
  add_text(item, "state_hash", run->seen.state_hash);
  add_text(item, "command", sweep_point_path(folder, run->point, "output.txt").text);
  cJSON_AddItemToArray(list, item);
}

static void add_conditions(cJSON *root, const struct judgement *j) {
  cJSON *list = cJSON_AddArrayToObject(root, "conditions");
  for (int c = 0; c < j->plan->condition_count; c++) {
    cJSON *item = cJSON_CreateObject();
    add_text(item, "id", j->plan->condition[c].id);
    add_text(item, "outside", j->outside[c]);
    add_number(item, "offset_m", judgement_run(j, c, 0)->seen.offset_m);
    add_number(item, "worst_case_m", j->worst_case_m[c]);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_findings(cJSON *root, const struct findings *findings) {
  cJSON *list = cJSON_AddArrayToObject(root, "findings");
  for (int i = 0; i < findings->count; i++) {
    const struct finding *f = &findings->item[i];
    cJSON *item = cJSON_CreateObject(), *runs;
    add_grade(item, "finding", f->grade);
    add_text(item, "equipment", f->kind);
    add_text(item, "complaint", f->complaint);
    runs = cJSON_AddArrayToObject(item, "runs");
    for (int k = 0; k < f->run_count; k++)
      cJSON_AddItemToArray(runs, cJSON_CreateNumber(f->run[k] + 1));
    cJSON_AddItemToArray(list, item);
  }
}

int report_write_json(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out) {
  cJSON *root = cJSON_CreateObject(), *runs, *excluded;
  add_text(root, "schema", "sagbend-trials/1");
  add_text(root, "program", program_version());
  add_text(root, "name", j->plan->name);
  add_text(root, "plan", j->plan->path);
  add_text(root, "base", j->plan->base);
  add_conditions(root, j);
  runs = cJSON_AddArrayToObject(root, "runs");
  for (int i = 0; i < j->run_count; i++)
    add_run(runs, j, &j->run[i], folder);
  add_findings(root, findings);
  excluded = cJSON_AddArrayToObject(root, "excluded");
  for (int i = 0; i < j->failures->excluded_count; i++) {
    cJSON *item = cJSON_CreateObject();
    add_text(item, "id", j->failures->excluded[i].id);
    add_text(item, "reason", j->failures->excluded[i].why);
    cJSON_AddItemToArray(excluded, item);
  }
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (text)
    fprintf(out, "%s\n", text);
  free(text);
  return text != NULL;
}

static void put_case(FILE *out, const struct judgement *j, const struct judged_run *run) {
  fputs("    <testcase classname=\"", out);
  markup_put(out, run->failure->equipment);
  fputs("\" name=\"", out);
  markup_put(out, run->failure->id);
  fprintf(out, "@%s\">", j->plan->condition[run->condition].id);
  if (run->is_outside && !run->grade)
    fputs("<skipped message=\"its condition is outside the envelope\"/>", out);
  else if (run->grade == 'A' || run->grade == 'B') {
    const struct judged_criterion *c = &run->criterion[findings_complaint(run)];
    fprintf(out, "<%s message=\"%c: ", *run->accepted ? "skipped" : "failure", run->grade);
    markup_put(out, c->text);
    fputs(*run->accepted ? "; accepted: " : "", out);
    markup_put(out, run->accepted);
    fputs("\"/>", out);
  }
  fputs("</testcase>\n", out);
}

int report_write_junit(const struct judgement *j, FILE *out) {
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
  for (int c = 0; c < j->plan->condition_count; c++) {
    int failures = 0, skipped = 0;
    for (int i = 0; i < j->failures->count; i++) {
      const struct judged_run *run = judgement_run(j, c, i);
      int is_finding = run->grade == 'A' || run->grade == 'B';
      failures += is_finding && !*run->accepted;
      skipped += (is_finding && *run->accepted) || (run->is_outside && !run->grade);
    }
    fputs("  <testsuite name=\"", out);
    markup_put(out, j->plan->condition[c].id);
    fprintf(out, "\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n", j->failures->count, failures, skipped);
    for (int i = 0; i < j->failures->count; i++)
      put_case(out, j, judgement_run(j, c, i));
    fputs("  </testsuite>\n", out);
  }
  fputs("</testsuites>\n", out);
  return 1;
}
