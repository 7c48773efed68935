// The state of a run, message Status.
#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include "net/counts/counts.h"
#include "sagbend/events/events.h"
#include "sagbend/monitor/monitor.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/envelope.pb-c.h"

#include <stdio.h>
#include <string.h>

void wire_begin_status(struct wire_status *status) {
  sagbend__v1__status__init(&status->message);
  sagbend__v1__header__init(&status->header);
  sagbend__v1__pause__init(&status->pause);
  sagbend__v1__setpoint__init(&status->setpoint);
  sagbend__v1__track__init(&status->track);
  sagbend__v1__log_status__init(&status->log);
  sagbend__v1__checkpoint_status__init(&status->checkpoint);
  sagbend__v1__order_status__init(&status->orders);
  sagbend__v1__earlier_sessions__init(&status->earlier);
  sagbend__v1__security__init(&status->security);
  sagbend__v1__station_status__init(&status->station);
  sagbend__v1__route_position__init(&status->route);
  sagbend__v1__tensioner_status__init(&status->tensioner);
  sagbend__v1__operation_state__init(&status->operation);
  sagbend__v1__command_status__init(&status->command);
  status->message.header = &status->header;
  status->message.orders = &status->orders;
  status->message.security = &status->security;
  status->message.peer = status->peers;
  status->message.refused_by_reason = status->reasons;
  status->message.refused = status->refusals;
  status->message.notice = status->notices;
  status->text_size = 0;
}

char *wire_status_text(struct wire_status *status, const char *text) {
  char *copy = status->text + status->text_size;
  size_t room = sizeof status->text - status->text_size;
  if (room < 2)
    return text_of("");
  wire_clean_text(copy, room < WIRE_MAX_TEXT + 1 ? room : WIRE_MAX_TEXT + 1, text);
  status->text_size += strlen(copy) + 1;
  return copy;
}

void wire_status_header(struct wire_status *status, const struct wire_header *header) {
  status->header = wire_header_message(header);
  status->header.session = wire_status_text(status, header->session);
}

void wire_status_security(struct wire_status *status, const struct security_counts *counts) {
  wire_fill_security(counts, &status->security);
}

void wire_status_setpoint(struct wire_status *status, const double setpoint[3], uint64_t order) {
  status->message.setpoint = &status->setpoint;
  status->setpoint.north_m = setpoint[0];
  status->setpoint.east_m = setpoint[1];
  status->setpoint.heading_rad = setpoint[2];
  status->setpoint.order = order;
}

void wire_status_track(struct wire_status *status, const struct wire_track *track) {
  status->message.track = &status->track;
  wire_fill_track(track, &status->track);
}

Sagbend__V1__PeerStatus *wire_status_peer(struct wire_status *status) {
  size_t i = status->message.n_peer;
  if (i == WIRE_MAX_PEERS)
    return NULL;
  sagbend__v1__peer_status__init(&status->peer[i]);
  status->peers[i] = &status->peer[i];
  status->message.n_peer++;
  return &status->peer[i];
}

Sagbend__V1__ListedStatus *wire_status_listed(struct wire_status *status) {
  size_t used = 0;
  for (size_t i = 0; i < status->message.n_peer; i++)
    used += status->peer[i].listed != NULL;
  if (used == MAX_CONTROLLERS || status->message.n_peer == 0)
    return NULL;
  sagbend__v1__listed_status__init(&status->listed[used]);
  status->peer[status->message.n_peer - 1].listed = &status->listed[used];
  return &status->listed[used];
}

void wire_status_commands(struct wire_status *status, const struct command_counts *counts) {
  status->message.commands_accepted = counts->accepted;
  status->message.commands_refused = refused_in_all(counts);
  for (int i = 0; i < REFUSAL_COUNT; i++) {
    Sagbend__V1__RefusedCount *reason = &status->reason[status->message.n_refused_by_reason];
    if (!counts->refused[i])
      continue;
    sagbend__v1__refused_count__init(reason);
    reason->reason = text_of(refusal_name((enum refusal)i));
    reason->count = counts->refused[i];
    status->reasons[status->message.n_refused_by_reason++] = reason;
  }
}

Sagbend__V1__Refused *wire_status_refused(struct wire_status *status) {
  size_t i = status->message.n_refused;
  if (i == WIRE_MAX_REFUSED)
    return NULL;
  sagbend__v1__refused__init(&status->refused[i]);
  status->refusals[i] = &status->refused[i];
  status->message.n_refused++;
  return &status->refused[i];
}

