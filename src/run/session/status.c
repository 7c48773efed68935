// The Status of the session: the process adds its pauses and what concerns all sessions.
#include "run/session/session.h"

#include "net/counts/counts.h"
#include "net/messages/messages.h"
#include "os/cli/cli.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/math/math.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/operator.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session_pace session_pace(const struct session *session, const struct pauses *pauses,
                                 uint64_t now_ns) {
  uint64_t steps = session->last.output.step - session->first_step;
  uint64_t paused_ns = pauses_ns(pauses, now_ns) - session->paused_before_ns;
  return (struct session_pace){.steps = steps,
                               .simulated_s = (double)steps * session->setup->config.sim.step_s,
                               .wall_s = 1e-9 * (double)(now_ns - session->start_ns),
                               .paused_s = 1e-9 * (double)paused_ns};
}

static void fill_recording(struct session *session, struct wire_status *out) {
  const struct checkpointer *checkpointer = &session->outlets->checkpointer;
  if (session->logger) {
    struct logger_report report = logger_report(session->logger);
    out->message.log = &out->log;
    out->log.path = wire_status_text(out, logger_path(session->logger));
    out->log.stalled = report.stalled;
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      out->log.dropped += report.dropped[t];
    out->log.commands_missing = report.commands_missing;
    out->log.replayable_to_step = report.commands_missing ? report.replayable_to_step : 0;
  }
  if (checkpointer->path) {
    struct checkpointer_report report = checkpointer_report(&session->outlets->checkpointer);
    out->message.checkpoint = &out->checkpoint;
    out->checkpoint.path = wire_status_text(out, checkpointer->path);
    out->checkpoint.written = report.written;
    out->checkpoint.skipped = report.skipped;
    out->checkpoint.failed = report.failed;
    out->checkpoint.last_step = report.last_step;
  }
}

static void fill_station(const struct session *session, struct wire_status *out) {
  const struct sim_output *now = &session->last.output;
  const struct loop_target *target = &session->last.target;
  Sagbend__V1__StationStatus *station = &out->station;
  const struct held_pose held = loop_held_pose(target, now);
  double c = cos(held.heading_rad), s = sin(held.heading_rad);
  double north_m = now->position_n_m[0] - held.position_n_m[0];
  double east_m = now->position_n_m[1] - held.position_n_m[1];
  out->message.station = station;
  station->state =
      now->fault ? SAGBEND__V1__RUN_STATE__RUN_STATE_FAULT : SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING;
  station->command_state = (Sagbend__V1__CommandState)(session->last.command_state + 1);
  station->offset_m = hypot(north_m, east_m);
  station->offset_north_m = north_m;
  station->offset_east_m = east_m;
  station->offset_forward_m = c * north_m + s * east_m;
  station->offset_starboard_m = c * east_m - s * north_m;
  station->heading_error_rad = trig_wrap(now->euler_rad[2] - held.heading_rad);
  const struct loop_view view = loop_view_of(&session->last, target);
  if (!wire_fill_route_position(&view, &out->route))
    return;
  station->route = &out->route;
  station->route_length_m = loop_on_route(target->track, now).length_m;
}

static struct wire_alarms session_alarms(const struct session *session, const struct frame *frame);

void session_fill_status(struct session *session, struct wire_status *out) {
  const struct timing *timing = &session->last.timing;
  Sagbend__V1__Status *message = &out->message;
  message->wall_s = 1e-9 * (double)(os_now_ns() - session->start_ns);
  message->duration_s = (double)session->steps_total * session->setup->config.sim.step_s;
  message->late_steps = timing->late_steps;
  message->lost_periods = timing->lost_periods;
  message->lag_s = timing->lag_s;
  message->version = wire_status_text(out, program_version());
  wire_status_clock(out, &timing->clock);
  fill_station(session, out);
  wire_status_tensioner(out, &session->last.output);
  wire_status_commanded(out, &session->last, session->engine.loop.command_def.initial_holding_force_b);
  fill_recording(session, out);
  const struct wire_alarms alarms = session_alarms(session, &session->last);
  if (session->last.command_state != COMMAND_NONE)
    wire_status_alarms(out, &alarms);
}

// ------------------------------------------------------------
// What a run reports to spectators, live and in the log: the session, its state, times of the steps, what
// controllers believe. Main thread only; nothing here waits, and nothing acts on the simulation.

static const uint64_t SESSION_EVERY_NS = 2000000000;

