// A roller under the pipe: its law and its friction over a step.
//
// Discrete gradient and law of a roller over a step. With the places y, y0 at the start, dy their change, ym
// the mean, g the gradient of the overlap k at ym:
//   G = g + (k1 - k0 - g.dy) dy/|dy|^2,
// the quotient over the places of the elements with the three closest points, as the overlaps depend on no
// others. The correction is of third order where the closest point stays in one element, of second where a
// node passes. Below the sizes in NEGLIGIBLE_M it is less than the rounding of positions, and is left out:
// the quotient would only amplify rounding.
#include "sagbend/stinger/stinger.h"
#include "sagbend/stinger/stinger_internal.h"

#include "sagbend/math/math.h"

#include <string.h>

static const double NEGLIGIBLE_M = 1e-5, NEGLIGIBLE_PASSING_M = 1e-6;
static const double CLEAR_M = 1; // a pipe that is farther away does not reach the roller within a step

double roller_energy(const struct roller *roller, double overlap_m) {
  return roller->holds ? 0.5 * roller->spring.slope_npm2 * overlap_m * overlap_m
                       : seabed_energy(&roller->spring, overlap_m);
}

double roller_force(const struct roller *roller, double overlap_m) {
  return roller->holds ? roller->spring.slope_npm2 * overlap_m : seabed_force(&roller->spring, overlap_m);
}

double roller_elastic(const struct roller *roller, double elongation_m) {
  return 0.5 * roller->friction_stiffness_npm * elongation_m * elongation_m;
}

// Mean force of the normal spring between two overlaps, and its derivative with the second.
static double roller_mean_force(const struct roller *roller, double k0, double k1, double *rate) NONBLOCKING {
  if (!roller->holds)
    return seabed_mean_force(&roller->spring, k0, k1, rate);
  *rate = 0.5 * roller->spring.slope_npm2;
  return 0.5 * roller->spring.slope_npm2 * (k0 + k1);
}

void roller_begin(const struct roller_step *x, struct roller_passage *passage) {
  passage->has_start = roller_touch_of(x, x->start, NULL, &passage->start);
}

// The pipe may leave the roller without a further word: nothing pulls, and no spring is stretched.
static int may_let_go(const struct roller_step *x) {
  return !x->roller->holds && x->elongation_m == 0;
}

// Whether the changes are too small to bring a pipe that is clear at the start onto the roller. No point of a
// cubic moves by more than the sum of the changes of its places, those of the axes times 4/27 of the length.
static int stays_clear(const struct roller_step *x, const struct roller_touch *start) {
  double length = 1, least = x->wider_m[0], most = x->wider_m[0], way = 0;
  if (!may_let_go(x) || start->overlap_m >= 0)
    return 0;
  for (int i = 0; i < x->nodes; i++) {
    least = fmin(least, x->wider_m[i]), most = fmax(most, x->wider_m[i]);
    length = i + 1 < x->nodes ? fmax(length, x->length_m[i]) : length;
  }
  for (int k = 0; k < ROLLER_PLACES; k++)
    way += fabs(x->change[k]);
  return start->overlap_m + (most - least) + length * way < 0;
}

// Keeps which nodes the three closest points depend on.
static void find_touched(struct roller_passage *p) {
  const int e[3] = {p->start.element, p->middle.element, p->end.element};
  p->first = p->last = e[0];
  for (int k = 1; k < 3; k++) {
    p->first = e[k] < p->first ? e[k] : p->first;
    p->last = e[k] > p->last ? e[k] : p->last;
  }
  p->last++;
}

// The changes of the places that the overlaps of a passage depend on; the others are 0.
// The changes of the places that the overlaps depend on; the others are 0.
static void roller_touched_change(const struct roller_step *x, const struct roller_passage *p,
                                  double change[ROLLER_PLACES]) NONBLOCKING {
  const int from = 6 * p->first, to = 6 * (p->last + 1);
  memset(change, 0, ROLLER_PLACES * sizeof *change);
  memcpy(change + from, x->change + from, (size_t)(to - from) * sizeof *change);
  if (x->growing >= p->first && x->growing < p->last)
    change[ROLLER_LENGTH] = x->change[ROLLER_LENGTH];
}

