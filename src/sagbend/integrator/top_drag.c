// Drag on the half element at the hang-off. P nu is its velocity in the section frame, u the velocity of the
// water there; the drag is -P' K(rel) (P nu - u) with K >= 0 taken from the relative velocity of a guess.
#include "sagbend/integrator/integrator_internal.h"

// The map from nu to the velocity of the hang-off, in the section frame.
static void set_map(const mat3 *section_b, const mat3 *lever, double map[3][6]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      map[i][j] = section_b->m[j][i];
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += section_b->m[k][i] * lever->m[k][j];
      map[i][3 + j] = sum;
    }
}

// Adds the water that the waves move. t: the section frame.
static void add_waves(const struct model *m, const struct model_state *s, const struct half_step *half,
                      const mat3 *t, double wet, struct top_drag *drag) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int n = p->nodes - 1;
  const double h = half->duration_s;
  vec3 u[3]; // at the start, in the middle, at the end
  for (int k = 0; k < 3; k++)
    u[k] = stations_velocity(&m->field, &s->pipe, &s->mesh.stations, n, half->time_s + 0.5 * (k - 1) * h);
  vec3_to(mat3_tmul(t, u[1]), drag->waves);
  vec3_to(mat3_tmul(t, vec3_sub(u[2], u[0])), drag->waves_push);
  for (int c = 0; c < 3; c++) {
    drag->waves_push[c] *= wet * p->water_kg[c > 0][n] / h;
    drag->water[c] += drag->waves[c];
    drag->push[c] += drag->waves_push[c];
  }
}

struct top_drag top_drag_of(const struct model *m, const struct model_state *s,
                            const struct current_span *span, const struct half_step *half) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  struct top_drag drag = {.present = p->top_attached};
  if (!drag.present)
    return drag;

  int n = p->nodes - 1;
  mat3 q = quat_matrix(s->vessel.q_nb), t = quat_matrix(pipe_quat(&s->pipe, n)), qt = mat3_transpose(&q);
  mat3 section_b = mat3_product(&qt, &t);
  mat3 lever = mat3_hat(vec3_scale(-1, m->hangoff_b_m)); // omega x r = -r x omega
  set_map(&section_b, &lever, drag.map);

  vec3 u = current_at(&m->current, span->middle, s->pipe.r_n[2][n]);
  vec3_to(mat3_tmul(&t, u), drag.water);
  vec3_to(mat3_tmul(&t, current_at(&m->current, span->change, s->pipe.r_n[2][n])), drag.push);
  const double wet = pipe_wet_share(p, &s->pipe, n);
  for (int c = 0; c < 3; c++)
    drag.push[c] *= wet * p->water_kg[c > 0][n] / half->duration_s;
  if (p->pipe->in_sea)
    add_waves(m, s, half, &t, wet, &drag);

  drag.transverse = wet * p->drag_transverse[n];
  drag.axial = wet * p->drag_axial[n];
  if (p->top_rotation_attached)
    for (int i = 0; i < 3; i++) {
      drag.turn_damping[i] = p->rotational_damping[i][n];
      for (int j = 0; j < 3; j++)
        drag.turn[i][3 + j] = section_b.m[j][i];
    }
  return drag;
}

static void relative_velocity(const struct top_drag *drag, const double nu[6], double rel[3]) {
  for (int i = 0; i < 3; i++) {
    rel[i] = -drag->water[i];
    for (int j = 0; j < 6; j++)
      rel[i] += drag->map[i][j] * nu[j];
  }
}

static void drag_coefficients(const struct top_drag *drag, const double rel[3], double k[3]) {
  k[0] = drag->axial * fabs(rel[0]);
  k[1] = k[2] = drag->transverse * sqrt(rel[1] * rel[1] + rel[2] * rel[2]);
}

void top_drag_begin(const struct top_drag *drag, double half, struct midpoint *to) {
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 6; i++) {
      to->rhs[i] += half * drag->map[c][i] * drag->push[c];
      for (int j = 0; j <= i; j++)
        to->matrix[i][j] += half * drag->turn_damping[c] * drag->turn[c][i] * drag->turn[c][j];
    }
}

void top_drag_assemble(const struct top_drag *drag, const double guess[6], double half, struct midpoint *to) {
  double k[3], rel[3];
  relative_velocity(drag, guess, rel);
  drag_coefficients(drag, rel, k);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 6; i++) {
      double damping = half * k[c] * drag->map[c][i];
      to->rhs[i] += damping * drag->water[c];
      for (int j = 0; j <= i; j++)
        to->matrix[i][j] += damping * drag->map[c][j];
    }
}

void top_drag_book(const struct top_drag *drag, const double guess[6], const double nu_m[6], double h,
                   struct ledger *ledger) {
  double k[3], rel[3];
  relative_velocity(drag, guess, rel);
  drag_coefficients(drag, rel, k);
  relative_velocity(drag, nu_m, rel);
  for (int c = 0; c < 3; c++) {
    double turn = 0;
    for (int j = 0; j < 6; j++)
      turn += drag->turn[c][j] * nu_m[j];
    ledger->loss_j[LOSS_PIPE_DRAG] += h * k[c] * rel[c] * rel[c];
    ledger->loss_j[LOSS_PIPE_ROTATION] += h * drag->turn_damping[c] * turn * turn;
    const double drag_h = h * k[c] * rel[c], waves = drag->waves[c], push_h = h * drag->waves_push[c];
    ledger->work_j[PORT_CURRENT] -= drag_h * (drag->water[c] - waves);
    ledger->work_j[PORT_WATER_INERTIA] += (h * drag->push[c] - push_h) * (rel[c] + drag->water[c]);
    ledger->work_j[PORT_PIPE_WAVES] += push_h * (rel[c] + drag->water[c]) - drag_h * waves;
  }
}
