// The energy ledger closes at every step size, with random forcing and contact; every loss is >= 0 in every
// step; passivity also holds at Newton's iteration limit; an undisturbed run stays at rest.
#include "sagbend/base/base.h"
#include "sagbend/integrator/integrator_internal.h"
#include "sagbend/lay/lay.h"
#include "scenes.h"
#include "suite.h"

#include <math.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

// The balance of one step: no negative loss, and the terms explain the change of energy to within rounding
// and a share of the kinetic energy.
static void check_step(const struct ledger *l, double energy_before, const char *what) {
  double balance = 0;
  for (int i = 0; i < PORT_COUNT; i++)
    balance += l->work_j[i];
  for (int i = 0; i < LOSS_COUNT; i++) {
    ck_assert_msg(l->loss_j[i] >= 0, "%s: %s loses %g J", what, loss_name((enum loss)i), l->loss_j[i]);
    balance -= l->loss_j[i];
  }
  double rounding = 1e-12 * (fabs(l->energy_j) + l->scale_j), allowed = 1e-9 * l->kinetic_j + rounding;
  double made = l->energy_j - energy_before - balance;
  ck_assert_msg(fabs(made) <= allowed, "%s: %g J are not accounted for, %g allowed", what, made, allowed);
}

static const double demo_steps[] = {0.005, 0.01, 0.02, 0.05, 0.1};

// No element may turn inside out: the ledger would not see it.
static int has_folded(const struct sim *s) {
  return (int)(s->run.events >> EVENT_ELEMENT_FOLDED & 1);
}
static void check_fold(const struct sim *s, const char *what) {
  ck_assert_msg(!has_folded(s), "%s: an element has folded at step %d", what, (int)s->run.step);
}

// The scenario of the demo for 600 s, with steps below 20 ms for 30,000 of them, with the initial holding
// force as controller: the vessel is driven off position. From the sixth case on in wind and waves, for a
// fifth of that.
START_TEST(closes_over_long_runs) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  int weather = _i >= 5;
  if (weather)
    scene_weather(&def);
  def.step_s = demo_steps[_i % 5];
  struct sim *s = shipped_create(&def);
  const double run_s = fmin(600, 30000 * def.step_s);
  int steps = (int)steps_nearest_to(scene_share() * (weather ? 0.2 : 1) * run_s, def.step_s);
  for (int k = 0; k < steps; k++) {
    double before = s->run.ledger.energy_j;
    sim_step(s, NULL);
    check_step(&s->run.ledger, before, "demo");
    check_fold(s, "demo");
  }
  double closure = ledger_closure_rel(&s->run.ledger);
  printf("%3.0f ms: closure %.2e, turnover %.3g J, Newton at most %d, mean %.2f\n", 1e3 * def.step_s, closure,
         s->run.ledger.turnover_j, (int)s->run.newton_max, (double)s->run.newton_total / steps);
  ck_assert(closure <= 1e-11); // ten times the largest of them
  ck_assert_uint_le(s->run.newton_max, weather ? 6 : 4);
  ck_assert_uint_eq(s->run.not_converged_count, 0);
  for (int port = PORT_WIND; weather && port <= PORT_WAVES; port++)
    ck_assert(fabs(s->run.ledger.total_work_j[port]) > 1e3);
  shipped_free(s);
}
END_TEST

// Share of the angular rates and moments where the hang-off is clamped: beyond, the vessel folds the pipe.
static double turning_share(const struct sim_def *def) {
  return def->pipe.hangoff == HANGOFF_CLAMPED ? 0.1 : 1;
}

