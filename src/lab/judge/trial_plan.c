// The file of a plan -> struct trial_plan.
#define _POSIX_C_SOURCE 200809L
#include "lab/judge/judge.h"
#include "net/case/case.h"

#include "lab/failures/failures.h"
#include "lab/plan/plan.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct key_def KEYS[] = {
    {"name", AS_TEXT, .size = 64, .fallback = "trials", IN(trial_plan, name),
     .doc = "Name of the trials in the report."},
    {"extends", AS_TEXT, .size = 512, .optional = 1, IN(trial_plan, extends),
     .doc =
         "Path of a plan that this one extends, from its folder. Sections are merged key by key; a list or "
         "a value replaces the inherited one. All other paths start from the folder of this plan."},
    {"base", AS_TEXT, .size = 512, IN(trial_plan, base),
     .doc = "Configuration that every run starts from. Path from the folder of the plan."},
    {"mode", AS_WORD, .fallback = "lockstep", .words = {"lockstep", "fast"}, WORD_IN(trial_plan, mode),
     .word_first = RUN_LOCKSTEP,
     .doc = "lockstep: sagbend-dp runs as a second process with the DP file of the configuration. fast: the "
            "controller runs inside; its alarms are judged, and what it would print is not."},
    {"controller_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "60",
     IN(trial_plan, controller_timeout_s), .unit = "s",
     .doc = "Wall-clock limit for an answer of the controller; the run cannot be judged beyond it."},
    PLAN_CONTROLLER_KEYS,
    {"logs", AS_WORD, .fallback = "failed", .words = {"failed", "all", "none"}, WORD_IN(trial_plan, logs),
     .doc =
         "Which runs leave a session log. failed: those with a finding A or B, which are repeated for it."},
    {"log_key", AS_TEXT, .size = 512, .optional = 1, IN(trial_plan, log_key_file),
     .doc = "Secret key that signs the logs ('sagbend keygen --log'). Path from the folder of the plan. "
            "Absent: they "
            "are not signed."},
    {"set", AS_ANY, .optional = 1, .doc = "Overrides of every run: keys of the configuration."},
    {"alarms", AS_SECTION, .optional = 1, .doc = "Where the alarms of the controller come from."},
    {"alarms.from", AS_WORD, .fallback = "command", .words = {"command", "output", "none"},
     WORD_IN(trial_plan, alarms_from),
     .doc =
         "command: from its commands (Command.alarm), judged by source and simulated time. output: from the "
         "lines that it prints, by match and not. none: it has none, and alarms are not judged."},
    {"alarms.match", AS_TEXT, .size = TRIAL_TEXT, .fallback = "t = ([0-9.]+) s: (.*)", IN(trial_plan, alarm),
     .doc = "Extended regular expression over a line. Its first group is the simulated time, the second the "
            "text."},
    {"alarms.not", AS_TEXT, .size = TRIAL_TEXT,
     .fallback = "in use$|again$|give what is asked|^power limits|goes to the route|moves along the "
                 "route|holds after the "
                 "joint|end of the route|goes on$|leaves the "
                 "route",
     IN(trial_plan, alarm_ends),
     .doc = "Extended regular expression over the text of messages that are no alarms."},
    {"settle_s", AS_NUMBER, .range = POSITIVE, .fallback = "120", IN(trial_plan, settle_s), .unit = "s",
     .doc = "Time from the start of a run to the failure."},
    {"failure_s", AS_NUMBER, .range = POSITIVE, .fallback = "100", IN(trial_plan, failure_s), .unit = "s",
     .doc = "Duration of the failure."},
    {"recover_s", AS_NUMBER, .range = POSITIVE, .fallback = "100", IN(trial_plan, recover_s), .unit = "s",
     .doc = "Time from the end of the failure to the end of the run."},
    {"intervention", AS_SECTION, .optional = 1, .doc = "What the operator does."},
    {"intervention.stop_after_alarm_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "10",
     IN(trial_plan, stop_after_alarm_s), .unit = "s",
     .doc = "Emergency stop of a thruster that runs to full or turns by itself, so long after the alarm that "
            "names it. "
            "Without that alarm nobody stops it. 0: never."},
    {"hidden_lead_s", AS_NUMBER, .range = POSITIVE, .fallback = "60", IN(trial_plan, hidden_lead_s),
     .unit = "s", .doc = "Time for which a hidden failure is there before the second one begins."},
    {"switch_s", AS_NUMBER, .range = POSITIVE, .fallback = "10", IN(trial_plan, switch_s), .unit = "s",
     .doc = "Time from the loss of the main zone to the operator's order that gives the command to the "
            "backup (controllers with role: backup)."},
    {"conditions", AS_ITEMS, .size = TRIAL_CONDITIONS,
     ITEMS_IN(trial_plan, condition, trial_condition, condition_count),
     .doc = "Weathers and operations in which every failure is tried."},
    {"conditions[].id", AS_TEXT, .size = 24, IN(trial_condition, id), .doc = "Short name, such as S1."},
    {"conditions[].set", AS_ANY, .optional = 1, .doc = "Overrides of its runs."},
    {"magnitudes", AS_SECTION, .optional = 1,
     .doc = "How far failed instruments are off, in standard deviations of the instrument's own errors."},
    {"magnitudes.small", AS_NUMBER, .range = POSITIVE, .fallback = "3", IN(trial_plan, magnitudes.small),
     .doc = "Bias within what the instrument's accuracy explains."},
    {"magnitudes.large", AS_NUMBER, .range = POSITIVE, .fallback = "30", IN(trial_plan, magnitudes.large),
     .doc = "Bias."},
    {"magnitudes.wild", AS_NUMBER, .range = POSITIVE, .fallback = "50", IN(trial_plan, magnitudes.wild),
     .doc = "Random and fixed values, outliers."},
    {"magnitudes.drift_per_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.3",
     IN(trial_plan, magnitudes.drift_per_s), .unit = "1/s", .doc = "Drift."},
    {"magnitudes.noise_per_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     IN(trial_plan, magnitudes.noise_per_s), .unit = "1/s", .doc = "Growth of noise."},
    {"magnitudes.load_share", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.04",
     IN(trial_plan, magnitudes.load_share),
     .doc = "Share of its power that a limited bus has left: below what its thrusters use."},
    {"limits", AS_ITEMS, .size = TRIAL_LIMITS, ITEMS_IN(trial_plan, limit, trial_limit, limit_count),
     .doc = "Quantities that no single failure may take beyond their range."},
    {"limits[].name", AS_TEXT, .size = SIGNAL_NAME, IN(trial_limit, name), .doc = "Name in the report."},
    {"limits[].quantity", AS_WORD, .words_were = FORMER_OUTPUT, .word_at = quantity_shown_name,
     .word_count = QUANTITY_COUNT, .listed_in = "'sagbend outputs'", WORD_IN(trial_limit, quantity),
     .doc = "Quantity of 'sagbend outputs'."},
    {"limits[].within", AS_VECTOR, .size = 2, .optional = 1, IN(trial_limit, range),
     .doc = "Least and largest value; beyond them the finding is A. Exactly one of within and below."},
    {"limits[].below", AS_NUMBER, .optional = 1, IN(trial_limit, range[1]),
     .doc = "Largest value; beyond it the finding is A."},
    {"limits[].circle", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(trial_limit, circle),
     .doc = "Magnitude beyond which the finding is B."},
    {"limits[].circle_mean_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(trial_limit, mean_s),
     .unit = "s",
     .doc = "The circle is judged on the mean over the latest so many seconds, as a DP system shows its "
            "position without the motion in the waves. 0: on each value."},
    {"added_m", AS_NUMBER, .range = POSITIVE, .fallback = "1.5", IN(trial_plan, added_m), .unit = "m",
     .doc = "Offset that the failure of a sensor with a spare may add to that of the run without a failure."},
    {"spread_m", AS_NUMBER, .range = POSITIVE, .fallback = "0.1", IN(trial_plan, spread_m), .unit = "m",
     .doc = "How much the largest offset of equal runs differs from seed to seed. An effect that is larger "
            "by less counts as equal to "
            "that of the declared worst-case failures, or of the run without a failure."},
    {"power_limited_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "2", IN(trial_plan, power_limited_s),
     .unit = "s",
     .doc = "Time for which the vessel itself may limit its thrusters, which the controller should prevent."},
    {"alarm_scale", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN(trial_plan, alarm_scale),
     .doc = "Factor on the times within which an alarm is expected (docs/trials.md)."},
    {"back", AS_SECTION, .optional = 1, .doc = "When the vessel must be back after the failure."},
    {"back.offset_m", AS_NUMBER, .range = POSITIVE, .fallback = "3", IN(trial_plan, return_offset_m),
     .unit = "m", .doc = "Largest offset then."},
    {"back.within_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "70", IN(trial_plan, return_s),
     .unit = "s", .doc = "Time from the end of the failure."},
    {"worst_case", AS_ANY, .optional = 1,
     .doc = "Worst-case failure design intent: the list of failures, as identifiers, beyond whose effect no "
            "single failure may go."},
    {"common_causes", AS_ITEMS, .size = TRIAL_CAUSES, .optional = 1,
     ITEMS_IN(trial_plan, cause, trial_cause, cause_count),
     .doc = "Common causes beside the generated ones, such as one supply of several instruments."},
    {"common_causes[].name", AS_TEXT, .size = SIGNAL_NAME, IN(trial_cause, name),
     .doc = "Name of the cause, the equipment of its identifiers."},
    {"common_causes[].equipment", AS_ANY,
     .doc = "List of the equipment that fails at once: 1 to 8 names of the configuration."},
    {"common_causes[].modes", AS_ANY,
     .doc = "List of kinds of fault, such as no_output, drift, tripped or bus_lost: each is a failure."},
    {"common_causes[].parameters", AS_ANY, .optional = 1,
     .doc = "Section of the parameters of these kinds, the same for all of the equipment, such as "
            "{rate_per_s: 0.05}."},
    {"seeded_faults", AS_ITEMS, .size = TRIAL_SEEDED_FAULTS, .optional = 1,
     ITEMS_IN(trial_plan, seeded, seeded_controller, seeded_count),
     .doc = "Controllers with a seeded fault, which --seeded-faults tries: the trials must find each."},
    {"seeded_faults[].name", AS_TEXT, .size = 64, .optional = 1, IN(seeded_controller, name),
     .doc = "Its name, and that of its folder of results. Default: the name of its DP file."},
    {"seeded_faults[].dp_file", AS_TEXT, .size = 256, .optional = 1, IN(seeded_controller, dp_file),
     .doc = "sagbend-dp with this DP file; the simulator keeps that of the configuration. Path from the "
            "folder of the "
            "plan. Exactly one of dp_file and command."},
    {"seeded_faults[].command", AS_ANY, .optional = 1, .doc = "Its command, as controller.command."},
    {"seeded_faults[].files", AS_ANY, .optional = 1, .doc = "Files of its command, as controller.files."},
    {"seeded_faults[].what", AS_TEXT, .size = 128, IN(seeded_controller, what),
     .doc = "What is wrong with it."},
    {"uses", AS_ANY, .optional = 1,
     .doc =
         "List of the equipment that the controller uses, by name, in which * stands for any characters. No "
         "alarm is expected about other instruments. Absent: all."},
    {"only", AS_ANY, .optional = 1,
     .doc = "List of the failures that are tried, as identifiers, in which * stands for any characters. "
            "Absent: all."},
    {"exclude", AS_ITEMS, .size = TRIAL_RULES, .optional = 1,
     ITEMS_IN(trial_plan, exclude, trial_rule, exclude_count), .doc = "Failures that are not tried."},
    {"exclude[].id", AS_TEXT, .size = FAILURE_ID, IN(trial_rule, id),
     .doc = "Identifier, in which * stands for any characters."},
    {"exclude[].why", AS_TEXT, .size = TRIAL_TEXT, IN(trial_rule, why),
     .doc = "Reason, which the report prints."},
    {"accept", AS_ITEMS, .size = TRIAL_RULES, .optional = 1,
     ITEMS_IN(trial_plan, accept, trial_rule, accept_count),
     .doc = "Findings that the owner accepts. They stay in the report, with the reason."},
    {"accept[].id", AS_TEXT, .size = FAILURE_ID, IN(trial_rule, id),
     .doc = "Identifier, in which * stands for any characters."},
    {"accept[].finding", AS_TEXT, .size = 4, IN(trial_rule, finding), .doc = "Its letter: A or B."},
    {"accept[].why", AS_TEXT, .size = TRIAL_TEXT, IN(trial_rule, why), .doc = "Reason."},
    {"report", AS_SECTION, .optional = 1, .doc = "What the cover and the last page of the report name."},
    {"report.number", AS_TEXT, .size = 64, .optional = 1, IN(trial_plan, report.number),
     .doc = "Number of the report. Default: the name of the plan."},
    {"report.object", AS_TEXT, .size = 128, .optional = 1, IN(trial_plan, report.object),
     .doc = "The vessel and system that were tried. Default: the name of the configuration."},
    {"report.owner", AS_TEXT, .size = 128, .optional = 1, IN(trial_plan, report.owner),
     .doc = "The owner of the vessel."},
    {"report.roles", AS_ANY, .optional = 1,
     .doc = "List of those who sign. Default: test engineer, owner, surveyor."},
};
static const struct key_rows ROWS = KEY_ROWS(KEYS);

