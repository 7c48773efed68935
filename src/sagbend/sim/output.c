// Outputs: pose and velocities of the vessel, the pipe's quantities, thrusters, weather.
#include "sagbend/sim/sim.h"

#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/sections/sections.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void vessel_output(const struct vessel_state *state, struct sim_output *out) {
  mat3 q = quat_matrix(state->q_nb);
  vec3_to(state->x_n, out->position_n_m);
  const double quaternion[4] = {state->q_nb.w, state->q_nb.x, state->q_nb.y, state->q_nb.z};
  memcpy(out->quaternion_nb, quaternion, sizeof quaternion);
  euler_of_quat(state->q_nb, out->euler_rad);
  vec3_to(mat3_mul(&q, vec3_of(state->nu)), out->velocity_n_mps);
  memcpy(out->velocity_b, state->nu, sizeof out->velocity_b);
  mat3 rates = euler_rate_matrix(out->euler_rad);
  vec3_to(mat3_mul(&rates, vec3_of(state->nu + 3)), out->euler_rate_radps);
}

static double horizontal_distance(vec3 a, vec3 b) {
  double dx = a.x - b.x, dy = a.y - b.y;
  return sqrt(dx * dx + dy * dy);
}

// Finds the touchdown from the top downwards: the point where the contact force ends, with a linear
// penetration between nodes.
static void touchdown_output(const struct pipe_mesh *pipe, const struct pipe_state *state,
                             const struct pipe_work *work, struct sim_output *out) {
  double length = pipe->arc_m[0];
  for (int e = 0; e < pipe->elements; e++)
    length += pipe->length_m[e];
  for (int e = pipe->elements - 1; e >= 0; e--) {
    length -= pipe->length_m[e];
    double below = work->penetration_m[e];
    if (!(below > 0) || pipe->contact_length_m[e] == 0)
      continue;
    vec3 lower = pipe_get3(state->r_n, e), upper = pipe_get3(state->r_n, e + 1);
    double above = surface_penetration(&pipe->pipe->ground, pipe->contact_offset_m[e + 1], upper, NULL);
    double share = above < 0 ? below / (below - above) : 1;
    vec3 at = vec3_axpy(share, vec3_sub(upper, lower), lower);
    double at_lower = pipe_node_section_forces(pipe, state, work, e).effective_tension_n,
           at_upper = pipe_node_section_forces(pipe, state, work, e + 1).effective_tension_n;
    vec3_to(at, out->touchdown_n_m);
    out->touchdown_arc_length_m = length + share * pipe->length_m[e];
    out->touchdown_tension_n = at_lower + share * (at_upper - at_lower);
    out->layback_m = horizontal_distance(pipe_get3(state->r_n, pipe->nodes - 1), at);
    return;
  }
  out->touchdown_n_m[0] = out->touchdown_n_m[1] = out->touchdown_n_m[2] = (double)NAN;
  out->touchdown_arc_length_m = out->layback_m = out->touchdown_tension_n = (double)NAN;
}

static void extremes_output(const struct pipe_extremes *x, struct sim_output *out) {
#define EXTREME(name, unit)                                                                                  \
  out->name##unit = x->name##unit.value;                                                                     \
  out->name##_arc_length_m = x->name##unit.s_m
  EXTREME(max_curvature, _1pm);
  EXTREME(max_moment, _nm);
  EXTREME(max_tension, _n);
  EXTREME(min_tension, _n);
  EXTREME(max_wall_tension, _n);
  EXTREME(min_wall_tension, _n);
  EXTREME(max_shear, _n);
  EXTREME(max_torsion, _nm);
  EXTREME(max_strain, );
  EXTREME(min_strain, );
#undef EXTREME
}

static void soil_output(const struct sim *sim, struct sim_output *out) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  out->has_soil = sim->model->pipe.has_soil;
  out->soil_embedment_m = out->soil_suction_n = 0;
  for (int i = 0; i < p->nodes && out->has_soil; i++) {
    const double deepest = sim->state.pipe.soil_m[SOIL_LAYERS][i], force = sim->work.pipe.soil[i].force_npm;
    if (deepest > out->soil_embedment_m)
      out->soil_embedment_m = deepest;
    if (force < 0)
      out->soil_suction_n -= p->contact_length_m[i] * force;
  }
}

static void tensioner_output(const struct tensioner_state *t, struct sim_output *out) {
  out->has_tensioner = 1;
  out->tensioner = (struct tensioner_output){.mode = (enum tensioner_mode)t->mode,
                                             .ordered = (enum tensioner_mode)t->ordered,
                                             .source = (enum tensioner_source)t->source,
                                             .tension_set_n = t->mode == TENSIONER_TENSION ? t->set_n : 0,
                                             .speed_set_mps = t->mode == TENSIONER_SPEED ? t->track_mps : 0,
                                             .ordered_tension_n = t->tension_n,
                                             .ordered_speed_mps = t->speed_mps,
                                             .force_n = t->holding_n};
}

