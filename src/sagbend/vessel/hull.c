// Drag of the water on the hull.
//
// Rows: the flow (u, v) = V (cos gamma, sin gamma) through the water comes from the angle gamma. With
// q = rho V^2/2,
//   X = q B T CX,  Y = q L T CY,  N = q L^2 T CN,   P = -(X u + Y v) > 0 (hull_rows_resist).
// N r may have either sign; N is limited so that N r <= P/2. With F = (X, Y, N) the matrix
//   d = F F' / (P - N r),   d (u, v, r)' = -F,
// is positive semidefinite: a midpoint rule that iterates its coefficients loses energy with every guess.
//
// Cross-flow: a strip at x_k moves across the flow at s_k = v + x_k r and resists by
// rho/2 T Cd L/n |s_k| s_k. The matrix is the sum of rho/2 T Cd L/n |s_k| (1, x_k)(1, x_k)'.
#include "sagbend/vessel/vessel.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// S. F. Hoerner (1965), Fluid-Dynamic Drag, as read by the Marine Systems Simulator (MIT licence), rounded.
double hoerner_drag(double beam_m, double draft_m) {
  static const double curve[][2] = {{0.0109, 1.966}, {0.1766, 1.966}, {0.3530, 1.898}, {0.4519, 1.787},
                                    {0.4728, 1.584}, {0.4929, 1.279}, {0.4933, 1.211}, {0.5585, 1.084},
                                    {0.6464, 0.999}, {0.8336, 0.880}, {0.9880, 0.828}, {1.3081, 0.760},
                                    {1.6392, 0.691}, {1.8600, 0.657}, {2.3129, 0.631}, {2.6000, 0.596},
                                    {3.0088, 0.587}, {3.4508, 0.586}, {3.7379, 0.560}, {4.0031, 0.559}};
  enum { LAST = sizeof curve / sizeof *curve - 1 };
  double ratio = beam_m / (2 * draft_m);
  int i = 1;
  while (i < LAST && curve[i][0] < ratio)
    i++;
  double share = (ratio - curve[i - 1][0]) / (curve[i][0] - curve[i - 1][0]);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  return curve[i - 1][1] + share * (curve[i][1] - curve[i - 1][1]);
}

static void scale_of(const struct hull_def *def, double scale[3]) {
  scale[0] = def->beam_m * def->draft_m;
  scale[1] = def->length_m * def->draft_m;
  scale[2] = def->length_m * def->length_m * def->draft_m;
}

// Munk's moment on the hull at unit speed: that of the momentum p = M_A (u, v) moving at (u, v).
static double munk_moment(const double (*added_mass)[6], double angle) {
  double u = trig_cos(angle), v = trig_sin(angle);
  double p_x = added_mass[0][0] * u + added_mass[0][1] * v, p_y = added_mass[1][0] * u + added_mass[1][1] * v;
  return p_x * v - p_y * u;
}

static void angle_table_add(struct angle_table *table, double angle_rad, const double c[ANGLE_COLUMNS],
                            double mirror);

static void angle_table_complete(struct angle_table *table);

static void fill_table(struct angle_table *table, const struct hull_def *def, const double (*added_mass)[6],
                       double density) {
  double scale[3];
  scale_of(def, scale);
  for (int i = 0; i < def->row_count; i++) {
    const struct current_row *row = &def->rows[i];
    double c[ANGLE_COLUMNS] = {0};
    for (int k = 0; k < 3; k++)
      c[k] = 0.5 * density * scale[k] * row->c[k];
    c[2] -= munk_moment(added_mass, row->angle_rad);
    angle_table_add(table, row->angle_rad, c, 1);
  }
  angle_table_complete(table);
}

struct hull_drag hull_drag_of(const struct hull_def *def, const double (*added_mass)[6],
                              double water_density_kgpm3) {
  struct hull_drag drag = {.acts = def->row_count > 0 || def->cross_flow};
  if (def->row_count > 0)
    fill_table(&drag.table, def, added_mass, water_density_kgpm3);
  if (!def->cross_flow)
    return drag;

  double coefficient =
      def->cross_flow_drag > 0 ? def->cross_flow_drag : hoerner_drag(def->beam_m, def->draft_m);
  double width = def->length_m / CROSS_FLOW_STRIPS;
  drag.strips = CROSS_FLOW_STRIPS;
  drag.strip_drag = 0.5 * water_density_kgpm3 * def->draft_m * coefficient * width;
  for (int k = 0; k < CROSS_FLOW_STRIPS; k++)
    drag.strip_x_b_m[k] = def->centre_x_b_m + width * (k + 0.5) - 0.5 * def->length_m;
  return drag;
}