static enum status make_schema(struct schema *schema) {
  static const struct key_group groups[] = {{.rows = &ROWS, .prefix = ""},
                                            {.rows = &expectation_rows, .prefix = ""}};
  *schema = (struct schema){.title = "Sagbend trials plan", .keys_were = FORMER_TRIALS_KEY};
  enum status status = schema_add(schema, &groups[0]);
  return status == STATUS_OK ? schema_add(schema, &groups[1]) : status;
}

enum status trial_plan_write_schema(FILE *out, struct reason *why) {
  struct schema schema;
  if (make_schema(&schema) != STATUS_OK)
    schema_free(&schema);
  const enum status status = schema_write_json(&schema, out, why);
  schema_free(&schema);
  return status;
}

static void read_conditions(const struct plan_reading *r, struct trial_plan *p) {
  const struct node *list = plan_given(r, NULL, "conditions");
  if (!list || list->kind != NODE_LIST)
    return;
  if (list->count == 0)
    plan_refuse(r, list, "a list of at least one condition");
  for (const struct node *item = list->first; item; item = item->next) {
    if (item->kind != NODE_MAP || item->index >= p->condition_count)
      continue;
    plan_read_settings(r, plan_given(r, item, "set"), &p->condition[item->index].settings);
    for (int i = 0; i < item->index; i++)
      if (!strcmp(p->condition[i].id, p->condition[item->index].id))
        plan_refuse(r, tree_child(item, "id") ? tree_child(item, "id") : item,
                    "a name other than that of condition %d", i + 1);
  }
}

