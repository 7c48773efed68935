// The model runs again from the logged configuration and commands; every state hash, every telemetry message,
// the events that follow from the steps and the end of the log are compared with what comes out.
#include "session/run_end.h"

#include "cli/version.h"
#include "core/base/steps.h"
#include "replay/replay_parts.h"

#include "io/checkpoint/checkpoint.h"
#include "io/codec/codec.h"
#include "rt/os.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  LOOK_ON_STEPS = 1000,  // after the first difference, for one in a field that people can read
  BLIND_STEPS = 1000000, // at most computed without anything in the log to compare with
};
static const uint64_t STATUS_EVERY_NS = 250000000;

static void note(struct difference *d, uint64_t step, enum log_topic topic, const char *field,
                 const char *logged, const char *replayed) {
  if (d->found)
    return;
  *d = (struct difference){.found = 1, .step = step, .topic = topic};
  snprintf(d->field, sizeof d->field, "%s", field);
  snprintf(d->logged, sizeof d->logged, "%s", logged);
  snprintf(d->replayed, sizeof d->replayed, "%s", replayed);
}

static void show_progress(struct verify *v) {
  uint64_t now_ns = os_now_ns(), first = v->r->record->first_step, last = v->r->last_step;
  if (!v->r->console.terminal || now_ns - v->shown_ns < STATUS_EVERY_NS)
    return;
  v->shown_ns = now_ns;
  double done_s = (double)(replay_step_now(v) - first) * v->r->session.config.sim.step_s;
  console_status(&v->r->console, "step %" PRIu64 " of %" PRIu64 "  %3.0f %%  %.0f times real time",
                 replay_step_now(v), last,
                 last > first ? 100 * (double)(replay_step_now(v) - first) / (double)(last - first) : 100.0,
                 done_s / (1e-9 * (double)(now_ns - v->start_ns) + 1e-9));
}

// The state after so many steps, with the commands that the steps on the way used.
static void advance(struct verify *v, uint64_t step, enum log_topic topic) {
  struct replay *r = v->r;
  if (step > replay_step_now(v) && step - replay_step_now(v) > BLIND_STEPS) {
    replay_misses(
        r, "nothing in it tells of the steps from %" PRIu64 " to %" PRIu64 ": not computed beyond the former",
        replay_step_now(v), step);
    v->over = 1;
    return;
  }
  while (replay_step_now(v) < step) {
    uint64_t before = replay_step_now(v);
    const struct logged_command *c =
        v->next_command < r->command_count ? &r->commands[v->next_command] : NULL;
    int now = c && c->step == before;
    v->next_command += (size_t)now;
    while (v->next_order < r->order_count && r->orders[v->next_order].step == before)
      closed_loop_apply_order(&v->closed_loop, &r->orders[v->next_order++].order);
    closed_loop_step(&v->closed_loop, now ? &c->command : NULL);
    replay_events_step(v);
    if (replay_step_now(v) == before) { // a fault is latched: it will not advance any more
      char logged[32];
      snprintf(logged, sizeof logged, "%" PRIu64, step);
      note(&v->first, step, topic, "step", logged, "a fault that the replay latched before it");
      v->over = 1;
      return;
    }
    show_progress(v);
  }
}

static void compare_hash(struct verify *v, uint64_t step, uint64_t logged, const char *field,
                         enum log_topic topic) {
  uint64_t replayed = sim_hash(v->r->session.sim);
  char texts[2][32];
  v->compared[topic]++;
  if (replayed == logged) {
    if (v->first.found && !v->telemetry.found) {
      v->agrees_again_at_step = step;
      v->over = 1;
    }
    return;
  }
  snprintf(texts[0], sizeof texts[0], "%016" PRIx64, logged);
  snprintf(texts[1], sizeof texts[1], "%016" PRIx64, replayed);
  note(&v->first, step, topic, field, texts[0], texts[1]);
}

struct field_search {
  struct verify *v;
  const ProtobufCMessage *other;
  uint64_t step;
  enum log_topic topic;
  int other_is_logged, found;
};

static void look_at_field(void *context, const char *path, const char *value) {
  struct field_search *s = context;
  char number[LOG_NUMBER_SIZE];
  const char *other = log_field(s->other, path, number);
  if (s->found || (other && !strcmp(value, other)))
    return;
  const char *theirs = other ? other : "absent";
  const char *logged = s->other_is_logged ? theirs : value, *replayed = s->other_is_logged ? value : theirs;
  s->found = 1;
  note(&s->v->first, s->step, s->topic, path, logged, replayed);
  note(&s->v->telemetry, s->step, s->topic, path, logged, replayed);
}

