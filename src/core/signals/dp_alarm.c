#include "core/signals/dp_alarm.h"

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

void dp_alarm_raise(struct dp_alarm_list *list, const char *source, enum dp_alarm_kind kind,
                    enum dp_alarm_severity severity, const char *before, const char *name,
                    const char *after) {
  if (dp_alarm_find(list, source, kind) >= 0)
    return;
  int is_full = list->count == MAX_DP_ALARMS;
  struct dp_alarm *alarm = &list->alarm[is_full ? MAX_DP_ALARMS - 1 : list->count++];
  int worst = is_full && alarm->severity > severity;
  enum dp_alarm_severity kept = worst ? alarm->severity : severity;
  memset(alarm, 0, sizeof *alarm);
  alarm->kind = is_full ? ALARM_OTHER : kind;
  alarm->severity = kept;
  append(alarm->source, sizeof alarm->source, 0, is_full ? "controller" : source);
  size_t used = append(alarm->text, sizeof alarm->text, 0, is_full ? "more alarms than fit" : before);
  if (is_full)
    return;
  used = append(alarm->text, sizeof alarm->text, used, name);
  append(alarm->text, sizeof alarm->text, used, after);
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
      return valid_fail(why, "alarm[%d]: each pair of source and kind at most once expected", i);
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
