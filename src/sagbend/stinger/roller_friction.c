// Friction of a roller: which way the pipe makes along itself over it, and what the spring of the friction
// does.
#include "sagbend/stinger/stinger_internal.h"

#include "sagbend/math/bounded_spring.h"

static double end_stiffness(const struct roller *roller, double overlap_m) {
  return roller->holds ? roller->spring.slope_npm2 : seabed_stiffness(&roller->spring, overlap_m);
}

struct roller_drag roller_drag_of(const struct roller_step *x, const struct roller_passage *p) {
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
