// Lay-back of the J-lay: Saefstroem's thesis (2009), Tables 5.3 and 5.4. The simulator's lay-back ends where
// the contact force does. The thesis's is met if it ends at the last node in contact, on its own mesh of 740
// nodes and its own seabed (5.38): then all six values agree within half an element, which is what nodes
// placed otherwise can make. Its catenary ends at a point of the same spacing, too. RIFLEX's seabed is not
// given; one linear seabed meets all three of its values.
#include "verification/harness/harness.h"

#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 739, TENSIONS = 3 };
static const double DEG = 57.29577951308232, LENGTH_M = 1500, DEPTH_M = 900;
static const struct {
  double force_n, string_m, catenary_m, pipe_m, riflex_m, riflex_deg; // Tables 5.3 and 5.4
} TABLES[TENSIONS] = {{200e3, 412.25, 415.25, 467.92, 477, 81.0},
                      {400e3, 645.10, 649.41, 679.76, 686, 74.4},
                      {800e3, 975.51, 982.24, 996.29, 1001, 65.0}};

static struct sim *jlay(const struct verify_setup *setup, double force_n, double bending_nm2,
                        double linear_npm3, struct verify_result *r) {
  char stiffness[64];
  snprintf(stiffness, sizeof stiffness, "environment.seabed_stiffness_npm3=%g", linear_npm3);
  const char *const sets[] = {"pipe.lower_end.height_m=ground", "pipe.buoyancy=submerged",
                              "environment.seabed=linear", "environment.seabed_contact=axis", stiffness};
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", linear_npm3 > 0 ? 5 : 2, sets, &def, r))
    return NULL;
  def.pipe.elements = ELEMENTS;
  def.pipe.line.bending_stiffness_nm2[0] = def.pipe.line.bending_stiffness_nm2[1] = bending_nm2;
  def.statics.horizontal_force_n = force_n;
  return scene_create(&def, r);
}

// Distance from the top to the last node that the seabed presses, and (line) the height of the nodes about
// it.
static double last_in_contact(const struct sim *s, struct verify_result *r, struct verify_series *line) {
  const int n = s->state.mesh.pipe.nodes - 1;
  const double radius = 0.5 * s->def->pipe.line.outer_diameter_m, top = s->state.pipe.r_n[0][n];
  int last = 0;
  for (int i = 0; i <= n; i++) {
    const double height = DEPTH_M - s->state.pipe.r_n[2][i];
    if (height < radius)
      last = i;
    if (height < 1 && i > 5)
      verify_point(r, line, top - s->state.pipe.r_n[0][i], height);
  }
  return top - s->state.pipe.r_n[0][last];
}

static int row(const struct verify_setup *setup, struct verify_result *r, struct verify_plot *plot, int k,
               double bending_nm2, double thesis_m, const char *table) {
  const double half = 0.5 * LENGTH_M / ELEMENTS, h = TABLES[k].force_n / 1e3;
  struct sim *s = jlay(setup, TABLES[k].force_n, bending_nm2, 0, r);
  if (!s)
    return 0;
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s, H = %g kN", table, h);
  const double found = last_in_contact(s, r, line);
  struct verify_series *mark =
      verify_series(r, plot, VERIFY_POINTS, "%s, H = %g kN: the thesis's lay-back", table, h);
  verify_point(r, mark, thesis_m, 0.5 * s->def->pipe.line.outer_diameter_m);
  verify_add(r, VERIFY_ABSOLUTE, "m", found, thesis_m, half,
             "%s, H = %g kN: lay-back to the last node in contact, thesis", table, h);
  scene_free(s);
  return 1;
}

void verify_layback(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r, "%d equal elements of %.4f m, as the thesis's 740 nodes; its seabed (5.38); EI = 1e4 N m2 for 0",
      ELEMENTS, LENGTH_M / ELEMENTS);
  struct verify_plot *plot = verify_plot(r, "Height of the axis at the touchdown, and the thesis's lay-back",
                                         "distance from the top, m", "height, m");
  for (int k = 0; k < TENSIONS; k++) {
    const double h = TABLES[k].force_n / 1e3;
    if (!row(setup, r, plot, k, 1e4, TABLES[k].string_m, "Table 5.3") ||
        !row(setup, r, plot, k, 1.0364e9, TABLES[k].pipe_m, "Table 5.4"))
      return;
    const double a = TABLES[k].force_n / 1234.10954; // weight of Table 5.2, N/m
    verify_add(r, VERIFY_ABSOLUTE, "m", a * acosh(1 + DEPTH_M / a), TABLES[k].catenary_m,
               0.5 * LENGTH_M / ELEMENTS,
               "Table 5.3, H = %g kN: lay-back of the catenary, closed form and thesis", h);
    struct sim *s = jlay(setup, TABLES[k].force_n, 1.0364e9, 1e5, r);
    if (!s)
      return;
    struct sim_output o;
    sim_get_output(s, &o);
    verify_add(r, VERIFY_ABSOLUTE, "m", o.layback_m, TABLES[k].riflex_m, 4, // 0.5 of it by the print
               "Table 5.4, H = %g kN: lay-back on a linear seabed of 1e5 N/m3, RIFLEX", h);
    verify_add(r, VERIFY_ABSOLUTE, "deg", o.hangoff_angle_rad * DEG, TABLES[k].riflex_deg,
               0.15, // 0.05 by the print
               "Table 5.4, H = %g kN: hang-off angle, RIFLEX", h);
    scene_free(s);
  }
}
