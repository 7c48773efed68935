// The consequence analysis: the failures of its list, one in a sample, and what each would leave.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double HYSTERESIS = 1.1;    // the alarm ends above this multiple of the margin
static const double LARGEST_MARGIN = 99; // more is not worth knowing
static const double LONG_GAP = 0.1;      // of mean_s: after so long without a sample the load is another one
static const double NO_LOSS = -1;        // in place of a margin: the failure takes nothing away
static const double NOT_FOUND = -2;      // the search has found no number

// Whether a failure takes anything away. One that deviates still gives something.
static int counts(const struct allocation_state *state, const struct consequence_failure *failure,
                  int count) {
  if (failure->has_power)
    return 1;
  for (int i = 0; i < count; i++)
    if ((failure->lost >> i & 1) &&
        (state->state[i] == ACTUATOR_IN_USE || state->state[i] == ACTUATOR_DEVIATING))
      return 1;
  return 0;
}

static void add_failure(struct consequence_def *def, const char *prefix, const char *name, uint32_t lost) {
  struct consequence_failure *failure = &def->failure[def->failure_count];
  if (!lost || def->failure_count == MAX_CONSEQUENCE_FAILURES)
    return;
  snprintf(failure->name, sizeof failure->name, "%s%s", prefix, name);
  failure->lost = lost;
  def->failure_count++;
}

uint32_t consequence_thrusters_on(const struct allocation_def *allocation, int bus) {
  uint32_t bits = 0;
  for (int i = 0; i < allocation->actuator_count; i++)
    if (strcmp(allocation->actuator[i].bus, allocation->bus[bus].name) == 0)
      bits |= 1U << i;
  return bits;
}

static int lists(const struct consequence_def *def, enum consequence_choice kind) {
  return def->list == CONSEQUENCE_ALL || def->list == (int)kind;
}

void consequence_fill_list(struct consequence_def *def, const struct allocation_def *allocation) {
  def->failure_count = 0;
  for (int b = 0; b < allocation->bus_count && lists(def, CONSEQUENCE_BUSES); b++)
    add_failure(def, "bus-", allocation->bus[b].name, consequence_thrusters_on(allocation, b));
  for (int i = 0; i < allocation->actuator_count && lists(def, CONSEQUENCE_THRUSTERS); i++)
    add_failure(def, "", allocation->actuator[i].name, 1U << i);
  for (int i = 0; i < def->group_count && def->failure_count < MAX_CONSEQUENCE_FAILURES; i++)
    def->failure[def->failure_count++] = def->group[i];
}

void consequence_start(struct consequence_state *state, const struct consequence_def *def,
                       const struct consequence_sample *sample) {
  memset(state, 0, sizeof *state);
  allocation_feedback_wrench(sample->allocation, sample->readings, ALL_THRUSTERS, state->mean);
  memcpy(state->fixed, sample->fixed_b, sizeof state->fixed);
  state->since_s = state->last_s = sample->time_s;
  state->round_s = sample->time_s - def->period_s;
  state->next = def->failure_count;
  state->worst = -1;
}

// Nothing is known any more.
static void forget(struct consequence_state *state) {
  state->known = state->alarm = 0;
  state->worst = -1;
  memset(state->failure_alarm, 0, sizeof state->failure_alarm);
}

void consequence_wait(struct consequence_state *state, const struct consequence_def *def, double time_s) {
  state->since_s = time_s;
  state->next = def->failure_count; // a round in progress has the load of before
  forget(state);
}

// First-order mean and variance: exact for samples that are held between.
static void average(struct consequence_state *state, const struct consequence_def *def,
                    const struct consequence_sample *sample) {
  double now[3], dt = sample->time_s - state->last_s, weight = dt / (def->mean_s + dt);
  if (!(dt > 0))
    return;
  state->last_s = sample->time_s;
  allocation_feedback_wrench(sample->allocation, sample->readings, ALL_THRUSTERS, now);
  for (int k = 0; k < 3; k++) {
    double off = now[k] - state->mean[k];
    state->mean[k] += weight * off;
    state->variance[k] = (1 - weight) * (state->variance[k] + weight * off * off);
    state->fixed[k] += weight * (sample->fixed_b[k] - state->fixed[k]);
  }
}

