// The file: opening, chunks with their links of the chain, closing.
#include "log/log/log.h"
#include "log/log/log_internal.h"

#include "log/mcap/mcap.h"
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_BYTES = 65536 }; // reserved on the disk for the last chunk

static uint64_t to_ns(double time_s) {
  return (uint64_t)(1e9 * time_s + 0.5);
}

// Adds a message and extends the chain by it.
static enum status session_log_add(struct session_log *log, enum log_topic topic, double time_s,
                                   const uint8_t *bytes, size_t size) {
  uint32_t sequence = (uint32_t)(log->counts[topic] + 1);
  struct log_chain_times times = {sequence, to_ns(time_s), to_ns(time_s)};
  enum status status = session_chain_reserve(&log->chain);
  if (status == STATUS_OK)
    status = mcap_writer_add(log->file, log->channels[topic], sequence, times.log_ns, bytes, size);
  if (status != STATUS_OK)
    return status;
  log->counts[topic]++;
  session_chain_message(&log->chain, topic, &times, bytes, size);
  return STATUS_OK;
}

// The same for a message that wire_check need not accept, because it may be longer than any on the wire.
static enum status session_log_add_message(struct session_log *log, enum log_topic topic, double time_s,
                                           const ProtobufCMessage *message) {
  size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t *bytes = malloc(size + 1);
  if (!bytes)
    return STATUS_NO_MEMORY;
  protobuf_c_message_pack(message, bytes);
  enum status status = session_log_add(log, topic, time_s, bytes, size);
  free(bytes);
  return status;
}

// Adds the link of the records since the last one at the end of the open chunk. If the chunk is not written
// after all, the next link continues from this one.
static enum status add_link(struct session_log *log) {
  struct bytes link = {0};
  if (!session_chain_is_open(&log->chain))
    return STATUS_OK;

  uint32_t sequence = (uint32_t)(log->counts[LOG_CHAIN] + 1);
  struct log_chain_times times = {sequence, log->chain.last_ns, log->chain.last_ns};
  enum status status = session_chain_pack(&log->chain, &link);
  if (status == STATUS_OK)
    status =
        mcap_writer_add(log->file, log->channels[LOG_CHAIN], sequence, times.log_ns, link.data, link.size);
  if (status == STATUS_OK) {
    log->counts[LOG_CHAIN]++;
    session_chain_ended(&log->chain, &times, &link);
  }
  bytes_free(&link);
  return status;
}

static enum status flush(struct session_log *log, size_t reserve_bytes, struct reason *why) {
  enum status status = add_link(log);
  if (status != STATUS_OK)
    return fail(why, status, "out of memory for a link of the log's chain");
  status = mcap_writer_flush(log->file, reserve_bytes, why);
  if (status == STATUS_OK)
    session_chain_saved(&log->chain);
  return status;
}

// The file's header is the first record of the chain.
static enum status chain_header(struct session_log *log, const char *library) {
  struct bytes header = {0};
  mcap_header_content(&header, library);
  enum status status = header.failed ? STATUS_NO_MEMORY : session_chain_reserve(&log->chain);
  if (status == STATUS_OK)
    session_chain_record(&log->chain, MCAP_HEADER, &header);
  bytes_free(&header);
  return status;
}

static enum status add_topics(struct session_log *log) {
  for (int t = 0; t < LOG_TOPIC_COUNT; t++) {
    const char *name = log_topic_name((enum log_topic)t), *schema = log_topic_schema((enum log_topic)t);
    size_t size;
    const void *data = log_topic_schema_data((enum log_topic)t, &size);
    uint16_t id = mcap_writer_schema(log->file, schema, data, size);
    log->channels[t] = id ? mcap_writer_channel(log->file, id, name) : 0;
    if (!log->channels[t])
      return STATUS_NO_MEMORY;
    log->chain.channels[t] =
        log_digest_channel(&(struct log_channel_text){name, "protobuf", schema, "protobuf", data, size});
  }
  return STATUS_OK;
}

static void release(struct session_log *log) {
  session_chain_close(&log->chain);
  free(log->scratch);
  free(log->bytes);
  free(log);
}

