#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double ALL_EVERY_S = 30; // of simulated time

struct sending {
  struct nmea_alerts *alerts;
  struct nmea_ports *ports;
  const struct hil_names *names;
  double clock_s;
};

static void send_one(const struct sending *to, const struct dp_alarm *alarm, int is_active, double time_s) {
  const struct nmea_alert alert = {.alarm = alarm,
                                   .instance = 1 + dp_alarm_source_index(to->names, alarm->source),
                                   .is_active = is_active,
                                   .utc_s = nmea_ports_origin(to->ports)->start_utc_s + time_s,
                                   .sequence = to->alerts->sequence,
                                   .revision = is_active ? 1 : 2};
  to->alerts->sequence = (to->alerts->sequence + 1) % 10;
  nmea_ports_send_alert(to->ports, &alert, to->clock_s);
}

static int is_same(const struct dp_alarm_state *a, int i, const struct dp_alarm_state *b) {
  int at = dp_alarm_find(&b->list, a->list.alarm[i].source, a->list.alarm[i].kind);
  return at >= 0 && a->step[i] == b->step[at] && a->list.alarm[i].severity == b->list.alarm[at].severity;
}

void nmea_alerts_send(struct nmea_alerts *alerts, struct nmea_ports *ports, const struct hil_names *names,
                      const struct dp_alarm_state *now, uint64_t news, double step_s, double time_s,
                      double clock_s) {
  const struct sending to = {alerts, ports, names, clock_s};
  int all = time_s >= alerts->all_at_s + ALL_EVERY_S;
  if (all)
    alerts->all_at_s = time_s;
  if (news == alerts->changes && !all)
    return;
  if (news != alerts->changes) {
    for (int i = 0; i < alerts->told.list.count; i++)
      if (dp_alarm_find(&now->list, alerts->told.list.alarm[i].source, alerts->told.list.alarm[i].kind) < 0)
        send_one(&to, &alerts->told.list.alarm[i], 0, (double)now->newest_step * step_s);
    for (int i = 0; i < now->list.count; i++)
      if (!all && !is_same(now, i, &alerts->told))
        send_one(&to, &now->list.alarm[i], 1, (double)now->step[i] * step_s);
    alerts->told = *now;
    alerts->changes = news;
  }
  for (int i = 0; all && i < alerts->told.list.count; i++)
    send_one(&to, &alerts->told.list.alarm[i], 1, (double)alerts->told.step[i] * step_s);
}

// ------------------------------------------------------------
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

// ------------------------------------------------------------
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
    return wrong(why, "a pitch in percent expected in fields 4 and 5, got one in degrees");
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

// ------------------------------------------------------------
// Alarms that a controller reports by ALF sentences.

// The source that a title names, whatever the case of its letters; NULL: none.
static const char *source_of(const struct hil_names *names, const char *title) {
  const char *source;
  for (int i = 0; (source = dp_alarm_source_at(names, i)); i++)
    if (strcasecmp(source, title) == 0)
      return source;
  return NULL;
}

static void take_away(struct dp_alarm_list *list, int at) {
  if (at < 0)
    return;
  list->count--;
  memmove(&list->alarm[at], &list->alarm[at + 1], (size_t)(list->count - at) * sizeof *list->alarm);
}

static enum refusal begin(struct nmea_inputs *inputs, struct bus_master *master, const struct nmea_alf *alf,
                          struct reason *why) {
  struct dp_alarm_list *list = &master->alarms;
  const enum dp_alarm_kind kind = nmea_alf_kind(alf);
  const char *source = source_of(&inputs->names, alf->text);
  if (!source) {
    fail(why, STATUS_BAD_INPUT,
         "a title that is the name of an instrument, thruster or bus, or a word of docs/protocol.md such as "
         "controller, expected in field 13");
    return REFUSED_NMEA_ALARM;
  }
  int at = dp_alarm_find(list, source, kind);
  if (alf->is_active && at < 0 && list->count == MAX_DP_ALARMS) {
    fail(why, STATUS_BAD_INPUT, "at most %d alarms in force expected", MAX_DP_ALARMS);
    return REFUSED_NMEA_ALARM;
  }
  inputs->alert =
      (struct nmea_alert_begun){.sequence = alf->sequence, .identifier = alf->identifier, .kind = kind};
  snprintf(inputs->alert.master, sizeof inputs->alert.master, "%s", master->name);
  snprintf(inputs->alert.source, sizeof inputs->alert.source, "%s", source);
  if (!alf->is_active)
    take_away(list, at);
  else if (at >= 0)
    list->alarm[at].severity = alf->severity;
  else
    dp_alarm_raise(list, source, kind, alf->severity, "", "", "");
  return REFUSAL_COUNT;
}

// The text of the alarm that the sentence before has begun or ended.
static enum refusal complete(struct nmea_inputs *inputs, struct bus_master *master,
                             const struct nmea_alf *alf, struct reason *why) {
  const struct nmea_alert_begun *begun = &inputs->alert;
  if (strcmp(begun->master, master->name) != 0 || begun->sequence != alf->sequence ||
      begun->identifier != alf->identifier) {
    fail(why, STATUS_BAD_INPUT, "the first sentence of this message is missing before the second one");
    return REFUSED_NMEA_ALARM;
  }
  int at = dp_alarm_find(&master->alarms, begun->source, begun->kind);
  if (at >= 0)
    memcpy(master->alarms.alarm[at].text, alf->text, DP_ALARM_TEXT); // zeros behind its end, too
  return REFUSAL_COUNT;
}

enum refusal nmea_take_alarm(struct nmea_inputs *inputs, struct bus_master *master, const char *text,
                             size_t size, struct reason *why) {
  struct nmea_alf alf;
  enum refusal refusal = nmea_alf_read(text, size, &alf, why);
  if (refusal != REFUSAL_COUNT)
    return refusal;
  return alf.number == 1 ? begin(inputs, master, &alf, why) : complete(inputs, master, &alf, why);
}
