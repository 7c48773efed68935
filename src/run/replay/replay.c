// A log opened for a replay: its record, configuration, commands, orders, chain and end.
#include "run/replay/replay.h"

#include "log/log/log.h"
#include "log/mcap/mcap.h"
#include "net/case/case.h"
#include "net/messages/messages.h"
#include "os/cli/cli.h"
#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status replay_unusable(const struct replay *replay, struct reason *why, enum status cause,
                            const char *text) {
  return fail(why, cause == STATUS_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_BAD_INPUT, "%s: not usable: %s",
              replay->path, text);
}

void replay_contradicts(struct replay *replay, uint64_t step, enum log_topic topic, const char *field,
                        const char *logged, const char *expected) {
  if (replay->contradiction.found)
    return;
  replay->contradiction = (struct difference){.found = 1, .step = step, .topic = topic};
  snprintf(replay->contradiction.field, sizeof replay->contradiction.field, "%s", field);
  snprintf(replay->contradiction.logged, sizeof replay->contradiction.logged, "%s", logged);
  snprintf(replay->contradiction.replayed, sizeof replay->contradiction.replayed, "%s", expected);
}

void replay_contradicts_number(struct replay *replay, uint64_t step, enum log_topic topic, const char *field,
                               uint64_t logged, uint64_t expected) {
  char texts[2][32];
  snprintf(texts[0], sizeof texts[0], "%" PRIu64, logged);
  snprintf(texts[1], sizeof texts[1], "%" PRIu64, expected);
  replay_contradicts(replay, step, topic, field, texts[0], texts[1]);
}

void replay_add_gap(struct replay *replay, const char *format, ...) {
  va_list args;
  if (replay->gap_count == REPLAY_GAPS)
    return;
  va_start(args, format);
  char text[sizeof replay->gaps->text];
  vsnprintf(text, sizeof text, format, args);
  text_show(text, replay->gaps[replay->gap_count].text, sizeof replay->gaps->text);
  va_end(args);
  replay->gap_count++;
}

// The text of the configuration in the record ends with its overrides, as one comment line each. Returns the
// size of what precedes them: the file.
static size_t file_text_size(const Sagbend__V1__SessionRecord *record) {
  size_t size = strlen(record->config_text), overrides = 0;
  for (size_t i = 0; i < record->n_overrides; i++)
    overrides += strlen(record->overrides[i]) + sizeof "# --set \n" - 1;
  return overrides > size ? 0 : size - overrides;
}

static enum status load_config(struct replay *replay, FILE *errors, struct reason *why) {
  const Sagbend__V1__SessionRecord *record = replay->record;
  struct config *config = &replay->setup.config;
  struct config_files files = {.count = (int)record->n_files,
                               .has_former_names = 1,
                               .defaults_behind = record->defaults < DEFAULTS_GENERATION
                                                      ? DEFAULTS_GENERATION - (int)record->defaults
                                                      : 0};
  char name[300];
  if (record->n_files > MAX_CONFIG_FILES)
    return replay_unusable(replay, why, STATUS_BAD_INPUT, "its configuration names too many files");
  if (record->n_overrides > MAX_OVERRIDES)
    return replay_unusable(replay, why, STATUS_BAD_INPUT, "its configuration has too many overrides");

  for (int i = 0; i < files.count; i++) // borrowed
    files.file[i] = (struct config_file){.path = record->files[i]->path,
                                         .text = (char *)record->files[i]->text.data,
                                         .size = record->files[i]->text.len};
  snprintf(name, sizeof name, "%.256s: configuration", replay->path);
  if (config_load_text(name, record->config_text, file_text_size(record), &files,
                       (const char *const *)record->overrides, (int)record->n_overrides, config,
                       errors) != STATUS_OK) {
    memset(config, 0, sizeof *config);
    return replay_unusable(replay, why, STATUS_BAD_INPUT, "this program does not accept its configuration");
  }
  if (session_record_route(record, &config->scenario.track) != STATUS_OK)
    return replay_unusable(replay, why, STATUS_BAD_INPUT, "the waypoints in its record make no route");
  if (config->hash != record->config_hash)
    return replay_unusable(replay, why, STATUS_BAD_INPUT,
                           "the text of its configuration has another hash than the recorded one");
  return STATUS_OK;
}

