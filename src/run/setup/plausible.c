// Whether the numbers of a case are those that its author meant: sizes, angles, places, orders of magnitude.
#include "run/setup/setup.h"
#include "run/setup/setup_internal.h"

#include "net/case/case.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/thrusters/thrusters.h"
#include "sagbend/vessel/vessel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Dimensions of the hull from whatever the configuration gives; 0: not given.
struct extent {
  double length_m, beam_m, draft_m, centre_x_m;
};

static struct extent plausible_extent(const struct config *c) {
  const struct vessel_def *v = &c->sim.vessel;
  struct extent out = {.length_m = fmax(v->hull.length_m, v->waves.length_m),
                       .beam_m = fmax(v->hull.beam_m, v->waves.beam_m),
                       .draft_m = fmax(v->hull.draft_m, v->waves.draft_m),
                       .centre_x_m = v->hull.length_m > 0 ? v->hull.centre_x_b_m : v->waves.centre_x_b_m};
  for (int i = 0; i < c->view.outline_count; i++) {
    out.length_m = fmax(out.length_m, 2 * fabs(c->view.outline[i].forward_m - out.centre_x_m));
    out.beam_m = fmax(out.beam_m, 2 * fabs(c->view.outline[i].starboard_m));
  }
  return out;
}

// A place on the vessel beyond its hull: swapped axes, millimetres.
static void plausible_place(struct plausible *p, enum where where, const char *key,
                            const double position_b_m[3]) {
  static const double LONGEST = 250, WIDEST = 100,
                      HIGHEST = 150; // half a length, half a beam, a height, of the largest
  const struct extent hull = plausible_extent(p->c);
  const double along = hull.length_m > 0 ? 0.65 * hull.length_m + 3 : LONGEST,
               across = hull.beam_m > 0 ? 0.7 * hull.beam_m + 3 : WIDEST;
  const double x = position_b_m[0] - hull.centre_x_m, y = position_b_m[1], z = position_b_m[2];
  if (fabs(x) > along)
    plausible_report(
        p, MEANT_PERHAPS, where, key,
        "a place within %.3g m of midships expected, got %g m forward: metres are expected, and x is forward",
        along, position_b_m[0]);
  else if (fabs(y) > across)
    plausible_report(
        p, MEANT_PERHAPS, where, key,
        "a place within %.3g m of the centre line expected, got %g m to starboard: x is forward, y to "
        "starboard",
        across, y);
  else if (fabs(z) > HIGHEST)
    plausible_report(p, MEANT_PERHAPS, where, key, "a height within %.3g m expected, got z = %g m", HIGHEST,
                     z);
}

// ---- vessel, thrusters, power, instruments, weather ----

static void check_number(struct plausible *p, const char *key, double value, double least, double most,
                         const char *unit, const char *hint) {
  if (!plausible_is_within(value, least, most))
    plausible_report(p, MEANT_PERHAPS, IN_CASE, key, "%.3g to %.3g %s expected, got %g%s", least, most, unit,
                     value, hint);
}

static void plausible_sea(struct plausible *p) {
  const struct env_def *env = &p->c->sim.env;
  check_number(p, "environment.depth_m", env->depth_m, 1, 11000, "m", "");
  check_number(p, "environment.water_density_kgpm3", env->water_density_kgpm3, 950, 1100, "kg/m3", "");
  check_number(p, "environment.gravity_mps2", env->gravity_mps2, 9.7, 9.9, "m/s2", "");
  if (env->wind.present) {
    check_number(p, "environment.wind.speed_mps", env->wind.speed_mps, 0, 70, "m/s", ": in knots or km/h?");
    check_number(p, "environment.wind.air_density_kgpm3", env->wind.air_density_kgpm3, 0.9, 1.6, "kg/m3", "");
  }
  check_number(p, "environment.current.surface_mps", env->current.surface_mps, -4, 4, "m/s",
               ": in cm/s or knots?");
  for (int i = 0; i < env->current.point_count; i++)
    check_number(p, plausible_key("environment.current.points.%d.speed_mps", i).text,
                 env->current.points[i].speed_mps, -4, 4, "m/s", ": in cm/s or knots?");
  if (env->waves.present) {
    check_number(p, "environment.waves.significant_height_m", env->waves.height_m, 0, 25, "m", "");
    check_number(p, "environment.waves.peak_period_s", env->waves.period_s, 1, 40, "s", "");
  }
  check_number(p, "environment.seabed_friction_lateral", env->friction.coefficient[1], 0, 5, "", "");
  check_number(p, "environment.seabed_friction_axial", env->friction.coefficient[0], 0, 5, "", "");
}

