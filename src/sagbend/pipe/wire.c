// Wires: elements whose stretch is that of their chord, so that they cannot get longer without force however
// they bend or twist. With r' = (r_j - r_i)/l, the energy of an element is
//   l EA (|r'| - 1)^2/2 + (2 EI/l) sum over both nodes of (|r'| - t_1 . r').
// The tension is a straight line of the chord, T = EA (|r'| - 1); in compression as in tension. The second
// term bends the chord against the axes of its nodes. The node between two wires has no other stiffness: its
// axis settles between both chords, which leaves EI phi^2/(l_a + l_b) of the angle phi between them, the
// bending of a wire with a curvature of 2 phi/(l_a + l_b). Where the wire meets a beam or a clamp, the axis
// is theirs: the wire is rigid there and carries at most 2 EI/l, or hinged without the term. Nodes keep no
// twist: a wire has no torsion.
//
// The axes of the nodes, in which drag, added mass and friction act, follow the chords with the rate
// sqrt(4 EI/(J l^2)), J the rotary inertia per length; pipe_wire_bending keeps it above PIPE_WIRE_TURN_RATE.
//
// The forces are those of sagbend/growing/growing.c, of an element that does not grow, for several wires at
// once; sagbend_pipe_wire_test compares them bit by bit.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"

// A node where the axis is not the wire's own: of another kind of element, or of what holds an end.
static int meets_a_beam(const struct pipe_mesh *p, int e, int upper) {
  const int neighbour = upper ? e + 1 : e - 1;
  if (neighbour < 0)
    return p->held_rotation;
  if (neighbour == p->elements)
    return p->top_rotation_attached;
  return !pipe_is_wire(p, neighbour);
}

int pipe_wire_is_hinged(const struct pipe_mesh *p, int e, int n) {
  return p->pipe->kind[p->type[e]].is_hinged && meets_a_beam(p, e, n);
}

void pipe_wire_kind(const struct pipe_mesh *p, int e, struct growing_element *x) {
  x->is_wire = pipe_is_wire(p, e);
  for (int n = 0; n < 2; n++)
    x->hinged[n] = x->is_wire && pipe_wire_is_hinged(p, e, n);
  if (x->is_wire)
    x->stiffness[4] = x->stiffness[5] = p->stiffness[4][e];
}

void pipe_wire_hold_twist(const struct pipe_mesh *p, int e, struct growing_element *x) {
  for (int n = 0; n < 2; n++)
    x->held_twist_nm[n] = x->is_wire ? p->stiffness[3][e] / p->length_m[e] : 0;
}

// What is a wire whose length is constant of the LANES elements from first on. 0: none.
static int own_wires(const struct pipe_mesh *p, int first, int end, lane_mask *own) {
  int count = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const int is_own = first + lane < end && pipe_is_wire(p, first + lane);
    (*own)[lane] = -is_own;
    count += is_own;
  }
  return count;
}

// 0 at the ends that are hinged, 1 at others: lower and upper.
static void free_ends(const struct pipe_mesh *p, int first, lanes is_rigid[2]) {
  is_rigid[0] = is_rigid[1] = (lanes){1, 1, 1, 1};
  for (int lane = 0; lane < LANES; lane++)
    for (int n = 0; n < 2 && first + lane < p->elements && p->pipe->kind[p->type[first + lane]].is_hinged;
         n++)
      is_rigid[n][lane] = !pipe_wire_is_hinged(p, first + lane, n);
}

// The strains are such that C strain is the tension, and that the energy is l sum C strain^2/2: those of
// bending, one for each node, have no sign.
KERNEL_CLONES
static void wire_strains(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         int first, const lane_mask *own) {
  struct lanes3 lower, upper, d;
  lanes l, old, rest, is_rigid[2], zero = {0};
  free_ends(p, first, is_rigid);
  L3_LOAD(lower, s->r_n, first);
  L3_LOAD(upper, s->r_n, first + 1);
  lanes_load(&l, p->length_m + first);
  lanes_load(&rest, p->rest_strain[0] + first);
  const lanes inverse_l = 1 / l;
  struct lanes3 slope = L3_SUB(upper, lower);
  slope = (struct lanes3)L3_SCALE(inverse_l, slope);
  lanes stretch = L3_DOT(slope, slope);
  lanes_sqrt(&stretch);
  lanes strain[6] = {stretch - 1 - rest, zero, zero, zero};
  for (int n = 0; n < 2; n++) {
    L3_LOAD(d, w->d0, first + n);
    const lanes minus = -stretch;
    const struct lanes3 off = L3_AXPY(minus, d, slope);
    strain[4 + n] = 2 * (L3_DOT(off, off)) / stretch;
    lanes_sqrt(&strain[4 + n]);
    strain[4 + n] = is_rigid[n] * (strain[4 + n] / l);
  }
  for (int k = 0; k < 6; k++) {
    lanes_load(&old, w->strain0[k] + first);
    lanes_select(&strain[k], own, &strain[k], &old);
    lanes_store(w->strain0[k] + first, &strain[k]);
  }
}

