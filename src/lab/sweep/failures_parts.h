// What the files that generate failures share.
#pragma once

#include "sagbend/case/config.h"
#include "lab/sweep/failures.h"

#include <stdio.h>

struct failure *failures_add(struct failures *all);                            // NULL: out of memory
int failures_leave_out(struct failures *all, const char *id, const char *why); // 0: out of memory

// Why no alarm of the DP controller is expected of a failure in the power plant.
#define FAILURE_QUIET_PLANT "power management reports it, not the DP controller"

struct failure_making {
  const struct config *config;
  const struct failure_magnitudes *magnitudes;
  const struct failure_times *times;
  struct failures *out;
};

// Each returns 0 without memory.
int failures_make_single(const struct failure_making *m);
int failures_make_common(const struct failure_making *m);
int failures_make_hidden(const struct failure_making *m);
int failures_make_sequences(const struct failure_making *m);

// A failure of several events, without any yet; NULL: out of memory.
struct failure *failures_begin(const struct failure_making *m, enum failure_group group,
                               const char *equipment, const char *mode, const char *kind, double alarm_s);
// Appends an event; duration_s 0: it does not end. parameters: "" or such as ", bias: 3".
void failures_add_event(struct failure *f, const char *name, double at_s, double duration_s,
                        const char *fault, const char *target, const char *parameters);

// The names that an alarm about a bus may contain: the bus and its thrusters.
void failure_name_bus(const struct failure_making *m, int bus, struct failure *f);
void failure_name(struct failure *f, const char *name);
void failure_name_also(struct failure *f, const char *name); // may be named, and need not
// The number of instruments of a kind; the first other one than index, -1: there is none.
int failure_count_kind(const struct failure_making *m, enum instrument kind);
int failure_other_instrument(const struct failure_making *m, int index);

// Standard deviation of the main quantity of an instrument from all its errors, and the first of its
// channels.
double failure_sigma(const struct instrument_def *d, int *channel);
