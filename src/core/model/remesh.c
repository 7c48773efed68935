// Split and merge of the top element, between steps. The new node takes the place where the forces on it,
// with its weight and its inertia, are in equilibrium between its neighbours, so that tension and energy
// hardly change.
#include "core/model/payout.h"

#include "core/pipe/feed.h"
#include "core/pipe/waterline.h"

// Of the length of an element: where the top element exceeds its own by this share of the next one, it is
// split.
static const double LONGER_SHARE = 0.1;
static const double SHORTEST_SHARE = PIPE_SHORTEST_SHARE; // a shorter one is merged with its neighbour

enum { UNKNOWNS = 9, ITERATIONS = 12 };

// Solves a x = b by elimination with row exchanges; 0 if a is singular.
static int solve_dense(double a[UNKNOWNS][UNKNOWNS], double *b, int count) {
  for (int k = 0; k < count; k++) {
    int pivot = k;
    for (int i = k + 1; i < count; i++)
      pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
    if (!(fabs(a[pivot][k]) > 0))
      return 0;
    for (int j = 0; j < count; j++) {
      double swap = a[k][j];
      a[k][j] = a[pivot][j], a[pivot][j] = swap;
    }
    double swap = b[k];
    b[k] = b[pivot], b[pivot] = swap;
    for (int i = k + 1; i < count; i++) {
      double factor = a[i][k] / a[k][k];
      for (int j = k; j < count; j++)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = count - 1; k >= 0; k--) {
    for (int j = k + 1; j < count; j++)
      b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return 1;
}

// The top of the pipe as it is brought into equilibrium. Unknowns: displacement and rotation of the node
// below the top, then the rotation of the top if it is free.
struct local {
  const struct pipe *p;
  struct pipe_state *s;
  int turns_top;
  int holds_node; // 1: the node below the top stays
  double grown_m; // change of the length of the top element in a step
  vec3 load_n;    // on the node below the top
};

// The balance of the unknowns and its derivative; returns their number.
static int assemble(const struct local *x, double a[UNKNOWNS][UNKNOWNS], double balance[UNKNOWNS]) {
  const int top = x->p->nodes - 1, count = x->turns_top ? 9 : 6;
  double upper[12][12], lower[12][12];
  struct growing_element above = pipe_still_element(x->p, x->s, top - 1);
  struct growing_element below = pipe_still_element(x->p, x->s, top - 2);
  pipe_stiffen_for_growth(&above, x->grown_m);
  struct growing_forces fa = growing_element_forces(&above), fb = growing_element_forces(&below);
  growing_element_tangent(&above, &fa, upper);
  growing_element_tangent(&below, &fb, lower);
  vec3_to(vec3_sub(vec3_sub(fb.force_n, fa.force_n), x->load_n), balance);
  vec3_to(vec3_scale(-1, vec3_add(fb.moment_upper, fa.moment_lower)), balance + 3);
  vec3_to(vec3_scale(-1, fa.moment_upper), balance + 6);

  // An increment at the end of a step moves the mean configuration by half of it, hence the factor of 2.
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      int row = i < 6 ? i : i + 3, column = j < 6 ? j : j + 3;
      a[i][j] = 2 * upper[row][column];
      if (i < 6 && j < 6)
        a[i][j] += 2 * lower[6 + i][6 + j];
    }
  for (int i = 0; i < 6 && x->holds_node; i++) {
    for (int j = 0; j < count; j++)
      a[i][j] = i == j;
    balance[i] = 0;
  }
  return count;
}

static void turn_node(struct pipe_state *s, int i, vec3 turn) {
  pipe_set_quat(s, i, quat_rotated(pipe_quat(s, i), turn));
}

// Newton's method from the present place; where it does not converge the place stays.
static void equilibrate(const struct local *x) {
  const int top = x->p->nodes - 1;
  const vec3 r = pipe_get3(x->s->r_n, top - 1);
  const quat node = pipe_quat(x->s, top - 1), end = pipe_quat(x->s, top);
  const double length = x->p->feed.own->element_m;
  double change = 1;
  for (int k = 0; k < ITERATIONS && change > 1e-13; k++) {
    double a[UNKNOWNS][UNKNOWNS], b[UNKNOWNS];
    int count = assemble(x, a, b);
    double size = solve_dense(a, b, count) ? 0 : (double)INFINITY;
    for (int i = 0; i < count; i++)
      size = fmax(size, i < 3 ? fabs(b[i]) / length : fabs(b[i]));
    change = isfinite(size) && size < 0.5 ? size : (double)INFINITY;
    if (!isfinite(change))
      break;
    pipe_set3(x->s->r_n, top - 1, vec3_sub(pipe_get3(x->s->r_n, top - 1), vec3_of(b)));
    turn_node(x->s, top - 1, vec3_scale(-1, vec3_of(b + 3)));
    if (x->turns_top)
      turn_node(x->s, top, vec3_scale(-1, vec3_of(b + 6)));
  }
  if (change < 1e-6)
    return;
  pipe_set3(x->s->r_n, top - 1, r);
  pipe_set_quat(x->s, top - 1, node);
  pipe_set_quat(x->s, top, end);
}

// Velocity of the grip at time_s, n. That of a moved top is a mean over the step in the state.
static vec3 grip_velocity(const struct model *m, const struct model_state *s, double time_s, double step_s) {
  if (!m->pipe.top_moved)
    return pipe_get3(s->pipe.v_n, m->pipe.nodes - 1);
  vec3 ahead = model_motion_offset(&m->motion, time_s + step_s),
       behind = model_motion_offset(&m->motion, time_s - step_s);
  return vec3_scale(0.5 / step_s, vec3_sub(ahead, behind));
}

void payout_keep_velocity(const struct model *m, struct model_state *s, double time_s, double step_s) {
  if (m->pipe.feed.present)
    vec3_to(grip_velocity(m, s, time_s, step_s), s->payout.top_velocity_n);
}

// Acceleration of the two ends of the top element by what acts within conservative steps: elasticity and
// weight. Drag acts outside of them.
struct accelerations {
  vec3 lower, upper;
};

// Mass of a metre that accelerates across its axis.
static double across_mass(const struct pipe_stretch *kind) {
  return kind->kind->metre.mass_kg + kind->kind->metre.added_transverse * kind->kind->metre.water_kg;
}

static struct accelerations accelerations_of(const struct model *m, const struct model_state *s,
                                             double time_s, double step_s) {
  const struct pipe *p = &m->pipe;
  const struct pipe_top_load load = pipe_load_of(p, s->payout.top_m);
  const int n = p->nodes - 1;
  struct accelerations a = {{0, 0, 0}, {0, 0, 0}};
  if (s->prediction.steps == 0)
    return a;
  a.lower = vec3_scale(2 / (step_s * step_s), pipe_get3(s->pipe.beyond_n[0], n - 1));
  vec3 change = vec3_sub(grip_velocity(m, s, time_s, step_s), vec3_of(s->payout.top_velocity_n));
  double mass = load.own_m[1] * across_mass(p->feed.own);
  if (load.next_m[1] > 0)
    mass += load.next_m[1] * across_mass(p->feed.next);
  a.upper = vec3_sub(vec3_scale(1 / step_s, change),
                     vec3_scale(1 / mass, model_top_water_force(m, s, time_s, step_s)));
  // As the material at the grip, which moves through it.
  double tension = pipe_still_grip_n(p, &s->pipe, s->payout.speed_mps * step_s);
  double leaves = payout_acceleration(m, &s->payout, time_s, step_s, tension, s->tensioner.holding_n);
  a.upper = vec3_axpy(-leaves, pipe_axis(&s->pipe, n), a.upper);
  return a;
}

// Where the new node starts from: a cubic between the nodes, and the attitude in proportion.
static void place_between(struct pipe_state *s, int below, int node, int above, double share, double length) {
  vec3 a = pipe_get3(s->r_n, below), b = pipe_get3(s->r_n, above);
  vec3 ta = vec3_scale(length, pipe_axis(s, below)), tb = vec3_scale(length, pipe_axis(s, above));
  double x = share, y = 1 - share;
  vec3 r = vec3_add(vec3_scale(y * y * (1 + 2 * x), a), vec3_scale(x * x * (3 - 2 * x), b));
  r = vec3_add(r, vec3_sub(vec3_scale(x * y * y, ta), vec3_scale(x * x * y, tb)));
  pipe_set3(s->r_n, node, r);

  quat q = pipe_quat(s, below), other = pipe_quat(s, above);
  quat way = quat_mul((quat){q.w, -q.x, -q.y, -q.z}, other);
  vec3 turn = vec3_scale(2 * share / way.w, (vec3){way.x, way.y, way.z});
  pipe_set_quat(s, node, quat_unit(quat_mul(q, quat_cayley(turn))));
}

// Curvature and twist between two nodes, section frame, 1/m.
static vec3 curvature_between(const struct pipe_state *s, int below, int above, double length) {
  quat q = pipe_quat(s, below);
  quat way = quat_mul((quat){q.w, -q.x, -q.y, -q.z}, pipe_quat(s, above));
  return vec3_scale(2 / (way.w * length), (vec3){way.x, way.y, way.z});
}

static vec3 between(vec3 a, vec3 b, double share) {
  return vec3_axpy(share, vec3_sub(b, a), a);
}

// Share of the lower of the two elements at node i in what both yield to a force or moment.
static double lower_share(const struct pipe *p, int i, int stiffness) {
  const double lower = p->length_m[i - 1] / p->stiffness[stiffness][i - 1],
               upper = p->length_m[i] / p->stiffness[stiffness][i];
  return lower / (lower + upper);
}

// Velocity of the new node: the material above the lower node moves through the grip. Call after it has been
// placed.
static void set_velocities(const struct pipe *p, struct pipe_state *s, int node, vec3 grip_mps,
                           double speed_mps) {
  const int below = node - 1, above = node + 1;
  const int is_one_kind = p->type[node - 1] == p->type[node];
  // Of one kind both are strained alike.
  const double axial = lower_share(p, node, 0), bending = is_one_kind ? axial : lower_share(p, node, 4);
  const int from = is_one_kind ? below : node;
  const double length = is_one_kind ? p->length_m[node - 1] + p->length_m[node] : p->length_m[node];
  vec3 slope = vec3_scale(1 / length, vec3_sub(pipe_get3(s->r_n, above), pipe_get3(s->r_n, from)));
  vec3 turn = curvature_between(s, from, above, length);
  // Across the axis by the lever of the lengths, along it by that of the flexibilities.
  const vec3 lower = pipe_get3(s->v_n, below), axis = pipe_axis(s, node),
             change = vec3_sub(vec3_axpy(-speed_mps, slope, grip_mps), lower);
  const double lever = p->length_m[node - 1] / (p->length_m[node - 1] + p->length_m[node]);
  const vec3 velocity = is_one_kind ? vec3_axpy(axial, change, lower)
                                    : vec3_axpy((axial - lever) * vec3_dot(axis, change), axis,
                                                vec3_axpy(lever, change, lower));
  pipe_set3(s->v_n, node, velocity);
  pipe_set3(s->omega_t, node,
            between(pipe_get3(s->omega_t, below), vec3_axpy(-speed_mps, turn, pipe_get3(s->omega_t, above)),
                    bending));
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 6; c++) { // the prediction of the next step
      const double *beyond = s->beyond_n[k][c], share = c < 3 ? axial : bending;
      s->beyond_n[k][c][node] = beyond[below] + share * (beyond[above] - beyond[below]);
    }
}

