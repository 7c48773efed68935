// Fuzzes what a client of the live view sends. The first byte of an input selects: a request over HTTP, the
// text of an operation, or bytes on a WebSocket of a real gateway after its handshake.

#include "view/server/server.h"
#include "view/server/server_internal.h"

#include "fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum kind { REQUEST, OPERATION, FRAMES, KINDS };

static void fuzz_request(const uint8_t *data, size_t size) {
  static struct http_connection c;
  static const char *const hosts[] = {"rig.example"}, *const origins[] = {"http://a"};
  struct http_site site = {.access = {hosts, origins, 1, 1}};
  char head[UPGRADE_HEAD];
  memset(&c, 0, sizeof c);
  c.state = HTTP_READING;
  c.head_size = size < HEAD_MAX ? size : HEAD_MAX;
  memcpy(c.head, data, c.head_size);
  http_response(&c, &site);
  if (c.state == HTTP_UPGRADE && http_upgrade_head(&c.request, head) >= UPGRADE_HEAD)
    abort();
  if (c.state == HTTP_WRITING && (c.answer_size >= sizeof c.answer || memchr(c.answer, 0, c.answer_size)))
    abort();
}

static void fuzz_operation(const uint8_t *data, size_t size) {
  static struct page_operation operation;
  struct reason why = {""};
  char *text = malloc(size + 1); // of its exact size, so that a byte read beyond it is found
  if (!text)
    return;
  memcpy(text, data, size);
  operation_parse(text, size, &operation, &why);
  if ((operation.kind == OPERATION_BAD) != (*why.text != '\0') || operation.count > OPERATION_ENTRIES)
    abort();
  free(text);
}

// Ends the harness where the gateway does not do its work. errno: of the last call.
static _Noreturn void broken(const char *what) {
  perror(what);
  abort();
}

static struct gateway *gateway_with_data(void) {
  static const struct view_channel channels[] = {{"/truth", "sagbend.v1.Truth", "abc", 3, 0},
                                                 {"/event", "sagbend.v1.Event", "abc", 3, 1}};
  const struct gateway_setup setup = {
      .listen = "127.0.0.1:0", .name = "fuzz", .channels = channels, .channel_count = 2};
  struct gateway *g;
  struct reason why;
  if (gateway_open(&setup, &g, &why) != STATUS_OK)
    broken(why.text);
  for (int i = 0; i < 20; i++)
    gateway_publish(g, &(struct view_message){i % 2, "0123456789", 10, 1});
  return g;
}

// Returns 0 when it is connected. libFuzzer's timer interrupts a call that has to wait, as on a busy machine;
// the system then goes on to connect by itself.
static int finish_connecting(int file) {
  struct pollfd wait = {.fd = file, .events = POLLOUT};
  int error = 0;
  socklen_t size = sizeof error;
  while (poll(&wait, 1, -1) < 0)
    if (errno != EINTR)
      return -1;
  if (getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    return -1;
  errno = error;
  return error ? -1 : 0;
}

static int connect_to(const struct gateway *g) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  struct linger at_once = {1, 0}; // no port waits for stragglers
  int file = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((uint16_t)atoi(strchr(gateway_address(g), ':') + 1));
  setsockopt(file, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (file < 0)
    broken("socket");
  if (connect(file, (struct sockaddr *)&address, sizeof address) != 0 &&
      (errno != EINTR || finish_connecting(file) != 0))
    broken("connect");
  return file;
}

// Turns until the gateway has so many clients. If it never has, libFuzzer ends the input after its time
// limit.
static void turn(struct gateway *g, int clients) {
  struct gateway_counts counts;
  do {
    gateway_turn(g, -1, 1);
    gateway_count(g, &counts);
  } while (counts.clients != clients);
}

static void fuzz_frames(const uint8_t *data, size_t size) {
  static const char hello[] =
      "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n";
  static struct gateway *g;
  if (!g)
    g = gateway_with_data();
  int file = connect_to(g);
  if (send(file, hello, sizeof hello - 1, MSG_NOSIGNAL) != (ssize_t)sizeof hello - 1)
    broken("send");
  turn(g, 1);
  send(file, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (int i = 0; i < 4; i++)
    gateway_turn(g, -1, 0);
  close(file);
  turn(g, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  if (*data % KINDS == REQUEST)
    fuzz_request(data + 1, size - 1);
  else if (*data % KINDS == OPERATION)
    fuzz_operation(data + 1, size - 1);
  else
    fuzz_frames(data + 1, size - 1);
  return 0;
}

// A frame with the mask 0, so that its text stands in the input as it is.
static size_t frame_of(int opcode, const char *text, uint8_t *out) {
  size_t size = strlen(text), head = size < 126 ? 6 : 8;
  out[0] = (uint8_t)(0x80 | opcode);
  out[1] = (uint8_t)(0x80 | (size < 126 ? size : 126));
  out[2] = (uint8_t)(size >> 8);
  out[3] = (uint8_t)size;
  memset(out + head - 4, 0, 4);
  memcpy(out + head, text, size);
  return head + size;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const struct {
    enum kind kind;
    int opcode;
    const char *text;
  } seeds[] = {
      {REQUEST, 0,
       "GET /index.html?x HTTP/1.1\r\nHost: localhost:8765\r\nOrigin: http://localhost:8765\r\n\r\n"},
      {REQUEST, 0,
       "GET / HTTP/1.1\r\nHost: rig.example\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://a\r\n"
       "Sec-WebSocket-Protocol: other, foxglove.websocket.v1\r\n\r\n"},
      {OPERATION, 0, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":2}]}"},
      {OPERATION, 0, "{\"op\":\"sagbendPlayback\",\"playing\":true,\"rate\":2.5,\"seek_s\":1e2}"},
      {FRAMES, 1,
       "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":2},{\"id\":2,\"channelId\":1}]}"},
      {FRAMES, 1, "{\"op\":\"unsubscribe\",\"subscriptionIds\":[1]}"},
      {FRAMES, 1, "{\"op\":\"advertise\"}"},
      {FRAMES, 2, "binary"},
      {FRAMES, 9, "ping"},
      {FRAMES, 10, "pong"},
      {FRAMES, 8, "\x03\xe8"},
  };
  if (index >= (int)(sizeof seeds / sizeof *seeds) || capacity < 1024)
    return 0;
  out[0] = (uint8_t)seeds[index].kind;
  if (seeds[index].kind == FRAMES)
    return 1 + frame_of(seeds[index].opcode, seeds[index].text, out + 1);
  memcpy(out + 1, seeds[index].text, strlen(seeds[index].text));
  return 1 + strlen(seeds[index].text);
}
