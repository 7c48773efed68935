// The random values of a plan, and what it wants of the results.
#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/plan_parts.h"

#include "sagbend/rig/quantity.h"

#include <math.h>
#include <string.h>

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
    error_add(r->errors, list->at, "draws: the number of random draws expected beside random, got nothing");
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
      plan_refuse(r, item,
                  "a name of 'sagbend outputs' or a path of the summary, such as energy.closure_rel,");
  }
}

static void check_plot(const struct plan_reading *r, const struct node *entry, struct plan_plot *plot) {
  int is_map = plot->kind == PLAN_MAP;
  plot->place = plan_place(r, entry);
  if (!plot->place)
    plan_out_of_memory(r);
  if (is_map && !*plot->value)
    error_add(r->errors, entry->at, "%s.value: a column expected for a map, got nothing",
              node_path(entry).text);
  if (is_map && *plot->by)
    plan_refuse(r, tree_child(entry, "by"), "nothing for a map");
  if (!is_map && *plot->value)
    plan_refuse(r, tree_child(entry, "value"), "nothing unless kind is map");
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
