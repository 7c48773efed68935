// .1: period, row, column, added mass and, except at the limits, damping. .hst: row, column, restoring.
#include "lab/hydro/hydro_internal.h"
#include "lab/hydro/wamit_rows.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// L^k of a matrix element: two rotations count once each.
static double length_power(const struct wamit_units *units, int i, int j, int power) {
  return pow(units->length_m, power + (i > 2) + (j > 2));
}

// Elements that a period has, as bits.
static uint64_t bit_of(int i, int j) {
  return UINT64_C(1) << (6 * i + j);
}

double wamit_omega(const struct wamit_units *units, double number) {
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
// it the other way round: the added mass of the longest and of the shortest wave tells.
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
