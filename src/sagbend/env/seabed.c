// The seabed: its spring, and its surface, a plane or a grid.
//
// The energy V is a polynomial on each branch (none, parabola, line), so its divided difference has a closed
// form within a branch. For a step across a break it is the mean of the branches, weighted by their shares of
// the way.
#include "sagbend/env/env.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

struct seabed_spring seabed_spring_of(double submerged_weight_npm, double outer_diameter_m) {
  return (struct seabed_spring){fabs(submerged_weight_npm) / (outer_diameter_m / 10), outer_diameter_m / 20};
}

struct seabed_spring seabed_linear(double stiffness_npm2) {
  return (struct seabed_spring){stiffness_npm2, 0};
}

// Parabola: slope k^2 / (2 break). Line: slope (k - break / 2).
double seabed_force(const struct seabed_spring *spring, double k) {
  if (k <= 0)
    return 0;
  return k <= spring->break_m ? spring->slope_npm2 * k * k / (2 * spring->break_m)
                              : spring->slope_npm2 * (k - 0.5 * spring->break_m);
}

double seabed_energy(const struct seabed_spring *spring, double k) {
  double b = spring->break_m;
  if (k <= 0)
    return 0;
  if (k <= b)
    return spring->slope_npm2 * k * k * k / (6 * b);
  return spring->slope_npm2 * (b * b / 6 + 0.5 * k * (k - b));
}

double seabed_stiffness(const struct seabed_spring *spring, double k) {
  if (k <= 0)
    return 0;
  return k <= spring->break_m ? spring->slope_npm2 * k / spring->break_m : spring->slope_npm2;
}

double seabed_penetration(const struct seabed_spring *spring, double force_npm) {
  double b = spring->break_m;
  if (!(force_npm > 0))
    return 0;
  return force_npm <= 0.5 * spring->slope_npm2 * b ? sqrt(2 * b * force_npm / spring->slope_npm2)
                                                   : force_npm / spring->slope_npm2 + 0.5 * b;
}

// 0: no contact, 1: parabola, 2: line.
static int branch(const struct seabed_spring *spring, double k) {
  return k <= 0 ? 0 : k <= spring->break_m ? 1 : 2;
}

// Divided difference of V within one branch.
static double within_branch(const struct seabed_spring *spring, int which, double a, double b) {
  if (which == 1)
    return spring->slope_npm2 * (a * a + a * b + b * b) / (6 * spring->break_m);
  return which == 2 ? spring->slope_npm2 * (0.5 * (a + b) - 0.5 * spring->break_m) : 0;
}

double seabed_mean_force(const struct seabed_spring *spring, double k0, double k1, double *derivative) {
  int first = branch(spring, k0), last = branch(spring, k1);
  if (first == last) {
    *derivative = first == 1   ? spring->slope_npm2 * (k0 + 2 * k1) / (6 * spring->break_m)
                  : first == 2 ? 0.5 * spring->slope_npm2
                               : 0;
    return within_branch(spring, first, k0, k1);
  }

  const double breaks[2] = {0, spring->break_m}; // between branches 0|1 and 1|2
  int way = last > first ? 1 : -1;
  double mean = 0, at = k0;

  for (int which = first; which != last; which += way) {
    double next = breaks[way > 0 ? which : which - 1];
    if (next != at) // the parabola of a linear seabed has no length
      mean += within_branch(spring, which, at, next) * ((next - at) / (k1 - k0));
    at = next;
  }

  mean += within_branch(spring, last, at, k1) * ((k1 - at) / (k1 - k0));
  double width = k1 - k0;
  *derivative =
      fabs(width) > 1e-9 ? (seabed_force(spring, k1) - mean) / width : 0.5 * seabed_stiffness(spring, k1);

  return mean;
}

