// A host of libsagbend: opens a case, from its file and again from memory, steps it and writes the hash of
// each state as `sagbend run --hashes` does. embed CASE STEPS [KEY=VALUE...]
#include "sagbend/sagbend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int report(const char *what, const sagbend_error *e) {
  fprintf(stderr, "%s: %s:%d:%d: %s: %s\n", what, e->file, (int)e->line, (int)e->column,
          sagbend_status_text(e->status), e->text);
  return 1;
}

// The same case from the texts that the first one has read.
static sagbend_status reopen(const sagbend_case *c, const char *const *sets, size_t count, sagbend_case **out,
                             sagbend_error *error) {
  sagbend_file files[35], *rest = files + 1;
  size_t n = sagbend_case_file_count(c);
  for (size_t i = 0; i < n && i < 35; i++) {
    files[i].size = sizeof files[i];
    if (sagbend_case_file(c, i, &files[i]) != SAGBEND_OK)
      return SAGBEND_WRONG_CALL;
  }
  return sagbend_case_open_text("case.yaml", files[0].text, files[0].bytes, rest, n - 1, sets, count,
                                SAGBEND_CONTROLLER_INSIDE, out, error);
}

int main(int argc, char **argv) {
  sagbend_error error = {.size = sizeof error};
  sagbend_case *c = NULL, *again = NULL;
  sagbend_sim *s = NULL, *beside = NULL;
  const char *const *sets = (const char *const *)argv + 3;
  const uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  const size_t count = argc > 3 ? (size_t)argc - 3 : 0;
  if (argc < 3)
    return 2;
  if (sagbend_case_open(argv[1], sets, count, SAGBEND_CONTROLLER_INSIDE, &c, &error) != SAGBEND_OK)
    return report("case", &error);
  if (reopen(c, sets, count, &again, &error) != SAGBEND_OK)
    return report("case from memory", &error);
  if (sagbend_case_hash(c) != sagbend_case_hash(again))
    return fprintf(stderr, "the case from memory is another one\n"), 1;
  if (sagbend_open(again, &s, &error) != SAGBEND_OK || sagbend_open_beside(s, &beside, &error) != SAGBEND_OK)
    return report("simulation", &error);
  for (uint64_t i = 0; i <= steps; i++) {
    printf("%" PRIu64 " %016" PRIx64 "\n", sagbend_steps(s), sagbend_hash(s));
    if (sagbend_hash(s) != sagbend_hash(beside))
      return fprintf(stderr, "the simulation beside differs at step %" PRIu64 "\n", i), 1;
    if (i < steps && (sagbend_step(s, 1, NULL) != SAGBEND_OK || sagbend_step(beside, 1, NULL) != SAGBEND_OK))
      return fprintf(stderr, "no further step than %" PRIu64 "\n", sagbend_steps(s)), 1;
  }
  sagbend_close(beside);
  sagbend_close(s);
  sagbend_case_close(again);
  sagbend_case_close(c);
  return 0;
}
