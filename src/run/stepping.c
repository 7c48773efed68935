// Steps of the closed loop in the main thread, for the modes lockstep and fast. Mode realtime steps in a
// thread of its own (step_thread.h).
#include "run/run.h"

#include "rt/os.h"

static void publish_state(struct host *host) {
  const struct sim_output *now = &host->session->loop.frame.output;
  run_publish_frame(host, &host->session->loop.frame);
  if (host->outlets.recorder.file[RECORD_HASH].stream)
    recorder_hash(&host->outlets.recorder, now->step, sim_hash(host->session->plant.sim));

  if (!host->session->nodes_every || now->step % host->session->nodes_every != 0)
    return;
  sim_get_nodes(host->session->plant.sim, host->session->nodes);
  run_publish_nodes(host, now->step, now->time_s, sim_node_count(host->session->plant.sim),
                    host->session->nodes);
}

void run_publish_first(struct host *host) {
  if (host->next.goes_on)
    return;
  host->session->start_ns = os_now_ns();
  host->session->paused_before_ns = pauses_ns(&host->pauses, host->session->start_ns);
  host->session->loop.frame.timing.ended_ns = host->session->start_ns;
  run_send_sensors(host, &host->session->loop.frame);
  logger_step(host->session->logger, &host->session->loop);
  publish_state(host);
}

static void update_step_times(struct host *host, uint64_t begin_ns) {
  struct timing *timing = &host->session->loop.frame.timing;
  timing->ended_ns = os_now_ns();
  uint64_t step_ns = timing->ended_ns - begin_ns;
  histogram_add(&host->session->times.step_ns, step_ns);
  timing->step_us = 1e-3 * (double)step_ns;
}

// A command without a moment of receipt is not a message's.
static void note_latched(struct host *host, uint64_t received_ns, uint64_t begin_ns) {
  if (!received_ns)
    return;
  histogram_add(&host->session->times.latched_ns, begin_ns - received_ns);
  host->session->loop.frame.timing.command_latched.last_us = 1e-3 * (double)(begin_ns - received_ns);
}

void run_step(struct host *host, const struct command *newest, uint64_t received_ns) {
  uint64_t begin_ns = os_now_ns();
  note_latched(host, received_ns, begin_ns);
  closed_loop_step(&host->session->loop, newest);
  update_step_times(host, begin_ns);
  run_send_sensors(host, &host->session->loop.frame);

  logger_step(host->session->logger, &host->session->loop);
  publish_state(host);
  if ((host->session->loop.frame.output.step + 1) % host->session->timing_every == 0) // for the next frame
    times_fill(&host->session->times, &host->session->loop.frame.timing);
  checkpointer_write_if_due(&host->outlets.checkpointer, &host->session->loop);
  run_report_checkpoints(host);
  if (host->session->last.output.step % host->session->timing_every == 0)
    run_report_log(host);
  run_report_console(host);
}

int run_stop_requested(struct host *host) {
  host->session->stop.signal = host->session->stop.ordered ? STOPPED_BY_ORDER : os_stop_requested();
  return host->session->stop.signal;
}

int run_may_step(struct host *host) {
  run_beat(host);
  const struct sim_output *now = &host->session->loop.frame.output;
  if (now->fault || (host->session->steps_total && now->step >= host->session->steps_total))
    return 0;
  if (logger_wait_for_room(host->session->logger) != STATUS_OK) {
    host->session->stop.log_failed = 1;
    return 0;
  }
  return !run_stop_requested(host);
}
