// What the allocation believes: whether thrusters follow their set-points, and how much power each bus has
// left (thrust.h).
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

enum { STROKE, AZIMUTH };

static const double SCALE[WATCH_SIGNALS] = {1, TRIG_PI}; // of deviation_share

static const double SLOT_S = 0.1;
static const double UNKNOWN_S = 1;  // a command that may act if the acting one is not known
static const double OLD_S = 2;      // age of the acting command beyond which nothing is judged
static const double MOST = 11;      // of 5 v / d
static const double NOISE = 0.2;    // noise as a share of d
static const double FORGET_S = 300; // in which the error of a feedback may change by d
static const double LONGEST_S = 1;  // longest time that one sample adds
static const double TEST_S = 10, TEST_SHARE = 0.03;                 // set-points of one that deviates
static const double PROOF_S = 20;                                   // of following, before it is trusted
static const double SAME = 1e-9, SAME_S = 10, SAME_DEVIATING_S = 1; // feedback of another one
static const double TURNING = 0.02;                                 // stroke that carries information
static const double POWER_SHARE = 0.003, POWER_SCALE = 0.05;        // accuracy of the power

static double least(double a, double b) {
  return a < b ? a : b;
}

static double most(double a, double b) {
  return a > b ? a : b;
}

static double stroke_of(const struct actuator_def *actuator, const struct thruster_feedback *feedback) {
  return actuator->controllable_pitch ? feedback->pitch
                                      : feedback->revolutions_rpm / actuator->revolutions_max_rpm;
}

static double middle(const struct thruster_watch *w, int i, int signal) {
  return 0.5 * (w->low[i][signal] + w->high[i][signal]);
}

// The azimuth of a feedback without jumps: near the response.
static double azimuth_of(const struct thruster_watch *w, const struct actuator_def *actuator, int i,
                         const struct thruster_feedback *feedback) {
  if (thruster_steering(actuator->kind) == STEERING_NONE)
    return 0;
  double near = w->started[i] ? middle(w, i, AZIMUTH) : w->set_rad[i];
  return thruster_steering(actuator->kind) == STEERING_TURNS ? near + trig_wrap(feedback->azimuth_rad - near)
                                                             : feedback->azimuth_rad;
}

void thruster_watch_start(struct thruster_watch *w, double time_s) {
  memset(w, 0, sizeof *w);
  w->now_s = w->acting_s = time_s;
}

void thruster_watch_sent(struct thruster_watch *w, int count, uint64_t step, double time_s,
                         const double *stroke, const double *azimuth_rad) {
  struct watch_slot *slot = &w->slot[(w->slot_count + WATCH_SLOTS - 1) % WATCH_SLOTS];
  int is_new = w->slot_count == 0 || time_s - slot->begin_s >= SLOT_S;
  if (is_new) {
    slot = &w->slot[w->slot_count++ % WATCH_SLOTS];
    memset(slot, 0, sizeof *slot);
    slot->first_step = step;
    slot->begin_s = time_s;
  }
  slot->last_step = step;
  for (int i = 0; i < count; i++) {
    w->set_rad[i] += trig_wrap(azimuth_rad[i] - w->set_rad[i]);
    const double now[WATCH_SIGNALS] = {stroke[i], w->set_rad[i]};
    for (int k = 0; k < WATCH_SIGNALS; k++) {
      slot->low[i][k] = is_new ? now[k] : least(slot->low[i][k], now[k]);
      slot->high[i][k] = is_new ? now[k] : most(slot->high[i][k], now[k]);
    }
  }
}

// Finds the extent of the set-points that may have acted since the last sample. Returns 0 if they are not
// known.
static int acting_extent(const struct thruster_watch *w, uint64_t from, uint64_t to, double time_s, int count,
                         struct watch_slot *out) {
  int any = 0;
  uint64_t kept = w->slot_count < WATCH_SLOTS ? w->slot_count : WATCH_SLOTS;
  for (uint64_t n = 0; n < kept; n++) {
    const struct watch_slot *slot = &w->slot[(w->slot_count - 1 - n) % WATCH_SLOTS];
    int counts = to ? slot->last_step >= from && slot->first_step <= to : time_s - slot->begin_s <= UNKNOWN_S;
    if (!counts)
      continue;
    for (int i = 0; i < count; i++)
      for (int k = 0; k < WATCH_SIGNALS; k++) {
        out->low[i][k] = any ? least(out->low[i][k], slot->low[i][k]) : slot->low[i][k];
        out->high[i][k] = any ? most(out->high[i][k], slot->high[i][k]) : slot->high[i][k];
      }
    any = 1;
  }
  return any;
}

