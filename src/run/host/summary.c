// The summary of a run, as JSON and as lines: what ran, its sessions, its files and events; the other parts
// are in the files beside.
#include "run/host/host.h"
#include "run/host/host_internal.h"

#include "net/counts/counts.h"
#include "os/files/files.h"
#include "run/session/session.h"
#include "sagbend/base/base.h"
#include "sagbend/loop/loop.h"
#include "sagbend/math/math.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void summary_hex(cJSON *to, const char *name, uint64_t value) {
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  summary_text(to, name, text);
}

static const char *const MODES[] = {"realtime", "lockstep", "fast"};
static const char *const CONTROLLERS[] = {"none", "continuous", "sampled", "external"};

static void add_what_ran(cJSON *root, const struct host *host) {
  const struct config *c = &host->setup.config;
  summary_text(root, "name", c->name);
  summary_text(root, "session", host->session->id);
  summary_hex(root, "config_hash", c->hash);
  summary_text(root, "mode", MODES[c->run.mode]);
  summary_text(root, "controller", CONTROLLERS[c->sim.controller]);
  summary_number(root, "step_s", c->sim.step_s);
  cJSON *overrides = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < host->options->given.override_count; i++)
    cJSON_AddItemToArray(overrides, cJSON_CreateString(host->options->given.overrides[i]));
}

static void add_results(cJSON *to, const struct host *host, const struct earlier_session *s) {
  const struct scenario_def *def = &host->setup.config.scenario;
  cJSON *list = cJSON_AddArrayToObject(to, "verdicts");
  for (int i = 0; i < def->verdict_count; i++) {
    cJSON *o = summary_item(list);
    summary_text(o, "name", def->verdict[i].name);
    summary_text(o, "result", verdicts_end_word((enum verdict_end)s->verdict[i]));
  }
}

static void add_session(cJSON *o, const struct host *host, const struct earlier_session *s) {
  summary_text(o, "session", s->session);
  summary_number(o, "first_step", (double)s->first_step);
  summary_number(o, "last_step", (double)s->last_step);
  summary_text(o, "end", s->end);
  summary_number(o, "wall_time_s", s->wall_s);
  summary_number(o, "paused_s", s->paused_s);
  summary_number(o, "late_steps", (double)s->late_steps);
  summary_number(o, "lost_periods", (double)s->lost_periods);
  summary_number(o, "lag_s", s->lag_s);
  summary_number(o, "worst_late_us", s->worst_late_us);
  summary_number(o, "halts", (double)s->halts);
  summary_number(o, "dropped_frames", (double)s->dropped_frames);
  summary_number(o, "page_faults", (double)s->page_faults);
  summary_number(o, "preemptions", (double)s->preemptions);
  summary_text(o, "log", s->log);
  summary_number(o, "log_missing", (double)s->log_missing);
  cJSON_AddBoolToObject(o, "log_complete", s->log_complete);
  if (s->commands_missing)
    summary_number(o, "replayable_to_step", (double)s->replayable_to_step);
  add_results(o, host, s);
}

// Sums over all of them, also those that the list no longer contains.
static void add_earlier(cJSON *root, const struct host *host) {
  const struct earlier *e = &host->earlier;
  summary_number(root, "sessions_before", (double)e->count);
  if (!e->count)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "earlier_sessions");
  summary_number(o, "count", (double)e->count);
  summary_number(o, "late_steps", (double)e->late_steps);
  summary_number(o, "lost_periods", (double)e->lost_periods);
  summary_number(o, "lag_s", e->lag_s);
  summary_number(o, "dropped_frames", (double)e->dropped_frames);
  summary_number(o, "log_missing", (double)e->log_missing);
  summary_number(o, "logs_incomplete", (double)e->logs_incomplete);
  summary_number(o, "verdicts_failed", (double)e->verdicts.sessions);
}

// The sessions that a restore or reset ended; the rest of the summary is about the last one.
static void add_sessions(cJSON *root, const struct host *host) {
  if (*host->session->origin.how) {
    cJSON *from = cJSON_AddObjectToObject(root, "origin");
    summary_text(from, "session", host->session->origin.session);
    summary_number(from, "step", (double)host->session->origin.step);
    summary_text(from, "how", host->session->origin.how);
    summary_text(from, "name", host->session->origin.name);
  }
  add_earlier(root, host);
  cJSON *list = cJSON_AddArrayToObject(root, "sessions");
  const struct earlier_session *s;
  for (uint64_t i = 0; (s = earlier_session(&host->earlier, i)); i++)
    add_session(summary_item(list), host, s);
}

// ---- Files and events ----

