// Drag of the water on the hull: current force coefficients, cross-flow, and the slow motion of the 83 m
// vessel against the source of its data (reference/mss-osv.csv).

#include "sagbend/math/math.h"
#include "sagbend/vessel/vessel.h"

#include "scenes.h"
#include "suite.h"

static const double DEG = TRIG_PI / 180;
static const double MASS[6][6] = {{0.6e6}, {0, 2.0e6}, {0, 0, 8.3e6}};

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

// Coefficients of DNV-ST-0111, level 1, every 5 degrees.
static struct hull_def level_1(void) {
  struct hull_def def = {.length_m = 80, .beam_m = 18, .draft_m = 5, .row_count = 37};
  for (int i = 0; i < def.row_count; i++) {
    double angle = 5 * i * DEG, side = fabs(angle) / TRIG_PI;
    double lever = fmax(fmin(0.4 * (1 - 2 * side), 0.25), -0.2);
    def.rows[i] = (struct current_row){
        angle, {-0.07 * trig_cos(angle), -0.6 * trig_sin(angle), -0.6 * trig_sin(angle) * lever}};
  }
  return def;
}

static void force_of(const struct hull_drag *drag, const double through[6], double force[3]) {
  const double nu[3] = {through[0], through[1], through[5]};
  double d[3][3];
  hull_drag_matrix(drag, through, d);
  for (int i = 0; i < 3; i++)
    force[i] = -(d[i][0] * nu[0] + d[i][1] * nu[1] + d[i][2] * nu[2]);
}

START_TEST(level_1_forces) {
  struct hull_def def = level_1();
  struct hull_drag drag = hull_drag_of(&def, MASS, 1025);
  for (int deg = -175; deg <= 180; deg += 5) {
    double angle = deg * DEG, speed = 0.75, q = 0.5 * 1025 * speed * speed, force[3];
    const double through[6] = {speed * cos(angle), speed * sin(angle)};
    force_of(&drag, through, force);
    ck_assert_double_eq_tol(force[0], -q * 18 * 5 * 0.07 * cos(angle), 1e-6 * q * 18 * 5 * 0.07);
    ck_assert_double_eq_tol(force[1], -q * 80 * 5 * 0.6 * sin(angle), 1e-6 * q * 80 * 5 * 0.6);
  }
}
END_TEST

// A vessel held in a current: the whole wrench, with Munk's moment, is that of the coefficients.
START_TEST(munk_is_part_of_the_coefficients) {
  struct vessel vessel = {.hull = {0}};
  struct hull_def def = level_1();
  memcpy(vessel.added_mass, MASS, sizeof vessel.added_mass); // without memory the slow one is the same
  memcpy(vessel.added_mass_slow, MASS, sizeof vessel.added_mass_slow);
  vessel.hull = hull_drag_of(&def, MASS, 1025);
  for (int i = 0; i < 37; i += 3) {
    const struct current_row *row = &def.rows[i];
    const double through[6] = {1.2 * cos(row->angle_rad), 1.2 * sin(row->angle_rad)}, still[6] = {0};
    double force[3], munk[6], want = 0.5 * 1025 * 1.44 * 80 * 80 * 5 * row->c[2];
    force_of(&vessel.hull, through, force);
    vessel_current_wrench(&vessel, still, (vec3){-through[0], -through[1], 0}, munk);
    ck_assert_double_eq_tol(force[2] + munk[5], want, 1e-9 * 1e6);
  }
}
END_TEST

// Whatever the velocities: the matrix is symmetric and no motion gains.
START_TEST(no_drag_drives) {
  uint64_t seed = 3;
  for (int k = 0; k < 2; k++) {
    struct hull_def def = level_1();
    if (k)
      def.row_count = 0, def.cross_flow = 1;
    struct hull_drag drag = hull_drag_of(&def, MASS, 1025);
    for (int i = 0; i < 20000; i++) {
      double guess[6] = {2 * noise(&seed), 2 * noise(&seed), 0, 0, 0, pow(10, 3 * noise(&seed) - 3)};
      double d[3][3], size = 0, loss = 0;
      hull_drag_matrix(&drag, guess, d);
      const double nu[3] = {noise(&seed), noise(&seed), 0.05 * noise(&seed)};
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          ck_assert_double_eq(d[a][b], d[b][a]);
          loss += nu[a] * d[a][b] * nu[b];
          size += fabs(nu[a] * d[a][b] * nu[b]);
        }
      ck_assert_double_ge(loss, -1e-14 * size);
    }
  }
}
END_TEST

