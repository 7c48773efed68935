// The axes of a plan: levels, cases, limits, failures, random draws; and what it takes from the results.
#include "lab/plan/plan.h"

#include "lab/failures/failures.h"
#include "net/case/case.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- nodes of a plan -> overrides and keys ----

static char *join(const char *left, const char *between, const char *right) {
  size_t bytes = strlen(left) + strlen(between) + strlen(right) + 1;
  char *text = malloc(bytes);
  if (text)
    snprintf(text, bytes, "%s%s%s", left, between, right);
  return text;
}

// The same for a text without a node of its own.
static void plan_set_text(const struct plan_reading *r, struct plan_settings *out, const char *key,
                          const char *text, const struct node *at) {
  char *setting = join(key, "=", text), *place = plan_place(r, at);
  if (!setting || !place || !plan_settings_add(out, setting, place))
    plan_out_of_memory(r);
  free(setting);
  free(place);
}

static int is_key(const char *key) {
  for (const char *c = key; *c; c++)
    if ((unsigned char)*c <= 0x20 || *c == '=' || *c == 0x7f)
      return 0;
  return *key != '\0';
}

// Adds the overrides that give a key this value: one for each value of a section. Reports what cannot be one.
static void plan_set(const struct plan_reading *r, struct plan_settings *out, const char *key,
                     const struct node *value) {
  if (!is_key(key)) {
    error_add(r->errors, value->key_at, "%s: a key of the configuration, such as a.b, expected, got %s",
              node_path(value).text, quote(key).text);
  } else if (value->kind == NODE_MAP && value->first) {
    for (const struct node *child = value->first; child; child = child->next) {
      char *path = join(key, ".", child->key);
      if (path)
        plan_set(r, out, path, child);
      else
        plan_out_of_memory(r);
      free(path);
    }
  } else {
    char *text = node_flow_text(value);
    if (text)
      plan_set_text(r, out, key, text, value);
    else
      plan_out_of_memory(r);
    free(text);
  }
}

static int take_key(const struct plan_reading *r, const struct node *node, char **out) {
  if (node->kind != NODE_SCALAR || !is_key(node->text) || strlen(node->text) >= PLAN_NAME) {
    plan_refuse(r, node, "a key of the configuration, such as environment.wind.speed_mps,");
    return 0;
  }
  *out = strdup(node->text);
  if (!*out)
    plan_out_of_memory(r);
  return *out != NULL;
}

// Takes the keys of an entry, from key or keys. Returns their number, 0 after an error.
static int plan_take_keys(const struct plan_reading *r, const struct node *entry, char *out[PLAN_MAX_KEYS]) {
  const struct node *key = plan_given(r, entry, "key"), *keys = plan_given(r, entry, "keys"),
                    *limit = plan_given(r, entry, "limit");
  if (!key + !keys + !limit != 2) {
    error_add(r->errors, entry->at, "%s: one of key, keys and limit expected, got %s", node_path(entry).text,
              key || keys || limit ? "several" : "none");
    return 0;
  }
  if (limit)
    *(limit->kind == NODE_SCALAR ? &key : &keys) = limit;
  if (key)
    return take_key(r, key, &out[0]);
  if (keys->kind != NODE_LIST || keys->count < 1 || keys->count > PLAN_MAX_KEYS) {
    plan_refuse(r, keys, "a list of 1 to %d keys", PLAN_MAX_KEYS);
    return 0;
  }
  int taken = 0;
  for (const struct node *child = keys->first; child; child = child->next)
    if (take_key(r, child, &out[taken])) {
      taken++;
    } else {
      while (taken > 0)
        free(out[--taken]);
      return 0;
    }
  return taken;
}

void plan_read_settings(const struct plan_reading *r, const struct node *set, struct plan_settings *out) {
  if (set && set->kind != NODE_MAP)
    plan_refuse(r, set, "a section of key: value lines");
  for (const struct node *child = set && set->kind == NODE_MAP ? set->first : NULL; child;
       child = child->next)
    plan_set(r, out, child->key, child);
}

