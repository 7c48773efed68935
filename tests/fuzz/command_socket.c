// Fuzzes the command socket of a simulator over real connections that it has admitted, with the peer's keys
// and without any. An input is a list of steps, each an deed, a size and that many bytes: they come as
// they are, in a message or command that is encrypted properly, in one that is altered, repeated, cut or
// huge; the peer resets its connection, opens a second one with the same routing id, reads or does not read.
// Afterwards every connection is gone.

#include "../curve_client.h"
#include "net/server/server_internal.h"

#include "fuzz.h"
#include "steps.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum deed {
  RAW,
  MESSAGE,
  MORE,
  COMMAND,
  ALTERED,
  REPEATED,
  CUT,
  HUGE_ONE,
  HELLO,
  PING,
  READ,
  RESET,
  SECOND,
  OPERATIONS
};
enum { LARGEST = 300 << 10, DEALERS = 2, HUGE_MOST = 2 }; // in an input: they take long
enum { PATIENCE = 1000000 /* turns of the server without progress, whatever the speed of the machine */ };

struct dealer {
  int file; // -1: none
  int has_keys;
  struct curve_client curve;
  size_t last_size; // of the newest frame
};

static struct config config;
static struct server_keys keys;
static struct server *servers[2]; // without and with keys
static uint8_t frame[LARGEST + 64], content[LARGEST];
static int huge; // messages in this input

static void must(int holds) {
  if (!holds)
    abort();
}

static void on_command(void *context, const struct command *command) {
  (void)context;
  (void)command;
}

static void pump(struct server *server) {
  must(server_poll(server, 0, 100, on_command, NULL, NULL) == STATUS_OK);
}

static struct server *open_one(const struct server_keys *with) {
  struct server *server;
  struct reason why = {""};
  snprintf(config.net.command_endpoint, sizeof config.net.command_endpoint, "ipc://@sagbend-fuzz-%ld-%d",
           (long)getpid(), with != NULL);
  snprintf(config.net.telemetry_endpoint, sizeof config.net.telemetry_endpoint,
           "ipc://@sagbend-fuzz-t-%ld-%d", (long)getpid(), with != NULL);
  struct session_info session = {
      .config = &config, .session_id = "fuzz", .initial_holding_force_b = {4e5}, .keys = with};
  must(server_open(&session, &server, &why) == STATUS_OK);
  return server;
}

static void start(void) {
  static uint8_t client_secret[32];
  must(sodium_init() >= 0);
  strcpy(config.name, "case");
  config.sim.step_s = 0.01;
  config.run.mode = RUN_LOCKSTEP; // no PING of the server's own, whose time would decide
  config.net.sensor_period_s = config.net.command_timeout_s = config.net.command_max_age_s = 0.1;
  config.net.wrench_limit[0] = 1e6;
  crypto_box_keypair(keys.own.key.bytes, keys.own.bytes);
  keys.admitted.count = 1;
  keys.admitted.key[0] = (struct peer_key){.role = ROLE_CONTROLLER, .name = "fuzz"};
  crypto_box_keypair(keys.admitted.key[0].bytes, client_secret);
  memcpy(content, client_secret, sizeof client_secret); // kept there until the first input
  servers[0] = open_one(NULL);
  servers[1] = open_one(&keys);
}

// ---- the peer ----

