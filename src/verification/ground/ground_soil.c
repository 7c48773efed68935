// The soil that remembers: against the law of Randolph and Quiggin (2009, OMAE 79453) where that has closed
// forms, and the whole simulator on it.
#include "sagbend/math/random.h"
#include "verification/harness/case_functions.h"
#include "verification/harness/result.h"
#include "verification/harness/scenes.h"

#include <math.h>

static const struct soil_def CLAY = {.model = SOIL_CLAY,
                                     .strength_pa = 2000,
                                     .gradient_papm = 1000,
                                     .stiffness = 200,
                                     .suction = 0.6,
                                     .suction_depth = 1};
static const double DIAMETER_M = 0.5;

// Uplift from virgin soil at z0: P0 - H (P0 - Ps), H = x/(A + x), x = (z0 - z) Kmax/D, A = (P0 - Ps)/Pu(z0),
// Ps = -suction Pu(z).
static double uplift(double z0, double z) {
  const double y = z0 * CLAY.stiffness / DIAMETER_M, most = soil_resistance(&CLAY, DIAMETER_M, z0);
  const double p0 = y / (1 + y) * most, pull = -CLAY.suction * soil_resistance(&CLAY, DIAMETER_M, z),
               x = (z0 - z) * CLAY.stiffness / DIAMETER_M;
  return p0 - x / ((p0 - pull) / most + x) * (p0 - pull);
}

void verify_soil_law(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  struct soil_bed bed;
  struct reason why = {""};
  verify_run_with(r, "pipe of 0.5 m, su = 2 + 1 z kPa, Kmax 200, suction 0.6; the bed has 8 layers");
  if (soil_bed_create(&bed, &CLAY, DIAMETER_M, &why) != STATUS_OK) {
    verify_fail(r, "%s", why.text);
    return;
  }
  struct verify_plot *plot =
      verify_plot(r, "Penetration and uplift", "penetration over diameter", "reaction, N/m");
  struct verify_series *virgin = verify_series(r, plot, VERIFY_LINE, "law, penetration"),
                       *own = verify_series(r, plot, VERIFY_POINTS, "bed of layers");
  double worst = 0;
  for (double z = 0.02 * DIAMETER_M; z < 0.5 * DIAMETER_M; z *= 1.06) {
    const double y = z * CLAY.stiffness / DIAMETER_M,
                 law = y / (1 + y) * soil_resistance(&CLAY, DIAMETER_M, z),
                 force = soil_slow(&bed, 0, z).force_npm;
    worst = fmax(worst, fabs(force / law - 1));
    verify_point(r, virgin, z / DIAMETER_M, law), verify_point(r, own, z / DIAMETER_M, force);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 0.016,
             "penetration of virgin soil, z/D 0.02 to 0.5: largest relative error");
  for (int k = 0; k < 3; k++) {
    const double z0 = DIAMETER_M * (const double[]){0.05, 0.1, 0.3}[k];
    struct verify_series *law =
        verify_series(r, plot, VERIFY_DASHED, "law, uplift from z/D %g", z0 / DIAMETER_M);
    double error = 0;
    for (int i = 0; i <= 30; i++) {
      const double z = z0 - 0.0005 * i * DIAMETER_M, force = soil_slow(&bed, z0, z).force_npm;
      error = fmax(error, fabs(force - uplift(z0, z)));
      verify_point(r, law, z / DIAMETER_M, uplift(z0, z)), verify_point(r, own, z / DIAMETER_M, force);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", error / uplift(z0, z0), 0, 0.09,
               "uplift from z/D %g by 0.015: largest error over the force at its start", z0 / DIAMETER_M);
  }
}

void verify_soil_steps(const struct verify_setup *setup, struct verify_result *r) {
  struct random_stream stream = random_stream_of(31);
  struct soil_bed bed;
  const int count = setup->extended ? 12000000 : 1000000;
  double least = 0, defect = 0, z = 0;
  struct soil_memory memory = {.deepest_m = 0};
  verify_run_with(r, "%d random steps of 1e-6 to 1 m, across the mudline, pipe of 0.5 m", count);
  if (soil_bed_create(&bed, &CLAY, DIAMETER_M, NULL) != STATUS_OK)
    return;
  for (int i = 0; i < count; i++) {
    const double step = exp(log(1e-6) * random_uniform(&stream)) * (random_uniform(&stream) < 0.5 ? -1 : 1);
    const double to = z + step > 1.5 || z + step < -0.3 ? z - step : z + step;
    const struct soil_start start = soil_begin(&bed, &memory, z);
    const struct soil_way way = soil_over(&bed, &memory, &start, to, &memory);
    const double after = soil_begin(&bed, &memory, to).energy_jpm, work = way.force_npm * (to - z);
    const double terms = start.energy_jpm + after + way.loss_jpm + fabs(way.force_npm) * (fabs(z) + fabs(to));
    least = fmin(least, way.loss_jpm);
    defect = fmax(defect, fabs(after - start.energy_jpm + way.loss_jpm - work) / (terms + 1e-9));
    z = to;
  }
  verify_add(r, VERIFY_ABSOLUTE, "J/m", least, 0, 0, "least loss of a step");
  verify_add(r, VERIFY_ABSOLUTE, "", defect, 0, 1e-14,
             "change of energy plus loss less work, over their terms");
}

void verify_soil_lay(const struct verify_setup *setup, struct verify_result *r) {
  static const double steps_s[] = {0.005, 0.01, 0.02, 0.05, 0.1};
  verify_run_with(r, "jlay-900m on clay with friction that breaks out, 60 s: a side force of 600 kN and a "
                     "current from 10 s on");
  for (size_t k = 0; k < sizeof steps_s / sizeof *steps_s; k++) {
    const char *const sets[] = {"environment.seabed=soil", "environment.seabed_friction_axial=0.4",
                                "environment.seabed_friction_lateral=0.6",
                                "environment.soil={model: clay, strength_pa: 3000, strength_gradient_papm: "
                                "1500, unit_weight_npm3: 5000, "
                                "lateral_peak: 1.2, lateral_residual_m: 0.6, lateral_passive: true}"};
    struct sim_def def;
    if (!scene_load(setup, "jlay-900m", sizeof sets / sizeof *sets, sets, &def, r))
      return;
    def.step_s = steps_s[k];
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    for (int i = 0; i < (int)(60 / steps_s[k]); i++)
      sim_step(s, NULL);
    const struct ledger *ledger = &s->run.ledger;
    double least = 0;
    for (int i = 0; i < LOSS_COUNT; i++)
      least = fmin(least, ledger->total_loss_j[i]);
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(ledger), 0, 1e-12, "steps of %g ms: ledger closure",
               1e3 * steps_s[k]);
    verify_add(r, VERIFY_ABSOLUTE, "J", least, 0, 0, "steps of %g ms: least loss", 1e3 * steps_s[k]);
    verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.unsolved_count, 0, 0,
               "steps of %g ms: steps without a solution", 1e3 * steps_s[k]);
    scene_free(s);
  }
}