// What remains of a distance after dt by the slowest response; more than that of any faster one.
static double slowly(double distance, double lag_s, double rate, double dt_s) {
  double way = distance * dt_s / (lag_s + dt_s);
  return distance - (rate > 0 ? least(way, rate * dt_s) : way);
}

static void follow(struct thruster_watch *w, const struct actuator_def *actuator, int i,
                   const struct watch_slot *set, double dt_s) {
  const double rate[WATCH_SIGNALS] = {1 / actuator->stroke_s, actuator->azimuth_rate_radps};
  for (int k = 0; k < WATCH_SIGNALS; k++) {
    double above = most(0, w->high[i][k] - set->high[i][k]), below = most(0, set->low[i][k] - w->low[i][k]);
    w->high[i][k] = set->high[i][k] + slowly(above, actuator->response_s, rate[k], dt_s);
    w->low[i][k] = set->low[i][k] - slowly(below, actuator->response_s, rate[k], dt_s);
  }
}

static void begin_at(struct thruster_watch *w, int i, double d, const double now[WATCH_SIGNALS]) {
  for (int k = 0; k < WATCH_SIGNALS; k++) {
    w->low[i][k] = w->high[i][k] = now[k];
    w->bias[i][k][0] = -d * SCALE[k];
    w->bias[i][k][1] = d * SCALE[k];
  }
  w->started[i] = 1;
}

static void forget(struct thruster_watch *w, int i) {
  w->started[i] = 0;
  w->verdict[i] = THRUSTER_FOLLOWS;
  w->off_s[i] = w->quiet_s[i] = w->turned_s[i] = w->same_s[i] = w->nearer[i] = 0;
}

// Distance of the errors that this value allows from those that have been possible so far, in units of the
// noise. Within the noise, fewer remain possible.
static double deviation(struct thruster_watch *w, int i, int signal, double d, double value, double dt_s) {
  double span = d * SCALE[signal], noise = NOISE * span, *bias = w->bias[i][signal];
  double low = value - w->high[i][signal], high = value - w->low[i][signal];
  double v = most(0, most(bias[0] - high, low - bias[1]));
  if (v > noise)
    return v / noise;
  double slack = span * dt_s / FORGET_S;
  bias[0] = most(-span, most(bias[0] - slack, least(low - noise, bias[1])));
  bias[1] = least(span, least(bias[1] + slack, most(high + noise, bias[0])));
  return v / noise;
}

static int are_near(double a, double b, double scale) {
  return fabs(a - b) <= SAME * scale;
}

static int is_same(const struct actuator_def *a, const struct thruster_feedback *f,
                   const struct actuator_def *b, const struct thruster_feedback *g) {
  return a->kind == b->kind && g && f->running && g->running &&
         are_near(f->revolutions_rpm, g->revolutions_rpm, a->revolutions_max_rpm) &&
         are_near(f->pitch, g->pitch, 1) && are_near(f->power_w, g->power_w, 1 + f->power_w) &&
         (thruster_steering(a->kind) == STEERING_NONE || are_near(f->azimuth_rad, g->azimuth_rad, 1));
}

// How far a feedback is from the middle of a response, as a share of full stroke or half a turn.
static double distance_from(const struct thruster_watch *w, int i, const double now[WATCH_SIGNALS]) {
  return fabs(now[STROKE] - middle(w, i, STROKE)) +
         fabs(trig_wrap(now[AZIMUTH] - middle(w, i, AZIMUTH))) / TRIG_PI;
}

// Whether the feedback repeats that of another thruster of its kind although their set-points differ.
static void compare(struct thruster_watch *w, const struct actuator_def *actuator, int count,
                    struct thruster_feedback *const *feedback, int i, const double now[WATCH_SIGNALS],
                    double dt_s) {
  int other = -1;
  for (int j = 0; j < count && other < 0; j++)
    if (j != i && is_same(&actuator[i], feedback[i], &actuator[j], feedback[j]))
      other = j;
  if (other < 0 || !w->started[other]) {
    w->same_s[i] = w->nearer[i] = 0;
    return;
  }
  double differ =
      distance_from(w, i, (const double[WATCH_SIGNALS]){middle(w, other, STROKE), middle(w, other, AZIMUTH)});
  if (fabs(now[STROKE]) < TURNING || !(differ > 1e-4))
    return;
  w->same_s[i] += dt_s;
  w->nearer[i] += dt_s * (distance_from(w, i, now) - distance_from(w, other, now));
}

