// Memory and constants of the pipe, its mesh, copies and checks of its state.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

enum { CACHE_LINE = 8 }; // doubles

// A zeroed, padded array; NULL while measuring. It takes an odd number of cache lines, so that values of one
// node lie in different sets of the cache: at 1000 elements, where they would lie in one set, a step takes
// half the time.
static double *take(struct arena *memory, size_t stride) {
  size_t lines = (stride + PIPE_LEAD + CACHE_LINE - 1) / CACHE_LINE | 1;
  double *p = arena_take(memory, lines * CACHE_LINE, sizeof(double));
  return p ? p + PIPE_LEAD : NULL;
}

static void take_many(double **fields, int count, size_t stride, struct arena *memory) {
  for (int k = 0; k < count; k++)
    fields[k] = take(memory, stride);
}

// Bending stiffness of a wire with elements of this length, N m2.
// The springs of two elements, 4 EI/l^2, turn the rotary inertia of a node, J l.
static double pipe_wire_bending(const struct pipe_kind *kind, double length_m) NONBLOCKING {
  const double least = 0.25 * PIPE_WIRE_TURN_RATE * PIPE_WIRE_TURN_RATE * length_m * length_m *
                       fmax(kind->metre.inertia_kgm2[1], kind->metre.inertia_kgm2[2]);
  return fmax(0.5 * (kind->stiffness[4] + kind->stiffness[5]), least);
}

void pipe_fill_element(struct pipe_mesh *p, int e, int type, double length_m) {
  const struct pipe_kind *kind = &p->pipe->kind[type];
  p->length_m[e] = length_m;
  for (int k = 0; k < 6; k++)
    p->stiffness[k][e] = kind->stiffness[k];
  if (kind->metre.is_wire)
    p->stiffness[4][e] = p->stiffness[5][e] = pipe_wire_bending(kind, length_m);
  // The element's Omega of an arc of this curvature, which turns by curvature * l from node to node.
  for (int k = 0; k < 2; k++)
    p->rest_strain[4 + k][e] = trig_sin(kind->curvature_1pm[k] * length_m) / length_m;
  for (int k = 0; k < 2 && p->pipe->has_plastic; k++)
    p->unbent_1pm[k][e] = p->rest_strain[4 + k][e];
  p->type[e] = type;
  p->outer_area_m2[e] = kind->outer_area_m2;
  p->inner_area_m2[e] = kind->inner_area_m2;
  p->steel_radius_m[e] = kind->steel_radius_m;
  p->arc_m[e + 1] = p->arc_m[e] + length_m;
  p->weight_npm[e] = kind->weight_npm;
  p->outer_radius_m[e] = kind->outer_radius_m;
  p->displaced_n[e] = p->pipe->buoyant_npm3 * kind->outer_area_m2 * length_m;
}

void pipe_clear_element(struct pipe_mesh *p, int e) {
#define X(member, arrays, present, of)                                                                       \
  for (int k = 0; k < (arrays) && (of) == PER_ELEMENT; k++)                                                  \
    if (((double **)&p->member)[k])                                                                          \
      ((double **)&p->member)[k][e] = 0;
  PIPE_MESH(X)
#undef X
  p->type[e] = 0;
  p->length_m[e] = 1; // the padding divides by it
  p->arc_m[e + 1] = 0;
}

// What a metre of a type adds to a node.
static struct pipe_metre metre_of(const struct pipe_def *def, const struct pipe_type *type,
                                  const struct env_def *env) {
  double weight = pipe_type_weight(def, type, env);
  double drag = 0.5 * env->water_density_kgpm3 * type->outer_diameter_m;
  struct pipe_metre metre = {
      .mass_kg = pipe_type_mass(def, type),
      .water_kg = env->water_density_kgpm3 * pipe_outer_area(type),
      .added_transverse = type->added_mass_transverse,
      .added_axial = type->added_mass_axial,
      .weight_n = weight,
      .drag_transverse = drag * type->drag_transverse,
      .drag_axial = drag * type->drag_axial,
      .is_wire = type->wire > 0,
      .contact_m = env->seabed != SEABED_NONE,
      .spring = env->seabed == SEABED_LINEAR
                    ? seabed_linear(env->seabed_stiffness_npm3 * type->outer_diameter_m)
                    : seabed_spring_of(weight, type->outer_diameter_m),
      .contact_damping_nspm2 = env->seabed_damping_nspm3 * type->outer_diameter_m,
      .contact_offset_m = env->seabed_contact == CONTACT_AXIS ? 0 : 0.5 * type->outer_diameter_m};
  for (int k = 0; k < 3; k++) {
    metre.inertia_kgm2[k] = type->inertia_kgm[k];
    metre.rotational_damping[k] = type->rotational_damping_ns[k];
  }
  return metre;
}

