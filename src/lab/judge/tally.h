// What a campaign shows as a whole: counts, what is missing, and the sentences that follow (statements.inc).
#pragma once

#include "lab/judge/judge.h"

struct tally {
  int runs, state[RUN_STATE_COUNT];
  int judged;                // passed or failed
  int single, judged_single; // runs with a single failure; of them, judged
  int passing;               // of these, with a finding A: beyond a limit, or without a controller
  int beyond;                // or beyond the declared failures and the watch circle
  int compared, larger; // judged single failures beside the declared ones, where all of these were judged;
                        // larger ones than these by spread_m
  int others, judged_others; // common causes, hidden failures, operations
  int urgent_others;         // of them with a finding A or B
  int declared, declared_runs, judged_declared;
  int listed, tried;                // failures that the vessel can have; those of the plan
  int conditions, whole_conditions; // all of whose runs were judged
  int unsettled;                    // conditions: see tally_is_unsettled
  int unexercised;                  // idle or calm
  int open, accepted;               // runs with a finding A or B
  int has_alarms;                   // they are judged
  int strangers;                    // the folder has what is not of these trials
};
struct tally tally_of(const struct judgement *j);

// Whether a single failure goes beyond a limit, or beyond circle and declared failures.
int tally_is_beyond(const struct judged_run *run);
// Whether a judged single failure has a larger effect than the declared ones in its condition, by spread_m or
// more.
int tally_is_larger(const struct judgement *j, const struct judged_run *run);
int tally_is_judged(const struct judged_run *run);
// Whether the run without a failure still drifts or decays when the failures begin; whether the declared
// failures add less to it than spread_m.
int tally_is_unsettled(const struct judgement *j, int condition);
int tally_is_idle(const struct judgement *j, int condition);
// Whether its mean weather takes less than half of what the vessel holds after each declared failure; whether
// that share is not known.
int tally_is_calm(const struct judgement *j, int condition);
int tally_is_unknown(const struct judgement *j, int condition);
double
tally_settled_m(const struct trial_plan *p); // the largest drift and decay of a vessel that has settled

// Texts of the sentences, valid until the next call.
const char *tally_first(const struct judgement *j,
                        enum run_state state);         // why the first run in a state is in it
const char *tally_left_out(const struct judgement *j); // by equipment
const char *tally_advice(const struct judgement *j, int condition);

enum statement_kind { STATEMENT_HEADLINE, STATEMENT_SHOWN, STATEMENT_MISSING };
struct statement {
  enum statement_kind kind;
  const char *id;
  char text[640];
};
enum { MOST_STATEMENTS = 32 + 4 * TRIAL_CONDITIONS };
struct statements {
  struct statement item[MOST_STATEMENTS]; // the headline first
  int count;
  int grade; // of the headline: 0: bad; 1: good, all was shown and holds; 2: what was shown holds
};
void statements_make(const struct judgement *j, struct statements *out);
