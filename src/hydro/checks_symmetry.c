// Symmetry of added mass and damping, at the frequencies that passivity and Kramers and Kronig have not left
// out: near an irregular frequency nothing is symmetric.
#include "hydro/checks_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MOST_ASYMMETRY = 0.02; // of sqrt(max_ii max_jj)

struct asymmetry {
  double share; // |m_ij - m_ji| of sqrt(most_i most_j)
  int row, column, frequency;
};

// The largest asymmetry of a series of matrices. is_left_out: by frequency; NULL: none.
static struct asymmetry asymmetry_of(const double (*m)[6][6], int count, const int *is_left_out,
                                     const double most[6]) {
  struct asymmetry found = {.share = 0};
  for (int f = 0; f < count; f++)
    for (int i = 0; i < 6 && !(is_left_out && is_left_out[f]); i++)
      for (int j = 0; j < i; j++) {
        double difference = fabs(m[f][i][j] - m[f][j][i]), scale = sqrt(most[i] * most[j]);
        if (scale > 0 && difference > found.share * scale)
          found = (struct asymmetry){difference / scale, i, j, f};
      }
  return found;
}

static void raise_most(const double (*m)[6][6], int count, const int *is_left_out, double most[6]) {
  for (int f = 0; f < count; f++)
    for (int i = 0; i < 6 && !(is_left_out && is_left_out[f]); i++)
      most[i] = fmax(most[i], fabs(m[f][i][i]));
}

static void symmetrise(double (*m)[6][6], int count) {
  for (int f = 0; f < count; f++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < i; j++)
        m[f][i][j] = m[f][j][i] = 0.5 * (m[f][i][j] + m[f][j][i]);
}

enum { ADDED, DAMPING, INFINITE, ZERO, SERIES };

// Largest asymmetries at the frequencies that are not left out, of A, B and the limits of A.
static void find_asymmetries(const struct hydro_raw *raw, const int *is_left_out,
                             struct asymmetry found[SERIES]) {
  double most_added[6] = {0}, most_damping[6] = {0};
  raise_most(raw->added_mass, raw->frequencies, is_left_out, most_added);
  raise_most(&raw->added_mass_inf, raw->has_inf, NULL, most_added);
  raise_most(&raw->added_mass_zero, raw->has_zero, NULL, most_added);
  raise_most(raw->damping, raw->frequencies, is_left_out, most_damping);
  found[ADDED] = asymmetry_of(raw->added_mass, raw->frequencies, is_left_out, most_added);
  found[DAMPING] = asymmetry_of(raw->damping, raw->frequencies, is_left_out, most_damping);
  found[INFINITE] = asymmetry_of(&raw->added_mass_inf, raw->has_inf, NULL, most_added);
  found[ZERO] = asymmetry_of(&raw->added_mass_zero, raw->has_zero, NULL, most_added);
}

// The longest range of frequencies in which A and B are symmetric, found by leaving out what is worst and all
// on its shorter side. Returns 0 if less than half of the frequencies remain.
static int symmetric_range(const struct hydro_raw *raw, double *low, double *high) {
  int is_out[MAX_HYDRO_FREQUENCIES], first = 0, last = raw->frequencies - 1;
  struct asymmetry found[SERIES];
  memcpy(is_out, raw->is_left_out, sizeof is_out);
  for (;;) {
    find_asymmetries(raw, is_out, found);
    const struct asymmetry *worst = &found[found[DAMPING].share > found[ADDED].share ? DAMPING : ADDED];
    if (worst->share <= MOST_ASYMMETRY)
      break;
    int is_at_end = 2 * worst->frequency > first + last;
    for (int f = is_at_end ? worst->frequency : first; f <= (is_at_end ? last : worst->frequency); f++)
      is_out[f] = 1;
    *(is_at_end ? &last : &first) = worst->frequency + (is_at_end ? -1 : 1);
  }
  while (last > first && is_out[last])
    last--;
  while (first < last && is_out[first])
    first++;
  *low = raw->omega_radps[first], *high = raw->omega_radps[last];
  return 2 * (last - first + 1) >= raw->frequencies;
}

int check_symmetry(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  static const char *const names[SERIES] = {[ADDED] = "added mass",
                                            [DAMPING] = "damping",
                                            [INFINITE] = "added mass of the infinite frequency",
                                            [ZERO] = "added mass of the frequency zero"};
  struct asymmetry found[SERIES];
  double low, high;
  char place[32] = "", range[80] = "";
  int worst = -1;
  find_asymmetries(raw, raw->is_left_out, found);
  report_line(report, "symmetry: A to %.2g %%, B to %.2g %% of the peaks at the frequencies that are used",
              100 * found[ADDED].share, 100 * found[DAMPING].share);
  for (int k = 0; k < SERIES && worst < 0; k++)
    if (!(found[k].share <= MOST_ASYMMETRY))
      worst = k;
  if (worst == ADDED || worst == DAMPING) {
    snprintf(place, sizeof place, " at %.5g rad/s", raw->omega_radps[found[worst].frequency]);
    if (symmetric_range(raw, &low, &high))
      snprintf(range, sizeof range, "; '--frequencies %.5g:%.5g' leaves such frequencies out", low, high);
  }
  symmetrise(raw->added_mass, raw->frequencies);
  symmetrise(raw->damping, raw->frequencies);
  symmetrise(&raw->added_mass_inf, 1);
  symmetrise(&raw->added_mass_zero, 1);
  if (worst < 0)
    return 1;
  fail(why, STATUS_BAD_INPUT,
       "%s is not symmetric: row %d, column %d%s differ by %.3g %% of the peaks, at most %g %% expected%s",
       names[worst], found[worst].row + 1, found[worst].column + 1, place, 100 * found[worst].share,
       100 * MOST_ASYMMETRY, range);
  return 0;
}
