// The wire within a step. With c the chord, t_k the directors of a node and f = 1/l^2, and over-lines for
// means of start and end,
//   |c| changes by m . dc,            m = 2 mean(c)/(|c_0| + |c_1|),
//   B = |c| - t_1 . c changes by (m - mean(t_1)) . dc + theta . (mean(c) x mean(t_1)),
//   B f changes by mean(f) dB + mean(B) df,
// each to rounding and for any increments, so that the forces below do the work of the energy
//   EA g^2/(2 s) + 2 EI f (B_a + B_b).
// No term divides by anything but a length and |c_0| + |c_1|.
#include "sagbend/pipe/growing_parts.h"

#include <string.h>

// Coefficients of the bending of both ends.
struct bend {
  double mean, end, slope; // of 2 EI f: mean and end of the step, change over the growth
  double damping;          // of the changes of t_k . c, k = 2, 3
  double l0, l1;
};

// One end: its directors, and what acts at it.
struct end {
  int node; // 0: lower
  vec3 mean[3], last[3];
  vec3 pull, pull_last; // factor of the axis and of the damping: mean(bend) t_1 - damping forces t_k
  double changed[2];    // t_k . c, k = 2, 3
  double bent[2];       // B at start and end
};

struct wire {
  vec3 start, mean, last; // chord
  double size[2];         // |c| at start and end
  vec3 along, along_last; // m; c_1/|c_1|
  struct bend bend;
  struct end end[2];
};

// |c| - t . c without loss of digits where both are parallel.
static double bent_by(vec3 chord, double size, vec3 axis) {
  const vec3 off = vec3_axpy(-size, axis, chord);
  return vec3_dot(off, off) / (2 * size);
}

static struct bend bend_of(const struct growing_element *x) {
  const double l0 = x->start_m, l1 = l0 + x->grown_m, twice = 2 * x->stiffness[4];
  const double middle = 0.5 * (l0 + l1);
  return (struct bend){.mean = 0.5 * (twice / (l0 * l0) + twice / (l1 * l1)),
                       .end = twice / (l1 * l1),
                       .slope = -twice * (l0 + l1) / (l0 * l0 * l1 * l1),
                       .damping = x->damping_over_h * twice / (middle * middle * middle),
                       .l0 = l0,
                       .l1 = l1};
}

static struct wire wire_of(const struct growing_element *x) {
  struct wire w = {.start = x->chord,
                   .mean = vec3_axpy(0.5, x->chord_change, x->chord),
                   .last = vec3_add(x->chord, x->chord_change),
                   .bend = bend_of(x)};
  w.size[0] = vec3_norm(w.start), w.size[1] = vec3_norm(w.last);
  w.along = vec3_scale(2 / (w.size[0] + w.size[1]), w.mean);
  w.along_last = vec3_scale(1 / w.size[1], w.last);
  for (int n = 0; n < 2; n++) {
    struct end *end = &w.end[n];
    const vec3 *d = n ? x->b : x->a, *change = n ? x->b_change : x->a_change;
    end->node = n;
    if (x->hinged[n])
      continue; // all of it stays 0
    for (int k = 0; k < 3; k++) {
      end->mean[k] = vec3_axpy(0.5, change[k], d[k]);
      end->last[k] = vec3_add(d[k], change[k]);
    }
    end->bent[0] = bent_by(w.start, w.size[0], d[0]);
    end->bent[1] = bent_by(w.last, w.size[1], end->last[0]);
    end->pull = vec3_scale(w.bend.mean, end->mean[0]);
    end->pull_last = vec3_scale(w.bend.mean, end->last[0]);
    for (int k = 1; k < 3; k++) {
      end->changed[k - 1] = vec3_dot(end->mean[k], x->chord_change) + vec3_dot(change[k], w.mean);
      const double force = w.bend.damping * end->changed[k - 1];
      end->pull = vec3_axpy(-force, end->mean[k], end->pull);
      end->pull_last = vec3_axpy(-force, end->last[k], end->pull_last);
    }
  }
  return w;
}

// The stretch g at the start, and its change.
static void stretch_of(const struct growing_element *x, const struct wire *w, const struct span *s, double *g,
                       double *dg) {
  // |c_0| - l_0 by squares would round no better: both are numbers of the size of the length.
  *g = w->size[0] - x->start_m - s->rest;
  *dg = vec3_dot(w->along, x->chord_change) - x->grown_m * (1 + s->rest_slope);
}

// Both ends' share of the force along the chord.
static double bending_pull(const struct growing_element *x, const struct wire *w) {
  return (2 - x->hinged[0] - x->hinged[1]) * w->bend.mean;
}

struct growing_forces growing_wire_forces(const struct growing_element *x) {
  struct growing_forces f = {.loss_j = 0};
  const struct wire w = wire_of(x);
  const struct span s = growing_span(x, 0);
  double g, dg;
  stretch_of(x, &w, &s, &g, &dg);
  const struct growing_stress r = growing_stress_of(x, 0, &s, g, dg);
  f.stress[0] = r.stress;
  f.axial_change_n = r.elastic;
  f.loss_j = r.loss_j;
  f.length_force_n = -r.stress * (1 + s.rest_slope) - r.length_force;
  f.force_n = vec3_scale(r.stress + bending_pull(x, &w), w.along);
  for (int n = 0; n < 2; n++) {
    const struct end *end = &w.end[n];
    f.force_n = vec3_sub(f.force_n, end->pull);
    *(n ? &f.moment_upper : &f.moment_lower) = vec3_cross(end->pull, w.mean);
    f.length_force_n += w.bend.slope * 0.5 * (end->bent[0] + end->bent[1]);
    for (int k = 0; k < 2; k++)
      f.loss_j += w.bend.damping * end->changed[k] * end->changed[k];
    // As a moment of bending, for the magnitude of the forces.
    f.stress[4 + n] = sqrt(w.bend.mean * (end->bent[0] + end->bent[1]) * x->stiffness[4]);
  }
  return f;
}

