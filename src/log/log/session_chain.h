// The chain of a log (log/log/log_chain.h) while it is written: one link for the records since the link before
// it. Records that never reached the file are taken back. One thread at a time owns it.
#pragma once

#include "log/log/log_chain.h"
#include "log/log/log_topic.h"

struct session_chain {
  struct log_chain now;    // including the open chunk
  struct log_chain saved;  // of what is in the file
  struct log_chain before; // before the open link
  struct bytes links;      // of the open link
  struct log_digest channels[LOG_TOPIC_COUNT];
  uint64_t last_ns; // largest log time
  int has_key;
  struct log_secret_key key;
  struct log_public_key public_key;
  const char *session;
};

// key NULL: the links are not signed. session is borrowed.
void session_chain_open(struct session_chain *chain, const char *session, const struct log_secret_key *key);
void session_chain_close(struct session_chain *chain);

// Reserves memory for one more record, or returns STATUS_NO_MEMORY; then adding the record cannot fail.
enum status session_chain_reserve(struct session_chain *chain);
void session_chain_record(struct session_chain *chain, uint8_t kind, const struct bytes *content);
void session_chain_message(struct session_chain *chain, enum log_topic topic,
                           const struct log_chain_times *times, const void *data, size_t size);

int session_chain_is_open(const struct session_chain *chain); // there are records without a link
// Appends the packed ChainLink of the open link to out. Call session_chain_ended once it is in the chunk.
enum status session_chain_pack(const struct session_chain *chain, struct bytes *out);
void session_chain_ended(struct session_chain *chain, const struct log_chain_times *times,
                         const struct bytes *link);

void session_chain_saved(struct session_chain *chain);     // the open chunk is in the file now
void session_chain_discarded(struct session_chain *chain); // it will never be
