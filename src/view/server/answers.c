#include "view/server/answers.h"

#include <cjson/cJSON.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static struct parcel *parcel_of(cJSON *object) {
  char *text = object ? cJSON_PrintUnformatted(object) : NULL;
  struct parcel *parcel = text ? parcel_create_json(text) : NULL;
  cJSON_free(text);
  cJSON_Delete(object);
  return parcel;
}

struct parcel *answer_server_info(const char *name, const char *session, int is_log) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "serverInfo");
  cJSON_AddStringToObject(object, "name", name);
  cJSON *list = cJSON_AddArrayToObject(object, "capabilities");
  cJSON_AddItemToArray(list, cJSON_CreateString("time"));
  cJSON *metadata = cJSON_AddObjectToObject(object, "metadata");
  cJSON_AddStringToObject(metadata, "sagbend", is_log ? "log" : "live");
  cJSON_AddStringToObject(metadata, "page", "1");
  cJSON_AddStringToObject(metadata, "protocol", "1");
  cJSON_AddStringToObject(object, "sessionId", session);
  return parcel_of(object);
}

static int add_schema(cJSON *channel, const struct view_channel *c) {
  size_t size = sodium_base64_ENCODED_LEN(c->schema_size, sodium_base64_VARIANT_ORIGINAL);
  char *text = malloc(size);
  if (!text)
    return 0;
  sodium_bin2base64(text, size, c->schema, c->schema_size, sodium_base64_VARIANT_ORIGINAL);
  cJSON_AddStringToObject(channel, "schema", text);
  free(text);
  return 1;
}

struct parcel *answer_advertise(const struct view_channel *channels, int count) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "advertise");
  cJSON *list = cJSON_AddArrayToObject(object, "channels");
  for (int i = 0; i < count; i++) {
    cJSON *channel = cJSON_CreateObject();
    cJSON_AddNumberToObject(channel, "id", i + 1);
    cJSON_AddStringToObject(channel, "topic", channels[i].topic);
    cJSON_AddStringToObject(channel, "encoding", "protobuf");
    cJSON_AddStringToObject(channel, "schemaName", channels[i].schema_name);
    if (!add_schema(channel, &channels[i])) {
      cJSON_Delete(channel);
      cJSON_Delete(object);
      return NULL;
    }
    cJSON_AddStringToObject(channel, "schemaEncoding", "protobuf");
    cJSON_AddItemToArray(list, channel);
  }
  return parcel_of(object);
}

struct parcel *answer_status(enum answer_level level, const char *text, const char *id) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "status");
  cJSON_AddNumberToObject(object, "level", level);
  cJSON_AddStringToObject(object, "message", text);
  if (id)
    cJSON_AddStringToObject(object, "id", id);
  return parcel_of(object);
}

static void pack(uint8_t *out, uint64_t value, int count) { // little endian
  for (int i = 0; i < count; i++)
    out[i] = (uint8_t)(value >> (8 * i));
}

void answer_pack_message_head(uint8_t out[ANSWER_MESSAGE_HEAD], uint32_t subscription, uint64_t time_ns) {
  out[0] = 1;
  pack(out + 1, subscription, 4);
  pack(out + 5, time_ns, 8);
}

void answer_pack_time(uint8_t out[ANSWER_TIME], uint64_t time_ns) {
  out[0] = 2;
  pack(out + 1, time_ns, 8);
}
