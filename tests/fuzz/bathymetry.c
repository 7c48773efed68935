// Fuzzes a bathymetry grid.
#define _GNU_SOURCE

#include "sagbend/case/case_internal.h"

#include "seeds.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct error_list errors = {0};
  const struct source source = {.name = "fuzz"};
  const double origin_m[2] = {0, 0};
  struct bathymetry_def grid;
  double *z_m, sum = 0;
  char *text = malloc(size + 1);
  if (!text)
    return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  if (bathymetry_read(text, size, &source, origin_m, &grid, &z_m, &errors) == STATUS_OK) {
    for (size_t i = 0; i < (size_t)grid.north_nodes * (size_t)grid.east_nodes; i++)
      sum += z_m[i];
    free(z_m);
  }
  error_list_free(&errors);
  free(text);
  return sum == 0.125; // use the result, so that the compiler keeps the reads
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const char small[] = "ncols 3\nnrows 2\nxllcorner 0\nyllcenter -5.5\ncellsize 10\nNODATA_value "
                              "-9999\n-1 -2 -3\n-4 -5e0 -6.25\n";
  if (index == 0) {
    memcpy(out, small, sizeof small - 1);
    return sizeof small - 1;
  }
  return index == 1 ? seed_of_file(CONFIGS "uneven-900m.asc", out, capacity) : 0;
}
