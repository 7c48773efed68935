// Per node and direction (along the pipe's axis and across it, in the seabed's plane, as they are at the start of the
// step) a spring of stiffness k, stretch s, and the bound |s| <= c = mu N/k, N the mean normal force of the step:
//   s1 = s0 + du - slip,   slip = what the bound cuts off,   force F = k (s0 + s1)/2,
// so that F du = k (s1^2 - s0^2)/2 + F slip: stored and dissipated. F slip >= 0 unless the bound has shrunk below |s0| and
// the node turned back through it within the step; then no force acts, and the spring's energy is the loss.
#include "pipe/friction.h"

struct grip {
  double k, bound, bound_rate; // k, c, dc/d(penetration at the end)
  vec3 along[2];
};

static int touches(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i) {
  double before = s->r_n[2][i] - p->seabed_z_m[i];
  return before > 0 || before + w->dr_n[2][i] > 0 || s->stretch[0][i] != 0 || s->stretch[1][i] != 0;
}

static struct grip grip_of(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i, int d) {
  struct grip g;
  double slope, before = s->r_n[2][i] - p->seabed_z_m[i];
  double normal = p->contact_length_m[i] * seabed_mean_force(&p->seabed[i], before, before + w->dr_n[2][i], &slope);
  vec3 t = pipe_get3(w->d0, i);
  double size = sqrt(t.x * t.x + t.y * t.y), x = size > 0 ? t.x / size : 1, y = size > 0 ? t.y / size : 0;
  g.along[0] = (vec3){x, y, 0};
  g.along[1] = (vec3){-y, x, 0};
  g.k = p->friction_stiffness_npm2 * p->contact_length_m[i];
  g.bound = p->friction[d] * normal / g.k;
  g.bound_rate = p->friction[d] * p->contact_length_m[i] * slope / g.k;
  return g;
}

struct slip {
  double end, force, loss; // s1, F, dissipated energy
  int sign;                // 0: sticks; the side of the bound that holds it
  int released;            // no force
};

static struct slip slip_of(const struct grip *g, double start, double du) {
  struct slip x = {start + du, 0, 0, 0, 0};
  if (x.end > g->bound)
    x = (struct slip){g->bound, 0, 0, 1, 0};
  else if (x.end < -g->bound)
    x = (struct slip){-g->bound, 0, 0, -1, 0};
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
  for (int i = 0; i < p->nodes; i++)
    for (int d = 0; d < 2; d++) {
      w->stretch_end[d][i] = 0;
      if (p->contact_length_m[i] == 0 || !touches(p, s, w, i))
        continue;
      struct grip g = grip_of(p, s, w, i, d);
      struct slip x = slip_of(&g, s->stretch[d][i], vec3_dot(g.along[d], pipe_get3(w->dr_n, i)));
      w->stretch_end[d][i] = x.end;
      w->friction_loss_j += x.loss;
      pipe_set3(w->residual, i, vec3_axpy(x.force, g.along[d], pipe_get3(w->residual, i)));
    }
}

void pipe_friction_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i,
                           double block[36]) {
  if (p->contact_length_m[i] == 0 || !touches(p, s, w, i))
    return;
  for (int d = 0; d < 2; d++) {
    struct grip g = grip_of(p, s, w, i, d);
    struct slip x = slip_of(&g, s->stretch[d][i], vec3_dot(g.along[d], pipe_get3(w->dr_n, i)));
    const double e[3] = {g.along[d].x, g.along[d].y, 0};
    if (x.released)
      continue;
    for (int r = 0; r < 2; r++) {
      for (int c = 0; c < 2; c++)
        block[6 * r + c] += x.sign ? 0 : 0.5 * g.k * e[r] * e[c];
      block[6 * r + 2] += 0.5 * g.k * x.sign * g.bound_rate * e[r];
    }
  }
}

void pipe_friction_commit(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < p->nodes; i++)
      s->stretch[d][i] = w->stretch_end[d][i];
}