static void add_checkpoints(cJSON *root, struct host *host) {
  if (host->resumed.path) {
    cJSON *from = cJSON_AddObjectToObject(root, "resumed_from");
    summary_text(from, "file", host->resumed.path);
    summary_text(from, "session", host->resumed.origin.session);
    summary_number(from, "step", (double)host->resumed.origin.step);
    if (host->resumed.lost_is_known)
      summary_number(from, "lost_steps", (double)host->resumed.lost_steps);
    else
      cJSON_AddNullToObject(from, "lost_steps");
  }
  if (host->lost.steps) {
    cJSON *lost = cJSON_AddObjectToObject(root, "steps_lost");
    summary_text(lost, "session", host->lost.session);
    summary_number(lost, "steps", (double)host->lost.steps);
  }
  if (!host->outlets.checkpointer.path)
    return;
  struct checkpointer_report report = checkpointer_report(&host->outlets.checkpointer);
  cJSON *o = cJSON_AddObjectToObject(root, "checkpoint");
  summary_text(o, "file", host->outlets.checkpointer.path);
  summary_number(o, "written", (double)report.written);
  summary_number(o, "failed", (double)report.failed);
  summary_number(o, "skipped", (double)report.skipped);
  summary_number(o, "last_step", (double)report.last_step);
}

static double missing_in_log(const struct logger_report *report) {
  uint64_t missing = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    missing += report->dropped[t];
  return (double)missing;
}

// Of the chain at the end of the file, which names the whole log.
static void summary_digest(cJSON *root, const struct logger_report *report) {
  char text[2 * LOG_DIGEST + 1];
  int any = 0;
  for (int i = 0; i < LOG_DIGEST; i++) {
    snprintf(text + (size_t)2 * (size_t)i, 3, "%02x", report->digest.bytes[i]);
    any |= report->digest.bytes[i];
  }
  if (any)
    summary_text(root, "digest", text);
  cJSON_AddBoolToObject(root, "signed", report->is_signed);
}

static void add_log(cJSON *root, const struct host *host) {
  if (!host->session->logger)
    return;
  struct logger_report report = logger_report(host->session->logger);
  cJSON *o = cJSON_AddObjectToObject(root, "log");
  summary_text(o, "file", logger_path(host->session->logger));
  summary_number(o, "messages", (double)report.written.messages);
  summary_number(o, "bytes", (double)report.written.bytes);
  summary_number(o, "chunks", (double)report.written.chunks);
  cJSON *dropped = cJSON_AddObjectToObject(o, "dropped");
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    summary_number(dropped, log_topic_name((enum log_topic)t) + 1, (double)report.dropped[t]);
  summary_number(o, "missing", missing_in_log(&report));
  if (report.part) {
    summary_number(o, "parts", (double)report.part);
    summary_number(o, "parts_failed", (double)report.parts_failed);
    summary_number(o, "parts_deleted", (double)report.parts_deleted);
    summary_number(o, "deletions_failed", (double)report.deletions_failed);
  }
  summary_digest(o, &report);
  cJSON_AddBoolToObject(o, "complete", logger_is_complete(&report));
  cJSON_AddBoolToObject(o, "commands_missing", report.commands_missing);
  if (report.commands_missing)
    summary_number(o, "replayable_to_step", (double)report.replayable_to_step);
}

static void add_record(cJSON *root, const struct host *host) {
  const struct recorder *record = &host->outlets.recorder;
  if (!record->is_requested)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "record");
  summary_number(o, "rows_missing", (double)record->missing[RECORD_ROW]);
  summary_number(o, "shapes_missing", (double)record->missing[RECORD_SHAPE]);
  summary_number(o, "laid_nodes_missing", (double)record->missing[RECORD_LAID]);
  cJSON_AddBoolToObject(o, "complete", recorder_missing(record) == 0 && !record->failed);
}

static void add_console(cJSON *root, const struct host *host) {
  cJSON *o = cJSON_AddObjectToObject(root, "console");
  summary_number(o, "lines_missing", (double)console_lost(&host->outlets.console));
}

static void add_events(cJSON *root, const struct host *host) {
  const struct event_watch *w = &host->session->watch;
  cJSON *events = cJSON_AddObjectToObject(root, "events");
  summary_number(events, "count", (double)w->count);
  cJSON *log = cJSON_AddArrayToObject(events, "first");
  for (uint64_t i = 0; i < w->count && i < EVENT_WATCH_KEPT; i++) {
    cJSON *event = summary_item(log);
    summary_number(event, "step", (double)w->kept[i].step);
    summary_number(event, "time_s", w->kept[i].time_s);
    summary_text(event, "name", w->kept[i].name);
    summary_text(event, "text", w->kept[i].text);
  }
}

