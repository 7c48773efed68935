// sagbend trials: the runs of a plan as the points of a sweep, their judgement, seeded faults, one run again.
#include "lab/trials/trials.h"
#include "lab/trials/trials_internal.h"

#include "lab/failures/failures.h"
#include "lab/judge/judge.h"
#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "net/case/case.h"
#include "os/cli/cli.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double RECORD_EVERY_S =
    1; // of the plots; of runs without a sheet a few quantities stay (judge_internal.h)

struct session {
  struct trial_plan plan;
  struct failures failures;
  struct plan *sweep;                // sweep whose points are the runs
  const struct again_options *again; // NULL: nothing is repeated
  const char *against;
  int makes_runs, jobs; // nonzero: beside the points of the sweep others are run
  int is_seeded;        // the controller is one of --seeded-faults
  struct against worse; // than there
  int is_incomplete;    // not every run of the plan was made and judged
};

// What every run has beside the plan's own overrides: length, verdicts that observe, events of the failure
// only.
static int add_common(const struct trial_plan *p, struct plan_settings *out) {
  char text[8192], verdicts[8000];
  observation_write_verdicts(p, 0, verdicts, sizeof verdicts);
  snprintf(text, sizeof text, "verdicts=%s", verdicts);
  int ok = plan_settings_copy(out, &p->set) && plan_settings_add(out, text, p->path);
  snprintf(text, sizeof text, "simulation.duration_s=%.12g", p->settle_s + p->failure_s + p->recover_s);
  return ok && plan_settings_add(out, text, p->path) &&
         plan_settings_add(out, "simulation.event_time_scale=1", p->path);
}

// One that takes its time is judged when it is done, and its run is longer by that.
static int add_operation(const struct trial_plan *p, const struct trial_operation *o,
                         struct plan_settings *out) {
  char text[8192], verdicts[8000];
  int ok = 1;
  if (o->done_s > 0) {
    observation_write_verdicts(p, o->done_s, verdicts, sizeof verdicts);
    snprintf(text, sizeof text, "verdicts=%s", verdicts);
    ok = plan_settings_add(out, text, p->path);
    snprintf(text, sizeof text, "simulation.duration_s=%.12g",
             p->settle_s + o->done_s + p->failure_s + p->recover_s);
    ok = ok && plan_settings_add(out, text, p->path);
  }
  return ok && plan_settings_copy(out, &o->settings);
}

// The truth is withheld from a controller of another process, unless the plan sets otherwise.
static int add_secrecy(const struct trial_plan *p, struct plan_settings *out) {
  return p->mode != RUN_LOCKSTEP || trial_plan_truth(p) != TRUTH_BY_DEFAULT ||
         plan_settings_add(out, "network.withhold_truth=true", p->path);
}

static int add_levels(const struct session *s, struct plan *out) {
  char text[FAILURE_EVENTS + 16];
  int ok = 1;
  for (int i = 0; ok && i < s->plan.condition_count; i++) {
    struct plan_level *level = &out->axis[0].level[i];
    ok = (level->cell[0] = strdup(s->plan.condition[i].id)) &&
         plan_settings_copy(&level->settings, &s->plan.condition[i].settings);
  }
  for (int i = 0; ok && i < s->failures.count; i++) {
    struct plan_level *level = &out->axis[1].level[i];
    level->record_every_s = RECORD_EVERY_S;
    snprintf(text, sizeof text, "events=%s", s->failures.item[i].events);
    ok = (level->cell[0] = strdup(s->failures.item[i].id)) &&
         plan_settings_add(&level->settings, text, s->plan.path);
    if (ok && s->failures.item[i].group == FAILURE_OPERATION)
      ok = add_operation(&s->plan, &s->plan.operation[s->failures.item[i].operation], &level->settings);
  }
  return ok;
}

