// Who is admitted to the router, and what each may send. libzmq asks for each key by the protocol ZAP
// (https://rfc.zeromq.org/spec/27), over a socket inside the process; server_poll answers.
#include "io/wire/server_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

enum { ZAP_FRAMES = 7, ZAP_FRAME = 256, ANSWERS_PER_POLL = 64 };

// Frames of a request: version, request id, domain, address, routing id, mechanism, credentials (a public
// key).
struct request {
  unsigned char frame[ZAP_FRAMES][ZAP_FRAME];
  int size[ZAP_FRAMES];
  int count; // frames that came
};

static int is_text(const struct request *request, int frame, const char *text) {
  return frame < request->count && request->size[frame] == (int)strlen(text) &&
         memcmp(request->frame[frame], text, strlen(text)) == 0;
}

static int receive_request(void *zap, struct request *request) {
  int more = 1;
  size_t size = sizeof more;
  unsigned char rest[ZAP_FRAME];
  for (request->count = 0; more; request->count++) {
    int keeps = request->count < ZAP_FRAMES;
    int got = zmq_recv(zap, keeps ? request->frame[request->count] : rest, ZAP_FRAME, ZMQ_DONTWAIT);
    if (got < 0)
      return 0;
    if (keeps)
      request->size[request->count] = got < ZAP_FRAME ? got : ZAP_FRAME;
    zmq_getsockopt(zap, ZMQ_RCVMORE, &more, &size);
  }
  return 1;
}

static void answer(void *zap, const struct request *request, const struct peer_key *key) {
  char user[PEER_KEY_NAME + 16] = "";
  if (key)
    snprintf(user, sizeof user, "%s %s", peer_role_name(key->role), key->name);
  zmq_send(zap, "1.0", 3, ZMQ_SNDMORE);
  zmq_send(zap, request->frame[1], (size_t)request->size[1], ZMQ_SNDMORE);
  zmq_send(zap, key ? "200" : "400", 3, ZMQ_SNDMORE);
  zmq_send(zap, "", 0, ZMQ_SNDMORE);
  zmq_send(zap, user, strlen(user), ZMQ_SNDMORE);
  zmq_send(zap, "", 0, 0);
}

// The entry of the key, if it is admitted to the router; otherwise the denial is counted.
static const struct peer_key *judge(struct server *server, const struct request *request) {
  char who[PEER_ADDRESS + PEER_KEY_NAME + Z85_KEY_TEXT + 32], address[PEER_ADDRESS] = "", text[Z85_KEY_TEXT];
  int is_whole = request->count == ZAP_FRAMES && is_text(request, 0, "1.0") && is_text(request, 5, "CURVE") &&
                 request->size[6] == PEER_KEY;
  if (request->count > 3)
    snprintf(address, sizeof address, "%.*s", request->size[3], (const char *)request->frame[3]);
  if (!is_whole) {
    server_deny(server, DENIED_MECHANISM, address, NULL);
    return NULL;
  }
  const struct peer_key *key = admitted_keys_find(&server->guard.keys->admitted, request->frame[6]);
  z85_write_key(request->frame[6], text);
  if (!key) {
    snprintf(who, sizeof who, "key %s from %s", text, address);
    server_deny(server, DENIED_UNKNOWN_KEY, who, NULL);
    return NULL;
  }
  if (key->role != ROLE_CONTROLLER && key->role != ROLE_OPERATOR) {
    snprintf(who, sizeof who, "%s %s from %s", peer_role_name(key->role), key->name, address);
    server_deny(server, DENIED_ROLE, who, "the command socket is for controllers and operators");
    return NULL;
  }
  server->guard.counts.admitted++;
  return key;
}

void server_serve_keys(struct server *server) {
  struct request request;
  for (int i = 0; server->guard.zap && i < ANSWERS_PER_POLL && receive_request(server->guard.zap, &request);
       i++)
    answer(server->guard.zap, &request, judge(server, &request));
}

// What each role may send. Without keys every peer may send everything.
int server_may_send(const struct sender *from, enum wire_kind kind) {
  switch (kind) {
  case WIRE_HELLO:
  case WIRE_COMMAND:
  case WIRE_CONTROLLER_VIEW:
    return from->role < 0 || from->role == ROLE_CONTROLLER;
  case WIRE_ORDER:
    return from->role < 0 || from->role == ROLE_OPERATOR;
  default:
    return 1; // refused as malformed, whoever sends it
  }
}

struct sender_text server_sender_text(const struct sender *from) {
  struct sender_text out;
  if (from->role >= 0)
    snprintf(out.text, sizeof out.text, "%s %s from %s", peer_role_name((enum peer_role)from->role),
             from->key, from->address);
  else
    snprintf(out.text, sizeof out.text, "%s", *from->address ? from->address : "a peer");
  return out;
}

static enum status open_keys(struct server *server, struct reason *why) {
  static const char domain[] = "sagbend";
  struct guard *guard = &server->guard;
  const int yes = 1, zero = 0;
  guard->zap = zmq_socket(server->context, ZMQ_REP);
  if (!guard->zap || zmq_setsockopt(guard->zap, ZMQ_LINGER, &zero, sizeof zero) ||
      zmq_bind(guard->zap, "inproc://zeromq.zap.01"))
    return fail(why, STATUS_IO, "cannot open the handler of keys: %s", zmq_strerror(errno));
  if (zmq_setsockopt(server->router, ZMQ_CURVE_SERVER, &yes, sizeof yes) ||
      zmq_setsockopt(server->router, ZMQ_CURVE_SECRETKEY, guard->keys->own.bytes, PEER_KEY) ||
      zmq_setsockopt(server->router, ZMQ_ZAP_DOMAIN, domain, sizeof domain - 1))
    return fail(why, STATUS_IO, "libzmq cannot use the keys: %s", zmq_strerror(errno));
  guard->counts.keys_required = 1;
  return STATUS_OK;
}

static enum status open_monitor(struct server *server, struct reason *why) {
  static const char address[] = "inproc://connections";
  const int zero = 0, events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                               ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
  void *monitor = server->guard.monitor = zmq_socket(server->context, ZMQ_PAIR);
  // No limit: libzmq's thread would wait for room. Connections are limited, and so are their events.
  if (!monitor || zmq_setsockopt(monitor, ZMQ_LINGER, &zero, sizeof zero) ||
      zmq_setsockopt(monitor, ZMQ_RCVHWM, &zero, sizeof zero) ||
      zmq_socket_monitor(server->router, address, events) || zmq_connect(monitor, address))
    return fail(why, STATUS_IO, "cannot watch the connections: %s", zmq_strerror(errno));
  return STATUS_OK;
}

enum status server_guard_open(struct server *server, const struct server_keys *keys, struct reason *why) {
  struct guard *guard = &server->guard;
  guard->keys = keys;
  guard->failed = -1;
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    guard->meter[i].connection = -1;
  enum status status = keys ? open_keys(server, why) : STATUS_OK;
  return status == STATUS_OK ? open_monitor(server, why) : status;
}

void server_guard_close(struct server *server) {
  if (server->guard.monitor)
    zmq_close(server->guard.monitor);
  if (server->guard.zap)
    zmq_close(server->guard.zap);
}

int server_guard_files(const struct server *server, struct pollfd *file) {
  const struct guard *guard = &server->guard;
  int count = 0;
  file[count++].fd = server_file_of(guard->monitor);
  if (guard->zap)
    file[count++].fd = server_file_of(guard->zap);
  return count;
}

void server_guard_serve(struct server *server) {
  server_serve_keys(server);
  server_follow_connections(server);
  server_report_denials(server);
}
