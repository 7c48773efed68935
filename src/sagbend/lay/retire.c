// Node 0 retires where the touchdown is farther than the anchor length from the next node, and the two nodes
// above it rest: the next node becomes the lower end, held and clamped where it lies. All that belongs to
// node 0 goes to a store, a ring in which node number k has the place k modulo its capacity. What the energy
// changes is the work of the port `retired`.
#include "sagbend/lay/retire.h"

#include "sagbend/lay/lay.h"
#include "sagbend/pipe/feed.h"
#include "sagbend/pipe/section_forces.h"

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

static double *soil_of(const struct model_state *s, uint64_t number) {
  return s->laid_soil_m + number % s->retire.capacity * SOIL_MEMORY;
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
  if (m->pipe.has_soil && !valid_finite(s->laid_soil_m, capacity * SOIL_MEMORY, "laid node", why))
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
  for (size_t k = 0; k < SOIL_MEMORY && p->pipe->has_soil; k++)
    soil_of(s, s->retire.retired)[k] = pipe->soil_m[k][0];
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
  for (size_t k = 0; k < SOIL_MEMORY && m->pipe.has_soil; k++) {
    pipe->soil_m[k][0] = soil_of(s, s->retire.retired - 1)[k];
    soil_of(s, s->retire.retired - 1)[k] = 0;
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
  const int is_full = p->elements >= p->pipe->feed.elements_max;
  if (s->retire.stored > 0 && !is_full) {
    return_newest(m, s, w);
    return 1;
  }
  s->retire.exhausted |= !is_full;
  if (!s->payout.stopped && (is_full || s->payout.speed_mps < 0))
    payout_brake(&s->payout, time_s, is_full ? PAYOUT_FEED_FULL : PAYOUT_STORE_EMPTY);
  return 0;
}
