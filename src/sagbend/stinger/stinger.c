// Where the rollers of a stinger stand, and the balance of one in the frame of the vessel.
#include "sagbend/stinger/stinger.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static vec3 listed(const struct stinger_def *def, int k) {
  return vec3_of(def->support[k].at_b_m);
}

// Unit vector from support k to support j, towards the hang-off.
static vec3 chord(const struct stinger_def *def, int k, int j) {
  const vec3 d = vec3_sub(listed(def, j), listed(def, k));
  return vec3_scale(1 / vec3_norm(d), d);
}

static vec3 listed_direction(const struct stinger_def *def, int k) {
  const int last = def->support_count - 1;
  if (last == 0)
    return (vec3){1, 0, 0};
  if (k > 0 && k < last)
    return chord(def, k + 1, k - 1);
  const vec3 end = k == 0 ? chord(def, 1, 0) : chord(def, last, last - 1);
  if (last == 1)
    return end;
  const vec3 beside = listed_direction(def, k == 0 ? 1 : last - 1); // mirrored in the chord
  return vec3_axpy(2 * vec3_dot(beside, end), end, vec3_scale(-1, beside));
}

static struct stinger_support listed_support(const struct stinger_def *def, int k) {
  const vec3 along = listed_direction(def, k), up = vec3_cross(along, (vec3){0, 1, 0});
  return (struct stinger_support){listed(def, k), along, vec3_scale(-1 / vec3_norm(up), up)};
}

double stinger_spacing(const struct stinger_def *def) {
  double least = (double)INFINITY;
  if (def->support_count == 0)
    return def->spacing_m;
  for (int k = 1; k < def->support_count; k++)
    least = fmin(least, vec3_norm(vec3_sub(listed(def, k), listed(def, k - 1))));
  return least;
}

struct stinger_support stinger_support_of(const struct stinger_def *def, int k) {
  if (def->support_count > 0)
    return listed_support(def, k);
  const double s = (k - def->ramp_supports) * def->spacing_m, slope = def->slope_rad;
  const double angle = s > 0 ? slope + s / def->radius_m : slope;
  const double c = trig_cos(angle), d = trig_sin(angle);
  struct stinger_support x = {vec3_of(def->start_b_m), {c, 0, -d}, {-d, 0, -c}};
  if (s > 0) {
    x.at_b_m.x -= def->radius_m * (d - trig_sin(slope));
    x.at_b_m.z += def->radius_m * (trig_cos(slope) - c);
  } else {
    x.at_b_m = vec3_axpy(-s, x.along_b, x.at_b_m);
  }
  return x;
}

int stinger_rollers(const struct stinger_def *def, double pipe_radius_m, struct roller to[MAX_ROLLERS]) {
  const int each = stinger_rollers_each(def);
  int count = 0;
  for (int k = 0; k < stinger_supports(def); k++) {
    const struct stinger_support at = stinger_support_of(def, k);
    for (int side = 0; side < each; side++) {
      const double tilt = each == 1 ? 0 : side ? -def->v_angle_rad : def->v_angle_rad;
      const vec3 beam = {0, 1, 0};
      struct roller *r = &to[count++];
      *r = (struct roller){.reach_m = def->roller_radius_m + pipe_radius_m,
                           .spring = {def->stiffness_npm, def->soft_m},
                           .holds = def->holds,
                           .friction = def->friction,
                           .friction_stiffness_npm = def->friction_stiffness_npm};
      r->axis_b = vec3_axpy(trig_sin(tilt), at.up_b, vec3_scale(trig_cos(tilt), beam));
      r->up_b = vec3_axpy(-trig_sin(tilt), beam, vec3_scale(trig_cos(tilt), at.up_b));
      r->at_b_m = vec3_axpy(-r->reach_m, r->up_b, at.at_b_m);
    }
  }
  return count;
}

// ------------------------------------------------------------
// Places of a roller from the poses of pipe and vessel, and back to forces. With the vessel's attitude Q and
// reference point o, d = r - o, and the means m of start and end, over a step of the rotation theta,
//   y = Q'd - c:   dy = Qm'(dr - do) + dQ'dm,   dQ'dm . G = theta . (Qm G x dm),
// and likewise for the axes. The work G.dy is therefore that of the force f = Qm G on the node, of the moment
// tm x Qm G from the axis, and of minus the sum of f and minus the sum of dm x f + moments on the vessel.

// base plus a share of the change of q by the rotation cay(turn).
static mat3 turned_from(const mat3 *base, const mat3 *q, vec3 turn, double share) {
  mat3 to;
  for (int k = 0; k < 3; k++) {
    vec3 change = cayley_increment(turn, mat3_column(q, k));
    to.m[0][k] = base->m[0][k] + share * change.x;
    to.m[1][k] = base->m[1][k] + share * change.y;
    to.m[2][k] = base->m[2][k] + share * change.z;
  }
  return to;
}

