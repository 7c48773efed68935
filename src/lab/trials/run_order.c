#include "lab/trials/run_order.h"

#include <stdlib.h>
#include <string.h>

// 0: without a failure; 1: declared worst case; 2: the rest.
static int turn_of(const struct trial_plan *plan, const struct failure *f) {
  if (f->group == FAILURE_NONE)
    return 0;
  for (int i = 0; i < plan->worst_case_count; i++)
    if (!strcmp(plan->worst_case[i].id, f->id))
      return 1;
  return 2;
}

int *run_order(const struct trial_plan *plan, const struct failures *failures, int *count) {
  const int most = plan->condition_count * failures->count;
  int *points = malloc(((size_t)most + 1) * sizeof *points);
  *count = 0;
  for (int turn = 0; points && turn < 3; turn++)
    for (int i = 0; i < most; i++)
      if (turn_of(plan, &failures->item[i % failures->count]) == turn)
        points[(*count)++] = i + 1;
  return points;
}

int *run_needs(const struct trial_plan *plan, const struct failures *failures) {
  const int most = plan->condition_count * failures->count;
  int *needs = calloc((size_t)most + 1, sizeof *needs);
  for (int i = 0; needs && i < most; i++)
    if (i % failures->count) // the first of each condition has no failure
      needs[i + 1] = i - i % failures->count + 1;
  return needs;
}

enum status run_named(const struct trial_plan *plan, const struct failures *failures, const char *id,
                      int *point, struct reason *why) {
  const char *at = strrchr(id, '@');
  int condition = 0, failure = 0;
  for (; at && condition < plan->condition_count; condition++)
    if (!strcmp(plan->condition[condition].id, at + 1))
      break;
  for (; at && failure < failures->count; failure++)
    if (strlen(failures->item[failure].id) == (size_t)(at - id) &&
        !strncmp(failures->item[failure].id, id, (size_t)(at - id)))
      break;
  if (!at || condition == plan->condition_count || failure == failures->count)
    return fail(why, STATUS_BAD_INPUT, "--run: EQUIPMENT/MODE@CONDITION of --list expected, got '%.80s'", id);
  *point = condition * failures->count + failure + 1;
  return STATUS_OK;
}
