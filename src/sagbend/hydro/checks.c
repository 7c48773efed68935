// Checks of the coefficients of a hull against physics, and what mends them: all of them in their order, and
// those of long waves and motions. The others: check_matrices.c, physics.c.
#include "sagbend/hydro/hydro.h"
#include "sagbend/hydro/hydro_internal.h"

#include "sagbend/math/math.h"

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

static int check_long_waves(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);

static int check_motions(struct hydro_raw *raw, struct hydro_report *report, struct reason *why);

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

// ------------------------------------------------------------
// Forces in long waves, and the motions. In a wave much longer than the vessel the heave force is -C_33 per
// metre, and surge and sway force are (m + A) times the acceleration of the water, i g k (cos chi, sin chi).

static const double SIZE_OF_AREA = 2.2;       // length over sqrt of the waterplane area, of usual vessels
static const double MOST_CONTRADICTION = 0.1; // of the peak of a motion
static const double NO_MOTION_M = 1e-4, NO_MOTION_RAD = 1e-6; // a motion whose peak is smaller is none

// The longest wave and its wavenumber times the vessel's size.
struct longest {
  int frequency;
  double wavenumber, size;
};

static struct longest longest_wave(const struct hydro_raw *raw) {
  struct longest wave = {.frequency = 0};
  while (wave.frequency < raw->frequencies - 1 && raw->is_left_out[wave.frequency] &&
         raw->omega_radps[wave.frequency] < 0.1 * raw->omega_radps[raw->frequencies - 1])
    wave.frequency++;
  double area = raw->restoring[2][2] / (raw->water_density_kgpm3 * raw->gravity_mps2);
  wave.wavenumber = hydro_wavenumber(raw->omega_radps[wave.frequency], raw->gravity_mps2, raw->depth_m);
  wave.size = wave.wavenumber * SIZE_OF_AREA * sqrt(fmax(area, 0));
  return wave;
}

// The heading along which an axis (0: x, 1: y) feels most.
static int heading_along(const struct hydro_table *table, int axis, double *share) {
  int best = 0;
  *share = 0;
  for (int h = 0; h < table->headings; h++) {
    double now = axis ? sin(table->heading_rad[h]) : cos(table->heading_rad[h]);
    if (fabs(now) > fabs(*share) + 1e-9)
      best = h, *share = now;
  }
  return best;
}

// Mass that the force along an axis moves, with the phase of the water's acceleration.
static double moved_mass(const struct hydro_raw *raw, const struct longest *wave, int axis) {
  double share;
  int h = heading_along(&raw->force, axis, &share);
  const double *force = hydro_table_at(&raw->force, wave->frequency, h);
  return force[2 * axis + 1] / (raw->gravity_mps2 * wave->wavenumber * share);
}

// The length unit with which the force of the longest wave and the mass agree: s^2 F - s^3 A = m.
static double better_unit(double moved, double added, double mass) {
  double best = 1, least = HUGE_VAL;
  for (double s = 0.01; s < 300; s *= 1.001) {
    double miss = fabs(log(fmax(s * s * moved - s * s * s * added, 1e-9 * mass) / mass));
    if (miss < least)
      least = miss, best = s;
  }
  return best;
}

// The depth with which the surge force of a wave and the mass agree: its wavenumber is longer than that of
// deep water. HUGE_VAL: none.
static double depth_of_surge(const struct hydro_raw *raw, int frequency, double moved_to_mass) {
  double omega = raw->omega_radps[frequency];
  double k = moved_to_mass * hydro_wavenumber(omega, raw->gravity_mps2, raw->depth_m);
  double ratio = omega * omega / (raw->gravity_mps2 * k);
  return ratio > 0 && ratio < 0.999 ? atanh(ratio) / k : HUGE_VAL;
}

