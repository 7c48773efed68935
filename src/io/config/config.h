// Configuration: YAML -> definitions, checked against one schema table; every error in one run.
#pragma once

#include "control/dp.h"
#include "core/signals/command.h"
#include "core/sim/sim.h"
#include "hil/run_mode.h"
#include "hil/scenario.h"
#include "hil/sensor_suite.h"
#include "io/config/config_files.h"
#include "io/nmea/nmea_ports.h"

#include <stdio.h>

struct run_def {
  enum run_mode mode;
  double duration_s;           // 0: until stopped
  double time_scale_of_events; // from --set only; 1: none
  double lockstep_timeout_s;   // for an answer, of the wall clock; 0: none
  double lost_time_limit_s;    // a test in mode realtime that lost more has failed; 0: none
  double unsolved_share_max;   // of the steps; a run with more that Newton did not solve has failed
  int realtime_priority;       // SCHED_FIFO priority, 0: do not ask
  int cpu;                     // core of the step thread, -1: any
};

struct net_def {
  char command_endpoint[128];   // ROUTER, loopback by default; port * lets the system choose
  char telemetry_endpoint[128]; // PUB
  double sensor_period_s;       // to PUB and to controllers; also the control period
  double truth_period_s;
  double nodes_period_s;
  double ledger_period_s;
  double timing_period_s;
  double command_timeout_s;
  double command_max_age_s; // a command based on older sensors is stale
  enum command_reaction reaction;
  double wrench_limit[6]; // 0: the default of config_command_rules
  int accept_wrench;      // on a vessel with thrusters, too
  double hold_release_s;
};

// How often a topic of the session's log is written.
struct log_rate {
  double period_s; // 0: every step
  int off;
};

struct log_def {
  struct log_rate sensors, truth, nodes, ledger, timing, state_hash;
  int buffer_mib; // between the step and the disk
};

struct config {
  char name[64];
  struct sim_def sim;
  struct sensor_suite_def suite;
  struct run_def run;
  struct net_def net;
  struct log_def log;
  struct scenario_def scenario;
  struct nmea_def nmea;
  char bathymetry_file[256];     // as the text has it; it is one of files
  double bathymetry_origin_m[2]; // north, east in the file of the world's origin
  double *bathymetry_z_m;        // what sim.env.bathymetry borrows; NULL: none
  char dp_file[512]; // path of the DP file, resolved against the configuration's folder; empty: none
  char *text;        // the file's text, then each override as a comment line: the session's record
  size_t text_size;
  size_t file_text_size;     // bytes of text that are the file's own
  struct config_files files; // that it refers to: the ones it extends. Part of the session's record
  uint64_t hash;             // of text, then of path and text of each of the files, with their final zeros
  uint64_t model_hash; // of what steps depend on: the same without overrides of run length, mode, thread,
                       // endpoints and log
};

// Reads path, applies overrides "key.path=value" (checked like the file), fills out with defaults and values.
// Errors go to errors, one line each: "file:line:col: error: key: expected ..., found ...".
// Returns the number of errors; 0: out is valid (release with config_free).
int config_load(const char *path, const char *const *overrides, int override_count, struct config *out,
                FILE *errors);

// The same from a text in memory, as a log holds it with the files that it refers to (NULL: none); name
// stands for the path in errors. The DP file is not looked for: dp_file is as the text has it.
int config_load_text(const char *name, const char *text, size_t size, const struct config_files *files,
                     const char *const *overrides, int override_count, struct config *out, FILE *errors);
void config_free(struct config *c);

// What a command may ask for, in def: the limits of the wrench (this default where none is given), whether a
// vessel with thrusters takes one, the rules of the thrusters. hold_b, the wrench held at the start, stays
// within the limits.
#define DEFAULT_WRENCH_MPS2                                                                                  \
  5.0 // by which each component alone may accelerate her mass, moments at her radius of gyration
void config_command_rules(const struct config *c, const double hold_b[6], struct command_def *def);

// A DP file (sagbend-dp): the same way, its own table.
struct dp_config {
  char name[64];
  struct dp_def def;
  char connect[128]; // default endpoint
  uint64_t hash;     // of the file's text and the overrides
};
int dp_config_load(const char *path, const char *const *overrides, int override_count, struct dp_config *out,
                   FILE *errors);
// The same for a file that a configuration names: it has to be a regular file, and nothing of its text shows
// in errors if others may not read it.
// *text receives the file's text as parsed, zero-terminated; the caller frees it. NULL: not needed, or
// errors.
int dp_config_load_beside(const char *path, const char *const *overrides, int override_count,
                          struct dp_config *out, char **text, FILE *errors);

// JSON Schemas made from the same tables.
void config_write_schema(FILE *out);
void dp_config_write_schema(FILE *out);
