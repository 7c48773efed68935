// Interface of a fuzz harness: one entry point, as in libFuzzer, and the initial inputs. Built with libFuzzer
// (clang, option SAGBEND_FUZZ) and with driver.c (any compiler), which ctest runs for some seconds.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Must return 0, whatever the bytes are; a crash, a sanitizer's report or a hang is a finding.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Writes the index-th initial input, made from shipped or newly written files. Returns its size; 0: no
// further input.
size_t fuzz_seed(int index, uint8_t *out, size_t capacity);

enum { FUZZ_LARGEST = 1 << 18 }; // bytes of an input
