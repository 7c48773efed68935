// Creation of model, state and workspace; start and commit of a conservative step; energy.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/growing/growing.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/plasticity/plasticity.h"
#include "sagbend/stations/stations.h"

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
  memcpy(m->initial_holding_force_b, from->initial_holding_force_b, sizeof m->initial_holding_force_b);
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
  s->laid_soil_m =
      p->has_soil ? arena_take(memory, (size_t)capacity * pipe_soil_doubles(p), sizeof(double)) : NULL;
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
  const int nodes = p->nodes > 0 ? m->pipe.tally.elements_max + 1 : 0; // the most it may have
  blocktri_create(&w->matrix, nodes, tail_count(p, w), memory); // also for a top that leaves the vessel
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

// ------------------------------------------------------------
// Prediction of the increments of a step, and what it keeps of the steps before (sagbend/pipe/step.c).

// Weights of the last additions, by how many there are. Those of three are exact for additions that grow
// linearly and for such that change their sign in each step, (z - 1)^2 (z + 1): the midpoint rule leaves
// vibrations of this kind over rollers, after a split and where laid pipe retires, and (2, -1) would
// multiply them by three. The fourth, with waves on the pipe, whose short ones change a force by more than a
// line in three steps, makes them exact for a parabola as well, (z - 1)^3 (z + 1). Only the pipe has it.
static const double WEIGHTS[MOST_PREDICTION_STEPS + 1][MOST_PREDICTION_STEPS] = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {2, -1, 0, 0}, {1, 1, -1, 0}, {2, 0, -2, 1}};

// Increments of the vessel at constant velocity.
static void steady_increments(const struct model_state *s, double step_s, vec3 *dx, vec3 *theta) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  *dx = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu)));
  *theta = vec3_scale(step_s, mat3_mul(&q, vec3_of(s->vessel.nu + 3)));
}

static void predict(const struct model_state *s, struct model_work *w, double step_s, int with_history) {
  const struct prediction_state *past = &s->prediction;
  const uint64_t steps = with_history ? past->steps : 0;
  const double *share = WEIGHTS[steps < PREDICTION_STEPS ? steps : PREDICTION_STEPS];
  steady_increments(s, step_s, &w->vessel.dx_n, &w->vessel.theta_n);
  for (int k = 0; k < PREDICTION_STEPS; k++) {
    w->vessel.dx_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k]), w->vessel.dx_n);
    w->vessel.theta_n = vec3_axpy(share[k], vec3_of(past->beyond_n[k] + 3), w->vessel.theta_n);
  }
  if (s->mesh.pipe.nodes > 0)
    pipe_predict(&s->mesh.pipe, &s->pipe, &w->pipe, step_s, WEIGHTS[steps]);
  if (w->pipe.growth.is_unknown) {
    w->pipe.growth.grown_m = step_s * s->payout.speed_mps;
    for (int k = 0; k < PREDICTION_STEPS; k++)
      w->pipe.growth.grown_m += share[k] * s->tensioner.beyond_m[k];
  }
}

void model_remember(struct model_state *s, const struct model_work *w, double step_s) {
  enum { EARLIER = PREDICTION_STEPS - 1 };
  const int is_in_sea = s->mesh.pipe.nodes > 0 && s->mesh.pipe.pipe->in_sea;
  const uint64_t most = is_in_sea ? MOST_PREDICTION_STEPS : PREDICTION_STEPS;
  struct prediction_state *past = &s->prediction;
  vec3 dx, theta;
  steady_increments(s, step_s, &dx, &theta);
  memmove(past->beyond_n[1], past->beyond_n[0], EARLIER * sizeof past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.dx_n, dx), past->beyond_n[0]);
  vec3_to(vec3_sub(w->vessel.theta_n, theta), past->beyond_n[0] + 3);
  past->steps += past->steps < most;
  if (s->mesh.pipe.nodes > 0)
    pipe_remember(&s->mesh.pipe, &s->pipe, &w->pipe, step_s);
  if (w->pipe.growth.is_unknown) {
    memmove(s->tensioner.beyond_m + 1, s->tensioner.beyond_m, EARLIER * sizeof *s->tensioner.beyond_m);
    s->tensioner.beyond_m[0] = w->pipe.growth.grown_m - step_s * s->payout.speed_mps;
  }
}

