// Loads and thrust of level 2, the pull of the pipe, and what the weather of the case takes of what is held.
#include "lab/capability/capability.h"

#include "net/case/case.h"
#include "sagbend/math/math.h"
#include "sagbend/thrusters/thrusters.h"
#include "sagbend/vessel/vessel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LOWEST_RADPS = 0.15, HIGHEST_RADPS = 12, AIR_KGPM3 = 1.226;

void level2_of(const struct config *config, struct level2 *out) {
  memset(out, 0, sizeof *out);
  out->def = &config->sim;
  out->wind = config->sim.env.wind;
  const struct env_def *env = &config->sim.env;
  struct vessel_def acting = config->sim.vessel;
  acting.current_acts = 1; // the weather has a current, whether the case has one or not
  out->vessel = vessel_of(&acting, env);
  double air = env->wind.air_density_kgpm3 > 0 ? env->wind.air_density_kgpm3 : AIR_KGPM3;
  out->windage = windage_of(&config->sim.vessel.windage, air);
  out->gamma = env->waves.present && env->waves.spectrum == WAVES_JONSWAP ? env->waves.gamma : 1;
  double ratio = pow(HIGHEST_RADPS / LOWEST_RADPS, 1.0 / DRIFT_STEPS);
  for (int i = 0; i < DRIFT_STEPS; i++) {
    double low = LOWEST_RADPS * pow(ratio, i), omega = low * sqrt(ratio);
    out->omega_radps[i] = omega;
    out->width_radps[i] = low * (ratio - 1);
    out->reflection[i] =
        wave_reflection(&config->sim.vessel, waves_wavenumber(omega, env->gravity_mps2, env->depth_m));
  }
}

void level2_drift_of(const struct level2 *level, double direction_rad, struct level2_drift *out) {
  memset(out, 0, sizeof *out);
  if (!level->def->vessel.waves.present || !level->def->vessel.waves.drift)
    return;
  for (int i = 0; i < DRIFT_STEPS; i++)
    wave_drift(&level->def->vessel, &level->def->env, level->omega_radps[i], level->reflection[i],
               trig_wrap(direction_rad + TRIG_PI), out->c[i]);
}

// Integral of 2 S D over the frequency, with the JONSWAP spectrum between the simulator's limits, scaled to
// the wave height.
static void force_of_waves(const struct level2 *level, const struct level2_drift *drift,
                           const struct weather *weather, double force[3]) {
  double peak = 2 * TRIG_PI / weather->peak_period_s, variance = 0, sum[3] = {0, 0, 0};
  for (int i = 0; i < DRIFT_STEPS; i++) {
    double x = level->omega_radps[i] / peak, sigma = x <= 1 ? 0.07 : 0.09;
    if (x < WAVES_LOWEST || x > WAVES_HIGHEST)
      continue;
    double z = (x - 1) / sigma, inverse = 1 / (x * x * x * x);
    double enhanced = level->gamma > 1 ? pow(level->gamma, exp(-0.5 * z * z)) : 1;
    double s = inverse / x * exp(-1.25 * inverse) * enhanced * level->width_radps[i];
    variance += s;
    for (int k = 0; k < 3; k++)
      sum[k] += 2 * s * drift->c[i][k];
  }
  double scale = variance > 0 ? weather->wave_height_m * weather->wave_height_m / (16 * variance) : 0;
  for (int k = 0; k < 3; k++)
    force[k] = scale * sum[k];
}

static void force_of_wind(const struct level2 *level, double speed_mps, double direction_rad,
                          double force[3]) {
  static const double rest[6];
  struct wind wind = {.def = level->wind};
  wind.def.speed_mps = speed_mps;
  double speed = wind_mean(&wind, level->windage.height_m), wrench[6] = {0};
  if (level->windage.present)
    windage_wrench(&level->windage,
                   (vec3){-speed * trig_cos(direction_rad), -speed * trig_sin(direction_rad), 0}, rest,
                   wrench);
  force[0] = wrench[0], force[1] = wrench[1], force[2] = wrench[5];
}

