// Checkpoints of a run. The real-time thread copies its state into a ring, another thread writes it; where
// nobody waits for the step it is written at once.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/closed_loop.h"

#include "io/checkpoint/checkpoint.h"
#include "rt/os.h"
#include "rt/ring.h"

struct checkpointer {
  const char *path;     // NULL: no checkpoints are asked for, and nothing below is used
  uint64_t every_steps; // a checkpoint where the step is a multiple of it
  struct checkpoint_identity identity;
  size_t image_bytes;
  void *image;      // for those written at once
  struct ring ring; // images for the writer's thread

  struct os_thread thread;
  struct os_spare spare; // kept back for the files that are written
  int has_thread;
  atomic_int stop; // asked of the writer's thread

  pthread_mutex_t lock; // of what follows: the writer's and the teller's
  uint64_t written, failed;
  uint64_t last_step; // of the newest one written
  struct reason failure;
};

// Path and memory; -1 after a line on stderr. path NULL: nothing to do, and later calls do nothing.
int checkpointer_open(struct checkpointer *c, const char *path, uint64_t every_steps,
                      const struct checkpoint_identity *identity, const struct sim *sim,
                      const struct sensor_suite *suite);
enum status checkpointer_start_thread(struct checkpointer *c, struct reason *why);

// After a step, if one is due. Offer: for the real-time thread, a copy of some 10 kB and of the rig's state;
// counted as skipped if the writer still has two. Take: written when it returns.
void checkpointer_offer(struct checkpointer *c, const struct closed_loop *s) NONBLOCKING;
void checkpointer_take_if_due(struct checkpointer *c, const struct closed_loop *s);

// The end: the thread writes what it has, then the last state is written, unless the simulation is at fault.
void checkpointer_finish(struct checkpointer *c, const struct closed_loop *s);
void checkpointer_close(struct checkpointer *c);

struct checkpointer_news {
  uint64_t written, failed, skipped, last_step;
  struct reason failure; // the newest
};
struct checkpointer_news checkpointer_news(struct checkpointer *c);
