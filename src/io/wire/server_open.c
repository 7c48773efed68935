// Opening and closing: the sockets and their options, and the description of the session in a Welcome.
#include "io/wire/server_parts.h"

#include "core/base/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_LINGER_MS = 300 }; // for the End message; nothing else needs to be waited for

static void describe_vessel(const struct config *config, struct wire_welcome *welcome) {
  const struct instruments_def *all = &config->suite.instruments;
  for (int i = 0; i < all->count; i++) {
    const struct instrument_def *def = &all->instrument[i];
    struct wire_instrument *out = &welcome->instrument[i];
    *out = (struct wire_instrument){
        .kind = def->kind, .rate_hz = def->rate_hz, .latency_s = def->latency_s, .share = def->share};
    memcpy(out->name, def->name, sizeof out->name);
    memcpy(out->position_b_m, def->position_b_m, sizeof out->position_b_m);
  }

  welcome->instrument_count = all->count;
  welcome->mass_kg = config->sim.vessel.mass_kg;
  memcpy(welcome->inertia, config->sim.vessel.inertia, sizeof welcome->inertia);
  memcpy(welcome->added_mass, config->sim.vessel.added_mass, sizeof welcome->added_mass);
}

static void on_gate_event(void *context, const char *name, const char *text) {
  server_peer_event(context, name, text);
}

static void describe_gate(struct server *server, const struct config *config) {
  struct gate *gate = &server->gate;
  gate->lockstep = config->run.mode == RUN_LOCKSTEP;
  gate->timeout_ms = (uint64_t)(1000 * config->net.command_timeout_s);
  gate->timeout_steps = steps_in_period_or_off(config->net.command_timeout_s, config->sim.step_s);
  gate->max_age_steps = steps_in_period_or_off(config->net.command_max_age_s, config->sim.step_s);
  gate->on_event = on_gate_event;
  gate->context = server;
  gate_init(gate);
}

void server_describe(const struct session_info *session, struct wire_welcome *welcome) {
  const struct config *config = session->config;
  struct command_def rules = {0};
  memset(welcome, 0, sizeof *welcome);
  wire_clean_text(welcome->name, sizeof welcome->name, config->name);
  welcome->config_hash = config->hash;
  welcome->step_s = config->sim.step_s;
  welcome->mode = config->run.mode;
  welcome->integrator = config->sim.integrator.vessel;
  welcome->order = welcome->integrator != VESSEL_STRANG ? 2 * (int)welcome->integrator
                   : config->sim.integrator.order == 4  ? 4
                                                        : 2;
  welcome->has_pipe = session->node_count > 0;
  welcome->node_count = (uint32_t)session->node_count;
  memcpy(welcome->hold_wrench_b, session->hold_wrench_b, sizeof welcome->hold_wrench_b);
  config_command_rules(config, session->hold_wrench_b, &rules);
  memcpy(welcome->wrench_limit, rules.wrench_limit, sizeof welcome->wrench_limit);
  welcome->plant = config->sim.vessel.plant;
  welcome->accepts_wrench = !rules.thrusters_only;
  welcome->has_tensioner = rules.tensioner.present;
  welcome->tensioner = (struct wire_tensioner){.accepts_commands = rules.tensioner.from_controllers,
                                               .tension_max_n = rules.tensioner.tension_max_n,
                                               .speed_max_mps = rules.tensioner.speed_max_mps,
                                               .grip_n = config->sim.pipe.tensioner.grip_n,
                                               .brake_n = config->sim.pipe.tensioner.brake_n,
                                               .motor_n = config->sim.pipe.tensioner.motor_n,
                                               .motor_w = config->sim.pipe.tensioner.motor_w,
                                               .dead_band_n = config->sim.pipe.tensioner.dead_band_n};
  welcome->has_setpoint = session->setpoint != NULL;
  if (session->setpoint)
    memcpy(welcome->setpoint, session->setpoint, sizeof welcome->setpoint);
  welcome->setpoint_order = session->setpoint_order;
  describe_vessel(config, welcome);
  welcome->command_timeout_s = config->net.command_timeout_s;
  welcome->command_max_age_s = config->net.command_max_age_s;
  welcome->sensor_period_s =
      (double)steps_in_period(config->net.sensor_period_s, config->sim.step_s) * config->sim.step_s;
}

