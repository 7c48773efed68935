// Variables at work: their values, the inputs as they were last set, and the command that these are.
#include "sagbend/rig/rig.h"
#include "sagbend/sagbend_parts.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double feedback_value(const struct thruster_feedback *t, int channel) {
  const double all[FEEDBACK_COUNT] = {
#define FEEDBACK(id, name, unit, type, member, meaning) [FEEDBACK_##id] = t->member,
#include "sagbend/signals/feedback.inc"
  };
  return all[channel];
}

static double bus_value(const struct bus_feedback *b, int channel) {
  const double all[BUS_COUNT] = {
#define BUS(id, name, unit, type, member, meaning) [BUS_##id] = (double)b->member,
#include "sagbend/signals/feedback.inc"
  };
  return all[channel];
}

static double generator_value(const struct generator_feedback *g, int channel) {
  const double all[GENERATOR_COUNT] = {
#define GENERATOR(id, name, unit, type, member, meaning) [GENERATOR_##id] = (double)g->member,
#include "sagbend/signals/feedback.inc"
  };
  return all[channel];
}

static double link_value(const struct engine *engine, int which) {
  const struct frame *f = &engine->loop.frame;
  const struct loop_target *target = &engine->loop.target;
  const int sees_pipe = f->output.has_pipe && !f->readings.instrument_count;
  const double *pull = f->output.hangoff_force_n_n;
  const double all[LINK_VALUES] = {[LINK_STEP] = (double)f->output.step,
                                   [LINK_TIME] = f->output.time_s + f->clock_offset_s,
                                   [LINK_LOST] = f->sensors_lost != 0,
                                   [LINK_ANSWERED] = (double)f->command_based_on_step,
                                   [LINK_AZIMUTH] = sees_pipe ? trig_atan2(pull[1], pull[0]) : 0,
                                   [LINK_SETPOINT_ORDER] = (double)target->order,
                                   [LINK_SETPOINT_NORTH] = target->position_n_m[0],
                                   [LINK_SETPOINT_EAST] = target->position_n_m[1],
                                   [LINK_SETPOINT_HEADING] = target->heading_rad,
                                   [LINK_TRACK_ORDER] = (double)target->track_order,
                                   [LINK_TRACK_STOPPED] = target->track_orders.is_stopped != 0,
                                   [LINK_TRACK_SPEED] = target->track_orders.speed_mps};
  return all[which];
}

double variable_value(const struct variable *v, const struct engine *engine, const struct inputs *inputs,
                      const struct loop_view *view) {
  const struct frame *f = &engine->loop.frame;
  switch (v->source) {
  case FROM_TIME:
    return f->output.time_s;
  case FROM_QUANTITY:
    return v->flags & SAGBEND_EXISTS ? quantity_value((enum quantity)v->index, view) : (double)NAN;
  case FROM_READING:
    return f->readings.instrument[v->index].value[v->channel];
  case FROM_READING_VALID:
    return f->readings.instrument[v->index].valid;
  case FROM_READING_TIME:
    return f->readings.instrument[v->index].time_s;
  case FROM_READING_NUMBER:
    return (double)f->readings.instrument[v->index].sequence;
  case FROM_FEEDBACK:
    return feedback_value(&f->readings.thruster[v->index], v->channel);
  case FROM_POWER:
    return v->index ? f->readings.power_used_w : f->readings.power_available_w;
  case FROM_BUS:
    return bus_value(&f->readings.power.bus[v->index], v->channel);
  case FROM_GENERATOR:
    return generator_value(&f->readings.power.generator[v->index], v->channel);
  case FROM_TIE:
    return f->readings.power.tie[v->index].closed != 0;
  case FROM_LINK:
    return link_value(engine, v->index);
  case TO_LINK:
    return inputs->link[v->index];
  case FROM_WORK:
    return f->ledger.total_work_j[v->index];
  case FROM_LOSS:
    return f->ledger.total_loss_j[v->index];
  case FROM_INITIAL_ENERGY:
    return f->ledger.energy_initial_j;
  case FROM_RESIDUAL:
    return f->ledger.total_residual_j;
  case TO_ENGAGED:
    return inputs->engaged;
  case TO_WRENCH:
    return inputs->wrench_b[v->index];
  case TO_THRUSTER:
    return inputs->thruster[v->index][v->channel];
  case TO_TENSIONER:
    return inputs->tensioner[v->index];
  }
  return (double)NAN;
}

