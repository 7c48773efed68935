// Reads the log once: session, commands, orders, end and chain. Nothing in it is trusted: a number that
// cannot be right is a contradiction, a missing number makes the log incomplete.
#include "run/replay/replay.h"

#include "net/messages/message_parts.h"
#include "log/log/order_used.h"
#include "log/log/session_record.h"
#include "log/mcap/mcap_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void take_wrench(const Sagbend__V1__BodyWrench *w, double out[6]) {
  const double values[6] = {w->surge_n, w->sway_n, w->heave_n, w->roll_nm, w->pitch_nm, w->yaw_nm};
  memcpy(out, values, sizeof values);
}

static void limit_replay_to(struct replay *replay, uint64_t step) {
  replay->replayable_to = step < replay->replayable_to ? step : replay->replayable_to;
}

// Commands that a step used are numbered without gaps: nothing after a gap can be replayed. Returns 0 for a
// command that no step used.
static int is_next_command(struct replay *replay, const Sagbend__V1__CommandUsed *m) {
  const struct logged_command *last =
      replay->command_count ? &replay->commands[replay->command_count - 1] : NULL;
  uint64_t first = last ? last->step + 1 : replay->record->first_step;
  if (m->superseded)
    return 0;
  if (m->number <= replay->newest_number)
    replay_contradicts_number(replay, m->step, LOG_COMMAND, "number", m->number, replay->newest_number + 1);
  else
    replay->newest_number = m->number;
  if (replay->replayable_to != UINT64_MAX)
    return 0;
  if (m->number > replay->command_number + 1) {
    replay_add_gap(replay, "commands are missing after number %" PRIu64, replay->command_number);
    limit_replay_to(replay, first);
    return 0;
  }
  if (m->number == replay->command_number + 1 && m->step >= first)
    return 1;
  if (m->number > replay->command_number)
    replay_contradicts_number(replay, m->step, LOG_COMMAND, "step", m->step, first);
  limit_replay_to(replay, first);
  return 0;
}

static enum status read_command(const Sagbend__V1__CommandUsed *m, struct command *out, struct reason *why) {
  *out = (struct command){.sequence = m->sequence, .based_on_step = m->based_on_step};
  if (wire_read_tensioner_command(m->tensioner, &out->tensioner, why) != STATUS_OK ||
      wire_read_stops(m->emergency_stop, m->n_emergency_stop, &out->stops, why) != STATUS_OK ||
      wire_read_consequence(m->consequence, &out->consequence, NULL, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  switch (m->effort_case) {
  case SAGBEND__V1__COMMAND_USED__EFFORT_WRENCH:
    take_wrench(m->wrench, out->wrench_b);
    return STATUS_OK;
  case SAGBEND__V1__COMMAND_USED__EFFORT_THRUSTERS:
    return wire_read_thruster_commands(m->thrusters, out, why);
  case SAGBEND__V1__COMMAND_USED__EFFORT_STANDBY:
    out->standby = 1;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "neither wrench nor thrusters nor standby");
  }
}

static enum status take_command(struct replay *replay, const Sagbend__V1__CommandUsed *m,
                                struct reason *why) {
  struct reason error;
  if (!is_next_command(replay, m))
    return STATUS_OK;
  replay->command_number = m->number;
  if (replay->command_count == replay->command_capacity) {
    size_t capacity = 2 * replay->command_capacity + 1024;
    struct logged_command *more = realloc(replay->commands, capacity * sizeof *more);
    if (!more)
      return fail(why, STATUS_NO_MEMORY, "out of memory for its commands");
    replay->commands = more;
    replay->command_capacity = capacity;
  }

