// Measurements of the instruments and feedback of the thrusters: all that a controller may know of a vessel
// that carries instruments. The room rig fills them, the protocol transmits them, a controller reads them. SI
// units; angles in rad, headings and azimuths clockwise seen from above.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <stdint.h>

enum { READING_CHANNELS = 6, MAX_INSTRUMENTS = 32, MAX_THRUSTERS = 12, MAX_BUSES = 6 };
enum { MAX_GENERATORS = 12, MAX_TIES = 6 };
enum { SIGNAL_NAME = 24 }; // bytes of a name with its final zero

// Kinds of instrument: instruments.inc.
enum instrument {
#define INSTRUMENT(id, ...) INSTRUMENT_##id,
#include "sagbend/signals/instruments.inc"
  INSTRUMENT_COUNT
};
_Static_assert(INSTRUMENT_COUNT <= 31, "sets of kinds have the bits of an int");

enum channel_form { CHANNEL_PLAIN, CHANNEL_ANGLE, CHANNEL_NOT_NEGATIVE };
struct instrument_channel {
  const char *name, *unit, *meaning; // of field buses; name NULL: the kind has no such channel
  enum channel_form form;
};

// Further properties of a kind, from instruments.inc.
enum instrument_need { NEEDS_NOTHING, NEEDS_PIPE, NEEDS_PAYOUT, NEEDS_TENSIONER };
enum instrument_place { PLACE_ANYWHERE, PLACE_AIR, PLACE_WATER };
enum instrument_reading { TELEGRAMS_UNREAD, TELEGRAMS_READ, TELEGRAMS_NAMED };
enum instrument_fix { FIX_NONE, FIX_RECEIVER, FIX_PLACE, FIX_TARGET };
enum reference_by { BY_NOTHING, BY_SOUND, BY_SIGHT, BY_WIRE };
struct instrument_kind {
  const char *name, *talker;
  enum instrument_need need;
  enum instrument_place place;
  int has_arm;
  enum instrument_reading telegrams;
  int is_shown;
  enum instrument_fix fix;
  double usual_sigma_m, usual_sigma_rad; // where nobody gives an accuracy
  int most_targets;                      // 0: it measures against none
  enum reference_by by;
};
const struct instrument_kind *instrument_kind(enum instrument kind) NONBLOCKING; // of the enum only
const struct instrument_channel *instrument_channel(enum instrument kind, int channel) NONBLOCKING;

// Name of a kind in configurations and events; "unknown" outside the enum.
const char *instrument_name(enum instrument kind);

// Bits of the kinds that have a property, and their names for people: "laser, radar or artemis".
unsigned instrument_kinds(int (*has)(const struct instrument_kind *kind));
enum { INSTRUMENT_NAMES = 256 };
void instrument_names(unsigned kinds, char out[INSTRUMENT_NAMES]);

// Number of channels of a kind; 0 outside the enum.
int instrument_channel_count(enum instrument kind) NONBLOCKING;

// Whether a wire reports that it hangs slack; 0 of any other kind.
int instrument_is_slack(enum instrument kind, const double value[READING_CHANNELS]) NONBLOCKING;

// Newest measurement of an instrument.
struct reading {
  char name[SIGNAL_NAME];
  enum instrument kind;
  int valid;         // the instrument's own judgement; under a fault it may be 1 on bad data
  uint64_t sequence; // number of this measurement, counted from 1; 0: there is none yet and all below is 0
  double time_s;     // simulated time of the measurement; it arrives a latency later
  double value[READING_CHANNELS];
};

struct thruster_feedback {
  char name[SIGNAL_NAME];
  int running, ready;     // 1: turns; takes commands
  double revolutions_rpm; // negative: astern
  double pitch; // of a controllable-pitch propeller, share of full pitch, -1 to 1; 0 of a fixed-pitch drive
  double azimuth_rad; // of the thrust from the bow; of a main propeller the rudder angle
  double power_w;
  int stopped; // 1: by an emergency stop, until an operator resets it
};

