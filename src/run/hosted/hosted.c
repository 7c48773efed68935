// Computes the steps of a journal again.
#include "run/hosted/hosted.h"
#include "run/hosted/hosted_internal.h"

#include "net/case/case.h"
#include "run/setup/setup.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char CLOSED[] = "closed by its host", RESTORED[] = "restored by its host",
                  RESET[] = "reset by its host";

static uint64_t step_now(const struct hosted *h) {
  return h->engine.loop.frame.output.step;
}

static enum status out_of_memory(struct hosted *h) {
  return fail(&h->why, STATUS_NO_MEMORY, "out of memory for the journal");
}

static void differs(struct hosted *h, const char *what, uint64_t hosts, uint64_t own) {
  if (h->report->result == HOSTED_DIFFERENT)
    return;
  h->report->result = HOSTED_DIFFERENT;
  fail(&h->report->because, STATUS_BAD_INPUT,
       "step %" PRIu64 ": %s is %016" PRIx64 ", the host had %016" PRIx64, step_now(h), what, own, hosts);
}

// The hash goes into the log as the host had it, so that a replay of the log finds the difference as well.
static void compare(struct hosted *h, uint64_t hash) {
  const uint64_t own = sim_hash(h->engine.plant.sim);
  h->hash = hash;
  if (own != hash)
    differs(h, "the hash of the state", hash, own);
}

static void lacks(struct hosted *h, const char *text) {
  if (h->report->result == HOSTED_EQUAL) {
    h->report->result = HOSTED_INCOMPLETE;
    fail(&h->report->because, STATUS_BAD_INPUT, "step %" PRIu64 ": %s", step_now(h), text);
  }
}

// ---- States ----

static struct checkpoint_identity identity_of(const struct hosted *h) {
  return setup_identity(&h->setup, h->engine.loop.inside != NULL, h->session);
}

static enum status save(struct hosted *h, uint64_t name, struct kept_state *out) {
  const struct checkpoint_identity identity = identity_of(h);
  const size_t image = checkpoint_size(h->engine.plant.sim, &h->engine.plant.suite);
  *out = (struct kept_state){.name = name, .size = image + sizeof(uint64_t), .step = step_now(h)};
  memcpy(out->session, h->session, sizeof out->session);
  out->bytes = aligned_alloc(64, (out->size + 63) / 64 * 64);
  if (!out->bytes)
    return out_of_memory(h);
  checkpoint_fill_file(out->bytes, &identity, &h->engine.loop);
  return STATUS_OK;
}

static const struct kept_state *find_kept(const struct hosted *h, uint64_t name) {
  for (size_t i = h->kept_count; i-- > 0;) // the newest: equal states of two sessions have one name
    if (h->kept[i].name == name)
      return &h->kept[i];
  return NULL;
}

// Of the states that the journal saves only those are kept that it restores.
static enum status keep(struct hosted *h, uint64_t name) {
  size_t i = 0;
  while (i < h->head.restored_count && h->head.restored[i] != name)
    i++;
  if (i == h->head.restored_count || !h->log)
    return STATUS_OK;
  struct kept_state *more = realloc(h->kept, (h->kept_count + 1) * sizeof *more);
  if (!more)
    return out_of_memory(h);
  h->kept = more;
  const enum status status = save(h, name, &h->kept[h->kept_count]);
  h->kept_count += status == STATUS_OK;
  return status;
}

