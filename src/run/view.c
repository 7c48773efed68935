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

enum status run_describe(struct run *run, struct reason *why) {
  return session_describe(&run->setup, run->plant.sim, program_version(),
                          (double)run->steps_total * run->setup.config.sim.step_s, &run->closed_loop.target,
                          &run->about, why);
}

void run_begin_view(struct run *run) {
  struct onlooking *seen = &run->onlooking;
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

void run_count_frame(struct run *run, const struct frame *frame) {
  struct onlooking *seen = &run->onlooking;
  const struct config *config = &run->setup.config;
  uint64_t step = frame->output.step;
  if (step != run->first_step && frame->timing.step_us > 0) {
    histogram_add(&seen->step_ns, ns_of(frame->timing.step_us));
    if (config->run.mode == RUN_REALTIME)
      histogram_add(&seen->wakeup_ns, ns_of(frame->timing.wakeup_us));
  }
  uint64_t every = steps_in_period_or_off(config->net.timing_period_s, config->sim.step_s);
  if (!is_due(&seen->times_period, step, run->server && every ? every : run->timing_every))
    return;
  times_fill_histogram(&seen->step_ns, &seen->times.step);
  times_fill_histogram(&seen->wakeup_ns, &seen->times.wakeup);
  logger_times(run->logger, &seen->times);
}

// The Status of a run without a server.
static void fill_without_server(struct run *run, struct wire_status *out) {
  const struct config *config = &run->setup.config;
  memset(out, 0, sizeof *out);
  wire_clean_text(out->name, sizeof out->name, config->name);
  out->mode = config->run.mode;
  out->has_setpoint = run_setpoint(run, &run->last.target, out->setpoint);
  out->setpoint_order = run->last.target.order;
  out->fault_count = (uint64_t)run->last.faults.count;
  run_fill_status(run, out);
}

static struct wire_header header_of(struct run *run, enum log_topic topic, uint64_t step, double time_s) {
  struct wire_header header = {.sequence = ++run->onlooking.logged[topic], .step = step, .time_s = time_s};
  memcpy(header.session, run->session_id, sizeof run->session_id);
  return header;
}

static void log_status(struct run *run) {
  const struct sim_output *now = &run->last.output;
  uint8_t bytes[WIRE_MAX_STATUS];
  struct wire_status status;
  if (run->server)
    server_get_status(run->server, &status);
  else
    fill_without_server(run, &status);
  status.header = header_of(run, LOG_STATUS, now->step, now->time_s);
  const struct wire_judged judged = {&run->last, &run->setup.config.scenario};
  logger_message(run->logger, LOG_STATUS, now->step, now->time_s, bytes,
                 wire_pack_whole_status(&status, &judged, bytes, sizeof bytes));
}

// Without a server there are no endpoints, and nobody is told a Welcome.
static void describe_welcome(const struct run *run, struct wire_welcome *out) {
  struct session_info info = {.config = &run->setup.config, .node_count = run->node_count};
  double setpoint[3];
  info.setpoint = run_setpoint(run, &run->last.target, setpoint) ? setpoint : NULL;
  info.setpoint_order = run->last.target.order;
  memcpy(info.hold_wrench_b, run->closed_loop.command_def.hold_wrench_b, sizeof info.hold_wrench_b);
  server_describe(&info, out);
}

static void log_session(struct run *run) {
  const struct sim_output *now = &run->last.output;
  struct wire_welcome *welcome = malloc(sizeof *welcome);
  size_t capacity = wire_session_bytes(run->node_count);
  uint8_t *bytes = malloc(capacity);
  struct wire_header header = header_of(run, LOG_SESSION_INFO, now->step, now->time_s);
  if (welcome && bytes) {
    if (run->server)
      *welcome = *server_welcome(run->server);
    else
      describe_welcome(run, welcome);
    logger_message(run->logger, LOG_SESSION_INFO, now->step, now->time_s, bytes,
                   wire_pack_session(&header, welcome, &run->about.wire, bytes, capacity));
  }
  free(welcome);
  free(bytes);
}

void run_log_view(struct run *run, const struct frame *frame) {
  struct onlooking *seen = &run->onlooking;
  const struct log_rate *rate = &run->setup.config.log.status;
  double step_s = run->setup.config.sim.step_s;
  if (!run->logger)
    return;
  if (!seen->is_session_logged || seen->setpoint_order != frame->target.order) {
    seen->is_session_logged = 1;
    seen->setpoint_order = frame->target.order;
    log_session(run);
  }
  if (!rate->off && is_due(&seen->status_period, frame->output.step, steps_in_period(rate->period_s, step_s)))
    log_status(run);
}

void run_publish_last_status(struct run *run) {
  if (run->server) {
    server_publish_session(run->server);
    server_publish_status(run->server, &run->last);
  }
  if (run->logger && !run->setup.config.log.status.off)
    log_status(run);
}

void run_keep_session(struct run *run, uint64_t now_ns) {
  if (!run->server || now_ns - run->onlooking.session_published_ns < SESSION_EVERY_NS)
    return;
  run->onlooking.session_published_ns = now_ns;
  server_publish_session(run->server);
}

void run_log_controller(void *context, uint64_t step, double time_s,
                        const struct wire_controller_view *view) {
  struct run *run = context;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  if (!run->logger)
    return;
  struct wire_header header = header_of(run, LOG_DP, step, time_s);
  logger_message(run->logger, LOG_DP, step, time_s, bytes,
                 wire_pack_controller_view(&header, view, WIRE_PLAIN, bytes, sizeof bytes));
}
