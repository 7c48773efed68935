// sagbend hydro import: the files of a diffraction code become one hydro file.
#include "app/commands.h"
#include "cli/console.h"
#include "cli/exit_status.h"
#include "hydro/hydro_file.h"
#include "hydro/hydro_import.h"
#include "hydro/hydro_tables.h"
#include "io/files/output_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 0.02;

static enum status read_origin(const char *text, double origin_m[3], struct reason *why) {
  int end = 0;
  if (!text || (sscanf(text, "%lf,%lf,%lf%n", &origin_m[0], &origin_m[1], &origin_m[2], &end) == 3 &&
                !text[end] && isfinite(origin_m[0]) && isfinite(origin_m[1]) && isfinite(origin_m[2])))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "three numbers X,Y,Z expected after --origin, not '%.60s'", text);
}

static enum status read_range(const char *text, struct hydro_import_options *out, struct reason *why) {
  double first, last;
  int end = 0;
  if (!text)
    return STATUS_OK;
  if (sscanf(text, "%lf:%lf%n", &first, &last, &end) != 2 || text[end] || !(first >= 0 && last > first) ||
      !isfinite(last))
    return fail(why, STATUS_BAD_INPUT,
                "a range FIRST:LAST in rad/s expected after --frequencies, as 0:3, not '%.60s'", text);
  out->first_radps = first;
  out->last_radps = last;
  return STATUS_OK;
}

static enum status read_accepted(const struct options *o, struct hydro_import_options *out,
                                 struct reason *why) {
  for (int i = 0; i < o->case_count; i++) {
    int check = 0;
    while (check < HYDRO_CHECK_COUNT && strcmp(o->cases[i], hydro_check_name((enum hydro_check)check)) != 0)
      check++;
    if (check == HYDRO_CHECK_COUNT)
      return fail(why, STATUS_BAD_INPUT,
                  "the name of a check expected after --accept, not '%.60s'; see "
                  "'sagbend hydro --help'",
                  o->cases[i]);
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

static enum status import(const struct options *o, struct hydro_report *report, struct reason *why) {
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
  enum status status = options_claim(COMMAND_HYDRO, o, &claims, why);
  file_claims_release(&claims); // no two are the same, which is all that is wanted
  if (status == STATUS_OK)
    status = read_origin(o->origin, options.origin_m, why);
  if (status == STATUS_OK)
    status = read_range(o->frequencies, &options, why);
  if (status == STATUS_OK)
    status = read_accepted(o, &options, why);
  if (status != STATUS_OK)
    return status;
  status = hydro_import(o->paths, o->path_count, &options, &data, report, why);
  int is_on_stdout = o->output_path && strcmp(o->output_path, "-") == 0;
  fputs(report->text, is_on_stdout ? stderr : stdout);
  if (status == STATUS_OK)
    status = write_file(o->output_path, &data, report, why);
  hydro_data_free(&data);
  return status;
}

int cmd_hydro(const struct options *options) {
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
