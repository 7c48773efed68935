// Split and merge of the top element, between steps. The new node takes the place where the forces on it,
// with its weight and its inertia, are in equilibrium between its neighbours, so that tension and energy
// hardly change.
#include "sagbend/lay/lay.h"
#include "sagbend/lay/lay_internal.h"

#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/plasticity/plasticity.h"
#include "sagbend/sections/sections.h"

// Of the length of an element: where the top element exceeds its own by this share of the next one, it is
// split.
static const double LONGER_SHARE = 0.1;
static const double SHORTEST_SHARE = PIPE_SHORTEST_SHARE; // a shorter one is merged with its neighbour

// Velocity of the grip at time_s, n. That of a moved top is a mean over the step in the state.
static vec3 grip_velocity(const struct model *m, const struct model_state *s, double time_s, double step_s) {
  if (!s->mesh.pipe.top_moved)
    return pipe_get3(s->pipe.v_n, s->mesh.pipe.nodes - 1);
  vec3 ahead = model_motion_offset(&m->motion, time_s + step_s),
       behind = model_motion_offset(&m->motion, time_s - step_s);
  return vec3_scale(0.5 / step_s, vec3_sub(ahead, behind));
}

void payout_keep_velocity(const struct model *m, struct model_state *s, double time_s, double step_s) {
  if (m->pipe.tally.present)
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
  const struct pipe_mesh *p = &s->mesh.pipe;
  const struct pipe_top_load load = pipe_load_of(p, s->payout.top_m);
  const int n = p->nodes - 1;
  struct accelerations a = {{0, 0, 0}, {0, 0, 0}};
  if (s->prediction.steps == 0)
    return a;
  a.lower = vec3_scale(2 / (step_s * step_s), pipe_get3(s->pipe.beyond_n[0], n - 1));
  vec3 change = vec3_sub(grip_velocity(m, s, time_s, step_s), vec3_of(s->payout.top_velocity_n));
  double mass = load.own_m[1] * across_mass(p->top.own);
  if (load.next_m[1] > 0)
    mass += load.next_m[1] * across_mass(p->top.next);
  a.upper = vec3_sub(vec3_scale(1 / step_s, change),
                     vec3_scale(1 / mass, model_top_water_force(m, s, time_s, step_s)));
  // As the material at the grip, which moves through it.
  double tension = pipe_still_grip_n(p, &s->pipe, s->payout.speed_mps * step_s);
  double leaves = payout_acceleration(m, s, time_s, step_s, tension);
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
static double lower_share(const struct pipe_mesh *p, int i, int stiffness) {
  const double lower = p->length_m[i - 1] / p->stiffness[stiffness][i - 1],
               upper = p->length_m[i] / p->stiffness[stiffness][i];
  return lower / (lower + upper);
}

// Velocity of the new node: the material above the lower node moves through the grip. Call after it has been
// placed.
static void set_velocities(const struct pipe_mesh *p, struct pipe_state *s, int node, vec3 grip_mps,
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
  for (int k = 0; k < pipe_prediction_steps(p); k++)
    for (int c = 0; c < 6; c++) { // the prediction of the next step
      double *const beyond = pipe_beyond(s, k, c), share = c < 3 ? axial : bending;
      beyond[node] = beyond[below] + share * (beyond[above] - beyond[below]);
    }
}

// Kinetic energy that the lengths gain which lie at the grip while the two elements at the top are one, and
// at the node between them while they are two.
static double moved_energy(const struct model *m, const struct model_state *s) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const struct pipe_stretch *kinds[] = {pipe_stretch_of_place(p->pipe, p->top.place - 1), p->top.own};
  const double top_m = s->payout.top_m;
  const struct pipe_top_load one = pipe_load_between(kinds[0], kinds[1], kinds[0]->element_m + top_m);
  const double moved[] = {one.own_m[1], one.next_m[1] - 0.5 * top_m};
  double sum = 0;
  for (int k = 0; k < 2; k++)
    sum += moved[k] * (payout_node_kinetic(&kinds[k]->kind->metre, s, p->nodes - 2) -
                       payout_top_kinetic(m, &kinds[k]->kind->metre, s));
  return sum;
}

