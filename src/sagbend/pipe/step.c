// The pipe in a conservative step: balance of inertia, internal forces, weight and seabed at the nodes, and
// its tangent. Per node, with increments dr and theta and the angular velocity W in the section frame:
//   v1 = 2 dr/h - v0,   W1 = 2 R0' theta/h - W0,
//   m (v1 - v0)/h = forces,   (R1 J W1 - R0 J W0)/h = moments.
// The kinetic energy then changes exactly by forces . dr + moments . theta.
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/blocktri/blocktri.h"
#include "sagbend/ground/ground.h"
#include "sagbend/math/math.h"

#include <string.h>

// Directors of the state.
KERNEL_CLONES
static void lay_out_directors(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i += LANES) {
    lanes q[4];
    for (int k = 0; k < 4; k++)
      lanes_load(&q[k], s->q_nt[k] + i);
    lanes xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
    lanes xy = q[1] * q[2], xz = q[1] * q[3], yz = q[2] * q[3];
    lanes wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
    const struct lanes3 t[3] = {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
                                {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
                                {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
    for (int k = 0; k < 3; k++)
      L3_STORE(w->d0 + 3 * k, i, t[k]);
  }
}

void pipe_lay_out(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  lay_out_directors(p, s, w);
  pipe_element_strains(p, s, w);
  if (p->pipe->has_wire)
    pipe_wire_strains(p, s, w);
  pipe_contact_begin(p, s, w);
  w->is_laid_out = 1;
}

void pipe_begin(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w) {
  for (int k = 0; k < 9; k++)
    memset(w->dd[k], 0, p->pipe->stride * sizeof(double));

  for (int k = 0; k < 3; k++) {
    memset(w->dr_n[k], 0, p->pipe->stride * sizeof(double));
    memset(w->theta_n[k], 0, p->pipe->stride * sizeof(double));
  }

  pipe_lay_out(p, s, w);
}

// Change of the directors over the step: d1 - d0 = (cay(theta) - I) d0.
KERNEL_CLONES
static void turn_directors(const struct pipe_mesh *p, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 t, d;
    L3_LOAD(t, w->theta_n, i);
    lanes scale = 1 / (1 + 0.25 * L3_DOT(t, t));
    for (int k = 0; k < 3; k++) {
      L3_LOAD(d, w->d0 + 3 * k, i);
      struct lanes3 once = L3_CROSS(t, d);
      struct lanes3 twice = L3_CROSS(t, once);
      twice = (struct lanes3)L3_AXPY(0.5, twice, once);
      twice = (struct lanes3)L3_SCALE(scale, twice);
      L3_STORE(w->dd + 3 * k, i, twice);
    }
  }
}

// Isotropic inertia, internal forces and weight of every node.
KERNEL_CLONES
static void node_balance(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                         const struct pipe_step *k) {
  const double twice_h = 2 * k->inverse_h, inverse_h = k->inverse_h;
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 force, above, below, dr, v0, theta, moment, balance;
    lanes mass, weight, inertia, omega0;
    L3_LOAD(dr, w->dr_n, i);
    L3_LOAD(v0, s->v_n, i);
    L3_LOAD(above, w->force_n, i);
    L3_LOAD(below, w->force_n, i - 1);
    force = (struct lanes3)L3_SUB(above, below);
    lanes_load(&mass, p->mass_kg + i);
    lanes_load(&weight, p->weight_n + i);
    lanes a = mass * k->mass_dr, b = mass * k->mass_v;
    balance.x = a * dr.x - b * v0.x - force.x;
    balance.y = a * dr.y - b * v0.y - force.y;
    balance.z = a * dr.z - b * v0.z - force.z - weight;
    L3_STORE(w->residual, i, balance);

    L3_LOAD(above, w->moment_lower, i);
    L3_LOAD(below, w->moment_upper, i - 1);
    moment = (struct lanes3)L3_ADD(above, below);
    L3_LOAD(theta, w->theta_n, i);
    balance = (struct lanes3){-moment.x, -moment.y, -moment.z};
    for (int c = 0; c < 3; c++) {
      struct lanes3 d, dd;
      L3_LOAD(d, w->d0 + 3 * c, i);
      L3_LOAD(dd, w->dd + 3 * c, i);
      lanes_load(&inertia, p->inertia_kgm2[c] + i);
      lanes_load(&omega0, s->omega_t[c] + i);
      lanes omega1 = twice_h * L3_DOT(d, theta) - omega0;
      // (d1 W1 - d0 W0) J/h = (d0 (W1 - W0) + dd W1) J/h
      lanes first = inertia * (omega1 - omega0) * inverse_h, second = inertia * omega1 * inverse_h;
      balance = (struct lanes3)L3_AXPY(first, d, balance);
      balance = (struct lanes3)L3_AXPY(second, dd, balance);
    }
    L3_STORE(w->residual + 3, i, balance);
  }
}

