// Unpacking: into an arena on the stack, so that no input causes memory to be allocated; then wire_check,
// then copies into plain structs.
#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include "sagbend/base/base.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 64 * 1024 };

struct scratch {
  size_t used;
  _Alignas(16) unsigned char bytes[SCRATCH];
};

static void *scratch_alloc(void *data, size_t size) {
  struct scratch *scratch = data;
  size_t rounded = (size + 15) / 16 * 16;
  if (rounded < size || rounded > SCRATCH - scratch->used)
    return NULL;
  void *at = scratch->bytes + scratch->used;
  scratch->used += rounded;
  return at;
}

static void scratch_free(void *data, void *at) {
  (void)data;
  (void)at;
}

static int copy_text(char *out, size_t size, const char *text) {
  size_t length = strlen(text), kept = length < size ? length : size - 1;
  memcpy(out, text, kept);
  out[kept] = '\0';
  return kept == length;
}

static void copy_wrench(const Sagbend__V1__BodyWrench *wrench, double out[6]) {
  const double values[6] = {wrench->surge_n, wrench->sway_n,   wrench->heave_n,
                            wrench->roll_nm, wrench->pitch_nm, wrench->yaw_nm};
  memcpy(out, values, sizeof values);
}

static enum status read_hello(const Sagbend__V1__Hello *message, struct wire_hello *out, struct reason *why) {
  if (!*message->controller_id ||
      !copy_text(out->controller_id, sizeof out->controller_id, message->controller_id))
    return fail(why, STATUS_BAD_INPUT, "controller_id: 1 to 63 characters expected");
  if (!*message->name || !copy_text(out->name, sizeof out->name, message->name))
    return fail(why, STATUS_BAD_INPUT, "name: 1 to 63 characters expected");
  if (!peer_name_is_valid(out->name))
    return fail(why, STATUS_BAD_INPUT, "name: a name without blanks at its ends expected, got '%s'",
                out->name);
  if (!out->name[strspn(out->name, "0123456789")])
    return fail(why, STATUS_BAD_INPUT,
                "name: at least one character other than a digit expected, got '%s': a number is no name",
                out->name);
  return STATUS_OK;
}

static enum status read_welcome(const Sagbend__V1__Welcome *message, struct wire_welcome *out,
                                struct reason *why) {
  if (!message->initial_holding_force || !message->wrench_limit)
    return fail(why, STATUS_BAD_INPUT, "a Welcome needs initial_holding_force and wrench_limit");
  if (!(message->step_s > 0) || !(message->sensor_period_s > 0))
    return fail(why, STATUS_BAD_INPUT, "step_s, sensor_period_s: a positive number expected");
  if (!copy_text(out->name, sizeof out->name, message->name) ||
      !copy_text(out->command_endpoint, sizeof out->command_endpoint, message->command_endpoint) ||
      !copy_text(out->telemetry_endpoint, sizeof out->telemetry_endpoint, message->telemetry_endpoint))
    return fail(why, STATUS_BAD_INPUT, "name or endpoint: too long");
  out->config_hash = message->config_hash;
  out->step_s = message->step_s;
  out->sensor_period_s = message->sensor_period_s;
  out->mode = (enum run_mode)(message->mode - 1);
  out->has_pipe = message->has_pipe;
  out->node_count = message->node_count;
  copy_wrench(message->initial_holding_force, out->initial_holding_force_b);
  copy_wrench(message->wrench_limit, out->wrench_limit);
  out->command_timeout_s = message->command_timeout_s;
  out->command_max_age_s = message->command_max_age_s;
  out->order = message->integrator ? (int)message->integrator->order : 0;
  out->integrator =
      message->integrator ? (enum vessel_integrator)(message->integrator->vessel - 1) : VESSEL_STRANG;
  enum status status = wire_read_plant(message, &out->plant, why);
  return status == STATUS_OK ? wire_read_welcome(message, out, why) : status;
}

