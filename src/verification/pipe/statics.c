// Statics of the J-lay of Saefstroem's thesis (2009), section 5.4.2, and the catenary.
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>

static const double DEG = 57.29577951308232;

static struct sim *jlay(const struct verify_setup *setup, int elements, double force_n,
                        struct verify_result *r) {
  // As the references have it.
  const char *const sets[] = {"pipe.lower_end.height_m=ground", "pipe.buoyancy=submerged"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 2, sets, &def, r))
    return NULL;
  def.pipe.elements = elements;
  def.statics.horizontal_force_n = force_n;
  return scene_create(&def, r);
}

// Converged: an independent solution, a planar finite-strain beam with one-point quadrature, 6000 equal
// elements, Newton in double precision (tests/reference/jlay_statics.csv); tension, largest moment and
// curvature of the same with 740. The thesis and RIFLEX: its Table 5.4.
static const struct {
  double force_n, angle_deg, layback_m, top_n, moment_nm, curvature_1pm;
  double thesis_angle_deg, thesis_layback_m, riflex_angle_deg, riflex_layback_m;
} JLAY[] = {{200e3, 80.97310, 467.2096, 1309008.6, 4.16168e6, 0.0040155, 80.97, 467.92, 81.0, 477},
            {400e3, 74.30043, 678.0233, 1509025.8, 2.69627e6, 0.0026016, 74.30, 679.76, 74.4, 686},
            {800e3, 64.86806, 996.4586, 1909024.4, 1.51749e6, 0.0014642, 64.87, 996.29, 65.0, 1001}};

// The shape under 400 kN of the same solution with 6000 elements, each 60 m from the lower end: north, height
// above the seabed, inclination (tests/reference/jlay_400kN_shape.csv).
enum { PLACES = 26 };
static const double SHAPE[PLACES][3] = {
    {0.000000, 0.000000, 0.00000000},     {60.000658, 0.291661, 0.00087173},
    {120.002197, 0.286215, -0.00009846},  {180.003739, 0.287293, 0.00007438},
    {240.005269, 0.263018, -0.00150236},  {300.004778, 0.500314, 0.02374373},
    {359.785386, 5.193386, 0.14368142},   {418.288851, 18.248438, 0.29704100},
    {474.096105, 40.131123, 0.44852431},  {526.178492, 69.830498, 0.58494976},
    {574.088361, 105.896283, 0.70239287}, {617.838747, 146.923476, 0.80123446},
    {657.710575, 191.739548, 0.88368330}, {694.097472, 239.435291, 0.95244224},
    {727.411790, 289.330143, 1.01006535}, {758.038694, 340.921300, 1.05872099},
    {786.319029, 393.837292, 1.10015914}, {812.546658, 447.801690, 1.13576062},
    {836.972019, 502.606547, 1.16660696}, {859.807723, 558.093486, 1.19354615},
    {881.234353, 614.140344, 1.21724646}, {901.405732, 670.651712, 1.23823800},
    {920.453535, 727.552152, 1.25694045}, {938.492004, 784.781045, 1.27365088},
    {955.629730, 842.286552, 1.28822507}, {972.055779, 900.000000, 1.29678721}};

static void draw_shape(struct verify_result *r, struct verify_plot *shape, struct verify_plot *bend) {
  struct verify_series *line = verify_series(r, shape, VERIFY_POINTS, "400 kN, independent code");
  struct verify_series *kappa =
      verify_series(r, bend, VERIFY_POINTS, "400 kN, independent code, means of 60 m");
  for (int i = 0; i < PLACES; i++) {
    verify_point(r, line, SHAPE[i][0], 900 - SHAPE[i][1]);
    if (i > 0)
      verify_point(r, kappa, 60 * i - 30, fabs(SHAPE[i][2] - SHAPE[i - 1][2]) / 60);
  }
}

