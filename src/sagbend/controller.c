// The DP controller of a case alone, without the vessel: measurements in, commands out. It reads what a
// message to sagbend-dp contains, so that it answers with the same bits.
#include "sagbend/sagbend_parts.h"

#include "sagbend/base/base.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the following samples depend on, beside the inputs.
struct controller_state {
  struct dp_state dp;
  double setpoint_order, track_order; // the newest that it has adopted
  uint64_t answered;                  // step of the measurements that its newest command answers
  uint64_t hash;                      // of all its commands so far
};

struct controller_alone {
  struct controller_state state;
  struct dp_work work;
};

static const struct dp_def *def_of(const struct sagbend_sim *s) {
  return &s->c->setup.dp.def;
}

enum status alone_begin(struct sagbend_sim *s, struct reason *why) {
  if (!s->c->setup.has_dp)
    return fail(why, STATUS_BAD_INPUT,
                "controller.dp_file: a DP file expected, which defines the controller");
  s->alone = calloc(1, sizeof *s->alone);
  if (!s->alone)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a controller");
  dp_init(&s->alone->state.dp);
  s->alone->state.hash = FNV1A_START;
  return STATUS_OK;
}

// ---- Inputs ----

static void put_exact(struct sim_output *o, const struct variable *v, double value) {
  const size_t offset = exact_value_of(v, 0);
  if (v->index == QUANTITY_TENSIONER_MODE)
    o->tensioner.mode = value < 0                 ? 0
                        : value > TENSIONER_SPEED ? TENSIONER_SPEED
                                                  : (enum tensioner_mode)value;
  else if (offset)
    memcpy((char *)o + offset, &value, sizeof value);
}

#define AS_REAL(value)    (value)
#define AS_BOOLEAN(value) ((value) != 0)

static void put_feedback(struct thruster_feedback *t, int channel, double value) {
  switch (channel) {
#define FEEDBACK(id, name, unit, type, member, meaning)                                                      \
  case FEEDBACK_##id:                                                                                        \
    t->member = AS_##type(value);                                                                            \
    break;
#include "sagbend/signals/feedback.inc"
  default:
    break;
  }
}

static void put_bus(struct bus_feedback *b, int channel, double value) {
  switch (channel) {
#define BUS(id, name, unit, type, member, meaning)                                                           \
  case BUS_##id:                                                                                             \
    b->member = AS_##type(value);                                                                            \
    break;
#include "sagbend/signals/feedback.inc"
  default:
    break;
  }
}

static void put_generator(struct generator_feedback *g, int channel, double value) {
  switch (channel) {
#define GENERATOR(id, name, unit, type, member, meaning)                                                     \
  case GENERATOR_##id:                                                                                       \
    g->member = AS_##type(value);                                                                            \
    break;
#include "sagbend/signals/feedback.inc"
  default:
    break;
  }
}

// Numbers of measurements; a later conversion must not be of one that no integer has.
static uint64_t whole_of(double value) {
  return value > 0 && value < 9e15 ? (uint64_t)value : 0;
}

static void put_power(struct readings *r, const struct variable *v, double value) {
  if (v->source == FROM_POWER)
    *(v->index ? &r->power_used_w : &r->power_available_w) = value;
  else if (v->source == FROM_BUS)
    put_bus(&r->power.bus[v->index], v->channel, value);
  else if (v->source == FROM_TIE)
    r->power.tie[v->index].closed = value != 0;
  else
    put_generator(&r->power.generator[v->index], v->channel, value);
}

static void put(struct sagbend_sim *s, const struct variable *v, double value) {
  struct frame *f = &s->engine.loop.frame;
  struct reading *reading = &f->readings.instrument[v->index < MAX_INSTRUMENTS ? v->index : 0];
  switch (v->source) {
  case FROM_READING:
    reading->value[v->channel] = value;
    break;
  case FROM_READING_VALID:
    reading->valid = value != 0;
    break;
  case FROM_READING_TIME:
    reading->time_s = value;
    break;
  case FROM_READING_NUMBER:
    reading->sequence = whole_of(value);
    break;
  case FROM_FEEDBACK:
    put_feedback(&f->readings.thruster[v->index], v->channel, value);
    break;
  case FROM_QUANTITY:
    put_exact(&f->output, v, value);
    break;
  case TO_LINK:
    inputs_set(&s->inputs, v, value);
    break;
  default:
    put_power(&f->readings, v, value);
  }
}

