// What a configuration and a DP file contain, read, checked and resolved.
#pragma once

#include "sagbend/dp/dp.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/sensor_suite.h"
#include "sagbend/rig/run_mode.h"
#include "sagbend/rig/scenario.h"
#include "sagbend/case/capability_def.h"

// Files to which a configuration refers (sagbend/case/config_files.h).
enum { MAX_CONFIG_FILES = 16 };

struct config_file {
  char *path; // name in the record: relative to the main file's folder, or absolute
  char *text; // size bytes and a final zero
  size_t size;
};

struct config_files {
  int count;
  struct config_file file[MAX_CONFIG_FILES]; // in the order of the first reference
  int defaults_behind; // generations by which the defaults of a log are older: config.c gives its keys what
                       // they had
};
// Texts that a caller gives in place of files: the case's own, its DP file and those of the DP file. Some may
// be there that nothing names.
struct config_pool {
  int count;
  const struct config_file *file;
};
enum { MAX_CONFIG_POOL = 2 + 2 * MAX_CONFIG_FILES }; // with the case itself

// Counts changes of a default that moves numbers; a log records it. 1: vessel.damping.axes, pipe.spacing; 2:
// pipe.element_kind.
enum { DEFAULTS_GENERATION = 2 };

enum overrun_policy { OVERRUN_COUNT, OVERRUN_HALT };

struct run_def {
  enum run_mode mode;
  double duration_s;           // simulated time of the run; 0: until stopped
  double time_scale_of_events; // factor on all event times (simulation.event_time_scale)
  double lockstep_timeout_s;   // wall-clock limit for the controller's answer; 0: none
  double lost_time_limit_s;    // largest simulated time lost in mode realtime, with verdicts; 0: none
  enum overrun_policy overrun; // of mode realtime
  int overrun_limit;           // periods in a row without a step on time until OVERRUN_HALT halts
  double unsolved_share_max;   // largest share of steps in which Newton's method may fail to converge
  enum event_reaction on_event[EVENT_COUNT]; // what the run does about each event of the simulator
  int realtime_priority;                     // SCHED_FIFO priority; 0: none requested
  int serving_priority; // of the main thread, and one more of ZeroMQ's; 0: none requested
  int cpu;              // processor core of the step thread; -1: any
  int serving_cpu;      // of the main thread; -1: any
  int keep_cpus_awake;  // mode realtime: the processors enter no sleep states that delay a wake-up
  double spin_s;        // mode realtime: before a step is due, its thread no longer sleeps
};

// What a tensioner does while the controller whose order it follows is silent.
enum tensioner_silence { TENSIONER_SILENCE_GO_ON, TENSIONER_SILENCE_BRAKE };
enum tensioner_accept {
  TENSIONER_ACCEPT_ALL,
  TENSIONER_ACCEPT_CONTROLLER,
  TENSIONER_ACCEPT_OPERATOR,
  TENSIONER_ACCEPT_NONE
};

struct net_def {
  char command_endpoint[128];   // ROUTER socket, on the loopback interface by default; port *: any free port
  char telemetry_endpoint[128]; // PUB socket
  // Paths from the working directory; both empty: peers need no key.
  char server_key_file[512], admitted_keys_file[512];
  double sensor_period_s; // of sensor messages, and so of control; a whole number of steps
  double truth_period_s;
  double nodes_period_s;
  double ledger_period_s;
  double timing_period_s;
  double command_timeout_s; // time without a command until the reaction applies
  double command_max_age_s; // a command based on older sensors is rejected as stale
  enum command_reaction reaction;
  double wrench_limit[6]; // N, N m; body frame; 0: the default of config_command_rules
  int accept_wrench;      // wrench commands are accepted on a vessel with thrusters as well
  int withhold_truth;     // no telemetry, and no orders: a controller under test cannot learn the truth
  double hold_release_s;  // transition between the hold wrench and thruster commands
  enum tensioner_accept tensioner_accept; // from whom the tensioner takes orders
  enum tensioner_silence tensioner_silence;
};

// Logging period of a topic.
struct log_rate {
  double period_s; // 0: every step
  int off;
};

struct log_def {
  struct log_rate sensors, truth, nodes, ledger, timing, state_hash, status;
  int buffer_mib; // memory between the step and the disk

