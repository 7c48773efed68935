// A small fuzzer for compilers without libFuzzer. It is seeded, so that findings can be reproduced.
//   HARNESS [--seconds S] [--runs N] [--seed N] [--write-corpus DIR] [FILE...]
// With files, it runs only these, unaltered. An input that crashes or takes longer than 20 s is kept as
// crash-SEED-RUN. All times are processor times: beside other load the same inputs are tried, and none is too
// slow.
#include "fuzz.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SEEDS = 256, LONGEST_S = 20 };

static struct {
  uint8_t *data;
  size_t size;
} seeds[MOST_SEEDS];
static uint8_t input[FUZZ_LARGEST];
static volatile size_t input_size;
static uint64_t state = 1, first_seed = 1;
static volatile uint64_t runs;

// The sanitizers report first, then abort.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "abort_on_error=1:detect_leaks=1:allocator_may_return_null=1";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
  return "abort_on_error=1:print_stacktrace=1";
}

static uint64_t next(void) { // splitmix64
  uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static size_t below(size_t n) {
  return n ? (size_t)(next() % n) : 0;
}

static void keep_input(int number) {
  char name[64];
  int length = snprintf(name, sizeof name, "crash-%" PRIu64 "-%" PRIu64, first_seed, runs);
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ssize_t written = write(file, input, input_size);
  written += write(STDERR_FILENO, "input kept as ", 14);
  written += write(STDERR_FILENO, name, (size_t)length);
  written +=
      write(STDERR_FILENO, number == SIGPROF ? ": too slow\n" : ": crash\n", number == SIGPROF ? 11 : 8);
  signal(number == SIGPROF ? SIGABRT : number, SIG_DFL);
  raise(number == SIGPROF ? SIGABRT : number);
  _exit(written > 0);
}

static void nothing(int number) {
  (void)number;
}

// A signal each 2 ms, as libFuzzer's timer sends now and then: it interrupts whatever waits in the system,
// which must neither lose anything nor end a harness.
static void interrupt_calls(void) {
  struct sigaction action = {.sa_handler = nothing}; // without SA_RESTART
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  const struct itimerspec each = {{0, 2000000}, {0, 2000000}};
  timer_t timer;
  if (sigaction(SIGUSR2, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &each, NULL) != 0) {
    perror("timer");
    abort();
  }
}

static void run_input(void) {
  static const struct itimerval longest = {.it_value = {.tv_sec = LONGEST_S}}, none;
  setitimer(ITIMER_PROF, &longest, NULL); // one that only waits ends by the time limit of its test
  LLVMFuzzerTestOneInput(input, input_size);
  setitimer(ITIMER_PROF, &none, NULL);
  runs++;
}

static void insert(size_t at, const void *bytes, size_t size) {
  if (input_size + size > FUZZ_LARGEST)
    return;
  memmove(input + at + size, input + at, input_size - at);
  memcpy(input + at, bytes, size);
  input_size += size;
}

static void mutate_once(void) {
  static const uint64_t odd[] = {0,
                                 1,
                                 0x7f,
                                 0xff,
                                 0x7fff,
                                 0xffff,
                                 0x7fffffff,
                                 0xffffffff,
                                 UINT64_C(1) << 40,
                                 UINT64_MAX,
                                 UINT64_C(1) << 62,
                                 0x7ff8000000000000,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7fefffffffffffff};
  size_t at = below(input_size), length = 1 + below(1 + below(64));
  if (at + length > input_size)
    length = input_size - at;
  switch (next() % 8) {
  case 0:
    if (input_size)
      input[at] ^= (uint8_t)(1u << (next() % 8));
    break;
  case 1:
    if (input_size)
      input[at] = (uint8_t)next();
    break;
  case 2: // remove a part
    memmove(input + at, input + at + length, input_size - at - length);
    input_size -= length;
    break;
  case 3: { // duplicate a part
    uint8_t piece[64];
    memcpy(piece, input + at, length);
    insert(below(input_size + 1), piece, length);
    break;
  }
  case 4: { // insert an extreme number
    uint64_t value = odd[below(sizeof odd / sizeof *odd)];
    size_t width = (size_t)1 << (next() % 4);
    if (at + width <= input_size)
      memcpy(input + at, &value, width);
    break;
  }
  case 5: { // insert a part of another seed
    size_t other = 0;
    while (other < MOST_SEEDS && seeds[other].size)
      other++;
    other = below(other);
    size_t from = below(seeds[other].size), size = 1 + below(64);
    if (from + size <= seeds[other].size)
      insert(at, seeds[other].data + from, size);
    break;
  }
  case 6: { // insert random bytes
    uint64_t bytes = next();
    insert(at, &bytes, 1 + below(8));
    break;
  }
  default: // truncate
    if (next() % 8 == 0)
      input_size = at;
  }
}

static int load_seeds(const char *folder) {
  int count = 0;
  static uint8_t room[FUZZ_LARGEST];
  for (; count < MOST_SEEDS; count++) {
    size_t size = fuzz_seed(count, room, sizeof room);
    if (!size)
      break;
    seeds[count].data = malloc(size);
    if (!seeds[count].data)
      return 0;
    memcpy(seeds[count].data, room, seeds[count].size = size);
    if (!folder)
      continue;
    char name[600];
    snprintf(name, sizeof name, "%s/seed-%d", folder, count);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(room, 1, size, file) != size || fclose(file))
      return 0;
  }
  return count;
}

