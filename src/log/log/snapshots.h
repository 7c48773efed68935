// Named snapshots of the complete state, each a checkpoint file NAME.snapshot in one folder. The thread that
// steps copies its state into a ring; a writer thread writes the file. Names are checked by the caller
// (wire_snapshot_name_is_valid): letters, digits and ".-_" only.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/closed_loop.h"

#include "log/log/checkpoint_file.h"
#include "os/process/process.h"
#include "os/process/ring.h"

enum { MAX_SNAPSHOTS = 64, SNAPSHOT_NAME = 24, SNAPSHOTS_KEPT = 8 }; // files in the folder

struct snapshot_done { // written, or not
  char name[SNAPSHOT_NAME];
  uint64_t step;
  int failed;
  struct reason why; // if it failed: the reason; otherwise the path
};

struct snapshots {
  char *folder; // NULL: there is none, and nothing below is used
  struct checkpoint_identity identity;
  size_t image_bytes;
  struct ring ring;
  struct os_thread thread;
  int has_thread;
  atomic_int stop;
  atomic_uint_fast64_t ordered, taken, finished; // snapshots: accepted, copied, written or failed
  pthread_mutex_t lock;                          // protects what follows
  struct snapshot_done done[SNAPSHOTS_KEPT];     // the newest, by number
  uint64_t written, failed;
};

// folder NULL: none, and every snapshot is refused. Release with snapshots_close in either case.
enum status snapshots_open(struct snapshots *snapshots, const char *folder,
                           const struct checkpoint_identity *identity, const struct sim *sim,
                           const struct sensor_suite *suite, struct reason *why);
void snapshots_close(struct snapshots *snapshots);
// Another session begins, which snapshots name from now on. All ordered ones must be finished.
void snapshots_set_session(struct snapshots *snapshots, const char *session);

// Main thread. Accept: checks that a snapshot of this name can be taken; STATUS_BAD_INPUT and the reason:
// there is one already, too many, or another one is being written. Then snapshots_take must follow.
enum status snapshots_accept(struct snapshots *snapshots, const char *name, struct reason *why);
// The thread that steps: copies the present state.
void snapshots_take(struct snapshots *snapshots, const char *name,
                    const struct closed_loop *loop) NONBLOCKING;

// Waits until those that were accepted are finished, at most wait_ns. Returns 0 if they are not.
int snapshots_settle(struct snapshots *snapshots, uint64_t wait_ns);
// Reads the file of a snapshot; the caller frees *bytes. why names it.
enum status snapshots_read(const struct snapshots *snapshots, const char *name, void **bytes, size_t *size,
                           struct reason *why);

// The finished snapshot of this number, from 0. Returns 0: it is not finished, or no longer kept.
int snapshots_done(struct snapshots *snapshots, uint64_t number, struct snapshot_done *out);
