// The closed loop: what happens in a step, in its order.
#include "sagbend/loop/loop.h"

#include "sagbend/dp/dp.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static int is_control_sample(const struct closed_loop *loop) {
  return loop->frame.output.step % loop->command_def.period_steps == 0;
}

void closed_loop_show_orders(const struct closed_loop *loop, struct frame *out) {
  const struct events *events = &loop->scenario.events;
  out->faults = events->faults;
  out->faults_started = events->started;
  out->faults_ended = events->ended;
  out->orders_active = events_active_orders(events);
  out->last_order = events->last_order;
  out->orders_refused = events->orders_refused;
  out->target = loop->target;
}

void closed_loop_copy_orders(const struct frame *from, struct frame *out) {
  out->faults = from->faults;
  out->faults_started = from->faults_started;
  out->faults_ended = from->faults_ended;
  out->orders_active = from->orders_active;
  out->last_order = from->last_order;
  out->orders_refused = from->orders_refused;
  out->target = from->target;
}

static void copy_verdicts_to_frame(struct closed_loop *loop) {
  struct frame *frame = &loop->frame;
  frame->verdicts_violated = scenario_violated(&loop->scenario, loop->scenario_def);
  for (int i = 0; i < loop->scenario_def->verdict_count; i++)
    frame->verdict[i] = loop->scenario.verdict[i];
}

static void show_changeover(struct closed_loop *loop) {
  const struct changeover *c = &loop->latch.changeover;
  struct changeover_view *out = &loop->frame.changeover;
  *out = (struct changeover_view){.listed = loop->command_def.controllers.count};
  if (!out->listed)
    return;
  out->term = c->term;
  out->seat = c->seat;
  out->given_to = c->given_to;
  out->since = c->since;
  out->cause = c->cause;
  out->count = c->count;
  out->late = c->late;
  out->gap_steps = c->gap_steps;
  out->on_backup = changeover_side(&loop->command_def.controllers, c) == SIDE_BACKUP;
  if (!c->since && loop->latch.has_command && loop->latch.state != COMMAND_LOST) {
    out->standbys_ready = loop->latch.last.standbys_ready;
    out->standbys_following = loop->latch.last.standbys_following;
  }
  const uint64_t silent_steps = loop->frame.output.step - loop->latch.latched_at_step;
  if (c->since && silent_steps > out->gap_steps) // while it lasts
    out->gap_steps = silent_steps;
  out->newest = bump_newest(&loop->bump);
  out->before = loop->bump.before;
}

// Copies to the frame what a step leaves behind beside output, readings and timing.
static void copy_loop_state_to_frame(struct closed_loop *loop) {
  struct frame *frame = &loop->frame;

  frame->ledger = *sim_ledger(loop->sim);

  frame->command_state = loop->latch.state;
  frame->command_sequence = loop->latch.last.sequence;
  frame->command_based_on_step = loop->latch.last.based_on_step;
  frame->commanded_thrusters = loop->latch.last.thruster_count;
  memcpy(frame->commanded_b, loop->latch.last.wrench_b, sizeof frame->commanded_b);
  frame->consequence = loop->latch.last.consequence;
  frame->consequence_alarms = loop->monitor.consequence_alarms;
  frame->notices = loop->monitor.notices;
  if (loop->scenario_def->controller_outside)
    frame->link_work = link_energy_work(&loop->link_energy);
  dp_alarm_state_copy(&loop->alarms, &frame->alarms);

  closed_loop_show_orders(loop, frame);
  copy_verdicts_to_frame(loop);
  frame->sensors_lost = loop->scenario.sensors_lost != 0;
  frame->clock_offset_s = link_clock_offset_s(&loop->scenario.events.faults);
  frame->inside_accepted = loop->inside_accepted;
  frame->inside_refused = loop->inside_refused;
}

static struct loop_view view_of(const struct closed_loop *loop) {
  return (struct loop_view){.truth = &loop->frame.output,
                            .target = &loop->target,
                            .command_based_on_step =
                                loop->latch.has_command ? loop->latch.last.based_on_step : 0,
                            .command_state = loop->latch.state,
                            .consequence = &loop->latch.last.consequence,
                            .consequence_alarms = loop->monitor.consequence_alarms,
                            .alarms = &loop->alarms,
                            .changeover = &loop->frame.changeover,
                            .ledger = sim_ledger(loop->sim),
                            .link_work = &loop->frame.link_work,
                            .timing = &loop->frame.timing};
}

