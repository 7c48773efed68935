// The sentences.
#include "net/buses/nmea.h"

#include "net/buses/nmea_text.h"
#include "net/buses/nmea_xdr.h"
#include "net/buses/telegram.h"

#include <assert.h>
#include <math.h>
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