// Whether the power that a feedback shows fits to the response, and not to the revolutions beside it.
static int power_is_against(const struct thruster_watch *w, const struct thruster_watch_def *def,
                            const struct actuator_def *actuator, int i,
                            const struct thruster_feedback *feedback) {
  if (actuator->controllable_pitch || !(actuator->power_max_w > 0))
    return 0;
  double share = feedback->power_w / actuator->power_max_w, d = def->deviation_share;
  double low = explog_cube_root(share - POWER_SHARE) * (1 - POWER_SCALE) - d,
         high = explog_cube_root(share + POWER_SHARE) * (1 + POWER_SCALE) + d;
  double shown = fabs(stroke_of(actuator, feedback)), least_reported = 0,
         most_reported = most(fabs(w->low[i][STROKE]), fabs(w->high[i][STROKE]));
  if (w->low[i][STROKE] > 0 || w->high[i][STROKE] < 0)
    least_reported = least(fabs(w->low[i][STROKE]), fabs(w->high[i][STROKE]));
  return (shown < low || shown > high) && most_reported >= low && least_reported <= high;
}

static void set_verdict(struct thruster_watch *w, int i, enum thruster_verdict verdict, double time_s) {
  if (w->verdict[i] == (int32_t)verdict)
    return;
  w->verdict[i] = (int32_t)verdict;
  w->since_s[i] = time_s;
}

static void judge(struct thruster_watch *w, const struct thruster_watch_def *def,
                  const struct actuator_def *actuator, int i, const struct thruster_feedback *feedback,
                  double time_s) {
  int copies =
      w->nearer[i] > 0 && w->same_s[i] >= (w->off_s[i] >= def->deviation_s ? SAME_DEVIATING_S : SAME_S);
  if (copies)
    set_verdict(w, i, THRUSTER_COPIES, time_s);
  else if (w->verdict[i] == THRUSTER_COPIES && w->nearer[i] < 0) // it is the other one
    set_verdict(w, i, THRUSTER_FOLLOWS, time_s);
  else if (w->verdict[i] == THRUSTER_FOLLOWS && w->off_s[i] >= def->deviation_s)
    set_verdict(w, i,
                power_is_against(w, def, actuator, i, feedback) ? THRUSTER_MISREPORTS : THRUSTER_DEVIATES,
                time_s);
  else if (w->verdict[i] != THRUSTER_FOLLOWS && w->quiet_s[i] >= PROOF_S && w->same_s[i] == 0)
    forget(w, i);
}

static void sample_one(struct thruster_watch *w, const struct thruster_watch_def *def,
                       const struct actuator_def *actuator, int count,
                       struct thruster_feedback *const *feedback, int i, double dt_s, double time_s) {
  const double now[WATCH_SIGNALS] = {stroke_of(&actuator[i], feedback[i]),
                                     azimuth_of(w, &actuator[i], i, feedback[i])};
  double turned = deviation(w, i, AZIMUTH, def->deviation_share, now[AZIMUTH], dt_s),
         e = most(deviation(w, i, STROKE, def->deviation_share, now[STROKE], dt_s), turned);
  w->turned_s[i] = turned > 1 ? 0 : w->turned_s[i] + dt_s;
  w->off_s[i] = least(most(w->off_s[i] + dt_s * (least(e, MOST) - 1), 0), 1.5 * def->deviation_s);
  compare(w, actuator, count, feedback, i, now, dt_s);
  if (e > 1)
    w->quiet_s[i] = 0;
  else if (w->verdict[i] == THRUSTER_DEVIATES || fabs(middle(w, i, STROKE)) > 5 * TURNING)
    w->quiet_s[i] += dt_s;
  judge(w, def, &actuator[i], i, feedback[i], time_s);
}

