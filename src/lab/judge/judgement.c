// Judgement of every run against the run without a failure in the same condition, with the same seeds.
#include "lab/judge/judge.h"
#include "lab/judge/judge_internal.h"

#include "os/files/files.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct criterion_info criteria[CRITERION_COUNT] = {
#define CRITERION(id, stage, judge, extent, name, question, requires, sentence, reason)                      \
  {STAGE_##stage, judge, EXTENT_##extent, name, QUESTION_##question, requires, sentence, reason},
#include "lab/judge/criteria.inc"
#undef CRITERION
};

const struct run_state_info run_states[RUN_STATE_COUNT] = {
#define STATE(id, name, key, letter, sign, junit, meaning) {name, key, letter, sign, junit, meaning},
#include "lab/judge/states.inc"
#undef STATE
};

void judge_repetition(const struct judging *x) {
  struct judged_run *run = x->run;
  char why[256];
  const struct observation *first = run->stop_point ? &run->unstopped : &run->seen;
  if (!run->is_again || !first->is_there)
    criterion_skip(run, CRITERION_REPEATED, "it ran once");
  else if (observation_is_equal(x->plan, first, &run->repeated, why, sizeof why))
    criterion_decide(run, CRITERION_REPEATED, 1, 0, "the same bits again");
  else
    criterion_decide(run, CRITERION_REPEATED, 0, 'B',
                     "not the same when it ran again, as of a controller that reads its clock: %.160s", why);
}

static int is_ended_by_controller(const struct observation *seen) {
  return !seen->is_there && seen->cause == CAUSE_CONTROLLER && !seen->is_missing;
}

// Whether there is something to judge. What the machine did is no finding; what the controller did is one.
void judge_result(const struct judging *x) {
  struct judged_run *run = x->run;
  const struct observation *seen = &run->seen;
  const char *outside = x->outside, *why = seen->is_missing && *outside ? outside : seen->reason;
  const int is_none = run->failure->group == FAILURE_NONE,
            is_of_machine = seen->is_missing || (!seen->is_there && seen->cause == CAUSE_MACHINE);
  if (is_of_machine)
    criterion_skip(run, CRITERION_JUDGED, "%.240s", why);
  else if (seen->is_there && run->is_outside)
    criterion_skip(run, CRITERION_JUDGED, "%.240s", outside);
  else if (seen->is_there && is_none && *outside) // once for the whole condition
    criterion_decide(run, CRITERION_JUDGED, 0, 'B', "no failure of this condition is judged: %.200s",
                     outside);
  else if (seen->is_there && run->stop_point)
    criterion_decide(run, CRITERION_JUDGED, 1, 0,
                     "stopped by the operator at %.1f s; without that stop %.3f m off", run->stop_s,
                     run->unstopped.offset_m);
  else if (is_ended_by_controller(seen))
    criterion_skip(run, CRITERION_JUDGED, "the controller ended it");
  else
    criterion_decide(run, CRITERION_JUDGED, seen->is_there, 'B', "%.240s",
                     seen->is_there ? "the run reached its end" : why);
}

void judge_controller(const struct judging *x) {
  struct judged_run *run = x->run;
  const struct observation *seen = &run->seen;
  if (is_ended_by_controller(seen))
    criterion_decide(run, CRITERION_CONTROLLER, 0, 'A', "%.240s", seen->reason);
  else if (!seen->is_there)
    criterion_skip(run, CRITERION_CONTROLLER, "the run has no result");
  else if (x->plan->mode != RUN_LOCKSTEP)
    criterion_skip(run, CRITERION_CONTROLLER, "in mode fast it is part of the simulator");
  else
    criterion_decide(run, CRITERION_CONTROLLER, 1, 0, "it answered to the end");
}

static enum run_state state_of(const struct judged_run *run) {
  return run->grade             ? RUN_FAILED
         : run->seen.is_missing ? RUN_NOT_RUN
         : !run->seen.is_there  ? RUN_BROKEN
         : run->is_outside      ? RUN_NOT_JUDGED
                                : RUN_PASSED;
}

// Why a run is not asked about the criteria of a stage; NULL: it is.
static const char *unasked(const struct judging *x, enum criterion_stage stage) {
  const struct judged_run *run = x->run;
  const int is_none = run->failure->group == FAILURE_NONE;
  if (stage == STAGE_RUN)
    return NULL;
  if (!run->seen.is_there)
    return "the run has no result";
  if (stage == STAGE_PLAN ? run->is_outside : *x->outside != 0)
    return "its condition is outside the envelope";
  if (stage == STAGE_PLAN)
    return NULL;
  if (is_none)
    return "the run without a failure";
  if (stage == STAGE_EFFECT)
    return NULL;
  return x->plan->mode != RUN_LOCKSTEP && x->plan->alarms_from == ALARMS_OF_OUTPUT
             ? "in mode fast the controller prints nothing"
         : x->plan->alarms_from == ALARMS_NONE ? "the plan says that the controller has no alarms"
                                               : NULL;
}

