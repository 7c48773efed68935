#include "net/buses/nmea_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

void nmea_put(struct nmea_text *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out->text + out->size, sizeof out->text - out->size, format, arguments);
  va_end(arguments);
  out->size += length < 0 ? 0 : (size_t)length;
  if (out->size >= sizeof out->text)
    out->size = sizeof out->text - 1;
}

void nmea_put_number(struct nmea_text *out, int decimals, double number) {
  double unit = pow(10, -decimals);
  nmea_put(out, ",%.*f", decimals, fabs(number) < 0.5 * unit ? 0 : number);
}

double nmea_degrees(double rad) {
  return rad * (180 / PI);
}

void nmea_put_bearing(struct nmea_text *out, int decimals, double angle_rad) {
  double turns = angle_rad / (2 * PI), scale = pow(10, decimals);
  double units = nearbyint((turns - floor(turns)) * 360 * scale);
  nmea_put(out, ",%.*f", decimals, units >= 360 * scale ? 0.0 : units / scale);
}

// Counts in units of the last printed digit, so that 60 minutes are never printed.
static void put_coordinate(struct nmea_text *out, double rad, int degree_digits, char positive,
                           char negative) {
  const long long per_minute = 10000000, per_degree = 60 * per_minute;
  long long units = llround(fabs(nmea_degrees(rad)) * (double)per_degree);
  nmea_put(out, ",%0*lld%02lld.%07lld,%c", degree_digits, units / per_degree, units % per_degree / per_minute,
           units % per_minute, rad < 0 && units > 0 ? negative : positive);
}

void nmea_put_latitude(struct nmea_text *out, double latitude_rad) {
  put_coordinate(out, latitude_rad, 2, 'N', 'S');
}

void nmea_put_longitude(struct nmea_text *out, double longitude_rad) {
  put_coordinate(out, longitude_rad, 3, 'E', 'W');
}

void nmea_put_time(struct nmea_text *out, const struct nmea_utc *utc) {
  nmea_put(out, ",%02d%02d%02d.%02d", utc->hour, utc->minute, utc->hundredths / 100, utc->hundredths % 100);
}
