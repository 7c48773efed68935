// Findings: runs with the same complaint about the same kind of equipment, together.
#include "trials/report.h"

#include <stdlib.h>
#include <string.h>

enum criterion findings_complaint(const struct judged_run *run) {
  int c = 0;
  while (c < CRITERION_COUNT &&
         (run->criterion[c].result != CRITERION_FAIL || run->criterion[c].grade != run->grade))
    c++;
  return (enum criterion)c;
}

static int is_same(const struct finding *f, const struct judged_run *run) {
  return f->grade == run->grade && !strcmp(f->kind, run->failure->kind) &&
         !strcmp(f->complaint, criterion_name(findings_complaint(run)));
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
  *added = (struct finding){.grade = run->grade};
  snprintf(added->kind, sizeof added->kind, "%s", run->failure->kind);
  snprintf(added->complaint, sizeof added->complaint, "%s", criterion_name(findings_complaint(run)));
  return added;
}

static int compare(const void *a, const void *b) {
  const struct finding *left = a, *right = b;
  if (left->grade != right->grade)
    return left->grade < right->grade ? -1 : 1;
  return right->run_count - left->run_count;
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
  }
  if (out->count)
    qsort(out->item, (size_t)out->count, sizeof *out->item, compare);
  return STATUS_OK;
}

void findings_free(struct findings *all) {
  for (int i = 0; i < all->count; i++)
    free(all->item[i].run);
  free(all->item);
  *all = (struct findings){.item = NULL};
}
