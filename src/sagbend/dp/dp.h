// A route in the horizontal plane: straight legs between waypoints, joined by arcs that touch both legs.
// Courses and headings in rad, clockwise from north. Bits as in sagbend/math/math.h.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

// A waypoint as the DP file gives it. The first and the last have no corner.
struct waypoint {
  double position_m[2]; // north, east
  double radius_m;      // of the arc that rounds the corner; 0: no corner
};

// A leg or an arc.
struct route_part {
  double begin_m, length_m; // way along the route to its begin; its own length
  double start_m[2];        // north, east of its begin
  double course_rad;        // at its begin
  double curvature_1pm;     // 0: leg; positive: it turns to starboard
};

enum { MAX_WAYPOINTS = 64, MAX_ROUTE_PARTS = 2 * MAX_WAYPOINTS };
struct route {
  int count; // parts; 0: no route
  struct route_part part[MAX_ROUTE_PARTS];
  double length_m;
  int waypoint_count; // from which it is built
  struct waypoint waypoint[MAX_WAYPOINTS];
};

// A point of a route.
struct route_point {
  double position_m[2]; // north, east
  double course_rad, curvature_1pm;
};

// Why waypoints do not make a route.
enum route_fault {
  ROUTE_GOOD,
  ROUTE_SAME_POSITION, // the waypoint lies at the one before
  ROUTE_SHARP_CORNER,  // the route turns at the waypoint, and it has no radius
  ROUTE_WIDE_CORNER    // the arc begins before its leg, or ends behind it
};

// Fills route from 2 to MAX_WAYPOINTS waypoints. On a fault *at is the index of the waypoint; for
// ROUTE_WIDE_CORNER *most_m is the largest radius that the legs leave to it.
enum route_fault route_build(const struct waypoint *waypoint, int count, struct route *route, int *at,
                             double *most_m);

// The point at a way along the route; before the begin and behind the end the legs go on.
struct route_point route_at(const struct route *route, double way_m) NONBLOCKING;

// Way along the route of the point of it that is nearest to a position, and the distance from it, positive to
// starboard. Before the begin and behind the end the legs go on. Of two points at equal distance the first.
void route_nearest(const struct route *route, const double position_m[2], double *way_m,
                   double *cross_m) NONBLOCKING;

// ------------------------------------------------------------
// Track mode of the DP controller: a point of the vessel, as a rule the hang-off, follows a route at a speed,
// in one go or joint by joint. The reference moves along the route by the clock; its speed changes smoothly.
// While pipe is laid its moves can wait for the tensioner: route.c.

// Moves that wait for the pay-out.
struct track_payout_def {
  int is_followed;
  double first_m;  // of a joint's pipe, paid out before its move begins; 0: the move begins at once
  double behind_m; // by which the pay-out may be short of the way; > 0
};

// Share of a joint that may be missing where the tensioner holds the pipe at its end.
#define TRACK_SHORT_SHARE 0.05

struct track_def {
  struct route route;  // route.count 0: no track mode
  double point_b_m[2]; // the point of the vessel on the route: forward, to starboard of the reference point
  double heading_offset_rad; // heading less the course of the route
  double start_s;            // earliest time of the first move
  double speed_mps, ramp_s;  // of a move, and the time in which it is reached or given up
  double stop_s;             // time in which a stop brings the reference to rest
  double joint_m, hold_s;    // moves of this length, and the time between two; joint_m 0: one move
  double away_m; // distance of the vessel's point from the reference at which the reference stops; 0: never
  double tension_n; // set-point that the controller orders at the tensioner; 0: it gives it no orders
  double tension_low_n, tension_high_n; // outside of them the reference stops; both 0: never
  struct track_payout_def payout;
};

// What the controller knows of the pipe at a sample.
struct track_pipe {
  int is_length_known; // an encoder is in use
  double paid_out_m;   // by it
  int is_braked;       // by the tensioner's own signals
  int is_tension_known;
  double tension_n;
};

enum track_phase {
  TRACK_NONE,    // no route, or not in control yet
  TRACK_WAITING, // at the begin, or at the point of the route nearest to the vessel
  TRACK_MOVING,
  TRACK_HOLDING, // between two joints
  TRACK_STOPPED, // in a move, for the reason in wait
  TRACK_ENDED,   // at the end of the route
  TRACK_LEFT,    // an operator's set-point has replaced the route
  TRACK_PHASE_COUNT
};