void pipe_wire_strains(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  w->wire_first = p->elements;
  w->wire_end = 0;
  int wires = 0;
  for (int first = 0; first < p->elements; first += LANES) {
    lane_mask own;
    const int count = own_wires(p, first, p->elements, &own);
    wires += count;
    if (count == 0)
      continue;
    w->wire_first = w->wire_end == 0 ? first : w->wire_first;
    w->wire_end = first + LANES;
    wire_strains(p, s, w, first, &own);
  }
  w->wires_alone = wires == p->elements;
}

// One end of LANES wires over a step.
struct wire_end {
  struct lanes3 mean[3], last[3];
  struct lanes3 pull, pull_last; // factor of the axis and of the damping
  lanes bend, damping;           // 2 EI/l^2, and the damping of t_k . c, k = 2, 3; 0 where it is hinged
  lanes changed[2];              // t_k . c
  lanes bent;                    // |c| - t_1 . c, sum of start and end
};

// LANES wires over a step; where there is none, nothing of it has a meaning.
struct wire {
  struct lanes3 change, mean, last; // of the chord
  struct lanes3 along, along_last;  // 2 mean/(|c_0| + |c_1|), c_1/|c_1|
  lanes l, inverse_l, size[2];
  lanes ends_pull; // both ends' share of the force along the chord
  struct wire_end end[2];
};

// |c| - t . c without loss of digits where both are parallel.
KERNEL_INLINE void bent_by(lanes *bent, const struct lanes3 *chord, const lanes *size,
                           const struct lanes3 *axis) {
  const lanes minus = -*size;
  const struct lanes3 off = L3_AXPY(minus, *axis, *chord);
  *bent = L3_DOT(off, off) / (2 * *size);
}

KERNEL_INLINE void load_end(struct wire *x, int n, const struct pipe_work *w, const struct lanes3 *start,
                            int i) {
  struct wire_end *end = &x->end[n];
  struct lanes3 d[3], change[3];
  lanes bent[2];
  for (int k = 0; k < 3; k++) {
    L3_LOAD(d[k], w->d0 + 3 * k, i);
    L3_LOAD(change[k], w->dd + 3 * k, i);
    end->mean[k] = (struct lanes3)L3_AXPY(0.5, change[k], d[k]);
    end->last[k] = (struct lanes3)L3_ADD(d[k], change[k]);
  }
  bent_by(&bent[0], start, &x->size[0], &d[0]);
  bent_by(&bent[1], &x->last, &x->size[1], &end->last[0]);
  end->bent = bent[0] + bent[1];
  end->pull = (struct lanes3)L3_SCALE(end->bend, end->mean[0]);
  end->pull_last = (struct lanes3)L3_SCALE(end->bend, end->last[0]);
  for (int k = 1; k < 3; k++) {
    end->changed[k - 1] = L3_DOT(end->mean[k], x->change) + (L3_DOT(change[k], x->mean));
    const lanes minus = -(end->damping * end->changed[k - 1]);
    end->pull = (struct lanes3)L3_AXPY(minus, end->mean[k], end->pull);
    end->pull_last = (struct lanes3)L3_AXPY(minus, end->last[k], end->pull_last);
  }
}

// The wires with the increments in w.
KERNEL_INLINE void load_wire(struct wire *x, const struct pipe_mesh *p, const struct pipe_state *s,
                             const struct pipe_work *w, double damping_over_h, int first) {
  struct lanes3 lower, upper;
  lanes bending, is_rigid[2];
  free_ends(p, first, is_rigid);
  L3_LOAD(lower, s->r_n, first);
  L3_LOAD(upper, s->r_n, first + 1);
  const struct lanes3 start = L3_SUB(upper, lower);
  L3_LOAD(lower, w->dr_n, first);
  L3_LOAD(upper, w->dr_n, first + 1);
  x->change = (struct lanes3)L3_SUB(upper, lower);
  x->mean = (struct lanes3)L3_AXPY(0.5, x->change, start);
  x->last = (struct lanes3)L3_ADD(start, x->change);
  x->size[0] = L3_DOT(start, start);
  x->size[1] = L3_DOT(x->last, x->last);
  lanes_sqrt(&x->size[0]);
  lanes_sqrt(&x->size[1]);
  lanes scale = 2 / (x->size[0] + x->size[1]);
  x->along = (struct lanes3)L3_SCALE(scale, x->mean);
  scale = 1 / x->size[1];
  x->along_last = (struct lanes3)L3_SCALE(scale, x->last);
  lanes_load(&x->l, p->length_m + first);
  lanes_load(&bending, p->stiffness[4] + first);
  x->inverse_l = 1 / x->l;
  const lanes twice = 2 * bending, bend = twice / (x->l * x->l),
              damping = damping_over_h * twice / (x->l * x->l * x->l);
  x->ends_pull = (is_rigid[0] + is_rigid[1]) * bend;
  for (int n = 0; n < 2; n++) {
    x->end[n].bend = is_rigid[n] * bend;
    x->end[n].damping = is_rigid[n] * damping;
    load_end(x, n, w, &start, first + n);
  }
}

