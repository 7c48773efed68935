// .1: period, row, column, added mass and, except at the limits, damping. .hst: row, column, restoring.
#include "lab/hydro/hydro_internal.h"

#include "sagbend/hydro/hydro.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// L^k of a matrix element: two rotations count once each.
static double length_power(const struct wamit_units *units, int i, int j, int power) {
  return pow(units->length_m, power + (i > 2) + (j > 2));
}

// Elements that a period has, as bits.
static uint64_t bit_of(int i, int j) {
  return UINT64_C(1) << (6 * i + j);
}

// Frequency in rad/s of a number above 0 of the first column.
static double wamit_omega(const struct wamit_units *units, double number) {
  const struct first_column_water water = {units->length_m, units->gravity_mps2, units->depth_m};
  return first_column_omega(units->column, number, &water);
}

// The block of rows with the period of the first: checks its elements and returns its length in *length.
static enum status check_block(const struct wamit_rows *rows, int first, uint64_t expected, uint64_t *found,
                               int *length, struct reason *why) {
  double period = rows->row[first].number[0];
  int at = first;
  *found = 0;
  *length = 1;
  for (; at < rows->count && rows->row[at].number[0] == period; at++) {
    enum status status = wamit_check_index(rows, at, 1, why);
    if (status == STATUS_OK)
      status = wamit_check_index(rows, at, 2, why);
    if (status != STATUS_OK)
      return status;
    uint64_t bit = bit_of((int)rows->row[at].number[1] - 1, (int)rows->row[at].number[2] - 1);
    if (*found & bit)
      return wamit_fail(rows, at, why, "each element once expected, got %g %g of period %g twice",
                        rows->row[at].number[1], rows->row[at].number[2], period);
    *found |= bit;
    if (rows->row[at].count < 5 && period > 0)
      return wamit_fail(rows, at, why, "added mass and damping expected, got one number");
  }
  *length = at - first;
  if (expected && *found != expected)
    return wamit_fail(rows, at - 1, why,
                      "the elements of the first period expected, got %d others for period %g", *length,
                      period);
  return STATUS_OK;
}

static void keep_block(const struct wamit_rows *rows, int first, int length, const struct wamit_units *units,
                       struct hydro_raw *raw) {
  double period = rows->row[first].number[0], (*added)[6] = NULL, (*damping)[6] = NULL, omega = 0;
  if (period < 0) {
    raw->has_zero = 1;
    added = raw->added_mass_zero;
  } else if (period == 0) {
    raw->has_inf = 1;
    added = raw->added_mass_inf;
  } else {
    int at = raw->frequencies++;
    omega = wamit_omega(units, period);
    while (at > 0 && raw->omega_radps[at - 1] > omega) { // the files give rising periods
      raw->omega_radps[at] = raw->omega_radps[at - 1];
      memcpy(raw->added_mass[at], raw->added_mass[at - 1], sizeof raw->added_mass[at]);
      memcpy(raw->damping[at], raw->damping[at - 1], sizeof raw->damping[at]);
      at--;
    }
    raw->omega_radps[at] = omega;
    added = raw->added_mass[at];
    damping = raw->damping[at];
    memset(added, 0, sizeof raw->added_mass[at]);
    memset(damping, 0, sizeof raw->damping[at]);
  }
  for (int at = first; at < first + length; at++) {
    const double *number = rows->row[at].number;
    int i = (int)number[1] - 1, j = (int)number[2] - 1;
    double unit = WAMIT_SIGN[i] * WAMIT_SIGN[j] * units->water_density_kgpm3 * length_power(units, i, j, 3);
    added[i][j] = unit * number[3];
    if (damping)
      damping[i][j] = unit * omega * number[4];
  }
}

