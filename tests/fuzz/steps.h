// Inputs that are lists of steps.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Appends a step of a harness whose input is a list of steps: an operation, a size, that many bytes. Returns
// the size of all.
static inline size_t seed_step(uint8_t *out, size_t at, int operation, const void *bytes, size_t size) {
  out[at] = (uint8_t)operation;
  out[at + 1] = (uint8_t)size;
  memcpy(out + at + 2, bytes, size);
  return at + 2 + size;
}
