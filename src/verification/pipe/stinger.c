// Pipe over the rollers of a stinger: curvature over rollers that hold both ways against a beam on supports
// under tension, and strain against published ones; unilateral rollers under a free vessel that heaves and
// pitches, and under pipe that is paid out, by the ledger.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include <math.h>
#include <stdio.h>

static const double HEAVE_N = 6e6, PITCH_NM = 2e8, END_S = 40;

// Where nodes slide on rollers and leave them at once, one step in some hundreds has no solution that
// Newton's method finds, and is solved in parts: which step it is depends on the last bits of the motion.
static const double DIVIDED_SHARE = 2.5e-3;

// Curvature times radius at the second roller of a long arc after a straight ramp, of a beam without weight:
// equation of three moments with the stability functions of tension.
static double closed_form(double tension_n, double bending_nm2, double spacing_m) {
  const double x = sqrt(tension_n / bending_nm2) * spacing_m, a = x / tanh(x) - 1, b = 1 - x / sinh(x);
  const double r = -a / b + sqrt(a * a / (b * b) - 1);
  return x * x / (2 * (a + b)) * (1 + 0.5 * b * (1 - r * r) / (2 * (a + b * r)));
}

// Largest strain over the second roller of stingers with supports every 9 m: elastic pipe of 406.4 x 21 mm
// under 120 t. A beam model of 0.8 m a element:
// github.com/sreekx007/Slay-Overbend-analysis-program.-Version-1.5, docs/RESULTS.md, section 5.5, centreline,
// commit 090028f.
static const struct published {
  double radius_m, strain;
} PUBLISHED[] = {{70, 0.003773}, {85, 0.003161}, {105, 0.002599}};

static void verify_curvature(const struct verify_setup *setup, const struct published *x,
                             struct verify_result *r) {
  enum { RAMP = 5 };
  double at[2] = {0, 0}, tension = 0, strain = 0;
  char radius[64];
  snprintf(radius, sizeof radius, "pipe.stinger.radius_m=%g", x->radius_m);
  for (int k = 0; k < 2; k++) {
    const char *const sets[] = {
        k ? "pipe.mesh=[{length_m: 1050, elements: 105}, {length_m: 400, elements: 80}, {length_m: 150, "
            "elements: 200}]"
          : "pipe.mesh=[{length_m: 1050, elements: 105}, {length_m: 400, elements: 80}, {length_m: 150, "
            "elements: 100}]",
        "pipe.length_m=1600",
        "environment.depth_m=300",
        "statics.horizontal_force_n=980e3",
        "pipe.buoyancy=submerged",
        "pipe.stinger.ramp_supports=5",
        "pipe.stinger.start_b_m=[-60, 0, -8]",
        "pipe.stinger.slope_deg=0",
        radius,
        "pipe.stinger.stiffness_npm=1e9"};
    struct sim_def def;
    if (!scene_load(setup, "slay-100m", sizeof sets / sizeof *sets, sets, &def, r))
      return;
    def.pipe.stinger.holds = 1;
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    const struct roller_place place = rollers_place(&s->model, &s->state, RAMP + 1, 0);
    const double axial = s->work.pipe.strain0[0][place.element];
    tension = axial * def.pipe.line.axial_stiffness_n;
    at[k] = def.pipe.stinger.radius_m * stinger_bending(s, &place);
    strain = axial + s->state.mesh.pipe.steel_radius_m[place.element] / x->radius_m *
                         (at[k] + (at[k] - at[0]) / 3); // at the second mesh: extrapolated
    scene_free(s);
    verify_show(r, "", at[k], closed_form(tension, 9.8e7, 9),
                "radius %g m: curvature over the second roller of the arc, elements of %.2f m", x->radius_m,
                k ? 0.75 : 1.5);
  }
  const double exact = closed_form(tension, 9.8e7, 9);
  verify_add(r, VERIFY_RELATIVE, "", at[1] + (at[1] - at[0]) / 3, exact, 5e-3,
             "radius %g m: curvature over the second roller times radius, extrapolated", x->radius_m);
  verify_add(r, VERIFY_RELATIVE, "", strain, x->strain, 0.02,
             "radius %g m: largest strain over the second roller beside the published one", x->radius_m);
}

static void shake(struct sim_def *def) {
  const struct time_profile ramp = {.start_s = 0.1, .ramp_s = 20};
  struct time_profile heave = ramp, pitch = ramp;
  heave.variation = pitch.variation = 1, heave.period_s = 10, pitch.period_s = 8;
  def->env.load_count = 4;
  def->env.loads[0] = (struct load_def){LOAD_WORLD, {0, 0, HEAVE_N, 0, 0, 0}, heave};
  def->env.loads[1] = (struct load_def){LOAD_WORLD, {0, 0, -HEAVE_N, 0, 0, 0}, ramp};
  def->env.loads[2] = (struct load_def){LOAD_WORLD, {0, 0, 0, 0, PITCH_NM, 0}, pitch};
  def->env.loads[3] = (struct load_def){LOAD_WORLD, {0, 0, 0, 0, -PITCH_NM, 0}, ramp};
}