void thruster_watch_sample(struct thruster_watch *w, const struct thruster_watch_def *def,
                           const struct actuator_def *actuator, int count,
                           struct thruster_feedback *const *feedback, const int *is_short,
                           uint64_t acting_step, double time_s) {
  struct watch_slot set;
  double dt_s = least(time_s - w->now_s, LONGEST_S);
  if (!(dt_s > 0) || !(def->deviation_s > 0))
    return;
  uint64_t before = w->acting_step;
  if (acting_step != before)
    w->acting_s = time_s;
  w->acting_step = acting_step;
  w->now_s = time_s;
  int is_known = acting_extent(w, before < acting_step ? before : acting_step,
                               before < acting_step ? acting_step : before, time_s, count, &set) &&
                 (!acting_step || time_s - w->acting_s <= OLD_S);
  for (int i = 0; i < count; i++) {
    if (!feedback[i] || !feedback[i]->ready || !feedback[i]->running) {
      forget(w, i);
    } else if (!w->started[i] || !is_known) {
      const double now[WATCH_SIGNALS] = {stroke_of(&actuator[i], feedback[i]),
                                         azimuth_of(w, &actuator[i], i, feedback[i])};
      begin_at(w, i, def->deviation_share, now);
    } else {
      follow(w, &actuator[i], i, &set, dt_s);
      if (is_short[i]) {
        w->low[i][STROKE] = least(w->low[i][STROKE], 0);
        w->high[i][STROKE] = most(w->high[i][STROKE], 0);
      }
    }
  }
  for (int i = 0; i < count && is_known; i++)
    if (w->started[i] && feedback[i])
      sample_one(w, def, actuator, count, feedback, i, dt_s, time_s);
}

void thruster_watch_believe(const struct thruster_watch *w, const struct actuator_def *actuator, int i,
                            struct thruster_feedback *feedback) {
  int copies = w->verdict[i] == THRUSTER_COPIES;
  if (!copies && w->verdict[i] != THRUSTER_MISREPORTS)
    return;
  if (actuator->controllable_pitch)
    feedback->pitch = middle(w, i, STROKE) + 0.0;
  else
    feedback->revolutions_rpm = middle(w, i, STROKE) * actuator->revolutions_max_rpm + 0.0;
  if (copies && thruster_steering(actuator->kind) != STEERING_NONE)
    feedback->azimuth_rad =
        (thruster_steering(actuator->kind) == STEERING_TURNS ? trig_wrap(middle(w, i, AZIMUTH))
                                                             : middle(w, i, AZIMUTH)) +
        0.0;
}

double thruster_watch_test_share(const struct thruster_watch *w, int i, double time_s) {
  double period = (time_s - w->since_s[i]) / (2 * TEST_S);
  return period - floor(period) < 0.5 ? 0 : TEST_SHARE;
}

int thruster_watch_turns(const struct thruster_watch *w, int i) {
  return w->turned_s[i] >= PROOF_S;
}

double thruster_watch_turned_away(const struct thruster_watch *w, const struct actuator_def *actuator, int i,
                                  const struct thruster_feedback *feedback) {
  double now = azimuth_of(w, actuator, i, feedback);
  return w->started[i] ? most(0, most(w->low[i][AZIMUTH] - now, now - w->high[i][AZIMUTH])) : 0;
}

double thruster_watch_lacks(const struct thruster_watch *w, const struct actuator_def *actuator, int i,
                            const struct thruster_feedback *feedback) {
  double now = stroke_of(actuator, feedback), low = w->low[i][STROKE], high = w->high[i][STROKE];
  return !w->started[i] ? 0 : low > 0 ? low - now : high < 0 ? now - high : 0;
}

double thruster_watch_power_w(const struct thruster_watch *w, const struct actuator_def *actuator, int i) {
  double stroke = most(fabs(w->low[i][STROKE]), fabs(w->high[i][STROKE]));
  return w->started[i] ? actuator->power_max_w * stroke * stroke * stroke : 0;
}

