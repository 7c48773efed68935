// A pipe laid along a curve of radius r pulls inwards by H/r per metre. The seabed holds mu w of it. The
// factor covers friction that varies, and tension that rises above its set-point. Seen from above, the
// suspended pipe is a straight line that touches the laid curve at the touchdown point. While the hang-off
// follows a circle of radius R, the pipe is therefore laid along a circle of radius r = sqrt(R^2 - l^2), l:
// lay-back.
#include "sagbend/engine/engine_internal.h"

#include "sagbend/pipe/pipe.h"

#include <math.h>
#include <string.h>

static const double ROUTE_FACTOR = 1.5;

double route_horizontal_tension(const struct config *config, const struct dp_config *dp) {
  const struct sim_def *sim = &config->sim;
  const struct tensioner_def *tensioner = &sim->pipe.tensioner;
  double most_n = sim->statics.kind == STATICS_HORIZONTAL_FORCE ? sim->statics.horizontal_force_n : 0;
  double hanging_n = pipe_type_weight(&sim->pipe, &sim->pipe.line, &sim->env) * sim->env.depth_m;
  for (int i = 0; i < tensioner->order_count; i++)
    if (tensioner->order[i].mode == TENSIONER_TENSION)
      most_n = fmax(most_n, tensioner->order[i].tension_n - hanging_n); // of a catenary: T = H + w depth
  for (int i = 0; i < sim->pipe.operations.count; i++)
    if (sim->pipe.operations.operation[i].order == OPERATION_TENSION)
      most_n = fmax(most_n, sim->pipe.operations.operation[i].tension_n - hanging_n);
  if (dp->def.track.tension_n > 0)
    most_n = fmax(most_n, dp->def.track.tension_n - hanging_n);
  return most_n;
}

// Lay-back of a catenary.
static double layback(double horizontal_n, double weight_npm, double depth_m) {
  double a = horizontal_n / weight_npm;
  return a * acosh(1 + depth_m / a);
}

static int check_corner(const struct config *config, const struct dp_config *dp, int i, double horizontal_n,
                        const struct error_sink *errors) {
  const struct sim_def *sim = &config->sim;
  double radius_m = dp->def.track.route.waypoint[i].radius_m, mu = sim->env.friction.coefficient[1];
  double weight_npm = pipe_type_weight(&sim->pipe, &sim->pipe.line, &sim->env);
  const char *place = dp->route_places.radius_at[i];
  if (!*place)
    return 1;
  if (!(mu * weight_npm > 0)) {
    error_pass(errors, place,
               "route.waypoints.%d.radius_m: a straight route expected, got a corner: without "
               "environment.seabed_friction_lateral the seabed does not hold a pipe on a curve",
               i);
    return 0;
  }
  double laid_m = ROUTE_FACTOR * horizontal_n / (mu * weight_npm);
  double layback_m = layback(horizontal_n, weight_npm, sim->env.depth_m), least_m = hypot(laid_m, layback_m);
  if (radius_m >= least_m)
    return 1;
  error_pass(
      errors, place,
      "route.waypoints.%d.radius_m: at least %.1f m expected, got %g: the lateral friction of the "
      "seabed, %.3g x %.4g N/m, holds %.4g kN with a factor of %g on a radius of %.1f m, and with a lay-back "
      "of "
      "%.1f m the pipe is laid on a smaller radius than that of the hang-off",
      i, ceil(10 * least_m) / 10, radius_m, mu, weight_npm, horizontal_n / 1e3, ROUTE_FACTOR, laid_m,
      layback_m);
  return 0;
}

static int check_tension(const struct config *config, const struct dp_config *dp,
                         const struct error_sink *errors) {
  static const double no_wrench[6];
  struct command_def rules = {0};
  struct reason why = {""};
  double tension_n = dp->def.track.tension_n;
  config_command_rules(config, no_wrench, &rules);
  const struct tensioner_setpoint order = {
      .given = tension_n > 0, .mode = TENSIONER_TENSION, .tension_n = tension_n};
  if (tensioner_setpoint_check(&rules.tensioner, TENSIONER_BY_CONTROLLER, &order, &why) == STATUS_OK)
    return 1;
  error_pass(errors, dp->route_places.tension_at,
             "route.tension_n: an order that the vessel accepts expected, got %g N: %s", tension_n, why.text);
  return 0;
}

// Moves that wait for the pay-out need a tensioner, and its encoder where the vessel has instruments.
static int check_payout(const struct config *config, const struct dp_config *dp,
                        const struct error_sink *errors) {
  const struct instruments_def *instruments = &config->suite.instruments;
  const char *place = dp->route_places.payout_at;
  int encoders = 0;
  if (!dp->def.track.payout.is_followed)
    return 1;
  if (!config->sim.pipe.tensioner.order_count) {
    error_pass(errors, place,
               "route.payout: a vessel with pipe.tensioner expected: this one pays out no pipe by "
               "orders");
    return 0;
  }
  for (int i = 0; i < instruments->count; i++)
    for (int k = 0; k < dp->def.navigation.count; k++)
      encoders += instruments->instrument[i].kind == INSTRUMENT_PAYOUT &&
                  dp->def.navigation.instrument[k].kind == INSTRUMENT_PAYOUT &&
                  !strcmp(instruments->instrument[i].name, dp->def.navigation.instrument[k].name);
  if (!instruments->count || encoders)
    return 1;
  error_pass(errors, place,
             "route.payout: an instrument of the kind payout expected that the vessel and the DP "
             "file name "
             "alike, got none: the moves would wait for ever");
  return 0;
}

// An operation that ends at a way which the route does not have would not end.
static int check_ways(const struct config *config, const struct route *route,
                      const struct error_sink *errors) {
  const struct operations_def *all = &config->sim.pipe.operations;
  const double most_m = route->count > 0 ? route->length_m : 0;
  int longest = 0;
  double way_m = 0;
  for (int i = 0; i < all->count; i++)
    if (all->operation[i].end == OPERATION_WAY && all->operation[i].end_value > way_m)
      longest = i, way_m = all->operation[i].end_value;
  if (way_m <= most_m)
    return 1;
  error_pass(errors, config->way_at,
             "pipe.operations.%d.until_way_m: at most %g m, the length of the route of "
             "controller.dp_file, expected, got %g",
             longest, most_m, way_m);
  return 0;
}

enum status route_check(const struct config *config, const struct dp_config *dp, double horizontal_n,
                        const struct error_sink *errors) {
  const struct track_def *track = &dp->def.track;
  const struct pipe_def *pipe = &config->sim.pipe;
  int good = check_ways(config, &track->route, errors);
  if (!track->route.count)
    return good ? STATUS_OK : STATUS_BAD_INPUT;
  good &= check_tension(config, dp, errors);
  good &= check_payout(config, dp, errors);
  if (!pipe->elements)
    return good ? STATUS_OK : STATUS_BAD_INPUT;
  if (pipe->tensioner.order_count && track->speed_mps > pipe->tensioner.speed_max_mps) {
    error_pass(errors, dp->route_places.speed_at,
               "route.speed_mps: at most %g m/s, pipe.tensioner.speed_max_mps of the vessel, expected, "
               "got %g",
               pipe->tensioner.speed_max_mps, track->speed_mps);
    good = 0;
  }
  for (int i = 0; i < track->route.waypoint_count && horizontal_n > 0; i++)
    good &= check_corner(config, dp, i, horizontal_n, errors);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}
