// The sentences.
#include "io/bus/nmea.h"

#include "io/bus/nmea_text.h"
#include "io/bus/nmea_xdr.h"
#include "io/telegrams/telegram.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double KNOTS_PER_MPS = 3600.0 / 1852.0;

static const struct {
  const char *name;
  int of;
} SENTENCES[] = {
#define X(id, text, of) {text, of},
    NMEA_TABLE(X)
#undef X
};

const char *nmea_name(enum nmea_sentence sentence) {
  return (unsigned)sentence < NMEA_SENTENCE_COUNT ? SENTENCES[sentence].name : "unknown";
}

int nmea_source(enum nmea_sentence sentence) {
  return SENTENCES[sentence].of;
}

const char *nmea_default_talker(int source) {
  switch (source) {
  case INSTRUMENT_GNSS:
    return "GP";
  case INSTRUMENT_GYRO:
    return "HE"; // north seeking gyro
  case INSTRUMENT_WIND:
    return "WI"; // weather instruments
  case INSTRUMENT_SPEED_LOG:
    return "VD"; // Doppler
  case NMEA_THRUSTERS:
    return "RC"; // propulsion machinery
  case NMEA_POWER:
    return "II"; // integrated instrumentation
  default:
    return "YX"; // transducer
  }
}

// What a sentence is written from.
struct source {
  const struct nmea_origin *origin;
  const struct readings *all;
  const struct reading *reading; // of the instrument; NULL: of a thruster or the power plant
  int index, part;
  double age_s;
};

