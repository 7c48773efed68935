// MCAP writer and reader, and session logs made with them: everything is read as written; whatever happens to
// the file, nothing else is ever read.
#include "log/log/log.h"
#include "log/mcap/mcap.h"
#include "net/case/case.h"

#include "sagbend/v1/log.pb-c.h"

#include "suite.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MESSAGES = 60, CHUNK = 20, CHANNELS = 3 };

static char path[] = "/tmp/sagbend-log-XXXXXX";

static void make_path(void) {
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  close(file);
}

// Content of message i.
struct sample {
  int channel; // from 0
  uint64_t time_ns;
  uint8_t data[64];
  size_t size;
};

static struct sample sample(int i) {
  struct sample s = {
      .channel = i % CHANNELS, .time_ns = 1000u * (uint64_t)(i ^ 1), .size = (size_t)(i * 7) % 64};
  for (size_t k = 0; k < s.size; k++)
    s.data[k] = (uint8_t)(i * 31 + (int)k * (i % 5));
  return s;
}

static void write_samples(void) {
  static const char *const topics[] = {"/one", "/two", "/three"};
  struct mcap_writer *w;
  struct reason why = {""};
  struct mcap_written written;
  ck_assert_msg(mcap_writer_open(path, "sagbend test", &w, &why) == STATUS_OK, "%s", why.text);
  uint16_t schema = mcap_writer_schema(w, "some.Message", "descriptor", 10);
  ck_assert_uint_eq(schema, 1);
  for (int i = 0; i < CHANNELS; i++)
    ck_assert_uint_eq(mcap_writer_channel(w, schema, topics[i]), i + 1);
  for (int i = 0; i < MESSAGES; i++) {
    struct sample s = sample(i);
    ck_assert_int_eq(mcap_writer_add(w, (uint16_t)(s.channel + 1), (uint32_t)i, s.time_ns, s.data, s.size),
                     STATUS_OK);
    if (i % CHUNK == CHUNK - 1)
      ck_assert_msg(mcap_writer_flush(w, 0, &why) == STATUS_OK, "%s", why.text);
  }
  const struct mcap_text_pair pairs[] = {{"key", "value"}};
  ck_assert_int_eq(mcap_writer_metadata(w, "some", pairs, 1, &why), STATUS_OK);
  ck_assert_int_eq(mcap_writer_close(w, &written, &why), STATUS_OK);
  ck_assert_uint_eq(written.messages, MESSAGES);
  ck_assert_uint_eq(written.chunks, MESSAGES / CHUNK);
  struct stat s;
  ck_assert_int_eq(stat(path, &s), 0);
  ck_assert_uint_eq(written.bytes, (uint64_t)s.st_size);
}

// Whether m is message i, complete.
static int is_sample(const struct mcap_message *m, int i) {
  static const char *const topics[] = {"/one", "/two", "/three"};
  struct sample s = sample(i);
  return m->sequence == (uint32_t)i && !strcmp(m->channel->topic, topics[s.channel]) &&
         m->log_time_ns == s.time_ns && m->publish_time_ns == s.time_ns && m->size == s.size &&
         !memcmp(m->data, s.data, s.size) && !strcmp(m->channel->schema->name, "some.Message") &&
         m->channel->schema->size == 10 && !memcmp(m->channel->schema->data, "descriptor", 10) &&
         !strcmp(m->channel->message_encoding, "protobuf");
}

// Reads the file. Every message must be one that was written, in order; gaps only if may_skip. Returns the
// number of messages; *end is the last result of mcap_reader_next, -2 if the file could not be opened.
static int read_all(enum mcap_access access, int by_index, int may_skip, int *end) {
  struct mcap_reader *r;
  struct mcap_message m;
  struct reason why = {""};
  int next = 0, count = 0;
  *end = -2;
  if (mcap_reader_open(path, access, &r, &why) != STATUS_OK) {
    ck_assert_ptr_null(r);
    ck_assert_str_ne(why.text, "");
    return 0;
  }
  if (by_index)
    mcap_reader_select(r, 0, UINT64_MAX);
  while ((*end = mcap_reader_next(r, &m, &why)) > 0) {
    while (may_skip && next < MESSAGES && !is_sample(&m, next))
      next++;
    ck_assert_msg(next < MESSAGES && is_sample(&m, next), "a message that was never written came out");
    next++;
    count++;
  }
  if (*end < 0)
    ck_assert_str_ne(why.text, "");
  mcap_reader_close(r);
  return count;
}

