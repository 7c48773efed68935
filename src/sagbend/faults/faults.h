// Faults: what each acts on, which are active, how one is asked for by name. Events of a scenario and orders
// of an operator begin and end them (sagbend/loop/loop.h); instruments, thrusters, power and link look them
// up. They act on a signal or on a switch of the plant, never on the physics.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/power/power.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <math.h>
#include <stdint.h>

enum { MAX_FAULTS = 64 + MAX_THRUSTERS, FAULT_PARAMETERS = 2 }; // the latter of the stopped thrusters
enum { LONGEST_DELAY_S = 10 }; // delay of a measurement in addition to its latency

// What a fault acts on.
enum fault_target {
  TARGET_INSTRUMENT, // the signal of an instrument: every measurement, in messages and in NMEA
  TARGET_COMMON,     // a common error of several instruments
  TARGET_SENTENCE,   // the NMEA sentences of an instrument, not the messages
  TARGET_THRUSTER,
  TARGET_BUS,
  TARGET_GENERATOR,
  TARGET_TIE,
  TARGET_MANAGEMENT, // power management
  TARGET_TENSIONER,
  TARGET_PIPE,
  TARGET_COMMAND,    // the commands on their way from the controller
  TARGET_SENSORS,    // the Sensors on their way to the controller
  TARGET_SETPOINT,   // what an operator orders; no fault
  TARGET_CONTROLLER, // one of the case's list: what it sends, and what it is sent
  TARGET_NETWORK,    // A or B: what comes and goes by it
  TARGET_ZONE // a side of the main/backup switch: its controllers, and the instruments that only they receive
};

