// Criteria and findings: what a run is judged by.
#pragma once

#include "lab/failures/failures.h"
#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "sagbend/signals/signals.h"

#include <cjson/cJSON.h>

// ------------------------------------------------------------
// Comparison of two controllers by what their runs measured: a controller that meets every criterion can
// still be worse than another one.

enum measure {
#define MEASURE(id, ...) MEASURE_##id,
#include "lab/judge/measures.inc"
#undef MEASURE
  MEASURE_COUNT
};

const char *measure_key(enum measure m);

// Those of a run of results.json; NaN: it has none.
void measures_read(const cJSON *run, double out[MEASURE_COUNT]);

// The first measure from a number on in which now is worse than then; MEASURE_COUNT: there is none. NaN is
// not compared, except that an alarm which named the failure then has to do so now.
enum measure measures_worse(const double now[MEASURE_COUNT], const double then[MEASURE_COUNT], int from);

// "largest offset, m: 3.2, there 1.1".
struct measure_text {
  char text[160];
};
struct measure_text measures_text(enum measure m, const double now[MEASURE_COUNT],
                                  const double then[MEASURE_COUNT]);

// ------------------------------------------------------------
// What a plan expects of the time series of its runs, beside limits, and the operations that it tries beside
// failures: take-over in motion, an approach to the set-point, a longer run. docs/trials.md

enum { TRIAL_EXPECTATIONS = 256, TRIAL_SERIES = 16, TRIAL_OPERATIONS = 16 };

// What is taken of a quantity in a time (takes.inc); numbers once a second.
enum trial_take {
#define TAKE(id, ...) TAKE_##id,
#include "lab/judge/takes.inc"
#undef TAKE
  TAKE_COUNT
};
const char *trial_take_name(int take);
int trial_take_is_ratio(int take); // it has no unit

struct trial_expectation {
  char name[SIGNAL_NAME];
  char runs[FAILURE_ID + 32]; // pattern of EQUIPMENT/MODE@CONDITION
  int group;                  // enum failure_group of the runs; FAILURE_GROUP_COUNT: any
  int quantity, take;         // enum quantity, enum trial_take
  double range[2];            // infinite: no bound on that side
  double from_s, to_s;        // from the start of a run; NaN: from the failure, to the end
};

// A run without a failure in which something else happens.
struct trial_operation {
  char name[SIGNAL_NAME];
  char what[128];
  double late_start_s; // no message passes before; the controller takes over in motion. 0: it starts
  double silent_s;     // no message passes so long, from settle_s on; 0: all do
  double move_m[2], turn_deg, about_m; // an operator's set-point, from settle_s on (docs/scenarios.md)
  int steps;                           // in so many equal ones
  double every_s, done_s;              // between them; from settle_s, until which limits are not judged
  struct plan_settings settings;       // overrides
};

struct trial_plan;
struct key_rows;
struct plan_reading;
extern const struct key_rows expectation_rows; // of struct trial_plan
void expectations_read(const struct plan_reading *r, struct trial_plan *p);
// Adds the operations to the failures, behind all others. Returns 0 without memory.
int expectations_add_operations(const struct trial_plan *p, struct failures *out);
// Whether an expectation is of a run.
int expectation_is_of(const struct trial_expectation *e, const struct failure *f, const char *condition);

// ------------------------------------------------------------
// The plan of DP trials: a configuration, the conditions in which it is tried, and what is expected of the
// DP system. docs/trials.md

enum {
  TRIAL_CONDITIONS = 64,
  TRIAL_LIMITS = 10,
  TRIAL_RULES = 128,
  TRIAL_SEEDED_FAULTS = 128,
  TRIAL_TEXT = 256
};

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

// A controller that is wrong on purpose, for --seeded-faults.
struct seeded_controller {
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
  char role[TRIAL_ROLES][48]; // roles that sign
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
  char *log_key;                                  // path of the key; NULL: logs are not signed
  int alarms_from;                                // enum trial_alarms
  char alarm[TRIAL_TEXT], alarm_ends[TRIAL_TEXT]; // regular expressions over the lines of the controller
  double settle_s, failure_s, recover_s;
  double hidden_lead_s, switch_s; // as failure_times has them
  double stop_after_alarm_s;      // the operator stops a thruster that runs wild (judge.h); 0: never
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
  double added_m;  // offset that a failed sensor with a spare may add to that of the run without a failure
  double power_limited_s;
  double alarm_scale;               // factor on the times of modes.inc
  double return_offset_m, return_s; // the offset within which the vessel is back, so long after the failure
  struct trial_rule worst_case[TRIAL_RULES], only[TRIAL_RULES], exclude[TRIAL_RULES], accept[TRIAL_RULES];
  struct seeded_controller seeded[TRIAL_SEEDED_FAULTS];
  int seeded_count;
  const struct seeded_controller *tried; // wrong controller in place of the plan's; NULL: none
  int worst_case_count, only_count, exclude_count, accept_count;
  struct trial_rule uses[TRIAL_RULES]; // equipment of the vessel that the controller uses; none: all
  int uses_count;
  struct trial_report report;
};

