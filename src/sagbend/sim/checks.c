// Code check of the whole pipe: in the middles of the elements, at both ends, and on both sides of the nodes
// where two types meet, as the extremes (sagbend/sections/sections.c).
#include "sagbend/sim/sim.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

static int is_joint(const struct pipe_mesh *p, int node) {
  return node > 0 && node < p->elements && p->type[node - 1] != p->type[node];
}

enum status code_check_prepare(struct sim *sim, struct reason *why) {
  const struct code_check_def *def = &sim->def->code_check;
  struct check_factors factors = check_factors_of((enum safety_class)def->safety_class, def->condition);
  check_factors_use(&factors, (enum check_load_factors)def->load_factors);
  for (int k = 0; k <= sim->def->pipe.type_count; k++) {
    struct reason steel;
    if (check_prepare(&def->steel[k], &factors, def->min_pressure_pa, &sim->check.capacity[k], &steel) !=
        STATUS_OK)
      return fail(why, STATUS_BAD_INPUT, "code check of pipe type %d: %s", k, steel.text);
  }
  return STATUS_OK;
}

// Force, moment and strain of a section of element e.
static struct check_section check_section_of(const struct pipe_mesh *p, int e,
                                             const struct section_forces *f) {
  double radius = p->steel_radius_m[e];
  return (struct check_section){
      .tension_n = f->effective_tension_n,
      .bending_nm = {f->bending_nm[0], f->bending_nm[1]},
      .torsion_nm = f->torsion_nm,
      .axial_strain = f->effective_tension_n / p->stiffness[0][e],
      .bending_strain = {radius * (f->bending_nm[0] / p->stiffness[4][e] + f->residual_1pm[0]),
                         radius * (f->bending_nm[1] / p->stiffness[5][e] + f->residual_1pm[1])}};
}

struct place {
  int element;
  double s_m, z_m;
  struct check_section total;
};

static struct place middle_place(const struct sim *sim, int e) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  struct section_forces f = pipe_element_section_forces(p, &sim->state.pipe, &sim->work.pipe, e);
  const double *z = sim->state.pipe.r_n[2];
  return (struct place){e, 0.5 * (p->arc_m[e] + p->arc_m[e + 1]), 0.5 * (z[e] + z[e + 1]),
                        check_section_of(p, e, &f)};
}

static struct place node_place(const struct sim *sim, int node, int element) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  struct section_forces f =
      pipe_node_side_forces(p, &sim->state.pipe, &sim->work.pipe, node, element == node);
  return (struct place){element, p->arc_m[node], sim->state.pipe.r_n[2][node],
                        check_section_of(p, element, &f)};
}

// functional NULL: all loads are functional.
static struct utilisation utilisation_at(const struct sim *sim, const struct place *place,
                                         const struct check_section *functional) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const double outside = place->z_m > 0 ? p->pipe->water_npm3 * place->z_m : 0,
               inside = p->pipe->content_pressure_pa + p->pipe->content_npm3 * place->z_m,
               share = p->flood_share[place->element];
  const struct check_load load = {.functional = functional ? *functional : place->total,
                                  .total = place->total,
                                  .external_pa = outside,
                                  .internal_pa = inside + share * (outside - inside)};
  struct utilisation used;
  check_section_loads(&sim->check.capacity[p->type[place->element]], &load, &used);
  return used;
}

// Checks that a utilisation above 1 fails wherever it is.
static const enum code_check GOVERNING[] = {CHECK_LOAD_CONTROLLED, CHECK_COLLAPSE, CHECK_BURST};

// Keeps the larger of the utilisations at a place and so far.
static struct utilisation judge(struct sim *sim, const struct place *place,
                                const struct check_section *functional) {
  const struct utilisation used = utilisation_at(sim, place, functional);
  struct code_check_state *check = &sim->check;
  for (int k = 0; k < CODE_CHECK_COUNT; k++) {
    check->limits[k] |= used.limits[k];
    if (used.value[k] > check->largest[k].utilisation)
      check->largest[k] = (struct check_output){used.value[k], place->s_m};
  }
  double *governing = &check->element_governing[place->element];
  for (size_t k = 0; k < sizeof GOVERNING / sizeof *GOVERNING && *governing >= 0; k++)
    *governing = used.limits[GOVERNING[k]] ? -1 : fmax(*governing, used.value[GOVERNING[k]]);
  return used;
}

