// States of a simulation: snapshot, restore and reset. A state has a head, the inputs, and a checkpoint with
// its hash.
#include "sagbend/sagbend_parts.h"

#include "sagbend/base/base.h"
#include "sagbend/engine/engine.h"
#include "sagbend/loop/loop.h"

#include <stdlib.h>
#include <string.h>

struct state_head {
  char magic[8];
  uint64_t bytes, inputs_bytes, inputs_hash;
};
static const char STATE_MAGIC[8] = {'S', 'A', 'G', 'B', 'L', 'I', 'B', '1'};
enum { STATE_FRONT = sizeof(struct state_head) + sizeof(struct inputs) };
_Static_assert(STATE_FRONT % 8 == 0, "a checkpoint is 8-byte aligned");

size_t sagbend_snapshot_size(const sagbend_sim *s) {
  if (s && s->alone)
    return alone_snapshot_size(s);
  return s ? STATE_FRONT + checkpoint_size(s->engine.plant.sim, &s->engine.plant.suite) + sizeof(uint64_t)
           : 0;
}

// Names a state in the journal. The inputs have their hash at its begin, the rest at its end.
static uint64_t name_of(const void *bytes, size_t size) {
  struct state_head head;
  uint64_t rest;
  memcpy(&head, bytes, sizeof head);
  memcpy(&rest, (const unsigned char *)bytes + size - sizeof rest, sizeof rest);
  return rest ^ head.inputs_hash * UINT64_C(0x9e3779b97f4a7c15);
}

sagbend_status sagbend_snapshot(const sagbend_sim *simulation, void *bytes, size_t size) {
  struct sagbend_sim *s = (struct sagbend_sim *)simulation; // for its journal
  const size_t whole = sagbend_snapshot_size(s), image = whole - STATE_FRONT - sizeof(uint64_t);
  if (!s || !bytes || size < whole)
    return SAGBEND_WRONG_CALL;
  if (s->alone) {
    alone_snapshot(s, bytes);
    return SAGBEND_OK;
  }
  struct state_head head = {.bytes = whole,
                            .inputs_bytes = sizeof s->inputs,
                            .inputs_hash = fnv1a(FNV1A_START, &s->inputs, sizeof s->inputs)};
  memcpy(head.magic, STATE_MAGIC, sizeof head.magic);
  unsigned char *at = aligned_alloc(64, (image + 63) / 64 * 64); // the caller's bytes may lie anywhere
  if (!at)
    return SAGBEND_NO_MEMORY;
  checkpoint_fill(at, &s->identity, &s->engine.loop);
  const uint64_t hash = checkpoint_file_hash(at, image);
  unsigned char *out = bytes;
  memcpy(out, &head, sizeof head);
  memcpy(out + sizeof head, &s->inputs, sizeof s->inputs);
  memcpy(out + STATE_FRONT, at, image);
  memcpy(out + STATE_FRONT + image, &hash, sizeof hash);
  free(at);
  sim_journal_state(s, JOURNAL_SNAPSHOT, name_of(bytes, whole));
  return SAGBEND_OK;
}

// Inputs that sagbend_set would have taken.
static int are_valid(const struct sagbend_sim *s, const struct inputs *inputs) {
  const struct variables *all = sim_variables(s);
  for (size_t i = 0; i < all->count; i++)
    if (all->row[i].kind == SAGBEND_INPUT &&
        sim_check_input(all, all->row[i].id, variable_value(&all->row[i], &s->engine, inputs, NULL), NULL) !=
            SAGBEND_OK)
      return 0;
  return inputs->active <= 1;
}

static enum status restore(struct sagbend_sim *s, const unsigned char *bytes, size_t size,
                           struct reason *why) {
  struct state_head head;
  struct inputs inputs;
  if (size < STATE_FRONT)
    return fail(why, STATUS_BAD_INPUT, "a state of this library expected, got fewer bytes than its head");
  memcpy(&head, bytes, sizeof head);
  memcpy(&inputs, bytes + sizeof head, sizeof inputs);
  if (memcmp(head.magic, STATE_MAGIC, sizeof STATE_MAGIC) != 0 || head.bytes != size ||
      head.inputs_bytes != sizeof inputs || head.inputs_hash != fnv1a(FNV1A_START, &inputs, sizeof inputs) ||
      !are_valid(s, &inputs))
    return fail(why, STATUS_BAD_INPUT,
                "a state of this library expected: it is damaged, cut off or of something else");
  const size_t rest = size - STATE_FRONT;
  void *copy = aligned_alloc(64, (rest + 63) / 64 * 64);
  if (!copy)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a state");
  memcpy(copy, bytes + STATE_FRONT, rest);
  enum status status = engine_restore(&s->engine, copy, rest, &s->identity, why);
  free(copy);
  if (status == STATUS_OK)
    s->inputs = inputs;
  return status;
}

// As after the step that led to this frame: the next ones give the same events as they did then.
static void go_on_finding(struct event_finder *finder, const struct frame *frame) {
  event_finder_skip_to(finder, frame);
  finder->operation = frame->output.operation;
  finder->has_tensioner_order = frame->output.has_tensioner;
  finder->tensioner_ordered = frame->output.tensioner.ordered;
  finder->tensioner_source = frame->output.tensioner.source;
}

static sagbend_status take_back(sagbend_sim *s, enum journal_kind kind, const void *bytes, size_t size,
                                sagbend_error *error) {
  struct reason why = {""};
  const struct host_settings host = host_settings_begin();
  const enum status status = s->alone ? alone_restore(s, bytes, size, &why) : restore(s, bytes, size, &why);
  if (status == STATUS_OK)
    sim_journal_state(s, kind, name_of(bytes, size));
  host_settings_end(&host);
  if (status != STATUS_OK)
    return sagbend_fail(error, sagbend_status_of(status), why.text);
  s->is_used = kind == JOURNAL_RESTORE;
  go_on_finding(&s->finder, &s->engine.loop.frame);
  s->refused = (struct reason){""};
  if (s->inputs.refused)
    fail(&s->refused, STATUS_BAD_INPUT, "refused before this state was saved");
  while (s->event_count && s->event[s->event_count - 1].step > s->engine.loop.frame.output.step)
    s->event_count--;
  return SAGBEND_OK;
}

sagbend_status sagbend_restore(sagbend_sim *s, const void *bytes, size_t size, sagbend_error *error) {
  if (!s || !bytes)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation and a state expected");
  return take_back(s, JOURNAL_RESTORE, bytes, size, error);
}

sagbend_status sagbend_reset(sagbend_sim *s, sagbend_error *error) {
  if (!s)
    return sagbend_fail(error, SAGBEND_WRONG_CALL, "a simulation expected");
  const sagbend_status status = take_back(s, JOURNAL_RESET, s->start, s->start_bytes, error);
  if (status == SAGBEND_OK) // without those of orders that were given before the first step
    s->event_count = s->start_events;
  return status;
}
