// What all modes of a run share: its pulse, pauses and what halts it, the Status, the sessions before the
// present one, field buses, the line that it is ready.
#include "run/host/host.h"

#include "net/buses/buses.h"
#include "net/case/case.h"
#include "net/counts/counts.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "run/host/host_internal.h"
#include "run/session/session.h"
#include "sagbend/events/events.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include "sagbend/v1/operator.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint64_t STATUS_EVERY_NS = 500000000; // so often that no client takes a pause for silence

enum held host_hold(const struct host *host) {
  return !host->pauses.now ? HELD_NOT : host->pauses.newest.halted ? HELD_BY_HALT : HELD_BY_PAUSE;
}

void host_beat(struct host *host) {
  const struct timing *timing = &host->session->last.timing;
  atomic_store_explicit(&host->pulse.step, host->session->last.output.step, memory_order_relaxed);
  atomic_store_explicit(&host->pulse.paused, host->pauses.now != 0, memory_order_relaxed);
  atomic_store_explicit(&host->pulse.late_steps, timing->late_steps, memory_order_relaxed);
  atomic_store_explicit(&host->pulse.lag_us, (uint64_t)(1e6 * timing->lag_s), memory_order_relaxed);
  pulse_beat(&host->pulse.main_beats);
}

void host_check_descriptors(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  if (descriptors_check(&host->descriptors, host->outlets.server))
    event_watch_log(&host->session->watch, now->step, now->time_s, descriptors_event(&host->descriptors),
                    "%s", descriptors_text(&host->descriptors));
}

void host_publish_first(struct host *host) {
  if (host->next.goes_on)
    return;
  session_publish_first(host->session, &host->pauses);
  host->session->last.timing.hold = host_hold(host); // a session may begin in a pause of the one before
}

int host_may_step(struct host *host) {
  host_beat(host);
  return session_may_step(host->session);
}

uint64_t host_halts(const struct host *host) {
  return host->earlier.halts + host->session->last.timing.real_time.halts;
}

// ---- the limit of late periods in a row ----

// A late step is a period without one that ended on time; the periods lost because of it are others.
int overrun_is_reached(struct overrun *o, int late, uint64_t lost) {
  o->in_a_row = late ? o->in_a_row + 1 + lost : 0;
  return o->limit && o->in_a_row >= o->limit;
}

struct overrun_text overrun_text(const struct late_step *late, uint64_t in_a_row) {
  struct overrun_text out;
  enum step_stage cause = late_step_cause(late);
  snprintf(out.text, sizeof out.text,
           "overrun: %" PRIu64 " periods without a step on time; step %" PRIu64
           " ended %.0f us late, most of it in %s: %.0f us",
           in_a_row, late->step, late->late_us, step_stage_name((int)cause), late->stage_us[cause]);
  return out;
}

// ---- pauses ----

void host_begin_hold(struct host *host, enum held hold, const char *why) {
  const struct sim_output *now = &host->session->last.output;
  struct pause pause = {
      .step = now->step, .time_s = now->time_s, .halted = hold == HELD_BY_HALT, .begin_ns = os_now_ns()};
  if (host->pauses.now)
    return;
  host->session->last.timing.hold =
      hold; // for those who read the newest frame; in lockstep no other place states it
  if (!pause.halted)
    snprintf(pause.operator_name, sizeof pause.operator_name, "%s", host->hold_operator);
  snprintf(pause.why, sizeof pause.why, "%s", why);
  pauses_begin(&host->pauses, &pause);
  event_watch_log(&host->session->watch, now->step, now->time_s,
                  pause.halted ? EVENT_NAME(halted) : EVENT_NAME(paused), "%s%s%s", why,
                  *pause.operator_name ? " by " : "", pause.operator_name);
  if (host->outlets.server) {
    server_hold(host->outlets.server, hold);
    server_publish_status(host->outlets.server, &host->session->last);
  }
}

void host_end_hold(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  uint64_t now_ns = os_now_ns();
  if (!host->pauses.now)
    return;
  pauses_end(&host->pauses, now_ns);
  host->session->last.timing.hold = HELD_NOT;
  if (host->outlets.server) {
    server_publish_status(host->outlets.server,
                          &host->session->last); // controllers learn of the end of the pause, too
    server_hold(host->outlets.server, HELD_NOT);
  }
  event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(resumed), "by %s, after %.3f s",
                  *host->hold_operator ? host->hold_operator : "an operator",
                  pause_s(&host->pauses.newest, now_ns));
}

