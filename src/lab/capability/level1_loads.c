// Loads of level 1. Symbols are those of the standard: d direction, f the same folded to 0 to pi.
#include "lab/capability/level1.h"

#include "sagbend/math/trig.h"

#include <math.h>

static const double AIR_KGPM3 = 1.226, WATER_KGPM3 = 1026, GRAVITY_MPS2 = 9.81;

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// Growth of the drift with the period: 1 in short waves.
static double drift_share(double t) {
  double s = t > 1 ? 1 / (t * t * t) : 1;
  return t > 1 ? s * exp(1 - s) : 1;
}

static void wave_loads(const struct level1_hull *h, const struct weather *weather, double sine, double f,
                       double w[3]) {
  double turn = f / TRIG_PI, tz = weather_zero_crossing_s(weather);
  double q = 0.5 * WATER_KGPM3 * GRAVITY_MPS2 * weather->wave_height_m * weather->wave_height_m;
  double c = clamp(h->waterplane_aft_m2 / (0.5 * h->length_m * h->beam_m), 0.85, 1.15);
  double bow = 0.8 * pow(h->bow_angle_rad, 0.45), stern = 0.7 * c * c;
  double h1 = bow + turn * (stern - bow), h2 = 0.05 + 0.95 * atan(1.45 * (f - 1.75));
  w[0] = 0.09 * q * h->beam_m * h1 * h2 * drift_share(tz / (0.9 * pow(h->length_m, 0.33)));
  w[1] = 0.09 * q * h->underwater_length_m * sine * drift_share(tz / (0.75 * sqrt(h->beam_m)));
  w[2] = w[1] * (h->underwater_centre_m + (0.05 - 0.14 * turn) * h->underwater_length_m);
}

struct level1_loads level1_loads_of(const struct level1_hull *h, const struct weather *weather,
                                    double direction_rad) {
  struct level1_loads loads;
  double d = fmod(direction_rad, 2 * TRIG_PI), sine, cosine;
  d = d < 0 ? d + 2 * TRIG_PI : d;
  double f = d <= TRIG_PI ? d : 2 * TRIG_PI - d, arm = 1 - 2 * f / TRIG_PI;
  sine = sin(d), cosine = cos(d);
  double u = weather->wind_mps, v = weather->current_mps;
  double air = 0.5 * AIR_KGPM3 * u * u, water = 0.5 * WATER_KGPM3 * v * v;
  loads.wind[0] = -0.7 * air * h->frontal_area_m2 * cosine;
  loads.wind[1] = 0.9 * air * h->lateral_area_m2 * sine;
  loads.wind[2] = loads.wind[1] * (h->wind_centre_m + 0.3 * arm * h->length_m);
  loads.current[0] = -0.07 * water * h->beam_m * h->draft_m * cosine;
  loads.current[1] = 0.6 * water * h->current_area_m2 * sine;
  loads.current[2] = loads.current[1] * (h->current_centre_m + clamp(0.4 * arm, -0.2, 0.25) * h->length_m);
  wave_loads(h, weather, sine, f, loads.waves);
  return loads;
}