static size_t put_frame(const uint8_t *body, size_t size, int flags, uint8_t *out) {
  out[0] = (uint8_t)(flags | (size > 255 ? 2 : 0));
  if (size <= 255) {
    out[1] = (uint8_t)size;
    memmove(out + 2, body, size);
    return 2 + size;
  }
  memmove(out + 9, body, size);
  for (int i = 0; i < 8; i++)
    out[1 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
  return 9 + size;
}

// Sends what the system takes while the server reads; the rest is lost if the server has ended the
// connection.
static void send_all(struct server *server, struct dealer *d, const uint8_t *bytes, size_t size) {
  int turns = 0;
  while (size > 0 && d->file >= 0) {
    ssize_t sent = send(d->file, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
      return;
    must(turns++ < PATIENCE); // it neither reads nor closes
    if (sent > 0) {
      turns = 0;
      bytes += sent;
      size -= (size_t)sent;
    }
    pump(server);
  }
}

static int receive_exactly(struct server *server, struct dealer *d, uint8_t *out, size_t size) {
  for (int turns = 0; size > 0; pump(server)) {
    ssize_t got = recv(d->file, out, size, MSG_DONTWAIT);
    must(turns++ < PATIENCE);
    if (got == 0 || (got < 0 && errno != EAGAIN))
      return 0;
    if (got > 0) {
      out += got;
      size -= (size_t)got;
    }
  }
  return 1;
}

static void leave(struct dealer *d) {
  if (d->file >= 0)
    close(d->file);
  d->file = -1;
}

static void join(struct server *server, struct dealer *d, int has_keys, const uint8_t secret[32]) {
  static const uint8_t metadata[] = "\x0bSocket-Type\0\0\0\6DEALER\x08Identity\0\0\0\4same";
  uint8_t body[512], greeting[64] = {0xff, [9] = 0x7f, 3, 1, 'N', 'U', 'L', 'L'}, answer[256];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *name = server_command_endpoint(server) + 6;
  memcpy(address.sun_path + 1, name + 1, strlen(name + 1));
  *d = (struct dealer){.file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), .has_keys = has_keys};
  must(d->file >= 0 && connect(d->file, (struct sockaddr *)&address,
                               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))) == 0);
  if (has_keys)
    memcpy(greeting + 12, "CURVE", 5);
  send_all(server, d, greeting, sizeof greeting);
  must(receive_exactly(server, d, answer, 64));
  if (!has_keys) {
    memcpy(body, "\x05READY", 6);
    memcpy(body + 6, metadata, sizeof metadata - 1);
    send_all(server, d, frame, put_frame(body, 6 + sizeof metadata - 1, 4, frame));
    must(receive_exactly(server, d, answer, 2) && receive_exactly(server, d, answer + 2, answer[1]));
    return;
  }
  client_init(&d->curve, keys.own.key.bytes);
  memcpy(d->curve.own_public, keys.admitted.key[0].bytes, 32);
  memcpy(d->curve.secret, secret, 32);
  send_all(server, d, frame, put_frame(body, client_hello(&d->curve, body), 4, frame));
  must(receive_exactly(server, d, answer, 2 + CURVE_WELCOME) && client_take_welcome(&d->curve, answer + 2));
  send_all(server, d, frame,
           put_frame(body, client_initiate(&d->curve, metadata, sizeof metadata - 1, body), 4, frame));
  must(receive_exactly(server, d, answer, 2) && receive_exactly(server, d, answer + 2, answer[1]) &&
       memcmp(answer + 2, "\5READY", 6) == 0);
}

// A frame with this content, as the mechanism wants it. flags: 1 more, 4 command.
static size_t pack(struct dealer *d, int flags, const uint8_t *bytes, size_t size) {
  static uint8_t body[LARGEST + CLIENT_MESSAGE];
  if (!d->has_keys)
    return d->last_size = put_frame(bytes, size, flags, frame);
  size_t length = client_message(&d->curve, (uint8_t)(flags & 1) | (flags & 4 ? 2 : 0), bytes, size, body);
  return d->last_size = put_frame(body, length, 0, frame);
}

static size_t pack_hello(struct dealer *d, const uint8_t *bytes, size_t size) {
  struct wire_hello hello = {.name = "fuzz"};
  struct wire_header header = {.sequence = size ? bytes[0] : 1};
  snprintf(hello.controller_id, sizeof hello.controller_id, "id-%d", size ? bytes[0] & 3 : 0);
  return pack(d, 0, content, wire_pack_hello(&header, &hello, content, sizeof content));
}

static void drain(struct dealer *d) {
  while (recv(d->file, content, sizeof content, MSG_DONTWAIT) > 0)
    ;
}

