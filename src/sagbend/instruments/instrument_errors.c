// Errors of instruments. Gauss-Markov of standard deviation s and time constant T, sampled each t: x = a x +
// s sqrt(1 - a^2) n, a = exp(-t / T): its autocovariance s^2 exp(-|t| / T) is exact at any rate, its spectrum
// 2 s^2 T / (1 + (w T)^2).
#include "sagbend/instruments/instruments_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const struct instrument_quantity QUANTITIES[] = {
#define QUANTITY(id, name, channels) {INSTRUMENT_##id, name, channels},
#include "sagbend/signals/instruments.inc"
};
enum { CHANNEL_QUANTITIES = sizeof QUANTITIES / sizeof *QUANTITIES };

const struct instrument_quantity *instrument_quantity(enum instrument kind, int i) {
  for (int q = 0; q < CHANNEL_QUANTITIES; q++)
    if (QUANTITIES[q].kind == kind && i-- == 0)
      return &QUANTITIES[q];
  return NULL;
}

const struct instrument_quantity *instrument_quantity_named(enum instrument kind, const char *name) {
  const struct instrument_quantity *quantity;
  for (int i = 0; (quantity = instrument_quantity(kind, i)); i++)
    if (!strcmp(quantity->name, name))
      return quantity;
  return NULL;
}

int instrument_quantity_in_degrees(const struct instrument_quantity *q) {
  return strstr(q->name, "_deg") != NULL;
}

void instrument_switch_on(const struct instrument_def *d, uint64_t seed, struct instrument_state *s) {
  s->noise = random_stream_of(seed);
  s->faults = random_stream_of(random_seed(seed, "faults"));
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    for (int c = 0; c < READING_CHANNELS; c++) {
      if (!(e->channels & 1u << c))
        continue;
      s->bias[c] = e->bias + (e->bias_random > 0 ? e->bias_random * random_normal(&s->noise) : 0);
      s->markov[c] = e->markov > 0 ? e->markov * random_normal(&s->noise) : 0;
    }
  }
}

void instrument_add_errors(const struct instrument_def *d, const struct instrument_plan *plan,
                           struct instrument_state *s, double value[READING_CHANNELS]) {
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    for (int c = 0; c < READING_CHANNELS; c++) {
      if (!(e->channels & 1u << c))
        continue;
      value[c] += e->scale * value[c] + s->bias[c] + s->markov[c] + s->walk[c];
      if (e->white > 0)
        value[c] += e->white * random_normal(&s->noise);
      if (e->markov > 0)
        s->markov[c] =
            plan->process[k].decay * s->markov[c] + plan->process[k].kick * random_normal(&s->noise);
      if (e->walk > 0)
        s->walk[c] += plan->process[k].walk * random_normal(&s->noise);
    }
  }
}

static double rounded_to(double x, double quantum) {
  const double big = 6755399441055744.0; // rounds to whole numbers
  double n = x / quantum;
  return fabs(n) < 1e15 ? ((n + big) - big) * quantum : x;
}

int instrument_limit(const struct instrument_def *d, double value[READING_CHANNELS]) {
  int inside = 1;
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    for (int c = 0; c < READING_CHANNELS; c++) {
      if (!(e->channels & 1u << c))
        continue;
      if (e->range > 0 && fabs(value[c]) > e->range) {
        value[c] = value[c] > 0 ? e->range : -e->range;
        inside = 0;
      }
      if (e->quantum > 0)
        value[c] = rounded_to(value[c], e->quantum);
    }
  }
  return inside;
}

// ------------------------------------------------------------
// Faults of instruments, which act on the signal. A fault begins with the measurements made from then on, and
// is read after the latency.

static void at_random(struct random_stream *stream, double amplitude, unsigned channels, int replace,
                      double value[]) {
  for (int c = 0; c < READING_CHANNELS; c++)
    if (channels & 1u << c) {
      double u = random_uniform(stream);
      value[c] = replace ? amplitude * (2 * u - 1) : value[c] + (u < 0.5 ? -amplitude : amplitude);
    }
}

static void add_fault(const struct instrument_def *d, struct instrument_state *s, const struct fault *f,
                      double time_s, double value[]) {
  unsigned every = (1u << instrument_channel_count(d->kind)) - 1;
  double elapsed_s = time_s > f->since_s ? time_s - f->since_s : 0;
  int channel = (int)f->value[1];
  double *x = f->value[1] >= 0 && channel < instrument_channel_count(d->kind) ? &value[channel] : NULL;
  switch (f->kind) {
  case FAULT_GARBAGE:
    at_random(&s->faults, f->value[0], every, 1, value);
    break;
  case FAULT_OUTLIERS:
    if (random_uniform(&s->faults) < f->value[1])
      at_random(&s->faults, f->value[0], instrument_quantity(d->kind, 0)->channels, 0, value);
    break;
  case FAULT_BIAS:
  case FAULT_JUMP:
    if (x)
      *x += f->value[0];
    break;
  case FAULT_DRIFT:
    if (x)
      *x += f->value[0] * elapsed_s;
    break;
  case FAULT_NOISE:
    if (x)
      *x += f->value[0] * elapsed_s * random_normal(&s->faults);
    break;
  case FAULT_CONSTANT:
    if (x)
      *x = f->value[0];
    break;
  default:
    break;
  }
}

