// Loads on the nodes of a pipe at rest, their derivatives, and the springs of friction at rest.
#include "sagbend/model/model.h"
#include "sagbend/model/model_internal.h"

#include "sagbend/pipe/pipe.h"

#include <math.h>

static const vec3 NO_STEP = {0, 0, 0};

static int is_on_ground(const struct pipe_mesh *p, const struct pipe_work *w, int i) {
  return p->contact_length_m[i] > 0 && w->normal_force_n[i] > 0;
}

// Unit normal of the ground under node i, into the ground.
static vec3 normal_at(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  vec3 n;
  surface_penetration(&p->pipe->ground, 0, pipe_get3(s->r_n, i), &n);
  return n;
}

// Per normal force, the force along the ground that turns a reaction along the normal n into a vertical one
// with the same component along n.
static vec3 bearing_force(vec3 n) {
  return (vec3){-n.x, -n.y, 1 / n.z - n.z};
}

// Steady drag on a node, N, and its derivative for a rotation phi of the axis (NULL: not wanted).
static vec3 drag_of(const struct pipe_mesh *p, const struct pipe_state *s,
                    const struct pipe_static_loads *loads, int i, double derivative[3][3]) {
  vec3 u = current_at(loads->current, loads->turn, s->r_n[2][i]), t = pipe_axis(s, i),
       turn = vec3_cross(t, u);
  double along = vec3_dot(t, u);
  vec3 across = vec3_axpy(-along, t, u);
  double speed = vec3_norm(across), wet = pipe_wet_share(p, s, i), k = wet * p->drag_transverse[i],
         k_axial = wet * p->drag_axial[i] * fabs(along);

  for (int c = 0; c < 3 && derivative; c++) { // phi = e_c
    vec3 phi = {c == 0, c == 1, c == 2}, tip = vec3_cross(phi, t);
    double change = vec3_dot(phi, turn); // of along
    vec3 swing = vec3_axpy(-change, t, vec3_scale(-along, tip));
    double rate = speed > 0 ? vec3_dot(across, swing) / speed : 0;
    vec3 d = vec3_add(vec3_scale(k * speed, swing), vec3_scale(k * rate, across));
    d = vec3_add(d, vec3_add(vec3_scale(2 * k_axial * change, t), vec3_scale(k_axial * along, tip)));
    derivative[0][c] = d.x, derivative[1][c] = d.y, derivative[2][c] = d.z;
  }

  return vec3_axpy(k * speed, across, vec3_scale(k_axial * along, t));
}

// The friction springs of a node (contact.c) without increments: stiffness, elongations at which they slip,
// directions.
struct rest_springs {
  double k, bound[2];
  vec3 along[2];
};

static struct rest_springs rest_springs_of(const struct pipe_mesh *p, const struct pipe_state *s,
                                           const struct pipe_work *w, int i) {
  struct rest_springs springs = {.k = p->pipe->friction.stiffness_npm2 * p->contact_length_m[i]};
  vec3 n = normal_at(p, s, i), t = pipe_axis(s, i), a = vec3_axpy(-vec3_dot(t, n), n, t);
  if (!(vec3_dot(a, a) > 0)) // upright
    a = (vec3){n.z, 0, -n.x};

  springs.along[0] = vec3_scale(1 / vec3_norm(a), a);
  springs.along[1] = vec3_cross(n, springs.along[0]);

  for (int d = 0; d < 2; d++)
    springs.bound[d] = p->pipe->friction.coefficient[d] * w->normal_force_n[i] / springs.k;

  return springs;
}

static double clamped(double elongation, double bound) {
  return elongation > bound ? bound : elongation < -bound ? -bound : elongation;
}

static void add_force(struct pipe_work *w, int i, double scale, vec3 force) {
  pipe_set3(w->residual, i, vec3_axpy(-scale, force, pipe_get3(w->residual, i)));
}

void pipe_static_forces(const struct pipe_mesh *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_static_loads *loads) {
  for (int i = 0; i < p->nodes; i++) {
    if (loads->current)
      add_force(w, i, 1, drag_of(p, s, loads, i, NULL));
    if (loads->ground == GROUND_BEARING && is_on_ground(p, w, i))
      add_force(w, i, -w->normal_force_n[i], bearing_force(normal_at(p, s, i)));
    if (loads->ground != GROUND_FRICTION)
      continue;
    w->end_friction_elongation_m[0][i] = w->end_friction_elongation_m[1][i] = 0;
    if (!is_on_ground(p, w, i))
      continue;
    struct rest_springs springs = rest_springs_of(p, s, w, i);
    for (int d = 0; d < 2; d++) {
      w->end_friction_elongation_m[d][i] = clamped(s->friction_elongation_m[d][i], springs.bound[d]);
      add_force(w, i, -springs.k * w->end_friction_elongation_m[d][i], springs.along[d]);
    }
  }
}

