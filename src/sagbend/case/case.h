// A case as text: the keys of a configuration and of a DP file, and what is read of them.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/dp/dp.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"
#include "sagbend/yaml/yaml.h"

#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// What only sagbend capability reads: particulars of the vessel for the level-1 loads of DNV-ST-0111, and the
// groups of equipment that fail together.

enum { MAX_SKEGS = 8, MAX_FAILURE_GROUPS = 32, MAX_DESIGN_INTENT = 8 };

// Equipment that fails, and its index in the plant or among the groups.
enum failed_kind { FAILED_THRUSTER, FAILED_BUS, FAILED_GENERATOR, FAILED_GROUP, FAILED_KINDS };
struct failed_item {
  enum failed_kind kind;
  int index;
};
// "thruster", "bus", "generator", "group".
const char *failed_kind_name(enum failed_kind kind);

// Longitudinal positions count from midships (vessel.hull.centre_x_b_m), positive forward.
struct capability_def {
  double underwater_length_m; // 0: not given, here and in what follows
  double underwater_centre_m;
  double bow_angle_rad;
  double waterplane_aft_m2;
  double wind_centre_m, current_centre_m; // NaN: not given
  double current_area_m2;
  int skeg_count;
  double skeg_m[MAX_SKEGS][2]; // aft edges: forward of midships, to starboard
  int intent_count;            // worst-case failure design intent; 0: none is declared
  struct failed_item intent[MAX_DESIGN_INTENT];
};

struct failure_group_def {
  char name[SIGNAL_NAME];
  unsigned thrusters, buses, generators; // bit i: index in the plant
};

// ------------------------------------------------------------
// What a configuration and a DP file contain, read, checked and resolved.

// Files to which a configuration refers.
enum { MAX_CONFIG_FILES = 16 };

struct config_file {
  char *path; // name in the record: relative to the main file's folder, or absolute
  char *text; // size bytes and a final zero
  size_t size;
};

struct config_files {
  int count;
  struct config_file file[MAX_CONFIG_FILES]; // in the order of the first reference
  int has_former_names; // a log contains them: names that keys and words had are read as the present ones
  int defaults_behind;  // generations by which the defaults of a log are older: config.c gives its keys what
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
  double duration_s;              // simulated time of the run; 0: until stopped
  double time_scale_of_events;    // factor on all event times (simulation.event_time_scale)
  double lockstep_timeout_s;      // wall-clock limit for the controller's answer; 0: none
  double lost_time_limit_s;       // largest simulated time lost in mode realtime, with verdicts; 0: none
  enum overrun_policy overrun;    // of mode realtime
  int overrun_limit;              // periods in a row without a step on time until OVERRUN_HALT halts
  double not_converged_share_max; // largest share of steps in which Newton's method may fail to converge
  enum event_reaction on_event[EVENT_COUNT]; // what the run does about each event of the simulator
  int realtime_priority;                     // SCHED_FIFO priority; 0: none requested
  int serving_priority; // of the main thread, and one more of ZeroMQ's; 0: none requested
  int cpu;              // processor core of the step thread; -1: any
  int serving_cpu;      // of the main thread; -1: any
  int keep_cpus_awake;  // mode realtime: the processors enter no sleep states that delay a wake-up
  double spin_s;        // mode realtime: before a step is due, its thread no longer sleeps
  enum rig_clock clock; // that the steps of mode realtime follow
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
  char command_endpoint_b[128], telemetry_endpoint_b[128]; // the same of network B; "": there is none
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
  double hold_release_s;  // transition between the initial holding force and thruster commands
  double changeover_ramp_s;
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
  char meant[512]; // keys that plausible_check does not report, separated by blanks
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
  char way_at[ROUTE_PLACE];  // of the largest until_distance_m of pipe.operations, "FILE:LINE:COLUMN"; empty:
                             // none
  char bathymetry_file[256]; // path as in the text; it is one of files
  double bathymetry_origin_m[2]; // northing, easting of the world origin in the grid's coordinates
  double *bathymetry_z_m;        // depths that sim.env.bathymetry borrows; NULL: no bathymetry
  char hydro_file[256];          // path as in the text; it is one of files
  struct hydro_data *hydro;      // data that sim.vessel.hydro borrows; NULL: none
  char dp_file[512];             // path of the DP file, from the working directory; empty: none
  char dp_file_in_text[512];     // the path as written, from the folder of the file that contains it
  void *more;                    // record of the program's sections; NULL: they were not read
  char *text;                    // session record: the file's text, then each override as a comment line
  size_t text_size;
  size_t file_text_size;     // bytes of text that are the file's own
  struct config_files files; // files to which the configuration refers; part of the session record
  uint64_t hash;             // of text, then of path and text of each of files, with their final zeros
  uint64_t model_hash;       // hash without overrides of run length, mode, threads, endpoints and log
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
  int port;       // UDP, of this machine; 0: a group
  int group;      // of the ship's network, without a port (enum network_group)
  char source[8]; // of the group: whose lines count, as HE0001; "": all
  double latency_s;
  char target[8]; // name of the transponder, or number of the reflector, whose telegrams count; "": the first
};