static void begin_round(struct consequence_state *state, const struct consequence_def *def, double time_s) {
  state->round_s = time_s;
  state->next = 0;
  memcpy(state->round_fixed, state->fixed, sizeof state->round_fixed);
  for (int k = 0; k < 3; k++) {
    double rest = state->mean[k] - state->fixed[k], away = def->sigmas * sqrt(state->variance[k]);
    state->load[k] = rest + (rest < 0 ? -away : away);
  }
}

// Whether the alarm of a failure comes or ends. One that takes nothing away has none, and loses it at once:
// its equipment is out, perhaps because the failure has come.
static void judge(struct consequence_state *state, const struct consequence_def *def, int i, double time_s) {
  const double margin = state->margin[i];
  const int is_on = state->failure_alarm[i];
  if (margin < 0) {
    state->failure_alarm[i] = 0;
    state->turned_s[i] = time_s;
    return;
  }
  const int asks = margin < (is_on ? HYSTERESIS * def->margin : def->margin);
  if (asks == is_on)
    state->turned_s[i] = time_s;
  else if (time_s - state->turned_s[i] >= (is_on ? def->off_s : def->on_s)) {
    state->failure_alarm[i] = asks;
    state->turned_s[i] = time_s;
  }
}

// After the last failure of a round: what is the worst, and which alarms change.
static void end_round(struct consequence_state *state, const struct consequence_def *def, double time_s) {
  for (int i = 0; i < def->failure_count; i++) {
    if (state->round_margin[i] == NOT_FOUND &&
        !(state->known && state->margin[i] >= 0)) { // nothing is known of it; the next round tries again
      forget(state);
      return;
    }
    if (state->round_margin[i] != NOT_FOUND)
      state->margin[i] = state->round_margin[i];
  }
  const int before = state->alarm;
  state->alarm = 0;
  state->worst = -1;
  for (int i = 0; i < def->failure_count; i++) {
    if (!state->known)
      state->turned_s[i] = time_s; // nothing before has asked for anything
    judge(state, def, i, time_s);
    state->alarm |= state->failure_alarm[i];
    if (state->margin[i] >= 0 && (state->worst < 0 || state->margin[i] < state->margin[state->worst]))
      state->worst = i;
  }
  state->known = 1;
  state->alarms += state->alarm && !before;
}

void consequence_report_of(const struct consequence_state *state, const struct consequence_def *def,
                           struct consequence_report *out) {
  memset(out, 0, sizeof *out);
  out->given = def->present;
  out->known = state->known;
  out->alarm = state->alarm;
  out->unsolved = state->unsolved;
  if (state->known)
    out->margin = state->worst < 0 ? LARGEST_MARGIN : state->margin[state->worst];
  if (state->worst >= 0)
    memcpy(out->failure, def->failure[state->worst].name, sizeof out->failure);
}

// The margin after a failure, NO_LOSS or NOT_FOUND. A margin within a gap counts, as the least that it can
// be.
static double examine(struct consequence_state *state, const struct consequence_sample *sample,
                      const struct consequence_failure *failure) {
  double margin;
  int is_closed;
  if (!counts(sample->state, failure, sample->allocation->actuator_count))
    return NO_LOSS;
  if (thrust_left_margin(sample->allocation, sample->state, sample->readings, failure->lost,
                         failure->has_power ? failure->power_w : NULL, state->round_fixed, state->load,
                         sample->work, &margin, &is_closed) != STATUS_OK) {
    state->unsolved++;
    return NOT_FOUND;
  }
  state->unsolved += !is_closed;
  return margin < LARGEST_MARGIN ? margin : LARGEST_MARGIN;
}