KERNEL_CLONES
static void push_nodes(const struct pipe_mesh *p, struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 force, push;
    L3_LOAD(force, w->residual, i);
    L3_LOAD(push, w->push_n, i);
    force = (struct lanes3)L3_SUB(force, push);
    L3_STORE(w->residual, i, force);
  }
}

KERNEL_CLONES
static double push_work(const struct pipe_mesh *p, const struct pipe_work *w) {
  lanes sum = {0};
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 way, push;
    L3_LOAD(way, w->dr_n, i);
    L3_LOAD(push, w->push_n, i);
    sum += L3_DOT(push, way);
  }
  return lanes_sum(&sum);
}

double pipe_push_work(const struct pipe_mesh *p, const struct pipe_work *w) {
  return p->pipe->in_sea ? push_work(p, w) : 0;
}

void pipe_residual(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                   const struct pipe_step *k) {
  turn_directors(p, w);
  if (!w->wires_alone)
    pipe_element_forces(p, w, k->damping_over_h);
  if (p->pipe->has_wire)
    pipe_wire_forces(p, s, w, k->damping_over_h);
  if (w->growth.is_active)
    pipe_growing_forces(p, s, w, k->damping_over_h);
  if (p->pipe->has_plastic)
    pipe_plastic_forces(p, s, w, k->inverse_h == 0);
  node_balance(p, s, w, k);
  pipe_waterline_forces(p, s, w);
  if (p->pipe->has_morison && k->inverse_h > 0)
    pipe_morison_inertia(p, s, w, k);
  if (p->pipe->has_kirchhoff && k->inverse_h > 0)
    pipe_axial_inertia(p, s, w, k);

  if (p->pipe->in_sea && k->inverse_h > 0)
    push_nodes(p, w);
  pipe_contact_forces(p, s, w, k->inverse_h);
  if (p->pipe->has_friction && k->inverse_h > 0)
    pipe_friction_forces(p, s, w);
}

KERNEL_INLINE void keep_larger(lanes *most, const lanes *x) {
  lanes size;
  lanes_abs(&size, x);
  const lane_mask is_larger = size > *most;
  lanes_select(most, &is_larger, &size, most);
}

KERNEL_CLONES
double pipe_force_scale(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                        const struct pipe_step *k, double length_m) {
  lanes most = {0}, x, v;
  for (int e = 0; e < p->elements; e += LANES)
    for (int c = 0; c < 6; c++) {
      lanes_load(&x, w->stress[c] + e);
      if (c >= 3)
        x = x / length_m;
      keep_larger(&most, &x);
    }
  for (int i = 0; i < p->nodes; i += LANES) {
    lanes_load(&x, p->mass_kg + i);
    x = k->mass_v * x;
    for (int c = 0; c < 3; c++) {
      lanes_load(&v, s->v_n[c] + i);
      v = x * v;
      keep_larger(&most, &v);
    }
  }

  double largest = 0;
  for (int n = 0; n < LANES; n++)
    largest = most[n] > largest ? most[n] : largest;
  return largest;
}

