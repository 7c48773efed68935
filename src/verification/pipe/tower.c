// A J-lay tower turns the clamp of the pipe of clamped-hangoff from 75 to 65 degrees: the pipe comes to rest
// as the boundary value problem at 65 degrees says, and the work of the turn is that of the moment at the
// clamp.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"
#include "verification/pipe/small_pipe.h"

#include "sagbend/math/trig.h"

#include <math.h>

static const double DEG = 180 / TRIG_PI, BEGIN_S = 5, END_S = 65;
// What holds the vessel beside its hold wrench, in surge: stiff beside the pipe, soft beside a step.
static const double HOLD_NPM = 1e8, CALM_NSPM = 5e7;

static struct sim *turning(const struct verify_setup *setup, double step_s, double damping_s,
                           struct verify_result *r) {
  struct sim_def def;
  if (!small_pipe(setup, &def, r))
    return NULL;
  def.step_s = step_s;
  def.env.current.surface_mps = 0;
  def.env.load_count = 0;
  def.pipe.elements = 100;
  def.pipe.hangoff = HANGOFF_CLAMPED;
  def.pipe.hangoff_angle_auto = 0;
  def.pipe.hangoff_angle_rad = 75 / DEG;
  def.pipe.structural_damping_s = damping_s;
  def.statics.kind = STATICS_HANGOFF_POSITION;
  def.statics.hangoff_position_m[0] = SMALL_PIPE_CLAMPED[SMALL_PIPE_REACH].reference;
  def.statics.hangoff_position_m[1] = 0;
  def.pipe.tower = (struct tower_def){2, {{.time_s = BEGIN_S}, {.time_s = END_S, .value = {-10 / DEG}}}};
  return scene_create(&def, r);
}

// Moment at the clamp about the vessel's y axis, positive where it turns the pipe upwards.
static double clamp_moment(const struct sim *s) {
  const int n = s->state.mesh.pipe.nodes - 1;
  const struct section_forces f = sim_node_forces(s, n);
  mat3 t = quat_matrix(pipe_quat(&s->state.pipe, n));
  return mat3_mul(&t, (vec3){f.torsion_nm, f.bending_nm[0], f.bending_nm[1]}).y;
}

// To end_s; returns the integral of the moment at the clamp over its turn.
static double run(struct sim *s, double home_m, double end_s) {
  double work = 0, angle = 0, moment = clamp_moment(s);
  while (sim_time_s(s) < end_s - 0.5 * s->def.step_s) {
    double wrench[6] = {0};
    wrench[0] = -HOLD_NPM * (s->state.vessel.x_n.x - home_m) - CALM_NSPM * s->state.vessel.nu[0];
    for (int i = 0; i < 6; i++)
      wrench[i] += s->def.hold_wrench_b[i];
    sim_step(s, &(struct sim_input){.wrench_b = wrench});
    const double now = clamp_moment(s), turned = s->state.mesh.tower_rad;
    work += 0.5 * (moment + now) * (turned - angle);
    moment = now, angle = turned;
  }
  return work;
}

static void settled(const struct verify_setup *setup, struct verify_result *r) {
  struct sim *s = turning(setup, 0.1, 0.5, r);
  if (!s)
    return;
  const double home_m = s->state.vessel.x_n.x;
  const double work = run(s, home_m, 100), booked = s->run.ledger.total_work_j[PORT_MOTION];
  run(s, home_m, 1000);
  struct sim_output o;
  sim_get_output(s, &o);
  verify_add(r, VERIFY_RELATIVE, "J", booked, work, 1e-3,
             "work of the turn; reference: moment at the clamp times turn");
  verify_add(r, VERIFY_ABSOLUTE, "deg", (o.hangoff_angle_rad - o.euler_rad[1]) * DEG, 65, 1e-6,
             "angle of the clamp in the vessel");
  double values[SMALL_PIPE_ROWS];
  small_pipe_values(s, values);
  // The reach is imposed here, not the horizontal force: what this mesh errs by in the reach of
  // clamped-hangoff, it errs by in the forces.
  static const double limits[SMALL_PIPE_ROWS] = {1e-2, 1e-2, 1e-3, 1e-2, 1e-2, 5e-5, 5e-5, 4e-5, 2e-6};
  for (int k = 0; k < SMALL_PIPE_ROWS; k++)
    verify_add(r, VERIFY_RELATIVE, SMALL_PIPE_CLAMPED[k].unit, values[k], SMALL_PIPE_CLAMPED[k].reference,
               limits[k], "at rest: %s", SMALL_PIPE_CLAMPED[k].quantity);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.fault, 0, 0, "faults");
  scene_free(s);
}

// Order from three steps, while the clamp turns.
static void order(const struct verify_setup *setup, struct verify_result *r) {
  double moment[3], booked[3];
  for (int k = 0; k < 3; k++) {
    struct sim *s = turning(setup, 0.2 / (1 << k), 0.5, r);
    if (!s)
      return;
    run(s, s->state.vessel.x_n.x, 40);
    moment[k] = clamp_moment(s), booked[k] = s->run.ledger.total_work_j[PORT_MOTION];
    scene_free(s);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", log2((moment[0] - moment[1]) / (moment[1] - moment[2])), 2, 0.2,
             "order in time of the moment at the clamp, while it turns");
  verify_add(r, VERIFY_ABSOLUTE, "", log2((booked[0] - booked[1]) / (booked[1] - booked[2])), 2, 0.2,
             "order in time of the work");
}

void verify_tower(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r, "100 elements of 8 m, the clamp turns from 5 to 65 s, at rest after 1000 s, steps of 100 ms; "
         "order from steps of 200, 100 and 50 ms");
  settled(setup, r);
  order(setup, r);
}
