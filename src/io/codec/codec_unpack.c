// Unpacking: into a bump arena on the stack, so that no input can make it allocate, then wire_check, then
// copies.
#include "io/codec/codec_parts.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <stdio.h>
#include <string.h>

enum { SCRATCH = 64 * 1024 };

struct scratch {
  size_t used;
  _Alignas(16) unsigned char bytes[SCRATCH];
};

static void *scratch_alloc(void *data, size_t size) {
  struct scratch *s = data;
  size_t rounded = (size + 15) / 16 * 16;
  if (rounded < size || rounded > SCRATCH - s->used)
    return NULL;
  void *at = s->bytes + s->used;
  s->used += rounded;
  return at;
}

static void scratch_free(void *data, void *at) {
  (void)data;
  (void)at;
}

static int copy_text(char *out, size_t size, const char *text) {
  return (size_t)snprintf(out, size, "%s", text) < size;
}

static void copy_wrench(const Sagbend__V1__BodyWrench *w, double out[6]) {
  const double values[6] = {w->surge_n, w->sway_n, w->heave_n, w->roll_nm, w->pitch_nm, w->yaw_nm};
  memcpy(out, values, sizeof values);
}

static const char *read_hello(const Sagbend__V1__Hello *m, struct wire_hello *out) {
  if (!*m->controller_id || !copy_text(out->controller_id, sizeof out->controller_id, m->controller_id))
    return "controller_id: 1 to 63 characters expected";
  if (!*m->name || !copy_text(out->name, sizeof out->name, m->name))
    return "name: 1 to 63 characters expected";
  return NULL;
}

static const char *read_welcome(const Sagbend__V1__Welcome *m, struct wire_welcome *out) {
  if (!m->hold_wrench || !m->wrench_limit)
    return "hold_wrench, wrench_limit: expected in a Welcome";
  if (!(m->step_s > 0) || !(m->sensor_period_s > 0))
    return "step_s, sensor_period_s: a positive number expected";
  if (!copy_text(out->name, sizeof out->name, m->name) ||
      !copy_text(out->command_endpoint, sizeof out->command_endpoint, m->command_endpoint) ||
      !copy_text(out->telemetry_endpoint, sizeof out->telemetry_endpoint, m->telemetry_endpoint))
    return "name or endpoint: too long";
  out->config_hash = m->config_hash;
  out->step_s = m->step_s;
  out->sensor_period_s = m->sensor_period_s;
  out->mode = (enum run_mode)(m->mode - 1);
  out->has_pipe = m->has_pipe;
  out->node_count = m->node_count;
  copy_wrench(m->hold_wrench, out->hold_wrench_b);
  copy_wrench(m->wrench_limit, out->wrench_limit);
  out->command_timeout_s = m->command_timeout_s;
  out->command_max_age_s = m->command_max_age_s;
  out->order = m->integrator ? (int)m->integrator->order : 0;
  out->integrator = m->integrator ? (enum vessel_integrator)(m->integrator->vessel - 1) : VESSEL_STRANG;
  const char *wrong = wire_read_plant(m, &out->plant);
  return wrong ? wrong : wire_read_welcome(m, out);
}

static const char *read_command(const Sagbend__V1__Command *m, struct wire_command *out) {
  if (!*m->controller_id || !copy_text(out->controller_id, sizeof out->controller_id, m->controller_id))
    return "controller_id: 1 to 63 characters expected";
  out->command.sequence = m->header->sequence;
  out->command.based_on_step = m->based_on_step;
  if (m->effort_case == SAGBEND__V1__COMMAND__EFFORT_WRENCH && m->wrench)
    copy_wrench(m->wrench, out->command.wrench_b);
  else if (m->effort_case == SAGBEND__V1__COMMAND__EFFORT_STANDBY)
    out->command.standby = 1;
  else if (m->effort_case == SAGBEND__V1__COMMAND__EFFORT_THRUSTERS && m->thrusters)
    return wire_read_thruster_commands(m->thrusters, &out->command);
  else
    return "wrench, thrusters or standby expected";
  return NULL;
}

