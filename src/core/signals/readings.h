// Measurements of the instruments and feedback of the thrusters: all that a controller may know of a vessel
// that carries instruments. The room hil fills them, the protocol transmits them, a controller reads them. SI
// units; angles in rad, headings and azimuths clockwise seen from above.
#pragma once

#include "core/base/nonblocking.h"

#include <stdint.h>

enum { READING_CHANNELS = 6, MAX_INSTRUMENTS = 32, MAX_THRUSTERS = 12, MAX_BUSES = 6 };
enum { MAX_GENERATORS = 12, MAX_TIES = 6 };
enum { SIGNAL_NAME = 24 }; // bytes of a name with its final zero

// Kinds of instrument, and what the channels of each contain.
enum instrument {
  INSTRUMENT_GNSS, // antenna: north_m, east_m, down_m, velocity north_mps, east_mps; its own accuracy sigma_m
  INSTRUMENT_GYRO, // true heading_rad, rate of turn radps
  INSTRUMENT_MOTION, // roll_rad, pitch_rad, heave_m (down, at the instrument), roll rate radps, pitch rate
                     // radps
  INSTRUMENT_WIND, // relative wind at the sensor: speed_mps, direction_rad from which it comes, from the bow
  INSTRUMENT_SPEED_LOG,     // velocity through the water at the sensor: surge_mps, sway_mps
  INSTRUMENT_LOAD_CELL,     // axial force between pipe and vessel at the hang-off, N
  INSTRUMENT_HANGOFF_ANGLE, // pipe's axis at the hang-off: rad from the horizontal in the lay plane; azimuth
                            // of the pipe's pull, rad from the bow
  INSTRUMENT_TOUCHDOWN,     // touchdown point seen by a remotely operated vehicle: north_m, east_m, down_m
  INSTRUMENT_PAYOUT,        // encoder of the pipe through the tensioner: length_m since the start, speed_mps
  INSTRUMENT_TENSIONER,     // the tensioner's own signals: tension_n at the grip; mode in effect (enum
                            // tensioner_mode); brake: 1 engaged
  INSTRUMENT_HYDROACOUSTIC, // transponder from the transducer, short baseline: forward_m, starboard_m, down_m
                            // in level axes with the bow; slant range_m; its own accuracy sigma_m
  INSTRUMENT_LBL, // transducer between three transponders, long baseline: north_m, east_m, down_m; its own
                  // accuracy sigma_m
  INSTRUMENT_TAUT_WIRE, // at the gimbal, of the wire down to its weight: angle from the vertical forward rad,
                        // to starboard rad; length_m, tension_n; 1: it hangs slack
  INSTRUMENT_LASER,   // target from the sensor: range_m, bearing_rad from the bow, elevation_rad (up); number
                      // of the target that it takes it for; signal, percent
  INSTRUMENT_RADAR,   // as a laser, whose targets answer with their number
  INSTRUMENT_ARTEMIS, // microwaves to a fixed station: range_m, azimuth_rad of the sensor from the station
  INSTRUMENT_COUNT
};

// Name of a kind in configurations and events; "unknown" outside the enum.
const char *instrument_name(enum instrument kind);

// Number of channels of a kind; 0 outside the enum.
int instrument_channel_count(enum instrument kind) NONBLOCKING;

// Whether a wire says that it hangs slack; 0 of any other kind.
int instrument_is_slack(enum instrument kind, const double value[READING_CHANNELS]) NONBLOCKING;

// Newest measurement of an instrument.
struct reading {
  char name[SIGNAL_NAME];
  enum instrument kind;
  int valid;         // the instrument's own judgement; under a fault it may be 1 on bad data
  uint64_t sequence; // number of this measurement, counted from 1; 0: there is none yet and all below is 0
  double time_s;     // simulated time of the measurement; it arrives a latency later
  double value[READING_CHANNELS];
};

struct thruster_feedback {
  char name[SIGNAL_NAME];
  int running, ready;     // 1: turns; takes commands
  double revolutions_rpm; // negative: astern
  double pitch; // of a controllable-pitch propeller, share of full pitch, -1 to 1; 0 of a fixed-pitch drive
  double azimuth_rad; // of the thrust from the bow; of a main propeller the rudder angle
  double power_w;
  int stopped; // 1: by an emergency stop, until an operator resets it
};

// What power management reports of a plant with generators. Frequency and voltage per unit; 0: dark.
struct bus_feedback {
  char name[SIGNAL_NAME];
  double available_w, load_w; // that its thrusters may take, and take
  double frequency, voltage;
  int64_t supplied; // 1: live
};
struct generator_feedback {
  char name[SIGNAL_NAME];
  double load_w;  // that it gives to its bus
  int64_t closed; // 1: its breaker, as power management has it
};
struct tie_feedback {
  char name[SIGNAL_NAME];
  int64_t closed;
};
struct power_feedback {
  int bus_count, generator_count, tie_count, unused; // all 0: the vessel reports none
  struct bus_feedback bus[MAX_BUSES];
  struct generator_feedback generator[MAX_GENERATORS];
  struct tie_feedback tie[MAX_TIES];
};

struct readings {
  int instrument_count; // 0: the vessel has no instruments, and messages contain its exact state instead
  struct reading instrument[MAX_INSTRUMENTS];
  int thruster_count;
  struct thruster_feedback thruster[MAX_THRUSTERS];
  double power_available_w, power_used_w; // sums over all buses
  struct power_feedback power;
};
