// Packing of the messages that only the PUB socket sends: truth, ledger, timing, nodes.
#include "net/messages/messages_internal.h"

#include "net/counts/counts.h"
#include "sagbend/events/events.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/envelope.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <math.h>
#include <string.h>

struct code_check_message {
  Sagbend__V1__CodeCheck all;
  Sagbend__V1__Utilisation part[1 + CODE_CHECK_COUNT];
};

// A check that does not apply is absent.
static void fill_code_check(const struct loop_view *view, struct code_check_message *out,
                            Sagbend__V1__PipeTruth *pipe) {
  sagbend__v1__code_check__init(&out->all);
  const struct {
    enum quantity_message message;
    Sagbend__V1__Utilisation **field;
  } parts[1 + CODE_CHECK_COUNT] = {
      {MESSAGE_TRUTH_CHECK_GOVERNING, &out->all.governing},
      {MESSAGE_TRUTH_CHECK_LOAD_CONTROLLED, &out->all.load_controlled},
      {MESSAGE_TRUTH_CHECK_DISPLACEMENT_CONTROLLED, &out->all.displacement_controlled},
      {MESSAGE_TRUTH_CHECK_STRAIN, &out->all.strain},
      {MESSAGE_TRUTH_CHECK_STRESS, &out->all.stress},
      {MESSAGE_TRUTH_CHECK_COLLAPSE, &out->all.collapse},
      {MESSAGE_TRUTH_CHECK_YIELD, &out->all.yield},
      {MESSAGE_TRUTH_CHECK_BURST, &out->all.burst},
      {MESSAGE_TRUTH_CHECK_PROPAGATION, &out->all.propagation},
  };
  wire_fill_quantities(&out->all, MESSAGE_TRUTH_CHECK, view);
  if (isnan(out->all.propagation_length_m))
    out->all.propagation_length_m = 0;
  for (int i = 0; i < 1 + CODE_CHECK_COUNT; i++) {
    Sagbend__V1__Utilisation *part = &out->part[i];
    sagbend__v1__utilisation__init(part);
    wire_fill_quantities(part, parts[i].message, view);
    *parts[i].field = isnan(part->utilisation) ? NULL : part;
  }
  pipe->code_check = &out->all;
}

