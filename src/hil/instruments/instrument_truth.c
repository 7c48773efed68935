// True values of what the instruments measure: rigid-body kinematics of their position, v = v_0 + omega x r,
// and quantities of the pipe.
#include "hil/instruments/instruments_parts.h"

#include "core/math/so3.h"
#include "core/math/trig.h"

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

static void gnss(const struct instrument_def *d, const struct place *p, double value[]) {
  double square = 0;
  vec3_to(p->position_n, value);
  value[3] = p->velocity_n.x;
  value[4] = p->velocity_n.y;
  for (int k = 0; k < d->error_count; k++)
    if (d->error[k].channels & 1)
      square = d->error[k].white * d->error[k].white + d->error[k].markov * d->error[k].markov;
  value[5] = sqrt(square);
}

static void motion(const struct sim_output *o, const struct place *p, const double at_b_m[3], double level_m,
                   double value[]) {
  value[0] = o->euler_rad[0];
  value[1] = o->euler_rad[1];
  value[2] = p->position_n.z - at_b_m[2] - level_m;
  value[3] = o->euler_rate_radps[0];
  value[4] = o->euler_rate_radps[1];
}

// Velocity of a medium past the place, in the vessel's axes.
static vec3 flow_past(const struct place *p, const double medium_n_mps[3]) {
  return mat3_tmul(&p->attitude, vec3_sub(vec3_of(medium_n_mps), p->velocity_n));
}

int instrument_true_value(const struct instrument_def *d, const double place_b_m[3], double level_m,
                          const struct sim *sim, const struct sim_output *o, double value[READING_CHANNELS]) {
  struct place p = place_of(o, place_b_m);
  double medium[3] = {0};
  vec3 flow;
  switch (d->kind) {
  case INSTRUMENT_GNSS:
    gnss(d, &p, value);
    break;
  case INSTRUMENT_GYRO:
    value[0] = o->euler_rad[2];
    value[1] = o->euler_rate_radps[2];
    break;
  case INSTRUMENT_MOTION:
    motion(o, &p, place_b_m, level_m, value);
    break;
  case INSTRUMENT_WIND:
    if (sim)
      sim_air_velocity(sim, -p.position_n.z, medium);
    flow = flow_past(&p, medium);
    value[0] = sqrt(flow.x * flow.x + flow.y * flow.y);
    value[1] = trig_atan2(-flow.y, -flow.x);
    break;
  case INSTRUMENT_SPEED_LOG:
    if (sim)
      sim_water_velocity(sim, p.position_n.z, medium);
    flow = flow_past(&p, medium);
    value[0] = -flow.x;
    value[1] = -flow.y;
    break;
  case INSTRUMENT_LOAD_CELL:
    value[0] = d->share * o->hangoff_tension_n;
    break;
  case INSTRUMENT_HANGOFF_ANGLE:
    value[0] = o->hangoff_angle_rad;
    value[1] = trig_atan2(o->hangoff_force_n_n[1], o->hangoff_force_n_n[0]) - o->euler_rad[2];
    break;
  case INSTRUMENT_TOUCHDOWN:
    if (isnan(o->touchdown_arc_length_m)) // no contact
      return 0;
    vec3_to(vec3_of(o->touchdown_n_m), value);
    break;
  case INSTRUMENT_PAYOUT:
    value[0] = o->paid_out_m;
    value[1] = o->payout_mps;
    break;
  case INSTRUMENT_TENSIONER:
    value[0] = o->hangoff_tension_n;
    value[1] = o->tensioner.mode;
    value[2] = o->tensioner.mode == TENSIONER_BRAKE;
    break;
  case INSTRUMENT_HYDROACOUSTIC: // reference.c
  case INSTRUMENT_LBL:
  case INSTRUMENT_TAUT_WIRE:
  case INSTRUMENT_LASER:
  case INSTRUMENT_RADAR:
  case INSTRUMENT_ARTEMIS:
  case INSTRUMENT_COUNT:
    break;
  }
  return 1;
}

// Channels that are angles, and that are never negative, one bit each.
static const unsigned ANGLES[INSTRUMENT_COUNT] = {
    [INSTRUMENT_GYRO] = 0x01,      [INSTRUMENT_MOTION] = 0x03,  [INSTRUMENT_HANGOFF_ANGLE] = 0x03,
    [INSTRUMENT_WIND] = 0x02,      [INSTRUMENT_LASER] = 0x06,   [INSTRUMENT_RADAR] = 0x06,
    [INSTRUMENT_TAUT_WIRE] = 0x03, [INSTRUMENT_ARTEMIS] = 0x02,
};
static const unsigned NOT_NEGATIVE[INSTRUMENT_COUNT] = {
    [INSTRUMENT_GNSS] = 0x20,  [INSTRUMENT_WIND] = 0x01,      [INSTRUMENT_HYDROACOUSTIC] = 0x18,
    [INSTRUMENT_LBL] = 0x08,   [INSTRUMENT_TAUT_WIRE] = 0x0c, [INSTRUMENT_LASER] = 0x01,
    [INSTRUMENT_RADAR] = 0x01, [INSTRUMENT_ARTEMIS] = 0x01};

void instrument_normalise(enum instrument kind, double value[READING_CHANNELS]) {
  for (int c = 0; c < READING_CHANNELS; c++) {
    if (ANGLES[kind] & 1u << c && fabs(value[c]) < 1e9)
      value[c] = trig_wrap(value[c]);
    value[c] += 0.0;
  }
  for (int c = 0; c < READING_CHANNELS; c++)
    if (NOT_NEGATIVE[kind] & 1u << c && value[c] < 0)
      value[c] = 0;
}
