// sagbend sweep: the points of a plan (src/sweep).
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/lab_commands.h"
#include "os/cli/option_rows.h"
#include "programs/lab/lab_program.h"
#include "programs/lab/lab_program_internal.h"

struct sweep_command_options {
  const char *plan;
  struct point_options points;
  struct case_options given; // overrides only
};

static const struct option_row OPTIONS[] = {
    {"out", "DIR", "Folder of the results. Default: the name of the plan without its extension.",
     TEXT(struct sweep_command_options, points.output_folder)},
    POINT_OPTIONS(struct sweep_command_options),
    SET_OPTION(struct sweep_command_options, given),
    HELP_OPTION,
};

const struct cli_command sweep_command = {
    .name = "sweep",
    .arguments = "PLAN",
    .purpose = SWEEP_PURPOSE,
    .example = "sagbend sweep configs/sweeps/capability.yaml --out capability --jobs 4",
    .statuses = "0 every point passed, or every limit is found; 1 a point has not passed or has not run, or "
                "a file could not be "
                "written; 2 wrong usage, an error in the plan, or a folder of another plan",
    .options = OPTIONS,
    .size = sizeof(struct sweep_command_options),
    .words = {WORD(FILE_WORD, struct sweep_command_options, plan)},
};

int cmd_sweep(int argc, char **argv) {
  struct sweep_command_options o;
  struct reason why = {""};
  int exit_status;
  if (!command_begin(&sweep_command, argc, argv, &o, &exit_status))
    return exit_status;
  const struct sweep_options options = {.plan = o.plan,
                                        .overrides = (const char *const *)o.given.overrides,
                                        .override_count = o.given.override_count,
                                        .folder = point_options_folder(&o.points),
                                        .action = point_options_action(&o.points),
                                        .point = o.points.point,
                                        .jobs = o.points.jobs};
  enum status status = point_options_check(&o.points, &sweep_command, &why);
  if (status == STATUS_OK)
    status = sweep(&options, &why);
  case_options_free(&o.given);
  return console_finish_stdout("sagbend sweep", exit_with_reason("sagbend sweep", status, &why));
}
