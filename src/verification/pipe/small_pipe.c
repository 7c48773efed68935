#include "verification/pipe/small_pipe.h"

#include "sagbend/math/trig.h"

#include <math.h>

// tests/reference/clamped_pipe.py 1000 2000 4000, its finest grid; the moments of its grids agree within
// 2e-6.
const struct small_pipe_row SMALL_PIPE_CLAMPED[SMALL_PIPE_ROWS] = {
    {"largest bending moment", "N m", 229592.47, 191267.96, 1e-2},
    {"largest curvature", "1/m", 7.370405e-3, 6.1401068e-3, 1e-2},
    {"largest shear force", "N", 11407.246, (double)NAN, 3e-4},
    {"largest strain", "", 1.2299725e-3, (double)NAN, 1e-2},
    {"smallest strain", "", -1.1569331e-3, (double)NAN, 1e-2},
    {"hang-off tension", "N", 93847.161, 93668.010, 5e-5},
    {"largest wall tension", "N", 93847.161, (double)NAN, 5e-5},
    {"smallest wall tension", "N", -239803.37, (double)NAN, 3e-5},
    {"reach", "m", 660.23206, (double)NAN, 3e-5}};

int small_pipe(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r) {
  const double outer = 0.32385, inner = 0.29845, steel = TRIG_PI / 4 * (outer * outer - inner * inner);
  if (!scene_load(setup, "jlay-900m", 0, NULL, def, r))
    return 0;
  struct pipe_type *x = &def->pipe.line;
  def->env.depth_m = 350;
  def->env.seabed = SEABED_LINEAR;
  def->env.seabed_contact = CONTACT_AXIS;
  def->env.seabed_stiffness_npm3 = 1e5;
  def->vessel.gm_longitudinal_m = 1e6;     // no pitch under the moment of the clamp
  def->pipe.buoyancy = BUOYANCY_SUBMERGED; // the reference has no surface
  def->pipe.length_m = 800;
  def->statics.horizontal_force_n = 50e3;
  x->outer_diameter_m = outer;
  x->mass_kgpm = 7850 * steel;
  x->axial_stiffness_n = 2.07e11 * steel;
  x->shear_stiffness_n[0] = x->shear_stiffness_n[1] = 0.5 * x->axial_stiffness_n / 2.6;
  x->bending_stiffness_nm2[0] = x->bending_stiffness_nm2[1] =
      2.07e11 * TRIG_PI / 64 * (pow(outer, 4) - pow(inner, 4));
  x->torsion_stiffness_nm2 = x->bending_stiffness_nm2[0] / 1.3;
  return 1;
}

void small_pipe_values(const struct sim *s, double values[SMALL_PIPE_ROWS]) {
  struct sim_output o;
  sim_get_output(s, &o);
  const double all[SMALL_PIPE_ROWS] = {o.max_moment_nm,      o.max_curvature_1pm,  o.max_shear_n,
                                       o.max_strain,         o.min_strain,         o.hangoff_tension_n,
                                       o.max_wall_tension_n, o.min_wall_tension_n, o.hangoff_position_n_m[0]};
  for (int k = 0; k < SMALL_PIPE_ROWS; k++)
    values[k] = all[k];
}