// A hang-off ahead of the vessel's centre and beside it: what holds her is the horizontal force and the yaw
// moment of the pipe's force at its lever; the rest the water carries.
static void hold_askew(const struct verify_setup *setup, struct verify_result *r) {
  const char *const sets[] = {"pipe.elements=100", "vessel.hangoff_b_m=[-25, 6, 3]",
                              "pipe.lower_end.azimuth_deg=30"};
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 3, sets, &def, r))
    return;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct sim_output o;
  sim_get_output(s, &o);
  mat3 q = quat_matrix(s->state.vessel.q_nb);
  vec3 force = mat3_mul(&q, vec3_of(s->statics.initial_holding_force_b)),
       moment = mat3_mul(&q, vec3_of(s->statics.initial_holding_force_b + 3));
  double north = def.statics.horizontal_force_n * cos(30 / DEG),
         east = def.statics.horizontal_force_n * sin(30 / DEG);
  vec3 arm = mat3_mul(&q, (vec3){-25, 6, 3});
  const double found[5] = {force.x, force.y, force.z, moment.x, moment.y}, want[5] = {north, east, 0, 0, 0};
  double worst = 0;
  for (int c = 0; c < 5; c++)
    worst = fmax(worst, fabs(found[c] - want[c]));
  verify_add(r, VERIFY_ABSOLUTE, "N", worst, 0, 1,
             "oblique hang-off: error of the holding force and of its moments about level axes");
  verify_add(r, VERIFY_RELATIVE, "N m", moment.z, arm.x * east - arm.y * north, 1e-8,
             "oblique hang-off: holding yaw moment");
  scene_free(s);
}

void verify_statics_jlay(const struct verify_setup *setup, struct verify_result *r) {
  enum { ELEMENTS = 740 };
  verify_run_with(r, "%d equal elements of %.3f m", ELEMENTS, 1500.0 / ELEMENTS);
  struct verify_plot *shape = verify_plot(r, "Static shapes (Figure 5.6)", "north, m", "depth, m");
  struct verify_plot *bend =
      verify_plot(r, "Curvature along the pipe (Figure 5.7)", "arc length S, m", "curvature, 1/m");
  if (shape)
    shape->flip_y = 1;
  for (int k = 0; k < 3; k++) {
    struct sim *s = jlay(setup, ELEMENTS, JLAY[k].force_n, r);
    if (!s)
      return;
    struct sim_output o;
    double h = JLAY[k].force_n / 1e3, angle;
    sim_get_output(s, &o);
    angle = o.hangoff_angle_rad * DEG;
    verify_add(r, VERIFY_ABSOLUTE, "deg", angle, JLAY[k].angle_deg, 0.005, "hang-off angle, H = %g kN", h);
    verify_add(r, VERIFY_ABSOLUTE, "m", o.layback_m, JLAY[k].layback_m, 0.2, "lay-back, H = %g kN", h);
    verify_add(r, VERIFY_RELATIVE, "N", sim_element_forces(s, ELEMENTS - 1).effective_tension_n,
               JLAY[k].top_n, 1e-5, "tension in the middle of the top element, H = %g kN", h);
    verify_add(r, VERIFY_RELATIVE, "N m", o.max_moment_nm, JLAY[k].moment_nm, 1e-4,
               "largest bending moment, H = %g kN", h);
    verify_add(r, VERIFY_RELATIVE, "1/m", o.max_curvature_1pm, JLAY[k].curvature_1pm, 1e-4,
               "largest curvature, H = %g kN", h);
    verify_add(r, VERIFY_ABSOLUTE, "deg", angle, JLAY[k].thesis_angle_deg, 0.006,
               "hang-off angle, thesis, H = %g kN", h);
    verify_show(r, "deg", angle, JLAY[k].riflex_angle_deg, "hang-off angle, RIFLEX, H = %g kN", h);
    verify_show(r, "m", o.layback_m, JLAY[k].thesis_layback_m, "lay-back, thesis, H = %g kN", h);
    verify_show(r, "m", o.layback_m, JLAY[k].riflex_layback_m, "lay-back, RIFLEX, H = %g kN", h);
    verify_add(r, VERIFY_ABSOLUTE, "m", o.position_n_m[2], 0, 1e-6,
               "the vessel under ballast and pipe, heave, H = %g kN", h);
    struct verify_series *line = verify_series(r, shape, VERIFY_LINE, "H = %g kN", h);
    struct verify_series *kappa = verify_series(r, bend, VERIFY_LINE, "H = %g kN", h);
    for (int i = 0; i <= ELEMENTS; i += 4)
      verify_point(r, line, s->state.pipe.r_n[0][i], s->state.pipe.r_n[2][i]);
    for (int e = 0; e < ELEMENTS; e += 2)
      verify_point(r, kappa, (e + 0.5) * 1500 / ELEMENTS, scene_curvature(s, e));
    scene_free(s);
  }
  hold_askew(setup, r);
  draw_shape(r, shape, bend);
}

