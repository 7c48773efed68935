#include "hil/order.h"

#include <stddef.h>

enum order_carries order_carries(enum order_kind kind) {
#define X(ID, number, carries) {ORDER_##ID, CARRIES_##carries},
  static const struct {
    enum order_kind kind;
    enum order_carries carries;
  } rows[] = {SESSION_ORDERS(X) QUESTION_ORDERS(X) MANAGER_ORDERS(X)};
#undef X
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].kind == kind)
      return rows[i].carries;
  return CARRIES_NOTHING;
}

int order_is_of_session(enum order_kind kind) {
#define X(ID, number, carries) || kind == ORDER_##ID
  return 0 SESSION_ORDERS(X);
#undef X
}