// The runs as the plan of a sweep: axis 1 the conditions, axis 2 the failures. Release with plan_free in
// every case.
static enum status make_plan(const struct session *s, struct plan *out, struct reason *why) {
  const struct trial_plan *p = &s->plan;
  *out = (struct plan){
      .mode = (enum run_mode)p->mode, .draws = 1, .controller_timeout_s = p->controller_timeout_s};
  snprintf(out->name, sizeof out->name, "%s", p->name);
  snprintf(out->base, sizeof out->base, "%s", p->base);
  out->path = strdup(p->path);
  out->base_path = strdup(p->base_path);
  out->point_count = p->condition_count * s->failures.count;
  out->axis_count = 2;
  int ok = out->path && out->base_path &&
           plan_controller_copy(&p->controller, &out->controller) == STATUS_OK &&
           plan_axis_make(&out->axis[0], "condition", p->condition_count) &&
           plan_axis_make(&out->axis[1], "failure", s->failures.count) && add_common(p, &out->set) &&
           add_secrecy(p, &out->set) && add_levels(s, out);
  out->has_log = p->logs == LOGS_ALL;
  if (p->log_key)
    ok = ok && (out->log_key = strdup(p->log_key));
  return ok ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for the runs");
}

static int refuse_id(const struct trial_rule *rule, const char *key) {
  char present[FAILURE_ID + 32];
  const int was = former_parts(FORMER_FAULT, rule->id, "/-@", present, sizeof present);
  fprintf(stderr, "%s: error: %s: an identifier of 'sagbend trials --list' expected, got '%s'%s%s\n",
          rule->place, key, shown(rule->id).text, was ? ", its present name is " : "",
          was ? shown(present).text : "");
  return 1;
}

// Operations stand in the plan: only is of failures.
static int is_wanted(const struct trial_plan *p, const struct failure *f) {
  int is_wanted = f->group == FAILURE_OPERATION;
  for (int i = 0; i < p->only_count && !is_wanted; i++)
    is_wanted = failure_matches(f->id, p->only[i].id);
  return is_wanted;
}

static int is_equipment(const struct failures *all, const char *pattern) {
  int i = 0;
  while (i < all->piece_count && !failure_matches(all->piece[i].name, pattern))
    i++;
  return i < all->piece_count;
}

// Takes out what the plan excludes, and refuses names that no failure has.
static enum status apply_rules(struct session *s, struct reason *why) {
  const struct trial_plan *p = &s->plan;
  int errors = 0;
  for (int i = 0; i < p->only_count; i++)
    if (!failures_count(&s->failures, p->only[i].id))
      errors += refuse_id(&p->only[i], "only");
  for (int i = s->failures.count - 1; p->only_count && i > 0; i--)
    if (!is_wanted(p, &s->failures.item[i]))
      failures_exclude(&s->failures, s->failures.item[i].id, "the plan tries others only");
  for (int i = 0; i < p->uses_count; i++)
    if (!is_equipment(&s->failures, p->uses[i].id)) {
      fprintf(stderr, "%s: error: uses: the name of an instrument or thruster expected, got '%s'\n",
              p->uses[i].place, shown(p->uses[i].id).text);
      errors++;
    }
  for (int i = 0; i < p->exclude_count; i++)
    if (!failures_exclude(&s->failures, p->exclude[i].id, p->exclude[i].why))
      errors += refuse_id(&p->exclude[i], "exclude");
  for (int i = 0; i < p->worst_case_count; i++)
    if (failures_find(&s->failures, p->worst_case[i].id) < 1)
      errors += refuse_id(&p->worst_case[i], "worst_case");
  for (int i = 0; i < p->accept_count; i++) {
    int k = 0;
    while (k < s->failures.count && !failure_matches(s->failures.item[k].id, p->accept[i].id))
      k++;
    if (k == s->failures.count || strlen(p->accept[i].finding) != 1 ||
        !strchr("AB", p->accept[i].finding[0])) {
      fprintf(stderr,
              "%s: error: accept: an identifier of 'sagbend trials --list' and finding A or B expected, got "
              "'%s' and '%s'\n",
              p->accept[i].place, shown(p->accept[i].id).text, shown(p->accept[i].finding).text);
      errors++;
    }
  }
  if (errors == 0 && (double)p->condition_count * s->failures.count > PLAN_MAX_POINTS)
    return fail(why, STATUS_BAD_INPUT, "at most %d runs expected, got %d conditions with %d failures",
                PLAN_MAX_POINTS, p->condition_count, s->failures.count);
  return errors ? STATUS_BAD_INPUT : STATUS_OK;
}