static void read_limits(const struct plan_reading *r, struct trial_plan *p) {
  const struct node *list = plan_given(r, NULL, "limits");
  for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item;
       item = item->next) {
    if (item->kind != NODE_MAP || item->index >= p->limit_count)
      continue;
    struct trial_limit *limit = &p->limit[item->index];
    const struct node *within = plan_given(r, item, "within"), *below = plan_given(r, item, "below");
    if (!within == !below)
      error_add(r->errors, item->at, "%s: exactly one of within and below expected, got %s",
                node_path(item).text, within ? "both" : "none");
    if (within && limit->range[0] >= limit->range[1])
      plan_refuse(r, within, "two numbers, the least one first,");
    if (!within)
      limit->range[0] = -INFINITY;
    if (!plan_given(r, item, "circle"))
      limit->circle = INFINITY;
    else if (limit->circle > limit->range[1])
      plan_refuse(r, tree_child(item, "circle"), "a number of at most the limit");
    if (limit->mean_s > 0 && !plan_given(r, item, "circle"))
      plan_refuse(r, tree_child(item, "circle_mean_s"), "needs circle");
    else if (limit->mean_s > p->settle_s)
      plan_refuse(r, tree_child(item, "circle_mean_s"), "a number of at most settle_s = %g", p->settle_s);
  }
}

