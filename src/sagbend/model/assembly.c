// The equations of a conservative step or of statics, assembled from pipe and vessel.
//
// The top node N is attached to the vessel: dr_N = dx + (cay(theta) - I) Q0 r_h, and theta_N = theta if
// clamped. Its forces act on the vessel with the mean arm a_m = (Q0 + Q1) r_h / 2, which makes their work
// exact. The vessel's rows get P b_N, where b_N is the balance of the node and P = [I 0; hat(a_m) C]; the
// columns follow the arm at the end, T = [I -hat(a_1); 0 C]. C = I if clamped. A pinned top keeps rows and
// columns of its rotation.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/sections/sections.h"
#include "sagbend/stations/stations.h"

#include <math.h>
#include <string.h>

struct hangoff_arms {
  vec3 mean, end; // Q r_h: mean over the step and at its end, n
};

// The arms, and step: the change of Q r_h over the step.
static struct hangoff_arms arms_of(const struct model *m, const struct model_state *s,
                                   const struct model_work *w, vec3 *step) {
  mat3 q0 = quat_matrix(s->vessel.q_nb);
  vec3 arm = mat3_mul(&q0, m->hangoff_b_m);
  *step = cayley_increment(w->vessel.theta_n, arm);
  return (struct hangoff_arms){vec3_axpy(0.5, *step, arm), vec3_add(arm, *step)};
}

// Sets the increments of an attached top node from those of the vessel.
static struct hangoff_arms move_top(const struct model *m, const struct model_state *s,
                                    struct model_work *w) {
  vec3 step;
  struct hangoff_arms arms = arms_of(m, s, w, &step);
  int n = s->mesh.pipe.nodes - 1;
  pipe_set3(w->pipe.dr_n, n, vec3_add(w->vessel.dx_n, step));
  if (s->mesh.pipe.top_rotation_attached)
    pipe_set3(w->pipe.theta_n, n, w->vessel.theta_n);
  return arms;
}

vec3 model_force_on_vessel(const struct model_state *s, const struct model_work *w) {
  int n = s->mesh.pipe.nodes - 1;
  return vec3_scale(-1, pipe_get3(w->pipe.residual, n));
}

double model_motion_work(const struct model_state *s, const struct model_work *w) {
  int n = s->mesh.pipe.nodes - 1;
  return s->mesh.pipe.top_moved ? vec3_dot(pipe_get3(w->pipe.residual, n), pipe_get3(w->pipe.dr_n, n)) : 0;
}

static int has_end_load(const struct model_state *s) {
  return s->mesh.pipe.nodes > 0 && !s->mesh.pipe.top_attached && !s->mesh.pipe.top_moved;
}

double model_end_load_work(const struct model *m, const struct model_state *s, const struct model_work *w) {
  if (!has_end_load(s))
    return 0;
  int n = s->mesh.pipe.nodes - 1;
  return w->end_factor * (vec3_dot(m->end_force_n, pipe_get3(w->pipe.dr_n, n)) +
                          vec3_dot(m->end_moment_nm, pipe_get3(w->pipe.theta_n, n)));
}

double model_added_mass_work(const struct model_state *s, const struct model_work *w) {
  return s->mesh.pipe.nodes > 0 ? pipe_morison_work(&s->mesh.pipe, &s->pipe, &w->pipe, &w->coefficients) : 0;
}

static void add_end_load(const struct model *m, const struct model_state *s, struct model_work *w) {
  int n = s->mesh.pipe.nodes - 1;
  vec3 force = pipe_get3(w->pipe.residual, n), moment = pipe_get3(w->pipe.residual + 3, n);
  pipe_set3(w->pipe.residual, n, vec3_axpy(-w->end_factor, m->end_force_n, force));
  pipe_set3(w->pipe.residual + 3, n, vec3_axpy(-w->end_factor, m->end_moment_nm, moment));
}

