// Creation of a simulator in one block of memory, and its statics.
#include "sagbend/sim/sim.h"

#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"

#include <stdlib.h>
#include <string.h>

// In place of a simulator that is only measured; zeros.
struct scratch {
  struct sim sim;
  struct model model;
};

// Places what no step changes: definition and model.
static void lay_out_shared(struct sim *into, const struct sim_def *def, struct arena *memory,
                           struct scratch *scratch) {
  const size_t start = memory->used;
  struct model *model = arena_take(memory, 1, sizeof *model);
  into->def = arena_take(memory, 1, sizeof *into->def);
  into->model = model ? model : &scratch->model;
  model_create(into->model, &def->vessel, &def->pipe, &def->env, memory);
  into->shared_bytes = memory->used - start;
}

// Places the simulator and all its arrays in memory; first: the simulator whose definition and model serve,
// or NULL. Without a block it only measures, with scratch in place of the simulator, and returns NULL.
static struct sim *lay_out(const struct sim *first, const struct sim_def *def, struct arena *memory,
                           struct scratch *scratch) {
  struct sim *sim = arena_take(memory, 1, sizeof *sim);
  struct sim *into = sim ? sim : scratch ? &scratch->sim : NULL;
  if (!into)
    return NULL;
  if (first) {
    into->def = first->def;
    into->model = first->model;
  } else
    lay_out_shared(into, def, memory, scratch);

  model_mesh_create(&into->state.mesh, into->model, &def->pipe, memory);

  size_t start = memory->used;
  model_state_create(&into->state, into->model, memory);
  into->field_bytes = memory->used - start;
  into->fields = memory->block ? memory->block + start : NULL;

  model_work_create(&into->work, into->model, &def->pipe, &into->state, memory);
  if (def->code_check.enabled)
    code_check_take(&into->check, &into->model->pipe, &def->pipe, memory);
  if (def->fatigue.enabled)
    fatigue_take(into, def, memory);
  into->bytes = memory->used;
  return sim;
}

enum status sim_memsize(const struct sim_def *def, size_t *size, struct reason *why) {
  *size = 0;
  enum status status = sim_check_def(def, why);
  if (status != STATUS_OK)
    return status;

  struct arena memory;
  struct scratch *scratch = calloc(1, sizeof *scratch); // too large for the stack
  if (!scratch)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the simulator");
  arena_init(&memory, NULL, 0);
  lay_out(NULL, def, &memory, scratch);
  *size = memory.used;
  free(scratch);
  return STATUS_OK;
}

// Copies the definition and what the model takes from it.
static void set_definition(struct sim *sim, const struct sim_def *def) {
  *sim->def = *def;
  sim->def->env.bathymetry.z_m = sim->model->env.bathymetry.z_m = NULL; // belongs to the caller
  sim->def->env.bathymetry.is_missing = sim->model->env.bathymetry.is_missing = NULL;
  sim->def->vessel.hydro = NULL; // likewise
  sim->model->pid = def->pid;
  sim->model->pid_continuous = def->controller == CONTROLLER_CONTINUOUS;
  sim->model->motion = def->pipe.motion;
  sim->model->tower = def->pipe.tower;
  sim->model->operations = def->pipe.operations;
  sim->model->payout = def->pipe.payout;
  sim->model->tensioner = def->pipe.tensioner;
  sim->model->end_force_n = vec3_of(def->pipe.end_force_n);
  sim->model->end_moment_nm = vec3_of(def->pipe.end_moment_nm);
  sim->model->end_profile = def->pipe.end_profile;
  model_prepare_tables(sim->model);
}

// Horizontal unit vector from the lower end towards the hang-off. The lay azimuth where the pipe has no
// hang-off, or hangs vertically.
static vec3 lay_plane_of(const struct sim *sim) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  double azimuth = sim->def->pipe.lay_azimuth_rad;
  vec3 along = {trig_cos(azimuth), trig_sin(azimuth), 0};
  if (p->nodes == 0 || sim->def->pipe.hangoff == HANGOFF_FREE)
    return along;
  vec3 way = vec3_sub(pipe_get3(sim->state.pipe.r_n, p->nodes - 1), pipe_get3(sim->state.pipe.r_n, 0));
  way.z = 0;
  double reach = vec3_norm(way);
  return reach > 1e-3 * sim->def->pipe.length_m ? vec3_scale(1 / reach, way) : along;
}

