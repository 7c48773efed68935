// Saefstroem's thesis (2009), section 5.4.3: the controlled vessel on the circle (Figure 5.8), and how node
// 25 near the touchdown depends on the length of the pipe (Figures 5.12, 5.13). The thesis gives no gains;
// the controller here is a PD with the reference's acceleration ahead.
#include "sagbend/base/base.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 100, NODE = 25 };

static int still_def(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r) {
  if (!scene_load(setup, "jlay-900m", 0, NULL, def, r))
    return 0;
  def->env.current.surface_mps = 0;
  def->env.load_count = 0;
  def->controller = CONTROLLER_NONE;
  def->step_s = 0.02;
  def->pipe.elements = ELEMENTS;
  return 1;
}

static double moment_at(const struct sim *s, int element) {
  double stress[6];
  scene_stress(s, element, stress);
  return stress[4];
}

static vec3 top_of(const struct sim *s, int velocity) {
  const int n = s->state.mesh.pipe.nodes - 1;
  return pipe_get3(velocity ? s->state.pipe.v_n : s->state.pipe.r_n, n);
}

// The wrench in b that follows the reference's place, speed and acceleration, and holds the heading.
static void follow(const struct sim *s, const struct sim *reference, vec3 acceleration_n,
                   double wrench_b[6]) {
  const double kp = 2e7, kd = 2e7, kp_yaw = 1e9, kd_yaw = 3e9, mass = s->def->vessel.mass_kg;
  const vec3 place = vec3_sub(top_of(reference, 0), top_of(s, 0)),
             speed = vec3_sub(top_of(reference, 1), top_of(s, 1));
  const mat3 q = quat_matrix(s->state.vessel.q_nb);
  vec3 force = vec3_axpy(kp, place, vec3_axpy(kd, speed, vec3_scale(mass, acceleration_n)));
  force.z = 0;
  double euler[3];
  euler_of_quat(s->state.vessel.q_nb, euler);
  memcpy(wrench_b, s->statics.initial_holding_force_b, 6 * sizeof *wrench_b);
  const vec3 body = mat3_tmul(&q, force);
  wrench_b[0] += body.x, wrench_b[1] += body.y, wrench_b[2] += body.z;
  wrench_b[5] -= kp_yaw * euler[2] + kd_yaw * s->state.vessel.nu[5];
}

