// .2, .3, .4: period, heading, degree of freedom, amplitude, phase, real and imaginary part. .8, .9: the same
// with two headings.
//
// .9 (pressure integration) gives the three mean moments twice. Modes 4 to 6 are moments about the mean place
// of the body's origin, modes -4 to -6 about the origin that moves with the body: they differ by the mean of
// -x1 x F1, the motion and the force of first order. The simulator applies the drift at the reference point
// of the moving vessel, so that the yaw moment is that of mode -6 where the file has it.
#include "lab/hydro/hydro_internal.h"
#include "lab/hydro/wamit_rows.h"
#include "sagbend/hydro/hydro_axes.h"
#include "sagbend/hydro/hydro_tables.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
