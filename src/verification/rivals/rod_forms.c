#include "verification/rivals/rod_forms.h"

#include "sagbend/math/so3.h"

struct varied_rod_node rod_varied(const struct hamiltonian_rod_node *n, const struct rod_variation *by) {
  struct varied_rod_node v = {.x_m = {0}};
  quat q = {n->q[0], n->q[1], n->q[2], n->q[3]}, theta = {0, by->theta[0], by->theta[1], by->theta[2]},
       dq = quat_mul(theta, q);
  const double turn[4] = {dq.w, dq.x, dq.y, dq.z};
  for (int k = 0; k < 4; k++)
    v.q[k] = n->q[k] + (double complex)I * (0.5 * ROD_VARIATION * turn[k]);
  for (int k = 0; k < 3; k++) {
    v.x_m[k] = n->x_m[k] + (double complex)I * (ROD_VARIATION * by->x[k]);
    v.p_ns[k] = n->p_ns[k] + (double complex)I * (ROD_VARIATION * by->p[k]);
    v.pi_nms[k] = n->pi_nms[k] + (double complex)I * (ROD_VARIATION * by->pi[k]);
  }
  return v;
}

static double form(int count, const double complex *u1, const double complex *p1, const double complex *u2,
                   const double complex *p2) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    sum += cimag(u1[k]) / ROD_VARIATION * (cimag(p2[k]) / ROD_VARIATION) -
           cimag(u2[k]) / ROD_VARIATION * (cimag(p1[k]) / ROD_VARIATION);
  return sum;
}

static void conjugate_of(const struct varied_rod_node *n, double complex p[4]) { // 2 (0, pi) q, (6.29)
  const double complex *pi = n->pi_nms, *q = n->q;
  p[0] = -2 * (pi[0] * q[1] + pi[1] * q[2] + pi[2] * q[3]);
  for (int k = 0; k < 3; k++)
    p[1 + k] =
        2 * (pi[k] * q[0] + pi[(k + 1) % 3] * q[1 + (k + 2) % 3] - pi[(k + 2) % 3] * q[1 + (k + 1) % 3]);
}

double rod_omega(const struct varied_rod *a, const struct varied_rod *b, int node) {
  const struct varied_rod_node *na = &a->node[node], *nb = &b->node[node];
  double complex pa[4], pb[4];
  conjugate_of(na, pa);
  conjugate_of(nb, pb);
  return form(3, na->x_m, na->p_ns, nb->x_m, nb->p_ns) + form(4, na->q, pa, nb->q, pb);
}

double rod_kappa(const struct varied_rod *a, const struct varied_rod *b, int element) {
  struct varied_rod_slope va, vb;
  varied_rod_element(a, element, &va);
  varied_rod_element(b, element, &vb);
  const struct varied_rod_node *na = &a->node[element], *nb = &b->node[element];
  return form(3, na->x_m, va.x_n[0], nb->x_m, vb.x_n[0]) + form(4, na->q, va.q_nm[0], nb->q, vb.q_nm[0]);
}
