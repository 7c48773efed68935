// A step in the order of the physics, and the plan by which it is made.
#include "sagbend/integrator/integrator.h"
#include "sagbend/integrator/integrator_internal.h"

#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"

#include <stddef.h>
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

static struct step_report split_step(const struct integrator_plan *plan, const struct model *m,
                                     struct model_state *s, const struct step_input *input,
                                     struct ledger *ledger) NONBLOCKING;

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

// ------------------------------------------------------------
// A step of the exact splitting (sagbend/math/math.h; Celledoni, Hoiseth and Ramzina 2018, eq. 40
// and 41): converts the session's state and books work and losses. The loads are those at the middle of the
// step.

struct load_at {
  const struct env_def *env;
  double time_s;
};

static void load_at_attitude(const void *of, const mat3 *q_nb, double wrench_b[6]) NONBLOCKING {
  const struct load_at *at = of;
  loads_at(at->env, at->time_s, q_nb, wrench_b);
}

static struct step_report split_step(const struct integrator_plan *plan, const struct model *m,
                                     struct model_state *s, const struct step_input *input,
                                     struct ledger *ledger) NONBLOCKING {
  const double time_s = input->time_s, step_s = input->step_s;
  double *control_b = input->control_b;
  const int pid_on = input->pid_on;
  struct load_at at = {&m->env, time_s + 0.5 * step_s};
  struct split_step step = {.vessel = &plan->vessel,
                            .scheme = plan->splitting,
                            .how = plan->how,
                            .pid = pid_on ? &plan->pid : NULL,
                            .control_b = pid_on ? NULL : control_b,
                            .load = m->env.load_count > 0 ? load_at_attitude : NULL,
                            .load_of = &at};
  struct split_state state = {.x_n = s->vessel.x_n, .q_nb = s->vessel.q_nb};
  memcpy(state.nu, s->vessel.nu, sizeof state.nu);
  memcpy(state.integral, s->pid_integral, sizeof state.integral);
  struct split_account account = split_vessel_step(&step, &state, NULL, step_s);
  struct step_report report = {.ports_failed = !account.solved, .damping_gained = account.loss_j < 0};
  if (!account.solved)
    return report;
  s->vessel.x_n = state.x_n;
  s->vessel.q_nb = state.q_nb;
  memcpy(s->vessel.nu, state.nu, sizeof state.nu);
  memcpy(s->pid_integral, state.integral, sizeof state.integral);
  if (pid_on)
    memcpy(control_b, account.control_b, sizeof account.control_b);
  ledger->work_j[PORT_CONTROL] += account.control_j;
  ledger->work_j[PORT_LOADS] += account.load_j;
  ledger->loss_j[LOSS_VESSEL_DAMPING] += account.loss_j;
  return report;
}

