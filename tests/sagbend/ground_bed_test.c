// The soil's normal law and its friction that breaks out: losses, energies, published resistances.
#include "sagbend/ground/ground.h"
#include "sagbend/math/math.h"

#include "suite.h"

#include <math.h>
#include <string.h>

static struct random_stream stream;

static double between(double low, double high) { // log-uniform
  return low * pow(high / low, random_uniform(&stream));
}

static const struct soil_def CLAY = {.model = SOIL_CLAY,
                                     .strength_pa = 2000,
                                     .gradient_papm = 1000,
                                     .weight_npm3 = 3000,
                                     .stiffness = 200,
                                     .suction = 0.6,
                                     .suction_depth = 1};

static struct soil_column bed_of(const struct soil_def *soil, double diameter) {
  struct soil_column column;
  struct reason why = {""};
  ck_assert_msg(soil_column_create(&column, soil, diameter, &why) == STATUS_OK, "%s", why.text);
  return column;
}

// Terms of the balance of a way, and its largest defect relative to them.
struct account {
  double loss, most_negative, defect, work;
};

static double energy(const struct soil_column *column, const struct soil_memory *m, double z) {
  return soil_begin(column, m, z).energy_jpm;
}

static void move(const struct soil_column *column, struct soil_memory *m, double z0, double z1,
                 struct account *a) {
  const double v0 = energy(column, m, z0);
  const struct soil_start start = soil_begin(column, m, z0);
  const struct soil_way way = soil_over(column, m, &start, z1, m);
  const double v1 = energy(column, m, z1), work = way.force_npm * (z1 - z0);
  const double terms =
      fabs(v0) + fabs(v1) + way.loss_jpm + fabs(way.force_npm) * (fabs(z0) + fabs(z1)) + 1e-300;
  a->loss += way.loss_jpm, a->work += work;
  a->most_negative = fmin(a->most_negative, way.loss_jpm);
  a->defect = fmax(a->defect, fabs(v1 - v0 + way.loss_jpm - work) / terms);
}

enum { RANDOM_STEPS = 1000000, STEPS_OF_A_SOIL = 20000 };

START_TEST(random_steps_of_any_size_lose_energy_and_close) {
  stream = random_stream_of(31);
  struct account a = {0};
  for (int n = 0; n < RANDOM_STEPS / STEPS_OF_A_SOIL; n++) {
    struct soil_def soil = CLAY;
    soil.suction = n % 3 ? 0.6 * random_uniform(&stream) : 0;
    soil.suction_depth = n % 2 ? 1 : between(0.2, 1);
    soil.sensitivity = n % 4 == 1 ? between(1.5, 10) : 1;
    soil.softening_m = between(0.05, 5);
    soil.stiffness = between(50, 500);
    struct soil_memory m = {.deepest_m = 0};
    const struct soil_column column = bed_of(&soil, between(0.1, 1.2));
    double z = -0.01;
    for (int i = 0; i < STEPS_OF_A_SOIL; i++) {
      double step = (random_uniform(&stream) < 0.5 ? -1 : 1) * between(1e-6, 1);
      step = i % 17 ? step : 0;
      double to = z + step;
      if (to > 1.5 || to < -0.3)
        to = z - step;
      move(&column, &m, z, to, &a);
      ck_assert_msg(soil_memory_is_valid(&column, &m, to, NULL), "step %d", i);
      z = to;
    }
  }
  ck_assert_double_ge(a.most_negative, 0);
  ck_assert_double_le(a.defect, 1e-14);
}
END_TEST

START_TEST(virgin_soil_gives_no_work) {
  stream = random_stream_of(5);
  const struct soil_column column = bed_of(&CLAY, 0.5);
  for (int n = 0; n < 20000; n++) {
    struct soil_memory m = {.deepest_m = 0};
    struct account a = {0};
    double z = 0;
    for (int i = 0; i < 8; i++) {
      const double to = i == 7 ? -0.001 : between(1e-5, 0.5);
      move(&column, &m, z, to, &a);
      ck_assert_double_ge(a.work, -1e-12);
      z = to;
    }
    ck_assert_double_ge(a.work, -1e-12);
    for (int j = 0; j < SOIL_LAYERS; j++)
      ck_assert(m.e_m[j] == 0);
  }
}
END_TEST

