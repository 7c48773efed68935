// The chain of a log: digests of its records, signed links, keys, and the check of a log that is read.
#include "log/log/log.h"
#include "log/log/log_internal.h"

#include "log/mcap/mcap.h"
#include "os/files/files.h"
#include "sagbend/v1/log.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char START[] = "sagbend log chain 1", SIGNED[] = "sagbend log link 1";

static void put_number(crypto_generichash_state *hash, uint64_t number) {
  uint8_t bytes[8];
  mcap_put64(bytes, number);
  crypto_generichash_update(hash, bytes, sizeof bytes);
}

static void put_sized(crypto_generichash_state *hash, const void *data, size_t size) {
  put_number(hash, size);
  crypto_generichash_update(hash, data, size);
}

static struct log_digest finish(crypto_generichash_state *hash) {
  struct log_digest digest;
  crypto_generichash_final(hash, digest.bytes, sizeof digest.bytes);
  return digest;
}

struct log_digest log_digest_record(uint8_t kind, const void *content, size_t size) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&hash, &kind, 1);
  crypto_generichash_update(&hash, content, size);
  return finish(&hash);
}

struct log_digest log_digest_channel(const struct log_channel_text *channel) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, LOG_DIGEST);
  put_sized(&hash, channel->topic, strlen(channel->topic));
  put_sized(&hash, channel->encoding, strlen(channel->encoding));
  put_sized(&hash, channel->schema, strlen(channel->schema));
  put_sized(&hash, channel->schema_encoding, strlen(channel->schema_encoding));
  put_sized(&hash, channel->data, channel->size);
  return finish(&hash);
}

static struct log_digest log_digest_message(const struct log_digest *channel,
                                            const struct log_chain_times *times, const void *data,
                                            size_t size) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&hash, channel->bytes, LOG_DIGEST);
  put_number(&hash, times->sequence);
  put_number(&hash, times->log_ns);
  put_number(&hash, times->publish_ns);
  crypto_generichash_update(&hash, data, size);
  return finish(&hash);
}

static void log_chain_start(struct log_chain *chain) {
  int initialized = sodium_init(); // selects the fastest code; without it the portable code is used
  chain->records = 0;
  (void)initialized;
  crypto_generichash(chain->digest.bytes, LOG_DIGEST, (const uint8_t *)START, sizeof START - 1, NULL, 0);
}

static void log_chain_add(struct log_chain *chain, const struct log_digest *record) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&hash, chain->digest.bytes, LOG_DIGEST);
  crypto_generichash_update(&hash, record->bytes, LOG_DIGEST);
  chain->digest = finish(&hash);
  chain->records++;
}

