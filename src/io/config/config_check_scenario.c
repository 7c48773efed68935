#include "io/config/config_scenario.h"

#include <math.h>
#include <string.h>

struct checking {
  const struct node *root;
  struct config_draft *draft;
  struct error_list *errors;
};

const char *fault_word(int kind) {
  return fault_name((enum fault_kind)kind);
}

// Of an item: "events", 3, "when.above". NULL: not given, or as null.
static const struct node *given(const struct checking *c, const char *list, int index, const char *key) {
  char path[128];
  snprintf(path, sizeof path, "%s.%d.%s", list, index, key);
  const struct node *n = tree_find(c->root, path);
  return n && !node_is_null(n) ? n : NULL;
}

// At a key's value, or at the item where the key is missing.
static void report(const struct checking *c, const char *list, int index, const char *key, const char *text) {
  const struct node *n = *key ? given(c, list, index, key) : NULL;
  char path[128];
  snprintf(path, sizeof path, "%s.%d", list, index);
  const struct node *item = tree_find(c->root, path);
  error_add(c->errors, n ? n->at : item->at, "%s%s%s: %s", path, *key ? "." : "", key, text);
}

static int item_is_good(const struct checking *c, const char *list, int index) {
  char path[64];
  snprintf(path, sizeof path, "%s.%d", list, index);
  const struct node *n = tree_find(c->root, path);
  for (const struct node *k = n ? n->first : NULL; k; k = k->next)
    if (k->bad)
      return 0;
  const struct node *when = given(c, list, index, "when");
  for (const struct node *k = when ? when->first : NULL; k; k = k->next)
    if (k->bad)
      return 0;
  return n && !n->bad && (!when || !when->bad);
}

// Index of the event of that name among the first count; -1 after an error.
static int event_named(const struct checking *c, const char *list, int index, const char *name, int count) {
  for (int i = 0; i < count; i++)
    if (!strcmp(c->draft->events[i].name, name))
      return i;
  report(c, list, index, "after",
         !strcmp(list, "events") ? "the name of an event above it in the list expected"
                                 : "the name of an event expected");
  return -1;
}

static void check_unique(const struct checking *c, const char *list, int index, const char *name,
                         const char *names, size_t item_size) {
  for (int i = 0; i < index; i++)
    if (!strcmp(names + (size_t)i * item_size, name)) {
      report(c, list, index, "name", "another name expected, there is one of this name above");
      return;
    }
}

static void check_quantity(const struct checking *c, const char *list, int index, const char *key,
                           int quantity) {
  const struct config *out = &c->draft->out;
  const struct node *pipe = tree_find(c->root, "pipe");
  if (quantity_needs_pipe((enum quantity)quantity) && (!pipe || node_is_null(pipe)))
    report(c, list, index, key, "a quantity that needs no pipe expected, there is none");
  if (quantity == QUANTITY_COMMAND_AGE &&
      (out->sim.controller == CONTROLLER_NONE || out->sim.controller == CONTROLLER_CONTINUOUS))
    report(c, list, index, key, "another quantity expected, the controller sends no commands");
}

static void request_of(const struct checking *c, int index, struct fault_request *q) {
  const struct event_draft *d = &c->draft->events[index];
  char path[64];
  snprintf(path, sizeof path, "events.%d", index);
  memset(q, 0, sizeof *q);
  snprintf(q->kind, sizeof q->kind, "%s", fault_name((enum fault_kind)d->fault));
  memcpy(q->target, d->target, sizeof q->target);
  for (const struct node *n = tree_find(c->root, path)->first; n; n = n->next) {
    int id = fault_parameter_find(n->key);
    if (id < 0 || node_is_null(n) || q->parameter_count > FAULT_PARAMETERS)
      continue;
    struct fault_parameter_given *p = &q->parameter[q->parameter_count++];
    snprintf(p->name, sizeof p->name, "%s", n->key);
    p->number = d->parameter[id].number;
    p->is_text = IS_A_NAME(id);
    memcpy(p->text, d->parameter[id].text, sizeof p->text);
  }
}

static void check_fault(const struct checking *c, int index, struct fault *out) {
  struct fault_request q;
  struct reason why = {""};
  int where;
  request_of(c, index, &q);
  if (fault_from_request(&c->draft->out.scenario.names, &q, out, &where, &why) == STATUS_OK)
    return;
  report(c, "events", index,
         where >= FAULT_WRONG_PARAMETER ? q.parameter[where].name
         : where == FAULT_WRONG_TARGET  ? "target"
         : where == FAULT_WRONG_KIND    ? "fault"
                                        : "",
         why.text);
}

