// A vessel's answer to a regular wave, without and with the memory of the radiation, against its linear
// equations.
#include "verification/harness/harness.h"

#include <complex.h>
#include <math.h>

static const double PI = 3.14159265358979323846;
#define J ((double complex)I) // in double precision

// (G - w^2 M + i w D) q = F by Gauss's method with pivots.
static void solve6(double complex a[6][7]) {
  for (int k = 0; k < 6; k++) {
    int pivot = k;
    for (int i = k + 1; i < 6; i++)
      if (cabs(a[i][k]) > cabs(a[pivot][k]))
        pivot = i;
    for (int j = 0; j < 7; j++) {
      double complex held = a[k][j];
      a[k][j] = a[pivot][j], a[pivot][j] = held;
    }
    for (int i = 0; i < 6; i++)
      for (int j = 6; i != k && j >= k; j--)
        a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  for (int i = 0; i < 6; i++)
    a[i][6] /= a[i][i];
}

// The exciting force per metre of amplitude, by sums over the hull: the box is cut into cells, and each has
// the water's acceleration and the surface's height of a wave e^(i (omega t - k . x) - k z). Averages of the
// accelerations times the masses, averages of the height times the stiffnesses, first moments over those of
// the box for the slopes.
static void excitation(const struct sim_def *def, double omega, double k, double heading,
                       double complex force[6]) {
  enum { ALONG = 400, ABEAM = 120, DOWN = 60 };
  const struct vessel_def *v = &def->vessel;
  const struct wave_response_def *w = &v->waves;
  const double g = def->env.gravity_mps2, kx = k * cos(heading), ky = k * sin(heading);
  // Over the waterplane: 1, x and y times the height at the surface.
  double complex mean = 0, by_x = 0, by_y = 0;
  double depth = 0, inertia_x = 0, inertia_y = 0, cells = ALONG * ABEAM;
  for (int i = 0; i < ALONG; i++)
    for (int j = 0; j < ABEAM; j++) {
      double x = w->length_m * ((i + 0.5) / ALONG - 0.5), y = w->beam_m * ((j + 0.5) / ABEAM - 0.5);
      double complex height = cexp(-J * (kx * (w->centre_x_b_m + x) + ky * y));
      mean += height / cells, by_x += x * height / cells, by_y += y * height / cells;
      inertia_x += x * x / cells, inertia_y += y * y / cells;
    }
  for (int i = 0; i < DOWN; i++)
    depth += exp(-k * w->draft_m * (i + 0.5) / DOWN) / DOWN;
  const double keel = exp(-k * w->draft_m);
  // Accelerations at the height's phase.
  const double complex surge = J * g * kx * depth, sway = J * g * ky * depth;
  const double complex acceleration[3] = {surge * mean, sway * mean, omega * omega * keel * mean};
  // Slopes of the height, aft and to port.
  const double complex slope_x = keel * by_x / inertia_x, slope_y = keel * by_y / inertia_y;
  const double roll = v->mass_kg * g * v->gm_transverse_m, pitch = v->mass_kg * g * v->gm_longitudinal_m;
  const double complex buoyancy = -def->env.water_density_kgpm3 * g * v->waterplane_area_m2 * keel * mean;
  force[0] = v->inertia[0][0] * acceleration[0];
  force[1] = v->inertia[1][1] * acceleration[1];
  force[2] = buoyancy + v->added_mass[2][2] * acceleration[2];
  force[3] = -(roll - omega * omega * v->added_mass[3][3]) * slope_y + v->flotation_b_m[1] * buoyancy;
  force[4] = (pitch - omega * omega * v->added_mass[4][4]) * slope_x - v->flotation_b_m[0] * buoyancy;
  force[5] = v->inertia[1][1] * sway * by_x - v->inertia[0][0] * surge * by_y;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++)
      force[i] += i == j ? 0 : v->inertia[i][j] * acceleration[j];
}

