// Definition of the thrusters and of their power supply, as a configuration gives it. docs/thrusters.md.
// Body frame b: x forward, y starboard, z down, origin at the reference point.
#pragma once

#include "sagbend/power/power_def.h"
#include "sagbend/signals/signals.h"
#include "sagbend/signals/thruster_kind.h"

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
