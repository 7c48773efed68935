// Files of VERES: matrices (.re7), wave forces (.re8), motions (.re1), mean drift (.re2), data check (.hyd).
#include "lab/hydro/hydro_internal.h"

#include "sagbend/hydro/hydro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLES = 6 };

static double veres_heading(double degrees) {
  return (180 - degrees) * (3.14159265358979323846 / 180);
}

static enum status read_counts(struct text_file *file, int counts, struct veres_head *head,
                               struct reason *why) {
  static const char what[] = "numbers of speeds, headings, frequencies and degrees of freedom";
  double row[6];
  int count;
  enum status status = text_file_need(file, what, why);
  if (status == STATUS_OK)
    status = text_file_numbers(file, 2, 4, row, &count, what, why);
  if (status == STATUS_OK && count == 2) { // version 2 of .re7: -1 and the version
    if (row[0] != -1 || row[1] != 2)
      return text_file_fail(file, why, "version 1 or 2");
    head->version = 2;
    status = text_file_row(file, counts, row, what, why);
    count = counts;
  }
  if (status != STATUS_OK)
    return status;
  if (count != counts)
    return text_file_fail(file, why, "%d counts", counts);
  if (!text_is_whole(row[0], 1, 100) || !text_is_whole(row[1], 1, MAX_HYDRO_HEADINGS) ||
      !text_is_whole(row[2], 1, MAX_RAW_FREQUENCIES) || (counts == 4 && row[3] != 6))
    return text_file_fail(file, why, "speeds, 1 to %d headings, 1 to %d frequencies%s", MAX_HYDRO_HEADINGS,
                          MAX_RAW_FREQUENCIES, counts == 4 ? ", 6 degrees of freedom" : "");
  if (row[0] != 1)
    return text_file_fail(file, why, "one speed, which is zero,");
  head->headings = (int)row[1];
  head->frequencies = (int)row[2];
  return STATUS_OK;
}

// Reads titles, water, dimensions and counts. has_gravity_centre: the file has a line with the centre of
// gravity; counts: numbers in the line of counts, which begin with speeds, headings, frequencies.
static enum status veres_read_head(struct text_file *file, int has_gravity_centre, int counts,
                                   struct veres_head *head, struct reason *why) {
  double row[3];
  enum status status = STATUS_OK;
  *head = (struct veres_head){.version = 1};
  for (int i = 0; i < TITLES && status == STATUS_OK; i++)
    status = text_file_need(file, "a title", why);
  if (status == STATUS_OK)
    status = text_file_row(file, 2, row, "density of the water and gravity", why);
  if (status != STATUS_OK)
    return status;
  if (!(row[0] > 500 && row[0] < 2000 && row[1] > 5 && row[1] < 15))
    return text_file_fail(file, why, "density of the water in kg/m3 and gravity in m/s2");
  head->water_density_kgpm3 = row[0];
  head->gravity_mps2 = row[1];
  status = text_file_row(file, 3, row, "length, breadth and draught", why);
  if (status != STATUS_OK)
    return status;
  if (!(row[0] > 0 && row[1] > 0 && row[2] > 0))
    return text_file_fail(file, why, "length, breadth and draught above 0");
  head->length_m = row[0];
  head->breadth_m = row[1];
  head->draught_m = row[2];
  if (has_gravity_centre)
    status = text_file_row(file, 2, row, "longitudinal and vertical centre of gravity", why);
  return status == STATUS_OK ? read_counts(file, counts, head, why) : status;
}

// Fails unless speed is 0.
static enum status veres_check_speed(const struct text_file *file, double speed_mps, struct reason *why) {
  return speed_mps == 0 ? STATUS_OK : text_file_fail(file, why, "the speed 0");
}

// Reads a heading (degrees, VERES's) as ours (radians).
static enum status veres_read_heading(struct text_file *file, double *heading_rad, struct reason *why) {
  double degrees;
  enum status status = text_file_row(file, 1, &degrees, "a heading in degrees", why);
  if (status != STATUS_OK)
    return status;
  if (!(fabs(degrees) <= 360))
    return text_file_fail(file, why, "a heading in degrees");
  *heading_rad = veres_heading(degrees);
  return STATUS_OK;
}

// ------------------------------------------------------------
// .re7: for every heading and frequency the matrices A, B, C (version 2: each followed by a second one, of
// tanks and the like) and a line of roll damping: linear, quadratic, linearised.

enum { MATRICES = 6 }; // A, A2, B, B2, C, C2
static const char *const NAMES[MATRICES] = {"added mass",     "second added mass", "damping",
                                            "second damping", "restoring",         "second restoring"};

struct record {
  double omega_radps, roll[3], matrix[MATRICES][6][6];
};