// Returns 0 if the pipe is clear, -1 if a closest point has left the nodes.
static int pass(const struct roller_step *x, struct roller_passage *p) {
  double middle[ROLLER_PLACES], end[ROLLER_PLACES], change[ROLLER_PLACES];
  if (!p->has_start || stays_clear(x, &p->start))
    return 0;
  const int without = may_let_go(x) && p->start.overlap_m < -CLEAR_M ? 0 : -1; // a closest point
  for (int k = 0; k < ROLLER_PLACES; k++) {
    middle[k] = x->start[k] + 0.5 * x->change[k];
    end[k] = x->start[k] + x->change[k];
  }
  if (!roller_touch_of(x, end, &p->start, &p->end))
    return without;
  if (may_let_go(x) && p->start.overlap_m <= 0 && p->end.overlap_m <= 0)
    return 0;
  if (!roller_touch_of(x, middle, &p->end, &p->middle))
    return without;

  find_touched(p);
  roller_touched_change(x, p, change);
  const double way2 = roller_dot(change, change);
  const double least = p->last > p->first + 1 ? NEGLIGIBLE_PASSING_M : NEGLIGIBLE_M;
  p->beyond_m = p->end.overlap_m - p->start.overlap_m - roller_dot(p->middle.gradient, change);
  p->share_1pm2 = way2 > least * least ? 1 / way2 : 0;
  for (int k = 0; k < ROLLER_PLACES; k++)
    p->gradient[k] = p->middle.gradient[k] + p->beyond_m * p->share_1pm2 * change[k];
  return 1;
}

static struct roller_drag roller_drag_of(const struct roller_step *x,
                                         const struct roller_passage *p) NONBLOCKING;

struct roller_grip roller_grip_of(const struct roller_step *x, int with_friction, struct roller_passage *p) {
  struct roller_grip grip = {0};
  p->end.overlap_m = 0;
  const int passes = pass(x, p);
  grip.overlap_m[0] = p->has_start ? p->start.overlap_m : 0, grip.overlap_m[1] = p->end.overlap_m;
  if (passes < 0) {
    grip.is_lost = 1;
    return grip;
  }
  if (passes == 0) { // an elongation that is left lets go
    grip.loss_j = with_friction ? roller_elastic(x->roller, x->elongation_m) : 0;
    return grip;
  }

  grip.is_near = 1;
  grip.force_n = roller_mean_force(x->roller, p->start.overlap_m, p->end.overlap_m, &grip.rate_npm);
  grip.end_n = roller_force(x->roller, p->end.overlap_m);
  for (int k = 0; k < ROLLER_PLACES; k++)
    grip.push[k] = grip.force_n * p->gradient[k];
  if (roller_rubs(x, with_friction)) {
    const struct roller_drag f = roller_drag_of(x, p);
    grip.elongation_m = f.end_m, grip.friction_n = f.mean_n, grip.loss_j = f.loss_j;
    for (int k = 0; k < ROLLER_PLACES; k++)
      grip.push[k] += f.mean_n * f.way[k];
  }
  return grip;
}

// ------------------------------------------------------------
// Friction of a roller: which way the pipe makes along itself over it, and what the spring of the friction
// does.

static double end_stiffness(const struct roller *roller, double overlap_m) {
  return roller->holds ? roller->spring.slope_npm2 : seabed_stiffness(&roller->spring, overlap_m);
}

static struct roller_drag roller_drag_of(const struct roller_step *x,
                                         const struct roller_passage *p) NONBLOCKING {
  const struct roller *roller = x->roller;
  const struct roller_touch *t = &p->middle;
  const double k = roller->friction_stiffness_npm,
               bound = roller->friction * fabs(roller_force(roller, p->end.overlap_m)) / k;
  struct roller_drag f = {.axis = vec3_scale(1 / vec3_norm(t->along), t->along)};
  for (int n = 0; n < 4; n++)
    vec3_to(vec3_scale(t->weight[n], f.axis), f.way + 6 * t->element + 3 * n);
  if (t->element == x->growing)
    f.way[ROLLER_LENGTH] = vec3_dot(f.axis, t->by_length) - vec3_norm(t->along) * t->x / t->length_m;

  const double free = x->elongation_m + roller_dot(f.way, x->change);
  const struct slip slip = bounded_spring(k, bound, x->elongation_m, free);
  f.end_m = slip.end, f.mean_n = slip.mean, f.loss_j = slip.loss, f.sign = slip.sign;
  if (f.loss_j < 0) { // through both bounds: no force acts, and the energy of the spring is lost
    f.released = 1;
    f.mean_n = 0;
    f.loss_j = 0.5 * k * (x->elongation_m * x->elongation_m - f.end_m * f.end_m);
  }
  f.bound_rate = (roller_force(roller, p->end.overlap_m) < 0 ? -1 : 1) * roller->friction *
                 end_stiffness(roller, p->end.overlap_m);
  return f;
}

