// sagbend-view: the live view of a session for browsers, Lichtblick and Foxglove. It receives telemetry and
// sends the simulator nothing.
#include "programs/view/view_program_internal.h"

#include "os/cli/cli.h"
#include "os/process/process.h"

int main(int argc, char **argv) {
  struct view_options options;
  struct reason why = {""};
  os_survive_closed_streams();
  os_end_with_leader();
  enum status status = view_options_read(argc, argv, &options, &why);
  if (status == STATUS_OK && options.version)
    view_print_version();
  else if (status == STATUS_OK && options.help)
    view_print_help();
  else if (status == STATUS_OK)
    status = options.logs ? view_log(&options, &why) : view_live(&options, &why);
  return exit_with_reason("sagbend-view", status, &why);
}
