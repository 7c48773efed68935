// Another session at the same sockets, after a restore or reset.
#include "io/wire/server_parts.h"

#include <stdio.h>
#include <string.h>

static void forget_session(struct server *server) {
  memset(server->sequence, 0, sizeof server->sequence);
  for (int i = 0; i < STREAM_COUNT; i++)
    server->due[i].any = 0;
  server->order_number = 0;
  server->pending_count = 0;
  server->sensors_size = 0;
  server->sensors_step = 0;
  server->sensors_unpublished = 0;
}

static void forget_controllers(struct server *server) {
  struct gate *gate = &server->gate;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used)
      gate_leave(gate, i);
  gate->in_command = -1;
  gate->commanded_step = 0;
  gate->answered_step = 0;
}

void server_begin_session(struct server *server, const char *session, const struct frame *frame,
                          const double *setpoint, const char *text) {
  struct wire_welcome *welcome = &server->welcome;
  forget_session(server);
  snprintf(server->session, sizeof server->session, "%s", session);
  server->step = frame->output.step;
  server->time_s = frame->output.time_s;
  welcome->has_setpoint = setpoint != NULL;
  if (setpoint)
    memcpy(welcome->setpoint, setpoint, sizeof welcome->setpoint);
  welcome->setpoint_order = frame->target.order;
  welcome->track =
      (struct wire_track){.orders = frame->target.track_orders, .order = frame->target.track_order};
  server_publish_event(server, server->step, server->time_s, "session_begun", text);
  forget_controllers(server);
  server_take_orders(server, frame);
  server_publish_session(server);
}
