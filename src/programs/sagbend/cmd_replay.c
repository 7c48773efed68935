// sagbend replay: computes a logged session again and compares it (--verify), or publishes it (--publish).
#include "programs/sagbend/sagbend_program.h"
#include "os/cli/exit_status.h"
#include "run/replay/series.h"

static enum status check_options(const struct replay_options *o, struct reason *why) {
  if (o->verify == o->publish)
    return fail(why, STATUS_BAD_INPUT, "either --verify or --publish expected; see 'sagbend replay --help'");
  if (!o->publish && (o->rate > 0 || o->command_endpoint || o->telemetry_endpoint))
    return fail(why, STATUS_BAD_INPUT, "--rate and --bind-... belong to --publish");
  if (o->publish && series_is_asked_for(o))
    return fail(why, STATUS_BAD_INPUT, "--publish takes one log");
  if (!o->verify && (o->allow_incomplete || o->key_path))
    return fail(why, STATUS_BAD_INPUT, "--allow-incomplete and --key belong to --verify");
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
