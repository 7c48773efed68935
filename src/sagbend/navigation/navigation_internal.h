// Inside of the navigation, for its files.
#pragma once

#include "sagbend/navigation/navigation.h"

#include <math.h>

// One sample in progress.
struct navigation_sampling {
  struct navigation_state *state;
  const struct navigation_def *def;
  const struct observer_def *observer;
  const struct reading *reading[MAX_INSTRUMENTS]; // NULL: the vessel has no instrument of that name and kind
  double time_s, dt_s;                            // dt_s: since the last sample
};

// ---- Instruments (instrument_watch.c) ----

// Finds the reading of each instrument and sets its use and fresh.
void instruments_check(struct navigation_sampling *nav, const struct readings *readings) NONBLOCKING;

// Marks an instrument as rejected in this sample.
void instrument_reject(struct navigation_sampling *nav, int instrument) NONBLOCKING;

// Notes a doubt, unless there is a graver one.
void instrument_suspect(struct navigation_sampling *nav, int i, enum instrument_doubt doubt) NONBLOCKING;

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

// ---- Voting among instruments of one kind (instrument_vote.c) ----

enum { VOTE_MOST = 32 };

// Median of the used values; 0 if none is used.
double vote_median(const double *value, const int *used, int count) NONBLOCKING;

// Excludes outliers: sets used[i] = 0 where a used value differs by more than limit from the median of all
// used values. Needs three used values; otherwise, and with limit 0, excludes none. Returns the number of
// values excluded.
int vote_exclude(const double *value, int *used, int count, double limit) NONBLOCKING;

// ---- Quantities other than position and heading (navigation.c) ----

// ---- Positions (position_fix.c) ----

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

// ---- References against targets (reference_fix.c), votes of principles (position_fix.c) ----

int reference_is_calibrating(const struct navigation_sampling *nav, int i) NONBLOCKING;

// The fix of a reference other than a receiver. 0: there is none.
int reference_fix(struct navigation_sampling *nav, int i, struct fixes *fixes) NONBLOCKING;

// Notes residual and weight of each reference before it corrects the estimate (reference_fix.c).
void references_note(struct navigation_sampling *nav, const struct fixes *fixes) NONBLOCKING;

// ---- Prediction (observer.c) ----

// Predicted heading with the wave-frequency motion, rad.
double heading_now(const struct navigation_sampling *nav) NONBLOCKING;

// Predicted position and heading with the wave-frequency motion at a time: north, east m, heading rad.
void predicted_at(const struct navigation_sampling *nav, double time_s, double y[3]) NONBLOCKING;

// 1 if no position has been used for reaccept_s: the references replace the prediction.
int prediction_is_overdue(const struct navigation_sampling *nav) NONBLOCKING;

// started: 1 if it has begun. Returns 1 if a state read from a file is possible. Otherwise returns 0 and
// fills why.
int observer_state_is_valid(const struct observer_state *observer, int started, struct reason *why);
