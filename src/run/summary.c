#include "run/summary.h"
#include "run/summary_parts.h"
#include "run/verdicts.h"

#include "core/math/trig.h"
#include "hil/old_names.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEG = 180 / TRIG_PI;
static const char *const MODES[] = {"realtime", "lockstep", "fast"};
static const char *const CONTROLLERS[] = {"none", "continuous", "sampled", "external"};

// Adds a number. cJSON writes a non-finite number as null.
static void add(cJSON *to, const char *name, double value) {
  cJSON_AddNumberToObject(to, name, value);
}

// Adds a number unless the object already has that name.
static void add_once(cJSON *to, const char *name, double value) {
  if (!cJSON_HasObjectItem(to, name))
    add(to, name, value);
}

// Returns the object of a quantity; creates it if it is missing.
static cJSON *object_of(cJSON *root, enum quantity q) {
  const char *name = quantity_groups[quantity_table[q].group].object;
  cJSON *object = *name ? cJSON_GetObjectItem(root, name) : root;
  return object ? object : cJSON_AddObjectToObject(root, name);
}

static void add_text(cJSON *to, const char *name, const char *text) {
  cJSON_AddStringToObject(to, name, text);
}

static void add_hex(cJSON *to, const char *name, uint64_t value) {
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  add_text(to, name, text);
}

static void add_vector(cJSON *to, const char *name, const double *values, int count, double factor) {
  cJSON *array = cJSON_AddArrayToObject(to, name);
  for (int i = 0; i < count; i++)
    cJSON_AddItemToArray(array, cJSON_CreateNumber(values[i] * factor));
}

static void add_session(cJSON *root, const struct run *r) {
  const struct config *c = &r->session.config;
  add_text(root, "name", c->name);
  add_text(root, "session", r->session_id);
  add_hex(root, "config_hash", c->hash);
  add_text(root, "mode", MODES[c->run.mode]);
  add_text(root, "controller", CONTROLLERS[c->sim.controller]);
  add(root, "step_s", c->sim.step_s);
  cJSON *overrides = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < r->options->override_count; i++)
    cJSON_AddItemToArray(overrides, cJSON_CreateString(r->options->overrides[i]));
}

static void add_times(cJSON *root, const struct run *r) {
  const struct timing *t = &r->last.timing;
  double wall_s = 1e-9 * (double)(r->end_ns - r->start_ns);
  add(root, "steps", (double)r->last.output.step);
  add(root, "sim_time_s", r->last.output.time_s);
  add(root, "wall_time_s", wall_s);
  double running_s = wall_s - 1e-9 * (double)pauses_ns(&r->pauses, r->end_ns);
  double advanced_s = (double)(r->last.output.step - r->first_step) * r->session.config.sim.step_s;
  add(root, "real_time_factor", running_s > 0 ? advanced_s / running_s : (double)NAN);
  add(root, "deadline_misses", (double)t->deadline_misses);
  add(root, "skipped_periods", (double)t->skipped_periods);
  add(root, "lag_s", t->lag_s);
  add(root, "dropped_frames", (double)t->dropped_frames);
  cJSON *realtime = cJSON_AddObjectToObject(root, "realtime");
  cJSON_AddBoolToObject(realtime, "fifo", r->fifo);
  cJSON_AddBoolToObject(realtime, "mlock", r->locked);
  cJSON_AddBoolToObject(realtime, "cpus_awake", r->keeps_awake);
  summary_add_real_time(root, r);
}

static void add_energy(cJSON *root, const struct ledger *l) {
  cJSON *energy = cJSON_AddObjectToObject(root, "energy");
  add(energy, "initial_j", l->energy_initial_j);
  add(energy, "final_j", l->energy_j);
  add(energy, "kinetic_j", l->kinetic_j);
  cJSON *work = cJSON_AddObjectToObject(energy, "work_j");
  for (int i = 0; i < PORT_COUNT; i++)
    add(work, energy_port_name(i), l->total_work_j[i]);
  cJSON *loss = cJSON_AddObjectToObject(energy, "dissipated_j");
  for (int i = 0; i < LOSS_COUNT; i++)
    add(loss, loss_name(i), l->total_loss_j[i]);
  add(energy, "residual_j", l->total_residual_j);
  add(energy, "max_abs_residual_j", l->max_abs_residual_j);
  add(energy, "closure_rel", ledger_closure_rel(l));
}