// What the commands of the controllers name must be in the configuration.
static enum status check_controllers(const struct trial_plan *p, const struct config *config) {
  enum status status = plan_controller_check(&p->controller, config, stderr);
  for (int i = 0; i < p->seeded_count; i++)
    if (plan_controller_check(&p->seeded[i].controller, config, stderr) != STATUS_OK)
      status = STATUS_BAD_INPUT;
  return status;
}

// The equipment is that of the base with the plan's overrides: a condition changes weather, not equipment.
static enum status read_failures(struct session *s, struct reason *why) {
  const struct trial_plan *p = &s->plan;
  const char *text[PLAN_MAX_SETTINGS], *place[PLAN_MAX_SETTINGS];
  struct config *config = malloc(sizeof *config);
  if (!config)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  int count = 0;
  for (; count < p->set.count && count < PLAN_MAX_SETTINGS; count++) {
    text[count] = p->set.item[count].text;
    place[count] = p->set.item[count].place;
  }
  enum status status = config_load_placed(p->base_path, text, place, count, config, stderr);
  if (status == STATUS_OK) {
    const struct failure_times times = {p->settle_s, p->failure_s, p->hidden_lead_s, p->switch_s};
    status = failures_generate(config, &p->magnitudes, &times, &s->failures);
    for (int i = 0; p->mode == RUN_FAST && i < config->scenario.controllers.count; i++) {
      char pattern[SIGNAL_NAME + 4];
      snprintf(pattern, sizeof pattern, "%s/*", config->scenario.controllers.item[i].name);
      failures_exclude(&s->failures, pattern,
                       "in mode fast one controller runs inside: mode lockstep tries it");
    }
    for (int i = 0; i < p->cause_count && status == STATUS_OK; i++)
      for (int k = 0; k < p->cause[i].mode_count && status == STATUS_OK; k++)
        if (!failures_declare(&s->failures, &times, p->cause[i].name, p->cause[i].mode[k],
                              p->cause[i].parameters, (const char (*)[SIGNAL_NAME])p->cause[i].equipment,
                              p->cause[i].equipment_count))
          status = STATUS_NO_MEMORY;
    if (status == STATUS_OK && !expectations_add_operations(p, &s->failures))
      status = STATUS_NO_MEMORY;
    if (status != STATUS_OK)
      fail(why, status, "out of memory for the failures");
    else if (check_controllers(p, config) != STATUS_OK)
      status = STATUS_BAD_INPUT;
    config_free(config);
  }
  free(config);
  return status == STATUS_OK ? apply_rules(s, why) : status;
}

// Of what no sheet shows a few quantities stay in series.csv: a record of 320 s has 0.4 MB, these some 25 kB.
static void remove_records(const struct judgement *j, const struct sweep_folder *folder) {
  for (int i = 0; i < j->run_count; i++)
    if (!report_needs_record(j, &j->run[i]) &&
        access(sweep_point_path(folder, j->run[i].point, "series.csv").text, F_OK) == 0)
      unlink(sweep_point_path(folder, j->run[i].point, "record.csv").text);
}

static enum status judge_anew(const struct session *s, const struct sweep_folder *folder,
                              struct judgement *judgement, struct reason *why) {
  judgement_free(judgement);
  return judgement_make(&s->plan, &s->failures, folder, judgement, why);
}