static struct session_log *allocate(int node_count) {
  struct session_log *log = calloc(1, sizeof *log);
  if (!log)
    return NULL;
  log->node_count = node_count;
  log->capacity = wire_nodes_bytes((size_t)node_count) + WIRE_MAX_TIMING;
  log->bytes = malloc(log->capacity);
  log->scratch = calloc((size_t)node_count * NODE_COLUMN_COUNT + 1, sizeof *log->scratch);
  if (log->bytes && log->scratch)
    return log;
  release(log);
  return NULL;
}

// Before the first chunk, so that the link of that chunk covers the metadata.
static enum status write_metadata(struct session_log *log, const struct bytes *content, struct reason *why) {
  enum status status = session_chain_reserve(&log->chain);
  if (status != STATUS_OK)
    return fail(why, status, "out of memory for the session's metadata");
  session_chain_record(&log->chain, MCAP_METADATA, content);
  return mcap_writer_put_metadata(log->file, content, why);
}

// Writes the session's metadata, then adds its record.
static enum status add_record(struct session_log *log, const struct log_session *session,
                              struct reason *why) {
  struct bytes metadata = {0}, packed = {0};
  const double time_s = (double)session->first_step * session->config->sim.step_s;
  enum status status = session_record_pack(session, &metadata, &packed);
  if (status == STATUS_OK)
    status = write_metadata(log, &metadata, why);
  else
    fail(why, status, "out of memory for the session's metadata");
  if (status == STATUS_OK) {
    status = packed.failed ? STATUS_NO_MEMORY
                           : session_log_add(log, LOG_SESSION, time_s, packed.data, packed.size);
    if (status != STATUS_OK)
      fail(why, status, "out of memory for the session's record");
  }
  bytes_free(&metadata);
  bytes_free(&packed);
  return status;
}

static enum status begin(struct session_log *log, const char *path, const char *library,
                         const struct log_session *session, struct reason *why) {
  enum status status = chain_header(log, library);
  if (status == STATUS_OK)
    status = add_topics(log);
  if (status != STATUS_OK)
    return fail(why, status, "%s: out of memory", path);

  status = add_record(log, session, why);
  if (status == STATUS_OK)
    status = session_log_flush(log, why);
  if (status == STATUS_OK)
    status = session_log_sync(log, why);
  return status;
}

char *session_log_path(const char *path, uint64_t number) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
  size_t size = strlen(path) + 24;
  char *out = malloc(size), between[24] = "";
  if (number > 1)
    snprintf(between, sizeof between, "-%" PRIu64, number);
  if (out)
    snprintf(out, size, "%.*s%s%s", (int)stem, path, between, path + stem);
  return out;
}

enum status session_log_open(const char *path, const struct log_session *session, struct session_log **out,
                             struct reason *why) {
  *out = NULL;
  struct session_log *log = allocate(session->node_count);
  if (!log)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  snprintf(log->session, sizeof log->session, "%s", session->session);
  session_chain_open(&log->chain, log->session, session->key);

  char library[64];
  snprintf(library, sizeof library, "sagbend %s", session->version);
  enum status status = mcap_writer_open(path, library, &log->file, why);
  if (status != STATUS_OK) {
    release(log);
    return status;
  }
  status = begin(log, path, library, session, why);
  if (status == STATUS_OK) {
    *out = log;
  } else {
    mcap_writer_abandon(log->file);
    release(log);
  }
  return status;
}

size_t session_log_pending_bytes(const struct session_log *log) {
  return mcap_writer_pending_bytes(log->file);
}

uint64_t session_log_pending(const struct session_log *log, enum log_topic topic) {
  return mcap_writer_pending_messages(log->file, log->channels[topic]);
}

enum status session_log_flush(struct session_log *log, struct reason *why) {
  return flush(log, END_BYTES, why);
}

enum status session_log_sync(struct session_log *log, struct reason *why) {
  return mcap_writer_sync(log->file, why);
}

void session_log_discard(struct session_log *log) {
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    log->counts[t] -= mcap_writer_pending_messages(log->file, log->channels[t]);
  mcap_writer_discard(log->file);
  session_chain_discarded(&log->chain);
}

const struct mcap_written *session_log_written(const struct session_log *log) {
  return mcap_writer_written(log->file);
}

// The lists of the end record, which live until it is packed.
struct end_parts {
  Sagbend__V1__Dropped dropped[LOG_TOPIC_COUNT], *dropped_list[LOG_TOPIC_COUNT];
  Sagbend__V1__TopicCount written[LOG_TOPIC_COUNT], *written_list[LOG_TOPIC_COUNT];
  Sagbend__V1__VerdictOutcome verdict[MAX_VERDICTS], *verdict_list[MAX_VERDICTS];
};

