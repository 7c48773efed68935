// Sensors: the exact state, or the readings of the instruments and the feedback of the thrusters. The
// messages of all instruments have one form, a Telegram and then one number for each channel, so one function
// fills and reads them through their descriptors.
#include "net/messages/messages_internal.h"

#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/envelope.pb-c.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Room for one message of any instrument.
union instrument_message {
  ProtobufCMessage base;
#define INSTRUMENT(id, name, message, ...) Sagbend__V1__##message name;
#include "sagbend/signals/instruments.inc"
};

// A message has a telegram and a number for each channel, and the lists of Instruments are in the order of
// the kinds.
#define INSTRUMENT(id, name, message, ...)                                                                   \
  typedef Sagbend__V1__##message message_of_##id;                                                            \
  _Static_assert(offsetof(Sagbend__V1__Instruments, n_##name) ==                                             \
                     sizeof(ProtobufCMessage) + INSTRUMENT_##id * (sizeof(size_t) + sizeof(void *)),         \
                 "lists in the order of the kinds");
#include "sagbend/signals/instruments.inc"

// A struct for each kind, of what its rows ask for: a message with a number more or less is another size.
struct channels_of_none {
  char none;
#define INSTRUMENT(id, name, message, ...)                                                                   \
  }                                                                                                          \
  ;                                                                                                          \
  struct channels_of_##id {                                                                                  \
    ProtobufCMessage base;                                                                                   \
    Sagbend__V1__Telegram *telegram;
#define CHANNEL(id, channel, ...) double channel_##channel;
#include "sagbend/signals/instruments.inc"
};
#define INSTRUMENT(id, name, ...)                                                                            \
  _Static_assert(sizeof(message_of_##id) == sizeof(struct channels_of_##id), "a number for each channel");
#include "sagbend/signals/instruments.inc"
_Static_assert(sizeof(Sagbend__V1__Instruments) ==
                   sizeof(ProtobufCMessage) + INSTRUMENT_COUNT * (sizeof(size_t) + sizeof(void *)),
               "a list for each kind");

struct instrument_messages {
  Sagbend__V1__Instruments all;
  Sagbend__V1__Telegram telegram[MAX_INSTRUMENTS];
  union instrument_message message[MAX_INSTRUMENTS];
  ProtobufCMessage *list[INSTRUMENT_COUNT][MAX_INSTRUMENTS];
};

// The lists in Instruments are in the order of the kinds.
static const ProtobufCFieldDescriptor *list_field(int kind) {
  return &sagbend__v1__instruments__descriptor.fields[kind];
}

static void *member(void *message, const ProtobufCFieldDescriptor *field) {
  return (char *)message + field->offset;
}

static void fill_instrument(const struct reading *reading, Sagbend__V1__Telegram *telegram,
                            ProtobufCMessage *message) {
  const ProtobufCMessageDescriptor *type = list_field((int)reading->kind)->descriptor;
  protobuf_c_message_init(type, message);
  sagbend__v1__telegram__init(telegram);
  telegram->name = (char *)(uintptr_t)reading->name; // packing only reads it
  telegram->valid = reading->valid != 0;
  telegram->sequence = reading->sequence;
  telegram->time_s = reading->time_s;
  memcpy(member(message, &type->fields[0]), &telegram, sizeof telegram);
  for (int c = 0; c < instrument_channel_count(reading->kind); c++)
    memcpy(member(message, &type->fields[1 + c]), &reading->value[c], sizeof reading->value[c]);
}

static void fill_instruments(const struct readings *readings, uint32_t received,
                             struct instrument_messages *out) {
  sagbend__v1__instruments__init(&out->all);
  for (int i = 0; i < readings->instrument_count; i++) {
    if (!(received >> i & 1u))
      continue;
    int kind = (int)readings->instrument[i].kind;
    const ProtobufCFieldDescriptor *field = list_field(kind);
    size_t *count = (size_t *)(void *)((char *)&out->all + field->quantifier_offset);
    ProtobufCMessage **list = out->list[kind];
    fill_instrument(&readings->instrument[i], &out->telegram[i], &out->message[i].base);
    list[(*count)++] = &out->message[i].base;
    memcpy(member(&out->all, field), &list, sizeof list);
  }
}

struct thruster_messages {
  Sagbend__V1__ThrusterFeedback feedback[MAX_THRUSTERS], *list[MAX_THRUSTERS];
};

static void fill_thrusters(const struct readings *readings, struct thruster_messages *out,
                           Sagbend__V1__Sensors *sensors) {
  for (int i = 0; i < readings->thruster_count; i++) {
    const struct thruster_feedback *thruster = &readings->thruster[i];
    Sagbend__V1__ThrusterFeedback *feedback = out->list[i] = &out->feedback[i];
    sagbend__v1__thruster_feedback__init(feedback);
    feedback->name = (char *)(uintptr_t)thruster->name;
    feedback->running = thruster->running != 0;
    feedback->ready = thruster->ready != 0;
    feedback->revolutions_rpm = thruster->revolutions_rpm;
    feedback->pitch = thruster->pitch;
    feedback->azimuth_rad = thruster->azimuth_rad;
    feedback->power_w = thruster->power_w;
    feedback->emergency_stopped = thruster->stopped != 0;
  }
  sensors->n_thruster = (size_t)readings->thruster_count;
  sensors->thruster = out->list;
  sensors->power_available_w = readings->power_available_w;
  sensors->power_used_w = readings->power_used_w;
}

struct power_messages {
  Sagbend__V1__BusFeedback bus[MAX_BUSES], *buses[MAX_BUSES];
  Sagbend__V1__GeneratorFeedback generator[MAX_GENERATORS], *generators[MAX_GENERATORS];
  Sagbend__V1__TieFeedback tie[MAX_TIES], *ties[MAX_TIES];
};

static void fill_power(const struct power_feedback *power, struct power_messages *out,
                       Sagbend__V1__Sensors *sensors) {
  for (int i = 0; i < power->bus_count; i++) {
    const struct bus_feedback *from = &power->bus[i];
    Sagbend__V1__BusFeedback *to = out->buses[i] = &out->bus[i];
    sagbend__v1__bus_feedback__init(to);
    to->name = (char *)(uintptr_t)from->name;
    to->supplied = from->supplied != 0;
    to->available_w = from->available_w;
    to->load_w = from->load_w;
    to->frequency = from->frequency;
    to->voltage = from->voltage;
  }
  for (int i = 0; i < power->generator_count; i++) {
    Sagbend__V1__GeneratorFeedback *to = out->generators[i] = &out->generator[i];
    sagbend__v1__generator_feedback__init(to);
    to->name = (char *)(uintptr_t)power->generator[i].name;
    to->closed = power->generator[i].closed != 0;
    to->load_w = power->generator[i].load_w;
  }
  for (int i = 0; i < power->tie_count; i++) {
    Sagbend__V1__TieFeedback *to = out->ties[i] = &out->tie[i];
    sagbend__v1__tie_feedback__init(to);
    to->name = (char *)(uintptr_t)power->tie[i].name;
    to->closed = power->tie[i].closed != 0;
  }
  sensors->n_bus = (size_t)power->bus_count, sensors->bus = out->buses;
  sensors->n_generator = (size_t)power->generator_count, sensors->generator = out->generators;
  sensors->n_tie = (size_t)power->tie_count, sensors->tie = out->ties;
}

struct exact_messages {
  Sagbend__V1__PipeSensors pipe;
  Sagbend__V1__TensionerState tensioner;
  Sagbend__V1__Touchdown touchdown;
};

// Without instruments a controller reads the exact state.
static void fill_exact(const struct frame *frame, const struct dp_sensors *dp, struct exact_messages *out,
                       Sagbend__V1__Sensors *sensors) {
  const struct loop_view view = loop_view_of(frame, NULL);
  wire_fill_quantities(sensors, MESSAGE_SENSORS, &view);
  sensors->position_north_m = dp->position_n_m[0];
  sensors->position_east_m = dp->position_n_m[1];
  sensors->position_down_m = dp->position_n_m[2];
  if (!frame->output.has_pipe)
    return;

  sagbend__v1__pipe_sensors__init(&out->pipe);
  sagbend__v1__touchdown__init(&out->touchdown);
  wire_fill_quantities(&out->pipe, MESSAGE_SENSORS_PIPE, &view);
  wire_fill_quantities(&out->touchdown, MESSAGE_SENSORS_PIPE_TOUCHDOWN, &view);
  out->pipe.hangoff_azimuth_rad = dp->hangoff_azimuth_rad;
  out->pipe.paid_out_m = frame->output.paid_out_m;
  out->pipe.payout_mps = frame->output.payout_mps;
  wire_fill_tensioner_state(&frame->output.tensioner, &out->tensioner);
  out->pipe.tensioner = frame->output.has_tensioner ? &out->tensioner : NULL;
  out->pipe.touchdown =
      isnan(frame->output.touchdown_arc_length_m) ? NULL : &out->touchdown; // NaN: no contact
  sensors->pipe = &out->pipe;
}

size_t wire_pack_sensors(const struct wire_header *header, const struct frame *frame, enum wire_form form,
                         uint8_t *out, size_t capacity) {
  return wire_pack_sensors_of(header, frame, UINT32_MAX, form, out, capacity);
}

size_t wire_pack_sensors_of(const struct wire_header *header, const struct frame *frame, uint32_t received,
                            enum wire_form form, uint8_t *out, size_t capacity) {
  struct dp_sensors dp;
  struct instrument_messages instruments;
  struct thruster_messages thrusters;
  struct power_messages power;
  struct exact_messages exact;
  dp_sensors_of_frame(frame, &dp);
  Sagbend__V1__Header header_message = wire_header_message(header);
  header_message.time_s += frame->clock_offset_s;
  Sagbend__V1__BodyWrench applied = wire_wrench_message(dp.applied_wrench_b);
  Sagbend__V1__Sensors message = SAGBEND__V1__SENSORS__INIT;
  message.header = &header_message;
  message.utc_ns = wire_utc_ns(frame, header_message.time_s);
  message.applied_wrench = &applied;
  message.command_state = (Sagbend__V1__CommandState)(frame->command_state + 1);
  message.command_sequence = frame->command_sequence;
  message.command_based_on_step = frame->command_based_on_step;
  fill_thrusters(&dp.readings, &thrusters, &message);
  fill_power(&dp.readings.power, &power, &message);
  if (dp.readings.instrument_count) {
    fill_instruments(&dp.readings, received, &instruments);
    message.instruments = &instruments.all;
  } else {
    fill_exact(frame, &dp, &exact, &message);
  }

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS;
  envelope.sensors = &message;
  return wire_pack(form == WIRE_PLAIN ? &message.base : &envelope.base, out, capacity);
}

static enum status read_instrument(const ProtobufCMessage *message, int kind, struct readings *out,
                                   struct reason *why) {
  const ProtobufCMessageDescriptor *type = list_field(kind)->descriptor;
  const Sagbend__V1__Telegram *telegram;
  memcpy(&telegram, (const char *)message + type->fields[0].offset, sizeof telegram);
  if (!telegram || !*telegram->name || strlen(telegram->name) >= SIGNAL_NAME)
    return fail(why, STATUS_BAD_INPUT,
                "instruments: a telegram with a name of 1 to 23 characters expected in each");
  if (out->instrument_count == MAX_INSTRUMENTS)
    return fail(why, STATUS_BAD_INPUT, "instruments: at most 32 expected");

  struct reading *reading = &out->instrument[out->instrument_count++];
  snprintf(reading->name, sizeof reading->name, "%s", telegram->name);
  reading->kind = (enum instrument)kind;
  reading->valid = telegram->valid;
  reading->sequence = telegram->sequence;
  reading->time_s = telegram->time_s;
  for (int c = 0; c < instrument_channel_count(reading->kind); c++)
    memcpy(&reading->value[c], (const char *)message + type->fields[1 + c].offset, sizeof reading->value[c]);
  return STATUS_OK;
}

enum status wire_read_instruments(const Sagbend__V1__Instruments *message, struct readings *out,
                                  struct reason *why) {
  for (int kind = 0; kind < INSTRUMENT_COUNT; kind++) {
    const ProtobufCFieldDescriptor *field = list_field(kind);
    size_t count = *(const size_t *)(const void *)((const char *)message + field->quantifier_offset);
    ProtobufCMessage *const *list;
    memcpy(&list, (const char *)message + field->offset, sizeof list);
    for (size_t i = 0; i < count; i++)
      if (read_instrument(list[i], kind, out, why) != STATUS_OK)
        return STATUS_BAD_INPUT;
  }
  return out->instrument_count > 0
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "instruments: at least one expected, got none");
}

enum status wire_read_thrusters(const Sagbend__V1__Sensors *message, struct readings *out,
                                struct reason *why) {
  if (message->n_thruster > MAX_THRUSTERS)
    return fail(why, STATUS_BAD_INPUT, "thruster: at most 12 expected");
  for (size_t i = 0; i < message->n_thruster; i++) {
    const Sagbend__V1__ThrusterFeedback *feedback = message->thruster[i];
    struct thruster_feedback *thruster = &out->thruster[out->thruster_count++];
    int length = snprintf(thruster->name, sizeof thruster->name, "%s", feedback->name);
    if (length < 1 || (size_t)length >= sizeof thruster->name)
      return fail(why, STATUS_BAD_INPUT, "thruster: a name of 1 to 23 characters expected in each");
    thruster->running = feedback->running;
    thruster->ready = feedback->ready;
    thruster->revolutions_rpm = feedback->revolutions_rpm;
    thruster->pitch = feedback->pitch;
    thruster->azimuth_rad = feedback->azimuth_rad;
    thruster->power_w = feedback->power_w;
    thruster->stopped = feedback->emergency_stopped;
  }
  out->power_available_w = message->power_available_w;
  out->power_used_w = message->power_used_w;
  return STATUS_OK;
}

static enum status read_name(const char *name, char *out, const char *list, struct reason *why) {
  const size_t length = strlen(name);
  if (length < 1 || length >= SIGNAL_NAME)
    return fail(why, STATUS_BAD_INPUT, "%s: a name of 1 to 23 characters expected in each", list);
  snprintf(out, SIGNAL_NAME, "%s", name);
  return STATUS_OK;
}

enum status wire_read_power(const Sagbend__V1__Sensors *message, struct power_feedback *out,
                            struct reason *why) {
  if (message->n_bus > MAX_BUSES || message->n_generator > MAX_GENERATORS || message->n_tie > MAX_TIES)
    return fail(why, STATUS_BAD_INPUT, "bus, generator, tie: at most 6, 12 and 6 expected");
  memset(out, 0, sizeof *out);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < message->n_bus && status == STATUS_OK; i++) {
    const Sagbend__V1__BusFeedback *bus = message->bus[i];
    struct bus_feedback *to = &out->bus[out->bus_count++];
    status = read_name(bus->name, to->name, "bus", why);
    to->supplied = bus->supplied;
    to->available_w = bus->available_w;
    to->load_w = bus->load_w;
    to->frequency = bus->frequency;
    to->voltage = bus->voltage;
  }
  for (size_t i = 0; i < message->n_generator && status == STATUS_OK; i++) {
    struct generator_feedback *to = &out->generator[out->generator_count++];
    status = read_name(message->generator[i]->name, to->name, "generator", why);
    to->closed = message->generator[i]->closed;
    to->load_w = message->generator[i]->load_w;
  }
  for (size_t i = 0; i < message->n_tie && status == STATUS_OK; i++) {
    struct tie_feedback *to = &out->tie[out->tie_count++];
    status = read_name(message->tie[i]->name, to->name, "tie", why);
    to->closed = message->tie[i]->closed;
  }
  return status;
}

