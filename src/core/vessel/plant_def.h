// What a configuration says of thrusters and of the power that drives them. docs/thrusters.md.
#pragma once

#include "core/signals/command.h"

enum thruster_kind {
  THRUSTER_TUNNEL,  // across, positive to starboard
  THRUSTER_AZIMUTH, // turns without end
  THRUSTER_MAIN     // ahead, with a rudder in its slipstream
};
enum thruster_drive { DRIVE_REVOLUTIONS, DRIVE_PITCH };
enum thruster_reaction { THRUSTER_KEEPS, THRUSTER_STOPS }; // when no command has named it for its timeout

enum { MAX_SECTORS = 4 };
struct sector { // forbidden to the thrust's direction, from the bow, clockwise from one edge to the other;
                // edges allowed
  double from_rad, to_rad;
};

struct thruster_def {
  char name[SIGNAL_NAME];
  enum thruster_kind kind;
  enum thruster_drive drive;
  double position_b_m[3];
  double thrust_max_n;  // ahead at full revolutions and pitch, in water at rest
  double thrust_astern; // of that, the share delivered astern
  double revolutions_max_rpm;
  // Lag of first order and largest rate of change; 0: none.
  double revolutions_lag_s, revolutions_rate_rpmps;
  double pitch_lag_s, pitch_rate_1ps;       // of DRIVE_PITCH
  double azimuth_lag_s, azimuth_rate_radps; // of the azimuth, or of the rudder
  struct sector sector[MAX_SECTORS];
  int sector_count;
  double inflow_loss_spm; // share of thrust_max_n lost at full revolutions per m/s of inflow
  double ventilation;     // factor on the thrust
  double speed_half_mps;  // tunnel: speed ahead or astern that halves its thrust; 0: never
  double rudder_lift,
      rudder_drag; // main: N per N of thrust ahead, at the sine of the angle and at its square
  double rudder_max_rad;
  double power_max_w;      // at full revolutions and pitch
  double power_zero_pitch; // DRIVE_PITCH: share of it at zero pitch
  char bus_name[SIGNAL_NAME];
  int bus; // index of that; -1: none, power without limit
  double start_up_s;
  double timeout_s;
  enum thruster_reaction reaction;
};

struct bus_def {
  char name[SIGNAL_NAME];
  double available_w; // for thrusters
};

struct plant_def {
  int thruster_count, bus_count;
  struct thruster_def thruster[MAX_THRUSTERS];
  struct bus_def bus[MAX_BUSES];
};
