// What a plan expects of time series, and its operations.
#include "lab/judge/judge.h"

#include "lab/failures/failures.h"
#include "lab/plan/plan.h"

#include <math.h>
#include <string.h>

static const struct key_def KEYS[] = {
    {"expect", AS_ITEMS, .size = TRIAL_EXPECTATIONS, .optional = 1,
     ITEMS_IN(trial_plan, expectation, trial_expectation, expectation_count),
     .doc =
         "What a sound DP system keeps to beside the limits, also without a failure: bounds of what the time "
         "series of a run show. Beyond one the finding is B."},
    {"expect[].name", AS_TEXT, .size = SIGNAL_NAME, IN(trial_expectation, name),
     .doc = "Name in the report."},
    {"expect[].quantity", AS_WORD, .words_were = FORMER_OUTPUT, .word_at = quantity_shown_name,
     .word_count = QUANTITY_COUNT, .listed_in = "'sagbend outputs'", WORD_IN(trial_expectation, quantity),
     .doc = "Quantity of 'sagbend outputs'."},
    {"expect[].take", AS_WORD, .fallback = "largest", .word_at = trial_take_name, .word_count = TAKE_COUNT,
     WORD_IN(trial_expectation, take),
#define TAKE(id, name, unit, doc, value) doc
     .doc = "What is taken of it"
#include "lab/judge/takes.inc"
            "."},
#undef TAKE
    {"expect[].runs", AS_TEXT, .size = FAILURE_ID + 32, .fallback = "*", IN(trial_expectation, runs),
     .doc = "Of which runs, as EQUIPMENT/MODE@CONDITION, in which * stands for any characters."},
    {"expect[].group", AS_WORD, .fallback = "any",
     .words = {"none", "single", "common", "hidden", "operation", "any"}, WORD_IN(trial_expectation, group),
     .doc = "Of which runs: without a failure, with a single one, a common cause, a hidden one and a second, "
            "an operation, or any."},
    {"expect[].from_s", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, IN(trial_expectation, from_s),
     .unit = "s", .doc = "Beginning of the time, from the start of the run. Default: settle_s."},
    {"expect[].to_s", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(trial_expectation, to_s), .unit = "s",
     .doc = "End of the time. Default: that of the run."},
    {"expect[].within", AS_VECTOR, .size = 2, .optional = 1, IN(trial_expectation, range),
     .doc = "Least and largest value. Exactly one of within and below."},
    {"expect[].below", AS_NUMBER, .optional = 1, IN(trial_expectation, range[1]), .doc = "Largest value."},
    {"operations", AS_ITEMS, .size = TRIAL_OPERATIONS, .optional = 1,
     ITEMS_IN(trial_plan, operation, trial_operation, operation_count),
     .doc = "Runs without a failure in which something else happens, tried in each condition."},
    {"operations[].name", AS_TEXT, .size = SIGNAL_NAME, IN(trial_operation, name),
     .doc = "Name; the run is operation/NAME@CONDITION."},
    {"operations[].what", AS_TEXT, .size = 128, IN(trial_operation, what), .doc = "What happens."},
    {"operations[].late_start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(trial_operation, late_start_s), .unit = "s",
     .doc = "No message passes before this time: the controller takes over a vessel in motion. 0: it takes "
            "over at the start."},
    {"operations[].silent_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(trial_operation, silent_s), .unit = "s",
     .doc =
         "No message passes for so long, from settle_s on: the controller is taken out of command and takes "
         "over again. 0: all pass."},
    {"operations[].move_m", AS_VECTOR, .size = 2, .optional = 1, IN(trial_operation, move_m), .unit = "m",
     .doc = "An operator moves the set-point by so much, north and east, from settle_s on."},
    {"operations[].turn_deg", AS_NUMBER, .range = LIMITED, .low = -180, .high = 180, .fallback = "0",
     IN(trial_operation, turn_deg), .unit = "deg",
     .doc = "An operator turns the heading of the set-point by so much, clockwise, from settle_s on."},
    {"operations[].about_m", AS_NUMBER, .fallback = "0", IN(trial_operation, about_m), .unit = "m",
     .doc = "Distance forward of the reference point of the point that keeps its place in the turn, such as "
            "the hang-off."},
    {"operations[].steps", AS_INTEGER, .range = LIMITED, .low = 1, .high = 20, .fallback = "1",
     IN(trial_operation, steps), .doc = "Equal steps in which move and turn are ordered."},
    {"operations[].every_s", AS_NUMBER, .range = POSITIVE, .fallback = "60", IN(trial_operation, every_s),
     .unit = "s", .doc = "Time between these steps."},
    {"operations[].done_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(trial_operation, done_s),
     .unit = "s",
     .doc =
         "Time from settle_s on for which limits are not judged: until the vessel has done what is ordered. "
         "The run is longer by it."},
    {"operations[].set", AS_ANY, .optional = 1, .doc = "Overrides of its runs."},
};
const struct key_rows expectation_rows = KEY_ROWS(KEYS);

static const struct {
  const char *name;
  enum { QUANTITY, NUMBER } unit;
} TAKES[TAKE_COUNT] = {
#define TAKE(id, name, unit, doc, value) {name, unit},
#include "lab/judge/takes.inc"
#undef TAKE
};

const char *trial_take_name(int take) {
  return TAKES[take].name;
}

int trial_take_is_ratio(int take) {
  return TAKES[take].unit == NUMBER;
}

