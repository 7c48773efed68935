// Schedule and delivery of measurements. A measurement is made at the step nearest to a multiple of the
// instrument's period and read after the latency. One that would arrive after a later one (a delay has ended)
// is dropped: the readings of an instrument never go back in time.
#include "sagbend/instruments/instruments.h"
#include "sagbend/instruments/instruments_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <stdio.h>
#include <string.h>

int instrument_rate_fits(double rate_hz, double step_s) {
  return 1 / rate_hz / step_s >= 1 - STEPS_TOLERANCE;
}

static const double LONGEST_TRAVEL_S = 10; // of sound

__extension__ typedef unsigned __int128 wide;

uint64_t instrument_measurements_by(const struct instrument_plan *p, uint64_t step) {
  if (p->period_steps)
    return step / p->period_steps + 1;
  return (uint64_t)(((wide)(2 * step + 1) * p->phase_step) >> 65) + 1; // k period <= step + 1/2
}

static int is_due(const struct instrument_plan *p, uint64_t step) {
  return step == 0 || instrument_measurements_by(p, step) > instrument_measurements_by(p, step - 1);
}

static uint64_t instrument_seed(const struct instruments_def *def, int i) {
  return random_seed(def->seed, def->instrument[i].name);
}

static struct instrument_plan plan_of(const struct instrument_def *d, double step_s, size_t queue) {
  int is_whole = steps_is_whole(1 / d->rate_hz, step_s);
  uint64_t whole = is_whole ? steps_nearest_to(1 / d->rate_hz, step_s) : 0;
  double share = d->rate_hz * step_s; // of a period, that a step is
  struct instrument_plan p = {.latency_steps = steps_up(d->latency_s, step_s), .queue = queue};
  if (whole > 0 || share >= 1)
    p.period_steps = whole > 0 ? whole : 1;
  else
    p.phase_step = (uint64_t)(share * 0x1p64);
  uint64_t shortest = p.period_steps ? p.period_steps : (uint64_t)(1 / share);
  double way_s = LONGEST_DELAY_S + (reference_is(d->kind) ? LONGEST_TRAVEL_S : 0);
  p.capacity = (p.latency_steps + steps_nearest_to(way_s, step_s)) / shortest + (p.period_steps ? 2 : 3);
  double period_s = p.period_steps ? (double)p.period_steps * step_s : 1 / d->rate_hz;
  for (int k = 0; k < d->error_count; k++) {
    const struct instrument_error *e = &d->error[k];
    double decay = e->markov > 0 ? explog_exp(-period_s / e->markov_time_s) : 0;
    p.process[k].decay = decay;
    p.process[k].kick = e->markov * sqrt(1 - decay * decay);
    p.process[k].walk = e->walk * sqrt(period_s);
  }
  return p;
}

size_t instruments_memsize(const struct instruments_def *def, double step_s) {
  size_t measurements = 0, references = 0;
  for (int i = 0; i < def->count; i++) {
    measurements += plan_of(&def->instrument[i], step_s, 0).capacity;
    references += reference_is(def->instrument[i].kind) != 0;
  }
  return (size_t)def->count * sizeof(struct instrument_state) + measurements * sizeof(struct measurement) +
         references * sizeof(struct reference_state) +
         (size_t)def->common_count * sizeof(struct common_error_state);
}