// Why the reference does not move on.
enum track_wait {
  TRACK_GOES,
  TRACK_WAITS_FOR_OPERATOR, // the operator has stopped the track
  TRACK_WAITS_FOR_VESSEL,   // too far from the reference
  TRACK_WAITS_FOR_TENSION,  // outside of its limits
  TRACK_WAITS_FOR_LENGTH,   // no encoder of the pay-out is in use
  TRACK_WAITS_FOR_BRAKE,    // the tensioner holds the pipe
  TRACK_WAITS_FOR_PAYOUT,   // the pipe is not paid out, or the encoder does not show it
  TRACK_WAIT_COUNT
};

struct track_state {
  int32_t phase;                    // enum track_phase
  int32_t joints;                   // completed
  double since_s;                   // begin of the phase
  double begin_s, from_m, from_mps; // of the newest move of the reference
  double speed_mps, to_m;           // the speed that it reaches, and where it ends
  double target_m;                  // end of the joint, or of the route
  double along_m, cross_m;          // of the vessel's point from the reference; ahead, to starboard
  double cross_most_m;              // largest magnitude since the first move
  int32_t wait;                     // enum track_wait
  int32_t is_paid_known;            // paid_from_m is
  double joint_from_m;              // where the joint begins
  double paid_from_m;               // pay-out from which that of the joint counts
  double tension_good_s;            // time since which the tension is within its limits
  struct track_orders orders;       // of operators
  double planned_mps;               // speed for which the present move is planned
};

// Returns 1 if a state from a file is possible. Otherwise returns 0 and fills why (sagbend/base/base.h).
int track_state_is_valid(const struct track_def *def, const struct track_state *s, struct reason *why);

// Position north, east of the vessel's point, from that of its reference point.
void track_point(const struct track_def *def, const double position_m[2], double heading_rad,
                 double point_m[2]) NONBLOCKING;

// Begins at the point of the route that is nearest to the vessel: a controller that starts again goes on from
// where the vessel is. position_m: north, east of the reference point.
void track_begin(struct track_state *s, const struct track_def *def, const double position_m[2],
                 double heading_rad, double time_s) NONBLOCKING;

// What happens at a sample: a move begins or ends. ready_s: when the vessel is at the begin.
void track_advance(struct track_state *s, const struct track_def *def, const double position_m[2],
                   double heading_rad, const struct track_pipe *pipe, double ready_s,
                   double time_s) NONBLOCKING;

// The order for the tensioner: from take-over on, the tension of the definition.
struct tensioner_setpoint track_tensioner(const struct track_state *s,
                                          const struct track_def *def) NONBLOCKING;

// Way of the reference along the route, and its speed.
double track_way(const struct track_state *s, const struct track_def *def, double time_s,
                 double *speed_mps) NONBLOCKING;

// Pose of the vessel's reference point with its point at a way along the route: north, east, heading.
void track_pose(const struct track_def *def, double way_m, double pose[3]) NONBLOCKING;

// Reference at a time: north, east, heading, and their rates.
void track_reference(const struct track_state *s, const struct track_def *def, double time_s, double pose[3],
                     double rate[3]) NONBLOCKING;

// ------------------------------------------------------------
// Supervision of single instruments by the DP controller: what a vote of three cannot see, because the
// instrument is the only one of its kind, or because two of them agree for the wrong reason. An instrument is
// judged by its own measurements only, so that a sound one never suffers from one that is wrong.
// docs/controller.md.
//
//   timing     the interval between two measurements and their age, against those of its first ones
//   rate       a value against the integral of its own rate: s' = -s / T + value' - rate
//   level      a value without a rate against its slow mean
//   copies     the same numbers as another one of its kind, or as that one's measurement before
//
// Limits are a number of standard deviations (navigation.sigma_limit) that the instrument shows in service.
// A variance follows squares that are cut off at three of them: a failure raises it only slowly.

