// Checks of the matrices of a hull: mass, passivity, symmetry.
#include "sagbend/hydro/hydro.h"
#include "sagbend/hydro/hydro_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void rotate(double a[6][6], int p, int q) {
  if (a[p][q] == 0)
    return;
  double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta)), c = 1 / sqrt(1 + t * t),
         s = t * c;
  for (int k = 0; k < 6; k++) {
    double kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (int k = 0; k < 6; k++) {
    double pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
  }
}

// Eigenvalues of a symmetric matrix, increasing, by Jacobi's rotations. Overwrites a.
static void eigenvalues6(double a[6][6], double values[6]) {
  enum { SWEEPS = 30 };
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int p = 0; p < 5; p++)
      for (int q = p + 1; q < 6; q++)
        rotate(a, p, q);
  for (int i = 0; i < 6; i++) {
    int at = i;
    for (; at > 0 && values[at - 1] > a[i][i]; at--)
      values[at] = values[at - 1];
    values[at] = a[i][i];
  }
}

static const double LEAST_EIGENVALUE = -1e-3; // of B scaled by its peaks
static const double MOST_LEFT_OUT = 0.25;     // share of the frequencies

// Mass plus the added mass of every frequency, and of the limits.
static int is_definite(const double (*mass)[6], const double (*added)[6]) {
  double sum[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum[i][j] = 0.5 * (mass[i][j] + mass[j][i] + added[i][j] + added[j][i]);
  return mat6_is_definite((const double (*)[6])sum, -1e-9);
}

// What the mass matrix of a rigid body obeys besides symmetry, with x_G, y_G, z_G of its centre of gravity:
// M_ij = sign M_kl. In any right-handed axes.
static const struct {
  int i, j, sign, k, l;
  const char *law;
} RIGID[] = {{1, 1, 1, 0, 0, "M22 = M11 = m"},
             {2, 2, 1, 0, 0, "M33 = M11 = m"},
             {0, 1, 0, 0, 1, "M12 = 0"},
             {0, 2, 0, 0, 2, "M13 = 0"},
             {1, 2, 0, 1, 2, "M23 = 0"},
             {0, 3, 0, 0, 3, "M14 = 0"},
             {1, 4, 0, 1, 4, "M25 = 0"},
             {2, 5, 0, 2, 5, "M36 = 0"},
             {0, 4, -1, 1, 3, "M15 = -M24 = m z_G"},
             {0, 5, -1, 2, 3, "M16 = -M34 = -m y_G"},
             {1, 5, -1, 2, 4, "M26 = -M35 = m x_G"}};
static const double MOST_NOT_RIGID = 0.01; // of the smaller of sqrt(M_ii M_jj) and sqrt(M_kk M_ll)

// Names the elements of the mass matrix that a rigid body does not have. Returns how many laws they break;
// why has the first.
static int find_not_rigid(const double (*m)[6], struct hydro_report *report, struct reason *why) {
  char text[200];
  int broken = 0;
  for (size_t n = 0; n < sizeof RIGID / sizeof *RIGID; n++) {
    int i = RIGID[n].i, j = RIGID[n].j, k = RIGID[n].k, l = RIGID[n].l;
    double a = 0.5 * (m[i][j] + m[j][i]), b = 0.5 * (m[k][l] + m[l][k]);
    double scale = sqrt(fmin(m[i][i] * m[j][j], m[k][k] * m[l][l]));
    if (fabs(a - RIGID[n].sign * b) <= MOST_NOT_RIGID * scale)
      continue;
    int length = snprintf(text, sizeof text, "M%d%d = %.5g", i + 1, j + 1, a + 0.0);
    if (RIGID[n].sign)
      length +=
          snprintf(text + length, sizeof text - (size_t)length, " and M%d%d = %.5g", k + 1, l + 1, b + 0.0);
    snprintf(text + length, sizeof text - (size_t)length,
             " (SI, x forward, y to starboard); a rigid body has %s", RIGID[n].law);
    report_line(report, "mass: %s", text);
    if (broken++ == 0)
      fail(why, STATUS_BAD_INPUT, "the mass matrix is no rigid body's: %.180s", text);
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      if (fabs(m[i][j] - m[j][i]) <= MOST_NOT_RIGID * sqrt(m[i][i] * m[j][j]))
        continue;
      report_line(report, "mass: M%d%d = %.5g, M%d%d = %.5g; a rigid body has equal ones", i + 1, j + 1,
                  m[i][j], j + 1, i + 1, m[j][i]);
      if (broken++ == 0)
        fail(why, STATUS_BAD_INPUT, "the mass matrix is not symmetric: M%d%d = %.5g, M%d%d = %.5g", i + 1,
             j + 1, m[i][j], j + 1, i + 1, m[j][i]);
    }
  return broken;
}

int check_mass(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  if (!raw->has_mass) {
    report_line(report, "mass: not in the files, so that neither it nor the motions are checked");
    return 1;
  }
  const char *where = NULL;
  double omega = 0;
  if (!is_definite((const double (*)[6])raw->mass, (const double (*)[6])raw->mass))
    where = "the mass matrix";
  else if (raw->has_inf &&
           !is_definite((const double (*)[6])raw->mass, (const double (*)[6])raw->added_mass_inf))
    where = "mass plus added mass of the infinite frequency";
  for (int f = 0; f < raw->frequencies && !where; f++)
    if (!is_definite((const double (*)[6])raw->mass, (const double (*)[6])raw->added_mass[f]))
      where = "mass plus added mass", omega = raw->omega_radps[f];
  if (!where)
    return find_not_rigid((const double (*)[6])raw->mass, report, why) == 0;
  char place[32] = "";
  if (omega > 0)
    snprintf(place, sizeof place, " at %.5g rad/s", omega);
  fail(why, STATUS_BAD_INPUT, "%s%s is not positive definite", where, place);
  return 0;
}

int check_passivity(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  double peak[6], lowest = 0, where = 0;
  int left_out = 0;
  damping_peaks(raw, peak);
  for (int f = 0; f < raw->frequencies; f++) {
    double scaled[6][6] = {{0}}, values[6];
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        if (peak[i] > 0 && peak[j] > 0)
          scaled[i][j] = 0.5 * (raw->damping[f][i][j] + raw->damping[f][j][i]) / sqrt(peak[i] * peak[j]);
        else if (raw->damping[f][i][j] < 0) // without any damping of its own a motion cannot be coupled
          scaled[i][j] = -1;
    eigenvalues6(scaled, values);
    if (values[0] < lowest)
      lowest = values[0], where = raw->omega_radps[f];
    if (values[0] >= LEAST_EIGENVALUE)
      continue;
    raw->is_left_out[f] = 1;
    left_out++;
    report_line(
        report,
        "passivity: %.5g rad/s left out, an irregular frequency: B has an eigenvalue of %.3g of the peaks",
        raw->omega_radps[f], values[0]);
  }
  if (left_out == 0)
    report_line(report, "passivity: B is positive semidefinite at all frequencies");
  if (left_out <= MOST_LEFT_OUT * raw->frequencies)
    return 1;
  fail(why, STATUS_BAD_INPUT,
       "damping is negative at %d of %d frequencies, most at %.5g rad/s with an eigenvalue of %.3g of the "
       "peaks",
       left_out, raw->frequencies, where, lowest);
  return 0;
}

// Symmetry of added mass and damping, at the frequencies that passivity and Kramers and Kronig have not left
// out: near an irregular frequency nothing is symmetric.
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
