// Thrusters as the DP controller knows them: what they can give, what it asks of them, whether they follow,
// and what a failure would leave. Bits as in sagbend/math/math.h.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/reach/reach.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

// ------------------------------------------------------------
// Convex sets of the horizontal force of one thruster, b, N: a segment, a disc, a sector of a disc. The
// allocation needs only the point of a set that is nearest to a given point.

enum force_shape { FORCE_SEGMENT, FORCE_DISC, FORCE_SECTOR };

struct force_set {
  enum force_shape shape;
  double axis[2];       // unit vector: along the segment, or the middle of the sector
  double edge[2];       // sector: cosine and sine of half its width
  double low_n, high_n; // segment: from low to high along axis; otherwise high is the radius
};

// Finds the point of the set nearest to p, and its derivative with respect to p (symmetric; at a kink one of
// the possible ones).
void force_nearest(const struct force_set *set, const double p[2], double nearest[2],
                   double derivative[2][2]) NONBLOCKING;

// ------------------------------------------------------------
// One thruster as the controller knows it: the forces that it can give, and the set-points for them. The DP
// file defines it. The plant has its own model (sagbend/vessel/vessel.h), with losses that the controller
// does not know. Body frame b: x forward, y starboard. Directions clockwise from the bow, rad.

enum { MAX_FORBIDDEN = 4, MAX_FORCE_PARTS = 2 * MAX_FORBIDDEN };

// A forbidden range of thrust directions, clockwise from one edge to the other. The edges are allowed.
struct forbidden_sector {
  double from_rad, to_rad;
  char
      against[SIGNAL_NAME]; // thruster that it protects, in force while that one runs; empty: always in force
};

struct actuator_def {
  char name[SIGNAL_NAME];
  enum thruster_kind kind;
  int controllable_pitch; // 1: controllable-pitch propeller; 0: fixed-pitch propeller
  double position_b_m[3];
  double thrust_max_n;
  double thrust_astern; // largest thrust astern as a share of thrust_max_n; not used for azimuth thrusters
  double revolutions_max_rpm; // controllable pitch: the constant revolutions
  double thrust_rate_nps;     // largest rate of the thrust set-point; 0: unlimited
  double azimuth_rate_radps;  // largest rate of the azimuth or rudder set-point; 0: unlimited
  double response_s;          // longest lag with which the drives follow, > 0
  double stroke_s;            // longest time in which revolutions or pitch go from zero to full, > 0
  double rudder_max_rad;      // main propeller; 0: no rudder
  double rudder_lift;         // N per N of thrust ahead, times the sine of the rudder angle
  double rudder_drag;         // N per N of thrust ahead, times the square of that sine
  int forbidden_count;        // azimuth thrusters
  struct forbidden_sector forbidden[MAX_FORBIDDEN];
  double price;       // cost of its force relative to the other thrusters; 1: equal
  double bias_n[2];   // force at zero demand, b: thrusters biased against each other
  double power_max_w; // at full thrust; 0: not counted
  char bus[SIGNAL_NAME];
};

// An allowed arc of azimuths; a full turn (half_rad pi) without forbidden zones.
struct allowed_arc {
  double middle_rad, half_rad;
};

// Fills the allowed arcs and returns their number; 0: all directions are forbidden. Sectors may overlap.
// Sectors whose bit is set in lifted are not in force.
int actuator_arcs(const struct actuator_def *def, unsigned lifted,
                  struct allowed_arc arcs[MAX_FORBIDDEN]) NONBLOCKING;

// Whether a sector in force lies between two allowed directions, on the shorter way from one to the other.
int actuator_sector_is_between(const struct actuator_def *def, unsigned lifted, double from_rad,
                               double to_rad) NONBLOCKING;

// A convex part of the forces that a thruster can give in steady state.
struct force_part {
  struct force_set set;
  int astern; // main propeller: 1 for thrust astern
};

// Fills the convex parts at this share of the largest thrust and returns their number. lifted: as for
// actuator_arcs.
int actuator_parts(const struct actuator_def *def, double share, unsigned lifted,
                   struct force_part parts[MAX_FORCE_PARTS]) NONBLOCKING;

// Thrust at these revolutions and this pitch, without the rudder, N, signed. It grows with the square of
// both.
double actuator_thrust(const struct actuator_def *def, double revolutions_rpm, double pitch) NONBLOCKING;

// The command that gives this thrust and azimuth (main propeller: rudder angle).
void actuator_setpoint(const struct actuator_def *def, double thrust_n, double azimuth_rad,
                       struct thruster_command *out) NONBLOCKING;