// ------------------------------------------------------------
// Spline of the grid: H - depth = sum of c_ij B(x/spacing - i) B(y/spacing - j) with the cubic B-spline B, so
// that (c_{i-1} + 4 c_i + c_{i+1})/6 is the value at node i. At the natural ends c_{-1} - 2 c_0 + c_1 = 0, so
// c_0 is the value itself. With p = grad H, S the Hessian of H, T its third derivatives and f = z - H:
//   grad c = -c^3 S p,   Hess c = -c^3 (S S + T p) + 3 c^5 (S p)(S p)',
//   grad kappa = c (-p, 1) + f grad c,   Hess kappa = grad c x (-p, 1) + (-p, 1) x grad c - c S + f Hess c.

// For steps shorter than this share of the spacing the gradient in the middle stands for the discrete
// gradient: the difference, a third derivative times the cube of the step, is smaller than the rounding error
// it would bring.
static const double SHORT_SHARE = 1e-5;

// Turns the values at n nodes, stride apart, into coefficients, in place. work: n numbers of scratch.
static void interpolate(double *c, size_t stride, int n, double *work) {
  double *first = c + stride; // c_0; c points at c_{-1}
  work[0] = 0;
  for (int i = 1; i < n - 1; i++) { // elimination in c_{i-1} + 4 c_i + c_{i+1} = 6 y_i
    double pivot = 1 / (4 - work[i - 1]);
    double *at = first + (size_t)i * stride;
    work[i] = i < n - 2 ? pivot : 0;
    *at = (6 * *at - at[-(ptrdiff_t)stride] - (i == n - 2 ? at[stride] : 0)) * pivot;
  }

  for (int i = n - 3; i > 0; i--)
    first[(size_t)i * stride] -= work[i] * first[(size_t)(i + 1) * stride];

  double *last = first + (size_t)(n - 1) * stride;
  c[0] = 2 * first[0] - first[stride];
  last[stride] = 2 * last[0] - last[-(ptrdiff_t)stride];
}

static size_t stride_of(const struct seabed_surface *surface) {
  return (size_t)surface->east_nodes + 2;
}

static double larger(double a, double b) {
  return b > a ? b : a;
}

// Bounds of level and slope: a spline lies within its coefficients, its slope within their differences.
static void set_bounds(struct seabed_surface *surface) {
  size_t stride = stride_of(surface), count = stride * ((size_t)surface->north_nodes + 2);
  double top = surface->coefficient_m[0], slope = 0;
  for (size_t k = 0; k < count; k++) {
    const double *c = surface->coefficient_m + k;
    top = *c < top ? *c : top;
    if ((k + 1) % stride != 0)
      slope = larger(slope, fabs(c[1] - c[0]) / surface->spacing_m);
    if (k + stride < count)
      slope = larger(slope, fabs(c[stride] - c[0]) / surface->spacing_m);
  }

  surface->top_z_m = surface->depth_m + top;
  surface->steepest = sqrt(1 + 2 * slope * slope);
}

static void create_grid(struct seabed_surface *surface, const struct bathymetry_def *def,
                        struct arena *memory) {
  size_t stride = (size_t)def->east_nodes + 2;
  surface->coefficient_m = arena_take(memory, stride * ((size_t)def->north_nodes + 2), sizeof(double));
  int most = def->north_nodes > def->east_nodes ? def->north_nodes : def->east_nodes;
  double *work = arena_take(memory, (size_t)most, sizeof(double));
  surface->north_nodes = def->north_nodes, surface->east_nodes = def->east_nodes;
  surface->north_m = def->north_m, surface->east_m = def->east_m, surface->spacing_m = def->spacing_m;
  size_t nodes = (size_t)def->north_nodes * (size_t)def->east_nodes;
  if (def->is_missing)
    surface->is_missing = arena_take(memory, nodes, 1);
  if (!surface->coefficient_m || !work || (def->is_missing && !surface->is_missing))
    return;
  if (def->is_missing)
    memcpy(surface->is_missing, def->is_missing, nodes);

  for (int i = 0; i < def->north_nodes; i++)
    for (int j = 0; j < def->east_nodes; j++)
      surface->coefficient_m[((size_t)i + 1) * stride + (size_t)j + 1] =
          def->z_m[(size_t)i * (size_t)def->east_nodes + (size_t)j] - surface->depth_m;

  for (int i = 1; i <= def->north_nodes; i++)
    interpolate(surface->coefficient_m + (size_t)i * stride, 1, def->east_nodes, work);

  for (size_t j = 0; j < stride; j++)
    interpolate(surface->coefficient_m + j, stride, def->north_nodes, work);

  set_bounds(surface);
}