static void angle_table_at(const struct angle_table *table, double angle_rad,
                           double c[ANGLE_COLUMNS]) NONBLOCKING;

static void add_rows(const struct angle_table *table, const double through[6], double d[3][3]) {
  double u = through[0], v = through[1], r = through[5], square = u * u + v * v, force[ANGLE_COLUMNS];
  angle_table_at(table, trig_atan2(v, u), force);
  for (int k = 0; k < 3; k++)
    force[k] *= square;
  double power = -(force[0] * u + force[1] * v), turning = force[2] * r;
  if (turning > 0.5 * power) {
    force[2] *= 0.5 * power / turning;
    turning = 0.5 * power;
  }

  double lost = power - turning;
  if (!(lost > 0)) // no flow
    return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      d[i][j] += force[i] * force[j] / lost;
}

static void add_strips(const struct hull_drag *drag, const double through[6], double d[3][3]) {
  double sum[3] = {0};
  for (int k = 0; k < drag->strips; k++) {
    double x = drag->strip_x_b_m[k], speed = fabs(through[1] + x * through[5]);
    sum[0] += speed;
    sum[1] += speed * x;
    sum[2] += speed * x * x;
  }
  d[1][1] += drag->strip_drag * sum[0];
  d[1][2] += drag->strip_drag * sum[1];
  d[2][1] += drag->strip_drag * sum[1];
  d[2][2] += drag->strip_drag * sum[2];
}

void hull_drag_matrix(const struct hull_drag *drag, const double through[6], double d[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      d[i][j] = 0;
  if (drag->table.count > 0)
    add_rows(&drag->table, through, d);
  if (drag->strips > 0)
    add_strips(drag, through, d);
}

int hull_rows_resist(const struct hull_def *def, double *angle_rad) {
  enum { ANGLES = 1440 }; // every quarter of a degree
  static const double still[6][6];
  const double least = 1e-3;
  struct angle_table table = {0};
  fill_table(&table, def, still, 2);
  for (int i = 0; i < ANGLES; i++) {
    double c[ANGLE_COLUMNS], angle = 2 * TRIG_PI * i / ANGLES;
    angle_table_at(&table, angle, c);
    double power = -(c[0] * trig_cos(angle) + c[1] * trig_sin(angle));
    double size = fabs(c[0]) + fabs(c[1]) + fabs(c[2]) / def->length_m;
    if (!(power >= least * size)) {
      *angle_rad = angle;
      return 0;
    }
  }
  return 1;
}

// ------------------------------------------------------------
// The relative wind V in the x-y plane of b comes from the angle gamma. With q = rho V^2/2, the frontal and
// lateral areas A_F and A_L and the length L:
//   X = q A_F CX,  Y = q A_L CY,  K = q A_L (A_L/L) CK,  N = q A_L L CN.
// Without given rows the coefficients are those of Blendermann (1994) as in Fossen (2021), 10.1.2, for
// 0 <= gamma <= pi, with signs such that the wind pushes:
//   CD_l = CD_lAF A_F/A_L,  d = 1 - delta/2 (1 - CD_l/CD_t) sin^2(2 gamma),
//   CX = -CD_lAF cos gamma / d,  CY = -CD_t sin gamma / d,
//   CK = kappa (s_H/(A_L/L)) CY,  CN = (s_L/L - 0.18 (gamma - pi/2)) CY.

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

// Adds a row; angles increase. mirror: factor on all columns but the first, 1 or -1.
// ------------------------------------------------------------
static void angle_table_add(struct angle_table *table, double angle_rad, const double c[ANGLE_COLUMNS],
                            double mirror) {
  int i = table->count++;
  table->angle_rad[i] = angle_rad;
  for (int k = 0; k < ANGLE_COLUMNS; k++)
    table->c[i][k] = k == 0 ? c[k] : mirror * c[k];
}

static void set_slopes(struct angle_table *table) {
  int n = table->count - 1; // rows of one turn
  for (int i = 0; i <= n; i++) {
    int before = i > 0 ? i - 1 : n - 1, after = i < n ? i + 1 : 1, at = i < n ? i : 0;
    double left = table->angle_rad[i] - table->angle_rad[before] + (i > 0 ? 0 : 2 * TRIG_PI);
    double right = table->angle_rad[after] - table->angle_rad[i] + (i < n ? 0 : 2 * TRIG_PI);
    for (int k = 0; k < ANGLE_COLUMNS; k++) {
      double rise = (table->c[at][k] - table->c[before][k]) / left,
             fall = (table->c[after][k] - table->c[at][k]) / right;
      table->slope[i][k] = (right * rise + left * fall) / (left + right);
    }
  }
}

// Completes the table from its rows, which begin at 0: the mirror image of the other side, if they end at pi,
// the row after a full turn, and the slopes.
static void angle_table_complete(struct angle_table *table) {
  int count = table->count;
  if (table->angle_rad[count - 1] <= TRIG_PI + 1e-9)
    for (int i = count - 2; i > 0; i--)
      angle_table_add(table, 2 * TRIG_PI - table->angle_rad[i], table->c[i], -1);
  angle_table_add(table, 2 * TRIG_PI, table->c[0], 1);
  set_slopes(table);
}

// All columns at an angle in (-2 pi, 2 pi].
static void angle_table_at(const struct angle_table *table, double angle_rad,
                           double c[ANGLE_COLUMNS]) NONBLOCKING {
  double angle = angle_rad < 0 ? angle_rad + 2 * TRIG_PI : angle_rad;
  int low = 0, high = table->count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (table->angle_rad[middle] <= angle)
      low = middle;
    else
      high = middle;
  }
  double width = table->angle_rad[high] - table->angle_rad[low], x = (angle - table->angle_rad[low]) / width;
  double y = 1 - x;
  for (int k = 0; k < ANGLE_COLUMNS; k++)
    c[k] = y * y * ((1 + 2 * x) * table->c[low][k] + x * width * table->slope[low][k]) +
           x * x * ((1 + 2 * y) * table->c[high][k] - y * width * table->slope[high][k]);
}