// Main propeller: direction of the force at a rudder angle, and its size per thrust ahead.
double actuator_rudder_direction(const struct actuator_def *def, double rudder_rad, double *size) NONBLOCKING;

// Main propeller: the rudder angle for a direction of the force, within the rudder's range.
double actuator_rudder_for(const struct actuator_def *def, double direction_rad) NONBLOCKING;

// Share of the largest power at a share of the largest thrust, |share|^(3/2), and the inverse.
double actuator_power_share(double thrust_share) NONBLOCKING;
double actuator_share_of_power(double power_share) NONBLOCKING;

// ------------------------------------------------------------
// The convex core of the thrust allocation: forces f_i, each in its convex set, that give a demanded wrench.
//
//   minimise  1/2 sum_i w_i |f_i - g_i|^2 + K/2 sum_k e_k^2 (d_k - (B f)_k)^2 ,   f_i in S_i ,
//
// where d is the demand (surge N, sway N, yaw N m), B the matrix of lever arms, w_i the price of a thruster's
// force, g_i its preferred force and e_k the weight of an error. K is so large that the first term only
// selects among the forces that come nearest to the demand.
//
// The sets are independent, so the dual problem has three unknowns for any number of thrusters: with the
// multiplier l of the wrench, f_i is the point of S_i nearest to g_i + B_i' l / w_i. The dual function is
// concave and piecewise smooth. Semismooth Newton (Qi and Sun 1993, Math. Programming 58) with a line search
// finds its maximum while K grows in stages. A packaged QP solver would need polygons instead of discs and
// memory during the step, and would not give the same bits on every machine.

struct allocation_problem {
  int count; // thrusters
  struct force_set set[MAX_THRUSTERS];
  double place_b_m[MAX_THRUSTERS][2];
  double price[MAX_THRUSTERS];          // w_i, 1/N^2, > 0
  double preferred_n[MAX_THRUSTERS][2]; // g_i, b
  double error_weight[3];               // e_k, 1/N, 1/N, 1/(N m), > 0
  double demand[3];                     // N, N, N m
};

struct allocation_solution {
  double force_n[MAX_THRUSTERS][2]; // b
  double wrench[3];                 // of these forces: N, N, N m
  double cost;                      // minimum, with the largest K
  int iterations;
};

// Cost of an error that is already multiplied by its weight, with the largest K.
double allocation_price_of_error(double weighted_error) NONBLOCKING;

// Finds the forces. Always gives forces within their sets, also after the last iteration.
void allocation_solve(const struct allocation_problem *problem, struct allocation_solution *out) NONBLOCKING;

// ------------------------------------------------------------
// How much power each bus has left. The vessel reports one sum for all buses. What that falls by is
// attributed to buses whose thrusters are no longer ready as far as they explain it. The rest is missing on a
// bus that had so much. If several had, their thrusters show which one it is as soon as it matters: they give
// less than their set-points, or those of another bus take more and more power, beyond what it would have
// left. A limited bus can only come down to that. Until then, while the thrusters take at most half of what
// these buses would have left together if the power were missing on each of them, each is kept below that,
// and a bus that takes more has to give up some: else the short bus limits its thrusters by so little that
// none of them shows it. Once that is so it stays so up to six tenths. Beyond that none is limited, which
// would cost more thrust than any one failure: with the shipped vessel 3.7 of the 4.8 MW that are left. Where
// the vessel reports the power of each bus, as power management does, the buses with less than theirs are
// limited to that as soon as the sum falls.

struct power_watch {
  double most_w;                // largest sum that the vessel has reported; 0: none
  double gone_w;                // missing, beyond that of lost buses; 0: none
  double since_s;               // time since which so much is missing
  double least_w[MAX_BUSES];    // least power that the thrusters of each bus have taken since then
  double reported_w[MAX_BUSES]; // that each bus itself reports while power is missing; 0: it reports none
  int32_t is_short[MAX_BUSES];  // 1: the missing power may be of this bus
  int32_t is_known;             // 1: they are reported; one alone is kept below what it has
  int32_t is_light; // 1: so little is taken that each of them can be kept below what it would have left
};

// What is seen at a sample.
struct power_reported {
  double available_w;        // sum that the vessel reports
  int has_buses;             // 1: it reports the power of each bus, too
  double bus_w[MAX_BUSES];   // that
  double full_w[MAX_BUSES];  // power of each bus by the DP file
  int is_lost[MAX_BUSES];    // 1: no thruster of it is ready
  int lacks[MAX_BUSES];      // 1: one of its thrusters gives less than its set-point
  double takes_w[MAX_BUSES]; // power of its thrusters, by their feedback
};

