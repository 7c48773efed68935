// The log read through once: its session, commands, orders and end, and its chain. Nothing here is believed:
// numbers that cannot be are differences, numbers that are not there make the log incomplete.
#include "replay/replay.h"

#include "io/codec/message_parts.h"
#include "io/log/order_used.h"
#include "io/log/session_record.h"
#include "io/mcap/mcap_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void take_wrench(const Sagbend__V1__BodyWrench *w, double out[6]) {
  const double values[6] = {w->surge_n, w->sway_n, w->heave_n, w->roll_nm, w->pitch_nm, w->yaw_nm};
  memcpy(out, values, sizeof values);
}

static void replayable_to(struct replay *r, uint64_t step) {
  r->replayable_to = step < r->replayable_to ? step : r->replayable_to;
}

// Used commands are numbered without gaps: beyond a gap nothing can be replayed. 0: the command is not used.
static int is_next_command(struct replay *r, const Sagbend__V1__CommandUsed *m) {
  const struct logged_command *last = r->command_count ? &r->commands[r->command_count - 1] : NULL;
  uint64_t first = last ? last->step + 1 : r->record->first_step;
  if (m->superseded)
    return 0;
  if (m->number <= r->newest_number)
    replay_differs_in_number(r, m->step, LOG_COMMAND, "number", m->number, r->newest_number + 1);
  else
    r->newest_number = m->number;
  if (r->replayable_to != UINT64_MAX)
    return 0;
  if (m->number > r->command_number + 1) {
    replay_misses(r, "commands are missing after number %" PRIu64, r->command_number);
    replayable_to(r, first);
    return 0;
  }
  if (m->number == r->command_number + 1 && m->step >= first)
    return 1;
  if (m->number > r->command_number)
    replay_differs_in_number(r, m->step, LOG_COMMAND, "step", m->step, first);
  replayable_to(r, first);
  return 0;
}

static enum status take_command(struct replay *r, const Sagbend__V1__CommandUsed *m, struct reason *why) {
  if (!is_next_command(r, m))
    return STATUS_OK;
  r->command_number = m->number;
  if (r->command_count == r->command_capacity) {
    size_t capacity = 2 * r->command_capacity + 1024;
    struct logged_command *more = realloc(r->commands, capacity * sizeof *more);
    if (!more)
      return fail(why, STATUS_NO_MEMORY, "out of memory for its commands");
    r->commands = more;
    r->command_capacity = capacity;
  }
  struct reason error;
  enum status read = STATUS_OK;
  struct logged_command *c = &r->commands[r->command_count];
  *c = (struct logged_command){.step = m->step,
                               .command = {.sequence = m->sequence, .based_on_step = m->based_on_step}};
  if (m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_WRENCH)
    take_wrench(m->wrench, c->command.wrench_b);
  else if (m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_THRUSTERS)
    read = wire_read_thruster_commands(m->thrusters, &c->command, &error);
  else if (m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_STANDBY)
    c->command.standby = 1;
  else
    read = fail(&error, STATUS_BAD_INPUT, "neither wrench nor thrusters nor standby");
  if (read != STATUS_OK) {
    replay_differs(r, m->step, LOG_COMMAND, "effort", error.text, "a command that a simulator accepts");
    replayable_to(r, m->step);
    return STATUS_OK;
  }
  r->command_count++;
  return STATUS_OK;
}

// Kept as they are until the configuration tells what there is.
static enum status take_order(struct replay *r, Sagbend__V1__OrderUsed *m, struct reason *why) {
  const Sagbend__V1__OrderUsed *last = r->order_count ? r->used_orders[r->order_count - 1] : NULL;
  if (last && (m->number != last->number + 1 || m->step < last->step)) {
    if (m->number > last->number + 1)
      replay_misses(r, "operator's orders are missing after number %" PRIu64, last->number);
    else if (m->number != last->number + 1)
      replay_differs_in_number(r, m->step, LOG_ORDER, "number", m->number, last->number + 1);
    else
      replay_differs_in_number(r, m->step, LOG_ORDER, "step", m->step, last->step);
    replayable_to(r, last->step + 1);
    log_free(&m->base);
    return STATUS_OK;
  }
  if (r->order_count == r->order_capacity) {
    size_t capacity = 2 * r->order_capacity + 64;
    Sagbend__V1__OrderUsed **more = realloc(r->used_orders, capacity * sizeof *more);
    if (!more) {
      log_free(&m->base);
      return fail(why, STATUS_NO_MEMORY, "out of memory for its orders");
    }
    r->used_orders = more;
    r->order_capacity = capacity;
  }
  r->used_orders[r->order_count++] = m;
  return STATUS_OK;
}

static int is_read(enum log_topic t) {
  return t == LOG_SESSION || t == LOG_COMMAND || t == LOG_ORDER || t == LOG_STATE_HASH || t == LOG_END;
}

