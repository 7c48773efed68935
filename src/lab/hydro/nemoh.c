// A .tec file: a title and a line of names for each of six forces, then zones. A zone has a title, which may
// give its number of rows as I=, and for each frequency a row of the frequency and six pairs.
#include "lab/hydro/hydro_internal.h"

#include "sagbend/hydro/hydro.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLES = 7, PAIRS = 12 };
static const double SIGN[6] = {1, -1, -1, 1, -1, -1}; // of our axes in Nemoh's
static const double PI = 3.14159265358979323846;

static int is_number(const char *line) {
  while (isspace((unsigned char)*line))
    line++;
  return isdigit((unsigned char)*line) || (*line && strchr("+-.*", *line) != NULL);
}

// The number after a text in a title; fallback if there is none.
static double number_after(const char *line, const char *text, double fallback) {
  const char *at = strstr(line, text);
  char *end;
  if (!at)
    return fallback;
  double number = strtod(at + strlen(text), &end);
  return end > at + strlen(text) ? number : fallback;
}

static enum status read_titles(struct text_file *file, struct reason *why) {
  for (int i = 0; i < TITLES; i++) {
    enum status status = text_file_need(file, "the names of the columns", why);
    if (status == STATUS_OK && (is_number(file->buffer) || strncmp(file->buffer, "Zone", 4) == 0))
      status = text_file_fail(file, why, "a title and the names of six pairs of columns (one body)");
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

static const struct first_column_water NO_WAVENUMBER = {1, 1, 0};

// Whether a frequency continues those before it.
static int is_next(const struct hydro_raw *raw, int count, double omega) {
  const double *before = raw->omega_radps;
  if (count == 0)
    return 1;
  return count == 1 ? omega != before[0]
                    : (omega > before[count - 1]) == (before[1] > before[0]) && omega != before[count - 1];
}

// Rows of a zone, whose title is in the buffer: the frequencies of raw, or, of the first zone, those that it
// has. value: [frequency][12].
static enum status read_zone(struct text_file *file, enum first_column column, struct hydro_raw *raw,
                             double (*value)[PAIRS], struct reason *why) {
  double rows = number_after(file->buffer, "I=", raw->frequencies), row[1 + PAIRS];
  int is_first = raw->frequencies == 0, count = 0;
  if (is_number(file->buffer))
    return text_file_fail(file, why, "the title of a zone");
  if (!is_first && rows != raw->frequencies)
    return text_file_fail(file, why, "%d frequencies as in the first zone of the radiation",
                          raw->frequencies);
  if (is_first && rows != 0 && !text_is_whole(rows, 8, MAX_RAW_FREQUENCIES))
    return text_file_fail(file, why, "8 to %d frequencies", MAX_RAW_FREQUENCIES);
  for (;; count++) {
    struct text_file mark = *file;
    int is_row = text_file_next(file) && (is_number(file->buffer) || count < rows);
    if (!is_row || (count == (int)rows && rows > 0)) {
      if (is_row)
        return text_file_fail(file, why, "the next zone after %d rows", count);
      *file = mark;
      break;
    }
    if (count == MAX_RAW_FREQUENCIES)
      return text_file_fail(file, why, "at most %d frequencies", MAX_RAW_FREQUENCIES);
    enum status status =
        text_file_numbers(file, 1 + PAIRS, 1 + PAIRS, row, NULL, "a frequency and six pairs", why);
    if (status != STATUS_OK)
      return status;
    double omega = row[0] > 0 ? first_column_omega(column, row[0], &NO_WAVENUMBER) : 0;
    if (is_first && !(omega > 0 && is_next(raw, count, omega)))
      return text_file_fail(file, why, "%s above 0, all increasing or all decreasing,",
                            first_column_text(column));
    if (is_first)
      raw->omega_radps[count] = omega;
    else if (!(fabs(omega - raw->omega_radps[count]) <= 1e-5 * omega))
      return text_file_fail(file, why, "the frequency %.7g rad/s of the radiation", raw->omega_radps[count]);
    memcpy(value[count], row + 1, sizeof value[count]);
  }
  if (is_first)
    raw->frequencies = count;
  if (count != (rows > 0 ? (int)rows : raw->frequencies) || count < 8)
    return fail(why, STATUS_BAD_INPUT, "%.100s:%d: %d rows of this zone expected, got %d", file->path,
                file->line, rows > 8 ? (int)rows : 8, count);
  return STATUS_OK;
}

static enum status read_radiation(struct text_file *file, enum first_column column, struct hydro_raw *raw,
                                  double (*value)[PAIRS], struct reason *why) {
  enum status status = read_titles(file, why);
  for (int i = 0; i < 6 && status == STATUS_OK; i++) { // the motion
    status = text_file_need(file, "the zones of six motions", why);
    if (status == STATUS_OK)
      status = read_zone(file, column, raw, value, why);
    for (int f = 0; f < raw->frequencies && status == STATUS_OK; f++)
      for (int j = 0; j < 6; j++) { // the force
        raw->added_mass[f][j][i] = SIGN[i] * SIGN[j] * value[f][2 * j];
        raw->damping[f][j][i] = SIGN[i] * SIGN[j] * value[f][2 * j + 1];
      }
  }
  return status == STATUS_OK ? text_file_end(file, "the sixth zone", why) : status;
}

enum status nemoh_read_radiation(const char *path, enum first_column column, struct hydro_raw *raw,
                                 struct hydro_report *report, struct reason *why) {
  struct text_file file;
  double (*value)[PAIRS] = calloc(MAX_RAW_FREQUENCIES, sizeof *value);
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status =
        value ? read_radiation(&file, column, raw, value, why) : fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK) {
    raw->code = "Nemoh";
    report_line(report, "%s: Nemoh, %d frequencies, %.4g to %.4g rad/s", path, raw->frequencies,
                raw->omega_radps[0], raw->omega_radps[raw->frequencies - 1]);
  }
  text_file_close(&file, report);
  free(value);
  return status;
}

// Zones of the file: the headings.
static int count_zones(const struct text_file *file) {
  struct text_file copy = *file;
  int zones = 0;
  while (text_file_next(&copy))
    zones += *copy.buffer && !is_number(copy.buffer);
  return zones;
}

static enum status read_heading(struct text_file *file, double *heading_rad, struct reason *why) {
  double degrees = number_after(file->buffer, "beta =", (double)NAN);
  if (isnan(degrees))
    degrees = number_after(file->buffer, "angle=", (double)NAN) * 180 / PI; // Capytaine
  if (!(fabs(degrees) <= 360.001))
    return text_file_fail(file, why, "the title of a zone with its heading, 'beta =' and degrees");
  *heading_rad = -degrees * PI / 180;
  return STATUS_OK;
}

// Phases are radians, or degrees where one exceeds a turn.
static double unit_of_phase(const struct hydro_table *table) {
  for (int f = 0; f < table->frequencies; f++)
    for (int h = 0; h < table->headings; h++)
      for (int i = 1; i < PAIRS; i += 2)
        if (fabs(hydro_table_at(table, f, h)[i]) > 2 * PI + 1e-3)
          return PI / 180;
  return 1;
}

static void take_phasors(struct hydro_table *table) {
  double unit = unit_of_phase(table);
  for (int f = 0; f < table->frequencies; f++)
    for (int h = 0; h < table->headings; h++)
      for (int i = 0; i < 6; i++) { // e^(-i omega t): the conjugate
        double *entry = hydro_table_at(table, f, h) + (ptrdiff_t)2 * i, amplitude = entry[0],
               phase = unit * entry[1];
        entry[0] = SIGN[i] * amplitude * cos(phase);
        entry[1] = -SIGN[i] * amplitude * sin(phase);
      }
}

static enum status read_force(struct text_file *file, enum first_column column, struct hydro_raw *raw,
                              double (*value)[PAIRS], struct reason *why) {
  struct hydro_table *table = &raw->force;
  enum status status = read_titles(file, why);
  int headings = status == STATUS_OK ? count_zones(file) : 0;
  if (status == STATUS_OK && !(headings >= 1 && headings <= MAX_HYDRO_HEADINGS))
    status = fail(why, STATUS_BAD_INPUT, "%.100s:%d: 1 to %d zones (headings) expected, got %d", file->path,
                  file->line, MAX_HYDRO_HEADINGS, headings);
  if (status == STATUS_OK && hydro_table_create(table, raw->frequencies, headings, PAIRS) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for a table");
  for (int h = 0; h < headings && status == STATUS_OK; h++) {
    status = text_file_need(file, "the title of a zone", why);
    if (status == STATUS_OK)
      status = read_heading(file, &table->heading_rad[h], why);
    if (status == STATUS_OK)
      status = read_zone(file, column, raw, value, why);
    for (int f = 0; f < raw->frequencies && status == STATUS_OK; f++) {
      table->omega_radps[f] = raw->omega_radps[f];
      memcpy(hydro_table_at(table, f, h), value[f], sizeof value[f]);
    }
  }
  if (status != STATUS_OK)
    return status;
  take_phasors(table);
  return text_file_end(file, "the last zone", why);
}

enum status nemoh_read_force(const char *path, enum first_column column, struct hydro_raw *raw,
                             struct hydro_report *report, struct reason *why) {
  struct text_file file;
  struct reason cause = {""};
  double (*value)[PAIRS] = calloc(MAX_RAW_FREQUENCIES, sizeof *value);
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status =
        value ? read_force(&file, column, raw, value, why) : fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK && hydro_table_order(&raw->force, &cause) != STATUS_OK)
    status = fail(why, STATUS_BAD_INPUT, "%.100s: %.140s", path, cause.text);
  if (status == STATUS_OK)
    report_line(report, "%s: wave forces, %d headings", path, raw->force.headings);
  text_file_close(&file, report);
  free(value);
  return status;
}

static enum status read_matrix(const char *path, const char *name, double m[6][6],
                               struct hydro_report *report, struct reason *why) {
  struct text_file file;
  char what[64];
  enum status status = text_file_open(&file, path, why);
  for (int i = 0; i < 6 && status == STATUS_OK; i++) {
    snprintf(what, sizeof what, "row %d of the %s matrix: six numbers", i + 1, name);
    status = text_file_row(&file, 6, m[i], what, why);
    for (int j = 0; j < 6; j++)
      m[i][j] *= SIGN[i] * SIGN[j];
  }
  if (status == STATUS_OK)
    status = text_file_end(&file, "the matrix", why);
  text_file_close(&file, report);
  return status;
}

enum status nemoh_read_restoring(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                                 struct reason *why) {
  enum status status = read_matrix(path, "restoring", raw->restoring, report, why);
  if (status == STATUS_OK)
    report_line(report, "%s: restoring matrix", path);
  return status;
}

enum status nemoh_read_inertia(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                               struct reason *why) {
  enum status status = read_matrix(path, "mass", raw->mass, report, why);
  if (status == STATUS_OK && !(raw->mass[0][0] > 0))
    status = fail(why, STATUS_BAD_INPUT, "%.100s:1: a mass above 0 expected, got %g", path, raw->mass[0][0]);
  if (status != STATUS_OK)
    return status;
  raw->has_mass = 1;
  raw->displaced_kg = raw->mass[0][0];
  report_line(report, "%s: mass %.6g kg", path, raw->displaced_kg);
  return STATUS_OK;
}