// Another session: its log begins with this state.
static enum status go_on_from(struct hosted *h, const struct kept_state *state, const char *how,
                              uint64_t hash) {
  const struct checkpoint_identity identity = identity_of(h);
  const int is_reset = state == &h->initial;
  char next[17], name[24];
  enum status status = session_make_id(next, &h->why);
  const uint64_t ended_at = step_now(h);
  if (status == STATUS_OK)
    status = hosted_log_end(h, is_reset ? RESET : RESTORED, next);
  if (status == STATUS_OK)
    status = engine_restore(&h->engine, state->bytes, state->size, &identity, &h->why);
  if (status != STATUS_OK)
    return status;
  memcpy(h->before, h->session, sizeof h->before);
  memcpy(h->session, next, sizeof h->session);
  snprintf(name, sizeof name, "%016" PRIx64, state->name);
  const struct log_origin origin = {.session = is_reset ? h->before : state->session,
                                    .step = is_reset ? ended_at : state->step,
                                    .how = how,
                                    .name = is_reset ? NULL : name};
  h->has_command = 0;
  compare(h, hash);
  return hosted_log_begin(h, &origin, is_reset ? NULL : state);
}

// From a state of another simulation or process nothing can be computed, until the next one that can.
static enum status restore(struct hosted *h, const struct journal_line *line) {
  const struct kept_state *state = find_kept(h, line->number[0]);
  char unknown[17];
  if (state)
    return go_on_from(h, state, "restore", line->number[2]);
  lacks(h, "the host has restored a state that its journal did not save: what follows is not computed");
  enum status status = session_make_id(unknown, &h->why);
  return status == STATUS_OK ? hosted_log_end(h, RESTORED, unknown) : status;
}

// ---- Lines ----

static enum status order(struct hosted *h, const struct journal_line *line) {
  char words[1024];
  struct order order;
  struct reason cause = {""};
  snprintf(words, sizeof words, "%.*s", (int)line->size, line->text);
  if (engine_read_order(&h->engine, words, &order, &cause) != STATUS_OK) {
    h->report->result = HOSTED_DIFFERENT;
    fail(&h->report->because, STATUS_BAD_INPUT, "step %" PRIu64 ": order '%.80s', which the host had: %.150s",
         step_now(h), words, cause.text);
    return STATUS_OK;
  }
  const enum status status = hosted_log_order(h, &order);
  engine_order(&h->engine, &order);
  closed_loop_show_orders(&h->engine.loop, &h->engine.loop.frame);
  event_find(&h->finder, &h->engine.loop.frame); // at once, as for the host
  return *h->why.text ? STATUS_IO : status;
}

static enum status step(struct hosted *h, const struct journal_line *line) {
  const uint64_t before = step_now(h);
  engine_step(&h->engine, h->has_command ? &h->command : NULL, NULL);
  h->has_command = 0;
  if (step_now(h) != before + 1 || line->number[0] != step_now(h)) {
    differs(h, "the step", line->number[0], step_now(h));
    return hosted_log_hash(h, line->number[0], line->number[1]);
  }
  h->report->steps++;
  compare(h, line->number[1]);
  return hosted_log_step(h);
}

static enum status end(struct hosted *h, const struct journal_line *line) {
  if (line->number[0] != step_now(h))
    differs(h, "the last step", line->number[0], step_now(h));
  compare(h, line->number[1]);
  h->end_step = line->number[0];
  return hosted_log_end(h, h->engine.loop.frame.output.fault ? run_end_text(END_FAULT) : CLOSED, NULL);
}

static enum status take(struct hosted *h, const struct journal_line *line) {
  const int is_begin = line->kind == JOURNAL_RESTORE || line->kind == JOURNAL_RESET;
  if (!h->log && !is_begin) // behind a state that is not known
    return STATUS_OK;
  switch (line->kind) {
  case JOURNAL_COMMAND:
    h->has_command = 1;
    return journal_read_command(line, &h->engine.loop.command_def, &h->command, &h->why);
  case JOURNAL_ORDER:
    return order(h, line);
  case JOURNAL_STEP:
    return step(h, line);
  case JOURNAL_SNAPSHOT:
    return keep(h, line->number[0]);
  case JOURNAL_RESTORE:
    return restore(h, line);
  case JOURNAL_RESET:
    return go_on_from(h, &h->initial, "reset", line->number[1]);
  default:
    return end(h, line);
  }
}

// ---- All of it ----

