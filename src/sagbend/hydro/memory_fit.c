// Fits the memory of the radiation to added mass and damping.
#include "sagbend/hydro/hydro.h"
#include "sagbend/hydro/hydro_internal.h"

#include "sagbend/vessel/vessel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ORDER = 2, TRIAL_ITERATIONS = 25, ITERATIONS = 150, REWEIGHTINGS = 12, STARTS = 5, PAIRS = 21 };

struct fit {
  const struct fit_data *data;
  struct least_squares work;
  double frequency_scale; // rad/s
  double peak[6];         // of B, by degree of freedom of the group
  double *omega;          // scaled copies, [frequency]
  double (*added_mass)[6][6], (*damping)[6][6];
  double x[MAX_PARAMETERS]; // best solution of the present order
};

static void release(struct fit *fit) {
  free(fit->omega);
  free(fit->added_mass);
  free(fit->damping);
  free(fit->work.weight);
  free(fit->work.normal);
  free(fit->work.factor);
  free(fit->work.derivative);
}

// Peaks of the damping, and the frequency at which the sum of the scaled damping is largest.
static void find_scales(struct fit *fit) {
  const struct fit_data *data = fit->data;
  double most = -1;
  for (int a = 0; a < data->count; a++)
    for (int f = 0; f < data->frequencies; f++)
      fit->peak[a] = fmax(fit->peak[a], data->damping[f][data->dof[a]][data->dof[a]]);
  for (int f = 0; f < data->frequencies; f++) {
    double sum = 0;
    for (int a = 0; a < data->count; a++)
      sum += data->damping[f][data->dof[a]][data->dof[a]] / fit->peak[a];
    if (sum > most)
      most = sum, fit->frequency_scale = data->omega_radps[f];
  }
}

static enum status start(struct fit *fit) {
  const struct fit_data *data = fit->data;
  size_t count = (size_t)data->frequencies;
  struct least_squares *work = &fit->work;
  fit->omega = calloc(count, sizeof *fit->omega);
  fit->added_mass = calloc(count, sizeof *fit->added_mass);
  fit->damping = calloc(count, sizeof *fit->damping);
  work->weight = calloc(count, sizeof *work->weight);
  work->normal = calloc((size_t)MAX_PARAMETERS * MAX_PARAMETERS, sizeof(double));
  work->factor = calloc((size_t)MAX_PARAMETERS * MAX_PARAMETERS, sizeof(double));
  work->derivative = calloc(PAIRS, sizeof *work->derivative);
  if (!fit->omega || !fit->added_mass || !fit->damping || !work->weight || !work->normal || !work->factor ||
      !work->derivative)
    return STATUS_NO_MEMORY;

  find_scales(fit);
  for (int f = 0; f < data->frequencies; f++) {
    fit->omega[f] = data->omega_radps[f] / fit->frequency_scale;
    for (int a = 0; a < data->count; a++)
      for (int b = 0; b < data->count; b++) {
        int i = data->dof[a], j = data->dof[b];
        double scale = 1 / sqrt(fit->peak[a] * fit->peak[b]);
        double known = data->added_mass_inf ? data->added_mass_inf[i][j] : 0;
        fit->damping[f][a][b] = scale * data->damping[f][i][j];
        fit->added_mass[f][a][b] = scale * fit->frequency_scale * (data->added_mass[f][i][j] - known);
      }
  }
  work->model = (struct memory_model){.m = data->count,
                                      .fits_added_mass_inf = data->added_mass_inf == NULL,
                                      .frequencies = data->frequencies,
                                      .slow = data->slow,
                                      .omega = fit->omega,
                                      .damping = (const double (*)[6][6])fit->damping,
                                      .added_mass = (const double (*)[6][6])fit->added_mass,
                                      .lowest_log_w = log(0.25 * data->first_radps / fit->frequency_scale),
                                      .highest_log_w = log(1.6 * data->last_radps / fit->frequency_scale)};
  return STATUS_OK;
}

static double weight_of(const struct fit_data *data, int f, int a, int b) {
  if (f < data->slow)
    return data->slow_weight;
  if (f < data->anchors)
    return data->anchor_weight;
  return data->weight ? data->weight[f][data->dof[a]][data->dof[b]] : 1;
}

