// sagbend capability: the weather that a vessel holds (src/lab/capability).
#include "programs/lab/lab_program.h"
#include "programs/lab/lab_program_internal.h"

#include "lab/capability/capability.h"
#include "lab/hydro/hydro.h"
#include "lab/sweep/sweep.h"
#include "lab/trials/trials.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/hydro/hydro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct capability_command_options {
  struct case_options given;
  int level, step_deg, json;
  double dynamic_factor;
  const char *failures, *external, *current, *csv_path, *svg_path;
};

static const struct option_row CAPABILITY_OPTIONS[] = {
    {"level", "N",
     "1: loads and thrust by the formulas of DNV-ST-0111. 2: the loads and thrusters of the simulator at "
     "rest, with the limits of the buses. Default: 1.",
     COUNT(struct capability_command_options, level)},
    {"step", "DEG", "Step of the direction, a divisor of 360. Default: 10.",
     COUNT(struct capability_command_options, step_deg)},
    {"failures", "LIST",
     "Cases in addition to the intact vessel: thrusters, buses, generators (each single one) and groups "
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
    .example = "sagbend capability configs/osv-83m.yaml --level 2 --svg capability.svg",
    .statuses =
        "0 success; 1 a single failure is worse than the declared worst-case failure, the balance has "
        "no solution, or a file could not be written; 2 wrong usage or configuration, or a particular "
        "that the level needs is missing",
    .options = CAPABILITY_OPTIONS,
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

static int cmd_capability(int argc, char **argv) {
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

// ------------------------------------------------------------
// sagbend hydro import: the files of a diffraction code become one hydro file.

struct hydro_options {
  const char *action;
  struct option_files files;
  const char *output_path, *frequencies, *origin, *first_column;                      // NULL: not given
  double tolerance, length_unit_m, water_density_kgpm3, gravity_mps2, depth_m, scale; // 0: not given
  const char *vessel_type, *draught;                                                  // NULL: not given
  struct option_texts accepted;                                                       // checks
  int without_additional;
};

static const struct option_row HYDRO_OPTIONS[] = {
    {"output", "FILE.hydro", "File to write, also -o. Default: check and fit only.", SET_TEXT,
     OPTION_MEMBER(struct hydro_options, output_path, const char *), NULL, FILE_COMPLETED, 'o'},
    {"tolerance", "X",
     "Largest error of the fitted memory, as a share of the peaks of the damping. Default: 0.02.",
     FACTOR(struct hydro_options, tolerance)},
    {"frequencies", "FIRST:LAST",
     "Range of frequencies to use, in rad/s of the files, before --scale; what lies outside is left out of "
     "A, B, wave force, motions and drift. Default: all.",
     TEXT(struct hydro_options, frequencies)},
    {"length-unit", "M",
     "WAMIT: the length unit (ULEN) in metres. Default: that of the .gdf, or 1 where the .frc has the mass, "
     "which must agree.",
     FACTOR(struct hydro_options, length_unit_m)},
    {"first-column", "KIND",
     "WAMIT, Nemoh: what the first column holds: s, rad/s, Hz, and of WAMIT KL (wavenumber of deep water "
     "times "
     "the length unit, IPEROUT 3) or nuL (the same of the depth, IPEROUT 4). Default: s of WAMIT, rad/s of "
     "Nemoh.",
     TEXT(struct hydro_options, first_column)},
    {"water-density", "RHO",
     "Density of the water in kg/m3. Default: that of the files (.frc, .yml), or 1025. Not for VERES.",
     FACTOR(struct hydro_options, water_density_kgpm3)},
    {"gravity", "G", "Gravity in m/s2. Default: that of the .gdf, or 9.80665. Not for VERES.",
     FACTOR(struct hydro_options, gravity_mps2)},
    {"depth", "M",
     "Depth of the water of the files in metres. Default: that of the .pot or dataset, or deep water.",
     FACTOR(struct hydro_options, depth_m)},
    {"origin", "X,Y,Z",
     "Origin of the files' axes in the vessel's axes: metres forward, to starboard and down from the "
     "vessel's reference point. Default: 0,0,0.",
     TEXT(struct hydro_options, origin)},
    {"scale", "S",
     "Scale the vessel of the files by S (Froude): lengths times S, masses times its cube. --origin is in "
     "metres after it. Default: 1.",
     FACTOR(struct hydro_options, scale)},
    {"without-additional", NULL,
     "VERES: leave out the second matrices (tanks), which the model does not have.",
     FLAG(struct hydro_options, without_additional)},
    {"vessel-type", "NAME", "OrcaFlex: the vessel type to read. Default: the only one with radiation data.",
     TEXT(struct hydro_options, vessel_type)},
    {"draught", "NAME", "OrcaFlex: the draught to read. Default: the only one with radiation data.",
     TEXT(struct hydro_options, draught)},
    {"accept", "CHECK",
     "Import although this check failed: symmetry, mass, passivity, kramers-kronig, long-waves or motions; "
     "may be repeated.",
     TEXTS(struct hydro_options, accepted)},
    HELP_OPTION,
};

const struct cli_command hydro_command = {
    .name = "hydro",
    .arguments = "import FILES...",
    .purpose = HYDRO_PURPOSE,
    .example = "sagbend hydro import ship.re1 ship.re2 ship.re7 ship.re8 -o ship.hydro",
    .statuses = "0 imported; 1 the file could not be written; 2 wrong usage, an error in a file, a check "
                "that failed or a tolerance that was not reached",
    .options = HYDRO_OPTIONS,
    .size = sizeof(struct hydro_options),
    .words = {WORD(ACTION_WORD, struct hydro_options, action), WORDS(struct hydro_options, files)},
};

static const double TOLERANCE = 0.02;

static enum status read_origin(const char *text, double origin_m[3], struct reason *why) {
  int end = 0;
  if (!text || (sscanf(text, "%lf,%lf,%lf%n", &origin_m[0], &origin_m[1], &origin_m[2], &end) == 3 &&
                !text[end] && isfinite(origin_m[0]) && isfinite(origin_m[1]) && isfinite(origin_m[2])))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "--origin: three numbers X,Y,Z expected, got '%.60s'", text);
}

static enum status read_range(const char *text, struct hydro_import_options *out, struct reason *why) {
  double first, last;
  int end = 0;
  if (!text)
    return STATUS_OK;
  if (sscanf(text, "%lf:%lf%n", &first, &last, &end) != 2 || text[end] || !(first >= 0 && last > first) ||
      !isfinite(last))
    return fail(why, STATUS_BAD_INPUT,
                "--frequencies: a range FIRST:LAST in rad/s, such as 0:3, expected, got '%.60s'", text);
  out->first_radps = first;
  out->last_radps = last;
  return STATUS_OK;
}

static enum status read_column(const char *name, struct hydro_import_options *out, struct reason *why) {
  if (!name)
    return STATUS_OK;
  out->column = first_column_find(name);
  out->has_column = 1;
  return out->column < FIRST_COLUMNS
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "--first-column: s, rad/s, Hz, KL or nuL expected, got '%.60s'",
                    name);
}

static enum status read_accepted(const struct hydro_options *o, struct hydro_import_options *out,
                                 struct reason *why) {
  for (int i = 0; i < o->accepted.count; i++) {
    int check = 0;
    while (check < HYDRO_CHECK_COUNT &&
           strcmp(o->accepted.text[i], hydro_check_name((enum hydro_check)check)) != 0)
      check++;
    if (check == HYDRO_CHECK_COUNT)
      return fail(why, STATUS_BAD_INPUT,
                  "--accept: the name of a check expected, got '%.60s'; see 'sagbend hydro --help'",
                  o->accepted.text[i]);
    out->is_accepted[check] = 1;
  }
  return STATUS_OK;
}

static enum status write_file(const char *path, const struct hydro_data *data,
                              const struct hydro_report *report, struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK || !file.stream)
    return status;
  hydro_file_write(file.stream, data, report->text);
  return output_file_close(&file, why);
}