// What power management reports of a plant with generators. Frequency and voltage per unit; 0: dark.
struct bus_feedback {
  char name[SIGNAL_NAME];
  double available_w, load_w; // power that the bus's thrusters may take, and take
  double frequency, voltage;
  int64_t supplied; // 1: live
};
struct generator_feedback {
  char name[SIGNAL_NAME];
  double load_w;  // power that the generator gives to its bus
  int64_t closed; // 1: its breaker, as power management has it
};
struct tie_feedback {
  char name[SIGNAL_NAME];
  int64_t closed;
};
struct power_feedback {
  int bus_count, generator_count, tie_count, unused; // all 0: the vessel reports none
  struct bus_feedback bus[MAX_BUSES];
  struct generator_feedback generator[MAX_GENERATORS];
  struct tie_feedback tie[MAX_TIES];
};

struct readings {
  int instrument_count; // 0: the vessel has no instruments, and messages contain its exact state instead
  struct reading instrument[MAX_INSTRUMENTS];
  int thruster_count;
  struct thruster_feedback thruster[MAX_THRUSTERS];
  double power_available_w, power_used_w; // sums over all buses
  struct power_feedback power;
};

// ------------------------------------------------------------
// Orders for a tensioner: of the configuration's programme, of a controller, of an operator.

enum tensioner_mode { TENSIONER_BRAKE, TENSIONER_TENSION, TENSIONER_SPEED, TENSIONER_MODE_COUNT };
const char *tensioner_mode_name(int mode); // "brake", "tension", "speed"; "unknown" otherwise

// Who gave the order in force. An order of a later one goes before those of the earlier ones.
enum tensioner_source {
  TENSIONER_BY_PROGRAMME,
  TENSIONER_BY_CONTROLLER,
  TENSIONER_BY_OPERATOR,
  TENSIONER_SOURCE_COUNT
};
const char *tensioner_source_name(int source); // "programme", "controller", "operator"

struct tensioner_setpoint {
  int given; // 0: no order
  enum tensioner_mode mode;
  double tension_n; // TENSIONER_TENSION, > 0
  double speed_mps; // TENSIONER_SPEED: of the tracks, negative: recovery
};

// What orders must meet.
struct tensioner_rule {
  int present;           // 0: the vessel has no tensioner that follows orders
  int from_controllers;  // 1: controllers may give orders
  int from_operators;    // 1: operators may
  int brakes_on_silence; // 1: it brakes while a controller whose order is in force is silent
  double tension_min_n;  // smallest set-point, above 0: half of the dead band
  double tension_max_n;  // largest set-point
  double speed_max_mps;  // out and back
};

// STATUS_BAD_INPUT: the order is refused, for the reason in why. An order that is not given is good.
enum status tensioner_setpoint_check(const struct tensioner_rule *rule, enum tensioner_source source,
                                     const struct tensioner_setpoint *order, struct reason *why) NONBLOCKING;

// Whether an order from a file is well formed (sagbend/base/base.h).
int tensioner_setpoint_is_valid(const struct tensioner_setpoint *order, struct reason *why);

// Faults of a tensioner in a step. Zero: none.
struct tensioner_switches {
  double brake_lost, grip_lost; // shares of what brake and grip hold that are missing, 0 to 1
  int runs_away;                // 1: the tracks move at runaway_mps, whatever is ordered
  double runaway_mps;           // positive: pays out
};

// What comes to a tensioner for a step. Zero: nothing, no failures.
struct tensioner_input {
  struct tensioner_setpoint by_operator;
  int is_released; // 1: after that, the operator gives it back to the others
  struct tensioner_setpoint by_controller;
  struct tensioner_switches switches;
};

// ------------------------------------------------------------
// The command that a step uses. It is latched at the start of the step, as a pure function of the step number
// and of the commands that arrived, so that a session can be replayed. No clock, no input or output.

