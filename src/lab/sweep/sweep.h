// Sweeps: the folder of a sweep, its points as processes, their results.
#pragma once

#include "lab/plan/plan.h"
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
// What must hold before a point runs: its configuration is valid, ends and finds its controller.

// The configuration of a point.
struct point_facts {
  char *inputs;               // lines "hash path" of the files on which its steps depend; owned
  char (*verdict)[PLAN_NAME]; // names; owned
  int verdict_count;
  char dp_file[512];          // from the working directory; "": none
  int takes_offset;           // its groups of a ship's network have ports of this run alone
  int dp_reads_groups;        // so does the controller, which is sagbend-dp
  int has_b, has_telemetry_b; // endpoints of network B
  char
      fixed_port[320]; // port that keeps the runs from going on at the same time (plan_controller_fixed_port)
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

// A word of a command as a shell reads it.
void sweep_put_word(FILE *out, const char *word);

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

// The index of a column in the header of a record; -1: there is none.
int record_column(const char *header, const char *name);
