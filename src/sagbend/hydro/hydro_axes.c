// Coefficients of a hull about another reference point.
//
// With r from the new reference point to the old one: F' = X F, nu = X' nu', X = [I 0; S(r) I]. A wave of
// unit amplitude at the new point has the phase -k (r_x cos chi + r_y sin chi) at the old one.
#include "sagbend/hydro/hydro.h"

#include "sagbend/vessel/vessel.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, EQUAL = 1e-6;

// Values of a table's heading for waves of the opposite side: sway, roll and yaw change sign.
static void hydro_mirror(double *value, int width) {
  for (int i = 0; i < width; i++)
    if (width == 12 ? i / 2 % 2 : i > 0)
      value[i] = -value[i];
}

static void order(const double *key, int count, int *index) {
  for (int i = 0; i < count; i++) {
    int at = i;
    for (; at > 0 && key[index[at - 1]] > key[i]; at--)
      index[at] = index[at - 1];
    index[at] = i;
  }
}

// Headings from 0 to below 2 pi. Returns 1 if those of one side are the only ones; then they become 0 to pi
// and is_mirrored marks those that came from the other side.
static int wrap_headings(struct hydro_table *table, int *is_mirrored) {
  int starboard = 0, port = 0;
  for (int h = 0; h < table->headings; h++) {
    double angle = fmod(table->heading_rad[h], 2 * PI);
    angle = angle < -EQUAL ? angle + 2 * PI : angle;
    angle = angle > 2 * PI - EQUAL || angle < EQUAL ? 0 : angle;
    angle = fabs(angle - PI) < EQUAL ? PI : angle;
    table->heading_rad[h] = angle;
    starboard += angle > 0 && angle < PI;
    port += angle > PI;
    is_mirrored[h] = 0;
  }
  if (starboard && port)
    return 0;
  for (int h = 0; h < table->headings; h++)
    if (table->heading_rad[h] > PI) {
      table->heading_rad[h] = 2 * PI - table->heading_rad[h];
      is_mirrored[h] = 1;
    }
  return 1;
}

// Whether a table has the same values at two headings, as at 0 and 360 degrees.
static int is_same_heading(const struct hydro_table *table, int a, int b) {
  double largest = 0, difference = 0;
  for (int f = 0; f < table->frequencies; f++)
    for (int k = 0; k < table->width; k++) {
      double x = hydro_table_at(table, f, a)[k], y = hydro_table_at(table, f, b)[k];
      largest = fmax(largest, fmax(fabs(x), fabs(y)));
      difference = fmax(difference, fabs(x - y));
    }
  return difference <= 1e-4 * largest;
}

enum status hydro_table_order(struct hydro_table *table, struct reason *why) {
  int by_frequency[MAX_RAW_FREQUENCIES], by_heading[MAX_HYDRO_HEADINGS], is_mirrored[MAX_HYDRO_HEADINGS];
  struct hydro_table old = *table;
  wrap_headings(&old, is_mirrored);
  order(old.omega_radps, old.frequencies, by_frequency);
  order(old.heading_rad, old.headings, by_heading);
  for (int f = 1; f < old.frequencies; f++)
    if (!(old.omega_radps[by_frequency[f]] > old.omega_radps[by_frequency[f - 1]]))
      return fail(why, STATUS_BAD_INPUT, "different frequencies expected, got %.7g rad/s twice",
                  old.omega_radps[by_frequency[f]]);
  int headings = 0;
  for (int h = 0; h < old.headings; h++) {
    int is_again =
        headings > 0 && !(old.heading_rad[by_heading[h]] > old.heading_rad[by_heading[headings - 1]] + EQUAL);
    if (is_again && !is_same_heading(&old, by_heading[headings - 1], by_heading[h]))
      return fail(
          why, STATUS_BAD_INPUT,
          "different headings expected, got %.6g degrees twice (here clockwise from the bow, where the "
          "wave travels to)",
          old.heading_rad[by_heading[h]] * 180 / PI);
    if (!is_again)
      by_heading[headings++] = by_heading[h];
  }
  if (hydro_table_create(table, old.frequencies, headings, old.width) != STATUS_OK) {
    hydro_table_free(table);
    *table = old;
    return fail(why, STATUS_NO_MEMORY, "out of memory for a table of headings");
  }
  for (int f = 0; f < old.frequencies; f++) {
    table->omega_radps[f] = old.omega_radps[by_frequency[f]];
    for (int h = 0; h < headings; h++) {
      table->heading_rad[h] = old.heading_rad[by_heading[h]];
      double *to = hydro_table_at(table, f, h);
      memcpy(to, hydro_table_at(&old, by_frequency[f], by_heading[h]), sizeof(double) * (size_t)old.width);
      if (is_mirrored[by_heading[h]])
        hydro_mirror(to, old.width);
    }
  }
  hydro_table_free(&old);
  return STATUS_OK;
}