enum command_state {
  COMMAND_NONE,    // no command has arrived yet: the initial holding force acts
  COMMAND_STANDBY, // a controller is connected and asks for nothing: the initial holding force acts
  COMMAND_LIVE,    // the command arrived within the control period
  COMMAND_OLD,     // older than the control period, not older than the time-out: still applied
  COMMAND_LOST,    // older than the time-out: the configured reaction applies
  COMMAND_STATE_COUNT
};

// Name of a state in messages and logs, such as "waiting"; "unknown" outside the enum.
const char *command_state_name(enum command_state state);

// What acts after the time-out: the last wrench, the initial holding force, or no wrench.
enum command_reaction { REACTION_HOLD_LAST, REACTION_HOLD_WRENCH, REACTION_ZERO };

// Set-point of one thruster, in the order of the configuration.
struct thruster_setpoint {
  int enable;             // 0: stop it
  double revolutions_rpm; // of a fixed-pitch drive; negative: astern, of a tunnel thruster to port
  double pitch;           // of a controllable-pitch propeller, share of full pitch, -1 to 1
  double azimuth_rad;     // of the thrust from the bow, clockwise; of a main propeller the rudder angle
};

// Set-point of one thruster, by its name. Fields as in struct thruster_setpoint.
struct thruster_command {
  char name[SIGNAL_NAME];
  int enable;
  double revolutions_rpm;
  double pitch;
  double azimuth_rad;
};

// Thrusters that a command stops at once, by their names.
struct thruster_stops {
  int count;
  char name[MAX_THRUSTERS][SIGNAL_NAME];
};

// What a controller reports of its consequence analysis: whether the vessel could still be held after a
// failure.
enum { CONSEQUENCE_NAME = SIGNAL_NAME + 8, MAX_CONSEQUENCE_GROUPS = 12 };
struct consequence_report {
  int given; // 0: it reports nothing; the rest is zero
  int known; // 0: it has no result yet; no alarm, margin 0
  int alarm;
  double margin;                  // least of all failures: the factor by which the load may grow
  char failure[CONSEQUENCE_NAME]; // that has it; "": none
  uint64_t unsolved;              // times since take-over that a margin was not found, or only within a gap
};

struct command {
  uint64_t sequence;      // of the controller's message, strictly increasing within a connection
  uint64_t based_on_step; // step of the sensors that it answers
  int standby;            // 1: asks for nothing
  double
      wrench_b[6]; // about the reference point in b, N and N m; acts directly, in addition to the thrusters
  int thruster_count; // thrusters that this command names; the others keep their set-points
  struct thruster_command thrusters[MAX_THRUSTERS];
  struct tensioner_setpoint tensioner; // order for the tensioner, also on standby
  struct thruster_stops stops;         // emergency stops, also on standby
  struct consequence_report consequence;

  // Stamped where the command was accepted; all 0 where the case lists no controllers.
  uint64_t seat;     // of its controller: 1 + place in the list
  uint64_t term;     // during which it was accepted (struct changeover)
  uint64_t cause;    // enum changeover_cause, of the changeover that began the term
  uint64_t hands_to; // seat to which it hands the command: it is the last of its controller; 0: none
  // Controllers that stand by then: ready to command; of them, those that command nearly the same.
  uint64_t standbys_ready, standbys_following;
};

// Limits of the commands to one thruster, and what happens when no command names it any more.
struct thruster_rule {
  char name[SIGNAL_NAME];
  double revolutions_max_rpm; // of a fixed-pitch drive, both ways; 0: a controllable-pitch propeller
  double rudder_max_rad;      // of a main propeller's rudder, both ways; negative: no rudder, any azimuth
  uint64_t timeout_steps;     // after the last command that named it
  int stops_on_timeout;       // 1: zero thrust after the time-out; 0: the last set-point stays
};

// ------------------------------------------------------------
// Redundant controllers: a case lists them by name and rank, one commands, the others stand by. The gate
// (net/gate) decides whose commands are accepted and stamps each with its seat and its term; the latch below
// bridges the time between the last command of one and the first of the next, and drops what comes late. So a
// changeover follows from commands and orders alone, and a replay makes it again. docs/redundancy.md.

