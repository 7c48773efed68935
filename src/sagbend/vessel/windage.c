// The relative wind V in the x-y plane of b comes from the angle gamma. With q = rho V^2/2, the frontal and
// lateral areas A_F and A_L and the length L:
//   X = q A_F CX,  Y = q A_L CY,  K = q A_L (A_L/L) CK,  N = q A_L L CN.
// Without given rows the coefficients are those of Blendermann (1994) as in Fossen (2021), 10.1.2, for
// 0 <= gamma <= pi, with signs such that the wind pushes:
//   CD_l = CD_lAF A_F/A_L,  d = 1 - delta/2 (1 - CD_l/CD_t) sin^2(2 gamma),
//   CX = -CD_lAF cos gamma / d,  CY = -CD_t sin gamma / d,
//   CK = kappa (s_H/(A_L/L)) CY,  CN = (s_L/L - 0.18 (gamma - pi/2)) CY.
#include "sagbend/vessel/windage.h"

#include "sagbend/math/trig.h"

enum { BLENDERMANN_ROWS = 37 }; // every 5 degrees

static void blendermann(const struct windage_def *def, double angle, double c[4]) {
  double along = angle <= TRIG_PI / 2 ? def->drag_bow : def->drag_stern, twice = trig_sin(2 * angle);
  double share = along * def->frontal_area_m2 / (def->lateral_area_m2 * def->drag_transverse);
  double divisor = 1 - 0.5 * def->cross_force * (1 - share) * twice * twice;
  c[0] = -along * trig_cos(angle) / divisor;
  c[1] = -def->drag_transverse * trig_sin(angle) / divisor;
  c[2] = def->rolling * def->centroid_height_m * def->length_m / def->lateral_area_m2 * c[1];
  c[3] = (def->centroid_forward_m / def->length_m - 0.18 * (angle - TRIG_PI / 2)) * c[1];
}

struct windage windage_of(const struct windage_def *def, double air_density_kgpm3) {
  struct windage windage = {.present = def->present, .air_density_kgpm3 = air_density_kgpm3};
  if (!def->present)
    return windage;
  double lateral = def->lateral_area_m2;
  const double scale[4] = {def->frontal_area_m2, lateral, lateral * lateral / def->length_m,
                           lateral * def->length_m};
  for (int k = 0; k < 4; k++)
    windage.scale[k] = scale[k];
  windage.height_m = def->height_m;
  windage.point_b_m = vec3_of(def->point_b_m);
  int count = def->row_count > 0 ? def->row_count : BLENDERMANN_ROWS;
  for (int i = 0; i < count; i++) {
    struct wind_row row = {.angle_rad = TRIG_PI * i / (BLENDERMANN_ROWS - 1)};
    if (def->row_count > 0)
      row = def->rows[i];
    else
      blendermann(def, row.angle_rad, row.c);
    angle_table_add(&windage.table, row.angle_rad, row.c, 1);
  }
  angle_table_complete(&windage.table);
  return windage;
}

void windage_coefficients(const struct windage *windage, double angle_rad, double c[4]) {
  angle_table_at(&windage->table, angle_rad, c);
}

void windage_wrench(const struct windage *windage, vec3 air_b_mps, const double nu[6], double wrench_b[6]) {
  vec3 own = vec3_add(vec3_of(nu), vec3_cross(vec3_of(nu + 3), windage->point_b_m)),
       wind = vec3_sub(air_b_mps, own);
  double pressure = 0.5 * windage->air_density_kgpm3 * (wind.x * wind.x + wind.y * wind.y), c[4];
  windage_coefficients(windage, trig_atan2(-wind.y, -wind.x), c);
  for (int k = 0; k < 4; k++)
    c[k] *= pressure * windage->scale[k];
  vec3 force = {c[0], c[1], 0},
       moment = vec3_add((vec3){c[2], 0, c[3]}, vec3_cross(windage->point_b_m, force));
  vec3_to(force, wrench_b);
  vec3_to(moment, wrench_b + 3);
}
