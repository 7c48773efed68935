// What the instruments of a rig say: all that a controller may know of a vessel that carries them. The rig
// fills it, the protocol carries it, a controller reads it. SI units, radians. Angles: headings and azimuths
// clockwise seen from above.
#pragma once

#include "core/base/nonblocking.h"

#include <stdint.h>

enum { READING_CHANNELS = 6, MAX_INSTRUMENTS = 32, MAX_THRUSTERS = 12, MAX_BUSES = 6, SIGNAL_NAME = 24 };

// Kinds of instrument: enumerator, name in configurations and events, number of channels, what they are.
#define INSTRUMENT_TABLE(X)                                                                                  \
  X(INSTRUMENT_GNSS, "gnss", 6,                                                                              \
    "antenna: north_m, east_m, down_m, velocity north_mps, east_mps; own estimate of accuracy sigma_m")      \
  X(INSTRUMENT_GYRO, "gyro", 2, "heading_rad (true), rate of turn radps")                                    \
  X(INSTRUMENT_MOTION, "motion", 5,                                                                          \
    "roll_rad, pitch_rad, heave_m (down, of the instrument's place), roll radps, pitch radps")               \
  X(INSTRUMENT_WIND, "wind", 2,                                                                              \
    "relative wind at the sensor: speed_mps, direction_rad it comes from, clockwise from the bow")           \
  X(INSTRUMENT_SPEED_LOG, "speed_log", 2, "through the water at the sensor: surge_mps, sway_mps")            \
  X(INSTRUMENT_LOAD_CELL, "load_cell", 1, "axial force between pipe and vessel at the hang-off, N")          \
  X(INSTRUMENT_HANGOFF_ANGLE, "hangoff_angle", 2,                                                            \
    "pipe's axis there: rad in the lay plane from the horizontal, azimuth of the pull rad from the bow")     \
  X(INSTRUMENT_TOUCHDOWN, "touchdown", 3, "seen by a remotely operated vehicle: north_m, east_m, down_m")
#define X(name, text, channels, help) name,
enum instrument { INSTRUMENT_TABLE(X) INSTRUMENT_COUNT };
#undef X
const char *instrument_name(enum instrument i);
int instrument_channels(enum instrument i) NONBLOCKING;

// The newest telegram of an instrument.
struct reading {
  char name[SIGNAL_NAME];
  enum instrument kind;
  int valid;         // the instrument's own opinion; a fault may set it on bad data
  uint64_t sequence; // counts its telegrams; 0: none has come, and the rest is zero
  double time_s;     // when it measured (simulated time); it comes latency later
  double value[READING_CHANNELS];
};

struct thruster_feedback {
  char name[SIGNAL_NAME];
  int running, ready;
  double revolutions_rpm, pitch; // pitch: share of full, -1 to 1; 0 where the drive is by revolutions
  double azimuth_rad;            // of the thrust's direction from the bow; of a rudder: its angle
  double power_w;
};

struct readings {
  int instrument_count; // 0: the rig has none, the vessel's exact state is sent instead
  struct reading instrument[MAX_INSTRUMENTS];
  int thruster_count;
  struct thruster_feedback thruster[MAX_THRUSTERS];
  double power_available_w, power_used_w; // of all buses
};
