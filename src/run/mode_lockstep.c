// Mode lockstep: a step that a controller samples waits for the command that answers its Sensors. The moment
// at which a message arrives does not matter: the same commands give the same bits.
#include "run/restart.h"

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

// Orders act at once, between two steps.
static enum status on_order(void *context, const struct order *order, struct reason *why) {
  struct run *run = context;
  const struct sim_output *now = &run->closed_loop.frame.output;
  enum status status = run_accept_order(run, order, why);
  if (status != STATUS_OK)
    return status;
  logger_order(run->logger, now->step, now->time_s, order);
  closed_loop_apply_order(&run->closed_loop, order);
  closed_loop_show_orders(&run->closed_loop, &run->last);
  server_take_orders(run->server, &run->last);
  run_note_order(run, order);
  if (order->kind == ORDER_SNAPSHOT)
    snapshots_take(&run->snapshots, order->name, &run->closed_loop);
  if (order->kind == ORDER_PAUSE)
    run_begin_hold(run, HELD_BY_PAUSE, "ordered");
  else if (order->kind == ORDER_RESUME)
    run_end_hold(run);
  return STATUS_OK;
}

// Wall clock without the pauses.
static double running_s(const struct run *run) {
  uint64_t now_ns = os_now_ns();
  return 1e-9 * (double)(now_ns - pauses_ns(&run->pauses, now_ns));
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

// An answer that came during a pause, before a restart that failed, is still the answer to this step.
static void take_kept(struct run *run, struct awaited *awaited) {
  struct run_kept *kept = &run->restart.kept;
  awaited->arrived = kept->any;
  awaited->received_ns = kept->received_ns;
  awaited->command = kept->command;
  kept->any = 0;
}

static void keep(struct run *run, const struct awaited *awaited) {
  run->restart.kept = (struct run_kept){awaited->arrived, awaited->received_ns, awaited->command};
}

static void time_out(struct run *run, const struct awaited *awaited) {
  run->trouble = END_LOCKSTEP_TIMEOUT;
  event_watch_log(&run->watch, awaited->step, run->last.output.time_s, "lockstep_timeout",
                  "no command answered the Sensors of step %" PRIu64
                  " within %g s (simulation.lockstep_timeout_s)",
                  awaited->step, run->setup.config.run.lockstep_timeout_s);
}

// Waits until the command has arrived and the run is not paused, or the run ends. The wall clock measures the
// wait, without pauses; it enters no state.
static void wait_for_command(struct run *run, struct awaited *awaited) {
  double timeout_s = run->setup.config.run.lockstep_timeout_s, notice_s = FIRST_NOTICE_S, waited_s = 0;
  double begin_s = running_s(run);
  struct reason why;

  run->waiting = 1;
  while ((!awaited->arrived || run->pauses.now) && run->trouble == END_REACHED && !run->restart.asked &&
         !run_stop_requested(run)) {
    if (server_poll(run->server, POLL_MS, awaited->step, on_command, awaited, &why) != STATUS_OK)
      run_server_failed(run, &why);
    run_beat(run);
    run_check_descriptors(run);
    run_keep_status(run);
    run_report_snapshots(run);
    if (awaited->arrived)
      continue;
    waited_s = running_s(run) - begin_s;
    if (timeout_s > 0 && waited_s > timeout_s)
      time_out(run, awaited);
    else if (waited_s > notice_s)
      notice_s = report_wait(run, awaited, waited_s, notice_s);
  }
  run->waiting = 0;
  record_wait(run, awaited, waited_s, notice_s > FIRST_NOTICE_S);
}

// Between samples: orders are taken, commands are refused. Waits only while the run is paused.
static void poll_without_waiting(struct run *run, uint64_t step) {
  struct reason why;
  server_refuse_answers(run->server, step);
  do {
    if (server_poll(run->server, run->pauses.now ? POLL_MS : 0, step, ignore_command, NULL, &why) !=
        STATUS_OK)
      run_server_failed(run, &why);
    run_beat(run);
    run_check_descriptors(run);
    run_keep_status(run);
    run_report_snapshots(run);
  } while (run->pauses.now && run->trouble == END_REACHED && !run->restart.asked && !run_stop_requested(run));
}

void run_lockstep(struct run *run) {
  int external = run->setup.config.sim.controller == CONTROLLER_EXTERNAL;
  run_publish_first(run);
  server_on_order(run->server, on_order, run);

  while (run_may_step(run)) {
    struct awaited awaited = {.server = run->server, .step = run->closed_loop.frame.output.step};
    take_kept(run, &awaited);
    if (external && closed_loop_sends_sensors(&run->closed_loop))
      wait_for_command(run, &awaited);
    else
      poll_without_waiting(run, awaited.step);

    if (run->trouble != END_REACHED || run->stop_signal || run->stop_ordered || run->restart.asked) {
      keep(run, &awaited);
      break;
    }
    run_step(run, awaited.arrived ? &awaited.command : NULL, awaited.received_ns);
  }
}
