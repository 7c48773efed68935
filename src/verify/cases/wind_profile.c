// Wind profile and gust spectrum, number by number. The realisations of wind-spectrum average over them too
// widely to reveal a constant that is wrong by 1 %.
//   NORSOK N-003:  U = U0 (1 + 0.0573 sqrt(1 + 0.15 U0) ln(z/10)),
//                  S = 320 (U0/10)^2 (z/10)^0.45 (1 + x^n)^(-5/(3 n)),  x = 172 f (z/10)^(2/3)
//                  (U0/10)^(-3/4),  n = 0.468;
//   API RP 2A:     U = U0 (z/10)^0.125,  S = sigma^2/fp (1 + 1.5 f/fp)^(-5/3),  fp = 0.025 U/z,
//                  sigma = 0.15 U (z/20)^-0.125 up to 20 m, 0.15 U (z/20)^-0.275 above.
#include "verify/cases/cases.h"
#include "verify/harness/result.h"

#include "core/env/wind.h"

#include <math.h>

static double mean_of(enum wind_gusts law, double u0, double z) {
  return law == GUSTS_API ? u0 * pow(0.1 * z, 0.125) : u0 + 0.0573 * u0 * sqrt(1 + 0.15 * u0) * log(0.1 * z);
}

static double density_of(enum wind_gusts law, double u0, double z, double f) {
  if (law == GUSTS_API) {
    double mean = mean_of(law, u0, z), deviation = 0.15 * mean / pow(0.05 * z, z <= 20 ? 0.125 : 0.275),
           peak = 0.025 * mean / z;
    return deviation * deviation / (peak * cbrt(pow(1 + 1.5 * f / peak, 5)));
  }
  double x = 172 * f * cbrt(z * z / 100) / pow(0.1 * u0, 0.75);
  return 3.2 * u0 * u0 * pow(0.1 * z, 0.45) / pow(1 + pow(x, 0.468), 5 / 1.404);
}

void verify_wind_profile(const struct verify_setup *setup, struct verify_result *r) {
  static const double height[] = {5, 30, 80}, frequency[] = {0.001, 0.02, 0.3};
  (void)setup;
  verify_run_with(r, "20 m/s at 10 m, one hour's mean");
  struct verify_plot *plot = verify_plot(r, "Mean wind", "m/s", "height, m");
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "API" : "NORSOK";
    enum wind_gusts law = k ? GUSTS_API : GUSTS_NORSOK;
    struct wind_def def = {.present = 1, .speed_mps = 20, .gusts = law, .gust_height_m = 10, .seed = 1};
    struct wind wind = wind_of(&def);
    for (int i = 0; i < 3; i++)
      verify_add(r, VERIFY_RELATIVE, "m/s", wind_mean(&wind, height[i]), mean_of(law, 20, height[i]), 1e-12,
                 "%s: mean at %g m", name, height[i]);
    for (int i = 0; i < 9; i++) {
      double z = def.gust_height_m = height[i / 3], f = frequency[i % 3];
      verify_add(r, VERIFY_RELATIVE, "m2/s", wind_density(&def, f), density_of(law, 20, z, f), 1e-12,
                 "%s: density at %g m, %g Hz", name, z, f);
    }
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", name);
    struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, formula", name);
    for (int z = 2; z <= 100; z += 2) {
      verify_point(r, line, wind_mean(&wind, z), z);
      if (z % 10 == 0)
        verify_point(r, closed, mean_of(law, 20, z), z);
    }
  }
}