// What is wrong with an instrument although it reports valid, new measurements; a later one hides those
// before.
#define INSTRUMENT_DOUBT_TABLE(X)                                                                            \
  X(DOUBT_NONE, "beyond doubt again")                                                                        \
  X(DOUBT_LATE, "late")                                                                                      \
  X(DOUBT_SPARSE, "short of measurements")                                                                   \
  X(DOUBT_DIFFERS, "different from the others")                                                              \
  X(DOUBT_COPY, "a copy")                                                                                    \
  X(DOUBT_RANGE, "out of its range")                                                                         \
  X(DOUBT_RATE, "not in agreement with its own rate")                                                        \
  X(DOUBT_LEVEL, "far from what it showed before")
enum instrument_doubt {
#define DOUBT(id, text) id,
  INSTRUMENT_DOUBT_TABLE(DOUBT)
#undef DOUBT
      DOUBT_COUNT
};
const char *instrument_doubt_name(enum instrument_doubt doubt) NONBLOCKING;

enum { WATCH_RATES = 2, WATCH_LEVELS = 2 };

// A quantity against its mean over minutes, as it comes and smoothed over ten seconds.
struct level {
  double seen_s; // for which it has been observed
  double mean, variance, smooth, smooth_variance;
};

struct instrument_watch {
  int32_t doubt;               // enum instrument_doubt
  int32_t copy_of;             // DOUBT_COPY: which one, an index
  int32_t count;               // measurements
  int32_t repeats;             // measurements in a row with the same main value
  int32_t changes[2], same[2]; // measurements with another main value and with the same, but for long
                               // repeats; while the tensioner holds the pipe [1] or not [0]
  int32_t twin_run;            // measurements in a row that were equal to those of the twin
  int32_t twin;
  uint32_t apart;                  // bits of the instruments from which this one has been seen to differ
  int32_t held, held_changes;      // measurements while the tensioner holds the pipe, and changes among them
  double main_changed_s;           // time of the last change of its main value
  double time_s;                   // of the newest measurement
  double before[READING_CHANNELS]; // values of the measurement before
  double period_s, age_s;          // of its first measurements
  double arrival_s;                // mean time between those of them that have arrived
  double missing;                  // measurements that are missing, less those that are allowed
  double doubt_s;                  // time when the doubt was last confirmed
  double rate_seen_s, rate_sum[WATCH_RATES], rate_variance[WATCH_RATES];
  struct level level[WATCH_LEVELS];
};

int instrument_watch_is_valid(const struct instrument_watch *watch, struct reason *why);

// How far a quantity is from its level.
struct level_departure {
  int jumps;  // the value itself is beyond the limit
  int shifts; // the smoothed one is
};

// ------------------------------------------------------------
// Observer and wave filter for surge, sway and yaw: the model of Fossen and Strand (1999), Automatica 35,
// with the gains of one Kalman filter for each axis of the vessel. docs/controller.md.
//
//   eta' = R(psi) nu,   M nu' = -D nu + R'(psi) b + tau,   b' = -b / T_b + noise,
//   xi1' = xi2,   xi2' = -w0^2 xi1 - 2 zeta w0 xi2 + noise,   measured: y = eta + xi2 + noise .
//
// The controller gets eta and nu; the wave-frequency motion xi2 is left out. The gains follow from the times
// and accuracies of the actual measurements, so any sample period and any rates are possible. Without
// measurements the observer continues with its model.

struct observer_def {
  int present;
  double mass[3][3], damping[3][3];           // M and D of surge, sway, yaw, SI
  double wave_frequency_radps, wave_damping;  // w0, zeta
  double wave_sigma[3];                       // standard deviation of the wave-frequency motion: m, m, rad
  double force_sigma[3];                      // white noise of unmodelled forces: N, N, N m per root of 1/s
  double bias_sigma[3];                       // growth of the bias: N, N, N m per root of a second
  double bias_time_s;                         // T_b; 0: the bias does not decay
  double position_sigma_m, heading_sigma_rad; // accuracy of references that do not report their own
};

enum { OBSERVER_STATES = 5, OBSERVER_HISTORY = 64 }; // per axis: position, velocity, b / m, xi1, xi2

// Gap over which the observer predicts; what acted in a longer one is not known.
#define OBSERVER_LONGEST_GAP_S 30.0