// A run that has failed, such as by an event, may have passed a limit before: that is not less than a failed
// run.
static int has_passed_limit(const struct judging *x) {
  const struct observation *seen = &x->run->seen;
  int is_passed = 0;
  for (int i = 0; i < x->plan->limit_count; i++)
    is_passed |= seen->high[i] > x->plan->limit[i].range[1] || seen->low[i] < x->plan->limit[i].range[0];
  return is_passed && !seen->is_there && !seen->is_missing && seen->cause == CAUSE_RUN && !x->run->is_outside;
}

static void judge(const struct judgement *j, struct judged_run *run) {
  struct said said;
  struct judging x = {.j = j,
                      .plan = j->plan,
                      .without = &judgement_run(j, run->condition, 0)->seen,
                      .outside = j->outside[run->condition],
                      .run = run};
  run->detected_s = NAN;
  run->grade = 0;
  memset(run->criterion, 0, sizeof run->criterion);
  run->is_outside = *x.outside && run->failure->group != FAILURE_NONE;
  if (!unasked(&x, STAGE_EFFECT)) {
    said = judge_listen(j, run);
    x.said = &said;
    run->detected_s = said.detected_s;
  }
  for (int c = 0; c < CRITERION_COUNT; c++) {
    const char *why = unasked(&x, criteria[c].stage);
    run->criterion[c].result = CRITERION_UNDECIDED;
    if (why && !(c == CRITERION_LIMITS && has_passed_limit(&x)))
      criterion_skip(run, c, "%s", why);
    else
      criteria[c].judge(&x);
    if (run->criterion[c].result == CRITERION_UNDECIDED) // a function that forgets its own criterion
      criterion_decide(run, c, 0, 'A', "it was not decided");
    char grade = run->criterion[c].grade;
    if (grade && (!run->grade || grade < run->grade))
      run->grade = grade;
  }
  run->state = state_of(run);
}

// A condition in which the vessel without a failure passes a limit or leaves the circle proves nothing about
// failures.
static void look_at_condition(struct judgement *j, int condition) {
  const struct trial_plan *p = j->plan;
  const struct judged_run *none = judgement_run(j, condition, 0);
  char *out = j->outside[condition], text[160];
  size_t size = sizeof j->outside[0];
  if (!none->seen.is_there)
    snprintf(out, size, "the run without a failure %s%.180s",
             none->seen.is_missing ? "has not run" : "has no result: ",
             none->seen.is_missing ? "" : none->seen.reason);
  if (!*out && judge_first_limit(p, &none->seen, text, sizeof text))
    snprintf(out, size, "without a failure %s", text);
  for (int i = 0; i < none->seen.alarm_count && !*out; i++)
    if (none->seen.alarm[i].time_s >= p->settle_s || none->seen.alarm[i].to_s > p->settle_s)
      snprintf(out, size, "without a failure there is an alarm at %.1f s: %.120s", none->seen.alarm[i].time_s,
               none->seen.alarm[i].text);
}

static void declare(struct judgement *j, int condition) {
  double largest = NAN;
  int missing = 0;
  for (int i = 0; i < j->plan->worst_case_count; i++) {
    int at = failures_find(j->failures, j->plan->worst_case[i].id);
    const struct observation *seen = at < 0 ? NULL : &judgement_run(j, condition, at)->seen;
    missing += !seen || !seen->is_there || isnan(seen->offset_m);
    if (seen)
      largest = fmax(largest, seen->offset_m);
  }
  j->declared_m[condition] = missing ? (double)NAN : largest;
  largest = j->declared_m[condition];
  for (int i = 0; i < j->plan->limit_count; i++) // within the watch circle nobody asks
    if (!isnan(largest) && j->plan->limit[i].quantity == QUANTITY_OFFSET &&
        isfinite(j->plan->limit[i].circle))
      largest = fmax(largest, j->plan->limit[i].circle);
  j->worst_case_m[condition] = largest;
}

static const char *accepted(const struct trial_plan *p, const struct judged_run *run, char grade) {
  for (int i = 0; i < p->accept_count; i++)
    if (p->accept[i].finding[0] == grade && failure_matches(run->failure->id, p->accept[i].id))
      return p->accept[i].why;
  return NULL;
}