// ------------------------------------------------------------
// Tangent of a roller's push as a sum of outer products. The overlap has second derivatives only with p.r_a
// and n.r_a', and with the length of an element that grows:
//   K = F (H/2 + dy s' + share beyond I) + F' G g1',  s = share (g1 - g - H dy/2 - 2 beyond share dy),
// H the second derivatives at the middle, g1 the gradient at the end. Friction adds the derivative of its way
// S = weight e, e the unit vector along the pipe, half of that at the middle, and of its force.

// A further outer product, empty.
static int add_term(struct roller_stiffness *k) {
  const int at = k->count++;
  memset(k->left[at], 0, sizeof k->left[at]);
  memset(k->right[at], 0, sizeof k->right[at]);
  return at;
}

// The weights of the axes, which are proportional to the length, over it.
static void by_length(const struct roller_touch *t, double to[4]) {
  to[0] = to[2] = 0;
  to[1] = t->weight[1] / t->length_m, to[3] = t->weight[3] / t->length_m;
}

// Adds factor times the second derivatives of the overlap.
static void add_hessian(const struct roller_step *x, const struct roller_touch *t,
                        const struct roller_turns *s, double factor, struct roller_stiffness *k) {
  const double inverse = 1 / t->eased, bend = vec3_dot(t->n, t->slope2),
               taper = t->taper2_m * inverse * inverse,
               pp = factor * (t->rho * t->rho * taper - inverse * bend),
               pw = factor * (t->rho * t->deep * taper + inverse * t->rho),
               ww = factor * (t->deep * t->deep * taper + inverse * t->deep);
  const int p = add_term(k), w = add_term(k);
  memcpy(k->left[p], s->p, sizeof s->p);
  memcpy(k->left[w], s->w, sizeof s->w);
  for (int a = 0; a < ROLLER_PLACES; a++) {
    k->right[p][a] = pp * s->p[a] + pw * s->w[a];
    k->right[w][a] = pw * s->p[a] + ww * s->w[a];
  }
  if (t->element != x->growing)
    return;
  double share[4];
  const int row = add_term(k), column = add_term(k);
  by_length(t, share);
  k->left[row][ROLLER_LENGTH] = k->right[column][ROLLER_LENGTH] = 1;
  roller_put(k->right[row], t, share, vec3_scale(-factor, t->n));
  roller_put(k->left[column], t, share, vec3_scale(-factor, t->n));
}

// Adds this factor times the derivative of S at the middle.
static void add_way(const struct roller_step *x, const struct roller_touch *t, const struct roller_turns *s,
                    vec3 e, double factor, struct roller_stiffness *k) {
  const double size = vec3_norm(t->along), bend = vec3_dot(e, t->slope2);
  const vec3 swing = vec3_scale(1 / size, vec3_axpy(-bend, e, t->slope2)); // de/dx
  const int grows = t->element == x->growing, by_x = add_term(k);
  for (int n = 0; n < 4; n++)
    vec3_to(vec3_axpy(t->weight[n], swing, vec3_scale(t->rate[n], e)),
            k->left[by_x] + 6 * t->element + 3 * n);
  if (grows)
    k->left[by_x][ROLLER_LENGTH] =
        vec3_dot(swing, t->by_length) + vec3_dot(e, t->rate_by_length) - (bend * t->x + size) / t->length_m;
  for (int a = 0; a < ROLLER_PLACES; a++)
    k->right[by_x][a] = factor * s->x[a];

  const vec3 across[2] = {t->n, vec3_cross(e, t->n)}; // n is normal to the axis
  for (int c = 0; c < 2; c++) {
    const int at = add_term(k);
    roller_put(k->left[at], t, t->weight, across[c]);
    roller_put(k->right[at], t, t->rate, vec3_scale(factor / size, across[c]));
    if (grows) {
      k->left[at][ROLLER_LENGTH] = vec3_dot(across[c], t->by_length);
      k->right[at][ROLLER_LENGTH] = factor / size * vec3_dot(across[c], t->rate_by_length);
    }
  }
  if (!grows)
    return;
  double share[4], row_share[4];
  const int row = add_term(k), column = add_term(k);
  by_length(t, share);
  for (int n = 0; n < 4; n++)
    row_share[n] = share[n] - t->x / t->length_m * t->rate[n];
  k->left[row][ROLLER_LENGTH] = k->right[column][ROLLER_LENGTH] = 1;
  roller_put(k->right[row], t, row_share, vec3_scale(factor, e));
  k->right[row][ROLLER_LENGTH] =
      factor * (size / t->length_m - vec3_dot(e, t->rate_by_length)) * t->x / t->length_m;
  roller_put(k->left[column], t, share, vec3_scale(factor, e));
}