START_TEST(a_step_equals_a_hundred_parts_of_it) {
  stream = random_stream_of(7);
  const struct soil_column column = bed_of(&CLAY, 0.5);
  for (int n = 0; n < 300; n++) {
    struct soil_memory once = {.deepest_m = 0}, parts = once;
    double z = 0;
    for (int i = 0; i < 5; i++) {
      const double to = between(1e-4, 0.4);
      struct account a = {0}, b = {0};
      move(&column, &once, z, to, &a);
      for (int k = 1; k <= 100; k++)
        move(&column, &parts, z + (to - z) * (k - 1) / 100, z + (to - z) * k / 100, &b);
      ck_assert_double_eq_tol(a.work, b.work, 1e-9 * (1 + fabs(a.work)));
      ck_assert_double_eq_tol(a.loss, b.loss, 1e-9 * (1 + a.loss));
      z = to;
    }
    for (int j = 0; j < SOIL_LAYERS; j++)
      ck_assert_double_eq_tol(once.e_m[j], parts.e_m[j], 1e-12);
  }
}
END_TEST

START_TEST(stiffness_is_the_derivative_of_the_mean_force) {
  stream = random_stream_of(11);
  const struct soil_column column = bed_of(&CLAY, 0.5);
  for (int n = 0; n < 2000; n++) {
    struct soil_memory m = {.deepest_m = 0};
    struct account a = {0};
    const double down = between(1e-3, 0.4), up = down * random_uniform(&stream), to = between(1e-4, 0.4);
    move(&column, &m, 0, down, &a), move(&column, &m, down, up, &a);
    const struct soil_start start = soil_begin(&column, &m, up);
    const double h = 1e-4 * fabs(to - up) + 1e-8;
    const struct soil_way way = soil_over(&column, &m, &start, to, NULL);
    const double low = soil_over(&column, &m, &start, to - h, NULL).force_npm,
                 high = soil_over(&column, &m, &start, to + h, NULL).force_npm;
    ck_assert_double_eq_tol(way.stiffness_npm2, (high - low) / (2 * h), 2e-3 * fabs(way.stiffness_npm2) + 50);
    const struct soil_way rest = soil_at_rest(&column, down, up, NULL);
    const double slope = (soil_at_rest(&column, down, up + 1e-8, NULL).force_npm -
                          soil_at_rest(&column, down, up - 1e-8, NULL).force_npm) /
                         2e-8;
    if (rest.stiffness_npm2 < 1e6) // not at a kink's scale
      ck_assert_double_eq_tol(rest.stiffness_npm2, slope, 0.02 * fabs(slope) + 5e3);
  }
}
END_TEST

// A pipe that hardly moves, from states in which a layer slides at once.
START_TEST(stiffness_is_the_derivative_over_short_ways_too) {
  stream = random_stream_of(12);
  const struct soil_column column = bed_of(&CLAY, 0.5);
  for (int n = 0; n < 2000; n++) {
    struct soil_memory m = {.deepest_m = 0};
    struct account a = {0};
    const double down = between(1e-3, 0.4), up = down * (n % 2 ? 1 : 0.5 + 0.5 * random_uniform(&stream)),
                 way = between(1e-10, 1e-7) * (random_uniform(&stream) < 0.5 ? -1 : 1), h = 0.01 * way;
    move(&column, &m, 0, down, &a), move(&column, &m, down, up, &a);
    const struct soil_start start = soil_begin(&column, &m, up);
    const double low = soil_over(&column, &m, &start, up + way - h, NULL).force_npm,
                 high = soil_over(&column, &m, &start, up + way + h, NULL).force_npm,
                 z1 = (up + way + h) - (up + way - h);
    const double stiffness = soil_over(&column, &m, &start, up + way, NULL).stiffness_npm2;
    const double rounding = 1e-14 * (fabs(low) + 1) / fabs(z1);
    ck_assert_double_eq_tol(stiffness, (high - low) / z1, 0.02 * fabs(stiffness) + rounding);
  }
}
END_TEST

