// Transfer functions, interpolated in the tables of a diffraction code or in given rows, or computed for a
// box of length L, beam B, draft T and centre x_c. The wave a cos(phi) travels at chi from the bow. With kx =
// k cos chi, ky = k sin chi, u = kx L/2, v = ky B/2, phi_c = phi - kx x_c and
//   s(u) = sin u/u,  j(u) = 3 (sin u - u cos u)/u^3,  d_h = (1 - e^-kT)/(kT),  d_v = e^-kT,
// the water's accelerations averaged over the hull (z down) are -g k_i d_h s(u) s(v) a sin phi_c in surge and
// sway and w^2 d_v s(u) s(v) a cos phi_c in heave; its slopes are k_i d_v j(.) s(.) a sin phi_c. The sum of
// the Froude-Krylov and the added-mass force is
//   X = M_11 acc_x,  Y = M_22 acc_y,  Z = -C_33 d_v s s a cos phi_c + A_33 acc_z,
//   K = -(C_44 - w^2 A_44) slope_y,  M = (C_55 - w^2 A_55) slope_x - x_F Z_static,
//   N = g kx ky d_h [M_22 L^2/12 j(u) s(v) - M_11 B^2/12 j(v) s(u)] a cos phi_c,
// plus, on every row i, the coupling M_ij acc_j for j = surge, sway, heave and j /= i. In a long wave the
// vessel's surge, heave and pitch follow the water. Drift: a wall that reflects a share R of the amplitude of
// a wave at oblique incidence is loaded by rho g a^2 R^2 sin|sin|/2 per length. R(kT) = pi I1/sqrt(pi^2 I1^2
// + K1^2) holds for a thin vertical plate in deep water (Ursell 1947).
#include "sagbend/vessel/wave_response.h"

#include "sagbend/math/explog.h"
#include "sagbend/math/trig.h"

#include <math.h>

static void means_over(double u, double *s, double *j) {
  double sine = trig_sin(u);
  *s = fabs(u) < 1e-4 ? 1 - u * u / 6 : sine / u;
  *j = fabs(u) < 0.01 ? 1 - u * u / 10 : 3 * (sine - u * trig_cos(u)) / (u * u * u);
}

static void box_transfer(const struct vessel_def *def, const struct env_def *env, double omega, double k,
                         double chi, double re[6], double im[6]) {
  const struct wave_response_def *box = &def->waves;
  double gravity = env->gravity_mps2, kx = k * trig_cos(chi), ky = k * trig_sin(chi), kt = k * box->draft_m;
  double u = 0.5 * kx * box->length_m, v = 0.5 * ky * box->beam_m, vertical = explog_exp(-kt);
  double su, sv, ju, jv;
  means_over(u, &su, &ju);
  means_over(v, &sv, &jv);
  double horizontal = kt > 1e-6 ? (1 - vertical) / kt : 1, mean = su * sv, square = omega * omega;
  const double acceleration[3] = {gravity * kx * horizontal * mean, gravity * ky * horizontal * mean,
                                  square * vertical * mean};
  double heave = env->water_density_kgpm3 * gravity * def->waterplane_area_m2 * vertical * mean;
  double roll = def->mass_kg * gravity * def->gm_transverse_m,
         pitch = def->mass_kg * gravity * def->gm_longitudinal_m;
  double l2 = box->length_m * box->length_m / 12, b2 = box->beam_m * box->beam_m / 12;
  double c[6] = {0}, s[6] = {0}; // factors of a cos phi_c and of a sin phi_c
  s[0] = -def->inertia[0][0] * acceleration[0];
  s[1] = -def->inertia[1][1] * acceleration[1];
  c[2] = -heave + def->added_mass[2][2] * acceleration[2];
  s[3] = -(roll - square * def->added_mass[3][3]) * ky * vertical * jv * su;
  s[4] = (pitch - square * def->added_mass[4][4]) * kx * vertical * ju * sv;
  c[4] = def->flotation_b_m[0] * heave;
  c[3] = -def->flotation_b_m[1] * heave;
  c[5] = gravity * kx * ky * horizontal *
         (def->inertia[1][1] * l2 * ju * sv - def->inertia[0][0] * b2 * jv * su);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++)
      if (j != i)
        *(j < 2 ? &s[i] : &c[i]) += (j < 2 ? -1 : 1) * def->inertia[i][j] * acceleration[j];
  double cosine = trig_cos(kx * box->centre_x_b_m), sine = trig_sin(kx * box->centre_x_b_m);
  // c cos phi_c + s sin phi_c = Re((c - i s) e^(i phi_c)) with e^(i phi_c) = e^(i phi) e^(-i kx x_c)
  for (int i = 0; i < 6; i++) {
    re[i] = c[i] * cosine - s[i] * sine;
    im[i] = -s[i] * cosine - c[i] * sine;
  }
}

// R^2 of a plate of draft T; kt = k T. Midpoint rule for the integrals of I1 and K1.
static double reflection_square(double kt) {
  enum { CELLS = 64 };
  if (kt > 10)
    return 1;
  double i1 = 0, k1 = 0, last = 1.2 * explog_log(1400 / kt); // beyond this e^(-kt cosh t) vanishes
  for (int i = 0; i < CELLS; i++) {
    double angle = TRIG_PI * (i + 0.5) / CELLS, t = last * (i + 0.5) / CELLS;
    double hyperbolic = 0.5 * (explog_exp(t) + explog_exp(-t)), cosine = trig_cos(angle);
    i1 += explog_exp(kt * cosine) * cosine * (TRIG_PI / CELLS); // pi I1
    k1 += explog_exp(-kt * hyperbolic) * hyperbolic * (last / CELLS);
  }
  return i1 * i1 / (i1 * i1 + k1 * k1);
}