// A random scene: ends, offset, pipe above water, inertia, step, forcing with jumps, and an initial push that
// lifts the pipe off the seabed and drops it. NULL where the statics find no equilibrium, some 1 in 10,000.
static struct sim *random_scene(uint64_t seed, struct sim_def *def, int with_tally) {
  const uint64_t lot = seed * 1013 + 7;
  const char *const sets[] = {
      "pipe.elements=30",
      seed % 4 == 1 ? "vessel.hangoff_b_m=[-45, 4, -5]" : "vessel.hangoff_b_m=[-45, 4, 5]",
      "vessel.damping.quadratic=[2e4, 5e4, 5e4, 1e8, 1e9, 1e9]", "pipe.buoyancy=depth"};
  *def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 4, sets);
  scene_all_ports(def);
  if (seed % 3 == 0)
    scene_weather(def);
  def->env.current.surface_mps = 3 * noise(&seed);
  def->env.current.direction_rad = 3 * noise(&seed);
  def->pipe.hangoff = noise(&seed) > 0 ? HANGOFF_CLAMPED : HANGOFF_PINNED;
  def->pipe.hangoff_angle_auto = 1;
  def->pipe.lower = noise(&seed) > 0 ? LOWER_CLAMPED : LOWER_ANCHORED;
  def->pipe.line.added_mass_transverse = noise(&seed) > 0;
  def->pipe.added_mass_form = seed % 2 == 0 ? ADDED_MASS_MORISON : ADDED_MASS_KIRCHHOFF;
  if (noise(&seed) > 0) {
    def->env.friction.coefficient[0] = 0.4, def->env.friction.coefficient[1] = 0.8;
    def->env.friction.stiffness_npm2 = 1e5;
    def->env.seabed_damping_nspm3 = pow(10, 5.5 + 3.5 * noise(&seed)); // 1e2 to 1e9
    def->env.seabed_suction = noise(&seed) > 0.5;
  }
  def->step_s = 0.001 + 0.1 * (1 + noise(&seed)); // 1 to 200 ms
  if (noise(&seed) > 0)
    scene_full_inertia(def);
  double ground = noise(&seed); // a third each: level, sloping, rough
  static double z_m[SCENE_ROUGH_NODES];
  if (ground > 0.33)
    def->env.slope = (struct seabed_slope_def){0.1 * (1 + noise(&seed)), 3 * noise(&seed), {0, 0}};
  else if (ground < -0.33)
    scene_rough_ground(def, z_m, 1 + noise(&seed));
  struct sim_def feeding = *def;
  scene_random_tally(&feeding, lot);
  struct reason why = {"?"};
  struct sim *s =
      with_tally ? scene_try_create(&feeding, &why) : NULL; // its coarser mesh may have no equilibrium
  if (s)
    *def = feeding;
  else
    s = scene_try_create(def, &why);
  if (!s) {
    printf("a scene without a start: %s\n", why.text);
    return NULL;
  }
  for (int i = 0; i < 6; i++)
    s->state.vessel.nu[i] = noise(&seed) * (i < 3 ? 2 : 0.05 * turning_share(def));
  for (int i = 1; i < s->state.mesh.pipe.nodes - 1; i++)
    pipe_set3(s->state.pipe.v_n, i, (vec3){2 * noise(&seed), 2 * noise(&seed), 3 * noise(&seed)});
  model_place_top(s->model, &s->state);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  return s;
}

struct attacks {
  uint64_t started, divided, caps, splits, merges, orders, folded;
};

static void attack(uint64_t seed, int steps, int with_tally, struct attacks *all) {
  struct sim_def def;
  struct sim *s = random_scene(seed, &def, with_tally);
  if (!s)
    return;
  all->started++;
  uint64_t stream = seed * 77 + 1;
  double command[6], most = 0;
  char what[80];
  snprintf(what, sizeof what, "seed %d, h = %.1f ms", (int)seed, 1e3 * def.step_s);
  for (int k = 0; k < steps && !has_folded(s); k++) {
    double before = s->run.ledger.energy_j;
    for (int i = 0; i < 6; i++)
      command[i] = noise(&stream) * (i < 3 ? 4e6 : 4e8 * turning_share(&def));
    sim_step(s, &(struct sim_input){.wrench_b = command});
    ck_assert_msg(!s->run.fault, "%s: a fault at step %d", what, k);
    check_step(&s->run.ledger, before, what);
    if (!with_tally)
      check_fold(s, what);
    const struct ledger *l = &s->run.ledger;
    double allowed = 1e-9 * l->kinetic_j + 1e-12 * l->scale_j;
    most = fmax(most, fabs(l->residual_j) / allowed);
    ck_assert_msg(l->residual_j <= allowed, "%s, step %d: %g J made, %g J allowed", what, k, l->residual_j,
                  allowed);
  }
  ck_assert_msg(ledger_closure_rel(&s->run.ledger) <= 1e-8, "%s: closure %g", what,
                ledger_closure_rel(&s->run.ledger));
  all->folded += has_folded(s);
  all->caps += s->run.not_converged_count;
  all->divided += s->run.divided_count;
  all->splits += s->state.payout.splits, all->merges += s->state.payout.merges;
  all->orders += s->state.tensioner.orders;
  shipped_free(s);
}