static struct pipe_kind kind_of(const struct pipe_def *def, const struct pipe_type *type,
                                const struct env_def *env) {
  return (struct pipe_kind){
      .stiffness = {type->axial_stiffness_n, type->shear_stiffness_n[0], type->shear_stiffness_n[1],
                    type->torsion_stiffness_nm2, type->bending_stiffness_nm2[0],
                    type->bending_stiffness_nm2[1]},
      .curvature_1pm = {type->curvature_1pm[0], type->curvature_1pm[1]},
      .outer_area_m2 = pipe_outer_area(type),
      .inner_area_m2 = pipe_circle_area(type->inner_diameter_m),
      .steel_radius_m = 0.5 * pipe_steel_diameter(type),
      .weight_npm = pipe_type_weight(def, type, env),
      .outer_radius_m = 0.5 * type->outer_diameter_m,
      .is_hinged = type->wire_hinged > 0,
      .metre = metre_of(def, type, env),
      .layers = plasticity_layers(type),
  };
}

// Adds to node i a length of one type, which is this part of the node's whole length.
static void add_half_element(struct pipe_mesh *p, int i, const struct pipe_metre *metre, double length_m,
                             double part) {
  double water = metre->water_kg * length_m;
  p->mass_kg[i] += metre->mass_kg * length_m + metre->added_transverse * water;
  p->axial_excess_kg[i] += (metre->added_axial - metre->added_transverse) * water;
  p->water_kg[0][i] += p->pipe->water_inertia ? (1 + metre->added_axial) * water : 0;
  p->water_kg[1][i] += p->pipe->water_inertia ? (1 + metre->added_transverse) * water : 0;
  p->weight_n[i] += metre->weight_n * length_m;
  p->drag_transverse[i] += metre->drag_transverse * length_m;
  p->drag_axial[i] += metre->drag_axial * length_m;

  for (int k = 0; k < 3; k++) {
    p->inertia_kgm2[k][i] += metre->inertia_kgm2[k] * length_m;
    p->rotational_damping[k][i] += metre->rotational_damping[k] * length_m;
  }

  p->contact_length_m[i] += metre->contact_m ? length_m : 0;
  p->seabed[i].slope_npm2 += part * metre->spring.slope_npm2;
  p->seabed[i].break_m += part * metre->spring.break_m;
  p->contact_damping_nspm2[i] += part * metre->contact_damping_nspm2;
  p->contact_offset_m[i] += part * metre->contact_offset_m;
}

// The added mass of a node's lengths of these kinds, once it carries them: a wire has Morison's form.
static void set_form(struct pipe_mesh *p, int i, int has_wire) {
  const int is_morison = has_wire || p->pipe->added_mass_form == ADDED_MASS_MORISON;
  p->kirchhoff_kg[i] = is_morison ? 0 : p->axial_excess_kg[i];
}

static void clear_node(struct pipe_mesh *p, int i) {
#define X(member, arrays, present, of)                                                                       \
  for (int k = 0; k < (arrays) && (of) == PER_NODE; k++)                                                     \
    ((double **)&p->member)[k][i] = 0;
  PIPE_MESH(X)
#undef X
  p->seabed[i] = (struct seabed_spring){0, 0};
}

void pipe_lump(struct pipe_mesh *p, int i, const struct pipe_load *load, int count) {
  int has_wire = 0;
  clear_node(p, i);
  for (int k = 0; k < count; k++) {
    add_half_element(p, i, load[k].metre, load[k].length_m, load[k].contact_part);
    has_wire |= load[k].metre->is_wire;
  }
  set_form(p, i, has_wire);
}

void pipe_fill_node(struct pipe_mesh *p, int i) {
  const int below = p->type[i > 0 ? i - 1 : 0], above = p->type[i < p->elements ? i : i - 1];
  double lower = i > 0 ? 0.5 * p->length_m[i - 1] : 0, upper = i < p->elements ? 0.5 * p->length_m[i] : 0;
  double length = lower + upper;
  clear_node(p, i);
  if (below == above) {
    add_half_element(p, i, &p->pipe->kind[above].metre, length, 1);
  } else {
    add_half_element(p, i, &p->pipe->kind[below].metre, lower, lower / length);
    add_half_element(p, i, &p->pipe->kind[above].metre, upper, upper / length);
  }
  set_form(p, i, p->pipe->kind[below].metre.is_wire || p->pipe->kind[above].metre.is_wire);
}

