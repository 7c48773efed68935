// Exact derivative of the element's forces over a step (pipe_element.c) with respect to the configuration at its
// end. Forces contain gradients at the mean configuration, changes of strain vary with gradients at the end,
// and mean directors vary by half:
//   K = l sum_k C_k beta  mean_gradient_k (end_gradient_k)'  +  l d(mean_gradient)' stress.
// phi is the spatial variation of a rotation at the end, d(d1) = phi x d1.
#include "sagbend/pipe/pipe_internal.h"

// Data of LANES elements in registers: directors of both nodes, mean over the step and at its end.
struct configuration {
  struct lanes3 am[3], bm[3], a1[3], b1[3]; // directors: mean and end, lower and upper node
  struct lanes3 slope_m, slope_1;           // r', mean and end
  lanes l, inverse_l;
};

struct gradients {
  struct lanes3 t[3];       // of Gamma with respect to the positions, times l
  struct lanes3 a[3], b[3]; // of Gamma with respect to the rotations of lower and upper node
  struct lanes3 w[3]; // of Omega with respect to the rotation of the lower node; minus that for the upper
};

KERNEL_INLINE void load_configuration(struct configuration *c, const struct pipe_mesh *p,
                                      const struct pipe_work *w, int e) {
  struct lanes3 lower, upper, d;
  for (int k = 0; k < 3; k++) {
    L3_LOAD(c->a1[k], w->d0 + 3 * k, e);
    L3_LOAD(d, w->dd + 3 * k, e);
    c->am[k] = (struct lanes3)L3_AXPY(0.5, d, c->a1[k]);
    c->a1[k] = (struct lanes3)L3_ADD(c->a1[k], d);
    L3_LOAD(c->b1[k], w->d0 + 3 * k, e + 1);
    L3_LOAD(d, w->dd + 3 * k, e + 1);
    c->bm[k] = (struct lanes3)L3_AXPY(0.5, d, c->b1[k]);
    c->b1[k] = (struct lanes3)L3_ADD(c->b1[k], d);
  }

  lanes_load(&c->l, p->length_m + e);
  c->inverse_l = 1 / c->l;
  L3_LOAD(lower, w->dr_n, e);
  L3_LOAD(upper, w->dr_n, e + 1);
  d = (struct lanes3)L3_SUB(upper, lower);
  d = (struct lanes3)L3_SCALE(c->inverse_l, d);
  L3_LOAD(c->slope_1, w->slope0, e);
  c->slope_m = (struct lanes3)L3_AXPY(0.5, d, c->slope_1);
  c->slope_1 = (struct lanes3)L3_ADD(c->slope_1, d);
}

KERNEL_INLINE void strain_gradients(struct gradients *g, const struct lanes3 a[3], const struct lanes3 b[3],
                                    const struct lanes3 *slope, const lanes *inverse_l) {
  lanes half = 0.5 * *inverse_l;
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    struct lanes3 sum = L3_ADD(a[k], b[k]);
    g->t[k] = (struct lanes3)L3_SCALE(0.5, sum);
    struct lanes3 arm = L3_CROSS(a[k], *slope);
    g->a[k] = (struct lanes3)L3_SCALE(0.5, arm);
    arm = (struct lanes3)L3_CROSS(b[k], *slope);
    g->b[k] = (struct lanes3)L3_SCALE(0.5, arm);
    struct lanes3 one = L3_CROSS(a[n], b[m]);
    struct lanes3 two = L3_CROSS(a[m], b[n]);
    struct lanes3 both = L3_SUB(one, two);
    g->w[k] = (struct lanes3)L3_SCALE(half, both);
  }

  struct lanes3 c = L3_CROSS(a[0], b[0]);
  g->a[0] = (struct lanes3)L3_AXPY((-1.0 / 3), c, g->a[0]);
  g->b[0] = (struct lanes3)L3_AXPY((1.0 / 3), c, g->b[0]);
}

KERNEL_INLINE void material_part(struct stiffness_lanes *k, const struct gradients *m,
                                 const struct gradients *e, const lanes c[6], const lanes *l,
                                 const lanes *inverse_l) {
  for (int i = 0; i < 3; i++) {
    lanes s = c[i] * *inverse_l, minus = -c[i], plus = c[i], full = c[i] * *l;
    add_outer(&k->rr, &s, &m->t[i], &e->t[i]);
    add_outer(&k->r_a, &minus, &m->t[i], &e->a[i]);
    add_outer(&k->r_b, &minus, &m->t[i], &e->b[i]);
    add_outer(&k->a_r, &plus, &m->a[i], &e->t[i]);
    add_outer(&k->b_r, &plus, &m->b[i], &e->t[i]);
    add_outer(&k->aa, &full, &m->a[i], &e->a[i]);
    add_outer(&k->ab, &full, &m->a[i], &e->b[i]);
    add_outer(&k->ba, &full, &m->b[i], &e->a[i]);
    add_outer(&k->bb, &full, &m->b[i], &e->b[i]);
  }

  struct block_lanes bending = {0};

  for (int i = 0; i < 3; i++) {
    lanes full = c[3 + i] * *l;
    add_outer(&bending, &full, &m->w[i], &e->w[i]);
  }

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      k->aa.m[i][j] += bending.m[i][j];
      k->ab.m[i][j] -= bending.m[i][j];
      k->ba.m[i][j] -= bending.m[i][j];
      k->bb.m[i][j] += bending.m[i][j];
    }
}

