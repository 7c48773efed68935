// Mode lockstep: a step that a controller samples waits for the command that answers its Sensors. The moment
// at which a message arrives does not matter: the same commands give the same bits.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>

enum { POLL_MS = 20 };
static const double FIRST_NOTICE_S = 2, NOTICE_EVERY_S = 60; // intervals double between the two

struct awaited {
  const struct server *server;
  uint64_t step;
  int arrived;
  uint64_t received_ns;
  struct command command;
};

// The server passes the first answer to the awaited step, and refuses all others.
static void on_command(void *context, const struct command *command) {
  struct awaited *awaited = context;
  awaited->command = *command;
  awaited->received_ns = server_message_ns(awaited->server);
  awaited->arrived = 1;
}

static void ignore_command(void *context, const struct command *command) {
  (void)context;
  (void)command;
}

static int on_order(void *context, const struct order *order, int stop) {
  struct run *run = context;
  const struct sim_output *now = &run->closed_loop.frame.output;
  run->stop_ordered |= stop;
  if (!stop) {
    closed_loop_apply_order(&run->closed_loop, order);
    logger_order(run->logger, now->step, now->time_s, order);
  }
  return 1;
}

// Returns the waiting time after which to report again.
static double report_wait(struct run *run, const struct awaited *awaited, double waited_s, double notice_s) {
  run->waits.long_waits += notice_s <= FIRST_NOTICE_S;
  event_watch_log(&run->watch, awaited->step, run->last.output.time_s, "waiting_for_answer",
                  "no command has answered the Sensors of step %" PRIu64
                  " for %.1f s; controllers connect to %s",
                  awaited->step, waited_s, server_command_endpoint(run->server));
  return waited_s + (notice_s < NOTICE_EVERY_S ? notice_s : NOTICE_EVERY_S);
}

static void record_wait(struct run *run, const struct awaited *awaited, double waited_s, int was_reported) {
  struct lockstep_waits *waits = &run->waits;
  waits->answers += (uint64_t)awaited->arrived;
  waits->total_s += waited_s;
  if (waited_s > waits->longest_s) {
    waits->longest_s = waited_s;
    waits->longest_step = awaited->step;
  }
  if (was_reported && awaited->arrived)
    event_watch_log(&run->watch, awaited->step, run->last.output.time_s, "answer_came",
                    "a command answered the Sensors of step %" PRIu64 " after %.1f s", awaited->step,
                    waited_s);
}

static void time_out(struct run *run, const struct awaited *awaited) {
  run->trouble = END_LOCKSTEP_TIMEOUT;
  event_watch_log(&run->watch, awaited->step, run->last.output.time_s, "lockstep_timeout",
                  "no command answered the Sensors of step %" PRIu64
                  " within %g s (simulation.lockstep_timeout_s)",
                  awaited->step, run->session.config.run.lockstep_timeout_s);
}

// Waits until the command has arrived, or the run ends. The wall clock measures the wait; it enters no state.
static void wait_for_command(struct run *run, struct awaited *awaited) {
  double timeout_s = run->session.config.run.lockstep_timeout_s, notice_s = FIRST_NOTICE_S, waited_s = 0;
  uint64_t begin_ns = os_now_ns();
  struct reason why;

  while (!awaited->arrived && run->trouble == END_REACHED && !run_stop_requested(run)) {
    if (server_poll(run->server, POLL_MS, awaited->step, on_command, awaited, &why) != STATUS_OK)
      run_server_failed(run, &why);
    run_beat(run);
    run_check_descriptors(run);
    waited_s = 1e-9 * (double)(os_now_ns() - begin_ns);
    if (awaited->arrived)
      break;
    if (timeout_s > 0 && waited_s > timeout_s)
      time_out(run, awaited);
    else if (waited_s > notice_s)
      notice_s = report_wait(run, awaited, waited_s, notice_s);
  }
  record_wait(run, awaited, waited_s, notice_s > FIRST_NOTICE_S);
}

// Between samples: orders are taken, commands are refused.
static void poll_without_waiting(struct run *run, uint64_t step) {
  struct reason why;
  server_refuse_answers(run->server, step);
  if (server_poll(run->server, 0, step, ignore_command, NULL, &why) != STATUS_OK)
    run_server_failed(run, &why);
}

void run_lockstep(struct run *run) {
  int external = run->session.config.sim.controller == CONTROLLER_EXTERNAL;
  run_publish_first(run);
  server_on_order(run->server, on_order, run);

  while (run_may_step(run)) {
    struct awaited awaited = {.server = run->server, .step = run->closed_loop.frame.output.step};
    if (external && closed_loop_sends_sensors(&run->closed_loop))
      wait_for_command(run, &awaited);
    else
      poll_without_waiting(run, awaited.step);

    run_check_descriptors(run);
    if (run->trouble != END_REACHED || run->stop_signal)
      break;
    run_step(run, awaited.arrived ? &awaited.command : NULL, awaited.received_ns);
  }
}
