// True values of what the instruments measure: rigid-body kinematics of their position, v = v_0 + omega x r,
// and quantities of the pipe.
#include "sagbend/rig/instruments_parts.h"

#include "sagbend/math/so3.h"
#include "sagbend/math/trig.h"

#include <math.h>

struct place {
  mat3 attitude; // b to n
  vec3 position_n, velocity_n;
};

static struct place place_of(const struct sim_output *o, const double at_b_m[3]) {
  const double *q = o->quaternion_nb;
  struct place p = {.attitude = quat_matrix((quat){q[0], q[1], q[2], q[3]})};
  vec3 arm = vec3_of(at_b_m), turning = vec3_cross(vec3_of(o->velocity_b + 3), arm);
  p.position_n = vec3_add(vec3_of(o->position_n_m), mat3_mul(&p.attitude, arm));
  p.velocity_n = mat3_mul(&p.attitude, vec3_add(vec3_of(o->velocity_b), turning));
  return p;
}

// What a true value is made of.
struct view {
  const struct instrument_def *d;
  const double *at_b_m; // place of the sensor
  struct place place;
  double level_m;
  const struct sim *sim; // NULL: water and air at rest
  const struct sim_output *o;
};
// Fills the channels; 0: there is nothing to measure.
typedef int true_value(const struct view *v, double value[]) NONBLOCKING;
#define AS_ALONE(function) static true_value true_##function;
#define AS_AGAINST(...)
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  AS_##measured
#include "sagbend/signals/instruments.inc"
#undef AS_ALONE
#undef AS_AGAINST

static int true_gnss(const struct view *v, double value[]) {
  double square = 0;
  vec3_to(v->place.position_n, value);
  value[3] = v->place.velocity_n.x;
  value[4] = v->place.velocity_n.y;
  for (int k = 0; k < v->d->error_count; k++)
    if (v->d->error[k].channels & 1)
      square = v->d->error[k].white * v->d->error[k].white + v->d->error[k].markov * v->d->error[k].markov;
  value[5] = sqrt(square);
  return 1;
}

static int true_gyro(const struct view *v, double value[]) {
  value[0] = v->o->euler_rad[2];
  value[1] = v->o->euler_rate_radps[2];
  return 1;
}

static int true_motion(const struct view *v, double value[]) {
  value[0] = v->o->euler_rad[0];
  value[1] = v->o->euler_rad[1];
  value[2] = v->place.position_n.z - v->at_b_m[2] - v->level_m;
  value[3] = v->o->euler_rate_radps[0];
  value[4] = v->o->euler_rate_radps[1];
  return 1;
}

// Velocity of a medium past the place, in the vessel's axes.
static vec3 flow_past(const struct place *p, const double medium_n_mps[3]) {
  return mat3_tmul(&p->attitude, vec3_sub(vec3_of(medium_n_mps), p->velocity_n));
}

static int true_wind(const struct view *v, double value[]) {
  double medium[3] = {0};
  if (v->sim)
    sim_air_velocity(v->sim, -v->place.position_n.z, medium);
  const vec3 flow = flow_past(&v->place, medium);
  value[0] = sqrt(flow.x * flow.x + flow.y * flow.y);
  value[1] = trig_atan2(-flow.y, -flow.x);
  return 1;
}

static int true_speed_log(const struct view *v, double value[]) {
  double medium[3] = {0};
  if (v->sim)
    sim_water_velocity(v->sim, v->place.position_n.z, medium);
  const vec3 flow = flow_past(&v->place, medium);
  value[0] = -flow.x;
  value[1] = -flow.y;
  return 1;
}

static int true_load_cell(const struct view *v, double value[]) {
  value[0] = v->d->share * v->o->hangoff_tension_n;
  return 1;
}

static int true_hangoff_angle(const struct view *v, double value[]) {
  value[0] = v->o->hangoff_angle_rad;
  value[1] = trig_atan2(v->o->hangoff_force_n_n[1], v->o->hangoff_force_n_n[0]) - v->o->euler_rad[2];
  return 1;
}

static int true_touchdown(const struct view *v, double value[]) {
  if (isnan(v->o->touchdown_arc_length_m)) // no contact
    return 0;
  vec3_to(vec3_of(v->o->touchdown_n_m), value);
  return 1;
}

static int true_payout(const struct view *v, double value[]) {
  value[0] = v->o->paid_out_m;
  value[1] = v->o->payout_mps;
  return 1;
}

static int true_tensioner(const struct view *v, double value[]) {
  value[0] = v->o->hangoff_tension_n;
  value[1] = v->o->tensioner.mode;
  value[2] = v->o->tensioner.mode == TENSIONER_BRAKE;
  return 1;
}

// NULL: a reference (reference.c).
static true_value *const TRUE_VALUES[] = {
#define AS_ALONE(function) true_##function
#define AS_AGAINST(...)    NULL
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = AS_##measured,
#include "sagbend/signals/instruments.inc"
};

int instrument_true_value(const struct instrument_def *d, const double place_b_m[3], double level_m,
                          const struct sim *sim, const struct sim_output *o, double value[READING_CHANNELS]) {
  const struct view view = {d, place_b_m, place_of(o, place_b_m), level_m, sim, o};
  return TRUE_VALUES[d->kind](&view, value);
}

void instrument_normalise(enum instrument kind, double value[READING_CHANNELS]) {
  for (int c = 0; c < READING_CHANNELS; c++) {
    if (instrument_channel(kind, c)->form == CHANNEL_ANGLE && fabs(value[c]) < 1e9)
      value[c] = trig_wrap(value[c]);
    value[c] += 0.0;
  }
  for (int c = 0; c < READING_CHANNELS; c++)
    if (instrument_channel(kind, c)->form == CHANNEL_NOT_NEGATIVE && value[c] < 0)
      value[c] = 0;
}