// Adds the set-point, if the configuration states one.
static void add_setpoint(cJSON *vessel, const struct run *r) {
  const struct config *c = &r->session.config;
  const struct pid_def *law = r->session.has_dp                            ? &r->session.dp.def.pid
                              : c->sim.controller == CONTROLLER_CONTINUOUS ? &c->sim.pid
                                                                           : NULL;
  double setpoint[3];
  if (!run_setpoint(r, &r->last.target, setpoint))
    return;
  add_vector(vessel, "setpoint_m", (double[]){setpoint[0], setpoint[1], law ? law->reference[2] : 0}, 3, 1);
  add(vessel, "setpoint_heading_deg", setpoint[2] * DEG);
}

static void add_state(cJSON *root, const struct run *r) {
  const struct sim_output *o = &r->last.output;
  cJSON *newton = cJSON_AddObjectToObject(root, "newton");
  add(newton, "max", o->newton_max);
  add(newton, "mean", o->newton_mean);
  add(newton, "divided_count", (double)o->divided_count);
  add(newton, "cap_count", (double)o->unsolved_count); // former name of unsolved_steps
  add(root, "unsolved_steps", (double)o->unsolved_count);
  add(root, "unresolved_steps", (double)o->unresolved_count);
  cJSON *vessel = cJSON_AddObjectToObject(root, "vessel");
  add_vector(vessel, "position_m", o->position_n_m, 3, 1);
  add_vector(vessel, "attitude_deg", o->euler_rad, 3, DEG);
  add(vessel, "position_error_m", run_position_error_m(r, o));
  add_setpoint(vessel, r);
  add_vector(vessel, "control_wrench_b", o->control_wrench_b, 6, 1);
}

// Adds the quantities of hil/quantities.inc at the end of the run, each to the object of its group. Without a
// pipe the object "pipe" is null.
static void add_quantities(cJSON *root, const struct run *r) {
  const struct sim_output *o = &r->last.output;
  const struct loop_view view = loop_view_of(&r->last, &r->last.target);
  const struct old_name *old;
  if (!o->has_pipe)
    cJSON_AddNullToObject(root, "pipe");
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (quantity_exists((enum quantity)q, o))
      add_once(object_of(root, (enum quantity)q), quantity_shown_name(q),
               quantity_shown((enum quantity)q, &view));
  for (int i = 0; (old = old_name_in(OLD_IN_SUMMARY, i)); i++)
    if (quantity_exists(old->quantity, o))
      add(object_of(root, old->quantity), old->name, quantity_shown(old->quantity, &view));
}

static void add_nmea(cJSON *root, const struct run *r) {
  if (!r->nmea)
    return;
  const struct nmea_counts *counts = nmea_ports_counts(r->nmea);
  cJSON *nmea = cJSON_AddObjectToObject(root, "nmea");
  add(nmea, "sent", (double)counts->sent);
  add(nmea, "lost", (double)counts->lost);
  add(nmea, "failed", (double)counts->failed);
}

static struct command_counts counts_of(const struct run *r) {
  struct command_counts counts = {0};
  if (r->server)
    counts = *server_counts(r->server);
  counts.accepted += r->closed_loop.inside_accepted;
  counts.refused[REFUSED_RANGE] += r->closed_loop.inside_refused;
  return counts;
}

static double refused_in_all(const struct command_counts *counts) {
  uint64_t refused = 0;
  for (int i = 0; i < REFUSAL_COUNT; i++)
    refused += counts->refused[i];
  return (double)refused;
}

static void add_commands(cJSON *root, const struct run *r) {
  struct command_counts counts = counts_of(r);
  cJSON *commands = cJSON_AddObjectToObject(root, "commands");
  add(commands, "accepted", (double)counts.accepted);
  add(commands, "refused", refused_in_all(&counts));
  cJSON *reasons = cJSON_AddObjectToObject(commands, "refused_by_reason");
  for (int i = 0; i < REFUSAL_COUNT; i++)
    add(reasons, refusal_name(i), (double)counts.refused[i]);
  add(commands, "dropped", (double)r->commands_dropped);
  add(commands, "changes_of_command", (double)counts.changes);
  add(commands, "controllers_made_way", (double)counts.displaced);
  add(commands, "lost", (double)r->closed_loop.latch.lost_count);
  add_text(commands, "state", command_state_name(r->last.command_state));
}

