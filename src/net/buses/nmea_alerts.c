#include "net/buses/nmea_alf.h"

#include "net/buses/nmea_fields.h"
#include "net/buses/nmea_text.h"
#include "net/buses/telegram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALF_FIELDS = 13, LARGEST = 9999999 };

// Characters with a meaning of their own stand as ^ and two digits.
static const char RESERVED[] = "$*,!\\^~";

static enum refusal wrong(struct reason *why, const char *what) {
  fail(why, STATUS_BAD_INPUT, "%s", what);
  return REFUSED_NMEA_FIELDS;
}

static int read_text(const char *field, char out[DP_ALARM_TEXT]) {
  size_t used = 0;
  for (; *field && used + 1 < DP_ALARM_TEXT; field++) {
    char digits[3] = {0}, *end = digits;
    if (*field == '^') {
      snprintf(digits, sizeof digits, "%.2s", field + 1);
      long code = strtol(digits, &end, 16);
      if (end != digits + 2 || code < 0x20 || code > 0x7e)
        return 0;
      out[used++] = (char)code;
      field += 2;
    } else {
      out[used++] = *field;
    }
  }
  out[used] = '\0';
  return 1;
}

// Fields 4 to 7, which the second sentence may leave empty.
static int read_state(char fields[][NMEA_SENTENCE_MAX], int is_second, struct nmea_alf *out) {
  const char *priority = fields[5], *state = fields[6];
  if (strspn(fields[3], "0123456789.") != strlen(fields[3]) || !nmea_is_letter(fields[4], "ABC", 1) ||
      !nmea_is_letter(priority, "EAWC", is_second) || !nmea_is_letter(state, "ASNOUV", is_second))
    return 0;
  out->severity = *priority == 'W' ? SEVERITY_WARNING : *priority == 'C' ? SEVERITY_MESSAGE : SEVERITY_ALARM;
  out->is_active = *state != 'N' && *state != 'U';
  return 1;
}

enum refusal nmea_alf_read(const char *text, size_t size, struct nmea_alf *out, struct reason *why) {
  struct nmea_fields fields;
  memset(out, 0, sizeof *out);
  enum refusal refusal = nmea_check_form(text, size, why);
  if (refusal != REFUSAL_COUNT)
    return refusal;
  nmea_split(text, size, &fields);
  if (fields.count != ALF_FIELDS)
    return wrong(why, "thirteen fields expected");
  char (*field)[NMEA_SENTENCE_MAX] = fields.field;
  long total = nmea_whole(field[0], 1, 2), number = nmea_whole(field[1], 1, total);
  long sequence = nmea_whole(field[2], 0, 9);
  if (total < 0 || number < 0 || sequence < 0)
    return wrong(why,
                 "1 or 2 sentences, the number of this one and a message from 0 to 9 expected in fields 1 "
                 "to 3");
  out->number = (int)number;
  out->sequence = (int)sequence;
  if (!read_state(field, number == 2, out))
    return wrong(why, "a time, a category A, B or C, a priority E, A, W or C and a state A, S, N, O, U or V "
                      "expected in fields 4 to 7");
  out->identifier = nmea_whole(field[8], 1, LARGEST);
  out->instance = *field[9] ? nmea_whole(field[9], 1, 999999) : 0;
  if (strlen(field[7]) > 3 || out->identifier < 0 || out->instance < 0)
    return wrong(why,
                 "a maker of up to three letters, an identifier from 1 to 9999999 and an instance from 1 "
                 "to 999999 or none expected in fields 8 to 10");
  if ((*field[10] && nmea_whole(field[10], 1, 99) < 0) || (*field[11] && nmea_whole(field[11], 0, 9) < 0))
    return wrong(why, "a revision from 1 to 99 and an escalation from 0 to 9 expected in fields 11 and 12");
  if (!read_text(field[12], out->text) || (number == 1 && !*out->text))
    return wrong(why, "a text expected in field 13, ^ only before two hexadecimal digits");
  return REFUSAL_COUNT;
}

enum dp_alarm_kind nmea_alf_kind(const struct nmea_alf *alf) {
  long kind = alf->identifier - ALF_FIRST;
  return kind >= 0 && kind < ALARM_KIND_COUNT ? (enum dp_alarm_kind)kind : ALARM_OTHER;
}

// As much of the text as fits.
static void put_text(struct nmea_text *out, const char *text) {
  enum { MOST = 82 - 6 }; // without "$", checksum and end of line
  nmea_put(out, ",");
  for (; *text && out->size + 3 <= MOST; text++)
    nmea_put(out, strchr(RESERVED, *text) ? "^%02X" : "%c", *text);
}

size_t nmea_alf_write(const struct nmea_alert *alert, int number, const char *talker, char out[NMEA_MAX]) {
  static const char PRIORITY[] = {[SEVERITY_MESSAGE] = 'C', [SEVERITY_WARNING] = 'W', [SEVERITY_ALARM] = 'A'};
  const struct dp_alarm *alarm = alert->alarm;
  struct nmea_text body = {.size = 0};
  const int total = *alarm->text ? 2 : 1;
  if (number > total)
    return 0;
  nmea_put(&body, "%sALF,%d,%d,%d", talker, total, number, alert->sequence);
  if (number == 1) {
    const struct nmea_utc utc = nmea_utc_of(alert->utc_s);
    nmea_put_time(&body, &utc);
    nmea_put(&body, ",B,%c,%c", PRIORITY[alarm->severity], alert->is_active ? 'V' : 'N');
  } else {
    nmea_put(&body, ",,,,");
  }
  nmea_put(&body, ",,%d,%d,%d,0", ALF_FIRST + (int)alarm->kind, alert->instance, alert->revision);
  put_text(&body, number == 1 ? alarm->source : alarm->text);
  return telegram_close(body.text, 0, out);
}