void surface_create(struct seabed_surface *surface, const struct env_def *env, struct arena *memory) {
  const struct seabed_slope_def *slope = &env->slope;
  double steep = trig_sin(slope->angle_rad), level = trig_cos(slope->angle_rad);
  *surface = (struct seabed_surface){.depth_m = env->depth_m};
  surface->normal_n =
      (vec3){0 - steep * trig_cos(slope->direction_rad), 0 - steep * trig_sin(slope->direction_rad), level};
  surface->point_n = (vec3){slope->reference_m[0], slope->reference_m[1], env->depth_m};
  if (env->bathymetry.north_nodes > 0)
    create_grid(surface, &env->bathymetry, memory);
}

// Derivatives of the four B-splines that are not 0 in a cell: w[order][spline], coordinate in units of the
// spacing.
struct weights {
  int cell;
  double w[4][4];
};

// At the coordinate at_m + step_m, without losing digits of step_m. Linear continuation beyond the grid.
KERNEL_INLINE struct weights weights_at(double first_m, int nodes, double spacing_m, double at_m,
                                        double step_m) {
  double t = (at_m + step_m - first_m) / spacing_m;
  int last = nodes - 2, cell = t > 0 ? (t < last ? (int)t : last) : 0; // 0 for a NaN
  double u = ((at_m - (first_m + spacing_m * cell)) + step_m) / spacing_m, beyond = 0;
  if ((cell == 0 && u < 0) || (cell == last && u > 1)) {
    beyond = u < 0 ? u : u - 1;
    u = u < 0 ? 0 : 1;
  }

  double v = 1 - u;
  struct weights x = {
      cell,
      {{v * v * v / 6, (u * u * (3 * u - 6) + 4) / 6, (v * v * (3 * v - 6) + 4) / 6, u * u * u / 6},
       {-0.5 * v * v, u * (1.5 * u - 2), v * (2 - 1.5 * v), 0.5 * u * u},
       {v, 3 * u - 2, 3 * v - 2, u},
       {-1, 3, -3, 1}}};

  for (int k = 0; beyond != 0 && k < 4; k++) {
    x.w[0][k] += beyond * x.w[1][k];
    x.w[2][k] = x.w[3][k] = 0;
  }

  return x;
}

struct patch {
  double height_m; // f = z - H
  double h[4][4];  // h[m][n]: m-th derivative to x, n-th to y, of H; h[0][0] is not filled
};

// The patch at r + dr with all derivatives up to this order. order is a constant where the compiler inlines
// this.
KERNEL_INLINE struct patch patch_at(const struct seabed_surface *surface, vec3 r, vec3 dr, int order) {
  struct weights x = weights_at(surface->north_m, surface->north_nodes, surface->spacing_m, r.x, dr.x);
  struct weights y = weights_at(surface->east_m, surface->east_nodes, surface->spacing_m, r.y, dr.y);
  size_t stride = stride_of(surface);
  const double *corner = surface->coefficient_m + (size_t)x.cell * stride + (size_t)y.cell;
  double base = corner[stride + 1], row[4][4]; // row[n][k]: n-th derivative to y along the k-th row

  for (int k = 0; k < 4; k++) {
    const double *c = corner + (size_t)k * stride;
    double c0 = c[0] - base, c1 = c[1] - base, c2 = c[2] - base, c3 = c[3] - base;
    for (int n = 0; n <= order; n++)
      row[n][k] = y.w[n][0] * c0 + y.w[n][1] * c1 + y.w[n][2] * c2 + y.w[n][3] * c3;
  }

  struct patch p;
  double scale[4] = {1, 1 / surface->spacing_m};
  scale[2] = scale[1] * scale[1], scale[3] = scale[1] * scale[2];

  for (int m = 0; m <= order; m++)
    for (int n = 0; m + n <= order; n++) {
      const double *a = x.w[m], *b = row[n];
      p.h[m][n] = scale[m + n] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
    }
  p.height_m = ((r.z - surface->depth_m - base) + dr.z) - p.h[0][0];

  return p;
}

