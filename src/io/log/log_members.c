#include "io/log/log_members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_SINT64:
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_DOUBLE:
    return 8;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_MESSAGE:
    return sizeof(void *);
  case PROTOBUF_C_TYPE_BYTES:
    return sizeof(ProtobufCBinaryData);
  default:
    return 4;
  }
}

struct log_member log_member_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
  const uint8_t *base = (const uint8_t *)message;
  struct log_member member = {field, base + field->offset, 1};
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    memcpy(&member.count, base + field->quantifier_offset, sizeof member.count);
    memcpy(&member.values, base + field->offset, sizeof member.values);
  } else if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
    uint32_t which;
    memcpy(&which, base + field->quantifier_offset, sizeof which);
    member.count = which == field->id;
  } else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
    const void *child;
    memcpy(&child, member.values, sizeof child);
    member.count = child != NULL;
  }
  return member;
}

int log_member_is_list(const struct log_member *member) {
  return member->field->label == PROTOBUF_C_LABEL_REPEATED;
}

int log_member_is_message(const struct log_member *member) {
  return member->field->type == PROTOBUF_C_TYPE_MESSAGE;
}

static const void *value_at(const struct log_member *member, size_t index) {
  return (const uint8_t *)member->values + index * size_of(member->field->type);
}

const ProtobufCMessage *log_member_message(const struct log_member *member, size_t index) {
  const ProtobufCMessage *message;
  memcpy(&message, value_at(member, index), sizeof message);
  return message;
}

// The shortest text that reads back as the same number.
static void print_double(double number, char *out, size_t size) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, number);
    if (strtod(out, NULL) == number)
      return;
  }
}

const char *log_member_text(const struct log_member *member, size_t index, char buffer[LOG_NUMBER_SIZE],
                            int *quoted) {
  const ProtobufCFieldDescriptor *field = member->field;
  const void *value = value_at(member, index);
  size_t size = size_of(field->type);
  uint64_t u64 = 0;
  uint32_t u32 = 0;
  double real;
  char *text;
  *quoted = 0;
  memcpy(size == 8 ? (void *)&u64 : (void *)&u32, value, size == 8 ? 8 : 4);

  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    memcpy(&real, value, sizeof real);
    print_double(real, buffer, LOG_NUMBER_SIZE);
    break;
  case PROTOBUF_C_TYPE_UINT64:
    snprintf(buffer, LOG_NUMBER_SIZE, "%" PRIu64, u64);
    break;
  case PROTOBUF_C_TYPE_FIXED64:
    *quoted = 1;
    snprintf(buffer, LOG_NUMBER_SIZE, "%016" PRIx64, u64);
    break;
  case PROTOBUF_C_TYPE_BOOL:
    return u32 ? "true" : "false";
  case PROTOBUF_C_TYPE_ENUM: {
    const ProtobufCEnumValue *name = protobuf_c_enum_descriptor_get_value(field->descriptor, (int)u32);
    *quoted = name != NULL;
    snprintf(buffer, LOG_NUMBER_SIZE, "%d", (int)u32);
    return name ? name->name : buffer;
  }
  case PROTOBUF_C_TYPE_STRING:
    *quoted = 1;
    memcpy(&text, value, sizeof text);
    return text ? text : "";
  case PROTOBUF_C_TYPE_BYTES: {
    ProtobufCBinaryData data;
    memcpy(&data, value, sizeof data);
    *quoted = 1;
    snprintf(buffer, LOG_NUMBER_SIZE, "%zu bytes", data.len);
    break;
  }
  default: // 32-bit integers; the protocol has unsigned ones only
    snprintf(buffer, LOG_NUMBER_SIZE, "%" PRIu32, u32);
  }
  return buffer;
}