// ---- levels ----

// A position of an axis with empty cells; NULL: out of memory, which it reports.
static struct plan_level *plan_add_level(const struct plan_reading *r, struct plan_axis *axis) {
  if (axis->level_count == axis->level_capacity) {
    int capacity = axis->level_capacity ? 2 * axis->level_capacity : 8;
    struct plan_level *levels = realloc(axis->level, (size_t)capacity * sizeof *levels);
    if (!levels) {
      plan_out_of_memory(r);
      return NULL;
    }
    axis->level = levels;
    axis->level_capacity = capacity;
  }
  struct plan_level *level = &axis->level[axis->level_count];
  *level = (struct plan_level){.cell = calloc((size_t)axis->column_count, sizeof *level->cell)};
  if (!level->cell) {
    plan_out_of_memory(r);
    return NULL;
  }
  axis->level_count++;
  return level;
}

// What a column of the results shows: a plain text as it is.
static char *cell_text(const struct node *value) {
  return value->kind == NODE_SCALAR ? strdup(value->text) : node_flow_text(value);
}

static int is_list(const struct plan_reading *r, const struct node *node, const char *of) {
  if (node->kind == NODE_LIST && node->count > 0)
    return 1;
  plan_refuse(r, node, "a list of at least one %s", of);
  return 0;
}

static void read_values(const struct plan_reading *r, const struct node *values, char *const *keys, int count,
                        struct plan_axis *axis) {
  if (!is_list(r, values, "value"))
    return;
  for (const struct node *value = values->first; value; value = value->next) {
    struct plan_level *level = plan_add_level(r, axis);
    if (!level)
      return;
    level->cell[0] = cell_text(value);
    if (!level->cell[0])
      plan_out_of_memory(r);
    for (int k = 0; k < count; k++)
      plan_set(r, &level->settings, keys[k], value);
  }
}

static void read_rows(const struct plan_reading *r, const struct node *rows, char *const *keys, int count,
                      struct plan_axis *axis) {
  if (!is_list(r, rows, "row"))
    return;
  for (const struct node *row = rows->first; row; row = row->next) {
    if (row->kind != NODE_LIST || row->count != count) {
      plan_refuse(r, row, "a list of %d values, one for each of keys,", count);
      continue;
    }
    struct plan_level *level = plan_add_level(r, axis);
    int k = 0;
    for (const struct node *value = row->first; level && value; value = value->next, k++) {
      level->cell[k] = cell_text(value);
      if (!level->cell[k])
        plan_out_of_memory(r);
      plan_set(r, &level->settings, keys[k], value);
    }
  }
}

// Evenly spaced values, rounded to 12 digits, so that 0.1 three times is 0.3.
static void read_spaced(const struct plan_reading *r, const struct node *entry,
                        const struct axis_draft *draft, char *const *keys, int count,
                        struct plan_axis *axis) {
  const struct node *from = plan_given(r, entry, "from"), *to = plan_given(r, entry, "to"),
                    *step = plan_given(r, entry, "step"), *number = plan_given(r, entry, "count");
  if (!from || !to || !step == !number) {
    error_add(r->errors, entry->at, "%s: from, to and one of step and count expected, got %s",
              node_path(entry).text, step && number ? "step and count" : "a part of them");
    return;
  }
  if (draft->from >= draft->to) {
    plan_refuse(r, to, "a number above from");
    return;
  }
  double values =
      step ? floor((draft->to - draft->from) / draft->step * (1 + 1e-12) + 1e-9) + 1 : draft->count;
  if (values > PLAN_MAX_POINTS) {
    plan_refuse(r, step, "a step that gives at most %d values", PLAN_MAX_POINTS);
    return;
  }
  double distance = step ? draft->step : (draft->to - draft->from) / (draft->count - 1);
  for (int i = 0; i < (int)values; i++) {
    char text[32];
    double x = draft->from + i * distance;
    snprintf(text, sizeof text, "%.12g", fabs(x) < 1e-12 * distance ? 0 : x);
    struct plan_level *level = plan_add_level(r, axis);
    if (!level)
      return;
    level->cell[0] = strdup(text);
    if (!level->cell[0])
      plan_out_of_memory(r);
    for (int k = 0; k < count; k++)
      plan_set_text(r, &level->settings, keys[k], text, from);
  }
}