START_TEST(all_comes_back) {
  struct mcap_reader *r;
  struct reason why = {""};
  int end;
  make_path();
  write_samples();
  for (int by_index = 0; by_index < 2; by_index++) {
    ck_assert_int_eq(read_all(MCAP_STRICT, by_index, 0, &end), MESSAGES);
    ck_assert_int_eq(end, 0);
    ck_assert_int_eq(read_all(MCAP_SALVAGE, by_index, 0, &end), MESSAGES);
  }
  ck_assert_int_eq(mcap_reader_open(path, MCAP_STRICT, &r, &why), STATUS_OK);
  const struct mcap_summary *s = mcap_reader_summary(r, &why);
  ck_assert_msg(s != NULL, "%s", why.text);
  ck_assert_uint_eq(s->message_count, MESSAGES);
  ck_assert_uint_eq(s->chunk_count, MESSAGES / CHUNK);
  ck_assert_uint_eq(s->start_ns, 0);
  ck_assert_uint_eq(s->end_ns, 1000 * (MESSAGES - 1));
  for (int i = 0; i < CHANNELS; i++)
    ck_assert_uint_eq(mcap_reader_channel_count(r, mcap_reader_channel(r, (size_t)i)->id),
                      MESSAGES / CHANNELS);
  ck_assert_ptr_null(mcap_reader_channel(r, CHANNELS));
  mcap_reader_close(r);
  unlink(path);
}
END_TEST

START_TEST(a_range_of_times) {
  struct mcap_reader *r;
  struct mcap_message m;
  struct reason why = {""};
  int count = 0;
  make_path();
  write_samples();
  ck_assert_int_eq(mcap_reader_open(path, MCAP_STRICT, &r, &why), STATUS_OK);
  mcap_reader_select(r, 25000, 29000);
  while (mcap_reader_next(r, &m, &why) > 0) {
    ck_assert(m.log_time_ns >= 25000 && m.log_time_ns <= 29000);
    count++;
  }
  ck_assert_int_eq(count, 5);
  ck_assert_uint_eq(mcap_reader_progress(r)->chunks, 1); // the others were not read
  mcap_reader_close(r);
  unlink(path);
}
END_TEST

static uint8_t *contents(size_t *size) {
  struct stat s;
  int file = open(path, O_RDONLY);
  ck_assert_int_eq(fstat(file, &s), 0);
  uint8_t *data = malloc((size_t)s.st_size);
  *size = (size_t)s.st_size;
  ck_assert_int_eq(read(file, data, *size), (ssize_t)*size);
  close(file);
  return data;
}

// Truncated anywhere: the messages read are the first of those written, and are never reported as complete.
START_TEST(cut_at_every_byte) {
  size_t size;
  int end, most = 0;
  make_path();
  write_samples();
  free(contents(&size));
  const size_t apart = scene_share() < 1 ? 7 : 1; // under sanitizers each seventh byte
  for (size_t cut = size; cut-- > 0;) {
    if (cut % apart)
      continue;
    ck_assert_int_eq(truncate(path, (off_t)cut), 0);
    int strict = read_all(MCAP_STRICT, 0, 0, &end);
    ck_assert_int_lt(end, 0);
    ck_assert_int_eq(strict % CHUNK, 0);
    int salvaged = read_all(MCAP_SALVAGE, 0, 0, &end);
    ck_assert_int_eq(salvaged, strict); // strict reading yields everything valid before the cut
    read_all(MCAP_STRICT, 1, 0, &end);
    ck_assert_int_lt(end, 0); // without its end the file has no index
    most = strict > most ? strict : most;
  }
  ck_assert_int_eq(most, MESSAGES);
  unlink(path);
}
END_TEST

static uint64_t random_state = 1;
static uint64_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

