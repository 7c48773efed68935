// Alarms that a controller reports by ALF sentences.
#include "net/buses/buses_internal.h"

#include "net/buses/nmea_alf.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
         "a title expected in field 13 that is the name of an instrument, thruster or bus, or controller, "
         "link, "
         "power and others (docs/protocol.md)");
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
    fail(why, STATUS_BAD_INPUT, "the first sentence of this message expected before the second one");
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