size_t wire_pack_truth(const struct wire_header *header, const struct frame *frame, uint8_t *out,
                       size_t capacity) {
  const struct sim_output *output = &frame->output;
  const struct loop_view view = loop_view_of(frame, &frame->target);
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Truth truth = SAGBEND__V1__TRUTH__INIT;
  truth.header = &header_message;
  truth.utc_ns = wire_utc_ns(frame, header_message.time_s);
  truth.quaternion_w = output->quaternion_nb[0];
  truth.quaternion_x = output->quaternion_nb[1];
  truth.quaternion_y = output->quaternion_nb[2];
  truth.quaternion_z = output->quaternion_nb[3];
  truth.events = output->events;
  truth.fault = output->fault != 0;
  wire_fill_quantities(&truth, MESSAGE_TRUTH, &view);

  Sagbend__V1__BodyWrench applied = SAGBEND__V1__BODY_WRENCH__INIT;
  wire_fill_quantities(&applied, MESSAGE_TRUTH_APPLIED_WRENCH, &view);
  truth.applied_wrench = &applied;

  Sagbend__V1__PipeTruth pipe = SAGBEND__V1__PIPE_TRUTH__INIT;
  Sagbend__V1__TensionerState tensioner;
  Sagbend__V1__OperationState operation;
  struct operation_output present = output->operation;
  struct code_check_message check;
  Sagbend__V1__TouchdownForces touchdown = SAGBEND__V1__TOUCHDOWN_FORCES__INIT;
  Sagbend__V1__Stinger stinger = SAGBEND__V1__STINGER__INIT;
  Sagbend__V1__Soil soil = SAGBEND__V1__SOIL__INIT;
  Sagbend__V1__Fatigue fatigue = SAGBEND__V1__FATIGUE__INIT;
  double reactions[MAX_STINGER_SUPPORTS];
  if (output->has_pipe) {
    wire_fill_quantities(&pipe, MESSAGE_TRUTH_PIPE, &view);
    wire_fill_quantities(&touchdown, MESSAGE_TRUTH_PIPE_TOUCHDOWN, &view);
    pipe.hangoff_tension_n = output->hangoff_tension_n;
    pipe.max_curvature_1pm = output->max_curvature_1pm;
    if (output->has_code_check)
      fill_code_check(&view, &check, &pipe);
    wire_fill_tensioner_state(&output->tensioner, &tensioner);
    if (output->has_stinger) {
      wire_fill_quantities(&stinger, MESSAGE_TRUTH_STINGER, &view);
      memcpy(reactions, output->support_reaction_n, sizeof reactions);
      stinger.support_reaction_n = reactions, stinger.n_support_reaction_n = (size_t)output->support_count;
      pipe.stinger = &stinger;
    }
    wire_fill_quantities(&soil, MESSAGE_TRUTH_SOIL, &view);
    pipe.soil = output->has_soil ? &soil : NULL;
    wire_fill_quantities(&fatigue, MESSAGE_TRUTH_FATIGUE, &view);
    pipe.fatigue = output->has_fatigue ? &fatigue : NULL;
    pipe.tensioner = output->has_tensioner ? &tensioner : NULL;
    wire_fill_operation(&present, &operation);
    pipe.operation = present.count > 0 ? &operation : NULL;
    pipe.touchdown = isnan(output->touchdown_tension_n) ? NULL : &touchdown; // NaN: no contact
    truth.pipe = &pipe;
  }

  Sagbend__V1__Weather weather = SAGBEND__V1__WEATHER__INIT;
  if (output->weather.has_wind || output->weather.has_waves) {
    wire_fill_quantities(&weather, MESSAGE_TRUTH_WEATHER, &view);
    weather.current_north_mps = output->weather.current_n_mps[0];
    weather.current_east_mps = output->weather.current_n_mps[1];
    truth.weather = &weather;
  }
  Sagbend__V1__Current current = SAGBEND__V1__CURRENT__INIT;
  if (output->weather.has_current) {
    wire_fill_quantities(&current, MESSAGE_TRUTH_CURRENT, &view);
    truth.current = &current;
  }

  const struct loop_target *held = &frame->target;
  Sagbend__V1__Target target = SAGBEND__V1__TARGET__INIT;
  target.north_m = held->position_n_m[0];
  target.east_m = held->position_n_m[1];
  target.heading_rad = held->heading_rad;
  target.order = held->order;
  truth.target = &target;

  Sagbend__V1__RoutePosition route;
  if (wire_fill_route_position(&view, &route))
    truth.route = &route;

  struct plant_truth_message plant;
  wire_fill_plant_truth(&view, &frame->readings, &plant, &truth);
  return wire_pack(&truth.base, out, capacity);
}

static Sagbend__V1__PortWork work_of(const double joule[PORT_COUNT]) {
  Sagbend__V1__PortWork work = SAGBEND__V1__PORT_WORK__INIT;
#define X(id, name, feature) work.name##_j = joule[id];
  PORT_TABLE(X)
#undef X
  return work;
}

static Sagbend__V1__Dissipation dissipation_of(const double joule[LOSS_COUNT]) {
  Sagbend__V1__Dissipation dissipation = SAGBEND__V1__DISSIPATION__INIT;
#define X(id, name, feature) dissipation.name##_j = joule[id];
  LOSS_TABLE(X)
#undef X
  return dissipation;
}

