// The command line of `sagbend ctl`: orders, and what is none.
#include "run/ctl/ctl.h"
#include "sagbend/base/endpoint_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ctl_view CTL_WATCH = {"watch", "[--telemetry ENDPOINT]",
                                   "Show the session on the terminal, four times a second"};

static enum status take_file_name(struct order *order, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(order->manager.name, sizeof order->manager.name, "%s", text) <
             sizeof order->manager.name;
  return fits && *text ? STATUS_OK : order_words_error(why, "a name expected, not", text);
}

// The name of the order takes the endpoint.
static enum status read_watch(struct order *order, int argc, char **argv, struct reason *why) {
  struct reason cause = {""};
  if (argc == 0)
    return STATUS_OK;
  if (argc != 2 || strcmp(argv[0], "--telemetry") != 0)
    return order_words_error(why, "--telemetry ENDPOINT or nothing expected after watch, not", argv[0]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return order_words_error(why, "an endpoint to connect to expected:", cause.text);
  return take_file_name(order, argv[1], why);
}

static enum status refuse_word(const char *word, struct reason *why) {
  char words[256] = "";
  size_t used = 0;
  for (int i = 0; i < ORDER_ROW_COUNT && used < sizeof words; i++)
    used += (size_t)snprintf(words + used, sizeof words - used, "%s, ", ORDER_ROWS[i].word);
  return fail(why, STATUS_BAD_INPUT, "one of %s%s expected, not '%.64s'; see 'sagbend ctl --help'", words,
              CTL_WATCH.word, word);
}

enum status ctl_read_order(struct order *order, int argc, char **argv, struct reason *why) {
  const struct order_row *row = order_called(argv[0]);
  order->kind = ORDER_STATUS;
  if (row)
    return order_read_words(order, argc, argv, why);
  return !strcmp(argv[0], CTL_WATCH.word) ? read_watch(order, argc - 1, argv + 1, why)
                                          : refuse_word(argv[0], why);
}

void ctl_name_operator(struct order *order) {
  const char *user = getenv("USER");
  snprintf(order->operator_name, sizeof order->operator_name, "%s", user && *user ? user : "sagbend ctl");
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
    {"--telemetry ENDPOINT", "Watch: the telemetry (as the simulator states it)."},
    {"--target NAME", "Fault: the instrument, thruster or bus; all: each of them."},
    {"--for S", "Fault: simulated time until it ends by itself (until it is cleared)."},
    {"--name NAME", "Fault: what messages call it and what clears it (the kind and a number)."},
};
const int CTL_OPTION_COUNT = sizeof CTL_OPTIONS / sizeof *CTL_OPTIONS;

const char CTL_PURPOSE[] = "Send an operator's order to a running simulation and print the answer.";
const char CTL_DETAILS[] = "ENDPOINT is the simulator's command endpoint, as it prints it. Orders are logged "
                           "with the step from which on they are in effect, and replayed.";
const char CTL_STATUSES[] = "0 the simulator accepted the order; 1 it refused the order, or there was no "
                            "answer; 2 wrong usage";
const char *const CTL_EXAMPLES[] = {"sagbend ctl tcp://127.0.0.1:47700 status --json",
                                    "sagbend ctl tcp://127.0.0.1:47700 set-point --north 20 --heading-deg 45",
                                    "sagbend ctl tcp://127.0.0.1:47700 fault loss --probability 0.3 --for 20",
                                    "sagbend ctl tcp://127.0.0.1:47700 tensioner tension 1.5e6",
                                    "sagbend ctl tcp://127.0.0.1:47700 track speed 0.3",
                                    "sagbend ctl tcp://127.0.0.1:47700 emergency-stop bow_tunnel_1",
                                    "sagbend ctl tcp://127.0.0.1:47700 clear all",
                                    NULL};
