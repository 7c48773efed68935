// The state of a run, message Status.
#include "io/codec/codec_parts.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <math.h>
#include <stdio.h>

static void fill_peers(const struct wire_status *from, struct status_message *out) {
  Sagbend__V1__Status *message = &out->message;
  for (int i = 0; i < from->peer_count && i < WIRE_MAX_PEERS; i++) {
    const struct wire_peer_status *peer = &from->peer[i];
    sagbend__v1__peer_status__init(&out->peer[i]);
    out->peer[i].name = text_of(peer->name);
    out->peer[i].number = peer->number;
    out->peer[i].in_command = peer->in_command;
    out->peer[i].heard_s_ago = peer->heard_s_ago;
    out->peer[i].joined_s_ago = peer->joined_s_ago;
    out->peer[i].key = text_of(peer->key);
    out->peers[message->n_peer++] = &out->peer[i];
  }
  message->peer = out->peers;
}

static void fill_pause(const struct wire_pause *from, Sagbend__V1__Pause *out) {
  sagbend__v1__pause__init(out);
  out->halted = from->halted;
  out->why = text_of(from->why);
  out->operator_ = text_of(from->operator_name);
  out->wall_s = from->wall_s;
}

static void fill_recording(const struct wire_status *from, struct status_message *out) {
  sagbend__v1__log_status__init(&out->log);
  out->log.path = text_of(from->log.path);
  out->log.stalled = from->log.stalled;
  out->log.dropped = from->log.dropped;
  out->log.commands_missing = from->log.commands_missing;
  out->log.replayable_to_step = from->log.replayable_to_step;

  sagbend__v1__checkpoint_status__init(&out->checkpoint);
  out->checkpoint.path = text_of(from->checkpoint.path);
  out->checkpoint.written = from->checkpoint.written;
  out->checkpoint.skipped = from->checkpoint.skipped;
  out->checkpoint.failed = from->checkpoint.failed;
  out->checkpoint.last_step = from->checkpoint.last_step;
}

static void fill_earlier(const struct wire_earlier *from, Sagbend__V1__EarlierSessions *out) {
  sagbend__v1__earlier_sessions__init(out);
  out->count = from->count;
  out->deadline_misses = from->deadline_misses;
  out->skipped_periods = from->skipped_periods;
  out->lag_s = from->lag_s;
  out->log_dropped = from->log_dropped;
  out->logs_incomplete = from->logs_incomplete;
  out->verdicts_failed = from->verdicts_failed;
}

static void read_earlier(const Sagbend__V1__EarlierSessions *message, struct wire_earlier *out) {
  if (!message)
    return;
  out->count = message->count;
  out->deadline_misses = message->deadline_misses;
  out->skipped_periods = message->skipped_periods;
  out->lag_s = message->lag_s;
  out->log_dropped = message->log_dropped;
  out->logs_incomplete = message->logs_incomplete;
  out->verdicts_failed = message->verdicts_failed;
}

static void fill_station(const struct wire_station *from, Sagbend__V1__StationStatus *out) {
  sagbend__v1__station_status__init(out);
  out->state = (Sagbend__V1__RunState)from->state;
  out->command_state = (Sagbend__V1__CommandState)(from->command_state + 1);
  out->offset_m = hypot(from->offset_n_m[0], from->offset_n_m[1]);
  out->offset_north_m = from->offset_n_m[0];
  out->offset_east_m = from->offset_n_m[1];
  out->offset_forward_m = from->offset_t_m[0];
  out->offset_starboard_m = from->offset_t_m[1];
  out->heading_error_rad = from->heading_error_rad;
}