void host_note_hold(struct host *host, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  if (host->pauses.now && (timing->hold == HELD_NOT || timing->holds > host->pauses.count))
    host_end_hold(host);
  while (timing->holds > host->pauses.count) { // all but the newest began and ended between two frames
    enum held hold = timing->hold == HELD_BY_HALT ? HELD_BY_HALT : HELD_BY_PAUSE;
    const struct real_time *real_time = &timing->real_time;
    struct overrun_text overrun = overrun_text(&real_time->late, real_time->halted_after);
    host_begin_hold(host, hold, hold == HELD_BY_HALT ? overrun.text : "ordered");
    if (timing->holds > host->pauses.count || timing->hold == HELD_NOT)
      host_end_hold(host);
  }
}

void host_keep_status(struct host *host) {
  uint64_t now_ns = os_now_ns();
  session_keep_session(host->session, now_ns);
  if (!host->outlets.server || now_ns - host->status_published_ns < STATUS_EVERY_NS)
    return;
  host->status_published_ns = now_ns;
  server_publish_status(host->outlets.server, &host->session->last);
}

static void fill_pause(const struct host *host, uint64_t now_ns, struct wire_status *out) {
  const struct pauses *p = &host->pauses;
  out->message.pauses = p->count;
  out->message.paused_wall_s = 1e-9 * (double)pauses_ns(p, now_ns);
  if (!p->now)
    return;
  out->message.pause = &out->pause;
  out->pause.halted = p->newest.halted;
  out->pause.wall_s = pause_s(&p->newest, now_ns);
  out->pause.why = wire_status_text(out, p->newest.why);
  out->pause.operator_ = wire_status_text(out, p->newest.operator_name);
}

static void fill_earlier(const struct host *host, struct wire_status *out) {
  const struct earlier *e = &host->earlier;
  out->orders.failed = host->next.failed;
  out->orders.failure = wire_status_text(out, host->next.why.text);
  if (!e->count)
    return;
  out->message.earlier = &out->earlier;
  out->earlier.count = e->count;
  out->earlier.late_steps = e->late_steps;
  out->earlier.lost_periods = e->lost_periods;
  out->earlier.lag_s = e->lag_s;
  out->earlier.log_dropped = e->log_missing;
  out->earlier.logs_incomplete = e->logs_incomplete;
  out->earlier.verdicts_failed = e->verdicts.sessions;
}

static void fill_state(const struct host *host, struct wire_status *out) {
  if (out->station.state == SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING)
    out->station.state = host->pauses.now && host->pauses.newest.halted
                             ? SAGBEND__V1__RUN_STATE__RUN_STATE_HALTED
                         : host->pauses.now ? SAGBEND__V1__RUN_STATE__RUN_STATE_PAUSED
                         : host->waiting    ? SAGBEND__V1__RUN_STATE__RUN_STATE_WAITING
                                            : SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING;
}

void host_fill_status(void *context, struct wire_status *out) {
  struct host *host = context;
  session_fill_status(host->session, out);
  out->message.rate = host->setup.config.run.mode == RUN_REALTIME ? host->rate : 0;
  fill_state(host, out);
  fill_pause(host, os_now_ns(), out);
  fill_earlier(host, out);
}