// Before the events and verdicts, which may ask for it.
static void book_link_energy(struct closed_loop *loop) {
  const struct sim_output *now = &loop->frame.output;
  if (!loop->scenario_def->controller_outside)
    return;
  link_energy_step(&loop->link_energy, &loop->command_def, loop->sim, &loop->latch, now,
                   sim_ledger(loop->sim), loop->scenario_def->step_s);
  loop->frame.link_work = link_energy_work(&loop->link_energy);
  if (!loop->command_def.controllers.count || !now->step)
    return;
  double asked_b[6];
  link_energy_asked(&loop->link_energy, &loop->command_def, &loop->latch, asked_b);
  bump_step(&loop->bump, &loop->command_def, &loop->latch, asked_b, loop->scenario_def->step_s);
}

static void set_ordered_target(struct closed_loop *loop, const double setpoint[3], uint64_t order) {
  struct loop_target *target = &loop->target;
  memcpy(target->position_n_m, setpoint, sizeof target->position_n_m);
  target->heading_rad = setpoint[2];
  target->order = loop->ordered.setpoint_order = order;
  for (int i = 0; i < 3; i++)
    loop->ordered.setpoint[i] = order ? setpoint[i] : 0;
}

static void show_ordered_track(struct closed_loop *loop) {
  loop->target.track_orders = loop->ordered.track_orders;
  loop->target.track_order = loop->ordered.track_order;
}

// An event that moves the set-point does so at the state at which it begins.
static void take_setpoint_events(struct closed_loop *loop) {
  const struct fault_set *faults = &loop->scenario.events.faults;
  for (int i = 0; i < faults->count; i++) {
    const struct fault *f = &faults->fault[i];
    if (fault_target_of(f->kind) != TARGET_SETPOINT)
      continue;
    const struct held_pose held = loop_held_pose(&loop->target, &loop->frame.output);
    double setpoint[3] = {held.position_n_m[0], held.position_n_m[1], held.heading_rad};
    if (f->kind == FAULT_SETPOINT_MOVED) {
      setpoint[0] += f->value[0];
      setpoint[1] += f->value[1];
    } else {
      setpoint[2] = trig_wrap(held.heading_rad + f->value[0] * TRIG_PI / 180);
      setpoint[0] += f->value[1] * (trig_cos(held.heading_rad) - trig_cos(setpoint[2]));
      setpoint[1] += f->value[1] * (trig_sin(held.heading_rad) - trig_sin(setpoint[2]));
    }
    set_ordered_target(loop, setpoint, loop->target.order + SETPOINT_EVENT);
    if (loop->inside)
      dp_set_setpoint(&loop->dp, loop->inside, setpoint);
  }
}

// The same for an event in which an operator gives the command to another controller. The frame has it at
// once: in lockstep this step waits for the other one.
static void take_changeover_events(struct closed_loop *loop) {
  const struct fault_set *faults = &loop->scenario.events.faults;
  int any = 0;
  for (int i = 0; i < faults->count; i++)
    if (faults->fault[i].kind == FAULT_TAKE_OVER) {
      command_latch_give_by_event(&loop->latch, &loop->command_def, (uint64_t)(faults->fault[i].target + 1),
                                  loop->frame.output.step);
      any = 1;
    }
  if (any)
    show_changeover(loop);
}

// The way back, from the simulator's new state to the frame. Events come first: a fault that begins at this
// state acts on its readings.
static void measure_and_judge(struct closed_loop *loop) {
  const struct scenario_def *def = loop->scenario_def;
  const struct fault_set *faults = &loop->scenario.events.faults;
  struct frame *frame = &loop->frame;

  sim_get_output(loop->sim, &frame->output);
  book_link_energy(loop);
  show_changeover(loop);
  const struct loop_view view = view_of(loop);
  scenario_update(&loop->scenario, def, &view);
  take_setpoint_events(loop);
  take_changeover_events(loop);

  sensor_suite_measure(loop->suite, loop->sim, &frame->output, faults, &frame->readings);
  plant_feedback(faults, &def->names, &frame->output, &frame->readings);

  scenario_judge(&loop->scenario, def, &view, is_control_sample(loop));
  const struct monitor_target target = {
      {loop->target.position_n_m[0], loop->target.position_n_m[1]}, loop->target.step_s, loop->target.order};
  if (frame->output.step && !frame->output.fault)
    command_monitor_step(&loop->monitor, &loop->command_def, &loop->latch, loop->sim, &frame->output,
                         &target);
  copy_loop_state_to_frame(loop);
}

