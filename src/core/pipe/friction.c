// Per node and direction a spring of stiffness k, stretch s, and the bound |s| <= c = mu N/k:
//   s1 = s0 + x - slip,   slip = what the bound cuts off,   force F = f k (s0 + s1)/2,   x = f du,
// du the step's displacement and f the share of it in contact, so that F du = k (s1^2 - s0^2)/2 + k (s0 +
// s1)/2 slip: stored and dissipated. N is the force of the seabed's spring at the end of the step: stretches
// belong to the ends of steps, so a node that slips is braked by the mean of both ends' mu N, and the step is
// of second order. The loss is >= 0 unless the bound has shrunk below |s0| and the node turned back through
// it within the step; then no force acts, and the spring's energy is the loss. Directions: e0 the pipe's mean
// axis of the step in the plane across the ground's normal n in the middle of the step, e1 = n x e0.
#include "core/pipe/friction.h"

struct grip {
  double k, bound[2]; // k, c
  double share;       // f
  vec3 normal, axis;  // n, mean of t_1
  vec3 along[2];
  double level, slant; // e0 . axis, n . axis, over |gradient of penetration|; level 0: upright
};

static int touches(const struct pipe_state *s, const struct pipe_work *w, int i) {
  return w->normal_force_n[i] != 0 || s->friction_elongation_m[0][i] != 0 ||
         s->friction_elongation_m[1][i] != 0;
}

static struct grip grip_of(const struct pipe *p, const struct pipe_work *w, int i) {
  struct grip g = {.k = p->friction_stiffness_npm2 * p->contact_length_m[i], .share = w->contact_share[i]};
  vec3 n = w->normal_force_n[i] != 0 ? pipe_get3(w->penetration_gradient, i) : (vec3){0, 0, 1};
  double steep = 1 / vec3_norm(n);
  g.normal = vec3_scale(steep, n);
  g.axis = vec3_axpy(0.5, pipe_get3(w->dd, i), pipe_get3(w->d0, i));
  double up = vec3_dot(g.axis, g.normal);
  vec3 a = vec3_axpy(-up, g.normal, g.axis);
  g.level = vec3_norm(a);
  g.slant = up * steep;
  if (!(g.level > 0)) // upright
    a = (vec3){g.normal.z, 0, -g.normal.x};
  double size = vec3_norm(a);
  g.along[0] = (vec3){a.x / size, a.y / size, a.z / size};
  g.along[1] = vec3_cross(g.normal, g.along[0]);
  for (int d = 0; d < 2; d++)
    g.bound[d] = p->friction[d] * w->end_normal_force_n[i] / g.k;
  return g;
}

struct slip {
  double end, mean, loss; // s1, k (s0 + s1)/2, dissipated energy
  int sign;               // 0: sticks; the side of the bound that holds it
  int released;           // no force
};

static struct slip slip_of(const struct grip *g, int d, double start, double du) {
  double bound = g->bound[d], free = start + g->share * du;
  struct slip x = {free, 0, 0, 0, 0};
  if (x.end > bound)
    x = (struct slip){bound, 0, 0, 1, 0};
  else if (x.end < -bound)
    x = (struct slip){-bound, 0, 0, -1, 0};
  x.mean = 0.5 * g->k * (start + x.end);
  x.loss = x.sign ? x.mean * (free - x.end) : 0;
  if (x.loss < 0) {
    x.released = 1;
    x.mean = 0;
    x.loss = 0.5 * g->k * (start * start - x.end * x.end);
  }
  return x;
}

void pipe_friction_forces(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w) {
  w->friction_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    w->end_friction_elongation_m[0][i] = w->end_friction_elongation_m[1][i] = 0;
    if (p->contact_length_m[i] == 0 || !touches(s, w, i))
      continue;
    struct grip g = grip_of(p, w, i);
    vec3 dr = pipe_get3(w->dr_n, i);
    for (int d = 0; d < 2; d++) {
      struct slip x = slip_of(&g, d, s->friction_elongation_m[d][i], vec3_dot(g.along[d], dr));
      w->end_friction_elongation_m[d][i] = x.end;
      w->friction_loss_j += x.loss;
      pipe_set3(w->residual, i, vec3_axpy(g.share * x.mean, g.along[d], pipe_get3(w->residual, i)));
    }
  }
}

