// A pipe thrown at the seabed: its spring and damper against the linear dashpot (T. Schwager, T. Poeschel,
// Granular Matter 9, 465, 2007). A weightless, level, straight pipe moves along the ground's normal only.
// With m its mass and the added one per length, k and c the ground's stiffness and damper times the diameter,
// b = c/(2 m), w0^2 = k/m, x the penetration after the impact at the speed V:
//   x'' + 2 b x' + w0^2 x = 0,   contact ends where w0^2 x + 2 b x' = 0: there the ground would begin to pull
//   (with suction: where x = 0 again, never if b >= w0); from then on the pipe flies at the speed it has, and
//   what the spring still holds is lost while it follows.
// With w^2 = |b^2 - w0^2|, sin and cos for b < w0, sinh and cosh for b > w0:
//   x = V/w e^(-bt) sin(wt),   lift-off at wt = atan2(2 b w, b^2 - w^2), or log((b + w)/(b - w)); with
//   suction at pi.
// What is lost is what pipe and spring no longer hold.
#include "verification/harness/harness.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>

enum { PHASES = 8, STEPS = 4 };
static const double LENGTH = 100, RATE = 10, AFTER = 0.6; // m; w0, rad/s; s from the impact to the comparison

struct pair { // speed along the normal, down positive, and energy lost as a share of what it had
  double speed, loss;
};

// ---- the closed form, at the speed 1 ----

static double lift_off(double b, int suction) {
  double w = sqrt(fabs(b * b - RATE * RATE));
  if (b < RATE)
    return (suction ? TRIG_PI : atan2(2 * b * w, b * b - w * w)) / w;
  return suction ? 1e300 : 2 * log((b + w) / RATE) / w; // (b + w)(b - w) = w0^2
}

static struct pair dashpot(double b, int suction, double since) {
  double w = sqrt(fabs(b * b - RATE * RATE)), x, v, leaves = lift_off(b, suction), t = fmin(since, leaves);
  if (t <= 0)
    return (struct pair){1, 0};
  if (b < RATE) {
    x = exp(-b * t) * sin(w * t) / w;
    v = exp(-b * t) * (cos(w * t) - b / w * sin(w * t));
  } else {
    double slow = RATE * RATE / (b + w), fast = b + w; // the roots
    x = (exp(-slow * t) - exp(-fast * t)) / (fast - slow);
    v = (fast * exp(-fast * t) - slow * exp(-slow * t)) / (fast - slow);
  }
  x = fmax(x + v * (since - t), 0);
  return (struct pair){v, 1 - v * v - RATE * RATE * x * x};
}

// ---- the same by the simulator ----

struct throw {
  double step_s, before_s; // time to the impact
  double share;            // damper over the critical one, 2 m w0; 0: as given
  double damping_nspm3;
  int suction;
  double slope_rad; // the ground falls towards east, across the pipe
};

struct thrown {
  struct sim *sim;
  double mass_kgpm, diameter_m;
  double damping_radps; // b
};

// At 1 m/s along the normal and, on a slope, 1 m/s down along the ground.
static struct thrown throw_pipe(const struct verify_setup *setup, struct throw how, struct verify_result *r) {
  const char *const sets[] = {"pipe.elements=4", "pipe.length_m=100", "environment.depth_m=100",
                              "pipe.added_mass_transverse=1"};
  struct sim_def def;
  struct thrown x = {0};
  if (!scene_load(setup, "jlay-900m", 4, sets, &def, r))
    return x;
  scene_conservative(&def);
  x.diameter_m = def.pipe.line.outer_diameter_m;
  x.mass_kgpm =
      def.pipe.line.mass_kgpm + 0.25 * TRIG_PI * x.diameter_m * x.diameter_m * def.env.water_density_kgpm3;
  def.env.gravity_mps2 = 1e-30; // the start from statics divides by the weight
  def.env.seabed = SEABED_LINEAR;
  def.env.seabed_contact = CONTACT_AXIS;
  def.env.seabed_stiffness_npm3 = RATE * RATE * x.mass_kgpm / x.diameter_m;
  def.env.seabed_damping_nspm3 =
      how.share > 0 ? how.share * 2 * x.mass_kgpm * RATE / x.diameter_m : how.damping_nspm3;
  x.damping_radps = 0.5 * def.env.seabed_damping_nspm3 * x.diameter_m / x.mass_kgpm;
  def.env.seabed_suction = how.suction;
  def.env.slope = (struct seabed_slope_def){how.slope_rad, 0.5 * TRIG_PI, {0, 0}};
  def.pipe.lower = LOWER_FREE;
  def.pipe.hangoff = HANGOFF_FREE;
  def.step_s = how.step_s;
  struct sim *s = x.sim = scene_create(&def, r);
  if (!s)
    return x;
  const vec3 down = {0, -trig_sin(how.slope_rad), trig_cos(how.slope_rad)}, fall = {0, down.z, -down.y};
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    pipe_set3(s->state.pipe.r_n, i,
              (vec3){s->state.pipe.r_n[0][i], -how.before_s * down.y, 100 - how.before_s * down.z});
    pipe_set3(s->state.pipe.v_n, i, how.slope_rad > 0 ? vec3_add(down, fall) : down);
  }
  scene_restart(s);
  return x;
}