static void add_outer(double block[36], double scale, vec3 e, vec3 f) {
  const double a[3] = {e.x, e.y, e.z}, b[3] = {f.x, f.y, f.z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      block[block_at(r, c)] += scale * a[r] * b[c];
}

// Derivative of the normal force, halved as in the tangent of a step; turn: of the normal.
static vec3 normal_force_rate(const struct pipe_mesh *p, const struct pipe_state *s,
                              const struct pipe_work *w, int i, mat3 *turn) {
  vec3 r = pipe_get3(s->r_n, i), end;
  struct surface_pass pass =
      surface_pass_of(&p->pipe->ground, p->contact_offset_m[i], w->penetration_m[i], r, NO_STEP);
  const double derivative = pipe_contact_rest_stiffness(p, s, i, pass.after_m);
  surface_pass_rates(&p->pipe->ground, &pass, r, NO_STEP, &end, turn);
  return vec3_scale(p->contact_length_m[i] * derivative, end);
}

static void friction_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                             int symmetric, int i, double block[36]) {
  struct rest_springs springs = rest_springs_of(p, s, w, i);
  mat3 turn;
  vec3 rate = normal_force_rate(p, s, w, i, &turn);

  for (int d = 0; d < 2; d++) {
    double elongation = s->friction_elongation_m[d][i], bound = springs.bound[d];
    if (fabs(elongation) < bound)
      add_outer(block, 0.5 * springs.k, springs.along[d], springs.along[d]);
    else if (!symmetric)
      add_outer(block, (elongation > 0 ? 1 : -1) * p->pipe->friction.coefficient[d], springs.along[d], rate);
  }
}

void pipe_static_tangent(const struct pipe_mesh *p, const struct pipe_state *s, const struct pipe_work *w,
                         const struct pipe_static_loads *loads, int symmetric, int i, double block[36]) {
  if (loads->current && !symmetric) {
    double derivative[3][3];
    drag_of(p, s, loads, i, derivative);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        block[block_at(r, 3 + c)] -= 0.5 * derivative[r][c];
  }

  if (!is_on_ground(p, w, i))
    return;

  if (loads->ground == GROUND_FRICTION)
    friction_tangent(p, s, w, symmetric, i, block);

  if (loads->ground == GROUND_BEARING && !symmetric) {
    mat3 turn;
    vec3 rate = normal_force_rate(p, s, w, i, &turn);
    add_outer(block, 1, bearing_force(normal_at(p, s, i)), rate);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        block[block_at(r, c)] -= w->normal_force_n[i] * turn.m[r][c];
  }
}

void pipe_static_commit_slip(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w) {
  pipe_friction_commit(p, s, w);
}

void pipe_static_elongate_friction(const struct pipe_mesh *p, struct pipe_state *s,
                                   const struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    struct rest_springs springs = rest_springs_of(p, s, w, i);
    for (int d = 0; d < 2; d++)
      s->friction_elongation_m[d][i] =
          is_on_ground(p, w, i)
              ? s->friction_elongation_m[d][i] + vec3_dot(springs.along[d], pipe_get3(w->dr_n, i))
              : 0;
  }
}

// From GROUND_BEARING to GROUND_FRICTION: the component of the vertical reaction along the ground becomes the
// elongation of the friction springs, up to their bounds.
void pipe_static_start_friction(const struct pipe_mesh *p, struct pipe_state *s, const struct pipe_work *w) {
  for (int i = 0; i < p->nodes; i++) {
    s->friction_elongation_m[0][i] = s->friction_elongation_m[1][i] = 0;
    if (!is_on_ground(p, w, i))
      continue;
    struct rest_springs springs = rest_springs_of(p, s, w, i);
    vec3 force = vec3_scale(w->normal_force_n[i], bearing_force(normal_at(p, s, i)));
    for (int d = 0; d < 2; d++)
      s->friction_elongation_m[d][i] =
          clamped(vec3_dot(springs.along[d], force) / springs.k, springs.bound[d]);
  }
}

double pipe_static_slipping_length(const struct pipe_mesh *p, const struct pipe_state *s,
                                   const struct pipe_work *w) {
  double length = 0;
  for (int i = 0; i < p->nodes; i++) {
    if (!is_on_ground(p, w, i))
      continue;
    struct rest_springs springs = rest_springs_of(p, s, w, i);
    int slips = 0;
    for (int d = 0; d < 2; d++)
      slips |= springs.bound[d] > 0 && fabs(s->friction_elongation_m[d][i]) >= springs.bound[d];
    length += slips ? p->contact_length_m[i] : 0;
  }

  return length;
}