// Stores where there is a wire.
KERNEL_INLINE void keep(double *at, const lane_mask *own, const lanes *value) {
  lanes old, kept;
  lanes_load(&old, at);
  lanes_select(&kept, own, value, &old);
  lanes_store(at, &kept);
}

KERNEL_INLINE void keep3(double *const fields[3], int i, const lane_mask *own, const struct lanes3 *value) {
  keep(fields[0] + i, own, &value->x);
  keep(fields[1] + i, own, &value->y);
  keep(fields[2] + i, own, &value->z);
}

// loss: by structural damping.
KERNEL_CLONES
static void wire_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        double damping_over_h, int first, const lane_mask *own, double loss[LANES]) {
  struct wire x;
  lanes c, rest, bending, zero = {0};
  load_wire(&x, p, s, w, damping_over_h, first);
  lanes_load(&c, p->stiffness[0] + first);
  lanes_load(&bending, p->stiffness[4] + first);
  lanes_load(&rest, p->rest_strain[0] + first);
  // |c_0| - l by squares would round no better: both are numbers of the size of the length.
  const lanes stretch = x.size[0] - x.l - x.l * rest, grown = L3_DOT(x.along, x.change);
  const lanes strained = x.inverse_l * grown, damping = damping_over_h * c * strained * x.l;
  lanes stress[6] = {(c * (stretch + 0.5 * grown) + damping) * x.inverse_l, zero, zero, zero};
  lanes lost = damping * strained;
  const lanes pull = stress[0] + x.ends_pull;
  struct lanes3 force = L3_SCALE(pull, x.along);
  for (int n = 0; n < 2; n++) {
    const struct wire_end *end = &x.end[n];
    force = (struct lanes3)L3_SUB(force, end->pull);
    const struct lanes3 moment = L3_CROSS(end->pull, x.mean);
    keep3(n ? w->moment_upper : w->moment_lower, first, own, &moment);
    for (int k = 0; k < 2; k++)
      lost = lost + end->damping * end->changed[k] * end->changed[k];
    // As a moment of bending, for the magnitude of the forces.
    stress[4 + n] = end->bend * end->bent * bending;
    lanes_sqrt(&stress[4 + n]);
  }
  keep3(w->force_n, first, own, &force);
  for (int k = 0; k < 6; k++) {
    keep(w->stress[k] + first, own, &stress[k]);
    keep(w->strain_step[k] + first, own, &zero);
  }
  lanes_store(loss, &lost);
}

void pipe_wire_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                      double damping_over_h) {
  w->wire_loss_j = 0;
  const int still = p->elements - w->growth.is_active;
  for (int first = w->wire_first; first < w->wire_end; first += LANES) {
    lane_mask own;
    double loss[LANES];
    if (!own_wires(p, first, still, &own))
      continue;
    wire_forces(p, s, w, damping_over_h, first, &own, loss);
    for (int lane = 0; lane < LANES; lane++)
      w->wire_loss_j += own[lane] ? loss[lane] : 0;
  }
}