// A run is accepted where each letter is for which it fails a criterion: an accepted A does not hide a B.
static void accept(const struct trial_plan *p, struct judged_run *run) {
  const char *why = run->grade ? accepted(p, run, run->grade) : NULL;
  for (int c = 0; c < CRITERION_COUNT && why; c++)
    if ((run->criterion[c].grade == 'A' || run->criterion[c].grade == 'B') &&
        !accepted(p, run, run->criterion[c].grade))
      why = NULL;
  snprintf(run->accepted, sizeof run->accepted, "%s", why ? why : "");
}

static enum status read_again(const struct trial_plan *plan, const struct sweep_folder *folder,
                              struct judged_run *run, struct reason *why) {
  struct sweep_folder again = {.lock = -1};
  if (snprintf(again.path, sizeof again.path, "%.*s/" TRIALS_AGAIN, SWEEP_PATH - 80, folder->path) >=
      SWEEP_PATH)
    return STATUS_OK;
  enum status status = observation_read(plan, &again, run->point, &run->repeated, why);
  run->is_again = status == STATUS_OK && !run->repeated.is_missing;
  return status;
}

// Alarms that are read from what a controller prints prove nothing where it prints nothing in any run.
static void look_for_words(struct judgement *j) {
  int has_printed = j->plan->mode != RUN_LOCKSTEP || j->plan->alarms_from != ALARMS_OF_OUTPUT;
  for (int i = 0; i < j->run_count; i++)
    has_printed |= j->run[i].seen.has_printed;
  for (int i = 0; i < j->run_count && !has_printed; i++) {
    struct observation *seen = &j->run[i].seen;
    if (!seen->is_there)
      continue;
    snprintf(seen->reason, sizeof seen->reason,
             "the controller printed nothing in any run, and its alarms are read from what it prints");
    seen->cause = CAUSE_RUN;
    seen->is_there = 0;
  }
}

void judgement_judge(struct judgement *j) {
  look_for_words(j);
  for (int c = 0; c < j->plan->condition_count; c++) {
    look_at_condition(j, c);
    declare(j, c);
  }
  for (int i = 0; i < j->run_count; i++)
    judge(j, &j->run[i]);
}

void judgement_count(struct judgement *j) {
  for (int i = 0; i < j->run_count; i++) {
    struct judged_run *run = &j->run[i];
    accept(j->plan, run);
    j->count[run->state]++;
    if (run->state == RUN_FAILED)
      j->graded[run->grade - 'A']++;
    j->open += (run->grade == 'A' || run->grade == 'B') && !*run->accepted;
  }
  j->is_whole = j->count[RUN_PASSED] + j->count[RUN_FAILED] == j->run_count && !*j->stranger;
}

static enum status read_runs(const struct trial_plan *plan, const struct failures *failures,
                             const struct sweep_folder *folder, struct judgement *out, struct reason *why) {
  enum status status = STATUS_OK;
  for (int c = 0; c < plan->condition_count; c++)
    for (int i = 0; i < failures->count && status == STATUS_OK; i++) {
      struct judged_run *run = &out->run[out->run_count++];
      run->failure = &failures->item[i];
      run->condition = c;
      run->point = out->run_count;
      run->stop_s = NAN;
      status = observation_read(plan, folder, run->point, &run->seen, why);
      if (status == STATUS_OK)
        status = read_again(plan, folder, run, why);
      if (status == STATUS_OK && i == 0)
        status = settling_read(plan, folder, run->point, &out->settling[c], why);
    }
  return status;
}

enum status judgement_make(const struct trial_plan *plan, const struct failures *failures,
                           const struct sweep_folder *folder, struct judgement *out, struct reason *why) {
  *out = (struct judgement){.plan = plan, .failures = failures};
  out->run = calloc((size_t)plan->condition_count * (size_t)failures->count, sizeof *out->run);
  if (!out->run)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the runs");
  enum status status = read_runs(plan, failures, folder, out, why);
  if (status == STATUS_OK) {
    judgement_judge(out);
    status = intervention_read(out, folder, why);
  }
  for (int i = 0; status == STATUS_OK && i < out->run_count; i++)
    if (out->run[i].stop_point)
      judge(out, &out->run[i]);
  if (status == STATUS_OK)
    judgement_count(out);
  return status;
}

void judgement_free(struct judgement *j) {
  for (int i = 0; i < j->run_count; i++) {
    observation_free(&j->run[i].seen);
    observation_free(&j->run[i].repeated);
    observation_free(&j->run[i].unstopped);
  }
  free(j->run);
  j->run = NULL;
}