static enum status read_command(const Sagbend__V1__Command *message, struct wire_command *out,
                                struct reason *why) {
  if (!*message->controller_id ||
      !copy_text(out->controller_id, sizeof out->controller_id, message->controller_id))
    return fail(why, STATUS_BAD_INPUT, "controller_id: 1 to 63 characters expected");
  out->command.sequence = message->header->sequence;
  out->command.based_on_step = message->based_on_step;
  out->is_shadow = message->shadow != 0;
  if (!copy_text(out->hand_over, sizeof out->hand_over, message->hand_over))
    return fail(why, STATUS_BAD_INPUT,
                "hand_over: the name of a controller, at most 23 characters, expected");
  if (out->is_shadow && *out->hand_over)
    return fail(why, STATUS_BAD_INPUT, "hand_over is not allowed with shadow");
  if (message->estimate) {
    out->has_estimate = 1;
    out->estimate[0] = message->estimate->north_m;
    out->estimate[1] = message->estimate->east_m;
    out->estimate[2] = message->estimate->heading_rad;
  }
  if (wire_read_tensioner_command(message->tensioner, &out->command.tensioner, why) != STATUS_OK ||
      wire_read_stops(message->emergency_stop, message->n_emergency_stop, &out->command.stops, why) !=
          STATUS_OK ||
      wire_read_consequence(message->consequence, &out->command.consequence, NULL, why) != STATUS_OK ||
      wire_read_alarms(message->alarm, message->n_alarm, &out->alarms, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (message->effort_case == SAGBEND__V1__COMMAND__EFFORT_WRENCH && message->wrench)
    copy_wrench(message->wrench, out->command.wrench_b);
  else if (message->effort_case == SAGBEND__V1__COMMAND__EFFORT_STANDBY)
    out->command.standby = 1;
  else if (message->effort_case == SAGBEND__V1__COMMAND__EFFORT_THRUSTERS && message->thrusters)
    return wire_read_thruster_commands(message->thrusters, &out->command, why);
  else
    return fail(why, STATUS_BAD_INPUT, "wrench, thrusters or standby expected");
  return STATUS_OK;
}

static enum status read_refusal(const Sagbend__V1__Refusal *message, struct wire_refusal *out) {
  out->reason = (enum refusal)(message->reason - 1);
  out->refused_sequence = message->refused_sequence;
  copy_text(out->text, sizeof out->text, message->text);
  return STATUS_OK;
}

static enum status read_sensors(const Sagbend__V1__Sensors *message, struct wire_sensors *out,
                                struct reason *why) {
  if (!message->applied_wrench)
    return fail(why, STATUS_BAD_INPUT, "Sensors need applied_wrench");
  const double values[12] = {
      message->position_north_m,   message->position_east_m,   message->position_down_m,
      message->roll_rad,           message->pitch_rad,         message->heading_rad,
      message->velocity_north_mps, message->velocity_east_mps, message->velocity_down_mps,
      message->roll_rate_radps,    message->pitch_rate_radps,  message->heading_rate_radps};
  struct dp_sensors *dp = &out->dp;
  dp->step = message->header->step;
  dp->time_s = message->header->time_s;
  memcpy(dp->position_n_m, values, sizeof dp->position_n_m);
  memcpy(dp->euler_rad, values + 3, sizeof dp->euler_rad);
  memcpy(dp->velocity_n_mps, values + 6, sizeof dp->velocity_n_mps);
  memcpy(dp->euler_rate_radps, values + 9, sizeof dp->euler_rate_radps);
  copy_wrench(message->applied_wrench, dp->applied_wrench_b);
  out->command_state = (enum command_state)(message->command_state - 1);
  out->command_sequence = message->command_sequence;
  dp->command_based_on_step = message->command_based_on_step;
  out->has_pipe = message->pipe != NULL;
  if (message->pipe) {
    dp->hangoff_tension_n = message->pipe->hangoff_tension_n;
    dp->hangoff_angle_rad = message->pipe->hangoff_angle_rad;
    dp->hangoff_lean_rad = message->pipe->hangoff_lean_rad;
    dp->hangoff_azimuth_rad = message->pipe->hangoff_azimuth_rad;
    dp->has_tensioner = message->pipe->tensioner != NULL;
    if (dp->has_tensioner) {
      dp->paid_out_m = message->pipe->paid_out_m;
      dp->tensioner_mode = (int)message->pipe->tensioner->mode - 1;
    }
  }
  enum status status = wire_read_thrusters(message, &dp->readings, why);
  if (status == STATUS_OK)
    status = wire_read_power(message, &dp->readings.power, why);
  if (status == STATUS_OK && message->instruments)
    status = wire_read_instruments(message->instruments, &dp->readings, why);
  return status;
}

static enum status read_event(const char *name, const char *text, struct wire_event *out) {
  copy_text(out->name, sizeof out->name, name);
  copy_text(out->text, sizeof out->text, text);
  return STATUS_OK;
}

// Reads the message in the envelope.
static enum status read_message(const Sagbend__V1__Envelope *envelope, struct wire_message *out,
                                struct reason *why) {
  out->kind = (enum wire_kind)envelope->message_case; // the numbers are equal
  switch (out->kind) {
  case WIRE_HELLO:
    return read_hello(envelope->hello, &out->as.hello, why);
  case WIRE_WELCOME:
    return read_welcome(envelope->welcome, &out->as.welcome, why);
  case WIRE_COMMAND:
    return read_command(envelope->command, &out->as.command, why);
  case WIRE_REFUSAL:
    return read_refusal(envelope->refusal, &out->as.refusal);
  case WIRE_SENSORS:
    return read_sensors(envelope->sensors, &out->as.sensors, why);
  case WIRE_EVENT:
    return read_event(envelope->event->name, envelope->event->text, &out->as.event);
  case WIRE_END:
    return read_event("end", envelope->end->why, &out->as.event);
  case WIRE_ORDER:
    return wire_read_order(envelope->order, &out->as.order, why);
  case WIRE_RECEIPT:
    out->as.received_sequence = envelope->receipt->received_sequence;
    return STATUS_OK;
  case WIRE_STATUS:
    return wire_read_hold(envelope->status->pause, &out->as.hold, why);
  case WIRE_CONTROLLER_VIEW:
    return wire_read_controller_view(envelope->controller_view, &out->as.view, why);
  default:
    return fail(why, STATUS_BAD_INPUT, "an empty envelope");
  }
}

_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_HELLO == (int)WIRE_HELLO, "the numbers are equal");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND == (int)WIRE_COMMAND, "the numbers are equal");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS == (int)WIRE_SENSORS, "the numbers are equal");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_END == (int)WIRE_END, "the numbers are equal");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_STATUS == (int)WIRE_STATUS, "the numbers are equal");
_Static_assert(SAGBEND__V1__ENVELOPE__MESSAGE_CONTROLLER_VIEW == (int)WIRE_CONTROLLER_VIEW,
               "the numbers are equal");
