// Creation of a simulator in one block of memory, and its statics.
#include "sagbend/sim/sim.h"

#include "sagbend/lay/lay.h"
#include "sagbend/lay/retire.h"
#include "sagbend/math/trig.h"
#include "sagbend/sim/sim_parts.h"

#include <stdlib.h>
#include <string.h>

// Places the simulator and all its arrays in memory. Without a block it only measures, with scratch (zeros)
// in place of the simulator, and returns NULL.
static struct sim *lay_out(const struct sim_def *def, struct arena *memory, struct sim *scratch) {
  struct sim *sim = arena_take(memory, 1, sizeof *sim);
  struct sim *into = sim ? sim : scratch;
  if (!into)
    return NULL;
  model_create(&into->model, &def->vessel, &def->pipe, &def->env, memory);

  model_mesh_create(&into->state.mesh, &into->model, &def->pipe, memory);

  size_t start = memory->used;
  model_state_create(&into->state, &into->model, memory);
  into->field_bytes = memory->used - start;
  into->fields = memory->block ? memory->block + start : NULL;

  model_work_create(&into->work, &into->model, &def->pipe, &into->state, memory);
  if (def->code_check.asked)
    code_check_take(&into->check, &into->model.pipe, &def->pipe, memory);
  if (def->fatigue.asked)
    fatigue_take(into, def, memory);
  return sim;
}

enum status sim_memsize(const struct sim_def *def, size_t *size, struct reason *why) {
  *size = 0;
  enum status status = sim_check_def(def, why);
  if (status != STATUS_OK)
    return status;

  struct arena memory;
  struct sim *scratch = calloc(1, sizeof *scratch); // too large for the stack
  if (!scratch)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the simulator");
  arena_init(&memory, NULL, 0);
  lay_out(def, &memory, scratch);
  *size = memory.used;
  free(scratch);
  return STATUS_OK;
}

// Copies the definition and what the model takes from it.
static void set_definition(struct sim *sim, const struct sim_def *def) {
  sim->def = *def;
  sim->def.env.bathymetry.z_m = sim->model.env.bathymetry.z_m = NULL; // belongs to the caller
  sim->def.env.bathymetry.is_missing = sim->model.env.bathymetry.is_missing = NULL;
  sim->def.vessel.hydro = NULL; // likewise
  sim->model.pid = def->pid;
  sim->model.pid_continuous = def->controller == CONTROLLER_CONTINUOUS;
  sim->model.motion = def->pipe.motion;
  sim->model.tower = def->pipe.tower;
  sim->model.operations = def->pipe.operations;
  sim->model.payout = def->pipe.payout;
  sim->model.tensioner = def->pipe.tensioner;
  sim->model.end_force_n = vec3_of(def->pipe.end_force_n);
  sim->model.end_moment_nm = vec3_of(def->pipe.end_moment_nm);
  sim->model.end_profile = def->pipe.end_profile;
  model_prepare_tables(&sim->model);
}

// Horizontal unit vector from the lower end towards the hang-off. The lay azimuth where the pipe has no
// hang-off, or hangs vertically.
static vec3 lay_plane_of(const struct sim *sim) {
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  double azimuth = sim->def.pipe.lay_azimuth_rad;
  vec3 along = {trig_cos(azimuth), trig_sin(azimuth), 0};
  if (p->nodes == 0 || sim->def.pipe.hangoff == HANGOFF_FREE)
    return along;
  vec3 way = vec3_sub(pipe_get3(sim->state.pipe.r_n, p->nodes - 1), pipe_get3(sim->state.pipe.r_n, 0));
  way.z = 0;
  double reach = vec3_norm(way);
  return reach > 1e-3 * sim->def.pipe.length_m ? vec3_scale(1 / reach, way) : along;
}

// Finds the equilibrium and the hold wrench, with the thrusters that give it.
static enum status solve_statics(struct sim *sim, struct reason *why) {
  const struct sim_def *def = &sim->def;
  sim->state.vessel = vessel_initial_state(&def->vessel);
  enum status status =
      statics_solve(&sim->model, &def->pipe, &def->statics, &sim->state, &sim->work, &sim->statics, why);
  if (status != STATUS_OK)
    return status;
  if (!def->hold_balances_statics)
    memcpy(sim->statics.hold_wrench_b, def->hold_wrench_b, sizeof sim->statics.hold_wrench_b);
  model_set_hold(&sim->model, &sim->state, sim->statics.hold_wrench_b);
  memcpy(sim->run.control_b, sim->model.hold_wrench_b, sizeof sim->run.control_b);
  return STATUS_OK;
}

