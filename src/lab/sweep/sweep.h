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

#include <cjson/cJSON.h>
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
// The folder of a sweep, and in it a folder for each point:
//
//   sweep.txt                  the plan, in lines that can be compared
//   lock                       held while points run
//   points/000017/output.txt   what the run of point 17 printed; its first line is the command
//   points/000017/summary.json its summary
//   points/000017/record.csv   its time series, if its level asks for one
//   points/000017/run.mcap     its log, if the plan asks for one
//   points/000017/point.json   how it ended; it appears last, and makes the point a finished one

enum { SWEEP_PATH = 4096 };

enum sweep_lock { SWEEP_ALONE, SWEEP_WITH_OTHER_POINTS };

struct sweep_folder {
  char path[SWEEP_PATH];
  int lock; // descriptor; -1: none
};

// Opens or creates the folder for the plan and takes its lock. STATUS_BAD_INPUT: the folder is of something
// else or of another plan (differences are printed on errors), or another sweep runs in it; STATUS_IO: it
// cannot be written.
enum status sweep_folder_open(struct sweep_folder *f, const char *path, const struct plan *plan,
                              enum sweep_lock lock, FILE *errors, struct reason *why);
// The same for reading: it must exist, and no lock is taken.
enum status sweep_folder_read(struct sweep_folder *f, const char *path, const struct plan *plan, FILE *errors,
                              struct reason *why);
int sweep_folder_exists(const char *path); // as the folder of a sweep
void sweep_folder_close(struct sweep_folder *f);

// Path of a file of a point; name "": its folder.
struct sweep_path {
  char text[SWEEP_PATH + 64];
};
struct sweep_path sweep_point_path(const struct sweep_folder *f, int point, const char *name);

// The same, and alone; where the process that is named there has ended, and what it has started still has the
// lock, it waits for patience_s at most.
enum status sweep_lock_take_after(const char *path, double patience_s, int *out, struct reason *why);

// STATUS_BAD_INPUT: the folder contains a link to a file, or to nothing. A sweep writes into its folder only.
enum status sweep_refuse_links(const char *path, struct reason *why);

enum point_outcome { POINT_MISSING, POINT_PASSED, POINT_FAILED, POINT_BROKEN };
const char *point_outcome_word(enum point_outcome outcome);

// Who made a point end otherwise than passed: its controller (it crashed, ended early, gave no answer), the
// machine (a taken port, a full disk, a kill), the run itself (a verdict, an event, a fault of the
// simulation).
enum point_cause { CAUSE_NONE, CAUSE_RUN, CAUSE_CONTROLLER, CAUSE_MACHINE };

// How a point ended. broken: it has no result, because its process was killed or could not run.
struct point_record {
  enum point_outcome outcome;
  enum point_cause cause;
  char reason[512]; // "": passed
  char *inputs;     // lines "hash path" of the files that it read; owned
  int is_foreign;   // read: it is of another point, or the summary beside it is not that of its run
  double wall_s;
};

// Reads the record of a point; POINT_MISSING if there is none. STATUS_IO: it cannot be read.
enum status point_record_read(const struct sweep_folder *f, int point, struct point_record *out,
                              struct reason *why);
// What the folder contains that is not of this plan: "points/000007: ..."; "": nothing.
void sweep_find_stranger(const struct sweep_folder *f, const struct plan *plan, char *out, size_t size);
void point_record_free(struct point_record *record);

// A whole file as text with a final zero; the caller frees it. *size: bytes before that zero. NULL: it cannot
// be read, and *error is the error number.
char *sweep_read_file(const char *path, size_t *size, int *error);
char *sweep_read_text(const char *path, int *error); // the same without the size

// ------------------------------------------------------------
// sagbend sweep: runs the points of a plan as processes of their own, some at a time, and collects their
// results.

// The name of a folder after a file: "case-rao" for "plans/case.yaml" and "-rao". The caller frees it; NULL:
// out of memory.
char *sweep_folder_name(const char *path, const char *suffix);

enum sweep_action {
  SWEEP_RUN,    // all points that have no result yet, then collect
  SWEEP_LIST,   // check all points and print them
  SWEEP_POINT,  // one point
  SWEEP_COLLECT // write the results of what has run
};

struct sweep_options {
  const char *plan;
  const char *const *overrides; // of every point (plan_override)
  int override_count;
  const char *folder; // of the results; NULL: the name of the plan without its extension
  enum sweep_action action;
  int point;        // SWEEP_POINT: from 1
  int jobs;         // SWEEP_RUN: points at a time; 0: one for each processor
  const int *order; // SWEEP_RUN: the points to run, in this order; NULL: all, by their numbers
  int order_count;
  const int *needs; // SWEEP_RUN: of each point, from number 1 at needs[1], the point that must have passed,
                    // or it is not run; 0: none. NULL: none of all
  // Takes the place of the table of results. It is called when points have run, some of which may be missing.
  enum status (*collect)(const struct plan *plan, const struct sweep_folder *folder, void *context,
                         struct reason *why); // NULL: table and plots
  void *context;
};

