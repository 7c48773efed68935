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
