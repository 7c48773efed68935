// What a soil resists a pipe with, per length of pipe, before any history: bearing resistance, and the
// passive resistance beside a pipe.
#pragma once

#include "sagbend/ground/soil_def.h"

// Resistance to a pipe of this outer diameter at a penetration, N/m; 0 at or above the mudline.
double soil_resistance(const struct soil_def *soil, double diameter_m, double penetration_m);

// Friction that breaks out, along and across the pipe.
struct soil_friction {
  double peak[2], residual_m[2]; // as in soil_friction_def
  double passive[2]; // resistance of the soil beside the pipe at z: passive[0] z + passive[1] z^2, N/m
};
// Passive resistance: z (2 su + gamma z/2) of clay, Kp gamma z^2/2 of sand, none of a table.
struct soil_friction soil_friction_of(const struct soil_def *soil);

// Force with which the touchdown pressed a pipe into the ground over its weight, at least 1 (lay factor):
// .6 + .4 (EI Q/(z T^2))^(1/4), Q = factor weight at z. tension: at the touchdown.
double soil_lay_factor(const struct soil_def *soil, double diameter_m, double weight_npm,
                       double bending_stiffness_nm2, double tension_n);

// Penetration at which the soil resists with a force, m; INFINITY where it does not within two diameters.
double soil_penetration(const struct soil_def *soil, double diameter_m, double force_npm);
