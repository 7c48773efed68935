#include "run/serve/serve_serve.h"

#include "net/server/order_server.h"
#include "os/process/process.h"
#include "run/serve/serve_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TICK_MS = 100 };

static enum status make_id(char out[WIRE_NAME], struct reason *why) {
  uint64_t number;
  enum status status = os_random(&number, sizeof number, why);
  snprintf(out, WIRE_NAME, "manager-%016" PRIx64, status == STATUS_OK ? number : 0);
  return status;
}

static void print_event(const char *name, const char *text) {
  fprintf(stderr, "sagbend serve: %s: %s\n", name, text);
}

// Serves until a signal has come and no session runs any more. A second signal kills the session.
static enum status serve_orders(struct manager *manager, struct order_server *server, struct reason *why) {
  enum status status = STATUS_OK;
  int ending = 0, is_killed = 0;
  while (status == STATUS_OK && !(ending && !manager->child.process.id)) {
    status = order_server_poll(server, TICK_MS, manager->child.output, manager_take_order, manager, why);
    if (os_stop_requested()) {
      ending = 1;
      manager_stop(manager, "the end of the manager");
    }
    manager_watch(manager);
    is_killed = ending && manager->is_killed;
    if (ending && manager->child.process.id && !manager->stopped_by) // an order started it meanwhile
      manager_stop(manager, "the end of the manager");
  }
  if (status == STATUS_OK && is_killed)
    status = fail(why, STATUS_IO, "the last session was killed");
  return status;
}

enum status serve(const struct serve_options *options, struct reason *why) {
  char id[WIRE_NAME];
  struct order_server *server = NULL;
  struct manager *manager = malloc(sizeof *manager);
  if (!manager)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the manager");
  os_block_stop_signals();
  os_lead_processes();
  enum status status = manager_open(manager, options, why);
  if (status == STATUS_OK)
    status = manager_read_keys(manager, why);
  if (status == STATUS_OK)
    status = make_id(id, why);
  if (status == STATUS_OK)
    status = order_server_open(options->endpoint, id, manager->keys, &server, why);
  if (status == STATUS_OK) {
    fprintf(stderr, "sagbend serve: orders at %s\n", order_server_endpoint(server));
    fprintf(stderr, "sagbend serve: cases of %s, logs in %s\n", manager->folder, manager->log_folder);
    order_server_on_event(server, print_event);
    status = serve_orders(manager, server, why);
  }
  order_server_close(server);
  manager_close(manager);
  free(manager);
  return status;
}