// Takes the equilibrium of another simulator of the same definition.
static void take_statics(struct sim *sim, const struct sim *first) {
  model_take_statics(&sim->model, &first->model);
  model_state_copy(&sim->model, &sim->state, &first->state);
  sim->state.plant = first->state.plant;
  sim->state.power = first->state.power;
  model_work_resize(&sim->state.mesh, &sim->work);
  sim->statics = first->statics;
  memcpy(sim->run.control_b, sim->model.hold_wrench_b, sizeof sim->run.control_b);
}

// first: NULL, or the simulator whose equilibrium serves.
static enum status create(const struct sim *first, const struct sim_def *def, void *mem, size_t size,
                          struct sim **out, struct reason *why) {
  size_t needed;
  enum status status = sim_memsize(def, &needed, why);
  if (status != STATUS_OK)
    return status;
  if (!mem || size < needed)
    return fail(why, STATUS_NO_MEMORY, "the simulator needs %zu bytes, got %zu", needed, size);

  struct arena memory;
  arena_init(&memory, mem, size);
  struct sim *sim = lay_out(def, &memory, NULL);
  set_definition(sim, def);
  status = def->code_check.asked ? code_check_prepare(sim, why) : STATUS_OK;
  if (status == STATUS_OK && first)
    take_statics(sim, first);
  else if (status == STATUS_OK)
    status = solve_statics(sim, why);
  if (status != STATUS_OK)
    return status;

  payout_start(&sim->model, &sim->state);
  retire_start(&sim->state);
  sim->plan = integrator_plan_of(&def->integrator, &sim->model, def->step_s);
  struct model_energy energy = model_energy_of(&sim->model, &sim->state, &sim->work);
  ledger_start(&sim->run.ledger, energy.kinetic_j, energy.potential_j);
  sim->lay_plane_n = lay_plane_of(sim);
  sim_refresh(sim);
  if (def->code_check.asked)
    code_check_start(sim);
  if (def->fatigue.asked)
    fatigue_start(sim);
  sim_watch_pipe(sim);
  if (sim->state.mesh.pipe.nodes > 0)
    sim->hangoff_start_z_m = pipe_get3(sim->state.pipe.r_n, sim->state.mesh.pipe.nodes - 1).z;
  sim_watch_validity(sim);
  *out = sim;
  return STATUS_OK;
}

enum status sim_create(const struct sim_def *def, void *mem, size_t size, struct sim **out,
                       struct reason *why) {
  return create(NULL, def, mem, size, out, why);
}

enum status sim_create_beside(const struct sim *first, const struct sim_def *def, void *mem, size_t size,
                              struct sim **out, struct reason *why) {
  return create(first->run.step == 0 ? first : NULL, def, mem, size, out, why);
}

const struct statics_report *sim_statics(const struct sim *sim) {
  return &sim->statics;
}

const struct thruster_setpoint *sim_hold_setpoints(const struct sim *sim) {
  return sim->model.hold_setpoint;
}

void sim_static_wrench(const struct sim *sim, const struct thruster_setpoint *setpoint, double wrench_b[6]) {
  model_static_wrench(&sim->model, setpoint, wrench_b);
}

void sim_set_clock(struct sim *sim, uint64_t (*now_ns)(void) NONBLOCKING) {
  sim->clock.now_ns = now_ns;
}

void sim_stage_times_ns(const struct sim *sim, uint64_t stage_ns[STAGE_COUNT]) {
  memcpy(stage_ns, sim->clock.stage_ns, sizeof sim->clock.stage_ns);
}

// Names and descriptions of the events.
#define SIM_EVENT(id, name, reaction, meaning, advice)                                                       \
  _Static_assert(sizeof meaning > 1 && sizeof advice > 1, "a description and an advice");
#include "sagbend/sim/events.inc"

const char *sim_event_name(int event) {
  static const char *const names[] = {
#define SIM_EVENT(id, name, ...) name,
#include "sagbend/sim/events.inc"
  };
  return (unsigned)event < EVENT_COUNT ? names[event] : "unknown";
}

const char *sim_event_text(int event) {
  static const char *const texts[] = {
#define SIM_EVENT(id, name, reaction, meaning, advice) meaning,
#include "sagbend/sim/events.inc"
  };
  return (unsigned)event < EVENT_COUNT ? texts[event] : "unknown event";
}
