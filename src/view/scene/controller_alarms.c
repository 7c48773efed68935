#include "view/scene/controller_alarms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void name_of(const Sagbend__V1__ActiveAlarm *from, char out[ALARM_NAME]) {
  static const char prefix[] = "ALARM_KIND_";
  const ProtobufCEnumValue *value =
      protobuf_c_enum_descriptor_get_value(&sagbend__v1__alarm_kind__descriptor, (int)from->kind);
  char kind[24];
  snprintf(kind, sizeof kind, "%s", value ? value->name + sizeof prefix - 1 : "other");
  for (char *at = kind; *at; at++)
    *at = (char)tolower((unsigned char)*at);
  snprintf(out, ALARM_NAME, "%.36s: %s", from->source, kind);
}

static enum alarm_category category_of(const Sagbend__V1__ActiveAlarm *from) {
  return from->severity == SAGBEND__V1__ALARM_SEVERITY__ALARM_SEVERITY_ALARM     ? ALARM_ALARM
         : from->severity == SAGBEND__V1__ALARM_SEVERITY__ALARM_SEVERITY_WARNING ? ALARM_WARNING
                                                                                 : ALARM_CAUTION;
}

void controller_alarms_take(struct alarm_list *list, size_t count, Sagbend__V1__ActiveAlarm *const *from,
                            double time_s) {
  char name[ALARM_NAME];
  for (size_t k = 0; k < count; k++) {
    name_of(from[k], name);
    struct alarm_key key = {ALARM_CONTROLLER, category_of(from[k]), name};
    const struct alarm *before = alarm_newest(list, key);
    int is_same = before && (before->is_active || before->from_s >= from[k]->since_s);
    alarm_set_text(alarm_raise(list, key, is_same ? time_s : from[k]->since_s), from[k]->text);
  }
  for (int i = 0; i < list->count; i++) {
    struct alarm *alarm = &list->alarm[i];
    size_t k = 0;
    for (; alarm->kind == ALARM_CONTROLLER && alarm->is_active && k < count; k++) {
      name_of(from[k], name);
      if (alarm->category == category_of(from[k]) && !strcmp(alarm->name, name))
        break;
    }
    if (alarm->kind == ALARM_CONTROLLER && alarm->is_active && k == count)
      alarm_end(list, (struct alarm_key){ALARM_CONTROLLER, alarm->category, alarm->name}, time_s);
  }
}
