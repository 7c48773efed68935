// Thrusters of the vessel over a flow: drives, azimuths, sectors, power.
#include "sagbend/thrusters/thrusters.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <string.h>

// Forbidden zones that protect another thruster from a wash: when they are in force, and the start of the
// thruster that they protect. docs/thrusters.md.
//
// A sector with `against` is in force while that thruster turns, that is while it runs, is due to run after
// its start-up time or still has more than 2 % of its revolutions. A thruster that is due waits until the
// others have left the sectors that protect it. They do, by the edge nearest to their thrust, because these
// sectors are already in force.

// The sectors of a thruster, one bit each.
struct sectors_now {
  unsigned lifted;  // not in force
  unsigned awaited; // in force for a thruster that is due
};

// Share of full revolutions, or of full stroke, below which a thruster counts as still.
static const double STILL = 0.02;

// Distance from an edge of a thrust that counts as out of the sector: a drive with a lag only approaches it.
static const double LEFT_RAD = 0.02;

static int is_turning(const struct thruster_def *def, const struct thruster_state *state, int started) {
  return started || fabs(state->revolutions_rpm) > STILL * def->revolutions_max_rpm;
}

// started: one for each thruster, 1 from the end of its start-up time until it stops.
static struct sectors_now sectors_now(const struct plant_def *def, const struct plant_state *state,
                                      const int *started, int thruster) {
  const struct thruster_def *own = &def->thruster[thruster];
  struct sectors_now now = {0};
  for (int k = 0; k < own->sector_count; k++)
    for (int i = 0; i < def->thruster_count && own->sector[k].against[0]; i++) {
      if (strncmp(def->thruster[i].name, own->sector[k].against, SIGNAL_NAME) != 0)
        continue;
      if (!is_turning(&def->thruster[i], &state->thruster[i], started[i]))
        now.lifted |= 1U << k;
      if (started[i] && !state->thruster[i].running)
        now.awaited |= 1U << k;
    }
  return now;
}

// Returns 1 while another thruster gives thrust in a sector that protects this one.
static int sectors_are_washing(const struct plant_def *def, const struct plant_state *state, int thruster) {
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *other = &def->thruster[i];
    const struct thruster_state *now = &state->thruster[i];
    double stroke = thruster_stroke(other, now->revolutions_rpm, now->pitch);
    double direction = now->azimuth_rad + (stroke < 0 ? TRIG_PI : 0);
    int sector = fabs(stroke) > STILL ? thruster_sector_at(other, direction, LEFT_RAD, 0) : -1;
    if (sector >= 0 && strncmp(other->sector[sector].against, def->thruster[thruster].name, SIGNAL_NAME) == 0)
      return 1;
  }
  return 0;
}

// Power limitation of a bus.
//
// Scaling the revolutions of all fixed-pitch propellers and the pitch of all controllable-pitch propellers by
// a factor f scales their power by f^3, except for the power that controllable-pitch propellers draw at zero
// pitch. If that alone exceeds the available power, their revolutions are reduced as well.

// Share of the available power that is used: the rounding of root and sum stays below the limit.
static const double POWER_SHARE = 1 - 0x1p-44;

// Whether this thruster draws power from this bus.
static int draws_from_bus(const struct plant_def *def, const struct plant_state *state, int thruster,
                          int bus) {
  return def->thruster[thruster].bus == bus && state->thruster[thruster].running;
}