START_TEST(ten_thousand_flipped_bits) {
  size_t size;
  int end, lost = 0, passed_index = 0;
  make_path();
  write_samples();
  uint8_t *data = contents(&size);
  int file = open(path, O_WRONLY);
  for (int i = 0; i < 10000 * scene_share(); i++) {
    size_t at = random_number() % size;
    uint8_t flipped = (uint8_t)(data[at] ^ 1u << random_number() % 8);
    ck_assert_int_eq(pwrite(file, &flipped, 1, (off_t)at), 1);
    int strict = read_all(MCAP_STRICT, 0, 0, &end);
    ck_assert_msg(end < 0, "a flipped bit at byte %zu was not found", at);
    int salvaged = read_all(MCAP_SALVAGE, 0, 1, &end);
    if (end != -2) {
      ck_assert_int_ge(salvaged, strict);
      ck_assert_int_ge(salvaged, MESSAGES - CHUNK * (at < size / 2 ? MESSAGES / CHUNK : 1));
    }
    lost += salvaged < MESSAGES;
    // the flipped bit is outside the indexed part
    passed_index += read_all(MCAP_STRICT, 1, 1, &end) == MESSAGES;
    ck_assert_int_eq(pwrite(file, &data[at], 1, (off_t)at), 1);
  }
  ck_assert_int_gt(lost, 0);
  ck_assert_int_gt(passed_index, 0);
  close(file);
  free(data);
  unlink(path);
}
END_TEST

// A summary that was altered and has a right checksum again, as who forges a file leaves it. No checksum and
// no signature of the data covers it, and readers act on each byte of it.
START_TEST(each_byte_of_a_forged_summary_is_found) {
  enum { FOOTER = MCAP_RECORD_HEAD + MCAP_FOOTER_CONTENT + sizeof MCAP_MAGIC };
  size_t size;
  int end, tried = 0;
  make_path();
  write_samples();
  uint8_t *data = contents(&size);
  const size_t start = (size_t)mcap_get64(data + size - FOOTER + MCAP_RECORD_HEAD), crc_at = size - 12;
  ck_assert_int_eq(read_all(MCAP_STRICT, 0, 0, &end), MESSAGES);
  ck_assert_int_eq(end, 0);
  int file = open(path, O_WRONLY);
  for (size_t at = start; at < crc_at; at++)
    for (int bit = 0; bit < 8; bit += 3) {
      uint8_t before = data[at], crc[4];
      data[at] = (uint8_t)(before ^ 1u << bit);
      const uint64_t stated = mcap_get64(data + size - FOOTER + MCAP_RECORD_HEAD);
      const size_t from = stated < crc_at ? (size_t)stated : start;
      mcap_put32(crc, (uint32_t)crc32_z(0, data + from, crc_at - from));
      ck_assert_int_eq(pwrite(file, &data[at], 1, (off_t)at), 1);
      ck_assert_int_eq(pwrite(file, crc, 4, (off_t)crc_at), 4);
      read_all(MCAP_STRICT, 0, 0, &end);
      ck_assert_msg(end < 0, "bit %d of byte %zu of the summary (kind %u at its start) was not found", bit,
                    at - start, data[start]);
      read_all(MCAP_STRICT, 1, 1, &end); // by the index: no more than the file has
      data[at] = before;
      ck_assert_int_eq(pwrite(file, &data[at], 1, (off_t)at), 1);
      tried++;
    }
  ck_assert_int_gt(tried, 1500);
  close(file);
  free(data);
  unlink(path);
}
END_TEST

// Random bytes after a valid start, and files of random bytes only.
START_TEST(rubbish) {
  size_t size;
  int end;
  make_path();
  write_samples();
  uint8_t *data = contents(&size);
  for (int i = 0; i < 2000 * scene_share(); i++) {
    size_t from = 8 + random_number() % (size - 8);
    uint8_t block[48];
    for (size_t k = 0; k < sizeof block; k++)
      block[k] = (uint8_t)random_number();
    int file = open(path, O_WRONLY | O_TRUNC);
    ck_assert_int_eq(write(file, data, size), (ssize_t)size);
    ck_assert_int_eq(pwrite(file, block, sizeof block, (off_t)from), sizeof block);
    close(file);
    read_all(MCAP_STRICT, 0, 0, &end);
    ck_assert_int_lt(end, 0);
    read_all(MCAP_SALVAGE, 0, 1, &end);
    read_all(MCAP_STRICT, 1, 1, &end);
  }
  free(data);
  unlink(path);
}
END_TEST