struct observer_state {
  double eta[3];                                          // north, east m, heading rad
  double nu[3];                                           // surge, sway m/s, yaw rad/s
  double bias[3];                                         // north, east N, yaw N m
  double xi1[3], xi2[3];                                  // north, east, yaw
  double covariance[3][OBSERVER_STATES][OBSERVER_STATES]; // of surge, sway, yaw separately
  double now_s;                                           // time of the prediction
  // Past values of y, a ring, for measurements that arrive late.
  uint64_t history_count; // values ever written
  double history_s[OBSERVER_HISTORY], history_y[OBSERVER_HISTORY][3];
};

// Starts at rest at eta (north, east m, heading rad).
void observer_start(struct observer_state *observer, const struct observer_def *def, const double eta[3],
                    double time_s) NONBLOCKING;

// Predicts to time_s under the wrench tau (surge, sway N, yaw N m). Does nothing if time_s is not later.
void observer_predict(struct observer_state *observer, const struct observer_def *def, const double tau[3],
                      double time_s) NONBLOCKING;

// Position and heading with the wave-frequency motion, y = eta + xi2, at a past or the present time.
void observer_measured_at(const struct observer_state *observer, double time_s, double y[3]) NONBLOCKING;

// Corrects the state with the difference of a measurement from observer_measured_at the time of measurement.
// sigma: standard deviation of the measurement.
void observer_correct_position(struct observer_state *observer, const struct observer_def *def,
                               const double off_n_m[2], double sigma_m) NONBLOCKING;
// The same for an error that is an ellipse: north-north, north-east, east-east, m2.
void observer_correct_fix(struct observer_state *observer, const struct observer_def *def,
                          const double off_n_m[2], const double covariance_m2[3]) NONBLOCKING;
void observer_correct_heading(struct observer_state *observer, const struct observer_def *def, double off_rad,
                              double sigma_rad) NONBLOCKING;

// Writes the present y to the history. Call after the corrections of a sample.
void observer_remember(struct observer_state *observer, double time_s) NONBLOCKING;

// ------------------------------------------------------------
// Wind feed-forward: the wrench of the wind from the measured relative wind, with the coefficients of the
// vessel's configuration by the direction of the relative wind: X = q A_F CX, Y = q A_L CY, N = q A_L L CN, q
// = rho V^2 / 2. Linear between rows.

enum { MAX_WIND_FORCE_ROWS = 73 };

struct wind_force_row {
  double angle_rad; // direction from which the wind comes, clockwise from the bow
  double c[3];      // CX, CY, CN
};

struct wind_force_def {
  double frontal_area_m2, lateral_area_m2, length_m, air_density_kgpm3;
  double speed_factor; // wind speed at the height of the coefficients over that at the sensors
  double filter_s;     // time constant of the low-pass filter
  int row_count; // increasing angles from 0 to pi (mirrored) or from 0 to below 2 pi; 0: no feed-forward
  struct wind_force_row row[MAX_WIND_FORCE_ROWS];
};

// Wrench of the wind, surge, sway N, yaw N m. along_mps, across_mps: velocity of the air relative to the
// vessel, forward and to starboard.
void wind_force(const struct wind_force_def *def, double along_mps, double across_mps,
                double wrench[3]) NONBLOCKING;

// ------------------------------------------------------------
// Navigation of the controller: which instruments it uses, and the vessel's position, motion, pipe pull and
// wind that follow from them. docs/controller.md.
//
// An instrument is not used while it reports invalid data (invalid), gives no new measurement (old), repeats
// the same numbers (frozen), or differs too much from the median of three or more of its kind or, for
// position and heading, from the prediction (rejected). Positions are weighted by the inverse square of their
// accuracy. Without any position the prediction continues alone (dead reckoning): by the observer's model,
// otherwise by a speed log, otherwise at rest.

// An instrument as the DP file describes it.
struct dp_instrument {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3];
  double sigma;     // of a position, or of a range, m; 0: its own estimate, otherwise the observer's
  double sigma_rad; // of a heading, a bearing or a wire's angle; 0: the observer's, otherwise the usual one
  char principle_name[SIGNAL_NAME];
  int principle; // number of its principle of measurement, from 0; of a position
  int has_target;
  double target_m[3]; // n, of the target that a reference measures against
  double calibrate_s; // without a known target: time in which the estimate finds it
  double share;       // share of the tension that a load cell measures
};

// Tension without a usable load cell: the last one, a fixed one, or zero.
enum tension_fallback { TENSION_LAST, TENSION_FIXED, TENSION_NONE };

