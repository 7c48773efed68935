// sagbend start: a simulator with its controller and view (src/start).
#include "programs/sagbend/sagbend_program.h"

#include "run/start/start_start.h"

int cmd_start(int argc, char **argv) {
  struct start_options options;
  int exit_status;
  if (!command_begin(&start_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = start(&options);
  case_options_free(&options.given);
  return exit_status;
}
