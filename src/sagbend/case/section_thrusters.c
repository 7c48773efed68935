// The section vessel.thrusters.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/math/math.h"

#include <string.h>

static const struct key_def KEYS[] = {
    {"vessel.thrusters", AS_ITEMS, .size = MAX_THRUSTERS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.vessel.plant.thruster, thruster_def, out.sim.vessel.plant.thruster_count),
     .doc = "Thrusters of the vessel. Without any, a controller commands a wrench."},
    {"vessel.thrusters[].name", AS_TEXT, .size = SIGNAL_NAME, IN(thruster_def, name),
     .doc = "Unique name of the thruster in commands, events and messages."},
    {"vessel.thrusters[].kind", AS_WORD, .words = {THRUSTER_KIND_TABLE(THRUSTER_KIND_WORD)},
     WORD_IN(thruster_def, kind), .doc = "Thruster type." THRUSTER_KIND_TABLE(THRUSTER_KIND_DOC)},
    {"vessel.thrusters[].drive", AS_WORD, .fallback = "revolutions", .words = {"revolutions", "pitch"},
     WORD_IN(thruster_def, drive),
     .doc = "Control of the thrust. revolutions: speed of a fixed-pitch propeller (FPP). pitch: pitch of a "
            "controllable-pitch propeller (CPP) at constant speed."},
    {"vessel.thrusters[].position_b_m", AS_VECTOR, .size = 3, IN(thruster_def, position_b_m), .unit = "m",
     .doc = "Point at which the thrust acts, in the body frame."},
    {"vessel.thrusters[].thrust_max_n", AS_NUMBER, .range = POSITIVE, IN(thruster_def, thrust_max_n),
     .unit = "N",
     .doc = "Bollard thrust ahead at full speed and pitch, for a tunnel to starboard. Thrust = thrust_max_n "
            "x |x|, where x is the share of full speed (or pitch)."},
    {"vessel.thrusters[].thrust_astern", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "1",
     IN(thruster_def, thrust_astern),
     .doc = "Share of thrust_max_n that is available astern, for a tunnel to port."},
    {"vessel.thrusters[].revolutions_max_rpm", AS_NUMBER, .range = POSITIVE,
     IN(thruster_def, revolutions_max_rpm), .unit = "rpm",
     .doc = "Maximum propeller speed in either direction. For a CPP: its constant speed."},
    {"vessel.thrusters[].revolutions_lag_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, revolutions_lag_s), .unit = "s",
     .doc = "First-order time constant of the propeller speed. 0: no lag."},
    {"vessel.thrusters[].revolutions_rate_rpmps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, revolutions_rate_rpmps), .unit = "rpm/s",
     .doc = "Maximum rate of change of the propeller speed. 0: no limit."},
    {"vessel.thrusters[].pitch_lag_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, pitch_lag_s), .unit = "s",
     .doc = "First-order time constant of the pitch of a CPP. 0: no lag."},
    {"vessel.thrusters[].pitch_rate_1ps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, pitch_rate_1ps), .unit = "1/s",
     .doc =
         "Maximum rate of change of the pitch of a CPP, as a share of full pitch per second. 0: no limit."},
    {"vessel.thrusters[].azimuth_lag_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, azimuth_lag_s), .unit = "s",
     .doc = "First-order time constant of the azimuth angle, or of the rudder angle of a main propeller. 0: "
            "no lag."},
    {"vessel.thrusters[].azimuth_rate_degps", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "0",
     IN(thruster_def, azimuth_rate_radps), .unit = "deg/s",
     .doc = "Maximum rate of change of the azimuth angle, or of the rudder angle of a main propeller. 0: no "
            "limit."},
    {"vessel.thrusters[].forbidden", AS_ITEMS, .size = MAX_SECTORS, .optional = 1,
     ITEMS_IN(thruster_def, sector, sector, sector_count),
     .doc = "Forbidden zones of an azimuth thruster, in which its thrust may not rest; the edges are "
            "allowed. A command inside a sector moves to the nearest edge."},
    {"vessel.thrusters[].forbidden[].from_deg", AS_NUMBER, .degrees = 1, IN(sector, from_rad), .unit = "deg",
     .doc = "First edge of the sector: direction of the thrust, clockwise from the bow."},
    {"vessel.thrusters[].forbidden[].to_deg", AS_NUMBER, .degrees = 1, IN(sector, to_rad), .unit = "deg",
     .doc = "Last edge of the sector, reached clockwise from from_deg."},
    {"vessel.thrusters[].forbidden[].against", AS_TEXT, .size = SIGNAL_NAME, .optional = 1,
     IN(sector, against),
     .doc = "Name of the thruster that the sector protects from the wash: the sector is in force only while "
            "that thruster runs or has more than 2 % of its revolutions. Absent: always in force."},
    {"vessel.thrusters[].inflow_loss_spm", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0",
     IN(thruster_def, inflow_loss_spm), .unit = "s/m",
     .doc =
         "Share of thrust_max_n lost at full speed per m/s of advance through the water along the thrust."},
    {"vessel.thrusters[].ventilation_factor", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "1", IN(thruster_def, ventilation),
     .doc = "Factor on the thrust for ventilation and other losses. 1: no loss."},
    {"vessel.thrusters[].speed_half_mps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, speed_half_mps), .unit = "m/s",
     .doc = "Speed ahead through the water at which a tunnel thruster loses half its thrust. 0: no loss."},
    {"vessel.thrusters[].rudder", AS_SECTION, .optional = 1,
     .doc = "Rudder in the slipstream of a main propeller. Without this section there is no rudder."},
    {"vessel.thrusters[].rudder.lift", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, rudder_lift),
     .doc = "Rudder lift coefficient: side force over thrust ahead, times the sine of the rudder angle."},
    {"vessel.thrusters[].rudder.drag", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0",
     IN(thruster_def, rudder_drag),
     .doc = "Rudder drag coefficient: thrust lost over thrust ahead, times the squared sine of the rudder "
            "angle."},
    {"vessel.thrusters[].rudder.angle_max_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 90,
     .degrees = 1, .fallback = "0", IN(thruster_def, rudder_max_rad), .unit = "deg",
     .doc = "Maximum rudder angle to either side. A positive angle pushes the stern to starboard."},
    {"vessel.thrusters[].diameter_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     IN(thruster_def, propeller.diameter_m), .unit = "m",
     .doc = "Diameter of the propeller, for sagbend capability --level 1. No run depends on it."},
    {"vessel.thrusters[].nozzle", AS_FLAG, .fallback = "false", IN(thruster_def, propeller.nozzle),
     .doc = "Propeller in a nozzle, for sagbend capability --level 1. No run depends on it."},
    {"vessel.thrusters[].inlet", AS_WORD, .optional = 1, .words = {"rounded", "broken", "other"},
     WORD_IN(thruster_def, propeller.inlet), .word_first = INLET_ROUNDED,
     .doc = "Edge of a tunnel's inlets: rounded, broken or other, for sagbend capability --level 1. No run "
            "depends on it."},
    {"vessel.thrusters[].brake_power_w", AS_NUMBER, .range = POSITIVE, .optional = 1,
     IN(thruster_def, propeller.brake_power_w), .unit = "W",
     .doc = "Brake power at the propeller, for sagbend capability --level 1. Absent: power_max_w. No run "
            "depends on it."},
    {"vessel.thrusters[].power_max_w", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, power_max_w), .unit = "W",
     .doc = "Power at full speed and pitch. It falls with the third power of either."},
    {"vessel.thrusters[].power_zero_pitch", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1,
     .fallback = "0.15", IN(thruster_def, power_zero_pitch),
     .doc = "Share of power_max_w that a CPP draws at zero pitch."},
    {"vessel.thrusters[].bus", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(thruster_def, bus_name),
     .doc = "Name of the bus in vessel.power.buses that supplies the thruster. Without it the power has no "
            "limit."},
    {"vessel.thrusters[].start_up_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(thruster_def, start_up_s), .unit = "s", .doc = "Time from enabled and ready to running."},
    {"vessel.thrusters[].timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "5",
     IN(thruster_def, timeout_s), .unit = "s",
     .doc =
         "Command timeout: a thruster that no command has addressed for longer reacts as on_timeout states."},
    {"vessel.thrusters[].on_timeout", AS_WORD, .fallback = "hold", .words = {"hold", "zero"},
     WORD_IN(thruster_def, reaction),
     .doc = "Reaction to the command timeout. hold: keep the last set-point. zero: no thrust, direction "
            "unchanged."},
};

