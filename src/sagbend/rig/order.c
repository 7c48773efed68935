#include "sagbend/rig/rig.h"

#include <string.h>

// The effect alone.
#define EFFECT_LOOP(act)    EFFECT_LOOP
#define EFFECT_RUN(act)     EFFECT_RUN
#define EFFECT_GATE(act)    EFFECT_GATE
#define EFFECT_ASK(act)     EFFECT_ASK
#define EFFECT_MANAGER(act) EFFECT_MANAGER
#define ROW(ID, word, number, payload, effect, present, arguments, help)                                     \
  {ORDER_##ID, word, PAYLOAD_##payload, EFFECT_##effect, arguments, help},
const struct order_row ORDER_ROWS[] = {ORDER_TABLE(ROW)};
#undef ROW
const int ORDER_ROW_COUNT = sizeof ORDER_ROWS / sizeof *ORDER_ROWS;

const struct order_row *order_row(enum order_kind kind) {
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    if (ORDER_ROWS[i].kind == kind)
      return &ORDER_ROWS[i];
  return NULL;
}

const struct order_row *order_called(const char *word) {
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    if (!strcmp(ORDER_ROWS[i].word, word))
      return &ORDER_ROWS[i];
  return NULL;
}

const char *order_word(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row ? row->word : "";
}

enum order_payload order_payload(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row ? row->payload : PAYLOAD_NOTHING;
}

int order_is_of_session(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row && row->effect <= EFFECT_GATE;
}

int order_is_question(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row && row->effect == EFFECT_ASK;
}

const char *order_giver(const struct order *order) {
  return *order->operator_name ? order->operator_name : "an operator";
}
