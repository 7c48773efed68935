// Code check of a section: capacities against published examples and independent solutions, limits of
// validity, monotony, ends.
#include "sagbend/steel/steel.h"

#include "suite.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// D 660 mm, t1 = 21.2 - 0.5 - 1.0 mm, SMYS 450 MPa less 6 MPa at 60 degrees: the collapse example of the
// notebook of qwilka/PDover2t after DNVGL-ST-F101 (2017).
static const struct check_steel EXAMPLE = {.diameter_m = 0.660,
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

// 406.4 x 21 mm, 450/535 MPa.
static struct check_steel sixteen_inch(void) {
  struct check_steel s = EXAMPLE;
  s.diameter_m = 0.4064;
  s.wall_m = 0.021;
  s.yield_derating_pa = s.tensile_derating_pa = 0;
  s.grade = GRADE_X65;
  return s;
}

static struct check_capacity capacity_of(struct check_steel steel, struct check_factors factors) {
  struct check_capacity c;
  struct reason why = {""};
  ck_assert_msg(check_prepare(&steel, &factors, 0, &c, &why) == STATUS_OK, "%s", why.text);
  return c;
}

static struct check_capacity sixteen(void) {
  return capacity_of(sixteen_inch(), check_factors_of(SAFETY_MEDIUM, 1));
}

// Static loads, elastic with E.
static struct check_load load_of(const struct check_capacity *c, double tension_n, double moment_nm,
                                 double external_pa) {
  struct check_load load = {.external_pa = external_pa};
  load.total =
      (struct check_section){.tension_n = tension_n,
                             .bending_nm = {0.6 * moment_nm, -0.8 * moment_nm},
                             .axial_strain = tension_n / (c->steel.young_pa * c->area_m2),
                             .bending_strain = {0.6 * moment_nm / (c->steel.young_pa * c->modulus_m3),
                                                -0.8 * moment_nm / (c->steel.young_pa * c->modulus_m3)}};
  load.functional = load.total;
  return load;
}

static double used(const struct check_capacity *c, struct check_load load, enum code_check check) {
  struct utilisation u;
  check_section_loads(c, &load, &u);
  ck_assert_int_eq(u.limits[check], 0);
  return u.value[check];
}

static uint32_t limits(const struct check_capacity *c, struct check_load load, enum code_check check) {
  struct utilisation u;
  check_section_loads(c, &load, &u);
  ck_assert(isnan(u.value[check]) == (u.limits[check] != 0));
  return u.limits[check];
}

START_TEST(collapse_of_the_published_example) {
  struct check_capacity c = capacity_of(EXAMPLE, check_factors_of(SAFETY_MEDIUM, 1));
  ck_assert_double_eq_tol(c.elastic_pa, 12098341, 1);
  ck_assert_double_eq_tol(c.plastic_pa, 22529636, 1);
  ck_assert_double_eq_tol(c.collapse_pa, 10831164, 1e-6 * 10831164);
  ck_assert(c.local_collapse_pa > c.collapse_pa);
  double at_410_m = 1027 * 9.81 * 410;
  ck_assert_double_eq_tol(used(&c, load_of(&c, 0, 0, at_410_m), CHECK_COLLAPSE), 0.500, 5e-4);
}
END_TEST

// The root by two other ways: the closed solution that the standard quotes, and bisection.
START_TEST(collapse_solves_the_cubic) {
  for (double d_over_t = 10; d_over_t < 80; d_over_t *= 1.17)
    for (double ovality = 0.005; ovality < 0.06; ovality *= 2.1) {
      double x = 1 / d_over_t, pel = 2 * 207e9 * x * x * x / 0.91, pp = 2 * 450e6 * 0.85 * x,
             k = pel * pp * ovality * d_over_t, p = check_collapse_pressure(pel, pp, ovality, d_over_t);
      double b = -pel, c = -(pp * pp + k), d = pel * pp * pp, u = (c - b * b / 3) / 3,
             v = (2 * b * b * b / 27 - b * c / 3 + d) / 2, phi = acos(-v / sqrt(-u * u * u)),
             closed = -2 * sqrt(-u) * cos(phi / 3 + acos(-1) / 3) - b / 3;
      ck_assert_double_eq_tol(p, closed, 1e-9 * closed);

      double low = 0, high = fmin(pel, pp);
      for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if ((middle - pel) * (middle * middle - pp * pp) > middle * k)
          low = middle;
        else
          high = middle;
      }
      ck_assert_double_eq_tol(p, low, 1e-12 * low);
    }
}
END_TEST

