#include "io/log/session_log.h"

#include "io/codec/codec.h"
#include "io/codec/message_parts.h"
#include "io/log/order_used.h"
#include "io/log/session_chain.h"
#include "io/log/session_metadata.h"
#include "io/mcap/mcap_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { END_BYTES = 65536, TEXTS = 32 }; // room kept for the last chunk; bytes of a short text

struct session_log {
  struct mcap_writer *file;
  uint16_t channels[LOG_TOPIC_COUNT];
  uint64_t counts[LOG_TOPIC_COUNT]; // messages added, for their headers
  struct session_chain chain;
  char session[WIRE_NAME];
  struct hil_names names; // of what orders tell
  int node_count;
  double *scratch; // for wire_pack_nodes
  uint8_t *bytes;  // one packed message
  size_t capacity;
};

extern const unsigned char wire_descriptor_session[], wire_descriptor_telemetry[], wire_descriptor_log[];
extern const size_t wire_descriptor_session_size, wire_descriptor_telemetry_size, wire_descriptor_log_size;

static const struct topic {
  const char *name, *schema;
  const unsigned char *descriptor;
  const size_t *descriptor_size;
  int share;
} TOPICS[] = {
#define X(id, topic, message, file, share)                                                                   \
  {topic, "sagbend.v1." message, wire_descriptor_##file, &wire_descriptor_##file##_size, share},
    LOG_TOPIC_TABLE(X)
#undef X
};

const char *log_topic_name(enum log_topic t) {
  return (unsigned)t < LOG_TOPIC_COUNT ? TOPICS[t].name : "unknown";
}

const char *log_topic_schema(enum log_topic t) {
  return (unsigned)t < LOG_TOPIC_COUNT ? TOPICS[t].schema : "unknown";
}

int log_topic_share(enum log_topic t) {
  return TOPICS[t].share;
}

static uint64_t in_ns(double time_s) {
  return (uint64_t)(1e9 * time_s + 0.5);
}

static enum status add(struct session_log *l, enum log_topic topic, double time_s, const uint8_t *bytes,
                       size_t size) {
  uint32_t sequence = (uint32_t)(l->counts[topic] + 1);
  struct log_chain_times times = {sequence, in_ns(time_s), in_ns(time_s)};
  enum status status = session_chain_reserve(&l->chain);
  if (status == STATUS_OK)
    status = mcap_writer_add(l->file, l->channels[topic], sequence, times.log_ns, bytes, size);
  if (status != STATUS_OK)
    return status;
  l->counts[topic]++;
  session_chain_message(&l->chain, topic, &times, bytes, size);
  return STATUS_OK;
}

// The link of what the open chunk has without one, at its end. When the chunk is not written after all, the
// next link goes on from this one.
static enum status add_link(struct session_log *l) {
  struct bytes link = {0};
  if (!session_chain_is_open(&l->chain))
    return STATUS_OK;
  uint32_t sequence = (uint32_t)(l->counts[LOG_CHAIN] + 1);
  struct log_chain_times times = {sequence, l->chain.last_ns, l->chain.last_ns};
  enum status status = session_chain_pack(&l->chain, &link);
  if (status == STATUS_OK)
    status = mcap_writer_add(l->file, l->channels[LOG_CHAIN], sequence, times.log_ns, link.data, link.size);
  if (status == STATUS_OK) {
    l->counts[LOG_CHAIN]++;
    session_chain_ended(&l->chain, &times, &link);
  }
  bytes_free(&link);
  return status;
}

static enum status flush(struct session_log *l, size_t reserve_bytes, struct reason *why) {
  enum status status = add_link(l);
  if (status != STATUS_OK)
    return fail(why, status, "out of memory for a link of the log's chain");
  status = mcap_writer_flush(l->file, reserve_bytes, why);
  if (status == STATUS_OK)
    session_chain_saved(&l->chain);
  return status;
}

static enum status add_packed(struct session_log *l, enum log_topic topic, double time_s, size_t size) {
  return size ? add(l, topic, time_s, l->bytes, size) : STATUS_BAD_INPUT;
}

static struct wire_header header(const struct session_log *l, enum log_topic topic, uint64_t step,
                                 double time_s) {
  struct wire_header h = {.sequence = l->counts[topic] + 1, .step = step, .time_s = time_s};
  memcpy(h.session, l->session, sizeof h.session);
  return h;
}

// A message without the wire's check: of our own making, and longer than any on the wire.
static enum status add_message(struct session_log *l, enum log_topic topic, double time_s,
                               const ProtobufCMessage *m) {
  size_t size = protobuf_c_message_get_packed_size(m);
  uint8_t *bytes = malloc(size + 1);
  if (!bytes)
    return STATUS_NO_MEMORY;
  protobuf_c_message_pack(m, bytes);
  enum status status = add(l, topic, time_s, bytes, size);
  free(bytes);
  return status;
}

static void wall_clock(char *out, size_t size) {
  struct timespec now;
  struct tm utc;
  char seconds[TEXTS];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(out, size, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
}

Sagbend__V1__RunMode session_log_mode(enum run_mode mode) {
  return mode == RUN_REALTIME   ? SAGBEND__V1__RUN_MODE__RUN_MODE_REALTIME
         : mode == RUN_LOCKSTEP ? SAGBEND__V1__RUN_MODE__RUN_MODE_LOCKSTEP
                                : SAGBEND__V1__RUN_MODE__RUN_MODE_FAST;
}

enum status session_metadata_content(const Sagbend__V1__SessionRecord *r, struct bytes *out) {
  const ProtobufCEnumValue *mode =
      protobuf_c_enum_descriptor_get_value(&sagbend__v1__run_mode__descriptor, (int)r->mode);
  char step[TEXTS], hash[TEXTS];
  snprintf(step, sizeof step, "%.17g", r->step_s);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->config_hash);
  const struct mcap_text_pair pairs[] = {
      {"session", r->session},
      {"name", r->name},
      {"started_at", r->started_at},
      {"version", r->version},
      {"build", r->build},
      {"mode", mode ? mode->name : "unknown"},
      {"step_s", step},
      {"config_hash", hash},
      {"config_path", r->config_path},
      {"config_text", r->config_text},
      {"dp_text", r->dp_text},
      {"time_base", "log times are simulated time since the start of the session"},
  };
  return mcap_metadata_content(out, SESSION_METADATA, pairs, (int)(sizeof pairs / sizeof *pairs));
}

// For people, who see metadata in any reader of such files; before the first chunk, so that its link covers
// them.
static enum status write_metadata(struct session_log *l, const Sagbend__V1__SessionRecord *r,
                                  struct reason *why) {
  struct bytes content = {0};
  enum status status = session_metadata_content(r, &content);
  if (status == STATUS_OK)
    status = session_chain_reserve(&l->chain);
  if (status == STATUS_OK) {
    session_chain_record(&l->chain, MCAP_METADATA, &content);
    status = mcap_writer_put_metadata(l->file, &content, why);
  } else {
    fail(why, status, "out of memory for the session's metadata");
  }
  bytes_free(&content);
  return status;
}

static enum status chain_header(struct session_log *l, const char *library) {
  struct bytes header = {0};
  mcap_header_content(&header, library);
  enum status status = header.failed ? STATUS_NO_MEMORY : session_chain_reserve(&l->chain);
  if (status == STATUS_OK)
    session_chain_record(&l->chain, MCAP_HEADER, &header);
  bytes_free(&header);
  return status;
}

static size_t list_streams(const struct sensor_suite_def *def,
                           Sagbend__V1__RandomStream streams[MAX_INSTRUMENTS],
                           Sagbend__V1__RandomStream *list[MAX_INSTRUMENTS]) {
  struct sensor_suite_stream s;
  int count = 0;
  for (; count < MAX_INSTRUMENTS && sensor_suite_stream(def, count, &s); count++) {
    list[count] = &streams[count];
    sagbend__v1__random_stream__init(list[count]);
    streams[count].name = (char *)s.name;
    streams[count].seed = s.seed;
  }
  return (size_t)count;
}

// The record as metadata for people, then the record itself.
static enum status write_session(struct session_log *l, const struct log_session *s, struct reason *why) {
  const struct config *c = s->config;
  char started_at[2 * TEXTS];
  Sagbend__V1__SessionRecord r = SAGBEND__V1__SESSION_RECORD__INIT;
  Sagbend__V1__BodyWrench hold = wire_wrench_message(s->command_def.hold_wrench_b);
  wall_clock(started_at, sizeof started_at);
  r.session = (char *)s->session;
  r.name = (char *)c->name;
  r.config_hash = c->hash;
  r.config_text = c->text;
  r.n_overrides = (size_t)s->override_count;
  r.overrides = (char **)s->overrides;
  r.config_path = (char *)s->config_path;
  r.dp_text = (char *)(s->dp_text ? s->dp_text : "");
  r.version = (char *)s->version;
  r.build = (char *)s->build;
  r.started_at = started_at;
  r.mode = session_log_mode(c->run.mode);
  r.step_s = c->sim.step_s;
  r.control_period_steps = s->command_def.period_steps;
  r.command_timeout_steps = s->command_def.timeout_steps;
  r.hold_wrench = &hold;
  r.node_count = (uint32_t)s->node_count;
  r.initial_state_hash = s->initial_hash;
  r.first_step = s->first_step;
  r.checkpoint.data = (uint8_t *)s->checkpoint;
  r.checkpoint.len = s->checkpoint_bytes;
  Sagbend__V1__ConfigFile files[MAX_CONFIG_FILES], *list[MAX_CONFIG_FILES];
  r.files = list;
  r.n_files = (size_t)c->files.count;
  for (int i = 0; i < c->files.count; i++) {
    sagbend__v1__config_file__init(&files[i]);
    files[i].path = c->files.file[i].path;
    files[i].text = (ProtobufCBinaryData){c->files.file[i].size, (uint8_t *)c->files.file[i].text};
    list[i] = &files[i];
  }
  Sagbend__V1__Setpoint setpoint = SAGBEND__V1__SETPOINT__INIT;
  if (s->setpoint) {
    setpoint.north_m = s->setpoint[0];
    setpoint.east_m = s->setpoint[1];
    setpoint.heading_rad = s->setpoint[2];
    r.setpoint = &setpoint;
  }
  Sagbend__V1__RandomStream streams[MAX_INSTRUMENTS], *stream_list[MAX_INSTRUMENTS];
  r.n_random_streams = list_streams(&c->suite, streams, stream_list);
  r.random_streams = stream_list;
  enum status status = write_metadata(l, &r, why);
  if (status != STATUS_OK)
    return status;
  status = add_message(l, LOG_SESSION, (double)s->first_step * c->sim.step_s, &r.base);
  return status == STATUS_OK ? session_log_flush(l, why)
                             : fail(why, status, "out of memory for the session's record");
}

static enum status allocate(struct session_log *l, int node_count) {
  l->node_count = node_count;
  l->capacity = wire_nodes_bytes((size_t)node_count);
  l->bytes = malloc(l->capacity);
  l->scratch = calloc((size_t)node_count * WIRE_NODE_COLUMNS + 1, sizeof *l->scratch);
  return l->bytes && l->scratch ? STATUS_OK : STATUS_NO_MEMORY;
}

static void release(struct session_log *l) {
  session_chain_close(&l->chain);
  free(l->scratch);
  free(l->bytes);
  free(l);
}

static enum status add_topics(struct session_log *l) {
  for (int t = 0; t < LOG_TOPIC_COUNT; t++) {
    uint16_t schema =
        mcap_writer_schema(l->file, TOPICS[t].schema, TOPICS[t].descriptor, *TOPICS[t].descriptor_size);
    l->channels[t] = schema ? mcap_writer_channel(l->file, schema, TOPICS[t].name) : 0;
    if (!l->channels[t])
      return STATUS_NO_MEMORY;
    l->chain.channels[t] = log_digest_channel(
        &(struct log_channel_text){TOPICS[t].name, "protobuf", TOPICS[t].schema, "protobuf",
                                   TOPICS[t].descriptor, *TOPICS[t].descriptor_size});
  }
  return STATUS_OK;
}

enum status session_log_open(const char *path, const struct log_session *session, struct session_log **out,
                             struct reason *why) {
  struct session_log *l = calloc(1, sizeof *l);
  char library[64];
  *out = NULL;
  if (!l || allocate(l, session->node_count) != STATUS_OK) {
    if (l)
      release(l);
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  }
  snprintf(l->session, sizeof l->session, "%s", session->session);
  session_chain_open(&l->chain, l->session, session->key);
  l->names = session->config->scenario.names;
  snprintf(library, sizeof library, "sagbend %s", session->version);
  enum status status = mcap_writer_open(path, library, &l->file, why);
  if (status != STATUS_OK) {
    release(l);
    return status;
  }
  status = chain_header(l, library);
  if (status == STATUS_OK)
    status = add_topics(l);
  if (status != STATUS_OK)
    fail(why, status, "%s: out of memory", path);
  else
    status = write_session(l, session, why);
  if (status == STATUS_OK)
    status = session_log_sync(l, why);
  if (status == STATUS_OK) {
    *out = l;
  } else {
    mcap_writer_discard(l->file);
    mcap_writer_close(l->file, NULL, NULL);
    release(l);
  }
  return status;
}

enum status session_log_command(struct session_log *l, const struct log_command *c, double time_s) {
  Sagbend__V1__CommandUsed m = SAGBEND__V1__COMMAND_USED__INIT;
  Sagbend__V1__BodyWrench wrench = wire_wrench_message(c->command.wrench_b);
  Sagbend__V1__Standby standby = SAGBEND__V1__STANDBY__INIT;
  struct thruster_commands_message thrusters;
  m.step = c->step;
  m.number = c->number;
  m.superseded = c->superseded != 0;
  m.sequence = c->command.sequence;
  m.based_on_step = c->command.based_on_step;
  if (c->command.standby) {
    m.effort_case = SAGBEND__V1__COMMAND_USED__EFFORT_STANDBY;
    m.standby = &standby;
  } else if (c->command.thruster_count > 0) {
    wire_fill_thruster_commands(&c->command, &thrusters);
    m.effort_case = SAGBEND__V1__COMMAND_USED__EFFORT_THRUSTERS;
    m.thrusters = &thrusters.message;
  } else {
    m.effort_case = SAGBEND__V1__COMMAND_USED__EFFORT_WRENCH;
    m.wrench = &wrench;
  }
  return add_message(l, LOG_COMMAND, time_s, &m.base);
}

enum status session_log_order(struct session_log *l, const struct order *o, uint64_t step, double time_s) {
  return add_packed(l, LOG_ORDER, time_s, log_pack_order(&l->names, step, o, l->bytes, l->capacity));
}

enum status session_log_hash(struct session_log *l, uint64_t step, double time_s, uint64_t hash) {
  Sagbend__V1__StateHash m = SAGBEND__V1__STATE_HASH__INIT;
  m.step = step;
  m.hash = hash;
  return add_packed(l, LOG_STATE_HASH, time_s, protobuf_c_message_pack(&m.base, l->bytes));
}

enum status session_log_frame(struct session_log *l, enum log_topic topic, const struct frame *f,
                              const struct command_counts *counts) {
  double time_s = f->output.time_s;
  struct wire_header h = header(l, topic, f->output.step, time_s);
  size_t size = topic == LOG_SENSORS  ? wire_pack_sensors(&h, f, WIRE_PLAIN, l->bytes, l->capacity)
                : topic == LOG_TRUTH  ? wire_pack_truth(&h, f, l->bytes, l->capacity)
                : topic == LOG_LEDGER ? wire_pack_ledger(&h, f, l->bytes, l->capacity)
                                      : wire_pack_timing(&h, f, counts, l->bytes, l->capacity);
  return add_packed(l, topic, time_s, size);
}

enum status session_log_nodes(struct session_log *l, uint64_t step, double time_s, int count,
                              const struct sim_node *nodes) {
  if (count > l->node_count)
    return STATUS_BAD_INPUT;
  struct wire_header h = header(l, LOG_NODES, step, time_s);
  return add_packed(l, LOG_NODES, time_s,
                    wire_pack_nodes(&h, (size_t)count, nodes, l->scratch, l->bytes, l->capacity));
}

enum status session_log_event(struct session_log *l, uint64_t step, double time_s, const char *name,
                              const char *text) {
  char clean_name[WIRE_NAME], clean[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean_name, sizeof clean_name, name);
  wire_clean_text(clean, sizeof clean, text);
  struct wire_header h = header(l, LOG_EVENT, step, time_s);
  return add_packed(l, LOG_EVENT, time_s,
                    wire_pack_event(&h, clean_name, clean, WIRE_PLAIN, l->bytes, l->capacity));
}

size_t session_log_pending_bytes(const struct session_log *l) {
  return mcap_writer_pending_bytes(l->file);
}

uint64_t session_log_pending(const struct session_log *l, enum log_topic topic) {
  return mcap_writer_pending_messages(l->file, l->channels[topic]);
}

enum status session_log_flush(struct session_log *l, struct reason *why) {
  return flush(l, END_BYTES, why);
}

enum status session_log_sync(struct session_log *l, struct reason *why) {
  return mcap_writer_sync(l->file, why);
}

void session_log_discard(struct session_log *l) {
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    l->counts[t] -= mcap_writer_pending_messages(l->file, l->channels[t]);
  mcap_writer_discard(l->file);
  session_chain_discarded(&l->chain);
}

const struct mcap_written *session_log_written(const struct session_log *l) {
  return mcap_writer_written(l->file);
}

static enum status add_end(struct session_log *l, const struct log_end *end, double time_s) {
  Sagbend__V1__LogEnd m = SAGBEND__V1__LOG_END__INIT;
  Sagbend__V1__Dropped dropped[LOG_TOPIC_COUNT], *list[LOG_TOPIC_COUNT];
  m.step = end->step;
  m.state_hash = end->state_hash;
  m.why = (char *)end->why;
  m.dropped = list;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++) {
    if (!end->dropped[t])
      continue;
    struct Sagbend__V1__Dropped *d = &dropped[m.n_dropped];
    sagbend__v1__dropped__init(d);
    d->topic = (char *)log_topic_name((enum log_topic)t);
    d->messages = end->dropped[t];
    list[m.n_dropped++] = d;
  }
  m.commands_missing = end->commands_missing != 0;
  m.replayable_to_step = end->replayable_to_step;
  return add_message(l, LOG_END, time_s, &m.base);
}

enum status session_log_close(struct session_log *l, const struct log_end *end, double time_s,
                              struct mcap_written *written, struct reason *why) {
  enum status status = add_end(l, end, time_s);
  if (status == STATUS_OK)
    status = flush(l, 0, why);
  else
    fail(why, status, "out of memory for the end of the log");
  if (status != STATUS_OK)
    mcap_writer_discard(l->file);
  enum status closed = mcap_writer_close(l->file, written, status == STATUS_OK ? why : NULL);
  release(l);
  return status != STATUS_OK ? status : closed;
}
