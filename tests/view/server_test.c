// The gateway's parts without sockets: requests, operations, what waits for a client, what it gets late.
#include "view/server/server_internal.h"

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct view_channel CHANNELS[] = {{"/truth", "sagbend.v1.Truth", "ab", 2, 0},
                                               {"/event", "sagbend.v1.Event", "cd", 2, 1},
                                               {"/nodes", "sagbend.v1.Nodes", "ef", 2, 0}};
enum { TRUTH, EVENT, NODES, COUNT };

// ---- HTTP ----

static struct http_connection connection;
static const char *const ALLOWED_HOSTS[] = {"rig.example"}, *const ALLOWED_ORIGINS[] = {
                                                                "http://lichtblick:8080"};

static size_t metrics(void *context, char *out, size_t capacity) {
  (void)context;
  return (size_t)snprintf(out, capacity, "up 1\n");
}

// The status of the answer to a request; 0: the head is not complete; 101: it becomes a WebSocket.
static int answer(const char *request, int is_full) {
  struct http_site site = {
      .access = {ALLOWED_HOSTS, ALLOWED_ORIGINS, 1, 1}, .is_full = is_full, .metrics = metrics};
  free(connection.owned);
  memset(&connection, 0, sizeof connection);
  connection.state = HTTP_READING;
  connection.head_size = strlen(request);
  memcpy(connection.head, request, connection.head_size);
  http_response(&connection, &site);
  if (connection.state == HTTP_UPGRADE)
    return 101;
  return connection.state == HTTP_WRITING ? atoi(connection.answer + strlen("HTTP/1.1 ")) : 0;
}

