// Simulations: begin, steps, inputs, orders, events, verdicts, nodes, rollouts.
#include "sagbend/sagbend_parts.h"

#include "sagbend/base/base.h"
#include "sagbend/engine/engine.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void keep_event(void *simulation, const struct run_event *event) {
  struct sagbend_sim *s = simulation;
  if (s->event_count == s->event_room) {
    const size_t room = s->event_room ? 2 * s->event_room : 16;
    struct run_event *more = realloc(s->event, room * sizeof *more);
    if (!more) {
      s->has_lost_event = 1;
      return;
    }
    s->event = more;
    s->event_room = room;
  }
  s->event[s->event_count++] = *event;
}

// ---- Begin and end ----

// The table belongs to the case: the first simulation that is ready leaves its own there.
static enum status share_variables(sagbend_case *c, const struct engine *engine, struct reason *why) {
  struct variables *there = atomic_load(&c->variables), *made;
  if (there)
    return STATUS_OK;
  const enum status status = variables_make(engine, c->controller, &made, why);
  if (status == STATUS_OK && !atomic_compare_exchange_strong(&c->variables, &there, made))
    variables_free(made);
  return status;
}

static void identify(struct sagbend_sim *s) {
  const struct setup *setup = &s->c->setup;
  s->identity.model_hash = setup->config.model_hash;
  s->identity.dp_hash = s->engine.loop.inside || s->alone ? setup->dp.hash : 0;
  snprintf(s->identity.config_name, sizeof s->identity.config_name, "%s", setup->config.name);
  snprintf(s->identity.version, sizeof s->identity.version, "%s", sagbend_version());
  // Without an id nothing distinguishes one build from another; this process, where it lies in memory, has
  // one.
  if (!strcmp(sagbend_build(), "unknown"))
    snprintf(s->identity.build, sizeof s->identity.build, "process %ld at %p", (long)getpid(),
             (const void *)sagbend_build());
  else
    snprintf(s->identity.build, sizeof s->identity.build, "%s", sagbend_build());
}

static void *start_of(struct sagbend_sim *s, size_t *bytes) {
  *bytes = sagbend_snapshot_size(s);
  void *start = malloc(*bytes);
  if (start && sagbend_snapshot(s, start, *bytes) == SAGBEND_OK)
    return start;
  free(start);
  return NULL;
}

static enum status begin(struct sagbend_sim *s, const struct engine *first, const struct error_sink *errors,
                         struct reason *why) {
  enum status status = engine_create(&s->engine, &s->c->setup, first, errors, why);
  if (status == STATUS_OK && s->c->controller == SAGBEND_CONTROLLER_ALONE)
    status = alone_begin(s, why);
  if (status == STATUS_OK)
    status = share_variables(s->c, &s->engine, why);
  if (status != STATUS_OK)
    return status;
  identify(s);
  inputs_clear(&s->inputs);
  event_finder_init(&s->finder, &s->c->setup.config.scenario, keep_event, s);
  if (!s->first && !(s->start = start_of(s, &s->start_bytes)))
    return fail(why, STATUS_NO_MEMORY, "out of memory for a simulation");
  if (!s->alone)
    event_find(&s->finder, &s->engine.loop.frame);
  s->start_events = s->event_count;
  return STATUS_OK;
}

// Keeps the first error, which has the place in the file.
static void keep_first(void *context, const struct error_report *report) {
  sagbend_error *first = context;
  if (first->status == SAGBEND_OK)
    sagbend_error_of(report, first);
}