// Appends the text that is signed.
static enum status put_signed_text(const struct log_link *link, struct bytes *text) {
  size_t name = strlen(link->session);
  bytes_put(text, SIGNED, sizeof SIGNED); // with its final zero
  bytes_put64(text, name);
  bytes_put(text, link->session, name);
  bytes_put64(text, link->first);
  bytes_put(text, link->before, LOG_DIGEST);
  bytes_put64(text, link->links_size);
  bytes_put(text, link->links, link->links_size);
  bytes_put(text, link->digest, LOG_DIGEST);
  return text->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status log_link_sign(const struct log_link *link, const struct log_secret_key *key,
                                 uint8_t signature[LOG_SIGNATURE]) {
  struct bytes text = {0};
  enum status status = put_signed_text(link, &text);
  if (status == STATUS_OK)
    crypto_sign_ed25519_detached(signature, NULL, text.data, text.size, key->bytes); // cannot fail
  bytes_free(&text);
  return status;
}

// Signs a link. STATUS_NO_MEMORY is the only failure.
static int log_link_signature_is_valid(const struct log_link *link, const struct log_public_key *key,
                                       const uint8_t signature[LOG_SIGNATURE]) {
  struct bytes text = {0};
  int is_valid = put_signed_text(link, &text) == STATUS_OK &&
                 crypto_sign_ed25519_verify_detached(signature, text.data, text.size, key->bytes) == 0;
  bytes_free(&text);
  return is_valid;
}

static struct log_public_key log_key_public_of(const struct log_secret_key *key);

// ------------------------------------------------------------
void session_chain_open(struct session_chain *chain, const char *session, const struct log_secret_key *key) {
  log_chain_start(&chain->now);
  chain->session = session;
  chain->has_key = key != NULL;
  if (key) {
    chain->key = *key;
    chain->public_key = log_key_public_of(key);
  }
  chain->saved = chain->before = chain->now;
}

void session_chain_close(struct session_chain *chain) {
  log_key_forget(&chain->key);
  bytes_free(&chain->links);
}

enum status session_chain_reserve(struct session_chain *chain) {
  size_t before = chain->links.size;
  int has_room = bytes_room(&chain->links, LOG_LINK) != NULL;
  chain->links.size = before;
  chain->links.failed = 0;
  return has_room ? STATUS_OK : STATUS_NO_MEMORY;
}

static void add(struct session_chain *chain, const struct log_digest *record) {
  log_chain_add(&chain->now, record);
  bytes_put(&chain->links, chain->now.digest.bytes, LOG_LINK);
}

void session_chain_record(struct session_chain *chain, uint8_t kind, const struct bytes *content) {
  struct log_digest record = log_digest_record(kind, content->data, content->size);
  add(chain, &record);
}

void session_chain_message(struct session_chain *chain, enum log_topic topic,
                           const struct log_chain_times *times, const void *data, size_t size) {
  struct log_digest record = log_digest_message(&chain->channels[topic], times, data, size);
  add(chain, &record);
  chain->last_ns = times->log_ns > chain->last_ns ? times->log_ns : chain->last_ns;
}

int session_chain_is_open(const struct session_chain *chain) {
  return chain->links.size > 0;
}

enum status session_chain_pack(const struct session_chain *chain, struct bytes *out) {
  Sagbend__V1__ChainLink message = SAGBEND__V1__CHAIN_LINK__INIT;
  struct log_link link = {chain->session,          chain->before.records, chain->before.digest.bytes,
                          chain->now.digest.bytes, chain->links.data,     chain->links.size};
  uint8_t signature[LOG_SIGNATURE];
  message.session = (char *)chain->session;
  message.first = link.first;
  message.before = (ProtobufCBinaryData){LOG_DIGEST, (uint8_t *)link.before};
  message.links = (ProtobufCBinaryData){link.links_size, (uint8_t *)link.links};
  message.digest = (ProtobufCBinaryData){LOG_DIGEST, (uint8_t *)link.digest};
  if (chain->has_key) {
    if (log_link_sign(&link, &chain->key, signature) != STATUS_OK)
      return STATUS_NO_MEMORY;
    message.public_key = (ProtobufCBinaryData){LOG_PUBLIC_KEY, (uint8_t *)chain->public_key.bytes};
    message.signature = (ProtobufCBinaryData){LOG_SIGNATURE, signature};
  }
  uint8_t *room = bytes_room(out, sagbend__v1__chain_link__get_packed_size(&message));
  if (!room)
    return STATUS_NO_MEMORY;
  out->size += sagbend__v1__chain_link__pack(&message, room);
  return STATUS_OK;
}

void session_chain_ended(struct session_chain *chain, const struct log_chain_times *times,
                         const struct bytes *link) {
  struct log_digest record = log_digest_message(&chain->channels[LOG_CHAIN], times, link->data, link->size);
  log_chain_add(&chain->now, &record);
  chain->before = chain->now;
  chain->links.size = 0;
}

void session_chain_saved(struct session_chain *chain) {
  chain->saved = chain->now;
}

void session_chain_discarded(struct session_chain *chain) {
  chain->now = chain->before = chain->saved;
  chain->links.size = 0;
}

// ------------------------------------------------------------
static const char SECRET[] = "sagbend-log-secret-key", PUBLIC[] = "sagbend-log-public-key";

enum { SEED = 32, HEX = 2 * SEED, LINE = 128 };

static enum status write_key(const char *path, mode_t mode, const char *kind, const uint8_t bytes[SEED],
                             struct reason *why) {
  char hex[HEX + 1], line[LINE];
  sodium_bin2hex(hex, sizeof hex, bytes, SEED);
  snprintf(line, sizeof line, "%s %s\n", kind, hex);
  const enum status status = key_write_new(path, mode, line, why);
  sodium_memzero(hex, sizeof hex);
  sodium_memzero(line, sizeof line);
  return status;
}

enum status log_key_make(const char *path, struct log_public_key *made, struct reason *why) {
  uint8_t seed[SEED], secret[LOG_SECRET_KEY];
  char public_path[KEY_PATH];
  enum status status = key_pair_begin(path, public_path, why);
  if (status != STATUS_OK)
    return status;
  randombytes_buf(seed, sizeof seed);
  crypto_sign_ed25519_seed_keypair(made->bytes, secret, seed);
  status = write_key(path, 0600, SECRET, seed, why);
  if (status == STATUS_OK) {
    status = write_key(public_path, 0644, PUBLIC, made->bytes, why);
    if (status != STATUS_OK)
      unlink(path);
  }
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(secret, sizeof secret);
  return status;
}

static enum status read_line(const char *path, char line[LINE], mode_t *mode, struct reason *why) {
  struct stat found;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t size = file >= 0 && !fstat(file, &found) ? read(file, line, LINE - 1) : -1;
  int error = errno;
  if (file >= 0)
    close(file);
  if (size < 0)
    return fail(why, STATUS_IO, "%s: cannot be read: %s", path, strerror(error));

