// Memory that runs out, for tests: preloaded, it counts the allocations of a program and lets one fail, the
// one of the number in SAGBEND_TEST_ALLOCATION, and with a minus sign before the number all from that one on.
// At the end it writes the number of allocations to the file SAGBEND_TEST_ALLOCATIONS, if that is set.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;
static long failing;
static atomic_int is_ready;

static void report(void) {
  const char *path = getenv("SAGBEND_TEST_ALLOCATIONS");
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&allocations));
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
  if (file >= 0 && write(file, text, (size_t)length) != length)
    abort();
}

__attribute__((constructor)) static void prepare(void) {
  const char *text = getenv("SAGBEND_TEST_ALLOCATION");
  failing = text ? atol(text) : 0;
  atexit(report);
  is_ready = 1;
}

static int fails(void) {
  if (!is_ready)
    return 0; // before main
  long number = atomic_fetch_add(&allocations, 1) + 1;
  if (number != failing && (failing >= 0 || number < -failing))
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *got = memalign(alignment, size);
  if (!got)
    return ENOMEM;
  *out = got;
  return 0;
}