// Where the blocks of LANES elements from first on go; those from element n on go to spare.
static void aim_blocks(const struct pipe_mesh *p, const struct blocktri *b, int first, int n,
                       double top_diag[36], double top_upper[36], double top_lower[36], double *spare,
                       double *to[ELEMENT_BLOCKS][LANES]) {
  for (int k = 0; k < LANES; k++) {
    int e = first + k, is_last = e + 1 == p->elements;
    to[AA][k] = e < n ? b->diag[e] : spare;
    to[BB][k] = e >= n ? spare : is_last ? top_diag : b->diag[e + 1];
    to[AB][k] = e >= n ? spare : is_last ? top_upper : b->upper[e];
    to[BA][k] = e >= n ? spare : is_last ? top_lower : b->lower[e + 1];
  }
}

// Where the diagonal blocks of LANES nodes from first on lie.
static void aim_diagonal(const struct pipe_mesh *p, const struct blocktri *b, int first, double top_diag[36],
                         double *spare, double *to[LANES]) {
  for (int k = 0; k < LANES; k++) {
    int i = first + k;
    to[k] = i < p->elements ? b->diag[i] : i == p->elements ? top_diag : spare;
  }
}

// The blocks of LANES elements from first on, of which some are wires; those from element n on go to spare.
// Where beams are among them, the wires' blocks are added.
static void wire_blocks(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                        const struct pipe_step *k, int first, int n, double *spare,
                        double *to[ELEMENT_BLOCKS][LANES]) {
  double *own[ELEMENT_BLOCKS][LANES], *apart[ELEMENT_BLOCKS][LANES],
      blocks[ELEMENT_BLOCKS][LANES][BLOCK_SIZE];
  int wires = 0, others = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const int is_wire = first + lane < n && pipe_is_wire(p, first + lane);
    wires += is_wire;
    others += first + lane < n && !is_wire;
    for (int block = 0; block < ELEMENT_BLOCKS; block++) {
      own[block][lane] = is_wire ? spare : to[block][lane];
      apart[block][lane] = is_wire ? blocks[block][lane] : spare;
    }
  }
  if (wires > 0 && others == 0) {
    pipe_wire_tangents(p, s, w, k->damping_over_h, first, k->inverse_h == 0, (double *const(*)[LANES])to);
    return;
  }
  for (int lane = 0; lane < LANES && wires > 0; lane++)
    for (int block = AB; block <= BB && apart[block][lane] != spare; block++)
      memset(to[block][lane], 0, BLOCK_SIZE * sizeof(double)); // AA is what the element below has stored
  pipe_element_tangents(p, w, k->damping_over_h, first, (double *const(*)[LANES])own);
  if (wires == 0)
    return;
  memset(blocks[AA], 0, sizeof blocks[AA]);
  pipe_wire_tangents(p, s, w, k->damping_over_h, first, k->inverse_h == 0, (double *const(*)[LANES])apart);
  for (int lane = 0; lane < LANES; lane++)
    for (int block = 0; block < ELEMENT_BLOCKS && apart[block][lane] != spare; block++)
      for (int i = 0; i < BLOCK_SIZE; i++)
        to[block][lane][i] += blocks[block][lane][i];
}

void pipe_tangent(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                  const struct pipe_step *k, struct blocktri *b, double top_diag[36], double top_upper[36],
                  double top_lower[36]) {
  const int n = p->elements;
  double spare[BLOCK_SIZE] = {0};
  memset(b->diag[0], 0, sizeof b->diag[0]);
  for (int first = 0; first < n; first += LANES) {
    double *to[ELEMENT_BLOCKS][LANES];
    aim_blocks(p, b, first, n - w->growth.is_active, top_diag, top_upper, top_lower, spare, to);
    if (p->pipe->has_wire)
      wire_blocks(p, s, w, k, first, n - w->growth.is_active, spare, to);
    else
      pipe_element_tangents(p, w, k->damping_over_h, first, (double *const(*)[LANES])to);
  }

  if (w->growth.is_active) {
    double *const to[ELEMENT_BLOCKS] = {b->diag[n - 1], top_upper, top_lower, top_diag};
    pipe_growing_tangent(p, s, w, k->damping_over_h, to);
  }

  pipe_waterline_tangent(p, s, w, b, top_diag, top_upper, top_lower);
  if (p->pipe->has_plastic)
    pipe_plastic_tangent(p, s, w, k->inverse_h == 0, b, top_diag, top_upper, top_lower);
  for (int i = 0; i <= n; i++) {
    if (w->contact_share[i] == 0) // neither contact nor friction
      continue;
    double *block = i < n ? b->diag[i] : top_diag;
    struct contact_rates rates = pipe_contact_tangent(p, s, w, i, k->inverse_h, block);
    if (p->pipe->has_friction && k->inverse_h > 0)
      pipe_friction_tangent(p, s, w, i, &rates, block);
  }

  for (int first = 0; first <= n && k->inverse_h != 0; first += LANES) {
    double *to[LANES];
    aim_diagonal(p, b, first, top_diag, spare, to);
    pipe_inertia_tangents(p, s, w, k, first, to);
    if (p->pipe->has_morison)
      pipe_morison_tangents(p, s, w, k, first, to);
  }
}