static enum status take_blocks(const struct wamit_rows *rows, const struct wamit_units *units,
                               struct hydro_raw *raw, struct reason *why) {
  uint64_t expected = 0, found;
  int length = 0;
  for (int first = 0; first < rows->count; first += length) {
    double period = rows->row[first].number[0];
    for (int other = 0; other < first; other++) // a limit is any number below 0, or 0
      if (rows->row[other].number[0] == period || (rows->row[other].number[0] < 0 && period < 0))
        return wamit_fail(rows, first, why, "each period once expected, got %g again", period);
    enum status status = check_block(rows, first, expected, &found, &length, why);
    if (status != STATUS_OK)
      return status;
    expected = found;
    if (raw->frequencies == MAX_RAW_FREQUENCIES)
      return wamit_fail(rows, first, why, "at most %d periods expected", MAX_RAW_FREQUENCIES);
    keep_block(rows, first, length, units, raw);
  }
  if (raw->frequencies < 8)
    return fail(why, STATUS_BAD_INPUT, "%.100s:%d: at least 8 periods expected, got %d", rows->file.path,
                rows->file.line, raw->frequencies);
  return STATUS_OK;
}

// How far a limit of the added mass is from that of a frequency, of their diagonals.
static double distance(const double (*limit)[6], const double (*added)[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    sum += fabs(limit[i][i] - added[i][i]) / fmax(fabs(limit[i][i]) + fabs(added[i][i]), 1e-300);
  return sum;
}

// A negative number is the infinite period and 0 the period zero. Of a column of frequencies some codes mean
// it the other way round: the added mass of the longest and of the shortest wave decides.
static void order_limits(struct hydro_raw *raw) {
  const double (*zero)[6] = (const double (*)[6])raw->added_mass_zero,
               (*infinite)[6] = (const double (*)[6])raw->added_mass_inf,
               (*longest)[6] = (const double (*)[6])raw->added_mass[0],
               (*shortest)[6] = (const double (*)[6])raw->added_mass[raw->frequencies - 1];
  double straight = 0, turned = 0;
  if (raw->has_zero)
    straight += distance(zero, longest), turned += distance(zero, shortest);
  if (raw->has_inf)
    straight += distance(infinite, shortest), turned += distance(infinite, longest);
  if (!(turned < straight))
    return;
  double other[6][6];
  int had_zero = raw->has_zero;
  memcpy(other, raw->added_mass_zero, sizeof other);
  memcpy(raw->added_mass_zero, raw->added_mass_inf, sizeof other);
  memcpy(raw->added_mass_inf, other, sizeof other);
  raw->has_zero = raw->has_inf;
  raw->has_inf = had_zero;
}

enum status wamit_read_1(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                         struct hydro_report *report, struct reason *why) {
  struct wamit_rows rows;
  enum status status = wamit_rows_read(&rows, path, 4, 5, "period, row, column, added mass and damping", why);
  if (status == STATUS_OK)
    status = take_blocks(&rows, units, raw, why);
  if (status == STATUS_OK && units->column != COLUMN_PERIOD)
    order_limits(raw);
  if (status == STATUS_OK) {
    raw->code = "WAMIT";
    raw->length_unit_m = units->length_m;
    raw->water_density_kgpm3 = units->water_density_kgpm3;
    raw->gravity_mps2 = units->gravity_mps2;
    report_line(report, "%s: WAMIT, length unit %g m, %d frequencies, %.4g to %.4g rad/s%s%s", path,
                units->length_m, raw->frequencies, raw->omega_radps[0],
                raw->omega_radps[raw->frequencies - 1], raw->has_zero ? ", zero" : "",
                raw->has_inf ? ", infinite" : "");
  }
  wamit_rows_free(&rows, report);
  return status;
}

enum status wamit_read_hst(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                           struct hydro_report *report, struct reason *why) {
  struct wamit_rows rows;
  uint64_t found = 0;
  enum status status = wamit_rows_read(&rows, path, 3, 3, "row, column and restoring coefficient", why);
  for (int at = 0; status == STATUS_OK && at < rows.count; at++) {
    const double *number = rows.row[at].number;
    status = wamit_check_index(&rows, at, 0, why);
    if (status == STATUS_OK)
      status = wamit_check_index(&rows, at, 1, why);
    if (status != STATUS_OK)
      break;
    int i = (int)number[0] - 1, j = (int)number[1] - 1;
    if (found & bit_of(i, j))
      status = wamit_fail(&rows, at, why, "each element once expected, got %d %d twice", i + 1, j + 1);
    found |= bit_of(i, j);
    raw->restoring[i][j] = WAMIT_SIGN[i] * WAMIT_SIGN[j] * units->water_density_kgpm3 * units->gravity_mps2 *
                           length_power(units, i, j, 2) * number[2];
  }
  if (status == STATUS_OK && rows.count != 36)
    status = fail(why, STATUS_BAD_INPUT, "%.100s:%d: 36 elements expected, got %d", path, rows.file.line,
                  rows.count);
  if (status == STATUS_OK)
    report_line(report, "%s: restoring matrix", path);
  wamit_rows_free(&rows, report);
  return status;
}

// ------------------------------------------------------------
// .2, .3, .4: period, heading, degree of freedom, amplitude, phase, real and imaginary part. .8, .9: the same
// with two headings.
//
// .9 (pressure integration) gives the three mean moments twice. Modes 4 to 6 are moments about the mean place
// of the body's origin, modes -4 to -6 about the origin that moves with the body: they differ by the mean of
// -x1 x F1, the motion and the force of first order. The simulator applies the drift at the reference point
// of the moving vessel, so that the yaw moment is that of mode -6 where the file has it.

static const double DEGREE = 3.14159265358979323846 / 180;

struct layout {
  int heading_columns; // 1 or 2
  int modes_needed;    // 1: all six of each block; 0: those that the first block has
};

// Different values of a column in the order of the file; -1: too many.
static int distinct(const struct wamit_rows *rows, int column, double *out, int most) {
  int count = 0;
  for (int at = 0; at < rows->count; at++) {
    int k = count - 1; // equal ones follow each other mostly
    while (k >= 0 && out[k] != rows->row[at].number[column])
      k--;
    if (k >= 0)
      continue;
    if (count == most)
      return -1;
    out[count++] = rows->row[at].number[column];
  }
  return count;
}

// Index of a value, sought from the last one found, since equal ones follow each other mostly.
static int index_of(const double *values, int count, double x, int from) {
  for (int k = 0; k < count; k++, from++) {
    if (from >= count)
      from = 0;
    if (values[from] == x)
      return from;
  }
  return 0;
}

enum {
  OWN_MOMENTS = 6,
  OWN_MOMENTS_OF_YAW = 8
}; // bits of the modes -4 to -6 follow those of the modes 1 to 6

// Degree of freedom of a row, from 0, and the bit of its mode.
static enum status read_mode(const struct wamit_rows *rows, int at, int column, int has_own_moments, int *i,
                             int *bit, struct reason *why) {
  double mode = rows->row[at].number[column];
  if (has_own_moments && text_is_whole(-mode, 4, 6)) {
    *i = (int)-mode - 1;
    *bit = OWN_MOMENTS + *i - 3;
    return STATUS_OK;
  }
  if (has_own_moments && mode < 0)
    return wamit_fail(
        rows, at, why,
        "a degree of freedom from 1 to 6, or a moment from -4 to -6 about the body's own origin, "
        "expected, got %g",
        mode);
  enum status status = wamit_check_index(rows, at, column, why);
  *i = *bit = status == STATUS_OK ? (int)mode - 1 : 0;
  return status;
}

// Amplitude and the two parts must agree: a digit that is wrong shows here.
static enum status check_parts(const struct wamit_rows *rows, int at, int column, struct reason *why) {
  const double *number = rows->row[at].number + column;
  double size = hypot(number[2], number[3]);
  if (fabs(size - fabs(number[0])) <= 2e-3 * fmax(size, fabs(number[0])) + 1e-12)
    return STATUS_OK;
  return wamit_fail(rows, at, why, "the amplitude of real and imaginary part (%.6g) expected, got %.6g", size,
                    number[0]);
}

struct filling {
  double period[MAX_RAW_FREQUENCIES], heading[MAX_HYDRO_HEADINGS];
  int periods, headings;
};

static enum status find_axes(const struct wamit_rows *rows, struct filling *axes, struct reason *why) {
  axes->periods = distinct(rows, 0, axes->period, MAX_RAW_FREQUENCIES);
  axes->headings = distinct(rows, 1, axes->heading, MAX_HYDRO_HEADINGS);
  if (axes->periods < 0 || axes->headings < 0)
    return wamit_fail(rows, 0, why, "at most %d periods and %d headings expected, got more",
                      MAX_RAW_FREQUENCIES, MAX_HYDRO_HEADINGS);
  for (int k = 0; k < axes->periods; k++)
    if (!(axes->period[k] > 0))
      return wamit_fail(rows, 0, why, "periods above 0 expected, got %g", axes->period[k]);
  return STATUS_OK;
}

// Fills a table of width 12, or of width 3 from rows with two headings, whose pairs of different headings are
// passed over. Counts what each entry gets; all must get the same.
static enum status fill(const struct wamit_rows *rows, const struct filling *axes, int width,
                        const struct wamit_units *units, double scale, double length_m,
                        struct hydro_table *table, struct reason *why) {
  static const int drift_row[6] = {0, 1, -1, -1, -1, 2};
  int column = width == 12 ? 2 : 3, first_mask = -1, entries = axes->periods * axes->headings;
  int i = 0, bit = 0, f = 0, h = 0;
  uint16_t mask[MAX_RAW_FREQUENCIES * MAX_HYDRO_HEADINGS] = {0};
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    if (width == 3 && number[1] != number[2])
      continue;
    enum status status = read_mode(rows, at, column, width == 3, &i, &bit, why);
    if (status == STATUS_OK)
      status = check_parts(rows, at, column + 1, why);
    if (status != STATUS_OK)
      return status;
    f = index_of(axes->period, axes->periods, number[0], f);
    h = index_of(axes->heading, axes->headings, number[1], h);
    uint16_t *has = &mask[f * axes->headings + h];
    if (*has >> bit & 1)
      return wamit_fail(rows, at, why,
                        "each degree of freedom once expected, got %g twice (period %g, %g deg)",
                        number[column], number[0], number[1]);
    *has = (uint16_t)(*has | 1U << bit);
    double *entry = hydro_table_at(table, f, h), unit = WAMIT_SIGN[i] * scale * (i > 2 ? length_m : 1);
    if (width == 12) {
      entry[2 * i] = unit * number[column + 3];
      entry[2 * i + 1] = unit * number[column + 4];
    } else if (drift_row[i] >= 0 && (bit >= OWN_MOMENTS || !(*has >> OWN_MOMENTS_OF_YAW & 1))) {
      entry[drift_row[i]] = unit * number[column + 3];
    }
  }
  first_mask = mask[0];
  for (int k = 0; k < entries; k++)
    if (mask[k] != first_mask || mask[k] == 0)
      return fail(
          why, STATUS_BAD_INPUT,
          "%.90s:%d: for period %g and %g deg the degrees of freedom of the first block expected, got "
          "others or none",
          rows->file.path, rows->file.line, axes->period[k / axes->headings],
          axes->heading[k % axes->headings]);
  for (f = 0; f < axes->periods; f++)
    table->omega_radps[f] = wamit_omega(units, axes->period[f]);
  for (h = 0; h < axes->headings; h++)
    table->heading_rad[h] = -axes->heading[h] * DEGREE;
  return STATUS_OK;
}