  line[size] = 0;
  if (!S_ISREG(found.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s: a file expected", path);

  *mode = found.st_mode & 07777;
  return STATUS_OK;
}

static enum status read_key(const char *path, int is_secret, uint8_t out[SEED], struct reason *why) {
  const char *kind = is_secret ? SECRET : PUBLIC, *other = is_secret ? PUBLIC : SECRET;
  char line[LINE] = "";
  size_t length = strlen(kind), got = 0;
  const char *end = NULL;
  mode_t mode = 0;
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "libsodium cannot be used");

  enum status status = read_line(path, line, &mode, why);
  if (status == STATUS_OK && !strncmp(line, other, strlen(other)))
    status = fail(why, STATUS_BAD_INPUT, "%s: the %s key of a pair expected, got the %s one", path,
                  is_secret ? "secret" : "public", is_secret ? "public" : "secret");
  if (status == STATUS_OK &&
      (strncmp(line, kind, length) || line[length] != ' ' || strlen(line) != length + 1 + HEX + 1 ||
       line[length + 1 + HEX] != '\n' ||
       sodium_hex2bin(out, SEED, line + length + 1, HEX, NULL, &got, &end) || got != SEED))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: one line '%s' and 64 hexadecimal digits expected ('sagbend keygen --log' makes it)",
                  path, kind);

  if (status == STATUS_OK && is_secret && (mode & (S_IRWXG | S_IRWXO)))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: users other than its owner may read this secret key: mode 0600 expected, got %04o",
                  path, (unsigned)mode);
  sodium_memzero(line, sizeof line);
  return status;
}

enum status log_key_read_secret(const char *path, struct log_secret_key *out, struct reason *why) {
  uint8_t seed[SEED], public_key[LOG_PUBLIC_KEY];
  enum status status = read_key(path, 1, seed, why);
  if (status == STATUS_OK)
    crypto_sign_ed25519_seed_keypair(public_key, out->bytes, seed);
  sodium_memzero(seed, sizeof seed);
  return status;
}

enum status log_key_read_public(const char *path, struct log_public_key *out, struct reason *why) {
  return read_key(path, 0, out->bytes, why);
}

void log_key_forget(struct log_secret_key *key) {
  sodium_memzero(key, sizeof *key);
}

static struct log_public_key log_key_public_of(const struct log_secret_key *key) {
  struct log_public_key out;
  memcpy(out.bytes, key->bytes + LOG_SECRET_KEY - LOG_PUBLIC_KEY, LOG_PUBLIC_KEY);
  return out;
}

void log_key_text(const struct log_public_key *key, char out[LOG_KEY_TEXT]) {
  sodium_bin2hex(out, LOG_KEY_TEXT, key->bytes, LOG_PUBLIC_KEY);
}

// ------------------------------------------------------------
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
  ProtobufCMessage *link;
  const enum status status = log_unpack(message, &link, NULL);
  if (check->report.state == LOG_CHAIN_NONE)
    check->report.state = LOG_CHAIN_HOLDS;
  if (link)
    check_link(check, (const Sagbend__V1__ChainLink *)link, here);
  else
    report_break(check, here,
                 status == STATUS_NO_MEMORY ? "out of memory for this link" : "not a link of a chain");
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