void consequence_step(struct consequence_state *state, const struct consequence_def *def,
                      const struct consequence_sample *sample) {
  if (sample->time_s - state->last_s > LONG_GAP * def->mean_s)
    consequence_wait(state, def, sample->time_s);
  average(state, def, sample);
  if (sample->time_s - state->since_s < 2 * def->mean_s || def->failure_count == 0)
    return;
  if (state->next >= def->failure_count) {
    if (sample->time_s - state->round_s < def->period_s * (1 - 1e-9))
      return;
    begin_round(state, def, sample->time_s);
  }
  state->round_margin[state->next] = examine(state, sample, &def->failure[state->next]);
  state->next++;
  if (state->next == def->failure_count)
    end_round(state, def, sample->time_s);
}

int consequence_state_is_valid(const struct consequence_def *def, const struct consequence_state *s,
                               struct reason *why) {
  const double times[] = {s->since_s, s->last_s, s->round_s};
  // A controller that has not taken over, or makes no analysis, has a state of zeros.
  const int last_failure = def->failure_count > 0 ? def->failure_count - 1 : 0;
  for (int i = 0; i < MAX_CONSEQUENCE_FAILURES; i++)
    if (!valid_flag(s->failure_alarm[i], "failure_alarm", why))
      return 0;
  return valid_finite(times, 3, "since_s, last_s, round_s", why) &&
         valid_finite(s->turned_s, MAX_CONSEQUENCE_FAILURES, "turned_s", why) &&
         valid_finite(s->mean, 3, "mean", why) && valid_finite(s->variance, 3, "variance", why) &&
         valid_finite(s->fixed, 3, "fixed", why) && valid_finite(s->load, 3, "load", why) &&
         valid_finite(s->round_fixed, 3, "round_fixed", why) &&
         valid_finite(s->round_margin, MAX_CONSEQUENCE_FAILURES, "round_margin", why) &&
         valid_finite(s->margin, MAX_CONSEQUENCE_FAILURES, "margin", why) &&
         valid_index(s->next, 0, def->failure_count, "next", why) && valid_flag(s->known, "known", why) &&
         valid_flag(s->alarm, "alarm", why) && valid_index(s->worst, -1, last_failure, "worst", why) &&
         valid_whole(s->alarms, 0, VALID_MOST_STEPS, "alarms", why) &&
         valid_whole(s->unsolved, 0, VALID_MOST_STEPS, "unsolved", why);
}

// ------------------------------------------------------------
static const double TOLERANCE = 1e-6; // of the margin

static int is_left(const struct allocation_state *state, uint32_t lost, int i) {
  return !(lost >> i & 1) && state->state[i] == ACTUATOR_IN_USE;
}

// Bits of the forbidden zones whose protected thruster does not run after the failure.
static unsigned lifted_after(const struct allocation_def *def, const struct allocation_state *state,
                             uint32_t lost, const struct actuator_def *actuator) {
  unsigned lifted = 0;
  for (int k = 0; k < actuator->forbidden_count; k++)
    for (int j = 0; j < def->actuator_count; j++)
      if (strcmp(def->actuator[j].name, actuator->forbidden[k].against) == 0 &&
          (lost >> j & 1 || state->state[j] == ACTUATOR_OUT || state->state[j] == ACTUATOR_ABSENT))
        lifted |= 1U << k;
  return lifted;
}

static void add_azimuth(struct reach_unit *unit, const struct actuator_def *actuator, unsigned lifted) {
  struct allowed_arc arc[MAX_FORBIDDEN];
  int count = actuator_arcs(actuator, lifted, arc);
  for (int i = 1; i < count; i++) // by increasing angle
    for (int j = i; j > 0 && arc[j].middle_rad < arc[j - 1].middle_rad; j--) {
      struct allowed_arc later = arc[j - 1];
      arc[j - 1] = arc[j];
      arc[j] = later;
    }
  for (int i = 0; i < count; i++)
    reach_add_sector(unit, arc[i].middle_rad - arc[i].half_rad, arc[i].middle_rad + arc[i].half_rad,
                     actuator->thrust_max_n);
}