// The frequencies of the table must be those of .1, and its headings those of the forces.
static enum status compare(const struct wamit_rows *rows, const struct hydro_raw *raw,
                           const struct hydro_table *table, struct reason *why) {
  if (table->frequencies != raw->frequencies)
    return wamit_fail(rows, rows->count - 1, why, "the %d periods of .1 expected, got %d", raw->frequencies,
                      table->frequencies);
  for (int f = 0; f < raw->frequencies; f++)
    if (fabs(table->omega_radps[f] - raw->omega_radps[f]) > 1e-6 * raw->omega_radps[f])
      return wamit_fail(rows, rows->count - 1, why, "the frequency %.7g rad/s of .1 expected, got %.7g rad/s",
                        raw->omega_radps[f], table->omega_radps[f]);
  if (!raw->force.headings || table == &raw->force)
    return STATUS_OK;
  int is_same = table->headings == raw->force.headings;
  for (int h = 0; is_same && h < table->headings; h++)
    is_same = fabs(table->heading_rad[h] - raw->force.heading_rad[h]) < 1e-6;
  return is_same ? STATUS_OK
                 : wamit_fail(rows, rows->count - 1, why,
                              "the %d headings of the wave forces expected, got %d or others",
                              raw->force.headings, table->headings);
}

// Without the end of the last line a drift with fewer periods than .1 was cut.
static enum status check_drift(const struct wamit_rows *rows, const struct hydro_raw *raw,
                               struct hydro_report *report, struct reason *why) {
  int periods = raw->drift.frequencies, own_moments = 0;
  if (rows->file.is_unended && periods < raw->frequencies)
    return wamit_fail(rows, rows->count - 1, why,
                      "the %d periods of .1 expected, got %d and no end of the last line: was it cut?",
                      raw->frequencies, periods);
  if (periods != raw->frequencies)
    report_line(report, "notice: %s: %d periods; .1 has %d", rows->file.path, periods, raw->frequencies);
  for (int at = 0; at < rows->count; at++)
    own_moments |= rows->row[at].number[3] == -6;
  report_line(report, "%s: mean drift, %d headings%s", rows->file.path, raw->drift.headings,
              own_moments ? "; yaw moment about the body's own origin (mode -6)" : "");
  return STATUS_OK;
}

