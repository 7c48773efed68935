// Publishing: telemetry, events and the end of the session.
#include "net/server/server_internal.h"

#include "net/zmtp/zmtp.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct wire_header server_header(struct server *server, enum stream stream, uint64_t step, double time_s) {
  struct wire_header header = {
      .sequence = ++server->session.sequence[stream], .step = step, .time_s = time_s};
  memcpy(header.session, server->session.id, sizeof header.session);
  return header;
}

void server_publish_packed(struct server *server, const char *topic, const uint8_t *data, size_t size) {
  for (int i = 0; i < NETWORKS; i++)
    if (size > 0 && server->publisher[i])
      publisher_send(server->publisher[i], topic, data, size);
}

void server_publish_event(struct server *server, uint64_t step, double time_s, const char *name,
                          const char *text) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  char clean_name[WIRE_NAME], clean_text[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean_name, sizeof clean_name, name);
  wire_clean_text(clean_text, sizeof clean_text, text);
  struct wire_header header = server_header(server, STREAM_EVENT, step, time_s);
  server_publish_packed(server, "event", bytes,
                        wire_pack_event(&header, clean_name, clean_text, WIRE_PLAIN, bytes, sizeof bytes));
  server_send_to_all(server, bytes,
                     wire_pack_event(&header, clean_name, clean_text, WIRE_ENVELOPE, bytes, sizeof bytes));
}

void server_publish_alarms(struct server *server, uint64_t step, double time_s,
                           const struct wire_alarms *alarms) {
  uint8_t bytes[WIRE_MAX_PLAIN];
  struct wire_header header = server_header(server, STREAM_ALARM, step, time_s);
  server_publish_packed(server, "alarm", bytes, wire_pack_alarms(&header, alarms, bytes, sizeof bytes));
}

void server_publish_end(struct server *server, uint64_t step, double time_s, const char *why,
                        const char *result) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  char clean_text[WIRE_MAX_TEXT + 1], clean_result[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean_text, sizeof clean_text, why);
  wire_clean_text(clean_result, sizeof clean_result, result);
  struct wire_header header = server_header(server, STREAM_END, step, time_s);
  server_publish_packed(server, "end", bytes,
                        wire_pack_end(&header, clean_text, clean_result, WIRE_PLAIN, bytes, sizeof bytes));
  server_send_to_all(server, bytes,
                     wire_pack_end(&header, clean_text, clean_result, WIRE_ENVELOPE, bytes, sizeof bytes));
  server->ended = 1;
}

static enum event_class class_of(const char *name) {
  static const char controller[] = "controller_";
  return strcmp(name, "controller_in_command") == 0              ? EVENTS_OF_COMMAND
         : strncmp(name, controller, sizeof controller - 1) == 0 ? EVENTS_OF_CONTROLLERS
                                                                 : EVENTS_OF_MESSAGES;
}

void server_report(struct server *server, const char *name, const char *text) {
  server_publish_event(server, server->session.step, server->session.time_s, name, text);
  if (server->on_event)
    server->on_event(server->event_context, server->session.step, server->session.time_s, name, text);
}

// How long the present stretch of a flood has lasted by the clock that is ahead. A reset turns simulated time
// back.
static double lasted_s(const struct server *server, const struct event_flood *flood, int64_t now_ms) {
  return fmax(fabs(server->session.time_s - flood->from_s), 1e-3 * (double)(now_ms - flood->from_ms));
}

static int is_over(const struct server *server, const struct event_flood *flood, int64_t now_ms) {
  return 1e3 * lasted_s(server, flood, now_ms) >= (double)flood->stretch_ms;
}

static void end_flood(struct server *server, struct event_flood *flood, int64_t now_ms) {
  static const char *const what[EVENT_CLASS_COUNT] = {[EVENTS_OF_COMMAND] = "changes of command",
                                                      [EVENTS_OF_CONTROLLERS] = "events of controllers",
                                                      [EVENTS_OF_MESSAGES] = "events of messages"};
  char text[200];
  const uint64_t left = flood->left;
  flood->sum += left;
  snprintf(text, sizeof text, "%" PRIu64 " more %s in %.0f s without a line, %" PRIu64 " in all", left,
           what[flood - server->floods], lasted_s(server, flood, now_ms), flood->sum);
  flood->left = 0;
  flood->lines = 0;
  flood->from_ms = now_ms;
  flood->from_s = server->session.time_s;
  flood->stretch_ms = !left                                   ? 1000
                      : 2 * flood->stretch_ms < EVENTS_SUM_MS ? 2 * flood->stretch_ms
                                                              : EVENTS_SUM_MS;
  if (left)
    server_report(server, EVENT_NAME(events_limited), text);
}

