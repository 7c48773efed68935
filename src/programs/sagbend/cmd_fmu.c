// sagbend fmu: writes a case as an FMU.
#include "os/cli/cli.h"
#include "programs/sagbend/sagbend_program.h"

#include "fmu/export/export.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/sagbend.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fmu_options {
  struct case_options given;
  const char *output_path, *fmi, *controller; // NULL: not given
  struct option_texts parameters;
};

static const struct option_row OPTIONS[] = {
    {"output", "X.fmu", "The FMU. Required.", SET_TEXT,
     OPTION_MEMBER(struct fmu_options, output_path, const char *), NULL, FILE_COMPLETED, 'o'},
    {"fmi", "2|3", "Version of the standard: FMI 2.0 or 3.0, co-simulation. Default: 2.",
     TEXT(struct fmu_options, fmi)},
    {"controller", "inside|caller|alone",
     "inside: the controller of the case runs in the FMU; it needs controller.dp_file. caller: the inputs "
     "are a controller's command. alone: the FMU is that controller, without the vessel. Default: inside.",
     TEXT(struct fmu_options, controller)},
    {"parameter", "KEY",
     "Make this key of the case, a number, a parameter that the importer may set before the start; may be "
     "repeated.",
     TEXTS(struct fmu_options, parameters)},
    SET_OPTION(struct fmu_options, given),
    HELP_OPTION,
};

const struct cli_command fmu_command = {
    .name = "fmu",
    .arguments = "CASE",
    .purpose = "Export a case as an FMU, which other programs import and step. The program "
               "sagbend-fmu runs another FMU as the controller of a session (docs/fmu.md).",
    .example = "sagbend fmu configs/osv-83m-lay.yaml -o lay.fmu --fmi 3 --controller caller",
    .statuses = "0 the FMU is written; 1 it could not be written; 2 wrong usage or configuration",
    .options = OPTIONS,
    .size = sizeof(struct fmu_options),
    .words = {WORD(FILE_WORD, struct fmu_options, given.config_path)},
};

// Beside this program, or where an installation has it.
static enum status find_binary(char path[PROGRAM_PATH], struct reason *why) {
  static const char *const places[] = {"sagbend_fmu.so", SAGBEND_FMU_FROM_PROGRAM};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    enum status status = program_beside(places[i], path, why);
    if (status != STATUS_OK || access(path, R_OK) == 0)
      return status;
  }
  return fail(why, STATUS_IO, "the binary of an FMU expected in %s, got none", path);
}

static const struct {
  const char *word, *told;
} controllers[] = {[SAGBEND_CONTROLLER_INSIDE] = {"inside", "controller inside"},
                   [SAGBEND_CONTROLLER_CALLER] = {"caller", "controller of the caller"},
                   [SAGBEND_CONTROLLER_ALONE] = {"alone", "the controller alone"}};
enum { CONTROLLERS = sizeof controllers / sizeof *controllers };

static enum status read_words(const struct fmu_options *o, struct fmu_request *request, struct reason *why) {
  request->fmi = o->fmi ? atoi(o->fmi) : 2;
  if (o->fmi && strcmp(o->fmi, "2") != 0 && strcmp(o->fmi, "3") != 0)
    return fail(why, STATUS_BAD_INPUT, "--fmi: 2 or 3 expected, got '%.40s'", o->fmi);
  request->controller = SAGBEND_CONTROLLER_INSIDE;
  while (o->controller && request->controller < CONTROLLERS &&
         strcmp(o->controller, controllers[request->controller].word) != 0)
    request->controller++;
  if (request->controller == CONTROLLERS)
    return fail(why, STATUS_BAD_INPUT, "--controller: inside, caller or alone expected, got '%.40s'",
                o->controller);
  if (!o->output_path)
    return fail(why, STATUS_BAD_INPUT, "-o X.fmu: the file to write expected, got none");
  return STATUS_OK;
}

static enum status write_fmu(const struct fmu_options *o, struct fmu_request *request,
                             struct file_claims *claims, struct reason *why) {
  char binary[PROGRAM_PATH];
  struct output_file file;
  struct fmu_report report;
  enum status status = find_binary(binary, why);
  if (status == STATUS_OK)
    status = command_claim(&fmu_command, o, claims, why);
  if (status == STATUS_OK)
    status = file_claims_take(claims, 0, why);
  if (status == STATUS_OK)
    status = output_file_open_claimed(&file, claims, o->output_path, why);
  if (status != STATUS_OK)
    return status;
  request->binary = binary;
  status = fmu_export(request, file.stream, stderr, &report, why);
  request->binary = NULL; // it goes with this function
  if (status != STATUS_OK) {
    output_file_abandon(&file);
    return status;
  }
  status = output_file_close(&file, why);
  if (status == STATUS_OK && strcmp(o->output_path, "-") != 0)
    printf("%s: FMI %d.0, %s, %zu inputs, %zu outputs, %zu parameters, %zu files, %zu bytes\n",
           o->output_path, request->fmi, controllers[request->controller].told, report.inputs, report.outputs,
           report.parameters, report.files, report.bytes);
  return status;
}

int cmd_fmu(int argc, char **argv) {
  struct fmu_options options;
  struct reason why = {""};
  struct file_claims claims = {0};
  int exit_status;
  if (!command_begin(&fmu_command, argc, argv, &options, &exit_status))
    return exit_status;
  struct fmu_request request = {.path = options.given.config_path,
                                .overrides = (const char *const *)options.given.overrides,
                                .override_count = (size_t)options.given.override_count,
                                .parameters = options.parameters.text,
                                .parameter_count = (size_t)options.parameters.count};
  enum status status = read_words(&options, &request, &why);
  if (status == STATUS_OK)
    status = write_fmu(&options, &request, &claims, &why);
  file_claims_release(&claims);
  case_options_free(&options.given);
  return exit_with_reason("sagbend fmu", status, &why);
}