// sreekx007/Slay-Overbend-analysis-program: 1379.9 kN m on the stinger, without tension.
START_TEST(moment_of_the_published_example) {
  struct check_factors factors = check_factors_of(SAFETY_MEDIUM, 0.80);
  factors.local_buckling = 1; // overbend
  struct check_capacity c = capacity_of(sixteen_inch(), factors);
  ck_assert_double_eq_tol(c.flow, 1.0853, 5e-5);
  ck_assert_double_eq_tol(c.moment_nm, 1403.6e3, 50);

  double low = 0, high = 5e6;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    if (used(&c, load_of(&c, 0, middle, 0), CHECK_LOAD_CONTROLLED) < 1)
      low = middle;
    else
      high = middle;
  }
  ck_assert_double_eq_tol(low, 1379.9e3, 1e-4 * 1379.9e3);
}
END_TEST

// The numbers of a program that follows DNV-OS-F101 (2007), equations 5.19 to 5.30, evaluated by hand.
START_TEST(formulas_by_hand) {
  struct check_capacity c = sixteen();
  double fy = 450e6, fu = 535e6, d = 0.4064, t = 0.021, beta = (60 - d / t) / 90,
         ac = 1 - beta + beta * fu / fy, g = 1.15 * 1.14, mp = fy * (d - t) * (d - t) * t,
         sp = fy * acos(-1) * (d - t) * t, pc = c.local_collapse_pa, pe = 5e6, s = 800e3, m = 500e3;
  double expected = g * 1.2 * m / (ac * mp) + pow(g * 1.2 * s / (ac * sp), 2);
  expected = expected * expected + pow(g * pe / pc, 2);
  ck_assert_double_eq_tol(used(&c, load_of(&c, s, m, pe), CHECK_LOAD_CONTROLLED), expected, 1e-12);

  double strain = 1.2 * (s / (207e9 * c.area_m2) + m / (207e9 * c.modulus_m3)),
         allowed = 0.78 * (t / d - 0.01) * pow(0.93, -1.5);
  expected = pow(strain * 2.5 / allowed, 0.8) + g * pe / pc;
  ck_assert_double_eq_tol(used(&c, load_of(&c, s, m, pe), CHECK_DISPLACEMENT_CONTROLLED), expected, 1e-12);

  ck_assert_double_eq_tol(used(&c, load_of(&c, s, m, pe), CHECK_STRAIN), strain / 1.2 / 0.0025, 1e-12);

  double inner = d - 2 * t, pi = acos(-1);
  ck_assert_double_eq_tol(c.area_m2, pi / 4 * (d * d - inner * inner), 1e-15);
  ck_assert_double_eq_tol(c.modulus_m3, pi / 32 * (pow(d, 4) - pow(inner, 4)) / d, 1e-15);
  double hoop = -pe * (d - t) / (2 * t), a = c.area_m2, along = (s - pe * c.outer_m2) / a,
         tight = along + m / c.modulus_m3, slack = along - m / c.modulus_m3,
         stress = sqrt(
             fmax(tight * tight + hoop * hoop - tight * hoop, slack * slack + hoop * hoop - slack * hoop));
  ck_assert_double_eq_tol(used(&c, load_of(&c, s, m, pe), CHECK_STRESS), stress / (0.87 * fy), 1e-12);
  ck_assert_double_eq_tol(used(&c, load_of(&c, s, m, pe), CHECK_YIELD), stress / fy, 1e-12);
}
END_TEST

// Inside more than outside: the pressure that bursts counts instead of the one that collapses.
START_TEST(internal_overpressure) {
  struct check_capacity c = sixteen();
  struct check_load load = load_of(&c, 100e3, 100e3, 1e6);
  load.internal_pa = 11e6;
  double g = 1.15 * 1.14,
         bending = g * 1.2 * 100e3 / (c.flow * c.moment_nm) + pow(g * 1.2 * 100e3 / (c.flow * c.force_n), 2),
         share = (1 - c.beta) * 10e6 / (c.flow * c.burst_pa);
  ck_assert_double_eq_tol(c.burst_pa, 2 * 0.021 / (0.4064 - 0.021) * 450e6 * 2 / sqrt(3), 1);
  ck_assert_double_eq_tol(used(&c, load, CHECK_LOAD_CONTROLLED), bending * bending + share * share, 1e-12);
  load.internal_pa = 1.01 * c.burst_pa + 1e6;
  ck_assert_int_eq(limits(&c, load, CHECK_LOAD_CONTROLLED), CHECK_LIMIT_BURST);

  struct check_steel steel = sixteen_inch();
  struct check_factors factors = check_factors_of(SAFETY_LOW, 1);
  struct check_capacity pressed;
  ck_assert_int_eq(check_prepare(&steel, &factors, 6e6, &pressed, NULL), STATUS_OK);
  load = load_of(&pressed, 0, 200e3, 1e6);
  double strain = 1.2 * 200e3 / (207e9 * c.modulus_m3) * 2.0;
  ck_assert_double_eq_tol(used(&pressed, load, CHECK_DISPLACEMENT_CONTROLLED),
                          strain / (pressed.strain * (1 + 5.75 * 5e6 / pressed.burst_pa)), 1e-12);
  ck_assert_double_eq(used(&pressed, load, CHECK_COLLAPSE), 0);
}
END_TEST