// Scales all set-points of the running thrusters on this bus down by one factor such that their power does
// not exceed the bus's available power. Updates limited and limited_count of the bus.
static void power_limit(const struct plant_def *def, struct plant_state *state, int bus) {
  double asked = 0, fixed = 0, available = state->bus[bus].available_w;
  for (int i = 0; i < def->thruster_count; i++)
    if (draws_from_bus(def, state, i, bus)) {
      const struct thruster_state *thruster_state = &state->thruster[i];
      asked +=
          thruster_power_w(&def->thruster[i], thruster_state->revolutions_set_rpm, thruster_state->pitch_set);
      if (def->thruster[i].drive == DRIVE_CPP)
        fixed += thruster_power_w(&def->thruster[i], thruster_state->revolutions_set_rpm, 0);
    }

  uint64_t limited = asked > available;
  state->bus[bus].limited_count += limited && !state->bus[bus].limited;
  state->bus[bus].limited = limited;
  if (!limited)
    return;

  double stroke =
      fixed < available ? explog_cube_root(POWER_SHARE * (available - fixed) / (asked - fixed)) : 0;
  double turning = fixed > available ? explog_cube_root(POWER_SHARE * available / fixed) : 1;
  for (int i = 0; i < def->thruster_count; i++)
    if (draws_from_bus(def, state, i, bus)) {
      struct thruster_state *thruster_state = &state->thruster[i];
      thruster_state->revolutions_set_rpm *= def->thruster[i].drive == DRIVE_CPP ? turning : stroke;
      thruster_state->pitch_set *= stroke;
    }
}

void plant_command_rules(const struct plant_def *def, double step_s, struct command_def *out) {
  out->thruster_count = def->thruster_count;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *thruster = &def->thruster[i];
    struct thruster_rule *rule = &out->thruster[i];
    *rule = (struct thruster_rule){
        .revolutions_max_rpm = thruster->drive == DRIVE_CPP ? 0 : thruster->revolutions_max_rpm,
        .rudder_max_rad =
            thruster_steering(thruster->kind) == STEERING_RUDDER ? thruster->rudder_max_rad : -1,
        .timeout_steps = steps_nearest_to(thruster->timeout_s, step_s),
        .stops_on_timeout = thruster->reaction == TIMEOUT_STOPS};
    memcpy(rule->name, thruster->name, sizeof rule->name);
  }
}

struct plant_state plant_at_rest(const struct plant_def *def) {
  struct plant_state state = {0};
  for (int i = 0; i < def->thruster_count; i++)
    state.thruster[i] = thruster_at_rest(&def->thruster[i]);
  for (int i = 0; i < def->bus_count; i++)
    state.bus[i] = (struct bus_state){.available_w = def->bus[i].available_w, .closed = 1};
  return state;
}

static double bounded(double value, double limit) {
  return value > limit ? limit : value < -limit ? -limit : value;
}

// Moves the thruster from stopped to starting or back. Returns 1 once its start-up time has passed.
static int start_thruster(const struct thruster_def *def, struct thruster_state *state, int enable, int ready,
                          double step_s) {
  state->ready = (uint64_t)ready;
  if (!ready || !enable) {
    state->start_left_s = def->start_up_s;
    return 0;
  }
  if (state->start_left_s > 0.5 * step_s) {
    state->start_left_s -= step_s;
    return 0;
  }
  state->start_left_s = 0;
  return 1;
}

// The edge to which a command inside a sector goes: the nearest one, or the one nearest to the thrust while a
// thruster waits for that to leave.
static double edge_for(const struct thruster_def *def, const struct thruster_state *state, int sector,
                       double direction, double astern, const struct sectors_now *sectors) {
  double now = state->azimuth_rad + astern;
  int leaves = sectors->awaited >> sector & 1 &&
               thruster_sector_at(def, now, SECTOR_EDGE_RAD, ~(1U << sector)) == sector;
  return thruster_sector_edge(&def->sector[sector], leaves ? now : direction);
}

// Moves a thrust direction out of the sectors in force. Counts the commands moved: each that is new, and one
// that lies in a sector when that comes into force.
static void set_azimuth(const struct thruster_def *def, struct thruster_state *state, double asked_rad,
                        const struct sectors_now *sectors) {
  if (thruster_steering(def->kind) == STEERING_NONE)
    return;
  if (thruster_steering(def->kind) == STEERING_RUDDER) {
    state->azimuth_set_rad = bounded(asked_rad, def->rudder_max_rad);
    return;
  }

  // Sectors apply to the direction of the thrust, which reversed revolutions or pitch turn by pi.
  double astern = thruster_stroke(def, state->revolutions_set_rpm, state->pitch_set) < 0 ? TRIG_PI : 0;
  double direction = asked_rad + astern;
  int sector = thruster_sector_at(def, direction, SECTOR_EDGE_RAD, sectors->lifted);
  if (sector >= 0) {
    double before = state->azimuth_set_rad + astern;
    int is_new = asked_rad != state->asked_azimuth_rad ||
                 (def->sector[sector].against[0] &&
                  thruster_sector_at(def, before, SECTOR_EDGE_RAD, sectors->lifted) == sector);
    state->in_forbidden_zone_count += (uint64_t)is_new;
    state->azimuth_set_rad = trig_wrap(edge_for(def, state, sector, direction, astern, sectors) - astern);
  } else {
    state->azimuth_set_rad = trig_wrap(asked_rad);
  }
  state->asked_azimuth_rad = asked_rad;
}