// ------------------------------------------------------------
double *hydro_table_at(const struct hydro_table *table, int frequency, int heading) {
  return table->value +
         ((size_t)frequency * (size_t)table->headings + (size_t)heading) * (size_t)table->width;
}

// Whether a number of an entry belongs to sway, roll or yaw.
static int is_odd(const struct hydro_table *table, int number) {
  return table->width == 12 ? number / 2 % 2 : number > 0;
}

// The two rows of a table beside a frequency, or twice the same at an end, and the share of the second.
static double rows_beside(const struct hydro_table *table, double omega_radps, int *row, int *next) {
  int f = 0, last = table->frequencies - 1;
  while (f < last && table->omega_radps[f + 1] <= omega_radps)
    f++;
  *row = f, *next = f < last ? f + 1 : f;
  double low = table->omega_radps[f], high = table->omega_radps[*next];
  return high > low && omega_radps > low ? (omega_radps - low) / (high - low) : 0;
}

void hydro_table_interpolate(const struct hydro_table *table, double omega_radps, double heading_rad,
                             double *out) {
  int rows = table->frequencies, columns = table->headings, f, next_f, h = 0;
  memset(out, 0, (size_t)table->width * sizeof *out);
  if (rows == 0 || columns == 0 || omega_radps > table->omega_radps[rows - 1])
    return;
  int is_full_turn = table->heading_rad[columns - 1] > TRIG_PI + 1e-9;
  double angle = trig_wrap(heading_rad), share_h = 0;
  int is_mirrored = !is_full_turn && angle < 0;
  if (angle < 0)
    angle = is_full_turn ? angle + 2 * TRIG_PI : -angle;

  double share_f = rows_beside(table, omega_radps, &f, &next_f);
  while (h < columns - 1 && table->heading_rad[h + 1] <= angle)
    h++;
  int next_h = h < columns - 1 ? h + 1 : is_full_turn ? 0 : h;
  if (is_full_turn && angle < table->heading_rad[0]) // between the last heading and the first
    h = columns - 1, next_h = 0, angle += 2 * TRIG_PI;
  double from = table->heading_rad[h];
  double to = table->heading_rad[next_h] + (next_h < h ? 2 * TRIG_PI : 0);
  if (to > from && angle > from)
    share_h = (angle - from) / (to - from);

  for (int corner = 0; corner < 4; corner++) {
    const double *entry = hydro_table_at(table, corner < 2 ? f : next_f, corner % 2 ? next_h : h);
    double weight = (corner < 2 ? 1 - share_f : share_f) * (corner % 2 ? share_h : 1 - share_h);
    for (int k = 0; k < table->width; k++)
      out[k] += (is_mirrored && is_odd(table, k) ? -weight : weight) * entry[k];
  }
}