static enum status import(const struct hydro_options *o, struct hydro_report *report, struct reason *why) {
  struct hydro_data data;
  struct hydro_import_options options = {.tolerance = o->tolerance > 0 ? o->tolerance : TOLERANCE,
                                         .length_unit_m = o->length_unit_m,
                                         .water_density_kgpm3 = o->water_density_kgpm3,
                                         .gravity_mps2 = o->gravity_mps2,
                                         .depth_m = o->depth_m,
                                         .scale = o->scale,
                                         .vessel_type = o->vessel_type,
                                         .draught = o->draught,
                                         .without_additional = o->without_additional};
  struct file_claims claims = {0};
  enum status status = command_claim(&hydro_command, o, &claims, why);
  file_claims_release(&claims); // no two are the same, which is all that is wanted
  if (status == STATUS_OK)
    status = read_origin(o->origin, options.origin_m, why);
  if (status == STATUS_OK)
    status = read_range(o->frequencies, &options, why);
  if (status == STATUS_OK)
    status = read_column(o->first_column, &options, why);
  if (status == STATUS_OK)
    status = read_accepted(o, &options, why);
  if (status != STATUS_OK)
    return status;
  status = hydro_import(o->files.path, o->files.count, &options, &data, report, why);
  int is_on_stdout = o->output_path && strcmp(o->output_path, "-") == 0;
  fputs(report->text, is_on_stdout ? stderr : stdout);
  if (status == STATUS_OK)
    status = write_file(o->output_path, &data, report, why);
  hydro_data_free(&data);
  return status;
}