void instruments_create(struct instruments *all, const struct instruments_def *def, double step_s,
                        const struct sim_output *start, void *mem) {
  size_t queue = 0;
  int references = 0;
  memset(all, 0, sizeof *all);
  all->def = def;
  all->step_s = step_s;
  all->level_m = start->position_n_m[2];
  all->state = mem;
  all->state_bytes = instruments_memsize(def, step_s);
  all->queue = (struct measurement *)(all->state + def->count);
  if (all->state_bytes)
    memset(mem, 0, all->state_bytes);
  for (int i = 0; i < def->count; i++) {
    const struct instrument_def *d = &def->instrument[i];
    struct instrument_state *s = &all->state[i];
    all->plan[i] = plan_of(d, step_s, queue);
    queue += all->plan[i].capacity;
    all->plan[i].reference = references;
    references += reference_is(d->kind);
    instrument_switch_on(d, instrument_seed(def, i), s);
    memcpy(s->latest.name, d->name, sizeof s->latest.name);
    s->latest.kind = d->kind;
  }
  all->reference = (struct reference_state *)(all->queue + queue);
  all->common = (struct common_error_state *)(all->reference + references);
  for (int i = 0; i < def->count; i++)
    if (reference_is(def->instrument[i].kind))
      vec3_to(scene_target(&def->scene, def->instrument[i].reference.target[0], 0),
              all->reference[all->plan[i].reference].seen_n_m);
  for (int k = 0; k < def->common_count; k++)
    common_error_start(&def->common[k], def->seed, &all->common[k]);
}

static struct measurement *place_in_queue(const struct instruments *all, int i, uint64_t from_first) {
  const struct instrument_plan *p = &all->plan[i];
  return &all->queue[p->queue + (all->state[i].queue_first + from_first) % p->capacity];
}

static void send(struct instruments *all, int i, const struct measurement *t) {
  struct instrument_state *s = &all->state[i];
  while (s->queue_count > 0 && place_in_queue(all, i, s->queue_count - 1)->due_step >= t->due_step)
    s->queue_count--;
  if (s->queue_count < all->plan[i].capacity) // always true: the queue has room for the longest delay
    *place_in_queue(all, i, s->queue_count++) = *t;
}

static void add_common_errors(struct instruments *all, int i, const struct fault_set *faults, double time_s,
                              double value[]) {
  for (int k = 0; k < all->def->common_count; k++)
    if (all->def->common[k].members & 1u << i)
      common_error_add(&all->def->common[k], &all->common[k], fault_find(faults, FAULT_COMMON_BIAS, k),
                       time_s, value);
}

// Standard deviation of a channel by the first two of its errors.
static double sigma_of(const struct instrument_def *d, int channel) {
  for (int k = 0; k < d->error_count; k++)
    if (d->error[k].channels & 1u << channel)
      return sqrt(d->error[k].white * d->error[k].white + d->error[k].markov * d->error[k].markov);
  return 0;
}

static int range_channel(enum instrument kind) { // the first, of several
  const struct instrument_quantity *range = instrument_quantity_named(kind, "range_m");
  int channel = 0;
  while (range && !(range->channels >> channel & 1u))
    channel++;
  return channel;
}

static struct reference_look look_of(const struct instruments *all, int i, const double place_b_m[3],
                                     const struct sim *sim, const struct sim_output *truth,
                                     const struct fault_set *faults) {
  const struct instrument_def *d = &all->def->instrument[i];
  const double *q = truth->quaternion_nb;
  struct reference_look look = {
      .scene = &all->def->scene, .sim = sim, .truth = truth, .faults = faults, .instrument = i};
  look.vessel.attitude = quat_matrix((quat){q[0], q[1], q[2], q[3]});
  look.vessel.origin_n = vec3_of(truth->position_n_m);
  look.sensor_n = vec3_add(look.vessel.origin_n, mat3_mul(&look.vessel.attitude, vec3_of(place_b_m)));
  look.sigma_rad = sigma_of(d, 0);
  look.sigma_m = sigma_of(d, range_channel(d->kind));
  return look;
}

