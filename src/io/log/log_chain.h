// The chain of a log: a digest (BLAKE2b, 32 bytes) that each record carries on from the record before it.
// Records are the file's header, each metadata and attachment record, and each message with its topic, schema
// and times. The writer puts a ChainLink (proto/sagbend/v1/log.proto) at the end of each chunk, signed
// (Ed25519) if it has a key.
//
//   digest before all          D(0) = H("sagbend log chain 1")
//   record of the file         R = H(kind, content)                                    kind: one byte
//   schema and topic           C = H(n(topic), n(message encoding), n(schema name), n(schema encoding),
//   n(schema data)) message                    R = H(C, sequence, log time, publish time, data) after each of
//   them         D(i+1) = H(D(i), R) signed text                "sagbend log link 1", zero byte, n(session),
//   first, before, n(links), digest
// n(x): length of x in 64 bits, then x. Numbers are little-endian, 64 bits. A ChainLink message is itself
// part of the chain, but has no entry among the links.
#pragma once

#include "core/base/status.h"
#include "io/log/log_key.h"
#include "io/mcap/bytes.h"

#include <stddef.h>
#include <stdint.h>

enum { LOG_DIGEST = 32, LOG_LINK = 4 };

struct log_digest {
  uint8_t bytes[LOG_DIGEST];
};

struct log_chain {
  struct log_digest digest;
  uint64_t records;
};

struct log_chain_times { // of a message
  uint64_t sequence, log_ns, publish_ns;
};

struct log_channel_text {
  const char *topic, *encoding, *schema, *schema_encoding;
  const void *data;
  size_t size;
};

// Digests of one record: R and C above.
struct log_digest log_digest_record(uint8_t kind, const void *content, size_t size);
struct log_digest log_digest_channel(const struct log_channel_text *c);
struct log_digest log_digest_message(const struct log_digest *channel, const struct log_chain_times *t,
                                     const void *data, size_t size);

void log_chain_start(struct log_chain *c);
void log_chain_add(struct log_chain *c, const struct log_digest *record);

// What a ChainLink says.
struct log_link {
  const char *session;
  uint64_t first;
  const uint8_t *before, *digest; // LOG_DIGEST bytes
  const uint8_t *links;
  size_t links_size;
};

// The text that is signed; signature and its test. -1: out of memory, or it is not right.
int log_link_sign(const struct log_link *l, const struct log_secret_key *key,
                  uint8_t signature[LOG_SIGNATURE]);
int log_link_signature_is_right(const struct log_link *l, const struct log_public_key *key,
                                const uint8_t signature[LOG_SIGNATURE]);
