// Snapshots that operators order: the state of a step, kept in a file of a folder.
#include "log/log/log.h"

#include "os/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ORDER_SLOTS = 2, ORDER_STACK_BYTES = 256 * 1024 };
static const uint64_t ORDER_POLL_NS = 10000000; // between looks at the ring
static const char EXTENSION[] = ".snapshot";

struct order_slot { // an image follows
  char name[SNAPSHOT_NAME];
};

enum status snapshots_open(struct snapshots *snapshots, const char *folder,
                           const struct checkpoint_identity *identity, const struct sim *sim,
                           const struct sensor_suite *suite, struct reason *why) {
  memset(snapshots, 0, sizeof *snapshots);
  pthread_mutex_init(&snapshots->lock, NULL);
  if (!folder)
    return STATUS_OK;
  snapshots->identity = *identity;
  snapshots->image_bytes = checkpoint_size(sim, suite);
  size_t slot_bytes = sizeof(struct order_slot) + snapshots->image_bytes;
  void *mem = aligned_alloc(RING_LINE, ring_memsize(ORDER_SLOTS, slot_bytes));
  snapshots->folder = strdup(folder);
  if (!mem || !snapshots->folder) {
    free(mem);
    free(snapshots->folder);
    snapshots->folder = NULL;
    return fail(why, STATUS_NO_MEMORY, "out of memory for snapshots of %zu bytes", snapshots->image_bytes);
  }
  ring_init(&snapshots->ring, mem, ORDER_SLOTS, slot_bytes);
  return STATUS_OK;
}

static char *path_of(const struct snapshots *snapshots, const char *name) {
  size_t size = strlen(snapshots->folder) + strlen(name) + sizeof EXTENSION + 2;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%s%s", snapshots->folder, name, EXTENSION);
  return path;
}

static void write_slot(struct snapshots *snapshots, const struct order_slot *order_slot) {
  struct snapshot_done done = {.step = checkpoint_step(order_slot + 1)};
  char *path = path_of(snapshots, order_slot->name);
  memcpy(done.name, order_slot->name, sizeof done.name);
  enum status status = path ? checkpoint_write(path, order_slot + 1, snapshots->image_bytes, &done.why)
                            : fail(&done.why, STATUS_NO_MEMORY, "out of memory");
  done.failed = status != STATUS_OK;
  if (!done.failed)
    snprintf(done.why.text, sizeof done.why.text, "%s", path);
  free(path);

  pthread_mutex_lock(&snapshots->lock);
  snapshots->done[atomic_load(&snapshots->finished) % SNAPSHOTS_KEPT] = done;
  snapshots->written += !done.failed;
  snapshots->failed += (uint64_t)done.failed;
  pthread_mutex_unlock(&snapshots->lock);
  atomic_fetch_add(&snapshots->finished, 1);
}

static void write_snapshots_until_stopped(void *context) {
  struct snapshots *snapshots = context;
  serving_part(); // an order starts this thread while the one of the sockets is bound
  os_name_thread("snapshots");
  for (;;) {
    int stop = atomic_load(&snapshots->stop);
    const struct order_slot *order_slot;
    while ((order_slot = ring_front(&snapshots->ring))) {
      write_slot(snapshots, order_slot);
      ring_release(&snapshots->ring);
    }
    if (stop)
      return;
    os_sleep_until_ns(os_now_ns() + ORDER_POLL_NS);
  }
}

void snapshots_close(struct snapshots *snapshots) {
  if (snapshots->has_thread) {
    atomic_store(&snapshots->stop, 1);
    os_thread_join(&snapshots->thread);
  }
  snapshots->has_thread = 0;
  free(snapshots->ring.items);
  free(snapshots->folder);
  snapshots->ring.items = NULL;
  snapshots->folder = NULL;
}

void snapshots_set_session(struct snapshots *snapshots, const char *session) {
  snprintf(snapshots->identity.session, sizeof snapshots->identity.session, "%s", session);
}