// Kinetic energy that the lengths gain which lie at the grip while the two elements at the top are one, and
// at the node between them while they are two.
static double moved_energy(const struct model *m, const struct model_state *s) {
  const struct pipe *p = &m->pipe;
  const struct pipe_stretch *kinds[] = {pipe_stretch_of_place(p, p->feed.place - 1), p->feed.own};
  const double top_m = s->payout.top_m;
  const struct pipe_top_load one = pipe_load_between(kinds[0], kinds[1], kinds[0]->element_m + top_m);
  const double moved[] = {one.own_m[1], one.next_m[1] - 0.5 * top_m};
  double sum = 0;
  for (int k = 0; k < 2; k++)
    sum += moved[k] * (payout_node_kinetic(&kinds[k]->kind->metre, s, p->nodes - 2) -
                       payout_top_kinetic(m, &kinds[k]->kind->metre, s));
  return sum;
}

// Weight and inertia of node i.
static vec3 load_on(const struct pipe *p, const struct pipe_state *s, int i, const struct accelerations *a,
                    double share) {
  vec3 acceleration = between(a->lower, a->upper, share), axis = pipe_axis(s, i);
  vec3 load = vec3_scale(-p->mass_kg[i], acceleration);
  load = vec3_axpy(-p->axial_excess_kg[i] * vec3_dot(axis, acceleration), axis, load);
  load.z += p->weight_n[i] + pipe_waterline_load(p, s, i);
  return load;
}

