// FNV-1a, 64 bits: the hash of configurations, checkpoints and names of random streams. It detects damage,
// not tampering. Source: Fowler, Noll, Vo and Eastlake, The FNV Non-Cryptographic Hash Algorithm (RFC 9923,
// 2025).
#pragma once

#include <stddef.h>
#include <stdint.h>

static const uint64_t FNV1A_START = UINT64_C(0xcbf29ce484222325); // offset basis: hash of no bytes

// Hash of everything hashed so far (FNV1A_START: nothing) followed by size bytes.
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}
