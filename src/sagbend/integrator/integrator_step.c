#include "sagbend/integrator/step.h"

#include "sagbend/integrator/step_parts.h"
#include "sagbend/lay/flooding.h"
#include "sagbend/lay/operations.h"
#include "sagbend/lay/lay.h"
#include "sagbend/lay/retire.h"
#include "sagbend/lay/tensioner.h"
#include "sagbend/lay/tower.h"

#include <string.h>

// Moves the surface over the pipe, which is at rest meanwhile, and books its work.
static void raise_surface(struct step_run *run, double time_s, double lead_s) {
  run->ledger->work_j[PORT_PIPE_WAVES] += stations_raise(&run->m->field, &run->s->mesh.pipe, &run->s->pipe,
                                                         &run->s->mesh.stations, time_s, lead_s);
}

// Begins a step with waves on the pipe: the surface is that of the middle of the step until its end.
static void enter_sea(struct step_run *run, double time_s, double step_s) {
  stations_begin(&run->m->field, &run->s->mesh.pipe, &run->s->pipe, &run->s->mesh.stations, time_s, step_s);
  raise_surface(run, time_s + 0.5 * step_s, 0.5 * step_s);
}

// D(h/2) C(h) D(h/2)
static void ordinary_step(struct step_run *run, const struct integrator_plan *plan) {
  const double time_s = run->input->time_s, step_s = run->input->step_s;
  struct plant_state *plant = &run->s->plant;
  struct half_step first = {.duration_s = 0.5 * step_s,
                            .time_s = time_s + 0.25 * step_s,
                            .pid_on = run->input->pid_on,
                            .radiation = &plan->radiation[0]};
  memcpy(first.control_b, run->input->control_b, sizeof first.control_b);
  struct half_step second = first;
  second.time_s = time_s + 0.75 * step_s;
  second.second = 1;

  plant_flow(&run->m->plant, plant, 0.25 * step_s);
  if (run->m->pipe.in_sea)
    enter_sea(run, time_s, step_s);
  int failed = dissipative_flow(run->m, run->s, &first, run->ledger) != STATUS_OK;
  if (run->m->pipe.in_sea)
    stations_push(&run->m->field, &run->s->mesh.pipe, &run->s->pipe, &run->s->mesh.stations, time_s, step_s,
                  run->w->pipe.push_n);
  stage_end(run->clock, STAGE_DISSIPATIVE);

  // A vessel alone costs next to nothing, and from a good prediction its iteration would end just at the
  // tolerance.
  run->with_history = run->s->mesh.pipe.nodes > 0;
  conservative_flow(run, time_s, step_s);
  stage_end(run->clock, STAGE_ASSEMBLE);

  plant_flow(&run->m->plant, plant, 0.5 * step_s);
  failed |= dissipative_flow(run->m, run->s, &second, run->ledger) != STATUS_OK;
  plant_flow(&run->m->plant, plant, 0.25 * step_s);
  if (run->m->pipe.in_sea)
    raise_surface(run, time_s + step_s, 0);
  stage_end(run->clock, STAGE_DISSIPATIVE);

  memcpy(run->input->control_b, second.control_b, sizeof second.control_b);
  run->report.ports_failed = failed;
}

// Energy at the end of the step, after changes of the mesh at both ends, which are booked.
static struct model_energy remeshed_energy(struct step_run *run, double time_s, double step_s) {
  struct model_energy energy = model_energy_of(run->m, run->s, run->w);
  double feed_j, before = energy.kinetic_j + energy.potential_j;
  if (payout_remesh(run->m, run->s, run->w, time_s, step_s, &feed_j)) {
    energy = model_energy_of(run->m, run->s, run->w);
    run->ledger->work_j[PORT_FEED] += feed_j;
    run->ledger->work_j[PORT_REMESH] += energy.kinetic_j + energy.potential_j - before - feed_j;
  }
  before = energy.kinetic_j + energy.potential_j;
  if (retire_update(run->m, run->s, run->w, time_s)) {
    energy = model_energy_of(run->m, run->s, run->w);
    run->ledger->work_j[PORT_RETIRED] += energy.kinetic_j + energy.potential_j - before;
  }
  payout_keep_velocity(run->m, run->s, time_s, step_s);
  return energy;
}

struct step_report integrator_step(const struct integrator_plan *plan, const struct model *m,
                                   struct model_state *s, struct model_work *w,
                                   const struct step_input *input, struct ledger *ledger,
                                   struct stage_clock *clock) {
  const double time_s = input->time_s, step_s = input->step_s;
  struct step_run run = {.m = m, .s = s, .w = w, .input = input, .ledger = ledger, .clock = clock};
  stage_begin(clock);
  ledger_begin_step(ledger);

  run.ledger->work_j[PORT_TENSIONER] += tensioner_obey(m, s, time_s, step_s);
  run.ledger->work_j[PORT_FLOODING] += flooding_advance(s, step_s);
  run.ledger->work_j[PORT_MOTION] += tower_turn(m, s, w, time_s, 0.5 * step_s);
  if (plan->splitting)
    run.report = split_step(plan, m, s, input, ledger);
  else if (plan->order == 4)
    fourth_order_step(&run, plan);
  else
    ordinary_step(&run, plan);

  run.ledger->work_j[PORT_MOTION] += tower_turn(m, s, w, time_s, step_s);
  operations_count(m, s, step_s);
  struct model_energy energy = remeshed_energy(&run, time_s + step_s, step_s);
  ledger_end_step(ledger, energy.kinetic_j, energy.potential_j);
  ledger->memory_j = energy.memory_j;
  stage_end(clock, STAGE_LEDGER);
  return run.report;
}
