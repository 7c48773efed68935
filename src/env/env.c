#include "env/env.h"

#include "math/trig.h"

vec3 current_surface(const struct current_def *c) {
  return (vec3){c->surface_mps * trig_cos(c->direction_rad), c->surface_mps * trig_sin(c->direction_rad), 0};
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
