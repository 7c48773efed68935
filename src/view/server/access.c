// Who may ask: names of hosts and origins, the operator's seat, the operations of a text message.
#include "view/server/server.h"
#include "view/server/server_internal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

// The number of characters of the name in "NAME" or "NAME:PORT"; 0: neither.
static size_t name_size(const char *host) {
  size_t size = 0;
  if (*host == '[') {
    size = strspn(host + 1, "0123456789abcdefABCDEF:.") + 1;
    size += host[size] == ']' ? 1 : 0;
    if (size < 3 || host[size - 1] != ']')
      return 0;
  } else {
    while (is_name_character(host[size]))
      size++;
  }
  const char *rest = host + size;
  if (*rest == ':')
    rest += 1 + strspn(rest + 1, "0123456789");
  return *rest ? 0 : size;
}

static int is_same(const char *name, size_t size, const char *other) {
  return size == strlen(other) && strncasecmp(name, other, size) == 0;
}

int access_is_host_known(const struct access *access, const char *host) {
  size_t size = name_size(host);
  if (size == 0)
    return 0;
  if (is_same(host, size, "localhost") || is_same(host, size, "127.0.0.1") || is_same(host, size, "[::1]"))
    return 1;
  for (int i = 0; i < access->host_count; i++)
    if (is_same(host, size, access->hosts[i]))
      return 1;
  return 0;
}

int access_is_own_origin(const char *origin, const char *host) {
  const char *rest = strncasecmp(origin, "http://", 7) == 0    ? origin + 7
                     : strncasecmp(origin, "https://", 8) == 0 ? origin + 8
                                                               : NULL;
  return rest && *rest && strcasecmp(rest, host) == 0;
}

int access_is_origin_known(const struct access *access, const char *origin, const char *host) {
  if (access_is_own_origin(origin, host))
    return 1;
  for (int i = 0; i < access->origin_count; i++)
    if (strcasecmp(origin, access->origins[i]) == 0)
      return 1;
  return 0;
}

int access_host_is_valid(const char *text) {
  size_t size = name_size(text);
  return size > 0 && size == strlen(text) && size < 250;
}

int access_origin_is_valid(const char *text) {
  const char *colon = strstr(text, "://");
  if (!colon || colon == text || strlen(text) >= 250)
    return 0;
  for (const char *c = text; c < colon; c++)
    if (!is_name_character(*c) && *c != '+')
      return 0;
  return name_size(colon + 3) > 0;
}

// ------------------------------------------------------------
static void make_secret(char out[SEAT_SECRET]) {
  unsigned char bytes[SEAT_SECRET / 2];
  randombytes_buf(bytes, sizeof bytes);
  sodium_bin2hex(out, SEAT_SECRET, bytes, sizeof bytes);
}

// In a time that does not depend on where they differ.
static int is_same_secret(const char *secret, const char *given) {
  return strlen(secret) == SEAT_SECRET - 1 && strlen(given) == SEAT_SECRET - 1 &&
         sodium_memcmp(secret, given, SEAT_SECRET - 1) == 0;
}

enum status seat_open(struct seat *seat, struct reason *why) {
  memset(seat, 0, sizeof *seat);
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "no random numbers from the system");
  make_secret(seat->token);
  return STATUS_OK;
}

void seat_name(struct seat *seat, const char *address) {
  unsigned char bytes[crypto_generichash_BYTES_MIN];
  char text[512], host[65] = "", digits[9];
  gethostname(host, sizeof host - 1);
  int size = snprintf(text, sizeof text, "%s %.300s", host, address);
  crypto_generichash(bytes, sizeof bytes, (const unsigned char *)text, (unsigned long long)size, NULL, 0);
  sodium_bin2hex(digits, sizeof digits, bytes, 4);
  snprintf(seat->name, sizeof seat->name, "sagbend-operator-%s", digits);
}

int seat_take(struct seat *seat, const char *token) {
  if (!is_same_secret(seat->token, token))
    return 0;
  make_secret(seat->token);
  make_secret(seat->cookie);
  seat->taken++;
  return 1;
}

int seat_is_held(const struct seat *seat, const char *cookie) {
  return is_same_secret(seat->cookie, cookie);
}

// ------------------------------------------------------------
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

static enum operation_kind read_subscribe(const cJSON *object, struct page_operation *out,
                                          struct reason *why) {
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

static enum operation_kind read_unsubscribe(const cJSON *object, struct page_operation *out,
                                            struct reason *why) {
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