START_TEST(what_is_no_log) {
  struct mcap_reader *r;
  struct reason why = {""};
  ck_assert_int_eq(mcap_reader_open("/nowhere/at.all", MCAP_STRICT, &r, &why), STATUS_IO);
  ck_assert_ptr_nonnull(strstr(why.text, "/nowhere/at.all"));
  ck_assert_int_eq(mcap_reader_open("/tmp", MCAP_STRICT, &r, &why), STATUS_IO);
  make_path(); // an empty file
  ck_assert_int_eq(mcap_reader_open(path, MCAP_SALVAGE, &r, &why), STATUS_BAD_INPUT);
  unlink(path);
  struct mcap_writer *w;
  ck_assert_int_eq(mcap_writer_open("/nowhere/at.all", "test", &w, &why), STATUS_IO);
  ck_assert_ptr_nonnull(strstr(why.text, "/nowhere/at.all"));
}
END_TEST

// A discarded chunk loses its schemas and channels; the next chunk repeats them.
START_TEST(discarded_chunk) {
  struct mcap_writer *w;
  struct reason why = {""};
  int end;
  make_path();
  ck_assert_int_eq(mcap_writer_open(path, "sagbend test", &w, &why), STATUS_OK);
  uint16_t schema = mcap_writer_schema(w, "some.Message", "descriptor", 10);
  uint16_t channel = mcap_writer_channel(w, schema, "/one");
  struct sample s = sample(0);
  ck_assert_int_eq(mcap_writer_add(w, channel, 9, 9, "lost", 4), STATUS_OK);
  ck_assert_uint_eq(mcap_writer_pending_messages(w, channel), 1);
  mcap_writer_discard(w);
  ck_assert_uint_eq(mcap_writer_pending_bytes(w), 0);
  ck_assert_int_eq(mcap_writer_add(w, channel, 0, s.time_ns, s.data, s.size), STATUS_OK);
  ck_assert_int_eq(mcap_writer_close(w, NULL, &why), STATUS_OK);
  ck_assert_int_eq(read_all(MCAP_STRICT, 0, 0, &end), 1);
  ck_assert_int_eq(end, 0);
  unlink(path);
}
END_TEST

static struct log_session session_of(const struct config *c, const char *const overrides[]) {
  return (struct log_session){.session = "s-1",
                              .version = "0",
                              .build = "test",
                              .config_path = "a \"path\"",
                              .config = c,
                              .overrides = overrides,
                              .override_count = 1,
                              .node_count = 3,
                              .initial_hash = 0xfedcba9876543210u};
}

static void write_session(void) {
  static const char *const overrides[] = {"simulation.step_s=0.02"};
  static struct config c;
  struct session_log *l;
  struct reason why = {""};
  struct mcap_written written;
  ck_assert_int_eq(config_load(TEST_SOURCE_DIR "/configs/jlay-900m.yaml", overrides, 1, &c, stderr),
                   STATUS_OK);
  struct log_session s = session_of(&c, overrides);
  ck_assert_msg(session_log_open(path, &s, &l, &why) == STATUS_OK, "%s", why.text);
  struct log_command used = {
      .step = 10, .number = 1, .command = {.sequence = 7, .wrench_b = {0.1, 0, 0, 0, 0, -6}}};
  ck_assert_int_eq(session_log_command(l, &used, 0.1), STATUS_OK);
  ck_assert_int_eq(session_log_hash(l, 11, 0.11, 0x0123456789abcdefu), STATUS_OK);
  const struct sim_node nodes[3] = {
      {.position_n_m = {1, 2, 3}}, {.position_n_m = {4, 5, 6}}, {.position_n_m = {7, 8, 9}}};
  ck_assert_int_eq(session_log_nodes(l, 11, 0.11, 3, nodes), STATUS_OK);
  struct frame f;
  memset(&f, 0, sizeof f);
  f.output.step = 11;
  f.output.time_s = 0.11;
  f.output.quaternion_nb[0] = 1;
  f.command_state = COMMAND_LIVE;
  ck_assert_int_eq(session_log_frame(l, LOG_SENSORS, &f, NULL, NULL), STATUS_OK);
  f.output.position_n_m[0] = (double)(0.0f / 0.0f);
  ck_assert_int_eq(session_log_frame(l, LOG_TRUTH, &f, NULL, NULL), STATUS_BAD_INPUT);
  ck_assert_int_eq(session_log_event(l, 11, 0.11, "name", "line\nbreak"), STATUS_OK);
  ck_assert_int_eq(session_log_flush(l, &why), STATUS_OK);
  struct log_end end = {.step = 12,
                        .state_hash = 5,
                        .why = "stopped",
                        .dropped = {[LOG_NODES] = 4},
                        .verdict_count = 2,
                        .verdict = {{"stays", VERDICT_FAILED}, {"later", VERDICT_NOT_JUDGED}}};
  ck_assert_int_eq(session_log_close(l, &end, 0.12, &written, NULL, &why), STATUS_OK);
  ck_assert_uint_eq(written.messages, 7 + 3); // a link of the chain in each chunk
  config_free(&c);
}