// A list of identifiers. Returns their number.
static int read_ids(const struct plan_reading *r, const char *key, struct trial_rule out[TRIAL_RULES]) {
  const struct node *list = plan_given(r, NULL, key);
  int count = 0;
  if (list && (list->kind != NODE_LIST || list->count > TRIAL_RULES)) {
    plan_refuse(r, list, "a list of at most %d identifiers", TRIAL_RULES);
    return 0;
  }
  for (const struct node *item = list ? list->first : NULL; item; item = item->next) {
    if (item->kind != NODE_SCALAR || strlen(item->text) >= FAILURE_ID) {
      plan_refuse(r, item, "an identifier such as bus-port/lost");
      continue;
    }
    snprintf(out[count].id, sizeof out[count].id, "%s", item->text);
    out[count++].place = plan_place(r, item);
  }
  return count;
}

static void read_roles(const struct plan_reading *r, struct trial_report *out) {
  static const char *const usual[] = {"test engineer", "owner", "surveyor"};
  const struct node *section = plan_given(r, NULL, "report"),
                    *list = section && section->kind == NODE_MAP ? plan_given(r, section, "roles") : NULL;
  if (list && (list->kind != NODE_LIST || list->count < 1 || list->count > TRIAL_ROLES)) {
    plan_refuse(r, list, "a list of 1 to %d names", TRIAL_ROLES);
    return;
  }
  for (const struct node *item = list ? list->first : NULL; item; item = item->next) {
    if (item->kind != NODE_SCALAR || strlen(item->text) >= sizeof out->role[0])
      plan_refuse(r, item, "a name of at most %zu characters", sizeof out->role[0] - 1);
    else
      snprintf(out->role[out->role_count++], sizeof out->role[0], "%s", item->text);
  }
  for (size_t i = 0; !list && i < sizeof usual / sizeof *usual; i++)
    snprintf(out->role[out->role_count++], sizeof out->role[0], "%s", usual[i]);
}

