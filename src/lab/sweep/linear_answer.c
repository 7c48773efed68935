#include "lab/sweep/linear_answer.h"

#include "sagbend/vessel/complex_solve.h"
#include "sagbend/case/config.h"

#include <math.h>

void linear_answer(const struct rao_case *c, double omega, double heading_rad, double motion[12]) {
  const struct hydro_data *data = c->hydro;
  const struct vessel_def *vessel = &c->config->sim.vessel;
  double force[12], added[6][6], re[6][6], im[6][6];
  double complex a[6][6], x[6];
  int has_mass = data->mass[0][0] > 0;
  hydro_table_interpolate(&data->force, omega, heading_rad, force);
  if (hydro_radiation_at(&data->radiation, omega, added, re))
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        im[i][j] = omega * (added[i][j] - data->added_mass_inf[i][j]);
  else
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
  enum status status = complex_solve(6, 6, a[0], 1, x);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = status == STATUS_OK ? creal(x[i]) : (double)NAN;
    motion[2 * i + 1] = status == STATUS_OK ? cimag(x[i]) : (double)NAN;
  }
}
