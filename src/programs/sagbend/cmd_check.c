// sagbend check: reports every error in a configuration or a DP file. sagbend schema: prints the JSON Schema
// of either.
#include "programs/sagbend/sagbend_program.h"
#include "os/cli/option_rows.h"
#include "net/case/case.h"

#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "sagbend/base/shown_text.h"
#include "run/setup/network_keys.h"
#include "run/setup/notices.h"
#include "run/setup/plausible.h"
#include "run/setup/setup_setup.h"
#include "lab/sweep/sweep.h"
#include "lab/judge/trial_plan.h"

#include <stdint.h>
#include <stdio.h>

struct check_options {
  struct case_options given;
  int dp_file;
};

static const struct option_row CHECK_OPTIONS[] = {
    {"dp", NULL, "Check a DP file, as sagbend-dp reads it.", FLAG(struct check_options, dp_file)},
    SET_OPTION(struct check_options, given),
    HELP_OPTION,
};

const struct cli_command check_command = {
    .name = "check",
    .arguments = "CONFIG",
    .purpose = "Check a configuration, and the state of rest from which a run starts; report every error.",
    .example = "sagbend check configs/jlay-900m.yaml --set simulation.step_s=0.02",
    .statuses = "0 the configuration is valid; 2 wrong usage or errors in the configuration",
    .options = CHECK_OPTIONS,
    .size = sizeof(struct check_options),
    .words = {WORD(FILE_WORD, struct check_options, given.config_path)},
};

static enum status check_keys(const struct loaded *loaded, const char *path) {
  struct server_keys *keys;
  struct reason why = {""};
  enum status status = network_keys_read(path, &loaded->setup.config.net, &keys, &why);
  if (status != STATUS_OK)
    fprintf(stderr, "error: %s\n", why.text);
  network_keys_free(keys);
  return status;
}

static void say_notice(void *path, const char *text) {
  fprintf(stderr, "%s: notice: %s\n", shown(path).text, text);
}

// What a run refuses after its configuration is read: a state of rest that does not exist, above all.
static enum status check_start(struct loaded *loaded, const char *path) {
  struct reason why = {""}, mode = {""};
  const struct error_sink sink = error_to(stderr);
  if (plant_create(&loaded->plant, &loaded->setup, &sink, &why) != STATUS_OK)
    fprintf(stderr, "%s: error: %s\n", shown(path).text, why.text);
  if (setup_check_mode(&loaded->setup, path, &mode) != STATUS_OK)
    fprintf(stderr, "error: %s\n", mode.text);
  return *why.text || *mode.text ? STATUS_BAD_INPUT : STATUS_OK;
}

static void say_finding(void *context, const char *line) {
  (void)context;
  fprintf(stderr, "%s\n", shown(line).text);
}

static int check_config(const struct check_options *options) {
  static struct loaded loaded; // too large for a small stack
  enum status status = setup_load(&loaded.setup, &options->given, stderr);
  if (status == STATUS_OK) {
    status = check_start(&loaded, options->given.config_path);
    if (plausible_check(&loaded.setup, &options->given, loaded.plant.sim, say_finding, NULL) > 0)
      status = STATUS_BAD_INPUT;
  }
  if (status == STATUS_OK && loaded.setup.config.run.mode != RUN_FAST)
    status = check_keys(&loaded, options->given.config_path);
  if (status == STATUS_OK) {
    setup_notices(&loaded.setup.config, say_notice, (void *)(uintptr_t)options->given.config_path);
    printf("%s: ok\n", shown(options->given.config_path).text);
  }
  loaded_free(&loaded);
  return exit_status_of(status);
}

static int check_dp_file(const struct check_options *options) {
  struct dp_config dp;
  if (dp_config_load(options->given.config_path, (const char *const *)options->given.overrides,
                     options->given.override_count, &dp, stderr) != STATUS_OK)
    return EXIT_USAGE;
  printf("%s: ok\n", shown(options->given.config_path).text);
  return EXIT_DONE;
}

static int check(const struct check_options *options) {
  return console_finish_stdout("sagbend check",
                               options->dp_file ? check_dp_file(options) : check_config(options));
}

int cmd_check(int argc, char **argv) {
  struct check_options options;
  int exit_status;
  if (!command_begin(&check_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = check(&options);
  case_options_free(&options.given);
  return exit_status;
}

struct schema_options {
  int dp_file, plan_file, trials_file;
};

static const struct option_row SCHEMA_OPTIONS[] = {
    {"dp", NULL, "Print the schema of a DP file, as sagbend-dp reads it.",
     FLAG(struct schema_options, dp_file)},
    {"sweep", NULL, "Print the schema of a plan of 'sagbend sweep'.", FLAG(struct schema_options, plan_file)},
    {"trials", NULL, "Print the schema of a plan of 'sagbend trials'.",
     FLAG(struct schema_options, trials_file)},
    HELP_OPTION,
};

const struct cli_command schema_command = {
    .name = "schema",
    .arguments = "",
    .purpose = "Print the JSON Schema of the configuration, for editors.",
    .example = "sagbend schema > sagbend.schema.json",
    .statuses = "0 printed; 1 the output failed; 2 wrong usage",
    .options = SCHEMA_OPTIONS,
    .size = sizeof(struct schema_options),
};

static int print_schema(const struct schema_options *options) {
  struct reason why;
  const enum status status = (options->plan_file     ? plan_write_schema
                              : options->trials_file ? trial_plan_write_schema
                              : options->dp_file     ? dp_config_write_schema
                                                     : config_write_schema)(stdout, &why);
  return console_finish_stdout("sagbend schema", exit_with_reason("sagbend schema", status, &why));
}

int cmd_schema(int argc, char **argv) {
  struct schema_options options;
  int exit_status;
  return command_begin(&schema_command, argc, argv, &options, &exit_status) ? print_schema(&options)
                                                                            : exit_status;
}