// Latches the set-points of one thruster within its limits; a thruster that does not run has none.
static void set_point(const struct thruster_def *def, struct thruster_state *state,
                      const struct thruster_setpoint *asked, const struct sectors_now *sectors) {
  state->revolutions_set_rpm = state->pitch_set = 0;
  if (!state->running) {
    state->azimuth_set_rad = state->azimuth_rad; // the steering gear stops
    return;
  }

  if (def->drive == DRIVE_CPP) {
    state->revolutions_set_rpm = def->revolutions_max_rpm;
    state->pitch_set = bounded(asked->pitch, 1);
  } else {
    state->revolutions_set_rpm = bounded(asked->revolutions_rpm, def->revolutions_max_rpm);
  }

  set_azimuth(def, state, asked->azimuth_rad, sectors);
}

static void plant_share_power(const struct plant_def *def, struct plant_state *state,
                              const struct bus_switches *bus, struct power_state *power) NONBLOCKING;

void plant_latch(const struct plant_def *def, struct plant_state *state,
                 const struct thruster_setpoint *setpoint, const struct thruster_switches *thruster,
                 const struct bus_switches *bus, struct power_state *power, double step_s) {
  const int has_power_plant = power_is_present(&def->power);
  for (int i = 0; i < def->bus_count; i++) {
    state->bus[i].closed = !bus[i].lost && (!has_power_plant || power->bus[i].live);
    state->bus[i].available_w = bus[i].lost ? 0 : def->bus[i].available_w * (1 - bus[i].withheld);
  }

  int started[MAX_THRUSTERS] = {0};
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *thruster_def = &def->thruster[i];
    struct thruster_state *thruster_state = &state->thruster[i];
    int ready = !thruster[i].tripped && (thruster_def->bus < 0 || state->bus[thruster_def->bus].closed);
    thruster_state->stuck = (uint64_t)(thruster[i].stuck != 0);
    thruster_state->rate_share = 1 - thruster[i].slowed;
    started[i] = start_thruster(thruster_def, thruster_state, setpoint[i].enable, ready, step_s);
  }

  for (int i = 0; i < def->thruster_count; i++)
    state->thruster[i].running =
        started[i] && (state->thruster[i].running || !sectors_are_washing(def, state, i));
  for (int i = 0; i < def->thruster_count; i++) {
    struct sectors_now sectors = sectors_now(def, state, started, i);
    set_point(&def->thruster[i], &state->thruster[i], &setpoint[i], &sectors);
  }

  if (has_power_plant)
    plant_share_power(def, state, bus, power);
  for (int i = 0; i < def->bus_count; i++)
    power_limit(def, state, i);
}

void plant_flow(const struct plant_def *def, struct plant_state *state, double duration_s) {
  for (int i = 0; i < def->thruster_count; i++)
    thruster_flow(&def->thruster[i], &state->thruster[i], duration_s);
}

