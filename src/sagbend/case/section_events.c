// The sections scenario and events.
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include <math.h>
#include <string.h>

static const char *fault_word(int kind) {
  return fault_name((enum fault_kind)kind);
}

// Parameters of faults: a name of something, or a number.
#define IS_A_NAME(id) ((id) == PARAMETER_OF_INSTRUMENT || (id) == PARAMETER_WITH_THRUSTER)
#define PARAMETER_PLACE(id)                                                                                  \
  (IS_A_NAME(id) ? offsetof(struct event_draft, parameter[id].text)                                          \
                 : offsetof(struct event_draft, parameter[id].number))
#define PARAMETER_KEY(id, key, low_, high_, fallback_, help)                                                 \
  {"events[]." key,                                                                                          \
   IS_A_NAME(id) ? AS_TEXT : AS_NUMBER,                                                                      \
   .size = IS_A_NAME(id) ? SIGNAL_NAME : 0,                                                                  \
   .range = LIMITED,                                                                                         \
   .low = low_,                                                                                              \
   .high = high_,                                                                                            \
   .optional = 1,                                                                                            \
   .offset = PARAMETER_PLACE(id),                                                                            \
   .doc = "Fault parameter: " help "."},

static const struct key_def EVENTS_KEYS[] = {
    {"scenario", AS_SECTION, .optional = 1, .doc = "Settings shared by all events and verdicts."},
    {"scenario.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1",
     AT(scenario_seed), .doc = "Seed of random losses and delays of commands and sensor messages."},
    {"events", AS_ITEMS, .size = MAX_EVENTS, .optional = 1,
     ITEMS_IN(config_draft, events, event_draft, out.scenario.event_count),
     .doc = "Fault events that begin at a time or when a condition holds."},
    {"events[].name", AS_TEXT, .size = SIGNAL_NAME, IN(event_draft, name),
     .doc = "Unique name of the event in messages and other events."},
    {"events[].at_s", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, IN(event_draft, at_s), .unit = "s",
     .doc = "Simulated time at which the event begins. With after: time since that event began. With when: "
            "the earliest time."},
    {"events[].after", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(event_draft, after),
     .doc = "Name of an earlier event in the list from whose beginning at_s counts."},
    {"events[].when", AS_SECTION, .optional = 1,
     .doc = "Condition that starts the event as soon as it holds. An event has at least one of at_s, after "
            "and when."},
    {"events[].when.quantity", AS_WORD, .words_were = FORMER_OUTPUT, .word_at = quantity_shown_name,
     .word_count = STATE_QUANTITY_COUNT, .listed_in = "'sagbend outputs'", WORD_IN(event_draft, quantity),
     .doc = "Output quantity of the condition, evaluated in every step (docs/outputs.md)."},
    {"events[].when.above", AS_NUMBER, .optional = 1, IN(event_draft, above),
     .doc = "Threshold that the quantity must exceed. Exactly one of above and below."},
    {"events[].when.below", AS_NUMBER, .optional = 1, IN(event_draft, below),
     .doc = "Threshold below which the quantity must fall. Exactly one of above and below."},
    {"events[].when.for_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(event_draft, for_s),
     .unit = "s", .doc = "Time for which the condition must hold without interruption."},
    {"events[].duration_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(event_draft, duration_s),
     .unit = "s", .doc = "Duration of the event. 0: to the end of the run."},
    {"events[].fault", AS_WORD, .words_were = FORMER_FAULT, .word_at = fault_word, .word_count = FAULT_COUNT,
     WORD_IN(event_draft, fault),
     .doc = "Fault kind (docs/scenarios.md lists the kinds and their parameters)."},
    {"events[].target", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(event_draft, target),
     .doc = "Name of the instrument, thruster or bus that fails; all: every one of them. Faults of commands, "
            "sensor messages and the tensioner need no target."},
    FAULT_PARAMETER_TABLE(PARAMETER_KEY)};

// Index of the event of that name among the first count, -1 if there is none.
static int find_event(const struct config_draft *draft, const char *name, int count) {
  for (int i = 0; i < count; i++)
    if (!strcmp(draft->events[i].name, name))
      return i;
  return -1;
}