// What would mend a surge force that contradicts the mass: a depth or a length unit. Damping and heave force
// tell which; where they do not, a depth is meant if two waves agree on it.
static void propose(const struct hydro_raw *raw, const struct longest *wave, double moved, double added,
                    char *out, size_t size) {
  struct hydro_waves waves;
  struct longest second = *wave;
  hydro_waves_judge(raw, &waves);
  int is_known = waves.frequencies >= 4;
  while (second.frequency < raw->frequencies - 1 &&
         raw->omega_radps[second.frequency] < 1.5 * raw->omega_radps[wave->frequency])
    second.frequency++;
  second.wavenumber = hydro_wavenumber(raw->omega_radps[second.frequency], raw->gravity_mps2, raw->depth_m);
  double depth = depth_of_surge(raw, wave->frequency, moved / (raw->displaced_kg + added));
  double other = depth_of_surge(raw, second.frequency,
                                moved_mass(raw, &second, 0) /
                                    (raw->displaced_kg + raw->added_mass[second.frequency][0][0]));
  *out = '\0';
  if (is_known && waves.depth_miss <= HYDRO_WAVES_AGREE && waves.depth_miss < 0.7 * waves.given)
    depth = waves.depth_m;
  else if (is_known || !(fabs(log(other / depth)) < 0.2))
    depth = 0;
  if (depth > 0 && isfinite(depth))
    snprintf(out, size, "; water of %.3g m would agree, not %s: '--depth'%s", depth,
             raw->depth_m > 0 ? "the given depth" : "deep water",
             raw->length_unit_m > 0 ? ", or the file .pot" : "");
  else if (moved > 0 && raw->length_unit_m > 0) {
    double unit = is_known && waves.unit_miss <= HYDRO_WAVES_AGREE
                      ? waves.unit
                      : better_unit(moved, added, raw->displaced_kg);
    char water[64] = "";
    if (is_known && waves.unit_miss <= HYDRO_WAVES_AGREE && waves.unit_depth_m > 0 &&
        waves.unit_depth_m < 1000)
      snprintf(water, sizeof water, " with '--depth %.3g'", waves.unit_depth_m);
    snprintf(out, size, "; '--length-unit %.3g'%s would agree", raw->length_unit_m * unit, water);
  }
}

static int check_surge(const struct hydro_raw *raw, const struct longest *wave, double allowed,
                       struct hydro_report *report, struct reason *why) {
  double moved = moved_mass(raw, wave, 0), added = raw->added_mass[wave->frequency][0][0];
  double mass = moved - added;
  report_line(report, "long waves: the surge force moves a mass of %.4g kg without added mass", mass);
  if (!(raw->displaced_kg > 0)) {
    if (mass > 0)
      return 1;
    fail(why, STATUS_BAD_INPUT,
         "long waves: the surge force of the longest wave (%.4g rad/s) has not the sign of the water's "
         "acceleration",
         raw->omega_radps[wave->frequency]);
    return 0;
  }
  if (fabs(mass / raw->displaced_kg - 1) <= allowed)
    return 1;
  char cure[120];
  propose(raw, wave, moved, added, cure, sizeof cure);
  fail(why, STATUS_BAD_INPUT,
       "long waves: the surge force (%.4g rad/s) moves %.4g kg, but the mass is %.4g kg%s",
       raw->omega_radps[wave->frequency], mass, raw->displaced_kg, cure);
  return 0;
}

// A wrong length unit changes mass and surge force so that it can pass for a wrong depth; damping and heave
// force tell them apart.
static int check_water(const struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  static const double WRONG_UNIT = 0.3; // |log| of the unit over the one that was read
  struct hydro_waves waves;
  hydro_waves_judge(raw, &waves);
  if (waves.frequencies < 4) {
    report_line(report, "long waves: too few frequencies to judge the waves by damping and heave force");
    return 1;
  }
  report_line(report,
              "long waves: damping and heave force agree to %.2g %% in the water and units of the files",
              100 * waves.given);
  if (raw->length_unit_m > 0 && waves.given > HYDRO_WAVES_AGREE && waves.unit_miss <= HYDRO_WAVES_AGREE &&
      waves.depth_miss > 2 * waves.unit_miss && fabs(log(waves.unit)) > WRONG_UNIT) {
    char water[48] = "";
    if (waves.unit_depth_m > 0 && waves.unit_depth_m < 1000)
      snprintf(water, sizeof water, " with '--depth %.3g'", waves.unit_depth_m);
    fail(why, STATUS_BAD_INPUT,
         "long waves: damping and heave force contradict the length unit of %.3g m; '--length-unit %.3g'%s "
         "would "
         "agree",
         raw->length_unit_m, raw->length_unit_m * waves.unit, water);
    return 0;
  }
  if (waves.depth_miss <= 0.5 * HYDRO_WAVES_AGREE && waves.depth_miss < 0.3 * waves.given &&
      waves.given > 0.02 && !raw->is_mass_estimated) {
    char water[40] = "deep water";
    if (waves.depth_m > 0)
      snprintf(water, sizeof water, "water of %.3g m", waves.depth_m);
    report_line(report, "warning: long waves: damping and heave force agree with %s: '--depth'", water);
  }
  if (raw->is_mass_estimated && waves.given > HYDRO_WAVES_AGREE && waves.depth_miss <= HYDRO_WAVES_AGREE) {
    fail(why, STATUS_BAD_INPUT, "long waves: damping and heave force agree with water of %.3g m: '--depth'",
         waves.depth_m);
    return 0;
  }
  return 1;
}

