// Unpacking messages, and printing them as JSON.
#include "log/log/log.h"

#include "net/messages/messages.h"
#include "sagbend/base/base.h"
#include "sagbend/v1/log.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The shortest text that reads back as the same number.
static void print_double(double number, char *out, size_t size) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, number);
    if (strtod(out, NULL) == number)
      return;
  }
}

// Private to the room: a value of a field, which is no message, as text: in buffer or in the message.
// *quoted: JSON needs quotes around it.
static const char *log_value_text(const ProtobufCFieldDescriptor *field, const struct message_value *value,
                                  char buffer[LOG_NUMBER_SIZE], int *quoted) {
  const ProtobufCEnumValue *name;
  *quoted = 0;
  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    print_double(value->number, buffer, LOG_NUMBER_SIZE);
    break;
  case PROTOBUF_C_TYPE_FIXED64:
    *quoted = 1;
    snprintf(buffer, LOG_NUMBER_SIZE, "%016" PRIx64, value->count);
    break;
  case PROTOBUF_C_TYPE_BOOL:
    return value->count ? "true" : "false";
  case PROTOBUF_C_TYPE_ENUM:
    name = protobuf_c_enum_descriptor_get_value(field->descriptor, (int)value->count);
    *quoted = name != NULL;
    snprintf(buffer, LOG_NUMBER_SIZE, "%d", (int)value->count);
    return name ? name->name : buffer;
  case PROTOBUF_C_TYPE_STRING:
    *quoted = 1;
    return value->text ? value->text : "";
  case PROTOBUF_C_TYPE_BYTES:
    *quoted = 1;
    snprintf(buffer, LOG_NUMBER_SIZE, "%" PRIu64 " bytes", value->count);
    break;
  default:
    snprintf(buffer, LOG_NUMBER_SIZE, "%" PRIu64, value->count);
  }
  return buffer;
}

enum log_topic log_topic_of(const struct mcap_channel *channel) {
  enum log_topic topic = *channel->topic == '/' ? log_topic_by_name(channel->topic) : LOG_TOPIC_COUNT;
  int matches =
      topic < LOG_TOPIC_COUNT && channel->schema && !strcmp(channel->schema->name, log_topic_schema(topic)) &&
      !strcmp(channel->schema->encoding, "protobuf") && !strcmp(channel->message_encoding, "protobuf");
  return matches ? topic : LOG_TOPIC_COUNT;
}

enum status log_unpack(const struct mcap_message *message, ProtobufCMessage **out, struct reason *why) {
  enum log_topic topic = log_topic_of(message->channel);
  *out = NULL;
  if (topic == LOG_TOPIC_COUNT)
    return fail(why, STATUS_BAD_INPUT, "topic %.64s: not a topic of a Sagbend log", message->channel->topic);
  int is_no_memory;
  *out = wire_unpack_any(log_descriptor(topic), message->data, message->size, &is_no_memory);
  if (is_no_memory)
    return fail(why, STATUS_NO_MEMORY, "topic %s: out of memory for a message of %zu bytes",
                log_topic_name(topic), message->size);
  if (!*out)
    return fail(why, STATUS_BAD_INPUT, "topic %s: not a valid message of type %s", log_topic_name(topic),
                log_topic_schema(topic));
  return STATUS_OK;
}

void log_free(ProtobufCMessage *message) {
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
}

static void print_quoted(FILE *out, const char *text) {
  fputc('"', out);
  while (*text) {
    char piece[SHOWN_PIECE];
    unsigned char c = (unsigned char)*text;
    if (c >= 0x7f) {
      text_show_next_json(&text, piece);
      fputs(piece, out);
      continue;
    }
    text++;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c == '\n')
      fputs("\\n", out);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void print_value(FILE *out, const ProtobufCFieldDescriptor *field, const struct message_value *value) {
  if (value->kind == VALUE_MESSAGE) {
    log_print_json(out, value->message);
    return;
  }
  char buffer[LOG_NUMBER_SIZE];
  int quoted;
  const char *text = log_value_text(field, value, buffer, &quoted);
  int is_not_finite = field->type == PROTOBUF_C_TYPE_DOUBLE && strpbrk(text, "ni"); // nan, inf
  if (quoted)
    print_quoted(out, text);
  else
    fputs(is_not_finite ? "null" : text, out);
}

void log_print_json(FILE *out, const ProtobufCMessage *message) {
  const char *separator = "{";
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    int is_list = field->label == PROTOBUF_C_LABEL_REPEATED;
    size_t count = message_item_count(message, field);
    if (!count && !is_list)
      continue;
    fprintf(out, "%s\"%s\":%s", separator, field->name, is_list ? "[" : "");
    separator = ",";
    for (size_t k = 0; k < count; k++) {
      struct message_value value;
      if (k)
        fputc(',', out);
      message_item(message, field, k, &value);
      print_value(out, field, &value);
    }
    if (is_list)
      fputc(']', out);
  }
  fputs(*separator == '{' ? "{}" : "}", out);
}

