// Relations that coefficients of a hull obey, and the waves of a file.
//
// Kramers and Kronig: A(w) - A_inf = 2/pi P int_0^inf B(u)/(u^2 - w^2) du. As P int du/(u^2 - w^2) = 0, the
// integrand [B(u) - B(w)]/(u^2 - w^2) is regular. B is interpolated linearly, grows below the range by
// the power of its first two values and falls as u^-3 above. Each frequency then gives its own A_inf; one
// that differs from the others is wrong.
#include "sagbend/hydro/hydro.h"
#include "sagbend/hydro/hydro_internal.h"

#include <math.h>

static const int CELLS_BELOW = 100, CELLS_BETWEEN = 24, CELLS_ABOVE = 400;
static const double FARTHEST = 40;        // of the highest frequency
static const double MOST_DEVIATION = 0.3; // of the median
static const double MOST_LEFT_OUT = 0.25; // share of the frequencies
static const double SMALL_AT_END = 0.1;   // share of the peak of B at the end of the range

struct series {
  int count;
  double omega[MAX_HYDRO_FREQUENCIES], added[MAX_HYDRO_FREQUENCIES], damping[MAX_HYDRO_FREQUENCIES];
};

// Power by which B grows below the range: that of its first two values.
static double rise_of(const struct series *s) {
  double ratio = s->damping[1] / s->damping[0];
  return ratio > 0 ? fmin(fmax(log(ratio) / log(s->omega[1] / s->omega[0]), 0), 4) : 2;
}

static double integral(const struct series *s, double w, double at_w) {
  double sum = 0, first = s->omega[0], last = s->omega[s->count - 1];
  double rise = rise_of(s);
  for (int i = 0; i < CELLS_BELOW; i++) {
    double step = first / CELLS_BELOW, u = (i + 0.5) * step;
    sum += step * (s->damping[0] * pow(u / first, rise) - at_w) / (u * u - w * w);
  }
  for (int k = 1; k < s->count; k++)
    for (int i = 0; i < CELLS_BETWEEN; i++) {
      double step = (s->omega[k] - s->omega[k - 1]) / CELLS_BETWEEN, share = (i + 0.5) / CELLS_BETWEEN;
      double u = s->omega[k - 1] + (i + 0.5) * step;
      double damping = s->damping[k - 1] + share * (s->damping[k] - s->damping[k - 1]);
      sum += step * (damping - at_w) / (u * u - w * w);
    }
  for (int i = 0; i < CELLS_ABOVE; i++) {
    double ratio = log(FARTHEST) / CELLS_ABOVE, u = last * exp((i + 0.5) * ratio), step = u * ratio;
    double fall = last / u;
    sum += step * (s->damping[s->count - 1] * fall * fall * fall - at_w) / (u * u - w * w);
  }
  return sum - at_w / (FARTHEST * last);
}

static void take_series(const struct hydro_raw *raw, int i, int j, struct series *s) {
  s->count = 0;
  for (int f = 0; f < raw->frequencies; f++)
    if (!raw->is_left_out[f]) {
      s->omega[s->count] = raw->omega_radps[f];
      s->added[s->count] = raw->added_mass[f][i][j];
      s->damping[s->count++] = raw->damping[f][i][j];
    }
}

void kramers_kronig_below(const struct hydro_raw *raw, double omega_radps, double added_mass[6][6],
                          double damping[6][6]) {
  struct series s;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      take_series(raw, i, j, &s);
      double at_w = s.damping[0] * pow(omega_radps / s.omega[0], rise_of(&s));
      damping[i][j] = s.damping[0] == 0 ? 0 : at_w;
      added_mass[i][j] = s.added[0];
      if (s.damping[0] != 0)
        added_mass[i][j] += 2 / 3.14159265358979323846 *
                            (integral(&s, omega_radps, at_w) - integral(&s, s.omega[0], s.damping[0]));
    }
}

