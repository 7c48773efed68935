// With C = c at an end, h the horizontal distance and dz the difference of depth, the tangent of the circle
// at its begin is along (2 h C1, g h^2 + dz (C1 + C2)), and the travel time is
//   t = (1/g) acosh(1 + g^2 d^2 / (2 C1 C2)) = d / sqrt(C1 C2) asinh(s) / s,  s = g d / (2 sqrt(C1 C2)).
#include "sagbend/rig/sound_ray.h"

#include "sagbend/math/explog.h"

#include <math.h>

// asinh(s) / s; the series below 0.03 leaves 2e-16.
static double asinh_over(double s) {
  double q = s * s;
  if (q < 1e-3)
    return 1 + q * (-1.0 / 6 + q * (3.0 / 40 + q * (-15.0 / 336 + q * (105.0 / 3456 - q * 945.0 / 42240))));
  s = fabs(s);
  return explog_log(s + sqrt(1 + q)) / s;
}

struct sound_ray sound_ray_of(const struct sound_profile *water, vec3 from, vec3 to) {
  double g = water->gradient_1ps, c1 = water->speed_mps + g * from.z, c2 = water->speed_mps + g * to.z;
  vec3 way = vec3_sub(to, from);
  double d = vec3_norm(way), h = sqrt(way.x * way.x + way.y * way.y), root = sqrt(c1 * c2);
  struct sound_ray ray = {.direction_n = {0, 0, 1}};
  if (!(d > 0))
    return ray;
  double level = 2 * h * c1, down = g * h * h + way.z * (c1 + c2), size = sqrt(level * level + down * down);
  ray.direction_n =
      (vec3){h > 0 ? level / size * way.x / h : 0, h > 0 ? level / size * way.y / h : 0, down / size};
  ray.travel_s = d / root * asinh_over(0.5 * g * d / root);
  ray.range_m = ray.travel_s * 0.5 * (c1 + c2);
  return ray;
}
