#include "sagbend/signals/tensioner_order.h"

#include "sagbend/base/number_text.h"

#include <math.h>

const char *tensioner_mode_name(int mode) {
  static const char *const names[] = {"brake", "tension", "speed"};
  return (unsigned)mode < TENSIONER_MODE_COUNT ? names[mode] : "unknown";
}

const char *tensioner_source_name(int source) {
  static const char *const names[] = {"programme", "controller", "operator"};
  return (unsigned)source < TENSIONER_SOURCE_COUNT ? names[source] : "unknown";
}

static enum status check_source(const struct tensioner_rule *rule, enum tensioner_source source,
                                struct reason *why) {
  if (!rule->present)
    return fail(why, STATUS_BAD_INPUT, "tensioner: no order expected where there is no pipe.tensioner");
  if (source == TENSIONER_BY_CONTROLLER && !rule->from_controllers)
    return fail(why, STATUS_BAD_INPUT,
                "tensioner: no order of a controller expected (pipe.tensioner.accept)");
  if (source == TENSIONER_BY_OPERATOR && !rule->from_operators)
    return fail(why, STATUS_BAD_INPUT, "tensioner: no order of an operator expected (pipe.tensioner.accept)");
  return STATUS_OK;
}

enum status tensioner_setpoint_check(const struct tensioner_rule *rule, enum tensioner_source source,
                                     const struct tensioner_setpoint *order, struct reason *why) {
  if (!order->given)
    return STATUS_OK;
  if (check_source(rule, source, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const double least = rule->tension_min_n, most = rule->tension_max_n, force = order->tension_n;
  if (order->mode == TENSIONER_TENSION && !(force > 0 && force >= least && force <= most))
    return fail(
        why, STATUS_BAD_INPUT,
        "tensioner.tension_n: at least %s N, half of the dead band, and at most %s N expected, got %s",
        number_text(least).text, number_text(most).text, number_text(force).text);
  if (order->mode == TENSIONER_SPEED && !(fabs(order->speed_mps) <= rule->speed_max_mps))
    return fail(why, STATUS_BAD_INPUT, "tensioner.speed_mps: at most %s m/s out or back expected, got %s",
                number_text(rule->speed_max_mps).text, number_text(order->speed_mps).text);
  return STATUS_OK;
}

int tensioner_setpoint_is_valid(const struct tensioner_setpoint *order, struct reason *why) {
  return valid_flag(order->given, "tensioner.given", why) &&
         valid_index((int64_t)order->mode, 0, TENSIONER_MODE_COUNT - 1, "tensioner.mode", why) &&
         valid_finite(&order->tension_n, 1, "tensioner.tension_n", why) &&
         valid_finite(&order->speed_mps, 1, "tensioner.speed_mps", why);
}
