// Sentences of NMEA 0183 from the other instruments of a controller: position (GGA), velocity (VTG) and
// accuracy (GST) of a receiver, heading (HDT, THS) and rate of turn (ROT), roll and pitch (PRDID, PSXN 23
// with heave), relative wind (MWV). A sentence has some channels of a reading; the first one makes it new.
#include "net/buses/telegram_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RAD = 3.14159265358979323846 / 180, TURN = 2 * 3.14159265358979323846;
static const double KNOT_MPS = 1852.0 / 3600;

// ddmm.mm or dddmm.mm and its hemisphere, into rad.
static enum status read_angle(const struct telegram_fields *f, int at, int degree_digits, const char *sides,
                              double *out_rad, struct reason *why) {
  const char *text = f->text[at], *side = f->text[at + 1];
  char degrees[4] = "";
  double minutes;
  if (strspn(text, "0123456789") != (size_t)degree_digits + 2 || strlen(side) != 1 || !strchr(sides, *side))
    return telegram_expected(
        why, degree_digits == 2 ? "a latitude ddmm.mm, N or S" : "a longitude dddmm.mm, E or W", text);
  if (telegram_numbers(f, &at, 1, &minutes, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  memcpy(degrees, text, (size_t)degree_digits);
  minutes -= 100 * atof(degrees);
  double deg = atof(degrees) + minutes / 60;
  if (!(minutes < 60) || deg > (degree_digits == 2 ? 90 : 180))
    return telegram_expected(why, "less than 60 minutes, up to 90 degrees of latitude or 180 of longitude",
                             text);
  *out_rad = (*side == sides[0] ? deg : -deg) * RAD;
  return STATUS_OK;
}

// Quality 6 is dead reckoning, 7 typed in, 8 a receiver's simulator: no fix of satellites.
static enum status read_position(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  enum { LATITUDE = 2, LONGITUDE = 4, QUALITY = 6, HEIGHT = 9, HEIGHT_UNIT = 10 };
  if (f->count != 15)
    return telegram_expected(why, "15 fields of GGA", f->text[0]);
  const char *quality = f->text[QUALITY];
  if (strlen(quality) != 1 || !strchr("012345678", *quality))
    return telegram_expected(why, "a quality from 0 to 8 in GGA", quality);
  out->channels = 7;
  out->axes = AXES_GEOGRAPHIC;
  out->valid = strchr("12345", *quality) != NULL;
  if (!out->valid)
    return STATUS_OK;
  if (read_angle(f, LATITUDE, 2, "NS", &out->value[0], why) != STATUS_OK ||
      read_angle(f, LONGITUDE, 3, "EW", &out->value[1], why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (!*f->text[HEIGHT]) { // a position without a height stays one
    out->channels = 3;
    return STATUS_OK;
  }
  if (telegram_numbers(f, (const int[]){HEIGHT}, 1, &out->value[2], why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (strcmp(f->text[HEIGHT_UNIT], "M") != 0)
    return telegram_expected(why, "the height in metres (M) in GGA", f->text[HEIGHT_UNIT]);
  out->value[2] = -out->value[2];
  return STATUS_OK;
}

// Course and speed over ground. At rest a receiver leaves the course empty: the velocity is then none, not
// one to the north.
static enum status read_velocity(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  enum { COURSE = 1, KNOTS = 5, MODE = 9 };
  double knots, course_deg = 0;
  const int has_course = *f->text[COURSE] != 0;
  if ((f->count != 9 && f->count != 10) || (strcmp(f->text[2], "T") != 0 && (has_course || *f->text[2])) ||
      (strcmp(f->text[6], "N") != 0 && (*f->text[KNOTS] || *f->text[6])))
    return telegram_expected(why, "course T and speed N in 9 or 10 fields of VTG", f->text[0]);
  out->valid = *f->text[KNOTS] != 0 && (f->count == 9 || (*f->text[MODE] && strchr("ADPFR", *f->text[MODE])));
  out->channels = out->valid ? 0x18 : 0;
  if (!out->valid)
    return STATUS_OK;
  if (telegram_numbers(f, (const int[]){KNOTS}, 1, &knots, why) != STATUS_OK ||
      (has_course && telegram_numbers(f, (const int[]){COURSE}, 1, &course_deg, why) != STATUS_OK))
    return STATUS_BAD_INPUT;
  if (knots < 0 || !(course_deg >= 0 && course_deg <= 360) || (!has_course && knots > 0.5))
    return telegram_expected(why, "a course from 0 to 360 degrees and a speed of 0 or more in VTG",
                             f->text[1]);
  if (!has_course)
    return STATUS_OK;
  out->value[3] = knots * KNOT_MPS * cos(course_deg * RAD);
  out->value[4] = knots * KNOT_MPS * sin(course_deg * RAD);
  return STATUS_OK;
}

// The accuracy of a receiver: of a circle with the same mean square as its errors of latitude and longitude.
static enum status read_accuracy(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  enum { SIGMA_LATITUDE = 6 };
  double x[2];
  if (f->count != 9)
    return telegram_expected(why, "9 fields of GST", f->text[0]);
  out->valid = *f->text[SIGMA_LATITUDE] != 0;
  out->channels = out->valid ? 0x20 : 0;
  if (!out->valid)
    return STATUS_OK;
  if (telegram_numbers(f, (const int[]){SIGMA_LATITUDE, SIGMA_LATITUDE + 1}, 2, x, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (x[0] < 0 || x[1] < 0)
    return telegram_expected(why, "accuracies of 0 or more in GST", f->text[SIGMA_LATITUDE]);
  out->value[5] = sqrt(0.5 * (x[0] * x[0] + x[1] * x[1]));
  return STATUS_OK;
}

static enum status read_heading(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  const int has_flag = strcmp(f->text[0] + 2, "THS") == 0;
  double deg;
  if (f->count != 3 || (!has_flag && strcmp(f->text[2], "T") != 0))
    return telegram_expected(why, "a true heading and T, or a mode, in a sentence of a gyro", f->text[0]);
  out->channels = 1;
  out->valid = *f->text[1] != 0 && (!has_flag || strcmp(f->text[2], "A") == 0);
  if (!out->valid)
    return STATUS_OK;
  if (telegram_numbers(f, (const int[]){1}, 1, &deg, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (!(deg >= 0 && deg <= 360))
    return telegram_expected(why, "a heading from 0 to 360 degrees", f->text[1]);
  out->value[0] = deg > 180 ? deg * RAD - TURN : deg * RAD;
  return STATUS_OK;
}

static enum status read_turn(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  double per_minute_deg;
  if (f->count != 3)
    return telegram_expected(why, "a rate of turn and its status in ROT", f->text[0]);
  out->valid = strcmp(f->text[2], "A") == 0;
  out->channels = out->valid ? 2 : 0;
  if (!out->valid)
    return STATUS_OK;
  if (telegram_numbers(f, (const int[]){1}, 1, &per_minute_deg, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  out->value[1] = per_minute_deg / 60 * RAD;
  return STATUS_OK;
}

static enum status read_motion(const struct telegram_fields *f, int is_psxn, struct telegram *out,
                               struct reason *why) {
  enum { ROLL_OF_PSXN = 2, PITCH_OF_PRDID = 1, HEAVE = 5 };
  const int at[3] = {2, is_psxn ? ROLL_OF_PSXN + 1 : PITCH_OF_PRDID, HEAVE};
  double x[3] = {0};
  if (f->count != (is_psxn ? 6 : 4))
    return telegram_expected(why, "four fields of PRDID or six of PSXN,23", f->text[0]);
  const int has_heave = is_psxn && *f->text[HEAVE];
  out->channels = has_heave ? 7 : 3;
  out->valid = *f->text[at[0]] != 0 && *f->text[at[1]] != 0;
  if (!out->valid)
    return STATUS_OK;
  if (telegram_numbers(f, at, has_heave ? 3 : 2, x, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const double value[] = {x[0] * RAD, x[1] * RAD, x[2]};
  memcpy(out->value, value, sizeof value);
  return STATUS_OK;
}

static enum status read_wind(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  double x[2];
  if (f->count != 6 || strcmp(f->text[2], "R") != 0)
    return telegram_expected(why, "six fields of MWV with the reference R or T", f->text[2]);
  out->channels = 3;
  out->valid = strcmp(f->text[5], "A") == 0;
  if (!out->valid)
    return STATUS_OK;
  if (strlen(f->text[4]) != 1 || !strchr("MNK", f->text[4][0]))
    return telegram_expected(why, "the unit M, N or K in MWV", f->text[4]);
  if (telegram_numbers(f, (const int[]){1, 3}, 2, x, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (!(x[0] >= 0 && x[0] <= 360) || x[1] < 0)
    return telegram_expected(why, "an angle from 0 to 360 degrees and a speed of 0 or more in MWV",
                             f->text[1]);
  out->value[0] = x[1] * (f->text[4][0] == 'M' ? 1 : f->text[4][0] == 'N' ? KNOT_MPS : 1 / 3.6);
  out->value[1] = x[0] > 180 ? x[0] * RAD - TURN : x[0] * RAD;
  return STATUS_OK;
}

enum status sentence_read(const struct telegram_fields *f, enum instrument kind, struct telegram *out,
                          int *is_known, struct reason *why) {
  const char *name = f->text[0], *formatter = strlen(name) == 5 ? name + 2 : "";
  const int is_psxn = strcmp(name, "PSXN") == 0;
  const int is_psxn_23 = is_psxn && strcmp(f->text[1], "23") == 0; // 10, 20, 22 ... say other things
  const int is_true_wind = f->count == 6 && strcmp(f->text[2], "T") == 0;
  *is_known = 1;
  out->form = TELEGRAM_COUNT;
  if (kind == INSTRUMENT_GNSS && strcmp(formatter, "GGA") == 0)
    return read_position(f, out, why);
  if (kind == INSTRUMENT_GNSS && strcmp(formatter, "VTG") == 0)
    return read_velocity(f, out, why);
  if (kind == INSTRUMENT_GNSS && strcmp(formatter, "GST") == 0)
    return read_accuracy(f, out, why);
  if (kind == INSTRUMENT_GYRO && (strcmp(formatter, "HDT") == 0 || strcmp(formatter, "THS") == 0))
    return read_heading(f, out, why);
  if (kind == INSTRUMENT_GYRO && strcmp(formatter, "ROT") == 0)
    return read_turn(f, out, why);
  if (kind == INSTRUMENT_MOTION && (is_psxn_23 || strcmp(name, "PRDID") == 0))
    return read_motion(f, is_psxn, out, why);
  if (kind == INSTRUMENT_WIND && strcmp(formatter, "MWV") == 0 && !is_true_wind)
    return read_wind(f, out, why);
  *is_known = 0;
  return STATUS_OK;
}
