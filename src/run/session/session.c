#include "run/session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void describe_stinger(const struct stinger_def *def, struct wire_pipe *out) {
  out->support_count = stinger_supports(def);
  for (int k = 0; k < out->support_count; k++) {
    const vec3 at = stinger_support_of(def, k).at_b_m;
    out->support_b_m[0][k] = at.x;
    out->support_b_m[1][k] = at.y;
    out->support_b_m[2][k] = at.z;
  }
}

static enum status describe_pipe(const struct setup *setup, const struct sim *sim,
                                 struct session_about *out) {
  const struct pipe_def *def = &setup->config.sim.pipe;
  struct wire_pipe *pipe = &out->wire.pipe;
  int count = sim_node_capacity(sim), varies = 0;
  if (count == 0)
    return STATUS_OK;
  out->arc_length_m = calloc((size_t)count, sizeof(double));
  out->element_diameter_m = calloc((size_t)count, sizeof(double));
  if (!out->arc_length_m || !out->element_diameter_m)
    return STATUS_NO_MEMORY;
  for (int e = 0; e + 1 < count; e++) {
    out->arc_length_m[e + 1] = out->arc_length_m[e] + pipe_element_length(def, e);
    out->element_diameter_m[e] = pipe_element_type(def, e)->outer_diameter_m;
    varies |= out->element_diameter_m[e] != def->line.outer_diameter_m;
  }
  pipe->node_count = count;
  pipe->arc_length_m = out->arc_length_m;
  pipe->element_diameter_m = varies ? out->element_diameter_m : NULL;
  pipe->outer_diameter_m = def->line.outer_diameter_m;
  pipe->lay_azimuth_rad = def->lay_azimuth_rad;
  memcpy(pipe->hangoff_b_m, setup->config.sim.vessel.hangoff_b_m, sizeof pipe->hangoff_b_m);
  describe_stinger(&def->stinger, pipe);
  if (setup->config.sim.env.seabed_contact == CONTACT_UNDERSIDE)
    pipe->contact_offset_m = 0.5 * def->line.outer_diameter_m;
  return STATUS_OK;
}

// Level at a place given in nodes from the south-western one, between its neighbours.
static double level_at(const struct bathymetry_def *grid, double north, double east) {
  int i = (int)north, j = (int)east;
  i = i > grid->north_nodes - 2 ? grid->north_nodes - 2 : i;
  j = j > grid->east_nodes - 2 ? grid->east_nodes - 2 : j;
  const double *south = grid->z_m + (size_t)i * (size_t)grid->east_nodes + j;
  const double *higher = south + grid->east_nodes;
  double u = north - i, v = east - j;
  return (1 - u) * ((1 - v) * south[0] + v * south[1]) + u * ((1 - v) * higher[0] + v * higher[1]);
}

static enum status describe_grid(const struct bathymetry_def *grid, struct session_about *out) {
  struct wire_seabed *seabed = &out->wire.seabed;
  int north = grid->north_nodes < WIRE_GRID ? grid->north_nodes : WIRE_GRID;
  int east = grid->east_nodes < WIRE_GRID ? grid->east_nodes : WIRE_GRID;
  double north_step = (double)(grid->north_nodes - 1) / (north - 1), // in nodes of the bathymetry
      east_step = (double)(grid->east_nodes - 1) / (east - 1);
  out->grid_down_m = calloc((size_t)(north * east), sizeof(double));
  if (!out->grid_down_m)
    return STATUS_NO_MEMORY;
  for (int i = 0; i < north; i++)
    for (int j = 0; j < east; j++)
      out->grid_down_m[i * east + j] = level_at(grid, i * north_step, j * east_step);
  seabed->north_nodes = north;
  seabed->east_nodes = east;
  seabed->grid_north_m = grid->north_m;
  seabed->grid_east_m = grid->east_m;
  seabed->spacing_north_m = grid->spacing_m * north_step;
  seabed->spacing_east_m = grid->spacing_m * east_step;
  seabed->grid_down_m = out->grid_down_m;
  return STATUS_OK;
}

static enum status describe_seabed(const struct env_def *env, struct session_about *out) {
  struct wire_seabed *seabed = &out->wire.seabed;
  seabed->is_there = env->seabed != SEABED_NONE;
  seabed->north_m = env->slope.reference_m[0];
  seabed->east_m = env->slope.reference_m[1];
  seabed->down_m = env->depth_m;
  seabed->slope_north = tan(env->slope.angle_rad) * cos(env->slope.direction_rad);
  seabed->slope_east = tan(env->slope.angle_rad) * sin(env->slope.direction_rad);
  return seabed->is_there && env->bathymetry.north_nodes > 0 ? describe_grid(&env->bathymetry, out)
                                                             : STATUS_OK;
}

static void describe_view(const struct view_def *view, struct wire_session *out) {
  _Static_assert((int)MAX_OUTLINE <= (int)WIRE_OUTLINE && (int)WATCH_CIRCLES <= (int)WIRE_CIRCLES,
                 "room for all");
  out->outline_count = view->outline_count;
  for (int i = 0; i < view->outline_count; i++) {
    out->outline_b_m[i][0] = view->outline[i].forward_m;
    out->outline_b_m[i][1] = view->outline[i].starboard_m;
  }
  for (int i = 0; i < WATCH_CIRCLES && view->watch_circle_m[i] > 0; i++)
    out->circle_m[out->circle_count++] = view->watch_circle_m[i];
  out->limit_curvature_1pm = view->curvature_1pm;
  out->limit_moment_nm = view->moment_nm;
  out->limit_tension_n = view->tension_n;
}

enum status session_about_fill(const struct setup *setup, const struct sim *sim, const char *version,
                               double duration_s, const struct loop_target *start, struct session_about *out,
                               struct reason *why) {
  const struct config *config = &setup->config;
  memset(out, 0, sizeof *out);
  out->wire.version = version;
  out->wire.model_hash = config->model_hash;
  out->wire.duration_s = duration_s;
  out->wire.start[0] = start->start_n_m[0];
  out->wire.start[1] = start->start_n_m[1];
  out->wire.start[2] = start->heading_rad;
  out->wire.scenario = &config->scenario;
  const struct power_def *power = &config->sim.vessel.plant.power;
  out->wire.power = power->generator_count || power->battery_count ? power : NULL;
  describe_view(&config->view, &out->wire);
  enum status status = describe_pipe(setup, sim, out);
  if (status == STATUS_OK)
    status = describe_seabed(&config->sim.env, out);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "out of memory for the description of the session");
}

void session_about_free(struct session_about *about) {
  free(about->arc_length_m);
  free(about->element_diameter_m);
  free(about->grid_down_m);
}
