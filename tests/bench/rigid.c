// Cost of a rigid body: the flows of the free body, a step of order 4 beside one of order 2, and error and
// CPU time of a vessel on DP for every shipped integrator and two others. The tables of docs/rigid-bodies.md.
// rigid [SECONDS]: length of the run with held commands, default 300 (86400 for a day, without the two
// shortest steps).

#include "sagbend/rigid/rigid.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "verification/rivals/rivals.h"

#include "scenes.h"
#include "times.h"

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the free body ----

enum { BODIES = 200 };
static struct body {
  struct rigid_inertia inertia;
  double m[3];
} bodies[BODIES];

static double flow_us(int how) { // < 0: the momentum alone
  double best = 1e9;
  for (int round = 0; round < 7; round++) {
    double begin = cpu_s();
    for (int i = 0; i < 20 * BODIES; i++) {
      struct body *b = &bodies[i % BODIES];
      double m[3] = {b->m[0], b->m[1], b->m[2]}, out[1][3], h = 0.1;
      quat q = {1, 0, 0, 0};
      if (how < 0)
        rigid_free_momenta(&b->inertia, m, &h, 1, out);
      else
        rigid_free_flow(&b->inertia, (enum rigid_attitude)how, h, m, &q);
      __asm__ volatile("" : : "r"(out), "r"(m), "r"(&q) : "memory");
    }
    best = fmin(best, 1e6 * (cpu_s() - begin) / (20 * BODIES));
  }
  return best;
}

static void flows(void) {
  static const char *const names[RIGID_ATTITUDES] = {"Magnus 2",     "Magnus 4",         "Magnus 6",
                                                     "Gauss 6",      "Gauss 8",          "Gauss 10",
                                                     "exact, frame", "exact, quaternion"};
  struct random_stream s = random_stream_of(random_seed(1, "bodies"));
  for (int i = 0; i < BODIES; i++) {
    double moments[3];
    for (int c = 0; c < 3; c++)
      moments[c] = 1 + 9 * random_uniform(&s), bodies[i].m[c] = random_normal(&s);
    bodies[i].inertia = rigid_inertia_of(moments);
  }
  double momentum = flow_us(-1);
  printf("free body, one flow            us   of the momentum\n  %-20s %9.3f %9.1f\n", "momentum alone",
         momentum, 1.0);
  for (int how = 0; how < RIGID_ATTITUDES; how++) {
    double us = flow_us(how);
    printf("  %-20s %9.3f %9.1f\n", names[how], us, us / momentum);
  }
}

// ---- a step of order 4 ----

static double step_us(struct sim_def def, int order) {
  double best = 1e9;
  def.integrator = (struct integrator_def){order, VESSEL_STRANG};
  for (int round = 0; round < 7; round++) {
    struct sim *s = shipped_create(&def);
    double begin = cpu_s();
    for (int k = 0; k < 4000; k++)
      sim_step(s, NULL);
    best = fmin(best, 1e6 * (cpu_s() - begin) / 4000);
    shipped_free(s);
  }
  return best;
}

static void fourth_order(void) {
  static const char *const sets[] = {"pipe=null", "statics=null"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 2, sets);
  scene_conservative(&def);
  def.vessel.plant.thruster_count = def.vessel.plant.bus_count = 0;
  def.vessel.windage.present = def.vessel.waves.present = 0;
  def.vessel.velocity_b[0] = 3, def.vessel.velocity_b[3] = 0.05;
  def.hold_balances_statics = 0;
  memset(def.initial_holding_force_b, 0, sizeof def.initial_holding_force_b);
  double two = step_us(def, 2), four = step_us(def, 4);
  printf("\nosv-83m, nothing acts: a step of order 2 %.2f us, of order 4 %.2f us: %.2f times\n", two, four,
         four / two);
}

// ---- a vessel on DP ----

