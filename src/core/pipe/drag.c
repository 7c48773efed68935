// Dissipative flow of the pipe with positions frozen. The nodes are then independent (lumped masses) and the
// section frames fixed.
//   - Morison drag on the velocity relative to the water (Saefstroem 2009, eq. 5.34): m v' = -k |v_p| v_p for
//     the axial and the transverse part p, solved exactly: v(h) = v(0) / (1 + (k/m) |v(0)| h). The moving
//     water supplies the energy u . m dv through an energy port; the rest of the change of kinetic energy is
//     the loss, >= 0.
//   - Rotational damping J W' = -D W by the midpoint rule, with loss h D W_mean^2.
//   - Push of accelerating water: mass of the displaced water and added mass times du, for each part. The
//     first is the pressure gradient that accelerates the water (Froude-Krylov), the second the added mass on
//     the relative acceleration. As nothing moves, the change du over the flow gives the exact impulse
//     whatever the course of u; its work is impulse . mean velocity.
#include "core/pipe/pipe.h"

// Relative velocity after the flow; adds to loss.
static vec3 node_drag(const struct pipe *p, int i, double step_s, vec3 relative, vec3 axis, double *loss) {
  double m = p->mass_kg[i], m_axial = m + p->axial_excess_kg[i];
  double along = vec3_dot(axis, relative);
  vec3 across = vec3_axpy(-along, axis, relative);
  double speed = vec3_norm(across);
  double keep_across = 1 / (1 + p->drag_transverse[i] / m * speed * step_s);
  double keep_along = 1 / (1 + p->drag_axial[i] / m_axial * fabs(along) * step_s);
  *loss += 0.5 * m * (1 - keep_across * keep_across) * speed * speed;
  *loss += 0.5 * m_axial * (1 - keep_along * keep_along) * along * along;

  return vec3_axpy(keep_along * along, axis, vec3_scale(keep_across, across));
}

static void drag_on_node(const struct pipe *p, struct pipe_state *s, int i, double step_s, vec3 u,
                         struct drag_account *account) {
  vec3 v = pipe_get3(s->v_n, i), axis = pipe_axis(s, i);
  vec3 after = vec3_add(u, node_drag(p, i, step_s, vec3_sub(v, u), axis, &account->drag_loss_j));
  vec3 change = vec3_sub(after, v);
  vec3 impulse =
      vec3_axpy(p->axial_excess_kg[i] * vec3_dot(axis, change), axis, vec3_scale(p->mass_kg[i], change));
  account->current_work_j += vec3_dot(u, impulse);
  pipe_set3(s->v_n, i, after);
}

static void push_node(const struct pipe *p, struct pipe_state *s, int i, vec3 du,
                      struct drag_account *account) {
  double m = p->mass_kg[i], m_axial = m + p->axial_excess_kg[i];
  vec3 axis = pipe_axis(s, i), v = pipe_get3(s->v_n, i);
  double along = vec3_dot(axis, du);
  vec3 across = vec3_axpy(-along, axis, du);
  vec3 impulse = vec3_axpy(p->water_kg[0][i] * along, axis, vec3_scale(p->water_kg[1][i], across));
  vec3 change =
      vec3_axpy(p->water_kg[0][i] / m_axial * along, axis, vec3_scale(p->water_kg[1][i] / m, across));
  account->inertia_work_j += vec3_dot(impulse, vec3_axpy(0.5, change, v));
  pipe_set3(s->v_n, i, vec3_add(v, change));
}

static void damp_rotation(const struct pipe *p, struct pipe_state *s, int i, double step_s,
                          struct drag_account *account) {
  for (int c = 0; c < 3; c++) {
    double half = 0.5 * step_s * p->rotational_damping[c][i] / p->inertia_kgm2[c][i];
    double mean = s->omega_t[c][i] / (1 + half);
    account->rotation_loss_j += step_s * p->rotational_damping[c][i] * mean * mean;
    s->omega_t[c][i] = 2 * mean - s->omega_t[c][i];
  }
}

void pipe_drag_flow(const struct pipe *p, struct pipe_state *s, double step_s, const struct current *current,
                    const struct current_span *span, int reversed, struct drag_account *account) {
  int pushed = span->change.along != 0 || span->change.across != 0;
  int first = p->held_position ? 1 : 0;
  int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;

  for (int i = first; i <= last; i++) {
    if (pushed && !reversed)
      push_node(p, s, i, current_at(current, span->change, s->r_n[2][i]), account);
    drag_on_node(p, s, i, step_s, current_at(current, span->middle, s->r_n[2][i]), account);
    if (pushed && reversed)
      push_node(p, s, i, current_at(current, span->change, s->r_n[2][i]), account);
  }

  first = p->held_rotation ? 1 : 0;
  last = p->top_rotation_attached ? p->nodes - 2 : p->nodes - 1;

  for (int i = first; i <= last; i++)
    damp_rotation(p, s, i, step_s, account);
}
