// The rod as a constrained Hamiltonian system (Paper V of Saefstroem's thesis, 2009) by the scheme of
// verification/rivals/rivals.h: where it flies and what it keeps, each beside this project's step, and
// the largest step that a pipe allows.
#include "verification/pipe/pipe.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- trajectory ----

typedef double flown[FLYING_SHOWN][FLYING_ENDS][3]; // displacements

static int shown_at(int step, double step_s) { // index of the time shown after this step, or -1
  for (int i = 0; i < FLYING_SHOWN; i++)
    if (step == (long)steps_nearest_to(flying_shown_s[i], step_s))
      return i;
  return -1;
}

static void fly_rival(int elements, double step_s, flown found) {
  struct hamiltonian_rod rod, start;
  flying_rival(&rod, elements);
  start = rod;
  for (int k = 1; k <= (long)steps_nearest_to(FLYING_THROW_S, step_s); k++) {
    flying_rival_step(&rod, (k - 1) * step_s, step_s);
    int at = shown_at(k, step_s);
    for (int e = 0; at >= 0 && e < FLYING_ENDS; e++)
      for (int c = 0; c < 3; c++) {
        int node = e == 0 ? elements : 0;
        found[at][e][c] = rod.node[node].x_m[c] - start.node[node].x_m[c];
      }
  }
}

static void fly_own(int elements, double step_s, flown found, struct verify_result *r) {
  struct sim *s = flying_rod(elements, step_s, r);
  for (int k = 1; s && k <= (long)steps_nearest_to(FLYING_THROW_S, step_s); k++) {
    sim_step(s, NULL);
    int at = shown_at(k, step_s);
    vec3 ends[FLYING_ENDS];
    flying_displacements(s, ends);
    for (int e = 0; at >= 0 && e < FLYING_ENDS; e++)
      vec3_to(ends[e], found[at][e]);
  }
  if (s)
    scene_free(s);
}

static double error_of(flown found) {
  double worst = 0;
  for (int i = 0; i < FLYING_SHOWN; i++)
    for (int e = 0; e < FLYING_ENDS; e++)
      worst = fmax(worst, vec3_norm(vec3_sub(vec3_of(found[i][e]), vec3_of(flying_flown_m[i][e]))));
  return worst;
}

static double extrapolated(flown coarse, flown fine) { // largest error of a component
  double worst = 0;
  for (int i = 0; i < FLYING_SHOWN; i++)
    for (int e = 0; e < FLYING_ENDS; e++)
      for (int c = 0; c < 3; c++)
        worst = fmax(worst, fabs((4 * fine[i][e][c] - coarse[i][e][c]) / 3 - flying_flown_m[i][e][c]));
  return worst;
}

// 20, 40, 80 elements with the rival's steps, and this project's step with as long ones and with longer ones.
static void compare_flight(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 3, WAYS = 3 };
  static const char *const way_name[WAYS] = {"variational, h = 0.8 l/c", "simulator, h = 0.8 l/c",
                                             "simulator, h = 4 l/c"};
  static const double courant[WAYS] = {0.08, 0.08, 0.4}; // step by elements; the axial wave runs at c = 100
  struct verify_plot *plot = verify_cost_plot(setup, r, "The flying rod: error against cost",
                                              "time of a run of 5 s, s", "largest error of an end position");
  double width[LEVELS], error[WAYS][LEVELS], cost_s[WAYS];
  flown found[LEVELS];
  for (int way = 0; way < WAYS; way++) {
    struct verify_series *line =
        verify_cost_series(r, plot, way ? VERIFY_DASHED : VERIFY_LINE, "%s", way_name[way]);
    for (int level = 0; level < LEVELS; level++) {
      int elements = 20 << level;
      double start_s = verify_clock_s(setup), step_s = courant[way] / elements;
      if (way == 0)
        fly_rival(elements, step_s, found[level]);
      else
        fly_own(elements, step_s, found[level], r);
      width[level] = FLYING_LENGTH_M / elements;
      error[way][level] = error_of(found[level]);
      cost_s[way] = verify_clock_s(setup) - start_s; // the finest stays
      verify_point(r, line, cost_s[way], error[way][level]);
    }
    if (way == 0) {
      verify_add(r, VERIFY_ABSOLUTE, "", extrapolated(found[1], found[2]), 0, 1e-4,
                 "displacements of both ends, extrapolated from 40 and 80 elements, h = 2 and 1 ms");
      verify_order(r, "End positions, variational integrator", "element length (step in proportion)",
                   "the end positions, step and mesh refined together", width, error[0], LEVELS, 2, 0.1);
    }
  }
  verify_show(r, "", error[0][2], error[1][2],
              "80 elements, h = 1 ms: largest error of an end position; reference: simulator step");
  verify_show(r, "", error[0][2], error[2][2], "the same; reference: simulator step with h = 5 ms");
  if (setup->now_ns) {
    verify_show(r, "s", cost_s[0], cost_s[1],
                "run time of the throw of 5 s, 80 elements, h = 1 ms; reference: simulator step");
    verify_show(r, "s", cost_s[0], cost_s[2], "the same; reference: simulator step with h = 5 ms");
  }
}

