// The multi-symplectic conservation law of Paper V, (6.42), at every node and step
// (verification/rivals/rod_forms.h). Two rods fly the same way; each carries one first variation in its imaginary
// part.
#include "verification/pipe/rod_law.h"

#include "sagbend/base/steps.h"
#include "sagbend/math/random.h"
#include "verification/pipe/pipe.h"
#include "verification/rivals/rod_forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
void rod_law(const struct verify_setup *setup, struct verify_result *r) {
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
