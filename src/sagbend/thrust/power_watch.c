// How much power each bus has left: thrust.h.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double ACCURACY = 0.02; // of the reported power, as a share of the power of all buses, or of one

static const double LEAST_W = 1; // of the power with which a bus counts as reported

static const double LOOK_S = 1; // until the buses on which it may be are reported

// Share of the power that the buses would have left together; while the thrusters take no more, each
// suspected bus is limited. Once they are limited they stay so up to the second share: near the first one the
// limits would come and go with every wave.
static const double LIGHT = 0.5;
static const double STAYS_LIGHT = 0.6;

// Power that the vessel has on a bus: it has more than the DP file counts on, by the same share on each.
static double had_w(const struct power_watch *w, double full_w, double sum_w) {
  return sum_w > 0 && w->most_w > sum_w ? full_w * w->most_w / sum_w : full_w;
}

// The buses on which this much may be missing.
static int find_candidates(struct power_watch *w, int bus_count, const struct power_reported *told,
                           double sum_w) {
  int count = 0;
  for (int b = 0; b < bus_count; b++) {
    double had = had_w(w, told->full_w[b], sum_w);
    w->is_short[b] = !told->is_lost[b] && w->gone_w < had * (1 + ACCURACY);
    count += w->is_short[b];
  }
  return count;
}

// Whether one bus is left on which it can be, or none.
static int is_found(const struct power_watch *w) {
  int count = 0;
  for (int b = 0; b < MAX_BUSES; b++)
    count += w->is_short[b];
  return count <= 1;
}

// Whether a bus takes more power than it would have left, and more than before.
static int takes_more_than_left(struct power_watch *w, int b, const struct power_reported *told,
                                double sum_w) {
  double had = had_w(w, told->full_w[b], sum_w), takes_w = told->takes_w[b];
  w->least_w[b] = takes_w < w->least_w[b] ? takes_w : w->least_w[b];
  return takes_w > had * (1 + ACCURACY) - w->gone_w && takes_w > w->least_w[b] + ACCURACY * had;
}

// What a bus would have left if all that is missing were missing there.
static double left_w(const struct power_watch *w, double full_w, double sum_w) {
  const double left = had_w(w, full_w, sum_w) * (1 - ACCURACY) - w->gone_w;
  return left > full_w ? full_w : left > 0 ? left : 0;
}

// Whether the thrusters take so little that all buses on which the power may be missing can be kept below
// what they would have left.
static int is_light_load(const struct power_watch *w, int bus_count, const struct power_reported *told,
                         double sum_w) {
  double all_left_w = 0, taken_w = 0;
  for (int b = 0; b < bus_count; b++) {
    if (!told->is_lost[b])
      all_left_w += w->is_short[b] ? left_w(w, told->full_w[b], sum_w) : told->full_w[b];
    taken_w += told->takes_w[b];
  }
  return taken_w <= (w->is_light ? STAYS_LIGHT : LIGHT) * all_left_w;
}

// The buses that report less than the DP file counts on. A bus that shares sets with others reports
// what they leave.
static void take_reported(struct power_watch *w, int bus_count, const struct power_reported *told) {
  for (int b = 0; b < bus_count; b++) {
    w->reported_w[b] = fmax(told->bus_w[b], LEAST_W);
    w->is_short[b] = !told->is_lost[b] && told->bus_w[b] * (1 - ACCURACY) < told->full_w[b];
  }
  w->is_known = 1;
  w->is_light = 0;
}

void power_watch_sample(struct power_watch *w, int bus_count, const struct power_reported *told,
                        double time_s) {
  double sum_w = 0;
  for (int b = 0; b < bus_count; b++)
    sum_w += told->full_w[b];
  w->most_w = told->available_w > w->most_w ? told->available_w : w->most_w;
  double gone_w = w->most_w - told->available_w, before_w = w->gone_w;
  for (int b = 0; b < bus_count; b++)
    gone_w -= told->is_lost[b] ? had_w(w, told->full_w[b], sum_w) : 0;
  w->gone_w = gone_w > ACCURACY * w->most_w ? gone_w : 0;
  if (w->gone_w == 0) {
    memset(w->is_short, 0, sizeof w->is_short);
    w->is_known = 0;
    w->is_light = 0;
    return;
  }
  memset(w->reported_w, 0, sizeof w->reported_w);
  if (told->has_buses) {
    take_reported(w, bus_count, told);
    return;
  }
  if (fabs(w->gone_w - before_w) > ACCURACY * w->most_w) {
    w->is_known = find_candidates(w, bus_count, told, sum_w) <= 1;
    w->is_light = 0;
    w->since_s = time_s;
    memcpy(w->least_w, told->takes_w, sizeof w->least_w);
    return;
  }
  int lacking = 0;
  for (int b = 0; b < bus_count; b++)
    lacking += w->is_short[b] && told->lacks[b];
  for (int b = 0; b < bus_count && lacking && !is_found(w); b++)
    w->is_short[b] = w->is_short[b] && told->lacks[b];
  for (int b = 0; b < bus_count && !is_found(w); b++)
    if (takes_more_than_left(w, b, told, sum_w))
      w->is_short[b] = 0;
  w->is_known = w->is_known || lacking || time_s - w->since_s >= LOOK_S;
  w->is_light = is_light_load(w, bus_count, told, sum_w);
}

double power_watch_missing_left_w(const struct power_watch *w, int bus, double full_w, double sum_w) {
  if (!w->is_short[bus] || !w->is_known)
    return full_w;
  if (w->reported_w[bus] > 0)
    return w->reported_w[bus] * (1 - ACCURACY);
  return is_found(w) ? left_w(w, full_w, sum_w) : full_w;
}

double power_watch_limit_w(const struct power_watch *w, int bus, double full_w, double sum_w) {
  const int is_precaution = w->is_light && w->is_known && w->is_short[bus] && w->reported_w[bus] <= 0;
  return is_precaution ? left_w(w, full_w, sum_w) : power_watch_missing_left_w(w, bus, full_w, sum_w);
}

int power_watch_is_valid(const struct power_watch *w, struct reason *why) {
  const double powers[] = {w->most_w, w->gone_w};
  for (int b = 0; b < MAX_BUSES; b++)
    if (!valid_flag(w->is_short[b], "is_short", why))
      return 0;
  return valid_flag(w->is_known, "is_known", why) && valid_flag(w->is_light, "is_light", why) &&
         valid_finite(&w->since_s, 1, "since_s", why) && valid_finite(powers, 2, "most_w, gone_w", why) &&
         valid_finite(w->least_w, MAX_BUSES, "least_w", why) &&
         valid_finite(w->reported_w, MAX_BUSES, "reported_w", why);
}

int allocation_is_on_bus(const struct allocation_def *def, int actuator, int bus) {
  return strcmp(def->actuator[actuator].bus, def->bus[bus].name) == 0;
}

static double buses_w(const struct allocation_def *def) {
  double sum_w = 0;
  for (int b = 0; b < def->bus_count; b++)
    sum_w += def->bus[b].power_w;
  return sum_w;
}

double allocation_bus_power_w(const struct allocation_state *state, const struct allocation_def *def,
                              int bus) {
  return power_watch_limit_w(&state->power, bus, def->bus[bus].power_w, buses_w(def));
}

double allocation_bus_left_w(const struct allocation_state *state, const struct allocation_def *def,
                             int bus) {
  return power_watch_missing_left_w(&state->power, bus, def->bus[bus].power_w, buses_w(def));
}
