#include "sagbend/dp/wind_force.h"

#include "sagbend/math/trig.h"

#include <math.h>

// Linear interpolation in a table that ends at half a turn (mirrored) or repeats after a full one.
static void coefficients(const struct wind_force_def *def, double from_rad, double c[3]) {
  const struct wind_force_row *rows = def->row;
  int n = def->row_count, half = rows[n - 1].angle_rad <= TRIG_PI + 1e-9;
  double angle = from_rad < 0 && !half ? from_rad + 2 * TRIG_PI : half ? fabs(from_rad) : from_rad;
  int i = 0;
  while (i + 1 < n && rows[i + 1].angle_rad <= angle)
    i++;
  int next = i + 1 < n ? i + 1 : half ? i : 0;
  double end = i + 1 < n ? rows[next].angle_rad : rows[0].angle_rad + 2 * TRIG_PI;
  double share = next == i ? 0 : (angle - rows[i].angle_rad) / (end - rows[i].angle_rad);
  for (int k = 0; k < 3; k++) {
    c[k] = rows[i].c[k] + share * (rows[next].c[k] - rows[i].c[k]);
    if (half && from_rad < 0 && k > 0)
      c[k] = -c[k];
  }
}

void wind_force(const struct wind_force_def *def, double along_mps, double across_mps, double wrench[3]) {
  double c[3], x = def->speed_factor * along_mps, y = def->speed_factor * across_mps;
  double pressure = 0.5 * def->air_density_kgpm3 * (x * x + y * y);
  coefficients(def, trig_atan2(-y, -x), c);
  wrench[0] = pressure * def->frontal_area_m2 * c[0];
  wrench[1] = pressure * def->lateral_area_m2 * c[1];
  wrench[2] = pressure * def->lateral_area_m2 * def->length_m * c[2];
}
