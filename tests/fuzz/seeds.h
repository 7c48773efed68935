// Functions with which the harnesses make their initial inputs.
#pragma once

#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CONFIGS TEST_SOURCE_DIR "/configs/"

static inline size_t seed_of_file(const char *path, uint8_t *out, size_t capacity) {
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(out, 1, capacity, file) : 0;
  if (file)
    fclose(file);
  return size;
}

// Writes the bytes to a file, for functions that read files only.
struct memory_file {
  int descriptor;
  char path[40];
};
static inline struct memory_file memory_file_of(const uint8_t *data, size_t size) {
  struct memory_file f = {.descriptor = memfd_create("fuzz", 0)};
  if (f.descriptor >= 0 && write(f.descriptor, data, size) < 0)
    f.path[0] = '\0';
  snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.descriptor);
  return f;
}