static enum status decode_orders(struct replay *replay, struct reason *why) {
  const struct hil_names *names = &replay->setup.config.scenario.names;
  replay->orders = calloc(replay->order_count + 1, sizeof *replay->orders);
  if (!replay->orders)
    return replay_unusable(replay, why, STATUS_NO_MEMORY, "out of memory for its orders");

  for (size_t i = 0; i < replay->order_count; i++) {
    struct reason cause = {""};
    replay->orders[i].step = replay->used_orders[i]->step;
    const enum status status =
        log_read_order(replay->used_orders[i], names, &replay->orders[i].order, &cause);
    if (status != STATUS_OK)
      return replay_unusable(replay, why, status, cause.text);
  }
  return STATUS_OK;
}

static enum status replay_scan(struct replay *replay, struct reason *why);

enum status replay_open(struct replay *replay, const struct replay_options *options, const char *path,
                        FILE *errors, struct reason *why) {
  memset(replay, 0, sizeof *replay);
  replay->options = options;
  replay->path = path;
  replay->replayable_to = UINT64_MAX;
  console_init(&replay->console);

  enum status status = replay_scan(replay, why);
  if (status == STATUS_OK && replay->chain.state == LOG_CHAIN_BROKEN)
    console_line(&replay->console, "notice: %s: the chain is broken: %s", replay->path,
                 replay->chain.broken.text);
  if (status == STATUS_OK)
    status = load_config(replay, errors, why);
  if (status == STATUS_OK)
    status = decode_orders(replay, why);
  if (status != STATUS_OK)
    return status;

  replay->same_build = !strcmp(replay->record->build, program_build().text);
  if (replay->gap_count)
    console_line(&replay->console, "notice: %s: not complete: %s", replay->path, replay->gaps[0].text);
  return STATUS_OK;
}

void replay_close(struct replay *replay) {
  log_free(replay->record ? &replay->record->base : NULL);
  log_free(replay->end ? &replay->end->base : NULL);
  bytes_free(&replay->metadata);
  for (size_t i = 0; i < replay->command_count; i++)
    free(replay->commands[i].alarms);
  free(replay->commands);
  for (size_t i = 0; i < replay->order_count; i++)
    log_free(&replay->used_orders[i]->base);
  free(replay->used_orders);
  free(replay->orders);
  engine_free(&replay->engine);
  setup_free(&replay->setup);
}

// ------------------------------------------------------------
static const struct option_row OPTIONS[] = {
    {"verify", NULL, "Recompute the session and compare it with the log bit by bit.",
     FLAG(struct replay_options, verify)},
    {"allow-incomplete", NULL,
     "With --verify: exit status 0 instead of 3 for an incomplete log that is equal as far as it goes.",
     FLAG(struct replay_options, allow_incomplete)},
    {"publish", NULL, "Publish the logged telemetry on the sockets.", FLAG(struct replay_options, publish)},
    {"rate", "X", "With --publish: speed relative to the recorded one. Default: 1.",
     FACTOR(struct replay_options, rate)},
    {"bind-command", "ENDPOINT", "With --publish: endpoint to which controllers connect. Default: as logged.",
     TEXT(struct replay_options, command_endpoint)},
    {"bind-telemetry", "ENDPOINT", "With --publish: endpoint of the telemetry. Default: as logged.",
     TEXT(struct replay_options, telemetry_endpoint)},
    {"server-key", "FILE",
     "With --publish: secret key of the sockets ('sagbend keygen --role server'). Needed where other "
     "machines can connect.",
     TEXT(struct replay_options, server_key)},
    {"admitted-keys", "FILE", "With --publish and --server-key: public keys of those who may connect.",
     TEXT(struct replay_options, admitted_keys)},
    {"key", "PUBLIC",
     "Fail unless the log is signed by this public key (FILE.pub of 'sagbend keygen --log'). For replay "
     "--verify and log info.",
     TEXT(struct replay_options, key_path)},
    JSON_OPTION(struct replay_options, json),
    HELP_OPTION,
};

