// Steps of the closed loop in the main thread, for the modes lockstep and fast. Mode realtime steps in a
// thread of its own (step_thread.h).
#include "run/run.h"

#include "rt/os.h"

static void publish_state(struct run *run) {
  const struct sim_output *now = &run->closed_loop.frame.output;
  run_publish_frame(run, &run->closed_loop.frame);
  if (run->recorder.file[RECORD_HASH].stream)
    recorder_hash(&run->recorder, now->step, sim_hash(run->plant.sim));

  if (!run->nodes_every || now->step % run->nodes_every != 0)
    return;
  sim_get_nodes(run->plant.sim, run->nodes);
  run_publish_nodes(run, now->step, now->time_s, sim_node_count(run->plant.sim), run->nodes);
}

void run_publish_first(struct run *run) {
  if (run->restart.goes_on)
    return;
  run->start_ns = os_now_ns();
  run->paused_before_ns = pauses_ns(&run->pauses, run->start_ns);
  run->closed_loop.frame.timing.ended_ns = run->start_ns;
  run_send_sensors(run, &run->closed_loop.frame);
  logger_step(run->logger, &run->closed_loop);
  publish_state(run);
}

static void update_step_times(struct run *run, uint64_t begin_ns) {
  struct timing *timing = &run->closed_loop.frame.timing;
  timing->ended_ns = os_now_ns();
  uint64_t step_ns = timing->ended_ns - begin_ns;
  histogram_add(&run->times.step_ns, step_ns);
  timing->step_us = 1e-3 * (double)step_ns;
}

// A command without a moment of receipt is not a message's.
static void note_latched(struct run *run, uint64_t received_ns, uint64_t begin_ns) {
  if (!received_ns)
    return;
  histogram_add(&run->times.latched_ns, begin_ns - received_ns);
  run->closed_loop.frame.timing.command_latched.last_us = 1e-3 * (double)(begin_ns - received_ns);
}

void run_step(struct run *run, const struct command *newest, uint64_t received_ns) {
  uint64_t begin_ns = os_now_ns();
  note_latched(run, received_ns, begin_ns);
  closed_loop_step(&run->closed_loop, newest);
  update_step_times(run, begin_ns);
  run_send_sensors(run, &run->closed_loop.frame);

  logger_step(run->logger, &run->closed_loop);
  publish_state(run);
  if ((run->closed_loop.frame.output.step + 1) % run->timing_every == 0) // for the next frame
    times_fill(&run->times, &run->closed_loop.frame.timing);
  checkpointer_write_if_due(&run->checkpointer, &run->closed_loop);
  run_report_checkpoints(run);
  if (run->last.output.step % run->timing_every == 0)
    run_report_log(run);
  run_report_console(run);
}

int run_stop_requested(struct run *run) {
  run->stop_signal = run->stop_ordered ? STOPPED_BY_ORDER : os_stop_requested();
  return run->stop_signal;
}

int run_may_step(struct run *run) {
  run_beat(run);
  const struct sim_output *now = &run->closed_loop.frame.output;
  if (now->fault || (run->steps_total && now->step >= run->steps_total))
    return 0;
  if (logger_wait_for_room(run->logger) != STATUS_OK) {
    run->log_failed = 1;
    return 0;
  }
  return !run_stop_requested(run);
}