static enum status read_matrix(struct text_file *file, const char *name, double out[6][6],
                               struct reason *why) {
  char what[64];
  for (int i = 0; i < 6; i++) {
    snprintf(what, sizeof what, "row %d of the %s: six numbers", i + 1, name);
    enum status status = text_file_row(file, 6, out[i], what, why);
    if (status != STATUS_OK)
      return status;
    for (int j = 0; j < 6; j++)
      out[i][j] *= VERES_SIGN[i] * VERES_SIGN[j];
  }
  return STATUS_OK;
}

static enum status read_record(struct text_file *file, int version, struct record *record,
                               struct reason *why) {
  memset(record, 0, sizeof *record);
  enum status status = text_file_row(file, 1, &record->omega_radps, "a frequency in rad/s", why);
  if (status == STATUS_OK && !(record->omega_radps > 0))
    status = text_file_fail(file, why, "a frequency above 0");
  for (int k = 0; k < MATRICES && status == STATUS_OK; k += version == 2 ? 1 : 2)
    status = read_matrix(file, NAMES[k], record->matrix[k], why);
  return status == STATUS_OK ? text_file_row(file, 3, record->roll, "three numbers of roll damping", why)
                             : status;
}

// Whether two matrices are equal to the digits that a file gives.
static int is_equal(const double (*a)[6], const double (*b)[6]) {
  double largest = 0, difference = 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      largest = fmax(largest, fabs(a[i][j]));
      difference = fmax(difference, fabs(a[i][j] - b[i][j]));
    }
  return difference <= 1e-4 * largest;
}

static enum status keep(struct text_file *file, struct hydro_raw *raw, const struct record *record, int f,
                        struct reason *why) {
  raw->omega_radps[f] = record->omega_radps;
  if (f > 0 && !(record->omega_radps > raw->omega_radps[f - 1]))
    return text_file_fail(file, why, "increasing frequencies (%g rad/s)", record->omega_radps);
  memcpy(raw->added_mass[f], record->matrix[0], sizeof raw->added_mass[f]);
  memcpy(raw->additional_mass[f], record->matrix[1], sizeof raw->added_mass[f]);
  memcpy(raw->damping[f], record->matrix[2], sizeof raw->added_mass[f]);
  memcpy(raw->additional_damping[f], record->matrix[3], sizeof raw->added_mass[f]);
  for (int k = 1; k < MATRICES; k += 2)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        raw->has_additional |= record->matrix[k][i][j] != 0;
  if (f == 0) {
    memcpy(raw->restoring, record->matrix[4], sizeof raw->restoring);
    memcpy(raw->additional_restoring, record->matrix[5], sizeof raw->restoring);
    return STATUS_OK;
  }
  if (!is_equal((const double (*)[6])raw->restoring, (const double (*)[6])record->matrix[4]))
    return text_file_fail(file, why, "the same restoring matrix at every frequency (%g rad/s)",
                          record->omega_radps);
  return STATUS_OK;
}

// At zero speed the matrices do not depend on the heading.
static enum status compare(const struct text_file *file, const struct hydro_raw *raw,
                           const struct record *record, int f, struct reason *why) {
  if (fabs(record->omega_radps - raw->omega_radps[f]) > 1e-6 * record->omega_radps)
    return text_file_fail(file, why, "the frequencies of the first heading (%g rad/s, not %g)",
                          raw->omega_radps[f], record->omega_radps);
  if (!is_equal((const double (*)[6])raw->added_mass[f], (const double (*)[6])record->matrix[0]) ||
      !is_equal((const double (*)[6])raw->damping[f], (const double (*)[6])record->matrix[2]))
    return text_file_fail(file, why, "the matrices of the first heading at %g rad/s", record->omega_radps);
  return STATUS_OK;
}