// ------------------------------------------------------------
// The tensioner in messages: orders, its state, what it is.

void wire_fill_tensioner_command(const struct tensioner_setpoint *order,
                                 struct tensioner_command_message *out) {
  Sagbend__V1__TensionerCommand *message = &out->message;
  sagbend__v1__tensioner_brake__init(&out->brake);
  sagbend__v1__tensioner_command__init(message);
  switch (order->mode) {
  case TENSIONER_TENSION:
    message->order_case = SAGBEND__V1__TENSIONER_COMMAND__ORDER_TENSION_N;
    message->tension_n = order->tension_n;
    break;
  case TENSIONER_SPEED:
    message->order_case = SAGBEND__V1__TENSIONER_COMMAND__ORDER_SPEED_MPS;
    message->speed_mps = order->speed_mps;
    break;
  default:
    message->order_case = SAGBEND__V1__TENSIONER_COMMAND__ORDER_BRAKE;
    message->brake = &out->brake;
  }
}

enum status wire_read_tensioner_command(const Sagbend__V1__TensionerCommand *message,
                                        struct tensioner_setpoint *out, struct reason *why) {
  *out = (struct tensioner_setpoint){0};
  if (!message)
    return STATUS_OK;
  out->given = 1;
  switch (message->order_case) {
  case SAGBEND__V1__TENSIONER_COMMAND__ORDER_BRAKE:
    out->mode = TENSIONER_BRAKE;
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_COMMAND__ORDER_TENSION_N:
    out->mode = TENSIONER_TENSION;
    out->tension_n = message->tension_n;
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_COMMAND__ORDER_SPEED_MPS:
    out->mode = TENSIONER_SPEED;
    out->speed_mps = message->speed_mps;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "tensioner: brake, tension_n or speed_mps expected");
  }
}

