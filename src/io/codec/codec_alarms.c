// Alarms of a controller in messages: Command, and CommandUsed of the log.
#include "io/codec/message_parts.h"

#include <string.h>

_Static_assert(SAGBEND__V1__ALARM_KIND__ALARM_KIND_LOST == (int)ALARM_LOST + 1 &&
                   SAGBEND__V1__ALARM_KIND__ALARM_KIND_CONSEQUENCE == (int)ALARM_CONSEQUENCE + 1 &&
                   SAGBEND__V1__ALARM_KIND__ALARM_KIND_SATURATED == (int)ALARM_KIND_COUNT &&
                   SAGBEND__V1__ALARM_SEVERITY__ALARM_SEVERITY_ALARM == (int)ALARM_SEVERITY_COUNT,
               "the same kinds and severities in the same order, after the unspecified one");

void wire_fill_alarms(const struct dp_alarm_list *alarms, struct alarms_message *out) {
  for (int i = 0; i < alarms->count; i++) {
    const struct dp_alarm *alarm = &alarms->alarm[i];
    Sagbend__V1__Alarm *item = out->list[i] = &out->item[i];
    sagbend__v1__alarm__init(item);
    item->source = text_of(alarm->source);
    item->kind = (Sagbend__V1__AlarmKind)(alarm->kind + 1);
    item->severity = (Sagbend__V1__AlarmSeverity)(alarm->severity + 1);
    item->text = text_of(alarm->text);
  }
}

enum status wire_read_alarms(Sagbend__V1__Alarm *const *from, size_t count, struct dp_alarm_list *out,
                             struct reason *why) {
  out->count = 0;
  if (count > MAX_DP_ALARMS)
    return fail(why, STATUS_BAD_INPUT, "alarm: at most %d expected, got %zu", MAX_DP_ALARMS, count);
  for (size_t i = 0; i < count; i++) {
    struct dp_alarm *alarm = &out->alarm[i];
    size_t source = strlen(from[i]->source), text = strlen(from[i]->text);
    if (source < 1 || source >= sizeof alarm->source)
      return fail(why, STATUS_BAD_INPUT, "alarm.source: 1 to %zu characters expected, got %zu",
                  sizeof alarm->source - 1, source);
    if (text >= sizeof alarm->text)
      return fail(why, STATUS_BAD_INPUT, "alarm.text: at most %zu characters expected, got %zu",
                  sizeof alarm->text - 1, text);
    memset(alarm, 0, sizeof *alarm);
    memcpy(alarm->source, from[i]->source, source);
    memcpy(alarm->text, from[i]->text, text);
    alarm->kind = (enum dp_alarm_kind)(from[i]->kind - 1);
    alarm->severity = (enum dp_alarm_severity)(from[i]->severity - 1);
    if (dp_alarm_find(out, alarm->source, alarm->kind) >= 0)
      return fail(why, STATUS_BAD_INPUT, "alarm: %s with the kind %s at most once expected", alarm->source,
                  dp_alarm_kind_name((int)alarm->kind));
    out->count++;
  }
  return STATUS_OK;
}
