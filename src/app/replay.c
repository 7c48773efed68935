#include "replay.h"
#include "version.h"

#include "io/codec_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int replay_unusable(struct replay *r, const char *why) {
  console_line(&r->console, "%s: not usable: %s", r->path, why);
  return EXIT_USAGE;
}

static void take_wrench(const Sagbend__V1__BodyWrench *w, double out[6]) {
  const double values[6] = {w->surge_n, w->sway_n, w->heave_n, w->roll_nm, w->pitch_nm, w->yaw_nm};
  memcpy(out, values, sizeof values);
}

// Used commands are numbered without gaps: beyond a gap nothing can be replayed.
static enum status take_command(struct replay *r, const Sagbend__V1__CommandUsed *m, struct reason *why) {
  const struct logged_command *last = r->command_count ? &r->commands[r->command_count - 1] : NULL;
  if (m->superseded || r->replayable_to != UINT64_MAX)
    return STATUS_OK;
  if (m->number != r->command_number + 1) {
    r->replayable_to = last ? last->step + 1 : r->record->first_step;
    return STATUS_OK;
  }
  r->command_number = m->number;
  if ((last && m->step <= last->step) || m->step < r->record->first_step)
    return fail(why, STATUS_BAD_INPUT, "command number %" PRIu64 " of step %" PRIu64 " is out of order",
                m->number, m->step);
  if (r->command_count == r->command_capacity) {
    size_t capacity = 2 * r->command_capacity + 1024;
    struct logged_command *more = realloc(r->commands, capacity * sizeof *more);
    if (!more)
      return fail(why, STATUS_NO_MEMORY, "out of memory for its commands");
    r->commands = more;
    r->command_capacity = capacity;
  }
  const char *wrong = NULL;
  struct logged_command *c = &r->commands[r->command_count++];
  *c = (struct logged_command){.step = m->step,
                               .command = {.sequence = m->sequence, .based_on_step = m->based_on_step}};
  if (m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_WRENCH)
    take_wrench(m->wrench, c->command.wrench_b);
  else if (m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_THRUSTERS)
    wrong = wire_read_thruster_commands(m->thrusters, &c->command);
  else
    c->command.standby = 1;
  return wrong ? fail(why, STATUS_BAD_INPUT, "command number %" PRIu64 ": %s", m->number, wrong) : STATUS_OK;
}

