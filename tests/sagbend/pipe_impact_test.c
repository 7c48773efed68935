// Impact and lift-off on the spring and damper of the seabed: a weightless pipe with one degree of freedom
// against the coefficient of restitution of the linear dashpot (Schwager and Poeschel 2007, Granular Matter
// 9, 465). Dampers range from none to values that no step resolves. The order in the step is fitted with
// arbitrary phases of the impact within the step.
#include "sagbend/base/base.h"
#include "scenes.h"
#include "suite.h"

#include <math.h>

static const double MASS_KGPM = 593.2818, DIAMETER_M = 0.762;

// Rebound speed over impact speed. pull: contact ends where the penetration returns to zero; otherwise where
// spring and damper together no longer push.
static double restitution(double stiffness, double damping, int pull) { // per length
  double b = damping / (2 * MASS_KGPM), w0 = sqrt(stiffness / MASS_KGPM);
  if (b < w0) {
    double w = sqrt(w0 * w0 - b * b);
    return exp(-b / w * (pull ? acos(-1) : atan2(2 * b * w, b * b - w * w)));
  }
  double w = sqrt(b * b - w0 * w0);
  return pull ? 0 : exp(-b / w * log((b + w) / (b - w)));
}

// A weightless free pipe of 100 m, height_m above a linear seabed under its axis.
static struct sim *thrown(double stiffness_npm3, double damping_nspm3, int pull, double step_s,
                          double height_m, double speed_mps) {
  const char *const sets[] = {"pipe.elements=4", "pipe.length_m=100", "environment.depth_m=100"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 3, sets);
  scene_conservative(&def);
  def.env.gravity_mps2 = 1e-30; // the shape guess divides by the weight
  def.env.seabed = SEABED_LINEAR;
  def.env.seabed_stiffness_npm3 = stiffness_npm3;
  def.env.seabed_damping_nspm3 = damping_nspm3;
  def.env.seabed_suction = pull;
  def.env.seabed_contact = CONTACT_AXIS;
  def.pipe.lower = LOWER_FREE;
  def.pipe.hangoff = HANGOFF_FREE;
  def.step_s = step_s;
  struct sim *s = shipped_create(&def);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    s->state.pipe.r_n[2][i] = 100 - height_m;
    pipe_set3(s->state.pipe.v_n, i, (vec3){0, 0, speed_mps});
  }
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  return s;
}

struct rebound {
  double speed_mps, loss_j;
  int resolved;
};

static struct rebound rebound_of(double stiffness, double damping, int pull, double step_s, double height_m,
                                 double end_s) {
  struct sim *s = thrown(stiffness, damping, pull, step_s, height_m, 1);
  struct rebound x = {0};
  for (int k = 0; k < (int)steps_nearest_to(end_s, step_s); k++) {
    sim_step(s, &scene_no_command);
    ck_assert_double_ge(s->run.ledger.loss_j[LOSS_SEABED], 0);
  }
  x.speed_mps = -s->state.pipe.v_n[2][2];
  x.loss_j = s->run.ledger.total_loss_j[LOSS_SEABED];
  x.resolved = s->run.contact_not_resolved_count == 0;
  ck_assert_int_eq(x.resolved, !(s->run.events >> EVENT_CONTACT_UNRESOLVED & 1));
  ck_assert_double_lt(s->run.ledger.max_abs_total_residual_j,
                      1e-8 * (s->run.ledger.turnover_j + s->run.ledger.scale_j));
  ck_assert_uint_eq(s->run.not_converged_count + s->run.divided_count, 0);
  shipped_free(s);
  return x;
}

// Dampers as shares of the critical one; the spring's period is 0.63 s.
static const double shares[] = {0, 0.1, 0.45, 0.9, 1.5, 5, 50, 1e4};
static const double STIFFNESS = 1e2 * 593.2818 / 0.762; // rad/s 10

static double critical(void) {
  return 2 * 10 * MASS_KGPM / DIAMETER_M;
}

START_TEST(rebounds_as_the_dashpot_does) {
  double share = shares[_i % 8], c = share * critical();
  int pull = _i >= 8;
  double e = restitution(STIFFNESS * DIAMETER_M, c * DIAMETER_M, pull), kinetic = 0.5 * MASS_KGPM * 100;
  const double steps[] = {0.1, 0.02, 0.005, 0.001};
  double before = 0; // error of the previous step size, if that was resolved
  printf("c/critical %-5g%s restitution %.5f:", share, pull ? " pulls" : "      ", e);
  const int sizes = scene_share() < 1 ? 2 : 4; // the order, which needs all, is no matter of a sanitizer
  for (int k = 0; k < sizes; k++) {
    double worst = 0, lost = 0;
    int resolved = 1;
    for (int phase = 0; phase < 8; phase++) {
      struct rebound x =
          rebound_of(STIFFNESS, c, pull, steps[k], (phase + 0.5) / 8 * steps[k] + 0.01, share > 1 ? 6 : 1.2);
      worst = fmax(worst, fabs(x.speed_mps - e));
      lost = fmax(lost, fabs(x.loss_j / kinetic - (1 - e * e)));
      // the event is raised where the step does not resolve the impact, and only there
      resolved &= x.resolved;
      ck_assert_int_eq(x.resolved, 0.5 * steps[k] * (c + steps[k] * STIFFNESS) * DIAMETER_M <= MASS_KGPM);
    }
    printf("  %g ms %.1e, energy %.1e", 1e3 * steps[k], worst, lost);
    ck_assert_double_lt(worst, 0.5 * steps[k] + 1e-4);  // whatever the damper, resolved or not
    int settles = !(pull && share > 1);                 // beyond this the pipe rises too slowly to wait for
    if (k == 3 && resolved && settles && before > 1e-6) // a fifth of the step: 25 at order 2
      ck_assert_msg(before / worst > 18, "c/critical %g: 5 ms %g, 1 ms %g", share, before, worst);
    before = resolved ? worst : 0;
  }
  printf("\n");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("impact");
  tcase_add_loop_test(add_case(suite, "dashpot", 60), rebounds_as_the_dashpot_does, 0, 16);
  return run_suite(suite);
}
