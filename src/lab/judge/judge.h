// What the trials observed of each run, and their judgement: criteria, findings, grades. Grades as DP trials
// use them: A: the design intent is not met or a limit is passed; B: redundancy may be lost unseen, or
// protection did not work; C: worth improving.
#pragma once

#include "lab/sweep/point_folder.h"
#include "lab/judge/measures.h"
#include "lab/judge/trial_plan.h"

struct trial_alarm {
  double time_s, to_s;      // from then on; to then, infinite: to the end
  char source[SIGNAL_NAME]; // "": the text names it
  char kind[24];            // as the protocol names it; "": unknown
  char text[160];
};

// A run, as its summary and the output of its controller tell it.
struct observation {
  int is_there;                                 // the run reached its end
  enum point_cause cause;                       // who ended it, where it did not
  char reason[512];                             // why it did not, or was not a valid run; "": it did
  double high[TRIAL_LIMITS], low[TRIAL_LIMITS]; // of each limit's quantity from the failure on; NaN: no value
  double circled[TRIAL_LIMITS];                 // largest magnitude that its circle judges; NaN: no value
  double offset_m;                              // largest from the failure on
  double return_m;                              // largest when the vessel must be back
  double expected[TRIAL_EXPECTATIONS];          // of each expectation of the plan (series.h)
  double measure[MEASURE_COUNT];                // those that observation_read finds; NaN: none
  double feedback_error;                        // mean, of a failure of feedback (summary); NaN: none
  double limited_s;                             // time with less power than the set-points need
  int has_printed;                              // its controller has
  struct trial_alarm *alarm;                    // owned
  int alarm_count;
  char state_hash[20];
  int is_missing;      // it has not run
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
    requires;                    // what holds if it holds
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
  int is_again;                // it ran a second time (again.h)
  struct observation repeated; // then
  double stop_s;               // of the operator's stop, after which it is judged (intervention.h); NaN: none
  int stop_point;              // of that run, among those with a stop; 0: none
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

// Shares of the static capability that the mean weather of a condition takes (exercise.h); NaN: not known.
struct exercise {
  double intact, after[TRIAL_RULES]; // of each declared failure
  double largest;                    // of those after a declared failure
  int of_declared;                   // whose it is; -1: none
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

// The verdicts that let a run say what observation_read needs, as YAML. They hold whatever happens.
// late_s: so much later than the failure, for an operation that takes its time.
void observation_write_verdicts(const struct trial_plan *plan, double late_s, char *out, size_t size);
