// Faults that are active now. Scenario events and operators' orders switch them (rig/events.h); sensors, thrusters, power and links look
// them up. They act on the way of a signal or on a switch of the plant, never on the physics.
#pragma once

#include "control/readings.h"

enum { MAX_FAULTS = 64, FAULT_PARAMETERS = 2 };

// What a fault can be done to.
enum fault_target {
  TARGET_INSTRUMENT, // its signal: every telegram, in the messages and in NMEA
  TARGET_TELEGRAM,   // the NMEA sentences of an instrument, not the messages
  TARGET_THRUSTER,
  TARGET_BUS,
  TARGET_COMMAND, // the way of commands from the controller
  TARGET_SENSORS  // the way of Sensors to the controller
};

// Enumerator, name, target, parameters in order (a name with its unit; "" none).
#define FAULT_TABLE(X)                                                                                                   \
  X(FAULT_OFF, "off", TARGET_INSTRUMENT, "", "")                                                                         \
  X(FAULT_FREEZE, "freeze", TARGET_INSTRUMENT, "", "")                                                                   \
  X(FAULT_GARBAGE, "garbage", TARGET_INSTRUMENT, "amplitude", "")                                                        \
  X(FAULT_BIAS, "bias", TARGET_INSTRUMENT, "bias", "channel")                                                            \
  X(FAULT_DRIFT, "drift", TARGET_INSTRUMENT, "rate_per_s", "channel")                                                    \
  X(FAULT_STEP, "step", TARGET_INSTRUMENT, "step", "channel")                                                            \
  X(FAULT_NOISE, "noise", TARGET_INSTRUMENT, "growth_per_s", "channel")                                                  \
  X(FAULT_OUTLIERS, "outliers", TARGET_INSTRUMENT, "amplitude", "probability")                                           \
  X(FAULT_SLOW, "slow", TARGET_INSTRUMENT, "period_s", "")                                                               \
  X(FAULT_DELAY, "delay", TARGET_INSTRUMENT, "delay_s", "")                                                              \
  X(FAULT_INTERMITTENT, "intermittent", TARGET_INSTRUMENT, "probability", "")                                            \
  X(FAULT_INVALID, "invalid", TARGET_INSTRUMENT, "", "")                                                                 \
  X(FAULT_VALID, "valid", TARGET_INSTRUMENT, "", "")                                                                     \
  X(FAULT_FIXED, "fixed", TARGET_INSTRUMENT, "value", "channel")                                                         \
  X(FAULT_LEVER_ARM, "lever_arm", TARGET_INSTRUMENT, "forward_m", "starboard_m")                                         \
  X(FAULT_COPY, "copy", TARGET_INSTRUMENT, "of_instrument", "")                                                          \
  X(FAULT_CHECKSUM, "checksum", TARGET_TELEGRAM, "", "")                                                                 \
  X(FAULT_TALKER, "talker", TARGET_TELEGRAM, "", "")                                                                     \
  X(FAULT_DUPLICATE_TELEGRAM, "duplicate_telegram", TARGET_TELEGRAM, "", "")                                             \
  X(FAULT_AGE, "age", TARGET_TELEGRAM, "age_s", "")                                                                      \
  X(FAULT_STUCK, "stuck", TARGET_THRUSTER, "", "")                                                                       \
  X(FAULT_TO_ZERO, "to_zero", TARGET_THRUSTER, "", "")                                                                   \
  X(FAULT_TO_FULL, "to_full", TARGET_THRUSTER, "", "")                                                                   \
  X(FAULT_ROTATING, "rotating", TARGET_THRUSTER, "rate_radps", "")                                                       \
  X(FAULT_FEEDBACK, "feedback", TARGET_THRUSTER, "factor", "")                                                           \
  X(FAULT_SWAPPED, "swapped_feedback", TARGET_THRUSTER, "with_thruster", "")                                             \
  X(FAULT_NOT_READY, "not_ready", TARGET_THRUSTER, "", "")                                                               \
  X(FAULT_SLUGGISH, "sluggish", TARGET_THRUSTER, "factor", "")                                                           \
  X(FAULT_LOAD_LIMIT, "load_limit", TARGET_BUS, "share", "")                                                             \
  X(FAULT_BUS_LOST, "bus_lost", TARGET_BUS, "", "")                                                                      \
  X(FAULT_BLACKOUT, "blackout", TARGET_BUS, "restart_interval_s", "")                                                    \
  X(FAULT_LOSS, "loss", TARGET_COMMAND, "probability", "")                                                               \
  X(FAULT_JITTER, "jitter", TARGET_COMMAND, "largest_s", "")                                                             \
  X(FAULT_DUPLICATE, "duplicate", TARGET_COMMAND, "probability", "")                                                     \
  X(FAULT_REORDER, "reorder", TARGET_COMMAND, "probability", "")                                                         \
  X(FAULT_SENSORS_LOSS, "sensors_loss", TARGET_SENSORS, "probability", "")                                               \
  X(FAULT_CLOCK_STEP, "clock_step", TARGET_SENSORS, "step_s", "")
#define X(name, text, target, first, second) name,
enum fault_kind { FAULT_TABLE(X) FAULT_COUNT };
#undef X
const char *fault_name(enum fault_kind k);
enum fault_target fault_target_of(enum fault_kind k);
const char *fault_parameter(enum fault_kind k, int which); // "" if it has none

struct fault {
  enum fault_kind kind;
  int target;      // index of the instrument, thruster or bus; -1: all of them
  double since_s;  // when it began
  double value[FAULT_PARAMETERS];
};

struct fault_set {
  int count;
  struct fault fault[MAX_FAULTS];
};

static inline int fault_hits(const struct fault *f, enum fault_kind kind, int target) {
  return f->kind == kind && (f->target == target || f->target < 0);
}
// The newest of this kind on this target; NULL: none.
static inline const struct fault *fault_find(const struct fault_set *set, enum fault_kind kind, int target) {
  for (int i = set->count - 1; i >= 0; i--)
    if (fault_hits(&set->fault[i], kind, target))
      return &set->fault[i];
  return 0;
}