static void instrument_normalise(enum instrument kind, double value[READING_CHANNELS]) NONBLOCKING;

void instrument_add_faults(const struct instruments *all, int i, const struct fault_set *faults,
                           double time_s, struct measurement *t) {
  const struct instrument_def *d = &all->def->instrument[i];
  struct instrument_state *s = &all->state[i];
  const struct fault *copy = fault_find(faults, FAULT_DUPLICATE_OF, i);
  int other = copy ? (int)copy->value[0] : i;
  int copies = other != i && other >= 0 && other < all->def->count && all->state[other].sent_count > 0 &&
               all->def->instrument[other].kind == d->kind;
  if (copies) {
    memcpy(t->value, all->state[other].sent.value, sizeof t->value);
    t->valid = all->state[other].sent.valid;
  }
  for (int k = 0; k < faults->count; k++)
    if (faults->fault[k].target == i || faults->fault[k].target < 0)
      add_fault(d, s, &faults->fault[k], time_s, t->value);
  if (fault_find(faults, FAULT_FREEZE, i) && s->sent_count > 0) {
    memcpy(t->value, s->sent.value, sizeof t->value);
    t->valid = s->sent.valid;
  }
  instrument_normalise(d->kind, t->value);
  if (!reference_is_derived(d->kind) && !instrument_limit(d, t->value))
    t->valid = 0;
  for (int c = 0; c < READING_CHANNELS; c++)
    if (!isfinite(t->value[c])) // parameters of a fault beyond the range of a double
      t->value[c] = 0, t->valid = 0;
  const struct fault *invalid = fault_find(faults, FAULT_INVALID, i),
                     *valid = fault_find(faults, FAULT_FLAG_FORCED_VALID, i);
  if (invalid || valid)
    t->valid = !invalid || (valid && valid > invalid); // the newer fault counts
}

int instrument_transmits(const struct instruments *all, int i, const struct fault_set *faults,
                         const struct measurement *t, uint64_t *delay_steps) {
  struct instrument_state *s = &all->state[i];
  const int zone = all->def->instrument[i].zone;
  if (fault_find(faults, FAULT_NO_OUTPUT, i) || (zone && fault_find(faults, FAULT_ZONE_LOST, zone - 1)))
    return 0;
  const struct fault *slow = fault_find(faults, FAULT_SLOW, i);
  if (slow && s->sent_count > 0 &&
      (double)(t->measured_step - s->sent.measured_step) * all->step_s < slow->value[0] - 0.5 * all->step_s)
    return 0;
  const struct fault *intermittent = fault_find(faults, FAULT_INTERMITTENT, i);
  if (intermittent && random_uniform(&s->faults) < intermittent->value[0])
    return 0;
  const struct fault *delay = fault_find(faults, FAULT_DELAY, i);
  double delay_s = delay ? delay->value[0] : 0;
  *delay_steps =
      delay_s > 0 ? steps_nearest_to(delay_s < LONGEST_DELAY_S ? delay_s : LONGEST_DELAY_S, all->step_s) : 0;
  return 1;
}

// ------------------------------------------------------------
// True values of what the instruments measure: rigid-body kinematics of their position, v = v_0 + omega x r,
// and quantities of the pipe.

struct place {
  mat3 attitude; // b to n
  vec3 position_n, velocity_n;
};

static struct place place_of(const struct sim_output *o, const double at_b_m[3]) {
  const double *q = o->quaternion_nb;
  struct place p = {.attitude = quat_matrix((quat){q[0], q[1], q[2], q[3]})};
  vec3 arm = vec3_of(at_b_m), turning = vec3_cross(vec3_of(o->velocity_b + 3), arm);
  p.position_n = vec3_add(vec3_of(o->position_n_m), mat3_mul(&p.attitude, arm));
  p.velocity_n = mat3_mul(&p.attitude, vec3_add(vec3_of(o->velocity_b), turning));
  return p;
}

// What a true value is made of.
struct view {
  const struct instrument_def *d;
  const double *at_b_m; // place of the sensor
  struct place place;
  double level_m;
  const struct sim *sim; // NULL: water and air at rest
  const struct sim_output *o;
};
// Fills the channels; 0: there is nothing to measure.
typedef int true_value(const struct view *v, double value[]) NONBLOCKING;
#define AS_ALONE(function) static true_value true_##function;
#define AS_AGAINST(...)
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  AS_##measured
#include "sagbend/signals/instruments.inc"
#undef AS_ALONE
#undef AS_AGAINST