size_t wire_pack_ledger(const struct wire_header *header, const struct frame *frame, uint8_t *out,
                        size_t capacity) {
  const struct ledger *ledger = &frame->ledger;
  const struct loop_view view = loop_view_of(frame, NULL);
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__PortWork step_work = work_of(ledger->work_j), total_work = work_of(ledger->total_work_j);
  Sagbend__V1__Dissipation step_loss = dissipation_of(ledger->loss_j),
                           total_loss = dissipation_of(ledger->total_loss_j);
  Sagbend__V1__Ledger message = SAGBEND__V1__LEDGER__INIT;
  message.header = &header_message;
  message.initial_energy_j = ledger->energy_initial_j;
  message.step_work = &step_work;
  message.step_dissipation = &step_loss;
  message.step_residual_j = ledger->residual_j;
  message.total_work = &total_work;
  message.total_dissipation = &total_loss;
  message.max_total_residual_j = ledger->max_abs_total_residual_j;
  message.turnover_j = ledger->turnover_j;
  wire_fill_quantities(&message, MESSAGE_LEDGER, &view);
  Sagbend__V1__LinkEnergy link = SAGBEND__V1__LINK_ENERGY__INIT;
  if (frame->target.controller_outside) {
    wire_fill_quantities(&link, MESSAGE_LEDGER_LINK, &view);
    message.link = &link;
  }
  return wire_pack(&message.base, out, capacity);
}

void wire_fill_security(const struct security_counts *counts, Sagbend__V1__Security *out) {
  sagbend__v1__security__init(out);
  out->keys_required = counts->keys_required != 0;
  out->connections = counts->connections;
  out->admitted = counts->admitted;
  out->unreported = counts->unreported;
  out->take_overs = counts->take_overs;
#define X(id, name, help, advice) out->name = counts->denied[id];
  DENIAL_TABLE(X)
#undef X
}

static Sagbend__V1__Percentiles percentiles_of(const struct latency *latency) {
  Sagbend__V1__Percentiles out = SAGBEND__V1__PERCENTILES__INIT;
  out.last_us = latency->last_us;
  out.p50_us = latency->p50_us;
  out.p99_us = latency->p99_us;
  out.p999_us = latency->p999_us;
  out.max_us = latency->max_us;
  return out;
}

// The networks, where there are two.
struct networks_message {
  Sagbend__V1__NetworkCounts network[NETWORKS];
  Sagbend__V1__NetworkCounts *list[NETWORKS];
};

static void fill_networks(const struct field_bus_counts *buses, struct networks_message *parts,
                          Sagbend__V1__Timing *out) {
  for (int i = 0; i < NETWORKS; i++) {
    const struct network_counts *from = &buses->network[i];
    sagbend__v1__network_counts__init(&parts->network[i]);
    parts->network[i].name = (char *)(uintptr_t)network_name(i);
    parts->network[i].lost = from->is_lost || from->is_silent || from->is_unasked;
    parts->network[i].lines = from->lines;
    parts->network[i].lines_lost = from->lines_lost;
    parts->network[i].lines_doubled = from->lines_doubled;
    parts->network[i].dropped = from->dropped;
    parts->network[i].messages = from->messages;
    parts->network[i].messages_doubled = from->messages_doubled;
    parts->network[i].requests = from->requests;
    parts->network[i].requests_doubled = from->requests_doubled;
    parts->list[i] = &parts->network[i];
  }
  out->n_network = buses->networks > 1 ? NETWORKS : 0;
  out->network = parts->list;
}

