#include "io/wire_check.h"

#include <math.h>
#include <stdint.h>

static int text_ok(const char *text) {
  size_t n = 0;
  for (; text && text[n]; n++)
    if (n == WIRE_MAX_TEXT || text[n] < 0x20 || text[n] > 0x7e)
      return 0;
  return 1;
}

static enum wire_result check_value(const ProtobufCFieldDescriptor *f, const void *at, const char **field) {
  enum wire_result result = WIRE_OK;
  switch (f->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    if (!isfinite(*(const double *)at))
      result = WIRE_NOT_FINITE;
    break;
  case PROTOBUF_C_TYPE_ENUM: {
    int value = *(const int *)at;
    if (value == 0 || !protobuf_c_enum_descriptor_get_value(f->descriptor, value))
      result = WIRE_MALFORMED;
    break;
  }
  case PROTOBUF_C_TYPE_STRING:
    if (!text_ok(*(char *const *)at))
      result = WIRE_MALFORMED;
    break;
  case PROTOBUF_C_TYPE_MESSAGE: {
    const ProtobufCMessage *inner = *(ProtobufCMessage *const *)at;
    return inner ? wire_check(inner, field) : WIRE_OK;
  }
  default:
    break;
  }
  if (result != WIRE_OK)
    *field = f->name;
  return result;
}

// Bytes from one item of a repeated field to the next.
static size_t stride(const ProtobufCFieldDescriptor *f) {
  return f->type == PROTOBUF_C_TYPE_DOUBLE ? sizeof(double)
         : f->type == PROTOBUF_C_TYPE_ENUM ? sizeof(int)
                                           : sizeof(void *);
}

static enum wire_result check_field(const char *message, const ProtobufCFieldDescriptor *f,
                                    const char **field) {
  const char *at = message + f->offset;
  if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
    return *(const uint32_t *)(message + f->quantifier_offset) == f->id ? check_value(f, at, field) : WIRE_OK;
  if (f->label != PROTOBUF_C_LABEL_REPEATED)
    return check_value(f, at, field);

  size_t count = *(const size_t *)(message + f->quantifier_offset);
  const char *items = *(char *const *)at;
  enum wire_result worst = WIRE_OK;
  for (size_t i = 0; i < count && worst != WIRE_MALFORMED; i++) {
    enum wire_result r = check_value(f, items + i * stride(f), field);
    if (r != WIRE_OK)
      worst = r;
  }
  return worst;
}

enum wire_result wire_check(const ProtobufCMessage *message, const char **field) {
  enum wire_result worst = WIRE_OK;
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    enum wire_result r = check_field((const char *)message, message->descriptor->fields + i, field);
    if (r == WIRE_MALFORMED)
      return r;
    if (r != WIRE_OK)
      worst = r;
  }
  return worst;
}