static size_t pack_nodes(struct verify *v, const struct wire_header *h) {
  int count = sim_node_count(v->r->session.sim);
  sim_get_nodes(v->r->session.sim, v->nodes);
  return wire_pack_nodes(h, (size_t)count, v->nodes, v->node_scratch, v->bytes, v->capacity);
}

static void compare_telemetry(struct verify *v, const struct mcap_message *m, const ProtobufCMessage *logged,
                              const Sagbend__V1__Header *from) {
  const struct frame *f = &v->closed_loop.frame;
  enum log_topic topic = log_topic_of(m->channel);
  struct wire_header h = {.sequence = from->sequence, .step = f->output.step, .time_s = f->output.time_s};
  snprintf(h.session, sizeof h.session, "%s", from->session);
  size_t size = topic == LOG_SENSORS  ? wire_pack_sensors(&h, f, WIRE_PLAIN, v->bytes, v->capacity)
                : topic == LOG_TRUTH  ? wire_pack_truth(&h, f, v->bytes, v->capacity)
                : topic == LOG_LEDGER ? wire_pack_ledger(&h, f, v->bytes, v->capacity)
                                      : pack_nodes(v, &h);
  v->compared[topic]++;
  if (size == m->size && !memcmp(v->bytes, m->data, size))
    return;
  struct field_search s = {.v = v, .step = f->output.step, .topic = topic};
  ProtobufCMessage *replayed =
      size ? protobuf_c_message_unpack(log_descriptor(topic), NULL, size, v->bytes) : NULL;
  if (!replayed) {
    note(&v->first, s.step, topic, "the message", "finite", "not finite");
    return;
  }
  s.other = replayed;
  log_each_field(logged, look_at_field, &s);
  s.other = logged;
  s.other_is_logged = 1;
  log_each_field(replayed, look_at_field, &s);
  log_free(replayed);
}

static const Sagbend__V1__Header *header_of(enum log_topic topic, const ProtobufCMessage *m) {
  switch (topic) {
  case LOG_SENSORS:
    return ((const Sagbend__V1__Sensors *)m)->header;
  case LOG_TRUTH:
    return ((const Sagbend__V1__Truth *)m)->header;
  case LOG_LEDGER:
    return ((const Sagbend__V1__Ledger *)m)->header;
  case LOG_NODES:
    return ((const Sagbend__V1__Nodes *)m)->header;
  case LOG_TIMING:
    return ((const Sagbend__V1__Timing *)m)->header;
  case LOG_EVENT:
    return ((const Sagbend__V1__Event *)m)->header;
  default:
    return NULL;
  }
}

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

static int is_computed(enum log_topic t) {
  return t == LOG_STATE_HASH || t == LOG_SENSORS || t == LOG_TRUTH || t == LOG_LEDGER || t == LOG_NODES;
}

static void compare_message(struct verify *v, const struct mcap_message *m, const ProtobufCMessage *message,
                            uint64_t step) {
  enum log_topic topic = log_topic_of(m->channel);
  if (step > v->r->replayable_to || (v->first.found && step > v->first.step + LOOK_ON_STEPS))
    v->over = 1;
  else
    advance(v, step, topic);
  if (v->over || step < replay_step_now(v)) // the rules have told that it is out of order
    return;
  if (topic == LOG_STATE_HASH)
    compare_hash(v, step, ((const Sagbend__V1__StateHash *)message)->hash, "hash", topic);
  else
    compare_telemetry(v, m, message, header_of(topic, message));
}

static enum status verify_message(struct verify *v, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  if (topic == LOG_CHAIN || topic == LOG_TOPIC_COUNT)
    return STATUS_OK;
  ProtobufCMessage *message = log_unpack(m, why);
  if (!message)
    return STATUS_BAD_INPUT;
  const Sagbend__V1__Header *header = header_of(topic, message);
  int has_header = is_computed(topic) ? topic != LOG_STATE_HASH : topic == LOG_TIMING || topic == LOG_EVENT;
  enum status status = STATUS_OK;
  if (has_header && !header) {
    status = fail(why, STATUS_BAD_INPUT, "a message of %s has no header", log_topic_name(topic));
  } else {
    uint64_t step = header ? header->step : step_of(topic, message, v->r->record->first_step);
    replay_rules_message(v, m, topic, step, header);
    if (topic == LOG_EVENT)
      replay_events_logged(v, (const Sagbend__V1__Event *)message);
    if (topic == LOG_TIMING)
      v->frames_dropped += ((const Sagbend__V1__Timing *)message)->dropped_frames;
    if (is_computed(topic))
      compare_message(v, m, message, step);
  }
  log_free(message);
  return status;
}

