// What a run leaves behind step by step: a time series, the pipe's shapes, state hashes; all CSV or plain
// columns.
#pragma once

#include "cli/options.h"
#include "hil/quantity.h"
#include "io/config/config.h"
#include "io/files/output_file.h"

struct recorder {
  struct output_file series, shapes, hashes;
  int series_begun;
  uint64_t series_every, shapes_every; // steps
  uint64_t next_shape_step;
  const struct pipe_def *pipe; // for the arc lengths of the nodes
};

// Opens the files that the options request. On failure why names the file.
enum status recorder_open(struct recorder *r, const struct options *o, const struct config *config,
                          struct reason *why);
// target: set-point and start of the session (hil/quantity.h).
void recorder_frame(struct recorder *r, const struct frame *f, const struct loop_target *target);
int recorder_wants_nodes(const struct recorder *r, uint64_t step); // the next shape is due
void recorder_nodes(struct recorder *r, uint64_t step, double time_s, int count,
                    const struct sim_node *nodes);
void recorder_hash(struct recorder *r, uint64_t step, uint64_t hash);
// Closes all files. STATUS_IO: a file is not complete on the disk; why names the last such file.
enum status recorder_close(struct recorder *r, struct reason *why);