static const struct check_section NO_LOADS;

// Functional loads of a place, the number-th in the order of judge_all; NULL: all loads. Of a pipe whose
// length changes no part stays where it was in the equilibrium: its loads are not divided, and all of them
// count as environmental, which have the larger factor.
static const struct check_section *functional_at(const struct sim *sim, int number) {
  const struct code_check_state *check = &sim->check;
  if (sim->model->pipe.tally.present)
    return sim->run.step > 0 ? &NO_LOADS : NULL;
  return number < check->places ? &check->functional[number] : NULL;
}

static struct utilisation judge_place(struct sim *sim, const struct place *place, int number, int starting) {
  if (starting && number < sim->check.places)
    sim->check.functional[number] = place->total;
  return judge(sim, place, functional_at(sim, number));
}

static void judge_all(struct sim *sim, int starting) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  int number = 0;
  memset(sim->check.limits, 0, sizeof sim->check.limits);
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    sim->check.largest[k] = (struct check_output){-1, 0};
  memset(sim->check.element_governing, 0, (size_t)p->elements * sizeof *sim->check.element_governing);
  sim->check.propagation_length_m = 0;

  for (int e = 0; e < p->elements; e++) {
    if (pipe_is_wire(p, e)) // the code is one of pipe
      continue;
    struct place place = middle_place(sim, e);
    const struct utilisation used = judge_place(sim, &place, number++, starting);
    sim->check.propagation_length_m += used.value[CHECK_PROPAGATION] > 1 ? p->length_m[e] : 0;
  }
  for (int i = 0; i <= p->elements; i++)
    for (int upper = 0; upper < 2; upper++) {
      int end = i == 0 || i == p->elements;
      if ((end ? upper != (i == 0) : !is_joint(p, i)) || pipe_is_wire(p, i - 1 + upper))
        continue;
      struct place place = node_place(sim, i, i - 1 + upper);
      judge_place(sim, &place, number++, starting);
    }
}

void code_check_take(struct code_check_state *check, const struct pipe *pipe, const struct pipe_def *def,
                     struct arena *memory) {
  check->element_governing =
      arena_take(memory, (size_t)pipe->tally.elements_max, sizeof *check->element_governing);
  check->places = def->elements + 2 + 2 * def->mesh_segment_count; // at most so many
  check->functional = arena_take(memory, (size_t)check->places, sizeof *check->functional);
}

void code_check_start(struct sim *sim) {
  judge_all(sim, 1);
}

void code_check_refresh(struct sim *sim) {
  judge_all(sim, 0);
}

static struct check_output undefined(void) {
  return (struct check_output){(double)NAN, (double)NAN};
}

void code_check_output(const struct sim *sim, struct sim_output *out) {
  const struct code_check_state *check = &sim->check;
  out->has_code_check = 1;
  memcpy(out->check_limits, check->limits, sizeof out->check_limits);
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    out->check[k] = check->limits[k] ? undefined() : check->largest[k];

  out->governing = (struct check_output){-1, 0};
  for (size_t k = 0; k < sizeof GOVERNING / sizeof *GOVERNING; k++) {
    const struct check_output *one = &out->check[GOVERNING[k]];
    if (isnan(one->utilisation) || isnan(out->governing.utilisation))
      out->governing = undefined();
    else if (one->utilisation > out->governing.utilisation)
      out->governing = *one;
  }
  out->propagation_length_m = check->limits[CHECK_PROPAGATION] ? (double)NAN : check->propagation_length_m;
}

double code_check_governing_at(const struct sim *sim, int node) {
  const double *governing = sim->check.element_governing;
  const int last = sim->state.mesh.pipe.elements - 1;
  const double below = governing[node > 0 ? node - 1 : 0], above = governing[node < last ? node : last];
  return below < 0 || above < 0 ? -1 : fmax(below, above);
}

void sim_get_static_utilisations(const struct sim *sim, struct utilisation *nodes) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  for (int i = 0; i < p->nodes; i++) {
    struct place lower = node_place(sim, i, i > 0 ? i - 1 : 0);
    nodes[i] = utilisation_at(sim, &lower, NULL);
    if (!is_joint(p, i))
      continue;
    struct place upper = node_place(sim, i, i);
    struct utilisation above = utilisation_at(sim, &upper, NULL);
    for (int k = 0; k < CODE_CHECK_COUNT; k++) {
      nodes[i].limits[k] |= above.limits[k];
      nodes[i].value[k] = nodes[i].limits[k] ? (double)NAN : fmax(nodes[i].value[k], above.value[k]);
    }
  }
}

