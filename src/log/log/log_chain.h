// The chain of a log: a digest (BLAKE2b, 32 bytes) that each record extends. Records are the file's header,
// each metadata and attachment record, and each message with its topic, schema and times. The writer puts a
// ChainLink (proto/sagbend/v1/log.proto) at the end of each chunk, signed (Ed25519) if it has a key.
//
//   before all records     D(0) = H("sagbend log chain 1")
//   a record of the file   R = H(kind, content), with kind in one byte
//   schema and topic       C = H(n(topic), n(message encoding), n(schema name), n(schema encoding),
//                                n(schema data))
//   a message              R = H(C, sequence, log time, publish time, data)
//   after each of them     D(i+1) = H(D(i), R)
//   signed text            "sagbend log link 1", a zero byte, n(session), first, before, n(links), digest
//
// n(x) is the length of x in 64 bits, then x. Numbers are little-endian, 64 bits. A ChainLink message itself
// extends the chain, too, but has no entry among the links.
#pragma once

#include "sagbend/base/status.h"
#include "log/log/log_key.h"
#include "log/mcap/bytes.h"

#include <stddef.h>
#include <stdint.h>

enum { LOG_DIGEST = 32, LOG_LINK = 4 }; // bytes of a digest, and of its part in a ChainLink

struct log_digest {
  uint8_t bytes[LOG_DIGEST];
};

struct log_chain {
  struct log_digest digest;
  uint64_t records; // in the digest
};

struct log_chain_times { // of a message
  uint64_t sequence, log_ns, publish_ns;
};

struct log_channel_text {
  const char *topic, *encoding, *schema, *schema_encoding;
  const void *data;
  size_t size;
};

// R and C above.
struct log_digest log_digest_record(uint8_t kind, const void *content, size_t size);
struct log_digest log_digest_channel(const struct log_channel_text *channel);
struct log_digest log_digest_message(const struct log_digest *channel, const struct log_chain_times *times,
                                     const void *data, size_t size);

void log_chain_start(struct log_chain *chain);
void log_chain_add(struct log_chain *chain, const struct log_digest *record);

// The content of a ChainLink.
struct log_link {
  const char *session;
  uint64_t first;                 // records before it
  const uint8_t *before, *digest; // LOG_DIGEST bytes: of the records before it, and with its own
  const uint8_t *links;           // LOG_LINK bytes of the digest after each of its records
  size_t links_size;
};

// Signs a link. STATUS_NO_MEMORY is the only failure.
enum status log_link_sign(const struct log_link *link, const struct log_secret_key *key,
                          uint8_t signature[LOG_SIGNATURE]);
int log_link_signature_is_valid(const struct log_link *link, const struct log_public_key *key,
                                const uint8_t signature[LOG_SIGNATURE]);