static void add_pauses(cJSON *root, const struct run *r) {
  const struct pauses *p = &r->pauses;
  cJSON *pauses = cJSON_AddObjectToObject(root, "pauses");
  add(pauses, "count", (double)p->count);
  add(pauses, "wall_s", 1e-9 * (double)pauses_ns(p, r->end_ns));
  cJSON *list = cJSON_AddArrayToObject(pauses, "first");
  for (uint64_t i = 0; i < p->count && i < PAUSES_KEPT; i++) {
    const struct pause *pause = &p->kept[i];
    cJSON *item = cJSON_CreateObject();
    add(item, "step", (double)pause->step);
    add(item, "time_s", pause->time_s);
    add(item, "wall_s", pause_s(pause, r->end_ns));
    cJSON_AddBoolToObject(item, "halted", pause->halted);
    add_text(item, "why", pause->why);
    add_text(item, "operator", pause->operator_name);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_orders(cJSON *root, const struct run *r) {
  if (!r->server)
    return;
  const struct order_counts *counts = server_order_counts(r->server);
  cJSON *orders = cJSON_AddObjectToObject(root, "orders");
  add(orders, "accepted", (double)counts->accepted);
  add(orders, "refused", (double)counts->refused);
  add(orders, "newest", (double)r->closed_loop.scenario.events.last_order);
}

static void add_telemetry(cJSON *root, const struct run *r) {
  if (!r->server)
    return;
  const struct publisher_counts *counts = server_telemetry_counts(r->server);
  cJSON *telemetry = cJSON_AddObjectToObject(root, "telemetry");
  add(telemetry, "messages_dropped", (double)counts->dropped);
  add(telemetry, "subscriptions_ignored", (double)counts->ignored);
  add(telemetry, "connections_cut_off", (double)counts->cut_off);
}

static void add_security(cJSON *root, const struct run *r) {
  if (!r->server)
    return;
  const struct security_counts *counts = server_security_counts(r->server);
  cJSON *security = cJSON_AddObjectToObject(root, "security");
  cJSON_AddBoolToObject(security, "keys_required", counts->keys_required);
  add(security, "admitted", (double)counts->admitted);
  add(security, "take_overs", (double)counts->take_overs);
  cJSON *denied = cJSON_AddObjectToObject(security, "denied");
  for (int i = 0; i < DENIAL_COUNT; i++)
    add(denied, denial_name((enum denial)i), (double)counts->denied[i]);
  add(security, "denied_without_event", (double)counts->unreported);
}

// The sessions that a restore or reset ended; the rest of the summary is about the last one.
static void add_sessions(cJSON *root, const struct run *r) {
  if (*r->origin.how) {
    cJSON *from = cJSON_AddObjectToObject(root, "origin");
    add_text(from, "session", r->origin.session);
    add(from, "step", (double)r->origin.step);
    add_text(from, "how", r->origin.how);
    add_text(from, "name", r->origin.name);
  }
  add(root, "sessions_before", (double)r->past_count);
  cJSON *list = cJSON_AddArrayToObject(root, "sessions");
  uint64_t first = r->past_count > RUN_PAST_KEPT ? r->past_count - RUN_PAST_KEPT : 0;
  for (uint64_t i = first; i < r->past_count; i++) {
    const struct run_past *past = &r->past[i % RUN_PAST_KEPT];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    add_text(o, "session", past->session);
    add(o, "first_step", (double)past->first_step);
    add(o, "last_step", (double)past->last_step);
    add_text(o, "end", past->end);
    add_text(o, "log", past->log);
  }
}

static void add_checkpoints(cJSON *root, struct run *r) {
  if (r->origin.path) {
    cJSON *from = cJSON_AddObjectToObject(root, "resumed_from");
    add_text(from, "file", r->origin.path);
    add_text(from, "session", r->origin.session);
    add(from, "step", (double)r->origin.step);
    if (r->origin.lost_is_known)
      add(from, "lost_steps", (double)r->origin.lost_steps);
    else
      cJSON_AddNullToObject(from, "lost_steps");
  }
  if (!r->checkpointer.path)
    return;
  struct checkpointer_report report = checkpointer_report(&r->checkpointer);
  cJSON *o = cJSON_AddObjectToObject(root, "checkpoint");
  add_text(o, "file", r->checkpointer.path);
  add(o, "written", (double)report.written);
  add(o, "failed", (double)report.failed);
  add(o, "skipped", (double)report.skipped);
  add(o, "last_step", (double)report.last_step);
}

static double missing_in_log(const struct logger_report *report) {
  uint64_t missing = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    missing += report->dropped[t];
  return (double)missing;
}

static void add_log(cJSON *root, const struct run *r) {
  if (!r->logger)
    return;
  struct logger_report report = logger_report(r->logger);
  cJSON *o = cJSON_AddObjectToObject(root, "log");
  add_text(o, "file", logger_path(r->logger));
  add(o, "messages", (double)report.written.messages);
  add(o, "bytes", (double)report.written.bytes);
  add(o, "chunks", (double)report.written.chunks);
  cJSON *dropped = cJSON_AddObjectToObject(o, "dropped");
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    add(dropped, log_topic_name((enum log_topic)t) + 1, (double)report.dropped[t]);
  add(o, "missing", missing_in_log(&report));
  if (report.part) {
    add(o, "parts", (double)report.part);
    add(o, "parts_failed", (double)report.parts_failed);
    add(o, "parts_deleted", (double)report.parts_deleted);
    add(o, "deletions_failed", (double)report.deletions_failed);
  }
  cJSON_AddBoolToObject(o, "complete", logger_is_complete(&report));
  cJSON_AddBoolToObject(o, "commands_missing", report.commands_missing);
  if (report.commands_missing)
    add(o, "replayable_to_step", (double)report.replayable_to_step);
}

static void add_record(cJSON *root, const struct run *r) {
  const struct recorder *record = &r->recorder;
  if (!record->writer)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "record");
  add(o, "rows_missing", (double)record->missing[RECORD_ROW]);
  add(o, "shapes_missing", (double)record->missing[RECORD_SHAPE]);
  cJSON_AddBoolToObject(o, "complete", recorder_missing(record) == 0);
}

static void add_events(cJSON *root, const struct run *r) {
  const struct event_watch *w = &r->watch;
  cJSON *events = cJSON_AddObjectToObject(root, "events");
  add(events, "count", (double)w->count);
  cJSON *log = cJSON_AddArrayToObject(events, "first");
  for (uint64_t i = 0; i < w->count && i < EVENT_WATCH_KEPT; i++) {
    cJSON *event = cJSON_CreateObject();
    add(event, "step", (double)w->kept[i].step);
    add(event, "time_s", w->kept[i].time_s);
    add_text(event, "name", w->kept[i].name);
    add_text(event, "text", w->kept[i].text);
    cJSON_AddItemToArray(log, event);
  }
}

static void add_waits(cJSON *root, const struct run *r) {
  const struct lockstep_waits *w = &r->waits;
  if (r->session.config.run.mode != RUN_LOCKSTEP)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "lockstep");
  add(o, "answers", (double)w->answers);
  add(o, "long_waits", (double)w->long_waits);
  add(o, "waited_s", w->total_s);
  add(o, "longest_wait_s", w->longest_s);
  add(o, "longest_wait_step", (double)w->longest_step);
}