// Reads a plan. Prints each error in it as "file:line:column: error: ...". STATUS_BAD_INPUT: there was one.
// Release with trial_plan_free in every case.
enum status trial_plan_read(const char *path, struct trial_plan *out, FILE *errors);
// The value of network.withhold_truth in the plan's own settings.
enum trial_truth { TRUTH_BY_DEFAULT, TRUTH_WITHHELD, TRUTH_OPEN };
enum trial_truth trial_plan_truth(const struct trial_plan *p);
void trial_plan_free(struct trial_plan *p);

enum status trial_plan_write_schema(FILE *out, struct reason *why); // JSON Schema

// ------------------------------------------------------------
// What the trials observed of each run, and their judgement: criteria, findings, grades. Grades as DP trials
// use them: A: the design intent is not met or a limit is passed; B: redundancy may be lost unseen, or
// protection did not work; C: worth improving.

struct trial_alarm {
  double time_s, to_s;      // from then on; to then, infinite: to the end
  char source[SIGNAL_NAME]; // "": the text names it
  char kind[24];            // as the protocol names it; "": unknown
  char text[160];
};

// A run, as its summary and the output of its controller report it.
struct observation {
  int is_there;                                 // the run reached its end
  enum point_cause cause;                       // who ended the run, where it did not end itself
  char reason[512];                             // why it did not, or was not a valid run; "": it did
  double high[TRIAL_LIMITS], low[TRIAL_LIMITS]; // of each limit's quantity from the failure on; NaN: no value
  double circled[TRIAL_LIMITS];                 // largest magnitude that its circle judges; NaN: no value
  double offset_m;                              // largest from the failure on
  double return_m;                              // largest when the vessel must be back
  double expected[TRIAL_EXPECTATIONS];          // of each expectation of the plan (judge_internal.h)
  double measure[MEASURE_COUNT];                // measures that observation_read finds; NaN: none
  double feedback_error;                        // mean, of a failure of feedback (summary); NaN: none
  struct {                                      // between redundant controllers; NaN: the case lists none
    double count, claims;                       // changeovers; commands of one that stands by
    double step_n, step_nm;                     // of the thrust asked for, in the newest changeover
    double usual_n, usual_nm;                   // before it
  } changeover;
  double limited_s;          // time with less power than the set-points need
  int has_printed;           // 1: the controller has printed
  struct trial_alarm *alarm; // owned
  int alarm_count;
  char state_hash[20];
  int is_missing;      // 1: the run is missing
  char log_digest[72]; // of the chain of its log; "": it has none
  int log_is_signed;
};

enum trial_question {
  QUESTION_PERFORMANCE,
  QUESTION_PROTECTION,
  QUESTION_DETECTION,
  QUESTION_RECOVERY,
  QUESTION_COUNT
};

enum criterion {
#define CRITERION(id, ...) CRITERION_##id,
#include "lab/judge/criteria.inc"
#undef CRITERION
  CRITERION_COUNT
};
// The runs that a criterion is asked of, and by what the worst of a finding is chosen (criteria.inc).
enum criterion_stage { STAGE_RUN, STAGE_EFFECT, STAGE_ALARM, STAGE_PLAN };
enum criterion_extent { EXTENT_OFFSET, EXTENT_LIMIT, EXTENT_LIMITED, EXTENT_ALARMS, EXTENT_BACK };

struct judging;
struct criterion_info {
  enum criterion_stage stage;
  void (*judge)(const struct judging *x);
  enum criterion_extent extent;
  const char *name;
  enum trial_question question;
  const char *
    requires;                    // criteria that hold if this one holds
  const char *sentence, *reason; // of a finding
};
extern const struct criterion_info criteria[CRITERION_COUNT];

enum criterion_result { CRITERION_PASS, CRITERION_FAIL, CRITERION_NOT_APPLICABLE, CRITERION_UNDECIDED };

