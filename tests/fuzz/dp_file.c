// Fuzzes a DP file.
#define _GNU_SOURCE

#include "net/case/case.h"

#include "seeds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct dp_config dp;
  struct memory_file file = memory_file_of(data, size);
  FILE *errors = fopen("/dev/null", "w");
  dp_config_load(file.path, NULL, 0, &dp, errors);
  fclose(errors);
  close(file.descriptor);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const char *const shipped[] = {"jlay-900m-dp.yaml", "jlay-900m-hangoff-dp.yaml", "osv-83m-dp.yaml",
                                        "paper-iii-dp.yaml", "paper-iii-pd-dp.yaml"};
  char path[512];
  if (index >= (int)(sizeof shipped / sizeof *shipped))
    return 0;
  snprintf(path, sizeof path, CONFIGS "%s", shipped[index]);
  return seed_of_file(path, out, capacity);
}
