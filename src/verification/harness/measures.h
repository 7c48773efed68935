// What verification cases, tests and benchmarks measure on a simulator.
#pragma once

#include "sagbend/sim/sim_parts.h"

// Gives a definition a current and loads in both frames that vary smoothly in time, so that these energy
// ports act; structural damping and contact stay as configured.
void scene_all_ports(struct sim_def *def);

// Removes everything from a definition that dissipates or supplies energy: current, wind, waves, loads,
// vessel damping, drag, structural damping, controller. Seabed damping and friction stay.
void scene_conservative(struct sim_def *def);

// Linear momentum of the pipe (kg m/s) and its angular momentum about the origin (kg m2/s), world frame.
void scene_momenta(const struct sim *s, vec3 *linear, vec3 *angular);

// Power that Morison's formula takes from the pipe, W: rho/2 D (Cd |across|^3 + Cd_axial |along|^3) per
// length, of the velocities in the state relative to a current that falls from this one at the surface to
// zero at the depth. From the definition of the pipe, not from the constants of the nodes; a moved top counts
// nothing.
double scene_drag_power_w(const struct sim *s, vec3 surface_n_mps);

// Mean distance between the node poses of a coarse and a fine mesh at the same arc lengths (N. Saefstroem,
// thesis, NTNU 2009, eq. 5.109): metres and radians in one norm. The fine mesh has a whole multiple of the
// coarse mesh's elements.
double scene_distance(const struct sim *coarse, const struct sim *fine);
