// For each node and direction a spring that slips (sagbend/math/bounded_spring.h), of bound c = mu N/k and moved
// by x = f du, du the displacement over the step and f the share of it in contact; the force on the node is f
// F. N is the force of the seabed's spring at the end of the step, because elongations belong to the ends of
// steps. A node that slips is thus braked by the mean of mu N at both ends, and the step is of second order.
//
// Where the bound has shrunk below |s0| and the node has turned back through the other bound within the step,
// as where it leaves the ground, the spring gives back what it has lost,
//   F = k (s0^2 - s1^2)/2/(s0 - (s0 + x)),
// without loss. That continues the force: with one that jumps, a step may have no solution.
//
// Directions: e0 is the mean axis of the pipe over the step, projected on the plane across the ground's
// normal n in the middle of the step; e1 = n x e0.
//
// That is the law coulomb. With breakout, on soil, the bound falls from a peak, and N may be large at one end
// of a step and 0 at the other: there the elongation meets the bound and follows it (sagbend/ground/breakout.h),
// and the loss is >= 0 always.
#include "sagbend/pipe/friction.h"

#include "sagbend/base/compiler.h"
#include "sagbend/math/bounded_spring.h"
#include "sagbend/ground/breakout.h"

struct friction_springs {
  double k, bound[2]; // k, c
  double share;       // f
  vec3 normal, axis;  // n, mean of t_1
  vec3 along[2];      // e0, e1
  double level;       // e0 . axis; 0: the pipe is upright
  double slant;       // n . axis over |gradient of penetration|
};

// Whether contact or a remaining elongation makes friction act on node i.
static int is_gripped(const struct pipe_state *s, const struct pipe_work *w, int i) {
  return w->normal_force_n[i] != 0 || s->friction_elongation_m[0][i] != 0 ||
         s->friction_elongation_m[1][i] != 0;
}

static struct friction_springs springs_of(const struct pipe_mesh *p, const struct pipe_work *w, int i) {
  struct friction_springs springs = {.k = p->pipe->friction.stiffness_npm2 * p->contact_length_m[i],
                                     .share = w->contact_share[i]};
  vec3 n = w->normal_force_n[i] != 0 ? pipe_get3(w->penetration_gradient, i) : (vec3){0, 0, 1};
  double steep = 1 / vec3_norm(n);
  springs.normal = vec3_scale(steep, n);
  springs.axis = vec3_axpy(0.5, pipe_get3(w->dd, i), pipe_get3(w->d0, i));
  double up = vec3_dot(springs.axis, springs.normal);
  vec3 a = vec3_axpy(-up, springs.normal, springs.axis);
  springs.level = vec3_norm(a);
  springs.slant = up * steep;
  if (!(springs.level > 0)) // upright
    a = (vec3){springs.normal.z, 0, -springs.normal.x};

  double size = vec3_norm(a);
  springs.along[0] = (vec3){a.x / size, a.y / size, a.z / size};
  springs.along[1] = vec3_cross(springs.normal, springs.along[0]);

  for (int d = 0; d < 2; d++)
    springs.bound[d] = p->pipe->friction.coefficient[d] * w->end_normal_force_n[i] / springs.k;
  return springs;
}

struct node_slip {
  struct slip is;
  int is_given; // 1: by_way and by_normal are the derivatives of the force; 0: those of the spring hold
  double by_way, by_normal; // of is.mean
};

// The slip of node i beyond the residual bound.
RARE_PATH struct node_slip break_out(const struct pipe_mesh *p, const struct pipe_state *s,
                                     const struct pipe_work *w, int i, int d, double du) {
  const struct soil_friction *f = &p->pipe->soil_friction;
  const double l = p->contact_length_m[i], z = fmax(w->penetration_m[i], 0);
  const struct breakout spring = {.stiffness_npm = p->pipe->friction.stiffness_npm2 * l,
                                  .peak = fmax(f->peak[d], p->pipe->friction.coefficient[d]),
                                  .residual = p->pipe->friction.coefficient[d],
                                  .residual_m = f->residual_m[d],
                                  .passive_n = d == 1 ? l * z * (f->passive[0] + z * f->passive[1]) : 0,
                                  .slipped_m = s->slip_m[d][i],
                                  .start_normal_n = l * fmax(w->soil[i].force_npm, 0),
                                  .end_normal_n = w->end_normal_force_n[i]};
  const struct breakout_slip x =
      breakout_over(&spring, s->friction_elongation_m[d][i], w->contact_share[i] * du);
  return (struct node_slip){.is = {.end = x.end_m, .mean = x.force_n, .loss = x.loss_j, .way = x.slip_m},
                            .is_given = 1,
                            .by_way = x.by_way_npm,
                            .by_normal = x.by_normal};
}