static void operation_output(const struct sim *sim, struct sim_output *out) {
  const struct operations_def *def = &sim->model->operations;
  const struct operations_state *o = &sim->state.operations;
  if (def->count == 0)
    return;
  out->operation = (struct operation_output){.count = def->count,
                                             .number = (int)o->current + 1,
                                             .since_s = o->since_s,
                                             .progress = operations_progress(sim->model, &sim->state),
                                             .moves = (int)o->moved,
                                             .held = o->held != 0,
                                             .overdue = o->overdue != 0};
  if ((int)o->current < def->count)
    memcpy(out->operation.name, def->operation[o->current].name, OPERATION_NAME);
  for (int i = 0; i < def->count; i++)
    out->operation.needs_way |= def->operation[i].end == OPERATION_WAY;
}

static void retired_output(const struct sim *sim, struct sim_output *out) {
  const struct laid_node *node = retire_newest(&sim->state);
  out->has_retiring = sim->state.retire.capacity > 0;
  soil_output(sim, out);
  fatigue_output(sim, out);
  if (!node)
    return;
  out->retired =
      (struct sim_laid_node){.time_s = node->time_s,
                             .arc_length_m = node->arc_m,
                             .tension_n = node->tension_n,
                             .slip_m = {node->slip_m[0], node->slip_m[1]},
                             .residual_curvature_1pm = retire_newest_residual(sim->model, &sim->state)};
  memcpy(out->retired.position_n_m, node->r_n, sizeof node->r_n);
}

double sim_hangoff_tension(const struct sim *sim) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  if (p->pipe->tally.present)
    return payout_grip_tension(sim->model, &sim->state, sim_time_s(sim), sim->def->step_s,
                               vec3_of(sim->run.top_rate_end_n));
  return vec3_dot(sim->work.pipe.top_force_n, pipe_axis(&sim->state.pipe, p->nodes - 1));
}

static void stinger_output(const struct sim *sim, struct sim_output *out) NONBLOCKING;

static void pipe_output(const struct sim *sim, struct sim_output *out) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const struct pipe_state *state = &sim->state.pipe;
  int n = p->nodes - 1;
  vec3 axis = pipe_axis(state, n), force = sim->work.pipe.top_force_n;
  out->has_pipe = 1;
  if (p->pipe->tally.present) {
    out->has_payout = 1;
    out->paid_out_m = sim->state.payout.paid_m, out->payout_mps = sim->state.payout.speed_mps;
    if (sim->model->tensioner.order_count > 0)
      tensioner_output(&sim->state.tensioner, out);
  }
  operation_output(sim, out);
  retired_output(sim, out);
  double along = vec3_dot(axis, sim->lay_plane_n),
         across = axis.y * sim->lay_plane_n.x - axis.x * sim->lay_plane_n.y;
#define PIPE_OUTPUT(type, member, value) out->member = (value);
#include "sagbend/sim/outputs.inc"
  vec3_to(pipe_get3(state->r_n, n), out->hangoff_position_n_m);
  vec3_to(vec3_scale(-1, force), out->hangoff_force_n_n);
  touchdown_output(p, state, &sim->work.pipe, out);
  extremes_output(&sim->extremes, out);
  if (sim->def->code_check.enabled)
    code_check_output(sim, out);
  if (sim->model->roller_count > 0)
    stinger_output(sim, out);
}

