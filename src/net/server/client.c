#include "net/server/client.h"

#include "net/messages/codec_view.h"
#include "net/zmtp/clock.h"
#include "net/zmtp/endpoint.h"
#include "net/server/client_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum {
  HELLO_MS = 500,    // between Hello messages until one is answered
  SILENCE_MS = 1000, // Hello again after so long without a message
  RENEW_MS = 3000,   // another socket after so long without an answer over an open connection
  SEND_QUEUE = 2,    // messages that wait while there is no simulator: one or two Hellos
  FOLLOW_MS = 100    // longest wait between two looks at the connection
};

struct client {
  struct client_socket line;
  int has_keys;
  struct client_keys keys;
  struct wire_hello me;
  char session[WIRE_NAME]; // empty: none yet
  int welcomed;
  uint64_t sequence, view_sequence;
  uint64_t step; // of the newest sensors
  double time_s;
  int64_t heard_ms, hello_ms;
  int64_t opened_ms; // when the present socket was opened
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

// Without ZMQ_IMMEDIATE, which would discard received messages, among them End, when the simulator closes.
// The receive queue has no limit: a full one stops libzmq from reading, also the end of a connection. It is
// read all the time.
static void prepare(void *socket, const void *context) {
  const int64_t largest = WIRE_MAX_ENVELOPE;
  const int send_queue = SEND_QUEUE, no_limit = 0;
  (void)context;
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  zmq_setsockopt(socket, ZMQ_SNDHWM, &send_queue, sizeof send_queue);
  zmq_setsockopt(socket, ZMQ_RCVHWM, &no_limit, sizeof no_limit);
}

static enum status connect_to(struct client *client, const char *endpoint, struct reason *why) {
  const struct client_socket_options options = {
      .type = ZMQ_DEALER, .keys = client->has_keys ? &client->keys : NULL, .prepare = prepare};
  return client_socket_open(&client->line, endpoint, &options, why);
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
  client->heard_ms = client->opened_ms = clock_ms();
  client->hello_ms = client->heard_ms - HELLO_MS;
  *out = client;
  return STATUS_OK;
}

void client_close(struct client *client) {
  if (!client)
    return;
  client_socket_close(&client->line);
  peer_secret_forget(&client->keys.own);
  free(client);
}

static struct wire_header next_header(struct client *client) {
  struct wire_header header = {
      .sequence = ++client->sequence, .step = client->step, .time_s = client->time_s};
  memcpy(header.session, client->session, sizeof header.session);
  return header;
}

static int send_bytes(struct client *client, const uint8_t *bytes, size_t size) {
  return size > 0 && zmq_send(client->line.socket, bytes, size, ZMQ_DONTWAIT) >= 0;
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

int client_send(struct client *client, struct command *command, const struct dp_alarm_list *alarms) {
  if (!client->welcomed)
    return 0;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = next_header(client);
  struct wire_command message = {.command = *command};
  if (alarms)
    message.alarms = *alarms;
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
  client->heard_ms = client->opened_ms = clock_ms();
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
  int got = zmq_msg_recv(&message, client->line.socket, ZMQ_DONTWAIT);
  int is_for_caller = 0;
  if (got >= 0)
    is_for_caller = wire_unpack(zmq_msg_data(&message), zmq_msg_size(&message), out, NULL) == WIRE_OK &&
                    track_session(client, out);
  zmq_msg_close(&message);
  return is_for_caller;
}

// A connection that is open and silent although Hello asks: an altered length of a frame, for example.
static void renew_if_silent(struct client *client) {
  int64_t now = clock_ms(),
          since = client->heard_ms > client->opened_ms ? client->heard_ms : client->opened_ms;
  if (client->line.is_open && now - since > RENEW_MS)
    client_socket_renew(&client->line);
}

static enum status follow(struct client *client, struct reason *why) {
  int is_new;
  renew_if_silent(client);
  enum status status = client_socket_follow(&client->line, &is_new, why);
  if (!is_new)
    return status;
  client->welcomed = 0; // over another connection Hello comes first
  client->opened_ms = clock_ms();
  client->hello_ms = client->opened_ms - HELLO_MS;
  return status;
}

enum status client_poll(struct client *client, int timeout_ms, struct wire_message *out, struct reason *why) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    out->kind = WIRE_NONE;
    send_hello_if_due(client);
    int64_t left_ms = end_ms - clock_ms();
    int wait_ms = left_ms <= 0 ? 0 : left_ms < FOLLOW_MS ? (int)left_ms : FOLLOW_MS;
    int ready = client_socket_wait(&client->line, wait_ms);
    if (ready < 0 && errno == EINTR)
      return STATUS_OK;
    if (ready < 0)
      return fail(why, STATUS_IO, "receiving: %s", zmq_strerror(errno));
    if (ready > 0 && receive(client, out))
      return STATUS_OK;
    if (follow(client, why) != STATUS_OK)
      return STATUS_IO;
    if (left_ms <= 0) {
      out->kind = WIRE_NONE;
      return STATUS_OK;
    }
  }
}

const char *client_silence(const struct client *client) {
  return client_socket_silence(&client->line);
}

int client_take_notice(struct client *client, struct reason *out) {
  *out = client->line.notice;
  client->line.notice.text[0] = '\0';
  return *out->text != '\0';
}