void server_report_floods(struct server *server) {
  const int64_t now_ms = clock_ms();
  for (int i = 0; i < EVENT_CLASS_COUNT; i++)
    if (server->floods[i].left && is_over(server, &server->floods[i], now_ms))
      end_flood(server, &server->floods[i], now_ms);
}

void server_peer_event(struct server *server, const char *name, const char *text) {
  struct event_flood *flood = &server->floods[class_of(name)];
  const int64_t now_ms = clock_ms();
  if (is_over(server, flood, now_ms))
    end_flood(server, flood, now_ms);
  if (flood->lines >= EVENTS_AT_ONCE) {
    flood->left++;
    return;
  }
  flood->lines++;
  server_report(server, name, text);
}

void server_on_event(struct server *server,
                     void (*on_event)(void *context, uint64_t step, double time_s, const char *name,
                                      const char *text),
                     void *context) {
  server->on_event = on_event;
  server->event_context = context;
}

// Whether a message is due at this step: the first in its period.
static int is_due(struct schedule *schedule, uint64_t step) {
  if (schedule->period_steps == 0 || (schedule->any && step / schedule->period_steps == schedule->last))
    return 0;
  schedule->any = 1;
  schedule->last = step / schedule->period_steps;
  return 1;
}

static void publish_or_report(struct server *server, const char *topic, const uint8_t *bytes, size_t size) {
  server_publish_packed(server, topic, bytes, size);
  if (size == 0) {
    char text[WIRE_MAX_TEXT + 1];
    snprintf(text, sizeof text, "%s: not sent, because a number is not finite", topic);
    server_peer_event(server, EVENT_NAME(not_sent), text);
  }
}

// The present state in messages to peers and in answers to them.
static void adopt(struct server *server, const struct frame *frame) {
  server->session.step = frame->output.step;
  server->session.time_s = frame->output.time_s;
  server_take_orders(server, frame);
  if (server->gate.lockstep) // in steps, whatever the clock shows
    gate_watch_seats(&server->gate, server->session.step);
}

static int send_sensors_to_controllers(struct server *server) {
  int count = 0;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i) && !gate_is_cut(&server->gate, server->gate.controller[i].seat)) {
      const enum controller_side side = server_side_of(server, i);
      server_send(server, i, server->session.sensors[side], server->session.sensors_size[side]);
      count += server->session.sensors_size[side] > 0;
    }
  return count;
}

enum controller_side server_side_of(const struct server *server, int peer) {
  const struct gate *gate = &server->gate;
  return controllers_side(&gate->rules.controllers, (uint64_t)(gate->controller[peer].seat + 1));
}

// With a backup those on each side of the switch receive their instruments only.
static void pack_sensors(struct server *server, const struct frame *frame) {
  struct server_session *session = &server->session;
  const struct controllers_def *all = &server->gate.rules.controllers;
  for (int side = 0; side < SIDES; side++) {
    session->sensors_size[side] = 0;
    if (side == SIDE_MAIN || controllers_backup(all))
      session->sensors_size[side] =
          wire_pack_sensors_of(&session->sensors_header, frame, server_received(server, side), WIRE_ENVELOPE,
                               session->sensors[side], sizeof session->sensors[side]);
  }
}

uint32_t server_received(const struct server *server, int side) {
  const struct controllers_def *all = &server->gate.rules.controllers;
  return controllers_backup(all) ? all->received[side] : UINT32_MAX;
}

int server_send_sensors(struct server *server, const struct frame *frame) {
  uint64_t step = frame->output.step;
  adopt(server, frame);
  if (!is_due(&server->session.due[STREAM_SENSORS], step))
    return 0;
  server->session.sensors_header = server_header(server, STREAM_SENSORS, step, frame->output.time_s);
  server->session.sensors_unpublished = 1;
  if (frame->sensors_lost)
    return 0;
  server->sensors_since++;
  server->session.sensors_step = step;
  pack_sensors(server, frame);
  return send_sensors_to_controllers(server);
}

