// Inertia of the nodes in a conservative step: translation, rotation, and an added mass along the axis that
// differs from that across it, in the forms of Kirchhoff and of Morison.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"

// ------------------------------------------------------------
// Inertia of a node whose mass along the axis t = t_1 differs from the mass across it because of the added
// mass, in Kirchhoff's form.
//   M = m I + c t t',   kinetic energy 1/2 p' M^-1 p = p^2/(2 m) + 1/2 e s^2,
//   s = t . p,   e = -c / (m (m + c)).
// s is bilinear in director and momentum, so that the rule for strains (element.c) applies here too. With the
// means
//   dr/h = p_m/m + e s_m t_m,   (p1 - p0)/h = force,   spin:  moment - e s_m t_m x p_m,
// the kinetic energy changes exactly by force . dr + moment . theta, and r x p plus spin is conserved
// exactly. Solved for p_m, with t_m the mean director, t_1 the director at the end and dt its change over the
// step:
//   p_m/m + e (t_1 . p_m) t_m = b,   b = dr/h + e/2 (dt . p0) t_m   (Sherman-Morrison).

// Of LANES nodes. Where the mass is the same along and across, every member is finite, and the callers keep
// the isotropic result.
struct axial_motion {
  lane_mask differs; // c is not 0
  lanes m, e, k;     // k = e m
  struct lanes3 t_end, t_mean, dt, p0;
  struct lanes3 b, p_mean;
  lanes g, d, s_mean; // t_1 . b, 1 + k t_1 . t_m, mean of t . p
};

KERNEL_INLINE void axial_motion_of(struct axial_motion *x, const struct pipe_mesh *p,
                                   const struct pipe_state *s, const struct pipe_work *w, double inverse_h,
                                   int i) {
  const lanes one = (lanes){0} + 1;
  lanes c, a;
  struct lanes3 t0, v0, dr;
  lanes_load(&c, p->kirchhoff_kg + i);
  lanes_load(&x->m, p->mass_kg + i);
  x->differs = c != 0;
  lanes_select(&x->m, &x->differs, &x->m, &one);
  L3_LOAD(t0, w->d0, i);
  L3_LOAD(v0, s->v_n, i);
  L3_LOAD(dr, w->dr_n, i);
  L3_LOAD(x->dt, w->dd, i);
  x->k = -c / (x->m + c);
  x->e = x->k / x->m;
  x->t_mean = (struct lanes3)L3_AXPY(0.5, x->dt, t0);
  x->t_end = (struct lanes3)L3_ADD(t0, x->dt);
  a = c * L3_DOT(t0, v0);
  x->p0 = (struct lanes3)L3_SCALE(x->m, v0);
  x->p0 = (struct lanes3)L3_AXPY(a, t0, x->p0);
  a = 0.5 * x->e * L3_DOT(x->dt, x->p0);
  x->b = (struct lanes3)L3_SCALE(inverse_h, dr);
  x->b = (struct lanes3)L3_AXPY(a, x->t_mean, x->b);
  x->g = L3_DOT(x->t_end, x->b);
  x->d = 1 + x->k * L3_DOT(x->t_end, x->t_mean);
  a = -x->k * x->g / x->d;
  x->p_mean = (struct lanes3)L3_AXPY(a, x->t_mean, x->b);
  x->p_mean = (struct lanes3)L3_SCALE(x->m, x->p_mean);
  x->s_mean = L3_DOT(x->t_end, x->p_mean) - 0.5 * L3_DOT(x->dt, x->p0);
}

KERNEL_INLINE void select3(struct lanes3 *to, const lane_mask *mask, const struct lanes3 *a,
                           const struct lanes3 *b) {
  lanes_select(&to->x, mask, &a->x, &b->x);
  lanes_select(&to->y, mask, &a->y, &b->y);
  lanes_select(&to->z, mask, &a->z, &b->z);
}