static sagbend_status open_sim(const sagbend_case *c, struct sagbend_sim *first, sagbend_sim **out,
                               sagbend_error *error) {
  struct reason why = {""};
  sagbend_error in_file = {.status = SAGBEND_OK};
  const struct error_sink errors = {keep_first, &in_file};
  if (out)
    *out = NULL;
  if (!c || !out || c->error_count)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a case without errors expected");
  struct sagbend_sim *s = *out = calloc(1, sizeof *s);
  if (!s)
    return sagbend_fail(error, SAGBEND_NO_MEMORY, "out of memory for a simulation");
  s->c = (sagbend_case *)c; // for its table of variables, which is made once
  atomic_init(&s->users, 1);
  if (first) {
    s->first = first->first ? first->first : first;
    s->start = first->start;
    s->start_bytes = first->start_bytes;
    atomic_fetch_add(&s->first->users, 1);
  }
  const struct host_settings host = host_settings_begin();
  const enum status status = begin(s, first ? &first->engine : NULL, &errors, &why);
  host_settings_end(&host);
  if (status == STATUS_OK)
    return SAGBEND_OK;
  sagbend_close(s);
  *out = NULL;
  if (in_file.status == SAGBEND_OK)
    return sagbend_fail(error, sagbend_status_of(status), why.text);
  if (error)
    sagbend_copy_out(error, &in_file, sizeof in_file);
  return sagbend_status_of(status);
}

sagbend_status sagbend_open(const sagbend_case *c, sagbend_sim **out, sagbend_error *error) {
  return open_sim(c, NULL, out, error);
}

sagbend_status sagbend_open_beside(const sagbend_sim *first, sagbend_sim **out, sagbend_error *error) {
  if (out)
    *out = NULL;
  if (!first || first->engine.loop.frame.output.step != 0)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation that has made no step expected");
  return open_sim(first->c, (sagbend_sim *)first, out, error); // it counts who shares its constant parts
}

static void release(struct sagbend_sim *s) {
  journal_close(&s->journal);
  engine_free(&s->engine);
  free(s->alone);
  if (!s->first)
    free(s->start);
  free(s->event);
  free(s);
}

void sagbend_close(sagbend_sim *s) {
  if (!s)
    return;
  struct sagbend_sim *first = s->first ? s->first : s;
  const int is_beside = first != s;
  sim_journal_end(s);
  if (is_beside)
    release(s);
  if (atomic_fetch_sub(&first->users, 1) == 1) // the last one that uses what it shares
    release(first);
}

// ---- Steps ----

static void step_once(struct sagbend_sim *s) {
  struct command command;
  const struct command *newest = NULL;
  if (s->alone) {
    alone_step(s);
    return;
  }
  if (s->inputs.active && closed_loop_sends_sensors(&s->engine.loop)) {
    inputs_command(&s->inputs, &s->engine, &command);
    if (command_check(&s->engine.loop.command_def, &command, &s->refused) == STATUS_OK) {
      newest = &command;
      s->inputs.sequence++;
      journal_put_command(&s->journal, &s->engine.loop.command_def, newest);
    } else
      s->inputs.refused++;
  }
  engine_step(&s->engine, newest, NULL);
  event_find(&s->finder, &s->engine.loop.frame);
  sim_journal_step(s);
}

sagbend_status sagbend_step(sagbend_sim *s, uint64_t steps, uint64_t *done) {
  uint64_t made = 0;
  if (done)
    *done = 0;
  if (!s)
    return SAGBEND_WRONG_CALL;
  const struct host_settings host = host_settings_begin();
  for (; made < steps && !s->engine.loop.frame.output.fault; made++)
    step_once(s);
  s->is_used |= made > 0;
  host_settings_end(&host);
  if (done)
    *done = made;
  const int journal_fails = sim_journal_fails(s); // what it has is written, whatever the step says
  if (s->engine.loop.frame.output.fault)
    return SAGBEND_FAULT;
  const int has_lost = s->has_lost_event; // told once
  s->has_lost_event = 0;
  if (journal_fails)
    return SAGBEND_IO;
  return has_lost ? SAGBEND_NO_MEMORY : SAGBEND_OK;
}

double sagbend_time(const sagbend_sim *s) {
  return s->engine.loop.frame.output.time_s;
}

uint64_t sagbend_steps(const sagbend_sim *s) {
  return s->engine.loop.frame.output.step;
}

double sagbend_step_s(const sagbend_sim *s) {
  return s->c->setup.config.sim.step_s;
}

double sagbend_period_s(const sagbend_sim *s) {
  const struct host_settings host = host_settings_begin();
  const double period_s = (double)s->engine.loop.command_def.period_steps * sagbend_step_s(s);
  host_settings_end(&host);
  return period_s;
}

