// The memory of the radiation in the dissipative flow. It knows the vessel's motion in level axes with the
// vessel's heading, as linear theory does: in axes that roll and pitch its force would have a mean of the
// order of the mean drift. With positions frozen T, from b to these axes, is constant: nu_l = T nu_r, force_b
// = T' force_l.
#include "core/integrator/dissipative_parts.h"

#include <string.h>

static mat3 tilt_of(quat attitude) {
  mat3 q = quat_matrix(attitude);
  double size = sqrt(q.m[0][0] * q.m[0][0] + q.m[1][0] * q.m[1][0]);
  if (!(size > 0)) // a vessel standing on end has no heading
    return (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double c = q.m[0][0] / size, s = q.m[1][0] / size;
  mat3 level = {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};
  return mat3_product(&level, &q);
}

static void to_level(const mat3 *tilt, const double in[6], double out[6]) {
  vec3_to(mat3_mul(tilt, vec3_of(in)), out);
  vec3_to(mat3_mul(tilt, vec3_of(in + 3)), out + 3);
}

static void to_body(const mat3 *tilt, const double in[6], double out[6]) {
  vec3_to(mat3_tmul(tilt, vec3_of(in)), out);
  vec3_to(mat3_tmul(tilt, vec3_of(in + 3)), out + 3);
}

void dissipative_radiation_begin(struct vessel_flow *flow) {
  const double (*impedance)[6] = flow->half->radiation->impedance;
  double half_way[6][6]; // rows: T' applied to the columns of the impedance
  flow->tilt = tilt_of(flow->s->vessel.q_nb);
  radiation_begin(&flow->m->vessel.radiation, flow->half->radiation, &flow->s->radiation, &flow->radiation);
  to_body(&flow->tilt, flow->radiation.force, flow->radiation_force);
  for (int i = 0; i < 6; i++)
    to_body(&flow->tilt, impedance[i], half_way[i]); // Z T
  for (int j = 0; j < 6; j++) {
    double column[6], turned[6];
    for (int i = 0; i < 6; i++)
      column[i] = half_way[i][j];
    to_body(&flow->tilt, column, turned); // T' Z T
    for (int i = 0; i < 6; i++)
      flow->impedance[i][j] = turned[i];
  }
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
  to_level(&flow->tilt, through, level);
  ledger->loss_j[LOSS_RADIATION] += radiation_end(&flow->m->vessel.radiation, flow->half->radiation,
                                                  &s->radiation, &flow->radiation, level);
  to_body(&flow->tilt, flow->radiation.force, force);
  for (int i = 0; i < 6; i++)
    ledger->work_j[PORT_CURRENT] -= flow->h * flow->water_b[i] * force[i];
}
