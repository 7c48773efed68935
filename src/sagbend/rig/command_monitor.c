#include "sagbend/rig/rig.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double WEAK_WRENCH = 0.01, WEAK_THRUSTERS = 0.1; // of what holds
static const double LEAST_HOLD = 1e-3, LIMIT_SHARE = 0.1;     // of network.wrench_limit
static const double LEAST_STROKE = 0.1;                       // of full, that holds
static const double MANY_TURNS_RAD = 4 * TRIG_PI;
static const double LEAST_FORCE = 0.05; // of what has to be held
enum { FAR = 5 };                       // MONITOR_LEAVES_M where nothing has to be held

static int is_commanded(const struct command_latch *latch) {
  return (latch->state == COMMAND_LIVE || latch->state == COMMAND_OLD) && !latch->last.standby;
}

static double horizontal(const double wrench_b[6]) {
  return sqrt(wrench_b[0] * wrench_b[0] + wrench_b[1] * wrench_b[1]);
}

static double distance_m(const struct sim_output *now, const struct loop_target *target) {
  const double north_m = now->position_n_m[0] - target->position_n_m[0];
  const double east_m = now->position_n_m[1] - target->position_n_m[1];
  return sqrt(north_m * north_m + east_m * east_m);
}

// The largest set-point as a share of its full value.
static double largest_stroke(const struct command_def *def, const struct thruster_setpoint *setpoint) {
  double largest = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    const double most = def->thruster[i].revolutions_max_rpm;
    const double stroke = fabs(most > 0 ? setpoint[i].revolutions_rpm / most : setpoint[i].pitch);
    largest = setpoint[i].enable && stroke > largest ? stroke : largest;
  }
  return largest;
}

// What is commanded beside what holds the vessel.
struct effort {
  int kind;                   // NOTICE_WEAK_WRENCH or NOTICE_WEAK_THRUSTERS
  double commanded, expected; // expected 0: not known
  double weak;                // share below which it is weak
  double leaves_m;            // distance by which the vessel then leaves its place
};

static double largest_limit_n(const struct command_def *def) {
  return def->wrench_limit[0] > def->wrench_limit[1] ? def->wrench_limit[0] : def->wrench_limit[1];
}

// Whether no force has to be held.
static int holds_nothing(const struct command_def *def) {
  return horizontal(def->initial_holding_force_b) <= LEAST_HOLD * largest_limit_n(def);
}

static double expected_n(const struct command_def *def) {
  return holds_nothing(def) ? LIMIT_SHARE * largest_limit_n(def) : horizontal(def->initial_holding_force_b);
}

static struct effort effort_of(const struct command_def *def, const struct command_latch *latch) {
  struct effort e = {.kind = NOTICE_WEAK_WRENCH, .weak = WEAK_WRENCH, .leaves_m = MONITOR_LEAVES_M};
  if (latch->last.thruster_count > 0) {
    e.kind = NOTICE_WEAK_THRUSTERS;
    e.weak = WEAK_THRUSTERS;
    e.commanded = largest_stroke(def, latch->setpoint);
    e.expected = largest_stroke(def, def->hold_setpoint);
    // Zero is meant: a controller stops thrusters that are not ready. Another unit makes small numbers of
    // large ones.
    if (e.expected < LEAST_STROKE || !(e.commanded > 0))
      e.expected = 0;
    return e;
  }
  e.commanded = horizontal(latch->last.wrench_b);
  e.expected = expected_n(def);
  e.leaves_m *= holds_nothing(def) ? FAR : 1;
  return e;
}

static void watch_effort(struct command_monitor *m, const struct command_def *def,
                         const struct command_latch *latch, const struct sim_output *now,
                         const struct loop_target *target) {
  const struct effort e = effort_of(def, latch);
  if (!(e.expected > 0 && e.commanded < e.weak * e.expected)) {
    m->weak_since = 0;
    return;
  }
  const double off_m = distance_m(now, target);
  if (!m->weak_since) {
    m->weak_since = 1 + now->step;
    m->weak_from_m = off_m;
  }
  const double value[4] = {e.commanded, e.expected, off_m, now->euler_rad[2]};
  if (now->step + 1 - m->weak_since >= steps_nearest_to(MONITOR_WEAK_S, target->step_s) &&
      off_m > m->weak_from_m + e.leaves_m)
    notice_raise(&m->notices.kind[e.kind], now->step, value, -1);
}