struct navigation_def {
  int count;
  struct dp_instrument instrument[MAX_INSTRUMENTS];
  // Largest difference from the median of three or more instruments and, for position and heading, from the
  // prediction; 0: not checked.
  double position_limit_m, heading_limit_rad, angle_limit_rad, wind_limit_mps, tension_limit_n;
  double old_s;        // time without a new measurement after which an instrument is old
  double frozen_s;     // time with the same numbers, while others change, until it is frozen; 0: not checked
  double reaccept_s;   // after this time without a position the prediction yields to the references; 0: never
  int principle_count; // of those that give positions; 0: receivers only, which vote among each other
  double weight_limit; // share of the weight that a principle has at most
  double lost_s, proof_s; // a reference that was out for longer than lost_s counts after agreeing for proof_s
  double sigma_limit;     // standard deviations beyond which a single instrument is doubted; 0: no such test
  enum tension_fallback fallback;
  double fallback_n, fallback_inclination_rad, fallback_azimuth_rad; // azimuth clockwise from the bow
};

// Status of an instrument.
enum instrument_use { USE_IN_USE, USE_ABSENT, USE_INVALID, USE_OLD, USE_FROZEN, USE_REJECTED, USE_COUNT };
const char *instrument_use_name(enum instrument_use use);

// A reference with principles.
struct reference_use {
  double target_m[2], calibrated_s; // the target found so far, and for how long it has been looked for
  double counted_s, proof_from_s;   // time when it last counted; since when it agrees
  int64_t is_proving;
};
int reference_is_position(enum instrument kind) NONBLOCKING; // whether a kind gives a position
int reference_use_is_valid(const struct reference_use *state, struct reason *why);

// A position reference beside the estimate.
struct reference_note {
  double residual_b_m[2]; // of its newest fix from the prediction: forward, starboard
  double weight;          // its share of the weight of all fixes; 0: it is not in use
  int64_t known;          // 1: residual_b_m is that of a fix of what it measures now
};
int reference_note_is_valid(const struct reference_note *note, struct reason *why);

struct navigation_state {
  uint64_t ready; // 1: position and heading have been known
  double now_s;   // time of the latest sample
  // Without an observer: north, east m, heading rad; their rates.
  double eta[3], velocity_n[2], heading_rate;
  double attitude[2], attitude_rate[2]; // latest roll, pitch
  double down_m;                        // latest depth of the reference point
  double wind_b[2];                     // filtered velocity of the air relative to the vessel, b, m/s
  double tension_n, inclination_rad, azimuth_rad; // latest pull of the pipe; azimuth clockwise from the bow
  double position_s;                              // time when a position was last used
  double heading_s; // time when a gyro was last in use, or too far from the prediction
  int32_t wind_known, tension_known, angle_known; // 1: measured at least once
  int32_t dead_reckoning;                         // 1: no position in use
  int32_t tension_lost;                           // 1: no load cell in use
  int32_t payout_known, is_braked; // 1: an encoder is in use; the tensioner reports that it holds the pipe
  double paid_out_m;               // latest, by the encoders

  int32_t is_blind; // 1: no fix since a gap of the samples over which nothing can be predicted

  // Per instrument.
  int32_t use[MAX_INSTRUMENTS];   // enum instrument_use
  int32_t fresh[MAX_INSTRUMENTS]; // 1: a measurement that has not been used before
  uint64_t sequence[MAX_INSTRUMENTS];
  double new_s[MAX_INSTRUMENTS],
      changed_s[MAX_INSTRUMENTS]; // time of the last measurement, of the last change
  double value[MAX_INSTRUMENTS][READING_CHANNELS];
  struct instrument_watch watch[MAX_INSTRUMENTS];
  struct reference_use reference[MAX_INSTRUMENTS];
  struct reference_note note[MAX_INSTRUMENTS];
  double differ_s;   // last time when two principles did not differ
  uint64_t rejected; // number of measurements rejected
  struct observer_state observer;
};

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int navigation_state_is_valid(const struct observer_def *observer, const struct navigation_state *state,
                              struct reason *why);