// What a node carries.
struct node_load {
  double mass_kg, axial_excess_kg, weight_n;
};

static struct node_load load_of(const struct pipe_mesh *p, const struct pipe_state *s, int i) {
  return (struct node_load){p->mass_kg[i], p->axial_excess_kg[i],
                            p->weight_n[i] + pipe_waterline_load(p, s, i)};
}

// Adds weight and inertia of a load at a node to what the nodes hold.
static void hold_load(struct settle_hold *hold, const struct pipe_state *s, int node, struct node_load load,
                      double sign, vec3 acceleration) {
  if (node < hold->first)
    return;
  vec3 axis = pipe_axis(s, node), force = vec3_scale(-load.mass_kg, acceleration);
  force = vec3_axpy(-load.axial_excess_kg * vec3_dot(axis, acceleration), axis, force);
  force.z += load.weight_n;
  double *to = hold->load + 6 * (node - hold->first);
  vec3_to(vec3_axpy(sign, force, vec3_of(to)), to);
}

static struct settle_motion motion_of(const struct model *m, const struct model_state *s,
                                      const struct pipe_growth *last, double time_s, double step_s) {
  const struct pipe_top_load load = pipe_load_of(&s->mesh.pipe, s->payout.top_m);
  const double speed = s->payout.speed_mps;
  const int is_known = last->step_s > 0;
  return (struct settle_motion){.grip_mps = grip_velocity(m, s, time_s, step_s),
                                .speed_mps = speed,
                                .step_s = step_s,
                                .weight_rate = {0, 0, speed * pipe_hanging_weight(&s->mesh.pipe, &load)},
                                .is_rate_known = is_known,
                                .axial_rate_nps = is_known ? last->axial_change_n / last->step_s : 0};
}

static double split(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                    double step_s) {
  struct pipe_mesh *p = &s->mesh.pipe;
  const double length = s->payout.top_m, nominal = p->top.own->element_m, share = nominal / length;
  const int node = p->nodes - 1; // the place of the new one
  struct settle_motion motion = motion_of(m, s, &w->pipe.growth, time_s, step_s);
  const struct accelerations a = accelerations_of(m, s, time_s, step_s);
  struct settle_hold hold = settle_hold_of(m, s, node - 1, &motion);
  const struct node_load before = load_of(p, &s->pipe, node - 1);
  payout_take_steepness(p, s);
  pipe_state_insert_below_top(p, &s->pipe);
  place_between(&s->pipe, node - 1, node, node + 1, share, length);
  if (p->pipe->in_sea)
    s->pipe.surface_m[0][node] = s->pipe.surface_m[0][node - 1] +
                                 share * (s->pipe.surface_m[0][node + 1] - s->pipe.surface_m[0][node - 1]);

  s->payout.elements++, s->payout.splits++;
  s->payout.top_m = length - nominal;
  payout_follow(m, s, w);
  hold_load(&hold, &s->pipe, node - 1, before, -1, a.lower);
  hold_load(&hold, &s->pipe, node - 1, load_of(p, &s->pipe, node - 1), 1, a.lower);
  hold_load(&hold, &s->pipe, node, load_of(p, &s->pipe, node), 1, between(a.lower, a.upper, share));
  const int is_settled = settle_places(s, &hold, &motion);
  pipe_plastic_relax(p, &s->pipe, p->elements - hold.first + 1);
  set_velocities(p, &s->pipe, node, motion.grip_mps, s->payout.speed_mps);
  if (is_settled)
    settle_velocities(s, &hold, &motion);
  return moved_energy(m, s);
}