KERNEL_CLONES
void pipe_axial_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_step *k) {
  const double twice_h = 2 * k->inverse_h;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct axial_motion x;
    struct lanes3 dr, v0, force, moment, changed;
    axial_motion_of(&x, p, s, w, k->inverse_h, i);
    L3_LOAD(dr, w->dr_n, i);
    L3_LOAD(v0, s->v_n, i);
    lanes by_dr = x.m * k->mass_dr, by_v = x.m * k->mass_v;
    dr = (struct lanes3)L3_SCALE(by_dr, dr);
    v0 = (struct lanes3)L3_SCALE(by_v, v0);
    struct lanes3 isotropic = L3_SUB(dr, v0);
    struct lanes3 change = L3_SUB(x.p_mean, x.p0);
    change = (struct lanes3)L3_SCALE(twice_h, change);
    change = (struct lanes3)L3_SUB(change, isotropic);
    L3_LOAD(force, w->residual, i);
    changed = (struct lanes3)L3_ADD(force, change);
    select3(&force, &x.differs, &changed, &force);
    L3_STORE(w->residual, i, force);

    struct lanes3 spin = L3_CROSS(x.t_mean, x.p_mean);
    lanes share = x.e * x.s_mean;
    L3_LOAD(moment, w->residual + 3, i);
    changed = (struct lanes3)L3_AXPY(share, spin, moment);
    select3(&moment, &x.differs, &changed, &moment);
    L3_STORE(w->residual + 3, i, moment);
  }
}

// Velocity at the end of a step for momentum along the axis and across it.
KERNEL_INLINE void axial_velocity(struct lanes3 *v, const struct axial_motion *x) {
  struct lanes3 p1 = {2 * x->p_mean.x - x->p0.x, 2 * x->p_mean.y - x->p0.y, 2 * x->p_mean.z - x->p0.z};
  lanes share = x->e * L3_DOT(x->t_end, p1), inverse = 1 / x->m;
  *v = (struct lanes3)L3_SCALE(inverse, p1);
  *v = (struct lanes3)L3_AXPY(share, x->t_end, *v);
}

KERNEL_CLONES
void pipe_commit_velocities(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                            double step_s) {
  const double twice_h = 2 / step_s, inverse_h = 1 / step_s;
  const int is_kirchhoff = p->pipe->has_kirchhoff;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 dr, theta, v, d;
    L3_LOAD(dr, w->dr_n, i);
    L3_LOAD(theta, w->theta_n, i);
    L3_LOAD(v, s->v_n, i);
    v = (struct lanes3){twice_h * dr.x - v.x, twice_h * dr.y - v.y, twice_h * dr.z - v.z};
    if (is_kirchhoff) {
      struct axial_motion x;
      struct lanes3 turning;
      axial_motion_of(&x, p, s, w, inverse_h, i);
      axial_velocity(&turning, &x);
      select3(&v, &x.differs, &turning, &v);
    }
    L3_STORE(s->v_n, i, v);
    for (int c = 0; c < 3; c++) {
      lanes omega;
      L3_LOAD(d, w->d0 + 3 * c, i);
      lanes_load(&omega, s->omega_t[c] + i);
      omega = twice_h * L3_DOT(d, theta) - omega;
      lanes_store(s->omega_t[c] + i, &omega);
    }
  }
}

// The diagonal blocks of LANES nodes, column by column.
struct node_blocks {
  lanes m[BLOCK_SIZE];
};

// Puts s u v' + diagonal I at this row and column.
KERNEL_INLINE void put_outer(struct node_blocks *block, int row, int column, const lanes *s,
                             const struct lanes3 *u, const struct lanes3 *v, const lanes *diagonal) {
  const lanes left[3] = {*s * u->x, *s * u->y, *s * u->z}, right[3] = {v->x, v->y, v->z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      lanes product = left[i] * right[j];
      block->m[block_at(row + i, column + j)] = i == j ? product + *diagonal : product;
    }
}

// Adds s hat(v) at this row and column.
KERNEL_INLINE void add_lanes_hat(struct node_blocks *block, int row, int column, const lanes *s,
                                 const struct lanes3 *v) {
  const lanes x = *s * v->x, y = *s * v->y, z = *s * v->z;
  block->m[block_at(row, column + 1)] -= z, block->m[block_at(row, column + 2)] += y;
  block->m[block_at(row + 1, column)] += z, block->m[block_at(row + 1, column + 2)] -= x;
  block->m[block_at(row + 2, column)] -= y, block->m[block_at(row + 2, column + 1)] += x;
}

// Translational inertia: the mass.
KERNEL_INLINE void mass_tangent(struct node_blocks *block, const struct pipe_mesh *p,
                                const struct pipe_step *k, int i) {
  lanes mass;
  lanes_load(&mass, p->mass_kg + i);
  for (int n = 0; n < BLOCK_SIZE; n++)
    block->m[n] = (lanes){0};
  for (int c = 0; c < 3; c++)
    block->m[block_at(c, c)] = mass * k->mass_dr;
}

