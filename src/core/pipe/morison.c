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
#include "core/pipe/morison.h"

static double of_node(const struct pipe_mesh *p, int i) {
  return p->axial_excess_kg[i] - p->kirchhoff_kg[i];
}

struct turning {
  double c;
  vec3 start, end;   // axis
  vec3 acceleration; // (v1 - v0)/h
};

static struct turning turning_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                 const struct pipe_work *w, const struct pipe_step *k, int i) {
  vec3 t0 = pipe_get3(w->d0, i);
  vec3 a =
      vec3_sub(vec3_scale(k->mass_dr, pipe_get3(w->dr_n, i)), vec3_scale(k->mass_v, pipe_get3(s->v_n, i)));
  return (struct turning){of_node(p, i), t0, vec3_add(t0, pipe_get3(w->dd, i)), a};
}

void pipe_morison_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) {
  for (int i = 0; i < p->nodes; i++) {
    if (of_node(p, i) == 0)
      continue;
    struct turning x = turning_of(p, s, w, k, i);
    vec3 force = pipe_get3(w->residual, i);
    force = vec3_axpy(0.5 * x.c * vec3_dot(x.start, x.acceleration), x.start, force);
    force = vec3_axpy(0.5 * x.c * vec3_dot(x.end, x.acceleration), x.end, force);
    pipe_set3(w->residual, i, force);
  }
}

void pipe_morison_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                          const struct pipe_step *k, int i, double block[36]) {
  if (of_node(p, i) == 0)
    return;

  struct turning x = turning_of(p, s, w, k, i);
  double half = 0.5 * x.c, along = vec3_dot(x.end, x.acceleration);
  for (int j = 0; j < 3; j++) {
    double unit[3] = {0}, column[3];
    unit[j] = 1;
    vec3 e = vec3_of(unit), turned = vec3_cross(e, x.end); // the end axis, turned about e
    vec3 by_move = vec3_axpy(half * k->mass_dr * vec3_dot(x.start, e), x.start,
                             vec3_scale(half * k->mass_dr * vec3_dot(x.end, e), x.end));
    vec3 by_turn =
        vec3_axpy(half * along, turned, vec3_scale(half * vec3_dot(turned, x.acceleration), x.end));
    vec3_to(by_move, column);
    for (int r = 0; r < 3; r++)
      block[block_at(r, j)] += column[r];
    vec3_to(by_turn, column);
    for (int r = 0; r < 3; r++)
      block[block_at(r, 3 + j)] += column[r];
  }
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
