// sagbend rao: motions in regular waves beside the linear answer (src/lab/sweep/rao.h).
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/lab_commands.h"
#include "os/cli/option_rows.h"
#include "programs/lab/lab_program.h"
#include "programs/lab/lab_program_internal.h"
#include "lab/sweep/rao.h"

struct rao_command_options {
  struct case_options given;
  struct point_options points;
  const char *frequencies, *headings; // NULL: not given
  double tolerance;                   // 0: no limit
  int json;
};

static const struct option_row OPTIONS[] = {
    {"out", "DIR", "Folder of the results. Default: the name of the case without its extension, and -rao.",
     TEXT(struct rao_command_options, points.output_folder)},
    POINT_OPTIONS(struct rao_command_options),
    {"frequencies", "FIRST:LAST:STEP",
     "Frequencies of the waves in rad/s, in the range of the hydro file; or one number. Required.",
     TEXT(struct rao_command_options, frequencies)},
    {"headings", "FIRST:LAST:STEP",
     "Directions of travel of the waves from the bow, clockwise, in degrees from 0 to 360: 0 following sea, "
     "180 head sea; or one number. Required.",
     TEXT(struct rao_command_options, headings)},
    {"tolerance", "X",
     "Fail if a motion differs from the linear answer by more than this share of its peak. Default: no "
     "limit.",
     FACTOR(struct rao_command_options, tolerance)},
    JSON_OPTION(struct rao_command_options, json),
    SET_OPTION(struct rao_command_options, given),
    HELP_OPTION,
};

const struct cli_command rao_command = {
    .name = "rao",
    .arguments = "CONFIG",
    .purpose = RAO_PURPOSE,
    .example =
        "sagbend rao configs/supply-83m-waves.yaml --frequencies 0.3:2:0.1 --headings 0:180:30 --jobs 4",
    .statuses =
        "0 every point has a result, within the tolerance if there is one; 1 a point has none or differs, or "
        "a file could not be written; 2 wrong usage or configuration, or a folder of other points",
    .options = OPTIONS,
    .size = sizeof(struct rao_command_options),
    .words = {WORD(FILE_WORD, struct rao_command_options, given.config_path)},
};

int cmd_rao(int argc, char **argv) {
  struct rao_command_options o;
  struct reason why = {""};
  int exit_status;
  if (!command_begin(&rao_command, argc, argv, &o, &exit_status))
    return exit_status;
  const struct rao_options options = {.case_path = o.given.config_path,
                                      .overrides = o.given.overrides,
                                      .override_count = o.given.override_count,
                                      .frequencies = o.frequencies,
                                      .headings = o.headings,
                                      .tolerance = o.tolerance,
                                      .folder = point_options_folder(&o.points),
                                      .action = point_options_action(&o.points),
                                      .point = o.points.point,
                                      .jobs = o.points.jobs,
                                      .json = o.json};
  enum status status = point_options_check(&o.points, &rao_command, &why);
  if (status == STATUS_OK)
    status = rao(&options, &why);
  case_options_free(&o.given);
  return console_finish_stdout("sagbend rao", exit_with_reason("sagbend rao", status, &why));
}
