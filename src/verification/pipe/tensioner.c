// A tensioner that obeys a law, on a free vessel that heaves by 1.2 m with a period of 10 s: brake, constant
// tension with two dead bands, a brake that slips. The bands of the tension against those of an independent
// code in the plane, Coulomb's law for the brake, the ledger, and the same way at every step.
#include "verification/pipe/pipe.h"

#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>

static const double HEAVE_N = 1.33e7, PERIOD_S = 10, SETTLED_S = 40, END_S = 120;

struct run {
  const char *name;
  struct tensioner_order order;
  double brake_n, dead_band_n, low_n, high_n; // of the other code; 0: not compared
};

struct outcome {
  double low_n, high_n, way_m, loss_j, closure;
  double spring_n; // largest force of the spring of the grip
};

static int run(const struct verify_setup *setup, const struct run *run, double step_s, struct outcome *out,
               struct verify_series *line, struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 0, NULL, &def, r))
    return 0;
  def.step_s = step_s;
  def.pipe.tensioner = scene_tensioner();
  def.pipe.tensioner.order[0] = run->order;
  def.pipe.tensioner.brake_n = run->brake_n, def.pipe.tensioner.dead_band_n = run->dead_band_n;
  def.pipe.payout.elements_max = 160;
  def.env.load_count = 2;
  const struct time_profile swing = {.start_s = 0.1, .ramp_s = 20, .variation = 1, .period_s = PERIOD_S};
  def.env.loads[0] = (struct load_def){LOAD_WORLD, {0, 0, HEAVE_N, 0, 0, 0}, swing};
  def.env.loads[1] = (struct load_def){LOAD_WORLD, {0, 0, -HEAVE_N, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 20}};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  *out = (struct outcome){.low_n = (double)INFINITY};
  const int steps = (int)(END_S / step_s + 0.5), every = (int)(0.2 / step_s + 0.5);
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    double force = s->state.tensioner.holding_n;
    out->spring_n =
        fmax(out->spring_n, def.pipe.tensioner.stiffness_npm * fabs(s->state.tensioner.stretch_m));
    if (k * step_s > SETTLED_S)
      out->low_n = fmin(out->low_n, force), out->high_n = fmax(out->high_n, force);
    if (line && k % every == 0)
      verify_point(r, line, k * step_s, 1e-3 * force);
  }
  out->way_m = s->state.payout.paid_m, out->loss_j = s->run.ledger.total_loss_j[LOSS_TENSIONER];
  out->closure = ledger_closure_rel(&s->run.ledger);
  scene_free(s);
  return 1;
}

// On a calm vessel an order of 1 m/s is more than the motor has power for: speed times force is its power,
// but for the ripple of the force, which the tracks follow with their own acceleration.
static void full_power(const struct verify_setup *setup, struct verify_result *r) {
  enum { STEPS = 1600, FROM = 800, SPEEDING = 40 };
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", 0, NULL, &def, r))
    return;
  def.step_s = 0.05;
  def.env.load_count = 0, def.env.current.surface_mps = 0;
  def.pipe.tensioner = scene_tensioner();
  def.pipe.tensioner.order[0] = (struct tensioner_order){.mode = TENSIONER_SPEED, .speed_mps = 1};
  def.pipe.tensioner.motor_w = 5e5;
  def.pipe.payout.elements_max = 160;
  struct sim *s = scene_create(&def, r);
  double power_w = 0;
  for (int k = 0; s && k < STEPS; k++) {
    sim_step(s, NULL);
    if (k == SPEEDING - 1)
      verify_add(r, VERIFY_RELATIVE, "m/s", s->state.tensioner.track_mps,
                 def.pipe.tensioner.acceleration_mps2 * SPEEDING * def.step_s, 1e-9,
                 "speed: of the tracks after 2 s at their acceleration");
    power_w += k < FROM ? 0 : 1.0 / (STEPS - FROM) * s->state.payout.speed_mps * s->state.tensioner.holding_n;
  }
  if (s)
    verify_add(r, VERIFY_RELATIVE, "W", power_w, def.pipe.tensioner.motor_w, 1e-2,
               "speed: mean power over 40 s where the order needs more than the motor has");
  scene_free(s);
}

