// Private to the room: writes the fields of a sentence, each with the comma before it.
#pragma once

#include "net/buses/nmea.h"

struct nmea_text {
  char text[NMEA_MAX];
  size_t size;
};

// What a sentence is written from.
struct nmea_material {
  const struct nmea_origin *origin;
  const struct readings *all;
  const struct reading *reading; // of the instrument; NULL: of a thruster or the power plant
  int index;                     // of the instrument, thruster or item of the power plant
  int part;                      // of an XDR, from 0
  double age_s;
};
typedef void nmea_fields(struct nmea_text *out, const struct nmea_material *from); // appends the fields

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void nmea_put(struct nmea_text *out, const char *format, ...);

void nmea_put_number(struct nmea_text *out, int decimals, double number);     // never as -0.00
void nmea_put_bearing(struct nmea_text *out, int decimals, double angle_rad); // 0.00 to 359.99 degrees
void nmea_put_latitude(struct nmea_text *out, double latitude_rad);           // two fields: ddmm.m, N or S
void nmea_put_longitude(struct nmea_text *out, double longitude_rad);         // two fields: dddmm.m, E or W

struct nmea_utc {
  int year, month, day, hour, minute;
  int hundredths; // of seconds, 0 to 5999
};
struct nmea_utc nmea_utc_of(double s_since_1970);
void nmea_put_time(struct nmea_text *out, const struct nmea_utc *utc); // hhmmss.ss

double nmea_degrees(double rad);