// ---- The laws of sagbend/ground/friction_law.h: the slip of node i that moves by du along direction d ----

static inline struct node_slip friction_coulomb(const struct friction_springs *springs,
                                                const struct pipe_mesh *p, const struct pipe_state *s,
                                                const struct pipe_work *w, int i, int d, double du) {
  (void)w;
  const double start = s->friction_elongation_m[d][i], free = start + springs->share * du;
  struct node_slip slip = {.is = bounded_spring(springs->k, springs->bound[d], start, free)};
  if (slip.is.loss < 0) {
    const double back = start - free; // not 0: both bounds lie between
    slip.is.sign = 0;
    slip.is.loss = 0;
    slip.is.mean = 0.5 * springs->k * ((start * start - slip.is.end * slip.is.end) / back);
    slip.is_given = 1;
    slip.by_way = slip.is.mean / back;
    slip.by_normal = -p->pipe->friction.coefficient[d] * springs->bound[d] / back;
  }
  return slip;
}

// Within the residual bound it is a spring too.
static inline struct node_slip friction_breakout(const struct friction_springs *springs,
                                                 const struct pipe_mesh *p, const struct pipe_state *s,
                                                 const struct pipe_work *w, int i, int d, double du) {
  const double start = s->friction_elongation_m[d][i], end = start + springs->share * du;
  if (fabs(end) <= springs->bound[d])
    return (struct node_slip){.is = {.end = end, .mean = 0.5 * springs->k * (start + end)},
                              .is_given = 1,
                              .by_way = 0.5 * springs->k};
  return break_out(p, s, w, i, d, du);
}

static inline struct node_slip node_slip_of(const struct friction_springs *springs, const struct pipe_mesh *p,
                                            const struct pipe_state *s, const struct pipe_work *w, int i,
                                            int d, double du) {
  switch (p->pipe->friction.law) {
#define CASE(LAW, word, ...)                                                                                 \
  case FRICTION_##LAW:                                                                                       \
    return friction_##word(springs, p, s, w, i, d, du);
    FRICTION_LAW_TABLE(CASE)
#undef CASE
  case FRICTION_OF_SEABED:
  case FRICTION_LAW_COUNT:
    break;
  }
  return (struct node_slip){.is = {.end = 0}}; // no pipe has one of these two
}

void pipe_friction_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  w->friction_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    w->end_friction_elongation_m[0][i] = w->end_friction_elongation_m[1][i] = 0;
    w->friction_slip_m[0][i] = w->friction_slip_m[1][i] = 0;
    if (p->contact_length_m[i] == 0 || !is_gripped(s, w, i))
      continue;
    struct friction_springs springs = springs_of(p, w, i);
    vec3 dr = pipe_get3(w->dr_n, i);
    for (int d = 0; d < 2; d++) {
      const double du = vec3_dot(springs.along[d], dr);
      const struct slip slip = node_slip_of(&springs, p, s, w, i, d, du).is;
      w->end_friction_elongation_m[d][i] = slip.end;
      w->friction_slip_m[d][i] = slip.way;
      w->friction_loss_j += slip.loss;
      pipe_set3(w->residual, i,
                vec3_axpy(springs.share * slip.mean, springs.along[d], pipe_get3(w->residual, i)));
    }
  }
}

// Derivative with respect to dr (shift) and the rotation at the end (turn).
struct variation {
  vec3 shift, turn;
};

static struct variation scaled(double a, struct variation x) {
  return (struct variation){vec3_scale(a, x.shift), vec3_scale(a, x.turn)};
}

static struct variation sum(struct variation x, struct variation y) {
  return (struct variation){vec3_add(x.shift, y.shift), vec3_add(x.turn, y.turn)};
}

// Derivatives of the directions: de0 = e1 turn - n dip[0], de1 = -e0 turn - n dip[1].
struct triad_rates {
  struct variation turn, dip[2];
};

