// Nominal elastic stresses around a pipe's section.
#pragma once

#include "sagbend/steel/rainflow.h"

struct fatigue_section {
  struct sn_curve curve;
  double area_m2, per_moment_1pm3; // of the steel; stress by moment at its outer fibre
  double cosine[FATIGUE_POINTS], sine[FATIGUE_POINTS];
};
struct fatigue_section fatigue_section_of(const struct sn_curve_def *curve, double outer_diameter_m,
                                          double wall_m);

// s_q = N/A + (M2 sin q - M3 cos q) r/I at the points, Pa, from the wall tension (N) and the bending moments
// (N m).
void fatigue_stresses(const struct fatigue_section *s, double wall_tension_n, const double moment_nm[2],
                      double stress_pa[FATIGUE_POINTS]) NONBLOCKING;
