// The point of the pipe's axis closest to a roller's line. With u = P (r - c), P the projection across the
// line, it solves phi = u.r' = 0. There u = D n, n the unit normal of line and axis, so that the overlap is
// reach - D and has no singularity where the lines meet. D depends on a place y_a, r_a = dr/dy_a, by
//   dD/dy_a = n.r_a   (the way of x* has no effect),   dx*/dy_a = -(rho p.r_a + D n.r_a')/E,
//   d2D = [(n.r'')(p.r_a)(p.r_b) - rho ((p.r_a)(n.r_b') + (n.r_a')(p.r_b)) - D (n.r_a')(n.r_b')]/E + n.r_ab,
// p = a x n, rho = p.r', E = dphi/dx = rho^2 + D n.r''. Where the radius changes along the pipe, the overlap
// is reach + w(x*) - D, and w' dx*/dy_a adds to its gradient; the second derivative of x* is left out of d2w.
#include "core/pipe/roller.h"

#include "core/pipe/roller_parts.h"

enum { MOST_STEPS = 60 };

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

// x*: Newton's method within a bracket that bisection narrows where it would leave it.
static double closest(const struct cubic *c, vec3 line) {
  double low = 0, high = 1, x = 0.5;
  for (int k = 0; k < MOST_STEPS; k++) {
    double h[4], d[4], dd[4];
    hermite(x, h, d, dd);
    vec3 u = across(line, blend(c, h)), along = blend(c, d), bend = blend(c, dd);
    double phi = vec3_dot(u, along), slope = vec3_dot(across(line, along), along) + vec3_dot(u, bend);
    *(phi > 0 ? &high : &low) = x;
    double next = x - phi / slope;
    if (!(next >= low && next <= high))
      next = 0.5 * (low + high);
    if (fabs(next - x) <= 0x1p-50)
      return next;
    x = next;
  }
  return x;
}

double roller_length(const struct roller_step *x, const double places[ROLLER_PLACES], int element) {
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
  roller_touch_turns(x, touch, &turns);
  for (int a = 0; a < turns.count; a++)
    touch->gradient[turns.place[a]] += touch->taper_m * turns.x[a];
}

int roller_touch_of(const struct roller_step *x, const double places[ROLLER_PLACES],
                    struct roller_touch *touch) {
  const struct roller *roller = x->roller;
  const int e = element_at(x, places);
  if (e < 0)
    return 0;

  const double l = roller_length(x, places, e);
  const vec3 ti = place3(places, 6 * e + 3), tj = place3(places, 6 * e + 9);
  const struct cubic c = {place3(places, 6 * e), vec3_scale(l, ti), place3(places, 6 * e + 6),
                          vec3_scale(l, tj)};
  double h[4], d[4], dd[4];
  *touch = (struct roller_touch){.element = e, .x = closest(&c, roller->axis_b), .length_m = l};
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

void roller_touch_turns(const struct roller_step *x, const struct roller_touch *t,
                        struct roller_turns *turns) {
  *turns = (struct roller_turns){.count = 12 + (t->element == x->growing)};
  for (int k = 0; k < 4; k++) {
    vec3_to(vec3_scale(t->weight[k], t->p), turns->p + 3 * k);
    vec3_to(vec3_scale(t->rate[k], t->n), turns->w + 3 * k);
  }
  for (int a = 0; a < 12; a++)
    turns->place[a] = 6 * t->element + a;
  turns->place[12] = ROLLER_LENGTH;
  if (t->element == x->growing)
    turns->p[12] = vec3_dot(t->p, t->by_length), turns->w[12] = vec3_dot(t->n, t->rate_by_length);
  for (int a = 0; a < turns->count; a++)
    turns->x[a] = -(t->rho * turns->p[a] + t->deep * turns->w[a]) / t->eased;
}

void roller_touch_hessian(const struct roller_step *x, const struct roller_touch *t,
                          double hessian[ROLLER_PLACES][ROLLER_PLACES]) {
  struct roller_turns s;
  roller_touch_turns(x, t, &s);
  const double bend = vec3_dot(t->n, t->slope2), inverse = 1 / t->eased;
  for (int a = 0; a < s.count; a++)
    for (int b = 0; b < s.count; b++)
      hessian[s.place[a]][s.place[b]] =
          -inverse * (bend * s.p[a] * s.p[b] - t->rho * (s.p[a] * s.w[b] + s.w[a] * s.p[b]) -
                      t->deep * s.w[a] * s.w[b]) +
          t->taper2_m * s.x[a] * s.x[b];
  if (s.count == 12)
    return;
  const double n[3] = {t->n.x, t->n.y, t->n.z}; // the weights of the axes are linear in the length
  for (int k = 1; k < 4; k += 2)
    for (int c = 0; c < 3; c++) {
      const int a = 6 * t->element + 3 * k + c;
      const double more = -t->weight[k] / t->length_m * n[c];
      hessian[a][ROLLER_LENGTH] += more;
      hessian[ROLLER_LENGTH][a] += more;
    }
}