START_TEST(passive_under_attack) {
  const char *wanted = getenv("SAGBEND_ATTACK_CASES"); // the long campaign: 10000
  int cases = wanted ? atoi(wanted) : (int)(150 * scene_share());
  for (int with_tally = 1; with_tally >= 0; with_tally--) {
    struct attacks all = {0};
    for (int seed = 1; seed <= cases; seed++)
      attack((uint64_t)seed, 200, with_tally, &all);
    ck_assert_uint_ge(all.started, (uint64_t)(cases - cases / 1000));
    // Softer pipe that a tensioner pushes out folds in truth, where the mesh does not resolve it; there the
    // watch ends the scene.
    ck_assert_uint_le(all.folded, (uint64_t)(cases / 50));
    attack(622, 200, with_tally, &all); // here the forces at a bad prediction loosened the tolerance
    printf(
        "%d random cases of 200 steps%s, %d steps divided, %d at the cap even so; %d splits, %d merges, %d "
        "orders of a tensioner, %d folded\n",
        (int)all.started, with_tally ? " with a feed" : "", (int)all.divided, (int)all.caps, (int)all.splits,
        (int)all.merges, (int)all.orders, (int)all.folded);
  }
}
END_TEST

static const int caps[] = {1, 2, 3};

// Between the seeds of the scenes at the cap.
static uint64_t seeds_apart(void) {
  return scene_share() < 1 ? 5 : 1;
}

START_TEST(cap_keeps_passivity) {
  struct sim_def def;
  uint64_t reached = 0;
  for (uint64_t seed = 1; seed <= 20; seed += seeds_apart()) {
    struct sim *s = random_scene(seed, &def, seed > 10);
    s->def->newton_max_iterations = caps[_i];
    for (int k = 0; k < 60; k++) {
      double before = s->run.ledger.energy_j;
      uint64_t count = s->run.not_converged_count;
      sim_step(s, &scene_no_command);
      const struct ledger *l = &s->run.ledger;
      check_step(l, before, "at the cap");
      check_fold(s, "at the cap");
      double allowed = 1e-9 * l->kinetic_j + 1e-12 * l->scale_j;
      ck_assert_msg(l->residual_j <= allowed, "seed %d step %d: %g J made", (int)seed, k, l->residual_j);
      ck_assert(!s->run.fault);
      if (s->run.not_converged_count > count)
        ck_assert(s->run.events >> EVENT_NEWTON_CAP & 1);
    }
    reached += s->run.not_converged_count;
    shipped_free(s);
  }
  ck_assert_uint_gt(reached, 0); // otherwise the test is void
}
END_TEST

// At the iteration limit, judged without the ledger: energies from the state alone; without ports no energy
// may be created.
START_TEST(cap_makes_no_energy_without_ports) {
  struct sim_def def;
  uint64_t reached = 0;
  for (uint64_t seed = 1; seed <= 30; seed += seeds_apart()) {
    if (seed % 3 == 0) // in wind and waves
      continue;
    struct sim *s = random_scene(seed, &def, 0);
    s->model->env.load_count = 0;
    s->model->env.current.surface_mps = 0,
    s->model->current = current_of(&s->model->env.current, def.env.depth_m);
    s->def->newton_max_iterations = caps[_i];
    for (int k = 0; k < 60; k++) {
      struct model_energy before = model_energy_of(s->model, &s->state, &s->work);
      sim_step(s, &scene_no_command);
      struct model_energy after = model_energy_of(s->model, &s->state, &s->work);
      double made = after.kinetic_j + after.potential_j - before.kinetic_j - before.potential_j;
      double rounding = 1e-9 * before.kinetic_j + 1e-12 * s->run.ledger.scale_j;
      ck_assert_msg(made <= rounding, "seed %d step %d: %g J made", (int)seed, k, made);
    }
    reached += s->run.not_converged_count;
    shipped_free(s);
  }
  ck_assert_uint_gt(reached, 0);
}
END_TEST

static const struct {
  int cap;
  double step_s, period_s;
} whips[] = {{1, 0.01, 10}, {2, 0.01, 2}, {2, 0.1, 10}, {3, 0.1, 10}, {20, 0.5, 3}, {1, 0.2, 4}};