static void set_target(struct closed_loop *loop, const double setpoint[3]) {
  struct loop_target *target = &loop->target;
  struct sim_output start;
  sim_get_output(loop->sim, &start);

  memcpy(target->start_n_m, start.position_n_m, sizeof target->start_n_m);
  memcpy(target->position_n_m, setpoint ? setpoint : start.position_n_m, sizeof target->position_n_m);
  target->heading_rad = setpoint ? setpoint[2] : start.euler_rad[2];
  memcpy(loop->configured, target->position_n_m, sizeof target->position_n_m);
  loop->configured[2] = target->heading_rad;
  target->step_s = loop->scenario_def->step_s;
  target->track = loop->scenario_def->track.route.count ? &loop->scenario_def->track : NULL;
  target->controller_inside = loop->scenario_def->controller_inside;
  target->controller_outside = loop->scenario_def->controller_outside;
}

void closed_loop_init(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                      const struct command_def *def, const struct dp_def *inside, struct dp_work *work,
                      const struct scenario_def *scenario, const double setpoint[3]) {
  memset(loop, 0, sizeof *loop);
  closed_loop_begin(loop, sim, suite, def, inside, work, scenario, setpoint);
}

void closed_loop_begin(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                       const struct command_def *def, const struct dp_def *inside, struct dp_work *work,
                       const struct scenario_def *scenario, const double setpoint[3]) {
  loop->sim = sim;
  loop->suite = suite;
  loop->command_def = *def;
  loop->inside = inside;
  loop->work = work;
  loop->scenario_def = scenario;

  command_latch_init(&loop->latch, def); // a controller begins with zeros (dp_init)
  scenario_begin(&loop->scenario, scenario);
  set_target(loop, setpoint);

  sensor_suite_get_readings(suite, &loop->frame.readings);
  sim_get_output(sim, &loop->frame.output);
  if (scenario->controller_outside)
    link_energy_begin(&loop->link_energy, &loop->frame.output);
  measure_and_judge(loop);
}

void closed_loop_save(const struct closed_loop *loop, struct closed_loop_state *out) {
  out->latch = loop->latch;
  out->dp = loop->dp;
  out->inside_accepted = loop->inside_accepted;
  out->inside_refused = loop->inside_refused;
  out->scenario = loop->scenario;
  out->monitor = loop->monitor;
  out->link_energy = loop->link_energy;
  out->bump = loop->bump;
  out->alarms = loop->alarms;
  out->ordered = loop->ordered;
  out->silences = loop->silences;
}

struct closed_loop_rules closed_loop_rules(const struct closed_loop *loop) {
  return (struct closed_loop_rules){
      .command = &loop->command_def, .dp = loop->inside, .scenario = loop->scenario_def};
}

void closed_loop_resume(struct closed_loop *loop, const struct closed_loop_state *from) {
  struct frame *frame = &loop->frame;
  loop->latch = from->latch;
  loop->dp = from->dp;
  loop->inside_accepted = from->inside_accepted;
  loop->inside_refused = from->inside_refused;
  loop->scenario = from->scenario;
  loop->monitor = from->monitor;
  loop->link_energy = from->link_energy;
  loop->bump = from->bump;
  loop->alarms = from->alarms;
  loop->ordered = from->ordered;
  loop->silences = from->silences;
  show_ordered_track(loop);
  // In place, what came after that state must leave nothing behind.
  set_ordered_target(loop, from->ordered.setpoint_order ? from->ordered.setpoint : loop->configured,
                     from->ordered.setpoint_order);
  loop->brought.count = 0;
  loop->has_sent = 0;

  // Nothing is measured again: the instruments' state already contains the readings of this step.
  sim_get_output(loop->sim, &frame->output);
  sensor_suite_get_readings(loop->suite, &frame->readings);
  plant_feedback(&loop->scenario.events.faults, &loop->scenario_def->names, &frame->output, &frame->readings);
  show_changeover(loop);
  copy_loop_state_to_frame(loop);
}

void closed_loop_judge_end(struct closed_loop *loop) {
  const struct loop_view view = view_of(loop);
  scenario_judge_end(&loop->scenario, loop->scenario_def, &view);
  copy_verdicts_to_frame(loop);
}

int closed_loop_sends_sensors(const struct closed_loop *loop) {
  return is_control_sample(loop) && !loop->frame.sensors_lost;
}

