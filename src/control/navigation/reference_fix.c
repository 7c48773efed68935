// Position of the reference point from a reading of each kind of reference. A measurement against a target
// turns with the heading of its moment, but for the azimuth of an Artemis, which its fixed station measures;
// its error is an ellipse along and across the line of sight.
#include "control/navigation/navigation_parts.h"

#include "core/math/so3.h"
#include "core/math/trig.h"

#include <math.h>
#include <string.h>

// Accuracy where the DP file gives none: of a length m, of an angle rad.
static const struct accuracy {
  double sigma_m, sigma_rad;
} USUAL[INSTRUMENT_COUNT] = {
    [INSTRUMENT_HYDROACOUSTIC] = {0.3, 0},
    [INSTRUMENT_LBL] = {0.3, 0},
    [INSTRUMENT_TAUT_WIRE] = {0.1, 0.05 * TRIG_PI / 180},
    [INSTRUMENT_LASER] = {0.1, 0.05 * TRIG_PI / 180},
    [INSTRUMENT_RADAR] = {0.25, 0.1 * TRIG_PI / 180},
    [INSTRUMENT_ARTEMIS] = {1, 0.02 * TRIG_PI / 180},
};

// No reference counts as more accurate: one key that is wrong by a factor of 100 would turn the estimate.
static const double FINEST_M = 0.05;

int reference_is_position(enum instrument kind) {
  return kind == INSTRUMENT_GNSS || USUAL[kind].sigma_m > 0;
}

static double or_usual(double given, double own, double usual) {
  return given > 0 ? given : own > 0 ? own : usual;
}

// Horizontal vector from the sensor to its target in level axes with the bow; *down_m: its depth below.
static void way_to_target(const struct dp_instrument *d, const double v[], double height_m, double way[2],
                          double *down_m) {
  double level = v[0] * trig_cos(v[2]);
  switch (d->kind) {
  case INSTRUMENT_HYDROACOUSTIC:
    way[0] = v[0];
    way[1] = v[1];
    *down_m = v[2];
    break;
  case INSTRUMENT_TAUT_WIRE:
    *down_m = d->has_target ? height_m : v[2] * trig_cos(v[0]) * trig_cos(v[1]);
    way[0] = *down_m * trig_sin(v[0]) / trig_cos(v[0]);
    way[1] = *down_m * trig_sin(v[1]) / trig_cos(v[1]);
    break;
  default:
    way[0] = level * trig_cos(v[1]);
    way[1] = level * trig_sin(v[1]);
    *down_m = -v[0] * trig_sin(v[2]);
  }
}

// Horizontal vector from the sensor to its fixed station, north and east, which no heading turns. height_m:
// of the sensor above the station, positive where the station is deeper; 0: not known.
static void way_to_station(const double v[], double height_m, double way_n[2]) {
  const double level = sqrt(fmax(0, v[0] * v[0] - height_m * height_m));
  way_n[0] = -level * trig_cos(v[1]);
  way_n[1] = -level * trig_sin(v[1]);
}

// north-north, north-east, east-east of an ellipse with these standard deviations along and across a
// direction.
static void set_ellipse(double along_m, double across_m, double direction_rad, struct fixes *fixes, int i) {
  double c = trig_cos(direction_rad), s = trig_sin(direction_rad);
  double a = fmax(along_m * along_m, FINEST_M * FINEST_M), b = fmax(across_m * across_m, FINEST_M * FINEST_M);
  fixes->covariance[i][0] = c * c * a + s * s * b;
  fixes->covariance[i][1] = c * s * (a - b);
  fixes->covariance[i][2] = s * s * a + c * c * b;
  fixes->sigma[i] = sqrt(0.5 * (a + b));
}

// turned: direction of the axes of the way from north.
static void set_accuracy(const struct navigation_sampling *nav, int i, const double way[2], double down_m,
                         double turned, struct fixes *fixes) {
  const struct dp_instrument *d = &nav->def->instrument[i];
  const double *v = nav->reading[i]->value;
  double level = sqrt(way[0] * way[0] + way[1] * way[1]),
         angle = or_usual(d->sigma_rad, 0, USUAL[d->kind].sigma_rad);
  double turn = d->kind == INSTRUMENT_ARTEMIS ? 0 : nav->observer->heading_sigma_rad, along, across;
  if (d->kind == INSTRUMENT_HYDROACOUSTIC) {
    along = d->sigma_rad > 0 ? v[3] * d->sigma_rad : or_usual(d->sigma, v[4], USUAL[d->kind].sigma_m);
    across = sqrt(along * along + level * turn * (level * turn));
  } else if (d->kind == INSTRUMENT_TAUT_WIRE) {
    along = or_usual(d->sigma, down_m * angle, USUAL[d->kind].sigma_m);
    across = along;
  } else {
    along = or_usual(d->sigma, 0, USUAL[d->kind].sigma_m);
    across = level * sqrt(angle * angle + turn * turn);
  }
  set_ellipse(along, across, turned + trig_atan2(way[1], way[0]), fixes, i);
}