// Finds the equilibrium and the initial holding force, with the thrusters that give it.
static enum status solve_statics(struct sim *sim, struct reason *why) {
  const struct sim_def *def = sim->def;
  sim->state.vessel = vessel_initial_state(&def->vessel);
  enum status status =
      statics_solve(sim->model, &def->pipe, &def->statics, &sim->state, &sim->work, &sim->statics, why);
  if (status != STATUS_OK)
    return status;
  if (!def->hold_balances_statics)
    memcpy(sim->statics.initial_holding_force_b, def->initial_holding_force_b,
           sizeof sim->statics.initial_holding_force_b);
  model_set_hold(sim->model, &sim->state, sim->statics.initial_holding_force_b);
  memcpy(sim->run.control_b, sim->model->initial_holding_force_b, sizeof sim->run.control_b);
  return STATUS_OK;
}

// Takes the equilibrium of another simulator of the same definition, whose model it may share.
static void take_statics(struct sim *sim, const struct sim *first) {
  if (sim->model != first->model)
    model_take_statics(sim->model, first->model);
  model_state_copy(sim->model, &sim->state, &first->state);
  sim->state.plant = first->state.plant;
  sim->state.power = first->state.power;
  model_work_resize(&sim->state.mesh, &sim->work);
  sim->statics = first->statics;
  memcpy(sim->run.control_b, sim->model->initial_holding_force_b, sizeof sim->run.control_b);
}

static void sim_watch_pipe(struct sim *sim) NONBLOCKING;

// What follows from the equilibrium, before the first step.
static void start(struct sim *sim) {
  const struct sim_def *def = sim->def;
  payout_start(sim->model, &sim->state);
  retire_start(&sim->state);
  sim->plan = integrator_plan_of(&def->integrator, sim->model, def->step_s);
  struct model_energy energy = model_energy_of(sim->model, &sim->state, &sim->work);
  ledger_start(&sim->run.ledger, energy.kinetic_j, energy.potential_j);
  sim->lay_plane_n = lay_plane_of(sim);
  sim_refresh(sim);
  if (def->code_check.enabled)
    code_check_start(sim);
  if (def->fatigue.enabled)
    fatigue_start(sim);
  sim_watch_pipe(sim);
  if (sim->state.mesh.pipe.nodes > 0)
    sim->hangoff_start_z_m = pipe_get3(sim->state.pipe.r_n, sim->state.mesh.pipe.nodes - 1).z;
  sim_watch_validity(sim);
}

// first: NULL, or the simulator whose equilibrium serves.
static enum status create(const struct sim *first, const struct sim_def *def, void *mem, size_t size,
                          int is_zero, struct sim **out, struct reason *why) {
  size_t needed;
  enum status status = sim_memsize(def, &needed, why);
  if (status != STATUS_OK)
    return status;
  if (!mem || size < needed)
    return fail(why, STATUS_NO_MEMORY, "the simulator needs %zu bytes, got %zu", needed, size);

  struct arena memory;
  arena_init(&memory, mem, size);
  memory.is_zero = is_zero;
  struct sim *sim = lay_out(NULL, def, &memory, NULL);
  if (!sim)
    return fail(why, STATUS_NO_MEMORY, "the simulator needs %zu bytes, got %zu", needed, size);
  set_definition(sim, def);
  status = def->code_check.enabled ? code_check_prepare(sim, why) : STATUS_OK;
  if (status == STATUS_OK && first)
    take_statics(sim, first);
  else if (status == STATUS_OK)
    status = solve_statics(sim, why);
  if (status != STATUS_OK)
    return status;

  start(sim);
  *out = sim;
  return STATUS_OK;
}

enum status sim_create(const struct sim_def *def, void *mem, size_t size, struct sim **out,
                       struct reason *why) {
  return create(NULL, def, mem, size, 0, out, why);
}

enum status sim_create_beside(const struct sim *first, const struct sim_def *def, void *mem, size_t size,
                              int is_zero, struct sim **out, struct reason *why) {
  return create(first && first->run.step == 0 ? first : NULL, def, mem, size, is_zero, out, why);
}

size_t sim_sharing_size(const struct sim *first) {
  return first->bytes - first->shared_bytes;
}

