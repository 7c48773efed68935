// Which vessel Paper III of Saefstroem's thesis (2009) computed with: eta_0 = (729.96, 0, -800.38, 0, 0.13,
// 0) in 800 m of water, "a linearized model found in the GNC Toolbox". That collection (MSS) has two ships of
// ShipX/VERES, a supply vessel and the S-175. The supply vessel's data sheet (input.hyd) has the
// displacement, GM_L and GM_T of Celledoni, Hoiseth, Ramzina (2018), Appendix D, to all digits, and its
// restoring matrix (input.re7) a centre of flotation 5.085 m aft of the centre of gravity, which the appendix
// leaves out. The weight of the pipe is fitted to x = 729.96, as the printed densities make a pipe that
// floats.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include <math.h>

struct ship {
  double mass_kg, waterplane_m2, gm_longitudinal_m, flotation_x_m;
};

static int pose_of(const struct verify_setup *setup, const struct ship *ship, double pipe_kgpm,
                   struct sim_output *o, struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "paper-iii", 0, NULL, &def, r))
    return 0;
  def.vessel.mass_kg = ship->mass_kg; // of the restoring moments
  def.vessel.waterplane_area_m2 = ship->waterplane_m2;
  def.vessel.gm_longitudinal_m = ship->gm_longitudinal_m;
  def.vessel.flotation_b_m[0] = ship->flotation_x_m;
  def.pipe.line.mass_kgpm = pipe_kgpm;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  sim_get_output(s, o);
  scene_free(s);
  return 1;
}

// The weight at which the vessel rests at x = 729.96, by the secant method.
static int rest_at_paper(const struct verify_setup *setup, const struct ship *ship, struct sim_output *o,
                         struct verify_result *r) {
  double mass[2] = {929.4, 932}, off[2];
  for (int k = 0; k < 2; k++) {
    if (!pose_of(setup, ship, mass[k], o, r))
      return 0;
    off[k] = o->position_n_m[0] - 729.96;
  }
  for (int k = 0; k < 8 && fabs(off[1]) > 1e-4; k++) {
    const double next = mass[1] - off[1] * (mass[1] - mass[0]) / (off[1] - off[0]);
    mass[0] = mass[1], off[0] = off[1], mass[1] = next;
    if (!pose_of(setup, ship, next, o, r))
      return 0;
    off[1] = o->position_n_m[0] - 729.96;
  }
  verify_add(r, VERIFY_ABSOLUTE, "m", o->position_n_m[0], 729.96, 0.01,
             "x, to which the weight of %.1f kg/m is fitted", mass[1]);
  return 1;
}

void verify_paper_iii_vessel(const struct verify_setup *setup, struct verify_result *r) {
  static const struct ship supply = {6.3622085e6, 1383.4, 103.628,
                                     -0.70729128e8 / 0.13910359e8}, // -C35/C33 of input.re7
      appendix = {6.3622085e6, 1383.4, 103.628, 0},
                           s175 = {24609.62e3, 0.709 * 175 * 25.4, 204.436, 0}; // of its input.hyd
  struct sim_output with, without, container;
  verify_run_with(r, "configs/paper-iii.yaml with three vessels, at rest");
  if (!rest_at_paper(setup, &supply, &with, r) || !rest_at_paper(setup, &appendix, &without, r) ||
      !rest_at_paper(setup, &s175, &container, r))
    return;
  // What is left, 0.08 m and 0.008 rad, is open; the paper prints to 0.01.
  verify_add(r, VERIFY_ABSOLUTE, "m", with.position_n_m[2], -0.38, 0.1,
             "supply vessel of the GNC toolbox: z below the draught");
  verify_add(r, VERIFY_ABSOLUTE, "rad", with.euler_rad[1], 0.13, 0.01,
             "supply vessel of the GNC toolbox: pitch");
  // By hand: the centre of flotation carries the pull of the pipe, and the pitch its moment.
  const double heave_npm = 1025 * 9.81 * supply.waterplane_m2, pull_n = with.hangoff_force_n_n[2],
               s = sin(with.euler_rad[1]), c = cos(with.euler_rad[1]);
  verify_add(r, VERIFY_RELATIVE, "m", with.position_n_m[2], pull_n / heave_npm + supply.flotation_x_m * s,
             1e-6, "the same: z, from the pull of the pipe");
  verify_add(r, VERIFY_RELATIVE, "N m", with.max_moment_nm,
             supply.mass_kg * 9.81 * supply.gm_longitudinal_m * s * c - pull_n * supply.flotation_x_m * c,
             1e-4, "the same: moment of the clamp, from pitch and pull");
  verify_add_range(r, "m", without.position_n_m[2], 0.3, 0.5, 0,
                   "the same without its centre of flotation: z, of the other sign");
  verify_add_range(r, "rad", container.euler_rad[1], 0, 0.5 * 0.13, 0,
                   "S-175: pitch, half the paper's at most");
}
