// What sampling, hold and latency between controller and vessel feed into the vessel, as sagbend/rig/link_energy.h
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
#include "verification/harness/scenes.h"

#include "sagbend/base/steps.h"
#include "sagbend/rig/link_energy.h"
#include "verification/harness/case_functions.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

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
  link_energy_init(&b->energy, at);
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