  struct logged_command *logged = &replay->commands[replay->command_count];
  logged->step = m->step;
  logged->alarms = m->n_alarm ? calloc(1, sizeof *logged->alarms) : NULL;
  if (m->n_alarm && !logged->alarms)
    return fail(why, STATUS_NO_MEMORY, "out of memory for its alarms");
  if (read_command(m, &logged->command, &error) == STATUS_OK &&
      (!logged->alarms || wire_read_alarms(m->alarm, m->n_alarm, logged->alarms, &error) == STATUS_OK)) {
    replay->command_count++;
    return STATUS_OK;
  }
  free(logged->alarms);
  replay_contradicts(replay, m->step, LOG_COMMAND, "effort", error.text,
                     "a command that a simulator accepts");
  limit_replay_to(replay, m->step);
  return STATUS_OK;
}

// Keeps the order encoded until the configuration, which contains the names of its targets, is loaded.
static enum status take_order(struct replay *replay, Sagbend__V1__OrderUsed *m, struct reason *why) {
  const Sagbend__V1__OrderUsed *last =
      replay->order_count ? replay->used_orders[replay->order_count - 1] : NULL;
  if (last && (m->number != last->number + 1 || m->step < last->step)) {
    if (m->number > last->number + 1)
      replay_add_gap(replay, "operator's orders are missing after number %" PRIu64, last->number);
    else if (m->number != last->number + 1)
      replay_contradicts_number(replay, m->step, LOG_ORDER, "number", m->number, last->number + 1);
    else
      replay_contradicts_number(replay, m->step, LOG_ORDER, "step", m->step, last->step);
    limit_replay_to(replay, last->step + 1);
    log_free(&m->base);
    return STATUS_OK;
  }
  if (replay->order_count == replay->order_capacity) {
    size_t capacity = 2 * replay->order_capacity + 64;
    Sagbend__V1__OrderUsed **more = realloc(replay->used_orders, capacity * sizeof *more);
    if (!more) {
      log_free(&m->base);
      return fail(why, STATUS_NO_MEMORY, "out of memory for its orders");
    }
    replay->used_orders = more;
    replay->order_capacity = capacity;
  }
  replay->used_orders[replay->order_count++] = m;
  return STATUS_OK;
}

static int is_read(enum log_topic t) {
  return t == LOG_SESSION || t == LOG_COMMAND || t == LOG_ORDER || t == LOG_STATE_HASH || t == LOG_END;
}

static enum status take_message(struct replay *replay, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  replay->message_count++;
  if (topic < LOG_TOPIC_COUNT && !replay->end)
    replay->topic_messages[topic]++;
  if (!replay->record && topic != LOG_SESSION)
    return fail(why, STATUS_BAD_INPUT, "a session's log expected, the first message is of topic %.64s",
                m->channel->topic);
  if (replay->end && topic != LOG_CHAIN && topic != LOG_TOPIC_COUNT)
    replay_contradicts(replay, replay->end->step, topic, "place", "behind the session's end", "before it");
  if (!is_read(topic))
    return STATUS_OK;
  ProtobufCMessage *message = log_unpack(m, why);
  if (!message)
    return STATUS_BAD_INPUT;
  enum status status = STATUS_OK;
  if (topic == LOG_SESSION && !replay->record) {
    replay->record = (Sagbend__V1__SessionRecord *)message;
    replay->last_step = replay->record->first_step;
    if (replay->record->part)
      replay->command_number = replay->newest_number = replay->record->part->commands_before;
    return STATUS_OK;
  }
  if (topic == LOG_END && !replay->end) {
    replay->end = (Sagbend__V1__LogEnd *)message;
    return STATUS_OK;
  }
  if (topic == LOG_ORDER)
    return take_order(replay, (Sagbend__V1__OrderUsed *)message, why);
  if (topic == LOG_SESSION)
    replay_contradicts(replay, replay->record->first_step, topic, "number of records", "a second one", "one");
  if (topic == LOG_COMMAND)
    status = take_command(replay, (const Sagbend__V1__CommandUsed *)message, why);
  if (topic == LOG_STATE_HASH && ((const Sagbend__V1__StateHash *)message)->step > replay->last_step)
    replay->last_step = ((const Sagbend__V1__StateHash *)message)->step;
  log_free(message);
  return status;
}

// The session's metadata precedes or follows its record: it is kept until both are read.
static void keep_metadata(void *context, uint8_t kind, const uint8_t *content, size_t size) {
  struct replay *replay = context;
  size_t length = sizeof SESSION_METADATA - 1;
  if (kind != MCAP_METADATA || size < 4 + length || mcap_get32(content) != length ||
      memcmp(content + 4, SESSION_METADATA, length) != 0)
    return;
  if (replay->metadata.size)
    replay_contradicts(replay, replay->last_step, LOG_SESSION, "metadata", "there twice", "once");
  else
    bytes_put(&replay->metadata, content, size);
}

static void check_end(struct replay *replay) {
  const Sagbend__V1__LogEnd *end = replay->end;
  uint64_t first = replay->record->first_step;
  if (!end) {
    replay_add_gap(replay, "the session's end is not in it");
    return;
  }
  if (end->step < replay->last_step)
    replay_contradicts_number(replay, replay->last_step, LOG_END, "step", end->step, replay->last_step);
  replay->last_step = end->step;
  if (end->step < first)
    replay_contradicts_number(replay, first, LOG_END, "step", end->step, first);
  if (end->commands_missing) {
    replay_add_gap(replay, "commands did not reach it: it says that it can be replayed to step %" PRIu64,
                   end->replayable_to_step);
    limit_replay_to(replay, end->replayable_to_step);
  }
  for (size_t i = replay->command_count; i > 0 && replay->commands[i - 1].step >= end->step; i--)
    replay_contradicts_number(replay, replay->commands[i - 1].step, LOG_COMMAND, "step",
                              replay->commands[i - 1].step, end->step);
  if (replay->order_count && replay->used_orders[replay->order_count - 1]->step > end->step)
    replay_contradicts_number(replay, end->step, LOG_ORDER, "step",
                              replay->used_orders[replay->order_count - 1]->step, end->step);
}

static void take_chain(struct replay *replay) {
  if (replay->chain.state == LOG_CHAIN_NONE)
    replay_add_gap(replay,
                   "it has no chain: nothing shows that what cannot be computed again is as it was written");
  if (replay->chain.state == LOG_CHAIN_GAPS) { // commands may be among them
    replay_add_gap(replay, "%" PRIu64 " records are missing between the links of its chain, after t = %.9g s",
                   replay->chain.missing, 1e-9 * (double)replay->chain.gap_ns);
    double step = 1e-9 * (double)replay->chain.gap_ns / replay->record->step_s;
    limit_replay_to(replay, step >= 0 && step < 1e15 ? (uint64_t)(step + 0.5) : replay->record->first_step);
  }
  if (replay->chain.recovered)
    replay_add_gap(replay, "it was recovered from another file");
}

static enum status read_messages(struct replay *replay, struct mcap_reader *reader, struct log_check *check,
                                 struct reason *why) {
  struct mcap_message message;
  enum status status = STATUS_OK;
  int got = 0;
  while (status == STATUS_OK && (got = mcap_reader_next(reader, &message, why)) > 0) {
    log_check_message(check, &message);
    status = take_message(replay, &message, why);
  }
  if (got < 0)
    replay_add_gap(replay, "%s", why->text);
  replay->chain = *log_check_finish(check, got == 0);
  return status;
}

enum status replay_scan(struct replay *replay, struct reason *why) {
  struct reason cause = {""};
  struct mcap_reader *reader;
  if (mcap_reader_open(replay->path, MCAP_STRICT, &reader, &cause) != STATUS_OK)
    return replay_unusable(replay, why, cause.text);
  struct log_check *check = log_check_open(reader);
  if (!check) {
    mcap_reader_close(reader);
    return replay_unusable(replay, why, "out of memory");
  }
  log_check_on_record(check, keep_metadata, replay);

  enum status status = read_messages(replay, reader, check, &cause);
  log_check_free(check);
  mcap_reader_close(reader);
  if (status != STATUS_OK || !replay->record)
    return replay_unusable(replay, why, *cause.text ? cause.text : "it contains no message");
  if (replay->chain.derived && replay->options->verify)
    return replay_unusable(replay, why,
                           "it is a derived copy ('sagbend log scene'), not a log; verify the log itself");
  check_end(replay);
  take_chain(replay);
  return STATUS_OK;
}
