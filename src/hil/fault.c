#include "hil/fault.h"

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

const char *fault_help(enum fault_kind k) {
  static const char *const texts[FAULT_COUNT] = {
      [FAULT_OFF] = "no telegrams",
      [FAULT_FREEZE] = "telegrams go on and say what the last one said",
      [FAULT_GARBAGE] = "every channel is random within the amplitude",
      [FAULT_BIAS] = "is added to a channel",
      [FAULT_DRIFT] = "is added to a channel, growing with time",
      [FAULT_STEP] = "a channel jumps",
      [FAULT_NOISE] = "white noise on a channel, growing with time",
      [FAULT_OUTLIERS] = "some telegrams are off by the amplitude",
      [FAULT_SLOW] = "telegrams no more often than this",
      [FAULT_DELAY] = "telegrams come later",
      [FAULT_INTERMITTENT] = "some telegrams are lost",
      [FAULT_INVALID] = "telegrams say that they are not valid",
      [FAULT_VALID] = "telegrams say that they are valid, whatever they hold",
      [FAULT_FIXED] = "a channel says this value",
      [FAULT_LEVER_ARM] = "it is elsewhere than the configuration says",
      [FAULT_COPY] = "it says what another of its kind says",
      [FAULT_CHECKSUM] = "wrong checksums in its sentences",
      [FAULT_TALKER] = "another talker in its sentences",
      [FAULT_DUPLICATE_SENTENCE] = "its sentences come twice",
      [FAULT_AGE] = "its sentences tell an older time",
      [FAULT_STUCK] = "revolutions, pitch and azimuth stay where they are",
      [FAULT_TO_ZERO] = "its set-point is zero",
      [FAULT_TO_FULL] = "its set-point is full",
      [FAULT_ROTATING] = "its azimuth turns",
      [FAULT_FEEDBACK] = "its feedback is not what it does",
      [FAULT_SWAPPED] = "it shows another thruster's feedback",
      [FAULT_NOT_READY] = "it takes no commands and stops",
      [FAULT_SLUGGISH] = "it follows its set-points slowly",
      [FAULT_LOAD_LIMIT] = "only a share of its power is there",
      [FAULT_BUS_LOST] = "its breaker opens, its thrusters stop",
      [FAULT_BLACKOUT] = "all buses are lost, and come back one after the other",
      [FAULT_LOSS] = "commands are lost",
      [FAULT_JITTER] = "commands come late by a random time",
      [FAULT_DUPLICATE] = "commands come twice",
      [FAULT_REORDER] = "commands overtake each other",
      [FAULT_SENSORS_LOSS] = "sensors are lost",
      [FAULT_CLOCK_STEP] = "the time that sensors tell jumps",
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
  static const char *const names[] = {"instrument", "instrument", "thruster", "bus", "commands", "sensors"};
  return (unsigned)t < sizeof names / sizeof *names ? names[t] : "unknown";
}
