// Drag of the water on the hull. Held in a current: the level 1 coefficients of DNV-ST-0111 (2021), forces
// rho/2 U^2 B T CX and L T CY, the moment L^2 T CN with its lever. Pushed from the side with its heading
// held: rho/2 T L Cd v^2 + D22 v = F, Cd after S. F. Hoerner (1965).
#include "sagbend/base/base.h"
#include "sagbend/rig/rig.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, STEP_S = 0.05;
static const double HOLD[3] = {1e6, 1e6, 1e10}, CALM[3] = {4e6, 4e6, 2e10}; // surge, sway, yaw
static const double LENGTH_M = 83, BEAM_M = 18, DRAFT_M = 5;

static int vessel_alone(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r) {
  if (!scene_load(setup, "vessels/osv-83m", 0, NULL, def, r))
    return 0;
  def->vessel.plant.thruster_count = 0;
  def->env.wind.present = def->env.waves.present = 0;
  def->env.current.surface_mps = 0;
  def->step_s = STEP_S;
  return 1;
}

// Springs hold surge, sway and yaw as the bits of mask select; push_n acts to starboard.
static int settle(const struct sim_def *def, unsigned mask, double push_n, double end_s, struct sim_output *o,
                  struct verify_result *r) {
  struct sim *s = scene_create(def, r);
  for (int k = 0; s && k < (int)(end_s / STEP_S); k++) {
    double wrench[6] = {0, push_n};
    sim_get_output(s, o);
    const double place[3] = {o->position_n_m[0], o->position_n_m[1], o->euler_rad[2]};
    for (int c = 0; c < 3; c++)
      if (mask >> c & 1)
        wrench[c < 2 ? c : 5] = -HOLD[c] * place[c] - CALM[c] * o->velocity_b[c < 2 ? c : 5];
    sim_step(s, &(struct sim_input){.wrench_b = wrench});
  }
  if (!s)
    return 0;
  sim_get_output(s, o);
  scene_free(s);
  return 1;
}

static void level_1(double angle, double c[3]) {
  double side = fabs(angle) / PI, lever = fmax(fmin(0.4 * (1 - 2 * side), 0.25), -0.2);
  c[0] = -0.07 * cos(angle);
  c[1] = -0.6 * sin(angle);
  c[2] = c[1] * lever;
}