// Ahead within the rudder's range, and astern.
static void add_main(struct reach_unit *unit, const struct actuator_def *actuator) {
  struct force_part part[MAX_FORCE_PARTS];
  double astern_n = actuator->thrust_astern * actuator->thrust_max_n;
  if (actuator_parts(actuator, 1, 0, part) == 1) {
    reach_add_segment(unit, 0, actuator->thrust_max_n, astern_n);
    return;
  }
  double half = trig_atan2(part[0].set.edge[1], part[0].set.edge[0]);
  reach_add_sector(unit, -half, half, part[0].set.high_n);
  if (astern_n > 0)
    reach_add_segment(unit, TRIG_PI, astern_n, 0);
}

static void add_thruster(struct reach *set, const struct allocation_def *def,
                         const struct actuator_def *actuator, unsigned lifted) {
  int bus = -1;
  for (int b = 0; b < def->bus_count && actuator->power_max_w > 0; b++)
    bus = strcmp(def->bus[b].name, actuator->bus) == 0 ? b : bus;
  struct reach_unit *unit =
      reach_add_unit(set, actuator->position_b_m[0], actuator->position_b_m[1], actuator->power_max_w, bus);
  switch (thruster_steering(actuator->kind)) {
  case STEERING_NONE:
    reach_add_segment(unit, thruster_axis_rad(actuator->kind), actuator->thrust_max_n,
                      actuator->thrust_astern * actuator->thrust_max_n);
    break;
  case STEERING_TURNS:
    add_azimuth(unit, actuator, lifted);
    break;
  case STEERING_RUDDER:
    add_main(unit, actuator);
    break;
  }
}

// What a bus has left: what the failure leaves of it, less what is known to be missing on it already. The
// limit of the allocation at a light load does not count here: it is a precaution on several buses, of which
// one is short.
static double power_left_w(const struct allocation_def *def, const struct allocation_state *state,
                           const double *power_w, int bus) {
  double full_w = def->bus[bus].power_w, lacks_w = full_w - allocation_bus_left_w(state, def, bus);
  return (power_w ? power_w[bus] : full_w) - lacks_w;
}

enum status thrust_left_margin(const struct allocation_def *def, const struct allocation_state *state,
                               const struct readings *readings, uint32_t lost, const double *power_w,
                               const double fixed_b[3], const double load_b[3], struct thrust_left_work *work,
                               double *margin, int *is_closed) {
  struct reach *set = &work->set;
  struct reach_answer *answer = &work->answer;
  double fixed[3], stuck[3];
  uint32_t deviating = 0;
  reach_clear(set);
  for (int b = 0; b < def->bus_count; b++)
    reach_add_bus(set, power_left_w(def, state, power_w, b));
  for (int i = 0; i < def->actuator_count; i++) {
    if (is_left(state, lost, i))
      add_thruster(set, def, &def->actuator[i], lifted_after(def, state, lost, &def->actuator[i]));
    else if (!(lost >> i & 1) && state->state[i] == ACTUATOR_DEVIATING)
      deviating |= 1U << i;
  }
  allocation_feedback_wrench(def, readings, deviating, stuck);
  for (int k = 0; k < 3; k++)
    fixed[k] = fixed_b[k] - stuck[k];
  reach_solve(set, fixed, load_b, TOLERANCE, answer);
  *margin = answer->margin;
  *is_closed = answer->end != REACH_BRACKET && answer->end != REACH_FAILED;
  return answer->end == REACH_FAILED ? STATUS_NOT_CONVERGED : STATUS_OK;
}
