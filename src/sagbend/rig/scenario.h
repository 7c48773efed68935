// A scenario: events, orders, link and verdicts as one state, beside the simulator's.
#pragma once

#include "sagbend/dp/track.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/link.h"
#include "sagbend/rig/plant_faults.h"
#include "sagbend/rig/verdict.h"

struct scenario_def {
  double step_s;
  uint64_t seed;
  int event_count, verdict_count;
  struct event_def event[MAX_EVENTS];
  struct verdict_def verdict[MAX_VERDICTS];
  struct hil_names names;
  struct track_def track; // of the DP file, for quantities of the group ROUTE
  int controller_inside;  // nonzero: the controller runs inside the program
  int controller_outside; // nonzero: it is outside, or in fast mode takes the place of one outside
};

// Plain data: saved, restored and compared as bytes.
struct scenario {
  struct events events;
  struct link link;
  struct restart restart;
  struct verdict verdict[MAX_VERDICTS];
  uint64_t sensors_lost; // nonzero: the Sensors of this state do not reach the controllers
};

void scenario_init(struct scenario *s, const struct scenario_def *def);

// True if a state from a file is possible with this definition at this step (sagbend/base/base.h).
int scenario_is_valid(const struct scenario_def *def, const struct command_def *command,
                      const struct scenario *s, uint64_t step, struct reason *why);

// Begins and ends faults. Called after each step, and once before the first, before the readings are made:
// the faults then active act on the readings of this state.
void scenario_update(struct scenario *s, const struct scenario_def *def,
                     const struct loop_view *view) NONBLOCKING;
// Judges the verdicts, after the readings. sends: Sensors are due at this state.
void scenario_judge(struct scenario *s, const struct scenario_def *def, const struct loop_view *view,
                    int sends) NONBLOCKING;

// Judges verdicts on clock quantities once more, with the lateness of the last step.
void scenario_judge_end(struct scenario *s, const struct scenario_def *def, const struct loop_view *view);

uint32_t scenario_violated(const struct scenario *s,
                           const struct scenario_def *def) NONBLOCKING; // one bit each, so far
