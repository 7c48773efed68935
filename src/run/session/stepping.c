// Steps of the closed loop in the main thread, for the modes lockstep and fast. Mode realtime steps in a
// thread of its own (step_thread.h).
#include "run/session/session.h"

#include "os/process/process.h"

static void publish_state(struct session *session) {
  const struct sim_output *now = &session->engine.loop.frame.output;
  session_publish_frame(session, &session->engine.loop.frame);
  if (session->outlets->recorder.file[RECORD_HASH].stream)
    recorder_hash(&session->outlets->recorder, now->step, sim_hash(session->engine.plant.sim));

  if (!session->nodes_every || now->step % session->nodes_every != 0)
    return;
  sim_get_nodes(session->engine.plant.sim, session->nodes);
  session_publish_nodes(session, now->step, now->time_s, sim_node_count(session->engine.plant.sim),
                        session->nodes);
}

void session_publish_first(struct session *session, const struct pauses *pauses) {
  session->start_ns = os_now_ns();
  session->paused_before_ns = pauses_ns(pauses, session->start_ns);
  session->engine.loop.frame.timing.ended_ns = session->start_ns;
  session_send_sensors(session, &session->engine.loop.frame);
  logger_step(session->logger, &session->engine.loop);
  publish_state(session);
}

static void update_step_times(struct session *session, uint64_t begin_ns) {
  struct timing *timing = &session->engine.loop.frame.timing;
  timing->ended_ns = os_now_ns();
  uint64_t step_ns = timing->ended_ns - begin_ns;
  histogram_add(&session->times.step_ns, step_ns);
  timing->step_us = 1e-3 * (double)step_ns;
}

// A command without a moment of receipt is not a message's.
static void note_latched(struct session *session, uint64_t received_ns, uint64_t begin_ns) {
  if (!received_ns)
    return;
  histogram_add(&session->times.latched_ns, begin_ns - received_ns);
  session->engine.loop.frame.timing.command_latched.last_us = 1e-3 * (double)(begin_ns - received_ns);
}

void session_step(struct session *session, const struct command *newest, uint64_t received_ns) {
  uint64_t begin_ns = os_now_ns();
  note_latched(session, received_ns, begin_ns);
  engine_step(&session->engine, newest, NULL);
  update_step_times(session, begin_ns);
  session_send_sensors(session, &session->engine.loop.frame);

  logger_step(session->logger, &session->engine.loop);
  publish_state(session);
  if ((session->engine.loop.frame.output.step + 1) % session->timing_every == 0) // for the next frame
    times_fill(&session->times, &session->engine.loop.frame.timing);
  checkpointer_write_if_due(&session->outlets->checkpointer, &session->engine.loop);
  session_report_checkpoints(session);
  if (session->last.output.step % session->timing_every == 0)
    session_report_log(session);
  session_report_console(session);
}

int session_stop_requested(struct session *session) {
  session->stop.signal = session->stop.ordered ? STOPPED_BY_ORDER : os_stop_requested();
  return session->stop.signal;
}

int session_may_step(struct session *session) {
  const struct sim_output *now = &session->engine.loop.frame.output;
  if (now->fault || (session->steps_total && now->step >= session->steps_total))
    return 0;
  if (logger_wait_for_room(session->logger) != STATUS_OK) {
    session->stop.log_failed = 1;
    return 0;
  }
  return !session_stop_requested(session);
}

// A step that was late shows it at its end only.
void session_end_steps(struct session *session) {
  if (session->setup->config.run.mode != RUN_REALTIME)
    return;
  closed_loop_judge_end(&session->engine.loop);
  session->last = session->engine.loop.frame;
  event_watch_finish(&session->watch, &session->last);
}
