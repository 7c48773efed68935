// The format of MCAP files (version 0): numbers of the records, and little-endian numbers.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint8_t MCAP_MAGIC[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum mcap_record {
  MCAP_HEADER = 1,
  MCAP_FOOTER,
  MCAP_SCHEMA,
  MCAP_CHANNEL,
  MCAP_MESSAGE,
  MCAP_CHUNK,
  MCAP_MESSAGE_INDEX,
  MCAP_CHUNK_INDEX,
  MCAP_ATTACHMENT,
  MCAP_ATTACHMENT_INDEX,
  MCAP_STATISTICS,
  MCAP_METADATA,
  MCAP_METADATA_INDEX,
  MCAP_SUMMARY_OFFSET,
  MCAP_DATA_END
};

enum {
  MCAP_RECORD_HEAD = 9,       // kind and length before each record's content
  MCAP_MESSAGE_HEAD = 22,     // before each message's data
  MCAP_FOOTER_CONTENT = 20,   // bytes
  MCAP_MAX_CHUNK = 128 << 20, // bytes of the records of a chunk, written or read
  MCAP_MAX_CHANNELS = 1024    // at most, and as many schemas
};

static inline void mcap_put16(uint8_t *to, uint16_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
}

static inline void mcap_put32(uint8_t *to, uint32_t value) {
  mcap_put16(to, (uint16_t)value);
  mcap_put16(to + 2, (uint16_t)(value >> 16));
}

static inline void mcap_put64(uint8_t *to, uint64_t value) {
  mcap_put32(to, (uint32_t)value);
  mcap_put32(to + 4, (uint32_t)(value >> 32));
}

static inline uint16_t mcap_get16(const uint8_t *from) {
  return (uint16_t)(from[0] | from[1] << 8);
}

static inline uint32_t mcap_get32(const uint8_t *from) {
  return mcap_get16(from) | (uint32_t)mcap_get16(from + 2) << 16;
}

static inline uint64_t mcap_get64(const uint8_t *from) {
  return mcap_get32(from) | (uint64_t)mcap_get32(from + 4) << 32;
}
