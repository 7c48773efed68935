// Files that users write: WAMIT reads the numbers that it expects and passes over the rest of a line.
//
// .frc in its second form: title, options, density, centre of gravity, then mass, damping and restoring
// matrices, each after a 1 (a 0: none). In its first form the height of the centre of gravity and three rows
// of radii of gyration; the mass is then that of the displaced water (wamit_mass.c). The third line after the
// options tells: of the second form it has one number.
#include "lab/hydro/hydro_internal.h"
#include "lab/hydro/wamit_rows.h"
#include "sagbend/hydro/hydro.h"

#include <stdio.h>
#include <string.h>

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
