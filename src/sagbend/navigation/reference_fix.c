// Position of the reference point from a reading of each kind of reference. A measurement against a target
// turns with the heading of its moment, but for the azimuth of an Artemis, which its fixed station measures;
// its error is an ellipse along and across the line of sight.
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// No reference counts as more accurate: one key that is wrong by a factor of 100 would turn the estimate.
static const double FINEST_M = 0.05;

int reference_is_position(enum instrument kind) {
  return instrument_kind(kind)->fix != FIX_NONE;
}

// The horizontal vector from the sensor to its target, and the depth of the target below the sensor. Axes:
// level with the bow, or north and east.
struct way {
  double to[2], down_m;
  double turned;     // direction of its axes from north
  double turn_sigma; // of that direction, rad
};
// height_m: of the sensor above the target as far as it is known, positive where the target is deeper.
typedef void find_way(const struct dp_instrument *d, const double v[], double height_m,
                      struct way *way) NONBLOCKING;
// Standard deviations along the line of sight and across it, m; angle: of the instrument, rad.
typedef void find_spread(const struct dp_instrument *d, const double v[], const struct way *way, double angle,
                         double spread_m[2]) NONBLOCKING;

// How a reading becomes a position: the rows that instruments.inc names.
struct fix {
  find_way *way;
  find_spread *spread;
  int is_absolute; // 1: the bearing is from north, not from the bow
  int is_numbered; // 1: the fourth number is the target's, which has to be the first
  int keeps_depth; // 1: the reference does not measure the height of the vessel
};
static find_way way_acoustic, way_wire, way_scan, way_station;
static find_spread spread_acoustic, spread_wire, spread_sight;

static double or_usual(double given, double own, double usual) {
  return given > 0 ? given : own > 0 ? own : usual;
}

static double usual_m(const struct dp_instrument *d) {
  return instrument_kind(d->kind)->usual_sigma_m;
}

static void way_acoustic(const struct dp_instrument *d, const double v[], double height_m, struct way *way) {
  (void)d;
  (void)height_m;
  way->to[0] = v[0];
  way->to[1] = v[1];
  way->down_m = v[2];
}

static void way_wire(const struct dp_instrument *d, const double v[], double height_m, struct way *way) {
  way->down_m = d->has_target ? height_m : v[2] * trig_cos(v[0]) * trig_cos(v[1]);
  way->to[0] = way->down_m * trig_sin(v[0]) / trig_cos(v[0]);
  way->to[1] = way->down_m * trig_sin(v[1]) / trig_cos(v[1]);
}

static void way_scan(const struct dp_instrument *d, const double v[], double height_m, struct way *way) {
  const double level = v[0] * trig_cos(v[2]);
  (void)d;
  (void)height_m;
  way->to[0] = level * trig_cos(v[1]);
  way->to[1] = level * trig_sin(v[1]);
  way->down_m = -v[0] * trig_sin(v[2]);
}

// To its fixed station, north and east, which no heading turns.
static void way_station(const struct dp_instrument *d, const double v[], double height_m, struct way *way) {
  way->down_m = d->has_target ? height_m : 0;
  const double level = sqrt(fmax(0, v[0] * v[0] - way->down_m * way->down_m));
  way->to[0] = -level * trig_cos(v[1]);
  way->to[1] = -level * trig_sin(v[1]);
}

static double level_of(const struct way *way) {
  return sqrt(way->to[0] * way->to[0] + way->to[1] * way->to[1]);
}

static void spread_acoustic(const struct dp_instrument *d, const double v[], const struct way *way,
                            double angle, double spread_m[2]) {
  const double level = level_of(way), turn = way->turn_sigma;
  (void)angle;
  spread_m[0] = d->sigma_rad > 0 ? v[3] * d->sigma_rad : or_usual(d->sigma, v[4], usual_m(d));
  spread_m[1] = sqrt(spread_m[0] * spread_m[0] + level * turn * (level * turn));
}

static void spread_wire(const struct dp_instrument *d, const double v[], const struct way *way, double angle,
                        double spread_m[2]) {
  (void)v;
  spread_m[0] = spread_m[1] = or_usual(d->sigma, way->down_m * angle, usual_m(d));
}

static void spread_sight(const struct dp_instrument *d, const double v[], const struct way *way, double angle,
                         double spread_m[2]) {
  const double turn = way->turn_sigma;
  (void)v;
  spread_m[0] = or_usual(d->sigma, 0, usual_m(d));
  spread_m[1] = level_of(way) * sqrt(angle * angle + turn * turn);
}

static const struct fix fix_acoustic = {way_acoustic, spread_acoustic, .is_absolute = 0},
                        fix_wire = {way_wire, spread_wire, .keeps_depth = 1},
                        fix_scan = {way_scan, spread_sight, .is_numbered = 1},
                        fix_station = {way_station, spread_sight, .is_absolute = 1};

