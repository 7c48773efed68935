// Whether each thruster does what it is told, and whether its feedback is true.
//
// The response of a drive to its set-points lies between that of a perfect one and that of the slowest one
// that the DP file allows (response_s, stroke_s). Both bounds run along with the set-points that act at the
// vessel: an interval observer (Gouze, Rapaport and Hadj-Sadok 2000, Ecological Modelling 133). The feedback
// y shows the response r with a constant error b and with noise n,
//
//   y = r + b + n ,  low <= r <= high ,  |b| <= d ,  |n| <= d / 5 ,  d = deviation_share ,
//
// so that each sample bounds b; the bounds of all samples must have a b in common (bounded-error estimation,
// Milanese and Vicino 1991, Automatica 27). As long as they do there is no deviation, whatever link and drive
// do within their limits: a run without a failure gives no alarm. The distance v between the bounds of a
// sample and those so far, in units of the noise, adds up (a cumulative sum, Page 1954, Biometrika 41):
//
//   g' = min(5 v / d, 11) - 1 ,  0 <= g ,   a thruster deviates if g reaches deviation_s.
//
// A large deviation takes a tenth of deviation_s, one of twice the noise all of it, one within the noise
// never.
//
// What deviates is judged by a second witness: the power that the feedback shows. If it agrees with the
// set-point and not with the revolutions, the thruster obeys and its feedback is wrong. A feedback that
// repeats that of another thruster to the last digit, while their set-points differ, is that of the other
// one.
#pragma once

#include "sagbend/dp/actuator.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/signals/readings.h"

enum thruster_verdict {
  THRUSTER_FOLLOWS,
  THRUSTER_DEVIATES,   // its feedback shows that it does not follow
  THRUSTER_MISREPORTS, // it follows by its power; its feedback is wrong
  THRUSTER_COPIES,     // its feedback is that of another thruster
  THRUSTER_VERDICTS
};

struct thruster_watch_def {
  double deviation_share; // accuracy of the feedback, as a share of full stroke, or of half a turn
  double deviation_s;     // g at which a thruster deviates; 0: nothing is watched
};

enum { WATCH_SLOTS = 32, WATCH_SIGNALS = 2 }; // signals: stroke (-1 to 1), azimuth without jumps (rad)

// Extent of the set-points of a tenth of a second.
struct watch_slot {
  uint64_t first_step, last_step; // of the Sensors that these commands answer
  double begin_s;
  double low[MAX_THRUSTERS][WATCH_SIGNALS], high[MAX_THRUSTERS][WATCH_SIGNALS];
};

struct thruster_watch {
  uint64_t slot_count; // ever used; the ring holds the latest
  struct watch_slot slot[WATCH_SLOTS];
  uint64_t acting_step;          // answered by the command that acts at the vessel
  double acting_s;               // time since which it is the same
  double now_s;                  // of the latest sample
  double set_rad[MAX_THRUSTERS]; // latest azimuth set-point without jumps

  double low[MAX_THRUSTERS][WATCH_SIGNALS], high[MAX_THRUSTERS][WATCH_SIGNALS]; // of the response
  double bias[MAX_THRUSTERS][WATCH_SIGNALS][2]; // least and largest error b that fits
  double off_s[MAX_THRUSTERS];                  // g
  double quiet_s[MAX_THRUSTERS];                // time since the latest deviation
  double turned_s[MAX_THRUSTERS];               // time since the latest deviation of the azimuth
  double same_s[MAX_THRUSTERS];                 // for how long its feedback has been that of another one
  double nearer[MAX_THRUSTERS];                 // by how much the response of that one is nearer, summed, s
  double since_s[MAX_THRUSTERS];                // time of the verdict
  int32_t started[MAX_THRUSTERS], verdict[MAX_THRUSTERS]; // enum thruster_verdict
};

// Returns 1 if a state read from a file is a possible one. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int thruster_watch_is_valid(const struct thruster_watch *watch, struct reason *why);

// Forgets all.
void thruster_watch_start(struct thruster_watch *watch, double time_s) NONBLOCKING;

// Notes the set-points of a command that answers the Sensors of a step. stroke, azimuth_rad: of each
// actuator.
void thruster_watch_sent(struct thruster_watch *watch, int count, uint64_t step, double time_s,
                         const double *stroke, const double *azimuth_rad) NONBLOCKING;

// Judges a sample. feedback: of each actuator, NULL if it is not there. acting_step: 0 if it is not known;
// then any command of the latest second may act. is_short: 1 where the vessel may give a thruster less power
// than its set-point needs.
void thruster_watch_sample(struct thruster_watch *watch, const struct thruster_watch_def *def,
                           const struct actuator_def *actuator, int count,
                           struct thruster_feedback *const *feedback, const int *is_short,
                           uint64_t acting_step, double time_s) NONBLOCKING;

// Replaces a feedback that is wrong by the middle of the response's bounds.
void thruster_watch_believe(const struct thruster_watch *watch, const struct actuator_def *actuator, int i,
                            struct thruster_feedback *feedback) NONBLOCKING;

// What the set-point of a thruster that deviates has in addition, as a share of its thrust: it changes, so
// that the thruster can show that it follows again.
double thruster_watch_test_share(const struct thruster_watch *watch, int i, double time_s) NONBLOCKING;

// Whether the azimuth of a thruster follows.
int thruster_watch_turns(const struct thruster_watch *watch, int i) NONBLOCKING;

// How far the azimuth of a feedback lies beyond the response, rad.
double thruster_watch_turned_away(const struct thruster_watch *watch, const struct actuator_def *actuator,
                                  int i, const struct thruster_feedback *feedback) NONBLOCKING;

// How far the stroke of a feedback lies nearer to zero than the response allows; not positive: it does not.
double thruster_watch_lacks(const struct thruster_watch *watch, const struct actuator_def *actuator, int i,
                            const struct thruster_feedback *feedback) NONBLOCKING;

// Largest power of a thruster within the bounds of its response, W.
double thruster_watch_power_w(const struct thruster_watch *watch, const struct actuator_def *actuator,
                              int i) NONBLOCKING;