static int is_case_readable(const struct plan_reading *r, const struct node *item) {
  const struct node *name = tree_child(item, "name"), *set = tree_child(item, "set");
  int before = r->errors->count;
  if (item->kind != NODE_MAP)
    plan_refuse(r, item, "a section {name: TEXT, set: {KEY: VALUE, ...}}");
  else if (!name || name->kind != NODE_SCALAR || !*name->text)
    error_add(r->errors, item->at, "%s.name: a text expected, got %s", node_path(item).text,
              node_found(name).text);
  if (set && set->kind != NODE_MAP)
    plan_refuse(r, set, "a section of key: value lines");
  for (const struct node *child = item->kind == NODE_MAP ? item->first : NULL; child; child = child->next)
    if (strcmp(child->key, "name") != 0 && strcmp(child->key, "set") != 0)
      error_add(r->errors, child->key_at, "%s: unknown key, name and set expected", node_path(child).text);
  return r->errors->count == before;
}

static void read_cases(const struct plan_reading *r, const struct node *cases, struct plan_axis *axis) {
  if (!is_list(r, cases, "case"))
    return;
  for (const struct node *item = cases->first; item; item = item->next) {
    if (!is_case_readable(r, item))
      continue;
    const struct node *name = tree_child(item, "name"), *set = tree_child(item, "set");
    struct plan_level *level = plan_add_level(r, axis);
    if (!level)
      return;
    level->cell[0] = strdup(name->text);
    if (!level->cell[0])
      plan_out_of_memory(r);
    for (const struct node *child = set ? set->first : NULL; child; child = child->next)
      plan_set(r, &level->settings, child->key, child);
  }
}

static void name_columns(const struct plan_reading *r, struct plan_axis *axis, const char *name,
                         char *const *keys, int count) {
  for (int i = 0; i < count; i++) {
    axis->column[axis->column_count] = strdup(*name ? name : keys[i]);
    if (axis->column[axis->column_count])
      axis->column_count++;
    else
      plan_out_of_memory(r);
  }
}

// The verdicts by which a row of a bisecting axis holds.
static void read_limit(const struct plan_reading *r, const struct node *entry, struct plan_axis *axis) {
  const struct node *limit = plan_given(r, entry, "limit"), *verdict = plan_given(r, entry, "verdict");
  if (!limit) {
    if (verdict)
      plan_refuse(r, verdict, "needs limit");
    return;
  }
  for (int i = 0; i + 1 < r->plan->axis_count; i++)
    if (r->plan->axis[i].verdict_count)
      plan_refuse(r, limit, "at most one axis with limit");
  if (axis->level_count == 1)
    plan_refuse(r, limit, "at least two values or rows to bisect");
  if (!verdict) {
    error_add(r->errors, entry->at, "%s: limit needs verdict", node_path(entry).text);
    return;
  }
  const int is_list = verdict->kind == NODE_LIST;
  if (verdict->kind == NODE_MAP || (is_list && (!verdict->count || verdict->count > PLAN_MAX_LIMITING))) {
    plan_refuse(r, verdict, "the name of a verdict or a list of at most %d", PLAN_MAX_LIMITING);
    return;
  }
  axis->place = plan_place(r, verdict);
  for (const struct node *n = is_list ? verdict->first : verdict; n; n = is_list ? n->next : NULL) {
    if (n->kind != NODE_SCALAR || !*n->text)
      plan_refuse(r, n, "the name of a verdict");
    else if (!(axis->verdict[axis->verdict_count] = strdup(n->text)))
      plan_out_of_memory(r);
    else
      axis->verdict_count++;
  }
}

