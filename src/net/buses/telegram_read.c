// Sentences of NMEA 0183 from the other instruments of a controller: position (GGA), velocity (VTG) and
// accuracy (GST) of a receiver, heading (HDT, THS) and rate of turn (ROT), roll and pitch (PRDID, PSXN 23
// with heave), relative wind (MWV). A sentence has some channels of a reading; the first one makes it new.
#include "net/buses/buses_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RAD = 3.14159265358979323846 / 180, TURN = 2 * 3.14159265358979323846;
static const double KNOT_MPS = 1852.0 / 3600;

static enum status telegram_expected(struct reason *why, const char *what, const char *found);
static enum status telegram_numbers(const struct telegram_fields *f, const int at[], int count, double out[],
                                    struct reason *why);

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

// Sentences of gyros, motion sensors and wind sensors. *is_known is 0 for a sentence that
// concerns no instrument of this kind.
static enum status sentence_read(const struct telegram_fields *f, enum instrument kind, struct telegram *out,
                                 int *is_known, struct reason *why) {
  const char *name = f->text[0], *formatter = strlen(name) == 5 ? name + 2 : "";
  const int is_psxn = strcmp(name, "PSXN") == 0;
  const int is_psxn_23 = is_psxn && strcmp(f->text[1], "23") == 0; // 10, 20, 22 ... have other meanings
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

// ------------------------------------------------------------

// "WHAT expected, got 'FOUND'".
static enum status telegram_expected(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s expected, got '%.60s'", what, found);
}

static enum status split(const char *line, size_t size, struct telegram_fields *out, struct reason *why) {
  if (size < 6 || !strchr("$!", line[0]) || line[size - 3] != '*')
    return telegram_expected(why, "a sentence from $ to * and a checksum", line);
  unsigned sum = telegram_checksum(line + 1, size - 4);
  if (telegram_hex(line + size - 2) != (int)sum)
    return fail(why, STATUS_BAD_INPUT, "the checksum %02X expected, got '%s'", sum, line + size - 2);
  size_t used = 0;
  for (size_t i = 1; i < size - 3; i++) {
    if (line[i] == ',' && out->count + 1 == TELEGRAM_FIELDS) {
      out->is_cut = 1;
      break;
    }
    if (line[i] == ',') {
      used = 0;
      out->count++;
    } else if (used + 1 < TELEGRAM_FIELD) {
      out->text[out->count][used++] = line[i];
    } else {
      out->is_cut = 1;
    }
  }
  out->count++;
  return STATUS_OK;
}

// A decimal number without an exponent.
static int number_of(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && strspn(text, "+-.0123456789") == strlen(text) && !*end && isfinite(*out);
}

// The decimal numbers in these fields.
static enum status telegram_numbers(const struct telegram_fields *f, const int at[], int count, double out[],
                                    struct reason *why) {
  for (int i = 0; i < count; i++)
    if (!number_of(f->text[at[i]], &out[i]))
      return fail(why, STATUS_BAD_INPUT, "a number in field %d of %s expected, got '%s'", at[i], f->text[0],
                  f->text[at[i]]);
  return STATUS_OK;
}

static int is_one_of(const char *text, const char *letters) {
  return text[0] && !text[1] && strchr(letters, text[0]) != NULL;
}

// The text begins with this form. 9: a digit; any other character is itself.
static int are_digits(const char *text, const char *form) {
  for (; *form; text++, form++)
    if (*form == '9' ? *text < '0' || *text > '9' : *text != *form)
      return 0;
  return 1;
}

static int is_form(const char *text, const char *form) {
  return strlen(text) == strlen(form) && are_digits(text, form);
}

static enum status read_acoustic(const struct telegram_fields *f, enum instrument kind, struct telegram *out,
                                 struct reason *why) {
  enum { TRANSPONDER = 2, STATUS = 3, ERROR = 4, FORM = 5, AXES = 6, FILTER = 7, X = 8 };
  double x[4];
  if (f->count < 15)
    return telegram_expected(why, "15 fields of PSIMSSB", f->text[0]);
  snprintf(out->target, sizeof out->target, "%.7s", f->text[TRANSPONDER]);
  out->valid = !strcmp(f->text[STATUS], "A") && !*f->text[ERROR] && strcmp(f->text[FILTER], "P") != 0;
  if (!out->valid)
    return STATUS_OK;
  if (strcmp(f->text[FORM], "C") != 0)
    return telegram_expected(why, "cartesian coordinates (C) in PSIMSSB", f->text[FORM]);
  if (strlen(f->text[AXES]) != 1 || !strchr("HNE", f->text[AXES][0]))
    return telegram_expected(why, "axes H, N or E in PSIMSSB", f->text[AXES]);
  if (telegram_numbers(f, (const int[]){X, X + 1, X + 2, X + 3}, 4, x, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  out->valid = x[0] != 0 || x[1] != 0 || x[2] != 0; // without a reply it contains 0, 0, 0
  int is_first_east = f->text[AXES][0] != 'N';      // H: starboard, forward; E: east, north; N: north, east
  out->axes = f->text[AXES][0] == 'H' ? AXES_BOW : AXES_NORTH;
  out->value[0] = x[is_first_east];
  out->value[1] = x[!is_first_east];
  out->value[2] = x[2];
  if (kind == INSTRUMENT_LBL) {
    out->value[3] = x[3];
    return out->axes == AXES_NORTH ? STATUS_OK
                                   : telegram_expected(why, "axes N or E of an lbl", f->text[AXES]);
  }
  out->value[3] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  out->value[4] = x[3];
  return STATUS_OK;
}

// The number of a reflector or a transponder without leading zeros.
static void name_number(const char *digits, struct telegram *out) {
  while (*digits == '0' && digits[1])
    digits++;
  snprintf(out->target, sizeof out->target, "%.7s", digits);
}

static enum status read_radar(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  double x[5];
  if (f->count != 15)
    return telegram_expected(why, "15 fields of PSXRAD", f->text[0]);
  out->valid = !strcmp(f->text[14], "9");
  name_number(f->text[5], out);
  if (!out->valid)
    return STATUS_OK;
  if (telegram_numbers(f, (const int[]){6, 8, 10, 5, 13}, 5, x, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const double value[] = {x[0], x[1] * RAD, x[2] * RAD, x[3], x[4]};
  memcpy(out->value, value, sizeof value);
  return STATUS_OK;
}

// From the place in the frame of the targets back to what the laser measures: level range, and the bearing of
// the frame's origin. With its own heading that is from the bow, whichever way the frame is turned.
static enum status read_rls(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  enum { A = 1, B, PLACE, HEADING, HEADED, WORD };
  double x[2], heading_deg = 0;
  if (f->count != WORD + 1 || strlen(f->text[WORD]) != 4 ||
      strspn(f->text[WORD], "0123456789ABCDEFabcdef") != 4)
    return telegram_expected(why, "7 fields of RLS, the last of four hexadecimal digits", f->text[0]);
  if (!is_one_of(f->text[PLACE], "AV") || !is_one_of(f->text[HEADED], "AV"))
    return telegram_expected(why, "the statuses A or V in RLS",
                             f->text[is_one_of(f->text[PLACE], "AV") ? HEADED : PLACE]);
  out->valid = f->text[PLACE][0] == 'A';
  out->value[3] = 1;
  if (!out->valid)
    return STATUS_OK;
  for (int k = A; k <= B; k++)
    if ((f->text[k][0] != '+' && f->text[k][0] != '-') || !is_form(f->text[k] + 1, "999.99"))
      return telegram_expected(why, "a sign and six characters 999.99 in RLS", f->text[k]);
  const int is_headed = f->text[HEADED][0] == 'A';
  if (telegram_numbers(f, (const int[]){A, B}, 2, x, why) != STATUS_OK ||
      (is_headed && telegram_numbers(f, (const int[]){HEADING}, 1, &heading_deg, why) != STATUS_OK))
    return STATUS_BAD_INPUT;
  if (is_headed && (!is_form(f->text[HEADING], "999.999") || heading_deg > 360))
    return telegram_expected(why, "a heading from 000.000 to 360.000 in RLS", f->text[HEADING]);
  out->axes = is_headed ? AXES_BOW : AXES_NORTH;
  out->value[0] = hypot(x[0], x[1]);
  out->value[1] = remainder(atan2(-x[1], -x[0]) - heading_deg * RAD, 360 * RAD);
  return STATUS_OK;
}

// A transducer of a taut wire: type, value, unit, name. Of two angles the first is forward; of one the name
// tells. *is_slack: by its switch.
static enum status read_transducer(const struct telegram_fields *f, int at, struct telegram *out,
                                   int *is_slack, struct reason *why) {
  static const char types[] = "A?DFS"; // of the channels
  const char *type = f->text[at], *unit = f->text[at + 2], *name = f->text[at + 3];
  double x;
  if (!is_one_of(type, "ADFS")) // another transducer of the same unit, as a temperature
    return STATUS_OK;
  int channel = (int)(strchr(types, *type) - types);
  const size_t length = strlen(name);
  const int is_second = at > 1 && !strcmp(f->text[at - 4], "A");
  const int is_first = at + 4 < f->count && !strcmp(f->text[at + 4], "A");
  if (channel == 0 && (is_second || (!is_first && length > 2 && !strcmp(name + length - 2, "_X"))))
    channel = 1;
  if (strcmp(unit, channel < 2 ? "D" : channel == 2 ? "M" : channel == 3 ? "N" : "") != 0)
    return telegram_expected(why, "units D of A, M of D, N of F and none of S in XDR", unit);
  if (!*f->text[at + 1]) {
    out->valid &= channel > 1;
    out->channels |= channel > 1 ? 0 : 1u << channel;
    return STATUS_OK;
  }
  if (telegram_numbers(f, (const int[]){at + 1}, 1, &x, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  *is_slack |= channel == 4 && x > 0.5;
  out->channels |= 1u << channel;
  out->value[channel] = channel < 2 ? x * RAD : x;
  return STATUS_OK;
}

static enum status read_wire(const struct telegram_fields *f, struct telegram *out, struct reason *why) {
  int is_slack = 0;
  out->channels = 0;
  out->valid = 1;
  if (f->count < 5 || f->count % 4 != 1)
    return telegram_expected(why, "transducers of a taut wire, four fields each, in XDR", f->text[0]);
  for (int at = 1; at < f->count; at += 4)
    if (read_transducer(f, at, out, &is_slack, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  if (out->channels == 0)
    snprintf(out->other, sizeof out->other, "%.7s", f->text[0]);
  out->valid &= !is_slack;
  return STATUS_OK;
}

// The forms of fixed length.
static const double WHOLE_TURN_DEG = 360;
static enum status read_ascii17(const char *line, int is_artemis, struct telegram *out, struct reason *why) {
  enum { BEARING = 7, STATUS = 14 };
  const double turn_deg = strtod(line + BEARING, NULL) / 1000;
  out->form = TELEGRAM_ASCII17;
  out->valid = is_artemis ? line[STATUS] != '0' : line[STATUS] == '1'; // of an Artemis its station's number
  if (turn_deg > WHOLE_TURN_DEG)
    return telegram_expected(why, "a direction up to 360 degrees", line);
  out->value[0] = strtod(line, NULL) / 10;
  out->value[1] = turn_deg * RAD;
  return STATUS_OK;
}

static enum status read_fixed(const char *line, size_t size, enum instrument kind, struct telegram *out,
                              struct reason *why) {
  const int is_artemis = kind == INSTRUMENT_ARTEMIS;
  enum { ELEVATION = 2 };
  out->value[3] = !is_artemis;
  out->channels &= ~(1u << ELEVATION); // these forms have none
  if (size == 15 && are_digits(line, "999999 999999 9"))
    return read_ascii17(line, is_artemis, out, why);
  if (is_artemis)
    return telegram_expected(why, "an ASCII line of 17 characters of an Artemis", line);
  if ((size != 17 && size != 20) || !are_digits(line, "99 9999.99 999.99") || (size == 20 && line[17] != ' '))
    return telegram_expected(why, "an MDL line of 19 or 22 or an ASCII line of 17 characters", line);
  out->form = size == 20 ? TELEGRAM_MDL_MULTI : TELEGRAM_MDL;
  if (size == 20 && telegram_hex(line + 18) != (int)telegram_checksum(line, 18))
    return fail(why, STATUS_BAD_INPUT, "the checksum %02X expected, got '%s'", telegram_checksum(line, 18),
                line + 18);
  if (strtod(line + 11, NULL) > WHOLE_TURN_DEG)
    return telegram_expected(why, "a direction up to 360 degrees", line);
  out->valid = 1;
  out->value[0] = strtod(line + 3, NULL);
  out->value[1] = strtod(line + 11, NULL) * RAD;
  out->value[3] = strtod(line, NULL);
  name_number((const char[]){line[0], line[1], 0}, out);
  return STATUS_OK;
}

// begin: $ or !.
static enum status read_fields(const struct telegram_fields *f, char begin, enum instrument kind,
                               struct telegram *out, struct reason *why) {
  int is_known = 0;
  if (begin == '$') {
    const enum status status = sentence_read(f, kind, out, &is_known, why);
    if (is_known)
      return status;
  }
  size_t length = strlen(f->text[0]);
  int is_acoustic = kind == INSTRUMENT_HYDROACOUSTIC || kind == INSTRUMENT_LBL;
  if (is_acoustic && !strcmp(f->text[0], "PSIMSSB"))
    return out->form = TELEGRAM_PSIMSSB, read_acoustic(f, kind, out, why);
  if (kind == INSTRUMENT_RADAR && !strcmp(f->text[0], "PSXRAD"))
    return out->form = TELEGRAM_PSXRAD, read_radar(f, out, why);
  if (kind == INSTRUMENT_LASER && !strcmp(f->text[0], "RLS"))
    return out->form = TELEGRAM_RLS, read_rls(f, out, why);
  if (kind == INSTRUMENT_TAUT_WIRE && length == 5 && !strcmp(f->text[0] + 2, "XDR"))
    return out->form = TELEGRAM_COUNT, read_wire(f, out, why);
  out->channels = 0;
  snprintf(out->other, sizeof out->other, "%.7s", *f->text[0] ? f->text[0] : "$");
  return STATUS_OK;
}

enum status telegram_read(const char *text, size_t size, enum instrument kind, struct telegram *out,
                          struct reason *why) {
  char line[TELEGRAM_MAX];
  struct telegram_fields f = {.count = 0};
  memset(out, 0, sizeof *out);
  out->channels = ~0u;
  if (size >= sizeof line || memchr(text, 0, size))
    return fail(why, STATUS_BAD_INPUT, "a telegram of at most %d characters expected, got %zu",
                TELEGRAM_MAX - 1, size);
  memcpy(line, text, size);
  line[size] = 0;
  if (line[0] != '$' && line[0] != '!')
    return kind == INSTRUMENT_LASER || kind == INSTRUMENT_RADAR || kind == INSTRUMENT_ARTEMIS
               ? read_fixed(line, size, kind, out, why)
               : telegram_expected(why, "a sentence from $ to * and a checksum", line);
  if (split(line, size, &f, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const enum status status = read_fields(&f, line[0], kind, out, why);
  if (f.is_cut && !*out->other) // of other formatters it does not matter
    return telegram_expected(why, "fewer and shorter fields", line);
  return status;
}
