// The plan of a sweep: a configuration and overrides of its keys. A point is one combination of them. The
// points are numbered from 1; the axes turn like the wheels of a counter, the last axis fastest, and within
// each combination of the axes the draws follow one another.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/rig/run_mode.h"

#include <stdio.h>

enum {
  PLAN_MAX_AXES = 16,
  PLAN_MAX_RANDOM = 32,
  PLAN_MAX_PLOTS = 16,
  PLAN_MAX_KEYS = 16, // that one entry sets
  PLAN_MAX_QUANTITIES = 64,
  PLAN_MAX_LIMITING = 8,   // verdicts of a bisecting axis
  PLAN_MAX_SETTINGS = 200, // of a point; sagbend run takes 256 overrides
  PLAN_MAX_POINTS = 100000,
  PLAN_MAX_ARGUMENTS = 64, // of the command of a controller
  PLAN_MAX_FILES = 64,     // of a controller
  PLAN_NAME = 128          // bytes of a column's name
};

// The controller of mode lockstep. All is owned.
struct plan_controller {
  char *argument[PLAN_MAX_ARGUMENTS]; // its command, with marks (ready_mark_at); none: sagbend-dp with the DP
                                      // file
  int argument_count;
  char *place;   // of the command in the plan: "plan.yaml:12:9: error: controller.command"; NULL: none
  char *dp_file; // of sagbend-dp, from the working directory, where there is no command; NULL: the
                 // configuration's
  char *file[PLAN_MAX_FILES]; // on which it depends, as in the plan: from its folder
  int file_count;
  char *folder; // of the plan, in which the command runs
};
char *plan_controller_path(const struct plan_controller *c,
                           const char *file); // the caller frees it; NULL: no memory
// out has no members that are owned. STATUS_NO_MEMORY is the only failure.
enum status plan_controller_copy(const struct plan_controller *from, struct plan_controller *out);
void plan_controller_free(struct plan_controller *c);

struct config;
// Whether the configuration has each place that the command names, and the command names one where there is
// no field bus. Prints errors. STATUS_BAD_INPUT: there was one.
enum status plan_controller_check(const struct plan_controller *c, const struct config *config, FILE *errors);
// The first port of a field bus that two runs at a time cannot both have, and what to write instead; "":
// none.
void plan_controller_fixed_port(const struct plan_controller *c, const struct config *config, char *out,
                                size_t size);

// One override.
struct plan_setting {
  char *text;  // "key.path=value"
  char *place; // where it stands: "plan.yaml:12:9"
};

struct plan_settings {
  struct plan_setting *item;
  int count, capacity;
};

// Adds copies of an override and its place. Returns 0 without memory.
int plan_settings_add(struct plan_settings *settings, const char *text, const char *place);
int plan_settings_copy(struct plan_settings *out,
                       const struct plan_settings *from); // appends; 0 without memory
void plan_settings_free(struct plan_settings *settings);

// One position of an axis.
struct plan_level {
  char **cell; // text for each column of the axis
  struct plan_settings settings;
  double record_every_s; // its points write record.csv in their folders, with a row so often; 0: they do not
};

struct plan_axis {
  char *column[PLAN_MAX_KEYS];
  int column_count;
  struct plan_level *level;
  int level_count, level_capacity;
  char *verdict[PLAN_MAX_LIMITING]; // of a bisecting axis: of its positions the last is wanted for which all
                                    // of these pass
  int verdict_count;                // 0: all positions are run
  char *place;                      // of these verdicts; NULL: none
};

// An axis of one column with levels whose cells are empty. Returns 0 without memory.
int plan_axis_make(struct plan_axis *axis, const char *column, int levels);

enum plan_distribution { PLAN_UNIFORM, PLAN_NORMAL, PLAN_WHOLE };

// A value that is drawn for each draw.
struct plan_random {
  char *column;
  char *key[PLAN_MAX_KEYS];
  int key_count;
  enum plan_distribution distribution;
  double a, b; // least and largest value; mean and standard deviation
  char *place;
};

enum plan_plot_kind { PLAN_LINES, PLAN_POLAR, PLAN_MAP };

struct plan_plot {
  char name[64], title[128];
  int kind;
  char x[PLAN_NAME], y[PLAN_NAME], by[PLAN_NAME], value[PLAN_NAME]; // columns of the results; "": none
  char x_label[64], y_label[64], by_label[64], value_label[64];     // "": the name of the column
  char *place;                                                      // owned
};

struct plan {
  char name[64];
  char *path;      // of the plan
  char base[512];  // as in the plan
  char *base_path; // from the working directory
  enum run_mode mode;
  double controller_timeout_s; // lockstep: limit for an answer
  struct plan_controller controller;
  int has_log;   // each point writes run.mcap in its folder
  char *log_key; // secret key that signs it; NULL: it is not signed. Owned
  int seed, draws;
  struct plan_settings set; // of every point
  struct plan_axis axis[PLAN_MAX_AXES];
  int axis_count;
  struct plan_random random[PLAN_MAX_RANDOM];
  int random_count;
  char *quantity[PLAN_MAX_QUANTITIES];
  int quantity_count;
  struct plan_plot plot[PLAN_MAX_PLOTS];
  int plot_count;
  int point_count;
  int setting_count; // largest number of overrides of a point
};

// Reads a plan. Prints each error in it as "file:line:column: error: ...". STATUS_BAD_INPUT: there was one.
// Release with plan_free in every case.
enum status plan_read(const char *path, struct plan *out, FILE *errors);
// Overrides of every point, "key.path=value", after those of the plan; an axis goes before them. They are
// checked with the points. STATUS_BAD_INPUT: too many.
enum status plan_override(struct plan *p, const char *const *overrides, int count, struct reason *why);
void plan_free(struct plan *p);

enum status plan_write_schema(FILE *out, struct reason *why); // JSON Schema

// The plan as lines on which the results of its points depend, for comparison with another one.
void plan_write_lines(const struct plan *p, FILE *out);

// A point: its overrides, and the text for each column.
struct plan_point {
  int number;            // from 1
  double record_every_s; // as plan_level has it
  int setting_count, cell_count;
  const char *text[PLAN_MAX_SETTINGS + 1], *place[PLAN_MAX_SETTINGS + 1]; // of the settings
  const char *cell[PLAN_MAX_AXES * PLAN_MAX_KEYS + PLAN_MAX_RANDOM];
  char *drawn[PLAN_MAX_RANDOM * (PLAN_MAX_KEYS + 1)]; // owned
  int drawn_count;
};

// STATUS_NO_MEMORY is the only failure. Release with plan_point_free in every case.
enum status plan_point_make(const struct plan *p, int number, struct plan_point *out);
void plan_point_free(struct plan_point *point);

// The names of the columns, in the order of the cells.
int plan_column_count(const struct plan *p);
const char *plan_column(const struct plan *p, int index);