// Enumerator, name, target, parameters in order (a name with its unit; "" none). "channel" is always the
// second one; a second parameter needs a first.
#define FAULT_TABLE(X)                                                                                       \
  X(FAULT_NO_OUTPUT, "no_output", TARGET_INSTRUMENT, "", "")                                                 \
  X(FAULT_FREEZE, "freeze", TARGET_INSTRUMENT, "", "")                                                       \
  X(FAULT_GARBAGE, "garbage", TARGET_INSTRUMENT, "amplitude", "")                                            \
  X(FAULT_BIAS, "bias", TARGET_INSTRUMENT, "bias", "channel")                                                \
  X(FAULT_DRIFT, "drift", TARGET_INSTRUMENT, "rate_per_s", "channel")                                        \
  X(FAULT_JUMP, "jump", TARGET_INSTRUMENT, "jump", "channel")                                                \
  X(FAULT_NOISE, "noise", TARGET_INSTRUMENT, "growth_per_s", "channel")                                      \
  X(FAULT_OUTLIERS, "outliers", TARGET_INSTRUMENT, "amplitude", "probability")                               \
  X(FAULT_SLOW, "slow", TARGET_INSTRUMENT, "period_s", "")                                                   \
  X(FAULT_DELAY, "delay", TARGET_INSTRUMENT, "delay_s", "")                                                  \
  X(FAULT_INTERMITTENT, "intermittent", TARGET_INSTRUMENT, "probability", "")                                \
  X(FAULT_INVALID, "invalid", TARGET_INSTRUMENT, "", "")                                                     \
  X(FAULT_FLAG_FORCED_VALID, "flag_forced_valid", TARGET_INSTRUMENT, "", "")                                 \
  X(FAULT_CONSTANT, "constant", TARGET_INSTRUMENT, "value", "channel")                                       \
  X(FAULT_LEVER_ARM, "lever_arm", TARGET_INSTRUMENT, "forward_m", "starboard_m")                             \
  X(FAULT_DUPLICATE_OF, "duplicate_of", TARGET_INSTRUMENT, "of_instrument", "")                              \
  X(FAULT_TARGET_MOVED, "target_moved", TARGET_INSTRUMENT, "north_m", "east_m")                              \
  X(FAULT_OBSTRUCTED, "obstructed", TARGET_INSTRUMENT, "", "")                                               \
  X(FAULT_OTHER_TARGET, "wrong_target", TARGET_INSTRUMENT, "", "")                                           \
  X(FAULT_REFLECTION, "reflection", TARGET_INSTRUMENT, "longer_m", "")                                       \
  X(FAULT_NOISE_BURST, "noise_burst", TARGET_INSTRUMENT, "times", "")                                        \
  X(FAULT_CLUMP_DRAGGING, "clump_dragging", TARGET_INSTRUMENT, "share", "")                                  \
  X(FAULT_WIRE_JAMMED, "wire_jammed", TARGET_INSTRUMENT, "", "")                                             \
  X(FAULT_WIRE_SLACK, "wire_slack", TARGET_INSTRUMENT, "longer_m", "")                                       \
  X(FAULT_COMMON_BIAS, "common_bias", TARGET_COMMON, "bias", "channel")                                      \
  X(FAULT_CHECKSUM, "checksum", TARGET_SENTENCE, "", "")                                                     \
  X(FAULT_TALKER, "talker", TARGET_SENTENCE, "", "")                                                         \
  X(FAULT_DUPLICATE_SENTENCE, "duplicate_telegram", TARGET_SENTENCE, "", "")                                 \
  X(FAULT_AGE, "age", TARGET_SENTENCE, "age_s", "")                                                          \
  X(FAULT_STUCK, "stuck", TARGET_THRUSTER, "", "")                                                           \
  X(FAULT_TO_ZERO, "to_zero", TARGET_THRUSTER, "", "")                                                       \
  X(FAULT_TO_FULL, "to_full", TARGET_THRUSTER, "", "")                                                       \
  X(FAULT_ROTATING, "rotating", TARGET_THRUSTER, "rate_radps", "")                                           \
  X(FAULT_FEEDBACK, "feedback", TARGET_THRUSTER, "factor", "")                                               \
  X(FAULT_SWAPPED, "swapped_feedback", TARGET_THRUSTER, "with_thruster", "")                                 \
  X(FAULT_TRIPPED, "tripped", TARGET_THRUSTER, "", "")                                                       \
  X(FAULT_SLUGGISH, "sluggish", TARGET_THRUSTER, "share", "")                                                \
  X(FAULT_LOAD_LIMIT, "load_limit", TARGET_BUS, "share", "")                                                 \
  X(FAULT_BUS_LOST, "bus_lost", TARGET_BUS, "", "")                                                          \
  X(FAULT_BLACKOUT, "blackout", TARGET_BUS, "restart_interval_s", "")                                        \
  X(FAULT_GOVERNOR_HIGH, "governor_high", TARGET_GENERATOR, "", "")                                          \
  X(FAULT_GOVERNOR_LOW, "governor_low", TARGET_GENERATOR, "", "")                                            \
  X(FAULT_GOVERNOR_STUCK, "governor_stuck", TARGET_GENERATOR, "", "")                                        \
  X(FAULT_FIELD_HIGH, "field_high", TARGET_GENERATOR, "", "")                                                \
  X(FAULT_FIELD_LOW, "field_low", TARGET_GENERATOR, "", "")                                                  \
  X(FAULT_TRIP, "trip", TARGET_GENERATOR, "", "")                                                            \
  X(FAULT_FUEL_LOSS, "fuel_loss", TARGET_GENERATOR, "", "")                                                  \
  X(FAULT_START, "start_fails", TARGET_GENERATOR, "", "")                                                    \
  X(FAULT_STATUS_FROZEN, "status_frozen", TARGET_GENERATOR, "", "")                                          \
  X(FAULT_TIE_OPENS, "tie_opens", TARGET_TIE, "", "")                                                        \
  X(FAULT_TIE_STUCK, "tie_stuck", TARGET_TIE, "", "")                                                        \
  X(FAULT_NO_REDUCTION, "no_reduction", TARGET_MANAGEMENT, "", "")                                           \
  X(FAULT_BRAKE, "brake_fails", TARGET_TENSIONER, "share", "")                                               \
  X(FAULT_SLIP, "slip", TARGET_TENSIONER, "share", "")                                                       \
  X(FAULT_RUNAWAY, "runaway", TARGET_TENSIONER, "speed_mps", "")                                             \
  X(FAULT_FLOODING, "flooding", TARGET_PIPE, "fill_s", "from_m")                                             \
  X(FAULT_LOSS, "loss", TARGET_COMMAND, "probability", "")                                                   \
  X(FAULT_JITTER, "jitter", TARGET_COMMAND, "largest_s", "")                                                 \
  X(FAULT_DUPLICATE, "duplicate", TARGET_COMMAND, "probability", "")                                         \
  X(FAULT_REORDER, "reorder", TARGET_COMMAND, "probability", "")                                             \
  X(FAULT_SENSORS_LOSS, "sensors_loss", TARGET_SENSORS, "probability", "")                                   \
  X(FAULT_CLOCK_JUMP, "clock_jump", TARGET_SENSORS, "jump_s", "")                                            \
  X(FAULT_NETWORK_CUT, "network_cut", TARGET_NETWORK, "", "")                                                \
  X(FAULT_NETWORK_SENDS_ONLY, "network_sends_only", TARGET_NETWORK, "", "")                                  \
  X(FAULT_NETWORK_HEARS_ONLY, "network_hears_only", TARGET_NETWORK, "", "")                                  \
  X(FAULT_NETWORK_LOSS, "network_loss", TARGET_NETWORK, "probability", "")                                   \
  X(FAULT_NETWORK_DELAY, "network_delay", TARGET_NETWORK, "delay_s", "")                                     \
  X(FAULT_NETWORK_REPEAT, "network_repeat", TARGET_NETWORK, "probability", "")                               \
  X(FAULT_NETWORK_STORM, "network_storm", TARGET_NETWORK, "rate_hz", "")                                     \
  X(FAULT_EMERGENCY_STOP, "emergency_stop", TARGET_THRUSTER, "", "")                                         \
  X(FAULT_EMERGENCY_RESET, "emergency_reset", TARGET_THRUSTER, "", "")                                       \
  X(FAULT_SETPOINT_MOVED, "setpoint_moved", TARGET_SETPOINT, "north_m", "east_m")                            \
  X(FAULT_SETPOINT_TURNED, "setpoint_turned", TARGET_SETPOINT, "turn_deg", "about_m")                        \
  X(FAULT_CONTROLLER_SILENT, "controller_silent", TARGET_CONTROLLER, "", "")                                 \
  X(FAULT_CONTROLLER_FROZEN, "controller_frozen", TARGET_CONTROLLER, "", "")                                 \
  X(FAULT_CONTROLLER_WRONG, "controller_wrong", TARGET_CONTROLLER, "factor", "")                             \
  X(FAULT_TAKE_OVER, "take_over", TARGET_CONTROLLER, "", "")                                                 \
  X(FAULT_ZONE_LOST, "zone_lost", TARGET_ZONE, "", "")