static void plant_output(const struct sim *sim, struct sim_output *out) {
  const struct plant_def *def = &sim->model->plant;
  const struct plant_state *state = &sim->state.plant;
  struct thruster_jet jet[MAX_THRUSTERS];
  vec3 water_b[MAX_THRUSTERS];
  const double *nu = sim->state.vessel.nu;
  model_thruster_jets(sim->model, &sim->state, current_turn_at(&sim->model->env.current, out->time_s), jet,
                      water_b);
  model_thruster_wrench(sim->model, jet, water_b, nu, out->thruster_wrench_b);
  out->thruster_count = def->thruster_count;
  for (int i = 0; i < def->thruster_count; i++) {
    const struct thruster_state *thruster = &state->thruster[i];
    vec3 v = vec3_add(vec3_of(nu), vec3_cross(vec3_of(nu + 3), jet[i].place_b_m));
    const double stroke = thruster_stroke(&def->thruster[i], thruster->revolutions_rpm, thruster->pitch);
    out->thruster[i] = (struct thruster_output){.running = (int)thruster->running,
                                                .ready = (int)thruster->ready,
                                                .revolutions_rpm = thruster->revolutions_rpm,
                                                .pitch = thruster->pitch,
                                                .thrust_share = stroke * fabs(stroke),
                                                .azimuth_rad = thruster->azimuth_rad,
                                                .thrust_n = thruster_thrust(&jet[i], vec3_sub(v, water_b[i])),
                                                .power_w = plant_power_w(def, state, i),
                                                .in_forbidden_zone_count = thruster->in_forbidden_zone_count};
    memcpy(out->thruster[i].name, def->thruster[i].name, sizeof out->thruster[i].name);
  }
  out->bus_count = def->bus_count;
  for (int i = 0; i < def->bus_count; i++) {
    const struct bus_state *bus = &state->bus[i];
    out->bus[i] = (struct bus_output){.closed = (int)bus->closed,
                                      .limited = (int)bus->limited,
                                      .available_w = bus->available_w,
                                      .used_w = plant_bus_power_w(def, state, i),
                                      .limited_count = bus->limited_count};
    memcpy(out->bus[i].name, def->bus[i].name, sizeof out->bus[i].name);
  }
}

static void power_output(const struct sim *sim, struct sim_output *out) {
  const struct power_def *def = &sim->model->plant.power;
  const struct power_state *state = &sim->state.power;
  struct power_output *power = &out->power;
  power->present = power_is_present(def);
  power->frequency_min = 1;
  if (!power->present)
    return;
  memset(power->generator, 0, sizeof *power - offsetof(struct power_output, generator));
  double least = (double)INFINITY;
  for (int b = 0; b < def->bus_count; b++) {
    out->bus[b].frequency = state->bus[b].frequency;
    out->bus[b].voltage = state->bus[b].voltage;
    out->bus[b].dark_count = state->bus[b].dark_count;
    least = state->bus[b].live && state->bus[b].frequency < least ? state->bus[b].frequency : least;
  }
  power->frequency_min = least < (double)INFINITY ? least : 1;
  power->generator_count = def->generator_count;
  for (int i = 0; i < def->generator_count; i++) {
    const struct generator_state *set = &state->generator[i];
    power->generator[i] = (struct generator_output){.phase = (enum generator_phase)set->phase,
                                                    .trip = (enum trip)set->trip,
                                                    .locked = (int)set->locked,
                                                    .reported = (int)set->reported,
                                                    .load_w = set->load_w,
                                                    .reactive_w = set->reactive_w,
                                                    .trip_count = set->trip_count};
    memcpy(power->generator[i].name, def->generator[i].name, sizeof power->generator[i].name);
    power->running += set->phase == GENERATOR_ON_LINE;
  }
  power->tie_count = def->tie_count;
  for (int i = 0; i < def->tie_count; i++) {
    power->tie[i] =
        (struct tie_output){.closed = (int)state->tie[i].closed, .trip_count = state->tie[i].trip_count};
    memcpy(power->tie[i].name, def->tie[i].name, sizeof power->tie[i].name);
  }
  power->battery_count = def->battery_count;
  for (int i = 0; i < def->battery_count; i++) {
    power->battery[i] =
        (struct battery_output){.charge = state->battery[i].energy_j / def->battery[i].energy_j,
                                .power_w = state->battery[i].power_w};
    memcpy(power->battery[i].name, def->battery[i].name, sizeof power->battery[i].name);
    power->battery_j += state->battery[i].energy_j;
  }
  power->reserve_w = power_reserve_w(def, state);
  power->ledger = state->ledger;
}

static void weather_output(const struct sim *sim, struct sim_output *out) {
  const struct model *model = sim->model;
  struct sim_weather *weather = &out->weather;
  weather->has_wind = model->wind.def.present;
  weather->has_waves = model->sea.count > 0;
  weather->has_current = current_is_configured(&model->env.current);
  if (weather->has_wind) {
    struct wind_sample now = wind_at(&model->wind, sim_time_s(sim));
    weather->wind_speed_mps = now.factor * wind_mean(&model->wind, 10) + now.gust_mps;
    weather->wind_direction_rad = now.direction_rad;
    weather->wind_gust_mps = now.gust_mps;
  }
  if (weather->has_waves)
    weather->wave_elevation_m =
        sea_elevation(&model->sea, sim_time_s(sim), sim->state.vessel.x_n.x, sim->state.vessel.x_n.y);
  vec3_to(current_at(&model->current, current_turn_at(&model->env.current, sim_time_s(sim)), 0),
          weather->current_n_mps);
}