static struct nearest_hint event_hint(const struct config_draft *draft, const char *name, int count) {
  struct nearest nearest = nearest_to(name);
  for (int i = 0; i < count; i++)
    nearest_try(&nearest, draft->events[i].name);
  return nearest_hint(&nearest);
}

// What the quantities of a group need; other NULL: nothing in place of key.
static const struct group_need {
  enum quantity_group group;
  const char *key, *other, *text;
} NEEDS[] = {
    {GROUP_TENSIONER, "pipe.payout", "pipe.tensioner", "pipe.payout or pipe.tensioner"},
    {GROUP_ORDERED_TENSIONER, "pipe.tensioner", NULL, "pipe.tensioner"},
    {GROUP_ROUTE, "controller.dp_file", NULL, "a route in controller.dp_file"},
    {GROUP_RETIRING, "pipe.retire", NULL, "pipe.retire"},
    {GROUP_STINGER, "pipe.stinger", NULL, "pipe.stinger"},
    {GROUP_SOIL, "environment.soil", NULL, "environment.soil"},
    {GROUP_FATIGUE, "pipe.fatigue", NULL, "pipe.fatigue"},
};

// What a quantity needs that the case does not have; NULL: nothing.
static const char *missing_of(const struct check *c, enum quantity quantity) {
  const enum controller_kind controller = c->draft->out.sim.controller;
  const enum quantity_group group =
      quantity == QUANTITY_PAYOUT_MINUS_DISTANCE ? GROUP_TENSIONER : quantity_table[quantity].group;
  if (quantity_needs_pipe(quantity) && !given(c, "pipe"))
    return "a pipe";
  if (quantity_needs_code_check(quantity) && !given(c, "pipe.code_check"))
    return "pipe.code_check";
  for (size_t i = 0; i < sizeof NEEDS / sizeof *NEEDS; i++)
    if (NEEDS[i].group == group && !given(c, NEEDS[i].key) && !(NEEDS[i].other && given(c, NEEDS[i].other)))
      return NEEDS[i].text;
  if (group == GROUP_LINK && controller != CONTROLLER_EXTERNAL)
    return "controller.kind external";
  if (quantity == QUANTITY_COMMAND_AGE &&
      (controller == CONTROLLER_NONE || controller == CONTROLLER_CONTINUOUS))
    return "controller.kind sampled or external";
  return NULL;
}

static void check_quantity(const struct check *c, const char *path, int quantity) {
  const char *missing = missing_of(c, (enum quantity)quantity);
  if (missing)
    report_text(c, path, key_path("%s needs %s", quantity_shown_name(quantity), missing).text);
}

static void take_parameters(const struct check *c, int index, struct fault_request *request) {
  const struct event_draft *event = &c->draft->events[index];
  const struct node *item = tree_find(c->root, key_path("events.%d", index).text);

  for (const struct node *n = item->first; n; n = n->next) {
    int id = fault_parameter_find(n->key);
    if (id < 0 || node_is_null(n) || request->parameter_count > FAULT_PARAMETERS)
      continue;

    struct fault_parameter_given *parameter = &request->parameter[request->parameter_count++];
    snprintf(parameter->name, sizeof parameter->name, "%s", n->key);
    parameter->number = event->parameter[id].number;
    parameter->is_text = IS_A_NAME(id);
    memcpy(parameter->text, event->parameter[id].text, sizeof parameter->text);
  }
}

// Returns the key at fault in *key, "" for the event itself, with a status other than STATUS_OK.
static enum status fault_of(const struct check *c, const struct hil_names *names, int index,
                            struct fault *out, char key[SIGNAL_NAME], struct reason *why) {
  const struct event_draft *event = &c->draft->events[index];
  struct fault_request request;
  int where;

  memset(&request, 0, sizeof request);
  snprintf(request.kind, sizeof request.kind, "%s", fault_name((enum fault_kind)event->fault));
  memcpy(request.target, event->target, sizeof request.target);
  take_parameters(c, index, &request);

  enum status status = fault_from_request(names, &request, out, &where, why);
  const char *at = status == STATUS_OK              ? ""
                   : where >= FAULT_WRONG_PARAMETER ? request.parameter[where].name
                   : where == FAULT_WRONG_TARGET    ? "target"
                   : where == FAULT_WRONG_KIND      ? "fault"
                                                    : "";
  snprintf(key, SIGNAL_NAME, "%s", at);
  return status;
}

