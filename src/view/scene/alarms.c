// The list of alarms of a session: limits, faults, verdicts, events, late steps, and what the controller
// sends.
#include "view/scene/scene.h"
#include "view/scene/scene_internal.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "sagbend/events/events.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// NULL: there is none
static struct alarm *alarm_newest(struct alarm_list *list, struct alarm_key key) {
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

static struct alarm *alarm_add(struct alarm_list *list, struct alarm_key key, double time_s) {
  if (list->count == ALARMS_MAX)
    leave_one_out(list);
  struct alarm *alarm = &list->alarm[list->count++];
  *alarm = (struct alarm){.kind = key.kind, .category = key.category, .from_s = time_s, .to_s = time_s};
  snprintf(alarm->name, sizeof alarm->name, "%s", key.name);
  return alarm;
}

// The alarm whose cause is there at a time: the one before, if its cause has been away for ALARMS_HOLD_S at
// most, or a new one.
static struct alarm *alarm_raise(struct alarm_list *list, struct alarm_key key, double time_s) {
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

// without one: nothing
static void alarm_end(struct alarm_list *list, struct alarm_key key, double time_s) {
  struct alarm *alarm = alarm_newest(list, key);
  if (!alarm || !alarm->is_active)
    return;
  alarm->is_active = 0;
  alarm->to_s = time_s;
  list->changes++;
}

static void alarm_note(struct alarm_list *list, struct alarm *alarm, double value, double time_s,
                       int is_worse) {
  if (alarm->has_value && !is_worse)
    return;
  if (!alarm->has_value)
    alarm->first = value;
  alarm->has_value = 1;
  alarm->worst = value;
  alarm->worst_s = time_s;
  list->changes++;
}

// The value, if it is the first or worse than those before.
static void alarm_set_text(struct alarm *alarm, const char *text) {
  snprintf(alarm->text, sizeof alarm->text, "%s", text);
}

// ------------------------------------------------------------
struct alarms {
  struct alarm_list list;
  struct scene_setup setup;
  Sagbend__V1__Session *session; // newest; NULL: none
  Sagbend__V1__Status *status;
  uint64_t late;
};

struct alarms *alarms_create(void) {
  return calloc(1, sizeof(struct alarms));
}

static void forget(struct alarms *a) {
  if (a->session)
    sagbend__v1__session__free_unpacked(a->session, NULL);
  if (a->status)
    sagbend__v1__status__free_unpacked(a->status, NULL);
}

void alarms_free(struct alarms *a) {
  if (a)
    forget(a);
  free(a);
}

void alarms_begin_session(struct alarms *a) {
  uint64_t changes = a->list.changes + 1;
  forget(a);
  memset(a, 0, sizeof *a);
  a->list.changes = changes;
}

const struct alarm_list *alarms_list(const struct alarms *a) {
  return &a->list;
}

// ---- limits ----

static void watch(struct alarms *a, const char *name, enum alarm_category category, double value,
                  double limit, double time_s) {
  struct alarm_key key = {ALARM_LIMIT, category, name};
  if (!(limit > 0))
    return;
  if (!(value > limit)) {
    alarm_end(&a->list, key, time_s);
    return;
  }
  struct alarm *alarm = alarm_raise(&a->list, key, time_s);
  alarm->has_limit = 1;
  alarm->limit = limit;
  alarm_note(&a->list, alarm, value, time_s, value > alarm->worst);
}

static void take_truth(struct alarms *a, const Sagbend__V1__Truth *t) {
  const struct scene_setup *s = &a->setup;
  double time_s = t->header->time_s;
  double at[3] = {s->target[0], s->target[1]};
  if (wire_station_of(t, at) || s->has_target) {
    double offset_m = hypot(t->position_north_m - at[0], t->position_east_m - at[1]);
    int last = s->circle_count - 1;
    if (last > 0)
      watch(a, "offset_m", ALARM_WARNING, offset_m, s->circle_m[0], time_s);
    if (last >= 0)
      watch(a, "offset_m", ALARM_ALARM, offset_m, s->circle_m[last], time_s);
  }
  if (!t->pipe)
    return;
  watch(a, "hangoff_tension_n", ALARM_ALARM, t->pipe->hangoff_tension_n, s->limit[LIMIT_TENSION], time_s);
  watch(a, "max_curvature_1pm", ALARM_ALARM, t->pipe->max_curvature_1pm, s->limit[LIMIT_CURVATURE], time_s);
  watch(a, "max_moment_nm", ALARM_ALARM, t->pipe->max_moment_nm, s->limit[LIMIT_MOMENT], time_s);
}

// ---- faults and verdicts ----

static void take_faults(struct alarms *a, const Sagbend__V1__Status *s) {
  double time_s = s->header->time_s;
  for (size_t i = 0; i < s->n_fault; i++)
    if (!s->fault[i]->pending) {
      struct alarm_key key = {ALARM_FAULT, ALARM_CAUTION, s->fault[i]->name};
      const struct alarm *before = alarm_newest(&a->list, key);
      struct alarm *alarm =
          alarm_raise(&a->list, key, before && before->is_active ? time_s : s->fault[i]->since_s);
      char text[ALARM_TEXT];
      snprintf(text, sizeof text, "%s%s%s", s->fault[i]->kind, *s->fault[i]->target ? " on " : "",
               s->fault[i]->target);
      alarm_set_text(alarm, text);
    }
  for (int i = 0; i < a->list.count; i++) {
    struct alarm *alarm = &a->list.alarm[i];
    size_t k = 0;
    while (k < s->n_fault && strncmp(s->fault[k]->name, alarm->name, ALARM_NAME - 1) != 0)
      k++;
    if (alarm->kind == ALARM_FAULT && alarm->is_active && k == s->n_fault && time_s > alarm->from_s)
      alarm_end(&a->list, (struct alarm_key){ALARM_FAULT, ALARM_CAUTION, alarm->name}, time_s);
  }
}

static int is_violation_expected(const struct alarms *a, const char *name) {
  for (size_t i = 0; a->session && i < a->session->n_verdict; i++)
    if (!strcmp(a->session->verdict[i]->name, name))
      return a->session->verdict[i]->expect_violated;
  return 0;
}

// Violations that the list has of a verdict.
static uint64_t counted(const struct alarm_list *list, const char *verdict) {
  uint64_t count = 0;
  for (int i = 0; i < list->count; i++)
    if (list->alarm[i].kind == ALARM_VERDICT && !strncmp(list->alarm[i].name, verdict, ALARM_NAME - 1))
      count += list->alarm[i].count;
  return count;
}

// One that is violated again after a while is another alarm, to be acknowledged by itself.
static void take_verdict(struct alarms *a, const Sagbend__V1__VerdictStatus *v, double time_s) {
  struct alarm_key key = {ALARM_VERDICT, ALARM_ALARM, v->name};
  if (v->state != SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED || is_violation_expected(a, v->name))
    return;
  struct alarm *alarm = alarm_newest(&a->list, key);
  int is_outside = v->present_margin_case && v->margin < 0;
  int is_back = alarm && is_outside && !alarm->is_active && time_s > alarm->to_s + ALARMS_HOLD_S;
  if (is_back && v->violations <= counted(&a->list, v->name))
    return; // it is within its grace
  if (!alarm || is_back)
    alarm = alarm_add(&a->list, key, is_back ? time_s : v->violated_time_s), a->list.changes++;
  uint64_t before = counted(&a->list, v->name) - alarm->count;
  uint64_t count = v->violations > before ? v->violations - before : 1;
  a->list.changes += alarm->count != count || alarm->is_active != is_outside;
  if (is_outside || alarm->is_active)
    alarm->to_s = time_s;
  alarm->count = count;
  alarm->is_active = is_outside;
  if (v->worst_case)
    alarm_note(&a->list, alarm, v->worst_value, v->worst_time_s, v->worst_value != alarm->worst);
}

static void controller_alarms_take(struct alarm_list *list, size_t count,
                                   Sagbend__V1__ActiveAlarm *const *from, double time_s);

static void take_status(struct alarms *a, const Sagbend__V1__Status *s) {
  struct alarm_key lost = {ALARM_EVENT, ALARM_ALARM, "command_lost"},
                   halted = {ALARM_EVENT, ALARM_ALARM, "halted"},
                   fault = {ALARM_EVENT, ALARM_ALARM, "simulation_fault"};
  double time_s = s->header->time_s;
  take_faults(a, s);
  controller_alarms_take(&a->list, s->n_alarm, s->alarm, time_s);
  for (size_t i = 0; i < s->n_verdict; i++)
    take_verdict(a, s->verdict[i], time_s);
  if (!s->station)
    return;
  if (s->station->command_state == SAGBEND__V1__COMMAND_STATE__COMMAND_STATE_LOST)
    alarm_raise(&a->list, lost, time_s);
  else
    alarm_end(&a->list, lost, time_s);
  if (s->station->state == SAGBEND__V1__RUN_STATE__RUN_STATE_HALTED)
    alarm_raise(&a->list, halted, time_s);
  else
    alarm_end(&a->list, halted, time_s);
  if (s->station->state == SAGBEND__V1__RUN_STATE__RUN_STATE_FAULT)
    alarm_raise(&a->list, fault, time_s);
}

// At the end each verdict that did not pass is an alarm, also one that was never judged.
static void take_end(struct alarms *a, const Sagbend__V1__End *e) {
  for (size_t i = 0; a->status && i < a->status->n_verdict; i++) {
    const Sagbend__V1__VerdictStatus *v = a->status->verdict[i];
    struct alarm_key key = {ALARM_VERDICT, ALARM_ALARM, v->name};
    if (v->passes || alarm_newest(&a->list, key))
      continue;
    struct alarm *alarm = alarm_add(&a->list, key, e->header->time_s);
    alarm->count = 1;
    alarm_set_text(alarm, v->state == SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED
                              ? "failed: not judged"
                              : "failed");
    a->list.changes++;
  }
}

// ---- events and late steps ----

// What Status and Timing report with more detail.
static int is_told_elsewhere(const char *name) {
  static const char *const NAMES[] = {"late_step", "late_steps", "lost_periods", "faults_unseen"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (!strcmp(name, NAMES[i]))
      return 1;
  return 0;
}

// The text of an event of a fault or a verdict begins with its name: up to a colon, or all of it.
static void name_in(const char *text, char out[ALARM_NAME]) {
  size_t length = strcspn(text, ":");
  snprintf(out, ALARM_NAME, "%.*s", (int)length, text);
}

static void take_event(struct alarms *a, const Sagbend__V1__Event *e) {
  double time_s = e->header->time_s;
  char name[ALARM_NAME];
  name_in(e->text, name);
  if (!strcmp(e->name, "fault_began")) {
    struct alarm *alarm = alarm_raise(&a->list, (struct alarm_key){ALARM_FAULT, ALARM_CAUTION, name}, time_s);
    const char *what = e->text + strlen(name);
    alarm_set_text(alarm, what + strspn(what, ": "));
    return;
  }
  if (!strcmp(e->name, "fault_ended")) {
    alarm_end(&a->list, (struct alarm_key){ALARM_FAULT, ALARM_CAUTION, name}, time_s);
    return;
  }
  if (!strcmp(e->name, "verdict_violated")) {
    struct alarm_key key = {ALARM_VERDICT, ALARM_ALARM, name};
    if (is_violation_expected(a, name) || alarm_newest(&a->list, key))
      return;
    alarm_add(&a->list, key, time_s)->count = 1;
    a->list.changes++;
    return;
  }
  enum event_grade grade = event_grade_of(e->name);
  if (grade == GRADE_INFORMATION || is_told_elsewhere(e->name))
    return;
  struct alarm_key key = {ALARM_EVENT, grade == GRADE_ERROR ? ALARM_ALARM : ALARM_CAUTION, e->name};
  struct alarm *alarm = alarm_newest(&a->list, key);
  if (!alarm || time_s > alarm->to_s + ALARMS_HOLD_S)
    alarm = alarm_add(&a->list, key, time_s);
  alarm->to_s = fmax(alarm->to_s, time_s);
  alarm->count++;
  alarm_set_text(alarm, e->text);
  a->list.changes++;
}

static void take_timing(struct alarms *a, const Sagbend__V1__Timing *t) {
  struct alarm_key key = {ALARM_LATE, ALARM_CAUTION, "late_steps"};
  uint64_t late = t->late_steps + t->lost_periods;
  if (late == a->late)
    return;
  a->late = late;
  struct alarm *alarm = alarm_newest(&a->list, key);
  if (!alarm)
    alarm = alarm_add(&a->list, key, t->newest_late_step ? t->newest_late_step->time_s : t->header->time_s);
  alarm->to_s = t->header->time_s;
  alarm->count = late;
  if (t->worst_late_step)
    alarm_note(&a->list, alarm, t->worst_late_step->late_us * 1e-6, t->worst_late_step->time_s, 1);
  a->list.changes++;
}

static void take_alarms(struct alarms *a, const Sagbend__V1__Alarms *alarms) {
  controller_alarms_take(&a->list, alarms->n_alarm, alarms->alarm, alarms->header->time_s);
}

// ---- messages ----

void alarms_take(struct alarms *a, const char *type, const void *data, size_t size) {
  static const ProtobufCMessageDescriptor *const DESCRIPTORS[] = {
      &sagbend__v1__truth__descriptor, &sagbend__v1__status__descriptor, &sagbend__v1__session__descriptor,
      &sagbend__v1__event__descriptor, &sagbend__v1__timing__descriptor, &sagbend__v1__end__descriptor,
      &sagbend__v1__alarms__descriptor};
  const ProtobufCMessageDescriptor *d = NULL;
  for (size_t i = 0; i < sizeof DESCRIPTORS / sizeof *DESCRIPTORS; i++)
    if (!strcmp(DESCRIPTORS[i]->name, type))
      d = DESCRIPTORS[i];
  ProtobufCMessage *message = d ? protobuf_c_message_unpack(d, NULL, size, data) : NULL;
  const void *any = message; // its type follows from the descriptor; each has its header first
  struct wire_error error = {"", ""};
  if (!message || !((const Sagbend__V1__End *)any)->header || wire_check(message, &error) != WIRE_OK) {
    if (message)
      protobuf_c_message_free_unpacked(message, NULL);
    return;
  }
  if (d == &sagbend__v1__truth__descriptor)
    take_truth(a, any);
  else if (d == &sagbend__v1__event__descriptor)
    take_event(a, any);
  else if (d == &sagbend__v1__timing__descriptor)
    take_timing(a, any);
  else if (d == &sagbend__v1__end__descriptor)
    take_end(a, any);
  else if (d == &sagbend__v1__alarms__descriptor)
    take_alarms(a, any);
  if (d == &sagbend__v1__status__descriptor) {
    if (a->status)
      sagbend__v1__status__free_unpacked(a->status, NULL);
    a->status = (Sagbend__V1__Status *)(void *)message;
    take_status(a, a->status);
  } else if (d == &sagbend__v1__session__descriptor && setup_is_readable(any)) {
    if (a->session)
      sagbend__v1__session__free_unpacked(a->session, NULL);
    a->session = (Sagbend__V1__Session *)(void *)message;
    setup_take(&a->setup, a->session);
  } else {
    protobuf_c_message_free_unpacked(message, NULL);
  }
}

// ------------------------------------------------------------
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

// Those in force at this time. Each has a time since which it is; that of its end is the time of the first
// message without it.
static void controller_alarms_take(struct alarm_list *list, size_t count,
                                   Sagbend__V1__ActiveAlarm *const *from, double time_s) {
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
