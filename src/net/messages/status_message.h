// The message Status, as the program that sends it fills it.
#pragma once

#include "sagbend/rig/frame.h"
#include "net/messages/message_parts.h"

#include "sagbend/v1/operator.pb-c.h"

enum { WIRE_MAX_NOTICES = 3 }; // in a Status, the newest first

// A Status with room for its parts, which refer to each other: it cannot be copied. Who fills a part lets the
// message point to it; what is not there stays NULL.
struct wire_status {
  Sagbend__V1__Status message;
  Sagbend__V1__Header header;
  Sagbend__V1__Pause pause;
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__Track track;
  Sagbend__V1__PeerStatus peer[WIRE_MAX_PEERS], *peers[WIRE_MAX_PEERS];
  Sagbend__V1__LogStatus log;
  Sagbend__V1__CheckpointStatus checkpoint;
  Sagbend__V1__OrderStatus orders;
  Sagbend__V1__EarlierSessions earlier;
  Sagbend__V1__Security security;
  Sagbend__V1__StationStatus station;
  Sagbend__V1__RoutePosition route;
  Sagbend__V1__TensionerStatus tensioner;
  Sagbend__V1__OperationState operation;
  Sagbend__V1__RefusedCount reason[REFUSAL_COUNT], *reasons[REFUSAL_COUNT];
  Sagbend__V1__Refused refused[WIRE_MAX_REFUSED], *refusals[WIRE_MAX_REFUSED];
  Sagbend__V1__CommandStatus command;
  Sagbend__V1__NoticeStatus notice[WIRE_MAX_NOTICES], *notices[WIRE_MAX_NOTICES];
  struct active_alarms_message alarms;
  size_t text_size;
  char text[7424];
};

// An empty Status, with header, orders and security.
void wire_begin_status(struct wire_status *status);

// A copy of a text, as messages may contain it, which lives as long as the status.
char *wire_status_text(struct wire_status *status, const char *text);

void wire_status_header(struct wire_status *status, const struct wire_header *header);
void wire_status_security(struct wire_status *status, const struct security_counts *counts);
void wire_status_setpoint(struct wire_status *status, const double setpoint[3], uint64_t order);
void wire_status_track(struct wire_status *status, const struct wire_track *track);
// The next peer, to be filled; NULL: no room.
Sagbend__V1__PeerStatus *wire_status_peer(struct wire_status *status);
// Counts of commands, those refused by reason.
void wire_status_commands(struct wire_status *status, const struct command_counts *counts);
// The next refusal, to be filled; NULL: no room.
Sagbend__V1__Refused *wire_status_refused(struct wire_status *status);
// The command in use beside the hold wrench, and the notices raised so far.
void wire_status_commanded(struct wire_status *status, const struct frame *frame,
                           const double hold_wrench_b[6]);
// Tensioner and operation of a step, where they exist.
void wire_status_tensioner(struct wire_status *status, const struct sim_output *output);
// The alarms of the controller in force, and their counts. What alarms points to must live until the message
// is packed. An envelope that has no room beside the rest has their counts only.
void wire_status_alarms(struct wire_status *status, const struct wire_alarms *alarms);
