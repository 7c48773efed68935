// Forces of the thrusters on the vessel, each at its position with the current at its depth.
#include "sagbend/model/model.h"

#include <string.h>

void model_thruster_jets(const struct model *m, const struct model_state *s, struct current_turn turn,
                         struct thruster_jet *jet, vec3 *water_b) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  for (int i = 0; i < m->plant.thruster_count; i++) {
    jet[i] = thruster_jet_of(&m->plant.thruster[i], &s->plant.thruster[i]);
    double z = s->vessel.x_n.z + mat3_mul(&q, jet[i].place_b_m).z;
    water_b[i] = mat3_tmul(&q, current_at(&m->current, turn, z));
  }
}

void model_thruster_wrench(const struct model *m, const struct thruster_jet *jet, const vec3 *water_b,
                           const double nu[6], double wrench_b[6]) {
  vec3 force = {0, 0, 0}, moment = {0, 0, 0}, v = vec3_of(nu), w = vec3_of(nu + 3);
  for (int i = 0; i < m->plant.thruster_count; i++) {
    vec3 place = jet[i].place_b_m, relative = vec3_sub(vec3_add(v, vec3_cross(w, place)), water_b[i]);
    vec3 f = thruster_force(&jet[i], relative);
    force = vec3_add(force, f);
    moment = vec3_add(moment, vec3_cross(place, f));
  }
  vec3_to(force, wrench_b);
  vec3_to(moment, wrench_b + 3);
}

void model_static_wrench(const struct model *m, const struct thruster_setpoint *setpoint,
                         double wrench_b[6]) {
  struct thruster_jet jet[MAX_THRUSTERS];
  const vec3 still[MAX_THRUSTERS] = {{0, 0, 0}};
  const double at_rest[6] = {0};
  for (int i = 0; i < m->plant.thruster_count; i++) {
    const struct thruster_state steady = thruster_steady(&m->plant.thruster[i], &setpoint[i]);
    jet[i] = thruster_jet_of(&m->plant.thruster[i], &steady);
  }
  model_thruster_wrench(m, jet, still, at_rest, wrench_b);
}

void model_set_hold(struct model *m, struct model_state *s, const double wrench_b[6]) {
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 water_b[MAX_THRUSTERS];
  struct current_turn turn = current_turn_at(&m->env.current, 0);
  double made[6] = {0};
  const double at_rest[6] = {0};
  if (m->plant.thruster_count > 0) {
    model_thruster_jets(m, s, turn, jet, water_b);
    plant_hold_setpoints(&m->plant, wrench_b, water_b, m->hold_setpoint);
    plant_set_steady(&m->plant, &s->plant, &s->power, m->hold_setpoint);
    model_thruster_jets(m, s, turn, jet, water_b);
    model_thruster_wrench(m, jet, water_b, at_rest, made);
  }

  for (int i = 0; i < 6; i++)
    m->hold_wrench_b[i] = wrench_b[i] - made[i];
}

int power_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  if (!s->power.present && !power_is_present(&m->plant.power))
    return 1;
  return power_state_is_valid(&m->plant.power, &s->power, why);
}
