// The way of commands from a controller to the vessel and of Sensors to the controller, with its faults:
// loss, jitter, duplicates, reordering, a clock that steps. What comes in is in the session's log; this acts
// behind that, from a random stream of its own, so that a session replays. Plain data, no clock, no
// allocation.
//
// loss: the command does not come. jitter: it comes later by up to largest_s, whole steps. duplicate: it
// comes once more, one step after the command behind it. reorder: it comes one step after the command behind
// it, and not before. The vessel takes a command as it comes, as thruster drives do, whatever its sequence
// number.
#pragma once

#include "core/base/nonblocking.h"
#include "core/math/random.h"
#include "hil/fault.h"

#include "core/signals/command.h"

enum { LINK_QUEUE = 32 };

struct link_counts {
  uint64_t lost, delayed, duplicated, reordered, sensors_lost; // overflow counts as lost
};

struct link_item {
  uint64_t due_step; // UINT64_MAX: one step after the next command
  struct command command;
};

struct link {
  struct random_stream random;
  struct link_counts counts;
  uint64_t count; // of what is under way, in the order of sending
  struct link_item queue[LINK_QUEUE];
};

void link_init(struct link *l, uint64_t seed);

// Whether a state from a file is one that can have come at this step (core/base/valid.h).
int link_is_valid(const struct link *l, const struct command_def *def, uint64_t step, struct reason *why);

// At the start of a step: what the controller has sent since the last (NULL: nothing) goes in, what comes out
// is written to *delivered. 0: nothing comes.
int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) NONBLOCKING;

// Once for each Sensors that is due: whether it gets lost on its way to the controllers.
int link_loses_sensors(struct link *l, const struct fault_set *faults) NONBLOCKING;

// What the clock of Sensors is off by, s.
double link_clock_offset_s(const struct fault_set *faults) NONBLOCKING;