// The vessel as the controller sees it.
struct navigation {
  double position_n_m[3], euler_rad[3], velocity_n_mps[3], euler_rate_radps[3];
  double tension_n, inclination_rad,
      azimuth_n_rad; // pull of the pipe, azimuth clockwise from north; 0 without
  double wind[3];    // wrench of the wind: surge, sway N, yaw N m
};

// Computes the navigation for a sample. tau: wrench of the thrusters and of what acts beside them, surge,
// sway N, yaw N m. A time that is not later than the last one gives the last result. Returns STATUS_OK, or
// STATUS_BAD_INPUT while position and heading are not known yet; then out is not set.
enum status navigation_sample(struct navigation_state *state, const struct navigation_def *def,
                              const struct observer_def *observer, const struct wind_force_def *wind,
                              const struct readings *readings, const double tau[3], double time_s,
                              struct navigation *out) NONBLOCKING;

// Number of instruments of a kind with this status.
int navigation_instrument_count(const struct navigation_state *state, const struct navigation_def *def,
                                enum instrument kind, enum instrument_use use) NONBLOCKING;

// Present estimate of north and east, m.
void navigation_position(const struct navigation_state *state, const struct observer_def *observer,
                         double position_n_m[2]) NONBLOCKING;

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

// The segment from low_n to high_n along a direction, rad clockwise from the bow. low_n may be negative.
struct force_set force_segment(double direction_rad, double low_n, double high_n) NONBLOCKING;

// The disc about zero.
struct force_set force_disc(double radius_n) NONBLOCKING;

// The sector about a direction. half_width_rad is at most pi/2, because a wider sector is not convex.
struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n) NONBLOCKING;

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
//      forbidden zones (allocation.c; sectors leave convex parts, which are enumerated). Azimuths turn
//      there at their rate, around the sectors. So no thruster stays stuck behind a rate limit.
//   2. Thrusts: the same problem along the directions in which the thrusters point now, by their feedback,
//   within
//      the rates of thrust (actuator.c).
// A thruster that is not ready or not running is left out at once. One that does not follow its set-points
// (dp.h) counts with the force of its feedback, against which the others work; one that gives
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
// How far the thrusters reach: the largest multiple of a load that they can hold together (the margin), by a
// ray cast. Horizontal forces and the moment about the vertical. The axes may be forward, starboard and
// clockwise, or forward, port and counter-clockwise: y and angles are positive to the same side, the moment
// is x Y - y X. N, m, W; angles in rad from forward towards y. Only add, multiply, divide and square root:
// equal bits on every processor. Nothing allocates.
//
// The wrenches of all thrusters form a set W. Wanted is the largest k with fixed + k load in W. Each thruster
// has convex pieces (a disc without its forbidden zones has several); of each the point that is farthest in
// a given direction is known in closed form. reach.c derives the method.

enum { REACH_UNITS = 12, REACH_PIECES = 32, REACH_POINTS = 800, REACH_BUSES = 8 };
enum { REACH_PIVOTS = 400 }; // of one linear programme: more are an error
enum { REACH_NODES = 4000 }; // of the branch and bound: beyond them the answer is a bracket

// Points of the boundary around zero, by increasing angle. Zero belongs to the piece.
struct reach_piece {
  int first, count;
};

// One thruster, or several that act as one.
struct reach_unit {
  double place_m[2]; // x, y
  double power_w;    // at full thrust; grows with the thrust to 3/2
  int bus;           // -1: no limit
  int piece_count, point_count;
  struct reach_piece piece[REACH_PIECES];
  double point_n[REACH_POINTS][2];
  unsigned char arc[REACH_POINTS]; // 1: an arc about zero leads to the next point, at most half a turn
};

struct reach {
  int unit_count, bus_count;
  struct reach_unit unit[REACH_UNITS];
  double limit_w[REACH_BUSES]; // power for the thrusters of a bus
};

enum reach_end {
  REACH_FOUND,
  REACH_WITHOUT_LOAD, // the load is zero: any multiple holds, the margin is infinite
  REACH_NOT_HELD,     // the fixed forces alone are more than the thrusters can hold: the margin is 0
  REACH_BRACKET,      // more than REACH_NODES: margin is attained, bound is proven, but they differ
  REACH_FAILED        // more than REACH_PIVOTS, or not finite: no number
};

