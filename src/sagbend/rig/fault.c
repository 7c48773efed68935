#include "sagbend/rig/fault.h"

#include <string.h>

static const struct {
  const char *name;
  enum fault_target target;
  const char *parameter[FAULT_PARAMETERS];
} kinds[] = {
#define X(id, text, target, first, second) {text, target, {first, second}},
    FAULT_TABLE(X)
#undef X
};

const char *fault_name(enum fault_kind k) {
  return (unsigned)k < FAULT_COUNT ? kinds[k].name : "unknown";
}

enum fault_target fault_target_of(enum fault_kind k) {
  return kinds[(unsigned)k < FAULT_COUNT ? k : 0].target;
}

// The faults that instruments.inc says of a kind beside those of every instrument.
static const unsigned char OTHER_FAULTS[INSTRUMENT_COUNT][FAULT_COUNT] = {
#define CAN(fault) , [FAULT_##fault] = 1
#define NO_OTHER
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = {0 faults},
#include "sagbend/signals/instruments.inc"
};

unsigned fault_instrument_kinds(enum fault_kind k) {
  unsigned found = 0;
  for (int i = 0; i < INSTRUMENT_COUNT; i++)
    found |= OTHER_FAULTS[i][k] ? 1u << i : 0;
  return found ? found : ~0u;
}

const char *fault_help(enum fault_kind k) {
  static const char *const texts[FAULT_COUNT] = {
      [FAULT_OFF] = "no measurements",
      [FAULT_FREEZE] = "measurements repeat the last value",
      [FAULT_GARBAGE] = "every channel is random within the amplitude",
      [FAULT_BIAS] = "a bias is added to a channel",
      [FAULT_DRIFT] = "a bias that grows with time is added to a channel",
      [FAULT_STEP] = "a channel jumps",
      [FAULT_NOISE] = "white noise that grows with time is added to a channel",
      [FAULT_OUTLIERS] = "some measurements deviate by the amplitude",
      [FAULT_SLOW] = "measurements are no more frequent than this",
      [FAULT_DELAY] = "measurements arrive later",
      [FAULT_INTERMITTENT] = "some measurements are lost",
      [FAULT_INVALID] = "measurements are marked invalid",
      [FAULT_VALID] = "measurements are marked valid, whatever they contain",
      [FAULT_FIXED] = "a channel has this value",
      [FAULT_LEVER_ARM] = "the instrument is not at its configured position",
      [FAULT_COPY] = "the instrument repeats another of its kind",
      [FAULT_TARGET_MOVED] = "the first target of the reference is not where the chart has it",
      [FAULT_OBSTRUCTED] = "the line of sight or the path of the sound is blocked",
      [FAULT_OTHER_TARGET] = "the reference takes another of its targets for its own",
      [FAULT_REFLECTION] = "the measurement comes by a longer path",
      [FAULT_NOISE_BURST] = "the errors of the instrument grow, as by thrusters' noise in the water",
      [FAULT_WIRE_DRAGGED] = "the weight of the wire holds by a share of its friction only, and slides",
      [FAULT_WIRE_JAMMED] = "the winch of the wire does not move",
      [FAULT_WIRE_SLACK] = "the winch has paid out too much wire and does not take it up",
      [FAULT_COMMON_BIAS] = "a bias is added to a channel of all instruments with this error",
      [FAULT_CHECKSUM] = "NMEA sentences have wrong checksums",
      [FAULT_TALKER] = "NMEA sentences have another talker",
      [FAULT_DUPLICATE_SENTENCE] = "NMEA sentences are sent twice",
      [FAULT_AGE] = "NMEA sentences have an older time stamp",
      [FAULT_STUCK] = "revolutions, pitch and azimuth do not move",
      [FAULT_TO_ZERO] = "the set-point is zero",
      [FAULT_TO_FULL] = "the set-point is full",
      [FAULT_ROTATING] = "the azimuth turns",
      [FAULT_FEEDBACK] = "the feedback is wrong by a factor",
      [FAULT_SWAPPED] = "the feedback is that of another thruster",
      [FAULT_NOT_READY] = "the thruster ignores commands and stops",
      [FAULT_SLUGGISH] = "the thruster follows its set-points slowly",
      [FAULT_LOAD_LIMIT] = "only a share of the power is available",
      [FAULT_BUS_LOST] = "the breaker opens and the thrusters of the bus stop",
      [FAULT_BLACKOUT] = "all buses are lost, and return one after the other",
      [FAULT_GOVERNOR_HIGH] = "the governor gives full fuel",
      [FAULT_GOVERNOR_LOW] = "the governor gives no fuel",
      [FAULT_GOVERNOR_STUCK] = "the fuel rack does not move",
      [FAULT_FIELD_HIGH] = "the generator is over-excited",
      [FAULT_FIELD_LOW] = "the generator is under-excited",
      [FAULT_TRIP] = "the breaker of the set opens and stays open",
      [FAULT_FUEL_LOSS] = "the engine gets no fuel",
      [FAULT_START] = "the engine does not start",
      [FAULT_STATUS_FROZEN] = "power management keeps the status of the breaker that it had",
      [FAULT_TIE_OPENS] = "the tie opens and stays open",
      [FAULT_TIE_STUCK] = "the tie does not open",
      [FAULT_NO_REDUCTION] = "power management does not reduce the drives",
      [FAULT_BRAKE] = "the brake of the tensioner holds a share only",
      [FAULT_SLIP] = "the grip of the tensioner holds a share only, and the pipe slips beyond it",
      [FAULT_RUNAWAY] = "the tensioner moves the pipe at this speed, whatever is ordered",
      [FAULT_FLOODING] = "water fills the pipe from a place on, up to the surface",
      [FAULT_LOSS] = "commands are lost",
      [FAULT_JITTER] = "commands are delayed by a random time",
      [FAULT_DUPLICATE] = "commands arrive twice",
      [FAULT_REORDER] = "commands overtake each other",
      [FAULT_SENSORS_LOSS] = "Sensors are lost",
      [FAULT_CLOCK_STEP] = "the time in Sensors jumps",
      [FAULT_EMERGENCY_STOP] =
          "the thruster stops at once, whatever its other faults; no fault, an intervention",
      [FAULT_EMERGENCY_RESET] = "an operator resets the emergency stop; no fault, and over at once",
      [FAULT_SETPOINT_MOVED] = "an operator moves the set-point; no fault, and over at once",
      [FAULT_SETPOINT_TURNED] = "an operator turns the heading of the set-point; no fault, and over at once",
  };
  return (unsigned)k < FAULT_COUNT ? texts[k] : "unknown";
}