static double speed_into(const struct thrown *x, double slope_rad) {
  vec3 v = pipe_get3(x->sim->state.pipe.v_n, 2);
  return trig_cos(slope_rad) * v.z - trig_sin(slope_rad) * v.y;
}

struct rebound {
  struct pair found, exact;
  double along, smallest_loss,
      closure; // speed down along the ground; share lost in the worst step; the ledger's
  int resolved;
};

static struct rebound rebound_of(const struct verify_setup *setup, struct throw how,
                                 struct verify_result *r) {
  struct rebound out = {.smallest_loss = 1};
  struct thrown x = throw_pipe(setup, how, r);
  struct sim *s = x.sim;
  if (!s)
    return out;
  int steps = (int)steps_nearest_to(how.before_s + AFTER, how.step_s);
  double kinetic = 0.5 * x.mass_kgpm * LENGTH;
  for (int k = 0; k < steps; k++) {
    sim_step(s, NULL);
    out.smallest_loss = fmin(out.smallest_loss, s->run.ledger.loss_j[LOSS_SEABED] / kinetic);
  }
  vec3 v = pipe_get3(s->state.pipe.v_n, 2);
  out.found = (struct pair){speed_into(&x, how.slope_rad), s->run.ledger.total_loss_j[LOSS_SEABED] / kinetic};
  out.exact = dashpot(x.damping_radps, how.suction, steps * how.step_s - how.before_s);
  out.along = trig_cos(how.slope_rad) * v.y + trig_sin(how.slope_rad) * v.z;
  out.closure = ledger_closure_rel(&s->run.ledger);
  out.resolved = s->run.contact_not_resolved_count == 0;
  scene_free(s);
  return out;
}

// Largest errors over phases of the impact within a step.
struct worst {
  struct pair error;
  double smallest_loss, closure;
  int resolved;
};

static struct worst worst_of(const struct verify_setup *setup, struct throw how, struct verify_result *r) {
  struct worst w = {{0, 0}, 1, 0, 1};
  for (int k = 0; k < PHASES; k++) {
    how.before_s = (1 + (k + 0.5) / PHASES) * how.step_s;
    struct rebound x = rebound_of(setup, how, r);
    w.error.speed = fmax(w.error.speed, fabs(x.found.speed - x.exact.speed));
    w.error.loss = fmax(w.error.loss, fabs(x.found.loss - x.exact.loss));
    w.smallest_loss = fmin(w.smallest_loss, x.smallest_loss);
    w.closure = fmax(w.closure, x.closure);
    w.resolved &= x.resolved;
  }
  return w;
}

// ---- the rows ----

struct ground {
  const char *name;
  double share;
  int suction;
  double slope_rad;
  struct pair limit;
};

static const struct ground GROUNDS[] = {
    {"no damper", 0, 0, 0, {1e-10, 1e-14}},
    {"light damper", 0.1, 0, 0, {1e-5, 1.5e-5}},
    {"strong damper", 0.9, 0, 0, {2e-5, 6e-6}},
    {"overdamped", 5, 0, 0, {2e-5, 1e-5}},
    {"light damper, suction", 0.1, 1, 0, {1e-5, 1.5e-5}},
    {"strong damper, suction", 0.9, 1, 0, {3e-7, 3e-8}},
    {"overdamped, suction", 5, 1, 0, {1.5e-5, 1.5e-5}},
    {"strong damper, slope of 0.5 rad", 0.9, 0, 0.5, {2e-5, 6e-6}},
};

static void draw(const struct verify_setup *setup, const struct ground *g, struct verify_result *r,
                 struct verify_plot *plot) {
  struct throw how = {.step_s = 0.001, .before_s = 0.05, .share = g->share, .suction = g->suction};
  struct thrown x = throw_pipe(setup, how, r);
  if (!x.sim)
    return;
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", g->name);
  struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, closed form", g->name);
  for (int k = 0; k <= 450; k++) {
    double since = k * how.step_s - how.before_s;
    if (k % 3 == 0)
      verify_point(r, line, since, speed_into(&x, 0));
    if (k % 15 == 0)
      verify_point(r, closed, since, dashpot(x.damping_radps, how.suction, since).speed);
    sim_step(x.sim, NULL);
  }
  scene_free(x.sim);
}

