// The link between controller and vessel, with its faults: loss, jitter, duplicates and reordering of
// commands, loss of Sensors, a clock that jumps. The session's log contains the commands as sent; the link
// acts after that, with a random stream of its own, so that a session can be replayed. Plain data, no clock,
// no allocation.
//
// loss: the command does not arrive. jitter: it arrives later by up to largest_s, in whole steps. duplicate:
// it arrives again, one step after the next command. reorder: it arrives only then. The vessel uses a command
// as it arrives, whatever its sequence number, as thruster drives do.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/random.h"
#include "sagbend/rig/fault.h"

#include "sagbend/signals/signals.h"

enum { LINK_QUEUE = 32 };

struct link_counts {
  uint64_t lost, delayed, duplicated, reordered,
      sensors_lost; // commands that found no room in the queue count as lost
};

struct link_item {
  uint64_t due_step; // UINT64_MAX: one step after the next command, which is not known yet
  struct command command;
};

struct link {
  struct random_stream random;
  struct link_counts counts;
  uint64_t count; // commands in transit, in the order of sending
  struct link_item queue[LINK_QUEUE];
};

void link_init(struct link *l, uint64_t seed);

// True if a state from a file is possible at this step (sagbend/base/base.h).
int link_is_valid(const struct link *l, const struct command_def *def, uint64_t step, struct reason *why);

// Puts in what the controller has sent since the last step (NULL: nothing), and writes the newest command
// that arrives for this step to *delivered. 0: none arrives.
int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) NONBLOCKING;

// Draws whether the Sensors that are due are lost on their way to the controllers. Called once for each.
int link_loses_sensors(struct link *l, const struct fault_set *faults) NONBLOCKING;

// Error of the time in Sensors, in s.
double link_clock_offset_s(const struct fault_set *faults) NONBLOCKING;
