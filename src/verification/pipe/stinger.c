// Pipe over the rollers of a stinger: curvature over rollers that hold both ways against a beam on supports
// under tension, and strain against published ones; unilateral rollers under a free vessel that heaves and
// pitches, and under pipe that is paid out, by the ledger.
#include "sagbend/base/base.h"
#include "sagbend/model/model.h"
#include "sagbend/pipe/pipe.h"
#include "verification/harness/harness.h"

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
    const struct roller_place place = rollers_place(s->model, &s->state, RAMP + 1, 0);
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
  verify_add(r, VERIFY_ABSOLUTE, "", (double)o.not_converged_count, 0, 0.5,
             "%s, steps of %g ms: steps not solved", x->name, 1e3 * x->step_s);
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
  const struct sim_input input = {.wrench_b = s->statics.initial_holding_force_b};
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
  verify_add(r, VERIFY_ABSOLUTE, "", (double)(o.divided_count + o.not_converged_count), 0, 0.5,
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
  struct verify_plot *plot = verify_plot(r, "Largest reaction of a support", "time, s", "reaction, kN");
  for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) {
    const int is_shown = k == 0 || k == 4;
    struct verify_series *line = is_shown ? verify_series(r, plot, VERIFY_LINE, "%s", SCENES[k].name) : NULL;
    verify_motion(setup, &SCENES[k], line, r);
  }
  verify_lay(setup, r);
}

// ------------------------------------------------------------
// A weightless rod, strongly bent between a clamp and a sleeve. At rest the first integral of the rod,
//   I = N + N^2/(2 EA) + Q^2/(2 GA) + M^2/(2 EI),
// has one value along it, and the sleeve holds the material with this force, though the rod is under
// compression there: -dU/dL of the equilibria of the lengths L. The reference solves the rod's differential
// equations in the plane by shooting, tests/reference/sleeve.py.

static const double LENGTH = 60, EA = 1e9, GA = 4e8, EI = 1e7;
static const double AHEAD_M = 44, DOWN_M = 30, TURN_RAD = 1.9; // of the sleeve, seen from the clamp
static const double REFERENCE_N = 39356.0989, REFERENCE_AXIAL_N = -3648.4222;           // 60 m
static const double LONGER_M = 1.5, LONGER_N = 18195.9750, LONGER_WORK_J = -41676.3183; // 61.5 m
static const double START_S = 1, RAMP_S = 4, SPEED = 0.1, DAMPING_S = 0.05, SLEEVE_END_S = 60,
                    SLEEVE_STEP_S = 0.05;

// The sleeve on its way from the end of the straight rod: along circular arcs to its angle, then straight
// ahead to its place.
static void place_sleeve(struct sim *s, double way) {
  const double turn = TURN_RAD * fmin(2 * way, 1), ahead = fmax(2 * way - 1, 0);
  const double x = turn > 0 ? LENGTH * sin(turn) / turn : LENGTH,
               z = turn > 0 ? LENGTH * (1 - cos(turn)) / turn : 0;
  const double euler[3] = {0, -turn, 0};
  s->state.vessel.x_n = vec3_add(pipe_get3(s->state.pipe.r_n, 0),
                                 (vec3){x + ahead * (AHEAD_M - x), 0, z + ahead * (DOWN_M - z)});
  s->state.vessel.q_nb = quat_of_euler(euler);
  model_place_top(s->model, &s->state);
}

// A vessel that nothing moves is the sleeve.
static int bend(struct sim *s, struct verify_result *r) {
  enum { WAY = 240 };
  const struct equilibrium eq = {s->model, &s->state, &s->work, &s->statics};
  struct reason why = {""};
  s->state.mesh.pipe.top_attached = 1; // it was free, so that the start is straight
  s->model->hangoff_b_m = (vec3){0, 0, 0};
  s->state.mesh.hangoff_q_bt = (quat){1, 0, 0, 0};
  model_set_top_clamped(&s->state, &s->work, 1);
  s->work.held = HOLD_X | HOLD_Y | HOLD_Z | HOLD_ROLL | HOLD_PITCH | HOLD_YAW;
  for (int k = 1; k <= WAY; k++) {
    place_sleeve(s, (double)k / WAY);
    if (relax(&eq, 1e-2, "sleeve", &why) != STATUS_OK) {
      verify_fail(r, "%s", why.text);
      return 0;
    }
  }
  s->work.held = HOLD_NONE;
  model_attach_top(s->model, &s->state);
  model_place_top(s->model, &s->state);
  scene_restart(s);
  return 1;
}

static struct sim *bent_rod(int elements, struct verify_result *r) {
  const struct scene_section section = {.ea = EA, .ga = GA, .gj = EI, .ei = EI, 100, 2, 1};
  struct sim_def def = scene_beam(elements, LENGTH, &section);
  def.step_s = SLEEVE_STEP_S;
  def.pipe.structural_damping_s = DAMPING_S;
  def.pipe.payout = (struct payout_def){
      .row_count = 1, .row = {{START_S, LONGER_M, SPEED, RAMP_S}}, .elements_max = elements + 20};
  for (int i = 0; i < 6; i++)
    def.vessel.inertia[i][i] = 1e14;
  struct sim *s = scene_create(&def, r);
  if (s && bend(s, r))
    return s;
  if (s)
    scene_free(s);
  return NULL;
}

