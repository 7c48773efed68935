// From the ellipsoid to the plane of the chart.
#include "net/buses/buses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A point of the WGS 84 ellipsoid and its normal in the Earth-fixed frame.
static void surface(const double at_rad[2], double point[3], double normal[3]) {
  const double a = 6378137, f = 1 / 298.257223563, e2 = f * (2 - f), s = sin(at_rad[0]);
  const double n = a / sqrt(1 - e2 * s * s);
  normal[0] = cos(at_rad[0]) * cos(at_rad[1]);
  normal[1] = cos(at_rad[0]) * sin(at_rad[1]);
  normal[2] = s;
  for (int k = 0; k < 3; k++)
    point[k] = n * (k == 2 ? 1 - e2 : 1) * normal[k];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

int telegram_in_plane(const double origin_rad[2], const double at_rad[2], double north_east_m[2]) {
  const double sp = sin(origin_rad[0]), sl = sin(origin_rad[1]), cl = cos(origin_rad[1]);
  const double north[3] = {-sp * cl, -sp * sl, cos(origin_rad[0])}, east[3] = {-sl, cl, 0};
  double origin[3], up[3], point[3], normal[3];
  surface(origin_rad, origin, up);
  surface(at_rad, point, normal);
  const double cosine = dot(normal, up);
  for (int k = 0; k < 3; k++)
    point[k] -= origin[k];
  const double height = dot(point, up);
  if (!(cosine > 0.5))
    return 0;
  for (int k = 0; k < 3; k++)
    point[k] -= height / cosine * normal[k];
  north_east_m[0] = dot(point, north);
  north_east_m[1] = dot(point, east);
  return hypot(north_east_m[0], north_east_m[1]) <= LARGEST_PLANE_M;
}

// ------------------------------------------------------------
static const double DEG = 180 / 3.14159265358979323846;

static double bearing_deg(double rad, double unit) {
  double turns = rad * DEG / 360, deg = (turns - floor(turns)) * 360;
  deg = nearbyint(deg / unit) * unit;
  return deg >= 360 ? 0 : deg;
}

static unsigned sum_sent(const char *text, int is_wrong) {
  return telegram_checksum(text, strlen(text)) ^ (is_wrong ? 0x55u : 0);
}

size_t telegram_close(const char *body, int wrong_checksum, char out[TELEGRAM_MAX]) {
  int n = snprintf(out, TELEGRAM_MAX, "$%s*%02X\r\n", body, sum_sent(body, wrong_checksum));
  return n > 0 && n < TELEGRAM_MAX ? (size_t)n : 0;
}

// A number from 0 on, rounded to its last digit; *fits becomes 0 if the field has no room for it, which then
// has its largest.
static double in_field(double value, double unit, double largest, int *fits) {
  const double units = nearbyint(fmax(value, 0) / unit);
  if (units <= nearbyint(largest / unit))
    return units * unit;
  *fits = 0;
  return largest;
}

static size_t write_acoustic(const struct reading *r, const struct telegram_moment *moment,
                             char out[TELEGRAM_MAX]) {
  char body[TELEGRAM_MAX];
  const double *v = r->value;
  int is_lbl = r->kind == INSTRUMENT_LBL; // its own place, north and east; short baseline: starboard, forward
  long long ms = llround(moment->day_s * 1000) % 86400000;
  snprintf(body, sizeof body, "PSIMSSB,%02lld%02lld%02lld.%03lld,%s,%s,C,%s,M,%.3f,%.3f,%.3f,%.3f,N,,",
           ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000, is_lbl ? "LBL" : "B01",
           r->valid ? "A," : "V,NRy", is_lbl ? "N" : "H", is_lbl ? v[0] : v[1], is_lbl ? v[1] : v[0], v[2],
           is_lbl ? v[3] : v[4]);
  return telegram_close(body, moment->wrong_checksum, out);
}

static size_t write_radar(const struct reading *r, const struct telegram_moment *moment,
                          char out[TELEGRAM_MAX]) {
  enum { NO_REPLY = 0, VALID = 9, FULL_SIGNAL = 99 };
  char body[TELEGRAM_MAX];
  const double *v = r->value;
  int is_valid = r->valid;
  long long cs = llround(moment->day_s * 100) % 8640000;
  const double number = in_field(v[3], 1, 999, &is_valid), range_m = in_field(v[0], 0.01, 9999.99, &is_valid);
  snprintf(body, sizeof body,
           "PSXRAD,1,%02lld%02lld%02lld.%02lld,01,00,%03.0f,%07.2f,00.3,%06.2f,00.1,%.2f,00.2,0.00,%02d,%d",
           cs / 360000, cs / 6000 % 60, cs / 100 % 60, cs % 100, number, range_m, bearing_deg(v[1], 0.01),
           v[2] * DEG + 0.0, (int)fmin(fmax(v[4], 0), FULL_SIGNAL), is_valid ? VALID : NO_REPLY);
  return telegram_close(body, moment->wrong_checksum, out);
}

// Of an Artemis the last digit is the number of its fixed station.
static size_t write_ascii17(const struct reading *r, char out[TELEGRAM_MAX]) {
  int is_valid = r->valid != 0;
  const double range_m = in_field(r->value[0], 0.1, 99999.9, &is_valid);
  const double turn_deg = bearing_deg(r->value[1], 0.001);
  int n = snprintf(out, TELEGRAM_MAX, "%06lld %06lld %d\r\n", llround(range_m * 10), llround(turn_deg * 1000),
                   is_valid);
  return (size_t)n;
}

static size_t write_mdl(const struct reading *r, int has_sum, int is_wrong, char out[TELEGRAM_MAX]) {
  char line[TELEGRAM_MAX];
  int is_valid = r->valid != 0;
  const double number = in_field(r->value[3], 1, 99, &is_valid),
               range_m = in_field(r->value[0], 0.01, 9999.99, &is_valid);
  if (!is_valid)
    return 0;
  snprintf(line, sizeof line, "%02.0f %07.2f %06.2f%s", number, range_m, bearing_deg(r->value[1], 0.01),
           has_sum ? " " : "");
  int n = has_sum ? snprintf(out, TELEGRAM_MAX, "%s%02X\r\n", line, sum_sent(line, is_wrong))
                  : snprintf(out, TELEGRAM_MAX, "%s\r\n", line);
  return (size_t)n;
}

// A axis: north, B axis: east, from the target to the sensor. Without a heading the unit cannot turn what it
// measures into them.
static size_t write_rls(const struct reading *r, const struct telegram_moment *moment,
                        char out[TELEGRAM_MAX]) {
  char body[TELEGRAM_MAX];
  const double heading_rad = moment->heading_rad ? *moment->heading_rad : 0;
  const double level_m = r->value[0] * cos(r->value[2]), way_rad = heading_rad + r->value[1];
  const double place_m[2] = {-level_m * cos(way_rad), -level_m * sin(way_rad)};
  int is_valid = r->valid && moment->heading_rad;
  double shown_m[2];
  for (int k = 0; k < 2; k++)
    shown_m[k] = in_field(fabs(place_m[k]), 0.01, 999.99, &is_valid);
  for (int k = 0; k < 2 && !is_valid; k++)
    shown_m[k] = 0;
  snprintf(body, sizeof body, "RLS,%c%06.2f,%c%06.2f,%c,%07.3f,%c,0000",
           shown_m[0] > 0 && place_m[0] < 0 ? '-' : '+', shown_m[0],
           shown_m[1] > 0 && place_m[1] < 0 ? '-' : '+', shown_m[1], is_valid ? 'A' : 'V',
           bearing_deg(heading_rad, 0.001), moment->heading_rad ? 'A' : 'V');
  return telegram_close(body, moment->wrong_checksum, out);
}

size_t telegram_write(enum telegram_form form, const struct reading *r, const struct telegram_moment *moment,
                      char out[TELEGRAM_MAX]) {
  switch (form) {
  case TELEGRAM_PSIMSSB:
    return write_acoustic(r, moment, out);
  case TELEGRAM_PSXRAD:
    return write_radar(r, moment, out);
  case TELEGRAM_ASCII17:
    return write_ascii17(r, out);
  case TELEGRAM_RLS:
    return write_rls(r, moment, out);
  case TELEGRAM_MDL:
  case TELEGRAM_MDL_MULTI:
    return write_mdl(r, form == TELEGRAM_MDL_MULTI, moment->wrong_checksum, out);
  case TELEGRAM_COUNT:
    break;
  }
  return 0;
}