_Static_assert(SAGBEND__V1__REFUSAL_REASON__REFUSAL_REASON_STANDBY == (int)REFUSED_STANDBY + 1 &&
                   (int)REFUSED_STANDBY + 1 == (int)REFUSALS_OF_MESSAGES,
               "the same reasons in the same order, after the unspecified one");
_Static_assert(SAGBEND__V1__COMMAND_STATE__COMMAND_STATE_LOST == (int)COMMAND_LOST + 1, "in the same order");
_Static_assert(SAGBEND__V1__RUN_MODE__RUN_MODE_FAST == (int)RUN_FAST + 1, "in the same order");

// The header of the message, of whatever kind; NULL: there is none.
static const Sagbend__V1__Header *header_of(const Sagbend__V1__Envelope *envelope) {
  switch (envelope->message_case) {
  case SAGBEND__V1__ENVELOPE__MESSAGE_HELLO:
    return envelope->hello ? envelope->hello->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_WELCOME:
    return envelope->welcome ? envelope->welcome->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND:
    return envelope->command ? envelope->command->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL:
    return envelope->refusal ? envelope->refusal->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS:
    return envelope->sensors ? envelope->sensors->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_EVENT:
    return envelope->event ? envelope->event->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_END:
    return envelope->end ? envelope->end->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_ORDER:
    return envelope->order ? envelope->order->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT:
    return envelope->receipt ? envelope->receipt->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_STATUS:
    return envelope->status ? envelope->status->header : NULL;
  case SAGBEND__V1__ENVELOPE__MESSAGE_CONTROLLER_VIEW:
    return envelope->controller_view ? envelope->controller_view->header : NULL;
  default:
    return NULL;
  }
}

