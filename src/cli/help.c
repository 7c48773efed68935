// Commands with their purposes, examples and exit statuses, and the printing of help.
#include "cli/option_table.h"

#include <stdio.h>
#include <string.h>

static const struct command_text COMMANDS[] = {
    {COMMAND_RUN, "run", "CONFIG",
     "Simulate vessel and pipe, with a controller over the network or a built-in one.",
     "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json",
     "0 the run ended and every verdict passed; 1 the run or a verdict failed, or a file could not be "
     "written; 2 wrong usage or configuration"},
    {COMMAND_STATICS, "statics", "CONFIG", "Find the static equilibrium from which a run starts.",
     "sagbend statics configs/jlay-900m.yaml --elements 740 --horizontal-force-n 400e3 --json",
     "0 equilibrium found; 1 none found, or a file could not be written; 2 wrong usage or configuration"},
    {COMMAND_CHECK, "check", "CONFIG",
     "Check a configuration, and the state of rest from which a run starts; report every error.",
     "sagbend check configs/jlay-900m.yaml --set simulation.step_s=0.02",
     "0 the configuration is valid; 2 wrong usage or errors in the configuration"},
    {COMMAND_REPLAY, "replay", "LOG...",
     "Recompute a logged session and compare it with the log, or publish it to a controller.",
     "sagbend replay session.mcap --verify",
     "0 equal, or published; 1 a difference, or an unreadable or wrongly signed log; 2 wrong usage; 3 equal "
     "as far as the log goes, but the log is incomplete"},
    {COMMAND_LOG, "log", "info|topics|cat|export-csv FILE, or recover|scene FILE OUT",
     "Show or export the contents of a session log; recover a log whose writer was killed; copy a log with "
     "what 3-D "
     "viewers draw.",
     "sagbend log export-csv run.mcap --topic /sensors --fields heading_rad,pipe.hangoff_tension_n",
     "0 done; 1 the log is damaged, cannot be read or is not signed by the key; 2 wrong usage"},
    {COMMAND_VERIFY, "verify", "", "Run the verification cases, each against an independent reference.",
     "sagbend verify --case elastica --report verification",
     "0 every case passed; 1 a case failed, or the report could not be written; 2 wrong usage"},
    {COMMAND_KEYGEN, "keygen", "[FILE]",
     "Generate a key pair: with --role one that a program on the network is known by (docs/security.md), "
     "with "
     "--log one that signs logs.",
     "sagbend keygen --role controller dp-1.key",
     "0 both files written; 1 a file could not be written; 2 wrong usage, or a file exists already"},
    {COMMAND_CTL, "ctl", "ENDPOINT ORDER",
     "Send an operator's order to a running simulation: status, pause, set-point, faults and others.", NULL,
     NULL},
    {COMMAND_SERVE, "serve", "DIR",
     "Manage sessions for a laboratory: offer the cases of a folder, run one at a time in a process of its "
     "own, hand out the logs. 'sagbend ctl' gives the orders.",
     "sagbend serve cases --log-dir logs",
     "0 ended by a signal; 1 the socket failed, or the last session had to be killed; 2 wrong usage, or a "
     "folder or endpoint that cannot be used"},
    {COMMAND_SCHEMA, "schema", "", "Print the JSON Schema of the configuration, for editors.",
     "sagbend schema > sagbend.schema.json", "0 printed; 1 the output failed; 2 wrong usage"},
    {COMMAND_OUTPUTS, "outputs", "",
     "List the output quantities: names, units, meanings and where each appears.", "sagbend outputs --json",
     "0 printed; 1 the output failed; 2 wrong usage"},
    {COMMAND_SWEEP, "sweep", "PLAN",
     "Run many variants of a configuration, one for each processor at a time, and collect their results "
     "(docs/sweeps.md).",
     "sagbend sweep configs/sweeps/capability.yaml --out capability --jobs 4",
     "0 every point passed; 1 a point has not passed or has not run, or a file could not be written; 2 wrong "
     "usage, an error in the plan, or a folder of another plan"},
    {COMMAND_HYDRO, "hydro", "import FILES...",
     "Import the files of a diffraction code, ShipX/VERES, WAMIT, Nemoh, Capytaine or OrcaFlex: check them, "
     "fit the "
     "memory of the "
     "radiation, "
     "and write one hydro file (docs/hydro.md).",
     "sagbend hydro import ship.re1 ship.re2 ship.re7 ship.re8 --without-additional -o ship.hydro",
     "0 imported; 1 the file could not be written; 2 wrong usage, an error in a file, a check that failed or "
     "a "
     "tolerance that was not reached"},
    {COMMAND_RAO, "rao", "CONFIG",
     "Compute the motions of a vessel with a hydro file in regular waves, in the time domain, and compare "
     "them "
     "with the linear answer and with the file's own motions (docs/hydro.md).",
     "sagbend rao configs/supply-83m-waves.yaml --frequencies 0.3:2:0.1 --headings 0:180:30 --jobs 4",
     "0 every point has a result, within the tolerance if there is one; 1 a point has none or differs, or a "
     "file could not be written; 2 wrong usage or configuration, or a folder of other points"},
    {COMMAND_MODBUS_MAP, "modbus-map", "CONFIG",
     "Print the Modbus register map of a configuration: the default one, or its own (docs/field-buses.md).",
     "sagbend modbus-map configs/osv-83m-modbus.yaml",
     "0 printed; 1 the output failed; 2 wrong usage or configuration"},
};

