// Making an image from the present state.
#include "sagbend/engine/checkpoint_head.h"

#include "sagbend/base/fnv.h"

#include <string.h>

_Static_assert(sizeof(struct checkpoint_head) == CHECKPOINT_HEAD, "tests find the state behind the head");

struct checkpoint_parts checkpoint_parts_of(const struct sim *sim, const struct sensor_suite *suite) {
  struct checkpoint_parts parts = {.state = sizeof(struct checkpoint_head)};
  parts.snapshot = parts.state + sizeof(struct closed_loop_state);
  parts.suite = parts.snapshot + sim_snapshot_size(sim);
  parts.end = parts.suite + suite->state_bytes;
  return parts;
}

size_t checkpoint_size(const struct sim *sim, const struct sensor_suite *suite) {
  return checkpoint_parts_of(sim, suite).end;
}

void checkpoint_fill(void *image, const struct checkpoint_identity *identity,
                     const struct closed_loop *loop) {
  const struct sim *sim = loop->sim;
  const struct sensor_suite *suite = loop->suite;
  unsigned char *bytes = image;
  struct checkpoint_parts parts = checkpoint_parts_of(sim, suite);
  struct checkpoint_head head = {.format = CHECKPOINT_FORMAT,
                                 .bytes = parts.end + sizeof(uint64_t),
                                 .state_bytes = sizeof(struct closed_loop_state),
                                 .snapshot_bytes = sim_snapshot_size(sim),
                                 .sensor_suite_bytes = suite->state_bytes,
                                 .step = loop->frame.output.step,
                                 .state_hash = sim_hash(sim),
                                 .identity = *identity};
  memcpy(head.magic, CHECKPOINT_MAGIC, sizeof CHECKPOINT_MAGIC);

  memcpy(bytes, &head, sizeof head);
  closed_loop_save(loop, (struct closed_loop_state *)(void *)(bytes + parts.state));
  sim_snapshot(sim, bytes + parts.snapshot);
  memcpy(bytes + parts.suite, suite->state, suite->state_bytes);
}

uint64_t checkpoint_step(const void *image) {
  struct checkpoint_head head;
  memcpy(&head, image, sizeof head);
  return head.step;
}

uint64_t checkpoint_state_hash(const void *image) {
  struct checkpoint_head head;
  memcpy(&head, image, sizeof head);
  return head.state_hash;
}

struct checkpoint_identity checkpoint_identity_in(const void *image) {
  struct checkpoint_head head;
  memcpy(&head, image, sizeof head);
  head.identity.session[sizeof head.identity.session - 1] = 0;
  return head.identity;
}

void checkpoint_loop_state(const void *image, struct closed_loop_state *out) {
  memcpy(out, (const unsigned char *)image + sizeof(struct checkpoint_head), sizeof *out);
}

uint64_t checkpoint_file_hash(const void *image, size_t size) {
  return fnv1a(FNV1A_START, image, size);
}

uint64_t checkpoint_seal(void *image, size_t size) {
  struct checkpoint_head head;
  memcpy(&head, image, sizeof head);
  const unsigned char *snapshot = (const unsigned char *)image + sizeof head + head.state_bytes;
  head.step = sim_snapshot_step(snapshot);
  head.state_hash = sim_snapshot_hash(snapshot, (size_t)head.snapshot_bytes);
  memcpy(image, &head, sizeof head);
  return fnv1a(FNV1A_START, image, size);
}
