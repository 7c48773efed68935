// Configuration: a YAML file -> definitions of simulator, instruments, network, log and scenario. The file is
// checked against the schema; one reading reports every error.
#pragma once

#include "sagbend/case/config_files.h"
#include "sagbend/case/case.h"
#include "sagbend/yaml/error_list.h"

struct config_sections;

// What is read: a file with the files to which it refers, or a text in memory.
struct config_request {
  const char *path;                   // of the file; of a text its name in errors
  const char *const *overrides;       // "key.path=value", which are checked like the file
  const char *const *override_places; // of overrides that stand in a file: "plan.yaml:3:9"; NULL: none do
  int override_count;
  // A text in memory, as a log contains it, with the files to which it refers (NULL: none). Nothing is read
  // from the disk then; the DP file is not looked for, and dp_file is the path in the text. NULL: the file.
  const char *text;
  size_t text_size;
  const struct config_files *files;
  const struct config_pool *pool; // in place of files: those that the text names are taken from these
  const char *pool_path;          // path of the text among them; NULL: it is the case itself
  // Sections that the caller reads beside those of the simulator (sagbend/case/section.h). NULL: none;
  // then their keys may be there, are not read and not checked, and have no values in out.
  const struct config_sections *more;
};

// Reads a configuration, and fills out with values and defaults. Each error goes to errors (NULL: nowhere),
// in the order of the text. Release out with config_free.
enum status config_read(const struct config_request *request, struct config *out,
                        const struct error_sink *errors);
void config_free(struct config *c);

// Default limit of a commanded wrench: the acceleration (m/s2) that each component alone may cause, for a
// moment at the radius of gyration.
#define DEFAULT_WRENCH_MPS2 5.0
// Rules that a command must meet: limits of the wrench (the default where none is given), whether a vessel
// with thrusters accepts a wrench, limits of the thrusters. hold_b, the wrench held at the start (N, N m,
// body frame), stays within the limits.
void config_command_rules(const struct config *c, const double hold_b[6], struct command_def *def);

// Reads a DP file. is_beside: a configuration names it; then it must be a regular file, and errors do not
// quote its text if others may not read it. *text (may be NULL) receives the text as parsed, zero-terminated,
// which the caller frees; NULL after an error. *files (may be NULL) receives the files that it extends, to be
// released with config_files_free; none after an error.
enum status dp_config_read(const struct config_request *request, int is_beside, struct dp_config *out,
                           char **text, struct config_files *files, const struct error_sink *errors);