// The flow comes from this angle off the bow, to starboard.
static int held(struct sim_def def, double angle, struct verify_result *r) {
  const double speed = 0.75, pressure = 0.5 * def.env.water_density_kgpm3 * speed * speed;
  struct sim_output o;
  double c[3];
  def.vessel.hull =
      (struct hull_def){.length_m = LENGTH_M, .beam_m = BEAM_M, .draft_m = DRAFT_M, .row_count = 37};
  for (int i = 0; i < 37; i++) {
    def.vessel.hull.rows[i].angle_rad = i * PI / 36;
    level_1(i * PI / 36, def.vessel.hull.rows[i].c);
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      if (i < 2 || i == 5 || j < 2 || j == 5)
        def.vessel.damping_linear[i][j] = 0;
  for (int i = 0; i < 6; i++)
    def.vessel.damping_quadratic[i] = 0;
  def.vessel.current_acts = 1;
  def.env.current.surface_mps = speed;
  def.env.current.direction_rad = angle + PI;
  if (!settle(&def, 7, 0, 600, &o, r))
    return 0;
  level_1(angle, c);
  double degrees = angle * 180 / PI, side_n = pressure * LENGTH_M * DRAFT_M * 0.6;
  verify_add(r, VERIFY_ABSOLUTE, "",
             (HOLD[0] * o.position_n_m[0] - pressure * BEAM_M * DRAFT_M * c[0]) / side_n, 0, 1e-4,
             "from %.0f degrees: surge force, error over the largest sway force", degrees);
  verify_add(r, VERIFY_ABSOLUTE, "",
             (HOLD[1] * o.position_n_m[1] - pressure * LENGTH_M * DRAFT_M * c[1]) / side_n, 0, 1e-4,
             "from %.0f degrees: sway force of %.4g N, error over the largest", degrees,
             pressure * LENGTH_M * DRAFT_M * c[1]);
  verify_add(
      r, VERIFY_ABSOLUTE, "",
      (HOLD[2] * o.euler_rad[2] - pressure * LENGTH_M * LENGTH_M * DRAFT_M * c[2]) / (side_n * LENGTH_M), 0,
      1e-4, "from %.0f degrees: yaw moment of %.4g N m, error over the largest sway force times length",
      degrees, pressure * LENGTH_M * LENGTH_M * DRAFT_M * c[2]);
  return 1;
}

static void pushed(const struct sim_def *def, struct verify_result *r) {
  const double force = 2e5,
               hoerner = 0.691 + (1.8 - 1.6392) / (1.8600 - 1.6392) * (0.657 - 0.691); // B/2T = 1.8
  const double a = 0.5 * def->env.water_density_kgpm3 * DRAFT_M * LENGTH_M * hoerner,
               b = def->vessel.damping_linear[1][1];
  struct sim_output o;
  if (settle(def, 4, force, 2000, &o, r))
    verify_add(r, VERIFY_RELATIVE, "m/s", o.velocity_b[1], (sqrt(b * b + 4 * a * force) - b) / (2 * a), 1e-6,
               "speed under 200 kN from the side");
}

// A body of revolution about the vertical that drifts with the water feels no force from it, however it
// turns: its velocity in the world stays that of the water. In the axes of the vessel the water turns
// meanwhile.
static void drifting(struct sim_def def, struct verify_result *r) {
  enum { STEPS = 2400 };
  const double speed = 0.75, turn_radps = 0.05, angle = 0.6;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      if (i != j)
        def.vessel.inertia[i][j] = def.vessel.added_mass[i][j] = 0;
      def.vessel.damping_linear[i][j] = 0;
    }
  for (int i = 0; i < 6; i++)
    def.vessel.damping_quadratic[i] = 0;
  const double rigid_kg = def.vessel.inertia[1][1] - def.vessel.added_mass[1][1];
  def.vessel.added_mass[0][0] = def.vessel.added_mass[1][1];
  def.vessel.inertia[0][0] = rigid_kg + def.vessel.added_mass[0][0];
  def.vessel.hull.row_count = def.vessel.hull.cross_flow = 0;
  def.vessel.current_acts = 1;
  def.env.current = (struct current_def){.surface_mps = speed, .direction_rad = angle};
  def.vessel.velocity_b[0] = speed * cos(angle), def.vessel.velocity_b[1] = speed * sin(angle);
  def.vessel.velocity_b[5] = turn_radps;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct sim_output first, last;
  sim_get_output(s, &first);
  const double nothing[6] = {0};
  for (int k = 0; k < STEPS; k++)
    sim_step(s, &(struct sim_input){.wrench_b = nothing});
  sim_get_output(s, &last);
  const double t = STEPS * STEP_S, way[2] = {speed * cos(angle) * t, speed * sin(angle) * t};
  verify_add(r, VERIFY_ABSOLUTE, "",
             hypot(last.position_n_m[0] - first.position_n_m[0] - way[0],
                   last.position_n_m[1] - first.position_n_m[1] - way[1]) /
                 (speed * t),
             0, 1e-4,
             "turning by 0.05 rad/s while it drifts with the water, 120 s: error of the way over the way");
  verify_add(r, VERIFY_RELATIVE, "rad/s", last.velocity_b[5], turn_radps, 1e-6, "the same: rate of turn");
  scene_free(s);
}

void verify_hull_drag(const struct verify_setup *setup, struct verify_result *r) {
  static const double angles[] = {0, 45, 90, 150};
  struct sim_def def;
  if (!vessel_alone(setup, &def, r))
    return;
  verify_run_with(r, "configs/vessels/osv-83m.yaml without thrusters, step %g s; current of 0.75 m/s",
                  STEP_S);
  for (int i = 0; i < 4; i++)
    if (!held(def, angles[i] * PI / 180, r))
      return;
  pushed(&def, r);
  drifting(def, r);
}