void wire_fill_tensioner_order(const struct tensioner_setpoint *order, struct tensioner_order_message *out) {
  Sagbend__V1__TensionerOrder *message = &out->message;
  sagbend__v1__tensioner_brake__init(&out->brake);
  sagbend__v1__tensioner_release__init(&out->release);
  sagbend__v1__tensioner_order__init(message);
  if (!order->given) {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_RELEASE;
    message->release = &out->release;
  } else if (order->mode == TENSIONER_TENSION) {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_TENSION_N;
    message->tension_n = order->tension_n;
  } else if (order->mode == TENSIONER_SPEED) {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_SPEED_MPS;
    message->speed_mps = order->speed_mps;
  } else {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_BRAKE;
    message->brake = &out->brake;
  }
}

enum status wire_read_tensioner_order(const Sagbend__V1__TensionerOrder *message,
                                      struct tensioner_setpoint *out, struct reason *why) {
  *out = (struct tensioner_setpoint){.given =
                                         message->order_case != SAGBEND__V1__TENSIONER_ORDER__ORDER_RELEASE};
  switch (message->order_case) {
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_RELEASE:
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_BRAKE:
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_TENSION_N:
    out->mode = TENSIONER_TENSION;
    out->tension_n = message->tension_n;
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_SPEED_MPS:
    out->mode = TENSIONER_SPEED;
    out->speed_mps = message->speed_mps;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "tensioner: brake, tension_n, speed_mps or release expected");
  }
}