static void force_of_current(const struct vessel *vessel, double speed_mps, double direction_rad,
                             double force[3]) {
  static const double rest[6];
  vec3 water = {-speed_mps * trig_cos(direction_rad), -speed_mps * trig_sin(direction_rad), 0};
  double through[6] = {-water.x, -water.y}, munk[6], drag[3][3];
  const int at[3] = {0, 1, 5};
  vessel_current_wrench(vessel, rest, water, munk);
  hull_drag_matrix(&vessel->hull, through, drag);
  for (int i = 0; i < 3; i++) {
    double v = through[at[i]];
    force[i] = munk[at[i]] - vessel->damping_quadratic[at[i]] * fabs(v) * v;
    for (int k = 0; k < 6; k++)
      force[i] -= vessel->damping_linear[at[i]][k] * through[k];
    for (int k = 0; k < 3; k++)
      force[i] -= drag[i][k] * through[at[k]];
  }
}

struct level2_loads level2_loads_of(const struct level2 *level, const struct level2_drift *drift,
                                    const struct weather *weather, double direction_rad, double current_rad) {
  struct level2_loads loads;
  force_of_wind(level, weather->wind_mps, direction_rad, loads.wind);
  force_of_current(&level->vessel, weather->current_mps, current_rad, loads.current);
  force_of_waves(level, drift, weather, loads.waves);
  return loads;
}

// ------------------------------------------------------------
// The pull of the pipe from the statics.

static enum status solve(const struct level2_pipe *pipe, struct sim **sim, struct reason *why) {
  size_t size;
  enum status status = sim_memsize(pipe->def, &size, why);
  if (status == STATUS_OK && size > pipe->size)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  return status == STATUS_OK ? sim_create(pipe->def, pipe->memory, pipe->size, sim, why) : status;
}

enum status level2_pipe_open(const struct config *config, struct level2_pipe *pipe, struct reason *why) {
  struct sim *sim;
  struct sim_output rest;
  *pipe = (struct level2_pipe){.def = malloc(sizeof *pipe->def)};
  if (!pipe->def)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  // What acts on the vessel and not on the pipe stays out.
  *pipe->def = config->sim;
  pipe->def->env.load_count = 0;
  pipe->def->env.wind.present = pipe->def->env.waves.present = 0;
  pipe->def->vessel.current_acts = 0;
  pipe->def->vessel.hull.row_count = 0; // rows need current_acts
  pipe->def->env.current = (struct current_def){0};
  pipe->def->statics.current = CURRENT_INITIAL;
  size_t size = 0;
  enum status status = sim_memsize(pipe->def, &size, why);
  pipe->size = (size + 4095) / 4096 * 4096;
  pipe->memory = status == STATUS_OK ? aligned_alloc(64, pipe->size) : NULL;
  if (status == STATUS_OK && !pipe->memory)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    status = solve(pipe, &sim, why);
  if (status != STATUS_OK)
    return status;
  sim_get_output(sim, &rest);
  pipe->def->statics.kind = STATICS_HANGOFF_POSITION;
  pipe->def->statics.hangoff_position_m[0] = rest.hangoff_position_n_m[0];
  pipe->def->statics.hangoff_position_m[1] = rest.hangoff_position_n_m[1];
  return STATUS_OK;
}

enum status level2_pipe_force(const struct level2_pipe *pipe, double current_mps, double direction_rad,
                              double force_b[3], struct reason *why) {
  struct sim *sim;
  pipe->def->env.current = (struct current_def){
      .surface_mps = current_mps,
      .direction_rad = trig_wrap(pipe->def->vessel.euler_rad[2] + direction_rad + TRIG_PI)};
  struct reason cause = {""};
  enum status status = solve(pipe, &sim, &cause);
  if (status != STATUS_OK)
    return fail(why, status,
                "the pipe in a current of %.3g m/s from %.4g deg off the bow, without wind: %.170s",
                current_mps, direction_rad * (180 / TRIG_PI), cause.text);
  const double *hold = sim_statics(sim)->initial_holding_force_b;
  force_b[0] = -hold[0], force_b[1] = -hold[1], force_b[2] = -hold[5];
  return STATUS_OK;
}

void level2_pipe_close(struct level2_pipe *pipe) {
  free(pipe->memory);
  free(pipe->def);
  *pipe = (struct level2_pipe){0};
}

// ------------------------------------------------------------
// The thrusters of the model as sets of forces: azimuths ahead only, out of the forbidden zones in force;
// main propellers ahead with the rudder, or astern.

static int is_in_force(const struct plant_def *plant, const struct sector *sector, unsigned stopped) {
  for (int i = 0; i < plant->thruster_count; i++)
    if (sector->against[0] && !strncmp(plant->thruster[i].name, sector->against, SIGNAL_NAME))
      return !(stopped >> i & 1);
  return 1;
}

