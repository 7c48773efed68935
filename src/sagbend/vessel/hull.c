// Rows: the flow (u, v) = V (cos gamma, sin gamma) through the water comes from the angle gamma. With
// q = rho V^2/2,
//   X = q B T CX,  Y = q L T CY,  N = q L^2 T CN,   P = -(X u + Y v) > 0 (hull_rows_resist).
// N r may have either sign; N is limited so that N r <= P/2. With F = (X, Y, N) the matrix
//   d = F F' / (P - N r),   d (u, v, r)' = -F,
// is positive semidefinite: a midpoint rule that iterates its coefficients loses energy with every guess.
//
// Cross-flow: a strip at x_k moves across the flow at s_k = v + x_k r and resists by
// rho/2 T Cd L/n |s_k| s_k. The matrix is the sum of rho/2 T Cd L/n |s_k| (1, x_k)(1, x_k)'.
#include "sagbend/vessel/hull_drag.h"

#include "sagbend/math/trig.h"

#include <math.h>

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
