#include "io/codec/wire_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static enum wire_result malformed(struct wire_complaint *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum wire_result malformed(struct wire_complaint *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(c->text, sizeof c->text, format, args);
  va_end(args);
  return WIRE_MALFORMED;
}

static enum wire_result check_text(const char *text, struct wire_complaint *c) {
  size_t length = text ? strlen(text) : 0;
  for (size_t i = 0; i < length && i < WIRE_MAX_TEXT; i++)
    if (text[i] < 0x20 || text[i] > 0x7e)
      return malformed(c, "printable ASCII expected, got byte 0x%02x at character %zu",
                       (unsigned char)text[i], i + 1);
  return length > WIRE_MAX_TEXT
             ? malformed(c, "at most %d characters expected, got %zu", (int)WIRE_MAX_TEXT, length)
             : WIRE_OK;
}

static enum wire_result check_value(const ProtobufCFieldDescriptor *f, const void *at,
                                    struct wire_complaint *c) {
  enum wire_result result = WIRE_OK;
  switch (f->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    if (!isfinite(*(const double *)at)) {
      malformed(c, "a finite number expected, got %g", *(const double *)at);
      result = WIRE_NOT_FINITE;
    }
    break;
  case PROTOBUF_C_TYPE_ENUM: {
    int value = *(const int *)at;
    if (value == 0)
      result = malformed(c, "expected, but it is missing");
    else if (!protobuf_c_enum_descriptor_get_value(f->descriptor, value))
      result = malformed(c, "a known enumerator expected, got %d", value);
    break;
  }
  case PROTOBUF_C_TYPE_STRING:
    result = check_text(*(char *const *)at, c);
    break;
  case PROTOBUF_C_TYPE_MESSAGE: {
    const ProtobufCMessage *inner = *(ProtobufCMessage *const *)at;
    return inner ? wire_check(inner, c) : WIRE_OK;
  }
  default:
    break;
  }
  if (result != WIRE_OK)
    c->field = f->name;
  return result;
}

// Bytes from one item of a repeated field to the next.
static size_t stride(const ProtobufCFieldDescriptor *f) {
  return f->type == PROTOBUF_C_TYPE_DOUBLE ? sizeof(double)
         : f->type == PROTOBUF_C_TYPE_ENUM ? sizeof(int)
                                           : sizeof(void *);
}

static enum wire_result check_field(const char *message, const ProtobufCFieldDescriptor *f,
                                    struct wire_complaint *complaint) {
  const char *at = message + f->offset;
  if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
    return *(const uint32_t *)(message + f->quantifier_offset) == f->id ? check_value(f, at, complaint)
                                                                        : WIRE_OK;
  if (f->label != PROTOBUF_C_LABEL_REPEATED)
    return check_value(f, at, complaint);

  size_t count = *(const size_t *)(message + f->quantifier_offset);
  const char *items = *(char *const *)at;
  enum wire_result worst = WIRE_OK;
  for (size_t i = 0; i < count && worst != WIRE_MALFORMED; i++) {
    enum wire_result r = check_value(f, items + i * stride(f), complaint);
    if (r != WIRE_OK)
      worst = r;
  }
  return worst;
}

enum wire_result wire_check(const ProtobufCMessage *message, struct wire_complaint *complaint) {
  enum wire_result worst = WIRE_OK;
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    enum wire_result r = check_field((const char *)message, message->descriptor->fields + i, complaint);
    if (r == WIRE_MALFORMED)
      return r;
    if (r != WIRE_OK)
      worst = r;
  }
  return worst;
}

void wire_clean_text(char *out, size_t size, const char *in) {
  size_t n = 0;
  for (; in[n] && n + 1 < size; n++)
    out[n] = in[n] >= 0x20 && in[n] <= 0x7e ? in[n] : '?';
  out[n] = 0;
}