enum status session_describe_about(struct session *session, struct reason *why) {
  return session_about_fill(session->setup, session->engine.plant.sim, program_version(),
                            (double)session->steps_total * session->setup->config.sim.step_s,
                            &session->engine.loop.target, &session->about, why);
}

void session_begin_view(struct session *session) {
  struct onlooking *seen = &session->onlooking;
  memset(seen, 0, sizeof *seen);
  histogram_clear(&seen->step_ns);
  histogram_clear(&seen->wakeup_ns);
}

static uint64_t ns_of(double us) {
  return (uint64_t)llround(1e3 * us);
}

// Whether the step is the first in its period. newest: 1 + the period of the newest one.
static int is_due(uint64_t *newest, uint64_t step, uint64_t every) {
  if (!every || *newest == 1 + step / every)
    return 0;
  *newest = 1 + step / every;
  return 1;
}

static double feedback_error(const struct thruster_def *def, const struct thruster_output *truth,
                             const struct thruster_feedback *told) {
  const double revolutions = fabs(told->revolutions_rpm - truth->revolutions_rpm) / def->revolutions_max_rpm,
               azimuth = fabs(trig_wrap(told->azimuth_rad - truth->azimuth_rad)) / TRIG_PI;
  return fmax(fmax(revolutions, fabs(told->pitch - truth->pitch)), azimuth);
}

static void count_feedback(struct session *session, const struct frame *frame) {
  const struct plant_def *plant = &session->setup->config.sim.vessel.plant;
  int is_wrong = 0;
  double largest = 0;
  for (int i = 0; i < frame->faults.count; i++)
    is_wrong |= frame->faults.fault[i].kind == FAULT_SWAPPED || frame->faults.fault[i].kind == FAULT_FEEDBACK;
  if (!is_wrong)
    return;
  for (int i = 0; i < frame->readings.thruster_count && i < plant->thruster_count; i++)
    largest = fmax(largest, feedback_error(&plant->thruster[i], &frame->output.thruster[i],
                                           &frame->readings.thruster[i]));
  session->feedback.frames++;
  session->feedback.sum += largest;
  session->feedback.largest = fmax(session->feedback.largest, largest);
}

static void keep_worst_position(struct session *session, const struct frame *frame) {
  const double error_m = session_position_error_m(session, &frame->output);
  if (error_m > session->worst_position.error_m)
    session->worst_position = (struct worst_position){error_m, frame->output.time_s};
}

static void session_count_frame(struct session *session, const struct frame *frame) {
  count_feedback(session, frame);
  keep_worst_position(session, frame);
  struct onlooking *seen = &session->onlooking;
  const struct config *config = &session->setup->config;
  uint64_t step = frame->output.step;
  if (step != session->first_step && frame->timing.step_us > 0) {
    histogram_add(&seen->step_ns, ns_of(frame->timing.step_us));
    if (config->run.mode == RUN_REALTIME)
      histogram_add(&seen->wakeup_ns, ns_of(frame->timing.wakeup_us));
  }
  uint64_t every = steps_in_period_or_off(config->net.timing_period_s, config->sim.step_s);
  if (!is_due(&seen->times_period, step, session->outlets->server && every ? every : session->timing_every))
    return;
  times_fill_histogram(&seen->step_ns, &seen->times.step);
  times_fill_histogram(&seen->wakeup_ns, &seen->times.wakeup);
  logger_times(session->logger, &seen->times);
}

// The Status of a run without a server.
static void fill_without_server(struct session *session, struct wire_status *out) {
  const struct config *config = &session->setup->config;
  double setpoint[3];
  wire_begin_status(out);
  out->message.name = wire_status_text(out, config->name);
  out->message.mode = (Sagbend__V1__RunMode)(config->run.mode + 1);
  if (!loop_is_on_route(&session->last.target) && session_setpoint(session, &session->last.target, setpoint))
    wire_status_setpoint(out, setpoint, session->last.target.order);
  out->message.fault_count = (uint64_t)session->last.faults.count;
  session_fill_status(session, out);
}

static struct wire_header header_of(struct session *session, enum log_topic topic, uint64_t step,
                                    double time_s) {
  struct wire_header header = {
      .sequence = ++session->onlooking.logged[topic], .step = step, .time_s = time_s};
  memcpy(header.session, session->id, sizeof session->id);
  return header;
}

