// Forces, energy and tangents of an element whose length changes within a step: a beam, and a wire.
#include "sagbend/growing/growing.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// What takes the place of the length in one of the six energies, and of the length times rho.
struct span {
  double start, end;        // s at the start and the end of the step
  double slope, rest_slope; // mean over the growth of ds/dl, and of d(integral of rho)/dl
  double rest;              // integral of rho at the start
  // Derivatives with respect to grown_m: of s and of the integral at the end, of the mean slopes.
  double end_slope, end_rest_slope, slope_rate, rest_rate;
};

// The stress of one of the six g over the step and what follows from it. start, change: g at the start, and
// its change.
struct growing_stress {
  double stress;       // mean over the step, with structural damping
  double elastic;      // change of the force without damping
  double loss_j;       // by damping
  double length_force; // of the energies, without the strains of the unstressed pipe
};

// What belongs to one of the six g in the derivatives with respect to the length at the end.
struct length_rates {
  double stress, stress_by_length; // sigma, and its derivative with respect to grown_m
  double stress_by_g;              // with respect to g at the end
  double energy_by_g, own;         // of the terms of P without the strains of the unstressed pipe
};

// Positions, directors and length at the start, at the end, or their means.
struct place {
  vec3 chord, a[3], b[3];
  double length;
};

// share: 0 the start, 0.5 the mean, 1 the end.
static struct place place_at(const struct growing_element *x, double share) {
  struct place p = {.chord = vec3_axpy(share, x->chord_change, x->chord),
                    .length = x->start_m + share * x->grown_m};
  for (int k = 0; k < 3; k++) {
    p.a[k] = vec3_axpy(share, x->a_change[k], x->a[k]);
    p.b[k] = vec3_axpy(share, x->b_change[k], x->b[k]);
  }
  return p;
}

// Length of the element up to which it is of its own kind.
static double own_length(const struct growing_element *x, double length) {
  return x->has_next && length > x->own_m ? x->own_m : length;
}

// Mean slope of the stretch by the weight at the boundary between two lengths >= own_m; at one length its
// derivative. by_last: the derivative of the mean slope with respect to the second length.
static double boundary_slope(const struct growing_element *x, double l0, double l1, double *by_last) {
  const double own = x->own_m, softer = 1 / x->next_stiffness[0] - 1 / x->stiffness[0];
  const double levers = own / l0 * (own / l1), change = x->boundary_n - x->boundary_npm * own;
  *by_last = -softer * change * levers / l1;
  return softer * (change * levers + x->boundary_npm * own);
}

double growing_element_boundary_stretch(const struct growing_element *x, double length_m) {
  double by_last;
  return x->has_next && length_m > x->own_m
             ? (length_m - x->own_m) * boundary_slope(x, x->own_m, length_m, &by_last)
             : 0;
}

static struct span growing_span(const struct growing_element *x, int k) NONBLOCKING {
  const double l0 = x->start_m, l1 = l0 + x->grown_m, rho = x->rest_strain[k];
  struct span s = {.start = l0, .end = l1, .slope = 1, .rest_slope = rho, .rest = l0 * rho};
  s.end_slope = 1, s.end_rest_slope = rho;
  if (!x->has_next || (l0 <= x->own_m && l1 <= x->own_m))
    return s;
  const double ratio = x->stiffness[k] / x->next_stiffness[k], next_rho = x->next_rest_strain[k];
  const double own = own_length(x, l0), grown = x->grown_m;
  double unused;
  const int is_crossing = (l0 <= x->own_m) != (l1 <= x->own_m);
  const double share = is_crossing ? (own_length(x, l1) - own) / grown : 0; // of the growth in the own kind
  s.start = own + ratio * (l0 - own);
  s.rest = own * rho + next_rho * (l0 - own);
  s.slope = share + ratio * (1 - share);
  s.rest_slope = share * rho + next_rho * (1 - share);
  s.end = s.start + s.slope * grown;
  if (l1 > x->own_m)
    s.end_slope = ratio, s.end_rest_slope = next_rho;
  if (k == 0) { // beside l rho
    const double from = fmax(l0, x->own_m), to = fmax(l1, x->own_m);
    s.rest += growing_element_boundary_stretch(x, l0);
    s.rest_slope += (1 - share) * boundary_slope(x, from, to, &s.rest_rate);
    if (l1 > x->own_m)
      s.end_rest_slope += boundary_slope(x, l1, l1, &unused);
  }
  if (is_crossing) {
    s.slope_rate = (s.end_slope - s.slope) / grown;
    s.rest_rate = (s.end_rest_slope - s.rest_slope) / grown;
  }
  return s;
}

