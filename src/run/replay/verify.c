// replay --verify: the simulator runs again from the logged configuration and commands. Every state hash,
// every telemetry message, the events that follow from the steps and the end of the log are compared with the
// result.
#include "run/replay/replay_internal.h"

#include "net/messages/messages.h"
#include "os/cli/cli.h"
#include "os/process/process.h"
#include "run/setup/setup.h"
#include "sagbend/base/base.h"
#include "sagbend/engine/engine.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_AFTER_DIFFERENCE = 1000 }; // searched for a difference in a field that people can read

// The step of a message without a header.
static uint64_t step_of(enum log_topic topic, const ProtobufCMessage *m, uint64_t first_step) {
  switch (topic) {
  case LOG_STATE_HASH:
    return ((const Sagbend__V1__StateHash *)m)->step;
  case LOG_COMMAND:
    return ((const Sagbend__V1__CommandUsed *)m)->step;
  case LOG_ORDER:
    return ((const Sagbend__V1__OrderUsed *)m)->step;
  case LOG_END:
    return ((const Sagbend__V1__LogEnd *)m)->step;
  default:
    return first_step;
  }
}

static void compare_message(struct verify *verify, const struct mcap_message *m,
                            const ProtobufCMessage *message, uint64_t step) {
  enum log_topic topic = log_topic_of(m->channel);
  const struct difference *first = &verify->first;
  if (step > verify->replay->replayable_to || (first->found && step > first->step + STEPS_AFTER_DIFFERENCE))
    verify->ended = 1;
  else
    verify_advance(verify, step, topic);
  if (verify->ended || step < verify_step(verify)) // out of order: the rules have reported it
    return;

  if (topic == LOG_STATE_HASH)
    verify_compare_hash(verify, step, ((const Sagbend__V1__StateHash *)message)->hash, "hash", topic);
  else
    verify_compare_telemetry(verify, m, message, wire_header_in(message));
}

static void verify_rules_message(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                                 uint64_t step, const Sagbend__V1__Header *header);

static enum status verify_message(struct verify *verify, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  if (topic == LOG_CHAIN || topic == LOG_TOPIC_COUNT)
    return STATUS_OK;
  ProtobufCMessage *message;
  const enum status status = log_unpack(m, &message, why);
  if (status != STATUS_OK)
    return status;
  const Sagbend__V1__Header *header = wire_header_in(message);
  if (!header && wire_has_header(message->descriptor)) {
    log_free(message);
    return fail(why, STATUS_BAD_INPUT, "a message of %s has no header", log_topic_name(topic));
  }

  uint64_t step = header ? header->step : step_of(topic, message, verify->replay->record->first_step);
  verify_rules_message(verify, m, topic, step, header);
  if (topic == LOG_EVENT)
    verify_events_logged(verify, (const Sagbend__V1__Event *)message);
  if (topic == LOG_TIMING)
    verify->frames_dropped += ((const Sagbend__V1__Timing *)message)->dropped_frames;
  if (log_topic_kind(topic) == TOPIC_COMPUTED)
    compare_message(verify, m, message, step);
  log_free(message);
  return STATUS_OK;
}

// Compares the reason of the end: a fault must be the replay's too, and the duration must give the last step.
static void compare_reason_of_end(struct verify *verify) {
  const struct replay *replay = verify->replay;
  const Sagbend__V1__LogEnd *end = replay->end;
  int replayed_fault = verify->replay->engine.loop.frame.output.fault != 0;
  int logged_fault = !strcmp(end->why, run_end_text(END_FAULT));
  if (replayed_fault != logged_fault)
    verify_record_difference(&verify->first, end->step, LOG_END, "why", end->why,
                             replayed_fault ? "fault" : "no fault");

  const struct config *config = &replay->setup.config;
  uint64_t steps = steps_in_period_or_off(config->run.duration_s, config->sim.step_s);
  uint64_t last = !steps ? UINT64_MAX : steps;
  if (last < replay->record->first_step) // resumed beyond its end
    last = replay->record->first_step;
  if (replay->same_build && !strcmp(end->why, run_end_text(END_REACHED)) && end->step != last)
    verify_record_difference(&verify->first, end->step, LOG_END, "why", end->why,
                             "another end: the duration has another last step");
}