static void fill_buses(const struct command_counts *counts, Sagbend__V1__Timing *out) {
  out->commands_from_buses = counts->from_buses;
  out->modbus_connections = counts->buses.modbus_connections;
  out->modbus_requests = counts->buses.modbus_requests;
  out->modbus_exceptions = counts->buses.modbus_exceptions;
  out->modbus_cut_off = counts->buses.modbus_cut_off;
  out->nmea_received = counts->buses.nmea_received;
  out->nmea_refused = refused_sentences(counts);
  out->nmea_lines = counts->buses.nmea_lines;
  out->nmea_lines_lost = counts->buses.nmea_lines_lost;
  out->nmea_lines_doubled = counts->buses.nmea_lines_doubled;
  out->nmea_lines_late = counts->buses.nmea_lines_late;
  out->nmea_passed_over = counts->buses.nmea_passed_over;
  out->nmea_incomplete = counts->buses.nmea_incomplete;
  out->nmea_own = counts->buses.nmea_own;
  out->nmea_dropped = counts->buses.nmea_dropped;
  out->nmea_age_s = counts->buses.nmea_age_s;
  out->nmea_age_worst_s = counts->buses.nmea_age_worst_s;
}

size_t wire_pack_timing(const struct wire_header *header, const struct frame *frame,
                        const struct command_counts *counts, const struct security_counts *security,
                        const struct wire_times *times, uint8_t *out, size_t capacity) {
  const struct timing *timing = &frame->timing;
  const struct loop_view view = loop_view_of(frame, NULL);
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Percentiles step = SAGBEND__V1__PERCENTILES__INIT, wakeup = SAGBEND__V1__PERCENTILES__INIT;
  step.last_us = timing->step_us;
  step.p50_us = timing->step_p50_us;
  step.p99_us = timing->step_p99_us;
  step.p999_us = timing->step_p999_us;
  step.max_us = timing->step_max_us;
  wakeup.last_us = timing->wakeup_us;
  wakeup.p50_us = timing->wakeup_p50_us;
  wakeup.p99_us = timing->wakeup_p99_us;
  wakeup.p999_us = timing->wakeup_p999_us;
  wakeup.max_us = timing->wakeup_max_us;
  Sagbend__V1__Timing message = SAGBEND__V1__TIMING__INIT;
  message.header = &header_message;
  message.lag_s = timing->lag_s;
  message.step = &step;
  message.wakeup = &wakeup;
  Sagbend__V1__Percentiles sent = percentiles_of(&timing->sensors_sent),
                           latched = percentiles_of(&timing->command_latched);
  message.sensors_sent = timing->sensors_sent.count ? &sent : NULL;
  message.step_end_ns = timing->ended_ns;
  message.command_latched = timing->command_latched.count ? &latched : NULL;
  message.dropped_frames = timing->dropped_frames;
  message.rate = timing->rate;
  message.pauses = timing->holds;
  wire_fill_quantities(&message, MESSAGE_TIMING, &view);
  struct real_time_message real_time;
  wire_fill_real_time(&timing->real_time, &real_time, &message);
  Sagbend__V1__RigClock clock;
  if (timing->clock.is_measured) {
    wire_fill_clock(&timing->clock, &clock);
    message.clock = &clock;
  }
  message.commands_accepted = counts->accepted;
  message.commands_refused = refused_in_all(counts);
  Sagbend__V1__Security security_message;
  if (security) {
    wire_fill_security(security, &security_message);
    message.security = &security_message;
  }
  fill_buses(counts, &message);
  struct networks_message networks;
  fill_networks(&counts->buses, &networks, &message);
  struct times_message times_parts;
  wire_fill_times(timing, times, &times_parts, &message);
  return wire_pack(&message.base, out, capacity);
}

size_t wire_pack_nodes(const struct wire_header *header, size_t count, const struct sim_node *nodes,
                       double *scratch, uint8_t *out, size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Nodes message = SAGBEND__V1__NODES__INIT;
  struct {
    size_t *count;
    double **values;
  } const fields[NODE_COLUMN_COUNT] = {
#define NODE_COLUMN(name, unit, in_csv, value, meaning) {&message.n_##name, &message.name},
#include "sagbend/rig/node_columns.inc"
  };
  for (size_t i = 0; i < count; i++) {
    double column[NODE_COLUMN_COUNT];
    node_values(&nodes[i], column);
    for (size_t k = 0; k < NODE_COLUMN_COUNT; k++)
      scratch[k * count + i] = column[k];
  }
  message.header = &header_message;
  for (size_t k = 0; k < NODE_COLUMN_COUNT; k++) {
    *fields[k].count = count > 0 && isnan(scratch[k * count]) ? 0 : count; // NaN: there is no such output
    *fields[k].values = scratch + k * count;
  }
  return wire_pack(&message.base, out, capacity);
}

