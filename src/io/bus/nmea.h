// NMEA 0183 (IEC 61162-1) sentences of the instruments' readings. Pure functions: no sockets, no state.
// docs/nmea.md lists the fields.
#pragma once

#include "core/signals/readings.h"

#include <stddef.h>

// Sources of sentences beside the kinds of instrument.
enum nmea_other_source { NMEA_THRUSTERS = INSTRUMENT_COUNT, NMEA_POWER };

// Identifier, sentence formatter, source: kind of instrument whose readings it carries, or one of the others.
#define NMEA_TABLE(X)                                                                                        \
  X(NMEA_GGA, "GGA", INSTRUMENT_GNSS)                                                                        \
  X(NMEA_GST, "GST", INSTRUMENT_GNSS)                                                                        \
  X(NMEA_ZDA, "ZDA", INSTRUMENT_GNSS)                                                                        \
  X(NMEA_VTG, "VTG", INSTRUMENT_GNSS)                                                                        \
  X(NMEA_RMC, "RMC", INSTRUMENT_GNSS)                                                                        \
  X(NMEA_GBS, "GBS", INSTRUMENT_GNSS)                                                                        \
  X(NMEA_HDT, "HDT", INSTRUMENT_GYRO)                                                                        \
  X(NMEA_THS, "THS", INSTRUMENT_GYRO)                                                                        \
  X(NMEA_ROT, "ROT", INSTRUMENT_GYRO)                                                                        \
  X(NMEA_PSXN, "PSXN", INSTRUMENT_MOTION)                                                                    \
  X(NMEA_PRDID, "PRDID", INSTRUMENT_MOTION)                                                                  \
  X(NMEA_PHTRO, "PHTRO", INSTRUMENT_MOTION)                                                                  \
  X(NMEA_MWV, "MWV", INSTRUMENT_WIND)                                                                        \
  X(NMEA_MWVT, "MWVT", INSTRUMENT_WIND)                                                                      \
  X(NMEA_VBW, "VBW", INSTRUMENT_SPEED_LOG)                                                                   \
  X(NMEA_XDR_TENSION, "XDR", INSTRUMENT_LOAD_CELL)                                                           \
  X(NMEA_XDR_ANGLE, "XDR", INSTRUMENT_HANGOFF_ANGLE)                                                         \
  X(NMEA_XDR_TOUCHDOWN, "XDR", INSTRUMENT_TOUCHDOWN)                                                         \
  X(NMEA_XDR_PAYOUT, "XDR", INSTRUMENT_PAYOUT)                                                               \
  X(NMEA_XDR_TENSIONER, "XDR", INSTRUMENT_TENSIONER)                                                         \
  X(NMEA_PSIMSSB, "PSIMSSB", INSTRUMENT_HYDROACOUSTIC)                                                       \
  X(NMEA_PSIMSSB_LBL, "PSIMSSB", INSTRUMENT_LBL)                                                             \
  X(NMEA_XDR_WIRE, "XDR", INSTRUMENT_TAUT_WIRE)                                                              \
  X(NMEA_MDL, "MDL", INSTRUMENT_LASER)                                                                       \
  X(NMEA_MDLM, "MDLM", INSTRUMENT_LASER)                                                                     \
  X(NMEA_ASCII17, "ASCII17", INSTRUMENT_LASER)                                                               \
  X(NMEA_RLS, "RLS", INSTRUMENT_LASER)                                                                       \
  X(NMEA_PSXRAD, "PSXRAD", INSTRUMENT_RADAR)                                                                 \
  X(NMEA_ARTEMIS, "ARTEMIS", INSTRUMENT_ARTEMIS)                                                             \
  X(NMEA_TRD, "TRD", NMEA_THRUSTERS)                                                                         \
  X(NMEA_XDR_POWER, "XDR", NMEA_POWER)
#define X(name, text, of) name,
enum nmea_sentence { NMEA_TABLE(X) NMEA_SENTENCE_COUNT };
#undef X
_Static_assert(NMEA_SENTENCE_COUNT <= 32, "sets of sentences have 32 bits");

const char *nmea_name(enum nmea_sentence sentence); // formatter; MWVT for the MWV of the true wind
int nmea_source(enum nmea_sentence sentence);       // enum instrument or enum nmea_other_source
const char *nmea_default_talker(int source);        // "GP", "HE", ...

// Place and time of the world's origin, and what per unit means on the buses of a power plant.
struct nmea_origin {
  double latitude_rad, longitude_rad; // WGS 84
  double start_utc_s;                 // of simulated time 0, since 1970-01-01 without leap seconds
  double rated_hz, rated_v;           // frequency and voltage
};

// The WGS 84 coordinates of a point in the world frame: the plane that touches the ellipsoid at the origin is
// projected down its normals. Within 10 km of the origin distance and bearing match the geodesic to 2 cm.
// Heights are above mean sea level.
void nmea_geodetic(const struct nmea_origin *origin, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad);

// Parses "2026-01-31T12:00:00", optionally with Z, into seconds since 1970. Returns 0 if the text is not a
// time from 1970 on.
int nmea_parse_utc(const char *text, double *out_s);

enum { NMEA_MAX = 128 }; // bytes of a sentence with \r\n and a final zero
enum { NMEA_LINE = 82 }; // characters that the standard allows, with \r\n

// Buses, sets and ties of a power plant, each with sentences of its own; 0: there is no plant.
int nmea_power_count(const struct power_feedback *power);

// Faults of the transmission, applied to a sentence.
struct nmea_corruption {
  int wrong_checksum, wrong_talker;
  double age_s; // subtracted from the time stamps
};

// Writes one sentence with \r\n from the instrument, thruster or item of the power plant at index of
// readings. part, from 0: of an XDR whose transducers need several sentences. Returns its length; 0 beyond
// the last part, and for what is not to be sent. A reading that the instrument flags as invalid is flagged in
// the sentence where there is a field for it; otherwise its fields are empty.
size_t nmea_write(enum nmea_sentence sentence, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, int part,
                  const struct nmea_corruption *corruption, char out[NMEA_MAX]);