static void add_outcome(cJSON *root, const struct run *r) {
  const struct outcome *o = &r->outcome;
  add_text(root, "ended_by", run_end_word(o->end));
  cJSON_AddBoolToObject(root, "complete", !o->broke_off);
  cJSON_AddBoolToObject(root, "passed", o->reason_count == 0);
  cJSON *reasons = cJSON_AddArrayToObject(root, "failures");
  for (int i = 0; i < o->reason_count; i++)
    cJSON_AddItemToArray(reasons, cJSON_CreateString(o->reason[i].text));
}

enum status summary_write(struct run *r, struct reason *why) {
  if (!r->summary.stream)
    return STATUS_OK;
  cJSON *root = cJSON_CreateObject();
  add_session(root, r);
  add_times(root, r);
  summary_add_latency(root, r);
  add_state(root, r);
  add_nmea(root, r);
  add_energy(root, &r->last.ledger);
  add_commands(root, r);
  summary_add_buses(root, r);
  add_orders(root, r);
  add_pauses(root, r);
  add_telemetry(root, r);
  add_security(root, r);
  add_waits(root, r);
  add_checkpoints(root, r);
  add_sessions(root, r);
  add_quantities(root, r);
  add_log(root, r);
  add_record(root, r);
  add_events(root, r);
  verdicts_add(root, r);
  add_outcome(root, r);
  add_hex(root, "state_hash", sim_hash(r->session.sim));
  add_text(root, "config_text", r->session.config.text);
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (!text) {
    fail(why, STATUS_NO_MEMORY, "%s: out of memory for the summary", r->summary.path);
    output_file_abandon(&r->summary);
    return STATUS_NO_MEMORY;
  }
  fprintf(r->summary.stream, "%s\n", text);
  cJSON_free(text);
  return output_file_close(&r->summary, why);
}