static void watch_azimuths(struct command_monitor *m, const struct command_def *def,
                           const struct command_latch *latch, const struct sim_output *now, double step_s) {
  int found = -1;
  for (int i = 0; i < def->thruster_count && latch->last.thruster_count > 0; i++)
    if (def->thruster[i].rudder_max_rad < 0 && fabs(latch->setpoint[i].azimuth_rad) > MANY_TURNS_RAD)
      found = i;
  m->azimuth_since = found < 0 ? 0 : m->azimuth_since ? m->azimuth_since : 1 + now->step;
  if (found < 0 || now->step + 1 - m->azimuth_since < steps_nearest_to(MONITOR_WEAK_S, step_s))
    return;
  const double azimuth_rad = latch->setpoint[found].azimuth_rad;
  const double value[4] = {azimuth_rad, fabs(azimuth_rad) / (2 * TRIG_PI), 0, 0};
  notice_raise(&m->notices.kind[NOTICE_AZIMUTH], now->step, value, found);
}

static void watch_feedback(struct command_monitor *m, const struct command_def *def,
                           const struct command_latch *latch, const struct sim_output *now, double step_s) {
  const double *wrench_b = latch->last.thruster_count > 0 ? now->thruster_wrench_b : latch->last.wrench_b;
  const struct feedback_input input = {.wrench_b = wrench_b,
                                       .quaternion_nb = now->quaternion_nb,
                                       .position_n_m = now->position_n_m,
                                       .velocity_n_mps = now->velocity_n_mps,
                                       .heading_rad = now->euler_rad[2],
                                       .rate_radps = now->velocity_b[5]};
  if (feedback_step(&m->feedback, &input, steps_nearest_to(1, step_s)))
    feedback_judge(&m->feedback, now->step, LEAST_FORCE * expected_n(def), &m->notices);
}

void command_monitor_step(struct command_monitor *m, const struct command_def *def,
                          const struct command_latch *latch, const struct sim_output *now,
                          const struct loop_target *target) {
  const uint64_t alarm = latch->last.consequence.alarm != 0;
  m->consequence_alarms += alarm && !m->consequence_alarm;
  m->consequence_alarm = alarm;
  const uint64_t quiet = steps_nearest_to(NOTICE_QUIET_S, target->step_s);
  for (int i = 0; i < NOTICE_COUNT; i++)
    notice_rest(&m->notices.kind[i], quiet);
  if (!is_commanded(latch) || m->setpoint_order != target->order)
    feedback_step(&m->feedback, NULL, 1);
  m->setpoint_order = target->order;
  if (!is_commanded(latch)) {
    m->weak_since = m->azimuth_since = 0;
    return;
  }
  watch_effort(m, def, latch, now, target);
  watch_azimuths(m, def, latch, now, target->step_s);
  watch_feedback(m, def, latch, now, target->step_s);
}

int command_monitor_is_valid(const struct command_monitor *m, uint64_t step, struct reason *why) {
  if (!feedback_is_valid(&m->feedback, why))
    return valid_fail_in(why, "feedback.");
  return notices_are_valid(&m->notices, step, why) &&
         valid_whole(m->consequence_alarm, 0, 1, "consequence_alarm", why) &&
         valid_whole(m->consequence_alarms, 0, step, "consequence_alarms", why) &&
         valid_whole(m->weak_since, 0, step + 1, "weak_since", why) &&
         valid_finite(&m->weak_from_m, 1, "weak_from_m", why) &&
         valid_whole(m->azimuth_since, 0, step + 1, "azimuth_since", why);
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
