#include "log/log/log.h"

#include "log/mcap/mcap.h"

#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct place { // of a record after the last link
  struct log_digest digest;
  const struct mcap_channel *channel; // NULL: not a message
  uint64_t time_ns;
};

struct log_check {
  struct mcap_reader *reader;
  struct log_check_report report;
  struct log_chain chain; // up to the last link
  struct bytes places;    // struct place of each record since
  const struct mcap_channel *known[MCAP_MAX_CHANNELS];
  struct log_digest digests[MCAP_MAX_CHANNELS];
  int known_count;
  char *session;                 // of the first link
  uint64_t newest_ns, linked_ns; // largest log time of all messages; the same at the last link
  void (*on_record)(void *context, uint8_t kind, const uint8_t *content, size_t size);
  void *on_record_context;
};

const char *log_chain_state_name(enum log_chain_state s) {
  static const char *const names[] = {"none", "holds", "gaps", "broken"};
  return names[s];
}

// Reports a break; only the first one counts.
static void report_break(struct log_check *check, const struct place *at, const char *what) {
  struct log_check_report *report = &check->report;
  if (report->state == LOG_CHAIN_BROKEN)
    return;

  report->state = LOG_CHAIN_BROKEN;
  if (at && at->channel) {
    snprintf(report->topic, sizeof report->topic, "%s", at->channel->topic);
    report->time_ns = at->time_ns;
    fail(&report->broken, STATUS_BAD_INPUT, "%s: topic %.64s at t = %.9g s", what, at->channel->topic,
         1e-9 * (double)at->time_ns);
  } else {
    fail(&report->broken, STATUS_BAD_INPUT, "%s%s", what,
         at ? ": the file's header, metadata or an attachment" : "");
  }
}

static void keep_log_place(struct log_check *check, const struct place *place) {
  bytes_put(&check->places, place, sizeof *place);
}

static int is_named(const uint8_t *content, size_t size, const char *name) {
  size_t length = strlen(name);
  return size >= 4 + length && mcap_get32(content) == length && !memcmp(content + 4, name, length);
}

static void check_record(void *context, uint8_t kind, const uint8_t *content, size_t size) {
  struct log_check *check = context;
  if (check->on_record)
    check->on_record(check->on_record_context, kind, content, size);
  if (kind == MCAP_METADATA && is_named(content, size, RECOVERED_METADATA)) {
    check->report.recovered = 1;
    return;
  }
  check->report.derived |= kind == MCAP_METADATA && is_named(content, size, DERIVED_METADATA);
  keep_log_place(check, &(struct place){.digest = log_digest_record(kind, content, size)});
}

// Programs before there was a chain marked a recovered file in its header.
static int header_marks_recovery(const uint8_t *header, size_t size) {
  static const char mark[] = ", recovered";
  size_t length = sizeof mark - 1;
  return size > length && !memcmp(header + size - length, mark, length);
}

struct log_check *log_check_open(struct mcap_reader *reader) {
  struct log_check *check = calloc(1, sizeof *check);
  size_t size;
  const uint8_t *header = mcap_reader_header(reader, &size);
  if (!check)
    return NULL;
  check->reader = reader;
  log_chain_start(&check->chain);
  if (header) {
    keep_log_place(check, &(struct place){.digest = log_digest_record(MCAP_HEADER, header, size)});
    check->report.recovered = header_marks_recovery(header, size);
  }
  mcap_reader_on_record(reader, check_record, check);
  return check;
}

void log_check_free(struct log_check *check) {
  if (!check)
    return;
  bytes_free(&check->places);
  free(check->session);
  free(check);
}

static const struct log_digest *channel_digest(struct log_check *check, const struct mcap_channel *channel) {
  int i = 0;
  while (i < check->known_count && check->known[i] != channel)
    i++;
  if (i == check->known_count) { // the reader limits their number to the room here
    const struct mcap_schema *schema = channel->schema;
    check->known[check->known_count++] = channel;
    check->digests[i] = log_digest_channel(&(struct log_channel_text){
        channel->topic, channel->message_encoding, schema ? schema->name : "", schema ? schema->encoding : "",
        schema ? schema->data : NULL, schema ? schema->size : 0});
  }
  return &check->digests[i];
}

// Readers show the keys and values of a channel; the programs that write a chain write none.
static const char *channel_with_more(const struct log_check *check) {
  for (int i = 0; i < check->known_count; i++)
    if (check->known[i]->more_size)
      return check->known[i]->topic;
  return NULL;
}

// Checks the signature, and that one key signs every link or none is signed. Returns what is wrong, or NULL.
static const char *check_signature(struct log_check *check, const Sagbend__V1__ChainLink *message,
                                   const struct log_link *link) {
  struct log_check_report *report = &check->report;
  struct log_public_key key;
  int is_signed = message->public_key.len || message->signature.len;
  if (report->links && is_signed != report->is_signed)
    return is_signed ? "a signed link after links without signature"
                     : "a link without signature after signed links";
  report->is_signed = is_signed;
  if (!is_signed)
    return NULL;
  if (message->public_key.len != LOG_PUBLIC_KEY || message->signature.len != LOG_SIGNATURE)
    return "not a signature";
  memcpy(key.bytes, message->public_key.data, LOG_PUBLIC_KEY);
  if (report->links && memcmp(key.bytes, report->public_key.bytes, LOG_PUBLIC_KEY))
    return "signed with another key than the links before it";
  report->public_key = key;
  return log_link_signature_is_valid(link, &key, message->signature.data) ? NULL
                                                                          : "the signature is not valid";
}