// ------------------------------------------------------------
static void note_log(struct earlier *e, const struct session *session, struct earlier_session *s) {
  struct logger_report report = logger_report(session->logger);
  s->log_complete = 1;
  if (!session->logger)
    return;
  snprintf(s->log, sizeof s->log, "%s", logger_path(session->logger));
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    s->log_missing += report.dropped[t];
  s->log_complete = logger_is_complete(&report);
  s->commands_missing = report.commands_missing;
  s->replayable_to_step = report.replayable_to_step;
  e->log_missing += s->log_missing;
  e->logs_incomplete += !s->log_complete;
  e->parts_deleted += report.parts_deleted;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void note_failure(struct earlier_failures *f, const struct session *session, const char *format, ...) {
  va_list args;
  if (f->sessions++)
    return;
  snprintf(f->session, sizeof f->session, "%s", session->id);
  va_start(args, format);
  vsnprintf(f->text, sizeof f->text, format, args);
  va_end(args);
}

// A verdict fails in a session that an order has ended only if nothing that follows could have changed that.
static void note_verdicts(struct earlier *e, const struct session *session, struct earlier_session *s) {
  const struct scenario_def *def = &session->setup->config.scenario;
  int noted = 0;
  for (int i = 0; i < def->verdict_count; i++) {
    s->verdict[i] = (unsigned char)verdicts_end_of(session, i);
    if (s->verdict[i] == VERDICT_END_FAILED && !noted++)
      note_failure(&e->verdicts, session, "%s", def->verdict[i].name);
  }
}

static void note_failures(struct earlier *e, const struct session *session, const struct earlier_session *s) {
  const struct config *c = &session->setup->config;
  const struct sim_output *now = &session->last.output;
  struct logger_report report = logger_report(session->logger);
  if (c->run.mode == RUN_REALTIME && c->run.lost_time_limit_s > 0 && s->lag_s > c->run.lost_time_limit_s)
    note_failure(&e->lost_time, session, "%.3f s", s->lag_s);
  if (now->step && (double)now->not_converged_count > c->run.not_converged_share_max * (double)now->step)
    note_failure(&e->unsolved, session, "%" PRIu64 " of %" PRIu64, now->not_converged_count, now->step);
  char names[sizeof e->events.text];
  if (outcome_events(session, names, sizeof names))
    note_failure(&e->events, session, "%s", names);
  if (report.incomplete || (s->log_missing && c->run.mode != RUN_REALTIME))
    note_failure(&e->logs, session, "%s",
                 *report.failure.text ? report.failure.text : "messages are missing");
}

void earlier_add(struct earlier *e, const struct session *session, const struct pauses *pauses,
                 const char *end_text) {
  struct earlier_session *s = &e->kept[e->count % EARLIER_KEPT];
  const struct timing *timing = &session->last.timing;
  const struct real_time *real_time = &timing->real_time;
  const struct session_pace pace = session_pace(session, pauses, os_now_ns());
  *s = (struct earlier_session){.first_step = session->first_step,
                                .last_step = session->last.output.step,
                                .wall_s = pace.wall_s,
                                .paused_s = pace.paused_s,
                                .late_steps = timing->late_steps,
                                .lost_periods = timing->lost_periods,
                                .dropped_frames = timing->dropped_frames,
                                .halts = real_time->halts,
                                .lag_s = timing->lag_s,
                                .worst_late_us = real_time->worst.late_us,
                                .page_faults = real_time->minor_faults + real_time->major_faults,
                                .preemptions = real_time->preemptions};
  snprintf(s->session, sizeof s->session, "%s", session->id);
  snprintf(s->end, sizeof s->end, "%s", end_text);
  note_log(e, session, s);
  note_verdicts(e, session, s);
  note_failures(e, session, s);
  e->count++;
  e->late_steps += s->late_steps;
  e->lost_periods += s->lost_periods;
  e->dropped_frames += s->dropped_frames;
  e->lag_s += s->lag_s;
  e->halts += s->halts;
  if (s->halts)
    e->halted_after = real_time->halted_after;
}

void earlier_judge(const struct earlier *e, struct session *session) {
  const struct config *c = &session->setup->config;
  const char *of = e->count == 1 ? "session" : "sessions";
  if (e->verdicts.sessions)
    outcome_fail(session, "verdicts failed in %" PRIu64 " of %" PRIu64 " earlier %s, first %s in session %s",
                 e->verdicts.sessions, e->count, of, e->verdicts.text, e->verdicts.session);
  if (e->lost_time.sessions && session->outcome.is_test)
    outcome_fail(session,
                 "too much time was lost in %" PRIu64 " of %" PRIu64 " earlier %s, first %s in session %s; "
                 "the limit is %g s (simulation.lost_time_limit_s)",
                 e->lost_time.sessions, e->count, of, e->lost_time.text, e->lost_time.session,
                 c->run.lost_time_limit_s);
  if (e->unsolved.sessions)
    outcome_fail(session,
                 "too many steps were not solved in %" PRIu64 " of %" PRIu64 " earlier %s, first %s in "
                 "session %s; the limit is %g %% (simulation.not_converged_share_max)",
                 e->unsolved.sessions, e->count, of, e->unsolved.text, e->unsolved.session,
                 100 * c->run.not_converged_share_max);
  if (e->events.sessions)
    outcome_fail(session,
                 "events that fail a run were raised in %" PRIu64 " of %" PRIu64 " earlier %s "
                 "(simulation.on_event), first in session %s: %s",
                 e->events.sessions, e->count, of, e->events.session, e->events.text);
  if (e->logs.sessions)
    outcome_fail(session,
                 "%" PRIu64 " logs of %" PRIu64 " earlier %s are not complete, first of session %s: %s",
                 e->logs.sessions, e->count, of, e->logs.session, e->logs.text);
}

const struct earlier_session *earlier_session(const struct earlier *e, uint64_t i) {
  uint64_t first = e->count > EARLIER_KEPT ? e->count - EARLIER_KEPT : 0;
  return first + i < e->count ? &e->kept[(first + i) % EARLIER_KEPT] : NULL;
}

void earlier_print(const struct earlier *e) {
  if (!e->count)
    return;
  printf("in earlier sessions: %" PRIu64 " session%s, %" PRIu64 " steps late, %" PRIu64
         " periods (%.3f s) lost, ",
         e->count, e->count == 1 ? "" : "s", e->late_steps, e->lost_periods, e->lag_s);
  if (e->logs_incomplete)
    printf("%" PRIu64 " messages missing in %" PRIu64 " of the logs, ", e->log_missing, e->logs_incomplete);
  else
    printf("no message missing in a log, ");
  printf("verdicts failed in %" PRIu64 "\n", e->verdicts.sessions);
}

// ------------------------------------------------------------
// Field buses of a run: Modbus, and thruster commands by NMEA. They are served with the messages of the
// protocol, in the same thread.

static void serve_modbus(void *context, void (*on_command)(void *context, const struct command *command),
                         void *command_context) {
  struct host *host = context;
  modbus_server_serve(host->modbus, &host->session->last, on_command, command_context);
}

static enum status open_modbus(struct host *host, struct reason *why) {
  const struct config *config = &host->setup.config;
  const struct modbus_session session = {.def = &config_run(config)->modbus,
                                         .names = &config->scenario.names,
                                         .target = &host->session->engine.loop.target,
                                         .setpoints = sim_hold_setpoints(host->session->engine.plant.sim),
                                         .gate = server_gate(host->outlets.server),
                                         .networks = server_networks(host->outlets.server)};
  enum status status = modbus_server_open(&session, &host->modbus, why);
  if (status != STATUS_OK)
    return status;
  server_attach(host->outlets.server, modbus_server_file(host->modbus), serve_modbus, host);
  console_line(&host->outlets.console, "Modbus TCP at %s, unit %d", modbus_server_endpoint(host->modbus, 0),
               config_run(config)->modbus.unit_id);
  if (*modbus_server_endpoint(host->modbus, 1))
    console_line(&host->outlets.console, "Modbus TCP by network B at %s",
                 modbus_server_endpoint(host->modbus, 1));
  if (*config_run(config)->modbus.clients)
    console_line(&host->outlets.console,
                 "notice: other machines can command by Modbus (modbus.clients); there is no "
                 "authentication");
  return STATUS_OK;
}

static void serve_nmea(void *context, void (*on_command)(void *context, const struct command *command),
                       void *command_context) {
  struct host *host = context;
  nmea_inputs_serve(host->nmea_inputs, host->session->last.output.step, on_command, command_context);
}

static enum status open_nmea(struct host *host, struct reason *why) {
  const struct config *config = &host->setup.config;
  const struct nmea_session session = {.def = &config_run(config)->nmea,
                                       .setpoints = sim_hold_setpoints(host->session->engine.plant.sim),
                                       .names = &config->scenario.names,
                                       .gate = server_gate(host->outlets.server),
                                       .ports = host->outlets.nmea,
                                       .networks = server_networks(host->outlets.server)};
  enum status status = nmea_inputs_open(&session, &host->nmea_inputs, why);
  if (status != STATUS_OK)
    return status;
  server_attach(host->outlets.server, nmea_inputs_file(host->nmea_inputs), serve_nmea, host);
  for (int i = 0; i < nmea_inputs_count(host->nmea_inputs); i++)
    console_line(&host->outlets.console, "NMEA commands at %s", nmea_inputs_place(host->nmea_inputs, i).text);
  return STATUS_OK;
}

enum status host_open_field_buses(struct host *host, struct reason *why) {
  const struct config *config = &host->setup.config;
  enum status status = STATUS_OK;
  if (!host->outlets.server && (config_run(config)->modbus.is_on || config_run(config)->nmea.input_count > 0))
    console_line(&host->outlets.console,
                 "notice: mode fast opens no sockets: the sections modbus and nmea.inputs have no effect");
  if (host->outlets.server && config_run(config)->modbus.is_on)
    status = open_modbus(host, why);
  if (host->outlets.server && config_run(config)->nmea.input_count > 0 && status == STATUS_OK)
    status = open_nmea(host, why);
  return status;
}

enum status host_open_nmea(struct host *host, struct reason *why) {
  const struct nmea_def *def = &config_run(&host->setup.config)->nmea;
  if (def->port_count == 0)
    return STATUS_OK;
  const enum status status = nmea_ports_open(def, &host->outlets.nmea, why);
  if (status != STATUS_OK)
    return status;
  if (host->outlets.server)
    nmea_ports_disturb(host->outlets.nmea, server_networks(host->outlets.server));
  console_line(&host->outlets.console, "NMEA sentences to %d port%s", def->port_count,
               def->port_count > 1 ? "s" : "");
  for (int i = 0; i < def->port_count; i++)
    if (strchr(def->ports[i].udp, '*'))
      console_line(&host->outlets.console, "NMEA sentences to UDP %s: %s",
                   nmea_ports_place(host->outlets.nmea, i).text, def->ports[i].instruments);
  return STATUS_OK;
}

// Where Modbus and NMEA are reached.
static void name_buses(const struct host *host, struct ready *out) {
  const struct nmea_def *def = &config_run(&host->setup.config)->nmea;
  const char *modbus = host->modbus ? modbus_server_endpoint(host->modbus, 0) : "",
             *modbus_b = host->modbus ? modbus_server_endpoint(host->modbus, 1) : "";
  if (nmea_has_groups(def))
    snprintf(out->port_offset, sizeof out->port_offset, "%d", def->network.port_offset);
  if (strncmp(modbus, "tcp://", strlen("tcp://")) == 0)
    snprintf(out->modbus, sizeof out->modbus, "%.60s", modbus + strlen("tcp://"));
  if (strncmp(modbus_b, "tcp://", strlen("tcp://")) == 0)
    snprintf(out->modbus_b, sizeof out->modbus_b, "%.60s", modbus_b + strlen("tcp://"));
  for (int i = 0; host->nmea_inputs && i < def->input_count; i++)
    if (!*def->inputs[i].serial)
      snprintf(out->nmea_in[out->nmea_in_count++], READY_PLACE, "%.60s",
               nmea_inputs_place(host->nmea_inputs, i).text + strlen("UDP "));
  for (int i = 0; host->outlets.nmea && i < def->port_count; i++)
    if (!*def->ports[i].serial)
      snprintf(out->nmea_out[out->nmea_out_count++], READY_PLACE, "%.60s",
               nmea_ports_place(host->outlets.nmea, i).text);
}

void host_say_ready(struct host *host, const struct reason *failed) {
  int descriptor = host->options->ready_descriptor;
  const struct server *server = host->outlets.server;
  struct ready ready = {.session = ""};
  struct reason why;
  if (!descriptor)
    return;
  if (failed)
    snprintf(ready.error, sizeof ready.error, "%s",
             *failed->text ? failed->text
                           : "the configuration is not valid; standard error states each error");
  else
    snprintf(ready.session, sizeof ready.session, "%s", host->session->id);
  if (!failed && server) {
    snprintf(ready.commands, sizeof ready.commands, "%s", server_command_endpoint(server));
    snprintf(ready.commands_b, sizeof ready.commands_b, "%s", server_command_endpoint_b(server));
    snprintf(ready.telemetry, sizeof ready.telemetry, "%s", server_telemetry_endpoint(server));
    snprintf(ready.telemetry_b, sizeof ready.telemetry_b, "%s", server_telemetry_endpoint_b(server));
  }
  if (!failed)
    name_buses(host, &ready);
  int is_first = host->earlier.count == 0; // nobody has to read the lines of later sessions
  if (ready_write(descriptor, &ready, &why) != STATUS_OK && is_first)
    console_line(&host->outlets.console, "notice: %s", why.text);
}
