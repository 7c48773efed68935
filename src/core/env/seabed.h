// The seabed's normal spring, seed 000 (5.38): a parabola, then a line, C1, at rest with kappa = d_o/8 under
// the pipe's submerged weight. Force and energy are per length of pipe; a discrete gradient makes the work
// over a step equal the change of energy.
#pragma once

#include "core/base/nonblocking.h"

struct seabed_spring {
  double slope_npm2; // of the linear branch, N/m per m: weight / (d_o/8 - d_o/40)
  double break_m;    // d_o/20, where the branches meet
};

struct seabed_spring seabed_spring_of(double submerged_weight_npm, double outer_diameter_m);
struct seabed_spring seabed_linear(double stiffness_npm2); // no parabola

double seabed_energy(const struct seabed_spring *s, double penetration_m) NONBLOCKING; // J/m
double seabed_force(const struct seabed_spring *s, double penetration_m) NONBLOCKING;  // N/m, >= 0
double seabed_penetration(const struct seabed_spring *s,
                          double force_npm); // m: the penetration at a force >= 0
double seabed_stiffness(const struct seabed_spring *s,
                        double penetration_m) NONBLOCKING; // its derivative, N/m2

// Mean force over a step between two penetrations, (V1 - V0) / (k1 - k0) without cancellation, and its
// derivative with respect to k1.
double seabed_mean_force(const struct seabed_spring *s, double k0, double k1, double *derivative) NONBLOCKING;
