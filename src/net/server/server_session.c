// The session that the sockets serve: its description, and the change to another one after a restore or
// reset.
#include "net/server/server_internal.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/engine/engine.h"
#include "sagbend/v1/envelope.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  memcpy(welcome->initial_holding_force_b, session->initial_holding_force_b,
         sizeof welcome->initial_holding_force_b);
  config_command_rules(config, session->initial_holding_force_b, &rules);
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

void server_session_init(struct server_session *out, const struct session_info *info) {
  const struct config *config = info->config;
  double step_s = config->sim.step_s;
  memset(out, 0, sizeof *out);
  server_describe(info, &out->welcome);
  out->welcome.controller_view_period_s = 1e-3 * VIEW_PERIOD_MS;
  out->about = info->about;
  out->times = info->times;
  snprintf(out->id, sizeof out->id, "%s", info->session_id);
  out->order_rules = engine_order_rules(config, info->initial_holding_force_b);
  out->scenario = &config->scenario;

  out->due[STREAM_SENSORS].period_steps = steps_in_period(config->net.sensor_period_s, step_s);
  out->due[STREAM_TRUTH].period_steps = steps_in_period_or_off(config->net.truth_period_s, step_s);
  out->due[STREAM_LEDGER].period_steps = steps_in_period_or_off(config->net.ledger_period_s, step_s);
  out->due[STREAM_TIMING].period_steps = steps_in_period_or_off(config->net.timing_period_s, step_s);
}

void server_begin_seats(struct server *server, const struct frame *frame) {
  const struct changeover_view *c = &frame->changeover;
  gate_begin_seats(&server->gate, (int)(c->given_to ? c->given_to : c->seat) - 1, c->term);
}

static void forget_controllers(struct server *server) {
  struct gate *gate = &server->gate;
  for (int i = 0; i < GATE_CONTROLLERS; i++) // no reports of who stood by
    gate->controller[i].shadows = 0;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (gate->controller[i].used)
      gate_leave(gate, i);
  server->commanded_ms = 0;
  memset(server->is_quiet, 0, sizeof server->is_quiet);
  gate->in_command = -1;
  gate->commanded_step = 0;
  gate->answered_step = 0;
}

void server_begin_session(struct server *server, const struct session_info *info, const struct frame *frame,
                          const char *text) {
  const struct wire_welcome before = server->session.welcome;
  struct wire_welcome *welcome = &server->session.welcome;
  server_session_init(&server->session, info);
  server->orders.acting = 0;
  memcpy(welcome->command_endpoint, before.command_endpoint, sizeof welcome->command_endpoint);
  memcpy(welcome->telemetry_endpoint, before.telemetry_endpoint, sizeof welcome->telemetry_endpoint);
  welcome->track =
      (struct wire_track){.orders = frame->target.track_orders, .order = frame->target.track_order};
  server->session.step = frame->output.step;
  server->session.time_s = frame->output.time_s;
  server->session.faults = frame->faults;
  server_publish_event(server, server->session.step, server->session.time_s, "session_begun", text);
  forget_controllers(server);
  server_begin_seats(server, frame);
  server_take_orders(server, frame);
  server_publish_session(server);
}

// ------------------------------------------------------------
// The Status of a run: the server's part of it, and pauses.

void server_on_status(struct server *server, void (*fill)(void *context, struct wire_status *status),
                      void *context) {
  server->fill_status = fill;
  server->status_context = context;
}

void server_on_join(struct server *server, void (*on_join)(void *context), void *context) {
  server->on_join = on_join;
  server->join_context = context;
}

void server_hold(struct server *server, enum held hold) {
  server->hold = hold;
  gate_hold(&server->gate, hold != HELD_NOT);
}

static void fill_listed(const struct gate *gate, int place, struct wire_status *out) {
  const struct controller *controller = &gate->controller[place];
  Sagbend__V1__ListedStatus *to = controller->seat >= 0 ? wire_status_listed(out) : NULL;
  if (!to)
    return;
  to->rank = (uint32_t)gate->rules.controllers.item[controller->seat].rank;
  to->shadows = controller->shadows;
  to->refused = controller->standby;
  to->role = wire_status_text(
      out, gate->rules.controllers.item[controller->seat].side == SIDE_BACKUP ? "backup" : "");
  if (controller->seat == gate->seat)
    return;
  const int lives = gate_has_shown_life(gate, place);
  char why[FLAW_TEXT] = "";
  if (lives)
    gate_flaw_text(gate, controller, why);
  to->standby = wire_status_text(out, gate_is_ready(gate, place) ? "ready" : lives ? "not ready" : "silent");
  to->why = wire_status_text(out, why);
  to->follows = gate_follows(gate, place);
  to->differs = controller->differs;
  to->compared = controller->is_apart_known;
  to->apart_m = controller->apart_m;
  to->apart_rad = controller->apart_rad;
  to->alarms = (uint32_t)controller->report.alarms;
  to->alarm = wire_status_text(out, controller->report.worst);
}