// A derivative with respect to dr and to the rotation of the end.
struct variation {
  vec3 shift, turn;
};

static struct variation scaled(double a, struct variation x) {
  return (struct variation){vec3_scale(a, x.shift), vec3_scale(a, x.turn)};
}

static struct variation sum(struct variation x, struct variation y) {
  return (struct variation){vec3_add(x.shift, y.shift), vec3_add(x.turn, y.turn)};
}

// How the triad turns: de0 = e1 turn - n dip[0], de1 = -e0 turn - n dip[1].
struct triad_rates {
  struct variation turn, dip[2];
};

static struct triad_rates triad_rates_of(const struct grip *g, const struct pipe_work *w, int i,
                                         const mat3 *turn) {
  struct triad_rates x = {{{0, 0, 0}, {0, 0, 0}}, {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}}};
  double steep = 1 / vec3_norm(pipe_get3(w->penetration_gradient, i));
  vec3 lean[2];
  for (int d = 0; d < 2; d++) {
    lean[d] = mat3_tmul(turn, g->along[d]); // times 1/|gradient|: dn . e_d
    x.dip[d].shift = vec3_scale(steep, lean[d]);
  }
  if (g->level > 0) {
    vec3 end = vec3_add(pipe_get3(w->d0, i), pipe_get3(w->dd, i));
    x.turn.turn = vec3_scale(0.5 / g->level, vec3_cross(end, g->along[1]));
    x.turn.shift = vec3_scale(-g->slant / g->level, lean[1]);
  }
  return x;
}

static void add_outer(double block[36], vec3 e, const struct variation *f) {
  const double row[3] = {e.x, e.y, e.z}, shift[3] = {f->shift.x, f->shift.y, f->shift.z},
               turn[3] = {f->turn.x, f->turn.y, f->turn.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      block[6 * r + c] += row[r] * shift[c];
      block[6 * r + 3 + c] += row[r] * turn[c];
    }
}

void pipe_friction_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w, int i,
                           const struct contact_rates *rates, double block[36]) {
  if (p->contact_length_m[i] == 0 || w->normal_force_n[i] == 0) // in the air nothing acts
    return;
  struct grip g = grip_of(p, w, i);
  struct triad_rates triad = triad_rates_of(&g, w, i, &rates->turn);
  vec3 dr = pipe_get3(w->dr_n, i);
  const double du[2] = {vec3_dot(g.along[0], dr), vec3_dot(g.along[1], dr)}, rise = vec3_dot(g.normal, dr);
  for (int d = 0; d < 2; d++) {
    struct slip x = slip_of(&g, d, s->friction_elongation_m[d][i], du[d]);
    if (x.released)
      continue;
    // F = f k (s0 + s1)/2 with s1 = s0 + f du, or +- mu N/k; side: of the other direction as this one turns
    const double side = d ? -1 : 1, force = g.share * x.mean;
    struct variation change = {vec3_scale(x.sign ? x.mean : g.k * x.end, rates->share), {0, 0, 0}};
    if (x.sign) {
      change.shift = vec3_axpy(0.5 * g.share * x.sign * p->friction[d], rates->hold, change.shift);
    } else {
      struct variation way = sum(scaled(side * du[1 - d], triad.turn), scaled(-rise, triad.dip[d]));
      way.shift = vec3_add(way.shift, g.along[d]);
      change = sum(change, scaled(0.5 * g.k * g.share * g.share, way));
    }
    struct variation across = scaled(side * force, triad.turn), down = scaled(-force, triad.dip[d]);
    add_outer(block, g.along[d], &change);
    add_outer(block, g.along[1 - d], &across);
    add_outer(block, g.normal, &down);
  }
}

void pipe_friction_commit(const struct pipe *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < p->nodes; i++)
      s->friction_elongation_m[d][i] = w->end_friction_elongation_m[d][i];
}