double hydro_table_gap(const struct hydro_table *table) {
  int last = table->headings - 1, is_full = table->heading_rad[last] > PI + EQUAL;
  double first = table->heading_rad[0];
  double gap = is_full ? first + 2 * PI - table->heading_rad[last]
                       : fmax(2 * first, 2 * (PI - table->heading_rad[last]));
  for (int h = 1; h <= last; h++)
    gap = fmax(gap, table->heading_rad[h] - table->heading_rad[h - 1]);
  return gap;
}

static void transform_of(double x[6][6], const double r[3]) {
  memset(x, 0, 6 * sizeof *x);
  for (int i = 0; i < 6; i++)
    x[i][i] = 1;
  x[3][1] = -r[2], x[3][2] = r[1];
  x[4][0] = r[2], x[4][2] = -r[0];
  x[5][0] = -r[1], x[5][1] = r[0];
}

void hydro_shift_matrix(double m[6][6], const double r_m[3]) {
  double x[6][6], product[6][6];
  transform_of(x, r_m);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      product[i][j] = 0;
      for (int k = 0; k < 6; k++)
        product[i][j] += x[i][k] * m[k][j];
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      m[i][j] = 0;
      for (int k = 0; k < 6; k++)
        m[i][j] += product[i][k] * x[j][k];
    }
}

// Pairs of a phasor of six: a wrench (about the old point) becomes one about the new point, or a motion of
// the old point that of the new one.
static void shift_phasor(double *value, const double r[3], int is_motion, double complex turn) {
  double complex v[6], moved[6];
  for (int i = 0; i < 6; i++)
    moved[i] = v[i] = complex_number(value[2 * i], value[2 * i + 1]);
  int from = is_motion ? 3 : 0, to = is_motion ? 0 : 3; // r x F; xi' = xi + r x angle
  moved[to] += r[1] * v[from + 2] - r[2] * v[from + 1];
  moved[to + 1] += r[2] * v[from] - r[0] * v[from + 2];
  moved[to + 2] += r[0] * v[from + 1] - r[1] * v[from];
  for (int i = 0; i < 6; i++) {
    value[2 * i] = creal(turn * moved[i]);
    value[2 * i + 1] = cimag(turn * moved[i]);
  }
}

void hydro_shift_table(struct hydro_table *table, const struct hydro_phase_water *water, const double r_m[3],
                       const double wave_m[3], int is_motion) {
  for (int f = 0; f < table->frequencies; f++)
    for (int h = 0; h < table->headings; h++) {
      double k = hydro_wavenumber(table->omega_radps[f], water->gravity_mps2, water->depth_m);
      double angle = -k * (wave_m[0] * cos(table->heading_rad[h]) + wave_m[1] * sin(table->heading_rad[h]));
      shift_phasor(hydro_table_at(table, f, h), r_m, is_motion, complex_number(cos(angle), sin(angle)));
    }
}

// An entry of the radiation as matrices, and back.
static void unpack(const double *entry, double m[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++)
      m[i][j] = m[j][i] = *entry++;
}

static void pack(const double m[6][6], double *entry) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++)
      *entry++ = m[i][j];
}

static void shift_radiation(struct hydro_table *table, const double r_m[3]) {
  for (int f = 0; f < table->frequencies; f++)
    for (int half = 0; half < 2; half++) {
      double m[6][6], *entry = hydro_table_at(table, f, 0) + (ptrdiff_t)half * RADIATION_WIDTH / 2;
      unpack(entry, m);
      hydro_shift_matrix(m, r_m);
      pack((const double (*)[6])m, entry);
    }
}

static void scale_table(struct hydro_table *table, double root, const double *factor) {
  for (int f = 0; f < table->frequencies; f++) {
    table->omega_radps[f] /= root;
    for (int h = 0; h < table->headings; h++)
      for (int k = 0; k < table->width; k++)
        hydro_table_at(table, f, h)[k] *= factor[k];
  }
}

static void scale_matrix(double m[6][6], double scale, int power) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      m[i][j] *= pow(scale, power + (i > 2) + (j > 2));
}