void plant_set_steady(const struct plant_def *def, struct plant_state *state, struct power_state *power,
                      const struct thruster_setpoint *setpoint) {
  static const struct thruster_switches no_failure[MAX_THRUSTERS];
  static const struct bus_switches closed[MAX_BUSES];
  for (int i = 0; i < def->thruster_count; i++) {
    state->thruster[i].start_left_s = 0;
    state->thruster[i].asked_azimuth_rad = setpoint[i].azimuth_rad;
  }
  if (power_is_present(&def->power))
    plant_power_begin(def, state, power);
  plant_latch(def, state, setpoint, no_failure, closed, power, 0);
  for (int i = 0; i < def->thruster_count; i++) {
    struct thruster_state *thruster = &state->thruster[i];
    thruster->revolutions_rpm = thruster->revolutions_set_rpm;
    thruster->pitch = thruster->pitch_set;
    thruster->azimuth_rad = thruster->azimuth_set_rad;
  }
  if (power_is_present(&def->power))
    plant_power_begin(def, state, power);
}

struct thruster_state thruster_steady(const struct thruster_def *def,
                                      const struct thruster_setpoint *setpoint) {
  struct thruster_state state = {.azimuth_rad = thruster_steering(def->kind) == STEERING_RUDDER
                                                    ? bounded(setpoint->azimuth_rad, def->rudder_max_rad)
                                                    : setpoint->azimuth_rad};
  if (!setpoint->enable)
    return state;
  if (def->drive == DRIVE_CPP) {
    state.revolutions_rpm = def->revolutions_max_rpm;
    state.pitch = bounded(setpoint->pitch, 1);
  } else {
    state.revolutions_rpm = bounded(setpoint->revolutions_rpm, def->revolutions_max_rpm);
  }
  return state;
}

double plant_power_w(const struct plant_def *def, const struct plant_state *state, int thruster) {
  const struct thruster_state *thruster_state = &state->thruster[thruster];
  return thruster_state->running ? thruster_power_w(&def->thruster[thruster], thruster_state->revolutions_rpm,
                                                    thruster_state->pitch)
                                 : 0;
}

double plant_bus_power_w(const struct plant_def *def, const struct plant_state *state, int bus) {
  double sum = 0;
  for (int i = 0; i < def->thruster_count; i++)
    if (def->thruster[i].bus == bus)
      sum += plant_power_w(def, state, i);
  return sum;
}

// ------------------------------------------------------------
// What thrusters and power plant exchange: the power that the thrusters ask for and draw, and the power that
// each bus may use.

static struct power_load load_of(const struct plant_def *def, const struct plant_state *state,
                                 const struct power_state *power) {
  struct power_load load = {{0}, {0}};
  for (int b = 0; b < def->bus_count; b++) {
    load.asked_w[b] = power->bus[b].asked_w;
    load.taken_w[b] = plant_bus_power_w(def, state, b);
  }
  return load;
}

void plant_power_flow(const struct plant_def *def, const struct plant_state *state, struct power_state *power,
                      const struct power_switches *switches, double duration_s) {
  const struct power_load load = load_of(def, state, power);
  power_flow(&def->power, power, switches, &load, duration_s);
}

void plant_power_begin(const struct plant_def *def, const struct plant_state *state,
                       struct power_state *power) {
  struct power_load load = {{0}, {0}};
  for (int b = 0; b < def->bus_count; b++)
    load.asked_w[b] = load.taken_w[b] = plant_bus_power_w(def, state, b);
  power_begin(&def->power, power, &load);
}

// With the set-points of this step, before they are limited: tells the power plant what they ask for, and
// sets the power that each bus may use.
static void plant_share_power(const struct plant_def *def, struct plant_state *state,
                              const struct bus_switches *bus, struct power_state *power) NONBLOCKING {
  double weight[MAX_BUSES] = {0}, available_w[MAX_BUSES];
  for (int b = 0; b < def->bus_count; b++)
    power->bus[b].asked_w = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_def *thruster = &def->thruster[i];
    const struct thruster_state *now = &state->thruster[i];
    if (thruster->bus < 0)
      continue;
    weight[thruster->bus] += thruster->power_max_w;
    if (now->running)
      power->bus[thruster->bus].asked_w +=
          thruster_power_w(thruster, now->revolutions_set_rpm, now->pitch_set);
  }
  const struct power_load load = load_of(def, state, power);
  power_available(&def->power, power, &load, weight, available_w);
  for (int b = 0; b < def->bus_count; b++)
    state->bus[b].available_w = available_w[b] * (1 - bus[b].withheld);
}