void verify_tensioner(const struct verify_setup *setup, struct verify_result *r) {
  static const struct run RUNS[] = {
      {"brake", {.mode = TENSIONER_BRAKE}, 4e6, 0, 1.15e6, 1.87e6},
      {"tension, band 200 kN", {.mode = TENSIONER_TENSION, .tension_n = 1.51e6}, 4e6, 2e5, 1.35e6, 1.67e6},
      {"tension, band 40 kN", {.mode = TENSIONER_TENSION, .tension_n = 1.51e6}, 4e6, 4e4, 1.42e6, 1.60e6},
      {"slipping brake", {.mode = TENSIONER_BRAKE}, 1.6e6, 0, 0, 0}};
  static const double STEPS[] = {0.05, 0.02, 0.1};
  verify_run_with(r,
                  "steps of 50 ms; %g s, the bands from %g s on; the slipping brake also with 20 and 100 ms",
                  END_S, SETTLED_S);
  struct verify_plot *plot = verify_plot(r, "Force of the tensioner", "time, s", "force, kN");
  for (size_t k = 0; k < sizeof RUNS / sizeof *RUNS; k++) {
    const struct run *x = &RUNS[k];
    struct outcome out[3];
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", x->name);
    const int slips = x->low_n == 0;
    for (int h = 0; h < (slips ? 3 : 1); h++)
      if (!run(setup, x, STEPS[h], &out[h], h == 0 ? line : NULL, r))
        return;
    verify_add(r, VERIFY_ABSOLUTE, "", out[0].closure, 0, 1e-12, "%s: ledger closure", x->name);
    if (!slips) {
      verify_add(r, VERIFY_ABSOLUTE, "N", out[0].low_n, x->low_n, 2e4, "%s: lowest force", x->name);
      verify_add(r, VERIFY_ABSOLUTE, "N", out[0].high_n, x->high_n, 2e4, "%s: highest force", x->name);
      if (x->dead_band_n > 0)
        verify_add(r, VERIFY_RELATIVE, "N", out[0].spring_n, 0.5 * x->dead_band_n, 1e-9,
                   "%s: largest force of the grip's spring, against half of the band", x->name);
      continue;
    }
    verify_add(r, VERIFY_RELATIVE, "N", out[0].high_n, x->brake_n, 1e-9, "%s: highest force", x->name);
    verify_add(r, VERIFY_RELATIVE, "J", out[0].loss_j, x->brake_n * out[0].way_m, 5e-3,
               "%s: loss against force times way", x->name);
    for (int h = 1; h < 3; h++)
      verify_add(r, VERIFY_RELATIVE, "m", out[h].way_m, out[0].way_m, 5e-3,
                 "%s: way with steps of %g ms against that with 50 ms", x->name, 1e3 * STEPS[h]);
  }
  full_power(setup, r);
}

// ------------------------------------------------------------
// A J-lay tower turns the clamp of the pipe of clamped-hangoff from 75 to 65 degrees: the pipe comes to rest
// as in the boundary value problem at 65 degrees, and the work of the turn is that of the moment at the
// clamp.

static const double DEG = 180 / TRIG_PI, BEGIN_S = 5, TOWER_END_S = 65;
// What holds the vessel beside its initial holding force, in surge: stiff beside the pipe, soft beside a
// step.
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
  def.pipe.tower =
      (struct tower_def){2, {{.time_s = BEGIN_S}, {.time_s = TOWER_END_S, .value = {-10 / DEG}}}};
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
static double run_tower(struct sim *s, double home_m, double end_s) {
  double work = 0, angle = 0, moment = clamp_moment(s);
  while (scene_is_before(s, end_s - 0.5 * s->def->step_s)) {
    double wrench[6] = {0};
    wrench[0] = -HOLD_NPM * (s->state.vessel.x_n.x - home_m) - CALM_NSPM * s->state.vessel.nu[0];
    for (int i = 0; i < 6; i++)
      wrench[i] += s->def->initial_holding_force_b[i];
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
  const double work = run_tower(s, home_m, 100), booked = s->run.ledger.total_work_j[PORT_MOTION];
  run_tower(s, home_m, 1000);
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
    run_tower(s, s->state.vessel.x_n.x, 40);
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