// A list of names. Returns their number.
static int read_names(const struct plan_reading *r, const struct node *item, const char *key, int most,
                      char (*out)[SIGNAL_NAME]) {
  const struct node *list = plan_given(r, item, key);
  int count = 0;
  if (list && (list->kind != NODE_LIST || list->count < 1 || list->count > most)) {
    plan_refuse(r, list, "a list of 1 to %d names", most);
    return 0;
  }
  for (const struct node *name = list ? list->first : NULL; name; name = name->next) {
    if (name->kind == NODE_SCALAR && *name->text && strlen(name->text) < SIGNAL_NAME)
      snprintf(out[count++], SIGNAL_NAME, "%s", name->text);
    else
      plan_refuse(r, name, "a name of 1 to %d characters", SIGNAL_NAME - 1);
  }
  return count;
}

static void read_parameters(const struct plan_reading *r, const struct node *given, struct trial_cause *out) {
  size_t used = 0;
  if (given->kind != NODE_MAP) {
    plan_refuse(r, given, "a section of parameters, such as {rate_per_s: 0.05}");
    return;
  }
  for (const struct node *p = given->first; p; p = p->next) {
    if (p->kind != NODE_SCALAR)
      plan_refuse(r, p, "a number or a name");
    else if (used < sizeof out->parameters)
      used += (size_t)snprintf(out->parameters + used, sizeof out->parameters - used, ", %s: %s", p->key,
                               p->text);
  }
  if (used >= sizeof out->parameters)
    plan_refuse(r, given, "parameters of fewer characters");
}

// What the equipment is, and whether it can fail so, is checked with the events of the runs.
static void read_causes(const struct plan_reading *r, struct trial_plan *p) {
  const struct node *list = plan_given(r, NULL, "common_causes");
  for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item;
       item = item->next) {
    if (item->kind != NODE_MAP || item->index >= p->cause_count)
      continue;
    struct trial_cause *cause = &p->cause[item->index];
    cause->equipment_count = read_names(r, item, "equipment", FAILURE_NAMES, cause->equipment);
    cause->mode_count = read_names(r, item, "modes", TRIAL_CAUSE_MODES, cause->mode);
    const struct node *modes = plan_given(r, item, "modes"),
                      *mode = modes && modes->kind == NODE_LIST ? modes->first : NULL;
    const struct node *given = plan_given(r, item, "parameters");
    if (given)
      read_parameters(r, given, cause);
    for (int i = 0; i < cause->mode_count && mode; i++, mode = mode->next) {
      const enum fault_kind kind = fault_by_name(cause->mode[i]);
      if (kind == FAULT_COUNT || (!given && *fault_parameter(kind, 0)))
        plan_refuse_name(r, mode, FORMER_FAULT, "", "a kind of fault %s, such as %s",
                         given ? "of an event" : "without parameters, or parameters beside it",
                         given ? "drift" : "no_output or tripped");
    }
    for (int i = 0; i < item->index; i++)
      if (!strcmp(p->cause[i].name, cause->name))
        plan_refuse(r, tree_child(item, "name") ? tree_child(item, "name") : item,
                    "a name other than that of cause %d", i + 1);
  }
}