// The last state, and whether it is at fault.
static void compare_end(struct verify *v) {
  const struct replay *r = v->r;
  if (v->over || v->first.found || !r->end || r->end->step < replay_step_now(v) ||
      r->end->step > r->replayable_to)
    return;
  advance(v, r->end->step, LOG_END);
  if (v->over)
    return;
  compare_hash(v, r->end->step, r->end->state_hash, "state_hash", LOG_END);
  int faulty = v->closed_loop.frame.output.fault != 0, said = !strcmp(r->end->why, run_end_text(END_FAULT));
  if (faulty != said)
    note(&v->first, r->end->step, LOG_END, "why", r->end->why, faulty ? "fault" : "no fault");
  double duration_s = r->session.config.run.duration_s;
  uint64_t steps = duration_s > 0 ? steps_in_period(duration_s, r->session.config.sim.step_s) : UINT64_MAX;
  uint64_t last = steps > r->record->first_step ? steps : r->record->first_step; // resumed behind its end
  if (r->same_build && !strcmp(r->end->why, run_end_text(END_REACHED)) && r->end->step != last)
    note(&v->first, r->end->step, LOG_END, "why", r->end->why,
         "another end: the duration has another last step");
  replay_events_end(v);
}

static int run_through(struct verify *v) {
  struct replay *r = v->r;
  struct reason why = {""};
  struct mcap_reader *reader;
  struct mcap_message m;
  if (mcap_reader_open(r->path, MCAP_STRICT, &reader, &why) != STATUS_OK)
    return replay_unusable(r, why.text);
  enum status status = STATUS_OK;
  compare_hash(v, replay_step_now(v), r->record->initial_state_hash, "initial_state_hash", LOG_SESSION);
  replay_rules_start(v);
  replay_check_record(v);
  replay_events_start(v);
  while (status == STATUS_OK && !v->over && !(v->first.found && v->telemetry.found) &&
         mcap_reader_next(reader, &m, &why) > 0)
    status = verify_message(v, &m, &why);
  mcap_reader_close(reader);
  if (status == STATUS_OK) {
    compare_end(v);
    if (replay_step_now(v) == r->record->first_step && (!r->end || r->end->step != r->record->first_step))
      replay_misses(r, "nothing in it can be compared beyond its first state");
    if (!v->first.found)
      replay_rules_end(v);
    if (!v->first.found)
      replay_events_compare(v);
  }
  console_end(&r->console);
  return status == STATUS_OK ? -1 : replay_unusable(r, why.text);
}

// Commands that no simulator of this configuration accepts, and orders that do not begin with the first.
static void check_inputs(struct verify *v) {
  struct replay *r = v->r;
  uint64_t expected = v->closed_loop.scenario.events.last_order + 1;
  for (size_t i = 0; i < r->command_count; i++) {
    const struct logged_command *c = &r->commands[i];
    struct reason why = {""};
    if (command_is_valid(&v->closed_loop.command_def, &c->command, &why))
      continue;
    replay_differs(r, c->step, LOG_COMMAND, "effort", why.text, "a command that a simulator accepts");
    r->replayable_to = c->step < r->replayable_to ? c->step : r->replayable_to;
    break;
  }
  if (!r->order_count || r->used_orders[0]->number == expected)
    return;
  if (r->used_orders[0]->number > expected)
    replay_misses(r, "operator's orders are missing before number %" PRIu64, r->used_orders[0]->number);
  else
    replay_differs_in_number(r, r->orders[0].step, LOG_ORDER, "number", r->used_orders[0]->number, expected);
  r->replayable_to = r->record->first_step;
}

