// Files that users write: WAMIT reads the numbers that it expects and passes over the rest of a line.
//
// .frc in its second form: title, options, density, centre of gravity, then mass, damping and restoring
// matrices, each after a 1 (a 0: none). The first form gives the height of the centre of gravity and radii of
// gyration; the mass is then that of the displaced water, which the numeric files do not contain.
#include "hydro/codes/wamit.h"
#include "hydro/codes/wamit_rows.h"
#include "hydro/raw/text_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum status wamit_read_gdf(const char *path, struct wamit_units *units, struct hydro_report *report,
                           struct reason *why) {
  struct text_file file;
  double row[2];
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "a title", why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "length unit and gravity", why);
  if (status == STATUS_OK && sscanf(file.buffer, "%lf %lf", &row[0], &row[1]) != 2)
    status = text_file_fail(&file, why, "length unit and gravity");
  if (status == STATUS_OK && !(row[0] > 0 && row[0] < 1e4 && row[1] > 5 && row[1] < 40))
    status = text_file_fail(&file, why, "a length unit in m and gravity in m/s2");
  if (status == STATUS_OK) {
    units->length_m = row[0];
    units->gravity_mps2 = row[1];
  }
  text_file_close(&file, report);
  return status;
}

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
    return text_file_fail(file, why, "the density of the water in kg/m3 (or form 1 of this file)");
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

enum status wamit_read_frc(const char *path, struct wamit_units *units, struct hydro_raw *raw,
                           struct hydro_report *report, struct reason *why) {
  struct text_file file;
  double row[MAX_LINE_NUMBERS];
  int count;
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "a title", why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "the options", why);
  if (status == STATUS_OK)
    status = text_file_need(&file, "density or height of the centre of gravity", why);
  if (status == STATUS_OK && sscanf(file.buffer, "%lf", row) != 1)
    status = text_file_fail(&file, why, "density or height of the centre of gravity");
  count = 0;
  if (status == STATUS_OK && row[0] > 200) {
    count = 2;
    status = read_form_2(&file, row[0], units, raw, why);
  }
  if (status == STATUS_OK && count == 2)
    report_line(report, "%s: mass %.6g kg, density %g kg/m3", path, raw->mass[0][0],
                units->water_density_kgpm3);
  else if (status == STATUS_OK)
    report_line(report, "%s: form 1 has no mass: mass and motions are not checked; form 2 has it", path);
  text_file_close(&file, report);
  return status;
}

// .pot in its first form has a line of depth and XBODY, five numbers; in its second the depth in the second
// line, and XBODY, four numbers, after the name of the geometry's file. A depth that is not positive:
// infinite.
struct found {
  double depth_m, body_m[4];
  int has_depth, has_body;
};

static int is_geometry(const char *line) {
  size_t length = strcspn(line, " \t");
  return length > 4 && strncasecmp(line + length - 4, ".gdf", 4) == 0;
}

static void find(struct text_file *file, struct found *out) {
  double n[5];
  int is_after_geometry = 0;
  while (text_file_next(file) && !out->has_body) {
    const char *line = file->buffer + strspn(file->buffer, " \t");
    int count = sscanf(line, "%lf %lf %lf %lf %lf", &n[0], &n[1], &n[2], &n[3], &n[4]);
    if (file->line == 2 && count >= 1)
      out->depth_m = n[0], out->has_depth = 1;
    if ((file->line == 3 || file->line == 4) && count == 5) {
      out->depth_m = n[0], out->has_depth = 1;
      memcpy(out->body_m, n + 1, sizeof out->body_m);
      out->has_body = 1;
    }
    if (is_after_geometry && count >= 4) {
      memcpy(out->body_m, n, sizeof out->body_m);
      out->has_body = 1;
    }
    is_after_geometry = is_geometry(line);
  }
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
  if (status == STATUS_OK && (!found.has_depth || !found.has_body))
    report_line(report, "warning: %s: depth and XBODY not found: deep water, and phases at the body's origin",
                path);
  else if (status == STATUS_OK) {
    raw->depth_m = found.depth_m > 0 ? found.depth_m : 0;
    raw->wave_point_m[0] = found.body_m[0];
    raw->wave_point_m[1] = -found.body_m[1];
    report_line(report,
                "%s: %s, body origin %g m forward and %g m to starboard of the point to which phases refer",
                path, raw->depth_m > 0 ? "finite depth" : "deep water", raw->wave_point_m[0] + 0.0,
                raw->wave_point_m[1] + 0.0);
  }
  text_file_close(&file, report);
  return status;
}