// y = (sum of the outer products from a term on)' v, added.
static void add_transposed(const struct roller_stiffness *k, int from, const double v[ROLLER_PLACES],
                           double y[ROLLER_PLACES]) {
  for (int t = from; t < k->count; t++) {
    const double share = roller_dot(k->left[t], v);
    for (int a = 0; a < ROLLER_PLACES; a++)
      y[a] += share * k->right[t][a];
  }
}

static void add_friction(const struct roller_step *x, const struct roller_passage *p,
                         const struct roller_turns *s, struct roller_stiffness *k) {
  const struct roller_drag f = roller_drag_of(x, p);
  if (f.released)
    return;
  const int from = k->count, force = add_term(k);
  memcpy(k->left[force], f.way, sizeof f.way);
  if (f.sign) {
    add_way(x, &p->middle, s, f.axis, 0.5 * f.mean_n, k);
    for (int a = 0; a < ROLLER_PLACES; a++)
      k->right[force][a] = 0.5 * f.sign * f.bound_rate * p->end.gradient[a];
    return;
  }
  // Sticks: the way at the end follows from S and from what S itself changes by.
  double way[ROLLER_PLACES];
  memcpy(way, f.way, sizeof way);
  add_way(x, &p->middle, s, f.axis, 0.5, k);
  add_transposed(k, from + 1, x->change, way);
  for (int t = from + 1; t < k->count; t++)
    for (int a = 0; a < ROLLER_PLACES; a++)
      k->right[t][a] *= f.mean_n;
  for (int a = 0; a < ROLLER_PLACES; a++)
    k->right[force][a] = 0.5 * x->roller->friction_stiffness_npm * way[a];
}

static void roller_turns_of(const struct roller_step *x, const struct roller_touch *t,
                            struct roller_turns *to) NONBLOCKING;

void roller_stiffness_of(const struct roller_step *x, int with_friction, const struct roller_passage *p,
                         struct roller_stiffness *k) {
  double rate = 0;
  const double force = roller_mean_force(x->roller, p->start.overlap_m, p->end.overlap_m, &rate);
  struct roller_turns s;
  k->first = p->first, k->last = p->last, k->count = 0;
  k->alike_npm = force * p->beyond_m * p->share_1pm2;
  roller_turns_of(x, &p->middle, &s);
  add_hessian(x, &p->middle, &s, 0.5, k);

  const int hessian = k->count, correction = add_term(k), normal = add_term(k);
  double *change = k->left[correction], *share = k->right[correction], bent[ROLLER_PLACES] = {0};
  roller_touched_change(x, p, change);
  k->count = hessian; // only its terms
  add_transposed(k, 0, change, bent);
  k->count = normal + 1;
  for (int a = 0; a < ROLLER_PLACES; a++) {
    share[a] =
        force * p->share_1pm2 *
        (p->end.gradient[a] - p->middle.gradient[a] - bent[a] - 2 * p->beyond_m * p->share_1pm2 * change[a]);
    k->left[normal][a] = p->gradient[a];
    k->right[normal][a] = rate * p->end.gradient[a];
  }
  for (int t = 0; t < hessian; t++)
    for (int a = 0; a < ROLLER_PLACES; a++)
      k->right[t][a] *= force;
  if (roller_rubs(x, with_friction))
    add_friction(x, p, &s, k);
}

