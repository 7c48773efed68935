// Detection and attribution, and whether alarms end with their failure.
#include "lab/judge/judge_internal.h"

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

// The piece of equipment of this name; -1: there is none.
static int piece_of(const struct failures *all, const char *name) {
  int i = 0;
  while (i < all->piece_count && strcmp(all->piece[i].name, name) != 0)
    i++;
  return i < all->piece_count ? i : -1;
}

static int text_names(const struct failures *all, const char *text) {
  int i = 0;
  while (i < all->piece_count && !contains_word(text, all->piece[i].name))
    i++;
  return i < all->piece_count ? i : -1;
}

// The piece of equipment that an alarm is about: its source, or what its text names; -1: none.
static int is_about(const struct failures *all, const struct trial_alarm *alarm) {
  const int piece = piece_of(all, alarm->source);
  return piece >= 0 ? piece : text_names(all, alarm->text);
}

// A source that is a piece of equipment names what the alarm is about; another one may leave it to the text.
static int names(const struct failures *all, const struct trial_alarm *alarm, const char (*name)[SIGNAL_NAME],
                 int count) {
  const int is_piece = piece_of(all, alarm->source) >= 0;
  for (int i = 0; i < count; i++)
    if (!strcmp(alarm->source, name[i]) || (!is_piece && contains_word(alarm->text, name[i])))
      return 1;
  return 0;
}

static int names_failure(const struct failures *all, const struct failure *f,
                         const struct trial_alarm *alarm) {
  return names(all, alarm, (const char (*)[SIGNAL_NAME])f->names, f->name_count);
}

// A text that names another piece than its source, and not its source.
static int is_contradictory(const struct failures *all, const struct trial_alarm *alarm) {
  return piece_of(all, alarm->source) >= 0 && !contains_word(alarm->text, alarm->source) &&
         text_names(all, alarm->text) >= 0;
}

// Kinds that take a piece of equipment out of use. One that differs from another is not known to be wrong.
static int takes_out(const struct trial_alarm *alarm) {
  static const char *const kinds[] = {"lost", "frozen", "rejected", "not_following"};
  size_t i = 0;
  while (i < sizeof kinds / sizeof *kinds && strcmp(alarm->kind, kinds[i]) != 0)
    i++;
  return i < sizeof kinds / sizeof *kinds;
}

// Index among the thrusters of the vessel; -1: the alarm names none.
static int thruster_of(const struct failures *all, const struct trial_alarm *alarm) {
  for (int i = 0; i < all->thruster_count; i++)
    if (names(all, alarm, (const char (*)[SIGNAL_NAME])all->thruster[i].name, 1))
      return i;
  return -1;
}

static int count_pieces(unsigned long long pieces) {
  int count = 0;
  for (; pieces; pieces &= pieces - 1)
    count++;
  return count;
}

static void hear_other(const struct judgement *j, const struct judged_run *run,
                       const struct trial_alarm *alarm, struct said *out) {
  const struct failure *f = run->failure;
  const int piece = is_about(j->failures, alarm);
  if (names(j->failures, alarm, (const char (*)[SIGNAL_NAME])f->also, f->also_count))
    return;
  if (!out->others++)
    out->other = alarm;
  if (piece < 0 || !strcmp(alarm->kind, "differs"))
    return;
  if (!out->sounds++ || (!out->sound_is_out && takes_out(alarm)))
    out->sound = alarm;
  out->sound_is_out |= takes_out(alarm);
  out->pieces |= 1ULL << piece % 64;
}

// The time in a failure, from the first alarm that names it on, in which none does.
static double silence(const struct judgement *j, const struct judged_run *run, double from_s, double end_s) {
  double silent_s = 0;
  while (from_s < end_s) {
    double until_s = from_s, next_s = end_s;
    for (int i = 0; i < run->seen.alarm_count; i++) {
      const struct trial_alarm *alarm = &run->seen.alarm[i];
      if (!names_failure(j->failures, run->failure, alarm))
        continue;
      if (alarm->time_s <= from_s)
        until_s = fmax(until_s, alarm->to_s);
      else
        next_s = fmin(next_s, alarm->time_s);
    }
    if (until_s <= from_s) {
      silent_s += next_s - from_s;
      until_s = next_s;
    }
    from_s = until_s;
  }
  return silent_s;
}

