// Fatigue of every element at eight points of its steel, from the nominal elastic stress in its middle:
//   s_q = N/A + (M2 sin q - M3 cos q) r/I,
// N the wall tension, M = EI times the curvature by bending, also where the pipe yields. Elements are sampled
// in turn, so that each step costs the same. The top element of a pipe that is paid out is counted from its
// split on. docs/fatigue.md.
#include "sagbend/base/base.h"
#include "sagbend/sim/fatigue_result.h"
#include "sagbend/sim/sim_parts.h"

#include <math.h>
#include <string.h>

static const double STANDBY_MOST_H = 1e6;
enum { DECK_SLOTS = 32 }; // elements on the deck whose counts wait for their return

void fatigue_take(struct sim *sim, const struct sim_def *def, struct arena *memory) {
  struct fatigue_run *f = &sim->fatigue;
  const struct pipe *p = &sim->model.pipe;
  *f = (struct fatigue_run){.slots = p->feed.elements_max + (p->feed.present ? DECK_SLOTS : 0),
                            .laid_slots = def->pipe.retire.anchor_m > 0 ? def->pipe.retire.stored_max : 0};
  f->element = arena_take(memory, (size_t)f->slots, sizeof *f->element);
  f->laid = arena_take(memory, (size_t)f->laid_slots, sizeof *f->laid);
}

static size_t bytes_of(const struct fatigue_run *f) {
  return (size_t)f->slots * sizeof *f->element + (size_t)f->laid_slots * sizeof *f->laid;
}

static struct fatigue_section section_of(const struct sim_def *def, int type) {
  const double outer = pipe_steel_diameter(pipe_type_of(&def->pipe, type));
  return fatigue_section_of(&def->fatigue.curve, outer, def->fatigue.wall_m[type]);
}

// Elements that are counted: all but a top element whose length changes.
static uint64_t counted(const struct sim *sim) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  return (uint64_t)(p->elements - p->pipe->feed.present);
}

static struct fatigue_element *slot_of(const struct sim *sim, uint64_t number) {
  return &sim->fatigue.element[number % (uint64_t)sim->fatigue.slots];
}

static void retire(struct sim *sim, uint64_t number) {
  struct fatigue_element *e = slot_of(sim, number);
  if (e->number != number + 1)
    return;
  if (sim->fatigue.laid_slots > 0) {
    struct fatigue_laid *laid = &sim->fatigue.laid[number % (uint64_t)sim->fatigue.laid_slots];
    laid->number = number + 1;
    memcpy(laid->total, e->total, sizeof laid->total);
  }
  memset(e, 0, sizeof *e);
}

// An element that the count has not, or no longer: new, or back from the store of retired ones.
static void enter(struct sim *sim, uint64_t number) {
  struct fatigue_element *e = slot_of(sim, number);
  if (e->number == number + 1)
    return;
  memset(e, 0, sizeof *e);
  e->number = number + 1;
  e->standby_s = (double)INFINITY;
  if (sim->fatigue.laid_slots == 0)
    return;
  struct fatigue_laid *laid = &sim->fatigue.laid[number % (uint64_t)sim->fatigue.laid_slots];
  if (laid->number != number + 1)
    return;
  memcpy(e->closed, laid->total, sizeof e->closed);
  memcpy(e->total, laid->total, sizeof e->total);
  memset(laid, 0, sizeof *laid);
}

static void follow_window(struct sim *sim) {
  struct fatigue_state *state = &sim->run.fatigue;
  const uint64_t first = (uint64_t)sim->state.mesh.pipe.first, end = first + counted(sim);
  if (state->first == first && state->count == end - first)
    return;
  for (uint64_t n = state->first; n < first && n < state->first + state->count; n++)
    retire(sim, n);
  for (uint64_t n = first; n < end; n++)
    enter(sim, n);
  state->first = first, state->count = end - first;
}

void fatigue_start(struct sim *sim) {
  const struct fatigue_def *def = &sim->def.fatigue;
  struct fatigue_run *f = &sim->fatigue;
  for (int k = 0; k <= sim->def.pipe.type_count; k++)
    f->section[k] = section_of(&sim->def, k);
  f->every = (uint64_t)fmax(1, floor(def->interval_s / sim->def.step_s + 0.5));
  f->ticks =
      (uint64_t)fmax(1, floor(def->window_s / FATIGUE_TICKS / ((double)f->every * sim->def.step_s) + 0.5));
  sim->run.fatigue =
      (struct fatigue_state){.bytes = def->beside ? 0 : bytes_of(f), .standby_s = (double)INFINITY};
  follow_window(sim);
}

static void stresses_of(const struct sim *sim, const struct fatigue_section *s, int e,
                        double to[FATIGUE_POINTS]) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const struct section_forces f = pipe_element_section_forces(p, &sim->state.pipe, &sim->work.pipe, e);
  double bend[2];
  for (int k = 0; k < 2; k++)
    bend[k] = f.bending_nm[k] + p->stiffness[4 + k][e] * f.residual_1pm[k];
  fatigue_stresses(s, f.wall_tension_n, bend, to);
}

// Worst rate and standby time of the elements that are counted.
static void compare(struct sim *sim) {
  struct fatigue_state *state = &sim->run.fatigue;
  state->rate_1ps = 0;
  state->standby_s = (double)INFINITY;
  for (uint64_t n = state->first; n < state->first + state->count; n++) {
    const struct fatigue_element *e = slot_of(sim, n);
    state->rate_1ps = fmax(state->rate_1ps, e->rate_1ps);
    state->standby_s = fmin(state->standby_s, e->standby_s);
  }
}

