// Snapshots: the state as bytes, checked before it is used.
#include "sagbend/sim/sim.h"

#include "sagbend/base/base.h"
#include "sagbend/lay/lay.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// NaN where the balance of a step that was not solved is not finite.
static int is_residual(double residual_n, struct reason *why) {
  return isnan(residual_n) || valid_finite(&residual_n, 1, "newton_residual_n", why);
}

// Returns 1 if counters and ledger read from a file are those of a run that has latched no fault. Otherwise
// returns 0 and fills why (sagbend/base/base.h).
static int sim_run_is_valid(const struct sim_run *run, struct reason *why) {
  const uint64_t all_events = (UINT64_C(1) << EVENT_COUNT) - 1;
  if (!ledger_is_valid(&run->ledger, why))
    return valid_fail_in(why, "ledger.");
  return valid_whole(run->step, 0, VALID_MOST_STEPS, "step", why) &&
         valid_whole(run->events, 0, all_events, "events", why) &&
         valid_whole(run->fault, 0, 0, "fault", why) &&
         valid_whole(run->not_converged_count, 0, run->step, "not_converged_count", why) &&
         valid_whole(run->divided_count, 0, run->step, "divided_count", why) &&
         valid_whole(run->contact_not_resolved_count, 0, run->step, "contact_not_resolved_count", why) &&
         valid_whole(run->newton_max, 0, INT_MAX, "newton_max", why) &&
         valid_whole(run->newton_iterations, 0, run->newton_max, "newton_iterations", why) &&
         valid_whole(run->newton_total, run->newton_max, VALID_MOST_STEPS, "newton_total", why) &&
         valid_whole(run->newton_tangents, 0, run->newton_iterations, "newton_tangents", why) &&
         valid_whole(run->newton_tangents_total, run->newton_tangents, run->newton_total,
                     "newton_tangents_total", why) &&
         is_residual(run->newton_residual_n, why) && valid_finite(run->control_b, 6, "control_b", why) &&
         valid_finite(run->top_rate_n, 3, "top_rate_n", why) &&
         valid_finite(run->top_rate_end_n, 3, "top_rate_end_n", why) &&
         valid_whole(run->tension.steps, 0, TENSION_START, "tension.steps", why) &&
         valid_finite(run->tension.tension_n, 2, "tension.tension_n", why) &&
         valid_finite(&run->tension.deviation_n, 1, "tension.deviation_n", why) &&
         valid_whole(run->tension.alternations, 0, TENSION_ALTERNATIONS, "tension.alternations", why) &&
         valid_finite(&run->tension.largest_n, 1, "tension.largest_n", why);
}

static const uint64_t SNAPSHOT_MAGIC = 0x3531474253ULL; // "SBG15"

size_t sim_snapshot_size(const struct sim *sim) {
  return sizeof(struct snapshot_head) + sim->field_bytes + sim->run.fatigue.bytes;
}

static struct snapshot_head head_of(const struct sim *sim) {
  struct snapshot_head head;
  memset(&head, 0, sizeof head);
  head.magic = SNAPSHOT_MAGIC;
  head.bytes = sim_snapshot_size(sim);
  head.elements = (uint64_t)sim->state.mesh.pipe.elements;
  head.run = sim->run;
  head.vessel = sim->state.vessel;
  memcpy(head.pid_integral, sim->state.pid_integral, sizeof head.pid_integral);
  head.plant = sim->state.plant;
  head.prediction = sim->state.prediction;
#define X(name, present) head.name = sim->state.name;
  FEATURE_TABLE(X)
#undef X
  return head;
}

void sim_snapshot(const struct sim *sim, void *buffer) {
  struct snapshot_head head = head_of(sim);
  memcpy(buffer, &head, sizeof head);
  unsigned char *const to = (unsigned char *)buffer + sizeof head;
  memcpy(to, sim->fields, sim->field_bytes);
  if (sim->run.fatigue.bytes > 0)
    memcpy(to + sim->field_bytes, sim->fatigue.element, sim->run.fatigue.bytes);
}

// An array of the state in a buffer that has the layout of sim->fields. Only for reading.
static double *array_in(const struct sim *sim, const void *fields, const double *array) {
  return (double *)((uintptr_t)fields + (uintptr_t)((const unsigned char *)array - sim->fields));
}

