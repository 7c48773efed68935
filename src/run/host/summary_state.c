// Of a summary: the state at the end of the run, the energy, and the error of the memory in the hydro file.
#include "run/host/host_internal.h"

#include "sagbend/hydro/hydro.h"
#include "sagbend/loop/loop.h"
#include "sagbend/math/math.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void summary_number(cJSON *to, const char *name, double value) {
  cJSON_AddNumberToObject(to, name, value);
}

void summary_text(cJSON *to, const char *name, const char *text) {
  cJSON_AddStringToObject(to, name, text);
}

cJSON *summary_item(cJSON *list) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToArray(list, item);
  return item;
}

static const double DEG = 180 / TRIG_PI;

// Adds a number unless the object already has that name.
static void add_once(cJSON *to, const char *name, double value) {
  if (!cJSON_HasObjectItem(to, name))
    summary_number(to, name, value);
}

// Returns the object of a quantity; creates it if it is missing.
static cJSON *object_of(cJSON *root, enum quantity q) {
  const char *name = quantity_groups[quantity_table[q].group].object;
  cJSON *object = *name ? cJSON_GetObjectItem(root, name) : root;
  return object ? object : cJSON_AddObjectToObject(root, name);
}

static void add_vector(cJSON *to, const char *name, const double *values, int count, double factor) {
  cJSON *array = cJSON_AddArrayToObject(to, name);
  for (int i = 0; i < count; i++)
    cJSON_AddItemToArray(array, cJSON_CreateNumber(values[i] * factor));
}

void summary_add_energy(cJSON *root, const struct ledger *l) {
  cJSON *energy = cJSON_AddObjectToObject(root, "energy");
  summary_number(energy, "initial_j", l->energy_initial_j);
  summary_number(energy, "final_j", l->energy_j);
  summary_number(energy, "kinetic_j", l->kinetic_j);
  summary_number(energy, "memory_j", l->memory_j);
  cJSON *work = cJSON_AddObjectToObject(energy, "work_j");
  for (int i = 0; i < PORT_COUNT; i++)
    summary_number(work, energy_port_name(i), l->total_work_j[i]);
  cJSON *loss = cJSON_AddObjectToObject(energy, "dissipated_j");
  for (int i = 0; i < LOSS_COUNT; i++)
    summary_number(loss, loss_name(i), l->total_loss_j[i]);
  summary_number(energy, "residual_j", l->total_residual_j);
  summary_number(energy, "max_abs_residual_j", l->max_abs_residual_j);
  summary_number(energy, "closure_rel", ledger_closure_rel(l));
}

// Adds the set-point, if the configuration states one.
static void add_setpoint(cJSON *vessel, const struct host *host) {
  const struct config *c = &host->setup.config;
  const struct pid_def *law = host->setup.has_dp                           ? &host->setup.dp.def.pid
                              : c->sim.controller == CONTROLLER_CONTINUOUS ? &c->sim.pid
                                                                           : NULL;
  double setpoint[3];
  if (loop_is_on_route(&host->session->last.target) ||
      !session_setpoint(host->session, &host->session->last.target, setpoint))
    return;
  add_vector(vessel, "setpoint_m", (double[]){setpoint[0], setpoint[1], law ? law->reference[2] : 0}, 3, 1);
  summary_number(vessel, "setpoint_heading_deg", setpoint[2] * DEG);
}

// Adds the route of the DP file. Where the vessel is on it stands among the quantities.
static void add_route(cJSON *root, const struct track_def *track) {
  if (!track->route.count)
    return;
  cJSON *route = cJSON_AddObjectToObject(root, "route");
  summary_number(route, "length_m", track->route.length_m);
  cJSON *waypoints = cJSON_AddArrayToObject(route, "waypoints");
  for (int i = 0; i < track->route.waypoint_count; i++) {
    const struct waypoint *from = &track->route.waypoint[i];
    cJSON *waypoint = summary_item(waypoints);
    summary_number(waypoint, "north_m", from->position_m[0]);
    summary_number(waypoint, "east_m", from->position_m[1]);
    summary_number(waypoint, "radius_m", from->radius_m);
  }
}

