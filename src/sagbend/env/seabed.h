// The seabed's normal spring (Saefstroem 2009, eq. 5.38): a parabola, then a line, continuously
// differentiable. The pipe's submerged weight rests at a penetration of an eighth of its diameter. Forces and
// energies are per length of pipe; penetrations are positive into the ground. A discrete gradient makes the
// work over a step equal to the change of energy.
#pragma once

#include "sagbend/base/nonblocking.h"

struct seabed_spring {
  double slope_npm2; // stiffness of the line, N/m per m of penetration: weight / (d_o/8 - d_o/40)
  double break_m;    // penetration at which parabola and line meet, d_o/20
};

// The spring for a pipe of this submerged weight (either sign) and outer diameter d_o.
struct seabed_spring seabed_spring_of(double submerged_weight_npm, double outer_diameter_m);

// A linear spring without parabola.
struct seabed_spring seabed_linear(double stiffness_npm2);

double seabed_energy(const struct seabed_spring *spring, double penetration_m) NONBLOCKING; // J/m
double seabed_force(const struct seabed_spring *spring, double penetration_m) NONBLOCKING;  // N/m, >= 0
double seabed_stiffness(const struct seabed_spring *spring,
                        double penetration_m) NONBLOCKING; // derivative of the force, N/m2

// The penetration at which the spring exerts a force, m; 0 for forces <= 0.
double seabed_penetration(const struct seabed_spring *spring, double force_npm);

// Mean force over a step from penetration k0 to k1, N/m: (V1 - V0) / (k1 - k0) without cancellation.
// derivative: of the mean force with respect to k1, N/m2.
double seabed_mean_force(const struct seabed_spring *spring, double k0, double k1,
                         double *derivative) NONBLOCKING;
