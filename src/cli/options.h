// Reading of sagbend's command lines (the options are in option_table.c, the help in help.c). Options that
// name a configuration key become overrides, so that the session's record contains them.
#pragma once

#include "core/base/status.h"
#include "io/files/file_claims.h"

enum command_id {
  COMMAND_RUN = 1,
  COMMAND_STATICS = 2,
  COMMAND_CHECK = 4,
  COMMAND_SCHEMA = 8,
  COMMAND_REPLAY = 16,
  COMMAND_LOG = 32,
  COMMAND_VERIFY = 64,
  COMMAND_CTL = 128, // reads its own words
  COMMAND_KEYGEN = 256,
  COMMAND_OUTPUTS = 512,
  COMMAND_SERVE = 1024,
  COMMAND_MODBUS_MAP = 4096,
  COMMAND_SWEEP = 8192,
  COMMAND_HYDRO = 16384,
  COMMAND_RAO = 32768
};

enum { MAX_OVERRIDES = 256, MAX_CASES = 64 };

struct options {
  int help;           // print the help and do nothing else
  const char *action; // log: info, topics, ...; hydro: import; NULL: missing
  const char *config_path;
  char *const *paths; // replay, hydro: all of them; config_path is the first
  int path_count;
  char *overrides[MAX_OVERRIDES]; // "key.path=value", in the order given
  int override_count;
  const char *summary_path, *record_path, *hashes_path, *shapes_path, *shape_path, *laid_route_path,
      *junit_path;                       // NULL: not asked for
  double record_every_s, shapes_every_s; // 0: the default
  const char *checkpoint_path, *resume_path;
  int resumes_if_present; // run: from checkpoint_path, if there is one
  const char *log_path, *log_folder;
  int overwrites;                            // run, log: a log that exists
  const char *snapshot_folder;               // NULL: beside the log or the checkpoint
  const char *log_key_path;                  // run: secret key that signs the log
  const char *key_path;                      // replay, log: public key by which the log must be signed
  const char *server_key, *admitted_keys;    // replay --publish; NULL: none
  const char *role, *key_name;               // keygen; NULL: not given
  const char *second_path, *topics, *fields; // sagbend log
  const char *without, *colour;              // sagbend log scene; NULL: nothing, nearest
  int wall_clock;
  double from_s, to_s;                                  // sagbend log; to 0: the end
  double checkpoint_every_s;                            // 0: the default
  int binds_sockets;                                    // an endpoint was given
  const char *find;                                     // statics
  const char *depths, *forces, *table_path, *plot_path; // statics; NULL: not given
  const char *cases[MAX_CASES]; // verify: by name, in the order given; hydro: the checks accepted
  int case_count, list;
  double attacks;                         // verify: random cases of passivity; 0: the short version
  const char *report_path, *configs_path; // verify; NULL: none, the usual folder
  int json, yaml, markdown, dp_file;
  int extended;                                      // verify: the long versions
  int verify, publish;                               // replay
  int allow_incomplete;                              // replay
  double rate;                                       // of publishing, 0: the default
  const char *command_endpoint, *telemetry_endpoint; // replay; NULL: as logged. serve: the manager's
  const char *session_command, *session_telemetry;   // serve; NULL: as the case says
  const char *server_key_path, *admitted_keys_path;  // serve
  double grace_s, hang_limit_s;                      // serve; 0: the default
  int ends_with_parent;                              // run
  const char *output_folder, *collect_folder;        // sweep, rao; NULL: not given
  double point, jobs;                                // sweep, rao; 0: not given
  const char *frequencies, *headings;                // rao; NULL: not given
  int plan_file;                                     // schema
  const char *output_path, *origin;                  // hydro; NULL: not given
  double tolerance, length_unit_m, water_density_kgpm3, gravity_mps2, depth_m; // hydro; 0: not given
  double scale;                                                                // hydro; 0: not given
  const char *vessel_type, *draught;                                           // hydro; NULL: not given
  int without_additional;                                                      // hydro
};

// Reads argv, which begins with the command's name. --help ends the reading: then out->help is set, and the
// command prints options_print_help instead of running. Release with options_free in every case.
enum status options_read(enum command_id command, int argc, char **argv, struct options *out,
                         struct reason *why);
void options_free(struct options *o);

// Adds the files that the command line names to claims. STATUS_BAD_INPUT: two of them are the same file.
enum status options_claim(enum command_id command, const struct options *o, struct file_claims *claims,
                          struct reason *why);

void options_print_commands(void);                // sagbend --help
void options_print_help(enum command_id command); // sagbend COMMAND --help
