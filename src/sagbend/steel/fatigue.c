// Counting of cycles, and fatigue damage.
//
// Turns go to the residue r. While it has three points or more, with X = |r[n-1] - r[n-2]| and Y = |r[n-2] -
// r[n-3]|: X < Y ends; with three points Y is half a cycle and r[0] leaves; else Y is a whole cycle and its
// two points leave. A full residue counts half a cycle of its oldest range: the youngest pair would be wrong,
// as it belongs to a range that may still grow.
#include "sagbend/steel/steel.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void drop(struct fatigue_element *e, int q, int at, int count) {
  const int n = (int)e->length[q];
  for (int i = at; i + count < n; i++)
    e->residue_pa[i][q] = e->residue_pa[i + count][q];
  for (int i = n - count; i < n; i++)
    e->residue_pa[i][q] = 0;
  e->length[q] -= (uint64_t)count;
}

static double range_at(const struct fatigue_element *e, int q, int i) {
  return fabs(e->residue_pa[i + 1][q] - e->residue_pa[i][q]);
}

static void close_cycles(struct fatigue_element *e, int q, const struct sn_curve *curve) {
  for (int n = (int)e->length[q]; n >= 3; n = (int)e->length[q]) {
    const double x = range_at(e, q, n - 2), y = range_at(e, q, n - 3);
    if (x < y)
      return;
    const int is_start = n == 3;
    e->closed[q] += (is_start ? 0.5 : 1) * sn_damage(curve, y);
    drop(e, q, is_start ? 0 : n - 3, is_start ? 1 : 2);
  }
}

static double residue_damage(const struct fatigue_element *e, int q, const struct sn_curve *curve) {
  double sum = 0;
  for (int i = 0; i + 1 < (int)e->length[q]; i++)
    sum += 0.5 * sn_damage(curve, range_at(e, q, i));
  return sum;
}

// A turn at the candidate of point q. Returns by how much its total has grown.
static double push(struct fatigue_element *e, int q, const struct sn_curve *curve) {
  if (e->length[q] == FATIGUE_RESIDUE) {
    e->closed[q] += 0.5 * sn_damage(curve, range_at(e, q, 0));
    drop(e, q, 0, 1);
  }
  e->residue_pa[e->length[q]++][q] = e->candidate_pa[q];
  close_cycles(e, q, curve);
  const double before = e->total[q], now = e->closed[q] + residue_damage(e, q, curve);
  e->total[q] = now > before ? now : before; // but for rounding it grows
  if (e->total[q] > e->largest)
    e->largest = e->total[q], e->point = (uint64_t)q;
  return e->total[q] - before;
}

// Point q has turned by more than the gate, or has moved by more than it for the first time.
static double turn(struct fatigue_element *e, int q, const struct sn_curve *curve, double gate_pa, double x) {
  const double way = x - e->candidate_pa[q];
  double grown = 0;
  if (e->direction[q] != 0) {
    grown = push(e, q, curve);
    e->direction[q] = -e->direction[q];
  } else if (fabs(way) > gate_pa) {
    e->direction[q] = way > 0 ? 1 : -1;
  } else {
    return 0;
  }
  e->candidate_pa[q] = x;
  return grown;
}

double rainflow_sample(struct fatigue_element *e, const struct sn_curve *curve, double gate_pa,
                       const double stress_pa[FATIGUE_POINTS]) {
  double grown = 0;
  if (e->samples++ == 0) {
    for (int q = 0; q < FATIGUE_POINTS; q++) {
      e->direction[q] = 0;
      e->candidate_pa[q] = e->residue_pa[0][q] = stress_pa[q];
      e->length[q] = 1;
    }
    return 0;
  }
  for (int q = 0; q < FATIGUE_POINTS; q++) {
    const double way = e->direction[q] * (stress_pa[q] - e->candidate_pa[q]);
    if (e->direction[q] != 0 && way >= 0)
      e->candidate_pa[q] = stress_pa[q];
    else if (e->direction[q] == 0 || way < -gate_pa)
      grown += turn(e, q, curve, gate_pa, stress_pa[q]);
  }
  return grown;
}

void rainflow_ended(const struct fatigue_element *e, const struct sn_curve *curve,
                    double total[FATIGUE_POINTS]) {
  struct fatigue_element end = *e;
  for (int q = 0; q < FATIGUE_POINTS; q++) {
    if (end.direction[q] != 0)
      push(&end, q, curve);
    total[q] = end.total[q];
  }
}

void rainflow_tick(struct fatigue_element *e, double time_s, double allowance) {
  const int at = (int)(e->ticks % FATIGUE_TICKS), oldest = e->ticks >= FATIGUE_TICKS ? at : 0;
  const double over = time_s - e->tick_s[oldest];
  e->rate_1ps = 0;
  e->standby_s = (double)INFINITY;
  for (int q = 0; q < FATIGUE_POINTS && e->ticks > 0 && over > 0; q++) {
    const double rate = (e->total[q] - e->tick_total[oldest][q]) / over;
    e->rate_1ps = fmax(e->rate_1ps, rate);
    if (rate > 0)
      e->standby_s = fmin(e->standby_s, fmax(allowance - e->total[q], 0) / rate);
  }
  e->tick_s[at] = time_s;
  for (int q = 0; q < FATIGUE_POINTS; q++)
    e->tick_total[at][q] = e->total[q];
  e->ticks++;
}

