#include "core/vessel/hydro_data.h"

#include "core/vessel/complex_solve.h"

#include <math.h>
#include <string.h>

void hydro_memory_at(const struct hydro_memory *memory, double omega_radps, double re[6][6],
                     double im[6][6]) {
  double complex a[MAX_OSCILLATORS][MAX_OSCILLATORS], x[MAX_OSCILLATORS][6];
  double complex s = complex_number(0, omega_radps);
  int n = memory->count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i][j] = s * memory->damping_1ps[i][j];
    a[i][i] += s * s + memory->omega_radps[i] * memory->omega_radps[i];
    for (int j = 0; j < 6; j++)
      x[i][j] = s * memory->drive[i][j];
  }
  enum status status = complex_solve(n, MAX_OSCILLATORS, a[0], 6, x[0]);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double complex sum = 0;
      for (int k = 0; k < n; k++)
        sum += memory->drive[k][i] * x[k][j];
      re[i][j] = status == STATUS_OK ? creal(sum) : (double)NAN;
      im[i][j] = status == STATUS_OK ? cimag(sum) : (double)NAN;
    }
}

void hydro_memory_added_mass_zero(const struct hydro_memory *memory, const double (*added_mass_inf)[6],
                                  double added_mass_zero[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = added_mass_inf[i][j];
      for (int k = 0; k < memory->count; k++)
        sum += memory->drive[k][i] * memory->drive[k][j] / (memory->omega_radps[k] * memory->omega_radps[k]);
      added_mass_zero[i][j] = sum;
    }
}

enum status hydro_memory_factor(const struct hydro_memory *memory,
                                double factor[MAX_OSCILLATORS][MAX_OSCILLATORS]) {
  static const double ROUNDING = 1e-9; // of the largest diagonal element
  double largest = 0;
  int n = memory->count;
  memset(factor, 0, sizeof(double[MAX_OSCILLATORS][MAX_OSCILLATORS]));
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(memory->damping_1ps[i][i]));
  for (int j = 0; j < n; j++) {
    double pivot = memory->damping_1ps[j][j];
    for (int k = 0; k < j; k++)
      pivot -= factor[j][k] * factor[j][k];
    if (!(pivot >= -ROUNDING * largest))
      return STATUS_SINGULAR;
    factor[j][j] = pivot > 0 ? sqrt(pivot) : 0;
    for (int i = j + 1; i < n; i++) {
      double rest = memory->damping_1ps[i][j];
      for (int k = 0; k < j; k++)
        rest -= factor[i][k] * factor[j][k];
      if (pivot <= ROUNDING * largest) { // semidefinite: the rest of the column is zero too
        if (fabs(rest) > sqrt(ROUNDING) * largest)
          return STATUS_SINGULAR;
        factor[j][j] = 0;
      } else {
        factor[i][j] = rest / factor[j][j];
      }
    }
  }
  return STATUS_OK;
}