START_TEST(a_request_is_answered_by_its_head) {
  static const struct {
    const char *request;
    int status;
  } rows[] = {
      {"GET / HTTP/1.1\r\nHost: 127.0.0.1:8765\r\n\r\n", 200},
      {"GET /?x=1 HTTP/1.1\r\nhost: localhost\r\n\r\n", 200},
      {"GET / HTTP/1.0\r\nHost: [::1]:80\r\n\r\n", 200},
      {"HEAD / HTTP/1.1\r\nHost: rig.example:99\r\n\r\n", 200},
      {"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 200},
      {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: localhost:80:80\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: localhost:80@evil\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n", 200},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://lichtblick:8080\r\n\r\n", 200},
      {"GET / HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:2\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n", 403},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin:\r\n\r\n", 403},
      {"GET /../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
      {"GET /%2e%2e/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
      {"GET //index.html HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
      {"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
      {"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
      {"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405},
      {"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 405},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: localhost\r\n folded: 1\r\n\r\n", 400},
      {"GET / HTTP/1.1\nHost: localhost\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 400},
      {"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: local\x01host\r\n\r\n", 400},
      {"\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: localhost\r\n", 0},
      {"", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_msg(answer(rows[i].request, 0) == rows[i].status, "row %zu: %s: %d", i, rows[i].request,
                  answer(rows[i].request, 0));
}
END_TEST

#define UPGRADE "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
#define KEY     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define V13     "Sec-WebSocket-Version: 13\r\n"
#define BOTH    "Sec-WebSocket-Protocol: other, foxglove.websocket.v1, foxglove.sdk.v1\r\n"
#define AT      "GET / HTTP/1.1\r\nHost: localhost\r\n"

START_TEST(a_handshake_is_checked) {
  static const struct {
    const char *request;
    int is_full, status;
  } rows[] = {
      {AT UPGRADE KEY V13 BOTH "\r\n", 0, 101},
      {AT UPGRADE KEY V13 BOTH "\r\n", 1, 503},
      {AT UPGRADE KEY V13 "Sec-WebSocket-Protocol: other\r\n\r\n", 0, 400},
      {AT UPGRADE KEY V13 "Sec-WebSocket-Protocol: FOXGLOVE.SDK.V1\r\n\r\n", 0, 400},
      {AT UPGRADE KEY V13 "\r\n", 0, 400},
      {AT UPGRADE V13 BOTH "\r\n", 0, 400},
      {AT UPGRADE "Sec-WebSocket-Key: short\r\n" V13 BOTH "\r\n", 0, 400},
      {AT UPGRADE KEY KEY V13 BOTH "\r\n", 0, 400},
      {AT UPGRADE KEY V13 BOTH "\r\nrest", 0, 400},
      {AT UPGRADE KEY "Sec-WebSocket-Version: 8\r\n" BOTH "\r\n", 0, 426},
      {AT UPGRADE KEY V13 BOTH "Origin: http://evil.example\r\n\r\n", 0, 403},
      {AT "Upgrade: websocket\r\n" KEY V13 BOTH "\r\n", 0, 200}, // no upgrade: the page
      {"GET /x HTTP/1.1\r\nHost: localhost\r\n" UPGRADE KEY V13 BOTH "\r\n", 0, 404},
      {"POST / HTTP/1.1\r\nHost: localhost\r\n" UPGRADE KEY V13 BOTH "\r\n", 0, 405},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_msg(answer(rows[i].request, rows[i].is_full) == rows[i].status, "row %zu: %d", i,
                  answer(rows[i].request, rows[i].is_full));
}
END_TEST

START_TEST(the_head_for_the_library_contains_checked_parts_only) {
  char head[UPGRADE_HEAD];
  answer(AT UPGRADE KEY V13 BOTH "Cookie: a=b\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", 0);
  size_t size = http_upgrade_head(&connection.request, head);
  ck_assert_uint_lt(size, UPGRADE_HEAD);
  ck_assert_str_eq(
      head, "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" KEY V13
            "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n");
}
END_TEST

START_TEST(notes_are_for_those_who_ask) {
  struct request_head head;
  static const struct {
    const char *request;
    int wants;
  } rows[] = {{"GET / HTTP/1.1\r\n\r\n", 0},
              {"GET /? HTTP/1.1\r\n\r\n", 0},
              {"GET /?sagbend HTTP/1.1\r\n\r\n", 1},
              {"GET /?sagbend=1 HTTP/1.1\r\n\r\n", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_int_eq(request_head_parse(rows[i].request, strlen(rows[i].request), NULL, &head), HEAD_OK);
    ck_assert_int_eq(head.wants_notes, rows[i].wants);
    ck_assert_str_eq(head.path, "/");
  }
}
END_TEST

START_TEST(gzip_is_for_those_who_take_it) {
  struct request_head head;
  static const struct {
    const char *value;
    int takes;
  } rows[] = {{"gzip", 1},
              {"GZIP;q=0.5", 1},
              {"deflate, br, gzip ; q=1.0", 1},
              {"identity, gzip;q=0.01", 1},
              {"gzip;q=0", 0},
              {"br, gzip; Q=0.000", 0},
              {"gzipped, x-gzip", 0},
              {"", 0},
              {",;,", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char request[128];
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nAccept-Encoding: %s\r\n\r\n", rows[i].value);
    ck_assert_int_eq(request_head_parse(request, strlen(request), NULL, &head), HEAD_OK);
    ck_assert_msg(head.takes_gzip == rows[i].takes, "%s", rows[i].value);
  }
}
END_TEST

START_TEST(a_head_beyond_the_limit_is_refused) {
  static char request[HEAD_MAX + 1];
  memset(request, 'x', HEAD_MAX);
  ck_assert_int_eq(answer(request, 0), 431);
  int size = snprintf(request, sizeof request, "GET /%0*d HTTP/1.1\r\nHost: localhost\r\n\r\n", 4000, 0);
  ck_assert_int_gt(size, 4000);
  ck_assert_int_eq(answer(request, 0), 404);
  snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: localhost%0*d\r\n\r\n", 4000, 0);
  ck_assert_int_eq(answer(request, 0), 403);
}
END_TEST

START_TEST(answers_permit_scripts_of_the_program_only) {
  ck_assert_int_eq(answer("GET / HTTP/1.1\r\nHost: rig.example:99\r\n\r\n", 0), 200);
  ck_assert_ptr_nonnull(strstr(connection.answer, "default-src 'none'; script-src 'self';"));
  ck_assert_ptr_nonnull(strstr(connection.answer, "connect-src 'self' ws://rig.example:99;"));
  ck_assert_ptr_nonnull(strstr(connection.answer, "frame-ancestors 'none'"));
  ck_assert_ptr_nonnull(strstr(connection.answer, "nosniff"));
  ck_assert_ptr_null(strstr(connection.answer, "Access-Control"));
}
END_TEST

START_TEST(names_and_origins_are_checked) {
  ck_assert(access_host_is_valid("rig.example") && access_host_is_valid("10.0.0.5") &&
            access_host_is_valid("[fe80::1]"));
  ck_assert(!access_host_is_valid("rig.example:80") && !access_host_is_valid("") &&
            !access_host_is_valid("a b"));
  ck_assert(!access_host_is_valid("http://a") && !access_host_is_valid("*") && !access_host_is_valid("[]"));
  ck_assert(access_origin_is_valid("http://a") && access_origin_is_valid("https://a.b:8080"));
  ck_assert(!access_origin_is_valid("a") && !access_origin_is_valid("http://a/") &&
            !access_origin_is_valid("*"));
}
END_TEST

// ---- operations ----

static enum operation_kind parse(const char *text, struct page_operation *out) {
  struct reason why = {""};
  operation_parse(text, strlen(text), out, &why);
  ck_assert_int_eq(out->kind == OPERATION_BAD, *why.text != '\0');
  return out->kind;
}

START_TEST(operations_are_read) {
  struct page_operation o;
  ck_assert_int_eq(
      parse(" {\"op\":\"subscribe\",\"subscriptions\":[{\"id\":0,\"channelId\":3},{\"id\":4294967295,"
            "\"channelId\":1}]} \r\n",
            &o),
      OPERATION_SUBSCRIBE);
  ck_assert_int_eq(o.count, 2);
  ck_assert_uint_eq(o.entry[0].channel, 3);
  ck_assert_uint_eq(o.entry[1].id, UINT32_MAX);
  ck_assert_int_eq(parse("{\"op\":\"unsubscribe\",\"subscriptionIds\":[7]}", &o), OPERATION_UNSUBSCRIBE);
  ck_assert_uint_eq(o.entry[0].id, 7);
  ck_assert_int_eq(parse("{\"op\":\"sagbendPlayback\",\"playing\":false,\"rate\":2.5}", &o), OPERATION_PLAY);
  ck_assert(o.play.has_playing && !o.play.playing && o.play.has_rate && !o.play.has_seek);
  ck_assert_double_eq(o.play.rate, 2.5);
}
END_TEST

START_TEST(bad_operations_are_refused) {
  static const char *const texts[] = {
      "",
      "{",
      "[]",
      "1",
      "null",
      "{}",
      "{\"op\":1}",
      "{\"op\":\"subscribe\"}",
      "{\"op\":\"subscribe\"} x",
      "{\"op\":\"subscribe\",\"subscriptions\":{}}",
      "{\"op\":\"subscribe\",\"subscriptions\":[1]}",
      "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,\"channelId\":1}]}",
      "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1.5,\"channelId\":1}]}",
      "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":4294967296}]}",
      "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":\"1\",\"channelId\":1}]}",
      "{\"op\":\"unsubscribe\",\"subscriptionIds\":[true]}",
      "{\"op\":\"unsubscribe\"}",
      "{\"op\":\"advertise\",\"channels\":[]}",
      "{\"op\":\"setParameters\"}",
      "{\"op\":\"\"}",
      "{\"op\":\"sagbendPlayback\",\"playing\":1}",
      "{\"op\":\"sagbendPlayback\",\"rate\":0}",
      "{\"op\":\"sagbendPlayback\",\"rate\":1e999}",
      "{\"op\":\"sagbendPlayback\",\"seek_s\":\"1\"}",
      "{\"op\":\"sagbendPlayback\",\"seek_s\":1e300}"};
  struct page_operation o;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    ck_assert_msg(parse(texts[i], &o) == OPERATION_BAD, "%s", texts[i]);
  static char deep[GATEWAY_MAX_RECEIVED];
  memset(deep, '[', sizeof deep - 1);
  ck_assert_int_eq(parse(deep, &o), OPERATION_BAD);
}
END_TEST

START_TEST(too_many_subscriptions_at_once_are_refused) {
  char text[8190] = "{\"op\":\"unsubscribe\",\"subscriptionIds\":[0";
  struct page_operation o;
  for (int i = 1; i < OPERATION_ENTRIES; i++)
    strcat(text, ",1");
  char one_more[8200];
  snprintf(one_more, sizeof one_more, "%s,1]}", text);
  strcat(text, "]}");
  ck_assert_int_eq(parse(text, &o), OPERATION_UNSUBSCRIBE);
  ck_assert_int_eq(parse(one_more, &o), OPERATION_BAD);
}
END_TEST

// ---- what waits for a client ----

static struct client client;
static struct history history;

static void set_up(void) {
  client_init(&client);
  history_init(&history, CHANNELS, COUNT);
  for (uint32_t i = 0; i < COUNT; i++)
    ck_assert_int_eq(client_subscribe(&client, 100 + i, i + 1, COUNT, NULL), STATUS_OK);
}

static void tear_down(void) {
  client_clear(&client);
  history_clear(&history);
}

static void offer(int channel, uint64_t number, size_t size, int64_t now_ms) {
  void *bytes = calloc(1, size);
  struct parcel *parcel = parcel_create(channel, number, bytes, size);
  history_keep(&history, parcel);
  client_offer(&client, parcel, !CHANNELS[channel].is_event, now_ms);
  parcel_drop(parcel);
  free(bytes);
}

static struct frame_out next(int64_t now_ms) {
  struct frame_out f = client_next(&client, now_ms);
  parcel_drop(f.parcel); // the tests look at numbers only
  return f;
}

// The number of the next message; -1: there is none.
static int64_t next_number(int64_t now_ms) {
  struct frame_out f = next(now_ms);
  return f.kind == FRAME_MESSAGE ? (int64_t)f.time_ns : -1;
}

static int next_text_is(int64_t now_ms, const char *part) {
  struct frame_out f = client_next(&client, now_ms);
  char text[1024] = "";
  if (f.kind == FRAME_TEXT)
    memcpy(text, f.parcel->bytes, f.parcel->size);
  parcel_drop(f.parcel);
  return strstr(text, part) != NULL;
}

START_TEST(a_channel_comes_at_most_25_times_a_second_and_the_newest_wins) {
  int received = 0;
  int64_t newest = 0;
  for (int ms = 0; ms < 1000; ms += 5) { // 200 a second
    offer(TRUTH, (uint64_t)ms, 10, ms);
    for (int64_t number; (number = next_number(ms)) >= 0; received++) {
      ck_assert_int_ge(number, ms); // none that is older than the newest
      newest = number;
    }
  }
  ck_assert_int_eq(received, 25);
  ck_assert_int_eq(newest, 960);
  ck_assert_int_eq(client_wait_ms(&client, 995, 100), 5);
  ck_assert_int_eq(next_number(999), -1);
  ck_assert_int_eq(next_number(1000), 995); // the last is not lost
  ck_assert_uint_eq(client.dropped, 0);     // thinned is not dropped
}
END_TEST

START_TEST(a_slow_channel_is_not_delayed) {
  for (int ms = 0; ms < 1000; ms += 50) {
    offer(TRUTH, (uint64_t)ms, 10, ms);
    ck_assert_int_eq(client_wait_ms(&client, ms, 100), 0);
    ck_assert_int_eq(next_number(ms), ms);
  }
}
END_TEST

START_TEST(events_are_never_thinned) {
  for (uint64_t i = 0; i < 1000; i++)
    offer(EVENT, i, 10, 0);
  for (int i = 0; i < 1000; i++)
    ck_assert_int_eq(next_number(0), i);
  ck_assert_int_eq(next_number(0), -1);
}
END_TEST

START_TEST(a_full_queue_loses_the_oldest_and_says_so) {
  enum { SIZE = GATEWAY_QUEUE_BYTES / 10 };
  for (uint64_t i = 0; i < 25; i++)
    offer(EVENT, i, SIZE, 0);
  ck_assert_uint_eq(client.dropped, 15);
  ck_assert_uint_le(client.queue.bytes, GATEWAY_QUEUE_BYTES);
  ck_assert(next_text_is(0, "15 messages were left out"));
  ck_assert_int_eq(next_number(0), 15);
  offer(EVENT, 25, SIZE, 0);
  offer(EVENT, 26, SIZE, 0);
  ck_assert_int_eq(next_number(0), 17); // it is told once a second
  ck_assert(next_text_is(1000, "16 messages were left out"));
  for (uint64_t i = 0; i < 2 * GATEWAY_QUEUE_MESSAGES; i++)
    offer(EVENT, i, 1, 2000);
  ck_assert_uint_le(client.queue.count, GATEWAY_QUEUE_MESSAGES);
}
END_TEST

START_TEST(a_message_larger_than_the_queue_comes_alone) {
  offer(EVENT, 1, 10, 0);
  offer(EVENT, 2, GATEWAY_QUEUE_BYTES + 1, 0);
  ck_assert_uint_eq(client.dropped, 1);
  ck_assert(next_text_is(0, "1 messages were left out"));
  ck_assert_int_eq(next_number(0), 2);
}
END_TEST

START_TEST(the_tenth_error_closes) {
  for (int i = 0; i < CLIENT_ERRORS; i++) {
    ck_assert(!client.is_closing);
    client_blame(&client, "wrong");
  }
  ck_assert(client.is_closing);
  client_blame(&client, "wrong");
  offer(EVENT, 1, 10, 0);
  for (int i = 0; i < CLIENT_ERRORS; i++)
    ck_assert(next_text_is(0, "wrong")); // the statuses still come, nothing else does
  ck_assert_int_eq(next(0).kind, FRAME_NONE);
  ck_assert_int_eq(client_wait_ms(&client, 0, 100), 0); // there is something to do: closing
}
END_TEST

START_TEST(subscriptions_are_checked) {
  struct reason why;
  ck_assert_int_eq(client_subscribe(&client, 1, 0, COUNT, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(client_subscribe(&client, 1, COUNT + 1, COUNT, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(client_subscribe(&client, 1, UINT32_MAX, COUNT, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(client_subscribe(&client, 101, 1, COUNT, &why), STATUS_BAD_INPUT); // of another channel
  ck_assert_int_eq(client_subscribe(&client, 7, 1, COUNT, &why), STATUS_OK);          // replaces 100
  offer(TRUTH, 1, 10, 0);
  ck_assert_uint_eq(next(0).subscription, 7);
  ck_assert(!client_unsubscribe(&client, 100));
  offer(TRUTH, 2, 10, 100);
  ck_assert(client_unsubscribe(&client, 7));
  ck_assert_int_eq(next_number(100), -1); // what waited is gone with the subscription
  offer(TRUTH, 3, 10, 200);
  ck_assert_int_eq(next_number(200), -1);
}
END_TEST

START_TEST(who_comes_late_gets_the_newest_and_the_last_events) {
  client_unsubscribe(&client, 100);
  client_unsubscribe(&client, 101);
  for (uint64_t i = 0; i < 1200; i++) {
    offer(EVENT, i, 10, 0);
    offer(TRUTH, i, 10, 0);
  }
  ck_assert_int_eq(next_number(0), -1);
  history_offer(&history, EVENT, &client, 0); // not subscribed to
  ck_assert_int_eq(next_number(0), -1);
  client_subscribe(&client, 100, 1, COUNT, NULL);
  client_subscribe(&client, 101, 2, COUNT, NULL);
  for (int i = 0; i < COUNT; i++)
    history_offer(&history, i, &client, 0);
  ck_assert_int_eq(next_number(0), 1199);
  for (int i = 1200 - GATEWAY_EVENTS; i < 1200; i++)
    ck_assert_int_eq(next_number(0), i);
  ck_assert_int_eq(next_number(0), -1);
}
END_TEST

START_TEST(texts_come_before_messages_and_the_newest_note_wins) {
  struct parcel *info = answer_server_info("n", "s", 0), *list = answer_advertise(CHANNELS, COUNT);
  offer(EVENT, 1, 10, 0);
  client_greet(&client, info, list);
  client_greet(&client, info, list);
  client.time_ns = 5;
  client.has_time = 1;
  parcel_replace(&client.note[NOTE_SOURCE], parcel_create_json("{old}"));
  parcel_replace(&client.note[NOTE_SOURCE], parcel_create_json("{new}"));
  parcel_replace(&client.note[NOTE_ALARMS], parcel_create_json("{alarms}"));
  ck_assert(next_text_is(0, "serverInfo"));
  ck_assert(next_text_is(0, "\"schema\":\"YWI=\""));
  ck_assert(next_text_is(0, "{new}"));
  ck_assert(next_text_is(0, "{alarms}"));
  ck_assert_int_eq(next(0).kind, FRAME_TIME);
  ck_assert_int_eq(next_number(0), 1);
  client.time_ns = 6;
  ck_assert_int_eq(next(0).kind, FRAME_NONE);
  ck_assert_int_eq(client_wait_ms(&client, 0, 100), GATEWAY_SPACING_MS);
  ck_assert_int_eq(next(GATEWAY_SPACING_MS).kind, FRAME_TIME);
  parcel_drop(info);
  parcel_drop(list);
}
END_TEST

START_TEST(texts_are_utf_8_wherever_one_was_cut) {
  static const struct {
    const char *given, *expected;
  } cases[] = {{"{\"a\":\"x\"}", "{\"a\":\"x\"}"},
               {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2\""},
               {"\"\xc3\"", "\"\\ufffd\""},
               {"\"\xe2\x82\"", "\"\\ufffd\\ufffd\""},
               {"\"\xff\xfe\"", "\"\\ufffd\\ufffd\""},
               {"\"\xed\xa0\x80\"", "\"\\ufffd\\ufffd\\ufffd\""}, // a surrogate
               {"", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct parcel *p = parcel_create_json(cases[i].given);
    ck_assert_uint_eq(p->size, strlen(cases[i].expected));
    ck_assert_mem_eq(p->bytes, cases[i].expected, p->size);
    ck_assert_int_eq(p->channel, -1);
    parcel_drop(p);
  }
  client_blame(&client, "got '\xe2\x82"); // of any part of the server
  ck_assert(next_text_is(0, "got '\\ufffd\\ufffd"));
}
END_TEST

START_TEST(binary_frames_are_little_endian) {
  uint8_t head[ANSWER_MESSAGE_HEAD], time[ANSWER_TIME];
  answer_pack_message_head(head, 0x01020304, 0x1112131415161718);
  answer_pack_time(time, 0x2122232425262728);
  ck_assert_mem_eq(head, "\1\4\3\2\1\x18\x17\x16\x15\x14\x13\x12\x11", sizeof head);
  ck_assert_mem_eq(time, "\2\x28\x27\x26\x25\x24\x23\x22\x21", sizeof time);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("view_gateway");
  TCase *http = add_case(suite, "http", 10);
  tcase_add_test(http, a_request_is_answered_by_its_head);
  tcase_add_test(http, a_handshake_is_checked);
  tcase_add_test(http, the_head_for_the_library_contains_checked_parts_only);
  tcase_add_test(http, notes_are_for_those_who_ask);
  tcase_add_test(http, gzip_is_for_those_who_take_it);
  tcase_add_test(http, a_head_beyond_the_limit_is_refused);
  tcase_add_test(http, answers_permit_scripts_of_the_program_only);
  tcase_add_test(http, names_and_origins_are_checked);
  TCase *operations = add_case(suite, "operations", 10);
  tcase_add_test(operations, operations_are_read);
  tcase_add_test(operations, bad_operations_are_refused);
  tcase_add_test(operations, too_many_subscriptions_at_once_are_refused);
  TCase *waiting = add_case(suite, "waiting", 10);
  tcase_add_checked_fixture(waiting, set_up, tear_down);
  tcase_add_test(waiting, a_channel_comes_at_most_25_times_a_second_and_the_newest_wins);
  tcase_add_test(waiting, a_slow_channel_is_not_delayed);
  tcase_add_test(waiting, events_are_never_thinned);
  tcase_add_test(waiting, a_full_queue_loses_the_oldest_and_says_so);
  tcase_add_test(waiting, a_message_larger_than_the_queue_comes_alone);
  tcase_add_test(waiting, the_tenth_error_closes);
  tcase_add_test(waiting, subscriptions_are_checked);
  tcase_add_test(waiting, who_comes_late_gets_the_newest_and_the_last_events);
  tcase_add_test(waiting, texts_come_before_messages_and_the_newest_note_wins);
  tcase_add_test(waiting, texts_are_utf_8_wherever_one_was_cut);
  tcase_add_test(waiting, binary_frames_are_little_endian);
  return run_suite(suite);
}
