// Files of WAMIT beside its tables: frequencies and bodies (.pot), geometry (.gdf), masses (.frc); rows of
// numbers.
#include "lab/hydro/hydro_internal.h"

#include "sagbend/hydro/hydro.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_title(const char *line) {
  while (*line == ' ' || *line == '\t')
    line++;
  return isalpha((unsigned char)*line) && strncmp(line, "NaN", 3) != 0 && strncmp(line, "nan", 3) != 0;
}

enum status wamit_rows_read(struct wamit_rows *rows, const char *path, int fewest, int most, const char *what,
                            struct reason *why) {
  int room = 0;
  *rows = (struct wamit_rows){0};
  enum status status = text_file_open(&rows->file, path, why);
  while (status == STATUS_OK && text_file_next(&rows->file)) {
    if (rows->file.line == 1 && is_title(rows->file.buffer))
      continue;
    if (!*rows->file.buffer) {
      status = text_file_end(&rows->file, "an empty line", why);
      break;
    }
    if (rows->count == room) {
      room = room ? 2 * room : 1024;
      struct wamit_row *more = realloc(rows->row, (size_t)room * sizeof *more);
      if (!more)
        return fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", path);
      rows->row = more;
    }
    struct wamit_row *row = &rows->row[rows->count++];
    *row = (struct wamit_row){.line = rows->file.line};
    status = text_file_numbers(&rows->file, fewest, most, row->number, &row->count, what, why);
  }
  if (status == STATUS_OK && rows->count == 0)
    status = fail(why, STATUS_BAD_INPUT, "%.100s:%d: %.80s expected, got the end of the file", path,
                  rows->file.line, what);
  return status;
}

void wamit_rows_free(struct wamit_rows *rows, struct hydro_report *report) {
  text_file_close(&rows->file, report);
  free(rows->row);
  rows->row = NULL;
}

enum status wamit_fail(const struct wamit_rows *rows, int row, struct reason *why, const char *expected,
                       ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(text, sizeof text, expected, arguments);
  va_end(arguments);
  return fail(why, STATUS_BAD_INPUT, "%.90s:%d: %s", rows->file.path, rows->row[row].line, text);
}

enum status wamit_check_index(const struct wamit_rows *rows, int row, int column, struct reason *why) {
  if (text_is_whole(rows->row[row].number[column], 1, 6))
    return STATUS_OK;
  double mode = rows->row[row].number[column];
  return wamit_fail(rows, row, why, "a degree of freedom from 1 to 6 expected, got %g%s", mode,
                    mode > 6 ? " (one body only)" : "");
}

// ------------------------------------------------------------
// Files that users write: WAMIT reads the numbers that it expects and passes over the rest of a line.
//
// .frc in its second form: title, options, density, centre of gravity, then mass, damping and restoring
// matrices, each after a 1 (a 0: none). In its first form the height of the centre of gravity and three rows
// of radii of gyration; the mass is then that of the displaced water (wamit.c). The third line after the
// options shows: of the second form it has one number.

static enum status read_row(struct text_file *file, int count, double *out, const char *what,
                            struct reason *why) {
  enum status status = text_file_need(file, what, why);
  return status == STATUS_OK ? text_file_numbers_before_comment(file, count, out, what, why) : status;
}

// A matrix after its 1 or 0, in WAMIT's axes.
static enum status read_matrix(struct text_file *file, const char *name, double out[6][6],
                               struct reason *why) {
  char what[80];
  double is_given;
  snprintf(what, sizeof what, "1 and the %s matrix, or 0,", name);
  enum status status = read_row(file, 1, &is_given, what, why);
  if (status == STATUS_OK && is_given != 0 && is_given != 1)
    status = text_file_fail(file, why, "%s", what);
  if (status != STATUS_OK || is_given == 0)
    return status;
  for (int i = 0; i < 6; i++) {
    snprintf(what, sizeof what, "row %d of the %s matrix: six numbers", i + 1, name);
    status = read_row(file, 6, out[i], what, why);
    if (status != STATUS_OK)
      return status;
    for (int j = 0; j < 6; j++)
      out[i][j] *= WAMIT_SIGN[i] * WAMIT_SIGN[j];
  }
  return STATUS_OK;
}

