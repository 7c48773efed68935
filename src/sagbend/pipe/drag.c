// Dissipative flow of the pipe with positions frozen. The nodes are then independent (lumped masses) and the
// section frames fixed.
//   - Morison drag on the velocity relative to the water (Saefstroem 2009, eq. 5.34): m v' = -k |v_p| v_p for
//     the axial and the transverse part p, solved exactly: v(h) = v(0) / (1 + (k/m) |v(0)| h). The moving
//     water supplies the energy u . m dv through an energy port; the rest of the change of kinetic energy is
//     the loss, >= 0.
//   - Rotational damping J W' = -D W by the midpoint rule, with loss h D W_mean^2.
//   - Push of accelerating water: mass of the displaced water and added mass times du, for each part. The
//     first is the pressure gradient that accelerates the water (Froude-Krylov), the second the added mass on
//     the relative acceleration. As nothing moves, the change du over the flow gives the exact impulse
//     whatever the course of u; its work is impulse . mean velocity.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/waterline.h"

#include "sagbend/math/lanes.h"

// The nodes of LANES neighbours: their constants, axes and velocities.
struct drag_nodes {
  lanes m, m_axial, z;
  lanes wet; // share in the water
  struct lanes3 axis, v;
};

// Sums over the nodes, as in drag_account.
struct drag_sums {
  lanes drag_loss, current_work, inertia_work, waves_work;
};

