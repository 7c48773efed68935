#include "net/server/client_socket.h"

#include "net/zmtp/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

enum {
  RENEW_MS = 100,       // from the end of a connection to the next socket; until then what has come is taken
  RENEW_MOST_MS = 1000, // after failures in a row
  RECONNECT_MS = 100,   // libzmq's own, while nobody listens
  HANDSHAKE_MS = 2000,
  LISTENS_MS = HANDSHAKE_MS + 2 * RENEW_MOST_MS, // somebody who listens is connected to at least so often
  REFUSALS = 3, // before the first success; one alone somebody on the path can make up
  KEEPALIVE_S = 5
};

static int set_int(void *socket, int option, int value) {
  return zmq_setsockopt(socket, option, &value, sizeof value);
}

static enum status set_keys(void *socket, const struct client_keys *keys, struct reason *why) {
  if (!keys || (zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys->server, PEER_KEY) == 0 &&
                zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys->own.key.bytes, PEER_KEY) == 0 &&
                zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->own.bytes, PEER_KEY) == 0))
    return STATUS_OK;
  return fail(why, STATUS_IO, "libzmq cannot use the keys: %s", zmq_strerror(errno));
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
  void *monitor = zmq_socket(context, ZMQ_PAIR);
  if (!monitor)
    return NULL;
  set_int(monitor, ZMQ_LINGER, 0);
  if (zmq_socket_monitor(socket, address, events) == 0 && zmq_connect(monitor, address) == 0)
    return monitor;
  zmq_close(monitor);
  return NULL;
}

// The socket reports nothing any more before the monitor closes: libzmq's thread would wait for ever to hand
// an event to a monitor that is gone.
static void close_socket(struct client_socket *s) {
  if (s->socket)
    zmq_socket_monitor(s->socket, NULL, 0);
  if (s->monitor)
    zmq_close(s->monitor);
  if (s->socket)
    zmq_close(s->socket);
  s->socket = s->monitor = NULL;
}

static enum status open_socket(struct client_socket *s, struct reason *why) {
  s->is_open = 0;
  s->renew_ms = 0;
  s->socket = zmq_socket(s->context, s->options.type);
  if (!s->socket)
    return fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
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
    return fail(why, STATUS_IO, "cannot watch a connection: %s", zmq_strerror(errno));
  if (zmq_connect(s->socket, s->endpoint) < 0)
    return fail(why, STATUS_IO, "cannot connect to %s: %s", s->endpoint, zmq_strerror(errno));
  return STATUS_OK;
}

enum status client_socket_open(struct client_socket *s, const char *endpoint,
                               const struct client_socket_options *options, struct reason *why) {
  *s = (struct client_socket){.options = *options};
  snprintf(s->endpoint, sizeof s->endpoint, "%s", endpoint);
  s->context = zmq_ctx_new();
  return s->context ? open_socket(s, why)
                    : fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
}

void client_socket_close(struct client_socket *s) {
  close_socket(s);
  if (s->context)
    zmq_ctx_term(s->context);
  s->context = NULL;
}

int client_socket_wait(struct client_socket *s, int timeout_ms) {
  if (!s->socket)
    return poll(NULL, 0, timeout_ms);
  zmq_pollitem_t items[] = {{s->socket, 0, ZMQ_POLLIN, 0}, {s->monitor, 0, ZMQ_POLLIN, 0}};
  return zmq_poll(items, 2, timeout_ms);
}

// An event is two frames: its number (16 bit) and value (32 bit), then the endpoint.
static int read_event(void *monitor, uint16_t *event, uint32_t *value) {
  uint8_t frame[6], endpoint[256];
  if (zmq_recv(monitor, frame, sizeof frame, ZMQ_DONTWAIT) != (int)sizeof frame)
    return 0;
  memcpy(event, frame, sizeof *event);
  memcpy(value, frame + sizeof *event, sizeof *value);
  return zmq_recv(monitor, endpoint, sizeof endpoint, ZMQ_DONTWAIT) >= 0;
}

static enum status refusal(const struct client_socket *s, uint16_t event, uint32_t value,
                           struct reason *why) {
  const struct client_keys *keys = s->options.keys;
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    return fail(why, STATUS_IO, "the simulator does not admit the key %s (%s)",
                keys ? keys->own.key.name : "", keys ? peer_role_name(keys->own.key.role) : "none");
  if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    return fail(why, STATUS_IO,
                "the simulator admits only clients with a key: --key and --server-key expected");
  return fail(why, STATUS_IO, "the handshake with the simulator failed (libzmq's code %08x)",
              (unsigned)value);
}

// Whether the simulator has refused this client for good. Any other error of a handshake may come from the
// path to it.
static int is_refusal(uint16_t event, uint32_t value) {
  return event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH || value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
}

static void plan_renewal(struct client_socket *s) {
  int pause_ms = RENEW_MS;
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
      s->is_open = s->has_been_open = 1;
      s->failures = 0;
    } else if (event == ZMQ_EVENT_DISCONNECTED) {
      if (!s->renew_ms)
        plan_renewal(s);
    } else if (!s->has_been_open && is_refusal(event, value) && ++s->refusals == REFUSALS) {
      return refusal(s, event, value, why);
    } else if (!s->failures) { // anybody on the path can say so
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

const char *client_socket_silence(const struct client_socket *s) {
  if (s->is_open)
    return "it is connected, and says nothing. Is the simulator suspended?";
  if (!s->connected_ms || clock_ms() - s->connected_ms > LISTENS_MS)
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