// width, scale: as for fill. A table of width 12 must fit .1.
static enum status read_table(const char *path, int width, const struct wamit_units *units, double scale,
                              double length_m, struct hydro_raw *raw, struct hydro_table *table,
                              struct hydro_report *report, struct reason *why) {
  struct wamit_rows rows;
  struct filling axes;
  int columns = width == 12 ? 7 : 8;
  const char *what = width == 12 ? "period, heading, degree of freedom, amplitude, phase, two parts"
                                 : "period, two headings, degree of freedom, amplitude, phase, two parts";
  enum status status = wamit_rows_read(&rows, path, columns, columns, what, why);
  if (status == STATUS_OK)
    status = find_axes(&rows, &axes, why);
  if (status == STATUS_OK && hydro_table_create(table, axes.periods, axes.headings, width) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  if (status == STATUS_OK)
    status = fill(&rows, &axes, width, units, scale, length_m, table, why);
  if (status == STATUS_OK) {
    struct reason cause = {""};
    status = hydro_table_order(table, &cause);
    if (status != STATUS_OK)
      fail(why, status, "%.100s: %.140s", path, cause.text);
  }
  if (status == STATUS_OK)
    status = width == 12 ? compare(&rows, raw, table, why) : check_drift(&rows, raw, report, why);
  wamit_rows_free(&rows, report);
  return status;
}

static double force_unit(const struct wamit_units *units, int power) {
  return units->water_density_kgpm3 * units->gravity_mps2 * pow(units->length_m, power);
}

enum status wamit_read_force(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why) {
  enum status status =
      read_table(path, 12, units, force_unit(units, 2), units->length_m, raw, &raw->force, report, why);
  if (status == STATUS_OK)
    report_line(report, "%s: wave forces, %d headings", path, raw->force.headings);
  return status;
}

enum status wamit_read_motion(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                              struct hydro_report *report, struct reason *why) {
  enum status status = read_table(path, 12, units, 1, 1 / units->length_m, raw, &raw->motion, report, why);
  if (status == STATUS_OK)
    report_line(report, "%s: motions", path);
  return status;
}

enum status wamit_read_drift(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why) {
  hydro_table_free(&raw->drift);
  return read_table(path, 3, units, force_unit(units, 1), units->length_m, raw, &raw->drift, report, why);
}

// ------------------------------------------------------------
// .12d: two periods, two headings, degree of freedom, amplitude, phase, real and imaginary part of the
// quadratic transfer function of difference frequencies, D(w1, w2) in rho g L^k. Its diagonal is the mean
// drift. The simulator takes D(w1, w2) as the mean of D(w1, w1) and D(w2, w2) (Newman 1974); the report says
// how far the file differs from that.

enum { DRIFTS = 3, OF_FREEDOM = 4, REAL = 7, IMAGINARY = 8 };
static const int DRIFT_ROW[6] = {0, 1, -1, -1, -1, 2};
static const char *const NAMES[DRIFTS] = {"surge", "sway", "yaw"};

// The rows of the diagonal.
struct diagonal {
  const double **row; // owned
  int count;
};

static enum status find_diagonal(const struct wamit_rows *rows, struct diagonal *out) {
  out->row = calloc(rows->count > 0 ? (size_t)rows->count : 1, sizeof *out->row);
  if (!out->row)
    return STATUS_NO_MEMORY;
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    if (number[0] == number[1] && number[2] == number[3])
      out->row[out->count++] = number;
  }
  return STATUS_OK;
}