static void log_status(struct session *session) {
  const struct sim_output *now = &session->last.output;
  uint8_t bytes[WIRE_MAX_STATUS];
  struct wire_status status;
  if (session->outlets->server)
    server_get_status(session->outlets->server, &status);
  else
    fill_without_server(session, &status);
  struct wire_header header = header_of(session, LOG_STATUS, now->step, now->time_s);
  wire_status_header(&status, &header);
  const struct wire_judged judged = {&session->last, &session->setup->config.scenario};
  logger_message(session->logger, LOG_STATUS, now->step, now->time_s, bytes,
                 wire_pack_whole_status(&status, &judged, bytes, sizeof bytes));
}

struct session_info session_info_of(const struct session *session, const struct loop_target *target,
                                    double setpoint[3]) {
  struct session_info info = {.config = &session->setup->config,
                              .session_id = session->id,
                              .node_count = session->node_count,
                              .about = &session->about.wire,
                              .times = &session->onlooking.times};
  info.setpoint = session_setpoint(session, target, setpoint) ? setpoint : NULL;
  info.setpoint_order = target->order;
  memcpy(info.initial_holding_force_b, session->engine.loop.command_def.initial_holding_force_b,
         sizeof info.initial_holding_force_b);
  return info;
}

// Without a server there are no endpoints, and nobody receives a Welcome.
static void describe_welcome(const struct session *session, struct wire_welcome *out) {
  double setpoint[3];
  struct session_info info = session_info_of(session, &session->last.target, setpoint);
  server_describe(&info, out);
}

static void log_session(struct session *session) {
  const struct sim_output *now = &session->last.output;
  struct wire_welcome *welcome = malloc(sizeof *welcome);
  size_t capacity = wire_session_bytes(session->node_count);
  uint8_t *bytes = malloc(capacity);
  struct wire_header header = header_of(session, LOG_SESSION_INFO, now->step, now->time_s);
  if (welcome && bytes) {
    if (session->outlets->server)
      *welcome = *server_welcome(session->outlets->server);
    else
      describe_welcome(session, welcome);
    logger_message(session->logger, LOG_SESSION_INFO, now->step, now->time_s, bytes,
                   wire_pack_session(&header, welcome, &session->about.wire, bytes, capacity));
  }
  free(welcome);
  free(bytes);
}

static uint64_t alarm_news_suppressed(const struct alarm_news *news, const struct dp_alarm_state *now);

static struct wire_alarms session_alarms(const struct session *session, const struct frame *frame) {
  return (struct wire_alarms){.state = &frame->alarms,
                              .suppressed = alarm_news_suppressed(&session->alarm_news, &frame->alarms),
                              .step_s = session->setup->config.sim.step_s};
}

static int alarm_news_take(struct alarm_news *news, const struct dp_alarm_state *now, double time_s);

static void session_publish_alarms(struct session *session, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  if (!alarm_news_take(&session->alarm_news, &frame->alarms, now->time_s))
    return;
  const struct wire_alarms alarms = session_alarms(session, frame);
  if (session->outlets->server)
    server_publish_alarms(session->outlets->server, now->step, now->time_s, &alarms);
  if (!session->logger)
    return;
  uint8_t bytes[WIRE_MAX_PLAIN];
  struct wire_header header = header_of(session, LOG_ALARM, now->step, now->time_s);
  logger_message(session->logger, LOG_ALARM, now->step, now->time_s, bytes,
                 wire_pack_alarms(&header, &alarms, bytes, sizeof bytes));
}

static void session_log_view(struct session *session, const struct frame *frame) {
  struct onlooking *seen = &session->onlooking;
  const struct log_rate *rate = &session->setup->config.log.status;
  double step_s = session->setup->config.sim.step_s;
  if (!session->logger)
    return;
  if (!seen->is_session_logged || seen->setpoint_order != frame->target.order) {
    seen->is_session_logged = 1;
    seen->setpoint_order = frame->target.order;
    log_session(session);
  }
  if (!rate->off && is_due(&seen->status_period, frame->output.step, steps_in_period(rate->period_s, step_s)))
    log_status(session);
}

void session_publish_last_status(struct session *session) {
  if (session->outlets->server) {
    server_publish_session(session->outlets->server);
    server_publish_status(session->outlets->server, &session->last);
  }
  if (session->logger && !session->setup->config.log.status.off)
    log_status(session);
}

void session_keep_session(struct session *session, uint64_t now_ns) {
  if (!session->outlets->server || now_ns - session->onlooking.session_published_ns < SESSION_EVERY_NS)
    return;
  session->onlooking.session_published_ns = now_ns;
  server_publish_session(session->outlets->server);
}