static int true_gnss(const struct view *v, double value[]) {
  double square = 0;
  vec3_to(v->place.position_n, value);
  value[3] = v->place.velocity_n.x;
  value[4] = v->place.velocity_n.y;
  for (int k = 0; k < v->d->error_count; k++)
    if (v->d->error[k].channels & 1)
      square = v->d->error[k].white * v->d->error[k].white + v->d->error[k].markov * v->d->error[k].markov;
  value[5] = sqrt(square);
  return 1;
}

static int true_gyro(const struct view *v, double value[]) {
  value[0] = v->o->euler_rad[2];
  value[1] = v->o->euler_rate_radps[2];
  return 1;
}

static int true_motion(const struct view *v, double value[]) {
  value[0] = v->o->euler_rad[0];
  value[1] = v->o->euler_rad[1];
  value[2] = v->place.position_n.z - v->at_b_m[2] - v->level_m;
  value[3] = v->o->euler_rate_radps[0];
  value[4] = v->o->euler_rate_radps[1];
  return 1;
}

// Velocity of a medium past the place, in the vessel's axes.
static vec3 flow_past(const struct place *p, const double medium_n_mps[3]) {
  return mat3_tmul(&p->attitude, vec3_sub(vec3_of(medium_n_mps), p->velocity_n));
}

static int true_wind(const struct view *v, double value[]) {
  double medium[3] = {0};
  if (v->sim)
    sim_air_velocity(v->sim, -v->place.position_n.z, medium);
  const vec3 flow = flow_past(&v->place, medium);
  value[0] = sqrt(flow.x * flow.x + flow.y * flow.y);
  value[1] = trig_atan2(-flow.y, -flow.x);
  return 1;
}

static int true_speed_log(const struct view *v, double value[]) {
  double medium[3] = {0};
  if (v->sim)
    sim_water_velocity(v->sim, v->place.position_n.z, medium);
  const vec3 flow = flow_past(&v->place, medium);
  value[0] = -flow.x;
  value[1] = -flow.y;
  return 1;
}

static int true_load_cell(const struct view *v, double value[]) {
  value[0] = v->d->share * v->o->hangoff_tension_n;
  return 1;
}

static int true_hangoff_angle(const struct view *v, double value[]) {
  value[0] = v->o->hangoff_angle_rad;
  value[1] = trig_atan2(v->o->hangoff_force_n_n[1], v->o->hangoff_force_n_n[0]) - v->o->euler_rad[2];
  return 1;
}

static int true_touchdown(const struct view *v, double value[]) {
  if (isnan(v->o->touchdown_arc_length_m)) // no contact
    return 0;
  vec3_to(vec3_of(v->o->touchdown_n_m), value);
  return 1;
}

static int true_payout(const struct view *v, double value[]) {
  value[0] = v->o->paid_out_m;
  value[1] = v->o->payout_mps;
  return 1;
}

static int true_tensioner(const struct view *v, double value[]) {
  value[0] = v->o->hangoff_tension_n;
  value[1] = v->o->tensioner.mode;
  value[2] = v->o->tensioner.mode == TENSIONER_BRAKE;
  return 1;
}

// NULL: a reference (reference.c).
static true_value *const TRUE_VALUES[] = {
#define AS_ALONE(function) true_##function
#define AS_AGAINST(...)    NULL
#define INSTRUMENT(id, name, message, talker, need, place, arm, read, shown, fix, measured, faults)          \
  [INSTRUMENT_##id] = AS_##measured,
#include "sagbend/signals/instruments.inc"
};

int instrument_true_value(const struct instrument_def *d, const double place_b_m[3], double level_m,
                          const struct sim *sim, const struct sim_output *o, double value[READING_CHANNELS]) {
  const struct view view = {d, place_b_m, place_of(o, place_b_m), level_m, sim, o};
  return TRUE_VALUES[d->kind](&view, value);
}

// Wraps angles to (-pi, pi], raises negative values of non-negative channels to 0, and -0 to 0.
static void instrument_normalise(enum instrument kind, double value[READING_CHANNELS]) NONBLOCKING {
  for (int c = 0; c < READING_CHANNELS; c++) {
    if (instrument_channel(kind, c)->form == CHANNEL_ANGLE && fabs(value[c]) < 1e9)
      value[c] = trig_wrap(value[c]);
    value[c] += 0.0;
  }
  for (int c = 0; c < READING_CHANNELS; c++)
    if (instrument_channel(kind, c)->form == CHANNEL_NOT_NEGATIVE && value[c] < 0)
      value[c] = 0;
}
