// Writes checkpoints of a run. In real time the step thread copies its state into a ring and a writer thread
// writes the file; in the other modes the file is written at once.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/closed_loop.h"

#include "log/log/checkpoint_file.h"
#include "os/process/process.h"
#include "os/process/ring.h"

struct checkpointer {
  const char *path;     // borrowed; NULL: no checkpoints are requested, and nothing below is used
  uint64_t every_steps; // a checkpoint is due at each multiple
  struct checkpoint_identity identity;
  size_t image_bytes;
  void *image;      // for checkpoints that are written at once
  struct ring ring; // images for the writer thread

  struct os_thread thread;
  struct os_spare spare; // file descriptors reserved for writing
  int has_thread;
  int progress_file;                   // -1: none (log/log/progress.h)
  uint64_t progress_step, progress_ns; // newest step in it, and when it was written
  atomic_uint_fast64_t step;           // newest step
  atomic_int stop;                     // request to the writer thread

  pthread_mutex_t lock; // protects what follows
  uint64_t written, failed;
  uint64_t last_step; // of the newest checkpoint written
  struct reason failure;
};

// Allocates memory and checks that path can be written; why names the path. path NULL: nothing is done, and
// the calls below do nothing. Release with checkpointer_close in either case.
enum status checkpointer_open(struct checkpointer *checkpointer, const char *path, uint64_t every_steps,
                              const struct checkpoint_identity *identity, const struct sim *sim,
                              const struct sensor_suite *suite, struct reason *why);
enum status checkpointer_start_thread(struct checkpointer *checkpointer, struct reason *why);

// Call one of these after each step. offer, for the step thread in real time: copies the state (some 10 kB
// and the state of the sensor suite) if a checkpoint is due; if the writer thread still has two to write, the
// checkpoint is skipped and counted. write_if_due: returns when the file is written.
void checkpointer_offer(struct checkpointer *checkpointer, const struct closed_loop *loop) NONBLOCKING;
void checkpointer_write_if_due(struct checkpointer *checkpointer, const struct closed_loop *loop);

// Another session begins with the present state: stops the thread after it has written what is queued, then
// writes the first checkpoint of that session.
void checkpointer_begin_session(struct checkpointer *checkpointer, const char *session,
                                const struct closed_loop *loop);

// At the end of the run: stops the thread after it has written what is queued, then writes the last state,
// unless the simulation has latched a fault.
void checkpointer_finish(struct checkpointer *checkpointer, const struct closed_loop *loop);
void checkpointer_close(struct checkpointer *checkpointer);

struct checkpointer_report {
  uint64_t written, failed, skipped; // checkpoints
  uint64_t last_step;                // of the newest one written
  struct reason failure;             // the newest; empty: none
};
struct checkpointer_report
checkpointer_report(struct checkpointer *checkpointer); // any thread but the step's