static double grip_tension(const struct sim *s) {
  const struct growing_element top =
      pipe_still_element(&s->state.mesh.pipe, &s->state.pipe, s->state.mesh.pipe.elements - 1);
  return growing_element_grip_n(&top);
}

// I of an element, of the forces in its middle.
static double first_integral(const struct sim *s, int element, double *axial_n) {
  const struct growing_element x = pipe_still_element(&s->state.mesh.pipe, &s->state.pipe, element);
  const struct growing_forces forces = growing_element_forces(&x);
  const double *f = forces.stress;
  *axial_n = f[0];
  return f[0] + f[0] * f[0] / (2 * EA) + (f[1] * f[1] + f[2] * f[2]) / (2 * GA) +
         (f[4] * f[4] + f[5] * f[5]) / (2 * EI);
}

struct found {
  double tension_n, axial_n, spread_n; // at the grip; of the rod there; range of I along it
};

static struct found measure(const struct sim *s, struct verify_series *line, struct verify_result *r) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  struct found f = {.tension_n = grip_tension(s)};
  double least = INFINITY, most = -INFINITY, axial_n = 0;
  for (int e = 0; e < p->elements; e++) {
    const double below_n = axial_n, i = first_integral(s, e, &axial_n);
    f.axial_n = axial_n + 0.5 * (axial_n - below_n); // continued to the sleeve
    least = fmin(least, i), most = fmax(most, i);
    verify_point(r, line, 0.5 * (p->arc_m[e] + p->arc_m[e + 1]), i / 1e3);
  }
  f.spread_n = most - least;
  return f;
}

// More is paid out through the sleeve, slowly enough for the rod to stay near its equilibria.
static void pay_out(struct sim *s, struct verify_result *r) {
  struct sim_output o;
  double loss_j = 0;
  for (int k = (int)steps_nearest_to(SLEEVE_END_S, SLEEVE_STEP_S); k > 0; k--)
    sim_step(s, NULL);
  sim_get_output(s, &o);
  const struct ledger *l = &s->run.ledger;
  for (int k = 0; k < LOSS_COUNT; k++)
    loss_j += l->total_loss_j[k];
  const double work_j = l->total_work_j[PORT_TENSIONER];
  verify_add(r, VERIFY_RELATIVE, "N", o.hangoff_tension_n, LONGER_N, 1e-3, "1.5 m further: tension");
  verify_add(r, VERIFY_RELATIVE, "J", work_j - loss_j, LONGER_WORK_J, 5e-3,
             "the same: work of the tensioner less losses");
  verify_add(r, VERIFY_ABSOLUTE, "", fabs(l->total_work_j[PORT_REMESH] / work_j), 0, 1e-3,
             "the same: `remesh` over `tensioner`");
  // The impulse that the sleeve takes up in 60 s is large beside the forces of the rod, and sets the scale of
  // Newton's tolerance.
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-11, "the same: ledger closure");
}

void verify_sleeve(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 4 };
  double width[LEVELS], axial[LEVELS], spread[LEVELS];
  struct found f = {.tension_n = 0};
  (void)setup;
  verify_run_with(r, "60 m, EA = 1 GN, GA = 0.4 GN, EI = 10 MN m2; the sleeve 44 m ahead and 30 m beside the "
                     "clamp, turned by 1.9 rad; 20 to 160 elements; paid out in steps of 50 ms");
  struct verify_plot *plot = verify_plot(r, "First integral along the rod", "arc length S, m", "force, kN");
  for (int k = 0; k < LEVELS; k++) {
    const int elements = 20 << k;
    struct sim *s = bent_rod(elements, r);
    if (!s)
      return;
    f = measure(s, verify_series(r, plot, VERIFY_LINE, "%d elements", elements), r);
    width[k] = LENGTH / elements, axial[k] = fabs(f.axial_n - REFERENCE_AXIAL_N), spread[k] = f.spread_n;
    if (elements == 80) {
      verify_add(r, VERIFY_ABSOLUTE, "N", f.tension_n, REFERENCE_N, 200,
                 "80 elements: force that the sleeve holds");
      verify_add(r, VERIFY_ABSOLUTE, "N", f.axial_n, REFERENCE_AXIAL_N, 40, "the same: axial force N there");
      verify_add(r, VERIFY_ABSOLUTE, "N", f.spread_n, 0, 200, "the same: range of I along the rod");
      pay_out(s, r);
    }
    scene_free(s);
  }
  verify_add(r, VERIFY_ABSOLUTE, "N", f.tension_n, REFERENCE_N, 10,
             "160 elements: force that the sleeve holds");
  verify_add(r, VERIFY_ABSOLUTE, "N", f.spread_n, 0, 50, "the same: range of I along the rod");
  struct verify_plot *order =
      verify_plot(r, "Errors at the sleeve", "element length, m", "error of a force, N");
  verify_order_in(r, order, "the axial force at the sleeve", width, axial, LEVELS, 2, 0.4);
  verify_order_in(r, order, "the range of I", width, spread, LEVELS, 2, 0.15);
}