void summary_add_state(cJSON *root, const struct host *host) {
  const struct sim_output *o = &host->session->last.output;
  cJSON *newton = cJSON_AddObjectToObject(root, "newton");
  summary_number(newton, "max", o->newton_max);
  summary_number(newton, "mean", o->newton_mean);
  summary_number(newton, "tangents_mean", o->tangents_mean);
  summary_number(newton, "divided_count", (double)o->divided_count);
  summary_number(newton, "cap_count", (double)o->not_converged_count); // former name of steps_not_converged
  summary_number(root, "steps_not_converged", (double)o->not_converged_count);
  summary_number(root, "contact_not_resolved_steps", (double)o->contact_not_resolved_count);
  cJSON *vessel = cJSON_AddObjectToObject(root, "vessel");
  add_vector(vessel, "position_m", o->position_n_m, 3, 1);
  add_vector(vessel, "attitude_deg", o->euler_rad, 3, DEG);
  add_setpoint(vessel, host);
  add_route(root, &host->setup.config.scenario.track);
  add_vector(vessel, "control_wrench_b", o->control_wrench_b, 6, 1);
}

// Adds the result of the consequence analysis of a controller inside for each failure at the end.
static void add_failures(cJSON *to, const struct closed_loop *loop) {
  const struct consequence_def *def = loop->inside ? &loop->inside->consequence : NULL;
  const struct consequence_state *state = &loop->dp.consequence;
  if (!def || !def->present || !state->known)
    return;
  cJSON *failures = cJSON_AddArrayToObject(to, "failures");
  for (int i = 0; i < def->failure_count; i++) {
    if (state->margin[i] < 0) // it takes nothing away
      continue;
    cJSON *failure = summary_item(failures);
    summary_text(failure, "name", def->failure[i].name);
    summary_number(failure, "margin", state->margin[i]);
    cJSON_AddBoolToObject(failure, "alarm", state->failure_alarm[i]);
  }
}

// Adds the quantities of sagbend/rig/quantities.inc at the end of the run, each to the object of its group.
// Without a pipe the object "pipe" is null.
void summary_add_quantities(cJSON *root, const struct host *host) {
  const struct sim_output *o = &host->session->last.output;
  const struct loop_view view = loop_view_of(&host->session->last, &host->session->last.target);
  if (!o->has_pipe)
    cJSON_AddNullToObject(root, "pipe");
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (quantity_exists((enum quantity)q, &view))
      add_once(object_of(root, (enum quantity)q), quantity_shown_name(q),
               quantity_shown((enum quantity)q, &view));
  add_failures(object_of(root, QUANTITY_CONSEQUENCE_MARGIN), &host->session->engine.loop);
}

// ---- The hydro file ----

void summary_add_hydro(cJSON *root, const struct host *host) {
  const struct hydro_data *data = host->setup.config.hydro;
  if (!data)
    return;
  cJSON *hydro = cJSON_AddObjectToObject(root, "hydro");
  summary_text(hydro, "file", host->setup.config.hydro_file);
  summary_number(hydro, "fit_error_of_peak", data->fit.error);
  cJSON *motions = cJSON_AddObjectToObject(hydro, "motion_error_of_peak");
  for (int i = 0; i < 6; i++)
    summary_number(motions, HYDRO_DOF[i], data->fit.motion[i]);
}

void summary_print_hydro(const struct host *host) {
  char text[400];
  if (host->setup.config.hydro && hydro_fit_notice(host->setup.config.hydro, text, sizeof text))
    printf("%-20s %s\n", "hydro file", text);
}

// ------------------------------------------------------------
// Of a summary: simulated time against the wall clock, pauses and waits; latencies; what the system did to
// the step thread.

static void add_late_step(cJSON *o, const struct late_step *late) {
  summary_number(o, "step", (double)late->step);
  summary_number(o, "time_s", late->time_s);
  summary_number(o, "late_us", late->late_us);
  summary_text(o, "cause", step_stage_name((int)late_step_cause(late)));
  cJSON *stages = cJSON_AddObjectToObject(o, "stages_us");
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    summary_number(stages, step_stage_name(i), late->stage_us[i]);
}

static void add_clock(cJSON *to, const struct rig_time *clock) {
  cJSON *o = cJSON_AddObjectToObject(to, "clock");
  summary_text(o, "name", rig_clock_word(clock->clock));
  summary_number(o, "offset_mean_s", clock->session_mean_s);
  summary_number(o, "offset_worst_s", clock->session_worst_s);
  summary_number(o, "behind_s", clock->behind_s);
  summary_number(o, "jumps", (double)clock->jumps);
  summary_number(o, "newest_jump_s", clock->newest_jump_s);
  summary_number(o, "jump_periods", (double)clock->jump_periods);
  if (!clock->is_known)
    return;
  cJSON *kernel = cJSON_AddObjectToObject(o, "kernel");
  cJSON_AddBoolToObject(kernel, "synchronised", clock->is_synchronised != 0);
  summary_number(kernel, "estimated_error_s", clock->estimated_error_s);
  summary_number(kernel, "largest_error_s", clock->largest_error_s);
  summary_number(kernel, "frequency_ppm", clock->frequency_ppm);
  summary_number(kernel, "tai_offset_s", clock->tai_offset_s);
}