KERNEL_INLINE void load_nodes(struct drag_nodes *n, const struct pipe_mesh *p, const struct pipe_state *s,
                              int i) {
  lanes w, x, y, z, excess;
  lanes_load(&n->m, p->mass_kg + i);
  lanes_load(&excess, p->axial_excess_kg + i);
  n->m_axial = n->m + excess;
  lanes_load(&n->z, s->r_n[2] + i);
  L3_LOAD(n->v, s->v_n, i);
  pipe_wet_shares(p, s, NULL, 0, i, &n->wet);
  lanes_load(&w, s->q_nt[0] + i), lanes_load(&x, s->q_nt[1] + i);
  lanes_load(&y, s->q_nt[2] + i), lanes_load(&z, s->q_nt[3] + i);
  n->axis = (struct lanes3){1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
}

// current_at for several depths: the current of the profile, before it is scaled and turned.
KERNEL_INLINE void profile_at(struct lanes3 *u, const struct current *current, const lanes *z) {
  const lanes zero = {0}, one = zero + 1;
  const vec3 *v = current->v_n;
  struct lanes3 at = {zero + v[0].x, zero + v[0].y, zero + v[0].z};
  struct lanes3 rise = {zero + (v[1].x - v[0].x), zero + (v[1].y - v[0].y), zero + (v[1].z - v[0].z)};
  lanes from = zero + current->z_m[0], width = zero + (current->z_m[1] - current->z_m[0]);
  for (int k = 1; k < current->count - 1; k++) {
    const lane_mask below = *z > current->z_m[k];
    const struct lanes3 next = {zero + v[k].x, zero + v[k].y, zero + v[k].z};
    const struct lanes3 next_rise = {zero + (v[k + 1].x - v[k].x), zero + (v[k + 1].y - v[k].y),
                                     zero + (v[k + 1].z - v[k].z)};
    const lanes next_from = zero + current->z_m[k],
                next_width = next_from * 0 + (current->z_m[k + 1] - current->z_m[k]);
    lanes_select(&at.x, &below, &next.x, &at.x), lanes_select(&at.y, &below, &next.y, &at.y);
    lanes_select(&at.z, &below, &next.z, &at.z);
    lanes_select(&rise.x, &below, &next_rise.x, &rise.x),
        lanes_select(&rise.y, &below, &next_rise.y, &rise.y);
    lanes_select(&rise.z, &below, &next_rise.z, &rise.z);
    lanes_select(&from, &below, &next_from, &from), lanes_select(&width, &below, &next_width, &width);
  }

  lanes share = (*z - from) / width;
  lane_mask outside = share < 0;
  lanes_select(&share, &outside, &zero, &share);
  outside = share > 1;
  lanes_select(&share, &outside, &one, &share);
  *u = (struct lanes3)L3_AXPY(share, rise, at);
}

KERNEL_INLINE void turned(struct lanes3 *to, const struct current_turn *turn, const struct lanes3 *u) {
  *to = (struct lanes3){turn->along * u->x - turn->across * u->y, turn->along * u->y + turn->across * u->x,
                        turn->along * u->z};
}

// v after drag in water with the velocity of the current and, unless NULL, that of the waves.
KERNEL_INLINE void drag_nodes(const struct pipe_mesh *p, struct drag_nodes *n, const struct lanes3 *current,
                              const struct lanes3 *waves, double step_s, int i, const lane_mask *own,
                              struct drag_sums *sums) {
  const lanes zero = {0};
  lanes coefficient, along_size;
  struct lanes3 u = *current;
  if (waves)
    u = (struct lanes3)L3_ADD(*current, *waves);
  struct lanes3 relative = L3_SUB(n->v, u);
  lanes along = L3_DOT(n->axis, relative), minus = -along;
  struct lanes3 across = L3_AXPY(minus, n->axis, relative);
  lanes speed = L3_DOT(across, across);
  lanes_sqrt(&speed);
  lanes_load(&coefficient, p->drag_transverse + i);
  coefficient = coefficient * n->wet;
  lanes keep_across = 1 / (1 + coefficient / n->m * speed * step_s);
  lanes_load(&coefficient, p->drag_axial + i);
  lanes_abs(&along_size, &along);
  coefficient = coefficient * n->wet;
  lanes keep_along = 1 / (1 + coefficient / n->m_axial * along_size * step_s);
  lanes loss = 0.5 * n->m * (1 - keep_across * keep_across) * speed * speed +
               0.5 * n->m_axial * (1 - keep_along * keep_along) * along * along;
  lanes_select(&loss, own, &loss, &zero);
  sums->drag_loss += loss;

  along = keep_along * along;
  struct lanes3 after = L3_SCALE(keep_across, across);
  after = (struct lanes3)L3_AXPY(along, n->axis, after);
  after = (struct lanes3)L3_ADD(u, after);
  struct lanes3 change = L3_SUB(after, n->v);
  along = (n->m_axial - n->m) * L3_DOT(n->axis, change);
  struct lanes3 impulse = L3_SCALE(n->m, change);
  impulse = (struct lanes3)L3_AXPY(along, n->axis, impulse);
  lanes work = L3_DOT(*current, impulse);
  lanes_select(&work, own, &work, &zero);
  sums->current_work += work;
  if (waves) {
    work = L3_DOT(*waves, impulse);
    lanes_select(&work, own, &work, &zero);
    sums->waves_work += work;
  }
  n->v = after;
}

// v after the push of water whose velocity changes by du.
KERNEL_INLINE void push_nodes(const struct pipe_mesh *p, struct drag_nodes *n, const struct lanes3 *du, int i,
                              const lane_mask *own, struct drag_sums *sums) {
  const lanes zero = {0};
  lanes water_along, water_across;
  lanes_load(&water_along, p->water_kg[0] + i), lanes_load(&water_across, p->water_kg[1] + i);
  water_along = water_along * n->wet, water_across = water_across * n->wet;
  lanes along = L3_DOT(n->axis, *du), minus = -along;
  struct lanes3 across = L3_AXPY(minus, n->axis, *du);
  struct lanes3 impulse = L3_SCALE(water_across, across);
  lanes share = water_along * along;
  impulse = (struct lanes3)L3_AXPY(share, n->axis, impulse);
  share = water_across / n->m;
  struct lanes3 change = L3_SCALE(share, across);
  share = water_along / n->m_axial * along;
  change = (struct lanes3)L3_AXPY(share, n->axis, change);
  struct lanes3 mean = L3_AXPY(0.5, change, n->v);
  lanes work = L3_DOT(impulse, mean);
  lanes_select(&work, own, &work, &zero);
  sums->inertia_work += work;
  n->v = (struct lanes3)L3_ADD(n->v, change);
}

KERNEL_CLONES
static void drag_on_pipe(const struct pipe_mesh *p, struct pipe_state *s, double step_s,
                         const struct current *current, const struct current_span *span,
                         double *const waves_n[3], int reversed, struct drag_account *account) {
  struct drag_sums sums = {{0}, {0}, {0}, {0}};
  const int pushed = span->change.along != 0 || span->change.across != 0;
  const int first = p->held_position ? 1 : 0;
  const int last = p->top_attached || p->top_moved ? p->nodes - 2 : p->nodes - 1;
  for (int i = 0; i <= last; i += LANES) {
    struct drag_nodes n;
    struct lanes3 profile, u, du, before, waves;
    lane_mask own;
    load_nodes(&n, p, s, i);
    lanes_within(&own, i, first, last);
    before = n.v;
    profile_at(&profile, current, &n.z);
    turned(&u, &span->middle, &profile);
    turned(&du, &span->change, &profile);
    if (pushed && !reversed)
      push_nodes(p, &n, &du, i, &own, &sums);
    if (waves_n)
      L3_LOAD(waves, waves_n, i);
    drag_nodes(p, &n, &u, waves_n ? &waves : NULL, step_s, i, &own, &sums);
    if (pushed && reversed)
      push_nodes(p, &n, &du, i, &own, &sums);
    lanes_select(&n.v.x, &own, &n.v.x, &before.x);
    lanes_select(&n.v.y, &own, &n.v.y, &before.y);
    lanes_select(&n.v.z, &own, &n.v.z, &before.z);
    L3_STORE(s->v_n, i, n.v);
  }
  account->drag_loss_j += lanes_sum(&sums.drag_loss);
  account->current_work_j += lanes_sum(&sums.current_work);
  account->inertia_work_j += lanes_sum(&sums.inertia_work);
  account->waves_work_j += lanes_sum(&sums.waves_work);
}

KERNEL_CLONES
static double damp_rotation(const struct pipe_mesh *p, struct pipe_state *s, double step_s) {
  const lanes zero = {0};
  const int first = p->held_rotation ? 1 : 0;
  const int last = p->top_rotation_attached ? p->nodes - 2 : p->nodes - 1;
  lanes sum = zero;
  for (int i = 0; i <= last; i += LANES) {
    lane_mask own;
    lanes_within(&own, i, first, last);
    for (int c = 0; c < 3; c++) {
      lanes damping, inertia, omega;
      lanes_load(&damping, p->rotational_damping[c] + i);
      lanes_load(&inertia, p->inertia_kgm2[c] + i);
      lanes_load(&omega, s->omega_t[c] + i);
      lanes mean = omega / (1 + 0.5 * step_s * damping / inertia);
      lanes loss = step_s * damping * mean * mean, after = 2 * mean - omega;
      lanes_select(&loss, &own, &loss, &zero);
      lanes_select(&after, &own, &after, &omega);
      lanes_store(s->omega_t[c] + i, &after);
      sum += loss;
    }
  }
  return lanes_sum(&sum);
}

void pipe_drag_flow(const struct pipe_mesh *p, struct pipe_state *s, double step_s,
                    const struct current *current, const struct current_span *span, double *const waves_n[3],
                    int reversed, struct drag_account *account) {
  drag_on_pipe(p, s, step_s, current, span, waves_n, reversed, account);
  account->rotation_loss_j += damp_rotation(p, s, step_s);
}
