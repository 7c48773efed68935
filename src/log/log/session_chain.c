#include "log/log/session_chain.h"

#include "sagbend/v1/log.pb-c.h"

#include <string.h>

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