// A collect for a plan whose results its command reads itself.
enum status sweep_collect_nothing(const struct plan *plan, const struct sweep_folder *folder, void *context,
                                  struct reason *why);

// STATUS_BAD_INPUT: the plan, one of its points or the folder cannot be used; STATUS_IO: a point has not
// passed, or a file cannot be written; errors that were printed leave why empty.
enum status sweep(const struct sweep_options *options, struct reason *why);
// The same for a plan that a command has made. options->plan is not read.
enum status sweep_plan(const struct plan *plan, const struct sweep_options *options, struct reason *why);

// ------------------------------------------------------------
// sagbend rao: motions of a vessel in regular waves, computed in the time domain, beside the linear answer
// from its hydro file and the motions that the file has. A point is a frequency and a heading; the points are
// those of a sweep, each a run of a weakly held vessel in small waves.

struct rao_options {
  const char *case_path;
  char *const *overrides; // "key.path=value"
  int override_count;
  const char *frequencies, *headings; // FIRST:LAST:STEP, rad/s and degrees
  double tolerance;                   // largest difference from the linear answer, of the peak; 0: none
  const char *folder; // of the results; NULL: the name of the case without extension, and -rao
  enum sweep_action action;
  int point, jobs; // as sweep_options has them
  int json;        // print the results as JSON instead of a table
};

// STATUS_BAD_INPUT: options, case, hydro file or folder cannot be used; STATUS_IO: a point has not passed, a
// difference exceeds the tolerance, or a file cannot be written; errors that were printed leave why empty.
enum status rao(const struct rao_options *options, struct reason *why);

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

// Adds the overrides that give a key this value: one for each value of a section. Reports what cannot be one.
void plan_set(const struct plan_reading *r, struct plan_settings *out, const char *key,
              const struct node *value);
// The same for a text without a node of its own.
void plan_set_text(const struct plan_reading *r, struct plan_settings *out, const char *key, const char *text,
                   const struct node *at);

// Adds the overrides of a section such as set; NULL: there is none.
void plan_read_settings(const struct plan_reading *r, const struct node *set, struct plan_settings *out);

// Takes the keys of an entry, from key or keys. Returns their number, 0 after an error.
int plan_take_keys(const struct plan_reading *r, const struct node *entry, char *out[PLAN_MAX_KEYS]);

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

// A position of an axis with empty cells; NULL: out of memory, which it reports.
struct plan_level *plan_add_level(const struct plan_reading *r, struct plan_axis *axis);
// Reads the failures of an axis, of the configuration with the values of set.
void plan_read_failures(const struct plan_reading *r, const struct node *section,
                        const struct axis_draft *draft, struct plan_axis *axis);
void plan_read_axes(const struct plan_reading *r);
void plan_read_random(const struct plan_reading *r);
void plan_read_outputs(const struct plan_reading *r);

char *plan_place(const struct plan_reading *r, const struct node *node); // NULL: out of memory
void plan_out_of_memory(const struct plan_reading *r);

// ------------------------------------------------------------
// What must hold before a point runs: its configuration is valid, ends and finds its controller.

// The configuration of a point.
struct point_facts {
  char *inputs;               // lines "hash path" of the files on which its steps depend; owned
  char (*verdict)[PLAN_NAME]; // names; owned
  int verdict_count;
  char dp_file[512]; // from the working directory; "": none
  char
      fixed_port[160]; // port that keeps the runs from going on at the same time (plan_controller_fixed_port)
};

// Loads the configuration of a point. Prints its errors. STATUS_BAD_INPUT: there was one. Release with
// point_facts_free in every case.
enum status point_check(const struct plan *p, const struct plan_point *point, struct point_facts *out,
                        FILE *errors);
void point_facts_free(struct point_facts *facts);

// Errors of many points. An error that several points have is printed once, with their number.
struct point_errors {
  struct point_error {
    char *line;
    int first, count; // point, number of points
  } *item;
  int stored, count;
};
void point_errors_add(struct point_errors *e, int point, const char *lines);
void point_errors_print(const struct point_errors *e, FILE *out);
void point_errors_free(struct point_errors *e);

// ------------------------------------------------------------
// The controller of one point, as a process of its own: that of the plan, or sagbend-dp with the DP file of
// the configuration.

