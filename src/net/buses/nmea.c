// The sentences.
#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double KNOTS_PER_MPS = 3600.0 / 1852.0;

const char *nmea_default_talker(int source) {
  return source == NMEA_THRUSTERS ? "RC" // propulsion machinery
         : source == NMEA_POWER   ? "II" // integrated instrumentation
                                  : instrument_kind((enum instrument)source)->talker;
}

// The first instrument of this kind that has a valid reading; NULL: none.
static const struct reading *find_valid(const struct readings *all, enum instrument kind) {
  for (int i = 0; i < all->instrument_count; i++)
    if (all->instrument[i].kind == kind && all->instrument[i].sequence && all->instrument[i].valid)
      return &all->instrument[i];
  return NULL;
}

static void nmea_put_latitude(struct nmea_text *out, double latitude_rad);
static void nmea_put_longitude(struct nmea_text *out, double longitude_rad);
static void nmea_put_bearing(struct nmea_text *out, int decimals, double angle_rad);
static void nmea_put_number(struct nmea_text *out, int decimals, double number);
static double nmea_degrees(double rad);

// ---- Receivers ----
static void put_position(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  double latitude, longitude;
  nmea_geodetic(from->origin, reading->value[0], reading->value[1], &latitude, &longitude);
  if (!reading->valid) {
    nmea_put(out, ",,,,");
    return;
  }
  nmea_put_latitude(out, latitude);
  nmea_put_longitude(out, longitude);
}

static void put_course(struct nmea_text *out, const struct reading *reading) {
  if (reading->valid)
    nmea_put_bearing(out, 2, atan2(reading->value[4], reading->value[3]));
  else
    nmea_put(out, ",");
}

static double speed_over_ground(const struct reading *reading) { // m/s
  return hypot(reading->value[3], reading->value[4]);
}

// Puts the time of the measurement.
static struct nmea_utc put_time(struct nmea_text *out, const struct nmea_material *from) {
  const struct nmea_utc utc = nmea_utc_of(from->origin->start_utc_s + from->reading->time_s - from->age_s);
  nmea_put_time(out, &utc);
  return utc;
}

static void put_vtg(struct nmea_text *out, const struct nmea_material *from) {
  double speed = speed_over_ground(from->reading);
  put_course(out, from->reading);
  nmea_put(out, ",T,,M");
  if (from->reading->valid)
    nmea_put(out, ",%.3f,N,%.3f,K,D", speed * KNOTS_PER_MPS, speed * 3.6);
  else
    nmea_put(out, ",,N,,K,N");
}

static void put_gga(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  put_time(out, from);
  put_position(out, from);
  nmea_put(out, reading->valid ? ",2,12,0.8" : ",0,00,");
  if (reading->valid)
    nmea_put_number(out, 2, -reading->value[2]);
  else
    nmea_put(out, ",");
  nmea_put(out, ",M,0.0,M,,");
}

static void put_rmc(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  const struct nmea_utc utc = put_time(out, from);
  nmea_put(out, reading->valid ? ",A" : ",V");
  put_position(out, from);
  if (reading->valid)
    nmea_put(out, ",%.3f", speed_over_ground(reading) * KNOTS_PER_MPS);
  else
    nmea_put(out, ",");
  put_course(out, reading);
  nmea_put(out, ",%02d%02d%02d,,,%c", utc.day, utc.month, utc.year % 100, reading->valid ? 'D' : 'N');
}

static void put_zda(struct nmea_text *out, const struct nmea_material *from) {
  const struct nmea_utc utc = put_time(out, from);
  nmea_put(out, ",%02d,%02d,%04d,00,00", utc.day, utc.month, utc.year);
}

// rms, error ellipse (here a circle), sigma of latitude, longitude, height.
static void put_gst(struct nmea_text *out, const struct nmea_material *from) {
  const double e = from->reading->value[5];
  put_time(out, from);
  if (from->reading->valid)
    nmea_put(out, ",%.3f,%.3f,%.3f,0.0,%.3f,%.3f,%.3f", e, e, e, e, e, e);
  else
    nmea_put(out, ",,,,,,,");
}

// Expected errors; no satellite is suspected.
static void put_gbs(struct nmea_text *out, const struct nmea_material *from) {
  const double e = from->reading->value[5];
  put_time(out, from);
  if (from->reading->valid)
    nmea_put(out, ",%.3f,%.3f,%.3f,,,,", e, e, e);
  else
    nmea_put(out, ",,,,,,,");
}