// The same where the added mass differs along and across the axis: variation of force 2/h dp_m and moment
// e d(s_m t_m x p_m) for a displacement dr and a spatial rotation phi at the end, dt_1 = phi x t_1, dt_m =
// dt_1/2. By dr, dp_m = m/h (I - k/d t_m t_1') dr. By phi,
//   dp_m = m (t_m A' phi + B/2 phi x t_1),   d(s_m) = S . phi,   B = e/2 dt . p0 - k g/d,
//   A = e/2 t_1 x p0 - k/d [t_1 x b + e/2 (t_1 . t_m) t_1 x p0 - k g/d t_1 x t_m],
//   S = t_1 x p_m + m (t_1 . t_m) A - 1/2 t_1 x p0,
// and with phi x t_1 = -hat(t_1) phi the moment is
//   e {s_m/2 [t_1 (p_m - m B t_m)' + (m B t_1 . t_m - t_1 . p_m) I] + (t_m x p_m) S'} phi.
KERNEL_INLINE void axial_tangent(struct node_blocks *block, const struct pipe_mesh *p,
                                 const struct pipe_state *s, const struct pipe_work *w,
                                 const struct pipe_step *k, int i) {
  struct axial_motion x;
  const lanes zero = {0};
  lanes mass;
  axial_motion_of(&x, p, s, w, k->inverse_h, i);
  lanes_load(&mass, p->mass_kg + i);

  const lanes share = x.k / x.d, both = L3_DOT(x.t_end, x.t_mean), half_e = 0.5 * x.e;
  const lanes by_dr = x.m * k->inverse_h, minus_share = -share;
  const struct lanes3 by_p0 = L3_CROSS(x.t_end, x.p0), by_b = L3_CROSS(x.t_end, x.b);
  const struct lanes3 by_mean = L3_CROSS(x.t_end, x.t_mean), by_p = L3_CROSS(x.t_end, x.p_mean);
  const struct lanes3 spin = L3_CROSS(x.t_mean, x.p_mean);
  const lanes of_p0 = half_e * (1 - share * both), of_mean = share * share * x.g, of_a = x.m * both;
  const lanes b = half_e * L3_DOT(x.dt, x.p0) - share * x.g, m_b = x.m * b;
  const lanes minus_half = zero - 0.5, minus_m_b = -m_b;
  struct lanes3 a = L3_SCALE(of_p0, by_p0);
  a = (struct lanes3)L3_AXPY(minus_share, by_b, a);
  a = (struct lanes3)L3_AXPY(of_mean, by_mean, a);
  struct lanes3 ds = L3_AXPY(of_a, a, by_p);
  ds = (struct lanes3)L3_AXPY(minus_half, by_p0, ds);

  const double twice_h = 2 * k->inverse_h;
  lanes scale = -(twice_h * by_dr * share), isotropic = mass * k->mass_dr, diagonal = twice_h * by_dr;
  lanes_select(&diagonal, &x.differs, &diagonal, &isotropic);
  put_outer(block, 0, 0, &scale, &x.t_mean, &x.t_end, &diagonal);

  scale = twice_h * x.m, diagonal = zero;
  put_outer(block, 0, 3, &scale, &x.t_mean, &a, &diagonal);
  scale = -k->inverse_h * m_b;
  add_lanes_hat(block, 0, 3, &scale, &x.t_end);

  scale = x.e * by_dr * (1 - share * both);
  put_outer(block, 3, 0, &scale, &spin, &x.t_end, &diagonal);
  scale = x.e * x.s_mean * by_dr;
  add_lanes_hat(block, 3, 0, &scale, &x.t_mean);

  const lanes half_turn = half_e * x.s_mean;
  diagonal = half_turn * (m_b * both - L3_DOT(x.t_end, x.p_mean));
  put_outer(block, 3, 3, &x.e, &spin, &ds, &diagonal);
  const struct lanes3 lever = L3_AXPY(minus_m_b, x.t_mean, x.p_mean);
  const lanes left[3] = {half_turn * x.t_end.x, half_turn * x.t_end.y, half_turn * x.t_end.z};
  const lanes right[3] = {lever.x, lever.y, lever.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      block->m[block_at(3 + r, 3 + c)] += left[r] * right[c];
}

// Rotary inertia: d(R1 J W1) = phi x (R1 J W1) + R1 J (2/h) R0' dcay^-1(theta) phi.
KERNEL_INLINE void rotary_tangent(struct node_blocks *block, const struct pipe_mesh *p,
                                  const struct pipe_state *s, const struct pipe_work *w,
                                  const struct pipe_step *k, int i) {
  const double twice_h = 2 * k->inverse_h, twice_h2 = 2 * k->inverse_h * k->inverse_h;
  struct lanes3 theta, momentum = {{0}, {0}, {0}};
  lanes sum[3][3] = {{{0}}};
  L3_LOAD(theta, w->theta_n, i);
  for (int c = 0; c < 3; c++) {
    struct lanes3 d0, d1;
    lanes inertia, omega0;
    L3_LOAD(d0, w->d0 + 3 * c, i);
    L3_LOAD(d1, w->dd + 3 * c, i);
    d1 = (struct lanes3)L3_ADD(d0, d1);
    lanes_load(&inertia, p->inertia_kgm2[c] + i);
    lanes_load(&omega0, s->omega_t[c] + i);
    lanes omega1 = twice_h * (L3_DOT(d0, theta)) - omega0, spin = inertia * omega1;
    momentum = (struct lanes3)L3_AXPY(spin, d1, momentum);
    // Row vector d0' (I - hat(theta)/2 + theta theta'/4).
    struct lanes3 row = L3_CROSS(theta, d0);
    lanes along = 0.25 * (L3_DOT(d0, theta)), scale = twice_h2 * inertia;
    row = (struct lanes3)L3_AXPY(0.5, row, d0);
    row = (struct lanes3)L3_AXPY(along, theta, row);
    const lanes left[3] = {scale * d1.x, scale * d1.y, scale * d1.z}, right[3] = {row.x, row.y, row.z};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        sum[a][b] += left[a] * right[b];
  }

  momentum = (struct lanes3)L3_SCALE(-k->inverse_h, momentum);
  const lanes x = momentum.x, y = momentum.y, z = momentum.z, zero = {0};
  const lanes hat[3][3] = {{zero, -z, y}, {z, zero, -x}, {-y, x, zero}};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      block->m[block_at(3 + a, 3 + b)] += sum[a][b] + hat[a][b];
}

KERNEL_INLINE void add_blocks(double *const to[LANES], const struct node_blocks *block) {
  for (int n = 0; n < BLOCK_SIZE; n += LANES) {
    lanes part[LANES] = {block->m[n], block->m[n + 1], block->m[n + 2], block->m[n + 3]}, sum;
    lanes_transpose(part);
    for (int i = 0; i < LANES; i++) {
      lanes_load(&sum, to[i] + n);
      sum = sum + part[i];
      lanes_store(to[i] + n, &sum);
    }
  }
}

KERNEL_CLONES
void pipe_inertia_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) {
  struct node_blocks block;
  if (p->pipe->has_kirchhoff)
    axial_tangent(&block, p, s, w, k, first);
  else
    mass_tangent(&block, p, k, first);
  rotary_tangent(&block, p, s, w, k, first);
  add_blocks(to, &block);
}
// ------------------------------------------------------------
// Added mass as in the industry's codes, after Morison, O'Brien, Johnson and Schaaf 1950: water at rest
// pushes a node with minus the added mass along and across the section, times the acceleration of the node
// along and across it. A pipe that turns does not turn the momentum of the water with it. M = m I + c t t' as
// above, but
//   M(t) dv/dt = force     instead of     d(M(t) v)/dt = force and a moment -(t . v) c t x v.
// Over a step, with M_m = (M0 + M1)/2 and v1 = 2 dr/h - v0:
//   M_m (v1 - v0)/h = force.
// Then force . dr = (v1' M_m v1 - v0' M_m v0)/2. The stored energy v' M v/2 changes by more than that, by
//   (v1' (M1 - M0) v1 + v0' (M1 - M0) v0)/4 = c/2 sum over v0 and v1 of (dt . v)(t_m . v),
// dt the change of the axis over the step, t_m its mean: half of v' (dM/dt) v, of either sign. This is the
// energy port added_mass. With the mean of M the step is its own adjoint and stays of second order.