// ------------------------------------------------------------
// The point of the pipe's axis closest to a roller's line. With u = P (r - c), P the projection across the
// line, it solves phi = u.r' = 0. There u = D n, n the unit normal of line and axis, so that the overlap is
// reach - D and has no singularity where the lines meet. D depends on a place y_a, r_a = dr/dy_a, by
//   dD/dy_a = n.r_a   (the way of x* has no effect),   dx*/dy_a = -(rho p.r_a + D n.r_a')/E,
//   d2D = [(n.r'')(p.r_a)(p.r_b) - rho ((p.r_a)(n.r_b') + (n.r_a')(p.r_b)) - D (n.r_a')(n.r_b')]/E + n.r_ab,
// p = a x n, rho = p.r', E = dphi/dx = rho^2 + D n.r''. Where the radius changes along the pipe, the overlap
// is reach + w(x*) - D, and w' dx*/dy_a adds to its gradient; the second derivative of x* is left out of d2w.

enum { MOST_STEPS = 60 };
static const double ENOUGH = 0x1p-26;

static vec3 place3(const double places[ROLLER_PLACES], int at) {
  return vec3_of(places + at);
}

static vec3 across(vec3 axis, vec3 v) {
  return vec3_axpy(-vec3_dot(axis, v), axis, v);
}

// phi over a positive factor at a node.
static double lead(const struct roller_step *x, const double places[ROLLER_PLACES], int node) {
  return vec3_dot(across(x->roller->axis_b, place3(places, 6 * node)), place3(places, 6 * node + 3));
}

// The element with the closest point, nearest to the top; -1: none.
static int element_at(const struct roller_step *x, const double places[ROLLER_PLACES]) {
  double above = lead(x, places, x->nodes - 1);
  for (int e = x->nodes - 2; e >= 0; e--) {
    double below = lead(x, places, e);
    if (below <= 0 && above > 0)
      return e;
    above = below;
  }
  return -1;
}

struct cubic {
  vec3 a, t, b, u; // r_i, l t_i, r_j, l t_j
};

static vec3 blend(const struct cubic *c, const double h[4]) {
  vec3 r = vec3_scale(h[0], c->a);
  r = vec3_axpy(h[1], c->t, r);
  r = vec3_axpy(h[2], c->b, r);
  return vec3_axpy(h[3], c->u, r);
}

static void hermite(double x, double h[4], double d[4], double dd[4]) {
  const double y = 1 - x;
  h[0] = (1 + 2 * x) * y * y, h[1] = x * y * y, h[2] = x * x * (3 - 2 * x), h[3] = -x * x * y;
  d[0] = -6 * x * y, d[1] = y * (1 - 3 * x), d[2] = 6 * x * y, d[3] = x * (3 * x - 2);
  dd[0] = 12 * x - 6, dd[1] = 6 * x - 4, dd[2] = 6 - 12 * x, dd[3] = 6 * x - 2;
}

// x*: Newton's method from a guess, within a bracket that bisection narrows where it would leave it. A step
// below ENOUGH leaves an error of its square.
static double closest(const struct cubic *c, vec3 line, double guess) {
  // The coefficients of u = P (r - c) as a polynomial; u.r' = u.u'.
  const vec3 chord = vec3_sub(c->b, c->a);
  const vec3 u0 = across(line, c->a), u1 = across(line, c->t),
             u2 = across(line, vec3_axpy(3, chord, vec3_scale(-1, vec3_axpy(2, c->t, c->u)))),
             u3 = across(line, vec3_axpy(-2, chord, vec3_add(c->t, c->u)));
  double low = 0, high = 1, x = guess;
  for (int k = 0; k < MOST_STEPS; k++) {
    const vec3 bent = vec3_axpy(x, u3, u2), u = vec3_axpy(x, vec3_axpy(x, bent, u1), u0),
               du = vec3_axpy(x, vec3_axpy(x, u3, vec3_scale(2, bent)), u1),
               ddu = vec3_axpy(4 * x, u3, vec3_scale(2, bent));
    const double phi = vec3_dot(u, du), slope = vec3_dot(du, du) + vec3_dot(u, ddu);
    *(phi > 0 ? &high : &low) = x;
    double next = x - phi / slope;
    if (!(next >= low && next <= high))
      next = 0.5 * (low + high);
    if (fabs(next - x) <= ENOUGH)
      return next;
    x = next;
  }
  return x;
}

