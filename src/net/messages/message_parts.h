// Parts that messages of the protocol and records of a log have in common, as protobuf messages. What these
// functions return or fill points into their arguments, which must live until the message is packed.
#pragma once

#include "sagbend/dp/track.h"
#include "sagbend/rig/quantity.h"
#include "net/messages/messages.h"

#include "sagbend/v1/command.pb-c.h"
#include "sagbend/v1/header.pb-c.h"
#include "sagbend/v1/manager.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"

// The generated structs contain char *, which packing only reads.
static inline char *text_of(const char *text) {
  return (char *)(uintptr_t)text;
}

// Orders for the tensioner. A message that is NULL is no order.
struct tensioner_command_message {
  Sagbend__V1__TensionerCommand message;
  Sagbend__V1__TensionerBrake brake;
};
void wire_fill_tensioner_command(const struct tensioner_setpoint *order,
                                 struct tensioner_command_message *out);
enum status wire_read_tensioner_command(const Sagbend__V1__TensionerCommand *message,
                                        struct tensioner_setpoint *out, struct reason *why);
struct tensioner_order_message {
  Sagbend__V1__TensionerOrder message;
  Sagbend__V1__TensionerBrake brake;
  Sagbend__V1__TensionerRelease release;
};
// An order that is not given releases the tensioner.
void wire_fill_tensioner_order(const struct tensioner_setpoint *order, struct tensioner_order_message *out);
enum status wire_read_tensioner_order(const Sagbend__V1__TensionerOrder *message,
                                      struct tensioner_setpoint *out, struct reason *why);

// Where the vessel is on the route; returns 0 without one.
int wire_fill_route_position(const struct loop_view *view, Sagbend__V1__RoutePosition *out);
// A route: NULL if the track has none.
struct route_message {
  Sagbend__V1__Route message;
  Sagbend__V1__RouteWaypoint waypoint[MAX_WAYPOINTS], *waypoints[MAX_WAYPOINTS];
};
Sagbend__V1__Route *wire_fill_route(const struct track_def *track, struct route_message *out);

struct track_order_message {
  Sagbend__V1__TrackOrder message;
  Sagbend__V1__TrackStop stop;
  Sagbend__V1__TrackGo go;
};
void wire_fill_track_order(const struct track_order *order, struct track_order_message *out);
enum status wire_read_track_order(const Sagbend__V1__TrackOrder *message, struct track_order *out,
                                  struct reason *why);

Sagbend__V1__Header wire_header_message(const struct wire_header *header);
// Whether messages of a type have a field `header`; the header of a message, NULL: it has none.
int wire_has_header(const ProtobufCMessageDescriptor *type);
Sagbend__V1__Header *wire_header_in(const ProtobufCMessage *message);
Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]);

// The consequence analysis. fill: NULL where there is none. list NULL: none is written, and none expected.
struct consequence_message {
  Sagbend__V1__Consequence message;
  Sagbend__V1__ConsequenceFailure failure[MAX_CONSEQUENCE_VIEWS], *failures[MAX_CONSEQUENCE_VIEWS];
};
Sagbend__V1__Consequence *wire_fill_consequence(const struct consequence_report *report,
                                                const struct consequence_list *list,
                                                struct consequence_message *out);
enum status wire_read_consequence(const Sagbend__V1__Consequence *message, struct consequence_report *out,
                                  struct consequence_list *list, struct reason *why);

// Packs any message. Returns the bytes written; 0: it fails wire_check or does not fit.
size_t wire_pack(const ProtobufCMessage *message, uint8_t *out, size_t capacity);

// The thruster commands of a command. read: STATUS_BAD_INPUT names the field at fault.
struct thruster_commands_message {
  Sagbend__V1__ThrusterCommands message;
  Sagbend__V1__BodyWrench extra;
  Sagbend__V1__ThrusterCommand item[MAX_THRUSTERS];
  Sagbend__V1__ThrusterCommand *list[MAX_THRUSTERS];
};
void wire_fill_thruster_commands(const struct command *command, struct thruster_commands_message *out);
enum status wire_read_thruster_commands(const Sagbend__V1__ThrusterCommands *message, struct command *out,
                                        struct reason *why);

// The emergency stops of a command, as a list of names that point into stops. read: STATUS_BAD_INPUT names
// the field.
struct stops_message {
  char *name[MAX_THRUSTERS];
};
size_t wire_fill_stops(const struct thruster_stops *stops, struct stops_message *out);
enum status wire_read_stops(char *const *names, size_t count, struct thruster_stops *out, struct reason *why);
// Alarms: fill sets item and list, of as many as there are. read: STATUS_BAD_INPUT names the field at fault.
struct alarms_message {
  Sagbend__V1__Alarm item[MAX_DP_ALARMS], *list[MAX_DP_ALARMS];
};
void wire_fill_alarms(const struct dp_alarm_list *alarms, struct alarms_message *out);
enum status wire_read_alarms(Sagbend__V1__Alarm *const *from, size_t count, struct dp_alarm_list *out,
                             struct reason *why);

