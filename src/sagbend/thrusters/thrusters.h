// Thrusters and their power supply: as a configuration gives them, the motion of their drives, their forces.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/power/power.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

// Definition of the thrusters and of their power supply, as a configuration gives it. docs/thrusters.md.
// Body frame b: x forward, y starboard, z down, origin at the reference point.

// How a propeller varies its thrust.
enum thruster_drive {
  DRIVE_FPP, // fixed-pitch propeller: by its revolutions
  DRIVE_CPP  // controllable-pitch propeller: by its pitch, at constant revolutions
};

// What a thruster does when no command has named it for timeout_s.
enum thruster_timeout_action { TIMEOUT_KEEPS_SETPOINT, TIMEOUT_STOPS };

// A forbidden range of thrust directions, clockwise from one edge to the other, in rad clockwise from the
// bow. The edges are allowed.
enum { MAX_SECTORS = 4 };
struct sector {
  double from_rad, to_rad;
  char against[SIGNAL_NAME]; // thruster that the sector protects from the wash, in force while that one
                             // turns; empty: always in force
};

// What only the level-1 formulas of sagbend capability read; no step depends on it.
enum inlet { INLET_NOT_GIVEN, INLET_ROUNDED, INLET_BROKEN, INLET_OTHER };
struct propeller_def {
  double diameter_m;    // 0: not given
  double brake_power_w; // 0: power_max_w
  int nozzle;
  enum inlet inlet; // tunnel thrusters
};

struct thruster_def {
  char name[SIGNAL_NAME];
  enum thruster_kind kind;
  enum thruster_drive drive;
  double position_b_m[3];
  double thrust_max_n;        // bollard thrust ahead at full revolutions and pitch
  double thrust_astern;       // bollard thrust astern as a share of thrust_max_n
  double revolutions_max_rpm; // largest revolutions, ahead and astern; CPP: the constant revolutions

  // First-order lag and largest rate of change of each drive; 0: no lag, unlimited rate.
  double revolutions_lag_s, revolutions_rate_rpmps;
  double pitch_lag_s, pitch_rate_1ps;       // CPP only
  double azimuth_lag_s, azimuth_rate_radps; // with a rudder: of the rudder

  struct sector sector[MAX_SECTORS]; // of one that turns
  int sector_count;

  double inflow_loss_spm; // share of thrust_max_n lost at full revolutions per m/s of inflow
  double ventilation;     // factor on the thrust, 0 to 1; 1: no ventilation
  double speed_half_mps;  // in a tunnel: speed ahead or astern that halves the thrust; 0: no such loss

  // With a rudder: its forces in N per N of thrust ahead. The lift grows with the sine of the rudder
  // angle, the drag with its square.
  double rudder_lift, rudder_drag;
  double rudder_max_rad;

  double power_max_w;         // at full revolutions and pitch
  double power_zero_pitch;    // CPP: share of power_max_w at zero pitch
  char bus_name[SIGNAL_NAME]; // empty: no bus
  int bus;                    // index of that bus; -1: none, unlimited power
  double start_up_s;          // from enabling to running
  double timeout_s;           // without a command that names this thruster
  enum thruster_timeout_action reaction;
  struct propeller_def propeller;
};

// A switchboard section.
struct bus_def {
  char name[SIGNAL_NAME];
  double available_w; // power for its thrusters; with a power plant the most that there can be
  double hotel_w;     // with a power plant: load beside the thrusters
};

struct plant_def {
  int thruster_count, bus_count;
  struct thruster_def thruster[MAX_THRUSTERS];
  struct bus_def bus[MAX_BUSES];
  struct power_def power; // absent: each bus has available_w
};

// ------------------------------------------------------------
// One thruster: the motion of its drives in time, and its force. docs/thrusters.md gives formulas and
// sources.

