// The point of the pipe's axis closest to a roller's line. With u = P (r - c), P the projection across the
// line, it solves phi = u.r' = 0. There u = D n, n the unit normal of line and axis, so that the overlap is
// reach - D and has no singularity where the lines meet. D depends on a place y_a, r_a = dr/dy_a, by
//   dD/dy_a = n.r_a   (the way of x* has no effect),   dx*/dy_a = -(rho p.r_a + D n.r_a')/E,
//   d2D = [(n.r'')(p.r_a)(p.r_b) - rho ((p.r_a)(n.r_b') + (n.r_a')(p.r_b)) - D (n.r_a')(n.r_b')]/E + n.r_ab,
// p = a x n, rho = p.r', E = dphi/dx = rho^2 + D n.r''. Where the radius changes along the pipe, the overlap
// is reach + w(x*) - D, and w' dx*/dy_a adds to its gradient; the second derivative of x* is left out of d2w.
#include "sagbend/stinger/stinger.h"

#include "sagbend/stinger/stinger_internal.h"

#include <string.h>

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

void roller_turns_of(const struct roller_step *x, const struct roller_touch *t, struct roller_turns *to) {
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
