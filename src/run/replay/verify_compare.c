// Computes the state after so many steps and compares it with what the log contains of it.
#include "run/replay/replay_internal.h"

#include "net/messages/messages.h"
#include "os/process/process.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLIND_STEPS = 1000000 }; // most steps computed without anything in the log to compare with
static const uint64_t STATUS_EVERY_NS = 250000000;

void verify_record_difference(struct difference *d, uint64_t step, enum log_topic topic, const char *field,
                              const char *logged, const char *replayed) {
  if (d->found)
    return;
  *d = (struct difference){.found = 1, .step = step, .topic = topic};
  snprintf(d->field, sizeof d->field, "%s", field);
  snprintf(d->logged, sizeof d->logged, "%s", logged);
  snprintf(d->replayed, sizeof d->replayed, "%s", replayed);
}

static void show_progress(struct verify *verify) {
  uint64_t now_ns = os_now_ns(), first = verify->replay->record->first_step, last = verify->replay->last_step;
  if (!verify->replay->console.terminal || now_ns - verify->shown_ns < STATUS_EVERY_NS)
    return;
  verify->shown_ns = now_ns;
  double done_s = (double)(verify_step(verify) - first) * verify->replay->setup.config.sim.step_s;
  console_status(&verify->replay->console, "step %" PRIu64 " of %" PRIu64 "  %3.0f %%  %.0f times real time",
                 verify_step(verify), last,
                 last > first ? 100 * (double)(verify_step(verify) - first) / (double)(last - first) : 100.0,
                 done_s / (1e-9 * (double)(now_ns - verify->start_ns) + 1e-9));
}

void verify_apply_orders(struct verify *verify) {
  const struct replay *replay = verify->replay;
  while (verify->next_order < replay->order_count &&
         replay->orders[verify->next_order].step == verify_step(verify)) {
    engine_order(&verify->replay->engine, &replay->orders[verify->next_order++].order);
    verify_capture(verify);
  }
}

// One step, with the orders and the command that it used in the session.
static void step_once(struct verify *verify) {
  struct replay *replay = verify->replay;
  uint64_t step = verify_step(verify);
  const struct logged_command *newest =
      verify->next_command < replay->command_count ? &replay->commands[verify->next_command] : NULL;
  int is_used = newest && newest->step == step;
  verify->next_command += (size_t)is_used;

  verify_apply_orders(verify);
  engine_step(&verify->replay->engine, is_used ? &newest->command : NULL, is_used ? newest->alarms : NULL);
  verify_capture(verify);
  verify_events_step(verify);
}

void verify_advance(struct verify *verify, uint64_t step, enum log_topic topic) {
  uint64_t now = verify_step(verify);
  if (step > now && step - now > BLIND_STEPS) {
    replay_add_gap(verify->replay,
                   "it contains nothing about the steps from %" PRIu64 " to %" PRIu64
                   ": they are not computed",
                   now, step);
    verify->ended = 1;
    return;
  }
  for (; now < step; now = verify_step(verify)) {
    step_once(verify);
    if (verify_step(verify) == now) { // a latched fault
      char logged[32];
      snprintf(logged, sizeof logged, "%" PRIu64, step);
      verify_record_difference(&verify->first, step, topic, "step", logged,
                               "a fault that the replay latched before it");
      verify->ended = 1;
      return;
    }
    show_progress(verify);
  }
}

void verify_compare_hash(struct verify *verify, uint64_t step, uint64_t logged, const char *field,
                         enum log_topic topic) {
  uint64_t replayed = sim_hash(verify->replay->engine.plant.sim);
  char texts[2][32];
  if (verify->is_hashed_otherwise)
    return;
  verify->compared[topic]++;
  if (replayed == logged) {
    if (verify->first.found && !verify->telemetry.found) {
      verify->agrees_again_at_step = step;
      verify->ended = 1;
    }
    return;
  }
  snprintf(texts[0], sizeof texts[0], "%016" PRIx64, logged);
  snprintf(texts[1], sizeof texts[1], "%016" PRIx64, replayed);
  verify_record_difference(&verify->first, step, topic, field, texts[0], texts[1]);
}

