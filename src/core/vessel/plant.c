#include "core/vessel/plant.h"

#include "core/base/steps.h"
#include "core/math/trig.h"
#include "core/vessel/power.h"

#include <string.h>

void plant_command_rules(const struct plant_def *def, double step_s, struct command_def *out) {
  out->thruster_count = def->thruster_count;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *t = &def->thruster[i];
    struct thruster_rule *rule = &out->thruster[i];
    *rule = (struct thruster_rule){.revolutions_max_rpm = t->drive == DRIVE_CPP ? 0 : t->revolutions_max_rpm,
                                   .rudder_max_rad = t->kind == THRUSTER_MAIN ? t->rudder_max_rad : -1,
                                   .timeout_steps = steps_nearest_to(t->timeout_s, step_s),
                                   .stops = t->reaction == TIMEOUT_STOPS};
    memcpy(rule->name, t->name, sizeof rule->name);
  }
}

struct plant_state plant_at_rest(const struct plant_def *def) {
  struct plant_state s = {0};
  for (int i = 0; i < def->thruster_count; i++)
    s.thruster[i] = thruster_at_rest(&def->thruster[i]);
  for (int i = 0; i < def->bus_count; i++)
    s.bus[i] = (struct bus_state){.available_w = def->bus[i].available_w, .closed = 1};
  return s;
}

static double bounded(double x, double most) {
  return x > most ? most : x < -most ? -most : x;
}

// Ready, starting, running.
static void switch_thruster(const struct thruster_def *def, struct thruster_state *s, int enable, int ready,
                            double step_s) {
  s->ready = (uint64_t)ready;
  if (!ready || !enable) {
    s->running = 0;
    s->start_left_s = def->start_up_s;
  } else if (s->start_left_s > 0.5 * step_s) {
    s->start_left_s -= step_s;
  } else {
    s->start_left_s = 0;
    s->running = 1;
  }
}

static void set_azimuth(const struct thruster_def *def, struct thruster_state *s, double asked_rad) {
  if (def->kind == THRUSTER_TUNNEL)
    return;
  if (def->kind == THRUSTER_MAIN) {
    s->azimuth_set_rad = bounded(asked_rad, def->rudder_max_rad);
    return;
  }
  // Of revolutions astern the thrust goes the other way.
  double astern = thruster_stroke(def, s->revolutions_set_rpm, s->pitch_set) < 0 ? TRIG_PI : 0;
  double direction = asked_rad + astern, allowed = thruster_allowed_azimuth(def, direction);
  s->moved_count += allowed != direction && asked_rad != s->asked_azimuth_rad;
  s->asked_azimuth_rad = asked_rad;
  s->azimuth_set_rad = allowed != direction ? trig_wrap(allowed - astern) : trig_wrap(asked_rad);
}

static void set_point(const struct thruster_def *def, struct thruster_state *s,
                      const struct thruster_setpoint *asked) {
  s->revolutions_set_rpm = s->pitch_set = 0;
  if (!s->running) {
    s->azimuth_set_rad = s->azimuth_rad; // the steering gear stands
    return;
  }
  if (def->drive == DRIVE_CPP) {
    s->revolutions_set_rpm = def->revolutions_max_rpm;
    s->pitch_set = bounded(asked->pitch, 1);
  } else {
    s->revolutions_set_rpm = bounded(asked->revolutions_rpm, def->revolutions_max_rpm);
  }
  set_azimuth(def, s, asked->azimuth_rad);
}

void plant_latch(const struct plant_def *def, struct plant_state *s, const struct thruster_setpoint *setpoint,
                 const struct thruster_switches *thruster, const struct bus_switches *bus, double step_s) {
  for (int i = 0; i < def->bus_count; i++) {
    s->bus[i].closed = !bus[i].lost;
    s->bus[i].available_w = bus[i].lost ? 0 : def->bus[i].available_w * (1 - bus[i].withheld);
  }
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *d = &def->thruster[i];
    struct thruster_state *t = &s->thruster[i];
    int ready = !thruster[i].not_ready && (d->bus < 0 || s->bus[d->bus].closed);
    t->stuck = (uint64_t)(thruster[i].stuck != 0);
    t->rate_share = 1 - thruster[i].slowed;
    switch_thruster(d, t, setpoint[i].enable, ready, step_s);
    set_point(d, t, &setpoint[i]);
  }
  for (int i = 0; i < def->bus_count; i++)
    power_limit(def, s, i);
}

void plant_flow(const struct plant_def *def, struct plant_state *s, double duration_s) {
  for (int i = 0; i < def->thruster_count; i++)
    thruster_flow(&def->thruster[i], &s->thruster[i], duration_s);
}

void plant_set_steady(const struct plant_def *def, struct plant_state *s,
                      const struct thruster_setpoint *setpoint) {
  static const struct thruster_switches in_order[MAX_THRUSTERS];
  static const struct bus_switches closed[MAX_BUSES];
  for (int i = 0; i < def->thruster_count; i++) {
    s->thruster[i].start_left_s = 0;
    s->thruster[i].asked_azimuth_rad = setpoint[i].azimuth_rad;
  }
  plant_latch(def, s, setpoint, in_order, closed, 0);
  for (int i = 0; i < def->thruster_count; i++) {
    struct thruster_state *t = &s->thruster[i];
    t->revolutions_rpm = t->revolutions_set_rpm;
    t->pitch = t->pitch_set;
    t->azimuth_rad = t->azimuth_set_rad;
  }
}

double plant_power_w(const struct plant_def *def, const struct plant_state *s, int thruster) {
  const struct thruster_state *t = &s->thruster[thruster];
  return t->running ? thruster_power_w(&def->thruster[thruster], t->revolutions_rpm, t->pitch) : 0;
}

double plant_bus_power_w(const struct plant_def *def, const struct plant_state *s, int bus) {
  double sum = 0;
  for (int i = 0; i < def->thruster_count; i++)
    if (def->thruster[i].bus == bus)
      sum += plant_power_w(def, s, i);
  return sum;
}
