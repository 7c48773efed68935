#include "io/log/log_check.h"

#include "io/log/log_messages.h"
#include "io/log/session_record.h"
#include "io/mcap/mcap_format.h"

#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct place { // of a record since the last link
  struct log_digest digest;
  const struct mcap_channel *channel; // NULL: a record of the file
  uint64_t time_ns;
};

struct log_check {
  struct mcap_reader *reader;
  struct log_check_report report;
  struct log_chain chain; // to the last link
  struct bytes places;    // struct place
  const struct mcap_channel *known[MCAP_MAX_CHANNELS];
  struct log_digest digests[MCAP_MAX_CHANNELS];
  int known_count;
  char *session;                 // as the first link has it
  uint64_t newest_ns, linked_ns; // log time: newest of all messages; the same when the last link came
  void (*also)(void *context, uint8_t kind, const uint8_t *content, size_t size);
  void *also_context;
};

const char *log_chain_state_name(enum log_chain_state s) {
  static const char *const names[] = {"none", "holds", "gaps", "broken"};
  return names[s];
}

// The first break counts.
static void broken(struct log_check *c, const struct place *at, const char *what) {
  struct log_check_report *r = &c->report;
  if (r->state == LOG_CHAIN_BROKEN)
    return;

  r->state = LOG_CHAIN_BROKEN;
  if (at && at->channel) {
    snprintf(r->topic, sizeof r->topic, "%s", at->channel->topic);
    r->time_ns = at->time_ns;
    fail(&r->broken, STATUS_BAD_INPUT, "%s: topic %.64s at t = %.9g s", what, at->channel->topic,
         1e-9 * (double)at->time_ns);
  } else {
    fail(&r->broken, STATUS_BAD_INPUT, "%s%s", what,
         at ? ": the file's header, metadata or an attachment" : "");
  }
}

static void keep(struct log_check *c, const struct place *p) {
  bytes_put(&c->places, p, sizeof *p);
}

static int is_recovery_mark(const uint8_t *content, size_t size) {
  size_t length = sizeof RECOVERED_METADATA - 1;
  return size >= 4 + length && mcap_get32(content) == length &&
         !memcmp(content + 4, RECOVERED_METADATA, length);
}

static void on_record(void *context, uint8_t kind, const uint8_t *content, size_t size) {
  struct log_check *c = context;
  if (c->also)
    c->also(c->also_context, kind, content, size);
  if (kind == MCAP_METADATA && is_recovery_mark(content, size)) {
    c->report.recovered = 1;
    return;
  }
  keep(c, &(struct place){.digest = log_digest_record(kind, content, size)});
}

// Recovery by programs before there was a chain: the header says so.
static int header_says_recovered(const uint8_t *header, size_t size) {
  static const char mark[] = ", recovered";
  size_t length = sizeof mark - 1;
  return size > length && !memcmp(header + size - length, mark, length);
}

struct log_check *log_check_open(struct mcap_reader *r) {
  struct log_check *c = calloc(1, sizeof *c);
  size_t size;
  const uint8_t *header = mcap_reader_header(r, &size);
  if (!c)
    return NULL;
  c->reader = r;
  log_chain_start(&c->chain);
  if (header) {
    keep(c, &(struct place){.digest = log_digest_record(MCAP_HEADER, header, size)});
    c->report.recovered = header_says_recovered(header, size);
  }
  mcap_reader_on_record(r, on_record, c);
  return c;
}

void log_check_free(struct log_check *c) {
  if (!c)
    return;
  bytes_free(&c->places);
  free(c->session);
  free(c);
}

static const struct log_digest *channel_digest(struct log_check *c, const struct mcap_channel *channel) {
  int i = 0;
  while (i < c->known_count && c->known[i] != channel)
    i++;
  if (i == c->known_count) { // the reader has no more of them than there is room for
    const struct mcap_schema *s = channel->schema;
    c->known[c->known_count++] = channel;
    c->digests[i] = log_digest_channel(&(struct log_channel_text){channel->topic, channel->message_encoding,
                                                                  s ? s->name : "", s ? s->encoding : "",
                                                                  s ? s->data : NULL, s ? s->size : 0});
  }
  return &c->digests[i];
}

// The signature, and that one key signs all or none does.
static const char *check_signature(struct log_check *c, const Sagbend__V1__ChainLink *m,
                                   const struct log_link *link) {
  struct log_check_report *r = &c->report;
  struct log_public_key key;
  int is_signed = m->public_key.len || m->signature.len;
  if (r->links && is_signed != r->is_signed)
    return is_signed ? "signed, what was before it is not" : "not signed, what was before it is";
  r->is_signed = is_signed;
  if (!is_signed)
    return NULL;
  if (m->public_key.len != LOG_PUBLIC_KEY || m->signature.len != LOG_SIGNATURE)
    return "not a signature";
  memcpy(key.bytes, m->public_key.data, LOG_PUBLIC_KEY);
  if (r->links && memcmp(key.bytes, r->public_key.bytes, LOG_PUBLIC_KEY))
    return "signed with another key than what was before it";
  r->public_key = key;
  return log_link_signature_is_right(link, &key, m->signature.data) ? NULL : "a wrong signature";
}