// ------------------------------------------------------------
// Packing: messages are assembled on the stack, checked like received ones, and written to the caller's
// buffer.

Sagbend__V1__Header wire_header_message(const struct wire_header *header) {
  Sagbend__V1__Header out = SAGBEND__V1__HEADER__INIT;
  out.protocol = WIRE_PROTOCOL;
  out.session = text_of(header->session);
  out.sequence = header->sequence;
  out.step = header->step;
  out.time_s = header->time_s;
  return out;
}

static const ProtobufCFieldDescriptor *header_field(const ProtobufCMessageDescriptor *type) {
  return protobuf_c_message_descriptor_get_field_by_name(type, "header");
}

int wire_has_header(const ProtobufCMessageDescriptor *type) {
  return header_field(type) != NULL;
}

Sagbend__V1__Header *wire_header_in(const ProtobufCMessage *message) {
  const ProtobufCFieldDescriptor *field = header_field(message->descriptor);
  Sagbend__V1__Header *header = NULL;
  if (field)
    memcpy(&header, (const char *)message + field->offset, sizeof header);
  return header;
}

Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]) {
  Sagbend__V1__BodyWrench out = SAGBEND__V1__BODY_WRENCH__INIT;
  out.surge_n = wrench_b[0];
  out.sway_n = wrench_b[1];
  out.heave_n = wrench_b[2];
  out.roll_nm = wrench_b[3];
  out.pitch_nm = wrench_b[4];
  out.yaw_nm = wrench_b[5];
  return out;
}

size_t wire_pack(const ProtobufCMessage *message, uint8_t *out, size_t capacity) {
  struct wire_error error;
  if (wire_check(message, &error) != WIRE_OK || protobuf_c_message_get_packed_size(message) > capacity)
    return 0;
  return protobuf_c_message_pack(message, out);
}

size_t wire_pack_hello(const struct wire_header *header, const struct wire_hello *hello, uint8_t *out,
                       size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Hello message = SAGBEND__V1__HELLO__INIT;
  message.header = &header_message;
  message.controller_id = text_of(hello->controller_id);
  message.name = text_of(hello->name);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_HELLO;
  envelope.hello = &message;
  return wire_pack(&envelope.base, out, capacity);
}

void wire_fill_whole_welcome(const struct wire_welcome *welcome, struct whole_welcome_message *out) {
  Sagbend__V1__Welcome *message = &out->message;
  sagbend__v1__welcome__init(message);
  out->hold = wire_wrench_message(welcome->initial_holding_force_b);
  out->limit = wire_wrench_message(welcome->wrench_limit);
  message->name = text_of(welcome->name);
  message->config_hash = welcome->config_hash;
  message->step_s = welcome->step_s;
  message->sensor_period_s = welcome->sensor_period_s;
  message->mode = (Sagbend__V1__RunMode)(welcome->mode + 1);
  message->has_pipe = welcome->has_pipe;
  message->node_count = welcome->node_count;
  message->initial_holding_force = &out->hold;
  message->wrench_limit = &out->limit;
  message->command_timeout_s = welcome->command_timeout_s;
  message->command_max_age_s = welcome->command_max_age_s;
  message->command_endpoint = text_of(welcome->command_endpoint);
  message->telemetry_endpoint = text_of(welcome->telemetry_endpoint);
  message->controller_view_period_s = welcome->controller_view_period_s;

  sagbend__v1__integrator__init(&out->integrator);
  out->integrator.order = (uint32_t)welcome->order;
  out->integrator.vessel = (Sagbend__V1__VesselIntegrator)(welcome->integrator + 1);
  message->integrator = welcome->order > 0 ? &out->integrator : NULL;
  wire_fill_plant(&welcome->plant, &out->plant, message);
  wire_fill_welcome(welcome, &out->parts, message);
}

