// Detection and attribution, and whether alarms end with their failure.
#include "trials/judge/judge_parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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

// Index among the thrusters of the vessel; -1: the alarm names none.
static int thruster_of(const struct failures *all, const struct trial_alarm *alarm) {
  for (int i = 0; i < all->thruster_count; i++)
    if (*alarm->source ? !strcmp(alarm->source, all->thruster[i].name)
                       : contains_word(alarm->text, all->thruster[i].name))
      return i;
  return -1;
}

// What the alarms of a failure say.
struct said {
  double detected_s; // from the failure to the first that names it; NaN: none
  const struct trial_alarm *other,
      *stays; // the first of other equipment; of it, that does not end. NULL: none
  int others;
  int thruster[2]; // the first that is named, and one of another group; -1: none
};

// An alarm counts while the failure lasts: one at its end or later says that it is over.
static struct said listen(const struct judgement *j, const struct judged_run *run) {
  const struct trial_plan *p = j->plan;
  const double begin_s = p->settle_s, end_s = begin_s + p->failure_s;
  struct said out = {.detected_s = NAN, .thruster = {-1, -1}};
  for (int i = 0; i < run->seen.alarm_count; i++) {
    const struct trial_alarm *alarm = &run->seen.alarm[i];
    const int thruster = thruster_of(j->failures, alarm);
    if (alarm->time_s < begin_s || alarm->time_s >= end_s)
      continue;
    if (thruster >= 0 && out.thruster[0] < 0)
      out.thruster[0] = thruster;
    else if (thruster >= 0 &&
             j->failures->thruster[thruster].bus != j->failures->thruster[out.thruster[0]].bus)
      out.thruster[1] = thruster;
    if (names_failure(run->failure, alarm)) {
      if (isnan(out.detected_s))
        out.detected_s = alarm->time_s - begin_s;
      if (alarm->to_s > end_s + p->return_s)
        out.stays = alarm;
    } else if (!out.others++) {
      out.other = alarm;
    }
  }
  return out;
}

double judgement_detected_s(const struct judgement *j, const struct judged_run *run) {
  return listen(j, run).detected_s;
}

static void judge_detection(const struct trial_plan *p, const struct observation *without,
                            struct judged_run *run) {
  const struct failure *f = run->failure;
  const double limit_s = f->alarm_s * p->alarm_scale;
  const int moved = run->seen.offset_m - without->offset_m > 0.5;
  if (!(f->alarm_s > 0))
    criterion_skip(run, CRITERION_DETECTION, "no alarm is expected: %s", f->quiet);
  else if (isnan(run->detected_s))
    criterion_decide(run, CRITERION_DETECTION, 0, f->hides || moved ? 'B' : 'C',
                     "no alarm names it; expected within %.3g s", limit_s);
  else
    criterion_decide(run, CRITERION_DETECTION, run->detected_s <= limit_s, 'C',
                     "alarm after %.1f s; expected within %.3g s", run->detected_s, limit_s);
}

static void judge_attribution(const struct judgement *j, const struct said *said, struct judged_run *run) {
  const struct failed_thruster *thruster = j->failures->thruster;
  if (said->others)
    criterion_decide(run, CRITERION_ATTRIBUTION, !isnan(run->detected_s), 'C',
                     "%d alarm%s other equipment, the first after %.1f s: %.120s", said->others,
                     said->others > 1 ? "s name" : " names", said->other->time_s - j->plan->settle_s,
                     said->other->text);
  else
    criterion_decide(run, CRITERION_ATTRIBUTION, 1, 0, "no alarm names other equipment");
  if (run->failure->group != FAILURE_SINGLE || said->thruster[0] < 0)
    criterion_skip(run, CRITERION_GROUP, "%s",
                   said->thruster[0] < 0 ? "no alarm names a thruster" : "not a single failure");
  else if (said->thruster[1] >= 0)
    criterion_decide(run, CRITERION_GROUP, 0, 'B', "alarms name %s and %s, which have different buses",
                     thruster[said->thruster[0]].name, thruster[said->thruster[1]].name);
  else
    criterion_decide(run, CRITERION_GROUP, 1, 0, "the thrusters that alarms name have one bus");
}

void judge_alarms(const struct judgement *j, const struct observation *without, struct judged_run *run) {
  static const enum criterion OF_ALARMS[] = {CRITERION_DETECTION, CRITERION_ATTRIBUTION, CRITERION_GROUP,
                                             CRITERION_OVER};
  const struct trial_plan *p = j->plan;
  const struct said said = listen(j, run);
  run->detected_s = said.detected_s;
  const int is_mute = p->mode != RUN_LOCKSTEP && p->alarms_from == ALARMS_OF_OUTPUT;
  const char *silent = is_mute                         ? "in mode fast the controller prints nothing"
                       : p->alarms_from == ALARMS_NONE ? "the plan says that the controller has no alarms"
                                                       : NULL;
  for (size_t i = 0; silent && i < sizeof OF_ALARMS / sizeof *OF_ALARMS; i++)
    criterion_skip(run, OF_ALARMS[i], "%s", silent);
  if (silent)
    return;
  judge_detection(p, without, run);
  judge_attribution(j, &said, run);
  if (p->alarms_from != ALARMS_OF_COMMAND || isnan(run->detected_s))
    criterion_skip(run, CRITERION_OVER, "%s",
                   isnan(run->detected_s) ? "no alarm names it" : "a line of output has no end");
  else if (run->stop_point)
    criterion_skip(run, CRITERION_OVER, "the operator has stopped it");
  else if (said.stays)
    criterion_decide(run, CRITERION_OVER, 0, 'C',
                     "%.3g s after the end of the failure there is still: %.120s", p->return_s,
                     said.stays->text);
  else
    criterion_decide(run, CRITERION_OVER, 1, 0, "alarms about it end within %.3g s after the failure",
                     p->return_s);
}
