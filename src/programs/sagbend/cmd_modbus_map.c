// sagbend modbus-map: the register map of a configuration, for the engineer who programs the master.
#include "programs/sagbend/sagbend_program.h"
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/option_rows.h"
#include "net/buses/modbus_map.h"
#include "net/case/case.h"
#include "run/setup/setup_setup.h"

#include <stdlib.h>

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
