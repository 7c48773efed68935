#include "hil/order.h"

enum order_carries order_carries(enum order_kind kind) {
  switch (kind) {
#define X(ID, number, carries)                                                                               \
  case ORDER_##ID:                                                                                           \
    return CARRIES_##carries;
    SESSION_ORDERS(X)
  QUESTION_ORDERS(X)
  MANAGER_ORDERS(X)
#undef X
      case ORDER_NONE:
    break;
  }
  return CARRIES_NOTHING;
}

int order_is_of_session(enum order_kind kind) {
#define X(ID, number, carries) || kind == ORDER_##ID
  return 0 SESSION_ORDERS(X);
#undef X
}
