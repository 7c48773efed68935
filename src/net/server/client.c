#include "net/server/server.h"
#include "net/server/server_internal.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/zmtp/zmtp.h"
#include "os/process/process.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  HELLO_MS = 500,    // between Hello messages until one is answered
  SILENCE_MS = 1000, // Hello again after so long without a message
  RENEW_MS = 3000,   // another socket after so long without an answer over an open connection
  SEND_QUEUE = 2,    // messages that wait while there is no simulator: one or two Hellos
  FOLLOW_MS = 100,   // longest wait between two looks at the connection
  LOST_MS = 1000,    // a network that has brought nothing for so long is lost,
  LOST_MESSAGES = 3  // if the other one has brought so many messages meanwhile
};

static const char *client_socket_silence(const struct client_socket *s);

// The connection by one network.
struct way {
  struct client_socket socket;
  int welcomed;
  int may_repeat; // the newest Sensors may come again
  int64_t heard_ms, hello_ms;
  int64_t opened_ms;           // when the present socket was opened
  uint64_t newest[WIRE_KINDS]; // sequence of each kind of message
  uint64_t behind;             // messages that the other network has brought since
  int is_lost;
  struct client_counts counts;
};

struct client {
  int way_count;
  struct way way[NETWORKS];
  int next_way;     // that is looked at first
  int watched_file; // -1: none
  int has_keys;
  struct client_keys keys;
  struct wire_hello me;
  char session[WIRE_NAME]; // empty: none yet
  uint64_t newest[WIRE_KINDS];
  uint64_t sequence, view_sequence;
  uint64_t step; // of the newest sensors
  double time_s;
  struct reason notice; // of a network
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
  zmq.setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  zmq.setsockopt(socket, ZMQ_SNDHWM, &send_queue, sizeof send_queue);
  zmq.setsockopt(socket, ZMQ_RCVHWM, &no_limit, sizeof no_limit);
}

static enum status connect_to(struct client *client, int which, const char *endpoint, struct reason *why) {
  struct way *way = &client->way[which];
  const struct client_socket_options options = {
      .type = ZMQ_DEALER, .keys = client->has_keys ? &client->keys : NULL, .prepare = prepare};
  way->heard_ms = way->opened_ms = clock_ms();
  way->hello_ms = way->heard_ms - HELLO_MS;
  client->way_count = which + 1;
  return client_socket_open(&way->socket, endpoint, &options, why);
}

enum status client_open(const char *endpoint, const char *name, const struct client_keys *keys,
                        struct client **out, struct reason *why) {
  const char *const endpoints[NETWORKS] = {endpoint};
  return client_open_both(endpoints, name, keys, out, why);
}

