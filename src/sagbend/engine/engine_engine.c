#include "sagbend/engine/engine_engine.h"

#include <string.h>

// The controller that runs inside the program; NULL: commands come from outside, or not at all.
static const struct dp_def *controller_inside(const struct setup *setup) {
  const struct config *c = &setup->config;
  int external_inside = c->sim.controller == CONTROLLER_EXTERNAL && c->run.mode == RUN_FAST;
  return c->sim.controller == CONTROLLER_SAMPLED || external_inside ? &setup->dp.def : NULL;
}

static void close_loop(struct engine *engine, const struct setup *setup, struct plant *plant,
                       const struct dp_def *inside, const double *setpoint) {
  const struct command_def def = setup_command_def(setup, plant->sim);
  engine->setup = setup;
  engine->plant = *plant;
  *plant = (struct plant){0};
  closed_loop_init(&engine->loop, engine->plant.sim, &engine->plant.suite, &def, inside,
                   &setup->config.scenario, setpoint);
}

void engine_begin(struct engine *engine, const struct setup *setup, struct plant *plant) {
  double setpoint[3];
  close_loop(engine, setup, plant, controller_inside(setup),
             setup_setpoint(setup, setpoint) ? setpoint : NULL);
}

void engine_begin_replay(struct engine *engine, const struct setup *setup, struct plant *plant,
                         const double setpoint[3]) {
  close_loop(engine, setup, plant, NULL, setpoint);
}

enum status engine_create(struct engine *engine, const struct setup *setup, const struct engine *first,
                          const struct error_sink *errors, struct reason *why) {
  struct plant plant;
  memset(engine, 0, sizeof *engine);
  enum status status = first ? plant_create_beside(&first->plant, &plant, setup, why)
                             : plant_create(&plant, setup, errors, why);
  if (status == STATUS_OK)
    engine_begin(engine, setup, &plant);
  else
    plant_free(&plant);
  return status;
}

void engine_free(struct engine *engine) {
  plant_free(&engine->plant);
}

void engine_step(struct engine *engine, const struct command *newest, const struct dp_alarm_list *alarms) {
  if (newest && alarms)
    closed_loop_bring_alarms(&engine->loop, alarms);
  closed_loop_step(&engine->loop, newest);
}

void engine_order(struct engine *engine, const struct order *order) {
  closed_loop_apply_order(&engine->loop, order);
}

enum status engine_restore(struct engine *engine, const void *bytes, size_t size,
                           const struct checkpoint_identity *identity, struct reason *why) {
  return checkpoint_resume(bytes, size, identity, engine->plant.sim, &engine->plant.suite, &engine->loop,
                           why);
}
