// The section environment.current.
#include "sagbend/case/config_sections.h"

static const struct key_def KEYS[] = {
    {"environment.current", AS_SECTION, .optional = 1,
     .doc = "Current: a table of points over depth, or a speed at the surface that falls linearly to zero at "
            "the seabed."},
    {"environment.current.surface_mps", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.env.current.surface_mps), .unit = "m/s",
     .doc = "Current speed at the surface. It falls linearly to zero at the seabed. Exactly one of "
            "surface_mps and points."},
    {"environment.current.direction_deg", AS_NUMBER, .optional = 1, .degrees = 1,
     AT(out.sim.env.current.direction_rad), .unit = "deg",
     .doc =
         "Direction towards which the current flows, clockwise from north (x). Required beside surface_mps."},
    {"environment.current.points", AS_ITEMS, .size = MAX_CURRENT_POINTS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.env.current.points, current_point, out.sim.env.current.point_count),
     .doc = "Current profile: velocities at increasing depths, linear between the points and constant beyond "
            "them. Exactly one of surface_mps and points."},
    {"environment.current.points[].depth_m", AS_NUMBER, .range = NOT_NEGATIVE, IN(current_point, depth_m),
     .unit = "m", .doc = "Depth of the point below the surface."},
    {"environment.current.points[].speed_mps", AS_NUMBER, .range = NOT_NEGATIVE, IN(current_point, speed_mps),
     .unit = "m/s", .doc = "Current speed at this depth."},
    {"environment.current.points[].direction_deg", AS_NUMBER, .degrees = 1, IN(current_point, direction_rad),
     .unit = "deg",
     .doc = "Direction towards which the current flows at this depth, clockwise from north (x)."},
    {"environment.current.table[].direction_offset_deg", AS_NUMBER, .degrees = 1, .fallback = "0",
     IN(table_row, value) + sizeof(double), .unit = "deg",
     .doc = "Angle added to the current directions at this time, clockwise."},
};

static void check_current(const struct check *c) {
  const char *section = "environment.current", *direction = "environment.current.direction_deg";
  const char *points = "environment.current.points";
  const struct current_def *current = &c->draft->out.sim.env.current;
  int by_points = given(c, points) != NULL;

  check_profile(c, section, &current->profile);
  if (!given(c, section))
    return;

  check_one_of(c, section, "surface_mps", "points");
  check_allowed(c, direction, !by_points, "surface_mps is given; points have directions of their own");
  if (!by_points && !given(c, direction))
    report(c, direction, "the direction towards which the current flows expected");
  for (int i = 1; i < current->point_count; i++)
    if (!(current->points[i].depth_m > current->points[i - 1].depth_m)) {
      report(c, points, "depths that increase from point to point expected");
      return;
    }
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "environment.current",
     .offset = offsetof(struct config_draft, out.sim.env.current.profile)},
};
const struct config_section CURRENT_SECTION = {GROUPS, 2, check_current, NULL, NULL};
