// The plan of DP trials: a configuration, the conditions in which it is tried, and what is expected of the
// DP system. docs/trials.md
#pragma once

#include "sagbend/rig/quantity.h"
#include "lab/sweep/sweep.h"
#include "lab/sweep/failures.h"
#include "lab/judge/expectations.h"

enum { TRIAL_CONDITIONS = 64, TRIAL_LIMITS = 10, TRIAL_RULES = 128, TRIAL_WRONG = 128, TRIAL_TEXT = 256 };

// A quantity that the failure must not take beyond its range.
struct trial_limit {
  char name[SIGNAL_NAME];
  int quantity;    // enum quantity
  double range[2]; // beyond it: finding A; infinite: no bound on that side
  double circle;   // magnitude beyond which it is a finding B; infinite: none
  double mean_s;   // the circle is judged on the mean over the latest so many seconds; 0: on each value
};

// A condition: weather and what else is set, under a short name.
struct trial_condition {
  char id[24];
  struct plan_settings settings;
};

// A common cause that the plan adds to the generated ones: faults of the same kind on these at once.
enum { TRIAL_CAUSES = 32, TRIAL_CAUSE_MODES = 6 };
struct trial_cause {
  char name[SIGNAL_NAME];
  char equipment[FAILURE_NAMES][SIGNAL_NAME], mode[TRIAL_CAUSE_MODES][SIGNAL_NAME];
  int equipment_count, mode_count;
  char parameters[192]; // of its faults, as they stand in an event: "" or ", rate_per_s: 0.05"
};

// A controller that is wrong on purpose, for --sharpness.
struct trial_wrong {
  char name[64], what[128];          // the name is that of its folder
  char dp_file[256];                 // of sagbend-dp, from the folder of the plan; "": it has a command
  struct plan_controller controller; // owned
};

// Where alarms come from: the commands of the controller, the lines that it prints, nowhere.
enum trial_alarms { ALARMS_OF_COMMAND, ALARMS_OF_OUTPUT, ALARMS_NONE };

// Which runs leave a log: those with a finding A or B, which are repeated for it; all; none.
enum trial_logs { LOGS_FAILED, LOGS_ALL, LOGS_NONE };

// A pattern of identifiers with a reason, and for accepted findings their letter.
struct trial_rule {
  char id[FAILURE_ID], finding[4], why[TRIAL_TEXT];
  char *place; // in the plan; owned
};

// Who and what the report names. "" and 0: not given.
enum { TRIAL_ROLES = 8 };
struct trial_report {
  char number[64], object[128], owner[128];
  char role[TRIAL_ROLES][48]; // that sign
  int role_count;
};

struct trial_plan {
  char name[64];
  char *path;
  char extends[512], base[512];
  char *base_path;
  int mode; // enum run_mode: lockstep with the controller as a process, or fast with the one inside
  double controller_timeout_s;
  struct plan_controller controller;
  int logs; // enum trial_logs
  char log_key_file[512];
  char *log_key;                                  // its path; NULL: logs are not signed
  int alarms_from;                                // enum trial_alarms
  char alarm[TRIAL_TEXT], alarm_ends[TRIAL_TEXT]; // regular expressions over the lines of the controller
  double settle_s, failure_s, recover_s;
  double hidden_lead_s;      // as failure_times has it
  double stop_after_alarm_s; // the operator stops a thruster that runs wild (intervention.h); 0: never
  struct plan_settings set;
  struct trial_condition condition[TRIAL_CONDITIONS];
  int condition_count;
  struct failure_magnitudes magnitudes;
  struct trial_cause cause[TRIAL_CAUSES];
  int cause_count;
  struct trial_limit limit[TRIAL_LIMITS];
  int limit_count;
  struct trial_expectation expectation[TRIAL_EXPECTATIONS];
  int expectation_count;
  struct trial_operation operation[TRIAL_OPERATIONS];
  int operation_count;
  double spread_m; // of the offset from one run to the next, by which an effect must be larger to count as
                   // larger
  double added_m;  // that a failed sensor with a spare may add to the offset of the run without a failure
  double power_limited_s;
  double alarm_scale;               // factor on the times of modes.inc
  double return_offset_m, return_s; // the offset within which the vessel is back, so long after the failure
  struct trial_rule worst_case[TRIAL_RULES], only[TRIAL_RULES], exclude[TRIAL_RULES], accept[TRIAL_RULES];
  struct trial_wrong wrong[TRIAL_WRONG];
  int wrong_count;
  const struct trial_wrong *tried; // whose controller takes the place of the plan's; NULL: none
  int worst_case_count, only_count, exclude_count, accept_count;
  struct trial_rule uses[TRIAL_RULES]; // what of the vessel's equipment the controller uses; none: all
  int uses_count;
  struct trial_report report;
};

// Reads a plan. Prints each error in it as "file:line:column: error: ...". STATUS_BAD_INPUT: there was one.
// Release with trial_plan_free in every case.
enum status trial_plan_read(const char *path, struct trial_plan *out, FILE *errors);
// What the plan's own settings say of network.withhold_truth.
enum trial_truth { TRUTH_BY_DEFAULT, TRUTH_WITHHELD, TRUTH_OPEN };
enum trial_truth trial_plan_truth(const struct trial_plan *p);
void trial_plan_free(struct trial_plan *p);

enum status trial_plan_write_schema(FILE *out, struct reason *why); // JSON Schema