// A route that an external controller may follow without the simulator's knowledge is not ruled out.
static void describe_order_rules(struct server *server, const struct config *config) {
  const struct tensioner_def *tensioner = &config->sim.pipe.tensioner;
  const int is_route_unknown = config->sim.controller == CONTROLLER_EXTERNAL && !*config->dp_file;
  const double most_mps = tensioner->order_count ? tensioner->speed_max_mps : TRACK_SPEED_MAX;
  server->order_rules =
      (struct order_rules){.names = &server->names,
                           .mode = server->welcome.mode,
                           .is_setpoint_fixed = config->sim.controller == CONTROLLER_CONTINUOUS,
                           .may_follow_route = config->scenario.track.route.count > 0 || is_route_unknown,
                           .track_speed_max_mps = most_mps < TRACK_SPEED_MAX ? most_mps : TRACK_SPEED_MAX,
                           .tensioner = server->gate.rules.tensioner};
}

// Fills the Welcome and the rules and periods of the session.
static void describe(struct server *server, const struct session_info *session) {
  const struct config *config = session->config;
  double step_s = config->sim.step_s;
  server_describe(session, &server->welcome);
  server->welcome.controller_view_period_s = 1e-3 * VIEW_PERIOD_MS;
  server->about = session->about;
  server->times = session->times;
  snprintf(server->session, sizeof server->session, "%s", session->session_id);
  config_command_rules(config, session->hold_wrench_b, &server->gate.rules);
  server->names = config->scenario.names;
  server->scenario = &config->scenario;
  describe_order_rules(server, config);
  describe_gate(server, config);

  server->due[STREAM_SENSORS].period_steps = steps_in_period(config->net.sensor_period_s, step_s);
  server->due[STREAM_TRUTH].period_steps = steps_in_period_or_off(config->net.truth_period_s, step_s);
  server->due[STREAM_LEDGER].period_steps = steps_in_period_or_off(config->net.ledger_period_s, step_s);
  server->due[STREAM_TIMING].period_steps = steps_in_period_or_off(config->net.timing_period_s, step_s);
}

static enum status make_room_for_nodes(struct server *server, int count) {
  server->node_count = count;
  server->node_capacity = wire_nodes_bytes((size_t)count);
  server->node_bytes = malloc(server->node_capacity);
  server->node_scratch = calloc(NODE_COLUMN_COUNT * (size_t)count + 1, sizeof(double));
  return server->node_bytes && server->node_scratch ? STATUS_OK : STATUS_NO_MEMORY;
}

static size_t largest_message(const struct server *server) {
  size_t session = wire_session_bytes(server->node_count), other = (size_t)WIRE_MAX_STATUS + WIRE_MAX_TIMING;
  size_t largest = server->node_capacity > session ? server->node_capacity : session;
  return largest > other ? largest : other;
}

static enum status open_all(struct server *server, const struct config *config,
                            const struct server_keys *keys, struct reason *why) {
  static const char *const topics[] = {"sensors", "truth",  "nodes",   "ledger", "timing", "event",
                                       "end",     "status", "session", "dp",     NULL};
  // In lockstep a controller may take any time to answer, for example in a debugger, where it shows no sign
  // of life.
  const int heartbeat = config->run.mode != RUN_LOCKSTEP;
  enum status status = server_guard_open(server, config->net.command_endpoint, heartbeat, keys, why);
  if (status == STATUS_OK)
    status =
        server_open_publisher(server, config->net.telemetry_endpoint, topics, largest_message(server), why);
  if (status != STATUS_OK)
    return status;

  snprintf(server->welcome.command_endpoint, sizeof server->welcome.command_endpoint, "%s",
           router_endpoint(server->router));
  snprintf(server->welcome.telemetry_endpoint, sizeof server->welcome.telemetry_endpoint, "%s",
           publisher_endpoint(server->publisher));
  return STATUS_OK;
}

static int is_of_controller(void *context, uint64_t connection) {
  const struct sender from = {.connection = connection};
  return server_find_peer(context, &from) >= 0;
}

void server_end_connections(struct server *server) {
  router_end(server->router, is_of_controller, server);
}

void server_admit(struct server *server, int on) {
  if (server->closed == !on)
    return;
  router_admit(server->router, on);
  publisher_admit(server->publisher, on);
  server->closed = !on;
}

enum status server_open(const struct session_info *session, struct server **out, struct reason *why) {
  *out = NULL;
  struct server *server = calloc(1, sizeof *server);
  if (!server)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the server");
  server->watched_file = -1;
  describe(server, session);
  enum status status = make_room_for_nodes(server, session->node_count);
  if (status == STATUS_OK)
    status = open_all(server, session->config, session->keys, why);
  else
    fail(why, status, "out of memory for %d nodes", session->node_count);
  if (status != STATUS_OK) {
    server_close(server);
    return status;
  }
  *out = server;
  return STATUS_OK;
}

void server_close(struct server *server) {
  if (!server)
    return;

  publisher_close(server->publisher, server->ended ? END_LINGER_MS : 0);
  router_close(server->router, server->ended ? END_LINGER_MS : 0);
  free(server->node_scratch);
  free(server->node_bytes);
  free(server);
}