// A draught beyond the depth, and a mass that does not float at it.
static void check_draft(struct plausible *p, const char *section, double length_m, double beam_m,
                        double draft_m) {
  const struct env_def *env = &p->c->sim.env;
  const double box_kg = env->water_density_kgpm3 * length_m * beam_m * draft_m,
               mass_kg = p->c->sim.vessel.mass_kg;
  if (!(draft_m > 0))
    return;
  if (draft_m >= env->depth_m && env->depth_m > 0)
    plausible_report(
        p, NOT_MEANT, IN_CASE, plausible_key("%s.draft_m", section).text,
        "a draught of less than environment.depth_m, %g m, expected, got %g m: the vessel is aground",
        env->depth_m, draft_m);
  else if (box_kg > 0 && !plausible_is_within(mass_kg / box_kg, 0.1, 1.15))
    plausible_report(
        p, MEANT_PERHAPS, IN_CASE, "vessel.mass_kg",
        "0.1 to 1.15 of the water in a box of length, beam and draught of %s, %.3g kg, expected, got %g kg",
        section, box_kg, mass_kg);
}

static void check_hydrostatics(struct plausible *p) {
  const struct vessel_def *v = &p->c->sim.vessel;
  const struct hydro_data *hydro = p->c->hydro;
  const double weight_n = v->mass_kg * p->c->sim.env.gravity_mps2;
  static const char *const keys[2] = {"vessel.hydrostatics.gm_transverse_m",
                                      "vessel.hydrostatics.gm_longitudinal_m"};
  const double gm[2] = {v->gm_transverse_m, v->gm_longitudinal_m};
  for (int i = 0; hydro && i < 2; i++) {
    const double file = hydro->restoring[3 + i][3 + i];
    if (file > 0 && !(gm[i] > 0 && fabs(weight_n * gm[i] / file - 1) <= 0.25))
      plausible_report(
          p, MEANT_PERHAPS, IN_CASE, keys[i],
          "the value of vessel.hydro_file, %.4g m by its restoring moment, within 25 %% expected, got %g m",
          file / weight_n, gm[i]);
  }
  if (!hydro && gm[1] > 0 && gm[0] > 1.5 * gm[1])
    plausible_report(p, MEANT_PERHAPS, IN_CASE, keys[0],
                     "at most gm_longitudinal_m, %g m, expected, got %g m", gm[1], gm[0]);
  const struct extent hull = plausible_extent(p->c);
  const double box_m2 = hull.length_m * hull.beam_m;
  if (box_m2 > 0 && v->waterplane_area_m2 > 1.1 * box_m2)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, "vessel.hydrostatics.waterplane_area_m2",
                     "at most length times beam, %.4g m2, expected, got %g m2", box_m2,
                     v->waterplane_area_m2);
}

// Radii of gyration of the rigid body.
static void check_wind_areas(struct plausible *p) {
  const struct windage_def *wind = &p->c->sim.vessel.windage;
  if (wind->present && wind->length_m > 0 &&
      !plausible_is_within(wind->lateral_area_m2 / wind->length_m, 1, 100))
    plausible_report(p, MEANT_PERHAPS, IN_CASE, "vessel.wind.lateral_area_m2",
                     "1 to 100 m of height on vessel.wind.length_m, %g m, expected, got %g m2",
                     wind->length_m, wind->lateral_area_m2);
  if (wind->present && !plausible_is_within(wind->frontal_area_m2 / wind->lateral_area_m2, 0.05, 3))
    plausible_report(p, MEANT_PERHAPS, IN_CASE, "vessel.wind.frontal_area_m2",
                     "0.05 to 3 times lateral_area_m2, %g m2, expected, got %g m2", wind->lateral_area_m2,
                     wind->frontal_area_m2);
}