static void spans_of(const struct growing_element *x, struct span span[6]) {
  for (int k = 0; k < 6; k++)
    span[k] = growing_span(x, k);
}

// The strains times the length at the start of the step.
static void stretches_at_start(const struct place *p, const struct span span[6], double g[6]) {
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    g[k] = vec3_dot(vec3_mean(p->a[k], p->b[k]), p->chord) - span[k].rest;
    g[3 + k] = 0.5 * (vec3_dot(p->a[n], p->b[m]) - vec3_dot(p->a[m], p->b[n])) - span[3 + k].rest;
  }
  g[0] -= p->length * (2 + vec3_dot(p->a[0], p->b[0])) / 3;
}

// Mean over the step of (2 + t_1,i . t_1,j)/3.
static double mean_axis_share(const struct growing_element *x) {
  double start = vec3_dot(x->a[0], x->b[0]),
         end = vec3_dot(vec3_add(x->a[0], x->a_change[0]), vec3_add(x->b[0], x->b_change[0]));
  return (2 + 0.5 * (start + end)) / 3;
}

// Their changes over the step, without losing digits of the increments.
static void stretch_changes(const struct growing_element *x, const struct place *mean,
                            const struct span span[6], double dg[6]) {
  double grown = x->grown_m;
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    const vec3 *da = x->a_change, *db = x->b_change, *a = mean->a, *b = mean->b;
    dg[k] = vec3_dot(vec3_mean(a[k], b[k]), x->chord_change) +
            vec3_dot(vec3_mean(da[k], db[k]), mean->chord) - grown * span[k].rest_slope;
    dg[3 + k] = 0.5 * (vec3_dot(da[n], b[m]) + vec3_dot(a[n], db[m]) - vec3_dot(da[m], b[n]) -
                       vec3_dot(a[m], db[n])) -
                grown * span[3 + k].rest_slope;
  }
  double tilt = vec3_dot(x->a_change[0], mean->b[0]) + vec3_dot(mean->a[0], x->b_change[0]);
  dg[0] -= mean->length * tilt / 3 + grown * mean_axis_share(x);
}

// Forces and moments on the nodes of stresses at a place.
static void node_forces(const struct place *p, struct growing_forces *f) {
  const double *stress = f->stress;
  f->force_n = f->moment_lower = f->moment_upper = (vec3){0, 0, 0};
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    f->force_n = vec3_axpy(stress[k], vec3_mean(p->a[k], p->b[k]), f->force_n);
    f->moment_lower = vec3_axpy(-0.5 * stress[k], vec3_cross(p->a[k], p->chord), f->moment_lower);
    f->moment_upper = vec3_axpy(-0.5 * stress[k], vec3_cross(p->b[k], p->chord), f->moment_upper);
    vec3 both = vec3_sub(vec3_cross(p->a[n], p->b[m]), vec3_cross(p->a[m], p->b[n]));
    f->moment_lower = vec3_axpy(-0.5 * stress[3 + k], both, f->moment_lower);
    f->moment_upper = vec3_axpy(0.5 * stress[3 + k], both, f->moment_upper);
  }
  vec3 shift = vec3_scale(p->length * stress[0] / 3, vec3_cross(p->a[0], p->b[0]));
  f->moment_lower = vec3_add(f->moment_lower, shift);
  f->moment_upper = vec3_sub(f->moment_upper, shift);
}