enum { MAX_CONTROLLERS = 4 };

// What acts from the moment that the command is taken from a controller until a controller commands again.
enum changeover_hold {
  CHANGEOVER_HOLD, // the last command
  CHANGEOVER_RAMP, // the last command, whose thrust fades to zero within ramp_steps
  CHANGEOVER_ZERO, // no thrust
};

// The two sides of the main/backup switch of a class 3 system, each in a fire zone of its own. Without a
// backup all are on the main side.
enum controller_side { SIDE_MAIN, SIDE_BACKUP, SIDES };
const char *controller_side_name(enum controller_side side); // "main"

enum { LISTED_TEXT = 256 }; // bytes of a list of instruments with its final zero

struct controllers_def {
  int count; // 0: the case lists none
  struct listed_controller {
    char name[SIGNAL_NAME];
    int rank;                  // of those that stand by, the least takes over
    enum controller_side side; // within which the command changes by loss and by message
    char instruments[LISTED_TEXT], shared[LISTED_TEXT]; // of a backup: names, separated by spaces
  } item[MAX_CONTROLLERS];
  uint32_t received[SIDES]; // instruments whose readings the controllers of a side receive, one bit each
  enum changeover_hold hold;
  uint64_t ramp_steps; // at least 1
};

#define CHANGEOVER_CAUSE_TABLE(X)                                                                            \
  X(CHANGEOVER_NONE, "none")                                                                                 \
  X(CHANGEOVER_LOSS, "loss")       /* the one in command is silent or gone */                                \
  X(CHANGEOVER_ORDER, "order")     /* of an operator */                                                      \
  X(CHANGEOVER_MESSAGE, "message") /* of the one in command */                                               \
  X(CHANGEOVER_SWITCH, "switch")   /* main/backup, by an operator or by an event of the scenario */
#define X(id, word) id,
enum changeover_cause { CHANGEOVER_CAUSE_TABLE(X) CHANGEOVER_CAUSE_COUNT };
#undef X
const char *changeover_cause_name(uint64_t cause); // "loss"; "unknown" outside the enum

// A term is the time between two changeovers. Its number grows: the number of the newest order of an operator
// that gave the command, times this, plus those of the scenario since, times the second number, plus the
// other changeovers since.
#define CHANGEOVER_TERMS       ((uint64_t)1 << 32)
#define CHANGEOVER_EVENT_TERMS ((uint64_t)1 << 16)

// Part of the latch. 8-byte members only; zero at the start, but for share.
struct changeover {
  uint64_t term;     // a command of an earlier one is late: it is dropped and counted
  uint64_t seat;     // whose command was latched last; 0: none
  uint64_t given_to; // seat to which order, event or message has given the command; 0: none
  uint64_t since;    // 1 + first step for which nobody commands; 0: somebody does
  uint64_t cause;    // of the newest changeover, also of one that has begun
  uint64_t count;    // that are complete: another controller has commanded
  uint64_t late;
  uint64_t gap_steps; // of the newest that is complete, from the last command of the one before to the first
                      // of the next
  double share;       // of the last command, that acts
  struct thruster_setpoint from[MAX_THRUSTERS]; // when it began
};

struct command_def {
  uint64_t period_steps;  // control period: steps between the sensors sent to controllers
  uint64_t timeout_steps; // age at which a command is lost
  enum command_reaction reaction;
  double wrench_limit[6]; // bound of each component of a commanded wrench, N and N m; 0: unlimited
  int thrusters_only;     // 1: a wrench is refused, except while taking over from the initial holding force
  double initial_holding_force_b[6]; // acts while no controller commands, N and N m in b
  uint64_t hold_release_steps; // in which the initial holding force fades out under thruster commands, and
                               // back in afterwards
  int thruster_count;
  struct thruster_rule thruster[MAX_THRUSTERS];
  struct thruster_setpoint
      hold_setpoint[MAX_THRUSTERS]; // set-points that belong to the initial holding force
  struct tensioner_rule tensioner;
  struct controllers_def controllers;
};

