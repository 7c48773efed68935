// Computes the steps of journals again, and writes the log of each session of a host.
#include "run/hosted/hosted.h"

#include "net/case/case.h"
#include "os/cli/cli.h"
#include "run/hosted/hosted_internal.h"
#include "run/setup/setup.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the log of one session: what a log of `run` contains, but the times of its steps ----

enum { CHUNK_BYTES = 1 << 20 };

// A message that cannot be packed (a number that is not finite) is counted as missing, as in any log.
static enum status added(struct hosted *h, enum log_topic topic, enum status status) {
  if (status == STATUS_BAD_INPUT) {
    h->dropped[topic]++;
    return STATUS_OK;
  }
  if (status != STATUS_OK)
    return fail(&h->why, status, "out of memory for the log");
  return session_log_pending_bytes(h->log) < CHUNK_BYTES ? STATUS_OK : session_log_flush(h->log, &h->why);
}

static int is_due(const struct hosted *h, enum log_topic topic) {
  return log_is_due(h->every[topic], h->first_step, h->engine.loop.frame.output.step);
}

// Each returns a status after which h->why has the reason.
static enum status hosted_log_hash(struct hosted *h, uint64_t step, uint64_t hash) {
  const double time_s = (double)step * h->setup.config.sim.step_s;
  return added(h, LOG_STATE_HASH, session_log_hash(h->log, step, time_s, hash));
}

// A hash that differs is logged in any case.
static enum status log_state(struct hosted *h) {
  static const enum log_topic frames[] = {LOG_SENSORS, LOG_TRUTH, LOG_LEDGER};
  const struct frame *frame = &h->engine.loop.frame;
  const struct sim_output *now = &frame->output;
  const struct command_counts none = {0};
  enum status status = STATUS_OK;
  if (is_due(h, LOG_STATE_HASH) || h->report->result == HOSTED_DIFFERENT)
    status = hosted_log_hash(h, now->step, h->hash);
  for (size_t i = 0; i < sizeof frames / sizeof *frames && status == STATUS_OK; i++)
    if (is_due(h, frames[i]))
      status = added(h, frames[i], session_log_frame(h->log, frames[i], frame, &none, NULL));
  if (status != STATUS_OK || !is_due(h, LOG_NODES))
    return status;
  sim_get_nodes(h->engine.plant.sim, h->nodes);
  return added(
      h, LOG_NODES,
      session_log_nodes(h->log, now->step, now->time_s, sim_node_count(h->engine.plant.sim), h->nodes));
}

static void log_event(void *hosted, const struct run_event *e) {
  struct hosted *h = hosted;
  if (h->log && !*h->why.text)
    added(h, LOG_EVENT, session_log_event(h->log, e->step, e->time_s, e->name, e->text));
}

static uint64_t steps_of(const struct hosted *h, const struct log_rate *rate) {
  return rate->off ? 0 : steps_in_period(rate->period_s, h->setup.config.sim.step_s);
}

static void set_periods(struct hosted *h) {
  const struct log_def *log = &h->setup.config.log;
  h->every[LOG_STATE_HASH] = steps_of(h, &log->state_hash);
  h->every[LOG_SENSORS] = steps_of(h, &log->sensors);
  h->every[LOG_TRUTH] = steps_of(h, &log->truth);
  h->every[LOG_LEDGER] = steps_of(h, &log->ledger);
  h->every[LOG_NODES] = sim_node_count(h->engine.plant.sim) ? steps_of(h, &log->nodes) : 0;
}

static enum status open_log(struct hosted *h, const struct log_origin *origin,
                            const struct kept_state *from) {
  double setpoint[3];
  const struct build_id build = program_build();
  const struct log_session record = {
      .session = h->session,
      .version = program_version(),
      .build = build.text,
      .config_path = h->head.name,
      .config = &h->setup.config,
      .overrides = (const char *const *)h->head.override,
      .override_count = h->head.override_count,
      .dp_text = h->setup.dp_text,
      .dp_files = &h->setup.dp_files,
      .command_def = h->engine.loop.command_def,
      .setpoint = setup_setpoint(&h->setup, setpoint) ? setpoint : NULL,
      .node_count = sim_node_capacity(h->engine.plant.sim),
      .first_step = h->first_step,
      .initial_hash = h->hash,
      .checkpoint = from ? from->bytes : NULL,
      .checkpoint_bytes = from ? from->size : 0,
      .origin = origin ? *origin : (struct log_origin){0},
      .key = h->all->order->key_path ? &h->all->key : NULL,
  };
  char *path = session_log_path(h->all->order->log_path, h->all->logs + 1);
  if (!path)
    return fail(&h->why, STATUS_NO_MEMORY, "out of memory for the path of a log");
  enum status status =
      file_claims_extend(h->all->claims, FILE_LOGGED, "the log", path, h->all->order->overwrites, &h->why);
  if (status == STATUS_OK && session_log_open(path, &record, &h->log, &h->why) != STATUS_OK) {
    h->log = NULL;
    status = STATUS_IO;
  }
  free(path);
  return status;
}