int power_watch_is_valid(const struct power_watch *watch, struct reason *why);

void power_watch_sample(struct power_watch *watch, int bus_count, const struct power_reported *told,
                        double time_s) NONBLOCKING;

// Power that a bus has left as far as it is known on which bus the power is missing, W. While it may be
// missing on several, nothing is taken off any of them.
double power_watch_missing_left_w(const struct power_watch *watch, int bus, double full_w,
                                  double sum_w) NONBLOCKING;

// Power that a bus may use, W: at a light load every bus on which the power may be missing is limited, too.
double power_watch_limit_w(const struct power_watch *watch, int bus, double full_w, double sum_w) NONBLOCKING;

// ------------------------------------------------------------
// Whether each thruster follows its set-point, and whether its feedback is true.
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

enum thruster_verdict {
  THRUSTER_FOLLOWS,
  THRUSTER_DEVIATES,   // feedback shows that the thruster does not follow
  THRUSTER_MISREPORTS, // power shows that the thruster follows; the feedback is wrong
  THRUSTER_COPIES,     // feedback is that of another thruster
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

// ------------------------------------------------------------
// Thrust allocation: from a demanded surge, sway and yaw to set-points of tunnel thrusters, azimuth thrusters
// and main propellers with rudders. docs/controller.md. Two stages:
//   1. Directions: the attainable wrench nearest to the demand at the least cost, with free directions
//   outside the
//      forbidden zones (allocation_plan.c; sectors leave convex parts, which are enumerated). Azimuths turn
//      there at their rate, around the sectors. So no thruster stays stuck behind a rate limit.
//   2. Thrusts: the same problem along the directions in which the thrusters point now, by their feedback,
//   within
//      the rates of thrust (allocation_turn.c).
// A thruster that is not ready or not running is left out at once. One that does not follow its set-points
// (watch.c) counts with the force of its feedback, against which the others work; one that gives
// much more than its set-point is stopped. Where a bus has too little power, its thrusters are limited and
// the others take over.

struct allocation_bus {
  char name[SIGNAL_NAME];
  double power_w;
};

struct allocation_def {
  int actuator_count; // 0: no allocation; the command is a wrench
  struct actuator_def actuator[MAX_THRUSTERS];
  int bus_count;
  struct allocation_bus bus[MAX_BUSES];
  // Weights of the errors in surge, sway and yaw if the demand cannot be met; yaw as a force at the longest
  // lever arm.
  double error_weight[3];
  double change_weight; // cost of changing a force since the last sample, relative to the cost of the force
  double least_share;   // below this share of its thrust an azimuth thruster keeps its direction
  struct thruster_watch_def watch;
  double stop_share;  // thrust beyond the set-point, as a share of full thrust, at which one that deviates is
                      // stopped; 0: never
  double hand_over_s; // period in which the wrench in addition to the thrusters at take-over moves to them
};

// State of a thruster in the allocation.
enum actuator_state {
  ACTUATOR_IN_USE,
  ACTUATOR_ABSENT,   // the vessel has no thruster of that name
  ACTUATOR_OUT,      // not ready or not running
  ACTUATOR_DEVIATING // does not follow its set-point
};

struct allocation_state {
  double thrust_n[MAX_THRUSTERS];    // latest set-points
  double azimuth_rad[MAX_THRUSTERS]; // latest set-points; main propeller: rudder angle
  double force_n[MAX_THRUSTERS][2];  // latest result of stage 1, b
  int32_t state[MAX_THRUSTERS];      // enum actuator_state
  struct thruster_watch watch;
  struct power_watch power;