static int count_files(const char *folder) {
  int count = 0;
  DIR *directory = opendir(folder);
  const struct dirent *entry;
  while (directory && (entry = readdir(directory))) { // NOLINT(concurrency-mt-unsafe): its own stream
    size_t length = strlen(entry->d_name), end = sizeof EXTENSION - 1;
    count += length > end && strcmp(entry->d_name + length - end, EXTENSION) == 0;
  }
  if (directory)
    closedir(directory);
  return count;
}

enum status snapshots_accept(struct snapshots *snapshots, const char *name, struct reason *why) {
  if (!snapshots->folder)
    return fail(why, STATUS_BAD_INPUT, "this run has no folder for snapshots; see --snapshot-dir");
  struct stat about;
  char *path = path_of(snapshots, name);
  int exists = path && lstat(path, &about) == 0;
  free(path);
  if (exists)
    return fail(why, STATUS_BAD_INPUT, "there is a snapshot %s already; delete it or choose another name",
                name);
  if (atomic_load(&snapshots->ordered) != atomic_load(&snapshots->finished))
    return fail(why, STATUS_BAD_INPUT, "a snapshot is being written");
  if (count_files(snapshots->folder) >= MAX_SNAPSHOTS)
    return fail(why, STATUS_BAD_INPUT, "at most %d snapshots in the folder expected", MAX_SNAPSHOTS);
  if (!snapshots->has_thread) { // started with the first one
    enum status status =
        os_thread_start(&snapshots->thread, ORDER_STACK_BYTES, write_snapshots_until_stopped, snapshots, why);
    if (status != STATUS_OK)
      return status;
    snapshots->has_thread = 1;
  }
  atomic_fetch_add(&snapshots->ordered, 1);
  return STATUS_OK;
}

void snapshots_take(struct snapshots *snapshots, const char *name, const struct closed_loop *loop) {
  if (!snapshots || !snapshots->folder)
    return;
  struct order_slot *order_slot = ring_claim(&snapshots->ring); // room for it: one at a time is accepted
  if (!order_slot)
    return;
  memcpy(order_slot->name, name, sizeof order_slot->name);
  checkpoint_fill(order_slot + 1, &snapshots->identity, loop);
  ring_commit(&snapshots->ring);
  atomic_fetch_add(&snapshots->taken, 1);
}

int snapshots_settle(struct snapshots *snapshots, uint64_t wait_ns) {
  uint64_t end_ns = os_now_ns() + wait_ns;
  while (atomic_load(&snapshots->ordered) != atomic_load(&snapshots->finished)) {
    if (os_now_ns() >= end_ns)
      return 0;
    os_sleep_until_ns(os_now_ns() + ORDER_POLL_NS / 10);
  }
  return 1;
}

enum status snapshots_read(const struct snapshots *snapshots, const char *name, void **bytes, size_t *size,
                           struct reason *why) {
  struct stat about;
  if (!snapshots->folder)
    return fail(why, STATUS_BAD_INPUT, "this run has no folder for snapshots; see --snapshot-dir");
  char *path = path_of(snapshots, name);
  if (!path)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status = lstat(path, &about) == 0 ? checkpoint_read(path, bytes, size, why)
                                                : fail(why, STATUS_BAD_INPUT, "there is no snapshot %s: %s",
                                                       name, strerror(errno));
  free(path);
  return status;
}

int snapshots_done(struct snapshots *snapshots, uint64_t number, struct snapshot_done *out) {
  pthread_mutex_lock(&snapshots->lock);
  uint64_t finished = snapshots->written + snapshots->failed;
  int is_kept = number < finished && number + SNAPSHOTS_KEPT >= finished;
  if (is_kept)
    *out = snapshots->done[number % SNAPSHOTS_KEPT];
  pthread_mutex_unlock(&snapshots->lock);
  return is_kept;
}
