// Orders of an operator for the route, and what is in force of them.
#include "sagbend/rig/held_pose.h"
#include "net/messages/messages_internal.h"

void wire_fill_track_order(const struct track_order *order, struct track_order_message *out) {
  Sagbend__V1__TrackOrder *message = &out->message;
  sagbend__v1__track_stop__init(&out->stop);
  sagbend__v1__track_go__init(&out->go);
  sagbend__v1__track_order__init(message);
  switch (order->kind) {
  case TRACK_ORDER_STOP:
    message->order_case = SAGBEND__V1__TRACK_ORDER__ORDER_STOP;
    message->stop = &out->stop;
    break;
  case TRACK_ORDER_GO:
    message->order_case = SAGBEND__V1__TRACK_ORDER__ORDER_GO;
    message->go = &out->go;
    break;
  case TRACK_ORDER_SPEED:
    message->order_case = SAGBEND__V1__TRACK_ORDER__ORDER_SPEED_MPS;
    message->speed_mps = order->speed_mps;
    break;
  }
}

enum status wire_read_track_order(const Sagbend__V1__TrackOrder *message, struct track_order *out,
                                  struct reason *why) {
  *out = (struct track_order){.kind = TRACK_ORDER_STOP};
  switch (message->order_case) {
  case SAGBEND__V1__TRACK_ORDER__ORDER_STOP:
    return STATUS_OK;
  case SAGBEND__V1__TRACK_ORDER__ORDER_GO:
    out->kind = TRACK_ORDER_GO;
    return STATUS_OK;
  case SAGBEND__V1__TRACK_ORDER__ORDER_SPEED_MPS:
    out->kind = TRACK_ORDER_SPEED;
    out->speed_mps = message->speed_mps;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "track: stop, go or speed_mps expected");
  }
}

void wire_fill_track(const struct wire_track *from, Sagbend__V1__Track *out) {
  sagbend__v1__track__init(out);
  out->stopped = from->orders.is_stopped != 0;
  out->speed_mps = from->orders.speed_mps;
  out->order = from->order;
}

int wire_fill_route_position(const struct loop_view *view, Sagbend__V1__RoutePosition *out) {
  const struct held_pose held = loop_route_pose(view->target->track, view->truth);
  sagbend__v1__route_position__init(out);
  wire_fill_quantities(out, MESSAGE_TRUTH_ROUTE, view);
  out->north_m = held.position_n_m[0];
  out->east_m = held.position_n_m[1];
  out->heading_rad = held.heading_rad;
  return view->target->track != NULL;
}

Sagbend__V1__Route *wire_fill_route(const struct track_def *track, struct route_message *out) {
  if (!track->route.count)
    return NULL;
  sagbend__v1__route__init(&out->message);
  for (int i = 0; i < track->route.waypoint_count; i++) {
    const struct waypoint *from = &track->route.waypoint[i];
    Sagbend__V1__RouteWaypoint *waypoint = out->waypoints[i] = &out->waypoint[i];
    sagbend__v1__route_waypoint__init(waypoint);
    waypoint->north_m = from->position_m[0];
    waypoint->east_m = from->position_m[1];
    waypoint->radius_m = from->radius_m;
  }
  out->message.waypoints = out->waypoints;
  out->message.n_waypoints = (size_t)track->route.waypoint_count;
  out->message.point_forward_m = track->point_b_m[0];
  out->message.point_starboard_m = track->point_b_m[1];
  out->message.heading_offset_rad = track->heading_offset_rad;
  return &out->message;
}

enum status wire_read_track(const Sagbend__V1__Track *message, struct wire_track *out, struct reason *why) {
  *out = (struct wire_track){.orders = {message->stopped != 0, message->speed_mps}, .order = message->order};
  return track_orders_are_valid(&out->orders, why) ? STATUS_OK : STATUS_BAD_INPUT;
}
