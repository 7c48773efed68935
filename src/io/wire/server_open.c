// Sockets, their options, and what a session says of itself.
#include "io/wire/server_parts.h"

#include "core/base/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum {
  LARGEST_MESSAGE = 16 << 20, // libzmq cuts a peer off beyond it; below it we count and refuse
  COMMAND_QUEUE = 64,         // messages, each way and peer
  HEARTBEAT_MS = 200,
  HEARTBEAT_TIMEOUT_MS = 1000,
  KEEPALIVE_S = 5,    // of the other side's system, which answers while its process thinks
  END_LINGER_MS = 300 // for the End message; otherwise nothing is worth waiting for
};

static void set_int(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

static void *open_router(void *context) {
  void *socket = zmq_socket(context, ZMQ_ROUTER);
  if (!socket)
    return NULL;
  const int64_t largest = LARGEST_MESSAGE;
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  set_int(socket, ZMQ_LINGER, 0);
  set_int(socket, ZMQ_SNDHWM, COMMAND_QUEUE);
  set_int(socket, ZMQ_RCVHWM, COMMAND_QUEUE);
  set_int(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
  set_int(socket, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS);
  set_int(socket, ZMQ_HEARTBEAT_TTL, HEARTBEAT_TIMEOUT_MS);
  return socket;
}

// A controller that stands still in a debugger answers no heartbeat. In lockstep it may; its system answers
// for it.
static void wait_for_thinkers(void *socket) {
  set_int(socket, ZMQ_HEARTBEAT_IVL, 0);
  set_int(socket, ZMQ_TCP_KEEPALIVE, 1);
  set_int(socket, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_S);
  set_int(socket, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_S);
  set_int(socket, ZMQ_TCP_KEEPALIVE_CNT, 3);
}

// The socket that listens is ours (endpoint.h); ZeroMQ only gets it.
static enum status open_door(struct server *s, const char *endpoint, struct reason *why) {
  enum status status = listener_open(endpoint, &s->door, why);
  if (status != STATUS_OK)
    return status;
  set_int(s->router, ZMQ_USE_FD, s->door.file);
  if (zmq_bind(s->router, s->door.endpoint) == 0)
    return STATUS_OK;
  status = fail(why, STATUS_IO, "cannot bind %s: %s", endpoint, zmq_strerror(errno));
  listener_close(&s->door, 0);
  return status;
}

static void describe_vessel(const struct config *c, struct wire_welcome *w) {
  const struct instruments_def *all = &c->suite.instruments;
  for (int i = 0; i < all->count; i++) {
    const struct instrument_def *d = &all->instrument[i];
    struct wire_instrument *out = &w->instrument[i];
    *out = (struct wire_instrument){
        .kind = d->kind, .rate_hz = d->rate_hz, .latency_s = d->latency_s, .share = d->share};
    memcpy(out->name, d->name, sizeof out->name);
    memcpy(out->position_b_m, d->position_b_m, sizeof out->position_b_m);
  }
  w->instrument_count = all->count;
  w->mass_kg = c->sim.vessel.mass_kg;
  memcpy(w->inertia, c->sim.vessel.inertia, sizeof w->inertia);
  memcpy(w->added_mass, c->sim.vessel.added_mass, sizeof w->added_mass);
}

static void describe(struct server *s, const struct session_info *session) {
  const struct config *c = session->config;
  struct wire_welcome *w = &s->welcome;
  snprintf(s->session, sizeof s->session, "%s", session->session_id);
  wire_clean_text(w->name, sizeof w->name, c->name);
  w->config_hash = c->hash;
  w->step_s = c->sim.step_s;
  w->mode = c->run.mode;
  w->integrator = c->sim.integrator.vessel;
  w->order = w->integrator != VESSEL_STRANG ? 2 * (int)w->integrator : c->sim.integrator.order == 4 ? 4 : 2;
  w->has_pipe = session->node_count > 0;
  w->node_count = (uint32_t)session->node_count;
  memcpy(w->hold_wrench_b, session->hold_wrench_b, sizeof w->hold_wrench_b);
  config_command_rules(c, session->hold_wrench_b, &s->rules);
  memcpy(w->wrench_limit, s->rules.wrench_limit, sizeof w->wrench_limit);
  w->plant = c->sim.vessel.plant;
  w->accepts_wrench = !s->rules.thrusters_only;
  w->has_setpoint = session->setpoint != NULL;
  if (session->setpoint)
    memcpy(w->setpoint, session->setpoint, sizeof w->setpoint);
  describe_vessel(c, w);
  w->command_timeout_s = c->net.command_timeout_s;
  w->command_max_age_s = c->net.command_max_age_s;
  s->names = c->scenario.names;
  s->timeout_ms = (uint64_t)(1000 * c->net.command_timeout_s);
  s->timeout_steps = steps_in_period_or_off(c->net.command_timeout_s, c->sim.step_s);
  s->max_age_steps = steps_in_period_or_off(c->net.command_max_age_s, c->sim.step_s);

  s->due[STREAM_SENSORS].period_steps = steps_in_period(c->net.sensor_period_s, c->sim.step_s);
  s->due[STREAM_TRUTH].period_steps = steps_in_period_or_off(c->net.truth_period_s, c->sim.step_s);
  s->due[STREAM_LEDGER].period_steps = steps_in_period_or_off(c->net.ledger_period_s, c->sim.step_s);
  s->due[STREAM_TIMING].period_steps = steps_in_period_or_off(c->net.timing_period_s, c->sim.step_s);
  w->sensor_period_s = (double)s->due[STREAM_SENSORS].period_steps * c->sim.step_s;
}

static enum status make_room_for_nodes(struct server *s, int count) {
  s->node_count = count;
  s->node_capacity = wire_nodes_bytes((size_t)count);
  s->node_bytes = malloc(s->node_capacity);
  s->node_scratch = calloc(NODE_COLUMN_COUNT * (size_t)count + 1, sizeof(double));
  return s->node_bytes && s->node_scratch ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status open_all(struct server *s, const struct config *c, struct reason *why) {
  static const char *const topics[] = {"sensors", "truth", "nodes", "ledger", "timing", "event", "end", NULL};
  s->context = zmq_ctx_new();
  s->router = s->context ? open_router(s->context) : NULL;
  if (!s->router)
    return fail(why, STATUS_IO, "cannot open sockets: %s", zmq_strerror(errno));
  set_int(s->router, ZMQ_ROUTER_MANDATORY, 1); // a controller that has gone is an error, not silence
  if (c->run.mode == RUN_LOCKSTEP)
    wait_for_thinkers(s->router);
  set_int(s->router, ZMQ_ROUTER_HANDOVER, 1); // a client with a routing id of its own may come back
  enum status st = open_door(s, c->net.command_endpoint, why);
  if (st == STATUS_OK)
    st = publisher_open(c->net.telemetry_endpoint, topics, s->node_capacity, &s->publisher, why);
  if (st != STATUS_OK)
    return st;
  snprintf(s->welcome.command_endpoint, sizeof s->welcome.command_endpoint, "%s", s->door.endpoint);
  snprintf(s->welcome.telemetry_endpoint, sizeof s->welcome.telemetry_endpoint, "%s",
           publisher_endpoint(s->publisher));
  return STATUS_OK;
}

enum status server_admit(struct server *s, int on, struct reason *why) {
  if (s->closed == !on)
    return STATUS_OK;
  if (on && open_door(s, s->welcome.command_endpoint, why) != STATUS_OK)
    return STATUS_IO;
  if (!on && zmq_unbind(s->router, s->door.endpoint) < 0)
    return fail(why, STATUS_IO, "%s: %s", s->door.endpoint, zmq_strerror(errno));
  if (!on)
    listener_close(&s->door, 1);
  publisher_admit(s->publisher, on);
  s->closed = !on;
  return STATUS_OK;
}

enum status server_open(const struct session_info *session, struct server **out, struct reason *why) {
  *out = NULL;
  struct server *s = calloc(1, sizeof *s);
  if (!s)
    return fail(why, STATUS_NO_MEMORY, "no memory for the server");
  s->in_command = -1;
  s->door.file = -1;
  describe(s, session);
  enum status st = make_room_for_nodes(s, session->node_count);
  if (st == STATUS_OK)
    st = open_all(s, session->config, why);
  else
    fail(why, st, "no memory for %d nodes", session->node_count);
  if (st != STATUS_OK) {
    server_close(s);
    return st;
  }
  *out = s;
  return STATUS_OK;
}

void server_close(struct server *s) {
  if (!s)
    return;
  publisher_close(s->publisher, s->ended ? END_LINGER_MS : 0);
  if (s->router) {
    set_int(s->router, ZMQ_LINGER, s->ended ? END_LINGER_MS : 0);
    zmq_close(s->router);
  }
  if (s->context)
    zmq_ctx_term(s->context);
  listener_close(&s->door, 1);
  free(s->node_scratch);
  free(s->node_bytes);
  free(s);
}