// The elastic catenary from a seabed at depth h under the top, w per unstretched length: tan of the
// inclination is w s/H at the suspended unstretched length s, h = (H/w)(sqrt(1 + (w s/H)^2) - 1) + w s^2/(2
// EA), x = (H/w) asinh(w s/H) + H s/EA.
static void catenary(double force_n, double weight_npm, double ea_n, double height_m, double *angle_deg,
                     double *layback_m, double *inextensible_deg) {
  double low = 0, high = 1e5, a = force_n / weight_npm;
  for (int k = 0; k < 200; k++) {
    double s = 0.5 * (low + high);
    double lift = a * (hypot(1, s / a) - 1) + weight_npm * s * s / (2 * ea_n);
    *(lift < height_m ? &low : &high) = s;
  }
  *angle_deg = atan2(low, a) * DEG;
  *layback_m = a * asinh(low / a) + force_n * low / ea_n;
  *inextensible_deg = acos(force_n / (force_n + weight_npm * height_m)) * DEG;
}

// Bending that the mesh adds, T l^2/12, turns the top by a share of l: the angle converges with order 1.
static struct sim *string(const struct verify_setup *setup, int elements, double force_n, struct sim_def *def,
                          struct verify_result *r) {
  if (!scene_load(setup, "jlay-circle", 0, NULL, def, r))
    return NULL;
  def->pipe.elements = elements;
  def->pipe.hangoff = HANGOFF_PINNED;
  def->pipe.line.bending_stiffness_nm2[0] = def->pipe.line.bending_stiffness_nm2[1] = 1e4;
  def->statics.horizontal_force_n = force_n;
  return scene_create(def, r);
}

static void draw_from_top(struct verify_result *r, struct verify_series *line, const struct sim *s) {
  int n = s->state.mesh.pipe.elements;
  for (int i = 0; i <= n; i += 4)
    verify_point(r, line, s->state.pipe.r_n[0][i] - s->state.pipe.r_n[0][n], s->state.pipe.r_n[2][i]);
}

void verify_statics_catenary(const struct verify_setup *setup, struct verify_result *r) {
  static const double thesis_deg[] = {81.22, 74.64, 65.24}, thesis_m[] = {415.25, 649.41, 982.24};
  static const double thesis_pipe_m[] = {412.25, 645.10, 975.51};
  enum { ELEMENTS = 740 };
  verify_run_with(
      r,
      "%d equal elements, EI = 1e4 N m2 (a hundred-thousandth of the pipe's), seabed 3e6 Pa/m under the axis",
      ELEMENTS);
  struct verify_plot *shape =
      verify_plot(r, "Without bending stiffness, and the catenary (Figure 5.4)", "north, m", "depth, m");
  struct verify_plot *both =
      verify_plot(r, "With and without bending stiffness (Figure 5.5)", "north of the top, m", "depth, m");
  if (shape && both)
    shape->flip_y = both->flip_y = 1;
  for (int k = 0; k < 3; k++) {
    struct sim_def def;
    double angle_deg, layback_m, inextensible_deg;
    struct sim *finer = string(setup, 2 * ELEMENTS, JLAY[k].force_n, &def, r);
    struct sim *s = string(setup, ELEMENTS, JLAY[k].force_n, &def, r);
    if (!s || !finer) {
      scene_free(s), scene_free(finer);
      return;
    }
    struct sim_output o, o_finer;
    const struct pipe_def *p = &def.pipe;
    sim_get_output(s, &o), sim_get_output(finer, &o_finer);
    scene_free(finer);
    double area = 0.25 * TRIG_PI * p->line.outer_diameter_m * p->line.outer_diameter_m;
    double weight = (p->line.mass_kgpm - def.env.water_density_kgpm3 * area) * def.env.gravity_mps2,
           h = JLAY[k].force_n / 1e3;
    catenary(JLAY[k].force_n, weight, p->line.axial_stiffness_n, def.env.depth_m, &angle_deg, &layback_m,
             &inextensible_deg);
    double angle = o.hangoff_angle_rad * DEG, limit = 2 * o_finer.hangoff_angle_rad * DEG - angle;
    verify_add(r, VERIFY_ABSOLUTE, "deg", angle, angle_deg, 0.01,
               "hang-off angle, elastic catenary, H = %g kN", h);
    verify_add(r, VERIFY_ABSOLUTE, "deg", limit, angle_deg, 0.001,
               "the same, extrapolated from 740 and 1480 elements, H = %g kN", h);
    verify_add(r, VERIFY_ABSOLUTE, "m", o.layback_m, layback_m, 1.0, "lay-back, elastic catenary, H = %g kN",
               h);
    verify_add(r, VERIFY_ABSOLUTE, "deg", angle, inextensible_deg, 0.02,
               "hang-off angle, inextensible catenary, H = %g kN", h);
    verify_add(r, VERIFY_ABSOLUTE, "deg", angle, thesis_deg[k], 0.02, "hang-off angle, thesis, H = %g kN", h);
    verify_show(r, "m", o.layback_m, thesis_m[k], "lay-back, thesis' catenary, H = %g kN", h);
    verify_show(r, "m", o.layback_m, thesis_pipe_m[k], "lay-back, thesis' pipe on (5.38), H = %g kN", h);
    struct verify_series *line = verify_series(r, shape, VERIFY_LINE, "H = %g kN", h);
    struct verify_series *closed = verify_series(r, shape, VERIFY_POINTS, "catenary, %g kN", h);
    for (int i = 0; i <= ELEMENTS; i += 4)
      verify_point(r, line, s->state.pipe.r_n[0][i], s->state.pipe.r_n[2][i]);
    double top = s->state.pipe.r_n[0][ELEMENTS], a = JLAY[k].force_n / weight;
    for (int i = 0; i <= 10; i++)
      verify_point(r, closed, top - layback_m * (1 - 0.1 * i),
                   def.env.depth_m - a * (cosh(0.1 * i * layback_m / a) - 1));
    draw_from_top(r, verify_series(r, both, VERIFY_DASHED, "without, H = %g kN", h), s);
    scene_free(s);
    struct sim *stiff = jlay(setup, ELEMENTS, JLAY[k].force_n, r);
    if (!stiff)
      return;
    draw_from_top(r, verify_series(r, both, VERIFY_LINE, "with, H = %g kN", h), stiff);
    scene_free(stiff);
  }
}