static struct growing_stress growing_stress_of(const struct growing_element *x, int k, const struct span *s,
                                               double start, double change) NONBLOCKING {
  const double product = s->start * s->end, inverse = 0.5 * (1 / s->start + 1 / s->end), c = x->stiffness[k];
  const double middle = start + 0.5 * change, end = start + change;
  const double strained = inverse * change - middle * s->slope * x->grown_m / product; // change of g/s
  const double damping = x->damping_over_h * c * strained * 0.5 * (s->start + s->end);
  return (struct growing_stress){
      .stress = (c * middle + damping) * inverse,
      .elastic = c * strained,
      .loss_j = damping * strained,
      .length_force = s->slope * (0.25 * c * (start * start + end * end) + damping * middle) / product};
}

static struct growing_forces growing_wire_forces(const struct growing_element *x) NONBLOCKING;

struct growing_forces growing_element_forces(const struct growing_element *x) {
  if (x->is_wire)
    return growing_wire_forces(x);
  struct growing_forces f = {.loss_j = 0};
  struct place start = place_at(x, 0), mean = place_at(x, 0.5);
  struct span span[6];
  double g[6], dg[6];
  spans_of(x, span);
  stretches_at_start(&start, span, g);
  stretch_changes(x, &mean, span, dg);
  for (int k = 0; k < 6; k++) {
    const struct growing_stress r = growing_stress_of(x, k, &span[k], g[k], dg[k]);
    f.stress[k] = r.stress;
    f.axial_change_n = k == 0 ? r.elastic : f.axial_change_n;
    f.length_force_n -= r.stress * span[k].rest_slope + r.length_force;
    f.loss_j += r.loss_j;
  }
  f.length_force_n -= f.stress[0] * mean_axis_share(x);
  node_forces(&mean, &f);
  return f;
}

static double growing_wire_energy(const struct growing_element *x) NONBLOCKING;

double growing_element_energy(const struct growing_element *x) {
  if (x->is_wire)
    return growing_wire_energy(x);
  struct place start = place_at(x, 0);
  struct span span[6];
  double g[6], sum = 0;
  spans_of(x, span);
  stretches_at_start(&start, span, g);
  for (int k = 0; k < 6; k++)
    sum += x->stiffness[k] * g[k] * g[k] / span[k].start;
  return 0.5 * sum;
}

double growing_element_grip_n(const struct growing_element *x) {
  struct growing_element still = *x;
  still.grown_m = 0;
  still.damping_over_h = 0;
  still.chord_change = (vec3){0, 0, 0};
  memset(still.a_change, 0, sizeof still.a_change);
  memset(still.b_change, 0, sizeof still.b_change);
  return -growing_element_forces(&still).length_force_n;
}

// Gradients of the six g with respect to the positions and rotations of both nodes.
static void gradients_of(const struct place *p, double gradient[6][12]) {
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    vec3 t = vec3_mean(p->a[k], p->b[k]), lower = vec3_scale(0.5, vec3_cross(p->a[k], p->chord)),
         upper = vec3_scale(0.5, vec3_cross(p->b[k], p->chord));
    vec3 both = vec3_sub(vec3_cross(p->a[n], p->b[m]), vec3_cross(p->a[m], p->b[n]));
    if (k == 0) {
      vec3 shift = vec3_scale(p->length / 3, vec3_cross(p->a[0], p->b[0]));
      lower = vec3_sub(lower, shift);
      upper = vec3_add(upper, shift);
    }
    vec3_to(vec3_scale(-1, t), gradient[k]);
    vec3_to(lower, gradient[k] + 3);
    vec3_to(t, gradient[k] + 6);
    vec3_to(upper, gradient[k] + 9);
    vec3_to((vec3){0, 0, 0}, gradient[3 + k]);
    vec3_to(vec3_scale(0.5, both), gradient[3 + k] + 3);
    vec3_to((vec3){0, 0, 0}, gradient[3 + k] + 6);
    vec3_to(vec3_scale(-0.5, both), gradient[3 + k] + 9);
  }
}