void session_log_controller(struct session *session, uint64_t step, double time_s,
                            const struct wire_controller_view *view) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  if (!session->logger)
    return;
  struct wire_header header = header_of(session, LOG_DP, step, time_s);
  logger_message(session->logger, LOG_DP, step, time_s, bytes,
                 wire_pack_controller_view(&header, view, WIRE_PLAIN, bytes, sizeof bytes));
}

// ------------------------------------------------------------
// How a frame leaves the session, in every mode: to the server, the NMEA ports, the record, the events and
// the status line. Runs in the thread that owns the sockets.

enum { STATUS_EVERY_NS = 250000000 };

double session_position_error_m(const struct session *session, const struct sim_output *output) {
  const struct held_pose held = loop_held_pose(&session->last.target, output);
  return hypot(output->position_n_m[0] - held.position_n_m[0],
               output->position_n_m[1] - held.position_n_m[1]);
}

int session_setpoint(const struct session *session, const struct loop_target *target, double setpoint[3]) {
  if (!target->order)
    return setup_setpoint(session->setup, setpoint);
  memcpy(setpoint, target->position_n_m, sizeof target->position_n_m);
  setpoint[2] = target->heading_rad;
  return 1;
}

static void show_status(struct session *session, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  uint64_t now_ns = os_now_ns();
  if (!session->outlets->console.terminal || now_ns - session->outlets->status_shown_ns < STATUS_EVERY_NS)
    return;
  session->outlets->status_shown_ns = now_ns;
  char route[64] = "";
  const struct on_route at = loop_on_route(frame->target.track, now);
  if (at.length_m > 0)
    snprintf(route, sizeof route, "  route %.1f m of %.1f m", at.way_m, at.length_m);
  console_status(&session->outlets->console,
                 "t %8.2f s  position error %7.3f m  tension %7.1f kN  command %s%s  late %" PRIu64
                 "  lost %" PRIu64
                 "  step %6.0f us", // what matters most first: the line ends where the terminal does
                 now->time_s, session_position_error_m(session, now), 1e-3 * now->hangoff_tension_n,
                 command_state_name(frame->command_state), route, frame->timing.late_steps,
                 frame->timing.lost_periods, frame->timing.step_us);
}

// The log's topic timing carries the counters of commands. With a server the closed loop may belong to the
// step thread, so only the server's counters are read.
static void pass_counts_to_log(struct session *session) {
  struct command_counts inside = {0};
  if (!session->outlets->server) {
    inside.accepted = session->engine.loop.inside_accepted;
    inside.refused[REFUSED_RANGE] = session->engine.loop.inside_refused;
  }
  logger_counts(session->logger,
                session->outlets->server ? server_counts(session->outlets->server) : &inside);
}

void session_send_sensors(struct session *session, const struct frame *frame) {
  if (!session->outlets->server || !server_send_sensors(session->outlets->server, frame) ||
      !frame->timing.ended_ns)
    return; // without an end: a restored state, which no step of this run has made
  uint64_t sent_ns = os_now_ns() - frame->timing.ended_ns;
  histogram_add(&session->sent_ns, sent_ns);
  session->sensors_sent.last_us = 1e-3 * (double)sent_ns;
}

// Only this thread knows when Sensors were sent.
static void update_sensors_sent(struct session *session) {
  if (session->last.output.step % session->timing_every == 0) {
    times_fill_latency(&session->sent_ns, &session->sensors_sent);
    logger_sensors_sent(session->logger, &session->sensors_sent);
  }
  session->last.timing.sensors_sent = session->sensors_sent;
}

void session_publish_frame(struct session *session, const struct frame *frame) {
  frame_copy(frame, &session->last);
  alarm_history_take(&session->alarms, &frame->alarms);
  session_publish_alarms(session, frame);
  update_sensors_sent(session);
  pass_counts_to_log(session);
  session_count_frame(session, frame);
  if (session->outlets->server)
    server_publish(session->outlets->server, &session->last);
  session_send_nmea(session, frame);
  recorder_frame(&session->outlets->recorder, frame, &frame->target);
  event_watch_frame(&session->watch, frame, session->setup->config.sim.step_s);
  session_log_view(session, frame);
  logger_seen(session->logger, frame->output.step);
  show_status(session, frame);
}

void session_publish_nodes(struct session *session, uint64_t step, double time_s, int count,
                           const struct sim_node *nodes) {
  if (session->outlets->server)
    server_publish_nodes(session->outlets->server, step, time_s, count, nodes);
  if (recorder_wants_nodes(&session->outlets->recorder, step))
    recorder_nodes(&session->outlets->recorder, step, time_s, count, nodes);
}