// The same for the tail: the vessel with the forces at the hang-off, and the rotation of a pinned top.
static void tail_rhs(const struct model *m, const struct model_state *s, struct model_work *w,
                     const struct hangoff_arms *arms) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  vec3 force = w->extra_force_n, moment = {0, 0, 0};
  int n = p->nodes - 1;
  if (p->top_attached) {
    vec3 top = model_force_on_vessel(s, w);
    top.z -= m->weight_compensation_n;
    force = vec3_add(force, top);
    moment = vec3_cross(arms->mean, top);
    if (p->top_rotation_attached)
      moment = vec3_sub(moment, pipe_get3(w->pipe.residual + 3, n));
    else
      vec3_to(pipe_get3(w->pipe.residual + 3, n), w->tail_balance + 6);
  }
  if (m->roller_count > 0) {
    force = vec3_add(force, w->roller_force_n);
    moment = vec3_add(moment, w->roller_moment_nm);
  }
  vessel_residual(&m->vessel, s->mesh.vessel_inertia, &s->vessel, &w->vessel, force, moment, w->tail_balance);

  const int grown = w->pipe.growth.is_unknown ? w->matrix.tail - 1 : -1;
  if (grown >= 0)
    w->tail_balance[grown] = tensioner_balance(s, w);

  double *rhs = w->rhs + BLOCK * w->matrix.count;
  double length = p->nodes > 0 ? p->length_m[p->elements - 1] : 1;
  for (int c = 0; c < w->matrix.tail; c++) {
    double balance = c < 6 && (w->held >> c & 1) ? 0 : w->tail_balance[c];
    rhs[c] = -balance;
    w->largest_force_n =
        chain_larger(w->largest_force_n, c < 3 || c == grown ? fabs(balance) : fabs(balance) / length);
  }
}

void model_residual(const struct model *m, const struct model_state *s, struct model_work *w) {
  struct hangoff_arms arms = {{0, 0, 0}, {0, 0, 0}};
  w->largest_force_n = 0;
  if (s->mesh.pipe.nodes > 0) {
    if (s->mesh.pipe.top_attached)
      arms = move_top(m, s, w);
    if (s->mesh.pipe.top_moved)
      pipe_set3(w->pipe.dr_n, s->mesh.pipe.nodes - 1, w->imposed_n);
    pipe_residual(&s->mesh.pipe, &s->pipe, &w->pipe, &w->coefficients);
    rollers_balance(m, s, w);
    if (w->has_static_loads)
      pipe_static_forces(&s->mesh.pipe, &s->pipe, &w->pipe, &w->static_loads);
    if (has_end_load(s))
      add_end_load(m, s, w);
    chain_rhs(&s->mesh.pipe, w);
  }
  tail_rhs(m, s, w, &arms);
}

static void clear_row(double *block, int row) {
  for (int k = 0; k < BLOCK; k++)
    block[block_at(row, k)] = 0;
}

static void hold_moved_top(const struct pipe_mesh *p, struct blocktri *b) {
  int n = p->nodes - 1;
  for (int c = 0; c < 3; c++) {
    clear_row(b->diag[n], c);
    clear_row(b->lower[n], c);
    b->diag[n][block_at(c, c)] = 1;
  }
}

static void hold_lower_end(const struct pipe_mesh *p, struct blocktri *b) {
  for (int c = 0; c < BLOCK; c++) {
    if (!(c < 3 ? p->held_position : p->held_rotation))
      continue;
    clear_row(b->diag[0], c);
    b->diag[0][block_at(c, c)] = 1;
    if (b->count > 1)
      clear_row(b->upper[0], c);
    else
      memset(b->tail_upper[c], 0, sizeof b->tail_upper[c]);
    for (int t = 0; t < b->tail && b->border_from == 0 && b->count > 1; t++)
      b->border_upper[0][t][c] = 0;
  }
}