static enum status collect(const struct plan *plan, const struct sweep_folder *folder, void *context,
                           struct reason *why) {
  struct session *s = context;
  struct judgement judgement;
  int repeated = 0, stopped = 0;
  enum status status = judgement_make(&s->plan, &s->failures, folder, &judgement, why);
  if (status == STATUS_OK && s->makes_runs)
    status = intervention_run(&judgement, s->sweep, folder, s->jobs, &stopped, why);
  if (status == STATUS_OK && stopped)
    status = judge_anew(s, folder, &judgement, why);
  if (status == STATUS_OK && s->again)
    status = again_run(&judgement, s->sweep, folder, s->again, &repeated, why);
  if (status == STATUS_OK && repeated)
    status = judge_anew(s, folder, &judgement, why);
  if (status == STATUS_OK) {
    sweep_find_stranger(folder, plan, judgement.stranger, sizeof judgement.stranger);
    judgement.is_whole &= !*judgement.stranger;
    exercise_find(&judgement);
    status = report_write(&judgement, folder, why);
  }
  if (status == STATUS_OK) {
    report_print(&judgement, folder);
    remove_records(&judgement, folder);
  }
  if (status == STATUS_OK && s->against)
    status = against_print(&judgement, s->against, &s->worse, why);
  if (!s->is_seeded)
    s->is_incomplete = !judgement.is_whole;
  if (status == STATUS_OK && (s->against ? s->worse.criteria + s->worse.measures : judgement.open))
    status = STATUS_IO;
  judgement_free(&judgement);
  return status;
}

enum { LIST_COLUMN = 41 };

// A row of the list: columns, or on a terminal lines of its width.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void list_row(const char *id, const char *format, ...) {
  const int is_long = strlen(id) >= LIST_COLUMN;
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (isatty(STDOUT_FILENO) && is_long) {
    printf("%s\n", id);
    print_labelled(LIST_COLUMN, "", "%s", text);
  } else if (isatty(STDOUT_FILENO))
    print_labelled(LIST_COLUMN, id, "%s", text);
  else
    printf("%-*s %s\n", LIST_COLUMN - 1, id, text);
}

static void list(const struct session *s) {
  const struct failures *all = &s->failures;
  const char *format = isatty(STDOUT_FILENO) ? "%s, %s: %s" : "%-18s %-18s %s";
  list_row("failure", format, "group", "equipment", "alarm within");
  for (int i = 1; i < all->count; i++) {
    const struct failure *f = &all->item[i];
    char alarm[300];
    if (f->alarm_s > 0)
      snprintf(alarm, sizeof alarm, "%.3g s", f->alarm_s * s->plan.alarm_scale);
    else
      snprintf(alarm, sizeof alarm, "none expected: %s", f->quiet);
    list_row(f->id, format, failure_group_name(f->group), f->kind, alarm);
  }
  putchar('\n');
  list_row("not tried", "%s", "why");
  for (int i = 0; i < all->excluded_count; i++)
    list_row(all->excluded[i].id, "%s", all->excluded[i].why);
  printf("\n%d failures, %d not tried, %d conditions, %d runs\n", all->count - 1, all->excluded_count,
         s->plan.condition_count, all->count * s->plan.condition_count);
}

// A thruster that runs wild: the run with the operator's stop, too, which is the one that is judged.
static enum status stop_alone(const struct session *s, const struct plan *plan, const char *path, int point,
                              struct reason *why) {
  struct sweep_folder folder = {.lock = -1};
  struct judgement judgement;
  snprintf(folder.path, sizeof folder.path, "%s", path);
  enum status status = judgement_make(&s->plan, &s->failures, &folder, &judgement, why);
  if (status == STATUS_OK)
    status = intervention_run_alone(&judgement, plan, &folder, point, why);
  judgement_free(&judgement);
  return status;
}