#define X(name, text, target, first, second) name,
enum fault_kind { FAULT_TABLE(X) FAULT_COUNT };
#undef X
const char *fault_name(enum fault_kind k);
const char *fault_help(enum fault_kind k); // effect of the fault, a phrase for people
enum fault_target fault_target_of(enum fault_kind k) NONBLOCKING;
// Kinds of instrument that can have a fault, one bit each; all bits where it does not depend on the kind.
unsigned fault_instrument_kinds(enum fault_kind k);
const char *fault_parameter(enum fault_kind k, int which); // name of a parameter; "": none

// Parameters: enumerator, name with its unit, least and largest value, default (NAN: none, the parameter is
// required), meaning. of_instrument and with_thruster are names in a request and indices in struct fault.
#define FAULT_PARAMETER_TABLE(X)                                                                             \
  X(PARAMETER_AMPLITUDE, "amplitude", 0, 1e9, NAN,                                                           \
    "largest deviation of the wrong values, in the channel's unit")                                          \
  X(PARAMETER_BIAS, "bias", -1e9, 1e9, NAN, "bias added to the channel, in its unit")                        \
  X(PARAMETER_CHANNEL, "channel", 0, READING_CHANNELS - 1, 0, "index of the instrument's channel, from 0")   \
  X(PARAMETER_RATE, "rate_per_s", -1e9, 1e9, NAN,                                                            \
    "drift added per second since the fault began, in the channel's unit")                                   \
  X(PARAMETER_JUMP, "jump", -1e9, 1e9, NAN, "jump at the beginning of the fault, in the channel's unit")     \
  X(PARAMETER_GROWTH, "growth_per_s", 0, 1e9, NAN,                                                           \
    "standard deviation of white noise gained per second, in the channel's unit")                            \
  X(PARAMETER_PROBABILITY, "probability", 0, 1, NAN,                                                         \
    "probability that the fault affects a measurement or message")                                           \
  X(PARAMETER_PERIOD, "period_s", 1e-3, 1e6, NAN, "shortest time between measurements")                      \
  X(PARAMETER_DELAY, "delay_s", 0, LONGEST_DELAY_S, NAN,                                                     \
    "delay in addition to the latency of the instrument or network")                                         \
  X(PARAMETER_VALUE, "value", -1e12, 1e12, NAN, "fixed value of the channel, in its unit")                   \
  X(PARAMETER_FORWARD, "forward_m", -1e3, 1e3, NAN, "error of the assumed position, forward")                \
  X(PARAMETER_STARBOARD, "starboard_m", -1e3, 1e3, 0, "error of the assumed position, to starboard")         \
  X(PARAMETER_NORTH, "north_m", -1e4, 1e4, NAN,                                                              \
    "distance to the north by which the target or set-point moves")                                          \
  X(PARAMETER_EAST, "east_m", -1e4, 1e4, 0, "distance to the east by which the target or set-point moves")   \
  X(PARAMETER_LONGER, "longer_m", 0, 1e4, NAN,                                                               \
    "length by which the path of the reflection, or the wire, is longer")                                    \
  X(PARAMETER_TIMES, "times", 1, 1e4, NAN, "factor on the errors of the instrument")                         \
  X(PARAMETER_OF_INSTRUMENT, "of_instrument", 0, MAX_INSTRUMENTS - 1, NAN,                                   \
    "name of the instrument whose values are repeated")                                                      \
  X(PARAMETER_AGE, "age_s", 0, 1e6, NAN, "age added to the time stamp")                                      \
  X(PARAMETER_TURN, "rate_radps", -10, 10, NAN, "rate of turn of the azimuth")                               \
  X(PARAMETER_TURN_DEG, "turn_deg", -180, 180, NAN,                                                          \
    "angle by which the heading of the set-point changes, clockwise, in degrees")                            \
  X(PARAMETER_ABOUT, "about_m", -1e3, 1e3, 0,                                                                \
    "distance forward of the reference point of the point that keeps its place")                             \
  X(PARAMETER_FACTOR, "factor", -10, 10, NAN, "factor on the feedback, or on what the controller commands")  \
  X(PARAMETER_WITH_THRUSTER, "with_thruster", 0, MAX_THRUSTERS - 1, NAN,                                     \
    "name of the thruster whose feedback is shown")                                                          \
  X(PARAMETER_SHARE, "share", 0, 1, NAN, "share that remains")                                               \
  X(PARAMETER_RESTART, "restart_interval_s", 0, 1e4, 0,                                                      \
    "time between the restarts of the buses after the fault")                                                \
  X(PARAMETER_SPEED, "speed_mps", -5, 5, NAN, "speed of the tracks; positive: out")                          \
  X(PARAMETER_FILL, "fill_s", 1, 1e6, NAN, "time in which the water fills the bore")                         \
  X(PARAMETER_FROM, "from_m", 0, 1e6, 0, "arc length from which on the water fills the pipe")                \
  X(PARAMETER_LARGEST, "largest_s", 0, 10, NAN, "largest delay; delays are uniformly distributed")           \
  X(PARAMETER_STORM, "rate_hz", 1, 1e5, NAN, "datagrams a second to each group")                             \
  X(PARAMETER_CLOCK, "jump_s", -1e6, 1e6, NAN, "jump of the sender's clock")