static enum wire_result refuse(struct reason *why, enum wire_result result, const char *text) {
  fail(why, STATUS_BAD_INPUT, "%s", text);
  return result;
}

static enum wire_result read_envelope(const Sagbend__V1__Envelope *envelope, struct wire_message *out,
                                      struct reason *why) {
  const Sagbend__V1__Header *header = header_of(envelope);
  if (!header || header->protocol == 0)
    return refuse(why, WIRE_MALFORMED, "a header with a protocol number expected");
  out->header.sequence = header->sequence;
  if (header->protocol != WIRE_PROTOCOL) {
    fail(why, STATUS_BAD_INPUT, "protocol %d expected, got %u", WIRE_PROTOCOL, (unsigned)header->protocol);
    return WIRE_OTHER_PROTOCOL;
  }
  struct wire_error error = {"", ""};
  enum wire_result checked = wire_check(&envelope->base, &error);
  if (checked == WIRE_MALFORMED) {
    fail(why, STATUS_BAD_INPUT, "%s: %s", error.field, error.text);
    return checked;
  }
  if (!copy_text(out->header.session, sizeof out->header.session, header->session))
    return refuse(why, WIRE_MALFORMED, "session: at most 63 characters expected");
  out->header.step = header->step;
  out->header.time_s = header->time_s;
  if (checked == WIRE_NOT_FINITE) {
    fail(why, STATUS_BAD_INPUT, "%s: %s", error.field, error.text);
    return checked;
  }
  return read_message(envelope, out, why) == STATUS_OK ? WIRE_OK : WIRE_MALFORMED;
}

// To be cleared: the messages of every step are much smaller than the largest one.
static size_t bytes_of(enum wire_kind kind) {
  const struct wire_message *message = NULL;
  return kind == WIRE_COMMAND   ? sizeof message->as.command
         : kind == WIRE_SENSORS ? sizeof message->as.sensors
                                : sizeof message->as;
}

enum wire_result wire_unpack(const void *data, size_t size, struct wire_message *out, struct reason *why) {
  memset(out, 0, offsetof(struct wire_message, as));
  if (size == 0 || size > WIRE_MAX_ENVELOPE) {
    fail(why, STATUS_BAD_INPUT, "1 to %d bytes expected, got %zu", WIRE_MAX_ENVELOPE, size);
    return WIRE_MALFORMED;
  }
  struct scratch scratch;
  scratch.used = 0;
  ProtobufCAllocator allocator = {scratch_alloc, scratch_free, &scratch};
  const Sagbend__V1__Envelope *envelope = sagbend__v1__envelope__unpack(&allocator, size, data);
  if (!envelope)
    return refuse(why, WIRE_MALFORMED, "not an Envelope of sagbend.v1");
  out->meant = (enum wire_kind)envelope->message_case;
  memset(&out->as, 0, bytes_of(out->meant));
  enum wire_result result = read_envelope(envelope, out, why);
  if (result != WIRE_OK)
    out->kind = WIRE_NONE;
  return result;
}

static void *take_memory(void *is_no_memory, size_t size) {
  void *taken = malloc(size);
  if (!taken)
    *(int *)is_no_memory = 1;
  return taken;
}

static void give_back(void *is_no_memory, void *taken) {
  (void)is_no_memory;
  free(taken);
}

ProtobufCMessage *wire_unpack_any(const ProtobufCMessageDescriptor *type, const void *data, size_t size,
                                  int *is_no_memory) {
  *is_no_memory = 0;
  ProtobufCAllocator allocator = {take_memory, give_back, is_no_memory};
  return protobuf_c_message_unpack(type, &allocator, size, data);
}

Sagbend__V1__Receipt *wire_open_receipt(const void *data, size_t size) {
  Sagbend__V1__Envelope *envelope = sagbend__v1__envelope__unpack(NULL, size, data);
  Sagbend__V1__Receipt *receipt = NULL;
  if (envelope && envelope->message_case == SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT) {
    receipt = envelope->receipt;
    envelope->message_case = SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET;
  }
  if (envelope)
    sagbend__v1__envelope__free_unpacked(envelope, NULL);
  return receipt;
}

void wire_free_receipt(Sagbend__V1__Receipt *receipt) {
  if (receipt)
    sagbend__v1__receipt__free_unpacked(receipt, NULL);
}
