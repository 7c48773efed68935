// Sensors: exact, or what the rig's instruments and thrusters say. The messages of the instruments have one
// shape, a telegram and then one number for each channel: their descriptors serve all of them.
#include "io/codec/codec_parts.h"

#include "hil/dp_sensors.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef Sagbend__V1__Header Header;
typedef Sagbend__V1__BodyWrench BodyWrench;

// Room for one message of any instrument.
union instrument_message {
  ProtobufCMessage base;
  Sagbend__V1__Gnss gnss;
  Sagbend__V1__Gyro gyro;
  Sagbend__V1__MotionSensor motion;
  Sagbend__V1__WindSensor wind;
  Sagbend__V1__SpeedLog speed_log;
  Sagbend__V1__LoadCell load_cell;
  Sagbend__V1__HangoffAngle hangoff_angle;
  Sagbend__V1__TouchdownMonitor touchdown;
};

struct instrument_messages {
  Sagbend__V1__Instruments all;
  Sagbend__V1__Telegram telegram[MAX_INSTRUMENTS];
  union instrument_message message[MAX_INSTRUMENTS];
  ProtobufCMessage *list[INSTRUMENT_COUNT][MAX_INSTRUMENTS];
};

// The lists of Instruments stand in the order of the kinds.
static const ProtobufCFieldDescriptor *list_field(int kind) {
  return &sagbend__v1__instruments__descriptor.fields[kind];
}

static void *member(void *message, const ProtobufCFieldDescriptor *f) {
  return (char *)message + f->offset;
}

static void fill_instrument(const struct reading *r, Sagbend__V1__Telegram *t, ProtobufCMessage *m) {
  const ProtobufCMessageDescriptor *d = list_field((int)r->kind)->descriptor;
  protobuf_c_message_init(d, m);
  sagbend__v1__telegram__init(t);
  t->name = (char *)(uintptr_t)r->name; // packing only reads it
  t->valid = r->valid != 0;
  t->sequence = r->sequence;
  t->time_s = r->time_s;
  memcpy(member(m, &d->fields[0]), &t, sizeof t);
  for (int c = 0; c < instrument_channel_count(r->kind); c++)
    memcpy(member(m, &d->fields[1 + c]), &r->value[c], sizeof r->value[c]);
}

static void fill_instruments(const struct readings *r, struct instrument_messages *out) {
  sagbend__v1__instruments__init(&out->all);
  for (int i = 0; i < r->instrument_count; i++) {
    int kind = (int)r->instrument[i].kind;
    const ProtobufCFieldDescriptor *f = list_field(kind);
    size_t *count = (size_t *)(void *)((char *)&out->all + f->quantifier_offset);
    ProtobufCMessage **list = out->list[kind];
    fill_instrument(&r->instrument[i], &out->telegram[i], &out->message[i].base);
    list[(*count)++] = &out->message[i].base;
    memcpy(member(&out->all, f), &list, sizeof list);
  }
}

struct thruster_messages {
  Sagbend__V1__ThrusterFeedback feedback[MAX_THRUSTERS], *list[MAX_THRUSTERS];
};

static void fill_thrusters(const struct readings *r, struct thruster_messages *out, Sagbend__V1__Sensors *s) {
  for (int i = 0; i < r->thruster_count; i++) {
    const struct thruster_feedback *t = &r->thruster[i];
    Sagbend__V1__ThrusterFeedback *f = out->list[i] = &out->feedback[i];
    sagbend__v1__thruster_feedback__init(f);
    f->name = (char *)(uintptr_t)t->name;
    f->running = t->running != 0;
    f->ready = t->ready != 0;
    f->revolutions_rpm = t->revolutions_rpm;
    f->pitch = t->pitch;
    f->azimuth_rad = t->azimuth_rad;
    f->power_w = t->power_w;
  }
  s->n_thruster = (size_t)r->thruster_count;
  s->thruster = out->list;
  s->power_available_w = r->power_available_w;
  s->power_used_w = r->power_used_w;
}

struct exact_messages {
  Sagbend__V1__PipeSensors pipe;
  Sagbend__V1__Touchdown touchdown;
};