static struct key_path thruster_key(int index, const char *key) {
  return key_path("vessel.thrusters.%d.%s", index, key);
}

// Angle from one direction to another, clockwise, in [0, 2 pi).
static double clockwise(double from_rad, double to_rad) {
  double angle = trig_wrap(to_rad - from_rad);
  return angle < 0 ? angle + 2 * TRIG_PI : angle;
}

static int is_overlapping(const struct sector *a, const struct sector *b) {
  return clockwise(a->from_rad, b->from_rad) < clockwise(a->from_rad, a->to_rad) - 1e-9 ||
         clockwise(b->from_rad, a->from_rad) < clockwise(b->from_rad, b->to_rad) - 1e-9;
}

static void check_sectors(const struct check *c, const struct thruster_def *thruster, int index) {
  for (int i = 0; i < thruster->sector_count; i++) {
    struct key_path from = key_path("vessel.thrusters.%d.forbidden.%d.from_deg", index, i);
    struct key_path to = key_path("vessel.thrusters.%d.forbidden.%d.to_deg", index, i);
    double width = clockwise(thruster->sector[i].from_rad, thruster->sector[i].to_rad);

    if (!is_given_well(c, from.text) || !is_given_well(c, to.text))
      continue;
    if (width < 1e-9 || width > 2 * TRIG_PI - 1e-9)
      report(c, to.text, "a direction different from from_deg expected");
    for (int k = 0; k < i; k++)
      if (is_overlapping(&thruster->sector[i], &thruster->sector[k])) {
        report(c, to.text, "sectors that do not overlap expected");
        break;
      }
  }
}

