#include "io/wire/operator_line.h"

#include "io/net/clock.h"
#include "io/wire/client_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <zmq.h>

struct operator_line {
  void *context, *dealer, *handshakes;
  const struct client_keys *keys;
  uint64_t sequence;
  struct wire_message message;
};

enum status operator_line_open(const char *endpoint, const struct client_keys *keys,
                               struct operator_line **out, struct reason *why) {
  struct operator_line *line = calloc(1, sizeof *line);
  int zero = 0, few = 16;
  *out = NULL;
  if (!line)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a connection");
  line->context = zmq_ctx_new();
  line->dealer = line->context ? zmq_socket(line->context, ZMQ_DEALER) : NULL;
  line->keys = keys;
  if (line->dealer && client_set_keys(line->dealer, keys, why) != STATUS_OK) {
    operator_line_close(line);
    return STATUS_IO;
  }
  line->handshakes = line->dealer ? client_watch_handshake(line->context, line->dealer) : NULL;
  if (!line->dealer || zmq_setsockopt(line->dealer, ZMQ_LINGER, &zero, sizeof zero) ||
      zmq_setsockopt(line->dealer, ZMQ_SNDHWM, &few, sizeof few) || zmq_connect(line->dealer, endpoint)) {
    fail(why, STATUS_IO, "cannot connect to %s: %s", endpoint, zmq_strerror(errno));
    operator_line_close(line);
    return STATUS_IO;
  }
  *out = line;
  return STATUS_OK;
}

void operator_line_close(struct operator_line *line) {
  if (!line)
    return;
  if (line->handshakes)
    zmq_close(line->handshakes);
  if (line->dealer)
    zmq_close(line->dealer);
  if (line->context)
    zmq_ctx_term(line->context);
  free(line);
}

enum status operator_line_send(struct operator_line *line, const struct wire_order *order,
                               struct reason *why) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  const struct wire_header header = {.sequence = ++line->sequence};
  size_t size = wire_pack_order(&header, order, bytes, sizeof bytes);
  if (!size)
    return fail(why, STATUS_BAD_INPUT, "printable ASCII and finite numbers expected in an order");
  if (zmq_send(line->dealer, bytes, size, ZMQ_DONTWAIT) < 0)
    return fail(why, STATUS_IO, "cannot send an order: %s", zmq_strerror(errno));
  return STATUS_OK;
}

// Whether the message answers the newest order.
static enum operator_answer judge(const struct operator_line *line, struct wire_receipt *receipt,
                                  struct reason *why) {
  const struct wire_message *m = &line->message;
  if (m->kind == WIRE_RECEIPT && m->as.receipt.received_sequence == line->sequence) {
    *receipt = m->as.receipt;
    receipt->header = m->header;
    return OPERATOR_RECEIPT;
  }
  if (m->kind == WIRE_REFUSAL &&
      (m->as.refusal.refused_sequence == line->sequence || m->as.refusal.refused_sequence == 0)) {
    fail(why, STATUS_BAD_INPUT, "refused: %s", m->as.refusal.text);
    return OPERATOR_REFUSED;
  }
  return OPERATOR_WAITS;
}

enum operator_answer operator_line_take(struct operator_line *line, int timeout_ms,
                                        struct wire_receipt *receipt, struct reason *why) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  int64_t end_ms = clock_ms() + timeout_ms;
  for (;;) {
    int64_t left_ms = end_ms - clock_ms();
    zmq_pollitem_t items[] = {{line->dealer, 0, ZMQ_POLLIN, 0}, {line->handshakes, 0, ZMQ_POLLIN, 0}};
    if (zmq_poll(items, line->handshakes ? 2 : 1, left_ms > 0 ? (long)left_ms : 0) <= 0 && left_ms <= 0)
      return OPERATOR_WAITS;
    if (client_check_handshake(line->handshakes, line->keys, why) != STATUS_OK)
      return OPERATOR_REFUSED;
    int size = zmq_recv(line->dealer, bytes, sizeof bytes, ZMQ_DONTWAIT);
    if (size < 0 || (size_t)size > sizeof bytes ||
        wire_unpack(bytes, (size_t)size, &line->message, NULL) != WIRE_OK)
      continue;
    enum operator_answer answer = judge(line, receipt, why);
    if (answer != OPERATOR_WAITS)
      return answer;
  }
}