static int import_files(const struct hydro_options *options) {
  struct reason why = {""};
  enum status status = STATUS_OK;
  struct hydro_report *report = NULL;
  if (!options->action || strcmp(options->action, "import") != 0)
    status = fail(&why, STATUS_BAD_INPUT, "'import' expected, got '%.60s'; see 'sagbend hydro --help'",
                  options->action ? options->action : "");
  else if (!(report = calloc(1, sizeof *report)))
    status = fail(&why, STATUS_NO_MEMORY, "out of memory for the report");
  else
    status = import(options, report, &why);
  free(report);
  return console_finish_stdout("sagbend hydro", exit_with_reason("sagbend hydro", status, &why));
}

static int cmd_hydro(int argc, char **argv) {
  struct hydro_options options;
  int exit_status;
  return command_begin(&hydro_command, argc, argv, &options, &exit_status) ? import_files(&options)
                                                                           : exit_status;
}

// ------------------------------------------------------------
// sagbend rao: motions in regular waves beside the linear answer (src/lab/sweep/sweep.h).

struct rao_command_options {
  struct case_options given;
  struct point_options points;
  const char *frequencies, *headings; // NULL: not given
  double tolerance;                   // 0: no limit
  int json;
};

static const struct option_row RAO_OPTIONS[] = {
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
    .example = "sagbend rao configs/supply-83m-waves.yaml --frequencies 0.3:2:0.1 --headings 0",
    .statuses =
        "0 every point has a result, within the tolerance if there is one; 1 a point has none or differs, or "
        "a file could not be written; 2 wrong usage or configuration, or a folder of other points",
    .options = RAO_OPTIONS,
    .size = sizeof(struct rao_command_options),
    .words = {WORD(FILE_WORD, struct rao_command_options, given.config_path)},
};

static enum sweep_action point_options_action(const struct point_options *o);

static enum status point_options_check(const struct point_options *o, const struct cli_command *command,
                                       struct reason *why);

static const char *point_options_folder(const struct point_options *o);

