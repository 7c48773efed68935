// NMEA 0183 (IEC 61162-1) sentences of the instruments' readings. Pure functions: no sockets, no state.
// docs/nmea.md lists the fields.
#pragma once

#include "core/signals/readings.h"

#include <stddef.h>

// Identifier, sentence formatter, kind of instrument whose readings it carries (INSTRUMENT_COUNT: thruster).
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
  X(NMEA_PSXRAD, "PSXRAD", INSTRUMENT_RADAR)                                                                 \
  X(NMEA_TRD, "TRD", INSTRUMENT_COUNT)
#define X(name, text, of) name,
enum nmea_sentence { NMEA_TABLE(X) NMEA_SENTENCE_COUNT };
#undef X

const char *nmea_name(enum nmea_sentence sentence); // formatter; MWVT for the MWV of the true wind
enum instrument nmea_source(enum nmea_sentence sentence);
const char *nmea_default_talker(enum instrument kind); // "GP", "HE", ...

// Place and time of the world's origin.
struct nmea_origin {
  double latitude_rad, longitude_rad; // WGS 84
  double start_utc_s;                 // of simulated time 0, since 1970-01-01 without leap seconds
};

// The WGS 84 coordinates of a point in the world frame: the plane that touches the ellipsoid at the origin is
// projected down its normals. Within 10 km of the origin distance and bearing match the geodesic to 2 cm.
// Heights are above mean sea level.
void nmea_geodetic(const struct nmea_origin *origin, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad);

// Parses "2026-01-31T12:00:00", optionally with Z, into seconds since 1970. Returns 0 if the text is not a
// time from 1970 on.
int nmea_parse_utc(const char *text, double *out_s);

enum { NMEA_MAX = 128 }; // bytes of a sentence with \r\n and a final zero; the standard allows 82 characters

// Faults of the transmission, applied to a sentence.
struct nmea_corruption {
  int wrong_checksum, wrong_talker;
  double age_s; // subtracted from the time stamps
};

// Writes one sentence with \r\n from the instrument (or thruster) at index of readings. Returns its length,
// or 0 if it does not fit. A reading that the instrument flags as invalid is flagged in the sentence where
// there is a field for it; otherwise its fields are empty.
size_t nmea_write(enum nmea_sentence sentence, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, const struct nmea_corruption *corruption,
                  char out[NMEA_MAX]);