size_t wire_pack_welcome(const struct wire_header *header, const struct wire_welcome *welcome, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  struct whole_welcome_message parts;
  wire_fill_whole_welcome(welcome, &parts);
  parts.message.header = &header_message;

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_WELCOME;
  envelope.welcome = &parts.message;
  return wire_pack(&envelope.base, out, capacity);
}

void wire_fill_command(const struct command *command, const struct dp_alarm_list *alarms,
                       struct command_parts *parts) {
  const Sagbend__V1__Standby standby = SAGBEND__V1__STANDBY__INIT;
  parts->wrench = wire_wrench_message(command->wrench_b);
  parts->standby = standby;
  if (command->thruster_count > 0)
    wire_fill_thruster_commands(command, &parts->thrusters);
  wire_fill_tensioner_command(&command->tensioner, &parts->tensioner);
  parts->stop_count = wire_fill_stops(&command->stops, &parts->stops);
  parts->consequence = wire_fill_consequence(&command->consequence, NULL, &parts->consequence_room);
  wire_fill_alarms(alarms, &parts->alarms);
}

size_t wire_pack_command(const struct wire_header *header, const struct wire_command *command, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Command message = SAGBEND__V1__COMMAND__INIT;
  struct command_parts parts;
  wire_fill_command(&command->command, &command->alarms, &parts);
  message.header = &header_message;
  message.controller_id = text_of(command->controller_id);
  WIRE_TAKE_COMMAND(&message, SAGBEND__V1__COMMAND__EFFORT, &command->command, &command->alarms, &parts);
  message.shadow = command->is_shadow != 0;
  message.hand_over = text_of(command->hand_over);
  Sagbend__V1__Estimate estimate = SAGBEND__V1__ESTIMATE__INIT;
  estimate.north_m = command->estimate[0];
  estimate.east_m = command->estimate[1];
  estimate.heading_rad = command->estimate[2];
  message.estimate = command->has_estimate ? &estimate : NULL;

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND;
  envelope.command = &message;
  return wire_pack(&envelope.base, out, capacity);
}

size_t wire_pack_refusal(const struct wire_header *header, const struct wire_refusal *refusal, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Refusal message = SAGBEND__V1__REFUSAL__INIT;
  message.header = &header_message;
  message.reason = (Sagbend__V1__RefusalReason)(refusal->reason + 1);
  message.refused_sequence = refusal->refused_sequence;
  message.text = text_of(refusal->text);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL;
  envelope.refusal = &message;
  return wire_pack(&envelope.base, out, capacity);
}

size_t wire_pack_event(const struct wire_header *header, const char *name, const char *text,
                       enum wire_form form, uint8_t *out, size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__Event message = SAGBEND__V1__EVENT__INIT;
  message.header = &header_message;
  message.name = text_of(name);
  message.text = text_of(text);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_EVENT;
  envelope.event = &message;
  return wire_pack(form == WIRE_PLAIN ? &message.base : &envelope.base, out, capacity);
}

size_t wire_pack_end(const struct wire_header *header, const char *why, const char *result,
                     enum wire_form form, uint8_t *out, size_t capacity) {
  Sagbend__V1__Header header_message = wire_header_message(header);
  Sagbend__V1__End message = SAGBEND__V1__END__INIT;
  message.header = &header_message;
  message.why = text_of(why);
  message.result = text_of(result);

  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_END;
  envelope.end = &message;
  return wire_pack(form == WIRE_PLAIN ? &message.base : &envelope.base, out, capacity);
}
