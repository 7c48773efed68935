// results.json (configs/schema/sagbend-trials-results.schema.json).
#include "lab/trials/trials_internal.h"

#include "lab/judge/judge.h"
#include "os/cli/cli.h"
#include "os/files/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void add_alarms(cJSON *object, const struct observation *seen) {
  cJSON *list = cJSON_AddArrayToObject(object, "alarms");
  for (int i = 0; i < seen->alarm_count; i++) {
    cJSON *item = cJSON_CreateArray();
    cJSON_AddItemToArray(item, cJSON_CreateNumber(seen->alarm[i].time_s));
    cJSON_AddItemToArray(item, cJSON_CreateString(seen->alarm[i].text));
    cJSON_AddItemToArray(list, item);
  }
}

// A number where the text is one.
static void add_value(cJSON *object, const char *key, const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end != text && !*end)
    add_number(object, key, value);
  else
    add_text(object, key, text);
}

static void add_events(cJSON *object, const char *events) {
  cJSON *list = cJSON_AddArrayToObject(object, "events");
  struct report_event e;
  while (report_event_next(&events, &e)) {
    cJSON *item = cJSON_CreateObject();
    add_text(item, "name", e.name);
    add_text(item, "fault", e.fault);
    if (*e.target)
      add_text(item, "target", e.target);
    add_number(item, "at_s", e.at_s);
    add_number(item, "duration_s", e.duration_s);
    for (int i = 0; i < e.more_count; i++)
      add_value(item, e.more[i].key, e.more[i].value);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_metrics(cJSON *object, const char *key, const struct judgement *j,
                        const struct judged_run *run) {
  const struct trial_plan *p = j->plan;
  cJSON *metrics = cJSON_AddObjectToObject(object, key), *limits;
  double measure[MEASURE_COUNT];
  judgement_measures(run, measure);
  for (int m = 0; m < MEASURE_COUNT; m++)
    add_number(metrics, measure_key((enum measure)m), measure[m]);
  add_number(metrics, "added_m", run->seen.offset_m - judgement_run(j, run->condition, 0)->seen.offset_m);
  limits = cJSON_AddObjectToObject(metrics, "limits");
  for (int i = 0; i < p->limit_count; i++) {
    cJSON *pair = cJSON_AddArrayToObject(limits, p->limit[i].name);
    double range[2] = {run->seen.low[i], run->seen.high[i]};
    for (int k = 0; k < 2; k++)
      cJSON_AddItemToArray(pair, isfinite(range[k]) ? cJSON_CreateNumber(range[k]) : cJSON_CreateNull());
  }
}

static void add_criteria(cJSON *object, const struct judged_run *run) {
  cJSON *list = cJSON_AddArrayToObject(object, "criteria");
  for (int c = 0; c < CRITERION_COUNT; c++) {
    cJSON *item = cJSON_CreateObject();
    add_text(item, "name", criteria[c].name);
    add_text(item, "result", RESULTS[run->criterion[c].result]);
    add_grade(item, "category", run->criterion[c].grade);
    add_text(item, "text", run->criterion[c].text);
    cJSON_AddItemToArray(list, item);
  }
}

// What the plan expects of the run, and its values.
static void add_expected(cJSON *object, const struct judgement *j, const struct judged_run *run) {
  cJSON *list = cJSON_AddArrayToObject(object, "expected");
  for (int i = 0; i < j->plan->expectation_count && run->seen.is_there; i++) {
    const struct trial_expectation *e = &j->plan->expectation[i];
    const double margin = expectation_margin(e, run->seen.expected[i]);
    if (!expectation_is_of(e, run->failure, j->plan->condition[run->condition].id))
      continue;
    cJSON *item = cJSON_CreateObject();
    add_text(item, "name", e->name);
    add_text(item, "quantity", quantity_shown_name(e->quantity));
    add_text(item, "take", trial_take_name(e->take));
    add_number(item, "value", run->seen.expected[i]);
    add_number(item, "least", e->range[0]);
    add_number(item, "largest", e->range[1]);
    add_number(item, "margin", margin);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_optional(cJSON *object, const char *key, const char *text) {
  if (text && *text)
    add_text(object, key, text);
  else
    cJSON_AddNullToObject(object, key);
}

static void add_id(cJSON *list, const struct judgement *j, const struct judged_run *run) {
  char id[FAILURE_ID + 32];
  judgement_id(j, run, id, sizeof id);
  cJSON_AddItemToArray(list, cJSON_CreateString(id));
}

static void add_log(cJSON *object, const struct judged_run *run) {
  char path[64];
  const struct observation *seen = report_log(run, path, sizeof path);
  if (!seen) {
    cJSON_AddNullToObject(object, "log");
    return;
  }
  cJSON *log = cJSON_AddObjectToObject(object, "log");
  add_text(log, "path", path);
  add_text(log, "digest", seen->log_digest);
  cJSON_AddBoolToObject(log, "signed", seen->log_is_signed);
}

static void add_intervention(cJSON *object, const struct judged_run *run) {
  if (!run->stop_point) {
    cJSON_AddNullToObject(object, "intervention");
    return;
  }
  cJSON *item = cJSON_AddObjectToObject(object, "intervention");
  add_number(item, "stop_s", run->stop_s);
  add_number(item, "offset_without_m", run->unstopped.offset_m);
  add_text(item, "state_hash_without", run->unstopped.state_hash);
}

static void add_run(cJSON *list, const struct judgement *j, const struct findings *findings,
                    const struct judged_run *run) {
  cJSON *item = cJSON_CreateObject();
  const struct finding *finding = findings_of(findings, (int)(run - j->run));
  char text[REPORT_COMMAND];
  judgement_id(j, run, text, sizeof text);
  add_text(item, "id", text);
  cJSON_AddNumberToObject(item, "point", run->point);
  add_text(item, "condition", j->plan->condition[run->condition].id);
  add_text(item, "group", failure_group_name(run->failure->group));
  add_text(item, "component", run->failure->equipment);
  add_text(item, "kind", run->failure->kind);
  add_text(item, "mode", run->failure->mode);
  add_events(item, run->failure->events);
  add_text(item, "verdict", run_states[run->state].name);
  add_grade(item, "category", run->grade);
  add_optional(item, "finding", finding ? finding->id : NULL);
  add_optional(item, "accepted", run->accepted);
  add_criteria(item, run);
  add_expected(item, j, run);
  add_metrics(item, "metrics", j, run);
  add_alarms(item, &run->seen);
  add_optional(item, "state_hash", run->seen.state_hash);
  add_intervention(item, run);
  add_log(item, run);
  report_command(j, run, text, sizeof text);
  add_text(item, "command", text);
  cJSON_AddItemToArray(list, item);
}

static void add_conditions(cJSON *root, const struct judgement *j) {
  cJSON *list = cJSON_AddArrayToObject(root, "conditions");
  for (int c = 0; c < j->plan->condition_count; c++) {
    cJSON *item = cJSON_CreateObject(), *settings;
    add_text(item, "id", j->plan->condition[c].id);
    settings = cJSON_AddArrayToObject(item, "set");
    for (int i = 0; i < j->plan->condition[c].settings.count; i++)
      cJSON_AddItemToArray(settings, cJSON_CreateString(j->plan->condition[c].settings.item[i].text));
    cJSON_AddBoolToObject(item, "judged", !*j->outside[c]);
    add_optional(item, "outside", j->outside[c]);
    add_metrics(item, "healthy", j, judgement_run(j, c, 0));
    add_number(item, "worst_case_m", j->worst_case_m[c]);
    cJSON *share = cJSON_AddObjectToObject(item, "capability_share"), *after = NULL;
    add_number(share, "intact", j->exercise[c].intact);
    after = cJSON_AddObjectToObject(share, "after");
    for (int i = 0; i < j->plan->worst_case_count; i++)
      add_number(after, j->plan->worst_case[i].id, j->exercise[c].after[i]);
    add_optional(share, "unknown", j->exercise[c].why);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_findings(cJSON *root, const struct judgement *j, const struct findings *findings) {
  cJSON *list = cJSON_AddArrayToObject(root, "findings");
  for (int i = 0; i < findings->count; i++) {
    const struct finding *f = &findings->item[i];
    cJSON *item = cJSON_CreateObject(), *runs;
    char modes[512];
    finding_modes(j, f, modes, sizeof modes);
    add_text(item, "id", f->id);
    add_grade(item, "category", f->grade);
    add_text(item, "group", failure_group_name(f->group));
    add_text(item, "equipment", f->kind);
    add_text(item, "modes", modes);
    add_text(item, "complaint", criteria[f->complaint].name);
    add_text(item, "text", finding_sentence(f));
    add_text(item, "worst", j->run[f->worst].criterion[f->complaint].text);
    runs = cJSON_AddArrayToObject(item, "runs");
    for (int k = 0; k < f->run_count; k++)
      add_id(runs, j, &j->run[f->run[k]]);
    cJSON_AddBoolToObject(item, "accepted", finding_is_accepted(j, f));
    cJSON_AddItemToArray(list, item);
  }
}

static void add_excluded(cJSON *root, const struct failures *failures) {
  cJSON *list = cJSON_AddArrayToObject(root, "excluded");
  for (int i = 0; i < failures->excluded_count; i++) {
    cJSON *item = cJSON_CreateObject();
    add_text(item, "id", failures->excluded[i].id);
    add_text(item, "reason", failures->excluded[i].why);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_worst_case(cJSON *root, const struct judgement *j) {
  cJSON *object = cJSON_AddObjectToObject(root, "wcfdi"),
        *declared = cJSON_AddArrayToObject(object, "declared"), *beyond;
  for (int i = 0; i < j->plan->worst_case_count; i++)
    cJSON_AddItemToArray(declared, cJSON_CreateString(j->plan->worst_case[i].id));
  const struct tally t = tally_of(j);
  struct statements all;
  statements_make(j, &all);
  if (j->plan->worst_case_count && (t.beyond || t.larger))
    cJSON_AddFalseToObject(object, "met");
  else if (j->plan->worst_case_count && all.grade == 1)
    cJSON_AddTrueToObject(object, "met");
  else
    cJSON_AddNullToObject(object, "met");
  beyond = cJSON_AddArrayToObject(object, "beyond");
  for (int i = 0; i < j->run_count; i++)
    if (tally_is_beyond(&j->run[i]))
      add_id(beyond, j, &j->run[i]);
  beyond = cJSON_AddArrayToObject(object, "larger");
  for (int i = 0; i < j->run_count; i++)
    if (tally_is_larger(j, &j->run[i]))
      add_id(beyond, j, &j->run[i]);
}

static void add_seeded_faults(cJSON *root, const struct judgement *j, const struct sweep_folder *folder) {
  cJSON *list = cJSON_AddArrayToObject(root, "seeded_faults");
  struct seeded_faults seeded;
  seeded_faults_read(j, folder, &seeded);
  for (int i = 0; i < seeded.count; i++) {
    const struct seeded_result *c = &seeded.item[i];
    if (!c->is_tried)
      continue;
    cJSON *item = cJSON_CreateObject();
    add_text(item, "controller", c->seeded->name);
    add_text(item, "what", c->seeded->what);
    cJSON_AddBoolToObject(item, "found", seeded_is_found(c));
    cJSON_AddNumberToObject(item, "runs", c->runs);
    cJSON_AddNumberToObject(item, "criteria", c->criteria);
    cJSON_AddNumberToObject(item, "worse", c->measures);
    add_optional(item, "first", c->first);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_program(cJSON *root, const struct judgement *j) {
  cJSON *object = cJSON_AddObjectToObject(root, "program");
  add_text(object, "name", "sagbend");
  add_text(object, "version", program_version());
  add_text(object, "build", program_build_beside("sagbend").text);
  add_text(root, "object", report_object(j->plan));
  object = cJSON_AddObjectToObject(root, "plan");
  add_text(object, "name", j->plan->name);
  add_text(object, "file", j->plan->path);
  add_text(object, "base", j->plan->base);
}

static void add_counts(cJSON *root, const struct judgement *j) {
  cJSON *object = cJSON_AddObjectToObject(root, "counts");
  cJSON_AddNumberToObject(object, "runs", j->run_count);
  cJSON_AddNumberToObject(object, "failures", j->failures->count - 1);
  for (int s = 0; s < RUN_STATE_COUNT; s++)
    cJSON_AddNumberToObject(object, run_states[s].key, j->count[s]);
  for (int g = 0; g < 3; g++)
    cJSON_AddNumberToObject(object, (char[]){(char)('A' + g), '\0'}, j->graded[g]);
  cJSON_AddNumberToObject(object, "open", j->open);
}

// The sentences of the cover.
static void add_whole(cJSON *root, const struct judgement *j) {
  static const char *const KINDS[] = {"headline", "shown", "missing"}, *const VERDICTS[] = {"bad", "good",
                                                                                            "partial"};
  struct statements all;
  statements_make(j, &all);
  cJSON *object = cJSON_AddObjectToObject(root, "whole");
  cJSON_AddBoolToObject(object, "complete", j->is_whole);
  add_text(object, "verdict", VERDICTS[all.grade]);
  cJSON *list = cJSON_AddArrayToObject(object, "statements");
  for (int i = 0; i < all.count; i++) {
    cJSON *item = cJSON_CreateObject();
    add_text(item, "id", all.item[i].id);
    add_text(item, "kind", KINDS[all.item[i].kind]);
    add_text(item, "text", all.item[i].text);
    cJSON_AddItemToArray(list, item);
  }
}

int report_write_json(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out) {
  cJSON *root = json_begin(), *runs;
  add_text(root, "schema", "sagbend-trials/2");
  add_program(root, j);
  add_counts(root, j);
  add_whole(root, j);
  add_conditions(root, j);
  runs = cJSON_AddArrayToObject(root, "runs");
  for (int i = 0; i < j->run_count; i++)
    add_run(runs, j, findings, &j->run[i]);
  add_findings(root, j, findings);
  add_excluded(root, j->failures);
  add_worst_case(root, j);
  add_seeded_faults(root, j, folder);
  char *text = json_end(root);
  if (text)
    fprintf(out, "%s\n", text);
  cJSON_free(text);
  return text != NULL;
}

// ------------------------------------------------------------
// junit.xml: a suite for each condition, a case for each run, as servers of continuous integration read it.

// "failure": an open finding A or B; "error": the machine ended the run; "skipped": a finding that the owner
// accepts, not run, not judged; "": else.
static const char *element_of(const struct judged_run *run) {
  const int is_urgent = run->grade == 'A' || run->grade == 'B';
  return run->state != RUN_FAILED ? run_states[run->state].junit
         : !is_urgent             ? ""
         : *run->accepted         ? "skipped"
                                  : run_states[RUN_FAILED].junit;
}

static int is_element(const struct judged_run *run, const char *element) {
  return !strcmp(element_of(run), element);
}

// Every criterion that fails, and how to repeat the run.
static void put_story(FILE *out, const struct judgement *j, const struct judged_run *run) {
  char command[REPORT_COMMAND];
  for (int c = 0; c < CRITERION_COUNT; c++)
    if (run->criterion[c].result == CRITERION_FAIL) {
      fprintf(out, "%s (%c): ", criteria[c].name, run->criterion[c].grade);
      markup_put(out, run->criterion[c].text);
      fputc('\n', out);
    }
  report_command(j, run, command, sizeof command);
  markup_put(out, command);
  fputc('\n', out);
}

static void put_case(FILE *out, const struct judgement *j, const struct judged_run *run) {
  const char *condition = j->plan->condition[run->condition].id;
  fputs("    <testcase classname=\"", out);
  markup_put(out, condition);
  fputc('.', out);
  markup_put(out, *run->failure->equipment ? run->failure->equipment : run->failure->id);
  fputs("\" name=\"", out);
  markup_put(out, run->failure->id);
  fputc('@', out);
  markup_put(out, condition);
  fputs("\">", out);
  const char *element = element_of(run);
  if (is_element(run, "skipped")) {
    fputs("<skipped message=\"", out);
    fprintf(out, "%s: ", run->grade ? "accepted" : run_states[run->state].name);
    markup_put(out, run->grade ? run->accepted : run->criterion[CRITERION_JUDGED].text);
    fputs("\"/>", out);
  } else if (*element) {
    const char type[2] = {run->grade, '\0'};
    fprintf(out, "<%s type=\"%s\" message=\"", element, run->grade ? type : run_states[run->state].name);
    markup_put(out, run->criterion[run->grade ? findings_complaint(run) : CRITERION_JUDGED].text);
    fputs("\">", out);
    put_story(out, j, run);
    fprintf(out, "</%s>", element);
  } else if (run->grade) {
    fputs("<system-out>", out);
    put_story(out, j, run);
    fputs("</system-out>", out);
  }
  fputs("</testcase>\n", out);
}

static void put_counts(FILE *out, const struct judgement *j, int first, int end) {
  int failures = 0, errors = 0, skipped = 0;
  for (int i = first; i < end; i++) {
    errors += is_element(&j->run[i], "error");
    failures += is_element(&j->run[i], "failure");
    skipped += is_element(&j->run[i], "skipped");
  }
  fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", end - first, failures, errors,
          skipped);
}

int report_write_junit(const struct judgement *j, FILE *out) {
  int count = j->failures->count;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"", out);
  markup_put(out, j->plan->name);
  fputc('"', out);
  put_counts(out, j, 0, j->run_count);
  for (int c = 0; c < j->plan->condition_count; c++) {
    fputs("  <testsuite name=\"", out);
    markup_put(out, j->plan->condition[c].id);
    fputc('"', out);
    put_counts(out, j, c * count, (c + 1) * count);
    for (int i = 0; i < count; i++)
      put_case(out, j, judgement_run(j, c, i));
    fputs("  </testsuite>\n", out);
  }
  fputs("</testsuites>\n", out);
  return 1;
}