int model_prediction_is_valid(const struct prediction_state *prediction, struct reason *why) {
  return valid_whole(prediction->steps, 0, MOST_PREDICTION_STEPS, "steps", why) &&
         valid_finite(prediction->beyond_n[0], 6 * PREDICTION_STEPS, "beyond_n", why);
}

void model_begin_predicted(const struct model *m, const struct model_state *s, struct model_work *w,
                           double step_s, int with_history) {
  set_coefficients(m, s, w, step_s);
  if (s->mesh.pipe.nodes > 0 && !w->pipe.is_laid_out)
    pipe_lay_out(&s->mesh.pipe, &s->pipe, &w->pipe);
  rollers_begin(m, s, w);
  predict(s, w, step_s, with_history);
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

// ------------------------------------------------------------
// Forces of the thrusters on the vessel, each at its position with the current at its depth.

void model_thruster_jets(const struct model *m, const struct model_state *s, struct current_turn turn,
                         struct thruster_jet *jet, vec3 *water_b) {
  mat3 q = quat_matrix(s->vessel.q_nb);
  for (int i = 0; i < m->plant.thruster_count; i++) {
    jet[i] = thruster_jet_of(&m->plant.thruster[i], &s->plant.thruster[i]);
    double z = s->vessel.x_n.z + mat3_mul(&q, jet[i].place_b_m).z;
    water_b[i] = mat3_tmul(&q, current_at(&m->current, turn, z));
  }
}

void model_thruster_wrench(const struct model *m, const struct thruster_jet *jet, const vec3 *water_b,
                           const double nu[6], double wrench_b[6]) {
  vec3 force = {0, 0, 0}, moment = {0, 0, 0}, v = vec3_of(nu), w = vec3_of(nu + 3);
  for (int i = 0; i < m->plant.thruster_count; i++) {
    vec3 place = jet[i].place_b_m, relative = vec3_sub(vec3_add(v, vec3_cross(w, place)), water_b[i]);
    vec3 f = thruster_force(&jet[i], relative);
    force = vec3_add(force, f);
    moment = vec3_add(moment, vec3_cross(place, f));
  }
  vec3_to(force, wrench_b);
  vec3_to(moment, wrench_b + 3);
}

void model_static_wrench(const struct model *m, const struct thruster_setpoint *setpoint,
                         double wrench_b[6]) {
  struct thruster_jet jet[MAX_THRUSTERS];
  const vec3 still[MAX_THRUSTERS] = {{0, 0, 0}};
  const double at_rest[6] = {0};
  for (int i = 0; i < m->plant.thruster_count; i++) {
    const struct thruster_state steady = thruster_steady(&m->plant.thruster[i], &setpoint[i]);
    jet[i] = thruster_jet_of(&m->plant.thruster[i], &steady);
  }
  model_thruster_wrench(m, jet, still, at_rest, wrench_b);
}

void model_set_hold(struct model *m, struct model_state *s, const double wrench_b[6]) {
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 water_b[MAX_THRUSTERS];
  struct current_turn turn = current_turn_at(&m->env.current, 0);
  double made[6] = {0};
  const double at_rest[6] = {0};
  if (m->plant.thruster_count > 0) {
    model_thruster_jets(m, s, turn, jet, water_b);
    plant_hold_setpoints(&m->plant, wrench_b, water_b, m->hold_setpoint);
    plant_set_steady(&m->plant, &s->plant, &s->power, m->hold_setpoint);
    model_thruster_jets(m, s, turn, jet, water_b);
    model_thruster_wrench(m, jet, water_b, at_rest, made);
  }

  for (int i = 0; i < 6; i++)
    m->initial_holding_force_b[i] = wrench_b[i] - made[i];
}

int power_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  if (!s->power.present && !power_is_present(&m->plant.power))
    return 1;
  return power_state_is_valid(&m->plant.power, &s->power, why);
}

// ------------------------------------------------------------
// The top of the pipe: how it is attached to the vessel, and its boundary condition where it is not.

void model_set_top_clamped(struct model_state *s, struct model_work *w, int clamped) {
  s->mesh.pipe.top_rotation_attached = clamped;
  model_work_resize(&s->mesh, w);
}