// A controller that takes over with thrusters starts by requesting the wrench that acted beside them, and
// fades it out: the initial holding force, and after another controller whatever remains of that controller's
// wrench. Where thrusters_only is set, each component may reach this multiple of the initial holding force.
enum { HAND_OVER_HOLDING_FORCES = 4 };

// So many commands of one controller in a row that fail command_check raise the event command_limits.
enum { COMMANDS_BEYOND_LIMITS = 100 };

// Checks a command on arrival: thrusters that the vessel has, within their limits, a wrench within its
// limits, an order that the tensioner accepts. STATUS_BAD_INPUT with the first violation in why.
enum status command_check(const struct command_def *def, const struct command *command,
                          struct reason *why) NONBLOCKING;

// Part of the simulation's state.
struct command_latch {
  struct command last;      // newest accepted command
  uint64_t latched_at_step; // step at whose start it was latched
  enum command_state state;
  int has_command;     // 1: a command has arrived since the start
  uint64_t lost_count; // how often the state became COMMAND_LOST
  double applied_b[6]; // wrench of this step in b, N and N m
  double hold_share; // share of the initial holding force that acts, 0 to 1; below 1 under and shortly after
                     // thruster commands
  struct thruster_setpoint setpoint[MAX_THRUSTERS]; // of this step
  uint64_t set_at_step[MAX_THRUSTERS]; // step at which a command or the initial holding force last set it
  struct changeover changeover;
};

// State at the start: waiting, with the initial holding force and its set-points.
void command_latch_init(struct command_latch *latch, const struct command_def *def);

// Start of a step: latches newest, the last command that has arrived since the previous call (NULL: none),
// and sets state, applied_b and setpoint of this step.
void command_latch_step(struct command_latch *latch, const struct command_def *def,
                        const struct command *newest, uint64_t step) NONBLOCKING;

// Whether the command is of a term before the present one: of a controller from which it has been taken. The
// latch drops it and counts it.
int command_latch_is_late(const struct command_latch *latch, const struct command_def *def,
                          const struct command *command) NONBLOCKING;

// An operator's order of this number has given the command to the controller at this seat (above 0), from
// this step on.
void command_latch_give(struct command_latch *latch, const struct command_def *def, uint64_t seat,
                        uint64_t order, uint64_t step) NONBLOCKING;
// The same by an event of the scenario.
void command_latch_give_by_event(struct command_latch *latch, const struct command_def *def, uint64_t seat,
                                 uint64_t step) NONBLOCKING;

// Share of the last command's wrench that acts at present: 0 on standby, or where the reaction to its loss is
// another one.
double command_latch_share(const struct command_latch *latch, const struct command_def *def) NONBLOCKING;

// Seat of the controller of this name; 0: the case does not list it.
uint64_t controllers_seat(const struct controllers_def *all, const char *name) NONBLOCKING;
uint64_t controllers_backup(const struct controllers_def *all) NONBLOCKING; // seat of the backup; 0: none
// The side of a seat (above 0); of any other number that of the main ones.
enum controller_side controllers_side(const struct controllers_def *all, uint64_t seat) NONBLOCKING;
// The side to which the switch points.
enum controller_side changeover_side(const struct controllers_def *all,
                                     const struct changeover *c) NONBLOCKING;

// Whether a command or latch from a file is possible under this definition at this step (conventions:
// sagbend/base/base.h).
int command_is_valid(const struct command_def *def, const struct command *command, struct reason *why);
int command_latch_is_valid(const struct command_def *def, const struct command_latch *latch, uint64_t step,
                           struct reason *why);

// ------------------------------------------------------------
// Alarms of a controller: what it reports with each command as active now. They act on nothing; the simulator
// shows, logs and judges them. Plain data.

enum { MAX_DP_ALARMS = 16, DP_ALARM_TEXT = 80 }; // bytes of a text with its final zero

