// What a run tells those who look on, live and in the log: the session, its state, times of the steps, what
// controllers believe. Main thread only; nothing here waits, and nothing acts on the simulation.
#include "cli/version.h"
#include "core/base/steps.h"
#include "run/run.h"

#include "rt/os.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t SESSION_EVERY_NS = 2000000000;

enum status run_describe(struct host *host, struct reason *why) {
  return session_describe(&host->setup, host->session->plant.sim, program_version(),
                          (double)host->session->steps_total * host->setup.config.sim.step_s,
                          &host->session->loop.target, &host->session->about, why);
}

void run_begin_view(struct host *host) {
  struct onlooking *seen = &host->session->onlooking;
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

void run_count_frame(struct host *host, const struct frame *frame) {
  struct onlooking *seen = &host->session->onlooking;
  const struct config *config = &host->setup.config;
  uint64_t step = frame->output.step;
  if (step != host->session->first_step && frame->timing.step_us > 0) {
    histogram_add(&seen->step_ns, ns_of(frame->timing.step_us));
    if (config->run.mode == RUN_REALTIME)
      histogram_add(&seen->wakeup_ns, ns_of(frame->timing.wakeup_us));
  }
  uint64_t every = steps_in_period_or_off(config->net.timing_period_s, config->sim.step_s);
  if (!is_due(&seen->times_period, step, host->outlets.server && every ? every : host->session->timing_every))
    return;
  times_fill_histogram(&seen->step_ns, &seen->times.step);
  times_fill_histogram(&seen->wakeup_ns, &seen->times.wakeup);
  logger_times(host->session->logger, &seen->times);
}

// The Status of a run without a server.
static void fill_without_server(struct host *host, struct wire_status *out) {
  const struct config *config = &host->setup.config;
  memset(out, 0, sizeof *out);
  wire_clean_text(out->name, sizeof out->name, config->name);
  out->mode = config->run.mode;
  out->has_setpoint = run_setpoint(host, &host->session->last.target, out->setpoint);
  out->setpoint_order = host->session->last.target.order;
  out->fault_count = (uint64_t)host->session->last.faults.count;
  run_fill_status(host, out);
}

static struct wire_header header_of(struct host *host, enum log_topic topic, uint64_t step, double time_s) {
  struct wire_header header = {
      .sequence = ++host->session->onlooking.logged[topic], .step = step, .time_s = time_s};
  memcpy(header.session, host->session->id, sizeof host->session->id);
  return header;
}

static void log_status(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  uint8_t bytes[WIRE_MAX_STATUS];
  struct wire_status status;
  if (host->outlets.server)
    server_get_status(host->outlets.server, &status);
  else
    fill_without_server(host, &status);
  status.header = header_of(host, LOG_STATUS, now->step, now->time_s);
  const struct wire_judged judged = {&host->session->last, &host->setup.config.scenario};
  logger_message(host->session->logger, LOG_STATUS, now->step, now->time_s, bytes,
                 wire_pack_whole_status(&status, &judged, bytes, sizeof bytes));
}

// Without a server there are no endpoints, and nobody is told a Welcome.
static void describe_welcome(const struct host *host, struct wire_welcome *out) {
  struct session_info info = {.config = &host->setup.config, .node_count = host->session->node_count};
  double setpoint[3];
  info.setpoint = run_setpoint(host, &host->session->last.target, setpoint) ? setpoint : NULL;
  info.setpoint_order = host->session->last.target.order;
  memcpy(info.hold_wrench_b, host->session->loop.command_def.hold_wrench_b, sizeof info.hold_wrench_b);
  server_describe(&info, out);
}

static void log_session(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  struct wire_welcome *welcome = malloc(sizeof *welcome);
  size_t capacity = wire_session_bytes(host->session->node_count);
  uint8_t *bytes = malloc(capacity);
  struct wire_header header = header_of(host, LOG_SESSION_INFO, now->step, now->time_s);
  if (welcome && bytes) {
    if (host->outlets.server)
      *welcome = *server_welcome(host->outlets.server);
    else
      describe_welcome(host, welcome);
    logger_message(host->session->logger, LOG_SESSION_INFO, now->step, now->time_s, bytes,
                   wire_pack_session(&header, welcome, &host->session->about.wire, bytes, capacity));
  }
  free(welcome);
  free(bytes);
}

void run_log_view(struct host *host, const struct frame *frame) {
  struct onlooking *seen = &host->session->onlooking;
  const struct log_rate *rate = &host->setup.config.log.status;
  double step_s = host->setup.config.sim.step_s;
  if (!host->session->logger)
    return;
  if (!seen->is_session_logged || seen->setpoint_order != frame->target.order) {
    seen->is_session_logged = 1;
    seen->setpoint_order = frame->target.order;
    log_session(host);
  }
  if (!rate->off && is_due(&seen->status_period, frame->output.step, steps_in_period(rate->period_s, step_s)))
    log_status(host);
}

void run_publish_last_status(struct host *host) {
  if (host->outlets.server) {
    server_publish_session(host->outlets.server);
    server_publish_status(host->outlets.server, &host->session->last);
  }
  if (host->session->logger && !host->setup.config.log.status.off)
    log_status(host);
}

void run_keep_session(struct host *host, uint64_t now_ns) {
  if (!host->outlets.server || now_ns - host->session->onlooking.session_published_ns < SESSION_EVERY_NS)
    return;
  host->session->onlooking.session_published_ns = now_ns;
  server_publish_session(host->outlets.server);
}

void run_log_controller(void *context, uint64_t step, double time_s,
                        const struct wire_controller_view *view) {
  struct host *host = context;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  if (!host->session->logger)
    return;
  struct wire_header header = header_of(host, LOG_DP, step, time_s);
  logger_message(host->session->logger, LOG_DP, step, time_s, bytes,
                 wire_pack_controller_view(&header, view, WIRE_PLAIN, bytes, sizeof bytes));
}
