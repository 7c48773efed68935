#include "sagbend/steel/sn_curve.h"

#include "sagbend/math/explog.h"

#include <stddef.h>
#include <string.h>

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