void wire_fill_status(const struct wire_status *from, struct status_message *out) {
  Sagbend__V1__Status *message = &out->message;
  sagbend__v1__status__init(message);
  out->header = wire_header_message(&from->header);
  fill_pause(&from->pause, &out->pause);
  fill_recording(from, out);
  fill_peers(from, out);

  sagbend__v1__setpoint__init(&out->setpoint);
  out->setpoint.north_m = from->setpoint[0];
  out->setpoint.east_m = from->setpoint[1];
  out->setpoint.heading_rad = from->setpoint[2];
  out->setpoint.order = from->setpoint_order;

  sagbend__v1__order_status__init(&out->orders);
  out->orders.accepted = from->orders_accepted;
  out->orders.refused = from->orders_refused;
  out->orders.newest = from->order_newest;
  out->orders.in_effect = from->order_in_effect;
  out->orders.failed = from->orders_failed;
  out->orders.failure = text_of(from->order_failure);
  fill_earlier(&from->earlier, &out->earlier);
  message->earlier = from->earlier.count ? &out->earlier : NULL;

  message->header = &out->header;
  message->name = text_of(from->name);
  message->mode = (Sagbend__V1__RunMode)(from->mode + 1);
  message->wall_s = from->wall_s;
  message->rate = from->rate;
  message->duration_s = from->duration_s;
  message->pause = from->is_paused ? &out->pause : NULL;
  message->pauses = from->pauses;
  message->paused_wall_s = from->paused_wall_s;
  message->setpoint = from->has_setpoint ? &out->setpoint : NULL;
  message->deadline_misses = from->deadline_misses;
  message->skipped_periods = from->skipped_periods;
  message->lag_s = from->lag_s;
  message->log = from->has_log ? &out->log : NULL;
  message->checkpoint = from->has_checkpoint ? &out->checkpoint : NULL;
  message->orders = &out->orders;
  message->version = text_of(from->version);
  message->telemetry_endpoint = text_of(from->telemetry_endpoint);
  message->fault_count = from->fault_count;
  wire_fill_security(&from->security, &out->security);
  message->security = &out->security;
  fill_station(&from->station, &out->station);
  message->station = from->has_station ? &out->station : NULL;
  wire_fill_tensioner_status(&from->tensioner, &out->tensioner);
  message->tensioner = from->has_tensioner ? &out->tensioner : NULL;
  wire_fill_track(&from->track, &out->track);
  message->track = from->has_track ? &out->track : NULL;
  out->present = from->operation;
  wire_fill_operation(&out->present, &out->operation);
  message->operation = from->has_tensioner && from->operation.count > 0 ? &out->operation : NULL;
}

size_t wire_pack_status(const struct wire_status *status, enum wire_form form, uint8_t *out,
                        size_t capacity) {
  struct status_message parts;
  wire_fill_status(status, &parts);
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_STATUS;
  envelope.status = &parts.message;
  return wire_pack(form == WIRE_PLAIN ? &parts.message.base : &envelope.base, out, capacity);
}

static int copy_name(char out[WIRE_NAME], const char *text) {
  return snprintf(out, WIRE_NAME, "%s", text) < WIRE_NAME;
}

// Of text that wire_check has accepted.
static void copy_text(char out[WIRE_MAX_TEXT + 1], const char *text) {
  snprintf(out, WIRE_MAX_TEXT + 1, "%s", text);
}

static void read_header(const Sagbend__V1__Header *message, struct wire_header *out) {
  copy_name(out->session, message->session);
  out->sequence = message->sequence;
  out->step = message->step;
  out->time_s = message->time_s;
}

static enum status read_peers(const Sagbend__V1__Status *message, struct wire_status *out,
                              struct reason *why) {
  if (message->n_peer > WIRE_MAX_PEERS)
    return fail(why, STATUS_BAD_INPUT, "peer: at most %d expected", WIRE_MAX_PEERS);
  for (size_t i = 0; i < message->n_peer; i++) {
    struct wire_peer_status *peer = &out->peer[out->peer_count++];
    const Sagbend__V1__PeerStatus *from = message->peer[i];
    if (!copy_name(peer->name, from->name))
      return fail(why, STATUS_BAD_INPUT, "peer: a name of at most 63 characters expected");
    if (snprintf(peer->key, sizeof peer->key, "%s", from->key) >= (int)sizeof peer->key)
      return fail(why, STATUS_BAD_INPUT, "peer: the name of a key of at most %d characters expected",
                  WIRE_KEY_NAME - 1);
    peer->number = from->number;
    peer->in_command = from->in_command;
    peer->heard_s_ago = from->heard_s_ago;
    peer->joined_s_ago = from->joined_s_ago;
  }
  return STATUS_OK;
}

