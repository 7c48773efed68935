// A power plant by itself, as the tests of sagbend/power have it: sets, a run with drives that follow,
// counts.
#pragma once

#include "sagbend/power/power.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t stream = 1;
static inline double uniform(double low, double high) {
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(stream >> 11) * 0x1p-53;
}
static inline int whole(int low, int high) {
  return low + (int)uniform(0, (double)(high - low) + 1 - 1e-12);
}

static inline struct generator_def set_on(int bus) {
  struct generator_def def = {.bus = bus,
                              .rating_w = 2.2e6,
                              .inertia_s = 1.5,
                              .lag_s = 0.4,
                              .droop = 0.05,
                              .start_s = 15,
                              .synchronise_s = 8,
                              .running = 1};
#define X(id, name, side, level_, delay, help) def.limit[id] = (struct trip_limit){level_, delay};
  PROTECTION_TABLE(X)
#undef X
  return def;
}

static const struct power_management_def MANAGEMENT = {.load_start = {0.85, 5},
                                                       .frequency_reduction = {0.97, 0.93},
                                                       .reduction = 0.98,
                                                       .recovery_after_s = 5,
                                                       .restart_interval_s = 5,
                                                       .open_ties_dark = 1,
                                                       .sharing_1ps = 0.2,
                                                       .frequency_1ps = 0.7};

// Four generators of 2.2 MW on two buses with a tie, hotel load of 0.4 MW each.
static inline struct power_def four_sets(int tie_closed) {
  struct power_def def = {.bus_count = 2,
                          .generator_count = 4,
                          .tie_count = 1,
                          .hotel_w = {0.4e6, 0.4e6},
                          .tie[0] = {.bus = {0, 1},
                                     .closed = tie_closed,
                                     .frequency = {0.95, 1.06},
                                     .voltage = {0.85, 1.10},
                                     .trip_delay_s = 0.25},
                          .management = MANAGEMENT};
  for (int i = 0; i < 4; i++)
    def.generator[i] = set_on(i / 2);
  return def;
}

struct plant {
  struct power_def def;
  struct power_state state;
  struct power_switches switches;
  struct power_load load;
  double time_s, step_s;
  double least_frequency, largest_frequency;
};

static inline struct plant plant_of(struct power_def def, double drives_w, double step_s) {
  struct plant p = {.def = def, .step_s = step_s, .least_frequency = 1, .largest_frequency = 1};
  for (int b = 0; b < def.bus_count; b++)
    p.load.asked_w[b] = p.load.taken_w[b] = drives_w / def.bus_count;
  power_begin(&p.def, &p.state, &p.load);
  return p;
}

// The drives as the vessel has them: within half a second they take what they may.
static inline void drives_follow(struct plant *p) {
  double available_w[MAX_BUSES], weight[MAX_BUSES] = {1, 1, 1, 1, 1, 1};
  power_available(&p->def, &p->state, &p->load, weight, available_w);
  for (int b = 0; b < p->def.bus_count; b++)
    p->load.taken_w[b] += (fmin(p->load.asked_w[b], available_w[b]) - p->load.taken_w[b]) * p->step_s / 0.5;
}

static inline void run_until(struct plant *p, double time_s) {
  while (p->time_s < time_s - 1e-9) {
    power_flow(&p->def, &p->state, &p->switches, &p->load, p->step_s);
    drives_follow(p);
    p->time_s += p->step_s;
    for (int b = 0; b < p->def.bus_count; b++)
      if (p->state.bus[b].live) {
        p->least_frequency = fmin(p->least_frequency, p->state.bus[b].frequency);
        p->largest_frequency = fmax(p->largest_frequency, p->state.bus[b].frequency);
      }
  }
}

static inline int live_buses(const struct plant *p) {
  int sum = 0;
  for (int b = 0; b < p->def.bus_count; b++)
    sum += p->state.bus[b].live != 0;
  return sum;
}

static inline int on_line(const struct plant *p) {
  int sum = 0;
  for (int i = 0; i < p->def.generator_count; i++)
    sum += p->state.generator[i].phase == GENERATOR_ON_LINE;
  return sum;
}

// Time at which the number of live buses first becomes this, at most end_s.
static inline double time_of_live(struct plant *p, int buses, double end_s) {
  while (p->time_s < end_s && live_buses(p) != buses)
    run_until(p, p->time_s + p->step_s);
  return p->time_s;
}
