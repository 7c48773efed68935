// The relative wind V in the x-y plane of b comes from the angle gamma. With q = rho V^2/2, the frontal and
// lateral areas A_F and A_L and the length L:
//   X = q A_F CX,  Y = q A_L CY,  K = q A_L (A_L/L) CK,  N = q A_L L CN.
// Without given rows the coefficients are those of Blendermann (1994) as in Fossen (2021), 10.1.2, for
// 0 <= gamma <= pi, with signs such that the wind pushes:
//   CD_l = CD_lAF A_F/A_L,  d = 1 - delta/2 (1 - CD_l/CD_t) sin^2(2 gamma),
//   CX = -CD_lAF cos gamma / d,  CY = -CD_t sin gamma / d,
//   CK = kappa (s_H/(A_L/L)) CY,  CN = (s_L/L - 0.18 (gamma - pi/2)) CY.
// Interpolation: a cubic between rows, whose slopes are those of parabolas through three rows.
#include "core/vessel/windage.h"

#include "core/math/trig.h"

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

static void add_row(struct windage *windage, double angle, const double c[4], double mirror) {
  int i = windage->count++;
  windage->angle_rad[i] = angle;
  for (int k = 0; k < 4; k++)
    windage->c[i][k] = k == 0 ? c[k] : mirror * c[k];
}

static void set_slopes(struct windage *windage) {
  int n = windage->count - 1; // rows of one turn
  for (int i = 0; i <= n; i++) {
    int before = i > 0 ? i - 1 : n - 1, after = i < n ? i + 1 : 1, at = i < n ? i : 0;
    double left = windage->angle_rad[i] - windage->angle_rad[before] + (i > 0 ? 0 : 2 * TRIG_PI);
    double right = windage->angle_rad[after] - windage->angle_rad[i] + (i < n ? 0 : 2 * TRIG_PI);
    for (int k = 0; k < 4; k++) {
      double rise = (windage->c[at][k] - windage->c[before][k]) / left,
             fall = (windage->c[after][k] - windage->c[at][k]) / right;
      windage->slope[i][k] = (right * rise + left * fall) / (left + right);
    }
  }
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
  struct wind_row rows[MAX_WIND_ROWS];
  int count = def->row_count > 0 ? def->row_count : BLENDERMANN_ROWS;
  for (int i = 0; i < count; i++) {
    if (def->row_count > 0) {
      rows[i] = def->rows[i];
      continue;
    }
    rows[i].angle_rad = TRIG_PI * i / (BLENDERMANN_ROWS - 1);
    blendermann(def, rows[i].angle_rad, rows[i].c);
  }
  for (int i = 0; i < count; i++)
    add_row(&windage, rows[i].angle_rad, rows[i].c, 1);
  if (rows[count - 1].angle_rad <= TRIG_PI + 1e-9)
    for (int i = count - 2; i > 0; i--)
      add_row(&windage, 2 * TRIG_PI - rows[i].angle_rad, rows[i].c, -1);
  add_row(&windage, 2 * TRIG_PI, rows[0].c, 1);
  set_slopes(&windage);
  return windage;
}

void windage_coefficients(const struct windage *windage, double angle_rad, double c[4]) {
  double angle = angle_rad < 0 ? angle_rad + 2 * TRIG_PI : angle_rad;
  int low = 0, high = windage->count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (windage->angle_rad[middle] <= angle)
      low = middle;
    else
      high = middle;
  }
  double width = windage->angle_rad[high] - windage->angle_rad[low],
         x = (angle - windage->angle_rad[low]) / width;
  double y = 1 - x;
  for (int k = 0; k < 4; k++)
    c[k] = y * y * ((1 + 2 * x) * windage->c[low][k] + x * width * windage->slope[low][k]) +
           x * x * ((1 + 2 * y) * windage->c[high][k] - y * width * windage->slope[high][k]);
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