static void check_inertia(struct plausible *p) {
  static const char *const names[3] = {"roll", "pitch", "yaw"};
  const struct vessel_def *v = &p->c->sim.vessel;
  const struct extent hull = plausible_extent(p->c);
  for (int i = 0; i < 3; i++) {
    const double size_m = i == 0 ? fmax(hull.beam_m, 0.2 * hull.length_m) : hull.length_m;
    const double body = v->inertia[3 + i][3 + i] - v->added_mass[3 + i][3 + i],
                 radius_m = body > 0 ? sqrt(body / v->mass_kg) : 0;
    const double least = size_m > 0 ? 0.1 * size_m : 0.5, most = size_m > 0 ? 0.9 * size_m : 150;
    if (!plausible_is_within(radius_m, least, most))
      plausible_report(p, MEANT_PERHAPS, IN_CASE, "vessel.inertia",
                       "a radius of gyration in %s of %.3g to %.3g m expected, got %.3g m (its moment over "
                       "vessel.mass_kg)",
                       names[i], least, most, radius_m);
  }
}

static void check_thruster(struct plausible *p, int i) {
  const struct thruster_def *t = &p->c->sim.vessel.plant.thruster[i];
  const double depth_m = p->c->sim.vessel.position_n_m[2] + t->position_b_m[2],
               draft_m = plausible_extent(p->c).draft_m;
  const struct plausible_key at = plausible_key("vessel.thrusters.%d.position_b_m", i),
                             thrust = plausible_key("vessel.thrusters.%d.thrust_max_n", i);
  const char *place = at.text;
  plausible_place(p, IN_CASE, place, t->position_b_m);
  if (depth_m < 0)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, place,
                     "a thruster under water expected, got one %.3g m above it: z is positive down",
                     -depth_m);
  else if (draft_m > 0 && depth_m > draft_m + 10)
    plausible_report(
        p, MEANT_PERHAPS, IN_CASE, place,
        "a thruster near the hull, with a draught of %g m, expected, got one at a depth of %.3g m", draft_m,
        depth_m);
  check_number(p, thrust.text, t->thrust_max_n, 1e3, 5e6, "N",
               t->thrust_max_n < 1e3 ? ": in kN or tonnes?" : "");
  if (t->power_max_w > 0 && !plausible_is_within(t->thrust_max_n / t->power_max_w, 0.02, 0.8) &&
      t->thrust_max_n >= 1e3 && t->thrust_max_n <= 5e6)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("vessel.thrusters.%d.power_max_w", i).text,
                     "20 to 800 N of thrust_max_n for each kW expected, got %.3g N: W are expected",
                     1e3 * t->thrust_max_n / t->power_max_w);
  check_number(p, plausible_key("vessel.thrusters.%d.azimuth_rate_degps", i).text,
               t->azimuth_rate_radps * 57.29578, 0.5, 180, "deg/s", ": in rad/s?");
  check_number(p, plausible_key("vessel.thrusters.%d.revolutions_max_rpm", i).text, t->revolutions_max_rpm,
               20, 3000, "rpm", t->revolutions_max_rpm < 20 ? ": in revolutions per second?" : "");
}

static void check_power(struct plausible *p) {
  const struct plant_def *plant = &p->c->sim.vessel.plant;
  double all_w = 0;
  for (int i = 0; i < plant->thruster_count; i++)
    all_w += plant->thruster[i].power_max_w;
  for (int b = 0; b < plant->bus_count; b++) {
    double needed_w = 0;
    for (int i = 0; i < plant->thruster_count; i++)
      needed_w += plant->thruster[i].bus == b ? plant->thruster[i].power_max_w : 0;
    if (needed_w > 0 && !plausible_is_within(plant->bus[b].available_w / needed_w, 0.02, 50))
      plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("vessel.power.buses.%d.available_w", b).text,
                       "0.02 to 50 times the power of its thrusters, %.3g W, expected, got %g W", needed_w,
                       plant->bus[b].available_w);
  }
  for (int i = 0; i < plant->power.generator_count && all_w > 0; i++)
    if (!plausible_is_within(plant->power.generator[i].rating_w / all_w, 0.005, 20))
      plausible_report(p, MEANT_PERHAPS, IN_CASE,
                       plausible_key("vessel.power.generators.%d.rating_w", i).text,
                       "0.005 to 20 times the power of all thrusters, %.3g W, expected, got %g W", all_w,
                       plant->power.generator[i].rating_w);
}

