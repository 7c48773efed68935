// Private to the session log: session_log.c is the file, session_record.c its first message,
// session_log_add.c the messages of the steps.
#pragma once

#include "net/messages/messages.h"
#include "log/log/session_chain.h"
#include "log/log/log.h"

struct session_log {
  struct mcap_writer *file;
  uint16_t channels[LOG_TOPIC_COUNT];
  uint64_t counts[LOG_TOPIC_COUNT]; // messages added
  struct session_chain chain;
  char session[WIRE_NAME];
  int node_count;
  double *scratch; // for wire_pack_nodes
  uint8_t *bytes;  // one packed message
  size_t capacity;
};

// Adds a message and extends the chain by it.
enum status session_log_add(struct session_log *log, enum log_topic topic, double time_s,
                            const uint8_t *bytes, size_t size);
// The same for a message that wire_check need not accept, because it may be longer than any on the wire.
enum status session_log_add_message(struct session_log *log, enum log_topic topic, double time_s,
                                    const ProtobufCMessage *message);

// Writes the session's metadata, then adds its record.
enum status session_log_add_record(struct session_log *log, const struct log_session *session,
                                   struct reason *why);