// The attitude after a share of the step.
static mat3 attitude(const struct roller_poses *p, double share) {
  return turned_from(&p->q, &p->q, p->turn, share);
}

// The change of the attitude, Q1 - Q0, beside its mean.
static mat3 turn_of(const struct roller_poses *p) {
  const mat3 none = {{{0}}};
  return turned_from(&none, &p->q, p->turn, 1);
}

// r - o of a node: start plus a share of the change.
static vec3 arm(const struct roller_poses *p, int i, double share) {
  return vec3_axpy(share, vec3_sub(p->dr[i], p->vessel_change_n), vec3_sub(p->r[i], p->vessel_n));
}

static vec3 axis(const struct roller_poses *p, int i, double share) {
  return vec3_axpy(share, p->axis_change[i], p->axis[i]);
}

void roller_take_start(struct roller_step *x, const struct roller_poses *p) {
  for (int i = 0; i < x->nodes; i++) {
    vec3_to(vec3_sub(mat3_tmul(&p->q, arm(p, i, 0)), x->roller->at_b_m), x->start + 6 * i);
    vec3_to(mat3_tmul(&p->q, p->axis[i]), x->start + 6 * i + 3);
  }
}

void roller_take_changes(struct roller_step *x, const struct roller_poses *p) {
  const mat3 mean = attitude(p, 0.5), turn = turn_of(p);
  for (int i = 0; i < x->nodes; i++) {
    double *dy = x->change + 6 * i;
    const vec3 dr = vec3_sub(p->dr[i], p->vessel_change_n);
    vec3_to(vec3_add(mat3_tmul(&mean, dr), mat3_tmul(&turn, arm(p, i, 0.5))), dy);
    vec3_to(vec3_add(mat3_tmul(&mean, p->axis_change[i]), mat3_tmul(&turn, axis(p, i, 0.5))), dy + 3);
  }
}

// Attitude, axes and arms at a share of the step.
struct frame {
  mat3 q;
  vec3 axis[ROLLER_NODES], arm[ROLLER_NODES];
};

static void frame_of(const struct roller_poses *p, double share, int first, int last, struct frame *to) {
  to->q = attitude(p, share);
  for (int i = first; i <= last; i++)
    to->axis[i] = axis(p, i, share), to->arm[i] = arm(p, i, share);
}

// Forces and moments of the places, in the order of the unknowns: on the nodes f, t x f, and minus their sum
// on the vessel; the length.
static void wrench_of(const struct frame *frame, const double places[ROLLER_PLACES], int first, int last,
                      double to[ROLLER_STRIDE]) {
  vec3 force = {0, 0, 0}, moment = {0, 0, 0};
  for (int i = first; i <= last; i++) {
    const vec3 f = mat3_mul(&frame->q, vec3_of(places + 6 * i)),
               m = vec3_cross(frame->axis[i], mat3_mul(&frame->q, vec3_of(places + 6 * i + 3)));
    vec3_to(f, to + 6 * i);
    vec3_to(m, to + 6 * i + 3);
    force = vec3_sub(force, f);
    moment = vec3_sub(moment, vec3_add(m, vec3_cross(frame->arm[i], f)));
  }
  vec3_to(force, to + ROLLER_VESSEL);
  vec3_to(moment, to + ROLLER_VESSEL + 3);
  to[ROLLER_GROWN] = places[ROLLER_LENGTH];
}

struct roller_balance roller_balance_of(const struct roller_step *x, const struct roller_poses *p,
                                        const double push[ROLLER_PLACES]) {
  struct roller_balance b;
  struct frame mean;
  double to[ROLLER_STRIDE];
  memset(&b, 0, sizeof b);
  frame_of(p, 0.5, 0, x->nodes - 1, &mean);
  wrench_of(&mean, push, 0, x->nodes - 1, to);
  for (int i = 0; i < x->nodes; i++)
    b.force_n[i] = vec3_of(to + 6 * i), b.moment_nm[i] = vec3_of(to + 6 * i + 3);
  b.vessel_force_n = vec3_scale(-1, vec3_of(to + ROLLER_VESSEL));
  b.vessel_moment_nm = vec3_scale(-1, vec3_of(to + ROLLER_VESSEL + 3));
  return b;
}

// ---- Tangent ----

// A column of the tangent: adds a force and a moment on a node, and their opposite on the vessel.
static void respond(double column[ROLLER_STRIDE], const struct frame *mean, int node, vec3 force,
                    vec3 moment) {
  double *own = column + 6 * node, *vessel = column + ROLLER_VESSEL;
  const vec3 turns = vec3_add(vec3_cross(mean->arm[node], force), moment);
  vec3_to(vec3_add(vec3_of(own), force), own);
  vec3_to(vec3_add(vec3_of(own + 3), moment), own + 3);
  vec3_to(vec3_sub(vec3_of(vessel), force), vessel);
  vec3_to(vec3_sub(vec3_of(vessel + 3), turns), vessel + 3);
}

