// .re8, .re1: for every heading and frequency six lines of index, real and imaginary part. .re2: for every
// heading lines of frequency and three coefficients. .hyd: a page of text.
#include "lab/hydro/veres.h"
#include "lab/hydro/veres_file.h"
#include "sagbend/hydro/hydro_axes.h"
#include "sagbend/hydro/hydro_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
