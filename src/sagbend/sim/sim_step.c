// One step: latch the input, integrate, count, refresh what outputs read, raise events.
#include "sagbend/lay/flooding.h"
#include "sagbend/lay/operations.h"
#include "sagbend/lay/tensioner.h"
#include "sagbend/sim/sim_parts.h"

#include <string.h>

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
  if (check->largest[CHECK_PROPAGATION].utilisation > 1 && sim->def.code_check.arrestor_spacing_m == 0)
    sim_raise(sim, EVENT_BUCKLE_PROPAGATION);
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    if (check->limits[k] & ~(uint32_t)CHECK_LIMIT_NO_GRADE)
      sim_raise(sim, EVENT_CHECK_LIMIT);
}

void sim_watch_pipe(struct sim *sim) {
  double limit = sim->def.pipe.strain_limit;
  if (bend_is_large(sim))
    sim_raise(sim, EVENT_LARGE_BEND);
  if (pipe_has_folded(&sim->state.mesh.pipe, &sim->work.pipe))
    sim_raise(sim, EVENT_ELEMENT_FOLDED);
  if (limit > 0 && sim->extremes.max_strain.value > limit)
    sim_raise(sim, EVENT_STRAIN_LIMIT);
  if (sim->def.code_check.asked)
    watch_check(&sim->check, sim);
}

// The steps of a pipe of constant length are passive, so that a vibration which alternates cannot grow there.
static void watch_tension(struct sim *sim) {
  const struct pipe_stretch *own = sim->state.mesh.pipe.top.own;
  if (!sim->model.pipe.feed.present)
    return;
  const double least_n = fabs(own->kind->metre.weight_n) * own->element_m;
  if (tension_watch_step(&sim->run.tension, sim_hangoff_tension(sim), least_n))
    sim_raise(sim, EVENT_TENSION_ALTERNATES);
}

void sim_refresh(struct sim *sim) {
  if (sim->state.mesh.pipe.nodes == 0)
    return;
  sim->work.pipe.top_force_n = model_force_on_top(&sim->model, &sim->state, &sim->work, sim_time_s(sim),
                                                  sim->def.step_s, vec3_of(sim->run.top_rate_end_n));
  pipe_extremes_of(&sim->state.mesh.pipe, &sim->state.pipe, &sim->work.pipe, &sim->extremes);
  if (sim->def.code_check.asked)
    code_check_refresh(sim);
}

// Updates the rate of momentum of the half element at the hang-off from its momentum before the step. The
// mean rate over a step belongs to its middle; the rate at its end is extrapolated from two steps. A step at
// Newton's cap changes velocities without a force: the rate keeps its value.
static void update_top_rate(struct sim *sim, vec3 before, double before_kg, int unsolved) {
  struct sim_run *run = &sim->run;
  double now[3];
  if (sim->model.pipe.feed.present) { // the half element has changed: the rates of its present mass
    double ratio = before_kg > 0 ? sim->state.mesh.top_mass_kg / before_kg : 1;
    before = vec3_scale(ratio, before);
    for (int c = 0; c < 3; c++)
      run->top_rate_n[c] *= ratio, run->top_rate_end_n[c] *= ratio;
  }
  if (unsolved)
    return;
  vec3 after = model_top_momentum(&sim->model, &sim->state);
  vec3_to(vec3_scale(1 / sim->def.step_s, vec3_sub(after, before)), now);
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
    run->unsolved_count++;
    sim_raise(sim, EVENT_NEWTON_CAP);
  }
  if (report->unresolved) {
    run->unresolved_count++;
    sim_raise(sim, EVENT_CONTACT_UNRESOLVED);
  }
  if (report->damping_gained)
    sim_raise(sim, EVENT_DAMPING_GAINED);
  if (sim->state.payout.stopped == PAYOUT_FEED_FULL)
    sim_raise(sim, EVENT_FEED_FULL);
  if (sim->state.retire.exhausted)
    sim_raise(sim, EVENT_STORE_EMPTY);
  if (sim->state.retire.slipped > 0)
    sim_raise(sim, EVENT_LAID_SLIP);
  if (sim->state.flooding.share > 0)
    sim_raise(sim, EVENT_FLOODED);
}