static void read_seeded(const struct plan_reading *r, struct trial_plan *p) {
  const struct node *list = plan_given(r, NULL, "seeded_faults");
  for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item;
       item = item->next) {
    if (item->kind != NODE_MAP || item->index >= p->seeded_count)
      continue;
    struct seeded_controller *w = &p->seeded[item->index];
    const struct node *dp_file = plan_given(r, item, "dp_file"), *command = plan_given(r, item, "command");
    const char *slash = strrchr(w->dp_file, '/');
    plan_take_controller(r, item, &w->controller);
    if (!dp_file == !command)
      error_add(r->errors, item->at, "%s: exactly one of dp_file and command expected, got %s",
                node_path(item).text, command ? "both" : "none");
    else if (dp_file && w->controller.folder &&
             !(w->controller.dp_file = plan_controller_path(&w->controller, w->dp_file)))
      plan_out_of_memory(r);
    if (w->controller.dp_file && access(w->controller.dp_file, R_OK) != 0)
      plan_refuse(r, dp_file, "a readable DP file");
    if (!*w->name)
      snprintf(w->name, sizeof w->name, "%.63s", slash ? slash + 1 : w->dp_file);
    if (!*w->name || strchr(w->name, '/') || !strcmp(w->name, ".") || !strcmp(w->name, ".."))
      error_add(r->errors, item->at, "%s.name: the name of a folder expected, got %s", node_path(item).text,
                quote(w->name).text);
    for (int i = 0; i < item->index; i++)
      if (!strcmp(p->seeded[i].name, w->name))
        error_add(r->errors, item->at, "%s.name: seeded fault %d has this name already", node_path(item).text,
                  i + 1);
  }
  if (list && p->seeded_count && p->mode != RUN_LOCKSTEP)
    error_add(r->errors, list->at, "wrong needs mode lockstep, got fast");
}

static void place_rules(const struct plan_reading *r, const char *key, struct trial_rule *rules, int count) {
  const struct node *list = plan_given(r, NULL, key);
  for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item;
       item = item->next)
    if (item->index < count)
      rules[item->index].place = plan_place(r, item);
}

static void check_expression(const struct plan_reading *r, const char *key, const char *text, size_t groups) {
  const struct node *section = tree_child(r->root, "alarms"),
                    *node = section ? tree_child(section, key) : NULL;
  regex_t compiled;
  char what[160];
  struct position at = node ? node->at : r->root->at;
  int error = regcomp(&compiled, text, REG_EXTENDED);
  if (error) {
    regerror(error, &compiled, what, sizeof what);
    error_add(r->errors, at, "alarms.%s: an extended regular expression expected, got %s: %s", key,
              quote(text).text, what);
    return;
  }
  if (compiled.re_nsub < groups)
    error_add(r->errors, at, "alarms.%s: an expression with the groups time and text expected, got %s", key,
              quote(text).text);
  regfree(&compiled);
}

static void find_log_key(const struct plan_reading *r, struct trial_plan *p) {
  const struct node *node = plan_given(r, NULL, "log_key");
  if (!node || !*p->log_key_file || !p->controller.folder)
    return;
  p->log_key = plan_controller_path(&p->controller, p->log_key_file);
  if (!p->log_key)
    plan_out_of_memory(r);
  else if (access(p->log_key, R_OK) != 0)
    plan_refuse(r, node, "a readable secret key");
}

static void take(struct plan_reading *r, struct trial_plan *p, struct node *root) {
  struct schema schema;
  if (make_schema(&schema) == STATUS_OK)
    schema_read(&schema, root, p, r->errors);
  else
    error_add(r->errors, root->at, "out of memory");
  schema_free(&schema);
  if (root->kind != NODE_MAP)
    return;
  r->root = root;
  p->base_path = plan_find_base(r, p->base);
  plan_read_controller(r, &p->controller);
  find_log_key(r, p);
  if (p->controller.argument_count && p->mode != RUN_LOCKSTEP)
    error_add(r->errors, root->at, "controller.command needs mode lockstep, got fast");
  plan_read_settings(r, plan_given(r, NULL, "set"), &p->set);
  read_conditions(r, p);
  read_limits(r, p);
  expectations_read(r, p);
  p->worst_case_count = read_ids(r, "worst_case", p->worst_case);
  p->only_count = read_ids(r, "only", p->only);
  p->uses_count = read_ids(r, "uses", p->uses);
  read_causes(r, p);
  read_seeded(r, p);
  read_roles(r, &p->report);
  place_rules(r, "exclude", p->exclude, p->exclude_count);
  place_rules(r, "accept", p->accept, p->accept_count);
  check_expression(r, "match", p->alarm, 2);
  check_expression(r, "not", p->alarm_ends, 0);
  if (p->hidden_lead_s >= p->settle_s)
    error_add(r->errors, root->at, "hidden_lead_s: a time below settle_s expected, got %.12g s",
              p->hidden_lead_s);
}

