// ControllerView: what a controller believes and wants.
#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/envelope.pb-c.h"

#include <stdio.h>
#include <string.h>

_Static_assert(SAGBEND__V1__INSTRUMENT_USE__INSTRUMENT_USE_REJECTED == (int)USE_REJECTED + 1 &&
                   (int)USE_REJECTED + 1 == (int)USE_COUNT &&
                   SAGBEND__V1__THRUSTER_USE__THRUSTER_USE_DEVIATING == (int)ACTUATOR_DEVIATING + 1,
               "the same uses in the same order, after the unspecified one");

struct controller_message {
  Sagbend__V1__ControllerView message;
  Sagbend__V1__Header header;
  Sagbend__V1__PoseView estimate, reference;
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__BodyWrench demanded, allocated, wind, bias;
  Sagbend__V1__InstrumentView instrument[MAX_INSTRUMENTS], *instruments[MAX_INSTRUMENTS];
  Sagbend__V1__ReferenceView reference_view[MAX_INSTRUMENTS];
  Sagbend__V1__ThrusterView thruster[MAX_THRUSTERS], *thrusters[MAX_THRUSTERS];
  struct consequence_message consequence;
};

static Sagbend__V1__PoseView *fill_pose(const struct wire_pose *from, int is_there,
                                        Sagbend__V1__PoseView *out) {
  sagbend__v1__pose_view__init(out);
  out->north_m = from->eta[0];
  out->east_m = from->eta[1];
  out->heading_rad = from->eta[2];
  out->surge_mps = from->nu[0];
  out->sway_mps = from->nu[1];
  out->yaw_radps = from->nu[2];
  return is_there ? out : NULL;
}

static Sagbend__V1__BodyWrench *fill_wrench(const double wrench_b[6], int is_there,
                                            Sagbend__V1__BodyWrench *out) {
  *out = wire_wrench_message(wrench_b);
  return is_there ? out : NULL;
}

static Sagbend__V1__ReferenceView *fill_reference(const struct wire_instrument_view *from,
                                                  Sagbend__V1__ReferenceView *out) {
  sagbend__v1__reference_view__init(out);
  out->principle = text_of(from->principle);
  out->known = from->is_known != 0;
  out->residual_forward_m = from->residual_b_m[0];
  out->residual_starboard_m = from->residual_b_m[1];
  out->weight = from->weight;
  out->proving = from->is_proving != 0;
  return from->is_reference ? out : NULL;
}

static void fill_lists(const struct wire_controller_view *from, struct controller_message *out) {
  Sagbend__V1__ControllerView *message = &out->message;
  for (int i = 0; i < from->instrument_count; i++) {
    sagbend__v1__instrument_view__init(&out->instrument[i]);
    out->instrument[i].name = text_of(from->instrument[i].name);
    out->instrument[i].kind = (Sagbend__V1__InstrumentKind)(from->instrument[i].kind + 1);
    out->instrument[i].use = (Sagbend__V1__InstrumentUse)(from->instrument[i].use + 1);
    out->instrument[i].reference = fill_reference(&from->instrument[i], &out->reference_view[i]);
    out->instruments[message->n_instrument++] = &out->instrument[i];
  }
  message->instrument = out->instruments;
  for (int i = 0; i < from->thruster_count; i++) {
    sagbend__v1__thruster_view__init(&out->thruster[i]);
    out->thruster[i].name = text_of(from->thruster[i].name);
    out->thruster[i].use = (Sagbend__V1__ThrusterUse)(from->thruster[i].use + 1);
    out->thruster[i].thrust_n = from->thruster[i].thrust_n;
    out->thruster[i].azimuth_rad = from->thruster[i].azimuth_rad;
    out->thrusters[message->n_thruster++] = &out->thruster[i];
  }
  message->thruster = out->thrusters;
}

static void fill_view(const struct wire_controller_view *from, struct controller_message *out) {
  Sagbend__V1__ControllerView *message = &out->message;
  sagbend__v1__controller_view__init(message);
  message->controller = text_of(from->controller);
  message->based_on_step = from->based_on_step;
  message->in_command = from->in_command != 0;
  message->active = from->active != 0;
  message->estimate = fill_pose(&from->estimate, from->has_estimate, &out->estimate);
  message->reference = fill_pose(&from->reference, from->has_reference, &out->reference);
  sagbend__v1__setpoint__init(&out->setpoint);
  out->setpoint.north_m = from->setpoint[0];
  out->setpoint.east_m = from->setpoint[1];
  out->setpoint.heading_rad = from->setpoint[2];
  out->setpoint.order = from->setpoint_order;
  message->setpoint = from->has_setpoint ? &out->setpoint : NULL;
  message->demanded = fill_wrench(from->demanded_b, from->has_demanded, &out->demanded);
  message->allocated = fill_wrench(from->allocated_b, from->has_allocated, &out->allocated);
  message->wind = fill_wrench(from->wind_b, from->has_wind, &out->wind);
  message->bias = fill_wrench(from->bias_b, from->has_bias, &out->bias);
  message->tension_n = from->tension_n;
  message->dead_reckoning = from->dead_reckoning != 0;
  message->tension_lost = from->tension_lost != 0;
  message->saturated = from->saturated != 0;
  message->power_limited = from->power_limited != 0;
  message->rejected_measurements = from->rejected;
  message->consequence = wire_fill_consequence(&from->consequence, &from->consequences, &out->consequence);
  fill_lists(from, out);
}

