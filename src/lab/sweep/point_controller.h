// The controller of one point, as a process of its own: that of the plan, or sagbend-dp with the DP file of
// the configuration.
#pragma once

#include "os/files/ready.h"
#include "os/process/rt_process.h"
#include "lab/sweep/sweep.h"
#include "lab/sweep/point_folder.h"

#include <stdint.h>

struct point_controller {
  struct process process;
  int is_started;    // and not ended yet
  uint64_t ended_ns; // when it was found to have ended; 0: it runs, or was not started
  char output[SWEEP_PATH + 64];
  int floods;             // it has printed without end
  char end[256];          // how it ended, as far as that is an error; "": it is not
  enum point_cause cause; // who made it end so
};

// Starts it; what it prints goes to controller.txt in the folder of the point. lock: held until all that it
// has started has ended; 0: none. STATUS_IO: it cannot be started.
enum status point_controller_start(struct point_controller *c, const struct plan *plan,
                                   const struct sweep_folder *folder, int point, const char *dp_file,
                                   const struct ready *ready, int lock, struct reason *why);

// Looks after it while the simulator runs. Returns 1 if the run must end: the controller has failed, prints
// without end, or has gone though the simulator still waits for it; end says what.
int point_controller_has_failed(struct point_controller *c);

// Whether it prints without end. Then it is ended and what it printed is cut.
int point_controller_is_flooding(struct point_controller *c);

// Ends it and all that it has started.
void point_controller_end(struct point_controller *c);