static const char *read_refusal(const Sagbend__V1__Refusal *m, struct wire_refusal *out) {
  out->reason = (enum refusal)(m->reason - 1);
  out->refused_sequence = m->refused_sequence;
  copy_text(out->text, sizeof out->text, m->text);
  return NULL;
}

static const char *read_sensors(const Sagbend__V1__Sensors *m, struct wire_sensors *out) {
  if (!m->applied_wrench)
    return "applied_wrench: expected in Sensors";
  const double values[12] = {m->position_north_m,   m->position_east_m,   m->position_down_m,
                             m->roll_rad,           m->pitch_rad,         m->heading_rad,
                             m->velocity_north_mps, m->velocity_east_mps, m->velocity_down_mps,
                             m->roll_rate_radps,    m->pitch_rate_radps,  m->heading_rate_radps};
  struct dp_sensors *dp = &out->dp;
  dp->step = m->header->step;
  dp->time_s = m->header->time_s;
  memcpy(dp->position_n_m, values, sizeof dp->position_n_m);
  memcpy(dp->euler_rad, values + 3, sizeof dp->euler_rad);
  memcpy(dp->velocity_n_mps, values + 6, sizeof dp->velocity_n_mps);
  memcpy(dp->euler_rate_radps, values + 9, sizeof dp->euler_rate_radps);
  copy_wrench(m->applied_wrench, dp->applied_wrench_b);
  out->command_state = (enum command_state)(m->command_state - 1);
  out->command_sequence = m->command_sequence;
  out->command_based_on_step = m->command_based_on_step;
  out->has_pipe = m->pipe != NULL;
  if (m->pipe) {
    dp->hangoff_tension_n = m->pipe->hangoff_tension_n;
    dp->hangoff_angle_rad = m->pipe->hangoff_angle_rad;
    dp->hangoff_lean_rad = m->pipe->hangoff_lean_rad;
    dp->hangoff_azimuth_rad = m->pipe->hangoff_azimuth_rad;
  }
  const char *missing = wire_read_thrusters(m, &dp->readings);
  return missing || !m->instruments ? missing : wire_read_instruments(m->instruments, &dp->readings);
}

static const char *read_event(const char *name, const char *text, struct wire_event *out) {
  copy_text(out->name, sizeof out->name, name);
  copy_text(out->text, sizeof out->text, text);
  return NULL;
}

// The message in the envelope: its kind, its header, and what is missing if it is not complete.
static const char *read_message(const Sagbend__V1__Envelope *e, struct wire_message *out) {
  out->kind = (enum wire_kind)e->message_case; // numbered alike
  switch (out->kind) {
  case WIRE_HELLO:
    return read_hello(e->hello, &out->as.hello);
  case WIRE_WELCOME:
    return read_welcome(e->welcome, &out->as.welcome);
  case WIRE_COMMAND:
    return read_command(e->command, &out->as.command);
  case WIRE_REFUSAL:
    return read_refusal(e->refusal, &out->as.refusal);
  case WIRE_SENSORS:
    return read_sensors(e->sensors, &out->as.sensors);
  case WIRE_EVENT:
    return read_event(e->event->name, e->event->text, &out->as.event);
  case WIRE_END:
    return read_event("end", e->end->why, &out->as.event);
  case WIRE_ORDER:
    return wire_read_order(e->order, &out->as.order);
  case WIRE_RECEIPT:
    return wire_read_receipt(e->receipt, &out->as.receipt);
  default:
    return "an empty envelope";
  }
}