// Propagation of a buckle and pressure containment: the notebooks of qwilka/PDover2t, and by hand
// (tests/reference/code_check.py).
START_TEST(propagation_and_containment) {
  const struct check_factors medium = check_factors_of(SAFETY_MEDIUM, 1);
  struct check_capacity c = capacity_of(EXAMPLE, medium);
  const double at_410_m = 1027 * 9.81 * 410, inside = 26480932.5;
  ck_assert_double_eq_tol(c.propagation_pa, 2301102.5, 0.05);
  ck_assert_double_eq_tol(used(&c, load_of(&c, 0, 0, at_410_m), CHECK_PROPAGATION), 2.353369032808, 1e-10);
  struct check_load load = {.internal_pa = inside};
  ck_assert_double_eq_tol(used(&c, load, CHECK_BURST), 1.0985208854353783, 1e-9);
  load.external_pa = 3e6; // the overpressure counts
  ck_assert_double_eq_tol(used(&c, load, CHECK_BURST), 1.0985208854353783 * (inside - 3e6) / inside, 1e-9);
  const double wall = check_arrestor_wall_m(&c, at_410_m, 12.2);
  ck_assert_double_eq_tol(wall, 0.03028331666, 1e-9);
  ck_assert_double_gt(check_arrestor_wall_m(&c, at_410_m, 1), wall); // a short one is thicker
  ck_assert(isnan(check_arrestor_wall_m(&c, 20 * at_410_m, 12.2)));

  // A pressure that is certain holds the pipe open, and may burst it.
  struct check_steel steel = EXAMPLE;
  struct check_capacity pressed;
  ck_assert_int_eq(check_prepare(&steel, &medium, 1e6, &pressed, NULL), STATUS_OK);
  ck_assert_double_eq_tol(used(&pressed, load_of(&c, 0, 0, at_410_m), CHECK_PROPAGATION),
                          2.353369032808 * (1 - 1e6 / at_410_m), 1e-10);
  ck_assert_int_eq(check_prepare(&steel, &medium, 40e6, &pressed, NULL), STATUS_OK);
  load = load_of(&c, 0, 1e5, 0);
  ck_assert_int_eq(limits(&pressed, load, CHECK_LOAD_CONTROLLED), CHECK_LIMIT_BURST);
  ck_assert_int_eq(limits(&pressed, load, CHECK_DISPLACEMENT_CONTROLLED), CHECK_LIMIT_BURST);
  ck_assert_double_gt(used(&pressed, load, CHECK_BURST), 1.5);
}
END_TEST