static void print_log(const struct run *r) {
  if (!r->logger)
    return;
  struct logger_report report = logger_report(r->logger);
  printf("%-20s %s, %" PRIu64 " messages, %.1f MB, ", "log", logger_path(r->logger), report.written.messages,
         1e-6 * (double)report.written.bytes);
  if (report.parts_deleted)
    printf("%" PRIu64 " parts deleted%s", report.parts_deleted, logger_is_complete(&report) ? "\n" : ", ");
  else if (logger_is_complete(&report))
    puts("nothing left out");
  if (!logger_is_complete(&report))
    printf("not complete, %.0f messages are missing\n", missing_in_log(&report));
}

static void print_orders(const struct run *r) {
  const struct order_counts *counts = r->server ? server_order_counts(r->server) : NULL;
  if (counts && counts->accepted + counts->refused > 0)
    printf("%-20s %" PRIu64 " accepted, %" PRIu64 " refused\n", "orders", counts->accepted, counts->refused);
  if (r->pauses.count > 0)
    printf("%-20s %" PRIu64 ", %.3f s in all\n", "pauses", r->pauses.count,
           1e-9 * (double)pauses_ns(&r->pauses, r->end_ns));
}

void summary_print(const struct run *r) {
  const struct sim_output *o = &r->last.output;
  const struct timing *t = &r->last.timing;
  struct command_counts counts = counts_of(r);
  double setpoint[3];
  printf("%-20s %.3f s in %.3f s, %" PRIu64 " steps\n", "simulated", o->time_s,
         1e-9 * (double)(r->end_ns - r->start_ns), o->step);
  printf("%-20s %" PRIu64 " steps late, %" PRIu64 " periods (%.3f s) lost\n", "deadlines", t->deadline_misses,
         t->skipped_periods, t->lag_s);
  summary_print_latency(r);
  summary_print_real_time(r);
  printf("%-20s %d at most, %.2f on average\n", "Newton iterations", o->newton_max, o->newton_mean);
  if (o->unsolved_count)
    printf("%-20s %" PRIu64 ", %.3g %% of all: Newton found no solution, see newton_cap\n",
           "steps not solved", o->unsolved_count, 100.0 * (double)o->unsolved_count / (double)o->step);
  if (o->unresolved_count)
    printf("%-20s %" PRIu64 ": too long for the seabed, see contact_unresolved\n", "steps not resolved",
           o->unresolved_count);
  printf("%-20s residual %.3g J, closure %.3g\n", "energy ledger", r->last.ledger.total_residual_j,
         ledger_closure_rel(&r->last.ledger));
  printf("%-20s %.3f m from the %s, heading %.3f deg\n", "vessel", run_position_error_m(r, o),
         run_setpoint(r, &r->last.target, setpoint) ? "set-point" : "start", o->euler_rad[2] * DEG);
  char layback[32] = "none";
  if (!isnan(o->layback_m))
    snprintf(layback, sizeof layback, "%.1f m", o->layback_m);
  if (o->has_pipe)
    printf("%-20s tension %.1f kN, angle %.2f deg, lay-back %s, curvature %.3g 1/m, strain %.3f %%\n", "pipe",
           1e-3 * o->hangoff_tension_n, o->hangoff_angle_rad * DEG, layback, o->max_curvature_1pm,
           100 * o->max_strain);
  printf("%-20s %" PRIu64 " accepted, %.0f refused, lost %" PRIu64 " times\n", "commands", counts.accepted,
         refused_in_all(&counts), r->closed_loop.latch.lost_count);
  if (r->session.config.run.mode == RUN_LOCKSTEP)
    printf("%-20s %" PRIu64 " answers, the longest wait %.3f s at step %" PRIu64 "\n", "lockstep",
           r->waits.answers, r->waits.longest_s, r->waits.longest_step);
  print_orders(r);
  verdicts_print(r);
  print_log(r);
  for (int i = 0; i < r->outcome.reason_count; i++)
    printf("%-20s %s\n", i ? "" : "failed", r->outcome.reason[i].text);
}
