// Packing: messages are put together on the stack, checked as on arrival, and written to the caller's buffer.
#include "io/codec_parts.h"

#include "math/trig.h"
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
  const char *field;
  if (wire_check(m, &field) != WIRE_OK || protobuf_c_message_get_packed_size(m) > capacity)
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
  Sagbend__V1__Command command = SAGBEND__V1__COMMAND__INIT;
  command.header = &header;
  command.controller_id = text_of(m->controller_id);
  command.based_on_step = m->command.based_on_step;
  if (m->command.standby) {
    command.effort_case = SAGBEND__V1__COMMAND__EFFORT_STANDBY;
    command.standby = &standby;
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

void dp_sensors_of_output(const struct sim_output *o, struct dp_sensors *out) {
  memset(out, 0, sizeof *out);
  out->step = o->step;
  out->time_s = o->time_s;
  memcpy(out->position_n_m, o->position_n_m, sizeof out->position_n_m);
  memcpy(out->euler_rad, o->euler_rad, sizeof out->euler_rad);
  memcpy(out->velocity_n_mps, o->velocity_n_mps, sizeof out->velocity_n_mps);
  memcpy(out->euler_rate_radps, o->euler_rate_radps, sizeof out->euler_rate_radps);
  memcpy(out->applied_wrench_b, o->control_wrench_b, sizeof out->applied_wrench_b);
  if (!o->has_pipe)
    return;
  out->hangoff_tension_n = o->hangoff_tension_n;
  out->hangoff_angle_rad = o->hangoff_angle_rad;
  out->hangoff_azimuth_rad = trig_atan2(o->hangoff_force_n_n[1], o->hangoff_force_n_n[0]);
}

static void fill_pipe_sensors(const struct sim_output *o, const struct dp_sensors *dp,
                              Sagbend__V1__Touchdown *touchdown, Sagbend__V1__PipeSensors *pipe) {
  pipe->hangoff_tension_n = dp->hangoff_tension_n;
  pipe->hangoff_angle_rad = dp->hangoff_angle_rad;
  pipe->hangoff_azimuth_rad = dp->hangoff_azimuth_rad;
  pipe->max_curvature_1pm = o->max_curvature_1pm;
  pipe->max_curvature_arc_length_m = o->max_curvature_s_m;
  if (o->touchdown_s_m != o->touchdown_s_m) // NaN: no contact
    return;
  touchdown->north_m = o->touchdown_n_m[0];
  touchdown->east_m = o->touchdown_n_m[1];
  touchdown->down_m = o->touchdown_n_m[2];
  touchdown->arc_length_m = o->touchdown_s_m;
  touchdown->layback_m = o->layback_m;
  pipe->touchdown = touchdown;
}

static void fill_sensors(const struct dp_sensors *dp, Sagbend__V1__Sensors *s) {
  s->position_north_m = dp->position_n_m[0];
  s->position_east_m = dp->position_n_m[1];
  s->position_down_m = dp->position_n_m[2];
  s->roll_rad = dp->euler_rad[0];
  s->pitch_rad = dp->euler_rad[1];
  s->heading_rad = dp->euler_rad[2];
  s->velocity_north_mps = dp->velocity_n_mps[0];
  s->velocity_east_mps = dp->velocity_n_mps[1];
  s->velocity_down_mps = dp->velocity_n_mps[2];
  s->roll_rate_radps = dp->euler_rate_radps[0];
  s->pitch_rate_radps = dp->euler_rate_radps[1];
  s->heading_rate_radps = dp->euler_rate_radps[2];
}

size_t wire_pack_sensors(const struct wire_header *h, const struct frame *f, enum wire_form form,
                         uint8_t *out, size_t capacity) {
  struct dp_sensors dp;
  dp_sensors_of_output(&f->output, &dp);
  Header header = wire_header_message(h);
  BodyWrench applied = wire_wrench_message(dp.applied_wrench_b);
  Sagbend__V1__Touchdown touchdown = SAGBEND__V1__TOUCHDOWN__INIT;
  Sagbend__V1__PipeSensors pipe = SAGBEND__V1__PIPE_SENSORS__INIT;
  Sagbend__V1__Sensors s = SAGBEND__V1__SENSORS__INIT;
  s.header = &header;
  fill_sensors(&dp, &s);
  s.applied_wrench = &applied;
  s.command_state = (Sagbend__V1__CommandState)(f->command_state + 1);
  s.command_sequence = f->command_sequence;
  s.command_based_on_step = f->command_based_on_step;
  if (f->output.has_pipe) {
    fill_pipe_sensors(&f->output, &dp, &touchdown, &pipe);
    s.pipe = &pipe;
  }
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS;
  e.sensors = &s;
  return wire_pack(form == WIRE_PLAIN ? &s.base : &e.base, out, capacity);
}