double sagbend_duration_s(const sagbend_sim *s) {
  return s->c->setup.config.run.duration_s;
}

uint64_t sagbend_hash(const sagbend_sim *s) {
  return s->alone ? alone_hash(s) : sim_hash(s->engine.plant.sim);
}

size_t sagbend_memory(const sagbend_sim *s) {
  const struct config *config = &s->c->setup.config;
  const struct plant *plant = &s->engine.plant;
  size_t sim = sim_sharing_size(plant->sim);
  if (!s->first)
    sim_memsize(&config->sim, &sim, NULL);
  return sizeof *s + sim + sensor_suite_memsize(&config->suite, config->sim.step_s) +
         (plant->work ? sizeof *plant->work : 0) + (s->first ? 0 : s->start_bytes) +
         s->event_room * sizeof *s->event;
}

// ---- Inputs ----

static sagbend_status set_command(sagbend_sim *s, const uint32_t *ids, size_t count, const double *values,
                                  sagbend_error *error) {
  const struct variables *all = sim_variables(s);
  struct inputs inputs = s->inputs;
  struct command command;
  struct reason why = {""};
  for (size_t i = 0; i < count; i++) {
    const sagbend_status status = sim_check_input(all, ids[i], values[i], error);
    if (status != SAGBEND_OK)
      return status;
    inputs_set(&inputs, variable_of(all, ids[i]), values[i]);
  }
  inputs_command(&inputs, &s->engine, &command);
  if (command_check(&s->engine.loop.command_def, &command, &why) != STATUS_OK)
    return sagbend_fail(error, SAGBEND_BAD_INPUT, why.text);
  s->inputs = inputs;
  return SAGBEND_OK;
}

sagbend_status sagbend_set(sagbend_sim *s, const uint32_t *ids, size_t count, const double *values,
                           sagbend_error *error) {
  if (!s || (count && (!ids || !values)))
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation, numbers and values expected");
  const struct host_settings host = host_settings_begin(); // its texts contain numbers
  const sagbend_status status =
      s->alone ? alone_set(s, ids, count, values, error) : set_command(s, ids, count, values, error);
  host_settings_end(&host);
  return status;
}

uint64_t sagbend_commands_refused(const sagbend_sim *s, sagbend_error *newest) {
  if (s->inputs.refused)
    sagbend_fail(newest, SAGBEND_BAD_INPUT, s->refused.text);
  return s->inputs.refused;
}

int sagbend_sensors_due(const sagbend_sim *s) {
  return closed_loop_sends_sensors(&s->engine.loop);
}

// ---- Orders ----

sagbend_status sagbend_order(sagbend_sim *s, const char *words, uint64_t *number, sagbend_error *error) {
  struct order order = {.operator_name = "caller"};
  struct reason why = {""};
  if (!s || !words)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation and an order expected");
  if (s->alone)
    return sagbend_fail(error, SAGBEND_BAD_INPUT,
                        "a controller alone takes no orders: its set-point comes by link.setpoint_order");
  const struct host_settings host = host_settings_begin();
  const enum status status = engine_read_order(&s->engine, words, &order, &why);
  if (status == STATUS_OK) {
    engine_order(&s->engine, &order);
    closed_loop_show_orders(&s->engine.loop, &s->engine.loop.frame);
    event_find(&s->finder, &s->engine.loop.frame);
    s->is_used = 1;
    journal_put_text(&s->journal, JOURNAL_ORDER, words, strlen(words));
  }
  host_settings_end(&host);
  if (status != STATUS_OK)
    return sagbend_fail(error, sagbend_status_of(status), why.text);
  if (number)
    *number = order.number;
  return SAGBEND_OK;
}

// ---- Events, verdicts, nodes ----

size_t sagbend_event_count(const sagbend_sim *s) {
  return s ? s->event_count : 0;
}

