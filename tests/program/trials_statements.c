// Judges campaigns that are described on stdin, by the code of sagbend trials, and prints what it would say
// of them: trials_statements_test.py evaluates the same campaigns in Python.
#include "lab/judge/judge.h"
#include "lab/trials/trials_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trial_plan plan;
static struct failures failures;
static struct judgement judgement;

static struct failure *add_failure(const char *id, int group) {
  struct failure *f = &failures.item[failures.count++];
  *f = (struct failure){.group = (enum failure_group)group, .alarm_s = 10};
  snprintf(f->id, sizeof f->id, "%s", id);
  snprintf(f->equipment, sizeof f->equipment, "%.*s", (int)strcspn(id, "/"), id);
  snprintf(f->kind, sizeof f->kind, "thing");
  snprintf(f->mode, sizeof f->mode, "mode");
  snprintf(f->names[f->name_count++], SIGNAL_NAME, "%.*s", SIGNAL_NAME - 1, f->equipment);
  return f;
}

static void begin(const char *line) {
  failures.count = failures.excluded_count = 0;
  plan = (struct trial_plan){.path = (char *)"plan.yaml",
                             .limit_count = 1,
                             .settle_s = 60,
                             .failure_s = 60,
                             .recover_s = 60,
                             .added_m = 1.5,
                             .power_limited_s = 2,
                             .alarm_scale = 1,
                             .return_offset_m = 3,
                             .return_s = 40};
  plan.limit[0] = (struct trial_limit){
      .name = "position", .quantity = QUANTITY_OFFSET, .range = {-HUGE_VAL, 10}, .circle = 5};
  sscanf(line, "campaign %d %d %lg", &plan.condition_count, &plan.alarms_from, &plan.spread_m);
  for (int c = 0; c < plan.condition_count; c++)
    snprintf(plan.condition[c].id, sizeof plan.condition[c].id, "S%d", c + 1);
  free(judgement.run);
  judgement =
      (struct judgement){.plan = &plan, .failures = &failures, .run = calloc(4096, sizeof *judgement.run)};
  for (int c = 0; c < TRIAL_CONDITIONS; c++)
    judgement.exercise[c] = (struct exercise){.intact = NAN, .largest = NAN};
  add_failure("none", FAILURE_NONE)->name_count = 0;
}

static void add_run(const char *line) {
  static struct trial_alarm alarms[4096];
  char outcome[16];
  double alarm_s;
  const int at = judgement.run_count++;
  struct judged_run *run = &judgement.run[at];
  struct observation *seen = &run->seen;
  *run = (struct judged_run){.failure = &failures.item[at % failures.count],
                             .condition = at / failures.count,
                             .point = at + 1,
                             .stop_s = NAN};
  sscanf(line, "run %15s %lg %lg %lg", outcome, &seen->offset_m, &seen->return_m, &alarm_s);
  seen->limited_s = seen->feedback_error = NAN;
  seen->is_missing = !strcmp(outcome, "missing");
  seen->is_there = !strcmp(outcome, "passed");
  seen->cause = !strcmp(outcome, "machine")      ? CAUSE_MACHINE
                : !strcmp(outcome, "controller") ? CAUSE_CONTROLLER
                                                 : CAUSE_RUN;
  if (!seen->is_there) {
    snprintf(seen->reason, sizeof seen->reason, "it is %s", outcome);
    seen->offset_m = seen->return_m = NAN;
  }
  seen->high[0] = seen->circled[0] = seen->offset_m;
  if (seen->is_there && alarm_s >= 0) {
    alarms[at] = (struct trial_alarm){.time_s = plan.settle_s + alarm_s, .to_s = plan.settle_s + 70};
    snprintf(alarms[at].source, sizeof alarms[at].source, "%.*s", SIGNAL_NAME - 1, run->failure->equipment);
    seen->alarm = &alarms[at];
    seen->alarm_count = 1;
  }
}

static void end(void) {
  struct statements all;
  judgement_judge(&judgement);
  judgement_count(&judgement);
  statements_make(&judgement, &all);
  for (int i = 0; i < all.count; i++)
    printf("%s\t%d\t%s\n", all.item[i].id, (int)all.item[i].kind, all.item[i].text);
  printf("counts\t%d", all.grade);
  for (int s = 0; s < RUN_STATE_COUNT; s++)
    printf(" %d", judgement.count[s]);
  printf(" %d %d %d %d %d\n", judgement.graded[0], judgement.graded[1], judgement.graded[2], judgement.open,
         judgement.is_whole);
  report_write_junit(&judgement, stdout);
  printf("end\n");
}

int main(void) {
  char line[512], id[96];
  int number, place = 0;
  double drift_m, decay_m;
  failures.item = calloc(1024, sizeof *failures.item);
  failures.excluded = calloc(1024, sizeof *failures.excluded);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (!strncmp(line, "campaign ", 9))
      begin(line);
    else if (sscanf(line, "failure %95s %d", id, &number) == 2)
      add_failure(id, number);
    else if (sscanf(line, "excluded %95s %d", id, &number) == 2) {
      failures.excluded[failures.excluded_count].is_by_plan = number;
      snprintf(failures.excluded[failures.excluded_count++].id, FAILURE_ID, "%s", id);
    } else if (sscanf(line, "declared %95s", id) == 1)
      snprintf(plan.worst_case[plan.worst_case_count++].id, FAILURE_ID, "%s", id);
    else if (sscanf(line, "accept %95s %3s", id, plan.accept[plan.accept_count].finding) == 2) {
      snprintf(plan.accept[plan.accept_count].why, TRIAL_TEXT, "letter 12");
      snprintf(plan.accept[plan.accept_count++].id, FAILURE_ID, "%s", id);
    } else if (sscanf(line, "settling %d %lg %lg", &place, &drift_m, &decay_m) == 3)
      judgement.settling[place] = (struct settling){60, drift_m, decay_m, NAN};
    else if (sscanf(line, "share %d %lg %lg", &place, &drift_m, &decay_m) == 3) {
      judgement.exercise[place].intact = drift_m;
      judgement.exercise[place].largest = decay_m;
    } else if (sscanf(line, "no share %d", &place) == 1)
      snprintf(judgement.exercise[place].why, sizeof judgement.exercise[place].why, "it is not known");
    else if (!strncmp(line, "stranger ", 9))
      snprintf(judgement.stranger, sizeof judgement.stranger, "%.200s", line + 9);
    else if (!strncmp(line, "run ", 4))
      add_run(line);
    else if (!strcmp(line, "end"))
      end();
    else
      return fprintf(stderr, "trials_statements: not understood: %s\n", line), 2;
  }
  return 0;
}