enum status client_open_both(const char *const endpoints[NETWORKS], const char *name,
                             const struct client_keys *keys, struct client **out, struct reason *why) {
  const int count = endpoints[1] && *endpoints[1] ? NETWORKS : 1;
  *out = NULL;
  for (int i = 0; i < count; i++)
    if (endpoint_check(endpoints[i], ENDPOINT_CONNECT, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  struct client *client = calloc(1, sizeof *client);
  if (!client)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the client");
  enum status status = STATUS_OK;
  client->watched_file = -1;
  client->has_keys = keys != NULL;
  if (keys)
    client->keys = *keys;
  snprintf(client->me.name, sizeof client->me.name, "%s", name);
  if (!make_id(client->me.controller_id, sizeof client->me.controller_id))
    status = fail(why, STATUS_IO, "cannot read /dev/urandom");
  for (int i = 0; i < count && status == STATUS_OK; i++)
    status = connect_to(client, i, endpoints[i], why);
  if (status != STATUS_OK) {
    client_close(client);
    return status;
  }
  *out = client;
  return STATUS_OK;
}

void client_close(struct client *client) {
  if (!client)
    return;
  for (int i = 0; i < client->way_count; i++)
    client_socket_close(&client->way[i].socket);
  peer_secret_forget(&client->keys.own);
  free(client);
}

static struct wire_header next_header(struct client *client) {
  struct wire_header header = {
      .sequence = ++client->sequence, .step = client->step, .time_s = client->time_s};
  memcpy(header.session, client->session, sizeof header.session);
  return header;
}

static int send_bytes(struct way *way, const uint8_t *bytes, size_t size) {
  const int is_sent = size > 0 && zmq.send(way->socket.socket, bytes, size, ZMQ_DONTWAIT) >= 0;
  way->counts.sent += (uint64_t)is_sent;
  return is_sent;
}

// By each network over which the simulator has welcomed this client. Returns whether one has taken it.
static int send_to_all(struct client *client, const uint8_t *bytes, size_t size) {
  int any = 0;
  for (int i = 0; i < client->way_count; i++)
    if (client->way[i].welcomed)
      any |= send_bytes(&client->way[i], bytes, size);
  return any;
}

static int is_welcomed(const struct client *client) {
  int any = 0;
  for (int i = 0; i < client->way_count; i++)
    any |= client->way[i].welcomed;
  return any;
}

static void send_hello_if_due(struct client *client, struct way *way) {
  int64_t now = clock_ms();
  int is_wanted = !way->welcomed || now - way->heard_ms > SILENCE_MS;
  if (!is_wanted || now - way->hello_ms < HELLO_MS)
    return;

  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = next_header(client);
  header.session[0] = 0;
  send_bytes(way, bytes,
             wire_pack_hello(&header, &client->me, bytes,
                             sizeof bytes)); // if it is not sent, another one is waiting already
  way->hello_ms = now;
}

int client_send(struct client *client, struct command *command, const struct dp_alarm_list *alarms) {
  return client_send_as(client, command, &(struct client_answer){.alarms = alarms, .hand_over = ""});
}

int client_send_as(struct client *client, struct command *command, const struct client_answer *as) {
  if (!is_welcomed(client))
    return 0;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = next_header(client);
  struct wire_command message = {
      .command = *command, .is_shadow = as->is_shadow, .has_estimate = as->estimate != NULL};
  snprintf(message.hand_over, sizeof message.hand_over, "%s", as->hand_over);
  if (as->estimate)
    memcpy(message.estimate, as->estimate, sizeof message.estimate);
  if (as->alarms)
    message.alarms = *as->alarms;
  memcpy(message.controller_id, client->me.controller_id, sizeof message.controller_id);
  command->sequence = header.sequence;
  return send_to_all(client, bytes, wire_pack_command(&header, &message, bytes, sizeof bytes));
}

// By one network: for spectators.
int client_send_view(struct client *client, const struct wire_controller_view *view) {
  struct way *way = &client->way[0];
  for (int i = 1; i < client->way_count; i++)
    if (!way->welcomed || way->is_lost)
      way = &client->way[i];
  if (!way->welcomed)
    return 0;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = {
      .sequence = ++client->view_sequence, .step = client->step, .time_s = client->time_s};
  memcpy(header.session, client->session, sizeof header.session);
  return send_bytes(way, bytes, wire_pack_controller_view(&header, view, WIRE_ENVELOPE, bytes, sizeof bytes));
}

// A Welcome by this network. Returns 0 if it is of another simulator than that which the other network leads
// to.
static int take_welcome(struct client *client, struct way *way, const struct wire_message *message) {
  const int is_other = strcmp(message->header.session, client->session) != 0;
  for (int i = 0; i < client->way_count && is_other; i++) {
    const struct way *other = &client->way[i];
    if (other == way || !other->welcomed || clock_ms() - other->heard_ms > SILENCE_MS)
      continue;
    snprintf(client->notice.text, sizeof client->notice.text,
             "network %s leads to session %s, network %s to session %s",
             network_name((int)(way - client->way)), message->header.session, network_name(i),
             client->session);
    return 0;
  }
  if (is_other) {
    memset(client->newest, 0, sizeof client->newest);
    for (int i = 0; i < client->way_count; i++)
      memset(client->way[i].newest, 0, sizeof client->way[i].newest);
  }
  memcpy(client->session, message->header.session, sizeof client->session);
  way->welcomed = way->may_repeat = 1;
  return 1;
}

// Whether the other network has brought this message, or a switch has repeated it. What comes again after a
// Welcome is wanted: then the simulator sends its newest Sensors again.
static int is_copy(struct client *client, struct way *way, const struct wire_message *message) {
  const enum wire_kind kind = message->kind;
  const uint64_t sequence = message->header.sequence;
  const int is_new_here = sequence > way->newest[kind], is_old = sequence <= client->newest[kind];
  if (client->way_count == 1 || kind == WIRE_WELCOME || kind == WIRE_REFUSAL)
    return 0;
  if (is_new_here)
    way->newest[kind] = sequence;
  if (!is_old)
    client->newest[kind] = sequence;
  if (is_new_here && kind == WIRE_SENSORS)
    way->may_repeat = 0;
  const int is_copy = is_new_here ? is_old : !way->may_repeat;
  way->counts.doubled += (uint64_t)is_copy;
  return is_copy;
}

// Which network brings nothing while the other one does.
static void note_networks(struct client *client, struct way *way) {
  if (way->is_lost)
    snprintf(client->notice.text, sizeof client->notice.text, "network %s brings messages again",
             network_name((int)(way - client->way)));
  way->is_lost = 0;
  way->behind = 0;
  for (int i = 0; i < client->way_count; i++) {
    struct way *other = &client->way[i];
    if (other == way || other->is_lost || ++other->behind < LOST_MESSAGES ||
        way->heard_ms - other->heard_ms < LOST_MS)
      continue;
    other->is_lost = 1;
    snprintf(client->notice.text, sizeof client->notice.text,
             "network %s brings nothing: %s; network %s does", network_name(i),
             client_socket_silence(&other->socket), network_name((int)(way - client->way)));
  }
}

// Tracks the session. Returns whether the message is for the caller.
static int track_session(struct client *client, struct way *way, const struct wire_message *message) {
  way->heard_ms = way->opened_ms = clock_ms();
  way->counts.received++;
  note_networks(client, way);
  if (message->kind == WIRE_WELCOME)
    return take_welcome(client, way, message);
  if (!way->welcomed && message->kind != WIRE_REFUSAL)
    return 0;
  if (way->welcomed &&
      strcmp(message->header.session, client->session) != 0) { // another simulator: send Hello again
    way->welcomed = 0;
    return 0;
  }

  if (message->kind == WIRE_REFUSAL &&
      (message->as.refusal.reason == REFUSED_SESSION || message->as.refusal.reason == REFUSED_SEQUENCE))
    way->welcomed = 0; // send Hello again, which starts a new sequence
  if (is_copy(client, way, message))
    return 0;
  if (message->kind == WIRE_SENSORS) {
    client->step = message->as.sensors.dp.step;
    client->time_s = message->as.sensors.dp.time_s;
  }
  return 1;
}

static int receive(struct client *client, struct way *way, struct wire_message *out) {
  zmq_msg_t message;
  zmq.msg_init(&message);
  int got = zmq.msg_recv(&message, way->socket.socket, ZMQ_DONTWAIT);
  int is_for_caller = 0;
  if (got >= 0)
    is_for_caller = wire_unpack(zmq.msg_data(&message), zmq.msg_size(&message), out, NULL) == WIRE_OK &&
                    track_session(client, way, out);
  zmq.msg_close(&message);
  return is_for_caller;
}

// Of the networks in turn.
static int receive_any(struct client *client, struct wire_message *out) {
  for (int i = 0; i < client->way_count; i++) {
    const int which = (client->next_way + i) % client->way_count;
    if (client->way[which].socket.socket && receive(client, &client->way[which], out)) {
      client->next_way = (which + 1) % client->way_count;
      return 1;
    }
  }
  return 0;
}

// A connection that is open and silent although Hello asks: an altered length of a frame, for example.
static void renew_if_silent(struct way *way) {
  int64_t now = clock_ms(), since = way->heard_ms > way->opened_ms ? way->heard_ms : way->opened_ms;
  if (way->socket.is_open && now - since > RENEW_MS)
    client_socket_renew(&way->socket);
}

static enum status follow(struct way *way, struct reason *why) {
  int is_new;
  renew_if_silent(way);
  enum status status = client_socket_follow(&way->socket, &is_new, why);
  if (!is_new)
    return status;
  way->welcomed = 0; // over another connection Hello comes first
  way->opened_ms = clock_ms();
  way->hello_ms = way->opened_ms - HELLO_MS;
  return status;
}

// Follows each connection. A simulator that refuses the keys is an error unless the other network has been
// open.
static enum status follow_all(struct client *client, struct reason *why) {
  enum status status = STATUS_OK;
  int has_been_open = 0;
  for (int i = 0; i < client->way_count; i++)
    has_been_open |= client->way[i].socket.has_been_open;
  for (int i = 0; i < client->way_count; i++)
    if (follow(&client->way[i], why) != STATUS_OK && !has_been_open)
      status = STATUS_IO;
  return status;
}

void client_watch(struct client *client, int file) {
  client->watched_file = file;
}

// As client_socket_wait, for both networks and the watched file.
static int wait_for_ways(struct client *client, int timeout_ms, int *is_watched_ready) {
  zmq_pollitem_t items[2 * NETWORKS + 1];
  int count = 0;
  *is_watched_ready = 0;
  if (client->watched_file >= 0)
    items[count++] = (zmq_pollitem_t){NULL, client->watched_file, ZMQ_POLLIN, 0};
  for (int i = 0; i < client->way_count; i++) {
    const struct client_socket *s = &client->way[i].socket;
    if (!s->socket)
      continue;
    items[count++] = (zmq_pollitem_t){s->socket, 0, ZMQ_POLLIN, 0};
    items[count++] = (zmq_pollitem_t){s->monitor, 0, ZMQ_POLLIN, 0};
  }
  const int ready = count ? zmq.poll(items, count, timeout_ms) : poll(NULL, 0, timeout_ms);
  *is_watched_ready = ready > 0 && client->watched_file >= 0 && items[0].revents;
  return ready;
}

enum status client_poll(struct client *client, int timeout_ms, struct wire_message *out, struct reason *why) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    out->kind = WIRE_NONE;
    for (int i = 0; i < client->way_count; i++)
      send_hello_if_due(client, &client->way[i]);
    int64_t left_ms = end_ms - clock_ms();
    int wait_ms = left_ms <= 0 ? 0 : left_ms < FOLLOW_MS ? (int)left_ms : FOLLOW_MS;
    int is_watched_ready, ready = wait_for_ways(client, wait_ms, &is_watched_ready);
    if (ready < 0 && errno == EINTR)
      return STATUS_OK;
    if (ready < 0)
      return fail(why, STATUS_IO, "receiving: %s", zmq.strerror(errno));
    if (ready > 0 && receive_any(client, out))
      return STATUS_OK;
    if (follow_all(client, why) != STATUS_OK)
      return STATUS_IO;
    if (left_ms <= 0 || is_watched_ready) {
      out->kind = WIRE_NONE;
      return STATUS_OK;
    }
  }
}