// An alarm counts while the failure lasts: one at its end or later reports that it is over.
struct said judge_listen(const struct judgement *j, const struct judged_run *run) {
  const struct trial_plan *p = j->plan;
  const double begin_s = p->settle_s, end_s = begin_s + p->failure_s;
  struct said out = {.detected_s = NAN, .thruster = {-1, -1}};
  for (int i = 0; i < run->seen.alarm_count; i++) {
    const struct trial_alarm *alarm = &run->seen.alarm[i];
    const int thruster = thruster_of(j->failures, alarm);
    if (is_contradictory(j->failures, alarm) && !out.contradicts)
      out.contradicts = alarm;
    if (alarm->time_s < begin_s || alarm->time_s >= end_s)
      continue;
    if (thruster >= 0 && out.thruster[0] < 0)
      out.thruster[0] = thruster;
    else if (thruster >= 0 &&
             j->failures->thruster[thruster].bus != j->failures->thruster[out.thruster[0]].bus)
      out.thruster[1] = thruster;
    if (names_failure(j->failures, run->failure, alarm)) {
      if (isnan(out.detected_s))
        out.detected_s = alarm->time_s - begin_s;
      if (alarm->to_s > end_s + p->return_s)
        out.stays = alarm;
    } else {
      hear_other(j, run, alarm, &out);
    }
  }
  if (!isnan(out.detected_s))
    out.silent_s = silence(j, run, begin_s + out.detected_s, end_s);
  return out;
}

double judgement_detected_s(const struct judgement *j, const struct judged_run *run) {
  return judge_listen(j, run).detected_s;
}

// Whether the controller uses any of what has failed. What is no instrument it uses.
static int is_used(const struct judgement *j, const struct failure *f) {
  const struct trial_plan *p = j->plan;
  int is_used = p->uses_count == 0;
  for (int i = 0; i < f->name_count && !is_used; i++) {
    const int piece = piece_of(j->failures, f->names[i]);
    is_used = piece < 0 || !j->failures->piece[piece].is_instrument;
    for (int k = 0; k < p->uses_count && !is_used; k++)
      is_used = failure_matches(f->names[i], p->uses[k].id);
  }
  return is_used;
}

// Feedback that is nearly right shows nobody that it is wrong, such as that of two thrusters that run alike.
static const double FEEDBACK_SEEN = 0.05;

void judge_detection(const struct judging *x) {
  const struct judgement *j = x->j;
  struct judged_run *run = x->run;
  const struct failure *f = run->failure;
  const double limit_s = f->alarm_s * j->plan->alarm_scale;
  const int moved = run->seen.offset_m - x->without->offset_m > 0.5;
  if (!(f->alarm_s > 0))
    criterion_skip(run, CRITERION_DETECTION, "no alarm is expected: %s", f->quiet);
  else if (isnan(run->detected_s) && !is_used(j, f))
    criterion_skip(run, CRITERION_DETECTION, "no alarm is expected: the controller does not use it");
  else if (isnan(run->detected_s) && run->seen.feedback_error < FEEDBACK_SEEN)
    criterion_skip(
        run, CRITERION_DETECTION,
        "no alarm is expected: the feedback is only %.3f of the full range off on average, less than "
        "%.2f",
        run->seen.feedback_error, FEEDBACK_SEEN);
  else if (isnan(run->detected_s))
    criterion_decide(run, CRITERION_DETECTION, 0, f->hides || moved ? 'B' : 'C',
                     "no alarm names it; expected within %.3g s", limit_s);
  else
    criterion_decide(run, CRITERION_DETECTION, run->detected_s <= limit_s, 'C',
                     "alarm after %.1f s; expected within %.3g s", run->detected_s, limit_s);
}