static void measure(struct instruments *all, int i, const struct sim *sim, const struct sim_output *truth,
                    const struct fault_set *faults) {
  const struct instrument_def *d = &all->def->instrument[i];
  struct instrument_state *s = &all->state[i];
  struct measurement t = {.measured_step = truth->step};
  double place[3];
  memcpy(place, d->position_b_m, sizeof place);
  const struct fault *misplaced = fault_find(faults, FAULT_LEVER_ARM, i);
  for (int k = 0; misplaced && k < FAULT_PARAMETERS; k++)
    place[k] += misplaced->value[k];

  struct reference_look look;
  int is_reference = reference_is(d->kind);
  if (is_reference) {
    look = look_of(all, i, place, sim, truth, faults);
    t.valid = (uint64_t)reference_measure(&d->reference, d->kind, &all->reference[all->plan[i].reference],
                                          &look, t.value);
  } else {
    t.valid = (uint64_t)instrument_true_value(d, place, all->level_m, sim, truth, t.value);
  }
  double with_errors[READING_CHANNELS];
  memcpy(with_errors, t.value, sizeof with_errors);
  instrument_add_errors(d, &all->plan[i], s,
                        with_errors); // also where there is nothing to measure: the noise continues
  const struct fault *burst = fault_find(faults, FAULT_NOISE_BURST, i);
  for (int c = 0; burst && c < READING_CHANNELS; c++)
    with_errors[c] = t.value[c] + burst->value[0] * (with_errors[c] - t.value[c]);
  add_common_errors(all, i, faults, truth->time_s, with_errors);
  const int is_slack = instrument_is_slack(d->kind, t.value); // it still has a length and a tension
  if (t.valid || is_slack)
    memcpy(t.value, with_errors, sizeof t.value);
  if (is_reference && t.valid && reference_is_derived(d->kind) && !instrument_limit(d, t.value))
    t.valid = 0;
  if (is_reference)
    t.valid = t.valid && reference_report(d->kind, &look, t.value);
  if (is_reference && !t.valid && !is_slack)
    memset(t.value, 0, sizeof t.value);
  instrument_add_faults(all, i, faults, truth->time_s, &t);

  uint64_t delay = 0;
  if (!instrument_transmits(all, i, faults, &t, &delay))
    return;
  t.due_step = truth->step + all->plan[i].latency_steps + delay;
  if (is_reference)
    t.due_step += steps_nearest_to(fmin(look.travel_s, LONGEST_TRAVEL_S), all->step_s);
  s->sent = t;
  s->sent_count++;
  send(all, i, &t);
}

static void deliver(struct instruments *all, int i, uint64_t step, struct readings *out) {
  struct instrument_state *s = &all->state[i];
  int any = 0;
  for (; s->queue_count > 0 && place_in_queue(all, i, 0)->due_step <= step; s->queue_count--, any = 1) {
    const struct measurement *t = place_in_queue(all, i, 0);
    s->latest.valid = t->valid != 0;
    s->latest.sequence++;
    s->latest.time_s = (double)t->measured_step * all->step_s;
    memcpy(s->latest.value, t->value, sizeof s->latest.value);
    s->queue_first = (s->queue_first + 1) % all->plan[i].capacity;
  }
  if (any)
    out->instrument[i] = s->latest;
}

static const struct fault_set no_faults;

void instruments_measure(struct instruments *all, const struct sim *sim, const struct sim_output *truth,
                         const struct fault_set *faults, struct readings *out) {
  const struct fault_set *f = faults ? faults : &no_faults;
  if (truth->fault)
    return;
  for (int copying = 0; copying < 2; copying++) // instruments that repeat another come after it
    for (int i = 0; i < all->def->count; i++)
      if (is_due(&all->plan[i], truth->step) && copying == (fault_find(f, FAULT_DUPLICATE_OF, i) != NULL))
        measure(all, i, sim, truth, f);
  for (int i = 0; i < all->def->count; i++)
    deliver(all, i, truth->step, out);
}

void instruments_get_readings(const struct instruments *all, struct readings *out) {
  out->instrument_count = all->def->count;
  for (int i = 0; i < all->def->count; i++)
    out->instrument[i] = all->state[i].latest;
}

// ------------------------------------------------------------
// Names of a configuration become indices: targets of references, members of common errors.

static int instrument_named(const struct instruments_def *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->instrument[i].name, name))
      return i;
  return -1;
}

