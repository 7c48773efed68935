// Findings: failed runs of one mode together; the comparison with other results; a run again; seeded faults.
#include "lab/judge/judge.h"

#include "lab/failures/failures.h"
#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"

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

// ------------------------------------------------------------
static int is_text(const cJSON *object, const char *key, const char *wanted) {
  return !strcmp(json_string(object, key), wanted);
}

static const cJSON *run_of(const cJSON *root, const char *id) {
  const cJSON *run;
  cJSON_ArrayForEach(run, json_item(root, "runs")) {
    char present[FAILURE_ID + 32]; // of a failure mode of an earlier program
    former_parts(FORMER_FAULT, json_string(run, "id"), "/-@", present, sizeof present);
    if (!strcmp(present, id))
      return run;
  }
  return NULL;
}

static int held(const cJSON *run, const char *criterion) {
  const cJSON *c;
  cJSON_ArrayForEach(c, json_item(run, "criteria")) {
    if (is_text(c, "name", criterion))
      return is_text(c, "result", "pass");
  }
  return 0;
}

// What no criterion judges, and is much worse than there.
static int print_worse(const struct judged_run *run, const char *id, const cJSON *other) {
  double now[MEASURE_COUNT], then[MEASURE_COUNT];
  int count = 0;
  judgement_measures(run, now);
  measures_read(other, then);
  for (int m = 0; (m = (int)measures_worse(now, then, m)) < MEASURE_COUNT; m++, count++)
    printf("%-20s %s, %s\n", "worse", id, measures_text((enum measure)m, now, then).text);
  return count;
}

enum status against_print(const struct judgement *j, const char *other_folder, struct against *out,
                          struct reason *why) {
  char path[SWEEP_PATH], id[FAILURE_ID + 32];
  int missing = 0;
  *out = (struct against){0};
  snprintf(path, sizeof path, "%s/results.json", other_folder);
  cJSON *root = summary_open(path);
  if (!is_text(root, "schema", "sagbend-trials/2")) {
    cJSON_Delete(root);
    return fail(why, STATUS_BAD_INPUT,
                "--against: a folder of trials with its results.json expected, got '%.200s'", other_folder);
  }
  for (int i = 0; i < j->run_count; i++) {
    const struct judged_run *run = &j->run[i];
    snprintf(id, sizeof id, "%s@%s", run->failure->id, j->plan->condition[run->condition].id);
    const cJSON *other = run_of(root, id);
    missing += other == NULL;
    out->without_result += other && !run->seen.is_there;
    for (int c = 0; other && c < CRITERION_COUNT; c++)
      if (run->criterion[c].result == CRITERION_FAIL && held(other, criteria[c].name)) {
        printf("%-20s %s, %s: %s\n", "worse", id, criteria[c].name, shown(run->criterion[c].text).text);
        out->criteria++;
        out->unjudged += !judgement_run(j, run->condition, 0)->seen.is_there;
      }
    if (other && run->seen.is_there)
      out->measures += print_worse(run, id, other);
  }
  printf("%-20s %d criteria fail that held in %s, %d measures are worse; %d runs are not there\n", "against",
         out->criteria, shown(other_folder).text, out->measures, missing);
  cJSON_Delete(root);
  return STATUS_OK;
}

// ------------------------------------------------------------
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

// ------------------------------------------------------------
int seeded_is_found(const struct seeded_result *c) {
  return c->criteria > 0 || c->measures > 0;
}

// The folder of the trials of a controller with a seeded fault.
static void seeded_folder(const struct sweep_folder *good, const struct seeded_controller *seeded, char *out,
                          size_t size) {
  snprintf(out, size, "%s/seeded-faults/%s", good->path, seeded->name);
}

// Observed and required, of a criterion that fails; NULL: it does not.
static const char *failure_text(const cJSON *run, const char *criterion) {
  const cJSON *c;
  cJSON_ArrayForEach(c, json_item(run, "criteria")) {
    if (!strcmp(json_string(c, "name"), criterion) && !strcmp(json_string(c, "result"), "fail"))
      return json_string(c, "text");
  }
  return NULL;
}

// The runs of both folders stand in the same order where both are of this plan.
static void compare(const struct judgement *good, const cJSON *root, struct seeded_result *out) {
  const cJSON *run;
  int i = 0, is_tried = 0; // its run without a failure in this condition has a result
  cJSON_ArrayForEach(run, json_item(root, "runs")) {
    char id[FAILURE_ID + 32];
    int before = out->criteria;
    if (i >= good->run_count)
      break;
    const struct judged_run *own = &good->run[i++];
    judgement_id(good, own, id, sizeof id);
    const char *theirs = cJSON_GetStringValue(json_item(run, "id"));
    double now[MEASURE_COUNT], then[MEASURE_COUNT];
    judgement_measures(own, then);
    measures_read(run, now);
    if (own->failure->group == FAILURE_NONE)
      is_tried = isfinite(now[MEASURE_OFFSET]);
    if (!is_tried)
      continue;
    for (int c = 0; c < CRITERION_COUNT && theirs && !strcmp(theirs, id); c++) {
      const char *text =
          own->criterion[c].result == CRITERION_PASS ? failure_text(run, criteria[c].name) : NULL;
      if (text && !out->criteria++)
        snprintf(out->first, sizeof out->first, "%s: %s: %.150s", id, criteria[c].name, text);
    }
    const enum measure worse = measures_worse(now, then, 0);
    if (theirs && !strcmp(theirs, id) && isfinite(now[MEASURE_OFFSET]) && worse < MEASURE_COUNT &&
        !out->measures++ && !out->criteria)
      snprintf(out->first, sizeof out->first, "%s: %s", id, measures_text(worse, now, then).text);
    out->runs += out->criteria > before;
  }
}

void seeded_faults_read(const struct judgement *good, const struct sweep_folder *folder,
                        struct seeded_faults *out) {
  *out = (struct seeded_faults){.count = good->plan->seeded_count};
  for (int i = 0; i < out->count; i++) {
    struct seeded_result *c = &out->item[i];
    char path[SWEEP_PATH + 300];
    c->seeded = &good->plan->seeded[i];
    seeded_folder(folder, c->seeded, path, sizeof path - 20);
    strcat(path, "/results.json");
    cJSON *root = summary_open(path);
    c->is_tried = root != NULL;
    if (root)
      compare(good, root, c);
    cJSON_Delete(root);
    out->tried += c->is_tried;
    out->found += seeded_is_found(c);
  }
}