void session_report_record(struct session *session) {
  const struct sim_output *now = &session->last.output;
  uint64_t missing = recorder_missing(&session->outlets->recorder);
  if (missing == session->outlets->record_missing_reported || now->step < session->reported.record_at_step)
    return;
  session->outlets->record_missing_reported = missing;
  session->reported.record_at_step = now->step + session->timing_every;
  event_watch_log(
      &session->watch, now->step, now->time_s, EVENT_NAME(record_dropped),
      "missing in the record so far: %" PRIu64 " rows, %" PRIu64 " shapes, %" PRIu64 " laid nodes",
      session->outlets->recorder.missing[RECORD_ROW], session->outlets->recorder.missing[RECORD_SHAPE],
      session->outlets->recorder.missing[RECORD_LAID]);
}

void session_report_console(struct session *session) {
  const struct sim_output *now = &session->last.output;
  uint64_t lost = session->outlets->console.lost;
  if (lost == session->outlets->console_lost_reported || now->step < session->reported.console_at_step)
    return;
  session->reported.console_at_step = now->step + session->timing_every;
  event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(console_dropped),
                  "nobody reads standard error: %" PRIu64 " lines are missing there so far", lost);
  session->outlets->console_lost_reported =
      session->outlets->console.lost; // the event itself may have found no room either
}

void session_server_failed(struct session *session, const struct reason *why) {
  console_line(&session->outlets->console, "the sockets failed: %s", why->text);
  session->stop.trouble = END_SOCKETS;
}

// ------------------------------------------------------------
static void end_those_over(struct alarm_history *history, const struct dp_alarm_state *now) {
  for (int i = 0; i < history->count; i++) {
    struct past_alarm *past = &history->past[i];
    if (past->is_over)
      continue;
    int at = dp_alarm_find(&now->list, past->alarm.source, past->alarm.kind);
    if (at >= 0 && now->step[at] == past->from_step)
      continue;
    past->is_over = 1;
    past->to_step = now->newest_step;
  }
}

static int was_seen(const struct dp_alarm_state *seen, const struct dp_alarm *alarm, uint64_t from_step) {
  const int at = dp_alarm_find(&seen->list, alarm->source, alarm->kind);
  return at >= 0 && seen->step[at] == from_step;
}

// The place of the newest of the least severe that are over and less severe than this one; -1: none.
static int place_of_less(const struct alarm_history *history, enum dp_alarm_severity severity) {
  int place = -1;
  for (int i = history->count - 1; i >= 0; i--) {
    const struct past_alarm *past = &history->past[i];
    if (past->is_over && past->alarm.severity < severity &&
        (place < 0 || past->alarm.severity < history->past[place].alarm.severity))
      place = i;
  }
  return place;
}

void alarm_history_take(struct alarm_history *history, const struct dp_alarm_state *now) {
  if (now->changes == history->seen.changes)
    return;
  end_those_over(history, now);
  for (int i = 0; i < now->list.count; i++) {
    if (was_seen(&history->seen, &now->list.alarm[i], now->step[i]))
      continue;
    if (history->count == MAX_PAST_ALARMS) {
      const int place = place_of_less(history, now->list.alarm[i].severity);
      history->left_out++; // this one, or the one that it replaces
      if (place < 0)
        continue;
      memmove(&history->past[place], &history->past[place + 1],
              (size_t)(history->count - 1 - place) * sizeof *history->past);
      history->count--;
    }
    history->past[history->count++] =
        (struct past_alarm){.alarm = now->list.alarm[i], .from_step = now->step[i]};
  }
  history->seen = *now;
}

// ------------------------------------------------------------
enum { AT_ONCE = 20 }; // messages, and then one in this time
static const double EACH_S = 0.5;

// Whether a message is due of the alarms that a frame has. If so, the caller sends it.
static int alarm_news_take(struct alarm_news *news, const struct dp_alarm_state *now, double time_s) {
  if (!news->is_begun) { // a state from a checkpoint may have changed before
    *news = (struct alarm_news){.is_begun = 1, .changes = now->changes};
    return now->list.count > 0 && budget_take(&news->budget, time_s, EACH_S, AT_ONCE);
  }
  if (now->changes == news->changes || !budget_take(&news->budget, time_s, EACH_S, AT_ONCE))
    return 0;
  news->suppressed += now->changes - news->changes - 1;
  news->changes = now->changes;
  return 1;
}

// Changes so far without a message of their own.
static uint64_t alarm_news_suppressed(const struct alarm_news *news, const struct dp_alarm_state *now) {
  return news->suppressed + (now->changes - news->changes);
}
