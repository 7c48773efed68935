// Discrete gradient and law of a roller over a step. With the places y, y0 at the start, dy their change, ym
// the mean, g the gradient of the overlap k at ym:
//   G = g + (k1 - k0 - g.dy) dy/|dy|^2.
// The correction is of third order where the closest point stays in one element, of second where a node
// passes. Below the sizes in NEGLIGIBLE_M it is less than the rounding of positions, and is left out: the
// quotient would only amplify rounding.
#include "core/pipe/roller.h"

#include "core/pipe/roller_parts.h"

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

static double end_stiffness(const struct roller *roller, double overlap_m) {
  return roller->holds ? roller->spring.slope_npm2 : seabed_stiffness(&roller->spring, overlap_m);
}

static double mean_force(const struct roller *roller, double k0, double k1, double *rate) {
  if (!roller->holds)
    return seabed_mean_force(&roller->spring, k0, k1, rate);
  *rate = 0.5 * roller->spring.slope_npm2;
  return 0.5 * roller->spring.slope_npm2 * (k0 + k1);
}

static double dot(const double a[ROLLER_PLACES], const double b[ROLLER_PLACES]) {
  double sum = 0;
  for (int k = 0; k < ROLLER_PLACES; k++)
    sum += a[k] * b[k];
  return sum;
}

// Closest points at start, middle and end.
struct passage {
  struct roller_touch start, middle, end;
  double beyond_m;                // k1 - k0 - g.dy
  double share_1pm2;              // 1/|dy|^2, 0: the correction is left out
  double gradient[ROLLER_PLACES]; // G
};

// Returns 0 if the pipe is clear, -1 if a closest point has left the nodes.
static int pass(const struct roller_step *x, struct passage *p) {
  double middle[ROLLER_PLACES], end[ROLLER_PLACES];
  if (!roller_touch_of(x, x->start, &p->start))
    return 0;
  for (int k = 0; k < ROLLER_PLACES; k++) {
    middle[k] = x->start[k] + 0.5 * x->change[k];
    end[k] = x->start[k] + x->change[k];
  }
  if (!roller_touch_of(x, end, &p->end) || !roller_touch_of(x, middle, &p->middle))
    return !x->roller->holds && x->elongation_m == 0 && p->start.overlap_m < -CLEAR_M ? 0 : -1;
  if (!x->roller->holds && x->elongation_m == 0 && p->start.overlap_m <= 0 && p->end.overlap_m <= 0)
    return 0;

  const double way2 = dot(x->change, x->change);
  const int passes = p->start.element != p->end.element || p->start.element != p->middle.element;
  const double least = passes ? NEGLIGIBLE_PASSING_M : NEGLIGIBLE_M;
  p->beyond_m = p->end.overlap_m - p->start.overlap_m - dot(p->middle.gradient, x->change);
  p->share_1pm2 = way2 > least * least ? 1 / way2 : 0;
  for (int k = 0; k < ROLLER_PLACES; k++)
    p->gradient[k] = p->middle.gradient[k] + p->beyond_m * p->share_1pm2 * x->change[k];
  return 1;
}

// ---- Friction ----

struct drag {
  int sign, released; // sign 0: sticks
  double end_m, mean_n, loss_j, bound_rate;
  vec3 axis;                 // unit vector along the pipe
  double way[ROLLER_PLACES]; // S
};

static struct drag drag_of(const struct roller_step *x, const struct passage *p) {
  const struct roller *roller = x->roller;
  const struct roller_touch *t = &p->middle;
  const double k = roller->friction_stiffness_npm,
               bound = roller->friction * fabs(roller_force(roller, p->end.overlap_m)) / k;
  struct drag f = {.axis = vec3_scale(1 / vec3_norm(t->along), t->along)};
  for (int n = 0; n < 4; n++)
    vec3_to(vec3_scale(t->weight[n], f.axis), f.way + 6 * t->element + 3 * n);
  if (t->element == x->growing)
    f.way[ROLLER_LENGTH] = vec3_dot(f.axis, t->by_length) - vec3_norm(t->along) * t->x / t->length_m;

  const double free = x->elongation_m + dot(f.way, x->change);
  f.end_m = free > bound ? bound : free < -bound ? -bound : free;
  f.sign = free > bound ? 1 : free < -bound ? -1 : 0;
  f.mean_n = 0.5 * k * (x->elongation_m + f.end_m);
  f.loss_j = f.sign ? f.mean_n * (free - f.end_m) : 0;
  if (f.loss_j < 0) {
    f.released = 1;
    f.mean_n = 0;
    f.loss_j = 0.5 * k * (x->elongation_m * x->elongation_m - f.end_m * f.end_m);
  }
  f.bound_rate = (roller_force(roller, p->end.overlap_m) < 0 ? -1 : 1) * roller->friction *
                 end_stiffness(roller, p->end.overlap_m);
  return f;
}

static int rubs(const struct roller_step *x, int with_friction) {
  return with_friction && x->roller->friction > 0;
}

