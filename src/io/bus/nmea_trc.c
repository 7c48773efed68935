#include "io/bus/nmea_trc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE_MAX = 80, TRC_FIELDS = 8, FIELD = 16 }; // characters without the end of line

static int hex(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The form of any sentence: "$" address, fields, "*", two digits, and nothing that does not print.
static enum refusal check_form(const char *text, size_t size, struct reason *why) {
  unsigned sum = 0;
  if (size > SENTENCE_MAX)
    return REFUSED_NMEA_LENGTH;
  if (size < 9 || text[0] != '$' || text[size - 3] != '*' || hex(text[size - 2]) < 0 ||
      hex(text[size - 1]) < 0)
    return REFUSED_NMEA_FORM;
  for (size_t i = 1; i < size - 3; i++) {
    if (text[i] < 0x20 || text[i] > 0x7e || text[i] == '*' || text[i] == '$')
      return REFUSED_NMEA_FORM;
    sum ^= (unsigned char)text[i];
  }
  if ((int)sum == hex(text[size - 2]) * 16 + hex(text[size - 1]))
    return REFUSAL_COUNT;
  fail(why, STATUS_BAD_INPUT, "the checksum of the sentence expected, got *%.2s instead of *%02X",
       text + size - 2, sum);
  return REFUSED_NMEA_CHECKSUM;
}

// Splits the fields behind the address. Returns their number; TRC_FIELDS + 1: there are more, or one is too
// long.
static int split(const char *text, size_t size, char fields[TRC_FIELDS][FIELD]) {
  int count = 0;
  size_t used = 0;
  memset(fields, 0, (size_t)TRC_FIELDS * FIELD);
  for (size_t i = 6; i < size - 3; i++)
    if (text[i] == ',') {
      if (++count > TRC_FIELDS)
        return TRC_FIELDS + 1;
      used = 0;
    } else if (count == 0 || used + 1 >= FIELD) {
      return TRC_FIELDS + 1;
    } else {
      fields[count - 1][used++] = text[i];
    }
  return count;
}

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

// One of the letters, or empty if that is allowed.
static int is_letter(const char *field, const char *letters, int may_be_empty) {
  return *field ? !field[1] && strchr(letters, *field) != NULL : may_be_empty;
}

// A demand with its mode; V, or two empty fields: it keeps its value.
static int read_demand(const char *number, const char *mode, const char *modes, int *has, double *out) {
  *has = 0;
  if (!is_letter(mode, modes, !*number))
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

static enum refusal read_fields(char fields[TRC_FIELDS][FIELD], struct nmea_trc *out, struct reason *why) {
  if (!*fields[0] || strspn(fields[0], "0123456789") != strlen(fields[0]) || strlen(fields[0]) > 3)
    return wrong(why, "a thruster number expected in field 1");
  out->thruster = (int)strtol(fields[0], NULL, 10);
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
  if (!is_letter(fields[6], "BPSCEW", 1))
    return wrong(why, "an operating location B, P, S, C, E or W expected in field 7");
  if (!is_letter(fields[7], "RC", 0))
    return wrong(why, "a status R or C expected in field 8");
  return *fields[7] == 'C' ? REFUSAL_COUNT : REFUSED_NMEA_STATUS;
}

enum refusal nmea_trc_read(const char *text, size_t size, struct nmea_trc *out, struct reason *why) {
  char fields[TRC_FIELDS][FIELD];
  memset(out, 0, sizeof *out);
  enum refusal refusal = check_form(text, size, why);
  if (refusal != REFUSAL_COUNT)
    return refusal;
  if (!isalnum((unsigned char)text[1]) || !isalnum((unsigned char)text[2]) ||
      strncmp(text + 3, "TRC", 3) != 0 || (text[6] != ',' && text[6] != '*'))
    return REFUSED_NMEA_FORMATTER;
  if (split(text, size, fields) != TRC_FIELDS)
    return wrong(why, "eight fields expected");
  return read_fields(fields, out, why);
}