int thruster_watch_is_valid(const struct thruster_watch *w, struct reason *why) {
  const size_t signals = MAX_THRUSTERS * WATCH_SIGNALS;
  for (int n = 0; n < WATCH_SLOTS; n++)
    if (!valid_finite(&w->slot[n].begin_s, 1, "begin_s", why) ||
        !valid_finite(&w->slot[n].low[0][0], signals, "low", why) ||
        !valid_finite(&w->slot[n].high[0][0], signals, "high", why))
      return valid_fail_in(why, "slot[%d].", n);
  for (int i = 0; i < MAX_THRUSTERS; i++)
    if (!valid_flag(w->started[i], "started", why) ||
        !valid_index(w->verdict[i], 0, THRUSTER_VERDICTS - 1, "verdict", why))
      return valid_fail_in(why, "actuator[%d].", i);
  const double times[] = {w->acting_s, w->now_s};
  return valid_whole(w->slot_count, 0, VALID_MOST_STEPS, "slot_count", why) &&
         valid_finite(times, 2, "acting_s, now_s", why) &&
         valid_finite(w->set_rad, MAX_THRUSTERS, "set_rad", why) &&
         valid_finite(&w->low[0][0], signals, "low", why) &&
         valid_finite(&w->high[0][0], signals, "high", why) &&
         valid_finite(&w->bias[0][0][0], 2 * signals, "bias", why) &&
         valid_finite(w->turned_s, MAX_THRUSTERS, "turned_s", why) &&
         valid_finite(w->off_s, MAX_THRUSTERS, "off_s", why) &&
         valid_finite(w->quiet_s, MAX_THRUSTERS, "quiet_s", why) &&
         valid_finite(w->same_s, MAX_THRUSTERS, "same_s", why) &&
         valid_finite(w->nearer, MAX_THRUSTERS, "nearer", why) &&
         valid_finite(w->since_s, MAX_THRUSTERS, "since_s", why);
}

// ------------------------------------------------------------
// How much power each bus has left: thrust.h.

static const double ACCURACY = 0.02; // of the reported power, as a share of the power of all buses, or of one

static const double LEAST_W = 1; // of the power with which a bus counts as reported

static const double LOOK_S = 1; // until the buses on which it may be are reported

// Share of the power that the buses would have left together; while the thrusters take no more, each
// suspected bus is limited. Once they are limited they stay so up to the second share: near the first one the
// limits would come and go with every wave.
static const double LIGHT = 0.5;
static const double STAYS_LIGHT = 0.6;

// Power that the vessel has on a bus: it has more than the DP file counts on, by the same share on each.
static double had_w(const struct power_watch *w, double full_w, double sum_w) {
  return sum_w > 0 && w->most_w > sum_w ? full_w * w->most_w / sum_w : full_w;
}

// The buses on which this much may be missing.
static int find_candidates(struct power_watch *w, int bus_count, const struct power_reported *told,
                           double sum_w) {
  int count = 0;
  for (int b = 0; b < bus_count; b++) {
    double had = had_w(w, told->full_w[b], sum_w);
    w->is_short[b] = !told->is_lost[b] && w->gone_w < had * (1 + ACCURACY);
    count += w->is_short[b];
  }
  return count;
}

// Whether one bus is left on which it can be, or none.
static int is_found(const struct power_watch *w) {
  int count = 0;
  for (int b = 0; b < MAX_BUSES; b++)
    count += w->is_short[b];
  return count <= 1;
}

// Whether a bus takes more power than it would have left, and more than before.
static int takes_more_than_left(struct power_watch *w, int b, const struct power_reported *told,
                                double sum_w) {
  double had = had_w(w, told->full_w[b], sum_w), takes_w = told->takes_w[b];
  w->least_w[b] = takes_w < w->least_w[b] ? takes_w : w->least_w[b];
  return takes_w > had * (1 + ACCURACY) - w->gone_w && takes_w > w->least_w[b] + ACCURACY * had;
}

// What a bus would have left if all that is missing were missing there.
static double left_w(const struct power_watch *w, double full_w, double sum_w) {
  const double left = had_w(w, full_w, sum_w) * (1 - ACCURACY) - w->gone_w;
  return left > full_w ? full_w : left > 0 ? left : 0;
}

// Whether the thrusters take so little that all buses on which the power may be missing can be kept below
// what they would have left.
static int is_light_load(const struct power_watch *w, int bus_count, const struct power_reported *told,
                         double sum_w) {
  double all_left_w = 0, taken_w = 0;
  for (int b = 0; b < bus_count; b++) {
    if (!told->is_lost[b])
      all_left_w += w->is_short[b] ? left_w(w, told->full_w[b], sum_w) : told->full_w[b];
    taken_w += told->takes_w[b];
  }
  return taken_w <= (w->is_light ? STAYS_LIGHT : LIGHT) * all_left_w;
}

