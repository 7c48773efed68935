// The plan of a sweep: a configuration and overrides of its keys. A point is one combination of them. The
// points are numbered from 1; the axes turn like the wheels of a counter, the last axis fastest, and within
// each combination of the axes the draws follow one another.
#pragma once

#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/orders/orders.h"
#include "sagbend/signals/signals.h"
#include "sagbend/yaml/yaml.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
  PLAN_MAX_AXES = 16,
  PLAN_MAX_RANDOM = 32,
  PLAN_MAX_PLOTS = 16,
  PLAN_MAX_KEYS = 16, // keys that one entry sets
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
  char *argument[PLAN_MAX_ARGUMENTS]; // command of the controller, with marks (ready_mark_at); none:
                                      // sagbend-dp with the DP file
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
// Whether each run is given a port offset of its own, by which runs of one machine do not hear each other's
// groups: the controller is told of it.
int plan_controller_takes_offset(const struct plan_controller *c, const struct config *config);
// The first port of a field bus that two runs at a time cannot both have, or would both hear, and what to
// write instead; "": none.
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

// ------------------------------------------------------------
// What the files that read a plan share.

struct plan_draft {
  struct plan plan;
  struct axis_draft {
    char name[PLAN_NAME], key[PLAN_NAME];
    double from, to, step, failure_at_s, failure_for_s;
    int count;
  } axis[PLAN_MAX_AXES];
  struct random_draft {
    char name[PLAN_NAME], key[PLAN_NAME];
    double uniform[2], normal[2], whole[2];
  } random[PLAN_MAX_RANDOM];
  int axis_count;
};

struct plan_reading {
  struct plan *plan;
  const struct plan_draft *draft;
  const struct node *root;
  const char *path;
  struct error_list *errors;
};

// Reads the file at r->path as YAML. Reports what is wrong with it; returns 0 if nothing can be read. Release
// the tree with tree_free in every case.
int plan_parse(const struct plan_reading *r, const struct source *source, struct tree *tree);
// The path of the base, from the working directory; reports a file that cannot be read. The caller frees it;
// NULL: out of memory.
char *plan_find_base(const struct plan_reading *r, const char *text);

// The node of a key, NULL if it is absent, null or was refused.
const struct node *plan_given(const struct plan_reading *r, const struct node *section, const char *key);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void plan_refuse(const struct plan_reading *r, const struct node *node, const char *expected, ...);
// The same of a name that may be a former one, or contain some between separators; the error has the present
// one.
void plan_refuse_name(const struct plan_reading *r, const struct node *node, enum former_kind kind,
                      const char *separators, const char *expected, ...);

// Adds the overrides of a section such as set; NULL: there is none.
void plan_read_settings(const struct plan_reading *r, const struct node *set, struct plan_settings *out);

// Reads command and files of a section, NULL: there is none.
void plan_take_controller(const struct plan_reading *r, const struct node *section,
                          struct plan_controller *out);
// The keys of the section, in plans of sweeps and of trials.
#define PLAN_CONTROLLER_KEYS                                                                                 \
  {"controller", AS_SECTION, .optional = 1,                                                                  \
   .doc = "Controller of mode lockstep. Absent: sagbend-dp with the DP file of the configuration."},         \
      {"controller.command", AS_ANY, .optional = 1,                                                          \
       .doc = "List of the program and its arguments, in which {endpoint} stands for the endpoint of the "   \
              "simulator's commands, {modbus}, {nmea_in} and {nmea_out} for places of field buses. One "     \
              "process for each run; it runs in the folder of the plan, and no shell reads it. An FMU "      \
              "(X.fmu), alone or with its map, is run by sagbend-fmu."},                                     \
      {"controller.files", AS_ANY, .optional = 1,                                                            \
       .doc = "List of the files on which the controller depends, such as its program. Results of other "    \
              "versions of them are refused."}

// Reads controller.command and controller.files.
void plan_read_controller(const struct plan_reading *r, struct plan_controller *out);

// Reads the failures of an axis, of the configuration with the values of set.
void plan_read_axes(const struct plan_reading *r);
void plan_read_random(const struct plan_reading *r);
void plan_read_outputs(const struct plan_reading *r);

char *plan_place(const struct plan_reading *r, const struct node *node); // NULL: out of memory
void plan_out_of_memory(const struct plan_reading *r);