// ------------------------------------------------------------
// What sampling, hold and latency between controller and vessel feed into the vessel, as sagbend/link/link.h
// books it.
//
// A vessel that moves as x = A sin(wt), under tau = -K x sampled every T, held and delayed by d: the wrench
// is -K sinc(wT/2) x(t - d - T/2) and harmonics of the sampling that do no work in whole cycles, so that it
// does pi K A^2 sinc(wT/2) sin(w(d + T/2)) in a cycle. The law itself does none.
//
// A free vessel under tau = -K x - D v, from rest to rest: the hold is 1 - sT/2 + (sT)^2/6, the straight
// lines of the law are 1 + (sT)^2/12. The delay of the spring takes K T/2 of damping away, that of the damper
// is inertia and does no work. In the next order the damper takes away D T^2/12 times the quotient of the
// integrals of a^2 and v^2.

// Spring, damper, sampling, and the way that a command takes.
struct law {
  double spring_npm, damper_nspm, period_s, delay_s;
};

struct bench {
  struct law law;
  struct command_def def;
  struct command_latch latch;
  struct command waiting; // on its way to the vessel
  struct link_energy energy;
  uint64_t sent_step, delay_steps;
};

static void begin(struct bench *b, const struct law *law, double step_s, const struct sim_output *at) {
  *b = (struct bench){
      .law = *law,
      .def = {.period_steps = steps_nearest_to(law->period_s, step_s), .timeout_steps = UINT64_MAX},
      .delay_steps = steps_nearest_to(law->delay_s, step_s)};
  command_latch_init(&b->latch, &b->def);
  link_energy_begin(&b->energy, at);
}

// Samples the law where a sample is due, and latches the command that has arrived.
static void control(struct bench *b, const struct sim_output *at) {
  if (at->step % b->def.period_steps == 0) {
    b->waiting = (struct command){
        .sequence = at->step + 1,
        .based_on_step = at->step,
        .wrench_b = {-b->law.spring_npm * at->position_n_m[0] - b->law.damper_nspm * at->velocity_b[0]}};
    b->sent_step = at->step;
    link_energy_send(&b->energy, &b->def, NULL, &b->latch, &b->waiting);
  }
  int arrives = at->step == b->sent_step + b->delay_steps;
  command_latch_step(&b->latch, &b->def, arrives ? &b->waiting : NULL, at->step);
}

static void add_forced(struct verify_result *r, const struct law *law, double amplitude_m, double cycle_s) {
  enum { CYCLES = 3 };
  const double step_s = 0.001, w = 2 * PI / cycle_s, half = w * law->period_s / 2;
  const double reference_j = PI * law->spring_npm * amplitude_m * amplitude_m * sin(half) / half *
                             sin(w * law->delay_s + half),
               squares = CYCLES * PI * amplitude_m * amplitude_m * w; // integral of v^2
  const uint64_t cycle = steps_nearest_to(cycle_s, step_s);
  struct bench b;
  struct sim_output at = {.velocity_b = {amplitude_m * w}};
  struct link_work begun = {0};
  struct ledger ledger = {0};
  begin(&b, law, step_s, &at);

  for (uint64_t step = 0; step < (1 + CYCLES) * cycle; step++) {
    if (step == cycle) { // the first cycle begins without a command
      begun = link_energy_work(&b.energy);
      memset(b.energy.square_b, 0, sizeof b.energy.square_b);
    }
    control(&b, &at);
    double speed_mps = at.velocity_b[0];
    at.step = step + 1;
    at.position_n_m[0] = amplitude_m * sin(w * (double)at.step * step_s);
    at.velocity_b[0] = amplitude_m * w * cos(w * (double)at.step * step_s);
    ledger.work_j[PORT_CONTROL] = 0.5 * step_s * (speed_mps + at.velocity_b[0]) * b.latch.applied_b[0];
    link_energy_step(&b.energy, &b.def, NULL, &b.latch, &at, &ledger, step_s);
  }

  struct link_work work = link_energy_work(&b.energy);
  verify_add(r, VERIFY_RELATIVE, "J", (work.link_j - begun.link_j) / CYCLES, reference_j, 1e-6,
             "forced, T %g s, d %g s: work of the link in a cycle", law->period_s, law->delay_s);
  verify_add(r, VERIFY_ABSOLUTE, "J", (work.law_j - begun.law_j) / CYCLES, 0, 1e-6 * fabs(reference_j),
             "work of the law in a cycle");
  double damping = (begun.link_j - work.link_j) / squares;
  verify_add(r, VERIFY_RELATIVE, "N s/m", damping, -reference_j * CYCLES / squares, 1e-6,
             "damping of the link; near -K (d + T/2) = %.0f",
             -law->spring_npm * (law->delay_s + law->period_s / 2));
}