static void check_condition(const struct check *c, int index) {
  check_one_of(c, key_path("events.%d.when", index).text, "above", "below");
  check_quantity(c, key_path("events.%d.when.quantity", index).text, c->draft->events[index].quantity);
}

static void check_event(const struct check *c, const struct hil_names *names, int index) {
  const struct event_draft *events = c->draft->events;
  struct key_path item = key_path("events.%d", index), after = key_path("events.%d.after", index);
  int has_when = given(c, key_path("events.%d.when", index).text) != NULL;
  int has_after = given(c, after.text) != NULL;
  char key[SIGNAL_NAME];
  struct reason why = {""};
  struct fault fault;

  check_unique(c, "events", index, events[0].name, sizeof events[0]);
  if (!has_when && !has_after && !given(c, key_path("events.%d.at_s", index).text))
    report_found(c, item.text, "none", "at least one of at_s, after and when expected");
  if (has_after && find_event(c->draft, events[index].after, index) < 0)
    report(c, after.text, "the name of an earlier event in the list expected%s",
           event_hint(c->draft, events[index].after, index).text);
  if (has_when)
    check_condition(c, index);
  if (fault_of(c, names, index, &fault, key, &why) != STATUS_OK)
    report_text(c, key_path("events.%d%s%s", index, *key ? "." : "", key).text, why.text);
}

// Networks belong to a session, whose keys the model does not read.
static void names_of_faults(const struct check *c, const struct config *config, struct hil_names *out) {
  config_hil_names(config, out);
  out->has_network_b = given(c, "network.command_endpoint_b") || given(c, "nmea.network.interface_b") ||
                       given(c, "modbus.endpoint_b");
}

static void check_events(const struct check *c) {
  const struct config *draft = &c->draft->out;
  struct hil_names names;

  names_of_faults(c, draft, &names);
  for (int i = 0; i < draft->scenario.event_count && i < MAX_EVENTS; i++)
    if (is_item_readable(c, "events", i))
      check_event(c, &names, i);
}

static void resolve_event(const struct check *c, const struct hil_names *names, int index,
                          struct event_def *out) {
  const struct event_draft *event = &c->draft->events[index];
  int above = given(c, key_path("events.%d.when.above", index).text) != NULL;
  char key[SIGNAL_NAME];
  struct reason why;

  *out = (struct event_def){.at_s = event->at_s, .after = -1, .duration_s = event->duration_s};
  memcpy(out->name, event->name, sizeof out->name);
  if (given(c, key_path("events.%d.after", index).text))
    out->after = find_event(c->draft, event->after, index);
  if (given(c, key_path("events.%d.when", index).text)) {
    out->has_condition = 1;
    out->when = (struct condition){(enum quantity)event->quantity, above, above ? event->above : event->below,
                                   event->for_s};
  }
  fault_of(c, names, index, &out->fault, key, &why);
}

// After the instruments, whose order the indices of faults follow.
static void resolve_events(const struct check *c, struct config *out) {
  struct scenario_def *scenario = &out->scenario;

  scenario->step_s = out->sim.step_s;
  scenario->seed = (uint64_t)c->draft->scenario_seed;
  scenario->controller_inside = out->sim.controller == CONTROLLER_CONTINUOUS;
  scenario->controller_outside = out->sim.controller == CONTROLLER_EXTERNAL;
  names_of_faults(c, out, &scenario->names);
  for (int i = 0; i < scenario->event_count; i++)
    resolve_event(c, &scenario->names, i, &scenario->event[i]);
}

static const struct key_rows EVENTS_ROWS = KEY_ROWS(EVENTS_KEYS);
static const struct key_group EVENTS_GROUPS[] = {{.rows = &EVENTS_ROWS, .prefix = ""}};
const struct config_section EVENTS_SECTION = {EVENTS_GROUPS, 1, check_events, resolve_events, NULL};

// ------------------------------------------------------------
// The section verdicts.