static double merge(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                    double step_s) {
  struct pipe_mesh *p = &s->mesh.pipe;
  const int node = p->nodes - 3; // the one that comes below the top
  const double feed = -moved_energy(m, s);
  struct settle_motion motion = motion_of(m, s, &w->pipe.growth, time_s, step_s);
  struct settle_hold hold = settle_hold_of(m, s, node, &motion);
  const struct node_load before = load_of(p, &s->pipe, node);
  payout_take_steepness(p, s);
  pipe_state_remove_below_top(p, &s->pipe);
  s->payout.elements--, s->payout.merges++;
  s->payout.top_m += p->length_m[p->elements - 2];
  payout_follow(m, s, w);
  const struct accelerations a = accelerations_of(m, s, time_s, step_s);
  hold_load(&hold, &s->pipe, node, before, -1, a.lower);
  hold_load(&hold, &s->pipe, node, load_of(p, &s->pipe, node), 1, a.lower);
  const int is_settled = settle_places(s, &hold, &motion);
  pipe_plastic_relax(p, &s->pipe, p->elements - hold.first + 1);
  if (is_settled)
    settle_velocities(s, &hold, &motion);
  return feed;
}

// Begins to brake for good.
static void payout_brake(struct payout_state *payout, double time_s, enum payout_stop why) NONBLOCKING {
  payout->stopped = why;
  payout->stop_time_s = time_s;
  payout->stop_speed_mps = payout->speed_mps;
}

int payout_remesh(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double step_s, double *feed_j) {
  const struct pipe_tally *tally = &m->pipe.tally;
  const struct pipe_top *top = &s->mesh.pipe.top;
  struct payout_state *payout = &s->payout;
  if (!tally->present)
    return 0;
  const int is_last = s->mesh.pipe.elements + s->mesh.pipe.first <= tally->elements_min,
            is_room = s->mesh.pipe.elements < tally->elements_max && top->next;
  const double way = payout_braking_length(payout->speed_mps), own = top->own->element_m,
               next = top->next ? top->next->element_m : own;
  if (payout->top_m >= own + LONGER_SHARE * next) {
    if (is_room) {
      *feed_j = split(m, s, w, time_s, step_s);
      return 1;
    }
    if (!payout->stopped && payout->speed_mps > 0)
      payout_brake(payout, time_s, PAYOUT_TALLY_ENDED);
  } else if (is_last && !payout->stopped && payout->speed_mps < 0 &&
             payout->top_m <= SHORTEST_SHARE * own + way) {
    payout_brake(payout, time_s, PAYOUT_TALLY_ENDED);
  } else if (!is_last && payout->top_m <= SHORTEST_SHARE * own) {
    *feed_j = merge(m, s, w, time_s, step_s);
    return 1;
  }
  return 0;
}

// ------------------------------------------------------------
// Node 0 retires where the touchdown is farther than the anchor length from the next node, and the two nodes
// above it rest: the next node becomes the lower end, held and clamped where it lies. All that belongs to
// node 0 goes to a store, a ring in which node number k has the place k modulo its capacity. What the energy
// changes is the work of the port `retired`.

static const double REST_MPS = 1e-4; // a node below this speed rests
enum { ELEMENTS_LEFT = 4 };          // fewer are never left

static const size_t LAYER_DOUBLES = 2 * PLASTIC_LAYERS; // of a retired node

void retire_start(struct model_state *s) {
  s->retire.arc_m = s->mesh.pipe.nodes > 0 ? s->mesh.pipe.arc_m[0] : 0;
}

static struct laid_node *place_of(const struct model_state *s, uint64_t number) {
  return &s->laid[number % s->retire.capacity];
}

static double *layers_of(const struct model_state *s, uint64_t number) {
  return s->laid_plastic_1pm + number % s->retire.capacity * LAYER_DOUBLES;
}

static double *soil_of(const struct model *m, const struct model_state *s, uint64_t number) {
  return s->laid_soil_m + number % s->retire.capacity * pipe_soil_doubles(&m->pipe);
}

// Double k of what the ground below the lowest node remembers.
static double *soil_of_lowest(const struct pipe_state *pipe, size_t k) {
  return k < SOIL_MEMORY ? pipe->soil_m[k] : pipe->remoulded[0];
}

