// Checks of a message by its descriptor, its values, and the message as JSON.
#include "net/fields/fields.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
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
// Values by their paths.

size_t message_item_count(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
  const char *at = (const char *)message;
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    return *(const size_t *)(const void *)(at + field->quantifier_offset);
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
      *(const uint32_t *)(const void *)(at + field->quantifier_offset) != field->id)
    return 0;
  return field->type != PROTOBUF_C_TYPE_MESSAGE ||
         *(const ProtobufCMessage *const *)(const void *)(at + field->offset) != NULL;
}

// RUN_MODE_REALTIME of RunMode is "realtime".
static void read_enumerator(const ProtobufCEnumDescriptor *type, int number, struct message_value *out) {
  const ProtobufCEnumValue *value = number ? protobuf_c_enum_descriptor_get_value(type, number) : NULL;
  if (!value)
    return;
  const char *name = value->name;
  for (const char *letter = type->short_name; *letter; letter++) {
    name += letter != type->short_name && isupper((unsigned char)*letter); // the line before a further word
    name++;
  }
  size_t used = 0;
  for (name++; *name && used + 1 < sizeof out->word; name++)
    out->word[used++] = (char)tolower((unsigned char)*name);
  out->word[used] = '\0';
  out->kind = VALUE_TEXT;
  out->text = out->word;
}

static void set_count(struct message_value *out, enum value_kind kind, uint64_t count) {
  out->kind = kind;
  out->count = count;
  out->number = (double)count;
}

void message_item(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, size_t i,
                  struct message_value *out) {
  const void *at = (const char *)message + field->offset;
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    at = *(const void *const *)at;
  *out = (struct message_value){.kind = VALUE_NONE};
  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    out->kind = VALUE_NUMBER;
    out->number = ((const double *)at)[i];
    break;
  case PROTOBUF_C_TYPE_UINT32:
    set_count(out, VALUE_COUNT, ((const uint32_t *)at)[i]);
    break;
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_FIXED64:
    set_count(out, VALUE_COUNT, ((const uint64_t *)at)[i]);
    break;
  case PROTOBUF_C_TYPE_BOOL:
    set_count(out, VALUE_FLAG, ((const protobuf_c_boolean *)at)[i] != 0);
    break;
  case PROTOBUF_C_TYPE_STRING:
    out->kind = VALUE_TEXT;
    out->text = ((const char *const *)at)[i];
    break;
  case PROTOBUF_C_TYPE_ENUM:
    out->count = ((const uint32_t *)at)[i];
    read_enumerator(field->descriptor, (int)out->count, out);
    break;
  case PROTOBUF_C_TYPE_BYTES:
    out->count = ((const ProtobufCBinaryData *)at)[i].len;
    break;
  case PROTOBUF_C_TYPE_MESSAGE:
    out->message = ((const ProtobufCMessage *const *)at)[i];
    out->kind = out->message ? VALUE_MESSAGE : VALUE_NONE;
    break;
  default:
    break; // the protocol has no other types
  }
}

// The field of the first name of a path. rest: the path after it.
static const ProtobufCFieldDescriptor *first_field(const ProtobufCMessageDescriptor *type, const char *path,
                                                   const char **rest) {
  char name[64];
  size_t size = strcspn(path, ".");
  if (size >= sizeof name)
    return NULL;
  memcpy(name, path, size);
  name[size] = '\0';
  *rest = path + size + (path[size] == '.');
  return protobuf_c_message_descriptor_get_field_by_name(type, name);
}

const ProtobufCFieldDescriptor *message_field(const ProtobufCMessageDescriptor *type, const char *path) {
  const ProtobufCFieldDescriptor *field = first_field(type, path, &path);
  while (field && *path)
    field = field->type == PROTOBUF_C_TYPE_MESSAGE ? first_field(field->descriptor, path, &path) : NULL;
  return field;
}

void message_find(const ProtobufCMessage *message, const char *path, struct message_value *out) {
  *out = (struct message_value){.kind = VALUE_MESSAGE, .message = message};
  while (*path && out->kind == VALUE_MESSAGE) {
    const ProtobufCFieldDescriptor *field = first_field(out->message->descriptor, path, &path);
    if (field && message_item_count(out->message, field))
      message_item(out->message, field, 0, out);
    else
      *out = (struct message_value){.kind = VALUE_NONE};
  }
}

// ------------------------------------------------------------
// JSON.

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

// Numbers whose 0 means that there is none (proto/sagbend/v1).
static const char *const NONE_AT_ZERO[][2] = {{"Status", "rate"},
                                              {"Status", "duration_s"},
                                              {"Track", "speed_mps"},
                                              {"LogStatus", "replayable_to_step"}};

static int is_none(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                   const struct message_value *value) {
  if (value->kind == VALUE_TEXT)
    return !*value->text;
  for (size_t i = 0; i < sizeof NONE_AT_ZERO / sizeof *NONE_AT_ZERO; i++)
    if (!strcmp(message->descriptor->short_name, NONE_AT_ZERO[i][0]) &&
        !strcmp(field->name, NONE_AT_ZERO[i][1]))
      return value->number == 0;
  return value->kind == VALUE_NONE;
}

static cJSON *json_of(const struct message_value *value, double factor) {
  cJSON *object;
  switch (value->kind) {
  case VALUE_NUMBER:
  case VALUE_COUNT:
    return cJSON_CreateNumber(factor * value->number);
  case VALUE_FLAG:
    return cJSON_CreateBool(value->count != 0);
  case VALUE_TEXT:
    return cJSON_CreateString(value->text);
  case VALUE_MESSAGE:
    object = cJSON_CreateObject();
    json_add_message(object, value->message, NULL);
    return object;
  default:
    return cJSON_CreateNull();
  }
}

// The name of a field as a key, and the factor of its numbers.
static double key_of(const ProtobufCFieldDescriptor *field, char *key, size_t size) {
  static const char *const angles[][2] = {{"_rad", "_deg"}, {"_radps", "_degps"}};
  size_t length = strlen(field->name);
  snprintf(key, size, "%s", field->name);
  for (size_t i = 0; i < 2; i++) {
    size_t end = strlen(angles[i][0]);
    if (length <= end || strcmp(field->name + length - end, angles[i][0]) != 0)
      continue;
    snprintf(key, size, "%.*s%s", (int)(length - end), field->name, angles[i][1]);
    return DEG_PER_RAD;
  }
  return 1;
}

static void add_field(cJSON *to, const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
  char key[64];
  struct message_value value = {.kind = VALUE_NONE};
  size_t count = message_item_count(message, field);
  double factor = key_of(field, key, sizeof key);
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < count; i++) {
      message_item(message, field, i, &value);
      cJSON_AddItemToArray(list, json_of(&value, factor));
    }
    return;
  }
  if (count)
    message_item(message, field, 0, &value);
  cJSON_AddItemToObject(to, key,
                        is_none(message, field, &value) ? cJSON_CreateNull() : json_of(&value, factor));
}

void json_add_message(cJSON *to, const ProtobufCMessage *message, const char *const *left_out) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = message->descriptor->fields + i;
    const char *const *out = left_out;
    while (out && *out && strcmp(*out, field->name) != 0)
      out++;
    if (!out || !*out)
      add_field(to, message, field);
  }
}