const struct cli_command replay_command = {
    .name = "replay",
    .arguments = "LOG...",
    .purpose = "Recompute a logged session and compare it with the log, or publish it to a controller.",
    .example = "sagbend replay session.mcap --verify",
    .statuses = "0 equal, or published; 1 a difference, or an unreadable or wrongly signed log; 2 wrong "
                "usage; 3 equal as far as the log goes, but the log is incomplete",
    .options = OPTIONS,
    .size = sizeof(struct replay_options),
    .words = {WORDS(struct replay_options, logs)},
};

// ------------------------------------------------------------
// Reads the log once: session, commands, orders, end and chain. Nothing in it is trusted: a number that
// cannot be right is a contradiction, a missing number makes the log incomplete.

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
  if (m->seat) {
    if (m->seat->seat > MAX_CONTROLLERS || m->seat->hands_to > MAX_CONTROLLERS ||
        m->seat->cause >= CHANGEOVER_CAUSE_COUNT || m->seat->standbys_ready > MAX_CONTROLLERS ||
        m->seat->standbys_following > m->seat->standbys_ready)
      return fail(why, STATUS_BAD_INPUT, "seat: seats and causes of this program expected");
    out->seat = m->seat->seat;
    out->term = m->seat->term;
    out->cause = m->seat->cause;
    out->hands_to = m->seat->hands_to;
    out->standbys_ready = m->seat->standbys_ready;
    out->standbys_following = m->seat->standbys_following;
  }
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
    return fail(why, STATUS_BAD_INPUT, "a session's log expected, got one that begins with topic %.64s",
                m->channel->topic);
  if (replay->end && topic != LOG_CHAIN && topic != LOG_TOPIC_COUNT)
    replay_contradicts(replay, replay->end->step, topic, "place", "behind the session's end", "before it");
  if (!is_read(topic))
    return STATUS_OK;
  ProtobufCMessage *message;
  enum status status = log_unpack(m, &message, why);
  if (status != STATUS_OK)
    return status;
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
  if (got == MCAP_NO_MEMORY)
    status = STATUS_NO_MEMORY;
  else if (got < 0)
    replay_add_gap(replay, "%s", why->text);
  replay->chain = *log_check_finish(check, got == 0);
  return status;
}

// Part of replay_open: reads the messages.
static enum status replay_scan(struct replay *replay, struct reason *why) {
  struct reason cause = {""};
  struct mcap_reader *reader;
  enum status status = mcap_reader_open(replay->path, MCAP_STRICT, &reader, &cause);
  if (status != STATUS_OK)
    return replay_unusable(replay, why, status, cause.text);
  struct log_check *check = log_check_open(reader);
  if (!check) {
    mcap_reader_close(reader);
    return replay_unusable(replay, why, STATUS_NO_MEMORY, "out of memory");
  }
  log_check_on_record(check, keep_metadata, replay);

  status = read_messages(replay, reader, check, &cause);
  log_check_free(check);
  mcap_reader_close(reader);
  if (status != STATUS_OK || !replay->record)
    return replay_unusable(replay, why, status, *cause.text ? cause.text : "it contains no message");
  if (replay->chain.derived && replay->options->verify)
    return replay_unusable(replay, why, STATUS_BAD_INPUT,
                           "it is a derived copy ('sagbend log scene'), not a log; verify the log itself");
  check_end(replay);
  take_chain(replay);
  return STATUS_OK;
}
