#include "net/server/server.h"
#include "net/server/server_internal.h"

#include "net/zmtp/zmtp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SEND_QUEUE = 16,
  FOLLOW_MS = 100,  // longest wait between two looks at the connection
  OVERDUE_MS = 3000 // after which a connection is given up that has brought no answer
};

struct operator_line {
  struct client_socket line;
  uint64_t sequence;
  uint8_t order[WIRE_MAX_ENVELOPE]; // the newest
  size_t order_size;
  int is_question; // 1: the order changes nothing and may be sent again
  int is_answered;
  int64_t sent_ms;
  struct wire_message message;
};

static void prepare(void *socket, const void *context) {
  const int few = SEND_QUEUE;
  (void)context;
  zmq.setsockopt(socket, ZMQ_SNDHWM, &few, sizeof few);
}

enum status operator_line_open(const char *endpoint, const struct client_keys *keys,
                               struct operator_line **out, struct reason *why) {
  const struct client_socket_options options = {.type = ZMQ_DEALER, .keys = keys, .prepare = prepare};
  struct operator_line *line = calloc(1, sizeof *line);
  *out = NULL;
  if (!line)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a connection");
  line->is_answered = 1;
  enum status status = client_socket_open(&line->line, endpoint, &options, why);
  if (status == STATUS_OK)
    *out = line;
  else
    operator_line_close(line);
  return status;
}

void operator_line_close(struct operator_line *line) {
  if (!line)
    return;
  client_socket_close(&line->line);
  free(line);
}

static enum status send_order(struct operator_line *line, struct reason *why) {
  line->sent_ms = clock_ms();
  if (zmq.send(line->line.socket, line->order, line->order_size, ZMQ_DONTWAIT) < 0)
    return fail(why, STATUS_IO, "cannot send an order: %s", zmq.strerror(errno));
  return STATUS_OK;
}

enum status operator_line_send(struct operator_line *line, const struct order *order, struct reason *why) {
  const struct wire_header header = {.sequence = ++line->sequence};
  int is_new;
  if (!line->is_answered && line->line.is_open && clock_ms() - line->sent_ms > OVERDUE_MS)
    client_socket_renew(&line->line);
  if (client_socket_follow(&line->line, &is_new, why) != STATUS_OK)
    return STATUS_IO;
  line->order_size = wire_pack_order(&header, order, line->order, sizeof line->order);
  line->is_question = order_is_question(order->kind);
  line->is_answered = 0;
  if (!line->order_size)
    return fail(why, STATUS_BAD_INPUT, "printable ASCII and finite numbers expected in an order");
  return send_order(line, why);
}

// Whether the message answers the newest order.
static enum operator_response judge(const struct operator_line *line, struct reason *why) {
  const struct wire_message *m = &line->message;
  if (m->kind == WIRE_RECEIPT && m->as.received_sequence == line->sequence)
    return OPERATOR_RECEIPT;
  if (m->kind == WIRE_REFUSAL &&
      (m->as.refusal.refused_sequence == line->sequence || m->as.refusal.refused_sequence == 0)) {
    fail(why, STATUS_BAD_INPUT, "refused: %s", m->as.refusal.text);
    return OPERATOR_REFUSED;
  }
  return OPERATOR_WAITS;
}

// Another connection: an order that has not left, or that only asks, is sent again. OPERATOR_REFUSED: nobody
// knows whether the order was carried out.
static enum operator_response follow(struct operator_line *line, struct reason *why) {
  int is_new;
  if (client_socket_follow(&line->line, &is_new, why) != STATUS_OK)
    return OPERATOR_REFUSED;
  if (!is_new || line->is_answered)
    return OPERATOR_WAITS;
  if (!line->line.was_open || line->is_question)
    return send_order(line, why) == STATUS_OK ? OPERATOR_WAITS : OPERATOR_REFUSED;
  line->is_answered = 1;
  fail(why, STATUS_IO, "the connection ended before the answer came: the order may have been carried out");
  return OPERATOR_REFUSED;
}

