// The record of a session, the first message of its log: packed, and read again; orders in a log.
#include "log/log/log.h"
#include "log/log/log_internal.h"

#include "log/mcap/mcap.h"
#include "net/messages/messages.h"
#include "os/files/files.h"
#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 32 }; // bytes of a short text

static void print_utc(char *out, size_t size) {
  struct timespec now;
  struct tm utc;
  char seconds[TEXT];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(out, size, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
}

Sagbend__V1__RunMode session_record_mode(enum run_mode mode) {
  return mode == RUN_REALTIME   ? SAGBEND__V1__RUN_MODE__RUN_MODE_REALTIME
         : mode == RUN_LOCKSTEP ? SAGBEND__V1__RUN_MODE__RUN_MODE_LOCKSTEP
                                : SAGBEND__V1__RUN_MODE__RUN_MODE_FAST;
}

enum status session_metadata_content(const Sagbend__V1__SessionRecord *record, struct bytes *out) {
  const ProtobufCEnumValue *mode =
      protobuf_c_enum_descriptor_get_value(&sagbend__v1__run_mode__descriptor, (int)record->mode);
  char step[TEXT], hash[TEXT];
  snprintf(step, sizeof step, "%.17g", record->step_s);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)record->config_hash);
  const struct mcap_text_pair pairs[] = {
      {"session", record->session},
      {"name", record->name},
      {"started_at", record->started_at},
      {"version", record->version},
      {"build", record->build},
      {"mode", mode ? mode->name : "unknown"},
      {"step_s", step},
      {"config_hash", hash},
      {"config_path", record->config_path},
      {"config_text", record->config_text},
      {"dp_text", record->dp_text},
      {"time_base", "log times are simulated time since the start of the session"},
  };
  return mcap_metadata_content(out, SESSION_METADATA, pairs, (int)(sizeof pairs / sizeof *pairs));
}

// The messages that a record points to, which live until it is packed.
struct record_parts {
  Sagbend__V1__BodyWrench hold;
  Sagbend__V1__Setpoint setpoint;
  struct route_message route;
  Sagbend__V1__LogPart part;
  Sagbend__V1__Origin origin;
  Sagbend__V1__ConfigFile file[MAX_CONFIG_FILES], *files[MAX_CONFIG_FILES];
  Sagbend__V1__ConfigFile dp_file[MAX_CONFIG_FILES], *dp_files[MAX_CONFIG_FILES];
  Sagbend__V1__RandomStream stream[MAX_INSTRUMENTS], *streams[MAX_INSTRUMENTS];
  char started_at[2 * TEXT];
};

// Fills list; returns the number of its entries.
static size_t fill_files(const struct config_files *files, Sagbend__V1__ConfigFile *room,
                         Sagbend__V1__ConfigFile **list) {
  const int count = files ? files->count : 0;
  for (int i = 0; i < count; i++) {
    Sagbend__V1__ConfigFile *file = list[i] = &room[i];
    sagbend__v1__config_file__init(file);
    file->path = files->file[i].path;
    file->text = (ProtobufCBinaryData){files->file[i].size, (uint8_t *)files->file[i].text};
  }
  return (size_t)count;
}

static void fill_streams(const struct sensor_suite_def *def, struct record_parts *parts,
                         Sagbend__V1__SessionRecord *record) {
  struct sensor_suite_stream stream;
  int count = 0;
  for (; count < MAX_INSTRUMENTS && sensor_suite_stream(def, count, &stream); count++) {
    Sagbend__V1__RandomStream *message = parts->streams[count] = &parts->stream[count];
    sagbend__v1__random_stream__init(message);
    message->name = (char *)stream.name;
    message->seed = stream.seed;
  }
  record->random_streams = parts->streams;
  record->n_random_streams = (size_t)count;
}

// A finite length that no text of a DP file exceeds by sense.
static int is_place(double x) {
  return x >= -1e9 && x <= 1e9;
}

