#include "rao/linear_answer.h"

#include "core/hydro/complex_number.h"
#include "io/config/config.h"

#include <math.h>

// x = a^-1 x by elimination with pivots.
static void solve(double complex a[6][6], double complex x[6]) {
  for (int k = 0; k < 6; k++) {
    int pivot = k;
    for (int i = k + 1; i < 6; i++)
      if (cabs(a[i][k]) > cabs(a[pivot][k]))
        pivot = i;
    for (int j = 0; j < 6; j++) {
      double complex swap = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = swap;
    }
    double complex swap = x[k];
    x[k] = x[pivot];
    x[pivot] = swap;
    for (int i = k + 1; i < 6; i++) {
      double complex share = a[i][k] / a[k][k];
      for (int j = k; j < 6; j++)
        a[i][j] -= share * a[k][j];
      x[i] -= share * x[k];
    }
  }
  for (int k = 5; k >= 0; k--) {
    for (int i = k + 1; i < 6; i++)
      x[k] -= a[k][i] * x[i];
    x[k] /= a[k][k];
  }
}

void linear_answer(const struct rao_case *c, double omega, double heading_rad, double motion[12]) {
  const struct hydro_data *data = c->hydro;
  const struct vessel_def *vessel = &c->config->sim.vessel;
  double force[12], re[6][6], im[6][6];
  double complex a[6][6], x[6];
  int has_mass = data->mass[0][0] > 0;
  hydro_table_interpolate(&data->force, omega, heading_rad, force);
  hydro_memory_at(&data->memory, omega, re, im);
  for (int i = 0; i < 6; i++) {
    x[i] = complex_number(force[2 * i], force[2 * i + 1]);
    for (int j = 0; j < 6; j++) {
      double inertia =
          has_mass ? data->mass[i][j] + data->added_mass_inf[i][j] : vessel->inertia[i][j]; // includes A_inf
      a[i][j] = complex_number(data->restoring[i][j] - omega * omega * inertia - omega * im[i][j],
                               omega * (re[i][j] + vessel->damping_linear[i][j]));
    }
    a[i][i] += complex_number(c->hold_stiffness[i], omega * c->hold_damping[i]);
  }
  solve(a, x);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = creal(x[i]);
    motion[2 * i + 1] = cimag(x[i]);
  }
}