#define X(id, name, low, high, fallback, help) id,
enum fault_parameter_id { FAULT_PARAMETER_TABLE(X) PARAMETER_COUNT };
#undef X
struct fault_parameter_def {
  const char *name;
  double low, high, fallback;
  const char *help;
};
const struct fault_parameter_def *fault_parameter_def(enum fault_parameter_id id);
int fault_parameter_find(const char *name); // enum fault_parameter_id; -1: unknown name

enum fault_kind fault_by_name(const char *name);    // FAULT_COUNT: unknown name
const char *fault_target_name(enum fault_target t); // "instrument", ...

struct fault {
  char name[SIGNAL_NAME]; // of the event or order that began it
  enum fault_kind kind;
  int target;     // index of the instrument, thruster or bus; -1: all
  double since_s; // simulated time at which it began
  double value[FAULT_PARAMETERS];
};

struct fault_set {
  int count;
  struct fault fault[MAX_FAULTS];
};

static inline int fault_hits(const struct fault *f, enum fault_kind kind, int target) {
  return f->kind == kind && (f->target == target || f->target < 0);
}
// The newest active fault of this kind on this target; NULL: none.
static inline const struct fault *fault_find(const struct fault_set *set, enum fault_kind kind, int target) {
  for (int i = set->count - 1; i >= 0; i--)
    if (fault_hits(&set->fault[i], kind, target))
      return &set->fault[i];
  return 0;
}

// ------------------------------------------------------------
// Names of instruments, thrusters and buses, and faults requested by name: by a configuration or by an
// operator, checked in the same way.

enum { MAX_COMMON_ERRORS = 4 }; // errors that several instruments have in common

