// Configuration: a YAML file -> definitions of simulator, instruments, network, log and scenario. The file is
// checked against the schema; one reading reports every error.
#pragma once

#include "io/config/config_files.h"
#include "io/config/draft/config_def.h"

#include <stdio.h>

// Reads the file at path, applies the overrides "key.path=value", which are checked like the file, and fills
// out with values and defaults. Prints each error to errors (NULL: nowhere) as a line
// "file:line:column: error: KEY: EXPECTED expected, got FOUND". Release out with config_free.
enum status config_load(const char *path, const char *const *overrides, int override_count,
                        struct config *out, FILE *errors);

// The same with overrides that stand in a file: errors name their places, such as "plan.yaml:3:9".
enum status config_load_placed(const char *path, const char *const *overrides, const char *const *places,
                               int override_count, struct config *out, FILE *errors);

// The same for a text in memory, as a log contains it with the files to which it refers (NULL: none). name
// replaces the path in errors. The DP file is not looked for; dp_file is the path in the text.
enum status config_load_text(const char *name, const char *text, size_t size,
                             const struct config_files *files, const char *const *overrides,
                             int override_count, struct config *out, FILE *errors);
void config_free(struct config *c);

// Default limit of a commanded wrench: the acceleration (m/s2) that each component alone may cause, for a
// moment at the radius of gyration.
#define DEFAULT_WRENCH_MPS2 5.0
// Rules that a command must meet: limits of the wrench (the default where none is given), whether a vessel
// with thrusters accepts a wrench, limits of the thrusters. hold_b, the wrench held at the start (N, N m,
// body frame), stays within the limits.
void config_command_rules(const struct config *c, const double hold_b[6], struct command_def *def);

enum status dp_config_load(const char *path, const char *const *overrides, int override_count,
                           struct dp_config *out, FILE *errors);
// The same for a DP file that a configuration names. It must be a regular file; errors do not quote its text
// if others may not read it. *text (may be NULL) receives the text as parsed, zero-terminated, which the
// caller frees; NULL after an error. *files (may be NULL) receives the files that it extends, to be released
// with config_files_free; none after an error.
enum status dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                                  struct dp_config *out, char **text, struct config_files *files,
                                  FILE *errors);

// JSON Schemas of both kinds of file.
enum status config_write_schema(FILE *out, struct reason *why); // STATUS_NO_MEMORY: nothing is written
enum status dp_config_write_schema(FILE *out, struct reason *why);