// ------------------------------------------------------------
// The axis of failures: the configuration without one, then with each that sagbend trials would try.

// As a plan of trials has them without its own.
static const struct failure_magnitudes USUAL = {3, 30, 50, 0.3, 0.5, 0.04};
static const double HIDDEN_LEAD_S = 60, SWITCH_S = 10;

static int is_wanted(const struct node *only, const struct failure *f) {
  int found = !only || f->group == FAILURE_NONE;
  for (const struct node *n = only ? only->first : NULL; n; n = n->next)
    found |= n->kind == NODE_SCALAR && failure_matches(f->id, n->text);
  return found;
}

static void check_only(const struct plan_reading *r, const struct node *only, const struct failures *all) {
  if (only->kind != NODE_LIST || !only->count) {
    plan_refuse(r, only, "a list of identifiers of 'sagbend trials --list'");
    return;
  }
  for (const struct node *n = only->first; n; n = n->next)
    if (n->kind != NODE_SCALAR || !failures_count(all, n->text))
      plan_refuse_name(r, n, FORMER_FAULT, "/-", "an identifier of 'sagbend trials --list'");
}

static void add_failure(const struct plan_reading *r, const struct failure *f, const char *place,
                        struct plan_axis *axis) {
  char text[FAILURE_EVENTS + 16];
  struct plan_level *level = plan_add_level(r, axis);
  if (!level)
    return;
  snprintf(text, sizeof text, "events=%s", *f->events ? f->events : "[]");
  level->cell[0] = strdup(f->id);
  if (!level->cell[0] || !plan_settings_add(&level->settings, text, place))
    plan_out_of_memory(r);
}

// The equipment is that of the base with the overrides of every point.
static enum status load(const struct plan *plan, struct config *config) {
  const char *text[PLAN_MAX_SETTINGS], *place[PLAN_MAX_SETTINGS];
  const int count = plan->set.count < PLAN_MAX_SETTINGS ? plan->set.count : PLAN_MAX_SETTINGS;
  for (int i = 0; i < count; i++)
    text[i] = plan->set.item[i].text, place[i] = plan->set.item[i].place;
  return config_load_placed(plan->base_path, text, place, count, config, stderr);
}

// Reads the failures of an axis, of the configuration with the values of set.
static void plan_read_failures(const struct plan_reading *r, const struct node *section,
                               const struct axis_draft *draft, struct plan_axis *axis) {
  const struct node *only = plan_given(r, section, "only");
  const struct failure_times times = {draft->failure_at_s, draft->failure_for_s, HIDDEN_LEAD_S, SWITCH_S};
  struct config *config = malloc(sizeof *config);
  struct failures all = {.item = NULL};
  char *place = plan_place(r, section);
  if (r->errors->count)
    ; // the configuration may not be what is meant
  else if (!config || !place)
    plan_out_of_memory(r);
  else if (load(r->plan, config) != STATUS_OK)
    plan_refuse(r, section, "a base without errors, whose equipment fails,");
  else {
    if (failures_generate(config, &USUAL, &times, &all) != STATUS_OK)
      plan_out_of_memory(r);
    if (only)
      check_only(r, only, &all);
    for (int i = 0; i < all.count && !r->errors->count; i++)
      if (is_wanted(only, &all.item[i]))
        add_failure(r, &all.item[i], place, axis);
    config_free(config);
  }
  failures_free(&all);
  free(config);
  free(place);
}

// ---- the others ----