// Unstressed length of an element with these places.
static double roller_length(const struct roller_step *x, const double places[ROLLER_PLACES],
                            int element) NONBLOCKING {
  return element == x->growing ? places[ROLLER_LENGTH] : x->length_m[element];
}

// The part of a radius that changes along the element.
static void add_taper(const struct roller_step *x, const double h[4], const double d[4], const double dd[4],
                      struct roller_touch *touch) {
  const int e = touch->element;
  const double more = x->wider_m[e + 1] - x->wider_m[e];
  touch->overlap_m += x->wider_m[e] + h[2] * more;
  if (more == 0)
    return;
  struct roller_turns turns;
  touch->taper_m = d[2] * more, touch->taper2_m = dd[2] * more;
  roller_turns_of(x, touch, &turns);
  for (int a = 0; a < ROLLER_PLACES; a++)
    touch->gradient[a] += touch->taper_m * turns.x[a];
}

int roller_touch_of(const struct roller_step *x, const double places[ROLLER_PLACES],
                    const struct roller_touch *near, struct roller_touch *touch) {
  const struct roller *roller = x->roller;
  const int e = element_at(x, places);
  if (e < 0)
    return 0;

  const double l = roller_length(x, places, e);
  const vec3 ti = place3(places, 6 * e + 3), tj = place3(places, 6 * e + 9);
  const struct cubic c = {place3(places, 6 * e), vec3_scale(l, ti), place3(places, 6 * e + 6),
                          vec3_scale(l, tj)};
  double h[4], d[4], dd[4];
  const double guess = near && near->element == e ? near->x : 0.5;
  *touch = (struct roller_touch){.element = e, .x = closest(&c, roller->axis_b, guess), .length_m = l};
  hermite(touch->x, h, d, dd);
  vec3 r = blend(&c, h);
  touch->along = blend(&c, d);
  touch->slope2 = blend(&c, dd);

  vec3 n = vec3_cross(roller->axis_b, touch->along);
  double size = vec3_norm(n);
  if (!(size > 0))
    return 0;
  touch->n = n = vec3_scale((vec3_dot(n, roller->up_b) < 0 ? -1 : 1) / size, n);
  touch->p = vec3_cross(roller->axis_b, n);
  touch->rho = vec3_dot(touch->p, touch->along);
  touch->deep = vec3_dot(n, r);
  touch->eased = touch->rho * touch->rho + touch->deep * vec3_dot(n, touch->slope2);
  touch->overlap_m = roller->reach_m - touch->deep;
  for (int k = 0; k < 4; k++) {
    const double factor = k % 2 ? l : 1;
    touch->weight[k] = factor * h[k], touch->rate[k] = factor * d[k];
    vec3_to(vec3_scale(-touch->weight[k], n), touch->gradient + 6 * e + 3 * k);
  }
  if (e == x->growing) {
    touch->by_length = vec3_axpy(h[1], ti, vec3_scale(h[3], tj));
    touch->rate_by_length = vec3_axpy(d[1], ti, vec3_scale(d[3], tj));
    touch->gradient[ROLLER_LENGTH] = -vec3_dot(n, touch->by_length);
  }
  add_taper(x, h, d, dd, touch);
  return 1;
}

static void roller_turns_of(const struct roller_step *x, const struct roller_touch *t,
                            struct roller_turns *to) NONBLOCKING {
  memset(to, 0, sizeof *to);
  roller_put(to->p, t, t->weight, t->p);
  roller_put(to->w, t, t->rate, t->n);
  if (t->element == x->growing) {
    to->p[ROLLER_LENGTH] = vec3_dot(t->p, t->by_length);
    to->w[ROLLER_LENGTH] = vec3_dot(t->n, t->rate_by_length);
  }
  for (int a = 0; a < ROLLER_PLACES; a++)
    to->x[a] = -(t->rho * to->p[a] + t->deep * to->w[a]) / t->eased;
}
