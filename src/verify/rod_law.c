// The multi-symplectic conservation law of Paper V, (6.42), at every node and step (rivals/rod_forms.h). Two rods fly the same way;
// each carries one first variation in its imaginary part.
#include "verify/rod_law.h"

#include "math/random.h"
#include "rivals/rod_forms.h"
#include "verify/flying_rod.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  struct varied_rod rod[2];
  double omega[HAMILTONIAN_ROD_NODES], kappa[HAMILTONIAN_ROD_NODES];
};

// The rod at the end of the throw, varied at random in all that is free: phi, q on its sphere, both momenta.
static void start(struct pair *two, int elements, double step_s, const int held[2]) {
  struct hamiltonian_rod thrown;
  struct random_stream noise = random_stream_of(random_seed(1, "rod-law"));
  flying_rival(&thrown, elements);
  for (int k = 0; k < lround(FLYING_THROW_S / step_s); k++)
    flying_rival_step(&thrown, k * step_s, step_s);
  for (int side = 0; side < 2; side++) {
    struct varied_rod *rod = &two->rod[side];
    memset(rod, 0, sizeof *rod);
    rod->section = thrown.section;
    rod->elements = elements;
    rod->element_m = thrown.element_m;
    memcpy(rod->held, held, sizeof rod->held);
    for (int i = 0; i <= elements; i++) {
      int stays = (i == 0 && held[0]) || (i == elements && held[1]);
      struct rod_variation by = {.x = {0}};
      double *parts[] = {by.x, by.theta, by.p, by.pi};
      for (int k = 0; !stays && k < 12; k++)
        parts[k / 3][k % 3] = 2 * random_uniform(&noise) - 1;
      if (stays)
        memset(thrown.node[i].p_ns, 0, sizeof thrown.node[i].p_ns), memset(thrown.node[i].pi_nms, 0, sizeof thrown.node[i].pi_nms);
      rod->node[i] = rod_varied(&thrown.node[i], &by);
    }
    varied_rod_start(rod);
  }
}

// One kick of the law at every free node; the largest residual, relative to the largest omega of a node.
static double check(struct pair *two, double h, int first) {
  int elements = two->rod[0].elements;
  double worst = 0, scale = 0;
  for (int e = 0; e < elements; e++)
    two->kappa[e] = rod_kappa(&two->rod[0], &two->rod[1], e);
  for (int side = 0; side < 2; side++)
    varied_rod_kick(&two->rod[side], first ? 0.5 * h : h);
  for (int i = 0; i <= elements; i++) {
    double before = two->omega[i];
    two->omega[i] = rod_omega(&two->rod[0], &two->rod[1], i);
    scale = fmax(scale, fabs(two->omega[i]));
    if (first || (i == 0 && two->rod[0].held[0]) || (i == elements && two->rod[0].held[1]))
      continue;
    double right = i < elements ? two->kappa[i] : 0, left = i > 0 ? two->kappa[i - 1] : 0;
    double residual = fabs(two->omega[i] - before + h * (right - left));
    worst = isfinite(residual) ? fmax(worst, residual) : (double)INFINITY;
  }
  return worst / scale;
}

void rod_law(const struct verify_setup *setup, struct verify_result *r) {
  static const char *const ends[] = {"free", "held, as in Paper V"};
  const double step_s = 0.005;
  long steps = lround((setup->extended ? 200 : 10) / step_s);
  struct pair *two = malloc(sizeof *two);
  for (int held = 0; two && held < 2; held++) {
    double worst = 0;
    start(two, 10, step_s, (const int[2]){held, held});
    for (long k = 0; k <= steps; k++) {
      worst = fmax(worst, check(two, step_s, k == 0));
      for (int side = 0; side < 2; side++)
        varied_rod_drift(&two->rod[side], step_s);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 1e-12, "d_t omega + d_S kappa at every node and step, of omega, ends %s", ends[held]);
  }
  if (!two)
    verify_fail(r, "out of memory");
  free(two);
}
