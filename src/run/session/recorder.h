// What a run leaves behind step by step: a time series, the pipe's shapes, state hashes, laid pipe; all CSV
// or plain columns. A thread of its own writes them (recorder_thread.c), so that a slow disk delays nobody.
// What has to be written waits in a bounded ring meanwhile. When that is full a paced run drops and counts;
// the file then contains a line that begins with # and states how many lines are missing there. In the other
// modes the run waits for the disk.
#pragma once

#include "os/cli/run_options.h"
#include "sagbend/rig/quantity.h"
#include "sagbend/case/config.h"
#include "os/files/output_file.h"

enum record_kind { RECORD_ROW, RECORD_SHAPE, RECORD_HASH, RECORD_LAID, RECORD_KIND_COUNT };

struct record_writer;

struct recorder {
  struct output_file file[RECORD_KIND_COUNT]; // stream NULL: not requested
  uint64_t series_every, shapes_every;        // steps
  uint64_t next_shape_step, next_row_step;    // 0: the first that comes
  int drops;                                  // nonzero: drops what finds no room, instead of waiting
  struct sim_laid_node laid;                  // the node that had retired last
  uint64_t laid_nodes;                        // that had retired
  int laid_is_known;
  uint64_t missing[RECORD_KIND_COUNT]; // rows, shapes and laid nodes
  uint64_t noted[RECORD_KIND_COUNT];   // those that the files already mention, or will
  int is_requested, failed;            // a file; a file is not whole on the disk
  struct record_writer *writer;        // NULL: nothing is requested, or recorder_start has not been called
};

// Opens the files that the options request. On failure why names the file.
enum status recorder_open(struct recorder *r, const struct run_options *o, const struct config *config,
                          struct reason *why);
// Starts the thread, if a file is open. drops: nonzero if the run is paced.
enum status recorder_start(struct recorder *r, int drops, int node_count, struct reason *why);

// Another session, perhaps at an earlier step: its rows follow in the same files.
void recorder_begin_session(struct recorder *r);

// target: set-point and start of the session (sagbend/rig/quantity.h).
void recorder_frame(struct recorder *r, const struct frame *f, const struct loop_target *target);
int recorder_wants_nodes(const struct recorder *r, uint64_t step); // the next shape is due
void recorder_nodes(struct recorder *r, uint64_t step, double time_s, int count,
                    const struct sim_node *nodes);
void recorder_hash(struct recorder *r, uint64_t step, uint64_t hash);

uint64_t recorder_missing(const struct recorder *r); // rows, shapes and laid nodes dropped

// Writes what waits and closes all files. STATUS_IO: a file is not complete on the disk; why names the last
// such file. What was dropped is no error here.
enum status recorder_close(struct recorder *r, struct reason *why);
