#include "run/session/alarm_news.h"

#include <math.h>

static const double AT_ONCE = 20, PER_S = 2; // messages

int alarm_news_take(struct alarm_news *news, const struct dp_alarm_state *now, double time_s) {
  if (!news->is_begun) { // a state from a checkpoint may have changed before
    *news = (struct alarm_news){.is_begun = 1, .changes = now->changes, .left = AT_ONCE, .at_s = time_s};
    if (now->list.count == 0)
      return 0;
    news->left--;
    return 1;
  }
  if (now->changes == news->changes)
    return 0;
  news->left = fmin(AT_ONCE, news->left + PER_S * (time_s - news->at_s));
  news->at_s = time_s;
  if (news->left < 1)
    return 0;
  news->left--;
  news->suppressed += now->changes - news->changes - 1;
  news->changes = now->changes;
  return 1;
}

uint64_t alarm_news_suppressed(const struct alarm_news *news, const struct dp_alarm_state *now) {
  return news->suppressed + (now->changes - news->changes);
}