const char *client_silence(const struct client *client) {
  int which = 0; // the network that has come further
  for (int i = 1; i < client->way_count; i++)
    which = client->way[i].socket.is_open && !client->way[0].socket.is_open ? i : which;
  return client_socket_silence(&client->way[which].socket);
}

int client_networks(const struct client *client) {
  return client->way_count;
}

struct client_counts client_counts(const struct client *client, int network) {
  struct client_counts out = client->way[network].counts;
  out.is_lost = client->way[network].is_lost || clock_ms() - client->way[network].heard_ms > LOST_MS;
  return out;
}

int client_take_notice(struct client *client, struct reason *out) {
  struct reason *notice = &client->notice;
  for (int i = 0; i < client->way_count && !*notice->text; i++)
    notice = &client->way[i].socket.notice;
  *out = *notice;
  notice->text[0] = '\0';
  return *out->text != '\0';
}

// ------------------------------------------------------------
enum {
  NEXT_SOCKET_MS = 100, // from the end of a connection to the next socket; until then what has come is taken
  RENEW_MOST_MS = 1000, // after failures in a row
  RECONNECT_MS = 100,   // libzmq's own, while nobody listens
  HANDSHAKE_MS = 2000,
  LISTENS_MS = HANDSHAKE_MS + 2 * RENEW_MOST_MS, // somebody who listens is connected to at least so often
  REFUSALS = 3, // before the first success; one alone somebody on the path can make up
  KEEPALIVE_S = 5
};