// The buses that report less than the DP file counts on. A bus that shares sets with others reports
// what they leave.
static void take_reported(struct power_watch *w, int bus_count, const struct power_reported *told) {
  for (int b = 0; b < bus_count; b++) {
    w->reported_w[b] = fmax(told->bus_w[b], LEAST_W);
    w->is_short[b] = !told->is_lost[b] && told->bus_w[b] * (1 - ACCURACY) < told->full_w[b];
  }
  w->is_known = 1;
  w->is_light = 0;
}

void power_watch_sample(struct power_watch *w, int bus_count, const struct power_reported *told,
                        double time_s) {
  double sum_w = 0;
  for (int b = 0; b < bus_count; b++)
    sum_w += told->full_w[b];
  w->most_w = told->available_w > w->most_w ? told->available_w : w->most_w;
  double gone_w = w->most_w - told->available_w, before_w = w->gone_w;
  for (int b = 0; b < bus_count; b++)
    gone_w -= told->is_lost[b] ? had_w(w, told->full_w[b], sum_w) : 0;
  w->gone_w = gone_w > ACCURACY * w->most_w ? gone_w : 0;
  if (w->gone_w == 0) {
    memset(w->is_short, 0, sizeof w->is_short);
    w->is_known = 0;
    w->is_light = 0;
    return;
  }
  memset(w->reported_w, 0, sizeof w->reported_w);
  if (told->has_buses) {
    take_reported(w, bus_count, told);
    return;
  }
  if (fabs(w->gone_w - before_w) > ACCURACY * w->most_w) {
    w->is_known = find_candidates(w, bus_count, told, sum_w) <= 1;
    w->is_light = 0;
    w->since_s = time_s;
    memcpy(w->least_w, told->takes_w, sizeof w->least_w);
    return;
  }
  int lacking = 0;
  for (int b = 0; b < bus_count; b++)
    lacking += w->is_short[b] && told->lacks[b];
  for (int b = 0; b < bus_count && lacking && !is_found(w); b++)
    w->is_short[b] = w->is_short[b] && told->lacks[b];
  for (int b = 0; b < bus_count && !is_found(w); b++)
    if (takes_more_than_left(w, b, told, sum_w))
      w->is_short[b] = 0;
  w->is_known = w->is_known || lacking || time_s - w->since_s >= LOOK_S;
  w->is_light = is_light_load(w, bus_count, told, sum_w);
}

double power_watch_missing_left_w(const struct power_watch *w, int bus, double full_w, double sum_w) {
  if (!w->is_short[bus] || !w->is_known)
    return full_w;
  if (w->reported_w[bus] > 0)
    return w->reported_w[bus] * (1 - ACCURACY);
  return is_found(w) ? left_w(w, full_w, sum_w) : full_w;
}

double power_watch_limit_w(const struct power_watch *w, int bus, double full_w, double sum_w) {
  const int is_precaution = w->is_light && w->is_known && w->is_short[bus] && w->reported_w[bus] <= 0;
  return is_precaution ? left_w(w, full_w, sum_w) : power_watch_missing_left_w(w, bus, full_w, sum_w);
}

int power_watch_is_valid(const struct power_watch *w, struct reason *why) {
  const double powers[] = {w->most_w, w->gone_w};
  for (int b = 0; b < MAX_BUSES; b++)
    if (!valid_flag(w->is_short[b], "is_short", why))
      return 0;
  return valid_flag(w->is_known, "is_known", why) && valid_flag(w->is_light, "is_light", why) &&
         valid_finite(&w->since_s, 1, "since_s", why) && valid_finite(powers, 2, "most_w, gone_w", why) &&
         valid_finite(w->least_w, MAX_BUSES, "least_w", why) &&
         valid_finite(w->reported_w, MAX_BUSES, "reported_w", why);
}

int allocation_is_on_bus(const struct allocation_def *def, int actuator, int bus) {
  return strcmp(def->actuator[actuator].bus, def->bus[bus].name) == 0;
}

static double buses_w(const struct allocation_def *def) {
  double sum_w = 0;
  for (int b = 0; b < def->bus_count; b++)
    sum_w += def->bus[b].power_w;
  return sum_w;
}

double allocation_bus_power_w(const struct allocation_state *state, const struct allocation_def *def,
                              int bus) {
  return power_watch_limit_w(&state->power, bus, def->bus[bus].power_w, buses_w(def));
}

double allocation_bus_left_w(const struct allocation_state *state, const struct allocation_def *def,
                             int bus) {
  return power_watch_missing_left_w(&state->power, bus, def->bus[bus].power_w, buses_w(def));
}