// q = q divided by its norm
KERNEL_INLINE void normalise(lanes q[4]) {
  lanes size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  lanes_sqrt(&size);
  lanes scale = 1 / size;
  for (int k = 0; k < 4; k++)
    q[k] = scale * q[k];
}

// Positions and attitudes at the end of a step: dr + r, cay(theta) q.
KERNEL_CLONES
static void commit_poses(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 dr, theta, r;
    lanes b[4];
    lane_mask own;
    L3_LOAD(dr, w->dr_n, i);
    L3_LOAD(theta, w->theta_n, i);
    L3_LOAD(r, s->r_n, i);
    r = (struct lanes3)L3_ADD(r, dr);
    L3_STORE(s->r_n, i, r);

    lanes a[4] = {0 * theta.x + 1, 0.5 * theta.x, 0.5 * theta.y, 0.5 * theta.z};
    normalise(a);
    for (int k = 0; k < 4; k++)
      lanes_load(&b[k], s->q_nt[k] + i);
    lanes q[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    normalise(q);
    lanes_within(&own, i, 0, p->nodes - 1);
    for (int k = 0; k < 4; k++) {
      lanes_select(&q[k], &own, &q[k], &b[k]); // the padding has no attitude
      lanes_store(s->q_nt[k] + i, &q[k]);
    }
  }
}

// ------------------------------------------------------------
// The memory of the soil below the nodes.

// Height above the ground, in diameters, from which a pipe does not come down where it left.
static const double FAR_DIAMETERS = 10;

// Takes the memory of node i over a way on which a layer slides; returns the loss per length.
RARE_PATH double commit_slide(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                              int i) {
  struct soil_memory memory = ground_memory(s, i);
  const struct soil_way way =
      soil_over(ground_column(p, i), &memory, &w->soil[i], w->end_penetration_m[i], &memory);
  ground_set_memory(s, i, &memory);
  return way.loss_jpm;
}

// Where the pipe comes down next it finds virgin soil; out of the soil the layers are at 0.
static void forget(struct pipe_state *s, int i) {
  s->soil_m[SOIL_LAYERS][i] = 0;
  if (s->remoulded[0])
    s->remoulded[0][i] = 0;
}

// Takes it at the end of the step into the state; fills w->soil_loss_j.
static void commit_soil(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) {
  double *const deepest = s->soil_m[SOIL_LAYERS];
  w->soil_loss_j = 0;
  for (int i = 0; i < p->nodes; i++) {
    if (p->contact_length_m[i] == 0)
      continue;
    const double end = w->end_penetration_m[i], way = end - w->soil[i].z_m;
    if (w->contact_share[i] == 0) {
      if (deepest[i] > 0 && w->penetration_m[i] < -0.5 * FAR_DIAMETERS * ground_column(p, i)->span_m)
        forget(s, i);
    } else if (!soil_sticks(&w->soil[i], end)) {
      w->soil_loss_j += p->contact_length_m[i] * commit_slide(p, s, w, i);
    } else {
      for (int j = 0; j < SOIL_LAYERS; j++)
        s->soil_m[j][i] += way;
      deepest[i] = end > deepest[i] ? end : deepest[i];
    }
  }
}

void pipe_ground_settle(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w) {
  for (int i = 0; i < p->nodes && p->pipe->has_soil; i++) {
    if (p->contact_length_m[i] == 0)
      continue;
    struct soil_memory memory;
    soil_at_rest(ground_column(p, i), s->soil_m[SOIL_LAYERS][i], w->penetration_m[i], &memory);
    ground_set_memory(s, i, &memory);
  }
  w->is_laid_out = 0;
}