static int set_int(void *socket, int option, int value) {
  return zmq.setsockopt(socket, option, &value, sizeof value);
}

static enum status set_keys(void *socket, const struct client_keys *keys, struct reason *why) {
  if (!keys || (zmq.setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys->server, PEER_KEY) == 0 &&
                zmq.setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys->own.key.bytes, PEER_KEY) == 0 &&
                zmq.setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->own.bytes, PEER_KEY) == 0))
    return STATUS_OK;
  return fail(why, STATUS_IO, "libzmq cannot use the keys: %s", zmq.strerror(errno));
}

// With keys the event of a protocol error is not asked for: libzmq loses connections whose messages were
// altered where somebody watches it, and then ends the program if it has heartbeats (docs/security.md). So no
// heartbeats either.
static void *watch(void *context, void *socket, int has_keys) {
  static atomic_uint next;
  const int events = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                     ZMQ_EVENT_DISCONNECTED | (has_keys ? 0 : ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
  char address[64];
  snprintf(address, sizeof address, "inproc://connection-%u", atomic_fetch_add(&next, 1));
  void *monitor = zmq.socket(context, ZMQ_PAIR);
  if (!monitor)
    return NULL;
  set_int(monitor, ZMQ_LINGER, 0);
  if (zmq.socket_monitor(socket, address, events) == 0 && zmq.connect(monitor, address) == 0)
    return monitor;
  zmq.close(monitor);
  return NULL;
}

// The socket reports nothing any more before the monitor closes: libzmq's thread would wait for ever to hand
// an event to a monitor that is gone.
static void close_socket(struct client_socket *s) {
  if (s->socket)
    zmq.socket_monitor(s->socket, NULL, 0);
  if (s->monitor)
    zmq.close(s->monitor);
  if (s->socket)
    zmq.close(s->socket);
  s->socket = s->monitor = NULL;
}

static enum status open_socket(struct client_socket *s, struct reason *why) {
  s->is_open = 0;
  s->renew_ms = 0;
  s->socket = zmq.socket(s->context, s->options.type);
  if (!s->socket)
    return fail(why, STATUS_IO, "cannot open a socket: %s", zmq.strerror(errno));
  set_int(s->socket, ZMQ_LINGER, 0);
  set_int(s->socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
  set_int(s->socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
  set_int(s->socket, ZMQ_TCP_KEEPALIVE, 1);
  set_int(s->socket, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_S);
  set_int(s->socket, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_S);
  set_int(s->socket, ZMQ_TCP_KEEPALIVE_CNT, 3);
  if (s->options.prepare)
    s->options.prepare(s->socket, s->options.context);
  enum status status = set_keys(s->socket, s->options.keys, why);
  if (status != STATUS_OK)
    return status;
  s->monitor = watch(s->context, s->socket, s->options.keys != NULL);
  if (!s->monitor)
    return fail(why, STATUS_IO, "cannot watch a connection: %s", zmq.strerror(errno));
  if (zmq.connect(s->socket, s->endpoint) < 0)
    return fail(why, STATUS_IO, "cannot connect to %s: %s", s->endpoint, zmq.strerror(errno));
  return STATUS_OK;
}

struct zmq zmq;

static const struct library_function FUNCTIONS[] = {
#define OF(function) {"zmq_" #function, &zmq.function},
    ZMQ_FUNCTIONS(OF)
#undef OF
};
LIBRARY_ON_DEMAND(libzmq, "libzmq.so.5", "libzmq5", "A connection to a simulator", "required", FUNCTIONS);

enum status client_load(struct reason *why) {
  return library_load(&libzmq, why);
}

enum status client_socket_open(struct client_socket *s, const char *endpoint,
                               const struct client_socket_options *options, struct reason *why) {
  *s = (struct client_socket){.options = *options};
  snprintf(s->endpoint, sizeof s->endpoint, "%s", endpoint);
  if (client_load(why) != STATUS_OK)
    return STATUS_IO;
  s->context = zmq.ctx_new();
  return s->context ? open_socket(s, why)
                    : fail(why, STATUS_IO, "cannot open a socket: %s", zmq.strerror(errno));
}

void client_socket_close(struct client_socket *s) {
  close_socket(s);
  if (s->context)
    zmq.ctx_term(s->context);
  s->context = NULL;
}

int client_socket_wait(struct client_socket *s, int timeout_ms) {
  if (!s->socket)
    return poll(NULL, 0, timeout_ms);
  zmq_pollitem_t items[] = {{s->socket, 0, ZMQ_POLLIN, 0}, {s->monitor, 0, ZMQ_POLLIN, 0}};
  return zmq.poll(items, 2, timeout_ms);
}

// An event is two frames: its number (16 bit) and value (32 bit), then the endpoint.
static int read_event(void *monitor, uint16_t *event, uint32_t *value) {
  uint8_t frame[6], endpoint[256];
  if (zmq.recv(monitor, frame, sizeof frame, ZMQ_DONTWAIT) != (int)sizeof frame)
    return 0;
  memcpy(event, frame, sizeof *event);
  memcpy(value, frame + sizeof *event, sizeof *value);
  return zmq.recv(monitor, endpoint, sizeof endpoint, ZMQ_DONTWAIT) >= 0;
}

static enum status refusal(const struct client_socket *s, uint16_t event, uint32_t value,
                           struct reason *why) {
  const struct client_keys *keys = s->options.keys;
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    return fail(why, STATUS_IO, "the simulator does not admit the key %s (%s)",
                keys ? keys->own.key.name : "", keys ? peer_role_name(keys->own.key.role) : "none");
  if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    return fail(why, STATUS_IO,
                "the simulator needs --key and --server-key: it admits only clients with a key");
  return fail(why, STATUS_IO, "the handshake with the simulator failed (libzmq's code %08x)",
              (unsigned)value);
}

// Whether the simulator has refused this client for good. Any other error of a handshake may come from the
// path to it.
static int is_refusal(uint16_t event, uint32_t value) {
  return event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH || value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
}

static void plan_renewal(struct client_socket *s) {
  int pause_ms = NEXT_SOCKET_MS;
  for (int i = 0; i < s->failures && pause_ms < RENEW_MOST_MS; i++)
    pause_ms *= 2;
  s->failures = s->is_open ? 0 : s->failures + 1;
  s->renew_ms = clock_ms() + (pause_ms < RENEW_MOST_MS ? pause_ms : RENEW_MOST_MS);
}

enum status client_socket_follow(struct client_socket *s, int *is_new, struct reason *why) {
  uint16_t event;
  uint32_t value;
  *is_new = 0;
  while (s->monitor && read_event(s->monitor, &event, &value)) {
    if (event == ZMQ_EVENT_CONNECTED) {
      s->connected_ms = clock_ms();
    } else if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
      // This socket has opened at last, by libzmq's own attempt, and nothing but a Hello has waited in it:
      // another one would end a connection that works.
      s->renew_ms = s->is_open ? s->renew_ms : 0;
      s->is_open = s->has_been_open = 1;
      s->failures = 0;
    } else if (event == ZMQ_EVENT_DISCONNECTED) {
      if (!s->renew_ms)
        plan_renewal(s);
    } else if (!s->has_been_open && is_refusal(event, value) && ++s->refusals == REFUSALS) {
      return refusal(s, event, value, why);
    } else if (!s->failures) { // anybody on the path can claim it
      refusal(s, event, value, &s->notice);
    }
  }
  if (!s->renew_ms || clock_ms() < s->renew_ms)
    return STATUS_OK;
  close_socket(s);
  *is_new = 1;
  s->was_open = s->is_open;
  if (open_socket(s, &s->notice) != STATUS_OK) { // for example because the process has too many files open
    close_socket(s);
    s->renew_ms = clock_ms() + RENEW_MOST_MS;
  }
  return STATUS_OK;
}

int client_socket_has_listener(const struct client_socket *s) {
  return s->connected_ms && clock_ms() - s->connected_ms <= LISTENS_MS;
}

// Why nothing comes over a connection that is silent, as far as this end knows, and what to check: for
// people.
static const char *client_socket_silence(const struct client_socket *s) {
  if (s->is_open)
    return "it is connected, and says nothing. Is the simulator suspended?";
  if (!client_socket_has_listener(s))
    return "nothing listens there. Is the simulator running, and is this the endpoint of its line 'commands "
           "at'?";
  return s->options.keys ? "something listens there, and the handshake fails. Is --server-key its public "
                           "key, does it use keys, and is "
                           "this the endpoint of its line 'commands at', not 'telemetry at'?"
                         : "something listens there, and the handshake fails. Is this the endpoint of the "
                           "simulator's line 'commands "
                           "at', not 'telemetry at'?";
}

void client_socket_renew(struct client_socket *s) {
  s->renew_ms = clock_ms();
}
