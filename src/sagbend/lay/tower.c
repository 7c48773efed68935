#include "sagbend/lay/tower.h"

#include "sagbend/lay/operations.h"
#include "sagbend/lay/lay.h"
#include "sagbend/math/trig.h"

static double angle_at(const struct model *m, const struct model_state *s, double time_s, double ahead_s) {
  const struct tower_def *tower = &m->tower;
  double value[TABLE_COLUMNS];
  if (tower->rows == 0)
    return operations_tower_turn(m, s, ahead_s);
  table_at(tower->table, tower->rows, TABLE_SPLINE, time_s + ahead_s, value);
  return value[0];
}

// The half element turns with the clamp, and its rotary inertia is part of the vessel's.
static void set_angle(const struct model *m, struct model_state *s, struct model_work *w, double angle_rad) {
  const quat turn = {trig_cos(0.5 * angle_rad), 0, trig_sin(0.5 * angle_rad), 0};
  s->mesh.tower_rad = angle_rad;
  s->mesh.hangoff_q_bt = quat_mul(turn, m->hangoff_home_bt);
  if (m->pipe.feed.present) {
    payout_adopt(m, s, w);
    return;
  }
  pipe_fill_node(&s->mesh.pipe, s->mesh.pipe.nodes - 1);
  model_carry_top(m, &s->mesh);
}

// Energy of what turns: the top element, bent by the clamp, and the half element in the vessel's inertia. The
// rest of the energy keeps its value, so the change of this sum has a rounding of its own size only.
static double turning_energy(const struct model *m, const struct model_state *s, struct model_work *w) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int top = p->elements - 1;
  const double *omega_b = s->vessel.nu + 3;
  double elastic = 0, rotary = 0;
  pipe_lay_out(p, &s->pipe, &w->pipe);
  for (int k = 0; k < 6; k++)
    elastic += p->stiffness[k][top] * w->pipe.strain0[k][top] * w->pipe.strain0[k][top];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rotary += (s->mesh.vessel_inertia[3 + i][3 + j] - m->vessel.bare_inertia[3 + i][3 + j]) * omega_b[i] *
                omega_b[j];
  return 0.5 * (p->length_m[top] * elastic + rotary);
}

double tower_turn(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double ahead_s) {
  const double angle_rad = angle_at(m, s, time_s, ahead_s);
  if (angle_rad == s->mesh.tower_rad)
    return 0;
  const double before_j = turning_energy(m, s, w);
  set_angle(m, s, w, angle_rad);
  model_place_top(m, s);
  return turning_energy(m, s, w) - before_j;
}

void tower_follow(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  const double angle_rad = angle_at(m, s, time_s, 0);
  if (angle_rad != s->mesh.tower_rad)
    set_angle(m, s, w, angle_rad);
}