// What a command carries, in the message of a controller and in that of a log.
struct command_parts {
  Sagbend__V1__BodyWrench wrench;
  Sagbend__V1__Standby standby;
  struct thruster_commands_message thrusters;
  struct tensioner_command_message tensioner;
  struct stops_message stops;
  size_t stop_count;
  struct consequence_message consequence_room;
  Sagbend__V1__Consequence *consequence; // NULL: none
  struct alarms_message alarms;
};
void wire_fill_command(const struct command *command, const struct dp_alarm_list *alarms,
                       struct command_parts *parts);

// Sets in the message at to what both messages have, from a command and its filled parts. EFFORT: how the
// names of its cases begin.
#define WIRE_TAKE_COMMAND(to, EFFORT, command, alarm_list, parts)                                            \
  do {                                                                                                       \
    (to)->based_on_step = (command)->based_on_step;                                                          \
    if ((command)->standby) {                                                                                \
      (to)->effort_case = EFFORT##_STANDBY;                                                                  \
      (to)->standby = &(parts)->standby;                                                                     \
    } else if ((command)->thruster_count > 0) {                                                              \
      (to)->effort_case = EFFORT##_THRUSTERS;                                                                \
      (to)->thrusters = &(parts)->thrusters.message;                                                         \
    } else {                                                                                                 \
      (to)->effort_case = EFFORT##_WRENCH;                                                                   \
      (to)->wrench = &(parts)->wrench;                                                                       \
    }                                                                                                        \
    (to)->tensioner = (command)->tensioner.given ? &(parts)->tensioner.message : NULL;                       \
    (to)->n_emergency_stop = (parts)->stop_count;                                                            \
    (to)->emergency_stop = (parts)->stops.name;                                                              \
    (to)->consequence = (parts)->consequence;                                                                \
    (to)->n_alarm = (size_t)(alarm_list)->count;                                                             \
    (to)->alarm = (parts)->alarms.list;                                                                      \
  } while (0)

// The alarms in force, for those who look on (net/messages/codec_view.h).
struct wire_alarms;
struct active_alarms_message {
  Sagbend__V1__ActiveAlarm item[MAX_DP_ALARMS], *list[MAX_DP_ALARMS];
  Sagbend__V1__AlarmCounts counts;
};
void wire_fill_active_alarms(const struct wire_alarms *alarms, struct active_alarms_message *out);

// Copies a name, which may be empty. Returns 0 if it is too long.
int wire_copy_name(char out[SIGNAL_NAME], const char *text);

// A request for a fault. read: STATUS_BAD_INPUT names the field at fault.
struct fault_order_message {
  Sagbend__V1__FaultOrder message;
  Sagbend__V1__FaultParameter item[FAULT_PARAMETERS], *list[FAULT_PARAMETERS];
};
void wire_fill_fault_order(const struct fault_request *request, const char *name, double duration_s,
                           struct fault_order_message *out);
enum status wire_read_fault_order(const Sagbend__V1__FaultOrder *message, struct order *out,
                                  struct reason *why);

// An order for a piece of a log (manager.proto). read: STATUS_BAD_INPUT names the field at fault.
void wire_fill_piece_order(const struct manager_order *order, Sagbend__V1__FetchOrder *out);
enum status wire_read_piece_order(const Sagbend__V1__FetchOrder *message, struct manager_order *out,
                                  struct reason *why);

// What an order carries, as the oneof of Order contains it. order->kind is one of ORDER_TABLE (sagbend/rig/rig.h).
// read: STATUS_BAD_INPUT names the field at fault, or says what is expected (order_check_values).
struct order_message {
  union {
    struct fault_order_message fault;
    struct tensioner_order_message tensioner;
    struct track_order_message track;
    Sagbend__V1__SetpointOrder set_point;
    Sagbend__V1__FetchOrder piece;
    Sagbend__V1__RateOrder other; // and all that carry nothing or one field, none of them larger
  } as;
};
ProtobufCMessage *wire_fill_order(const struct order *order, struct order_message *room);
enum status wire_read_order_payload(const ProtobufCMessage *message, struct order *out, struct reason *why);

// An Order but for its header. What fill writes points into order and room.
void wire_fill_order_message(const struct order *order, struct order_message *room, Sagbend__V1__Order *out);
enum status wire_read_order(const Sagbend__V1__Order *message, struct order *out, struct reason *why);
