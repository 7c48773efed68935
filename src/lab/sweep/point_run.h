// The processes of one point: sagbend run, and in mode lockstep its controller.
#pragma once

#include "os/process/rt_process.h"
#include "lab/sweep/point_check.h"
#include "lab/sweep/point_controller.h"
#include "lab/sweep/point_folder.h"

#include <stdint.h>

// A word of a command as a shell reads it.
void sweep_put_word(FILE *out, const char *word);

struct point_run {
  struct plan_point point;
  const struct plan *plan;
  const struct sweep_folder *folder;
  struct process simulator;
  struct point_controller controller;
  int waits_for_endpoint; // the controller starts as soon as the simulator has said its endpoint
  char dp_file[512];
  char *inputs;
  int lock;
  uint64_t started_ns;
  int is_stopped; // by this process
};

// Starts a point in its folder. STATUS_IO: it cannot be started. STATUS_BAD_INPUT: its configuration is not
// valid (its errors are printed), or another process runs this point.
enum status point_run_start(struct point_run *run, const struct plan *plan, const struct sweep_folder *folder,
                            int point, struct reason *why);

// Whether all its processes have ended. Never waits. Then *record says how, and run is free for another
// point.
int point_run_has_ended(struct point_run *run, struct point_record *record);

void point_run_signal(struct point_run *run, int number);

// After its end: writes the record, unless this process stopped the run.
enum status point_run_finish(struct point_run *run, struct point_record *record, struct reason *why);