// Without instruments a controller reads the exact state.
static void fill_exact(const struct frame *f, const struct dp_sensors *dp, struct exact_messages *out,
                       Sagbend__V1__Sensors *s) {
  const struct loop_view view = loop_view_of(f, NULL);
  wire_fill_quantities(s, MESSAGE_SENSORS, &view);
  s->position_north_m = dp->position_n_m[0];
  s->position_east_m = dp->position_n_m[1];
  s->position_down_m = dp->position_n_m[2];
  if (!f->output.has_pipe)
    return;
  sagbend__v1__pipe_sensors__init(&out->pipe);
  sagbend__v1__touchdown__init(&out->touchdown);
  wire_fill_quantities(&out->pipe, MESSAGE_SENSORS_PIPE, &view);
  wire_fill_quantities(&out->touchdown, MESSAGE_SENSORS_PIPE_TOUCHDOWN, &view);
  out->pipe.hangoff_azimuth_rad = dp->hangoff_azimuth_rad;
  out->pipe.touchdown = isnan(f->output.touchdown_s_m) ? NULL : &out->touchdown; // NaN: no contact
  s->pipe = &out->pipe;
}

size_t wire_pack_sensors(const struct wire_header *h, const struct frame *f, enum wire_form form,
                         uint8_t *out, size_t capacity) {
  struct dp_sensors dp;
  dp_sensors_of_frame(f, &dp);
  struct instrument_messages instruments;
  struct thruster_messages thrusters;
  Header header = wire_header_message(h);
  header.time_s += f->clock_offset_s;
  BodyWrench applied = wire_wrench_message(dp.applied_wrench_b);
  struct exact_messages exact;
  Sagbend__V1__Sensors s = SAGBEND__V1__SENSORS__INIT;
  s.header = &header;
  s.applied_wrench = &applied;
  s.command_state = (Sagbend__V1__CommandState)(f->command_state + 1);
  s.command_sequence = f->command_sequence;
  s.command_based_on_step = f->command_based_on_step;
  fill_thrusters(&dp.readings, &thrusters, &s);
  if (dp.readings.instrument_count) {
    fill_instruments(&dp.readings, &instruments);
    s.instruments = &instruments.all;
  } else {
    fill_exact(f, &dp, &exact, &s);
  }
  Sagbend__V1__Envelope e = SAGBEND__V1__ENVELOPE__INIT;
  e.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS;
  e.sensors = &s;
  return wire_pack(form == WIRE_PLAIN ? &s.base : &e.base, out, capacity);
}

static const char *read_instrument(const ProtobufCMessage *m, int kind, struct readings *out) {
  const ProtobufCMessageDescriptor *d = list_field(kind)->descriptor;
  const Sagbend__V1__Telegram *t;
  memcpy(&t, (const char *)m + d->fields[0].offset, sizeof t);
  if (!t || !*t->name || strlen(t->name) >= SIGNAL_NAME)
    return "instruments: a telegram with a name of 1 to 23 characters expected in each";
  if (out->instrument_count == MAX_INSTRUMENTS)
    return "instruments: at most 32 expected";
  struct reading *r = &out->instrument[out->instrument_count++];
  snprintf(r->name, sizeof r->name, "%s", t->name);
  r->kind = (enum instrument)kind;
  r->valid = t->valid;
  r->sequence = t->sequence;
  r->time_s = t->time_s;
  for (int c = 0; c < instrument_channel_count(r->kind); c++)
    memcpy(&r->value[c], (const char *)m + d->fields[1 + c].offset, sizeof r->value[c]);
  return NULL;
}

const char *wire_read_instruments(const Sagbend__V1__Instruments *m, struct readings *out) {
  const char *missing = NULL;
  for (int kind = 0; kind < INSTRUMENT_COUNT; kind++) {
    const ProtobufCFieldDescriptor *f = list_field(kind);
    size_t count = *(const size_t *)(const void *)((const char *)m + f->quantifier_offset);
    ProtobufCMessage *const *list;
    memcpy(&list, (const char *)m + f->offset, sizeof list);
    for (size_t i = 0; i < count && !missing; i++)
      missing = read_instrument(list[i], kind, out);
  }
  return !missing && out->instrument_count == 0 ? "instruments: at least one expected where it is present"
                                                : missing;
}

const char *wire_read_thrusters(const Sagbend__V1__Sensors *m, struct readings *out) {
  if (m->n_thruster > MAX_THRUSTERS)
    return "thruster: at most 12 expected";
  for (size_t i = 0; i < m->n_thruster; i++) {
    const Sagbend__V1__ThrusterFeedback *f = m->thruster[i];
    struct thruster_feedback *t = &out->thruster[out->thruster_count++];
    if (!*f->name || (size_t)snprintf(t->name, sizeof t->name, "%s", f->name) >= sizeof t->name)
      return "thruster: a name of 1 to 23 characters expected in each";
    t->running = f->running;
    t->ready = f->ready;
    t->revolutions_rpm = f->revolutions_rpm;
    t->pitch = f->pitch;
    t->azimuth_rad = f->azimuth_rad;
    t->power_w = f->power_w;
  }
  out->power_available_w = m->power_available_w;
  out->power_used_w = m->power_used_w;
  return NULL;
}