static void act(struct server *server, struct dealer *d, enum deed deed, const uint8_t *bytes, size_t size) {
  size_t length = d->last_size;
  switch (deed) {
  case MESSAGE:
  case MORE:
    length = pack(d, deed == MORE, bytes, size);
    break;
  case COMMAND:
    length = pack(d, 4, bytes, size);
    break;
  case ALTERED:
    length = pack(d, 0, bytes, size);
    frame[size * 7 % length] ^= 1;
    break;
  case CUT:
    length = pack(d, 0, bytes, size) / 2;
    break;
  case HUGE_ONE:
    memset(content, size ? bytes[0] : 0, sizeof content);
    length = pack(d, 0, content, size > 1 && huge++ < HUGE_MOST ? (size_t)bytes[1] << 10 : 1000);
    break;
  case HELLO:
    length = pack_hello(d, bytes, size);
    break;
  case PING:
    memcpy(content, "\4PING\0\1", 7);
    if (size)
      memcpy(content + 7, bytes, size);
    length = pack(d, 4, content, 7 + size);
    for (int i = 0; !d->has_keys && i < 20; i++)
      send_all(server, d, frame, length);
    break;
  default: // REPEATED
    break;
  }
  send_all(server, d, frame, length);
}

static void run(struct server *server, int has_keys, const uint8_t secret[32], const uint8_t *data,
                size_t size) {
  struct dealer dealers[DEALERS] = {{.file = -1}, {.file = -1}};
  join(server, &dealers[0], has_keys, secret);
  int at_work = 0;
  huge = 0;
  while (size >= 2) {
    enum deed deed = (enum deed)(data[0] % OPERATIONS);
    size_t length = data[1] < size - 2 ? data[1] : size - 2;
    struct dealer *d = &dealers[at_work];
    if (deed == SECOND && dealers[1 - at_work].file < 0) {
      at_work = 1 - at_work;
      join(server, &dealers[at_work], has_keys, secret);
    } else if (deed == SECOND) {
      at_work = 1 - at_work;
    } else if (deed == RESET) {
      leave(d);
      pump(server);
      join(server, d, has_keys, secret);
    } else if (deed == READ) {
      drain(d);
    } else if (deed == RAW) {
      uint8_t *exact = malloc(length + 1);
      must(exact != NULL);
      memcpy(exact, data + 2, length);
      send_all(server, d, exact, length);
      free(exact);
    } else {
      act(server, d, deed, data + 2, length);
    }
    pump(server);
    data += 2 + length;
    size -= 2 + length;
  }
  for (int i = 0; i < DEALERS; i++)
    leave(&dealers[i]);
  for (int turns = 0; router_connection_count(server->router[0]) > 0; pump(server))
    must(turns++ < PATIENCE); // a connection stays
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t secret[32];
  if (!servers[0]) {
    start();
    memcpy(secret, content, sizeof secret);
  }
  if (size)
    run(servers[data[0] & 1], data[0] & 1, secret, data + 1, size < 20000 ? size - 1 : 20000);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const enum deed lists[][6] = {
      {HELLO, MESSAGE, PING, READ, RESET, HELLO},    {HELLO, ALTERED, RESET, MESSAGE, CUT, RESET},
      {MESSAGE, REPEATED, SECOND, HELLO, MORE, CUT}, {HUGE_ONE, HELLO, PING, PING, SECOND, HELLO},
      {SECOND, HELLO, SECOND, HELLO, RAW, COMMAND},  {MORE, MORE, MESSAGE, COMMAND, HELLO, READ},
  };
  if (capacity < 1024 || index >= 2 * (int)(sizeof lists / sizeof *lists))
    return 0;
  size_t at = 1;
  out[0] = (uint8_t)(index & 1);
  for (int i = 0; i < 6; i++)
    at = seed_step(out, at, lists[index / 2][i], "\5\x6c READY", 7);
  return at;
}