static enum status resolve_common(struct instruments_def *all, int k, char key[64], struct reason *why) {
  struct common_error_def *d = &all->common[k];
  const char *names = d->instruments;
  char word[SIGNAL_NAME];
  int first = -1;
  d->members = 0;
  snprintf(key, 64, "hil.common_errors.%d.instruments", k);
  while (words_next(&names, word, sizeof word)) {
    int i = instrument_named(all, word);
    if (i < 0)
      return fail(why, STATUS_BAD_INPUT, "names of instruments, separated by blanks, expected, got '%s'",
                  word);
    if (first >= 0 && all->instrument[i].kind != all->instrument[first].kind)
      return fail(why, STATUS_BAD_INPUT, "instruments of one kind expected, got %s, a %s, beside a %s", word,
                  instrument_name(all->instrument[i].kind), instrument_name(all->instrument[first].kind));
    first = first < 0 ? i : first;
    d->members |= 1u << i;
  }
  if (first < 0)
    return fail(why, STATUS_BAD_INPUT, "names of instruments, separated by blanks, expected, got none");
  const struct instrument_quantity *quantity =
      instrument_quantity_named(all->instrument[first].kind, d->quantity);
  snprintf(key, 64, "hil.common_errors.%d.quantity", k);
  if (!quantity)
    return fail(why, STATUS_BAD_INPUT, "a quantity of a %s expected, got '%s'",
                instrument_name(all->instrument[first].kind), d->quantity);
  d->channels = quantity->channels;
  snprintf(key, 64, "hil.common_errors.%d.markov_time_s", k);
  return d->markov > 0 && !(d->markov_time_s > 0)
             ? fail(why, STATUS_BAD_INPUT, "a time > 0 expected, got %g: markov needs it", d->markov_time_s)
             : STATUS_OK;
}

enum status instruments_resolve(struct instruments_def *all, char key[64], struct reason *why) {
  if (scene_resolve(&all->scene, key, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  for (int i = 0; i < all->count; i++) {
    struct instrument_def *d = &all->instrument[i];
    const char *what;
    if (reference_is(d->kind) &&
        reference_resolve(&d->reference, d->kind, &all->scene, &what, why) != STATUS_OK) {
      snprintf(key, 64, "instruments.%d.%s", i, what);
      return STATUS_BAD_INPUT;
    }
  }
  for (int k = 0; k < all->common_count; k++)
    if (resolve_common(all, k, key, why) != STATUS_OK)
      return STATUS_BAD_INPUT;
  return STATUS_OK;
}

// ------------------------------------------------------------
size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s) {
  return instruments_memsize(&def->instruments, step_s);
}

void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem) {
  struct sim_output start;
  sim_get_output(sim, &start);
  instruments_create(&suite->instruments, &def->instruments, step_s, &start, mem);
  suite->state = mem;
  suite->state_bytes = sensor_suite_memsize(def, step_s);
}

void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) {
  instruments_measure(&suite->instruments, sim, truth, faults, readings);
}

void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings) {
  instruments_get_readings(&suite->instruments, readings);
}

int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out) {
  if (i >= def->instruments.count)
    return 0;
  *out = (struct sensor_suite_stream){def->instruments.instrument[i].name,
                                      instrument_seed(&def->instruments, i)};
  return 1;
}

// Checks of a sensor suite's state from a file.
static int measurement_is_valid(const struct measurement *t, uint64_t step, uint64_t after_step,
                                struct reason *why) {
  return valid_whole(t->measured_step, 0, step, "measured_step", why) &&
         valid_whole(t->due_step, after_step, VALID_MOST_STEPS, "due_step", why) &&
         valid_whole(t->valid, 0, 1, "valid", why) && valid_finite(t->value, READING_CHANNELS, "value", why);
}

