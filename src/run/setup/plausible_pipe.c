// Pipe and statics.
#include "sagbend/pipe/pipe.h"
#include "run/setup/notices.h"
#include "run/setup/setup_internal.h"

#include <math.h>

static const double PI_4 = 0.78539816339744831;

static void check_type(struct plausible *p, int k) {
  const struct pipe_def *pipe = &p->c->sim.pipe;
  const struct pipe_type *type = pipe_type_of(pipe, k);
  const struct pipe_key section = setup_pipe_key(k);
  const double d = type->outer_diameter_m, area_m2 = PI_4 * d * d, axial_n = type->axial_stiffness_n;
  if (!plausible_is_within(d, 0.005, 3)) {
    plausible_say(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.outer_diameter_m", section.text).text,
                  "0.005 to 3 m expected, got %g m: in mm or inches?", d);
    return; // what follows is compared with it
  }
  if (!plausible_is_within(axial_n / area_m2, 1e6, 4e11))
    plausible_say(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.axial_stiffness_n", section.text).text,
                  "1e6 to 4e11 N/m2 of the area of outer_diameter_m, %g m, expected, got %.3g N/m2: in N?", d,
                  axial_n / area_m2);
  // Of a tube I/A is (D^2 + d^2)/16, from D^2/16 to D^2/8; of cables and flexible pipes much less.
  for (int i = 0; i < 2; i++) {
    const double ratio = type->bending_stiffness_nm2[i] / axial_n / (d * d / 8);
    if (plausible_is_within(ratio, 1e-4, 2))
      continue;
    plausible_say(
        p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.bending_stiffness_nm2", section.text).text,
        "at most EA D2/8 = %.3g N m2 of axial_stiffness_n and outer_diameter_m, and not less than a "
        "ten-thousandth of it, expected, got %g N m2",
        axial_n * d * d / 8, type->bending_stiffness_nm2[i]);
    break;
  }
  if (!plausible_is_within(type->mass_kgpm / area_m2, 20, 12000))
    plausible_say(
        p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.mass_kgpm", section.text).text,
        "20 to 12000 kg/m3 of the area of outer_diameter_m, %g m, expected, got %.3g kg/m3: kg/m in air are "
        "expected",
        d, type->mass_kgpm / area_m2);
  // Of a steel tube GA/EA is some 0.2, GJ/EI 0.77, and the strain at the yield moment 0.002.
  const struct {
    const char *key, *what;
    double value, least, most;
  } ratios[] = {{"shear_stiffness_n", "of axial_stiffness_n", type->shear_stiffness_n[0] / axial_n, 1e-4, 3},
                {"torsion_stiffness_nm2", "of bending_stiffness_nm2",
                 type->torsion_stiffness_nm2 / type->bending_stiffness_nm2[0], 1e-4, 100},
                {"yield_moment_nm", "of 2 EI/D, the strain there,",
                 type->yield_moment_nm * d / 2 / type->bending_stiffness_nm2[0], 1e-4, 0.03}};
  for (int i = 0; i < 3; i++)
    if (!plausible_is_within(ratios[i].value, ratios[i].least, ratios[i].most))
      plausible_say(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.%s", section.text, ratios[i].key).text,
                    "%g to %g %s expected, got %.3g", ratios[i].least, ratios[i].most, ratios[i].what,
                    ratios[i].value);
  const double weight_npm = pipe_type_weight(pipe, type, &p->c->sim.env);
  if (weight_npm <= 0)
    plausible_say(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.mass_kgpm", section.text).text,
                  "a pipe that sinks expected, got one that floats: its weight in water is %.4g N/m",
                  weight_npm);
  if (type->inner_diameter_m > d)
    plausible_say(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.inner_diameter_m", section.text).text,
                  "less than outer_diameter_m, %g m, expected, got %g m", d, type->inner_diameter_m);
}

// The length of a catenary's parameter H/w against the depth: newtons and kilonewtons.
static void check_force(struct plausible *p) {
  const struct sim_def *sim = &p->c->sim;
  const double weight_npm = pipe_type_weight(&sim->pipe, &sim->pipe.line, &sim->env),
               depth_m = sim->env.depth_m, force_n = sim->statics.horizontal_force_n;
  if (sim->statics.kind != STATICS_HORIZONTAL_FORCE || !(weight_npm > 0) || !(depth_m > 0))
    return;
  if (!plausible_is_within(force_n / (weight_npm * depth_m), 0.004, 200))
    plausible_say(
        p, MEANT_PERHAPS, IN_CASE, "statics.horizontal_force_n",
        "0.004 to 200 times the weight in water of pipe over the depth, %.4g kN, expected, got %g N: N are "
        "expected",
        weight_npm * depth_m / 1e3, force_n);
}

void plausible_pipe(struct plausible *p) {
  const struct pipe_def *pipe = &p->c->sim.pipe;
  if (!pipe->elements)
    return;
  const int hangs = pipe->hangoff != HANGOFF_FREE && pipe->hangoff != HANGOFF_MOVED;
  for (int k = 0; k <= pipe->type_count; k++)
    check_type(p, k);
  if (!hangs)
    return;
  plausible_place(p, IN_CASE, "vessel.hangoff_b_m", p->c->sim.vessel.hangoff_b_m);
  check_force(p);
  if (pipe->length_m < 0.5 * p->c->sim.env.depth_m && pipe->lower != LOWER_FREE)
    plausible_say(p, MEANT_PERHAPS, IN_CASE, "pipe.length_m",
                  "a pipe that reaches the seabed at environment.depth_m, %g m, expected, got %g m",
                  p->c->sim.env.depth_m, pipe->length_m);
}