void hydro_scale(struct hydro_data *data, double scale) {
  double root = sqrt(scale), force[12], motion[12], radiation[RADIATION_WIDTH];
  const double drift[3] = {scale, scale, scale * scale};
  for (int i = 0; i < 12; i++) {
    force[i] = pow(scale, i < 6 ? 2 : 3);
    motion[i] = i < 6 ? 1 : 1 / scale;
  }
  for (int i = 0, k = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, k++) {
      radiation[k] = pow(scale, 3 + (i > 2) + (j > 2));
      radiation[k + RADIATION_WIDTH / 2] = radiation[k] / root;
    }
  data->depth_m *= scale;
  data->displaced_kg *= scale * scale * scale;
  scale_matrix(data->mass, scale, 3);
  scale_matrix(data->added_mass_inf, scale, 3);
  scale_matrix(data->added_mass_zero, scale, 3);
  scale_matrix(data->restoring, scale, 2);
  data->fit.omega_radps /= root;
  for (int k = 0; k < data->memory.count; k++) {
    data->memory.omega_radps[k] /= root;
    for (int j = 0; j < data->memory.count; j++)
      data->memory.damping_1ps[k][j] /= root;
    for (int i = 0; i < 6; i++)
      data->memory.drive[k][i] *= i < 3 ? scale : scale * scale;
  }
  scale_table(&data->force, root, force);
  scale_table(&data->motion, root, motion);
  scale_table(&data->drift, root, drift);
  scale_table(&data->radiation, root, radiation);
}

void hydro_shift(struct hydro_data *data, const double r_m[3]) {
  double x[6][6];
  transform_of(x, r_m);
  hydro_shift_matrix(data->mass, r_m);
  hydro_shift_matrix(data->added_mass_inf, r_m);
  hydro_shift_matrix(data->added_mass_zero, r_m);
  hydro_shift_matrix(data->restoring, r_m);
  for (int k = 0; k < data->memory.count; k++) { // a row g' nu = g' X' nu'
    double g[6];
    memcpy(g, data->memory.drive[k], sizeof g);
    for (int i = 0; i < 6; i++) {
      data->memory.drive[k][i] = 0;
      for (int j = 0; j < 6; j++)
        data->memory.drive[k][i] += x[i][j] * g[j];
    }
  }
  shift_radiation(&data->radiation, r_m);
  const struct hydro_phase_water water = {data->gravity_mps2, data->depth_m};
  hydro_shift_table(&data->force, &water, r_m, r_m, 0);
  hydro_shift_table(&data->motion, &water, r_m, r_m, 1);
  for (int f = 0; f < data->drift.frequencies; f++)
    for (int h = 0; h < data->drift.headings; h++) {
      double *d = hydro_table_at(&data->drift, f, h);
      d[2] += r_m[0] * d[1] - r_m[1] * d[0];
    }
}

static void refer_table(const struct hydro_raw *raw, struct hydro_table *table) {
  const double *r = raw->wave_point_m;
  for (int f = 0; f < table->frequencies; f++)
    for (int h = 0; h < table->headings; h++) {
      double k = hydro_wavenumber(table->omega_radps[f], raw->gravity_mps2, raw->depth_m);
      double angle = k * (r[0] * cos(table->heading_rad[h]) + r[1] * sin(table->heading_rad[h]));
      double *value = hydro_table_at(table, f, h);
      for (int i = 0; i < 12; i += 2) {
        double re = value[i], im = value[i + 1];
        value[i] = cos(angle) * re - sin(angle) * im;
        value[i + 1] = sin(angle) * re + cos(angle) * im;
      }
    }
}

void hydro_refer_phases(struct hydro_raw *raw) {
  if (raw->wave_point_m[0] == 0 && raw->wave_point_m[1] == 0)
    return;
  refer_table(raw, &raw->force);
  refer_table(raw, &raw->motion);
  raw->wave_point_m[0] = raw->wave_point_m[1] = 0;
}

// ------------------------------------------------------------
// The impedance: restoring - omega^2 mass + i omega damping.
static void impedance(const struct hydro_raw *raw, int frequency, int with_additional,
                      double complex a[6][6]) {
  double omega = raw->omega_radps[frequency];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double mass = raw->mass[i][j] + raw->added_mass[frequency][i][j];
      double damping = raw->damping[frequency][i][j] + raw->external_damping[i][j];
      double restoring = raw->restoring[i][j] + raw->external_restoring[i][j];
      if (with_additional) {
        mass += raw->additional_mass[frequency][i][j];
        damping += raw->additional_damping[frequency][i][j];
        restoring += raw->additional_restoring[i][j];
      }
      a[i][j] = complex_number(restoring - omega * omega * mass, omega * damping);
    }
}

enum status hydro_raw_solve(const struct hydro_raw *raw, int frequency, int heading, int with_additional,
                            double motion[12]) {
  const double *force = hydro_table_at(&raw->force, frequency, heading);
  double complex a[6][6], x[6];
  impedance(raw, frequency, with_additional, a);
  if (raw->roll_damping.frequencies > 0)
    a[3][3] += complex_number(0, raw->omega_radps[frequency] *
                                     hydro_table_at(&raw->roll_damping, frequency, heading)[0]);
  for (int i = 0; i < 6; i++)
    x[i] = complex_number(force[2 * i], force[2 * i + 1]);
  enum status status = complex_solve(6, 6, a[0], 1, x);
  for (int i = 0; i < 6; i++) {
    motion[2 * i] = creal(x[i]);
    motion[2 * i + 1] = cimag(x[i]);
  }
  return status;
}

