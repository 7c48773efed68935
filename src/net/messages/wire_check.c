#include "net/messages/wire_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static enum wire_result malformed(struct wire_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum wire_result malformed(struct wire_error *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return WIRE_MALFORMED;
}

static enum wire_result check_text(const char *text, struct wire_error *error) {
  size_t length = text ? strlen(text) : 0;
  for (size_t i = 0; i < length && i < WIRE_MAX_TEXT; i++)
    if (text[i] < 0x20 || text[i] > 0x7e)
      return malformed(error, "printable ASCII expected, got byte 0x%02x at character %zu",
                       (unsigned char)text[i], i + 1);
  return length > WIRE_MAX_TEXT
             ? malformed(error, "at most %d characters expected, got %zu", (int)WIRE_MAX_TEXT, length)
             : WIRE_OK;
}

static enum wire_result check_value(const ProtobufCFieldDescriptor *field, const void *at,
                                    struct wire_error *error) {
  enum wire_result result = WIRE_OK;
  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    if (!isfinite(*(const double *)at)) {
      malformed(error, "a finite number expected, got %g", *(const double *)at);
      result = WIRE_NOT_FINITE;
    }
    break;
  case PROTOBUF_C_TYPE_ENUM: {
    int value = *(const int *)at;
    if (value == 0)
      result = malformed(error, "expected, but it is missing");
    else if (!protobuf_c_enum_descriptor_get_value(field->descriptor, value))
      result = malformed(error, "a known enumerator expected, got %d", value);
    break;
  }
  case PROTOBUF_C_TYPE_STRING:
    result = check_text(*(char *const *)at, error);
    break;
  case PROTOBUF_C_TYPE_MESSAGE: {
    const ProtobufCMessage *inner = *(ProtobufCMessage *const *)at;
    return inner ? wire_check(inner, error) : WIRE_OK;
  }
  default:
    break;
  }
  if (result != WIRE_OK)
    error->field = field->name;
  return result;
}

// Bytes from one item of a repeated field to the next.
static size_t stride(const ProtobufCFieldDescriptor *field) {
  return field->type == PROTOBUF_C_TYPE_DOUBLE ? sizeof(double)
         : field->type == PROTOBUF_C_TYPE_ENUM ? sizeof(int)
                                               : sizeof(void *);
}

static enum wire_result check_field(const char *message, const ProtobufCFieldDescriptor *field,
                                    struct wire_error *error) {
  const char *at = message + field->offset;
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
    return *(const uint32_t *)(message + field->quantifier_offset) == field->id
               ? check_value(field, at, error)
               : WIRE_OK;
  if (field->label != PROTOBUF_C_LABEL_REPEATED)
    return check_value(field, at, error);

  size_t count = *(const size_t *)(message + field->quantifier_offset);
  const char *items = *(char *const *)at;
  enum wire_result worst = WIRE_OK;
  for (size_t i = 0; i < count && worst != WIRE_MALFORMED; i++) {
    enum wire_result result = check_value(field, items + i * stride(field), error);
    if (result != WIRE_OK)
      worst = result;
  }
  return worst;
}

enum wire_result wire_check(const ProtobufCMessage *message, struct wire_error *error) {
  enum wire_result worst = WIRE_OK;
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    enum wire_result result = check_field((const char *)message, message->descriptor->fields + i, error);
    if (result == WIRE_MALFORMED)
      return result;
    if (result != WIRE_OK)
      worst = result;
  }
  return worst;
}

void wire_clean_text(char *out, size_t size, const char *in) {
  size_t n = 0;
  for (; in[n] && n + 1 < size; n++)
    out[n] = in[n] >= 0x20 && in[n] <= 0x7e ? in[n] : '?';
  out[n] = 0;
}