void server_publish(struct server *server, const struct frame *frame) {
  uint8_t bytes[WIRE_MAX_PLAIN];
  uint64_t step = frame->output.step;
  double time_s = frame->output.time_s;
  server_send_sensors(server, frame); // unless that has been done
  if (server->session.sensors_unpublished)
    publish_or_report(
        server, "sensors", bytes,
        wire_pack_sensors(&server->session.sensors_header, frame, WIRE_PLAIN, bytes, sizeof bytes));
  server->session.sensors_unpublished = 0;
  if (is_due(&server->session.due[STREAM_TRUTH], step)) {
    struct wire_header header = server_header(server, STREAM_TRUTH, step, time_s);
    publish_or_report(server, "truth", bytes, wire_pack_truth(&header, frame, bytes, sizeof bytes));
  }
  if (is_due(&server->session.due[STREAM_LEDGER], step)) {
    struct wire_header header = server_header(server, STREAM_LEDGER, step, time_s);
    publish_or_report(server, "ledger", bytes, wire_pack_ledger(&header, frame, bytes, sizeof bytes));
  }
  if (is_due(&server->session.due[STREAM_TIMING], step)) {
    uint8_t large[WIRE_MAX_TIMING];
    struct wire_header header = server_header(server, STREAM_TIMING, step, time_s);
    publish_or_report(server, "timing", large,
                      wire_pack_timing(&header, frame, &server->gate.counts, &server->guard.counts,
                                       server->session.times, large, sizeof large));
  }
}

void server_publish_nodes(struct server *server, uint64_t step, double time_s, int count,
                          const struct sim_node *nodes) {
  if (count > server->node_count)
    count = server->node_count;
  struct wire_header header = server_header(server, STREAM_NODES, step, time_s);
  publish_or_report(server, "nodes", server->node_bytes,
                    wire_pack_nodes(&header, (size_t)count, nodes, server->node_scratch, server->node_bytes,
                                    server->node_capacity));
}

// ------------------------------------------------------------
// Who may subscribe to telemetry, and to what.

// A controller may subscribe to what it would receive over its own connection; the truth is not for it, nor
// are verdicts and faults. With a backup topic sensors has what neither main ones nor backup receive.
static int may_subscribe(const struct server *server, enum peer_role role, const char *topic) {
  const int may_have_all = !controllers_backup(&server->gate.rules.controllers);
  return role != ROLE_CONTROLLER || (strcmp(topic, "sensors") == 0 && may_have_all) ||
         strcmp(topic, "event") == 0 || strcmp(topic, "end") == 0;
}

static enum zmtp_failure admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  struct server *server = context;
  const struct peer_key *found = server_find_key(server, key, out);
  if (!found)
    return ZMTP_UNKNOWN_KEY;
  for (int i = 0; server->topics[i]; i++)
    if (may_subscribe(server, found->role, server->topics[i]))
      out->topics |= UINT32_C(1) << i;
  server->guard.counts.admitted++;
  return ZMTP_NO_FAILURE;
}

static void on_denial(void *context, enum zmtp_failure failure, const char *who) {
  server_deny_failure(context, failure, who, "telemetry: ");
}

static void on_subscription_denied(void *context, const char *who) {
  server_deny(context, DENIED_ROLE, who, "a controller may subscribe to sensors, event and end only");
}

enum status server_open_publisher(struct server *server, int network, const char *endpoint,
                                  const char *const *topics, size_t largest, struct reason *why) {
  struct publisher_guard guard = {.keys = {.admit = admit, .context = server},
                                  .on_denial = on_denial,
                                  .on_subscription_denied = on_subscription_denied,
                                  .context = server};
  const struct server_keys *keys = server->guard.keys;
  server->topics = topics;
  if (keys)
    server_fill_keys(&guard.keys, keys);
  enum status status =
      publisher_open(endpoint, topics, largest, keys ? &guard : NULL, &server->publisher[network], why);
  if (keys)
    publisher_guard_forget(&guard);
  return status;
}

// ------------------------------------------------------------
// What controllers report about themselves: checked by the codec, limited in rate, published as topic dp. It
// never reaches the gate, so that it changes nothing in the simulation.

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
  if (peer->view_number != peer->number) { // another controller has this place now
    peer->view_number = peer->number;
    peer->views = (struct budget){0};
  }
  return budget_take(&peer->views, (double)clock_ms(), VIEW_PERIOD_MS, VIEW_BURST);
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
