// sagbend serve: a session manager (src/serve).
#include "programs/sagbend/sagbend_program.h"
#include "os/cli/exit_status.h"
#include "run/serve/serve_serve.h"

int cmd_serve(int argc, char **argv) {
  struct serve_options options;
  struct reason why = {""};
  int exit_status;
  if (!command_begin(&serve_command, argc, argv, &options, &exit_status))
    return exit_status;
  if (!options.endpoint)
    options.endpoint = "tcp://127.0.0.1:47702";
  if (!(options.grace_s > 0))
    options.grace_s = 20;
  return exit_with_reason("sagbend serve", serve(&options, &why), &why);
}
