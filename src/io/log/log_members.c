#include "io/log/log_members.h"

#include <inttypes.h>
#include <stdlib.h>

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