static void print_log(const struct host *host) {
  if (!host->session->logger)
    return;
  struct logger_report report = logger_report(host->session->logger);
  printf("%-20s %s, %" PRIu64 " messages, %.1f MB, ", "log", shown(logger_path(host->session->logger)).text,
         report.written.messages, 1e-6 * (double)report.written.bytes);
  if (report.parts_deleted)
    printf("%" PRIu64 " parts deleted%s", report.parts_deleted, logger_is_complete(&report) ? "\n" : ", ");
  else if (logger_is_complete(&report))
    puts(host->earlier.logs_incomplete || host->earlier.parts_deleted ? "complete" : "nothing left out");
  if (!logger_is_complete(&report))
    printf("not complete, %.0f messages are missing\n", missing_in_log(&report));
}

// ---- The whole ----

static const double DEG = 180 / TRIG_PI;

static void add_outcome(cJSON *root, const struct host *host) {
  const struct outcome *o = &host->session->outcome;
  summary_text(root, "ended_by", run_end_word(o->end));
  cJSON_AddBoolToObject(root, "complete", outcome_is_complete(o));
  cJSON_AddBoolToObject(root, "passed", o->reason_count == 0);
  cJSON *reasons = cJSON_AddArrayToObject(root, "failures");
  for (int i = 0; i < o->reason_count; i++)
    cJSON_AddItemToArray(reasons, cJSON_CreateString(o->reason[i].text));
}

enum status summary_write(struct host *host, struct reason *why) {
  if (!host->summary.stream)
    return STATUS_OK;
  cJSON *root = json_begin();
  add_what_ran(root, host);
  summary_add_times(root, host);
  summary_add_latency(root, host);
  summary_add_state(root, host);
  summary_add_nmea(root, host);
  summary_add_networks(root, host);
  summary_add_energy(root, &host->session->last.ledger);
  summary_add_hydro(root, host);
  summary_add_commands(root, host);
  summary_add_alarms(root, host);
  summary_add_buses(root, host);
  summary_add_orders(root, host);
  summary_add_pauses(root, host);
  summary_add_telemetry(root, host);
  summary_add_security(root, host);
  summary_add_waits(root, host);
  add_checkpoints(root, host);
  add_sessions(root, host);
  summary_add_quantities(root, host);
  add_log(root, host);
  add_record(root, host);
  add_console(root, host);
  add_events(root, host);
  verdicts_add(root, host->session);
  add_outcome(root, host);
  summary_hex(root, "state_hash", sim_hash(host->session->engine.plant.sim));
  summary_text(root, "config_text", host->setup.config.text);
  char *text = json_end(root);
  if (!text) {
    fail(why, STATUS_NO_MEMORY, "%s: out of memory for the summary", host->summary.path);
    output_file_abandon(&host->summary);
    return STATUS_NO_MEMORY;
  }
  fprintf(host->summary.stream, "%s\n", text);
  cJSON_free(text);
  return output_file_close(&host->summary, why);
}

static void print_orders(const struct host *host) {
  const struct order_counts *counts = host->outlets.server ? server_order_counts(host->outlets.server) : NULL;
  if (counts && counts->accepted + counts->refused > 0)
    printf("%-20s %" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64 " failed%s%s\n", "orders",
           counts->accepted, counts->refused, host->next.failed, host->next.failed ? ": " : "",
           host->next.why.text);
  for (int i = 0; counts && i < counts->listed; i++)
    printf("%-20s at %.3f s: %s%s%s\n", "", counts->first[i].time_s, counts->first[i].text,
           *counts->first[i].operator_name ? ", by " : "", shown(counts->first[i].operator_name).text);
  if (host->pauses.count > 0)
    printf("%-20s %" PRIu64 ", %.3f s in all\n", "pauses", host->pauses.count,
           1e-9 * (double)pauses_ns(&host->pauses, host->session->end_ns));
}

static void print_denied(const struct host *host) {
  uint64_t sum = 0;
  if (!host->outlets.server)
    return;
  const struct security_counts *counts = server_security_counts(host->outlets.server);
  for (int i = 0; i < DENIAL_COUNT; i++)
    sum += counts->denied[i];
  if (sum)
    printf("%-20s %" PRIu64 " denied, by reason in the summary\n", "security", sum);
}

static void print_code_check(const struct sim_output *o) {
  char text[500] = "";
  size_t used = 0;
  for (int k = 0; k < CODE_CHECK_COUNT && used < sizeof text; k++) {
    char value[24] = "none";
    if (!isnan(o->check[k].utilisation))
      snprintf(value, sizeof value, "%.3f", o->check[k].utilisation);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", k ? ", " : "", code_check_name(k),
                             value);
  }
  print_labelled(SUMMARY_COLUMN, "utilisations", "%s", text);
}

