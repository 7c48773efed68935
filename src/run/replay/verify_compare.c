// Computes the state after so many steps and compares it with what the log contains of it.
#include "run/replay/replay_internal.h"
#include "sagbend/base/base.h"

#include "log/log/log.h"
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "os/cli/cli.h"
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

static void verify_events_step(struct verify *verify);

enum status verify_state_digest(const struct verify *verify, struct log_digest *out) {
  const struct plant *plant = &verify->replay->engine.plant;
  const struct scenario_def *def = &verify->replay->setup.config.scenario;
  size_t snapshot_bytes = sim_snapshot_size(plant->sim), suite_bytes = plant->suite.state_bytes;
  size_t size = sizeof(struct closed_loop_state) + snapshot_bytes + suite_bytes;
  unsigned char *bytes = calloc(1, size);
  if (!bytes)
    return STATUS_NO_MEMORY;
  struct closed_loop_state *state = (void *)bytes;
  closed_loop_save(&verify->replay->engine.loop, state);
  memset(&state->dp, 0, sizeof state->dp);
  state->inside_accepted = state->inside_refused = 0;
  for (int i = 0; i < def->verdict_count; i++)
    if (quantity_is_of_clock(def->verdict[i].quantity))
      memset(&state->scenario.verdict[i], 0, sizeof state->scenario.verdict[i]);
  sim_snapshot(plant->sim, bytes + sizeof *state);
  if (suite_bytes)
    memcpy(bytes + sizeof *state + snapshot_bytes, plant->suite.state, suite_bytes);
  *out = log_digest_record(0, bytes, size);
  free(bytes);
  return STATUS_OK;
}

