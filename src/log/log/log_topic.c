#include "log/log/log_topic.h"

#include "sagbend/v1/log.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <string.h>

extern const unsigned char wire_descriptor_session[], wire_descriptor_telemetry[], wire_descriptor_operator[],
    wire_descriptor_log[];
extern const size_t wire_descriptor_session_size, wire_descriptor_telemetry_size,
    wire_descriptor_operator_size, wire_descriptor_log_size;

static const struct topic {
  const char *name, *schema;
  const unsigned char *schema_data;
  const size_t *schema_size;
  int share;
  enum log_topic_kind kind;
} TOPICS[] = {
#define X(id, topic, message, file, share, kind)                                                             \
  {topic, "sagbend.v1." message, wire_descriptor_##file, &wire_descriptor_##file##_size, share, kind},
    LOG_TOPIC_TABLE(X)
#undef X
};

const char *log_topic_name(enum log_topic topic) {
  return (unsigned)topic < LOG_TOPIC_COUNT ? TOPICS[topic].name : "unknown";
}

const char *log_topic_schema(enum log_topic topic) {
  return (unsigned)topic < LOG_TOPIC_COUNT ? TOPICS[topic].schema : "unknown";
}

int log_topic_share(enum log_topic topic) {
  return TOPICS[topic].share;
}

enum log_topic_kind log_topic_kind(enum log_topic topic) {
  return (unsigned)topic < LOG_TOPIC_COUNT ? TOPICS[topic].kind : TOPIC_RECORDED;
}

enum log_topic log_topic_by_name(const char *name) {
  int t = 0;
  while (t < LOG_TOPIC_COUNT && strcmp(TOPICS[t].name + (*name != '/'), name) != 0)
    t++;
  return (enum log_topic)t;
}

const void *log_topic_schema_data(enum log_topic topic, size_t *size) {
  *size = *TOPICS[topic].schema_size;
  return TOPICS[topic].schema_data;
}

const ProtobufCMessageDescriptor *log_descriptor(enum log_topic topic) {
  static const ProtobufCMessageDescriptor *const descriptors[] = {
      [LOG_SESSION] = &sagbend__v1__session_record__descriptor,
      [LOG_COMMAND] = &sagbend__v1__command_used__descriptor,
      [LOG_ORDER] = &sagbend__v1__order_used__descriptor,
      [LOG_STATE_HASH] = &sagbend__v1__state_hash__descriptor,
      [LOG_SENSORS] = &sagbend__v1__sensors__descriptor,
      [LOG_TRUTH] = &sagbend__v1__truth__descriptor,
      [LOG_NODES] = &sagbend__v1__nodes__descriptor,
      [LOG_LEDGER] = &sagbend__v1__ledger__descriptor,
      [LOG_TIMING] = &sagbend__v1__timing__descriptor,
      [LOG_EVENT] = &sagbend__v1__event__descriptor,
      [LOG_SESSION_INFO] = &sagbend__v1__session__descriptor,
      [LOG_STATUS] = &sagbend__v1__status__descriptor,
      [LOG_DP] = &sagbend__v1__controller_view__descriptor,
      [LOG_ALARM] = &sagbend__v1__alarms__descriptor,
      [LOG_END] = &sagbend__v1__log_end__descriptor,
      [LOG_CHAIN] = &sagbend__v1__chain_link__descriptor,
  };
  return (unsigned)topic < LOG_TOPIC_COUNT ? descriptors[topic] : NULL;
}