void model_release_top(struct model *m, struct model_state *s, struct model_work *w) {
  m->motion_home_n = pipe_get3(s->pipe.r_n, s->mesh.pipe.nodes - 1);
  s->mesh.pipe.top_attached = 0;
  s->mesh.pipe.top_moved = 1;
  m->weight_compensation_n = 0;
  model_carry_top(m, &s->mesh);
  model_work_resize(&s->mesh, w);
}

// Adds the half element at an attached top to the vessel's inertia.
static void attach_half_element(const struct model *m, struct mesh *mesh) {
  struct pipe_mesh *p = &mesh->pipe;
  const int n = p->nodes - 1;
  mat3 mass = {{{0}}};
  const double t[3] = {m->top_axis_b.x, m->top_axis_b.y, m->top_axis_b.z};
  for (int i = 0; i < 3; i++) {
    mass.m[i][i] = p->mass_kg[n];
    for (int j = 0; j < 3; j++)
      mass.m[i][j] += p->axial_excess_kg[n] * t[i] * t[j];
  }

  memcpy(mesh->vessel_inertia, m->vessel.bare_inertia, sizeof mesh->vessel_inertia);
  vessel_attach_mass(mesh->vessel_inertia, &mass, m->hangoff_b_m);
  if (!p->top_rotation_attached)
    return;

  mat3 r = quat_matrix(mesh->hangoff_q_bt), inertia = {{{0}}};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        inertia.m[i][j] += p->inertia_kgm2[k][n] * r.m[i][k] * r.m[j][k];
    p->inertia_kgm2[k][n] = 0;
  }
  vessel_attach_inertia(mesh->vessel_inertia, &inertia);
}

void model_carry_top(const struct model *m, struct mesh *mesh) {
  struct pipe_mesh *p = &mesh->pipe;
  const int n = p->nodes - 1;
  if (p->top_attached)
    attach_half_element(m, mesh);
  mesh->top_mass_kg = p->mass_kg[n], mesh->top_axial_excess_kg = p->axial_excess_kg[n];
  p->mass_kg[n] = p->axial_excess_kg[n] = p->kirchhoff_kg[n] = 0;
}

void model_attach_top(struct model *m, struct model_state *s) {
  if (!s->mesh.pipe.top_attached)
    return;
  mat3 q = quat_matrix(s->vessel.q_nb);
  m->top_axis_b = mat3_tmul(&q, pipe_axis(&s->pipe, s->mesh.pipe.nodes - 1));
  m->hangoff_home_bt = s->mesh.hangoff_q_bt;
  s->mesh.tower_rad = 0;
  model_carry_top(m, &s->mesh);
}

void model_place_top(const struct model *m, struct model_state *s) {
  if (!s->mesh.pipe.top_attached)
    return;
  int n = s->mesh.pipe.nodes - 1;
  const struct vessel_state *vessel = &s->vessel;
  mat3 q = quat_matrix(vessel->q_nb);
  vec3 velocity = vec3_of(vessel->nu), omega = vec3_of(vessel->nu + 3);
  pipe_set3(s->pipe.r_n, n, vec3_add(vessel->x_n, mat3_mul(&q, m->hangoff_b_m)));
  pipe_set3(s->pipe.v_n, n, mat3_mul(&q, vec3_add(velocity, vec3_cross(omega, m->hangoff_b_m))));
  if (!s->mesh.pipe.top_rotation_attached)
    return;

  mat3 top = quat_matrix(s->mesh.hangoff_q_bt);
  pipe_set_quat(&s->pipe, n, quat_unit(quat_mul(vessel->q_nb, s->mesh.hangoff_q_bt)));
  pipe_set3(s->pipe.omega_t, n, mat3_tmul(&top, omega));
}

vec3 model_motion_offset(const struct motion_def *motion, double time_s) {
  if (motion->rows > 0) {
    double offset[TABLE_COLUMNS];
    table_at(motion->table, motion->rows, TABLE_SPLINE, time_s, offset);
    return vec3_of(offset);
  }

  double since = time_s - motion->start_s, left = motion->stop_s - time_s, radius = motion->radius_m;
  if (radius == 0 || since <= 0 || (motion->stop_s > 0 && left <= 0))
    return (vec3){0, 0, 0};
  if (since < motion->ramp_s)
    radius *= 0.5 - 0.5 * trig_cos(TRIG_PI * since / motion->ramp_s);
  if (motion->stop_s > 0 && left < motion->ramp_s)
    radius *= 0.5 - 0.5 * trig_cos(TRIG_PI * left / motion->ramp_s);
  double angle = 2 * TRIG_PI * since / motion->period_s;
  return (vec3){radius * trig_cos(angle), radius * trig_sin(angle), 0};
}

