// The multi-symplectic conservation law of Paper V, (6.41), (6.42): for any two first variations dz of a solution,
//     d_t omega + d_S kappa = 0,   omega = dz ^ M dz,   kappa = dz ^ K dz,
// z = (phi, q, p_phi, p, v_phi, v, lambda), M and K of blocks of 7: M = [[0,-1,0],[1,0,0],[0,0,0]], K = [[0,0,-1],[0,0,0],[1,0,0]].
// On the mesh: omega of a node from its pose u = (phi, q) and its momenta p = (p_phi, 2 (0, pi) q) between two kicks; kappa of
// an element from its left node, with v = dW/du there; the law at each node and step,
//     omega(k + 1/2) - omega(k - 1/2) + h (kappa(right of the node) - kappa(left of it)) = 0 at the time of k.
// Two rods fly the same way; each carries one variation in its imaginary part.
#include "verify/rod_law.h"

#include "math/random.h"
#include "verify/flying_rod.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TINY = 1e-40; // of the variations: their squares vanish beside any real part

struct pair {
  struct varied_rod rod[2];
  double omega[HAMILTONIAN_ROD_NODES], kappa[HAMILTONIAN_ROD_NODES];
};

static double form(int count, const double complex *u1, const double complex *p1, const double complex *u2, const double complex *p2) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    sum += cimag(u1[k]) / TINY * (cimag(p2[k]) / TINY) - cimag(u2[k]) / TINY * (cimag(p1[k]) / TINY);
  return sum;
}

static void conjugate_of(const struct varied_rod_node *n, double complex p[4]) { // 2 (0, pi) q, (6.29)
  const double complex *pi = n->pi_nms, *q = n->q;
  p[0] = -2 * (pi[0] * q[1] + pi[1] * q[2] + pi[2] * q[3]);
  for (int k = 0; k < 3; k++)
    p[1 + k] = 2 * (pi[k] * q[0] + pi[(k + 1) % 3] * q[1 + (k + 2) % 3] - pi[(k + 2) % 3] * q[1 + (k + 1) % 3]);
}

static double omega_of(const struct pair *two, int node) {
  const struct varied_rod_node *a = &two->rod[0].node[node], *b = &two->rod[1].node[node];
  double complex pa[4], pb[4];
  conjugate_of(a, pa);
  conjugate_of(b, pb);
  return form(3, a->x_m, a->p_ns, b->x_m, b->p_ns) + form(4, a->q, pa, b->q, pb);
}

static double kappa_of(const struct pair *two, int element) {
  struct varied_rod_slope slope[2];
  for (int k = 0; k < 2; k++)
    varied_rod_element(&two->rod[k], element, &slope[k]);
  const struct varied_rod_node *a = &two->rod[0].node[element], *b = &two->rod[1].node[element];
  return form(3, a->x_m, slope[0].x_n[0], b->x_m, slope[1].x_n[0]) + form(4, a->q, slope[0].q_nm[0], b->q, slope[1].q_nm[0]);
}

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
      const struct hamiltonian_rod_node *from = &thrown.node[i];
      struct varied_rod_node *to = &rod->node[i];
      int stays = (i == 0 && held[0]) || (i == elements && held[1]);
      double d[12], turn[4];
      for (int k = 0; k < 12; k++)
        d[k] = stays ? 0 : TINY * (2 * random_uniform(&noise) - 1);
      quat q = {from->q[0], from->q[1], from->q[2], from->q[3]}, dq = quat_mul((quat){0, d[3], d[4], d[5]}, q);
      turn[0] = dq.w, turn[1] = dq.x, turn[2] = dq.y, turn[3] = dq.z;
      for (int k = 0; k < 4; k++)
        to->q[k] = CMPLX(from->q[k], turn[k]);
      for (int k = 0; k < 3; k++) {
        to->x_m[k] = CMPLX(from->x_m[k], d[k]);
        to->p_ns[k] = stays ? 0 : CMPLX(from->p_ns[k], d[6 + k]);
        to->pi_nms[k] = stays ? 0 : CMPLX(from->pi_nms[k], d[9 + k]);
      }
    }
    varied_rod_start(rod);
  }
}

// One kick of the law at every free node; the largest residual, relative to the largest omega of a node.
static double check(struct pair *two, double h, int first) {
  int elements = two->rod[0].elements;
  double worst = 0, scale = 0;
  for (int e = 0; e < elements; e++)
    two->kappa[e] = kappa_of(two, e);
  for (int side = 0; side < 2; side++)
    varied_rod_kick(&two->rod[side], first ? 0.5 * h : h);
  for (int i = 0; i <= elements; i++) {
    double before = two->omega[i];
    two->omega[i] = omega_of(two, i);
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