// What a lay has done: nothing where the pipe's length cannot change.
static void print_lay(const struct sim_output *o) {
  if (!o->has_payout)
    return;
  char tensioner[100] = "", retired[40] = "";
  if (o->has_tensioner)
    snprintf(tensioner, sizeof tensioner, ", tensioner in mode %s, ordered by the %s",
             tensioner_mode_name((int)o->tensioner.mode), tensioner_source_name((int)o->tensioner.source));
  if (o->retired_nodes)
    snprintf(retired, sizeof retired, ", %" PRIu64 " nodes retired", o->retired_nodes);
  print_labelled(SUMMARY_COLUMN, "lay", "%.3f m paid out, %.4f m/s%s%s", o->paid_out_m, o->payout_mps,
                 tensioner, retired);
}

static void print_route(const struct host *host) {
  const struct on_route at = loop_on_route(host->session->last.target.track, &host->session->last.output);
  if (at.length_m > 0)
    printf("%-20s %.1f m of %.1f m, cross-track %.3f m\n", "route", at.way_m, at.length_m, at.cross_m);
}

void summary_print(const struct host *host) {
  const struct sim_output *o = &host->session->last.output;
  const struct timing *t = &host->session->last.timing;
  struct command_counts counts = summary_counts_of(host);
  double setpoint[3];
  summary_print_times(host);
  printf("%-20s %" PRIu64 " steps late, %" PRIu64 " periods (%.3f s) lost\n", "deadlines", t->late_steps,
         t->lost_periods, t->lag_s);
  summary_print_latency(host);
  summary_print_real_time(host);
  printf("%-20s %d at most, %.2f on average, %.2f of them with a new tangent\n", "Newton iterations",
         o->newton_max, o->newton_mean, o->tangents_mean);
  if (o->not_converged_count)
    printf("%-20s %" PRIu64 ", %.3g %% of all: Newton found no solution, see newton_cap\n",
           "steps not solved", o->not_converged_count,
           100.0 * (double)o->not_converged_count / (double)o->step);
  if (o->contact_not_resolved_count)
    printf("%-20s %" PRIu64 ": too long for the seabed, see contact_unresolved\n", "steps not resolved",
           o->contact_not_resolved_count);
  printf("%-20s residual %.3g J, closure %.3g\n", "energy ledger",
         host->session->last.ledger.total_residual_j, ledger_closure_rel(&host->session->last.ledger));
  summary_print_hydro(host);
  const struct loop_target *target = &host->session->last.target;
  print_labelled(SUMMARY_COLUMN, "vessel",
                 "position error %.3f m, at worst %.3f m at %.2f s, from the %s, heading %.3f deg",
                 session_position_error_m(host->session, o), host->session->worst_position.error_m,
                 host->session->worst_position.time_s,
                 loop_is_on_route(target)                            ? "route's nearest point"
                 : session_setpoint(host->session, target, setpoint) ? "set-point"
                                                                     : "start",
                 o->euler_rad[2] * DEG);
  print_route(host);
  char layback[32] = "none";
  if (!isnan(o->layback_m))
    snprintf(layback, sizeof layback, "%.1f m", o->layback_m);
  if (o->has_pipe)
    print_labelled(SUMMARY_COLUMN, "pipe",
                   "tension %.1f kN, angle %.2f deg, lay-back %s, curvature %.3g 1/m, strain %.3f %%",
                   1e-3 * o->hangoff_tension_n, o->hangoff_angle_rad * DEG, layback, o->max_curvature_1pm,
                   100 * o->max_strain);
  print_lay(o);
  if (o->has_code_check)
    print_code_check(o);
  printf("%-20s %" PRIu64 " accepted, %" PRIu64 " refused, lost %" PRIu64 " times", "commands",
         counts.accepted, refused_in_all(&counts), host->session->engine.loop.latch.lost_count);
  if (host->session->engine.loop.silences)
    printf(", the tensioner braked %" PRIu64 " times for it", host->session->engine.loop.silences);
  if (host->commands_dropped)
    printf(", %" PRIu64 " replaced within a step and not logged", host->commands_dropped);
  putchar('\n');
  summary_print_refused(host);
  summary_print_commanded(host);
  summary_print_alarms(host);
  if (host->setup.config.run.mode == RUN_LOCKSTEP)
    printf("%-20s %" PRIu64 " answers, the longest wait %.3f s at step %" PRIu64 "\n", "lockstep",
           host->waits.answers, host->waits.longest_s, host->waits.longest_step);
  print_orders(host);
  print_denied(host);
  verdicts_print(host->session);
  print_log(host);
  earlier_print(&host->earlier);
  for (int i = 0; i < host->session->outcome.reason_count; i++)
    print_labelled(SUMMARY_COLUMN, i ? "" : "failed", "%s", host->session->outcome.reason[i].text);
}