// Time series are read of so many quantities.
static void check_series(const struct plan_reading *r, const struct node *list, const struct trial_plan *p) {
  int known[QUANTITY_COUNT] = {0}, count = 0;
  for (int i = 0; i < p->expectation_count; i++)
    count += !known[p->expectation[i].quantity]++;
  if (count > TRIAL_SERIES)
    plan_refuse(r, list, "a list with at most %d different quantities", TRIAL_SERIES);
}

static void read_expectation(const struct plan_reading *r, const struct node *item,
                             struct trial_expectation *e) {
  const struct node *within = plan_given(r, item, "within"), *below = plan_given(r, item, "below");
  if (!within == !below)
    error_add(r->errors, item->at, "%s: exactly one of within and below expected, got %s",
              node_path(item).text, within ? "both" : "none");
  if (within && e->range[0] >= e->range[1])
    plan_refuse(r, within, "two numbers, the least one first,");
  if (!within)
    e->range[0] = -INFINITY;
  if (!plan_given(r, item, "from_s"))
    e->from_s = NAN;
  if (!plan_given(r, item, "to_s"))
    e->to_s = NAN;
  if (e->to_s <= e->from_s)
    plan_refuse(r, tree_child(item, "to_s"), "a time behind from_s");
}

void expectations_read(const struct plan_reading *r, struct trial_plan *p) {
  const struct node *list = plan_given(r, NULL, "expect");
  for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item;
       item = item->next)
    if (item->kind == NODE_MAP && item->index < p->expectation_count)
      read_expectation(r, item, &p->expectation[item->index]);
  if (list)
    check_series(r, list, p);
  list = plan_given(r, NULL, "operations");
  for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item;
       item = item->next) {
    if (item->kind != NODE_MAP || item->index >= p->operation_count)
      continue;
    struct trial_operation *o = &p->operation[item->index];
    plan_read_settings(r, plan_given(r, item, "set"), &o->settings);
    if (o->late_start_s >= p->settle_s)
      plan_refuse(r, tree_child(item, "late_start_s"), "a time below settle_s");
    if (!*o->name || strpbrk(o->name, "/@*' "))
      plan_refuse(r, tree_child(item, "name") ? tree_child(item, "name") : item,
                  "a name without /, @, *, quotes and spaces");
    for (int i = 0; i < item->index; i++)
      if (!strcmp(p->operation[i].name, o->name))
        plan_refuse(r, tree_child(item, "name") ? tree_child(item, "name") : item,
                    "a name other than that of operation %d", i + 1);
  }
}

// No message passes, in either direction.
static void cut(struct failure *f, const char *name, double at_s, double duration_s) {
  char event[32];
  snprintf(event, sizeof event, "%s-1", name);
  failures_add_event(f, event, at_s, duration_s, "loss", "", ", probability: 1");
  snprintf(event, sizeof event, "%s-2", name);
  failures_add_event(f, event, at_s, duration_s, "sensors_loss", "", ", probability: 1");
}

static void order_setpoint(struct failure *f, const struct trial_operation *o, double at_s) {
  char event[32], parameters[96];
  for (int k = 0; k < o->steps; k++) {
    if (o->move_m[0] != 0 || o->move_m[1] != 0) {
      snprintf(event, sizeof event, "move-%d", k + 1);
      snprintf(parameters, sizeof parameters, ", north_m: %.12g, east_m: %.12g", o->move_m[0] / o->steps,
               o->move_m[1] / o->steps);
      failures_add_event(f, event, at_s + k * o->every_s, 0, "setpoint_moved", "", parameters);
    }
    if (o->turn_deg != 0) {
      snprintf(event, sizeof event, "turn-%d", k + 1);
      snprintf(parameters, sizeof parameters, ", turn_deg: %.12g, about_m: %.12g", o->turn_deg / o->steps,
               o->about_m);
      failures_add_event(f, event, at_s + k * o->every_s, 0, "setpoint_turned", "", parameters);
    }
  }
}

int expectations_add_operations(const struct trial_plan *p, struct failures *out) {
  for (int i = 0; i < p->operation_count; i++) {
    const struct trial_operation *o = &p->operation[i];
    struct failure *f = failures_add(out);
    if (!f)
      return 0;
    f->group = FAILURE_OPERATION;
    f->operation = i;
    f->quiet = "nothing fails";
    snprintf(f->equipment, sizeof f->equipment, "operation");
    snprintf(f->kind, sizeof f->kind, "operation");
    snprintf(f->mode, sizeof f->mode, "%.*s", (int)sizeof f->mode - 1, o->name);
    snprintf(f->id, sizeof f->id, "operation/%s", o->name);
    failure_name(f, "link"); // without messages nobody commands
    if (o->late_start_s > 0)
      cut(f, "late", 0, o->late_start_s);
    if (o->silent_s > 0)
      cut(f, "silent", p->settle_s, o->silent_s);
    order_setpoint(f, o, p->settle_s);
    if (!*f->events)
      snprintf(f->events, sizeof f->events, "[]");
  }
  return 1;
}

int expectation_is_of(const struct trial_expectation *e, const struct failure *f, const char *condition) {
  char id[FAILURE_ID + 32];
  snprintf(id, sizeof id, "%s@%s", f->id, condition);
  return (e->group == FAILURE_GROUP_COUNT || e->group == (int)f->group) && failure_matches(id, e->runs);
}