// Where the session began: at rest, or at the checkpoint it went on from.
static int start(struct verify *v) {
  struct replay *r = v->r;
  int status = session_create_sim(&r->session);
  if (status >= 0)
    return status;
  struct command_def def = session_command_def(&r->session);
  const Sagbend__V1__Setpoint *s = r->record->setpoint;
  const double setpoint[3] = {s ? s->north_m : 0, s ? s->east_m : 0, s ? s->heading_rad : 0};
  closed_loop_init(&v->closed_loop, r->session.sim, &r->session.suite, &def, NULL,
                   &r->session.config.scenario, s ? setpoint : NULL);
  if (r->record->checkpoint.len) {
    struct checkpoint_identity identity = {.model_hash = r->session.config.model_hash};
    struct closed_loop_state controls;
    struct reason why = {""};
    snprintf(identity.config_name, sizeof identity.config_name, "%s", r->session.config.name);
    snprintf(identity.version, sizeof identity.version, "%s", r->record->version);
    snprintf(identity.build, sizeof identity.build, "%s", r->record->build); // another build: tried, and told
    struct closed_loop_rules rules = closed_loop_rules(&v->closed_loop);
    if (checkpoint_restore(r->record->checkpoint.data, r->record->checkpoint.len, &identity, &rules,
                           r->session.sim, &r->session.suite, &controls, &why) != STATUS_OK) {
      char text[sizeof why.text + 64];
      snprintf(text, sizeof text, "the checkpoint that it begins with: %s", why.text);
      return replay_unusable(r, text);
    }
    closed_loop_resume(&v->closed_loop, &controls);
  }
  if (replay_step_now(v) != r->record->first_step)
    return replay_unusable(r, "it does not say what state it begins with");
  check_inputs(v);
  return -1;
}

static int allocate(struct verify *v) {
  size_t count = (size_t)sim_node_count(v->r->session.sim) + 1;
  v->capacity = wire_nodes_bytes(count);
  v->bytes = malloc(v->capacity);
  v->nodes = malloc(count * sizeof *v->nodes);
  v->node_scratch = malloc(NODE_COLUMN_COUNT * count * sizeof *v->node_scratch);
  return v->bytes && v->nodes && v->node_scratch ? -1 : replay_unusable(v->r, "out of memory");
}

enum replay_result replay_result(const struct verify *v) {
  const struct replay *r = v->r;
  if (v->first.found || r->claim.found || r->chain.state == LOG_CHAIN_BROKEN || v->not_by)
    return REPLAY_DIFFERENT;
  return r->reason_count ? REPLAY_INCOMPLETE : REPLAY_EQUAL;
}

// The exit status of what was compared.
static int judge(struct verify *v) {
  struct replay *r = v->r;
  enum replay_result result = replay_result(v);
  if (result == REPLAY_DIFFERENT)
    return EXIT_FAILED;
  int compared = replay_step_now(v) > r->record->first_step;
  return result == REPLAY_EQUAL || (r->options->allow_incomplete && compared) ? EXIT_DONE : EXIT_INCOMPLETE;
}

static int check_key(struct verify *v, struct reason *why) {
  struct log_public_key key;
  if (!v->r->options->key_path)
    return -1;
  if (log_key_read_public(v->r->options->key_path, &key, why) != STATUS_OK) {
    console_line(&v->r->console, "--key: %s", why->text);
    return EXIT_USAGE;
  }
  if (!log_check_is_by(&v->r->chain, &key, why))
    v->not_by = why->text;
  return -1;
}

int replay_verify(struct replay *r) {
  struct verify *v = calloc(1, sizeof *v);
  if (!v)
    return replay_unusable(r, "out of memory");
  v->r = r;
  if (!r->same_build)
    console_line(
        &r->console,
        "notice: %s was written by another build (version %s, build %s), this is version %s, build %s: equal "
        "bits are not promised",
        r->path, r->record->version, r->record->build, program_version(), program_build().text);
  struct reason not_by = {""};
  int status = check_key(v, &not_by);
  if (status < 0)
    status = start(v);
  if (status < 0)
    status = allocate(v);
  v->start_ns = os_now_ns();
  if (status < 0)
    status = run_through(v);
  if (status < 0) {
    double wall_s = 1e-9 * (double)(os_now_ns() - v->start_ns);
    (r->options->json ? replay_report_json : replay_report_table)(v, wall_s);
    status = console_finish_stdout("sagbend replay", judge(v));
  }
  replay_events_free(v);
  free(v->bytes);
  free(v->nodes);
  free(v->node_scratch);
  free(v);
  return status;
}
