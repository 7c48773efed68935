// sagbend ctl: sends an operator's order to a running simulator: a fault, its end, a list, the end of the
// session.
#include "app/commands.h"
#include "cli/console.h"
#include "cli/exit_status.h"

#include "io/net/endpoint.h"
#include "io/wire/operator.h"
#include "io/yaml/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 5000 };

static void describe_kinds(struct help *h) {
  help_heading(h, "kinds of fault, what they act on, their parameters", HELP_OPTION_COLUMN);
  for (int k = 0; k < FAULT_COUNT; k++) {
    enum fault_kind kind = (enum fault_kind)k;
    char right[256];
    int size =
        snprintf(right, sizeof right, "%s: %s.", fault_target_name(fault_target_of(kind)), fault_help(kind));
    for (int i = 0; i < FAULT_PARAMETERS && *fault_parameter(kind, i); i++)
      size += snprintf(right + size, sizeof right - (size_t)size, " --%s", fault_parameter(kind, i));
    help_row(h, fault_name(kind), right);
  }
}

void ctl_describe(struct help *h) {
  static const char *const usages[] = {
      "ENDPOINT fault KIND [--target NAME|all] [--for S] [--name NAME] [--PARAMETER VALUE ...]",
      "ENDPOINT clear NAME|all", "ENDPOINT list", "ENDPOINT stop", NULL};
  static const char *const examples[] = {
      "sagbend ctl tcp://127.0.0.1:47700 fault loss --probability 0.3 --for 20",
      "sagbend ctl tcp://127.0.0.1:47700 fault bias --target gnss-1 --bias 5 --name wild",
      "sagbend ctl tcp://127.0.0.1:47700 clear wild", NULL};
  help_begin(h, "sagbend ctl",
             "Make a fault in a running simulation, clear it, list those that are active, end the session.",
             usages);
  help_text(h, "ENDPOINT is the simulator's command endpoint, as it prints it. Orders are logged with the "
               "step from which on they are in effect, and replayed.");
  help_heading(h, "options of fault", HELP_OPTION_COLUMN);
  help_row(h, "--target NAME", "The instrument, thruster or bus; all: each of them.");
  help_row(h, "--for S", "Simulated time until it ends by itself (until it is cleared).");
  help_row(h, "--name NAME", "What messages call it and what clears it (the kind and a number).");
  describe_kinds(h);
  help_statuses(h, "0 the order is in effect; 1 it was refused, or nobody answered; 2 wrong usage");
  help_examples(h, examples);
}

static int print_help(void) {
  struct help h = {.out = stdout};
  ctl_describe(&h);
  return EXIT_DONE;
}

static enum status usage_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s '%.120s'; see 'sagbend ctl --help'", what, found);
}

static enum status take_text(char *out, size_t size, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(out, size, "%s", text) < size;
  return fits && *text ? STATUS_OK : usage_error(why, "a name of 1 to 23 characters expected, not", text);
}

static enum status take_parameter(struct fault_request *request, const char *option, const char *value,
                                  struct reason *why) {
  struct fault_parameter_given *p = &request->parameter[request->parameter_count];
  if (request->parameter_count == FAULT_PARAMETERS + 1)
    return usage_error(why, "too many parameters, the last one is", option);
  if (fault_parameter_find(option + 2) < 0)
    return usage_error(why, "unknown option", option);

  request->parameter_count++;
  snprintf(p->name, sizeof p->name, "%s", option + 2);
  p->is_text = !is_number(value, &p->number);
  return p->is_text ? take_text(p->text, sizeof p->text, value, why) : STATUS_OK;
}

static enum status take_duration(struct wire_order *order, const char *value, struct reason *why) {
  if (is_number(value, &order->duration_s) && order->duration_s > 0)
    return STATUS_OK;
  return usage_error(why, "a number of seconds above 0 was expected, not", value);
}

static enum status take_options(struct wire_order *order, int argc, char **argv, struct reason *why) {
  for (int i = 0; i < argc; i += 2) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    enum status status;
    if (strncmp(option, "--", 2) != 0)
      return usage_error(why, "an option expected, not", option);
    if (!value)
      return usage_error(why, "a value is missing after", option);

