#include "io/wire/client.h"

#include "io/codec/codec_view.h"
#include "io/net/clock.h"
#include "io/net/endpoint.h"
#include "io/wire/client_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum {
  HELLO_MS = 500,    // between Hello messages until one is answered
  SILENCE_MS = 1000, // Hello again after so long without a message
  SEND_QUEUE = 2,    // messages that wait while there is no simulator: one or two Hellos
  RECEIVE_QUEUE = 64,
  HEARTBEAT_MS = 200,
  HEARTBEAT_TIMEOUT_MS = 1000,
  RECONNECT_MS = 100
};

struct client {
  void *context, *dealer;
  void *handshakes; // monitor of the dealer
  int has_keys;
  struct client_keys keys;
  struct wire_hello me;
  char session[WIRE_NAME]; // empty: none yet
  int welcomed;
  uint64_t sequence, view_sequence;
  uint64_t step; // of the newest sensors
  double time_s;
  int64_t heard_ms, hello_ms;
};

static int make_id(char *id, size_t size) {
  unsigned char bytes[8];
  FILE *file = fopen("/dev/urandom", "rb");
  size_t got = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file)
    fclose(file);
  if (got != sizeof bytes)
    return 0;

  int used = snprintf(id, size, "%ld-", (long)getpid());
  for (size_t i = 0; i < sizeof bytes; i++)
    used += snprintf(id + used, size - (size_t)used, "%02x", bytes[i]);
  return 1;
}

