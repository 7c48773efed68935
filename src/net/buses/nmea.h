// NMEA 0183 (IEC 61162-1) sentences of the instruments' readings. Pure functions: no sockets, no state.
// docs/nmea.md lists the fields.
#pragma once

#include "sagbend/signals/readings.h"

#include <stddef.h>

// Sources of sentences beside the kinds of instrument.
enum nmea_other_source { NMEA_THRUSTERS = INSTRUMENT_COUNT, NMEA_POWER };

// A row is all that there is to know of a sentence:
//
//   SENTENCE(id, name, source, head, put)  put: the function of nmea.c or nmea_xdr.c that writes its fields
//   TELEGRAM(id, name, source, form)       a form of a maker, written by telegram_write
//
// name: its formatter, by which configurations name it; AGAIN(name): of a row that shares it with one above.
// source: the kind of instrument whose readings it carries, or one of the others. head: what stands before
// the fields (enum nmea_head).
#define NMEA_TABLE(SENTENCE, TELEGRAM, NAME, AGAIN)                                                          \
  SENTENCE(NMEA_GGA, NAME("GGA"), INSTRUMENT_GNSS, TALKER, put_gga)                                          \
  SENTENCE(NMEA_GST, NAME("GST"), INSTRUMENT_GNSS, TALKER, put_gst)                                          \
  SENTENCE(NMEA_ZDA, NAME("ZDA"), INSTRUMENT_GNSS, TALKER, put_zda)                                          \
  SENTENCE(NMEA_VTG, NAME("VTG"), INSTRUMENT_GNSS, TALKER, put_vtg)                                          \
  SENTENCE(NMEA_RMC, NAME("RMC"), INSTRUMENT_GNSS, TALKER, put_rmc)                                          \
  SENTENCE(NMEA_GBS, NAME("GBS"), INSTRUMENT_GNSS, TALKER, put_gbs)                                          \
  SENTENCE(NMEA_HDT, NAME("HDT"), INSTRUMENT_GYRO, TALKER, put_hdt)                                          \
  SENTENCE(NMEA_THS, NAME("THS"), INSTRUMENT_GYRO, TALKER, put_ths)                                          \
  SENTENCE(NMEA_ROT, NAME("ROT"), INSTRUMENT_GYRO, TALKER, put_rot)                                          \
  SENTENCE(NMEA_PSXN, NAME("PSXN"), INSTRUMENT_MOTION, OWN, put_psxn)                                        \
  SENTENCE(NMEA_PRDID, NAME("PRDID"), INSTRUMENT_MOTION, OWN, put_prdid)                                     \
  SENTENCE(NMEA_PHTRO, NAME("PHTRO"), INSTRUMENT_MOTION, OWN, put_phtro)                                     \
  SENTENCE(NMEA_MWV, NAME("MWV"), INSTRUMENT_WIND, TALKER, put_mwv)                                          \
  SENTENCE(NMEA_MWVT, NAME("MWVT"), INSTRUMENT_WIND, TALKER, put_mwvt)                                       \
  SENTENCE(NMEA_VBW, NAME("VBW"), INSTRUMENT_SPEED_LOG, TALKER, put_vbw)                                     \
  SENTENCE(NMEA_XDR_TENSION, NAME("XDR"), INSTRUMENT_LOAD_CELL, XDR, nmea_xdr_put_tension)                   \
  SENTENCE(NMEA_XDR_ANGLE, AGAIN("XDR"), INSTRUMENT_HANGOFF_ANGLE, XDR, nmea_xdr_put_angle)                  \
  SENTENCE(NMEA_XDR_TOUCHDOWN, AGAIN("XDR"), INSTRUMENT_TOUCHDOWN, XDR, nmea_xdr_put_touchdown)              \
  SENTENCE(NMEA_XDR_PAYOUT, AGAIN("XDR"), INSTRUMENT_PAYOUT, XDR, nmea_xdr_put_payout)                       \
  SENTENCE(NMEA_XDR_TENSIONER, AGAIN("XDR"), INSTRUMENT_TENSIONER, XDR, nmea_xdr_put_tensioner)              \
  TELEGRAM(NMEA_PSIMSSB, NAME("PSIMSSB"), INSTRUMENT_HYDROACOUSTIC, TELEGRAM_PSIMSSB)                        \
  TELEGRAM(NMEA_PSIMSSB_LBL, AGAIN("PSIMSSB"), INSTRUMENT_LBL, TELEGRAM_PSIMSSB)                             \
  SENTENCE(NMEA_XDR_WIRE, AGAIN("XDR"), INSTRUMENT_TAUT_WIRE, XDR, nmea_xdr_put_wire)                        \
  TELEGRAM(NMEA_MDL, NAME("MDL"), INSTRUMENT_LASER, TELEGRAM_MDL)                                            \
  TELEGRAM(NMEA_MDLM, NAME("MDLM"), INSTRUMENT_LASER, TELEGRAM_MDL_MULTI)                                    \
  TELEGRAM(NMEA_ASCII17, NAME("ASCII17"), INSTRUMENT_LASER, TELEGRAM_ASCII17)                                \
  TELEGRAM(NMEA_RLS, NAME("RLS"), INSTRUMENT_LASER, TELEGRAM_RLS)                                            \
  TELEGRAM(NMEA_PSXRAD, NAME("PSXRAD"), INSTRUMENT_RADAR, TELEGRAM_PSXRAD)                                   \
  TELEGRAM(NMEA_ARTEMIS, NAME("ARTEMIS"), INSTRUMENT_ARTEMIS, TELEGRAM_ASCII17)                              \
  SENTENCE(NMEA_TRD, NAME("TRD"), NMEA_THRUSTERS, TALKER, put_trd)                                           \
  SENTENCE(NMEA_XDR_POWER, AGAIN("XDR"), NMEA_POWER, XDR, nmea_xdr_put_power)
#define NMEA_NOTHING(...)
#define NMEA_IDENTIFIER(id, ...) id,
enum nmea_sentence {
  NMEA_TABLE(NMEA_IDENTIFIER, NMEA_IDENTIFIER, NMEA_NOTHING, NMEA_NOTHING) NMEA_SENTENCE_COUNT
};

// What stands before the fields: talker and formatter, or the formatter alone. Transducers need the first,
// and may need several sentences (parts).
enum nmea_head { HEAD_TALKER, HEAD_OWN, HEAD_XDR };

// Every formatter once, each with a blank before it, for a text.
#define NMEA_BLANK(name)           " " name
#define NMEA_SECOND(id, name, ...) name
#define NMEA_NAMES                 NMEA_TABLE(NMEA_SECOND, NMEA_SECOND, NMEA_BLANK, NMEA_NOTHING)

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
