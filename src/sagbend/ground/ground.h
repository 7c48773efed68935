// The normal reaction of a soil that remembers: a bed of layers in parallel below the pipe, each elastic and
// sliding, whose stiffness follows the strength of the soil. Forces and energies are per length of pipe;
// penetrations z are of the underside, positive into the ground. docs/soil.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/ground/soil_def.h"

enum { SOIL_LAYERS = 8, SOIL_SEGMENTS = 64 };

// What the ground below a metre of pipe remembers. Zero: virgin soil. Doubles only.
struct soil_memory {
  double e_m[SOIL_LAYERS]; // elastic way of each layer; 0 out of the soil
  double deepest_m;        // largest penetration so far
};
enum { SOIL_MEMORY = SOIL_LAYERS + 1 }; // doubles

// A soil below a pipe of one diameter.
struct soil_bed {
  double k_1pm[SOIL_LAYERS], limit_m[SOIL_LAYERS]; // stiffness per strength, way up to which it is elastic
  double suction, fade;                            // largest pull; share of the depth over which it fades
  double span_m;                                   // knots at span (i/segments)^2
  double knot_m[SOIL_SEGMENTS + 1];
  double s_npm[SOIL_SEGMENTS + 1], g_npm2[SOIL_SEGMENTS + 1]; // strength there, and its slope
  double half_c[SOIL_SEGMENTS + 1]; // of the square of the way from a knot; beyond the last 0
};

// Fails if the bed would not be one of positive strength that grows with depth.
enum status soil_bed_create(struct soil_bed *bed, const struct soil_def *soil, double diameter_m,
                            struct reason *why);

// Fails, naming both, if the soil carries a pipe of this weight, pressed by its lay and dynamic factor, only
// deeper than a diameter.
enum status soil_carries(const struct soil_def *soil, double diameter_m, double weight_npm,
                         struct reason *why);

// What a step from penetration z0 needs of the memory at its start.
struct soil_start {
  double z_m, force_npm, energy_jpm;
  double strength_npm, slope_npm2, half_c; // at z
  double sum[3];                           // of k, k e, k e^2
  double down_m, up_m;                     // ways within which no layer slides and the slope bends once
};
struct soil_start soil_begin(const struct soil_bed *bed, const struct soil_memory *memory,
                             double z_m) NONBLOCKING;

// A straight way from the start to z1. The work force_npm (z1 - z0) is the change of the energy plus the
// loss.
struct soil_way {
  double force_npm;                          // mean
  double end_force_npm;                      // at z1; below 0 the soil pulls
  double loss_jpm;                           // >= 0
  double stiffness_npm2, end_stiffness_npm2; // derivatives of the mean force and of that at z1 for z1
};
// memory: NULL, or where the memory at the end goes; it may be that of the start.
struct soil_way soil_over(const struct soil_bed *bed, const struct soil_memory *before,
                          const struct soil_start *start, double z1_m,
                          struct soil_memory *memory) NONBLOCKING;

// Whether all layers stick on the way to z1, within one segment. Then soil_stuck is the way, without a loss,
// and each e moves by z1 - z0.
static inline int soil_sticks(const struct soil_start *start, double z1_m) {
  const double d = z1_m - start->z_m;
  return start->z_m > 0 && z1_m > 0 && (d > 0 ? d <= start->down_m : d == 0 || -d <= start->up_m);
}
static inline struct soil_way soil_stuck(const struct soil_start *start, double z1_m) {
  const double d = z1_m - start->z_m, s0 = start->strength_npm, g0 = start->slope_npm2, c = start->half_c;
  const double k = start->sum[0], ke = start->sum[1], kee = start->sum[2];
  const double chord = g0 + c * d, strength = s0 + d * chord, slope = chord + c * d;
  const double end_ke = ke + k * d, more = d * (ke + end_ke), end_kee = kee + more;
  const double pair = ke + end_ke, both = kee + end_kee;
  return (struct soil_way){
      .force_npm = 0.25 * ((s0 + strength) * pair + chord * both),
      .end_force_npm = strength * end_ke + 0.5 * slope * end_kee,
      .stiffness_npm2 = 0.25 * ((s0 + strength) * k + slope * pair + 2 * chord * end_ke + c * both),
      .end_stiffness_npm2 = strength * k + 2 * slope * end_ke + c * end_kee,
  };
}

// The reaction at z after a slow way from the mudline to the largest penetration and from there to z (or to z
// alone where that is deeper), with its derivative.
struct soil_way soil_slow(const struct soil_bed *bed, double deepest_m, double z_m) NONBLOCKING;

// The same of a pipe that lies: it has moved a little about z, so that no layer slides at once, up or down.
// memory as above.
struct soil_way soil_at_rest(const struct soil_bed *bed, double deepest_m, double z_m,
                             struct soil_memory *memory) NONBLOCKING;

// The same with a stiffness that an iteration from far off can follow: at least the secant to the mudline, or
// to the largest penetration where z is above it.
struct soil_way soil_at_rest_from_far(const struct soil_bed *bed, double deepest_m, double z_m) NONBLOCKING;

// Penetration of a pipe that rests with this force after the soil has carried factor times it, m; the largest
// one goes to deepest_m.
double soil_resting(const struct soil_bed *bed, double force_npm, double factor, double *deepest_m);

// Whether a memory from a file is one that this bed can have.
int soil_memory_is_valid(const struct soil_bed *bed, const struct soil_memory *memory, double z_m,
                         struct reason *why);