// Randolph and Quiggin 2009: the backbone y/(1 + y) Q and unloading from full mobilisation.
START_TEST(the_backbone_and_the_unloading_are_those_of_the_law) {
  for (int d = 0; d < 3; d++)
    for (int s = 0; s < 3; s++) {
      const double diameter = (const double[]){0.1, 0.5, 1.2}[d];
      struct soil_def soil = CLAY;
      soil.strength_pa = (const double[]){500, 5000, 20000}[s];
      const struct soil_column column = bed_of(&soil, diameter);
      for (double z = 0.02 * diameter; z < 2 * diameter; z *= 1.07) {
        const double y = z * soil.stiffness / diameter;
        const double law = y / (1 + y) * soil_resistance(&soil, diameter, z);
        ck_assert_double_eq_tol(soil_slow(&column, 0, z).force_npm, law, 0.016 * law);
      }
    }
  // The prototype's numbers: D .5, unloading from z/D .1 with the resistance of Nc (su0 + rho z) D
  struct soil_def law = CLAY;
  law.weight_npm3 = 0;
  const struct soil_column column = bed_of(&law, 0.5);
  const double by[] = {0.0005, 0.0025, 0.005, 0.01}, force[] = {2955, 2033, 1290, 435};
  ck_assert_double_eq_tol(soil_slow(&column, 0, 0.05).force_npm, 3296, 25);
  for (int k = 0; k < 4; k++)
    ck_assert_double_eq_tol(soil_slow(&column, 0.05, 0.05 - 0.5 * by[k]).force_npm, force[k], 25);
}
END_TEST

// groundhog, test_penetration.py, as read for the design.
START_TEST(resistances_are_the_published_ones) {
  struct soil_def clay = CLAY;
  clay.gradient_papm = 0;
  ck_assert_double_eq_tol(soil_resistance(&clay, 1, 0.5), 11860, 10);
  const struct soil_def sand = {
      .model = SOIL_SAND, .weight_npm3 = 8000, .friction_angle_rad = 35 * TRIG_PI / 180};
  ck_assert_double_eq_tol(soil_resistance(&sand, 0.5, 0.1), 30740, 20);
  const struct soil_def table = {.model = SOIL_TABLE, .table_count = 2, .table = {{0.1, 1000}, {0.3, 2000}}};
  ck_assert_double_eq_tol(soil_resistance(&table, 0.5, 0.05), 500, 1e-9);
  ck_assert_double_eq_tol(soil_resistance(&table, 0.5, 0.5), 3000, 1e-9);
  ck_assert(isinf(soil_penetration(&table, 0.1, 1e6)));
  ck_assert_double_eq_tol(soil_lay_factor(&CLAY, 0.5, 800, 1e8, 1e30), 1, 1e-9);
}
END_TEST

// Otherwise each small motion changes the memory of pipe that lies, and the stiffness with it.
START_TEST(no_layer_of_pipe_at_rest_slides_at_once) {
  stream = random_stream_of(13);
  const struct soil_column column = bed_of(&CLAY, 0.5);
  const double ease = 0.2 * column.limit_m[0];
  for (int n = 0; n < 2000; n++) {
    const double deepest = between(1e-3, 0.4),
                 z = deepest * (n % 2 ? 1 : 0.3 + 0.9 * random_uniform(&stream));
    struct soil_memory m;
    const struct soil_way rest = soil_at_rest(&column, deepest, z, &m), slow = soil_slow(&column, deepest, z);
    const struct soil_start start = soil_begin(&column, &m, z);
    ck_assert_double_eq_tol(start.force_npm, rest.force_npm, 1e-9 * fabs(rest.force_npm) + 1e-9);
    ck_assert_double_le(fabs(rest.force_npm - slow.force_npm), start.strength_npm * start.sum[0] * 2 * ease);
    ck_assert(soil_memory_is_valid(&column, &m, z, NULL));
    for (int j = 0; j < SOIL_LAYERS; j++) {
      ck_assert_double_ge(column.limit_m[j] - m.e_m[j], ease);
      ck_assert_double_ge(m.e_m[j] + CLAY.suction * column.limit_m[j] * z / m.deepest_m, ease);
    }
  }
}
END_TEST

START_TEST(laid_pipe_rests_deeper_than_its_weight_asks) {
  const struct soil_column column = bed_of(&CLAY, 0.5);
  double before = 0;
  for (double factor = 1; factor <= 4; factor *= 2) {
    double deepest;
    const double z = soil_resting(&column, 800, factor, &deepest);
    ck_assert(z > before && z <= deepest);
    ck_assert_double_eq_tol(soil_at_rest(&column, deepest, z, NULL).force_npm, 800, 1e-3);
    before = z;
  }
}
END_TEST

START_TEST(a_jump_out_of_the_soil_leaves_no_energy) {
  const struct soil_column column = bed_of(&CLAY, 0.5);
  struct soil_memory m = {.deepest_m = 0};
  struct account a = {0};
  move(&column, &m, -0.5, 2.5, &a);
  ck_assert_double_eq(m.deepest_m, 2.5);
  move(&column, &m, 2.5, -3, &a);
  ck_assert_double_eq(energy(&column, &m, -3), 0);
  ck_assert_double_eq_tol(a.work, a.loss, 1e-9 * a.loss);
  m.e_m[0] = 1;
  ck_assert(!soil_memory_is_valid(&column, &m, -3, NULL));
}
END_TEST

