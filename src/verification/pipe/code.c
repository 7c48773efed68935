// The code check: the collapse pressure and the moment that the code allows, against published examples.
#include "verification/harness/harness.h"

#include "sagbend/steel/steel.h"

#include <math.h>

static const double G_MPS2 = 9.81;

static int prepare(const struct check_steel *steel, const struct check_factors *factors,
                   struct check_capacity *c, struct verify_result *r) {
  struct reason why;
  if (check_prepare(steel, factors, 0, c, &why) == STATUS_OK)
    return 1;
  verify_fail(r, "%s", why.text);
  return 0;
}

// Root of the cubic by bisection, which shares nothing with check_collapse_pressure.
static double bisected(double elastic, double plastic, double ovality, double d_over_t) {
  double low = 0, high = fmin(elastic, plastic);
  for (int i = 0; i < 200; i++) {
    double p = 0.5 * (low + high);
    if ((p - elastic) * (p * p - plastic * plastic) > p * elastic * plastic * ovality * d_over_t)
      low = p;
    else
      high = p;
  }
  return 0.5 * (low + high);
}

static void draw_collapse(const struct check_steel *example, struct verify_result *r) {
  const struct check_factors factors = check_factors_of(SAFETY_MEDIUM, 1);
  struct verify_plot *plot =
      verify_plot(r, "Collapse pressure of X65 pipe, ovality 0.5 %", "D/t", "pressure, MPa");
  struct verify_series *elastic = verify_series(r, plot, VERIFY_DASHED, "elastic");
  struct verify_series *plastic = verify_series(r, plot, VERIFY_DASHED, "plastic");
  struct verify_series *collapse = verify_series(r, plot, VERIFY_LINE, "collapse");
  struct verify_series *other = verify_series(r, plot, VERIFY_POINTS, "cubic by bisection");
  double worst = 0;

  for (int i = 0; i <= 30; i++) {
    struct check_steel steel = *example;
    struct check_capacity c;
    double ratio = 15 + i;
    steel.wall_m = steel.diameter_m / ratio;
    steel.wall_tolerance_m = 0;
    if (!prepare(&steel, &factors, &c, r))
      return;
    double root = bisected(c.elastic_pa, c.plastic_pa, steel.ovality, ratio);
    worst = fmax(worst, fabs(c.collapse_pa / root - 1));
    verify_point(r, elastic, ratio, fmin(c.elastic_pa, 1e8) / 1e6);
    verify_point(r, plastic, ratio, c.plastic_pa / 1e6);
    verify_point(r, collapse, ratio, c.collapse_pa / 1e6);
    verify_point(r, other, ratio, root / 1e6);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 1e-12,
             "largest relative difference from bisection, D/t 15 to 45");
}

void verify_code_collapse(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  const struct check_steel steel = {.diameter_m = 0.660,
                                    .wall_m = 0.0207,
                                    .wall_tolerance_m = 0.001,
                                    .yield_pa = 450e6,
                                    .tensile_pa = 535e6,
                                    .yield_derating_pa = 6e6,
                                    .tensile_derating_pa = 6e6,
                                    .material_factor = 1,
                                    .fabrication_factor = 0.85,
                                    .ovality = 0.005,
                                    .young_pa = 207e9,
                                    .poisson = 0.3,
                                    .yield_ratio = 0.93};
  const struct check_factors factors = check_factors_of(SAFETY_MEDIUM, 1);
  struct check_capacity c;
  struct utilisation used;
  verify_run_with(
      r, "660 x 20.7 mm, t1 19.7 mm, SMYS 450 MPa less 6 MPa, UOE pipe, ovality 0.5 %%, medium safety class; "
         "the cubic at D/t from 15 to 45 without tolerance");
  if (!prepare(&steel, &factors, &c, r))
    return;
  verify_add(r, VERIFY_RELATIVE, "Pa", c.elastic_pa, 12098341, 1e-6, "elastic collapse pressure");
  verify_add(r, VERIFY_RELATIVE, "Pa", c.plastic_pa, 22529636, 1e-6, "plastic collapse pressure");
  verify_add(r, VERIFY_RELATIVE, "Pa", c.collapse_pa, 10831164, 1e-6, "collapse pressure");

  const struct check_load load = {.external_pa = 1027 * G_MPS2 * 410};
  check_section_loads(&c, &load, &used);
  verify_add(r, VERIFY_ABSOLUTE, "", used.value[CHECK_COLLAPSE], 0.500, 5e-4, "utilisation at 410 m");
  draw_collapse(&steel, r);
}

// Utilisation by a static moment without tension and pressure.
static double used_by(const struct check_capacity *c, double moment_nm) {
  struct check_load load = {.functional = {.bending_nm = {moment_nm, 0}}};
  struct utilisation used;
  load.total = load.functional;
  check_section_loads(c, &load, &used);
  return used.value[CHECK_LOAD_CONTROLLED];
}