static void start_from(int seed) {
  memcpy(input, seeds[seed].data, seeds[seed].size);
  input_size = seeds[seed].size;
}

static void campaign(int count, double seconds, uint64_t most_runs) {
  struct timespec start, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  for (int i = 0; i < count; i++) {
    start_from(i);
    run_input();
  }
  double passed = 0, told = 60;
  while (runs < most_runs && passed < seconds) {
    start_from((int)below((size_t)count));
    for (size_t i = 1 + below(1 + below(12)); i > 0; i--)
      mutate_once();
    run_input();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    passed = (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
    if (passed > told) {
      printf("%.0f s: %" PRIu64 " executions, no crash\n", passed, runs);
      fflush(stdout);
      told += 60;
    }
  }
  printf("%" PRIu64 " executions from %d inputs in %.1f s, no crash (seed %" PRIu64 ")\n", runs, count,
         passed, first_seed);
}

static int run_file(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file)
    return 0;
  input_size = fread(input, 1, sizeof input, file);
  fclose(file);
  run_input();
  return 1;
}

int main(int argc, char **argv) {
  double seconds = 3;
  uint64_t most_runs = UINT64_MAX;
  const char *folder = NULL;
  int files = 0;
  interrupt_calls();
  signal(SIGABRT, keep_input);
  signal(SIGPROF, keep_input);
#if !defined(__SANITIZE_ADDRESS__)
  signal(SIGSEGV, keep_input);
  signal(SIGFPE, keep_input);
  signal(SIGBUS, keep_input);
#endif
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--seconds"))
      seconds = atof(value), i++;
    else if (!strcmp(argv[i], "--runs"))
      most_runs = strtoull(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--seed"))
      first_seed = state = strtoull(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--write-corpus"))
      folder = value, i++;
    else if (argv[i][0] == '-' || !run_file(argv[i])) {
      fprintf(stderr, "usage: HARNESS [--seconds S] [--runs N] [--seed N] [--write-corpus DIR] [FILE...]\n");
      return 2;
    } else {
      files++;
    }
  }
  if (files)
    return 0;
  int count = load_seeds(folder);
  if (!count) {
    fprintf(stderr, "no input to begin with\n");
    return 1;
  }
  if (!folder)
    campaign(count, seconds, most_runs);
  for (int i = 0; i < count; i++)
    free(seeds[i].data);
  return 0;
}
