#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include "sagbend/rig/rig.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
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
      result = malformed(error, "a value expected, got nothing");
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

// ------------------------------------------------------------
// Output quantities in messages: the fields that the rows of sagbend/rig/quantities.inc name. A row whose
// field does not exist, or has a type that cannot hold it, does not compile.

struct no_message {
  double none; // the field of rows that no message contains
};

// The type of each message of enum quantity_message.
#define TYPE_NONE                                struct no_message
#define TYPE_TRUTH                               Sagbend__V1__Truth
#define TYPE_TRUTH_APPLIED_WRENCH                Sagbend__V1__BodyWrench
#define TYPE_TRUTH_THRUSTER_WRENCH               Sagbend__V1__BodyWrench
#define TYPE_TRUTH_PIPE                          Sagbend__V1__PipeTruth
#define TYPE_TRUTH_PIPE_TOUCHDOWN                Sagbend__V1__TouchdownForces
#define TYPE_TRUTH_CHECK_GOVERNING               Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_LOAD_CONTROLLED         Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_DISPLACEMENT_CONTROLLED Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_STRAIN                  Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_STRESS                  Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_COLLAPSE                Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_YIELD                   Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_BURST                   Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK_PROPAGATION             Sagbend__V1__Utilisation
#define TYPE_TRUTH_CHECK                         Sagbend__V1__CodeCheck
#define TYPE_TRUTH_STINGER                       Sagbend__V1__Stinger
#define TYPE_TRUTH_SOIL                          Sagbend__V1__Soil
#define TYPE_TRUTH_FATIGUE                       Sagbend__V1__Fatigue
#define TYPE_TRUTH_WEATHER                       Sagbend__V1__Weather
#define TYPE_TRUTH_CURRENT                       Sagbend__V1__Current
#define TYPE_TRUTH_POWER_PLANT                   Sagbend__V1__PowerPlant
#define TYPE_TRUTH_ROUTE                         Sagbend__V1__RoutePosition
#define TYPE_SENSORS                             Sagbend__V1__Sensors
#define TYPE_SENSORS_PIPE                        Sagbend__V1__PipeSensors
#define TYPE_SENSORS_PIPE_TOUCHDOWN              Sagbend__V1__Touchdown
#define TYPE_LEDGER                              Sagbend__V1__Ledger
#define TYPE_LEDGER_LINK                         Sagbend__V1__LinkEnergy
#define TYPE_TIMING                              Sagbend__V1__Timing

enum number_type { NUMBER_DOUBLE, NUMBER_UINT32, NUMBER_UINT64 };
#define NUMBER_TYPE(type, field)                                                                             \
  _Generic(((type *)NULL)->field, double: NUMBER_DOUBLE, uint32_t: NUMBER_UINT32, uint64_t: NUMBER_UINT64)

static const struct {
  enum quantity_message message;
  size_t offset; // of the field in it
  enum number_type type;
} FIELDS[QUANTITY_COUNT] = {
#define QUANTITY(id, name, unit, group, message, field, value, meaning)                                      \
  {MESSAGE_##message, offsetof(TYPE_##message, field), NUMBER_TYPE(TYPE_##message, field)},
#include "sagbend/rig/quantities.inc"
};

void wire_fill_quantities(void *part, enum quantity_message message, const struct loop_view *view) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    if (FIELDS[q].message != message)
      continue;
    double value = quantity_value((enum quantity)q, view);
    uint64_t whole = FIELDS[q].type == NUMBER_DOUBLE ? 0 : (uint64_t)value;
    uint32_t short_whole = (uint32_t)whole;
    char *field = (char *)part + FIELDS[q].offset;
    switch (FIELDS[q].type) {
    case NUMBER_DOUBLE:
      memcpy(field, &value, sizeof value);
      break;
    case NUMBER_UINT32:
      memcpy(field, &short_whole, sizeof short_whole);
      break;
    case NUMBER_UINT64:
      memcpy(field, &whole, sizeof whole);
      break;
    }
  }
}

void wire_read_quantities(const void *part, enum quantity_message message, double values[QUANTITY_COUNT]) {
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    if (FIELDS[q].message != message)
      continue;
    const char *field = part ? (const char *)part + FIELDS[q].offset : NULL;
    uint64_t whole = 0;
    uint32_t short_whole = 0;
    values[q] = NAN;
    if (!field)
      continue;
    switch (FIELDS[q].type) {
    case NUMBER_DOUBLE:
      memcpy(&values[q], field, sizeof values[q]);
      break;
    case NUMBER_UINT32:
      memcpy(&short_whole, field, sizeof short_whole);
      values[q] = short_whole;
      break;
    case NUMBER_UINT64:
      memcpy(&whole, field, sizeof whole);
      values[q] = (double)whole;
      break;
    }
  }
}