static void read_axis(const struct plan_reading *r, const struct node *entry,
                      const struct axis_draft *draft) {
  static const char *const forms[] = {"values", "from", "rows", "cases", "failure"};
  const struct node *values = plan_given(r, entry, "values"), *rows = plan_given(r, entry, "rows"),
                    *cases = plan_given(r, entry, "cases"), *failure = plan_given(r, entry, "failure");
  struct plan_axis *axis = &r->plan->axis[r->plan->axis_count];
  char *keys[PLAN_MAX_KEYS];
  int given = 0, count = 0, has_name = plan_given(r, entry, "name") != NULL, is_named = cases || failure;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    given += tree_child(entry, forms[i]) != NULL;
  *axis = (struct plan_axis){.level = NULL};
  if (given != 1) {
    error_add(r->errors, entry->at,
              "%s: exactly one of values, from, rows, cases and failure expected, got %s",
              node_path(entry).text, given ? "several" : "none");
    return;
  }
  r->plan->axis_count++;
  if (!is_named)
    count = plan_take_keys(r, entry, keys);
  if (is_named && (tree_child(entry, "key") || tree_child(entry, "keys") || tree_child(entry, "limit") ||
                   (cases && !has_name)))
    error_add(r->errors, entry->at, "%s: %s is not allowed with key, keys or limit%s", node_path(entry).text,
              cases ? "cases" : "failure", cases ? ", and needs name" : "");
  if (cases && !has_name)
    return;
  if (rows && has_name && count > 1)
    plan_refuse(r, tree_child(entry, "name"), "is not allowed with keys: each of them is a column");
  name_columns(r, axis,
               failure && !has_name ? "failure"
               : rows               ? ""
                                    : draft->name,
               keys,
               is_named ? 1
               : rows   ? count
                        : count > 0);
  if (axis->column_count && cases)
    read_cases(r, cases, axis);
  else if (axis->column_count && failure)
    plan_read_failures(r, failure, draft, axis);
  else if (axis->column_count && values)
    read_values(r, values, keys, count, axis);
  else if (axis->column_count && rows)
    read_rows(r, rows, keys, count, axis);
  else if (axis->column_count && plan_given(r, entry, "from"))
    read_spaced(r, entry, draft, keys, count, axis);
  read_limit(r, entry, axis);
  for (int i = 0; i < count; i++)
    free(keys[i]);
}

void plan_read_axes(const struct plan_reading *r) {
  const struct node *vary = plan_given(r, NULL, "vary");
  if (!vary || vary->kind != NODE_LIST || vary->count > PLAN_MAX_AXES)
    return;
  if (vary->count == 0)
    plan_refuse(r, vary, "a list of at least one axis");
  for (const struct node *entry = vary->first; entry; entry = entry->next)
    if (entry->kind == NODE_MAP && !entry->bad)
      read_axis(r, entry, &r->draft->axis[entry->index]);
}

// ------------------------------------------------------------
// The random values of a plan, and what it wants of the results.

static void read_distribution(const struct plan_reading *r, const struct node *entry,
                              const struct random_draft *draft, struct plan_random *random) {
  static const char *const words[] = {"uniform", "normal", "whole"};
  const double *const pairs[] = {draft->uniform, draft->normal, draft->whole};
  const struct node *found = NULL;
  int given = 0;
  for (int i = 0; i < 3; i++) {
    const struct node *node = tree_child(entry, words[i]);
    if (!node)
      continue;
    given++;
    found = node->bad ? NULL : node;
    random->distribution = (enum plan_distribution)i;
    random->a = pairs[i][0];
    random->b = pairs[i][1];
  }
  if (given != 1)
    error_add(r->errors, entry->at, "%s: exactly one of uniform, normal and whole expected, got %s",
              node_path(entry).text, given ? "several" : "none");
  else if (found && random->distribution == PLAN_NORMAL && !(random->b > 0))
    plan_refuse(r, found, "[mean, standard deviation > 0]");
  else if (found && random->distribution != PLAN_NORMAL && !(random->a < random->b))
    plan_refuse(r, found, "[least value, largest value]");
  else if (found && random->distribution == PLAN_WHOLE &&
           (random->a != floor(random->a) || random->b != floor(random->b) || random->a < -1e9 ||
            random->b > 1e9))
    plan_refuse(r, found, "two whole numbers from -1e9 to 1e9");
}

