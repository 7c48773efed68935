#include "session/alarm_history.h"

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

static int is_there(const struct alarm_history *history, const struct dp_alarm *alarm) {
  for (int i = history->count - 1; i >= 0; i--) {
    const struct past_alarm *past = &history->past[i];
    if (!past->is_over && past->alarm.kind == alarm->kind &&
        strncmp(past->alarm.source, alarm->source, SIGNAL_NAME) == 0)
      return 1;
  }
  return 0;
}

void alarm_history_take(struct alarm_history *history, const struct dp_alarm_state *now) {
  if (now->changes == history->changes)
    return;
  history->changes = now->changes;
  end_those_over(history, now);
  for (int i = 0; i < now->list.count; i++) {
    if (is_there(history, &now->list.alarm[i]))
      continue;
    if (history->count == MAX_PAST_ALARMS) {
      history->left_out++;
      continue;
    }
    history->past[history->count++] =
        (struct past_alarm){.alarm = now->list.alarm[i], .from_step = now->step[i]};
  }
}
