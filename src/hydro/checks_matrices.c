// Symmetry, mass and passivity.
#include "core/math/dense6.h"
#include "hydro/checks_parts.h"
#include "hydro/eigenvalues.h"

#include <math.h>

static const double MOST_ASYMMETRY = 0.02;    // of sqrt(max_ii max_jj)
static const double LEAST_EIGENVALUE = -1e-3; // of B scaled by its peaks
static const double MOST_LEFT_OUT = 0.25;     // share of the frequencies

// Makes a series of matrices symmetric. Returns the largest asymmetry and where.
static double symmetrise(double (*m)[6][6], int count, int *row, int *column, int *frequency) {
  double largest = 0, most[6] = {0};
  for (int f = 0; f < count; f++)
    for (int i = 0; i < 6; i++)
      most[i] = fmax(most[i], fabs(m[f][i][i]));
  for (int f = 0; f < count; f++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < i; j++) {
        double difference = fabs(m[f][i][j] - m[f][j][i]), scale = sqrt(most[i] * most[j]);
        if (scale > 0 && difference > largest * scale)
          largest = difference / scale, *row = i, *column = j, *frequency = f;
        m[f][i][j] = m[f][j][i] = 0.5 * (m[f][i][j] + m[f][j][i]);
      }
  return largest;
}

int check_symmetry(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  int row[2] = {0}, column[2] = {0}, frequency[2] = {0};
  double asymmetry[2] = {symmetrise(raw->added_mass, raw->frequencies, &row[0], &column[0], &frequency[0]),
                         symmetrise(raw->damping, raw->frequencies, &row[1], &column[1], &frequency[1])};
  symmetrise(&raw->added_mass_inf, 1, &row[0], &column[0], &frequency[0]);
  symmetrise(&raw->added_mass_zero, 1, &row[0], &column[0], &frequency[0]);
  report_line(report, "symmetry: A to %.2g %%, B to %.2g %% of the peaks", 100 * asymmetry[0],
              100 * asymmetry[1]);
  for (int k = 0; k < 2; k++)
    if (!(asymmetry[k] <= MOST_ASYMMETRY)) {
      fail(why, STATUS_BAD_INPUT,
           "%s is not symmetric: row %d, column %d at %.5g rad/s differ by %.3g %% of the peaks, at most %g "
           "%% "
           "expected",
           k ? "damping" : "added mass", row[k] + 1, column[k] + 1, raw->omega_radps[frequency[k]],
           100 * asymmetry[k], 100 * MOST_ASYMMETRY);
      return 0;
    }
  return 1;
}

// Mass plus the added mass of every frequency, and of the limits.
static int is_definite(const double (*mass)[6], const double (*added)[6]) {
  double sum[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum[i][j] = 0.5 * (mass[i][j] + mass[j][i] + added[i][j] + added[j][i]);
  return mat6_is_definite((const double (*)[6])sum, -1e-9);
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
    return 1;
  fail(why, STATUS_BAD_INPUT, "%s (%.5g rad/s) is not positive definite", where, omega);
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
          scaled[i][j] = raw->damping[f][i][j] / sqrt(peak[i] * peak[j]);
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
