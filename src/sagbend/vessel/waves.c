// The vessel in waves: memory of the radiation, forces by transfer functions, drift.
//
// Midpoint over d, m the mean of both ends:
//   q1 - q0 = d p_m,   p1 - p0 = d (-W q_m - R p_m + G nu_m),   q_m = q0 + d/2 p_m
//   p_m = S (p0 - d/2 W q0) + d/2 S G nu_m,   S = (I + d/2 R + d^2/4 W)^-1
// (p1 - p0).p_m + (q1 - q0)'W q_m = d (G' p_m).nu_m - d p_m'R p_m is the change of the energy.
#include "sagbend/vessel/vessel.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

struct radiation radiation_of(const struct hydro_memory *memory) {
  struct radiation radiation = {.count = memory->count};
  hydro_memory_factor(memory, radiation.factor);
  for (int k = 0; k < memory->count; k++) {
    radiation.stiffness_1ps2[k] = memory->omega_radps[k] * memory->omega_radps[k];
    memcpy(radiation.drive[k], memory->drive[k], sizeof radiation.drive[k]);
  }
  return radiation;
}

// x = (L L')^-1 x
static void solve(int n, const double (*factor)[MAX_OSCILLATORS], double x[MAX_OSCILLATORS]) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      x[i] -= factor[i][k] * x[k];
    x[i] /= factor[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= factor[i][i];
    for (int k = 0; k < i; k++)
      x[k] -= factor[i][k] * x[i];
  }
}

// The lower triangle of a symmetric positive definite matrix becomes its Cholesky factor.
static void factorise(int n, double a[MAX_OSCILLATORS][MAX_OSCILLATORS]) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
    }
}

// The inverse of a matrix by its Cholesky factor, symmetric to the last bit.
static void invert(int n, const double (*factor)[MAX_OSCILLATORS],
                   double inverse[MAX_OSCILLATORS][MAX_OSCILLATORS]) {
  for (int j = 0; j < n; j++) {
    double column[MAX_OSCILLATORS] = {0};
    column[j] = 1;
    solve(n, factor, column);
    for (int i = j; i < n; i++)
      inverse[i][j] = inverse[j][i] = column[i];
  }
}

struct radiation_step radiation_step_of(const struct radiation *radiation, double duration_s) {
  struct radiation_step step = {.duration_s = duration_s};
  double matrix[MAX_OSCILLATORS][MAX_OSCILLATORS] = {{0}};
  const int n = radiation->count;
  const double half = 0.5 * duration_s;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double damping = 0;
      for (int k = 0; k <= j; k++)
        damping += radiation->factor[i][k] * radiation->factor[j][k];
      matrix[i][j] = half * damping + (i == j ? 1 + half * half * radiation->stiffness_1ps2[i] : 0);
    }
  factorise(n, matrix);
  invert(n, (const double (*)[MAX_OSCILLATORS])matrix, step.inverse);
  for (int j = 0; j < 6; j++) {
    double column[MAX_OSCILLATORS];
    for (int k = 0; k < n; k++)
      column[k] = half * radiation->drive[k][j];
    solve(n, (const double (*)[MAX_OSCILLATORS])matrix, column);
    for (int k = 0; k < n; k++)
      step.response[k][j] = column[k];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      for (int k = 0; k < n; k++)
        step.impedance[i][j] += radiation->drive[k][i] * step.response[k][j];
      step.impedance[j][i] = step.impedance[i][j];
    }
  return step;
}

static void force_of(const struct radiation *radiation, struct radiation_flow *flow) NONBLOCKING {
  for (int j = 0; j < 6; j++)
    flow->force[j] = 0;
  for (int k = 0; k < radiation->count; k++)
    for (int j = 0; j < 6; j++)
      flow->force[j] += radiation->drive[k][j] * flow->p_mean[k];
}

void radiation_begin(const struct radiation *radiation, const struct radiation_step *step,
                     const struct radiation_state *state, struct radiation_flow *flow) {
  const int n = radiation->count;
  double start[MAX_OSCILLATORS];
  for (int k = 0; k < n; k++) {
    start[k] = state->p[k] - 0.5 * step->duration_s * radiation->stiffness_1ps2[k] * state->q[k];
    flow->p_mean[k] = 0;
  }
  for (int j = 0; j < n; j++) // row by row of the symmetric inverse, so that the sums stand side by side
    for (int i = 0; i < n; i++)
      flow->p_mean[i] += step->inverse[j][i] * start[j];
  force_of(radiation, flow);
}

