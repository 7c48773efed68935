#include "io/nmea/nmea.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double knots_per_mps = 3600.0 / 1852.0;

static const struct {
  const char *name;
  enum instrument of;
} sentences[] = {
#define X(id, text, of) {text, of},
    NMEA_TABLE(X)
#undef X
};

const char *nmea_name(enum nmea_sentence s) {
  return (unsigned)s < NMEA_SENTENCE_COUNT ? sentences[s].name : "unknown";
}

enum instrument nmea_source(enum nmea_sentence s) {
  return sentences[s].of;
}

const char *nmea_default_talker(enum instrument of) {
  switch (of) {
  case INSTRUMENT_GNSS:
    return "GP";
  case INSTRUMENT_GYRO:
    return "HE"; // north seeking gyro
  case INSTRUMENT_WIND:
    return "WI"; // weather instruments
  case INSTRUMENT_SPEED_LOG:
    return "VD"; // Doppler
  case INSTRUMENT_COUNT:
    return "RC"; // propulsion machinery
  default:
    return "YX"; // transducer
  }
}

// The body of a sentence, grown field by field.
struct sentence {
  char text[NMEA_MAX];
  size_t size;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put(struct sentence *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(s->text + s->size, sizeof s->text - s->size, format, arguments);
  va_end(arguments);
  s->size += n < 0 ? 0 : (size_t)n;
  if (s->size >= sizeof s->text)
    s->size = sizeof s->text - 1;
}

// A number that does not print as -0.00.
static void put_number(struct sentence *s, int decimals, double x) {
  double unit = pow(10, -decimals);
  put(s, ",%.*f", decimals, fabs(x) < 0.5 * unit ? 0 : x);
}

static double degrees(double rad) {
  return rad * (180 / pi);
}

// An angle that prints as 0.00 to 359.99.
static void put_bearing(struct sentence *s, int decimals, double rad) {
  double turns = rad / (2 * pi), scale = pow(10, decimals);
  double units = nearbyint((turns - floor(turns)) * 360 * scale);
  put(s, ",%.*f", decimals, units >= 360 * scale ? 0.0 : units / scale);
}

// Degrees and minutes, counted in the last printed digit so that 60 minutes are never printed.
static void put_place(struct sentence *s, double rad, int degree_digits, char positive, char negative) {
  const long long per_minute = 10000000, per_degree = 60 * per_minute;
  long long units = llround(fabs(degrees(rad)) * (double)per_degree);
  put(s, ",%0*lld%02lld.%07lld,%c", degree_digits, units / per_degree, units % per_degree / per_minute,
      units % per_minute, rad < 0 && units > 0 ? negative : positive);
}

struct utc {
  int year, month, day, hour, minute, hundredths; // of seconds, 0 to 5999
};

// Days since 1970-01-01 to the Gregorian date, by 400-year eras that begin on March 1st.
static void date_of_days(long long days, struct utc *t) {
  long long z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
  long long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long long day = of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
  t->day = (int)(day - (153 * month + 2) / 5 + 1);
  t->month = (int)(month < 10 ? month + 3 : month - 9);
  t->year = (int)(year + era * 400 + (t->month <= 2));
}

static long long days_of_date(int year, int month, int day) {
  long long y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  long long of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static struct utc utc_of(double s_since_1970) {
  struct utc t;
  long long units = llround(100 * s_since_1970), day = 8640000, days = units / day - (units % day < 0);
  long long rest = units - days * day;
  date_of_days(days, &t);
  t.hour = (int)(rest / 360000);
  t.minute = (int)(rest / 6000 % 60);
  t.hundredths = (int)(rest % 6000);
  return t;
}

int nmea_parse_utc(const char *text, double *out_s) {
  int y, mo, d, h, mi, s, read = 0;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &y, &mo, &d, &h, &mi, &s, &read) != 6 || read != 19 ||
      (text[19] && strcmp(text + 19, "Z") != 0))
    return 0;
  struct utc back;
  long long days = days_of_date(y, mo, d);
  date_of_days(days, &back);
  if (y < 1970 || back.year != y || back.month != mo || back.day != d || h < 0 || h > 23 || mi < 0 ||
      mi > 59 || s < 0 || s > 59)
    return 0;
  *out_s = (double)days * 86400 + h * 3600 + mi * 60 + s;
  return 1;
}

// The point of the tangent plane, in the frame of the Earth, and down its normal onto the ellipsoid (Bowring
// 1976).
void nmea_geodetic(const struct nmea_origin *o, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad) {
  const double a = 6378137, f = 1 / 298.257223563, e2 = f * (2 - f), b = a * (1 - f);
  double sp = sin(o->latitude_rad), cp = cos(o->latitude_rad), sl = sin(o->longitude_rad),
         cl = cos(o->longitude_rad);
  double n = a / sqrt(1 - e2 * sp * sp);
  double x = n * cp * cl - sp * cl * north_m - sl * east_m;
  double y = n * cp * sl - sp * sl * north_m + cl * east_m;
  double z = n * (1 - e2) * sp + cp * north_m, distance = hypot(x, y);
  double reduced = atan2(z * a, distance * b);
  for (int i = 0; i < 3; i++) {
    double phi =
        atan2(z + e2 / (1 - e2) * b * pow(sin(reduced), 3), distance - e2 * a * pow(cos(reduced), 3));
    *latitude_rad = phi;
    reduced = atan2((1 - f) * sin(phi), cos(phi));
  }
  *longitude_rad = atan2(y, x);
}

