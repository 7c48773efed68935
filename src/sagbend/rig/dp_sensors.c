#include "sagbend/rig/dp_sensors.h"

#include "sagbend/base/zeros.h"
#include "sagbend/math/trig.h"

#include <string.h>

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