// Geometric stiffness of the rotation of one node against itself (own), the other node (cross) and the
// positions (to_r). o_mean, o_end: directors of the other node. sign: +1 for the lower node, -1 for the
// upper.
KERNEL_INLINE void geometric_node(struct block_lanes *own, struct block_lanes *cross,
                                  struct block_lanes *to_r, const struct lanes3 mean[3],
                                  const struct lanes3 end[3], const struct lanes3 o_mean[3],
                                  const struct lanes3 o_end[3], const struct lanes3 *slope,
                                  const lanes stress[6], const lanes *l, const lanes *inverse_l,
                                  double sign) {
  struct lanes3 n = {0};
  lanes half_l = 0.5 * *l, trace = {0}, minus = -half_l, one = half_l;
  lanes m[3] = {stress[3] * *inverse_l * (0.5 * sign), stress[4] * *inverse_l * (0.5 * sign),
                stress[5] * *inverse_l * (0.5 * sign)};
  lanes shift = stress[0] / -3.0;
  struct lanes3 spread[3]; // for director j of the other node: sum over own k of coefficient(k, j) mean_k
  spread[0] = (struct lanes3)L3_SCALE(shift, mean[0]);
  spread[1] = (struct lanes3){{0}, {0}, {0}};
  spread[2] = spread[1];

  for (int k = 0; k < 3; k++) {
    int j = (k + 1) % 3, i = (k + 2) % 3;
    // Gradient to director k: stress_k r'/2 + m_j d_i - m_i d_j of the other node, for k = 1 minus stress_1
    // d_1 / 3.
    struct lanes3 g = L3_SCALE(0.5 * stress[k], *slope);
    g = (struct lanes3)L3_AXPY(m[j], o_mean[i], g);
    g = (struct lanes3)L3_AXPY(-m[i], o_mean[j], g);
    if (k == 0)
      g = (struct lanes3)L3_AXPY(shift, o_mean[0], g);
    add_outer(own, &one, &end[k], &g);
    trace = trace + L3_DOT(end[k], g);
    spread[i] = (struct lanes3)L3_AXPY(m[j], mean[k], spread[i]);
    spread[j] = (struct lanes3)L3_AXPY(-m[i], mean[k], spread[j]);
    n = (struct lanes3)L3_AXPY(stress[k], mean[k], n);
  }

  trace = trace * minus;
  add_identity(own, &trace);
  trace = (lanes){0};

  for (int k = 0; k < 3; k++) {
    add_outer(cross, &minus, &o_end[k], &spread[k]);
    trace = trace + L3_DOT(o_end[k], spread[k]);
  }

  trace = trace * half_l;
  add_identity(cross, &trace);
  add_hat(to_r, 0.25, &n);
}

KERNEL_CLONES
void pipe_element_tangents(const struct pipe_mesh *p, const struct pipe_work *w, double damping_over_h,
                           int first, double *const (*to)[LANES]) {
  struct configuration x;
  struct gradients mean, end;
  struct stiffness_lanes k = {0};
  lanes stress[6], c[6];
  load_configuration(&x, p, w, first);

  for (int i = 0; i < 6; i++) {
    lanes_load(&stress[i], w->stress[i] + first);
    lanes_load(&c[i], p->stiffness[i] + first);
    c[i] = c[i] * (0.5 + damping_over_h);
  }

  strain_gradients(&mean, x.am, x.bm, &x.slope_m, &x.inverse_l);
  strain_gradients(&end, x.a1, x.b1, &x.slope_1, &x.inverse_l);
  material_part(&k, &mean, &end, c, &x.l, &x.inverse_l);
  geometric_node(&k.aa, &k.ab, &k.a_r, x.am, x.a1, x.bm, x.b1, &x.slope_m, stress, &x.l, &x.inverse_l, 1);
  geometric_node(&k.bb, &k.ba, &k.b_r, x.bm, x.b1, x.am, x.a1, &x.slope_m, stress, &x.l, &x.inverse_l, -1);
  struct lanes3 na = {0}, nb = {0};

  for (int i = 0; i < 3; i++) {
    na = (struct lanes3)L3_AXPY(stress[i], x.a1[i], na);
    nb = (struct lanes3)L3_AXPY(stress[i], x.b1[i], nb);
  }

  add_hat(&k.r_a, 0.25, &na);
  add_hat(&k.r_b, 0.25, &nb);
  store_stiffness(to, &k);
}