// The plans that extend one another.
enum { DEEPEST_EXTENDS = 4 };
struct extended {
  char path[DEEPEST_EXTENDS][1024];
  struct source source[DEEPEST_EXTENDS];
};

// Lays the tree of a plan over the one that it extends. Returns 0 after an error.
static int extend(const struct plan_reading *r, struct tree *tree, struct extended *files, int depth) {
  struct node *own = tree->root, *extends = own->kind == NODE_MAP ? tree_child(own, "extends") : NULL;
  if (!extends || extends->kind != NODE_SCALAR || node_is_null(extends))
    return 1; // none, or one that the schema refuses
  if (depth == DEEPEST_EXTENDS) {
    error_add(
        r->errors, extends->at,
        "extends: at most %d plans that extend one another expected, got more (does one extend itself?)",
        DEEPEST_EXTENDS);
    return 0;
  }
  const char *slash = strrchr(r->path, '/');
  snprintf(files->path[depth], sizeof files->path[depth], "%.*s%s",
           slash && *extends->text != '/' ? (int)(slash - r->path) + 1 : 0, r->path, extends->text);
  files->source[depth].name = files->path[depth];
  const struct plan_reading below = {.path = files->path[depth], .errors = r->errors};
  if (access(below.path, R_OK) != 0) {
    plan_refuse(r, extends, "a readable plan");
    return 0;
  }
  if (!plan_parse(&below, &files->source[depth], tree) || !extend(&below, tree, files, depth + 1))
    return 0;
  if (tree->root->kind != NODE_MAP) {
    plan_refuse(r, extends, "a plan with sections of key: value lines");
    return 0;
  }
  tree_merge(tree->root, own);
  tree->root->at = own->at;
  return 1;
}

enum status trial_plan_read(const char *path, struct trial_plan *out, FILE *errors) {
  struct error_list list = {0};
  struct source source = {.name = path};
  struct plan_reading reading = {.path = path, .errors = &list};
  struct tree tree = {0};
  struct extended files = {0};
  *out = (struct trial_plan){.path = strdup(path)};
  if (!out->path)
    error_add(&list, (struct position){&source, 1, 1}, "out of memory");
  else if (plan_parse(&reading, &source, &tree) && extend(&reading, &tree, &files, 0))
    take(&reading, out, tree.root);
  tree_free(&tree);
  const struct error_sink sink = error_to(errors);
  error_deliver(&list, &sink);
  enum status status = list.count ? STATUS_BAD_INPUT : STATUS_OK;
  error_list_free(&list);
  return status;
}

static void free_rules(struct trial_rule *rules, int count) {
  for (int i = 0; i < count; i++)
    free(rules[i].place);
}

enum trial_truth trial_plan_truth(const struct trial_plan *p) {
  static const char KEY[] = "network.withhold_truth=";
  enum trial_truth out = TRUTH_BY_DEFAULT;
  for (int i = 0; i < p->set.count; i++)
    if (!strncmp(p->set.item[i].text, KEY, sizeof KEY - 1))
      out = strcmp(p->set.item[i].text + sizeof KEY - 1, "true") ? TRUTH_OPEN : TRUTH_WITHHELD;
  return out;
}

void trial_plan_free(struct trial_plan *p) {
  free(p->path);
  free(p->base_path);
  plan_controller_free(&p->controller);
  free(p->log_key);
  plan_settings_free(&p->set);
  for (int i = 0; i < p->condition_count; i++)
    plan_settings_free(&p->condition[i].settings);
  for (int i = 0; i < p->operation_count; i++)
    plan_settings_free(&p->operation[i].settings);
  for (int i = 0; i < p->seeded_count; i++)
    plan_controller_free(&p->seeded[i].controller);
  free_rules(p->worst_case, p->worst_case_count);
  free_rules(p->only, p->only_count);
  free_rules(p->uses, p->uses_count);
  free_rules(p->exclude, p->exclude_count);
  free_rules(p->accept, p->accept_count);
}