// K(i omega) of oscillators without coupling, element i, j: the sum of s g g/(s^2 + s r + w^2).
static double complex memory_impedance(const struct hydro_memory *memory, double omega, int i, int j) {
  const double complex s = J * omega;
  double complex sum = 0;
  for (int k = 0; k < memory->count; k++)
    sum += s * memory->drive[k][i] * memory->drive[k][j] /
           (s * s + s * memory->damping_1ps[k][k] + memory->omega_radps[k] * memory->omega_radps[k]);
  return sum;
}

static void linear_response(const struct sim_def *def, double omega, double k, double heading,
                            double complex answer[6]) {
  const struct vessel_def *v = &def->vessel;
  double arm[6] = {0, 0, 1, v->flotation_b_m[1], -v->flotation_b_m[0], 0};
  double heave = def->env.water_density_kgpm3 * def->env.gravity_mps2 * v->waterplane_area_m2;
  double weight = v->mass_kg * def->env.gravity_mps2;
  double complex a[6][7], force[6];
  excitation(def, omega, k, heading, force);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++)
      a[i][j] = heave * arm[i] * arm[j] - omega * omega * v->inertia[i][j] +
                J * omega * (v->damping_linear[i][j] + memory_impedance(&v->radiation, omega, i, j));
    a[i][6] = force[i];
  }
  a[3][3] += weight * v->gm_transverse_m;
  a[4][4] += weight * v->gm_longitudinal_m;
  solve6(a);
  for (int i = 0; i < 6; i++)
    answer[i] = a[i][6];
}

// The motion's part at the wave's frequency over whole periods, after the start has died away, per metre of
// amplitude; a slow way left of the start is taken off as a parabola would be: by a second difference over
// periods.
static int measured_answer(struct sim_def def, double omega, double amplitude, double complex answer[6],
                           struct verify_result *r) {
  enum { PER_PERIOD = 400, FROM = 150, PERIODS = 12 };
  def.step_s = 2 * PI / omega / PER_PERIOD;
  struct sim *s = scene_create(&def, r);
  double complex sum[3][6] = {{0}};
  if (!s)
    return 0;
  const double nothing[6] = {0};
  const struct sim_input still = {.wrench_b = nothing};
  for (int k = 0; k < (FROM + 3 * PERIODS) * PER_PERIOD; k++) {
    sim_step(s, &still);
    struct sim_output o;
    int since = k + 1 - FROM * PER_PERIOD;
    if (since <= 0)
      continue;
    sim_get_output(s, &o);
    double complex phase = cexp(-J * omega * o.time_s);
    for (int i = 0; i < 6; i++)
      sum[(since - 1) / (PERIODS * PER_PERIOD)][i] +=
          (i < 3 ? o.position_n_m[i] : o.euler_rad[i - 3]) * phase;
  }
  for (int i = 0; i < 6; i++)
    answer[i] =
        2 * (0.25 * sum[0][i] + 0.5 * sum[1][i] + 0.25 * sum[2][i]) / (PERIODS * PER_PERIOD) / amplitude;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "ledger closure, %.3g s",
             2 * PI / omega);
  scene_free(s);
  return 1;
}

static void compare_answers(struct verify_result *r, const double complex got[6],
                            const double complex wanted[6], const char *how, double period) {
  static const char *const name[] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};
  const int is_long = period > 15;                                 // what is left of the start is larger
  static const double limits[2][2] = {{5e-4, 1e-2}, {3e-3, 2e-2}}; // of the amplitudes, and of the small yaw
  for (int i = 0; i < 6; i++) {
    double most = i < 3 ? cabs(wanted[2]) + cabs(wanted[0]) : cabs(wanted[3]) + cabs(wanted[4]);
    const double limit = limits[is_long][i == 5];
    verify_add(r, VERIFY_RELATIVE, i < 3 ? "m/m" : "rad/m", cabs(got[i]), cabs(wanted[i]), limit,
               "%s%s, %g s: amplitude", how, name[i], period);
    verify_add(r, VERIFY_ABSOLUTE, "", cabs(got[i] - wanted[i]) / most, 0, is_long ? 1.5e-3 : 2e-4,
               "%s%s, %g s: distance of the phasors over the largest motion", how, name[i], period);
  }
}

