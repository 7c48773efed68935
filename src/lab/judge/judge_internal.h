// Private to lab/judge: the criteria of one run, beside the run without a failure.
#pragma once

#include "lab/judge/judge.h"

#include "lab/plan/plan.h"

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void criterion_decide(struct judged_run *run, enum criterion c, int holds, char grade, const char *format,
                      ...);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void criterion_skip(struct judged_run *run, enum criterion c, const char *format, ...);

// The first limit or watch circle that a run passes, as text; 0: none.
int judge_first_limit(const struct trial_plan *p, const struct observation *seen, char *out, size_t size);

// A run that is being judged, beside the run without a failure.
struct judging {
  const struct judgement *j;
  const struct trial_plan *plan;
  const struct observation *without;
  const char *outside;     // why its condition is outside the envelope; "": it is not
  const struct said *said; // by the alarms of its failure; NULL: it has none, or they are not judged
  struct judged_run *run;
};

// The alarms of a failure.
struct said {
  double detected_s; // from the failure to the first that names it; NaN: none
  double silent_s;   // after that, to the end of the failure, in which none names it
  // The first of another source; about sound equipment; whose text names another piece; that names the
  // failure and does not end. NULL: none.
  const struct trial_alarm *other, *sound, *contradicts, *stays;
  int others, sounds, sound_is_out; // how many; a sound piece is taken out of use
  unsigned long long pieces;        // sound ones that are named, one bit each
  int thruster[2];                  // the first that is named, and one of another group; -1: none
};
struct said judge_listen(const struct judgement *j, const struct judged_run *run);

// The functions of criteria.inc.
#define CRITERION(id, stage, judge, ...) void judge(const struct judging *x);
#include "lab/judge/criteria.inc"
#undef CRITERION

// ------------------------------------------------------------
// What a plan judges by the time series of a run: what it expects, and circles on a mean. Taken from its
// record.
