#include "io/config/config_instruments.h"

#include <string.h>

static const double RADIANS_PER_DEGREE = 3.14159265358979323846 / 180.0;

struct checking {
  const struct node *root;
  struct error_list *errors;
};

// The node of instruments.i.key, given or NULL.
static const struct node *node_at(const struct checking *c, int i, const char *key) {
  char path[96];
  snprintf(path, sizeof path, "instruments.%d%s%s", i, *key ? "." : "", key);
  return tree_find(c->root, path);
}

static int readable(const struct checking *c, int i, const char *key) {
  const struct node *n = node_at(c, i, key);
  return n && !n->bad;
}

static void refuse(const struct checking *c, int i, const char *key, const char *expected) {
  const struct node *n = node_at(c, i, key);
  if (n)
    error_add(c->errors, n->at, "%s: %s", node_path(n).text, expected);
  else if ((n = node_at(c, i, "")))
    error_add(c->errors, n->at, "%s.%s: %s", node_path(n).text, key, expected);
}

static void check_name(const struct checking *c, const struct instruments_def *all, int i) {
  const char *name = all->instrument[i].name;
  if (!readable(c, i, "name"))
    return;
  for (const char *at = name; *at; at++)
    if (*at < 0x21 || *at > 0x7e) {
      refuse(c, i, "name", "printable ASCII without spaces expected");
      return;
    }
  if (!strcmp(name, "all") || !strcmp(name, "thrusters"))
    refuse(c, i, "name", "another name than all and thrusters expected, which stand for what there is");
  for (int other = 0; other < i; other++)
    if (!strcmp(all->instrument[other].name, name)) {
      refuse(c, i, "name", "a name that no other instrument has expected");
      return;
    }
}

static void check_rate(const struct checking *c, const struct instrument_def *d, int i, double step_s) {
  char text[160];
  if (!readable(c, i, "rate_hz") || !(step_s > 0) || instrument_rate_fits(d->rate_hz, step_s))
    return;
  snprintf(text, sizeof text, "at most one telegram in a step of %g s expected, %.9g Hz, got %g Hz", step_s,
           1 / step_s, d->rate_hz);
  refuse(c, i, "rate_hz", text);
}

static void list_quantities(enum instrument kind, char *out, size_t size) {
  const struct instrument_quantity *q;
  int used = 0;
  for (int i = 0; (q = instrument_quantity(kind, i)); i++)
    used += snprintf(out + used, size - (size_t)used, "%s%s", i ? ", " : "", q->name);
}

static void to_radians(struct instrument_error *e) {
  double *const numbers[] = {&e->white,       &e->markov,  &e->walk, &e->bias,
                             &e->bias_random, &e->quantum, &e->range};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    *numbers[i] *= RADIANS_PER_DEGREE;
}

static void check_error(const struct checking *c, struct instrument_def *d, int i, int k) {
  struct instrument_error *e = &d->error[k];
  char key[48];
  snprintf(key, sizeof key, "errors.%d.quantity", k);
  if (!readable(c, i, key))
    return;
  const struct instrument_quantity *q = NULL;
  for (int n = 0; (q = instrument_quantity(d->kind, n)) && strcmp(q->name, e->quantity) != 0; n++)
    ;
  if (!q) {
    char known[96], text[192];
    list_quantities(d->kind, known, sizeof known);
    snprintf(text, sizeof text, "a quantity of a %s expected: %s", instrument_name(d->kind), known);
    refuse(c, i, key, text);
    return;
  }
  for (int other = 0; other < k; other++)
    if (!strcmp(d->error[other].quantity, e->quantity)) {
      refuse(c, i, key, "a quantity that is not in the list before expected");
      return;
    }
  e->channels = q->channels;
  if (instrument_quantity_in_degrees(q))
    to_radians(e);
  snprintf(key, sizeof key, "errors.%d.markov_time_s", k);
  if ((e->markov > 0) != (e->markov_time_s > 0))
    refuse(c, i, key, "a time > 0 expected beside markov, and only there");
}

static int needs_pipe(enum instrument kind) {
  return kind == INSTRUMENT_LOAD_CELL || kind == INSTRUMENT_HANGOFF_ANGLE || kind == INSTRUMENT_TOUCHDOWN;
}

// The order in which the messages have them, so that a controller inside sees the same list as one outside.
static void sort_by_kind(struct instruments_def *all) {
  for (int i = 1; i < all->count; i++) {
    struct instrument_def moved = all->instrument[i];
    int k = i;
    for (; k > 0 && all->instrument[k - 1].kind > moved.kind; k--)
      all->instrument[k] = all->instrument[k - 1];
    all->instrument[k] = moved;
  }
}

void config_check_instruments(const struct node *root, struct config_draft *draft,
                              struct error_list *errors) {
  struct checking c = {root, errors};
  struct instruments_def *all = &draft->out.suite.instruments;
  const struct node *step = tree_find(root, "simulation.step_s"), *pipe = tree_find(root, "pipe");
  all->seed = (uint64_t)draft->rig_seed;
  for (int i = 0; i < all->count; i++) {
    struct instrument_def *d = &all->instrument[i];
    check_name(&c, all, i);
    if (!step || !step->bad)
      check_rate(&c, d, i, draft->out.sim.step_s);
    if (!readable(&c, i, "kind"))
      continue;
    int has_share = node_at(&c, i, "share") != NULL;
    if (has_share && d->kind != INSTRUMENT_LOAD_CELL)
      refuse(&c, i, "share", "only expected of a load_cell");
    if (!has_share)
      d->share = 1;
    if (needs_pipe(d->kind) && (!pipe || node_is_null(pipe)))
      refuse(&c, i, "kind", "no such instrument expected where there is no pipe");
    for (int k = 0; k < d->error_count; k++)
      check_error(&c, d, i, k);
  }
  if (errors->count == 0)
    sort_by_kind(all);
}
