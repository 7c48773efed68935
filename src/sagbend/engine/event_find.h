// Events that follow from the steps: found by comparing each frame with the one before. A session publishes
// them, a replay finds them again with the same texts, the library keeps them.
#pragma once

#include "sagbend/rig/frame.h"
#include "sagbend/rig/scenario.h"

#include <stdarg.h>

enum { EVENT_TEXT = 256 };

struct run_event {
  uint64_t step;
  double time_s;
  char name[32];
  char text[EVENT_TEXT];
};

struct event_finder {
  const struct scenario_def *scenario;
  void (*take)(void *context, const struct run_event *event); // receives the events
  void *context;

  // From the newest frame.
  struct fault_set faults;
  uint64_t faults_started, orders_refused;
  uint32_t verdicts_violated;
  uint32_t sim_events;
  enum command_state command_state;
  uint64_t notices_seen[NOTICE_COUNT]; // times raised
  struct operation_output operation;   // that has been reported; number 0: none
  int has_tensioner_order;             // of which has been reported
  enum tensioner_mode tensioner_ordered;
  enum tensioner_source tensioner_source;
};

void event_finder_init(struct event_finder *finder, const struct scenario_def *scenario,
                       void (*take)(void *context, const struct run_event *event), void *context);

// Takes the frame as already reported.
void event_finder_skip_to(struct event_finder *finder, const struct frame *frame);

// Finds and passes on the events of a frame: faults, verdicts, commands, events of the simulator.
void event_find(struct event_finder *finder, const struct frame *frame);
int event_is_computed(const char *name); // whether events of this name are among them

struct run_event run_event_of(uint64_t step, double time_s, const char *name, const char *format,
                              va_list args);
