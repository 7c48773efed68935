// Creation of model, state and workspace; start and commit of a conservative step; energy.
#include "sagbend/model/model.h"
#include "sagbend/model/rollers.h"
#include "sagbend/model/tensioner.h"
#include "sagbend/pipe/feed.h"

#include <string.h>

void model_create(struct model *m, const struct vessel_def *vessel, const struct pipe_def *pipe,
                  const struct env_def *env, struct arena *memory) {
  m->env = *env;
  m->vessel = vessel_of(vessel, env);
  m->plant = vessel->plant;
  m->hangoff_b_m = vec3_of(vessel->hangoff_b_m);
  m->weight_compensation_n = 0;
  m->current = current_of(&env->current, env->depth_m);
  m->wind = memory->block ? wind_of(&env->wind) : (struct wind){0}; // a layout that only measures needs none
  m->windage = windage_of(&vessel->windage, env->wind.air_density_kgpm3);
  sea_create(&m->sea, &env->waves, env->gravity_mps2, env->depth_m, memory);
  sea_field_create(&m->field, &env->waves, &m->sea, env->depth_m, memory);
  wave_response_create(&m->wave_response, vessel, env, &m->sea, memory);
  pipe_create(&m->pipe, pipe, env, memory);
  const int hangs =
      pipe->elements > 0 && (pipe->hangoff == HANGOFF_PINNED || pipe->hangoff == HANGOFF_CLAMPED);
  if (hangs)
    m->roller_count = stinger_rollers(&pipe->stinger, 0.5 * pipe->line.outer_diameter_m, m->roller);
}

static void prepare_profile(struct time_profile *profile) {
  table_prepare(profile->table, profile->rows);
}

void model_take_statics(struct model *m, const struct model *from) {
  m->weight_compensation_n = from->weight_compensation_n;
  m->motion_home_n = from->motion_home_n;
  m->top_axis_b = from->top_axis_b;
  m->hangoff_home_bt = from->hangoff_home_bt;
  memcpy(m->hold_setpoint, from->hold_setpoint, sizeof m->hold_setpoint);
  memcpy(m->hold_wrench_b, from->hold_wrench_b, sizeof m->hold_wrench_b);
}

void model_prepare_tables(struct model *m) {
  prepare_profile(&m->env.current.profile);
  for (int i = 0; i < m->env.load_count; i++)
    prepare_profile(&m->env.loads[i].profile);
  prepare_profile(&m->end_profile);
  table_prepare(m->motion.table, m->motion.rows);
  table_prepare(m->tower.table, m->tower.rows);
}

void model_mesh_create(struct mesh *mesh, const struct model *m, const struct pipe_def *pipe,
                       struct arena *memory) {
  pipe_mesh_create(&mesh->pipe, &m->pipe, pipe, memory);
  stations_create(&mesh->stations, &m->pipe, memory);
  memcpy(mesh->vessel_inertia, m->vessel.bare_inertia, sizeof mesh->vessel_inertia);
  mesh->hangoff_q_bt = (quat){1, 0, 0, 0};
}

// The store of laid pipe that can return.
static void create_store(struct model_state *s, const struct pipe *p, struct arena *memory) {
  const int capacity = p->retiring.anchor_m > 0 ? p->retiring.capacity : 0;
  s->retire = (struct retire_state){.capacity = (uint64_t)capacity};
  s->laid = arena_take(memory, (size_t)capacity, sizeof *s->laid);
  s->laid_plastic_1pm =
      p->has_plastic ? arena_take(memory, (size_t)capacity * 2 * PLASTIC_LAYERS, sizeof(double)) : NULL;
  s->laid_soil_m = p->has_soil ? arena_take(memory, (size_t)capacity * SOIL_MEMORY, sizeof(double)) : NULL;
}

void model_state_create(struct model_state *s, const struct model *m, struct arena *memory) {
  s->plant = plant_at_rest(&m->plant);
  if (power_is_present(&m->plant.power))
    plant_power_begin(&m->plant, &s->plant, &s->power);
  pipe_state_create(&s->pipe, &m->pipe, memory);
  s->pipe_waves.components = m->pipe.in_sea ? (uint64_t)m->field.sea.count : 0;
  size_t oscillators = (size_t)m->vessel.radiation.count;
  s->radiation.q = arena_take(memory, oscillators, sizeof(double));
  s->radiation.p = arena_take(memory, oscillators, sizeof(double));
  create_store(s, &m->pipe, memory);
  s->roller_elongation_m = arena_take(memory, (size_t)m->roller_count, sizeof(double));
}

int pipe_waves_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const uint64_t components = m->pipe.in_sea ? (uint64_t)m->field.sea.count : 0;
  return valid_whole(s->pipe_waves.components, components, components, "components", why) &&
         (components == 0 || stations_are_valid((int)m->pipe.stride - PIPE_LEAD, &s->pipe, why));
}

static void mesh_copy(struct mesh *to, const struct mesh *from) NONBLOCKING {
  pipe_mesh_copy(&to->pipe, &from->pipe);
  memcpy(to->vessel_inertia, from->vessel_inertia, sizeof to->vessel_inertia);
  to->hangoff_q_bt = from->hangoff_q_bt;
  to->tower_rad = from->tower_rad;
  to->top_mass_kg = from->top_mass_kg;
  to->top_axial_excess_kg = from->top_axial_excess_kg;
}