// Compares the verdicts, except those on the wall clock, which a replay cannot judge. Logs of older programs
// have none.
static void compare_verdicts(struct verify *verify) {
  static const char *const names[] = {"not stated", "passed", "failed", "not judged"};
  struct replay *replay = verify->replay;
  const Sagbend__V1__LogEnd *end = replay->end;
  const struct scenario_def *def = &replay->setup.config.scenario;
  size_t count = (size_t)def->verdict_count;
  if (end->n_written && end->n_verdict != count)
    replay_contradicts_number(replay, end->step, LOG_END, "number of verdicts", end->n_verdict, count);

  for (size_t i = 0; i < end->n_verdict && i < count; i++) {
    const struct verdict_def *verdict = &def->verdict[i];
    const Sagbend__V1__VerdictOutcome *stated = end->verdict[i];
    unsigned logged = (unsigned)stated->result < 4u ? (unsigned)stated->result : 0;
    unsigned replayed = verdict_result(&verify->replay->engine.loop.scenario.verdict[i], verdict) + 1u;
    char field[SIGNAL_NAME + 16];
    snprintf(field, sizeof field, "verdict %s", verdict->name);
    if (strcmp(stated->name, verdict->name) != 0)
      verify_record_difference(&verify->first, end->step, LOG_END, "verdict", stated->name, verdict->name);
    else if (logged != replayed && !quantity_is_of_clock(verdict->quantity))
      verify_record_difference(&verify->first, end->step, LOG_END, field, names[logged], names[replayed]);
  }
}

static void compare_end(struct verify *verify) {
  const Sagbend__V1__LogEnd *end = verify->replay->end;
  if (verify->ended || verify->first.found || !end || end->step < verify_step(verify) ||
      end->step > verify->replay->replayable_to)
    return;
  verify_advance(verify, end->step, LOG_END);
  if (verify->ended)
    return;
  verify_compare_hash(verify, end->step, end->state_hash, "state_hash", LOG_END);
  verify->replay->has_last_state = verify_state_digest(verify, &verify->replay->last_state) == STATUS_OK;
  compare_reason_of_end(verify);
  if (!verify->first.found)
    compare_verdicts(verify);
  verify_events_end(verify);
  verify_apply_orders(verify); // those that ended the session, with its last checkpoint
}

static void verify_rules_end(struct verify *verify);

static enum status compare_whole(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  uint64_t first = replay->record->first_step;
  compare_end(verify);
  if (verify_step(verify) == first && (!replay->end || replay->end->step != first))
    replay_add_gap(replay, "it contains nothing to compare after its first state");
  if (!verify->first.found)
    verify_rules_end(verify);
  return verify->first.found ? STATUS_OK : verify_events_compare(verify, why);
}

// Another build may hash a state otherwise. Then the first hash, of a state that no step has changed yet, is
// already another one; telemetry shows whether the states are equal.
static void compare_first_hash(struct verify *verify) {
  struct replay *replay = verify->replay;
  const uint64_t logged = replay->record->initial_state_hash;
  if (!replay->same_build && sim_hash(verify->replay->engine.plant.sim) != logged) {
    verify->is_hashed_otherwise = 1;
    replay_add_gap(replay,
                   "its state hashes cannot be verified: its build has another hash for the first state; "
                   "only its telemetry was compared");
    return;
  }
  verify_compare_hash(verify, verify_step(verify), logged, "initial_state_hash", LOG_SESSION);
}

static void verify_rules_start(struct verify *verify);

