// Inside of the DP controller, for its files.
#pragma once

#include "sagbend/dp/dp.h"

#include "sagbend/base/base.h"

#include <math.h>

enum { YAW = 5 };

// Blend from 0 at u <= 0 to 1 at u >= 1, s(u) = 10 u^3 - 15 u^4 + 6 u^5, with zero first and second
// derivative at both ends.
double dp_blend(double u) NONBLOCKING;

// ---- Sensors (dp.c) ----

// Notes what a sample shows of the link, after dp_clock_follow.
void dp_link_follow(struct dp_link *link, const struct dp_sensors *sensors, int is_active) NONBLOCKING;

// Whether the vessel acts on no new command, although they go out.
int dp_link_is_unheard(const struct dp_link *link) NONBLOCKING;

// ---- The law (dp.c) ----

// Errors and feed-forward of one sample.
struct law_sample {
  double error[6], error_rate[6]; // pose minus reference, n; m, rad and their rates
  double feedforward_b[6];        // N, N m
};

// ------------------------------------------------------------
// Inside of the navigation, for its files.

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

// ---- Voting among instruments of one kind (instrument_watch.c) ----

enum { VOTE_MOST = 32 };

// Median of the used values; 0 if none is used.
double vote_median(const double *value, const int *used, int count) NONBLOCKING;

// Excludes outliers: sets used[i] = 0 where a used value differs by more than limit from the median of all
// used values. Needs three used values; otherwise, and with limit 0, excludes none. Returns the number of
// values excluded.
int vote_exclude(const double *value, int *used, int count, double limit) NONBLOCKING;

// ---- Quantities other than position and heading (instrument_levels.c) ----

void update_attitude(struct navigation_sampling *nav) NONBLOCKING; // roll and pitch, and their rates
void update_pull(struct navigation_sampling *nav) NONBLOCKING;     // tension and direction of the pipe
void update_payout(struct navigation_sampling *nav) NONBLOCKING;   // length paid out, brake of the tensioner
void update_wind(struct navigation_sampling *nav, double filter_s) NONBLOCKING; // filtered relative wind

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

// ---- Prediction (navigation.c) ----

// Predicted heading with the wave-frequency motion, rad.
double heading_now(const struct navigation_sampling *nav) NONBLOCKING;

// Predicted position and heading with the wave-frequency motion at a time: north, east m, heading rad.
void predicted_at(const struct navigation_sampling *nav, double time_s, double y[3]) NONBLOCKING;

// 1 if no position has been used for reaccept_s: the references replace the prediction.
int prediction_is_overdue(const struct navigation_sampling *nav) NONBLOCKING;

// ------------------------------------------------------------
// Inside of the thrust allocation, for the files of its stages.

// How often a stage is repeated with less thrust on buses without power.
enum { POWER_ROUNDS = 4 };

// Share of full thrust below which an azimuth thruster may cross a forbidden zone.
static const double NO_THRUST = 0.02;

// One sample in progress.
struct allocation_sampling {
  struct allocation_state *state;
  const struct allocation_def *def;
  const struct readings *readings;
  const double *demand;                                    // surge, sway N, yaw N m
  double time_s, dt_s;                                     // dt_s: since the last sample, >= 0
  const struct thruster_feedback *feedback[MAX_THRUSTERS]; // NULL: the vessel has no thruster of that name
  unsigned lifted[MAX_THRUSTERS]; // bits of the forbidden zones that are not in force
  struct allocated_arcs {
    struct allowed_arc arc[MAX_FORBIDDEN];
    int count;
  } arcs[MAX_THRUSTERS];            // azimuth thrusters
  double share[MAX_THRUSTERS];      // share of the largest thrust that power allows
  struct allocation_plan plan;      // result of stage 1
  struct allocation_plan healthy;   // plan as if the deviating thrusters followed
  double error;                     // by which plan misses the demand, weighted
  int is_useful[MAX_THRUSTERS];     // deviates, but its set-point may help: it is of healthy
  int crosses[MAX_THRUSTERS];       // 1: its direction in plan lies across a sector; it is to cross
  int is_crossed;                   // 1: any of them does
  struct allocation_plan meanwhile; // then: what the others do while those that cross give nothing
  int is_handing_over;              // 1: others still turn to where they make up for those that cross
  int crossing[MAX_THRUSTERS];      // 1: on the way to another arc, without thrust
};

// By how much a plan misses the demand, weighted.
double allocation_error_of(const struct allocation_sampling *run,
                           const struct allocation_plan *plan) NONBLOCKING;

// Stage 1 within the power of the buses. Returns 1 if that limits the plan.
int allocation_plan_in_power(struct allocation_sampling *run, struct allocation_wish *wish,
                             struct allocation_plan *plan) NONBLOCKING;

// Decides whether azimuths cross sectors for the sake of the plan, or whether it is replaced by one for which
// they stay (allocation_limits.c).
void allocation_weigh_crossing(struct allocation_sampling *run, struct allocation_wish *wish) NONBLOCKING;

// The plan that the thrusters work to in this sample.
static inline const struct allocation_plan *allocation_plan_now(const struct allocation_sampling *run) {
  return run->is_crossed ? &run->meanwhile : &run->plan;
}

// Whether an azimuth crosses a sector, without thrust, on its way to a direction.
int allocation_crosses(const struct allocation_sampling *run, int i, double wanted_rad) NONBLOCKING;

// Finds the set-points of those that deviate (allocation_limits.c): what would be useful if they followed,
// so that a slow one still helps; none for one that turns by itself. Decides which of them are to be stopped.
void allocation_use_deviating(struct allocation_sampling *run,
                              const struct allocation_wish *wish) NONBLOCKING;

int allocation_is_on_bus(const struct allocation_def *def, int actuator, int bus) NONBLOCKING;

// Power that the thrusters of a bus may use now, W.
double allocation_bus_power_w(const struct allocation_state *state, const struct allocation_def *def,
                              int bus) NONBLOCKING;

// Power that a bus has left as far as it is known where power is missing, W.
double allocation_bus_left_w(const struct allocation_state *state, const struct allocation_def *def,
                             int bus) NONBLOCKING;

// Turns azimuths and rudders towards the plan within their rates (actuator.c).
void allocation_turn(struct allocation_sampling *run) NONBLOCKING;

// Stage 2: sets the thrusts along the present directions (actuator.c).
void allocation_set_thrusts(struct allocation_sampling *run) NONBLOCKING;

// Reduces share where forces of these sizes exceed the power of a bus. Returns 1 if it did.
int allocation_power_is_limited(struct allocation_sampling *run, const double *size_n) NONBLOCKING;

static inline double bounded(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static inline double force_size(const double force[2]) {
  return sqrt(force[0] * force[0] + force[1] * force[1]);
}

// ------------------------------------------------------------
// What the files of this room share.

// Which pieces each unit may use: one bit for each.
struct reach_choice {
  unsigned pieces[REACH_UNITS];
};

// One linear programme: the hulls of the chosen pieces. The answer's bound is proven for these hulls;
// its forces may lie between pieces.
enum reach_end reach_relaxed(const struct reach *reach, const struct reach_choice *choice,
                             const double fixed[3], const double load[3], double tolerance,
                             struct reach_answer *answer) NONBLOCKING;

static inline double reach_cross(const double a[2], const double b[2]) {
  return a[0] * b[1] - a[1] * b[0];
}