// The kind raised last among those that are not taken; -1: none.
static int newest_notice(const struct notices *notices, uint32_t taken) {
  int newest = -1;
  for (int i = 0; i < NOTICE_COUNT; i++)
    if (notices->kind[i].count && !(taken >> i & 1) &&
        (newest < 0 || notices->kind[i].step > notices->kind[newest].step))
      newest = i;
  return newest;
}

static void add_notice(struct wire_status *status, const struct frame *frame, int kind) {
  const struct notice *from = &frame->notices.kind[kind];
  const size_t i = status->message.n_notice++;
  Sagbend__V1__NoticeStatus *to = &status->notice[i];
  char text[160];
  status->notices[i] = to;
  sagbend__v1__notice_status__init(to);
  notice_text(kind, from, from->thruster >= 0 ? frame->output.thruster[from->thruster].name : "", text,
              sizeof text);
  to->name = wire_status_text(status, notice_name(kind));
  to->text = wire_status_text(status, text);
  to->time_s = (double)from->step * frame->target.step_s;
  to->count = from->count;
  to->active = from->active != 0;
}

void wire_status_commanded(struct wire_status *status, const struct frame *frame,
                           const double initial_holding_force_b[6]) {
  Sagbend__V1__CommandStatus *to = &status->command;
  uint32_t taken = 0; // a bit for each kind
  for (int newest;
       status->message.n_notice < WIRE_MAX_NOTICES && (newest = newest_notice(&frame->notices, taken)) >= 0;
       taken |= UINT32_C(1) << newest)
    add_notice(status, frame, newest);
  if (frame->command_state == COMMAND_NONE)
    return;
  status->message.command = to;
  to->surge_n = frame->commanded_b[0];
  to->sway_n = frame->commanded_b[1];
  to->yaw_nm = frame->commanded_b[5];
  to->thrusters = (uint64_t)frame->commanded_thrusters;
  to->hold_surge_n = initial_holding_force_b[0];
  to->hold_sway_n = initial_holding_force_b[1];
  to->hold_yaw_nm = initial_holding_force_b[5];
  to->based_on_step = frame->command_based_on_step;
}

void wire_status_alarms(struct wire_status *status, const struct wire_alarms *alarms) {
  wire_fill_active_alarms(alarms, &status->alarms);
  status->message.n_alarm = (size_t)alarms->state->list.count;
  status->message.alarm = status->alarms.list;
  status->message.alarms = &status->alarms.counts;
}

void wire_status_tensioner(struct wire_status *status, const struct sim_output *output) {
  const struct tensioner_output *from = &output->tensioner;
  Sagbend__V1__TensionerStatus *to = &status->tensioner;
  struct operation_output operation = output->operation;
  if (!output->has_tensioner)
    return;
  status->message.tensioner = to;
  to->ordered = (Sagbend__V1__TensionerMode)(from->ordered + 1);
  to->source = (Sagbend__V1__TensionerSource)(from->source + 1);
  to->mode = (Sagbend__V1__TensionerMode)(from->mode + 1);
  to->tension_n = from->ordered_tension_n;
  to->speed_mps = from->ordered_speed_mps;
  to->hangoff_tension_n = output->hangoff_tension_n;
  to->paid_out_m = output->paid_out_m;
  to->payout_mps = output->payout_mps;
  if (!operation.count)
    return;
  status->message.operation = &status->operation;
  wire_fill_operation(&operation, &status->operation);
  status->operation.name = wire_status_text(status, operation.name);
}

size_t wire_pack_status(const struct wire_status *status, enum wire_form form, uint8_t *out,
                        size_t capacity) {
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  Sagbend__V1__Status message = status->message;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_STATUS;
  envelope.status = &message;
  const ProtobufCMessage *packed = form == WIRE_PLAIN ? &message.base : &envelope.base;
  size_t size = wire_pack(packed, out, capacity);
  message.n_alarm = 0;
  message.clock = NULL; // it is in Timing, too
  return size ? size : wire_pack(packed, out, capacity);
}

enum status wire_read_hold(const Sagbend__V1__Pause *message, struct wire_hold *out, struct reason *why) {
  if (!message)
    return STATUS_OK;
  out->is_paused = 1;
  snprintf(out->why, sizeof out->why, "%s", message->why);
  return snprintf(out->operator_name, sizeof out->operator_name, "%s", message->operator_) < WIRE_NAME
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
}

// ------------------------------------------------------------
// Orders to a session manager and its answers, proto/sagbend/v1/manager.proto.

void wire_fill_piece_order(const struct manager_order *order, Sagbend__V1__FetchOrder *out) {
  sagbend__v1__fetch_order__init(out);
  out->name = text_of(order->name);
  out->offset = order->offset;
  out->size = order->size;
  out->digest = order->digest;
}

