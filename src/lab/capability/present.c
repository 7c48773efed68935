#include "lab/capability/present.h"

#include "lab/capability/level2.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <stdlib.h>

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