// ---- conserved quantities ----

enum { KEPT_ELEMENTS = 10, WINDOWS = 20 };

struct account {
  double start_j, low, high, window[WINDOWS]; // relative to the start; mean of each window
  double linear, angular;                     // largest relative change
  vec3 linear_ns, angular_nms;                // at the start
  int samples[WINDOWS];
};

static void book(struct account *a, double share, double energy_j, vec3 linear, vec3 angular) {
  if (share == 0) {
    *a = (struct account){.start_j = energy_j, .linear_ns = linear, .angular_nms = angular};
    return;
  }
  double off = energy_j / a->start_j - 1;
  int w = share < 1 ? (int)(WINDOWS * share) : WINDOWS - 1;
  a->low = fmin(a->low, off), a->high = fmax(a->high, off);
  a->window[w] += off, a->samples[w]++;
  a->linear = fmax(a->linear, vec3_norm(vec3_sub(linear, a->linear_ns)) / vec3_norm(a->linear_ns));
  a->angular = fmax(a->angular, vec3_norm(vec3_sub(angular, a->angular_nms)) / vec3_norm(a->angular_nms));
}

static double drift_of(const struct account *a) { // of the mean: the last window against the first
  return fabs(a->window[WINDOWS - 1] / a->samples[WINDOWS - 1] - a->window[0] / a->samples[0]);
}

static void draw(struct verify_result *r, struct verify_series *to, const struct account *a, double time_s,
                 double energy_j) {
  if (time_s <= 20)
    verify_point(r, to, time_s, energy_j / a->start_j - 1);
}

static struct account keep_rival(double step_s, double span_s, struct verify_result *r,
                                 struct verify_series *line) {
  struct account a = {0};
  struct hamiltonian_rod rod;
  flying_rival(&rod, KEPT_ELEMENTS);
  long throw = (long)steps_nearest_to(FLYING_THROW_S, step_s), steps = (long)steps_nearest_to(span_s, step_s);
  for (long k = 0; k < throw; k++)
    flying_rival_step(&rod, (double)k * step_s, step_s);
  memset(rod.load_n, 0, sizeof rod.load_n), memset(rod.load_nm, 0, sizeof rod.load_nm);
  for (long k = 0; k <= steps; k++) {
    if (k % 3 == 0) {
      struct hamiltonian_rod_totals t = hamiltonian_rod_totals(&rod);
      book(&a, (double)k / (double)steps, t.kinetic_j + t.potential_j, vec3_of(t.linear_ns),
           vec3_of(t.angular_nms));
      draw(r, line, &a, (double)k * step_s, t.kinetic_j + t.potential_j);
    }
    hamiltonian_rod_step(&rod, step_s);
  }
  return a;
}

static struct account keep_own(double step_s, double span_s, struct verify_result *r,
                               struct verify_series *line) {
  struct account a = {0};
  struct sim *s = flying_rod(KEPT_ELEMENTS, step_s, r);
  if (!s)
    return a;
  long throw = (long)steps_nearest_to(FLYING_THROW_S, step_s), steps = (long)steps_nearest_to(span_s, step_s);
  for (long k = 0; k < throw; k++)
    sim_step(s, NULL);
  for (long k = 0; k <= steps; k++) {
    vec3 linear, angular;
    scene_momenta(s, &linear, &angular);
    book(&a, (double)k / (double)steps, s->run.ledger.energy_j, linear, angular);
    if (k % 3 == 0)
      draw(r, line, &a, (double)k * step_s, s->run.ledger.energy_j);
    sim_step(s, NULL);
  }
  scene_free(s);
  return a;
}