enum status sim_create_sharing(const struct sim *first, void *mem, size_t size, struct sim **out,
                               struct reason *why) {
  const size_t needed = sim_sharing_size(first);
  if (first->run.step)
    return fail(why, STATUS_BAD_INPUT, "a simulator that has made no step expected");
  if (!mem || size < needed)
    return fail(why, STATUS_NO_MEMORY, "the simulator needs %zu bytes, got %zu", needed, size);
  struct arena memory;
  arena_init(&memory, mem, size);
  memory.is_zero = 1;
  struct sim *sim = lay_out(first, first->def, &memory, NULL);
  sim->shared_bytes = first->shared_bytes;
  sim->bytes += first->shared_bytes;
  enum status status = first->def->code_check.enabled ? code_check_prepare(sim, why) : STATUS_OK;
  if (status != STATUS_OK)
    return status;
  take_statics(sim, first);
  start(sim);
  *out = sim;
  return STATUS_OK;
}

const struct statics_report *sim_statics(const struct sim *sim) {
  return &sim->statics;
}

const struct thruster_setpoint *sim_hold_setpoints(const struct sim *sim) {
  return sim->model->hold_setpoint;
}

void sim_static_wrench(const struct sim *sim, const struct thruster_setpoint *setpoint, double wrench_b[6]) {
  model_static_wrench(sim->model, setpoint, wrench_b);
}

void sim_set_clock(struct sim *sim, uint64_t (*now_ns)(void) NONBLOCKING) {
  sim->clock.now_ns = now_ns;
}

void sim_stage_times_ns(const struct sim *sim, uint64_t stage_ns[STAGE_COUNT]) {
  memcpy(stage_ns, sim->clock.stage_ns, sizeof sim->clock.stage_ns);
}

// ------------------------------------------------------------
// One step: latch the input, integrate, count, refresh what outputs read, raise events.

// The energies sum over everything that moves, so they are finite only if the state is.
static int state_is_finite(const struct sim *sim) {
  const struct ledger *ledger = &sim->run.ledger;
  return isfinite(ledger->energy_j) && isfinite(ledger->total_residual_j) && isfinite(ledger->turnover_j);
}

// Whether the axes of two neighbouring nodes of a beam differ by more than 30 degrees.
static int bend_is_large(const struct sim *sim) {
  const double cos_30_deg = 0.86602540378443864676;
  double *const *axis = sim->work.pipe.d0;
  int found = 0;
  for (int e = 0; e < sim->state.mesh.pipe.elements; e++)
    found |=
        !pipe_is_wire(&sim->state.mesh.pipe, e) &&
        axis[0][e] * axis[0][e + 1] + axis[1][e] * axis[1][e + 1] + axis[2][e] * axis[2][e + 1] < cos_30_deg;
  return found;
}

static void watch_check(const struct code_check_state *check, struct sim *sim) {
  if (check->largest[CHECK_YIELD].utilisation > 1)
    sim_raise(sim, EVENT_BEYOND_YIELD);
  if (check->largest[CHECK_LOAD_CONTROLLED].utilisation > 1 ||
      check->largest[CHECK_COLLAPSE].utilisation > 1 || check->largest[CHECK_BURST].utilisation > 1)
    sim_raise(sim, EVENT_OVERLOAD);
  if (check->largest[CHECK_PROPAGATION].utilisation > 1 && sim->def->code_check.arrestor_spacing_m == 0)
    sim_raise(sim, EVENT_BUCKLE_PROPAGATION);
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    if (check->limits[k] & ~(uint32_t)CHECK_LIMIT_NO_GRADE)
      sim_raise(sim, EVENT_CHECK_LIMIT);
}

// Raises the events of large bends and strains, after sim_refresh.
static void sim_watch_pipe(struct sim *sim) NONBLOCKING {
  double limit = sim->def->pipe.strain_limit;
  if (bend_is_large(sim))
    sim_raise(sim, EVENT_LARGE_BEND);
  if (pipe_has_folded(&sim->state.mesh.pipe, &sim->work.pipe))
    sim_raise(sim, EVENT_ELEMENT_FOLDED);
  if (limit > 0 && sim->extremes.max_strain.value > limit)
    sim_raise(sim, EVENT_STRAIN_LIMIT);
  if (sim->def->code_check.enabled)
    watch_check(&sim->check, sim);
}

