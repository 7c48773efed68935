// sagbend serve: a session manager (src/serve).
#include "app/commands.h"
#include "cli/exit_status.h"
#include "serve/serve.h"

int cmd_serve(const struct options *o) {
  struct reason why = {""};
  const struct serve_options options = {.folder = o->config_path,
                                        .log_folder = o->log_folder,
                                        .endpoint = o->command_endpoint ? o->command_endpoint
                                                                        : "tcp://127.0.0.1:47702",
                                        .command_endpoint = o->session_command,
                                        .telemetry_endpoint = o->session_telemetry,
                                        .server_key = o->server_key_path,
                                        .admitted_keys = o->admitted_keys_path,
                                        .own_key = o->key_path,
                                        .grace_s = o->grace_s > 0 ? o->grace_s : 20,
                                        .hang_limit_s = o->hang_limit_s};
  return exit_with_reason("sagbend serve", serve(&options, &why), &why);
}