struct reach_answer {
  enum reach_end end;
  double margin; // k: forces_n attain it
  double bound;  // no k above this is possible; proven by the dual
  int pivots, nodes;
  double force_n[REACH_UNITS][2]; // of each unit at the margin
};

// Empties the set.
void reach_clear(struct reach *reach) NONBLOCKING;

// Adds a bus and returns its index; -1: there are REACH_BUSES.
int reach_add_bus(struct reach *reach, double limit_w) NONBLOCKING;

// Adds a unit without force; NULL: there are REACH_UNITS. bus: -1 for unlimited power. A unit on a bus needs
// power_w > 0.
struct reach_unit *reach_add_unit(struct reach *reach, double x_m, double y_m, double power_w,
                                  int bus) NONBLOCKING;

// Each of these adds pieces and returns 1; 0: no room for them. Pieces must be added by increasing angle, and
// must not overlap.
// A line through zero, from astern_n against the direction to ahead_n along it. Beside other pieces of its
// unit astern_n must be 0.
int reach_add_segment(struct reach_unit *unit, double direction_rad, double ahead_n,
                      double astern_n) NONBLOCKING;
// The sector of a disc from one angle to a larger one; 2 pi apart: the disc. Wider than half a turn: two
// pieces.
int reach_add_sector(struct reach_unit *unit, double from_rad, double to_rad, double radius_n) NONBLOCKING;
// A convex piece point by point.
int reach_begin_piece(struct reach_unit *unit) NONBLOCKING;
int reach_add_point(struct reach_unit *unit, double x_n, double y_n) NONBLOCKING;

// The largest k with fixed + k load in W. fixed and load: x, y, moment; fixed NULL: none. tolerance: relative
// gap between margin and bound at which a linear programme ends (1e-10 for a report, 1e-6 for an alarm). With
// the load in a direction that no thruster gives, the margin is 0.
void reach_solve(const struct reach *reach, const double fixed[3], const double load[3], double tolerance,
                 struct reach_answer *answer) NONBLOCKING;

// The largest value of direction . w over W, each unit with the pieces whose bits are set in pieces (NULL:
// the hull of all its pieces), and the forces that attain it.
double reach_support(const struct reach *reach, const unsigned *pieces, const double direction[3],
                     double force_n[REACH_UNITS][2]) NONBLOCKING;

// Power of a unit's share of full thrust when it gives this force, W.
double reach_power_w(const struct reach_unit *unit, const double force_n[2]) NONBLOCKING;

// Share of the largest force that the unit can give in the direction of this force; 1: at its limit.
double reach_share(const struct reach_unit *unit, const double force_n[2]) NONBLOCKING;

// The real cube root.
double reach_cube_root(double x) NONBLOCKING;

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

// ------------------------------------------------------------
// The sampled DP controller: the PID law with start time, bumpless take-over, approach to the set-point or to
// the route that it follows, bounded integral, feed-forward of tension and wind, observer and thrust
// allocation. sagbend-dp runs it behind the protocol and `controller: sampled` runs it inside the simulator:
// the same code, the same bits. It knows only what the sensors report. docs/controller.md.

// Definition of the controller, as a DP file gives it.
struct dp_def {
  struct pid_def pid; // with a route its set-point is the pose at the route's begin
  struct track_def track;
  struct navigation_def navigation; // for vessels with instruments
  struct observer_def observer;
  struct wind_force_def wind;
  struct allocation_def allocation;
  struct consequence_def consequence;
};

// One sample of the sensors. With instruments the readings are all that is known: the exact values are zero,
// except step, time and wrench.
struct dp_sensors {
  uint64_t step;
  double time_s;
  double position_n_m[3];
  double euler_rad[3];
  double velocity_n_mps[3];
  double euler_rate_radps[3];
  double applied_wrench_b[6];     // acts now in addition to the thrusters, N, N m
  uint64_t command_based_on_step; // step that the command in use answers; 0: unknown, or none is in use

  // The pipe at the hang-off; zero without a pipe.
  double hangoff_tension_n;
  double hangoff_angle_rad; // of the axis in the lay plane, from the lay direction; beyond pi/2 it leans back
  double hangoff_lean_rad;  // of the axis out of the lay plane; 0 with instruments
  double hangoff_azimuth_rad; // direction in which the pipe pulls the vessel, clockwise from north
  int has_tensioner;          // the vessel has no instruments, and has a tensioner that follows orders:
  double paid_out_m;          // length since the start
  int tensioner_mode;         // in effect, enum tensioner_mode
  struct readings readings;
};

