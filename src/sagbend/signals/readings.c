// What is measured and ordered, by name: instruments, set-points of the tensioner, orders on a track.
#include "sagbend/signals/signals.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
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

// ------------------------------------------------------------
#define ROW(KIND, word, title, steering, axis, in_tunnel, meaning)                                           \
  [THRUSTER_##KIND] = {word, title, steering, axis, in_tunnel},
const struct thruster_kind_row THRUSTER_KINDS[THRUSTER_KIND_COUNT] = {THRUSTER_KIND_TABLE(ROW)};
#undef ROW

// The forces of a rudder (sagbend/thrusters/plant_hold.c, sagbend/thrust/actuator.c) are those behind
// thrust ahead.
#define RUDDER_IS_ASTERN(KIND, word, title, steering, axis, ...)                                             \
  _Static_assert((steering) != STEERING_RUDDER || (axis) == AXIS_AHEAD,                                      \
                 "a rudder of a thruster that thrusts ahead");
THRUSTER_KIND_TABLE(RUDDER_IS_ASTERN)
#undef RUDDER_IS_ASTERN

// ------------------------------------------------------------
const char *tensioner_mode_name(int mode) {
  static const char *const names[] = {"brake", "tension", "speed"};
  return (unsigned)mode < TENSIONER_MODE_COUNT ? names[mode] : "unknown";
}

const char *tensioner_source_name(int source) {
  static const char *const names[] = {"programme", "controller", "operator"};
  return (unsigned)source < TENSIONER_SOURCE_COUNT ? names[source] : "unknown";
}

static enum status check_source(const struct tensioner_rule *rule, enum tensioner_source source,
                                struct reason *why) {
  if (!rule->present)
    return fail(why, STATUS_BAD_INPUT, "the order tensioner needs pipe.tensioner");
  if (source == TENSIONER_BY_CONTROLLER && !rule->from_controllers)
    return fail(why, STATUS_BAD_INPUT,
                "tensioner: an order of a controller needs pipe.tensioner.accept all or controller");
  if (source == TENSIONER_BY_OPERATOR && !rule->from_operators)
    return fail(why, STATUS_BAD_INPUT,
                "tensioner: an order of an operator needs pipe.tensioner.accept all or operator");
  return STATUS_OK;
}

enum status tensioner_setpoint_check(const struct tensioner_rule *rule, enum tensioner_source source,
                                     const struct tensioner_setpoint *order, struct reason *why) {
  if (!order->given)
    return STATUS_OK;
  if (check_source(rule, source, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const double least = rule->tension_min_n, most = rule->tension_max_n, force = order->tension_n;
  if (order->mode == TENSIONER_TENSION && !(force > 0 && force >= least && force <= most))
    return fail(
        why, STATUS_BAD_INPUT,
        "tensioner.tension_n: at least %s N, half of the dead band, and at most %s N expected, got %s",
        number_text(least).text, number_text(most).text, number_text(force).text);
  if (order->mode == TENSIONER_SPEED && !(fabs(order->speed_mps) <= rule->speed_max_mps))
    return fail(why, STATUS_BAD_INPUT, "tensioner.speed_mps: at most %s m/s out or back expected, got %s",
                number_text(rule->speed_max_mps).text, number_text(order->speed_mps).text);
  return STATUS_OK;
}

int tensioner_setpoint_is_valid(const struct tensioner_setpoint *order, struct reason *why) {
  return valid_flag(order->given, "tensioner.given", why) &&
         valid_index((int64_t)order->mode, 0, TENSIONER_MODE_COUNT - 1, "tensioner.mode", why) &&
         valid_finite(&order->tension_n, 1, "tensioner.tension_n", why) &&
         valid_finite(&order->speed_mps, 1, "tensioner.speed_mps", why);
}

// ------------------------------------------------------------
void track_orders_take(struct track_orders *orders, const struct track_order *order) {
  if (order->kind == TRACK_ORDER_SPEED)
    orders->speed_mps = order->speed_mps;
  else
    orders->is_stopped = order->kind == TRACK_ORDER_STOP;
}

enum status track_order_check(const struct track_order *order, double most_mps, struct reason *why) {
  if (order->kind != TRACK_ORDER_SPEED ||
      (order->speed_mps >= TRACK_SPEED_MIN && order->speed_mps <= most_mps))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "track: a speed from %g to %g m/s expected, got %g", TRACK_SPEED_MIN,
              most_mps, order->speed_mps);
}

int track_orders_are_valid(const struct track_orders *orders, struct reason *why) {
  return valid_whole(orders->is_stopped, 0, 1, "is_stopped", why) &&
         valid_range(orders->speed_mps, 0, TRACK_SPEED_MAX, "speed_mps", why);
}