// Of LANES nodes.
struct turning {
  lanes c; // 0 where the inertia has not this form
  lane_mask differs;
  struct lanes3 start, end;   // axis
  struct lanes3 acceleration; // (v1 - v0)/h
};

KERNEL_INLINE void turning_of(struct turning *x, const struct pipe_mesh *p, const struct pipe_state *s,
                              const struct pipe_work *w, const struct pipe_step *k, int i) {
  struct lanes3 dr, v0, dt;
  lanes excess, kirchhoff;
  lanes_load(&excess, p->axial_excess_kg + i);
  lanes_load(&kirchhoff, p->kirchhoff_kg + i);
  x->c = excess - kirchhoff;
  x->differs = x->c != 0;
  L3_LOAD(x->start, w->d0, i);
  L3_LOAD(dt, w->dd, i);
  L3_LOAD(dr, w->dr_n, i);
  L3_LOAD(v0, s->v_n, i);
  x->end = (struct lanes3)L3_ADD(x->start, dt);
  dr = (struct lanes3)L3_SCALE(k->mass_dr, dr);
  v0 = (struct lanes3)L3_SCALE(k->mass_v, v0);
  x->acceleration = (struct lanes3)L3_SUB(dr, v0);
}

KERNEL_CLONES
void pipe_morison_inertia(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                          const struct pipe_step *k) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct turning x;
    struct lanes3 force;
    turning_of(&x, p, s, w, k, i);
    const lanes at_start = 0.5 * x.c * (L3_DOT(x.start, x.acceleration)),
                at_end = 0.5 * x.c * (L3_DOT(x.end, x.acceleration));
    L3_LOAD(force, w->residual, i);
    struct lanes3 pushed = L3_AXPY(at_start, x.start, force);
    pushed = (struct lanes3)L3_AXPY(at_end, x.end, pushed);
    lanes_select(&force.x, &x.differs, &pushed.x, &force.x);
    lanes_select(&force.y, &x.differs, &pushed.y, &force.y);
    lanes_select(&force.z, &x.differs, &pushed.z, &force.z);
    L3_STORE(w->residual, i, force);
  }
}