// Writes hat(a) into a block of a matrix.
static void put_hat(double to[][6], int row, int column, vec3 a) {
  mat3 hat = mat3_hat(a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      to[row + i][column + j] = hat.m[i][j];
}

// The matrices P (rows) and T transposed (columns) of the head of this file.
static void hangoff_maps(const struct pipe_mesh *p, const struct hangoff_arms *arms, double rows[TAIL_MAX][6],
                         double columns[TAIL_MAX][6]) {
  memset(rows, 0, TAIL_MAX * sizeof *rows);
  memset(columns, 0, TAIL_MAX * sizeof *columns);
  int turn = p->top_rotation_attached ? 3 : 6;
  for (int i = 0; i < 3; i++) {
    rows[i][i] = columns[i][i] = 1;
    rows[turn + i][3 + i] = columns[turn + i][3 + i] = 1;
  }
  put_hat(rows, 3, 0, arms->mean);
  put_hat(columns, 3, 0, arms->end); // (-hat(a))' = hat(a)
}

// Row and column of the length of the top element.
static void couple_length(const struct model_state *s, struct model_work *w, const double rows[TAIL_MAX][6],
                          const double columns[TAIL_MAX][6]) {
  struct blocktri *b = &w->matrix;
  const int at = b->tail - 1;
  struct growing_length_tangent t = tensioner_tangent(s, w);
  b->tail_diag[at][at] = t.own_npm;
  for (int j = 0; j < 6; j++) {
    b->tail_lower[at][j] = t.row[j];
    b->tail_upper[j][at] = t.column[j];
    for (int i = 0; i < at; i++) {
      b->tail_diag[i][at] += rows[i][j] * t.column[6 + j];
      b->tail_diag[at][i] += t.row[6 + j] * columns[i][j];
    }
  }
}

// Couples the blocks of the top node to the tail.
static void couple_top(const struct model *m, const struct model_state *s, struct model_work *w,
                       const struct hangoff_arms *arms) {
  struct blocktri *b = &w->matrix;
  double rows[TAIL_MAX][6], columns[TAIL_MAX][6], half[TAIL_MAX][6];
  hangoff_maps(&s->mesh.pipe, arms, rows, columns);
  for (int i = 0; i < b->tail; i++)
    for (int j = 0; j < 6; j++) {
      double lower = 0, diag = 0, upper = 0;
      for (int k = 0; k < 6; k++) {
        lower += rows[i][k] * w->top_lower[block_at(k, j)];
        diag += rows[i][k] * w->top_diag[block_at(k, j)];
        upper += w->top_upper[block_at(j, k)] * columns[i][k];
      }
      b->tail_lower[i][j] = lower;
      b->tail_upper[j][i] = upper;
      half[i][j] = diag;
    }

  for (int i = 0; i < b->tail; i++)
    for (int j = 0; j < b->tail; j++)
      for (int k = 0; k < 6; k++)
        b->tail_diag[i][j] += half[i][k] * columns[j][k];

  if (w->pipe.growth.is_unknown)
    couple_length(s, w, (const double (*)[6])rows, (const double (*)[6])columns);
  rollers_tail_tangent(m, s, w, (const double (*)[6])rows, (const double (*)[6])columns);

  // The mean arm turns with phi: -(phi x a_1)/2 x force.
  vec3 force = model_force_on_vessel(s, w), a = arms->end;
  force.z -= m->weight_compensation_n;
  const double f[3] = {force.x, force.y, force.z}, e[3] = {a.x, a.y, a.z};
  for (int i = 0; i < 3; i++) {
    b->tail_diag[3 + i][3 + i] += 0.5 * vec3_dot(a, force);
    for (int j = 0; j < 3; j++)
      b->tail_diag[3 + i][3 + j] -= 0.5 * e[i] * f[j];
  }
}

void model_tangent(const struct model *m, const struct model_state *s, struct model_work *w) {
  struct blocktri *b = &w->matrix;
  double vessel[6][6];
  memset(b->tail_upper, 0, sizeof b->tail_upper);
  memset(b->tail_lower, 0, sizeof b->tail_lower);
  memset(b->tail_diag, 0, sizeof b->tail_diag);
  vessel_tangent(&m->vessel, s->mesh.vessel_inertia, &s->vessel, &w->vessel, vessel);
  for (int i = 0; i < 6; i++)
    memcpy(b->tail_diag[i], vessel[i], sizeof vessel[i]);

  if (s->mesh.pipe.nodes > 0) {
    vec3 step;
    struct hangoff_arms arms = arms_of(m, s, w, &step);
    pipe_tangent(&s->mesh.pipe, &s->pipe, &w->pipe, &w->coefficients, b, w->top_diag, w->top_upper,
                 w->top_lower);
    for (int i = 0; i < s->mesh.pipe.nodes && w->has_static_loads; i++)
      pipe_static_tangent(&s->mesh.pipe, &s->pipe, &w->pipe, &w->static_loads, w->potential_only, i,
                          i < s->mesh.pipe.elements ? b->diag[i] : w->top_diag);
    rollers_nodes_tangent(m, s, w);
    if (s->mesh.pipe.top_attached) {
      couple_top(m, s, w, &arms);
    } else {
      int n = s->mesh.pipe.nodes - 1;
      memcpy(b->diag[n], w->top_diag, sizeof w->top_diag);
      memcpy(b->upper[n - 1], w->top_upper, sizeof w->top_upper);
      memcpy(b->lower[n], w->top_lower, sizeof w->top_lower);
    }
    hold_lower_end(&s->mesh.pipe, b);
    if (s->mesh.pipe.top_moved)
      hold_moved_top(&s->mesh.pipe, b);
  }

  for (int c = 0; c < 6; c++)
    if (w->held >> c & 1) {
      memset(b->tail_lower[c], 0, sizeof b->tail_lower[c]);
      memset(b->tail_diag[c], 0, sizeof b->tail_diag[c]);
      b->tail_diag[c][c] = 1;
      for (int i = b->border_from; i >= 0 && i < b->count - 1; i++)
        memset(b->border_lower[i][c], 0, sizeof b->border_lower[i][c]);
    }
}

void model_correct(const struct mesh *mesh, struct model_work *w, double scale) {
  chain_correct(w, scale);
  const double *x = w->rhs + BLOCK * w->matrix.count;
  w->vessel.dx_n = vec3_axpy(scale, vec3_of(x), w->vessel.dx_n);
  w->vessel.theta_n = chain_rotated(w->vessel.theta_n, vec3_scale(scale, vec3_of(x + 3)));
  if (w->pipe.growth.is_unknown)
    w->pipe.growth.grown_m += scale * x[w->matrix.tail - 1];
  if (mesh->pipe.top_attached && !mesh->pipe.top_rotation_attached) {
    int n = mesh->pipe.nodes - 1;
    pipe_set3(w->pipe.theta_n, n,
              chain_rotated(pipe_get3(w->pipe.theta_n, n), vec3_scale(scale, vec3_of(x + 6))));
  }
}

// ------------------------------------------------------------
// rhs = -balance of one node of the chain, with the boundary conditions of the ends; returns the larger of
// most and its unbalanced force.
static double node_rhs(const struct pipe_mesh *p, struct model_work *w, int i, double most) {
  double length = p->length_m[i < p->elements ? i : i - 1];
  for (int c = 0; c < 6; c++) {
    int held = c < 3 ? (i == 0 && p->held_position) || (i == p->nodes - 1 && p->top_moved)
                     : i == 0 && p->held_rotation;
    double balance = held ? 0 : w->pipe.residual[c][i];
    w->rhs[BLOCK * i + c] = -balance;
    most = chain_larger(most, c < 3 ? fabs(balance) : fabs(balance) / length);
  }
  return most;
}

// chain_larger for lanes.
KERNEL_INLINE void keep_larger(lanes *most, const lanes *x) {
  // NOLINTNEXTLINE(misc-redundant-expression): not a number
  const lane_mask keep = (*most >= *x) | (*most != *most);
  lanes_select(most, &keep, most, x);
}

// rhs = -balance of LANES nodes inside the chain.
KERNEL_INLINE void inner_rhs(const struct pipe_mesh *p, struct model_work *w, int i, lanes *most) {
  const lanes zero = {0};
  lanes x[6], size, length, part[LANES];
  lanes_load(&length, p->length_m + i);
  for (int c = 0; c < 6; c++) {
    lanes_load(&x[c], w->pipe.residual[c] + i);
    lanes_abs(&size, &x[c]);
    if (c >= 3)
      size = size / length;
    keep_larger(most, &size);
    x[c] = -x[c];
  }
  for (int k = 0; k < LANES; k++)
    part[k] = x[k];
  lanes_transpose(part);
  for (int k = 0; k < LANES; k++)
    lanes_store(w->rhs + BLOCK * (i + k), &part[k]);
  part[0] = x[4], part[1] = x[5], part[2] = part[3] = zero;
  lanes_transpose(part);
  for (int k = 0; k < LANES; k++) {
    w->rhs[BLOCK * (i + k) + 4] = part[k][0];
    w->rhs[BLOCK * (i + k) + 5] = part[k][1];
  }
}

// rhs = -balance of the chain; updates largest_force_n.
KERNEL_CLONES
void chain_rhs(const struct pipe_mesh *p, struct model_work *w) {
  const int count = p->nodes - p->top_attached;
  lanes most = {0};
  double largest = node_rhs(p, w, 0, w->largest_force_n);
  int i = 1;
  for (; i + LANES < count; i += LANES) // leaves out the last node
    inner_rhs(p, w, i, &most);
  for (; i < count; i++)
    largest = node_rhs(p, w, i, largest);
  for (int k = 0; k < LANES; k++)
    largest = chain_larger(largest, most[k]);
  w->largest_force_n = largest;
}

static void correct_node(struct model_work *w, int i, double scale) {
  const double *x = w->rhs + BLOCK * i;
  pipe_set3(w->pipe.dr_n, i, vec3_axpy(scale, vec3_of(x), pipe_get3(w->pipe.dr_n, i)));
  pipe_set3(w->pipe.theta_n, i,
            chain_rotated(pipe_get3(w->pipe.theta_n, i), vec3_scale(scale, vec3_of(x + 3))));
}

// correct_node for LANES nodes.
KERNEL_INLINE void correct_nodes(struct model_work *w, int i, double scale) {
  lanes a[LANES], b[LANES];
  for (int k = 0; k < LANES; k++) {
    lanes_load(&a[k], w->rhs + BLOCK * (i + k));
    lanes_load(&b[k], w->rhs + BLOCK * (i + k) + 2);
  }
  lanes_transpose(a); // the displacement and phi.x
  lanes_transpose(b); // its last component and phi
  struct lanes3 dr, theta, x = {a[0], a[1], a[2]}, phi = {scale * a[3], scale * b[2], scale * b[3]};
  L3_LOAD(dr, w->pipe.dr_n, i);
  dr = (struct lanes3)L3_AXPY(scale, x, dr);
  L3_STORE(w->pipe.dr_n, i, dr);
  L3_LOAD(theta, w->pipe.theta_n, i);
  struct lanes3 turn = L3_CROSS(theta, phi);
  turn = (struct lanes3)L3_AXPY(-0.5, turn, phi);
  lanes along = 0.25 * L3_DOT(theta, phi);
  turn = (struct lanes3)L3_AXPY(along, theta, turn);
  theta = (struct lanes3)L3_ADD(theta, turn);
  L3_STORE(w->pipe.theta_n, i, theta);
}

KERNEL_CLONES
void chain_correct(struct model_work *w, double scale) {
  int i = 0;
  for (; i + LANES <= w->matrix.count; i += LANES)
    correct_nodes(w, i, scale);
  for (; i < w->matrix.count; i++)
    correct_node(w, i, scale);
}

// ------------------------------------------------------------
// Force between the pipe and what holds its top, at an instant. The half element at the top obeys
//   d(momentum)/dt = force - element force + weight + drag + force of accelerating water,
// so the force follows from the last element, the water and the motion of the half element. The path of a
// moved top is known before and after the instant; for a top on a vessel the caller supplies the rate of
// momentum. The element force is the elastic one: strain rates at the end of a step oscillate in the stiffest
// modes, and at wave periods structural damping adds only a force of relative size (damping times frequency),
// a quarter of a period late.

// v with its component along the axis multiplied by axial and its other components by transverse.
static vec3 along_and_across(vec3 axis, vec3 v, double axial, double transverse) {
  double along = vec3_dot(axis, v);
  return vec3_axpy((axial - transverse) * along, axis, vec3_scale(transverse, v));
}

vec3 model_top_momentum(const struct model *m, const struct model_state *s) {
  if (!s->mesh.pipe.top_attached)
    return (vec3){0, 0, 0};
  mat3 q = quat_matrix(s->vessel.q_nb);
  return along_and_across(mat3_mul(&q, m->top_axis_b), pipe_get3(s->pipe.v_n, s->mesh.pipe.nodes - 1),
                          s->mesh.top_mass_kg + s->mesh.top_axial_excess_kg, s->mesh.top_mass_kg);
}

vec3 model_top_water_force(const struct model *m, const struct model_state *s, double time_s, double step_s) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  int n = p->nodes - 1;
  double z = s->pipe.r_n[2][n], wet = pipe_wet_share(p, &s->pipe, n);
  vec3 axis = pipe_axis(&s->pipe, n);
  struct current_span span = current_over(&m->env.current, time_s, step_s);
  vec3 water = current_at(&m->current, span.middle, z),
       change = vec3_scale(1 / step_s, current_at(&m->current, span.change, z));
  if (p->pipe->in_sea) {
    const struct stations *c = &s->mesh.stations;
    vec3 before = stations_velocity(&m->field, &s->pipe, c, n, time_s - 0.5 * step_s),
         after = stations_velocity(&m->field, &s->pipe, c, n, time_s + 0.5 * step_s);
    water = vec3_add(water, stations_velocity(&m->field, &s->pipe, c, n, time_s));
    change = vec3_axpy(1 / step_s, vec3_sub(after, before), change);
  }
  vec3 relative = vec3_sub(pipe_get3(s->pipe.v_n, n), water);
  double along = vec3_dot(axis, relative), across = vec3_norm(vec3_axpy(-along, axis, relative));
  vec3 drag = along_and_across(axis, relative, -wet * p->drag_axial[n] * fabs(along),
                               -wet * p->drag_transverse[n] * across);
  return vec3_add(drag, along_and_across(axis, change, wet * p->water_kg[0][n], wet * p->water_kg[1][n]));
}