static enum operator_response receive(struct operator_line *line, Sagbend__V1__Receipt **receipt,
                                      struct reason *why) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  int size = zmq.recv(line->line.socket, bytes, sizeof bytes, ZMQ_DONTWAIT);
  if (size < 0 || (size_t)size > sizeof bytes ||
      wire_unpack(bytes, (size_t)size, &line->message, NULL) != WIRE_OK)
    return OPERATOR_WAITS;
  enum operator_response answer = judge(line, why);
  if (answer == OPERATOR_RECEIPT) {
    wire_free_receipt(*receipt);
    *receipt = wire_open_receipt(bytes, (size_t)size);
    answer = *receipt ? OPERATOR_RECEIPT : OPERATOR_WAITS;
  }
  line->is_answered |= answer != OPERATOR_WAITS;
  return answer;
}

enum operator_response operator_line_take(struct operator_line *line, int timeout_ms,
                                          Sagbend__V1__Receipt **receipt, struct reason *why) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    int64_t left_ms = end_ms - clock_ms();
    int wait_ms = left_ms <= 0 ? 0 : left_ms < FOLLOW_MS ? (int)left_ms : FOLLOW_MS;
    int ready = client_socket_wait(&line->line, wait_ms);
    enum operator_response answer = ready > 0 ? receive(line, receipt, why) : OPERATOR_WAITS;
    if (answer == OPERATOR_WAITS)
      answer = follow(line, why);
    if (answer != OPERATOR_WAITS || (ready <= 0 && left_ms <= 0))
      return answer;
  }
}

enum status operator_order(const char *endpoint, const struct client_keys *keys, const struct order *order,
                           int timeout_ms, Sagbend__V1__Receipt **receipt, struct reason *why) {
  struct operator_line *line;
  enum operator_response answer = OPERATOR_WAITS;
  enum status status = operator_line_open(endpoint, keys, &line, why);
  if (!line)
    return status;
  status = operator_line_send(line, order, why);
  if (status == STATUS_OK)
    answer = operator_line_take(line, timeout_ms, receipt, why);
  operator_line_close(line);
  if (status != STATUS_OK || answer == OPERATOR_RECEIPT)
    return status;
  if (answer == OPERATOR_REFUSED)
    return STATUS_IO;
  return fail(why, STATUS_IO, "no answer from a simulator at %s within %g s%s", endpoint, 1e-3 * timeout_ms,
              keys ? ", or --server-key is not its public key, or it uses no keys"
                   : ", or it admits only clients with a key");
}

// ------------------------------------------------------------
struct order_server {
  struct server server; // first: server_close releases both. It publishes nothing and has no controllers.
  void (*on_event)(const char *name, const char *text);
  take_wire_order *take;
  void *context;
  // Of the message in work: too large for the stack.
  struct wire_message message;
  struct wire_receipt receipt;
};

static void pass_event(void *context, uint64_t step, double time_s, const char *name, const char *text) {
  const struct order_server *server = context;
  (void)step;
  (void)time_s;
  if (server->on_event)
    server->on_event(name, text);
}

void order_server_on_event(struct order_server *server,
                           void (*on_event)(const char *name, const char *text)) {
  server->on_event = on_event;
}

static void refuse(struct order_server *server, const struct sender *to, enum refusal reason,
                   uint64_t sequence, const char *text) {
  server_refuse_silently(&server->server, to, reason, sequence, text);
}

static void deny_role(struct order_server *server, const struct sender *from, uint64_t sequence) {
  static const char text[] = "only the key of an operator may send orders";
  refuse(server, from, REFUSED_ROLE, sequence, text);
  server_deny(&server->server, DENIED_ROLE, server_sender_text(from).text, text);
}