double retire_newest_residual(const struct model *m, const struct model_state *s) {
  if (s->retire.stored == 0 || !m->pipe.has_plastic)
    return 0;
  const int place = (int)s->retire.retired - 1;
  const struct pipe_layers *layers = &pipe_stretch_of_place(&m->pipe, place)->kind->layers;
  double sum[2] = {0, 0}, stiffness = 0;
  for (int j = 0; j < layers->count; j++) {
    stiffness += layers->stiffness_nm2[j];
    for (int k = 0; k < 2; k++)
      sum[k] += layers->stiffness_nm2[j] * layers_of(s, s->retire.retired - 1)[2 * j + k];
  }
  return layers->count > 0 ? sqrt(sum[0] * sum[0] + sum[1] * sum[1]) / stiffness : 0;
}

const struct laid_node *retire_newest(const struct model_state *s) {
  return s->retire.stored > 0 ? place_of(s, s->retire.retired - 1) : NULL;
}

int retire_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const struct retire_state *retire = &s->retire;
  const uint64_t capacity = m->pipe.retiring.anchor_m > 0 ? (uint64_t)m->pipe.retiring.capacity : 0;
  if (!valid_whole(retire->capacity, capacity, capacity, "capacity", why) ||
      !valid_whole(retire->retired, 0, capacity > 0 ? VALID_MOST_STEPS : 0, "retired", why) ||
      !valid_whole(retire->stored, 0, retire->retired < capacity ? retire->retired : capacity, "stored",
                   why) ||
      !valid_whole(retire->exhausted, 0, 1, "exhausted", why) ||
      !valid_whole(retire->slipped, 0, VALID_MOST_STEPS, "slipped", why) ||
      !valid_finite(&retire->arc_m, 1, "arc_m", why))
    return 0;
  if (m->pipe.has_plastic && !valid_finite(s->laid_plastic_1pm, capacity * LAYER_DOUBLES, "laid node", why))
    return 0;
  if (m->pipe.has_soil &&
      !valid_finite(s->laid_soil_m, capacity * pipe_soil_doubles(&m->pipe), "laid node", why))
    return 0;
  for (uint64_t k = 0; k < retire->stored && capacity > 0; k++) {
    const struct laid_node *node = &s->laid[(retire->retired - 1 - k) % capacity];
    if (!valid_finite(&node->time_s, sizeof *node / sizeof(double), "laid node", why) ||
        !valid_unit_quaternion(node->q_nt, "laid node", why))
      return 0;
  }
  return 1;
}

// Arc length of the highest node that touches the ground; 0 without one.
static double touchdown_of(const struct pipe_mesh *p, const struct pipe_work *w) {
  for (int i = p->nodes - 1; i >= 0; i--)
    if (w->penetration_m[i] > 0 && p->contact_length_m[i] > 0)
      return p->arc_m[i];
  return 0;
}

static int slips(const struct pipe_work *w, int i) {
  return w->friction_slip_m[0][i] > 0 || w->friction_slip_m[1][i] > 0;
}

static int rests(const struct pipe_state *s, const struct pipe_work *w, int i) {
  vec3 v = pipe_get3(s->v_n, i);
  return vec3_dot(v, v) < REST_MPS * REST_MPS && !slips(w, i);
}

// Velocities and the history of the prediction of a node that is held from now on.
static void stop_node(const struct pipe_mesh *p, struct pipe_state *s, int i) {
  for (int c = 0; c < 3; c++)
    s->v_n[c][i] = s->omega_t[c][i] = 0;
  for (int k = 0; k < pipe_prediction_steps(p); k++)
    for (int c = 0; c < 6; c++)
      pipe_beyond(s, k, c)[i] = 0;
}

