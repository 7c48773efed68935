// The memory of the radiation in the dissipative flow. It knows the vessel's motion in level axes with the
// vessel's heading, as linear theory does: in axes that roll and pitch its force would have a mean of the
// order of the mean drift. With positions frozen T, from b to these axes, is constant: nu_l = T nu_r, force_b
// = T' force_l.
#include "sagbend/integrator/integrator_internal.h"

void dissipative_radiation_begin(struct vessel_flow *flow) {
  radiation_begin(&flow->m->vessel.radiation, flow->half->radiation, &flow->s->radiation, &flow->radiation);
  level_axes_to_body(&flow->tilt, flow->radiation.force, flow->radiation_force);
  level_axes_matrix(&flow->tilt, flow->half->radiation->impedance, flow->impedance);
}

void dissipative_radiation_add(const struct vessel_flow *flow, double half, struct midpoint *to) {
  for (int i = 0; i < 6; i++) {
    to->rhs[i] -= half * flow->radiation_force[i];
    for (int j = 0; j < 6; j++) {
      to->matrix[i][j] += half * flow->impedance[i][j];
      to->rhs[i] += half * flow->impedance[i][j] * flow->water_b[j];
    }
  }
}

void dissipative_radiation_end(struct vessel_flow *flow, struct model_state *s, const double nu_m[6],
                               struct ledger *ledger) {
  double through[6], level[6], force[6];
  for (int i = 0; i < 6; i++)
    through[i] = nu_m[i] - flow->water_b[i];
  level_axes_from_body(&flow->tilt, through, level);
  ledger->loss_j[LOSS_RADIATION] += radiation_end(&flow->m->vessel.radiation, flow->half->radiation,
                                                  &s->radiation, &flow->radiation, level);
  level_axes_to_body(&flow->tilt, flow->radiation.force, force);
  for (int i = 0; i < 6; i++)
    ledger->work_j[PORT_CURRENT] -= flow->h * flow->water_b[i] * force[i];
}
