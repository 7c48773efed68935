// lockstep: a step that a controller samples waits for the command that answers its sensors. Which message
// came when does not enter: the same commands give the same bits.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>

enum { POLL_MS = 20 };
static const double FIRST_NOTICE_S = 2, NOTICE_EVERY_S = 60; // the next after twice the time, up to so long

struct awaited {
  uint64_t step;
  int come;
  struct command command;
};

// The server lets the first answer to the awaited step through, and refuses the others.
static void on_command(void *context, const struct command *c) {
  struct awaited *a = context;
  a->command = *c;
  a->come = 1;
}

static void ignore_command(void *context, const struct command *c) {
  (void)context;
  (void)c;
}

static int on_order(void *context, const struct order *order, int stop) {
  struct run *r = context;
  const struct sim_output *now = &r->closed_loop.frame.output;
  r->stop_ordered |= stop;
  if (!stop) {
    closed_loop_apply_order(&r->closed_loop, order);
    logger_order(r->logger, now->step, now->time_s, order);
  }
  return 1;
}

// The moment of the next word about the wait.
static double tell_wait(struct run *r, const struct awaited *a, double waited_s, double notice_s) {
  r->waits.long_waits += notice_s <= FIRST_NOTICE_S;
  event_watch_log(&r->watch, a->step, r->last.output.time_s, "waiting_for_answer",
                  "for %.1f s, to the sensors of step %" PRIu64 ", at %s", waited_s, a->step,
                  server_command_endpoint(r->server));
  return waited_s + (notice_s < NOTICE_EVERY_S ? notice_s : NOTICE_EVERY_S);
}

static void book_wait(struct run *r, const struct awaited *a, double waited_s, int told) {
  struct lockstep_waits *w = &r->waits;
  w->answers += (uint64_t)a->come;
  w->total_s += waited_s;
  if (waited_s > w->longest_s) {
    w->longest_s = waited_s;
    w->longest_step = a->step;
  }
  if (told && a->come)
    event_watch_log(&r->watch, a->step, r->last.output.time_s, "answer_came",
                    "to the sensors of step %" PRIu64 ", after %.1f s", a->step, waited_s);
}

static void time_out(struct run *r, const struct awaited *a) {
  r->trouble = END_LOCKSTEP_TIMEOUT;
  event_watch_log(&r->watch, a->step, r->last.output.time_s, "lockstep_timeout",
                  "no answer to the sensors of step %" PRIu64 " within %g s", a->step,
                  r->session.config.run.lockstep_timeout_s);
}

// Until the command is there, or the run is to end. The wait is the wall clock's and enters no state.
static void wait_for_command(struct run *r, struct awaited *a) {
  double timeout_s = r->session.config.run.lockstep_timeout_s, notice_s = FIRST_NOTICE_S, waited_s = 0;
  uint64_t begin_ns = os_now_ns();
  while (!a->come && r->trouble == END_REACHED && !run_stop_requested(r)) {
    struct reason why;
    if (server_poll(r->server, POLL_MS, a->step, on_command, a, &why) != STATUS_OK)
      run_server_failed(r, &why);
    run_watch_descriptors(r);
    waited_s = 1e-9 * (double)(os_now_ns() - begin_ns);
    if (a->come)
      break;
    if (timeout_s > 0 && waited_s > timeout_s)
      time_out(r, a);
    else if (waited_s > notice_s)
      notice_s = tell_wait(r, a, waited_s, notice_s);
  }
  book_wait(r, a, waited_s, notice_s > FIRST_NOTICE_S);
}

// What comes where nothing is awaited is refused, orders are taken.
static void poll_only(struct run *r, uint64_t step) {
  struct reason why;
  server_refuse_answers(r->server, step);
  if (server_poll(r->server, 0, step, ignore_command, NULL, &why) != STATUS_OK)
    run_server_failed(r, &why);
}

void run_lockstep(struct run *r) {
  int external = r->session.config.sim.controller == CONTROLLER_EXTERNAL;
  run_first_frame(r);
  server_on_order(r->server, on_order, r);
  while (run_goes_on(r)) {
    struct awaited awaited = {.step = r->closed_loop.frame.output.step};
    if (external && closed_loop_sends_sensors(&r->closed_loop))
      wait_for_command(r, &awaited);
    else
      poll_only(r, awaited.step);
    run_watch_descriptors(r);
    if (r->trouble != END_REACHED || r->stop_signal)
      break;
    run_step_here(r, awaited.come ? &awaited.command : NULL);
  }
}