// Raises the event of pipe that has slipped beyond the peak of its friction.
static void watch_soil(struct sim *sim) {
  const struct pipe *p = &sim->model.pipe;
  for (int d = 0; d < 2 && p->friction.law == FRICTION_BREAKOUT && p->has_friction; d++)
    for (int i = 0; i < sim->state.mesh.pipe.nodes; i++)
      if (p->soil_friction.residual_m[d] > 0 && sim->state.pipe.slip_m[d][i] > p->soil_friction.residual_m[d])
        sim_raise(sim, EVENT_SOIL_BROKE_OUT);
}

// Half a step of the power plant, before and after the motion of drives and vessel: the composition is of
// order 2.
static void advance_power(struct sim *sim, const struct sim_input *input) {
  if (!power_is_present(&sim->model.plant.power))
    return;
  struct power_switches switches = input->power;
  for (int b = 0; b < sim->model.plant.bus_count; b++)
    switches.bus_lost[b] = input->bus[b].lost;
  plant_power_flow(&sim->model.plant, &sim->state.plant, &sim->state.power, &switches, 0.5 * sim->def.step_s);
  for (int i = 0; i < sim->model.plant.power.generator_count; i++)
    if (sim->state.power.generator[i].trip_count > 0)
      sim_raise(sim, EVENT_SET_TRIPPED);
  for (int b = 0; b < sim->model.plant.bus_count; b++)
    if (sim->state.power.bus[b].dark_count > 0)
      sim_raise(sim, EVENT_BUS_DARK);
}

void sim_step(struct sim *sim, const struct sim_input *input) {
  struct sim_run *run = &sim->run;
  if (run->fault)
    return;

  const struct sim_input no_input = {0};
  input = input ? input : &no_input;
  const double *wrench_b = input->wrench_b ? input->wrench_b : sim->model.hold_wrench_b;
  const struct thruster_setpoint *setpoint = input->setpoint ? input->setpoint : sim->model.hold_setpoint;
  double time_s = sim_time_s(sim), zero[6] = {0};
  int pid_on = sim->model.pid_continuous && time_s + 0.5 * sim->def.step_s > sim->model.pid.start_s;
  memcpy(run->control_b, pid_on ? zero : wrench_b, sizeof run->control_b); // the step sets the PID's wrench
  advance_power(sim, input);
  plant_latch(&sim->model.plant, &sim->state.plant, setpoint, input->thruster, input->bus, &sim->state.power,
              sim->def.step_s);
  tensioner_latch(&sim->model, &sim->state, &input->tensioner);
  operations_latch(&sim->model, &sim->state, input->has_way ? input->way_m : (double)NAN);
  flooding_latch(&sim->state, &input->flooding);

  vec3 top_momentum = model_top_momentum(&sim->model, &sim->state);
  double top_kg = sim->state.mesh.top_mass_kg;
  const struct step_input step = {.time_s = time_s,
                                  .step_s = sim->def.step_s,
                                  .max_iterations = sim->def.newton_max_iterations,
                                  .pid_on = pid_on,
                                  .control_b = run->control_b};
  struct step_report report =
      integrator_step(&sim->plan, &sim->model, &sim->state, &sim->work, &step, &run->ledger, &sim->clock);

  advance_power(sim, input);

  count_step(sim, &report);
  update_top_rate(sim, top_momentum, top_kg, report.unsolved);
  sim_refresh(sim);
  sim_watch_pipe(sim);
  watch_tension(sim);
  if (sim->def.fatigue.asked)
    fatigue_advance(sim);
  watch_soil(sim);
  sim_watch_validity(sim);
  if (report.ports_failed || !state_is_finite(sim)) {
    sim_raise(sim, EVENT_NOT_FINITE);
    run->fault = 1;
  }
}
