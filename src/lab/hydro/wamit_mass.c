// The mass of a body whose .frc (form 1) gives radii of gyration: WAMIT takes the mass of the displaced
// water, and a centre of gravity above the centre of buoyancy.
//
// Volume of a hull of flat panels: each triangle spans a tetrahedron with the origin. Water surface and
// planes of symmetry contain the origin and add nothing, so that an open hull is enough.
#include "lab/hydro/hydro_internal.h"
#include "lab/hydro/wamit_rows.h"
#include "sagbend/hydro/hydro.h"

#include <math.h>
#include <string.h>

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
    return fail(
        why, STATUS_BAD_INPUT,
        "%.120s: form 1 needs the displaced volume for its radii of gyration: a .gdf of flat panels expected",
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