static int add_free(const struct sim_def *def, struct verify_result *r, const struct law *law) {
  const double step_s = def->step_s;
  double jolt = 0; // integral of a^2
  struct sim *s = scene_create(def, r);
  if (!s)
    return 0;
  struct bench b;
  struct sim_output at;
  sim_get_output(s, &at);
  begin(&b, law, step_s, &at);
  while (at.time_s < 300) {
    const double before_mps = at.velocity_b[0];
    control(&b, &at);
    sim_step(s, &(struct sim_input){.wrench_b = b.latch.applied_b});
    sim_get_output(s, &at);
    link_energy_step(&b.energy, &b.def, s, &b.latch, &at, sim_ledger(s), step_s);
    jolt += (at.velocity_b[0] - before_mps) * (at.velocity_b[0] - before_mps) / step_s;
  }

  const struct link_work work = link_energy_work(&b.energy);
  const double first = -law->spring_npm * law->period_s / 2, second = -law->damper_nspm * law->period_s *
                                                                      law->period_s / 12 * jolt /
                                                                      b.energy.square_b[LINK_SURGE];
  verify_add(r, VERIFY_RELATIVE, "N s/m", work.damping[LINK_SURGE], first + second, 0.01,
             "free, T %g s: damping of the link; -K T/2 is %.0f", law->period_s, first);
  verify_add(r, VERIFY_ABSOLUTE, "J", work.law_j + work.link_j + work.drives_j,
             sim_ledger(s)->total_work_j[PORT_CONTROL], 1e-12 * fabs(work.law_j),
             "law, link and drives together; reference: the port");
  scene_free(s);
  return 1;
}

void verify_link_energy(const struct verify_setup *setup, struct verify_result *r) {
  static const struct law forced[] = {{5e4, 0, 0.5, 0.3}, {5e4, 0, 0.1, 0}, {5e4, 0, 2, 0}, {5e4, 0, 1, 0.9}};
  static const char *const sets[] = {"controller={kind: external}", "vessel.position_n_m=[5, 0, 0]",
                                     "vessel.attitude_rad=[0, 0, 0]"};
  static const double periods_s[] = {0.1, 0.5, 1, 2};
  struct sim_def def;
  verify_run_with(r, "a vessel moved with amplitude 1.5 m and period 20 s, steps of 1 ms; "
                     "configs/vessel-only.yaml under a sampled PD, steps of 10 ms, 300 s");
  for (size_t i = 0; i < sizeof forced / sizeof *forced; i++)
    add_forced(r, &forced[i], 1.5, 20);
  if (!scene_load(setup, "vessel-only", 3, sets, &def, r))
    return;
  for (size_t i = 0; i < sizeof periods_s / sizeof *periods_s; i++)
    if (!add_free(&def, r, &(struct law){8e4, 1e6, periods_s[i], 0}))
      return;
}
