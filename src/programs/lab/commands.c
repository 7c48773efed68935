// sagbend hydro import: the files of a diffraction code become one hydro file.
#include "os/cli/console.h"
#include "os/cli/exit_status.h"
#include "os/cli/lab_commands.h"
#include "os/cli/option_rows.h"
#include "sagbend/hydro/hydro_file.h"
#include "lab/hydro/hydro.h"
#include "sagbend/hydro/hydro_tables.h"
#include "os/files/output_file.h"
#include "programs/lab/lab_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hydro_options {
  const char *action;
  struct option_files files;
  const char *output_path, *frequencies, *origin, *first_column;                      // NULL: not given
  double tolerance, length_unit_m, water_density_kgpm3, gravity_mps2, depth_m, scale; // 0: not given
  const char *vessel_type, *draught;                                                  // NULL: not given
  struct option_texts accepted;                                                       // checks
  int without_additional;
};

static const struct option_row OPTIONS[] = {
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
    .example = "sagbend hydro import ship.re1 ship.re2 ship.re7 ship.re8 --without-additional -o ship.hydro",
    .statuses = "0 imported; 1 the file could not be written; 2 wrong usage, an error in a file, a check "
                "that failed or a tolerance that was not reached",
    .options = OPTIONS,
    .size = sizeof(struct hydro_options),
    .words = {WORD(ACTION_WORD, struct hydro_options, action), WORDS(struct hydro_options, files)},
};

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

static enum status read_column(const char *name, struct hydro_import_options *out, struct reason *why) {
  if (!name)
    return STATUS_OK;
  out->column = first_column_find(name);
  out->has_column = 1;
  return out->column < FIRST_COLUMNS
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT,
                    "s, rad/s, Hz, KL or nuL expected after --first-column, not '%.60s'", name);
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
                  "the name of a check expected after --accept, not '%.60s'; see "
                  "'sagbend hydro --help'",
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

int cmd_hydro(int argc, char **argv) {
  struct hydro_options options;
  int exit_status;
  return command_begin(&hydro_command, argc, argv, &options, &exit_status) ? import_files(&options)
                                                                           : exit_status;
}