// Brings the node below the top into equilibrium, and the rotation of a top that is free to turn. share: its
// place between the ends to which the accelerations belong.
static void settle(const struct model *m, struct model_state *s, const struct accelerations *a, double share,
                   double step_s, int holds_node) {
  const struct local local = {&m->pipe,
                              &s->pipe,
                              !m->pipe.top_rotation_attached,
                              holds_node,
                              s->payout.speed_mps * step_s,
                              load_on(&m->pipe, &s->pipe, m->pipe.nodes - 2, a, share)};
  equilibrate(&local);
}

static double split(struct model *m, struct model_state *s, struct model_work *w, double time_s,
                    double step_s) {
  struct pipe *p = &m->pipe;
  const double length = s->payout.top_m, nominal = p->feed.own->element_m, share = nominal / length;
  const int node = p->nodes - 1; // the place of the new one
  const vec3 grip = grip_velocity(m, s, time_s, step_s);
  const struct accelerations a = accelerations_of(m, s, time_s, step_s);
  payout_take_steepness(p, s);
  pipe_state_insert_below_top(p, &s->pipe);
  place_between(&s->pipe, node - 1, node, node + 1, share, length);

  s->payout.elements++, s->payout.splits++;
  s->payout.top_m = length - nominal;
  payout_follow(m, s, w);
  settle(m, s, &a, share, step_s, 0);
  set_velocities(p, &s->pipe, node, grip, s->payout.speed_mps);
  return moved_energy(m, s);
}