enum status wire_read_piece_order(const Sagbend__V1__FetchOrder *message, struct manager_order *out,
                                  struct reason *why) {
  uint32_t most = message->digest ? WIRE_DIGESTED : WIRE_PIECE;
  if (message->size == 0 || message->size > most)
    return fail(why, STATUS_BAD_INPUT, "size: 1 to %u bytes expected, got %u", (unsigned)most,
                (unsigned)message->size);
  if (message->offset > INT64_MAX)
    return fail(why, STATUS_BAD_INPUT, "offset: at most 2^63 - 1 expected");
  out->offset = message->offset;
  out->size = message->size;
  out->digest = message->digest;
  return snprintf(out->name, sizeof out->name, "%s", message->name) < (int)sizeof out->name
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "name: 1 to %d characters expected", ORDER_FILE - 1);
}

static void fill_status(const struct wire_manager_status *from, struct manager_message *out) {
  sagbend__v1__manager_status__init(&out->status);
  out->status.state = (Sagbend__V1__ManagerState)from->state;
  out->status.case_ = text_of(from->case_name);
  out->status.folder = text_of(from->folder);
  out->status.log_folder = text_of(from->log_folder);
  out->status.started = from->started;
  out->status.process = from->process;
  out->status.command_endpoint = text_of(from->command_endpoint);
  out->status.telemetry_endpoint = text_of(from->telemetry_endpoint);
  out->status.command_endpoint_b = text_of(from->command_endpoint_b);
  out->status.telemetry_endpoint_b = text_of(from->telemetry_endpoint_b);
  out->status.session = text_of(from->session);
  out->status.running_s = from->running_s;
  out->status.silent_s = from->silent_s;
  if (!from->has_last)
    return;

  sagbend__v1__session_end__init(&out->last);
  out->last.case_ = text_of(from->last.case_name);
  out->last.exit_status = from->last.exit_status;
  out->last.signal = from->last.signal;
  out->last.text = text_of(from->last.text);
  out->last.ended_s_ago = from->last.ended_s_ago;
  for (int i = 0; i < from->last.line_count && i < WIRE_LINES; i++)
    out->lines[out->last.n_line++] = text_of(from->last.line[i]);
  out->last.line = out->lines;
  out->status.last = &out->last;
}

static void fill_piece(const struct wire_piece *from, Sagbend__V1__LogPiece *out) {
  sagbend__v1__log_piece__init(out);
  out->offset = from->offset;
  out->covered = from->covered;
  out->size = from->size;
  out->data = (ProtobufCBinaryData){from->data_size, (uint8_t *)(uintptr_t)from->data};
  if (from->has_digest)
    out->digest = (ProtobufCBinaryData){WIRE_DIGEST, (uint8_t *)(uintptr_t)from->digest};
}

static void fill_lists(const struct wire_manager *from, struct manager_message *out) {
  for (int i = 0; i < from->count && from->kind == MANAGER_CASES; i++) {
    sagbend__v1__case_info__init(&out->case_item[i]);
    out->case_item[i].name = text_of(from->as.cases[i].name);
    out->case_item[i].error = text_of(from->as.cases[i].error);
    out->cases[out->message.n_case_++] = &out->case_item[i];
  }
  for (int i = 0; i < from->count && from->kind == MANAGER_LOGS; i++) {
    sagbend__v1__log_info__init(&out->log_item[i]);
    out->log_item[i].name = text_of(from->as.logs[i].name);
    out->log_item[i].size = from->as.logs[i].size;
    out->log_item[i].changed_at = text_of(from->as.logs[i].changed_at);
    out->log_item[i].growing = from->as.logs[i].growing;
    out->logs[out->message.n_log++] = &out->log_item[i];
  }
  out->message.case_ = out->cases;
  out->message.log = out->logs;
}

void wire_fill_manager(const struct wire_manager *from, struct manager_message *out) {
  sagbend__v1__manager_response__init(&out->message);
  out->message.total = from->total;
  fill_lists(from, out);
  if (from->kind == MANAGER_STATUS) {
    fill_status(&from->as.status, out);
    out->message.status = &out->status;
  }
  if (from->kind == MANAGER_PIECE) {
    fill_piece(&from->as.piece, &out->piece);
    out->message.piece = &out->piece;
  }
}

// ------------------------------------------------------------
// Stage times and histograms in Timing.

static void fill_histogram(const struct wire_histogram *from, Sagbend__V1__Histogram *out) {
  sagbend__v1__histogram__init(out);
  out->count = from->count;
  out->n_upper_us = out->n_counts = (size_t)from->buckets;
  out->upper_us = (double *)(uintptr_t)from->upper_us;
  out->counts = (uint64_t *)(uintptr_t)from->counts;
}

