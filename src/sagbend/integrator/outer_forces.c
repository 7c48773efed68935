// Outer forces on the vessel during a dissipative flow: control, loads, wind, waves, current and thrusters.
// Position and attitude are frozen, so a force either is constant or depends on the velocity alone.
#include "sagbend/integrator/integrator_internal.h"

#include <assert.h>

static double *add_force(struct vessel_flow *flow, enum energy_port port, force_at *at) {
  assert(flow->outer_count < MAX_OUTER);
  struct outer_force *force = &flow->outer[flow->outer_count++];
  *force = (struct outer_force){.port = port, .at = at};
  return force->wrench_b;
}

static void wind_force(const struct vessel_flow *flow, const double nu[6], double wrench_b[6]) NONBLOCKING {
  windage_wrench(&flow->m->windage, flow->air_b_mps, nu, wrench_b);
}

static void current_force(const struct vessel_flow *flow, const double nu[6],
                          double wrench_b[6]) NONBLOCKING {
  vessel_current_wrench(&flow->m->vessel, nu, vec3_of(flow->water_b), wrench_b);
}

static void slow_added_mass(const struct vessel_flow *flow, const double nu[6],
                            double wrench_b[6]) NONBLOCKING {
  vessel_slow_wrench(&flow->m->vessel, nu, wrench_b);
}

static void thruster_force_sum(const struct vessel_flow *flow, const double nu[6],
                               double wrench_b[6]) NONBLOCKING {
  model_thruster_wrench(flow->m, flow->jet, flow->jet_water_b, nu, wrench_b);
}

double *outer_forces_collect(struct vessel_flow *flow, const struct current_span *span) {
  const struct model *m = flow->m;
  const struct half_step *half = flow->half;
  mat3 q = quat_matrix(flow->s->vessel.q_nb);

  double *control = add_force(flow, PORT_CONTROL, NULL);
  if (!half->impulses_apart)
    loads_at(&m->env, half->time_s, &q, add_force(flow, PORT_LOADS, NULL));

  if (m->windage.present && m->wind.def.present) {
    struct wind_sample now = wind_at(&m->wind, half->time_s);
    flow->air_b_mps = mat3_tmul(&q, wind_velocity(&m->wind, &now, m->windage.height_m));
    add_force(flow, PORT_WIND, wind_force);
  }
  if (m->wave_response.present && !half->impulses_apart)
    wave_response_wrench(&m->wave_response, &m->sea, half->time_s, &flow->s->vessel,
                         add_force(flow, PORT_WAVES, NULL));

  if (m->vessel.current_acts) {
    vec3_to(mat3_tmul(&q, current_at(&m->current, span->middle, 0)), flow->water_b);
    add_force(flow, PORT_CURRENT, current_force);
  }
  if (m->vessel.radiation.count > 0)
    add_force(flow, PORT_COUNT, slow_added_mass);
  if (m->plant.thruster_count > 0) {
    model_thruster_jets(m, flow->s, span->middle, flow->jet, flow->jet_water_b);
    add_force(flow, PORT_THRUSTERS, thruster_force_sum);
  }
  return control;
}

void outer_forces_sum(struct vessel_flow *flow, const double guess[6]) {
  for (int k = 0; k < flow->outer_count; k++) {
    struct outer_force *force = &flow->outer[k];
    if (force->at)
      force->at(flow, guess, force->wrench_b);
    for (int i = 0; i < 6; i++)
      flow->force[i] = k > 0 ? flow->force[i] + force->wrench_b[i] : force->wrench_b[i];
  }
}

void outer_forces_book(const struct vessel_flow *flow, const double nu_m[6], struct ledger *ledger) {
  for (int k = 0; k < flow->outer_count; k++)
    for (int i = 0; i < 6 && flow->outer[k].port != PORT_COUNT; i++)
      ledger->work_j[flow->outer[k].port] += flow->h * nu_m[i] * flow->outer[k].wrench_b[i];
}
