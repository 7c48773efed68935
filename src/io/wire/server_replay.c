// A logged session's messages, given out again in the name of this one.
#include "io/wire/server_parts.h"

#include "sagbend/v1/envelope.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <stdlib.h>
#include <string.h>

struct kind {
  const char *topic;
  const ProtobufCMessageDescriptor *descriptor;
  Sagbend__V1__Envelope__MessageCase in_envelope; // NOT_SET: for PUB only
};

static const struct kind KINDS[] = {
    {"sensors", &sagbend__v1__sensors__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS},
    {"truth", &sagbend__v1__truth__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"nodes", &sagbend__v1__nodes__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"ledger", &sagbend__v1__ledger__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"timing", &sagbend__v1__timing__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET},
    {"event", &sagbend__v1__event__descriptor, SAGBEND__V1__ENVELOPE__MESSAGE_EVENT},
};

// All of them begin with the header.
static Sagbend__V1__Header *header_of(ProtobufCMessage *m) {
  const ProtobufCFieldDescriptor *f =
      protobuf_c_message_descriptor_get_field_by_name(m->descriptor, "header");
  Sagbend__V1__Header *header;
  memcpy(&header, (const char *)m + f->offset, sizeof header);
  return header;
}

static void to_controllers(struct server *s, const struct kind *k, ProtobufCMessage *m) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = k->in_envelope;
  int sensors = k->in_envelope == SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS;
  if (sensors)
    e.sensors = (Sagbend__V1__Sensors *)m;
  else
    e.event = (Sagbend__V1__Event *)m;
  size_t size = wire_pack(&e.base, bytes, sizeof bytes);
  if (sensors) {
    memcpy(s->sensors, bytes, size);
    s->sensors_size = size;
  }
  server_send_to_all(s, bytes, size);
}

enum status server_republish(struct server *s, const char *topic, const void *payload, size_t size,
                             struct reason *why) {
  const struct kind *k = KINDS;
  while (k < KINDS + sizeof KINDS / sizeof *KINDS && strcmp(k->topic, topic) != 0)
    k++;
  if (k == KINDS + sizeof KINDS / sizeof *KINDS)
    return fail(why, STATUS_BAD_INPUT, "topic %s is not one that is published", topic);
  ProtobufCMessage *m = protobuf_c_message_unpack(k->descriptor, NULL, size, payload);
  Sagbend__V1__Header *header = m ? header_of(m) : NULL;
  enum status status = STATUS_OK;
  if (!header) {
    status = fail(why, STATUS_BAD_INPUT, "a message of %s cannot be read", topic);
  } else {
    char *session = header->session;
    header->session = s->session;
    if (header->step >= s->step) { // events may come a little late
      s->step = header->step;
      s->time_s = header->time_s;
    }
    size_t packed = protobuf_c_message_get_packed_size(m);
    uint8_t *bytes = malloc(packed + 1);
    size_t good = bytes ? wire_pack(m, bytes, packed) : 0;
    if (good) {
      server_publish_packed(s, topic, bytes, good);
      if (k->in_envelope != SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET)
        to_controllers(s, k, m);
    } else {
      status = fail(why, STATUS_BAD_INPUT, "a message of %s holds what the protocol does not carry", topic);
    }
    free(bytes);
    header->session = session; // it is the unpacker's to free
  }
  if (m)
    protobuf_c_message_free_unpacked(m, NULL);
  return status;
}
