// The frame of a step: copies of it, what a sampled controller reads of it, and what the vessel is to hold.
#include "sagbend/rig/rig.h"

#include "sagbend/base/base.h"
#include "sagbend/dp/dp.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *rig_clock_word(enum rig_clock clock) {
  static const char *const words[] = {RIG_CLOCK_WORDS};
  return (size_t)clock < sizeof words / sizeof *words ? words[clock] : "unknown";
}

void frame_copy(const struct frame *from, struct frame *to) {
  memcpy(to, from, offsetof(struct frame, faults));
  to->faults.count = from->faults.count;
  memcpy(to->faults.fault, from->faults.fault, (size_t)from->faults.count * sizeof *from->faults.fault);
  dp_alarm_state_copy(&from->alarms, &to->alarms);
}

// ------------------------------------------------------------
void dp_sensors_of_output(const struct sim_output *o, struct dp_sensors *out) {
  memset(out, 0, sizeof *out);
  out->step = o->step;
  out->time_s = o->time_s;
  memcpy(out->position_n_m, o->position_n_m, sizeof out->position_n_m);
  memcpy(out->euler_rad, o->euler_rad, sizeof out->euler_rad);
  memcpy(out->velocity_n_mps, o->velocity_n_mps, sizeof out->velocity_n_mps);
  memcpy(out->euler_rate_radps, o->euler_rate_radps, sizeof out->euler_rate_radps);
  memcpy(out->applied_wrench_b, o->control_wrench_b, sizeof out->applied_wrench_b);
  if (!o->has_pipe)
    return;
  out->hangoff_tension_n = o->hangoff_tension_n;
  out->hangoff_angle_rad = o->hangoff_angle_rad;
  out->hangoff_lean_rad = o->hangoff_lean_rad;
  out->hangoff_azimuth_rad = trig_atan2(o->hangoff_force_n_n[1], o->hangoff_force_n_n[0]);
  if (!o->has_tensioner)
    return;
  out->has_tensioner = 1;
  out->paid_out_m = o->paid_out_m;
  out->tensioner_mode = (int)o->tensioner.mode;
}

void dp_sensors_of_frame(const struct frame *f, struct dp_sensors *out) {
  struct readings *r = &out->readings;
  dp_sensors_of_output(&f->output, out);
  out->time_s += f->clock_offset_s;
  if (f->readings.instrument_count) // withheld
    *out = (struct dp_sensors){.step = out->step, .time_s = out->time_s};
  memcpy(out->applied_wrench_b, f->output.control_wrench_b, sizeof out->applied_wrench_b);
  out->command_based_on_step = f->command_based_on_step;
  *r = f->readings;
  for (int i = 0; i < r->instrument_count; i++)
    unsign_zeros(r->instrument[i].value, READING_CHANNELS);
  for (int i = 0; i < r->thruster_count; i++) {
    struct thruster_feedback *t = &r->thruster[i];
    t->revolutions_rpm += 0.0, t->pitch += 0.0, t->azimuth_rad += 0.0, t->power_w += 0.0;
  }
}

// ------------------------------------------------------------
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

// ------------------------------------------------------------
static const char *const NAMES[] = {
#define X(name, text, meaning) text,
    STEP_STAGE_TABLE(X)
#undef X
};

const char *step_stage_name(int stage) {
  return stage >= 0 && stage < STEP_STAGE_COUNT ? NAMES[stage] : "unknown";
}

enum step_stage late_step_cause(const struct late_step *late) {
  int cause = 0;
  for (int i = 1; i < STEP_STAGE_COUNT; i++)
    cause = late->stage_us[i] > late->stage_us[cause] ? i : cause;
  return (enum step_stage)cause;
}