static void check_instrument(struct plausible *p, int i) {
  const struct instrument_def *def = &p->c->suite.instruments.instrument[i];
  const struct plausible_key place = plausible_key("instruments.%d.position_b_m", i);
  const double depth_m = p->c->sim.vessel.position_n_m[2] + def->position_b_m[2];
  const enum instrument_place where = instrument_kind(def->kind)->place;
  plausible_place(p, IN_CASE, place.text, def->position_b_m);
  if (where == PLACE_AIR && depth_m > 0)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, place.text,
                     "a place above the water expected for %s, got a depth of %.3g m: z is positive down",
                     def->name, depth_m);
  if (where == PLACE_WATER && depth_m < 0)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, place.text,
                     "a place under water expected for %s, got %.3g m above it: z is positive down",
                     def->name, -depth_m);
  check_number(p, plausible_key("instruments.%d.latency_s", i).text, def->latency_s, 0, 20, "s", ": in ms?");
  for (int k = 0; k < def->error_count; k++) {
    const struct instrument_error *e = &def->error[k];
    const double sigma = hypot(hypot(e->white, e->markov), e->bias_random);
    const struct plausible_key key = plausible_key("instruments.%d.errors.%d", i, k);
    if (def->kind == INSTRUMENT_GNSS && !strcmp(e->quantity, "position_m") && sigma > 30)
      plausible_report(p, MEANT_PERHAPS, IN_CASE, key.text, "at most 30 m expected, got %.3g m", sigma);
    if (def->kind == INSTRUMENT_GYRO && !strcmp(e->quantity, "heading_deg") && sigma > 0.1)
      plausible_report(p, MEANT_PERHAPS, IN_CASE, key.text, "at most 6 deg expected, got %.3g deg",
                       sigma * 57.29578);
  }
}

// A wrench of its own that does not hold the pipe.
static void check_initial_holding_force(struct plausible *p) {
  const enum hangoff_kind top = p->c->sim.pipe.hangoff;
  if (!p->sim || p->c->sim.hold_balances_statics || !p->c->sim.pipe.elements || top == HANGOFF_FREE ||
      top == HANGOFF_MOVED)
    return;
  const double *given = p->c->sim.initial_holding_force_b,
               force_n = fabs(sim_statics(p->sim)->horizontal_force_n), given_n = hypot(given[0], given[1]);
  if (given_n > 0 && fabs(given_n - force_n) > 0.5 * force_n)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, "initial_holding_force",
                     "about the horizontal force of the pipe at rest, %.4g N, expected, got %.4g N", force_n,
                     given_n);
}

// The thrusters together give less than what holds the vessel at the start.
static void check_hold_force(struct plausible *p) {
  const struct plant_def *plant = &p->c->sim.vessel.plant;
  double thrust_n = 0;
  for (int i = 0; i < plant->thruster_count; i++)
    thrust_n += plant->thruster[i].thrust_max_n;
  if (!p->sim || !plant->thruster_count)
    return;
  const double *hold = sim_statics(p->sim)->initial_holding_force_b, force_n = hypot(hold[0], hold[1]);
  if (force_n > thrust_n)
    plausible_report(
        p, MEANT_PERHAPS, IN_CASE, "vessel.thrusters",
        "thrusters that hold the vessel expected: together they give %.4g kN, and the pipe at rest "
        "pulls with "
        "%.4g kN",
        thrust_n / 1e3, force_n / 1e3);
}

static void plausible_vessel(struct plausible *p) {
  const struct vessel_def *v = &p->c->sim.vessel;
  check_draft(p, "vessel.hull", v->hull.length_m, v->hull.beam_m, v->hull.draft_m);
  if (v->waves.present)
    check_draft(p, "vessel.waves", v->waves.length_m, v->waves.beam_m, v->waves.draft_m);
  check_hydrostatics(p);
  check_inertia(p);
  check_wind_areas(p);
  for (int i = 0; i < v->plant.thruster_count; i++)
    check_thruster(p, i);
  check_power(p);
  for (int i = 0; i < p->c->suite.instruments.count; i++)
    check_instrument(p, i);
  check_hold_force(p);
  check_initial_holding_force(p);
}

// ------------------------------------------------------------
// Pipe and statics.

static const double PI_4 = 0.78539816339744831;

