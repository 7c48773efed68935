#include "sagbend/rig/notice.h"

#include "sagbend/base/base.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEG = 180 / TRIG_PI;

static const char *const NAMES[] = {
#define X(name, text, question, advice) text,
    NOTICE_TABLE(X)
#undef X
};

static const char *const QUESTIONS[] = {
#define X(name, text, question, advice) question,
    NOTICE_TABLE(X)
#undef X
};

const char *notice_name(int kind) {
  return kind >= 0 && kind < NOTICE_COUNT ? NAMES[kind] : "unknown";
}

const char *notice_question(int kind) {
  return kind >= 0 && kind < NOTICE_COUNT ? QUESTIONS[kind] : "";
}

int notice_find(const char *name) {
  for (int i = 0; i < NOTICE_COUNT; i++)
    if (!strcmp(name, NAMES[i]))
      return i;
  return -1;
}

void notice_text(int kind, const struct notice *n, const char *thruster, char *out, size_t size) {
  const double *v = n->value;
  const char *ask = notice_question(kind);
  const double turn = v[0] * DEG;
  switch (kind) {
  case NOTICE_WEAK_WRENCH:
    snprintf(out, size, "commanded %.4g N, expected about %.4g N to hold; %.3g m off and leaving: %s", v[0],
             v[1], v[2], ask);
    break;
  case NOTICE_WEAK_THRUSTERS:
    snprintf(out, size, "largest set-point %.3g %% of full, hold has %.3g %%; %.3g m off and leaving: %s",
             100 * v[0], 100 * v[1], v[2], ask);
    break;
  case NOTICE_AZIMUTH:
    snprintf(out, size, "thruster %s: azimuth_rad of %.5g commanded, %.3g full turns: %s", thruster, v[0],
             v[1], ask);
    break;
  case NOTICE_FEEDBACK:
    snprintf(out, size,
             "the command pushes the vessel on, in its motion along %s (%s): feedback is positive: %s",
             fabs(trig_cos(v[2])) > fabs(trig_sin(v[2])) ? "north" : "east",
             fabs(trig_cos(v[2] - v[1])) > fabs(trig_sin(v[2] - v[1])) ? "surge" : "sway", ask);
    break;
  case NOTICE_FRAME:
    snprintf(out, size, "the force answers the motion turned by %.0f deg, at heading %.0f deg: %s", turn,
             v[1] * DEG, ask);
    break;
  default:
    snprintf(out, size, "the commanded moment turns the vessel on, %.2g deg so far (yaw): %s", v[3] * DEG,
             ask);
  }
}

void notice_raise(struct notice *notice, uint64_t step, const double value[4], int64_t thruster) {
  notice->gone = 0;
  if (notice->active)
    return;
  notice->active = 1;
  notice->count++;
  notice->step = step;
  notice->thruster = thruster;
  for (int i = 0; i < 4; i++)
    notice->value[i] = value[i];
}

void notice_rest(struct notice *notice, uint64_t quiet_steps) {
  if (notice->active && ++notice->gone > quiet_steps)
    notice->active = notice->gone = 0;
}

int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why) {
  for (int i = 0; i < NOTICE_COUNT; i++) {
    const struct notice *n = &notices->kind[i];
    if (!valid_whole(n->count, 0, step, "count", why) || !valid_whole(n->step, 0, step, "step", why) ||
        !valid_whole(n->active, 0, n->count > 0, "active", why) ||
        !valid_whole(n->gone, 0, n->active ? step : 0, "gone", why) ||
        !valid_finite(n->value, 4, "value", why) ||
        !valid_index(n->thruster, -1, MAX_THRUSTERS - 1, "thruster", why))
      return valid_fail_in(why, "notice[%d].", i);
  }
  return 1;
}