// Gives the vessel the exciting force as the rows of a table, about the heading and the frequency of the
// wave.
static void tabulate(struct sim_def *def, double omega, double k, double heading) {
  struct wave_response_def *waves = &def->vessel.waves;
  const struct sim_def box = *def;
  waves->force_count = 0;
  for (int f = 0; f < 2; f++)
    for (int h = -1; h <= 1; h++) {
      double complex force[6];
      struct force_row *row = &waves->force[waves->force_count++];
      row->omega_radps = (f ? 1.01 : 0.99) * omega, row->heading_rad = heading + h * PI / 36;
      excitation(&box, omega, k, row->heading_rad, force);
      for (int i = 0; i < 6; i++)
        row->amplitude[i] = cabs(force[i]), row->phase_rad[i] = carg(force[i]);
    }
}

// Compares the motions of the 83 m vessel in small oblique waves with the linear answer.
static void regular_waves(const struct verify_setup *setup, const struct hydro_memory *memory,
                          struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "vessels/osv-83m-published", 0, NULL, &def, r))
    return;
  const double height = 0.002, heading = 50 * PI / 180; // travels 50 degrees off the bow
  verify_run_with(
      r,
      "configs/vessels/osv-83m-published.yaml without thrusters, waves of %g mm that travel 50 degrees off "
      "the bow, 400 steps per period%s",
      1e3 * height, memory ? ", memory of four oscillators" : "");
  def.vessel.plant.thruster_count = 0;
  for (int i = 0; i < 6; i++) { // as damped as a vessel that is held: the start dies away sooner
    def.vessel.damping_quadratic[i] = 0;
    def.vessel.damping_linear[i][i] *= i < 2 || i == 5 ? 20 : memory ? 0.2 : 1;
  }
  if (memory)
    def.vessel.radiation = *memory;
  def.vessel.waves = (struct wave_response_def){
      .present = 1, .first_order = 1, .length_m = 76, .beam_m = 18, .draft_m = 5, .centre_x_b_m = -0.5};
  static const double periods[] = {6, 8, 12, 18};
  for (int p = 0; p < 4; p++) {
    double complex got[6], wanted[6];
    double omega = 2 * PI / periods[p];
    def.env.waves = (struct waves_def){.present = 1,
                                       .spectrum = WAVES_REGULAR,
                                       .height_m = height,
                                       .period_s = periods[p],
                                       .direction_rad = heading + PI,
                                       .profile = {.ramp_s = 100}};
    double k = omega * omega / def.env.gravity_mps2; // deep: 300 m
    linear_response(&def, omega, k, heading, wanted);
    if (!measured_answer(def, omega, height / 2, got, r))
      return;
    compare_answers(r, got, wanted, "", periods[p]);
    if (memory || p != 1)
      continue;
    tabulate(&def, omega, k, heading);
    if (!measured_answer(def, omega, height / 2, got, r))
      return;
    compare_answers(r, got, wanted, "force from a table: ", periods[p]);
    def.vessel.waves.force_count = 0;
  }
}

void verify_regular_wave(const struct verify_setup *setup, struct verify_result *r) {
  regular_waves(setup, NULL, r);
}

void verify_radiation_memory(const struct verify_setup *setup, struct verify_result *r) {
  static const struct hydro_memory memory = {.count = 4,
                                             .omega_radps = {0.5, 1.1, 0.6, 1.0},
                                             .damping_1ps = {{0.4}, {0, 0.6}, {0, 0, 0.5}, {0, 0, 0, 0.7}},
                                             .drive = {{0, 0, 1200, 0, 9e3, 0},
                                                       {100, 0, -600, 0, 2e4, 0},
                                                       {0, 700, 0, 800, 0, 5e3},
                                                       {0, -400, 0, 1500, 0, 9e3}}};
  regular_waves(setup, &memory, r);
}