void plan_read_random(const struct plan_reading *r) {
  const struct node *list = plan_given(r, NULL, "random");
  if (!list || list->kind != NODE_LIST || list->count > PLAN_MAX_RANDOM)
    return;
  for (const struct node *entry = list->first; entry; entry = entry->next) {
    if (entry->kind != NODE_MAP)
      continue;
    const struct random_draft *draft = &r->draft->random[entry->index];
    struct plan_random *random = &r->plan->random[r->plan->random_count];
    *random = (struct plan_random){.place = plan_place(r, entry)};
    random->key_count = plan_take_keys(r, entry, random->key);
    random->column = strdup(*draft->name ? draft->name : random->key_count ? random->key[0] : "");
    r->plan->random_count++;
    if (!random->place || !random->column)
      plan_out_of_memory(r);
    read_distribution(r, entry, draft, random);
  }
  if (list->count && r->plan->draws == 1 && !plan_given(r, NULL, "draws"))
    error_add(r->errors, list->at, "random needs draws, the number of random draws");
}

// Whether it is an output quantity or looks like a path of the summary.
static int is_quantity_path(const char *text) {
  static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  if (strchr(text, '.'))
    return strspn(text, characters) == strlen(text) && strlen(text) < PLAN_NAME;
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (!strcmp(text, quantity_shown_name(q)))
      return 1;
  return 0;
}

static void read_quantities(const struct plan_reading *r) {
  const struct node *list = plan_given(r, NULL, "quantities");
  if (!list)
    return;
  if (list->kind != NODE_LIST || list->count > PLAN_MAX_QUANTITIES) {
    plan_refuse(r, list, "a list of at most %d names", PLAN_MAX_QUANTITIES);
    return;
  }
  for (const struct node *item = list->first; item; item = item->next) {
    char *text = item->kind == NODE_SCALAR && is_quantity_path(item->text) ? strdup(item->text) : NULL;
    if (text)
      r->plan->quantity[r->plan->quantity_count++] = text;
    else
      plan_refuse_name(r, item, FORMER_OUTPUT, ".",
                       "a name of 'sagbend outputs' or a path of the summary, such as energy.closure_rel,");
  }
}

static void check_plot(const struct plan_reading *r, const struct node *entry, struct plan_plot *plot) {
  int is_map = plot->kind == PLAN_MAP;
  plot->place = plan_place(r, entry);
  if (!plot->place)
    plan_out_of_memory(r);
  if (is_map && !*plot->value)
    error_add(r->errors, entry->at, "%s.value: a column expected, got nothing: a map needs it",
              node_path(entry).text);
  if (is_map && *plot->by)
    plan_refuse(r, tree_child(entry, "by"), "is not allowed with kind map");
  if (!is_map && *plot->value)
    plan_refuse(r, tree_child(entry, "value"), "needs kind map");
  if (strchr(plot->name, '/') || *plot->name == '.')
    plan_refuse(r, tree_child(entry, "name"), "a name of a file");
  for (const struct plan_plot *other = r->plan->plot; other < plot; other++)
    if (!strcmp(other->name, plot->name))
      plan_refuse(r, tree_child(entry, "name"), "a name that no other plot has");
}

void plan_read_outputs(const struct plan_reading *r) {
  read_quantities(r);
  const struct node *list = plan_given(r, NULL, "plots");
  if (!list || list->kind != NODE_LIST || r->errors->count)
    return;
  for (const struct node *entry = list->first; entry; entry = entry->next)
    check_plot(r, entry, &r->plan->plot[entry->index]);
}