static void count_element(struct sim *sim, int at) {
  struct fatigue_state *state = &sim->run.fatigue;
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const struct fatigue_section *section = &sim->fatigue.section[p->type[at]];
  struct fatigue_element *e = slot_of(sim, state->first + (uint64_t)at);
  double stress[FATIGUE_POINTS];
  if (pipe_is_wire(p, at)) // its strands are no pipe wall
    return;
  stresses_of(sim, section, at, stress);
  state->sum += rainflow_sample(e, &section->curve, sim->def.fatigue.gate_pa, stress);
  if (e->largest > state->damage) {
    state->damage = e->largest, state->point = e->point;
    state->arc_m = p->arc_m[at] + 0.5 * p->length_m[at];
  }
  if ((e->samples - 1) % sim->fatigue.ticks == 0) {
    rainflow_tick(e, sim_time_s(sim), sim->def.fatigue.allowance);
    compare(sim);
  }
}

void fatigue_advance(struct sim *sim) {
  const struct fatigue_def *def = &sim->def.fatigue;
  const struct fatigue_state *state = &sim->run.fatigue;
  const uint64_t every = sim->fatigue.every;
  follow_window(sim);
  const uint64_t skip = (sim->run.step + every - state->first % every) % every;
  for (uint64_t at = skip; at < state->count; at += every)
    count_element(sim, (int)at);
  if (def->beside)
    return;
  if (state->damage > def->allowance)
    sim_raise(sim, EVENT_FATIGUE_ALLOWANCE);
  if (state->standby_s < def->standby_least_s)
    sim_raise(sim, EVENT_STANDBY_SHORT);
}

struct fatigue_result sim_fatigue(const struct sim *sim) {
  const struct fatigue_state *state = &sim->run.fatigue;
  return (struct fatigue_result){.damage = state->damage,
                                 .arc_m = state->arc_m,
                                 .point = (double)state->point,
                                 .rate_1ps = state->rate_1ps,
                                 .standby_h = fmin(state->standby_s / 3600, STANDBY_MOST_H)};
}

void fatigue_output(const struct sim *sim, struct sim_output *out) {
  out->has_fatigue = sim->def.fatigue.asked && !sim->def.fatigue.beside;
  if (!out->has_fatigue)
    return;
  const struct fatigue_result result = sim_fatigue(sim);
  out->fatigue_damage = result.damage, out->fatigue_arc_m = result.arc_m, out->fatigue_point = result.point;
  out->fatigue_rate_1ps = result.rate_1ps, out->fatigue_standby_h = result.standby_h;
}

int sim_fatigue_along(const struct sim *sim, struct fatigue_place *places, int capacity) {
  const struct fatigue_state *state = &sim->run.fatigue;
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  for (int e = 0; e < (int)state->count && e < capacity; e++)
    places[e] = (struct fatigue_place){.arc_m = p->arc_m[e] + 0.5 * p->length_m[e],
                                       .damage = slot_of(sim, state->first + (uint64_t)e)->largest};
  return (int)state->count;
}

double fatigue_damage_at(const struct sim *sim, int node) {
  const struct fatigue_state *state = &sim->run.fatigue;
  double most = 0;
  if (!sim->def.fatigue.asked || sim->def.fatigue.beside)
    return (double)NAN;
  for (int e = node - 1; e <= node; e++)
    if (e >= 0 && (uint64_t)e < state->count)
      most = fmax(most, slot_of(sim, state->first + (uint64_t)e)->largest);
  return most;
}

int fatigue_is_valid(const struct sim *sim, const struct fatigue_state *state, const void *counts,
                     struct reason *why) {
  const struct fatigue_run *f = &sim->fatigue;
  const uint64_t bytes = sim->def.fatigue.asked && !sim->def.fatigue.beside ? bytes_of(f) : 0;
  if (!valid_whole(state->bytes, bytes, bytes, "fatigue.bytes", why) ||
      !valid_whole(state->count, 0, (uint64_t)f->slots, "fatigue.count", why) ||
      !valid_whole(state->first, 0, VALID_MOST_STEPS, "fatigue.first", why) ||
      !valid_range(state->sum, 0, (double)INFINITY, "fatigue.sum", why) ||
      !valid_range(state->damage, 0, (double)INFINITY, "fatigue.damage", why) ||
      !valid_finite(&state->arc_m, 1, "fatigue.arc_m", why) ||
      !valid_range(state->rate_1ps, 0, (double)INFINITY, "fatigue.rate_1ps", why) ||
      !valid_range(state->standby_s, 0, (double)INFINITY, "fatigue.standby_s", why))
    return 0;
  for (int k = 0; k < (bytes > 0 ? f->slots : 0); k++) {
    struct fatigue_element e;
    memcpy(&e, (const unsigned char *)counts + (size_t)k * sizeof e, sizeof e);
    if (e.number > 0 && ((e.number - 1) % (uint64_t)f->slots != (uint64_t)k || !rainflow_is_valid(&e, why)))
      return valid_fail_in(why, "fatigue, place %d: ", k);
  }
  for (int k = 0; k < (bytes > 0 ? f->laid_slots : 0); k++) {
    struct fatigue_laid laid;
    memcpy(&laid,
           (const unsigned char *)counts + (size_t)f->slots * sizeof *f->element + (size_t)k * sizeof laid,
           sizeof laid);
    for (int q = 0; q < FATIGUE_POINTS; q++)
      if (!valid_range(laid.total[q], 0, (double)INFINITY, "fatigue, laid", why))
        return 0;
  }
  return 1;
}