static void fill_peers(const struct server *server, struct wire_status *out) {
  const struct gate *gate = &server->gate;
  int64_t now_ms = gate_clock_ms(gate);
  for (int i = 0; i < GATE_CONTROLLERS; i++) {
    const struct controller *controller = &gate->controller[i];
    Sagbend__V1__PeerStatus *peer = controller->used ? wire_status_peer(out) : NULL;
    if (!peer)
      continue;
    peer->name = wire_status_text(out, controller->name);
    peer->key = wire_status_text(out, controller->key);
    peer->number = controller->number;
    peer->in_command = i == gate->in_command;
    peer->never_commanded = gate_never_commanded(gate, i);
    peer->heard_s_ago = 1e-3 * (double)(now_ms - controller->heard_ms);
    peer->joined_s_ago = 1e-3 * (double)(now_ms - controller->joined_ms);
    fill_listed(gate, i, out);
  }
}

static void fill_refused(const struct server *server, struct wire_status *out) {
  const struct refused *refused;
  wire_status_commands(out, &server->gate.counts);
  for (int i = 0; i < REFUSALS_SHOWN && (refused = refusals_newest(&server->gate.refusals, i)); i++) {
    Sagbend__V1__Refused *to = wire_status_refused(out);
    if (!to)
      return;
    to->peer = wire_status_text(out, refused->peer);
    to->reason = wire_status_text(out, refusal_name(refused->reason));
    to->text = wire_status_text(out, refused->text);
    to->count = refused->count;
    to->newest_s_ago = 1e-3 * (double)(clock_ms() - refused->newest_ms);
  }
}

void server_get_status(struct server *server, struct wire_status *out) {
  const struct wire_welcome *welcome = &server->session.welcome;
  Sagbend__V1__Status *message = &out->message;
  wire_begin_status(out);
  message->name = wire_status_text(out, welcome->name);
  message->telemetry_endpoint = wire_status_text(out, welcome->telemetry_endpoint);
  message->mode = (Sagbend__V1__RunMode)(welcome->mode + 1);
  const int has_route = server->session.scenario && server->session.scenario->track.route.count > 0;
  if (welcome->has_setpoint && (!has_route || welcome->setpoint_order))
    wire_status_setpoint(out, welcome->setpoint, welcome->setpoint_order);
  if (welcome->track.order || has_route)
    wire_status_track(out, &welcome->track);
  fill_peers(server, out);
  fill_refused(server, out);
  out->orders.accepted = server->orders.accepted;
  out->orders.refused = server->orders.refused;
  out->orders.newest = server->session.order_number > server->session.last_order
                           ? server->session.order_number
                           : server->session.last_order;
  out->orders.in_effect = server->session.last_order;
  message->fault_count = (uint64_t)server->session.faults.count;
  wire_status_security(out, &server->guard.counts);
  if (server->fill_status)
    server->fill_status(server->status_context, out);
}

void server_fill_status(struct server *server, struct wire_status *out) {
  server_get_status(server, out);
  struct wire_header header =
      server_header(server, STREAM_STATUS, server->session.step, server->session.time_s);
  wire_status_header(out, &header);
}

// A controller does not know the true position.
static void hide_truth(struct wire_status *status) {
  status->message.station = NULL;
  status->message.tensioner = NULL;
  status->message.operation = NULL;
}

void server_send_status(struct server *server, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_status status;
  server_fill_status(server, &status);
  hide_truth(&status);
  server_send(server, peer, bytes, wire_pack_status(&status, WIRE_ENVELOPE, bytes, sizeof bytes));
}

void server_publish_status(struct server *server, const struct frame *frame) {
  uint8_t bytes[WIRE_MAX_STATUS];
  struct wire_status status;
  server_fill_status(server, &status);
  const struct wire_judged judged = {frame, server->session.scenario};
  size_t size = frame && server->session.scenario
                    ? wire_pack_whole_status(&status, &judged, bytes, sizeof bytes)
                    : wire_pack_status(&status, WIRE_PLAIN, bytes, sizeof bytes);
  server_publish_packed(server, "status", bytes, size);
  hide_truth(&status);
  if (server->gate.held)
    server_send_to_all(server, bytes, wire_pack_status(&status, WIRE_ENVELOPE, bytes, WIRE_MAX_ENVELOPE));
}