// Adds the rows 0 to 2 of a column to the blocks of those nodes whose mass differs; -0 changes no number, not
// even the sign of a zero.
KERNEL_INLINE void add_column(double *const to[LANES], int column, const lane_mask *own,
                              const lanes rows[3]) {
  const lanes nothing = {-0.0, -0.0, -0.0, -0.0};
  lanes part[LANES] = {rows[0], rows[1], rows[2], nothing}, sum;
  for (int r = 0; r < 3; r++)
    lanes_select(&part[r], own, &part[r], &nothing);
  lanes_transpose(part);
  for (int n = 0; n < LANES; n++) {
    double *at = to[n] + block_at(0, column);
    lanes_load(&sum, at);
    sum = sum + part[n];
    lanes_store(at, &sum);
  }
}

KERNEL_CLONES
void pipe_morison_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int first, double *const to[LANES]) {
  struct turning x;
  turning_of(&x, p, s, w, k, first);
  if (!lanes_any(&x.differs))
    return;
  const lanes half = 0.5 * x.c, moved = half * k->mass_dr, along = half * (L3_DOT(x.end, x.acceleration)),
              zero = {0};
  const struct lanes3 t = x.end, spin = L3_CROSS(x.end, x.acceleration);
  const lanes start[3] = {x.start.x, x.start.y, x.start.z}, end[3] = {t.x, t.y, t.z},
              by_turn[3] = {half * spin.x, half * spin.y, half * spin.z};
  // The end axis, turned about x, y and z.
  const lanes turned[3][3] = {{zero, -t.z, t.y}, {t.z, zero, -t.x}, {-t.y, t.x, zero}};
  for (int j = 0; j < 3; j++) {
    const lanes from_start = moved * start[j], from_end = moved * end[j];
    lanes move[3], turn[3];
    for (int r = 0; r < 3; r++) {
      move[r] = from_start * start[r] + from_end * end[r];
      turn[r] = along * turned[j][r] + by_turn[j] * end[r];
    }
    add_column(to, j, &x.differs, move);
    add_column(to, 3 + j, &x.differs, turn);
  }
}

static double of_node(const struct pipe_mesh *p, int i) {
  return p->axial_excess_kg[i] - p->kirchhoff_kg[i];
}

double pipe_morison_work(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_step *k) {
  double work = 0;
  if (!p->pipe->has_morison || k->inverse_h == 0)
    return 0;

  for (int i = 0; i < p->nodes; i++) {
    vec3 dt = pipe_get3(w->dd, i), middle = vec3_axpy(0.5, dt, pipe_get3(w->d0, i)),
         v0 = pipe_get3(s->v_n, i);
    vec3 v1 = vec3_sub(vec3_scale(2 * k->inverse_h, pipe_get3(w->dr_n, i)), v0);
    work += 0.5 * of_node(p, i) *
            (vec3_dot(dt, v0) * vec3_dot(middle, v0) + vec3_dot(dt, v1) * vec3_dot(middle, v1));
  }

  return work;
}
