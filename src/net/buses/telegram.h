// Telegrams of position references as their makers define them, written and read byte by byte, and sentences
// of gyros, motion and wind sensors, read. Pure functions. docs/nmea.md lists the fields.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/signals/readings.h"

#include <stddef.h>

enum telegram_form {
  TELEGRAM_PSIMSSB,   // hydroacoustics: $PSIMSSB
  TELEGRAM_PSXRAD,    // radar: $PSXRAD
  TELEGRAM_MDL,       // laser, 19 characters: number, range m, bearing degrees
  TELEGRAM_MDL_MULTI, // the same with a checksum, 22 characters
  TELEGRAM_ASCII17,   // laser, radar, Artemis, 17 characters: range dm, bearing millidegrees, status
  TELEGRAM_RLS,       // laser, $RLS: place of the sensor in the frame of its targets, and the heading
  TELEGRAM_COUNT
};

enum { TELEGRAM_MAX = 128, TELEGRAM_TARGET = 8 };

// The checksum of a sentence: the exclusive or of its characters.
unsigned telegram_checksum(const char *text, size_t size);

// Writes "$", the body, "*" and its checksum, and the end of line. Returns the length; 0: it is too long.
size_t telegram_close(const char *body, int wrong_checksum, char out[TELEGRAM_MAX]);

// What a telegram needs beside its reading.
struct telegram_moment {
  double day_s;              // UTC time of the measurement since midnight
  const double *heading_rad; // that the unit knows; NULL: none
  int wrong_checksum;
};

// One telegram with its end of line. An invalid reading is flagged, as is one with a number that its field
// has no room for; a form without a flag gives 0, and nothing is to be sent. Returns the length.
size_t telegram_write(enum telegram_form form, const struct reading *reading,
                      const struct telegram_moment *moment, char out[TELEGRAM_MAX]);

// Axes of the first two numbers of a position: of an acoustic one the bow or north; of a receiver latitude
// and longitude, rad on WGS 84; of a laser the bearing is from the bow or from north.
enum telegram_axes { AXES_BOW, AXES_NORTH, AXES_GEOGRAPHIC };

struct telegram {
  enum telegram_form form; // TELEGRAM_COUNT: a sentence of NMEA 0183
  unsigned channels; // bits of those that it has; without the first, the measurement stays the one before
  int valid;
  char other[8]; // name of a whole sentence that says nothing about this kind and has no channels, as GSA;
                 // "": it does
  char target[TELEGRAM_TARGET]; // name of a transponder, number of a reflector; "": none
  enum telegram_axes axes;
  double value[READING_CHANNELS];
};

// North and east of a point of the ellipsoid in the plane that touches it at the origin: its normal is
// followed to the plane, the inverse of what the simulator does. origin, at: latitude and longitude, rad.
// Returns 0 beyond LARGEST_PLANE_M, where the plane is no chart.
static const double LARGEST_PLANE_M = 1e6;
int telegram_in_plane(const double origin_rad[2], const double at_rad[2], double north_east_m[2]);

// Reads one telegram without its end of line for an instrument of this kind. A sentence with a right checksum
// that belongs to another kind, or to none, is other. STATUS_BAD_INPUT: why says what was expected. A PSIMSSB
// with status A but an error code, without a position, or with one that is predicted and not measured, is not
// valid.
enum status telegram_read(const char *text, size_t size, enum instrument kind, struct telegram *out,
                          struct reason *why);