static void retire_lowest(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  struct pipe_state *pipe = &s->pipe;
  struct laid_node *node = place_of(s, s->retire.retired);
  *node = (struct laid_node){
      .time_s = time_s,
      .arc_m = p->arc_m[0],
      .r_n = {pipe->r_n[0][0], pipe->r_n[1][0], pipe->r_n[2][0]},
      .q_nt = {pipe->q_nt[0][0], pipe->q_nt[1][0], pipe->q_nt[2][0], pipe->q_nt[3][0]},
      .friction_elongation_m = {pipe->friction_elongation_m[0][0], pipe->friction_elongation_m[1][0]},
      .slip_m = {pipe->slip_m[0][0], pipe->slip_m[1][0]},
      .tension_n = pipe_element_section_forces(p, pipe, &w->pipe, 0).effective_tension_n};
  for (size_t k = 0; k < LAYER_DOUBLES && p->pipe->has_plastic; k++)
    layers_of(s, s->retire.retired)[k] = pipe->plastic_1pm[k][0];
  for (size_t k = 0; k < pipe_soil_doubles(p->pipe); k++)
    soil_of(m, s, s->retire.retired)[k] = *soil_of_lowest(pipe, k);
  s->retire.retired++;
  if (s->retire.stored < s->retire.capacity)
    s->retire.stored++;
  s->retire.arc_m = p->arc_m[1];
  s->payout.elements--;
  pipe_state_drop_lowest(p, pipe);
  stop_node(p, pipe, 0);
  payout_follow(m, s, w);
}

static void return_newest(const struct model *m, struct model_state *s, struct model_work *w) {
  struct pipe_state *pipe = &s->pipe;
  struct laid_node *node = place_of(s, s->retire.retired - 1);
  pipe_state_add_lowest(&s->mesh.pipe, pipe);
  for (int c = 0; c < 3; c++)
    pipe->r_n[c][0] = node->r_n[c];
  for (int c = 0; c < 4; c++)
    pipe->q_nt[c][0] = node->q_nt[c];
  for (int d = 0; d < 2; d++) {
    pipe->friction_elongation_m[d][0] = node->friction_elongation_m[d];
    pipe->slip_m[d][0] = node->slip_m[d];
  }
  for (size_t k = 0; k < LAYER_DOUBLES && m->pipe.has_plastic; k++) {
    pipe->plastic_1pm[k][0] = layers_of(s, s->retire.retired - 1)[k];
    layers_of(s, s->retire.retired - 1)[k] = 0;
  }
  for (size_t k = 0; k < pipe_soil_doubles(&m->pipe); k++) {
    *soil_of_lowest(pipe, k) = soil_of(m, s, s->retire.retired - 1)[k];
    soil_of(m, s, s->retire.retired - 1)[k] = 0;
  }
  s->retire.retired--, s->retire.stored--;
  s->retire.arc_m = node->arc_m;
  s->payout.elements++;
  *node = (struct laid_node){.time_s = 0};
  payout_follow(m, s, w);
}

int retire_update(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const double anchor = p->pipe->retiring.anchor_m;
  if (!(anchor > 0))
    return 0;
  const double touchdown = touchdown_of(p, &w->pipe);
  if (s->retire.retired > 0 && slips(&w->pipe, 1))
    s->retire.slipped++;

  if (touchdown - p->arc_m[1] > anchor && p->elements > ELEMENTS_LEFT && rests(&s->pipe, &w->pipe, 1) &&
      rests(&s->pipe, &w->pipe, 2)) {
    retire_lowest(m, s, w, time_s);
    return 1;
  }
  if (s->retire.retired == 0 || touchdown - p->arc_m[0] >= anchor - p->top.own->element_m)
    return 0;
  const int is_full = p->elements >= p->pipe->tally.elements_max;
  if (s->retire.stored > 0 && !is_full) {
    return_newest(m, s, w);
    return 1;
  }
  s->retire.exhausted |= !is_full;
  if (!s->payout.stopped && (is_full || s->payout.speed_mps < 0))
    payout_brake(&s->payout, time_s, is_full ? PAYOUT_TALLY_ENDED : PAYOUT_STORE_EMPTY);
  return 0;
}
