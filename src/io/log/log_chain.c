#include "io/log/log_chain.h"

#include "io/mcap/mcap_format.h"

#include <sodium.h>
#include <string.h>

static const char START[] = "sagbend log chain 1", SIGNED[] = "sagbend log link 1";

static void put_number(crypto_generichash_state *h, uint64_t v) {
  uint8_t bytes[8];
  mcap_put64(bytes, v);
  crypto_generichash_update(h, bytes, sizeof bytes);
}

static void put_sized(crypto_generichash_state *h, const void *data, size_t size) {
  put_number(h, size);
  crypto_generichash_update(h, data, size);
}

static struct log_digest finish(crypto_generichash_state *h) {
  struct log_digest d;
  crypto_generichash_final(h, d.bytes, sizeof d.bytes);
  return d;
}

struct log_digest log_digest_record(uint8_t kind, const void *content, size_t size) {
  crypto_generichash_state h;
  crypto_generichash_init(&h, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&h, &kind, 1);
  crypto_generichash_update(&h, content, size);
  return finish(&h);
}

struct log_digest log_digest_channel(const struct log_channel_text *c) {
  crypto_generichash_state h;
  crypto_generichash_init(&h, NULL, 0, LOG_DIGEST);
  put_sized(&h, c->topic, strlen(c->topic));
  put_sized(&h, c->encoding, strlen(c->encoding));
  put_sized(&h, c->schema, strlen(c->schema));
  put_sized(&h, c->schema_encoding, strlen(c->schema_encoding));
  put_sized(&h, c->data, c->size);
  return finish(&h);
}

struct log_digest log_digest_message(const struct log_digest *channel, const struct log_chain_times *t,
                                     const void *data, size_t size) {
  crypto_generichash_state h;
  crypto_generichash_init(&h, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&h, channel->bytes, LOG_DIGEST);
  put_number(&h, t->sequence);
  put_number(&h, t->log_ns);
  put_number(&h, t->publish_ns);
  crypto_generichash_update(&h, data, size);
  return finish(&h);
}

void log_chain_start(struct log_chain *c) {
  int chosen = sodium_init(); // the fastest code; without it the plain one works as well
  c->records = 0;
  (void)chosen;
  crypto_generichash(c->digest.bytes, LOG_DIGEST, (const uint8_t *)START, sizeof START - 1, NULL, 0);
}

void log_chain_add(struct log_chain *c, const struct log_digest *record) {
  crypto_generichash_state h;
  crypto_generichash_init(&h, NULL, 0, LOG_DIGEST);
  crypto_generichash_update(&h, c->digest.bytes, LOG_DIGEST);
  crypto_generichash_update(&h, record->bytes, LOG_DIGEST);
  c->digest = finish(&h);
  c->records++;
}

static int put_signed_text(const struct log_link *l, struct bytes *text) {
  size_t name = strlen(l->session);
  bytes_put(text, SIGNED, sizeof SIGNED); // with its zero byte
  bytes_put64(text, name);
  bytes_put(text, l->session, name);
  bytes_put64(text, l->first);
  bytes_put(text, l->before, LOG_DIGEST);
  bytes_put64(text, l->links_size);
  bytes_put(text, l->links, l->links_size);
  bytes_put(text, l->digest, LOG_DIGEST);
  return text->failed ? -1 : 0;
}

int log_link_sign(const struct log_link *l, const struct log_secret_key *key,
                  uint8_t signature[LOG_SIGNATURE]) {
  struct bytes text = {0};
  int result = put_signed_text(l, &text);
  if (!result)
    result = crypto_sign_ed25519_detached(signature, NULL, text.data, text.size, key->bytes);
  bytes_free(&text);
  return result ? -1 : 0;
}

int log_link_signature_is_right(const struct log_link *l, const struct log_public_key *key,
                                const uint8_t signature[LOG_SIGNATURE]) {
  struct bytes text = {0};
  int right = !put_signed_text(l, &text) &&
              crypto_sign_ed25519_verify_detached(signature, text.data, text.size, key->bytes) == 0;
  bytes_free(&text);
  return right;
}
