// sagbend ctl: sends an operator's order to a running simulator and prints the answer. The orders are in
// sagbend/orders/orders.h, and ctl_orders.c reads them.
#include "programs/sagbend/sagbend_program.h"

#include "net/buses/buses.h"
#include "net/case/case.h"
#include "net/server/server.h"
#include "net/zmtp/zmtp.h"
#include "os/cli/cli.h"
#include "run/ctl/ctl.h"
#include "run/replay/replay.h"
#include "run/setup/setup.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 5000 };

// An order has its parameters as options: the orders have a table of their own.
const struct cli_command ctl_command = {
    .name = "ctl",
    .arguments = "ENDPOINT ORDER",
    .purpose =
        "Send an operator's order to a running simulation: status, pause, set-point, faults and others.",
};

static void describe_order(struct help *h, const char *word, const char *help) {
  char right[256];
  snprintf(right, sizeof right, "%s.", help);
  help_row(h, word, right);
}

static void describe_orders(struct help *h) {
  help_heading(h, "orders", HELP_OPTION_COLUMN);
  describe_order(h, CTL_WATCH.word, CTL_WATCH.help);
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    describe_order(h, ORDER_ROWS[i].word, ORDER_ROWS[i].help);
}

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
  enum { MOST = 40, LINE = 160 };
  char lines[MOST][LINE];
  const char *usages[MOST + 1] = {NULL};
  for (int i = 0; i <= ORDER_ROW_COUNT && i < MOST; i++) { // watch, then the orders
    const char *word = i ? ORDER_ROWS[i - 1].word : CTL_WATCH.word,
               *arguments = i ? ORDER_ROWS[i - 1].arguments : CTL_WATCH.arguments;
    snprintf(lines[i], LINE, "ENDPOINT %s%s%s", word, *arguments ? " " : "", arguments);
    usages[i] = lines[i];
  }
  help_begin(h, "sagbend ctl", CTL_PURPOSE, usages);
  help_text(h, CTL_DETAILS);
  describe_orders(h);
  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (int i = 0; i < CTL_OPTION_COUNT; i++)
    help_row(h, CTL_OPTIONS[i].name, CTL_OPTIONS[i].help);
  describe_kinds(h);
  help_statuses(h, CTL_STATUSES);
  help_examples(h, CTL_EXAMPLES);
}

static int print_help(void) {
  struct help h = {.out = stdout};
  ctl_describe(&h);
  return EXIT_DONE;
}

// Takes --key FILE and --server-key KEY out of the arguments, wherever they stand, and reads the keys.
// *given: whether there are any. Erase them with peer_secret_forget(&out->own).
static enum status take_keys(int *argc, char **argv, struct client_keys *out, int *given,
                             struct reason *why) {
  const char *key = NULL, *server_key = NULL;
  int kept = 0;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < *argc; i++) {
    int is_key = strcmp(argv[i], "--key") == 0;
    if (!is_key && strcmp(argv[i], "--server-key") != 0) {
      argv[kept++] = argv[i];
    } else if (i + 1 == *argc) {
      return fail(why, STATUS_BAD_INPUT, "a value is missing after %s", argv[i]);
    } else {
      *(is_key ? &key : &server_key) = argv[i + 1];
      i++;
    }
  }
  *argc = kept;
  *given = key && server_key;
  if (*given)
    return client_keys_read(key, server_key, out, why);
  return key || server_key ? fail(why, STATUS_BAD_INPUT, "--key FILE and --server-key KEY need each other")
                           : STATUS_OK;
}

// Removes each occurrence of a word from the arguments. Returns their number.
static int take_flag(const char *flag, int *argc, char **argv) {
  int kept = 0, found = 0;
  for (int i = 0; i < *argc; i++) {
    if (!strcmp(argv[i], flag))
      found++;
    else
      argv[kept++] = argv[i];
  }
  *argc = kept;
  return found;
}

static enum status read_arguments(struct order *order, int argc, char **argv, struct reason *why) {
  struct reason cause = {""};
  if (argc < 3)
    return order_words_error(why, "an endpoint and an order expected, got", argc < 2 ? "" : argv[1]);
  if (endpoint_check(argv[1], ENDPOINT_CONNECT, &cause) != STATUS_OK)
    return order_words_error(why, "an endpoint to connect to expected, got", cause.text);
  return ctl_read_order(order, argc - 2, argv + 2, why);
}

// Sends the order and waits for its receipt. A timeout or a refusal by the simulator is STATUS_IO.
static enum status send_order(const char *endpoint, const struct client_keys *keys, struct order *order,
                              Sagbend__V1__Receipt **receipt, struct reason *why) {
  ctl_name_operator(order);
  return operator_order(endpoint, keys, order, PATIENCE_MS, receipt, why) == STATUS_OK ? STATUS_OK
                                                                                       : STATUS_IO;
}