static int check_long_waves(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  struct longest wave = longest_wave(raw);
  double share, allowed = 0.15 + 0.2 * wave.size * wave.size;
  double omega = raw->omega_radps[wave.frequency];
  if (!(wave.size < 1)) {
    report_line(report, "warning: long waves: the longest wave (%.4g rad/s) is too short to judge", omega);
    return 1;
  }
  if (!check_water(raw, report, why))
    return 0;
  const double *force = hydro_table_at(&raw->force, wave.frequency, heading_along(&raw->force, 0, &share));
  double heave = -force[4] / raw->restoring[2][2];
  report_line(report, "long waves: heave force %.4f of C33 at %.4g rad/s", heave, omega);
  if (!(fabs(heave - 1) <= allowed) || !(fabs(force[5]) <= allowed * raw->restoring[2][2])) {
    fail(
        why, STATUS_BAD_INPUT,
        "long waves: the heave force of the longest wave (%.4g rad/s) is (%.3g, %.3g) times C33, near (1, 0) "
        "expected",
        omega, heave, -force[5] / raw->restoring[2][2]);
    return 0;
  }
  if (!check_surge(raw, &wave, allowed, report, why))
    return 0;
  heading_along(&raw->force, 1, &share);
  double mass = raw->displaced_kg > 0 ? raw->displaced_kg
                                      : moved_mass(raw, &wave, 0) - raw->added_mass[wave.frequency][0][0];
  double sway =
      fabs(share) < 0.3 ? 1 : moved_mass(raw, &wave, 1) / (mass + raw->added_mass[wave.frequency][1][1]);
  if (fabs(sway - 1) <= 0.15 + allowed)
    return 1;
  fail(
      why, STATUS_BAD_INPUT,
      "long waves: the sway force of the longest wave (%.4g rad/s) is %.3g of mass plus added mass times the "
      "water's acceleration, near 1 expected",
      omega, sway);
  return 0;
}

struct motion_error {
  double peak, largest;
  int frequency, heading;
};

static void compare_motions(const struct hydro_raw *raw, int with_additional, struct motion_error error[6]) {
  memset(error, 0, 6 * sizeof *error);
  for (int f = 0; f < raw->frequencies; f++)
    for (int h = 0; h < raw->force.headings; h++) {
      const double *given = hydro_table_at(&raw->motion, f, h);
      double solved[12];
      if (hydro_raw_solve(raw, f, h, with_additional, solved) != STATUS_OK)
        continue;
      for (int i = 0; i < 6; i++) {
        double miss = hypot(solved[2 * i] - given[2 * i], solved[2 * i + 1] - given[2 * i + 1]);
        error[i].peak = fmax(error[i].peak, hypot(given[2 * i], given[2 * i + 1]));
        if (miss > error[i].largest)
          error[i].largest = miss, error[i].frequency = f, error[i].heading = h;
      }
    }
}

static void report_motions(const struct hydro_raw *raw, const struct motion_error error[6], const char *title,
                           struct hydro_report *report) {
  report_line(report, "%s", title);
  report_line(report, "  %-8s %-12s %-10s %-12s %s", "motion", "peak", "error", "at rad/s", "heading deg");
  for (int i = 0; i < 6; i++)
    report_line(report, "  %-8s %-12.4g %-7.3f %%  %-12.5g %.0f", HYDRO_DOF[i], error[i].peak,
                error[i].peak > 0 ? 100 * error[i].largest / error[i].peak : 0,
                raw->omega_radps[error[i].frequency],
                raw->force.heading_rad[error[i].heading] * 180 / 3.14159265358979323846);
}

static int check_motions(struct hydro_raw *raw, struct hydro_report *report, struct reason *why) {
  struct motion_error error[6];
  if (!raw->has_mass || raw->motion.frequencies == 0) {
    report_line(report, "motions: not compared, since the files lack %s",
                raw->has_mass ? "them" : "the mass matrix");
    return 1;
  }
  compare_motions(raw, 1, error);
  report_motions(raw, error,
                 "motions solved from A, B, C and wave force, against the files', of the peak:", report);
  for (int i = 0; i < 6; i++)
    if (!(error[i].largest <=
          MOST_CONTRADICTION * fmax(error[i].peak, i < 3 ? NO_MOTION_M : NO_MOTION_RAD))) {
      fail(why, STATUS_BAD_INPUT,
           "the motions contradict the forces: %s differs by %.3g %% of its peak at %.5g rad/s, %.0f deg",
           HYDRO_DOF[i], 100 * error[i].largest / error[i].peak, raw->omega_radps[error[i].frequency],
           raw->force.heading_rad[error[i].heading] * 180 / 3.14159265358979323846);
      return 0;
    }
  if (raw->has_additional) {
    compare_motions(raw, 0, error);
    report_motions(raw, error, "the same without the second matrices (tanks):", report);
  }
  return 1;
}