// The steps of a pipe of constant length are passive, so that a vibration which alternates cannot grow there.
static void watch_tension(struct sim *sim) {
  const struct pipe_stretch *own = sim->state.mesh.pipe.top.own;
  if (!sim->model->pipe.tally.present)
    return;
  const double least_n = fabs(own->kind->metre.weight_n) * own->element_m;
  if (tension_watch_step(&sim->run.tension, sim_hangoff_tension(sim), least_n))
    sim_raise(sim, EVENT_TENSION_ALTERNATES);
}

void sim_refresh(struct sim *sim) {
  if (sim->state.mesh.pipe.nodes == 0)
    return;
  sim->work.pipe.top_force_n = model_force_on_top(sim->model, &sim->state, &sim->work, sim_time_s(sim),
                                                  sim->def->step_s, vec3_of(sim->run.top_rate_end_n));
  pipe_extremes_of(&sim->state.mesh.pipe, &sim->state.pipe, &sim->work.pipe, &sim->extremes);
  if (sim->def->code_check.enabled)
    code_check_refresh(sim);
}

// Updates the rate of momentum of the half element at the hang-off from its momentum before the step. The
// mean rate over a step belongs to its middle; the rate at its end is extrapolated from two steps. A step at
// Newton's cap changes velocities without a force: the rate keeps its value.
static void update_top_rate(struct sim *sim, vec3 before, double before_kg, int unsolved) {
  struct sim_run *run = &sim->run;
  double now[3];
  if (sim->model->pipe.tally.present) { // the half element has changed: the rates of its present mass
    double ratio = before_kg > 0 ? sim->state.mesh.top_mass_kg / before_kg : 1;
    before = vec3_scale(ratio, before);
    for (int c = 0; c < 3; c++)
      run->top_rate_n[c] *= ratio, run->top_rate_end_n[c] *= ratio;
  }
  if (unsolved)
    return;
  vec3 after = model_top_momentum(sim->model, &sim->state);
  vec3_to(vec3_scale(1 / sim->def->step_s, vec3_sub(after, before)), now);
  for (int c = 0; c < 3; c++) {
    run->top_rate_end_n[c] = run->step > 1 ? 1.5 * now[c] - 0.5 * run->top_rate_n[c] : now[c];
    run->top_rate_n[c] = now[c];
  }
}

// Counts the step and raises the events of its report.
static void count_step(struct sim *sim, const struct step_report *report) {
  struct sim_run *run = &sim->run;
  run->step++;
  run->newton_iterations = (uint64_t)report->iterations;
  run->newton_total += (uint64_t)report->iterations;
  run->newton_max = run->newton_iterations > run->newton_max ? run->newton_iterations : run->newton_max;
  run->newton_tangents = (uint64_t)report->tangents;
  run->newton_tangents_total += (uint64_t)report->tangents;
  run->newton_residual_n = report->residual_n;

  if (report->divided) {
    run->divided_count++;
    sim_raise(sim, EVENT_STEP_DIVIDED);
  }
  if (report->unsolved) {
    run->not_converged_count++;
    sim_raise(sim, EVENT_NEWTON_CAP);
  }
  if (report->unresolved) {
    run->contact_not_resolved_count++;
    sim_raise(sim, EVENT_CONTACT_UNRESOLVED);
  }
  if (report->damping_gained)
    sim_raise(sim, EVENT_DAMPING_GAINED);
  if (sim->state.payout.stopped == PAYOUT_TALLY_ENDED)
    sim_raise(sim, EVENT_TALLY_ENDED);
  if (sim->state.retire.exhausted)
    sim_raise(sim, EVENT_STORE_EMPTY);
  if (sim->state.retire.slipped > 0)
    sim_raise(sim, EVENT_LAID_SLIP);
  if (sim->state.flooding.share > 0)
    sim_raise(sim, EVENT_FLOODED);
}

// Raises the event of pipe that has slipped beyond the peak of its friction.
static void watch_soil(struct sim *sim) {
  const struct pipe *p = &sim->model->pipe;
  for (int d = 0; d < 2 && p->friction.law == FRICTION_BREAKOUT && p->has_friction; d++)
    for (int i = 0; i < sim->state.mesh.pipe.nodes; i++)
      if (p->soil_friction.residual_m[d] > 0 && sim->state.pipe.slip_m[d][i] > p->soil_friction.residual_m[d])
        sim_raise(sim, EVENT_SOIL_BROKE_OUT);
}