static void compare_kept(const struct verify_setup *setup, struct verify_result *r) {
  const double span_s = 200, own_span_s = setup->extended ? span_s : 50;
  struct verify_plot *plot =
      verify_plot(r, "Free flight, 10 elements: energy", "time, s", "relative to the start");
  struct account whole =
      keep_rival(0.005, span_s, r, verify_series(r, plot, VERIFY_LINE, "variational, h = 5 ms"));
  struct account half =
      keep_rival(0.0025, span_s, r, verify_series(r, plot, VERIFY_LINE, "variational, h = 2.5 ms"));
  struct account own =
      keep_own(0.005, own_span_s, r, verify_series(r, plot, VERIFY_DASHED, "simulator, h = 5 ms"));
  double swing = whole.high - whole.low;
  verify_add(r, VERIFY_ABSOLUTE, "", whole.linear, 0, 1e-13,
             "free flight, 5 ms, 200 s: largest relative change of the linear momentum");
  verify_add(r, VERIFY_ABSOLUTE, "", whole.angular, 0, 1e-11, "angular momentum, largest relative change");
  verify_show(r, "", swing, (double)NAN, "energy: relative range of the oscillation");
  verify_add(r, VERIFY_ABSOLUTE, "", drift_of(&whole), 0, 2e-6,
             "energy: drift of the mean between the first and the last 10 s");
  verify_add(r, VERIFY_ABSOLUTE, "", swing / (half.high - half.low), 4, 0.1, // of order 2
             "energy: range of the oscillation over that at half the step");
  verify_show(r, "", own.linear, whole.linear,
              "simulator step, 5 ms, %g s: linear momentum; reference: variational integrator", own_span_s);
  verify_show(r, "", own.angular, whole.angular, "the same: angular momentum; reference: variational");
  verify_show(r, "", own.high - own.low, swing,
              "the same: range of the energy; reference: variational integrator");
}

// ---- the largest stable step ----

// The pipe of configs/jlay-900m.yaml, straight and free, its sections turned at random by up to a
// microradian.
static int grows(struct hamiltonian_rod *rod, const struct sim_def *def, int elements, double step_s) {
  enum { STEPS = 400 };
  const struct pipe_type *p = &def->pipe.line;
  struct random_stream noise = random_stream_of(random_seed(1, "rod"));
  memset(rod, 0, sizeof *rod);
  rod->section = (struct hamiltonian_rod_section){
      .mass_kgpm = p->mass_kgpm,
      .stretch_n = {p->axial_stiffness_n, p->shear_stiffness_n[0], p->shear_stiffness_n[1]},
      .bend_nm2 = {p->torsion_stiffness_nm2, p->bending_stiffness_nm2[0], p->bending_stiffness_nm2[1]}};
  memcpy(rod->section.inertia_kgm, p->inertia_kgm, sizeof p->inertia_kgm);
  rod->elements = elements;
  rod->element_m = def->pipe.length_m / elements;
  for (int i = 0; i <= elements; i++) {
    rod->node[i].x_m[0] = i * rod->element_m;
    rod->node[i].q[0] = 1;
    for (int k = 1; k < 4; k++)
      rod->node[i].q[k] = 1e-6 * (random_uniform(&noise) - 0.5);
  }
  hamiltonian_rod_start(rod);
  double start_j = hamiltonian_rod_totals(rod).potential_j;
  for (int k = 0; k < STEPS; k++)
    hamiltonian_rod_step(rod, step_s);
  struct hamiltonian_rod_totals end = hamiltonian_rod_totals(rod);
  return !(end.kinetic_j + end.potential_j < 1e6 * start_j); // not a number: grown, too
}

static void largest_step(const struct verify_setup *setup, struct verify_result *r) {
  static const int meshes[] = {25, 100, 400};
  struct sim_def def;
  struct hamiltonian_rod rod;
  if (!scene_load(setup, "jlay-900m", 0, NULL, &def, r))
    return;
  double closed_s = 2 * sqrt(def.pipe.line.inertia_kgm[1] / def.pipe.line.shear_stiffness_n[0]);
  for (int i = 0; i < 3; i++) {
    double stable = 0.6 * closed_s, unstable = 1.7 * closed_s;
    while (unstable - stable > 1e-3 * closed_s) {
      double middle = 0.5 * (stable + unstable);
      *(grows(&rod, &def, meshes[i], middle) ? &unstable : &stable) = middle;
    }
    verify_add(r, VERIFY_RELATIVE, "s", stable, closed_s, 0.02,
               "largest stable step, 30-inch pipe of 1500 m, %d elements", meshes[i]);
  }
  verify_show(r, "", def.step_s / closed_s, 1, "the shipped step of 10 ms by that of the closed form");
}

static void rod_law(const struct verify_setup *setup, struct verify_result *r);

void verify_rod_multisymplectic(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r,
                  "20, 40, 80 elements, 4, 2, 1 ms; free flight 10 elements, 5 and 2.5 ms, 200 s, this "
                  "simulator step %d s (--long: 200); conservation law over %d s (--long: 200)",
                  setup->extended ? 200 : 50, setup->extended ? 200 : 10);
  compare_flight(setup, r);
  compare_kept(setup, r);
  rod_law(setup, r);
  largest_step(setup, r);
}

// ------------------------------------------------------------
// The multi-symplectic conservation law of Paper V, (6.42), at every node and step
// (verification/rivals/rivals.h). Two rods fly the same way; each carries one first variation in its
// imaginary part.