struct roller_grip roller_grip_of(const struct roller_step *x, int with_friction) {
  struct roller_grip grip = {0};
  struct passage p;
  memset(&p, 0, sizeof p);
  const int passes = pass(x, &p);
  grip.overlap_m[0] = p.start.overlap_m, grip.overlap_m[1] = p.end.overlap_m;
  if (passes < 0) {
    grip.is_lost = 1;
    return grip;
  }
  if (passes == 0) { // an elongation that is left lets go
    grip.loss_j = with_friction ? roller_elastic(x->roller, x->elongation_m) : 0;
    return grip;
  }

  grip.is_near = 1;
  grip.force_n = mean_force(x->roller, p.start.overlap_m, p.end.overlap_m, &grip.rate_npm);
  grip.end_n = roller_force(x->roller, p.end.overlap_m);
  for (int k = 0; k < ROLLER_PLACES; k++)
    grip.push[k] = grip.force_n * p.gradient[k];
  if (rubs(x, with_friction)) {
    struct drag f = drag_of(x, &p);
    grip.elongation_m = f.end_m, grip.friction_n = f.mean_n, grip.loss_j = f.loss_j;
    for (int k = 0; k < ROLLER_PLACES; k++)
      grip.push[k] += f.mean_n * f.way[k];
  }
  return grip;
}

// Adds the derivative of the friction: with the force, and with the way S at the middle of the step.
static void add_drag_tangent(const struct roller_step *x, const struct passage *p,
                             double k[ROLLER_PLACES][ROLLER_PLACES]) {
  const struct roller_touch *t = &p->middle;
  const struct drag f = drag_of(x, p);
  if (f.released)
    return;

  // Change of S, half of that at the middle: of the axis e, of the weights, and of the length.
  struct roller_turns s;
  double turn[ROLLER_PLACES][ROLLER_PLACES] = {{0}};
  const double size = vec3_norm(t->along), e[3] = {f.axis.x, f.axis.y, f.axis.z};
  roller_touch_turns(x, t, &s);
  for (int b = 0; b < s.count; b++) {
    const int at = s.place[b];
    vec3 along = vec3_scale(s.x[b], t->slope2);
    double unit[3] = {b % 3 == 0, b % 3 == 1, b % 3 == 2};
    along = b < 12 ? vec3_axpy(t->rate[b / 3], vec3_of(unit), along) : vec3_add(along, t->rate_by_length);
    const double stretch = vec3_dot(f.axis, along);
    const vec3 swing = vec3_scale(1 / size, vec3_axpy(-stretch, f.axis, along));
    const double de[3] = {swing.x, swing.y, swing.z};
    for (int a = 0; a < 12; a++) {
      double rate = t->rate[a / 3] * s.x[b];
      if (b == 12 && a / 3 % 2)
        rate += t->weight[a / 3] / t->length_m;
      turn[6 * t->element + a][at] = t->weight[a / 3] * de[a % 3] + rate * e[a % 3];
    }
    if (t->element == x->growing) {
      double own = vec3_dot(swing, t->by_length) + s.x[b] * vec3_dot(f.axis, t->rate_by_length) -
                   (stretch * t->x + size * s.x[b]) / t->length_m;
      if (b < 12 && b / 3 % 2)
        own += t->weight[b / 3] / t->length_m * e[b % 3];
      if (b == 12)
        own += size * t->x / (t->length_m * t->length_m);
      turn[ROLLER_LENGTH][at] = own;
    }
  }

  double way[ROLLER_PLACES]; // derivative of the way
  for (int b = 0; b < ROLLER_PLACES; b++) {
    way[b] = f.way[b];
    for (int a = 0; a < ROLLER_PLACES; a++)
      way[b] += 0.5 * x->change[a] * turn[a][b];
  }
  for (int a = 0; a < ROLLER_PLACES; a++)
    for (int b = 0; b < ROLLER_PLACES; b++)
      k[a][b] += 0.5 * f.mean_n * turn[a][b] +
                 f.way[a] * (f.sign ? 0.5 * f.sign * f.bound_rate * p->end.gradient[b]
                                    : 0.5 * x->roller->friction_stiffness_npm * way[b]);
}

void roller_grip_tangent(const struct roller_step *x, int with_friction,
                         double k[ROLLER_PLACES][ROLLER_PLACES]) {
  struct passage p;
  memset(&p, 0, sizeof p);
  memset(k, 0, ROLLER_PLACES * sizeof *k);
  if (pass(x, &p) <= 0)
    return;

  double hessian[ROLLER_PLACES][ROLLER_PLACES] = {{0}}, rate = 0;
  const double force = mean_force(x->roller, p.start.overlap_m, p.end.overlap_m, &rate);
  roller_touch_hessian(x, &p.middle, hessian);
  for (int b = 0; b < ROLLER_PLACES; b++) {
    double beyond = p.end.gradient[b] - p.middle.gradient[b]; // derivative of beyond_m
    for (int a = 0; a < ROLLER_PLACES; a++)
      beyond -= 0.5 * hessian[a][b] * x->change[a];
    const double share = p.share_1pm2 * (beyond - 2 * p.beyond_m * p.share_1pm2 * x->change[b]);
    for (int a = 0; a < ROLLER_PLACES; a++)
      k[a][b] =
          force * (0.5 * hessian[a][b] + x->change[a] * share) + rate * p.gradient[a] * p.end.gradient[b];
    k[b][b] += force * p.beyond_m * p.share_1pm2;
  }
  if (rubs(x, with_friction))
    add_drag_tangent(x, &p, k);
}