// Before memory is taken: a law may need some.
static void set_friction(struct pipe *p, const struct env_def *env) {
  p->friction = env->friction;
  if (p->friction.law == FRICTION_OF_SEABED)
    p->friction.law = p->has_soil ? FRICTION_BREAKOUT : FRICTION_COULOMB;
}

static void set_environment(struct pipe *p, const struct pipe_def *def, const struct env_def *env) {
  p->water_npm3 = env->water_density_kgpm3 * env->gravity_mps2;
  p->buoyant_npm3 = def->buoyancy == BUOYANCY_BY_DEPTH ? p->water_npm3 : 0;
  p->content_npm3 = def->content_density_kgpm3 * env->gravity_mps2;
  p->content_pressure_pa = def->content_pressure_pa;
  p->flood_kgpm3 = env->water_density_kgpm3 - def->content_density_kgpm3;
  p->gravity_mps2 = env->gravity_mps2;
  p->has_friction =
      env->seabed != SEABED_NONE && (env->friction.coefficient[0] > 0 || env->friction.coefficient[1] > 0);
  p->contact_suction = env->seabed_suction;
  p->soil_friction = soil_friction_of(&env->soil);
  p->depth_m = env->depth_m;
}

// The largest of what the pipe has of a kind.
static void take_kind(struct pipe *p, const struct pipe_kind *kind) {
  p->stiffest_n = fmax(p->stiffest_n, kind->stiffness[0]);
  p->widest_m = p->buoyant_npm3 > 0 ? fmax(p->widest_m, kind->outer_radius_m) : -(double)INFINITY;
  if (kind->metre.added_axial == kind->metre.added_transverse)
    return;
  if (p->added_mass_form == ADDED_MASS_MORISON || kind->metre.is_wire)
    p->has_morison = 1;
  else
    p->has_kirchhoff = 1;
}

static void fill_tally(struct pipe *p, const struct pipe_def *def) {
  for (int k = 0; k < p->tally.stretch_count; k++) {
    const struct mesh_segment part = pipe_stretch_of(def, k);
    struct pipe_stretch *to = &p->tally.stretch[k];
    *to = (struct pipe_stretch){.elements = part.elements,
                                .type = part.type,
                                .element_m = part.length_m / part.elements,
                                .kind = &p->kind[part.type]};
    p->tally.longest_m = fmax(p->tally.longest_m, to->element_m);
    take_kind(p, to->kind);
  }
  p->tally.plan_elements = pipe_plan_elements(def);
  p->tally.shortest_m = pipe_tally_shortest(def);
  p->tally.elements_min = pipe_tally_elements_min(def);
}

static void set_retiring(struct pipe *p, const struct pipe_def *def) {
  struct pipe_retiring *retiring = &p->retiring;
  *retiring = (struct pipe_retiring){.held_position = def->lower != LOWER_FREE,
                                     .held_rotation = def->lower == LOWER_CLAMPED};
  if (!p->tally.present || !(def->retire.anchor_m > 0))
    return;
  retiring->anchor_m = def->retire.anchor_m;
  retiring->capacity = def->retire.stored_max;
}

static int has_plastic(const struct pipe_def *def) {
  int found = def->line.yield_moment_nm > 0;
  for (int k = 0; k < def->type_count; k++)
    found |= def->types[k].yield_moment_nm > 0;
  return found && def->elements > 0;
}