static struct triad_rates triad_rates_of(const struct friction_springs *springs, const struct pipe_work *w,
                                         int i, const mat3 *turn) {
  struct triad_rates x = {{{0, 0, 0}, {0, 0, 0}}, {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}}};
  double steep = 1 / vec3_norm(pipe_get3(w->penetration_gradient, i));
  vec3 lean[2];

  for (int d = 0; d < 2; d++) {
    lean[d] = mat3_tmul(turn, springs->along[d]); // times 1/|gradient|: dn . e_d
    x.dip[d].shift = vec3_scale(steep, lean[d]);
  }

  if (springs->level > 0) {
    vec3 end = vec3_add(pipe_get3(w->d0, i), pipe_get3(w->dd, i));
    x.turn.turn = vec3_scale(0.5 / springs->level, vec3_cross(end, springs->along[1]));
    x.turn.shift = vec3_scale(-springs->slant / springs->level, lean[1]);
  }

  return x;
}

static void add_outer(double block[36], vec3 e, const struct variation *f) {
  const double row[3] = {e.x, e.y, e.z}, shift[3] = {f->shift.x, f->shift.y, f->shift.z},
               turn[3] = {f->turn.x, f->turn.y, f->turn.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      block[block_at(r, c)] += row[r] * shift[c];
      block[block_at(r, 3 + c)] += row[r] * turn[c];
    }
}

void pipe_friction_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           int i, const struct contact_rates *rates, double block[36]) {
  if (p->contact_length_m[i] == 0 || w->normal_force_n[i] == 0) // not in contact
    return;

  struct friction_springs springs = springs_of(p, w, i);
  struct triad_rates triad = triad_rates_of(&springs, w, i, &rates->turn);
  vec3 dr = pipe_get3(w->dr_n, i);
  const double du[2] = {vec3_dot(springs.along[0], dr), vec3_dot(springs.along[1], dr)},
               rise = vec3_dot(springs.normal, dr);

  for (int d = 0; d < 2; d++) {
    const struct node_slip node = node_slip_of(&springs, p, s, w, i, d, du[d]);
    const struct slip slip = node.is;
    // F = f k (s0 + s1)/2 with s1 = s0 + f du or +- mu N/k. side: sign of the other direction as this one
    // turns.
    const double side = d ? -1 : 1, force = springs.share * slip.mean;
    const double by_share = node.is_given ? slip.mean + springs.share * node.by_way * du[d]
                            : slip.sign   ? slip.mean
                                          : springs.k * slip.end;
    const double by_way = node.is_given ? node.by_way : 0.5 * springs.k;
    struct variation change = {vec3_scale(by_share, rates->share), {0, 0, 0}};
    if (node.is_given)
      change.shift = vec3_axpy(springs.share * node.by_normal, rates->end_force, change.shift);
    if (slip.sign) {
      change.shift = vec3_axpy(0.5 * springs.share * slip.sign * p->pipe->friction.coefficient[d],
                               rates->end_force, change.shift);
      if (w->with_secant && slip.way > 0) { // from one bound to the other Newton's method may cycle
        const double free_m = springs.share * du[d];
        const double secant = 0.5 * springs.k * (1 - slip.way / fabs(free_m));
        change.shift =
            vec3_axpy(fmax(0, secant) * springs.share * springs.share, springs.along[d], change.shift);
      }
    } else {
      struct variation way = sum(scaled(side * du[1 - d], triad.turn), scaled(-rise, triad.dip[d]));
      way.shift = vec3_add(way.shift, springs.along[d]);
      change = sum(change, scaled(by_way * springs.share * springs.share, way));
    }
    struct variation across = scaled(side * force, triad.turn), down = scaled(-force, triad.dip[d]);
    add_outer(block, springs.along[d], &change);
    add_outer(block, springs.along[1 - d], &across);
    add_outer(block, springs.normal, &down);
  }
}

void pipe_friction_commit(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < p->nodes; i++)
      s->friction_elongation_m[d][i] = w->end_friction_elongation_m[d][i];
  if (!s->slip_m[0])
    return;
  for (int i = 0; i < p->nodes; i++) {
    const int lies = w->end_normal_force_n[i] != 0 ||
                     (p->pipe->has_soil && w->contact_share[i] != 0 && w->end_penetration_m[i] > 0);
    for (int d = 0; d < 2; d++)
      s->slip_m[d][i] = lies ? s->slip_m[d][i] + w->friction_slip_m[d][i] : 0;
  }
}
