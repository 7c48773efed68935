// Measurements of the instruments and feedback of the thrusters: all that a controller may know of a vessel
// that carries instruments. The room hil fills them, the protocol transmits them, a controller reads them. SI
// units; angles in rad, headings and azimuths clockwise seen from above.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdint.h>

enum { READING_CHANNELS = 6, MAX_INSTRUMENTS = 32, MAX_THRUSTERS = 12, MAX_BUSES = 6 };
enum { MAX_GENERATORS = 12, MAX_TIES = 6 };
enum { SIGNAL_NAME = 24 }; // bytes of a name with its final zero

// Kinds of instrument: instruments.inc.
enum instrument {
#define INSTRUMENT(id, ...) INSTRUMENT_##id,
#include "sagbend/signals/instruments.inc"
  INSTRUMENT_COUNT
};
_Static_assert(INSTRUMENT_COUNT <= 31, "sets of kinds have the bits of an int");

enum channel_form { CHANNEL_PLAIN, CHANNEL_ANGLE, CHANNEL_NOT_NEGATIVE };
struct instrument_channel {
  const char *name, *unit, *meaning; // of field buses; name NULL: the kind has no such channel
  enum channel_form form;
};

// What else a kind is, as instruments.inc says.
enum instrument_need { NEEDS_NOTHING, NEEDS_PIPE, NEEDS_PAYOUT, NEEDS_TENSIONER };
enum instrument_place { PLACE_ANYWHERE, PLACE_AIR, PLACE_WATER };
enum instrument_reading { TELEGRAMS_UNREAD, TELEGRAMS_READ, TELEGRAMS_NAMED };
enum instrument_fix { FIX_NONE, FIX_RECEIVER, FIX_PLACE, FIX_TARGET };
enum reference_by { BY_NOTHING, BY_SOUND, BY_SIGHT, BY_WIRE };
struct instrument_kind {
  const char *name, *talker;
  enum instrument_need need;
  enum instrument_place place;
  int has_arm;
  enum instrument_reading telegrams;
  int is_shown;
  enum instrument_fix fix;
  double usual_sigma_m, usual_sigma_rad; // where nobody gives an accuracy
  int most_targets;                      // 0: it measures against none
  enum reference_by by;
};
const struct instrument_kind *instrument_kind(enum instrument kind) NONBLOCKING; // of the enum only
const struct instrument_channel *instrument_channel(enum instrument kind, int channel) NONBLOCKING;

// Name of a kind in configurations and events; "unknown" outside the enum.
const char *instrument_name(enum instrument kind);

// Bits of the kinds that have a property, and their names for people: "laser, radar or artemis".
unsigned instrument_kinds(int (*has)(const struct instrument_kind *kind));
enum { INSTRUMENT_NAMES = 256 };
void instrument_names(unsigned kinds, char out[INSTRUMENT_NAMES]);

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
