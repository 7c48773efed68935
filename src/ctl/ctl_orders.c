// Reading the orders of `sagbend ctl`.
#include "ctl/ctl_orders.h"
#include "ctl/ctl_manager.h"
#include "ctl/ctl_watch.h"
#include "io/net/endpoint.h"

#include "io/yaml/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum status ctl_usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s '%.120s'; see 'sagbend ctl --help'", what, found);
}

static enum status take_text(char *out, size_t size, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(out, size, "%s", text) < size;
  return fits && *text ? STATUS_OK : ctl_usage_error(why, "a name of 1 to 23 characters expected, not", text);
}

static enum status take_parameter(struct fault_request *request, const char *option, const char *value,
                                  struct reason *why) {
  struct fault_parameter_given *p = &request->parameter[request->parameter_count];
  if (request->parameter_count == FAULT_PARAMETERS + 1)
    return ctl_usage_error(why, "too many parameters, the last one is", option);
  if (fault_parameter_find(option + 2) < 0)
    return ctl_usage_error(why, "unknown option", option);

  request->parameter_count++;
  snprintf(p->name, sizeof p->name, "%s", option + 2);
  p->is_text = !is_number(value, &p->number);
  return p->is_text ? take_text(p->text, sizeof p->text, value, why) : STATUS_OK;
}

static enum status take_duration(struct wire_order *order, const char *value, struct reason *why) {
  if (is_number(value, &order->duration_s) && order->duration_s > 0)
    return STATUS_OK;
  return ctl_usage_error(why, "a number of seconds above 0 was expected, not", value);
}

static enum status take_fault_option(struct wire_order *order, const char *option, const char *value,
                                     struct reason *why) {
  if (!strcmp(option, "--target"))
    return take_text(order->fault.target, sizeof order->fault.target, value, why);
  if (!strcmp(option, "--name"))
    return take_text(order->name, sizeof order->name, value, why);
  if (!strcmp(option, "--for"))
    return take_duration(order, value, why);
  return take_parameter(&order->fault, option, value, why);
}

static enum status take_setpoint_option(struct wire_order *order, const char *option, const char *value,
                                        struct reason *why) {
  static const char *const names[3] = {"--north", "--east", "--heading-deg"};
  static const double unit[3] = {1, 1, 3.14159265358979323846 / 180}, limit[3] = {1e6, 1e6, 400};
  for (int i = 0; i < 3; i++) {
    if (strcmp(option, names[i]) != 0)
      continue;
    if (order->setpoint.given[i])
      return ctl_usage_error(why, "given twice:", option);
    if (!is_number(value, &order->setpoint.value[i]))
      return ctl_usage_error(why, "a number was expected, not", value);
    if (!(fabs(order->setpoint.value[i]) <= limit[i]))
      return fail(why, STATUS_BAD_INPUT, "%s: a number from %g to %g expected, not '%.40s'", names[i],
                  -limit[i], limit[i], value);
    order->setpoint.value[i] *= unit[i];
    order->setpoint.given[i] = 1;
    return STATUS_OK;
  }
  return ctl_usage_error(why, "unknown option", option);
}