// A DP file, as sagbend-dp reads it.
struct dp_config {
  char name[64];
  struct dp_def def;
  struct route_places route_places;
  char connect[NETWORKS][128]; // default command endpoints; of network B "": there is none
  char pair_listen[128],
      pair_other[128]; // endpoints of this controller and of the other of a pair; empty: none
  char pair_key[512], pair_other_key[512]; // files: own secret key, the other's public one; empty: none
  int telegram_count;
  struct dp_telegram_def telegram[MAX_DP_TELEGRAMS];
  char interface[NETWORKS][16]; // addresses of the interfaces on which groups are joined; of B "": none
  int port_offset;              // added to the port of each group
  double origin_rad[2];         // latitude and longitude of the world origin, for the positions of receivers
  uint64_t hash;                // of the file's text and the overrides
};

// A tension of a pipe type, N, by what is known before the statics: the weight of a length of the depth plus
// their horizontal force.
double config_typical_tension(const struct sim_def *sim, int type);

// T l^2/100 of a pipe type, N m2: below it, pipe.element_kind: auto makes wires. l: its longest element; T:
// that tension.
double config_wire_bending(const struct sim_def *sim, int type);

// ------------------------------------------------------------
// Files to which a configuration refers and on which its steps depend: the configurations that it extends, a
// bathymetry. They are part of the session's record, so that a log replays without them.

// Files of one loading.
struct file_reader {
  const char *main_path;          // paths are relative to its folder
  int from_record;                // files come from a session's record, none from the disk
  const struct config_pool *pool; // files are taken from these in place of the disk; NULL: the disk
  const char *pool_path;          // path of the main file among them; NULL: "", the case itself
  struct config_files files;
  struct source sources[MAX_CONFIG_FILES];
};

// Returns the file that the text names at this position: read, found in the record, or one that was taken
// before. *source is for positions of errors in it. Returns NULL after adding an error.
const struct config_file *config_files_take(struct file_reader *r, struct position at, const char *given,
                                            size_t largest, const struct source **source,
                                            struct error_list *errors);

// Reads a whole text file; release with free. Returns NULL after adding an error at this position. beside:
// the source of a file that a configuration names, which must be a regular file and is not quoted if others
// may not read it; NULL: the user named the file.
char *config_files_read(const char *path, size_t largest, size_t *size, struct position at,
                        struct source *beside, struct error_list *errors);

// Path on the disk of such a file; main_path is that of the configuration. The caller frees it.
char *config_file_on_disk(const char *main_path, const struct config_file *file);

// Copies from (NULL: no files) to an empty list. STATUS_NO_MEMORY is the only failure; release in either
// case.
enum status config_files_copy(const struct config_files *from, struct config_files *to);
void config_files_free(struct config_files *files);

// ------------------------------------------------------------
// Configuration: a YAML file -> definitions of simulator, instruments, network, log and scenario. The file is
// checked against the schema; one reading reports every error.

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
  // Sections that the caller reads beside those of the simulator. NULL: none;
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

// ------------------------------------------------------------
// One loading of a configuration or of a DP file: from files and overrides to a checked tree.

enum { LARGEST_CONFIG = 1 << 20 }; // bytes

struct config;
struct config_sections;

struct loading {
  int from_memory; // the text is there already
  int is_beside;   // a configuration names the file
  int is_dp;       // a DP file is expected; otherwise a configuration
  const char *path;
  const char *const *overrides;       // "key.path=value"
  const char *const *override_places; // where each override stands in a file; NULL: on the command line
  int override_count;
  const struct config_sections *more; // of the program; NULL: none
  struct schema schema;

  struct tree tree;
  struct source file;
  struct source *override_sources;
  struct error_list errors;
  char *text;
  size_t text_size;
  struct file_reader beside; // files that the text refers to
};

// Turns the path of a file that is not part of the record into one from the working directory. It is relative
// to the folder of the file that contains it; in an override, to the folder of the configuration. A text from
// memory keeps it. is_read_now: a file that cannot be read is an error.
enum { CONFIG_PATH = 512 };
void config_take_path(struct loading *l, const char *key, int is_read_now, char path[CONFIG_PATH]);

// ------------------------------------------------------------
// Where the keys of a configuration or DP file stand, for checks that know more than one file.

struct config_places;

enum config_file_kind { CONFIG_FILE, DP_CONFIG_FILE };

// Reads the file with its overrides once more. NULL: it is no regular file, such as a pipe, or cannot be
// read.
struct config_places *config_places_open(const char *path, const char *const *overrides, int override_count,
                                         enum config_file_kind kind);
