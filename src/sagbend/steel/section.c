#include "sagbend/steel/section.h"

#include "sagbend/math/trig.h"

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