// State of a thruster: hashed and part of snapshots. 8-byte members only. Azimuths are thrust directions in
// rad clockwise from the bow, in (-pi, pi]; with a rudder: its angle; without
// either: the constant direction of the axis.
struct thruster_state {
  double revolutions_rpm, pitch, azimuth_rad; // actual values; pitch: share of full pitch, -1 to 1
  double revolutions_set_rpm, pitch_set, azimuth_set_rad; // set-points, latched at the start of the step
  double asked_azimuth_rad;                               // commanded azimuth, before sectors moved it
  double start_left_s;                                    // remaining start-up time
  double rate_share; // factor on the rates of change; 1 unless a failure slows the thruster
  uint64_t ready, running, stuck;
  uint64_t in_forbidden_zone_count; // number of commands whose azimuth lay in a forbidden zone
};

// Axis of the thrust that nothing turns, a unit vector, b.
static inline vec3 thruster_axis_b(const struct thruster_def *def) {
  return thruster_axis(def->kind) == AXIS_ACROSS ? (vec3){0, 1, 0} : (vec3){1, 0, 0};
}

// A stopped thruster; one that turns points along its axis, or to the nearest allowed direction.
struct thruster_state thruster_at_rest(const struct thruster_def *def);

// Moves revolutions, pitch and azimuth towards their set-points for duration_s. The solution is exact:
// flow(a + b) = flow(b) after flow(a). A stuck thruster keeps its values.
void thruster_flow(const struct thruster_def *def, struct thruster_state *state,
                   double duration_s) NONBLOCKING;

// Remaining distance to the target after duration_s under dx/dt = (target - x) / lag, with |dx/dt| at most
// rate_1ps. lag_s 0: no lag; rate_1ps 0: unlimited. Unit and sign are those of distance.
double thruster_approach(double distance, double lag_s, double rate_1ps, double duration_s);

// Distance from an edge within which a direction counts as on it.
static const double SECTOR_EDGE_RAD = 1e-12;

// Index of the forbidden zone that contains this thrust direction, more than margin_rad from its edges; -1:
// none. Sectors whose bit is set in lifted do not count.
int thruster_sector_at(const struct thruster_def *def, double azimuth_rad, double margin_rad,
                       unsigned lifted) NONBLOCKING;

// The edge of a forbidden zone that is nearest to a thrust direction inside it, rad.
double thruster_sector_edge(const struct sector *sector, double azimuth_rad) NONBLOCKING;

// The given thrust direction, or the nearest edge of the forbidden zone that contains it, rad, with all
// sectors in force.
double thruster_allowed_azimuth(const struct thruster_def *def, double azimuth_rad) NONBLOCKING;

// Power drawn at these revolutions and this pitch, W.
double thruster_power_w(const struct thruster_def *def, double revolutions_rpm, double pitch) NONBLOCKING;

// Revolutions and pitch as one number, the stroke: the signed square root of the share of full thrust that
// they give in still water, -1 to 1.
double thruster_stroke(const struct thruster_def *def, double revolutions_rpm, double pitch) NONBLOCKING;

// The stroke that gives thrust_n along the thruster's direction. inflow_mps: speed of the thruster through
// the water along that direction; ahead_mps: speed ahead. Not limited to -1 to 1; 0 if no stroke gives the
// thrust.
double thruster_stroke_for(const struct thruster_def *def, double thrust_n, double inflow_mps,
                           double ahead_mps);

// The part of a thruster's force that does not depend on the vessel's velocity.
struct thruster_jet {
  vec3 direction_b, place_b_m; // unit vector of positive thrust; position
  double bollard_n;            // thrust in still water, signed
  double inflow_nspm;          // loss of thrust per m/s of speed along the direction
  double speed_half_mps;       // in a tunnel: speed that halves the thrust; 0: no such loss
  double rudder_sine, rudder_lift, rudder_drag;
};
struct thruster_jet thruster_jet_of(const struct thruster_def *def,
                                    const struct thruster_state *state) NONBLOCKING;

// Thrust along the jet's direction without the rudder, N, and the force with the rudder, b, N. velocity_b:
// velocity of the thruster relative to the water, b, m/s.
double thruster_thrust(const struct thruster_jet *jet, vec3 velocity_b) NONBLOCKING;
vec3 thruster_force(const struct thruster_jet *jet, vec3 velocity_b) NONBLOCKING;

