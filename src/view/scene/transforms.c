// /tf. The frame `ned` in `world`: north is y, east is x, down is -z, a half turn about the axis (1, 1, 0).
// The frame `vessel` in `ned`: the position, and the attitude as the protocol has it.
#include "sagbend/math/so3.h"
#include "view/scene/scene_internal.h"
#include "view/scene/time_of.h"

#include "foxglove/transforms.pb-c.h"

#include <math.h>

static const double HALF_ROOT = 0.70710678118654752440;

// Drawing needs fewer digits than computing, and fewer digits make a smaller log: 0.1 mm, 1e-7 of a turn.
// What is drawn is finite: at most 10,000 km.
static double rounded(double value, double steps) {
  return round(fmin(1e7, fmax(-1e7, value)) * steps) / steps;
}
static const double LENGTH_STEPS = 8192, QUATERNION_STEPS = 8388608;

// Position and attitude of the vessel. Returns 0 if they are not known.
static int vessel_pose(const struct scene *scene, double position_m[3], quat *attitude) {
  const Sagbend__V1__Truth *t = scene_truth(scene);
  const Sagbend__V1__Sensors *s = scene_sensors(scene);
  if (t) {
    const double place[3] = {t->position_north_m, t->position_east_m, t->position_down_m};
    *attitude = (quat){t->quaternion_w, t->quaternion_x, t->quaternion_y, t->quaternion_z};
    for (int i = 0; i < 3; i++)
      position_m[i] = place[i];
  } else if (s) {
    const double euler_rad[3] = {s->roll_rad, s->pitch_rad, s->heading_rad};
    const double place[3] = {s->position_north_m, s->position_east_m, s->position_down_m};
    *attitude = quat_of_euler(euler_rad);
    for (int i = 0; i < 3; i++)
      position_m[i] = place[i];
  } else {
    return 0;
  }
  double norm = attitude->w * attitude->w + attitude->x * attitude->x + attitude->y * attitude->y +
                attitude->z * attitude->z;
  if (!isfinite(norm) || norm < 0.25) // not an attitude
    return 0;
  *attitude = quat_unit(*attitude);
  return 1;
}

void scene_send_transforms(const struct scene_out *out) {
  double position_m[3];
  quat attitude;
  if (!vessel_pose(out->scene, position_m, &attitude))
    return;

  Google__Protobuf__Timestamp time = scene_time(out->time_ns);
  Foxglove__Vector3 origin = FOXGLOVE__VECTOR3__INIT, place = FOXGLOVE__VECTOR3__INIT;
  Foxglove__Quaternion turn = FOXGLOVE__QUATERNION__INIT, pose = FOXGLOVE__QUATERNION__INIT;
  Foxglove__FrameTransform ned = FOXGLOVE__FRAME_TRANSFORM__INIT, vessel = FOXGLOVE__FRAME_TRANSFORM__INIT;
  Foxglove__FrameTransform *both[] = {&ned, &vessel};
  Foxglove__FrameTransforms message = FOXGLOVE__FRAME_TRANSFORMS__INIT;
  char world_name[] = "world", ned_name[] = "ned", vessel_name[] = "vessel";

  turn.x = turn.y = HALF_ROOT;
  ned.timestamp = vessel.timestamp = &time;
  ned.parent_frame_id = world_name;
  ned.child_frame_id = vessel.parent_frame_id = ned_name;
  ned.translation = &origin;
  ned.rotation = &turn;

  place.x = rounded(position_m[0], LENGTH_STEPS);
  place.y = rounded(position_m[1], LENGTH_STEPS);
  place.z = rounded(position_m[2], LENGTH_STEPS);
  pose.x = rounded(attitude.x, QUATERNION_STEPS);
  pose.y = rounded(attitude.y, QUATERNION_STEPS);
  pose.z = rounded(attitude.z, QUATERNION_STEPS);
  pose.w = rounded(attitude.w, QUATERNION_STEPS);
  vessel.child_frame_id = vessel_name;
  vessel.translation = &place;
  vessel.rotation = &pose;

  message.transforms = both;
  message.n_transforms = 2;
  scene_send(out, SCENE_TRANSFORMS, &message.base);
}