int rainflow_is_valid(const struct fatigue_element *e, struct reason *why) {
  for (int q = 0; q < FATIGUE_POINTS; q++)
    if (!valid_whole(e->length[q], 0, FATIGUE_RESIDUE, "length", why) ||
        !valid_range(e->closed[q], 0, (double)INFINITY, "closed", why) ||
        !valid_range(e->total[q], e->closed[q] * (1 - 1e-9), (double)INFINITY, "total", why) ||
        !(e->direction[q] == 0 || fabs(e->direction[q]) == 1))
      return valid_fail_in(why, "point %d: ", q);
  return valid_whole(e->point, 0, FATIGUE_POINTS - 1, "point", why) &&
         valid_whole(e->samples, 0, VALID_MOST_STEPS, "samples", why) &&
         valid_whole(e->ticks, 0, VALID_MOST_STEPS, "ticks", why) &&
         valid_finite(e->candidate_pa, FATIGUE_POINTS, "candidate_pa", why) &&
         valid_finite(e->residue_pa[0], FATIGUE_RESIDUE * FATIGUE_POINTS, "residue_pa", why) &&
         valid_finite(e->tick_s, FATIGUE_TICKS, "tick_s", why) &&
         valid_finite(e->tick_total[0], FATIGUE_TICKS * FATIGUE_POINTS, "tick_total", why) &&
         valid_range(e->largest, 0, (double)INFINITY, "largest", why) &&
         valid_range(e->rate_1ps, 0, (double)INFINITY, "rate_1ps", why) &&
         valid_range(e->standby_s, 0, (double)INFINITY, "standby_s", why);
}

// ------------------------------------------------------------
struct fatigue_section fatigue_section_of(const struct sn_curve_def *curve, double outer_diameter_m,
                                          double wall_m) {
  const double o = outer_diameter_m, i = o - 2 * wall_m,
               bending = TRIG_PI / 64 * (o * o * o * o - i * i * i * i);
  struct fatigue_section s = {.curve = sn_curve_of(curve, wall_m),
                              .area_m2 = 0.25 * TRIG_PI * (o * o - i * i),
                              .per_moment_1pm3 = 0.5 * o / bending};
  for (int q = 0; q < FATIGUE_POINTS; q++) {
    s.cosine[q] = trig_cos(q * TRIG_PI / 4);
    s.sine[q] = trig_sin(q * TRIG_PI / 4);
  }
  return s;
}

void fatigue_stresses(const struct fatigue_section *s, double wall_tension_n, const double moment_nm[2],
                      double stress_pa[FATIGUE_POINTS]) {
  const double axial = wall_tension_n / s->area_m2, b2 = s->per_moment_1pm3 * moment_nm[0],
               b3 = s->per_moment_1pm3 * moment_nm[1];
  for (int q = 0; q < FATIGUE_POINTS; q++)
    stress_pa[q] = axial + b2 * s->sine[q] - b3 * s->cosine[q];
}

// ------------------------------------------------------------
static const double LN10 = 2.302585092994045684;

static double ten_to(double x) {
  return explog_exp(x * LN10);
}

static double log10_of(double x) {
  return explog_log(x) / LN10;
}

enum sn_curve_name sn_curve_by_name(const char *name) {
  static const char *const names[] = {
#define X(id, name, m_air, a_air, m_sea, a_sea, exponent) name,
      SN_CURVE_TABLE(X)
#undef X
  };
  int k = 0;
  while (k < SN_OWN && strcmp(names[k], name) != 0)
    k++;
  return (enum sn_curve_name)k;
}

struct sn_curve sn_curve_of(const struct sn_curve_def *def, double thickness_m) {
  static const double table[][5] = {
#define X(id, name, m_air, a_air, m_sea, a_sea, exponent) {m_air, a_air, m_sea, a_sea, exponent},
      SN_CURVE_TABLE(X)
#undef X
  };
  const int is_own = def->name == SN_OWN, sea = def->environment == SN_PROTECTED;
  const double *row = is_own ? NULL : table[def->name];
  const double m1 = is_own ? def->m[0] : row[2 * sea], log_a = is_own ? def->log_a : row[2 * sea + 1];
  const double m2 = is_own ? def->m[1] : 5, log_knee = is_own ? log10_of(def->knee) : sea ? 6 : 7;
  const double exponent = def->exponent >= 0 ? def->exponent : is_own ? 0 : row[4];
  const double thicker = thickness_m > def->reference_m ? thickness_m / def->reference_m : 1;
  const double log_s = (log_a - log_knee) / m1;
  return (struct sn_curve){.m = {m1, m2},
                           .per_cycle = {ten_to(-log_a), ten_to(-(log_knee + m2 * log_s))},
                           .knee_mpa = ten_to(log_s),
                           .factor_per_pa = 1e-6 * def->scf * explog_exp(exponent * explog_log(thicker))};
}

// Whole exponents by products.
static double power(double x, double m) {
  if (m != (int)m || m > 12)
    return explog_exp(m * explog_log(x));
  double y = x;
  for (int k = 1; k < (int)m; k++)
    y *= x;
  return y;
}

double sn_damage(const struct sn_curve *curve, double range_pa) {
  const double s = range_pa * curve->factor_per_pa;
  if (!(s > 0))
    return 0;
  const int k = s < curve->knee_mpa;
  return curve->per_cycle[k] * power(s, curve->m[k]);
}