// Kinds in the order of AlarmKind of command.proto, after its first value: enumerator, word in configurations
// and lists.
#define ALARM_KIND_TABLE(X)                                                                                  \
  X(ALARM_LOST, "lost")                                                                                      \
  X(ALARM_FROZEN, "frozen")                                                                                  \
  X(ALARM_REJECTED, "rejected")                                                                              \
  X(ALARM_DEVIATES, "deviates")                                                                              \
  X(ALARM_DIFFERS, "differs")                                                                                \
  X(ALARM_NOT_FOLLOWING, "not_following")                                                                    \
  X(ALARM_POWER_LIMIT, "power_limit")                                                                        \
  X(ALARM_NO_POSITION, "no_position")                                                                        \
  X(ALARM_NO_HEADING, "no_heading")                                                                          \
  X(ALARM_LINK_DOWN, "link_down")                                                                            \
  X(ALARM_CONSEQUENCE, "consequence")                                                                        \
  X(ALARM_OTHER, "other")                                                                                    \
  X(ALARM_SATURATED, "saturated")                                                                            \
  X(ALARM_WAITING, "waiting")
#define X(id, word) id,
enum dp_alarm_kind { ALARM_KIND_TABLE(X) ALARM_KIND_COUNT };
#undef X

// In the order of AlarmSeverity, after its first value. A message is no alarm that trials or verdicts count.
enum dp_alarm_severity { SEVERITY_MESSAGE, SEVERITY_WARNING, SEVERITY_ALARM, ALARM_SEVERITY_COUNT };

const char *dp_alarm_kind_name(int kind);         // "not_following"; "unknown" outside the enum
const char *dp_alarm_severity_name(int severity); // "warning"; "unknown" outside the enum

// Sources beside the names of instruments, thrusters and buses, by index from 0; NULL: no more.
const char *dp_alarm_source_word(int index);

struct dp_alarm {
  char source[SIGNAL_NAME]; // of a vessel's equipment, or one of the words
  enum dp_alarm_kind kind;
  enum dp_alarm_severity severity;
  char text[DP_ALARM_TEXT];
};

// Alarms that are active; each pair of source and kind at most once.
struct dp_alarm_list {
  int count;
  struct dp_alarm alarm[MAX_DP_ALARMS];
};

// Adds an alarm whose text is the three parts one after the other, cut to its room. A pair of source and kind
// that is there already stays as it is. Without room the most severe stay, of equal ones those that came
// first. The last place then counts the others ("3 more alarms than fit", of the controller), with the
// severity of the worst of them.
void dp_alarm_raise(struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind,
                    enum dp_alarm_severity severity, const char *before, const char *name,
                    const char *after) NONBLOCKING;

// Index of the alarm with this source and kind; -1: there is none.
int dp_alarm_find(const struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind) NONBLOCKING;

// Number of alarms; messages are none.
int dp_alarm_count(const struct dp_alarm_list *list) NONBLOCKING;

// The alarms in force, and since when. 8-byte members first.
struct dp_alarm_state {
  uint64_t step[MAX_DP_ALARMS]; // since which each is active: of the Sensors that its first command answers
  uint64_t newest_step;         // of the Sensors that the newest command with alarms or without answers
  uint64_t changes; // times that a command raised or ended one or more; a change of a text is none
  uint64_t raised;  // alarms raised so far
  struct dp_alarm_list list;
};

// Takes the list of a command that answers the Sensors of this step.
void dp_alarm_state_take(struct dp_alarm_state *state, const struct dp_alarm_list *list,
                         uint64_t step) NONBLOCKING;

// Alarms beyond the count of the list are not copied.
void dp_alarm_state_copy(const struct dp_alarm_state *from, struct dp_alarm_state *to) NONBLOCKING;

// Whether a list or state from a file or a message is possible (sagbend/base/base.h): counts, texts, kinds,
// no pair twice.
int dp_alarm_list_is_valid(const struct dp_alarm_list *list, struct reason *why);
int dp_alarm_state_is_valid(const struct dp_alarm_state *state, uint64_t step, struct reason *why);

