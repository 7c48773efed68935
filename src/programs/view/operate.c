// Orders from the page: the seat of the operator, the connection to the simulator, its answers.
#include "programs/view/view_program_internal.h"

#include "net/server/server.h"
#include "run/ctl/ctl.h"
#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 5000 };

struct operate {
  struct operator_line *line;
  struct seat seat;
  unsigned printed; // seat.taken + 1 when its token was printed
  int is_waiting;   // for the answer to an order
  int client;       // client that gave the newest order
  int64_t until_ms; // then there is no answer
  unsigned number;  // of orders and refusals, for the page
  int is_accepted;
  char said[ORDER_SAID]; // the newest order
  struct reason answer;
  int was_operator[GATEWAY_CLIENTS];
  unsigned told[GATEWAY_CLIENTS]; // number
};

enum status operate_open(const char *endpoint, const struct client_keys *keys, struct operate **out,
                         struct reason *why) {
  struct operate *o = calloc(1, sizeof *o);
  *out = o;
  if (!o)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status = seat_open(&o->seat, why);
  return status == STATUS_OK ? operator_line_open(endpoint, keys, &o->line, why) : status;
}

void operate_close(struct operate *o) {
  if (!o)
    return;
  operator_line_close(o->line);
  memset(&o->seat, 0, sizeof o->seat);
  free(o);
}

struct seat *operate_seat(struct operate *o) {
  return &o->seat;
}

// Prints where the next operator enters, once for each token.
static void operate_print(struct operate *o, const struct gateway *gateway) {
  if (o->printed == o->seat.taken + 1)
    return;
  if (o->seat.taken)
    fprintf(stderr, "sagbend-view: a browser has taken the operator's seat\n");
  o->printed = o->seat.taken + 1;
  fprintf(stderr, "sagbend-view: an operator enters once by http://%s/operate?token=%s\n",
          gateway_address(gateway), o->seat.token);
}

static void finish(struct operate *o, int is_accepted) {
  o->is_waiting = 0;
  o->is_accepted = is_accepted;
  o->number++;
  fprintf(stderr, "sagbend-view: order '%s': %s%s\n", o->said,
          is_accepted ? "accepted" : "refused: ", is_accepted ? "" : o->answer.text);
}

// What was ordered, as it was given; cut where it is long.
static void say(struct operate *o, char *const *words, int count) {
  char text[ORDER_WORDS * (ORDER_WORD + 1) + 1] = "";
  size_t used = 0;
  for (int i = 0; i < count && i < ORDER_WORDS; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", i ? " " : "", ORDER_WORD, words[i]);
  text_show(text, o->said, sizeof o->said); // cut between characters
}

static enum status read_words(struct order *order, char *const *words, int count, struct reason *why) {
  char *copy[ORDER_WORDS];
  const struct order_row *row = order_called(words[0]);
  if (!row || order_is_question(row->kind) || row->effect == EFFECT_MANAGER || count > ORDER_WORDS)
    return fail(why, STATUS_BAD_INPUT, "an order of the page's menu expected, got '%.60s'", words[0]);
  memcpy(copy, words, (size_t)count * sizeof *copy);
  enum status status = ctl_read_order(order, count, copy, why);
  return status == STATUS_OK ? order_check_values(order, why) : status;
}

int operate_order(struct operate *o, int client, char *const *words, int count, int64_t now_ms) {
  struct order order = {0};
  if (o->is_waiting)
    return 0;
  o->client = client;
  o->answer.text[0] = '\0';
  say(o, words, count);
  ctl_name_operator(&order);
  enum status status = read_words(&order, words, count, &o->answer);
  if (status == STATUS_OK)
    status = operator_line_send(o->line, &order, &o->answer);
  o->is_waiting = status == STATUS_OK;
  o->until_ms = now_ms + PATIENCE_MS;
  if (status != STATUS_OK)
    finish(o, 0);
  return 1;
}

static void take_answer(struct operate *o, int64_t now_ms) {
  Sagbend__V1__Receipt *receipt = NULL;
  enum operator_response answer = operator_line_take(o->line, 0, &receipt, &o->answer);
  wire_free_receipt(receipt);
  if (!o->is_waiting)
    return;
  if (answer == OPERATOR_WAITS && now_ms >= o->until_ms) {
    fail(&o->answer, STATUS_IO, "no answer within %d s", PATIENCE_MS / 1000);
    finish(o, 0);
  } else if (answer != OPERATOR_WAITS) {
    finish(o, answer == OPERATOR_RECEIPT);
  }
}

static void tell(struct operate *o, struct gateway *gateway, int client, int is_operator) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "sagbendOperator");
  cJSON_AddBoolToObject(object, "is_operator", is_operator);
  if (is_operator && o->number && o->client == client) {
    cJSON_AddNumberToObject(object, "number", o->number);
    cJSON_AddStringToObject(object, "order", o->said);
    cJSON_AddBoolToObject(object, "is_accepted", o->is_accepted);
    cJSON_AddStringToObject(object, "answer", o->answer.text);
  }
  char *text = cJSON_PrintUnformatted(object);
  cJSON_Delete(object);
  if (text)
    gateway_report(gateway, client, NOTE_OPERATOR, text);
  cJSON_free(text);
}