void verify_code_moment(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  const struct check_steel steel = {.diameter_m = 0.4064,
                                    .wall_m = 0.021,
                                    .yield_pa = 450e6,
                                    .tensile_pa = 535e6,
                                    .material_factor = 1,
                                    .fabrication_factor = 1,
                                    .ovality = 0.005,
                                    .young_pa = 207e9,
                                    .poisson = 0.3,
                                    .yield_ratio = 0.93};
  struct check_factors factors = check_factors_of(SAFETY_MEDIUM, 0.80);
  factors.local_buckling = 1; // overbend
  struct check_capacity c;
  verify_run_with(
      r, "406.4 x 21 mm, SMYS 450 MPa, medium safety class, a static moment without tension and pressure, "
         "gamma_C 0.80 and gamma_SC,LB 1 as on a stinger");
  if (!prepare(&steel, &factors, &c, r))
    return;
  verify_add(r, VERIFY_ABSOLUTE, "", c.flow, 1.0853, 5e-5, "flow stress parameter");
  verify_add(r, VERIFY_RELATIVE, "N m", c.moment_nm, 1403.6e3, 5e-5, "plastic moment");

  double low = 0, high = 2 * c.moment_nm;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    if (used_by(&c, middle) < 1)
      low = middle;
    else
      high = middle;
  }
  verify_add(r, VERIFY_RELATIVE, "N m", low, 1379.9e3, 1e-4, "moment that the code allows on the stinger");

  struct verify_plot *plot =
      verify_plot(r, "Utilisation of 406.4 x 21 mm by a moment", "moment, kN m", "utilisation");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "load-controlled");
  struct verify_series *point = verify_series(r, plot, VERIFY_POINTS, "published");
  for (int i = 0; i <= 40; i++)
    verify_point(r, line, 40 * i, used_by(&c, 40e3 * i));
  verify_point(r, point, 1379.9, 1);
}

// ---- Propagation of a buckle, pressure containment ----

