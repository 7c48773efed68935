// Watches what the commands do to the vessel; what a notice says.
#include "sagbend/monitor/monitor.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
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

static double distance_m(const struct sim_output *now, const struct monitor_target *target) {
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
                         const struct monitor_target *target) {
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

static void notice_rest(struct notice *notice, uint64_t quiet_steps);

void command_monitor_step(struct command_monitor *m, const struct command_def *def,
                          const struct command_latch *latch, const struct sim_output *now,
                          const struct monitor_target *target) {
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

static int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why);

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
static const double DEG = 180 / TRIG_PI;

void notice_text(int kind, const struct notice *n, const char *thruster, char *out, size_t size) {
  const double *v = n->value;
  const char *ask = notice_question(kind);
  const double turn = v[0] * DEG;
  switch (kind) {
  case NOTICE_WEAK_WRENCH:
    snprintf(out, size, "commanded %.4g N, expected about %.4g N to hold; %.3g m off and leaving: %s", v[0],
             v[1], v[2], ask);
    break;
  case NOTICE_WEAK_THRUSTERS:
    snprintf(out, size, "largest set-point %.3g %% of full, hold has %.3g %%; %.3g m off and leaving: %s",
             100 * v[0], 100 * v[1], v[2], ask);
    break;
  case NOTICE_AZIMUTH:
    snprintf(out, size, "thruster %s: azimuth_rad of %.5g commanded, %.3g full turns: %s", thruster, v[0],
             v[1], ask);
    break;
  case NOTICE_FEEDBACK:
    snprintf(out, size,
             "the command pushes the vessel on, in its motion along %s (%s): feedback is positive: %s",
             fabs(trig_cos(v[2])) > fabs(trig_sin(v[2])) ? "north" : "east",
             fabs(trig_cos(v[2] - v[1])) > fabs(trig_sin(v[2] - v[1])) ? "surge" : "sway", ask);
    break;
  case NOTICE_FRAME:
    snprintf(out, size, "the force answers the motion turned by %.0f deg, at heading %.0f deg: %s", turn,
             v[1] * DEG, ask);
    break;
  default:
    snprintf(out, size, "the commanded moment turns the vessel on, %.2g deg so far (yaw): %s", v[3] * DEG,
             ask);
  }
}

void notice_raise(struct notice *notice, uint64_t step, const double value[4], int64_t thruster) {
  notice->gone = 0;
  if (notice->active)
    return;
  notice->active = 1;
  notice->count++;
  notice->step = step;
  notice->thruster = thruster;
  for (int i = 0; i < 4; i++)
    notice->value[i] = value[i];
}

static void notice_rest(struct notice *notice, uint64_t quiet_steps) {
  if (notice->active && ++notice->gone > quiet_steps)
    notice->active = notice->gone = 0;
}

// Whether notices from a file are possible at this step (sagbend/base/base.h).
static int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why) {
  for (int i = 0; i < NOTICE_COUNT; i++) {
    const struct notice *n = &notices->kind[i];
    if (!valid_whole(n->count, 0, step, "count", why) || !valid_whole(n->step, 0, step, "step", why) ||
        !valid_whole(n->active, 0, n->count > 0, "active", why) ||
        !valid_whole(n->gone, 0, n->active ? step : 0, "gone", why) ||
        !valid_finite(n->value, 4, "value", why) ||
        !valid_index(n->thruster, -1, MAX_THRUSTERS - 1, "thruster", why))
      return valid_fail_in(why, "notice[%d].", i);
  }
  return 1;
}