static const struct key_def VERDICTS_KEYS[] = {
    {"verdicts", AS_ITEMS, .size = MAX_VERDICTS, .optional = 1,
     ITEMS_IN(config_draft, verdicts, verdict_draft, out.scenario.verdict_count),
     .doc = "Verdicts: requirements that are evaluated in every step and decide the exit status."},
    {"verdicts[].name", AS_TEXT, .size = SIGNAL_NAME, IN(verdict_draft, name),
     .doc = "Unique name of the verdict in summaries."},
    {"verdicts[].quantity", AS_WORD, .words_were = FORMER_OUTPUT, .word_at = quantity_shown_name,
     .word_count = QUANTITY_COUNT, .listed_in = "'sagbend outputs'", .optional = 1,
     WORD_IN(verdict_draft, quantity),
     .doc = "Output quantity of the requirement (docs/outputs.md). Exactly one of quantity and alarm."},
    {"verdicts[].alarm", AS_SECTION | AS_WORD, .optional = 1, .words = {"none"}, .word_first = 1,
     WORD_IN(verdict_draft, alarm_is_none),
     .doc = "Alarm of the controller that must come within within_s. none: no alarm may be active."},
    {"verdicts[].alarm.sources", AS_ANY, .optional = 1,
     .doc = "List of 1 to 8 names of instruments, thrusters and buses or other sources of alarms "
            "(docs/protocol.md); one of them must raise the alarm. Absent: any."},
    {"verdicts[].alarm.kinds", AS_ANY, .optional = 1,
     .doc = "List of the kinds of alarm that count, such as rejected and frozen (docs/protocol.md). Absent: "
            "any."},
    {"verdicts[].within_s", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(verdict_draft, alarm_within_s),
     .unit = "s",
     .doc = "Time until which the alarm must come, since the start or since the event of after. It is that "
            "of the Sensors that the command with the alarm answers."},
    {"verdicts[].within", AS_VECTOR, .size = 2, .optional = 1, IN(verdict_draft, within),
     .doc = "Smallest and largest allowed value. Exactly one of within, below and above."},
    {"verdicts[].below", AS_NUMBER, .optional = 1, IN(verdict_draft, below),
     .doc = "Largest allowed value. Exactly one of within, below and above."},
    {"verdicts[].above", AS_NUMBER, .optional = 1, IN(verdict_draft, above),
     .doc = "Smallest allowed value. Exactly one of within, below and above."},
    {"verdicts[].from_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, from_s),
     .unit = "s",
     .doc = "Simulated time from which the requirement applies. With after: time since that event began."},
    {"verdicts[].to_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, to_s),
     .unit = "s", .doc = "Simulated time until which the requirement applies. 0: to the end of the run."},
    {"verdicts[].after", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(verdict_draft, after),
     .doc = "Name of the event from whose beginning from_s and to_s count."},
    {"verdicts[].mean_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, mean_s),
     .unit = "s",
     .doc = "Judges the first-order mean of the quantity with this time constant, which takes wave motion "
            "away. 0: the quantity itself. Not for alarms."},
    {"verdicts[].for_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(verdict_draft, grace_s),
     .unit = "s", .doc = "Grace time: an excursion shorter than this is no violation."},
    {"verdicts[].expect", AS_WORD, .fallback = "held", .words = {"held", "violated"},
     WORD_IN(verdict_draft, expect_violated),
     .doc = "Expected result. held: the verdict passes if the requirement holds. violated: it passes if the "
            "requirement is violated."},
};

static int is_given(const struct check *c, int index, const char *key) {
  return given(c, key_path("verdicts.%d.%s", index, key).text) != NULL;
}

// Whether a list of 1 to most words; reports it otherwise.
static const struct node *words_of(const struct check *c, const char *path, int most, const char *what) {
  const struct node *list = given(c, path);
  if (!list)
    return NULL;
  int good = list->kind == NODE_LIST && list->count >= 1 && list->count <= most;
  if (!good)
    report(c, path, "a list of 1 to %d %s expected", most, what);
  return good ? list->first : NULL;
}

static int kind_of(const struct node *node) {
  int kind = 0;
  while (kind < ALARM_KIND_COUNT &&
         (node->kind != NODE_SCALAR || strcmp(dp_alarm_kind_name(kind), node->text) != 0))
    kind++;
  return kind;
}