// ------------------------------------------------------------
// Water that comes into the pipe in a step, as after a wet buckle. Zero: none.

struct flooding_input {
  int flows;
  double from_m; // arc length from which on the pipe fills
  double fill_s; // time from dry to full, > 0
};

// ------------------------------------------------------------
// The nonlinear PID law of Celledoni, Hoiseth and Ramzina 2018, eqs. 29 to 34: tau = -J' (Kp e + Kd de/dt +
// Ki integral e) with e = eta - eta_ref, eta = (x, y, z, roll, pitch, yaw) in n. It uses + - * / sqrt and
// sagbend/math only, because its output enters state hashes.

struct pid_def {
  double kp[6], kd[6], ki[6]; // diagonals of the gains, SI
  double reference[6];        // eta_ref, m and rad
  double
      integral_limit[6]; // bound of |Ki integral e|, N and N m; 0: unbounded (Saefstroem 2009, section 4.3.2)
  double start_s;        // simulated time at which the controller switches on
  int bumpless;          // sampled controller: preloads the integral so that the wrench does not jump
  double approach_s; // bumpless: time over which the reference moves from the pose at switch-on to its place
  int tension_feedforward; // sampled controller: adds the pipe's horizontal tension to the wrench
  double wrench_limit[6];  // bound of the commanded wrench, N and N m; 0: unbounded
};

// The wrench of the law about the reference point in b, N and N m. error = eta - eta_ref, error_rate its
// derivative, integral its integral; euler_rad the attitude. Neither integral nor wrench is limited here.
void pid_wrench(const struct pid_def *def, const double error[6], const double error_rate[6],
                const double integral[6], const double euler_rad[3], double wrench_b[6]) NONBLOCKING;

// J' f: wrench in b about the reference point, N and N m, of the generalised force f along eta, N and N m.
void pid_to_body(const double euler_rad[3], const double force_eta[6], double wrench_b[6]) NONBLOCKING;

// ------------------------------------------------------------
// The kinds of thrusters, once. Plant, controller, capability, both configurations, messages, trials and
// views read the properties of a kind here; none of them asks for a kind by its name. Body frame b: x
// forward, y starboard. docs/thrusters.md.

// What directs the thrust.
enum thruster_steering {
  STEERING_NONE,  // nothing: the thrust acts along the axis, either way
  STEERING_TURNS, // the unit turns without end stops; its azimuth is the direction of the thrust
  STEERING_RUDDER // a rudder in the slipstream of thrust ahead; its angle takes the place of the azimuth
};

// Axis of the thrust that nothing turns. The number is the index of its component in a force {x, y}.
enum thruster_axis { AXIS_AHEAD, AXIS_ACROSS };

// X(KIND, word, title, steering, axis, in_tunnel, meaning)
//   KIND       THRUSTER_<KIND> in the source, THRUSTER_KIND_<KIND> in session.proto, in the same order
//   word       in configurations and results
//   title      in sentences
//   steering   enum thruster_steering
//   axis       enum thruster_axis; of one that turns: where it points at rest
//   in_tunnel  1: in a tunnel through the hull, whose inlets and whose loss at speed it has
//   meaning    in the descriptions of the keys
#define THRUSTER_KIND_TABLE(X)                                                                               \
  X(TUNNEL, "tunnel", "tunnel thruster", STEERING_NONE, AXIS_ACROSS, 1, "transverse, positive to starboard") \
  X(AZIMUTH, "azimuth", "azimuth thruster", STEERING_TURNS, AXIS_AHEAD, 0, "steerable without end stops")    \
  X(MAIN, "main", "main propeller", STEERING_RUDDER, AXIS_AHEAD, 0,                                          \
    "propeller ahead and astern, with an optional rudder")

#define THRUSTER_KIND_ENUMERATOR(KIND, ...) THRUSTER_##KIND,
enum thruster_kind { THRUSTER_KIND_TABLE(THRUSTER_KIND_ENUMERATOR) THRUSTER_KIND_COUNT };
#undef THRUSTER_KIND_ENUMERATOR