// Compliance H, with the least roll damping, and the largest motion over all headings.
static void respond(const struct hydro_raw *raw, int f, double complex compliance[6][6], double most[6]) {
  static const double SHARE_OF_CRITICAL = 0.05;
  double omega = raw->omega_radps[f], mass = raw->mass[3][3] + raw->added_mass[f][3][3];
  double complex a[6][6];
  impedance(raw, f, 0, a);
  a[3][3] += complex_number(0, omega * 2 * SHARE_OF_CRITICAL * sqrt(fmax(raw->restoring[3][3] * mass, 0)));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      compliance[i][j] = i == j;
  if (complex_solve(6, 6, a[0], 6, compliance[0]) != STATUS_OK)
    memset(compliance, 0, sizeof(double complex[6][6]));
  for (int i = 0; i < 6; i++) {
    most[i] = 0;
    for (int h = 0; h < raw->force.headings; h++) {
      const double *force = hydro_table_at(&raw->force, f, h);
      double complex sum = 0;
      for (int j = 0; j < 6; j++)
        sum += compliance[i][j] * complex_number(force[2 * j], force[2 * j + 1]);
      most[i] = fmax(most[i], cabs(sum));
    }
  }
}

void hydro_raw_sensitivity(const struct hydro_raw *raw, const double peak[6], double (*sensitivity)[6][6]) {
  double complex compliance[6][6];
  double most[6], motion_peak[6] = {0};
  memset(sensitivity, 0, sizeof *sensitivity * (size_t)raw->frequencies);
  if (!raw->has_mass)
    return;
  for (int f = 0; f < raw->frequencies; f++) {
    respond(raw, f, compliance, most);
    for (int i = 0; i < 6; i++)
      motion_peak[i] = fmax(motion_peak[i], most[i]);
  }
  for (int f = 0; f < raw->frequencies; f++) {
    respond(raw, f, compliance, most);
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++)
        for (int i = 0; i < 6; i++)
          if (motion_peak[i] > 0)
            sensitivity[f][a][b] =
                fmax(sensitivity[f][a][b], cabs(compliance[i][a]) * raw->omega_radps[f] * most[b] *
                                               sqrt(peak[a] * peak[b]) / motion_peak[i]);
  }
}

double hydro_wavenumber(double omega_radps, double gravity_mps2, double depth_m) {
  double deep = omega_radps * omega_radps / gravity_mps2, k = deep;
  if (!(depth_m > 0))
    return deep;
  if (deep * depth_m < 1)
    k = omega_radps / sqrt(gravity_mps2 * depth_m);
  for (int i = 0; i < 30; i++) { // Newton's method for k tanh(k d) = deep
    double t = tanh(k * depth_m);
    k -= (k * t - deep) / (t + k * depth_m * (1 - t * t));
  }
  return k;
}

// ------------------------------------------------------------
static double *zeros(size_t count) {
  return calloc(count ? count : 1, sizeof(double)); // none of a size of 0 may be NULL elsewhere
}

enum status hydro_table_create(struct hydro_table *table, int frequencies, int headings, int width) {
  size_t rows = (size_t)frequencies, columns = (size_t)headings;
  *table = (struct hydro_table){.frequencies = frequencies,
                                .headings = headings,
                                .width = width,
                                .omega_radps = zeros(rows),
                                .heading_rad = zeros(columns),
                                .value = zeros(rows * columns * (size_t)width)};
  return table->omega_radps && table->heading_rad && table->value ? STATUS_OK : STATUS_NO_MEMORY;
}

void hydro_table_free(struct hydro_table *table) {
  free(table->omega_radps);
  free(table->heading_rad);
  free(table->value);
  *table = (struct hydro_table){0};
}

void hydro_data_free(struct hydro_data *data) {
  hydro_table_free(&data->force);
  hydro_table_free(&data->drift);
  hydro_table_free(&data->motion);
  hydro_table_free(&data->radiation);
}

// ------------------------------------------------------------
void report_line(struct hydro_report *report, const char *format, ...) {
  va_list arguments;
  size_t room = REPORT_BYTES - report->used;
  va_start(arguments, format);
  int length = vsnprintf(report->text + report->used, room, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length + 2 > room) {
    report->text[report->used] = '\0';
    return;
  }
  report->used += (size_t)length;
  report->text[report->used++] = '\n';
  report->text[report->used] = '\0';
}
