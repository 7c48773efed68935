// What comes from outside, on its way to the step thread: commands and operators' orders.
#include "host/realtime.h"

#include "rt/os.h"

// A field bus hands a command over at once.
static uint64_t moment_of_receipt(const struct server *server) {
  uint64_t message_ns = server_message_ns(server);
  return message_ns ? message_ns : os_now_ns();
}

// The next step uses the newest command, however many have come.
static void report_dropped_commands(struct realtime *rt) {
  const struct sim_output *now = &rt->host->session->last.output;
  rt->host->commands_dropped = rt->dropped_before + slot_replaced(&rt->newest);
  if (slot_replaced(&rt->newest) > 0 && !rt->drop_reported++)
    event_watch_log(&rt->host->session->watch, now->step, now->time_s, "command_dropped",
                    "more than %zu commands arrived within one step: of the further ones only the newest is "
                    "kept; the summary contains their number",
                    rt->commands.capacity);
}

void realtime_take_command(void *context, const struct command *command) {
  struct realtime *rt = context;
  struct host *host = rt->host;
  const struct sim_output *now = &host->session->last.output;
  if (host->setup.config.sim.controller != CONTROLLER_EXTERNAL) {
    if (!rt->ignored_reported++)
      event_watch_log(&host->session->watch, now->step, now->time_s, "command_ignored",
                      "commands arrive, but controller.kind is not external: they are ignored");
    return;
  }

  const struct arrived_command arrived = {*command, moment_of_receipt(host->outlets.server), ++rt->arrived};
  struct arrived_command *place = ring_claim(&rt->commands);
  if (place) {
    *place = arrived;
    ring_commit(&rt->commands);
    return;
  }
  *(struct arrived_command *)slot_claim(&rt->newest) = arrived;
  slot_commit(&rt->newest);
  report_dropped_commands(rt);
}

enum status realtime_take_order(void *context, const struct order *order, struct reason *why) {
  struct realtime *rt = context;
  enum status status = host_accept_order(rt->host, order, why);
  if (status != STATUS_OK)
    return status;
  struct order *place = ring_claim(&rt->orders); // the server accepts no more than fit
  if (!place)
    return fail(why, STATUS_BAD_INPUT, "too many orders at once");
  *place = *order;
  ring_commit(&rt->orders);
  host_note_order(rt->host, order);
  return STATUS_OK;
}
