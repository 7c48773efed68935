// Making an image from the present state.
#include "sagbend/engine/engine_internal.h"

#include "sagbend/base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
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
                                 .start_utc_ns = loop->frame.start_utc_ns,
                                 .identity = *identity};
  memcpy(head.magic, CHECKPOINT_MAGIC, sizeof CHECKPOINT_MAGIC);

  memcpy(bytes, &head, sizeof head);
  closed_loop_save(loop, (struct closed_loop_state *)(void *)(bytes + parts.state));
  sim_snapshot(sim, bytes + parts.snapshot);
  memcpy(bytes + parts.suite, suite->state, suite->state_bytes);
}

void checkpoint_fill_file(void *bytes, const struct checkpoint_identity *identity,
                          const struct closed_loop *loop) {
  const size_t size = checkpoint_size(loop->sim, loop->suite);
  checkpoint_fill(bytes, identity, loop);
  const uint64_t hash = checkpoint_file_hash(bytes, size);
  memcpy((unsigned char *)bytes + size, &hash, sizeof hash);
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

uint64_t checkpoint_start_utc_ns(const void *image) {
  struct checkpoint_head head;
  memcpy(&head, image, sizeof head);
  return head.start_utc_ns;
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

// ------------------------------------------------------------
// Restoring: the file is checked completely before anything is changed.

// Checks that the file is whole and undamaged; head is valid then.
static enum status check_bytes(const unsigned char *bytes, size_t size, struct checkpoint_head *head,
                               struct reason *why) {
  uint64_t hash;
  if (size < sizeof CHECKPOINT_MAGIC || memcmp(bytes, CHECKPOINT_MAGIC, sizeof CHECKPOINT_MAGIC) != 0)
    return fail(why, STATUS_BAD_INPUT, "not a checkpoint, or its beginning is damaged");
  if (size < sizeof *head + sizeof hash)
    return fail(why, STATUS_BAD_INPUT, "truncated: %zu bytes are too few", size);

  memcpy(head, bytes, sizeof *head);
  if (head->format != CHECKPOINT_FORMAT)
    return fail(why, STATUS_BAD_INPUT, "format %" PRIu64 ", this program reads format %d", head->format,
                CHECKPOINT_FORMAT);
  if (head->bytes != size)
    return fail(why, STATUS_BAD_INPUT, "truncated or damaged: %" PRIu64 " bytes expected, got %zu",
                head->bytes, size);

  memcpy(&hash, bytes + size - sizeof hash, sizeof hash);
  uint64_t found = fnv1a(FNV1A_START, bytes, size - sizeof hash);
  if (found != hash)
    return fail(why, STATUS_BAD_INPUT,
                "damaged: the file states the hash %016" PRIx64 ", its content has %016" PRIx64, hash, found);
  return STATUS_OK;
}

enum status checkpoint_check_identity(const struct checkpoint_identity *theirs,
                                      const struct checkpoint_identity *ours, struct reason *why) {
  if (strncmp(theirs->build, ours->build, sizeof theirs->build) != 0 || !strcmp(ours->build, "unknown"))
    return fail(why, STATUS_BAD_INPUT,
                "written by another build (version %.*s, build %.*s; this is version %s, build %s): only the "
                "same build continues with the same bits",
                (int)sizeof theirs->version, theirs->version, (int)sizeof theirs->build, theirs->build,
                ours->version, ours->build);
  if (theirs->model_hash != ours->model_hash)
    return fail(why, STATUS_BAD_INPUT,
                "written with another configuration (%.*s with hash %016" PRIx64 ", here %s with %016" PRIx64
                "); only mode, duration, thread, endpoints and log may differ, by options",
                (int)sizeof theirs->config_name, theirs->config_name, theirs->model_hash, ours->config_name,
                ours->model_hash);
  if (ours->dp_hash && !theirs->dp_hash)
    return fail(why, STATUS_BAD_INPUT,
                "contains no controller state; the run that wrote it had no controller inside");
  if (ours->dp_hash && theirs->dp_hash != ours->dp_hash)
    return fail(why, STATUS_BAD_INPUT,
                "written with another DP file (hash %016" PRIx64 ", here %016" PRIx64 ")", theirs->dp_hash,
                ours->dp_hash);
  return STATUS_OK;
}

static int setpoint_is_valid(const struct closed_loop_state *state, struct reason *why) {
  const uint64_t order = state->ordered.setpoint_order % SETPOINT_EVENT;
  if (!valid_whole(order, 0, state->scenario.events.last_order, "setpoint_order", why) ||
      !valid_whole(state->ordered.setpoint_order / SETPOINT_EVENT, 0, MAX_FAULTS, "setpoint_order", why) ||
      !valid_finite(state->ordered.setpoint, 3, "setpoint", why))
    return 0;
  for (int i = 0; i < 3; i++)
    if (fabs(state->ordered.setpoint[i]) > (i < 2 ? MAX_SETPOINT_M : MAX_SETPOINT_RAD) ||
        (!state->ordered.setpoint_order && state->ordered.setpoint[i] != 0))
      return valid_fail(why, "setpoint: a value that an order can give expected, got %g",
                        state->ordered.setpoint[i]);
  return 1;
}

// Orders for the tensioner that wait for the next step.
static int tensioner_is_valid(const struct command_def *rules, const struct closed_loop_state *state,
                              struct reason *why) {
  const struct tensioner_input *input = &state->ordered.tensioner;
  return tensioner_setpoint_is_valid(&input->by_operator, why) &&
         tensioner_setpoint_check(&rules->tensioner, TENSIONER_BY_OPERATOR, &input->by_operator, why) ==
             STATUS_OK &&
         tensioner_setpoint_is_valid(&input->by_controller, why) &&
         valid_index(input->by_controller.given, 0, 0, "by_controller.given", why) &&
         valid_flag(input->is_released, "is_released", why);
}

static int state_is_valid(const struct closed_loop_rules *rules, const struct closed_loop_state *state,
                          uint64_t step, struct reason *why) {
  if (!command_latch_is_valid(rules->command, &state->latch, step, why))
    return valid_fail_in(why, "latch.");
  if (rules->dp && !dp_state_is_valid(rules->dp, &state->dp, why))
    return valid_fail_in(why, "dp.");
  if (!scenario_is_valid(rules->scenario, rules->command, &state->scenario, step, why))
    return valid_fail_in(why, "scenario.");
  if (!command_monitor_is_valid(&state->monitor, step, why))
    return valid_fail_in(why, "monitor.");
  if (!bump_is_valid(&state->bump, why))
    return valid_fail_in(why, "bump.");
  if (!link_energy_is_valid(&state->link_energy, step, why))
    return valid_fail_in(why, "link_energy.");
  if (!dp_alarm_state_is_valid(&state->alarms, step, why))
    return valid_fail_in(why, "alarms: ");
  if (!tensioner_is_valid(rules->command, state, why))
    return valid_fail_in(why, "tensioner: ");
  if (!setpoint_is_valid(state, why))
    return 0;
  if (!track_orders_are_valid(&state->ordered.track_orders, why) ||
      !valid_whole(state->ordered.track_order, 0, state->scenario.events.last_order, "track_order", why))
    return valid_fail_in(why, "track: ");
  return valid_whole(state->inside_accepted, 0, step + 1, "inside_accepted", why) &&
         valid_whole(state->inside_refused, 0, step + 1, "inside_refused", why) &&
         valid_whole(state->silences, 0, step + 1, "silences", why);
}

// The parts behind the head of a file whose sizes are right.
struct content {
  const unsigned char *state, *snapshot, *suite;
};

static enum status check_content(const struct checkpoint_head *head, const struct content *content,
                                 const struct closed_loop_rules *rules, const struct sim *sim,
                                 const struct sensor_suite *suite, struct closed_loop_state *state,
                                 struct reason *why) {
  size_t snapshot_bytes = (size_t)head->snapshot_bytes;
  enum status status = sim_check_snapshot(sim, content->snapshot, snapshot_bytes, why);
  if (status != STATUS_OK)
    return status;

  uint64_t step = sim_snapshot_step(content->snapshot);
  if (step != head->step || sim_snapshot_hash(content->snapshot, snapshot_bytes) != head->state_hash)
    return fail(why, STATUS_BAD_INPUT,
                "its state does not match its head: step %" PRIu64 " expected, got %" PRIu64
                ", or another hash",
                head->step, step);

  memcpy(state, content->state, sizeof *state);
  if (!state_is_valid(rules, state, step, why)) {
    valid_fail_in(why, "closed loop: ");
    return STATUS_BAD_INPUT;
  }
  if (!sensor_suite_is_valid(suite, content->suite, step, why)) {
    valid_fail_in(why, "sensor suite: ");
    return STATUS_BAD_INPUT;
  }
  return STATUS_OK;
}

// Everything that is checked before the state is copied. *out: the parts; *state: the closed loop's.
static enum status check_all(const unsigned char *bytes, size_t size,
                             const struct checkpoint_identity *identity,
                             const struct closed_loop_rules *rules, const struct sim *sim,
                             const struct sensor_suite *suite, struct content *out,
                             struct closed_loop_state *state, struct reason *why) {
  struct checkpoint_head head = {0};
  enum status status = check_bytes(bytes, size, &head, why);
  if (status == STATUS_OK)
    status = checkpoint_check_identity(&head.identity, identity, why);
  if (status != STATUS_OK)
    return status;
  if (head.state_bytes != sizeof *state || head.snapshot_bytes != sim_snapshot_size(sim) ||
      head.sensor_suite_bytes != suite->state_bytes || size != checkpoint_size(sim, suite) + sizeof(uint64_t))
    return fail(why, STATUS_BAD_INPUT, "its parts do not have the sizes that this program expects");

  struct checkpoint_parts at = checkpoint_parts_of(sim, suite);
  *out = (struct content){bytes + at.state, bytes + at.snapshot, bytes + at.suite};
  struct closed_loop_rules applied_rules = *rules;
  if (!identity->dp_hash)
    applied_rules.dp = NULL;
  return check_content(&head, out, &applied_rules, sim, suite, state, why);
}

enum status checkpoint_check(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                             const struct closed_loop_rules *rules, const struct sim *sim,
                             const struct sensor_suite *suite, struct reason *why) {
  struct content content = {0};
  struct closed_loop_state *state = malloc(sizeof *state);
  enum status status = state ? check_all(bytes, size, identity, rules, sim, suite, &content, state, why)
                             : fail(why, STATUS_NO_MEMORY, "out of memory for a state");
  free(state);
  return status;
}

enum status checkpoint_restore(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                               const struct closed_loop_rules *rules, struct sim *sim,
                               struct sensor_suite *suite, struct closed_loop_state *state,
                               struct reason *why) {
  struct content content = {0};
  struct closed_loop_state *restored = malloc(sizeof *restored); // the state stays as it is where this fails
  enum status status = restored ? check_all(bytes, size, identity, rules, sim, suite, &content, restored, why)
                                : fail(why, STATUS_NO_MEMORY, "out of memory for a state");
  if (status == STATUS_OK)
    status = sim_restore(sim, content.snapshot, sim_snapshot_size(sim), why);
  if (status == STATUS_OK && restored) {
    if (!identity->dp_hash || !rules->dp)
      dp_init(&restored->dp);
    if (state)
      *state = *restored;
    if (suite->state_bytes)
      memcpy(suite->state, content.suite, suite->state_bytes);
  }
  free(restored);
  return status;
}

enum status checkpoint_resume(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                              struct sim *sim, struct sensor_suite *suite, struct closed_loop *loop,
                              struct reason *why) {
  const struct closed_loop_rules rules = closed_loop_rules(loop);
  struct closed_loop_state *state = malloc(sizeof *state);
  enum status status = state ? checkpoint_restore(bytes, size, identity, &rules, sim, suite, state, why)
                             : fail(why, STATUS_NO_MEMORY, "out of memory for a state");
  if (status == STATUS_OK)
    closed_loop_resume(loop, state);
  free(state);
  return status;
}
