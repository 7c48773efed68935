// The topics of a session log.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

// Identifier, topic, message type, the .proto file that declares it, and how full (percent) the ring before
// the log may be while messages of the topic are still accepted. So the least important topics are dropped
// first, commands last. What the main thread adds (/event, /session_info, /status, /dp, /alarm) has a ring of
// its own. Last, what a replay makes of it (enum log_topic_kind).
#define LOG_TOPIC_TABLE(X)                                                                                   \
  X(LOG_SESSION, "/session", "SessionRecord", log, 100, TOPIC_RECORDED)                                      \
  X(LOG_COMMAND, "/command", "CommandUsed", log, 100, TOPIC_RECORDED)                                        \
  X(LOG_ORDER, "/operator", "OrderUsed", log, 100, TOPIC_RECORDED)                                           \
  X(LOG_STATE_HASH, "/state_hash", "StateHash", log, 80, TOPIC_COMPUTED)                                     \
  X(LOG_SENSORS, "/sensors", "Sensors", telemetry, 68, TOPIC_COMPUTED)                                       \
  X(LOG_TRUTH, "/truth", "Truth", telemetry, 58, TOPIC_COMPUTED)                                             \
  X(LOG_NODES, "/nodes", "Nodes", telemetry, 50, TOPIC_COMPUTED)                                             \
  X(LOG_LEDGER, "/ledger", "Ledger", telemetry, 74, TOPIC_COMPUTED)                                          \
  X(LOG_TIMING, "/timing", "Timing", telemetry, 63, TOPIC_TIMED)                                             \
  X(LOG_EVENT, "/event", "Event", session, 100, TOPIC_RECORDED)                                              \
  X(LOG_SESSION_INFO, "/session_info", "Session", telemetry, 90, TOPIC_SHOWN)                                \
  X(LOG_STATUS, "/status", "Status", operator, 50, TOPIC_SHOWN)                                              \
  X(LOG_DP, "/dp", "ControllerView", telemetry, 40, TOPIC_SHOWN)                                             \
  X(LOG_ALARM, "/alarm", "Alarms", telemetry, 90, TOPIC_SHOWN)                                               \
  X(LOG_END, "/end", "LogEnd", log, 100, TOPIC_RECORDED)                                                     \
  X(LOG_CHAIN, "/chain", "ChainLink", log, 100, TOPIC_RECORDED)
#define X(id, topic, message, file, share, kind) id,
enum log_topic { LOG_TOPIC_TABLE(X) LOG_TOPIC_COUNT };
#undef X

// Only a replay's own result of a topic that it computes can be compared with the log; topics of a fixed
// period are those that it computes and those of the clock.
enum log_topic_kind {
  TOPIC_RECORDED, // what came from outside, or happened once
  TOPIC_COMPUTED, // follows from the state, at a fixed period
  TOPIC_TIMED,    // tells of the clock, at a fixed period
  TOPIC_SHOWN,    // for views: numbered by the main thread as it sends them
};
enum log_topic_kind log_topic_kind(enum log_topic topic); // LOG_TOPIC_COUNT: TOPIC_RECORDED

const char *log_topic_name(enum log_topic topic);      // "/command"
const char *log_topic_schema(enum log_topic topic);    // "sagbend.v1.CommandUsed"
int log_topic_share(enum log_topic topic) NONBLOCKING; // percent
enum log_topic log_topic_by_name(const char *name);    // "/truth" or "truth"; LOG_TOPIC_COUNT: none

const ProtobufCMessageDescriptor *log_descriptor(enum log_topic topic);

// The FileDescriptorSet that readers of the file need to decode the topic's messages.
const void *log_topic_schema_data(enum log_topic topic, size_t *size);