_Static_assert(SAGBEND__V1__TENSIONER_MODE__TENSIONER_MODE_SPEED == (int)TENSIONER_SPEED + 1 &&
                   SAGBEND__V1__TENSIONER_SOURCE__TENSIONER_SOURCE_OPERATOR == (int)TENSIONER_BY_OPERATOR + 1,
               "in the same order, after the unspecified one");

void wire_fill_tensioner_state(const struct tensioner_output *from, Sagbend__V1__TensionerState *out) {
  sagbend__v1__tensioner_state__init(out);
  out->mode = (Sagbend__V1__TensionerMode)(from->mode + 1);
  out->ordered = (Sagbend__V1__TensionerMode)(from->ordered + 1);
  out->source = (Sagbend__V1__TensionerSource)(from->source + 1);
  out->tension_set_n = from->tension_set_n;
  out->speed_set_mps = from->speed_set_mps;
  out->force_n = from->force_n;
  out->ordered_tension_n = from->ordered_tension_n;
  out->ordered_speed_mps = from->ordered_speed_mps;
}

void wire_fill_operation(struct operation_output *from, Sagbend__V1__OperationState *out) {
  sagbend__v1__operation_state__init(out);
  out->number = (uint32_t)from->number;
  out->count = (uint32_t)from->count;
  out->name = from->name;
  out->since_s = from->since_s;
  out->progress = from->progress;
  out->moves = (uint32_t)from->moves;
  out->held = from->held != 0;
  out->overdue = from->overdue != 0;
}

void wire_fill_tensioner_info(const struct wire_tensioner *from, Sagbend__V1__TensionerInfo *out) {
  sagbend__v1__tensioner_info__init(out);
  out->accepts_commands = from->accepts_commands != 0;
  out->tension_max_n = from->tension_max_n;
  out->speed_max_mps = from->speed_max_mps;
  out->grip_n = from->grip_n;
  out->brake_n = from->brake_n;
  out->motor_n = from->motor_n;
  out->motor_w = from->motor_w;
  out->dead_band_n = from->dead_band_n;
}

void wire_read_tensioner_info(const Sagbend__V1__TensionerInfo *message, struct wire_tensioner *out) {
  *out = (struct wire_tensioner){.accepts_commands = message->accepts_commands,
                                 .tension_max_n = message->tension_max_n,
                                 .speed_max_mps = message->speed_max_mps,
                                 .grip_n = message->grip_n,
                                 .brake_n = message->brake_n,
                                 .motor_n = message->motor_n,
                                 .motor_w = message->motor_w,
                                 .dead_band_n = message->dead_band_n};
}
