// Inside of struct sim, for the files of this room and for tests of the inside.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/steel/section.h"
#include "sagbend/integrator/step.h"
#include "sagbend/math/dense6.h"
#include "sagbend/model/rollers.h"
#include "sagbend/pipe/extremes.h"
#include "sagbend/sim/sim.h"
#include "sagbend/sim/tension_watch.h"

// Of all counts of fatigue: hashed in their place. Zero without them. 8-byte members only.
struct fatigue_state {
  uint64_t bytes;        // of all that counts, in a snapshot behind the fields; 0: none
  uint64_t first, count; // elements that are counted, by their numbers
  double sum;            // of all that the totals have grown
  double damage, arc_m;  // largest of all elements so far, and its arc length
  uint64_t point;
  double rate_1ps, standby_s; // worst of the elements that are counted
};

// An element that has retired.
struct fatigue_laid {
  uint64_t number; // plus 1; 0: none
  double total[FATIGUE_POINTS];
};

// Fatigue of a run, with def.fatigue.asked. Element number n has the place n modulo slots, on the deck too as
// long as no other takes it; retired it has the place n modulo laid_slots of the store.
struct fatigue_run {
  struct fatigue_section section[1 + MAX_PIPE_TYPES];
  uint64_t every; // steps between samples of an element
  uint64_t ticks; // samples between ticks
  int slots, laid_slots;
  struct fatigue_element *element;
  struct fatigue_laid *laid; // behind the elements, in one piece
};

// Counters and ledger of a run: hashed and part of snapshots. 8-byte members only.
struct sim_run {
  uint64_t step, events, fault, unsolved_count, divided_count, unresolved_count;
  uint64_t newton_iterations, newton_max, newton_total;
  uint64_t newton_tangents, newton_tangents_total;
  double newton_residual_n;
  double control_b[6]; // wrench of the last step in addition to the thrusters, N, N m
  // Rate of momentum of the half element at the hang-off, n, N: mean over the last step, and at its end.
  double top_rate_n[3], top_rate_end_n[3];
  struct ledger ledger;
  struct tension_watch tension;
  struct fatigue_state fatigue;
};

// The code check of a run. A place is the middle of an element, an end, or one side of a node where two types
// meet.
struct code_check_state {
  struct check_capacity capacity[1 + MAX_PIPE_TYPES];
  int places;                       // room in functional
  struct check_section *functional; // per place: the loads of the static equilibrium at the start
  double *element_governing;        // per element: largest of buckling, collapse and burst in it; -1:
                                    // undefined
  double propagation_length_m;
  struct check_output largest[CODE_CHECK_COUNT];
  uint32_t limits[CODE_CHECK_COUNT];
};

struct sim {
  struct sim_def def;
  struct model model;
  struct integrator_plan plan;
  struct model_state state;
  struct model_work work;
  struct sim_run run;
  struct statics_report statics;
  struct stage_clock clock;
  double hangoff_start_z_m;      // z of the hang-off at the start; 0 without a pipe
  vec3 lay_plane_n;              // horizontal unit vector from the lower end towards the initial hang-off
  struct pipe_extremes extremes; // of the state
  struct code_check_state check; // with def.code_check.asked
  struct fatigue_run fatigue;
  unsigned char *fields; // the arrays of state.pipe, state.radiation and state.laid, contiguous
  size_t field_bytes;
};

// Simulated time, s.
static inline double sim_time_s(const struct sim *sim) {
  return (double)sim->run.step * sim->def.step_s;
}

static inline void sim_raise(struct sim *sim, enum sim_event event) {
  sim->run.events |= UINT64_C(1) << event;
}

// Checks a definition: sim_check.c. STATUS_BAD_INPUT: why gives the reason.
enum status sim_check_def(const struct sim_def *def, struct reason *why);

// Computes what outputs read beside the state: force at the top and extremes. Call after every step, and
// whenever the state was set otherwise; the strains have to be up to date (model_energy_of).
void sim_refresh(struct sim *sim) NONBLOCKING;

// Tension at the hang-off of a pipe, N, after sim_refresh: sim_output.hangoff_tension_n.
double sim_hangoff_tension(const struct sim *sim) NONBLOCKING;

// Raises the events of large bends and strains, after sim_refresh.
void sim_watch_pipe(struct sim *sim) NONBLOCKING;

// Raises the events of the limits of validity, likewise.
void sim_watch_validity(struct sim *sim) NONBLOCKING;

// Code check (code_check.c): takes the memory for the functional loads; computes the capacities of all types,
// before the statics; keeps the loads of the equilibrium as functional loads, after sim_refresh; computes the
// utilisations of the state, likewise.
void code_check_take(struct code_check_state *check, const struct pipe *pipe, const struct pipe_def *def,
                     struct arena *memory);
enum status code_check_prepare(struct sim *sim, struct reason *why);
void code_check_start(struct sim *sim);
void code_check_refresh(struct sim *sim) NONBLOCKING;
void code_check_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;
double code_check_governing_at(const struct sim *sim,
                               int node) NONBLOCKING; // the larger of the elements beside it

// Fatigue (checks.c): takes the memory for the counts; prepares them, before the first step; counts
// the state after a step, after sim_refresh, and raises its events; its outputs.
void fatigue_take(struct sim *sim, const struct sim_def *def, struct arena *memory);
void fatigue_start(struct sim *sim);
void fatigue_advance(struct sim *sim) NONBLOCKING;
void fatigue_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;
double fatigue_damage_at(const struct sim *sim, int node) NONBLOCKING;
int fatigue_is_valid(const struct sim *sim, const struct fatigue_state *state, const void *counts,
                     struct reason *why);

// Outputs of a stinger (stinger_output.c). stinger_bending: bending strain over a roller, 1/m, continued from
// both sides because the moment has a kink there.
double stinger_bending(const struct sim *sim, const struct roller_place *place) NONBLOCKING;
void stinger_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;

// A snapshot: this head, then the pipe's fields. 8-byte members only, so that no padding is copied.
struct snapshot_head {
  uint64_t magic, bytes, elements, reserved;
  struct sim_run run;
  struct vessel_state vessel;
  double pid_integral[6];
  struct plant_state plant;
  struct prediction_state prediction;
#define X(name, present) struct name##_state name;
  FEATURE_TABLE(X)
#undef X
};

// Hash of a head and the pipe's fields, without what belongs to features that the session does not have:
// state_hash.c.
uint64_t state_hash_of(const struct snapshot_head *head, const void *fields, size_t field_bytes) NONBLOCKING;