// ------------------------------------------------------------
static int is_diagonal(const double (*a)[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      if (i != j && a[i][j] != 0)
        return 0;
  return 1;
}

static int any_is_nonzero(const double *a, int count) {
  for (int i = 0; i < count; i++)
    if (a[i] != 0)
      return 1;
  return 0;
}

// The exact splitting needs a vessel with constant, diagonal matrices and without ports that depend on the
// velocity. Returns the reason why this session has none, or NULL.
static const char *find_splitting_error(const struct vessel_def *vessel, const struct env_def *env,
                                        const struct pid_def *pid, const char **key) {
  const double (*inertia)[6] = (const double (*)[6])vessel->inertia;
  *key = "vessel.inertia";
  if (!is_diagonal(inertia) || inertia[0][0] != inertia[1][1] || inertia[0][0] != inertia[2][2])
    return "an exact splitting needs the mass matrix diag(m, m, m, Ix, Iy, Iz): one mass, three moments of "
           "inertia";
  *key = "vessel.damping";
  if (!is_diagonal((const double (*)[6])vessel->damping_linear) ||
      any_is_nonzero(vessel->damping_quadratic, 6))
    return "an exact splitting needs constant, diagonal damping: no quadratic and no coupling terms";
  *key = "vessel.damping.axes";
  if (vessel->damping_axes != DAMPING_BODY)
    return "an exact splitting needs constant damping: in body axes";
  *key = vessel->hull.cross_flow ? "vessel.cross_flow" : "vessel.current_rows";
  if (vessel->hull.cross_flow || vessel->hull.row_count > 0)
    return "an exact splitting needs constant damping: no drag of the hull";
  *key = "vessel.hydro_file";
  if (vessel->radiation.count > 0)
    return "an exact splitting allows no memory of the radiation";
  *key = "vessel.hydrostatics.flotation_b_m";
  if (any_is_nonzero(vessel->flotation_b_m, 3))
    return "an exact splitting needs the centre of flotation at the reference point";
  *key = "vessel.thrusters";
  if (vessel->plant.thruster_count > 0)
    return "an exact splitting allows no thrusters";
  *key = "vessel.wind";
  if (vessel->windage.present && env->wind.present)
    return "an exact splitting allows no wind";
  *key = "vessel.waves";
  if (vessel->waves.present && env->waves.present)
    return "an exact splitting allows no waves";
  *key = "vessel.damping";
  if (vessel->current_acts && (env->current.surface_mps != 0 || env->current.point_count > 0))
    return "an exact splitting allows no damping relative to a current";
  *key = "controller.pid";
  if (any_is_nonzero(pid->integral_limit, 6))
    return "an exact splitting allows no limit on the integral";
  return NULL;
}

static const char *find_error(const struct integrator_def *def, const struct vessel_def *vessel,
                              const struct pipe_def *pipe, const struct env_def *env,
                              const struct pid_def *pid, const char **key) {
  *key = "environment.waves.pipe";
  if (pipe->elements > 0 && env->waves.present && env->waves.on_pipe &&
      (def->order == 4 || def->vessel != VESSEL_STRANG))
    return "waves on the pipe need simulation.order 2 and vessel.integrator strang: the other schemes "
           "evaluate "
           "the conservative part at times of their own, for which the force of the accelerating water is "
           "not "
           "defined";
  *key = "simulation.order";
  if (def->order == 4 && pipe->elements > 0)
    return "order 4 needs a vessel without a pipe: the pipe's damping lies in the part of the step that "
           "would run backwards";
  if (def->order == 4 && def->vessel != VESSEL_STRANG)
    return "order 4 cannot be combined with vessel.integrator, which has its own order";
  if (def->vessel == VESSEL_STRANG)
    return NULL;
  *key = "vessel.integrator";
  if (pipe->elements > 0)
    return "an exact splitting needs a vessel without a pipe";
  return find_splitting_error(vessel, env, pid, key);
}

enum status integrator_check(const struct integrator_def *def, const struct vessel_def *vessel,
                             const struct pipe_def *pipe, const struct env_def *env,
                             const struct pid_def *pid, const char **key, struct reason *why) {
  const char *error = find_error(def, vessel, pipe, env, pid, key);
  return error ? fail(why, STATUS_BAD_INPUT, "%s", error) : STATUS_OK;
}

static struct split_vessel split_vessel_of(const struct vessel *vessel) {
  struct split_vessel split = {.mass_kg = vessel->bare_inertia[0][0],
                               .heave_npm = vessel->heave_stiffness_npm,
                               .tilt_nm = {vessel->pitch_stiffness_nm, vessel->roll_stiffness_nm},
                               .equilibrium_z_m = vessel->equilibrium_z_m};
  for (int i = 0; i < 3; i++)
    split.moment_kgm2[i] = vessel->bare_inertia[3 + i][3 + i];
  for (int i = 0; i < 6; i++)
    split.damping[i] = vessel->damping_linear[i][i];
  split.inertia = rigid_inertia_of(split.moment_kgm2);
  return split;
}

struct integrator_plan integrator_plan_of(const struct integrator_def *def, const struct model *m,
                                          double step_s) {
  static const struct scheme *const schemes[] = {NULL, &scheme_v2, &scheme_s4_6, &scheme_s6_10};
  static const enum rigid_attitude attitudes[] = {RIGID_MAGNUS_2, RIGID_MAGNUS_2, RIGID_MAGNUS_4,
                                                  RIGID_MAGNUS_6};
  struct integrator_plan plan = {
      .order = def->order == 4 ? 4 : 2, .splitting = schemes[def->vessel], .how = attitudes[def->vessel]};
  memcpy(plan.inertia_factor, m->vessel.bare_inertia, sizeof plan.inertia_factor);
  mat6_cholesky(plan.inertia_factor); // positive definite: the simulator has checked it
  for (int k = 0; k < 2 && m->vessel.radiation.count > 0; k++) {
    double share = plan.order != 4 ? 0.5 : k ? FOURTH_ORDER_W : 0.5 - FOURTH_ORDER_W;
    plan.radiation[k] = radiation_step_of(&m->vessel.radiation, share * step_s);
  }
  if (!plan.splitting)
    return plan;
  plan.vessel = split_vessel_of(&m->vessel);
  memcpy(plan.pid.kp, m->pid.kp, sizeof plan.pid.kp);
  memcpy(plan.pid.kd, m->pid.kd, sizeof plan.pid.kd);
  memcpy(plan.pid.ki, m->pid.ki, sizeof plan.pid.ki);
  memcpy(plan.pid.reference, m->pid.reference, sizeof plan.pid.reference);
  return plan;
}