void pipe_create(struct pipe *p, const struct pipe_def *def, const struct env_def *env,
                 struct arena *memory) {
  p->tally.present = def->elements > 0 && (def->payout.row_count > 0 || def->tensioner.order_count > 0);
  p->tally.elements_max =
      p->tally.present && def->payout.elements_max > def->elements ? def->payout.elements_max : def->elements;
  const size_t nodes = def->elements > 0 ? (size_t)p->tally.elements_max + 1 : 0;
  p->stride = (nodes + LANES - 1) / LANES * LANES + PIPE_LEAD;
  p->has_plastic = has_plastic(def);
  p->has_soil = env->seabed == SEABED_SOIL && def->elements > 0;
  p->softens = p->has_soil && soil_softens(&env->soil);
  set_friction(p, env);
  p->water_inertia = def->water_inertia;
  p->in_sea = env->waves.present && env->waves.on_pipe && def->elements > 0;
  p->added_mass_form = def->added_mass_form;
  p->structural_damping_s = def->structural_damping_s;
  p->has_kirchhoff = p->has_morison = p->has_wire = 0;
  p->stiffest_n = p->widest_m = 0;
  p->kind = arena_take(memory, (size_t)def->type_count + 1, sizeof *p->kind);
  p->column = p->has_soil ? arena_take(memory, (size_t)def->type_count + 1, sizeof *p->column) : NULL;
  set_retiring(p, def);
  p->tally.stretch_count = p->tally.present ? pipe_stretch_count(def) : 0;
  p->tally.stretch = arena_take(memory, (size_t)p->tally.stretch_count, sizeof *p->tally.stretch);
  surface_create(&p->ground, env, memory);
  if (!p->kind || nodes == 0)
    return;

  set_environment(p, def, env);
  for (int k = 0; k <= def->type_count; k++)
    p->kind[k] = kind_of(def, pipe_type_of(def, k), env), p->has_wire |= p->kind[k].metre.is_wire;
  for (int k = 0; k <= def->type_count && p->has_soil; k++) // the simulator has checked that it succeeds
    (void)soil_column_create(&p->column[k], &env->soil, pipe_type_of(def, k)->outer_diameter_m, NULL);
  for (int e = 0; e < def->elements; e++)
    take_kind(p, &p->kind[pipe_stretch_at(def, e).type]);
  if (p->tally.present)
    fill_tally(p, def);
}

// ---- The tally ----

const struct pipe_stretch *pipe_stretch_of_place(const struct pipe *p, int place) {
  const struct pipe_tally *tally = &p->tally;
  int k = 0;
  for (; k < tally->stretch_count - 1 && place >= tally->stretch[k].elements; k++)
    place -= tally->stretch[k].elements;
  return &tally->stretch[k];
}

void pipe_find_place(struct pipe_mesh *p) {
  struct pipe_top *top = &p->top;
  top->own = pipe_stretch_of_place(p->pipe, top->place);
  top->next =
      top->place + 1 < p->pipe->tally.plan_elements ? pipe_stretch_of_place(p->pipe, top->place + 1) : NULL;
}

// ---- The mesh ----

