// Inside of the navigation, for its files.
#pragma once

#include "sagbend/dp/navigation.h"
#include "sagbend/base/nonblocking.h"

// One sample in progress.
struct navigation_sampling {
  struct navigation_state *state;
  const struct navigation_def *def;
  const struct observer_def *observer;
  const struct reading *reading[MAX_INSTRUMENTS]; // NULL: the vessel has no instrument of that name and kind
  double time_s, dt_s;                            // dt_s: since the last sample
};

// ---- Instruments (instrument_check.c) ----

// Finds the reading of each instrument and sets its use and fresh.
void instruments_check(struct navigation_sampling *nav, const struct readings *readings) NONBLOCKING;

// Marks an instrument as rejected in this sample.
void instrument_reject(struct navigation_sampling *nav, int instrument) NONBLOCKING;

// Passes a new measurement through the tests of instrument_watch.h, before its values are stored. passed:
// measurements since the one before.
void instrument_watch(struct navigation_sampling *nav, int i, uint64_t passed) NONBLOCKING;

// Notes a doubt, unless there is a graver one.
void instrument_suspect(struct navigation_sampling *nav, int i, enum instrument_doubt doubt) NONBLOCKING;

// Ends a doubt that has not been confirmed for a while.
void instrument_forget_doubt(struct navigation_sampling *nav, int i) NONBLOCKING;

// 1 if an instrument in use must not be used for its doubt: a copy and a late one only where another of their
// kind is left.
int instrument_is_refused(const struct navigation_sampling *nav, int i) NONBLOCKING;

// 1 if its main value is the same for longer than limit_s, although it has changed from one measurement to
// the next before; one of the tensioner, if it did while the pipe was held.
int instrument_repeats(const struct navigation_sampling *nav, int i, double limit_s) NONBLOCKING;

// 1 if all its numbers are the same for longer than limit_s and in more measurements in a row than chance
// gives, although its main value changes from one measurement to the next as a rule.
int instrument_has_stopped(const struct navigation_sampling *nav, int i, double limit_s) NONBLOCKING;

// Quantities without a rate against their level (instrument_levels.c): load cells, angle of the pipe, log,
// touchdown.
void instruments_check_levels(struct navigation_sampling *nav) NONBLOCKING;

// Votes on one channel among the instruments of a kind that are in use. Sets used for those that remain,
// marks the others as rejected, and returns the number that remains. angle: 1 for angles, which wrap.
int instrument_vote(struct navigation_sampling *nav, enum instrument kind, int channel, double limit,
                    int angle, int used[]) NONBLOCKING;

// The same on these values, one for each instrument, of those that are used. Two that differ by more than the
// limit both remain, and are doubted.
int instrument_vote_on(struct navigation_sampling *nav, enum instrument kind, const double value[],
                       double limit, int used[]) NONBLOCKING;

// Mean of a channel over the used instruments; 0 if there is none. Load cells count with their share.
double instrument_mean(const struct navigation_sampling *nav, const int used[], int channel,
                       int angle) NONBLOCKING;

// ---- Voting among instruments of one kind (instrument_check.c) ----

enum { VOTE_MOST = 32 };

// Median of the used values; 0 if none is used.
double vote_median(const double *value, const int *used, int count) NONBLOCKING;

// Excludes outliers: sets used[i] = 0 where a used value differs by more than limit from the median of all
// used values. Needs three used values; otherwise, and with limit 0, excludes none. Returns the number of
// values excluded.
int vote_exclude(const double *value, int *used, int count, double limit) NONBLOCKING;

// ---- Quantities other than position and heading (measured_quantities.c) ----

void update_attitude(struct navigation_sampling *nav) NONBLOCKING; // roll and pitch, and their rates
void update_pull(struct navigation_sampling *nav) NONBLOCKING;     // tension and direction of the pipe
void update_payout(struct navigation_sampling *nav) NONBLOCKING;   // length paid out, brake of the tensioner
void update_wind(struct navigation_sampling *nav, double filter_s) NONBLOCKING; // filtered relative wind

// ---- Positions (navigation_position_fix.c) ----

// Positions of the reference point from each antenna in use.
struct fixes {
  int used[MAX_INSTRUMENTS];
  int found[MAX_INSTRUMENTS]; // 1: its position is set, whether it is used or not
  double position[MAX_INSTRUMENTS][3],
      velocity[MAX_INSTRUMENTS][2];      // at the time of measurement: n, m and m/s
  double sigma[MAX_INSTRUMENTS];         // accuracy, m
  double covariance[MAX_INSTRUMENTS][3]; // by principle: north-north, north-east, east-east, m2
  int count;                             // used ones
};

// Finds the fixes in use, after the test against the prediction and the vote. Marks the others as rejected.
void fixes_find(struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING;

// Mean of the fixes, brought to the present time and weighted by their accuracy.
void fixes_mean(const struct navigation_sampling *nav, const struct fixes *fixes, double position[3],
                double velocity[2]) NONBLOCKING;

// How far from a median a fix, or the voice of a principle, of this accuracy may be, m.
double fix_vote_limit(const struct navigation_sampling *nav, double sigma) NONBLOCKING;

// The fix of one instrument in use, with its accuracy. 0: there is none.
int fix_find(struct navigation_sampling *nav, int i, struct fixes *fixes) NONBLOCKING;

// ---- References against targets (reference_fix.c), votes of principles (position_fix.c) ----

int reference_is_calibrating(const struct navigation_sampling *nav, int i) NONBLOCKING;

// The fix of a reference other than a receiver. 0: there is none.
int reference_fix(struct navigation_sampling *nav, int i, struct fixes *fixes) NONBLOCKING;

// Enlarges the covariances of a principle that has more than weight_limit of the weight
// (principle_weights.c).
void principles_limit_weights(const struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING;

// As fixes_find, by principles.
void fixes_find_by_principle(struct navigation_sampling *nav, struct fixes *fixes) NONBLOCKING;

// Notes residual and weight of each reference before it corrects the estimate (reference_notes.c).
void references_note(struct navigation_sampling *nav, const struct fixes *fixes) NONBLOCKING;

// ---- Prediction (navigation_navigation.c) ----

// Predicted heading with the wave-frequency motion, rad.
double heading_now(const struct navigation_sampling *nav) NONBLOCKING;

// Predicted position and heading with the wave-frequency motion at a time: north, east m, heading rad.
void predicted_at(const struct navigation_sampling *nav, double time_s, double y[3]) NONBLOCKING;

// 1 if no position has been used for reaccept_s: the references replace the prediction.
int prediction_is_overdue(const struct navigation_sampling *nav) NONBLOCKING;
