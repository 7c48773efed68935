// Packing: messages are put together on the stack, checked as on arrival, and written to the caller's buffer.
#include "io/codec/codec_parts.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <string.h>

typedef Sagbend__V1__Header Header;
typedef Sagbend__V1__BodyWrench BodyWrench;

// The generated structs hold char *, which packing only reads.
static char *text_of(const char *text) {
  return (char *)(uintptr_t)text;
}

Header wire_header_message(const struct wire_header *h) {
  Header out = SAGBEND__V1__HEADER__INIT;
  out.protocol = WIRE_PROTOCOL;
  out.session = text_of(h->session);
  out.sequence = h->sequence;
  out.step = h->step;
  out.time_s = h->time_s;
  return out;
}

BodyWrench wire_wrench_message(const double w[6]) {
  BodyWrench out = SAGBEND__V1__BODY_WRENCH__INIT;
  out.surge_n = w[0];
  out.sway_n = w[1];
  out.heave_n = w[2];
  out.roll_nm = w[3];
  out.pitch_nm = w[4];
  out.yaw_nm = w[5];
  return out;
}

size_t wire_pack(const ProtobufCMessage *m, uint8_t *out, size_t capacity) {
  struct wire_complaint complaint;
  if (wire_check(m, &complaint) != WIRE_OK || protobuf_c_message_get_packed_size(m) > capacity)
    return 0;
  return protobuf_c_message_pack(m, out);
}

size_t wire_pack_hello(const struct wire_header *h, const struct wire_hello *m, uint8_t *out,
                       size_t capacity) {
  Header header = wire_header_message(h);
  Sagbend__V1__Hello hello = SAGBEND__V1__HELLO__INIT;
  hello.header = &header;
  hello.controller_id = text_of(m->controller_id);
  hello.name = text_of(m->name);
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_HELLO;
  e.hello = &hello;
  return wire_pack(&e.base, out, capacity);
}

size_t wire_pack_welcome(const struct wire_header *h, const struct wire_welcome *m, uint8_t *out,
                         size_t capacity) {
  Header header = wire_header_message(h);
  BodyWrench hold = wire_wrench_message(m->hold_wrench_b), limit = wire_wrench_message(m->wrench_limit);
  Sagbend__V1__Welcome welcome = SAGBEND__V1__WELCOME__INIT;
  welcome.header = &header;
  welcome.name = text_of(m->name);
  welcome.config_hash = m->config_hash;
  welcome.step_s = m->step_s;
  welcome.sensor_period_s = m->sensor_period_s;
  welcome.mode = (Sagbend__V1__RunMode)(m->mode + 1);
  welcome.has_pipe = m->has_pipe;
  welcome.node_count = m->node_count;
  welcome.hold_wrench = &hold;
  welcome.wrench_limit = &limit;
  welcome.command_timeout_s = m->command_timeout_s;
  welcome.command_max_age_s = m->command_max_age_s;
  welcome.command_endpoint = text_of(m->command_endpoint);
  welcome.telemetry_endpoint = text_of(m->telemetry_endpoint);
  Sagbend__V1__Integrator integrator = SAGBEND__V1__INTEGRATOR__INIT;
  integrator.order = (uint32_t)m->order;
  integrator.vessel = (Sagbend__V1__VesselIntegrator)(m->integrator + 1);
  welcome.integrator = m->order > 0 ? &integrator : NULL;
  struct plant_message plant;
  wire_fill_plant(&m->plant, &plant, &welcome);
  struct welcome_message more;
  wire_fill_welcome(m, &more, &welcome);
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_WELCOME;
  e.welcome = &welcome;
  return wire_pack(&e.base, out, capacity);
}

size_t wire_pack_command(const struct wire_header *h, const struct wire_command *m, uint8_t *out,
                         size_t capacity) {
  Header header = wire_header_message(h);
  BodyWrench wrench = wire_wrench_message(m->command.wrench_b);
  Sagbend__V1__Standby standby = SAGBEND__V1__STANDBY__INIT;
  struct thruster_commands_message thrusters;
  Sagbend__V1__Command command = SAGBEND__V1__COMMAND__INIT;
  command.header = &header;
  command.controller_id = text_of(m->controller_id);
  command.based_on_step = m->command.based_on_step;
  if (m->command.standby) {
    command.effort_case = SAGBEND__V1__COMMAND__EFFORT_STANDBY;
    command.standby = &standby;
  } else if (m->command.thruster_count > 0) {
    wire_fill_thruster_commands(&m->command, &thrusters);
    command.effort_case = SAGBEND__V1__COMMAND__EFFORT_THRUSTERS;
    command.thrusters = &thrusters.message;
  } else {
    command.effort_case = SAGBEND__V1__COMMAND__EFFORT_WRENCH;
    command.wrench = &wrench;
  }
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND;
  e.command = &command;
  return wire_pack(&e.base, out, capacity);
}

size_t wire_pack_refusal(const struct wire_header *h, const struct wire_refusal *m, uint8_t *out,
                         size_t capacity) {
  Header header = wire_header_message(h);
  Sagbend__V1__Refusal refusal = SAGBEND__V1__REFUSAL__INIT;
  refusal.header = &header;
  refusal.reason = (Sagbend__V1__RefusalReason)(m->reason + 1);
  refusal.refused_sequence = m->refused_sequence;
  refusal.text = text_of(m->text);
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL;
  e.refusal = &refusal;
  return wire_pack(&e.base, out, capacity);
}

size_t wire_pack_event(const struct wire_header *h, const char *name, const char *text, enum wire_form form,
                       uint8_t *out, size_t capacity) {
  Header header = wire_header_message(h);
  Sagbend__V1__Event event = SAGBEND__V1__EVENT__INIT;
  event.header = &header;
  event.name = text_of(name);
  event.text = text_of(text);
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_EVENT;
  e.event = &event;
  return wire_pack(form == WIRE_PLAIN ? &event.base : &e.base, out, capacity);
}

size_t wire_pack_end(const struct wire_header *h, const char *why, enum wire_form form, uint8_t *out,
                     size_t capacity) {
  Header header = wire_header_message(h);
  Sagbend__V1__End end = SAGBEND__V1__END__INIT;
  end.header = &header;
  end.why = text_of(why);
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_END;
  e.end = &end;
  return wire_pack(form == WIRE_PLAIN ? &end.base : &e.base, out, capacity);
}