struct point_controller {
  struct process process;
  int is_started;    // and not ended yet
  uint64_t ended_ns; // when it was found to have ended; 0: it runs, or was not started
  char output[SWEEP_PATH + 64];
  int floods;             // 1: the controller has printed without end
  char end[256];          // how it ended, as far as that is an error; "": it is not
  enum point_cause cause; // who made it end so
};

// Starts it; what it prints goes to controller.txt in the folder of the point. lock: held until all that it
// has started has ended; 0: none. STATUS_IO: it cannot be started.
enum status point_controller_start(struct point_controller *c, const struct plan *plan,
                                   const struct sweep_folder *folder, int point, const char *dp_file,
                                   const struct ready *ready, int lock, struct reason *why);

// Looks after it while the simulator runs. Returns 1 if the run must end: the controller has failed, prints
// without end, or has gone though the simulator still waits for it; end says what.
int point_controller_has_failed(struct point_controller *c);

// Whether it prints without end. Then it is ended and what it printed is cut.
int point_controller_is_flooding(struct point_controller *c);

// Ends it and all that it has started.
void point_controller_end(struct point_controller *c);

// ------------------------------------------------------------
// The processes of one point: sagbend run, and in mode lockstep its controller.

// A word of a command as a shell reads it.
void sweep_put_word(FILE *out, const char *word);

struct point_run {
  struct plan_point point;
  const struct plan *plan;
  const struct sweep_folder *folder;
  struct process simulator;
  struct point_controller controller;
  int waits_for_endpoint; // the controller starts as soon as the simulator has reported its endpoint
  char dp_file[512];
  char *inputs;
  int lock;
  uint64_t started_ns;
  int is_stopped; // by this process
};

// Starts a point in its folder. STATUS_IO: it cannot be started. STATUS_BAD_INPUT: its configuration is not
// valid (its errors are printed), or another process runs this point.
enum status point_run_start(struct point_run *run, const struct plan *plan, const struct sweep_folder *folder,
                            int point, struct reason *why);

// Whether all its processes have ended. Never waits. Then *record contains how, and run is free for another
// point.
int point_run_has_ended(struct point_run *run, struct point_record *record);

void point_run_signal(struct point_run *run, int number);

// After its end: writes the record, unless this process stopped the run.
enum status point_run_finish(struct point_run *run, struct point_record *record, struct reason *why);

// ------------------------------------------------------------
// What the results of a sweep take from the summary of a run.

struct summary_facts {
  int is_there;           // the file is a complete summary
  int was_stopped;        // the run broke off because somebody stopped it
  char failure[512];      // its first failure, and how many more there are; "": none
  enum point_cause cause; // of the failures; CAUSE_NONE: none
};
void summary_read_facts(const char *path, struct summary_facts *out);

// Whether a program reports of the machine what is no fault of its own: a taken port, a full disk.
int summary_is_of_machine(const char *text);

// The last line that a program has printed on its own account ("sagbend: ..."), or else the last line that is
// not empty; "" if there is none.
void summary_last_line(const char *path, char *out, size_t size);

// The summary as JSON, NULL if it is not there or damaged. The caller deletes it.
cJSON *summary_open(const char *path);

// ------------------------------------------------------------
// Amplitude and phase of the motions in a record.

// Fits a harmonic of frequency omega, a constant, a slope and a curvature by least squares to the rows of the
// record from from_s to to_s. motion: per metre of wave amplitude in the phasors of vessel.h, with the
// phase of the wave at the reference point as zero. STATUS_IO: the record cannot be read or has too few rows.
enum status wave_fit(const char *record, double omega_radps, double from_s, double to_s, double motion[12],
                     struct reason *why);

// The index of a column in the header of a record; -1: there is none.
int record_column(const char *header, const char *name);

// ------------------------------------------------------------
// The failures of a configuration: every single one that its equipment can have, common causes, and hidden
// failures with a second one. Each has an identifier that stays as long as the names of the configuration do:
// "gnss-1/drift". Basis: IMO MSC.1/Circ.1580; IMCA M 190.

struct config;

enum { FAILURE_ID = 96, FAILURE_EVENTS = 4096, FAILURE_NAMES = 8 };

enum failure_group {
  FAILURE_NONE,      // the run without a failure, to which the others are compared
  FAILURE_SINGLE,    // of one piece of equipment
  FAILURE_COMMON,    // several at once, by a common cause
  FAILURE_HIDDEN,    // one that stays unseen, then a second one
  FAILURE_OPERATION, // nothing fails, and something else happens (judge.h)
  FAILURE_GROUP_COUNT
};
const char *failure_group_name(enum failure_group group);

// How large the value of a failed instrument's error is, in standard deviations of its own errors.
struct failure_magnitudes {
  double small, large, wild, drift_per_s, noise_per_s;
  double load_share; // of a bus: the share of its power that a limited one has left
};

