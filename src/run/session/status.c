// What a run tells those who look on, live and in the log: the session, its state, times of the steps, what
// controllers believe. Main thread only; nothing here waits, and nothing acts on the simulation.
#include "os/cli/version.h"
#include "sagbend/base/steps.h"
#include "sagbend/math/trig.h"
#include "sagbend/rig/held_pose.h"
#include "net/messages/status_message.h"
#include "run/session/session.h"

#include "os/process/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void session_count_frame(struct session *session, const struct frame *frame) {
  count_feedback(session, frame);
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
  memcpy(info.hold_wrench_b, session->engine.loop.command_def.hold_wrench_b, sizeof info.hold_wrench_b);
  return info;
}

// Without a server there are no endpoints, and nobody is told a Welcome.
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

struct wire_alarms session_alarms(const struct session *session, const struct frame *frame) {
  return (struct wire_alarms){.state = &frame->alarms,
                              .suppressed = alarm_news_suppressed(&session->alarm_news, &frame->alarms),
                              .step_s = session->setup->config.sim.step_s};
}

void session_publish_alarms(struct session *session, const struct frame *frame) {
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

void session_log_view(struct session *session, const struct frame *frame) {
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
