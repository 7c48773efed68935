#include "app/commands.h"
#include "replay/replay.h"

int cmd_replay(int argc, char **argv) {
  struct options options;
  struct replay replay;
  int status = options_read(COMMAND_REPLAY, argc, argv, &options);
  if (status < 0 && options.verify == options.publish) {
    fprintf(stderr, "sagbend replay: either --verify or --publish expected; see 'sagbend replay --help'\n");
    status = EXIT_USAGE;
  } else if (status < 0 && !options.publish &&
             (options.rate > 0 || options.command_endpoint || options.telemetry_endpoint)) {
    fprintf(stderr, "sagbend replay: --rate and --bind-... belong to --publish\n");
    status = EXIT_USAGE;
  }
  if (status < 0 && !options.verify && (options.allow_incomplete || options.key_path)) {
    fprintf(stderr, "sagbend replay: --allow-incomplete and --key belong to --verify\n");
    status = EXIT_USAGE;
  }
  if (status < 0) {
    status = replay_open(&replay, &options);
    if (status < 0)
      status = options.verify ? replay_verify(&replay) : replay_publish(&replay);
    replay_close(&replay);
  }
  options_free(&options);
  return status;
}
