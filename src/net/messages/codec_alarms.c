// Alarms of a controller in messages: Command, CommandUsed of the log, Alarms and Status.
#include "net/messages/messages_internal.h"
#include "net/messages/codec_view.h"

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

void wire_fill_active_alarms(const struct wire_alarms *alarms, struct active_alarms_message *out) {
  const struct dp_alarm_state *from = alarms->state;
  for (int i = 0; i < from->list.count; i++) {
    const struct dp_alarm *alarm = &from->list.alarm[i];
    Sagbend__V1__ActiveAlarm *item = out->list[i] = &out->item[i];
    sagbend__v1__active_alarm__init(item);
    item->source = text_of(alarm->source);
    item->kind = (Sagbend__V1__AlarmKind)(alarm->kind + 1);
    item->severity = (Sagbend__V1__AlarmSeverity)(alarm->severity + 1);
    item->text = text_of(alarm->text);
    item->since_step = from->step[i];
    item->since_s = (double)from->step[i] * alarms->step_s;
  }
  sagbend__v1__alarm_counts__init(&out->counts);
  out->counts.active = (uint64_t)from->list.count;
  out->counts.raised = from->raised;
  out->counts.changes = from->changes;
  out->counts.suppressed = alarms->suppressed;
  out->counts.newest_step = from->newest_step;
}

size_t wire_pack_alarms(const struct wire_header *header, const struct wire_alarms *alarms, uint8_t *out,
                        size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Alarms message = SAGBEND__V1__ALARMS__INIT;
  struct active_alarms_message parts;
  wire_fill_active_alarms(alarms, &parts);
  message.header = &header_message;
  message.n_alarm = (size_t)alarms->state->list.count;
  message.alarm = parts.list;
  message.counts = &parts.counts;
  return wire_pack(&message.base, out, capacity);
}