  // Of the latest sample.
  double demand[3], given[3];      // surge, sway N, yaw N m; given: by set-points and by deviating thrusters
  int32_t in_use, deviating;       // numbers of thrusters
  double ordered_n[MAX_THRUSTERS]; // largest set-point of the last minute
  double harm_s[MAX_THRUSTERS];    // time in which one that deviates has done harm
  double gave_n[MAX_THRUSTERS];    // thrust by the feedback of the latest sample
  int32_t off[MAX_THRUSTERS];      // 1: it is switched off, because its bus is short of power
  int32_t stops[MAX_THRUSTERS];    // 1: it is to be stopped
  double edge_s[MAX_THRUSTERS]; // for so long it has waited at the edge of a sector for its drive to come to
                                // rest
  int32_t restless[MAX_THRUSTERS]; // 1: the drive did not, and the thruster crossed; until it is seen at rest
  int32_t saturated;     // 1: the thrusters cannot give the demand in steady state, or wrench_limit cuts it
  int32_t power_limited; // 1: power limits the thrusters
};

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int allocation_state_is_valid(const struct allocation_def *def, const struct allocation_state *state,
                              struct reason *why);

// Wrench of the thrusters whose bits are set in which, by their feedback, without losses: surge, sway N, yaw
// N m.
enum { ALL_THRUSTERS = (1 << MAX_THRUSTERS) - 1 };
void allocation_feedback_wrench(const struct allocation_def *def, const struct readings *readings,
                                uint32_t which, double wrench[3]) NONBLOCKING;

// Starts with the set-points that the feedback shows.
void allocation_start(struct allocation_state *state, const struct allocation_def *def,
                      const struct readings *readings, double time_s) NONBLOCKING;

// Judges thrusters and power by the feedback, before allocation_sample, and replaces what is wrong in it by
// the set-points of the thrusters. acting_step: step of the Sensors that the command acting at the vessel
// answers; 0: unknown.
void allocation_watch(struct allocation_state *state, const struct allocation_def *def,
                      struct readings *readings, uint64_t acting_step, double time_s) NONBLOCKING;

// Computes the set-points for a demand (surge, sway N, yaw N m) and writes them to out->thrusters. dt_s: time
// since the last sample.
void allocation_sample(struct allocation_state *state, const struct allocation_def *def,
                       const struct readings *readings, const double demand[3], double time_s, double dt_s,
                       struct command *out) NONBLOCKING;

// Input of stage 1.
struct allocation_wish {
  double demand[3];                     // surge, sway N, yaw N m
  double share[MAX_THRUSTERS];          // share of each thruster's thrust that power allows
  int fixed[MAX_THRUSTERS];             // 1: the thruster gives force_n
  double force_n[MAX_THRUSTERS][2];     // b
  double preferred_n[MAX_THRUSTERS][2]; // forces from which a change costs, with change_weight
  unsigned lifted[MAX_THRUSTERS];       // bits of its forbidden zones that are not in force
  double azimuth_rad[MAX_THRUSTERS];    // direction of an azimuth thruster now
  double under_thrust[MAX_THRUSTERS]; // its present thrust as a share of its largest: crossing a sector costs
  int stays;                          // 1: no azimuth under thrust crosses a sector if there is another plan
};
struct allocation_plan {
  struct allocation_solution solution;
  struct force_part part[MAX_THRUSTERS];
};

// Stage 1 alone: the best forces in steady state.
void allocation_plan(const struct allocation_def *def, const struct allocation_wish *wish,
                     struct allocation_plan *out) NONBLOCKING;

// Sets prices, positions, error weights and demand of the problem that both stages share; sets and preferred
// forces remain zero.
void allocation_problem_of(const struct allocation_def *def, const double demand[3],
                           struct allocation_problem *out) NONBLOCKING;

// ------------------------------------------------------------
// What the thrusters that a failure leaves can give.

// Scratch, some 95 kB: of the controller, not of the stack.
struct thrust_left_work {
  struct reach set;
  struct reach_answer answer;
};

// Finds the largest k for which they can give fixed_b + k load_b (surge, sway N, yaw N m) in steady state,
// with the sectors and buses as after the failure; a thruster that does not follow gives what its feedback
// says. lost: bits of the thrusters that the failure stops. power_w: what each bus has left, NULL: as in def;
// less what the allocation knows to be missing on it already.
// 0: not even fixed_b; infinite: there is no load. is_closed: 0 if the search has ended with a gap; the
// margin is attained, a larger one is not ruled out. Fails if the search does not end: then there is no
// number.
enum status thrust_left_margin(const struct allocation_def *def, const struct allocation_state *state,
                               const struct readings *readings, uint32_t lost, const double *power_w,
                               const double fixed_b[3], const double load_b[3], struct thrust_left_work *work,
                               double *margin, int *is_closed) NONBLOCKING;

// ------------------------------------------------------------
// The consequence analysis: could the vessel still hold itself if one piece of its equipment failed now?
// IMO MSC.1/Circ.1580, 3.4.2.4, asks it of DP systems of class 2 and 3. docs/consequence.md.
//
// The load is what the thrusters give by their feedback: a first-order mean, and its standard deviation, of
// surge, sway and yaw. For each failure of the list the analysis takes the thrusters that would be left, with
// their sectors and buses, and asks by how much the load could grow before they cannot give it: the margin k,
// the largest for which
//   fixed + k (load - fixed)
// is within what they can give together. The fixed force holds the pull of the pipe, which is known and does
// not grow. One failure is examined in a sample, so that a sample takes no longer with many.

enum { MAX_CONSEQUENCE_FAILURES = MAX_THRUSTERS + MAX_BUSES + MAX_CONSEQUENCE_GROUPS };

enum consequence_choice {
  CONSEQUENCE_ALL,
  CONSEQUENCE_BUSES,
  CONSEQUENCE_THRUSTERS,
  CONSEQUENCE_GROUPS,
};

// A failure: the thrusters that stop, and with has_power what each bus has left for its thrusters, where sets
// or ties are lost. Named as the trials name its equipment.
struct consequence_failure {
  char name[CONSEQUENCE_NAME];
  uint32_t lost; // bits of thrusters
  int has_power; // otherwise each bus keeps the power of the allocation
  double power_w[MAX_BUSES];
};

struct consequence_def {
  int present;        // 0: no analysis
  double period_s;    // between the begins of two rounds over the list
  double mean_s;      // time constant of mean and standard deviation of the load
  double sigmas;      // standard deviations that the load is away from its mean, away from 0
  double margin;      // below it the alarm comes
  double on_s, off_s; // how long the margin is below it before the alarm; above 1.1 times it before its end
  int list;           // enum consequence_choice
  int group_count;    // declared failures, beside those of the list
  struct consequence_failure group[MAX_CONSEQUENCE_GROUPS];
  int failure_count;
  struct consequence_failure failure[MAX_CONSEQUENCE_FAILURES];
};

// One sample's input. b, N, N, N m.
struct consequence_sample {
  const struct allocation_def *allocation;
  const struct allocation_state *state; // after this sample's allocation
  const struct readings *readings;
  double fixed_b[3]; // share of the thrusters against forces that are known and do not grow
  double time_s;
  struct thrust_left_work *work;
};

struct consequence_state {
  double since_s; // of take-over or of the newest change of the set-point; the analysis waits from there
  double last_s;  // of the latest sample
  double mean[3], variance[3], fixed[3]; // of the load; first-order means. b, N, N, N m and their squares
  double round_s;                        // begin of the round in progress
  double load[3], round_fixed[3];        // of that round
  int32_t next;                          // failure that comes next in it; failure_count: it is done
  int32_t known;                         // 1: a round has ended since since_s + 2 mean_s
  int32_t alarm;                         // 1: that of a failure is on
  int32_t worst;                         // failure with the least margin of the last round; -1: none counts
  int32_t failure_alarm[MAX_CONSEQUENCE_FAILURES];
  double turned_s[MAX_CONSEQUENCE_FAILURES]; // since when the margin asks for the other state of its alarm
  double round_margin[MAX_CONSEQUENCE_FAILURES]; // of the round in progress
  double margin[MAX_CONSEQUENCE_FAILURES]; // of the last round, or the last one found; -1: the failure takes
                                           // nothing away
  uint64_t alarms;                         // times that the alarm has come
  uint64_t unsolved;                       // times that the search found no margin, or only one within a gap
};

// Bits of the thrusters on a bus of the allocation.
uint32_t consequence_thrusters_on(const struct allocation_def *allocation, int bus);

// Fills the list of failures from the thrusters and buses, and adds the groups.
void consequence_fill_list(struct consequence_def *def, const struct allocation_def *allocation);

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int consequence_state_is_valid(const struct consequence_def *def, const struct consequence_state *state,
                               struct reason *why);

// Begins at take-over, with the load that acts.
void consequence_start(struct consequence_state *state, const struct consequence_def *def,
                       const struct consequence_sample *sample) NONBLOCKING;

// The set-point has changed: what is known of the load is of another place.
void consequence_wait(struct consequence_state *state, const struct consequence_def *def,
                      double time_s) NONBLOCKING;

// One sample. After a tenth of mean_s without one it waits as at a new set-point.
void consequence_step(struct consequence_state *state, const struct consequence_def *def,
                      const struct consequence_sample *sample) NONBLOCKING;

// The result of the last round, for the command.
void consequence_report_of(const struct consequence_state *state, const struct consequence_def *def,
                           struct consequence_report *out) NONBLOCKING;