// A moved top stays on its path, solved or not; the energy gained is no more than the work of the motion.
START_TEST(moved_top_keeps_its_path_at_the_cap) {
  char period[64];
  snprintf(period, sizeof period, "pipe.hangoff.motion.period_s=%g", whips[_i].period_s);
  const char *const sets[] = {"pipe.hangoff.motion.ramp_s=2", period};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-circle", 2, sets);
  def.newton_max_iterations = whips[_i].cap;
  def.step_s = whips[_i].step_s;
  struct sim *s = shipped_create(&def);
  int top = s->state.mesh.pipe.nodes - 1;
  vec3 home = pipe_get3(s->state.pipe.r_n, top);
  for (int k = 1; k <= (int)fmin(10 / def.step_s, 400); k++) {
    double before = s->run.ledger.energy_j, time_s = k * def.step_s,
           phase = 2 * acos(-1) * time_s / whips[_i].period_s;
    sim_step(s, NULL);
    check_step(&s->run.ledger, before, "moved at the cap");
    double radius = time_s < 2 ? 2.5 * 0.5 * (1 - cos(acos(-1) * time_s / 2)) : 2.5;
    vec3 path = vec3_add(home, (vec3){radius * cos(phase), radius * sin(phase), 0});
    double off = vec3_norm(vec3_sub(pipe_get3(s->state.pipe.r_n, top), path));
    ck_assert_msg(off < 1e-9, "cap %d, %g s: %g m off the path", whips[_i].cap, time_s, off);
    ck_assert(!s->run.fault);
  }
  printf("moved, cap %d, %g s, period %g s: %d of %d steps not solved\n", whips[_i].cap, def.step_s,
         whips[_i].period_s, (int)s->run.not_converged_count, (int)s->run.step);
  ck_assert_uint_gt(s->run.divided_count, 0);
  shipped_free(s);
}
END_TEST

static const struct {
  const char *config;
  int axis; // of the body
  double speed_mps;
  int cap; // of the iterations; 1: hardly a step is solved
} thrown[] = {{"jlay-900m", 0, 0.5, 20},
              {"jlay-900m", 0, 1, 20},
              {"jlay-900m", 0, 2, 20},
              {"jlay-900m", 0, 4, 20},
              {"jlay-900m", 0, 6, 20},
              {"jlay-900m", 0, -6, 20},
              {"jlay-900m", 1, 6, 20},
              {"jlay-900m", 2, 4, 20},
              {"jlay-900m", 2, -4, 20},
              {"jlay-900m", 0, 4, 1},
              {"jlay-900m", 1, 6, 1},
              {"jlay-300m-initiation", 0, 6, 20},
              {"jlay-300m-initiation", 1, 4, 20},
              {"jlay-300m-initiation", 2, -4, 20},
              {"jlay-300m-initiation", 0, 4, 1}};

static struct sim *thrown_scene(int number, double step_s, int cap) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, thrown[number].config, 0, NULL);
  def.step_s = step_s;
  def.newton_max_iterations = cap;
  struct sim *s = shipped_create(&def);
  s->state.vessel.nu[thrown[number].axis] = thrown[number].speed_mps;
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  return s;
}

// A vessel that suddenly moves keeps its momentum but for what the pipe and the water take in truth, also
// where Newton's method does not solve the step: after 2 s its speed is that of a run with steps of 10 ms.
START_TEST(thrown_vessel_keeps_its_momentum) {
  const int axis = thrown[_i].axis;
  struct sim *s = thrown_scene(_i, 0.1, thrown[_i].cap), *fine = thrown_scene(_i, 0.01, 20);
  for (int k = 0; k < 20; k++) {
    double before = s->run.ledger.energy_j;
    sim_step(s, &scene_no_command);
    check_step(&s->run.ledger, before, "thrown");
    for (int part = 0; part < 10; part++)
      sim_step(fine, &scene_no_command);
  }
  const double speed = s->state.vessel.nu[axis], truth = fine->state.vessel.nu[axis];
  printf("%s, axis %d at %g m/s, cap %d: %.4f m/s after 2 s (%.4f), %d divided, %d unsolved\n",
         thrown[_i].config, axis, thrown[_i].speed_mps, thrown[_i].cap, speed, truth,
         (int)s->run.divided_count, (int)s->run.not_converged_count);
  ck_assert_uint_eq(fine->run.not_converged_count, 0);
  ck_assert_msg(fabs(speed - truth) < 0.01 * fabs(thrown[_i].speed_mps), "%g m/s, %g expected", speed, truth);
  shipped_free(s);
  shipped_free(fine);
}
END_TEST

// Parts of a step as conservative_flow has them, and what happened to the vessel.
struct parts {
  struct sim *s;
  int cap, solved, unsolved, held;
  double most; // largest share of the momentum that no force explains
};