size_t wire_pack_controller_view(const struct wire_header *header, const struct wire_controller_view *view,
                                 enum wire_form form, uint8_t *out, size_t capacity) {
  struct controller_message parts;
  fill_view(view, &parts);
  parts.header = wire_header_message(header);
  parts.message.header = &parts.header;
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_CONTROLLER_VIEW;
  envelope.controller_view = &parts.message;
  return wire_pack(form == WIRE_PLAIN ? &parts.message.base : &envelope.base, out, capacity);
}

static int read_pose(const Sagbend__V1__PoseView *message, struct wire_pose *out) {
  if (message)
    *out = (struct wire_pose){{message->north_m, message->east_m, message->heading_rad},
                              {message->surge_mps, message->sway_mps, message->yaw_radps}};
  return message != NULL;
}

static int read_wrench(const Sagbend__V1__BodyWrench *message, double out[6]) {
  const double wrench[6] = {message ? message->surge_n : 0,  message ? message->sway_n : 0,
                            message ? message->heave_n : 0,  message ? message->roll_nm : 0,
                            message ? message->pitch_nm : 0, message ? message->yaw_nm : 0};
  memcpy(out, wrench, sizeof wrench);
  return message != NULL;
}

static int read_name(const char *text, char out[SIGNAL_NAME]) {
  return *text && snprintf(out, SIGNAL_NAME, "%s", text) < SIGNAL_NAME;
}

static enum status read_reference(const Sagbend__V1__ReferenceView *from, struct wire_instrument_view *out,
                                  struct reason *why) {
  out->is_reference = from != NULL;
  if (!from)
    return STATUS_OK;
  if (*from->principle && !read_name(from->principle, out->principle))
    return fail(why, STATUS_BAD_INPUT, "instrument.reference.principle: at most 23 characters expected");
  if (!(from->weight >= 0 && from->weight <= 1))
    return fail(why, STATUS_BAD_INPUT, "instrument.reference.weight: a number from 0 to 1 expected");
  out->is_known = from->known;
  out->is_proving = from->proving;
  out->residual_b_m[0] = from->residual_forward_m;
  out->residual_b_m[1] = from->residual_starboard_m;
  out->weight = from->weight;
  return STATUS_OK;
}