// Of at most MAX_HYDRO_FREQUENCIES values, at least one; the upper one of both in the middle.
static double median_of(const double *values, int count) {
  double sorted[MAX_HYDRO_FREQUENCIES];
  for (int i = 0; i < count; i++) {
    int at = i;
    for (; at > 0 && sorted[at - 1] > values[i]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = values[i];
  }
  return sorted[count / 2];
}

// Judges one degree of freedom. is_wrong: by index in the series. Returns the number of wrong ones.
static int judge(const struct series *s, int *is_wrong, double *estimate, double *median) {
  double most = 0;
  int wrong = 0;
  for (int f = 0; f < s->count; f++) {
    estimate[f] = s->added[f] - 2 / 3.14159265358979323846 * integral(s, s->omega[f], s->damping[f]);
    most = fmax(most, fabs(s->added[f]));
  }
  *median = median_of(estimate, s->count);
  for (int f = 0; f < s->count; f++) {
    is_wrong[f] = !(fabs(estimate[f] - *median) <= MOST_DEVIATION * fmax(fabs(*median), 0.2 * most));
    wrong += is_wrong[f];
  }
  return wrong;
}

// The frequency that deviates most in a degree of freedom that can be judged; -1: none.
static int find_worst(const struct hydro_raw *raw, int i, double *share) {
  int is_wrong[MAX_HYDRO_FREQUENCIES], worst = -1, at = 0;
  double estimate[MAX_HYDRO_FREQUENCIES], median, most = 0;
  struct series s;
  take_series(raw, i, i, &s);
  if (s.count < 8 || judge(&s, is_wrong, estimate, &median) > MOST_LEFT_OUT * s.count)
    return -1;
  for (int f = 0; f < raw->frequencies; f++) {
    if (raw->is_left_out[f])
      continue;
    if (is_wrong[at] && fabs(estimate[at] - median) > most) {
      most = fabs(estimate[at] - median);
      *share = estimate[at] / median;
      worst = f;
    }
    at++;
  }
  return worst;
}

// Leaves out one frequency after the other, since a wrong one disturbs its neighbours' integrals.
static int leave_wrong(struct hydro_raw *raw, const double *peak, struct hydro_report *report) {
  int left_out = 0;
  for (int is_found = 1; is_found && left_out <= MOST_LEFT_OUT * raw->frequencies;) {
    is_found = 0;
    for (int i = 0; i < 6; i++) {
      double share = 0;
      int worst = peak[i] > 0 ? find_worst(raw, i, &share) : -1;
      if (worst < 0)
        continue;
      raw->is_left_out[worst] = is_found = 1;
      left_out++;
      report_line(report,
                  "Kramers and Kronig: %.5g rad/s left out: its A_inf of %s is %.2g times the others'",
                  raw->omega_radps[worst], HYDRO_DOF[i], share);
    }
  }
  return left_out;
}

int check_kramers_kronig(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  double peak[6], median, estimate[MAX_HYDRO_FREQUENCIES];
  int is_good = 1, is_wrong[MAX_HYDRO_FREQUENCIES];
  struct series s;
  damping_peaks(raw, peak);
  int left_out = leave_wrong(raw, peak, report);
  for (int i = 0; i < 6; i++) {
    take_series(raw, i, i, &s);
    if (!(peak[i] > 0) || s.count < 8)
      continue;
    double end = s.damping[s.count - 1] / peak[i];
    int wrong = judge(&s, is_wrong, estimate, &median), is_short = end > SMALL_AT_END;
    if (is_short)
      report_line(
          report,
          "warning: the range ends before the damping of %s has fallen to a tenth: %.2g of its peak at "
          "%.4g rad/s",
          HYDRO_DOF[i], end, s.omega[s.count - 1]);
    if (wrong == 0) {
      report_line(report, "Kramers and Kronig: %s: A_inf %.4g%s", HYDRO_DOF[i], median,
                  raw->has_inf ? "" : "; the fit determines it");
      continue;
    }
    report_line(report, "Kramers and Kronig: %s: %d of %d frequencies give another A_inf%s", HYDRO_DOF[i],
                wrong, s.count, is_short ? "; the range is too short to judge" : "");
    if (is_short || !is_good)
      continue;
    is_good = 0;
    fail(why, STATUS_BAD_INPUT,
         "added mass and damping of %s do not belong together: by Kramers and Kronig %d of %d frequencies "
         "give "
         "another A_inf, after %d were left out",
         HYDRO_DOF[i], wrong, s.count, left_out);
  }
  return is_good;
}

// ------------------------------------------------------------
static const double PI = 3.14159265358979323846;
static const double LEAST_FORCE = 0.3; // of C33: shorter waves feel the shape of the hull
static const double MOST = 0.5;        // that one frequency counts
enum { FEWEST_WAVES = 4 };

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
  if (m.count < FEWEST_WAVES)
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
  if (m.count < FEWEST_WAVES)
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

void damping_peaks(const struct hydro_raw *raw, double peak[6]) {
  for (int i = 0; i < 6; i++) {
    peak[i] = 0;
    for (int f = 0; f < raw->frequencies; f++)
      if (!raw->is_left_out[f])
        peak[i] = fmax(peak[i], raw->damping[f][i][i]);
  }
}