static void fill_topics(const struct session_log *log, const struct log_end *end, struct end_parts *parts,
                        Sagbend__V1__LogEnd *message) {
  message->dropped = parts->dropped_list;
  message->written = parts->written_list;
  for (int t = 0; t < LOG_END; t++) {
    char *name = (char *)log_topic_name((enum log_topic)t);
    Sagbend__V1__TopicCount *written = parts->written_list[message->n_written++] = &parts->written[t];
    sagbend__v1__topic_count__init(written);
    written->topic = name;
    written->messages = log->counts[t];
    if (!end->dropped[t])
      continue;

    Sagbend__V1__Dropped *dropped = parts->dropped_list[message->n_dropped++] = &parts->dropped[t];
    sagbend__v1__dropped__init(dropped);
    dropped->topic = name;
    dropped->messages = end->dropped[t];
  }
}

_Static_assert(LOG_END + 2 == LOG_TOPIC_COUNT, "every topic but /end and /chain is counted");
_Static_assert(SAGBEND__V1__VERDICT_RESULT__VERDICT_RESULT_PASSED == (int)VERDICT_PASSED + 1 &&
                   SAGBEND__V1__VERDICT_RESULT__VERDICT_RESULT_NOT_JUDGED == (int)VERDICT_NOT_JUDGED + 1,
               "the same results in the same order, after the unspecified one");

static void fill_verdicts(const struct log_end *end, struct end_parts *parts, Sagbend__V1__LogEnd *message) {
  for (int i = 0; i < end->verdict_count; i++) {
    Sagbend__V1__VerdictOutcome *verdict = parts->verdict_list[i] = &parts->verdict[i];
    sagbend__v1__verdict_outcome__init(verdict);
    verdict->name = (char *)end->verdict[i].name;
    verdict->result = (Sagbend__V1__VerdictResult)(end->verdict[i].result + 1);
  }
  message->verdict = parts->verdict_list;
  message->n_verdict = (size_t)end->verdict_count;
}

void log_end_verdicts(struct log_end *end, const struct scenario_def *def, const struct scenario *at) {
  for (int i = 0; i < def->verdict_count; i++)
    end->verdict[end->verdict_count++] =
        (struct log_verdict){def->verdict[i].name, verdict_result(&at->verdict[i], &def->verdict[i])};
}

static enum status add_end(struct session_log *log, const struct log_end *end, double time_s) {
  Sagbend__V1__LogEnd message = SAGBEND__V1__LOG_END__INIT;
  struct end_parts parts;
  message.step = end->step;
  message.state_hash = end->state_hash;
  message.why = (char *)end->why;
  message.commands_missing = end->commands_missing != 0;
  message.replayable_to_step = end->replayable_to_step;
  message.continued_in = (char *)(end->continued_in ? end->continued_in : "");
  message.next_session = (char *)(end->next_session ? end->next_session : "");
  fill_topics(log, end, &parts, &message);
  fill_verdicts(end, &parts, &message);
  return session_log_add_message(log, LOG_END, time_s, &message.base);
}

int session_log_is_signed(const struct session_log *log) {
  return log->chain.has_key;
}

enum status session_log_end(struct session_log *log, const struct log_end *end, double time_s,
                            struct log_digest *digest) {
  enum status status = add_end(log, end, time_s);
  if (status == STATUS_OK)
    status = add_link(log);
  if (status != STATUS_OK)
    session_log_discard(log);
  *digest = log->chain.now.digest;
  return status;
}

enum status session_log_close(struct session_log *log, const struct log_end *end, double time_s,
                              struct mcap_written *written, struct log_digest *digest, struct reason *why) {
  enum status status = end ? add_end(log, end, time_s) : STATUS_OK;
  if (status == STATUS_OK)
    status = flush(log, 0, why);
  else
    fail(why, status, "out of memory for the end of the log");
  if (status != STATUS_OK)
    mcap_writer_discard(log->file);
  else if (digest)
    *digest = log->chain.now.digest;

  enum status closed = mcap_writer_close(log->file, written, status == STATUS_OK ? why : NULL);
  release(log);
  return status != STATUS_OK ? status : closed;
}

// ------------------------------------------------------------
// The messages that the steps of a session add.