static void check_event(const struct checking *c, int i) {
  const struct event_draft *d = &c->draft->events[i];
  struct event_def *e = &c->draft->out.scenario.event[i];
  int has_when = given(c, "events", i, "when") != NULL, has_after = given(c, "events", i, "after") != NULL;
  *e = (struct event_def){
      .at_s = d->at_s, .after = -1, .has_condition = has_when, .duration_s = d->duration_s};
  memcpy(e->name, d->name, sizeof e->name);
  check_unique(c, "events", i, d->name, c->draft->events[0].name, sizeof *d);
  if (!has_when && !has_after && !given(c, "events", i, "at_s"))
    report(c, "events", i, "", "at least one of at_s, after and when expected, got none");
  if (has_after)
    e->after = event_named(c, "events", i, d->after, i);
  if (has_when) {
    int above = given(c, "events", i, "when.above") != NULL,
        below = given(c, "events", i, "when.below") != NULL;
    if (above == below)
      report(c, "events", i, "when",
             above ? "exactly one of above and below expected, got both"
                   : "exactly one of above and below expected, got neither");
    e->when = (struct condition){(enum quantity)d->quantity, above, above ? d->above : d->below, d->for_s};
    check_quantity(c, "events", i, "when.quantity", d->quantity);
  }
  check_fault(c, i, &e->fault);
}

static void check_verdict(const struct checking *c, int i) {
  const struct verdict_draft *d = &c->draft->verdicts[i];
  struct verdict_def *v = &c->draft->out.scenario.verdict[i];
  int within = given(c, "verdicts", i, "within") != NULL, below = given(c, "verdicts", i, "below") != NULL,
      above = given(c, "verdicts", i, "above") != NULL;
  *v = (struct verdict_def){.quantity = (enum quantity)d->quantity,
                            .low = within  ? d->within[0]
                                   : above ? d->above
                                           : -(double)INFINITY,
                            .high = within  ? d->within[1]
                                    : below ? d->below
                                            : (double)INFINITY,
                            .from_s = d->from_s,
                            .to_s = d->to_s,
                            .after = -1,
                            .grace_s = d->grace_s,
                            .expect_violated = d->expect_violated};
  memcpy(v->name, d->name, sizeof v->name);
  check_unique(c, "verdicts", i, d->name, c->draft->verdicts[0].name, sizeof *d);
  if (within + below + above != 1)
    report(c, "verdicts", i, "",
           within + below + above ? "exactly one of within, below and above expected, got more"
                                  : "exactly one of within, below and above expected, got none");
  if (within && !(d->within[0] < d->within[1]))
    report(c, "verdicts", i, "within", "the smaller number first expected");
  if (d->to_s > 0 && !(d->to_s > d->from_s))
    report(c, "verdicts", i, "to_s", "a time after from_s expected, or 0 for the end");
  if (given(c, "verdicts", i, "after"))
    v->after = event_named(c, "verdicts", i, d->after, c->draft->out.scenario.event_count);
  check_quantity(c, "verdicts", i, "quantity", d->quantity);
}

static void take_names(const struct config *c, struct hil_names *names) {
  const struct instruments_def *all = &c->suite.instruments;
  memset(names, 0, sizeof *names);
  names->instrument_count = all->count;
  for (int i = 0; i < all->count; i++) {
    memcpy(names->instrument[i], all->instrument[i].name, sizeof names->instrument[i]);
    names->instrument_kind[i] = all->instrument[i].kind;
  }
  const struct plant_def *plant = &c->sim.vessel.plant;
  names->thruster_count = plant->thruster_count;
  names->bus_count = plant->bus_count;
  for (int i = 0; i < plant->thruster_count; i++) {
    memcpy(names->thruster[i], plant->thruster[i].name, SIGNAL_NAME);
    names->full_rpm[i] = plant->thruster[i].revolutions_max_rpm;
    names->is_tunnel[i] = plant->thruster[i].kind == THRUSTER_TUNNEL;
  }
  for (int i = 0; i < plant->bus_count; i++)
    memcpy(names->bus[i], plant->bus[i].name, SIGNAL_NAME);
}

void config_check_scenario(const struct node *root, struct config_draft *draft, struct error_list *errors) {
  struct checking c = {root, draft, errors};
  struct scenario_def *def = &draft->out.scenario;
  def->step_s = draft->out.sim.step_s;
  def->seed = (uint64_t)draft->scenario_seed;
  def->controller_inside = draft->out.sim.controller == CONTROLLER_CONTINUOUS;
  take_names(&draft->out, &def->names);
  for (int i = 0; i < def->event_count && i < MAX_EVENTS; i++)
    if (item_is_good(&c, "events", i))
      check_event(&c, i);
  for (int i = 0; i < def->verdict_count && i < MAX_VERDICTS; i++)
    if (item_is_good(&c, "verdicts", i))
      check_verdict(&c, i);
}