// ---- Inputs ----

void inputs_clear(struct inputs *inputs) {
  memset(inputs, 0, sizeof *inputs);
  inputs->tensioner[INPUT_TENSIONER_MODE] = -1;
  inputs->link[LINK_STEP] = inputs->link[LINK_ANSWERED] = -1;
}

void inputs_set(struct inputs *inputs, const struct variable *v, double value) {
  if (v->source == TO_ENGAGED) {
    inputs->engaged = value;
    inputs->active |= value != 0;
  } else if (v->source == TO_LINK)
    inputs->link[v->index] = value;
  else if (v->source == TO_WRENCH)
    inputs->wrench_b[v->index] = value;
  else if (v->source == TO_THRUSTER)
    inputs->thruster[v->index][v->channel] = value;
  else
    inputs->tensioner[v->index] = value;
}

static struct tensioner_setpoint tensioner_of(const double *in) {
  const int mode = (int)in[INPUT_TENSIONER_MODE];
  if (mode < 0)
    return (struct tensioner_setpoint){0};
  return (struct tensioner_setpoint){.given = 1,
                                     .mode = (enum tensioner_mode)mode,
                                     .tension_n = mode == TENSIONER_TENSION ? in[INPUT_TENSION] : 0,
                                     .speed_mps = mode == TENSIONER_SPEED ? in[INPUT_SPEED] : 0};
}

void inputs_command(const struct inputs *inputs, const struct engine *engine, struct command *out) {
  const struct command_def *def = &engine->loop.command_def;
  memset(out, 0, sizeof *out);
  out->sequence = inputs->sequence + 1;
  out->based_on_step = engine->loop.frame.output.step;
  out->standby = inputs->engaged == 0;
  out->tensioner = tensioner_of(inputs->tensioner);
  if (out->standby)
    return;
  memcpy(out->wrench_b, inputs->wrench_b, sizeof out->wrench_b);
  for (int i = 0; i < def->thruster_count; i++) {
    const double *in = inputs->thruster[i];
    if (in[INPUT_COMMANDED] == 0)
      continue;
    struct thruster_command *t = &out->thrusters[out->thruster_count++];
    memcpy(t->name, def->thruster[i].name, sizeof t->name);
    t->enable = in[INPUT_ENABLE] != 0;
    t->revolutions_rpm = in[INPUT_RPM];
    t->pitch = in[INPUT_PITCH];
    t->azimuth_rad = in[INPUT_AZIMUTH];
  }
}

void inputs_take(struct inputs *inputs, const struct engine *engine, const struct command *command) {
  const struct command_def *def = &engine->loop.command_def;
  const struct tensioner_setpoint *order = &command->tensioner;
  inputs->sequence = command->sequence;
  inputs->engaged = !command->standby;
  inputs->active = 1;
  memcpy(inputs->wrench_b, command->wrench_b, sizeof inputs->wrench_b);
  for (int i = 0; i < def->thruster_count; i++)
    inputs->thruster[i][INPUT_COMMANDED] = 0; // the rest of one that is not named stays
  for (int i = 0; i < def->thruster_count; i++)
    for (int k = 0; k < command->thruster_count; k++) {
      const struct thruster_command *t = &command->thrusters[k];
      const double values[THRUSTER_INPUTS] = {[INPUT_COMMANDED] = 1,
                                              [INPUT_ENABLE] = t->enable != 0,
                                              [INPUT_RPM] = t->revolutions_rpm,
                                              [INPUT_PITCH] = t->pitch,
                                              [INPUT_AZIMUTH] = t->azimuth_rad};
      if (!strncmp(def->thruster[i].name, t->name, sizeof t->name))
        memcpy(inputs->thruster[i], values, sizeof values);
    }
  inputs->tensioner[INPUT_TENSIONER_MODE] = order->given ? (double)order->mode : -1;
  inputs->tensioner[INPUT_TENSION] = order->given ? order->tension_n : 0;
  inputs->tensioner[INPUT_SPEED] = order->given ? order->speed_mps : 0;
}