void model_set_top_boundary(const struct model *m, const struct model_state *s, struct model_work *w,
                            double time_s, double step_s) {
  w->end_factor = time_profile_at(&m->end_profile, time_s + 0.5 * step_s);
  // The displacement ends on the prescribed path, even if the top is off it after a step that was repeated.
  if (s->mesh.pipe.top_moved)
    w->imposed_n = vec3_sub(vec3_add(m->motion_home_n, model_motion_offset(&m->motion, time_s + step_s)),
                            pipe_get3(s->pipe.r_n, s->mesh.pipe.nodes - 1));
}

void model_shift_with_top(const struct mesh *mesh, struct model_work *w) {
  const struct pipe_mesh *p = &mesh->pipe;
  double length = 0, at = 0;
  for (int e = 0; e < p->elements; e++)
    length += p->length_m[e];
  for (int i = 0; i < p->nodes; i++) {
    if (i > 0 || !p->held_position)
      pipe_set3(w->pipe.dr_n, i, vec3_scale(at / length, w->imposed_n));
    at += i < p->elements ? p->length_m[i] : 0;
  }
}

// ------------------------------------------------------------
// Of the nominal length: a step that ends below is no solution.
static const double SHORTEST_SHARE = 0.01;

int tensioner_has_element(const struct model_state *s, double grown_m) {
  return s->payout.top_m + grown_m > SHORTEST_SHARE * s->mesh.pipe.top.own->element_m;
}

double tensioner_half_mass(const struct pipe_mesh *p, const struct pipe_top_load *load) {
  const struct pipe_top *top = &p->top;
  double mass = load->own_m[1] * pipe_axial_mass(&top->own->kind->metre);
  if (load->next_m[1] > 0)
    mass += load->next_m[1] * pipe_axial_mass(&top->next->kind->metre);
  return mass;
}

double tensioner_balance(const struct model_state *s, struct model_work *w) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const struct pipe_growth *growth = &w->pipe.growth;
  const int n = p->nodes - 1;
  w->tensioner_force = tensioner_force_of(&w->tensioner, growth->grown_m);
  if (!tensioner_has_element(s, growth->grown_m))
    return (double)NAN;
  double drop =
      s->pipe.r_n[2][n - 1] - s->pipe.r_n[2][n] + 0.5 * (w->pipe.dr_n[2][n - 1] - w->pipe.dr_n[2][n]);
  const double lower = pipe_depth(p, &s->pipe, n - 1), upper = pipe_depth(p, &s->pipe, n),
               *dz = w->pipe.dr_n[2];
  double dry = 0.5 * (pipe_waterline_hanging(p, lower, upper).force_n +
                      pipe_waterline_hanging(p, lower + dz[n - 1], upper + dz[n]).force_n);
  return w->tensioner_force.force_n + growth->length_force_n - pipe_hanging_weight(p, &w->lumped) * drop -
         dry;
}

struct growing_length_tangent tensioner_tangent(const struct model_state *s, const struct model_work *w) {
  const double hanging = 0.5 * pipe_hanging_weight(&s->mesh.pipe, &w->lumped);
  struct growing_length_tangent t =
      pipe_growing_length_tangent(&s->mesh.pipe, &s->pipe, &w->pipe, w->coefficients.damping_over_h);
  t.row[2] -= hanging, t.row[8] += hanging;
  const int n = s->mesh.pipe.nodes - 1;
  const struct pipe_mesh *p = &s->mesh.pipe;
  const double *dz = w->pipe.dr_n[2];
  struct waterline_hanging dry = pipe_waterline_hanging(p, pipe_depth(p, &s->pipe, n - 1) + dz[n - 1],
                                                        pipe_depth(p, &s->pipe, n) + dz[n]);
  t.row[2] -= 0.5 * dry.rate_npm[0], t.row[8] -= 0.5 * dry.rate_npm[1];
  t.own_npm += w->tensioner_force.slope_npm;
  return t;
}
