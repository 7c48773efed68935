// The topics of a session log.
#pragma once

#include "core/base/nonblocking.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

// Identifier, topic, message type, the .proto file that declares it, and how full (percent) the ring before
// the log may be while messages of the topic are still accepted. So the least important topics are dropped
// first, commands last. What the main thread adds (/event, /session_info, /status, /dp, /alarm) has a ring of
// its own.
#define LOG_TOPIC_TABLE(X)                                                                                   \
  X(LOG_SESSION, "/session", "SessionRecord", log, 100)                                                      \
  X(LOG_COMMAND, "/command", "CommandUsed", log, 100)                                                        \
  X(LOG_ORDER, "/operator", "OrderUsed", log, 100)                                                           \
  X(LOG_STATE_HASH, "/state_hash", "StateHash", log, 80)                                                     \
  X(LOG_SENSORS, "/sensors", "Sensors", telemetry, 68)                                                       \
  X(LOG_TRUTH, "/truth", "Truth", telemetry, 58)                                                             \
  X(LOG_NODES, "/nodes", "Nodes", telemetry, 50)                                                             \
  X(LOG_LEDGER, "/ledger", "Ledger", telemetry, 74)                                                          \
  X(LOG_TIMING, "/timing", "Timing", telemetry, 63)                                                          \
  X(LOG_EVENT, "/event", "Event", session, 100)                                                              \
  X(LOG_SESSION_INFO, "/session_info", "Session", telemetry, 90)                                             \
  X(LOG_STATUS, "/status", "Status", operator, 50)                                                           \
  X(LOG_DP, "/dp", "ControllerView", telemetry, 40)                                                          \
  X(LOG_ALARM, "/alarm", "Alarms", telemetry, 90)                                                            \
  X(LOG_END, "/end", "LogEnd", log, 100)                                                                     \
  X(LOG_CHAIN, "/chain", "ChainLink", log, 100)
#define X(id, topic, message, file, share) id,
enum log_topic { LOG_TOPIC_TABLE(X) LOG_TOPIC_COUNT };
#undef X

const char *log_topic_name(enum log_topic topic);      // "/command"
const char *log_topic_schema(enum log_topic topic);    // "sagbend.v1.CommandUsed"
int log_topic_share(enum log_topic topic) NONBLOCKING; // percent
enum log_topic log_topic_by_name(const char *name);    // "/truth" or "truth"; LOG_TOPIC_COUNT: none

const ProtobufCMessageDescriptor *log_descriptor(enum log_topic topic);

// The FileDescriptorSet that readers of the file need to decode the topic's messages.
const void *log_topic_schema_data(enum log_topic topic, size_t *size);