int cmd_ctl(int argc, char **argv) {
  struct order order = {.kind = ORDER_NONE};
  Sagbend__V1__Receipt *receipt = NULL;
  struct client_keys keys;
  int has_keys = 0;
  struct reason why = {""};
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help"))
      return print_help();

  int json = take_flag("--json", &argc, argv);
  enum status status = take_keys(&argc, argv, &keys, &has_keys, &why);
  if (status == STATUS_OK)
    status = read_arguments(&order, argc, argv, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend ctl", status, &why);

  if (ctl_needs_more(&order, argv + 2)) {
    status = ctl_run(argv[1], has_keys ? &keys : NULL, &order, argv + 2, json, &why);
    peer_secret_forget(&keys.own);
    if (status != STATUS_OK && json)
      ctl_print_failure_json(&order, &why);
    return console_finish_stdout("sagbend ctl", exit_with_reason("sagbend ctl", status, &why));
  }
  status = send_order(argv[1], has_keys ? &keys : NULL, &order, &receipt, &why);
  peer_secret_forget(&keys.own);
  if (status == STATUS_OK && json)
    status = ctl_print_receipt_json(&order, receipt, &why);
  else if (status == STATUS_OK)
    ctl_print_receipt(&order, receipt);
  else if (json)
    ctl_print_failure_json(&order, &why);
  wire_free_receipt(receipt);
  return console_finish_stdout("sagbend ctl", exit_with_reason("sagbend ctl", status, &why));
}

// ------------------------------------------------------------
// sagbend modbus-map: the register map of a configuration, for the engineer who programs the master.

struct modbus_map_options {
  struct case_options given;
  int yaml;
};

static const struct option_row OPTIONS[] = {
    {"yaml", NULL, "Print the list modbus.registers of a configuration instead of a table.",
     FLAG(struct modbus_map_options, yaml)},
    SET_OPTION(struct modbus_map_options, given),
    HELP_OPTION,
};

const struct cli_command modbus_map_command = {
    .name = "modbus-map",
    .arguments = "CONFIG",
    .purpose = "Print the Modbus register map of a configuration: the default one, or its own "
               "(docs/field-buses.md).",
    .example = "sagbend modbus-map configs/osv-83m-modbus.yaml",
    .statuses = "0 printed; 1 the output failed; 2 wrong usage or configuration",
    .options = OPTIONS,
    .size = sizeof(struct modbus_map_options),
    .words = {WORD(FILE_WORD, struct modbus_map_options, given.config_path)},
};

static int print_map(const struct setup *setup, int as_yaml) {
  struct modbus_map *map = malloc(sizeof *map);
  if (!map) {
    fprintf(stderr, "sagbend modbus-map: out of memory\n");
    return EXIT_FAILED;
  }
  modbus_map_init(map, &config_run(&setup->config)->modbus, &setup->config.scenario.names);
  (as_yaml ? modbus_map_print_yaml : modbus_map_print)(map, stdout);
  free(map);
  return EXIT_DONE;
}

static int print(const struct modbus_map_options *options) {
  static struct setup setup; // too large for a small stack
  enum status status = setup_load(&setup, &options->given, stderr);
  int exit_status = status == STATUS_OK ? print_map(&setup, options->yaml) : exit_status_of(status);
  setup_free(&setup);
  return console_finish_stdout("sagbend modbus-map", exit_status);
}

int cmd_modbus_map(int argc, char **argv) {
  struct modbus_map_options options;
  int exit_status;
  if (!command_begin(&modbus_map_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = print(&options);
  case_options_free(&options.given);
  return exit_status;
}

// ------------------------------------------------------------
// sagbend replay: computes a logged session again and compares it (--verify), or publishes it (--publish).

static enum status check_options(const struct replay_options *o, struct reason *why) {
  if (o->verify == o->publish)
    return fail(why, STATUS_BAD_INPUT, "one of --verify and --publish expected; see 'sagbend replay --help'");
  if (!o->publish && (o->rate > 0 || o->command_endpoint || o->telemetry_endpoint))
    return fail(why, STATUS_BAD_INPUT, "--rate and --bind-... need --publish");
  if (o->publish && series_is_asked_for(o))
    return fail(why, STATUS_BAD_INPUT, "--publish takes one log");
  if (!o->verify && (o->allow_incomplete || o->key_path))
    return fail(why, STATUS_BAD_INPUT, "--allow-incomplete and --key need --verify");
  return STATUS_OK;
}

static int exit_status_of_result(const struct replay_options *options, uint64_t steps,
                                 enum replay_result result) {
  switch (result) {
  case REPLAY_DIFFERENT:
    return EXIT_FAILED;
  case REPLAY_INCOMPLETE:
    return options->allow_incomplete && steps ? EXIT_DONE : EXIT_INCOMPLETE;
  case REPLAY_EQUAL:
    break;
  }
  return EXIT_DONE;
}

static int replay_series(const struct replay_options *options) {
  struct reason why = {""};
  enum replay_result result = REPLAY_EQUAL;
  uint64_t steps = 0;
  enum status status = series_verify(options, &result, &steps, &why);
  int exit_status = status == STATUS_OK ? exit_status_of_result(options, steps, result)
                                        : exit_with_reason("sagbend", status, &why);
  return console_finish_stdout("sagbend replay", exit_status);
}

static int replay_logs(const struct replay_options *options) {
  static struct replay replay; // too large for a small stack
  struct reason why = {""};
  enum replay_result result = REPLAY_EQUAL;
  enum status status = check_options(options, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend replay", status, &why);

  // The buffers of a log, of some MiB, serve the next reading: given back, each would be mapped again page by
  // page.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  if (series_is_asked_for(options))
    return replay_series(options);
  status = replay_open(&replay, options, options->logs.path[0], stderr, &why);
  if (status == STATUS_OK)
    status = options->verify ? replay_verify(&replay, &result, &why) : replay_publish(&replay, &why);
  int exit_status = status == STATUS_OK ? exit_status_of_result(options, replay.steps_replayed, result)
                                        : exit_with_reason("sagbend", status, &why);
  replay_close(&replay);
  return console_finish_stdout("sagbend replay", exit_status);
}

int cmd_replay(int argc, char **argv) {
  struct replay_options options;
  int exit_status;
  return command_begin(&replay_command, argc, argv, &options, &exit_status) ? replay_logs(&options)
                                                                            : exit_status;
}