// Half a step of the power plant, before and after the motion of drives and vessel: the composition is of
// order 2.
static void advance_power(struct sim *sim, const struct sim_input *input) {
  if (!power_is_present(&sim->model->plant.power))
    return;
  struct power_switches switches = input->power;
  for (int b = 0; b < sim->model->plant.bus_count; b++)
    switches.bus_lost[b] = input->bus[b].lost;
  plant_power_flow(&sim->model->plant, &sim->state.plant, &sim->state.power, &switches,
                   0.5 * sim->def->step_s);
  for (int i = 0; i < sim->model->plant.power.generator_count; i++)
    if (sim->state.power.generator[i].trip_count > 0)
      sim_raise(sim, EVENT_GENERATOR_TRIPPED);
  for (int b = 0; b < sim->model->plant.bus_count; b++)
    if (sim->state.power.bus[b].dark_count > 0)
      sim_raise(sim, EVENT_BUS_DARK);
}

void sim_step(struct sim *sim, const struct sim_input *input) {
  struct sim_run *run = &sim->run;
  if (run->fault)
    return;

  const struct sim_input no_input = {0};
  input = input ? input : &no_input;
  const double *wrench_b = input->wrench_b ? input->wrench_b : sim->model->initial_holding_force_b;
  const struct thruster_setpoint *setpoint = input->setpoint ? input->setpoint : sim->model->hold_setpoint;
  double time_s = sim_time_s(sim), zero[6] = {0};
  int pid_on = sim->model->pid_continuous && time_s + 0.5 * sim->def->step_s > sim->model->pid.start_s;
  memcpy(run->control_b, pid_on ? zero : wrench_b, sizeof run->control_b); // the step sets the PID's wrench
  advance_power(sim, input);
  plant_latch(&sim->model->plant, &sim->state.plant, setpoint, input->thruster, input->bus, &sim->state.power,
              sim->def->step_s);
  tensioner_latch(sim->model, &sim->state, &input->tensioner);
  operations_latch(sim->model, &sim->state, input->has_way ? input->way_m : (double)NAN);
  flooding_latch(&sim->state, &input->flooding);

  vec3 top_momentum = model_top_momentum(sim->model, &sim->state);
  double top_kg = sim->state.mesh.top_mass_kg;
  const struct step_input step = {.time_s = time_s,
                                  .step_s = sim->def->step_s,
                                  .max_iterations = sim->def->newton_max_iterations,
                                  .pid_on = pid_on,
                                  .control_b = run->control_b};
  struct step_report report =
      integrator_step(&sim->plan, sim->model, &sim->state, &sim->work, &step, &run->ledger, &sim->clock);

  advance_power(sim, input);

  count_step(sim, &report);
  update_top_rate(sim, top_momentum, top_kg, report.unsolved);
  sim_refresh(sim);
  sim_watch_pipe(sim);
  watch_tension(sim);
  if (sim->def->fatigue.enabled)
    fatigue_advance(sim);
  watch_soil(sim);
  sim_watch_validity(sim);
  if (report.ports_failed || !state_is_finite(sim)) {
    sim_raise(sim, EVENT_NOT_FINITE);
    run->fault = 1;
  }
}

// ------------------------------------------------------------
// Limits of validity: what the state is compared with after each step.

static double given_or(double value, double usual) {
  return value > 0 ? value : usual;
}

static double draft_of(const struct vessel_def *vessel) {
  return given_or(vessel->hull.draft_m, vessel->waves.draft_m);
}

// The hydrostatics are linear in roll and pitch.
static int angle_is_large(const struct sim *sim) {
  const struct vessel_def *vessel = &sim->def->vessel;
  double euler[3], limit = given_or(sim->def->validity.angle_rad, VALIDITY_ANGLE_RAD);
  if (!(vessel->gm_transverse_m > 0 || vessel->gm_longitudinal_m > 0))
    return 0;
  euler_of_quat(sim->state.vessel.q_nb, euler);
  return fabs(euler[0]) > limit || fabs(euler[1]) > limit;
}

