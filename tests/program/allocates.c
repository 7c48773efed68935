// Replaces one function that the step calls by one that also allocates, at link time (--wrap). The gate
// "realtime" must find it: tests/program/step_thread_test.py.
#include "os/process/process.h"

#include <stdlib.h>

uint64_t __real_pacer_begin(struct pacer *p, uint64_t now_ns);
uint64_t __wrap_pacer_begin(struct pacer *p, uint64_t now_ns);

uint64_t __wrap_pacer_begin(struct pacer *p, uint64_t now_ns) {
  void *volatile memory = malloc(64);
  free(memory);
  return __real_pacer_begin(p, now_ns);
}