// Each returns a status after which h->why has the reason.
static enum status hosted_log_begin(struct hosted *h, const struct log_origin *origin,
                                    const struct kept_state *from) {
  const struct frame *frame = &h->engine.loop.frame;
  char text[256];
  h->first_step = frame->output.step;
  h->commands = 0;
  memset(h->dropped, 0, sizeof h->dropped);
  set_periods(h);
  enum status status = open_log(h, origin, from);
  if (status != STATUS_OK)
    return status;
  h->all->logs++;
  snprintf(
      text, sizeof text,
      "by a host of libsagbend %.120s; computed again from its journal, at the start that this log states",
      h->report->library);
  status = log_state(h);
  if (status == STATUS_OK)
    status = added(h, LOG_EVENT,
                   session_log_event(h->log, frame->output.step, frame->output.time_s,
                                     EVENT_NAME(session_hosted), text));
  event_finder_init(&h->finder, &h->setup.config.scenario, log_event, h);
  if (from)
    event_finder_skip_to(&h->finder, frame);
  event_find(&h->finder, frame);
  return *h->why.text ? STATUS_IO : status;
}

// Each returns a status after which h->why has the reason.
static enum status hosted_log_order(struct hosted *h, const struct order *order) {
  const struct sim_output *now = &h->engine.loop.frame.output;
  return added(h, LOG_ORDER, session_log_order(h->log, order, now->step, now->time_s));
}

static enum status log_command(struct hosted *h) {
  const struct closed_loop *loop = &h->engine.loop;
  const uint64_t step = loop->frame.output.step - 1;
  const struct log_command used = {
      .step = step, .number = ++h->commands, .command = loop->sent, .alarms = loop->alarms.list};
  return added(h, LOG_COMMAND, session_log_command(h->log, &used, (double)step * h->setup.config.sim.step_s));
}

// Each returns a status after which h->why has the reason.
// with the command that it used
static enum status hosted_log_step(struct hosted *h) {
  enum status status = h->engine.loop.has_sent ? log_command(h) : STATUS_OK;
  if (status == STATUS_OK)
    status = log_state(h);
  event_find(&h->finder, &h->engine.loop.frame);
  return *h->why.text ? STATUS_IO : status;
}

// end_text NULL: the log breaks off.
static enum status hosted_log_end(struct hosted *h, const char *end_text, const char *next_session) {
  const struct closed_loop *loop = &h->engine.loop;
  const struct sim_output *now = &loop->frame.output;
  struct log_end end = {.step = h->end_step ? h->end_step : now->step,
                        .state_hash = h->hash,
                        .why = end_text,
                        .next_session = next_session};
  struct mcap_written written;
  if (!h->log)
    return STATUS_OK;
  memcpy(end.dropped, h->dropped, sizeof end.dropped);
  log_end_verdicts(&end, loop->scenario_def, &loop->scenario);
  enum status status =
      end_text ? session_log_flush(h->log, &h->why) : STATUS_OK; // the end has a chunk of its own
  const enum status closed = session_log_close(h->log, end_text && status == STATUS_OK ? &end : NULL,
                                               now->time_s, &written, NULL, &h->why);
  h->log = NULL;
  return status == STATUS_OK ? closed : status;
}

// ---- the journals ----

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

static const struct kept_state *find_kept(const struct hosted_all *all, uint64_t name) {
  for (size_t i = all->kept_count; i-- > 0;) // the newest: equal states of two sessions have one name
    if (all->kept[i].name == name)
      return &all->kept[i];
  return NULL;
}

static int is_restored(const struct hosted_all *all, uint64_t name) {
  for (size_t k = 0; k < all->order->journal_count; k++)
    for (size_t i = 0; i < all->one[k].head.restored_count; i++)
      if (all->one[k].head.restored[i] == name)
        return 1;
  return 0;
}

// Of the states that the journals save only those are kept that one of them restores.
static enum status keep(struct hosted *h, uint64_t name) {
  struct hosted_all *all = h->all;
  if (!h->log || !is_restored(all, name))
    return STATUS_OK;
  struct kept_state *more = realloc(all->kept, (all->kept_count + 1) * sizeof *more);
  if (!more)
    return out_of_memory(h);
  all->kept = more;
  const enum status status = save(h, name, &all->kept[all->kept_count]);
  all->kept_count += status == STATUS_OK;
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
  const struct kept_state *state = find_kept(h->all, line->number[0]);
  char unknown[17];
  if (state)
    return go_on_from(h, state, "restore", line->number[2]);
  lacks(h, h->all->order->journal_count > 1
               ? "the host has restored a state that none of its journals saved: what follows is not computed"
               : "the host has restored a state that its journal did not save: what follows is not computed "
                 "(another journal of this host: --journal)");
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
  if (status == STATUS_OK) // a library has no clock that could tell it
    h->engine.loop.frame.start_utc_ns = setup_start_utc(&h->setup).ns;
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

// Goes on until the journal ends or waits for a state that another one may still save; is_last: none will.
static enum status advance(struct hosted *h, int is_last) {
  struct journal_line line;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && h->report->result != HOSTED_DIFFERENT) {
    const struct journal_reader before = h->reader;
    if (journal_next(&h->reader, &line, &h->why) <= 0)
      break;
    if (line.kind == JOURNAL_RESTORE && !is_last && !find_kept(h->all, line.number[0])) {
      h->reader = before;
      return STATUS_OK;
    }
    is_last = 0; // the next state may come from another one again
    status = take(h, &line);
  }
  h->is_done = 1;
  if (status == STATUS_OK && !h->head.has_end)
    lacks(h, "the journal breaks off");
  const enum status closed = hosted_log_end(h, NULL, NULL); // one that is still open has no end
  return status == STATUS_OK ? closed : status;
}