// For the rows of keys: the words, and a sentence about each.
#define THRUSTER_KIND_WORD(KIND, word, ...)                                      word,
#define THRUSTER_KIND_DOC(KIND, word, title, steering, axis, in_tunnel, meaning) " " word ": " meaning "."

// The kinds that turn, one bit each, as a constant.
#define THRUSTER_KIND_TURNS_BIT(KIND, word, title, steering, ...)                                            \
  | (unsigned)((steering) == STEERING_TURNS) << THRUSTER_##KIND
#define THRUSTER_KINDS_THAT_TURN (0u THRUSTER_KIND_TABLE(THRUSTER_KIND_TURNS_BIT))

struct thruster_kind_row {
  const char *word, *title;
  enum thruster_steering steering;
  enum thruster_axis axis;
  int in_tunnel;
};
extern const struct thruster_kind_row THRUSTER_KINDS[THRUSTER_KIND_COUNT];

static inline enum thruster_steering thruster_steering(enum thruster_kind kind) {
  return THRUSTER_KINDS[kind].steering;
}

static inline enum thruster_axis thruster_axis(enum thruster_kind kind) {
  return THRUSTER_KINDS[kind].axis;
}

// Direction of the axis, clockwise from the bow, rad.
static inline double thruster_axis_rad(enum thruster_kind kind) {
  return THRUSTER_KINDS[kind].axis == AXIS_ACROSS ? TRIG_PI / 2 : 0;
}

// ------------------------------------------------------------
// Orders of an operator for the route that a controller follows.

// Speeds that a route may have, m/s.
#define TRACK_SPEED_MIN 0.001
#define TRACK_SPEED_MAX 10.0

enum track_order_kind { TRACK_ORDER_STOP, TRACK_ORDER_GO, TRACK_ORDER_SPEED };

struct track_order {
  enum track_order_kind kind;
  double speed_mps; // TRACK_ORDER_SPEED
};

// What is in force after all orders. Zero: none has come.
struct track_orders {
  uint64_t is_stopped;
  double speed_mps; // 0: that of the DP file
};

// Takes an order over: stop and go leave the speed as it is, a speed leaves a stop as it is.
void track_orders_take(struct track_orders *orders, const struct track_order *order) NONBLOCKING;

// STATUS_BAD_INPUT: the order is refused. most_mps: largest speed that the vessel permits.
enum status track_order_check(const struct track_order *order, double most_mps, struct reason *why);

// Whether orders from a file are well formed (sagbend/base/base.h).
int track_orders_are_valid(const struct track_orders *orders, struct reason *why);

// ------------------------------------------------------------
// Transmission groups of a ship's network (IEC 61162-450): the n-th, from 0, has the address 239.192.0.(n +
// 1) and the port 60001 + n.
#define NETWORK_GROUP_TABLE(X)                                                                               \
  X(MISC)                                                                                                    \
  X(TGTD)                                                                                                    \
  X(SATD)                                                                                                    \
  X(NAVD)                                                                                                    \
  X(VDRD)                                                                                                    \
  X(RCOM)                                                                                                    \
  X(TIME)                                                                                                    \
  X(PROP)                                                                                                    \
  X(USR1)                                                                                                    \
  X(USR2)                                                                                                    \
  X(USR3)                                                                                                    \
  X(USR4)                                                                                                    \
  X(USR5)                                                                                                    \
  X(USR6)                                                                                                    \
  X(USR7)                                                                                                    \
  X(USR8)                                                                                                    \
  X(BAM1)                                                                                                    \
  X(BAM2)                                                                                                    \
  X(CAM1)                                                                                                    \
  X(CAM2)
#define X(name) NETWORK_##name,
enum network_group { NETWORK_GROUP_TABLE(X) NETWORK_GROUP_COUNT };
#undef X
const char *network_group_name(int group); // "MISC"; NULL outside the enum
