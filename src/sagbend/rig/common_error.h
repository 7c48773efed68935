// An error that several instruments of a kind have in common, as receivers have that of the ionosphere: one
// Gauss-Markov process that each of them adds to its own errors at the time of its measurement.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/math/random.h"
#include "sagbend/rig/fault.h"

enum { MAX_COMMON_ERRORS = 4, COMMON_NAMES = 256 };

struct common_error_def {
  char name[SIGNAL_NAME];
  char instruments[COMMON_NAMES]; // names, separated by blanks
  char quantity[SIGNAL_NAME];
  double markov, markov_time_s; // as of an instrument's error; angles in degrees in a configuration
  uint32_t members;             // one bit for each instrument
  unsigned channels;            // of the quantity
};

struct common_error_state {
  struct random_stream noise;
  double value[READING_CHANNELS], time_s; // of the process, at the time of its last measurement
};

void common_error_start(const struct common_error_def *def, uint64_t seed, struct common_error_state *state);

// Adds the error, with the fault common_bias on it, to the channels of a member at this time.
void common_error_add(const struct common_error_def *def, struct common_error_state *state,
                      const struct fault *bias, double time_s, double value[READING_CHANNELS]) NONBLOCKING;

int common_error_state_is_valid(const struct common_error_state *state, double now_s, struct reason *why);