static enum status read_form_2(struct text_file *file, double density, struct wamit_units *units,
                               struct hydro_raw *raw, struct reason *why) {
  double centre[3];
  if (!(density > 500 && density < 2000))
    return text_file_fail(file, why,
                          "the density of the water in kg/m3 (or form 1 of this file), masses in kg");
  units->water_density_kgpm3 = density;
  enum status status = read_row(file, 3, centre, "the centre of gravity", why);
  if (status == STATUS_OK)
    status = read_matrix(file, "mass", raw->mass, why);
  if (status == STATUS_OK)
    status = read_matrix(file, "damping", raw->external_damping, why);
  if (status == STATUS_OK)
    status = read_matrix(file, "stiffness", raw->external_restoring, why);
  raw->has_mass = status == STATUS_OK && raw->mass[0][0] > 0;
  if (raw->has_mass)
    raw->displaced_kg = raw->mass[0][0];
  return status;
}

static enum status read_form_1(struct text_file *file, double height_m, struct wamit_gyration *out,
                               struct reason *why) {
  enum status status = STATUS_OK;
  out->height_m = height_m;
  for (int i = 0; i < 3 && status == STATUS_OK; i++)
    status = read_row(file, 3, out->radius_m[i], "a row of radii of gyration (XPRDCT): three numbers", why);
  for (int i = 0; i < 3; i++)
    out->is_given |= out->radius_m[i][i] != 0;
  return status;
}

// Whether the line after the next has three numbers, as radii of gyration.
static int is_form_1(const struct text_file *file) {
  struct text_file copy = *file;
  double row[3];
  for (int i = 0; i < 2; i++)
    if (!text_file_next(&copy))
      return 0;
  return text_file_list(&copy, 3, row) == 3;
}

enum status wamit_read_frc(const char *path, struct wamit_units *units, struct hydro_raw *raw,
                           struct wamit_gyration *gyration, struct hydro_report *report, struct reason *why) {
  struct text_file file;
  double first = 0;
  int has_radii = 0;
  enum status status = text_file_open(&file, path, why);
  *gyration = (struct wamit_gyration){0};
  if (status == STATUS_OK)
    status = text_file_need(&file, "a title", why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "the options", why);
  if (status == STATUS_OK)
    status = read_row(&file, 1, &first, "density or height of the centre of gravity", why);
  if (status == STATUS_OK) {
    has_radii = is_form_1(&file);
    status =
        has_radii ? read_form_1(&file, first, gyration, why) : read_form_2(&file, first, units, raw, why);
  }
  if (status == STATUS_OK && !has_radii)
    report_line(report, "%s: mass %.6g kg, density %g kg/m3", path, raw->mass[0][0],
                units->water_density_kgpm3);
  else if (status == STATUS_OK && !gyration->is_given)
    report_line(report, "%s: form 1 without radii of gyration: mass and motions are not checked", path);
  text_file_close(&file, report);
  return status;
}

// .pot, of WAMIT 6 and 7. Form 1: title; depth and XBODY(1-4); IRAD IDIFF; MODE(1-6); the periods; the
// headings. Form 2: title; depth; IRAD IDIFF; the periods; the headings; the number of bodies; for each the
// name of its geometry, XBODY and MODE. Periods and headings: their number, then as many numbers in any
// lines; of a negative number the first and the step. Older versions have a line ISOR IRR before the depth. A
// depth that is not positive: infinite.
struct found {
  double depth_m, body_m[4];
  int has_depth, has_body;
};

// A count and its numbers, which may stand in several lines. Returns 0 at the end of the file or without a
// count.
static int skip_list(struct text_file *file) {
  double count, number[MAX_LINE_NUMBERS];
  if (!text_file_next(file) || text_file_list(file, 1, &count) != 1 || !text_is_whole(count, -1e6, 1e6))
    return 0;
  for (int left = count < 0 ? 2 : (int)count; left > 0;) {
    int here = text_file_next(file) ? text_file_list(file, MAX_LINE_NUMBERS, number) : 0;
    if (here == 0)
      return 0;
    left -= here;
  }
  return 1;
}

static void find(struct text_file *file, struct found *out) {
  double n[5], count;
  for (int i = 0; i < 2; i++)
    if (!text_file_next(file))
      return;
  int numbers = text_file_list(file, 5, n);
  struct text_file second = *file;
  if (numbers == 2 && text_is_whole(n[0], 0, 1) && text_is_whole(n[1], 0, 3) && text_file_next(file)) {
    numbers = text_file_list(file, 5, n); // ISOR IRR
    if (numbers < 5)
      *file = second, numbers = text_file_list(file, 5, n);
  }
  out->has_depth = numbers >= 1;
  out->depth_m = n[0];
  if (numbers == 5) {
    memcpy(out->body_m, n + 1, sizeof out->body_m);
    out->has_body = 1;
    return;
  }
  if (!text_file_next(file) || !skip_list(file) || !skip_list(file) || !text_file_next(file) ||
      text_file_list(file, 1, &count) != 1 || !text_file_next(file) || !text_file_next(file))
    return;
  out->has_body = text_file_list(file, 4, out->body_m) == 4;
}