static void check_protected(const struct check *c, const struct plant_def *plant, int index) {
  for (int i = 0; i < plant->thruster[index].sector_count; i++) {
    struct key_path against = key_path("vessel.thrusters.%d.forbidden.%d.against", index, i);
    check_other(c, against.text, plant->thruster[index].sector[i].against, "vessel.thrusters", index,
                plant->thruster[0].name, sizeof plant->thruster[0], plant->thruster_count);
  }
}

static void check_bus(const struct check *c, const struct thruster_def *thruster, int index) {
  struct key_path bus = thruster_key(index, "bus"), power = thruster_key(index, "power_max_w");
  if (!is_given_well(c, bus.text))
    return;

  if (config_bus(&c->draft->out.sim.vessel.plant, thruster->bus_name) < 0)
    report(c, bus.text, "the name of one of vessel.power.buses expected");
  else if (!(thruster->power_max_w > 0) && is_readable(c, power.text))
    report(c, power.text, "a power > 0 expected: bus needs it");
}

static int has_rudder(const struct thruster_kind_row *kind) {
  return kind->steering == STEERING_RUDDER;
}
static int is_steered(const struct thruster_kind_row *kind) {
  return kind->steering != STEERING_NONE;
}
static int is_in_tunnel(const struct thruster_kind_row *kind) {
  return kind->in_tunnel;
}
static int is_open(const struct thruster_kind_row *kind) {
  return !kind->in_tunnel;
}

// Keys that only some kinds have.
static const struct {
  const char *key;
  int (*is_of)(const struct thruster_kind_row *kind);
} OF_KINDS[] = {{"forbidden", kind_turns},         {"rudder", has_rudder},
                {"inlet", is_in_tunnel},           {"nozzle", is_open},
                {"speed_half_mps", is_in_tunnel},  {"azimuth_lag_s", is_steered},
                {"azimuth_rate_degps", is_steered}};

static void check_keys_of_kind(const struct check *c, enum thruster_kind kind, int index) {
  for (size_t i = 0; i < sizeof OF_KINDS / sizeof *OF_KINDS; i++)
    if (!OF_KINDS[i].is_of(&THRUSTER_KINDS[kind]))
      check_allowed(c, thruster_key(index, OF_KINDS[i].key).text, 0, kinds_where(OF_KINDS[i].is_of).text);
}

static void check_thruster(const struct check *c, const struct thruster_def *thruster, int index) {
  int is_pitch = thruster->drive == DRIVE_CPP;

  check_bus(c, thruster, index);
  if (is_given_well(c, thruster_key(index, "kind").text)) {
    check_keys_of_kind(c, thruster->kind, index);
    if (thruster_steering(thruster->kind) == STEERING_TURNS) {
      check_sectors(c, thruster, index);
      check_protected(c, &c->draft->out.sim.vessel.plant, index);
    }
  }
  if (is_readable(c, thruster_key(index, "drive").text)) {
    check_allowed(c, thruster_key(index, "pitch_lag_s").text, is_pitch, "needs drive pitch");
    check_allowed(c, thruster_key(index, "pitch_rate_1ps").text, is_pitch, "needs drive pitch");
    check_allowed(c, thruster_key(index, "power_zero_pitch").text, is_pitch, "needs drive pitch");
  }
}

static void check_thrusters(const struct check *c) {
  const struct plant_def *plant = &c->draft->out.sim.vessel.plant;

  for (int i = 0; i < plant->thruster_count; i++) {
    check_signal_name(c, "vessel.thrusters", i, plant->thruster[0].name, sizeof plant->thruster[0]);
    check_thruster(c, &plant->thruster[i], i);
  }
}

static void resolve_thrusters(const struct check *c, struct config *out) {
  struct plant_def *plant = &out->sim.vessel.plant;

  for (int i = 0; i < plant->thruster_count; i++)
    plant->thruster[i].bus =
        given(c, thruster_key(i, "bus").text) ? config_bus(plant, plant->thruster[i].bus_name) : -1;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section THRUSTERS_SECTION = {GROUPS, 1, check_thrusters, resolve_thrusters, NULL};