// k += s hat(v) at a row and column.
static void growing_add_hat(double k[12][12], int row, int column, double s, vec3 v) NONBLOCKING {
  mat3 hat = mat3_hat(v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      k[row + i][column + j] += s * hat.m[i][j];
}

// k += s (u v' - (u . v) I) at a row and column.
static void add_turn(double k[12][12], int row, int column, double s, vec3 u, vec3 v) {
  const double a[3] = {u.x, u.y, u.z}, b[3] = {v.x, v.y, v.z}, dot = vec3_dot(u, v);
  for (int i = 0; i < 3; i++) {
    k[row + i][column + i] -= s * dot;
    for (int j = 0; j < 3; j++)
      k[row + i][column + j] += s * a[i] * b[j];
  }
}

// Rows of the rotation of one node at constant stress. mean, end: its directors; other_mean, other_end: those
// of the other node. sign: 1 for the lower node, -1 for the upper one.
static void add_node_turns(double k[12][12], int own, int other, const double stress[6], double length,
                           double sign, const vec3 mean[3], const vec3 end[3], const vec3 other_mean[3],
                           const vec3 other_end[3], vec3 chord) {
  vec3 pull = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    int m = (i + 1) % 3, n = (i + 2) % 3;
    // Gradient to director i of the energy at the mean place; gain: its factors of the other directors.
    const double by_m = -0.5 * sign * stress[3 + n], by_n = 0.5 * sign * stress[3 + m];
    vec3 gradient = vec3_scale(0.5 * stress[i], chord);
    gradient = vec3_axpy(by_m, other_mean[m], gradient);
    gradient = vec3_axpy(by_n, other_mean[n], gradient);
    if (i == 0)
      gradient = vec3_axpy(-length * stress[0] / 3, other_mean[0], gradient);
    add_turn(k, own, own, 0.5, end[i], gradient);
    add_turn(k, own, other, -0.5 * by_m, other_end[m], mean[i]);
    add_turn(k, own, other, -0.5 * by_n, other_end[n], mean[i]);
    if (i == 0)
      add_turn(k, own, other, 0.5 * length * stress[0] / 3, other_end[0], mean[0]);
    pull = vec3_axpy(stress[i], mean[i], pull);
  }
  growing_add_hat(k, own, 0, -0.25, pull);
  growing_add_hat(k, own, 6, 0.25, pull);
}

// dg/d(end) of the mean stress of g: material factor of the tangent.
static double growing_stress_rate(const struct growing_element *x, int k, const struct span *s) NONBLOCKING {
  return 0.5 * (1 / s->start + 1 / s->end) * x->stiffness[k] *
         (0.5 + x->damping_over_h * 0.5 * (s->start + s->end) / s->end);
}

static void growing_wire_tangent(const struct growing_element *x, const struct growing_forces *forces,
                                 double k[12][12]) NONBLOCKING;

void growing_element_tangent(const struct growing_element *x, const struct growing_forces *forces,
                             double k[12][12]) {
  if (x->is_wire) {
    growing_wire_tangent(x, forces, k);
    return;
  }
  struct place mean = place_at(x, 0.5), end = place_at(x, 1);
  const double *stress = forces->stress;
  double at_mean[6][12], at_end[6][12];
  double factor[6];
  for (int g = 0; g < 6; g++) {
    const struct span s = growing_span(x, g);
    factor[g] = growing_stress_rate(x, g, &s);
  }
  gradients_of(&mean, at_mean);
  gradients_of(&end, at_end);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      k[i][j] = 0;
      for (int g = 0; g < 6; g++)
        k[i][j] += factor[g] * at_mean[g][i] * at_end[g][j];
    }

  vec3 a = {0, 0, 0}, b = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    a = vec3_axpy(stress[i], end.a[i], a);
    b = vec3_axpy(stress[i], end.b[i], b);
  }
  growing_add_hat(k, 0, 3, 0.25, a), growing_add_hat(k, 6, 3, -0.25, a);
  growing_add_hat(k, 0, 9, 0.25, b), growing_add_hat(k, 6, 9, -0.25, b);
  add_node_turns(k, 3, 9, stress, mean.length, 1, mean.a, end.a, mean.b, end.b, mean.chord);
  add_node_turns(k, 9, 3, stress, mean.length, -1, mean.b, end.b, mean.a, end.a, mean.chord);
}

