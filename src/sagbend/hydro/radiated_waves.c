#include "sagbend/hydro/radiated_waves.h"

#include "sagbend/hydro/hydro_checks_parts.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double LEAST_FORCE = 0.3; // of C33: shorter waves feel the shape of the hull
static const double MOST = 0.5;        // that one frequency counts
enum { FEWEST = 4 };

// Mean of |X_heave|^2 over the headings, which wrap around where both sides are given.
static double mean_square(const struct hydro_table *force, int f) {
  int last = force->headings - 1, is_full = force->heading_rad[last] > PI + 1e-6;
  double sum = 0, width = 0;
  for (int h = 0; h < force->headings; h++) {
    int next = h < last ? h + 1 : 0;
    if (h == last && !is_full)
      break;
    const double *a = hydro_table_at(force, f, h), *b = hydro_table_at(force, f, next);
    double step = force->heading_rad[next] - force->heading_rad[h] + (next ? 0 : 2 * PI);
    sum += 0.5 * step * (a[4] * a[4] + a[5] * a[5] + b[4] * b[4] + b[5] * b[5]);
    width += step;
  }
  const double *only = hydro_table_at(force, f, 0);
  return width > 0 ? sum / width : only[4] * only[4] + only[5] * only[5];
}

struct measured {
  int count;
  double omega[MAX_HYDRO_FREQUENCIES], damping[MAX_HYDRO_FREQUENCIES]; // as read; 4 rho g^2 B / mean |X|^2
};

static void measure(const struct hydro_raw *raw, struct measured *out) {
  double stiffness = raw->restoring[2][2];
  out->count = 0;
  for (int f = 0; f < raw->frequencies && f < raw->force.frequencies && out->count < MAX_HYDRO_FREQUENCIES;
       f++) {
    double square = mean_square(&raw->force, f), damping = raw->damping[f][2][2];
    if (raw->is_left_out[f] || !(damping > 0) ||
        !(square > LEAST_FORCE * LEAST_FORCE * stiffness * stiffness) || !(square > 0))
      continue;
    out->omega[out->count] = raw->omega_radps[f];
    out->damping[out->count++] =
        4 * raw->water_density_kgpm3 * raw->gravity_mps2 * raw->gravity_mps2 * damping / square;
  }
}

// k g / (omega c_g), 1/m.
static double of_water(double omega, double gravity, double depth_m) {
  double k = hydro_wavenumber(omega, gravity, depth_m), x = k * depth_m;
  return depth_m > 0 && x < 20 ? 2 * k / (tanh(x) + x / (cosh(x) * cosh(x))) : 2 * k;
}

static double miss_of(const double *shift, int count, double middle) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += fmin(fabs(shift[i] - middle), MOST);
  return sum / count;
}

static void shift_of(const struct hydro_raw *raw, const struct measured *m, double depth_m, double *shift) {
  for (int i = 0; i < m->count; i++)
    shift[i] = log(m->damping[i] / m->omega[i] / of_water(m->omega[i], raw->gravity_mps2, depth_m));
}

void hydro_waves_judge(const struct hydro_raw *raw, struct hydro_waves *out) {
  static const double SHALLOWEST_M = 2, DEEPEST_M = 5000, STEP = 1.01;
  struct measured m;
  double shift[MAX_HYDRO_FREQUENCIES];
  measure(raw, &m);
  *out = (struct hydro_waves){.frequencies = m.count};
  if (m.count < FEWEST)
    return;
  shift_of(raw, &m, raw->depth_m, shift);
  out->given = miss_of(shift, m.count, 0);
  out->depth_miss = out->unit_miss = HUGE_VAL;
  for (double depth = DEEPEST_M; depth > SHALLOWEST_M; depth /= STEP) {
    double tried = depth == DEEPEST_M ? 0 : depth;
    shift_of(raw, &m, tried, shift);
    double miss = miss_of(shift, m.count, 0), middle = median_of(shift, m.count);
    if (miss < out->depth_miss - 1e-4)
      out->depth_miss = miss, out->depth_m = tried;
    miss = miss_of(shift, m.count, middle);
    if (miss < out->unit_miss - 1e-4)
      out->unit_miss = miss, out->unit = exp(middle), out->unit_depth_m = tried;
  }
}

enum first_column hydro_waves_column(const struct hydro_raw *raw, enum first_column column,
                                     const struct first_column_water *water) {
  static const double CLEAR = 3; // times better
  struct measured m;
  double miss[FIRST_COLUMNS], shift[MAX_HYDRO_FREQUENCIES];
  enum first_column best = column;
  measure(raw, &m);
  if (m.count < FEWEST)
    return column;
  for (int kind = 0; kind < FIRST_COLUMNS; kind++) {
    for (int i = 0; i < m.count; i++) {
      double omega =
          first_column_omega((enum first_column)kind, first_column_number(column, m.omega[i], water), water);
      // WAMIT's damping was multiplied with the frequency as it was read, others' was not
      double divisor = raw->length_unit_m > 0 ? m.omega[i] : omega;
      shift[i] = fabs(log(m.damping[i] / divisor / of_water(omega, raw->gravity_mps2, raw->depth_m)));
    }
    miss[kind] = median_of(shift, m.count);
    if (miss[kind] < miss[best])
      best = (enum first_column)kind;
  }
  return miss[best] <= HYDRO_WAVES_AGREE && miss[column] > CLEAR * HYDRO_WAVES_AGREE ? best : column;
}