// The sum over the strips is the midpoint rule of the integral over the length.
START_TEST(strips_are_the_integral) {
  struct hull_def def = {.length_m = 83,
                         .beam_m = 18,
                         .draft_m = 5,
                         .centre_x_b_m = -2,
                         .cross_flow = 1,
                         .cross_flow_drag = 0.8};
  struct hull_drag drag = hull_drag_of(&def, MASS, 1025);
  const double through[6] = {3, 0.7, 0, 0, 0, 0.05};
  double force[3], want[2] = {0};
  enum { FINE = 100000 };
  for (int i = 0; i < FINE; i++) {
    double x = -2 + 83 * ((i + 0.5) / FINE - 0.5), s = 0.7 + 0.05 * x;
    want[0] -= 0.5 * 1025 * 5 * 0.8 * fabs(s) * s * 83 / FINE;
    want[1] -= 0.5 * 1025 * 5 * 0.8 * fabs(s) * s * x * 83 / FINE;
  }
  force_of(&drag, through, force);
  ck_assert_double_eq(force[0], 0);
  ck_assert_double_eq_tol(force[1], want[0], 5e-3 * fabs(want[0]));
  ck_assert_double_eq_tol(force[2], want[1], 5e-3 * fabs(want[1]));
  ck_assert_double_eq_tol(hoerner_drag(18, 5), 0.666, 1e-3);
  ck_assert_double_eq_tol(hoerner_drag(1, 50), 1.966, 1e-3);
  ck_assert_double_eq_tol(hoerner_drag(50, 1), 0.559, 1e-3);
}
END_TEST

START_TEST(rows_that_drive_are_found) {
  struct hull_def def = level_1();
  double angle = -1;
  ck_assert(hull_rows_resist(&def, &angle));
  def.rows[36].c[0] = -0.07; // a following flow that pulls astern
  ck_assert(!hull_rows_resist(&def, &angle));
  ck_assert_double_ge(angle, 170 * DEG);
  def = level_1();
  for (int i = 0; i < def.row_count; i++)
    def.rows[i].c[1] *= -1;
  ck_assert(!hull_rows_resist(&def, &angle));
  def = level_1();
  def.rows[0].c[2] = 500; // a moment without drag
  ck_assert(!hull_rows_resist(&def, &angle));
}
END_TEST

// The source's surge damping at the speed u through the water: linear and quadratic, blended (MSS,
// forceSurgeDamping of that version).
static double surge_of_source(double u) {
  double share = 1 - tanh(0.5 * fabs(u));
  return -(share * 5.53620024e4 + (1 - share) * 18131.22 * fabs(u)) * u;
}

// What is compared: columns north, east, down, roll, pitch, yaw, u, v, w, p, q, r, to a share of the largest
// value. In sway and yaw the source's strips overlap the hull's length by one of 20. In a current it takes
// the Kirchhoff terms of the added mass over ground, so only the drift is compared.
static const struct source_case {
  const char *name;
  int column[3];
  double limit;
  double start[3];             // heave m, roll, pitch deg
  double force[3];             // surge, sway N, yaw N m
  double current_mps, towards; // deg
} SOURCE_CASES[] = {
    {.name = "heave 0.5 m", .column = {2, 8, 4}, .limit = 0.01, .start = {0.5}},
    {.name = "roll 5 deg", .column = {3, 9, 9}, .limit = 0.01, .start = {0, 5}},
    {.name = "pitch 2 deg", .column = {4, 10, 10}, .limit = 0.01, .start = {0, 0, 2}},
    {.name = "surge 300 kN", .column = {0, 6, 4}, .limit = 0.01, .force = {3e5}},
    {.name = "sway 200 kN", .column = {1, 7, 5}, .limit = 0.06, .force = {0, 2e5}},
    {.name = "yaw 10 MN m", .column = {5, 11, 1}, .limit = 0.06, .force = {0, 0, 1e7}},
    {.name = "current 0.5 m/s to 60 deg",
     .column = {0, 1, 7},
     .limit = 0.06,
     .current_mps = 0.5,
     .towards = 60},
    {.name = "current 1 m/s to 90 deg", .column = {1, 7, 5}, .limit = 0.06, .current_mps = 1, .towards = 90}};

// The vessel of the source: published damping, cross-flow, surge damping by surge_of_source.
static struct sim_def source_vessel(const struct source_case *c) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessels/osv-83m-published", 0, NULL);
  def.step_s = 0.02;
  def.vessel.plant.thruster_count = 0;
  def.vessel.damping_linear[0][0] = def.vessel.damping_quadratic[0] = 0;
  def.vessel.hull = (struct hull_def){.length_m = 83, .beam_m = 18, .draft_m = 5, .cross_flow = 1};
  def.vessel.current_acts = 1;
  def.env.current = (struct current_def){.surface_mps = c->current_mps, .direction_rad = c->towards * DEG};
  def.vessel.position_n_m[2] = c->start[0];
  for (int i = 0; i < 2; i++)
    def.vessel.euler_rad[i] = c->start[1 + i] * DEG;
  return def;
}