static void carry_out(struct order_server *server, const struct sender *from) {
  struct order *order = &server->message.as.order;
  struct wire_receipt *receipt = &server->receipt;
  uint64_t sequence = server->message.header.sequence;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct reason why = {""};
  if (from->role >= 0) // with a key the operator bears its name, whatever the message states
    snprintf(order->operator_name, sizeof order->operator_name, "%s", from->key);
  if (order->kind == ORDER_FETCH) // thousands of pieces of a log
    server_meter_return(&server->server, from);
  memset(receipt, 0, sizeof *receipt);
  receipt->received_sequence = sequence;
  if (server->take(server->context, order, receipt, &why) != STATUS_OK) {
    refuse(server, from, REFUSED_RANGE, sequence, why.text);
    return;
  }
  struct wire_header header = server_header(&server->server, STREAM_RECEIPT, 0, 0);
  size_t size = wire_pack_receipt(&header, receipt, bytes, sizeof bytes);
  if (size)
    server_send_to(&server->server, from->connection, bytes, size);
  else
    refuse(server, from, REFUSED_RANGE, sequence, "the answer does not fit into a message");
}

static void handle(struct server *base, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox) {
  struct order_server *server = (struct order_server *)base;
  const struct wire_message *message = &server->message;
  struct reason why = {""};
  (void)inbox;
  enum wire_result result = wire_unpack(data, size, &server->message, &why);
  uint64_t sequence = message->header.sequence;
  if (result != WIRE_OK)
    refuse(server, from,
           result == WIRE_OTHER_PROTOCOL ? REFUSED_PROTOCOL
           : result == WIRE_NOT_FINITE   ? REFUSED_NOT_FINITE
                                         : REFUSED_MALFORMED,
           sequence, why.text);
  else if (!server_may_send(from, WIRE_ORDER))
    deny_role(server, from, sequence);
  else if (message->kind != WIRE_ORDER)
    refuse(server, from, REFUSED_MALFORMED, sequence,
           "an Order expected: a session manager answers here; its status names the endpoint of the session");
  else if (*message->header.session && strcmp(message->header.session, base->session.id) != 0)
    refuse(server, from, REFUSED_SESSION, sequence, NULL);
  else
    carry_out(server, from);
}

enum status order_server_open(const char *endpoint, const char *session, const struct server_keys *keys,
                              struct order_server **out, struct reason *why) {
  *out = NULL;
  struct order_server *server = calloc(1, sizeof *server);
  if (!server)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the server");
  struct server *base = &server->server;
  base->handle = handle;
  snprintf(base->session.id, sizeof base->session.id, "%s", session);
  gate_init(&base->gate);
  server_on_event(base, pass_event, server);
  enum status status = server_guard_open(base, 0, endpoint, 1, keys, why);
  if (status == STATUS_OK && !keys && !router_is_local(base->router[0]))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s needs --server-key and --admitted-keys: other machines can connect to it", endpoint);
  if (status != STATUS_OK) {
    server_close(base);
    return status;
  }
  *out = server;
  return STATUS_OK;
}

void order_server_close(struct order_server *server) {
  if (server)
    server_close(&server->server);
}

const char *order_server_endpoint(const struct order_server *server) {
  return router_endpoint(server->server.router[0]);
}

enum status order_server_poll(struct order_server *server, int timeout_ms, int file, take_wire_order *take,
                              void *context, struct reason *why) {
  server->take = take;
  server->context = context;
  server_watch(&server->server, file);
  return server_poll(&server->server, timeout_ms, 0, NULL, NULL, why);
}

// ------------------------------------------------------------
enum {
  QUEUE = 256,
  MAX_MESSAGE = 16 << 20,    // bytes; a peer that sends more is cut off
  TELEMETRY_FOLLOW_MS = 100, // longest wait between two looks at the connection
  SILENT_MS = 10000 // after which a connection is given up: a simulator sends something twice a second
};

struct telemetry_reader {
  struct client_socket line;
  const char *const *topics;
  int64_t heard_ms; // when a message came last, or the socket was opened
  char topic[32];
  zmq_msg_t message; // the newest; it holds the bytes
  uint64_t skipped;
};

static void prepare_telemetry(void *socket, const void *context) {
  const struct telemetry_reader *reader = context;
  const int queue = QUEUE;
  const int64_t max_message = MAX_MESSAGE;
  zmq.setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof queue);
  zmq.setsockopt(socket, ZMQ_MAXMSGSIZE, &max_message, sizeof max_message);
  for (const char *const *topic = reader->topics; *topic; topic++)
    zmq.setsockopt(socket, ZMQ_SUBSCRIBE, *topic, strlen(*topic));
}

