#include "run/replay/replay.h"
#include "net/case/case.h"

#include "sagbend/base/shown_text.h"

#include "os/cli/version.h"
#include "log/log/order_used.h"
#include "log/log/session_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status replay_unusable(const struct replay *replay, struct reason *why, const char *text) {
  return fail(why, STATUS_BAD_INPUT, "%s: not usable: %s", replay->path, text);
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
                               .defaults_behind = record->defaults < DEFAULTS_GENERATION
                                                      ? DEFAULTS_GENERATION - (int)record->defaults
                                                      : 0};
  char name[300];
  if (record->n_files > MAX_CONFIG_FILES)
    return replay_unusable(replay, why, "its configuration names too many files");
  if (record->n_overrides > MAX_OVERRIDES)
    return replay_unusable(replay, why, "its configuration has too many overrides");

  for (int i = 0; i < files.count; i++) // borrowed
    files.file[i] = (struct config_file){.path = record->files[i]->path,
                                         .text = (char *)record->files[i]->text.data,
                                         .size = record->files[i]->text.len};
  snprintf(name, sizeof name, "%.256s: configuration", replay->path);
  if (config_load_text(name, record->config_text, file_text_size(record), &files,
                       (const char *const *)record->overrides, (int)record->n_overrides, config,
                       errors) != STATUS_OK) {
    memset(config, 0, sizeof *config);
    return replay_unusable(replay, why, "this program does not accept its configuration");
  }
  if (session_record_route(record, &config->scenario.track) != STATUS_OK)
    return replay_unusable(replay, why, "the waypoints in its record make no route");
  if (config->hash != record->config_hash)
    return replay_unusable(replay, why,
                           "the text of its configuration has another hash than the recorded one");
  return STATUS_OK;
}

static enum status decode_orders(struct replay *replay, struct reason *why) {
  const struct hil_names *names = &replay->setup.config.scenario.names;
  replay->orders = calloc(replay->order_count + 1, sizeof *replay->orders);
  if (!replay->orders)
    return replay_unusable(replay, why, "out of memory for its orders");

  for (size_t i = 0; i < replay->order_count; i++) {
    struct reason cause = {""};
    replay->orders[i].step = replay->used_orders[i]->step;
    if (log_read_order(replay->used_orders[i], names, &replay->orders[i].order, &cause) != STATUS_OK)
      return replay_unusable(replay, why, cause.text);
  }
  return STATUS_OK;
}

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
