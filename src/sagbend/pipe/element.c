// Strains and internal forces of the element, and its tangent, for several elements at once.
//
// Directors t_k are interpolated linearly between the nodes i and j of an element. Means over the element:
//   t_k = (t_k,i + t_k,j)/2,  r' = (r_j - r_i)/l.
// Strains, all bilinear in directors and positions:
//   Gamma_1 = t_1 . r' - (2 + t_1,i . t_1,j)/3   (the mean of t_1h . (r' - t_1h) over the element)
//   Gamma_k = t_k . r',  k = 2, 3
//   Omega_1 = (t_3,i . t_2,j - t_2,i . t_3,j)/(2 l), and cyclic.
// minus the strains of the unstressed pipe (its curvature). The interpolated director is shorter than 1, by
// theta^2/8 in the middle. The second term of Gamma_1 accounts for that: an unstressed element spans the
// chord of its arc to order theta^4, where t_1 . r' - 1 would leave a false strain of theta^2/6. All strains
// are scalar products and therefore invariant under rotations.
//
// Over a step a bilinear strain changes by
//   change = (gradient at the mean configuration) . (changes),
// and each director by d1 - d0 = theta x mean(d) (Cayley). With the mean stress
//   C (strain0 + strain1)/2 + eta C (strain1 - strain0)/h
// the work of the internal forces is the change of elastic energy plus the structural loss, to rounding
// (compare Simo, Tarnow and Doblare 1995).
//
// Gradients of Gamma_k: to r_j, t_k / l; to a rotation of node a, d_k,a x r'/2 (for k = 1 minus c at i and
// plus c at j, c = t_1,i x t_1,j / 3). Gradients of Omega_k: w_k at i and -w_k at j,
//   w_1 = (t_3,i x t_2,j - t_2,i x t_3,j)/(2 l), and cyclic.
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/math/math.h"

static const double FOLD_CHORD_SHARE = 0.01; // of pipe_has_folded

KERNEL_INLINE void load_directors(struct lanes3 d[3], double *const fields[9], int i) {
  for (int k = 0; k < 3; k++)
    L3_LOAD(d[k], fields + 3 * k, i);
}

KERNEL_INLINE void mean_director(struct lanes3 *t, const struct lanes3 *a, const struct lanes3 *b) {
  *t = (struct lanes3){0.5 * (a->x + b->x), 0.5 * (a->y + b->y), 0.5 * (a->z + b->z)};
}

KERNEL_CLONES
void pipe_element_strains(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int e = 0; e < p->elements; e += LANES) {
    struct lanes3 a[3], b[3], lower, upper, t;
    lanes l, strain, rest;
    load_directors(a, w->d0, e);
    load_directors(b, w->d0, e + 1);
    L3_LOAD(lower, s->r_n, e);
    L3_LOAD(upper, s->r_n, e + 1);
    lanes_load(&l, p->length_m + e);
    lanes inverse_l = 1 / l;
    struct lanes3 slope = L3_SUB(upper, lower);
    slope = (struct lanes3)L3_SCALE(inverse_l, slope);
    L3_STORE(w->slope0, e, slope);
    for (int k = 0; k < 3; k++) {
      mean_director(&t, &a[k], &b[k]);
      strain = L3_DOT(t, slope);
      if (k == 0)
        strain = strain - (2 + L3_DOT(a[0], b[0])) / 3;
      lanes_load(&rest, p->rest_strain[k] + e);
      strain = strain - rest;
      lanes_store(w->strain0[k] + e, &strain);
      int m = (k + 1) % 3, n = (k + 2) % 3;
      strain = (L3_DOT(a[n], b[m]) - L3_DOT(a[m], b[n])) * (0.5 * inverse_l);
      lanes_load(&rest, p->rest_strain[3 + k] + e);
      strain = strain - rest;
      lanes_store(w->strain0[3 + k] + e, &strain);
    }
  }
}

// With c the cosine of half the angle between both t_1, an element without strain and shear has the chord
// l (1 + 2 c^2)/(3 c). Compared by squares, so that nothing here needs a root.
KERNEL_CLONES
int pipe_has_folded(const struct pipe_mesh *p, const struct pipe_work *w) {
  const double least = (1 - FOLD_CHORD_SHARE) * (1 - FOLD_CHORD_SHARE),
               most = (1 + FOLD_CHORD_SHARE) * (1 + FOLD_CHORD_SHARE);
  int found = 0;
  for (int e = 0; e < p->elements; e += LANES) {
    struct lanes3 a[3], b[3], slope;
    lanes stretch, rest;
    lane_mask own;
    load_directors(a, w->d0, e);
    load_directors(b, w->d0, e + 1);
    L3_LOAD(slope, w->slope0, e);
    lanes_load(&stretch, w->strain0[0] + e);
    lanes_load(&rest, p->rest_strain[0] + e);
    stretch = 1 + stretch + rest;
    lanes bend = L3_DOT(a[0], b[0]), twist = L3_DOT(a[1], b[1]) + L3_DOT(a[2], b[2]);
    lanes chord = 4.5 * (1 + bend) * L3_DOT(slope, slope), expected = stretch * (2 + bend);
    expected = expected * expected;
    lane_mask is_sound =
        (bend >= 0) & (twist >= 0) & (stretch > 0) & (chord >= least * expected) & (chord <= most * expected);
    lanes_within(&own, e, 0, p->elements - 1);
    own = own & ~is_sound;
    for (int lane = 0; lane < LANES && p->pipe->has_wire; lane++)
      if (e + lane < p->elements && pipe_is_wire(p, e + lane))
        own[lane] = 0; // a wire may fold, and its stretch is that of its chord
    found |= lanes_any(&own);
  }
  return found;
}