sagbend_status alone_set(struct sagbend_sim *s, const uint32_t *ids, size_t count, const double *values,
                         sagbend_error *error) {
  const struct variables *all = sim_variables(s);
  for (size_t i = 0; i < count; i++) {
    const sagbend_status status = sim_check_input(all, ids[i], values[i], error);
    if (status != SAGBEND_OK)
      return status;
  }
  for (size_t i = 0; i < count; i++)
    put(s, variable_of(all, ids[i]), values[i]);
  return SAGBEND_OK;
}

// ---- Samples ----

// What operators have ordered, as a Welcome tells it.
static void adopt(struct controller_state *state, const struct dp_def *def, const double *link) {
  const struct track_orders orders = {link[LINK_TRACK_STOPPED] != 0, link[LINK_TRACK_SPEED]};
  uint64_t setpoint = whole_of(state->setpoint_order), track = whole_of(state->track_order);
  dp_adopt_setpoint(&state->dp, def, &setpoint, whole_of(link[LINK_SETPOINT_ORDER]),
                    link + LINK_SETPOINT_NORTH);
  dp_adopt_track(&state->dp, &track, whole_of(link[LINK_TRACK_ORDER]), &orders);
  state->setpoint_order = (double)setpoint;
  state->track_order = (double)track;
}
_Static_assert(LINK_SETPOINT_EAST == LINK_SETPOINT_NORTH + 1 &&
                   LINK_SETPOINT_HEADING == LINK_SETPOINT_NORTH + 2,
               "a set-point is north, east, heading");

static void hash_command(struct controller_state *state, const struct inputs *in) {
  uint64_t hash = fnv1a(state->hash, &in->engaged, sizeof in->engaged);
  hash = fnv1a(fnv1a(hash, in->wrench_b, sizeof in->wrench_b), in->thruster, sizeof in->thruster);
  state->hash = fnv1a(hash, in->tensioner, sizeof in->tensioner);
}

static void sample(struct sagbend_sim *s) {
  struct controller_state *state = &s->alone->state;
  struct frame *f = &s->engine.loop.frame;
  const double *link = s->inputs.link;
  struct dp_sensors sensors;
  struct command command;
  adopt(state, def_of(s), link);
  f->command_based_on_step = link[LINK_ANSWERED] >= 0 ? whole_of(link[LINK_ANSWERED])
                             : s->inputs.engaged != 0 ? state->answered
                                                      : 0;
  dp_sensors_of_frame(f, &sensors);
  sensors.hangoff_azimuth_rad = link[LINK_AZIMUTH];
  if (link[LINK_STEP] >= 0) {
    sensors.step = whole_of(link[LINK_STEP]);
    sensors.time_s = link[LINK_TIME];
  }
  dp_sample(&state->dp, def_of(s), &sensors, &s->alone->work, &command);
  state->answered = sensors.step;
  inputs_take(&s->inputs, &s->engine, &command);
  hash_command(state, &s->inputs);
}

void alone_step(struct sagbend_sim *s) {
  struct sim_output *now = &s->engine.loop.frame.output;
  if (now->step % s->engine.loop.command_def.period_steps == 0 && s->inputs.link[LINK_LOST] == 0)
    sample(s);
  now->step++;
  now->time_s = (double)now->step * s->c->setup.config.sim.step_s;
}

uint64_t alone_hash(const struct sagbend_sim *s) {
  return s->alone->state.hash;
}

// ---- States: head, inputs, controller, values of the inputs, hash of all that ----

struct alone_head {
  char magic[8];
  uint64_t bytes, step;
  struct checkpoint_identity identity;
  struct inputs inputs;
  struct controller_state state;
};
static const char ALONE_MAGIC[8] = {'S', 'A', 'G', 'B', 'C', 'T', 'L', '1'};
_Static_assert(sizeof(struct alone_head) % 8 == 0, "values are 8-byte aligned");

// Of the measurements; those of the link are among the inputs.
static int is_kept(const struct variable *v) {
  return v->kind == SAGBEND_INPUT && v->source != TO_LINK;
}