static void fill_setpoint(const double setpoint[3], struct record_parts *parts,
                          Sagbend__V1__SessionRecord *record) {
  if (!setpoint)
    return;
  sagbend__v1__setpoint__init(&parts->setpoint);
  parts->setpoint.north_m = setpoint[0];
  parts->setpoint.east_m = setpoint[1];
  parts->setpoint.heading_rad = setpoint[2];
  record->setpoint = &parts->setpoint;
}

enum status session_record_route(const Sagbend__V1__SessionRecord *record, struct track_def *out) {
  const Sagbend__V1__Route *route = record->route;
  struct waypoint waypoint[MAX_WAYPOINTS];
  int at;
  double most_m;
  memset(out, 0, sizeof *out);
  if (!route)
    return STATUS_OK;
  if (route->n_waypoints < 2 || route->n_waypoints > MAX_WAYPOINTS || !is_place(route->point_forward_m) ||
      !is_place(route->point_starboard_m) || !is_place(route->heading_offset_rad))
    return STATUS_BAD_INPUT;
  for (size_t i = 0; i < route->n_waypoints; i++) {
    const Sagbend__V1__RouteWaypoint *w = route->waypoints[i];
    if (!is_place(w->north_m) || !is_place(w->east_m) || !is_place(w->radius_m))
      return STATUS_BAD_INPUT;
    waypoint[i] = (struct waypoint){{w->north_m, w->east_m}, w->radius_m};
  }
  out->point_b_m[0] = route->point_forward_m;
  out->point_b_m[1] = route->point_starboard_m;
  out->heading_offset_rad = route->heading_offset_rad;
  return route_build(waypoint, (int)route->n_waypoints, &out->route, &at, &most_m) == ROUTE_GOOD
             ? STATUS_OK
             : STATUS_BAD_INPUT;
}

static void fill_part(const struct log_part *part, struct record_parts *parts,
                      Sagbend__V1__SessionRecord *record) {
  if (!part->number)
    return;
  sagbend__v1__log_part__init(&parts->part);
  parts->part.number = part->number;
  parts->part.commands_before = part->commands_before;
  if (part->before) {
    parts->part.before = (char *)part->before;
    parts->part.link = (ProtobufCBinaryData){LOG_DIGEST, (uint8_t *)part->link.bytes};
  }
  record->part = &parts->part;
}

static void fill_origin(const struct log_origin *origin, struct record_parts *parts,
                        Sagbend__V1__SessionRecord *record) {
  if (!origin->session)
    return;
  sagbend__v1__origin__init(&parts->origin);
  parts->origin.session = (char *)origin->session;
  parts->origin.step = origin->step;
  parts->origin.how = (char *)(origin->how ? origin->how : "");
  parts->origin.name = (char *)(origin->name ? origin->name : "");
  record->origin = &parts->origin;
}

static void fill_record(const struct log_session *session, struct record_parts *parts,
                        Sagbend__V1__SessionRecord *record) {
  const struct config *config = session->config;
  sagbend__v1__session_record__init(record);
  print_utc(parts->started_at, sizeof parts->started_at);
  record->started_at = parts->started_at;
  record->session = (char *)session->session;
  record->version = (char *)session->version;
  record->build = (char *)session->build;
  record->name = (char *)config->name;
  record->config_hash = config->hash;
  record->config_text = config->text;
  record->config_path = (char *)session->config_path;
  record->overrides = (char **)session->overrides;
  record->n_overrides = (size_t)session->override_count;
  record->dp_text = (char *)(session->dp_text ? session->dp_text : "");
  record->mode = session_record_mode(config->run.mode);
  record->step_s = config->sim.step_s;
  record->control_period_steps = session->command_def.period_steps;
  record->command_timeout_steps = session->command_def.timeout_steps;
  parts->hold = wire_wrench_message(session->command_def.initial_holding_force_b);
  record->initial_holding_force = &parts->hold;
  record->node_count = (uint32_t)session->node_count;
  record->initial_state_hash = session->initial_hash;
  record->first_step = session->first_step;
  record->start_utc_ns = session->start_utc_ns;
  record->checkpoint.data = (uint8_t *)session->checkpoint;
  record->checkpoint.len = session->checkpoint_bytes;
  record->n_files = fill_files(&config->files, parts->file, parts->files);
  record->files = parts->files;
  record->defaults = (uint32_t)(DEFAULTS_GENERATION - config->files.defaults_behind);
  record->n_dp_files = fill_files(session->dp_files, parts->dp_file, parts->dp_files);
  record->dp_files = parts->dp_files;
  fill_setpoint(session->setpoint, parts, record);
  record->route = wire_fill_route(&config->scenario.track, &parts->route);
  fill_streams(&config->suite, parts, record);
  fill_part(&session->part, parts, record);
  fill_origin(&session->origin, parts, record);
}