enum status wamit_read_pot(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  struct text_file file;
  struct found found = {.has_body = 0};
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK) {
    find(&file, &found);
    if (found.has_body && found.body_m[3] != 0)
      status = fail(why, STATUS_BAD_INPUT,
                    "%.100s:%d: a body that is not turned expected (XBODY(4) = 0), got %g deg", path,
                    file.line, found.body_m[3]);
  }
  if (status == STATUS_OK && file.is_unended && !found.has_body)
    status = fail(why, STATUS_BAD_INPUT,
                  "%.100s:%d: XBODY expected, got the end of the file and no end of the line: was it cut?",
                  path, file.line);
  if (status == STATUS_OK && !found.has_depth)
    status = fail(why, STATUS_BAD_INPUT, "%.100s:2: the depth of the water (HBOT) expected, got '%.40s'",
                  path, file.buffer);
  if (status == STATUS_OK) {
    raw->depth_m = found.depth_m > 0 ? found.depth_m : 0;
    raw->wave_point_m[0] = found.body_m[0];
    raw->wave_point_m[1] = -found.body_m[1];
    raw->body_height_m = found.body_m[2];
    char water[40] = "deep water";
    if (raw->depth_m > 0)
      snprintf(water, sizeof water, "%g m of water", raw->depth_m);
    if (found.has_body)
      report_line(report,
                  "%s: %s, body origin %g m forward and %g m to starboard of the point to which phases refer",
                  path, water, raw->wave_point_m[0] + 0.0, raw->wave_point_m[1] + 0.0);
    else
      report_line(report, "warning: %s: %s; XBODY not found: phases at the body's origin", path, water);
  }
  text_file_close(&file, report);
  return status;
}

// ------------------------------------------------------------
// The mass of a body whose .frc (form 1) gives radii of gyration: WAMIT takes the mass of the displaced
// water, and a centre of gravity above the centre of buoyancy.
//
// Volume of a hull of flat panels: each triangle spans a tetrahedron with the origin. Water surface and
// planes of symmetry contain the origin and add nothing, so that an open hull is enough.

enum { VERTICES = 4 };

static void add_triangle(const double a[3], const double b[3], const double c[3], struct wamit_hull *sum) {
  double volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
  sum->volume_m3 += volume;
  for (int i = 0; i < 3; i++)
    sum->centre_m[i] += volume * (a[i] + b[i] + c[i]) / 4;
}

// The next of the numbers, which stand in any lines. Returns 0 at the end of the file or at text.
struct numbers {
  struct text_file *file;
  double here[MAX_LINE_NUMBERS];
  int count, used;
};

static int next_number(struct numbers *numbers, double *out) {
  while (numbers->used == numbers->count) {
    if (!text_file_next(numbers->file))
      return 0;
    numbers->count = text_file_list(numbers->file, MAX_LINE_NUMBERS, numbers->here);
    numbers->used = 0;
    if (numbers->count == 0 && *numbers->file->buffer)
      return 0;
  }
  *out = numbers->here[numbers->used++];
  return 1;
}

// Panels after their symmetry and count. A hull of patches has a second number in the line of the count.
static void read_panels(struct text_file *file, double body_height_m, struct wamit_hull *out) {
  double symmetry[2], count[2], vertex[VERTICES][3];
  struct wamit_hull sum = {0};
  if (!text_file_next(file) || text_file_list(file, 2, symmetry) != 2 || !text_file_next(file) ||
      text_file_list(file, 2, count) != 1 || !text_is_whole(count[0], 1, 1e6))
    return;
  struct numbers numbers = {.file = file};
  for (int panel = 0; panel < (int)count[0]; panel++) {
    for (int v = 0; v < VERTICES; v++)
      for (int i = 0; i < 3; i++)
        if (!next_number(&numbers, &vertex[v][i]))
          return;
    for (int v = 0; v < VERTICES; v++)
      vertex[v][2] += body_height_m;
    add_triangle(vertex[0], vertex[1], vertex[2], &sum);
    add_triangle(vertex[0], vertex[2], vertex[3], &sum);
  }
  double images = (symmetry[0] != 0 ? 2 : 1) * (symmetry[1] != 0 ? 2 : 1);
  out->volume_m3 = images * fabs(sum.volume_m3);
  for (int i = 0; i < 3; i++)
    out->centre_m[i] = i < 2 && symmetry[i] != 0 ? 0 : sum.centre_m[i] / sum.volume_m3;
}