static enum status read_pause(const Sagbend__V1__Pause *message, struct wire_pause *out, struct reason *why) {
  out->halted = message->halted;
  out->wall_s = message->wall_s;
  copy_text(out->why, message->why);
  return copy_name(out->operator_name, message->operator_)
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
}

static void read_recording(const Sagbend__V1__Status *message, struct wire_status *out) {
  out->has_log = message->log != NULL;
  if (message->log) {
    copy_text(out->log.path, message->log->path);
    out->log.stalled = message->log->stalled;
    out->log.dropped = message->log->dropped;
    out->log.commands_missing = message->log->commands_missing;
    out->log.replayable_to_step = message->log->replayable_to_step;
  }
  out->has_checkpoint = message->checkpoint != NULL;
  if (message->checkpoint) {
    copy_text(out->checkpoint.path, message->checkpoint->path);
    out->checkpoint.written = message->checkpoint->written;
    out->checkpoint.skipped = message->checkpoint->skipped;
    out->checkpoint.failed = message->checkpoint->failed;
    out->checkpoint.last_step = message->checkpoint->last_step;
  }
}

static void read_setpoint(const Sagbend__V1__Setpoint *message, struct wire_status *out) {
  out->has_setpoint = message != NULL;
  if (!message)
    return;
  out->setpoint[0] = message->north_m;
  out->setpoint[1] = message->east_m;
  out->setpoint[2] = message->heading_rad;
  out->setpoint_order = message->order;
}

static void read_station(const Sagbend__V1__StationStatus *message, struct wire_status *out) {
  out->has_station = message != NULL;
  if (!message)
    return;
  out->station = (struct wire_station){.state = (enum wire_run_state)message->state,
                                       .command_state = (enum command_state)(message->command_state - 1),
                                       .offset_n_m = {message->offset_north_m, message->offset_east_m},
                                       .offset_t_m = {message->offset_forward_m, message->offset_starboard_m},
                                       .heading_error_rad = message->heading_error_rad};
}

enum status wire_read_status(const Sagbend__V1__Status *message, struct wire_status *out,
                             struct reason *why) {
  if (!message->header || !copy_name(out->name, message->name) ||
      !copy_name(out->version, message->version) ||
      snprintf(out->telemetry_endpoint, sizeof out->telemetry_endpoint, "%s", message->telemetry_endpoint) >=
          (int)sizeof out->telemetry_endpoint)
    return fail(why, STATUS_BAD_INPUT, "a Status as a simulator sends it expected");
  read_header(message->header, &out->header);
  out->mode = (enum run_mode)(message->mode - 1);
  out->wall_s = message->wall_s;
  out->rate = message->rate;
  out->duration_s = message->duration_s;
  out->pauses = message->pauses;
  out->paused_wall_s = message->paused_wall_s;
  out->deadline_misses = message->deadline_misses;
  out->skipped_periods = message->skipped_periods;
  out->lag_s = message->lag_s;
  out->fault_count = message->fault_count;
  if (message->security)
    wire_read_security(message->security, &out->security);
  if (message->orders) {
    out->orders_accepted = message->orders->accepted;
    out->orders_refused = message->orders->refused;
    out->order_newest = message->orders->newest;
    out->order_in_effect = message->orders->in_effect;
    out->orders_failed = message->orders->failed;
    copy_text(out->order_failure, message->orders->failure);
  }
  read_setpoint(message->setpoint, out);
  read_station(message->station, out);
  out->has_track = message->track != NULL;
  if (message->track && wire_read_track(message->track, &out->track, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  out->has_tensioner = message->tensioner != NULL;
  if (message->tensioner)
    wire_read_tensioner_status(message->tensioner, &out->tensioner);
  if (wire_read_operation(message->operation, &out->operation, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  read_recording(message, out);
  read_earlier(message->earlier, &out->earlier);
  out->is_paused = message->pause != NULL;
  if (message->pause && read_pause(message->pause, &out->pause, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  return read_peers(message, out, why);
}
