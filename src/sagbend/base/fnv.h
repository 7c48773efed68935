// FNV-1a with 64 bits: hash of configurations, checkpoints and stream names. It detects damage, not
// tampering. Source: Noll, Vo, Eastlake and Hansen 2026, The FNV Non-Cryptographic Hash Algorithm (RFC 9923).
#pragma once

#include <stddef.h>
#include <stdint.h>

static const uint64_t FNV1A_START = UINT64_C(0xcbf29ce484222325); // hash of no bytes (offset basis)

// Hash of what hash already covers, followed by size bytes. Begin with FNV1A_START.
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}