static void note_field(void *context, const char *field, const char *value) {
  char *all = context;
  strcat(strcat(strcat(strcat(all, field), "="), value), ";");
}

START_TEST(a_session) {
  static const enum log_topic topics[] = {LOG_SESSION, LOG_CHAIN, LOG_COMMAND, LOG_STATE_HASH, LOG_NODES,
                                          LOG_SENSORS, LOG_EVENT, LOG_CHAIN,   LOG_END,        LOG_CHAIN};
  struct mcap_reader *r;
  struct mcap_message m;
  struct reason why = {""};
  char value[LOG_NUMBER_SIZE], all[65536];
  int count = 0;
  make_path();
  write_session();
  ck_assert_int_eq(mcap_reader_open(path, MCAP_STRICT, &r, &why), STATUS_OK);
  while (mcap_reader_next(r, &m, &why) > 0) {
    ProtobufCMessage *content;
    log_unpack(&m, &content, &why);
    ck_assert_msg(content != NULL, "%s", why.text);
    enum log_topic t = log_topic_of(m.channel);
    ck_assert_int_eq(t, topics[count++]);
    ck_assert_ptr_eq(content->descriptor, log_descriptor(t));
    *all = 0;
    log_each_field(content, note_field, all);
    if (t == LOG_SESSION) {
      ck_assert_str_eq(log_field(content, "initial_state_hash", value), "fedcba9876543210");
      ck_assert_str_eq(log_field(content, "overrides[0]", value), "simulation.step_s=0.02");
      ck_assert_str_eq(log_field(content, "step_s", value), "0.02");
    } else if (t == LOG_COMMAND) {
      ck_assert_uint_eq(m.log_time_ns, 100000000);
      ck_assert_str_eq(
          all, "step=10;number=1;superseded=false;sequence=7;based_on_step=0;wrench.surge_n=0.1;wrench.sway_"
               "n=0;wrench.heave_n=0;wrench.roll_nm=0;wrench.pitch_nm=0;wrench.yaw_nm=-6;");
    } else if (t == LOG_STATE_HASH) {
      ck_assert_str_eq(all, "step=11;hash=0123456789abcdef;");
    } else if (t == LOG_NODES) {
      ck_assert_str_eq(log_field(content, "east_m[2]", value), "8");
      ck_assert_ptr_null(log_field(content, "east_m[3]", value));
    } else if (t == LOG_SENSORS) {
      ck_assert_ptr_null(log_field(content, "pipe.hangoff_tension_n", value)); // no pipe in that step frame
      ck_assert_str_eq(log_field(content, "command_state", value), "COMMAND_STATE_LIVE");
    } else if (t == LOG_EVENT) {
      ck_assert_ptr_nonnull(strstr(all, "text=line?break;"));
    } else if (t == LOG_END) {
      ck_assert_str_eq(
          all,
          "step=12;state_hash=0000000000000005;why=stopped;dropped[0].topic=/"
          "nodes;dropped[0].messages=4;commands_missing=false;replayable_to_step=0;written[0].topic=/"
          "session;written[0].messages=1;written[1].topic=/command;written[1].messages=1;written[2].topic=/"
          "operator;written[2].messages=0;written[3].topic=/"
          "state_hash;written[3].messages=1;written[4].topic=/"
          "sensors;written[4].messages=1;written[5].topic=/truth;written[5].messages=0;written[6].topic=/"
          "nodes;written[6].messages=1;written[7].topic=/ledger;written[7].messages=0;written[8].topic=/"
          "timing;written[8].messages=0;written[9].topic=/"
          "event;written[9].messages=1;written[10].topic=/"
          "session_info;written[10].messages=0;written[11].topic=/"
          "status;written[11].messages=0;written[12].topic=/"
          "dp;written[12].messages=0;written[13].topic=/"
          "alarm;written[13].messages=0;verdict[0].name=stays;verdict[0].result=VERDICT_RESULT_FAILED;"
          "verdict["
          "1].name=later;verdict[1].result=VERDICT_RESULT_NOT_JUDGED;continued_in=;next_session=;");
    }
    log_free(content);
  }
  ck_assert_str_eq(why.text, "");
  ck_assert_int_eq(count, 7 + 3);
  mcap_reader_close(r);
  unlink(path);
}
END_TEST