const char *fault_parameter(enum fault_kind k, int which) {
  return (unsigned)k < FAULT_COUNT && (unsigned)which < FAULT_PARAMETERS ? kinds[k].parameter[which] : "";
}

const struct fault_parameter_def *fault_parameter_def(enum fault_parameter_id id) {
  static const struct fault_parameter_def defs[] = {
#define X(id, name, low, high, fallback, help) {name, low, high, fallback, help},
      FAULT_PARAMETER_TABLE(X)
#undef X
  };
  return &defs[(unsigned)id < PARAMETER_COUNT ? id : 0];
}

int fault_parameter_find(const char *name) {
  for (int i = 0; i < PARAMETER_COUNT; i++)
    if (!strcmp(fault_parameter_def((enum fault_parameter_id)i)->name, name))
      return i;
  return -1;
}

enum fault_kind fault_by_name(const char *name) {
  int k = 0;
  while (k < FAULT_COUNT && strcmp(fault_name((enum fault_kind)k), name) != 0)
    k++;
  return (enum fault_kind)k;
}

const char *fault_target_name(enum fault_target t) {
  static const char *const names[] = {"instrument", "common error", "instrument",       "thruster",  "bus",
                                      "generator",  "tie",          "power management", "tensioner", "pipe",
                                      "commands",   "sensors",      "set-point"};
  return (unsigned)t < sizeof names / sizeof *names ? names[t] : "unknown";
}