const struct wire_welcome *server_welcome(const struct server *server) {
  return &server->session.welcome;
}

void server_publish_session(struct server *server) {
  if (!server->session.about)
    return;
  size_t capacity = wire_session_bytes(server->node_count);
  uint8_t *bytes = malloc(capacity);
  struct wire_header header =
      server_header(server, STREAM_SESSION, server->session.step, server->session.time_s);
  if (bytes)
    server_publish_packed(
        server, "session", bytes,
        wire_pack_session(&header, &server->session.welcome, server->session.about, bytes, capacity));
  free(bytes);
}

// ------------------------------------------------------------
// Publishes the messages of a logged session again, in the name of this one.

struct kind {
  const char *topic;
  const ProtobufCMessageDescriptor *descriptor;
  const char *logged; // its topic in a log; "": none
};

static const struct kind KINDS[] = {
#define X(topic, message, name, file, logged, each) {topic, &sagbend__v1__##name##__descriptor, logged},
    TELEMETRY_TABLE(X)
#undef X
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

// How controllers receive a message; NOT_SET: it is for the PUB socket only.
static Sagbend__V1__Envelope__MessageCase in_envelope(const struct kind *kind) {
  return kind->descriptor == &sagbend__v1__sensors__descriptor ? SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS
         : kind->descriptor == &sagbend__v1__event__descriptor ? SAGBEND__V1__ENVELOPE__MESSAGE_EVENT
                                                               : SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET;
}

static void send_to_controllers(struct server *server, const struct kind *kind, ProtobufCMessage *message) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = in_envelope(kind);
  int sensors = envelope.message_case == SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS;
  if (sensors)
    envelope.sensors = (Sagbend__V1__Sensors *)message;
  else
    envelope.event = (Sagbend__V1__Event *)message;
  size_t size = wire_pack(&envelope.base, bytes, sizeof bytes);
  if (sensors) {
    memcpy(server->session.sensors[SIDE_MAIN], bytes, size);
    server->session.sensors_size[SIDE_MAIN] = size;
  }
  server_send_to_all(server, bytes, size);
}

// A set-point that an operator ordered in the logged session reaches controllers as it did then.
static void take_logged_setpoint(struct server *server, const Sagbend__V1__Setpoint *logged) {
  if (!logged || logged->order <= server->session.welcome.setpoint_order)
    return;
  const double setpoint[] = {logged->north_m, logged->east_m, logged->heading_rad};
  server_take_setpoint(server, setpoint, logged->order);
}

enum status server_republish(struct server *server, const char *topic, const void *payload, size_t size,
                             struct reason *why) {
  const struct kind *kind = KINDS;
  while (kind < KINDS + KIND_COUNT && strcmp(kind->topic, topic) != 0)
    kind++;
  if (kind == KINDS + KIND_COUNT || !*kind->logged)
    return fail(why, STATUS_BAD_INPUT, "topic %s is not published", topic);
  ProtobufCMessage *message = protobuf_c_message_unpack(kind->descriptor, NULL, size, payload);
  Sagbend__V1__Header *header = message ? wire_header_in(message) : NULL;
  enum status status = STATUS_OK;
  if (!header) {
    status = fail(why, STATUS_BAD_INPUT, "a message of %s cannot be read", topic);
  } else {
    char *session = header->session;
    header->session = server->session.id;
    if (header->step >= server->session.step) { // events may lag behind
      server->session.step = header->step;
      server->session.time_s = header->time_s;
    }
    size_t packed = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(packed + 1);
    size_t good = bytes ? wire_pack(message, bytes, packed) : 0;
    if (good) {
      server_publish_packed(server, topic, bytes, good);
      if (in_envelope(kind) != SAGBEND__V1__ENVELOPE__MESSAGE__NOT_SET)
        send_to_controllers(server, kind, message);
      if (kind->descriptor == &sagbend__v1__session__descriptor)
        take_logged_setpoint(server, ((Sagbend__V1__Session *)message)->setpoint);
    } else {
      status = fail(why, STATUS_BAD_INPUT, "a message of %s violates the protocol", topic);
    }
    free(bytes);
    header->session = session; // the unpacked message owns it
  }
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
  return status;
}
