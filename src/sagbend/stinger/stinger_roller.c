// Discrete gradient and law of a roller over a step. With the places y, y0 at the start, dy their change, ym
// the mean, g the gradient of the overlap k at ym:
//   G = g + (k1 - k0 - g.dy) dy/|dy|^2,
// the quotient over the places of the elements with the three closest points, as the overlaps depend on no
// others. The correction is of third order where the closest point stays in one element, of second where a
// node passes. Below the sizes in NEGLIGIBLE_M it is less than the rounding of positions, and is left out:
// the quotient would only amplify rounding.
#include "sagbend/stinger/stinger.h"

#include "sagbend/stinger/stinger_internal.h"

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

double roller_mean_force(const struct roller *roller, double k0, double k1, double *rate) {
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

// The changes of the places that the overlaps depend on; the others are 0.
void roller_touched_change(const struct roller_step *x, const struct roller_passage *p,
                           double change[ROLLER_PLACES]) {
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