// ---- Gyros ----
static void put_rot(struct nmea_text *out, const struct nmea_material *from) {
  nmea_put_number(out, 2, nmea_degrees(from->reading->value[1]) * 60); // per minute, positive to starboard
  nmea_put(out, from->reading->valid ? ",A" : ",V");
}

static void put_hdt(struct nmea_text *out, const struct nmea_material *from) {
  if (from->reading->valid)
    nmea_put_bearing(out, 3, from->reading->value[0]);
  else
    nmea_put(out, ",");
  nmea_put(out, ",T");
}

static void put_ths(struct nmea_text *out, const struct nmea_material *from) {
  nmea_put_bearing(out, 3, from->reading->value[0]);
  nmea_put(out, from->reading->valid ? ",A" : ",V");
}

// ---- Motion sensors: roll and pitch are positive with port side up and bow up, heave is positive down ----
static void put_heading(struct nmea_text *out, const struct readings *all) {
  const struct reading *heading = find_valid(all, INSTRUMENT_GYRO);
  if (heading)
    nmea_put_bearing(out, 2, heading->value[0]);
  else
    nmea_put(out, ",");
}

static void put_psxn(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  if (!reading->valid) {
    nmea_put(out, ",23,,,,");
    return;
  }
  nmea_put(out, ",23");
  nmea_put_number(out, 2, nmea_degrees(reading->value[0]));
  nmea_put_number(out, 2, nmea_degrees(reading->value[1]));
  put_heading(out, from->all);
  nmea_put_number(out, 2, reading->value[2]);
}

static void put_prdid(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  if (!reading->valid) {
    nmea_put(out, ",,,");
    return;
  }
  nmea_put_number(out, 2, nmea_degrees(reading->value[1]));
  nmea_put_number(out, 2, nmea_degrees(reading->value[0]));
  put_heading(out, from->all);
}

static void put_phtro(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  const double roll_deg = nmea_degrees(reading->value[0]), pitch_deg = nmea_degrees(reading->value[1]);
  if (reading->valid)
    nmea_put(out, ",%.2f,%c,%.2f,%c", fabs(pitch_deg), pitch_deg < 0 ? 'P' : 'M', fabs(roll_deg),
             roll_deg < 0 ? 'B' : 'T');
  else
    nmea_put(out, ",,,,");
}

// ---- Wind; the angle is relative to the bow in both sentences ----
static void put_wind(struct nmea_text *out, double from_rad, char reference, double speed_mps, int valid) {
  nmea_put_bearing(out, 1, from_rad);
  nmea_put(out, ",%c,%.2f,M,%c", reference, speed_mps, valid ? 'A' : 'V');
}

static void put_mwv(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *relative = from->reading;
  put_wind(out, relative->value[1], 'R', relative->value[0], relative->valid);
}

// The true wind over the ground, computed with the newest heading and velocity: wind velocity over the ground
// = relative wind velocity + velocity of the vessel, along bow and starboard.
static void put_mwvt(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *gyro = find_valid(from->all, INSTRUMENT_GYRO);
  const struct reading *fix = find_valid(from->all, INSTRUMENT_GNSS);
  const double speed = from->reading->value[0], from_rad = from->reading->value[1];
  double psi = gyro ? gyro->value[0] : 0, vn = fix ? fix->value[3] : 0, ve = fix ? fix->value[4] : 0;
  double ahead = -speed * cos(from_rad) + vn * cos(psi) + ve * sin(psi);
  double across = -speed * sin(from_rad) - vn * sin(psi) + ve * cos(psi);
  put_wind(out, atan2(-across, -ahead), 'T', hypot(ahead, across), from->reading->valid && gyro && fix);
}

static void put_vbw(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *reading = from->reading;
  for (int i = 0; i < 2; i++)
    if (reading->valid)
      nmea_put_number(out, 3, reading->value[i] * KNOTS_PER_MPS);
    else
      nmea_put(out, ",");
  nmea_put(out, ",%c,,,V,,V,,V", reading->valid ? 'A' : 'V');
}

static void put_trd(struct nmea_text *out, const struct nmea_material *from) {
  const struct thruster_feedback *thruster = &from->all->thruster[from->index];
  nmea_put(out, ",%d", from->index + 1);
  nmea_put_number(out, 1, thruster->revolutions_rpm);
  nmea_put(out, thruster->ready ? ",R" : ",V");
  nmea_put_number(out, 1, 100 * thruster->pitch);
  nmea_put(out, thruster->ready ? ",P" : ",V");
  nmea_put_bearing(out, 1, thruster->azimuth_rad);
}

