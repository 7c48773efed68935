// From telegrams to readings: the place of a fix in the world plane, axes of an acoustic position, the
// elevation that a laser does not tell, the rate of what comes without one.
#include "programs/dp/telegrams.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_ALONE = 10 };         // that may come without their rate
static const double SMOOTH_S = 0.5; // of a value whose rate is wanted
static const double GAP_S = 5;      // after which it begins again
static const double TURN = 2 * 3.14159265358979323846;

static const struct dp_instrument *instrument_of(const struct dp_config *config, int i) {
  const struct navigation_def *navigation = &config->def.navigation;
  for (int k = 0; k < navigation->count; k++)
    if (!strcmp(navigation->instrument[k].name, config->telegram[i].instrument))
      return &navigation->instrument[k];
  return NULL; // never: the DP file was checked
}

void dp_telegrams_begin(struct dp_telegrams *t) {
  for (int i = 0; i < t->config->telegram_count; i++) {
    struct telegram_instrument *of = &t->instrument[i];
    memset(&of->newest, 0, sizeof of->newest);
    memcpy(of->newest.name, of->def->name, sizeof of->def->name);
    of->newest.kind = of->def->kind;
    of->values_alone = 0;
    of->smooth_s = -GAP_S;
    snprintf(of->target, sizeof of->target, "%s", of->telegram->target);
    telegram_port_forget(&of->port);
  }
}

enum status dp_telegrams_open(struct dp_telegrams *t, const struct dp_config *config, struct reason *why) {
  memset(t, 0, sizeof *t);
  t->config = config;
  for (int i = 0; i < MAX_DP_TELEGRAMS; i++)
    t->instrument[i].port.file = -1;
  for (int i = 0; i < config->telegram_count; i++) {
    t->instrument[i].def = instrument_of(config, i);
    t->instrument[i].telegram = &config->telegram[i];
    if (telegram_port_open(&t->instrument[i].port, config->telegram[i].port) != 0)
      return fail(why, STATUS_IO, "telegrams of %s at UDP port %d: %s", config->telegram[i].instrument,
                  config->telegram[i].port, strerror(errno));
  }
  dp_telegrams_begin(t);
  return STATUS_OK;
}

void dp_telegrams_close(struct dp_telegrams *t) {
  for (int i = 0; i < MAX_DP_TELEGRAMS; i++)
    telegram_port_close(&t->instrument[i].port);
}

static void refuse(struct telegram_instrument *of, const char *why) {
  of->refused++;
  snprintf(of->problem, sizeof of->problem, "%s: %s", of->newest.name, why);
}

// A fix without a velocity beside it would be held for one of a vessel at rest.
static void place_fix(const struct dp_telegrams *t, struct telegram_instrument *of,
                      const struct telegram *telegram) {
  struct reading *to = &of->newest;
  double plane[2];
  to->valid = telegram_in_plane(t->config->origin_rad, telegram->value, plane);
  if (to->valid)
    memcpy(to->value, plane, sizeof plane);
  if (!to->valid)
    refuse(of, "a position within 1000 km of nmea.origin_deg expected in GGA");
  else if (of->values_alone > VALUES_ALONE) {
    to->valid = 0;
    refuse(of, "VTG expected beside GGA: the velocity is missing");
  }
}

// The rate of gyros and motion sensors that do not tell it, from the value itself: one of 0 would deny each
// turn.
static void find_rate(struct telegram_instrument *of, double time_s) {
  static const int values[INSTRUMENT_COUNT] = {[INSTRUMENT_GYRO] = 1, [INSTRUMENT_MOTION] = 2};
  int count = values[of->newest.kind], rate = of->newest.kind == INSTRUMENT_GYRO ? 1 : 3;
  double h_s = time_s - of->smooth_s, *value = of->newest.value;
  if (!count || (of->newest.kind == INSTRUMENT_GYRO && of->values_alone <= VALUES_ALONE))
    return;
  for (int k = 0; k < count; k++) {
    if (h_s >= GAP_S)
      of->smooth[k] = value[k];
    value[rate + k] = remainder(value[k] - of->smooth[k], TURN) / (SMOOTH_S + fmin(h_s, GAP_S));
    of->smooth[k] += fmin(h_s, GAP_S) * value[rate + k];
  }
  of->smooth_s = time_s;
}

// 1: the telegram is of the target of this port, which is the first that comes unless the DP file names it.
// Of a laser and a radar without a name the controller looks at the number itself.
static int is_of_target(struct telegram_instrument *of, struct telegram *telegram) {
  char text[120];
  int is_scan = of->newest.kind == INSTRUMENT_LASER || of->newest.kind == INSTRUMENT_RADAR;
  if (!*telegram->target || (is_scan && !*of->telegram->target))
    return 1;
  if (!*of->target && telegram->valid)
    memcpy(of->target, telegram->target, sizeof of->target);
  if (strcmp(of->target, telegram->target) != 0) {
    snprintf(text, sizeof text, "telegrams of %s expected, got one of %s",
             *of->target ? of->target : "a target with a fix", telegram->target);
    refuse(of, text);
    return 0;
  }
  if (is_scan)
    telegram->value[3] = 1; // the one that is meant
  return 1;
}