// c, the cosine of the angle of inclination.
static double cosine(const struct patch *p) {
  return 1 / sqrt(1 + p->h[1][0] * p->h[1][0] + p->h[0][1] * p->h[0][1]);
}

// S p
static vec3 curved(const struct patch *p) {
  return (vec3){p->h[2][0] * p->h[1][0] + p->h[1][1] * p->h[0][1],
                p->h[1][1] * p->h[1][0] + p->h[0][2] * p->h[0][1], 0};
}

// grad kappa
static vec3 gradient(const struct patch *p) {
  double c = cosine(p);
  vec3 upright = {-c * p->h[1][0], -c * p->h[0][1], c};
  return vec3_axpy(-p->height_m * c * c * c, curved(p), upright);
}

// Hess kappa
static mat3 hessian(const struct patch *p) {
  double c = cosine(p), c3 = c * c * c, f = p->height_m;
  vec3 sp = curved(p), f1 = {-p->h[1][0], -p->h[0][1], 1};
  double s[2][2] = {{p->h[2][0], p->h[1][1]}, {p->h[1][1], p->h[0][2]}};
  double tp[2][2] = {
      {p->h[3][0] * p->h[1][0] + p->h[2][1] * p->h[0][1], p->h[2][1] * p->h[1][0] + p->h[1][2] * p->h[0][1]},
      {0, p->h[1][2] * p->h[1][0] + p->h[0][3] * p->h[0][1]}};
  tp[1][0] = tp[0][1];
  const double a[3] = {-c3 * sp.x, -c3 * sp.y, 0}, b[3] = {f1.x, f1.y, f1.z}, q[2] = {sp.x, sp.y};
  mat3 out;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out.m[i][j] = a[i] * b[j] + b[i] * a[j];
      if (i < 2 && j < 2)
        out.m[i][j] += -c * s[i][j] - f * c3 * (s[i][0] * s[0][j] + s[i][1] * s[1][j] + tp[i][j]) +
                       3 * f * c3 * c * c * q[i] * q[j];
    }

  return out;
}

static const vec3 NO_STEP = {0, 0, 0};

double surface_penetration(const struct seabed_surface *surface, double offset, vec3 r, vec3 *normal) {
  if (surface->north_nodes == 0) {
    if (normal)
      *normal = surface->normal_n;
    vec3 touching = {surface->point_n.x, surface->point_n.y,
                     surface->point_n.z - offset / surface->normal_n.z};
    return vec3_dot(surface->normal_n, vec3_sub(r, touching));
  }

  struct patch p = patch_at(surface, r, NO_STEP, 1);
  double c = cosine(&p);
  if (normal)
    *normal = (vec3){-c * p.h[1][0], -c * p.h[0][1], c};

  return p.height_m * c + offset;
}

void surface_slope(const struct seabed_surface *surface, double north_m, double east_m, double slope[2]) {
  vec3 n;
  surface_penetration(surface, 0, (vec3){north_m, east_m, surface->depth_m}, &n);
  slope[0] = 0 - n.x / n.z;
  slope[1] = 0 - n.y / n.z;
}

double surface_level(const struct seabed_surface *surface, double north_m, double east_m) {
  vec3 at = {north_m, east_m, surface->depth_m};
  if (surface->north_nodes > 0)
    return surface->depth_m - patch_at(surface, at, NO_STEP, 0).height_m;
  return surface->depth_m - (surface->normal_n.x * (north_m - surface->point_n.x) +
                             surface->normal_n.y * (east_m - surface->point_n.y)) /
                                surface->normal_n.z;
}

