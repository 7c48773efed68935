// The instruments of a rig: what each measures of the truth, how it errs, and how its telegrams come to the
// reader. A pure function of truth, state and active faults; the state is plain bytes. docs/instruments.md
#pragma once

#include "core/base/nonblocking.h"
#include "core/math/random.h"
#include "core/sim/sim.h"
#include "hil/fault.h"

enum { MAX_ERRORS = 3 };

// What an instrument measures, by unit: kind, name (its unit in it; angles in degrees there), mask of
// channels. The first of a kind is its main one.
#define INSTRUMENT_QUANTITY_TABLE(X)                                                                         \
  X(INSTRUMENT_GNSS, "position_m", 0x03)                                                                     \
  X(INSTRUMENT_GNSS, "height_m", 0x04)                                                                       \
  X(INSTRUMENT_GNSS, "velocity_mps", 0x18)                                                                   \
  X(INSTRUMENT_GYRO, "heading_deg", 0x01)                                                                    \
  X(INSTRUMENT_GYRO, "rate_degps", 0x02)                                                                     \
  X(INSTRUMENT_MOTION, "angle_deg", 0x03)                                                                    \
  X(INSTRUMENT_MOTION, "heave_m", 0x04)                                                                      \
  X(INSTRUMENT_MOTION, "rate_degps", 0x18)                                                                   \
  X(INSTRUMENT_WIND, "speed_mps", 0x01)                                                                      \
  X(INSTRUMENT_WIND, "direction_deg", 0x02)                                                                  \
  X(INSTRUMENT_SPEED_LOG, "speed_mps", 0x03)                                                                 \
  X(INSTRUMENT_LOAD_CELL, "tension_n", 0x01)                                                                 \
  X(INSTRUMENT_HANGOFF_ANGLE, "angle_deg", 0x03)                                                             \
  X(INSTRUMENT_TOUCHDOWN, "position_m", 0x03)                                                                \
  X(INSTRUMENT_TOUCHDOWN, "depth_m", 0x04)

struct instrument_quantity {
  enum instrument kind;
  const char *name;
  unsigned channels;
};
// The i-th of a kind; NULL beyond the last.
const struct instrument_quantity *instrument_quantity(enum instrument kind, int i) NONBLOCKING;
int instrument_quantity_in_degrees(const struct instrument_quantity *q); // in configurations

// How one quantity errs; each of its channels by itself. SI units, radians; 0: not at all.
struct instrument_error {
  char quantity[SIGNAL_NAME];
  unsigned channels;    // of that quantity
  double white;         // standard deviation, fresh in each telegram
  double markov;        // of a Gauss-Markov process: its standard deviation
  double markov_time_s; // and its time constant: correlation exp(-t / time)
  double walk;          // of a random walk that starts at 0: standard deviation after 1 s
  double bias;          // the same in every run
  double bias_random;   // standard deviation of the one drawn when the instrument is switched on
  double scale;         // the value grows by this share
  double quantum;       // resolution: the value is rounded to multiples of it
  double range;         // magnitude beyond which the value is cut off and the telegram not valid
};

struct instrument_def {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3]; // of the antenna or sensor
  double rate_hz;         // of its telegrams; at most one a step
  double latency_s;       // from measuring to reading, at the first step that is not earlier
  double share;           // of the tension, that a load cell says it measures
  struct instrument_error error[MAX_ERRORS];
  int error_count;
};

struct instruments_def {
  int count;
  uint64_t seed; // of all of them; each has a stream of its own by its name
  struct instrument_def instrument[MAX_INSTRUMENTS];
};

// A measurement on its way.
struct measurement {
  uint64_t measured_step, due_step, valid;
  double value[READING_CHANNELS];
};

struct instrument_state {
  struct random_stream noise, faults; // two, so that a fault changes no number of the noise after it
  double bias[READING_CHANNELS], markov[READING_CHANNELS], walk[READING_CHANNELS];
  struct measurement sent;           // the last one put on the way
  uint64_t sent_count;               // 0: none yet
  uint64_t queue_first, queue_count; // of its place in the queue
  struct reading latest;
};

// Fixed when the rig is set up.
struct instrument_plan {
  uint64_t period_steps; // whole; 0: the period is not a whole number of steps, and this counts
  uint64_t phase_step;   // share of a period that a step is, in units of 2^-64
  uint64_t latency_steps, capacity;
  size_t queue; // its first place among all telegrams
  struct {
    double decay, kick,
        walk; // from telegram to telegram: markov = decay markov + kick normal; walk += walk normal
  } process[MAX_ERRORS];
};

struct instruments {
  const struct instruments_def *def;
  double step_s;
  double level_m; // down, of the reference point at the start: where heave is zero
  struct instrument_plan plan[MAX_INSTRUMENTS];
  struct instrument_state *state; // one for each, then the queues: state_bytes, without pointers
  struct measurement *queue;
  size_t state_bytes;
};

// Telegrams that are due in the steps up to this one, the first at step 0: the k-th is measured at the step
// next to k / rate_hz, counted in integers from the start, so that nothing adds up. A period within a
// thousandth of a step of a whole number of steps is that number.
uint64_t instrument_measurements_by(const struct instrument_plan *plan, uint64_t step);

// 1: at most one telegram a step, which is as many as there can be.
int instrument_rate_fits(double rate_hz, double step_s);

size_t instruments_memsize(const struct instruments_def *def, double step_s);
// Lays them out in mem (8-byte aligned) and draws what is drawn when they are switched on. def must stay.
void instruments_create(struct instruments *all, const struct instruments_def *def, double step_s,
                        const struct sim_output *start, void *mem);

// Measures what is due at truth->step and delivers what has arrived: the readings of the instruments in out,
// whose other members are left alone. sim: water and air around the sensors; NULL: both at rest. Nothing
// happens while a fault of the simulation is latched.
void instruments_measure(struct instruments *all, const struct sim *sim, const struct sim_output *truth,
                         const struct fault_set *faults, struct readings *out) NONBLOCKING;
// The readings as the state has them, after a restore.
void instruments_get_readings(const struct instruments *all, struct readings *out);

// Whether bytes from a file (8-byte aligned, all->state_bytes) are a state that these instruments can have at
// this step (core/base/valid.h).
int instruments_state_is_valid(const struct instruments *all, const void *state, uint64_t step,
                               struct reason *why);

uint64_t instrument_seed(const struct instruments_def *def, int i);