// g0, dg: at the start, and its change. enters: derivative of g at the end with respect to grown_m.
static struct length_rates growing_length_rates(const struct growing_element *x, double c,
                                                const struct span *s, double g0, double dg,
                                                double enters) NONBLOCKING {
  const double s0 = s->start, s1 = s->end, product = s0 * s1, middle_m = 0.5 * (s0 + s1),
               inverse = 0.5 * (1 / s0 + 1 / s1), eta = x->damping_over_h * c, rate = s->end_slope;
  const double g1 = g0 + dg, middle = g0 + 0.5 * dg;
  const double strained = inverse * dg - middle * (s1 - s0) / product, damping = eta * strained * middle_m;
  const double damping_by_g = eta * middle_m / s1,
               damping_by_length = eta * ((enters - rate * g1 / s1) / s1 * middle_m + 0.5 * rate * strained);
  const double energy = (0.25 * c * (g0 * g0 + g1 * g1) + damping * middle) / product;
  struct length_rates r = {.stress = (c * middle + damping) * inverse};
  r.stress_by_g = (0.5 * c + damping_by_g) * inverse;
  r.stress_by_length =
      (0.5 * c * enters + damping_by_length) * inverse - 0.5 * rate * (c * middle + damping) / (s1 * s1);
  r.energy_by_g = -s->slope * (0.5 * c * g1 + damping_by_g * middle + 0.5 * damping) / product;
  r.own =
      -s->slope * (0.5 * c * g1 * enters + damping_by_length * middle + 0.5 * damping * enters) / product +
      s->slope * rate * energy / s1 - s->slope_rate * energy - s->rest_rate * r.stress;
  return r;
}

static struct growing_length_tangent growing_wire_length_tangent(const struct growing_element *x) NONBLOCKING;

struct growing_length_tangent growing_element_length_tangent(const struct growing_element *x) {
  if (x->is_wire)
    return growing_wire_length_tangent(x);
  struct growing_length_tangent t = {.own_npm = 0};
  struct place start = place_at(x, 0), mean = place_at(x, 0.5), end = place_at(x, 1);
  struct span span[6];
  double g[6], dg[6], at_mean[6][12], at_end[6][12], axial = 0;
  const double share = mean_axis_share(x), end_share = (2 + vec3_dot(end.a[0], end.b[0])) / 3;
  spans_of(x, span);
  stretches_at_start(&start, span, g);
  stretch_changes(x, &mean, span, dg);
  gradients_of(&mean, at_mean);
  gradients_of(&end, at_end);
  for (int k = 0; k < 6; k++) {
    const double enters = -span[k].end_rest_slope - (k == 0 ? end_share : 0);
    const double taken = span[k].rest_slope + (k == 0 ? share : 0); // of the stress by P
    struct length_rates r = growing_length_rates(x, x->stiffness[k], &span[k], g[k], dg[k], enters);
    axial = k == 0 ? r.stress : axial;
    t.own_npm += r.own - taken * r.stress_by_length;
    for (int i = 0; i < 12; i++) {
      t.column[i] += r.stress_by_length * at_mean[k][i];
      t.row[i] += (r.energy_by_g - taken * r.stress_by_g) * at_end[k][i];
    }
  }
  double lean[3], lean_mean[3];
  vec3_to(vec3_scale(axial / 6, vec3_cross(end.a[0], end.b[0])), lean);
  vec3_to(vec3_scale(axial / 6, vec3_cross(mean.a[0], mean.b[0])), lean_mean);
  for (int c = 0; c < 3; c++) {
    t.row[3 + c] -= lean[c], t.row[9 + c] += lean[c];
    t.column[3 + c] -= lean_mean[c], t.column[9 + c] += lean_mean[c];
  }
  return t;
}