// Follows the records from the digest that the link starts from; the first that does not fit, or NULL.
static const struct place *follow(const struct log_check *c, const struct log_link *link,
                                  struct log_chain *chain, int *at_end) {
  const struct place *places = (const struct place *)(const void *)c->places.data;
  size_t count = c->places.size / sizeof *places, expected = link->links_size / LOG_LINK;
  *at_end = 0;
  for (size_t i = 0; i < count; i++) {
    log_chain_add(chain, &places[i].digest);
    if (i >= expected || memcmp(chain->digest.bytes, link->links + LOG_LINK * i, LOG_LINK))
      return &places[i];
  }
  *at_end = count < expected || memcmp(chain->digest.bytes, link->digest, LOG_DIGEST) != 0;
  return NULL;
}

static void check_link(struct log_check *c, const Sagbend__V1__ChainLink *m, const struct place *here) {
  struct log_link link = {m->session, m->first, m->before.data, m->digest.data, m->links.data, m->links.len};
  struct log_check_report *r = &c->report;
  const struct place *first = c->places.size ? (const struct place *)(const void *)c->places.data : here;
  int at_end;
  if (m->before.len != LOG_DIGEST || m->digest.len != LOG_DIGEST || m->links.len % LOG_LINK) {
    broken(c, here, "not a link of a chain");
    return;
  }

  if (!c->session)
    c->session = strdup(m->session);
  if (!c->session || strcmp(c->session, m->session))
    broken(c, here, "a link of another session");
  const char *wrong = check_signature(c, m, &link);
  if (wrong)
    broken(c, here, wrong);
  if (link.first < c->chain.records)
    broken(c, first, "records stand twice or in another order");
  else if (link.first > c->chain.records && r->state != LOG_CHAIN_BROKEN) {
    r->missing += link.first - c->chain.records;
    r->gap_ns = r->state == LOG_CHAIN_GAPS ? r->gap_ns : c->linked_ns;
    r->state = LOG_CHAIN_GAPS;
  } else if (memcmp(link.before, c->chain.digest.bytes, LOG_DIGEST))
    broken(c, first, "does not carry on from what is before it");

  struct log_chain chain = {.records = link.first};
  memcpy(chain.digest.bytes, link.before, LOG_DIGEST);
  const struct place *wrong_record = follow(c, &link, &chain, &at_end);
  if (wrong_record)
    broken(c, wrong_record, "not the record that was written here, or one before it is missing");
  else if (at_end)
    broken(c, here, "records before this link are missing");
  r->records += c->places.size / sizeof *first;
  c->chain = chain;
}

static void take_link(struct log_check *c, const struct mcap_message *m, const struct place *here) {
  ProtobufCMessage *message = log_unpack(m, NULL);
  if (c->report.state == LOG_CHAIN_NONE)
    c->report.state = LOG_CHAIN_HOLDS;
  if (message)
    check_link(c, (const Sagbend__V1__ChainLink *)message, here);
  else
    broken(c, here, "not a link of a chain");
  log_free(message);
  log_chain_add(&c->chain, &here->digest);
  c->report.links++;
  c->places.size = 0;
  c->linked_ns = c->newest_ns;
}

void log_check_also(struct log_check *c,
                    void (*seen)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                    void *context) {
  c->also = seen;
  c->also_context = context;
}

void log_check_message(struct log_check *c, const struct mcap_message *m) {
  struct log_chain_times times = {m->sequence, m->log_time_ns, m->publish_time_ns};
  struct place p = {log_digest_message(channel_digest(c, m->channel), &times, m->data, m->size), m->channel,
                    m->log_time_ns};
  c->newest_ns = m->log_time_ns > c->newest_ns ? m->log_time_ns : c->newest_ns;
  if (log_topic_of(m->channel) == LOG_CHAIN)
    take_link(c, m, &p);
  else
    keep(c, &p);
}

const struct log_check_report *log_check_finish(struct log_check *c, int complete) {
  struct log_check_report *r = &c->report;
  const char *undefined = complete ? mcap_reader_undefined(c->reader) : NULL;
  mcap_reader_on_record(c->reader, NULL, NULL);
  if (r->state == LOG_CHAIN_NONE)
    return r;

  if (c->places.failed)
    broken(c, NULL, "out of memory to follow it");
  else if (c->places.size)
    broken(c, (const struct place *)(const void *)c->places.data,
           "no link of the chain covers this record and what follows");

  if (undefined) {
    struct reason what;
    fail(&what, STATUS_BAD_INPUT, "the file's summary names %.64s, which nothing in its data defines",
         undefined);
    broken(c, NULL, what.text);
  }
  return r;
}

int log_check_is_by(const struct log_check_report *report, const struct log_public_key *key,
                    struct reason *why) {
  char text[LOG_KEY_TEXT];
  if (report->state == LOG_CHAIN_NONE)
    fail(why, STATUS_BAD_INPUT, "it has no chain that could be signed");
  else if (report->state == LOG_CHAIN_BROKEN)
    fail(why, STATUS_BAD_INPUT, "its chain is broken: %.180s", report->broken.text);
  else if (!report->is_signed)
    fail(why, STATUS_BAD_INPUT, "it is not signed");
  else if (memcmp(report->public_key.bytes, key->bytes, LOG_PUBLIC_KEY)) {
    log_key_text(&report->public_key, text);
    fail(why, STATUS_BAD_INPUT, "it is signed with another key, %s", text);
  } else {
    return 1;
  }
  return 0;
}