static struct stage_clock no_clock;

static vec3 vessel_momentum(const struct sim *s) {
  const mat3 q = quat_matrix(s->state.vessel.q_nb);
  return vec3_scale(s->state.mesh.vessel_inertia[0][0], mat3_mul(&q, vec3_of(s->state.vessel.nu)));
}

// What the vessel's horizontal momentum has gained beyond the impulse of the last element. Its hang-off is at
// its centre of gravity, so that it does not turn, and its mass is the same in all directions. What Newton's
// method has left unbalanced at the vessel belongs to the impulse of a part that it did not solve.
static void check_impulse(struct parts *of, vec3 before, double part_s, int is_solved) {
  struct sim *s = of->s;
  const vec3 gain = vec3_sub(vessel_momentum(s), before),
             pull = pipe_get3(s->work.pipe.force_n, s->state.mesh.pipe.elements - 1);
  double force[2] = {-pull.x, -pull.y};
  for (int c = 0; c < 2 && !is_solved; c++)
    force[c] += s->work.tail_balance[c];
  const double unexplained = fmax(fabs(gain.x - part_s * force[0]), fabs(gain.y - part_s * force[1])),
               size = fmax(vec3_norm(before), part_s * hypot(force[0], force[1]));
  of->most = fmax(of->most, unexplained / size);
}

static void advance(struct parts *of, double time_s, double part_s, int divisions) {
  struct sim *s = of->s;
  const struct model *m = s->model;
  const vec3 before = vessel_momentum(s);
  model_set_top_boundary(m, &s->state, &s->work, time_s, part_s);
  payout_begin(m, &s->state, &s->work, time_s, part_s);
  const struct newton_report newton =
      conservative_solve(m, &s->state, &s->work, part_s, 0, of->cap, &no_clock);
  if (!newton.converged && divisions > 0) {
    for (int k = 0; k < 4; k++)
      advance(of, time_s + 0.25 * k * part_s, 0.25 * part_s, divisions - 1);
    return;
  }
  struct conservative_terms terms = conservative_terms_of(m, &s->state, &s->work, &newton.loss);
  if (newton.converged)
    conservative_commit(m, &s->state, &s->work, part_s, &terms);
  // passivity_commit evaluates energies in the same memory, so what is left unbalanced is read before.
  struct model_work *w = &s->work;
  const vec3 pull = pipe_get3(w->pipe.force_n, s->state.mesh.pipe.elements - 1);
  const double left[2] = {w->tail_balance[0], w->tail_balance[1]};
  if (!newton.converged)
    passivity_commit(m, &s->state, w, part_s, &terms, &s->run.ledger);
  pipe_set3(w->pipe.force_n, s->state.mesh.pipe.elements - 1, pull);
  memcpy(w->tail_balance, left, sizeof left);
  const vec3 gain = vec3_sub(vessel_momentum(s), before);
  if (!newton.converged && gain.x == 0 && gain.y == 0)
    of->held++; // nothing has moved, and no force has acted
  else
    check_impulse(of, before, part_s, newton.converged);
  of->solved += newton.converged, of->unsolved += !newton.converged;
}

static const struct {
  double speed_mps;
  int cap;
} impulses[] = {{0.5, 20}, {1, 20}, {2, 20}, {4, 20}, {6, 20}, {0.5, 1}, {1, 1}, {2, 1}, {4, 1}, {6, 1}};