size_t alone_snapshot_size(const struct sagbend_sim *s) {
  const struct variables *all = sim_variables(s);
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++)
    count += (size_t)is_kept(&all->row[i]);
  return sizeof(struct alone_head) + count * sizeof(double) + sizeof(uint64_t);
}

void alone_snapshot(const struct sagbend_sim *s, void *bytes) {
  const struct variables *all = sim_variables(s);
  const struct loop_view view = loop_view_of(&s->engine.loop.frame, &s->engine.loop.target);
  unsigned char *at = bytes;
  const size_t size = alone_snapshot_size(s);
  const struct alone_head head = {.bytes = size,
                                  .step = s->engine.loop.frame.output.step,
                                  .identity = s->identity,
                                  .inputs = s->inputs,
                                  .state = s->alone->state};
  memcpy(at, &head, sizeof head);
  memcpy(at, ALONE_MAGIC, sizeof ALONE_MAGIC);
  at += sizeof head;
  for (size_t i = 0; i < all->count; i++)
    if (is_kept(&all->row[i])) {
      const double value = variable_value(&all->row[i], &s->engine, &s->inputs, &view);
      memcpy(at, &value, sizeof value);
      at += sizeof value;
    }
  const uint64_t hash = fnv1a(FNV1A_START, bytes, size - sizeof hash);
  memcpy(at, &hash, sizeof hash);
}

// Whether inputs and command of a state are such as sagbend_set and the controller leave.
static int inputs_are_valid(const struct sagbend_sim *s, const struct inputs *inputs) {
  const struct variables *all = sim_variables(s);
  for (size_t i = 0; i < all->count; i++) {
    const struct variable *v = &all->row[i];
    const int is_here = v->kind == SAGBEND_OUTPUT && v->source != FROM_TIME;
    if ((is_here || v->source == TO_LINK) && !isfinite(variable_value(v, &s->engine, inputs, NULL)))
      return 0;
  }
  return inputs->active <= 1;
}

static enum status refuse(struct reason *why) {
  return fail(why, STATUS_BAD_INPUT,
              "a state of this controller expected: it is damaged, cut off or of something else");
}

enum status alone_restore(struct sagbend_sim *s, const void *bytes, size_t size, struct reason *why) {
  const struct variables *all = sim_variables(s);
  const unsigned char *at = (const unsigned char *)bytes + sizeof(struct alone_head);
  struct alone_head head;
  struct reason cause = {""};
  uint64_t hash;
  if (size != alone_snapshot_size(s))
    return refuse(why);
  memcpy(&head, bytes, sizeof head);
  memcpy(&hash, (const unsigned char *)bytes + size - sizeof hash, sizeof hash);
  if (memcmp(head.magic, ALONE_MAGIC, sizeof ALONE_MAGIC) != 0 || head.bytes != size ||
      hash != fnv1a(FNV1A_START, bytes, size - sizeof hash) || head.step > VALID_MOST_STEPS ||
      !inputs_are_valid(s, &head.inputs))
    return refuse(why);
  const double orders[] = {head.state.setpoint_order, head.state.track_order};
  if (checkpoint_check_identity(&head.identity, &s->identity, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (!isfinite(orders[0]) || !isfinite(orders[1]) || !dp_state_is_valid(def_of(s), &head.state.dp, &cause))
    return fail(why, STATUS_BAD_INPUT, "state of the controller: %s", cause.text);
  const unsigned char *values = at;
  for (size_t i = 0; i < all->count; i++)
    if (is_kept(&all->row[i])) {
      double value;
      memcpy(&value, at, sizeof value);
      at += sizeof value;
      if (!isfinite(value))
        return refuse(why);
    }
  at = values;
  for (size_t i = 0; i < all->count; i++)
    if (is_kept(&all->row[i])) {
      double value;
      memcpy(&value, at, sizeof value);
      at += sizeof value;
      put(s, &all->row[i], value);
    }
  s->inputs = head.inputs;
  s->alone->state = head.state;
  s->engine.loop.frame.output.step = head.step;
  s->engine.loop.frame.output.time_s = (double)head.step * s->c->setup.config.sim.step_s;
  return STATUS_OK;
}