static enum status read_body(struct text_file *file, struct hydro_raw *raw, const struct veres_head *head,
                             struct reason *why) {
  double row[5] = {0}, heading = 0;
  struct record *record = malloc(sizeof *record);
  enum status status = record
                           ? text_file_row(file, 5, row, "speed, sinkage, trim, x and z of the origin", why)
                           : fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    status = veres_check_speed(file, row[0], why);
  if (status == STATUS_OK &&
      hydro_table_create(&raw->roll_damping, head->frequencies, head->headings, 1) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  for (int h = 0; h < head->headings && status == STATUS_OK; h++) {
    status = veres_read_heading(file, &heading, why);
    raw->roll_damping.heading_rad[h] = heading;
    for (int f = 0; record && f < head->frequencies && status == STATUS_OK; f++) {
      status = read_record(file, head->version, record, why);
      if (status == STATUS_OK)
        status = h == 0 ? keep(file, raw, record, f, why) : compare(file, raw, record, f, why);
      raw->roll_damping.omega_radps[f] = raw->omega_radps[f];
      hydro_table_at(&raw->roll_damping, f, h)[0] = record->roll[0] + record->roll[2];
    }
  }
  free(record);
  if (status == STATUS_OK)
    status = text_file_end(file, "the last frequency of the last heading", why);
  struct reason cause = {""};
  if (status == STATUS_OK && hydro_table_order(&raw->roll_damping, &cause) != STATUS_OK)
    status = fail(why, STATUS_BAD_INPUT, "%.100s: %.140s", file->path, cause.text);
  return status;
}

enum status veres_read_re7(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  struct text_file file;
  struct veres_head head;
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status = veres_read_head(&file, 1, 4, &head, why);
  if (status == STATUS_OK)
    status = read_matrix(&file, "mass matrix", raw->mass, why);
  if (status == STATUS_OK && !(raw->mass[0][0] > 0))
    status = text_file_fail(&file, why, "a mass above 0 in the mass matrix");
  if (status == STATUS_OK)
    status = read_body(&file, raw, &head, why);
  if (status == STATUS_OK) {
    raw->code = "VERES";
    raw->water_density_kgpm3 = head.water_density_kgpm3;
    raw->gravity_mps2 = head.gravity_mps2;
    raw->displaced_kg = raw->mass[0][0];
    raw->has_mass = 1;
    raw->frequencies = head.frequencies;
    report_line(report, "%s: ShipX/VERES, version %d, %g x %g x %g m, %d frequencies, %g to %g rad/s", path,
                head.version, head.length_m, head.breadth_m, head.draught_m, head.frequencies,
                raw->omega_radps[0], raw->omega_radps[head.frequencies - 1]);
  }
  text_file_close(&file, report);
  return status;
}

// ------------------------------------------------------------
// .re8, .re1: for every heading and frequency six lines of index, real and imaginary part. .re2: for every
// heading lines of frequency and three coefficients. .hyd: a page of text.

static enum status check_counts(const struct text_file *file, const struct hydro_raw *raw,
                                const struct veres_head *head, struct reason *why) {
  if (head->frequencies != raw->frequencies)
    return text_file_fail(file, why, "%d frequencies as in .re7", raw->frequencies);
  if (head->headings != raw->roll_damping.headings)
    return text_file_fail(file, why, "%d headings as in .re7", raw->roll_damping.headings);
  return STATUS_OK;
}

static enum status check_frequency(const struct text_file *file, const struct hydro_raw *raw, int f,
                                   double omega, double digits, struct reason *why) {
  return fabs(omega - raw->omega_radps[f]) <= digits
             ? STATUS_OK
             : text_file_fail(file, why, "the frequency %.7g rad/s of .re7", raw->omega_radps[f]);
}

// Fails unless .re7 has the same headings.
static enum status check_headings(const struct text_file *file, const struct hydro_raw *raw,
                                  const struct hydro_table *table, struct reason *why) {
  for (int h = 0; h < table->headings; h++)
    if (fabs(table->heading_rad[h] - raw->roll_damping.heading_rad[h]) > 1e-6)
      return fail(why, STATUS_BAD_INPUT,
                  "%.100s: the headings of .re7 expected; %.6g degrees is not one of them", file->path,
                  180 - table->heading_rad[h] * (180 / 3.14159265358979323846));
  return STATUS_OK;
}

static enum status read_entry(struct text_file *file, double *value, struct reason *why) {
  for (int i = 0; i < 6; i++) {
    double row[3];
    char what[64];
    snprintf(what, sizeof what, "%d, real and imaginary part", i + 1);
    enum status status = text_file_row(file, 3, row, what, why);
    if (status != STATUS_OK)
      return status;
    if (row[0] != i + 1)
      return text_file_fail(file, why, "%s", what);
    value[2 * i] = VERES_SIGN[i] * row[1];
    value[2 * i + 1] = VERES_SIGN[i] * row[2];
  }
  return STATUS_OK;
}

static enum status read_transfer(struct text_file *file, struct hydro_raw *raw, struct hydro_table *table,
                                 struct reason *why) {
  struct veres_head head;
  double row[5], omega;
  enum status status = veres_read_head(file, 1, 4, &head, why);
  if (status == STATUS_OK)
    status = check_counts(file, raw, &head, why);
  if (status == STATUS_OK && hydro_table_create(table, head.frequencies, head.headings, 12) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  if (status == STATUS_OK)
    status = text_file_row(file, 5, row, "speed, sinkage, trim, x and z of the origin", why);
  if (status == STATUS_OK)
    status = veres_check_speed(file, row[0], why);
  for (int h = 0; h < head.headings && status == STATUS_OK; h++) {
    status = veres_read_heading(file, &table->heading_rad[h], why);
    for (int f = 0; f < head.frequencies && status == STATUS_OK; f++) {
      status = text_file_row(file, 1, &omega, "a frequency in rad/s", why);
      if (status == STATUS_OK)
        status = check_frequency(file, raw, f, omega, 2e-6, why);
      table->omega_radps[f] = raw->omega_radps[f];
      if (status == STATUS_OK)
        status = read_entry(file, hydro_table_at(table, f, h), why);
    }
  }
  return status == STATUS_OK ? text_file_end(file, "the last frequency of the last heading", why) : status;
}

// Orders the table and compares its headings; the place of an error is the file.
static enum status finish(const struct text_file *file, const struct hydro_raw *raw,
                          struct hydro_table *table, struct reason *why) {
  struct reason cause = {""};
  enum status status = hydro_table_order(table, &cause);
  if (status != STATUS_OK)
    return fail(why, status, "%.100s: %.140s", file->path, cause.text);
  return check_headings(file, raw, table, why);
}

static enum status read_table(const char *path, struct hydro_raw *raw, struct hydro_table *table,
                              struct hydro_report *report, struct reason *why) {
  struct text_file file;
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status = read_transfer(&file, raw, table, why);
  if (status == STATUS_OK)
    status = finish(&file, raw, table, why);
  text_file_close(&file, report);
  return status;
}

enum status veres_read_re8(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  enum status status = read_table(path, raw, &raw->force, report, why);
  if (status == STATUS_OK)
    report_line(report, "%s: wave forces, %d headings", path, raw->force.headings);
  return status;
}

enum status veres_read_re1(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  enum status status = read_table(path, raw, &raw->motion, report, why);
  if (status == STATUS_OK)
    report_line(report, "%s: motions", path);
  return status;
}

static enum status read_drift(struct text_file *file, struct hydro_raw *raw, struct reason *why) {
  struct veres_head head;
  struct hydro_table *table = &raw->drift;
  double row[4];
  enum status status = veres_read_head(file, 0, 3, &head, why);
  if (status == STATUS_OK)
    status = check_counts(file, raw, &head, why);
  if (status == STATUS_OK && hydro_table_create(table, head.frequencies, head.headings, 3) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  if (status != STATUS_OK)
    return status;
  double unit = head.water_density_kgpm3 * head.gravity_mps2 * head.breadth_m * head.breadth_m;
  const double scale[3] = {-unit / head.length_m, unit / head.length_m, -unit}; // surge, sway, yaw
  for (int h = 0; h < head.headings && status == STATUS_OK; h++) {
    status = text_file_row(file, 2, row, "speed and heading", why);
    if (status == STATUS_OK)
      status = veres_check_speed(file, row[0], why);
    table->heading_rad[h] = veres_heading(row[1]);
    for (int f = 0; f < head.frequencies && status == STATUS_OK; f++) {
      status = text_file_row(file, 4, row, "a frequency and three drift coefficients", why);
      if (status == STATUS_OK)
        status = check_frequency(file, raw, f, row[0], 6e-5, why);
      table->omega_radps[f] = raw->omega_radps[f];
      for (int i = 0; i < 3; i++)
        hydro_table_at(table, f, h)[i] = scale[i] * row[i + 1];
    }
  }
  return status == STATUS_OK ? text_file_end(file, "the last frequency of the last heading", why) : status;
}

enum status veres_read_re2(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  struct text_file file;
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status = read_drift(&file, raw, why);
  if (status == STATUS_OK)
    status = finish(&file, raw, &raw->drift, why);
  if (status == STATUS_OK)
    report_line(report, "%s: mean drift", path);
  text_file_close(&file, report);
  return status;
}

enum status veres_read_hyd(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  static const char name[] = "Displacement";
  struct text_file file;
  int is_found = 0;
  enum status status = text_file_open(&file, path, why);
  while (status == STATUS_OK && !is_found && text_file_next(&file)) {
    if (strncmp(file.buffer, name, strlen(name)) != 0)
      continue;
    is_found = 1;
    const char *at = strchr(file.buffer, ')');
    double given, computed;
    if (!at || sscanf(at + 1, "%lf %lf", &given, &computed) != 2)
      status = text_file_fail(&file, why, "the displacement in tonnes, specified and calculated");
    else if (raw->displaced_kg > 0 && !(fabs(1000 * computed - raw->displaced_kg) < 0.01 * raw->displaced_kg))
      status = text_file_fail(&file, why, "the displacement %.2f t of .re7", raw->displaced_kg / 1000);
    else
      report_line(report, "%s: displacement %.2f t", path, computed);
  }
  if (status == STATUS_OK && !is_found)
    status = fail(why, STATUS_BAD_INPUT, "%.100s:%d: a line 'Displacement' expected, got the end of the file",
                  path, file.line);
  text_file_close(&file, report);
  return status;
}
