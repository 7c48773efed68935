#include "sagbend/signals/readings.h"

#include "sagbend/math/trig.h"

#include <stdio.h>

// The words of instruments.inc as numbers.
#define AS_ARM                             1
#define AS_NO_ARM                          0
#define AS_SHOWN                           1
#define AS_HIDDEN                          0
#define AS_NO_FIX                          FIX_NONE, 0, 0
#define AS_RECEIVER                        FIX_RECEIVER, 0, 0
#define AS_PLACE(sigma_m)                  FIX_PLACE, sigma_m, 0
#define AS_TARGET(fix, sigma_m, sigma_deg) FIX_TARGET, sigma_m, sigma_deg *TRIG_PI / 180
#define AS_ALONE(function)                 0, BY_NOTHING
#define AS_AGAINST(look, most, by, report) most, BY_##by
static const struct instrument_kind KINDS[] = {
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = {#name,      talker,   NEEDS_##need, PLACE_##place, AS_##arm, TELEGRAMS_##read,        \
                       AS_##shown, AS_##fix, AS_##measured},
#include "sagbend/signals/instruments.inc"
};

static const struct instrument_channel CHANNELS[INSTRUMENT_COUNT][READING_CHANNELS] = {
#define CHANNEL(id, channel, name, unit, form, meaning)                                                      \
  [INSTRUMENT_##id][channel] = {name, unit, meaning, CHANNEL_##form},
#include "sagbend/signals/instruments.inc"
};

// Each kind has a first channel and a quantity, or the last two lines do not compile.
#define CHANNEL(id, channel, name, unit, form, meaning) enum { CHANNEL_##channel##_OF_##id };
#define QUANTITY(id, name, channels)                    typedef char quantity_of_##id;
#include "sagbend/signals/instruments.inc"
#define INSTRUMENT(id, ...)                                                                                  \
  _Static_assert(CHANNEL_0_OF_##id == 0 && sizeof(quantity_of_##id) == 1, "a channel and a quantity");
#include "sagbend/signals/instruments.inc"

const struct instrument_kind *instrument_kind(enum instrument kind) {
  return &KINDS[kind];
}

const struct instrument_channel *instrument_channel(enum instrument kind, int channel) {
  return &CHANNELS[kind][channel];
}

const char *instrument_name(enum instrument kind) {
  return (unsigned)kind < INSTRUMENT_COUNT ? KINDS[kind].name : "unknown";
}

int instrument_channel_count(enum instrument kind) {
  int count = 0;
  while ((unsigned)kind < INSTRUMENT_COUNT && count < READING_CHANNELS && CHANNELS[kind][count].name)
    count++;
  return count;
}

unsigned instrument_kinds(int (*has)(const struct instrument_kind *kind)) {
  unsigned kinds = 0;
  for (int k = 0; k < INSTRUMENT_COUNT; k++)
    kinds |= has(&KINDS[k]) ? 1u << k : 0;
  return kinds;
}

void instrument_names(unsigned kinds, char out[INSTRUMENT_NAMES]) {
  size_t used = 0;
  *out = '\0';
  for (int k = 0, any = 0; k < INSTRUMENT_COUNT && used < INSTRUMENT_NAMES; k++) {
    if (!(kinds >> k & 1u))
      continue;
    const int is_last = !(kinds >> k >> 1);
    used += (size_t)snprintf(out + used, INSTRUMENT_NAMES - used, "%s%s",
                             !any      ? ""
                             : is_last ? " or "
                                       : ", ",
                             KINDS[k].name);
    any = 1;
  }
}

int instrument_is_slack(enum instrument kind, const double value[READING_CHANNELS]) {
  enum { SLACK = 4 };
  return kind == INSTRUMENT_TAUT_WIRE && value[SLACK] > 0.5;
}