    if (!strcmp(option, "--target"))
      status = take_text(order->fault.target, sizeof order->fault.target, value, why);
    else if (!strcmp(option, "--name"))
      status = take_text(order->name, sizeof order->name, value, why);
    else if (!strcmp(option, "--for"))
      status = take_duration(order, value, why);
    else
      status = take_parameter(&order->fault, option, value, why);
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

// Reads the words after the endpoint: the kind of order, its name, its options.
static enum status read_order(struct wire_order *order, int argc, char **argv, struct reason *why) {
  static const struct {
    const char *word;
    enum wire_order_kind kind;
    int names; // names that follow the word
  } orders[] = {{"fault", WIRE_ORDER_FAULT, 1},
                {"clear", WIRE_ORDER_CLEAR, 1},
                {"list", WIRE_ORDER_LIST, 0},
                {"stop", WIRE_ORDER_STOP, 0}};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    if (strcmp(argv[0], orders[i].word) != 0)
      continue;
    order->kind = orders[i].kind;
    if (argc < 1 + orders[i].names)
      return usage_error(why, "a name is missing after", argv[0]);
    if (order->kind == WIRE_ORDER_FAULT) {
      enum status status = take_text(order->fault.kind, sizeof order->fault.kind, argv[1], why);
      return status == STATUS_OK ? take_options(order, argc - 2, argv + 2, why) : status;
    }
    if (argc > 1 + orders[i].names)
      return usage_error(why, "unexpected argument", argv[1 + orders[i].names]);
    return orders[i].names ? take_text(order->name, sizeof order->name, argv[1], why) : STATUS_OK;
  }
  return usage_error(why, "fault, clear, list or stop expected, not", argv[0]);
}

static enum status read_arguments(struct wire_order *order, int argc, char **argv, struct reason *why) {
  struct reason cause = {""};
  if (argc < 3)
    return usage_error(why, "an endpoint and an order expected, not", argc < 2 ? "" : argv[1]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return usage_error(why, "an endpoint to connect to expected:", cause.text);
  return read_order(order, argc - 2, argv + 2, why);
}

static void print_active(const struct wire_receipt *r) {
  if (!r->active_count)
    puts("no fault is active");
  for (int i = 0; i < r->active_count && i < WIRE_MAX_ACTIVE; i++) {
    const struct wire_active *a = &r->active[i];
    printf("%-23s %-20s %-23s since %.3f s", a->name, a->fault.kind, *a->fault.target ? a->fault.target : "-",
           a->since_s);
    for (int k = 0; k < a->fault.parameter_count; k++) {
      const struct fault_parameter_given *p = &a->fault.parameter[k];
      if (p->is_text)
        printf("  %s %s", p->name, p->text);
      else
        printf("  %s %g", p->name, p->number);
    }
    puts("");
  }
  if (r->active_count > WIRE_MAX_ACTIVE)
    printf("and %d more\n", r->active_count - WIRE_MAX_ACTIVE);
}

// Sends the order and waits for its receipt. A timeout or a refusal by the simulator is STATUS_IO.
static enum status send_order(const char *endpoint, struct wire_order *order, struct wire_receipt *receipt,
                              struct reason *why) {
  const char *user = getenv("USER");
  snprintf(order->operator_name, sizeof order->operator_name, "%s", user && *user ? user : "sagbend ctl");
  return operator_order(endpoint, order, PATIENCE_MS, receipt, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
}

int cmd_ctl(int argc, char **argv) {
  struct wire_order order = {.kind = WIRE_ORDER_NONE};
  struct wire_receipt receipt;
  struct reason why = {""};
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help"))
      return print_help();

  enum status status = read_arguments(&order, argc, argv, &why);
  if (status == STATUS_OK)
    status = send_order(argv[1], &order, &receipt, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend ctl", status, &why);

  if (order.kind == WIRE_ORDER_LIST)
    print_active(&receipt);
  else if (order.kind == WIRE_ORDER_FAULT)
    printf("%s\n", receipt.name);
  return console_finish_stdout("sagbend ctl", EXIT_DONE);
}
