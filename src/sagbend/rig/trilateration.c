// In axes with the first point at 0, the second on x and the third in the plane x, y, the differences of the
// squared ranges are linear in x and y; z follows from the first range (Fang 1986).
#include "sagbend/rig/trilateration.h"

#include "sagbend/math/dense3.h"

#include <math.h>

int place_at_ranges(const vec3 p[3], const double r[3], vec3 *out) {
  vec3 base = vec3_sub(p[1], p[0]), other = vec3_sub(p[2], p[0]);
  double d = vec3_norm(base);
  if (!(d > 0))
    return 0;
  vec3 ex = vec3_scale(1 / d, base);
  double i = vec3_dot(ex, other);
  vec3 rest = vec3_axpy(-i, ex, other);
  double j = vec3_norm(rest);
  if (!(j > 1e-6 * d))
    return 0;
  vec3 ey = vec3_scale(1 / j, rest), ez = vec3_cross(ex, ey);
  if (ez.z > 0) // upwards
    ez = vec3_scale(-1, ez);
  double x = (r[0] * r[0] - r[1] * r[1] + d * d) / (2 * d);
  double y = (r[0] * r[0] - r[2] * r[2] + i * i + j * j - 2 * i * x) / (2 * j);
  double square = r[0] * r[0] - x * x - y * y;
  if (!(square >= 0))
    return 0;
  *out = vec3_axpy(sqrt(square), ez, vec3_axpy(y, ey, vec3_axpy(x, ex, p[0])));
  return 1;
}

double place_dilution(const vec3 p[3], vec3 place) {
  double normal[3][3] = {{0}}, variance = 0;
  for (int i = 0; i < 3; i++) {
    vec3 way = vec3_sub(place, p[i]);
    double u[3], size = vec3_norm(way);
    vec3_to(vec3_scale(size > 0 ? 1 / size : 0, way), u);
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        normal[j][k] += u[j] * u[k];
  }
  for (int axis = 0; axis < 2; axis++) {
    double unit[3] = {axis == 0, axis == 1, 0}, column[3];
    mat3_solve_rows((const double (*)[3])normal, unit, column);
    variance += 0.5 * column[axis];
  }
  return isfinite(variance) && variance > 0 ? sqrt(variance) : (double)INFINITY;
}