START_TEST(random_slips_lose_energy_and_close) {
  stream = random_stream_of(3);
  double most_negative = 0, defect = 0, e = 0, p = 0, n0 = 1000;
  struct breakout b = {
      .stiffness_npm = 2e4, .peak = 0.9, .residual = 0.5, .passive_n = 300, .residual_m = 0.5};
  for (int i = 0; i < 1000000; i++) {
    b.slipped_m = p, b.start_normal_n = n0;
    b.end_normal_n = i % 13 ? 2000 * random_uniform(&stream) : 0;
    const double way = (random_uniform(&stream) < 0.5 ? -1 : 1) * between(1e-5, 1);
    const struct breakout_slip s = breakout_over(&b, e, way);
    const double stored = 0.5 * b.stiffness_npm * (s.end_m * s.end_m - e * e),
                 terms =
                     0.5 * b.stiffness_npm * (s.end_m * s.end_m + e * e) + s.loss_j + fabs(s.force_n * way);
    most_negative = fmin(most_negative, s.loss_j);
    defect = fmax(defect, fabs(stored + s.loss_j - s.force_n * way) / (terms + 1e-12));
    e = s.end_m, p += s.slip_m, n0 = b.end_normal_n;
    p = i % 50 ? p : 0;
  }
  ck_assert_double_ge(most_negative, 0);
  ck_assert_double_le(defect, 3e-13);
}
END_TEST

START_TEST(friction_peaks_and_falls_to_the_residual) {
  struct breakout b = {.stiffness_npm = 2e4,
                       .peak = 0.9,
                       .residual = 0.5,
                       .passive_n = 300,
                       .residual_m = 0.5,
                       .start_normal_n = 1000,
                       .end_normal_n = 1000};
  double e = 0, most = 0, at = 0, last = 0;
  for (int i = 1; i <= 7000; i++) {
    const struct breakout_slip s = breakout_over(&b, e, 1e-4);
    e = s.end_m, b.slipped_m += s.slip_m, last = s.force_n;
    if (s.force_n > most)
      most = s.force_n, at = i * 1e-4;
  }
  ck_assert_double_eq_tol(most, 1200, 3);
  ck_assert_double_eq_tol(at, 0.06, 0.002);
  ck_assert_double_eq_tol(last, 500, 1e-6);
  b.slipped_m = 0;
  for (double way = 0.01; way < 1; way *= 1.3) // derivatives
    for (int k = -1; k <= 1; k += 2) {
      const struct breakout_slip s = breakout_over(&b, 0.01, k * way);
      const double h = 1e-7, high = breakout_over(&b, 0.01, k * way + h).force_n,
                   low = breakout_over(&b, 0.01, k * way - h).force_n;
      struct breakout more = b;
      more.end_normal_n += 1e-3;
      ck_assert_double_eq_tol(s.by_way_npm, (high - low) / (2 * h), 1 + 1e-4 * fabs(s.by_way_npm));
      ck_assert_double_eq_tol(s.by_normal, (breakout_over(&more, 0.01, k * way).force_n - s.force_n) / 1e-3,
                              1e-3);
    }
}
END_TEST

// The layers one by one in small parts of a way, by bounds of their own.
START_TEST(clay_softens_by_what_its_layers_lose) {
  struct soil_def soil = CLAY;
  soil.sensitivity = 3, soil.softening_m = 0.4;
  const struct soil_column column = bed_of(&soil, 0.5);
  struct soil_memory m = {.deepest_m = 0};
  double e[SOIL_LAYERS] = {0}, slid = 0, z = 0, deepest = 0;
  static const double TURN_M[] = {0.2, 0.12, 0.21, 0.05, 0.15, 0.22};
  for (size_t turn = 0; turn < sizeof TURN_M / sizeof *TURN_M; turn++) {
    const double from = z, way = TURN_M[turn] - from;
    const int count = 20000;
    for (int i = 1; i <= count; i++) {
      const struct soil_start start = soil_begin(&column, &m, z);
      const double to = from + way * i / count, left = 1.0 / 3 + 2.0 / 3 * exp(-3 * slid / soil.softening_m);
      soil_over(&column, &m, &start, to, &m);
      const double pull = soil.suction * (deepest > 0 ? z / deepest : 0);
      deepest = fmax(deepest, to);
      for (int j = 0; j < SOIL_LAYERS; j++) {
        const double a = left * column.limit_m[j], b = soil.suction * a * fmax(0, to / deepest);
        const double drawn_in = fmin(fmax(e[j], -a * pull), a); // not a slide of the pipe
        const double free = drawn_in + to - z, held = fmin(fmax(free, -b), a);
        slid += column.k_1pm[j] * fabs(held) / left * fabs(free - held);
        e[j] = held;
      }
      z = to;
    }
    ck_assert_double_eq_tol(m.remoulded, 1 - exp(-3 * slid / soil.softening_m), 2e-4);
    for (int j = 0; j < SOIL_LAYERS; j++)
      ck_assert_double_eq_tol(m.e_m[j], e[j], 2e-4 * column.limit_m[j] + 2e-6);
  }
  ck_assert_double_gt(m.remoulded, 0.8);
}
END_TEST

