#include "lab/judge/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum criterion findings_complaint(const struct judged_run *run) {
  int c = 0;
  while (c < CRITERION_COUNT &&
         (run->criterion[c].result != CRITERION_FAIL || run->criterion[c].grade != run->grade))
    c++;
  return (enum criterion)c;
}

const struct finding *findings_of(const struct findings *all, int run) {
  for (int i = 0; i < all->count; i++)
    for (int k = 0; k < all->item[i].run_count; k++)
      if (all->item[i].run[k] == run)
        return &all->item[i];
  return NULL;
}

int finding_is_accepted(const struct judgement *j, const struct finding *f) {
  int accepted = 0;
  for (int k = 0; k < f->run_count; k++)
    accepted += *j->run[f->run[k]].accepted != '\0';
  return accepted == f->run_count;
}

const char *finding_sentence(const struct finding *f) {
  return criteria[f->complaint].sentence;
}
const char *finding_reason(const struct finding *f) {
  return f->complaint == CRITERION_DETECTION && f->grade == 'C' ? "The failure had no effect in this run."
                                                                : criteria[f->complaint].reason;
}

void finding_modes(const struct judgement *j, const struct finding *f, char *out, size_t size) {
  size_t used = 0;
  *out = '\0';
  for (int k = 0; k < f->run_count; k++) {
    const char *mode = j->run[f->run[k]].failure->mode;
    int is_new = 1;
    for (int i = 0; i < k && is_new; i++)
      is_new = strcmp(j->run[f->run[i]].failure->mode, mode) != 0;
    if (is_new && used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", mode);
  }
}

static const char *kind_of(const struct failure *f) {
  return *f->kind ? f->kind : "no failure";
}

static int is_same(const struct finding *f, const struct judged_run *run) {
  return f->grade == run->grade && f->group == run->failure->group &&
         !strcmp(f->kind, kind_of(run->failure)) && f->complaint == findings_complaint(run);
}

static struct finding *find_or_add(struct findings *all, const struct judged_run *run) {
  for (int i = 0; i < all->count; i++)
    if (is_same(&all->item[i], run))
      return &all->item[i];
  struct finding *more = realloc(all->item, ((size_t)all->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  all->item = more;
  struct finding *added = &more[all->count++];
  *added = (struct finding){
      .grade = run->grade, .group = run->failure->group, .complaint = findings_complaint(run), .worst = -1};
  snprintf(added->kind, sizeof added->kind, "%s", kind_of(run->failure));
  return added;
}

// How far a run goes in what its finding complains about; not comparable between complaints.
static double extent(const struct judgement *j, const struct judged_run *run, enum criterion complaint) {
  double largest = 0;
  if (!run->seen.is_there)
    return HUGE_VAL;
  switch (criteria[complaint].extent) {
  case EXTENT_LIMIT:
    for (int i = 0; i < j->plan->limit_count; i++)
      largest = fmax(largest, judgement_share(&j->plan->limit[i], &run->seen, i));
    return largest;
  case EXTENT_LIMITED:
    return run->seen.limited_s;
  case EXTENT_ALARMS:
    return run->seen.alarm_count;
  case EXTENT_BACK:
    return run->seen.return_m;
  case EXTENT_OFFSET:
    break;
  }
  return run->seen.offset_m;
}

static double effect_of(const struct judgement *j, const struct finding *f) {
  const struct observation *seen = &j->run[f->worst].seen;
  return isfinite(seen->offset_m) ? seen->offset_m : HUGE_VAL;
}

// Insertion: the order needs the judgement, and there are some tens of findings.
static void sort(const struct judgement *j, struct findings *all) {
  for (int i = 1; i < all->count; i++)
    for (int k = i; k > 0; k--) {
      struct finding *a = &all->item[k - 1], *b = &all->item[k], kept = *a;
      int is_later = a->grade != b->grade   ? a->grade > b->grade
                     : a->group != b->group ? a->group > b->group
                                            : effect_of(j, a) < effect_of(j, b);
      if (!is_later)
        break;
      *a = *b;
      *b = kept;
    }
}

static void number(struct findings *all) {
  int count = 0;
  for (int i = 0; i < all->count; i++) {
    count = i && all->item[i].grade == all->item[i - 1].grade ? count + 1 : 1;
    snprintf(all->item[i].id, sizeof all->item[i].id, "%c-%02d", all->item[i].grade, count % 1000);
  }
}

enum status findings_make(const struct judgement *j, struct findings *out) {
  *out = (struct findings){.item = NULL};
  for (int i = 0; i < j->run_count; i++) {
    if (!j->run[i].grade)
      continue;
    struct finding *f = find_or_add(out, &j->run[i]);
    int *more = f ? realloc(f->run, ((size_t)f->run_count + 1) * sizeof *more) : NULL;
    if (!more)
      return STATUS_NO_MEMORY;
    f->run = more;
    more[f->run_count++] = i;
    if (f->worst < 0 || extent(j, &j->run[i], f->complaint) > extent(j, &j->run[f->worst], f->complaint))
      f->worst = i;
  }
  sort(j, out);
  number(out);
  return STATUS_OK;
}

void findings_free(struct findings *all) {
  for (int i = 0; i < all->count; i++)
    free(all->item[i].run);
  free(all->item);
  *all = (struct findings){.item = NULL};
}
