// sagbend modbus-map: the register map of a configuration, for the engineer who programs the master.
#include "app/commands.h"
#include "cli/console.h"
#include "cli/exit_status.h"
#include "io/bus/modbus_map.h"
#include "setup/setup.h"

#include <stdlib.h>

static int print_map(const struct setup *setup, int as_yaml) {
  struct modbus_map *map = malloc(sizeof *map);
  if (!map) {
    fprintf(stderr, "sagbend modbus-map: out of memory\n");
    return EXIT_FAILED;
  }
  modbus_map_init(map, &setup->config.modbus, &setup->config.scenario.names);
  (as_yaml ? modbus_map_print_yaml : modbus_map_print)(map, stdout);
  free(map);
  return EXIT_DONE;
}

int cmd_modbus_map(const struct options *options) {
  struct setup setup;
  enum status status = setup_load(&setup, options, stderr);
  int exit_status = status == STATUS_OK ? print_map(&setup, options->yaml) : exit_status_of(status);
  setup_free(&setup);
  return console_finish_stdout("sagbend modbus-map", exit_status);
}
