// Writes the log of one session of a host. What a session log of `run` contains, but the times of its steps.
#include "run/hosted/hosted_internal.h"

#include "os/cli/cli.h"
#include "run/setup/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum status hosted_log_hash(struct hosted *h, uint64_t step, uint64_t hash) {
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

enum status hosted_log_begin(struct hosted *h, const struct log_origin *origin,
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

enum status hosted_log_order(struct hosted *h, const struct order *order) {
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

enum status hosted_log_step(struct hosted *h) {
  enum status status = h->engine.loop.has_sent ? log_command(h) : STATUS_OK;
  if (status == STATUS_OK)
    status = log_state(h);
  event_find(&h->finder, &h->engine.loop.frame);
  return *h->why.text ? STATUS_IO : status;
}

enum status hosted_log_end(struct hosted *h, const char *end_text, const char *next_session) {
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