// NULL: a kind without a target.
static const struct fix *const FIXES[] = {
#define AS_NO_FIX                          NULL
#define AS_RECEIVER                        NULL
#define AS_PLACE(sigma_m)                  NULL
#define AS_TARGET(fix, sigma_m, sigma_deg) &fix_##fix
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = AS_##fix,
#include "sagbend/signals/instruments.inc"
};

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

static void set_accuracy(const struct navigation_sampling *nav, int i, const struct way *way,
                         struct fixes *fixes) {
  const struct dp_instrument *d = &nav->def->instrument[i];
  double spread_m[2];
  FIXES[d->kind]->spread(d, nav->reading[i]->value, way,
                         or_usual(d->sigma_rad, 0, instrument_kind(d->kind)->usual_sigma_rad), spread_m);
  set_ellipse(spread_m[0], spread_m[1], way->turned + trig_atan2(way->to[1], way->to[0]), fixes, i);
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

// The place of the sensor itself, by its own accuracy.
static int fix_place(const struct navigation_sampling *nav, int i, vec3 arm, struct fixes *fixes) {
  enum { SIGMA = 3 };
  const struct dp_instrument *d = &nav->def->instrument[i];
  const double *value = nav->reading[i]->value, sigma = or_usual(d->sigma, value[SIGMA], usual_m(d));
  vec3_to(vec3_sub(vec3_of(value), arm), fixes->position[i]);
  set_ellipse(sigma, sigma, 0, fixes, i);
  return 1;
}

int reference_fix(struct navigation_sampling *nav, int i, struct fixes *fixes) {
  enum { NUMBER = 3 };
  const struct navigation_state *state = nav->state;
  const struct dp_instrument *d = &nav->def->instrument[i];
  const struct reading *reading = nav->reading[i];
  const struct fix *fix = FIXES[d->kind];
  double now[3] = {0, 0, heading_now(nav)}, *position = fixes->position[i];
  if (fix && fix->is_numbered && reading->value[NUMBER] != 1) // of another target
    return 0;
  if (state->ready)
    predicted_at(nav, reading->time_s, now);
  const double euler[3] = {state->attitude[0], state->attitude[1], now[2]};
  mat3 attitude = quat_matrix(quat_of_euler(euler));
  vec3 arm = mat3_mul(&attitude, vec3_of(d->position_b_m));
  hold_velocity(nav, fixes->velocity[i]);
  if (!fix)
    return fix_place(nav, i, arm, fixes);

  struct way way = {.turned = fix->is_absolute ? 0 : now[2],
                    .turn_sigma = fix->is_absolute ? 0 : nav->observer->heading_sigma_rad};
  fix->way(d, reading->value, d->target_m[2] - state->down_m - arm.z, &way);
  double c = trig_cos(way.turned), s = trig_sin(way.turned);
  const double off[2] = {arm.x + c * way.to[0] - s * way.to[1], arm.y + s * way.to[0] + c * way.to[1]};
  const double *target = d->has_target ? d->target_m : state->reference[i].target_m;
  const double seen[2] = {now[0] + off[0], now[1] + off[1]};
  if (!d->has_target && !calibrate(nav, i, seen))
    return 0;
  position[0] = target[0] - off[0];
  position[1] = target[1] - off[1];
  position[2] = d->has_target && !fix->keeps_depth ? d->target_m[2] - way.down_m - arm.z : state->down_m;
  set_accuracy(nav, i, &way, fixes);
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

// ------------------------------------------------------------
// What each position reference reports beside the estimate, for operators: residual and weight. Nothing here
// acts on the estimate.

void references_note(struct navigation_sampling *nav, const struct fixes *fixes) {
  struct navigation_state *state = nav->state;
  const double heading = heading_now(nav), c = trig_cos(heading), s = trig_sin(heading);
  double weights = 0;
  for (int i = 0; i < nav->def->count; i++)
    weights += fixes->used[i] ? 1 / (fixes->sigma[i] * fixes->sigma[i]) : 0;
  for (int i = 0; i < nav->def->count; i++) {
    struct reference_note *note = &state->note[i];
    const int is_read = state->use[i] == USE_IN_USE || state->use[i] == USE_REJECTED;
    note->weight = fixes->used[i] ? 1 / (fixes->sigma[i] * fixes->sigma[i]) / weights : 0;
    note->known &= is_read;
    if (!fixes->found[i] || !state->ready || (note->known && !state->fresh[i]))
      continue;
    double predicted[3];
    predicted_at(nav, nav->reading[i]->time_s, predicted);
    const double north = fixes->position[i][0] - predicted[0], east = fixes->position[i][1] - predicted[1];
    note->residual_b_m[0] = c * north + s * east;
    note->residual_b_m[1] = c * east - s * north;
    note->known = 1;
  }
}

int reference_note_is_valid(const struct reference_note *note, struct reason *why) {
  return valid_finite(note->residual_b_m, 2, "residual_b_m", why) &&
         valid_range(note->weight, 0, 1, "weight", why) && valid_index(note->known, 0, 1, "known", why);
}