void model_state_copy(const struct model *m, struct model_state *to, const struct model_state *from) {
  to->vessel = from->vessel;
  memcpy(to->pid_integral, from->pid_integral, sizeof to->pid_integral);
  to->prediction = from->prediction;
#define X(name, present) to->name = from->name;
  FEATURE_TABLE(X)
#undef X
  pipe_state_copy(&m->pipe, &to->pipe, &from->pipe);
  mesh_copy(&to->mesh, &from->mesh);
  for (int k = 0; k < m->vessel.radiation.count; k++) {
    to->radiation.q[k] = from->radiation.q[k];
    to->radiation.p[k] = from->radiation.p[k];
  }
  for (int k = 0; k < m->roller_count; k++)
    to->roller_elongation_m[k] = from->roller_elongation_m[k];
}

// Nodes whose unknowns form the chain of the block-tridiagonal matrix, and the size of its tail.
static int chain_count(const struct pipe_mesh *p) {
  if (p->nodes == 0)
    return 0;
  return p->top_attached ? p->nodes - 1 : p->nodes;
}

static int tail_count(const struct pipe_mesh *p, const struct model_work *w) {
  return (p->top_attached && !p->top_rotation_attached ? 9 : 6) + w->pipe.growth.is_unknown;
}

void model_work_create(struct model_work *w, const struct model *m, const struct pipe_def *pipe,
                       const struct model_state *s, struct arena *memory) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  pipe_work_create(&w->pipe, &m->pipe, memory);
  const int nodes = p->nodes > 0 ? m->pipe.feed.elements_max + 1 : 0; // the most it may have
  blocktri_create(&w->matrix, nodes, tail_count(p, w), memory);       // also for a top that leaves the vessel
  if (m->roller_count > 0)
    blocktri_create_border(&w->matrix, nodes, memory);
  w->roller = arena_take(memory, (size_t)m->roller_count, sizeof *w->roller);
  w->matrix.count = chain_count(p);
  w->rhs_count = BLOCK * chain_count(p) + tail_count(p, w);
  w->rhs = arena_take(memory, (size_t)(BLOCK * nodes + TAIL_MAX), sizeof(double));
  w->mode = arena_take(memory, (size_t)(BLOCK * nodes + TAIL_MAX), sizeof(double));
  w->has_static_loads = w->potential_only = 0;
  model_state_create(&w->saved, m, memory);
  model_mesh_create(&w->saved.mesh, m, pipe, memory);
  w->end_factor = 1;
  w->held = HOLD_NONE;
  w->extra_force_n = (vec3){0, 0, 0};
}

void model_work_resize(const struct mesh *mesh, struct model_work *w) {
  w->matrix.count = chain_count(&mesh->pipe);
  w->matrix.tail = tail_count(&mesh->pipe, w);
  w->rhs_count = BLOCK * chain_count(&mesh->pipe) + tail_count(&mesh->pipe, w);
}

static void set_coefficients(const struct model *m, const struct model_state *s, struct model_work *w,
                             double step_s) {
  w->vessel = (struct vessel_step){.inverse_h = step_s != 0 ? 1 / step_s : 0};
  w->coefficients =
      s->mesh.pipe.nodes > 0 && step_s > 0 ? pipe_step_of(&m->pipe, step_s) : pipe_step_statics();
}

void model_begin(const struct model *m, const struct model_state *s, struct model_work *w, double step_s) {
  set_coefficients(m, s, w, step_s);
  if (s->mesh.pipe.nodes > 0)
    pipe_begin(&s->mesh.pipe, &s->pipe, &w->pipe);
  if (w->pipe.growth.is_unknown)
    w->pipe.growth.grown_m = 0;
  rollers_begin(m, s, w);
}

void model_begin_predicted(const struct model *m, const struct model_state *s, struct model_work *w,
                           double step_s, int with_history) {
  set_coefficients(m, s, w, step_s);
  if (s->mesh.pipe.nodes > 0 && !w->pipe.is_laid_out)
    pipe_lay_out(&s->mesh.pipe, &s->pipe, &w->pipe);
  rollers_begin(m, s, w);
  model_predict(s, w, step_s, with_history);
}

void model_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s) {
  if (s->mesh.pipe.nodes > 0)
    pipe_commit(&s->mesh.pipe, &s->pipe, &w->pipe, step_s);
  rollers_commit(m, s, w);
  vessel_commit(&s->vessel, &w->vessel);
  if (s->mesh.pipe.top_moved && step_s > 0)
    pipe_set3(s->pipe.v_n, s->mesh.pipe.nodes - 1, vec3_scale(1 / step_s, w->imposed_n));
  model_place_top(m, s);
}

struct model_energy model_energy_of(const struct model *m, const struct model_state *s,
                                    struct model_work *w) {
  struct pipe_energy pipe = pipe_energy_of(&s->mesh.pipe, &s->pipe, &w->pipe);
  struct model_energy energy = {.kinetic_j =
                                    pipe.kinetic_j + vessel_kinetic(s->mesh.vessel_inertia, s->vessel.nu),
                                .potential_j = pipe.elastic_j + pipe.gravity_j + pipe.seabed_j +
                                               vessel_potential(&m->vessel, &s->vessel)};
  if (m->vessel.radiation.count > 0) {
    energy.memory_j = radiation_energy_j(&m->vessel.radiation, &s->radiation);
    energy.potential_j += energy.memory_j;
  }
  if (s->mesh.pipe.nodes > 0)
    energy.potential_j += m->weight_compensation_n * s->pipe.r_n[2][s->mesh.pipe.nodes - 1];
  energy.potential_j += rollers_energy(m, s);
  if (m->tensioner.order_count > 0) {
    const struct pipe_top_load load = pipe_load_of(&s->mesh.pipe, s->payout.top_m);
    double mass = m->tensioner.mass_kg + tensioner_half_mass(&s->mesh.pipe, &load);
    energy.kinetic_j += tensioner_energy(mass, 0, s->payout.speed_mps, 0);
    energy.potential_j += tensioner_energy(0, m->tensioner.stiffness_npm, 0, s->tensioner.stretch_m);
  }
  return energy;
}