static void path(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def, moved_def;
  if (!still_def(setup, &def, r))
    return;
  moved_def = def;
  moved_def.pipe.hangoff = HANGOFF_MOVED;
  moved_def.pipe.motion = (struct motion_def){.radius_m = 2.5, .period_s = 10, .stop_s = 60, .ramp_s = 10};
  struct sim *moved = scene_create(&moved_def, r), *vessel = scene_create(&def, r);
  if (!moved || !vessel) {
    scene_free(moved), scene_free(vessel);
    return;
  }
  struct verify_plot *plot = verify_plot(r, "Figure 5.8: the path of the vessel", "north, m", "east, m");
  struct verify_series *wanted = verify_series(r, plot, VERIFY_DASHED, "reference"),
                       *sailed = verify_series(r, plot, VERIFY_LINE, "vessel");
  struct verify_plot *bend =
      verify_plot(r, "Figure 5.12: bending moment of node 25", "time, s", "bending moment, kN m");
  struct verify_series *by_vessel = verify_series(r, bend, VERIFY_LINE, "below the vessel"),
                       *by_top = verify_series(r, bend, VERIFY_DASHED, "below the moved top");
  const vec3 start = top_of(vessel, 0);
  double off = 0, radius = 0, apart = 0, low = 1e30, high = -1e30;
  for (int k = 1; k <= (int)steps_nearest_to(60, def.step_s); k++) {
    const vec3 before = top_of(moved, 1);
    double wrench_b[6];
    const double t = k * def.step_s;
    struct sim_input input = {.wrench_b = wrench_b};
    sim_step(moved, NULL);
    follow(vessel, moved, vec3_scale(1 / def.step_s, vec3_sub(top_of(moved, 1), before)), wrench_b);
    sim_step(vessel, &input);
    const vec3 at = vec3_sub(top_of(vessel, 0), start), to = vec3_sub(top_of(moved, 0), start);
    off = fmax(off, hypot(at.x - to.x, at.y - to.y));
    if (t > 20 && t < 40)
      radius = fmax(radius, fabs(hypot(at.x, at.y) - 2.5));
    const double a = moment_at(vessel, NODE), b = moment_at(moved, NODE);
    apart = fmax(apart, fabs(a - b)), low = fmin(low, b), high = fmax(high, b);
    if (k % 5 == 0) {
      verify_point(r, wanted, to.x, to.y), verify_point(r, sailed, at.x, at.y);
      verify_point(r, by_vessel, t, a / 1e3), verify_point(r, by_top, t, b / 1e3);
    }
  }
  const vec3 end = vec3_sub(top_of(vessel, 0), start);
  verify_add(r, VERIFY_ABSOLUTE, "m", off, 0, 0.05, "largest distance of the vessel from the reference");
  verify_add(r, VERIFY_ABSOLUTE, "m", radius, 0, 0.02,
             "20 to 40 s: largest deviation from the circle of 2.5 m");
  verify_add(r, VERIFY_ABSOLUTE, "m", hypot(end.x, end.y), 0, 0.01, "distance from the start at 60 s");
  verify_add(r, VERIFY_ABSOLUTE, "", apart / (high - low), 0, 0.05,
             "moment of node 25, vessel and moved top: difference, of its range");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&vessel->run.ledger), 0, 1e-11, "ledger closure");
  scene_free(moved), scene_free(vessel);
}

// A longer pipe under the same pull lays more of itself: its moment at S is that of the shorter one at S less
// the difference in length. Elements of 1 m.
static void lengths(const struct verify_setup *setup, struct verify_result *r) {
  enum { PLACE = 378 }; // m, of node 25 of the thesis's 100
  double moment[3][7] = {{0}};
  for (int k = 0; k < 3; k++) {
    struct sim_def def;
    if (!still_def(setup, &def, r))
      return;
    def.pipe.length_m = 1497 + 3 * k;
    def.pipe.elements = 1497 + 3 * k;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    for (int i = 0; i < 7; i++)
      moment[k][i] = moment_at(s, PLACE - 3 + i);
    scene_free(s);
  }
  verify_add(r, VERIFY_RELATIVE, "N m", moment[2][3], moment[1][0], 2e-3,
             "node 25, 1503 m: moment at rest, and that of 1500 m 3 m below");
  verify_add(r, VERIFY_RELATIVE, "N m", moment[0][3], moment[1][6], 2e-3,
             "node 25, 1497 m: moment at rest, and that of 1500 m 3 m above");
  verify_add_range(r, "", fabs(moment[2][3] / moment[0][3] - 1), 0.005, 0.05, 0,
                   "node 25: share by which 6 m of length change the moment");
}

void verify_circle_vessel(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r,
                  "configs/jlay-900m.yaml without current and load, %d elements, 60 s, steps of 20 ms; "
                  "elements of 1 m for the lengths",
                  ELEMENTS);
  path(setup, r);
  lengths(setup, r);
}

// ------------------------------------------------------------
// Which vessel Paper III of Saefstroem's thesis (2009) computed with: eta_0 = (729.96, 0, -800.38, 0, 0.13,
// 0) in 800 m of water, "a linearized model found in the GNC Toolbox". That collection (MSS) has two ships of
// ShipX/VERES, a supply vessel and the S-175. The supply vessel's data sheet (input.hyd) has the
// displacement, GM_L and GM_T of Celledoni, Hoiseth, Ramzina (2018), Appendix D, to all digits, and its
// restoring matrix (input.re7) a centre of flotation 5.085 m aft of the centre of gravity, which the appendix
// leaves out. The weight of the pipe is fitted to x = 729.96, as the printed densities make a pipe that
// floats.

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