struct writing {
  const struct nmea_origin *origin;
  const struct readings *all;
  const struct reading *r;
  double age_s;
};

static void put_time(struct sentence *s, const struct utc *t) {
  put(s, ",%02d%02d%02d.%02d", t->hour, t->minute, t->hundredths / 100, t->hundredths % 100);
}

static void put_fix(struct sentence *s, const struct writing *w) { // the latitude and the longitude
  double latitude, longitude;
  nmea_geodetic(w->origin, w->r->value[0], w->r->value[1], &latitude, &longitude);
  if (!w->r->valid) {
    put(s, ",,,,");
    return;
  }
  put_place(s, latitude, 2, 'N', 'S');
  put_place(s, longitude, 3, 'E', 'W');
}

static void put_course(struct sentence *s, const struct writing *w) {
  if (w->r->valid)
    put_bearing(s, 2, atan2(w->r->value[4], w->r->value[3]));
  else
    put(s, ",");
}

static void gnss(enum nmea_sentence which, struct sentence *s, const struct writing *w) {
  const struct reading *r = w->r;
  struct utc t = utc_of(w->origin->start_utc_s + r->time_s - w->age_s);
  double speed = hypot(r->value[3], r->value[4]);
  if (which == NMEA_VTG) {
    put_course(s, w);
    put(s, ",T,,M");
    if (r->valid)
      put(s, ",%.3f,N,%.3f,K,D", speed * knots_per_mps, speed * 3.6);
    else
      put(s, ",,N,,K,N");
    return;
  }
  put_time(s, &t);
  if (which == NMEA_GGA) {
    put_fix(s, w);
    put(s, r->valid ? ",2,12,0.8" : ",0,00,");
    if (r->valid)
      put_number(s, 2, -r->value[2]);
    else
      put(s, ",");
    put(s, ",M,0.0,M,,");
  } else if (which == NMEA_ZDA) {
    put(s, ",%02d,%02d,%04d,00,00", t.day, t.month, t.year);
  } else if (which == NMEA_RMC) {
    put(s, r->valid ? ",A" : ",V");
    put_fix(s, w);
    if (r->valid)
      put(s, ",%.3f", speed * knots_per_mps);
    else
      put(s, ",");
    put_course(s, w);
    put(s, ",%02d%02d%02d,,,%c", t.day, t.month, t.year % 100, r->valid ? 'D' : 'N');
  } else if (!r->valid) {
    put(s, ",,,,,,,");
  } else if (which == NMEA_GST) { // rms, ellipse of the horizontal error (a circle), sigma north, east, up
    double e = r->value[5];
    put(s, ",%.3f,%.3f,%.3f,0.0,%.3f,%.3f,%.3f", e, e, e, e, e, e);
  } else { // GBS: expected errors; no satellite suspected
    put(s, ",%.3f,%.3f,%.3f,,,,", r->value[5], r->value[5], r->value[5]);
  }
}

static void gyro(enum nmea_sentence which, struct sentence *s, const struct reading *r) {
  if (which == NMEA_ROT) {
    put_number(s, 2, degrees(r->value[1]) * 60); // a minute, positive to starboard
    put(s, r->valid ? ",A" : ",V");
    return;
  }
  if (r->valid || which == NMEA_THS)
    put_bearing(s, 3, r->value[0]);
  else
    put(s, ",");
  put(s, which == NMEA_HDT ? ",T" : r->valid ? ",A" : ",V");
}

// The first gyro that thinks itself valid; NULL: none.
static const struct reading *find_valid(const struct readings *all, enum instrument kind) {
  for (int i = 0; i < all->instrument_count; i++)
    if (all->instrument[i].kind == kind && all->instrument[i].sequence && all->instrument[i].valid)
      return &all->instrument[i];
  return NULL;
}

static void motion(enum nmea_sentence which, struct sentence *s, const struct writing *w) {
  const struct reading *r = w->r, *heading = find_valid(w->all, INSTRUMENT_GYRO);
  double roll = degrees(r->value[0]), pitch = degrees(r->value[1]);
  if (!r->valid) {
    put(s, which == NMEA_PSXN ? ",23,,,," : which == NMEA_PRDID ? ",,," : ",,,,");
    return;
  }
  if (which == NMEA_PHTRO) {
    put(s, ",%.2f,%c,%.2f,%c", fabs(pitch), pitch < 0 ? 'P' : 'M', fabs(roll), roll < 0 ? 'B' : 'T');
    return;
  }
  if (which == NMEA_PSXN) // roll and pitch are positive with port side and bow up, heave downwards
    put(s, ",23");
  put_number(s, 2, which == NMEA_PSXN ? roll : pitch);
  put_number(s, 2, which == NMEA_PSXN ? pitch : roll);
  if (heading)
    put_bearing(s, 2, heading->value[0]);
  else
    put(s, ",");
  if (which == NMEA_PSXN)
    put_number(s, 2, r->value[2]);
}

