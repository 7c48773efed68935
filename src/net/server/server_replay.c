// Publishes the messages of a logged session again, in the name of this one.
#include "net/server/server_internal.h"

#include "sagbend/v1/envelope.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <stdlib.h>
#include <string.h>

struct kind {
  const char *topic;
  const ProtobufCMessageDescriptor *descriptor;
  Sagbend__V1__Envelope__MessageCase in_envelope; // NOT_SET: for the PUB socket only
};

static const struct kind KINDS[] = {
    {"sensors", &sagbend__v1__sensors__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS},
    {"truth", &sagbend__v1__truth__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"nodes", &sagbend__v1__nodes__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"ledger", &sagbend__v1__ledger__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"timing", &sagbend__v1__timing__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"event", &sagbend__v1__event__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE_EVENT},
    {"status", &sagbend__v1__status__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"session", &sagbend__v1__session__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"dp", &sagbend__v1__controller_view__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"alarm", &sagbend__v1__alarms__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
};

static void send_to_controllers(struct server *server, const struct kind *kind, ProtobufCMessage *message) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = kind->in_envelope;
  int sensors = kind->in_envelope == SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS;
  if (sensors)
    envelope.sensors = (Sagbend__V1__Sensors *)message;
  else
    envelope.event = (Sagbend__V1__Event *)message;
  size_t size = wire_pack(&envelope.base, bytes, sizeof bytes);
  if (sensors) {
    memcpy(server->session.sensors, bytes, size);
    server->session.sensors_size = size;
  }
  server_send_to_all(server, bytes, size);
}

// A set-point that an operator ordered in the logged session reaches controllers as it did then.
static void take_logged_setpoint(struct server *server, const Sagbend__V1__Setpoint *logged) {
  if (!logged || logged->order <= server->session.welcome.setpoint_order)
    return;
  const double setpoint[] = {logged->north_m, logged->east_m, logged->heading_rad};
  server_take_setpoint(server, setpoint, logged->order);
}

enum status server_republish(struct server *server, const char *topic, const void *payload, size_t size,
                             struct reason *why) {
  const struct kind *kind = KINDS;
  while (kind < KINDS + sizeof KINDS / sizeof *KINDS && strcmp(kind->topic, topic) != 0)
    kind++;
  if (kind == KINDS + sizeof KINDS / sizeof *KINDS)
    return fail(why, STATUS_BAD_INPUT, "topic %s is not published", topic);
  ProtobufCMessage *message = protobuf_c_message_unpack(kind->descriptor, NULL, size, payload);
  Sagbend__V1__Header *header = message ? wire_header_in(message) : NULL;
  enum status status = STATUS_OK;
  if (!header) {
    status = fail(why, STATUS_BAD_INPUT, "a message of %s cannot be read", topic);
  } else {
    char *session = header->session;
    header->session = server->session.id;
    if (header->step >= server->session.step) { // events may lag behind
      server->session.step = header->step;
      server->session.time_s = header->time_s;
    }
    size_t packed = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(packed + 1);
    size_t good = bytes ? wire_pack(message, bytes, packed) : 0;
    if (good) {
      server_publish_packed(server, topic, bytes, good);
      if (kind->in_envelope != SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET)
        send_to_controllers(server, kind, message);
      if (kind->descriptor == &sagbend__v1__session__descriptor)
        take_logged_setpoint(server, ((Sagbend__V1__Session *)message)->setpoint);
    } else {
      status = fail(why, STATUS_BAD_INPUT, "a message of %s violates the protocol", topic);
    }
    free(bytes);
    header->session = session; // the unpacked message owns it
  }
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
  return status;
}