struct hil_names {
  int instrument_count, thruster_count, bus_count, generator_count, tie_count;
  char instrument[MAX_INSTRUMENTS][SIGNAL_NAME], thruster[MAX_THRUSTERS][SIGNAL_NAME],
      bus[MAX_BUSES][SIGNAL_NAME], generator[MAX_GENERATORS][SIGNAL_NAME], tie[MAX_TIES][SIGNAL_NAME];
  enum instrument instrument_kind[MAX_INSTRUMENTS];
  double full_rpm[MAX_THRUSTERS]; // full revolutions of each thruster
  enum thruster_kind thruster_kind[MAX_THRUSTERS];
  int has_tensioner;   // nonzero: one that follows orders
  int has_power_plant; // nonzero: sets or batteries
  int common_count;    // errors that several instruments have in common
  char common[MAX_COMMON_ERRORS][SIGNAL_NAME];
  unsigned common_channels[MAX_COMMON_ERRORS];
  int other_targets[MAX_INSTRUMENTS]; // targets that a reference may take for its own
  int controller_count;               // that the case lists
  char controller[MAX_CONTROLLERS][SIGNAL_NAME];
  int has_backup;         // nonzero: one of them is a backup, so that there are zones
  int has_fixed_setpoint; // nonzero: the set-point is part of the model
  int has_bore;           // nonzero: a pipe that water can fill
  int has_network_b;      // nonzero: of controllers, sentences or Modbus
};

struct fault_parameter_given {
  char name[SIGNAL_NAME];
  int is_text;
  double number;
  char text[SIGNAL_NAME];
};

struct fault_request {
  char kind[SIGNAL_NAME];
  char target[SIGNAL_NAME]; // a name or "all"; empty where the kind has only one target
  int parameter_count;
  struct fault_parameter_given parameter[FAULT_PARAMETERS + 1]; // room for one too many
};

// Where the error in a request is: in a part of it, or in the parameter of this index (from 0).
enum { FAULT_WRONG_PARAMETER = 0, FAULT_WRONG_KIND = -1, FAULT_WRONG_TARGET = -2, FAULT_MISSING = -3 };

// Checks a request and makes its fault. On failure *where is the place of the error, and why states what was
// expected and what was found.
enum status fault_from_request(const struct hil_names *names, const struct fault_request *request,
                               struct fault *out, int *where, struct reason *why);

// True if a fault from a file could have been requested (sagbend/base/base.h).
int fault_is_valid(const struct hil_names *names, const struct fault *f, struct reason *why);

// The request that makes this fault.
void fault_to_request(const struct hil_names *names, const struct fault *f, struct fault_request *out);

// The sources of alarms, from 0: names of instruments, of thrusters, of buses, then the words. NULL: no more.
const char *dp_alarm_source_at(const struct hil_names *names, int index);
int dp_alarm_source_index(const struct hil_names *names, const char *source); // -1: it is none

// Whether a word can be the source of an alarm: a name of the vessel's equipment, or a word of
// dp_alarm_source_word.
int dp_alarm_source_is_known(const struct hil_names *names, const char *source);

// Whether each alarm names equipment of the vessel, or one of the words (sagbend/signals/signals.h).
enum status dp_alarm_sources_check(const struct hil_names *names, const struct dp_alarm_list *alarms,
                                   struct reason *why);

// Target of a fault, for people: "gyro-2", "all thrusters", "commands".
struct fault_text {
  char text[64];
};
struct fault_text fault_target_text(const struct hil_names *names, const struct fault *f);

// ------------------------------------------------------------
// Faults of thrusters, of their power supply and of the tensioner: they alter the set-points and switches of
// a step, and the feedback in Sensors. The physics is in sagbend/vessel/vessel.h and sagbend/lay/lay.h.

// Buses that are still dead after a blackout: they return one after the other when it ends.
struct restart {
  uint64_t back_step[MAX_BUSES]; // the bus is dead before this step
};

// Updates the restart of the buses after a step, with the faults that are active from now on.
void restart_update(struct restart *r, const struct fault_set *faults, int bus_count, uint64_t step,
                    double step_s) NONBLOCKING;

// Applies the faults to the input of a step. setpoint: as commanded, altered here by to_zero, to_full and
// rotating. time_s: at the start of the step.
void plant_apply_faults(const struct fault_set *faults, const struct restart *r,
                        const struct hil_names *names, uint64_t step, double time_s,
                        struct thruster_setpoint setpoint[MAX_THRUSTERS],
                        struct sim_input *input) NONBLOCKING;

// Writes the feedback of thrusters and buses in this true state to the readings.
void plant_feedback(const struct fault_set *faults, const struct hil_names *names,
                    const struct sim_output *truth, struct readings *told) NONBLOCKING;
