// A closed loop around a shipped configuration, without a socket.
#pragma once

#include "run/setup/setup.h"
#include "sagbend/faults/faults.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/signals/signals.h"

#include "suite.h"
#include <stdlib.h>

struct bench {
  struct setup setup;
  struct plant plant;
  struct command_def def;
  struct closed_loop loop;
  struct dp_work work; // of a controller inside
};

// Configuration and simulator; the loop follows by begin_loop.
static struct bench *load_bench(const struct case_options *options) {
  struct bench *b = calloc(1, sizeof *b);
  ck_assert_int_eq(setup_load(&b->setup, options, stderr), STATUS_OK);
  ck_assert_int_eq(plant_create(&b->plant, &b->setup, NULL, NULL), STATUS_OK);
  return b;
}

// dp: inside the loop; NULL: none. setpoint NULL: that of the configuration.
static void begin_loop(struct bench *b, const struct dp_def *dp, const double setpoint[3]) {
  b->def = setup_command_def(&b->setup, b->plant.sim);
  closed_loop_init(&b->loop, b->plant.sim, &b->plant.suite, &b->def, dp, &b->work, &b->setup.config.scenario,
                   setpoint);
}

static void close_bench(struct bench *b) {
  plant_free(&b->plant);
  setup_free(&b->setup);
  free(b);
}

static void order_fault(struct bench *b, uint64_t number, enum fault_kind kind, double value) {
  const struct order order = {.number = number,
                              .kind = ORDER_FAULT,
                              .name = "ordered",
                              .fault = {.kind = kind, .target = -1, .value = {value}}};
  closed_loop_apply_order(&b->loop, &order);
}
