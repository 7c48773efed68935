// What controllers say about themselves: checked by the codec, limited in rate, published as topic dp. It
// never reaches the gate, so that it changes nothing in the simulation.
#include "net/zmtp/clock.h"
#include "net/server/server_internal.h"

#include <stdio.h>
#include <string.h>

void server_on_view(struct server *server,
                    void (*on_view)(void *context, uint64_t step, double time_s,
                                    const struct wire_controller_view *view),
                    void *context) {
  server->on_view = on_view;
  server->view_context = context;
}

const struct view_counts *server_view_counts(const struct server *server) {
  return &server->views;
}

// Whether the controller may send another one now.
static int is_within_budget(struct peer *peer) {
  int64_t now_ms = clock_ms();
  if (peer->view_number != peer->number) { // another controller has this place now
    peer->view_number = peer->number;
    peer->view_budget = VIEW_BURST;
    peer->view_ms = now_ms;
  }
  int64_t regained = (now_ms - peer->view_ms) / VIEW_PERIOD_MS;
  peer->view_ms += regained * VIEW_PERIOD_MS;
  peer->view_budget =
      regained > VIEW_BURST - peer->view_budget ? VIEW_BURST : peer->view_budget + (int)regained;
  if (peer->view_budget == 0)
    return 0;
  peer->view_budget--;
  return 1;
}

// Without an answer: a message that comes late, of the session before or too often does no harm.
void server_handle_view(struct server *server, const struct sender *from, struct wire_message *message) {
  struct wire_controller_view *view = &message->as.view;
  int at = server_find_peer(server, from);
  if (at < 0 || strcmp(message->header.session, server->session.id) != 0 ||
      view->based_on_step > server->session.step || !is_within_budget(&server->peers[at])) {
    server->views.dropped++;
    return;
  }
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = server_header(server, STREAM_DP, server->session.step, server->session.time_s);
  wire_clean_text(view->controller, sizeof view->controller, server->gate.controller[at].name);
  view->in_command = at == server->gate.in_command;
  server_publish_packed(server, "dp", bytes,
                        wire_pack_controller_view(&header, view, WIRE_PLAIN, bytes, sizeof bytes));
  server->views.published++;
  if (server->on_view)
    server->on_view(server->view_context, server->session.step, server->session.time_s, view);
}
