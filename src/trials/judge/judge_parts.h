// Private to trials/judge: the criteria of one run, beside the run without a failure.
#pragma once

#include "trials/judge/judgement.h"

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void criterion_decide(struct judged_run *run, enum criterion c, int holds, char grade, const char *format,
                      ...);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void criterion_skip(struct judged_run *run, enum criterion c, const char *format, ...);

void judge_limits(const struct trial_plan *p, const struct observation *without, struct judged_run *run);
// The first limit or watch circle that a run passes, as text; 0: none.
int judge_first_limit(const struct trial_plan *p, const struct observation *seen, char *out, size_t size);
void judge_effect(const struct judgement *j, const struct observation *without, struct judged_run *run);
void judge_expected(const struct trial_plan *p, struct judged_run *run);
void judge_alarms(const struct judgement *j, const struct observation *without, struct judged_run *run);
