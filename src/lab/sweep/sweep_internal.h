// The case of the points: its configuration and its hydro file, and how the vessel is held.
#pragma once

#include "lab/sweep/sweep.h"

#include "os/process/process.h"
#include "sagbend/vessel/vessel.h"

struct config;

extern const double RAO_WAVE_AMPLITUDE_M;

// The frequencies and headings of the points.
enum { RAO_MAX_FREQUENCIES = 400, RAO_MAX_HEADINGS = 360 };

struct rao_grid {
  int frequencies, headings;
  double omega_radps[RAO_MAX_FREQUENCIES]; // > 0, increasing
  double heading_deg[RAO_MAX_HEADINGS];    // 0 to 360, increasing: where the wave travels to, from the bow
};

struct rao_case {
  struct rao_grid grid;
  struct config *config;          // owned
  const struct hydro_data *hydro; // of config
  double hold_stiffness[6];       // N/m, N m/rad; surge, sway and yaw only
  double hold_damping[6];         // N s/m, N m s/rad
  double peak[6];  // largest motion per metre: of the file, or of the linear answer without them
  double settle_s; // the amplitudes are taken after it
};

// ------------------------------------------------------------
// The results of the points: table, CSV, JSON and plot.

extern const char *const RAO_MOTION[6], *const RAO_UNIT[6];

// Motions per metre of wave amplitude as real and imaginary parts, in the order of vessel.h.
struct rao_row {
  int is_there; // 0: the point has not run, or has failed
  double simulated[12], linear[12];
  double file[12]; // if the hydro file has motions
};

struct rao_results {
  const struct rao_case *c;
  const char *folder;
  struct rao_row *row; // [frequency][heading]
  int rows, missing;
  struct rao_worst {
    double difference; // from the linear answer, of the peak
    int row;           // of the largest
  } worst[6];
};

double rao_difference(const struct rao_results *r, const double a[12], const double b[12],
                      int i);                     // of the peak
int rao_has_motions(const struct rao_results *r); // of the file, in the range

enum status rao_write_csv(const struct rao_results *r, struct reason *why);
// print: on stdout as well.
enum status rao_write_json(const struct rao_results *r, int print, struct reason *why);
// NAME.gp and, with gnuplot, NAME.png and NAME.svg.
enum status rao_write_plot(const struct rao_results *r, struct reason *why);
void rao_print(const struct rao_results *r);

// ------------------------------------------------------------
// The limits of a plan with a bisecting axis. The points that differ in its position alone are a group; its
// limit is the last row whose verdicts hold, found by bisection: rows above one that is lost, and below one
// that holds, are not run.

// The bisecting axis; NULL: the plan has none.
const struct plan_axis *limits_axis(const struct plan *plan);

int limits_group_count(const struct plan *plan); // 0 without a bisecting axis
int limits_group_of(const struct plan *plan, int point);

struct limit {
  int held, lost; // rows: the last that holds, -1: none; the first that is lost, the number of rows: none
  int next;       // point that the bisection asks for; 0: the limit is found
};
int limits_point(const struct plan *plan, int group, int row);
// Follows the bisection as far as its points have results. STATUS_IO: a result cannot be read.
enum status limits_find(const struct plan *plan, const struct sweep_folder *folder, int group,
                        struct limit *out, struct reason *why);

// Runs the points that the bisection asks for until all limits are found; jobs and stopped as for
// sweep_run_points. A point that breaks ends the bisection of its group.
enum status limits_run(const struct plan *plan, const struct sweep_folder *folder, int jobs, int *stopped,
                       struct reason *why);

// Prints an error for each verdict of the axis that a point does not have. Returns their number.
int limits_check_verdicts(const struct plan *plan, const char (*verdict)[PLAN_NAME], int verdict_count,
                          FILE *errors);

// ------------------------------------------------------------
// The results of a sweep as a table: a row for each point. Columns: point, those of the plan, outcome, four
// for each verdict (NAME, NAME.worst, NAME.mean, NAME.rms: its result, and worst value, mean and root mean
// square of its quantity while it judged), the quantities of the plan, state_hash; with a bisecting axis
// limit.KEY for each of its keys: only in the row of the limit of each group, 0 where no row holds.

