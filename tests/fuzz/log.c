// Fuzzes a session log: the records of the file behind their checksums, and the messages of each topic. The
// first byte of an input selects: even, a complete file follows; odd, a message of the topic that it names.
#define _GNU_SOURCE

#include "log/log/log.h"
#include "run/setup/setup.h"

#include "log/mcap/mcap.h"
#include "net/messages/messages_internal.h"

#include "sagbend/v1/log.pb-c.h"

#include "seeds.h"

#include <stdlib.h>
#include <zlib.h>

static struct setup setup;

static struct plant plant;
static uint8_t *whole; // a newly written log
static size_t whole_size;

static void ignore(void *context, const char *path, const char *value) {
  size_t *sum = context;
  *sum += strlen(path) + strlen(value);
}

static void take(const struct mcap_message *m) {
  struct reason why = {""};
  struct order order;
  size_t sum = 0;
  enum log_topic topic = log_topic_of(m->channel);
  if (topic == LOG_TOPIC_COUNT)
    return;
  ProtobufCMessage *message;
  log_unpack(m, &message, &why);
  if (!message)
    return;
  FILE *out = fopen("/dev/null", "w");
  log_print_json(out, message);
  fclose(out);
  log_each_field(message, ignore, &sum);
  if (topic == LOG_ORDER)
    log_read_order((const Sagbend__V1__OrderUsed *)message, &setup.config.scenario.names, &order, &why);
  log_free(message);
}

static void read_all(const char *path, enum mcap_access access) {
  struct mcap_reader *reader;
  struct mcap_message m;
  struct reason why = {""};
  if (mcap_reader_open(path, access, &reader, &why) != STATUS_OK)
    return;
  mcap_reader_summary(reader, &why);
  for (size_t i = 0; mcap_reader_channel(reader, i); i++)
    mcap_reader_channel_count(reader, mcap_reader_channel(reader, i)->id);
  for (int n = 0; n < 5000 && mcap_reader_next(reader, &m, &why) > 0; n++)
    take(&m);
  mcap_reader_close(reader);
}

// Recomputes the checksum of a summary, if there is one.
static void mend(uint8_t *data, size_t size) {
  size_t end = MCAP_RECORD_HEAD + MCAP_FOOTER_CONTENT + sizeof MCAP_MAGIC;
  if (size < end || memcmp(data + size - sizeof MCAP_MAGIC, MCAP_MAGIC, sizeof MCAP_MAGIC) != 0)
    return;
  uint64_t start = mcap_get64(data + size - end + MCAP_RECORD_HEAD), stop = size - sizeof MCAP_MAGIC - 4;
  if (start && start < stop)
    mcap_put32(data + stop, (uint32_t)crc32_z(0, data + start, stop - start));
}

static void write_log(void) {
  struct case_options options = {.config_path = CONFIGS "osv-83m-instruments.yaml"};
  struct closed_loop *closed_loop = calloc(1, sizeof *closed_loop);
  struct logger *logger;
  char path[] = "/tmp/sagbend-fuzz-XXXXXX";
  int file = mkstemp(path);
  if (file < 0 || setup_load(&setup, &options, stderr) != STATUS_OK ||
      plant_create(&plant, &setup, NULL, NULL) != STATUS_OK)
    abort();
  struct command_def def = setup_command_def(&setup, plant.sim);
  closed_loop_init(closed_loop, plant.sim, &plant.suite, &def, NULL, NULL, &setup.config.scenario, NULL);
  struct log_session about = {.session = "fuzz",
                              .version = "0",
                              .build = "fuzz",
                              .config_path = "none",
                              .config = &setup.config,
                              .command_def = def,
                              .node_count = sim_node_count(plant.sim)};
  if (logger_open(path, &about, NULL, &logger, NULL) != STATUS_OK)
    abort();
  struct command command = {.sequence = 1, .wrench_b = {1e4}};
  struct order order = {.number = 1,
                        .kind = ORDER_FAULT,
                        .name = "o",
                        .duration_s = 1,
                        .fault = {.kind = FAULT_BIAS, .target = 0, .value = {1, 0}}};
  logger_step(logger, closed_loop);
  for (int i = 0; i < 4; i++) {
    if (i == 1) {
      closed_loop_apply_order(closed_loop, &order);
      logger_order(logger, closed_loop->frame.output.step, closed_loop->frame.output.time_s, &order);
    }
    closed_loop_step(closed_loop, &command);
    logger_step(logger, closed_loop);
  }
  logger_event(logger, 1, 0.01, "event", "text");
  logger_finish(logger, closed_loop, "end", NULL);
  logger_free(logger);
  free(closed_loop);
  FILE *in = fopen(path, "rb");
  whole = malloc(FUZZ_LARGEST);
  whole_size = in && whole ? fread(whole, 1, FUZZ_LARGEST, in) : 0;
  if (!whole_size)
    abort();
  fclose(in);
  close(file);
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!whole)
    write_log();
  if (size < 1)
    return 0;
  uint8_t *copy = malloc(size);
  memcpy(copy, data + 1, size - 1);
  if (data[0] & 1) {
    enum log_topic topic = (enum log_topic)((data[0] >> 1) % LOG_TOPIC_COUNT);
    struct mcap_schema schema = {1, log_descriptor(topic)->name, "protobuf", NULL, 0, 1};
    struct mcap_channel channel = {1, log_topic_name(topic), "protobuf", &schema, 1, NULL, 0};
    struct mcap_message m = {.channel = &channel, .data = copy, .size = size - 1};
    take(&m);
  } else {
    mend(copy, size - 1);
    struct memory_file file = memory_file_of(copy, size - 1);
    read_all(file.path, MCAP_STRICT);
    read_all(file.path, MCAP_SALVAGE);
    close(file.descriptor);
  }
  free(copy);
  return 0;
}