// The value of the diagonal at a period and heading; NULL: there is none.
static const double *diagonal_at(const struct diagonal *diagonal, double period, double heading, double dof) {
  for (int at = 0; at < diagonal->count; at++) {
    const double *number = diagonal->row[at];
    if (number[0] == period && number[2] == heading && number[OF_FREEDOM] == dof)
      return number;
  }
  return NULL;
}

struct comparison {
  double peak[DRIFTS], largest[DRIFTS], first_s[DRIFTS], second_s[DRIFTS];
  int diagonal, pairs;
};

static void compare_with_newman(const struct wamit_rows *rows, const struct diagonal *diagonal,
                                struct comparison *out) {
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    int d = DRIFT_ROW[(int)number[OF_FREEDOM] - 1];
    if (number[2] != number[3] || d < 0)
      continue;
    out->peak[d] = fmax(out->peak[d], hypot(number[REAL], number[IMAGINARY]));
    if (number[0] == number[1]) {
      out->diagonal++;
      continue;
    }
    const double *a = diagonal_at(diagonal, number[0], number[2], number[OF_FREEDOM]);
    const double *b = diagonal_at(diagonal, number[1], number[2], number[OF_FREEDOM]);
    if (!a || !b)
      continue;
    double miss = hypot(number[REAL] - 0.5 * (a[REAL] + b[REAL]), number[IMAGINARY]);
    out->pairs++;
    if (miss > out->largest[d])
      out->largest[d] = miss, out->first_s[d] = number[0], out->second_s[d] = number[1];
  }
}

