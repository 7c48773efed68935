// A weightless rod, strongly bent between a clamp and a sleeve. At rest the first integral of the rod,
//   I = N + N^2/(2 EA) + Q^2/(2 GA) + M^2/(2 EI),
// has one value along it, and the sleeve holds the material with this force, though the rod is under
// compression there: -dU/dL of the equilibria of the lengths L. The reference solves the rod's differential
// equations in the plane by shooting, tests/reference/sleeve.py.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/base/steps.h"
#include "sagbend/model/relax.h"
#include "sagbend/pipe/feed.h"

#include <math.h>

static const double LENGTH = 60, EA = 1e9, GA = 4e8, EI = 1e7;
static const double AHEAD_M = 44, DOWN_M = 30, TURN_RAD = 1.9; // of the sleeve, seen from the clamp
static const double REFERENCE_N = 39356.0989, REFERENCE_AXIAL_N = -3648.4222;           // 60 m
static const double LONGER_M = 1.5, LONGER_N = 18195.9750, LONGER_WORK_J = -41676.3183; // 61.5 m
static const double START_S = 1, RAMP_S = 4, SPEED = 0.1, DAMPING_S = 0.05, END_S = 60, STEP_S = 0.05;

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
  model_place_top(&s->model, &s->state);
}

// A vessel that nothing moves is the sleeve.
static int bend(struct sim *s, struct verify_result *r) {
  enum { WAY = 240 };
  const struct equilibrium eq = {&s->model, &s->state, &s->work, &s->statics};
  struct reason why = {""};
  s->state.mesh.pipe.top_attached = 1; // it was free, so that the start is straight
  s->model.hangoff_b_m = (vec3){0, 0, 0};
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
  model_attach_top(&s->model, &s->state);
  model_place_top(&s->model, &s->state);
  scene_restart(s);
  return 1;
}

static struct sim *bent_rod(int elements, struct verify_result *r) {
  const struct scene_section section = {.ea = EA, .ga = GA, .gj = EI, .ei = EI, 100, 2, 1};
  struct sim_def def = scene_beam(elements, LENGTH, &section);
  def.step_s = STEP_S;
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
  for (int k = (int)steps_nearest_to(END_S, STEP_S); k > 0; k--)
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
  struct verify_plot *order = verify_plot(r, "Errors at the sleeve", "element length, m", "N");
  verify_order_in(r, order, "the axial force at the sleeve", width, axial, LEVELS, 2, 0.4);
  verify_order_in(r, order, "the range of I", width, spread, LEVELS, 2, 0.15);
}