// What a node adds beside the outer products: places of the same change (alike), forces that turn with the
// vessel, and arms and axes that move.
static void add_node(const struct frame *mean, const struct frame *end, const double push[6], double alike,
                     int i, double to[][ROLLER_STRIDE]) {
  const vec3 f = mat3_mul(&mean->q, vec3_of(push)), on_axis = mat3_mul(&mean->q, vec3_of(push + 3)),
             w = mat3_mul(&end->q, vec3_of(push)), w_axis = mat3_mul(&end->q, vec3_of(push + 3));
  for (int k = 0; k < 3; k++) {
    const double unit[3] = {k == 0, k == 1, k == 2};
    const vec3 e = vec3_of(unit), swing = vec3_cross(e, end->axis[i]), none = {0, 0, 0};
    // The places follow the motion of the node and the opposite of the vessel's.
    const vec3 df = vec3_scale(alike, mat3_mul(&mean->q, mat3_tmul(&end->q, e)));
    const vec3 dm =
        vec3_cross(mean->axis[i], vec3_scale(alike, mat3_mul(&mean->q, mat3_tmul(&end->q, swing))));
    const vec3 far = vec3_cross(e, end->arm[i]);
    const vec3 dw = vec3_scale(-alike, mat3_mul(&mean->q, mat3_tmul(&end->q, far)));
    respond(to[6 * i + k], mean, i, df, none);
    respond(to[6 * i + 3 + k], mean, i, none, vec3_axpy(0.5, vec3_cross(swing, on_axis), dm));
    respond(to[ROLLER_VESSEL + k], mean, i, vec3_scale(-1, df), none);
    respond(to[ROLLER_VESSEL + 3 + k], mean, i, vec3_axpy(0.5, vec3_cross(e, w), dw),
            vec3_sub(vec3_scale(0.5, vec3_cross(mean->axis[i], vec3_cross(e, w_axis))), dm));

    // The mean arm on the vessel moves with the node and against the vessel.
    const vec3 lever = vec3_scale(0.5, vec3_cross(e, f));
    double *by_node = to[6 * i + k] + ROLLER_VESSEL + 3,
           *by_vessel = to[ROLLER_VESSEL + k] + ROLLER_VESSEL + 3;
    vec3_to(vec3_sub(vec3_of(by_node), lever), by_node);
    vec3_to(vec3_add(vec3_of(by_vessel), lever), by_vessel);
  }
}

// Columns from .. end - 1 of the sum of the outer products; rows as whole lanes from these two places on.
KERNEL_CLONES
static void sum_terms(double left[][ROLLER_STRIDE], double right[][ROLLER_STRIDE], int count, int from,
                      int end, int first_row, int end_row, double to[][ROLLER_STRIDE]) {
  for (int u = from; u < end; u++)
    for (int a = first_row; a < ROLLER_STRIDE; a = a + LANES == end_row ? ROLLER_VESSEL : a + LANES) {
      lanes sum = {0}, x;
      for (int t = 0; t < count; t++) {
        lanes_load(&x, left[t] + a);
        sum += x * right[t][u];
      }
      lanes_store(to[u] + a, &sum);
    }
}

void roller_balance_tangent(const struct roller_step *x, const struct roller_poses *p,
                            const double push[ROLLER_PLACES], const struct roller_stiffness *k,
                            struct roller_tangent *tangent) {
  double left[ROLLER_TERMS][ROLLER_STRIDE], right[ROLLER_TERMS][ROLLER_STRIDE];
  struct frame mean, end;
  int first = k->first, last = k->last;
  if (6 * (last - first + 1) % LANES != 0) // whole lanes
    first = 0, last = ROLLER_NODES - 1;
  const int row = 6 * first, end_row = 6 * (last + 1);
  tangent->first = first, tangent->last = last;
  frame_of(p, 0.5, first, last, &mean);
  frame_of(p, 1, first, last, &end);
  for (int t = 0; t < k->count; t++) {
    wrench_of(&mean, k->left[t], first, last, left[t]);
    wrench_of(&end, k->right[t], first, last, right[t]);
    left[t][ROLLER_UNKNOWNS] = 0;
  }
  sum_terms(left, right, k->count, row, end_row, row, end_row, tangent->to);
  sum_terms(left, right, k->count, ROLLER_VESSEL, ROLLER_UNKNOWNS, row, end_row, tangent->to);
  for (int i = k->first; i <= k->last; i++)
    add_node(&mean, &end, push + 6 * i, k->alike_npm, i, tangent->to);
  if (x->growing >= k->first && x->growing < k->last)
    tangent->to[ROLLER_GROWN][ROLLER_GROWN] += k->alike_npm;
}
