// Alarms of the DP controller: their names, and the list that fits into a message.
#include "sagbend/signals/signals.h"

#include <stddef.h>
#include <string.h>

const char *dp_alarm_kind_name(int kind) {
#define X(id, word) word,
  static const char *const names[] = {ALARM_KIND_TABLE(X)};
#undef X
  return kind >= 0 && kind < ALARM_KIND_COUNT ? names[kind] : "unknown";
}

const char *dp_alarm_severity_name(int severity) {
  static const char *const names[] = {"message", "warning", "alarm"};
  return severity >= 0 && severity < ALARM_SEVERITY_COUNT ? names[severity] : "unknown";
}

const char *dp_alarm_source_word(int index) {
  static const char *const words[] = {"controller", "link",      "position", "heading",   "motion",
                                      "wind",       "tension",   "payout",   "tensioner", "pipe",
                                      "route",      "thrusters", "power",    "vessel"};
  return index >= 0 && index < (int)(sizeof words / sizeof *words) ? words[index] : NULL;
}

int dp_alarm_find(const struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind) {
  for (int i = 0; i < list->count; i++)
    if (list->alarm[i].kind == kind && strncmp(list->alarm[i].source, source, SIGNAL_NAME) == 0)
      return i;
  return -1;
}

int dp_alarm_count(const struct dp_alarm_list *list) {
  int count = 0;
  for (int i = 0; i < list->count; i++)
    count += list->alarm[i].severity != SEVERITY_MESSAGE;
  return count;
}

static size_t append(char *out, size_t size, size_t used, const char *text) {
  while (*text && used + 1 < size)
    out[used++] = *text++;
  out[used] = '\0';
  return used;
}

// ---- a full list: its last place counts those that have none ----

static const char MORE[] = " more alarms than fit";

static int number_of(const char *text) {
  int number = 0;
  while (*text >= '0' && *text <= '9')
    number = 10 * number + (*text++ - '0');
  return number;
}

static void write_more(struct dp_alarm *more, int number, enum dp_alarm_severity severity) {
  char digits[12];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  for (int left = number; left || at == sizeof digits - 1; left /= 10)
    digits[--at] = (char)('0' + left % 10);
  memset(more, 0, sizeof *more);
  more->kind = ALARM_OTHER;
  more->severity = severity;
  append(more->source, sizeof more->source, 0, "controller");
  size_t used = append(more->text, sizeof more->text, 0, &digits[at]);
  append(more->text, sizeof more->text, used, MORE);
}

static int is_more(const struct dp_alarm *alarm) {
  return alarm->kind == ALARM_OTHER && strcmp(alarm->source, "controller") == 0 && strstr(alarm->text, MORE);
}

// The last of the least severe among the first places.
static int least_severe(const struct dp_alarm_list *list, int places) {
  int least = 0;
  for (int i = 1; i < places; i++)
    if (list->alarm[i].severity <= list->alarm[least].severity)
      least = i;
  return least;
}

// Takes the alarm at a place out; those behind it move up. The last place is free then.
static struct dp_alarm take_out(struct dp_alarm_list *list, int at, int places) {
  const struct dp_alarm out = list->alarm[at];
  for (int i = at; i + 1 < places; i++)
    list->alarm[i] = list->alarm[i + 1];
  return out;
}

static void raise_in_full(struct dp_alarm_list *list, const struct dp_alarm *alarm) {
  enum { LAST = MAX_DP_ALARMS - 1 };
  struct dp_alarm *more = &list->alarm[LAST];
  if (!is_more(more)) // it needs a place of its own
    write_more(more, 1, take_out(list, least_severe(list, MAX_DP_ALARMS), MAX_DP_ALARMS).severity);
  struct dp_alarm left_out = *alarm;
  const int least = least_severe(list, LAST);
  if (alarm->severity > list->alarm[least].severity) {
    left_out = take_out(list, least, LAST);
    list->alarm[LAST - 1] = *alarm;
  }
  write_more(more, number_of(more->text) + 1,
             left_out.severity > more->severity ? left_out.severity : more->severity);
}

void dp_alarm_raise(struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind,
                    enum dp_alarm_severity severity, const char *before, const char *name,
                    const char *after) {
  struct dp_alarm alarm;
  if (dp_alarm_find(list, source, kind) >= 0)
    return;
  memset(&alarm, 0, sizeof alarm);
  alarm.kind = kind;
  alarm.severity = severity;
  append(alarm.source, sizeof alarm.source, 0, source);
  size_t used = append(alarm.text, sizeof alarm.text, 0, before);
  used = append(alarm.text, sizeof alarm.text, used, name);
  append(alarm.text, sizeof alarm.text, used, after);
  if (list->count < MAX_DP_ALARMS)
    list->alarm[list->count++] = alarm;
  else
    raise_in_full(list, &alarm);
}

void dp_alarm_state_take(struct dp_alarm_state *state, const struct dp_alarm_list *list, uint64_t step) {
  uint64_t since[MAX_DP_ALARMS] = {0};
  int changed = list->count != state->list.count;
  for (int i = 0; i < list->count; i++) {
    int before = dp_alarm_find(&state->list, list->alarm[i].source, list->alarm[i].kind);
    since[i] = before < 0 ? step : state->step[before];
    state->raised += before < 0;
    changed |= before < 0 || state->list.alarm[before].severity != list->alarm[i].severity;
  }
  memcpy(state->step, since, sizeof since);
  state->changes += changed != 0;
  state->newest_step = step;
  memset(&state->list, 0, sizeof state->list);
  state->list.count = list->count;
  memcpy(state->list.alarm, list->alarm, (size_t)list->count * sizeof *list->alarm);
}

int dp_alarm_list_is_valid(const struct dp_alarm_list *list, struct reason *why) {
  if (!valid_index(list->count, 0, MAX_DP_ALARMS, "count", why))
    return 0;
  for (int i = 0; i < list->count; i++) {
    const struct dp_alarm *alarm = &list->alarm[i];
    if (!valid_text(alarm->source, sizeof alarm->source, "source", why) ||
        !valid_text(alarm->text, sizeof alarm->text, "text", why) ||
        !valid_index((int64_t)alarm->kind, 0, ALARM_KIND_COUNT - 1, "kind", why) ||
        !valid_index((int64_t)alarm->severity, 0, ALARM_SEVERITY_COUNT - 1, "severity", why))
      return valid_fail_in(why, "alarm[%d].", i);
    if (dp_alarm_find(list, alarm->source, alarm->kind) != i)
      return valid_fail(why, "alarm[%d]: an alarm before it has the same source and kind", i);
  }
  return 1;
}

int dp_alarm_state_is_valid(const struct dp_alarm_state *state, uint64_t step, struct reason *why) {
  if (!dp_alarm_list_is_valid(&state->list, why) ||
      !valid_whole(state->newest_step, 0, step, "newest_step", why) ||
      !valid_whole(state->changes, 0, step + 1, "changes", why) ||
      !valid_whole(state->raised, 0, MAX_DP_ALARMS * (step + 1), "raised", why))
    return 0;
  for (int i = 0; i < MAX_DP_ALARMS; i++)
    if (!valid_whole(state->step[i], 0, step, "step", why))
      return valid_fail_in(why, "alarm[%d].", i);
  return 1;
}

void dp_alarm_state_copy(const struct dp_alarm_state *from, struct dp_alarm_state *to) {
  memcpy(to, from, offsetof(struct dp_alarm_state, list));
  to->list.count = from->list.count;
  memcpy(to->list.alarm, from->list.alarm, (size_t)from->list.count * sizeof *from->list.alarm);
}