// The journals in turns. Where each waits for a state, no journal has that of the first.
static enum status run(struct hosted_all *all, struct hosted **failed) {
  const size_t count = all->order->journal_count;
  int is_stuck = 0;
  for (;;) {
    int moved = 0, left = 0;
    for (size_t k = 0; k < count; k++) {
      struct hosted *h = &all->one[k];
      const size_t at = h->reader.at;
      if (h->is_done)
        continue;
      const enum status status = advance(h, is_stuck);
      is_stuck = 0;
      left += !h->is_done;
      moved |= h->is_done || h->reader.at != at;
      *failed = h;
      if (status != STATUS_OK)
        return status;
    }
    if (!left)
      return STATUS_OK;
    is_stuck = !moved;
  }
}

static void release(struct hosted *h) {
  hosted_log_end(h, NULL, NULL);
  free(h->initial.bytes);
  free(h->nodes);
  engine_free(&h->engine);
  setup_free(&h->setup);
  hosted_head_free(&h->head);
  free(h->text);
}

static void release_all(struct hosted_all *all) {
  for (size_t k = 0; all->one && k < all->order->journal_count; k++)
    if (all->one[k].all)
      release(&all->one[k]);
  for (size_t i = 0; i < all->kept_count; i++)
    free(all->kept[i].bytes);
  free(all->kept);
  free(all->one);
  log_key_forget(&all->key);
}

static enum status read_file(struct hosted *h, struct reason *why) {
  FILE *file = fopen(h->path, "rbe");
  h->text = file ? stream_read(file, SIZE_MAX / 2, &h->size) : NULL;
  const int is_read = h->text && !ferror(file);
  if (!is_read)
    fail(why, STATUS_IO, "%.200s: cannot be read: %s", h->path, strerror(errno));
  if (file)
    fclose(file);
  return is_read ? STATUS_OK : STATUS_IO;
}

// All of them are read before anything is computed or written.
static enum status read_all(struct hosted_all *all, struct reason *why) {
  enum status status = STATUS_OK;
  for (size_t k = 0; k < all->order->journal_count && status == STATUS_OK; k++) {
    struct hosted *h = &all->one[k];
    h->all = all;
    h->path = all->order->journals[k];
    h->report = &h->own;
    status = read_file(h, why);
    if (status != STATUS_OK)
      break;
    h->reader = journal_read(h->path, h->text, h->size);
    status = hosted_read(&h->reader, &h->head, why);
  }
  return status;
}

static enum status compute(struct hosted_all *all, FILE *errors, struct reason *why) {
  struct reason cause = {""};
  struct hosted *failed = &all->one[0];
  enum status status = STATUS_OK;
  if (all->order->key_path && log_key_read_secret(all->order->key_path, &all->key, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--log-key: %s", cause.text);
  status = read_all(all, why);
  if (status != STATUS_OK)
    return status;
  for (size_t k = 0; k < all->order->journal_count && status == STATUS_OK; k++) {
    failed = &all->one[k];
    status = begin(failed, errors);
  }
  if (status == STATUS_OK)
    status = run(all, &failed);
  return status == STATUS_OK ? status : fail(why, status, "%.200s: %s", failed->path, failed->why.text);
}

// The worst result, and why the first journal has it.
static void report_all(const struct hosted_all *all, struct hosted_report *out) {
  *out = (struct hosted_report){.result = HOSTED_EQUAL, .logs = all->logs};
  snprintf(out->library, sizeof out->library, "%s", all->one[0].head.library);
  for (size_t k = 0; k < all->order->journal_count; k++) {
    const struct hosted_report *own = &all->one[k].own;
    out->steps += own->steps;
    if (own->result <= out->result)
      continue;
    out->result = own->result;
    fail(&out->because, STATUS_BAD_INPUT, "%.100s%s%s", all->order->journal_count > 1 ? all->one[k].path : "",
         all->order->journal_count > 1 ? ": " : "", own->because.text);
  }
}

enum status hosted_log(const struct hosted_order *order, struct file_claims *claims, FILE *errors,
                       struct hosted_report *out, struct reason *why) {
  struct hosted_all all = {.order = order, .claims = claims};
  *out = (struct hosted_report){.result = HOSTED_EQUAL};
  all.one = calloc(order->journal_count, sizeof *all.one);
  if (!all.one)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the journal");
  const enum status status = compute(&all, errors, why);
  if (status == STATUS_OK)
    report_all(&all, out);
  release_all(&all);
  return status;
}