static double upward(double from_rad, double to_rad) { // angle from one direction to another, in [0, 2 pi)
  double angle = trig_wrap(to_rad - from_rad);
  return angle < 0 ? angle + 2 * TRIG_PI : angle;
}

// The sectors do not overlap. An allowed arc goes from the end of one to the beginning of the next.
static int add_azimuth(const struct plant_def *plant, const struct thruster_def *t, unsigned stopped,
                       double thrust_n, struct reach_unit *unit) {
  const struct sector *closed[MAX_SECTORS];
  int count = 0, good = 1;
  for (int i = 0; i < t->sector_count; i++)
    if (is_in_force(plant, &t->sector[i], stopped)) {
      int at = count++;
      for (; at > 0 && upward(-TRIG_PI, closed[at - 1]->to_rad) > upward(-TRIG_PI, t->sector[i].to_rad); at--)
        closed[at] = closed[at - 1];
      closed[at] = &t->sector[i];
    }
  if (count == 0)
    return reach_add_sector(unit, 0, 2 * TRIG_PI, thrust_n);
  for (int i = 0; good && i < count; i++) {
    double from = closed[i]->to_rad, width = upward(from, closed[(i + 1) % count]->from_rad);
    if (width > 0)
      good = reach_add_sector(unit, from, from + width, thrust_n);
  }
  return good;
}

static int add_main(const struct thruster_def *t, double thrust_n, struct reach_unit *unit) {
  enum { HALF = 20 };
  if (!(t->rudder_max_rad > 0) || !(t->rudder_lift > 0))
    return reach_add_segment(unit, 0, thrust_n, t->thrust_astern * thrust_n);
  int good = reach_begin_piece(unit);
  for (int i = -HALF; good && i <= HALF; i++) {
    double s = trig_sin(t->rudder_max_rad * i / HALF);
    good = reach_add_point(unit, thrust_n * (1 - t->rudder_drag * s * s), thrust_n * t->rudder_lift * s);
  }
  return good && (t->thrust_astern == 0 || reach_add_segment(unit, TRIG_PI, t->thrust_astern * thrust_n, 0));
}

unsigned level2_left_after(const struct plant_def *plant, unsigned buses, unsigned generators,
                           struct power_left *out) {
  unsigned dead = 0;
  if (power_is_present(&plant->power))
    power_left_after(&plant->power, buses, generators, out);
  else
    for (int b = 0; b < plant->bus_count; b++) {
      out->island[b] = b;
      out->live[b] = !(buses >> b & 1);
      out->drives_w[b] = out->live[b] ? plant->bus[b].available_w : 0;
    }
  for (int i = 0; i < plant->thruster_count; i++)
    if (plant->thruster[i].bus >= 0 && !out->live[plant->thruster[i].bus])
      dead |= 1u << i;
  return dead;
}

static int add_forces(const struct plant_def *plant, const struct thruster_def *t, unsigned stopped,
                      double thrust_n, struct reach_unit *unit) {
  switch (thruster_steering(t->kind)) {
  case STEERING_NONE:
    return reach_add_segment(unit, thruster_axis_rad(t->kind), thrust_n, t->thrust_astern * thrust_n);
  case STEERING_TURNS:
    return add_azimuth(plant, t, stopped, thrust_n, unit);
  case STEERING_RUDDER:
    return add_main(t, thrust_n, unit);
  }
  return 0;
}

static double fixed_power_w(const struct thruster_def *t) {
  return t->drive == DRIVE_CPP ? t->power_zero_pitch * t->power_max_w : 0;
}

enum status level2_thrust(const struct plant_def *plant, unsigned stopped, const struct power_left *power,
                          double current_mps, struct reach *out, int unit_of[REACH_UNITS],
                          struct reason *why) {
  reach_clear(out);
  for (int b = 0; b < plant->bus_count; b++) {
    double available = power->drives_w[b];
    for (int i = 0; i < plant->thruster_count; i++)
      if (plant->thruster[i].bus >= 0 && power->island[plant->thruster[i].bus] == b && !(stopped >> i & 1))
        available -= fixed_power_w(&plant->thruster[i]);
    reach_add_bus(out, available);
  }
  for (int i = 0; i < plant->thruster_count; i++) {
    const struct thruster_def *t = &plant->thruster[i];
    if (stopped >> i & 1)
      continue;
    double thrust = t->thrust_max_n * t->ventilation * fmax(1 - t->inflow_loss_spm * current_mps, 0);
    unit_of[out->unit_count] = i;
    struct reach_unit *unit =
        reach_add_unit(out, t->position_b_m[0], t->position_b_m[1], t->power_max_w - fixed_power_w(t),
                       t->bus < 0 ? -1 : power->island[t->bus]);
    if (!unit || !add_forces(plant, t, stopped, thrust, unit))
      return fail(why, STATUS_BAD_INPUT, "vessel.thrusters.%d: too many sectors", i);
  }
  return STATUS_OK;
}