void sim_air_velocity(const struct sim *sim, double height_m, double velocity_n_mps[3]) {
  struct wind_sample now = {0};
  if (sim->model->wind.def.present)
    now = wind_at(&sim->model->wind, sim_time_s(sim));
  vec3_to(sim->model->wind.def.present ? wind_velocity(&sim->model->wind, &now, height_m) : (vec3){0, 0, 0},
          velocity_n_mps);
}

void sim_get_output(const struct sim *sim, struct sim_output *out) {
  memset(out, 0, offsetof(struct sim_output, power.generator)); // power_output sets the rest
  out->step = sim->run.step;
  out->time_s = sim_time_s(sim);
  vessel_output(&sim->state.vessel, out);
  memcpy(out->control_wrench_b, sim->run.control_b, sizeof out->control_wrench_b);
  if (sim->model->plant.thruster_count > 0)
    plant_output(sim, out);
  power_output(sim, out);
  if (sim->state.mesh.pipe.nodes > 0)
    pipe_output(sim, out);
  weather_output(sim, out);
#define OUTPUT(type, member, value) out->member = (value);
#include "sagbend/sim/outputs.inc"
}

const struct ledger *sim_ledger(const struct sim *sim) {
  return &sim->run.ledger;
}

void sim_water_velocity(const struct sim *sim, double z_m, double velocity_n_mps[3]) {
  vec3_to(
      current_at(&sim->model->current, current_over(&sim->def->env.current, sim_time_s(sim), 0).middle, z_m),
      velocity_n_mps);
}

int sim_node_count(const struct sim *sim) {
  return sim->state.mesh.pipe.nodes;
}

int sim_node_capacity(const struct sim *sim) {
  return sim->state.mesh.pipe.nodes > 0 ? sim->model->pipe.tally.elements_max + 1 : 0;
}

void sim_get_nodes(const struct sim *sim, struct sim_node *nodes) {
  const struct pipe_state *state = &sim->state.pipe;
  for (int i = 0; i < sim->state.mesh.pipe.nodes; i++) {
    nodes[i].arc_length_m = sim->state.mesh.pipe.arc_m[i];
    for (int c = 0; c < 3; c++)
      nodes[i].position_n_m[c] = state->r_n[c][i];
    for (int c = 0; c < 4; c++)
      nodes[i].quaternion_nt[c] = state->q_nt[c][i];
    nodes[i].section = sim_node_forces(sim, i);
    nodes[i].penetration_m =
        sim->state.mesh.pipe.contact_length_m[i] > 0 ? sim->work.pipe.penetration_m[i] : 0;
    const double *residual = nodes[i].section.residual_1pm;
    nodes[i].residual_curvature_1pm = sim->model->pipe.has_plastic
                                          ? sqrt(residual[0] * residual[0] + residual[1] * residual[1])
                                          : (double)NAN;
    nodes[i].fatigue_damage = fatigue_damage_at(sim, i);
    nodes[i].utilisation = sim->def->code_check.enabled ? code_check_governing_at(sim, i) : (double)NAN;
  }
}

struct section_forces sim_element_forces(const struct sim *sim, int element) {
  return pipe_element_section_forces(&sim->state.mesh.pipe, &sim->state.pipe, &sim->work.pipe, element);
}

struct section_forces sim_node_forces(const struct sim *sim, int node) {
  return pipe_node_section_forces(&sim->state.mesh.pipe, &sim->state.pipe, &sim->work.pipe, node);
}

// ------------------------------------------------------------
// Outputs of a stinger: reactions of the supports, clearance at the tip, strain of the overbend.

// Curvature of an element less that of the unstressed pipe, with what bending beyond yield has left, as the
// element `at` has it under the same moment, 1/m.
static double bending_of(const struct sim *sim, int k, int e, int at) {
  const double *stiffness = sim->state.mesh.pipe.stiffness[4 + k];
  return (sim->work.pipe.strain0[4 + k][e] + pipe_plastic_curvature(&sim->state.mesh.pipe, k, e)) *
         (stiffness[e] / stiffness[at]);
}

// A head beside a wire: its moment fades along the wire within less than an element.
static int is_far_stiffer(const struct pipe_mesh *p, int e, int at) {
  return p->stiffness[4][e] > 5 * p->stiffness[4][at];
}