static struct log_check_report chain_of_file(void) {
  struct mcap_reader *r;
  struct mcap_message m;
  struct reason why = {""};
  ck_assert_int_eq(mcap_reader_open(path, MCAP_STRICT, &r, &why), STATUS_OK);
  struct log_check *c = log_check_open(r);
  while (mcap_reader_next(r, &m, &why) > 0)
    log_check_message(c, &m);
  struct log_check_report report = *log_check_finish(c, !*why.text);
  log_check_free(c);
  mcap_reader_close(r);
  return report;
}

// The chain holds whatever happens to the chunks: discarded, refused by the disk, kept and extended.
START_TEST(a_chain_through_trouble) {
  static const char *const overrides[] = {"simulation.step_s=0.02"};
  static struct config c;
  struct session_log *l;
  struct reason why = {""};
  struct rlimit limit, before;
  struct log_end end = {.step = 40, .why = "stopped"};
  make_path();
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  ck_assert_int_eq(config_load(TEST_SOURCE_DIR "/configs/jlay-900m.yaml", overrides, 1, &c, stderr),
                   STATUS_OK);
  struct log_session s = session_of(&c, overrides);
  ck_assert_msg(session_log_open(path, &s, &l, &why) == STATUS_OK, "%s", why.text);
  for (uint64_t step = 1; step <= 40; step++) {
    ck_assert_int_eq(session_log_hash(l, step, 0.02 * (double)step, step), STATUS_OK);
    if (step % 5)
      continue;
    limit = before;
    limit.rlim_cur = step == 10 || step == 15 || step == 30 ? 1 : before.rlim_cur; // not one byte more
    setrlimit(RLIMIT_FSIZE, &limit);
    enum status status = session_log_flush(l, &why);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(status, limit.rlim_cur == 1 ? STATUS_IO : STATUS_OK);
    if (step == 30)
      session_log_discard(l); // steps 26 to 30 are lost, 6 to 20 were written late
  }
  ck_assert_int_eq(session_log_close(l, &end, 0.8, NULL, NULL, &why), STATUS_OK);
  struct log_check_report report = chain_of_file();
  ck_assert_msg(report.state == LOG_CHAIN_HOLDS, "%s: %s", log_chain_state_name(report.state),
                report.broken.text);
  ck_assert_uint_eq(report.records, 2 + 1 + 35 + 1); // header, metadata; session; hashes; end
  ck_assert_int_eq(report.is_signed, 0);
  config_free(&c);
  unlink(path);
}
END_TEST

