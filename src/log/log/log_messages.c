// Unpacking messages, and printing them as JSON.
#include "log/log/log_messages.h"

#include "sagbend/base/shown_text.h"

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

const char *log_value_text(const ProtobufCFieldDescriptor *field, const struct message_value *value,
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

ProtobufCMessage *log_unpack(const struct mcap_message *message, struct reason *why) {
  enum log_topic topic = log_topic_of(message->channel);
  if (topic == LOG_TOPIC_COUNT) {
    fail(why, STATUS_BAD_INPUT, "topic %.64s: not a topic of a Sagbend log", message->channel->topic);
    return NULL;
  }
  ProtobufCMessage *unpacked =
      protobuf_c_message_unpack(log_descriptor(topic), NULL, message->size, message->data);
  if (!unpacked)
    fail(why, STATUS_BAD_INPUT, "topic %s: not a valid message of type %s", log_topic_name(topic),
         log_topic_schema(topic));
  return unpacked;
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