enum status wamit_read_gdf(const char *path, double body_height_m, struct wamit_units *units,
                           struct wamit_hull *hull, struct hydro_report *report, struct reason *why) {
  struct text_file file;
  double row[2];
  enum status status = text_file_open(&file, path, why);
  *hull = (struct wamit_hull){0};
  if (status == STATUS_OK)
    status = text_file_need(&file, "a title", why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "length unit and gravity", why);
  if (status == STATUS_OK)
    status = text_file_numbers_before_comment(&file, 2, row, "length unit and gravity", why);
  if (status == STATUS_OK && !(row[0] > 0 && row[0] < 1e4 && row[1] > 5 && row[1] < 40))
    status = text_file_fail(&file, why, "a length unit in m and gravity in m/s2");
  if (status == STATUS_OK) {
    units->length_m = row[0];
    units->gravity_mps2 = row[1];
    read_panels(&file, body_height_m, hull);
  }
  text_file_close(&file, report);
  return status;
}

// What moves in the longest wave: sway force / (i g k) = m + A22, its yaw moment (m + A22) x_B as far as the
// added mass, and surge likewise.
static double mass_of_waves(const struct hydro_raw *raw, double *x_b) {
  double k = hydro_wavenumber(raw->omega_radps[0], raw->gravity_mps2, raw->depth_m), share[2] = {0, 0};
  double mass = 0;
  int at[2] = {0, 0};
  for (int h = 0; h < raw->force.headings; h++) {
    const double now[2] = {cos(raw->force.heading_rad[h]), sin(raw->force.heading_rad[h])};
    for (int i = 0; i < 2; i++)
      if (fabs(now[i]) > fabs(share[i]) + 1e-9)
        share[i] = now[i], at[i] = h;
  }
  *x_b = 0;
  if (fabs(share[0]) > 0.3)
    mass = hydro_table_at(&raw->force, 0, at[0])[1] / (raw->gravity_mps2 * k * share[0]) -
           raw->added_mass[0][0][0];
  if (fabs(share[1]) > 0.3 && mass > 0)
    *x_b = (hydro_table_at(&raw->force, 0, at[1])[11] / (raw->gravity_mps2 * k * share[1]) -
            raw->added_mass[0][5][1]) /
           mass;
  return mass;
}

enum status wamit_take_gyration(const char *path, const struct wamit_gyration *gyration,
                                const struct wamit_hull *hull, struct hydro_raw *raw,
                                struct hydro_report *report, struct reason *why) {
  double x_b = hull->centre_m[0], y_b = -hull->centre_m[1];
  double mass = raw->water_density_kgpm3 * hull->volume_m3;
  raw->is_mass_estimated = !(mass > 0);
  if (raw->is_mass_estimated)
    mass = mass_of_waves(raw, &x_b), y_b = 0;
  if (!(mass > 0))
    return fail(why, STATUS_BAD_INPUT,
                "%.120s: form 1 needs a .gdf of flat panels: its radii of gyration need the displaced volume",
                path);
  double (*m)[6] = raw->mass, z = -gyration->height_m;
  memset(m, 0, sizeof raw->mass);
  for (int i = 0; i < 3; i++)
    m[i][i] = mass;
  m[0][4] = m[4][0] = mass * z;
  m[1][3] = m[3][1] = -mass * z;
  m[1][5] = m[5][1] = mass * x_b;
  m[2][4] = m[4][2] = -mass * x_b;
  m[2][3] = m[3][2] = mass * y_b;
  m[0][5] = m[5][0] = -mass * y_b;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double r = gyration->radius_m[i][j];
      m[3 + i][3 + j] = WAMIT_SIGN[3 + i] * WAMIT_SIGN[3 + j] * mass * r * fabs(r);
    }
  raw->has_mass = 1;
  raw->displaced_kg = mass;
  report_line(report, "%s: form 1: mass %.6g kg, %s, centre of gravity at x = %.4g m", path, mass,
              raw->is_mass_estimated ? "estimated from the surge force of the longest wave"
                                     : "of the volume in .gdf",
              x_b);
  return STATUS_OK;
}
