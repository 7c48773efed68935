// Code check of the whole pipe: in the middles of the elements, at both ends, and on both sides of the nodes
// where two types meet, as the extremes (sagbend/pipe/extremes.c).
#include "sagbend/sim/sim_parts.h"

#include <string.h>

static int is_joint(const struct pipe_mesh *p, int node) {
  return node > 0 && node < p->elements && p->type[node - 1] != p->type[node];
}

enum status code_check_prepare(struct sim *sim, struct reason *why) {
  const struct code_check_def *def = &sim->def.code_check;
  struct check_factors factors = check_factors_of((enum safety_class)def->safety_class, def->condition);
  check_factors_use(&factors, (enum check_load_factors)def->load_factors);
  for (int k = 0; k <= sim->def.pipe.type_count; k++) {
    struct reason steel;
    if (check_prepare(&def->steel[k], &factors, def->min_pressure_pa, &sim->check.capacity[k], &steel) !=
        STATUS_OK)
      return fail(why, STATUS_BAD_INPUT, "code check of pipe type %d: %s", k, steel.text);
  }
  return STATUS_OK;
}

// Force, moment and strain of a section of element e.
static struct check_section section_of(const struct pipe_mesh *p, int e, const struct section_forces *f) {
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
                        section_of(p, e, &f)};
}

static struct place node_place(const struct sim *sim, int node, int element) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  struct section_forces f =
      pipe_node_side_forces(p, &sim->state.pipe, &sim->work.pipe, node, element == node);
  return (struct place){element, p->arc_m[node], sim->state.pipe.r_n[2][node], section_of(p, element, &f)};
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
  if (sim->model.pipe.feed.present)
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
      arena_take(memory, (size_t)pipe->feed.elements_max, sizeof *check->element_governing);
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
  return (1 / c->use.propagation + c->min_pressure_pa) / sim->model.pipe.water_npm3;
}
