// Copies a log with one change, with correct CRCs and without its chain, as programs before the chain wrote
// logs: an alteration that a replay must find by recomputing. For tests.
//   alter_log IN OUT command NUMBER    surge of that command, changed by 1 N
//   alter_log IN OUT nan NUMBER        sway of that command, NaN
//   alter_log IN OUT lose NUMBER       that command is removed
//   alter_log IN OUT fault_order NUMBER   the first parameter of that order's fault, halved
//   alter_log IN OUT setpoint NUMBER     north of that order's set-point, changed by 1000 m
//   alter_log IN OUT hash STEP         one bit of the state hash of that step
//   alter_log IN OUT sensors STEP      the last bit of the north position
//   alter_log IN OUT none 0            no change
//   alter_log IN OUT build 0           the name of the build
//   alter_log IN OUT FIELD 0           that field of the checkpoint it begins with, as forge.h has it, hashes
//   put right alter_log IN OUT config 0          one letter of the configuration's text
#include "log/log/log.h"
#include "log/mcap/mcap.h"

#include "sagbend/v1/log.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include "forge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };

struct change {
  const char *kind;
  uint64_t number;
  int done;
};

static int is(struct change *c, const char *kind, uint64_t number) {
  int here = !strcmp(c->kind, kind) && c->number == number;
  c->done += here;
  return here;
}

// 0: the message is left out.
static int alter(struct change *c, enum log_topic topic, ProtobufCMessage *message) {
  if (topic == LOG_COMMAND) {
    Sagbend__V1__CommandUsed *m = (Sagbend__V1__CommandUsed *)message;
    if (!m->superseded && is(c, "lose", m->number))
      return 0;
    if (!m->superseded && m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_WRENCH &&
        is(c, "command", m->number))
      m->wrench->surge_n += 1;
    if (!m->superseded && m->effort_case == SAGBEND__V1__COMMAND_USED__EFFORT_WRENCH &&
        is(c, "nan", m->number))
      m->wrench->sway_n = (double)NAN;
  } else if (topic == LOG_ORDER) {
    Sagbend__V1__OrderUsed *m = (Sagbend__V1__OrderUsed *)message;
    Sagbend__V1__Order *order = m->order;
    if (order->order_case == SAGBEND__V1__ORDER__ORDER_FAULT && is(c, "fault_order", m->number))
      order->fault->parameter[0]->number *= 0.5;
    if (order->order_case == SAGBEND__V1__ORDER__ORDER_SETPOINT && is(c, "setpoint", m->number))
      order->setpoint->north_m += 1000;
  } else if (topic == LOG_STATE_HASH) {
    Sagbend__V1__StateHash *m = (Sagbend__V1__StateHash *)message;
    if (is(c, "hash", m->step))
      m->hash ^= UINT64_C(1) << 40;
  } else if (topic == LOG_SENSORS) {
    Sagbend__V1__Sensors *m = (Sagbend__V1__Sensors *)message;
    uint64_t bits;
    if (is(c, "sensors", m->header->step)) {
      memcpy(&bits, &m->position_north_m, sizeof bits);
      bits ^= 1;
      memcpy(&m->position_north_m, &bits, sizeof bits);
    }
  } else if (topic == LOG_SESSION) {
    Sagbend__V1__SessionRecord *m = (Sagbend__V1__SessionRecord *)message;
    if (is(c, "build", 0))
      m->build[0] = m->build[0] == '0' ? '1' : '0';
    if (m->checkpoint.len && forge(m->checkpoint.data, m->checkpoint.len, c->kind))
      c->done++;
    if (is(c, "config", 0))
      m->config_text[2] ^= 1;
  }
  return 1;
}

static uint16_t channel_for(struct mcap_writer *w, const struct mcap_channel *from, uint16_t ids[65536]) {
  if (!ids[from->id]) {
    uint16_t schema = mcap_writer_schema(w, from->schema->name, from->schema->data, from->schema->size);
    ids[from->id] = mcap_writer_channel(w, schema, from->topic);
  }
  return ids[from->id];
}

static enum status copy(struct mcap_reader *reader, struct mcap_writer *w, struct change *c,
                        struct reason *why) {
  static uint16_t ids[65536];
  struct mcap_message m;
  int got;
  for (size_t i = 0; mcap_reader_channel(reader, i); i++)
    channel_for(w, mcap_reader_channel(reader, i), ids);
  while ((got = mcap_reader_next(reader, &m, why)) > 0) {
    if (log_topic_of(m.channel) == LOG_CHAIN)
      continue;
    ProtobufCMessage *message;
    enum status status = log_unpack(&m, &message, why);
    if (status != STATUS_OK)
      return status;
    if (alter(c, log_topic_of(m.channel), message)) {
      uint8_t *bytes = malloc(protobuf_c_message_get_packed_size(message) + 1);
      size_t size = protobuf_c_message_pack(message, bytes);
      status = mcap_writer_add(w, channel_for(w, m.channel, ids), m.sequence, m.log_time_ns, bytes, size);
      free(bytes);
    }
    log_free(message);
    if (status == STATUS_OK && mcap_writer_pending_bytes(w) > CHUNK_BYTES)
      status = mcap_writer_flush(w, CHUNK_BYTES, why);
    if (status != STATUS_OK)
      return status;
  }
  return got < 0 ? STATUS_BAD_INPUT : STATUS_OK;
}

int main(int argc, char **argv) {
  struct mcap_reader *reader = NULL;
  struct mcap_writer *writer = NULL;
  struct reason why = {""};
  if (argc != 5) {
    fprintf(stderr, "usage: alter_log IN OUT none|command|lose|hash|sensors|build|config NUMBER\n");
    return 2;
  }
  struct change change = {.kind = argv[3], .number = strtoull(argv[4], NULL, 10)};
  enum status status = mcap_reader_open(argv[1], MCAP_STRICT, &reader, &why);
  if (status == STATUS_OK)
    status = mcap_writer_open(argv[2], "alter_log", &writer, &why);
  if (status == STATUS_OK)
    status = copy(reader, writer, &change, &why);
  if (writer) {
    enum status closed = mcap_writer_close(writer, NULL, status == STATUS_OK ? &why : NULL);
    status = status == STATUS_OK ? closed : status;
  }
  if (reader)
    mcap_reader_close(reader);
  if (status == STATUS_OK && change.done != (strcmp(change.kind, "none") != 0))
    status = fail(&why, STATUS_BAD_INPUT, "%d places to change, 1 expected", change.done);
  if (status != STATUS_OK)
    fprintf(stderr, "alter_log: %s\n", why.text);
  return status == STATUS_OK ? 0 : 1;
}