// Mean distance of position and inclination to the other code's shape, over the pipe's length: (5.109) at 26
// places.
static double distance(const struct sim *s) {
  int n = s->state.mesh.pipe.elements;
  double sum = 0;
  for (int i = 0; i < PLACES; i++) {
    vec3 at = pipe_get3(s->state.pipe.r_n, i * n / (PLACES - 1)),
         axis = pipe_axis(&s->state.pipe, i * n / (PLACES - 1));
    double north = at.x - SHAPE[i][0], down = at.z - (s->def->env.depth_m - SHAPE[i][1]);
    double turn = atan2(-axis.z, axis.x) - SHAPE[i][2];
    sum += sqrt(north * north + down * down + turn * turn) / PLACES;
  }
  return sum / s->def->pipe.length_m;
}

void verify_statics_order(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 7, MESHES = 4 };
  static const int meshes[MESHES] = {50, 100, 400, 800};
  static const double limit[MESHES] = {7e-5, 2e-5, 4e-7, 1e-7};
  double width[LEVELS], error[LEVELS];
  verify_run_with(
      r, "H = 400 kN; 50 to 800 equal elements against the other code; 8 to 512 against 2048 for the order");
  struct sim *fine = jlay(setup, 2048, 400e3, r);
  for (int k = 0; fine && k < LEVELS; k++) {
    struct sim *s = jlay(setup, 8 << k, 400e3, r);
    if (!s)
      break;
    width[k] = 1.0 / (8 << k);
    error[k] = scene_distance(s, fine) / s->def->pipe.length_m;
    scene_free(s);
  }
  scene_free(fine);
  if (*r->failure)
    return;
  verify_order(r, "Convergence of the statics (Figure 5.3)", "element length over pipe length",
               "the statics, norm (5.109), against the simulator's own fine solution", width, error, LEVELS,
               2, 0.12);
  struct verify_series *other =
      verify_series(r, &r->plots[0], VERIFY_POINTS, "against the independent code, 26 sections");
  for (int k = 0; k < MESHES; k++) {
    struct sim *s = jlay(setup, meshes[k], 400e3, r);
    if (!s)
      return;
    verify_point(r, other, 1.0 / meshes[k], distance(s));
    verify_add(r, VERIFY_ABSOLUTE, "", distance(s), 0, limit[k],
               "error (5.109) against the independent code, %d elements", meshes[k]);
    scene_free(s);
  }
}