enum { RESULTS_OF_VERDICT = 4 }; // columns

struct results_row {
  enum point_outcome outcome;
  char *reason;
  char state_hash[20];
  struct verdict_cell {
    char result[12];
    double value[RESULTS_OF_VERDICT - 1]; // NaN: none
  } *verdict;
  int verdict_count;
  int is_unneeded; // 1: the point has not run, and the limit is found without it
  char **quantity; // text of each
};

struct results {
  const struct plan *plan;
  const struct sweep_folder *folder;
  char **verdict; // names, in the order in which they are met
  int verdict_count;
  struct results_row *row; // of each point
  int passed, failed, broken, missing, unneeded;
  struct limit *limit; // of each group of a bisecting axis; NULL: none
  int limit_count, open_limits;
};

// Reads the records and summaries of all points. STATUS_IO: one of them cannot be read. Release with
// results_free in every case.
enum status results_read(struct results *r, const struct plan *plan, const struct sweep_folder *folder,
                         struct reason *why);
void results_free(struct results *r);

// Prints the points of a plan as CSV: number and columns.
enum status results_list(const struct plan *plan, FILE *out);

// Writes results.csv, and failures.csv with a row for each point that has not passed.
enum status results_write(const struct results *r, struct reason *why);

// Whether a column is one of the limits, of which a plot shows the least instead of the mean.
int results_is_limit(const struct results *r, int column);

// Whether a point with a verdict of this name (NULL: none) gives the table this column.
int results_has_column(const struct plan *plan, const char *verdict, const char *name);

// The columns and their names.
struct results_cell {
  char text[512];
};
// Index of a column, -1 if there is none. The text of a cell.
int results_find_column(const struct results *r, const char *name);
struct results_cell results_cell(const struct results *r, const struct plan_point *point, int column);

// Writes the plots of the plan with gnuplot, and their scripts. Prints a notice for what cannot be plotted.
enum status results_plot(const struct results *r, struct reason *why);

// ------------------------------------------------------------
// The places of a plot and what stands there, from the table of results.

// One place of a plot.
struct mark {
  int series;
  double x, y, value;
};

struct marks {
  struct mark *item;
  int count;
  char **series, **x_word, **y_word; // names in the order in which they are met; words: NULL if numbers
  int series_count, x_count, y_count;
  int x_is_word, y_is_word;
};

// ------------------------------------------------------------
// Steps of a sweep.

// Writes point.json: how a point ended. port_offset: of its groups of a ship's network; 0: none. STATUS_IO:
// it cannot be written.
enum status point_record_write(const struct sweep_folder *f, const struct plan_point *point, int port_offset,
                               const struct point_record *record, struct reason *why);

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

// The processes of one point: sagbend run, and in mode lockstep its controller.
struct point_run {
  struct plan_point point;
  const struct plan *plan;
  const struct sweep_folder *folder;
  struct process simulator;
  struct point_controller controller;
  int waits_for_endpoint; // the controller starts as soon as the simulator has reported its endpoint
  char dp_file[512];
  int dp_reads_groups;
  char bind_b[2][24]; // options of the endpoints of network B for commands and telemetry; "": there is none
  int port_offset;    // of the groups of a ship's network; 0: none
  int claim;          // keeps it from other runs on this machine; -1: nothing is claimed
  char *inputs;
  int lock;
  uint64_t started_ns;
  int is_stopped; // by this process
};

// Starts the simulator of a point; its controller follows when that is ready.
enum status point_run_start(struct point_run *run, const struct plan *plan, const struct sweep_folder *folder,
                            int point, struct reason *why);
// Whether all its processes have ended. Never waits. Then *record contains how, and run is free for another
// point.
int point_run_has_ended(struct point_run *run, struct point_record *record);
void point_run_signal(struct point_run *run, int number);
// After its end: writes the record, unless this process stopped the run.
enum status point_run_finish(struct point_run *run, struct point_record *record, struct reason *why);

// Runs the points of a list, jobs at a time; needs as in struct sweep_options. STATUS_IO: a point could not
// be started or recorded. *stopped: a signal ended it early.
enum status sweep_run_points(const struct plan *plan, const struct sweep_folder *folder, const int *points,
                             int count, const int *needs, int jobs, int *stopped, struct reason *why);