enum run_state {
#define STATE(id, ...) RUN_##id,
#include "lab/judge/states.inc"
#undef STATE
  RUN_STATE_COUNT
};
struct run_state_info {
  const char *name, *key;
  char letter;
  const char *sign, *junit, *meaning;
};
extern const struct run_state_info run_states[RUN_STATE_COUNT];

struct judged_criterion {
  enum criterion_result result;
  char grade;     // 'A', 'B' or 'C' of a failed one
  char text[256]; // observed and required
};

struct judged_run {
  const struct failure *failure;
  int condition, point;
  struct observation seen;
  int is_again;                 // it ran a second time (judge.h)
  struct observation repeated;  // then
  double stop_s;                // of the operator's stop, after which it is judged (judge.h); NaN: none
  int stop_point;               // of that run, among those with a stop; 0: none
  struct observation unstopped; // without that stop
  struct judged_criterion criterion[CRITERION_COUNT];
  enum run_state state;
  char grade;     // the worst of a failed one; 0: it has not failed
  int is_outside; // not judged: its condition is outside the envelope of the vessel without a failure
  char accepted[TRIAL_TEXT]; // why the owner accepts it; "": it is not accepted
  double detected_s;         // from the failure to the first alarm that names it; NaN: none
};

// How the offset of a run without a failure still changes in the last span_s before the failures of the
// others begin: of its mean, of its largest value, from the first half of that time to the second. NaN: it
// has no record. from_s: when both have become small; NaN: never.
struct settling {
  double span_s, drift_m, decay_m, from_s;
};

// Shares of the static capability that the mean weather of a condition takes (judge.h); NaN: not known.
struct exercise {
  double intact, after[TRIAL_RULES]; // of each declared failure
  double largest;                    // of those after a declared failure
  int of_declared;                   // declared worst case to which it belongs; -1: none
  char why[192];                     // it is not known; "": it is
};

struct judgement {
  const struct trial_plan *plan;
  const struct failures *failures;
  struct judged_run *run; // condition by condition, failures in the order of the list
  int run_count;
  char outside[TRIAL_CONDITIONS][256]; // why a condition is not judged: the run without a failure; "": it is
  double declared_m[TRIAL_CONDITIONS]; // largest effect of the declared failures; NaN: none, or not each has
                                       // a result
  double worst_case_m[TRIAL_CONDITIONS]; // that, or the watch circle, where this is larger; NaN: as above
  struct settling settling[TRIAL_CONDITIONS];
  struct exercise exercise[TRIAL_CONDITIONS];
  char stranger[256];         // what the folder contains that is not of these trials; "": nothing
  int count[RUN_STATE_COUNT]; // runs in each state
  int graded[3];              // of the failed ones, those of grade A, B, C
  int open;                   // runs of grade A and B that are not accepted
  int is_whole; // each run of the plan was made and judged; else there is no verdict of the whole
};

// Reads all runs and judges them. STATUS_IO: a file cannot be read. Release with judgement_free in every
// case.
enum status judgement_make(const struct trial_plan *plan, const struct failures *failures,
                           const struct sweep_folder *folder, struct judgement *out, struct reason *why);
void judgement_free(struct judgement *j);

// The parts of judgement_make that look at no file: criteria and states from what was observed; then what is
// accepted, and the counts.
void judgement_judge(struct judgement *j);
void judgement_count(struct judgement *j);

// STATUS_NO_MEMORY is the only failure.
enum status settling_read(const struct trial_plan *p, const struct sweep_folder *folder, int point,
                          struct settling *out, struct reason *why);

// Where a run lies in a limit: 1 on it, more beyond it, in shares of the larger bound; 0: no value.
// The least distance of a value to a bound of an expectation, as a share of that bound; negative: beyond it,
// or no value.
double expectation_margin(const struct trial_expectation *e, double value);
// "rms 1.3 m, bound 1.1 m": the bound that it passes, or the nearer one. Returns as snprintf.
int expectation_text(const struct trial_expectation *e, double value, char *out, size_t size);

double judgement_share(const struct trial_limit *limit, const struct observation *seen, int i);

// From the failure to the first alarm that names it, also where the condition is not judged; NaN: none.
double judgement_detected_s(const struct judgement *j, const struct judged_run *run);

// All measures of a run.
void judgement_measures(const struct judged_run *run, double out[MEASURE_COUNT]);

struct judged_run *judgement_run(const struct judgement *j, int condition, int failure);
// "gnss-1/drift@S1"
void judgement_id(const struct judgement *j, const struct judged_run *run, char *out, size_t size);

