// replay --verify: the simulator runs again from the logged configuration and commands. Every state hash,
// every telemetry message, the events that follow from the steps and the end of the log are compared with the
// result.
#include "run/replay/replay_internal.h"

#include "os/cli/version.h"
#include "sagbend/base/steps.h"
#include "net/messages/message_parts.h"
#include "run/setup/run_end.h"

#include "os/process/process.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_AFTER_DIFFERENCE = 1000 }; // searched for a difference in a field that people can read

// The step that a message without a header tells of.
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

static enum status verify_message(struct verify *verify, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  if (topic == LOG_CHAIN || topic == LOG_TOPIC_COUNT)
    return STATUS_OK;
  ProtobufCMessage *message = log_unpack(m, why);
  if (!message)
    return STATUS_BAD_INPUT;
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

static void compare_whole(struct verify *verify) {
  struct replay *replay = verify->replay;
  uint64_t first = replay->record->first_step;
  compare_end(verify);
  if (verify_step(verify) == first && (!replay->end || replay->end->step != first))
    replay_add_gap(replay, "it contains nothing to compare after its first state");
  if (!verify->first.found)
    verify_rules_end(verify);
  if (!verify->first.found)
    verify_events_compare(verify);
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

static enum status compare_log(struct verify *verify, struct reason *why) {
  struct replay *replay = verify->replay;
  struct reason cause = {""};
  struct mcap_reader *reader;
  struct mcap_message message;
  if (mcap_reader_open(replay->path, MCAP_STRICT, &reader, &cause) != STATUS_OK)
    return replay_unusable(replay, why, cause.text);

  compare_first_hash(verify);
  verify_rules_start(verify);
  verify_record(verify);
  verify_events_start(verify);
  enum status status = STATUS_OK;
  while (status == STATUS_OK && !verify->ended && !(verify->first.found && verify->telemetry.found) &&
         mcap_reader_next(reader, &message, &cause) > 0)
    status = verify_message(verify, &message, &cause);
  mcap_reader_close(reader);

  if (status == STATUS_OK)
    compare_whole(verify);
  console_end(&replay->console);
  return status == STATUS_OK ? STATUS_OK : replay_unusable(replay, why, cause.text);
}

enum replay_result verify_result(const struct verify *verify) {
  const struct replay *replay = verify->replay;
  if (verify->first.found || replay->contradiction.found || replay->chain.state == LOG_CHAIN_BROKEN ||
      verify->not_signed_because)
    return REPLAY_DIFFERENT;
  return replay->gap_count ? REPLAY_INCOMPLETE : REPLAY_EQUAL;
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

static enum status verify_all(struct verify *verify, struct reason *why) {
  struct reason not_signed = {""};
  enum status status = check_key(verify, &not_signed, why);
  if (status == STATUS_OK)
    status = verify_start(verify, why);
  if (status == STATUS_OK && verify_state_digest(verify, &verify->replay->first_state) != STATUS_OK)
    status = replay_unusable(verify->replay, why, "out of memory");
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
    return replay_unusable(replay, why, "out of memory");
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