struct row {
  const char *name;
  int of;
  enum nmea_head head;
  nmea_fields *put; // NULL: a telegram
  enum telegram_form form;
};

#define NAMED(name)                           name
#define SENTENCE_ROW(id, name, of, head, put) [id] = {name, of, HEAD_##head, put, TELEGRAM_COUNT},
#define TELEGRAM_ROW(id, name, of, form)      [id] = {name, of, HEAD_OWN, NULL, form},
static const struct row SENTENCES[] = {NMEA_TABLE(SENTENCE_ROW, TELEGRAM_ROW, NAMED, NAMED)};

const char *nmea_name(enum nmea_sentence sentence) {
  return (unsigned)sentence < NMEA_SENTENCE_COUNT ? SENTENCES[sentence].name : "unknown";
}

int nmea_source(enum nmea_sentence sentence) {
  return SENTENCES[sentence].of;
}

int nmea_is_whole_sentence(enum nmea_sentence sentence) {
  const struct row *row = &SENTENCES[sentence];
  return row->put ||
         (row->form != TELEGRAM_MDL && row->form != TELEGRAM_MDL_MULTI && row->form != TELEGRAM_ASCII17);
}

static size_t write_telegram(enum telegram_form form, const struct nmea_material *from, int is_wrong,
                             char out[NMEA_MAX]) {
  _Static_assert((int)TELEGRAM_MAX == (int)NMEA_MAX, "one room for both");
  assert(from->reading); // a form of a maker is that of an instrument
  const struct reading *heading = find_valid(from->all, INSTRUMENT_GYRO);
  const double utc_s = from->origin->start_utc_s + from->reading->time_s - from->age_s;
  const struct telegram_moment moment = {utc_s - 86400 * floor(utc_s / 86400),
                                         heading ? heading->value : NULL, is_wrong};
  return telegram_write(form, from->reading, &moment, out);
}

size_t nmea_write(enum nmea_sentence sentence, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, int part,
                  const struct nmea_corruption *corruption, char out[NMEA_MAX]) {
  assert(readings);
  const struct row *row = &SENTENCES[sentence];
  const struct nmea_material from = {
      origin, readings, row->of < INSTRUMENT_COUNT ? &readings->instrument[index] : NULL,
      index,  part,     corruption->age_s};
  struct nmea_text body = {.size = 0};
  if (part > 0 && row->head != HEAD_XDR)
    return 0;
  if (!row->put)
    return write_telegram(row->form, &from, corruption->wrong_checksum, out);
  if (row->head == HEAD_OWN)
    nmea_put(&body, "%s%s", corruption->wrong_talker ? "X" : "", row->name);
  else
    nmea_put(&body, "%s%.3s", corruption->wrong_talker ? "XX" : talker, row->name);
  const size_t head = body.size;
  row->put(&body, &from);
  return body.size > head ? telegram_close(body.text, corruption->wrong_checksum, out) : 0;
}