double wave_reflection(const struct vessel_def *def, double wavenumber_1pm) {
  int is_box = !(def->hydro && def->hydro->drift.frequencies > 0) && def->waves.drift_count == 0;
  return is_box ? reflection_square(wavenumber_1pm * def->waves.draft_m) : 0;
}

static void box_drift(const struct vessel_def *def, const struct env_def *env, double reflection, double chi,
                      double drift[3]) {
  double x = trig_cos(chi), y = trig_sin(chi);
  double wall = 0.5 * env->water_density_kgpm3 * env->gravity_mps2 * reflection;
  drift[0] = wall * def->waves.beam_m * x * fabs(x);
  drift[1] = wall * def->waves.length_m * y * fabs(y);
  drift[2] = def->waves.centre_x_b_m * drift[1];
}

// Position of a frequency and a heading in the rows: four rows with weights for bilinear interpolation.
// mirrored: the rows are those of the opposite side.
struct cell {
  int row[4];
  double weight[4];
  int mirrored;
};

// Rows are stride numbers apart and begin with omega and heading. Below the lowest frequency its rows hold;
// above the highest the result is zero.
static struct cell cell_of(const double *rows, int stride, int count, double omega, double heading) {
  struct cell at = {{0}, {0}, 0};
  int headings = 1;
  while (headings < count && rows[headings * stride] == rows[0])
    headings++;
  int frequencies = count / headings, full_turn = rows[(headings - 1) * stride + 1] > TRIG_PI + 1e-9;
  double angle = trig_wrap(heading), share_f = 0, share_h = 0;
  if (!full_turn && angle < 0)
    angle = -angle, at.mirrored = 1;
  if (full_turn && angle < 0)
    angle += 2 * TRIG_PI;

  int f = 0, h = 0, next_f, next_h;
  while (f < frequencies - 1 && rows[(f + 1) * headings * stride] <= omega)
    f++;
  while (h < headings - 1 && rows[(h + 1) * stride + 1] <= angle)
    h++;
  next_f = f < frequencies - 1 ? f + 1 : f;
  next_h = h < headings - 1 ? h + 1 : full_turn ? 0 : h;

  double low = rows[f * headings * stride], high = rows[next_f * headings * stride];
  if (high > low && omega > low)
    share_f = (omega - low) / (high - low);
  double from = rows[h * stride + 1], to = rows[next_h * stride + 1] + (next_h < h ? 2 * TRIG_PI : 0);
  if (to > from)
    share_h = (angle - from) / (to - from);

  double beyond = omega > high ? 0 : 1;
  for (int i = 0; i < 4; i++) {
    at.row[i] = (i < 2 ? f : next_f) * headings + (i % 2 ? next_h : h);
    at.weight[i] = beyond * (i < 2 ? 1 - share_f : share_f) * (i % 2 ? share_h : 1 - share_h);
  }
  return at;
}

// Sign of a component for a wave on the opposite side: surge, heave and pitch keep it; sway, roll and yaw
// change it.
static double component_sign(const struct cell *at, int component) {
  return at->mirrored && component % 2 ? -1 : 1;
}

void wave_transfer(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                   double wavenumber_1pm, double heading_rad, double re[6], double im[6]) {
  const struct wave_response_def *waves = &def->waves;
  if (def->hydro && def->hydro->force.frequencies > 0) {
    double pairs[12];
    hydro_table_interpolate(&def->hydro->force, omega_radps, heading_rad, pairs);
    for (int k = 0; k < 6; k++)
      re[k] = pairs[2 * k], im[k] = pairs[2 * k + 1];
    return;
  }
  if (waves->force_count == 0) {
    box_transfer(def, env, omega_radps, wavenumber_1pm, heading_rad, re, im);
    return;
  }
  struct cell at = cell_of(&waves->force[0].omega_radps, (int)(sizeof waves->force[0] / sizeof(double)),
                           waves->force_count, omega_radps, heading_rad);
  for (int k = 0; k < 6; k++) {
    re[k] = im[k] = 0;
    for (int i = 0; i < 4; i++) {
      const struct force_row *row = &waves->force[at.row[i]];
      double size = component_sign(&at, k) * at.weight[i] * row->amplitude[k];
      re[k] += size * trig_cos(row->phase_rad[k]);
      im[k] += size * trig_sin(row->phase_rad[k]);
    }
  }
}

void wave_drift(const struct vessel_def *def, const struct env_def *env, double omega_radps,
                double reflection, double heading_rad, double drift[3]) {
  const struct wave_response_def *waves = &def->waves;
  if (def->hydro && def->hydro->drift.frequencies > 0) {
    hydro_table_interpolate(&def->hydro->drift, omega_radps, heading_rad, drift);
    return;
  }
  if (waves->drift_count == 0) {
    box_drift(def, env, reflection, heading_rad, drift);
    return;
  }
  struct cell at =
      cell_of(&waves->drift_rows[0].omega_radps, (int)(sizeof waves->drift_rows[0] / sizeof(double)),
              waves->drift_count, omega_radps, heading_rad);
  for (int k = 0; k < 3; k++) {
    drift[k] = 0;
    for (int i = 0; i < 4; i++)
      drift[k] += (at.mirrored && k > 0 ? -1 : 1) * at.weight[i] * waves->drift_rows[at.row[i]].c[k];
  }
}
