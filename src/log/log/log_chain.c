#include "log/log/log.h"
#include "log/log/log_internal.h"

#include "log/mcap/mcap.h"
#include "os/files/files.h"
#include "sagbend/v1/log.pb-c.h"

#include <errno.h>
#include <fcntl.h>
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

struct log_digest log_digest_message(const struct log_digest *channel, const struct log_chain_times *times,
                                     const void *data, size_t size) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&hash, channel->bytes, LOG_DIGEST);
  put_number(&hash, times->sequence);
  put_number(&hash, times->log_ns);
  put_number(&hash, times->publish_ns);
  crypto_generichash_update(&hash, data, size);
  return finish(&hash);
}

void log_chain_start(struct log_chain *chain) {
  int initialized = sodium_init(); // selects the fastest code; without it the portable code is used
  chain->records = 0;
  (void)initialized;
  crypto_generichash(chain->digest.bytes, LOG_DIGEST, (const uint8_t *)START, sizeof START - 1, NULL, 0);
}

void log_chain_add(struct log_chain *chain, const struct log_digest *record) {
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

int log_link_signature_is_valid(const struct log_link *link, const struct log_public_key *key,
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
