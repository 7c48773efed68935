// lockstep: a step that a controller samples waits for the command that answers its sensors. Which message
// came when does not enter: the same commands give the same bits.
#include "run.h"

#include "rt/os.h"

#include <inttypes.h>

enum { POLL_MS = 20 };
static const uint64_t NOTICE_AFTER_NS = 5000000000u;

struct awaited {
  uint64_t step;
  int come;
  struct command command;
};

static void on_command(void *context, const struct command *c) {
  struct awaited *a = context;
  if (c->based_on_step != a->step)
    return; // answers older sensors: that step is done
  a->command = *c;
  a->come = 1;
}

static void ignore_command(void *context, const struct command *c) {
  (void)context;
  (void)c;
}

static int on_order(void *context, const struct order *order, int stop) {
  struct run *r = context;
  const struct sim_output *now = &r->stepper.frame.output;
  r->stop_ordered |= stop;
  if (!stop) {
    stepper_order(&r->stepper, order);
    logger_order(r->logger, now->step, now->time_s, order);
  }
  return 1;
}

// EXIT_DONE with the command, or without one if a signal came.
static int wait_for_command(struct run *r, struct awaited *a) {
  uint64_t notice_ns = os_now_ns() + NOTICE_AFTER_NS;
  while (!a->come) {
    if (server_poll(r->server, POLL_MS, a->step, on_command, a) < 0)
      return run_server_failed(r);
    if (run_stop_requested(r))
      return EXIT_DONE;
    if (os_now_ns() > notice_ns) {
      console_line(&r->console, "waiting for the command that answers the sensors of step %" PRIu64 " at %s",
                   a->step, server_command_endpoint(r->server));
      notice_ns = os_now_ns() + 6 * NOTICE_AFTER_NS;
    }
  }
  return EXIT_DONE;
}

int run_lockstep(struct run *r) {
  int external = r->session.config.sim.controller == CONTROLLER_EXTERNAL;
  run_first_frame(r);
  server_on_order(r->server, on_order, r);
  while (run_goes_on(r)) {
    struct awaited awaited = {.step = r->stepper.frame.output.step};
    if (external && stepper_sends_sensors(&r->stepper)) {
      if (wait_for_command(r, &awaited) != EXIT_DONE)
        return EXIT_FAILED;
      if (r->stop_signal)
        break;
    } else if (server_poll(r->server, 0, awaited.step, ignore_command, NULL) < 0) {
      return run_server_failed(r);
    }
    run_step_here(r, awaited.come ? &awaited.command : NULL);
  }
  return EXIT_DONE;
}