// Extends the chain by the records since the last link. Returns the first record that does not match the
// link, or NULL. *at_end: all match, but the link covers more records.
static const struct place *follow(const struct log_check *check, const struct log_link *link,
                                  struct log_chain *chain, int *at_end) {
  const struct place *places = (const struct place *)(const void *)check->places.data;
  size_t count = check->places.size / sizeof *places, expected = link->links_size / LOG_LINK;
  *at_end = 0;
  for (size_t i = 0; i < count; i++) {
    log_chain_add(chain, &places[i].digest);
    if (i >= expected || memcmp(chain->digest.bytes, link->links + LOG_LINK * i, LOG_LINK))
      return &places[i];
  }
  *at_end = count < expected || memcmp(chain->digest.bytes, link->digest, LOG_DIGEST) != 0;
  return NULL;
}

static void check_link(struct log_check *check, const Sagbend__V1__ChainLink *message,
                       const struct place *here) {
  struct log_link link = {message->session,     message->first,      message->before.data,
                          message->digest.data, message->links.data, message->links.len};
  struct log_check_report *report = &check->report;
  const struct place *first =
      check->places.size ? (const struct place *)(const void *)check->places.data : here;
  int at_end;
  if (message->before.len != LOG_DIGEST || message->digest.len != LOG_DIGEST ||
      message->links.len % LOG_LINK) {
    report_break(check, here, "not a link of a chain");
    return;
  }

  if (!check->session)
    check->session = strdup(message->session);
  if (!check->session || strcmp(check->session, message->session))
    report_break(check, here, "a link of another session");
  const char *wrong = check_signature(check, message, &link);
  if (wrong)
    report_break(check, here, wrong);
  if (link.first < check->chain.records)
    report_break(check, first, "records are repeated or in another order");
  else if (link.first > check->chain.records && report->state != LOG_CHAIN_BROKEN) {
    report->missing += link.first - check->chain.records;
    report->gap_ns = report->state == LOG_CHAIN_GAPS ? report->gap_ns : check->linked_ns;
    report->state = LOG_CHAIN_GAPS;
  } else if (memcmp(link.before, check->chain.digest.bytes, LOG_DIGEST))
    report_break(check, first, "does not continue the records before it");

  struct log_chain chain = {.records = link.first};
  memcpy(chain.digest.bytes, link.before, LOG_DIGEST);
  const struct place *wrong_record = follow(check, &link, &chain, &at_end);
  if (wrong_record)
    report_break(check, wrong_record, "not the record that was written here, or one before it is missing");
  else if (at_end)
    report_break(check, here, "records before this link are missing");
  report->records += check->places.size / sizeof *first;
  check->chain = chain;
}

static void take_link(struct log_check *check, const struct mcap_message *message, const struct place *here) {
  ProtobufCMessage *link = log_unpack(message, NULL);
  if (check->report.state == LOG_CHAIN_NONE)
    check->report.state = LOG_CHAIN_HOLDS;
  if (link)
    check_link(check, (const Sagbend__V1__ChainLink *)link, here);
  else
    report_break(check, here, "not a link of a chain");
  log_free(link);
  log_chain_add(&check->chain, &here->digest);
  check->report.links++;
  check->places.size = 0;
  check->linked_ns = check->newest_ns;
}

void log_check_on_record(struct log_check *check,
                         void (*on_record)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                         void *context) {
  check->on_record = on_record;
  check->on_record_context = context;
}

void log_check_message(struct log_check *check, const struct mcap_message *message) {
  struct log_chain_times times = {message->sequence, message->log_time_ns, message->publish_time_ns};
  struct place place = {
      log_digest_message(channel_digest(check, message->channel), &times, message->data, message->size),
      message->channel, message->log_time_ns};
  check->newest_ns = message->log_time_ns > check->newest_ns ? message->log_time_ns : check->newest_ns;
  if (log_topic_of(message->channel) == LOG_CHAIN)
    take_link(check, message, &place);
  else
    keep_log_place(check, &place);
}

const struct log_check_report *log_check_finish(struct log_check *check, int complete) {
  struct log_check_report *report = &check->report;
  const char *undefined = complete ? mcap_reader_undefined(check->reader) : NULL;
  mcap_reader_on_record(check->reader, NULL, NULL);
  report->digest = check->chain.digest;
  if (report->state == LOG_CHAIN_NONE)
    return report;

  if (check->places.failed)
    report_break(check, NULL, "out of memory to check it");
  else if (check->places.size)
    report_break(check, (const struct place *)(const void *)check->places.data,
                 "no link of the chain covers this record and what follows");

  const char *more = channel_with_more(check);
  if (more) {
    struct reason what;
    fail(&what, STATUS_BAD_INPUT, "the channel of topic %.64s has keys and values, which no link covers",
         more);
    report_break(check, NULL, what.text);
  }
  if (undefined) {
    struct reason what;
    fail(&what, STATUS_BAD_INPUT, "the file's summary names %.64s, which nothing in its data defines",
         undefined);
    report_break(check, NULL, what.text);
  }
  return report;
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
