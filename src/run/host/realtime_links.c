// What connects the step thread with the main thread, and how commands and orders reach it.
#include "run/host/realtime.h"

#include "sagbend/rig/host_event.h"
#include "os/process/process.h"

#include <stdlib.h>

enum {
  COMMAND_SLOTS = 64,
  ORDER_SLOTS = 64, // more than the server lets wait
  FRAME_SLOTS = 1024,
  NODE_SLOTS = 16
};

static enum status make_ring(struct ring *ring, size_t slots, size_t item_bytes) {
  void *mem = aligned_alloc(RING_LINE, ring_memsize(slots, item_bytes));
  ring->items = NULL;
  if (!mem)
    return STATUS_NO_MEMORY;
  ring_init(ring, mem, slots, item_bytes);
  return STATUS_OK;
}

static enum status make_slot(struct slot *slot, size_t item_bytes) {
  void *mem = aligned_alloc(RING_LINE, slot_memsize(item_bytes));
  slot->items = NULL;
  if (!mem)
    return STATUS_NO_MEMORY;
  slot_init(slot, mem, item_bytes);
  return STATUS_OK;
}

enum status realtime_make_links(struct realtime *rt, struct reason *why) {
  size_t node_bytes =
      sizeof(struct node_frame) + (size_t)rt->host->session->node_count * sizeof(struct sim_node);
  enum status commands = make_ring(&rt->commands, COMMAND_SLOTS, sizeof(struct arrived_command));
  enum status newest = make_slot(&rt->newest, sizeof(struct arrived_command));
  enum status orders = make_ring(&rt->orders, ORDER_SLOTS, sizeof(struct order));
  enum status frames = make_ring(&rt->frames, FRAME_SLOTS, sizeof(struct frame));
  enum status nodes = make_ring(&rt->nodes, NODE_SLOTS, node_bytes);
  if (commands || newest || orders || frames || nodes)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the rings between the threads");
  return wake_open(&rt->wake, why);
}

void realtime_free_links(struct realtime *rt) {
  wake_close(&rt->wake);
  free(rt->commands.items);
  free(rt->newest.items);
  free(rt->orders.items);
  free(rt->frames.items);
  free(rt->nodes.items);
}

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
    event_watch_log(&rt->host->session->watch, now->step, now->time_s, EVENT_NAME(command_dropped),
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
      event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(command_ignored),
                      "commands arrive, but controller.kind is not external: they are ignored");
    return;
  }

  const struct arrived_command arrived = {*command, *server_message_alarms(host->outlets.server),
                                          moment_of_receipt(host->outlets.server), ++rt->arrived};
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
