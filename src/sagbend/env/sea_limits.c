#include "sagbend/env/sea_limits.h"

#include "sagbend/math/explog.h"
#include "sagbend/math/trig.h"

#include <math.h>

static const double SHORT_S = 8, LONG_S = 15, SHORT_LIMIT = 1.0 / 15, LONG_LIMIT = 1.0 / 25;
static const double BREAKING_STEEPNESS = 0.1, BREAKING_DEPTH_SHARE = 0.6;
static const double MICHE = 0.142, STEEP_SHARE = 0.8;
static const double ROUNDING = 1 + 1e-12; // a value on a limit is within it

double sea_steepness_limit(double peak_period_s) {
  double share = (peak_period_s - SHORT_S) / (LONG_S - SHORT_S);
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  return SHORT_LIMIT + share * (LONG_LIMIT - SHORT_LIMIT);
}

double sea_breaking_height(double period_s, double gravity_mps2, double depth_m) {
  double k = waves_wavenumber(2 * TRIG_PI / period_s, gravity_mps2, depth_m);
  double e = explog_exp(-2 * k * depth_m);
  return MICHE * 2 * TRIG_PI / k * (1 - e) / (1 + e);
}

static enum sea_limit regular_limit(const struct waves_def *def, double height_m, double gravity_mps2,
                                    double depth_m, struct reason *why) {
  double breaking = sea_breaking_height(def->period_s, gravity_mps2, depth_m);
  if (height_m > breaking * ROUNDING) {
    fail(why, STATUS_BAD_INPUT,
         "a wave that does not break expected: at most %.4g m high at %g s in %g m of water (Miche)",
         breaking, def->period_s, depth_m);
    return SEA_BREAKS;
  }
  if (height_m <= STEEP_SHARE * breaking * ROUNDING)
    return SEA_EXISTS;
  fail(why, STATUS_BAD_INPUT,
       "a regular wave of %g m has %.0f %% of the height at which it breaks (Miche): the waves of the model "
       "are linear",
       height_m, 100 * height_m / breaking);
  return SEA_IS_STEEP;
}

static enum sea_limit irregular_limit(const struct waves_def *def, double height_m, double gravity_mps2,
                                      double depth_m, struct reason *why) {
  double per_steepness = gravity_mps2 * def->period_s * def->period_s / (2 * TRIG_PI);
  double limit = sea_steepness_limit(def->period_s);
  if (height_m > BREAKING_DEPTH_SHARE * depth_m * ROUNDING) {
    fail(why, STATUS_BAD_INPUT, "a significant height of at most 0.6 of the depth, %.4g m, expected",
         BREAKING_DEPTH_SHARE * depth_m);
    return SEA_BREAKS;
  }
  if (height_m > BREAKING_STEEPNESS * per_steepness * ROUNDING) {
    fail(why, STATUS_BAD_INPUT,
         "a sea that does not break expected: a steepness 2 pi Hs/(g Tp^2) of at most 1/10, at %g s a height "
         "of at most %.4g m",
         def->period_s, BREAKING_STEEPNESS * per_steepness);
    return SEA_BREAKS;
  }
  if (height_m <= limit * per_steepness * ROUNDING)
    return SEA_EXISTS;
  fail(why, STATUS_BAD_INPUT,
       "Hs %g m at Tp %g s is steeper than sea states are (DNV-RP-C205): 2 pi Hs/(g Tp^2) is 1/%.1f, the "
       "limit 1/%.1f",
       height_m, def->period_s, per_steepness / height_m, 1 / limit);
  return SEA_IS_STEEP;
}

enum sea_limit sea_limit_of(const struct waves_def *def, double gravity_mps2, double depth_m,
                            struct reason *why) {
  double height = def->height_m * time_profile_largest(&def->profile);
  if (!def->present || !(height > 0) || !(def->period_s > 0) || !(gravity_mps2 > 0))
    return SEA_EXISTS;
  return def->spectrum == WAVES_REGULAR ? regular_limit(def, height, gravity_mps2, depth_m, why)
                                        : irregular_limit(def, height, gravity_mps2, depth_m, why);
}