sagbend_status sagbend_event_at(const sagbend_sim *s, size_t index, sagbend_event *out) {
  if (!s || !out || index >= s->event_count)
    return SAGBEND_WRONG_CALL;
  const struct run_event *e = &s->event[index];
  sagbend_event full = {.step = e->step, .time_s = e->time_s};
  snprintf(full.name, sizeof full.name, "%s", e->name);
  snprintf(full.text, sizeof full.text, "%s", e->text);
  return sagbend_copy_out(out, &full, sizeof full) ? SAGBEND_OK : SAGBEND_WRONG_CALL;
}

size_t sagbend_verdict_count(const sagbend_sim *s) {
  return s && !s->alone ? (size_t)s->c->setup.config.scenario.verdict_count : 0;
}

sagbend_status sagbend_verdict_at(const sagbend_sim *s, size_t index, sagbend_verdict *out) {
  if (!s || !out || index >= sagbend_verdict_count(s))
    return SAGBEND_WRONG_CALL;
  const struct verdict *v = &s->engine.loop.frame.verdict[index];
  const struct verdict_def *def = &s->c->setup.config.scenario.verdict[index];
  const sagbend_verdict full = {.name = def->name,
                                .result = (int32_t)verdict_result(v, def),
                                .violated_step = v->violated_step ? v->violated_step - 1 : UINT64_MAX,
                                .worst_value = v->worst_value,
                                .worst_margin = v->worst_margin};
  return sagbend_copy_out(out, &full, sizeof full) ? SAGBEND_OK : SAGBEND_WRONG_CALL;
}

size_t sagbend_node_count(const sagbend_sim *s) {
  return s && !s->alone ? (size_t)sim_node_count(s->engine.plant.sim) : 0;
}

sagbend_status sagbend_nodes(const sagbend_sim *s, double *rows, size_t row_count) {
  const size_t count = sagbend_node_count(s);
  if (!s || row_count < count || (count && !rows))
    return SAGBEND_WRONG_CALL;
  struct sim_node *nodes = malloc((count + 1) * sizeof *nodes);
  if (!nodes)
    return SAGBEND_NO_MEMORY;
  const struct host_settings host = host_settings_begin();
  if (count)
    sim_get_nodes(s->engine.plant.sim, nodes);
  for (size_t i = 0; i < count; i++) {
    const double row[SAGBEND_NODE_COLUMNS] = {nodes[i].position_n_m[0],
                                              nodes[i].position_n_m[1],
                                              nodes[i].position_n_m[2],
                                              nodes[i].arc_length_m,
                                              nodes[i].section.effective_tension_n,
                                              nodes[i].utilisation};
    memcpy(rows + i * SAGBEND_NODE_COLUMNS, row, sizeof row);
  }
  host_settings_end(&host);
  free(nodes);
  return SAGBEND_OK;
}

// ---- Rollouts ----

sagbend_status sagbend_rollout(sagbend_sim *s, size_t rows, uint64_t every, const uint32_t *input_ids,
                               size_t input_count, const double *inputs, const uint32_t *output_ids,
                               size_t output_count, double *outputs, size_t *done, sagbend_error *error) {
  sagbend_status status = SAGBEND_OK;
  size_t k = 0;
  if (done)
    *done = 0;
  if (!s || !every)
    return sagbend_fail(error, SAGBEND_WRONG_CALL,
                        "a simulation and at least one step for each row expected");
  if ((input_count && (!input_ids || (rows && !inputs))) ||
      (output_count && (!output_ids || (rows && !outputs))))
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "numbers and arrays of inputs and outputs expected");
  if (!sim_are_variables(s, input_ids, input_count, 1) || !sim_are_variables(s, output_ids, output_count, 0))
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "numbers of inputs and of outputs of this case expected");
  for (; k < rows; k++) {
    if (input_count)
      status = sagbend_set(s, input_ids, input_count, inputs + k * input_count, error);
    if (status != SAGBEND_OK)
      break;
    status = sagbend_step(s, every, NULL);
    if (status != SAGBEND_OK) {
      sagbend_fail(error, status, sagbend_status_text(status));
      break;
    }
    sagbend_get(s, output_ids, output_count, output_count ? outputs + k * output_count : NULL);
  }
  if (done)
    *done = k;
  return status;
}