double growing_wire_energy(const struct growing_element *x) {
  const struct wire w = wire_of(x);
  const struct span s = growing_span(x, 0);
  double g, dg;
  stretch_of(x, &w, &s, &g, &dg);
  return 0.5 * x->stiffness[0] * g * g / s.start +
         2 * x->stiffness[4] * (w.end[0].bent[0] + w.end[1].bent[0]) / (x->start_m * x->start_m);
}

// k += s u v' at a row and column.
static void add_outer(double k[12][12], int row, int column, double s, vec3 u, vec3 v) {
  const double a[3] = {s * u.x, s * u.y, s * u.z}, b[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      k[row + i][column + j] += a[i] * b[j];
}

static void add_identity(double k[12][12], int row, int column, double s) {
  for (int i = 0; i < 3; i++)
    k[row + i][column + i] += s;
}

// Rows and columns of the upper node's position; those of the lower one are the negative.
static void mirror(double k[12][12]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 12; j++)
      k[i][j] = -k[6 + i][j];
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 3; j++)
      k[i][j] = -k[i][6 + j];
}

void growing_wire_tangent(const struct growing_element *x, const struct growing_forces *forces,
                          double k[12][12]) {
  const struct wire w = wire_of(x);
  const struct span s = growing_span(x, 0);
  const double both = w.size[0] + w.size[1], pull = (forces->stress[0] + bending_pull(x, &w)) / both;
  memset(k, 0, 12 * sizeof k[0]);
  add_outer(k, 6, 6, growing_stress_rate(x, 0, &s) - pull, w.along, w.along_last);
  add_identity(k, 6, 6, pull);
  for (int n = 0; n < 2; n++) {
    const struct end *end = &w.end[n];
    const int turn = n ? 9 : 3;
    growing_add_hat(k, 6, turn, 0.5, end->pull_last);
    growing_add_hat(k, turn, 6, -0.5, end->pull);
    add_identity(k, turn, turn, 0.5 * vec3_dot(end->pull_last, w.mean));
    add_outer(k, turn, turn, -0.5, end->pull_last, w.mean);
    if (x->held_twist_nm[n] > 0)
      add_outer(k, turn, turn, x->held_twist_nm[n], n ? x->b[0] : x->a[0], n ? x->b[0] : x->a[0]);
    for (int d = 1; d < 3 && w.bend.damping > 0; d++) {
      const vec3 arm = vec3_cross(end->mean[d], w.mean), arm_last = vec3_cross(end->last[d], w.last);
      add_outer(k, 6, 6, w.bend.damping, end->mean[d], end->last[d]);
      add_outer(k, 6, turn, w.bend.damping, end->mean[d], arm_last);
      add_outer(k, turn, 6, w.bend.damping, arm, end->last[d]);
      add_outer(k, turn, turn, w.bend.damping, arm, arm_last);
    }
  }
  mirror(k);
}

// to += s (gradient with respect to the unknowns of the nodes): by_chord of the chord, by_turn of node n.
static void add_gradient(double to[12], double s, vec3 by_chord, int n, vec3 by_turn) {
  const double c[3] = {s * by_chord.x, s * by_chord.y, s * by_chord.z},
               t[3] = {s * by_turn.x, s * by_turn.y, s * by_turn.z};
  for (int i = 0; i < 3; i++) {
    to[i] -= c[i], to[6 + i] += c[i];
    to[(n ? 9 : 3) + i] += t[i];
  }
}

struct growing_length_tangent growing_wire_length_tangent(const struct growing_element *x) {
  struct growing_length_tangent t = {.own_npm = 0};
  const struct wire w = wire_of(x);
  const struct span s = growing_span(x, 0);
  const vec3 none = {0, 0, 0};
  double g, dg;
  stretch_of(x, &w, &s, &g, &dg);
  const double taken = 1 + s.rest_slope;
  const struct length_rates r = growing_length_rates(x, x->stiffness[0], &s, g, dg, -(1 + s.end_rest_slope));
  t.own_npm = r.own - taken * r.stress_by_length;
  add_gradient(t.column, r.stress_by_length, w.along, 0, none);
  add_gradient(t.row, r.energy_by_g - taken * r.stress_by_g, w.along_last, 0, none);
  const double l0 = w.bend.l0, l1 = w.bend.l1, bend_rate = -w.bend.end / l1,
               damping_rate = -3 * w.bend.damping / (l0 + l1),
               slope_rate = 2 * x->stiffness[4] * (2 * l0 + l1) / (l0 * l0 * l1 * l1 * l1);
  for (int n = 0; n < 2; n++) {
    const struct end *end = &w.end[n];
    if (x->hinged[n])
      continue;
    add_gradient(t.column, bend_rate, vec3_sub(w.along, end->mean[0]), n, vec3_cross(w.mean, end->mean[0]));
    for (int k = 1; k < 3; k++)
      add_gradient(t.column, damping_rate * end->changed[k - 1], end->mean[k], n,
                   vec3_cross(end->mean[k], w.mean));
    add_gradient(t.row, 0.5 * w.bend.slope, vec3_sub(w.along_last, end->last[0]), n,
                 vec3_cross(w.last, end->last[0]));
    t.own_npm += slope_rate * 0.5 * (end->bent[0] + end->bent[1]);
  }
  return t;
}