#define X(member, arrays, present, of)                                                                       \
  _Static_assert(sizeof((struct pipe_mesh *)0)->member == (arrays) * sizeof(double *), #member);
PIPE_MESH(X)
#undef X
#define X(member, arrays, present, of) +(arrays)
_Static_assert(offsetof(struct pipe_mesh, type) == (PIPE_MESH(X)) * sizeof(double *),
               "each array of doubles has its row in PIPE_MESH");
#undef X

static void mesh_take(struct pipe_mesh *mesh, const struct pipe *p, struct arena *memory) {
#define X(member, arrays, present, of)                                                                       \
  for (int k = 0; k < (arrays); k++)                                                                         \
    ((double **)&mesh->member)[k] = (present) ? take(memory, p->stride) : NULL;
  PIPE_MESH(X)
#undef X
  mesh->type = arena_take(memory, p->stride, sizeof *mesh->type);
  mesh->seabed = arena_take(memory, p->stride, sizeof *mesh->seabed);
}

void pipe_mesh_create(struct pipe_mesh *mesh, const struct pipe *p, const struct pipe_def *def,
                      struct arena *memory) {
  const int has_nodes = def->elements > 0;
  *mesh = (struct pipe_mesh){
      .pipe = p,
      .elements = def->elements,
      .nodes = has_nodes ? def->elements + 1 : 0,
      .held_position = p->retiring.held_position,
      .held_rotation = p->retiring.held_rotation,
      .top_attached =
          has_nodes && def->hangoff != HANGOFF_FREE, // HANGOFF_MOVED: until the statics has placed it
      .top_rotation_attached = has_nodes && def->hangoff == HANGOFF_CLAMPED};
  mesh_take(mesh, p, memory);
  if (!mesh->seabed || !has_nodes)
    return;

  for (size_t e = 0; e < p->stride; e++)
    mesh->length_m[e] = 1; // the padding divides by it
  for (int e = 0; e < mesh->elements; e++)
    pipe_fill_element(mesh, e, pipe_stretch_at(def, e).type, pipe_element_length(def, e));
  for (int i = 0; i < mesh->nodes; i++)
    pipe_fill_node(mesh, i);
  if (!p->tally.present)
    return;
  mesh->top.place = def->elements - 1;
  pipe_find_place(mesh);
  mesh->top.hanging_water_npm = p->buoyant_npm3 * mesh->top.own->kind->outer_area_m2;
}

void pipe_mesh_copy(struct pipe_mesh *to, const struct pipe_mesh *from) {
  const struct pipe *p = from->pipe;
  const struct pipe_mesh arrays = *to;
  *to = *from;
#define X(member, arrays_of, present, of)                                                                    \
  memcpy(&to->member, &arrays.member, sizeof to->member);                                                    \
  for (int k = 0; k < (arrays_of) && (present); k++)                                                         \
    memcpy(((double **)&to->member)[k], ((double *const *)&from->member)[k], p->stride * sizeof(double));
  PIPE_MESH(X)
#undef X
  to->type = memcpy(arrays.type, from->type, p->stride * sizeof *to->type);
  to->seabed = memcpy(arrays.seabed, from->seabed, p->stride * sizeof *to->seabed);
}

// ---- The state ----

#define X(member, arrays, present, of)                                                                       \
  _Static_assert(sizeof((struct pipe_state *)0)->member == (arrays) * sizeof(double *), #member);
PIPE_STATE(X)
#undef X
#define X(member, arrays, present, of) +(arrays)
_Static_assert(sizeof(struct pipe_state) == (PIPE_STATE(X)) * sizeof(double *),
               "each array has its row in PIPE_STATE");
#undef X

struct pipe_state_rows pipe_state_rows(const struct pipe *p, const struct pipe_state *s) {
#define X(member, arrays, present, of)                                                                       \
  {(double **)(uintptr_t)&s->member, (present) ? (arrays) : 0, of, #member},
  return (struct pipe_state_rows){{PIPE_STATE(X)}};
#undef X
}

void pipe_state_create(struct pipe_state *s, const struct pipe *p, struct arena *memory) {
  *s = (struct pipe_state){.known_arc_m = NULL};
  const struct pipe_state_rows all = pipe_state_rows(p, s);
  for (int f = 0; f < PIPE_STATE_MEMBERS; f++)
    if (all.row[f].of != PER_PIPE)
      take_many(all.row[f].array, all.row[f].count, p->stride, memory);
    else if (all.row[f].count > 0)
      *all.row[f].array = arena_take(memory, 1, sizeof(double));
}

void pipe_state_copy(const struct pipe *p, struct pipe_state *to, const struct pipe_state *from) {
  const struct pipe_state_rows target = pipe_state_rows(p, to), source = pipe_state_rows(p, from);
  for (int f = 0; f < PIPE_STATE_MEMBERS; f++)
    for (int k = 0; k < target.row[f].count; k++)
      memcpy(target.row[f].array[k], source.row[f].array[k],
             (target.row[f].of == PER_PIPE ? 1 : p->stride) * sizeof(double));
}

int pipe_state_is_valid(const struct pipe *p, int elements, const struct pipe_state *s, struct reason *why) {
  const struct pipe_state_rows all = pipe_state_rows(p, s);
  for (int f = 0; f < PIPE_STATE_MEMBERS; f++)
    for (int k = 0; k < all.row[f].count; k++) {
      // With the padding before the first node and behind the last: kernels read it.
      const size_t before = all.row[f].of == PER_PIPE ? 0 : PIPE_LEAD;
      const size_t count = all.row[f].of == PER_PIPE ? 1 : p->stride + PIPE_LEAD;
      if (!valid_finite(all.row[f].array[k] - before, count, all.row[f].name, why))
        return 0;
    }

  for (int i = 0; i <= elements; i++) {
    const double q[4] = {s->q_nt[0][i], s->q_nt[1][i], s->q_nt[2][i], s->q_nt[3][i]};
    if (!valid_unit_quaternion(q, "q_nt", why))
      return valid_fail_in(why, "node %d: ", i);
  }

  return 1;
}

void pipe_work_create(struct pipe_work *w, const struct pipe *p, struct arena *memory) {
  take_many(w->d0, 9, p->stride, memory);
  take_many(w->dd, 9, p->stride, memory);
  take_many(w->dr_n, 3, p->stride, memory);
  take_many(w->theta_n, 3, p->stride, memory);
  take_many(w->slope0, 3, p->stride, memory);
  take_many(w->strain0, 6, p->stride, memory);
  take_many(w->strain_step, 6, p->stride, memory);
  take_many(w->stress, 6, p->stride, memory);
  take_many(w->force_n, 3, p->stride, memory);
  take_many(w->moment_lower, 3, p->stride, memory);
  take_many(w->moment_upper, 3, p->stride, memory);
  take_many(w->residual, 6, p->stride, memory);
  w->penetration_m = take(memory, p->stride);
  w->normal_force_n = take(memory, p->stride);
  w->damper_force_n = take(memory, p->stride);
  w->contact_share = take(memory, p->stride);
  w->end_normal_force_n = take(memory, p->stride);
  w->soil = p->has_soil ? arena_take(memory, p->stride, sizeof *w->soil) : NULL;
  w->soil_way = p->has_soil ? arena_take(memory, p->stride, sizeof *w->soil_way) : NULL;
  w->end_penetration_m = p->has_soil ? take(memory, p->stride) : NULL;
  take_many(w->penetration_gradient, 3, p->stride, memory);
  take_many(w->end_friction_elongation_m, 2, p->stride, memory);
  take_many(w->friction_slip_m, 2, p->stride, memory);
  if (p->in_sea)
    take_many(w->push_n, 3, p->stride, memory);
}

struct pipe_step pipe_step_of(const struct pipe *p, double step_s) {
  return (struct pipe_step){1 / step_s, 2 / (step_s * step_s), 2 / step_s, p->structural_damping_s / step_s};
}

struct pipe_step pipe_step_statics(void) {
  return (struct pipe_step){0, 0, 0, 0};
}

// ------------------------------------------------------------
// Of element e in a flood.
static double share_of(const struct pipe_mesh *p, struct pipe_flood flood, int e) {
  const int number = p->first + e;
  return number >= flood.first && number < flood.end && e < p->elements - PIPE_DRY_ELEMENTS ? flood.share : 0;
}

// Mass that a metre of element e gains where it is full of water.
static double full_kgpm(const struct pipe_mesh *p, int e) {
  return p->pipe->flood_kgpm3 * p->inner_area_m2[e];
}

static void fill(struct pipe_mesh *p) {
  for (int e = 0; e < p->elements - PIPE_DRY_ELEMENTS; e++) {
    const double added_kgpm = p->flood_share[e] * full_kgpm(p, e);
    p->weight_npm[e] = p->pipe->kind[p->type[e]].weight_npm + p->pipe->gravity_mps2 * added_kgpm;
  }
  for (int i = 0; i <= p->elements - PIPE_DRY_ELEMENTS; i++) {
    const double below = i > 0 ? 0.5 * p->length_m[i - 1] * p->flood_share[i - 1] * full_kgpm(p, i - 1) : 0,
                 above = 0.5 * p->length_m[i] * p->flood_share[i] * full_kgpm(p, i);
    pipe_fill_node(p, i);
    p->mass_kg[i] += below + above;
    p->weight_n[i] += p->pipe->gravity_mps2 * (below + above);
  }
}

// Energy of a kilogram that moves with node i.
static double energy_per_kg(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  const vec3 v = pipe_get3(s->v_n, i);
  return 0.5 * vec3_dot(v, v) + p->pipe->gravity_mps2 * (p->pipe->depth_m - s->r_n[2][i]);
}

double pipe_set_flood(struct pipe_mesh *p, const struct pipe_state *s, struct pipe_flood flood) {
  double energy_j = 0;
  if (flood.share == p->flood.share && flood.first == p->flood.first && flood.end == p->flood.end)
    return 0;
  for (int e = 0; e < p->elements; e++) {
    const double share = share_of(p, flood, e),
                 half_kg = 0.5 * p->length_m[e] * (share - p->flood_share[e]) * full_kgpm(p, e);
    p->flood_share[e] = share;
    if (half_kg != 0)
      energy_j += half_kg * (energy_per_kg(p, s, e) + energy_per_kg(p, s, e + 1));
  }
  p->flood = flood;
  fill(p);
  return energy_j;
}

void pipe_refill_flood(struct pipe_mesh *p) {
  if (!(p->flood.share > 0))
    return;
  for (int e = 0; e < p->elements; e++)
    p->flood_share[e] = share_of(p, p->flood, e);
  fill(p);
}

double pipe_flood_mass(const struct pipe_mesh *p) {
  double sum = 0;
  for (int e = 0; e < p->elements && p->flood.share > 0; e++)
    sum += p->length_m[e] * p->flood_share[e] * full_kgpm(p, e);
  return sum;
}