// When failures begin and end, from the start of the run.
struct failure_times {
  double begin_s, duration_s;
  double hidden_lead_s; // the first of a hidden pair begins so long before the second
};

struct failure {
  char id[FAILURE_ID]; // "EQUIPMENT/MODE"; "none"
  char equipment[SIGNAL_NAME + 8], mode[24];
  char kind[32]; // of the equipment, for people: "gnss", "azimuth thruster", "bus", "link"
  enum failure_group group;
  char events[FAILURE_EVENTS]; // of the scenario, a YAML list
  char names[FAILURE_NAMES]
            [SIGNAL_NAME]; // of which an alarm must contain one; the equipment and what it feeds
  int name_count;
  char also[FAILURE_NAMES][SIGNAL_NAME]; // which an alarm may name beside: what has failed before, what the
                                         // failure takes along
  int also_count;
  int lasts;         // whoever sees it sees it until its end: the alarm stays as long
  double alarm_s;    // within which an alarm is expected; 0: none is
  const char *quiet; // why none is; NULL: one is
  int runs_wild;     // a thruster that an operator stops
  int hides;         // unseen, it hides the loss of redundancy
  int operation;     // FAILURE_OPERATION: its index in the plan
  int has_spare;     // another of its kind is there, so that its failure should cost nothing
};

// What the simulator could do and the trials do not try.
struct failure_excluded {
  char id[FAILURE_ID];
  char why[128];
  int is_by_plan; // 1: the failure could be tried, and the plan leaves it out
};

// A thruster, and the index of the bus that feeds it, its redundancy group; -1: none.
struct failed_thruster {
  char name[SIGNAL_NAME];
  int bus;
};

// A piece of equipment that an alarm can name.
struct failed_piece {
  char name[SIGNAL_NAME];
  int has_spare; // another of its kind
  int is_instrument;
};

struct failures {
  struct failed_piece piece[MAX_INSTRUMENTS + MAX_THRUSTERS]; // instruments and thrusters
  int piece_count;
  struct failed_thruster thruster[MAX_THRUSTERS]; // of the vessel
  int thruster_count;
  struct failure *item; // the first is FAILURE_NONE
  int count, capacity;
  struct failure_excluded *excluded;
  int excluded_count, excluded_capacity;
};

// STATUS_NO_MEMORY is the only failure. Release with failures_free in every case.
enum status failures_generate(const struct config *config, const struct failure_magnitudes *magnitudes,
                              const struct failure_times *times, struct failures *out);
// Adds a common cause that the plan declares: a fault of a kind on several pieces of equipment at once.
// parameters: "" or such as ", rate_per_s: 0.05". Returns 0 without memory.
int failures_declare(struct failures *all, const struct failure_times *times, const char *name,
                     const char *fault, const char *parameters, const char (*equipment)[SIGNAL_NAME],
                     int count);
void failures_free(struct failures *all);

// Takes a failure out, and adds it to what is excluded. Returns the number of those that match the pattern:
// an identifier, in which * stands for any characters.
int failures_exclude(struct failures *all, const char *pattern, const char *why);
int failures_count(const struct failures *all, const char *pattern); // that match; not the run without one
// Whether an identifier matches a pattern.
int failure_matches(const char *id, const char *pattern);
// Index of the failure with this identifier; -1: there is none.
int failures_find(const struct failures *all, const char *id);

// ------------------------------------------------------------
// What the files that generate failures share.

struct failure *failures_add(struct failures *all);                            // NULL: out of memory
int failures_leave_out(struct failures *all, const char *id, const char *why); // 0: out of memory

// Why no alarm of the DP controller is expected of a failure in the power plant.
#define FAILURE_QUIET_PLANT "power management reports it, not the DP controller"

struct failure_making {
  const struct config *config;
  const struct failure_magnitudes *magnitudes;
  const struct failure_times *times;
  struct failures *out;
};

// Each returns 0 without memory.
int failures_make_single(const struct failure_making *m);

// Appends an event; duration_s 0: it does not end. parameters: "" or such as ", bias: 3".
void failures_add_event(struct failure *f, const char *name, double at_s, double duration_s,
                        const char *fault, const char *target, const char *parameters);

// The names that an alarm about a bus may contain: the bus and its thrusters.
void failure_name_bus(const struct failure_making *m, int bus, struct failure *f);
void failure_name(struct failure *f, const char *name);
void failure_name_also(struct failure *f, const char *name); // may be named, and need not
// The number of instruments of a kind; the first other one than index, -1: there is none.
int failure_count_kind(const struct failure_making *m, enum instrument kind);
int failure_other_instrument(const struct failure_making *m, int index);

// Standard deviation of the main quantity of an instrument from all its errors, and the first of its
// channels.
double failure_sigma(const struct instrument_def *d, int *channel);
