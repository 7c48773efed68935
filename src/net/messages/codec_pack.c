// Packing: messages are assembled on the stack, checked like received ones, and written to the caller's
// buffer.
#include "net/messages/messages_internal.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <string.h>

Sagbend__V1__Header wire_header_message(const struct wire_header *header) {
  Sagbend__V1__Header out = SAGBEND__V1__HEADER__INIT;
  out.protocol = WIRE_PROTOCOL;
  out.session = text_of(header->session);
  out.sequence = header->sequence;
  out.step = header->step;
  out.time_s = header->time_s;
  return out;
}

static const ProtobufCFieldDescriptor *header_field(const ProtobufCMessageDescriptor *type) {
  return protobuf_c_message_descriptor_get_field_by_name(type, "header");
}

int wire_has_header(const ProtobufCMessageDescriptor *type) {
  return header_field(type) != NULL;
}

Sagbend__V1__Header *wire_header_in(const ProtobufCMessage *message) {
  const ProtobufCFieldDescriptor *field = header_field(message->descriptor);
  Sagbend__V1__Header *header = NULL;
  if (field)
    memcpy(&header, (const char *)message + field->offset, sizeof header);
  return header;
}

Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]) {
  Sagbend__V1__BodyWrench out = SAGBEND__V1__BODY_WRENCH__INIT;
  out.surge_n = wrench_b[0];
  out.sway_n = wrench_b[1];
  out.heave_n = wrench_b[2];
  out.roll_nm = wrench_b[3];
  out.pitch_nm = wrench_b[4];
  out.yaw_nm = wrench_b[5];
  return out;
}

size_t wire_pack(const ProtobufCMessage *message, uint8_t *out, size_t capacity) {
  struct wire_error error;
  if (wire_check(message, &error) != WIRE_OK || protobuf_c_message_get_packed_size(message) > capacity)
    return 0;
  return protobuf_c_message_pack(message, out);
}

size_t wire_pack_hello(const struct wire_header *header, const struct wire_hello *hello, uint8_t *out,
                       size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Hello message = SAGBEND__V1__HELLO__INIT;
  message.header = &header_message;
  message.controller_id = text_of(hello->controller_id);
  message.name = text_of(hello->name);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_HELLO;
  envelope.hello = &message;
  return wire_pack(&envelope.base, out, capacity);
}

void wire_fill_whole_welcome(const struct wire_welcome *welcome, struct whole_welcome_message *out) {
  Sagbend__V1__Welcome *message = &out->message;
  sagbend__v1__welcome__init(message);
  out->hold = wire_wrench_message(welcome->hold_wrench_b);
  out->limit = wire_wrench_message(welcome->wrench_limit);
  message->name = text_of(welcome->name);
  message->config_hash = welcome->config_hash;
  message->step_s = welcome->step_s;
  message->sensor_period_s = welcome->sensor_period_s;
  message->mode = (Sagbend__V1__RunMode)(welcome->mode + 1);
  message->has_pipe = welcome->has_pipe;
  message->node_count = welcome->node_count;
  message->hold_wrench = &out->hold;
  message->wrench_limit = &out->limit;
  message->command_timeout_s = welcome->command_timeout_s;
  message->command_max_age_s = welcome->command_max_age_s;
  message->command_endpoint = text_of(welcome->command_endpoint);
  message->telemetry_endpoint = text_of(welcome->telemetry_endpoint);
  message->controller_view_period_s = welcome->controller_view_period_s;

  sagbend__v1__integrator__init(&out->integrator);
  out->integrator.order = (uint32_t)welcome->order;
  out->integrator.vessel = (Sagbend__V1__VesselIntegrator)(welcome->integrator + 1);
  message->integrator = welcome->order > 0 ? &out->integrator : NULL;
  wire_fill_plant(&welcome->plant, &out->plant, message);
  wire_fill_welcome(welcome, &out->parts, message);
}

size_t wire_pack_welcome(const struct wire_header *header, const struct wire_welcome *welcome, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  struct whole_welcome_message parts;
  wire_fill_whole_welcome(welcome, &parts);
  parts.message.header = &header_message;

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_WELCOME;
  envelope.welcome = &parts.message;
  return wire_pack(&envelope.base, out, capacity);
}

void wire_fill_command(const struct command *command, const struct dp_alarm_list *alarms,
                       struct command_parts *parts) {
  const Sagbend__V1__Standby standby = SAGBEND__V1__STANDBY__INIT;
  parts->wrench = wire_wrench_message(command->wrench_b);
  parts->standby = standby;
  if (command->thruster_count > 0)
    wire_fill_thruster_commands(command, &parts->thrusters);
  wire_fill_tensioner_command(&command->tensioner, &parts->tensioner);
  parts->stop_count = wire_fill_stops(&command->stops, &parts->stops);
  parts->consequence = wire_fill_consequence(&command->consequence, NULL, &parts->consequence_room);
  wire_fill_alarms(alarms, &parts->alarms);
}

size_t wire_pack_command(const struct wire_header *header, const struct wire_command *command, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Command message = SAGBEND__V1__COMMAND__INIT;
  struct command_parts parts;
  wire_fill_command(&command->command, &command->alarms, &parts);
  message.header = &header_message;
  message.controller_id = text_of(command->controller_id);
  WIRE_TAKE_COMMAND(&message, SAGBEND__V1__COMMAND__EFFORT, &command->command, &command->alarms, &parts);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND;
  envelope.command = &message;
  return wire_pack(&envelope.base, out, capacity);
}

size_t wire_pack_refusal(const struct wire_header *header, const struct wire_refusal *refusal, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Refusal message = SAGBEND__V1__REFUSAL__INIT;
  message.header = &header_message;
  message.reason = (Sagbend__V1__RefusalReason)(refusal->reason + 1);
  message.refused_sequence = refusal->refused_sequence;
  message.text = text_of(refusal->text);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL;
  envelope.refusal = &message;
  return wire_pack(&envelope.base, out, capacity);
}

size_t wire_pack_event(const struct wire_header *header, const char *name, const char *text,
                       enum wire_form form, uint8_t *out, size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Event message = SAGBEND__V1__EVENT__INIT;
  message.header = &header_message;
  message.name = text_of(name);
  message.text = text_of(text);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_EVENT;
  envelope.event = &message;
  return wire_pack(form == WIRE_PLAIN ? &message.base : &envelope.base, out, capacity);
}

size_t wire_pack_end(const struct wire_header *header, const char *why, const char *result,
                     enum wire_form form, uint8_t *out, size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__End message = SAGBEND__V1__END__INIT;
  message.header = &header_message;
  message.why = text_of(why);
  message.result = text_of(result);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_END;
  envelope.end = &message;
  return wire_pack(form == WIRE_PLAIN ? &message.base : &envelope.base, out, capacity);
}
