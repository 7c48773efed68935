// The messages that the steps of a session add.
#include "log/log/session_log_parts.h"

#include "net/messages/message_parts.h"
#include "log/log/order_used.h"

#include "sagbend/v1/log.pb-c.h"

#include <string.h>

// size: of the message packed in log->bytes; 0: it could not be packed.
static enum status add_packed(struct session_log *log, enum log_topic topic, double time_s, size_t size) {
  return size ? session_log_add(log, topic, time_s, log->bytes, size) : STATUS_BAD_INPUT;
}

static struct wire_header next_header(const struct session_log *log, enum log_topic topic, uint64_t step,
                                      double time_s) {
  struct wire_header header = {.sequence = log->counts[topic] + 1, .step = step, .time_s = time_s};
  memcpy(header.session, log->session, sizeof header.session);
  return header;
}

enum status session_log_command(struct session_log *log, const struct log_command *command, double time_s) {
  Sagbend__V1__CommandUsed message = SAGBEND__V1__COMMAND_USED__INIT;
  struct command_parts parts;
  wire_fill_command(&command->command, &command->alarms, &parts);
  message.step = command->step;
  message.number = command->number;
  message.superseded = command->superseded != 0;
  message.sequence = command->command.sequence;
  WIRE_TAKE_COMMAND(&message, SAGBEND__V1__COMMAND_USED__EFFORT, &command->command, &command->alarms, &parts);
  return session_log_add_message(log, LOG_COMMAND, time_s, &message.base);
}

enum status session_log_order(struct session_log *log, const struct order *order, uint64_t step,
                              double time_s) {
  return add_packed(log, LOG_ORDER, time_s, log_pack_order(step, order, log->bytes, log->capacity));
}

enum status session_log_hash(struct session_log *log, uint64_t step, double time_s, uint64_t hash) {
  Sagbend__V1__StateHash message = SAGBEND__V1__STATE_HASH__INIT;
  message.step = step;
  message.hash = hash;
  return add_packed(log, LOG_STATE_HASH, time_s, protobuf_c_message_pack(&message.base, log->bytes));
}

enum status session_log_frame(struct session_log *log, enum log_topic topic, const struct frame *frame,
                              const struct command_counts *counts, const struct wire_times *times) {
  double time_s = frame->output.time_s;
  struct wire_header header = next_header(log, topic, frame->output.step, time_s);
  uint8_t *bytes = log->bytes;
  size_t room = log->capacity;
  size_t size = topic == LOG_SENSORS  ? wire_pack_sensors(&header, frame, WIRE_PLAIN, bytes, room)
                : topic == LOG_TRUTH  ? wire_pack_truth(&header, frame, bytes, room)
                : topic == LOG_LEDGER ? wire_pack_ledger(&header, frame, bytes, room)
                                      : wire_pack_timing(&header, frame, counts, NULL, times, bytes, room);
  return add_packed(log, topic, time_s, size);
}

enum status session_log_nodes(struct session_log *log, uint64_t step, double time_s, int count,
                              const struct sim_node *nodes) {
  if (count > log->node_count)
    return STATUS_BAD_INPUT;
  struct wire_header header = next_header(log, LOG_NODES, step, time_s);
  return add_packed(log, LOG_NODES, time_s,
                    wire_pack_nodes(&header, (size_t)count, nodes, log->scratch, log->bytes, log->capacity));
}

enum status session_log_event(struct session_log *log, uint64_t step, double time_s, const char *name,
                              const char *text) {
  char clean_name[WIRE_NAME], clean_text[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean_name, sizeof clean_name, name);
  wire_clean_text(clean_text, sizeof clean_text, text);
  struct wire_header header = next_header(log, LOG_EVENT, step, time_s);
  return add_packed(log, LOG_EVENT, time_s,
                    wire_pack_event(&header, clean_name, clean_text, WIRE_PLAIN, log->bytes, log->capacity));
}

enum status session_log_message(struct session_log *log, enum log_topic topic, double time_s,
                                const uint8_t *bytes, size_t size) {
  return session_log_add(log, topic, time_s, bytes, size);
}