enum status session_record_pack(const struct log_session *session, struct bytes *metadata,
                                struct bytes *packed) {
  Sagbend__V1__SessionRecord record;
  struct record_parts parts;
  fill_record(session, &parts, &record);
  enum status status = session_metadata_content(&record, metadata);
  const size_t size = protobuf_c_message_get_packed_size(&record.base);
  uint8_t *room = bytes_room(packed, size);
  if (room)
    packed->size += protobuf_c_message_pack(&record.base, room);
  return status;
}

// ------------------------------------------------------------
size_t log_pack_order(uint64_t step, const struct order *order, uint8_t *out, size_t capacity) {
  Sagbend__V1__OrderUsed message = SAGBEND__V1__ORDER_USED__INIT;
  Sagbend__V1__Order order_message;
  struct order_message room;
  wire_fill_order_message(order, &room, &order_message);
  message.step = step;
  message.number = order->number;
  message.order = &order_message;
  return wire_pack(&message.base, out, capacity);
}

// The order of a log that lacks the field order.
static enum status read_before(const Sagbend__V1__OrderUsed *message, struct order *out, struct reason *why) {
  out->kind = (enum order_kind)message->before_case;
  if (!order_is_of_session(out->kind))
    return fail(why, STATUS_BAD_INPUT, "an order that this program knows expected");
  if (snprintf(out->operator_name, sizeof out->operator_name, "%s", message->operator_) >=
      (int)sizeof out->operator_name)
    return fail(why, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
  return wire_read_order_payload(&message->fault->base, out, why);
}

static void take_present(enum former_kind kind, char *name, size_t size) {
  const char *present = former_name(kind, name);
  if (present)
    snprintf(name, size, "%s", present);
}

// A log of an earlier program has the names of its time.
static void rename_fault(struct fault_request *fault) {
  take_present(FORMER_FAULT, fault->kind, sizeof fault->kind);
  for (int i = 0; i < fault->parameter_count && i <= FAULT_PARAMETERS; i++)
    take_present(FORMER_PARAMETER, fault->parameter[i].name, sizeof fault->parameter[i].name);
}

static enum status read_used(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                             struct order *out, struct reason *why) {
  enum status status =
      message->order ? wire_read_order(message->order, out, why) : read_before(message, out, why);
  if (status == STATUS_OK && !order_is_of_session(out->kind))
    status = fail(why, STATUS_BAD_INPUT, "an order of a session expected");
  if (status != STATUS_OK)
    return status;
  if (out->kind == ORDER_FAULT)
    rename_fault(&out->request);
  return order_find_fault(out, names, why);
}

enum status log_read_order(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why) {
  struct reason error = {""};
  memset(out, 0, sizeof *out);
  out->number = message->number;
  enum status status = read_used(message, names, out, &error);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "order number %llu: %.200s",
                                    (unsigned long long)message->number, error.text);
}