static uint8_t *put_record(uint8_t *at, int kind, const uint8_t *content, size_t size) {
  at[0] = (uint8_t)kind;
  mcap_put64(at + 1, size);
  memcpy(at + MCAP_RECORD_HEAD, content, size);
  return at + MCAP_RECORD_HEAD + size;
}

static uint8_t *put_text(uint8_t *at, const char *text) {
  mcap_put32(at, (uint32_t)strlen(text));
  memcpy(at + 4, text, strlen(text));
  return at + 4 + strlen(text);
}

// Writes the same messages to a file without compression and checksums, so that alterations reach the reader.
static size_t plain_file(uint8_t *out, size_t capacity) {
  static uint8_t records[FUZZ_LARGEST], content[FUZZ_LARGEST];
  struct memory_file file = memory_file_of(whole, whole_size);
  struct mcap_reader *reader;
  struct mcap_message m;
  struct reason why = {""};
  uint8_t *at = records, *c, seen[65536] = {0};
  if (mcap_reader_open(file.path, MCAP_STRICT, &reader, &why) != STATUS_OK)
    abort();
  while (mcap_reader_next(reader, &m, &why) > 0 && (size_t)(at - records) + m.size < capacity / 2) {
    if (!seen[m.channel->id]++) {
      mcap_put16(content, m.channel->schema->id);
      c = put_text(put_text(content + 2, m.channel->schema->name), "protobuf");
      mcap_put32(c, 0);
      at = put_record(at, MCAP_SCHEMA, content, (size_t)(c + 4 - content));
      mcap_put16(content, m.channel->id);
      mcap_put16(content + 2, m.channel->schema->id);
      c = put_text(put_text(content + 4, m.channel->topic), "protobuf");
      mcap_put32(c, 0);
      at = put_record(at, MCAP_CHANNEL, content, (size_t)(c + 4 - content));
    }
    mcap_put16(content, m.channel->id);
    mcap_put32(content + 2, m.sequence);
    mcap_put64(content + 6, m.log_time_ns);
    mcap_put64(content + 14, m.publish_time_ns);
    memcpy(content + MCAP_MESSAGE_HEAD, m.data, m.size);
    at = put_record(at, MCAP_MESSAGE, content, MCAP_MESSAGE_HEAD + m.size);
  }
  mcap_reader_close(reader);
  close(file.descriptor);
  size_t size = (size_t)(at - records);
  memcpy(out, MCAP_MAGIC, sizeof MCAP_MAGIC);
  at = put_record(out + sizeof MCAP_MAGIC, MCAP_HEADER, content,
                  (size_t)(put_text(put_text(content, ""), "fuzz") - content));
  mcap_put64(content, 0);
  mcap_put64(content + 8, UINT64_MAX);
  mcap_put64(content + 16, size);
  mcap_put32(content + 24, 0);
  c = put_text(content + 28, "");
  mcap_put64(c, size);
  memcpy(c + 8, records, size);
  at = put_record(at, MCAP_CHUNK, content, (size_t)(c + 8 - content) + size);
  memset(content, 0, MCAP_FOOTER_CONTENT);
  at = put_record(at, MCAP_DATA_END, content, 4);
  at = put_record(at, MCAP_FOOTER, content, MCAP_FOOTER_CONTENT);
  memcpy(at, MCAP_MAGIC, sizeof MCAP_MAGIC);
  return (size_t)(at - out) + sizeof MCAP_MAGIC;
}

// The index-th message.
static size_t message(int index, uint8_t *out, size_t capacity) {
  struct memory_file file = memory_file_of(whole, whole_size);
  struct mcap_reader *reader;
  struct mcap_message m;
  struct reason why = {""};
  size_t size = 0;
  if (mcap_reader_open(file.path, MCAP_STRICT, &reader, &why) != STATUS_OK)
    abort();
  for (int i = 0; mcap_reader_next(reader, &m, &why) > 0; i++)
    if (i == index && m.size < capacity) {
      out[0] = (uint8_t)(2 * log_topic_of(m.channel) + 1);
      memcpy(out + 1, m.data, m.size);
      size = 1 + m.size;
      break;
    }
  mcap_reader_close(reader);
  close(file.descriptor);
  return size;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  if (!whole)
    write_log();
  out[0] = 0;
  if (index == 0)
    return 1 + plain_file(out + 1, capacity - 1);
  if (index == 1) {
    memcpy(out + 1, whole, whole_size < capacity ? whole_size : capacity - 1);
    return 1 + (whole_size < capacity ? whole_size : capacity - 1);
  }
  return message(index - 2, out, capacity);
}