static enum status check_rows(const struct wamit_rows *rows, struct reason *why) {
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    enum status status = wamit_check_index(rows, at, OF_FREEDOM, why);
    if (status != STATUS_OK)
      return status;
    if (!(number[0] > 0 && number[1] > 0))
      return wamit_fail(rows, at, why, "two periods above 0 expected, got %g and %g", number[0], number[1]);
    double size = hypot(number[REAL], number[IMAGINARY]);
    if (!(fabs(size - fabs(number[5])) <= 2e-3 * fmax(size, fabs(number[5])) + 1e-12))
      return wamit_fail(rows, at, why, "the amplitude of real and imaginary part (%.6g) expected, got %.6g",
                        size, number[5]);
  }
  return STATUS_OK;
}

enum status wamit_read_difference(const char *path, struct hydro_report *report, struct reason *why) {
  struct wamit_rows rows;
  struct comparison found = {.pairs = 0};
  struct diagonal diagonal = {.count = 0};
  enum status status = wamit_rows_read(
      &rows, path, 9, 9, "two periods, two headings, degree of freedom, amplitude, phase, two parts", why);
  if (status == STATUS_OK)
    status = check_rows(&rows, why);
  if (status == STATUS_OK && find_diagonal(&rows, &diagonal) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for %.100s", path);
  if (status == STATUS_OK) {
    compare_with_newman(&rows, &diagonal, &found);
    report_line(report, "%s: difference frequencies, %d values on the diagonal, %d pairs beside it", path,
                found.diagonal, found.pairs);
    for (int d = 0; d < DRIFTS; d++)
      if (found.peak[d] > 0 && found.pairs > 0)
        report_line(report,
                    "  %s: Newman's approximation, which the simulator uses, differs by up to %.3g %% of the "
                    "peak, at %.4g and %.4g s",
                    NAMES[d], 100 * found.largest[d] / found.peak[d], found.first_s[d], found.second_s[d]);
  }
  free(diagonal.row);
  wamit_rows_free(&rows, report);
  return status;
}