// ------------------------------------------------------------
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

struct nearest_hint log_topic_hint(const char *name) {
  struct nearest nearest = nearest_to(name + (*name == '/'));
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    nearest_try(&nearest, TOPICS[t].name + 1);
  return nearest_hint(&nearest);
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

// ------------------------------------------------------------
// Fields of a message by their paths.

enum { PATH_SIZE = 256, DEEPEST = 8 };

static void visit_fields(const ProtobufCMessage *message, const char *prefix,
                         void (*visit)(void *context, const char *path, const char *value), void *context) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    size_t count = message_item_count(message, field);
    for (size_t k = 0; k < count; k++) {
      char path[PATH_SIZE], buffer[LOG_NUMBER_SIZE];
      struct message_value value;
      int quoted, used = snprintf(path, sizeof path, "%s%s", prefix, field->name);
      message_item(message, field, k, &value);
      if (field->label == PROTOBUF_C_LABEL_REPEATED)
        snprintf(path + used, sizeof path - (size_t)used, "[%zu]", k);
      if (value.kind == VALUE_MESSAGE) {
        strncat(path, ".", sizeof path - strlen(path) - 1);
        visit_fields(value.message, path, visit, context);
      } else {
        visit(context, path, log_value_text(field, &value, buffer, &quoted));
      }
    }
  }
}

void log_each_field(const ProtobufCMessage *message,
                    void (*visit)(void *context, const char *path, const char *value), void *context) {
  visit_fields(message, "", visit, context);
}

// The field that a path begins with, its index ("[3]", otherwise 0) and the rest of the path behind it; NULL:
// there is no such field.
static const ProtobufCFieldDescriptor *first_field(const ProtobufCMessageDescriptor *type, const char *path,
                                                   size_t *index, const char **rest) {
  size_t length = strcspn(path, ".[");
  const char *end = path + length;
  char name[LOG_NUMBER_SIZE];
  *index = 0;
  if (length >= sizeof name)
    return NULL;
  memcpy(name, path, length);
  name[length] = 0;

  const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(type, name);
  int is_list = field && field->label == PROTOBUF_C_LABEL_REPEATED;
  if (!field || is_list != (*end == '['))
    return NULL;
  if (is_list) {
    char *after;
    if (end[1] < '0' || end[1] > '9')
      return NULL;
    *index = strtoul(end + 1, &after, 10);
    if (*after != ']')
      return NULL;
    end = after + 1;
  }
  if (*end && *end != '.')
    return NULL;

  *rest = *end ? end + 1 : end;
  return (field->type == PROTOBUF_C_TYPE_MESSAGE) == (**rest != 0) ? field : NULL;
}

int log_path_is_valid(const ProtobufCMessageDescriptor *type, const char *path) {
  while (*path) {
    size_t index;
    const ProtobufCFieldDescriptor *field = first_field(type, path, &index, &path);
    if (!field)
      return 0;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
      return 1;
    type = field->descriptor;
  }
  return 0;
}

const char *log_field(const ProtobufCMessage *message, const char *path, char buffer[LOG_NUMBER_SIZE]) {
  for (;;) {
    size_t index = 0;
    const ProtobufCFieldDescriptor *field = first_field(message->descriptor, path, &index, &path);
    struct message_value value;
    int quoted;
    if (!field || index >= message_item_count(message, field))
      return NULL;
    message_item(message, field, index, &value);
    if (value.kind != VALUE_MESSAGE)
      return log_value_text(field, &value, buffer, &quoted);
    message = value.message;
  }
}

static void add_paths(const ProtobufCMessageDescriptor *type, const char *prefix, int depth, char *out,
                      size_t size) {
  for (unsigned i = 0; i < type->n_fields && depth < DEEPEST; i++) {
    const ProtobufCFieldDescriptor *field = &type->fields[i];
    int is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
    char path[PATH_SIZE];
    size_t used = strlen(out);
    int length = snprintf(path, sizeof path, "%s%s%s", prefix, field->name, is_message ? "." : "");
    if (field->label == PROTOBUF_C_LABEL_REPEATED || length >= PATH_SIZE)
      continue;
    if (is_message)
      add_paths(field->descriptor, path, depth + 1, out, size);
    else
      snprintf(out + used, size - used, "%s%s", used ? "," : "", path);
  }
}

void log_paths(const ProtobufCMessageDescriptor *type, char *out, size_t size) {
  *out = 0;
  add_paths(type, "", 0, out, size);
}
