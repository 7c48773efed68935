// A host of libsagbend with a journal: commands, an order, states saved and restored, a reset.
// journal_host CASE JOURNAL how [KEY=VALUE...]; how: whole, broken (it ends without closing), foreign (it
// restores a state of another simulation), several (the other simulation has a journal too, JOURNAL.other,
// and each restores a state of the other), inside (the controller of the case).
#include "sagbend/sagbend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sagbend_error error = {.size = sizeof error};

static void must(sagbend_status status, const char *what) {
  if (status == SAGBEND_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, sagbend_status_text(status), error.text);
  exit(1);
}

static void command(sagbend_sim *s, double surge_n) {
  const uint32_t ids[2] = {sagbend_find(s, "command.engaged"), sagbend_find(s, "command.wrench.surge_n")};
  const double values[2] = {1, surge_n};
  if (ids[0])
    must(sagbend_set(s, ids, 2, values, &error), "set");
}

static void *saved(sagbend_sim *s, size_t *size) {
  void *bytes = malloc(*size = sagbend_snapshot_size(s));
  must(sagbend_snapshot(s, bytes, *size), "snapshot");
  return bytes;
}

int main(int argc, char **argv) {
  sagbend_case *c;
  sagbend_sim *s, *other;
  size_t size, foreign_size;
  if (argc < 4)
    return 2;
  const int inside = !strcmp(argv[3], "inside");
  must(sagbend_case_open(argv[1], (const char *const *)argv + 4, (size_t)argc - 4,
                         inside ? SAGBEND_CONTROLLER_INSIDE : SAGBEND_CONTROLLER_CALLER, &c, &error),
       "case");
  must(sagbend_open(c, &s, &error), "simulation");
  must(sagbend_open_beside(s, &other, &error), "beside");
  const int several = !strcmp(argv[3], "several");
  if (several) {
    char path[4096];
    snprintf(path, sizeof path, "%s.other", argv[2]);
    must(sagbend_journal(other, path, &error), "the other journal");
  }
  must(sagbend_step(other, 7, NULL), "step of the other");
  void *foreign = saved(other, &foreign_size);
  command(s, 1e5); // before the journal: the first command comes with the first step
  must(sagbend_journal(s, argv[2], &error), "journal");
  must(sagbend_step(s, 53, NULL), "step");
  must(sagbend_order(s, "set-point --north 3 --far", NULL, &error), "order");
  if (sagbend_order(s, "dance", NULL, &error) == SAGBEND_OK)
    return 1;
  must(sagbend_step(s, 40, NULL), "step");
  void *state = saved(s, &size);
  command(s, -2e5);
  must(sagbend_step(s, 60, NULL), "step");
  if (!strcmp(argv[3], "broken"))
    _exit(0);
  if (several || !strcmp(argv[3], "foreign")) {
    must(sagbend_restore(s, foreign, foreign_size, &error), "restore of another one");
    must(sagbend_step(s, 10, NULL), "step");
  }
  must(sagbend_restore(s, state, size, &error), "restore"); // with the command of then
  must(sagbend_step(s, 25, NULL), "step");
  must(sagbend_order(s, "mark --text again", NULL, &error) == SAGBEND_BAD_INPUT ? SAGBEND_OK : SAGBEND_FAULT,
       "an order to a run");
  must(sagbend_reset(s, &error), "reset");
  command(s, 3e5);
  must(sagbend_step(s, 31, NULL), "step");
  if (several) {
    must(sagbend_restore(other, state, size, &error), "restore of the first");
    must(sagbend_step(other, 12, NULL), "step of the other");
  }
  printf("%" PRIu64 " %016" PRIx64 "\n", sagbend_steps(s), sagbend_hash(s));
  sagbend_close(s);
  sagbend_close(other);
  sagbend_case_close(c);
  free(state);
  free(foreign);
  return 0;
}