static int cmd_rao(int argc, char **argv) {
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

// ------------------------------------------------------------
// sagbend sweep: the points of a plan (src/lab/sweep).

struct sweep_command_options {
  const char *plan;
  struct point_options points;
  struct case_options given; // overrides only
};

static const struct option_row SWEEP_OPTIONS[] = {
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
    .options = SWEEP_OPTIONS,
    .size = sizeof(struct sweep_command_options),
    .words = {WORD(FILE_WORD, struct sweep_command_options, plan)},
};

static int cmd_sweep(int argc, char **argv) {
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

// ------------------------------------------------------------
// sagbend trials: every failure of a DP system, tried and judged (src/lab/trials).

struct trials_command_options {
  const char *plan, *run, *hash, *seeded, *against;
  struct point_options points;
  struct case_options given; // overrides only
  int seeded_faults, no_pdf, twice;
};

static const struct option_row TRIALS_OPTIONS[] = {
    {"out", "DIR", "Folder of the results. Default: the name of the plan without its extension, and -trials.",
     TEXT(struct trials_command_options, points.output_folder)},
    POINT_OPTIONS(struct trials_command_options),
    {"run", "ID@CONDITION",
     "Run only this one, such as gnss-1/drift@S1, after the run without a failure; prints its grade and its "
     "hash.",
     TEXT(struct trials_command_options, run)},
    {"hash", "HASH", "With --run: the hash that the last state must have, as the report prints it.",
     TEXT(struct trials_command_options, hash)},
    {"seeded-fault", "NAME",
     "Try this one of the plan's controllers with a seeded fault in place of its own, as --seeded-faults "
     "does.",
     TEXT(struct trials_command_options, seeded)},
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
    {"seeded-faults", NULL,
     "Then also try the plan's controllers with a seeded fault, each in a folder below: the trials "
     "must find every "
     "one.",
     FLAG(struct trials_command_options, seeded_faults)},
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
    .options = TRIALS_OPTIONS,
    .size = sizeof(struct trials_command_options),
    .words = {WORD(FILE_WORD, struct trials_command_options, plan)},
};

// argv begins with the command's name. Each returns the exit status (os/cli/cli.h), after printing its
// errors on stderr.
static int cmd_trials(int argc, char **argv) {
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
                                         .seeded_faults = o.seeded_faults,
                                         .against = o.against,
                                         .no_pdf = o.no_pdf,
                                         .run = o.run,
                                         .hash = o.hash,
                                         .seeded = o.seeded};
  enum status status = point_options_check(&o.points, &trials_command, &why);
  if (status == STATUS_OK && o.seeded_faults &&
      (o.run || o.points.list || o.points.point || o.against || o.seeded))
    status = fail(&why, STATUS_BAD_INPUT,
                  "--seeded-faults beside --list, --point, --run, --seeded-fault or --against; see 'sagbend "
                  "trials --help'");
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

// ------------------------------------------------------------
// The list of the commands.

static const struct command_entry COMMANDS[] = {
#define LAB_COMMAND(word, what) {&word##_command, cmd_##word},
    LAB_COMMAND_TABLE(LAB_COMMAND)
#undef LAB_COMMAND
        {NULL, NULL},
};

const struct cli_program lab_program = {
    .name = LAB_PROGRAM,
    .purpose = "Sweeps, trials and import of hydrodynamic data for sagbend, which hands these commands over.",
    .statuses =
        "0 success; 1 a case or a point failed, or a file could not be written; 2 wrong usage or input",
    .example = "sagbend-lab sweep plan.yaml --out results",
    .commands = COMMANDS,
};

// ------------------------------------------------------------
static enum status point_options_check(const struct point_options *o, const struct cli_command *command,
                                       struct reason *why) {
  int actions = (o->list != 0) + (o->point > 0) + (o->collect_folder != NULL);
  if (actions > 1 || (o->collect_folder && o->output_folder))
    return fail(why, STATUS_BAD_INPUT,
                "--list, --point and --collect are not allowed with one another, nor --out with --collect; "
                "see 'sagbend %s --help'",
                command->name);
  return STATUS_OK;
}

static enum sweep_action point_options_action(const struct point_options *o) {
  return o->list ? SWEEP_LIST : o->point > 0 ? SWEEP_POINT : o->collect_folder ? SWEEP_COLLECT : SWEEP_RUN;
}

// What they ask for. STATUS_BAD_INPUT: they exclude each other.
static const char *point_options_folder(const struct point_options *o) {
  return o->collect_folder ? o->collect_folder : o->output_folder;
}