_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_HELLO == (int)WIRE_HELLO, "numbered alike");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND == (int)WIRE_COMMAND, "numbered alike");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS == (int)WIRE_SENSORS, "numbered alike");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_END == (int)WIRE_END, "numbered alike");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT == (int)WIRE_RECEIPT, "numbered alike");
_Static_assert(SAGBEND__V1__REFUSAL_REASON__REFUSAL_REASON_NOT_CONTROLLER ==
                       (int)REFUSED_NOT_CONTROLLER + 1 &&
                   (int)REFUSED_NOT_CONTROLLER + 1 == (int)REFUSAL_COUNT,
               "the same reasons in the same order, after the unspecified one");
_Static_assert(SAGBEND__V1__COMMAND_STATE__COMMAND_STATE_LOST == (int)COMMAND_LOST + 1, "in the same order");
_Static_assert(SAGBEND__V1__RUN_MODE__RUN_MODE_FAST == (int)RUN_FAST + 1, "in the same order");

// The header of whichever message it is; NULL if there is none.
static const Sagbend__V1__Header *header_of(const Sagbend__V1__Envelope *e) {
  switch (e->message_case) {
  case SAGBEND__V1__ENVELOPE__MESSAGE_HELLO:
    return e->hello ? e->hello->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_WELCOME:
    return e->welcome ? e->welcome->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND:
    return e->command ? e->command->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL:
    return e->refusal ? e->refusal->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS:
    return e->sensors ? e->sensors->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_EVENT:
    return e->event ? e->event->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_END:
    return e->end ? e->end->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_ORDER:
    return e->order ? e->order->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT:
    return e->receipt ? e->receipt->header : NULL;
  default:
    return NULL;
  }
}

static enum wire_result refuse(struct reason *why, enum wire_result result, const char *text) {
  fail(why, STATUS_BAD_INPUT, "%s", text);
  return result;
}

static enum wire_result read_envelope(const Sagbend__V1__Envelope *e, struct wire_message *out,
                                      struct reason *why) {
  const Sagbend__V1__Header *h = header_of(e);
  if (!h || h->protocol == 0)
    return refuse(why, WIRE_MALFORMED, "a header with a protocol number expected");
  out->header.sequence = h->sequence;
  if (h->protocol != WIRE_PROTOCOL) {
    fail(why, STATUS_BAD_INPUT, "protocol %d expected, got %u", WIRE_PROTOCOL, (unsigned)h->protocol);
    return WIRE_OTHER_PROTOCOL;
  }
  struct wire_complaint complaint = {"", ""};
  enum wire_result checked = wire_check(&e->base, &complaint);
  if (checked == WIRE_MALFORMED) {
    fail(why, STATUS_BAD_INPUT, "%s: %s", complaint.field, complaint.text);
    return checked;
  }
  if (!copy_text(out->header.session, sizeof out->header.session, h->session))
    return refuse(why, WIRE_MALFORMED, "session: at most 63 characters expected");
  out->header.step = h->step;
  out->header.time_s = h->time_s;
  if (checked == WIRE_NOT_FINITE) {
    fail(why, STATUS_BAD_INPUT, "%s: %s", complaint.field, complaint.text);
    return checked;
  }
  const char *missing = read_message(e, out);
  return missing ? refuse(why, WIRE_MALFORMED, missing) : WIRE_OK;
}

enum wire_result wire_unpack(const void *data, size_t size, struct wire_message *out, struct reason *why) {
  memset(out, 0, sizeof *out);
  if (size == 0 || size > WIRE_MAX_ENVELOPE) {
    fail(why, STATUS_BAD_INPUT, "1 to %d bytes expected, got %zu", WIRE_MAX_ENVELOPE, size);
    return WIRE_MALFORMED;
  }
  struct scratch scratch;
  scratch.used = 0;
  ProtobufCAllocator allocator = {scratch_alloc, scratch_free, &scratch};
  const Sagbend__V1__Envelope *e = sagbend__v1__envelope__unpack(&allocator, size, data);
  if (!e)
    return refuse(why, WIRE_MALFORMED, "not an Envelope of sagbend.v1");
  enum wire_result result = read_envelope(e, out, why);
  if (result != WIRE_OK)
    out->kind = WIRE_NONE;
  return result;
}