static void add_real_time(cJSON *root, const struct host *host) {
  const struct real_time *t = &host->session->last.timing.real_time;
  if (host->setup.config.run.mode != RUN_REALTIME)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "real_time");
  summary_number(o, "minor_page_faults", (double)t->minor_faults);
  summary_number(o, "major_page_faults", (double)t->major_faults);
  summary_number(o, "waits", (double)t->waits);
  summary_number(o, "preemptions", (double)t->preemptions);
  summary_text(o, "overrun", host->setup.config.run.overrun == OVERRUN_HALT ? "halt" : "count");
  summary_number(o, "halts", (double)host_halts(host));
  if (host->session->last.timing.clock.is_measured)
    add_clock(o, &host->session->last.timing.clock);
  summary_number(o, "late_steps", (double)host->session->late.count);
  if (host->session->late.count)
    add_late_step(cJSON_AddObjectToObject(o, "worst_late_step"), &host->session->late.worst);
  cJSON *newest = cJSON_AddArrayToObject(o, "newest_late_steps");
  const struct late_step *late;
  for (uint64_t i = 0; (late = late_steps_newest(&host->session->late, i)); i++)
    add_late_step(summary_item(newest), late);
}

void summary_add_times(cJSON *root, const struct host *host) {
  const struct timing *t = &host->session->last.timing;
  const struct session_pace pace = session_pace(host->session, &host->pauses, host->session->end_ns);
  double running_s = pace.wall_s - pace.paused_s;
  summary_number(root, "steps", (double)host->session->last.output.step);
  summary_number(root, "sim_time_s", host->session->last.output.time_s);
  summary_number(root, "first_step", (double)host->session->first_step);
  summary_number(root, "wall_time_s", pace.wall_s);
  summary_number(root, "real_time_factor", running_s > 0 ? pace.simulated_s / running_s : (double)NAN);
  summary_number(root, "late_steps", (double)t->late_steps);
  summary_number(root, "lost_periods", (double)t->lost_periods);
  summary_number(root, "lag_s", t->lag_s);
  summary_number(root, "dropped_frames", (double)t->dropped_frames);
  cJSON *realtime = cJSON_AddObjectToObject(root, "realtime");
  cJSON_AddBoolToObject(realtime, "fifo", host->privileges.fifo);
  cJSON_AddBoolToObject(realtime, "serving_fifo", host->privileges.serving_fifo);
  cJSON_AddBoolToObject(realtime, "mlock", host->privileges.locked);
  cJSON_AddBoolToObject(realtime, "cpus_awake", host->privileges.cpus_awake);
  add_real_time(root, host);
}

void summary_print_times(const struct host *host) {
  const struct session_pace pace = session_pace(host->session, &host->pauses, host->session->end_ns);
  printf("%-20s %.3f s in %.3f s", "simulated", pace.simulated_s, pace.wall_s);
  if (pace.paused_s > 0)
    printf(" (%.3f s of them paused)", pace.paused_s);
  printf(", %" PRIu64 " steps", pace.steps);
  if (host->session->first_step)
    printf(" from step %" PRIu64 " to %" PRIu64, host->session->first_step, host->session->last.output.step);
  putchar('\n');
}

void summary_add_pauses(cJSON *root, const struct host *host) {
  const struct pauses *p = &host->pauses;
  cJSON *pauses = cJSON_AddObjectToObject(root, "pauses");
  summary_number(pauses, "count", (double)p->count);
  summary_number(pauses, "wall_s", 1e-9 * (double)pauses_ns(p, host->session->end_ns));
  cJSON *list = cJSON_AddArrayToObject(pauses, "first");
  for (uint64_t i = 0; i < p->count && i < PAUSES_KEPT; i++) {
    const struct pause *pause = &p->kept[i];
    cJSON *item = cJSON_CreateObject();
    summary_number(item, "step", (double)pause->step);
    summary_number(item, "time_s", pause->time_s);
    summary_number(item, "wall_s", pause_s(pause, host->session->end_ns));
    cJSON_AddBoolToObject(item, "halted", pause->halted);
    summary_text(item, "why", pause->why);
    summary_text(item, "operator", pause->operator_name);
    cJSON_AddItemToArray(list, item);
  }
}

