// sagbend ctl: an operator's orders to a running simulator.
#include "app/commands.h"
#include "cli/console.h"
#include "cli/options.h"

#include "io/net/endpoint.h"
#include "io/wire/operator.h"
#include "io/yaml/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 5000 };

static void print_kinds(void) {
  puts("\nkinds of fault, what they act on, their parameters:");
  for (int k = 0; k < FAULT_COUNT; k++) {
    enum fault_kind kind = (enum fault_kind)k;
    printf("  %-20s %-11s", fault_name(kind), fault_target_name(fault_target_of(kind)));
    for (int i = 0; i < FAULT_PARAMETERS && *fault_parameter(kind, i); i++)
      printf(" --%s", fault_parameter(kind, i));
    printf(" %s\n", fault_help(kind));
  }
}

static int print_help(void) {
  puts("usage: sagbend ctl ENDPOINT fault KIND [--target NAME|all] [--for S] [--name NAME] [--PARAMETER "
       "VALUE ...]\n"
       "       sagbend ctl ENDPOINT clear NAME|all\n"
       "       sagbend ctl ENDPOINT list\n"
       "       sagbend ctl ENDPOINT stop\n"
       "make a fault in a running simulation, clear it, list those that are active, end the session\n\n"
       "ENDPOINT is the simulator's command endpoint, as it prints it. Orders are logged with the step from "
       "which on they\n"
       "are in effect, and replayed.\n\n"
       "options of fault:\n"
       "  --target NAME                the instrument, thruster or bus; all: each of them\n"
       "  --for S                      simulated time until it ends by itself (until it is cleared)\n"
       "  --name NAME                  what messages call it and what clears it (the kind and a number)");
  print_kinds();
  puts("\nexamples:\n"
       "  sagbend ctl tcp://127.0.0.1:47700 fault loss --probability 0.3 --for 20\n"
       "  sagbend ctl tcp://127.0.0.1:47700 fault bias --target gnss-1 --bias 5 --name wild\n"
       "  sagbend ctl tcp://127.0.0.1:47700 clear wild");
  return EXIT_DONE;
}

static int usage_error(const char *what, const char *found) {
  fprintf(stderr, "sagbend ctl: %s '%s'; see 'sagbend ctl --help'\n", what, found);
  return EXIT_USAGE;
}

static int take_text(char *out, size_t size, const char *text) {
  return (size_t)snprintf(out, size, "%s", text) < size && *text
             ? -1
             : usage_error("a name of 1 to 23 characters expected, not", text);
}

static int take_parameter(struct fault_request *q, const char *option, const char *value) {
  struct fault_parameter_given *p = &q->parameter[q->parameter_count];
  if (q->parameter_count == FAULT_PARAMETERS + 1)
    return usage_error("too many parameters, the last one is", option);
  if (fault_parameter_find(option + 2) < 0)
    return usage_error("unknown option", option);
  q->parameter_count++;
  snprintf(p->name, sizeof p->name, "%s", option + 2);
  p->is_text = !is_number(value, &p->number);
  return p->is_text ? take_text(p->text, sizeof p->text, value) : -1;
}

static int take_options(struct wire_order *o, int argc, char **argv) {
  for (int i = 0; i < argc; i += 2) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    int status = -1;
    if (strncmp(option, "--", 2) != 0)
      return usage_error("an option expected, not", option);
    if (!value)
      return usage_error("a value is missing after", option);
    if (!strcmp(option, "--target"))
      status = take_text(o->fault.target, sizeof o->fault.target, value);
    else if (!strcmp(option, "--name"))
      status = take_text(o->name, sizeof o->name, value);
    else if (strcmp(option, "--for") != 0)
      status = take_parameter(&o->fault, option, value);
    else if (!is_number(value, &o->duration_s) || !(o->duration_s > 0))
      status = usage_error("a number of seconds above 0 was expected, not", value);
    if (status >= 0)
      return status;
  }
  return -1;
}

// The words behind the endpoint. -1 to go on.
static int read_order(struct wire_order *o, int argc, char **argv) {
  static const struct {
    const char *word;
    enum wire_order_kind kind;
    int names; // words behind it that it needs
  } orders[] = {{"fault", WIRE_ORDER_FAULT, 1},
                {"clear", WIRE_ORDER_CLEAR, 1},
                {"list", WIRE_ORDER_LIST, 0},
                {"stop", WIRE_ORDER_STOP, 0}};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    if (strcmp(argv[0], orders[i].word) != 0)
      continue;
    o->kind = orders[i].kind;
    if (argc < 1 + orders[i].names)
      return usage_error("a name is missing after", argv[0]);
    if (o->kind == WIRE_ORDER_FAULT) {
      int status = take_text(o->fault.kind, sizeof o->fault.kind, argv[1]);
      return status < 0 ? take_options(o, argc - 2, argv + 2) : status;
    }
    if (argc > 1 + orders[i].names)
      return usage_error("unexpected argument", argv[1 + orders[i].names]);
    return orders[i].names ? take_text(o->name, sizeof o->name, argv[1]) : -1;
  }
  return usage_error("fault, clear, list or stop expected, not", argv[0]);
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

int cmd_ctl(int argc, char **argv) {
  struct wire_order order = {.kind = WIRE_ORDER_NONE};
  struct wire_receipt receipt;
  struct reason why = {""};
  const char *user = getenv("USER");
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help"))
      return print_help();
  if (argc < 3)
    return usage_error("an endpoint and an order expected, not", argc < 2 ? "" : argv[1]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &why) != STATUS_OK)
    return usage_error("an endpoint to connect to expected:", why.text);
  int status = read_order(&order, argc - 2, argv + 2);
  if (status >= 0)
    return status;
  snprintf(order.operator_name, sizeof order.operator_name, "%s", user && *user ? user : "sagbend ctl");
  if (operator_order(argv[1], &order, PATIENCE_MS, &receipt, &why) != STATUS_OK) {
    fprintf(stderr, "sagbend ctl: %s\n", why.text);
    return EXIT_FAILED;
  }
  if (order.kind == WIRE_ORDER_LIST)
    print_active(&receipt);
  else if (order.kind == WIRE_ORDER_FAULT)
    printf("%s\n", receipt.name);
  return console_finish_stdout("sagbend ctl", EXIT_DONE);
}
