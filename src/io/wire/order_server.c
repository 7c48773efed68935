#include "io/wire/order_server.h"

#include "hil/refusal.h"
#include "io/net/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum {
  MAX_IDENTITY = 255,
  LARGEST_MESSAGE = 64 << 10, // libzmq disconnects a peer beyond it
  QUEUE = 64,                 // messages, in each direction, of each peer
  MESSAGES_PER_POLL = 64,
  HEARTBEAT_MS = 1000,
  HEARTBEAT_TIMEOUT_MS = 5000,
  LINGER_MS = 300
};

struct order_server {
  void *context, *router;
  struct listener listener;
  char session[WIRE_NAME];
  uint64_t receipts, refusals;
  // Of the message in work: too large for the stack.
  struct wire_message message;
  struct wire_receipt receipt;
};

struct asker {
  unsigned char identity[MAX_IDENTITY];
  size_t size;
};

static void set_int(void *socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

static enum status open_router(struct order_server *server, struct reason *why) {
  const int64_t largest = LARGEST_MESSAGE;
  server->context = zmq_ctx_new();
  server->router = server->context ? zmq_socket(server->context, ZMQ_ROUTER) : NULL;
  if (!server->router)
    return fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
  zmq_setsockopt(server->router, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  set_int(server->router, ZMQ_LINGER, LINGER_MS);
  set_int(server->router, ZMQ_SNDHWM, QUEUE);
  set_int(server->router, ZMQ_RCVHWM, QUEUE);
  set_int(server->router, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
  set_int(server->router, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS);
  set_int(server->router, ZMQ_HEARTBEAT_TTL, HEARTBEAT_TIMEOUT_MS);
  return STATUS_OK;
}

static enum status listen_at(struct order_server *server, const char *endpoint, struct reason *why) {
  enum status status = listener_open(endpoint, &server->listener, why);
  if (status != STATUS_OK)
    return status;
  if (!server->listener.local)
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: an endpoint on the loopback interface or ipc expected: this socket asks for no key",
                  endpoint);
  set_int(server->router, ZMQ_USE_FD, server->listener.file);
  if (status == STATUS_OK && zmq_bind(server->router, server->listener.endpoint) == 0)
    return STATUS_OK;
  if (status == STATUS_OK)
    status = fail(why, STATUS_IO, "cannot bind %s: %s", endpoint, zmq_strerror(errno));
  listener_close(&server->listener, 0);
  server->listener.file = -1;
  return status;
}

enum status order_server_open(const char *endpoint, const char *session, struct order_server **out,
                              struct reason *why) {
  *out = NULL;
  struct order_server *server = calloc(1, sizeof *server);
  if (!server)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the server");
  server->listener.file = -1;
  snprintf(server->session, sizeof server->session, "%s", session);
  enum status status = open_router(server, why);
  if (status == STATUS_OK)
    status = listen_at(server, endpoint, why);
  if (status != STATUS_OK) {
    order_server_close(server);
    return status;
  }
  *out = server;
  return STATUS_OK;
}

void order_server_close(struct order_server *server) {
  if (!server)
    return;
  if (server->router)
    zmq_close(server->router);
  if (server->context)
    zmq_ctx_term(server->context);
  if (server->listener.file >= 0)
    listener_close(&server->listener, 1);
  free(server);
}

const char *order_server_endpoint(const struct order_server *server) {
  return server->listener.endpoint;
}

uint64_t order_server_refused(const struct order_server *server) {
  return server->refusals;
}

static struct wire_header make_header(const struct order_server *server, uint64_t sequence) {
  struct wire_header header = {.sequence = sequence};
  memcpy(header.session, server->session, sizeof header.session);
  return header;
}

// What a peer does not accept is dropped.
static void send_to(struct order_server *server, const struct asker *to, const uint8_t *bytes, size_t size) {
  if (size > 0 && zmq_send(server->router, to->identity, to->size, ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0)
    zmq_send(server->router, bytes, size, ZMQ_DONTWAIT);
}

static void refuse(struct order_server *server, const struct asker *to, enum refusal reason,
                   uint64_t sequence, const char *text) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  wire_clean_text(refusal.text, sizeof refusal.text, text);
  struct wire_header header = make_header(server, ++server->refusals);
  send_to(server, to, bytes, wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));
}

static void answer(struct order_server *server, const struct asker *to, const void *data, size_t size,
                   take_wire_order *take, void *context) {
  struct wire_message *message = &server->message;
  struct wire_receipt *receipt = &server->receipt;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct reason why = {""};
  enum wire_result result = wire_unpack(data, size, message, &why);
  uint64_t sequence = message->header.sequence;
  if (result != WIRE_OK) {
    refuse(server, to, result == WIRE_OTHER_PROTOCOL ? REFUSED_PROTOCOL : REFUSED_MALFORMED, sequence,
           why.text);
    return;
  }
  if (message->kind != WIRE_ORDER) {
    refuse(server, to, REFUSED_MALFORMED, sequence,
           "an Order expected: a session manager answers here; its status names the endpoint of the session");
    return;
  }
  if (*message->header.session && strcmp(message->header.session, server->session) != 0) {
    refuse(server, to, REFUSED_SESSION, sequence, refusal_help(REFUSED_SESSION));
    return;
  }
  memset(receipt, 0, sizeof *receipt);
  receipt->received_sequence = sequence;
  if (take(context, &message->as.order, receipt, &why) != STATUS_OK) {
    refuse(server, to, REFUSED_RANGE, sequence, why.text);
    return;
  }
  struct wire_header header = make_header(server, ++server->receipts);
  size_t packed = wire_pack_receipt(&header, receipt, bytes, sizeof bytes);
  if (packed)
    send_to(server, to, bytes, packed);
  else
    refuse(server, to, REFUSED_RANGE, sequence, "the answer does not fit into a message");
}

// Takes one message [identity, payload], if one waits. Returns 0 if none does.
static int receive(struct order_server *server, take_wire_order *take, void *context, struct reason *why,
                   enum status *status) {
  struct asker from;
  uint8_t payload[WIRE_MAX_ENVELOPE + 1];
  int size = zmq_recv(server->router, from.identity, sizeof from.identity, ZMQ_DONTWAIT);
  if (size < 0) {
    if (errno != EAGAIN && errno != EINTR)
      *status = fail(why, STATUS_IO, "%s", zmq_strerror(errno));
    return 0;
  }
  from.size = (size_t)size;
  int frames = 0, length = 0, more = 1;
  size_t more_size = sizeof more;
  zmq_getsockopt(server->router, ZMQ_RCVMORE, &more, &more_size);
  for (; more; frames++) { // once the first frame is here, the whole message is
    length = zmq_recv(server->router, payload, sizeof payload, ZMQ_DONTWAIT);
    zmq_getsockopt(server->router, ZMQ_RCVMORE, &more, &more_size);
  }
  if (frames != 1 || length < 0)
    refuse(server, &from, REFUSED_MALFORMED, 0, "a single frame expected");
  else // a longer one is cut off, and is then too long for an Envelope
    answer(server, &from, payload, (size_t)length < sizeof payload ? (size_t)length : sizeof payload, take,
           context);
  return 1;
}

enum status order_server_poll(struct order_server *server, int timeout_ms, int file, take_wire_order *take,
                              void *context, struct reason *why) {
  zmq_pollitem_t items[] = {{server->router, 0, ZMQ_POLLIN, 0}, {NULL, file, ZMQ_POLLIN, 0}};
  enum status status = STATUS_OK;
  if (zmq_poll(items, file >= 0 ? 2 : 1, timeout_ms) < 0 && errno != EINTR)
    return fail(why, STATUS_IO, "%s", zmq_strerror(errno));
  for (int i = 0; i < MESSAGES_PER_POLL && receive(server, take, context, why, &status); i++) {
  }
  return status;
}