enum { PID_SECONDS = 300, STEPS = 7 };
static const double steps[STEPS] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
static const struct method {
  const char *name, *passive;
  int order;
  enum vessel_integrator integrator;
  rival_method *rival;
} methods[] = {{"today's step", "yes", 2, VESSEL_STRANG, NULL},
               {"order 4", "yes", 4, VESSEL_STRANG, NULL},
               {"SP2", "yes", 2, VESSEL_SP2, NULL},
               {"SP4", "not proved", 2, VESSEL_SP4, NULL},
               {"SP6", "no", 2, VESSEL_SP6, NULL},
               {"RK4", "no", 0, VESSEL_STRANG, rival_rk4},
               {"improved Euler", "no", 0, VESSEL_STRANG, rival_improved_euler}};
enum { METHODS = sizeof methods / sizeof *methods };

struct dp_run {
  int held, seconds; // held: commands held for 1 s, with waves; otherwise the PID inside
  struct sim_def def;
  struct split_vessel vessel;
  struct split_pid pid;
  struct split_state start;
  struct split_state *exact; // each second
};

// The controller's command at this second plus the wrench of waves of 4 to 16 s, both held.
static void command(const struct dp_run *d, struct split_state *s, int second, double integral[6],
                    double wrench_b[6]) {
  static const double size[6] = {3e5, 3e5, 4e6, 2.5e6, 1.5e8, 1e7};
  struct rival_vessel v = {&d->vessel, &d->pid, NULL};
  double euler[3], x[3] = {s->x_n.x, s->x_n.y, s->x_n.z};
  euler_of_quat(s->q_nb, euler);
  memcpy(s->integral, integral, 6 * sizeof *integral);
  rival_vessel_control(&v, s, wrench_b);
  memset(s->integral, 0, sizeof s->integral);
  for (int c = 0; c < 6; c++) {
    integral[c] += c < 3 ? x[c] - d->pid.reference[c] : trig_wrap(euler[c - 3] - d->pid.reference[c]);
    for (int k = 0; k < 12; k++)
      wrench_b[c] += size[c] * 0.4 * cos((0.39 + 0.0983 * k + 0.011 * c) * second + 1.7 * k * k + c);
  }
}

struct worst {
  double m, rad, cpu_s_per_h;
};

static void compare(const struct dp_run *d, const struct split_state *s, int second, struct worst *w) {
  const struct split_state *e = &d->exact[second];
  quat a = e->q_nb, turn = quat_mul((quat){a.w, -a.x, -a.y, -a.z}, s->q_nb);
  double far = vec3_norm(vec3_sub(s->x_n, e->x_n)),
         angle = 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  w->m = isfinite(far) ? fmax(w->m, far) : (double)INFINITY;
  w->rad = isfinite(angle) ? fmax(w->rad, angle) : (double)INFINITY;
}

static struct worst run_rival(struct dp_run *d, rival_method *method, double h, int keep) {
  struct split_state s = d->start;
  struct worst w = {0, 0, 0};
  double wrench_b[6], integral[6] = {0}, begin = cpu_s();
  struct rival_vessel v = {&d->vessel, d->held ? NULL : &d->pid, d->held ? wrench_b : NULL};
  int per_second = (int)steps_nearest_to(1, h);
  for (int second = 0; second <= d->seconds; second++) {
    if (keep)
      d->exact[second] = s;
    else
      compare(d, &s, second, &w);
    if (d->held)
      command(d, &s, second, integral, wrench_b);
    for (int k = 0; k < per_second; k++)
      rival_vessel_step(&v, method, &s, h);
  }
  w.cpu_s_per_h = (cpu_s() - begin) * 3600 / d->seconds;
  return w;
}

static struct worst run_sim(struct dp_run *d, const struct method *m, double h) {
  struct sim_def def = d->def;
  def.step_s = h;
  def.integrator = (struct integrator_def){m->order, m->integrator};
  struct sim *sim = shipped_create(&def);
  struct worst w = {0, 0, 0};
  double wrench_b[6], integral[6] = {0}, begin = cpu_s();
  int per_second = (int)steps_nearest_to(1, h);
  for (int second = 0; second <= d->seconds; second++) {
    struct split_state s = {.x_n = sim->state.vessel.x_n, .q_nb = sim->state.vessel.q_nb};
    memcpy(s.nu, sim->state.vessel.nu, sizeof s.nu);
    compare(d, &s, second, &w);
    if (d->held)
      command(d, &s, second, integral, wrench_b);
    for (int k = 0; k < per_second; k++)
      sim_step(sim, d->held ? &(struct sim_input){.wrench_b = wrench_b} : NULL);
  }
  w.cpu_s_per_h = (cpu_s() - begin) * 3600 / d->seconds;
  shipped_free(sim);
  return w;
}

