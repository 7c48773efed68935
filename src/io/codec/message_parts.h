// Parts that messages of the protocol and records of a log have in common, as protobuf messages.
#pragma once

#include "io/codec/codec.h"

#include "sagbend/v1/command.pb-c.h"
#include "sagbend/v1/header.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"

// Both point into or copy their argument, which must live until the message is packed.
Sagbend__V1__Header wire_header_message(const struct wire_header *h);
Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]);

// Packs any message: bytes written; 0 if it fails wire_check or does not fit.
size_t wire_pack(const ProtobufCMessage *m, uint8_t *out, size_t capacity);

// A command's set-points as a message, and back. What is wrong with the message is returned, NULL: nothing.
struct thruster_commands_message {
  Sagbend__V1__ThrusterCommands message;
  Sagbend__V1__BodyWrench extra;
  Sagbend__V1__ThrusterCommand item[MAX_THRUSTERS];
  Sagbend__V1__ThrusterCommand *list[MAX_THRUSTERS];
};
void wire_fill_thruster_commands(const struct command *c, struct thruster_commands_message *out);
const char *wire_read_thruster_commands(const Sagbend__V1__ThrusterCommands *m, struct command *out);

// A request for a fault as a message, and back. The message points into its arguments, which must live until
// it is packed.
struct fault_order_message {
  Sagbend__V1__FaultOrder message;
  Sagbend__V1__FaultParameter item[FAULT_PARAMETERS], *list[FAULT_PARAMETERS];
};
void wire_fill_fault_order(const struct fault_request *request, const char *name, double duration_s,
                           struct fault_order_message *out);
const char *wire_read_fault_order(const Sagbend__V1__FaultOrder *m, struct wire_order *out);
