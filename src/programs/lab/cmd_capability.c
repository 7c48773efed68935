// sagbend capability: the weather that a vessel holds (src/capability).
#include "lab/capability/capability.h"
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/lab_commands.h"
#include "os/cli/option_rows.h"
#include "programs/lab/lab_program.h"

struct capability_command_options {
  struct case_options given;
  int level, step_deg, json;
  double dynamic_factor;
  const char *failures, *external, *current, *csv_path, *svg_path;
};

static const struct option_row OPTIONS[] = {
    {"level", "N",
     "1: loads and thrust by the formulas of DNV-ST-0111. 2: the loads and thrusters of the simulator at "
     "rest, with the limits of the buses. Default: 1.",
     COUNT(struct capability_command_options, level)},
    {"step", "DEG", "Step of the direction, a divisor of 360. Default: 10.",
     COUNT(struct capability_command_options, step_deg)},
    {"failures", "LIST",
     "Cases beside the intact vessel: thrusters, buses, generators (each single one) and groups "
     "(vessel.failures), with commas, or none. Default: all.",
     TEXT(struct capability_command_options, failures)},
    {"dynamic-factor", "X", "Factor on the loads of wind, waves and current. Default: 1.25.",
     FACTOR(struct capability_command_options, dynamic_factor)},
    {"external", "FORCE",
     "Other force on the vessel, without the factor: none, pipe (the pull of the pipe, from the statics with "
     "the current of each direction), or X,Y,N in N, N and N m, ahead, to starboard and clockwise. Default: "
     "none.",
     TEXT(struct capability_command_options, external)},
    {"current", "SPEED,DIRECTION",
     "Level 2: a current in place of those of the table: m/s, and degrees clockwise from the bow, from where "
     "it "
     "comes. Wind and waves turn around the vessel, the current does not.",
     TEXT(struct capability_command_options, current)},
    {"csv", "FILE.csv", "Write the table.",
     FILE_NAME(struct capability_command_options, csv_path, FILE_COMPLETED)},
    {"svg", "FILE.svg", "Write a polar plot.",
     FILE_NAME(struct capability_command_options, svg_path, FILE_COMPLETED)},
    JSON_OPTION(struct capability_command_options, json),
    SET_OPTION(struct capability_command_options, given),
    HELP_OPTION,
};

const struct cli_command capability_command = {
    .name = "capability",
    .arguments = "CONFIG",
    .purpose = CAPABILITY_PURPOSE,
    .example = "sagbend capability configs/osv-83m.yaml --level 2 --external pipe --svg capability.svg",
    .statuses =
        "0 success; 1 a single failure is worse than the declared worst-case failure, the balance has "
        "no solution, or a file could not be written; 2 wrong usage or configuration, or a particular "
        "that the level needs is missing",
    .options = OPTIONS,
    .size = sizeof(struct capability_command_options),
    .words = {WORD(FILE_WORD, struct capability_command_options, given.config_path)},
};

static enum status check(const struct capability_command_options *o, struct reason *why) {
  if (o->level > 2)
    return fail(why, STATUS_BAD_INPUT, "--level: 1 or 2 expected, got %d", o->level);
  if (o->step_deg && (o->step_deg > 360 || 360 % o->step_deg))
    return fail(why, STATUS_BAD_INPUT, "--step: a divisor of 360 expected, got %d", o->step_deg);
  return STATUS_OK;
}

int cmd_capability(int argc, char **argv) {
  struct capability_command_options o;
  struct reason why = {""};
  int exit_status;
  if (!command_begin(&capability_command, argc, argv, &o, &exit_status))
    return exit_status;
  const struct capability_options options = {.given = &o.given,
                                             .level = o.level ? o.level : 1,
                                             .step_deg = o.step_deg ? o.step_deg : 10,
                                             .dynamic_factor = o.dynamic_factor > 0 ? o.dynamic_factor : 1.25,
                                             .failures = o.failures,
                                             .external = o.external,
                                             .current = o.current,
                                             .csv_path = o.csv_path,
                                             .svg_path = o.svg_path,
                                             .json = o.json};
  enum status status = check(&o, &why);
  if (status == STATUS_OK)
    status = capability(&options, &why);
  case_options_free(&o.given);
  return console_finish_stdout("sagbend capability", exit_with_reason("sagbend capability", status, &why));
}