// Measurements are due in the order of the queue, each later than the one before it.
static int queue_is_valid(const struct instrument_plan *plan, const struct instrument_state *s,
                          const struct measurement *queue, uint64_t step, struct reason *why) {
  if (!valid_whole(s->queue_first, 0, plan->capacity - 1, "queue_first", why) ||
      !valid_whole(s->queue_count, 0, plan->capacity, "queue_count", why))
    return 0;
  uint64_t after_step = step;
  for (uint64_t k = 0; k < s->queue_count; k++) {
    const struct measurement *t = &queue[plan->queue + (s->queue_first + k) % plan->capacity];
    if (!measurement_is_valid(t, step, after_step, why))
      return valid_fail_in(why, "queue[%d].", (int)k);
    after_step = t->due_step + 1;
  }
  return 1;
}

static int latest_is_valid(const struct instrument_def *d, const struct instrument_state *s, double now_s,
                           struct reason *why) {
  const struct reading *r = &s->latest;
  if (strncmp(r->name, d->name, sizeof r->name) != 0)
    return valid_fail(why, "name: %s expected, got another", d->name);
  return valid_index((int64_t)r->kind, d->kind, d->kind, "kind", why) && valid_flag(r->valid, "valid", why) &&
         valid_whole(r->sequence, 0, s->sent_count, "sequence", why) &&
         valid_range(r->time_s, 0, now_s, "time_s", why) &&
         valid_finite(r->value, READING_CHANNELS, "value", why);
}

static int instrument_is_valid(const struct instruments *all, int i, const struct instrument_state *s,
                               const struct measurement *queue, uint64_t step, struct reason *why) {
  const struct instrument_def *d = &all->def->instrument[i];
  if (!random_stream_is_valid(&s->noise, why))
    return valid_fail_in(why, "noise.");
  if (!random_stream_is_valid(&s->faults, why))
    return valid_fail_in(why, "faults.");
  if (!measurement_is_valid(&s->sent, step, 0, why))
    return valid_fail_in(why, "sent.");
  if (!latest_is_valid(d, s, (double)step * all->step_s, why))
    return valid_fail_in(why, "latest.");
  return valid_finite(s->bias, READING_CHANNELS, "bias", why) &&
         valid_finite(s->markov, READING_CHANNELS, "markov", why) &&
         valid_finite(s->walk, READING_CHANNELS, "walk", why) &&
         valid_whole(s->sent_count, 0, step + 1, "sent_count", why) &&
         queue_is_valid(&all->plan[i], s, queue, step, why);
}

int instruments_state_is_valid(const struct instruments *all, const void *state, uint64_t step,
                               struct reason *why) {
  const struct instrument_state *of = state;
  const struct measurement *queue = (const struct measurement *)(of + all->def->count);
  for (int i = 0; i < all->def->count; i++)
    if (!instrument_is_valid(all, i, &of[i], queue, step, why))
      return valid_fail_in(why, "%s.", all->def->instrument[i].name);
  size_t places = 0;
  int references = 0;
  for (int i = 0; i < all->def->count; i++)
    places += all->plan[i].capacity;
  const struct reference_state *reference = (const struct reference_state *)(queue + places);
  for (int i = 0; i < all->def->count; i++)
    if (reference_is(all->def->instrument[i].kind) &&
        !reference_state_is_valid(&all->def->instrument[i].reference, &reference[references++], why))
      return valid_fail_in(why, "%s.", all->def->instrument[i].name);
  const struct common_error_state *common = (const struct common_error_state *)(reference + references);
  for (int k = 0; k < all->def->common_count; k++)
    if (!common_error_state_is_valid(&common[k], (double)step * all->step_s, why))
      return valid_fail_in(why, "%s.", all->def->common[k].name);
  return 1;
}

int sensor_suite_is_valid(const struct sensor_suite *suite, const void *state, uint64_t step,
                          struct reason *why) {
  return instruments_state_is_valid(&suite->instruments, state, step, why)
             ? 1
             : valid_fail_in(why, "instruments.");
}
