#include "run/session/alarm_history.h"

#include <string.h>

static void end_those_over(struct alarm_history *history, const struct dp_alarm_state *now) {
  for (int i = 0; i < history->count; i++) {
    struct past_alarm *past = &history->past[i];
    if (past->is_over)
      continue;
    int at = dp_alarm_find(&now->list, past->alarm.source, past->alarm.kind);
    if (at >= 0 && now->step[at] == past->from_step)
      continue;
    past->is_over = 1;
    past->to_step = now->newest_step;
  }
}

static int was_seen(const struct dp_alarm_state *seen, const struct dp_alarm *alarm, uint64_t from_step) {
  const int at = dp_alarm_find(&seen->list, alarm->source, alarm->kind);
  return at >= 0 && seen->step[at] == from_step;
}

// The place of the newest of the least severe that are over and less severe than this one; -1: none.
static int place_of_less(const struct alarm_history *history, enum dp_alarm_severity severity) {
  int place = -1;
  for (int i = history->count - 1; i >= 0; i--) {
    const struct past_alarm *past = &history->past[i];
    if (past->is_over && past->alarm.severity < severity &&
        (place < 0 || past->alarm.severity < history->past[place].alarm.severity))
      place = i;
  }
  return place;
}

void alarm_history_take(struct alarm_history *history, const struct dp_alarm_state *now) {
  if (now->changes == history->seen.changes)
    return;
  end_those_over(history, now);
  for (int i = 0; i < now->list.count; i++) {
    if (was_seen(&history->seen, &now->list.alarm[i], now->step[i]))
      continue;
    if (history->count == MAX_PAST_ALARMS) {
      const int place = place_of_less(history, now->list.alarm[i].severity);
      history->left_out++; // this one, or the one that it replaces
      if (place < 0)
        continue;
      memmove(&history->past[place], &history->past[place + 1],
              (size_t)(history->count - 1 - place) * sizeof *history->past);
      history->count--;
    }
    history->past[history->count++] =
        (struct past_alarm){.alarm = now->list.alarm[i], .from_step = now->step[i]};
  }
  history->seen = *now;
}
