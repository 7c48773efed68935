#include "net/buses/nmea_trc.h"

#include "net/buses/nmea_fields.h"

#include <stdlib.h>
#include <string.h>

enum { TRC_FIELDS = 8 };

// A decimal number: an optional sign, digits, an optional point. No exponent.
static int read_number(const char *field, double *out) {
  const char *digits = field + (*field == '-' || *field == '+');
  size_t whole = strspn(digits, "0123456789"), part = 0;
  const char *end = digits + whole;
  if (*end == '.') {
    part = strspn(end + 1, "0123456789");
    end += 1 + part;
  }
  *out = strtod(field, NULL);
  return whole + part > 0 && !*end;
}

// A demand with its mode; V, or two empty fields: it keeps its value.
static int read_demand(const char *number, const char *mode, const char *modes, int *has, double *out) {
  *has = 0;
  if (!nmea_is_letter(mode, modes, !*number))
    return 0;
  if (!*mode || *mode == 'V')
    return 1;
  *has = 1;
  return read_number(number, out);
}

static enum refusal wrong(struct reason *why, const char *what) {
  fail(why, STATUS_BAD_INPUT, "%s", what);
  return REFUSED_NMEA_FIELDS;
}

static enum refusal read_fields(char fields[][NMEA_SENTENCE_MAX], struct nmea_trc *out, struct reason *why) {
  out->thruster = (int)nmea_whole(fields[0], 0, 999);
  if (out->thruster < 0)
    return wrong(why, "a thruster number expected in field 1");
  if (!read_demand(fields[1], fields[2], "PRV", &out->has_rpm, &out->rpm))
    return wrong(why, "revolutions with mode P, R or V expected in fields 2 and 3");
  out->rpm_is_percent = *fields[2] == 'P';
  if (!read_demand(fields[3], fields[4], "PDV", &out->has_pitch, &out->pitch_percent))
    return wrong(why, "a pitch with mode P or V expected in fields 4 and 5");
  if (out->has_pitch && *fields[4] == 'D')
    return wrong(why, "a pitch in percent expected in fields 4 and 5, not in degrees");
  out->has_azimuth = *fields[5] != 0;
  if (out->has_azimuth &&
      (!read_number(fields[5], &out->azimuth_deg) || !(out->azimuth_deg >= 0 && out->azimuth_deg <= 360)))
    return wrong(why, "an azimuth from 0 to 360 degrees expected in field 6");
  if (!nmea_is_letter(fields[6], "BPSCEW", 1))
    return wrong(why, "an operating location B, P, S, C, E or W expected in field 7");
  if (!nmea_is_letter(fields[7], "RC", 0))
    return wrong(why, "a status R or C expected in field 8");
  return *fields[7] == 'C' ? REFUSAL_COUNT : REFUSED_NMEA_STATUS;
}

enum refusal nmea_trc_read(const char *text, size_t size, struct nmea_trc *out, struct reason *why) {
  struct nmea_fields fields;
  memset(out, 0, sizeof *out);
  enum refusal refusal = nmea_check_form(text, size, why);
  if (refusal != REFUSAL_COUNT)
    return refusal;
  if (!nmea_has_formatter(text, size, "TRC"))
    return REFUSED_NMEA_FORMATTER;
  nmea_split(text, size, &fields);
  if (fields.count != TRC_FIELDS)
    return wrong(why, "eight fields expected");
  return read_fields(fields.field, out, why);
}