  // Logs in parts (--log-dir).
  double part_s, part_mib; // simulated time and size after which the log continues in a new part; 0: never
  int keep_parts;          // parts that the folder keeps; 0: all
  double keep_mib;         // size of all parts in the folder beyond which the oldest are deleted; 0: none
};

// What views draw beside the state. Nothing of it acts on the simulation.
enum { MAX_OUTLINE = 64, WATCH_CIRCLES = 2 };
struct outline_point {
  double forward_m, starboard_m; // body frame
};
struct view_def {
  int outline_count; // 0: unknown
  struct outline_point outline[MAX_OUTLINE];
  double watch_circle_m[WATCH_CIRCLES];       // around the set-point: warning, alarm; 0: none
  double curvature_1pm, moment_nm, tension_n; // limits of the pipe; 0: none
};

// Places of what another file may forbid.
enum { ROUTE_PLACE = 200 };

// pipe.element_kind. auto: a wire where its bending stiffness is below config_wire_bending.
enum element_kind { ELEMENT_AUTO, ELEMENT_BEAM, ELEMENT_WIRE };

struct config {
  char name[64];
  char meant[512]; // keys of which plausible_check says nothing, separated by blanks
  struct sim_def sim;
  struct sensor_suite_def suite;
  struct run_def run;
  struct net_def net;
  struct log_def log;
  struct view_def view;
  struct scenario_def scenario;
  struct capability_def capability; // with the next two: read by sagbend capability only
  int failure_group_count;
  struct failure_group_def failure_group[MAX_FAILURE_GROUPS];
  enum element_kind element_kind[1 + MAX_PIPE_TYPES]; // as asked for; pipe_type.wire is what was chosen
  unsigned steel_hardening;  // bit k: the law of bending of pipe type k (0: the line pipe) is from its steel
  char way_at[ROUTE_PLACE];  // of the largest until_way_m of pipe.operations, "FILE:LINE:COLUMN"; empty: none
  char bathymetry_file[256]; // path as in the text; it is one of files
  double bathymetry_origin_m[2]; // northing, easting of the world origin in the grid's coordinates
  double *bathymetry_z_m;        // depths that sim.env.bathymetry borrows; NULL: no bathymetry
  char hydro_file[256];          // path as in the text; it is one of files
  struct hydro_data *hydro;      // data that sim.vessel.hydro borrows; NULL: none
  char dp_file[512];             // path of the DP file, from the working directory; empty: none
  char dp_file_in_text[512];     // the same as in the text: from the folder of the file that contains it
  void *more;                    // what the sections of the program gave; NULL: they were not read
  char *text;                    // session record: the file's text, then each override as a comment line
  size_t text_size;
  size_t file_text_size;     // bytes of text that are the file's own
  struct config_files files; // files to which the configuration refers; part of the session record
  uint64_t hash;             // of text, then of path and text of each of files, with their final zeros
  uint64_t model_hash;       // the same without overrides of run length, mode, threads, endpoints and log
};

// Where a DP file states what the simulator's configuration may forbid.
struct route_places {
  char speed_at[ROUTE_PLACE], tension_at[ROUTE_PLACE], payout_at[ROUTE_PLACE],
      radius_at[MAX_WAYPOINTS][ROUTE_PLACE]; // "FILE:LINE:COLUMN"; empty: absent
};

// Telegrams of a position reference, which sagbend-dp reads.
enum { MAX_DP_TELEGRAMS = 20 };
struct dp_telegram_def {
  char instrument[SIGNAL_NAME];
  int port; // UDP, of this machine
  double latency_s;
  char target[8]; // name of the transponder, or number of the reflector, whose telegrams count; "": the first
};

// A DP file, as sagbend-dp reads it.
struct dp_config {
  char name[64];
  struct dp_def def;
  struct route_places route_places;
  char connect[128]; // default command endpoint
  int telegram_count;
  struct dp_telegram_def telegram[MAX_DP_TELEGRAMS];
  double origin_rad[2]; // latitude and longitude of the world origin, for the positions of receivers
  uint64_t hash;        // of the file's text and the overrides
};

// A tension of a pipe type, N, by what is known before the statics: the weight of a length of the depth plus
// their horizontal force.
double config_typical_tension(const struct sim_def *sim, int type);

// T l^2/100 of a pipe type, N m2: below it, pipe.element_kind: auto makes wires. l: its longest element; T:
// that tension.
double config_wire_bending(const struct sim_def *sim, int type);