// Relative wind, or with MWVT that over the ground, from the newest heading and velocity; the angle stays
// relative to the bow.
static void wind(enum nmea_sentence which, struct sentence *s, const struct writing *w) {
  double speed = w->r->value[0], from = w->r->value[1];
  int valid = w->r->valid;
  if (which == NMEA_MWVT) {
    const struct reading *heading = find_valid(w->all, INSTRUMENT_GYRO),
                         *fix = find_valid(w->all, INSTRUMENT_GNSS);
    valid = valid && heading && fix;
    double psi = heading ? heading->value[0] : 0, vn = fix ? fix->value[3] : 0, ve = fix ? fix->value[4] : 0;
    // wind velocity over the ground = relative wind velocity + the vessel's, all along bow and starboard
    double ahead = -speed * cos(from) + vn * cos(psi) + ve * sin(psi);
    double across = -speed * sin(from) - vn * sin(psi) + ve * cos(psi);
    speed = hypot(ahead, across);
    from = atan2(-across, -ahead);
  }
  put_bearing(s, 1, from);
  put(s, ",%c,%.2f,M,%c", which == NMEA_MWV ? 'R' : 'T', speed, valid ? 'A' : 'V');
}

// Type, value, unit, name; no value where the instrument thinks it invalid.
static void measure(struct sentence *s, const struct reading *r, char type, int decimals, double x, char unit,
                    const char *suffix) {
  put(s, ",%c", type);
  if (r->valid)
    put_number(s, decimals, x);
  else
    put(s, ",");
  put(s, ",%c,%s%s", unit, r->name, suffix);
}

static void transducer(enum nmea_sentence which, struct sentence *s, const struct reading *r) {
  if (which == NMEA_XDR_TENSION) {
    measure(s, r, 'F', 0, r->value[0], 'N', "");
  } else if (which == NMEA_XDR_ANGLE) {
    measure(s, r, 'A', 3, degrees(r->value[0]), 'D', "");
    measure(s, r, 'A', 2, degrees(r->value[1]), 'D', "_AZ");
  } else {
    static const char *const suffixes[] = {"_N", "_E", "_D"};
    for (int i = 0; i < 3; i++)
      measure(s, r, 'D', 2, r->value[i], 'M', suffixes[i]);
  }
}

static void speed_log(struct sentence *s, const struct reading *r) {
  for (int i = 0; i < 2; i++)
    if (r->valid)
      put_number(s, 3, r->value[i] * knots_per_mps);
    else
      put(s, ",");
  put(s, ",%c,,,V,,V,,V", r->valid ? 'A' : 'V');
}

static void thruster(struct sentence *s, const struct readings *all, int index) {
  const struct thruster_feedback *t = &all->thruster[index];
  put(s, ",%d", index + 1);
  put_number(s, 1, t->revolutions_rpm);
  put(s, t->ready ? ",R" : ",V");
  put_number(s, 1, 100 * t->pitch);
  put(s, t->ready ? ",P" : ",V");
  put_bearing(s, 1, t->azimuth_rad);
}

static void put_fields(enum nmea_sentence which, struct sentence *s, const struct writing *w, int index) {
  switch (nmea_source(which)) {
  case INSTRUMENT_GNSS:
    gnss(which, s, w);
    break;
  case INSTRUMENT_GYRO:
    gyro(which, s, w->r);
    break;
  case INSTRUMENT_MOTION:
    motion(which, s, w);
    break;
  case INSTRUMENT_WIND:
    wind(which, s, w);
    break;
  case INSTRUMENT_SPEED_LOG:
    speed_log(s, w->r);
    break;
  case INSTRUMENT_COUNT:
    thruster(s, w->all, index);
    break;
  default:
    transducer(which, s, w->r);
  }
}

static int is_proprietary(enum nmea_sentence s) {
  return s == NMEA_PSXN || s == NMEA_PRDID || s == NMEA_PHTRO;
}

size_t nmea_write(enum nmea_sentence which, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, const struct nmea_twist *twist,
                  char out[NMEA_MAX]) {
  struct sentence s = {.size = 0};
  const struct reading *r = nmea_source(which) == INSTRUMENT_COUNT ? NULL : &readings->instrument[index];
  struct writing w = {origin, readings, r, twist->age_s};
  if (is_proprietary(which))
    put(&s, "%s%s", twist->wrong_talker ? "X" : "", nmea_name(which));
  else
    put(&s, "%s%.3s", twist->wrong_talker ? "XX" : talker, nmea_name(which));
  put_fields(which, &s, &w, index);
  unsigned sum = twist->wrong_checksum ? 0x55 : 0;
  for (size_t i = 0; i < s.size; i++)
    sum ^= (unsigned char)s.text[i];
  int n = snprintf(out, NMEA_MAX, "$%s*%02X\r\n", s.text, sum);
  return n > 0 && n < NMEA_MAX ? (size_t)n : 0;
}