// The alarm goes and comes, or ends, though whoever sees the failure sees it until its end.
static const double SILENCE_S = 5;
void judge_stay(const struct judging *x) {
  const struct said *said = x->said;
  struct judged_run *run = x->run;
  if (isnan(said->detected_s) || !run->failure->lasts)
    criterion_skip(run, CRITERION_STAYS, "%s",
                   isnan(said->detected_s) ? "no alarm names it" : "the failure may not show all the time");
  else if (x->plan->alarms_from != ALARMS_OF_COMMAND)
    criterion_skip(run, CRITERION_STAYS, "a line of output has no end");
  else
    criterion_decide(run, CRITERION_STAYS, said->silent_s <= SILENCE_S, 'B',
                     "for %.1f s of the failure no alarm names it any more, at most %.3g s", said->silent_s,
                     SILENCE_S);
}

void judge_text(const struct judging *x) {
  const struct said *said = x->said;
  struct judged_run *run = x->run;
  if (said->contradicts)
    criterion_decide(run, CRITERION_TEXT, 0, 'B', "the source is %s, the text names another: %.120s",
                     said->contradicts->source, said->contradicts->text);
  else
    criterion_decide(run, CRITERION_TEXT, 1, 0, "no text names another piece of equipment than its source");
}

// Equipment that has not failed: an alarm about it is false, and the right one does not excuse it.
enum { A_STORM = 3 };
static void judge_sound(const struct judgement *j, const struct said *said, struct judged_run *run) {
  const int is_spare = said->sound_is_out && j->failures->piece[is_about(j->failures, said->sound)].has_spare;
  const int is_many = count_pieces(said->pieces) >= A_STORM,
            is_quiet = run->failure->group == FAILURE_OPERATION; // nothing has failed
  criterion_decide(run, CRITERION_ATTRIBUTION, 0, is_spare || is_many || is_quiet ? 'B' : 'C',
                   "%d alarm%s sound equipment%s, the first after %.1f s: %.110s", said->sounds,
                   said->sounds > 1 ? "s name" : " names",
                   said->sound_is_out ? " and take it out of use" : "",
                   said->sound->time_s - j->plan->settle_s, said->sound->text);
}

void judge_attribution(const struct judging *x) {
  const struct judgement *j = x->j;
  const struct said *said = x->said;
  struct judged_run *run = x->run;
  if (said->sounds)
    judge_sound(j, said, run);
  else if (said->others &&
           run->failure->group != FAILURE_OPERATION) // an order may ask for more than there is
    criterion_decide(run, CRITERION_ATTRIBUTION, !isnan(run->detected_s), 'C',
                     "%d alarm%s other equipment, the first after %.1f s: %.120s", said->others,
                     said->others > 1 ? "s name" : " names", said->other->time_s - j->plan->settle_s,
                     said->other->text);
  else
    criterion_decide(run, CRITERION_ATTRIBUTION, 1, 0, "no alarm names other equipment");
}

void judge_group(const struct judging *x) {
  const struct failed_thruster *thruster = x->j->failures->thruster;
  const struct said *said = x->said;
  struct judged_run *run = x->run;
  if (run->failure->group != FAILURE_SINGLE || said->thruster[0] < 0)
    criterion_skip(run, CRITERION_GROUP, "%s",
                   said->thruster[0] < 0 ? "no alarm names a thruster" : "not a single failure");
  else if (said->thruster[1] >= 0)
    criterion_decide(run, CRITERION_GROUP, 0, 'B', "alarms name %s and %s, which have different buses",
                     thruster[said->thruster[0]].name, thruster[said->thruster[1]].name);
  else
    criterion_decide(run, CRITERION_GROUP, 1, 0, "the thrusters that alarms name have one bus");
}

void judge_over(const struct judging *x) {
  const struct trial_plan *p = x->plan;
  const struct said *said = x->said;
  struct judged_run *run = x->run;
  if (p->alarms_from != ALARMS_OF_COMMAND || isnan(run->detected_s))
    criterion_skip(run, CRITERION_OVER, "%s",
                   isnan(run->detected_s) ? "no alarm names it" : "a line of output has no end");
  else if (run->stop_point)
    criterion_skip(run, CRITERION_OVER, "the operator has stopped it");
  else if (said->stays)
    criterion_decide(run, CRITERION_OVER, 0, 'C',
                     "%.3g s after the end of the failure there is still: %.120s", p->return_s,
                     said->stays->text);
  else
    criterion_decide(run, CRITERION_OVER, 1, 0, "alarms about it end within %.3g s after the failure",
                     p->return_s);
}
