// The axis of failures: the configuration without one, then with each that sagbend trials would try.
#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/plan_parts.h"

#include "net/case/case.h"
#include "lab/sweep/failures.h"

#include <stdlib.h>
#include <string.h>

// As a plan of trials has them without its own.
static const struct failure_magnitudes USUAL = {3, 30, 50, 0.3, 0.5, 0.04};
static const double HIDDEN_LEAD_S = 60;

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
      plan_refuse(r, n, "an identifier of 'sagbend trials --list'");
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

void plan_read_failures(const struct plan_reading *r, const struct node *section,
                        const struct axis_draft *draft, struct plan_axis *axis) {
  const struct node *only = plan_given(r, section, "only");
  const struct failure_times times = {draft->failure_at_s, draft->failure_for_s, HIDDEN_LEAD_S};
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
