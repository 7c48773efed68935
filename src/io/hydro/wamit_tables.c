// .2, .3, .4: period, heading, degree of freedom, amplitude, phase, real and imaginary part. .8, .9: the same
// with two headings.
#include "hydro/hydro_axes.h"
#include "hydro/hydro_tables.h"
#include "io/hydro/wamit.h"
#include "io/hydro/wamit_rows.h"

#include <math.h>
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

static int index_of(const double *values, int count, double x) {
  for (int k = 0; k < count; k++)
    if (values[k] == x)
      return k;
  return -1;
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
  double period[MAX_HYDRO_FREQUENCIES], heading[MAX_HYDRO_HEADINGS];
  int periods, headings;
};

static enum status find_axes(const struct wamit_rows *rows, struct filling *axes, struct reason *why) {
  axes->periods = distinct(rows, 0, axes->period, MAX_HYDRO_FREQUENCIES);
  axes->headings = distinct(rows, 1, axes->heading, MAX_HYDRO_HEADINGS);
  if (axes->periods < 0 || axes->headings < 0)
    return wamit_fail(rows, 0, why, "at most %d periods and %d headings expected, got more",
                      MAX_HYDRO_FREQUENCIES, MAX_HYDRO_HEADINGS);
  for (int k = 0; k < axes->periods; k++)
    if (!(axes->period[k] > 0))
      return wamit_fail(rows, 0, why, "periods above 0 expected, got %g", axes->period[k]);
  return STATUS_OK;
}

// Fills a table of width 12, or of width 3 from rows with two headings, whose pairs of different headings are
// passed over. Counts what each entry gets; all must get the same.
static enum status fill(const struct wamit_rows *rows, const struct filling *axes, int width, double scale,
                        double length_m, struct hydro_table *table, struct reason *why) {
  static const int drift_row[6] = {0, 1, -1, -1, -1, 2};
  int column = width == 12 ? 2 : 3, first_mask = -1, entries = axes->periods * axes->headings;
  unsigned char mask[MAX_HYDRO_FREQUENCIES * MAX_HYDRO_HEADINGS] = {0};
  for (int at = 0; at < rows->count; at++) {
    const double *number = rows->row[at].number;
    if (width == 3 && number[1] != number[2])
      continue;
    enum status status = wamit_check_index(rows, at, column, why);
    if (status == STATUS_OK)
      status = check_parts(rows, at, column + 1, why);
    if (status != STATUS_OK)
      return status;
    int f = index_of(axes->period, axes->periods, number[0]);
    int h = index_of(axes->heading, axes->headings, number[1]), i = (int)number[column] - 1;
    unsigned char *has = &mask[f * axes->headings + h];
    if (*has >> i & 1)
      return wamit_fail(rows, at, why,
                        "each degree of freedom once expected, got %d twice (period %g, %g deg)", i + 1,
                        number[0], number[1]);
    *has |= (unsigned char)(1 << i);
    double *entry = hydro_table_at(table, f, h), unit = WAMIT_SIGN[i] * scale * (i > 2 ? length_m : 1);
    if (width == 12) {
      entry[2 * i] = unit * number[column + 3];
      entry[2 * i + 1] = unit * number[column + 4];
    } else if (drift_row[i] >= 0) {
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
  for (int f = 0; f < axes->periods; f++)
    table->omega_radps[f] = wamit_omega(axes->period[f]);
  for (int h = 0; h < axes->headings; h++)
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
      return wamit_fail(rows, rows->count - 1, why, "period %.7g s of .1 expected, got %.7g s",
                        wamit_omega(raw->omega_radps[f]), wamit_omega(table->omega_radps[f]));
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

// width, scale: as for fill. is_compared: the table must fit .1.
static enum status read_table(const char *path, int width, double scale, double length_m,
                              struct hydro_raw *raw, struct hydro_table *table, struct reason *why) {
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
    status = fill(&rows, &axes, width, scale, length_m, table, why);
  if (status == STATUS_OK) {
    struct reason cause = {""};
    status = hydro_table_order(table, &cause);
    if (status != STATUS_OK)
      fail(why, status, "%.100s: %.140s", path, cause.text);
  }
  if (status == STATUS_OK && width == 12)
    status = compare(&rows, raw, table, why);
  wamit_rows_free(&rows);
  return status;
}

static double force_unit(const struct wamit_units *units, int power) {
  return units->water_density_kgpm3 * units->gravity_mps2 * pow(units->length_m, power);
}

enum status wamit_read_force(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why) {
  enum status status = read_table(path, 12, force_unit(units, 2), units->length_m, raw, &raw->force, why);
  if (status == STATUS_OK)
    report_line(report, "%s: wave forces, %d headings", path, raw->force.headings);
  return status;
}

enum status wamit_read_motion(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                              struct hydro_report *report, struct reason *why) {
  enum status status = read_table(path, 12, 1, 1 / units->length_m, raw, &raw->motion, why);
  if (status == STATUS_OK)
    report_line(report, "%s: motions", path);
  return status;
}

enum status wamit_read_drift(const char *path, const struct wamit_units *units, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why) {
  hydro_table_free(&raw->drift);
  enum status status = read_table(path, 3, force_unit(units, 1), units->length_m, raw, &raw->drift, why);
  if (status == STATUS_OK)
    report_line(report, "%s: mean drift, %d headings", path, raw->drift.headings);
  return status;
}
