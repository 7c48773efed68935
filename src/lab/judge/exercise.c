#include "lab/judge/exercise.h"
#include "net/case/case.h"

#include "lab/capability/present.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct config *exercise_config(const struct trial_plan *p, int condition) {
  const char *text[2 * PLAN_MAX_SETTINGS];
  const struct plan_settings *sets[] = {&p->set, &p->condition[condition].settings};
  struct config *config = malloc(sizeof *config);
  int count = 0;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < sets[s]->count && count < 2 * PLAN_MAX_SETTINGS; i++)
      text[count++] = sets[s]->item[i].text;
  if (config && config_load(p->base_path, text, count, config, NULL) == STATUS_OK)
    return config;
  free(config);
  return NULL;
}

// What a failure takes for good; nothing: no bus, no thruster and no set is lost by it.
static struct present_loss loss_of(const struct plant_def *plant, const struct failure *f) {
  static const char *const STOPS[] = {"not_ready", "to_zero"}, *const TRIPS[] = {"trip", "fuel_loss"};
  struct present_loss loss = {0, 0, 0};
  for (int b = 0; b < plant->bus_count; b++)
    if (!strncmp(f->equipment, "bus-", 4) && !strcmp(f->equipment + 4, plant->bus[b].name) &&
        !strcmp(f->mode, "lost"))
      loss.buses |= 1u << b;
  for (int i = 0; i < plant->thruster_count; i++)
    for (int k = 0; k < 2; k++)
      if (!strcmp(f->equipment, plant->thruster[i].name) && !strcmp(f->mode, STOPS[k]))
        loss.thrusters |= 1u << i;
  for (int i = 0; i < plant->power.generator_count; i++)
    for (int k = 0; k < 2; k++)
      if (!strcmp(f->equipment, plant->power.generator[i].name) && !strcmp(f->mode, TRIPS[k]))
        loss.generators |= 1u << i;
  return loss;
}

static void find(const struct judgement *j, const struct config *config, struct exercise *out) {
  const struct trial_plan *p = j->plan;
  struct present_loss loss[1 + TRIAL_RULES] = {{0, 0, 0}};
  double share[1 + TRIAL_RULES];
  int count = 1, of[1 + TRIAL_RULES] = {0};
  struct reason why = {""};
  for (int i = 0; i < p->worst_case_count; i++) {
    const int at = failures_find(j->failures, p->worst_case[i].id);
    const struct present_loss lost =
        at < 0 ? loss[0] : loss_of(&config->sim.vessel.plant, &j->failures->item[at]);
    if (lost.buses || lost.thrusters || lost.generators) {
      of[count] = i;
      loss[count++] = lost;
    }
  }
  if (present_shares(config, loss, count, share, &why) != STATUS_OK) {
    snprintf(out->why, sizeof out->why, "%.180s", why.text);
    return;
  }
  out->intact = share[0];
  for (int i = 1; i < count; i++) {
    out->after[of[i]] = share[i];
    if (!(share[i] <= out->largest)) {
      out->largest = share[i];
      out->of_declared = of[i];
    }
  }
  if (p->worst_case_count && isnan(out->largest))
    snprintf(out->why, sizeof out->why, "no declared failure takes a thruster, a bus or a set");
}

void exercise_find(struct judgement *j) {
  for (int c = 0; c < j->plan->condition_count; c++) {
    struct exercise *out = &j->exercise[c];
    *out = (struct exercise){.intact = NAN, .largest = NAN, .of_declared = -1};
    for (int i = 0; i < TRIAL_RULES; i++)
      out->after[i] = NAN;
    struct config *config = exercise_config(j->plan, c);
    if (config)
      find(j, config, out);
    else
      snprintf(out->why, sizeof out->why, "the configuration cannot be read");
    if (config)
      config_free(config);
    free(config);
  }
}
