#include "net/messages/message_json.h"

#include "net/messages/message_value.h"

#include <stdio.h>
#include <string.h>

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

// Numbers whose 0 says that there is none (proto/sagbend/v1).
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
