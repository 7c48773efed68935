#include "sagbend/vessel/hydro_data.h"

#include "sagbend/math/trig.h"
#include "sagbend/vessel/complex_solve.h"

#include <math.h>
#include <string.h>

double *hydro_table_at(const struct hydro_table *table, int frequency, int heading) {
  return table->value +
         ((size_t)frequency * (size_t)table->headings + (size_t)heading) * (size_t)table->width;
}

// Whether a number of an entry belongs to sway, roll or yaw.
static int is_odd(const struct hydro_table *table, int number) {
  return table->width == 12 ? number / 2 % 2 : number > 0;
}

// The two rows of a table beside a frequency, or twice the same at an end, and the share of the second.
static double rows_beside(const struct hydro_table *table, double omega_radps, int *row, int *next) {
  int f = 0, last = table->frequencies - 1;
  while (f < last && table->omega_radps[f + 1] <= omega_radps)
    f++;
  *row = f, *next = f < last ? f + 1 : f;
  double low = table->omega_radps[f], high = table->omega_radps[*next];
  return high > low && omega_radps > low ? (omega_radps - low) / (high - low) : 0;
}

void hydro_table_interpolate(const struct hydro_table *table, double omega_radps, double heading_rad,
                             double *out) {
  int rows = table->frequencies, columns = table->headings, f, next_f, h = 0;
  memset(out, 0, (size_t)table->width * sizeof *out);
  if (rows == 0 || columns == 0 || omega_radps > table->omega_radps[rows - 1])
    return;
  int is_full_turn = table->heading_rad[columns - 1] > TRIG_PI + 1e-9;
  double angle = trig_wrap(heading_rad), share_h = 0;
  int is_mirrored = !is_full_turn && angle < 0;
  if (angle < 0)
    angle = is_full_turn ? angle + 2 * TRIG_PI : -angle;

  double share_f = rows_beside(table, omega_radps, &f, &next_f);
  while (h < columns - 1 && table->heading_rad[h + 1] <= angle)
    h++;
  int next_h = h < columns - 1 ? h + 1 : is_full_turn ? 0 : h;
  if (is_full_turn && angle < table->heading_rad[0]) // between the last heading and the first
    h = columns - 1, next_h = 0, angle += 2 * TRIG_PI;
  double from = table->heading_rad[h];
  double to = table->heading_rad[next_h] + (next_h < h ? 2 * TRIG_PI : 0);
  if (to > from && angle > from)
    share_h = (angle - from) / (to - from);

  for (int corner = 0; corner < 4; corner++) {
    const double *entry = hydro_table_at(table, corner < 2 ? f : next_f, corner % 2 ? next_h : h);
    double weight = (corner < 2 ? 1 - share_f : share_f) * (corner % 2 ? share_h : 1 - share_h);
    for (int k = 0; k < table->width; k++)
      out[k] += (is_mirrored && is_odd(table, k) ? -weight : weight) * entry[k];
  }
}

int hydro_radiation_at(const struct hydro_table *radiation, double omega_radps, double added_mass[6][6],
                       double damping[6][6]) {
  int last = radiation->frequencies - 1, f, next;
  if (last < 0 || !(omega_radps >= radiation->omega_radps[0] && omega_radps <= radiation->omega_radps[last]))
    return 0;
  double share = rows_beside(radiation, omega_radps, &f, &next);
  const double *low = hydro_table_at(radiation, f, 0), *high = hydro_table_at(radiation, next, 0);
  for (int i = 0, k = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, k++) {
      int b = k + RADIATION_WIDTH / 2;
      added_mass[i][j] = added_mass[j][i] = low[k] + share * (high[k] - low[k]);
      damping[i][j] = damping[j][i] = low[b] + share * (high[b] - low[b]);
    }
  return 1;
}

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