static enum status read_lists(const Sagbend__V1__ControllerView *message, struct wire_controller_view *out,
                              struct reason *why) {
  if (message->n_instrument > MAX_INSTRUMENTS || message->n_thruster > MAX_THRUSTERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d instruments and %d thrusters expected", MAX_INSTRUMENTS,
                MAX_THRUSTERS);
  for (size_t i = 0; i < message->n_instrument; i++) {
    const Sagbend__V1__InstrumentView *from = message->instrument[i];
    struct wire_instrument_view *instrument = &out->instrument[out->instrument_count++];
    if (!read_name(from->name, instrument->name))
      return fail(why, STATUS_BAD_INPUT, "instrument: a name of 1 to 23 characters expected in each");
    instrument->kind = (enum instrument)(from->kind - 1);
    instrument->use = (enum instrument_use)(from->use - 1);
    if (read_reference(from->reference, instrument, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  }
  for (size_t i = 0; i < message->n_thruster; i++) {
    const Sagbend__V1__ThrusterView *from = message->thruster[i];
    struct wire_thruster_view *thruster = &out->thruster[out->thruster_count++];
    if (!read_name(from->name, thruster->name))
      return fail(why, STATUS_BAD_INPUT, "thruster: a name of 1 to 23 characters expected in each");
    thruster->use = (enum actuator_state)(from->use - 1);
    thruster->thrust_n = from->thrust_n;
    thruster->azimuth_rad = from->azimuth_rad;
  }
  return STATUS_OK;
}

// Numbers are finite (wire_check); the simulator sets controller and in_command.
enum status wire_read_controller_view(const Sagbend__V1__ControllerView *message,
                                      struct wire_controller_view *out, struct reason *why) {
  out->based_on_step = message->based_on_step;
  out->active = message->active;
  out->has_estimate = read_pose(message->estimate, &out->estimate);
  out->has_reference = read_pose(message->reference, &out->reference);
  out->has_setpoint = message->setpoint != NULL;
  if (message->setpoint) {
    out->setpoint[0] = message->setpoint->north_m;
    out->setpoint[1] = message->setpoint->east_m;
    out->setpoint[2] = message->setpoint->heading_rad;
    out->setpoint_order = message->setpoint->order;
  }
  out->has_demanded = read_wrench(message->demanded, out->demanded_b);
  out->has_allocated = read_wrench(message->allocated, out->allocated_b);
  out->has_wind = read_wrench(message->wind, out->wind_b);
  out->has_bias = read_wrench(message->bias, out->bias_b);
  out->tension_n = message->tension_n;
  out->dead_reckoning = message->dead_reckoning;
  out->tension_lost = message->tension_lost;
  out->saturated = message->saturated;
  out->power_limited = message->power_limited;
  out->rejected = message->rejected_measurements;
  if (wire_read_consequence(message->consequence, &out->consequence, &out->consequences, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  return read_lists(message, out, why);
}

// ------------------------------------------------------------
// Alarms of a controller in messages: Command, CommandUsed of the log, Alarms and Status.

_Static_assert(SAGBEND__V1__ALARM_KIND__ALARM_KIND_LOST == (int)ALARM_LOST + 1 &&
                   SAGBEND__V1__ALARM_KIND__ALARM_KIND_CONSEQUENCE == (int)ALARM_CONSEQUENCE + 1 &&
                   SAGBEND__V1__ALARM_KIND__ALARM_KIND_WAITING == (int)ALARM_KIND_COUNT &&
                   SAGBEND__V1__ALARM_SEVERITY__ALARM_SEVERITY_ALARM == (int)ALARM_SEVERITY_COUNT,
               "the same kinds and severities in the same order, after the unspecified one");

void wire_fill_alarms(const struct dp_alarm_list *alarms, struct alarms_message *out) {
  for (int i = 0; i < alarms->count; i++) {
    const struct dp_alarm *alarm = &alarms->alarm[i];
    Sagbend__V1__Alarm *item = out->list[i] = &out->item[i];
    sagbend__v1__alarm__init(item);
    item->source = text_of(alarm->source);
    item->kind = (Sagbend__V1__AlarmKind)(alarm->kind + 1);
    item->severity = (Sagbend__V1__AlarmSeverity)(alarm->severity + 1);
    item->text = text_of(alarm->text);
  }
}

enum status wire_read_alarms(Sagbend__V1__Alarm *const *from, size_t count, struct dp_alarm_list *out,
                             struct reason *why) {
  out->count = 0;
  if (count > MAX_DP_ALARMS)
    return fail(why, STATUS_BAD_INPUT, "alarm: at most %d expected, got %zu", MAX_DP_ALARMS, count);
  for (size_t i = 0; i < count; i++) {
    struct dp_alarm *alarm = &out->alarm[i];
    size_t source = strlen(from[i]->source), text = strlen(from[i]->text);
    if (source < 1 || source >= sizeof alarm->source)
      return fail(why, STATUS_BAD_INPUT, "alarm.source: 1 to %zu characters expected, got %zu",
                  sizeof alarm->source - 1, source);
    if (text >= sizeof alarm->text)
      return fail(why, STATUS_BAD_INPUT, "alarm.text: at most %zu characters expected, got %zu",
                  sizeof alarm->text - 1, text);
    memset(alarm, 0, sizeof *alarm);
    memcpy(alarm->source, from[i]->source, source);
    memcpy(alarm->text, from[i]->text, text);
    alarm->kind = (enum dp_alarm_kind)(from[i]->kind - 1);
    alarm->severity = (enum dp_alarm_severity)(from[i]->severity - 1);
    if (dp_alarm_find(out, alarm->source, alarm->kind) >= 0)
      return fail(why, STATUS_BAD_INPUT, "alarm: %s with the kind %s is listed twice", alarm->source,
                  dp_alarm_kind_name((int)alarm->kind));
    out->count++;
  }
  return STATUS_OK;
}

void wire_fill_active_alarms(const struct wire_alarms *alarms, struct active_alarms_message *out) {
  const struct dp_alarm_state *from = alarms->state;
  for (int i = 0; i < from->list.count; i++) {
    const struct dp_alarm *alarm = &from->list.alarm[i];
    Sagbend__V1__ActiveAlarm *item = out->list[i] = &out->item[i];
    sagbend__v1__active_alarm__init(item);
    item->source = text_of(alarm->source);
    item->kind = (Sagbend__V1__AlarmKind)(alarm->kind + 1);
    item->severity = (Sagbend__V1__AlarmSeverity)(alarm->severity + 1);
    item->text = text_of(alarm->text);
    item->since_step = from->step[i];
    item->since_s = (double)from->step[i] * alarms->step_s;
  }
  sagbend__v1__alarm_counts__init(&out->counts);
  out->counts.active = (uint64_t)from->list.count;
  out->counts.raised = from->raised;
  out->counts.changes = from->changes;
  out->counts.suppressed = alarms->suppressed;
  out->counts.newest_step = from->newest_step;
}

size_t wire_pack_alarms(const struct wire_header *header, const struct wire_alarms *alarms, uint8_t *out,
                        size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Alarms message = SAGBEND__V1__ALARMS__INIT;
  struct active_alarms_message parts;
  wire_fill_active_alarms(alarms, &parts);
  message.header = &header_message;
  message.n_alarm = (size_t)alarms->state->list.count;
  message.alarm = parts.list;
  message.counts = &parts.counts;
  return wire_pack(&message.base, out, capacity);
}

// ------------------------------------------------------------
// Orders of an operator for the route, and what is in force of them.

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

// ------------------------------------------------------------
// Consequence: the result of a controller's consequence analysis, in Command, ControllerView and log.

static const double LARGEST = 1e9;

Sagbend__V1__Consequence *wire_fill_consequence(const struct consequence_report *report,
                                                const struct consequence_list *list,
                                                struct consequence_message *out) {
  sagbend__v1__consequence__init(&out->message);
  out->message.known = report->known != 0;
  out->message.alarm = report->alarm != 0;
  out->message.margin = report->margin;
  out->message.failure = text_of(report->failure);
  out->message.unsolved = report->unsolved;
  out->message.failures = out->failures;
  for (int i = 0; list && i < list->count; i++) {
    out->failures[i] = &out->failure[i];
    sagbend__v1__consequence_failure__init(&out->failure[i]);
    out->failure[i].name = text_of(list->failure[i].name);
    out->failure[i].margin = list->failure[i].margin;
    out->failure[i].alarm = list->failure[i].alarm != 0;
    out->message.n_failures++;
  }
  return report->given ? &out->message : NULL;
}

static int is_margin(double margin) {
  return margin >= 0 && margin <= LARGEST;
}

static int copy_name(char out[CONSEQUENCE_NAME], const char *text) {
  return snprintf(out, CONSEQUENCE_NAME, "%s", text) < CONSEQUENCE_NAME;
}

enum status wire_read_consequence(const Sagbend__V1__Consequence *message, struct consequence_report *out,
                                  struct consequence_list *list, struct reason *why) {
  memset(out, 0, sizeof *out);
  if (!message)
    return STATUS_OK;
  out->given = 1;
  out->known = message->known;
  out->alarm = message->alarm;
  out->margin = message->margin;
  out->unsolved = message->unsolved;
  if (!message->known && (message->alarm || message->margin != 0 || *message->failure || message->n_failures))
    return fail(why, STATUS_BAD_INPUT, "consequence: with known false no other field is allowed");
  if (!is_margin(message->margin))
    return fail(why, STATUS_BAD_INPUT, "consequence.margin: a number from 0 to 1e9 expected, got %g",
                message->margin);
  if (!copy_name(out->failure, message->failure))
    return fail(why, STATUS_BAD_INPUT, "consequence.failure: at most 31 characters expected");
  if (!list && message->n_failures > 0)
    return fail(why, STATUS_BAD_INPUT,
                "consequence.failures is not allowed in a Command, only in a ControllerView");
  if (message->n_failures > MAX_CONSEQUENCE_VIEWS)
    return fail(why, STATUS_BAD_INPUT, "consequence.failures: at most %d expected, got %zu",
                MAX_CONSEQUENCE_VIEWS, message->n_failures);
  for (size_t i = 0; i < message->n_failures; i++) {
    const Sagbend__V1__ConsequenceFailure *from = message->failures[i];
    struct consequence_failure_view *failure = &list->failure[list->count++];
    if (!*from->name || !copy_name(failure->name, from->name))
      return fail(why, STATUS_BAD_INPUT,
                  "consequence.failures: a name of 1 to 31 characters expected in each");
    if (!is_margin(from->margin))
      return fail(why, STATUS_BAD_INPUT,
                  "consequence.failures: %s: margin: a number from 0 to 1e9 expected, got %g", failure->name,
                  from->margin);
    failure->margin = from->margin;
    failure->alarm = from->alarm;
  }
  return STATUS_OK;
}
