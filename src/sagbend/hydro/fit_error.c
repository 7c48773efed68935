#include "sagbend/hydro/fit_error.h"

#include "sagbend/vessel/complex_number.h"
#include "sagbend/vessel/complex_solve.h"
#include "sagbend/hydro/hydro_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SMALL = 0.02;             // an error that is not mentioned
static const double RADIATES_LITTLE = 0.02;   // of the peaks: A and B above say nothing
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
  struct hydro_fit above = {.error = 0}; // what follows the last frequency that radiates
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
static int solve(const struct hydro_data *data, double omega, const double force[12], const double (*re)[6],
                 const double (*im)[6], double complex motion[6]) {
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
      if (!solve(data, omega, force, (const double (*)[6])re, (const double (*)[6])im, with_data) ||
          !solve(data, omega, force, (const double (*)[6])k_re, (const double (*)[6])k_im, with_memory))
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
