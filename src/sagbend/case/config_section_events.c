// The sections scenario and events.
#include "sagbend/case/config_sections.h"

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

static const struct key_def KEYS[] = {
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
    {"events[].when.quantity", AS_WORD, .word_at = quantity_shown_name, .word_count = STATE_QUANTITY_COUNT,
     WORD_IN(event_draft, quantity),
     .doc = "Output quantity of the condition, evaluated in every step (docs/outputs.md)."},
    {"events[].when.above", AS_NUMBER, .optional = 1, IN(event_draft, above),
     .doc = "Threshold that the quantity must exceed. Exactly one of above and below."},
    {"events[].when.below", AS_NUMBER, .optional = 1, IN(event_draft, below),
     .doc = "Threshold below which the quantity must fall. Exactly one of above and below."},
    {"events[].when.for_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(event_draft, for_s),
     .unit = "s", .doc = "Time for which the condition must hold without interruption."},
    {"events[].duration_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(event_draft, duration_s),
     .unit = "s", .doc = "Duration of the event. 0: to the end of the run."},
    {"events[].fault", AS_WORD, .word_at = fault_word, .word_count = FAULT_COUNT, WORD_IN(event_draft, fault),
     .doc = "Fault kind (docs/scenarios.md lists the kinds and their parameters)."},
    {"events[].target", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN(event_draft, target),
     .doc = "Name of the instrument, thruster or bus that fails; all: every one of them. Faults of commands, "
            "sensor messages and the tensioner need no target."},
    FAULT_PARAMETER_TABLE(PARAMETER_KEY)};

int find_event(const struct config_draft *draft, const char *name, int count) {
  for (int i = 0; i < count; i++)
    if (!strcmp(draft->events[i].name, name))
      return i;
  return -1;
}

void check_quantity(const struct check *c, const char *path, int quantity) {
  enum controller_kind controller = c->draft->out.sim.controller;

  if (quantity_needs_pipe((enum quantity)quantity) && !given(c, "pipe"))
    report(c, path, "a quantity that needs no pipe expected where there is no pipe");
  else if (quantity_needs_code_check((enum quantity)quantity) && !given(c, "pipe.code_check"))
    report(c, path, "a quantity that needs no code check expected where pipe.code_check is not given");
  else if ((quantity_table[quantity].group == GROUP_TENSIONER || quantity == QUANTITY_PAYOUT_OVER_WAY) &&
           !given(c, "pipe.payout") && !given(c, "pipe.tensioner"))
    report(c, path, "another quantity expected where there is no pipe.payout or pipe.tensioner");
  else if (quantity_table[quantity].group == GROUP_ORDERED_TENSIONER && !given(c, "pipe.tensioner"))
    report(c, path, "another quantity expected where there is no pipe.tensioner");
  else if (quantity_table[quantity].group == GROUP_ROUTE && !given(c, "controller.dp_file"))
    report(c, path, "another quantity expected where no controller.dp_file gives a route");
  else if (quantity_table[quantity].group == GROUP_RETIRING && !given(c, "pipe.retire"))
    report(c, path, "another quantity expected where there is no pipe.retire");
  else if (quantity_table[quantity].group == GROUP_STINGER && !given(c, "pipe.stinger"))
    report(c, path, "another quantity expected where there is no pipe.stinger");
  else if (quantity_table[quantity].group == GROUP_SOIL && !given(c, "environment.soil"))
    report(c, path, "another quantity expected where there is no environment.soil");
  else if (quantity_table[quantity].group == GROUP_FATIGUE && !given(c, "pipe.fatigue"))
    report(c, path, "another quantity expected where there is no pipe.fatigue");
  else if (quantity_table[quantity].group == GROUP_LINK && controller != CONTROLLER_EXTERNAL)
    report(c, path,
           "another quantity expected where no controller is outside (controller.kind is not external)");
  if (quantity == QUANTITY_COMMAND_AGE &&
      (controller == CONTROLLER_NONE || controller == CONTROLLER_CONTINUOUS))
    report(c, path, "another quantity expected where the controller sends no commands");
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
    report(c, after.text, "the name of an earlier event in the list expected");
  if (has_when)
    check_condition(c, index);
  if (fault_of(c, names, index, &fault, key, &why) != STATUS_OK)
    report_text(c, key_path("events.%d%s%s", index, *key ? "." : "", key).text, why.text);
}

static void check_events(const struct check *c) {
  const struct config *draft = &c->draft->out;
  struct hil_names names;

  config_hil_names(draft, &names);
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
  config_hil_names(out, &scenario->names);
  for (int i = 0; i < scenario->event_count; i++)
    resolve_event(c, &scenario->names, i, &scenario->event[i]);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section EVENTS_SECTION = {GROUPS, 1, check_events, resolve_events, NULL};