static void take_head(struct model_state *s, const struct snapshot_head *head) {
  s->vessel = head->vessel;
  memcpy(s->pid_integral, head->pid_integral, sizeof head->pid_integral);
  s->plant = head->plant;
  s->prediction = head->prediction;
#define X(name, present) s->name = head->name;
  FEATURE_TABLE(X)
#undef X
}

// The state in a buffer with this head, whose fields have the layout of sim->fields. Only for reading; the
// mesh is still that of the simulator.
static struct model_state state_in(const struct sim *sim, const struct snapshot_head *head,
                                   const void *fields) {
  struct model_state in = sim->state;
  take_head(&in, head);
  in.radiation.q = array_in(sim, fields, in.radiation.q);
  in.radiation.p = array_in(sim, fields, in.radiation.p);
  in.roller_elongation_m = array_in(sim, fields, in.roller_elongation_m);
  in.laid = (struct laid_node *)array_in(sim, fields, (const double *)in.laid);
  if (in.laid_plastic_1pm)
    in.laid_plastic_1pm = array_in(sim, fields, in.laid_plastic_1pm);
  if (in.laid_soil_m)
    in.laid_soil_m = array_in(sim, fields, in.laid_soil_m);
  const struct pipe_state_rows all = pipe_state_rows(&sim->model->pipe, &in.pipe);
  for (int f = 0; f < PIPE_STATE_MEMBERS; f++)
    for (int k = 0; k < all.row[f].count; k++)
      all.row[f].array[k] = array_in(sim, fields, all.row[f].array[k]);
  return in;
}