static enum status take_message(struct replay *r, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  r->message_count++;
  if (!r->record && topic != LOG_SESSION)
    return fail(why, STATUS_BAD_INPUT, "a session's log expected, the first message is of topic %.64s",
                m->channel->topic);
  if (r->end && topic != LOG_CHAIN && topic != LOG_TOPIC_COUNT)
    replay_differs(r, r->end->step, topic, "place", "behind the session's end", "before it");
  if (!is_read(topic))
    return STATUS_OK;
  ProtobufCMessage *message = log_unpack(m, why);
  if (!message)
    return STATUS_BAD_INPUT;
  enum status status = STATUS_OK;
  if (topic == LOG_SESSION && !r->record) {
    r->record = (Sagbend__V1__SessionRecord *)message;
    r->last_step = r->record->first_step;
    return STATUS_OK;
  }
  if (topic == LOG_END && !r->end) {
    r->end = (Sagbend__V1__LogEnd *)message;
    return STATUS_OK;
  }
  if (topic == LOG_ORDER)
    return take_order(r, (Sagbend__V1__OrderUsed *)message, why);
  if (topic == LOG_SESSION)
    replay_differs(r, r->record->first_step, topic, "number of records", "a second one", "one");
  if (topic == LOG_COMMAND)
    status = take_command(r, (const Sagbend__V1__CommandUsed *)message, why);
  if (topic == LOG_STATE_HASH && ((const Sagbend__V1__StateHash *)message)->step > r->last_step)
    r->last_step = ((const Sagbend__V1__StateHash *)message)->step;
  log_free(message);
  return status;
}

// The session's metadata stands before or behind its record: kept until both are there.
static void keep_metadata(void *context, uint8_t kind, const uint8_t *content, size_t size) {
  struct replay *r = context;
  size_t length = sizeof SESSION_METADATA - 1;
  if (kind != MCAP_METADATA || size < 4 + length || mcap_get32(content) != length ||
      memcmp(content + 4, SESSION_METADATA, length) != 0)
    return;
  if (r->metadata.size)
    replay_differs(r, r->last_step, LOG_SESSION, "metadata", "there twice", "once");
  else
    bytes_put(&r->metadata, content, size);
}

static void check_end(struct replay *r) {
  const Sagbend__V1__LogEnd *end = r->end;
  uint64_t first = r->record->first_step;
  if (!end) {
    replay_misses(r, "the session's end is not in it");
    return;
  }
  if (end->step < r->last_step)
    replay_differs_in_number(r, r->last_step, LOG_END, "step", end->step, r->last_step);
  r->last_step = end->step;
  if (end->step < first)
    replay_differs_in_number(r, first, LOG_END, "step", end->step, first);
  if (end->commands_missing) {
    replay_misses(r, "commands did not reach it: it says that it can be replayed to step %" PRIu64,
                  end->replayable_to_step);
    replayable_to(r, end->replayable_to_step);
  }
  for (size_t i = r->command_count; i > 0 && r->commands[i - 1].step >= end->step; i--)
    replay_differs_in_number(r, r->commands[i - 1].step, LOG_COMMAND, "step", r->commands[i - 1].step,
                             end->step);
  if (r->order_count && r->used_orders[r->order_count - 1]->step > end->step)
    replay_differs_in_number(r, end->step, LOG_ORDER, "step", r->used_orders[r->order_count - 1]->step,
                             end->step);
}

static void take_chain(struct replay *r) {
  if (r->chain.state == LOG_CHAIN_NONE)
    replay_misses(r,
                  "it has no chain: nothing shows that what cannot be computed again is as it was written");
  if (r->chain.state == LOG_CHAIN_GAPS) { // commands may be among them
    replay_misses(r, "%" PRIu64 " records are missing between the links of its chain, after t = %.9g s",
                  r->chain.missing, 1e-9 * (double)r->chain.gap_ns);
    double step = 1e-9 * (double)r->chain.gap_ns / r->record->step_s;
    replayable_to(r, step >= 0 && step < 1e15 ? (uint64_t)(step + 0.5) : r->record->first_step);
  }
  if (r->chain.recovered)
    replay_misses(r, "it was recovered from another file");
}

int replay_scan(struct replay *r) {
  struct reason why = {""};
  struct mcap_reader *reader;
  struct mcap_message m;
  if (mcap_reader_open(r->path, MCAP_STRICT, &reader, &why) != STATUS_OK)
    return replay_unusable(r, why.text);
  struct log_check *check = log_check_open(reader);
  if (!check) {
    mcap_reader_close(reader);
    return replay_unusable(r, "out of memory");
  }
  log_check_on_record(check, keep_metadata, r);
  enum status status = STATUS_OK;
  int got = 0;
  while (status == STATUS_OK && (got = mcap_reader_next(reader, &m, &why)) > 0) {
    log_check_message(check, &m);
    status = take_message(r, &m, &why);
  }
  if (got < 0)
    replay_misses(r, "%s", why.text);
  r->chain = *log_check_finish(check, got == 0);
  log_check_free(check);
  mcap_reader_close(reader);
  if (status != STATUS_OK || !r->record)
    return replay_unusable(r, *why.text ? why.text : "there is no message in it");
  check_end(r);
  take_chain(r);
  return -1;
}