static void reset_weights(struct fit *fit) {
  for (int f = 0; f < fit->data->frequencies; f++)
    for (int a = 0; a < fit->data->count; a++)
      for (int b = 0; b <= a; b++)
        fit->work.weight[f][a][b] =
            (a == b ? 1 : 2) * weight_of(fit->data, f, a, b) * weight_of(fit->data, f, a, b);
}

// Largest scaled error of x, times its weight if is_weighted, and where it is.
static double error_of(const struct fit *fit, const double *x, int is_weighted, int *row, int *column,
                       int *frequency) {
  double largest = -1;
  struct oscillators oscillators;
  memory_model_oscillators(&fit->work.model, x, &oscillators);
  *row = *column = *frequency = 0;
  for (int f = fit->data->anchors; f < fit->data->frequencies; f++) {
    double complex residual[6][6];
    memory_model_residual(&fit->work.model, &oscillators, x, f, residual, NULL);
    for (int a = 0; a < fit->data->count; a++)
      for (int b = 0; b <= a; b++) {
        double error = cabs(residual[a][b]) * (is_weighted ? weight_of(fit->data, f, a, b) : 1);
        if (!(error <= largest)) // true for NaN
          largest = error, *row = a, *column = b, *frequency = f;
      }
  }
  return largest;
}

static double largest_error(const struct fit *fit, const double *x, int *row, int *column, int *frequency) {
  return error_of(fit, x, 1, row, column, frequency);
}

// Puts an oscillator with index k = n - 1 at a scaled frequency into x, which has n - 1 of them: moves the
// parameters of the smaller model to their places in the larger one.
static void add_oscillator(struct fit *fit, double *x, double omega, const double *direction) {
  struct memory_model *model = &fit->work.model;
  int old = model->n, n = old + 1, m = model->m;
  double last[MAX_PARAMETERS];
  memcpy(last, x, sizeof last);
  memset(x, 0, sizeof last);
  const double *root = last + old, *drive = root + old * (old + 1) / 2, *inf = drive + old * m;
  double *new_root = x + n, *new_drive = new_root + n * (n + 1) / 2, *new_inf = new_drive + n * m;
  memcpy(x, last, sizeof(double) * (size_t)old);
  memcpy(new_root, root, sizeof(double) * (size_t)(old * (old + 1) / 2));
  memcpy(new_drive, drive, sizeof(double) * (size_t)(old * m));
  if (model->fits_added_mass_inf)
    memcpy(new_inf, inf, sizeof(double) * (size_t)(m * (m + 1) / 2));
  x[old] = fmin(fmax(log(omega), model->lowest_log_w), model->highest_log_w);
  double damping = 0.7 * omega;
  new_root[memory_model_place_of_root(old, old)] = fmin(sqrt(damping), MOST_ROOT_OF_DAMPING);
  for (int a = 0; a < m; a++)
    new_drive[old * m + a] = sqrt(damping) * direction[a];
  model->n = n;
}

// The first oscillators: one for each degree of freedom, at fixed shares of the range.
static void first_guess(struct fit *fit, double *x) {
  static const double places[] = {1, 1.4, 0.8, 1.8, 0.6, 2.2};
  struct memory_model *model = &fit->work.model;
  int m = model->m, order = m > FIRST_ORDER ? m : FIRST_ORDER;
  memset(x, 0, sizeof fit->x);
  model->n = 0;
  if (model->fits_added_mass_inf) // of the highest frequency
    for (int a = 0; a < m; a++)
      for (int b = 0; b <= a; b++)
        x[memory_model_place_of_root(a, b)] = fit->added_mass[fit->data->frequencies - 1][a][b];
  for (int k = 0; k < order; k++) {
    double direction[6] = {0};
    direction[k % m] = 1;
    add_oscillator(fit, x, places[k % 6], direction);
  }
}