struct pair {
  struct varied_rod rod[2];
  double omega[HAMILTONIAN_ROD_NODES], kappa[HAMILTONIAN_ROD_NODES];
};

static int stays(const struct varied_rod *rod, int node) {
  return (node == 0 && rod->held[0]) || (node == rod->elements && rod->held[1]);
}

// A new variation at random of all that is free: phi, q on its sphere, both momenta.
static void vary(struct varied_rod *rod, struct random_stream *noise) {
  for (int i = 0; i <= rod->elements; i++) {
    struct varied_rod_node *to = &rod->node[i];
    struct hamiltonian_rod_node n = {.x_m = {0}};
    struct rod_variation by = {.x = {0}};
    double *parts[] = {by.x, by.theta, by.p, by.pi};
    for (int k = 0; !stays(rod, i) && k < 12; k++)
      parts[k / 3][k % 3] = 2 * random_uniform(noise) - 1;
    for (int k = 0; k < 4; k++)
      n.q[k] = creal(to->q[k]);
    for (int k = 0; k < 3; k++) {
      n.x_m[k] = creal(to->x_m[k]);
      n.p_ns[k] = creal(to->p_ns[k]);
      n.pi_nms[k] = creal(to->pi_nms[k]);
    }
    *to = rod_varied(&n, &by);
  }
  varied_rod_start(rod);
}

static void start(struct pair *two, int elements, double step_s,
                  const int held[2]) { // at the end of the throw
  struct hamiltonian_rod thrown;
  const struct rod_variation none = {.x = {0}};
  flying_rival(&thrown, elements);
  for (int k = 0; k < (long)steps_nearest_to(FLYING_THROW_S, step_s); k++)
    flying_rival_step(&thrown, k * step_s, step_s);
  for (int side = 0; side < 2; side++) {
    struct varied_rod *rod = &two->rod[side];
    memset(rod, 0, sizeof *rod);
    rod->section = thrown.section;
    rod->elements = elements;
    rod->element_m = thrown.element_m;
    memcpy(rod->held, held, sizeof rod->held);
    for (int i = 0; i <= elements; i++) {
      rod->node[i] = rod_varied(&thrown.node[i], &none);
      for (int k = 0; stays(rod, i) && k < 3; k++)
        rod->node[i].p_ns[k] = rod->node[i].pi_nms[k] = 0;
    }
  }
}

// A kick, and the law across it at every free node: the largest residual, relative to the largest omega of a
// node.
static double check(struct pair *two, double h) {
  int elements = two->rod[0].elements;
  double worst = 0, scale = 0;
  for (int e = 0; e < elements; e++)
    two->kappa[e] = rod_kappa(&two->rod[0], &two->rod[1], e);
  for (int side = 0; side < 2; side++)
    varied_rod_kick(&two->rod[side], h);
  for (int i = 0; i <= elements; i++) {
    double before = two->omega[i];
    two->omega[i] = rod_omega(&two->rod[0], &two->rod[1], i);
    scale = fmax(scale, fabs(two->omega[i]));
    if (stays(&two->rod[0], i))
      continue;
    double right = i < elements ? two->kappa[i] : 0, left = i > 0 ? two->kappa[i - 1] : 0;
    double residual = fabs(two->omega[i] - before + h * (right - left));
    worst = isfinite(residual) ? fmax(worst, residual) : (double)INFINITY;
  }
  return worst / scale;
}

// Variations are drawn anew every 5 s: in a chaotic motion all of them grow alike, and omega drowns in their
// rounding.
static void rod_law(const struct verify_setup *setup, struct verify_result *r) {
  static const char *const ends[] = {"free", "held, as in Paper V"};
  const double step_s = 0.005;
  const long steps = (long)steps_nearest_to(setup->extended ? 200 : 10, step_s),
             fresh = (long)steps_nearest_to(5, step_s);
  struct pair *two = malloc(sizeof *two);
  for (int held = 0; two && held < 2; held++) {
    double worst = 0;
    struct random_stream noise = random_stream_of(random_seed(1, "rod-law"));
    start(two, 10, step_s, (const int[2]){held, held});
    for (long k = 0; k <= steps; k++) {
      int drawn = k % fresh == 0; // omega before the kick is not known yet
      for (int side = 0; drawn && side < 2; side++)
        vary(&two->rod[side], &noise);
      double residual = check(two, k == 0 ? 0.5 * step_s : step_s);
      worst = drawn ? worst : fmax(worst, residual);
      for (int side = 0; side < 2; side++)
        varied_rod_drift(&two->rod[side], step_s);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 1e-12,
               "d_t omega + d_S kappa at every node and step over omega, ends %s", ends[held]);
  }
  if (!two)
    verify_fail(r, "out of memory");
  free(two);
}