static void set_int(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

// Without ZMQ_IMMEDIATE, which would discard received messages, among them End, when the simulator closes.
static enum status connect_to(struct client *client, const char *endpoint, struct reason *why) {
  client->context = zmq_ctx_new();
  client->dealer = client->context ? zmq_socket(client->context, ZMQ_DEALER) : NULL;
  if (!client->dealer)
    return fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));

  const int64_t largest = WIRE_MAX_ENVELOPE;
  zmq_setsockopt(client->dealer, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  set_int(client->dealer, ZMQ_LINGER, 0);
  set_int(client->dealer, ZMQ_SNDHWM, SEND_QUEUE);
  set_int(client->dealer, ZMQ_RCVHWM, RECEIVE_QUEUE);
  set_int(client->dealer, ZMQ_RECONNECT_IVL, RECONNECT_MS);
  set_int(client->dealer, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
  set_int(client->dealer, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS);
  enum status status = client_set_keys(client->dealer, client->has_keys ? &client->keys : NULL, why);
  if (status != STATUS_OK)
    return status;
  client->handshakes = client_watch_handshake(client->context, client->dealer);
  if (zmq_connect(client->dealer, endpoint) < 0)
    return fail(why, STATUS_BAD_INPUT, "cannot connect to '%s': %s", endpoint, zmq_strerror(errno));
  return STATUS_OK;
}

enum status client_open(const char *endpoint, const char *name, const struct client_keys *keys,
                        struct client **out, struct reason *why) {
  *out = NULL;
  if (endpoint_check(endpoint, ENDPOINT_CONNECT, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  struct client *client = calloc(1, sizeof *client);
  if (!client)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the client");
  enum status status = STATUS_OK;
  client->has_keys = keys != NULL;
  if (keys)
    client->keys = *keys;
  snprintf(client->me.name, sizeof client->me.name, "%s", name);
  if (!make_id(client->me.controller_id, sizeof client->me.controller_id))
    status = fail(why, STATUS_IO, "cannot read /dev/urandom");
  if (status == STATUS_OK)
    status = connect_to(client, endpoint, why);
  if (status != STATUS_OK) {
    client_close(client);
    return status;
  }
  client->heard_ms = clock_ms();
  client->hello_ms = client->heard_ms - HELLO_MS;
  *out = client;
  return STATUS_OK;
}

void client_close(struct client *client) {
  if (!client)
    return;
  if (client->handshakes)
    zmq_close(client->handshakes);
  if (client->dealer)
    zmq_close(client->dealer);
  peer_secret_forget(&client->keys.own);
  if (client->context)
    zmq_ctx_term(client->context);
  free(client);
}

static struct wire_header next_header(struct client *client) {
  struct wire_header header = {
      .sequence = ++client->sequence, .step = client->step, .time_s = client->time_s};
  memcpy(header.session, client->session, sizeof header.session);
  return header;
}

static int send_bytes(struct client *client, const uint8_t *bytes, size_t size) {
  return size > 0 && zmq_send(client->dealer, bytes, size, ZMQ_DONTWAIT) >= 0;
}

static void send_hello_if_due(struct client *client) {
  int64_t now = clock_ms();
  int is_wanted = !client->welcomed || now - client->heard_ms > SILENCE_MS;
  if (!is_wanted || now - client->hello_ms < HELLO_MS)
    return;

  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = next_header(client);
  header.session[0] = 0;
  send_bytes(client, bytes,
             wire_pack_hello(&header, &client->me, bytes,
                             sizeof bytes)); // if it is not sent, another one is waiting already
  client->hello_ms = now;
}

int client_send(struct client *client, struct command *command) {
  if (!client->welcomed)
    return 0;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = next_header(client);
  struct wire_command message = {.command = *command};
  memcpy(message.controller_id, client->me.controller_id, sizeof message.controller_id);
  command->sequence = header.sequence;
  return send_bytes(client, bytes, wire_pack_command(&header, &message, bytes, sizeof bytes));
}

int client_send_view(struct client *client, const struct wire_controller_view *view) {
  if (!client->welcomed)
    return 0;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = {
      .sequence = ++client->view_sequence, .step = client->step, .time_s = client->time_s};
  memcpy(header.session, client->session, sizeof header.session);
  return send_bytes(client, bytes,
                    wire_pack_controller_view(&header, view, WIRE_ENVELOPE, bytes, sizeof bytes));
}

// Tracks the session. Returns whether the message is for the caller.
static int track_session(struct client *client, const struct wire_message *message) {
  client->heard_ms = clock_ms();
  if (message->kind == WIRE_WELCOME) {
    memcpy(client->session, message->header.session, sizeof client->session);
    client->welcomed = 1;
    return 1;
  }
  if (!client->welcomed && message->kind != WIRE_REFUSAL)
    return 0;
  if (client->welcomed &&
      strcmp(message->header.session, client->session) != 0) { // another simulator: send Hello again
    client->welcomed = 0;
    return 0;
  }

  if (message->kind == WIRE_REFUSAL &&
      (message->as.refusal.reason == REFUSED_SESSION || message->as.refusal.reason == REFUSED_SEQUENCE))
    client->welcomed = 0; // send Hello again, which starts a new sequence
  if (message->kind == WIRE_SENSORS) {
    client->step = message->as.sensors.dp.step;
    client->time_s = message->as.sensors.dp.time_s;
  }
  return 1;
}

static int receive(struct client *client, struct wire_message *out) {
  zmq_msg_t message;
  zmq_msg_init(&message);
  int got = zmq_msg_recv(&message, client->dealer, ZMQ_DONTWAIT);
  int is_for_caller = 0;
  if (got >= 0)
    is_for_caller = wire_unpack(zmq_msg_data(&message), zmq_msg_size(&message), out, NULL) == WIRE_OK &&
                    track_session(client, out);
  zmq_msg_close(&message);
  return is_for_caller;
}

enum status client_poll(struct client *client, int timeout_ms, struct wire_message *out, struct reason *why) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    out->kind = WIRE_NONE;
    send_hello_if_due(client);
    int64_t left_ms = end_ms - clock_ms();
    long wait_ms = left_ms <= 0 ? 0 : left_ms < RECONNECT_MS ? (long)left_ms : RECONNECT_MS;
    zmq_pollitem_t items[] = {{client->dealer, 0, ZMQ_POLLIN, 0}, {client->handshakes, 0, ZMQ_POLLIN, 0}};
    int ready = zmq_poll(items, client->handshakes ? 2 : 1, wait_ms);
    if (ready < 0 && errno == EINTR)
      return STATUS_OK;
    if (ready < 0)
      return fail(why, STATUS_IO, "receiving: %s", zmq_strerror(errno));
    if (ready > 0 && receive(client, out))
      return STATUS_OK;
    if (client_check_handshake(client->handshakes, client->has_keys ? &client->keys : NULL, why) != STATUS_OK)
      return STATUS_IO;
    if (left_ms <= 0) {
      out->kind = WIRE_NONE;
      return STATUS_OK;
    }
  }
}
