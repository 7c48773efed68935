#include "sagbend/signals/track_order.h"

void track_orders_take(struct track_orders *orders, const struct track_order *order) {
  if (order->kind == TRACK_ORDER_SPEED)
    orders->speed_mps = order->speed_mps;
  else
    orders->is_stopped = order->kind == TRACK_ORDER_STOP;
}

enum status track_order_check(const struct track_order *order, double most_mps, struct reason *why) {
  if (order->kind != TRACK_ORDER_SPEED ||
      (order->speed_mps >= TRACK_SPEED_MIN && order->speed_mps <= most_mps))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "track: a speed from %g to %g m/s expected, got %g", TRACK_SPEED_MIN,
              most_mps, order->speed_mps);
}

int track_orders_are_valid(const struct track_orders *orders, struct reason *why) {
  return valid_whole(orders->is_stopped, 0, 1, "is_stopped", why) &&
         valid_range(orders->speed_mps, 0, TRACK_SPEED_MAX, "speed_mps", why);
}
