// Judgement of every run against the run without a failure in the same condition, with the same seeds.
#include "trials/judge/judgement.h"

#include "trials/judge/again.h"
#include "trials/judge/intervention.h"

#include "trials/judge/report_values.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *criterion_name(enum criterion c) {
  static const char *const names[] = {"judged",     "repeated", "limits", "watch circle", "added offset",
                                      "worst case", "power",    "alarm",  "other alarms", "back"};
  return names[c];
}

void judgement_measures(const struct judged_run *run, double out[MEASURE_COUNT]) {
  memcpy(out, run->seen.measure, sizeof run->seen.measure);
  out[MEASURE_OFFSET] = run->seen.offset_m;
  out[MEASURE_BACK] = run->seen.return_m;
  out[MEASURE_LIMITED] = run->seen.limited_s;
  out[MEASURE_DETECTED] = run->detected_s;
  out[MEASURE_ALARMS] = run->seen.alarm_count;
}

struct judged_run *judgement_run(const struct judgement *j, int condition, int failure) {
  return &j->run[condition * j->failures->count + failure];
}

void judgement_id(const struct judgement *j, const struct judged_run *run, char *out, size_t size) {
  snprintf(out, size, "%s@%s", run->failure->id, j->plan->condition[run->condition].id);
}

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static void decide(struct judged_run *run, enum criterion c, int holds, char grade, const char *format, ...) {
  struct judged_criterion *out = &run->criterion[c];
  va_list args;
  va_start(args, format);
  vsnprintf(out->text, sizeof out->text, format, args);
  va_end(args);
  out->result = holds ? CRITERION_PASS : CRITERION_FAIL;
  out->grade = holds ? 0 : grade;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void skip(struct judged_run *run, enum criterion c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(run->criterion[c].text, sizeof run->criterion[c].text, format, args);
  va_end(args);
  run->criterion[c].result = CRITERION_NOT_APPLICABLE;
}

static int is_word(const char *text, const char *at, size_t size) {
  int before = at > text ? (unsigned char)at[-1] : ' ', after = (unsigned char)at[size];
  return !isalnum(before) && before != '_' && before != '-' && !isalnum(after) && after != '_' &&
         after != '-';
}

static int contains_word(const char *text, const char *word) {
  size_t size = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if (is_word(text, at, size))
      return 1;
  return 0;
}

static int names_failure(const struct failure *f, const struct trial_alarm *alarm) {
  for (int i = 0; i < f->name_count; i++)
    if (*alarm->source ? !strcmp(alarm->source, f->names[i]) : contains_word(alarm->text, f->names[i]))
      return 1;
  return 0;
}

// Whether a run goes beyond a limit, or has no value of its quantity.
static int limit_passed(const struct trial_plan *p, const struct observation *o, int i) {
  return !(o->high[i] <= p->limit[i].range[1] && o->low[i] >= p->limit[i].range[0]);
}

static int circle_left(const struct trial_plan *p, const struct observation *o, int i) {
  return isfinite(p->limit[i].circle) && !(o->circled[i] <= p->limit[i].circle);
}

double judgement_share(const struct trial_limit *limit, const struct observation *seen, int i) {
  double scale = 0, beyond = -HUGE_VAL;
  for (int k = 0; k < 2; k++)
    if (isfinite(limit->range[k]))
      scale = fmax(scale, fabs(limit->range[k]));
  if (isfinite(limit->range[1]))
    beyond = fmax(beyond, seen->high[i] - limit->range[1]);
  if (isfinite(limit->range[0]))
    beyond = fmax(beyond, limit->range[0] - seen->low[i]);
  return scale > 0 && isfinite(beyond) ? 1 + beyond / scale : 0;
}

static int is_shown_equal(int quantity, double value, double bound, int finer) {
  return strtod(value_text_finer(quantity, value, finer).text, NULL) ==
         strtod(value_text_finer(quantity, bound, finer).text, NULL);
}

// "position reaches 23.4 m, limit 10 m". A value beyond its bound reads so.
static int say(const struct trial_limit *limit, double value, const char *what, double bound, char *out,
               size_t size) {
  int finer = 0;
  while (finer < 6 && value != bound && is_shown_equal(limit->quantity, value, bound, finer))
    finer++;
  return snprintf(out, size, "%s reaches %s, %s %s", limit->name,
                  value_text_finer(limit->quantity, value, finer).text, what,
                  value_text(limit->quantity, bound).text);
}

static const char *circle_of(const struct trial_limit *limit) {
  return limit->mean_s > 0 ? "in the mean, circle" : "circle";
}

static int say_limit(const struct trial_limit *limit, const struct observation *o, int i, char *out,
                     size_t size) {
  int is_low = !(o->low[i] >= limit->range[0]);
  return say(limit, is_low ? o->low[i] : o->high[i], "limit", limit->range[!is_low], out, size);
}

static void judge_limits(const struct trial_plan *p, const struct observation *without,
                         struct judged_run *run) {
  char passed[200] = "", left[200] = "";
  size_t used = 0, used_left = 0;
  for (int i = 0; i < p->limit_count; i++) {
    const struct trial_limit *limit = &p->limit[i];
    if (limit_passed(p, &run->seen, i) && !limit_passed(p, without, i) && used < sizeof passed - 3) {
      used += (size_t)snprintf(passed + used, sizeof passed - used, "%s", used ? "; " : "");
      used += (size_t)say_limit(limit, &run->seen, i, passed + used, sizeof passed - used);
    }
    if (circle_left(p, &run->seen, i) && used_left < sizeof left - 3) {
      used_left += (size_t)snprintf(left + used_left, sizeof left - used_left, "%s", used_left ? "; " : "");
      used_left += (size_t)say(limit, run->seen.circled[i], circle_of(limit), limit->circle, left + used_left,
                               sizeof left - used_left);
    }
  }
  decide(run, CRITERION_LIMITS, !*passed, 'A', "%s", *passed ? passed : "within all limits");
  decide(run, CRITERION_CIRCLE, !*left, 'B', "%s", *left ? left : "within");
}

static void judge_effect(const struct judgement *j, const struct observation *without,
                         struct judged_run *run) {
  const struct trial_plan *p = j->plan;
  double added_m = run->seen.offset_m - without->offset_m, declared_m = j->worst_case_m[run->condition];
  if (run->failure->has_spare && run->failure->group == FAILURE_SINGLE)
    decide(run, CRITERION_ADDED, added_m <= p->added_m, 'B',
           "offset %.2f m more than without a failure, at most %.3g m", added_m, p->added_m);
  else
    skip(run, CRITERION_ADDED, "no spare of its kind");
  if (isnan(declared_m))
    skip(run, CRITERION_WORST_CASE, "no worst-case failure is declared");
  else if (run->failure->group != FAILURE_SINGLE)
    skip(run, CRITERION_WORST_CASE, "not a single failure");
  else
    decide(run, CRITERION_WORST_CASE, run->seen.offset_m <= declared_m, 'B', "offset %.2f m, at most %.2f m",
           run->seen.offset_m, declared_m);
  double limited_s = run->seen.limited_s - without->limited_s;
  if (isnan(limited_s))
    skip(run, CRITERION_POWER, "the vessel has no buses");
  else
    decide(run, CRITERION_POWER, limited_s <= p->power_limited_s, 'B',
           "thrusters limited by the power supply for %.1f s more than without a failure, at most %.3g s",
           limited_s, p->power_limited_s);
  decide(run, CRITERION_RETURN, run->seen.return_m <= fmax(p->return_offset_m, without->return_m), 'B',
         "offset %.2f m from %.3g s after the end of the failure, at most %.2f m", run->seen.return_m,
         p->return_s, fmax(p->return_offset_m, without->return_m));
}

// An alarm counts while the failure lasts: one at its end or later says that it is over.
static void judge_alarms(const struct trial_plan *p, const struct observation *without,
                         struct judged_run *run) {
  const struct failure *f = run->failure;
  double begin_s = p->settle_s, end_s = begin_s + p->failure_s, limit_s = f->alarm_s * p->alarm_scale;
  const struct trial_alarm *other = NULL;
  int others = 0;
  run->detected_s = NAN;
  for (int i = 0; i < run->seen.alarm_count; i++) {
    const struct trial_alarm *alarm = &run->seen.alarm[i];
    if (alarm->time_s < begin_s || alarm->time_s >= end_s)
      continue;
    if (names_failure(f, alarm)) {
      if (isnan(run->detected_s))
        run->detected_s = alarm->time_s - begin_s;
    } else if (!others++) {
      other = alarm;
    }
  }
  int moved = run->seen.offset_m - without->offset_m > 0.5;
  const char *silent = p->mode != RUN_LOCKSTEP         ? "the controller inside gives no alarms"
                       : p->alarms_from == ALARMS_NONE ? "the plan says that the controller has no alarms"
                                                       : NULL;
  if (silent)
    skip(run, CRITERION_DETECTION, "%s", silent);
  else if (!(f->alarm_s > 0))
    skip(run, CRITERION_DETECTION, "no alarm is expected: %s", f->quiet);
  else if (isnan(run->detected_s))
    decide(run, CRITERION_DETECTION, 0, f->hides || moved ? 'B' : 'C',
           "no alarm names it; expected within %.3g s", limit_s);
  else
    decide(run, CRITERION_DETECTION, run->detected_s <= limit_s, 'C',
           "alarm after %.1f s; expected within %.3g s", run->detected_s, limit_s);
  if (silent)
    skip(run, CRITERION_ATTRIBUTION, "%s", silent);
  else if (others)
    decide(run, CRITERION_ATTRIBUTION, isnan(run->detected_s) == 0, 'C',
           "%d alarm%s other equipment, the first after %.1f s: %.120s", others,
           others > 1 ? "s name" : " names", other->time_s - begin_s, other->text);
  else
    decide(run, CRITERION_ATTRIBUTION, 1, 0, "no alarm names other equipment");
}

static void judge_repetition(const struct trial_plan *p, struct judged_run *run) {
  char why[256];
  const struct observation *first = run->stop_point ? &run->unstopped : &run->seen;
  if (!run->is_again || !first->is_there)
    skip(run, CRITERION_REPEATED, "it ran once");
  else if (observation_is_equal(p, first, &run->repeated, why, sizeof why))
    decide(run, CRITERION_REPEATED, 1, 0, "the same bits again");
  else
    decide(run, CRITERION_REPEATED, 0, 'B',
           "not the same when it ran again, as of a controller that reads its clock: %.160s", why);
}

static void judge(const struct judgement *j, struct judged_run *run) {
  const struct observation *without = &judgement_run(j, run->condition, 0)->seen;
  run->detected_s = NAN;
  run->grade = 0;
  memset(run->criterion, 0, sizeof run->criterion);
  const char *outside = j->outside[run->condition];
  int is_none = run->failure->group == FAILURE_NONE;
  run->is_outside = *outside && !is_none;
  if (is_none && *outside) // once for the whole condition
    decide(run, CRITERION_JUDGED, 0, 'B', "no failure of this condition is judged: %.200s", outside);
  else
    decide(run, CRITERION_JUDGED, run->seen.is_there, 'B', "%.200s",
           run->seen.is_there                 ? "the run reached its end"
           : run->seen.is_missing && *outside ? outside
                                              : run->seen.reason);
  if (run->stop_point && run->seen.is_there)
    decide(run, CRITERION_JUDGED, 1, 0, "stopped by the operator at %.1f s; without that stop %.3f m off",
           run->stop_s, run->unstopped.offset_m);
  judge_repetition(j->plan, run);
  if (!run->seen.is_there || *outside || is_none) {
    for (int c = CRITERION_LIMITS; c < CRITERION_COUNT; c++)
      skip(run, c, "%s",
           !run->seen.is_there ? "the run has no result"
           : *outside          ? "its condition is outside the envelope"
                               : "the run without a failure");
  } else {
    judge_limits(j->plan, without, run);
    judge_effect(j, without, run);
    judge_alarms(j->plan, without, run);
  }
  for (int c = 0; c < CRITERION_COUNT; c++) {
    char grade = run->criterion[c].grade;
    if (grade && (!run->grade || grade < run->grade))
      run->grade = grade;
  }
}

// A condition in which the vessel without a failure passes a limit or leaves the circle says nothing about
// failures.
static void look_at_condition(struct judgement *j, int condition) {
  const struct trial_plan *p = j->plan;
  const struct judged_run *none = judgement_run(j, condition, 0);
  char *out = j->outside[condition], text[160];
  size_t size = sizeof j->outside[0];
  if (!none->seen.is_there)
    snprintf(out, size, "the run without a failure has no result: %.180s", none->seen.reason);
  for (int i = 0; i < p->limit_count && !*out; i++) {
    if (limit_passed(p, &none->seen, i))
      say_limit(&p->limit[i], &none->seen, i, text, sizeof text);
    else if (circle_left(p, &none->seen, i))
      say(&p->limit[i], none->seen.circled[i], circle_of(&p->limit[i]), p->limit[i].circle, text,
          sizeof text);
    else
      continue;
    snprintf(out, size, "without a failure %s", text);
  }
  for (int i = 0; i < none->seen.alarm_count && !*out; i++)
    if (none->seen.alarm[i].time_s >= p->settle_s)
      snprintf(out, size, "without a failure there is an alarm at %.1f s: %.120s", none->seen.alarm[i].time_s,
               none->seen.alarm[i].text);
}

static void declare(struct judgement *j, int condition) {
  double largest = NAN;
  for (int i = 0; i < j->plan->worst_case_count; i++) {
    int at = failures_find(j->failures, j->plan->worst_case[i].id);
    if (at >= 0)
      largest = fmax(largest, judgement_run(j, condition, at)->seen.offset_m);
  }
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

// Alarms that are read from what a controller prints say nothing where it prints nothing in any run.
static void look_for_words(struct judgement *j) {
  int has_printed = j->plan->mode != RUN_LOCKSTEP || j->plan->alarms_from != ALARMS_OF_OUTPUT;
  for (int i = 0; i < j->run_count; i++)
    has_printed |= j->run[i].seen.has_printed;
  for (int i = 0; i < j->run_count && !has_printed; i++) {
    struct observation *seen = &j->run[i].seen;
    if (seen->is_there)
      snprintf(seen->reason, sizeof seen->reason,
               "the controller printed nothing in any run, and its alarms are read from what it prints");
    seen->is_there = 0;
  }
}

enum status judgement_make(const struct trial_plan *plan, const struct failures *failures,
                           const struct sweep_folder *folder, struct judgement *out, struct reason *why) {
  enum status status = STATUS_OK;
  *out = (struct judgement){.plan = plan, .failures = failures};
  out->run = calloc((size_t)plan->condition_count * (size_t)failures->count, sizeof *out->run);
  if (!out->run)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the runs");
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
    }
  if (status == STATUS_OK)
    look_for_words(out);
  for (int c = 0; status == STATUS_OK && c < plan->condition_count; c++) {
    look_at_condition(out, c);
    declare(out, c);
  }
  for (int i = 0; status == STATUS_OK && i < out->run_count; i++)
    judge(out, &out->run[i]);
  if (status == STATUS_OK)
    status = intervention_read(out, folder, why);
  for (int i = 0; status == STATUS_OK && i < out->run_count; i++) {
    struct judged_run *run = &out->run[i];
    if (run->stop_point)
      judge(out, run);
    accept(plan, run);
    if (run->is_outside && !run->grade)
      out->outside_count++;
    else
      out->count[run->grade ? run->grade - 'A' + 1 : 0]++;
    out->open += (run->grade == 'A' || run->grade == 'B') && !*run->accepted;
  }
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