KERNEL_CLONES
void pipe_element_forces(const struct pipe_mesh *p, struct pipe_work *w, double damping_over_h) {
  const double beta = 0.5 + damping_over_h;
  for (int e = 0; e < p->elements; e += LANES) {
    struct lanes3 a[3], b[3], da[3], db[3], lower, upper, slope; // a, b: means over the step
    lanes l, c, strain0, change, stress[6];
    load_directors(a, w->d0, e);
    load_directors(b, w->d0, e + 1);
    load_directors(da, w->dd, e);
    load_directors(db, w->dd, e + 1);
    for (int k = 0; k < 3; k++) {
      a[k] = (struct lanes3)L3_AXPY(0.5, da[k], a[k]);
      b[k] = (struct lanes3)L3_AXPY(0.5, db[k], b[k]);
    }
    L3_LOAD(lower, w->dr_n, e);
    L3_LOAD(upper, w->dr_n, e + 1);
    L3_LOAD(slope, w->slope0, e);
    lanes_load(&l, p->length_m + e);
    lanes inverse_l = 1 / l, half_inverse_l = 0.5 * inverse_l;
    struct lanes3 slope_change = L3_SUB(upper, lower);
    slope_change = (struct lanes3)L3_SCALE(inverse_l, slope_change);
    slope = (struct lanes3)L3_AXPY(0.5, slope_change, slope);
    struct lanes3 force = {0}, on_a = {0}, on_b = {0};
    for (int k = 0; k < 3; k++) {
      struct lanes3 t, dt;
      mean_director(&t, &a[k], &b[k]);
      mean_director(&dt, &da[k], &db[k]);
      change = L3_DOT(t, slope_change) + L3_DOT(dt, slope);
      if (k == 0)
        change = change - (L3_DOT(da[0], b[0]) + L3_DOT(a[0], db[0])) / 3;
      lanes_store(w->strain_step[k] + e, &change);
      lanes_load(&strain0, w->strain0[k] + e);
      lanes_load(&c, p->stiffness[k] + e);
      stress[k] = c * (strain0 + beta * change);
      force = (struct lanes3)L3_AXPY(stress[k], t, force);
      int m = (k + 1) % 3, n = (k + 2) % 3;
      change = (L3_DOT(da[n], b[m]) + L3_DOT(a[n], db[m]) - L3_DOT(da[m], b[n]) - L3_DOT(a[m], db[n])) *
               half_inverse_l;
      lanes_store(w->strain_step[3 + k] + e, &change);
      lanes_load(&strain0, w->strain0[3 + k] + e);
      lanes_load(&c, p->stiffness[3 + k] + e);
      stress[3 + k] = c * (strain0 + beta * change);
    }
    for (int k = 0; k < 6; k++)
      lanes_store(w->stress[k] + e, &stress[k]);
    for (int k = 0; k < 3; k++) {
      struct lanes3 arm = L3_CROSS(a[k], slope);
      lanes weight = -0.5 * l * stress[k];
      on_a = (struct lanes3)L3_AXPY(weight, arm, on_a);
      arm = (struct lanes3)L3_CROSS(b[k], slope);
      on_b = (struct lanes3)L3_AXPY(weight, arm, on_b);
      int m = (k + 1) % 3, n = (k + 2) % 3;
      struct lanes3 one = L3_CROSS(a[n], b[m]);
      struct lanes3 two = L3_CROSS(a[m], b[n]);
      struct lanes3 both = L3_SUB(one, two);
      weight = 0.5 * stress[3 + k];
      on_a = (struct lanes3)L3_AXPY(-weight, both, on_a);
      on_b = (struct lanes3)L3_AXPY(weight, both, on_b);
    }
    struct lanes3 shift = L3_CROSS(a[0], b[0]);
    lanes weight = l * stress[0] / 3;
    on_a = (struct lanes3)L3_AXPY(weight, shift, on_a);
    on_b = (struct lanes3)L3_AXPY(-weight, shift, on_b);
    L3_STORE(w->force_n, e, force);
    L3_STORE(w->moment_lower, e, on_a);
    L3_STORE(w->moment_upper, e, on_b);
  }
}

// ------------------------------------------------------------
// Exact derivative of the element's forces over a step (element.c) with respect to the configuration at its
// end. Forces contain gradients at the mean configuration, changes of strain vary with gradients at the end,
// and mean directors vary by half:
//   K = l sum_k C_k beta  mean_gradient_k (end_gradient_k)'  +  l d(mean_gradient)' stress.
// phi is the spatial variation of a rotation at the end, d(d1) = phi x d1.

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