// The forces contain gradients at the mean chord, and m = 2 mean(c)/(|c_0| + |c_1|) varies with the chord at
// the end by (I - m c_1'/|c_1|)/(|c_0| + |c_1|).
KERNEL_CLONES
void pipe_wire_tangents(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                        double damping_over_h, int first, int is_static, double *const (*to)[LANES]) {
  struct wire x;
  struct stiffness_lanes k = {0};
  lanes c, stress, twist;
  load_wire(&x, p, s, w, damping_over_h, first);
  lanes_load(&c, p->stiffness[0] + first);
  lanes_load(&stress, w->stress[0] + first);
  lanes_load(&twist, p->stiffness[3] + first);
  twist = twist / x.l;
  const lanes pull = (stress + x.ends_pull) / (x.size[0] + x.size[1]),
              rate = x.inverse_l * c * (0.5 + damping_over_h * x.l / x.l), along = rate - pull;
  add_outer(&k.rr, &along, &x.along, &x.along_last);
  add_identity(&k.rr, &pull);
  for (int n = 0; n < 2; n++) {
    const struct wire_end *end = &x.end[n];
    struct block_lanes *own = n ? &k.bb : &k.aa, *to_r = n ? &k.b_r : &k.a_r, *r_to = n ? &k.r_b : &k.r_a;
    const lanes diagonal = 0.5 * (L3_DOT(end->pull_last, x.mean)), minus_half = (lanes){0} - 0.5,
                minus = -end->damping;
    add_hat(r_to, -0.5, &end->pull_last);
    add_hat(to_r, -0.5, &end->pull);
    add_identity(own, &diagonal);
    add_outer(own, &minus_half, &end->pull_last, &x.mean);
    for (int d = 1; d < 3 && damping_over_h > 0; d++) {
      const struct lanes3 arm = L3_CROSS(end->mean[d], x.mean), arm_last = L3_CROSS(end->last[d], x.last);
      add_outer(&k.rr, &end->damping, &end->mean[d], &end->last[d]);
      add_outer(r_to, &minus, &end->mean[d], &arm_last);
      add_outer(to_r, &end->damping, &arm, &end->last[d]);
      add_outer(own, &end->damping, &arm, &arm_last);
    }
    if (is_static) {
      struct lanes3 axis;
      L3_LOAD(axis, w->d0, first + n);
      add_outer(own, &twist, &axis, &axis);
    }
  }
  store_stiffness(to, &k);
}

// ------------------------------------------------------------
// Stored energies of the pipe and the loss by structural damping.

KERNEL_CLONES
static double elastic(const struct pipe_mesh *p, double *const strain[6]) {
  lanes sum = {0};
  for (int e = 0; e < p->elements; e += LANES) {
    lanes density = {0}, c, x, length;
    for (int k = 0; k < 6; k++) {
      lanes_load(&c, p->stiffness[k] + e); // 0 in the padding
      lanes_load(&x, strain[k] + e);
      density += c * x * x;
    }
    lanes_load(&length, p->length_m + e);
    sum += length * density;
  }

  return 0.5 * lanes_sum(&sum);
}

KERNEL_CLONES
double pipe_kinetic(const struct pipe_mesh *p, const struct pipe_state *s) {
  lanes sum = {0};
  for (int i = 0; i < p->nodes; i += LANES) { // mass and inertia are 0 in the padding
    struct lanes3 v;
    lanes c, x, q[4];
    L3_LOAD(v, s->v_n, i);
    lanes_load(&c, p->mass_kg + i);
    sum += c * L3_DOT(v, v);
    for (int k = 0; k < 3; k++) {
      lanes_load(&c, p->inertia_kgm2[k] + i);
      lanes_load(&x, s->omega_t[k] + i);
      sum += c * x * x;
    }
    if (!p->pipe->has_kirchhoff && !p->pipe->has_morison)
      continue;
    for (int k = 0; k < 4; k++)
      lanes_load(&q[k], s->q_nt[k] + i);
    lanes_load(&c, p->axial_excess_kg + i);
    struct lanes3 axis = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]),
                          2 * (q[1] * q[3] - q[0] * q[2])};
    x = L3_DOT(axis, v);
    sum += c * x * x;
  }

  return 0.5 * lanes_sum(&sum);
}

struct pipe_energy pipe_energy_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                  struct pipe_work *w) {
  struct pipe_energy energy = {0, 0, 0, 0};
  if (p->nodes == 0)
    return energy;

  pipe_lay_out(p, s, w);
  energy.elastic_j = elastic(p, w->strain0);
  if (p->pipe->has_plastic)
    energy.elastic_j += pipe_plastic_energy(p, s);
  energy.kinetic_j = pipe_kinetic(p, s);

  for (int i = 0; i < p->nodes; i++) {
    energy.gravity_j += p->weight_n[i] * (p->pipe->depth_m - s->r_n[2][i]);
    energy.seabed_j +=
        p->contact_length_m[i] *
        (p->pipe->has_soil ? w->soil[i].energy_jpm : seabed_energy(&p->seabed[i], w->penetration_m[i]));
    for (int d = 0; d < 2 && p->pipe->has_friction; d++)
      energy.seabed_j += 0.5 * p->pipe->friction.stiffness_npm2 * p->contact_length_m[i] *
                         s->friction_elongation_m[d][i] * s->friction_elongation_m[d][i];
  }

  energy.gravity_j += pipe_waterline_energy(p, s);
  return energy;
}

double pipe_structural_loss(const struct pipe_mesh *p, const struct pipe_work *w, const struct pipe_step *k) {
  double loss = 2 * k->damping_over_h * elastic(p, w->strain_step);
  if (p->pipe->has_wire)
    loss += w->wire_loss_j;
  return w->growth.is_active ? loss + w->growth.loss_j : loss;
}

// ------------------------------------------------------------
// Inertia of a node whose mass along the axis t = t_1 differs from the mass across it because of the added
// mass. This is Kirchhoff's form; Morison's is in water.c.
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
