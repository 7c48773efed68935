#include "sagbend/rig/held_pose.h"

#include "sagbend/dp/track.h"

#include <math.h>

struct on_route loop_on_route(const struct track_def *track, const struct sim_output *truth) {
  struct on_route at = {(double)NAN, (double)NAN, 0};
  double point_m[2];
  if (!track)
    return at;
  track_point(track, truth->position_n_m, truth->euler_rad[2], point_m);
  route_nearest(&track->route, point_m, &at.way_m, &at.cross_m);
  at.length_m = track->route.length_m;
  return at;
}

int loop_is_on_route(const struct loop_target *target) {
  return target->track != NULL && target->order == 0;
}

struct held_pose loop_route_pose(const struct track_def *track, const struct sim_output *truth) {
  const struct on_route at = loop_on_route(track, truth);
  double pose[3] = {0};
  if (track)
    track_pose(track, at.way_m < 0 ? 0 : at.way_m > at.length_m ? at.length_m : at.way_m, pose);
  return (struct held_pose){{pose[0], pose[1]}, pose[2]};
}

struct held_pose loop_held_pose(const struct loop_target *target, const struct sim_output *truth) {
  if (loop_is_on_route(target))
    return loop_route_pose(target->track, truth);
  return (struct held_pose){{target->position_n_m[0], target->position_n_m[1]}, target->heading_rad};
}
