#include "io/wire/client.h"

#include "io/net/clock.h"
#include "io/net/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum {
  HELLO_MS = 500,    // between hellos while unanswered
  SILENCE_MS = 1000, // without a message for longer: hello again
  SEND_QUEUE = 2,    // what waits for a simulator that is not there: a hello or two
  RECEIVE_QUEUE = 64,
  HEARTBEAT_MS = 200,
  HEARTBEAT_TIMEOUT_MS = 1000,
  RECONNECT_MS = 100
};

struct client {
  void *context, *dealer;
  struct wire_hello me;
  char session[WIRE_NAME]; // empty: none
  int welcomed;
  uint64_t sequence;
  uint64_t step; // of the newest sensors
  double time_s;
  int64_t heard_ms, hello_ms;
};

static int make_id(char *id, size_t size) {
  unsigned char bytes[8];
  FILE *f = fopen("/dev/urandom", "rb");
  size_t got = f ? fread(bytes, 1, sizeof bytes, f) : 0;
  if (f)
    fclose(f);
  if (got != sizeof bytes)
    return 0;
  int n = snprintf(id, size, "%ld-", (long)getpid());
  for (size_t i = 0; i < sizeof bytes; i++)
    n += snprintf(id + n, size - (size_t)n, "%02x", bytes[i]);
  return 1;
}

static void set_int(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

// Not ZMQ_IMMEDIATE: it throws away what has come but is not read when the simulator closes, the End message
// too.
static enum status connect_to(struct client *c, const char *endpoint, struct reason *why) {
  c->context = zmq_ctx_new();
  c->dealer = c->context ? zmq_socket(c->context, ZMQ_DEALER) : NULL;
  if (!c->dealer)
    return fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
  const int64_t largest = WIRE_MAX_ENVELOPE;
  zmq_setsockopt(c->dealer, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  set_int(c->dealer, ZMQ_LINGER, 0);
  set_int(c->dealer, ZMQ_SNDHWM, SEND_QUEUE);
  set_int(c->dealer, ZMQ_RCVHWM, RECEIVE_QUEUE);
  set_int(c->dealer, ZMQ_RECONNECT_IVL, RECONNECT_MS);
  set_int(c->dealer, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
  set_int(c->dealer, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS);
  if (zmq_connect(c->dealer, endpoint) < 0)
    return fail(why, STATUS_BAD_INPUT, "cannot connect to '%s': %s", endpoint, zmq_strerror(errno));
  return STATUS_OK;
}

enum status client_open(const char *endpoint, const char *name, struct client **out, struct reason *why) {
  *out = NULL;
  if (endpoint_check(endpoint, ENDPOINT_CONNECT, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  struct client *c = calloc(1, sizeof *c);
  if (!c)
    return fail(why, STATUS_NO_MEMORY, "no memory for the client");
  enum status st = STATUS_OK;
  snprintf(c->me.name, sizeof c->me.name, "%s", name);
  if (!make_id(c->me.controller_id, sizeof c->me.controller_id))
    st = fail(why, STATUS_IO, "cannot read /dev/urandom");
  if (st == STATUS_OK)
    st = connect_to(c, endpoint, why);
  if (st != STATUS_OK) {
    client_close(c);
    return st;
  }
  c->heard_ms = clock_ms();
  c->hello_ms = c->heard_ms - HELLO_MS;
  *out = c;
  return STATUS_OK;
}

void client_close(struct client *c) {
  if (!c)
    return;
  if (c->dealer)
    zmq_close(c->dealer);
  if (c->context)
    zmq_ctx_term(c->context);
  free(c);
}

static struct wire_header next_header(struct client *c) {
  struct wire_header h = {.sequence = ++c->sequence, .step = c->step, .time_s = c->time_s};
  memcpy(h.session, c->session, sizeof h.session);
  return h;
}

static int send_bytes(struct client *c, const uint8_t *bytes, size_t size) {
  return size > 0 && zmq_send(c->dealer, bytes, size, ZMQ_DONTWAIT) >= 0;
}

static void say_hello_if_due(struct client *c) {
  int64_t now = clock_ms();
  int wanted = !c->welcomed || now - c->heard_ms > SILENCE_MS;
  if (!wanted || now - c->hello_ms < HELLO_MS)
    return;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header h = next_header(c);
  h.session[0] = 0;
  send_bytes(c, bytes, wire_pack_hello(&h, &c->me, bytes, sizeof bytes)); // not sent: one is waiting already
  c->hello_ms = now;
}

int client_send(struct client *c, struct command *command) {
  if (!c->welcomed)
    return 0;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header h = next_header(c);
  struct wire_command m = {.command = *command};
  memcpy(m.controller_id, c->me.controller_id, sizeof m.controller_id);
  command->sequence = h.sequence;
  return send_bytes(c, bytes, wire_pack_command(&h, &m, bytes, sizeof bytes));
}

// Keeps the session; returns whether the message is for the caller.
static int note(struct client *c, const struct wire_message *m) {
  c->heard_ms = clock_ms();
  if (m->kind == WIRE_WELCOME) {
    memcpy(c->session, m->header.session, sizeof c->session);
    c->welcomed = 1;
    return 1;
  }
  if (!c->welcomed && m->kind != WIRE_REFUSAL)
    return 0;
  if (c->welcomed && strcmp(m->header.session, c->session) != 0) { // another simulator: hello again
    c->welcomed = 0;
    return 0;
  }
  if (m->kind == WIRE_REFUSAL &&
      (m->as.refusal.reason == REFUSED_SESSION || m->as.refusal.reason == REFUSED_SEQUENCE))
    c->welcomed = 0; // hello again: the sequence begins anew with it
  if (m->kind == WIRE_SENSORS) {
    c->step = m->as.sensors.dp.step;
    c->time_s = m->as.sensors.dp.time_s;
  }
  return 1;
}

static int receive(struct client *c, struct wire_message *out) {
  zmq_msg_t message;
  zmq_msg_init(&message);
  int got = zmq_msg_recv(&message, c->dealer, ZMQ_DONTWAIT);
  int mine = 0;
  if (got >= 0)
    mine = wire_unpack(zmq_msg_data(&message), zmq_msg_size(&message), out, NULL) == WIRE_OK && note(c, out);
  zmq_msg_close(&message);
  return mine;
}

int client_poll(struct client *c, int timeout_ms, struct wire_message *out, struct reason *why) {
  int64_t end = clock_ms() + timeout_ms;
  for (;;) {
    say_hello_if_due(c);
    int64_t left = end - clock_ms();
    long wait = left <= 0 ? 0 : left < RECONNECT_MS ? (long)left : RECONNECT_MS;
    zmq_pollitem_t item = {c->dealer, 0, ZMQ_POLLIN, 0};
    int ready = zmq_poll(&item, 1, wait);
    if (ready < 0 && errno == EINTR)
      return 0;
    if (ready < 0) {
      fail(why, STATUS_IO, "receiving: %s", zmq_strerror(errno));
      return -1;
    }
    if (ready > 0 && receive(c, out))
      return 1;
    if (left <= 0)
      return 0;
  }
}
