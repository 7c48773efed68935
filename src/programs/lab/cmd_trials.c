// sagbend trials: every failure of a DP system, tried and judged (src/trials).
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/lab_commands.h"
#include "os/cli/option_rows.h"
#include "programs/lab/lab_program.h"
#include "programs/lab/lab_program_internal.h"
#include "lab/trials/trials.h"

struct trials_command_options {
  const char *plan, *run, *hash, *wrong, *against;
  struct point_options points;
  struct case_options given; // overrides only
  int sharpness, no_pdf, twice;
};

static const struct option_row OPTIONS[] = {
    {"out", "DIR", "Folder of the results. Default: the name of the plan without its extension, and -trials.",
     TEXT(struct trials_command_options, points.output_folder)},
    POINT_OPTIONS(struct trials_command_options),
    {"run", "ID@CONDITION",
     "Run only this one, such as gnss-1/drift@S1, after the run without a failure; prints its grade and its "
     "hash.",
     TEXT(struct trials_command_options, run)},
    {"hash", "HASH", "With --run: the hash that the last state must have, as the report prints it.",
     TEXT(struct trials_command_options, hash)},
    {"wrong", "NAME",
     "Try this one of the plan's wrong controllers in place of its own, as --sharpness does.",
     TEXT(struct trials_command_options, wrong)},
    SET_OPTION(struct trials_command_options, given),
    {"twice", "N",
     "Repeat N runs, always the same random choice, and compare all that is observed bit by bit. Those with "
     "a finding A or B "
     "are repeated anyway, for their logs.",
     COUNT(struct trials_command_options, twice)},
    {"against", "DIR",
     "Compare with the trials in this folder, such as those of the controller before a change: list the "
     "criteria that "
     "fail now and held there. Then they decide the exit status.",
     TEXT(struct trials_command_options, against)},
    {"no-pdf", NULL, "Write no report.pdf, which takes some seconds of processor time.",
     FLAG(struct trials_command_options, no_pdf)},
    {"sharpness", NULL,
     "Then also try the plan's controllers that are wrong on purpose, each in a folder below: the trials "
     "must find every "
     "one.",
     FLAG(struct trials_command_options, sharpness)},
    HELP_OPTION,
};

const struct cli_command trials_command = {
    .name = "trials",
    .arguments = "PLAN",
    .purpose = TRIALS_PURPOSE,
    .example = "sagbend trials configs/trials/osv-83m.yaml --out osv-83m --jobs 2",
    .statuses = "0 every run was made and judged, and no finding A or B is open; 1 there are such findings, "
                "the trials "
                "were stopped, or a file could not be written; 3 no such finding, but runs are broken, not "
                "run or not judged; 2 wrong usage, an error in the plan, or a folder of another "
                "plan",
    .options = OPTIONS,
    .size = sizeof(struct trials_command_options),
    .words = {WORD(FILE_WORD, struct trials_command_options, plan)},
};

int cmd_trials(int argc, char **argv) {
  struct trials_command_options o;
  struct reason why = {""};
  int exit_status, is_incomplete = 0;
  if (!command_begin(&trials_command, argc, argv, &o, &exit_status))
    return exit_status;
  const struct trials_options options = {.plan = o.plan,
                                         .overrides = (const char *const *)o.given.overrides,
                                         .override_count = o.given.override_count,
                                         .twice = o.twice,
                                         .folder = point_options_folder(&o.points),
                                         .action = point_options_action(&o.points),
                                         .point = o.points.point,
                                         .jobs = o.points.jobs,
                                         .sharpness = o.sharpness,
                                         .against = o.against,
                                         .no_pdf = o.no_pdf,
                                         .run = o.run,
                                         .hash = o.hash,
                                         .wrong = o.wrong};
  enum status status = point_options_check(&o.points, &trials_command, &why);
  if (status == STATUS_OK && o.sharpness &&
      (o.run || o.points.list || o.points.point || o.against || o.wrong))
    status =
        fail(&why, STATUS_BAD_INPUT,
             "--sharpness beside --list, --point, --run, --wrong or --against; see 'sagbend trials --help'");
  if (status == STATUS_OK && o.twice && (o.run || point_options_action(&o.points) != SWEEP_RUN))
    status = fail(&why, STATUS_BAD_INPUT,
                  "--twice beside --list, --point, --collect or --run; see 'sagbend trials --help'");
  if (status == STATUS_OK && o.run && point_options_action(&o.points) != SWEEP_RUN)
    status = fail(&why, STATUS_BAD_INPUT,
                  "--run beside --list, --point or --collect; see 'sagbend trials --help'");
  if (status == STATUS_OK)
    status = trials(&options, &is_incomplete, &why);
  case_options_free(&o.given);
  exit_status = exit_with_reason("sagbend trials", status, &why);
  return console_finish_stdout("sagbend trials",
                               exit_status == EXIT_DONE && is_incomplete ? EXIT_INCOMPLETE : exit_status);
}