static struct nearest_hint source_hint(const struct hil_names *names, const struct node *node) {
  struct nearest nearest = nearest_to(node->kind == NODE_SCALAR ? node->text : "");
  for (int i = 0; dp_alarm_source_at(names, i); i++)
    nearest_try(&nearest, dp_alarm_source_at(names, i));
  return nearest_hint(&nearest);
}

static struct nearest_hint kind_hint(const struct node *node) {
  struct nearest nearest = nearest_to(node->kind == NODE_SCALAR ? node->text : "");
  for (int kind = 0; kind < ALARM_KIND_COUNT; kind++)
    nearest_try(&nearest, dp_alarm_kind_name(kind));
  return nearest_hint(&nearest);
}

static void check_words(const struct check *c, int index) {
  struct hil_names names;
  config_hil_names(&c->draft->out, &names);
  struct key_path sources = key_path("verdicts.%d.alarm.sources", index),
                  kinds = key_path("verdicts.%d.alarm.kinds", index);
  for (const struct node *n = words_of(c, sources.text, MAX_ALARM_SOURCES, "names"); n; n = n->next)
    if (n->kind != NODE_SCALAR || !dp_alarm_source_is_known(&names, n->text))
      report(c, key_path("%s.%d", sources.text, n->index).text,
             "the name of an instrument, thruster or bus, or a word of docs/protocol.md such as controller, "
             "expected%s",
             source_hint(&names, n).text);
  for (const struct node *n = words_of(c, kinds.text, ALARM_KIND_COUNT, "kinds of alarm"); n; n = n->next)
    if (kind_of(n) == ALARM_KIND_COUNT)
      report(c, key_path("%s.%d", kinds.text, n->index).text,
             "a kind of alarm of docs/protocol.md, such as lost or rejected, expected%s", kind_hint(n).text);
}

// What a verdict of an alarm has beside its name, and what it cannot have.
static void check_alarm(const struct check *c, int index) {
  static const char *const OTHERS[] = {"within", "below", "above", "mean_s", "for_s", "expect"};
  const struct verdict_draft *verdict = &c->draft->verdicts[index];
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
    if (is_given(c, index, OTHERS[i]))
      report(c, key_path("verdicts.%d.%s", index, OTHERS[i]).text, "is not allowed with alarm");
  if (c->draft->out.sim.controller == CONTROLLER_NONE ||
      c->draft->out.sim.controller == CONTROLLER_CONTINUOUS)
    report(c, key_path("verdicts.%d.alarm", index).text,
           "needs controller.kind sampled or external, which gives alarms");
  if (verdict->alarm_is_none) {
    if (is_given(c, index, "within_s"))
      report(c, key_path("verdicts.%d.within_s", index).text,
             "is not allowed with 'alarm: none': give from_s and to_s");
    return;
  }
  check_words(c, index);
  if (!is_given(c, index, "within_s"))
    report_found(c, key_path("verdicts.%d", index).text, "none", "needs within_s beside alarm");
  else if (!(verdict->alarm_within_s > verdict->from_s))
    report(c, key_path("verdicts.%d.within_s", index).text, "a time after from_s expected");
  if (is_given(c, index, "to_s"))
    report(c, key_path("verdicts.%d.to_s", index).text, "is not allowed with alarm: give within_s");
}

static void check_bounds(const struct check *c, int index) {
  const struct verdict_draft *verdict = &c->draft->verdicts[index];
  int limits = is_given(c, index, "within") + is_given(c, index, "below") + is_given(c, index, "above");
  if (limits != 1)
    report_found(c, key_path("verdicts.%d", index).text, limits ? "several" : "none",
                 "exactly one of within, below and above expected");
  if (is_given(c, index, "within") && !(verdict->within[0] < verdict->within[1]))
    report_found(c, key_path("verdicts.%d.within", index).text,
                 verdict->within[0] > verdict->within[1] ? "the larger one first" : "two equal numbers",
                 "the smaller and then the larger number expected");
  if (is_given(c, index, "within_s"))
    report(c, key_path("verdicts.%d.within_s", index).text, "is not allowed with quantity: give to_s");
  check_quantity(c, key_path("verdicts.%d.quantity", index).text, verdict->quantity);
}