static int state_is_valid(const struct sim *sim, const struct snapshot_head *head, const void *fields,
                          struct reason *why) {
  const struct model *m = sim->model;
  const struct model_state s = state_in(sim, head, fields);
  if (!sim_run_is_valid(&head->run, why))
    return valid_fail_in(why, "run.");
  if (!fatigue_is_valid(sim, &head->run.fatigue, (const unsigned char *)fields + sim->field_bytes, why))
    return 0;
  if (!vessel_state_is_valid(&s.vessel, why))
    return valid_fail_in(why, "vessel.");
  if (!valid_finite(s.pid_integral, 6, "pid_integral", why))
    return 0;
  if (!plant_state_is_valid(&sim->def->vessel.plant, &s.plant, why))
    return valid_fail_in(why, "plant.");
  if (!model_prediction_is_valid(&s.prediction, why))
    return valid_fail_in(why, "prediction.");
  if (!radiation_state_is_valid(&m->vessel.radiation, &s.radiation, why))
    return valid_fail_in(why, "radiation.");
  if (!valid_finite(s.roller_elongation_m, (size_t)m->roller_count, "roller_elongation_m", why))
    return 0;
  if (s.mesh.pipe.nodes == 0) // the other features are those of a lay
    return power_is_valid(m, &s, why) ? 1 : valid_fail_in(why, "power.");
#define X(name, present)                                                                                     \
  if (!name##_is_valid(m, &s, why))                                                                          \
    return valid_fail_in(why, #name ".");
  FEATURE_TABLE(X)
#undef X
  return pipe_state_is_valid(&m->pipe, (int)head->elements, &s.pipe, why) ? 1 : valid_fail_in(why, "pipe.");
}

enum status sim_check_snapshot(const struct sim *sim, const void *buffer, size_t size, struct reason *why) {
  struct snapshot_head head;
  if (size < sizeof head)
    return fail(why, STATUS_BAD_INPUT, "snapshot: at least %zu bytes expected, got %zu", sizeof head, size);
  memcpy(&head, buffer, sizeof head);
  if (head.magic != SNAPSHOT_MAGIC)
    return fail(why, STATUS_BAD_INPUT, "snapshot: not a snapshot of this version of the program");
  const struct pipe_mesh *p = &sim->state.mesh.pipe;
  const int fits =
      p->pipe->tally.present ? head.payout.elements == head.elements : head.elements == (uint64_t)p->elements;
  if (head.bytes != size || size != sim_snapshot_size(sim) || !fits)
    return fail(why, STATUS_BAD_INPUT, "snapshot: of another model (%llu elements, %zu bytes)",
                (unsigned long long)head.elements, size);
  if (state_is_valid(sim, &head, (const unsigned char *)buffer + sizeof head, why))
    return STATUS_OK;
  valid_fail_in(why, "snapshot: ");
  return STATUS_BAD_INPUT;
}

// The end of the last step, with the bits that it had in that step.
static double last_end_s(const struct sim *sim) {
  const double step_s = sim->def->step_s;
  return sim->run.step > 0 ? (double)(sim->run.step - 1) * step_s + step_s : 0;
}

enum status sim_restore(struct sim *sim, const void *buffer, size_t size, struct reason *why) {
  enum status status = sim_check_snapshot(sim, buffer, size, why);
  if (status != STATUS_OK)
    return status;

  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  sim->run = head.run;
  take_head(&sim->state, &head);
  const unsigned char *const from = (const unsigned char *)buffer + sizeof head;
  memcpy(sim->fields, from, sim->field_bytes);
  if (sim->run.fatigue.bytes > 0)
    memcpy(sim->fatigue.element, from + sim->field_bytes, sim->run.fatigue.bytes);
  mesh_follow(sim->model, &sim->state, &sim->work, last_end_s(sim));
  if (sim->def->fatigue.enabled && sim->def->fatigue.beside)
    fatigue_start(sim);
  model_energy_of(sim->model, &sim->state, &sim->work); // sets the strains, which outputs read
  sim_refresh(sim);
  return STATUS_OK;
}

uint64_t sim_snapshot_step(const void *buffer) {
  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  return head.run.step;
}

static uint64_t state_hash_of(const struct snapshot_head *head, const void *fields,
                              size_t field_bytes) NONBLOCKING;

uint64_t sim_hash(const struct sim *sim) {
  struct snapshot_head head = head_of(sim);
  return state_hash_of(&head, sim->fields, sim->field_bytes);
}

uint64_t sim_snapshot_hash(const void *buffer, size_t size) {
  struct snapshot_head head;
  memcpy(&head, buffer, sizeof head);
  const size_t behind = size - sizeof head, counts = (size_t)head.run.fatigue.bytes;
  return state_hash_of(&head, (const unsigned char *)buffer + sizeof head,
                       counts <= behind ? behind - counts : behind);
}

// ------------------------------------------------------------
// Hash of the state: two words at a time, their 128-bit product folded. Four independent streams let the
// multiplications overlap.

enum { STREAMS = 4, PAIR = 16 };
__extension__ typedef unsigned __int128 wide;

static inline uint64_t mix_pair(uint64_t h, uint64_t one, uint64_t other) {
  wide product = (wide)(h ^ one) * (other ^ UINT64_C(0x9e3779b97f4a7c15));
  return (uint64_t)product ^ (uint64_t)(product >> 64) ^ other;
}

static inline uint64_t mix_at(uint64_t h, const unsigned char *at) {
  uint64_t pair[2];
  memcpy(pair, at, sizeof pair);
  return mix_pair(h, pair[0], pair[1]);
}

// Mixes whole 8-byte words, as the state has no others, into the streams.
static void mix(uint64_t hash[STREAMS], const void *bytes, size_t size) {
  const unsigned char *at = bytes, *end = at + size / PAIR * PAIR;
  uint64_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], last = 0;

  // Four variables stay in registers, an array would not.
  for (; end - at >= PAIR * STREAMS; at += PAIR * STREAMS) {
    a = mix_at(a, at), b = mix_at(b, at + PAIR);
    c = mix_at(c, at + 2 * PAIR), d = mix_at(d, at + 3 * PAIR);
  }
  for (; at < end; at += PAIR)
    a = mix_at(a, at);
  if (size % PAIR)
    memcpy(&last, at, sizeof last);

  hash[0] = mix_pair(a, last, size), hash[1] = b, hash[2] = c, hash[3] = d;
}

// Bit of each feature that the session of a head has.
static uint64_t features_of(const struct snapshot_head *head) {
  uint64_t features = UINT64_C(1) << FEATURE_always;
#define X(name, present) features |= (uint64_t)(head->name.present > 0) << FEATURE_##name;
  FEATURE_TABLE(X)
#undef X
  const double *lost_j = head->run.ledger.total_loss_j;
  return features | (uint64_t)(lost_j[LOSS_PLASTIC] != 0) << FEATURE_yield |
         (uint64_t)(lost_j[LOSS_SOIL] != 0) << FEATURE_soil |
         (uint64_t)(head->run.fatigue.bytes > 0) << FEATURE_fatigue;
}

// A head that is written without some of its parts.
struct shortened {
  const struct snapshot_head *head;
  uint64_t features;
  unsigned char *to;
  size_t bytes, from;
};

// Leaves out this part, which lies behind those before, if it belongs to a feature that is absent.
static void leave_out(struct shortened *x, size_t at, size_t size, enum feature feature) {
  if (x->features >> feature & 1)
    return;
  memcpy(x->to + x->bytes, (const unsigned char *)x->head + x->from, at - x->from);
  x->bytes += at - x->from;
  x->from = at + size;
}

#define X(id, name, feature) feature,
static const enum feature OF_PORT[] = {PORT_TABLE(X)}, OF_LOSS[] = {LOSS_TABLE(X)};
#undef X

static void leave_out_terms(struct shortened *x, size_t work, size_t loss) {
  const size_t ledger = offsetof(struct snapshot_head, run) + offsetof(struct sim_run, ledger);
  for (size_t i = 0; i < PORT_COUNT; i++)
    leave_out(x, ledger + work + i * sizeof(double), sizeof(double), OF_PORT[i]);
  for (size_t i = 0; i < LOSS_COUNT; i++)
    leave_out(x, ledger + loss + i * sizeof(double), sizeof(double), OF_LOSS[i]);
}

static const uint64_t HASH_MAGIC = 0x3230474253ULL; // "SBG02"

// What is hashed of a head: all of it but what belongs to features that the session does not have, so that a
// feature leaves the hashes of other sessions as they are. Returns its bytes.
static size_t present_head(const struct snapshot_head *head, unsigned char *to) {
  struct shortened x = {.head = head, .features = features_of(head), .to = to};
  leave_out_terms(&x, offsetof(struct ledger, work_j), offsetof(struct ledger, loss_j));
  leave_out_terms(&x, offsetof(struct ledger, total_work_j), offsetof(struct ledger, total_loss_j));
  leave_out(&x, offsetof(struct snapshot_head, run) + offsetof(struct sim_run, tension),
            sizeof head->run.tension, FEATURE_payout);
  leave_out(&x, offsetof(struct snapshot_head, run) + offsetof(struct sim_run, fatigue),
            sizeof head->run.fatigue, FEATURE_fatigue);
#define X(name, present)                                                                                     \
  leave_out(&x, offsetof(struct snapshot_head, name), sizeof head->name, FEATURE_##name);
  FEATURE_TABLE(X)
#undef X
  memcpy(to + x.bytes, (const unsigned char *)head + x.from, sizeof *head - x.from);
  x.bytes += sizeof *head - x.from;

  // The features themselves, as two of them may be of the same size; 0 for a session without any.
  const uint64_t features = x.features & ~(UINT64_C(1) << FEATURE_always),
                 snapshot = head->bytes - (sizeof *head - x.bytes);
  memcpy(to, &HASH_MAGIC, sizeof HASH_MAGIC);
  memcpy(to + offsetof(struct snapshot_head, bytes), &snapshot, sizeof snapshot);
  memcpy(to + offsetof(struct snapshot_head, reserved), &features, sizeof features);
  return x.bytes;
}

// Hash of a head and the pipe's fields, without what belongs to features that the session does not have:
// snapshot.c.
static uint64_t state_hash_of(const struct snapshot_head *head, const void *fields,
                              size_t field_bytes) NONBLOCKING {
  uint64_t hash[STREAMS], all = FNV1A_START;
  unsigned char present[sizeof *head];
  for (int k = 0; k < STREAMS; k++)
    hash[k] = all + (uint64_t)k;
  mix(hash, present, present_head(head, present));
  mix(hash, fields, field_bytes);
  for (int k = 0; k < STREAMS; k++)
    all = mix_pair(all, hash[k], (uint64_t)k);
  return all;
}