int hydro_radiation_at(const struct hydro_table *radiation, double omega_radps, double added_mass[6][6],
                       double damping[6][6]) {
  int last = radiation->frequencies - 1, f, next;
  if (last < 0 || !(omega_radps >= radiation->omega_radps[0] && omega_radps <= radiation->omega_radps[last]))
    return 0;
  double share = rows_beside(radiation, omega_radps, &f, &next);
  const double *low = hydro_table_at(radiation, f, 0), *high = hydro_table_at(radiation, next, 0);
  for (int i = 0, k = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, k++) {
      int b = k + RADIATION_WIDTH / 2;
      added_mass[i][j] = added_mass[j][i] = low[k] + share * (high[k] - low[k]);
      damping[i][j] = damping[j][i] = low[b] + share * (high[b] - low[b]);
    }
  return 1;
}

void hydro_memory_at(const struct hydro_memory *memory, double omega_radps, double re[6][6],
                     double im[6][6]) {
  double complex a[MAX_OSCILLATORS][MAX_OSCILLATORS], x[MAX_OSCILLATORS][6];
  double complex s = complex_number(0, omega_radps);
  int n = memory->count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i][j] = s * memory->damping_1ps[i][j];
    a[i][i] += s * s + memory->omega_radps[i] * memory->omega_radps[i];
    for (int j = 0; j < 6; j++)
      x[i][j] = s * memory->drive[i][j];
  }
  enum status status = complex_solve(n, MAX_OSCILLATORS, a[0], 6, x[0]);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double complex sum = 0;
      for (int k = 0; k < n; k++)
        sum += memory->drive[k][i] * x[k][j];
      re[i][j] = status == STATUS_OK ? creal(sum) : (double)NAN;
      im[i][j] = status == STATUS_OK ? cimag(sum) : (double)NAN;
    }
}

void hydro_memory_added_mass_zero(const struct hydro_memory *memory, const double (*added_mass_inf)[6],
                                  double added_mass_zero[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = added_mass_inf[i][j];
      for (int k = 0; k < memory->count; k++)
        sum += memory->drive[k][i] * memory->drive[k][j] / (memory->omega_radps[k] * memory->omega_radps[k]);
      added_mass_zero[i][j] = sum;
    }
}

enum status hydro_memory_factor(const struct hydro_memory *memory,
                                double factor[MAX_OSCILLATORS][MAX_OSCILLATORS]) {
  static const double ROUNDING = 1e-9; // of the largest diagonal element
  double largest = 0;
  int n = memory->count;
  memset(factor, 0, sizeof(double[MAX_OSCILLATORS][MAX_OSCILLATORS]));
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(memory->damping_1ps[i][i]));
  for (int j = 0; j < n; j++) {
    double pivot = memory->damping_1ps[j][j];
    for (int k = 0; k < j; k++)
      pivot -= factor[j][k] * factor[j][k];
    if (!(pivot >= -ROUNDING * largest))
      return STATUS_SINGULAR;
    factor[j][j] = pivot > 0 ? sqrt(pivot) : 0;
    for (int i = j + 1; i < n; i++) {
      double rest = memory->damping_1ps[i][j];
      for (int k = 0; k < j; k++)
        rest -= factor[i][k] * factor[j][k];
      if (pivot <= ROUNDING * largest) { // semidefinite: the rest of the column is zero too
        if (fabs(rest) > sqrt(ROUNDING) * largest)
          return STATUS_SINGULAR;
        factor[j][j] = 0;
      } else {
        factor[i][j] = rest / factor[j][j];
      }
    }
  }
  return STATUS_OK;
}
