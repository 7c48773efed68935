// Per node and direction (along the pipe's axis and across it, in the seabed's tangent plane, as they are at the
// start of the step) a spring of stiffness k, stretch s, and the bound |s| <= c = mu N/k, N the mean normal force of the step:
//   s1 = s0 + du - slip,   slip = what the bound cuts off,   force F = k (s0 + s1)/2,
// so that F du = k (s1^2 - s0^2)/2 + F slip: stored and dissipated. F slip >= 0 unless the bound has shrunk below |s0| and
// the node turned back through it within the step; then no force acts, and the spring's energy is the loss.
#include "pipe/friction.h"

struct grip {
  double k, bound[2]; // k, c
  vec3 along[2];
};

static int touches(const struct pipe_state *s, const struct pipe_work *w, int i) {
  return w->press_n[i] != 0 || s->stretch[0][i] != 0 || s->stretch[1][i] != 0;
}

static struct grip grip_of(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i) {
  struct grip g;
  vec3 n;
  surface_penetration(&p->ground, 0, pipe_get3(s->r_n, i), &n);
  vec3 t = pipe_get3(w->d0, i), a = vec3_axpy(-vec3_dot(t, n), n, t);
  if (!(vec3_dot(a, a) > 0)) // upright
    a = (vec3){n.z, 0, -n.x};
  double size = vec3_norm(a);
  g.along[0] = (vec3){a.x / size, a.y / size, a.z / size};
  g.along[1] = vec3_cross(n, g.along[0]);
  g.k = p->friction_stiffness_npm2 * p->contact_length_m[i];
  for (int d = 0; d < 2; d++)
    g.bound[d] = p->friction[d] * w->press_n[i] / g.k;
  return g;
}

struct slip {
  double end, force, loss; // s1, F, dissipated energy
  int sign;                // 0: sticks; the side of the bound that holds it
  int released;            // no force
};

static struct slip slip_of(const struct grip *g, int d, double start, vec3 dr) {
  double du = vec3_dot(g->along[d], dr), bound = g->bound[d];
  struct slip x = {start + du, 0, 0, 0, 0};
  if (x.end > bound)
    x = (struct slip){bound, 0, 0, 1, 0};
  else if (x.end < -bound)
    x = (struct slip){-bound, 0, 0, -1, 0};
  x.force = 0.5 * g->k * (start + x.end);
  x.loss = x.sign ? x.force * (start + du - x.end) : 0;
  if (x.loss < 0) {
    x.released = 1;
    x.force = 0;
    x.loss = 0.5 * g->k * (start * start - x.end * x.end);
  }
  return x;
}

void pipe_friction_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  w->friction_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    w->stretch_end[0][i] = w->stretch_end[1][i] = 0;
    if (p->contact_length_m[i] == 0 || !touches(s, w, i))
      continue;
    struct grip g = grip_of(p, s, w, i);
    for (int d = 0; d < 2; d++) {
      struct slip x = slip_of(&g, d, s->stretch[d][i], pipe_get3(w->dr_n, i));
      w->stretch_end[d][i] = x.end;
      w->friction_loss_j += x.loss;
      pipe_set3(w->residual, i, vec3_axpy(x.force, g.along[d], pipe_get3(w->residual, i)));
    }
  }
}

void pipe_friction_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i,
                           vec3 pressing, double block[36]) {
  if (p->contact_length_m[i] == 0 || !touches(s, w, i))
    return;
  struct grip g = grip_of(p, s, w, i);
  for (int d = 0; d < 2; d++) {
    struct slip x = slip_of(&g, d, s->stretch[d][i], pipe_get3(w->dr_n, i));
    if (x.released)
      continue;
    // F = k (s0 + s1)/2 with s1 = s0 + du, or +- mu N/k
    vec3 change = x.sign ? vec3_scale(0.5 * x.sign * p->friction[d], pressing) : vec3_scale(0.5 * g.k, g.along[d]);
    const double e[3] = {g.along[d].x, g.along[d].y, g.along[d].z}, f[3] = {change.x, change.y, change.z};
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        block[6 * r + c] += e[r] * f[c];
  }
}

void pipe_friction_commit(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < p->nodes; i++)
      s->stretch[d][i] = w->stretch_end[d][i];
}