const struct command_text *command_text(enum command_id id) {
  const struct command_text *text = COMMANDS;
  while (text->id != id)
    text++;
  return text;
}

int command_count(void) {
  return sizeof COMMANDS / sizeof *COMMANDS;
}

const struct command_text *command_text_at(int index) {
  return &COMMANDS[index];
}

static void describe_option(struct help *h, const struct option_spec *spec) {
  char left[64], right[512];
  snprintf(left, sizeof left, "--%s%s%s", spec->name, spec->value ? " " : "", spec->value ? spec->value : "");
  snprintf(right, sizeof right, "%s%s%s%s", spec->help, spec->key ? " Key: " : "", spec->key ? spec->key : "",
           spec->key ? "." : "");
  help_row(h, left, right);
}

void describe_command(struct help *h, const struct command_text *command) {
  char program[32], usage[128];
  const char *const usages[] = {usage, NULL}, *const examples[] = {command->example, NULL};
  snprintf(program, sizeof program, "sagbend %s", command->name);
  snprintf(usage, sizeof usage, "%s%s[options]", command->arguments, *command->arguments ? " " : "");
  help_begin(h, program, command->purpose, usages);

  help_heading(h, "options", HELP_OPTION_COLUMN);
  for (int i = 0; i < OPTION_COUNT; i++)
    if (OPTION_SPECS[i].commands & (int)command->id)
      describe_option(h, &OPTION_SPECS[i]);
  help_statuses(h, command->statuses);
  help_examples(h, examples);
}

void describe_commands(struct help *h) {
  static const char *const usages[] = {"COMMAND [options]", "--help", "--version", NULL},
                           *const examples[] = {
                               "sagbend run configs/jlay-900m.yaml --duration 120 --summary summary.json",
                               NULL};
  help_begin(h, "sagbend", "Simulator of a pipelay vessel and its pipe, for a DP controller in the loop.",
             usages);
  help_text(h, "'sagbend COMMAND --help' shows the options, the exit statuses and an example of a command. "
               "'sagbend --version' prints the version.");
  help_heading(h, "commands", 11);
  for (int i = 0; i < command_count(); i++)
    help_row(h, COMMANDS[i].name, COMMANDS[i].purpose);
  help_statuses(h, "0 success; 1 the run failed or a difference was found; 2 wrong usage or input; 3 (replay "
                   "--verify) equal as far as the log goes, but the log is incomplete");
  help_examples(h, examples);
}

void options_print_commands(void) {
  struct help h = {.out = stdout};
  describe_commands(&h);
}
