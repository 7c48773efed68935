#include "view/server/operation.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static int take_id(const cJSON *value, uint32_t *out) {
  if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= UINT32_MAX) ||
      value->valuedouble != floor(value->valuedouble))
    return 0;
  *out = (uint32_t)value->valuedouble;
  return 1;
}

static enum operation_kind bad(struct reason *why, const char *text) {
  fail(why, STATUS_BAD_INPUT, "%s", text);
  return OPERATION_BAD;
}

static enum operation_kind read_subscribe(const cJSON *object, struct page_operation *out, struct reason *why) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "subscriptions"), *item;
  if (!cJSON_IsArray(list))
    return bad(why, "subscribe: an array 'subscriptions' expected");
  cJSON_ArrayForEach(item, list) {
    if (out->count == OPERATION_ENTRIES)
      return bad(why, "subscribe: too many subscriptions at once");
    if (!cJSON_IsObject(item) ||
        !take_id(cJSON_GetObjectItemCaseSensitive(item, "id"), &out->entry[out->count].id) ||
        !take_id(cJSON_GetObjectItemCaseSensitive(item, "channelId"), &out->entry[out->count].channel))
      return bad(why, "subscribe: each subscription needs the whole numbers 'id' and 'channelId'");
    out->count++;
  }
  return OPERATION_SUBSCRIBE;
}

static enum operation_kind read_unsubscribe(const cJSON *object, struct page_operation *out, struct reason *why) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "subscriptionIds"), *item;
  if (!cJSON_IsArray(list))
    return bad(why, "unsubscribe: an array 'subscriptionIds' expected");
  cJSON_ArrayForEach(item, list) {
    if (out->count == OPERATION_ENTRIES)
      return bad(why, "unsubscribe: too many subscriptions at once");
    if (!take_id(item, &out->entry[out->count++].id))
      return bad(why, "unsubscribe: whole numbers expected in 'subscriptionIds'");
  }
  return OPERATION_UNSUBSCRIBE;
}

// Returns 0 if the member is there and is not a finite number.
static int take_number(const cJSON *object, const char *name, int *has, double *out) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!value)
    return 1;
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
    return 0;
  *has = 1;
  *out = value->valuedouble;
  return 1;
}

static enum operation_kind read_play(const cJSON *object, struct page_operation *out, struct reason *why) {
  const cJSON *playing = cJSON_GetObjectItemCaseSensitive(object, "playing");
  struct view_playback *play = &out->play;
  if (playing && !cJSON_IsBool(playing))
    return bad(why, "sagbendPlayback: true or false expected for 'playing'");
  play->has_playing = playing != NULL;
  play->playing = cJSON_IsTrue(playing);
  if (!take_number(object, "rate", &play->has_rate, &play->rate) ||
      (play->has_rate && !(play->rate >= 0.01 && play->rate <= 1000)))
    return bad(why, "sagbendPlayback: a number from 0.01 to 1000 expected for 'rate'");
  if (!take_number(object, "seek_s", &play->has_seek, &play->seek_s) ||
      (play->has_seek && !(fabs(play->seek_s) <= 1e10)))
    return bad(why, "sagbendPlayback: a number of seconds expected for 'seek_s'");
  return OPERATION_PLAY;
}

static enum operation_kind read_order(const cJSON *object, struct page_operation *out, struct reason *why) {
  static const char expected[] =
      "sagbendOrder: an array 'words' of 1 to 16 texts of at most 191 characters expected";
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "words"), *item;
  if (!cJSON_IsArray(list))
    return bad(why, expected);
  cJSON_ArrayForEach(item, list) {
    if (out->count == ORDER_WORDS || !cJSON_IsString(item) || strlen(item->valuestring) >= ORDER_WORD)
      return bad(why, expected);
    memcpy(out->word[out->count++], item->valuestring, strlen(item->valuestring) + 1);
  }
  return out->count ? OPERATION_ORDER : bad(why, expected);
}

static enum operation_kind read_object(const cJSON *object, struct page_operation *out, struct reason *why) {
  const cJSON *op = cJSON_GetObjectItemCaseSensitive(object, "op");
  if (!cJSON_IsObject(object) || !cJSON_IsString(op))
    return bad(why, "a JSON object with a string 'op' expected");
  const char *name = op->valuestring;
  if (!strcmp(name, "subscribe"))
    return read_subscribe(object, out, why);
  if (!strcmp(name, "unsubscribe"))
    return read_unsubscribe(object, out, why);
  if (!strcmp(name, "sagbendPlayback"))
    return read_play(object, out, why);
  if (!strcmp(name, "sagbendOrder"))
    return read_order(object, out, why);
  if (!strcmp(name, "advertise") || !strcmp(name, "unadvertise"))
    return bad(why, "this server takes no messages: it only shows");
  return bad(why, "this operation is not known; subscribe and unsubscribe are");
}

void operation_parse(const char *text, size_t size, struct page_operation *out, struct reason *why) {
  const char *end = NULL;
  memset(out, 0, sizeof *out);
  cJSON *object = cJSON_ParseWithLengthOpts(text, size, &end, 0);
  while (object && end < text + size && strchr(" \t\r\n", *end) && *end)
    end++;
  if (!object || end != text + size)
    out->kind = bad(why, "this is not JSON");
  else
    out->kind = read_object(object, out, why);
  cJSON_Delete(object);
}
