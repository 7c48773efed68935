#include "view/scene/alarm_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct alarm *alarm_newest(struct alarm_list *list, struct alarm_key key) {
  for (int i = list->count - 1; i >= 0; i--)
    if (list->alarm[i].kind == key.kind && list->alarm[i].category == key.category &&
        !strncmp(list->alarm[i].name, key.name, ALARM_NAME - 1))
      return &list->alarm[i];
  return NULL;
}

// A caution before what has to be acknowledged, and of these what is over before what is there.
static int worth_of(const struct alarm *alarm) {
  if (alarm->category == ALARM_CAUTION)
    return alarm->is_active;
  return 2 + 2 * alarm->is_active + (alarm->category == ALARM_ALARM);
}

static void leave_one_out(struct alarm_list *list) {
  int i = 0;
  for (int k = 1; k < list->count; k++)
    if (worth_of(&list->alarm[k]) < worth_of(&list->alarm[i]))
      i = k;
  list->count--;
  memmove(&list->alarm[i], &list->alarm[i + 1], (size_t)(list->count - i) * sizeof *list->alarm);
  list->left_out++;
}

struct alarm *alarm_add(struct alarm_list *list, struct alarm_key key, double time_s) {
  if (list->count == ALARMS_MAX)
    leave_one_out(list);
  struct alarm *alarm = &list->alarm[list->count++];
  *alarm = (struct alarm){.kind = key.kind, .category = key.category, .from_s = time_s, .to_s = time_s};
  snprintf(alarm->name, sizeof alarm->name, "%s", key.name);
  return alarm;
}

struct alarm *alarm_raise(struct alarm_list *list, struct alarm_key key, double time_s) {
  struct alarm *alarm = alarm_newest(list, key);
  if (!alarm || (!alarm->is_active && time_s > alarm->to_s + ALARMS_HOLD_S))
    alarm = alarm_add(list, key, time_s);
  if (!alarm->is_active)
    list->changes++;
  alarm->is_active = 1;
  alarm->to_s = fmax(alarm->to_s, time_s);
  alarm->count += !alarm->count;
  return alarm;
}

void alarm_end(struct alarm_list *list, struct alarm_key key, double time_s) {
  struct alarm *alarm = alarm_newest(list, key);
  if (!alarm || !alarm->is_active)
    return;
  alarm->is_active = 0;
  alarm->to_s = time_s;
  list->changes++;
}

void alarm_note(struct alarm_list *list, struct alarm *alarm, double value, double time_s, int is_worse) {
  if (alarm->has_value && !is_worse)
    return;
  if (!alarm->has_value)
    alarm->first = value;
  alarm->has_value = 1;
  alarm->worst = value;
  alarm->worst_s = time_s;
  list->changes++;
}

void alarm_set_text(struct alarm *alarm, const char *text) {
  snprintf(alarm->text, sizeof alarm->text, "%s", text);
}