// ------------------------------------------------------------
static int hex(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum refusal nmea_check_form(const char *text, size_t size, struct reason *why) {
  if (size > NMEA_SENTENCE_MAX)
    return REFUSED_NMEA_LENGTH;
  if (size < 9 || text[0] != '$' || text[size - 3] != '*' || hex(text[size - 2]) < 0 ||
      hex(text[size - 1]) < 0)
    return REFUSED_NMEA_FORM;
  for (size_t i = 1; i < size - 3; i++)
    if (text[i] < 0x20 || text[i] > 0x7e || text[i] == '*' || text[i] == '$')
      return REFUSED_NMEA_FORM;
  const unsigned sum = telegram_checksum(text + 1, size - 4);
  if ((int)sum == hex(text[size - 2]) * 16 + hex(text[size - 1]))
    return REFUSAL_COUNT;
  fail(why, STATUS_BAD_INPUT, "the checksum of the sentence expected, got *%.2s instead of *%02X",
       text + size - 2, sum);
  return REFUSED_NMEA_CHECKSUM;
}

int nmea_has_formatter(const char *text, size_t size, const char *formatter) {
  return size > 6 && isalnum((unsigned char)text[1]) && isalnum((unsigned char)text[2]) &&
         strncmp(text + 3, formatter, 3) == 0 && (text[6] == ',' || text[6] == '*');
}

void nmea_split(const char *text, size_t size, struct nmea_fields *out) {
  size_t used = 0;
  memset(out, 0, sizeof *out);
  for (size_t i = 6; i < size - 3; i++)
    if (text[i] == ',') {
      if (++out->count > NMEA_FIELDS)
        return;
      used = 0;
    } else if (out->count > 0) {
      out->field[out->count - 1][used++] = text[i];
    }
}

int nmea_is_letter(const char *field, const char *letters, int may_be_empty) {
  return *field ? !field[1] && strchr(letters, *field) != NULL : may_be_empty;
}

long nmea_whole(const char *field, long low, long high) {
  size_t digits = strspn(field, "0123456789");
  if (!digits || field[digits] || digits > 9)
    return -1;
  long number = strtol(field, NULL, 10);
  return number >= low && number <= high ? number : -1;
}

// ------------------------------------------------------------
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

// Never as -0.00.
static void nmea_put_number(struct nmea_text *out, int decimals, double number) {
  double unit = pow(10, -decimals);
  nmea_put(out, ",%.*f", decimals, fabs(number) < 0.5 * unit ? 0 : number);
}

static double nmea_degrees(double rad) {
  return rad * (180 / PI);
}

// 0.00 to 359.99 degrees.
static void nmea_put_bearing(struct nmea_text *out, int decimals, double angle_rad) {
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

// Two fields: ddmm.m, N or S.
static void nmea_put_latitude(struct nmea_text *out, double latitude_rad) {
  put_coordinate(out, latitude_rad, 2, 'N', 'S');
}

// Two fields: dddmm.m, E or W.
static void nmea_put_longitude(struct nmea_text *out, double longitude_rad) {
  put_coordinate(out, longitude_rad, 3, 'E', 'W');
}

void nmea_put_time(struct nmea_text *out, const struct nmea_utc *utc) {
  nmea_put(out, ",%02d%02d%02d.%02d", utc->hour, utc->minute, utc->hundredths / 100, utc->hundredths % 100);
}

// ------------------------------------------------------------
// Packs transducers into sentences and keeps those of the wanted part.
struct packer {
  struct nmea_text *out;
  const char *name; // of what is measured
  int wanted, part;
  size_t used; // characters of the present part
};

// Type, value, unit, name of one transducer; the value is empty if it is not known. The generic type and that
// of a switch have no unit.
static void put(struct packer *p, int is_known, char type, int decimals, double value, const char *unit,
                const char *ending) {
  enum { FRAME = 6 + 5 }; // "$YXXDR" and "*hh\r\n"
  struct nmea_text number = {.size = 0}, group = {.size = 0};
  if (is_known)
    nmea_put_number(&number, decimals, value);
  else
    nmea_put(&number, ",");
  nmea_put(&group, ",%c%s,%s,%s%s", type, number.text, unit, p->name, ending);
  if (p->used > 0 && FRAME + p->used + group.size > NMEA_LINE) {
    p->part++;
    p->used = 0;
  }
  p->used += group.size;
  if (p->part == p->wanted)
    nmea_put(p->out, "%s", group.text);
}

static void put_angles(struct packer *p, int is_known, const double rad[2], int second_decimals,
                       const char *second) {
  put(p, is_known, 'A', 3, nmea_degrees(rad[0]), "D", "");
  put(p, is_known, 'A', second_decimals, nmea_degrees(rad[1]), "D", second);
}

static struct packer packer_of(struct nmea_text *out, const struct nmea_material *from, const char *name) {
  return (struct packer){out, name, from->part, 0, 0};
}

// A slack wire has no angles of a straight one, but its length and tension.
void nmea_xdr_put_wire(struct nmea_text *out, const struct nmea_material *from) {
  enum { LENGTH = 2, TENSION };
  const struct reading *r = from->reading;
  struct packer p = packer_of(out, from, r->name);
  const int is_slack = instrument_is_slack(r->kind, r->value);
  put_angles(&p, r->valid, r->value, 3, "_X");
  put(&p, r->valid || is_slack, 'D', 2, r->value[LENGTH], "M", "_L");
  put(&p, r->valid || is_slack, 'F', 0, r->value[TENSION], "N", "_T");
  put(&p, 1, 'S', 0, is_slack, "", "_S");
}

void nmea_xdr_put_tension(struct nmea_text *out, const struct nmea_material *from) {
  struct packer p = packer_of(out, from, from->reading->name);
  put(&p, from->reading->valid, 'F', 0, from->reading->value[0], "N", "");
}

void nmea_xdr_put_angle(struct nmea_text *out, const struct nmea_material *from) {
  struct packer p = packer_of(out, from, from->reading->name);
  put_angles(&p, from->reading->valid, from->reading->value, 2, "_AZ");
}

void nmea_xdr_put_touchdown(struct nmea_text *out, const struct nmea_material *from) {
  static const char *const axes[] = {"_N", "_E", "_D"};
  struct packer p = packer_of(out, from, from->reading->name);
  for (int i = 0; i < 3; i++)
    put(&p, from->reading->valid, 'D', 2, from->reading->value[i], "M", axes[i]);
}

void nmea_xdr_put_payout(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *r = from->reading;
  struct packer p = packer_of(out, from, r->name);
  put(&p, r->valid, 'D', 2, r->value[0], "M", "");
  put(&p, r->valid, 'G', 3, r->value[1], "", "_V");
}

void nmea_xdr_put_tensioner(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *r = from->reading;
  struct packer p = packer_of(out, from, r->name);
  put(&p, r->valid, 'F', 0, r->value[0], "N", "");
  put(&p, r->valid, 'G', 0, r->value[1], "", "_M");
  put(&p, r->valid, 'S', 0, r->value[2], "", "_B");
}

void nmea_xdr_put_power(struct nmea_text *out, const struct nmea_material *from) {
  const struct power_feedback *power = &from->all->power;
  int index = from->index;
  struct packer p = packer_of(out, from, NULL);
  if (index < power->bus_count) {
    const struct bus_feedback *bus = &power->bus[index];
    p.name = bus->name;
    put(&p, 1, 'S', 0, (double)bus->supplied, "", "_BUS");
    put(&p, 1, 'G', 0, bus->available_w, "", "_BUS_A");
    put(&p, 1, 'G', 0, bus->load_w, "", "_BUS_P");
    put(&p, 1, 'F', 2, bus->frequency * from->origin->rated_hz, "H", "_BUS_F");
    put(&p, 1, 'U', 1, bus->voltage * from->origin->rated_v, "V", "_BUS_U");
    return;
  }
  index -= power->bus_count;
  if (index < power->generator_count) {
    p.name = power->generator[index].name;
    put(&p, 1, 'S', 0, (double)power->generator[index].closed, "", "_SET");
    put(&p, 1, 'G', 0, power->generator[index].load_w, "", "_SET_P");
    return;
  }
  index -= power->generator_count;
  p.name = power->tie[index].name;
  put(&p, 1, 'S', 0, (double)power->tie[index].closed, "", "_TIE");
}

int nmea_power_count(const struct power_feedback *power) {
  return power->bus_count + power->generator_count + power->tie_count;
}

// ------------------------------------------------------------
// Where and when: coordinates on the ellipsoid, and the civil calendar.

// The point of the tangent plane in the Earth-fixed frame, projected down its normal onto the ellipsoid
// (Bowring 1976).
void nmea_geodetic(const struct nmea_origin *origin, double north_m, double east_m, double *latitude_rad,
                   double *longitude_rad) {
  const double a = 6378137, f = 1 / 298.257223563, e2 = f * (2 - f), b = a * (1 - f);
  double sp = sin(origin->latitude_rad), cp = cos(origin->latitude_rad);
  double sl = sin(origin->longitude_rad), cl = cos(origin->longitude_rad);
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

// Days since 1970-01-01 to a Gregorian date, in 400-year eras that begin on March 1.
static void date_of_days(long long days, struct nmea_utc *utc) {
  long long z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
  long long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long long day = of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
  utc->day = (int)(day - (153 * month + 2) / 5 + 1);
  utc->month = (int)(month < 10 ? month + 3 : month - 9);
  utc->year = (int)(year + era * 400 + (utc->month <= 2));
}

static long long days_of_date(int year, int month, int day) {
  long long y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  long long of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct nmea_utc nmea_utc_of(double s_since_1970) {
  struct nmea_utc utc;
  long long units = llround(100 * s_since_1970), day = 8640000, days = units / day - (units % day < 0);
  long long rest = units - days * day;
  date_of_days(days, &utc);
  utc.hour = (int)(rest / 360000);
  utc.minute = (int)(rest / 6000 % 60);
  utc.hundredths = (int)(rest % 6000);
  return utc;
}

int nmea_parse_utc(const char *text, double *out_s) {
  int year, month, day, hour, minute, second, read = 0;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &read) != 6 ||
      read != 19 || (text[19] && strcmp(text + 19, "Z") != 0))
    return 0;

  struct nmea_utc back; // differs where the date does not exist
  long long days = days_of_date(year, month, day);
  date_of_days(days, &back);
  if (year < 1970 || back.year != year || back.month != month || back.day != day || hour < 0 || hour > 23 ||
      minute < 0 || minute > 59 || second < 0 || second > 59)
    return 0;
  *out_s = (double)days * 86400 + hour * 3600 + minute * 60 + second;
  return 1;
}