void config_places_close(struct config_places *places); // accepts NULL

// "FILE:LINE:COLUMN" of the value of a key such as "vessel.thrusters.0.position_b_m"; where it is absent, of
// the section in which it is missing.
struct config_place {
  char text[200];
  int is_withheld; // others may not read the file: its content is not to be quoted
};
struct config_place config_place_of(const struct config_places *places, const char *key);
int config_place_is_given(const struct config_places *places, const char *key);

// Calls found for each number in degrees beyond a full turn.
void config_places_turns(const struct config_places *places,
                         void (*found)(void *context, const char *key, double degrees), void *context);

// ------------------------------------------------------------
// What the rows of a schema fill: the definition, and the parts that only the checks and the resolving step
// use. The checks read a draft. Only then the resolving step turns it into the definition: radians, indices
// in place of names, defaults that depend on other keys.

struct load_draft {
  struct load_def def;
  char name[64]; // for the reader of the file
};

struct event_draft {
  char name[SIGNAL_NAME], target[SIGNAL_NAME], after[SIGNAL_NAME];
  double at_s, duration_s, above, below, for_s;
  int fault, quantity;
  struct {
    double number;
    char text[SIGNAL_NAME];
  } parameter[PARAMETER_COUNT];
};

struct verdict_draft {
  char name[SIGNAL_NAME], after[SIGNAL_NAME];
  double within[2], below, above, from_s, to_s, mean_s, grace_s;
  int quantity, expect_violated, alarm_is_none;
  double alarm_within_s;
};

enum { SECTION_NAME = 32 };
struct section_draft {
  struct pipe_type def;        // properties that the file gives; the others are the pipe's (section_pipe.c)
  struct check_steel steel;    // likewise (section_steel.c)
  int is_perfect;              // ramberg_osgood: perfect (section_steel.c)
  int element_kind, wire_ends; // section_pipe.c
  char name[SECTION_NAME];
};
struct mesh_draft {
  struct mesh_segment part;
  char section[SECTION_NAME]; // empty: the pipe itself
};
struct tally_draft {
  struct mesh_segment part;
  char section[SECTION_NAME];
  int is_endless;
};

struct operation_draft {
  struct operation def;
  double until_s, until_paid_out_m, until_tension_n, until_distance_m;
  char section[SECTION_NAME];
};

struct config_draft {
  struct config out;
  char extends[256]; // the loader reads it before the schema does
  double rigid_body[6][6];
  double moments_kgm2[3];
  double added_mass[6][6];
  struct load_draft loads[MAX_LOADS];
  struct event_draft events[MAX_EVENTS];
  struct verdict_draft verdicts[MAX_VERDICTS];
  int scenario_seed;
  int is_perfect;              // pipe.ramberg_osgood: perfect
  int element_kind, wire_ends; // of the pipe (section_pipe.c)
  int is_curve_exponent;       // pipe.fatigue.thickness_exponent: of_curve
  int soil_lay_word;           // environment.soil.lay_factor: auto, where the number is 0
  struct section_draft sections[MAX_PIPE_TYPES];
  struct mesh_draft mesh[MAX_MESH_SEGMENTS];
  struct tally_draft tally[MAX_TALLY_PARTS];
  struct operation_draft operations[MAX_OPERATIONS];
  int hil_seed;
};

struct dp_draft {
  struct dp_config out;
  char extends[256];
  double event_time_scale;
  int waypoint_count;
  struct waypoint waypoint[MAX_WAYPOINTS];
};

// Where in memory the record of a program's sections (struct config_sections) follows the draft.
enum { MORE_DRAFT = (sizeof(struct config_draft) + 63) / 64 * 64 };

// Places of a row's value: in the draft of a configuration, or in another record.
#define AT(member)      .offset = offsetof(struct config_draft, member)
#define WORD_AT(member) .word_offset = offsetof(struct config_draft, member)

// ------------------------------------------------------------
// What the checks between keys share: looking up keys of the text, and reporting errors in three forms
// (sagbend/yaml/yaml.h). A check is made only where everything it compares was read without an error
// (is_readable).

struct check {
  const struct node *root;
  struct error_list *errors;
  const struct config_draft *draft; // of a configuration; NULL for a DP file
  const void *more;                 // record of the program's sections; NULL: they are not read
  const struct dp_draft *dp;        // of a DP file; NULL for a configuration
};

// "events.3.when", from a format.
struct key_path {
  char text[160];
};
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
struct key_path key_path(const char *format, ...);

// The node of a key that the text gives and that is not null; NULL otherwise.
const struct node *given(const struct check *c, const char *path);
// Whether a key is absent or was read without an error.
int is_readable(const struct check *c, const char *path);
// Whether a key is given and was read without an error.
int is_given_well(const struct check *c, const char *path);

