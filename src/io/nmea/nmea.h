// NMEA 0183 (IEC 61162-1) sentences of the instruments' telegrams. Pure: no sockets, no state. docs/nmea.md
// has the fields.
#pragma once

#include "core/signals/readings.h"

#include <stddef.h>

// Sentence, its formatter's name, the kind of instrument whose telegram it says (INSTRUMENT_COUNT: of a
// thruster).
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
  X(NMEA_TRD, "TRD", INSTRUMENT_COUNT)
#define X(name, text, of) name,
enum nmea_sentence { NMEA_TABLE(X) NMEA_SENTENCE_COUNT };
#undef X
const char *nmea_name(enum nmea_sentence s);
enum instrument nmea_source(enum nmea_sentence s);
const char *nmea_default_talker(enum instrument of); // "GP", "HE", ...

// Where and when the world's origin is. Positions are laid on the WGS 84 ellipsoid from the plane that
// touches it there: within 10 km of the origin distance and bearing are those of the geodesic to 2 cm.
// Heights are above the mean sea surface.
struct nmea_origin {
  double latitude_rad, longitude_rad;
  double start_utc_s; // of time 0, since 1970-01-01 without leap seconds
};
void nmea_geodetic(const struct nmea_origin *o, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad);

// "2026-01-31T12:00:00" to seconds since 1970; 0: not such a time.
int nmea_parse_utc(const char *text, double *out_s);

enum { NMEA_MAX = 128 }; // a sentence with its end and a final zero: the standard's own limit is 82

// What is done to a telegram on its way.
struct nmea_twist {
  int wrong_checksum, wrong_talker;
  double age_s; // its time stamps are older by that
};

// One sentence with \r\n, of readings' instrument (or of the thruster) at index. Returns its length.
// What the instrument thinks invalid is said so where the sentence has a place for it, and left empty where
// not.
size_t nmea_write(enum nmea_sentence s, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, const struct nmea_twist *twist,
                  char out[NMEA_MAX]);
