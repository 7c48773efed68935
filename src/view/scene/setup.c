#include "view/scene/setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_GRID = 64 };

int setup_is_readable(const Sagbend__V1__Session *session) {
  const Sagbend__V1__SeabedGrid *grid = session->seabed ? session->seabed->grid : NULL;
  return !grid ||
         (grid->north_nodes >= 2 && grid->east_nodes >= 2 && grid->north_nodes <= LARGEST_GRID &&
          grid->east_nodes <= LARGEST_GRID && grid->n_down_m == (size_t)grid->north_nodes * grid->east_nodes);
}

// What is drawn is finite: at most 10,000 km.
static double bounded(double value_m) {
  return fmin(1e7, fmax(-1e7, value_m));
}

// Index of the k-th of kept out of count, with the first and the last.
static size_t place_of(int k, int kept, size_t count) {
  return kept < 2 ? 0 : (size_t)k * (count - 1) / (size_t)(kept - 1);
}

static int fewer(size_t count, int most) {
  return count < (size_t)most ? (int)count : most;
}

static void take_grid(struct setup_seabed *seabed, const Sagbend__V1__SeabedGrid *grid) {
  seabed->ground = GROUND_GRID;
  seabed->rows = fewer(grid->north_nodes, SCENE_MAX_GRID);
  seabed->columns = fewer(grid->east_nodes, SCENE_MAX_GRID);
  for (int j = 0; j < seabed->columns; j++) {
    size_t column = place_of(j, seabed->columns, grid->east_nodes);
    seabed->east_m[j] = bounded(grid->east_m + (double)column * grid->spacing_east_m);
  }
  for (int i = 0; i < seabed->rows; i++) {
    size_t row = place_of(i, seabed->rows, grid->north_nodes);
    seabed->north_m[i] = bounded(grid->north_m + (double)row * grid->spacing_north_m);
    for (int j = 0; j < seabed->columns; j++)
      seabed->level_m[i][j] =
          bounded(grid->down_m[row * grid->east_nodes + place_of(j, seabed->columns, grid->east_nodes)]);
  }
}

static void take_seabed(struct setup_seabed *seabed, const Sagbend__V1__SeabedInfo *info) {
  seabed->ground = GROUND_PLANE;
  seabed->place_m[0] = bounded(info->north_m);
  seabed->place_m[1] = bounded(info->east_m);
  seabed->down_m = bounded(info->down_m);
  seabed->slope[0] = bounded(info->slope_north);
  seabed->slope[1] = bounded(info->slope_east);
  if (info->grid)
    take_grid(seabed, info->grid);
}

static void take_thrusters(struct scene_setup *setup, const Sagbend__V1__Welcome *welcome) {
  setup->thruster_count = fewer(welcome->n_thruster, SETUP_MAX_THRUSTERS);
  for (int i = 0; i < setup->thruster_count; i++) {
    const Sagbend__V1__ThrusterInfo *from = welcome->thruster[i];
    struct setup_thruster *to = &setup->thruster[i];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->has_rudder = from->steered_case == SAGBEND__V1__THRUSTER_INFO__STEERED_STEERING
                         ? from->steering == SAGBEND__V1__THRUSTER_STEERING__THRUSTER_STEERING_RUDDER
                         : from->kind == SAGBEND__V1__THRUSTER_KIND__THRUSTER_KIND_MAIN; // an older session
    to->position_b_m[0] = bounded(from->forward_m);
    to->position_b_m[1] = bounded(from->starboard_m);
    to->position_b_m[2] = bounded(from->down_m);
    to->thrust_max_n = from->thrust_max_n;
  }
}

// The target: the set-point in force, or the start.
static void take_target(struct scene_setup *setup, const Sagbend__V1__Session *session) {
  const Sagbend__V1__Setpoint *s = session->setpoint;
  setup->has_target = 1;
  setup->target[0] = bounded(s ? s->north_m : session->start_north_m);
  setup->target[1] = bounded(s ? s->east_m : session->start_east_m);
  setup->target[2] = s ? s->heading_rad : session->start_heading_rad;
}

void setup_take(struct scene_setup *setup, const Sagbend__V1__Session *session) {
  memset(setup, 0, sizeof *setup);
  take_target(setup, session);
  setup->circle_count = fewer(session->n_watch_circle_m, SCENE_MAX_CIRCLES);
  for (int i = 0; i < setup->circle_count; i++)
    setup->circle_m[i] = bounded(session->watch_circle_m[i]);
  setup->outline_count = fewer(session->n_outline, SCENE_MAX_OUTLINE);
  for (int i = 0; i < setup->outline_count; i++) {
    const Sagbend__V1__OutlinePoint *point =
        session->outline[place_of(i, setup->outline_count, session->n_outline)];
    setup->outline_m[i][0] = bounded(point->forward_m);
    setup->outline_m[i][1] = bounded(point->starboard_m);
  }
  if (session->limits) {
    setup->limit[LIMIT_TENSION] = session->limits->tension_n;
    setup->limit[LIMIT_CURVATURE] = session->limits->curvature_1pm;
    setup->limit[LIMIT_MOMENT] = session->limits->moment_nm;
  }
  if (session->welcome)
    take_thrusters(setup, session->welcome);
  if (session->seabed)
    take_seabed(&setup->seabed, session->seabed);
}