enum choice { ANY_CASE, SHIPS, PASSIVE };
static int may_be(const struct method *m, enum choice choice) {
  return choice == ANY_CASE || (!m->rival && (choice == SHIPS || m->passive[0] == 'y'));
}

static void least(const char *what, double limit, struct worst table[METHODS][STEPS], int of_attitude,
                  enum choice choice) {
  static const char *const names[] = {"any", "that ships", "proved passive"};
  double cost = 1e9;
  int method = -1, step = 0;
  for (int m = 0; m < METHODS; m++)
    for (int k = 0; k < STEPS; k++) {
      const struct worst *w = &table[m][k];
      if ((of_attitude ? w->rad : w->m) < limit && w->cpu_s_per_h < cost && may_be(&methods[m], choice))
        cost = w->cpu_s_per_h, method = m, step = k;
    }
  printf("  %-8s %-18s %s", what, names[choice], method < 0 ? "none\n" : "");
  if (method >= 0)
    printf("%s at %g s, %.3f s per hour\n", methods[method].name, steps[step], cost);
}

static void dp(int held, int seconds) {
  static const char *const names[6] = {"1 mm", "1 cm", "10 cm", "1e-4 rad", "1e-3 rad", "1e-2 rad"};
  static const double limits[6] = {1e-3, 1e-2, 0.1, 1e-4, 1e-3, 1e-2};
  static struct worst table[METHODS][STEPS];
  struct dp_run d = {
      .held = held, .seconds = seconds, .def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL)};
  d.def.pid.start_s = 0;
  d.def.vessel.damping_linear[3][3] = 2e7; // with the paper's 933 N m s the vessel capsizes within half a day
  if (held)
    d.def.controller = CONTROLLER_NONE;
  d.exact = calloc((size_t)seconds + 1, sizeof *d.exact);
  struct sim *s = shipped_create(&d.def);
  struct integrator_plan plan =
      integrator_plan_of(&(struct integrator_def){2, VESSEL_SP2}, s->model, s->def->step_s);
  d.vessel = plan.vessel, d.pid = plan.pid;
  d.start = (struct split_state){.x_n = s->state.vessel.x_n, .q_nb = s->state.vessel.q_nb};
  shipped_free(s);
  run_rival(&d, rival_rk4, held && seconds > 3600 ? 0.01 : 0.0025, 1);
  printf(
      "\n%s, %d s: worst position (m) and attitude (rad), CPU s per simulated hour; reference RK4 at %g s\n",
      held ? "commands and a sea held for 1 s" : "the PID inside", seconds,
      held && seconds > 3600 ? 0.01 : 0.0025);
  for (int m = 0; m < METHODS; m++)
    for (int k = 0; k < STEPS; k++) {
      table[m][k] = (struct worst){NAN, NAN, NAN};
      if (seconds > 3600 && steps[k] < 0.05 && !methods[m].rival)
        continue; // a day with these steps takes minutes
      table[m][k] = methods[m].rival ? run_rival(&d, methods[m].rival, steps[k], 0)
                                     : run_sim(&d, &methods[m], steps[k]);
      printf("  %-15s %-10s %5g s %10.2e %10.2e %9.3f\n", methods[m].name, methods[m].passive, steps[k],
             table[m][k].m, table[m][k].rad, table[m][k].cpu_s_per_h);
      fflush(stdout);
    }
  for (int i = 0; i < 6; i++)
    for (enum choice choice = ANY_CASE; choice <= PASSIVE; choice++)
      least(names[i], limits[i], table, i >= 3, choice);
  free(d.exact);
}

int main(int argc, char **argv) {
  flows();
  fourth_order();
  dp(0, PID_SECONDS);
  dp(1, argc > 1 ? atoi(argv[1]) : 300);
  return 0;
}
