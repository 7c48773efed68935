// What a plan expects of the time series of its runs, beside limits, and the operations that it tries beside
// failures: take-over in motion, an approach to the set-point, a longer run. docs/trials.md
#pragma once

#include "sagbend/rig/quantity.h"
#include "lab/sweep/sweep.h"
#include "lab/sweep/failures.h"

enum { TRIAL_EXPECTATIONS = 256, TRIAL_SERIES = 16, TRIAL_OPERATIONS = 16 };

// What is taken of a quantity in a time; numbers once a second.
enum trial_take {
  TAKE_LARGEST, // the value of the largest magnitude, with its sign
  TAKE_LEAST,   // the least value
  TAKE_MEAN,
  TAKE_RMS,
  TAKE_TRAVEL, // mean magnitude of its change in a second, as of wear
  TAKE_RATE,   // largest magnitude of its change in a second, as of a jump
  TAKE_GROWTH  // standard deviation in the last third of the time over that in the first third
};
const char *trial_take_name(int take);

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