// Each expectation of the run by its name: all that fail, and the first that hold.
static void print_expected(const struct trial_plan *p, const struct judged_run *run) {
  enum { HOLD_SHOWN = 12 };
  int hold = 0;
  for (int i = 0; i < p->expectation_count && run->seen.is_there; i++) {
    const struct trial_expectation *e = &p->expectation[i];
    const int fails = expectation_margin(e, run->seen.expected[i]) < 0;
    char text[160];
    if (!expectation_is_of(e, run->failure, p->condition[run->condition].id))
      continue;
    hold += !fails;
    if (!fails && hold > HOLD_SHOWN)
      continue;
    expectation_text(e, run->seen.expected[i], text, sizeof text);
    printf("%-20s %s: %s: %s, %s\n", "expected", e->name, fails ? "FAILS" : "holds",
           quantity_shown_name(e->quantity), text);
  }
  if (hold > HOLD_SHOWN)
    printf("%-20s %d more hold\n", "", hold - HOLD_SHOWN);
}

// The result of --run. STATUS_IO: a finding A or B, no result, or another hash than the one of --hash.
static enum status print_alone(const struct session *s, const char *path, int point, const char *hash,
                               struct reason *why) {
  struct sweep_folder folder = {.lock = -1};
  struct judgement judgement;
  char id[FAILURE_ID + 32];
  snprintf(folder.path, sizeof folder.path, "%s", path);
  enum status status = judgement_make(&s->plan, &s->failures, &folder, &judgement, why);
  if (status == STATUS_OK) {
    const struct judged_run *run = &judgement.run[point - 1];
    const int is_equal = !hash || !strcmp(hash, run->seen.state_hash);
    judgement_id(&judgement, run, id, sizeof id);
    printf("%-20s %s: %s%s%c\n", "run", id, run_states[run->state].name, run->grade ? ", finding " : "",
           run->grade ? run->grade : ' ');
    for (int c = 0; c < CRITERION_COUNT; c++)
      if (run->criterion[c].result == CRITERION_FAIL)
        printf("%-20s %c, %s\n", criteria[c].name, run->criterion[c].grade,
               shown(run->criterion[c].text).text);
    print_expected(&s->plan, run);
    if (run->state != RUN_PASSED && run->state != RUN_FAILED)
      printf("%-20s %s\n", "why", shown(run->criterion[CRITERION_JUDGED].text).text);
    else if (s->plan.worst_case_count && isnan(judgement.declared_m[run->condition]))
      printf("%-20s the declared worst-case failures have not run: not compared with them\n", "missing");
    printf("%-20s %s%s\n", "hash", *run->seen.state_hash ? run->seen.state_hash : "none",
           !hash      ? ""
           : is_equal ? ", equal"
                      : ", NOT EQUAL to that of --hash");
    if (run->grade == 'A' || run->grade == 'B' || !run->seen.is_there || !is_equal)
      status = STATUS_IO;
  }
  judgement_free(&judgement);
  return status;
}

static enum status run_named(const struct trial_plan *plan, const struct failures *failures, const char *id,
                             int *point, struct reason *why);

static int *run_needs(const struct trial_plan *plan, const struct failures *failures);

static int *run_order(const struct trial_plan *plan, const struct failures *failures, int *count);

static enum status run(struct session *s, const struct trials_options *o, const char *folder,
                       struct reason *why) {
  struct plan plan = {.path = NULL};
  struct sweep_options options = {.folder = folder,
                                  .action = o->run ? SWEEP_POINT : o->action,
                                  .point = o->point,
                                  .jobs = o->jobs,
                                  .collect = collect,
                                  .context = s};
  const struct again_options again = {.choice = o->twice, .jobs = o->jobs};
  enum status status = make_plan(s, &plan, why);
  int *order = run_order(&s->plan, &s->failures, &options.order_count);
  int *needs = run_needs(&s->plan, &s->failures);
  if (status == STATUS_OK && (!order || !needs))
    status = fail(why, STATUS_NO_MEMORY, "out of memory for the runs");
  if (status == STATUS_OK && o->run)
    status = run_named(&s->plan, &s->failures, o->run, &options.point, why);
  options.order = order;
  options.needs = needs;
  s->sweep = &plan;
  s->makes_runs = options.action == SWEEP_RUN;
  s->jobs = o->jobs;
  s->again = s->makes_runs && !s->is_seeded ? &again : NULL;
  const int point = options.point, need = status == STATUS_OK && o->run ? needs[point] : 0;
  if (need) { // what it is compared with
    options.point = need;
    status = sweep_plan(&plan, &options, why);
    status = status == STATUS_IO && !*why->text ? STATUS_OK : status;
    options.point = point;
  }
  if (status == STATUS_OK)
    status = sweep_plan(&plan, &options, why);
  s->again = NULL;
  if (o->run && (status == STATUS_OK || (status == STATUS_IO && !*why->text)))
    status = stop_alone(s, &plan, folder, point, why);
  if (o->run && (status == STATUS_OK || (status == STATUS_IO && !*why->text)))
    status = print_alone(s, folder, point, o->hash, why);
  free(order);
  free(needs);
  plan_free(&plan);
  return status;
}

