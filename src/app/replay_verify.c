// The model runs again from the logged configuration and commands; every state hash and every telemetry
// message of the log is compared with what comes out.
#include "replay_parts.h"
#include "version.h"
#include "output_file.h"

#include "io/codec.h"
#include "rt/os.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_ON_STEPS = 1000 }; // after the first difference, for one in a field that people can read
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
  const struct replay *r = v->r;
  while (replay_step_now(v) < step) {
    uint64_t before = replay_step_now(v);
    const struct logged_command *c =
        v->next_command < r->command_count ? &r->commands[v->next_command] : NULL;
    int now = c && c->step == before;
    v->next_command += (size_t)now;
    while (v->next_order < r->order_count && r->orders[v->next_order].step == before)
      stepper_order(&v->stepper, &r->orders[v->next_order++].order);
    stepper_step(&v->stepper, now ? &c->command : NULL);
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
  const struct frame *f = &v->stepper.frame;
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
  default:
    return NULL;
  }
}

static enum status verify_message(struct verify *v, const struct mcap_message *m, struct reason *why) {
  enum log_topic topic = log_topic_of(m->channel);
  if (topic != LOG_STATE_HASH && topic != LOG_SENSORS && topic != LOG_TRUTH && topic != LOG_LEDGER &&
      topic != LOG_NODES)
    return STATUS_OK;
  ProtobufCMessage *message = log_unpack(m, why);
  if (!message)
    return STATUS_BAD_INPUT;
  const Sagbend__V1__StateHash *hash =
      topic == LOG_STATE_HASH ? (const Sagbend__V1__StateHash *)message : NULL;
  const Sagbend__V1__Header *header = header_of(topic, message);
  enum status status = STATUS_OK;
  if (!hash && !header) {
    status = fail(why, STATUS_BAD_INPUT, "a message of %s has no header", log_topic_name(topic));
  } else {
    uint64_t step = hash ? hash->step : header->step;
    if (step > v->r->replayable_to || (v->first.found && step > v->first.step + LOOK_ON_STEPS))
      v->over = 1;
    else
      advance(v, step, topic);
    if (!v->over && step < replay_step_now(v))
      v->late++;
    else if (!v->over && hash)
      compare_hash(v, step, hash->hash, "hash", topic);
    else if (!v->over)
      compare_telemetry(v, m, message, header);
  }
  log_free(message);
  return status;
}

// The random streams that the record names are the ones that the rig draws from.
static void compare_streams(struct verify *v) {
  const Sagbend__V1__SessionRecord *record = v->r->record;
  struct rig_stream ours;
  for (size_t i = 0; i <= record->n_random_streams; i++) {
    char texts[2][64] = {"none", "none"};
    if (i < record->n_random_streams)
      snprintf(texts[0], sizeof texts[0], "%.40s %016" PRIx64, record->random_streams[i]->name, record->random_streams[i]->seed);
    if (rig_stream(&v->r->session.config.rig, (int)i, &ours))
      snprintf(texts[1], sizeof texts[1], "%.40s %016" PRIx64, ours.name, ours.seed);
    if (strcmp(texts[0], texts[1]) != 0)
      note(&v->first, record->first_step, LOG_SESSION, "random_streams", texts[0], texts[1]);
  }
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
  compare_streams(v);
  while (status == STATUS_OK && !v->over && !(v->first.found && v->telemetry.found) &&
         mcap_reader_next(reader, &m, &why) > 0)
    status = verify_message(v, &m, &why);
  mcap_reader_close(reader);
  console_end(&r->console);
  return status == STATUS_OK ? -1 : replay_unusable(r, why.text);
}

// Those that a step used have passed the gate: others, no session has logged.
static int check_commands(struct replay *r, const struct command_def *def) {
  for (size_t i = 0; i < r->command_count; i++) {
    struct reason why = {""};
    if (command_is_valid(def, &r->commands[i].command, &why))
      continue;
    valid_within(&why, "the command of step %llu: ", (unsigned long long)r->commands[i].step);
    return replay_unusable(r, why.text);
  }
  return -1;
}

// Where the session began: at rest, or at the checkpoint it went on from.
static int start(struct verify *v) {
  struct replay *r = v->r;
  int status = session_create_sim(&r->session);
  if (status >= 0)
    return status;
  struct command_def def = session_command_def(&r->session);
  if ((status = check_commands(r, &def)) >= 0)
    return status;
  const Sagbend__V1__Setpoint *s = r->record->setpoint;
  const double setpoint[3] = {s ? s->north_m : 0, s ? s->east_m : 0, s ? s->heading_rad : 0};
  stepper_init(&v->stepper, r->session.sim, &r->session.rig, &def, NULL, &r->session.config.scenario, s ? setpoint : NULL);
  if (r->record->checkpoint.len) {
    struct checkpoint_identity identity = {.model_hash = r->session.config.model_hash};
    struct checkpoint_controls controls;
    struct reason why = {""};
    snprintf(identity.config_name, sizeof identity.config_name, "%s", r->session.config.name);
    snprintf(identity.version, sizeof identity.version, "%s", r->record->version);
    snprintf(identity.build, sizeof identity.build, "%s", r->record->build); // another build: tried, and told
    struct checkpoint_rules rules = stepper_rules(&v->stepper);
    if (checkpoint_restore(r->record->checkpoint.data, r->record->checkpoint.len, &identity, &rules, r->session.sim,
                           &r->session.rig, &controls, &why) != STATUS_OK) {
      char text[sizeof why.text + 64];
      snprintf(text, sizeof text, "the checkpoint that it begins with: %s", why.text);
      return replay_unusable(r, text);
    }
    stepper_resume(&v->stepper, &controls);
  }
  return replay_step_now(v) == r->record->first_step
             ? -1
             : replay_unusable(r, "it does not say what state it begins with");
}

static int allocate(struct verify *v) {
  size_t count = (size_t)sim_node_count(v->r->session.sim) + 1;
  v->capacity = wire_nodes_bytes(count);
  v->bytes = malloc(v->capacity);
  v->nodes = malloc(count * sizeof *v->nodes);
  v->node_scratch = malloc(WIRE_NODE_COLUMNS * count * sizeof *v->node_scratch);
  return v->bytes && v->nodes && v->node_scratch ? -1 : replay_unusable(v->r, "out of memory");
}

// The exit status of what was compared.
static int judge(struct verify *v) {
  struct replay *r = v->r;
  char text[128];
  if (v->first.found)
    return EXIT_FAILED;
  if (r->replayable_to != UINT64_MAX) {
    snprintf(text, sizeof text, "commands are missing in it: equal to step %" PRIu64 ", unknown after it",
             replay_step_now(v));
    return replay_unusable(r, text);
  }
  if (replay_step_now(v) == r->record->first_step)
    return replay_unusable(r, "there is nothing to compare in it beyond its first state");
  return EXIT_DONE;
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
  int status = start(v);
  if (status < 0)
    status = allocate(v);
  v->start_ns = os_now_ns();
  if (status < 0)
    status = run_through(v);
  if (status < 0) {
    double wall_s = 1e-9 * (double)(os_now_ns() - v->start_ns);
    (r->options->json ? replay_report_json : replay_report_table)(v, wall_s);
    status = output_stdout_end("sagbend replay", judge(v));
  }
  free(v->bytes);
  free(v->nodes);
  free(v->node_scratch);
  free(v);
  return status;
}