static void check_type(struct plausible *p, int k) {
  const struct pipe_def *pipe = &p->c->sim.pipe;
  const struct pipe_type *type = pipe_type_of(pipe, k);
  const struct pipe_key section = setup_pipe_key(k);
  const double d = type->outer_diameter_m, area_m2 = PI_4 * d * d, axial_n = type->axial_stiffness_n;
  if (!plausible_is_within(d, 0.005, 3)) {
    plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.outer_diameter_m", section.text).text,
                     "0.005 to 3 m expected, got %g m: in mm or inches?", d);
    return; // what follows is compared with it
  }
  if (!plausible_is_within(axial_n / area_m2, 1e6, 4e11))
    plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.axial_stiffness_n", section.text).text,
                     "1e6 to 4e11 N/m2 of the area of outer_diameter_m, %g m, expected, got %.3g N/m2: in N?",
                     d, axial_n / area_m2);
  // Of a tube I/A is (D^2 + d^2)/16, from D^2/16 to D^2/8; of cables and flexible pipes much less.
  for (int i = 0; i < 2; i++) {
    const double ratio = type->bending_stiffness_nm2[i] / axial_n / (d * d / 8);
    if (plausible_is_within(ratio, 1e-4, 2))
      continue;
    plausible_report(
        p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.bending_stiffness_nm2", section.text).text,
        "at most EA D2/8 = %.3g N m2 of axial_stiffness_n and outer_diameter_m, and not less than a "
        "ten-thousandth of it, expected, got %g N m2",
        axial_n * d * d / 8, type->bending_stiffness_nm2[i]);
    break;
  }
  if (!plausible_is_within(type->mass_kgpm / area_m2, 20, 12000))
    plausible_report(
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
      plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.%s", section.text, ratios[i].key).text,
                       "%g to %g %s expected, got %.3g", ratios[i].least, ratios[i].most, ratios[i].what,
                       ratios[i].value);
  const double weight_npm = pipe_type_weight(pipe, type, &p->c->sim.env);
  if (weight_npm <= 0)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.mass_kgpm", section.text).text,
                     "a pipe that sinks expected, got one that floats: its weight in water is %.4g N/m",
                     weight_npm);
  if (type->inner_diameter_m > d)
    plausible_report(p, MEANT_PERHAPS, IN_CASE, plausible_key("%s.inner_diameter_m", section.text).text,
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
    plausible_report(
        p, MEANT_PERHAPS, IN_CASE, "statics.horizontal_force_n",
        "0.004 to 200 times the weight in water of pipe over the depth, %.4g kN, expected, got %g N: N are "
        "expected",
        weight_npm * depth_m / 1e3, force_n);
}

static void plausible_pipe(struct plausible *p) {
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
    plausible_report(p, MEANT_PERHAPS, IN_CASE, "pipe.length_m",
                     "a pipe that reaches the seabed at environment.depth_m, %g m, expected, got %g m",
                     p->c->sim.env.depth_m, pipe->length_m);
}

// ------------------------------------------------------------

static void say_turn(void *context, const char *key, double degrees) {
  struct plausible *p = context;
  plausible_report(p, MEANT_PERHAPS, IN_CASE, key,
                   "an angle from -360 to 360 degrees expected, got %g, which is %g", degrees,
                   remainder(degrees, 360));
}

static void say_dp_turn(void *context, const char *key, double degrees) {
  struct plausible *p = context;
  plausible_report(p, MEANT_PERHAPS, IN_DP_FILE, key,
                   "an angle from -360 to 360 degrees expected, got %g, which is %g", degrees,
                   remainder(degrees, 360));
}

int plausible_check(const struct setup *setup, const struct case_options *options, const struct sim *sim,
                    void (*say)(void *context, const char *line), void *context) {
  const struct config *c = &setup->config;
  struct config_places *places =
                           config_places_open(options->config_path, (const char *const *)options->overrides,
                                              options->override_count, CONFIG_FILE),
                       *dp_places =
                           setup->has_dp ? config_places_open(c->dp_file, NULL, 0, DP_CONFIG_FILE) : NULL;
  struct plausible p = {.setup = setup,
                        .c = c,
                        .path = options->config_path,
                        .sim = sim,
                        .places = places,
                        .dp_places = dp_places,
                        .say = say,
                        .context = context};
  config_places_turns(places, say_turn, &p);
  config_places_turns(dp_places, say_dp_turn, &p);
  plausible_sea(&p);
  plausible_vessel(&p);
  plausible_pipe(&p);
  if (setup->has_dp)
    plausible_dp(&p);
  config_places_close(places);
  config_places_close(dp_places);
  return p.errors;
}