// Each controller with a seeded fault of the plan in a folder of its own below that of the good one.
// STATUS_IO: one is not found.
static enum status try_seeded(struct session *s, const struct trials_options *o, const char *good,
                              struct reason *why) {
  int found = 0, by_criteria = 0, count = s->plan.seeded_count;
  const struct plan_controller own = s->plan.controller;
  enum status status = STATUS_OK;
  char folder[SWEEP_PATH];
  s->against = good;
  s->is_seeded = 1;
  snprintf(folder, sizeof folder, "%s/seeded-faults", good);
  if (mkdir(folder, 0777) < 0 && errno != EEXIST)
    return fail(why, STATUS_IO, "%.400s: %s", folder, strerror(errno));
  for (int i = 0; i < count && status == STATUS_OK; i++) {
    const struct seeded_controller *seeded = &s->plan.seeded[i];
    struct reason ended = {""};
    snprintf(folder, sizeof folder, "%s/seeded-faults/%s", good, seeded->name);
    s->plan.controller = seeded->controller; // for runs and report
    s->plan.tried = seeded;
    s->worse = (struct against){0};
    printf("\n%-20s %s: %s\n", "seeded fault", shown(seeded->name).text, shown(seeded->what).text);
    status = run(s, o, folder, &ended);
    s->plan.controller = own;
    s->plan.tried = NULL;
    if (status == STATUS_IO && !*ended.text) // findings are what is expected
      status = STATUS_OK;
    else if (status != STATUS_OK)
      *why = ended;
    const int failed = s->worse.criteria - s->worse.unjudged; // one that did not run is not found
    by_criteria += failed > 0;
    found += failed + s->worse.measures > 0;
    printf("%-20s %s: %s\n", "seeded faults", shown(seeded->name).text,
           failed > 0                    ? "found by criteria"
           : s->worse.measures > 0       ? "found by measures only"
           : s->worse.without_result > 0 ? "NOT FOUND: its runs have no result"
                                         : "NOT FOUND");
  }
  s->is_seeded = 0;
  if (status == STATUS_OK)
    printf("\n%-20s %d of %d seeded faults found, %d by criteria, %d by measures only\n", "seeded faults",
           found, count, by_criteria, found - by_criteria);
  return status == STATUS_OK && found < count ? STATUS_IO : status;
}

// The report once more, with what the controllers with a seeded fault gave.
static enum status report_again(struct session *s, const struct trials_options *o, const char *folder,
                                struct reason *why) {
  struct trials_options again = *o;
  again.action = SWEEP_COLLECT;
  s->against = NULL;
  return run(s, &again, folder, why);
}

static enum status run_all(struct session *s, const struct trials_options *o, struct reason *why) {
  char *folder = o->folder ? strdup(o->folder) : sweep_folder_name(o->plan, "-trials");
  enum status status = folder ? run(s, o, folder, why) : fail(why, STATUS_NO_MEMORY, "out of memory");
  if (o->seeded_faults && (status == STATUS_OK || (status == STATUS_IO && !*why->text))) {
    enum status seeded = try_seeded(s, o, folder, why);
    if (seeded == STATUS_OK || (seeded == STATUS_IO && !*why->text))
      status = report_again(s, o, folder, why);
    status = seeded == STATUS_OK ? status : seeded;
  }
  int has_report = !o->run && (o->action == SWEEP_RUN || o->action == SWEEP_COLLECT) && !*why->text &&
                   (status == STATUS_OK || status == STATUS_IO);
  if (has_report && !o->no_pdf)
    report_write_pdf(folder);
  free(folder);
  return status;
}