static enum status compare_log(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  struct reason cause = {""};
  struct mcap_reader *reader;
  struct mcap_message message;
  enum status status = mcap_reader_open(replay->path, MCAP_STRICT, &reader, &cause);
  if (status != STATUS_OK)
    return replay_unusable(replay, why, status, cause.text);

  compare_first_hash(verify);
  verify_rules_start(verify);
  verify_record(verify);
  verify_events_start(verify);
  int got = MCAP_MESSAGE_READ; // damage is a gap that the first reading has found
  while (status == STATUS_OK && !verify->ended && !(verify->first.found && verify->telemetry.found) &&
         (got = mcap_reader_next(reader, &message, &cause)) > 0)
    status = verify_message(verify, &message, &cause);
  mcap_reader_close(reader);

  if (got == MCAP_NO_MEMORY)
    status = STATUS_NO_MEMORY;
  if (status == STATUS_OK)
    status = compare_whole(verify, &cause);
  console_end(&replay->console);
  return status == STATUS_OK ? STATUS_OK : replay_unusable(replay, why, status, cause.text);
}

// Compares the signature with the key of --key. cause must outlive verify.
static enum status check_key(struct verify *verify, struct reason *cause, struct reason *why) {
  const char *path = verify->replay->options->key_path;
  struct log_public_key key;
  if (!path)
    return STATUS_OK;
  if (log_key_read_public(path, &key, cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--key: %s", cause->text);
  if (!log_check_is_by(&verify->replay->chain, &key, cause))
    verify->not_signed_because = cause->text;
  return STATUS_OK;
}

static enum status verify_start(struct verify *verify, struct reason *why);

static enum status verify_all(struct verify *verify, struct reason *why) {
  struct reason not_signed = {""};
  enum status status = check_key(verify, &not_signed, why);
  if (status == STATUS_OK)
    status = verify_start(verify, why);
  if (status == STATUS_OK && verify_state_digest(verify, &verify->replay->first_state) != STATUS_OK)
    status = replay_unusable(verify->replay, why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    verify_capture(verify);
  verify->start_ns = os_now_ns();
  if (status == STATUS_OK)
    status = compare_log(verify, why);
  if (status != STATUS_OK)
    return status;

  double wall_s = 1e-9 * (double)(os_now_ns() - verify->start_ns);
  if (verify->replay->in_series)
    verify->replay->report = verify_report_object(verify, wall_s);
  else if (verify->replay->options->json)
    status = verify_report_json(verify, wall_s, why);
  else
    verify_report_table(verify, wall_s);
  return status;
}

enum status replay_verify(struct replay *replay, enum replay_result *result, struct reason *why) {
  struct verify *verify = calloc(1, sizeof *verify);
  if (!verify)
    return replay_unusable(replay, why, STATUS_NO_MEMORY, "out of memory");
  verify->replay = replay;
  if (!replay->same_build && (!replay->in_series || replay->is_first_in_series))
    console_line(&replay->console,
                 "notice: %s was written by another build (version %s, build %s), this is version %s, build "
                 "%s: equal bits are not promised",
                 replay->path, replay->record->version, replay->record->build, program_version(),
                 program_build().text);

  enum status status = verify_all(verify, why);
  if (status == STATUS_OK) {
    *result = verify_result(verify);
    replay->steps_replayed = verify_step(verify) - replay->record->first_step;
  }
  verify_events_free(verify);
  free(verify->bytes);
  free(verify->nodes);
  free(verify->node_scratch);
  free(verify);
  return status;
}

// ------------------------------------------------------------
// The state that a session began with: at rest, or resumed from the checkpoint in its record; and digests of
// states, by which logs that belong together are compared.

// Finds commands that no simulator with this configuration accepts, and orders that do not begin with the
// first. Nothing after them is replayed.
static void check_inputs(struct verify *verify) {
  struct replay *replay = verify->replay;
  for (size_t i = 0; i < replay->command_count; i++) {
    const struct logged_command *logged = &replay->commands[i];
    struct reason why = {""};
    if (command_is_valid(&verify->replay->engine.loop.command_def, &logged->command, &why))
      continue;
    replay_contradicts(replay, logged->step, LOG_COMMAND, "effort", why.text,
                       "a command that a simulator accepts");
    replay->replayable_to = logged->step < replay->replayable_to ? logged->step : replay->replayable_to;
    break;
  }

  uint64_t expected = verify->replay->engine.loop.scenario.events.last_order + 1;
  if (!replay->order_count || replay->used_orders[0]->number == expected)
    return;
  if (replay->used_orders[0]->number > expected)
    replay_add_gap(replay, "operator's orders are missing before number %" PRIu64,
                   replay->used_orders[0]->number);
  else
    replay_contradicts_number(replay, replay->orders[0].step, LOG_ORDER, "number",
                              replay->used_orders[0]->number, expected);
  replay->replayable_to = replay->record->first_step;
}

// The checkpoint carries version and build of the log: one of another build is tried, and reported.
static enum status resume(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  const Sagbend__V1__SessionRecord *record = replay->record;
  struct checkpoint_identity identity = {.model_hash = replay->setup.config.model_hash};
  struct reason cause = {""};
  snprintf(identity.config_name, sizeof identity.config_name, "%s", replay->setup.config.name);
  snprintf(identity.version, sizeof identity.version, "%s", record->version);
  snprintf(identity.build, sizeof identity.build, "%s", record->build);

  const enum status status = engine_restore(&verify->replay->engine, record->checkpoint.data,
                                            record->checkpoint.len, &identity, &cause);
  if (status != STATUS_OK) {
    char text[sizeof cause.text + 160], other[96] = "";
    if (!replay->same_build)
      snprintf(other, sizeof other, "; its build, %.48s, can verify it", shown(record->build).text);
    snprintf(text, sizeof text, "the checkpoint that it begins with: %s%s", cause.text, other);
    return replay_unusable(replay, why, status, text);
  }
  return STATUS_OK;
}

static enum status allocate(struct verify *verify, struct reason *why) {
  size_t count = (size_t)sim_node_capacity(verify->replay->engine.plant.sim) + 1;
  verify->capacity = wire_nodes_bytes(count);
  verify->bytes = malloc(verify->capacity);
  verify->nodes = malloc(count * sizeof *verify->nodes);
  verify->node_scratch = malloc(NODE_COLUMN_COUNT * count * sizeof *verify->node_scratch);
  if (verify->bytes && verify->nodes && verify->node_scratch)
    return STATUS_OK;
  return replay_unusable(verify->replay, why, STATUS_NO_MEMORY, "out of memory");
}

// Creates the state that the session began with, and room for messages.
static enum status verify_start(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  const Sagbend__V1__Setpoint *logged = replay->record->setpoint;
  const double setpoint[3] = {logged ? logged->north_m : 0, logged ? logged->east_m : 0,
                              logged ? logged->heading_rad : 0};
  const struct error_sink errors = error_to(stderr);
  struct plant plant;
  enum status status = plant_create(&plant, &replay->setup, &errors, why);
  if (status != STATUS_OK) {
    plant_free(&plant);
    return status;
  }
  engine_begin_replay(&verify->replay->engine, &replay->setup, &plant, logged ? setpoint : NULL);
  const struct statics_report *statics = sim_statics(verify->replay->engine.plant.sim);
  if (statics->unstable_left)
    console_line(&replay->console, "warning: %s: %s", replay->setup.config.name,
                 plant_unstable_text(statics).text);
  if (replay->record->checkpoint.len)
    status = resume(verify, why);
  if (status != STATUS_OK)
    return status;
  const uint64_t start_utc_ns = replay->record->start_utc_ns;
  verify->replay->engine.loop.frame.start_utc_ns =
      start_utc_ns ? start_utc_ns : setup_start_utc(&replay->setup).ns;
  if (verify_step(verify) != replay->record->first_step)
    return replay_unusable(replay, why, STATUS_BAD_INPUT,
                           "it does not contain the state that it begins with");

  check_inputs(verify);
  return allocate(verify, why);
}

// ------------------------------------------------------------
// What holds for every message of a log, whatever its content: its number among those of its topic, its step
// and times, the session; and that none is missing of those that the configuration asks for.

static uint64_t every(const struct verify *verify, const struct log_rate *rate) {
  return rate->off ? 0 : steps_in_period(rate->period_s, verify->replay->setup.config.sim.step_s);
}

// Rules for every message. header: NULL where the topic has none. End: finds missing messages.
static void verify_rules_start(struct verify *verify) {
  const struct config *c = &verify->replay->setup.config;
  struct topic_count *t = verify->topics;
  t[LOG_SENSORS].every = every(verify, &c->log.sensors);
  t[LOG_TRUTH].every = every(verify, &c->log.truth);
  t[LOG_NODES].every = sim_node_count(verify->replay->engine.plant.sim) ? every(verify, &c->log.nodes) : 0;
  t[LOG_LEDGER].every = every(verify, &c->log.ledger);
  t[LOG_TIMING].every = every(verify, &c->log.timing);
  t[LOG_STATE_HASH].every = every(verify, &c->log.state_hash);
  for (int i = 0; i < LOG_TOPIC_COUNT; i++)
    t[i].next_due = t[i].last_step = verify->replay->record->first_step;
}

static int is_periodic(enum log_topic t) {
  return log_topic_kind(t) == TOPIC_COMPUTED || log_topic_kind(t) == TOPIC_TIMED;
}

// Steps below this one at which a message was due.
static uint64_t due_below(const struct verify *verify, const struct topic_count *t, uint64_t step) {
  uint64_t first = verify->replay->record->first_step;
  return step <= first ? 0 : 1 + (step - 1) / t->every - first / t->every;
}

static void miss(const struct verify *verify, struct topic_count *t, uint64_t before_step) {
  uint64_t missing = due_below(verify, t, before_step) - due_below(verify, t, t->next_due);
  if (missing && !t->missing)
    t->missing_at = t->next_due;
  t->missing += missing;
}

static void check_period(struct verify *verify, enum log_topic topic, uint64_t step) {
  struct topic_count *t = &verify->topics[topic];
  if (!t->every) {
    if (verify->replay->same_build)
      replay_contradicts(verify->replay, step, topic, "message", "there",
                         "none: the configuration logs none of this topic");
    return;
  }
  if (step < t->next_due || (step % t->every && step != verify->replay->record->first_step)) {
    if (verify->replay->same_build || step < t->next_due)
      replay_contradicts_number(verify->replay, step, topic, "step", step, t->next_due);
    return;
  }
  miss(verify, t, step);
  t->next_due = step / t->every * t->every + t->every;
}

static void check_times(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                        uint64_t step) {
  double expected_ns = 1e9 * ((double)step * verify->replay->setup.config.sim.step_s),
         at_ns = (double)m->log_time_ns;
  char texts[2][40];
  snprintf(texts[0], sizeof texts[0], "%.17g", 1e-9 * at_ns);
  snprintf(texts[1], sizeof texts[1], "%.17g", 1e-9 * expected_ns);
  if (!(fabs(at_ns - expected_ns) <= 1000 + 1e-12 * expected_ns))
    replay_contradicts(verify->replay, step, topic, "log time", texts[0], texts[1]);
  if (m->publish_time_ns != m->log_time_ns)
    replay_contradicts_number(verify->replay, step, topic, "publish time", m->publish_time_ns,
                              m->log_time_ns);
}

// The main thread numbers these by itself, and each part of a log begins with the newest LOG_SESSION_INFO.
static int is_for_views(enum log_topic t) {
  return log_topic_kind(t) == TOPIC_SHOWN;
}

// Messages of a topic are numbered without gaps as they come into the file.
static void check_sequence(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                           uint64_t step, const Sagbend__V1__Header *header) {
  struct topic_count *t = &verify->topics[topic];
  uint64_t sequence = header && !is_for_views(topic) ? header->sequence : m->sequence;
  if ((uint32_t)sequence != m->sequence)
    replay_contradicts_number(verify->replay, step, topic, "header.sequence", sequence, m->sequence);
  if (sequence <= t->sequence)
    replay_contradicts_number(verify->replay, step, topic, "sequence", sequence, t->sequence + 1);
  else if (sequence > t->sequence + 1)
    replay_add_gap(verify->replay,
                   "%" PRIu64 " messages of topic %s are missing before step %" PRIu64 ", by their numbers",
                   sequence - t->sequence - 1, log_topic_name(topic), step);
  t->sequence = sequence;
}

static void verify_rules_message(struct verify *verify, const struct mcap_message *m, enum log_topic topic,
                                 uint64_t step, const Sagbend__V1__Header *header) {
  struct replay *replay = verify->replay;
  struct topic_count *t = &verify->topics[topic];
  if (header && strcmp(header->session, replay->record->session) != 0)
    replay_contradicts(replay, step, topic, "header.session", header->session, replay->record->session);
  check_sequence(verify, m, topic, step, header);
  if (topic != LOG_SESSION_INFO)
    check_times(verify, m, topic, step);
  if (replay->end && step > replay->end->step)
    replay_contradicts_number(replay, step, topic, "step behind the session's end", step, replay->end->step);
  if (step < t->last_step && topic != LOG_EVENT &&
      topic != LOG_SESSION_INFO) // an event may come before the session's first frame
    replay_contradicts_number(replay, step, topic, "step", step, t->last_step);
  t->last_step = step;
  if (is_periodic(topic))
    check_period(verify, topic, step);
}

static uint64_t stated_as_dropped(const struct replay *replay, enum log_topic t) {
  uint64_t sum = 0;
  for (size_t i = 0; replay->end && i < replay->end->n_dropped; i++)
    sum += strcmp(replay->end->dropped[i]->topic, log_topic_name(t)) ? 0 : replay->end->dropped[i]->messages;
  return sum;
}

// Compares the messages of each topic with the numbers that the log's end states. Older programs stated none.
static void check_counts(struct replay *replay) {
  const Sagbend__V1__LogEnd *end = replay->end;
  if (!end)
    return;
  if (replay->same_build && end->n_written != LOG_END)
    replay_contradicts_number(replay, end->step, LOG_END, "number of topics counted", end->n_written,
                              LOG_END);

  for (size_t i = 0; i < end->n_written; i++) {
    const Sagbend__V1__TopicCount *stated = end->written[i];
    enum log_topic topic = log_topic_by_name(stated->topic);
    uint64_t found = topic < LOG_TOPIC_COUNT ? replay->topic_messages[topic] : 0;
    if (found > stated->messages)
      replay_contradicts_number(replay, end->step, topic, "number of messages", found, stated->messages);
    else if (found < stated->messages)
      replay_add_gap(replay, "%" PRIu64 " messages of topic %.64s are missing: its end states %" PRIu64,
                     stated->messages - found, stated->topic, stated->messages);
  }
}

static void verify_rules_end(struct verify *verify) {
  struct replay *replay = verify->replay;
  if (verify->ended)
    return;
  check_counts(replay);
  for (int i = 0; i < LOG_TOPIC_COUNT; i++) {
    enum log_topic topic = (enum log_topic)i;
    struct topic_count *t = &verify->topics[i];
    uint64_t stated = stated_as_dropped(replay, topic);
    int counted = is_periodic(topic) && t->every;
    if (counted && replay->end && replay->end->step != UINT64_MAX)
      miss(verify, t, replay->end->step + 1);
    if (counted && replay->end && stated > t->missing && replay->same_build)
      replay_contradicts_number(replay, replay->end->step, LOG_END, "dropped", stated, t->missing);
    if (counted && t->missing)
      replay_add_gap(replay,
                     "%" PRIu64 " messages of topic %s are missing, the first at step %" PRIu64
                     "; its end says %" PRIu64,
                     t->missing, log_topic_name(topic), t->missing_at, stated);
    else if (stated)
      replay_add_gap(replay, "%" PRIu64 " messages of topic %s did not reach it", stated,
                     log_topic_name(topic));
  }
}