static double merge(struct model *m, struct model_state *s, struct model_work *w, double time_s,
                    double step_s) {
  struct pipe *p = &m->pipe;
  const double feed = -moved_energy(m, s);
  payout_take_steepness(p, s);
  pipe_state_remove_below_top(p, &s->pipe);
  s->payout.elements--, s->payout.merges++;
  s->payout.top_m += p->length_m[p->elements - 2];
  payout_follow(m, s, w);
  const struct accelerations a = accelerations_of(m, s, time_s, step_s);
  // Under a top that cannot turn, the longer element would be sheared if its lower node stayed.
  settle(m, s, &a, 0, step_s, !p->top_rotation_attached);
  return feed;
}

void payout_brake(struct payout_state *payout, double time_s, enum payout_stop why) {
  payout->stopped = why;
  payout->stop_time_s = time_s;
  payout->stop_speed_mps = payout->speed_mps;
}

int payout_remesh(struct model *m, struct model_state *s, struct model_work *w, double time_s, double step_s,
                  double *feed_j) {
  const struct pipe_feed *feed = &m->pipe.feed;
  struct payout_state *payout = &s->payout;
  if (!feed->present)
    return 0;
  const int is_last = m->pipe.elements + m->pipe.first <= feed->elements_min,
            is_room = m->pipe.elements < feed->elements_max && feed->next;
  const double way = payout_braking_length(payout->speed_mps), own = feed->own->element_m,
               next = feed->next ? feed->next->element_m : own;
  if (payout->top_m >= own + LONGER_SHARE * next) {
    if (is_room) {
      *feed_j = split(m, s, w, time_s, step_s);
      return 1;
    }
    if (!payout->stopped && payout->speed_mps > 0)
      payout_brake(payout, time_s, PAYOUT_FEED_FULL);
  } else if (is_last && !payout->stopped && payout->speed_mps < 0 &&
             payout->top_m <= SHORTEST_SHARE * own + way) {
    payout_brake(payout, time_s, PAYOUT_FEED_FULL);
  } else if (!is_last && payout->top_m <= SHORTEST_SHARE * own) {
    *feed_j = merge(m, s, w, time_s, step_s);
    return 1;
  }
  return 0;
}
