#include "replay/replay.h"

#include "cli/version.h"
#include "io/log/order_used.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int replay_unusable(struct replay *r, const char *why) {
  console_line(&r->console, "%s: not usable: %s", r->path, why);
  return EXIT_USAGE;
}

void replay_differs(struct replay *r, uint64_t step, enum log_topic topic, const char *field,
                    const char *logged, const char *expected) {
  if (r->claim.found)
    return;
  r->claim = (struct difference){.found = 1, .step = step, .topic = topic};
  snprintf(r->claim.field, sizeof r->claim.field, "%s", field);
  snprintf(r->claim.logged, sizeof r->claim.logged, "%s", logged);
  snprintf(r->claim.replayed, sizeof r->claim.replayed, "%s", expected);
}

void replay_differs_in_number(struct replay *r, uint64_t step, enum log_topic topic, const char *field,
                              uint64_t logged, uint64_t expected) {
  char texts[2][32];
  snprintf(texts[0], sizeof texts[0], "%" PRIu64, logged);
  snprintf(texts[1], sizeof texts[1], "%" PRIu64, expected);
  replay_differs(r, step, topic, field, texts[0], texts[1]);
}

void replay_misses(struct replay *r, const char *format, ...) {
  va_list args;
  if (r->reason_count == REPLAY_REASONS)
    return;
  va_start(args, format);
  vsnprintf(r->reasons[r->reason_count].text, sizeof r->reasons->text, format, args);
  va_end(args);
  r->reason_count++;
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
                       stderr) != STATUS_OK) {
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
    if (log_read_order(r->used_orders[i], &r->session.config.scenario.names, &r->orders[i].order, &why) !=
        STATUS_OK)
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
  int status = replay_scan(r);
  if (status < 0 && r->chain.state == LOG_CHAIN_BROKEN)
    console_line(&r->console, "notice: %s: the chain is broken: %s", r->path, r->chain.broken.text);
  if (status < 0)
    status = load_config(r);
  if (status < 0)
    status = read_orders(r);
  if (status >= 0)
    return status;
  r->same_build = !strcmp(r->record->build, program_build().text);
  if (r->reason_count)
    console_line(&r->console, "notice: %s: not complete: %s", r->path, r->reasons[0].text);
  return -1;
}

void replay_close(struct replay *r) {
  log_free(r->record ? &r->record->base : NULL);
  log_free(r->end ? &r->end->base : NULL);
  bytes_free(&r->metadata);
  free(r->commands);
  for (size_t i = 0; i < r->order_count; i++)
    log_free(&r->used_orders[i]->base);
  free(r->used_orders);
  free(r->orders);
  session_free(&r->session);
}