void operate_turn(struct operate *o, struct gateway *gateway, int64_t now_ms) {
  take_answer(o, now_ms);
  operate_print(o, gateway);
  for (int i = 0; i < GATEWAY_CLIENTS; i++) {
    int is_operator = gateway_is_operator(gateway, i);
    if (is_operator != o->was_operator[i] || (is_operator && o->told[i] != o->number))
      tell(o, gateway, i, is_operator);
    o->was_operator[i] = is_operator;
    o->told[i] = o->number;
  }
}

// ---- the menu ----

static cJSON *fault_of(enum fault_kind kind) {
  cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "parameters");
  cJSON_AddStringToObject(object, "kind", fault_name(kind));
  cJSON_AddStringToObject(object, "target", fault_target_name(fault_target_of(kind)));
  cJSON_AddStringToObject(object, "help", fault_help(kind));
  for (int i = 0; i < FAULT_PARAMETERS && *fault_parameter(kind, i); i++) {
    int id = fault_parameter_find(fault_parameter(kind, i));
    const struct fault_parameter_def *def = fault_parameter_def((enum fault_parameter_id)id);
    cJSON *parameter = cJSON_CreateObject();
    cJSON_AddStringToObject(parameter, "name", def->name);
    cJSON_AddStringToObject(parameter, "help", def->help);
    cJSON_AddBoolToObject(parameter, "is_required", isnan(def->fallback));
    cJSON_AddNumberToObject(parameter, "low", def->low);
    cJSON_AddNumberToObject(parameter, "high", def->high);
    cJSON_AddItemToArray(list, parameter);
  }
  return object;
}

char *operate_menu(void) {
  cJSON *menu = cJSON_CreateObject();
  cJSON *orders = cJSON_AddArrayToObject(menu, "orders"), *faults = cJSON_AddArrayToObject(menu, "faults");
  for (int i = 0; i < ORDER_ROW_COUNT; i++) {
    const struct order_row *row = &ORDER_ROWS[i];
    if (order_is_question(row->kind) || row->effect == EFFECT_MANAGER)
      continue;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "word", row->word);
    cJSON_AddStringToObject(object, "arguments", row->arguments);
    cJSON_AddStringToObject(object, "help", row->help);
    cJSON_AddItemToArray(orders, object);
  }
  for (int k = 0; k < FAULT_COUNT; k++)
    cJSON_AddItemToArray(faults, fault_of((enum fault_kind)k));
  char *text = cJSON_PrintUnformatted(menu);
  cJSON_Delete(menu);
  return text;
}
