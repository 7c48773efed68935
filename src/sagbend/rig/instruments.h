// The instruments of the vessel: what each measures of the true state, its errors, and the latency of its
// measurements. A pure function of true state, own state and active faults; the state is plain bytes.
// docs/instruments.md
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/random.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/common_error.h"
#include "sagbend/rig/fault.h"
#include "sagbend/rig/reference.h"

enum { MAX_ERRORS = 3 };

// A quantity that an instrument measures (sagbend/signals/instruments.inc).
struct instrument_quantity {
  enum instrument kind;
  const char *name;
  unsigned channels;
};
// The i-th of a kind; NULL beyond the last.
const struct instrument_quantity *instrument_quantity(enum instrument kind, int i) NONBLOCKING;
const struct instrument_quantity *instrument_quantity_named(enum instrument kind,
                                                            const char *name); // NULL: none
int instrument_quantity_in_degrees(const struct instrument_quantity *q);       // in configurations

// Errors of one quantity, independent for each of its channels. SI units, radians; 0: no such error.
struct instrument_error {
  char quantity[SIGNAL_NAME];
  unsigned channels;    // of that quantity
  double white;         // standard deviation, drawn for each measurement
  double markov;        // of a Gauss-Markov process: its standard deviation
  double markov_time_s; // and its time constant: correlation exp(-t / time)
  double walk;          // of a random walk that starts at 0: standard deviation after 1 s
  double bias;          // the same in every run
  double bias_random;   // standard deviation of the one drawn when the instrument is switched on
  double scale;         // the value grows by this share
  double quantum;       // resolution: values are rounded to multiples of it
  double range;         // magnitude beyond which the value is cut off and the measurement invalid
};

struct instrument_def {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3]; // of the antenna or sensor
  double rate_hz;         // of its measurements; at most one in each step
  double latency_s;       // from measuring to reading, at the first step that is not earlier
  double share;           // share of the tension that a load cell measures
  struct instrument_error error[MAX_ERRORS];
  int error_count;
  struct reference_def reference; // of a position reference that is no receiver
};

struct instruments_def {
  int count;
  uint64_t seed; // of all instruments; each has a random stream of its own, by its name
  struct instrument_def instrument[MAX_INSTRUMENTS];
  struct scene_def scene; // what references measure against
  int common_count;
  struct common_error_def common[MAX_COMMON_ERRORS];
};

// A measurement in transit.
struct measurement {
  uint64_t measured_step, due_step, valid;
  double value[READING_CHANNELS];
};

struct instrument_state {
  struct random_stream noise, faults; // two streams: a fault does not change the noise after it
  double bias[READING_CHANNELS], markov[READING_CHANNELS], walk[READING_CHANNELS];
  struct measurement sent;           // the last one sent
  uint64_t sent_count;               // 0: none yet
  uint64_t queue_first, queue_count; // place of its measurements in the queue
  struct reading latest;
};

// Fixed when the suite is created.
struct instrument_plan {
  uint64_t period_steps; // 0: the period is not a whole number of steps; phase_step counts instead
  uint64_t phase_step;   // share of a period that a step is, in units of 2^-64
  uint64_t latency_steps, capacity;
  size_t queue;  // its first place in the queue of all instruments
  int reference; // its place among the references
  struct {
    double decay, kick,
        walk; // between measurements: markov = decay markov + kick normal; walk += walk normal
  } process[MAX_ERRORS];
};

struct instruments {
  const struct instruments_def *def;
  double step_s;
  double level_m; // depth of the reference point at the start, where heave is zero
  struct instrument_plan plan[MAX_INSTRUMENTS];
  struct instrument_state *state; // one for each, then the queues: state_bytes, without pointers
  struct measurement *queue;
  struct reference_state *reference; // of each reference, in the order of the instruments
  struct common_error_state *common; // of each common error
  size_t state_bytes;
};

// Number of measurements due up to this step, the first at step 0. The k-th is made at the step nearest to
// k / rate_hz, counted in integers from the start, so that rounding does not accumulate. A period within a
// thousandth of a step of a whole number of steps is that number.
uint64_t instrument_measurements_by(const struct instrument_plan *plan, uint64_t step);

// True if the rate gives at most one measurement in each step, which is the limit.
int instrument_rate_fits(double rate_hz, double step_s);

size_t instruments_memsize(const struct instruments_def *def, double step_s);
// Creates the instruments in mem (8-byte aligned) and draws their switch-on biases. def must outlive them.
void instruments_create(struct instruments *all, const struct instruments_def *def, double step_s,
                        const struct sim_output *start, void *mem);

// Makes the measurements that are due at truth->step and writes those that have arrived to out, whose other
// members do not change. sim: for the water and air around the sensors; NULL: both at rest. Does nothing
// while the simulator has latched a fault.
void instruments_measure(struct instruments *all, const struct sim *sim, const struct sim_output *truth,
                         const struct fault_set *faults, struct readings *out) NONBLOCKING;
// Writes the readings in the state to out, after a restore.
void instruments_get_readings(const struct instruments *all, struct readings *out);

// True if bytes from a file (8-byte aligned, all->state_bytes) are a possible state of these instruments at
// this step (sagbend/base/base.h).
int instruments_state_is_valid(const struct instruments *all, const void *state, uint64_t step,
                               struct reason *why);

// What references and common errors refer to by name becomes indices. STATUS_BAD_INPUT: key names the item
// and its member, as in "instruments.3.targets".
enum status instruments_resolve(struct instruments_def *all, char key[64], struct reason *why);

uint64_t instrument_seed(const struct instruments_def *def, int i);
