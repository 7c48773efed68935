#include "hil/closed_loop.h"

#include "hil/dp_sensors.h"

#include <string.h>

// What the frame says beside the simulator's output.
static void fill_frame(struct closed_loop *s) {
  struct frame *f = &s->frame;
  const struct events *events = &s->scenario.events;
  f->ledger = *sim_ledger(s->sim);
  f->command_state = s->latch.state;
  f->command_sequence = s->latch.last.sequence;
  f->command_based_on_step = s->latch.last.based_on_step;
  f->faults = events->faults;
  f->faults_started = events->started;
  f->faults_ended = events->ended;
  f->orders_active = events_active_orders(events);
  f->last_order = events->last_order;
  f->orders_refused = events->orders_refused;
  f->verdicts_violated = scenario_violated(&s->scenario, s->scenario_def);
  f->sensors_lost = s->scenario.sensors_lost != 0;
  f->clock_offset_s = link_clock_offset_s(&events->faults);
  plant_feedback(&events->faults, &s->scenario_def->names, &f->output, &f->readings);
}

static struct loop_view view_of(const struct closed_loop *s) {
  const struct timing *t = &s->frame.timing;
  return (struct loop_view){.truth = &s->frame.output,
                            .target = &s->target,
                            .command_based_on_step = s->latch.any ? s->latch.last.based_on_step : 0,
                            .command_state = s->latch.state,
                            .ledger = sim_ledger(s->sim),
                            .late = {t->deadline_misses, t->skipped_periods}};
}

// The state after a step: the scenario sees it, the instruments measure it, then the frame tells it.
static void arrive(struct closed_loop *s) {
  const struct sim_output *truth = &s->frame.output;
  sim_get_output(s->sim, &s->frame.output);
  const struct loop_view view = view_of(s);
  scenario_update(&s->scenario, s->scenario_def, &view);
  sensor_suite_measure(s->suite, s->sim, truth, &s->scenario.events.faults, &s->frame.readings);
  scenario_judge(&s->scenario, s->scenario_def, &view, truth->step % s->command_def.period_steps == 0);
  fill_frame(s);
}

static void set_target(struct closed_loop *s, const double setpoint[3]) {
  struct sim_output start;
  struct loop_target *t = &s->target;
  sim_get_output(s->sim, &start);
  memcpy(t->start_n_m, start.position_n_m, sizeof t->start_n_m);
  memcpy(t->position_n_m, setpoint ? setpoint : start.position_n_m, sizeof t->position_n_m);
  t->heading_rad = setpoint ? setpoint[2] : start.euler_rad[2];
  t->step_s = s->scenario_def->step_s;
  t->controller_inside = s->scenario_def->controller_inside;
}

void closed_loop_init(struct closed_loop *s, struct sim *sim, struct sensor_suite *suite,
                      const struct command_def *def, const struct dp_def *inside,
                      const struct scenario_def *scenario, const double setpoint[3]) {
  memset(s, 0, sizeof *s);
  s->sim = sim;
  s->suite = suite;
  s->command_def = *def;
  s->inside = inside;
  dp_init(&s->dp);
  s->scenario_def = scenario;
  command_latch_init(&s->latch, def);
  scenario_init(&s->scenario, scenario);
  set_target(s, setpoint);
  sensor_suite_read(suite, &s->frame.readings);
  arrive(s);
}

void closed_loop_save(const struct closed_loop *s, struct closed_loop_state *out) {
  out->latch = s->latch;
  out->dp = s->dp;
  out->inside_accepted = s->inside_accepted;
  out->inside_refused = s->inside_refused;
  out->scenario = s->scenario;
}

struct closed_loop_rules closed_loop_rules(const struct closed_loop *s) {
  return (struct closed_loop_rules){.command = &s->command_def, .dp = s->inside, .scenario = s->scenario_def};
}

void closed_loop_resume(struct closed_loop *s, const struct closed_loop_state *from) {
  s->latch = from->latch;
  s->dp = from->dp;
  s->inside_accepted = from->inside_accepted;
  s->inside_refused = from->inside_refused;
  s->scenario = from->scenario;
  sim_get_output(s->sim, &s->frame.output);
  sensor_suite_read(s->suite, &s->frame.readings);
  fill_frame(s);
}

void closed_loop_end(struct closed_loop *s) {
  const struct loop_view view = view_of(s);
  scenario_judge_end(&s->scenario, s->scenario_def, &view);
  s->frame.verdicts_violated = scenario_violated(&s->scenario, s->scenario_def);
}

int closed_loop_at_sample(const struct closed_loop *s) {
  return s->frame.output.step % s->command_def.period_steps == 0;
}

int closed_loop_sends_sensors(const struct closed_loop *s) {
  return closed_loop_at_sample(s) && !s->frame.sensors_lost;
}

void closed_loop_order(struct closed_loop *s, const struct order *order) {
  events_order(&s->scenario.events, order, s->frame.output.step, s->target.step_s);
}

// The controller inside answers as one outside would, and its command passes the same gate.
static const struct command *sample_inside(struct closed_loop *s, struct command *command) {
  struct dp_sensors sensors;
  dp_sensors_of_frame(&s->frame, &sensors);
  dp_sample(&s->dp, s->inside, &sensors, command);
  struct reason why;
  if (command_check(&s->command_def, command, &why) != STATUS_OK) {
    s->inside_refused++;
    return NULL;
  }
  s->inside_accepted++;
  return command;
}

void closed_loop_step(struct closed_loop *s, const struct command *newest) {
  struct command inside, delivered;
  uint64_t step = s->frame.output.step;
  if (s->inside)
    newest = closed_loop_sends_sensors(s) ? sample_inside(s, &inside) : NULL;
  s->has_sent = newest != NULL;
  if (newest)
    s->sent = *newest;
  int comes = link_commands(&s->scenario.link, &s->scenario.events.faults, step, s->target.step_s, newest,
                            &delivered);
  command_latch_step(&s->latch, &s->command_def, comes ? &delivered : NULL, step);
  struct thruster_setpoint setpoint[MAX_THRUSTERS];
  struct sim_input input = {.wrench_b = s->latch.applied_b, .setpoint = setpoint};
  memcpy(setpoint, s->latch.setpoint, sizeof setpoint);
  faults_on_plant(&s->scenario.events.faults, &s->scenario.restart, &s->scenario_def->names, step,
                  s->frame.output.time_s, setpoint, &input);
  sim_step(s->sim, &input);
  arrive(s);
}