// Orders that act on the steps: the functions that ORDER_TABLE names.
typedef void order_act(struct closed_loop *loop, const struct order *order) NONBLOCKING;
#define DECLARE_LOOP(act) static order_act act;
#define DECLARE_RUN(act)
#define DECLARE_GATE(act) static order_act act##_in_loop;
#define DECLARE_ASK(act)
#define DECLARE_MANAGER(act)
#define DECLARE(ID, word, number, payload, effect, ...) DECLARE_##effect
ORDER_TABLE(DECLARE)

// What the order does not give keeps its value.
static void take_setpoint(struct closed_loop *loop, const struct order *order) {
  const struct loop_target *target = &loop->target;
  double setpoint[3] = {target->position_n_m[0], target->position_n_m[1], target->heading_rad};
  for (int i = 0; i < 3; i++)
    if (order->setpoint.given[i])
      setpoint[i] = order->setpoint.value[i];
  set_ordered_target(loop, setpoint, loop->target.order / SETPOINT_EVENT * SETPOINT_EVENT + order->number);
  if (loop->inside)
    dp_set_setpoint(&loop->dp, loop->inside, setpoint);
}

// It acts at the next step. A release gives back what orders before it have taken.
static void take_tensioner(struct closed_loop *loop, const struct order *order) {
  loop->ordered.tensioner.is_released = !order->tensioner.given;
  if (order->tensioner.given)
    loop->ordered.tensioner.by_operator = order->tensioner;
}

static void take_track(struct closed_loop *loop, const struct order *order) {
  track_orders_take(&loop->ordered.track_orders, &order->track);
  loop->ordered.track_order = order->number;
  show_ordered_track(loop);
  if (loop->inside)
    dp_set_track(&loop->dp, &loop->ordered.track_orders);
}

static void begin_fault(struct closed_loop *loop, const struct order *order) {
  events_begin_ordered(&loop->scenario.events, order, loop->frame.output.step, loop->target.step_s);
}

static void stop_thruster(struct closed_loop *loop, const struct order *order) {
  events_stop_ordered(&loop->scenario.events, order, loop->frame.output.step, loop->target.step_s);
}

static void clear_faults(struct closed_loop *loop, const struct order *order) {
  events_clear(&loop->scenario.events, order);
}

// Between redundant controllers a change of command is bridged. The order names the controller.
static void take_over_in_loop(struct closed_loop *loop, const struct order *order) {
  if (!loop->inside)
    command_latch_give(&loop->latch, &loop->command_def,
                       controllers_seat(&loop->command_def.controllers, order->name), order->number,
                       loop->frame.output.step);
}

// NULL: an order that does not act on the steps.
#define ACT_LOOP(act)                               act
#define ACT_RUN(act)                                NULL
#define ACT_GATE(act)                               act##_in_loop
#define ACT_ASK(act)                                NULL
#define ACT_MANAGER(act)                            NULL
#define ACT(ID, word, number, payload, effect, ...) [ORDER_##ID] = ACT_##effect,
static order_act *const ACTS[] = {ORDER_TABLE(ACT)};

void closed_loop_apply_order(struct closed_loop *loop, const struct order *order) {
  loop->scenario.events.last_order = order->number;
  if (ACTS[order->kind])
    ACTS[order->kind](loop, order);
}

// Samples the controller inside, if its sample is due. Its command passes the same gate as one from outside.
// NULL: no sample is due, or the gate refused the command.
static const struct command *sample_inside_controller(struct closed_loop *loop, struct command *command) {
  struct dp_sensors sensors;
  struct reason why;
  if (!closed_loop_sends_sensors(loop))
    return NULL;

  dp_sensors_of_frame(&loop->frame, &sensors);
  dp_sample(&loop->dp, loop->inside, &sensors, loop->work, command);
  dp_alarms(&loop->dp, loop->inside, &loop->brought);
  if (command_check(&loop->command_def, command, &why) != STATUS_OK) {
    loop->inside_refused++;
    loop->frame.inside_why = why;
    return NULL;
  }
  loop->inside_accepted++;
  return command;
}

// A controller that is silent beyond the time-out no longer watches the pipe that it has ordered to move.
static void brake_on_silence(struct closed_loop *loop) {
  const struct tensioner_output *now = &loop->frame.output.tensioner;
  struct tensioner_input *next = &loop->ordered.tensioner;
  if (!loop->command_def.tensioner.brakes_on_silence || loop->latch.state != COMMAND_LOST ||
      now->source != TENSIONER_BY_CONTROLLER || now->ordered == TENSIONER_BRAKE || next->by_operator.given)
    return;
  next->by_controller = (struct tensioner_setpoint){.given = 1, .mode = TENSIONER_BRAKE};
  loop->silences++;
}