void verify_capture(const struct verify *verify) {
  for (size_t i = 0; i < verify->replay->capture_count; i++) {
    struct replay_capture *capture = &verify->replay->captures[i];
    if (capture->step != verify_step(verify))
      continue;
    if (capture->taken < REPLAY_CAPTURED)
      capture->taken += verify_state_digest(verify, &capture->state[capture->taken]) == STATUS_OK;
    else
      capture->too_many = 1;
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

// A field that had another name is declared under that one.
static int declares(const struct mcap_schema *schema, const char *name, size_t size) {
  char now[64];
  snprintf(now, sizeof now, "%.*s", (int)size, name);
  const char *was = has_field(schema, name, size) ? NULL : former_name_of(FORMER_FIELD, now);
  return was ? has_field(schema, was, strlen(was)) : has_field(schema, name, size);
}

// A log of an earlier version lacks fields that this one computes; one of the same build lacks none.
static int is_newer_than_log(const struct mcap_schema *schema, const char *path) {
  for (size_t size; *path; path += size + strcspn(path + size, "."), path += *path == '.') {
    size = strcspn(path, ".[");
    if (!declares(schema, path, size))
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

// ------------------------------------------------------------
// Events that follow from the steps: faults, verdicts, commands lost and back, events of the simulator. The
// replay finds them again. Other events are about the machine, the network and people, and are not compared.

static const char VIOLATED[] = "verdict_violated", MET[] = "verdict_met";

static void keep(struct event_list *list, const struct run_event *e) {
  if (list->count == list->capacity) {
    size_t capacity = 2 * list->capacity + 64;
    struct run_event *more = realloc(list->event, capacity * sizeof *more);
    if (!more) {
      list->failed = 1;
      return;
    }
    list->event = more;
    list->capacity = capacity;
  }
  list->event[list->count++] = *e;
}

// True if a verdict on a quantity of the clock has this name: its violation does not follow from the steps.
static int is_verdict_of_clock(const struct scenario_def *def, const char *text) {
  for (int i = 0; i < def->verdict_count; i++) {
    char start[SIGNAL_NAME + 2], clean[SIGNAL_NAME + 2];
    snprintf(start, sizeof start, "%s: ", def->verdict[i].name);
    wire_clean_text(clean, sizeof clean, start);
    if (quantity_is_of_clock(def->verdict[i].quantity) && !strncmp(text, clean, strlen(clean)))
      return 1;
  }
  return 0;
}

static int is_computed(const struct verify *verify, const struct run_event *event) {
  return event_is_computed(event->name) &&
         ((strcmp(event->name, VIOLATED) != 0 && strcmp(event->name, MET) != 0) ||
          !is_verdict_of_clock(&verify->replay->setup.config.scenario, event->text));
}

static void on_event(void *context, const struct run_event *e) {
  struct verify *verify = context;
  struct run_event clean = *e;
  wire_clean_text(clean.text, sizeof clean.text, e->text); // as the log has it
  if (is_computed(verify, &clean))
    keep(&verify->computed, &clean);
}

void verify_events_start(struct verify *verify) {
  event_finder_init(&verify->finder, &verify->replay->setup.config.scenario, on_event, verify);
  if (verify->replay->record->checkpoint.len)
    event_finder_skip_to(&verify->finder, &verify->replay->engine.loop.frame);
  verify_events_step(verify);
}

static void verify_events_step(struct verify *verify) {
  event_find(&verify->finder, &verify->replay->engine.loop.frame);
}

void verify_events_end(struct verify *verify) {
  if (*verify->replay->end->continued_in)
    return;
  if (verify->replay->setup.config.run.mode != RUN_REALTIME) // elsewhere nothing is judged once more
    return;
  closed_loop_judge_end(&verify->replay->engine.loop);
  event_find(&verify->finder, &verify->replay->engine.loop.frame);
}

void verify_events_logged(struct verify *verify, const Sagbend__V1__Event *event) {
  struct run_event e = {.step = event->header->step, .time_s = event->header->time_s};
  verify->frames_dropped += !strcmp(event->name, "frames_dropped");
  const char *present = former_name(FORMER_EVENT, event->name); // of a log of an earlier program
  snprintf(e.name, sizeof e.name, "%s", present && !verify->replay->same_build ? present : event->name);
  snprintf(e.text, sizeof e.text, "%s", event->text);
  if (is_computed(verify, &e))
    keep(&verify->logged, &e);
}

// In mode realtime another thread reads the frames: where it was late, it saw a later frame. Another build
// may word an event differently.
static int is_same(const struct verify *verify, const struct run_event *logged,
                   const struct run_event *computed) {
  int late_is_right = verify->replay->setup.config.run.mode == RUN_REALTIME;
  int in_time = late_is_right ? logged->step >= computed->step : logged->step == computed->step;
  const int is_renamed = !strcmp(logged->name, VIOLATED) && !strcmp(computed->name, MET); // of a build before
  return in_time && (!strcmp(logged->name, computed->name) || (is_renamed && !verify->replay->same_build)) &&
         (!verify->replay->same_build || !strcmp(logged->text, computed->text));
}

// Finds the computed event that a logged one repeats, from index first on, and marks it as used. 0: there is
// none.
static int use_computed(const struct verify *verify, const struct run_event *logged, size_t first,
                        unsigned char *used) {
  const struct event_list *computed = &verify->computed;
  for (size_t k = first; k < computed->count && computed->event[k].step <= logged->step; k++)
    if (!used[k] && is_same(verify, logged, &computed->event[k])) {
      used[k] = 1;
      return 1;
    }
  return 0;
}

// Another build may judge commands in another way.
static void report_missing(struct verify *verify, const unsigned char *used) {
  const struct run_event *first = NULL;
  uint64_t missing = 0;
  for (size_t k = verify->computed.count; k-- > 0;)
    if (!used[k] && (verify->replay->same_build || notice_find(verify->computed.event[k].name) < 0)) {
      first = &verify->computed.event[k];
      missing++;
    }
  if (missing)
    replay_add_gap(verify->replay,
                   "%" PRIu64 " events are missing that the replay has, the first at step %" PRIu64
                   ": %s: %.80s",
                   missing, first->step, first->name, first->text);
}

// Where the main thread was late by seconds, or frames did not reach it, an event of the last steps of a part
// stands in the next one.
static int is_of_part_before(const struct verify *verify, const struct run_event *logged) {
  const struct replay *replay = verify->replay;
  int has_part_before = replay->record->part && replay->record->part->number > 1;
  return has_part_before && replay->setup.config.run.mode == RUN_REALTIME &&
         (logged->step <= replay->record->first_step || verify->frames_dropped);
}

enum status verify_events_compare(struct verify *verify, struct reason *why) {
  size_t first = 0; // every computed event before this one is used
  unsigned char *used = calloc(verify->computed.count + 1, 1);
  if (!used || verify->logged.failed || verify->computed.failed) {
    free(used);
    return fail(why, STATUS_NO_MEMORY, "out of memory for its events");
  }

  for (size_t i = 0; i < verify->logged.count; i++) {
    const struct run_event *logged = &verify->logged.event[i];
    if (logged->step > verify_step(verify))
      continue;
    int is_used = use_computed(verify, logged, first, used);
    if (!is_used && is_of_part_before(verify, logged))
      replay_add_gap(verify->replay, "an event of the part before it is in it: %s: %.120s", logged->name,
                     logged->text);
    else if (!is_used)
      replay_contradicts(verify->replay, logged->step, LOG_EVENT, logged->name, logged->text,
                         "no such event");
    while (first < verify->computed.count && used[first])
      first++;
  }
  if (!verify->ended && !verify->frames_dropped) // the log was read to its end
    report_missing(verify, used);
  free(used);
  return STATUS_OK;
}

void verify_events_free(struct verify *verify) {
  free(verify->logged.event);
  free(verify->computed.event);
}

// ------------------------------------------------------------
// What the session's record states of the session and follows from its configuration as well; and the copy of
// the record that other programs show. DP text, session, versions, the wall clock and a set-point of a DP
// file follow from nothing: for them there is the log's chain.

static void check_number(struct verify *verify, const char *field, double logged, double expected) {
  char texts[2][40];
  if (logged == expected)
    return;
  snprintf(texts[0], sizeof texts[0], "%.17g", logged);
  snprintf(texts[1], sizeof texts[1], "%.17g", expected);
  replay_contradicts(verify->replay, verify->replay->record->first_step, LOG_SESSION, field, texts[0],
                     texts[1]);
}

static void check_text(struct verify *verify, const char *field, const char *logged, const char *expected) {
  if (strcmp(logged, expected) != 0)
    replay_contradicts(verify->replay, verify->replay->record->first_step, LOG_SESSION, field, logged,
                       expected);
}

static void check_mode(struct verify *verify) {
  const ProtobufCEnumDescriptor *d = &sagbend__v1__run_mode__descriptor;
  const ProtobufCEnumValue *logged =
      protobuf_c_enum_descriptor_get_value(d, (int)verify->replay->record->mode);
  const ProtobufCEnumValue *expected = protobuf_c_enum_descriptor_get_value(
      d, (int)session_record_mode(verify->replay->setup.config.run.mode));
  check_text(verify, "mode", logged ? logged->name : "unknown", expected ? expected->name : "unknown");
}

static void check_initial_holding_force(struct verify *verify) {
  static const char *const names[6] = {"initial_holding_force.surge_n",  "initial_holding_force.sway_n",
                                       "initial_holding_force.heave_n",  "initial_holding_force.roll_nm",
                                       "initial_holding_force.pitch_nm", "initial_holding_force.yaw_nm"};
  const Sagbend__V1__BodyWrench *w = verify->replay->record->initial_holding_force;
  const double logged[6] = {w ? w->surge_n : 0, w ? w->sway_n : 0,   w ? w->heave_n : 0,
                            w ? w->roll_nm : 0, w ? w->pitch_nm : 0, w ? w->yaw_nm : 0};
  for (int i = 0; i < 6; i++)
    check_number(verify, names[i], logged[i],
                 verify->replay->engine.loop.command_def.initial_holding_force_b[i]);
}

static void check_setpoint(struct verify *verify) {
  const Sagbend__V1__Setpoint *s = verify->replay->record->setpoint;
  double expected[3];
  if (!setup_setpoint(&verify->replay->setup, expected)) // of a DP file, which is not read again
    return;
  check_number(verify, "setpoint.north_m", s ? s->north_m : 0, expected[0]);
  check_number(verify, "setpoint.east_m", s ? s->east_m : 0, expected[1]);
  check_number(verify, "setpoint.heading_rad", s ? s->heading_rad : 0, expected[2]);
}

// The random streams in the record are those from which the instruments draw.
static void check_streams(struct verify *verify) {
  const Sagbend__V1__SessionRecord *record = verify->replay->record;
  struct sensor_suite_stream ours;
  for (size_t i = 0; i <= record->n_random_streams; i++) {
    char texts[2][64] = {"none", "none"};
    if (i < record->n_random_streams)
      snprintf(texts[0], sizeof texts[0], "%.40s %016" PRIx64, record->random_streams[i]->name,
               record->random_streams[i]->seed);
    if (sensor_suite_stream(&verify->replay->setup.config.suite, (int)i, &ours))
      snprintf(texts[1], sizeof texts[1], "%.40s %016" PRIx64, ours.name, ours.seed);
    check_text(verify, "random_streams", texts[0], texts[1]);
  }
}

static void check_metadata(struct verify *verify) {
  const struct bytes *logged = &verify->replay->metadata;
  struct bytes expected = {0};
  if (session_metadata_content(verify->replay->record, &expected) == STATUS_OK && logged->size &&
      verify->replay->same_build &&
      (logged->size != expected.size || memcmp(logged->data, expected.data, expected.size) != 0))
    replay_contradicts(verify->replay, verify->replay->record->first_step, LOG_SESSION, "metadata",
                       "another text than the record's", "the record's");
  bytes_free(&expected);
}

void verify_record(struct verify *verify) {
  const Sagbend__V1__SessionRecord *record = verify->replay->record;
  const struct config *c = &verify->replay->setup.config;
  const struct command_def *def = &verify->replay->engine.loop.command_def;
  check_text(verify, "name", record->name, c->name);
  check_number(verify, "step_s", record->step_s, c->sim.step_s);
  check_mode(verify);
  check_number(verify, "control_period_steps", (double)record->control_period_steps,
               (double)def->period_steps);
  check_number(verify, "command_timeout_steps", (double)record->command_timeout_steps,
               (double)def->timeout_steps);
  check_number(verify, "node_count", record->node_count, sim_node_capacity(verify->replay->engine.plant.sim));
  check_initial_holding_force(verify);
  check_setpoint(verify);
  check_streams(verify);
  if (verify->replay->same_build)
    check_text(verify, "version", record->version, program_version());
  check_metadata(verify);
}