// Takes the place of the plan's own controller.
static enum status take_seeded(struct trial_plan *p, const char *name, struct reason *why) {
  for (int i = 0; i < p->seeded_count; i++)
    if (!strcmp(p->seeded[i].name, name)) {
      const struct plan_controller own = p->controller;
      p->controller = p->seeded[i].controller;
      p->seeded[i].controller = own; // released with the plan
      p->tried = &p->seeded[i];
      return STATUS_OK;
    }
  return fail(
      why, STATUS_BAD_INPUT,
      "--seeded-fault: the name of a controller with a seeded fault of the plan expected, got '%.80s'", name);
}

enum status trials(const struct trials_options *o, int *is_incomplete, struct reason *why) {
  struct session *s = calloc(1, sizeof *s);
  *is_incomplete = 0;
  if (!s)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  s->against = o->against;
  enum status status = trial_plan_read(o->plan, &s->plan, stderr);
  for (int i = 0; i < o->override_count && status == STATUS_OK; i++)
    if (s->plan.set.count == PLAN_MAX_SETTINGS)
      status = fail(why, STATUS_BAD_INPUT, "at most %d overrides of a run expected", PLAN_MAX_SETTINGS);
    else if (!plan_settings_add(&s->plan.set, o->overrides[i], "--set"))
      status = fail(why, STATUS_NO_MEMORY, "out of memory for the overrides");
  if (status == STATUS_OK && o->seeded)
    status = take_seeded(&s->plan, o->seeded, why);
  if (status == STATUS_OK)
    status = read_failures(s, why);
  if (status == STATUS_OK && o->action == SWEEP_LIST)
    list(s);
  else if (status == STATUS_OK)
    status = run_all(s, o, why);
  *is_incomplete = s->is_incomplete;
  failures_free(&s->failures);
  trial_plan_free(&s->plan);
  free(s);
  return status;
}

// ------------------------------------------------------------
// 0: without a failure; 1: declared worst case; 2: the rest.
static int turn_of(const struct trial_plan *plan, const struct failure *f) {
  if (f->group == FAILURE_NONE)
    return 0;
  for (int i = 0; i < plan->worst_case_count; i++)
    if (!strcmp(plan->worst_case[i].id, f->id))
      return 1;
  return 2;
}

// The points of all runs: those without a failure, with which all others are compared, then the declared
// worst case, then the rest. The caller frees them; NULL: out of memory.
static int *run_order(const struct trial_plan *plan, const struct failures *failures, int *count) {
  const int most = plan->condition_count * failures->count;
  int *points = malloc(((size_t)most + 1) * sizeof *points);
  *count = 0;
  for (int turn = 0; points && turn < 3; turn++)
    for (int i = 0; i < most; i++)
      if (turn_of(plan, &failures->item[i % failures->count]) == turn)
        points[(*count)++] = i + 1;
  return points;
}

// Of each point, from number 1, the run without a failure in its condition, with which it is compared; 0: it
// is that one. The caller frees them; NULL: out of memory.
static int *run_needs(const struct trial_plan *plan, const struct failures *failures) {
  const int most = plan->condition_count * failures->count;
  int *needs = calloc((size_t)most + 1, sizeof *needs);
  for (int i = 0; needs && i < most; i++)
    if (i % failures->count) // the first of each condition has no failure
      needs[i + 1] = i - i % failures->count + 1;
  return needs;
}

// The point of "gnss-1/drift@S1".
static enum status run_named(const struct trial_plan *plan, const struct failures *failures, const char *id,
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