static void step_source(struct sim *s, const struct source_case *c, struct sim_output *o) {
  double turn = c->towards * DEG - o->euler_rad[2];
  double u = o->velocity_b[0] - c->current_mps * cos(turn);
  const double wrench[6] = {c->force[0] + surge_of_source(u), c->force[1], 0, 0, 0, c->force[2]};
  sim_step(s, &(struct sim_input){.wrench_b = wrench});
  sim_get_output(s, o);
}

START_TEST(as_the_source) {
  enum { VALUES = 12 };
  const struct source_case *c = &SOURCE_CASES[_i];
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/mss-osv.csv", "r");
  double row[1 + VALUES], worst[VALUES] = {0}, peak[VALUES] = {0};
  char line[512], name[64];
  struct sim_def def = source_vessel(c);
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  int rows = 0;
  ck_assert_ptr_nonnull(f);
  sim_get_output(s, &o);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", name, row, row + 1,
               row + 2, row + 3, row + 4, row + 5, row + 6, row + 7, row + 8, row + 9, row + 10, row + 11,
               row + 12) != 14 ||
        strcmp(name, c->name) != 0)
      continue;
    rows++;
    while (o.time_s < row[0] - 0.01)
      step_source(s, c, &o);
    const double *const parts[4] = {o.position_n_m, o.euler_rad, o.velocity_b, o.velocity_b + 3};
    for (int k = 0; k < VALUES; k++) {
      worst[k] = fmax(worst[k], fabs(parts[k / 3][k % 3] - row[1 + k]));
      peak[k] = fmax(peak[k], fabs(row[1 + k]));
    }
  }
  fclose(f);
  ck_assert_int_gt(rows, 60);
  for (int k = 0; k < 3; k++) {
    int column = c->column[k];
    ck_assert_msg(worst[column] <= c->limit * peak[column], "%s, column %d: %g of %g", c->name, column,
                  worst[column], peak[column]);
  }
  ck_assert_double_le(ledger_closure_rel(&s->run.ledger), 1e-10);
  shipped_free(s);
}
END_TEST

// The shipped vessel: its own data, but inertia and hydrostatics of the source, so the same eigenperiods.
START_TEST(shipped_vessel) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessels/osv-83m", 0, NULL);
  struct sim_def source = shipped_scene(TEST_SOURCE_DIR, "vessels/osv-83m-published", 0, NULL);
  struct sim_def laying = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 0, NULL);
  ck_assert_mem_eq(&def.vessel.hull, &laying.vessel.hull, sizeof def.vessel.hull);
  ck_assert_mem_eq(def.vessel.damping_linear, laying.vessel.damping_linear, sizeof def.vessel.damping_linear);
  ck_assert_mem_eq(&def.vessel.plant, &laying.vessel.plant, sizeof def.vessel.plant);
  ck_assert_mem_eq(def.vessel.inertia, source.vessel.inertia, sizeof def.vessel.inertia);
  ck_assert_double_eq(def.vessel.waterplane_area_m2, source.vessel.waterplane_area_m2);
  ck_assert_double_eq(def.vessel.gm_transverse_m, source.vessel.gm_transverse_m);
  ck_assert_double_eq(def.vessel.gm_longitudinal_m, source.vessel.gm_longitudinal_m);
  for (int i = 2; i < 5; i++)
    ck_assert_double_eq(def.vessel.damping_linear[i][i], source.vessel.damping_linear[i][i]);
  ck_assert_double_eq_tol(def.vessel.inertia[1][1] / def.vessel.damping_linear[1][1], 100, 1e-6);
  ck_assert_double_eq_tol(def.vessel.inertia[5][5] / def.vessel.damping_linear[5][5], 20, 1e-6);
  ck_assert_double_eq_tol(def.vessel.damping_quadratic[0], 0.5 * 1025 * 18 * 5 * 0.07, 1e-6);

  def.vessel.plant.thruster_count = 0;
  def.step_s = 0.05;
  struct sim *s = shipped_create(&def);
  const double wrench[6] = {0, 2e5};
  struct sim_output o;
  for (int k = 0; k < 6000; k++)
    sim_step(s, &(struct sim_input){.wrench_b = wrench});
  sim_get_output(s, &o);
  ck_assert_double_eq_tol(o.velocity_b[1], 0.948312652, 0.06 * 0.948312652); // the source, after 300 s
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("hull");
  TCase *t = add_case(suite, "hull", 60);
  tcase_add_test(t, level_1_forces);
  tcase_add_test(t, munk_is_part_of_the_coefficients);
  tcase_add_test(t, no_drag_drives);
  tcase_add_test(t, strips_are_the_integral);
  tcase_add_test(t, rows_that_drive_are_found);
  tcase_add_loop_test(t, as_the_source, 0, (int)(sizeof SOURCE_CASES / sizeof *SOURCE_CASES));
  tcase_add_test(t, shipped_vessel);
  return run_suite(suite);
}