START_TEST(paths_of_fields) {
  static const char *const good[] = {"heading_rad", "pipe.touchdown.north_m", "header.step"};
  static const char *const bad[] = {"",        "pipe", "pipe.",  "heading_rad.x", "heading_rad[0]",
                                    "nothing", ".",    "pipe..x"};
  const ProtobufCMessageDescriptor *d = log_descriptor(LOG_SENSORS);
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    ck_assert_msg(log_path_is_valid(d, good[i]), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_msg(!log_path_is_valid(d, bad[i]), "%s", bad[i]);
  ck_assert(log_path_is_valid(log_descriptor(LOG_NODES), "north_m[12]"));
  ck_assert(!log_path_is_valid(log_descriptor(LOG_NODES), "north_m"));
  ck_assert(!log_path_is_valid(log_descriptor(LOG_NODES), "north_m[-1]"));
  ck_assert(!log_path_is_valid(log_descriptor(LOG_NODES), "north_m[1"));
  ck_assert_int_eq(log_topic_by_name("truth"), LOG_TRUTH);
  ck_assert_int_eq(log_topic_by_name("/truth"), LOG_TRUTH);
  ck_assert_int_eq(log_topic_by_name("ruth"), LOG_TOPIC_COUNT);
  char text[4096];
  log_paths(log_descriptor(LOG_STATE_HASH), text, sizeof text);
  ck_assert_str_eq(text, "step,hash");
}
END_TEST

static int is_same_fault_order(const struct order *a, const struct order *b) {
  return a->number == b->number && a->kind == b->kind && a->duration_s == b->duration_s &&
         a->fault.kind == b->fault.kind && a->fault.target == b->fault.target && !strcmp(a->name, b->name) &&
         !strcmp(a->operator_name, b->operator_name) && !strcmp(a->request.target, b->request.target);
}

// An order comes back from a log; also from one of a program whose OrderUsed had a field for each order.
START_TEST(orders_come_back_in_either_form) {
  static const struct hil_names names = {.instrument_count = 1, .instrument = {"gyro-1"}};
  struct reason why = {""};
  uint8_t bytes[2048];
  struct order order = {.number = 7,
                        .kind = ORDER_FAULT,
                        .operator_name = "anna",
                        .name = "mine",
                        .duration_s = 3,
                        .request = {.kind = "no_output", .target = "gyro-1"}},
               got;
  ck_assert_msg(order_find_fault(&order, &names, &why) == STATUS_OK, "%s", why.text);
  size_t size = log_pack_order(12, &order, bytes, sizeof bytes);
  Sagbend__V1__OrderUsed *m = sagbend__v1__order_used__unpack(NULL, size, bytes);
  ck_assert(m && m->step == 12 && m->number == 7 && m->before_case == 0);
  ck_assert_msg(log_read_order(m, &names, &got, &why) == STATUS_OK, "%s", why.text);
  ck_assert(is_same_fault_order(&got, &order));

  Sagbend__V1__OrderUsed before = {.base = m->base,
                                   .step = 12,
                                   .number = 7,
                                   .before_case = SAGBEND__V1__ORDER_USED__BEFORE_FAULT,
                                   .fault = m->order->fault,
                                   .operator_ = m->order->operator_};
  memset(&got, 0, sizeof got);
  ck_assert_msg(log_read_order(&before, &names, &got, &why) == STATUS_OK, "%s", why.text);
  ck_assert(is_same_fault_order(&got, &order));
  before.before_case = SAGBEND__V1__ORDER_USED__BEFORE__NOT_SET;
  ck_assert_int_eq(log_read_order(&before, &names, &got, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, "order number 7"), "%s", why.text);
  m->order->order_case = SAGBEND__V1__ORDER__ORDER_STATUS; // a question, which no log has
  ck_assert_int_eq(log_read_order(m, &names, &got, &why), STATUS_BAD_INPUT);
  m->order->order_case = SAGBEND__V1__ORDER__ORDER_FAULT;
  sagbend__v1__order_used__free_unpacked(m, NULL);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("io_log");
  TCase *all = add_case(suite, "all", 100);
  tcase_add_test(all, all_comes_back);
  tcase_add_test(all, a_range_of_times);
  tcase_add_test(all, cut_at_every_byte);
  tcase_add_test(all, ten_thousand_flipped_bits);
  tcase_add_test(all, each_byte_of_a_forged_summary_is_found);
  tcase_add_test(all, rubbish);
  tcase_add_test(all, what_is_no_log);
  tcase_add_test(all, discarded_chunk);
  tcase_add_test(all, a_session);
  tcase_add_test(all, a_chain_through_trouble);
  tcase_add_test(all, paths_of_fields);
  tcase_add_test(all, orders_come_back_in_either_form);
  return run_suite(suite);
}
