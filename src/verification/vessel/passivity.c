// Passivity under attack: random commands, steps, currents, seabeds and starts. In every step the stored
// energy grows by no more than the energy that the ports supplied; no loss is negative. In two thirds pipe is
// paid out and recovered, by a programme or by a tensioner, which gets random orders and faults. In a fifth
// as many cases more the pipe lies over a stinger of random rollers.
#include "verification/harness/harness.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct lot {
  uint64_t state;
};

static double draw(struct lot *l, double low, double high) { // xorshift64*, the upper 53 bits
  l->state ^= l->state >> 12;
  l->state ^= l->state << 25;
  l->state ^= l->state >> 27;
  return low + (high - low) * (double)((l->state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

struct verdict {
  double gain;        // largest unexplained gain of a solved step over the energy turned over
  double capped_gain; // of a step that ended at the iteration limit, where the limiter scales velocities
  double loss;        // least loss, J
  double limiter;     // largest loss of the limiter in a solved step, J
  double ledger;      // largest closure, of steps that were solved
  double made; // J/J: most that the state's energy grew by in an attack at the cap, where no port is open
  int steps, divided, capped, faults;
  int full, full_solved; // steps with 20 iterations; those of them that were solved
  int unstarted;         // cases without an equilibrium
};

enum { GROUND_NORTH = 45, GROUND_EAST = 25 };

// One third of the cases each: level, sloping, uneven.
static void draw_ground(struct lot *lot, struct env_def *env, double z_m[GROUND_NORTH * GROUND_EAST]) {
  double kind = draw(lot, 0, 3), size = draw(lot, 0, 3);
  if (kind > 2) {
    for (int i = 0; i < GROUND_NORTH * GROUND_EAST; i++)
      z_m[i] = env->depth_m + draw(lot, -size, size);
    env->bathymetry = (struct bathymetry_def){GROUND_NORTH, GROUND_EAST, -200, -480, 40, z_m, NULL};
  } else if (kind > 1) {
    env->slope = (struct seabed_slope_def){0.06 * size, draw(lot, 0, 6.2), {0, 0}};
  }
}

static struct tensioner_setpoint draw_order(struct lot *lot, const struct sim_def *def) {
  const double fastest = pipe_tally_speed_max(pipe_tally_shortest(&def->pipe), def->step_s);
  return (struct tensioner_setpoint){.given = 1,
                                     .mode = (enum tensioner_mode)draw(lot, 0, TENSIONER_MODE_COUNT),
                                     .tension_n = draw(lot, 1, def->pipe.tensioner.motor_n),
                                     .speed_mps = draw(lot, -1, 1) * fmin(fastest, 2)};
}

// Orders of a controller and of an operator for a step; faults that stay for some steps.
static struct tensioner_input draw_tensioner(struct lot *lot, const struct sim_def *def,
                                             const struct tensioner_switches *present) {
  struct tensioner_input in = {.switches = *present};
  if (draw(lot, 0, 1) < 0.15)
    in.by_controller = draw_order(lot, def);
  if (draw(lot, 0, 1) < 0.05)
    in.by_operator = draw_order(lot, def);
  in.is_released = draw(lot, 0, 1) < 0.1;
  if (draw(lot, 0, 1) < 0.2)
    in.switches = (struct tensioner_switches){.brake_lost = draw(lot, 0, 1) < 0.4 ? draw(lot, 0, 1) : 0,
                                              .grip_lost = draw(lot, 0, 1) < 0.4 ? draw(lot, 0, 1) : 0,
                                              .runs_away = draw(lot, 0, 1) < 0.2,
                                              .runaway_mps = draw(lot, -2, 2)};
  return in;
}

// Random commands for 40 steps, from random velocities. at_cap: no port is open, so that the energy of the
// state alone shows what a step at the iteration limit creates.
static void strike(const struct sim_def *def, struct lot *lot, int at_cap, struct verdict *v) {
  enum { STEPS = 40 };
  struct reason why;
  struct sim *s = scene_try(def, &why);
  if (!s) { // a random ground may leave no equilibrium
    v->unstarted++;
    return;
  }
  for (int c = 0; c < 6; c++)
    s->state.vessel.nu[c] = draw(lot, -1, 1) * (c < 3 ? 2 : 0.05);
  model_place_top(s->model, &s->state);
  scene_restart(s);
  double before = s->run.ledger.energy_j;
  struct lot orders = {lot->state ^ UINT64_C(0x5851f42d4c957f2d)}; // its own: other cases stay as they are
  struct tensioner_input tensioner = {0};
  for (int k = 0; k < STEPS && !s->run.fault; k++) {
    double wrench[6], supplied = 0, lost = 0;
    for (int c = 0; c < 6; c++)
      wrench[c] = at_cap ? 0 : draw(lot, -1, 1) * (c < 3 ? 5e6 : 2e8);
    struct model_energy start = model_energy_of(s->model, &s->state, &s->work);
    uint64_t capped = s->run.not_converged_count;
    if (def->pipe.tensioner.order_count > 0)
      tensioner = draw_tensioner(&orders, def, &tensioner.switches);
    sim_step(s, &(struct sim_input){.wrench_b = wrench, .tensioner = tensioner});
    const struct ledger *l = &s->run.ledger;
    for (int p = 0; p < PORT_COUNT; p++)
      supplied += l->work_j[p];
    for (int q = 0; q < LOSS_COUNT; q++) {
      v->loss = fmin(v->loss, l->loss_j[q]);
      lost += l->loss_j[q];
    }
    double scale = l->turnover_j + l->kinetic_j + 1e-9 * l->scale_j;
    const int is_solved = s->run.not_converged_count == capped;
    double *const gain = is_solved ? &v->gain : &v->capped_gain;
    *gain = fmax(*gain, (l->energy_j - before - supplied) / scale);
    struct model_energy end = model_energy_of(s->model, &s->state, &s->work);
    if (at_cap)
      v->made =
          fmax(v->made, (end.kinetic_j + end.potential_j - start.kinetic_j - start.potential_j) / scale);
    if (is_solved) {
      v->ledger = fmax(v->ledger, fabs(l->energy_j - before - supplied + lost) / scale);
      v->limiter = fmax(v->limiter, l->loss_j[LOSS_LIMITER]);
    }
    before = l->energy_j;
    v->steps++;
    v->full += !at_cap, v->full_solved += !at_cap && is_solved;
  }
  v->divided += (int)s->run.divided_count, v->capped += (int)s->run.not_converged_count,
      v->faults += (int)s->run.fault;
  scene_free(s);
}

// Half of the cases bend beyond yield. With a lot of its own: other cases stay as they are.
static void draw_yield(uint64_t seed, struct pipe_def *pipe) {
  struct lot lot = {seed ^ UINT64_C(0x2545f4914f6cdd1d)};
  if (draw(&lot, 0, 1) < 0.5)
    return;
  for (int k = 0; k <= pipe->type_count; k++) {
    struct pipe_type *type = k ? &pipe->types[k - 1] : &pipe->line;
    const double curvature = pow(10, draw(&lot, -2.7, -1.7));
    type->yield_moment_nm = curvature * type->bending_stiffness_nm2[0];
    type->ramberg_osgood[0] = draw(&lot, 0, 1) < 0.3 ? 0 : draw(&lot, 0.1, 2);
    type->ramberg_osgood[1] = draw(&lot, 2, 20);
  }
}

static void attack(struct sim_def def, struct lot *lot, struct verdict *v) {
  def.step_s = 0.001 * pow(200, draw(lot, 0, 1));
  def.env.seabed = draw(lot, 0, 1) < 0.5 ? SEABED_NONE : def.env.seabed;
  def.env.current.surface_mps = draw(lot, 0, 2);
  def.env.current.direction_rad = draw(lot, 0, 6.2);
  def.env.current.profile = draw(lot, 0, 1) < 0.5 ? (struct time_profile){0}
                                                  : (struct time_profile){.ramp_s = draw(lot, 0.01, 1),
                                                                          .variation = draw(lot, 0, 1),
                                                                          .period_s = draw(lot, 0.2, 5)};
  def.env.load_count = 0;
  if (draw(lot, 0, 1) < 0.5) {
    def.env.seabed_damping_nspm3 = draw(lot, 0, 2e4);
    def.env.friction.coefficient[0] = draw(lot, 0, 1), def.env.friction.coefficient[1] = draw(lot, 0, 1.5);
  }
  def.pipe.hangoff = draw(lot, 0, 1) < 0.5 ? HANGOFF_PINNED : HANGOFF_CLAMPED;
  def.pipe.lower = draw(lot, 0, 1) < 0.5 ? LOWER_CLAMPED : LOWER_ANCHORED;
  def.pipe.hangoff_angle_auto = 1;
  def.pipe.structural_damping_s = draw(lot, 0, 0.05);
  def.pipe.line.added_mass_transverse = draw(lot, 0, 1);
  def.statics.current = CURRENT_NONE; // the more is out of balance
  int at_cap = draw(lot, 0, 1) < 0.2;
  def.newton_max_iterations = at_cap ? 2 : 20;
  if (at_cap)
    def.env.current.surface_mps = 0;
  double z_m[GROUND_NORTH * GROUND_EAST];
  if (def.env.seabed != SEABED_NONE)
    draw_ground(lot, &def.env, z_m);
  if (!at_cap) // its ports would be open
    scene_random_tally(&def, lot->state);
  draw_yield(lot->state, &def.pipe);
  strike(&def, lot, at_cap, v);
}

// ---- With a stinger ----

static void draw_rollers(struct lot *lot, struct stinger_def *s) {
  s->v_angle_rad = draw(lot, 0, 1) < 0.5 ? 0 : draw(lot, 0.1, 1);
  s->friction = draw(lot, 0, 1) < 0.3 ? 0 : draw(lot, 0, 1);
  s->stiffness_npm = pow(10, draw(lot, 6, 9)), s->soft_m = pow(10, draw(lot, -4, -1));
  s->friction_stiffness_npm = pow(10, draw(lot, 5, 8));
}

// Joints with thicker pieces, by a programme or by a tensioner with random properties.
static void draw_lay(struct lot *lot, struct sim_def *def) {
  struct pipe_def *pipe = &def->pipe;
  const double kind = draw(lot, 0, 3);
  if (kind > 2)
    return;
  pipe->types[0] = pipe->line, pipe->type_count = 1;
  pipe->types[0].outer_diameter_m += draw(lot, -0.1, 0.2), pipe->types[0].mass_kgpm *= draw(lot, 0.5, 3);
  pipe->types[0].inner_diameter_m = 0.25;
  for (pipe->tally.part_count = 0; pipe->tally.part_count < 6; pipe->tally.part_count++)
    pipe->tally.part[pipe->tally.part_count] =
        (struct mesh_segment){draw(lot, 1, 2.2), 1, pipe->tally.part_count % 2};
  pipe->tally.is_endless = 1;
  pipe->payout.elements_max = pipe->elements + 10;
  const double fastest = fmin(pipe_tally_speed_max(pipe_tally_shortest(pipe), def->step_s), 3);
  if (kind > 1) {
    pipe->tensioner = scene_tensioner();
    pipe->tensioner.grip_n = draw(lot, 2e5, 2e6), pipe->tensioner.brake_n = draw(lot, 0, 2e6);
    pipe->tensioner.motor_n = draw(lot, 2e5, 1.5e6), pipe->tensioner.speed_max_mps = fastest;
    pipe->tensioner.stiffness_npm = pow(10, draw(lot, 6, 9));
    return;
  }
  const double speed = draw(lot, 0.1, 1) * fastest, ramp = draw(lot, 0.05, 1);
  const double length = speed * ramp + draw(lot, 0, 4);
  pipe->payout.row_count = 1;
  pipe->payout.row[0] = (struct payout_row){0, draw(lot, 0, 1) < 0.5 ? length : -length, speed, ramp};
}

static void attack_stinger(struct sim_def def, struct lot *lot, struct verdict *v) {
  const int at_cap = draw(lot, 0, 1) < 0.2;
  def.step_s = 0.001 * pow(200, draw(lot, 0, 1));
  def.newton_max_iterations = at_cap ? 2 : 20;
  def.env.load_count = 0;
  def.env.current.surface_mps = at_cap ? 0 : draw(lot, 0, 1);
  def.env.current.direction_rad = draw(lot, 0, 6.2);
  def.env.friction.coefficient[0] = draw(lot, 0, 1), def.env.friction.coefficient[1] = draw(lot, 0, 1.5);
  def.pipe.hangoff = draw(lot, 0, 1) < 0.5 ? HANGOFF_PINNED : HANGOFF_CLAMPED;
  def.pipe.hangoff_angle_auto = 1;
  def.pipe.structural_damping_s = draw(lot, 0, 0.02);
  def.statics.current = CURRENT_NONE;
  draw_rollers(lot, &def.pipe.stinger);
  if (!at_cap)
    draw_lay(lot, &def);
  strike(&def, lot, at_cap, v);
}

void verify_passivity(const struct verify_setup *setup, struct verify_result *r) {
  const int attacks = setup->attacks > 0 ? setup->attacks : 300;
  const int over_rollers = (attacks + 4) / 5;
  const char *const sets[] = {"pipe.elements=16", "vessel.hangoff_b_m=[-45, 4, 5]", "pipe.buoyancy=depth"};
  const char *const rollers[] = {"pipe.mesh=[{length_m: 600, elements: 20}, {length_m: 270, elements: 20}, "
                                 "{length_m: 130, elements: 59}]"};
  struct lot lot = {UINT64_C(0x9e3779b97f4a7c15)}, other = {UINT64_C(0xd1342543de82ef95)};
  struct verdict v = {0};
  struct sim_def def;
  verify_run_with(r,
                  "%d random cases of 40 steps each, 16 elements, and %d over a stinger, steps of 1 to 200 "
                  "ms, a fifth with at most 2 Newton iterations",
                  attacks, over_rollers);
  if (!scene_load(setup, "jlay-900m", 3, sets, &def, r))
    return;
  for (int k = 0; k < attacks && !*r->failure; k++)
    attack(def, &lot, &v);
  if (!scene_load(setup, "slay-100m", 1, rollers, &def, r))
    return;
  for (int k = 0; k < over_rollers && !*r->failure; k++)
    attack_stinger(def, &other, &v);
  verify_add(
      r, VERIFY_ABSOLUTE, "", fmax(v.gain, 0), 0, 1e-9,
      "largest energy gain of a solved step beyond the work of the ports, over the energy turned over");
  verify_add(r, VERIFY_ABSOLUTE, "J", v.limiter, 0, 0, "what the limiter takes in a solved step");
  verify_add(r, VERIFY_ABSOLUTE, "", fmax(v.capped_gain, 0), 0, 1e-9,
             "the same of a step at the iteration limit, which the limiter scales");
  verify_add(r, VERIFY_ABSOLUTE, "", 1 - (double)v.full_solved / v.full, 0, 0.01,
             "share of the steps with up to 20 iterations that were not solved");
  verify_add(r, VERIFY_ABSOLUTE, "", v.ledger, 0, 1e-9,
             "largest ledger residual of a solved step over the energy turned over");
  verify_add(r, VERIFY_ABSOLUTE, "", fmax(v.made, 0), 0, 1e-9,
             "growth of the energy in a step, at most 2 Newton iterations, no port open, over the energy "
             "turned over");
  verify_add(r, VERIFY_ABSOLUTE, "J", v.loss, 0, 0, "least loss of any kind in any step");
  verify_add(r, VERIFY_ABSOLUTE, "", v.faults, 0, 0, "faults");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)v.unstarted / (attacks + over_rollers), 0, 0.01,
             "share of the cases that have no equilibrium to start from");
  verify_show(r, "", v.divided, (double)NAN, "steps taken in parts, of %d", v.steps);
  verify_show(r, "", v.capped, (double)NAN, "steps at the Newton iteration limit");
}