// Least squares, then larger weights where errors are large. Keeps the solution with the smallest largest
// error in x and returns that error.
static double polish(struct fit *fit, double *x, int iterations, double tolerance) {
  int row, column, where;
  double best[MAX_PARAMETERS], error;
  reset_weights(fit);
  least_squares_solve(&fit->work, x, iterations);
  error = largest_error(fit, x, &row, &column, &where);
  memcpy(best, x, sizeof best);
  for (int round = 0; round < REWEIGHTINGS && error > tolerance && error < 4 * tolerance; round++) {
    double now = largest_error(fit, x, &row, &column, &where);
    struct oscillators oscillators;
    memory_model_oscillators(&fit->work.model, x, &oscillators);
    for (int f = fit->data->anchors; f < fit->data->frequencies; f++) {
      double complex residual[6][6];
      memory_model_residual(&fit->work.model, &oscillators, x, f, residual, NULL);
      for (int a = 0; a < fit->data->count; a++)
        for (int b = 0; b <= a; b++)
          fit->work.weight[f][a][b] *= 0.3 + 1.7 * cabs(residual[a][b]) * weight_of(fit->data, f, a, b) / now;
    }
    least_squares_solve(&fit->work, x, iterations / 4);
    now = largest_error(fit, x, &row, &column, &where);
    if (now < error) {
      error = now;
      memcpy(best, x, sizeof best);
    }
  }
  memcpy(x, best, sizeof best);
  return error;
}

// One oscillator more: several starts, the best of which goes on.
static double grow(struct fit *fit, double tolerance) {
  struct memory_model *model = &fit->work.model;
  int order = model->n, row, column, where;
  double best_cost = HUGE_VAL, best[MAX_PARAMETERS] = {0};
  largest_error(fit, fit->x, &row, &column, &where);
  reset_weights(fit);
  for (int start_index = 0; start_index < STARTS; start_index++) {
    double x[MAX_PARAMETERS], direction[6] = {0};
    double share = (start_index - 1.0) / (STARTS - 2);
    double low = log(fit->omega[fit->data->anchors]), high = log(fit->omega[fit->data->frequencies - 1]);
    double omega = start_index == 0 ? fit->omega[where] : exp(low + (0.15 + 0.7 * share) * (high - low));
    memcpy(x, fit->x, sizeof x);
    direction[row] = 0.3;
    direction[column] = 0.3;
    model->n = order;
    add_oscillator(fit, x, omega, direction);
    double cost = least_squares_solve(&fit->work, x, TRIAL_ITERATIONS);
    if (cost < best_cost) {
      best_cost = cost;
      memcpy(best, x, sizeof best);
    }
  }
  memcpy(fit->x, best, sizeof best);
  return polish(fit, fit->x, ITERATIONS, tolerance);
}

static void write_result(const struct fit *fit, struct fit_result *out) {
  const struct memory_model *model = &fit->work.model;
  int n = model->n, m = model->m;
  const double *drive = fit->x + n + n * (n + 1) / 2, *inf = drive + n * m;
  double scale = fit->frequency_scale;
  struct oscillators oscillators;
  memory_model_oscillators(model, fit->x, &oscillators);
  *out = (struct fit_result){.count = n};
  for (int i = 0; i < n; i++) {
    out->omega_radps[i] = scale * exp(fit->x[i]);
    for (int j = 0; j <= i; j++)
      out->damping_1ps[i][j] = out->damping_1ps[j][i] = scale * oscillators.damping[i][j];
    for (int a = 0; a < m; a++)
      out->drive[i][fit->data->dof[a]] = drive[i * m + a] * sqrt(scale * fit->peak[a]);
  }
  for (int a = 0; a < m; a++)
    for (int b = 0; b < m; b++) {
      int i = fit->data->dof[a], j = fit->data->dof[b];
      double fitted = inf[a >= b ? memory_model_place_of_root(a, b) : memory_model_place_of_root(b, a)];
      out->added_mass_inf[i][j] = fit->data->added_mass_inf
                                      ? fit->data->added_mass_inf[i][j]
                                      : fitted * sqrt(fit->peak[a] * fit->peak[b]) / scale;
    }
  int row, column;
  out->weighted_error = error_of(fit, fit->x, 1, &row, &column, &out->error_frequency);
  out->error = error_of(fit, fit->x, 0, &row, &column, &out->error_frequency);
  out->error_row = fit->data->dof[row];
  out->error_column = fit->data->dof[column];
}

enum status memory_fit(const struct fit_data *data, double tolerance, int most, struct fit_result *out) {
  struct fit fit = {.data = data};
  enum status status = start(&fit);
  if (status == STATUS_OK) {
    first_guess(&fit, fit.x);
    double error = polish(&fit, fit.x, ITERATIONS, tolerance);
    while (error > tolerance && fit.work.model.n < most)
      error = grow(&fit, tolerance);
    write_result(&fit, out);
  }
  release(&fit);
  return status;
}