// The riser standard has no combination a, and a factor of an environmental load that relieves.
START_TEST(an_environmental_load_may_relieve) {
  struct check_factors factors = check_factors_of(SAFETY_MEDIUM, 1);
  check_factors_use(&factors, LOAD_FACTORS_ST_F201);
  const struct check_capacity f101 = sixteen(), f201 = capacity_of(sixteen_inch(), factors);
  const double g = 1.15 * 1.14 / (f101.flow * f101.moment_nm), m = 1e5;
  const struct {
    double environmental, f101, f201;
  } rows[] = {
      {0, 1.2, 1.1}, {-0.5, 0.85, 1.1 - 0.5 / 1.3}, {2, 3.7, 3.7}, {-3, 3.9 - 1 / 1.1, 3.9 - 1 / 1.1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct check_load load = load_of(&f101, 0, m, 0);
    load.total = load_of(&f101, 0, m * (1 + rows[i].environmental), 0).total;
    ck_assert_double_eq_tol(sqrt(used(&f101, load, CHECK_LOAD_CONTROLLED)), g * m * rows[i].f101, 1e-12);
    ck_assert_double_eq_tol(sqrt(used(&f201, load, CHECK_LOAD_CONTROLLED)), g * m * rows[i].f201, 1e-12);
  }
}
END_TEST

// Combinations a, b, and b where the functional load relieves.
START_TEST(combinations) {
  struct check_capacity c = sixteen();
  double g = 1.15 * 1.14 / (c.flow * c.moment_nm), m = 1e5;
  const double environmental[3] = {0, 5 * m, -3 * m}, expected[3] = {1.2, 1.1 + 5 * 1.3, 3 * 1.3 - 1 / 1.1};
  for (int k = 0; k < 3; k++) {
    struct check_load load = load_of(&c, 0, m, 0);
    load.total = load_of(&c, 0, m + environmental[k], 0).total;
    ck_assert_double_eq_tol(sqrt(used(&c, load, CHECK_LOAD_CONTROLLED)), g * m * expected[k], 1e-12);
  }
}
END_TEST

START_TEST(limits_of_validity) {
  struct check_steel steel = sixteen_inch();
  const struct check_factors factors = check_factors_of(SAFETY_MEDIUM, 1);
  const struct {
    double d_over_t;
    uint32_t load_controlled, displacement_controlled;
  } rows[] = {{14.99, CHECK_LIMIT_THICK, 0},
              {15.01, 0, 0},
              {44.99, 0, 0},
              {45.01, CHECK_LIMIT_THIN, CHECK_LIMIT_THIN}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    steel.wall_m = steel.diameter_m / rows[i].d_over_t;
    struct check_capacity c = capacity_of(steel, factors);
    struct check_load load = load_of(&c, 1e4, 1e4, 1e5);
    ck_assert_int_eq(limits(&c, load, CHECK_LOAD_CONTROLLED), rows[i].load_controlled);
    ck_assert_int_eq(limits(&c, load, CHECK_DISPLACEMENT_CONTROLLED), rows[i].displacement_controlled);
    ck_assert_int_eq(limits(&c, load, CHECK_PROPAGATION), rows[i].load_controlled);
    ck_assert_int_eq(limits(&c, load, CHECK_COLLAPSE), 0);
    ck_assert_int_eq(limits(&c, load, CHECK_BURST), 0);
    ck_assert_int_eq(limits(&c, load, CHECK_STRESS), 0);
  }

  struct check_capacity c = sixteen(); // 1.2 on the tension
  for (int sign = -1; sign <= 1; sign += 2) {
    ck_assert_int_eq(limits(&c, load_of(&c, sign * 0.399 / 1.2 * c.force_n, 0, 0), CHECK_LOAD_CONTROLLED), 0);
    ck_assert_int_eq(limits(&c, load_of(&c, sign * 0.401 / 1.2 * c.force_n, 0, 0), CHECK_LOAD_CONTROLLED),
                     CHECK_LIMIT_TENSION);
  }

  steel = sixteen_inch();
  steel.grade = GRADE_NONE;
  c = capacity_of(steel, factors);
  ck_assert_int_eq(limits(&c, load_of(&c, 0, 1e5, 0), CHECK_STRAIN), CHECK_LIMIT_NO_GRADE);
  for (int i = 0; i < CHECK_LIMIT_COUNT; i++)
    ck_assert(strcmp(check_limit_text(i), "unknown limit") != 0);
  ck_assert_str_eq(check_limit_text(CHECK_LIMIT_COUNT), "unknown limit");
}
END_TEST

START_TEST(loads_that_are_not_finite) {
  struct check_capacity c = sixteen();
  for (int k = 0; k < 4; k++) {
    struct check_load load = load_of(&c, 1e5, 1e5, 1e6);
    double *const spoilt[4] = {&load.total.tension_n, &load.functional.bending_nm[1], &load.external_pa,
                               &load.total.axial_strain};
    *spoilt[k] = k % 2 ? (double)NAN : (double)INFINITY;
    struct utilisation u;
    check_section_loads(&c, &load, &u);
    for (int check = 0; check < CODE_CHECK_COUNT; check++)
      ck_assert(isnan(u.value[check]) && (u.limits[check] & CHECK_LIMIT_NOT_FINITE));
  }
}
END_TEST

// Nothing falls as a load grows.
START_TEST(monotony) {
  struct check_capacity c = sixteen();
  const struct check_load zero = load_of(&c, 0, 0, 0);
  for (int check = 0; check < CODE_CHECK_COUNT; check++)
    ck_assert_double_eq(used(&c, zero, (enum code_check)check), 0);

  double before[CODE_CHECK_COUNT] = {0};
  for (int i = 0; i <= 40; i++) { // moment
    for (int check = 0; check < CODE_CHECK_COUNT; check++) {
      double now = used(&c, load_of(&c, 3e5, 4e4 * i, 3e6), (enum code_check)check);
      ck_assert(now >= before[check]);
      before[check] = now;
    }
  }
  double collapse = 0, buckling = 0;
  for (int i = 0; i <= 40; i++) { // depth
    struct check_load load = load_of(&c, 3e5, 2e5, 1e6 * i);
    double now[2] = {used(&c, load, CHECK_COLLAPSE), used(&c, load, CHECK_DISPLACEMENT_CONTROLLED)};
    ck_assert(now[0] >= collapse && now[1] > buckling);
    collapse = now[0];
    buckling = now[1];
  }
}
END_TEST

START_TEST(bad_steel_is_refused) {
  static const struct {
    size_t offset;
    double value;
    const char *name;
  } rows[] = {
      {offsetof(struct check_steel, diameter_m), 0, "diameter_m"},
      {offsetof(struct check_steel, wall_m), 0, "wall_m"},
      {offsetof(struct check_steel, wall_m), 0.3, "wall_m"},
      {offsetof(struct check_steel, wall_tolerance_m), 0.021, "wall_tolerance_m"},
      {offsetof(struct check_steel, yield_pa), -1, "yield_pa"},
      {offsetof(struct check_steel, yield_derating_pa), 450e6, "yield_derating_pa"},
      {offsetof(struct check_steel, material_factor), 1.01, "material_factor"},
      {offsetof(struct check_steel, fabrication_factor), 0, "fabrication_factor"},
      {offsetof(struct check_steel, ovality), 0.0049, "ovality"},
      {offsetof(struct check_steel, poisson), 0.51, "poisson"},
      {offsetof(struct check_steel, yield_ratio), 0, "yield_ratio"},
      {offsetof(struct check_steel, girth_weld_factor), 1.1, "girth_weld_factor"},
      {offsetof(struct check_steel, young_pa), (double)NAN, "young_pa"},
      {offsetof(struct check_steel, tensile_pa), (double)INFINITY, "tensile_pa"},
  };
  const struct check_factors factors = check_factors_of(SAFETY_LOW, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct check_steel steel = sixteen_inch();
    struct check_capacity c;
    struct reason why = {""};
    memcpy((char *)&steel + rows[i].offset, &rows[i].value, sizeof rows[i].value);
    ck_assert_int_eq(check_prepare(&steel, &factors, 0, &c, &why), STATUS_BAD_INPUT);
    ck_assert_msg(strncmp(why.text, rows[i].name, strlen(rows[i].name)) == 0, "%s", why.text);
  }
  struct check_capacity c;
  struct check_steel steel = sixteen_inch();
  ck_assert_int_eq(check_prepare(&steel, &factors, (double)NAN, &c, NULL), STATUS_BAD_INPUT);
  const struct check_factors wrong = check_factors_of(SAFETY_LOW, (double)NAN);
  ck_assert_int_eq(check_prepare(&steel, &wrong, 0, &c, NULL), STATUS_BAD_INPUT);
}
END_TEST

START_TEST(girth_weld_factor) {
  ck_assert_double_eq(check_girth_weld_factor(15), 1);
  ck_assert_double_eq(check_girth_weld_factor(20), 1);
  ck_assert_double_eq_tol(check_girth_weld_factor(40), 0.8, 1e-15);
  ck_assert_double_eq_tol(check_girth_weld_factor(60), 0.6, 1e-15);
  ck_assert_double_eq(check_girth_weld_factor(61), 0.6);
}
END_TEST

START_TEST(power) {
  ck_assert_double_eq(check_power_08(0), 0);
  ck_assert_double_eq(check_power_08(-1), 0);
  ck_assert(isnan(check_power_08((double)NAN)));
  ck_assert(isinf(check_power_08((double)INFINITY)));
  for (double x = 1e-30; x < 1e30; x *= 1.37)
    ck_assert_double_eq_tol(check_power_08(x), pow(x, 0.8), 1e-14 * pow(x, 0.8));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("code check");
  TCase *t = add_case(suite, "code check", 60);
  tcase_add_test(t, collapse_of_the_published_example);
  tcase_add_test(t, collapse_solves_the_cubic);
  tcase_add_test(t, moment_of_the_published_example);
  tcase_add_test(t, formulas_by_hand);
  tcase_add_test(t, internal_overpressure);
  tcase_add_test(t, propagation_and_containment);
  tcase_add_test(t, combinations);
  tcase_add_test(t, an_environmental_load_may_relieve);
  tcase_add_test(t, limits_of_validity);
  tcase_add_test(t, loads_that_are_not_finite);
  tcase_add_test(t, monotony);
  tcase_add_test(t, bad_steel_is_refused);
  tcase_add_test(t, girth_weld_factor);
  tcase_add_test(t, power);
  return run_suite(suite);
}
