#include "sagbend/env/env.h"

#include "sagbend/math/trig.h"

// Horizontal velocity of this speed, direction clockwise from north.
static vec3 towards(double direction_rad, double speed_mps) {
  return (vec3){speed_mps * trig_cos(direction_rad), speed_mps * trig_sin(direction_rad), 0};
}

struct current current_of(const struct current_def *def, double depth_m) {
  struct current current = {.count = 2, .z_m = {0, depth_m}};
  if (def->point_count < 2) {
    double speed = def->point_count == 1 ? def->points[0].speed_mps : def->surface_mps;
    double direction = def->point_count == 1 ? def->points[0].direction_rad : def->direction_rad;
    current.v_n[0] = towards(direction, speed);
    current.v_n[1] = def->point_count == 1 ? current.v_n[0] : (vec3){0, 0, 0};
    return current;
  }

  current.count = def->point_count;

  for (int i = 0; i < current.count; i++) {
    current.z_m[i] = def->points[i].depth_m;
    current.v_n[i] = towards(def->points[i].direction_rad, def->points[i].speed_mps);
  }

  return current;
}

static struct current_turn turned(double factor, double angle_rad) {
  return (struct current_turn){factor * trig_cos(angle_rad), factor * trig_sin(angle_rad)};
}

// The turn at a time without the jumps at start and stop.
static struct current_turn turn_inside(const struct time_profile *p, double time_s) {
  double within_s = time_profile_clamped(p, time_s);
  return turned(time_profile_inside(p, within_s), time_profile_turn(p, within_s));
}

struct current_turn current_turn_at(const struct current_def *def, double time_s) {
  return turned(time_profile_at(&def->profile, time_s), time_profile_turn(&def->profile, time_s));
}

struct current_span current_over(const struct current_def *def, double middle_s, double duration_s) {
  const struct time_profile *p = &def->profile;
  struct current_turn first = turn_inside(p, middle_s - 0.5 * duration_s),
                      last = turn_inside(p, middle_s + 0.5 * duration_s);
  return (struct current_span){current_turn_at(def, middle_s),
                               {last.along - first.along, last.across - first.across}};
}

void loads_at(const struct env_def *env, double time_s, const mat3 *attitude, double wrench_b[6]) {
  for (int i = 0; i < 6; i++)
    wrench_b[i] = 0;

  for (int l = 0; l < env->load_count; l++) {
    const struct load_def *load = &env->loads[l];
    double factor = time_profile_at(&load->profile, time_s);
    if (factor == 0)
      continue;
    vec3 force = vec3_of(load->wrench), moment = vec3_of(load->wrench + 3);
    if (load->frame == LOAD_WORLD) {
      force = mat3_tmul(attitude, force);
      moment = mat3_tmul(attitude, moment);
    }
    double part[6];
    vec3_to(force, part);
    vec3_to(moment, part + 3);
    for (int i = 0; i < 6; i++)
      wrench_b[i] += factor * part[i];
  }
}