// K of a fit at a frequency, and the peaks of the data's damping by degree of freedom of the group.
static void evaluate(const struct fit_data *data, const struct fit_result *fit, double omega, double re[6][6],
                     double im[6][6], double peak[6]) {
  struct hydro_memory memory = {.count = fit->count};
  for (int i = 0; i < fit->count; i++) {
    memory.omega_radps[i] = fit->omega_radps[i];
    memcpy(memory.damping_1ps[i], fit->damping_1ps[i], sizeof fit->damping_1ps[i]);
    memcpy(memory.drive[i], fit->drive[i], sizeof fit->drive[i]);
  }
  for (int a = 0; a < data->count; a++) {
    peak[a] = 0;
    for (int f = 0; f < data->frequencies; f++)
      peak[a] = fmax(peak[a], data->damping[f][data->dof[a]][data->dof[a]]);
  }
  hydro_memory_at(&memory, omega, re, im);
}

void memory_fit_damping(const struct fit_data *data, const struct fit_result *fit, double omega_radps,
                        double ratio[6]) {
  double re[6][6], im[6][6], peak[6];
  evaluate(data, fit, omega_radps, re, im, peak);
  for (int a = 0; a < data->count; a++)
    ratio[a] = re[data->dof[a]][data->dof[a]] / peak[a];
}

double memory_fit_error_at(const struct fit_data *data, const struct fit_result *fit, int frequency) {
  double re[6][6], im[6][6], peak[6], largest = 0, omega = data->omega_radps[frequency];
  evaluate(data, fit, omega, re, im, peak);
  for (int a = 0; a < data->count; a++)
    for (int b = 0; b <= a; b++) {
      int i = data->dof[a], j = data->dof[b];
      double added = data->added_mass[frequency][i][j] - fit->added_mass_inf[i][j];
      double error = hypot(re[i][j] - data->damping[frequency][i][j], im[i][j] - omega * added);
      largest = fmax(largest, error / sqrt(peak[a] * peak[b]));
    }
  return largest;
}

// ------------------------------------------------------------
static const double SMALL = 0.02;             // an error that is not mentioned
static const double RADIATES_LITTLE = 0.02;   // of the peaks: A and B above carry no information
static const double SHARE_OF_CRITICAL = 0.05; // least damping of roll

// K = B + i omega (A - A_inf) of the code at a row of the table of radiation.
static void data_at(const struct hydro_data *data, int f, double re[6][6], double im[6][6]) {
  double omega = data->radiation.omega_radps[f], added[6][6];
  hydro_radiation_at(&data->radiation, omega, added, re);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      im[i][j] = omega * (added[i][j] - data->added_mass_inf[i][j]);
}

static void peaks_of(const struct hydro_data *data, double peak[6]) {
  double re[6][6], im[6][6];
  memset(peak, 0, 6 * sizeof *peak);
  for (int f = 0; f < data->radiation.frequencies; f++) {
    data_at(data, f, re, im);
    for (int i = 0; i < 6; i++)
      peak[i] = fmax(peak[i], re[i][i]);
  }
}

void hydro_fit_judge_memory(struct hydro_data *data) {
  double peak[6], re[6][6], im[6][6], k_re[6][6], k_im[6][6];
  struct hydro_fit above = {.error = 0}; // fit of the range behind the last frequency that radiates
  struct hydro_fit *fit = &data->fit;
  fit->error = data->radiation.frequencies > 0 ? 0 : (double)NAN;
  peaks_of(data, peak);
  for (int f = 0; f < data->radiation.frequencies; f++) {
    double omega = data->radiation.omega_radps[f];
    int radiates = 0;
    data_at(data, f, re, im);
    hydro_memory_at(&data->memory, omega, k_re, k_im);
    for (int i = 0; i < 6; i++) {
      radiates |= peak[i] > 0 && re[i][i] >= RADIATES_LITTLE * peak[i];
      for (int j = 0; j <= i; j++) {
        double error = hypot(k_re[i][j] - re[i][j], k_im[i][j] - im[i][j]), scale = sqrt(peak[i] * peak[j]);
        if (scale > 0 && error > above.error * scale)
          above.error = error / scale, above.row = i, above.column = j, above.omega_radps = omega;
      }
    }
    if (!radiates)
      continue;
    if (above.error > fit->error)
      fit->error = above.error, fit->row = above.row, fit->column = above.column,
      fit->omega_radps = above.omega_radps;
    above.error = 0;
  }
}

