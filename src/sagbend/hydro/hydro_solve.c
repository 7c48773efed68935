#include "sagbend/hydro/hydro_raw.h"

#include "sagbend/vessel/complex_solve.h"

#include <math.h>
#include <string.h>

// The impedance: restoring - omega^2 mass + i omega damping.
static void impedance(const struct hydro_raw *raw, int frequency, int with_additional,
                      double complex a[6][6]) {
  double omega = raw->omega_radps[frequency];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double mass = raw->mass[i][j] + raw->added_mass[frequency][i][j];
      double damping = raw->damping[frequency][i][j] + raw->external_damping[i][j];
      double restoring = raw->restoring[i][j] + raw->external_restoring[i][j];
      if (with_additional) {
        mass += raw->additional_mass[frequency][i][j];
        damping += raw->additional_damping[frequency][i][j];
        restoring += raw->additional_restoring[i][j];
      }
      a[i][j] = complex_number(restoring - omega * omega * mass, omega * damping);
    }
}

enum status hydro_raw_solve(const struct hydro_raw *raw, int frequency, int heading, int with_additional,
                            double motion[12]) {
  const double *force = hydro_table_at(&raw->force, frequency, heading);
  double complex a[6][6], x[6];
  impedance(raw, frequency, with_additional, a);
  if (raw->roll_damping.frequencies > 0)
    a[3][3] += complex_number(0, raw->omega_radps[frequency] *
                                     hydro_table_at(&raw->roll_damping, frequency, heading)[0]);
  for (int i = 0; i < 6; i++)
    x[i] = complex_number(force[2 * i], force[2 * i + 1]);
  enum status status = complex_solve(6, 6, a[0], 1, x);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = creal(x[i]);
    motion[2 * i + 1] = cimag(x[i]);
  }
  return status;
}

// Compliance H, with the least roll damping, and the largest motion over all headings.
static void respond(const struct hydro_raw *raw, int f, double complex compliance[6][6], double most[6]) {
  static const double SHARE_OF_CRITICAL = 0.05;
  double omega = raw->omega_radps[f], mass = raw->mass[3][3] + raw->added_mass[f][3][3];
  double complex a[6][6];
  impedance(raw, f, 0, a);
  a[3][3] += complex_number(0, omega * 2 * SHARE_OF_CRITICAL * sqrt(fmax(raw->restoring[3][3] * mass, 0)));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      compliance[i][j] = i == j;
  if (complex_solve(6, 6, a[0], 6, compliance[0]) != STATUS_OK)
    memset(compliance, 0, sizeof(double complex[6][6]));
  for (int i = 0; i < 6; i++) {
    most[i] = 0;
    for (int h = 0; h < raw->force.headings; h++) {
      const double *force = hydro_table_at(&raw->force, f, h);
      double complex sum = 0;
      for (int j = 0; j < 6; j++)
        sum += compliance[i][j] * complex_number(force[2 * j], force[2 * j + 1]);
      most[i] = fmax(most[i], cabs(sum));
    }
  }
}

void hydro_raw_sensitivity(const struct hydro_raw *raw, const double peak[6], double (*sensitivity)[6][6]) {
  double complex compliance[6][6];
  double most[6], motion_peak[6] = {0};
  memset(sensitivity, 0, sizeof *sensitivity * (size_t)raw->frequencies);
  if (!raw->has_mass)
    return;
  for (int f = 0; f < raw->frequencies; f++) {
    respond(raw, f, compliance, most);
    for (int i = 0; i < 6; i++)
      motion_peak[i] = fmax(motion_peak[i], most[i]);
  }
  for (int f = 0; f < raw->frequencies; f++) {
    respond(raw, f, compliance, most);
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++)
        for (int i = 0; i < 6; i++)
          if (motion_peak[i] > 0)
            sensitivity[f][a][b] =
                fmax(sensitivity[f][a][b], cabs(compliance[i][a]) * raw->omega_radps[f] * most[b] *
                                               sqrt(peak[a] * peak[b]) / motion_peak[i]);
  }
}

double hydro_wavenumber(double omega_radps, double gravity_mps2, double depth_m) {
  double deep = omega_radps * omega_radps / gravity_mps2, k = deep;
  if (!(depth_m > 0))
    return deep;
  if (deep * depth_m < 1)
    k = omega_radps / sqrt(gravity_mps2 * depth_m);
  for (int i = 0; i < 30; i++) { // Newton's method for k tanh(k d) = deep
    double t = tanh(k * depth_m);
    k -= (k * t - deep) / (t + k * depth_m * (1 - t * t));
  }
  return k;
}