// The momentum of a vessel that suddenly moves changes by the impulse of the forces on it, to rounding, in
// every part of a step of 100 ms that is solved. In one that is not, it changes by that and by what Newton's
// method has left unbalanced at the vessel. Where nothing moves it stays as it was; that is so in some of the
// parts that are not solved, and never in all of them.
START_TEST(momentum_changes_by_impulses_alone) {
  const char *const sets[] = {"vessel.hangoff_b_m=[0, 0, 0]"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
  def.step_s = 0.1;
  struct sim *s = shipped_create(&def);
  s->state.vessel.nu[0] = impulses[_i].speed_mps;
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  struct parts parts = {.s = s, .cap = impulses[_i].cap};
  for (int k = 0; k < 5; k++)
    advance(&parts, 0.1 * k, 0.1, impulses[_i].cap == 1 ? 0 : 3);
  printf("%g m/s, cap %d: %d parts solved, %d not, %d of them held; unexplained %.1e of the momentum\n",
         impulses[_i].speed_mps, impulses[_i].cap, parts.solved, parts.unsolved, parts.held, parts.most);
  if (impulses[_i].cap == 1)
    ck_assert_int_gt(parts.unsolved, parts.held);
  ck_assert_double_le(parts.most, 1e-12);
  shipped_free(s);
}
END_TEST

// Where not even the limited motion would be passive, nothing moves, and the vessel keeps its velocity.
START_TEST(a_pipe_that_is_held_leaves_the_vessel_its_velocity) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct sim *s = shipped_create(&def);
  double before[6];
  s->state.vessel.nu[0] = 2, s->state.vessel.nu[4] = 0.01;
  memcpy(before, s->state.vessel.nu, sizeof before);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  model_set_top_boundary(s->model, &s->state, &s->work, 0, 0.1);
  payout_begin(s->model, &s->state, &s->work, 0, 0.1);
  const struct newton_report newton = conservative_solve(s->model, &s->state, &s->work, 0.1, 0, 1, &no_clock);
  s->work.pipe.dr_n[0][30] += 100; // increments far off, with any amount of energy
  struct conservative_terms terms = conservative_terms_of(s->model, &s->state, &s->work, &newton.loss);
  passivity_commit(s->model, &s->state, &s->work, 0.1, &terms, &s->run.ledger);
  for (int i = 0; i < 6; i++)
    ck_assert_msg(s->state.vessel.nu[i] == before[i], "velocity %d: %g, %g expected", i,
                  s->state.vessel.nu[i], before[i]);
  e = model_energy_of(s->model, &s->state, &s->work);
  ck_assert_double_le(e.kinetic_j + e.potential_j, s->run.ledger.energy_j);
  shipped_free(s);
}
END_TEST

static const struct {
  const char *name, *hangoff;
  enum hangoff_kind top;
  double step_s;
} quiet[] = {{"pinned", "[0, 0, 0]", HANGOFF_PINNED, 0.01},
             {"clamped", "[0, 0, 0]", HANGOFF_CLAMPED, 0.01},
             {"pinned with an offset", "[-45, 4, 5]", HANGOFF_PINNED, 0.01},
             {"clamped with an offset", "[-45, 0, 5]", HANGOFF_CLAMPED, 0.01},
             {"clamped with an offset, 100 ms", "[-45, 0, 5]", HANGOFF_CLAMPED, 0.1}};

START_TEST(starts_quietly) {
  char offset[64];
  snprintf(offset, sizeof offset, "vessel.hangoff_b_m=%s", quiet[_i].hangoff);
  const char *const sets[] = {offset};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
  def.pipe.hangoff = quiet[_i].top;
  def.pipe.hangoff_angle_auto = 1;
  def.step_s = quiet[_i].step_s;
  struct sim *s = shipped_create(&def);
  struct sim_output out;
  sim_get_output(s, &out);
  double start = out.hangoff_tension_n, most = 0;
  while (out.time_s < 9.85) { // the disturbance comes at 10 s
    sim_step(s, NULL);
    sim_get_output(s, &out);
    most = fmax(most, fabs(out.hangoff_tension_n - start));
  }
  printf("%-32s tension %.1f N constant to %.2e N\n", quiet[_i].name, start, most);
  ck_assert_msg(most < 1, "%s: tension moves by %g N", quiet[_i].name, most);
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ledger");
  tcase_add_loop_test(add_case(suite, "demo", 110), closes_over_long_runs, 0, 10);
  tcase_add_test(add_case(suite, "attack", 3500), passive_under_attack);
  TCase *cap = add_case(suite, "cap", 60);
  tcase_add_loop_test(cap, cap_keeps_passivity, 0, 3);
  tcase_add_loop_test(cap, cap_makes_no_energy_without_ports, 0, 3);
  tcase_add_loop_test(cap, moved_top_keeps_its_path_at_the_cap, 0, (int)(sizeof whips / sizeof *whips));
  tcase_add_loop_test(add_case(suite, "thrown", 60), thrown_vessel_keeps_its_momentum, 0,
                      (int)(sizeof thrown / sizeof *thrown));
  tcase_add_loop_test(add_case(suite, "impulses", 60), momentum_changes_by_impulses_alone, 0,
                      (int)(sizeof impulses / sizeof *impulses));
  tcase_add_test(add_case(suite, "held", 60), a_pipe_that_is_held_leaves_the_vessel_its_velocity);
  tcase_add_loop_test(add_case(suite, "quiet start", 60), starts_quietly, 0, 5);
  return run_suite(suite);
}