// A hang-off that starts clear of the water stays above it; another one may be at the keel, and heave with
// it.
static int hangoff_is_outside(const struct sim *sim) {
  const struct pipe_mesh *pipe = &sim->state.mesh.pipe;
  double draft = given_or(draft_of(&sim->def->vessel), VALIDITY_DRAFT_M);
  double limit = given_or(sim->def->validity.hangoff_depth_m,
                          sim->hangoff_start_z_m < -VALIDITY_HANGOFF_DRY_M ? 0 : 2 * draft);
  if (sim->def->pipe.hangoff != HANGOFF_PINNED && sim->def->pipe.hangoff != HANGOFF_CLAMPED)
    return 0;
  vec3 top = pipe_get3(sim->state.pipe.r_n, pipe->nodes - 1);
  return top.z > limit ||
         (sim->def->env.seabed != SEABED_NONE && surface_penetration(&pipe->pipe->ground, 0, top, NULL) > 0);
}

// The springs of the seabed stand for pipe that rests on the ground.
static int pipe_sinks(const struct sim *sim) {
  const struct pipe_mesh *pipe = &sim->state.mesh.pipe;
  double diameters = given_or(sim->def->validity.sinking_diameters, VALIDITY_SINKING_DIAMETERS);
  int found = 0;
  for (int i = 0; i < pipe->nodes; i++) {
    double radius = pipe->outer_radius_m[i < pipe->elements ? i : i - 1];
    found |= pipe->contact_length_m[i] > 0 && sim->work.pipe.penetration_m[i] > diameters * 2 * radius;
  }
  return found;
}

// The data of a diffraction code hold for small motions of a vessel without way. Brard's number, the speed
// times the wave's frequency over g, is 1/4 where the waves that a moving vessel makes change their pattern.
static int is_beyond_hydro(const struct sim *sim) {
  const struct vessel_def *vessel = &sim->def->vessel;
  const struct vessel_state *state = &sim->state.vessel;
  const struct waves_def *waves = &sim->def->env.waves;
  if (vessel->radiation.count == 0) // no hydro file
    return 0;
  mat3 q = quat_matrix(state->q_nb);
  double heave = state->x_n.z + mat3_mul(&q, vec3_of(vessel->flotation_b_m)).z - vessel->equilibrium_z_m;
  if (draft_of(vessel) > 0 && fabs(heave) > draft_of(vessel))
    return 1;

  vec3 v = mat3_mul(&q, vec3_of(state->nu));
  if (vessel->current_acts)
    v = vec3_sub(
        v, current_at(&sim->model->current, current_turn_at(&sim->model->env.current, sim_time_s(sim)), 0));
  double brard = given_or(sim->def->validity.brard_number, VALIDITY_BRARD_NUMBER);
  double limit = brard * sim->def->env.gravity_mps2 * waves->period_s / (2 * TRIG_PI);
  return waves->present && v.x * v.x + v.y * v.y > limit * limit;
}

// The lengths of elements follow from where the touchdown was foreseen (sagbend/model/model.h).
static int touchdown_has_left(const struct sim *sim) {
  const struct pipe_mesh *pipe = &sim->state.mesh.pipe;
  const struct pipe_def *def = &sim->def->pipe;
  if (!def->is_graded)
    return 0;
  for (int e = pipe->elements - 1; e >= 0; e--)
    if (sim->work.pipe.penetration_m[e] > 0 && pipe->contact_length_m[e] > 0)
      return pipe->length_m[e] > 1.01 * def->length_m / def->elements;
  return 0;
}

void sim_watch_validity(struct sim *sim) {
  if (angle_is_large(sim))
    sim_raise(sim, EVENT_LARGE_ANGLE);
  if (is_beyond_hydro(sim))
    sim_raise(sim, EVENT_BEYOND_HYDRO);
  if (sim->state.mesh.pipe.nodes == 0)
    return;
  if (hangoff_is_outside(sim))
    sim_raise(sim, EVENT_HANGOFF_OUTSIDE);
  if (sim->extremes.max_strain.value > given_or(sim->def->validity.strain, VALIDITY_STRAIN))
    sim_raise(sim, EVENT_LARGE_STRAIN);
  if (pipe_sinks(sim))
    sim_raise(sim, EVENT_PIPE_SINKS);
  if (touchdown_has_left(sim))
    sim_raise(sim, EVENT_TOUCHDOWN_LEFT);
}