struct scene {
  const char *name;
  double step_s, friction, v_angle_rad;
  int pays_out;
};

static void verify_motion(const struct verify_setup *setup, const struct scene *x, struct verify_series *line,
                          struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "slay-100m", 0, NULL, &def, r))
    return;
  def.step_s = x->step_s;
  def.pipe.stinger.friction = x->friction, def.pipe.stinger.v_angle_rad = x->v_angle_rad;
  shake(&def);
  if (x->pays_out)
    def.pipe.payout =
        (struct payout_def){.row_count = 1,
                            .row = {{.start_s = 1, .length_m = 8, .speed_mps = 0.3, .ramp_s = 4}},
                            .elements_max = 300};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const int steps = (int)(END_S / x->step_s + 0.5);
  struct sim_output o;
  sim_get_output(s, &o);
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    sim_get_output(s, &o);
    if (line)
      verify_point(r, line, o.time_s, 1e-3 * o.max_reaction_n);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-12,
             "%s, steps of %g ms: ledger closure", x->name, 1e3 * x->step_s);
  verify_add(r, VERIFY_ABSOLUTE, "", (double)o.unsolved_count, 0, 0.5, "%s, steps of %g ms: steps not solved",
             x->name, 1e3 * x->step_s);
  verify_add(r, VERIFY_ABSOLUTE, "", (double)o.divided_count, 0, DIVIDED_SHARE * steps,
             "%s, steps of %g ms: steps divided", x->name, 1e3 * x->step_s);
  verify_show(r, "", o.newton_mean, 3.7, "%s, steps of %g ms: mean number of iterations", x->name,
              1e3 * x->step_s);
  scene_free(s);
}

// Pipe that is laid at some 0.36 m/s by a tensioner, in still water: how far reaction and tension differ
// while nodes pass the rollers.
static void verify_lay(const struct verify_setup *setup, struct verify_result *r) {
  const double steady_s = 180, end_s = 200; // five elements pass
  struct sim_def def;
  if (!scene_load(setup, "slay-100m-lay", 0, NULL, &def, r))
    return;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const struct sim_input input = {.wrench_b = s->statics.hold_wrench_b};
  double low[2] = {0, 0}, high[2] = {0, 0};
  struct sim_output o;
  sim_get_output(s, &o);
  while (o.time_s < end_s - 0.5 * def.step_s) {
    sim_step(s, &input);
    sim_get_output(s, &o);
    const double now[2] = {o.max_reaction_n, o.hangoff_tension_n};
    for (int c = 0; c < 2; c++) {
      const int is_first = o.time_s < steady_s;
      low[c] = is_first ? now[c] : fmin(low[c], now[c]), high[c] = is_first ? now[c] : fmax(high[c], now[c]);
    }
  }
  const struct ledger *l = sim_ledger(s);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12, "lay by a tensioner: ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)(o.divided_count + o.unsolved_count), 0, 0.5,
             "lay by a tensioner: steps divided or not solved");
  verify_add_range(r, "m", o.paid_out_m, 5, 100, 0, "lay by a tensioner: length paid out");
  verify_add(r, VERIFY_ABSOLUTE, "", (high[0] - low[0]) / low[0], 0, 1e-3,
             "lay by a tensioner: largest reaction while nodes pass, highest less lowest, over itself");
  verify_add(r, VERIFY_ABSOLUTE, "", (high[1] - low[1]) / low[1], 0, 1e-3,
             "lay by a tensioner: tension while nodes pass, highest less lowest, over itself");
  verify_add(r, VERIFY_ABSOLUTE, "", fabs(l->total_work_j[PORT_REMESH] / l->total_work_j[PORT_TENSIONER]), 0,
             1e-6, "lay by a tensioner: work of remesh over that of the tensioner");
  scene_free(s);
}

void verify_stinger(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene SCENES[] = {{"level rollers", 0.02, 0, 0, 0},
                                        {"level rollers", 0.05, 0, 0, 0},
                                        {"level rollers", 0.1, 0, 0, 0},
                                        {"V with friction", 0.05, 0.1, 0.45, 0},
                                        {"pay-out", 0.05, 0.05, 0, 1}};
  verify_run_with(
      r,
      "curvature: two meshes over the rollers; motion: 16-inch pipe of 1000 m in 100 m of water, a free "
      "vessel that heaves and pitches, %g s",
      END_S);
  for (size_t k = 0; k < sizeof PUBLISHED / sizeof *PUBLISHED; k++)
    verify_curvature(setup, &PUBLISHED[k], r);
  struct verify_plot *plot = verify_plot(r, "Largest reaction of a support", "time, s", "kN");
  for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) {
    const int is_shown = k == 0 || k == 4;
    struct verify_series *line = is_shown ? verify_series(r, plot, VERIFY_LINE, "%s", SCENES[k].name) : NULL;
    verify_motion(setup, &SCENES[k], line, r);
  }
  verify_lay(setup, r);
}