// ---- Of a simulation ----

const struct variables *sim_variables(const sagbend_sim *s) {
  return atomic_load_explicit(&s->c->variables, memory_order_acquire);
}

size_t sagbend_variable_count(const sagbend_sim *s) {
  return s ? sim_variables(s)->count : 0;
}

sagbend_status sagbend_variable_at(const sagbend_sim *s, size_t index, sagbend_variable *out) {
  if (!s || !out || index >= sim_variables(s)->count)
    return SAGBEND_WRONG_CALL;
  const struct variable *v = &sim_variables(s)->row[index];
  const sagbend_variable full = {.id = v->id,
                                 .kind = v->kind,
                                 .type = v->type,
                                 .flags = v->flags,
                                 .name = v->name,
                                 .unit = v->unit,
                                 .meaning = v->meaning,
                                 .least = v->least,
                                 .most = v->most};
  return sagbend_copy_out(out, &full, sizeof full) ? SAGBEND_OK : SAGBEND_WRONG_CALL;
}

uint32_t sagbend_find(const sagbend_sim *s, const char *name) {
  if (!s || !name)
    return 0;
  const struct variables *all = sim_variables(s);
  for (size_t i = 0; i < all->count; i++)
    if (!strcmp(all->row[i].name, name))
      return all->row[i].id;
  return 0;
}

int sim_are_variables(const sagbend_sim *s, const uint32_t *ids, size_t count, int only_inputs) {
  for (size_t i = 0; i < count; i++) {
    const struct variable *v = variable_of(sim_variables(s), ids[i]);
    if (!v || (only_inputs && v->kind != SAGBEND_INPUT))
      return 0;
  }
  return 1;
}

sagbend_status sagbend_get(const sagbend_sim *s, const uint32_t *ids, size_t count, double *values) {
  if (!s || (count && (!ids || !values)))
    return SAGBEND_WRONG_CALL;
  if (!sim_are_variables(s, ids, count, 0))
    return SAGBEND_WRONG_CALL;
  const struct host_settings host = host_settings_begin();
  const struct loop_view view = loop_view_of(&s->engine.loop.frame, &s->engine.loop.target);
  for (size_t i = 0; i < count; i++)
    values[i] = variable_value(variable_of(sim_variables(s), ids[i]), &s->engine, &s->inputs, &view);
  host_settings_end(&host);
  return SAGBEND_OK;
}

sagbend_status sim_check_input(const struct variables *all, uint32_t id, double value, sagbend_error *error) {
  const struct variable *v = variable_of(all, id);
  char text[300];
  if (!v || v->kind != SAGBEND_INPUT) {
    snprintf(text, sizeof text, "variable %u%s%s: an input expected, got %s", (unsigned)id, v ? ", " : "",
             v ? v->name : "", v ? "an output" : "no variable of this case");
    return sagbend_fail(error, SAGBEND_WRONG_CALL, text);
  }
  const int is_whole = v->type == SAGBEND_REAL || value == floor(value);
  if (!isfinite(value) || !(value >= v->least && value <= v->most) || !is_whole) {
    snprintf(text, sizeof text, "%s: a %snumber from %.9g to %.9g expected, got %.9g", v->name,
             v->type == SAGBEND_REAL ? "" : "whole ", v->least, v->most, value);
    return sagbend_fail(error, SAGBEND_BAD_INPUT, text);
  }
  return SAGBEND_OK;
}