// Reads pairs of option and value.
static enum status take_options(struct wire_order *order, int argc, char **argv,
                                enum status (*take)(struct wire_order *order, const char *option,
                                                    const char *value, struct reason *why),
                                struct reason *why) {
  for (int i = 0; i < argc; i += 2) {
    if (strncmp(argv[i], "--", 2) != 0)
      return ctl_usage_error(why, "an option expected, not", argv[i]);
    if (i + 1 == argc)
      return ctl_usage_error(why, "a value is missing after", argv[i]);
    enum status status = take(order, argv[i], argv[i + 1], why);
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

static enum status read_nothing(struct wire_order *order, int argc, char **argv, struct reason *why) {
  (void)order;
  return argc == 0 ? STATUS_OK : ctl_usage_error(why, "unexpected argument", argv[0]);
}

static enum status read_name(struct wire_order *order, int argc, char **argv, struct reason *why) {
  if (argc == 0)
    return ctl_usage_error(why, "a name is missing after", ctl_word(order->kind));
  if (argc > 1)
    return ctl_usage_error(why, "unexpected argument", argv[1]);
  return take_text(order->name, sizeof order->name, argv[0], why);
}

static enum status read_fault(struct wire_order *order, int argc, char **argv, struct reason *why) {
  if (argc == 0)
    return ctl_usage_error(why, "a kind of fault is missing after", ctl_word(order->kind));
  enum status status = take_text(order->fault.kind, sizeof order->fault.kind, argv[0], why);
  return status == STATUS_OK ? take_options(order, argc - 1, argv + 1, take_fault_option, why) : status;
}

static enum status read_setpoint(struct wire_order *order, int argc, char **argv, struct reason *why) {
  if (argc == 0)
    return ctl_usage_error(why, "--north, --east or --heading-deg expected after", ctl_word(order->kind));
  return take_options(order, argc, argv, take_setpoint_option, why);
}

static enum status read_rate(struct wire_order *order, int argc, char **argv, struct reason *why) {
  if (argc != 1 || !is_number(argv[0], &order->rate))
    return ctl_usage_error(why, "one number expected after rate, not", argc ? argv[argc - 1] : "");
  return STATUS_OK;
}

// brake, release; tension N; speed V.
static enum status read_tensioner(struct wire_order *order, int argc, char **argv, struct reason *why) {
  static const char expected[] = "brake, tension N, speed MPS or release expected after tensioner, not";
  struct tensioner_setpoint *to = &order->tensioner;
  const char *word = argc > 0 ? argv[0] : "";
  const int is_number_given = argc == 2;
  to->given = strcmp(word, "release") != 0;
  if (argc == 1 && (!to->given || !strcmp(word, "brake")))
    return STATUS_OK;
  const int is_known = !strcmp(word, "tension") || !strcmp(word, "speed");
  if (is_known && argc == 1)
    return ctl_usage_error(why, "a number, in N or m/s, expected after tensioner", word);
  if (!is_number_given || !is_known)
    return ctl_usage_error(why, expected, argc ? argv[argc - 1] : "");
  to->mode = !strcmp(word, "tension") ? TENSIONER_TENSION : TENSIONER_SPEED;
  double *value = to->mode == TENSIONER_TENSION ? &to->tension_n : &to->speed_mps;
  return is_number(argv[1], value) && isfinite(*value)
             ? STATUS_OK
             : ctl_usage_error(why, "a number was expected, not", argv[1]);
}

// stop, go; speed V.
static enum status read_track(struct wire_order *order, int argc, char **argv, struct reason *why) {
  struct track_order *to = &order->track;
  const char *word = argc > 0 ? argv[0] : "";
  if (argc == 1 && (!strcmp(word, "stop") || !strcmp(word, "go"))) {
    to->kind = !strcmp(word, "stop") ? TRACK_ORDER_STOP : TRACK_ORDER_GO;
    return STATUS_OK;
  }
  if (argc != 2 || strcmp(word, "speed") != 0)
    return ctl_usage_error(why, "stop, go or speed MPS expected after track, not",
                           argc ? argv[argc - 1] : "");
  to->kind = TRACK_ORDER_SPEED;
  return is_number(argv[1], &to->speed_mps) && isfinite(to->speed_mps)
             ? STATUS_OK
             : ctl_usage_error(why, "a number was expected, not", argv[1]);
}

static enum status take_file_name(struct wire_order *order, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(order->manager.name, sizeof order->manager.name, "%s", text) <
             sizeof order->manager.name;
  return fits && *text ? STATUS_OK : ctl_usage_error(why, "a name expected, not", text);
}

static enum status read_case(struct wire_order *order, int argc, char **argv, struct reason *why) {
  if (argc != 1)
    return ctl_usage_error(why, "the name of one case expected after", ctl_word(order->kind));
  return take_file_name(order, argv[0], why);
}

static enum status read_fetch(struct wire_order *order, int argc, char **argv, struct reason *why) {
  order->manager.size = 1;
  if (argc != 2)
    return ctl_usage_error(why, "the name of a log and a file to write expected after",
                           ctl_word(order->kind));
  return take_file_name(order, argv[0], why);
}

static enum status run_list(const char *endpoint, const struct client_keys *keys,
                            const struct wire_order *order, char **words, int json, struct reason *why) {
  (void)words;
  return ctl_list(endpoint, keys, order, json, why);
}

static enum status run_fetch(const char *endpoint, const struct client_keys *keys,
                             const struct wire_order *order, char **words, int json, struct reason *why) {
  return ctl_fetch(endpoint, keys, order, words[1], json, why);
}

// The name of the order takes the endpoint.
static enum status read_watch(struct wire_order *order, int argc, char **argv, struct reason *why) {
  struct reason cause = {""};
  if (argc == 0)
    return STATUS_OK;
  if (argc != 2 || strcmp(argv[0], "--telemetry") != 0)
    return ctl_usage_error(why, "--telemetry ENDPOINT or nothing expected after watch, not", argv[0]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return ctl_usage_error(why, "an endpoint to connect to expected:", cause.text);
  return take_file_name(order, argv[1], why);
}

static enum status run_watch(const char *endpoint, const struct client_keys *keys,
                             const struct wire_order *order, char **words, int json, struct reason *why) {
  (void)words;
  if (json)
    return ctl_usage_error(why, "watch prints no JSON:", "--json");
  return ctl_watch(endpoint, *order->manager.name ? order->manager.name : NULL, keys, why);
}

const struct ctl_order CTL_ORDERS[] = {
    {"status", ORDER_STATUS, "", "Print the state of the session", read_nothing, NULL},
    {"watch", ORDER_STATUS, "[--telemetry ENDPOINT]", "Show the session on the terminal, four times a second",
     read_watch, run_watch},
    {"pause", ORDER_PAUSE, "", "Stop the steps; simulated time stands", read_nothing, NULL},
    {"resume", ORDER_RESUME, "", "Continue after a pause or a halt", read_nothing, NULL},
    {"rate", ORDER_RATE, "RATE", "Set the pace of mode realtime: simulated seconds in one second, 0.05 to 20",
     read_rate, NULL},
    {"set-point", ORDER_SET_POINT, "[--north M] [--east M] [--heading-deg DEG]",
     "Set the target that the controller holds; what is not given keeps its value", read_setpoint, NULL},
    {"take-over", ORDER_TAKE_OVER, "NAME|NUMBER", "Give the command to a connected controller at once",
     read_name, NULL},
    {"tensioner", ORDER_TENSIONER, "brake|tension N|speed MPS|release",
     "Order the tensioner to hold the pipe, a tension in N or a speed in m/s; controllers' orders are not "
     "followed until release",
     read_tensioner, NULL},
    {"track", ORDER_TRACK, "stop|go|speed MPS",
     "Order a controller that follows a route to come to rest on it, to go on, or another speed in m/s",
     read_track, NULL},
    {"fault", ORDER_FAULT, "KIND [--target NAME|all] [--for S] [--name NAME] [--PARAMETER VALUE ...]",
     "Begin a fault", read_fault, NULL},
    {"clear", ORDER_CLEAR, "NAME|all", "End a fault, or by the name overrun a halt", read_name, NULL},
    {"list", ORDER_LIST, "", "List the active faults", read_nothing, NULL},
    {"snapshot", ORDER_SNAPSHOT, "NAME", "Save the state under a name", read_name, NULL},
    {"restore", ORDER_RESTORE, "NAME", "Begin a new session at the state of a snapshot", read_name, NULL},
    {"reset", ORDER_RESET, "", "Begin a new session at the initial state", read_nothing, NULL},
    {"stop", ORDER_STOP, "", "End the session properly", read_nothing, NULL},
    {"cases", ORDER_CASES, "", "Session manager: list the cases, with the first error of each", read_nothing,
     run_list},
    {"load", ORDER_LOAD, "NAME", "Session manager: choose a case", read_case, NULL},
    {"start", ORDER_START, "", "Session manager: start a session of the case", read_nothing, NULL},
    {"logs", ORDER_LOGS, "", "Session manager: list the logs, the newest first", read_nothing, run_list},
    {"fetch", ORDER_FETCH, "LOG FILE",
     "Session manager: copy a log into a file; a transfer that broke off is continued", read_fetch,
     run_fetch},
};
const int CTL_ORDER_COUNT = sizeof CTL_ORDERS / sizeof *CTL_ORDERS;

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
                                    "sagbend ctl tcp://127.0.0.1:47700 clear all",
                                    NULL};

const char *ctl_word(enum order_kind kind) {
  for (int i = 0; i < CTL_ORDER_COUNT; i++)
    if (CTL_ORDERS[i].kind == kind)
      return CTL_ORDERS[i].word;
  return "";
}