// Where the estimate puts the target while it is calibrated, a mean; 0: it is not known yet.
static int calibrate(struct navigation_sampling *nav, int i, const double seen[2]) {
  struct reference_use *r = &nav->state->reference[i];
  double wanted_s = nav->def->instrument[i].calibrate_s;
  if (!(r->calibrated_s < wanted_s) || !nav->state->ready)
    return r->calibrated_s >= wanted_s;
  double share = nav->dt_s / (r->calibrated_s + nav->dt_s);
  for (int k = 0; k < 2 && nav->dt_s > 0; k++)
    r->target_m[k] += share * (seen[k] - r->target_m[k]);
  r->calibrated_s += nav->state->dead_reckoning ? 0 : nav->dt_s;
  return r->calibrated_s >= wanted_s;
}

static void hold_velocity(const struct navigation_sampling *nav, double velocity[2]) {
  const struct navigation_state *state = nav->state;
  double c = trig_cos(state->observer.eta[2]), s = trig_sin(state->observer.eta[2]);
  const double *nu = state->observer.nu;
  int observed = nav->observer->present && state->ready;
  velocity[0] = observed ? c * nu[0] - s * nu[1] : state->velocity_n[0];
  velocity[1] = observed ? s * nu[0] + c * nu[1] : state->velocity_n[1];
}

int reference_fix(struct navigation_sampling *nav, int i, struct fixes *fixes) {
  enum { NUMBER = 3 };
  const struct navigation_state *state = nav->state;
  const struct dp_instrument *d = &nav->def->instrument[i];
  const struct reading *reading = nav->reading[i];
  double now[3] = {0, 0, heading_now(nav)}, way[2], down_m, *position = fixes->position[i];
  int scans = d->kind == INSTRUMENT_LASER || d->kind == INSTRUMENT_RADAR;
  if (scans && reading->value[NUMBER] != 1) // of another target
    return 0;
  if (state->ready)
    predicted_at(nav, reading->time_s, now);
  const double euler[3] = {state->attitude[0], state->attitude[1], now[2]};
  mat3 attitude = quat_matrix(quat_of_euler(euler));
  vec3 arm = mat3_mul(&attitude, vec3_of(d->position_b_m));
  hold_velocity(nav, fixes->velocity[i]);
  if (d->kind == INSTRUMENT_LBL) {
    vec3_to(vec3_sub(vec3_of(reading->value), arm), position);
    double sigma = or_usual(d->sigma, reading->value[3], USUAL[d->kind].sigma_m);
    set_ellipse(sigma, sigma, 0, fixes, i);
    return 1;
  }
  double turned = d->kind == INSTRUMENT_ARTEMIS ? 0 : now[2]; // of what it measures
  double height_m = d->target_m[2] - state->down_m - arm.z;
  if (d->kind == INSTRUMENT_ARTEMIS) {
    down_m = d->has_target ? height_m : 0;
    way_to_station(reading->value, down_m, way);
  } else {
    way_to_target(d, reading->value, height_m, way, &down_m);
  }
  double c = trig_cos(turned), s = trig_sin(turned);
  const double off[2] = {arm.x + c * way[0] - s * way[1], arm.y + s * way[0] + c * way[1]};
  const double *target = d->has_target ? d->target_m : state->reference[i].target_m;
  const double seen[2] = {now[0] + off[0], now[1] + off[1]};
  if (!d->has_target && !calibrate(nav, i, seen))
    return 0;
  position[0] = target[0] - off[0];
  position[1] = target[1] - off[1];
  position[2] = d->has_target ? d->target_m[2] - down_m - arm.z : state->down_m;
  if (d->kind == INSTRUMENT_TAUT_WIRE)
    position[2] = state->down_m;
  set_accuracy(nav, i, way, down_m, turned, fixes);
  return 1;
}

int reference_is_calibrating(const struct navigation_sampling *nav, int i) {
  double wanted_s = nav->def->instrument[i].calibrate_s;
  return wanted_s > 0 && nav->state->reference[i].calibrated_s < wanted_s;
}

int reference_use_is_valid(const struct reference_use *state, struct reason *why) {
  return valid_finite(state->target_m, 2, "target_m", why) &&
         valid_range(state->calibrated_s, 0, 1e9, "calibrated_s", why) &&
         valid_finite(&state->counted_s, 1, "counted_s", why) &&
         valid_finite(&state->proof_from_s, 1, "proof_from_s", why) &&
         valid_index(state->is_proving, 0, 1, "is_proving", why);
}