static void put_position(struct nmea_text *out, const struct source *source) {
  const struct reading *reading = source->reading;
  double latitude, longitude;
  nmea_geodetic(source->origin, reading->value[0], reading->value[1], &latitude, &longitude);
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

static void write_vtg(struct nmea_text *out, const struct reading *reading) {
  double speed = speed_over_ground(reading);
  put_course(out, reading);
  nmea_put(out, ",T,,M");
  if (reading->valid)
    nmea_put(out, ",%.3f,N,%.3f,K,D", speed * KNOTS_PER_MPS, speed * 3.6);
  else
    nmea_put(out, ",,N,,K,N");
}

static void write_gga(struct nmea_text *out, const struct source *source) {
  const struct reading *reading = source->reading;
  put_position(out, source);
  nmea_put(out, reading->valid ? ",2,12,0.8" : ",0,00,");
  if (reading->valid)
    nmea_put_number(out, 2, -reading->value[2]);
  else
    nmea_put(out, ",");
  nmea_put(out, ",M,0.0,M,,");
}

static void write_rmc(struct nmea_text *out, const struct source *source, const struct nmea_utc *utc) {
  const struct reading *reading = source->reading;
  nmea_put(out, reading->valid ? ",A" : ",V");
  put_position(out, source);
  if (reading->valid)
    nmea_put(out, ",%.3f", speed_over_ground(reading) * KNOTS_PER_MPS);
  else
    nmea_put(out, ",");
  put_course(out, reading);
  nmea_put(out, ",%02d%02d%02d,,,%c", utc->day, utc->month, utc->year % 100, reading->valid ? 'D' : 'N');
}

static void write_gnss(enum nmea_sentence sentence, struct nmea_text *out, const struct source *source) {
  const struct reading *reading = source->reading;
  if (sentence == NMEA_VTG) {
    write_vtg(out, reading);
    return;
  }

  struct nmea_utc utc = nmea_utc_of(source->origin->start_utc_s + reading->time_s - source->age_s);
  double error_m = reading->value[5];
  nmea_put_time(out, &utc);
  if (sentence == NMEA_GGA)
    write_gga(out, source);
  else if (sentence == NMEA_ZDA)
    nmea_put(out, ",%02d,%02d,%04d,00,00", utc.day, utc.month, utc.year);
  else if (sentence == NMEA_RMC)
    write_rmc(out, source, &utc);
  else if (!reading->valid)
    nmea_put(out, ",,,,,,,");
  else if (sentence == NMEA_GST) // rms, error ellipse (here a circle), sigma of latitude, longitude, height
    nmea_put(out, ",%.3f,%.3f,%.3f,0.0,%.3f,%.3f,%.3f", error_m, error_m, error_m, error_m, error_m, error_m);
  else // GBS: expected errors; no satellite is suspected
    nmea_put(out, ",%.3f,%.3f,%.3f,,,,", error_m, error_m, error_m);
}

static void write_gyro(enum nmea_sentence sentence, struct nmea_text *out, const struct reading *reading) {
  if (sentence == NMEA_ROT) {
    nmea_put_number(out, 2, nmea_degrees(reading->value[1]) * 60); // per minute, positive to starboard
    nmea_put(out, reading->valid ? ",A" : ",V");
    return;
  }
  if (reading->valid || sentence == NMEA_THS)
    nmea_put_bearing(out, 3, reading->value[0]);
  else
    nmea_put(out, ",");
  nmea_put(out, sentence == NMEA_HDT ? ",T" : reading->valid ? ",A" : ",V");
}

// The first instrument of this kind that has a valid reading; NULL: none.
static const struct reading *find_valid(const struct readings *all, enum instrument kind) {
  for (int i = 0; i < all->instrument_count; i++)
    if (all->instrument[i].kind == kind && all->instrument[i].sequence && all->instrument[i].valid)
      return &all->instrument[i];
  return NULL;
}

static void write_motion(enum nmea_sentence sentence, struct nmea_text *out, const struct source *source) {
  const struct reading *reading = source->reading, *heading = find_valid(source->all, INSTRUMENT_GYRO);
  double roll_deg = nmea_degrees(reading->value[0]), pitch_deg = nmea_degrees(reading->value[1]);
  if (!reading->valid) {
    nmea_put(out, sentence == NMEA_PSXN ? ",23,,,," : sentence == NMEA_PRDID ? ",,," : ",,,,");
    return;
  }
  if (sentence == NMEA_PHTRO) {
    nmea_put(out, ",%.2f,%c,%.2f,%c", fabs(pitch_deg), pitch_deg < 0 ? 'P' : 'M', fabs(roll_deg),
             roll_deg < 0 ? 'B' : 'T');
    return;
  }

  // Roll and pitch are positive with port side up and bow up, heave is positive down.
  int roll_first = sentence == NMEA_PSXN;
  if (sentence == NMEA_PSXN)
    nmea_put(out, ",23");
  nmea_put_number(out, 2, roll_first ? roll_deg : pitch_deg);
  nmea_put_number(out, 2, roll_first ? pitch_deg : roll_deg);
  if (heading)
    nmea_put_bearing(out, 2, heading->value[0]);
  else
    nmea_put(out, ",");
  if (sentence == NMEA_PSXN)
    nmea_put_number(out, 2, reading->value[2]);
}

// The relative wind; for MWVT the true wind over the ground, computed with the newest heading and velocity.
// The angle is relative to the bow in both.
static void write_wind(enum nmea_sentence sentence, struct nmea_text *out, const struct source *source) {
  double speed = source->reading->value[0], from_rad = source->reading->value[1];
  int valid = source->reading->valid;
  if (sentence == NMEA_MWVT) {
    const struct reading *gyro = find_valid(source->all, INSTRUMENT_GYRO);
    const struct reading *fix = find_valid(source->all, INSTRUMENT_GNSS);
    valid = valid && gyro && fix;

    // Wind velocity over the ground = relative wind velocity + velocity of the vessel, along bow and
    // starboard.
    double psi = gyro ? gyro->value[0] : 0, vn = fix ? fix->value[3] : 0, ve = fix ? fix->value[4] : 0;
    double ahead = -speed * cos(from_rad) + vn * cos(psi) + ve * sin(psi);
    double across = -speed * sin(from_rad) - vn * sin(psi) + ve * cos(psi);
    speed = hypot(ahead, across);
    from_rad = atan2(-across, -ahead);
  }
  nmea_put_bearing(out, 1, from_rad);
  nmea_put(out, ",%c,%.2f,M,%c", sentence == NMEA_MWV ? 'R' : 'T', speed, valid ? 'A' : 'V');
}

static void write_speed_log(struct nmea_text *out, const struct reading *reading) {
  for (int i = 0; i < 2; i++)
    if (reading->valid)
      nmea_put_number(out, 3, reading->value[i] * KNOTS_PER_MPS);
    else
      nmea_put(out, ",");
  nmea_put(out, ",%c,,,V,,V,,V", reading->valid ? 'A' : 'V');
}

static void write_thruster(struct nmea_text *out, const struct thruster_feedback *thruster, int number) {
  nmea_put(out, ",%d", number);
  nmea_put_number(out, 1, thruster->revolutions_rpm);
  nmea_put(out, thruster->ready ? ",R" : ",V");
  nmea_put_number(out, 1, 100 * thruster->pitch);
  nmea_put(out, thruster->ready ? ",P" : ",V");
  nmea_put_bearing(out, 1, thruster->azimuth_rad);
}

static void write_fields(enum nmea_sentence sentence, struct nmea_text *out, const struct source *source) {
  if (!source->reading) {
    if (nmea_source(sentence) == NMEA_POWER)
      nmea_xdr_put_power(out, source->origin, &source->all->power, source->index, source->part);
    else
      write_thruster(out, &source->all->thruster[source->index], source->index + 1);
    return;
  }
  switch (nmea_source(sentence)) {
  case INSTRUMENT_GNSS:
    write_gnss(sentence, out, source);
    break;
  case INSTRUMENT_GYRO:
    write_gyro(sentence, out, source->reading);
    break;
  case INSTRUMENT_MOTION:
    write_motion(sentence, out, source);
    break;
  case INSTRUMENT_WIND:
    write_wind(sentence, out, source);
    break;
  case INSTRUMENT_SPEED_LOG:
    write_speed_log(out, source->reading);
    break;
  default:
    nmea_xdr_put_instrument(out, sentence, source->reading, source->part);
  }
}

static int is_proprietary(enum nmea_sentence sentence) {
  return sentence == NMEA_PSXN || sentence == NMEA_PRDID || sentence == NMEA_PHTRO;
}

static enum telegram_form telegram_of(enum nmea_sentence sentence) {
  switch (sentence) {
  case NMEA_PSIMSSB:
  case NMEA_PSIMSSB_LBL:
    return TELEGRAM_PSIMSSB;
  case NMEA_PSXRAD:
    return TELEGRAM_PSXRAD;
  case NMEA_MDL:
    return TELEGRAM_MDL;
  case NMEA_MDLM:
    return TELEGRAM_MDL_MULTI;
  case NMEA_ASCII17:
  case NMEA_ARTEMIS:
    return TELEGRAM_ASCII17;
  case NMEA_RLS:
    return TELEGRAM_RLS;
  default:
    return TELEGRAM_COUNT;
  }
}

static size_t write_telegram(enum telegram_form form, const struct source *source, int is_wrong,
                             char out[NMEA_MAX]) {
  _Static_assert((int)TELEGRAM_MAX == (int)NMEA_MAX, "one room for both");
  const struct reading *reading = &source->all->instrument[source->index];
  const struct reading *heading = find_valid(source->all, INSTRUMENT_GYRO);
  const double utc_s = source->origin->start_utc_s + reading->time_s - source->age_s;
  const struct telegram_moment moment = {utc_s - 86400 * floor(utc_s / 86400),
                                         heading ? heading->value : NULL, is_wrong};
  return telegram_write(form, reading, &moment, out);
}

size_t nmea_write(enum nmea_sentence sentence, const struct nmea_origin *origin, const char *talker,
                  const struct readings *readings, int index, int part,
                  const struct nmea_corruption *corruption, char out[NMEA_MAX]) {
  assert(readings);
  const int is_reading = nmea_source(sentence) < INSTRUMENT_COUNT;
  const struct source source = {origin, readings, is_reading ? &readings->instrument[index] : NULL,
                                index,  part,     corruption->age_s};
  struct nmea_text body = {.size = 0};
  if (part > 0 && strcmp(nmea_name(sentence), "XDR") != 0)
    return 0;
  if (telegram_of(sentence) != TELEGRAM_COUNT)
    return write_telegram(telegram_of(sentence), &source, corruption->wrong_checksum, out);
  if (is_proprietary(sentence))
    nmea_put(&body, "%s%s", corruption->wrong_talker ? "X" : "", nmea_name(sentence));
  else
    nmea_put(&body, "%s%.3s", corruption->wrong_talker ? "XX" : talker, nmea_name(sentence));
  const size_t head = body.size;
  write_fields(sentence, &body, &source);
  return body.size > head ? telegram_close(body.text, corruption->wrong_checksum, out) : 0;
}
