#include "log/log/log_chain.h"

#include "log/mcap/mcap_format.h"

#include <sodium.h>
#include <string.h>

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

enum status log_link_sign(const struct log_link *link, const struct log_secret_key *key,
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
