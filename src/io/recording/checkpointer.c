#include "io/recording/checkpointer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, STACK_BYTES = 256 * 1024 };
static const uint64_t LOOK_EVERY_NS = 20000000;

int checkpointer_open(struct checkpointer *c, const char *path, uint64_t every_steps,
                      const struct checkpoint_identity *identity, const struct sim *sim,
                      const struct sensor_suite *suite) {
  struct reason why = {""};
  memset(c, 0, sizeof *c);
  c->spare = (struct os_spare){{-1, -1}};
  pthread_mutex_init(&c->lock, NULL);
  if (!path)
    return 0;
  if (checkpoint_try_path(path, &why) != STATUS_OK) {
    fprintf(stderr, "sagbend: %s\n", why.text);
    return -1;
  }
  c->image_bytes = checkpoint_size(sim, suite);
  c->image = malloc(c->image_bytes);
  void *mem = aligned_alloc(RING_LINE, ring_memsize(SLOTS, c->image_bytes));
  if (!c->image || !mem) {
    fprintf(stderr, "sagbend: out of memory for checkpoints of %zu bytes\n", c->image_bytes);
    free(mem);
    return -1;
  }
  ring_init(&c->ring, mem, SLOTS, c->image_bytes);
  c->every_steps = every_steps;
  c->identity = *identity;
  c->path = path;
  os_spare_take(&c->spare);
  return 0;
}

static int is_due(const struct checkpointer *c, const struct closed_loop *s) {
  const struct sim_output *o = &s->frame.output;
  return c->path && !o->fault && o->step % c->every_steps == 0;
}

static void fill(const struct checkpointer *c, const struct closed_loop *s, void *image) {
  struct closed_loop_state controls;
  closed_loop_save(s, &controls);
  checkpoint_fill(image, &c->identity, s->frame.output.step, &controls, s->sim, s->suite);
}

static void put(struct checkpointer *c, const void *image) {
  struct reason why = {""};
  os_spare_give(&c->spare);
  enum status status = checkpoint_write(c->path, image, c->image_bytes, &why);
  os_spare_take(&c->spare);
  pthread_mutex_lock(&c->lock);
  if (status == STATUS_OK) {
    c->written++;
    c->last_step = checkpoint_step(image);
  } else {
    c->failed++;
    c->failure = why;
  }
  pthread_mutex_unlock(&c->lock);
}

static void put_all(struct checkpointer *c) {
  const void *image;
  while ((image = ring_front(&c->ring))) {
    put(c, image);
    ring_release(&c->ring);
  }
}

static void write_until_stopped(void *checkpointer) {
  struct checkpointer *c = checkpointer;
  while (!atomic_load(&c->stop)) {
    put_all(c);
    os_sleep_until_ns(os_now_ns() + LOOK_EVERY_NS);
  }
  put_all(c);
}

enum status checkpointer_start_thread(struct checkpointer *c, struct reason *why) {
  if (!c->path)
    return STATUS_OK;
  enum status status = os_thread_start(&c->thread, STACK_BYTES, write_until_stopped, c, why);
  c->has_thread = status == STATUS_OK;
  return status;
}

void checkpointer_offer(struct checkpointer *c, const struct closed_loop *s) {
  if (!c || !is_due(c, s))
    return;
  void *image = ring_claim(&c->ring);
  if (!image)
    return; // the ring has counted it
  fill(c, s, image);
  ring_commit(&c->ring);
}

static void take(struct checkpointer *c, const struct closed_loop *s) {
  fill(c, s, c->image);
  put(c, c->image);
}

void checkpointer_take_if_due(struct checkpointer *c, const struct closed_loop *s) {
  if (is_due(c, s))
    take(c, s);
}

static void end_thread(struct checkpointer *c) {
  if (!c->has_thread)
    return;
  atomic_store(&c->stop, 1);
  os_thread_join(&c->thread);
  c->has_thread = 0;
}

void checkpointer_finish(struct checkpointer *c, const struct closed_loop *s) {
  end_thread(c);
  const struct sim_output *o = &s->frame.output;
  if (c->path && !o->fault && !(c->written && c->last_step == o->step))
    take(c, s);
}

void checkpointer_close(struct checkpointer *c) {
  end_thread(c);
  if (c->path)
    os_spare_give(&c->spare);
  free(c->image);
  free(c->ring.items);
  c->image = c->ring.items = NULL;
  c->path = NULL;
}

struct checkpointer_news checkpointer_news(struct checkpointer *c) {
  struct checkpointer_news news = {0};
  if (!c->path)
    return news;
  pthread_mutex_lock(&c->lock);
  news = (struct checkpointer_news){.written = c->written,
                                    .failed = c->failed,
                                    .skipped = ring_dropped(&c->ring),
                                    .last_step = c->last_step,
                                    .failure = c->failure};
  pthread_mutex_unlock(&c->lock);
  return news;
}