static enum status begin(struct hosted *h, FILE *errors) {
  struct config_pool pool = {h->head.file_count, h->head.file};
  const struct config_request request = {.path = h->head.name,
                                         .text = h->head.main.text,
                                         .text_size = h->head.main.size,
                                         .pool = &pool,
                                         .overrides = (const char *const *)h->head.override,
                                         .override_count = h->head.override_count,
                                         .more = &RUN_SECTIONS};
  const struct error_sink sink = error_to(errors);
  enum status status = setup_read(&h->setup, &request, &sink);
  if (status != STATUS_OK)
    return fail(&h->why, status, "this program does not accept its case");
  if (setup_hash(&h->setup) != h->head.case_hash)
    differs(h, "the hash of the case", h->head.case_hash, setup_hash(&h->setup));
  status = engine_create(&h->engine, &h->setup, NULL, &sink, &h->why);
  if (status == STATUS_OK)
    status = session_make_id(h->session, &h->why);
  if (status == STATUS_OK)
    status = save(h, 0, &h->initial);
  if (status != STATUS_OK)
    return status;
  h->nodes = calloc((size_t)sim_node_capacity(h->engine.plant.sim) + 1, sizeof *h->nodes);
  if (!h->nodes)
    return out_of_memory(h);
  compare(h, h->head.start_hash);
  return hosted_log_begin(h, NULL, NULL);
}

static enum status run(struct hosted *h, struct journal_reader *reader, FILE *errors) {
  struct journal_line line;
  enum status status = begin(h, errors);
  while (status == STATUS_OK && h->report->result != HOSTED_DIFFERENT &&
         journal_next(reader, &line, &h->why) > 0)
    status = take(h, &line);
  if (status == STATUS_OK && !h->head.has_end)
    lacks(h, "the journal breaks off");
  const enum status closed = hosted_log_end(h, NULL, NULL); // one that is still open has no end
  return status == STATUS_OK ? closed : status;
}

static void release(struct hosted *h) {
  hosted_log_end(h, NULL, NULL);
  log_key_forget(&h->key);
  for (size_t i = 0; i < h->kept_count; i++)
    free(h->kept[i].bytes);
  free(h->kept);
  free(h->initial.bytes);
  free(h->nodes);
  engine_free(&h->engine);
  setup_free(&h->setup);
  hosted_head_free(&h->head);
  free(h);
}

static enum status compute(struct hosted *h, const char *text, size_t size, FILE *errors,
                           struct reason *why) {
  struct journal_reader reader = journal_read(h->order->journal_path, text, size);
  struct reason cause = {""};
  if (h->order->key_path && log_key_read_secret(h->order->key_path, &h->key, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--log-key: %s", cause.text);
  enum status status = hosted_read(&reader, &h->head, why);
  if (status != STATUS_OK)
    return status;
  snprintf(h->report->library, sizeof h->report->library, "%s", h->head.library);
  status = run(h, &reader, errors);
  return status == STATUS_OK ? status : fail(why, status, "%.200s: %s", h->order->journal_path, h->why.text);
}

enum status hosted_log(const struct hosted_order *order, struct file_claims *claims, FILE *errors,
                       struct hosted_report *out, struct reason *why) {
  size_t size = 0;
  *out = (struct hosted_report){.result = HOSTED_EQUAL};
  FILE *file = fopen(order->journal_path, "rbe");
  char *text = file ? stream_read(file, SIZE_MAX / 2, &size) : NULL;
  const int is_read = text && !ferror(file);
  if (!is_read)
    fail(why, STATUS_IO, "%.200s: cannot be read: %s", order->journal_path, strerror(errno));
  if (file)
    fclose(file);
  struct hosted *h = is_read ? calloc(1, sizeof *h) : NULL;
  if (is_read && !h)
    fail(why, STATUS_NO_MEMORY, "out of memory for the journal");
  enum status status = STATUS_IO;
  if (h) {
    h->order = order;
    h->claims = claims;
    h->report = out;
    status = compute(h, text, size, errors, why);
    release(h);
  }
  free(text);
  return status;
}
