// The chain of a log while it is written (io/log/log_chain.h says what is chained): one link for what was
// added since the link before it. What never reached the file is taken back. One thread owns it.
#pragma once

#include "io/log/log_chain.h"
#include "io/log/log_topic.h"

struct session_chain {
  struct log_chain now, saved; // with what is in the open chunk; of what is in the file
  struct log_chain before;     // of the open link
  struct bytes links;          // of the open link
  struct log_digest channels[LOG_TOPIC_COUNT];
  uint64_t last_ns; // newest log time
  int has_key;
  struct log_secret_key key;
  struct log_public_key public_key;
  const char *session;
};

// key may be NULL; session is borrowed.
void session_chain_open(struct session_chain *c, const char *session, const struct log_secret_key *key);
void session_chain_close(struct session_chain *c);

// Room for one more record; STATUS_NO_MEMORY: there is none. Then the record itself, which cannot fail.
enum status session_chain_reserve(struct session_chain *c);
void session_chain_record(struct session_chain *c, uint8_t kind, const struct bytes *content);
void session_chain_message(struct session_chain *c, enum log_topic topic, const struct log_chain_times *t,
                           const void *data, size_t size);

int session_chain_is_open(const struct session_chain *c); // there are records without a link
// The packed ChainLink of the open link: its size, bytes in out. Ends the link once it is in the chunk.
enum status session_chain_pack(const struct session_chain *c, struct bytes *out);
void session_chain_ended(struct session_chain *c, const struct log_chain_times *t, const struct bytes *link);

void session_chain_saved(struct session_chain *c);     // the open chunk is in the file
void session_chain_discarded(struct session_chain *c); // it never will be
