// A fuzz harness: one entry, as libFuzzer has it, and the inputs that it begins with. Built with libFuzzer
// (clang, option SAGBEND_FUZZ) and with driver.c (any compiler), which ctest runs for some seconds.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Must return 0, whatever the bytes are; a crash, a sanitizer's report or a hang is a finding.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The index-th input to begin with, made from what ships or freshly written; its size, 0: there are no more.
size_t fuzz_seed(int index, uint8_t *out, size_t capacity);

enum { FUZZ_LARGEST = 1 << 18 }; // bytes of an input
