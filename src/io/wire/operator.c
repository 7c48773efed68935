#include "io/wire/operator.h"

#include "io/wire/operator_line.h"

enum status operator_order(const char *endpoint, const struct client_keys *keys, const struct order *order,
                           int timeout_ms, Sagbend__V1__Receipt **receipt, struct reason *why) {
  struct operator_line *line;
  enum operator_answer answer = OPERATOR_WAITS;
  enum status status = operator_line_open(endpoint, keys, &line, why);
  if (status != STATUS_OK)
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