// Reports a text in one of the three forms of error_text at the value of the key, or, where it is absent, at
// the section in which it is missing.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void report(const struct check *c, const char *path, const char *format, ...);
// The same with a FOUND of its own.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void report_found(const struct check *c, const char *path, const char *found, const char *format, ...);
// The same with a whole text, which another room has made.
void report_text(const struct check *c, const char *path, const char *text);

// Reports a key that is given although is_allowed is 0. rule: "needs OTHER" or "is not allowed with OTHER".
void check_allowed(const struct check *c, const char *path, int is_allowed, const char *rule);
// Exactly one of section.a and section.b, where the section is given.
void check_one_of(const struct check *c, const char *section, const char *a, const char *b);
void check_one_of_three(const struct check *c, const char *section, const char *a, const char *b,
                        const char *last);
// The name of an item differs from those of the items before it; names: of the first item, stride bytes
// apart.
void check_unique(const struct check *c, const char *list, int index, const char *names, size_t stride);

// Whether all keys of an item of a list were read without an error.
int is_item_readable(const struct check *c, const char *list, int index);

// A time profile: the keys of section that PROFILE_ROWS lists.
void check_profile(const struct check *c, const char *section, const struct time_profile *profile);
// Keys of a section that exclude its table.
void check_excluded_by_table(const struct check *c, const char *section, const char *const *names, int count);
// Rows of section.table: at least two, at increasing times.
void check_rows(const struct check *c, const char *section, const struct table_row *rows, int count);
// Whether angles (rad, stride doubles apart) increase from 0 to pi, or to below 2 pi; at least three.
int is_increasing_turn(const double *first, int stride, int count);

// Whether a 6 x 6 matrix is symmetric to rounding; reports one that is not.
int is_symmetric(const struct check *c, const char *path, const double (*m)[6]);
// Half of m + m^T.
void symmetric_part(const double (*m)[6], double out[6][6]);

// ------------------------------------------------------------
// A section of a configuration or of a DP file. Each is a file that holds its keys, its checks and its
// resolving step side by side.

struct loading;

struct config_section {
  const struct key_group *groups; // rows of its keys
  int group_count;
  void (*check)(const struct check *c); // checks between keys; NULL: none
  // Writes what the draft does not contain as such: radians, indices, dependent defaults. out is a copy of
  // the draft's definition; called after all checks, without errors. NULL: nothing to resolve.
  void (*resolve)(const struct check *c, struct config *out);
  // Reads or checks what the section refers to outside its text: paths and sockets. NULL: nothing.
  void (*take_references)(struct loading *l, struct config *out);
};

// Sections of a program: what it reads of a case beside what the simulator needs. No step depends on their
// keys. Their rows may fill a record of their own: offsets from MORE_DRAFT on (case.h).
struct config_sections {
  const struct config_section *const *section;
  int count;
  size_t draft_bytes;  // of that record
  size_t record_bytes; // from its start on, what config.more keeps of it
};

// Rows that several sections contain: of struct time_profile, struct pid_def.
extern const struct key_rows PROFILE_ROWS, PID_ROWS;

// ------------------------------------------------------------
// The sections of a configuration, and the lists of all.

extern const struct config_section SIMULATION_SECTION, GROUND_SECTION, CURRENT_SECTION, SOIL_SECTION,
    WEATHER_SECTION, LOADS_SECTION, VALIDITY_SECTION, INSTRUMENTS_SECTION, REFERENCES_SECTION, VESSEL_SECTION,
    VESSEL_HULL_SECTION, VESSEL_WEATHER_SECTION, POWER_SECTION, THRUSTERS_SECTION, CAPABILITY_SECTION,
    EVENTS_SECTION, VERDICTS_SECTION, CONTROLLER_SECTION, NETWORK_SECTION, VIEW_SECTION;

// The schemas, from the rows of all sections. No keys if memory runs out. Release with schema_free.
// more: the sections of a program; NULL: their keys may be there and are not read.
struct schema config_schema(const struct config_sections *more);
struct schema dp_schema(void);

// Names of what faults may act on, in the order of the draft or of the definition.
void config_hil_names(const struct config *c, struct hil_names *names);

// ------------------------------------------------------------
// A number of a configuration by its key: its value in a case, and what the schema says of it.
struct key_number {
  double value; // in the unit of the key, as the text has it
  int is_whole; // an integer is expected
  double least, most;
  const char *unit, *doc;
};

// Reads the case of the request and finds key ("environment.waves.significant_height_m",
// "vessel.thrusters.0.power_w") in it; a key that the case does not give has its default. STATUS_BAD_INPUT:
// it is no key of a number, has no value in this case, or no step depends on it.
enum status config_key_number(const struct config_request *request, const char *key, struct key_number *out,
                              struct reason *why);