// Search for the first field in which two messages differ. It runs twice: a field may be absent in either.
struct field_search {
  struct verify *verify;
  const ProtobufCMessage *other; // the message that the search does not walk through
  uint64_t step;
  enum log_topic topic;
  int other_is_logged, found;
  const struct mcap_schema *schema; // of the log; NULL: none, or it declares every field
};

// Whether a schema, a FileDescriptorSet, declares this field: its name is field 1 of the declaration, after
// its size.
static int has_field(const struct mcap_schema *schema, const char *name, size_t size) {
  if (!schema || size > 127)
    return 1;
  for (size_t at = 0; at + 2 + size <= schema->size; at++)
    if (schema->data[at] == 0x0a && schema->data[at + 1] == size &&
        !memcmp(schema->data + at + 2, name, size))
      return 1;
  return 0;
}

// A log of an earlier version lacks fields that this one computes; one of the same build lacks none.
static int is_newer_than_log(const struct mcap_schema *schema, const char *path) {
  for (size_t size; *path; path += size + strcspn(path + size, "."), path += *path == '.') {
    size = strcspn(path, ".[");
    if (!has_field(schema, path, size))
      return 1;
  }
  return 0;
}

static void compare_field(void *context, const char *path, const char *value) {
  struct field_search *search = context;
  char number[LOG_NUMBER_SIZE];
  const char *other = log_field(search->other, path, number);
  if (search->found || (other && !strcmp(value, other)))
    return;
  if (search->other_is_logged && is_newer_than_log(search->schema, path)) {
    search->verify->undeclared_count++; // a number reads as 0 where it is absent
    verify_record_difference(&search->verify->undeclared, search->step, search->topic, path, "absent", value);
    return;
  }

  const char *others = other ? other : "absent";
  const char *logged = search->other_is_logged ? others : value;
  const char *replayed = search->other_is_logged ? value : others;
  search->found = 1;
  verify_record_difference(&search->verify->first, search->step, search->topic, path, logged, replayed);
  verify_record_difference(&search->verify->telemetry, search->step, search->topic, path, logged, replayed);
}

static size_t pack_nodes(struct verify *verify, const struct wire_header *h) {
  int count = sim_node_count(verify->replay->engine.plant.sim);
  sim_get_nodes(verify->replay->engine.plant.sim, verify->nodes);
  return wire_pack_nodes(h, (size_t)count, verify->nodes, verify->node_scratch, verify->bytes,
                         verify->capacity);
}

void verify_compare_telemetry(struct verify *verify, const struct mcap_message *m,
                              const ProtobufCMessage *logged, const Sagbend__V1__Header *from) {
  const struct frame *f = &verify->replay->engine.loop.frame;
  enum log_topic topic = log_topic_of(m->channel);
  struct wire_header h = {.sequence = from->sequence, .step = f->output.step, .time_s = f->output.time_s};
  snprintf(h.session, sizeof h.session, "%s", from->session);
  size_t size = topic == LOG_SENSORS  ? wire_pack_sensors(&h, f, WIRE_PLAIN, verify->bytes, verify->capacity)
                : topic == LOG_TRUTH  ? wire_pack_truth(&h, f, verify->bytes, verify->capacity)
                : topic == LOG_LEDGER ? wire_pack_ledger(&h, f, verify->bytes, verify->capacity)
                                      : pack_nodes(verify, &h);
  verify->compared[topic]++;
  if (size == m->size && !memcmp(verify->bytes, m->data, size))
    return;
  struct field_search search = {.verify = verify,
                                .step = f->output.step,
                                .topic = topic,
                                .schema = verify->replay->same_build ? NULL : m->channel->schema};
  ProtobufCMessage *replayed =
      size ? protobuf_c_message_unpack(log_descriptor(topic), NULL, size, verify->bytes) : NULL;
  if (!replayed) {
    verify_record_difference(&verify->first, search.step, topic, "the message", "finite", "not finite");
    return;
  }
  search.other = replayed;
  log_each_field(logged, compare_field, &search);
  search.other = logged;
  search.other_is_logged = 1;
  log_each_field(replayed, compare_field, &search);
  log_free(replayed);
}
