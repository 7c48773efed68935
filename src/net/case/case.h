// Reading a configuration as the programs do: with the sections of a session, and errors printed as lines.
#pragma once

#include "net/buses/buses.h"
#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"

#include <stdio.h>

// The settings of the buses; kept in config.more.
struct config_run {
  struct nmea_def nmea;
  struct modbus_def modbus;
};
const struct config_run *config_run(const struct config *c);

extern const struct config_sections RUN_SECTIONS; // for config_request.more

// Reads the file at path with overrides "key.path=value". Prints each error to errors (NULL: nowhere) as a
// line "file:line:column: error: KEY: EXPECTED expected, got FOUND". Release out with config_free.
enum status config_load(const char *path, const char *const *overrides, int override_count,
                        struct config *out, FILE *errors);

// The same with overrides that stand in a file: errors name their places, such as "plan.yaml:3:9".
enum status config_load_placed(const char *path, const char *const *overrides, const char *const *places,
                               int override_count, struct config *out, FILE *errors);

// The same for a text in memory, as a log contains it with the files to which it refers (NULL: none). name
// replaces the path in errors.
enum status config_load_text(const char *name, const char *text, size_t size,
                             const struct config_files *files, const char *const *overrides,
                             int override_count, struct config *out, FILE *errors);

enum status dp_config_load(const char *path, const char *const *overrides, int override_count,
                           struct dp_config *out, FILE *errors);

// The same for a DP file that a configuration names (dp_config_read).
enum status dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                                  struct dp_config *out, char **text, struct config_files *files,
                                  FILE *errors);

// JSON Schemas of both kinds of file.
enum status config_write_schema(FILE *out, struct reason *why); // STATUS_NO_MEMORY: nothing is written
enum status dp_config_write_schema(FILE *out, struct reason *why);

// ------------------------------------------------------------
// The schema of a file as a JSON Schema, for editors.

// Writes the JSON Schema. STATUS_NO_MEMORY, also of a schema for which schema_add had none: nothing is
// written.
enum status schema_write_json(const struct schema *schema, FILE *out, struct reason *why);
