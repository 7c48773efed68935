// Added mass as in the industry's codes, after Morison, O'Brien, Johnson and Schaaf 1950: water at rest
// pushes a node with minus the added mass along and across the section, times the acceleration of the node
// along and across it. A pipe that turns does not turn the momentum of the water with it. M = m I + c t t' as
// in inertia.c, but
//   M(t) dv/dt = force     instead of     d(M(t) v)/dt = force and a moment -(t . v) c t x v.
// Over a step, with M_m = (M0 + M1)/2 and v1 = 2 dr/h - v0:
//   M_m (v1 - v0)/h = force.
// Then force . dr = (v1' M_m v1 - v0' M_m v0)/2. The stored energy v' M v/2 changes by more than that, by
//   (v1' (M1 - M0) v1 + v0' (M1 - M0) v0)/4 = c/2 sum over v0 and v1 of (dt . v)(t_m . v),
// dt the change of the axis over the step, t_m its mean: half of v' (dM/dt) v, of either sign. This is the
// energy port added_mass. With the mean of M the step is its own adjoint and stays of second order.
#include "sagbend/pipe/morison.h"

// Of LANES nodes.
struct turning {
  lanes c; // 0 where the inertia has not this form
  lane_mask differs;
  struct lanes3 start, end;   // axis
  struct lanes3 acceleration; // (v1 - v0)/h
};

KERNEL_INLINE void turning_of(struct turning *x, const struct pipe_mesh *p, const struct pipe_state *s,
                              const struct pipe_work *w, const struct pipe_step *k, int i) {
  struct lanes3 dr, v0, dt;
  lanes excess, kirchhoff;
  lanes_load(&excess, p->axial_excess_kg + i);
  lanes_load(&kirchhoff, p->kirchhoff_kg + i);
  x->c = excess - kirchhoff;
  x->differs = x->c != 0;
  L3_LOAD(x->start, w->d0, i);
  L3_LOAD(dt, w->dd, i);
  L3_LOAD(dr, w->dr_n, i);
  L3_LOAD(v0, s->v_n, i);
  x->end = (struct lanes3)L3_ADD(x->start, dt);
  dr = (struct lanes3)L3_SCALE(k->mass_dr, dr);
  v0 = (struct lanes3)L3_SCALE(k->mass_v, v0);
  x->acceleration = (struct lanes3)L3_SUB(dr, v0);
}

KERNEL_CLONES
void pipe_morison_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct turning x;
    struct lanes3 force;
    turning_of(&x, p, s, w, k, i);
    const lanes at_start = 0.5 * x.c * (L3_DOT(x.start, x.acceleration)),
                at_end = 0.5 * x.c * (L3_DOT(x.end, x.acceleration));
    L3_LOAD(force, w->residual, i);
    struct lanes3 pushed = L3_AXPY(at_start, x.start, force);
    pushed = (struct lanes3)L3_AXPY(at_end, x.end, pushed);
    lanes_select(&force.x, &x.differs, &pushed.x, &force.x);
    lanes_select(&force.y, &x.differs, &pushed.y, &force.y);
    lanes_select(&force.z, &x.differs, &pushed.z, &force.z);
    L3_STORE(w->residual, i, force);
  }
}

// Adds the rows 0 to 2 of a column to the blocks of those nodes whose mass differs; -0 changes no number, not
// even the sign of a zero.
KERNEL_INLINE void add_column(double *const to[LANES], int column, const lane_mask *own,
                              const lanes rows[3]) {
  const lanes nothing = {-0.0, -0.0, -0.0, -0.0};
  lanes part[LANES] = {rows[0], rows[1], rows[2], nothing}, sum;
  for (int r = 0; r < 3; r++)
    lanes_select(&part[r], own, &part[r], &nothing);
  lanes_transpose(part);
  for (int n = 0; n < LANES; n++) {
    double *at = to[n] + block_at(0, column);
    lanes_load(&sum, at);
    sum = sum + part[n];
    lanes_store(at, &sum);
  }
}

KERNEL_CLONES
void pipe_morison_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) {
  struct turning x;
  turning_of(&x, p, s, w, k, first);
  if (!lanes_any(&x.differs))
    return;
  const lanes half = 0.5 * x.c, moved = half * k->mass_dr, along = half * (L3_DOT(x.end, x.acceleration)),
              zero = {0};
  const struct lanes3 t = x.end, spin = L3_CROSS(x.end, x.acceleration);
  const lanes start[3] = {x.start.x, x.start.y, x.start.z}, end[3] = {t.x, t.y, t.z},
              by_turn[3] = {half * spin.x, half * spin.y, half * spin.z};
  // The end axis, turned about x, y and z.
  const lanes turned[3][3] = {{zero, -t.z, t.y}, {t.z, zero, -t.x}, {-t.y, t.x, zero}};
  for (int j = 0; j < 3; j++) {
    const lanes from_start = moved * start[j], from_end = moved * end[j];
    lanes move[3], turn[3];
    for (int r = 0; r < 3; r++) {
      move[r] = from_start * start[r] + from_end * end[r];
      turn[r] = along * turned[j][r] + by_turn[j] * end[r];
    }
    add_column(to, j, &x.differs, move);
    add_column(to, 3 + j, &x.differs, turn);
  }
}

static double of_node(const struct pipe_mesh *p, int i) {
  return p->axial_excess_kg[i] - p->kirchhoff_kg[i];
}

double pipe_morison_work(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_step *k) {
  double work = 0;
  if (!p->pipe->has_morison || k->inverse_h == 0)
    return 0;

  for (int i = 0; i < p->nodes; i++) {
    vec3 dt = pipe_get3(w->dd, i), middle = vec3_axpy(0.5, dt, pipe_get3(w->d0, i)),
         v0 = pipe_get3(s->v_n, i);
    vec3 v1 = vec3_sub(vec3_scale(2 * k->inverse_h, pipe_get3(w->dr_n, i)), v0);
    work += 0.5 * of_node(p, i) *
            (vec3_dot(dt, v0) * vec3_dot(middle, v0) + vec3_dot(dt, v1) * vec3_dot(middle, v1));
  }

  return work;
}