// size: of the message packed in log->bytes; 0: it could not be packed.
static enum status add_packed(struct session_log *log, enum log_topic topic, double time_s, size_t size) {
  return size ? session_log_add(log, topic, time_s, log->bytes, size) : STATUS_BAD_INPUT;
}

static struct wire_header next_header(const struct session_log *log, enum log_topic topic, uint64_t step,
                                      double time_s) {
  struct wire_header header = {.sequence = log->counts[topic] + 1, .step = step, .time_s = time_s};
  memcpy(header.session, log->session, sizeof header.session);
  return header;
}

enum status session_log_command(struct session_log *log, const struct log_command *command, double time_s) {
  Sagbend__V1__CommandUsed message = SAGBEND__V1__COMMAND_USED__INIT;
  struct command_parts parts;
  wire_fill_command(&command->command, &command->alarms, &parts);
  message.step = command->step;
  message.number = command->number;
  message.superseded = command->superseded != 0;
  message.sequence = command->command.sequence;
  WIRE_TAKE_COMMAND(&message, SAGBEND__V1__COMMAND_USED__EFFORT, &command->command, &command->alarms, &parts);
  Sagbend__V1__CommandSeat seat = SAGBEND__V1__COMMAND_SEAT__INIT;
  seat.seat = (uint32_t)command->command.seat;
  seat.term = command->command.term;
  seat.cause = (uint32_t)command->command.cause;
  seat.hands_to = (uint32_t)command->command.hands_to;
  seat.standbys_ready = (uint32_t)command->command.standbys_ready;
  seat.standbys_following = (uint32_t)command->command.standbys_following;
  message.seat = seat.seat ? &seat : NULL;
  return session_log_add_message(log, LOG_COMMAND, time_s, &message.base);
}

enum status session_log_order(struct session_log *log, const struct order *order, uint64_t step,
                              double time_s) {
  return add_packed(log, LOG_ORDER, time_s, log_pack_order(step, order, log->bytes, log->capacity));
}

enum status session_log_hash(struct session_log *log, uint64_t step, double time_s, uint64_t hash) {
  Sagbend__V1__StateHash message = SAGBEND__V1__STATE_HASH__INIT;
  message.step = step;
  message.hash = hash;
  return add_packed(log, LOG_STATE_HASH, time_s, protobuf_c_message_pack(&message.base, log->bytes));
}

enum status session_log_frame(struct session_log *log, enum log_topic topic, const struct frame *frame,
                              const struct command_counts *counts, const struct wire_times *times) {
  double time_s = frame->output.time_s;
  struct wire_header header = next_header(log, topic, frame->output.step, time_s);
  uint8_t *bytes = log->bytes;
  size_t room = log->capacity;
  size_t size = topic == LOG_SENSORS  ? wire_pack_sensors(&header, frame, WIRE_PLAIN, bytes, room)
                : topic == LOG_TRUTH  ? wire_pack_truth(&header, frame, bytes, room)
                : topic == LOG_LEDGER ? wire_pack_ledger(&header, frame, bytes, room)
                                      : wire_pack_timing(&header, frame, counts, NULL, times, bytes, room);
  return add_packed(log, topic, time_s, size);
}

enum status session_log_nodes(struct session_log *log, uint64_t step, double time_s, int count,
                              const struct sim_node *nodes) {
  if (count > log->node_count)
    return STATUS_BAD_INPUT;
  struct wire_header header = next_header(log, LOG_NODES, step, time_s);
  return add_packed(log, LOG_NODES, time_s,
                    wire_pack_nodes(&header, (size_t)count, nodes, log->scratch, log->bytes, log->capacity));
}

enum status session_log_event(struct session_log *log, uint64_t step, double time_s, const char *name,
                              const char *text) {
  char clean_name[WIRE_NAME], clean_text[WIRE_MAX_TEXT + 1];
  wire_clean_text(clean_name, sizeof clean_name, name);
  wire_clean_text(clean_text, sizeof clean_text, text);
  struct wire_header header = next_header(log, LOG_EVENT, step, time_s);
  return add_packed(log, LOG_EVENT, time_s,
                    wire_pack_event(&header, clean_name, clean_text, WIRE_PLAIN, log->bytes, log->capacity));
}

enum status session_log_message(struct session_log *log, enum log_topic topic, double time_s,
                                const uint8_t *bytes, size_t size) {
  return session_log_add(log, topic, time_s, bytes, size);
}