void summary_add_waits(cJSON *root, const struct host *host) {
  const struct lockstep_waits *w = &host->waits;
  if (host->setup.config.run.mode != RUN_LOCKSTEP)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "lockstep");
  summary_number(o, "answers", (double)w->answers);
  summary_number(o, "long_waits", (double)w->long_waits);
  summary_number(o, "waited_s", w->total_s);
  summary_number(o, "longest_wait_s", w->longest_s);
  summary_number(o, "longest_wait_step", (double)w->longest_step);
}

// ---- Latencies ----

// Null without a measurement.
static cJSON *add_percentiles(cJSON *to, const char *name, const struct latency *t) {
  cJSON *o = cJSON_AddObjectToObject(to, name);
  double none = t->count ? 0 : (double)NAN;
  summary_number(o, "p50", t->p50_us + none);
  summary_number(o, "p99", t->p99_us + none);
  summary_number(o, "p999", t->p999_us + none);
  summary_number(o, "max", t->max_us + none);
  return o;
}

static void add_bucket(void *array, struct histogram_bucket bucket) {
  const double pair[] = {1e-3 * (double)bucket.upper_ns, (double)bucket.count};
  cJSON_AddItemToArray(array, cJSON_CreateDoubleArray(pair, 2));
}

// histogram_us: for each bucket that is not empty its upper end and its count.
static void add_histogram(cJSON *to, const char *name, const struct histogram *h) {
  struct latency t;
  times_fill_latency(h, &t);
  cJSON *o = add_percentiles(to, name, &t);
  summary_number(o, "count", (double)t.count);
  histogram_visit(h, add_bucket, cJSON_AddArrayToObject(o, "histogram_us"));
}

void summary_add_latency(cJSON *root, const struct host *host) {
  struct latency step, wakeup;
  times_fill_latency(&host->session->times.step_ns, &step);
  times_fill_latency(&host->session->times.wakeup_ns, &wakeup);
  add_percentiles(root, "step_us", &step);
  add_percentiles(root, "wakeup_us", &wakeup);
  cJSON *o = cJSON_AddObjectToObject(root, "latency");
  add_histogram(o, "step_us", &host->session->times.step_ns);
  add_histogram(o, "wakeup_us", &host->session->times.wakeup_ns);
  add_histogram(o, "step_end_to_sensors_sent_us", &host->session->sent_ns);
  add_histogram(o, "command_received_to_latched_us", &host->session->times.latched_ns);
}

static void print_latency(const char *name, const struct histogram *h) {
  struct latency t;
  times_fill_latency(h, &t);
  if (t.count)
    printf("%-20s p50 %.0f  p99 %.0f  p99.9 %.0f  max %.0f us\n", name, t.p50_us, t.p99_us, t.p999_us,
           t.max_us);
}

void summary_print_latency(const struct host *host) {
  print_latency("step time", &host->session->times.step_ns);
  print_latency("wake-up latency", &host->session->times.wakeup_ns);
  print_latency("Sensors sent", &host->session->sent_ns);
  print_latency("commands latched", &host->session->times.latched_ns);
}

// ---- The step thread ----

// Where the steps follow the clock of a rig.
static void print_clock(const struct rig_time *clock) {
  if (!clock->is_measured || clock->clock == RIG_CLOCK_MONOTONIC)
    return;
  printf("%-20s %s, steps began %.0f us after their times on average, %.0f us at worst; set %" PRIu64
         " times; %s\n",
         "clock", rig_clock_word(clock->clock), 1e6 * clock->session_mean_s, 1e6 * clock->session_worst_s,
         clock->jumps,
         !clock->is_known         ? "nothing is known of UTC"
         : clock->is_synchronised ? "synchronised, by the kernel"
                                  : "not synchronised, by the kernel");
}

void summary_print_real_time(const struct host *host) {
  const struct real_time *t = &host->session->last.timing.real_time;
  const struct late_step *worst = &host->session->late.worst;
  if (host->setup.config.run.mode != RUN_REALTIME)
    return;
  printf("%-20s %" PRIu64 " page faults (%" PRIu64 " from the disk), %" PRIu64 " preemptions\n",
         "step thread", t->minor_faults + t->major_faults, t->major_faults, t->preemptions);
  print_clock(&host->session->last.timing.clock);
  if (host->session->late.count)
    printf("%-20s step %" PRIu64 ", %.0f us after its deadline, most of it in %s\n", "worst late step",
           worst->step, worst->late_us, step_stage_name((int)late_step_cause(worst)));
  if (host_halts(host))
    printf("%-20s %" PRIu64 " times, the last after %" PRIu64 " periods without a step on time\n", "halted",
           host_halts(host), t->halts ? t->halted_after : host->earlier.halted_after);
}