// ---- what the weather of the case takes of what the vessel can hold ----

// From where it comes, clockwise from the bow, of a direction from where it comes clockwise from north.
static double off_the_bow(const struct config *c, double from_rad) {
  return trig_wrap(from_rad - c->sim.vessel.euler_rad[2]);
}

// Of the water at the surface, and from where it comes.
static double surface_current(const struct env_def *env, double *from_rad) {
  const struct current current = current_of(&env->current, env->depth_m);
  const vec3 v = current.v_n[0]; // z increases downwards
  *from_rad = atan2(-v.y, -v.x);
  return hypot(v.x, v.y);
}

static enum status pull_of_pipe(const struct config *c, double current_mps, double from_rad, double out[3],
                                struct reason *why) {
  struct level2_pipe pipe;
  enum status status = level2_pipe_open(c, &pipe, why);
  if (status == STATUS_OK)
    status = level2_pipe_force(&pipe, current_mps, from_rad, out, why);
  level2_pipe_close(&pipe);
  return status;
}

// The mean load on the vessel; body axes.
static enum status load_of(const struct config *c, double *current_mps, double out[3], struct reason *why) {
  const struct env_def *env = &c->sim.env;
  struct level2 level;
  struct level2_drift drift;
  double from_rad, pipe[3] = {0, 0, 0};
  *current_mps = surface_current(env, &from_rad);
  const double current_rad = off_the_bow(c, from_rad), wind_rad = off_the_bow(c, env->wind.direction_rad),
               waves_rad = off_the_bow(c, env->waves.direction_rad);
  const struct weather weather = {
      .wind_mps = env->wind.present ? env->wind.speed_mps : 0,
      .wave_height_m = env->waves.present && env->waves.components > 0 ? env->waves.height_m : 0,
      .peak_period_s = env->waves.present ? env->waves.period_s : 10,
      .current_mps = c->sim.vessel.current_acts ? *current_mps : 0};
  enum status status = STATUS_OK;
  if (c->sim.pipe.elements > 0)
    status = pull_of_pipe(c, *current_mps, current_rad, pipe, why);
  if (status != STATUS_OK)
    return status;
  level2_of(c, &level);
  level2_drift_of(&level, waves_rad, &drift);
  const struct level2_loads loads = level2_loads_of(&level, &drift, &weather, wind_rad, current_rad);
  for (int i = 0; i < 3; i++)
    out[i] = loads.wind[i] + loads.current[i] + loads.waves[i] + pipe[i];
  return STATUS_OK;
}

static enum status share_after(const struct plant_def *plant, const struct present_loss *loss,
                               double current_mps, const double load[3], struct reach *set, double *share,
                               struct reason *why) {
  const double demand[3] = {-load[0], -load[1], -load[2]};
  int unit_of[REACH_UNITS];
  struct reach_answer answer;
  struct power_left power;
  const unsigned stopped = loss->thrusters | level2_left_after(plant, loss->buses, loss->generators, &power);
  enum status status = level2_thrust(plant, stopped, &power, current_mps, set, unit_of, why);
  if (status != STATUS_OK)
    return status;
  reach_solve(set, NULL, demand, 1e-6, &answer);
  if (answer.end != REACH_FOUND && answer.end != REACH_WITHOUT_LOAD)
    return fail(why, STATUS_NOT_CONVERGED, "the allocation of the mean load has no solution");
  *share = answer.end == REACH_WITHOUT_LOAD ? 0 : answer.margin > 0 ? 1 / answer.margin : HUGE_VAL;
  return STATUS_OK;
}

enum status present_shares(const struct config *config, const struct present_loss *loss, int count,
                           double *share, struct reason *why) {
  double load[3], current_mps;
  if (!config->sim.vessel.plant.thruster_count)
    return fail(why, STATUS_BAD_INPUT, "the vessel has no thrusters");
  struct reach *set = malloc(sizeof *set);
  if (!set)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status = load_of(config, &current_mps, load, why);
  for (int i = 0; i < count && status == STATUS_OK; i++)
    status = share_after(&config->sim.vessel.plant, &loss[i], current_mps, load, set, &share[i], why);
  free(set);
  return status;
}