// ------------------------------------------------------------
// The wire within a step. With c the chord, t_k the directors of a node and f = 1/l^2, and over-lines for
// means of start and end,
//   |c| changes by m . dc,            m = 2 mean(c)/(|c_0| + |c_1|),
//   B = |c| - t_1 . c changes by (m - mean(t_1)) . dc + theta . (mean(c) x mean(t_1)),
//   B f changes by mean(f) dB + mean(B) df,
// each to rounding and for any increments, so that the forces below do the work of the energy
//   EA g^2/(2 s) + 2 EI f (B_a + B_b).
// No term divides by anything but a length and |c_0| + |c_1|.

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

static struct growing_forces growing_wire_forces(const struct growing_element *x) NONBLOCKING {
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

static double growing_wire_energy(const struct growing_element *x) NONBLOCKING {
  const struct wire w = wire_of(x);
  const struct span s = growing_span(x, 0);
  double g, dg;
  stretch_of(x, &w, &s, &g, &dg);
  return 0.5 * x->stiffness[0] * g * g / s.start +
         2 * x->stiffness[4] * (w.end[0].bent[0] + w.end[1].bent[0]) / (x->start_m * x->start_m);
}

// k += s u v' at a row and column.
static void add_growing_outer(double k[12][12], int row, int column, double s, vec3 u, vec3 v) {
  const double a[3] = {s * u.x, s * u.y, s * u.z}, b[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      k[row + i][column + j] += a[i] * b[j];
}

static void add_growing_identity(double k[12][12], int row, int column, double s) {
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

// The wire.
static void growing_wire_tangent(const struct growing_element *x, const struct growing_forces *forces,
                                 double k[12][12]) NONBLOCKING {
  const struct wire w = wire_of(x);
  const struct span s = growing_span(x, 0);
  const double both = w.size[0] + w.size[1], pull = (forces->stress[0] + bending_pull(x, &w)) / both;
  memset(k, 0, 12 * sizeof k[0]);
  add_growing_outer(k, 6, 6, growing_stress_rate(x, 0, &s) - pull, w.along, w.along_last);
  add_growing_identity(k, 6, 6, pull);
  for (int n = 0; n < 2; n++) {
    const struct end *end = &w.end[n];
    const int turn = n ? 9 : 3;
    growing_add_hat(k, 6, turn, 0.5, end->pull_last);
    growing_add_hat(k, turn, 6, -0.5, end->pull);
    add_growing_identity(k, turn, turn, 0.5 * vec3_dot(end->pull_last, w.mean));
    add_growing_outer(k, turn, turn, -0.5, end->pull_last, w.mean);
    if (x->held_twist_nm[n] > 0)
      add_growing_outer(k, turn, turn, x->held_twist_nm[n], n ? x->b[0] : x->a[0], n ? x->b[0] : x->a[0]);
    for (int d = 1; d < 3 && w.bend.damping > 0; d++) {
      const vec3 arm = vec3_cross(end->mean[d], w.mean), arm_last = vec3_cross(end->last[d], w.last);
      add_growing_outer(k, 6, 6, w.bend.damping, end->mean[d], end->last[d]);
      add_growing_outer(k, 6, turn, w.bend.damping, end->mean[d], arm_last);
      add_growing_outer(k, turn, 6, w.bend.damping, arm, end->last[d]);
      add_growing_outer(k, turn, turn, w.bend.damping, arm, arm_last);
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

static struct growing_length_tangent
growing_wire_length_tangent(const struct growing_element *x) NONBLOCKING {
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