// Position in the grid, in nodes from the south-western one. Returns 0 outside.
static int is_inside(const struct seabed_surface *surface, double north_m, double east_m, double *north,
                     double *east) {
  *north = (north_m - surface->north_m) / surface->spacing_m;
  *east = (east_m - surface->east_m) / surface->spacing_m;
  return *north >= 0 && *north <= surface->north_nodes - 1 && *east >= 0 && *east <= surface->east_nodes - 1;
}

int surface_is_mapped(const struct seabed_surface *surface, double north_m, double east_m) {
  double north, east;
  if (surface->north_nodes == 0)
    return 1;
  if (!is_inside(surface, north_m, east_m, &north, &east))
    return 0;
  if (!surface->is_missing)
    return 1;
  int i = (int)north, j = (int)east;
  i = i > surface->north_nodes - 2 ? surface->north_nodes - 2 : i;
  j = j > surface->east_nodes - 2 ? surface->east_nodes - 2 : j;
  const unsigned char *south = surface->is_missing + (size_t)i * (size_t)surface->east_nodes + j;
  const unsigned char *higher = south + surface->east_nodes;
  return !(south[0] | south[1] | higher[0] | higher[1]);
}

static int is_clear(const struct seabed_surface *surface, double offset, double x, double y, double z) {
  double north, east;
  return z < surface->top_z_m - offset * surface->steepest && is_inside(surface, x, y, &north, &east);
}

int surface_is_clear(const struct seabed_surface *surface, double offset, vec3 r) {
  return surface->north_nodes > 0 && is_clear(surface, offset, r.x, r.y, r.z);
}

struct surface_pass surface_pass_grid(const struct seabed_surface *surface, double offset, double before,
                                      vec3 r, vec3 dr) {
  struct surface_pass pass = {before, before, {0, 0, 1}};
  if (before <= 0 && is_clear(surface, offset, r.x + dr.x, r.y + dr.y, r.z + dr.z))
    return pass;

  if (is_clear(surface, offset, r.x, r.y,
               r.z)) // comes down to the ground within the step: before_m was not evaluated
    before = pass.before_m = surface_penetration(surface, offset, r, NULL);

  struct patch end = patch_at(surface, r, dr, 1);
  pass.after_m = end.height_m * cosine(&end) + offset;
  if (before <= 0 && pass.after_m <= 0)
    return pass;

  struct patch middle = patch_at(surface, r, vec3_scale(0.5, dr), 2);
  pass.gradient = gradient(&middle);
  double square = vec3_dot(dr, dr), least = SHORT_SHARE * surface->spacing_m;
  if (square > least * least)
    pass.gradient =
        vec3_axpy((pass.after_m - before - vec3_dot(pass.gradient, dr)) / square, dr, pass.gradient);

  return pass;
}

void surface_pass_rates(const struct seabed_surface *surface, const struct surface_pass *pass, vec3 r,
                        vec3 dr, vec3 *end, mat3 *rate) {
  *rate = (mat3){{{0}}};
  *end = surface->normal_n;
  if (surface->north_nodes == 0)
    return;

  struct patch last = patch_at(surface, r, dr, 2), middle = patch_at(surface, r, vec3_scale(0.5, dr), 3);
  mat3 curvature = hessian(&middle);
  vec3 slope = gradient(&middle);
  *end = gradient(&last);

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rate->m[i][j] = 0.5 * curvature.m[i][j];

  double square = vec3_dot(dr, dr), least = SHORT_SHARE * surface->spacing_m;
  if (!(square > least * least))
    return;

  double missing = (pass->after_m - pass->before_m - vec3_dot(slope, dr)) / square;
  vec3 change = vec3_axpy(-0.5, mat3_mul(&curvature, dr),
                          vec3_sub(*end, slope)); // derivative of after - before - slope . dr
  change = vec3_axpy(-2 * missing, dr, change);
  const double way[3] = {dr.x, dr.y, dr.z}, d[3] = {change.x, change.y, change.z};

  for (int i = 0; i < 3; i++) {
    rate->m[i][i] += missing;
    for (int j = 0; j < 3; j++)
      rate->m[i][j] += way[i] * d[j] / square;
  }
}
