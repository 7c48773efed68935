// A session with all features, stopped after some steps, and its checkpoint as bytes to be altered. For the
// test and the fuzzer of checkpoints.
#pragma once

#include "run/setup/setup.h"
#include "sagbend/engine/engine.h"
#include "sagbend/faults/faults.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/signals/signals.h"

#include <stdlib.h>
#include <string.h>

struct checkpoint_scene {
  struct setup setup;
  struct plant plant;
  struct closed_loop closed_loop;
  struct checkpoint_identity identity;
  struct checkpoint_parts parts;
  size_t size; // of a file, including its hash
  unsigned char *base, *altered;
};

static inline void scene_save(const struct checkpoint_scene *x, unsigned char *file) {
  memset(file, 0, x->parts.end);
  checkpoint_fill(file, &x->identity, &x->closed_loop);
}

// Writes the checkpoint with recomputed hashes.
static inline enum status scene_restore(struct checkpoint_scene *x, unsigned char *file, struct reason *why) {
  struct closed_loop_state controls;
  struct closed_loop_rules rules = closed_loop_rules(&x->closed_loop);
  uint64_t hash = checkpoint_seal(file, x->parts.end);
  memcpy(file + x->parts.end, &hash, sizeof hash);
  enum status status =
      checkpoint_restore(file, x->size, &x->identity, &rules, x->plant.sim, &x->plant.suite, &controls, why);
  if (status == STATUS_OK)
    closed_loop_resume(&x->closed_loop, &controls);
  return status;
}

// steps of a shipped configuration with its controller inside, orders and faults of every way among them. 0:
// it failed.
static inline int scene_open(struct checkpoint_scene *x, const char *config, int steps) {
  char scale[] = "simulation.event_time_scale=0.02";
  struct case_options options = {.config_path = config, .overrides = {scale}, .override_count = 1};
  memset(x, 0, sizeof *x);
  if (setup_load(&x->setup, &options, stderr) != STATUS_OK ||
      plant_create(&x->plant, &x->setup, NULL, NULL) != STATUS_OK)
    return 0;
  static struct dp_work work;
  struct command_def def = setup_command_def(&x->setup, x->plant.sim);
  const struct dp_def *inside = x->setup.has_dp ? &x->setup.dp.def : NULL;
  closed_loop_init(&x->closed_loop, x->plant.sim, &x->plant.suite, &def, inside, &work,
                   &x->setup.config.scenario, NULL);
  x->identity = (struct checkpoint_identity){.model_hash = 1, .dp_hash = inside != NULL, .build = "test"};
  static const struct fault faults[] = {{.kind = FAULT_JITTER, .target = -1, .value = {5}},
                                        {.kind = FAULT_DUPLICATE, .target = -1, .value = {0.5}},
                                        {.kind = FAULT_LOSS, .target = -1, .value = {0.1}}};
  for (uint64_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct order order = {.number = i + 1, .kind = ORDER_FAULT, .name = "order", .fault = faults[i]};
    order.name[5] = (char)('0' + i);
    closed_loop_apply_order(&x->closed_loop, &order);
  }
  for (int i = 0; i < steps; i++)
    closed_loop_step(&x->closed_loop, NULL);
  x->parts = checkpoint_parts_of(x->plant.sim, &x->plant.suite);
  x->size = x->parts.end + sizeof(uint64_t);
  x->base = malloc(x->size);
  x->altered = malloc(x->size);
  if (!x->base || !x->altered)
    return 0;
  scene_save(x, x->base);
  return 1;
}

static inline void scene_close(struct checkpoint_scene *x) {
  free(x->base);
  free(x->altered);
  plant_free(&x->plant);
  setup_free(&x->setup);
}