static void fill_stages(const struct timing *timing, struct times_message *parts, Sagbend__V1__Timing *out) {
  double sum_us = 0;
  for (int i = 0; i < STEP_STAGE_COUNT; i++) {
    sum_us += timing->stage_us[i];
    sagbend__v1__stage_time__init(&parts->stage[i]);
    parts->stage[i].stage = (char *)(uintptr_t)step_stage_name(i);
    parts->stage[i].us = timing->stage_us[i];
    parts->stages[i] = &parts->stage[i];
  }
  out->stage = parts->stages;
  out->n_stage = sum_us > 0 ? STEP_STAGE_COUNT : 0;
}

void wire_fill_times(const struct timing *timing, const struct wire_times *times, struct times_message *parts,
                     Sagbend__V1__Timing *out) {
  fill_stages(timing, parts, out);
  if (!times)
    return;
  fill_histogram(&times->step, &parts->step);
  fill_histogram(&times->wakeup, &parts->wakeup);
  out->step_histogram = times->step.count > 0 ? &parts->step : NULL;
  out->wakeup_histogram = times->wakeup.count > 0 ? &parts->wakeup : NULL;
}

// What the system did to the simulation thread, and the late steps, in Timing.

static Sagbend__V1__LateStep *fill_late_step(const struct late_step *from, struct late_step_message *out) {
  if (!from->step)
    return NULL;
  sagbend__v1__late_step__init(&out->message);
  out->message.step = from->step;
  out->message.time_s = from->time_s;
  out->message.late_us = from->late_us;
  out->message.cause = (char *)step_stage_name((int)late_step_cause(from));
  for (int i = 0; i < STEP_STAGE_COUNT; i++) {
    sagbend__v1__stage_time__init(&out->stage[i]);
    out->stage[i].stage = (char *)step_stage_name(i);
    out->stage[i].us = from->stage_us[i];
    out->stages[i] = &out->stage[i];
  }
  out->message.stage = out->stages;
  out->message.n_stage = STEP_STAGE_COUNT;
  return &out->message;
}

void wire_fill_clock(const struct rig_time *from, Sagbend__V1__RigClock *out) {
  sagbend__v1__rig_clock__init(out);
  out->name = (char *)rig_clock_word(from->clock);
  out->offset_s = from->offset_s;
  out->offset_mean_s = from->mean_s;
  out->offset_worst_s = from->worst_s;
  out->behind_s = from->behind_s;
  out->jumps = from->jumps;
  out->newest_jump_s = from->newest_jump_s;
  out->jump_periods = from->jump_periods;
  if (!from->is_known)
    return;
  out->source = (char *)"kernel (ntp_adjtime)";
  out->synchronised = from->is_synchronised != 0;
  out->estimated_error_s = from->estimated_error_s;
  out->largest_error_s = from->largest_error_s;
  out->frequency_ppm = from->frequency_ppm;
  out->tai_offset_s = from->tai_offset_s;
}

void wire_status_clock(struct wire_status *status, const struct rig_time *from) {
  if (!from->is_measured)
    return;
  status->message.clock = &status->clock;
  wire_fill_clock(from, &status->clock);
}

uint64_t wire_utc_ns(const struct frame *frame, double time_s) {
  return frame->start_utc_ns ? frame->start_utc_ns + (uint64_t)llround(1e9 * time_s) : 0;
}

void wire_fill_real_time(const struct real_time *from, struct real_time_message *parts,
                         Sagbend__V1__Timing *out) {
  out->minor_page_faults = from->minor_faults;
  out->major_page_faults = from->major_faults;
  out->waits = from->waits;
  out->preemptions = from->preemptions;
  out->halts = from->halts;
  out->halted_after = from->halted_after;
  out->newest_late_step = fill_late_step(&from->late, &parts->newest);
  out->worst_late_step = fill_late_step(&from->worst, &parts->worst);
}

// ------------------------------------------------------------
#define COUNTER                         "counter"
#define GAUGE                           "gauge"
#define STATUS(line, field, unit, text) {STATUS_OF_STATUS, line, field, unit, text, "", "", ""},
#define MEASURED(line, field, unit, text, type, name, help)                                                  \
  {STATUS_OF_STATUS, line, field, unit, text, type, name, help},
#define METRIC(message, field, type, name, help) {STATUS_OF_##message, "", field, "", "", type, name, help},

const struct status_row STATUS_ROWS[] = {
#include "sagbend/rig/status.inc"
};
const int STATUS_ROW_COUNT = sizeof STATUS_ROWS / sizeof *STATUS_ROWS;
