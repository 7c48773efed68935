// The command line of `sagbend ctl`: orders, and what is none.
#include "run/ctl/ctl.h"
#include "run/ctl/ctl_internal.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct ctl_view CTL_WATCH = {"watch", "[--telemetry ENDPOINT]",
                                   "Show the session on the terminal, four times a second"};

static enum status take_file_name(struct order *order, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(order->manager.name, sizeof order->manager.name, "%s", text) <
             sizeof order->manager.name;
  return fits && *text ? STATUS_OK : order_words_error(why, "a name expected, got", text);
}

// The name of the order takes the endpoint.
static enum status read_watch(struct order *order, int argc, char **argv, struct reason *why) {
  struct reason cause = {""};
  if (argc == 0)
    return STATUS_OK;
  if (argc != 2 || strcmp(argv[0], "--telemetry") != 0)
    return order_words_error(why, "watch: --telemetry ENDPOINT or nothing expected, got", argv[0]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return order_words_error(why, "an endpoint to connect to expected, got", cause.text);
  return take_file_name(order, argv[1], why);
}

static enum status refuse_word(const char *word, struct reason *why) {
  struct nearest nearest = nearest_to(word);
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    nearest_try(&nearest, ORDER_ROWS[i].word);
  nearest_try(&nearest, CTL_WATCH.word);
  return fail(why, STATUS_BAD_INPUT, "unknown order '%.64s'%s; see 'sagbend ctl --help'", word,
              nearest_hint(&nearest).text);
}

enum status ctl_read_order(struct order *order, int argc, char **argv, struct reason *why) {
  const struct order_row *row = order_called(argv[0]);
  order->kind = ORDER_STATUS;
  if (row)
    return order_read_words(order, argc, argv, why);
  return !strcmp(argv[0], CTL_WATCH.word) ? read_watch(order, argc - 1, argv + 1, why)
                                          : refuse_word(argv[0], why);
}

static enum status run_watch(const char *endpoint, const struct client_keys *keys, const struct order *order,
                             int json, struct reason *why) {
  if (json)
    return order_words_error(why, "watch prints no JSON:", "--json");
  return ctl_watch(endpoint, *order->manager.name ? order->manager.name : NULL, keys, why);
}

int ctl_needs_more(const struct order *order, char **argv) {
  const enum order_payload payload = order_payload(order->kind);
  return payload == PAYLOAD_LIST || payload == PAYLOAD_PIECE || !strcmp(argv[0], CTL_WATCH.word);
}

static enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                            int json, struct reason *why);

enum status ctl_run(const char *endpoint, const struct client_keys *keys, const struct order *order,
                    char **argv, int json, struct reason *why) {
  if (order_payload(order->kind) == PAYLOAD_LIST)
    return ctl_list(endpoint, keys, order, json, why);
  if (order_payload(order->kind) == PAYLOAD_PIECE)
    return ctl_fetch(endpoint, keys, order, argv[2], json, why);
  return run_watch(endpoint, keys, order, json, why);
}

const struct ctl_option CTL_OPTIONS[] = {
    {"--json", "Print one JSON object instead of text."},
    {"--key FILE", "The operator's secret key ('sagbend keygen --role operator FILE'), for a simulator that "
                   "requires keys."},
    {"--server-key KEY", "The simulator's public key, or the file .pub that contains it."},
    {"--telemetry ENDPOINT", "Watch: endpoint of the telemetry. Default: as the simulator states it."},
    {"--target NAME", "Fault: the instrument, thruster or bus; all: each of them."},
    {"--for S", "Fault: simulated time until it ends. Default: when it is cleared."},
    {"--name NAME", "Fault: its name in messages and for clear. Default: the kind and a number."},
};
const int CTL_OPTION_COUNT = sizeof CTL_OPTIONS / sizeof *CTL_OPTIONS;

const char CTL_PURPOSE[] = "Send an operator's order to a running simulation and print the answer.";
const char CTL_DETAILS[] = "ENDPOINT is the simulator's command endpoint, as it prints it. Orders are logged "
                           "with the step from which they are in effect, and replayed.";
const char CTL_STATUSES[] = "0 the simulator accepted the order; 1 it refused the order, or there was no "
                            "answer; 2 wrong usage";
const char *const CTL_EXAMPLES[] = {"sagbend ctl tcp://127.0.0.1:47700 status --json",
                                    "sagbend ctl tcp://127.0.0.1:47700 set-point --north 505 --heading-deg 5",
                                    "sagbend ctl tcp://127.0.0.1:47700 fault loss --probability 0.3 --for 20",
                                    "sagbend ctl tcp://127.0.0.1:47700 tensioner tension 1.5e6",
                                    "sagbend ctl tcp://127.0.0.1:47700 track speed 0.3",
                                    "sagbend ctl tcp://127.0.0.1:47700 emergency-stop bow_tunnel_1",
                                    "sagbend ctl tcp://127.0.0.1:47700 clear all",
                                    NULL};

// ------------------------------------------------------------
static void print_case(const Sagbend__V1__CaseInfo *c) {
  if (*c->error)
    printf("%-32s invalid: %s\n", c->name, c->error);
  else
    printf("%s\n", c->name);
}

static void print_log(const Sagbend__V1__LogInfo *l) {
  printf("%-52s %12" PRIu64 " bytes  %s%s\n", l->name, l->size, l->changed_at, l->growing ? "  growing" : "");
}

static void add_entry(cJSON *list, const ProtobufCMessage *entry) {
  cJSON *item = cJSON_CreateObject();
  json_add_message(item, entry, NULL);
  cJSON_AddItemToArray(list, item);
}

static void take_entries(const Sagbend__V1__ManagerResponse *m, cJSON *list) {
  for (size_t i = 0; i < m->n_case_; i++) {
    if (list)
      add_entry(list, &m->case_[i]->base);
    else
      print_case(m->case_[i]);
  }
  for (size_t i = 0; i < m->n_log; i++) {
    if (list)
      add_entry(list, &m->log[i]->base);
    else
      print_log(m->log[i]);
  }
}

// Takes all answers; list NULL: prints each entry.
static enum status take_list(struct operator_line *line, struct order *order, cJSON *list,
                             Sagbend__V1__Receipt **receipt, struct reason *why) {
  for (order->manager.first = 0;;) {
    enum status status = ctl_exchange(line, order, receipt, why);
    if (status != STATUS_OK)
      return status;
    const Sagbend__V1__ManagerResponse *m = (*receipt)->manager;
    if (m->status || m->piece)
      return fail(why, STATUS_IO, "another answer than a list");
    take_entries(m, list);
    uint32_t count = (uint32_t)(m->n_case_ + m->n_log);
    order->manager.first += count;
    if (count == 0 || order->manager.first >= m->total)
      return STATUS_OK;
  }
}

// Send an order as often as the list needs it, and print all of it. STATUS_IO: no answer, or a refusal.
static enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                            int json, struct reason *why) {
  struct operator_line *line;
  struct order next = *order;
  Sagbend__V1__Receipt *receipt = NULL;
  enum status status = operator_line_open(endpoint, keys, &line, why);
  if (status != STATUS_OK)
    return status;
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON *list = cJSON_AddArrayToObject(root, order_word(order->kind));
  status = take_list(line, &next, json ? list : NULL, &receipt, why);
  if (status == STATUS_OK && json)
    status = json_put_in_line(root, why);
  else
    cJSON_Delete(root);
  wire_free_receipt(receipt);
  operator_line_close(line);
  return status;
}