double radiation_end(const struct radiation *radiation, const struct radiation_step *step,
                     struct radiation_state *state, struct radiation_flow *flow, const double nu_r[6]) {
  const int n = radiation->count;
  double loss = 0, along[MAX_OSCILLATORS] = {0};
  for (int k = 0; k < n; k++) {
    double *p = &flow->p_mean[k];
    for (int j = 0; j < 6; j++)
      *p += step->response[k][j] * nu_r[j];
    state->q[k] += step->duration_s * *p;
    state->p[k] = 2 * *p - state->p[k];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      along[j] += radiation->factor[i][j] * flow->p_mean[i];
  for (int j = 0; j < n; j++)
    loss += along[j] * along[j];
  force_of(radiation, flow);
  return step->duration_s * loss;
}

double radiation_energy_j(const struct radiation *radiation, const struct radiation_state *state) {
  double sum = 0;
  for (int k = 0; k < radiation->count; k++)
    sum += state->p[k] * state->p[k] + radiation->stiffness_1ps2[k] * state->q[k] * state->q[k];
  return 0.5 * sum;
}

int radiation_state_is_valid(const struct radiation *radiation, const struct radiation_state *state,
                             struct reason *why) {
  return radiation->count == 0 || (valid_finite(state->q, radiation->count, "q", why) &&
                                   valid_finite(state->p, radiation->count, "p", why));
}

// ------------------------------------------------------------
// Wave component k has the phasor e_k = a_k e^(i phi_k) at the reference point. T_jk is its transfer function
// and D_jk its drift coefficient at the vessel's heading, interpolated by a cubic through four rows of the
// table:
//   first order  F_j = Re(sum T_jk e_k),
//   slow drift   F_j = Re(sum s_jk e_k . conj(sum |s_jk| e_k)), s = sign(D) sqrt|D|:
// This is Newman's approximation (Newman 1974): sqrt(D_jk D_jl) a_k a_l cos(phi_k - phi_l) for pairs of equal
// sign and zero for others. It contains difference frequencies only and has the mean sum D a^2. Where D
// changes sign with the heading, s is smooth. Forces are computed in the level frame of the heading, then
// rotated to b.

enum { DRIFT_ROW = 12 };

static double *row_of(const struct wave_response *response, const struct sea *sea, int heading, int row) {
  return response->table + ((size_t)heading * WAVE_ROWS + (size_t)row) * (size_t)sea->count;
}

void wave_response_create(struct wave_response *response, const struct vessel_def *def,
                          const struct env_def *env, const struct sea *sea, struct arena *memory) {
  *response = (struct wave_response){.first_order = def->waves.first_order, .drift = def->waves.drift};
  if (sea->count == 0 || !def->waves.present || !(response->first_order || response->drift))
    return;
  response->present = 1;
  response->table =
      arena_take(memory, (size_t)WAVE_HEADINGS * WAVE_ROWS * (size_t)sea->count, sizeof(double));
  if (!response->table)
    return;
  for (int k = 0; k < sea->count; k++) {
    if (sea->amplitude_m[k] == 0) // padding of the last SIMD lanes
      continue;
    double reflection = response->drift ? wave_reflection(def, sea->wavenumber_1pm[k]) : 0;
    for (int heading_row = 0; heading_row < WAVE_HEADINGS; heading_row++) {
      double re[6], im[6], drift[3],
          heading = sea->direction_rad[k] - 2 * TRIG_PI * heading_row / WAVE_HEADINGS;
      wave_transfer(def, env, sea->omega_radps[k], sea->wavenumber_1pm[k], heading, re, im);
      wave_drift(def, env, sea->omega_radps[k], reflection, heading, drift);
      for (int i = 0; i < 6; i++) {
        row_of(response, sea, heading_row, 2 * i)[k] = re[i];
        row_of(response, sea, heading_row, 2 * i + 1)[k] = im[i];
      }
      for (int i = 0; i < 3; i++)
        row_of(response, sea, heading_row, DRIFT_ROW + i)[k] =
            drift[i] < 0 ? -sqrt(-drift[i]) : sqrt(drift[i]);
    }
  }
}

// Four neighbouring headings of the table and their weights (cubic of Catmull and Rom 1974).
struct between {
  const double *row[4];
  double weight[4];
};

static struct between headings_about(const struct wave_response *response, const struct sea *sea,
                                     double heading) {
  double place = heading * (WAVE_HEADINGS / (2 * TRIG_PI)) + WAVE_HEADINGS;
  int first = (int)place;
  double share = place - first;
  struct between between = {
      .weight = {0.5 * share * (share * (2 - share) - 1), 0.5 * (share * share * (3 * share - 5) + 2),
                 0.5 * share * (share * (4 - 3 * share) + 1), 0.5 * share * share * (share - 1)}};
  for (int i = 0; i < 4; i++)
    between.row[i] = row_of(response, sea, (first + i - 1) % WAVE_HEADINGS, 0);
  return between;
}

// Values of LANES consecutive components at the heading; offset: of row and first component in the table.
KERNEL_INLINE void value_at(lanes *value, const struct between *at, size_t offset) {
  lanes a, b, c, d; // four variables stay in registers, an array would not
  lanes_load(&a, at->row[0] + offset);
  lanes_load(&b, at->row[1] + offset);
  lanes_load(&c, at->row[2] + offset);
  lanes_load(&d, at->row[3] + offset);
  *value = (at->weight[0] * a + at->weight[1] * b) + (at->weight[2] * c + at->weight[3] * d);
}

KERNEL_INLINE double sum_of(const lanes *v) {
  return ((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]);
}

// Re(sum T e). The real parts of T are in this row of the table, the imaginary parts in the next.
KERNEL_CLONES
static double first_order(const struct between *at, int row, int count, const double *cosine,
                          const double *sine) {
  lanes sum = {0};
  size_t re_row = (size_t)row * (size_t)count, im_row = re_row + (size_t)count;
  for (int k = 0; k < count; k += LANES) {
    lanes re, im, c, s;
    value_at(&re, at, re_row + (size_t)k);
    value_at(&im, at, im_row + (size_t)k);
    lanes_load(&c, cosine + k);
    lanes_load(&s, sine + k);
    sum = sum + (re * c - im * s);
  }
  return sum_of(&sum);
}

// Re(sum s e . conj(sum |s| e)).
KERNEL_CLONES
static double slow_drift(const struct between *at, int row, int count, const double *cosine,
                         const double *sine) {
  lanes re = {0}, im = {0}, abs_re = {0}, abs_im = {0};
  for (int k = 0; k < count; k += LANES) {
    lanes root, size, c, s;
    value_at(&root, at, (size_t)row * (size_t)count + (size_t)k);
    lanes_abs(&size, &root);
    lanes_load(&c, cosine + k);
    lanes_load(&s, sine + k);
    re = re + root * c;
    im = im + root * s;
    abs_re = abs_re + size * c;
    abs_im = abs_im + size * s;
  }
  return sum_of(&re) * sum_of(&abs_re) + sum_of(&im) * sum_of(&abs_im);
}

void wave_response_wrench(const struct wave_response *response, const struct sea *sea, double time_s,
                          const struct vessel_state *state, double wrench_b[6]) {
  double cosine[MAX_WAVES], sine[MAX_WAVES], level[6] = {0};
  memset(wrench_b, 0, 6 * sizeof *wrench_b);
  mat3 q = quat_matrix(state->q_nb);
  struct heading heading = heading_of(&q);
  if (!response->present || !heading.present)
    return;

  sea_phasors(sea, time_s, state->x_n.x, state->x_n.y, cosine, sine);
  struct between at = headings_about(response, sea, trig_atan2(q.m[1][0], q.m[0][0]));
  for (int i = 0; response->first_order && i < 6; i++)
    level[i] = first_order(&at, 2 * i, sea->count, cosine, sine);
  for (int i = 0; response->drift && i < 3; i++)
    level[i < 2 ? i : 5] += slow_drift(&at, DRIFT_ROW + i, sea->count, cosine, sine);

  for (int i = 0; i < 6; i += 3)
    vec3_to(mat3_tmul(&q, heading_to_world(&heading, level + i)), wrench_b + i);
}

// ------------------------------------------------------------
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