// Penetration at which a force holds, by halving; the memory becomes that of the way there.
static double press(const struct soil_column *column, struct soil_memory *m, double z, double force_npm) {
  const struct soil_start start = soil_begin(column, m, z);
  double low = 0.5 * z, high = 2 * z + 0.05;
  for (int k = 0; k < 50; k++) {
    const double middle = 0.5 * (low + high);
    if (soil_over(column, m, &start, middle, NULL).end_force_npm < force_npm)
      low = middle;
    else
      high = middle;
  }
  soil_over(column, m, &start, high, m);
  return high;
}

START_TEST(cycles_embed_a_pipe_only_in_clay_that_softens) {
  double z[2];
  for (int k = 0; k < 2; k++) {
    struct soil_def soil = CLAY;
    soil.sensitivity = k ? 3 : 1, soil.softening_m = 0.5;
    const struct soil_column column = bed_of(&soil, 0.5);
    struct soil_memory m = {.deepest_m = 0};
    double first = 0, before = 0;
    z[k] = 0;
    for (int cycle = 0; cycle < 300; cycle++) {
      z[k] = press(&column, &m, z[k], 2200);
      if (cycle == 1)
        first = z[k];
      ck_assert(z[k] >= before - 1e-9);
      before = z[k];
      z[k] = press(&column, &m, z[k], 800);
    }
    ck_assert(k ? before > 1.2 * first : before < 1.001 * first);
    ck_assert(k ? m.remoulded > 0.05 : m.remoulded == 0);
  }
}
END_TEST

START_TEST(soil_that_does_not_carry_when_remoulded_is_refused) {
  struct soil_def soil = CLAY;
  struct reason why = {""};
  soil.dynamic_factor = 1;
  const double most = soil_resistance(&soil, 0.5, 0.5);
  ck_assert(soil_carries(&soil, 0.5, 0.5 * most, &why) == STATUS_OK);
  soil.sensitivity = 3, soil.softening_m = 1;
  ck_assert(soil_carries(&soil, 0.5, 0.5 * most, &why) != STATUS_OK);
  ck_assert(strstr(why.text, "remoulded") != NULL);
  ck_assert(soil_carries(&soil, 0.5, 0.3 * most, &why) == STATUS_OK);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("soil");
  TCase *t = add_case(suite, "bed", 60);
  tcase_add_test(t, random_steps_of_any_size_lose_energy_and_close);
  tcase_add_test(t, virgin_soil_gives_no_work);
  tcase_add_test(t, a_step_equals_a_hundred_parts_of_it);
  tcase_add_test(t, stiffness_is_the_derivative_of_the_mean_force);
  tcase_add_test(t, the_backbone_and_the_unloading_are_those_of_the_law);
  tcase_add_test(t, resistances_are_the_published_ones);
  tcase_add_test(t, laid_pipe_rests_deeper_than_its_weight_asks);
  tcase_add_test(t, stiffness_is_the_derivative_over_short_ways_too);
  tcase_add_test(t, no_layer_of_pipe_at_rest_slides_at_once);
  tcase_add_test(t, a_jump_out_of_the_soil_leaves_no_energy);
  tcase_add_test(t, clay_softens_by_what_its_layers_lose);
  tcase_add_test(t, cycles_embed_a_pipe_only_in_clay_that_softens);
  tcase_add_test(t, soil_that_does_not_carry_when_remoulded_is_refused);
  t = add_case(suite, "friction", 60);
  tcase_add_test(t, random_slips_lose_energy_and_close);
  tcase_add_test(t, friction_peaks_and_falls_to_the_residual);
  return run_suite(suite);
}