// tests/reference/code_check.py
static const struct {
  const char *name;
  double diameter_m, wall_m, tolerance_m, yield_pa, tensile_pa, fabrication;
  enum safety_class class;
  double depth_m, water_npm3, inside_pa;
  double propagation_pa, propagation, runs_m, arrestor_mm, containment_pa, containment;
} ROWS[] = {
    {"660 x 20.7 mm, 410 m (published)", 0.660, 0.0207, 0.001, 444e6, 529e6, 0.85, SAFETY_MEDIUM, 410,
     1027 * 9.81, 26480932.5, 2301102.5038, 2.353369032808, 174.21832032, 30.28331666, 31547507.9466,
     1.098520885435},
    {"508 mm, D/t 30, 350 m", 0.508, 0.508 / 30, 0.001, 432e6, 513.6e6, 0.85, SAFETY_LOW, 350, 1025 * 9.80665,
     15e6, 2607159.3737, 1.613898377159, 216.86619489, 21.30345316, 32304707.0008, 0.558540896209},
    {"114.3 x 7.62 mm, 2000 m", 0.1143, 0.00762, 0.0005, 345.6e6, 441.6e6, 1, SAFETY_HIGH, 2000,
     1025 * 9.80665, 30e6, 13880772.3128, 2.098598178548, 953.01712374, 0, 53019953.0355, 0.851113541533},
    {"1219.2 x 27.1 mm, 90 m", 1.2192, 0.0271, 0.001, 465.6e6, 547.2e6, 0.85, SAFETY_MEDIUM, 90,
     1030 * 9.80665, 10e6, 1020318.5534, 1.168065824673, 77.05045221, 29.97754262, 23522094.8696,
     0.556370513449},
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

static int prepare_row(int i, struct check_capacity *c, struct utilisation *used, struct verify_result *r) {
  const struct check_steel steel = {.diameter_m = ROWS[i].diameter_m,
                                    .wall_m = ROWS[i].wall_m,
                                    .wall_tolerance_m = ROWS[i].tolerance_m,
                                    .yield_pa = ROWS[i].yield_pa,
                                    .tensile_pa = ROWS[i].tensile_pa,
                                    .material_factor = 1,
                                    .fabrication_factor = ROWS[i].fabrication,
                                    .ovality = 0.005,
                                    .young_pa = 207e9,
                                    .poisson = 0.3,
                                    .yield_ratio = 0.93};
  const struct check_factors factors = check_factors_of(ROWS[i].class, 1);
  struct utilisation inner;
  if (!prepare(&steel, &factors, c, r))
    return 0;
  check_section_loads(c, &(struct check_load){.external_pa = ROWS[i].water_npm3 * ROWS[i].depth_m}, used);
  check_section_loads(c, &(struct check_load){.internal_pa = ROWS[i].inside_pa}, &inner);
  used->value[CHECK_BURST] = inner.value[CHECK_BURST];
  return 1;
}

void verify_code_propagation(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  struct check_capacity c;
  struct utilisation used;
  verify_run_with(r, "four pipes from 4 to 48 inches, D/t 15 to 45, at their depths");
  for (int i = 0; i < ROW_COUNT && prepare_row(i, &c, &used, r); i++) {
    verify_add(r, VERIFY_RELATIVE, "Pa", c.propagation_pa, ROWS[i].propagation_pa, 1e-10,
               "%s: propagation pressure", ROWS[i].name);
    verify_add(r, VERIFY_RELATIVE, "", used.value[CHECK_PROPAGATION], ROWS[i].propagation, 1e-11,
               "the same: utilisation");
    verify_add(r, VERIFY_RELATIVE, "m", 1 / c.use.propagation / ROWS[i].water_npm3, ROWS[i].runs_m, 1e-9,
               "the same: depth from which on a buckle runs");
    if (ROWS[i].arrestor_mm > 0)
      verify_add(r, VERIFY_RELATIVE, "mm",
                 1e3 * check_arrestor_wall_m(&c, ROWS[i].water_npm3 * ROWS[i].depth_m, 12.2),
                 ROWS[i].arrestor_mm, 1e-8, "the same: wall of a joint that stops it");
  }
}

void verify_code_burst(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  struct check_capacity c;
  struct utilisation used;
  verify_run_with(r, "four pipes from 4 to 48 inches, D/t 15 to 45, under internal pressure");
  for (int i = 0; i < ROW_COUNT && prepare_row(i, &c, &used, r); i++) {
    verify_add(r, VERIFY_RELATIVE, "Pa", c.containment_pa, ROWS[i].containment_pa, 1e-10,
               "%s: bursting pressure of the least wall", ROWS[i].name);
    verify_add(r, VERIFY_RELATIVE, "", used.value[CHECK_BURST], ROWS[i].containment, 1e-11,
               "the same: utilisation of pressure containment");
  }
}

// ---- Moment, tension and pressure together ----

// tests/reference/code_check.py, COMBINED. Bending about both axes of the section, tension.
static const struct {
  const char *name;
  double diameter_m, wall_m, yield_pa, tensile_pa, fabrication;
  enum safety_class class;
  double external_pa, internal_pa, functional[3], environmental[3], condition, utilisation;
} COMBINED[] = {
    {"609.6 x 25.4 mm, sagbend in 900 m",
     0.6096,
     0.0254,
     450e6,
     535e6,
     0.85,
     SAFETY_LOW,
     9.05e6,
     0,
     {0, -780e3, 900e3},
     {90e3, -310e3, 250e3},
     1,
     0.32218971772022},
    {"406.4 x 21 mm, sagbend in 2100 m",
     0.4064,
     0.021,
     450e6,
     535e6,
     0.85,
     SAFETY_MEDIUM,
     21.1e6,
     0,
     {110e3, 240e3, 450e3},
     {-30e3, 85e3, 300e3},
     1,
     0.72570273076558},
    {"323.9 x 12.7 mm, compressed, 15 MPa within",
     0.3239,
     0.0127,
     415e6,
     520e6,
     1,
     SAFETY_MEDIUM,
     3e6,
     18e6,
     {0, 170e3, -400e3},
     {9e3, 5e3, -20e3},
     1,
     0.29567747551253},
    {"323.9 x 12.7 mm, 29 MPa within, gamma_C 1.07",
     0.3239,
     0.0127,
     415e6,
     520e6,
     1,
     SAFETY_MEDIUM,
     3e6,
     32e6,
     {0, 130e3, 350e3},
     {45e3, 20e3, 120e3},
     1.07,
     0.43563255899126},
    {"168.3 x 9.5 mm, motion against the static bend",
     0.1683,
     0.0095,
     360e6,
     460e6,
     1,
     SAFETY_HIGH,
     4e6,
     0,
     {14e3, 0, 60e3},
     {-47e3, 6e3, 35e3},
     1,
     0.56245678528133},
};

void verify_code_combined(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  struct check_capacity c;
  verify_run_with(r, "four pipes from 6 to 24 inches, D/t 17 to 26, three safety classes");
  for (size_t i = 0; i < sizeof COMBINED / sizeof *COMBINED; i++) {
    const struct check_steel steel = {.diameter_m = COMBINED[i].diameter_m,
                                      .wall_m = COMBINED[i].wall_m,
                                      .yield_pa = COMBINED[i].yield_pa,
                                      .tensile_pa = COMBINED[i].tensile_pa,
                                      .material_factor = 1,
                                      .fabrication_factor = COMBINED[i].fabrication,
                                      .ovality = 0.005,
                                      .young_pa = 207e9,
                                      .poisson = 0.3,
                                      .yield_ratio = 0.93};
    const struct check_factors factors = check_factors_of(COMBINED[i].class, COMBINED[i].condition);
    const double *f = COMBINED[i].functional, *e = COMBINED[i].environmental;
    const struct check_load load = {
        .functional = {.tension_n = f[2], .bending_nm = {f[0], f[1]}},
        .total = {.tension_n = f[2] + e[2], .bending_nm = {f[0] + e[0], f[1] + e[1]}},
        .external_pa = COMBINED[i].external_pa,
        .internal_pa = COMBINED[i].internal_pa};
    struct utilisation used;
    if (!prepare(&steel, &factors, &c, r))
      return;
    check_section_loads(&c, &load, &used);
    verify_add(r, VERIFY_RELATIVE, "", used.value[CHECK_LOAD_CONTROLLED], COMBINED[i].utilisation, 1e-12,
               "%s: utilisation, load-controlled", COMBINED[i].name);
  }
}