// Bending (1/m) of element `at` in the section frame, continued along the pipe to S = arc_m from two elements
// on one side; 0: there is none.
static int continued_bending(const struct sim *sim, int at, int way, double arc_m, double bending_1pm[2]) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const int near = at + way, far = near + way;
  if (near < 0 || near >= p->elements || is_far_stiffer(p, near, at) ||
      (far >= 0 && far < p->elements && is_far_stiffer(p, far, at)))
    return 0;
  for (int k = 0; k < 2; k++)
    bending_1pm[k] = bending_of(sim, k, near, at);
  if (far < 0 || far >= p->elements)
    return 1;
  const double x = p->arc_m[near] + 0.5 * p->length_m[near], y = p->arc_m[far] + 0.5 * p->length_m[far];
  const double share = (arc_m - x) / (y - x);
  for (int k = 0; k < 2; k++)
    bending_1pm[k] += share * (bending_of(sim, k, far, at) - bending_1pm[k]);
  return 1;
}

double stinger_bending(const struct sim *sim, const struct roller_place *place) {
  double mean[2] = {0, 0};
  int sides = 0;
  for (int way = -1; way <= 1; way += 2) {
    double side[2] = {0, 0};
    if (!continued_bending(sim, place->element, way, place->arc_m, side))
      continue;
    mean[0] += side[0], mean[1] += side[1], sides++;
  }
  return sqrt(mean[0] * mean[0] + mean[1] * mean[1]) / (sides > 0 ? sides : 1);
}

// Largest longitudinal strain of the steel over a roller. Bending beyond yield gathers in the element there,
// which then bends more than its neighbours let expect.
static double strain_at(const struct sim *sim, const struct roller_place *place) {
  const int e = place->element;
  const double a = bending_of(sim, 0, e, e), b = bending_of(sim, 1, e, e), own = sqrt(a * a + b * b);
  return fabs(sim->work.pipe.strain0[0][e]) +
         fmax(own, stinger_bending(sim, place)) * sim->state.mesh.pipe.steel_radius_m[e];
}

static void stinger_output(const struct sim *sim, struct sim_output *out) NONBLOCKING {
  const struct model *m = sim->model;
  const int each = stinger_rollers_each(&sim->def->pipe.stinger);
  out->has_stinger = 1;
  out->support_count = m->roller_count / each;
  for (int k = 0; k < m->roller_count; k++) {
    const struct roller *roller = &m->roller[k];
    const struct roller_place place = rollers_place(m, &sim->state, k, 0);
    const double force = place.is_near ? roller_force(roller, place.overlap_m) : 0;
    const double strain = place.is_near ? strain_at(sim, &place) : 0, gap = fmax(0, -place.overlap_m);
    out->support_reaction_n[k / each] +=
        force * (each > 1 ? trig_cos(sim->def->pipe.stinger.v_angle_rad) : 1);
    if (strain > out->overbend_strain)
      out->overbend_strain = strain, out->overbend_strain_arc_length_m = place.arc_m;
    if (k / each == out->support_count - 1)
      out->tip_clearance_m = k % each ? fmin(out->tip_clearance_m, gap) : gap;
  }
  for (int k = 0; k < out->support_count; k++)
    out->max_reaction_n = fmax(out->max_reaction_n, out->support_reaction_n[k]);
  out->tip_reaction_n = out->support_reaction_n[out->support_count - 1];
}

// ------------------------------------------------------------
static const double SHARE = 1e-3; // of the mean tension
static const double DECAY = 0.5;  // within TENSION_ALTERNATIONS steps, of what decays

static void begin_row(struct tension_watch *w, double deviation_n) {
  w->alternations = 1;
  w->largest_n = fabs(deviation_n);
}

static void count(struct tension_watch *w, double deviation_n, double limit_n) {
  const int is_opposite = deviation_n * w->deviation_n < 0;
  w->deviation_n = deviation_n;
  if (!(fabs(deviation_n) > limit_n)) {
    w->alternations = 0;
    w->largest_n = 0;
  } else if (w->alternations == 0 || !is_opposite) {
    begin_row(w, deviation_n);
  } else {
    w->alternations++;
    w->largest_n = fmax(w->largest_n, fabs(deviation_n));
  }
}

int tension_watch_step(struct tension_watch *w, double tension_n, double least_n) {
  const double before = w->tension_n[1], middle = w->tension_n[0];
  w->tension_n[1] = middle, w->tension_n[0] = tension_n;
  if (w->steps < TENSION_START) {
    w->steps++;
    return 0;
  }
  const double mean = 0.25 * (fabs(before) + 2 * fabs(middle) + fabs(tension_n));
  count(w, middle - 0.5 * (before + tension_n), SHARE * fmax(mean, least_n));
  if (w->alternations < TENSION_ALTERNATIONS)
    return 0;
  const int lasts = fabs(w->deviation_n) > DECAY * w->largest_n;
  begin_row(w, w->deviation_n);
  return lasts;
}