static vec3 path_acceleration(const struct model *m, double time_s, double step_s) {
  vec3 at = model_motion_offset(&m->motion, time_s);
  vec3 ahead = vec3_sub(model_motion_offset(&m->motion, time_s + step_s), at);
  vec3 behind = vec3_sub(at, model_motion_offset(&m->motion, time_s - step_s));
  return vec3_scale(1 / (step_s * step_s), vec3_sub(ahead, behind));
}

vec3 model_moved_momentum_rate(const struct model *m, const struct model_state *s, double time_s,
                               double step_s) {
  return along_and_across(pipe_axis(&s->pipe, s->mesh.pipe.nodes - 1), path_acceleration(m, time_s, step_s),
                          s->mesh.top_mass_kg + s->mesh.top_axial_excess_kg, s->mesh.top_mass_kg);
}

vec3 model_force_on_top(const struct model *m, const struct model_state *s, const struct model_work *w,
                        double time_s, double step_s, vec3 momentum_rate_n) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  if (!p->top_attached && !p->top_moved)
    return vec3_scale(time_profile_at(&m->end_profile, time_s), m->end_force_n);
  if (p->top_moved)
    momentum_rate_n = model_moved_momentum_rate(m, s, time_s, step_s);
  vec3 force = vec3_add(pipe_element_force(p, &w->pipe, p->elements - 1), momentum_rate_n);
  force.z -= p->weight_n[p->nodes - 1] + pipe_waterline_load(p, &s->pipe, p->nodes - 1);
  return vec3_sub(force, model_top_water_force(m, s, time_s, step_s));
}
