// A host with eight threads, under ThreadSanitizer and helgrind: each opens a case of its own, a simulation
// of the shared case and one beside the first, steps them, reads, orders, saves and restores. All end with
// the same state. library_threads CASE...
#include "sagbend/sagbend.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, STEPS = 10 };

struct worker {
  const char *path;
  const sagbend_case *c;
  const sagbend_sim *first;
  pthread_barrier_t *together;
  uint64_t hash;
  const char *failed;
};

static int read_and_order(sagbend_sim *s) {
  double value;
  for (size_t i = 0; i < sagbend_variable_count(s); i++) {
    sagbend_variable v = {.size = sizeof v};
    if (sagbend_variable_at(s, i, &v) || sagbend_get(s, &v.id, 1, &value))
      return 0;
  }
  return sagbend_order(s, "fault loss --probability 0.5 --name lossy", NULL, NULL) == SAGBEND_OK;
}

// Forth, back and forth again.
static int step(sagbend_sim *s) {
  const size_t size = sagbend_snapshot_size(s);
  void *state = malloc(size);
  const int is_good =
      state && sagbend_snapshot(s, state, size) == SAGBEND_OK && sagbend_step(s, STEPS, NULL) == SAGBEND_OK &&
      sagbend_restore(s, state, size, NULL) == SAGBEND_OK && sagbend_step(s, STEPS, NULL) == SAGBEND_OK;
  free(state);
  return is_good && read_and_order(s) && sagbend_step(s, STEPS, NULL) == SAGBEND_OK;
}

static void *work(void *worker) {
  struct worker *w = worker;
  sagbend_case *own = NULL;
  sagbend_sim *s[3] = {NULL, NULL, NULL};
  pthread_barrier_wait(w->together);
  if (sagbend_case_open(w->path, NULL, 0, SAGBEND_CONTROLLER_CALLER, &own, NULL))
    w->failed = "case";
  else if (sagbend_open(own, &s[0], NULL) || sagbend_open(w->c, &s[1], NULL) ||
           sagbend_open_beside(w->first, &s[2], NULL))
    w->failed = "opening";
  for (int i = 0; i < 3 && !w->failed; i++) {
    if (!step(s[i]))
      w->failed = "steps";
    else if (i && sagbend_hash(s[i]) != w->hash)
      w->failed = "another state than in the first simulation";
    else
      w->hash = sagbend_hash(s[i]);
  }
  for (int i = 0; i < 3; i++)
    sagbend_close(s[i]);
  sagbend_case_close(own);
  return NULL;
}

static int run(const char *path) {
  pthread_barrier_t together;
  pthread_t thread[THREADS];
  struct worker worker[THREADS];
  sagbend_error e = {.size = sizeof e};
  sagbend_case *c = NULL;
  sagbend_sim *first = NULL;
  int is_good = 1;
  if (sagbend_case_open(path, NULL, 0, SAGBEND_CONTROLLER_CALLER, &c, &e) || sagbend_open(c, &first, &e))
    return fprintf(stderr, "%s: %s\n", path, e.text), 0;
  pthread_barrier_init(&together, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    worker[i] = (struct worker){.path = path, .c = c, .first = first, .together = &together};
    if (pthread_create(&thread[i], NULL, work, &worker[i]))
      exit(2);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    if (worker[i].failed || worker[i].hash != worker[0].hash) {
      fprintf(stderr, "%s: thread %d: %s\n", path, i,
              worker[i].failed ? worker[i].failed : "another state than in thread 0");
      is_good = 0;
    }
  }
  printf("%s %016" PRIx64 "\n", path, worker[0].hash);
  pthread_barrier_destroy(&together);
  sagbend_close(first);
  sagbend_case_close(c);
  return is_good;
}

int main(int argc, char **argv) {
  int is_good = argc > 1;
  for (int i = 1; i < argc; i++)
    is_good &= run(argv[i]);
  return !is_good;
}
