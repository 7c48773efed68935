#include "host/realtime.h"

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
