#include "net/server/operator_line.h"

#include "net/zmtp/clock.h"
#include "net/server/client_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <zmq.h>

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
  int is_question; // it changes nothing: it may be sent again
  int is_answered;
  int64_t sent_ms;
  struct wire_message message;
};

static void prepare(void *socket, const void *context) {
  const int few = SEND_QUEUE;
  (void)context;
  zmq_setsockopt(socket, ZMQ_SNDHWM, &few, sizeof few);
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
  if (zmq_send(line->line.socket, line->order, line->order_size, ZMQ_DONTWAIT) < 0)
    return fail(why, STATUS_IO, "cannot send an order: %s", zmq_strerror(errno));
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
static enum operator_answer judge(const struct operator_line *line, struct reason *why) {
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
static enum operator_answer follow(struct operator_line *line, struct reason *why) {
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

static enum operator_answer receive(struct operator_line *line, Sagbend__V1__Receipt **receipt,
                                    struct reason *why) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  int size = zmq_recv(line->line.socket, bytes, sizeof bytes, ZMQ_DONTWAIT);
  if (size < 0 || (size_t)size > sizeof bytes ||
      wire_unpack(bytes, (size_t)size, &line->message, NULL) != WIRE_OK)
    return OPERATOR_WAITS;
  enum operator_answer answer = judge(line, why);
  if (answer == OPERATOR_RECEIPT) {
    wire_free_receipt(*receipt);
    *receipt = wire_open_receipt(bytes, (size_t)size);
    answer = *receipt ? OPERATOR_RECEIPT : OPERATOR_WAITS;
  }
  line->is_answered |= answer != OPERATOR_WAITS;
  return answer;
}

enum operator_answer operator_line_take(struct operator_line *line, int timeout_ms,
                                        Sagbend__V1__Receipt **receipt, struct reason *why) {
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    int64_t left_ms = end_ms - clock_ms();
    int wait_ms = left_ms <= 0 ? 0 : left_ms < FOLLOW_MS ? (int)left_ms : FOLLOW_MS;
    int ready = client_socket_wait(&line->line, wait_ms);
    enum operator_answer answer = ready > 0 ? receive(line, receipt, why) : OPERATOR_WAITS;
    if (answer == OPERATOR_WAITS)
      answer = follow(line, why);
    if (answer != OPERATOR_WAITS || (ready <= 0 && left_ms <= 0))
      return answer;
  }
}

enum status operator_order(const char *endpoint, const struct client_keys *keys, const struct order *order,
                           int timeout_ms, Sagbend__V1__Receipt **receipt, struct reason *why) {
  struct operator_line *line;
  enum operator_answer answer = OPERATOR_WAITS;
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
