// .re7: for every heading and frequency the matrices A, B, C (version 2: each followed by a second one, of
// tanks and the like) and a line of roll damping: linear, quadratic, linearised.
#include "lab/hydro/veres.h"
#include "lab/hydro/veres_file.h"
#include "sagbend/hydro/hydro_axes.h"
#include "sagbend/hydro/hydro_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (int f = 0; f < head->frequencies && status == STATUS_OK; f++) {
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