void closed_loop_bring_alarms(struct closed_loop *loop, const struct dp_alarm_list *alarms) {
  loop->brought.count = alarms->count;
  memcpy(loop->brought.alarm, alarms->alarm, (size_t)alarms->count * sizeof *alarms->alarm);
}

// Alarms do not pass the faulty link: people read them at the controller.
static void take_alarms(struct closed_loop *loop, const struct command *sent) {
  if (sent)
    dp_alarm_state_take(&loop->alarms, &loop->brought, sent->based_on_step);
  loop->brought.count = 0;
}

// Sends the command over the faulty link and latches what arrives in time for this step.
static void transfer_and_latch(struct closed_loop *loop, const struct command *newest) {
  uint64_t step = loop->frame.output.step;
  struct command delivered;

  loop->has_sent = newest != NULL;
  if (newest) {
    loop->sent = *newest;
    if (loop->scenario_def->controller_outside)
      link_energy_send(&loop->link_energy, &loop->command_def, loop->sim, &loop->latch, newest);
  }

  int arrived = link_transfer(&loop->scenario.link, &loop->scenario.events.faults, step, loop->target.step_s,
                              newest, &delivered);
  if (arrived && !command_latch_is_late(&loop->latch, &loop->command_def, &delivered)) {
    loop->ordered.tensioner.by_controller = delivered.tensioner;
    events_stop_thrusters(&loop->scenario.events, &delivered.stops, &loop->scenario_def->names, step,
                          loop->target.step_s);
  }
  command_latch_step(&loop->latch, &loop->command_def, arrived ? &delivered : NULL, step);
  brake_on_silence(loop);
}

// The stage of a step to which a stage of the simulator belongs.
static const enum step_stage PLACE[STAGE_COUNT] = {[STAGE_DISSIPATIVE] = STEP_DISSIPATIVE,
                                                   [STAGE_ASSEMBLE] = STEP_ASSEMBLE,
                                                   [STAGE_SOLVE] = STEP_SOLVE,
                                                   [STAGE_LEDGER] = STEP_SIMULATOR};

// Divides the time of the simulator into its own stages.
static void divide_simulator(struct closed_loop *loop) {
  struct step_clock *clock = &loop->clock;
  uint64_t of_sim[STAGE_COUNT];
  if (!clock->now_ns)
    return;

  step_clock_end(clock, STEP_SIMULATOR);
  sim_stage_times_ns(loop->sim, of_sim);
  for (int i = 0; i < STAGE_COUNT; i++)
    if (PLACE[i] != STEP_SIMULATOR && of_sim[i] <= clock->stage_ns[STEP_SIMULATOR]) {
      clock->stage_ns[PLACE[i]] += of_sim[i];
      clock->stage_ns[STEP_SIMULATOR] -= of_sim[i];
    }
}

// Advances the simulator with the latched command, altered by the faults of thrusters and power.
static void step_simulator(struct closed_loop *loop) {
  const struct frame *frame = &loop->frame;
  struct thruster_setpoint setpoint[MAX_THRUSTERS];
  struct sim_input input = {
      .wrench_b = loop->latch.applied_b, .setpoint = setpoint, .tensioner = loop->ordered.tensioner};

  if (frame->output.operation.needs_way && loop->target.track) {
    const struct loop_view view = view_of(loop);
    input.has_way = 1, input.way_m = loop_route_way(&view);
  }
  memcpy(setpoint, loop->latch.setpoint, sizeof setpoint);
  plant_apply_faults(&loop->scenario.events.faults, &loop->scenario.restart, &loop->scenario_def->names,
                     frame->output.step, frame->output.time_s, setpoint, &input);
  step_clock_end(&loop->clock, STEP_COMMAND);
  sim_step(loop->sim, &input);
  memset(&loop->ordered.tensioner, 0, sizeof loop->ordered.tensioner);
  divide_simulator(loop);
}

void closed_loop_step(struct closed_loop *loop, const struct command *newest) {
  struct command inside;
  const struct command *sent = loop->inside ? sample_inside_controller(loop, &inside) : newest;

  step_clock_end(&loop->clock, STEP_CONTROLLER);
  take_alarms(loop, sent);
  transfer_and_latch(loop, sent);
  step_simulator(loop);
  measure_and_judge(loop);
  step_clock_end(&loop->clock, STEP_INSTRUMENTS);
}