// Kept as they are until the configuration tells what there is.
static enum status take_order(struct replay *r, Sagbend__V1__OrderUsed *m, struct reason *why) {
  const Sagbend__V1__OrderUsed *last = r->order_count ? r->used_orders[r->order_count - 1] : NULL;
  if (last && (m->number != last->number + 1 || m->step < last->step)) {
    if (last->step + 1 < r->replayable_to)
      r->replayable_to = last->step + 1;
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

static enum status take_message(struct replay *r, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  r->message_count++;
  if (!r->record && topic != LOG_SESSION)
    return fail(why, STATUS_BAD_INPUT, "a session's log expected, the first message is of topic %.64s",
                m->channel->topic);
  if (topic != LOG_SESSION && topic != LOG_COMMAND && topic != LOG_ORDER && topic != LOG_STATE_HASH && topic != LOG_END)
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
  if (topic == LOG_ORDER)
    return take_order(r, (Sagbend__V1__OrderUsed *)message, why);
  if (topic == LOG_COMMAND)
    status = take_command(r, (const Sagbend__V1__CommandUsed *)message, why);
  if (topic == LOG_STATE_HASH && ((const Sagbend__V1__StateHash *)message)->step > r->last_step)
    r->last_step = ((const Sagbend__V1__StateHash *)message)->step;
  if (topic == LOG_END) {
    const Sagbend__V1__LogEnd *end = (const Sagbend__V1__LogEnd *)message;
    r->ended = 1;
    if (end->commands_missing && end->replayable_to_step < r->replayable_to)
      r->replayable_to = end->replayable_to_step;
  }
  log_free(message);
  return status;
}

static int scan(struct replay *r) {
  struct reason why = {""};
  struct mcap_reader *reader;
  struct mcap_message m;
  if (mcap_reader_open(r->path, MCAP_STRICT, &reader, &why) != STATUS_OK)
    return replay_unusable(r, why.text);
  enum status status = STATUS_OK;
  int got = 0;
  while (status == STATUS_OK && (got = mcap_reader_next(reader, &m, &why)) > 0)
    status = take_message(r, &m, &why);
  if (got < 0)
    r->cut = why;
  mcap_reader_close(reader);
  if (status != STATUS_OK || !r->record)
    return replay_unusable(r, *why.text ? why.text : "there is no message in it");
  if (!*r->cut.text && !r->ended)
    fail(&r->cut, STATUS_BAD_INPUT, "the session's end is not in it");
  return -1;
}

// The record's text ends with its overrides, a comment line each: what is before them was the file.
static size_t file_text_size(const Sagbend__V1__SessionRecord *record) {
  size_t size = strlen(record->config_text), overrides = 0;
  for (size_t i = 0; i < record->n_overrides; i++)
    overrides += strlen(record->overrides[i]) + sizeof "# --set \n" - 1;
  return overrides > size ? 0 : size - overrides;
}

static int load_config(struct replay *r) {
  const Sagbend__V1__SessionRecord *record = r->record;
  struct config_files files = {.count = (int)record->n_files};
  if (record->n_files > MAX_CONFIG_FILES)
    return replay_unusable(r, "too many files beside its configuration");
  for (int i = 0; i < files.count; i++) // borrowed
    files.file[i] = (struct config_file){.path = record->files[i]->path,
                                         .text = (char *)record->files[i]->text.data,
                                         .size = record->files[i]->text.len};
  char name[300];
  snprintf(name, sizeof name, "%.256s: configuration", r->path);
  if (record->n_overrides > MAX_OVERRIDES)
    return replay_unusable(r, "too many overrides in its configuration");
  if (config_load_text(name, record->config_text, file_text_size(record), &files,
                       (const char *const *)record->overrides, (int)record->n_overrides, &r->session.config,
                       stderr)) {
    memset(&r->session.config, 0, sizeof r->session.config);
    return replay_unusable(r, "this program does not accept its configuration");
  }
  if (r->session.config.hash != record->config_hash)
    return replay_unusable(r, "the text of its configuration has another hash than the one recorded");
  return -1;
}

static int read_orders(struct replay *r) {
  r->orders = calloc(r->order_count + 1, sizeof *r->orders);
  if (!r->orders)
    return replay_unusable(r, "out of memory for its orders");
  for (size_t i = 0; i < r->order_count; i++) {
    struct reason why = {""};
    r->orders[i].step = r->used_orders[i]->step;
    if (log_read_order(r->used_orders[i], &r->session.config.scenario.names, &r->orders[i].order, &why) != STATUS_OK)
      return replay_unusable(r, why.text);
  }
  return -1;
}

int replay_open(struct replay *r, const struct options *o) {
  memset(r, 0, sizeof *r);
  r->options = o;
  r->path = o->config_path;
  r->replayable_to = UINT64_MAX;
  console_init(&r->console);
  int status = scan(r);
  if (status < 0)
    status = load_config(r);
  if (status < 0)
    status = read_orders(r);
  if (status >= 0)
    return status;
  r->same_build = !strcmp(r->record->build, program_build().text);
  if (*r->cut.text)
    console_line(&r->console, "notice: %s: not complete: %s", r->path, r->cut.text);
  return -1;
}

void replay_close(struct replay *r) {
  log_free(r->record ? &r->record->base : NULL);
  free(r->commands);
  for (size_t i = 0; i < r->order_count; i++)
    log_free(&r->used_orders[i]->base);
  free(r->used_orders);
  free(r->orders);
  session_free(&r->session);
}