enum status telemetry_reader_open(const char *endpoint, const char *const *topics,
                                  const struct client_keys *keys, struct telemetry_reader **out,
                                  struct reason *why) {
  *out = NULL;
  if (client_load(why) != STATUS_OK)
    return STATUS_IO;
  struct telemetry_reader *reader = calloc(1, sizeof *reader);
  if (!reader)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the telemetry");
  const struct client_socket_options options = {
      .type = ZMQ_SUB, .keys = keys, .prepare = prepare_telemetry, .context = reader};
  zmq.msg_init(&reader->message);
  reader->topics = topics;
  reader->heard_ms = clock_ms();
  enum status status = client_socket_open(&reader->line, endpoint, &options, why);
  if (status == STATUS_OK)
    *out = reader;
  else
    telemetry_reader_close(reader);
  return status;
}

void telemetry_reader_close(struct telemetry_reader *reader) {
  if (!reader)
    return;
  zmq.msg_close(&reader->message);
  client_socket_close(&reader->line);
  free(reader);
}

int telemetry_reader_file(const struct telemetry_reader *reader) {
  int file = -1;
  size_t size = sizeof file;
  return zmq.getsockopt(reader->line.socket, ZMQ_FD, &file, &size) == 0 ? file : -1;
}

enum telemetry_line telemetry_reader_line(const struct telemetry_reader *reader) {
  if (reader->line.is_open)
    return TELEMETRY_OPEN;
  return client_socket_has_listener(&reader->line) ? TELEMETRY_UNAGREED : TELEMETRY_NOBODY;
}

uint64_t telemetry_reader_skipped(const struct telemetry_reader *reader) {
  return reader->skipped;
}

// Reads the parts of one message. Returns their number, the size of the first in *name_size; 0: none has
// come.
static int read_parts(struct telemetry_reader *reader, int *name_size) {
  int parts = 1;
  *name_size = zmq.recv(reader->line.socket, reader->topic, sizeof reader->topic - 1, ZMQ_DONTWAIT);
  if (*name_size < 0)
    return 0;
  int more = 0;
  size_t size = sizeof more;
  while (zmq.getsockopt(reader->line.socket, ZMQ_RCVMORE, &more, &size) == 0 && more) {
    if (zmq.msg_recv(&reader->message, reader->line.socket, ZMQ_DONTWAIT) < 0)
      break;
    parts++;
  }
  return parts;
}

// Takes the next message that has come, if it is one of a simulator's.
static const void *take(struct telemetry_reader *reader, const char **topic, size_t *size) {
  for (;;) {
    int name, parts = read_parts(reader, &name);
    if (parts == 0)
      return NULL;
    reader->heard_ms = clock_ms();
    if (parts != 2 ||
        (size_t)name >= sizeof reader->topic) { // of a later version, or nothing of a simulator's
      reader->skipped++;
      continue;
    }
    reader->topic[name] = 0;
    *topic = reader->topic;
    *size = zmq.msg_size(&reader->message);
    return zmq.msg_data(&reader->message);
  }
}

// A refusal changes nothing: there may be another simulator next time. SUB sockets subscribe anew.
static void follow_telemetry(struct telemetry_reader *reader) {
  int is_new;
  if (reader->line.is_open && clock_ms() - reader->heard_ms > SILENT_MS)
    client_socket_renew(&reader->line);
  client_socket_follow(&reader->line, &is_new, NULL);
  if (is_new)
    reader->heard_ms = clock_ms();
}

const void *telemetry_reader_take(struct telemetry_reader *reader, int timeout_ms, const char **topic,
                                  size_t *size) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    const void *message = take(reader, topic, size);
    if (message)
      return message;
    follow_telemetry(reader);
    int64_t left_ms = end_ms - clock_ms();
    if (left_ms <= 0)
      return NULL;
    client_socket_wait(&reader->line, left_ms < TELEMETRY_FOLLOW_MS ? (int)left_ms : TELEMETRY_FOLLOW_MS);
  }
}
