// A tensioner that obeys a law, on a free vessel that heaves by 1.2 m with a period of 10 s: brake, constant
// tension with two dead bands, a brake that slips. The bands of the tension against those of an independent
// code in the plane, Coulomb's law for the brake, the ledger, and the same way at every step.
#include "verification/harness/case_functions.h"
#include "verification/harness/random_feed.h"
#include "verification/harness/scenes.h"

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
  struct verify_plot *plot = verify_plot(r, "Force of the tensioner", "time, s", "kN");
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