// The motions in a wave with K of the memory or of the code. Returns 0 where they cannot be solved.
static int solve_motion(const struct hydro_data *data, double omega, const double force[12],
                        const double (*re)[6], const double (*im)[6], double complex motion[6]) {
  double complex a[6][6];
  double roll = 2 * SHARE_OF_CRITICAL *
                sqrt(fmax(data->restoring[3][3] * (data->mass[3][3] + data->added_mass_inf[3][3]), 0));
  for (int i = 0; i < 6; i++) {
    motion[i] = complex_number(force[2 * i], force[2 * i + 1]);
    for (int j = 0; j < 6; j++) {
      double inertia = data->mass[i][j] + data->added_mass_inf[i][j];
      a[i][j] = complex_number(data->restoring[i][j] - omega * omega * inertia - omega * im[i][j],
                               omega * re[i][j]);
    }
  }
  a[3][3] += complex_number(0, omega * roll);
  return complex_solve(6, 6, a[0], 1, motion) == STATUS_OK;
}

void hydro_fit_judge_motions(struct hydro_data *data) {
  double peak[6] = {0}, re[6][6], im[6][6], k_re[6][6], k_im[6][6], force[12];
  int is_known = data->mass[0][0] > 0 && data->force.frequencies > 0 && data->radiation.frequencies > 0;
  double *error = data->fit.motion;
  for (int i = 0; i < 6; i++)
    error[i] = is_known ? 0 : (double)NAN;
  for (int f = 0; is_known && f < data->radiation.frequencies; f++) {
    double omega = data->radiation.omega_radps[f];
    data_at(data, f, re, im);
    hydro_memory_at(&data->memory, omega, k_re, k_im);
    for (int h = 0; h < data->force.headings; h++) {
      double complex with_data[6], with_memory[6];
      hydro_table_interpolate(&data->force, omega, data->force.heading_rad[h], force);
      if (!solve_motion(data, omega, force, (const double (*)[6])re, (const double (*)[6])im, with_data) ||
          !solve_motion(data, omega, force, (const double (*)[6])k_re, (const double (*)[6])k_im,
                        with_memory))
        continue;
      for (int i = 0; i < 6; i++) {
        peak[i] = fmax(peak[i], cabs(with_data[i]));
        error[i] = fmax(error[i], cabs(with_memory[i] - with_data[i]));
      }
    }
  }
  for (int i = 0; i < 6; i++)
    if (peak[i] > 0)
      error[i] /= peak[i];
}

int hydro_fit_notice(const struct hydro_data *data, char *text, size_t size) {
  const struct hydro_fit *fit = &data->fit;
  char motions[160] = "";
  size_t used = 0;
  if (isnan(fit->error)) {
    snprintf(text, size,
             "the hydro file is of an earlier version, which does not tell the error of its memory; "
             "import it again");
    return 1;
  }
  double largest = 0;
  for (int i = 0; i < 6; i++) {
    if (fit->motion[i] > SMALL && used < sizeof motions)
      used += (size_t)snprintf(motions + used, sizeof motions - used, "%s%s by up to %.2g %%",
                               used ? ", " : "", HYDRO_DOF[i], 100 * fit->motion[i]);
    largest = fmax(largest, fit->motion[i]); // passes over NaN
  }
  if (!(fit->error > SMALL) && !(largest > SMALL))
    return 0;
  if (!*motions && !isnan(fit->motion[0]))
    snprintf(motions, sizeof motions, "no motion by more than %.2g %%", 100 * largest);
  snprintf(
      text, size,
      "the memory of the radiation misses the data by up to %.3g %% of the peaks of the damping (%s, %s at "
      "%.5g rad/s)%s%s%s",
      100 * fit->error, HYDRO_DOF[fit->row], HYDRO_DOF[fit->column], fit->omega_radps,
      *motions ? "; this changes " : "", motions, *motions ? " of its peak" : "");
  return 1;
}