void pipe_commit(const struct pipe_mesh *p, struct pipe_state *s, struct pipe_work *w, double step_s) {
  if (p->pipe->has_friction && step_s > 0)
    pipe_friction_commit(p, s, w);
  if (p->pipe->has_soil && step_s > 0)
    commit_soil(p, s, w);
  if (step_s > 0)
    pipe_commit_velocities(p, s, w, step_s);
  commit_poses(p, s, w);
  w->is_laid_out = 0;
  if (step_s > 0)
    pipe_contact_correct_velocities(p, s, w, step_s);
}

// ------------------------------------------------------------
// Prediction of the increments of a step. Those of constant velocity err by h^2/2 times the acceleration;
// what the last steps have added to them, extrapolated, leaves an error of order h^4. The addition is kept as
// an increment and not as a change of velocity: the velocity at the end of a step also
// contains the momentum of the added mass that turns, and corrections at the seabed.

// Rotation of a step of constant angular velocity of the nodes from i on, n.
KERNEL_INLINE void steady_rotation(struct lanes3 *theta, const struct pipe_state *s,
                                   const struct pipe_work *w, double step_s, int i) {
  *theta = (struct lanes3){{0}, {0}, {0}};
  for (int c = 0; c < 3; c++) {
    struct lanes3 d;
    lanes omega;
    L3_LOAD(d, w->d0 + 3 * c, i);
    lanes_load(&omega, s->omega_t[c] + i);
    omega = step_s * omega;
    *theta = (struct lanes3)L3_AXPY(omega, d, *theta);
  }
}

KERNEL_CLONES
void pipe_predict(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w, double step_s,
                  const double share[MOST_PREDICTION_STEPS]) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 v, dr, theta, past;
    L3_LOAD(v, s->v_n, i);
    dr = (struct lanes3)L3_SCALE(step_s, v);
    steady_rotation(&theta, s, w, step_s, i);
    for (int k = 0; k < PREDICTION_STEPS; k++) {
      L3_LOAD(past, s->beyond_n[k], i);
      dr = (struct lanes3)L3_AXPY(share[k], past, dr);
      L3_LOAD(past, s->beyond_n[k] + 3, i);
      theta = (struct lanes3)L3_AXPY(share[k], past, theta);
    }
    if (p->pipe->in_sea) {
      L3_LOAD(past, s->beyond_earliest_n, i);
      dr = (struct lanes3)L3_AXPY(share[PREDICTION_STEPS], past, dr);
      L3_LOAD(past, s->beyond_earliest_n + 3, i);
      theta = (struct lanes3)L3_AXPY(share[PREDICTION_STEPS], past, theta);
    }
    L3_STORE(w->dr_n, i, dr);
    L3_STORE(w->theta_n, i, theta);
  }
}

KERNEL_CLONES
void pipe_remember(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w,
                   double step_s) {
  for (int i = 0; i < p->nodes; i += LANES) {
    struct lanes3 v, dr, theta, steady, last;
    if (p->pipe->in_sea)
      for (int c = 0; c < 6; c += 3) {
        L3_LOAD(last, s->beyond_n[PREDICTION_STEPS - 1] + c, i);
        L3_STORE(s->beyond_earliest_n + c, i, last);
      }
    for (int k = PREDICTION_STEPS - 1; k > 0; k--)
      for (int c = 0; c < 6; c += 3) {
        L3_LOAD(last, s->beyond_n[k - 1] + c, i);
        L3_STORE(s->beyond_n[k] + c, i, last);
      }
    L3_LOAD(v, s->v_n, i);
    L3_LOAD(dr, w->dr_n, i);
    last = (struct lanes3)L3_AXPY(-step_s, v, dr);
    L3_STORE(s->beyond_n[0], i, last);

    steady_rotation(&steady, s, w, step_s, i);
    L3_LOAD(theta, w->theta_n, i);
    last = (struct lanes3)L3_SUB(theta, steady);
    L3_STORE(s->beyond_n[0] + 3, i, last);
  }
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
