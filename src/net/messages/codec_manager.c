// Orders to a session manager and its answers, proto/sagbend/v1/manager.proto.
#include "net/messages/messages_internal.h"

#include <stdio.h>
#include <string.h>

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
  sagbend__v1__manager_answer__init(&out->message);
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