const struct check_capacity *sim_check_capacity(const struct sim *sim, int type) {
  return &sim->check.capacity[type];
}

double sim_propagation_depth_m(const struct sim *sim, int type) {
  const struct check_capacity *c = sim_check_capacity(sim, type);
  return (1 / c->use.propagation + c->min_pressure_pa) / sim->model->pipe.water_npm3;
}

// ------------------------------------------------------------
// Fatigue of every element at eight points of its steel, from the nominal elastic stress in its middle:
//   s_q = N/A + (M2 sin q - M3 cos q) r/I,
// N the wall tension, M = EI times the curvature by bending, also where the pipe yields. Elements are sampled
// in turn, so that each step costs the same. The top element of a pipe that is paid out is counted from its
// split on. docs/fatigue.md.

static const double STANDBY_MOST_H = 1e6;
enum { DECK_SLOTS = 32 }; // elements on the deck whose counts wait for their return

void fatigue_take(struct sim *sim, const struct sim_def *def, struct arena *memory) {
  struct fatigue_run *f = &sim->fatigue;
  const struct pipe *p = &sim->model->pipe;
  *f = (struct fatigue_run){.slots = p->tally.elements_max + (p->tally.present ? DECK_SLOTS : 0),
                            .laid_slots = def->pipe.retire.anchor_m > 0 ? def->pipe.retire.stored_max : 0};
  f->element = arena_take(memory, (size_t)f->slots, sizeof *f->element);
  f->laid = arena_take(memory, (size_t)f->laid_slots, sizeof *f->laid);
}

static size_t bytes_of(const struct fatigue_run *f) {
  return (size_t)f->slots * sizeof *f->element + (size_t)f->laid_slots * sizeof *f->laid;
}

static struct fatigue_section watched_section_of(const struct sim_def *def, int type) {
  const double outer = pipe_steel_diameter(pipe_type_of(&def->pipe, type));
  return fatigue_section_of(&def->fatigue.curve, outer, def->fatigue.wall_m[type]);
}

// Elements that are counted: all but a top element whose length changes.
static uint64_t counted(const struct sim *sim) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  return (uint64_t)(p->elements - p->pipe->tally.present);
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
  const struct fatigue_def *def = &sim->def->fatigue;
  struct fatigue_run *f = &sim->fatigue;
  for (int k = 0; k <= sim->def->pipe.type_count; k++)
    f->section[k] = watched_section_of(sim->def, k);
  f->every = (uint64_t)fmax(1, floor(def->interval_s / sim->def->step_s + 0.5));
  f->ticks =
      (uint64_t)fmax(1, floor(def->window_s / FATIGUE_TICKS / ((double)f->every * sim->def->step_s) + 0.5));
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
  state->sum += rainflow_sample(e, &section->curve, sim->def->fatigue.gate_pa, stress);
  if (e->largest > state->damage) {
    state->damage = e->largest, state->point = e->point;
    state->arc_m = p->arc_m[at] + 0.5 * p->length_m[at];
  }
  if ((e->samples - 1) % sim->fatigue.ticks == 0) {
    rainflow_tick(e, sim_time_s(sim), sim->def->fatigue.allowance);
    compare(sim);
  }
}

void fatigue_advance(struct sim *sim) {
  const struct fatigue_def *def = &sim->def->fatigue;
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
  out->has_fatigue = sim->def->fatigue.enabled && !sim->def->fatigue.beside;
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
  if (!sim->def->fatigue.enabled || sim->def->fatigue.beside)
    return (double)NAN;
  for (int e = node - 1; e <= node; e++)
    if (e >= 0 && (uint64_t)e < state->count)
      most = fmax(most, slot_of(sim, state->first + (uint64_t)e)->largest);
  return most;
}

int fatigue_is_valid(const struct sim *sim, const struct fatigue_state *state, const void *counts,
                     struct reason *why) {
  const struct fatigue_run *f = &sim->fatigue;
  const uint64_t bytes = sim->def->fatigue.enabled && !sim->def->fatigue.beside ? bytes_of(f) : 0;
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