// Reads one run. STATUS_NO_MEMORY, STATUS_IO. Release with observation_free.
enum status observation_read(const struct trial_plan *plan, const struct sweep_folder *folder, int point,
                             struct observation *out, struct reason *why);
// Whether two runs of the same point are equal bit by bit in all that is observed. why: the first difference.
int observation_is_equal(const struct trial_plan *plan, const struct observation *a,
                         const struct observation *b, char *why, size_t size);
void observation_free(struct observation *o);

// The verdicts by which a run reports what observation_read needs, as YAML. They hold whatever happens.
// late_s: so much later than the failure, for an operation that takes its time.
void observation_write_verdicts(const struct trial_plan *plan, double late_s, char *out, size_t size);

// ------------------------------------------------------------
// Repeating runs of trials, in the folder "again" below that of the results: those with a finding A or B,
// with a log as evidence, and a random choice. What is not equal bit by bit is a finding: such a controller
// reads its clock.

#define TRIALS_AGAIN "again"

struct again_options {
  int choice; // --twice: so many runs, chosen at random and always the same; 0: none
  int jobs;   // runs at a time; 0: one for each processor
};

// Repeats what is to be repeated and has not been yet. Nothing while runs are missing. *count: runs that are
// repeated now or were before.
enum status again_run(const struct judgement *j, struct plan *plan, const struct sweep_folder *folder,
                      const struct again_options *options, int *count, struct reason *why);

// ------------------------------------------------------------
// Two trials of the same failures beside each other: which criteria fail here that held there. Grades would
// hide them: a run that failed before can fail for more reasons now.

struct against {
  int criteria;       // criteria that fail here and held there
  int unjudged;       // of them: of conditions whose run without a failure has no result here
  int measures;       // measures that are worse
  int without_result; // runs without a result here, which are there
};

// Prints the criteria that fail in j and hold in the results.json of the other folder, the measures that are
// worse, and the runs that one of them lacks. STATUS_BAD_INPUT: the other folder has no such file.
enum status against_print(const struct judgement *j, const char *other_folder, struct against *out,
                          struct reason *why);

// ------------------------------------------------------------
// How much of its static capability the vessel needs in the mean weather of each condition
// (lab/capability/capability.h), intact and after each declared worst-case failure: whether the condition
// exercises them at all.

// The configuration of a condition: that of the base with the overrides of plan and condition. NULL: it
// cannot be read. Release with config_free and free.
struct config *exercise_config(const struct trial_plan *plan, int condition);

// Fills j->exercise. A condition whose shares cannot be found has the reason. Takes a second or two for each
// with a pipe.
void exercise_find(struct judgement *j);

// ------------------------------------------------------------
// Findings: runs with the same complaint about equipment of the same kind, together in one row of the
// register.

struct finding {
  char id[8];    // "A-01": its place in the register
  char grade;    // 'A', 'B', 'C'
  char kind[48]; // of the equipment
  enum failure_group group;
  enum criterion complaint;
  int *run; // indices in the judgement; owned
  int run_count;
  int worst; // the index of the run that goes furthest, which has the test sheet
};
struct findings {
  struct finding *item; // A before B before C; single failures before the others; the largest effect first
  int count;
};
// STATUS_NO_MEMORY is the only failure. Release with findings_free in every case.
enum status findings_make(const struct judgement *j, struct findings *out);
void findings_free(struct findings *all);

// The criterion that gives a run its grade; CRITERION_COUNT: it passed.
enum criterion findings_complaint(const struct judged_run *run);
// The finding of a run of the judgement, by its index; NULL: it passed or was not judged.
const struct finding *findings_of(const struct findings *all, int run);
// Whether the owner accepts each of its runs.
int finding_is_accepted(const struct judgement *j, const struct finding *f);

// What is wrong, and why it counts: sentences.
const char *finding_sentence(const struct finding *f);
const char *finding_reason(const struct finding *f);
// The modes of its runs, each once: "to_full, to_zero". The text is cut to the size.
void finding_modes(const struct judgement *j, const struct finding *f, char *out, size_t size);

// ------------------------------------------------------------
// The operator's stop of a thruster that runs wild: the emergency stop, so long after the alarm that names
// it. When that alarm comes is known from the run without a stop. It is made again with the stop at its time,
// in the folder "intervention" below that of the results, and judged so; both are reported. Without an alarm
// nobody stops it.

#define TRIALS_INTERVENTION "intervention"

// Makes the runs with a stop that have not been made. plan: that of the runs without. *count: all of them.
enum status intervention_run(const struct judgement *j, const struct plan *plan,
                             const struct sweep_folder *folder, int jobs, int *count, struct reason *why);

