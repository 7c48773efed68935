#include "sagbend/hydro/hydro_checks_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const HYDRO_DOF[6] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};

const char *hydro_check_name(enum hydro_check check) {
#define X(name, text) text,
  static const char *const names[] = {HYDRO_CHECK_TABLE(X)};
#undef X
  return names[check];
}

void damping_peaks(const struct hydro_raw *raw, double peak[6]) {
  for (int i = 0; i < 6; i++) {
    peak[i] = 0;
    for (int f = 0; f < raw->frequencies; f++)
      if (!raw->is_left_out[f])
        peak[i] = fmax(peak[i], raw->damping[f][i][i]);
  }
}

// A motion whose damping is only the rounding of the code, as the yaw of a round hull, has none: judged by
// its own peak, rounding would fail every check and couple all motions. What such a motion radiates is
// nothing, so that its added mass is that of every frequency.
static const double ROUNDING = 1e-6; // of the largest damping of the translations, or of the rotations
static const double NOISE = 1e-4;    // the same, of a damping that is negative in part
static const double COUPLED = 1e-4;  // of the geometric mean of the diagonal

static int is_rounding(const struct hydro_raw *raw, int i, const double peak[6]) {
  const double *like = peak + (i < 3 ? 0 : 3);
  double most = fmax(like[0], fmax(like[1], like[2])), lowest = 0;
  for (int f = 0; f < raw->frequencies; f++)
    lowest = fmin(lowest, raw->damping[f][i][i]);
  return most > 0 && (peak[i] < ROUNDING * most || (peak[i] < NOISE * most && -lowest > 0.1 * peak[i]));
}

// Element i j of the added mass at all frequencies: 0 if it is rounding too.
static double constant_element(const double (*m)[6], int i, int j) {
  double value = 0.5 * (m[i][j] + m[j][i]), scale = sqrt(fmax(m[i][i] * m[j][j], 0));
  return i == j || fabs(value) > COUPLED * scale ? value : 0;
}

static void leave_out_motion(struct hydro_raw *raw, int i) {
  double row[6];
  const double (*from)[6] =
      (const double (*)[6])(raw->has_inf ? raw->added_mass_inf : raw->added_mass[raw->frequencies - 1]);
  for (int j = 0; j < 6; j++)
    row[j] = constant_element(from, i, j);
  for (int j = 0; j < 6; j++) {
    for (int f = 0; f < raw->frequencies; f++) {
      raw->damping[f][i][j] = raw->damping[f][j][i] = 0;
      raw->added_mass[f][i][j] = raw->added_mass[f][j][i] = row[j];
    }
    raw->added_mass_inf[i][j] = raw->added_mass_inf[j][i] = row[j];
    raw->added_mass_zero[i][j] = raw->added_mass_zero[j][i] = row[j];
  }
}

static void leave_out_rounding(struct hydro_raw *raw, struct hydro_report *report) {
  double peak[6];
  damping_peaks(raw, peak);
  for (int i = 0; i < 6; i++) {
    if (!is_rounding(raw, i, peak))
      continue;
    const double *like = peak + (i < 3 ? 0 : 3);
    double most = fmax(like[0], fmax(like[1], like[2]));
    leave_out_motion(raw, i);
    if (peak[i] > 0)
      report_line(report, "%s: its damping, at most %.2g of that of its like, is rounding: none",
                  HYDRO_DOF[i], peak[i] / most);
  }
}

enum status hydro_checks(struct hydro_raw *raw, const int is_accepted[HYDRO_CHECK_COUNT],
                         struct hydro_report *report, struct reason *why) {
  static int (*const checks[HYDRO_CHECK_COUNT])(struct hydro_raw *, struct hydro_report *,
                                                struct reason *) = {
      check_mass, check_passivity, check_kramers_kronig, check_symmetry, check_long_waves, check_motions};
  struct reason first = {""};
  char others[80] = "";
  const char *refused = NULL;
  leave_out_rounding(raw, report);
  for (int k = 0; k < HYDRO_CHECK_COUNT; k++) {
    const char *name = hydro_check_name((enum hydro_check)k);
    struct reason found = {""};
    if (checks[k](raw, report, &found))
      continue;
    report_line(report, "check %s: FAILED%s: %s", name, is_accepted[k] ? ", accepted" : "", found.text);
    if (is_accepted[k])
      continue;
    if (refused)
      snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s",
               *others ? ", " : "; failed too: ", name);
    else
      refused = name, first = found;
  }
  return refused ? fail(why, STATUS_BAD_INPUT, "%.190s; '--accept %s' imports it nevertheless%s", first.text,
                        refused, others)
                 : STATUS_OK;
}