// Turns an acoustic position and a laser's bearing to the bow with the heading by which the controller turns
// it back, and gives a laser that tells no elevation that of its target.
static void complete(const struct dp_telegrams *t, struct telegram_instrument *of,
                     const struct telegram *telegram) {
  double *value = of->newest.value;
  const struct dp_instrument *d = of->def;
  if (d->kind == INSTRUMENT_HYDROACOUSTIC && telegram->axes == AXES_NORTH) {
    double c = cos(t->pose.heading_rad), s = sin(t->pose.heading_rad);
    value[0] = c * telegram->value[0] + s * telegram->value[1];
    value[1] = c * telegram->value[1] - s * telegram->value[0];
  }
  int is_scan = d->kind == INSTRUMENT_LASER || d->kind == INSTRUMENT_RADAR;
  if (is_scan && telegram->axes == AXES_NORTH)
    value[1] = remainder(telegram->value[1] - t->pose.heading_rad, TURN);
  if (is_scan && !(telegram->channels >> 2 & 1u)) {
    double up_m = d->has_target ? t->pose.down_m + d->position_b_m[2] - d->target_m[2] : 0;
    value[2] = value[0] > fabs(up_m) ? asin(up_m / value[0]) : 0;
  }
}

// Whether it may become a measurement; otherwise it is refused.
static int is_to_be_used(const struct dp_telegrams *t, struct telegram_instrument *of,
                         struct telegram *telegram) {
  if (!is_of_target(of, telegram))
    return 0;
  if (!(telegram->channels & 1u) || telegram_port_admit(&of->port, t->time_s))
    return 1;
  refuse(of, "telegrams of one sender expected, got one of another");
  return 0;
}

struct taking {
  struct dp_telegrams *t;
  struct telegram_instrument *of;
};

static int is_whole(void *owner, const char *line, size_t size) {
  const struct taking *taking = owner;
  struct telegram telegram;
  struct reason why;
  return telegram_read(line, size, taking->of->newest.kind, &telegram, &why) == STATUS_OK;
}

static void take_line(void *owner, const char *line, size_t size, const char *wrong) {
  const struct taking *taking = owner;
  struct telegram_instrument *of = taking->of;
  struct reading *to = &of->newest;
  struct telegram telegram;
  struct reason why = {""};
  if (!line || telegram_read(line, size, to->kind, &telegram, &why) != STATUS_OK) {
    refuse(of, line ? why.text : wrong);
    return;
  }
  if (*telegram.other) {
    of->others++;
    memcpy(of->other, telegram.other, sizeof of->other);
    return;
  }
  if (!is_to_be_used(taking->t, of, &telegram))
    return;
  of->received++;
  const int from = telegram.valid ? 0 : to->kind == INSTRUMENT_TAUT_WIRE ? 2 : READING_CHANNELS;
  for (int k = from; k < READING_CHANNELS; k++) // a slack wire still has a length, a tension and its switch
    if (telegram.channels >> k & 1u && (telegram.axes != AXES_GEOGRAPHIC || k > 1))
      to->value[k] = telegram.value[k];
  if (telegram.channels >> (to->kind == INSTRUMENT_GNSS ? 3 : 1) & 1u)
    of->values_alone = 0;
  if (!(telegram.channels & 1u))
    return;
  to->valid = telegram.valid;
  to->sequence++;
  to->time_s = fmax(0, taking->t->time_s - of->telegram->latency_s);
  if (!telegram.valid)
    return;
  of->values_alone += of->values_alone < 2 * VALUES_ALONE;
  find_rate(of, taking->t->time_s);
  if (telegram.axes == AXES_GEOGRAPHIC)
    place_fix(taking->t, of, &telegram);
  complete(taking->t, of, &telegram);
}

static void replace(struct readings *readings, const struct reading *newest) {
  for (int k = 0; k < readings->instrument_count; k++)
    if (readings->instrument[k].kind == newest->kind && !strcmp(readings->instrument[k].name, newest->name)) {
      readings->instrument[k] = *newest;
      return;
    }
  if (readings->instrument_count > 0 && readings->instrument_count < MAX_INSTRUMENTS)
    readings->instrument[readings->instrument_count++] = *newest;
}

void dp_telegrams_take(struct dp_telegrams *t, double time_s, const struct telegram_pose *pose,
                       struct readings *readings) {
  t->time_s = time_s;
  t->pose = *pose;
  for (int i = 0; i < t->config->telegram_count; i++) {
    struct taking taking = {t, &t->instrument[i]};
    telegram_port_take(&t->instrument[i].port, &(struct telegram_sink){take_line, is_whole, &taking});
    replace(readings, &t->instrument[i].newest);
  }
}