static void check_verdict(const struct check *c, int index) {
  const struct verdict_draft *verdicts = c->draft->verdicts, *verdict = &verdicts[index];
  int is_of_alarm = is_given(c, index, "alarm"), is_of_quantity = is_given(c, index, "quantity");

  check_unique(c, "verdicts", index, verdicts[0].name, sizeof verdicts[0]);
  if (is_of_alarm == is_of_quantity)
    report_found(c, key_path("verdicts.%d", index).text, is_of_alarm ? "both" : "none",
                 "exactly one of quantity and alarm expected");
  else if (is_of_alarm)
    check_alarm(c, index);
  else
    check_bounds(c, index);
  if (verdict->to_s > 0 && !(verdict->to_s > verdict->from_s))
    report(c, key_path("verdicts.%d.to_s", index).text, "a time after from_s, or 0 for the end, expected");
  if (is_given(c, index, "after") &&
      find_event(c->draft, verdict->after, c->draft->out.scenario.event_count) < 0)
    report(c, key_path("verdicts.%d.after", index).text, "the name of an event expected%s",
           event_hint(c->draft, verdict->after, c->draft->out.scenario.event_count).text);
}

static void check_verdicts(const struct check *c) {
  for (int i = 0; i < c->draft->out.scenario.verdict_count && i < MAX_VERDICTS; i++)
    if (is_item_readable(c, "verdicts", i))
      check_verdict(c, i);
}

// The alarm that must come is one that goes beyond the bound of no alarm. A command with it may be as old as
// commands may be.
static void resolve_alarm(const struct check *c, const struct verdict_draft *draft, int index,
                          struct verdict_def *out) {
  struct alarm_filter *filter = &out->alarm;
  const struct node *sources = given(c, key_path("verdicts.%d.alarm.sources", index).text),
                    *kinds = given(c, key_path("verdicts.%d.alarm.kinds", index).text);
  filter->is_used = 1;
  out->quantity = QUANTITY_ALARMS_ACTIVE;
  out->high = 0;
  if (draft->alarm_is_none)
    return;
  out->expect_violated = 1;
  filter->within_s = draft->alarm_within_s;
  out->to_s = draft->alarm_within_s + c->draft->out.net.command_max_age_s;
  for (const struct node *n = sources ? sources->first : NULL; n; n = n->next)
    memcpy(filter->source[filter->source_count++], n->text, strlen(n->text) + 1);
  for (const struct node *n = kinds ? kinds->first : NULL; n; n = n->next)
    filter->kinds |= 1u << kind_of(n);
}

static void resolve_verdicts(const struct check *c, struct config *out) {
  for (int i = 0; i < out->scenario.verdict_count; i++) {
    const struct verdict_draft *draft = &c->draft->verdicts[i];
    struct verdict_def *verdict = &out->scenario.verdict[i];

    *verdict = (struct verdict_def){.quantity = (enum quantity)draft->quantity,
                                    .low = -(double)INFINITY,
                                    .high = (double)INFINITY,
                                    .from_s = draft->from_s,
                                    .to_s = draft->to_s,
                                    .after = -1,
                                    .mean_s = draft->mean_s,
                                    .grace_s = draft->grace_s,
                                    .expect_violated = draft->expect_violated};
    memcpy(verdict->name, draft->name, sizeof verdict->name);
    if (is_given(c, i, "alarm")) {
      resolve_alarm(c, draft, i, verdict);
    } else if (is_given(c, i, "within")) {
      verdict->low = draft->within[0];
      verdict->high = draft->within[1];
    } else if (is_given(c, i, "above")) {
      verdict->low = draft->above;
    } else {
      verdict->high = draft->below;
    }
    if (is_given(c, i, "after"))
      verdict->after = find_event(c->draft, draft->after, out->scenario.event_count);
  }
}

static const struct key_rows VERDICTS_ROWS = KEY_ROWS(VERDICTS_KEYS);
static const struct key_group VERDICTS_GROUPS[] = {{.rows = &VERDICTS_ROWS, .prefix = ""}};
const struct config_section VERDICTS_SECTION = {VERDICTS_GROUPS, 1, check_verdicts, resolve_verdicts, NULL};