// The controller's time. The clock in the messages may jump, the steps beside it do not.
struct dp_clock {
  int heard;       // 1: a sample has arrived
  uint64_t step;   // of the latest sample
  double time_s;   // of the latest sample, as sent
  double step_s;   // s per step, from the first two samples; 0: not known yet
  double offset_s; // sum of the jumps so far
  uint64_t jumps;  // number of jumps
};

// What the samples show of the link, by the controller's time.
struct dp_link {
  uint64_t acting_step; // command_based_on_step of the latest sample
  double acting_s;      // since when it is that, while the controller is active
  double sampled_s;     // of the latest sample
  double gap_s;         // end of the latest gap between samples that was too long; 0: none
};

// A set-point that an operator has ordered. It replaces that of the definition.
struct dp_move {
  int ordered;         // 1: an operator has ordered one
  int moving;          // 1: the reference moves, or has moved, to it from the one at begin_s
  double reference[6]; // the set-point, like pid_def.reference
  double from[6], from_rate[6], begin_s;
};

struct dp_state {
  struct dp_clock clock;
  struct dp_link link;
  int active;         // 1: the controller has taken over
  double last_time_s; // of the latest sample that was integrated
  double last_error[6];
  double start_time_s;       // of the take-over
  double start_reference[6]; // start of the reference: the pose at take-over
  double offset_b[6];        // remainder of the preloaded integral, fades within approach_s; N, N m
  double integral[6];        // m s, rad s
  uint64_t sequence;         // of the last command
  struct dp_move move;
  struct track_state track;
  double beside_b[6]; // acted in addition to the thrusters at take-over, moves to them within hand_over_s; N,
                      // N m
  double allocated_s; // time of the latest allocation
  struct navigation_state navigation;
  struct allocation_state allocation;
  struct consequence_state consequence;
};

// Scratch of a sample: no part of the state.
struct dp_work {
  struct thrust_left_work thrust_left;
};

void dp_init(struct dp_state *state);

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int dp_state_is_valid(const struct dp_def *def, const struct dp_state *state, struct reason *why);

// Computes the command for one sample of the sensors. The command is standby before pid.start_s, while the
// position is unknown, and if a sensor is not finite; in the last case only the sequence changes in the
// state. A time that is not later than the last one is not integrated; a jump of the time relative to the
// steps is removed. With actuators in def the command contains their set-points, otherwise a wrench.
void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct dp_work *work, struct command *out) NONBLOCKING;

// The alarms after a sample: a pure function of the state, so that a controller inside reports the same ones.
void dp_alarms(const struct dp_state *state, const struct dp_def *def, struct dp_alarm_list *out) NONBLOCKING;

// What a person reads when an alarm of dp_alarms is over.
void dp_alarm_end_text(const struct dp_alarm *alarm, char out[DP_ALARM_TEXT]);

// Replaces the set-point by north, east (m) and heading (rad). After take-over the reference moves there
// within approach_s, from the latest sample on. It leaves a route for good.
void dp_set_setpoint(struct dp_state *state, const struct dp_def *def, const double setpoint[3]) NONBLOCKING;

// What operators have ordered for the route; before take-over as well.
void dp_set_track(struct dp_state *state, const struct track_orders *orders) NONBLOCKING;

// Set-point to which the reference moves: as configured or ordered; on a route the end of the present move.
void dp_target(const struct dp_state *state, const struct dp_def *def, double target[6]) NONBLOCKING;

// Reference at time_s and its rate: from the pose at take-over, or from the reference at which another
// set-point was ordered, to the set-point, with continuous second derivative, within approach_s, yaw by the
// shorter turn; then along the route. A move that begins during another keeps its rate. Before take-over: the
// set-point. m, rad, n frame.
void dp_reference(const struct dp_state *state, const struct dp_def *def, double time_s, double reference[6],
                  double rate[6]) NONBLOCKING;

// Tension feed-forward: the body wrench opposite to the pipe's horizontal pull, N.
void dp_tension_feedforward(const struct dp_sensors *sensors, double wrench_b[6]) NONBLOCKING;
