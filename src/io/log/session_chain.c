#include "io/log/session_chain.h"

#include "sagbend/v1/log.pb-c.h"

#include <string.h>

void session_chain_open(struct session_chain *c, const char *session, const struct log_secret_key *key) {
  log_chain_start(&c->now);
  c->session = session;
  c->has_key = key != NULL;
  if (key) {
    c->key = *key;
    c->public_key = log_key_public_of(key);
  }
  c->saved = c->before = c->now;
}

void session_chain_close(struct session_chain *c) {
  log_key_forget(&c->key);
  bytes_free(&c->links);
}

enum status session_chain_reserve(struct session_chain *c) {
  size_t before = c->links.size;
  int good = bytes_room(&c->links, LOG_LINK) != NULL;
  c->links.size = before;
  c->links.failed = 0;
  return good ? STATUS_OK : STATUS_NO_MEMORY;
}

static void add(struct session_chain *c, const struct log_digest *record) {
  log_chain_add(&c->now, record);
  bytes_put(&c->links, c->now.digest.bytes, LOG_LINK);
}

void session_chain_record(struct session_chain *c, uint8_t kind, const struct bytes *content) {
  struct log_digest record = log_digest_record(kind, content->data, content->size);
  add(c, &record);
}

void session_chain_message(struct session_chain *c, enum log_topic topic, const struct log_chain_times *t,
                           const void *data, size_t size) {
  struct log_digest record = log_digest_message(&c->channels[topic], t, data, size);
  add(c, &record);
  c->last_ns = t->log_ns > c->last_ns ? t->log_ns : c->last_ns;
}

int session_chain_is_open(const struct session_chain *c) {
  return c->links.size > 0;
}

enum status session_chain_pack(const struct session_chain *c, struct bytes *out) {
  Sagbend__V1__ChainLink m = SAGBEND__V1__CHAIN_LINK__INIT;
  struct log_link link = {c->session,          c->before.records, c->before.digest.bytes,
                          c->now.digest.bytes, c->links.data,     c->links.size};
  uint8_t signature[LOG_SIGNATURE];
  m.session = (char *)c->session;
  m.first = link.first;
  m.before = (ProtobufCBinaryData){LOG_DIGEST, (uint8_t *)link.before};
  m.links = (ProtobufCBinaryData){link.links_size, (uint8_t *)link.links};
  m.digest = (ProtobufCBinaryData){LOG_DIGEST, (uint8_t *)link.digest};
  if (c->has_key) {
    if (log_link_sign(&link, &c->key, signature))
      return STATUS_NO_MEMORY;
    m.public_key = (ProtobufCBinaryData){LOG_PUBLIC_KEY, (uint8_t *)c->public_key.bytes};
    m.signature = (ProtobufCBinaryData){LOG_SIGNATURE, signature};
  }
  uint8_t *room = bytes_room(out, sagbend__v1__chain_link__get_packed_size(&m));
  if (!room)
    return STATUS_NO_MEMORY;
  out->size += sagbend__v1__chain_link__pack(&m, room);
  return STATUS_OK;
}

void session_chain_ended(struct session_chain *c, const struct log_chain_times *t, const struct bytes *link) {
  struct log_digest record = log_digest_message(&c->channels[LOG_CHAIN], t, link->data, link->size);
  log_chain_add(&c->now, &record);
  c->before = c->now;
  c->links.size = 0;
}

void session_chain_saved(struct session_chain *c) {
  c->saved = c->now;
}

void session_chain_discarded(struct session_chain *c) {
  c->now = c->before = c->saved;
  c->links.size = 0;
}