static void resolved(const struct verify_setup *setup, const struct ground *g, struct verify_result *r,
                     struct verify_plot *orders) {
  static const double step[STEPS] = {0.008, 0.004, 0.002, 0.001};
  struct throw how = {.step_s = 0.001,
                      .before_s = 1.3e-3,
                      .share = g->share,
                      .suction = g->suction,
                      .slope_rad = g->slope_rad};
  struct rebound x = rebound_of(setup, how, r);
  verify_add(r, VERIFY_ABSOLUTE, "m/s", -x.found.speed, -x.exact.speed, g->limit.speed,
             "%s: speed of the rebound", g->name);
  verify_add(r, VERIFY_ABSOLUTE, "", x.found.loss, x.exact.loss, g->limit.loss,
             "%s: share of the energy lost", g->name);
  if (g->slope_rad > 0)
    verify_add(r, VERIFY_ABSOLUTE, "m/s", x.along, 1, 1e-10, "%s: speed along the seabed", g->name);
  if (g->share == 0 || g->slope_rad > 0)
    return;
  double speed[STEPS], loss[STEPS];
  for (int k = 0; k < STEPS; k++) {
    how.step_s = step[k];
    struct worst w = worst_of(setup, how, r);
    speed[k] = w.error.speed;
    loss[k] = w.error.loss;
    if (!w.resolved)
      verify_fail(r, "%s: a step of %g ms does not resolve the damper", g->name, 1e3 * step[k]);
  }
  char what[80];
  snprintf(what, sizeof what, "%s, speed", g->name);
  verify_order_in(r, orders, what, step, speed, STEPS, 2, 0.2);
  snprintf(what, sizeof what, "%s, energy", g->name);
  verify_order_in(r, orders, what, step, loss, STEPS, 2, 0.2);
}

// Steps of 100 ms, dampers of 1e3 to 1e9 N s/m3: the spring alone is resolved, barely.
static void unresolved(const struct verify_setup *setup, int suction, struct verify_result *r) {
  static const struct {
    int exponent;
    double limit;
  } dampers[] = {{3, 0.04}, {4, 0.06}, {5, 0.02}, {6, 1e-3}, {7, 1.5e-5}, {8, 1.5e-7}, {9, 1.5e-9}};
  const char *law = suction ? ", suction" : "";
  double smallest = 1, closure = 0, speed = 0;
  for (size_t k = 0; k < sizeof dampers / sizeof *dampers; k++) {
    int e = dampers[k].exponent;
    struct worst w =
        worst_of(setup, (struct throw){.step_s = 0.1, .damping_nspm3 = pow(10, e), .suction = suction}, r);
    verify_add(r, VERIFY_ABSOLUTE, "", w.error.loss, 0, dampers[k].limit,
               "100 ms, 1e%d N s/m3%s: largest error of the energy lost", e, law);
    smallest = fmin(smallest, w.smallest_loss);
    closure = fmax(closure, w.closure);
    speed = fmax(speed, w.error.speed);
  }
  verify_add(r, VERIFY_ABSOLUTE, "m/s", speed, 0, 0.07,
             "100 ms, 1e3 to 1e9 N s/m3%s: largest error of the speed", law);
  verify_add_range(r, "", smallest, 0, 1, 0,
                   "100 ms, 1e3 to 1e9 N s/m3%s: smallest loss of a step, as a share", law);
  verify_add(r, VERIFY_ABSOLUTE, "", closure, 0, 1e-10, "100 ms, 1e3 to 1e9 N s/m3%s: ledger closure", law);
}

void verify_seabed_impact(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r,
      "100 m of the 30-inch pipe at 1 m/s, added mass 1, no weight, 4 elements; spring of 10 rad/s; dampers "
      "of 0.1, 0.9 and 5 of the critical one at 1 ms, %g s after the impact; orders from 8 to 1 ms, each "
      "error is the largest over %d phases of the impact within the step",
      AFTER, PHASES);
  struct verify_plot *history =
      verify_plot(r, "Impact on the seabed", "time since the impact, s", "velocity down, m/s");
  struct verify_plot *orders = verify_plot(r, "Order of the impact", "step, s", "largest error");
  for (size_t k = 0; k < sizeof GROUNDS / sizeof *GROUNDS; k++) {
    if (GROUNDS[k].slope_rad == 0)
      draw(setup, &GROUNDS[k], r, history);
    resolved(setup, &GROUNDS[k], r, orders);
  }
  for (int suction = 0; suction < 2; suction++)
    unresolved(setup, suction, r);
}