// Makes the run with a stop of one point that has run alone, in a folder of its own: the number of the point
// behind the name of the folder above. Nothing where nobody would stop it.
enum status intervention_run_alone(const struct judgement *j, const struct plan *plan,
                                   const struct sweep_folder *folder, int point, struct reason *why);

// Reads them: the observation with the stop takes the place of that without. They are to be judged again.
enum status intervention_read(struct judgement *j, const struct sweep_folder *folder, struct reason *why);

// ------------------------------------------------------------
// Values of quantities as people read them: with the prefix of their unit, and four digits.

struct value_text {
  char text[48]; // "260 kN m"; "none" for a value that is not finite
};
struct value_text value_text(int quantity, double value);
// The same with so many more decimals.
struct value_text value_text_finer(int quantity, double value,
                                   int decimals); // quantity: enum quantity, in its shown unit

// ------------------------------------------------------------
// The time series of a run, from the record.csv in its folder.

enum { RUN_SERIES = TRIAL_SERIES + TRIAL_LIMITS + 6 };
struct run_record {
  int rows, series;
  int quantity[RUN_SERIES];  // enum quantity
  double *time_s;            // owned
  double *value[RUN_SERIES]; // of each quantity, as people read it; owned; NaN: no value
};

// Reads these quantities. Without a file there are no rows. STATUS_NO_MEMORY is the only failure. Release
// with run_record_free in every case.
enum status run_record_read(const int *quantities, int count, const char *path, struct run_record *out);
void run_record_free(struct run_record *r);

// ------------------------------------------------------------
// What the trials of the plan's controllers with a seeded fault found, from their folders below that of the
// good one.

enum { SEEDED_SHOWN = 320 };

struct seeded_result {
  const struct seeded_controller *seeded;
  int is_tried;       // its results are there
  int criteria, runs; // criteria that fail with this controller and hold with the good one; in how many runs
  int measures;       // runs in which a measure is worse (judge.h)
  char first[SEEDED_SHOWN]; // one of them: "gnss-1/bias@S1: added offset"
};
struct seeded_faults {
  struct seeded_result item[TRIAL_SEEDED_FAULTS];
  int count, tried, found;
};

// A criterion fails that holds with the good one, or a measure is worse.
int seeded_is_found(const struct seeded_result *c);

void seeded_faults_read(const struct judgement *good, const struct sweep_folder *folder,
                        struct seeded_faults *out);

// ------------------------------------------------------------
// What a campaign shows as a whole: counts, what is missing, and the sentences that follow (statements.inc).

struct tally {
  int runs, state[RUN_STATE_COUNT];
  int judged;                // passed or failed
  int single, judged_single; // runs with a single failure; of them, judged
  int passing;               // of these, with a finding A: beyond a limit, or without a controller
  int beyond;                // or beyond the declared failures and the watch circle
  int compared, larger; // judged single failures beside the declared ones, where all of these were judged;
                        // larger ones than these by spread_m
  int others, judged_others; // common causes, hidden failures, operations
  int urgent_others;         // of them with a finding A or B
  int declared, declared_runs, judged_declared;
  int listed, tried;                // failures that the vessel can have; those of the plan
  int conditions, whole_conditions; // all of whose runs were judged
  int unsettled;                    // conditions: see tally.c
  int unexercised;                  // idle or calm
  int open, accepted;               // runs with a finding A or B
  int has_alarms;                   // 1: alarms are judged
  int strangers;                    // the folder has what is not of these trials
};
struct tally tally_of(const struct judgement *j);

// Whether a single failure goes beyond a limit, or beyond circle and declared failures.
int tally_is_beyond(const struct judged_run *run);
// Whether a judged single failure has a larger effect than the declared ones in its condition, by spread_m or
// more.
int tally_is_larger(const struct judgement *j, const struct judged_run *run);
int tally_is_judged(const struct judged_run *run);

enum statement_kind { STATEMENT_HEADLINE, STATEMENT_SHOWN, STATEMENT_MISSING };
struct statement {
  enum statement_kind kind;
  const char *id;
  char text[640];
};
enum { MOST_STATEMENTS = 32 + 4 * TRIAL_CONDITIONS };
struct statements {
  struct statement item[MOST_STATEMENTS]; // the headline first
  int count;
  int grade; // of the headline: 0: bad; 1: good, all was shown and holds; 2: what was shown holds
};
void statements_make(const struct judgement *j, struct statements *out);