// ------------------------------------------------------------
// The plant: all thrusters and their power supply. Each step latches the set-points (plant_latch); the drives
// then move towards them (plant_flow), and the model takes the forces (sagbend/model/model.c).
// docs/thrusters.md.

// State of a bus. 8-byte members only.
struct bus_state {
  double available_w;     // power available in this step; 0 with an open breaker
  uint64_t closed;        // 1: the breaker is closed
  uint64_t limited;       // 1: this step scales the set-points down to the available power
  uint64_t limited_count; // number of times that such a limitation began
};

// State of the plant: hashed and part of snapshots. 8-byte members only.
struct plant_state {
  struct thruster_state thruster[MAX_THRUSTERS];
  struct bus_state bus[MAX_BUSES];
};

// Failures of a thruster and of a bus. Zero: no failure.
struct thruster_switches {
  int tripped;   // the thruster stops and ignores commands
  int stuck;     // revolutions, pitch and azimuth keep their values
  double slowed; // share by which its rates of change are reduced, 0 to below 1
};
struct bus_switches {
  int lost;        // the breaker is open
  double withheld; // share of the available power that is missing, 0 to 1
};

// The plant with every thruster stopped (thruster_at_rest) and every breaker closed.
struct plant_state plant_at_rest(const struct plant_def *def);

// Returns 1 if a state read from a file is possible for this plant. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int plant_state_is_valid(const struct plant_def *def, const struct plant_state *state, struct reason *why);

// Fills thruster_count and thruster of out: which commands these thrusters accept. step_s: the simulation's
// step, which converts time-outs to steps.
void plant_command_rules(const struct plant_def *def, double step_s, struct command_def *out);

// Latches the set-points of a step: limits them to the thruster's range, moves azimuths out of the forbidden
// sectors in force and scales them down to the power of their bus. Reduces the remaining start-up times by
// step_s; a thruster into which another one thrusts waits at the end of its own.
// setpoint, thruster: one for each thruster; bus: one for each bus. power: of the power plant, which takes
// what the set-points ask for and gives what each bus may use; not read without one.
void plant_latch(const struct plant_def *def, struct plant_state *state,
                 const struct thruster_setpoint *setpoint, const struct thruster_switches *thruster,
                 const struct bus_switches *bus, struct power_state *power, double step_s) NONBLOCKING;

// Advances the power plant by duration_s under what the thrusters draw now.
void plant_power_flow(const struct plant_def *def, const struct plant_state *state, struct power_state *power,
                      const struct power_switches *switches, double duration_s) NONBLOCKING;

// The power plant at the beginning, under what the thrusters draw in this state.
void plant_power_begin(const struct plant_def *def, const struct plant_state *state,
                       struct power_state *power);

// Moves all drives towards their latched set-points for duration_s (thruster_flow).
void plant_flow(const struct plant_def *def, struct plant_state *state, double duration_s) NONBLOCKING;

// Sets the steady state under these set-points: all thrusters run, all drives are at their set-points, the
// sets of the power plant share their load.
void plant_set_steady(const struct plant_def *def, struct plant_state *state, struct power_state *power,
                      const struct thruster_setpoint *setpoint);

// State of one thruster that runs steadily at a set-point within its range; one that is not enabled stands.
struct thruster_state thruster_steady(const struct thruster_def *def,
                                      const struct thruster_setpoint *setpoint) NONBLOCKING;

// Finds set-points whose thrust gives surge, sway and yaw of wrench_b (N, N m about the reference point) with
// the least sum of (thrust / thrust_max)^2. What limits and forbidden zones do not allow remains undone.
// water_b: velocity of the water relative to each thruster, b, m/s. Rudders stay amidships.
void plant_hold_setpoints(const struct plant_def *def, const double wrench_b[6], const vec3 *water_b,
                          struct thruster_setpoint *setpoint);

// Power that a thruster, or all thrusters of a bus, draw now, W.
double plant_power_w(const struct plant_def *def, const struct plant_state *state, int thruster) NONBLOCKING;
double plant_bus_power_w(const struct plant_def *def, const struct plant_state *state, int bus) NONBLOCKING;
