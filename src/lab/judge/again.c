#include "lab/judge/again.h"

#include "sagbend/base/fnv.h"
#include "lab/sweep/sweep_sweep.h"

#include <stdlib.h>
#include <string.h>

static int has_finding(const struct judged_run *run) {
  return run->grade == 'A' || run->grade == 'B';
}

// A number that follows from the name of a run alone: those with the least ones are the choice.
static uint64_t lot_of(const struct judgement *j, const struct judged_run *run) {
  const char *condition = j->plan->condition[run->condition].id;
  return fnv1a(fnv1a(FNV1A_START, run->failure->id, strlen(run->failure->id)), condition, strlen(condition));
}

static int precedes(const struct judgement *j, const struct judged_run *a, const struct judged_run *b) {
  const uint64_t x = lot_of(j, a), y = lot_of(j, b);
  return x < y || (x == y && a->point < b->point);
}

// The points to repeat, in the order of the runs. Returns their number.
static int choose(const struct judgement *j, int choice, int *points) {
  int count = 0;
  for (int i = 0; i < j->run_count; i++) {
    const struct judged_run *run = &j->run[i];
    int before = 0;
    if (!run->seen.is_there)
      continue; // what has no result has none to repeat
    for (int k = 0; choice > 0 && k < j->run_count; k++)
      before += j->run[k].seen.is_there && precedes(j, &j->run[k], run);
    const int is_evidence = j->plan->logs == LOGS_FAILED && has_finding(run);
    if (is_evidence || (choice > 0 && before < choice))
      points[count++] = run->point;
  }
  return count;
}

enum status again_run(const struct judgement *j, struct plan *plan, const struct sweep_folder *folder,
                      const struct again_options *o, int *count, struct reason *why) {
  char path[SWEEP_PATH];
  *count = 0;
  for (int i = 0; i < j->run_count; i++)
    if (j->run[i].seen.is_missing)
      return STATUS_OK;
  if (snprintf(path, sizeof path, "%s/" TRIALS_AGAIN, folder->path) >= (int)sizeof path - 64)
    return fail(why, STATUS_BAD_INPUT, "%.100s...: the path is too long", folder->path);
  int *points = malloc(((size_t)j->run_count + 1) * sizeof *points);
  if (!points)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  *count = choose(j, o->choice, points);
  const struct sweep_options options = {.folder = path,
                                        .action = SWEEP_RUN,
                                        .jobs = o->jobs,
                                        .order = points,
                                        .order_count = *count,
                                        .collect = sweep_collect_nothing};
  const int has_log = plan->has_log;
  plan->has_log = j->plan->logs != LOGS_NONE;
  enum status status = *count ? sweep_plan(plan, &options, why) : STATUS_OK;
  plan->has_log = has_log;
  free(points);
  return status;
}
