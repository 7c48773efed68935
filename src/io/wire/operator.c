#include "io/wire/operator.h"

#include "io/net/clock.h"
#include "io/wire/client_keys.h"

#include <errno.h>
#include <string.h>
#include <zmq.h>

// Waits for a receipt or a refusal; other messages are not for operators.
static enum status wait_for_answer(void *dealer, void *handshakes, const struct client_keys *keys,
                                   const char *endpoint, int timeout_ms, struct wire_receipt *receipt,
                                   struct reason *why) {
  static const int SLICE_MS = 100;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_message message;
  for (int64_t end_ms = clock_ms() + timeout_ms; clock_ms() < end_ms;) {
    zmq_pollitem_t items[] = {{dealer, 0, ZMQ_POLLIN, 0}, {handshakes, 0, ZMQ_POLLIN, 0}};
    if (zmq_poll(items, handshakes ? 2 : 1, SLICE_MS) <= 0)
      continue;
    if (client_check_handshake(handshakes, keys, why) != STATUS_OK)
      return STATUS_IO;
    int size = zmq_recv(dealer, bytes, sizeof bytes, ZMQ_DONTWAIT);
    if (size < 0 || wire_unpack(bytes, (size_t)size, &message, why) != WIRE_OK)
      continue;
    if (message.kind == WIRE_REFUSAL)
      return fail(why, STATUS_BAD_INPUT, "refused: %s", message.as.refusal.text);
    if (message.kind == WIRE_RECEIPT) {
      *receipt = message.as.receipt;
      receipt->header = message.header;
      return STATUS_OK;
    }
  }
  // libzmq reports a handshake that fails only if the other end did not close the connection first.
  return fail(why, STATUS_IO, "no answer from a simulator at %s within %g s%s", endpoint, 1e-3 * timeout_ms,
              keys ? ", or --server-key is not its public key" : ", or it admits only clients with a key");
}

static enum status connect_to(void *dealer, const char *endpoint, const struct client_keys *keys,
                              struct reason *why) {
  const int zero = 0;
  enum status status = client_set_keys(dealer, keys, why);
  if (status != STATUS_OK)
    return status;
  if (zmq_setsockopt(dealer, ZMQ_LINGER, &zero, sizeof zero) || zmq_connect(dealer, endpoint))
    return fail(why, STATUS_IO, "cannot connect to %s: %s", endpoint, zmq_strerror(errno));
  return STATUS_OK;
}

enum status operator_order(const char *endpoint, const struct client_keys *keys,
                           const struct wire_order *order, int timeout_ms, struct wire_receipt *receipt,
                           struct reason *why) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  const struct wire_header header = {.sequence = 1};
  size_t size = wire_pack_order(&header, order, bytes, sizeof bytes);
  if (!size)
    return fail(why, STATUS_BAD_INPUT, "printable ASCII and finite numbers expected in an order");
  void *context = zmq_ctx_new(), *dealer = context ? zmq_socket(context, ZMQ_DEALER) : NULL;
  void *handshakes = dealer ? client_watch_handshake(context, dealer) : NULL;
  enum status status = dealer ? connect_to(dealer, endpoint, keys, why)
                              : fail(why, STATUS_IO, "cannot open a socket: %s", zmq_strerror(errno));
  if (status == STATUS_OK && zmq_send(dealer, bytes, size, 0) < 0)
    status = fail(why, STATUS_IO, "cannot send to %s: %s", endpoint, zmq_strerror(errno));
  if (status == STATUS_OK)
    status = wait_for_answer(dealer, handshakes, keys, endpoint, timeout_ms, receipt, why);
  if (handshakes)
    zmq_close(handshakes);
  if (dealer)
    zmq_close(dealer);
  if (context)
    zmq_ctx_term(context);
  return status;
}
