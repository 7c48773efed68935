// The library, as ratios within one run: the time to open a further simulation over that of the first, with
// memory that has been used before and with fresh memory, whose page faults count; and steps of two threads
// over those of one, by the wall clock, which shows something only where two processors are idle, and in each
// second of a processor that they got, which other work on the machine disturbs less. library [CASE]
#include "sagbend/sagbend.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

enum { TIMES = 40, STEPS = 3000 };

static double now_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long page_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

struct opened {
  double least_s, mean_s; // CPU time
  double faults;          // mean
};

static sagbend_sim *open_one(const sagbend_case *c, const sagbend_sim *first, struct opened *o) {
  sagbend_sim *s = NULL;
  const long faults = page_faults();
  const double begin_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
  if (first ? sagbend_open_beside(first, &s, NULL) : sagbend_open(c, &s, NULL))
    return NULL;
  const double took_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - begin_s;
  o->least_s = fmin(o->least_s, took_s);
  o->mean_s += took_s / TIMES;
  o->faults += (double)(page_faults() - faults) / TIMES;
  return s;
}

// is_fresh: what was opened stays open, so that the next one has other memory.
static int compare_opening(const sagbend_case *c, int is_fresh) {
  struct opened first = {.least_s = INFINITY}, beside = {.least_s = INFINITY};
  for (int i = 0; i < TIMES; i++) {
    sagbend_sim *s = open_one(c, NULL, &first), *other = s ? open_one(c, s, &beside) : NULL;
    if (!other)
      return 1;
    if (!is_fresh) {
      sagbend_close(other);
      sagbend_close(s);
    }
  }
  const double x = is_fresh ? first.mean_s : first.least_s, y = is_fresh ? beside.mean_s : beside.least_s;
  printf("%s: first %.3f ms (%.0f page faults), beside %.3f ms (%.0f), ratio %.3f\n",
         is_fresh ? "fresh memory, mean" : "used memory, least", 1e3 * x, first.faults, 1e3 * y,
         beside.faults, y / x);
  return 0;
}

static void *make_steps(void *s) {
  sagbend_step(s, STEPS, NULL);
  return NULL;
}

struct rate {
  double by_clock, by_processor; // steps a second
};

static struct rate steps_per_s(sagbend_sim **s, int threads) {
  pthread_t thread[2];
  const double begin_s = now_s(CLOCK_MONOTONIC), used_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, make_steps, s[i]);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  return (struct rate){threads * STEPS / (now_s(CLOCK_MONOTONIC) - begin_s),
                       threads * STEPS / (now_s(CLOCK_PROCESS_CPUTIME_ID) - used_s)};
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : TEST_SOURCE_DIR "/configs/jlay-900m.yaml";
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c;
  sagbend_sim *s[2];
  struct rate best[2] = {{0, 0}, {0, 0}};
  if (sagbend_case_open(path, NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, &e) != SAGBEND_OK)
    return fprintf(stderr, "%s\n", e.text), 2;
  if (compare_opening(c, 0) || compare_opening(c, 1) || sagbend_open(c, &s[0], &e) ||
      sagbend_open_beside(s[0], &s[1], &e))
    return fprintf(stderr, "%s\n", e.text), 2;
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 2; k++) {
      const struct rate now = steps_per_s(s, k + 1);
      best[k].by_clock = fmax(best[k].by_clock, now.by_clock);
      best[k].by_processor = fmax(best[k].by_processor, now.by_processor);
    }
  printf("steps a second: %.0f by one thread, %.0f by two, ratio %.3f\n", best[0].by_clock, best[1].by_clock,
         best[1].by_clock / best[0].by_clock);
  printf("steps in a processor's second: %.0f by one thread, %.0f by each of two, twice their ratio %.3f\n",
         best[0].by_processor, best[1].by_processor, 2 * best[1].by_processor / best[0].by_processor);
  return 0;
}
